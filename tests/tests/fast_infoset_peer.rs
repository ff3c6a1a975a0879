//! The FastInfoset library of Metro reads what we write, and we what it writes.

use std::fmt::Write as _;

use trunkline_codec::fast_infoset::{
    Encoding, ExternalVocabulary, Options, Parser, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_message::{Limits, Message};
use trunkline_random::Random;
use trunkline_soap::{self as soap, Encoder, Plan, Style, Version};
use trunkline_tests::fast_infoset::random::facts;
use trunkline_tests::fast_infoset::{Fact, of_xml, read, same_facts, to_xml, write};
use trunkline_tests::random::Safe;
use trunkline_tests::samples;
use trunkline_tests::toolkit::Toolkit;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, octet| {
        write!(out, "{octet:02x}").expect("a string");
        out
    })
}

fn octets(hex: &str) -> Vec<u8> {
    let octet = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("an octet");
    (0..hex.len()).step_by(2).map(octet).collect()
}

/// Both ways, of documents by themselves and of a sequence.
struct Both {
    peer: Toolkit,
    parsers: [Parser; 2],
    writers: [Writer; 2],
}

const READ: [&str; 2] = ["read", "read-next"];
const WRITE: [&str; 2] = ["write", "write-next"];

impl Both {
    fn start(options: &WriterOptions) -> Option<Self> {
        let peer = Toolkit::start("metro-fast-infoset")?;
        let limits = Limits::default();
        let vocabulary = VocabularyLimits::default();
        let parsers = [
            Parser::stateless(Options::default(), &limits),
            Parser::retaining(Options::default(), &limits, vocabulary),
        ];
        let writers = [Writer::stateless(options.clone()), Writer::retaining(options.clone())];
        Some(Self { peer, parsers, writers })
    }

    /// A document of ours, as XML, says what ours says.
    fn check_ours(&mut self, document: &[u8], which: usize, said: &[Fact]) {
        let question = format!("{} {}", READ[which], hex(document));
        let xml = octets(&self.peer.expect(&question, "xml"));
        let heard = of_xml(&xml).expect("XML");
        assert!(same_facts(&heard, said), "{}, not {said:#?}", String::from_utf8_lossy(&xml));
    }

    /// A document of theirs, from XML, says what that says.
    fn check_theirs(&mut self, xml: &str, which: usize, said: &[Fact]) {
        let question = format!("{} {}", WRITE[which], hex(xml.as_bytes()));
        let document = octets(&self.peer.expect(&question, "fi"));
        let heard = read(&mut self.parsers[which], &document).expect("a document of theirs");
        assert_eq!(heard, said, "{}", document.escape_ascii());
    }
}

#[test]
fn documents_at_random_say_the_same_to_both() {
    let mut random = Random::new(1);
    let utf16 = WriterOptions { encoding: Encoding::Utf16, ..WriterOptions::default() };
    let packed = WriterOptions { alphabets: true, ..WriterOptions::default() };
    for options in [WriterOptions::default(), utf16, packed] {
        let Some(mut both) = Both::start(&options) else { return };
        for _ in 0..100 {
            let facts = facts(&mut random);
            for which in [0, 1] {
                let document = write(&mut both.writers[which], &facts);
                both.check_ours(&document, which, &facts);
                both.check_theirs(&to_xml(&facts), which, &facts);
            }
        }
    }
}

/// The library is told of the entries by the documents themselves. It reads no names of elements and attributes there: it
/// looks for prefixes and namespaces one place too far.
#[test]
fn documents_that_begin_with_a_vocabulary_say_the_same_to_both() {
    let mut vocabulary = ExternalVocabulary::default()
        .prefix("p")
        .prefix("q")
        .namespace("urn:p")
        .attribute_value("CBG")
        .text("a text that is longer than what becomes an entry of the vocabulary")
        .text("Gr\u{f6}\u{df}e");
    for number in 0..40 {
        vocabulary = vocabulary.local_name(&format!("a{number}")).text(&number.to_string());
    }
    for number in 0..200 {
        vocabulary = vocabulary.text(&format!("text {number}"));
    }
    let options = WriterOptions::default();
    let Some(mut both) = Both::start(&options) else { return };
    both.writers = [Writer::stateless(options.clone()), Writer::retaining(options)]
        .map(|it| it.with_initial(&vocabulary).expect("a vocabulary"));
    let mut random = Random::new(2);
    for _ in 0..100 {
        let facts = facts(&mut random);
        for which in [0, 1] {
            let document = write(&mut both.writers[which], &facts);
            both.check_ours(&document, which, &facts);
            let heard = read(&mut both.parsers[which], &document).expect("a document of ours");
            assert_eq!(heard, facts);
        }
    }
}

/// Every style and version; where values are attributes, too.
fn plans<M: Message + trunkline_message::Structure>() -> Vec<std::sync::Arc<Plan>> {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let versions = [Version::Soap11, Version::Soap12];
    let all = styles.into_iter().flat_map(|style| versions.map(|version| (style, version)));
    let options = all.flat_map(|(style, version)| {
        [false, true].map(|attributes| soap::Options {
            style,
            version,
            attributes,
            types: style.is_encoded(),
            namespace: "urn:x&y".into(),
            ..soap::Options::default()
        })
    });
    options.map(|it| Plan::new(M::layout(), &it).expect("a plan")).collect()
}

fn check_messages<M: Message + trunkline_message::Structure>(messages: &[M]) {
    let Some(mut both) = Both::start(&WriterOptions::default()) else { return };
    for plan in plans::<M>() {
        let mut encoder = Encoder::new(&plan);
        for message in messages {
            let xml = encoder.encode(message).expect("a message").to_vec();
            let facts = of_xml(&xml).expect("XML");
            for which in [0, 1] {
                let writer = &mut both.writers[which];
                writer.begin();
                encoder.encode_to("", message, writer).expect("a message");
                let document = writer.finish().expect("a document").to_vec();
                both.check_ours(&document, which, &facts);
                both.check_theirs(&String::from_utf8_lossy(&xml), which, &facts);
            }
        }
    }
}

#[test]
fn soap_messages_say_the_same_to_both() {
    let seeds = 0..4;
    let trades: Vec<_> = seeds.clone().map(|it| samples::market_data(it, Safe::SOAP)).collect();
    check_messages(&trades);
    let customers: Vec<_> =
        seeds.map(|it| samples::any_customer_services(it, Safe::SOAP)).collect();
    check_messages(&customers);
}
