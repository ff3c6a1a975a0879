//! The frames of guaranteed delivery.

use super::{Conflation, Updates};

/// Who a connection publishes as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producer<'a> {
    /// 1 to 200 bytes of UTF-8, no control characters; the same after a reconnect or a restart.
    pub name: &'a str,
}

/// A message that the router is to keep until its consumers have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store<'a> {
    /// The number that the client gave to the topic.
    pub alias: u32,
    /// After so many milliseconds nobody needs it any more; 0: it does not age.
    pub time_to_live_ms: u32,
    /// The message's number among those of its producer, from 1 and without holes.
    pub sequence: u64,
    /// It may have been sent before.
    pub is_repeated: bool,
    /// What the payload is ([`crate::format`]).
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Asks for guaranteed messages: a durable subscription if it has a name, else a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consume<'a> {
    /// The client's own number for it.
    pub subscription: u32,
    /// The most messages that are sent and not acknowledged; 0 leaves it to the router.
    pub window: u32,
    /// How many messages of each topic.
    pub updates: Updates,
    /// Where it begins, if this makes it.
    pub start: Start,
    /// How fast kept messages come, in thousandths of the pace at which they were stored; 0: as
    /// fast as they can.
    pub pace: u32,
    /// Wants CONFIRMED.
    pub wants_confirmed: bool,
    /// Wants ACKNOWLEDGED.
    pub wants_acknowledged: bool,
    /// Of the durable subscription: at most 200 bytes of UTF-8, no control characters. A replay has
    /// none.
    pub name: &'a str,
    /// Such as `fx/*/spot` or `fx/>`.
    pub pattern: &'a str,
}

/// Where in the journal a durable subscription or a replay begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At its end: new messages only.
    #[default]
    New,
    /// At the oldest message that is kept.
    All,
    /// At a position.
    Position(u64),
    /// At a time, in nanoseconds since 1970.
    Time(u64),
    /// So many messages before its end.
    Last(u64),
}

/// A consumer has done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledge {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// That of the message.
    pub position: u64,
    /// So it has with all that were delivered to it before.
    pub is_cumulative: bool,
}

/// Gives a message back, to be delivered again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// Not before so many milliseconds are over.
    pub delay_ms: u32,
    /// That of the message.
    pub position: u64,
}

/// Ends a durable subscription for all of its consumers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delete<'a> {
    /// The name it was made with.
    pub name: &'a str,
}

/// On how many machines something is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durability {
    /// In the memory of so many.
    pub memory: u16,
    /// On the disk of so many.
    pub disk: u16,
}

/// The answer to PRODUCER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producing {
    /// The most messages that are sent and not acknowledged.
    pub window: u32,
    /// The most bytes of payload of these.
    pub window_bytes: u64,
    /// The sequence of the producer's last message that is stored; 0: there is none.
    pub last: u64,
}

/// The router has the messages of this producer, up to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// How well it has them.
    pub durability: Durability,
    /// The last of them.
    pub sequence: u64,
    /// Where in the journal that one is.
    pub position: u64,
}

/// The answer to CONSUME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consuming {
    /// The client's number for it.
    pub subscription: u32,
    /// The most messages that are sent and not acknowledged.
    pub window: u32,
    /// Messages that wait in it.
    pub waiting: u64,
    /// Messages come from this position on.
    pub next: u64,
    /// It was not there before.
    pub is_new: bool,
}

/// A guaranteed message of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The topic, whose name a TOPIC frame has told before.
    pub topic: u32,
    /// Where in the journal it is.
    pub position: u64,
    /// When the router took it, in nanoseconds since 1970.
    pub time: u64,
    /// How often it was delivered before, as far as is known.
    pub deliveries: u32,
    /// What it replaced, where the subscription is conflated.
    pub conflation: Option<Conflation>,
    /// It may have been delivered before.
    pub is_repeated: bool,
    /// It is not yet as durable as its topic asks.
    pub is_unconfirmed: bool,
    /// It comes from the journal and is not live.
    pub is_kept: bool,
    /// What the payload is.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// How durable everything is that was delivered on a subscription, up to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// So durable.
    pub durability: Durability,
    /// Up to here.
    pub position: u64,
}

/// The acknowledgements of a consumer are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// How well they are kept.
    pub durability: Durability,
    /// How many: the ACKNOWLEDGE frames of this subscription and connection, counted from 1.
    pub acknowledgements: u64,
    /// Where in the journal the last of them is.
    pub position: u64,
}

/// Messages of a subscription that will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// Why.
    pub reason: LostReason,
    /// How many; 0: that is not known.
    pub count: u64,
    /// The position of the first.
    pub first: u64,
    /// The position of the last.
    pub last: u64,
}

/// Why messages will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostReason {
    /// Their time to live was over.
    Expired,
    /// The journal is damaged there.
    Damaged,
    /// The subscription was over its quota.
    OverQuota,
    /// The journal does not keep them any longer.
    NotKept,
    /// What only a newer router knows.
    Other(u16),
}
