//! Vocabularies that documents begin with, as they are written.

use trunkline_codec::fast_infoset::{
    ExternalVocabulary, Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_codec::infoset::{Event, Name, Reader as _, Tag as _, Writer as _};
use trunkline_message::Limits;

const LONG: &str = "a text that is longer than what becomes an entry";

fn vocabulary() -> ExternalVocabulary {
    ExternalVocabulary::default()
        .prefix("p")
        .namespace("urn:p")
        .local_name("a")
        .attribute_value("true")
        .text("USD")
        .text(LONG)
        .element("p", "urn:p", "a")
        .element("", "", "b")
        .attribute("", "", "c")
}

fn a() -> Name<'static> {
    Name { prefix: "p", namespace: "urn:p", local: "a" }
}

/// An element with an attribute and a text.
fn write(writer: &mut Writer, text: &str) -> Vec<u8> {
    writer.begin();
    writer.start(a());
    writer.declare("p", "urn:p");
    writer.attribute(Name { prefix: "", namespace: "", local: "c" }, "true");
    writer.text(text);
    writer.end();
    writer.finish().expect("a document").to_vec()
}

fn read(parser: &mut Parser, document: &[u8]) -> String {
    let mut reader = Reader::begin(parser, document).expect("a document");
    let mut text = String::new();
    loop {
        match reader.next().expect("a document") {
            Event::Start(name) => assert_eq!(reader.local(name), "a"),
            Event::Text(it) => text.push_str(&reader.value(it)),
            Event::End => {}
            Event::Eof => return text,
        }
    }
}

fn stateless() -> Writer {
    Writer::stateless(WriterOptions::default())
}

fn retaining() -> Writer {
    Writer::retaining(WriterOptions::default())
}

fn parser(retains: bool) -> Parser {
    let (options, limits) = (Options::soap(), Limits::default());
    match retains {
        true => Parser::retaining(options, &limits, VocabularyLimits::default()),
        false => Parser::stateless(options, &limits),
    }
}

/// What the element is when all of it is indexes: declarations, name, attribute, text and ends.
const INDEXES: &[u8] = b"\x78\xcf\x81\x81\xf0\x00\x00\x80\xf0\xa0\xff";

#[test]
fn an_external_vocabulary_is_a_uri_and_its_entries_are_indexes_from_the_first_document_on() {
    let mut writer = stateless().with_external("urn:v", &vocabulary()).expect("a vocabulary");
    let expected = [b"\xe0\0\0\x01\x20\x10\0\x04urn:v", INDEXES].concat();
    let mut parser = parser(false).with_external("urn:v", vocabulary());
    for text in ["USD", LONG, "EUR", "USD"] {
        let document = write(&mut writer, text);
        assert_eq!(read(&mut parser, &document), text);
        assert_eq!(writer.vocabulary_size(), parser.vocabulary_size());
        if text == "USD" {
            assert_eq!(document, expected, "{}", document.escape_ascii());
        }
    }
}

#[test]
fn an_initial_vocabulary_is_stated_before_the_content() {
    let mut writer = stateless().with_initial(&vocabulary()).expect("a vocabulary");
    let document = write(&mut writer, "USD");
    // Prefixes, namespaces, local names, values of attributes, texts, names of elements and of attributes; the names "b"
    // and "c" stand behind the one that was added as such.
    let tables = [
        &b"\0\0p"[..],
        b"\0\x04urn:p",
        b"\x02\0a\0b\0c",
        b"\0\x03true",
        b"\x01\x02USD\x08\x27",
        LONG.as_bytes(),
        b"\x01\x03\x01\x01\0\0\x01",
        b"\0\0\x02",
    ]
    .concat();
    let expected = [&b"\xe0\0\0\x01\x20\x03\x9b"[..], &tables, INDEXES].concat();
    assert_eq!(document.escape_ascii().to_string(), expected.escape_ascii().to_string());
    for retains in [false, true] {
        assert_eq!(read(&mut parser(retains), &document), "USD");
    }
}

#[test]
fn the_first_document_of_a_sequence_states_it_and_again_if_that_was_never_finished() {
    let uri = b"urn:v";
    let states = |document: &[u8]| document.windows(uri.len()).any(|it| it == uri);
    let mut writer = retaining().with_external("urn:v", &vocabulary()).expect("a vocabulary");
    let mut parser = parser(true).with_external("urn:v", vocabulary());
    writer.begin();
    writer.start(Name { prefix: "", namespace: "", local: "never" });
    for (number, text) in ["EUR", "USD", "EUR"].into_iter().enumerate() {
        let document = write(&mut writer, text);
        assert_eq!(states(&document), number == 0, "{}", document.escape_ascii());
        assert_eq!(read(&mut parser, &document), text);
        assert_eq!(writer.vocabulary_size(), parser.vocabulary_size());
    }
}

#[test]
fn tables_may_be_long_and_of_what_ours_never_refers_to() {
    let mut vocabulary = ExternalVocabulary::default().other_name("n").other_uri("urn:o");
    vocabulary = vocabulary.other_string(&"s".repeat(1000));
    for number in 0..5000 {
        vocabulary = vocabulary.text(&format!("text {number}"));
    }
    let mut writer = retaining().with_initial(&vocabulary).expect("a vocabulary");
    let mut parser = parser(true);
    for text in ["text 4999", "another", "text 0"] {
        assert_eq!(read(&mut parser, &write(&mut writer, text)), text);
        assert_eq!(writer.vocabulary_size(), parser.vocabulary_size());
    }
}

#[test]
fn what_no_document_could_state_is_an_error() {
    let none = ExternalVocabulary::default;
    for (vocabulary, why) in [
        (none().text("a").text("a"), "twice"),
        (none().prefix("xml"), "twice"),
        (none().element("", "", "a").element("", "", "a"), "twice"),
        (none().attribute_value(""), "empty"),
        (none().element("", "", ""), "empty"),
        (none().local_name("a b"), "no name"),
        (none().element("p", "", "a"), "not declared"),
    ] {
        for writer in
            [stateless().with_initial(&vocabulary), retaining().with_external("urn:v", &vocabulary)]
        {
            let error = writer.expect_err(why).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
    stateless().with_external("", &none()).expect_err("no URI");
}
