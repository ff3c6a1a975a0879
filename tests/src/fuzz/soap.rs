//! Any bytes as SOAP messages, and as edits of SOAP messages.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Message, Structure};
use trunkline_soap::{Encoder, Layout, Options, Plan, Style, Version};

use super::edits::{Choices, Document};
use crate::every_kind::{self, EveryKind};
use crate::noted::{self, Noted};
use crate::samples;
use crate::shapes::{self, Loose, Order};
use crate::soap_paths::Paths;

/// The namespace of documents that have one.
const NAMESPACE: &str = "urn:x";

/// For one type of message: rpc/encoded, the same with types, document/literal with a namespace,
/// rpc/literal with one; then flat, attributes, flat attributes, attributes with a namespace; then
/// those whose operation is the message, document/encoded and a fragment.
fn plans<M: Structure>() -> Vec<Arc<Plan>> {
    let rpc = Options::default();
    let typed = Options { types: true, ..Options::default() };
    let document = Options {
        style: Style::DocumentLiteral,
        namespace: NAMESPACE.into(),
        ..Options::default()
    };
    let literal = Options {
        style: Style::RpcLiteral,
        namespace: NAMESPACE.into(),
        compact_tags: true,
        ..Options::default()
    };
    let flat = Options { flat: true, ..Options::default() };
    let attributes = Options { attributes: true, ..Options::default() };
    let both = Options { flat: true, attributes: true, ..Options::default() };
    let qualified = Options { attributes: true, compact_tags: true, ..document.clone() };
    [rpc, typed, document, literal, flat, attributes, both, qualified]
        .iter()
        .chain(&services())
        .map(|options| Plan::new(M::layout(), options).expect("a plan"))
        .collect()
}

/// For a message with notes: plans by schema, with other namespaces and forms than services have, then
/// those of services.
fn noted_plans() -> Vec<Arc<Plan>> {
    let by_schema = |layout, namespace: &str, qualified| Options {
        style: Style::DocumentLiteral,
        layout,
        namespace: namespace.into(),
        qualified,
        ..Options::default()
    };
    let own = [Layout::Message, Layout::Operation].into_iter().flat_map(|layout| {
        let spaces = [("", true), ("urn:party", true), ("urn:c", false), (NAMESPACE, false)];
        spaces.map(|(namespace, qualified)| by_schema(layout, namespace, qualified))
    });
    own.chain(services())
        .map(|options| Plan::new(Noted::layout(), &options).expect("a plan"))
        .collect()
}

/// As SOAP services use them.
fn services() -> [Options; 8] {
    let operation = |style, types| Options {
        style,
        types,
        layout: Layout::Operation,
        namespace: NAMESPACE.into(),
        zone: true,
        ..Options::default()
    };
    let encoded = || operation(Style::RpcEncoded, true);
    let soap12 = |options| Options { version: Version::Soap12, ..options };
    let document = operation(Style::DocumentEncoded, true);
    let wrapped = operation(Style::DocumentLiteral, false);
    [
        Options { positional: true, ..encoded() },
        Options { any_wrapper: true, result: true, ..soap12(encoded()) },
        Options { layout: Layout::Message, ..document.clone() },
        soap12(Options { namespace: String::new(), ..document }),
        Options { any_wrapper: true, any_header: true, ..operation(Style::RpcLiteral, false) },
        wrapped.clone(),
        Options { layout: Layout::Fragment, ..wrapped },
        Options { types: false, any_wrapper: true, compact_tags: true, ..encoded() },
    ]
}

pub(super) static MARKET_DATA: LazyLock<Vec<Arc<Plan>>> =
    LazyLock::new(plans::<MarketDataIncrementalRefresh>);
pub(super) static EVERY_KIND: LazyLock<Vec<Arc<Plan>>> = LazyLock::new(plans::<EveryKind>);
pub(super) static ORDER: LazyLock<Vec<Arc<Plan>>> = LazyLock::new(plans::<Order>);
pub(super) static LOOSE: LazyLock<Vec<Arc<Plan>>> = LazyLock::new(plans::<Loose>);
pub(super) static NOTED: LazyLock<Vec<Arc<Plan>>> = LazyLock::new(noted_plans);

/// Reads documents by every path of the decoder at once, in turn by the same decoders. The first
/// byte chooses the plan; by its lowest bit the others are a document, or what to change in
/// documents that are good.
///
/// # Panics
///
/// If the paths do not agree, or a message that was read does not come back after it is written.
pub fn soap(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let (edited, plan) = (first & 1 != 0, usize::from(first >> 2 & 15));
    match (first >> 6, edited) {
        (2, true) if first & 2 != 0 => return edits(&NOTED[plan], &noted::all(), data),
        (2, true) => return edits(&ORDER[plan], &shapes::orders(), data),
        (3, true) => return edits(&LOOSE[plan], &shapes::all_loose(), data),
        _ => {}
    }
    match (first & 2 != 0, edited) {
        (true, false) => whole::<MarketDataIncrementalRefresh>(&MARKET_DATA[plan], data),
        (false, false) => whole::<EveryKind>(&EVERY_KIND[plan], data),
        (true, true) => {
            let messages = [samples::figure_3(0), samples::figure_3(1), samples::figure_3(3)];
            edits(&MARKET_DATA[plan], &messages, data);
        }
        (false, true) => {
            edits(&EVERY_KIND[plan], &[every_kind::full(), EveryKind::default()], data)
        }
    }
}

fn whole<M: Structure + Message + Clone + Debug + PartialEq>(plan: &Arc<Plan>, data: &[u8]) {
    let _ = Paths::<M>::new(plan).read(data);
}

/// Good documents and edited ones, some in another encoding, read in turn.
fn edits<M>(plan: &Arc<Plan>, messages: &[M], data: &[u8])
where
    M: Structure + Message + Clone + Debug + PartialEq,
{
    let mut choices = Choices::new(data);
    let mut paths = Paths::<M>::new(plan);
    for _ in 0..64 {
        let message = &messages[choices.below(messages.len())];
        let good = Encoder::new(plan).encode(message).expect("a good message").to_vec();
        let mut document = Document::new(std::str::from_utf8(&good).expect("UTF-8"));
        for _ in 0..choices.below(6) {
            document.edit(&mut choices);
        }
        let _ = paths.read(&document.bytes(&mut choices));
        if choices.is_empty() {
            assert_eq!(paths.read(&good).as_ref(), Ok(message), "after other documents");
            return;
        }
    }
}
