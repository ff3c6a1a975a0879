//! Cases that other toolkits recorded, and which of them differ for what reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use trunkline_codec::soap::graph::{self, Encoder};
use trunkline_message::Limits;
use trunkline_tests::conformance;
use trunkline_tests::infoset::{self, Element};

use crate::encode;

/// One case of a suite.
pub(crate) struct Case {
    /// `soap-php/round2-base/r2_base_002p`: folder, file, identifier.
    pub(crate) id: String,
    pub(crate) fields: Fields,
}

/// What a line of a suite says.
pub(crate) struct Fields(Value);

impl Fields {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or("")
    }
}

/// The cases of a suite in JSON lines; none if it is not here.
pub(crate) fn cases(file: &str) -> Option<Vec<Case>> {
    let (folder, name) = file.split_once('/').expect("a folder and a file");
    let text = fs::read_to_string(conformance::directory(folder)?.join(name)).expect("a suite");
    let suite = file.strip_suffix(".jsonl").expect("JSON lines");
    let case = |line: &str| {
        let fields = Fields(serde_json::from_str(line).expect("a case"));
        Case { id: format!("{suite}/{}", fields.text("id")), fields }
    };
    let cases: Vec<Case> = text.lines().map(case).collect();
    assert!(!cases.is_empty(), "{file} has no cases");
    Some(cases)
}

/// The pairs of request and response in a folder of documents, `name-request.xml` and
/// `name-response.xml`.
pub(crate) fn pairs(folder: &str) -> Option<Vec<Case>> {
    let (suite, rest) = folder.split_once('/').expect("a suite and a folder");
    let directory = conformance::directory(suite)?.join(rest);
    let mut cases = Vec::new();
    let mut names: Vec<String> = fs::read_dir(&directory)
        .expect("a folder of documents")
        .map(|entry| entry.expect("a document").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names.iter().filter_map(|name| name.strip_suffix("-request.xml")) {
        let read = |what: &str| {
            let document = directory.join(format!("{name}-{what}.xml"));
            without_variables(&fs::read_to_string(document).unwrap_or_default())
        };
        let fields =
            serde_json::json!({ "request": read("request"), "response": read("response") });
        cases.push(Case { id: format!("{folder}/{name}"), fields: Fields(fields) });
    }
    assert!(!cases.is_empty(), "{folder} has no cases");
    Some(cases)
}

/// The document with a text in place of each variable, an element that stands for any value.
fn without_variables(document: &str) -> String {
    let mut pieces = document.split("<t:value expression=\"${");
    let mut out = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('}').expect("a variable");
        let (_, rest) = rest.split_once("/>").expect("an empty element");
        out.push_str(&format!("the {name}{rest}"));
    }
    out
}

/// Identifiers and reasons. An identifier that ends in `*` stands for all that begin like it; a
/// reason that begins with `services:` is for cases that the test of services answers.
pub(crate) fn exceptions() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/soap-exceptions.txt");
    let text = fs::read_to_string(path).expect("the list of exceptions");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = |line: &str| {
        let (id, reason) = line.split_once('\t').expect("an identifier, a tab, a reason");
        (id.to_owned(), reason.to_owned())
    };
    lines.map(parts).collect()
}

fn matches(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => id.starts_with(start),
        None => id == pattern,
    }
}

/// Is the case left to the test of services?
pub(crate) fn is_for_services(id: &str) -> bool {
    let exceptions = exceptions();
    let mut of_services = exceptions.iter().filter(|it| it.1.starts_with("services:"));
    of_services.any(|(pattern, _)| matches(pattern, id))
}

/// Which cases differ, held against the exceptions.
#[derive(Default)]
pub(crate) struct Differences {
    /// By the case, how its answer differs.
    found: BTreeMap<String, String>,
}

impl Differences {
    pub(crate) fn compare(&mut self, id: &str, expected: &Element, answer: &Element) {
        if expected != answer {
            let (expected, answer) = (expected.lines(), answer.lines());
            let told = format!("{id}: expected\n{expected}but the answer is\n{answer}");
            self.found.insert(id.to_owned(), told);
        }
    }

    /// Every difference is an exception, every exception of these cases a difference.
    pub(crate) fn check(self, cases: &[Case]) {
        let mut wrong = Vec::new();
        let exceptions = exceptions();
        let listed = exceptions.iter().filter(|it| !it.1.starts_with("services:"));
        let listed: Vec<_> = listed.map(|it| &it.0).collect();
        for (id, told) in &self.found {
            if !listed.iter().any(|pattern| matches(pattern, id)) {
                wrong.push(told.clone());
            }
        }
        for case in cases {
            let is_listed = listed.iter().any(|pattern| matches(pattern, &case.id));
            if is_listed && !self.found.contains_key(&case.id) {
                wrong.push(format!("{} is an exception, but it passes", case.id));
            }
        }
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
}

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

/// Ids numbered, the encoding style where all can see it.
pub(crate) fn comparable(document: &str) -> Element {
    let mut envelope = infoset::read(document.as_bytes());
    envelope.lower_encoding_style();
    envelope.number_ids();
    for part in &mut envelope.children {
        part.text.clear();
    }
    envelope
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

/// Documents that are refused, and what the error says of it.
const REFUSED: &[(&str, &str)] = &[
    ("soap-php/round4-grouph/r4_groupH_soapfault_003w#request", "a SOAP 1.1 or 1.2 Envelope"),
    ("soap-php/soap12-testcollection/T24#request", "a SOAP 1.1 or 1.2 Envelope"),
    ("soap-php/soap12-testcollection/T25#request", "document type declarations"),
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
    let (mut rewritten, mut refused, mut count) = (BTreeSet::new(), BTreeSet::new(), 0);
    let parts = ["request", "response"];
    for (case, part) in cases.iter().flat_map(|case| parts.map(|part| (case, part))) {
        let document = case.fields.text(part);
        let id = format!("{}#{part}", case.id);
        if document.is_empty() {
            continue;
        }
        let message = match graph::decode(document.as_bytes(), &Limits::default()) {
            Ok(message) => message,
            Err(error) => {
                let known = REFUSED.iter().find(|it| it.0 == id);
                let (_, why) = known.unwrap_or_else(|| panic!("{id} is refused: {error}"));
                assert!(error.to_string().contains(why), "{id}: {error}");
                refused.insert(id);
                continue;
            }
        };
        count += 1;
        let independent = case.fields.text("mode") == "default";
        let encoder = Encoder { embedded: !independent, ..Encoder::new(message.version) };
        let after = encode(&message, &encoder);
        let again = graph::decode(after.as_bytes(), &Limits::default()).expect("our own");
        assert!(again.is_same(&message), "{id}: {after}");
        if comparable(document) != comparable(&after) && !independent {
            rewritten.insert(id);
        }
    }
    assert!(count > 400, "only {count} documents");
    let ids = |list: &[(&str, &str)]| list.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!((rewritten, refused), (ids(REWRITTEN), ids(REFUSED)));
}

#[test]
fn every_exception_is_a_case() {
    let Some(cases) = all() else { return };
    for (pattern, _) in exceptions() {
        assert!(cases.iter().any(|case| matches(&pattern, &case.id)), "no case {pattern}");
    }
}
