//! CPU time of encoding and decoding market data messages of ten entries, into one message again and
//! again and into new ones, for work on the codecs.
//!
//! `cargo bench -p trunkline-soap [-- FORMAT]`; ns a message, best and median of interleaved
//! passes. `fixed` messages set the twelve fields of Kohlhoff & Steele's Figure 3 in every entry,
//! `random` ones a different set each. Comparisons with other implementations are the lab's.
//! With `--untimed` passes run as often without a clock, for callgrind to count their instructions.

#![forbid(unsafe_code)]

mod interleaved;
mod trades;

use std::hint::black_box;
use std::rc::Rc;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fast_infoset::{self, Reader, VocabularyLimits, WriterOptions};
use trunkline_codec::{cdr, fix};
use trunkline_message::{Limits, Message, Record, Structure};
use trunkline_soap as soap;

use interleaved::Pass;
use trades::messages;

const MESSAGES: u32 = 32;

macro_rules! passes {
    ($passes:expr, $name:expr, $plan:expr, $codec:ident, $messages:expr, $new:expr, $decoder:expr) => {{
        let plan = $plan;
        let mut encoder = $codec::Encoder::new(&plan);
        let corpus: Rc<[Vec<u8>]> =
            $messages.iter().map(|it| encoder.encode(it).unwrap().to_vec()).collect();
        let bytes = corpus.iter().map(Vec::len).sum::<usize>() / MESSAGES as usize;
        let messages = $messages.clone();
        let encode: Pass = Box::new(move || {
            for message in &*messages {
                black_box(encoder.encode(black_box(message)).unwrap().len());
            }
        });
        $passes.push((format!("{} encode ({bytes} B)", $name), encode));
        let mut decoder = $decoder(&plan);
        let mut message = $new;
        let shared = corpus.clone();
        let decode: Pass = Box::new(move || {
            for bytes in &*shared {
                decoder.decode(black_box(bytes), &mut message).unwrap();
            }
        });
        $passes.push((format!("{} decode ({bytes} B)", $name), decode));
        let mut decoder = $decoder(&plan);
        let empty = $new;
        let decode: Pass = Box::new(move || {
            for bytes in &*corpus {
                let mut message = empty.clone();
                decoder.decode(black_box(bytes), &mut message).unwrap();
                black_box(&message);
            }
        });
        $passes.push((format!("{} decode new ({bytes} B)", $name), decode));
    }};
}

/// As Fast Infoset: documents by themselves, or those that a sequence has once its vocabulary grows no more. The
/// events are pulled without a message as well.
fn of_fast_infoset<M: Message + Clone + 'static>(
    kind: &str,
    retains: bool,
    messages: &Rc<[M]>,
    new: M,
) -> Vec<(String, Pass)> {
    let plan = soap::Plan::new(MarketDataIncrementalRefresh::layout(), &soap::Options::default());
    let (plan, limits) = (plan.expect("a plan"), Limits::default());
    let name = if retains { "retained" } else { "stateless" };
    let name = format!("{kind} fast infoset {name}");
    let (mut writer, parser) = match retains {
        true => (
            fast_infoset::Writer::retaining(WriterOptions::default()),
            fast_infoset::Parser::retaining(
                fast_infoset::Options::soap(),
                &limits,
                VocabularyLimits::default(),
            ),
        ),
        false => (
            fast_infoset::Writer::stateless(WriterOptions::default()),
            fast_infoset::Parser::stateless(fast_infoset::Options::soap(), &limits),
        ),
    };
    let mut encoder = soap::Encoder::new(&plan);
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    let mut parser = parser;
    for _ in 0..4 {
        corpus.clear();
        for message in &**messages {
            writer.begin();
            encoder.encode_to("", message, &mut writer).expect("a message");
            corpus.push(writer.finish().expect("a document").to_vec());
            let document = corpus.last().expect("a document");
            Reader::begin(&mut parser, document).and_then(Reader::finish).expect("a document");
        }
    }
    let bytes = corpus.iter().map(Vec::len).sum::<usize>() / MESSAGES as usize;
    let corpus: Rc<[Vec<u8>]> = corpus.into();
    let messages = messages.clone();
    let encode: Pass = Box::new(move || {
        for message in &*messages {
            writer.begin();
            encoder.encode_to("", black_box(message), &mut writer).expect("a message");
            black_box(writer.finish().expect("a document").len());
        }
    });
    let parser = Rc::new(std::cell::RefCell::new(parser));
    let (shared, sharing) = (corpus.clone(), parser.clone());
    let mut decoder = soap::Decoder::new(&plan);
    let mut message = new;
    let decode: Pass = Box::new(move || {
        for document in &*shared {
            let mut parser = sharing.borrow_mut();
            let mut reader = Reader::begin(&mut parser, black_box(document)).expect("a document");
            decoder.decode_from(&mut reader, &mut message).expect("a message");
        }
    });
    let events: Pass = Box::new(move || {
        for document in &*corpus {
            let mut parser = parser.borrow_mut();
            Reader::begin(&mut parser, black_box(document)).and_then(Reader::finish).expect("it");
        }
    });
    vec![
        (format!("{name} encode ({bytes} B)"), encode),
        (format!("{name} decode ({bytes} B)"), decode),
        (format!("{name} events ({bytes} B)"), events),
    ]
}

fn of_messages<M: Message + Clone + 'static>(
    kind: &str,
    messages: &[M],
    new: impl Fn() -> M,
) -> Vec<(String, Pass)> {
    // Shared, so that a pass leaves the others' data in the caches.
    let messages: Rc<[M]> = messages.into();
    let schema = MarketDataIncrementalRefresh::layout();
    let mut passes: Vec<(String, Pass)> = Vec::new();
    let plan = || fix::Plan::new(schema, &fix::Options::default()).unwrap();
    passes!(passes, format!("{kind} fix"), plan(), fix, messages, new(), fix::Decoder::new);
    let options = soap::Options::default();
    let plan = || soap::Plan::new(schema, &options).expect("a plan");
    passes!(passes, format!("{kind} soap"), plan(), soap, messages, new(), soap::Decoder::new);
    let generic = |plan: &_| soap::Decoder::new(plan).generic();
    passes!(passes, format!("{kind} soap generic"), plan(), soap, messages, new(), generic);
    for (name, flat, attributes) in
        [("flat", true, false), ("attributes", false, true), ("flat attributes", true, true)]
    {
        let options = soap::Options { flat, attributes, ..soap::Options::default() };
        let plan = soap::Plan::new(schema, &options).expect("a plan");
        passes!(
            passes,
            format!("{kind} soap {name}"),
            plan,
            soap,
            messages,
            new(),
            soap::Decoder::new
        );
    }
    for retains in [false, true] {
        passes.extend(of_fast_infoset(kind, retains, &messages, new()));
    }
    for optional in [cdr::Optional::Union, cdr::Optional::Bitmap] {
        let options = cdr::Options { optional, ..cdr::Options::default() };
        let name = format!("{kind} cdr {optional:?}");
        passes!(
            passes,
            name,
            cdr::Plan::new(schema, &options).unwrap(),
            cdr,
            messages,
            new(),
            cdr::Decoder::new
        );
    }
    passes
}

fn main() {
    let schema = MarketDataIncrementalRefresh::layout();
    let mut passes = Vec::new();
    for (kind, random) in [("fixed", false), ("random", true)] {
        let structs = messages(random, MESSAGES as usize);
        let records: Vec<Record> = structs.iter().map(Record::from_message).collect();
        passes.extend(of_messages(&format!("{kind} struct"), &structs, Default::default));
        passes.extend(of_messages(&format!("{kind} record"), &records, || Record::new(schema)));
    }
    interleaved::run(passes, MESSAGES);
}
