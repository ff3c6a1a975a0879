//! There and back, in every style, with references and without.

use std::fmt::Debug;
use std::sync::Arc;

use trunkline_message::{Limits, Message, Record, Structure};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{self as soap, Options, Plan, Style, Version};

use crate::shapes::{bare, order, orders};

/// Every style and layout, with types and without.
pub(crate) fn options() -> Vec<Options> {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let mut all = Vec::new();
    for style in styles {
        for layout in [soap::Layout::Message, soap::Layout::Operation] {
            for types in [false, true] {
                let namespace = "urn:own".into();
                let operation = "echo".into();
                all.push(Options {
                    style,
                    layout,
                    types,
                    namespace,
                    operation,
                    ..Options::default()
                });
            }
        }
    }
    all
}

fn encoders() -> [Encoder; 4] {
    let new = Encoder::new;
    let embedded = Encoder { embedded: true, ..new(Version::Soap11) };
    let tree = Encoder { multi_ref: false, ..new(Version::Soap11) };
    [new(Version::Soap11), embedded, new(Version::Soap12), tree]
}

pub(crate) fn written(message: &impl Message, plan: &Plan, encoder: &Encoder) -> String {
    let made = graph::from_message(message, plan).expect("a graph");
    let bytes = encoder.encode(&made).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(bytes).expect("UTF-8")
}

/// The document of the plan's encoder says what the graph's does, and each is read by the other.
fn agrees<M: Message + Structure + PartialEq + Debug>(
    message: &M,
    plan: &Arc<Plan>,
    options: &Options,
) {
    let mut encoder = soap::Encoder::new(plan);
    let bytes = encoder.encode(message).unwrap_or_else(|error| panic!("{error}: {options:?}"));
    let tree = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
    let document = written(message, plan, &tree);
    let shown = String::from_utf8_lossy(bytes);
    let decode = |bytes: &[u8]| graph::decode(bytes, &Limits::default()).expect("a document");
    let same = decode(bytes).is_same(&decode(document.as_bytes()));
    assert!(same, "{options:?}:\n{shown}\n{document}");
    let mut read = M::empty();
    graph::decode_message(bytes, plan, &Limits::default(), &mut read)
        .unwrap_or_else(|error| panic!("{error}: {options:?}: {shown}"));
    assert_eq!(read, *message, "{options:?}: {shown}");
    let mut read = M::empty();
    soap::Decoder::new(plan)
        .decode(document.as_bytes(), &mut read)
        .unwrap_or_else(|error| panic!("{error}: {options:?}: {document}"));
    assert_eq!(read, *message, "{options:?}: {document}");
}

pub(crate) fn survives<M: Message + Structure + PartialEq + Debug>(message: &M) {
    for options in options() {
        let plan = Plan::new(M::layout(), &options).expect("a plan");
        agrees(message, &plan, &options);
        for encoder in encoders() {
            let document = written(message, &plan, &encoder);
            let mut read = M::empty();
            graph::decode_message(document.as_bytes(), &plan, &Limits::default(), &mut read)
                .unwrap_or_else(|error| panic!("{error}: {options:?}: {document:.9000}"));
            assert_eq!(read, *message, "{options:?}: {document:.9000}");
            let mut record = Record::new(M::layout());
            graph::decode_message(document.as_bytes(), &plan, &Limits::default(), &mut record)
                .unwrap_or_else(|error| panic!("{error}: {options:?}: {document:.9000}"));
            assert_eq!(record, Record::from_message(message), "{options:?}");
            assert_eq!(written(&record, &plan, &encoder), document, "{options:?}");
        }
    }
}

#[test]
fn every_shape_survives_its_graph() {
    orders().iter().for_each(survives);
}

/// What each shape looks like where the plan writes no types.
#[test]
fn shapes_are_written_by_name() {
    let options = Options {
        style: Style::DocumentLiteral,
        namespace: "urn:own".into(),
        ..Options::default()
    };
    let plan = Plan::new(crate::shapes::Order::layout(), &options).expect("a plan");
    let document = written(&order(), &plan, &Encoder::new(Version::Soap11));
    let plain = document.replace("ns1:", "");
    for part in [
        "<side>Sell short &amp; cover</side><Market></Market>",
        "<nested><Limit>7</Limit></nested><address><street/></address><single>0.1</single>",
        "<whole>123456789012345678901234567890</whole>\
         <exact>0.12345678901234567890123</exact><hold>P1Y2MT0.5S</hold>",
        "<notes><item/><item>b</item><item>leg</item></notes>\
         <flags><item>true</item><item>false</item></flags>",
        "<sides><item>Buy</item><item>Sell short &amp; cover</item></sides>",
        "<matrix><item><item>1</item><item>2</item></item>\
         <item><item>3</item><item>INF</item></item></matrix>",
        "<corners><Address><street>a</street></Address><Address>",
        "<prices><Limit>1</Limit><Market></Market><Limit>2</Limit></prices>",
        "<ragged><item></item><item><item>1</item><item>-2</item></item></ragged>",
        "<options><item><Market></Market></item><item></item></options>",
        "<folder><name>root</name><folders><Folder><name>empty</name></Folder>\
         <Folder><name>b</name><folders><Folder><name>leaf</name><parent><name>up</name></parent>",
    ] {
        assert!(plain.contains(part), "no {part} in\n{plain}");
    }
    let document = written(&bare(), &plan, &Encoder::new(Version::Soap11)).replace("ns1:", "");
    assert!(document.contains("<side>Buy</side><Limit>0</Limit><single>"), "{document}");
}

/// Arrays of arrays tell how deep they go; what tells its arm by its name is no array.
#[test]
fn lists_are_arrays_of_the_encoding() {
    let options = Options {
        layout: soap::Layout::Operation,
        namespace: "urn:own".into(),
        operation: "echo".into(),
        types: true,
        ..Options::default()
    };
    let plan = Plan::new(crate::shapes::Order::layout(), &options).expect("a plan");
    let encoder = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
    let document = written(&order(), &plan, &encoder);
    let array = |name: &str| {
        let (_, rest) = document.split_once(&format!("<{name} ")).expect("a list");
        let (_, rest) = rest.split_once("arrayType=\"").expect("an array");
        rest.split_once('"').expect("a quote").0.to_owned()
    };
    for (name, expected) in [
        ("notes", "xsd:string[3]"),
        ("flags", "xsd:boolean[2]"),
        ("sides", "ns1:Side[2]"),
        ("matrix", "xsd:double[][2]"),
        ("corners", "ns1:Address[2]"),
        ("ragged", "xsd:int[][2]"),
        ("deep", "xsd:string[][][2]"),
        ("legs", "ns1:Address[2]"),
    ] {
        assert_eq!(array(name), expected, "{document}");
    }
    let prices = "<prices><Limit xsi:type=\"xsd:decimal\">1</Limit><Market";
    assert!(document.contains(prices), "{document}");
}
