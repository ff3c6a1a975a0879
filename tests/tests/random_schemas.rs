//! Records of random schemas through every format and back.

use std::sync::Arc;

use trunkline_codec::{cdr, fix, soap};
use trunkline_message::{Layout, Limits, Record};
use trunkline_tests::random::{self, Safe};
use trunkline_tests::schemas;

const SCHEMAS: u64 = 150;
const MESSAGES: u64 = 12;

fn records(schema: &Arc<Layout>, seed: u64, safe: Safe) -> impl Iterator<Item = Record> {
    let mut record = Record::new(schema);
    (0..MESSAGES).map(move |message| {
        random::fill(&mut record, seed << 32 | message, safe, 4);
        record.clone()
    })
}

#[test]
fn every_kind_goes_through_fix() {
    for seed in 0..SCHEMAS {
        let schema = schemas::flat(seed);
        let plan = fix::Plan::new(&schema, &fix::Options::default()).unwrap();
        let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
        let mut back = Record::new(&schema);
        for record in records(&schema, seed, Safe::FIX) {
            let bytes = encoder.encode(&record).unwrap();
            assert_eq!(fix::frame(bytes, &Limits::default()), fix::Frame::Message(bytes.len()));
            decoder.decode(bytes, &mut back).unwrap();
            assert_eq!(back, record, "schema {seed}");
        }
    }
}

#[test]
fn every_kind_goes_through_cdr() {
    for seed in 0..SCHEMAS {
        let schema = schemas::any(seed);
        for byte_order in [cdr::ByteOrder::Little, cdr::ByteOrder::Big] {
            for optional in [cdr::Optional::Union, cdr::Optional::Bitmap] {
                let plan = cdr::Plan::new(
                    &schema,
                    cdr::Options { byte_order, optional, ..Default::default() },
                )
                .unwrap();
                let (mut encoder, mut decoder) =
                    (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
                let mut back = Record::new(&schema);
                for record in records(&schema, seed, Safe::CDR) {
                    decoder.decode(encoder.encode(&record).unwrap(), &mut back).unwrap();
                    assert_eq!(back, record, "schema {seed}, {byte_order:?}, {optional:?}");
                }
            }
        }
    }
}

#[test]
fn every_kind_goes_through_soap() {
    for seed in 0..SCHEMAS {
        let schema = schemas::any(seed);
        for style in [
            soap::Style::RpcEncoded,
            soap::Style::RpcLiteral,
            soap::Style::DocumentLiteral,
            soap::Style::DocumentEncoded,
        ] {
            let [types, compact_tags, flat, attributes] = [1, 2, 4, 8].map(|bit| seed & bit != 0);
            let namespace = if seed & 16 != 0 { "urn:x" } else { "" }.to_owned();
            let layouts = [soap::Layout::Message, soap::Layout::Operation, soap::Layout::Fragment];
            let options = soap::Options {
                style,
                layout: layouts[seed as usize / 32 % 3],
                types,
                compact_tags,
                flat,
                attributes,
                namespace,
                ..Default::default()
            };
            let plan = soap::Plan::new(&schema, &options).expect("a plan");
            // Some have more fields in one scope than an element may have attributes by default.
            let limits = Limits { attributes: 1000, ..Limits::default() };
            let mut encoder = soap::Encoder::new(&plan);
            let mut decoder = soap::Decoder::with_limits(&plan, limits.clone());
            let mut general = soap::Decoder::with_limits(&plan, limits).general();
            let mut back = Record::new(&schema);
            for record in records(&schema, seed, Safe::SOAP) {
                let bytes = encoder.encode(&record).unwrap();
                for decoder in [&mut decoder, &mut general] {
                    decoder.decode(bytes, &mut back).unwrap();
                    assert_eq!(back, record, "schema {seed}, {options:?}");
                }
            }
        }
    }
}
