//! The same tasks without a codec: what the network alone costs for the same bytes.

use std::path::Path;

use trunkline_net::tcp::{Listener, Stream, Wait};
use trunkline_net::{Framer as _, LengthPrefixed};

use super::accept;
use super::codec::Perform;
use super::fault::Fault;
use super::one_way::{Span, finish};
use super::question::Task;
use crate::peer::{Carried, write_corpus, write_times};
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_experiment::definition::MOST_TIMES;
use trunkline_experiment::format::{Encoding, Format};

/// Bytes that are read at once.
const ROOM: usize = 64 << 10;

/// Messages as they go over the wire, each with what its frame has before it.
pub(super) struct Bytes {
    corpus: Vec<Vec<u8>>,
    wire: Vec<Vec<u8>>,
}

impl Bytes {
    /// The messages of a corpus, of which there is one at least.
    pub(super) fn new(format: Format, corpus: Vec<Vec<u8>>) -> Result<Self, Fault> {
        let framed = |message: &Vec<u8>| -> Result<Vec<u8>, Fault> {
            let prefix = match format.encoding() {
                Encoding::Cdr(_) => LengthPrefixed::prefix(message.len())?,
                Encoding::Soap(..) | Encoding::Fix => None,
            };
            let prefix = prefix.as_ref().map_or(&[][..], |prefix| &prefix[..]);
            Ok([prefix, message].concat())
        };
        let wire = corpus.iter().map(framed).collect::<Result<_, _>>()?;
        Ok(Self { corpus, wire })
    }
}

impl Perform for Bytes {
    fn perform(&mut self, task: &Task<'_>, listener: Option<&Listener>) -> Result<String, Fault> {
        let Self { corpus, wire } = self;
        match *task {
            Task::Echo { file, .. } => {
                write_corpus(file, corpus)?;
                Ok(format!("echoed {}", corpus.len()))
            }
            Task::Reply { wait, file } => reply(wire, &accept(listener, wait)?, file),
            Task::Call { address, wait, count, file } => {
                call(wire, &Stream::connect(address, wait)?, count, file)
            }
            Task::Drain { wait, carried: Carried::Bytes, slow: None } => {
                drain(wire, &accept(listener, wait)?)
            }
            Task::Pour { address, count, carried: Carried::Bytes, slow: None } => {
                pour(wire, address, count)
            }
            Task::Run(_) | Task::Drain { .. } | Task::Pour { .. } | Task::Pace { .. } => {
                Err(Fault::new("it has no codec"))
            }
        }
    }
}

/// Sends back each message once all of it has come, as one who decodes it must; where it ends is known
/// from the corpus, which the other side sends in turn. There are no times but zeros.
fn reply(corpus: &[Vec<u8>], stream: &Stream, file: &Path) -> Result<String, Fault> {
    let longest = corpus.iter().map(Vec::len).max().unwrap_or_default();
    let mut room = vec![0; longest];
    let mut count = 0;
    for message in corpus.iter().cycle() {
        let bytes = &mut room[..message.len()];
        match fill(stream, bytes)? {
            0 if !bytes.is_empty() => {
                write_times(file, &vec![[0; 2]; count as usize])?;
                return Ok(format!("replied {count}"));
            }
            received => whole(count, "message", bytes.len() - received)?,
        }
        stream.write(bytes)?;
        count += 1;
        if count > MOST_TIMES {
            return Err(Fault::new(format!("more than {MOST_TIMES} messages")));
        }
    }
    Err(Fault::new("all messages that were loaded are empty"))
}

/// Sends each message, and waits for as many bytes. The first reply to each is compared with it,
/// after its time has been taken.
fn call(corpus: &[Vec<u8>], stream: &Stream, count: u64, file: &Path) -> Result<String, Fault> {
    let longest = corpus.iter().map(Vec::len).max().unwrap_or_default();
    let mut room = vec![0; longest];
    let mut times = Vec::new();
    for (index, message) in (0..count).zip(corpus.iter().cycle()) {
        let reply = &mut room[..message.len()];
        let start = monotonic_nanoseconds();
        stream.write(message)?;
        let received = fill(stream, reply)?;
        whole(index, "reply", reply.len() - received)?;
        times.push([0, monotonic_nanoseconds() - start, 0]);
        if times.len() <= corpus.len() && reply != message {
            return Err(Fault::at(index, "the reply differs"));
        }
    }
    write_times(file, &times)?;
    Ok(format!("called {count}"))
}

/// Reads until there is no more room, or no more to read; returns how much.
fn fill(stream: &Stream, room: &mut [u8]) -> Result<usize, Fault> {
    let mut received = 0;
    while received < room.len() {
        match stream.read(&mut room[received..])? {
            0 => break,
            length => received += length,
        }
    }
    Ok(received)
}

/// Fails if so many bytes of a message are missing.
fn whole(message: u64, what: &str, missing: usize) -> Result<(), Fault> {
    match missing {
        0 => Ok(()),
        _ => {
            let what = format!("the stream ends {missing} bytes before the end of the {what}");
            Err(Fault::at(message, what))
        }
    }
}

fn drain(corpus: &[Vec<u8>], stream: &Stream) -> Result<String, Fault> {
    let mut room = vec![0; ROOM];
    let mut span = Span::default();
    let mut bytes = 0;
    loop {
        let length = stream.read(&mut room)?;
        if length == 0 {
            break;
        }
        span.begin();
        bytes += length as u64;
        span.mark();
    }
    Ok(span.answer("drained", messages_in(corpus, bytes)?))
}

fn pour(corpus: &[Vec<u8>], address: &str, count: u64) -> Result<String, Fault> {
    let stream = Stream::connect(address, Wait::Blocking)?;
    let mut span = Span::default();
    span.begin();
    for message in corpus.iter().cycle().take(count as usize) {
        stream.write(message)?;
    }
    span.mark();
    let answer = span.answer("poured", count);
    finish(&stream)?;
    Ok(answer)
}

/// How many messages so many bytes are, if the other side has loaded the same.
fn messages_in(corpus: &[Vec<u8>], bytes: u64) -> Result<u64, Fault> {
    let pass: u64 = corpus.iter().map(|message| message.len() as u64).sum();
    if pass == 0 {
        return Err(Fault::new("all messages that were loaded are empty"));
    }
    let mut count = bytes / pass * corpus.len() as u64;
    let mut rest = bytes % pass;
    for message in corpus {
        if rest == 0 {
            return Ok(count);
        }
        let length = message.len() as u64;
        whole(count, "message", length.saturating_sub(rest) as usize)?;
        rest -= length;
        count += 1;
    }
    Ok(count)
}
