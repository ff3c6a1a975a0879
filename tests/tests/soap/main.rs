//! SOAP: published and kept documents, namespaces, structure, values, errors, other schemas, and
//! decoders that read one document after another.

mod answers;
mod attributes;
mod entries;
mod envelope;
mod forms;
mod golden;
mod kept;
mod namespaces;
mod nil;
mod positions;
mod structure;
mod toolkits;
mod unknown;
mod values;

use std::sync::Arc;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Result, Structure};
use trunkline_soap::{Options, Plan, Style};
use trunkline_tests::every_kind::EveryKind;
use trunkline_tests::soap_paths::Paths;

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// The plan of market data with these options.
fn market_data(options: &Options) -> Arc<Plan> {
    Plan::new(MarketDataIncrementalRefresh::layout(), options).expect("a plan")
}

/// Document/literal, all elements in the namespace.
fn document(namespace: &str) -> Options {
    let namespace = namespace.into();
    Options { style: Style::DocumentLiteral, namespace, ..Options::default() }
}

/// An envelope with this in its Body.
fn enveloped(body: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='{SOAP11}' xmlns:xsi='{XSI}' xmlns:xsd='{XSD}' xmlns:own='urn:own'>\
         <S:Body>{body}</S:Body></S:Envelope>"
    )
}

/// A message of every kind with these elements inside.
fn kinds(fields: &str) -> String {
    enveloped(&format!("<sendMessage><EveryKind>{fields}</EveryKind></sendMessage>"))
}

/// Reads one document by every path.
fn read(document: &str) -> Result<EveryKind> {
    let options = Options { exponents: false, ..Options::default() };
    let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
    Paths::new(&plan).read(document.as_bytes())
}

/// What is wrong with it, as a user reads it.
fn rejected(document: &str) -> String {
    read(document).expect_err("a message that is wrong").to_string()
}
