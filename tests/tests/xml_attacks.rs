//! Hostile documents: each ends in a named error or is parsed, in memory bounded by the limits.

use std::fmt::Write;
use std::fs;

use trunkline_codec::xml::{Error, ErrorKind, Event, Options, Parser, Source, unescape};
use trunkline_message::Limits;
use trunkline_tests::conformance;

/// What a document amounts to: elements, attributes, bytes of text.
#[derive(Debug, Default, PartialEq)]
struct Count {
    elements: usize,
    attributes: usize,
    text: String,
}

fn parse(bytes: &[u8], limits: &Limits) -> Result<Count, Error> {
    let mut source = Source::default();
    let text = source.prepare(bytes, limits)?;
    let mut parser = Parser::new(Options::default(), limits);
    parser.begin(text)?;
    let mut count = Count::default();
    loop {
        match parser.next(text)? {
            Event::Start { .. } => {
                count.elements += 1;
                count.attributes += parser.attributes(text).len();
            }
            Event::Text { raw, .. } => unescape(raw, &mut count.text),
            Event::Eof => return Ok(count),
            _ => {}
        }
    }
}

fn file(name: &str) -> Option<Vec<u8>> {
    let directory = conformance::directory("xml-attacks")?;
    Some(fs::read(directory.join(name)).expect("the file of a case"))
}

/// Limits raised for the one document at hand.
fn raised() -> Limits {
    Limits { depth: 1 << 20, attributes: 1 << 20, ..Limits::default() }
}

#[test]
fn every_file_with_a_doctype_is_rejected_for_it() {
    let names = ["quadratic-blowup", "entity-recursion", "xxe-parameter", "soap-doctype"];
    for name in names {
        let Some(bytes) = file(&format!("{name}.xml")) else { return };
        let expected = Error { kind: ErrorKind::Doctype, offset: 0 };
        assert_eq!(parse(&bytes, &raised()), Err(expected), "{name}");
    }
}

#[test]
fn an_inclusion_is_an_ordinary_element() {
    let Some(bytes) = file("xinclude.xml") else { return };
    let count = Count { elements: 2, attributes: 2, text: String::new() };
    assert_eq!(parse(&bytes, &Limits::default()), Ok(count));
}

#[test]
fn references_by_id_are_only_attributes_here() {
    let Some(bytes) = file("multiref-bomb.xml") else { return };
    let count = parse(&bytes, &Limits::default()).expect("a well-formed document");
    assert!(count.elements < 200, "{count:?}");
}

#[test]
fn the_list_of_attacks_has_not_grown_past_these_tests() {
    let Some(bytes) = file("expect.jsonl") else { return };
    let known = [
        "quadratic-blowup",
        "entity-recursion",
        "xxe-parameter",
        "xinclude",
        "deep-nesting",
        "many-attributes",
        "many-namespaces",
        "charref-flood",
        "soap-doctype",
        "multiref-bomb",
    ];
    for line in String::from_utf8(bytes).expect("text").lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        assert!(known.contains(&case["name"].as_str().expect("a name")), "{line}");
    }
}

#[test]
fn deep_nesting_meets_its_limit_or_is_parsed_without_recursion() {
    let document = ["<a>".repeat(100_000), "</a>".repeat(100_000)].concat();
    assert_eq!(
        parse(document.as_bytes(), &Limits::default()),
        Err(Error { kind: ErrorKind::TooDeep(128), offset: 128 * 3 })
    );
    let count = parse(document.as_bytes(), &raised()).expect("a well-formed document");
    assert_eq!(count.elements, 100_000);
}

#[test]
fn many_attributes_meet_their_limit_or_are_parsed() {
    let mut document = String::from("<a");
    for number in 0..50_000 {
        write!(document, " a{number}=\"\"").unwrap();
    }
    document.push_str("/>");
    let error = parse(document.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooManyAttributes(256));
    assert_eq!(parse(document.as_bytes(), &raised()).map(|count| count.attributes), Ok(50_000));

    let twice = document.replace(" a49999=", " a7=");
    let error = parse(twice.as_bytes(), &raised()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::DuplicateAttribute);
    assert_eq!(error.offset, twice.rfind("a7=").unwrap());
}

#[test]
fn many_namespaces_meet_their_limit_or_are_parsed() {
    let mut document = String::from("<a");
    for number in 0..50_000 {
        write!(document, " xmlns:p{number}=\"u{number}\"").unwrap();
    }
    // Each child asks for the oldest prefix, the worst for a parser that walks them.
    document.push('>');
    document.push_str(&"<p0:b/>".repeat(50_000));
    document.push_str("</a>");
    let error = parse(document.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooManyAttributes(256));
    assert_eq!(parse(document.as_bytes(), &raised()).map(|count| count.elements), Ok(50_001));
}

#[test]
fn a_flood_of_character_references_is_as_long_as_its_text() {
    let document = ["<a>", &"&#65;".repeat(200_000), "</a>"].concat();
    let count = parse(document.as_bytes(), &Limits::default()).expect("a well-formed document");
    assert_eq!(count.text, "A".repeat(200_000));
}
