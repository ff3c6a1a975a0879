//! Cases of SOAP that other toolkits recorded, and the list of those that differ from ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::conformance;
use crate::infoset::{self, Element};

/// One case of a suite.
pub struct Case {
    /// `soap-php/round2-base/r2_base_002p`: folder, file, identifier.
    pub id: String,
    /// What the suite has of it.
    pub fields: Fields,
}

/// What a line of a suite says.
pub struct Fields(Value);

impl Fields {
    /// Those of a request and its response.
    pub fn of(request: &str, response: &str) -> Self {
        Self(serde_json::json!({ "request": request, "response": response }))
    }

    /// A field, empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or("")
    }
}

/// The cases of a suite in JSON lines; none if it is not here.
pub fn cases(file: &str) -> Option<Vec<Case>> {
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
pub fn pairs(folder: &str) -> Option<Vec<Case>> {
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
        let fields = Fields::of(&read("request"), &read("response"));
        cases.push(Case { id: format!("{folder}/{name}"), fields });
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
/// reason that begins with `services` is for cases that the test of services answers, and with
/// `services differ:` for those that differ there.
pub fn exceptions() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/soap-exceptions.txt");
    let text = fs::read_to_string(path).expect("the list of exceptions");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = |line: &str| {
        let (id, reason) = line.split_once('\t').expect("an identifier, a tab, a reason");
        (id.to_owned(), reason.to_owned())
    };
    lines.map(parts).collect()
}

/// Does an identifier of the list stand for this one?
pub fn matches(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => id.starts_with(start),
        None => id == pattern,
    }
}

/// Is the case left to the test of services?
pub fn is_for_services(id: &str) -> bool {
    let exceptions = exceptions();
    let mut of_services = exceptions.iter().filter(|it| it.1.starts_with("services"));
    of_services.any(|(pattern, _)| matches(pattern, id))
}

/// Which cases differ, held against the exceptions.
#[derive(Default)]
pub struct Differences {
    /// By the case, how its answer differs.
    found: BTreeMap<String, String>,
}

impl Differences {
    /// Notes whether the answer is as expected.
    pub fn compare(&mut self, id: &str, expected: &Element, answer: &Element) {
        if expected != answer {
            let (expected, answer) = (expected.lines(), answer.lines());
            let told = format!("{id}: expected\n{expected}but the answer is\n{answer}");
            self.found.insert(id.to_owned(), told);
        }
    }

    /// Every difference is an exception, every exception of these cases a difference.
    pub fn check(self, cases: &[Case]) {
        self.check_against(cases, |reason| !reason.starts_with("services"));
    }

    /// The same with the exceptions of services.
    pub fn check_services(self, cases: &[Case]) {
        self.check_against(cases, |reason| reason.starts_with("services differ:"));
    }

    fn check_against(self, cases: &[Case], concerns: impl Fn(&str) -> bool) {
        let mut wrong = Vec::new();
        let exceptions = exceptions();
        let listed = exceptions.iter().filter(|it| concerns(&it.1));
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

/// Ids numbered, the encoding style where all can see it.
pub fn comparable(document: &str) -> Element {
    let mut envelope = infoset::read(document.as_bytes());
    envelope.lower_encoding_style();
    envelope.number_ids();
    for part in &mut envelope.children {
        part.text.clear();
    }
    envelope
}
