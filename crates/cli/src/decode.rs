//! `trunkline decode [FILE...]`: messages in logs, streams, dumps and captures, Fast Infoset documents as XML, and what was
//! said on connections of SOAP/TCP.

pub(crate) mod capture;
mod conversation;
mod document;
mod flow;
mod http;
mod messages;
mod pieces;
mod stream;

use std::io::{self, Read as _};

use trunkline_codec::fast_infoset::{Options, Parser, VocabularyLimits};
use trunkline_session::soap_tcp::MAGIC;
use trunkline_transcode::{Content, Kind, Messages};

use self::conversation::{Conversation, Side};
pub(crate) use self::document::Document;
pub(crate) use self::messages::{Show, tell_unread};
use crate::Ending;
use crate::arguments::DecodeArguments;
use crate::client::{counted, counted_as};
use crate::description;
use crate::fault::Fault;
use crate::input::{self, FILE_BYTES, Input, limits};
use crate::output::{Form, print, remark};

pub(crate) fn run(arguments: &DecodeArguments) -> Result<Ending, Fault> {
    let limits = limits();
    let mut parser = match arguments.retain {
        true => Parser::retaining(Options::default(), &limits, VocabularyLimits::default()),
        false => Parser::stateless(Options::default(), &limits),
    };
    let messages = match &arguments.schema {
        Some(file) => {
            let description = description::read(file, &arguments.description)?;
            if arguments.check {
                description::remark_on(&description);
            }
            let code_set = arguments.code_set;
            let options = trunkline_transcode::Options { code_set, ..Default::default() };
            Some(Messages::new(description, options, limits))
        }
        None => None,
    };
    let form = arguments.form.get();
    let mut show = Show::new(messages, arguments.message.as_deref(), arguments.format, form);
    show.is_checked = arguments.check;
    let mut sides: Vec<(Side, Vec<u8>)> = Vec::new();
    for file in &arguments.files {
        let (mut start, mut input) = input::open(file)?;
        if capture::is_one(&start) {
            // What it is shows its whole first block only, in one piece.
            start.extend(input::more(&mut input, capture::ROOM - start.len(), file)?);
            capture::decode(file, io::Cursor::new(start).chain(input), &mut show)?;
            continue;
        }
        if let Some(side) = side(&start) {
            sides.push((side, input::whole(start, input, file)?));
            continue;
        }
        let (start, input) = match show.format {
            Some(format) if format.is_binary() => (start, input),
            _ => input::text(start, input, file)?,
        };
        match Kind::of(&start) {
            Some(Kind::FastInfoset) if show.messages.is_none() && form == Form::Text => {
                let bytes = input::whole(start, input, file)?;
                decode_document(file, &bytes, &mut parser, arguments.retain)?;
            }
            Some(Kind::FastInfoset) => show.whole(file, input::whole(start, input, file)?)?,
            Some(Kind::Giop) => show.giop(file, &input::whole(start, input, file)?)?,
            kind => decode_messages(&mut show, file, start, input, kind)?,
        }
    }
    show.end()?;
    if !sides.is_empty() && decode_sides(&sides)? == Ending::Wrong {
        return Ok(Ending::Wrong);
    }
    Ok(if show.is_wrong() { Ending::Wrong } else { Ending::Right })
}

/// Shows what is a text with messages in it, or one message of a format that is not.
fn decode_messages(
    show: &mut Show<'_>,
    file: &str,
    start: Vec<u8>,
    input: Input,
    kind: Option<Kind>,
) -> Result<(), Fault> {
    let is_foreign = kind.is_none() && !show.format.is_some_and(|it| it.is_binary());
    let begins_with_zeros = start.first() == Some(&0);
    let input: Input = Box::new(io::Cursor::new(start.clone()).chain(input));
    let (start, input) = match is_foreign && begins_with_zeros {
        true => input::behind_zeros(input, file)?,
        false => (start, input),
    };
    let is_binary = kind.is_none() && input::is_binary(&start);
    if is_binary || input::is_wide(&start) {
        return show.whole(file, input::whole(Vec::new(), input, file)?);
    }
    let content = match kind {
        Some(Kind::Xml) => Content::Documents,
        _ if show.format.is_some() => Content::Dumps,
        _ => Content::Log,
    };
    show.stream(file, input, content)
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
            "{file}: the vocabulary has {} of {}; {} of {values} names and values were indexes",
            counted_as(size.entries as u64, "entry", "entries"),
            counted(size.bytes as u64, "byte"),
            counters.indexes
        ));
    }
    Ok(())
}
