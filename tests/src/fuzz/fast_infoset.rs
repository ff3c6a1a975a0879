//! Any bytes as Fast Infoset documents, each by itself and as a sequence.

use trunkline_codec::fast_infoset::{
    Encoding, Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_codec::infoset::Reader as _;
use trunkline_message::Limits;

use crate::fast_infoset::{Fact, of_xml, plain, read, write};

const VOCABULARY: VocabularyLimits = VocabularyLimits { bytes: 1 << 10, entries: 40 };

fn limits() -> Limits {
    Limits { depth: 64, attributes: 64, value_bytes: 1 << 16, ..Limits::default() }
}

/// Reads the bytes as one document, and as a sequence of documents of which each byte `index` in `cuts` ends one.
/// What is accepted reads the same when it is written anew, alone and in a sequence; its elements are
/// XML. A vocabulary never grows beyond its limits, and behind an error nothing of a sequence is read.
///
/// # Panics
/// If any of this is not so.
pub fn fast_infoset(data: &[u8]) {
    alone(data);
    let Some((pieces, rest)) = data.split_first() else { return };
    sequence(rest, usize::from(pieces % 8) + 1);
}

fn alone(data: &[u8]) {
    let mut parser = Parser::stateless(Options::default(), &limits());
    let Ok(facts) = read(&mut parser, data) else { return };
    let more = Limits { attributes: 256, ..Limits::default() };
    let utf16 = WriterOptions { encoding: Encoding::Utf16, ..WriterOptions::default() };
    for options in [WriterOptions { alphabets: true, ..WriterOptions::default() }, utf16] {
        let mut writer = Writer::stateless(options);
        let again = write(&mut writer, &facts);
        let mut parser = Parser::stateless(Options::default(), &more);
        let read_again = read(&mut parser, &again)
            .unwrap_or_else(|error| panic!("{error} in {}", again.escape_ascii()));
        assert_eq!(read_again, plain(&facts), "{}", data.escape_ascii());
    }
    let mut parser = Parser::stateless(Options::default(), &limits());
    let Ok(mut reader) = Reader::begin(&mut parser, data) else { return };
    let mut text = String::new();
    let is_written = reader.next().is_ok() && reader.raw(&[], &mut text).is_ok();
    if is_written && !text.is_empty() {
        let facts_of_xml =
            of_xml(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text:?}"));
        assert_eq!(bare(&facts_of_xml), bare(&plain(&facts)), "{text:?}");
    }
}

/// Without declarations and prefixes.
fn bare(facts: &[Fact]) -> Vec<String> {
    let shown = |fact: &Fact| match fact {
        Fact::Start { name, attributes, .. } => {
            let mut attributes: Vec<_> = attributes
                .iter()
                .map(|(name, value)| format!("{{{}}}{}={value:?}", name.1, name.2))
                .collect();
            attributes.sort();
            format!("{{{}}}{} {}", name.1, name.2, attributes.join(" "))
        }
        other => format!("{other:?}"),
    };
    facts.iter().map(shown).collect()
}

fn sequence(data: &[u8], pieces: usize) {
    let options = Options { instructions: false, ..Options::default() };
    let mut parser = Parser::retaining(options, &limits(), VOCABULARY);
    let mut writer = Writer::retaining(WriterOptions::default());
    let mut reading = Parser::retaining(options, &Limits::default(), VocabularyLimits::default());
    let mut is_broken = false;
    for document in data.chunks(data.len().div_ceil(pieces).max(1)) {
        let facts = read(&mut parser, document);
        let size = parser.vocabulary_size();
        assert!(size.bytes <= VOCABULARY.bytes && size.entries <= VOCABULARY.entries, "{size:?}");
        assert!(!is_broken || facts.is_err(), "a document behind an error was read");
        is_broken |= facts.is_err();
        if let Ok(facts) = facts {
            let again = write(&mut writer, &facts);
            assert_eq!(read(&mut reading, &again).expect("what was written"), plain(&facts));
        }
    }
}
