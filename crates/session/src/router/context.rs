//! The operations that a client may call, in any protocol.

use std::fmt;

use trunkline_native::{self as native, Credentials, kind};
use trunkline_router::{ClientId, ClientOptions, Overflow, SubscriptionOptions, TopicId};
use trunkline_store::{ClockReading, Consume, EventSink, ProducerId, Producing, Store};

use super::{
    ClientRenderer, HeldTopic, Narrowed, Narrowing, Rejected, SessionRenderer as _, StoreError,
};

/// The client's introduction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greeting<'a> {
    /// For logs, metrics and rules.
    pub name: &'a str,
    /// Its requested queue.
    pub limits: RequestedLimits,
    /// It reports how many conflated messages it has taken.
    pub uses_credit: bool,
    /// What shows who it is, if it says so.
    pub credentials: Option<Credentials<'a>>,
}

/// The queue that a client requests; 0 leaves a value to the router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedLimits {
    /// The most messages in it.
    pub queue_messages: usize,
    /// The most bytes in it.
    pub queue_bytes: usize,
    /// What happens when it is full.
    pub overflow: Option<Overflow>,
    /// The most messages a second.
    pub messages_per_second: u32,
    /// The most bytes a second.
    pub bytes_per_second: u64,
}

impl RequestedLimits {
    /// Lowers `options` to the requested values.
    pub fn lower(&self, options: &mut ClientOptions) {
        if self.queue_messages > 0 {
            options.queue_messages = options.queue_messages.min(self.queue_messages);
        }
        if self.queue_bytes > 0 {
            options.queue_bytes = options.queue_bytes.min(self.queue_bytes);
        }
        options.overflow = self.overflow.unwrap_or(options.overflow);
        lower(&mut options.messages_per_second, self.messages_per_second.try_into().ok());
        lower(&mut options.bytes_per_second, self.bytes_per_second.try_into().ok());
    }
}

/// The lower of two caps, either of which may be none.
fn lower<T: Ord + Copy>(cap: &mut Option<T>, requested: Option<T>) {
    *cap = cap.iter().copied().chain(requested).min();
}

/// A message to store, but for its topic's name.
#[derive(Clone, Copy, Debug)]
pub struct GuaranteedMessage<'a> {
    /// Its number among those of the producer.
    pub sequence: u64,
    /// For how long it is of use, in nanoseconds; 0 for ever.
    pub time_to_live: u64,
    /// Whether it may have been sent before.
    pub is_repeated: bool,
    /// What the payload is.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// The router as one client may use it, for the time of one read.
pub trait ClientContext {
    /// The sink of the store's events.
    type Sink<'s>: EventSink;

    /// The client that this is.
    fn client(&self) -> ClientId;

    /// Nanoseconds since the router's epoch.
    fn now(&self) -> u64;

    /// False once the connection is to end: nothing more is read from it.
    fn is_open(&self) -> bool;

    /// True once the client has introduced itself.
    fn is_greeted(&self) -> bool;

    /// Whether what comes next may be handled. If not, it stays where it is until the client has read of what it was
    /// answered before, or, if it has made much work at once, until others have had their turn.
    fn may_go_on(&mut self) -> bool;

    /// The most bytes of a frame.
    fn frame_bytes(&self) -> u32;

    /// Aliases are below this.
    fn aliases(&self) -> u32;

    /// The most subscriptions of this client.
    fn subscriptions(&self) -> u32;

    /// Takes the client in under its name: with the options of the configuration, or less where it
    /// asks for less. False if it is not taken in: not yet, and the same greeting is to come again when the connection
    /// is held no more; or not at all, and the connection ends.
    fn greet(&mut self, greeting: &Greeting<'_>) -> bool;

    /// The topic of this name, held for this client until it is released.
    ///
    /// # Errors
    ///
    /// The name is no topic, or reserved, or the router knows as many topics as it may.
    fn intern(&mut self, name: &str) -> Result<HeldTopic, Rejected>;

    /// Gives a topic back.
    fn release(&mut self, topic: TopicId);

    /// Delivers a message to every subscriber of its topic. Looks up the rights where they are not known.
    ///
    /// # Errors
    ///
    /// The router does not take the message, or the client may not publish there.
    fn publish(
        &mut self,
        topic: &mut HeldTopic,
        format: u16,
        payload: &[u8],
    ) -> Result<usize, Rejected>;

    /// The topic has no last value from now on, for those who subscribe later.
    fn clear_last_value(&mut self, topic: TopicId);

    /// As [`ClientContext::publish`], wanting a reply within `timeout` nanoseconds; 0 leaves the waiting to
    /// the client.
    ///
    /// # Errors
    ///
    /// No subscriber to the topic has room for it, the correlation is in use, too many requests wait, or the client
    /// may not send requests there.
    fn request(
        &mut self,
        topic: &mut HeldTopic,
        correlation: u64,
        timeout: u64,
        format: u16,
        payload: &[u8],
    ) -> Result<(), Rejected>;

    /// Delivers the answer to the requester, if it still waits. `correlation` is the number that stood beside the
    /// request, which only who was asked knows.
    ///
    /// # Errors
    ///
    /// The requester is gone, or has been answered, or has stopped waiting.
    fn reply(
        &mut self,
        requester: u64,
        correlation: u64,
        format: u16,
        payload: &[u8],
    ) -> Result<(), Rejected>;

    /// What of the messages of a pattern a client wants, for [`ClientContext::subscribe`], which must be called with it.
    /// None if it is not known yet whether there can be such: the same question is to come again when the connection is
    /// held no more.
    ///
    /// # Errors
    ///
    /// Nothing is converted into this format, or no schema is known for any topic that matches; it is no filter or
    /// selection of fields, or not one of these messages; or a limit is reached.
    fn narrow(&mut self, wanted: &Narrowing<'_>) -> Result<Option<Narrowed>, Rejected>;

    /// Subscribes to a pattern, with no more updates than the configuration allows this client.
    ///
    /// # Errors
    ///
    /// The pattern is wrong, the number is in use, a limit is reached, or the client may not subscribe to it.
    fn subscribe(
        &mut self,
        number: u32,
        pattern: &str,
        options: SubscriptionOptions,
    ) -> Result<(), Rejected>;

    /// As [`ClientContext::subscribe`], to what a client wants of the messages of a pattern. None if the same is to come
    /// again.
    ///
    /// # Errors
    ///
    /// As [`ClientContext::subscribe`] and [`ClientContext::narrow`].
    fn subscribe_narrowed(
        &mut self,
        number: u32,
        wanted: &Narrowing<'_>,
        options: SubscriptionOptions,
    ) -> Result<Option<()>, Rejected> {
        let Some(Narrowed { rendition, filter }) = self.narrow(wanted)? else { return Ok(None) };
        let options = SubscriptionOptions { rendition, filter, ..options };
        self.subscribe(number, wanted.pattern, options).map(Some)
    }

    /// Ends a subscription.
    ///
    /// # Errors
    ///
    /// There is none of this number.
    fn unsubscribe(&mut self, number: u32) -> Result<(), Rejected>;

    /// The client has taken so many conflated messages, from the first on; `round_trip` in nanoseconds,
    /// or 0.
    ///
    /// # Errors
    ///
    /// It has not said that it would tell, or it cannot have taken so many or so few.
    fn taken(&mut self, messages: u64, round_trip: u64) -> Result<(), Rejected>;

    /// The client publishes under this name from now on, with a guarantee.
    ///
    /// # Errors
    ///
    /// There are as many producers as may be, or the journal takes nothing.
    fn produce(&mut self, name: &str) -> Result<Producing, StoreError>;

    /// Stores a message of the client's producer.
    ///
    /// # Errors
    ///
    /// It is not stored.
    fn store(
        &mut self,
        producer: ProducerId,
        topic: &mut HeldTopic,
        message: &GuaranteedMessage<'_>,
    ) -> Result<(), StoreError>;

    /// The client wants messages of a durable subscription, or a replay, and of their pattern what is wanted of it; the number
    /// of the filter in the request is not looked at.
    ///
    /// # Errors
    ///
    /// They are not to be had so; or it is not known yet whether there can be such messages, and the same is to come again.
    fn consume(&mut self, request: &Consume<'_>, wanted: &Narrowing<'_>) -> Result<(), StoreError>;

    /// Ends a durable subscription for everybody.
    ///
    /// # Errors
    ///
    /// There is none of this name, or the client may not end it.
    fn delete(&mut self, name: &str) -> Result<(), StoreError>;

    /// Whether a subscription of the client is to a durable subscription or a replay; it ends then.
    fn detach(&mut self, subscription: u32) -> bool;

    /// Calls the store, for operations that concern no other client: the function gets the time, the
    /// client's number and the sink of its events.
    ///
    /// # Errors
    ///
    /// The store's error, as the protocols report it.
    fn with_store<T>(
        &mut self,
        ask: impl FnOnce(
            &mut Store,
            ClockReading,
            u64,
            &mut Self::Sink<'_>,
        ) -> Result<T, trunkline_store::Rejected>,
    ) -> Result<T, StoreError>;

    /// Writes something for the client, in its protocol.
    fn control(&mut self, write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>));

    /// As [`ClientContext::control`], of what needs no renderer.
    fn tell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.control(|_, out| write(out));
    }

    /// Tells the client that the router rejects its frame `of` this kind.
    #[cold]
    fn reject(&mut self, of: u8, id: u64, rejected: &Rejected) {
        let frame = native::Rejected {
            of,
            code: rejected.code,
            offset: rejected.offset,
            id,
            text: &rejected.text,
        };
        let what = format_args!("{} {id}", kind::name(of));
        self.reject_by(what, rejected, |renderer, out| renderer.rejected(out, &frame));
    }

    /// As [`ClientContext::reject`], told by `write`; `what` is for the log.
    fn reject_by(
        &mut self,
        what: fmt::Arguments<'_>,
        rejected: &Rejected,
        write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>),
    );

    /// Counts a rejection that was reported to the client before.
    fn reject_silently(&mut self);

    /// Ends the connection: tells the client why, and reads nothing more from it.
    fn close(&mut self, code: u16, reason: &str);
}
