//! Events from the router.

use std::fmt;

use trunkline_native::{
    self as native, Conflation, Durability, LostReason, Producing, Requester, RouterFrame, Stored,
    Welcome, code, kind,
};

use crate::conversation::Subscription;
use crate::error::{Error, Result};
use crate::names::Names;

/// An event from the router. It borrows texts and payloads from the input buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A message of a subscription.
    Message(Message<'a>),
    /// Messages of a subscription that were lost.
    Gap(Gap<'a>),
    /// All last values of a subscription have come ([`crate::Subscribe::last_values`]).
    LastValues(LastValues),
    /// The router rejected something that was sent without waiting for an answer. Or it ended an active
    /// subscription, if this is one of SUBSCRIBE or CONSUME ([`crate::kind`]); the subscription's number is
    /// free.
    Rejected(native::Rejected<'a>),
    /// The answer to a request that was sent without waiting for it.
    Reply(native::RouterReply<'a>),
    /// The router accepted this client. [`crate::Client`] keeps it for itself.
    Welcome(Welcome),
    /// A subscription is active. [`crate::Client`] keeps it for itself.
    Subscribed(Subscription),
    /// A subscription has ended. [`crate::Client`] keeps it for itself.
    Unsubscribed(Subscription),
    /// The router knows the producer. [`crate::Client`] keeps it for itself.
    Producing(Producing),
    /// All messages of this producer up to one are stored.
    Stored(Stored),
    /// A consumer is active, or an administrator has paused its subscription (a window of 0) or resumed it.
    /// [`crate::Client`] keeps the answer to its request for itself.
    Consuming(Consuming),
    /// A guaranteed message of a consumer.
    Delivery(Delivery<'a>),
    /// Delivered messages are durable.
    Confirmed(Confirmed),
    /// Acknowledgements of a consumer are kept.
    Acknowledged(Acknowledged),
    /// Guaranteed messages of a consumer that will not come.
    Lost(Lost),
    /// A consumer has ended without a request of this client: somebody deleted the durable subscription.
    Ended(Subscription),
    /// The answer to a ping with this token.
    Pong(u64),
    /// The router says something of itself: with [`code::DRAINING`] that it is drained for maintenance, so that a
    /// client that can go to another router does so, with [`code::IN_SERVICE`] that it is not any more. Everything goes
    /// on meanwhile.
    Notice(native::Notice<'a>),
    /// The router ends the connection; nothing comes behind this.
    Closing(native::Closing<'a>),
}

/// A message of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The subscription.
    pub subscription: Subscription,
    /// The topic.
    pub topic: &'a str,
    /// Its number in the topic, from 1.
    pub sequence: u64,
    /// What it replaced and its age, if the subscription conflates.
    pub conflation: Option<Conflation>,
    /// When it was published, in nanoseconds on the router's clock, if the subscription conflates or it is a
    /// last value, and the router tells times.
    pub published: Option<u64>,
    /// Set if it is a last value: it was published before the subscription was made. The nanoseconds from
    /// publishing until the router sent it.
    pub last_value: Option<u64>,
    /// Nanoseconds from publishing until delivery to the handler, if known: [`crate::Client`] measures the
    /// offset of the router's clock to its own. A [`crate::Conversation`] has no clock.
    pub age: Option<u64>,
    /// Set if the sender waits for an answer; for [`crate::Client::reply`].
    pub request: Option<RequestId>,
    /// The format of the payload ([`crate::format`]).
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

impl<'a> Message<'a> {
    #[inline]
    pub(crate) fn new(message: &native::Message<'a>, topic: &'a str) -> Self {
        Self {
            subscription: Subscription(message.subscription),
            topic,
            sequence: message.sequence,
            conflation: message.conflation,
            published: message.published,
            last_value: message.last_value,
            age: None,
            request: message.request.map(RequestId::from),
            format: message.format,
            payload: message.payload,
        }
    }
}

/// All last values of a subscription have come, or were lost, as gaps say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastValues {
    /// The subscription.
    pub subscription: Subscription,
    /// How many there were.
    pub count: u64,
}

/// Messages of a subscription and topic that were lost because this client's queue was full, or one that cannot be had in
/// the format that the subscription asked for, or not be held against its filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<'a> {
    /// The subscription.
    pub subscription: Subscription,
    /// The topic.
    pub topic: &'a str,
    /// How many, since the last gap of this subscription and topic.
    pub count: u64,
    /// The number of the first of them in its topic.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// Nanoseconds since the first was lost.
    pub age: u64,
    /// Why it cannot be had in this format, or not be held against the filter. If this is empty, the queue was full.
    pub reason: &'a str,
}

/// The state of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consuming {
    /// The consumer.
    pub subscription: Subscription,
    /// The most unacknowledged messages; 0 while an administrator has paused the subscription.
    pub window: u32,
    /// Messages that wait in it.
    pub waiting: u64,
    /// Messages come from this position on, besides redelivered ones.
    pub next: u64,
    /// This request created the subscription.
    pub is_new: bool,
}

impl From<native::Consuming> for Consuming {
    fn from(it: native::Consuming) -> Self {
        let native::Consuming { subscription, window, waiting, next, is_new } = it;
        Self { subscription: Subscription(subscription), window, waiting, next, is_new }
    }
}

/// A guaranteed message of a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// The consumer; for [`crate::Client::acknowledge`].
    pub subscription: Subscription,
    /// The topic.
    pub topic: &'a str,
    /// Its position in the router's journal; for [`crate::Client::acknowledge`].
    pub position: u64,
    /// When the router took it, in nanoseconds since 1970.
    pub time: u64,
    /// Number of earlier deliveries, as far as the router knows it.
    pub deliveries: u32,
    /// What it replaced and its age, if the consumer conflates.
    pub conflation: Option<Conflation>,
    /// It may have been delivered before, to this client or to another.
    pub is_repeated: bool,
    /// It is not yet as durable as its topic asks, and may be lost if the router fails.
    pub is_unconfirmed: bool,
    /// It comes from the journal and is not live.
    pub is_kept: bool,
    /// It is not to be had in the format or with the fields that the consumer asked for, or not be held against its filter: the
    /// payload is the reason, a text. It is acknowledged or given back as any other.
    pub is_unrendered: bool,
    /// The format of the payload ([`crate::format`]).
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

impl<'a> Delivery<'a> {
    #[inline]
    pub(crate) fn new(it: &native::Delivery<'a>, topic: &'a str) -> Self {
        Self {
            subscription: Subscription(it.subscription),
            topic,
            position: it.position,
            time: it.time,
            deliveries: it.deliveries,
            conflation: it.conflation,
            is_repeated: it.is_repeated,
            is_unconfirmed: it.is_unconfirmed,
            is_kept: it.is_kept,
            is_unrendered: it.is_unrendered,
            format: it.format,
            payload: it.payload,
        }
    }
}

/// All messages delivered to a consumer up to a position are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The consumer.
    pub subscription: Subscription,
    /// How durable they are.
    pub durability: Durability,
    /// The position.
    pub position: u64,
}

/// Acknowledgements of a consumer are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The consumer.
    pub subscription: Subscription,
    /// How durable they are.
    pub durability: Durability,
    /// Their number, counted over this connection from the first on.
    pub acknowledgements: u64,
    /// The position of the last of them in the router's journal.
    pub position: u64,
}

/// Guaranteed messages of a consumer that will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The consumer.
    pub subscription: Subscription,
    /// The reason.
    pub reason: LostReason,
    /// How many; 0 if unknown.
    pub count: u64,
    /// The position of the first.
    pub first: u64,
    /// The position of the last.
    pub last: u64,
}

/// A request that waits for an answer of this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId {
    client: u64,
    correlation: u64,
}

impl From<Requester> for RequestId {
    fn from(requester: Requester) -> Self {
        Self { client: requester.client, correlation: requester.correlation }
    }
}

impl From<RequestId> for Requester {
    fn from(id: RequestId) -> Self {
        Self { client: id.client, correlation: id.correlation }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The format of the payload ([`crate::format`]).
    pub format: u16,
    /// The answer itself.
    pub payload: Vec<u8>,
}

/// Why the router rejected an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The kind of the rejected frame ([`crate::kind`]).
    pub of: u8,
    /// The reason, for programs ([`crate::code`]).
    pub code: u16,
    /// The wrong byte of the topic or pattern, if there is one.
    pub offset: Option<u32>,
    /// The reason, for people.
    pub text: String,
}

impl From<native::Rejected<'_>> for Rejection {
    fn from(rejected: native::Rejected<'_>) -> Self {
        let native::Rejected { of, code, offset, text, .. } = rejected;
        Self { of, code, offset, text: text.to_owned() }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the router rejected {}: {}", kind::name(self.of), self.text)?;
        match code::name(self.code) {
            Some(name) => write!(out, " ({name})"),
            None => write!(out, " (code {})", self.code),
        }
    }
}

/// The event of a frame.
pub(crate) fn event<'a>(frame: RouterFrame<'a>, names: &'a Names) -> Result<Event<'a>> {
    let name = |number| names.get(number).ok_or_else(|| unnamed(number));
    Ok(match frame {
        RouterFrame::Message(message) => {
            Event::Message(Message::new(&message, name(message.topic)?))
        }
        RouterFrame::Gap(gap) => Event::Gap(Gap {
            subscription: Subscription(gap.subscription),
            topic: name(gap.topic)?,
            count: gap.count,
            first: gap.first,
            last: gap.last,
            age: gap.age,
            reason: gap.reason,
        }),
        RouterFrame::LastValues(native::LastValues { subscription, count }) => {
            Event::LastValues(LastValues { subscription: Subscription(subscription), count })
        }
        RouterFrame::Rejected(rejected) => Event::Rejected(rejected),
        RouterFrame::Reply(reply) => Event::Reply(reply),
        RouterFrame::Welcome(welcome) => Event::Welcome(welcome),
        RouterFrame::Subscribed(number) => Event::Subscribed(Subscription(number)),
        RouterFrame::Unsubscribed(number) => Event::Unsubscribed(Subscription(number)),
        RouterFrame::Pong(token) | RouterFrame::Ping(token) => Event::Pong(token),
        RouterFrame::Notice(notice) => Event::Notice(notice),
        RouterFrame::Closing(closing) => Event::Closing(closing),
        RouterFrame::Topic(topic) => return Err(unnamed(topic.alias)),
        RouterFrame::Clock(clock) => Event::Pong(clock.token),
        RouterFrame::Producing(producing) => Event::Producing(producing),
        RouterFrame::Consuming(consuming) => Event::Consuming(consuming.into()),
        RouterFrame::Delivery(delivery) => {
            Event::Delivery(Delivery::new(&delivery, name(delivery.topic)?))
        }
        RouterFrame::Confirmed(native::Confirmed { subscription, durability, position }) => {
            let subscription = Subscription(subscription);
            Event::Confirmed(Confirmed { subscription, durability, position })
        }
        RouterFrame::Acknowledged(it) => Event::Acknowledged(Acknowledged {
            subscription: Subscription(it.subscription),
            durability: it.durability,
            acknowledgements: it.acknowledgements,
            position: it.position,
        }),
        RouterFrame::Lost(native::Lost { subscription, reason, count, first, last }) => {
            let subscription = Subscription(subscription);
            Event::Lost(Lost { subscription, reason, count, first, last })
        }
        RouterFrame::Stored(_) => {
            return Err(Error::Broken("STORED, though nothing was stored".to_owned()));
        }
    })
}

#[cold]
pub(crate) fn unnamed(number: u32) -> Error {
    Error::Broken(format!("a topic of the number {number}, which has no name"))
}
