//! Documents of encoded plans that are damaged at random: the decoder reads the message that the
//! graph has, or neither reads one.

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_codec::xml::{self, Event, Parser};
use trunkline_message::{Limits, Structure};
use trunkline_random::Random;
use trunkline_soap::{self as soap, Decoder, Layout, Options, Plan, Style, Version};
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::{samples, seam};

use crate::damaged::damage_by;

fn plans() -> Vec<Options> {
    let operation = |version, types| Options {
        version,
        types,
        layout: Layout::Operation,
        operation: "echo".into(),
        namespace: "urn:own".into(),
        ..Options::default()
    };
    let arrays = operation(Version::Soap11, true);
    vec![
        arrays.clone(),
        operation(Version::Soap12, true),
        operation(Version::Soap11, false),
        Options { style: Style::DocumentEncoded, layout: Layout::Message, ..arrays.clone() },
        Options { layout: Layout::Message, ..arrays.clone() },
        Options { any_wrapper: true, ..arrays },
    ]
}

/// What tells something about values where content is encoded.
const PIECES: [&str; 39] = [
    " xsi:nil=\"1\"",
    " xsi:nil=\"0\"",
    " xsi:type=\"xsd:string\"",
    " xsi:type=\"xsd:int\"",
    " xsi:type=\"SOAP-ENC:Array\"",
    " xsi:type=\"xsd:anyType\"",
    " SOAP-ENC:arrayType=\"xsd:int[2]\"",
    " SOAP-ENC:arrayType=\"xsd:anyType[1]\"",
    " SOAP-ENC:arrayType=\"xsd:anyType[]\"",
    " SOAP-ENC:arrayType=\"xsd:anyType[][2]\"",
    " SOAP-ENC:arrayType=\"xsd:anyType[1,1]\"",
    " SOAP-ENC:arrayType=\"x\"",
    " SOAP-ENC:arraySize=\"1\"",
    " SOAP-ENC:arraySize=\"*\"",
    " SOAP-ENC:arraySize=\"1 1\"",
    " SOAP-ENC:itemType=\"xsd:string\"",
    " SOAP-ENC:offset=\"[0]\"",
    " SOAP-ENC:position=\"[0]\"",
    " SOAP-ENC:position=\"[1]\"",
    " SOAP-ENC:root=\"1\"",
    " SOAP-ENC:root=\"0\"",
    " SOAP-ENC:nodeType=\"struct\"",
    " href=\"#i\"",
    " id=\"i\"",
    " href=\"cid:i\"",
    " SOAP-ENV:encodingStyle=\"\"",
    " S:encodingStyle=\"urn:mine\" xmlns:S=\"http://www.w3.org/2003/05/soap-envelope\"",
    "<x/>",
    "<o:x xmlns:o=\"urn:o\"><x/></o:x>",
    "<o:header xmlns:o=\"urn:o\"/>",
    "<o:leg xmlns:o=\"urn:o\"/>",
    "<customer/>",
    "<leg/>",
    "<hollow/>",
    " flag=\"1\"",
    " other=\"1\"",
    "<!-- c -->",
    " ",
    "1",
];

fn agree<M: Structure + soap_message::Any>(message: &M, seed: u64, rounds: usize) {
    let mut random = Random::new(seed);
    let limits = Limits::default();
    let (mut read, mut rejected) = (0, 0);
    for options in plans() {
        let plan = Plan::new(M::layout(), &options).expect("a plan");
        let written = soap::Encoder::new(&plan).encode(message).expect("a message").to_vec();
        let written = String::from_utf8(written).expect("UTF-8");
        let mut decoder = Decoder::new(&plan);
        for _ in 0..rounds {
            let document = match random.below(4) {
                0 => damage_by(&written, "Body", &PIECES, &mut random),
                _ => mark(&written, &mut random),
            };
            let (mut one, mut other) = (M::default(), M::default());
            let by_decoder = decoder.decode(document.as_bytes(), &mut one);
            let by_graph = seam::decode_message(document.as_bytes(), &plan, &limits, &mut other);
            match (by_decoder, by_graph) {
                (Ok(()), Ok(unknown)) => {
                    assert_eq!(one, other, "{options:?}: {document}");
                    assert_eq!(decoder.unknown(), unknown, "{options:?}: {document}");
                    read += 1;
                }
                (Err(_), Err(_)) => rejected += 1,
                // The decoder looks neither into what it passes over nor, where nothing refers to
                // them, at ids.
                (Ok(()), Err(error))
                    if is_passed_over(&document, error.offset())
                        || error.to_string().contains("an id once") => {}
                (by_decoder, by_graph) => panic!(
                    "the decoder: {by_decoder:?}\nthe graph: {by_graph:?}\n{options:?}\n{document}"
                ),
            }
        }
    }
    assert!(read > rounds && rejected > rounds, "{read} were read, {rejected} rejected");
}

/// Puts pieces into one or two start tags of the Body, or behind them.
fn mark(document: &str, random: &mut Random) -> String {
    let mut text = document.to_owned();
    for _ in 0..1 + random.below(2) {
        let body = text.find("Body").expect("a Body");
        let tags: Vec<usize> = text[body..].match_indices('<').map(|(at, _)| body + at).collect();
        let at = tags[random.below(tags.len() as u64) as usize];
        if text[at..].starts_with("</") {
            continue;
        }
        let end = at + text[at..].find('>').expect("the end of a tag");
        let piece = PIECES[random.below(PIECES.len() as u64) as usize];
        text.insert_str(if piece.starts_with(' ') { end } else { end + 1 }, piece);
    }
    text
}

/// Does this byte of a document stand in an element that the schema does not know, or behind the
/// call?
fn is_passed_over(document: &str, at: usize) -> bool {
    let mut parser = Parser::new(xml::Options::soap(), &Limits::default());
    parser.begin(document).expect("a document");
    let (mut unknown_from, mut in_body, mut children) = (None, 0, 0);
    loop {
        let start = parser.position();
        let event = parser.next(document).expect("a document");
        let depth = parser.depth();
        match event {
            Event::Start { name, .. } => {
                in_body += usize::from(name.local() == "Body" && depth == 2);
                children += usize::from(in_body > 0 && depth == 3);
                let is_unknown = matches!(name.prefix(), "o") || name.qualified() == "x";
                if unknown_from.is_none() && (is_unknown || children > 1) {
                    unknown_from = Some(depth);
                }
            }
            Event::End { .. } if unknown_from.is_some_and(|from| depth < from) => {
                unknown_from = None;
                if (start..parser.position()).contains(&at) {
                    return true;
                }
            }
            Event::Eof => return false,
            _ => {}
        }
        if (start..parser.position()).contains(&at) {
            return unknown_from.is_some();
        }
    }
}

mod soap_message {
    /// A message to compare and to show.
    pub(super) trait Any:
        trunkline_message::Message + Default + PartialEq + std::fmt::Debug
    {
    }
    impl<M: trunkline_message::Message + Default + PartialEq + std::fmt::Debug> Any for M {}
}

#[test]
fn the_decoder_and_the_graph_read_the_same() {
    let customers: CustomerServices = samples::customer_services(2, 1);
    agree(&customers, 31, 3000);
    let kinds: EveryKind = every_kind::full();
    agree(&kinds, 32, 6000);
}
