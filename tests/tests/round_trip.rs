//! Every message through every format and back, as a struct and as a record.

use std::fmt::Debug;

use trunkline_codec::{cdr, fix};
use trunkline_message::{Message, Record, Structure};
use trunkline_soap as soap;
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::random::{self, Safe};
use trunkline_tests::samples;

/// One format with one set of options: encodes, decodes, and compares struct and record.
fn check<M: Structure + Message + Debug + PartialEq>(
    message: &M,
    name: &str,
    mut encode: impl FnMut(&M) -> Vec<u8>,
    mut encode_record: impl FnMut(&Record) -> Vec<u8>,
    mut decode: impl FnMut(&[u8], &mut M),
    mut decode_record: impl FnMut(&[u8], &mut Record),
) {
    let bytes = encode(message);
    let mut back = M::empty();
    decode(&bytes, &mut back);
    assert_eq!(&back, message, "{name}");
    let record = Record::from_message(message);
    assert_eq!(encode_record(&record), bytes, "{name}: a record's bytes are the struct's");
    let mut back = Record::new(M::layout());
    decode_record(&bytes, &mut back);
    assert_eq!(back, record, "{name}");
}

fn soap<M: Structure + Message + Debug + PartialEq>(message: &M, options: &soap::Options) {
    let plan = soap::Plan::new(M::layout(), options).expect("a plan");
    let (mut encoder, mut decoder) = (soap::Encoder::new(&plan), soap::Decoder::new(&plan));
    let (mut of_record, mut to_record) =
        (soap::Encoder::new(&plan), soap::Decoder::new(&plan).generic());
    check(
        message,
        &format!("{options:?}"),
        |message| encoder.encode(message).unwrap().to_vec(),
        |record| of_record.encode(record).unwrap().to_vec(),
        |bytes, message| {
            decoder.decode(bytes, message).unwrap();
            decoder.decode(bytes, message).unwrap();
        },
        |bytes, record| to_record.decode(bytes, record).unwrap(),
    );
}

/// As SOAP services use it: every style, version and layout, and what goes with them.
fn all_services<M: Structure + Message + Debug + PartialEq>(message: &M) {
    use soap::{Layout, Style, Version};
    for style in
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded]
    {
        for version in [Version::Soap11, Version::Soap12] {
            for layout in [Layout::Message, Layout::Operation, Layout::Fragment] {
                for bits in 0..8 {
                    let [types, qualified, zone] = [1, 2, 4].map(|bit| bits & bit != 0);
                    let namespace = if qualified { "urn:x&y" } else { "" }.into();
                    let plain = soap::Options::default();
                    let options =
                        soap::Options { style, version, layout, types, namespace, zone, ..plain };
                    soap(message, &options);
                }
            }
        }
        for layout in [Layout::Operation, Layout::Fragment] {
            for bits in 1..8 {
                let [compact_tags, flat, attributes] = [1, 2, 4].map(|bit| bits & bit != 0);
                let options = soap::Options { style, layout, types: true, ..Default::default() };
                soap(message, &soap::Options { compact_tags, flat, attributes, ..options });
            }
        }
    }
}

fn all_formats<M: Structure + Message + Debug + PartialEq>(message: &M) {
    for style in [soap::Style::RpcEncoded, soap::Style::RpcLiteral, soap::Style::DocumentLiteral] {
        let namespace = || String::from("urn:x");
        let short = || soap::Options { compact_tags: true, ..soap::Options::default() };
        for options in [
            soap::Options::default(),
            soap::Options { types: true, namespace: namespace(), ..soap::Options::default() },
            soap::Options { namespace: namespace(), ..short() },
            soap::Options { types: true, ..short() },
            soap::Options { flat: true, ..soap::Options::default() },
            soap::Options { attributes: true, ..soap::Options::default() },
            soap::Options { attributes: true, namespace: namespace(), ..short() },
            soap::Options { flat: true, attributes: true, ..soap::Options::default() },
        ] {
            soap(message, &soap::Options { style, ..options });
        }
    }
    for byte_order in [cdr::ByteOrder::Little, cdr::ByteOrder::Big] {
        for optional in [cdr::Optional::Union, cdr::Optional::Bitmap] {
            let options = cdr::Options { byte_order, optional, ..Default::default() };
            let plan = cdr::Plan::new(M::layout(), options).unwrap();
            let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
            let (mut of_record, mut to_record) =
                (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
            check(
                message,
                &format!("{options:?}"),
                |message| encoder.encode(message).unwrap().to_vec(),
                |record| of_record.encode(record).unwrap().to_vec(),
                |bytes, message| decoder.decode(bytes, message).unwrap(),
                |bytes, record| to_record.decode(bytes, record).unwrap(),
            );
        }
    }
    let layout = M::layout();
    if layout.notes().of_type(layout.schema().root(), "fix", "message_type").is_none() {
        return;
    }
    let plan = fix::Plan::new(M::layout(), &fix::Options::default()).unwrap();
    let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
    let (mut of_record, mut to_record) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
    check(
        message,
        "FIX",
        |message| encoder.encode(message).unwrap().to_vec(),
        |record| of_record.encode(record).unwrap().to_vec(),
        |bytes, message| decoder.decode(bytes, message).unwrap(),
        |bytes, record| to_record.decode(bytes, record).unwrap(),
    );
}

#[test]
fn messages_of_services() {
    for entries in [1, 10] {
        all_services(&samples::figure_3(entries));
    }
    for (customers, products) in [(0, 0), (1, 0), (20, 0), (1, 50)] {
        all_services(&samples::customer_services(customers, products));
    }
    for seed in 0..10 {
        all_services(&samples::market_data(seed, Safe::ALL));
        all_services(&samples::any_customer_services(seed, Safe::ALL));
        let mut message = EveryKind::default();
        random::fill(&mut message, seed, Safe::SOAP, 5);
        all_services(&message);
    }
    all_services(&every_kind::full());
}

#[test]
fn market_data() {
    for entries in [1, 2, 10, 100] {
        all_formats(&samples::figure_3(entries));
    }
}

#[test]
fn customers_and_products() {
    all_formats(&samples::customer_services(1, 0));
    all_formats(&samples::customer_services(20, 0));
    all_formats(&samples::customer_services(1, 50));
}

#[test]
fn market_data_with_any_fields() {
    for seed in 0..200 {
        all_formats(&samples::market_data(seed, Safe::ALL));
    }
}

#[test]
fn customers_and_products_with_any_values() {
    for seed in 0..60 {
        all_formats(&samples::any_customer_services(seed, Safe::ALL));
    }
}
