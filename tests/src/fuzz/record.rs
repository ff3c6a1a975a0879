//! Any bytes as messages of any schema.

use std::sync::Arc;

use trunkline_codec::{cdr, fix};
use trunkline_message::{Error, ErrorKind, Layout, Record};

use super::cdr::OPTIONS;
use super::changes::{Choices, change_fields, change_octets};
use crate::random::{self, Safe};
use crate::{plain_fix, schemas};

/// The first bytes choose a schema and a message of it; the others change it on the wire.
///
/// What is still a message must be encoded again and mean the same. The schema must survive its
/// own listing.
///
/// # Panics
///
/// If that is not so.
pub fn record(data: &[u8]) {
    let mut choices = Choices::new(data);
    let schema = schemas::flat(choices.below(1 << 16) as u64);
    let again = Layout::from_listing(&schema.listing()).expect("its own listing");
    assert_eq!((again.id(), again.listing()), (schema.id(), schema.listing()));
    let seed = u64::from(choices.byte());
    match choices.byte() % 5 {
        4 => through_fix(&schema, seed, choices),
        options => {
            let options = OPTIONS[usize::from(options)];
            through_cdr(&schema, options, seed, choices);
            through_cdr(&schemas::any(seed), options, seed, choices);
        }
    }
}

fn through_fix(schema: &Arc<Layout>, seed: u64, mut choices: Choices<'_>) {
    let plan = fix::Plan::new(schema, &fix::Options::default()).expect("a plan");
    let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
    let mut record = Record::new(schema);
    random::fill(&mut record, seed, Safe::FIX, 3);
    let valid = encoder.encode(&record).expect("it is safe").to_vec();
    let body = plain_fix::body(&valid).expect("its own frame");
    let bytes = plain_fix::framed(&change_fields(body, &mut choices));
    if decoder.decode(&bytes, &mut record).is_err() {
        return;
    }
    let again = match encoder.encode(&record) {
        Ok(again) => again.to_vec(),
        Err(error) => return assert!(is_of_a_double(&error), "{error}"),
    };
    decoder.decode(&again, &mut record).expect("it was written");
    assert_eq!(encoder.encode(&record).expect("it was read"), again);
}

/// Doubles are read from more digits than FIX's are written with.
fn is_of_a_double(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unwritable(why) if why.contains("doubles"))
}

fn through_cdr(schema: &Arc<Layout>, options: cdr::Options, seed: u64, mut choices: Choices<'_>) {
    let plan = cdr::Plan::new(schema, &options).expect("a plan");
    let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
    let mut record = Record::new(schema);
    random::fill(&mut record, seed, Safe::CDR, 3);
    let mut bytes = encoder.encode(&record).expect("it is safe").to_vec();
    change_octets(&mut bytes, &mut choices);
    if decoder.decode(&bytes, &mut record).is_err() {
        return;
    }
    let again = encoder.encode(&record).expect("it was read").to_vec();
    decoder.decode(&again, &mut record).expect("it was written");
    assert_eq!(encoder.encode(&record).expect("it was read"), again);
}
