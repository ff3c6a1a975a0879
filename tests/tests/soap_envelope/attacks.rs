//! Hostile documents: each is opened, or ends in a named error, in memory bounded by the limits.

use std::fmt::Write;
use std::fs;

use trunkline_message::{Limits, Result};
use trunkline_random::Random;
use trunkline_soap::{self as soap, Fault, Roles};
use trunkline_tests::{conformance, fuzz};

use crate::{SOAP11, SOAP12, envelope};

/// As each of the three who read documents sees it.
fn read(bytes: &[u8], limits: &Limits) -> [Result<()>; 3] {
    let roles = Roles::intermediary(&[]);
    [
        soap::open(bytes, limits).map(drop),
        Fault::decode(bytes, limits).map(drop),
        soap::forward(bytes, limits, &roles, &|_| false, &[]).map(drop),
    ]
}

#[track_caller]
fn all_reject(bytes: &[u8], limits: &Limits, expected: &str) {
    for result in read(bytes, limits) {
        let error = result.expect_err("a document that is rejected").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn every_kept_attack_is_rejected() {
    let Some(directory) = conformance::directory("xml-attacks") else { return };
    for (name, expected) in [
        ("quadratic-blowup", "document type declarations are rejected"),
        ("entity-recursion", "document type declarations are rejected"),
        ("xxe-parameter", "document type declarations are rejected"),
        ("soap-doctype", "document type declarations are rejected"),
        ("xinclude", "expected an Envelope of"),
    ] {
        let bytes = fs::read(directory.join(format!("{name}.xml"))).unwrap();
        all_reject(&bytes, &Limits::default(), expected);
    }
    // References by id are attributes like others here.
    let bytes = fs::read(directory.join("multiref-bomb.xml")).unwrap();
    let [opened, fault, forwarded] = read(&bytes, &Limits::default());
    assert!(opened.is_ok() && forwarded.is_ok());
    assert!(fault.unwrap_err().to_string().ends_with("expected a Fault in the Body"));
}

/// In a header block and in the detail of a fault, where a document is copied.
fn with(inside: &str) -> [String; 2] {
    [
        envelope(
            SOAP12,
            &format!("<S:Header><a>{inside}</a></S:Header><S:Body><S:Fault/></S:Body>"),
        ),
        envelope(SOAP11, &format!("<S:Body><S:Fault><detail>{inside}</detail></S:Fault></S:Body>")),
    ]
}

#[test]
fn deep_nesting_meets_its_limit_or_is_copied_without_recursion() {
    let deep = ["<a>".repeat(100_000), "</a>".repeat(100_000)].concat();
    let raised = Limits { depth: 1 << 20, ..Limits::default() };
    let [header, detail] = with(&deep);
    all_reject(header.as_bytes(), &Limits::default(), "elements nest deeper than depth = 128");
    assert!(Fault::decode(detail.as_bytes(), &Limits::default()).is_err());
    assert_eq!(soap::open(header.as_bytes(), &raised).unwrap().header.len(), 1);
    assert_eq!(Fault::decode(detail.as_bytes(), &raised).unwrap().detail.len(), 1);
}

#[test]
fn many_attributes_and_declarations_meet_their_limit_or_are_copied() {
    for what in ["a", "xmlns:a"] {
        let mut tag = String::from("<b");
        for number in 0..50_000 {
            write!(tag, " {what}{number}=\"u{number}\"").unwrap();
        }
        tag.push_str("/>");
        let [header, detail] = with(&tag);
        all_reject(header.as_bytes(), &Limits::default(), "attributes = 256");
        let raised = Limits { attributes: 1 << 20, ..Limits::default() };
        assert!(read(header.as_bytes(), &raised).into_iter().all(|it| it.is_ok()));
        assert_eq!(Fault::decode(detail.as_bytes(), &raised).unwrap().detail.len(), 1);
    }
}

/// Every entry takes a copy of what is declared around it.
#[test]
fn declarations_are_not_multiplied_beyond_the_limit() {
    let long = "u".repeat(10_000);
    for (around, block) in
        [(format!(" xmlns:p=\"{long}\""), "<p:a/>"), (format!(" xmlns=\"{long}\""), "<a/>")]
    {
        let limits = Limits { message_bytes: 1 << 20, ..Limits::default() };
        let blocks = block.repeat(2_000);
        let header = format!("<S:Header{around}>{blocks}</S:Header><S:Body><S:Fault/></S:Body>");
        let expected = "more than the limit message_bytes = 1048576 allows";
        all_reject(envelope(SOAP12, &header).as_bytes(), &limits, expected);
        let detail =
            format!("<S:Body><S:Fault><detail{around}>{blocks}</detail></S:Fault></S:Body>");
        let error = Fault::decode(envelope(SOAP11, &detail).as_bytes(), &limits).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
    let limits = Limits { entries: 10, ..Limits::default() };
    let header = format!("<S:Header>{}</S:Header><S:Body/>", "<a/>".repeat(11));
    all_reject(envelope(SOAP11, &header).as_bytes(), &limits, "the limit entries = 10");
}

/// All of these take time by the length of the document, or the test would not end.
#[test]
fn long_values_are_read_once() {
    let colons = "n:".repeat(500_000);
    let references = "&#65;".repeat(200_000);
    let comments = "<!---->x".repeat(200_000);
    for inside in [colons, references, comments] {
        for document in with(&inside) {
            let [opened, fault, forwarded] = read(document.as_bytes(), &Limits::default());
            assert!(opened.is_ok() && fault.is_ok() && forwarded.is_ok());
        }
        let code = format!("<S:Body><S:Fault><faultcode>{inside}</faultcode></S:Fault></S:Body>");
        assert!(Fault::decode(envelope(SOAP11, &code).as_bytes(), &Limits::default()).is_ok());
    }
}

#[test]
fn edited_documents_keep_the_promises() {
    for document in fuzz::ENVELOPES {
        fuzz::envelope(&[&[0], document.as_bytes()].concat());
        assert!(soap::open(document.as_bytes(), &Limits::default()).is_ok(), "{document}");
    }
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let length = 8 + random.index(64);
        let mut data = random.bytes(length);
        data[0] |= 1;
        fuzz::envelope(&data);
    }
}
