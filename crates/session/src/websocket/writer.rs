//! The output to a client: JSON in text frames, and payloads that are not text in binary ones.

use serde::{Serialize, Serializer};
use trunkline_native::format;
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{CloseCode, Control, Data, OpCode};

use super::ReplyTo;

/// Writes frames into the output of one client.
#[derive(Debug, Default)]
pub struct Writer {
    /// A frame's length stands before it, so it is put together here.
    pub(super) text: Vec<u8>,
}

/// The events for a client, each an object with this one key.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outgoing<'a> {
    /// First of all.
    Welcome(Welcome<'a>),
    /// A message of a subscription.
    Message(Message<'a>),
    /// Messages were lost.
    Gap(Gap<'a>),
    /// All last values of a subscription have come.
    LastValues(LastValues),
    /// The answer to a request.
    Reply(Reply<'a>),
    /// The subscription of this number is made.
    Subscribed(u32),
    /// The subscription of this number has ended.
    Unsubscribed(u32),
    /// A command was not carried out.
    Rejected(Rejected<'a>),
    /// The answer to a ping.
    Pong(u64),
    /// The time of the router.
    Clock(Clock),
    /// The router says something of itself.
    Notice(Notice<'a>),
    /// The connection is about to be closed.
    Closing(Closing<'a>),
}

/// The limits of a client.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Welcome<'a> {
    /// Version of this protocol.
    pub version: u16,
    /// As the router calls the client.
    pub name: &'a str,
    /// Bytes of a frame that it may send.
    pub frame_bytes: u32,
    /// Subscriptions that it may have.
    pub subscriptions: u32,
    /// The client has to report what it has taken.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub credit: bool,
    /// Conflated messages say when they were published.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub times: bool,
    /// The client wants to know when the router is drained.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub notices: bool,
}

/// What the router says of itself.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Notice<'a> {
    /// `draining` or `in service`.
    pub code: &'a str,
    /// The administrator's reason, or nothing.
    pub reason: &'a str,
}

/// The time of the router.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Clock {
    /// As the question gave it.
    pub token: u64,
    /// Nanoseconds on the router's clock, which begins anywhere.
    pub time_ns: u64,
}

/// A message.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Message<'a> {
    /// The subscription that it matched.
    pub subscription: u32,
    /// Its topic.
    pub topic: &'a str,
    /// Its number in the topic, from 1.
    pub sequence: u64,
    /// Updates that it replaced since the last one that was delivered; conflated ones have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<u64>,
    /// It was published before the subscription was made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub last_value: bool,
    /// Nanoseconds from its publishing to its sending; conflated ones and last values have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_ns: Option<u64>,
    /// When it was published, by the router's clock; conflated ones and last values have it where times
    /// were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_ns: Option<u64>,
    /// Format of the payload, where it has one.
    #[serde(skip_serializing_if = "is_opaque", serialize_with = "named")]
    pub format: u16,
    /// The requester, for a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<ReplyTo>,
    /// The payload.
    #[serde(flatten)]
    pub payload: Carried<'a>,
}

/// How a payload is carried.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Carried<'a> {
    /// In the text.
    Payload(&'a str),
    /// As the binary frame that follows, with so many bytes.
    Binary(usize),
}

/// Messages of a topic that were not delivered.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Gap<'a> {
    /// The subscription that they matched.
    pub subscription: u32,
    /// Their topic.
    pub topic: &'a str,
    /// How many.
    pub count: u64,
    /// Number of the first.
    pub first: u64,
    /// Number of the last.
    pub last: u64,
    /// Nanoseconds since the first was lost.
    pub age_ns: u64,
    /// Why it cannot be had in the format that was asked for; otherwise the client did not keep up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

/// The end of the last values.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LastValues {
    /// The subscription that asked for them.
    pub subscription: u32,
    /// How many there were.
    pub count: u64,
}

/// An answer.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Reply<'a> {
    /// As the request gave it.
    pub correlation: u64,
    /// Format of the payload, where it has one.
    #[serde(skip_serializing_if = "is_opaque", serialize_with = "named")]
    pub format: u16,
    /// The payload.
    #[serde(flatten)]
    pub payload: Carried<'a>,
}

/// A command that was not carried out.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rejected<'a> {
    /// The command that it answers.
    #[serde(flatten)]
    pub subject: Subject<'a>,
    /// A few words that do not change, for programs.
    pub code: &'a str,
    /// The byte of the topic or pattern that is wrong, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// Words for people.
    pub reason: &'a str,
}

/// What a rejection is about, and the number or name by which the client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject<'a> {
    /// A subscription that was to be made.
    Subscribe(u32),
    /// A subscription that was to end.
    Unsubscribe(u32),
    /// A topic that was published to.
    Publish(&'a str),
    /// The correlation of a request.
    Request(u64),
    /// The requester of the reply.
    Reply(ReplyTo),
    /// The name of a producer.
    Producer(&'a str),
    /// The sequence of a message to store.
    Store(u64),
    /// A subscription to a durable subscription, or of a replay.
    Consume(u32),
    /// The subscription of an acknowledgement.
    Acknowledge(u32),
    /// The subscription of a message to give back.
    Release(u32),
    /// The name of a durable subscription to end.
    Delete(&'a str),
    /// The beginning of a text that is no command.
    Text(&'a str),
}

/// Why a connection is about to be closed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Closing<'a> {
    /// Words for people.
    pub reason: &'a str,
}

pub(super) fn is_opaque(format: &u16) -> bool {
    *format == format::OPAQUE
}

pub(super) fn named<S: Serializer>(format: &u16, serializer: S) -> Result<S::Ok, S::Error> {
    match format::name(*format) {
        Some(name) => serializer.serialize_str(name),
        None => serializer.serialize_u16(*format),
    }
}

/// How a payload is carried: in the text, if it is one.
pub(super) fn carried(payload: &[u8]) -> Carried<'_> {
    match std::str::from_utf8(payload) {
        Ok(text) => Carried::Payload(text),
        Err(_) => Carried::Binary(payload.len()),
    }
}

impl Writer {
    /// Adds what a client is told.
    pub fn write(&mut self, out: &mut Vec<u8>, outgoing: &impl Serialize) {
        self.text.clear();
        // Nothing in these types fails: their keys are texts, and a Vec takes everything.
        let _ = serde_json::to_writer(&mut self.text, outgoing);
        text(out, &[&self.text]);
        self.text.shrink_to(KEPT_BYTES);
    }

    /// Adds a message. `fields` has everything but the payload.
    pub fn message(&mut self, out: &mut Vec<u8>, fields: Message<'_>, payload: &[u8]) {
        let carried = carried(payload);
        self.write(out, &Outgoing::Message(Message { payload: carried, ..fields }));
        follow(out, carried, payload);
    }

    /// Adds an answer to a request.
    pub fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, payload: &[u8]) {
        let carried = carried(payload);
        self.write(out, &Outgoing::Reply(Reply { correlation, format, payload: carried }));
        follow(out, carried, payload);
    }

    /// Adds why the connection is about to be closed, and the frame that closes it.
    pub fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str) {
        self.write(out, &Outgoing::Closing(Closing { reason }));
        close(out, CloseCode::from(code), reason);
    }
}

/// A buffer for texts that has grown beyond this does not stay so.
const KEPT_BYTES: usize = 16 << 10;

pub(super) fn follow(out: &mut Vec<u8>, carried: Carried<'_>, payload: &[u8]) {
    if let Carried::Binary(_) = carried {
        frame(out, OpCode::Data(Data::Binary), &[payload]);
    }
}

/// Adds a ping, which every WebSocket client answers by itself.
pub fn ping(out: &mut Vec<u8>) {
    frame(out, OpCode::Control(Control::Ping), &[]);
}

/// Adds the frame that closes. A reason beyond what such a frame holds is cut.
pub(super) fn close(out: &mut Vec<u8>, code: CloseCode, reason: &str) {
    let mut payload = u16::from(code).to_be_bytes().to_vec();
    payload.extend_from_slice(&reason.as_bytes()[..reason.floor_char_boundary(REASON_BYTES)]);
    frame(out, OpCode::Control(Control::Close), &[&payload]);
}

/// Bytes of a reason in a frame that closes (RFC 6455, section 5.5).
const REASON_BYTES: usize = 123;

/// Adds a text that consists of these parts.
pub(super) fn text(out: &mut Vec<u8>, parts: &[&[u8]]) {
    frame(out, OpCode::Data(Data::Text), parts);
}

fn frame(out: &mut Vec<u8>, opcode: OpCode, parts: &[&[u8]]) {
    let header = FrameHeader { is_final: true, opcode, mask: None, ..FrameHeader::default() };
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    // Fails only where writing does.
    let _ = header.format(bytes as u64, out);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}
