//! The events of a store.

use std::fmt;

use trunkline_journal::Rejection;

use crate::durable::Loss;

/// The time, by two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockReading {
    /// Nanoseconds of a clock that never goes back.
    pub now: u64,
    /// Nanoseconds since 1970.
    pub time: u64,
}

/// How durable something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durability {
    /// The number of machines that have it in memory.
    pub memory: u16,
    /// The number of machines that have it on disk.
    pub disk: u16,
}

/// A message for a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// The client's number of the subscription.
    pub subscription: u32,
    /// Its place in the journal.
    pub position: u64,
    /// When it was stored: nanoseconds since 1970.
    pub time: u64,
    /// Number of earlier deliveries, as far as known.
    pub deliveries: u32,
    /// Whether it may have been delivered before. What does not say so comes to a consumer in the order of the positions; if
    /// later ones have gone to it, this is said of a message that nobody has had, too.
    pub is_repeated: bool,
    /// Whether it is not yet as durable as its topic asks.
    pub is_unconfirmed: bool,
    /// Whether it comes from the journal, and was not just stored.
    pub is_kept: bool,
    /// When its time to live is over: nanoseconds since 1970; 0 is never.
    pub expires: u64,
    /// In a conflated subscription: how many messages of its topic it has replaced since the last delivery,
    /// and its age in nanoseconds.
    pub conflation: Option<(u64, u64)>,
    /// The format of the payload.
    pub format: u16,
    /// Its topic.
    pub topic: &'a str,
    /// The message itself.
    pub payload: &'a [u8],
}

/// An acknowledgement for a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The least durability of all messages up to the sequence.
    pub durability: Durability,
    /// It covers all messages up to this sequence.
    pub sequence: u64,
    /// The position of that message.
    pub position: u64,
}

/// A subscription is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consuming {
    /// The client's number for it.
    pub subscription: u32,
    /// The most unacknowledged messages of the consumer; 0 while an administrator has paused the subscription.
    pub window: u32,
    /// Waiting messages, as far as they are found.
    pub waiting: u64,
    /// Messages before this position are no longer delivered, except those that were given back.
    pub next: u64,
    /// Whether this request created it.
    pub is_new: bool,
}

/// Why the store rejects an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Not now: retry when a commit or a background task is done.
    Busy,
    /// The next sequence of the producer is this one.
    OutOfSequence(u64),
    /// The journal cannot promise what the topic asks; the reason.
    NotDurable(String),
    /// Another connection has the producer's name.
    TakenOver,
    /// The message has so many bytes; the second number is the limit.
    TooLong(usize, usize),
    /// A limit is reached; the text names it.
    Limit(String),
    /// The client already uses this number; for what.
    Exists(String),
    /// A durable subscription of this name exists with other properties; which.
    Different(String),
    /// An administrator has moved the durable subscription; the text says where to.
    Moved(String),
    /// The producer is connected, or what it sent is not on disk yet.
    InUse(String),
    /// The pattern is not valid.
    Pattern,
    /// There is no such subscription.
    Unknown,
}

impl Rejected {
    /// The journal accepts nothing any more; the reason.
    pub(crate) fn failed(why: &str) -> Self {
        let text = format!("the journal has failed and stores nothing any more: {why}");
        Self::NotDurable(text)
    }
}

impl From<Rejection> for Rejected {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::TooLong { bytes, limit } => Self::TooLong(bytes, limit),
            Rejection::Busy => Self::Busy,
            Rejection::Full(why) => Self::NotDurable(format!("the journal is full: {why}")),
            Rejection::Failed(why) => Self::failed(&why),
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => out.write_str("the journal is busy"),
            Self::OutOfSequence(next) => {
                write!(out, "the next sequence of this producer is {next}")
            }
            Self::NotDurable(why)
            | Self::Limit(why)
            | Self::Exists(why)
            | Self::Different(why)
            | Self::Moved(why)
            | Self::InUse(why) => out.write_str(why),
            Self::Pattern => out.write_str("the pattern is not valid"),
            Self::TakenOver => {
                out.write_str("another connection publishes under this producer's name")
            }
            Self::TooLong(bytes, limit) => {
                write!(out, "the message has {bytes} bytes, the journal takes {limit}")
            }
            Self::Unknown => out.write_str("there is no such durable subscription"),
        }
    }
}

/// What becomes of a message that waited outside of the store; see [`crate::Store::sent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Sending {
    /// It goes to its consumer now, and counts as delivered.
    Now,
    /// So it does, behind later ones: it has to say that it may have been delivered before, since what does not say so comes in
    /// order.
    Behind,
    /// Not before a cumulative acknowledgement is processed, which it would pass for a part of: ask again.
    Later,
    /// It is done, or no longer this consumer's, or waits in the store until the subscription goes on.
    Never,
}

impl Sending {
    /// Whether it goes to its consumer now.
    pub fn is_now(self) -> bool {
        matches!(self, Self::Now | Self::Behind)
    }
}

/// Receives the events of a store. Clients are known by the numbers that the caller gave the store.
pub trait EventSink {
    /// Whether a client can take a message of a subscription now. If not, call [`crate::Store::client_has_room`] or
    /// [`crate::Store::consumers_have_room`] when it can.
    fn has_room(&mut self, client: u64, subscription: u32) -> bool;
    /// A message for a consumer. Returns whether it is on its way. One that is not waits for something else first: call
    /// [`crate::Store::sent`] before it goes, or [`crate::Store::filtered`] if it never will. Until then the consumer does not
    /// have it: it counts as no delivery, and no time runs in which it is to be acknowledged.
    fn deliver(&mut self, client: u64, delivery: &Delivery<'_>) -> bool;
    /// A message that waits ([`Self::deliver`]) is not for this consumer any more. It may be delivered to it again, as another one.
    fn withdrawn(&mut self, client: u64, subscription: u32, position: u64);
    /// Messages that a subscription will not get.
    fn lost(&mut self, client: u64, subscription: u32, loss: &Loss);
    /// An acknowledgement for a producer.
    fn stored(&mut self, client: u64, stored: &Stored);
    /// An accepted message, and all behind it, will never be acknowledged.
    fn failed(&mut self, client: u64, sequence: u64, rejected: &Rejected);
    /// A requested subscription is rejected, or has ended.
    fn rejected(&mut self, client: u64, subscription: u32, rejected: &Rejected);
    /// A subscription is active; or it was, and is paused or resumed.
    fn consuming(&mut self, client: u64, consuming: &Consuming);
    /// All messages delivered up to a position are this durable.
    fn confirmed(&mut self, client: u64, subscription: u32, durability: Durability, position: u64);
    /// So many acknowledgements of a consumer are durable, in the journal up to a position.
    fn acknowledged(
        &mut self,
        client: u64,
        subscription: u32,
        durability: Durability,
        count: u64,
        position: u64,
    );
    /// Somebody deleted a durable subscription.
    fn ended(&mut self, client: u64, subscription: u32);
    /// A message for direct subscribers.
    fn publish(&mut self, topic: &str, format: u16, payload: &[u8]);
}
