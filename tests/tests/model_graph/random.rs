//! Records of random schemas, which hold every shape in every other.

use trunkline_message::{Limits, Record};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{self as soap, Options, Plan, Style, Version};
use trunkline_tests::infoset;
use trunkline_tests::random::{self, Safe};
use trunkline_tests::schemas;

use crate::trip::written;

fn options(seed: u64, style: Style) -> Options {
    let [types, compact_tags, flat, newer] = [1, 2, 4, 8].map(|bit| seed & bit != 0);
    let layouts = [soap::Layout::Message, soap::Layout::Operation];
    Options {
        version: if newer { Version::Soap12 } else { Version::Soap11 },
        style,
        layout: layouts[seed as usize / 16 % 2],
        operation: "echo".into(),
        namespace: if seed & 32 != 0 { "urn:own" } else { "" }.into(),
        types,
        compact_tags,
        flat,
        ..Options::default()
    }
}

/// By the tree and by the graph, from each to the other.
#[test]
fn random_messages_are_the_same_by_tree_and_graph() {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let limits = Limits::default();
    for seed in 0..64 {
        let layout = schemas::of_values(seed);
        for style in styles {
            let options = options(seed, style);
            let plan = Plan::new(&layout, &options).expect("a plan");
            let (mut encoder, mut decoder) = (soap::Encoder::new(&plan), soap::Decoder::new(&plan));
            let (mut record, mut read) = (Record::new(&layout), Record::new(&layout));
            for message in 0..3 {
                random::fill(&mut record, seed << 32 | message, Safe::SOAP, 4);
                let bytes = encoder.encode(&record).expect("a message");
                graph::decode_message(bytes, &plan, &limits, &mut read).unwrap_or_else(|error| {
                    panic!("{error}: {options:?}: {}", bytes.escape_ascii())
                });
                assert_eq!(read, record, "{options:?}: {}", bytes.escape_ascii());

                let tree = Encoder { multi_ref: false, ..Encoder::new(options.version) };
                let document = written(&record, &plan, &tree);
                let same =
                    infoset::read(bytes).lines() == infoset::read(document.as_bytes()).lines();
                assert!(same, "{options:?}:\n{}\n{document}", String::from_utf8_lossy(bytes));
                for encoder in [tree, Encoder::new(options.version)] {
                    let document = written(&record, &plan, &encoder);
                    decoder
                        .decode(document.as_bytes(), &mut read)
                        .unwrap_or_else(|error| panic!("{error}: {options:?}: {document}"));
                    assert_eq!(read, record, "{options:?}: {document}");
                }
            }
        }
    }
}
