//! The frames that a client receives, in the protocol of its connection.

use trunkline_native::{Notice, Rejected};
use trunkline_router::{Delivery, Gap, Rendition, RenditionFormat, TopicId};
use trunkline_store::{Consuming, Durability, Loss, Stored};

/// Writes what a client receives, in one protocol.
pub trait SessionRenderer {
    /// A topic's name, before the first delivery of the topic; see [`trunkline_router::Renderer::topic`]. Nothing, where
    /// each message names its topic.
    fn topic(&mut self, _: &mut Vec<u8>, _: TopicId, _: &str) {}

    /// A message.
    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>);

    /// The format of renditions from which messages are framed; see [`trunkline_router::Renderer::wants`].
    fn wants(&self) -> Option<RenditionFormat> {
        None
    }

    /// A message, from its rendition: what [`Self::message`] writes.
    fn framed(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>, _: &Rendition<'_>) {
        self.message(out, delivery);
    }

    /// A loss, before the next message of the same subscription and topic.
    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>);

    /// All last values of a subscription were written, or are lost: so many.
    fn last_values(&mut self, out: &mut Vec<u8>, subscription: u32, count: u64);

    /// Reports a rejection.
    fn rejected(&mut self, out: &mut Vec<u8>, rejected: &Rejected<'_>);

    /// Hands over the answer to a request of this client.
    fn reply(&mut self, out: &mut Vec<u8>, correlation: u64, format: u16, payload: &[u8]);

    /// Asks whether the client is there.
    fn ping(&mut self, out: &mut Vec<u8>, token: u64);

    /// Says something of the router itself, to clients that want to know.
    fn notice(&mut self, out: &mut Vec<u8>, notice: &Notice<'_>);

    /// Reports why the connection ends; nothing follows.
    fn close(&mut self, out: &mut Vec<u8>, code: u16, reason: &str);

    /// A guaranteed message. Nothing, where the protocol has no guaranteed delivery: its clients consume no such.
    fn delivery(&mut self, _: &mut Vec<u8>, _: &trunkline_store::Delivery<'_>) {}

    /// A guaranteed message that is not to be had as the client wants it: its payload is the reason. Nothing, likewise.
    fn unrendered(&mut self, _: &mut Vec<u8>, _: &trunkline_store::Delivery<'_>) {}

    /// Events of guaranteed delivery, besides messages.
    fn event(&mut self, _: &mut Vec<u8>, _: &StoreEvent<'_>) {}
}

/// An event of guaranteed delivery for a client, besides messages; see [`trunkline_store::EventSink`].
#[derive(Clone, Copy, Debug)]
pub enum StoreEvent<'a> {
    /// Messages of this subscription will not come.
    Lost(u32, &'a Loss),
    /// Messages of the client's producer are stored.
    Stored(&'a Stored),
    /// A subscription is active.
    Consuming(&'a Consuming),
    /// All that was delivered to this subscription up to a position is this durable.
    Confirmed(u32, Durability, u64),
    /// This number of acknowledgements of the subscription is kept this durably, in the journal up to
    /// a position.
    Acknowledged(u32, Durability, u64, u64),
    /// This subscription was deleted by somebody.
    Ended(u32),
}
