//! CPU time of Fast Infoset, ours beside the FastInfoset library of Java, on the same messages.
//!
//! `PEER=peers/build/bin/fast-infoset cargo bench -p trunkline-soap --bench fast_infoset`, with the whole path of the
//! program that `make -C peers try-fast-infoset` builds; ours alone without it. ns a message, best and median. A pass goes through all documents; those that retain their vocabulary are a sequence that begins anew in
//! each. Ours makes a typed message of a document and a document of a message. The library makes events of a document,
//! by StAX or SAX, and a document of events: it converts no value, and builds nothing.

#![forbid(unsafe_code)]

mod interleaved;
mod trades;

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::rc::Rc;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fast_infoset::{
    Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_message::{Limits, Structure as _};
use trunkline_soap as soap;

use interleaved::Pass;

const MESSAGES: usize = 256;

type Documents = Rc<[Vec<u8>]>;

/// The library compiles what runs often.
const ROUNDS: usize = 30;

fn writer(retains: bool) -> Writer {
    let options = WriterOptions::default();
    if retains { Writer::retaining(options) } else { Writer::stateless(options) }
}

fn parser(retains: bool) -> Parser {
    let (options, limits) = (Options::soap(), Limits::default());
    match retains {
        true => Parser::retaining(options, &limits, VocabularyLimits::default()),
        false => Parser::stateless(options, &limits),
    }
}

/// Ours, and the documents.
fn passes(
    name: &str,
    retains: bool,
    messages: Vec<MarketDataIncrementalRefresh>,
) -> (Vec<(String, Pass)>, Documents) {
    let plan = soap::Plan::new(MarketDataIncrementalRefresh::layout(), &soap::Options::default());
    let plan = plan.expect("a plan");
    let mut encoder = soap::Encoder::new(&plan);
    let mut write = move |writer: &mut Writer, message: &MarketDataIncrementalRefresh| {
        writer.begin();
        encoder.encode_to("", message, writer).expect("a message");
        writer.finish().expect("a document").len()
    };
    let mut first = writer(retains);
    let documents: Documents = messages
        .iter()
        .map(|message| {
            write(&mut first, message);
            first.document().to_vec()
        })
        .collect();
    let mut kept = writer(retains);
    let encode: Pass = Box::new(move || {
        if retains {
            kept = writer(retains);
        }
        for message in &messages {
            black_box(write(&mut kept, black_box(message)));
        }
    });
    let (mut decoder, mut kept) = (soap::Decoder::new(&plan), parser(retains));
    let (mut message, read) = (MarketDataIncrementalRefresh::default(), documents.clone());
    let decode: Pass = Box::new(move || {
        if retains {
            kept = parser(retains);
        }
        for document in &*read {
            let mut reader = Reader::begin(&mut kept, black_box(document)).expect("a document");
            decoder.decode_from(&mut reader, &mut message).expect("a message");
            reader.finish().expect("a document");
        }
    });
    let bytes = documents.iter().map(Vec::len).sum::<usize>() / MESSAGES;
    let passes = vec![
        (format!("{name} encode ({bytes} B)"), encode),
        (format!("{name} decode ({bytes} B)"), decode),
    ];
    (passes, documents)
}

/// The library, which answers lines with lines (peers/PROTOCOL.md).
struct Peer {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &str) -> Self {
        let pipes = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = pipes.expect("the peer's program");
        let answers = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, answers }
    }

    fn ask(&mut self, question: &str) -> String {
        let input = self.child.stdin.as_mut().expect("its input");
        writeln!(input, "{question}").expect("a question is taken");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("an answer");
        assert!(!answer.is_empty() && !answer.starts_with("error"), "{question}: {answer}");
        answer.trim_end().to_owned()
    }

    /// Times it on these documents, which it reads and writes anew.
    fn run(&mut self, name: &str, format: &str, documents: &[Vec<u8>]) {
        let corpus = std::env::temp_dir().join(format!("fast-infoset-{}", std::process::id()));
        let framed = documents.iter().flat_map(|document| {
            (document.len() as u32).to_le_bytes().into_iter().chain(document.iter().copied())
        });
        std::fs::write(&corpus, framed.collect::<Vec<u8>>()).expect("a file");
        self.ask(&format!("load {format} {}", corpus.display()));
        self.ask(&format!("echo {}", corpus.display()));
        let theirs = std::fs::metadata(&corpus).expect("a file").len() as usize;
        std::fs::remove_file(&corpus).expect("its own file");
        for operation in ["encode", "decode"] {
            let mut times: Vec<f64> = (0..ROUNDS)
                .map(|_| {
                    let answer = self.ask(&format!("run {operation} 100"));
                    let (time, count) = answer.split_once(',').expect("two numbers");
                    time.parse::<f64>().expect("ns") / count.parse::<f64>().expect("messages")
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let bytes = theirs / documents.len() - 4;
            let shown = format!("{name} {format} {operation} ({bytes} B)");
            println!("{shown:60} {:8.0} best {:8.0} median ns", times[0], times[ROUNDS / 2]);
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() {
    let program = std::env::var("PEER").ok();
    for (kind, random) in [("fixed", false), ("random", true)] {
        for (vocabulary, retains) in [("stateless", false), ("retained", true)] {
            let name = format!("{kind} {vocabulary}");
            let messages = trades::messages(random, MESSAGES);
            let (passes, documents) = passes(&format!("{name} trunkline"), retains, messages);
            interleaved::run(passes, MESSAGES as u32);
            let Some(program) = &program else { continue };
            let mut peer = Peer::start(program);
            for way in ["stax", "sax"] {
                let retained = if retains { "-retained" } else { "" };
                peer.run(&name, &format!("fast-infoset{retained}-{way}"), &documents);
            }
        }
    }
}
