//! `trunkline decode FILE...`: Fast Infoset documents as XML, and what was said on connections of SOAP/TCP.

mod capture;
mod conversation;
mod document;
mod stream;

use std::fs::File;
use std::io::{self, Read};

use trunkline_codec::fast_infoset::{Options, Parser, VocabularyLimits};
use trunkline_message::Limits;
use trunkline_session::soap_tcp::MAGIC;

use self::conversation::{Conversation, Side};
use self::document::Document;
use crate::Ending;
use crate::arguments::DecodeArguments;
use crate::fault::Fault;
use crate::output::{print, remark};

/// Bytes of a document, or of one direction of a connection, that are read at most.
const FILE_BYTES: u64 = 64 << 20;

pub(crate) fn run(arguments: &DecodeArguments) -> Result<Ending, Fault> {
    let limits = limits();
    let mut parser = match arguments.retain {
        true => Parser::retaining(Options::default(), &limits, VocabularyLimits::default()),
        false => Parser::stateless(Options::default(), &limits),
    };
    let mut sides: Vec<(Side, Vec<u8>)> = Vec::new();
    for file in &arguments.files {
        let mut input = open(file)?;
        let mut start = start(&mut input, MAGIC.len(), file)?;
        if capture::is_one(&start) {
            // What it is shows its whole first block only, in one piece.
            start.extend(self::start(&mut input, capture::ROOM - start.len(), file)?);
            capture::decode(file, io::Cursor::new(start).chain(input))?;
            continue;
        }
        let bytes = read(start, input, file)?;
        match side(&bytes) {
            Some(side) => sides.push((side, bytes)),
            None => decode_document(file, &bytes, &mut parser, arguments.retain)?,
        }
    }
    match sides.is_empty() {
        true => Ok(Ending::Right),
        false => decode_sides(&sides),
    }
}

/// What reads untrusted documents that are looked at by hand.
fn limits() -> Limits {
    Limits { message_bytes: FILE_BYTES as usize, ..Limits::default() }
}

/// Is it one direction of a connection? Which?
fn side(bytes: &[u8]) -> Option<Side> {
    match bytes {
        _ if bytes.starts_with(MAGIC) => Some(Side::Client),
        // The server's version 1.0 of framing; documents begin otherwise.
        [0x10, 0x10, ..] => Some(Side::Server),
        _ => None,
    }
}

/// Both directions take turns, since a request is answered before the next one is sent.
fn decode_sides(sides: &[(Side, Vec<u8>)]) -> Result<Ending, Fault> {
    let mut conversation = Conversation::new(FILE_BYTES as usize);
    let mut ending = Ending::Right;
    let both = [Side::Client, Side::Server];
    for side in both {
        let mut same = sides.iter().filter(|it| it.0 == side);
        if let Some((_, bytes)) = same.next() {
            conversation.receive(side, bytes);
        }
        if same.next().is_some() {
            let text = "two files are of the same direction; one connection is decoded at a time";
            return Err(Fault::new(text));
        }
    }
    let is_there = |side| sides.iter().any(|it| it.0 == side);
    loop {
        let mut is_more = false;
        for side in both.into_iter().filter(|side| is_there(*side)) {
            if let Some(said) = conversation.next(side) {
                print(&said)?;
                is_more = true;
            }
        }
        if !is_more {
            break;
        }
    }
    for side in both {
        if let Some(left) = conversation.unfinished(side) {
            remark(&left);
            ending = Ending::Wrong;
        }
    }
    Ok(ending)
}

fn decode_document(
    file: &str,
    bytes: &[u8],
    parser: &mut Parser,
    retain: bool,
) -> Result<(), Fault> {
    let mut document = Document { parser, bytes, out: String::new() };
    let decoded = document.decode();
    // What came before the place that is wrong helps to find it.
    let text = document.out;
    print(&text)?;
    decoded.map_err(|error| Fault::new(format!("{file}: {error}")))?;
    if retain {
        let (size, counters) = (parser.vocabulary_size(), parser.counters());
        let values = counters.indexes + counters.literals;
        remark(&format!(
            "{file}: the vocabulary has {} entries of {} bytes; {} of {values} names and values were indexes",
            size.entries, size.bytes, counters.indexes
        ));
    }
    Ok(())
}

fn unreadable(file: &str) -> impl Fn(io::Error) -> Fault {
    move |cause| Fault::new(format!("{file}: cannot be read: {cause}"))
}

fn open(file: &str) -> Result<Box<dyn Read + Send>, Fault> {
    Ok(match file {
        "-" => Box::new(io::stdin()),
        _ => Box::new(File::open(file).map_err(unreadable(file))?),
    })
}

/// The next bytes, as many as there are.
fn start(input: &mut dyn Read, most: usize, file: &str) -> Result<Vec<u8>, Fault> {
    let mut start = Vec::new();
    input.take(most as u64).read_to_end(&mut start).map_err(unreadable(file))?;
    Ok(start)
}

fn read(start: Vec<u8>, input: impl Read, file: &str) -> Result<Vec<u8>, Fault> {
    let mut bytes = start;
    input.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable(file))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Fault::new(format!("{file}: more than {FILE_BYTES} bytes")));
    }
    Ok(bytes)
}
