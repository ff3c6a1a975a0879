//! Documents of any schema, edited: XML that goes deep into a decoder.

use std::fmt::Debug;
use std::sync::Arc;

use trunkline_message::{Limits, Record};
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style};

use super::edits::{Choices, Document};
use crate::random::{self, Safe};
use crate::schemas;
use crate::soap_paths::say_the_same;

/// How far a document came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It was rejected before any field of the message.
    Nothing,
    /// It was rejected in a field of the message.
    Field,
    /// It was read as a message.
    Message,
}

/// A document as the bytes choose it: a schema, a message of it, how it is written, and a few edits.
pub(super) struct Edited {
    plan: Arc<Plan>,
    record: Record,
    good: Vec<u8>,
    /// What became of it.
    pub(super) bytes: Vec<u8>,
}

impl Edited {
    pub(super) fn new(data: &[u8]) -> Self {
        let mut choices = Choices::new(data);
        let seed = choices.below(1 << 16) as u64;
        let options = options(&mut choices);
        let schema = match options.style.is_encoded() {
            true => schemas::encoded(seed),
            false => schemas::any(seed),
        };
        let mut record = Record::new(&schema);
        random::fill(&mut record, choices.below(256) as u64, Safe::SOAP, 3);
        let plan = Plan::new(&schema, &options).expect("a plan");
        let good = Encoder::new(&plan).encode(&record).expect("a safe message").to_vec();
        let mut document = Document::new(str::from_utf8(&good).expect("UTF-8"));
        for _ in 0..choices.below(4) {
            document.edit(&mut choices);
        }
        let bytes = document.bytes(&mut choices);
        Self { plan, record, good, bytes }
    }

    /// Reads it by the generic path and by the template path, with the templates of the document before the
    /// edits.
    ///
    /// # Panics
    /// If they do not agree, on what is unknown either, or the message does not come back after it is written.
    pub(super) fn read(&self) -> Reach {
        // Some have more fields in one scope than an element may have attributes by default.
        let limits = || Limits { attributes: 1000, ..Limits::default() };
        let mut generic = Decoder::with_limits(&self.plan, limits()).generic();
        let mut lasting = Decoder::with_limits(&self.plan, limits());
        let mut record = Record::new(self.plan.layout());
        let mut other = Record::new(self.plan.layout());
        for decoder in [&mut generic, &mut lasting] {
            decoder.decode(&self.good, &mut other).expect("a good document");
            assert_same(&other, &self.record, &self.good);
        }
        let read = generic.decode(&self.bytes, &mut record);
        for _ in 0..2 {
            assert_eq!(lasting.decode(&self.bytes, &mut other), read, "{}", self.shown());
            assert_eq!(lasting.unknown(), generic.unknown(), "unknown in {}", self.shown());
            if read.is_ok() {
                assert_same(&other, &record, &self.bytes);
            }
        }
        match read {
            Ok(()) => {
                let again = Encoder::new(&self.plan).encode(&record).map(<[u8]>::to_vec);
                let again = again.unwrap_or_else(|error| panic!("{error}: {}", self.shown()));
                lasting.decode(&again, &mut other).expect("it was written");
                let is_same = say_the_same(&self.plan, &record, &other);
                assert!(is_same, "{other:?}\nis not {record:?}\nin {}", again.escape_ascii());
                Reach::Message
            }
            Err(error) if error.path().is_empty() => Reach::Nothing,
            Err(_) => Reach::Field,
        }
    }

    fn shown(&self) -> impl std::fmt::Display {
        self.bytes.escape_ascii()
    }
}

fn options(choices: &mut Choices<'_>) -> Options {
    let styles = [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral];
    let style = styles[choices.below(styles.len())];
    let layout = [Layout::Message, Layout::Operation][choices.below(2)];
    let bits = choices.below(32);
    let [flat, attributes, types, zone, named] = [1, 2, 4, 8, 16].map(|bit| bits & bit != 0);
    let namespace = if named { "urn:x" } else { "" }.into();
    let options = Options::default();
    Options { style, layout, flat, attributes, types, zone, namespace, ..options }
}

/// Not-a-number is no number's equal, so what is printed counts.
#[track_caller]
fn assert_same<T: PartialEq + Debug>(found: &T, expected: &T, bytes: &[u8]) {
    let same = found == expected || format!("{found:?}") == format!("{expected:?}");
    assert!(same, "{found:?}\nis not {expected:?}\nin {}", bytes.escape_ascii());
}
