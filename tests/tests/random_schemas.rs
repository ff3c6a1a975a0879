//! Records of random schemas through every format and back.

use std::collections::BTreeSet;
use std::sync::Arc;

use trunkline_message::{Error, Layout, Record};
use trunkline_tests::formats::{self, Alone, Format};
use trunkline_tests::{each_format, random, schemas};

const MESSAGES: u64 = 12;

/// How many of each kind: as many as the environment says, for a longer run.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("TRUNKLINE_SCHEMAS").ok();
    0..asked.map_or(40, |it| it.parse().expect("TRUNKLINE_SCHEMAS is a number"))
}

/// The plan's error, if it has no form for the schema.
fn go_through<F: Format>(
    seed: u64,
    schema: &Arc<Layout>,
    options: &F::Options,
) -> Result<(), Error> {
    let mut codec = F::new(schema, options)?;
    let (mut record, mut back) = (Record::new(schema), Record::new(schema));
    for message in 0..MESSAGES {
        random::fill(&mut record, seed << 32 | message, F::SAFE, 4);
        let place = || format!("schema {seed}, {options:?}\n{}", schema.listing());
        let bytes = codec.encode(&record).unwrap_or_else(|error| panic!("{error}: {}", place()));
        let text = bytes.escape_ascii();
        let read = codec.decode(&bytes, &mut back);
        read.unwrap_or_else(|error| panic!("{error}: {text}\n{}", place()));
        assert!(back == record, "{back:?}\n{record:?}\n{text}\n{}", place());
        codec.check(&record, &bytes);
    }
    Ok(())
}

fn every_kind<F: Format>() {
    for seed in seeds() {
        for options in F::options(seed, 4) {
            let schema = F::Alone::schema(seed, &options);
            go_through::<F>(seed, &schema, &options).expect("a plan");
        }
    }
}

/// By schema, with notes that mean something and with others, whatever options stand beside them.
fn notes<F: Format>() {
    let (mut kept, mut rejected) = (0, 0);
    for seed in seeds() {
        for is_fitting in [true, false] {
            let schema = match is_fitting {
                true => schemas::noted(seed, F::SAFE.fix),
                false if F::SAFE.fix => continue,
                false => schemas::misnoted(seed),
            };
            for options in F::options(seed, 8) {
                let Err(error) = go_through::<F>(seed, &schema, &options) else {
                    kept += 1;
                    continue;
                };
                // A style of SOAP may have no form for a note that fits elsewhere.
                assert!(!is_fitting || F::SAFE.soap, "schema {seed}: {error}");
                let text = error.to_string();
                let names_type = ["Choice", "Option", "Arm"].iter().any(|it| text.contains(it));
                assert!(names_type || !error.path().is_empty(), "schema {seed}: {error}");
                rejected += 1;
            }
        }
    }
    println!("{kept} kept, {rejected} rejected");
    assert!(kept > rejected, "{kept} kept, {rejected} rejected");
}

macro_rules! laws {
    ($format:ident: $name:ident, $($rest:tt)*) => {
        mod $format {
            #[test]
            fn every_kind_goes_through() {
                super::every_kind::<super::formats::$name>();
            }

            #[test]
            fn notes_are_kept_or_rejected_with_their_place() {
                super::notes::<super::formats::$name>();
            }
        }
    };
}

each_format!(laws);

#[test]
fn a_listing_has_every_note() {
    let (mut notes, mut types) = (0, 0);
    for seed in seeds() {
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
