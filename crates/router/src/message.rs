//! Published messages, and their deliveries.

use std::num::NonZeroU16;

use crate::client::ClientId;
use crate::topics::{TopicId, Topics};

/// The guarantee of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// At most once, in order for each publisher and topic. Losses are reported.
    #[default]
    Direct,
    /// It was stored first. Direct subscribers get it like a direct message; durable subscriptions are not
    /// the router's.
    Guaranteed,
}

/// A published message. The router does not read the payload.
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// The guarantee.
    pub mode: Mode,
    /// The format of the payload, for its readers.
    pub format: u16,
    /// The requester, if somebody waits for a reply.
    pub request: Option<Requester>,
    /// The message itself.
    pub payload: &'a [u8],
}

/// The client that waits for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// The client that waits.
    pub client: ClientId,
    /// The client's number for its request.
    pub correlation: u64,
}

/// A message on its way to a client.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    /// The client's number of the subscription.
    pub subscription: u32,
    /// The topic; [`Renderer::topic`] told its name before.
    pub topic: TopicId,
    /// The number of the message in its topic, from 1.
    pub sequence: u64,
    /// What conflation did, if the subscription conflates.
    pub conflation: Option<&'a Conflation>,
    /// Set if it was published before the subscription was made, which asked for last values.
    pub last_value: Option<&'a LastValue>,
    /// The requester, if somebody waits for a reply.
    pub request: Option<&'a Requester>,
    /// The format of the payload.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
    pub(crate) names: &'a Topics,
}

impl<'a> Delivery<'a> {
    /// The name of the topic.
    pub fn name(&self) -> &'a str {
        self.names.name(self.topic)
    }

    /// What is the same for all who get it.
    pub(crate) fn message(&self) -> Message<'a> {
        let Self { topic, sequence, request, format, payload, names, .. } = *self;
        Message { topic, sequence, request, format, payload, names }
    }
}

/// A published message without what differs by client.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// The topic.
    pub topic: TopicId,
    /// The number of the message in its topic, from 1.
    pub sequence: u64,
    /// The requester, if somebody waits for a reply.
    pub request: Option<&'a Requester>,
    /// The format of the payload.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
    pub(crate) names: &'a Topics,
}

impl<'a> Message<'a> {
    /// The name of the topic.
    pub fn name(&self) -> &'a str {
        self.names.name(self.topic)
    }
}

/// A format of renditions, which the callers of the router number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RenditionFormat(pub NonZeroU16);

/// What a conversion makes of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertsTo {
    /// The whole message in this payload format. What is published in it is delivered as it is.
    Format(u16),
    /// A part of the message, in this payload format or else in the one that it has.
    Part(Option<u16>),
}

impl ConvertsTo {
    /// The payload format, if it is not the one that the message has.
    pub fn format(self) -> Option<u16> {
        match self {
            Self::Format(format) => Some(format),
            Self::Part(format) => format,
        }
    }
}

/// A message in the format of some clients, the same for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Rendition<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) cuts: [u32; 2],
    /// There is none: these bytes are the reason.
    pub(crate) is_failed: bool,
}

impl<'a> Rendition<'a> {
    /// The bytes, cut at the places that [`Renderer::rendition`] named: there comes what differs by client.
    pub fn parts(&self) -> [&'a [u8]; 3] {
        let [first, second] = self.cuts.map(|cut| cut as usize);
        [&self.bytes[..first], &self.bytes[first..second], &self.bytes[second..]]
    }
}

/// What conflation did to a delivered update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflation {
    /// Updates that newer ones replaced since the last delivered one.
    pub replaced: u64,
    /// Nanoseconds from publishing this update until it was given to the client's output. The client
    /// calculates its later waiting time, in buffers, from `published`.
    pub age: u64,
    /// When it was published, by the caller's clock.
    pub published: u64,
}

/// How old a last value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastValue {
    /// Nanoseconds from publishing it until it was given to the client's output.
    pub age: u64,
    /// When it was published, by the caller's clock.
    pub published: u64,
}

/// Messages of a topic that a client has lost.
pub struct Gap<'a> {
    /// The client's number of the subscription.
    pub subscription: u32,
    /// The topic; [`Renderer::topic`] told its name before.
    pub topic: TopicId,
    /// Messages that were lost.
    pub count: u64,
    /// The sequence of the first that was lost.
    pub first: u64,
    /// The sequence of the last that was lost.
    pub last: u64,
    /// Nanoseconds since the first was lost.
    pub age: u64,
    /// Why it is not to be had as the subscription wants it. Otherwise the client did not keep up.
    pub reason: Option<&'a str>,
    pub(crate) names: &'a Topics,
}

impl<'a> Gap<'a> {
    /// The name of the topic.
    pub fn name(&self) -> &'a str {
        self.names.name(self.topic)
    }
}

/// Renders messages for a client, in its protocol. There is one for each client.
pub trait Renderer {
    /// A topic's name, before the first delivery of the topic to a subscription of the client. It may be
    /// repeated, and a number may get another name.
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str);
    /// A message.
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>);
    /// The format of renditions from which this client's messages of a subscription are framed; nothing if
    /// they are rendered for it alone. Asked when a topic matches the subscription.
    fn wants(&self, _subscription: u32) -> Option<RenditionFormat> {
        None
    }
    /// Makes the rendition of a message, for all clients that want this format: it depends on the message
    /// alone. Returns up to which bytes its first and its second part go.
    fn rendition(&self, _: &mut Vec<u8>, _: RenditionFormat, _: &Message<'_>) -> [usize; 2] {
        [0, 0]
    }
    /// What renditions are that are made elsewhere ([`crate::Router::next_conversion`]), while clients wait for them.
    /// Nothing for those that [`Self::rendition`] makes.
    fn converts_to(&self, _: RenditionFormat) -> Option<ConvertsTo> {
        None
    }
    /// A message of a subscription that wants a rendition, which is there: what [`Self::message`] would write.
    fn framed(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>, _: &Rendition<'_>) {
        self.message(out, delivery);
    }
    /// A loss, before the next message of the same subscription and topic.
    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>);
    /// All last values that a subscription asked for were rendered, or are lost: there were so many. Called
    /// for clients that ask for them.
    fn last_values(&mut self, _out: &mut Vec<u8>, _subscription: u32, _count: u64) {}
    /// The router is about to disconnect the client.
    fn closing(&mut self, out: &mut Vec<u8>, reason: &str);
}
