//! Typed messages in a sequence of Fast Infoset documents: the paths by numbers of names held to the plain ones.

use std::fmt::Debug;
use std::sync::Arc;

use trunkline_codec::fast_infoset::{
    Encoding, Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_codec::infoset::Reader as _;
use trunkline_message::{Limits, Message, Result, Structure};
use trunkline_soap::{Decoder, Encoder, Plan, open_from};

use super::edits::{Choices, Document};
use super::soap::{EVERY_KIND, LOOSE, MARKET_DATA, NOTED, ORDER};
use crate::every_kind::{self, EveryKind};
use crate::fast_infoset::{Fact, of_xml, put};
use crate::{noted, samples, shapes};

/// A block with an attribute, whose value becomes an entry.
const HEADER: &str = "<h:block xmlns:h=\"urn:h\" h:kind=\"of one\"/>";

/// Reads the documents of one sequence, or documents that stand by themselves, by both paths.
#[derive(Debug)]
pub struct TypedInfoset<M> {
    fast: (Parser, Decoder, M),
    plain: (Parser, Decoder, M),
}

impl<M: Message + Clone + Debug + PartialEq> TypedInfoset<M> {
    /// For this plan, which is of the schema of the message.
    pub fn new(plan: &Arc<Plan>, limits: &Limits, retains: bool, message: &M) -> Self {
        let side = |decoder: Decoder| {
            let parser = match retains {
                true => Parser::retaining(Options::soap(), limits, VocabularyLimits::default()),
                false => Parser::stateless(Options::soap(), limits),
            };
            (parser, decoder, message.clone())
        };
        let decoder = || Decoder::with_limits(plan, limits.clone());
        Self { fast: side(decoder()), plain: side(decoder().generic()) }
    }

    /// Reads a document into a message, or says why it is none.
    ///
    /// # Errors
    /// The decoder's, and those of the rest of the document.
    ///
    /// # Panics
    /// If one path gives another message or error than the other, counts other unknown elements, or leaves another
    /// vocabulary.
    pub fn read(&mut self, document: &[u8]) -> Result<&M> {
        let fast = read(&mut self.fast, document);
        let plain = read(&mut self.plain, document);
        assert_eq!(fast, plain, "in {}", document.escape_ascii());
        let ((one, decoder, message), (other, twin, expected)) = (&self.fast, &self.plain);
        assert_eq!(decoder.unknown(), twin.unknown(), "in {}", document.escape_ascii());
        assert_eq!(one.vocabulary_size(), other.vocabulary_size());
        assert_eq!(one.counters(), other.counters(), "in {}", document.escape_ascii());
        if plain.0.is_ok() {
            // What is no number is not equal to itself.
            let [message, expected] = [message, expected].map(|it| format!("{it:?}"));
            assert_eq!(message, expected, "in {}", document.escape_ascii());
        }
        plain.0.and(plain.1).map(|()| expected)
    }
}

impl<M> TypedInfoset<M> {
    /// How many elements of the document read last its schema does not know.
    pub fn unknown(&self) -> usize {
        self.plain.1.unknown()
    }
}

fn read<M: Message>(
    (parser, decoder, message): &mut (Parser, Decoder, M),
    document: &[u8],
) -> (Result<()>, Result<()>) {
    let mut reader = match Reader::begin(parser, document) {
        Ok(reader) => reader,
        Err(error) => return (Err(error), Ok(())),
    };
    // As services do, which open a message before they know who reads it.
    if document.len().is_multiple_of(3) {
        let _ = open_from(&mut reader, &Limits::default());
        if let Err(error) = reader.restart() {
            return (Err(error), Ok(()));
        }
    }
    let read = decoder.decode_from(&mut reader, message);
    (read, reader.finish())
}

/// Writes and reads sequences of documents, which the bytes choose: what an encoder writes, the same by other legal
/// forms, edited messages, and damaged ones.
///
/// # Panics
/// If the paths do not agree.
pub fn typed_infoset(data: &[u8]) {
    let mut choices = Choices::new(data);
    let plan = choices.below(16);
    match choices.below(5) {
        0 => {
            let messages = [samples::figure_3(0), samples::figure_3(1), samples::figure_3(3)];
            sequence(&MARKET_DATA[plan], &messages, &mut choices);
        }
        1 => {
            let messages = [every_kind::full(), EveryKind::default()];
            sequence(&EVERY_KIND[plan], &messages, &mut choices);
        }
        2 => sequence(&ORDER[plan], &shapes::orders(), &mut choices),
        3 => sequence(&LOOSE[plan], &shapes::all_loose(), &mut choices),
        _ => sequence(&NOTED[plan], &noted::all(), &mut choices),
    }
}

fn sequence<M>(plan: &Arc<Plan>, messages: &[M], choices: &mut Choices<'_>)
where
    M: Structure + Message + Clone + Debug + PartialEq,
{
    let retains = choices.below(2) == 0;
    let limits = Limits { depth: [10_000, 9][choices.below(8) / 7], ..Limits::default() };
    let mut read = TypedInfoset::new(plan, &limits, retains, &M::empty());
    let options = WriterOptions {
        encoding: [Encoding::Utf8, Encoding::Utf16][choices.below(8) / 7],
        alphabets: choices.below(8) == 7,
        longest_entry: [32, 0, 4][choices.below(3)],
        idle_entries: [4096, 0, 8][choices.below(3)],
        ..WriterOptions::default()
    };
    let writer = |options| match retains {
        true => Writer::retaining(options),
        false => Writer::stateless(options),
    };
    let (mut writer, mut twin) = (writer(options.clone()), writer(options));
    let (mut encoder, mut plain) = (Encoder::new(plan), Encoder::new(plan).generic());
    for _ in 0..16 {
        let message = &messages[choices.below(messages.len())];
        if choices.below(8) == 7 {
            // One that is not finished leaves nothing behind.
            let sides = [(&mut writer, &mut encoder), (&mut twin, &mut plain)];
            write_both(sides, "", message).expect("a good message");
        }
        let form = choices.below(4);
        if form == 0 {
            let header = ["", "", "", HEADER][choices.below(4)];
            let sides = [(&mut writer, &mut encoder), (&mut twin, &mut plain)];
            if write_both(sides, header, message).is_err() {
                assert_eq!(header, HEADER, "only a fragment has no header");
                continue;
            }
        } else {
            writer.begin();
            twin.begin();
            let good = encoder.encode(message).expect("a good message").to_vec();
            let mut edited = Document::new(std::str::from_utf8(&good).expect("UTF-8"));
            for _ in 0..if form > 1 { choices.below(5) } else { 0 } {
                edited.edit(choices);
            }
            let facts = of_xml(&edited.bytes(choices)).or_else(|_| of_xml(&good)).expect("XML");
            facts.iter().flat_map(|fact| otherwise(fact, choices)).for_each(|fact| {
                put(&mut writer, &fact);
                put(&mut twin, &fact);
            });
        }
        let (written, expected) = (writer.finish(), twin.finish());
        assert_eq!(written, expected);
        let Ok(document) = written else { return };
        let mut document = document.to_vec();
        let is_good = form == 0 && limits.depth > 9;
        if choices.below(6) == 5 {
            damage(&mut document, choices);
            let _ = read.read(&document);
            if retains {
                return;
            }
        } else {
            let found = read.read(&document);
            assert!(!is_good || found.is_ok_and(|it| it == message), "{}", document.escape_ascii());
        }
        if choices.is_empty() {
            return;
        }
    }
}

/// Changes an octet, and cuts the document perhaps.
fn damage(document: &mut Vec<u8>, choices: &mut Choices<'_>) {
    let at = choices.below(document.len());
    document[at] = [choices.below(256) as u8, 0xf0, 0xff, 0xa0][choices.below(4)];
    if choices.below(2) == 0 {
        document.truncate(choices.below(document.len()));
    }
}

/// Begins a document with a message by both paths, and checks that they answer alike.
fn write_both<M: Message>(
    sides: [(&mut Writer, &mut Encoder); 2],
    header: &str,
    message: &M,
) -> Result<()> {
    let [written, expected] = sides.map(|(writer, encoder)| {
        writer.begin();
        encoder.encode_to(header, message, writer)
    });
    assert_eq!(written, expected);
    written
}

/// The same, with texts in several pieces now and then.
fn otherwise(fact: &Fact, choices: &mut Choices<'_>) -> Vec<Fact> {
    match fact {
        Fact::Text(text) if choices.below(8) == 7 => {
            let (first, rest) = text.split_at(text.floor_char_boundary(choices.below(8)));
            [first, rest].map(|text| Fact::Text(text.to_owned())).into()
        }
        fact => vec![fact.clone()],
    }
}
