//! The frames, decoded.

mod credentials;
mod guaranteed;

pub use credentials::Credentials;
pub use guaranteed::{
    Acknowledge, Acknowledged, Confirmed, Consume, Consuming, Delete, Delivery, DeliveryPolicy,
    Durability, Lost, LostReason, Producer, Producing, Release, Start, Store, Stored,
};

/// A frame from a client to the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientFrame<'a> {
    /// Opens the conversation; it comes first.
    Hello(Hello<'a>),
    /// Shows who the client is; it follows HELLO, if that says so.
    Credentials(Credentials<'a>),
    /// Gives a topic a number.
    Topic(Topic<'a>),
    /// A message.
    Publish(Publish<'a>),
    /// Subscribes to a pattern.
    Subscribe(Subscribe<'a>),
    /// Ends the subscription of this number.
    Unsubscribe(u32),
    /// A message that asks for an answer.
    Request(Request<'a>),
    /// The answer to a request that this client received.
    Reply(Reply<'a>),
    /// Asks for a PONG with the same token.
    Ping(u64),
    /// Answers a PING with this token.
    Pong(u64),
    /// Releases the number of a topic.
    Forget(u32),
    /// Names the producer, in guaranteed delivery.
    Producer(Producer<'a>),
    /// A guaranteed message.
    Store(Store<'a>),
    /// Asks for guaranteed messages.
    Consume(Consume<'a>),
    /// Acknowledges a message.
    Acknowledge(Acknowledge),
    /// Gives a message back.
    Release(Release),
    /// Ends a durable subscription for all consumers.
    Delete(Delete<'a>),
    /// How many conflated messages the application has taken.
    Taken(Taken),
    /// Asks for the time of the router; the answer has the same token.
    Clock(u64),
}

/// A frame from the router to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterFrame<'a> {
    /// The answer to HELLO.
    Welcome(Welcome),
    /// The name of a topic; its `alias` is the number that messages and gaps refer to.
    Topic(Topic<'a>),
    /// A message of a subscription.
    Message(Message<'a>),
    /// Messages of a subscription that were lost.
    Gap(Gap<'a>),
    /// The subscription of this number is active.
    Subscribed(u32),
    /// A frame was rejected.
    Rejected(Rejected<'a>),
    /// The answer to a request of this client.
    Reply(RouterReply<'a>),
    /// Asks for a PONG with the same token.
    Ping(u64),
    /// Answers a PING with this token.
    Pong(u64),
    /// The connection ends behind this frame.
    Closing(Closing<'a>),
    /// The subscription of this number has ended.
    Unsubscribed(u32),
    /// The answer to PRODUCER.
    Producing(Producing),
    /// Guaranteed messages of this client are stored.
    Stored(Stored),
    /// The answer to CONSUME.
    Consuming(Consuming),
    /// A guaranteed message of a subscription.
    Delivery(Delivery<'a>),
    /// The durability of delivered messages.
    Confirmed(Confirmed),
    /// The acknowledgements of this client are durable.
    Acknowledged(Acknowledged),
    /// Guaranteed messages of a subscription that will not come.
    Lost(Lost),
    /// The time of the router.
    Clock(Clock),
    /// All last values of a subscription have come.
    LastValues(LastValues),
    /// The router says something of itself.
    Notice(Notice<'a>),
}

/// The identity of a client, and the options of its queue in the router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hello<'a> {
    /// The highest version of the protocol that the client supports.
    pub version: u16,
    /// CREDENTIALS follows.
    pub has_credentials: bool,
    /// Optional features of the client, which the router may use.
    pub features: Features,
    /// The most messages that wait for this client; 0 leaves it to the router.
    pub queue_messages: u32,
    /// The policy when its queue is full.
    pub overflow: Overflow,
    /// The most bytes of payload that wait for this client; 0 leaves it to the router.
    pub queue_bytes: u64,
    /// The most messages a second for the client; 0 is no cap.
    pub messages_per_second: u32,
    /// The most bytes of payload a second for the client; 0 is no cap.
    pub bytes_per_second: u64,
    /// For people: logs, metrics, configuration. At most 200 bytes of UTF-8, no control characters.
    pub name: &'a str,
}

/// Optional features. A client offers them in HELLO, and WELCOME says which of them are in effect; a side
/// that knows none has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The client reports by TAKEN which conflated messages its application has taken, and the router sends
    /// only as many ahead as keep the application busy.
    pub credit: bool,
    /// Conflated messages and last values have their time of publishing, and the router answers CLOCK.
    pub times: bool,
    /// The client may ask for last values by SUBSCRIBE, and clear them by PUBLISH.
    pub last_values: bool,
    /// The router tells the client by NOTICE that it is drained for maintenance.
    pub notices: bool,
    /// The client may ask by CONSUME what becomes of messages that are not acknowledged.
    pub policies: bool,
    /// The client may name by SUBSCRIBE the format that it wants messages in, and GAP may have a reason.
    pub formats: bool,
    /// The client may say by SUBSCRIBE which messages it wants, by what they say, and GAP may have a reason.
    pub filters: bool,
    /// The client may say by SUBSCRIBE which fields of messages it wants, and GAP may have a reason.
    pub fields: bool,
}

impl Features {
    /// None of them.
    pub const NONE: Self = Self {
        credit: false,
        times: false,
        last_values: false,
        notices: false,
        policies: false,
        formats: false,
        filters: false,
        fields: false,
    };

    const CREDIT: u16 = 1;
    const TIMES: u16 = 2;
    const LAST_VALUES: u16 = 4;
    const NOTICES: u16 = 8;
    const POLICIES: u16 = 16;
    const FORMATS: u16 = 32;
    const FILTERS: u16 = 64;
    const FIELDS: u16 = 128;

    /// The bits of HELLO and WELCOME.
    pub(crate) fn bits(self) -> u16 {
        (if self.credit { Self::CREDIT } else { 0 })
            | (if self.times { Self::TIMES } else { 0 })
            | (if self.last_values { Self::LAST_VALUES } else { 0 })
            | (if self.notices { Self::NOTICES } else { 0 })
            | (if self.policies { Self::POLICIES } else { 0 })
            | (if self.formats { Self::FORMATS } else { 0 })
            | (if self.filters { Self::FILTERS } else { 0 })
            | (if self.fields { Self::FIELDS } else { 0 })
    }

    /// Unknown bits are ignored: a newer side may know more.
    pub(crate) fn from_bits(bits: u16) -> Self {
        Self {
            credit: bits & Self::CREDIT != 0,
            times: bits & Self::TIMES != 0,
            last_values: bits & Self::LAST_VALUES != 0,
            notices: bits & Self::NOTICES != 0,
            policies: bits & Self::POLICIES != 0,
            formats: bits & Self::FORMATS != 0,
            filters: bits & Self::FILTERS != 0,
            fields: bits & Self::FIELDS != 0,
        }
    }
}

/// The policy when a client's queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The router's configuration decides.
    #[default]
    Default,
    /// The oldest messages are dropped.
    DropOldest,
    /// New messages are dropped.
    DropNewest,
    /// The client is disconnected.
    Disconnect,
}

/// A topic and its number in this connection and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic<'a> {
    /// The number.
    pub alias: u32,
    /// The name.
    pub name: &'a str,
}

/// A message for a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publish<'a> {
    /// The number that the client gave to the topic.
    pub alias: u32,
    /// The topic has no last value then, and new subscriptions do not get this message.
    pub clears_last_value: bool,
    /// The format of the payload ([`crate::format`]).
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Subscribes to all topics that match a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscribe<'a> {
    /// The client's number for it.
    pub subscription: u32,
    /// Which messages of each topic.
    pub updates: Updates,
    /// First the last value of each topic that keeps it.
    pub last_values: bool,
    /// The format that messages are wanted in ([`crate::format`]), if not in that in which they are published.
    pub format: Option<u16>,
    /// Which messages, by what they say; all if it is empty.
    pub filter: &'a str,
    /// Which fields of them, with commas between; all if it is empty.
    pub fields: &'a str,
    /// Such as `fx/*/spot` or `fx/>`.
    pub pattern: &'a str,
}

/// Which messages of each topic a subscription receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Updates {
    /// Every one.
    #[default]
    All,
    /// At most so many a second, from 1 to 4,294,967,294; a newer message replaces the waiting one.
    PerSecond(u32),
    /// As many as the client takes; a newer message replaces the waiting one.
    Newest,
}

/// A message that asks for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The number that the client gave to the topic.
    pub alias: u32,
    /// After so many milliseconds the request is rejected; 0 is the router's default.
    pub timeout_ms: u32,
    /// Returned with the answer.
    pub correlation: u64,
    /// The format of the payload.
    pub format: u16,
    /// The request itself.
    pub payload: &'a [u8],
}

/// The answer to a request, from the responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The requester, as in the MESSAGE.
    pub request: Requester,
    /// The format of the payload.
    pub format: u16,
    /// The answer itself.
    pub payload: &'a [u8],
}

/// A request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// The router's number of the client.
    pub client: u64,
    /// The client's number for the request.
    pub correlation: u64,
}

/// What the application of a client has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Conflated messages (MESSAGE with `replaced` and `age`) of this connection that the application has
    /// processed, from the first on.
    pub messages: u64,
    /// The shortest round trip to the router that the client has measured, in nanoseconds; 0 if it knows
    /// none.
    pub round_trip: u64,
}

/// The time of the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The token of the question.
    pub token: u64,
    /// Nanoseconds on the clock that [`Message::published`] is read from. Its zero has no meaning.
    pub time: u64,
}

/// The answer to HELLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The version of the connection.
    pub version: u16,
    /// The offered features that are in effect.
    pub features: Features,
    /// The most bytes of a frame that the router takes.
    pub frame_bytes: u32,
    /// The router's number of the client.
    pub client: u64,
    /// Aliases are below this.
    pub topics: u32,
    /// The most subscriptions of a client.
    pub subscriptions: u32,
}

/// A message of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The topic; an earlier TOPIC frame has its name.
    pub topic: u32,
    /// The message's number in its topic, from 1.
    pub sequence: u64,
    /// What it replaced, if the subscription conflates.
    pub conflation: Option<Conflation>,
    /// The requester, if it is a request.
    pub request: Option<Requester>,
    /// When the router received it, in nanoseconds on its own clock ([`Clock`]), if the subscription
    /// conflates or it is a last value, and times were agreed on.
    pub published: Option<u64>,
    /// For a last value, which was published before the subscription was made: the nanoseconds from
    /// receiving it in the router until sending it.
    pub last_value: Option<u64>,
    /// The format of the payload.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// What conflation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflation {
    /// Messages of this topic that this one replaced since the last delivered one.
    pub replaced: u64,
    /// Nanoseconds from receiving this message in the router until sending it. Its age at the reader
    /// follows from [`Message::published`].
    pub age: u64,
}

/// All last values of a subscription have come, or their loss was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastValues {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// How many there were.
    pub count: u64,
}

/// Messages of a subscription and topic that were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<'a> {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The topic; an earlier TOPIC frame has its name.
    pub topic: u32,
    /// How many, since the last GAP of this subscription and topic.
    pub count: u64,
    /// The number of the first of them in its topic.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// Nanoseconds since the first was lost.
    pub age: u64,
    /// Why the messages cannot be had in the format that was asked for, or not be held against the filter. If this is empty,
    /// the client did not keep up.
    pub reason: &'a str,
}

/// A rejected frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected<'a> {
    /// The kind of the rejected frame ([`crate::kind`]).
    pub of: u8,
    /// The reason ([`crate::code`]).
    pub code: u16,
    /// The wrong byte of the name or pattern, if there is one.
    pub offset: Option<u32>,
    /// The alias, subscription, correlation or sequence of the rejected frame.
    pub id: u64,
    /// The reason, for people.
    pub text: &'a str,
}

/// The answer to a request of this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterReply<'a> {
    /// The correlation of the REQUEST.
    pub correlation: u64,
    /// The format of the payload.
    pub format: u16,
    /// The answer itself.
    pub payload: &'a [u8],
}

/// What the router says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice<'a> {
    /// [`crate::code::DRAINING`] or [`crate::code::IN_SERVICE`]; later routers may know more.
    pub code: u16,
    /// For people.
    pub text: &'a str,
}

/// Why the router ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing<'a> {
    /// For programs ([`crate::code`]).
    pub code: u16,
    /// For people.
    pub text: &'a str,
}
