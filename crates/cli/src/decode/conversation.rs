//! What was said on a connection of SOAP/TCP: each frame as a line, and each envelope as XML.

use std::collections::HashMap;
use std::fmt::Write as _;

use trunkline_codec::fast_infoset::{Options, Parser, VocabularyLimits};
use trunkline_session::soap::MessageEncoding;
use trunkline_session::soap_tcp::{
    Agreements, Header, Kind, Limits, MAGIC, Message, Received, Receiver,
};

use super::document::Document;
use crate::client::{counted, counted_as};
use crate::input::limits;
use crate::output::plain;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

impl Side {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// A connection, both of whose directions may be heard.
pub(super) struct Conversation {
    agreements: Agreements,
    directions: [Direction; 2],
    limits: Limits,
}

struct Direction {
    came: Vec<u8>,
    /// Bytes of it that have been decoded,
    at: usize,
    /// and those that came before and are not kept.
    before: usize,
    is_greeted: bool,
    receiver: Receiver,
    /// By channel: the stateful vocabulary of what is sent there.
    vocabularies: HashMap<u32, Parser>,
    stateless: Parser,
    /// Why the rest is not decoded.
    broken: Option<String>,
}

impl Direction {
    fn new(message: &Limits) -> Self {
        Self {
            came: Vec::new(),
            at: 0,
            before: 0,
            is_greeted: false,
            receiver: Receiver::new(*message),
            vocabularies: HashMap::new(),
            stateless: Parser::stateless(Options::default(), &limits()),
            broken: None,
        }
    }

    fn rest(&self) -> &[u8] {
        &self.came[self.at..]
    }
}

impl Conversation {
    pub(super) fn new(message_bytes: usize) -> Self {
        let limits = Limits { message_bytes, ..Limits::default() };
        let directions = [Direction::new(&limits), Direction::new(&limits)];
        Self { agreements: Agreements::default(), directions, limits }
    }

    /// Bytes that one side sent, behind those it sent before.
    pub(super) fn receive(&mut self, side: Side, bytes: &[u8]) {
        let direction = &mut self.directions[side as usize];
        if direction.broken.is_none() {
            direction.before += direction.at;
            direction.came.drain(..direction.at);
            direction.at = 0;
            direction.came.extend_from_slice(bytes);
        }
    }

    /// Bytes are missing: what follows cannot be told apart.
    pub(super) fn lose(&mut self, side: Side, why: String) {
        self.directions[side as usize].broken.get_or_insert(why);
    }

    /// What one side said next, up to the end of a message: lines for its frames, and the envelope. None as long as
    /// no frame is whole.
    pub(super) fn next(&mut self, side: Side) -> Option<String> {
        if self.directions[side as usize].broken.is_some() {
            return None;
        }
        match self.directions[side as usize].is_greeted {
            false => self.greeting(side),
            true => self.frames(side),
        }
    }

    /// What of a direction is left that no message was made of, for people.
    pub(super) fn unfinished(&self, side: Side) -> Option<String> {
        let direction = &self.directions[side as usize];
        let (name, place) = (side.name(), direction.before + direction.at);
        let left = direction.rest().len();
        match &direction.broken {
            Some(why) => Some(format!("{name}: from byte {place} on nothing is decoded: {why}")),
            None if left > 0 || direction.receiver.is_within() => {
                Some(format!("{name}: the message at byte {place} has no end"))
            }
            None => None,
        }
    }

    fn greeting(&mut self, side: Side) -> Option<String> {
        let direction = &mut self.directions[side as usize];
        let magic = if side == Side::Client { MAGIC } else { &[] };
        let rest = direction.rest();
        if !magic.starts_with(&rest[..rest.len().min(magic.len())]) {
            direction.broken = Some("it is not SOAP/TCP".to_owned());
            return None;
        }
        let [framing, management] = *rest.get(magic.len()..magic.len() + 2)? else { return None };
        let version = |byte: u8| format!("{}.{}", byte >> 4, byte & 15);
        let (framing, management) = (version(framing), version(management));
        direction.at += magic.len() + 2;
        direction.is_greeted = true;
        Some(format!("{}: framing {framing}, connection management {management}\n", side.name()))
    }

    fn frames(&mut self, side: Side) -> Option<String> {
        let Self { agreements, directions, limits } = self;
        let direction = &mut directions[side as usize];
        let mut said = String::new();
        loop {
            let header = Header::read(&direction.came[direction.at..], limits);
            let end = |it: &Header<'_>| direction.at + it.length + it.payload;
            let (header, end) = match header {
                Ok(Some(header)) if end(&header) <= direction.came.len() => {
                    let end = end(&header);
                    (header, end)
                }
                Ok(_) => return (!said.is_empty()).then_some(said),
                Err(error) => {
                    direction.broken = Some(error.to_string());
                    return (!said.is_empty()).then_some(said);
                }
            };
            let frame = &direction.came[direction.at..end];
            line(side, &header, agreements, &mut said);
            direction.receiver.receive(frame);
            direction.at = end;
            let Direction { receiver, vocabularies, stateless, .. } = direction;
            match receiver.next_message() {
                Ok(None) => {}
                Ok(Some(Received::Message(message))) => {
                    if message.channel == 0 {
                        agreements.learn(&message);
                    }
                    envelope(&message, agreements, vocabularies, stateless, &mut said);
                    return Some(said);
                }
                Ok(Some(Received::Error(_, error))) => {
                    _ = writeln!(said, "  {}", plain(&error.to_string()));
                    return Some(said);
                }
                Ok(Some(Received::Nothing(_))) => return Some(said),
                Err((_, error)) => {
                    direction.broken = Some(error.to_string());
                    return Some(said);
                }
            }
        }
    }
}

/// A frame in one line.
fn line(side: Side, header: &Header<'_>, agreements: &Agreements, said: &mut String) {
    let Header { channel, kind, content, payload, .. } = *header;
    let what = match kind {
        Kind::Message => "message",
        Kind::StartChunk => "first chunk",
        Kind::Chunk => "chunk",
        Kind::EndChunk => "last chunk",
        Kind::Error => "error",
        Kind::Nothing => "nothing, which answers a one-way call",
    };
    _ = write!(said, "{}: channel {channel}, {what}", side.name());
    if matches!(kind, Kind::Message | Kind::StartChunk) {
        match agreements.content(channel, content) {
            Some(media_type) => _ = write!(said, ", {}", plain(media_type)),
            None => _ = write!(said, ", content {content}"),
        }
        for (id, value) in &header.params {
            let name = agreements.param(channel, *id);
            let name = name.map_or_else(|| format!("parameter {id}"), plain);
            _ = write!(said, ", {name}={}", plain(value));
        }
    }
    _ = match kind {
        Kind::Nothing => writeln!(said),
        _ => writeln!(said, ", {}", counted(payload as u64, "byte")),
    };
}

/// An envelope as XML, and what its vocabulary has then.
fn envelope(
    message: &Message<'_>,
    agreements: &Agreements,
    vocabularies: &mut HashMap<u32, Parser>,
    stateless: &mut Parser,
    said: &mut String,
) {
    let Message { channel, content, body, .. } = *message;
    let encoding = agreements.content(channel, content).and_then(MessageEncoding::of_media_type);
    let parser = match encoding {
        Some((MessageEncoding::Xml, _)) => None,
        Some((MessageEncoding::FastInfoset, _)) => Some(stateless),
        Some((MessageEncoding::StatefulFastInfoset, _)) => {
            Some(vocabularies.entry(channel).or_insert_with(|| {
                Parser::retaining(Options::default(), &limits(), VocabularyLimits::default())
            }))
        }
        None => {
            let bytes = counted(body.len() as u64, "byte");
            _ = writeln!(said, "  {bytes} of a media type that is not known");
            return;
        }
    };
    let Some(parser) = parser else {
        let shown = |c: char| if c.is_control() && !"\n\t".contains(c) { ' ' } else { c };
        said.extend(String::from_utf8_lossy(body).chars().map(shown));
        said.push('\n');
        return;
    };
    let mut document = Document { parser, bytes: body, out: String::new() };
    let decoded = document.decode();
    said.push_str(&document.out);
    if let Err(error) = decoded {
        let comma = if document.out.is_empty() { "" } else { "\n" };
        _ = writeln!(said, "{comma}  cannot be read on: {}", plain(&error.to_string()));
    } else if encoding.is_some_and(|it| it.0 == MessageEncoding::StatefulFastInfoset) {
        let size = parser.vocabulary_size();
        let entries = counted_as(size.entries as u64, "entry", "entries");
        _ = writeln!(said, "  vocabulary of {entries}, {}", counted(size.bytes as u64, "byte"));
    }
}
