//! Every path to read one SOAP document, held to one answer.

use std::fmt::Debug;
use std::sync::Arc;

use trunkline_message::{
    Error, ErrorKind, Holds, Kind, Limits, Message, Record, Result, Scope, Structure,
    UnknownContent,
};
use trunkline_soap::{Decoder, Encoder, Plan};

use crate::events::{Events, Recorder};

/// Reads documents of one plan by every path at once.
#[derive(Debug)]
pub struct Paths<M> {
    plan: Arc<Plan>,
    limits: Limits,
    /// Read every document so far: they have templates of envelopes, and read into used memory.
    lasting: Decoder,
    message: M,
    lasting_generic: Decoder,
    /// As `lasting`, but rejects what is unknown.
    strict: Decoder,
    record: Record,
    unknown: usize,
}

impl<M: Structure + Message + Clone + Debug + PartialEq> Paths<M> {
    /// For this plan, which is of the schema of `M`.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self::with_limits(plan, &Limits::default())
    }

    /// With limits other than the default.
    pub fn with_limits(plan: &Arc<Plan>, limits: &Limits) -> Self {
        let decoder = || Decoder::with_limits(plan, limits.clone());
        Self {
            plan: plan.clone(),
            limits: limits.clone(),
            lasting: decoder(),
            message: M::empty(),
            lasting_generic: decoder().generic(),
            strict: decoder().on_unknown(UnknownContent::Reject),
            record: Record::new(M::layout()),
            unknown: 0,
        }
    }

    /// How many elements of the document read last its schema does not know, also if it was rejected.
    pub fn unknown(&self) -> usize {
        self.unknown
    }

    fn agree_on_unknown(&self, path: &str, bytes: &[u8], found: usize) {
        let shown = bytes.escape_ascii();
        assert!(
            found == self.unknown,
            "{path} counts {found} unknown elements, not {} in {shown}",
            self.unknown
        );
    }

    /// The message that the bytes are, or why they are none.
    ///
    /// # Errors
    /// The decoder's.
    ///
    /// # Panics
    /// If one path gives another message or error than another, or counts other unknown elements, or what is
    /// unknown is not rejected where it should be; if the message, written anew, does not read as the same.
    pub fn read(&mut self, bytes: &[u8]) -> Result<M> {
        let decoder = || Decoder::with_limits(&self.plan, self.limits.clone());
        let mut message = M::empty();
        let mut generic = decoder().generic();
        let read = generic.decode(bytes, &mut message);
        let expected = read.map(|()| message.clone());
        self.unknown = generic.unknown();

        let mut fresh = M::empty();
        let mut by_tags = decoder();
        let read = by_tags.decode(bytes, &mut fresh);
        agree("the fast path", bytes, &expected, read.map(|()| &fresh));
        self.agree_on_unknown("the fast path", bytes, by_tags.unknown());
        for time in ["", ", by templates"] {
            let read = self.lasting.decode(bytes, &mut self.message);
            let path = format!("the decoder of all documents{time}");
            agree(&path, bytes, &expected, read.map(|()| &self.message));
            self.agree_on_unknown(&path, bytes, self.lasting.unknown());
        }
        let expected_record = match &expected {
            Ok(message) => Ok(Record::from_message(message)),
            Err(error) => Err(error.clone()),
        };
        let read = self.lasting.decode(bytes, &mut self.record);
        agree("a record", bytes, &expected_record, read.map(|()| &self.record));
        let read = self.lasting_generic.decode(bytes, &mut self.record);
        agree("a record, the generic path", bytes, &expected_record, read.map(|()| &self.record));

        self.read_events(bytes, &expected);
        self.reject(bytes, &expected);
        if expected.is_ok() {
            let mut encoder = Encoder::new(&self.plan);
            let again = encoder.encode(&message).expect("what was read can be written");
            let read = Decoder::new(&self.plan).decode(again, &mut fresh);
            let mut recorder = Recorder::default();
            let written = Encoder::new(&self.plan).encode_to("", &message, &mut recorder);
            written.expect("what was written as XML");
            let lax = Limits { attributes: 1 << 16, ..Limits::default() };
            let events = Events::of_xml(again, &lax).expect("what was written");
            assert_eq!(recorder.finish().lines(), events.lines(), "{}", again.escape_ascii());
            let is_same = read.is_ok() && say_the_same(&self.plan, &message, &fresh);
            let read = read.map(|()| if is_same { &message } else { &fresh });
            agree("the message written anew", again, &expected, read);
        }
        expected
    }

    /// Reads a document as events in memory: so it says the same, though in other places.
    fn read_events(&mut self, bytes: &[u8], expected: &Result<M>) {
        let Ok(events) = Events::of_xml(bytes, &self.limits) else { return };
        let decoder = || Decoder::with_limits(&self.plan, self.limits.clone());
        let (mut by_events, mut message) = (decoder(), M::empty());
        let read = by_events.decode_from(&mut events.reader(), &mut message);
        let same_place = |error: Error| match expected {
            Err(expected) if (expected.kind(), expected.path()) == (error.kind(), error.path()) => {
                expected.clone()
            }
            _ => error,
        };
        let read = match expected {
            Ok(expected) if read.is_ok() && say_the_same(&self.plan, expected, &message) => {
                Ok(expected)
            }
            _ => read.map(|()| &message).map_err(same_place),
        };
        agree("events", bytes, expected, read);
        self.agree_on_unknown("events", bytes, by_events.unknown());
    }

    /// Reads a document by decoders that reject what is unknown: they do, and all with one error.
    fn reject(&mut self, bytes: &[u8], counted: &Result<M>) {
        let strict = || {
            Decoder::with_limits(&self.plan, self.limits.clone()).on_unknown(UnknownContent::Reject)
        };
        let mut message = M::empty();
        let rejected = strict().generic().decode(bytes, &mut message);
        let is_rejection = |error: &Error| *error.kind() == ErrorKind::Unknown;
        match &rejected {
            Err(error) if is_rejection(error) => {
                let (at, shown) = (error.offset(), bytes.escape_ascii());
                // A document that is read again, as a graph, may break before it comes to that.
                let counts = self.unknown > 0 || counted.is_err();
                assert!(counts, "{error}, but nothing is unknown in {shown}");
                assert!(at < bytes.len() && !error.path().is_empty(), "{error} in {shown}");
            }
            _ => {
                agree("the path that rejects", bytes, counted, rejected.clone().map(|()| &message))
            }
        }
        let taken = rejected.is_ok();
        assert!(!taken || self.unknown == 0, "not rejected: {}", bytes.escape_ascii());
        let expected = rejected.map(|()| message);
        let mut fresh = M::empty();
        let read = strict().decode(bytes, &mut fresh);
        agree("the fast path that rejects", bytes, &expected, read.map(|()| &fresh));
        for time in ["", " again"] {
            let read = self.strict.decode(bytes, &mut fresh);
            let path = format!("the decoder of all documents that rejects{time}");
            agree(&path, bytes, &expected, read.map(|()| &fresh));
        }
    }
}

/// Do two messages say the same? Content of any shape is an element as text, for which forms have other
/// words: other declarations, quotes and references to characters.
pub fn say_the_same<M: Message + PartialEq + Debug>(plan: &Arc<Plan>, one: &M, other: &M) -> bool {
    if one == other || format!("{one:?}") == format!("{other:?}") {
        return true;
    }
    let layout = one.message_layout();
    let has_any = |scope: &Scope| scope.fields.iter().any(|it| it.holds == Holds::Value(Kind::Any));
    if !layout.scopes().iter().any(has_any) {
        return false;
    }
    let lax = Limits { attributes: 1 << 16, ..Limits::default() };
    let [one, other] = [one, other].map(|message| {
        let mut encoder = Encoder::new(plan);
        let events = encoder.encode(message).and_then(|bytes| Events::of_xml(bytes, &lax));
        events.ok().map(|it| it.lines())
    });
    one.is_some() && one == other
}

/// Not-a-number is no number's equal, so what is printed counts too.
fn agree<T: PartialEq + Debug>(path: &str, bytes: &[u8], expected: &Result<T>, found: Result<&T>) {
    let same = match (expected, &found) {
        (Ok(expected), Ok(found)) => {
            expected == *found || format!("{expected:?}") == format!("{found:?}")
        }
        (Err(expected), Err(found)) => expected == found,
        _ => false,
    };
    assert!(
        same,
        "{path} differs\nexpected {expected:?}\nfound    {found:?}\nin {}",
        bytes.escape_ascii()
    );
}
