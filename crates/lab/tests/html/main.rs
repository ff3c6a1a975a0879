//! The page of a record: well-formed, alone, and as true as the rows.

mod fixture;

use std::fs;
use std::path::Path;

use trunkline_codec::xml::{Event, Options, Parser, Source};
use trunkline_lab::html;
use trunkline_lab::kohlhoff::report::Report;
use trunkline_lab::record::Record;
use trunkline_message::Limits;

/// The record of sizes and codecs that comes with the project.
fn recorded() -> Record {
    let file = "../../records/2026-11-20-kohlhoff-2004-size-codec.jsonl";
    Record::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a record")
}

fn page(record: &Record) -> String {
    html::page(record, &Report::of(record))
}

/// Keeps the page where it can be looked at.
fn keep(page: &str, name: &str) {
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), page).expect("a file");
}

/// Every element with its attributes, unescaped; fails where the text is not XML.
fn elements(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let text = text.strip_prefix("<!DOCTYPE html>\n").unwrap_or(text);
    let limits = Limits { message_bytes: 64 << 20, ..Limits::default() };
    let mut source = Source::default();
    let text = source.prepare(text.as_bytes(), &limits).expect("text");
    let mut parser = Parser::new(Options::default(), &limits);
    parser.begin(text).expect("a document");
    let mut found = Vec::new();
    loop {
        match parser.next(text).unwrap_or_else(|error| panic!("{error}")) {
            Event::Start { name, .. } => {
                let name = name.local().to_owned();
                let attributes = parser
                    .attributes(text)
                    .map(|attribute| (attribute.name.local().to_owned(), attribute.raw.to_owned()))
                    .collect();
                found.push((name, attributes));
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn the_page_of_the_record_is_well_formed() {
    let page = page(&recorded());
    keep(&page, "record.html");
    let elements = elements(&page);
    assert!(elements.iter().filter(|(name, _)| name == "svg").count() > 10);
}

#[test]
fn the_page_of_every_case_is_well_formed() {
    let page = page(&fixture::record(7));
    keep(&page, "every-case.html");
    let elements = elements(&page);
    assert!(elements.iter().filter(|(name, _)| name == "svg").count() > 50);
}
