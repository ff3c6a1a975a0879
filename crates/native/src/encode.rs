//! Frames to bytes, one function a frame. Each appends a whole frame to its output.
//!
//! A payload and what comes before it must be below 4 GiB; a router accepts far less, and the caller checks
//! that.

mod guaranteed;

pub(crate) use guaranteed::CONSUME_HEAD;
pub use guaranteed::{
    encode_acknowledge, encode_acknowledged, encode_confirmed, encode_consume, encode_consuming,
    encode_delete, encode_lost, encode_producer, encode_producing, encode_release, encode_stored,
};

use crate::frame::{
    ClientFrame, Clock, Closing, Credentials, Delete, Gap, Hello, LastValues, Message, Notice,
    Overflow, Producer, Publish, Rejected, Reply, Request, RouterFrame, RouterReply, Subscribe,
    Taken, Topic, Updates, Welcome,
};
use crate::kind::{self, flag};
use crate::{HEADER, MAGIC, fast};

/// Bytes of HELLO before the name.
pub(crate) const HELLO_HEAD: usize = 48;

/// Bytes of CREDENTIALS before the user's name.
pub(crate) const CREDENTIALS_HEAD: usize = 12;

/// Writes the header, and reserves the whole frame.
fn begin(out: &mut Vec<u8>, kind: u8, flags: u8, format: u16, rest: usize) {
    let length = HEADER + rest;
    out.reserve(length);
    let [format_low, format_high] = format.to_le_bytes();
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.extend_from_slice(&[kind, flags, format_low, format_high]);
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// A frame of one 32-bit number.
fn number(out: &mut Vec<u8>, kind: u8, value: u32) {
    begin(out, kind, 0, 0, 4);
    put_u32(out, value);
}

/// A frame of one token.
fn token(out: &mut Vec<u8>, kind: u8, value: u64) {
    begin(out, kind, 0, 0, 8);
    put_u64(out, value);
}

fn topic(out: &mut Vec<u8>, kind: u8, alias: u32, name: &str) {
    begin(out, kind, 0, 0, 4 + name.len());
    put_u32(out, alias);
    out.extend_from_slice(name.as_bytes());
}

/// The value of `updates_per_second`.
fn updates(updates: Updates) -> u32 {
    match updates {
        Updates::All => 0,
        Updates::PerSecond(rate) => rate,
        Updates::Newest => u32::MAX,
    }
}

/// HELLO.
pub fn encode_hello(out: &mut Vec<u8>, hello: &Hello<'_>) {
    let flags = flag::when(hello.has_credentials, flag::HAS_CREDENTIALS);
    begin(out, kind::HELLO, flags, 0, HELLO_HEAD - HEADER + hello.name.len());
    put_u32(out, MAGIC);
    out.extend_from_slice(&hello.version.to_le_bytes());
    out.extend_from_slice(&hello.features.bits().to_le_bytes());
    put_u32(out, hello.queue_messages);
    let overflow = match hello.overflow {
        Overflow::Default => 0,
        Overflow::DropOldest => 1,
        Overflow::DropNewest => 2,
        Overflow::Disconnect => 3,
    };
    out.extend_from_slice(&[overflow, 0, 0, 0]);
    put_u64(out, hello.queue_bytes);
    put_u32(out, hello.messages_per_second);
    put_u32(out, 0);
    put_u64(out, hello.bytes_per_second);
    out.extend_from_slice(hello.name.as_bytes());
}

/// CREDENTIALS.
pub fn encode_credentials(out: &mut Vec<u8>, credentials: &Credentials<'_>) {
    let Credentials { user, secret } = credentials;
    let rest = CREDENTIALS_HEAD - HEADER + user.len() + secret.len();
    begin(out, kind::CREDENTIALS, 0, 0, rest);
    out.extend_from_slice(&[user.len() as u8, 0, 0, 0]);
    out.extend_from_slice(user.as_bytes());
    out.extend_from_slice(secret.as_bytes());
}

/// TOPIC of a client.
pub fn encode_topic(out: &mut Vec<u8>, alias: u32, name: &str) {
    topic(out, kind::TOPIC, alias, name);
}

/// FORGET.
pub fn encode_forget(out: &mut Vec<u8>, alias: u32) {
    number(out, kind::FORGET, alias);
}

/// SUBSCRIBE.
pub fn encode_subscribe(out: &mut Vec<u8>, subscription: u32, updates: Updates, pattern: &str) {
    let (last_values, format, filter, fields) = (false, None, "", "");
    let it = Subscribe { subscription, updates, last_values, format, filter, fields, pattern };
    encode_subscription(out, &it);
}

/// SUBSCRIBE, with the flags for last values, a format, a filter and fields.
pub fn encode_subscription(out: &mut Vec<u8>, it: &Subscribe<'_>) {
    let flags = flag::when(it.last_values, flag::WANTS_LAST_VALUES)
        | flag::when(it.format.is_some(), flag::WANTS_FORMAT)
        | flag::when(!it.filter.is_empty(), flag::HAS_FILTER)
        | flag::when(!it.fields.is_empty(), flag::HAS_FIELDS);
    let texts = [it.filter, it.fields];
    let rest = 8 + long(texts) + it.pattern.len();
    begin(out, kind::SUBSCRIBE, flags, it.format.unwrap_or(0), rest);
    put_u32(out, it.subscription);
    put_u32(out, updates(it.updates));
    put_texts(out, texts);
    out.extend_from_slice(it.pattern.as_bytes());
}

/// Bytes of the texts that are there, each with its length before it.
fn long(texts: [&str; 2]) -> usize {
    texts.iter().filter(|it| !it.is_empty()).map(|it| 4 + it.len()).sum()
}

fn put_texts(out: &mut Vec<u8>, texts: [&str; 2]) {
    for text in texts.iter().filter(|it| !it.is_empty()) {
        put_u32(out, text.len() as u32);
        out.extend_from_slice(text.as_bytes());
    }
}

/// UNSUBSCRIBE.
pub fn encode_unsubscribe(out: &mut Vec<u8>, subscription: u32) {
    number(out, kind::UNSUBSCRIBE, subscription);
}

/// REQUEST.
pub fn encode_request(out: &mut Vec<u8>, request: &Request<'_>) {
    begin(out, kind::REQUEST, 0, request.format, 16 + request.payload.len());
    put_u32(out, request.alias);
    put_u32(out, request.timeout_ms);
    put_u64(out, request.correlation);
    out.extend_from_slice(request.payload);
}

/// REPLY of the responder.
pub fn encode_reply(out: &mut Vec<u8>, reply: &Reply<'_>) {
    begin(out, kind::REPLY, 0, reply.format, 16 + reply.payload.len());
    put_u64(out, reply.request.client);
    put_u64(out, reply.request.correlation);
    out.extend_from_slice(reply.payload);
}

/// PING of a client.
pub fn encode_ping(out: &mut Vec<u8>, value: u64) {
    token(out, kind::PING, value);
}

/// PONG of a client.
pub fn encode_pong(out: &mut Vec<u8>, value: u64) {
    token(out, kind::PONG, value);
}

/// TAKEN.
pub fn encode_taken(out: &mut Vec<u8>, taken: &Taken) {
    begin(out, kind::TAKEN, 0, 0, 16);
    put_u64(out, taken.messages);
    put_u64(out, taken.round_trip);
}

/// CLOCK of a client.
pub fn encode_clock(out: &mut Vec<u8>, value: u64) {
    token(out, kind::CLOCK, value);
}

/// CLOCK of the router.
pub fn encode_router_clock(out: &mut Vec<u8>, clock: &Clock) {
    begin(out, kind::ROUTER_CLOCK, 0, 0, 16);
    put_u64(out, clock.token);
    put_u64(out, clock.time);
}

/// WELCOME.
pub fn encode_welcome(out: &mut Vec<u8>, welcome: &Welcome) {
    begin(out, kind::WELCOME, 0, 0, 24);
    out.extend_from_slice(&welcome.version.to_le_bytes());
    out.extend_from_slice(&welcome.features.bits().to_le_bytes());
    put_u32(out, welcome.frame_bytes);
    put_u64(out, welcome.client);
    put_u32(out, welcome.topics);
    put_u32(out, welcome.subscriptions);
}

/// TOPIC of the router.
pub fn encode_router_topic(out: &mut Vec<u8>, number: u32, name: &str) {
    topic(out, kind::ROUTER_TOPIC, number, name);
}

/// MESSAGE, with the fields of its flags; [`crate::encode_plain_message`] is for messages without flags.
pub fn encode_message(out: &mut Vec<u8>, message: &Message<'_>) {
    let mut flags = 0;
    let mut rest = 16 + message.payload.len();
    if message.conflation.is_some() {
        flags |= flag::CONFLATED;
        rest += 16;
    }
    if message.request.is_some() {
        flags |= flag::REQUEST;
        rest += 16;
    }
    if message.published.is_some() {
        flags |= flag::TIMED;
        rest += 8;
    }
    if message.last_value.is_some() {
        flags |= flag::LAST_VALUE;
        rest += 8;
    }
    begin(out, kind::MESSAGE, flags, message.format, rest);
    put_u32(out, message.subscription);
    put_u32(out, message.topic);
    put_u64(out, message.sequence);
    if let Some(conflation) = message.conflation {
        put_u64(out, conflation.replaced);
        put_u64(out, conflation.age);
    }
    if let Some(request) = message.request {
        put_u64(out, request.client);
        put_u64(out, request.correlation);
    }
    if let Some(published) = message.published {
        put_u64(out, published);
    }
    if let Some(age) = message.last_value {
        put_u64(out, age);
    }
    out.extend_from_slice(message.payload);
}

/// GAP.
pub fn encode_gap(out: &mut Vec<u8>, gap: &Gap<'_>) {
    let flags = flag::when(!gap.reason.is_empty(), flag::HAS_REASON);
    begin(out, kind::GAP, flags, 0, 40 + gap.reason.len());
    put_u32(out, gap.subscription);
    put_u32(out, gap.topic);
    put_u64(out, gap.count);
    put_u64(out, gap.first);
    put_u64(out, gap.last);
    put_u64(out, gap.age);
    out.extend_from_slice(gap.reason.as_bytes());
}

/// LAST_VALUES.
pub fn encode_last_values(out: &mut Vec<u8>, it: &LastValues) {
    begin(out, kind::LAST_VALUES, 0, 0, 16);
    put_u32(out, it.subscription);
    put_u32(out, 0);
    put_u64(out, it.count);
}

/// SUBSCRIBED.
pub fn encode_subscribed(out: &mut Vec<u8>, subscription: u32) {
    number(out, kind::SUBSCRIBED, subscription);
}

/// UNSUBSCRIBED.
pub fn encode_unsubscribed(out: &mut Vec<u8>, subscription: u32) {
    number(out, kind::UNSUBSCRIBED, subscription);
}

/// REJECTED.
pub fn encode_rejected(out: &mut Vec<u8>, rejected: &Rejected<'_>) {
    begin(out, kind::REJECTED, 0, 0, 16 + rejected.text.len());
    out.extend_from_slice(&[rejected.of, 0]);
    out.extend_from_slice(&rejected.code.to_le_bytes());
    put_u32(out, rejected.offset.unwrap_or(u32::MAX));
    put_u64(out, rejected.id);
    out.extend_from_slice(rejected.text.as_bytes());
}

/// REPLY to the requester.
pub fn encode_router_reply(out: &mut Vec<u8>, reply: &RouterReply<'_>) {
    begin(out, kind::ROUTER_REPLY, 0, reply.format, 8 + reply.payload.len());
    put_u64(out, reply.correlation);
    out.extend_from_slice(reply.payload);
}

/// PING of the router.
pub fn encode_router_ping(out: &mut Vec<u8>, value: u64) {
    token(out, kind::ROUTER_PING, value);
}

/// PONG of the router.
pub fn encode_router_pong(out: &mut Vec<u8>, value: u64) {
    token(out, kind::ROUTER_PONG, value);
}

/// CLOSING.
pub fn encode_closing(out: &mut Vec<u8>, code: u16, text: &str) {
    reason(out, kind::CLOSING, code, text);
}

/// NOTICE.
pub fn encode_notice(out: &mut Vec<u8>, it: &Notice<'_>) {
    reason(out, kind::NOTICE, it.code, it.text);
}

/// A frame of a code and a text.
fn reason(out: &mut Vec<u8>, kind: u8, code: u16, text: &str) {
    begin(out, kind, 0, 0, 4 + text.len());
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(text.as_bytes());
}

impl ClientFrame<'_> {
    /// Appends the frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Hello(hello) => encode_hello(out, hello),
            Self::Topic(Topic { alias, name }) => encode_topic(out, *alias, name),
            Self::Publish(Publish { alias, clears_last_value, format, payload }) => {
                let encode = match clears_last_value {
                    true => fast::encode_clearing_publish,
                    false => fast::encode_publish,
                };
                encode(out, *alias, *format, payload);
            }
            Self::Subscribe(subscribe) => encode_subscription(out, subscribe),
            Self::Unsubscribe(subscription) => encode_unsubscribe(out, *subscription),
            Self::Request(request) => encode_request(out, request),
            Self::Reply(reply) => encode_reply(out, reply),
            Self::Ping(token) => encode_ping(out, *token),
            Self::Pong(token) => encode_pong(out, *token),
            Self::Forget(alias) => encode_forget(out, *alias),
            Self::Producer(Producer { name }) => encode_producer(out, name),
            Self::Store(store) => fast::encode_store(out, store),
            Self::Consume(consume) => encode_consume(out, consume),
            Self::Acknowledge(acknowledge) => encode_acknowledge(out, acknowledge),
            Self::Release(release) => encode_release(out, release),
            Self::Delete(Delete { name }) => encode_delete(out, name),
            Self::Taken(taken) => encode_taken(out, taken),
            Self::Clock(token) => encode_clock(out, *token),
            Self::Credentials(credentials) => encode_credentials(out, credentials),
        }
    }
}

impl RouterFrame<'_> {
    /// Appends the frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Welcome(welcome) => encode_welcome(out, welcome),
            Self::Topic(Topic { alias, name }) => encode_router_topic(out, *alias, name),
            Self::Message(message) => encode_message(out, message),
            Self::Gap(gap) => encode_gap(out, gap),
            Self::Subscribed(subscription) => encode_subscribed(out, *subscription),
            Self::Rejected(rejected) => encode_rejected(out, rejected),
            Self::Reply(reply) => encode_router_reply(out, reply),
            Self::Ping(token) => encode_router_ping(out, *token),
            Self::Pong(token) => encode_router_pong(out, *token),
            Self::Closing(Closing { code, text }) => encode_closing(out, *code, text),
            Self::Unsubscribed(subscription) => encode_unsubscribed(out, *subscription),
            Self::Producing(producing) => encode_producing(out, producing),
            Self::Stored(stored) => encode_stored(out, stored),
            Self::Consuming(consuming) => encode_consuming(out, consuming),
            Self::Delivery(delivery) => fast::encode_delivery(out, delivery),
            Self::Confirmed(confirmed) => encode_confirmed(out, confirmed),
            Self::Acknowledged(acknowledged) => encode_acknowledged(out, acknowledged),
            Self::Lost(lost) => encode_lost(out, lost),
            Self::Clock(clock) => encode_router_clock(out, clock),
            Self::LastValues(it) => encode_last_values(out, it),
            Self::Notice(it) => encode_notice(out, it),
        }
    }
}
