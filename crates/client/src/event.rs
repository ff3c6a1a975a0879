//! What comes from the router.

use std::fmt;

use trunkline_native::{
    self as native, Conflation, Durability, LostReason, Producing, Requester, RouterFrame, Stored,
    Welcome, code, kind,
};

use crate::conversation::Subscription;
use crate::error::{Error, Result};
use crate::names::Names;

/// Something that came from the router. Texts and payloads stay where they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A message of a subscription.
    Message(Message<'a>),
    /// Messages of a subscription that were lost.
    Gap(Gap<'a>),
    /// Something that was sent without waiting for an answer is not done; or a subscription that stood has come to
    /// an end, where it is one of SUBSCRIBE or CONSUME ([`crate::kind`]), and its number is free.
    Refused(native::Refused<'a>),
    /// The answer to a request that was sent without waiting for it.
    Reply(native::RouterReply<'a>),
    /// The router took this client. [`crate::Client`] keeps it for itself.
    Welcome(Welcome),
    /// A subscription stands. [`crate::Client`] keeps it for itself.
    Subscribed(Subscription),
    /// A subscription has ended. [`crate::Client`] keeps it for itself.
    Unsubscribed(Subscription),
    /// The router knows the producer. [`crate::Client`] keeps it for itself.
    Producing(Producing),
    /// All messages of this producer up to one are stored.
    Stored(Stored),
    /// A consumer stands. [`crate::Client`] keeps it for itself.
    Consuming(Consuming),
    /// A guaranteed message of a consumer.
    Delivery(Delivery<'a>),
    /// What was delivered is durable.
    Confirmed(Confirmed),
    /// Acknowledgements of a consumer are kept.
    Acknowledged(Acknowledged),
    /// Guaranteed messages of a consumer that will not come.
    Lost(Lost),
    /// A consumer has ended though this client did not want it: somebody deleted the durable
    /// subscription.
    Ended(Subscription),
    /// The answer to a ping with this token.
    Pong(u64),
    /// The router ends the connection; nothing comes behind this.
    Closing(native::Closing<'a>),
}

/// A message of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Which subscription.
    pub subscription: Subscription,
    /// Which topic.
    pub topic: &'a str,
    /// Its number in the topic, from 1.
    pub sequence: u64,
    /// What it replaced and how old it is, where the subscription is conflated.
    pub conflation: Option<Conflation>,
    /// When it was published, in nanoseconds on the router's clock, where the subscription is conflated and
    /// the router tells times.
    pub published: Option<u64>,
    /// Nanoseconds from when it was published until it was handed over, where that is known:
    /// [`crate::Client`] finds out how the clock of the router stands to its own. A
    /// [`crate::Conversation`] has no clock.
    pub age: Option<u64>,
    /// Set where an answer is wanted; for [`crate::Client::reply`].
    pub request: Option<RequestId>,
    /// What the payload is ([`crate::format`]).
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
            age: None,
            request: message.request.map(RequestId::from),
            format: message.format,
            payload: message.payload,
        }
    }
}

/// Messages of a subscription and topic that were lost because this client's queue was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<'a> {
    /// Which subscription.
    pub subscription: Subscription,
    /// Which topic.
    pub topic: &'a str,
    /// How many, since the last gap of this subscription and topic.
    pub count: u64,
    /// The number of the first of them in its topic.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// Nanoseconds since the first was lost.
    pub age: u64,
}

/// How a consumer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consuming {
    /// Which consumer.
    pub subscription: Subscription,
    /// The most messages that are delivered and not acknowledged.
    pub window: u32,
    /// Messages that wait in it.
    pub waiting: u64,
    /// Messages come from this position on, beside those that are delivered again.
    pub next: u64,
    /// It was made now, and was not there before.
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
    /// Which consumer; for [`crate::Client::acknowledge`].
    pub subscription: Subscription,
    /// Which topic.
    pub topic: &'a str,
    /// Where in the router's journal it is; for [`crate::Client::acknowledge`].
    pub position: u64,
    /// When the router took it, in nanoseconds since 1970.
    pub time: u64,
    /// How often it was delivered before, as far as is known.
    pub deliveries: u32,
    /// What it replaced and how old it is, where the consumer is conflated.
    pub conflation: Option<Conflation>,
    /// It may have been delivered before, to this client or to another.
    pub is_repeated: bool,
    /// It is not yet as durable as its topic asks, and may be gone if the router fails.
    pub is_unconfirmed: bool,
    /// It comes from the journal and is not live.
    pub is_kept: bool,
    /// What the payload is ([`crate::format`]).
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
            format: it.format,
            payload: it.payload,
        }
    }
}

/// All that was delivered to a consumer up to a position is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// Which consumer.
    pub subscription: Subscription,
    /// So durable.
    pub durability: Durability,
    /// Up to here.
    pub position: u64,
}

/// Acknowledgements of a consumer are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// Which consumer.
    pub subscription: Subscription,
    /// How well they are kept.
    pub durability: Durability,
    /// How many of those that were sent over this connection, from the first on.
    pub acknowledgements: u64,
    /// Where in the router's journal the last of them is.
    pub position: u64,
}

/// Guaranteed messages of a consumer that will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Which consumer.
    pub subscription: Subscription,
    /// Why.
    pub reason: LostReason,
    /// How many; 0: that is not known.
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
    /// What the payload is ([`crate::format`]).
    pub format: u16,
    /// The answer itself.
    pub payload: Vec<u8>,
}

/// Why the router does not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of frame that asked ([`crate::kind`]).
    pub of: u8,
    /// Why, for programs ([`crate::code`]).
    pub code: u16,
    /// The byte of the topic or pattern that is wrong, if one is.
    pub offset: Option<u32>,
    /// Why, for people.
    pub text: String,
}

impl From<native::Refused<'_>> for Refusal {
    fn from(refused: native::Refused<'_>) -> Self {
        let native::Refused { of, code, offset, text, .. } = refused;
        Self { of, code, offset, text: text.to_owned() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the router refused {}: {}", kind::name(self.of), self.text)?;
        match code::name(self.code) {
            Some(name) => write!(out, " ({name})"),
            None => write!(out, " (code {})", self.code),
        }
    }
}

/// The event that a frame is for the user.
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
        }),
        RouterFrame::Refused(refused) => Event::Refused(refused),
        RouterFrame::Reply(reply) => Event::Reply(reply),
        RouterFrame::Welcome(welcome) => Event::Welcome(welcome),
        RouterFrame::Subscribed(number) => Event::Subscribed(Subscription(number)),
        RouterFrame::Unsubscribed(number) => Event::Unsubscribed(Subscription(number)),
        RouterFrame::Pong(token) | RouterFrame::Ping(token) => Event::Pong(token),
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
