//! What is published, and what is delivered of it.

use crate::client::ClientId;
use crate::topics::{TopicId, Topics};

/// How a message is to be delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// At most once, in order for each publisher and topic. What is lost is told.
    #[default]
    Direct,
    /// It was stored first: to those who subscribe directly it is delivered as direct ones are, and
    /// durable subscriptions are not the router's.
    Guaranteed,
}

/// A message as it is published. The router does not look into the payload.
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// How it is to be delivered.
    pub mode: Mode,
    /// The format of the payload, for those who read it.
    pub format: u16,
    /// Who waits for a reply, if somebody does.
    pub request: Option<Requester>,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Who waits for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requester {
    /// The client that waits.
    pub client: ClientId,
    /// The number by which it knows its request.
    pub correlation: u64,
}

/// A message on its way to a client.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    /// The client's number of the subscription.
    pub subscription: u32,
    /// The topic; [`Renderer::topic`] told its name before.
    pub topic: TopicId,
    /// Counts what was published to the topic, from 1.
    pub sequence: u64,
    /// What conflation did, if the subscription conflates.
    pub conflation: Option<&'a Conflation>,
    /// Who waits for a reply.
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
}

/// What conflation did to a delivered update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflation {
    /// Updates that were elided since the last one that was delivered: newer ones took their place.
    pub replaced: u64,
    /// Nanoseconds from when this update was published until it was given to the client's output. What
    /// it waits for beyond that, in buffers, the client knows from `published`.
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
    pub(crate) names: &'a Topics,
}

impl<'a> Gap<'a> {
    /// The name of the topic.
    pub fn name(&self) -> &'a str {
        self.names.name(self.topic)
    }
}

/// Writes what a client is told, in the client's protocol. There is one for each client.
pub trait Renderer {
    /// A topic's name, before the first delivery of the topic to a subscription of the client. It
    /// may be told again, and a number may come to stand for another name.
    fn topic(&mut self, out: &mut Vec<u8>, topic: TopicId, name: &str);
    /// A message.
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>);
    /// A loss, before the next message of the same subscription and topic.
    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>);
    /// The router is about to disconnect the client.
    fn closing(&mut self, out: &mut Vec<u8>, reason: &str);
}
