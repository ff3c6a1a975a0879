//! Which values a sender adds to a vocabulary that is retained.

mod numbers;

use std::collections::HashMap;

use trunkline_codec::fast_infoset::{
    Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_codec::infoset::{Event, Name, Reader as _, Tag as _, Writer as _};
use trunkline_message::Limits;

use numbers::Numbers;

/// A document with each text in an element.
fn write(writer: &mut Writer, texts: &[String]) -> Vec<u8> {
    let name = |local| Name { prefix: "", namespace: "", local };
    writer.begin();
    writer.start(name("texts"));
    for text in texts {
        writer.start(name("text"));
        writer.text(text);
        writer.end();
    }
    writer.end();
    writer.finish().expect("a document").to_vec()
}

fn read(parser: &mut Parser, document: &[u8]) -> Vec<String> {
    let mut reader = Reader::begin(parser, document).expect("a document");
    let mut texts = Vec::new();
    loop {
        match reader.next().expect("a document") {
            Event::Text(text) => texts.push(reader.value(text).into_owned()),
            Event::Eof => return texts,
            Event::Start(_) | Event::End => {}
        }
    }
}

fn reader() -> Parser {
    Parser::retaining(Options::soap(), &Limits::default(), VocabularyLimits::default())
}

/// As Metro adds them: each text of less than 32 characters, when it comes first.
#[derive(Default)]
struct EachText(HashMap<String, usize>);

impl EachText {
    /// How many octets a text takes.
    fn put(&mut self, text: &str) -> usize {
        let length = text.len();
        if let Some(index) = self.0.get(text) {
            return match index {
                0..16 => 1,
                16..1040 => 2,
                _ => 3,
            };
        }
        if text.chars().count() < 32 {
            self.0.insert(text.to_owned(), self.0.len());
        }
        length + if length < 3 { 1 } else { 2 }
    }
}

/// Of whatever lengths, in ASCII and beyond, often the same and seldom.
#[test]
fn no_document_is_longer_than_with_every_text_an_entry() {
    let mut numbers = Numbers(18);
    for round in 0..40 {
        let mut writer = Writer::retaining(WriterOptions::default());
        let (mut parser, mut each) = (reader(), EachText::default());
        let distinct = 1 + numbers.below(4000);
        for _ in 0..20 {
            let text = |numbers: &mut Numbers| {
                let bound = 1 + numbers.below(distinct);
                let number = numbers.below(bound);
                match number % 4 {
                    0 => number.to_string(),
                    1 => "x".repeat(number as usize % 40),
                    2 => "\u{e9}".repeat(number as usize % 40),
                    _ => format!("text {number}"),
                }
            };
            let mut texts: Vec<String> =
                (0..numbers.below(2000)).map(|_| text(&mut numbers)).collect();
            texts.retain(|it| !it.is_empty());
            let document = write(&mut writer, &texts);
            let written: usize =
                document.len() - write(&mut Writer::stateless(WriterOptions::default()), &[]).len();
            // Around a text stand an index and an end, which the next may share.
            let most: usize = texts.iter().map(|text| each.put(text) + 2).sum();
            assert!(written <= most + 20, "{written} beside {most} in round {round}");
            assert_eq!(read(&mut parser, &document), texts);
            assert_eq!(parser.vocabulary_size(), writer.vocabulary_size());
        }
    }
}

#[test]
fn texts_that_never_come_again_use_up_the_idle_entries_and_others_become_some_even_so() {
    let options = WriterOptions::default();
    let (idle, most) = (options.idle_entries, options.idle_entries + 20);
    let (mut writer, mut parser) = (Writer::retaining(options), reader());
    let mut size = 0;
    for document in 0..2000 {
        let mut texts: Vec<String> =
            (0..50).map(|text| format!("once {document} {text}")).collect();
        if document >= 1000 {
            texts.extend((0..4).map(|number| format!("again and again {number}")));
        }
        let document = write(&mut writer, &texts);
        assert_eq!(read(&mut parser, &document), texts);
        assert!(writer.vocabulary_size().entries <= most, "{:?}", writer.vocabulary_size());
        size = document.len();
    }
    assert!(writer.vocabulary_size().entries >= idle + 4);
    // Of what came once few are forgotten.
    assert!(writer.counters().indexes > 4 * 990, "{:?}", writer.counters());
    assert!(size < 50 * 17 + 60, "{size}");
    assert_eq!(parser.vocabulary_size(), writer.vocabulary_size());
}

#[test]
fn as_many_entries_may_wait_as_are_in_use() {
    let options = WriterOptions { idle_entries: 10, ..WriterOptions::default() };
    let (mut writer, mut parser) = (Writer::retaining(options), reader());
    let texts: Vec<String> = (0..1000).map(|number| format!("text {number}")).collect();
    let mut lengths = Vec::new();
    for _ in 0..10 {
        let document = write(&mut writer, &texts);
        assert_eq!(read(&mut parser, &document), texts);
        lengths.push(document.len());
    }
    // Ten at first; then those that came twice, and as many more as are in use.
    assert!(lengths.is_sorted_by(|one, next| one >= next), "{lengths:?}");
    assert_eq!(lengths[9], lengths[8]);
    assert!(lengths[9] < 4100, "{lengths:?}");
}
