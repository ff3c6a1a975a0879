//! A conversation with a router, without a socket: bytes in, events out, bytes to send.

mod guaranteed;

use trunkline_native::{
    self as native, Request, RouterFrame, Welcome, decode_delivery, decode_message, decode_router,
    encode_clearing_publish, encode_forget, encode_ping, encode_publish, encode_reply,
    encode_request, encode_topic, encode_unsubscribe,
};

use crate::consumer::{Kind, SubscriptionState};
use crate::error::{Error, Result};
use crate::event::{Delivery, Event, Message, Reply, RequestId, event, unnamed};
use crate::input::Input;
use crate::options::{Options, Subscribe};
use crate::producer::Producer;
use crate::state::{State, Taken};

/// A topic to publish to. It stays valid over a reconnection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Topic(u32);

impl Topic {
    /// Its number in this client, from 0 on; those of forgotten topics are used again.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A subscription. It stays valid over a reconnection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subscription(pub(crate) u32);

impl Subscription {
    /// Its number in this client; from 0 on, and those of ended subscriptions are used again.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Aliases that a router accepts before WELCOME gives the limit.
const ALIASES_BEFORE_WELCOME: u32 = 1024;

/// Bytes of a frame that a router accepts before WELCOME gives the limit.
const FRAME_BYTES_BEFORE_WELCOME: u32 = 64 << 10;

/// Bytes of read-ahead where messages get old.
const LITTLE: usize = 8 << 10;

/// Memory for set-aside frames beyond so many bytes is given back.
const ASIDE_KEPT: usize = 1 << 20;

/// A conversation with a router, without a socket.
///
/// Output gathers in [`Conversation::output`] until [`Conversation::sent`] removes it; the caller must send
/// it before it becomes too much. No code here reads a clock.
#[derive(Debug)]
pub struct Conversation {
    options: Options,
    state: State,
    /// Bytes of the output that are sent.
    sent: usize,
    input: Input,
    /// Bytes of the input that are processed.
    passed: usize,
    /// Whole frames that came during a wait for an answer.
    aside: Vec<u8>,
    aside_passed: usize,
    last_correlation: u64,
}

/// What a frame is to a call that waits for an answer.
pub(crate) enum FrameClass<T> {
    /// It is the answer.
    Answer(T),
    /// It belongs to the answer, and there is more to come.
    Part,
    /// It is for later.
    Other,
}

impl Conversation {
    /// A conversation that begins with HELLO.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let mut state = State::default();
        options.introduce(&mut state.output);
        Self {
            options: options.clone(),
            state,
            sent: 0,
            input: Input::default(),
            passed: 0,
            aside: Vec::new(),
            aside_passed: 0,
            last_correlation: 0,
        }
    }

    /// Starts again over a new connection. Unsent output, unprocessed input and requests without an answer
    /// are gone. Topics, subscriptions and the producer are announced to the router as soon as it has
    /// accepted the client, and the producer's messages are sent again. Publish nothing before that
    /// ([`Event::Welcome`]).
    pub fn restart(&mut self) {
        self.state.restart();
        self.options.introduce(&mut self.state.output);
        self.sent = 0;
        self.input.clear();
        self.passed = 0;
        self.aside.clear();
        self.aside_passed = 0;
    }

    /// What the router said when it took this client, once it has.
    #[must_use]
    pub fn welcome(&self) -> Option<&Welcome> {
        self.state.welcome.as_ref()
    }

    /// Why the router ended the conversation, code and text, once it has.
    #[must_use]
    pub fn closed(&self) -> Option<(u16, &str)> {
        self.state.closed.as_ref().map(|(code, text)| (*code, &**text))
    }

    /// The bytes to send.
    #[inline]
    #[must_use]
    pub fn output(&self) -> &[u8] {
        &self.state.output[self.sent..]
    }

    /// Removes the first bytes of the output, which are sent.
    ///
    /// # Panics
    ///
    /// If they are more than there were.
    #[inline]
    pub fn sent(&mut self, bytes: usize) {
        self.sent += bytes;
        assert!(self.sent <= self.state.output.len(), "more was sent than there was");
        if self.sent == self.state.output.len() {
            self.state.output.clear();
            self.sent = 0;
        } else if self.sent > self.state.output.len() / 2 {
            self.state.output.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// How much to read at a time: little if conflated messages come and the client does not report what it
    /// has taken, since the router cannot replace what was read ahead.
    pub(crate) fn read_at_most(&self) -> usize {
        let tells = self.state.welcome.is_some_and(|welcome| welcome.features.credit);
        if self.state.handed > 0 && !tells { LITTLE } else { usize::MAX }
    }

    /// Room to read into; then call [`Conversation::filled`].
    pub fn room(&mut self) -> &mut [u8] {
        self.input.pass(self.passed);
        self.passed = 0;
        if self.aside_passed == self.aside.len() {
            self.aside.clear();
            self.aside.shrink_to(ASIDE_KEPT);
            self.aside_passed = 0;
        }
        self.input.room()
    }

    /// Takes so many bytes that were read into the room.
    ///
    /// # Panics
    ///
    /// If they are more than there was room for.
    pub fn filled(&mut self, bytes: usize) {
        self.input.filled(bytes);
    }

    /// Takes bytes that were read elsewhere.
    pub fn received(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.room();
            let length = room.len().min(bytes.len());
            room[..length].copy_from_slice(&bytes[..length]);
            self.filled(length);
            bytes = &bytes[length..];
        }
    }

    /// The next event; `None` if more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`Error::Broken`] if the bytes are not what a router says; there is no next event then.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>> {
        loop {
            let from_aside = self.aside_passed < self.aside.len();
            let bytes = match from_aside {
                true => &self.aside[self.aside_passed..],
                false => &self.input.bytes()[self.passed..],
            };
            // Input that cannot be understood is passed too: nothing comes behind it.
            let mut pass = |length| match from_aside {
                true => self.aside_passed += length,
                false => self.passed += length,
            };
            // Nearly all are plain messages.
            if let Some((message, length)) = decode_message(bytes, self.options.frame_bytes) {
                pass(length);
                return match self.state.names.get(message.topic) {
                    Some(topic) => Ok(Some(Event::Message(Message::new(&message, topic)))),
                    None => Err(unnamed(message.topic)),
                };
            }
            if let Some((delivery, length)) = decode_delivery(bytes, self.options.frame_bytes) {
                pass(length);
                self.state.has_seen(&delivery);
                return match self.state.names.get(delivery.topic) {
                    Some(topic) => Ok(Some(Event::Delivery(Delivery::new(&delivery, topic)))),
                    None => Err(unnamed(delivery.topic)),
                };
            }
            let Some((frame, length)) = decode_router(bytes, self.options.frame_bytes)? else {
                return Ok(self.state.producer.as_mut().and_then(Producer::news));
            };
            pass(length);
            if self.state.receive_frame(&frame)? {
                continue;
            }
            match self.state.take(&frame)? {
                Taken::Inside => {}
                Taken::Event => return event(frame, &self.state.names).map(Some),
                Taken::Ended(subscription) => return Ok(Some(Event::Ended(subscription))),
            }
        }
    }

    /// Searches the input for an answer; other frames are set aside for [`Conversation::next_event`], in
    /// their order.
    pub(crate) fn look_for<T>(
        &mut self,
        mut look: impl FnMut(&RouterFrame<'_>) -> FrameClass<T>,
    ) -> Result<Option<T>> {
        loop {
            let bytes = &self.input.bytes()[self.passed..];
            let Some((frame, length)) = decode_router(bytes, self.options.frame_bytes)? else {
                return Ok(None);
            };
            if self.state.receive_frame(&frame)? {
                self.passed += length;
                continue;
            }
            let looked = look(&frame);
            // Frames set aside may belong to a subscription that ends, so its number is not free before
            // they are delivered.
            let has_messages = self.has_aside() && matches!(frame, RouterFrame::Unsubscribed(_));
            match (frame, &looked) {
                (RouterFrame::Ping(_) | RouterFrame::Clock(_) | RouterFrame::Closing(_), _) => {
                    _ = self.state.take(&frame)?;
                }
                (_, FrameClass::Answer(_) | FrameClass::Part) if !has_messages => {
                    _ = self.state.take(&frame)?;
                }
                _ => {
                    let limit = self.options.aside_bytes;
                    if self.aside.len() + length > limit {
                        return Err(Error::Aside { limit });
                    }
                    self.aside.extend_from_slice(&bytes[..length]);
                }
            }
            self.passed += length;
            if let Some((code, reason)) = self.state.closed.clone() {
                return Err(Error::Closed { code, reason });
            }
            if let FrameClass::Answer(answer) = looked {
                return Ok(Some(answer));
            }
        }
    }

    /// Whether an event was set aside.
    pub(crate) fn has_aside(&self) -> bool {
        self.aside_passed < self.aside.len()
    }

    /// The longest payload that fits, with so many bytes before it.
    fn payload_limit(&self, head: usize) -> usize {
        let whole = self.state.welcome.map_or(FRAME_BYTES_BEFORE_WELCOME, |it| it.frame_bytes);
        (whole as usize).saturating_sub(head)
    }

    fn check_payload(&self, payload: &[u8], head: usize) -> Result<()> {
        let (length, limit) = (payload.len(), self.payload_limit(head));
        if length > limit { Err(Error::TooLong { length, limit }) } else { Ok(()) }
    }

    /// Gives a topic a number. If the router rejects its name, [`Event::Rejected`] says so.
    ///
    /// # Errors
    ///
    /// If the name does not fit a frame, or the router has no number left.
    pub fn topic(&mut self, name: &str) -> Result<Topic> {
        self.check_payload(name.as_bytes(), native::PUBLISH_HEAD)?;
        let limit = self.state.welcome.map_or(ALIASES_BEFORE_WELCOME, |it| it.topics);
        let alias = self.state.topics.insert(name.into(), limit);
        let alias = alias.ok_or(Error::TooManyTopics { limit })?;
        encode_topic(&mut self.state.output, alias, name);
        Ok(Topic(alias))
    }

    /// Releases the number of a topic. Do not publish to it afterwards.
    pub fn forget(&mut self, topic: Topic) {
        // Otherwise kept messages would be sent again to the next topic with the number.
        let producer = self.state.producer.as_mut();
        if !producer.is_some_and(|producer| producer.forget_later(topic.0)) {
            self.state.topics.remove(topic.0);
            encode_forget(&mut self.state.output, topic.0);
        }
    }

    /// Publishes a message.
    ///
    /// # Errors
    ///
    /// If it is longer than the router takes.
    #[inline]
    pub fn publish(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<()> {
        self.check_payload(payload, native::MOST_MESSAGE_HEAD)?;
        encode_publish(&mut self.state.output, topic.0, format, payload);
        Ok(())
    }

    /// Publishes a message that clears the last value of its topic: subscribers get it, and those who
    /// subscribe later get no last value.
    ///
    /// # Errors
    ///
    /// If it is longer than the router takes, or the router knows no last values.
    pub fn publish_and_clear(&mut self, topic: Topic, format: u16, payload: &[u8]) -> Result<()> {
        self.check_payload(payload, native::MOST_MESSAGE_HEAD)?;
        self.state.check_last_values()?;
        encode_clearing_publish(&mut self.state.output, topic.0, format, payload);
        Ok(())
    }

    /// Subscribes. [`Event::Subscribed`] or [`Event::Rejected`] is the answer.
    ///
    /// # Errors
    ///
    /// If the pattern does not fit a frame, a filter or the names of fields are empty, or the router knows no last values,
    /// no formats, no filters or no fields.
    pub fn subscribe(&mut self, pattern: &str, how: &Subscribe) -> Result<Subscription> {
        self.check_payload(pattern.as_bytes(), 16 + how.text_bytes())?;
        self.state.check_subscription(how)?;
        self.stand(Kind::Direct { pattern: pattern.into(), how: how.clone() })
    }

    /// Asks for a subscription under a free number.
    fn stand(&mut self, kind: Kind) -> Result<Subscription> {
        let number = self.state.subscriptions.insert(SubscriptionState::new(kind), u32::MAX);
        let number = number.ok_or(Error::Broken("no number is free".to_owned()))?;
        if let Some(subscription) = self.state.subscriptions.get(number) {
            subscription.announce(&mut self.state.output, number);
        }
        Ok(Subscription(number))
    }

    /// Ends a subscription or a replay, or leaves a durable subscription. Nothing comes after
    /// [`Event::Unsubscribed`]. If the router has ended the subscription before, that event comes instead,
    /// and this one is rejected.
    pub fn unsubscribe(&mut self, subscription: Subscription) {
        if let Some(subscription) = self.state.subscriptions.get_mut(subscription.0) {
            subscription.is_left = true;
        }
        encode_unsubscribe(&mut self.state.output, subscription.0);
    }

    /// Sends a request and returns its number, which comes back with [`Event::Reply`] or
    /// [`Event::Rejected`]. The router rejects it after so many milliseconds; 0 is the router's default.
    ///
    /// # Errors
    ///
    /// If it is longer than the router takes.
    pub fn request(
        &mut self,
        topic: Topic,
        format: u16,
        payload: &[u8],
        timeout_ms: u32,
    ) -> Result<u64> {
        self.check_payload(payload, native::MOST_MESSAGE_HEAD)?;
        self.last_correlation += 1;
        let correlation = self.last_correlation;
        self.state.requests.insert(correlation);
        let request = Request { alias: topic.0, timeout_ms, correlation, format, payload };
        encode_request(&mut self.state.output, &request);
        Ok(correlation)
    }

    /// Stops waiting for the answer to a request.
    pub fn give_up(&mut self, correlation: u64) {
        self.state.requests.remove(&correlation);
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// If the answer is longer than the router takes.
    pub fn reply(&mut self, request: RequestId, reply: &Reply) -> Result<()> {
        self.check_payload(&reply.payload, 24)?;
        let Reply { format, payload } = reply;
        let frame = native::Reply { request: request.into(), format: *format, payload };
        encode_reply(&mut self.state.output, &frame);
        Ok(())
    }

    /// Conflated messages that were delivered and not yet reported to the router.
    #[must_use]
    pub fn unreported(&self) -> u64 {
        let tells = self.state.welcome.is_some_and(|welcome| welcome.features.credit);
        if tells { self.state.handed - self.state.reported } else { 0 }
    }

    /// Reports to the router that the application has taken all delivered conflated messages, if the router
    /// uses credit and does not know it yet; `round_trip` is the shortest to it in nanoseconds, or 0.
    ///
    /// With [`Options::credit`] the caller must call it: the router sends only so many ahead. A fast reader
    /// need not call it for each message, but must before it waits for more.
    pub fn report_taken(&mut self, round_trip: u64) {
        if self.unreported() > 0 {
            self.state.reported = self.state.handed;
            let taken = native::Taken { messages: self.state.handed, round_trip };
            native::encode_taken(&mut self.state.output, &taken);
        }
    }

    /// Asks for the time of the router, if it tells times.
    pub fn ask_clock(&mut self, token: u64) {
        if self.state.welcome.is_some_and(|welcome| welcome.features.times) {
            native::encode_clock(&mut self.state.output, token);
        }
    }

    /// The last answer to [`Conversation::ask_clock`] that was received and not taken yet: its token, and
    /// the router's time in nanoseconds.
    pub fn clock(&mut self) -> Option<(u64, u64)> {
        self.state.clock.take().map(|clock| (clock.token, clock.time))
    }

    /// Sends a PING. [`Event::Pong`] comes back behind the answers to everything that was asked before. The
    /// token [`u64::MAX`] is reserved for the conversation.
    pub fn ping(&mut self, token: u64) {
        encode_ping(&mut self.state.output, token);
    }
}
