//! The frames of guaranteed delivery.

use super::{Conflation, Updates};

/// The producer of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producer<'a> {
    /// 1 to 200 bytes of UTF-8, no control characters; the same after a reconnect or a restart.
    pub name: &'a str,
}

/// A message that the router keeps until its consumers have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store<'a> {
    /// The number that the client gave to the topic.
    pub alias: u32,
    /// Time to live in milliseconds; 0 is none.
    pub time_to_live_ms: u32,
    /// The message's number among those of its producer, from 1 and without holes.
    pub sequence: u64,
    /// It may have been sent before.
    pub is_repeated: bool,
    /// The format of the payload ([`crate::format`]).
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Asks for guaranteed messages: a durable subscription if it has a name, otherwise a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consume<'a> {
    /// The client's number for it.
    pub subscription: u32,
    /// The most messages that are sent and not acknowledged; 0 leaves it to the router.
    pub window: u32,
    /// Which messages of each topic.
    pub updates: Updates,
    /// Where it begins, if this frame creates it.
    pub start: Start,
    /// The speed of retained messages, in thousandths of the pace at which they were stored; 0: as fast as
    /// possible.
    pub pace: u32,
    /// Asks for CONFIRMED.
    pub wants_confirmed: bool,
    /// Asks for ACKNOWLEDGED.
    pub wants_acknowledged: bool,
    /// What becomes of messages that are not acknowledged.
    pub policy: DeliveryPolicy,
    /// The format that messages are wanted in ([`crate::format`]), if not in that in which they are stored.
    pub format: Option<u16>,
    /// Which messages, by what they say; all if it is empty.
    pub filter: &'a str,
    /// Which fields of them, with commas between; all if it is empty.
    pub fields: &'a str,
    /// Of the durable subscription: at most 200 bytes of UTF-8, no control characters. A replay has
    /// none.
    pub name: &'a str,
    /// Such as `fx/*/spot` or `fx/>`.
    pub pattern: &'a str,
}

/// What a consumer asks for messages that are not acknowledged: as the router has it, or less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// The milliseconds after which a message is redelivered; 0 leaves it to the router.
    pub acknowledge_within_ms: u32,
    /// The most deliveries of a message, after which it becomes a dead letter; 0 leaves it to the router.
    pub deliveries: u16,
}

impl DeliveryPolicy {
    /// Left to the router.
    pub const NONE: Self = Self { acknowledge_within_ms: 0, deliveries: 0 };
}

/// Where in the journal a durable subscription or a replay begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At its end: new messages only.
    #[default]
    New,
    /// At the oldest retained message.
    All,
    /// At a position.
    Position(u64),
    /// At a time, in nanoseconds since 1970.
    Time(u64),
    /// So many messages before its end.
    Last(u64),
}

/// Acknowledges a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledge {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The position of the message.
    pub position: u64,
    /// Also acknowledges all earlier deliveries to the client.
    pub is_cumulative: bool,
}

/// Gives a message back for redelivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The least delay in milliseconds.
    pub delay_ms: u32,
    /// The position of the message.
    pub position: u64,
}

/// Ends a durable subscription for all of its consumers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delete<'a> {
    /// Its name.
    pub name: &'a str,
}

/// The number of machines that hold something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durability {
    /// In memory.
    pub memory: u16,
    /// On disk.
    pub disk: u16,
}

/// The answer to PRODUCER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Producing {
    /// The most messages sent and not acknowledged.
    pub window: u32,
    /// The most bytes of their payload.
    pub window_bytes: u64,
    /// The sequence of the producer's last stored message; 0 if there is none.
    pub last: u64,
}

/// Acknowledges the messages of this producer, up to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Their durability.
    pub durability: Durability,
    /// The sequence of the last of them.
    pub sequence: u64,
    /// The position of that message.
    pub position: u64,
}

/// The answer to CONSUME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consuming {
    /// The client's number for it.
    pub subscription: u32,
    /// The most messages sent and not acknowledged.
    pub window: u32,
    /// Messages that wait in it.
    pub waiting: u64,
    /// Messages come from this position on.
    pub next: u64,
    /// This CONSUME created it.
    pub is_new: bool,
}

/// A guaranteed message of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// The topic; an earlier TOPIC frame has its name.
    pub topic: u32,
    /// Its position in the journal.
    pub position: u64,
    /// When the router took it, in nanoseconds since 1970.
    pub time: u64,
    /// Number of earlier deliveries, as far as known.
    pub deliveries: u32,
    /// What it replaced, if the subscription conflates.
    pub conflation: Option<Conflation>,
    /// It may have been delivered before.
    pub is_repeated: bool,
    /// It is not yet as durable as its topic asks.
    pub is_unconfirmed: bool,
    /// It comes from the journal and is not live.
    pub is_kept: bool,
    /// It is not to be had as CONSUME asks for it: the payload is the reason, a text.
    pub is_unrendered: bool,
    /// The format of the payload.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// The durability of all messages delivered on a subscription up to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// How durable they are.
    pub durability: Durability,
    /// The position.
    pub position: u64,
}

/// The acknowledgements of a consumer are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// How durable they are.
    pub durability: Durability,
    /// Their number: ACKNOWLEDGE frames of this subscription and connection, counted from 1.
    pub acknowledgements: u64,
    /// The position of the last of them in the journal.
    pub position: u64,
}

/// Messages of a subscription that will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The client's number for the subscription.
    pub subscription: u32,
    /// Why.
    pub reason: LostReason,
    /// How many; 0 if unknown.
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
    /// The journal no longer keeps them.
    NotKept,
    /// An administrator purged them.
    Purged,
    /// A reason of a newer router.
    Other(u16),
}
