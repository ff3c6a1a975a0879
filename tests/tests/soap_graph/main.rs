//! SOAP messages as graphs: the rules of the encoding, what is rejected, typed messages, and what
//! other toolkits sent.

mod agree;
mod arrays;
mod conformance;
mod damaged;
mod echo;
mod gsoap;
mod literal;
mod references;
mod typed;

use trunkline_message::Limits;
use trunkline_soap::Version;
use trunkline_soap::graph::{Encoder, Message};
use trunkline_tests::seam;

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
const ENCODING11: &str = "http://schemas.xmlsoap.org/soap/encoding/";
const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// A SOAP 1.1 envelope whose Body is encoded.
fn encoded(body: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='{SOAP11}' xmlns:E='{ENCODING11}' xmlns:xsi='{XSI}' \
         xmlns:xsd='{XSD}' xmlns:o='urn:own'><S:Body S:encodingStyle='{ENCODING11}'>{body}\
         </S:Body></S:Envelope>"
    )
}

/// A SOAP 1.2 envelope around a call whose content is encoded.
fn encoded12(call: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='{SOAP12}' xmlns:E='{ENCODING12}' xmlns:xsi='{XSI}' \
         xmlns:xsd='{XSD}' xmlns:o='urn:own'><S:Body><o:call S:encodingStyle='{ENCODING12}'>{call}\
         </o:call></S:Body></S:Envelope>"
    )
}

fn decode(document: &str) -> Message {
    seam::decode(document.as_bytes(), &Limits::default())
        .unwrap_or_else(|error| panic!("{error}: {document:.1000}"))
}

/// What is wrong with it, as a user reads it.
fn rejected(document: &str) -> String {
    let decoded = seam::decode(document.as_bytes(), &Limits::default());
    decoded.expect_err("a message that is wrong").to_string()
}

fn encode(message: &Message, encoder: &Encoder) -> String {
    let bytes = seam::encode(encoder, message).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(bytes).expect("UTF-8")
}

/// The encoders that keep identity: references to elements of their own and to embedded ones.
fn encoders() -> [Encoder; 3] {
    let embedded = Encoder { embedded: true, ..Encoder::new(Version::Soap11) };
    [Encoder::new(Version::Soap11), embedded, Encoder::new(Version::Soap12)]
}
