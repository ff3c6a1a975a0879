//! CPU time of Fast Infoset, beside XML and beside the FastInfoset library of Java, on the same messages.
//!
//! `PEER=peers/build/bin/fast-infoset cargo bench -p trunkline-soap --bench fast_infoset [-- NAME]`, with the whole path
//! of the program that `make -C peers try-fast-infoset` builds; ours alone without it. ns a message, best and median.
//! Ours in XML, of documents that stand by themselves and of a sequence are timed in turns, then the library. A pass
//! goes through all documents; those that retain their vocabulary are a sequence that begins anew in each. Ours makes a
//! typed message of a document and a document of a message. The library makes events of a document, by StAX and by SAX,
//! and a document of events: it converts no value, and builds nothing.
//!
//! The messages are market data, in which every entry sets the same fields (`fixed`) or others (`random`), and those of
//! the benchmark of Metro's SOAP/TCP (`metro-2007`), each of which comes again and again as it is. Lists of numbers are in
//! binary in Fast Infoset, as far as ours writes them; the library makes texts of them.

#![forbid(unsafe_code)]

mod interleaved;
mod operations;
mod trades;

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;

use trunkline_codec::fast_infoset::{
    Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_message::{Limits, Message, Structure};
use trunkline_random::Random;
use trunkline_soap as soap;

use interleaved::Pass;

const MESSAGES: usize = 256;

type Documents = Rc<[Vec<u8>]>;

/// The library compiles what runs often, and its clock ticks seldom.
const ROUNDS: usize = 24;
const ROUND: f64 = 2e8;

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

/// Numbers in one text, which Fast Infoset has in binary by an encoding algorithm.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Doubles {
    #[xml(list = "spaced")]
    values: Vec<f64>,
}

/// The same of whole numbers.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Integers {
    #[xml(list = "spaced")]
    values: Vec<i32>,
}

/// Content by the encoding rules, as which all others are written, has no such lists.
fn plan<M: Structure>(style: soap::Style) -> Arc<soap::Plan> {
    let options = soap::Options { style, ..soap::Options::default() };
    soap::Plan::new(M::layout(), &options).expect("a plan")
}

fn named(name: &str, encode: Pass, decode: Pass, documents: &[Vec<u8>]) -> Vec<(String, Pass)> {
    let bytes = documents.iter().map(Vec::len).sum::<usize>() / documents.len();
    vec![
        (format!("{name} encode ({bytes} B)"), encode),
        (format!("{name} decode ({bytes} B)"), decode),
    ]
}

/// Ours in XML.
fn of_xml<M: Structure + Message + 'static>(
    name: &str,
    plan: &Arc<soap::Plan>,
    messages: &Rc<[M]>,
) -> Vec<(String, Pass)> {
    let mut encoder = soap::Encoder::new(plan);
    let documents: Documents =
        messages.iter().map(|it| encoder.encode(it).expect("a message").to_vec()).collect();
    let messages = messages.clone();
    let encode: Pass = Box::new(move || {
        for message in &*messages {
            black_box(encoder.encode(black_box(message)).expect("a message").len());
        }
    });
    let (mut decoder, mut message) = (soap::Decoder::new(plan), M::empty());
    let read = documents.clone();
    let decode: Pass = Box::new(move || {
        for document in &*read {
            decoder.decode(black_box(document), &mut message).expect("a message");
        }
    });
    named(name, encode, decode, &documents)
}

/// Ours in Fast Infoset, and the documents.
fn of_fast_infoset<M: Structure + Message + 'static>(
    name: &str,
    plan: &Arc<soap::Plan>,
    retains: bool,
    messages: &Rc<[M]>,
) -> (Vec<(String, Pass)>, Documents) {
    let mut encoder = soap::Encoder::new(plan);
    let mut write = move |writer: &mut Writer, message: &M| {
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
    let messages = messages.clone();
    let mut kept = writer(retains);
    let encode: Pass = Box::new(move || {
        if retains {
            kept = writer(retains);
        }
        for message in &*messages {
            black_box(write(&mut kept, black_box(message)));
        }
    });
    let (mut decoder, mut kept) = (soap::Decoder::new(plan), parser(retains));
    let (mut message, read) = (M::empty(), documents.clone());
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
    (named(name, encode, decode, &documents), documents)
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
            let mut run = |passes: u64| {
                let answer = self.ask(&format!("run {operation} {passes}"));
                let (time, count) = answer.split_once(',').expect("two numbers");
                time.parse::<f64>().expect("ns") / count.parse::<f64>().expect("messages")
            };
            // Until it is compiled, it takes several times as long.
            let first = (0..10).map(|_| run(20)).fold(f64::MAX, f64::min).max(100.0);
            let pass = first * documents.len() as f64;
            let mut times: Vec<f64> = (0..ROUNDS).map(|_| run((ROUND / pass) as u64 + 1)).collect();
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

/// The messages.
const NAMES: [&str; 8] = [
    "fixed",
    "random",
    "echoStruct",
    "echoSynthetic4K",
    "echoArray40",
    "getOrder1000",
    "doubles1000",
    "integers1000",
];

/// Are these messages asked for, or none by their name?
fn is_wanted(name: &str) -> bool {
    let mut names = std::env::args().filter(|it| NAMES.contains(&it.as_str())).peekable();
    names.peek().is_none() || names.any(|it| it == name)
}

/// Times messages in all forms.
fn measure<M: Structure + Message + 'static>(name: &str, style: soap::Style, messages: Vec<M>) {
    if !is_wanted(name) {
        return;
    }
    let messages: Rc<[M]> = messages.into();
    let plan = plan::<M>(style);
    let mut passes = of_xml(&format!("{name} XML"), &plan, &messages);
    let mut sequences = Vec::new();
    for (vocabulary, retains) in [("stateless", false), ("retained", true)] {
        let (ours, documents) =
            of_fast_infoset(&format!("{name} {vocabulary}"), &plan, retains, &messages);
        passes.extend(ours);
        sequences.push((if retains { "-retained" } else { "" }, documents));
    }
    interleaved::run(passes, messages.len() as u32);
    let Ok(program) = std::env::var("PEER") else { return };
    let mut peer = Peer::start(&program);
    for (retained, documents) in sequences {
        for events in ["stax", "sax"] {
            peer.run(name, &format!("fast-infoset{retained}-{events}"), &documents);
        }
    }
}

fn main() {
    let encoded = soap::Style::default();
    measure("fixed", encoded, trades::messages(false, MESSAGES));
    measure("random", encoded, trades::messages(true, MESSAGES));
    measure("echoStruct", encoded, vec![operations::echo_struct(); MESSAGES]);
    measure("echoSynthetic4K", encoded, vec![operations::echo_synthetic(4096); MESSAGES]);
    measure("echoArray40", encoded, vec![operations::echo_array(40); MESSAGES / 4]);
    measure("getOrder1000", encoded, vec![operations::get_order(1000); MESSAGES / 32]);
    let mut random = Random::new(2004);
    let values = (0..1000).map(|_| random.below(1 << 40) as f64 / 1024.0).collect();
    measure("doubles1000", soap::Style::DocumentLiteral, vec![Doubles { values }; MESSAGES / 8]);
    let values = (0..1000).map(|_| random.below(1 << 30) as i32).collect();
    measure("integers1000", soap::Style::DocumentLiteral, vec![Integers { values }; MESSAGES / 8]);
}
