//! SOAP over events in memory, and over Fast Infoset, held to SOAP over XML: what one form reads and writes, the
//! others do.

use std::fmt::Debug;

use trunkline_message::{ErrorKind, Limits, Message as Typed, Result};
use trunkline_soap::graph::{self, Encoder, Message};
use trunkline_soap::{self as soap, Fault, Fragment, HeaderBlock, Opened, Plan, Version};

use crate::events::{Events, Recorder};
use crate::fast_infoset::{from_xml, of_xml, plain, with_reader, written as as_fast_infoset};
use crate::infoset::{self, Element};

/// As [`graph::decode`], by both forms.
///
/// # Errors
/// As [`graph::decode`].
///
/// # Panics
/// If they differ.
pub fn decode(document: &[u8], limits: &Limits) -> Result<Message> {
    let read = graph::decode(document, limits);
    if let Ok(events) = Events::of_xml(document, limits) {
        agree(document, &read, &graph::decode_from(&mut events.reader(), limits));
        let other = with_reader(&from_xml(document), limits, |it| graph::decode_from(it, limits));
        agree_unless_rejected(document, &read, &other);
    }
    read
}

/// As [`graph::decode_message`], by both forms.
///
/// # Errors
/// As [`graph::decode_message`].
///
/// # Panics
/// If they differ.
pub fn decode_message<M: Typed + Default + Debug>(
    document: &[u8],
    plan: &Plan,
    limits: &Limits,
    message: &mut M,
) -> Result<usize> {
    let read = graph::decode_message(document, plan, limits, message);
    if let Ok(events) = Events::of_xml(document, limits) {
        let mut other = M::default();
        let by_events = graph::decode_message_from(&mut events.reader(), plan, limits, &mut other);
        agree(document, &read, &by_events);
        let mut third = M::default();
        let by_fast_infoset = with_reader(&from_xml(document), limits, |it| {
            graph::decode_message_from(it, plan, limits, &mut third)
        });
        agree_unless_rejected(document, &read, &by_fast_infoset);
        if read.is_ok() {
            agree(document, &message, &&mut other);
            agree(document, &message, &&mut third);
        }
    }
    read
}

/// As [`Encoder::encode`], by both forms; what was written as events reads as what was written as XML.
///
/// # Errors
/// As [`Encoder::encode`].
///
/// # Panics
/// If they differ.
pub fn encode(encoder: &Encoder, message: &Message) -> Result<Vec<u8>> {
    let written = encoder.encode(message);
    let mut recorder = Recorder::default();
    match (&written, encoder.encode_to(&[], message, &mut recorder)) {
        (Ok(document), Ok(())) => {
            let events = recorder.finish();
            let limits = Limits { depth: encoder.limits.depth + 1, ..Limits::default() };
            let of_xml = Events::of_xml(document, &limits).expect("what was written");
            assert_eq!(events.lines(), of_xml.lines(), "{}", document.escape_ascii());
            let (_, said) = as_fast_infoset(|writer| {
                encoder.encode_to(&[], message, writer).expect("it was written as XML");
            });
            let of_xml = plain(&self::of_xml(document).expect("what was written"));
            assert_eq!(said, of_xml, "{}", document.escape_ascii());
            let again = graph::decode(document, &limits);
            let by_events = graph::decode_from(&mut events.reader(), &limits);
            match (&again, &by_events) {
                (Ok(_), Ok(_)) => agree(document, &again, &by_events),
                // Events are no bytes, so the places in errors differ.
                (again, by_events) => assert_eq!(again.is_ok(), by_events.is_ok()),
            }
        }
        (Err(error), Err(other)) => assert_eq!(error.kind(), other.kind()),
        // The limit of bytes.
        (Err(error), Ok(())) => {
            assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
        }
        (Ok(document), Err(error)) => panic!("{error}: {}", document.escape_ascii()),
    }
    written
}

/// As [`soap::open`], by both forms.
///
/// # Errors
/// As [`soap::open`].
///
/// # Panics
/// If they differ.
pub fn open(document: &[u8], limits: &Limits) -> Result<Opened> {
    let read = soap::open(document, limits);
    if let Ok(events) = Events::of_xml(document, limits) {
        let by_events = soap::open_from(&mut events.reader(), limits);
        let blocks = |opened: &Result<Opened>| -> Vec<(HeaderBlock, Element)> {
            let blocks = opened.iter().flat_map(|it| &it.header);
            blocks.map(|it| (without_content(it), content(&it.content))).collect()
        };
        agree(document, &blocks(&read), &blocks(&by_events));
        let third = with_reader(&from_xml(document), limits, |it| soap::open_from(it, limits));
        if read.is_ok() {
            agree(document, &blocks(&read), &blocks(&third));
        }
        let rest = |opened: &Result<Opened>| {
            opened.clone().map(|it| Opened { header: Vec::new(), place: None, ..it })
        };
        agree(document, &rest(&read), &rest(&by_events));
        agree_unless_rejected(document, &rest(&read), &rest(&third));
    }
    read
}

/// As [`Fault::decode`], by both forms; what is read is written by both forms, too.
///
/// # Errors
/// As [`Fault::decode`].
///
/// # Panics
/// If they differ.
pub fn fault(document: &[u8], limits: &Limits) -> Result<Fault> {
    let read = Fault::decode(document, limits);
    if let Ok(events) = Events::of_xml(document, limits) {
        agree_on_faults(document, &read, &Fault::decode_from(&mut events.reader(), limits));
        let third = with_reader(&from_xml(document), limits, |it| Fault::decode_from(it, limits));
        if read.is_ok() {
            agree_on_faults(document, &read, &third);
        }
    }
    if let Ok(fault) = &read {
        for version in [Version::Soap11, Version::Soap12] {
            let mut recorder = Recorder::default();
            fault.encode_to(&[], version, &mut recorder);
            let (events, document) = (recorder.finish(), fault.encode(version));
            let of_xml = Events::of_xml(&document, &Limits::default()).expect("a fault of ours");
            assert_eq!(events.lines(), of_xml.lines(), "{}", document.escape_ascii());
            let again = Fault::decode_from(&mut events.reader(), limits);
            let read_again = Fault::decode(&document, limits);
            agree_on_faults(&document, &read_again, &again);
            let (bytes, said) = as_fast_infoset(|writer| fault.encode_to(&[], version, writer));
            assert_eq!(said, plain(&self::of_xml(&document).expect("a fault of ours")));
            let third = with_reader(&bytes, limits, |it| Fault::decode_from(it, limits));
            agree_on_faults(&document, &read_again, &third);
        }
    }
    read
}

fn agree_on_faults(document: &[u8], one: &Result<Fault>, other: &Result<Fault>) {
    let detail = |fault: &Result<Fault>| -> Vec<Element> {
        fault.iter().flat_map(|it| &it.detail).map(content).collect()
    };
    agree(document, &detail(one), &detail(other));
    let rest = |fault: &Result<Fault>| {
        let mut fault = fault.clone();
        fault.iter_mut().for_each(|it| it.detail.clear());
        fault
    };
    agree(document, &rest(one), &rest(other));
}

/// As [`agree`], of what is read. Errors differ: a document in other bytes has other places, and no references to
/// characters and no sections, which are text where white space is none.
fn agree_unless_rejected<T: Debug>(document: &[u8], by_xml: &Result<T>, other: &Result<T>) {
    if by_xml.is_ok() {
        agree(document, by_xml, other);
    }
}

fn without_content(block: &HeaderBlock) -> HeaderBlock {
    let content = Fragment::text(&soap::QName::new("", "x"), "").expect("a name");
    HeaderBlock { content, ..block.clone() }
}

/// What a fragment says: the forms declare prefixes in other ways.
fn content(fragment: &Fragment) -> Element {
    infoset::read(fragment.as_str().as_bytes())
}

/// Not all of these can be compared, but all can be shown.
fn agree<T: Debug>(document: &[u8], by_xml: &T, by_events: &T) {
    let [by_xml, by_events] = [by_xml, by_events].map(|it| format!("{it:#?}"));
    assert!(
        by_xml == by_events,
        "as XML {by_xml}\nas events {by_events}\nin {}",
        document.escape_ascii()
    );
}
