//! Cases that other toolkits recorded: each document is written as it was read.

use std::collections::BTreeSet;

use trunkline_message::Limits;
use trunkline_soap::graph::Encoder;
use trunkline_tests::seam;
use trunkline_tests::soap_cases::{Case, cases, comparable, exceptions, matches, pairs};

use crate::encode;

/// Suites of JSON lines and folders of documents.
const SUITES: [&str; 10] = [
    "soap11-multiref/messages.jsonl",
    "soap-php/round2-base.jsonl",
    "soap-php/round2-groupb.jsonl",
    "soap-php/round3-groupd.jsonl",
    "soap-php/round3-groupe.jsonl",
    "soap-php/round3-groupf.jsonl",
    "soap-php/round4-grouph.jsonl",
    "soap-php/round4-groupi.jsonl",
    "soap-php/schema.jsonl",
    "soap-php/soap12-testcollection.jsonl",
];
const FOLDERS: [&str; 6] = [
    "soap12-whitemesa/soap12/test-rpc",
    "soap12-whitemesa/soap12/test-doc",
    "soap12-whitemesa/soap12/test-intermediary",
    "soap12-whitemesa/soap12/add-test-rpc",
    "soap12-whitemesa/soap12/add-test-doc-int",
    "soap12-whitemesa/soap12/w3c-soap12-testcollection",
];

fn all() -> Option<Vec<Case>> {
    let mut all = Vec::new();
    for suite in SUITES {
        all.extend(cases(suite)?);
    }
    for folder in FOLDERS {
        all.extend(pairs(folder)?);
    }
    Some(all)
}

/// Documents that are not written as they were read, and why.
const REWRITTEN: &[(&str, &str)] = &[
    (
        "soap11-multiref/messages/graph_nodes_shared_null#request",
        "positions that go without saying",
    ),
    (
        "soap11-multiref/messages/graph_nodes_shared_null#response",
        "positions that go without saying",
    ),
    ("soap-php/soap12-testcollection/T57#request", "a type beside the reference to a typed value"),
];

/// Documents that are rejected, and what the error says of it.
const REJECTED: &[(&str, &str)] = &[
    ("soap-php/round4-grouph/r4_groupH_soapfault_003w#request", "a SOAP 1.1 or 1.2 Envelope"),
    ("soap-php/soap12-testcollection/T24#request", "a SOAP 1.1 or 1.2 Envelope"),
    ("soap-php/soap12-testcollection/T25#request", "document type declarations"),
    ("soap-php/soap12-testcollection/T26#request", "processing instructions are rejected"),
    ("soap-php/soap12-testcollection/T27#request", "text in a value of the type xsd:string"),
    ("soap-php/soap12-testcollection/T56#request", "an element with the id \"data-2\""),
    ("soap-php/soap12-testcollection/T58#request", "text in a value of the type xsd:int"),
    ("soap-php/soap12-testcollection/T61#request", "sizes such as 2 3 or *"),
    ("soap-php/soap12-testcollection/T69#request", "Body"),
    ("soap-php/soap12-testcollection/T70#request", "nothing but the end behind the Body"),
];

#[test]
fn every_document_is_written_as_it_was_read() {
    let Some(cases) = all() else { return };
    let (mut rewritten, mut rejected, mut count) = (BTreeSet::new(), BTreeSet::new(), 0);
    let parts = ["request", "response"];
    for (case, part) in cases.iter().flat_map(|case| parts.map(|part| (case, part))) {
        let document = case.fields.text(part);
        let id = format!("{}#{part}", case.id);
        if document.is_empty() {
            continue;
        }
        let message = match seam::decode(document.as_bytes(), &Limits::default()) {
            Ok(message) => message,
            Err(error) => {
                let known = REJECTED.iter().find(|it| it.0 == id);
                let (_, why) = known.unwrap_or_else(|| panic!("{id} is rejected: {error}"));
                assert!(error.to_string().contains(why), "{id}: {error}");
                rejected.insert(id);
                continue;
            }
        };
        count += 1;
        let independent = case.fields.text("mode") == "default";
        let encoder = Encoder { embedded: !independent, ..Encoder::new(message.version) };
        let after = encode(&message, &encoder);
        let again = seam::decode(after.as_bytes(), &Limits::default()).expect("our own");
        assert!(again.is_same(&message), "{id}: {after}");
        if comparable(document) != comparable(&after) && !independent {
            rewritten.insert(id);
        }
    }
    assert!(count > 400, "only {count} documents");
    let ids = |list: &[(&str, &str)]| list.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!((rewritten, rejected), (ids(REWRITTEN), ids(REJECTED)));
}

#[test]
fn every_exception_is_a_case() {
    let Some(cases) = all() else { return };
    for (pattern, _) in exceptions() {
        assert!(cases.iter().any(|case| matches(&pattern, &case.id)), "no case {pattern}");
    }
}
