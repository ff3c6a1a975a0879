//! Records of random schemas through every format and back.

use std::collections::BTreeSet;
use std::sync::Arc;

use trunkline_codec::{cdr, fix};
use trunkline_message::{Error, Layout, Limits, Record};
use trunkline_soap as soap;
use trunkline_tests::events::{Events, Recorder};
use trunkline_tests::random::{self, Safe};
use trunkline_tests::schemas;
use trunkline_tests::soap_paths::say_the_same;

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

/// As chance has it, which is the same for a seed.
fn soap_options(seed: u64, style: soap::Style) -> soap::Options {
    let [types, compact_tags, flat, attributes] = [1, 2, 4, 8].map(|bit| seed & bit != 0);
    let namespace = if seed & 16 != 0 { "urn:x" } else { "" }.to_owned();
    let layouts = [soap::Layout::Message, soap::Layout::Operation, soap::Layout::Fragment];
    soap::Options {
        style,
        layout: layouts[seed as usize / 32 % 3],
        types,
        compact_tags,
        flat,
        attributes,
        namespace,
        ..Default::default()
    }
}

const STYLES: [soap::Style; 4] = [
    soap::Style::RpcEncoded,
    soap::Style::RpcLiteral,
    soap::Style::DocumentLiteral,
    soap::Style::DocumentEncoded,
];

fn through_soap(schema: &Arc<Layout>, seed: u64, options: &soap::Options) -> Result<(), Error> {
    let plan = soap::Plan::new(schema, options)?;
    // Some have more fields in one scope than an element may have attributes by default.
    let limits = Limits { attributes: 1000, ..Limits::default() };
    let (mut encoder, mut teller) = (soap::Encoder::new(&plan), soap::Encoder::new(&plan));
    let mut decoder = soap::Decoder::with_limits(&plan, limits.clone());
    let mut by_events = soap::Decoder::with_limits(&plan, limits.clone());
    let mut generic = soap::Decoder::with_limits(&plan, limits.clone()).generic();
    let mut back = Record::new(schema);
    for record in records(schema, seed, Safe::SOAP) {
        let bytes = match encoder.encode(&record) {
            Ok(bytes) => bytes,
            Err(error) => panic!("schema {seed}, {options:?}: {error}\n{}", schema.listing()),
        };
        for decoder in [&mut decoder, &mut generic] {
            if let Err(error) = decoder.decode(bytes, &mut back) {
                let (text, listing) = (bytes.escape_ascii(), schema.listing());
                panic!("schema {seed}, {options:?}: {error}\n{text}\n{listing}");
            }
            assert_eq!(decoder.unknown(), 0, "schema {seed}, {options:?}");
            assert!(
                back == record,
                "schema {seed}, {options:?}\n{back:?}\n{record:?}\n{}\n{}",
                bytes.escape_ascii(),
                schema.listing()
            );
        }
        let events = Events::of_xml(bytes, &limits).expect("what was written");
        let read = by_events.decode_from(&mut events.reader(), &mut back);
        let is_same = read.is_ok() && say_the_same(&plan, &record, &back);
        assert!(is_same, "{read:?}: {}", bytes.escape_ascii());
        assert_eq!(by_events.unknown(), 0, "schema {seed}, {options:?}");
        let mut recorder = Recorder::default();
        let written = teller.encode_to("", &record, &mut recorder);
        let told = recorder.finish();
        assert_eq!(told.lines(), events.lines(), "{written:?}: {}", bytes.escape_ascii());
        let read = by_events.decode_from(&mut told.reader(), &mut back);
        let is_same = read.is_ok() && say_the_same(&plan, &record, &back);
        assert!(is_same, "{read:?}: {}", bytes.escape_ascii());
    }
    Ok(())
}

#[test]
fn every_kind_goes_through_soap() {
    for seed in 0..SCHEMAS {
        for style in STYLES {
            let schema = match style.is_encoded() {
                true => schemas::encoded(seed),
                false => schemas::any(seed),
            };
            through_soap(&schema, seed, &soap_options(seed, style)).expect("a plan");
        }
    }
}

/// By schema, with and without a namespace, qualified and not; presets of options beside notes too.
#[test]
fn notes_are_kept_in_soap_or_rejected_with_their_place() {
    let (mut kept, mut rejected) = (0, 0);
    for seed in 0..SCHEMAS {
        for schema in [schemas::noted(seed, false), schemas::misnoted(seed)] {
            for style in STYLES {
                let plain = soap::Options {
                    style,
                    namespace: if seed % 3 > 0 { "urn:x" } else { "" }.to_owned(),
                    qualified: seed % 2 > 0,
                    ..Default::default()
                };
                for options in [plain, soap_options(seed, style)] {
                    match through_soap(&schema, seed, &options) {
                        Ok(()) => kept += 1,
                        Err(error) => {
                            assert!(!error.path().is_empty(), "schema {seed}: {error}");
                            rejected += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{kept} kept, {rejected} rejected");
    assert!(kept > rejected, "{kept} kept, {rejected} rejected");
}

#[test]
fn notes_are_kept_in_fix_and_cdr_or_rejected_with_their_place() {
    for seed in 0..SCHEMAS {
        let schema = schemas::noted(seed, true);
        let plan = fix::Plan::new(&schema, &fix::Options::default()).expect("codes that fit");
        let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
        let mut back = Record::new(&schema);
        for record in records(&schema, seed, Safe::FIX) {
            decoder.decode(encoder.encode(&record).unwrap(), &mut back).unwrap();
            assert_eq!(back, record, "schema {seed}");
        }
        let schema = schemas::noted(seed, false);
        let plan = cdr::Plan::new(&schema, cdr::Options::default()).expect("labels that fit");
        let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
        let mut back = Record::new(&schema);
        for record in records(&schema, seed, Safe::CDR) {
            decoder.decode(encoder.encode(&record).unwrap(), &mut back).unwrap();
            assert_eq!(back, record, "schema {seed}");
        }
        if let Err(error) = cdr::Plan::new(&schemas::misnoted(seed), cdr::Options::default()) {
            // It names the choice, or its arm.
            let text = error.to_string();
            let is_placed = ["Choice", "Option", "Arm"].iter().any(|it| text.contains(it));
            assert!(is_placed, "schema {seed}: {text}");
        }
    }
}

#[test]
fn a_listing_has_every_note() {
    let (mut notes, mut types) = (0, 0);
    for seed in 0..SCHEMAS {
        for schema in
            [schemas::noted(seed, true), schemas::noted(seed, false), schemas::misnoted(seed)]
        {
            let listing = schema.listing();
            let again = Arc::new(Layout::from_listing(&listing).expect("its own listing"));
            assert_eq!((again.id(), again.listing()), (schema.id(), listing), "schema {seed}");
            for (scope, other) in schema.scopes().iter().zip(again.scopes()) {
                let all = |layout: &Layout, of| {
                    let notes = layout.notes().all_of_type(of);
                    notes.map(|it| format!("{it:?}")).collect::<BTreeSet<_>>()
                };
                let noted = all(&schema, scope.of);
                types += noted.len();
                assert_eq!(all(&again, other.of), noted, "schema {seed}: {}", scope.name);
                for (field, other) in scope.fields.iter().zip(&other.fields) {
                    let all = |layout: &Layout, of| {
                        let notes = layout.notes().all_of_member(of);
                        notes.map(|it| format!("{it:?}")).collect::<BTreeSet<_>>()
                    };
                    let noted = all(&schema, field.member);
                    notes += noted.len();
                    assert_eq!(all(&again, other.member), noted, "schema {seed}: {}", field.name);
                }
            }
        }
    }
    assert!(notes > 1000 && types > 100, "{notes} notes about members, {types} about types");
}
