//! The W3C XML conformance suite, as far as it says something about a parser that rejects DTDs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use trunkline_codec::xml::{Error, ErrorKind, Event, Options, Parser, Source};
use trunkline_message::Limits;
use trunkline_tests::conformance;
use trunkline_tests::skip::skip;

/// Rejected, or accepted.
type Verdict = Result<(), Error>;

fn parse(bytes: &[u8], options: Options) -> Verdict {
    let limits = Limits::default();
    let mut source = Source::default();
    let text = source.prepare(bytes, &limits)?;
    parse_text(text, options)
}

fn parse_text(text: &str, options: Options) -> Verdict {
    let mut parser = Parser::new(options, &Limits::default());
    parser.begin(text)?;
    while parser.next(text)? != Event::Eof {}
    Ok(())
}

/// The directory that the manifest's paths start from.
fn suite() -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fetch-xmlconf");
    let reason = match Command::new(&script).output() {
        Ok(output) if output.status.success() => {
            let path = String::from_utf8(output.stdout).expect("a path in UTF-8");
            return Some(PathBuf::from(path.trim_end()));
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "),
        Err(cause) => cause.to_string(),
    };
    skip(&format!(
        "the XML suite of the W3C is not there: tests/fetch-xmlconf could not fetch it with npm: {reason}"
    ));
    None
}

/// Identifiers and reasons, one a line.
fn exceptions() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/xmlconf-exceptions.txt");
    let text = fs::read_to_string(path).expect("the list of exceptions");
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (id, reason) = line.split_once(' ').expect("an identifier and a reason");
            (id.to_string(), reason.trim().to_string())
        })
        .collect()
}

fn manifest(directory: &Path) -> Vec<Value> {
    let text = fs::read_to_string(directory.join("manifest.jsonl")).expect("the manifest");
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

fn field<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().unwrap_or("")
}

/// Cases about XML 1.1, Namespaces 1.1 and the names of older editions say nothing about us.
fn applies(case: &Value) -> bool {
    let edition = field(case, "edition");
    (edition.is_empty() || edition.contains('5'))
        && !field(case, "recommendation").ends_with("1.1")
        && field(case, "version") != "1.1"
        && field(case, "type") != "error"
}

fn options(case: &Value) -> Options {
    Options { namespaces: field(case, "namespace") != "no", ..Options::default() }
}

/// Whether a DOCTYPE stands before the root, whatever the encoding.
fn has_doctype(bytes: &[u8]) -> bool {
    let ascii: String = bytes.iter().filter(|&&byte| byte != 0).map(|&it| char::from(it)).collect();
    let mut rest = ascii.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ => return rest.starts_with("<!DOCTYPE"),
        };
        let Some(length) = rest.find(end) else { return false };
        rest = &rest[length..];
    }
    false
}

/// What is wrong with our verdict on a case, if anything.
fn difference(case: &Value, bytes: &[u8]) -> Option<String> {
    let verdict = parse(bytes, options(case));
    match (field(case, "type"), has_doctype(bytes), verdict) {
        ("not-wf", _, Ok(())) => Some("accepted, should be rejected".to_string()),
        ("not-wf", ..) => None,
        (_, true, Err(Error { kind: ErrorKind::Doctype, .. })) => None,
        (_, true, Ok(())) => Some("accepted in spite of its DOCTYPE".to_string()),
        (_, true, Err(error)) => Some(format!("rejected for another reason than DOCTYPE: {error}")),
        (_, false, Ok(())) => None,
        (_, false, Err(error)) => Some(format!("rejected, should be accepted: {error}")),
    }
}

#[test]
fn verdicts_agree_with_the_suite() {
    let Some(directory) = conformance::directory("xmlconf") else { return };
    let Some(suite) = suite() else { return };
    let exceptions = exceptions();
    let mut unexpected = Vec::new();
    let mut differing = BTreeSet::new();
    let (mut judged, mut left_out) = (0, 0);
    for case in manifest(&directory) {
        if !applies(&case) {
            left_out += 1;
            continue;
        }
        judged += 1;
        let bytes = fs::read(suite.join(field(&case, "path"))).expect("the file of a case");
        let id = field(&case, "id").to_string();
        if let Some(difference) = difference(&case, &bytes) {
            if !exceptions.contains_key(&id) {
                unexpected.push(format!("{id} ({}): {difference}", field(&case, "path")));
            }
            differing.insert(id);
        }
    }
    println!("{judged} judged, {left_out} left out, {} exceptions", differing.len());
    assert!(judged > 1000, "the manifest has shrunk to {judged} cases that apply");
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    let stale: Vec<_> = exceptions.keys().filter(|id| !differing.contains(*id)).collect();
    assert!(stale.is_empty(), "exceptions that do not differ: {stale:?}");
}

/// The suite has hardly any valid document without a DOCTYPE, but many whose DOCTYPE only serves
/// validity. Without it they must be accepted, and so must the canonical outputs.
#[test]
fn valid_documents_are_accepted_once_their_doctype_is_cut_out() {
    let Some(directory) = conformance::directory("xmlconf") else { return };
    let Some(suite) = suite() else { return };
    let limits = Limits::default();
    let mut source = Source::default();
    let mut accepted = 0;
    let mut rejected = Vec::new();
    for case in manifest(&directory) {
        if !applies(&case) || field(&case, "type") == "not-wf" {
            continue;
        }
        let path = suite.join(field(&case, "path"));
        for path in std::iter::once(path).chain(output(&suite, &case)) {
            let bytes = fs::read(&path).expect("the file of a case");
            let Ok(text) = source.prepare(&bytes, &limits) else { continue };
            let Some(text) = without_doctype(text).filter(|text| self_contained(text)) else {
                continue;
            };
            match parse_text(&text, options(&case)) {
                Ok(()) => accepted += 1,
                Err(error) => rejected.push(format!("{}: {error}", path.display())),
            }
        }
    }
    println!("{accepted} accepted");
    assert!(accepted > 500, "only {accepted} documents were judged");
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}

/// The canonical output of a case.
fn output(suite: &Path, case: &Value) -> Option<PathBuf> {
    let output = case["output"].as_str()?;
    let path = Path::new(field(case, "path"));
    let contributor: PathBuf = path.components().take(2).collect();
    [contributor.as_path(), path.parent()?]
        .iter()
        .map(|base| suite.join(base).join(output))
        .find(|path| path.is_file())
}

/// Whether every reference is to a character or a predefined entity.
fn self_contained(text: &str) -> bool {
    let known = ["#", "lt;", "gt;", "amp;", "apos;", "quot;"];
    text.split('&').skip(1).all(|after| known.iter().any(|name| after.starts_with(name)))
}

/// The document without its DOCTYPE; `None` if the end of that is not found.
fn without_doctype(text: &str) -> Option<String> {
    let Some(start) = text.find("<!DOCTYPE") else { return Some(text.to_string()) };
    let mut at = start + 9;
    let mut inside = false;
    loop {
        let rest = &text[at..];
        let skipped = match rest.chars().next()? {
            quote @ ('"' | '\'') => rest[1..].find(quote)? + 2,
            '<' if rest.starts_with("<!--") => rest.find("-->")? + 3,
            '<' if rest.starts_with("<?") => rest.find("?>")? + 2,
            '[' => {
                inside = true;
                1
            }
            ']' => {
                inside = false;
                1
            }
            '>' if !inside => return Some([&text[..start], &rest[1..]].concat()),
            other => other.len_utf8(),
        };
        at += skipped;
    }
}
