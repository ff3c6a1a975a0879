//! Every shape of type as SOAP: structs by themselves, choices, enumerations, lists of anything.

use std::fmt::Debug;

use trunkline_codec::soap::{Decoder, Encoder, Layout, Options, Plan, Style, Version};
use trunkline_message::{Message, Record, Structure};
use trunkline_tests::shapes::{self, Loose, Order};
use trunkline_tests::soap_ways::Ways;

/// Options of every kind that changes how elements look.
fn options() -> Vec<Options> {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let mut all = Vec::new();
    for bits in 0..128 {
        let [types, compact_tags, flat, attributes, named, operation, newer] =
            [1, 2, 4, 8, 16, 32, 64].map(|bit| bits & bit != 0);
        for style in styles {
            all.push(Options {
                style,
                types,
                compact_tags,
                flat,
                attributes,
                namespace: if named { "urn:x" } else { "" }.into(),
                layout: if operation { Layout::Operation } else { Layout::Message },
                version: if newer { Version::Soap12 } else { Version::Soap11 },
                ..Options::default()
            });
        }
    }
    for bits in 0..16 {
        let [types, flat, attributes, operation] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        all.push(Options {
            style: Style::DocumentLiteral,
            types,
            flat,
            attributes,
            namespace: "urn:x".into(),
            qualified: false,
            layout: if operation { Layout::Operation } else { Layout::Message },
            ..Options::default()
        });
    }
    all
}

/// Typed to bytes to typed, by every way; as a record the same bytes.
fn round<M: Structure + Message + Clone + Debug + PartialEq>(options: &Options, messages: &[M]) {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let mut ways = Ways::<M>::new(&plan);
    let (mut encoder, mut other) = (Encoder::new(&plan), Encoder::new(&plan));
    let mut record = Record::new(M::layout());
    for message in messages {
        let bytes = encoder.encode(message).unwrap_or_else(|it| panic!("{it}: {options:?}"));
        let read = ways
            .read(bytes)
            .unwrap_or_else(|it| panic!("{it} in {} with {options:?}", bytes.escape_ascii()));
        assert_eq!(&read, message, "{} with {options:?}", bytes.escape_ascii());
        assert_eq!(ways.unknown(), 0, "{}", bytes.escape_ascii());
        Decoder::new(&plan).decode(bytes, &mut record).expect("it was read");
        let again = other.encode(&record).expect("it was read");
        assert_eq!(again.escape_ascii().to_string(), bytes.escape_ascii().to_string());
    }
}

#[test]
fn every_shape_comes_back_whatever_the_options_are() {
    for options in options() {
        round::<Order>(&options, &shapes::orders());
    }
}

#[test]
fn unwrapped_lists_come_back_whatever_the_options_are() {
    for options in options() {
        round::<Loose>(&options, &shapes::all_loose());
    }
}
