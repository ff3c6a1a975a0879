//! The frames, as they are before they are bytes and after.

mod guaranteed;

pub use guaranteed::{
    Acknowledge, Acknowledged, Confirmed, Consume, Consuming, Delete, Delivery, Durability, Lost,
    LostReason, Producer, Producing, Release, Start, Store, Stored,
};

/// A frame from a client to the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientFrame<'a> {
    /// Opens the conversation; nothing else may come first.
    Hello(Hello<'a>),
    /// Gives a topic a number.
    Topic(Topic<'a>),
    /// A message.
    Publish(Publish<'a>),
    /// Asks for messages.
    Subscribe(Subscribe<'a>),
    /// Ends the subscription of this number.
    Unsubscribe(u32),
    /// A message that wants an answer.
    Request(Request<'a>),
    /// The answer to a request that this client was sent.
    Reply(Reply<'a>),
    /// Wants a PONG with the same token.
    Ping(u64),
    /// Answers a PING with this token.
    Pong(u64),
    /// Gives the number of a topic back.
    Forget(u32),
    /// Says who publishes, in guaranteed delivery.
    Producer(Producer<'a>),
    /// A guaranteed message.
    Store(Store<'a>),
    /// Asks for guaranteed messages.
    Consume(Consume<'a>),
    /// This client has done with a message.
    Acknowledge(Acknowledge),
    /// This client gives a message back.
    Release(Release),
    /// Ends a durable subscription for all.
    Delete(Delete<'a>),
    /// How many conflated messages the application has taken.
    Taken(Taken),
    /// Wants to know the time of the router; the token comes back.
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
    Gap(Gap),
    /// The subscription of this number stands.
    Subscribed(u32),
    /// What was asked for is not done.
    Refused(Refused<'a>),
    /// The answer to a request of this client.
    Reply(RouterReply<'a>),
    /// Wants a PONG with the same token.
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
    /// How durable is what was delivered.
    Confirmed(Confirmed),
    /// The acknowledgements of this client are kept.
    Acknowledged(Acknowledged),
    /// Guaranteed messages of a subscription that will not come.
    Lost(Lost),
    /// The time of the router.
    Clock(Clock),
}

/// Who a client is, and what it asks of its queue in the router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hello<'a> {
    /// The highest version of the protocol that the client speaks.
    pub version: u16,
    /// What the client can do besides, and the router may use.
    pub features: Features,
    /// The most messages that wait for this client; 0 leaves it to the router.
    pub queue_messages: u32,
    /// What to do when its queue is full.
    pub overflow: Overflow,
    /// The most bytes of payload that wait for this client; 0 leaves it to the router.
    pub queue_bytes: u64,
    /// The most messages a second that the client wants; 0 is all.
    pub messages_per_second: u32,
    /// The most bytes of payload a second that the client wants; 0 is all.
    pub bytes_per_second: u64,
    /// For people: logs, metrics, configuration. At most 200 bytes of UTF-8, no control characters.
    pub name: &'a str,
}

/// What both sides can do besides what every client does. A client offers them in HELLO, and WELCOME says
/// which of them hold; who knows none of them offers none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The client tells by TAKEN which conflated messages its application has taken, and the router
    /// sends no more of them ahead than keep the application busy.
    pub credit: bool,
    /// Conflated messages carry the time at which they were published, and CLOCK is answered.
    pub times: bool,
}

impl Features {
    const CREDIT: u16 = 1;
    const TIMES: u16 = 2;

    /// As HELLO and WELCOME carry them.
    pub(crate) fn bits(self) -> u16 {
        (if self.credit { Self::CREDIT } else { 0 }) | (if self.times { Self::TIMES } else { 0 })
    }

    /// Bits that are not known here are not looked at: a newer side may know more.
    pub(crate) fn from_bits(bits: u16) -> Self {
        Self { credit: bits & Self::CREDIT != 0, times: bits & Self::TIMES != 0 }
    }
}

/// What to do when a client's queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// What the router is configured for.
    #[default]
    Default,
    /// The oldest messages go.
    DropOldest,
    /// New messages are not taken.
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
    /// What the payload is ([`crate::format`]).
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Asks for the messages of all topics that a pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscribe<'a> {
    /// The client's own number for it.
    pub subscription: u32,
    /// How many of them.
    pub updates: Updates,
    /// Such as `fx/*/spot` or `fx/>`.
    pub pattern: &'a str,
}

/// How many messages of each topic a subscription wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Updates {
    /// Every one.
    #[default]
    All,
    /// At most so many a second, from 1 to 4,294,967,294; the newest replaces the one that waits.
    PerSecond(u32),
    /// As many as the client takes; the newest replaces the one that waits.
    Newest,
}

/// A message that wants an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The number that the client gave to the topic.
    pub alias: u32,
    /// After so many milliseconds the request is refused; 0 leaves it to the router.
    pub timeout_ms: u32,
    /// Comes back with the answer.
    pub correlation: u64,
    /// What the payload is.
    pub format: u16,
    /// The request itself.
    pub payload: &'a [u8],
}

/// The answer to a request, from the client that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Whose request it was, and which, as they stood in the MESSAGE.
    pub request: Requester,
    /// What the payload is.
    pub format: u16,
    /// The answer itself.
    pub payload: &'a [u8],
}

/// Which request of which client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// The client, as the router numbers them.
    pub client: u64,
    /// The client's own number for the request.
    pub correlation: u64,
}

/// What the application of a client has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Conflated messages (MESSAGE with `replaced` and `age`) of this connection that the application has
    /// done with, from the first on.
    pub messages: u64,
    /// The shortest round trip to the router that the client has seen, in nanoseconds; 0 if it knows
    /// none.
    pub round_trip: u64,
}

/// The time of the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// As it stood in the question.
    pub token: u64,
    /// Nanoseconds on the clock that [`Message::published`] is read from. Where it begins says nothing.
    pub time: u64,
}

/// The answer to HELLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The version that both speak from here on.
    pub version: u16,
    /// What was offered and holds.
    pub features: Features,
    /// The most bytes of a frame that the router takes.
    pub frame_bytes: u32,
    /// The client, as the router numbers them.
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
    /// The topic, whose name a TOPIC frame has told before.
    pub topic: u32,
    /// The message's number in its topic, from 1.
    pub sequence: u64,
    /// What it replaced, where the subscription is conflated.
    pub conflation: Option<Conflation>,
    /// Whom to answer, if it is a request.
    pub request: Option<Requester>,
    /// When the router took it, in nanoseconds on its own clock ([`Clock`]), where it is conflated and
    /// times were agreed on.
    pub published: Option<u64>,
    /// What the payload is.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// What conflation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflation {
    /// Messages of this topic that this one took the place of, since the last that was delivered.
    pub replaced: u64,
    /// Nanoseconds from the router's receiving this message to its sending it. How old it is when it is
    /// read is another matter: see [`Message::published`].
    pub age: u64,
}

/// Messages of a subscription and topic that were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The topic, whose name a TOPIC frame has told before.
    pub topic: u32,
    /// How many, since the last GAP of this subscription and topic.
    pub count: u64,
    /// The number of the first of them in its topic.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// Nanoseconds since the first was lost.
    pub age: u64,
}

/// What was asked for is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<'a> {
    /// The kind of the frame that asked ([`crate::kind`]).
    pub of: u8,
    /// Why ([`crate::code`]).
    pub code: u16,
    /// The byte of the name or pattern that is wrong, if one is.
    pub offset: Option<u32>,
    /// The alias, subscription, correlation or sequence in the frame that asked.
    pub id: u64,
    /// Why, for people.
    pub text: &'a str,
}

/// The answer to a request of this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouterReply<'a> {
    /// As it stood in the REQUEST.
    pub correlation: u64,
    /// What the payload is.
    pub format: u16,
    /// The answer itself.
    pub payload: &'a [u8],
}

/// Why the router ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing<'a> {
    /// For programs ([`crate::code`]).
    pub code: u16,
    /// For people.
    pub text: &'a str,
}
