//! SOAP: published and kept documents, namespaces, structure, values, errors, and decoders that
//! read one document after another.

mod golden;

use std::sync::Arc;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::soap::{Options, Plan, Style};
use trunkline_message::Structure;

/// The plan of market data with these options.
fn market_data(options: &Options) -> Arc<Plan> {
    Plan::new(MarketDataIncrementalRefresh::schema(), options)
}

/// Document/literal, all elements in the namespace.
fn document(namespace: &str) -> Options {
    let namespace = namespace.into();
    Options { style: Style::DocumentLiteral, namespace, ..Options::default() }
}
