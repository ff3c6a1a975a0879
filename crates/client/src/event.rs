//! What comes from the router.

use std::fmt;

use trunkline_native::{self as native, Conflation, Requester, RouterFrame, Welcome, code, kind};

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
    /// Something that was sent without waiting for an answer is not done.
    Refused(native::Refused<'a>),
    /// The answer to a request that was sent without waiting for it.
    Reply(native::RouterReply<'a>),
    /// The router took this client. [`crate::Client`] keeps it for itself.
    Welcome(Welcome),
    /// A subscription stands. [`crate::Client`] keeps it for itself.
    Subscribed(Subscription),
    /// A subscription has ended. [`crate::Client`] keeps it for itself.
    Unsubscribed(Subscription),
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
        RouterFrame::Producing(_)
        | RouterFrame::Stored(_)
        | RouterFrame::Consuming(_)
        | RouterFrame::Delivery(_)
        | RouterFrame::Confirmed(_)
        | RouterFrame::Acknowledged(_)
        | RouterFrame::Lost(_) => {
            return Err(Error::Broken("guaranteed delivery, which nobody asked for".to_owned()));
        }
    })
}

#[cold]
pub(crate) fn unnamed(number: u32) -> Error {
    Error::Broken(format!("a topic of the number {number}, which has no name"))
}
