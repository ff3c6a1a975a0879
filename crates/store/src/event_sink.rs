//! What a store says to the outside.

use std::fmt;

use trunkline_journal::Refusal;

use crate::durable::Loss;

/// The time, by two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockReading {
    /// Nanoseconds by a clock that does not go back.
    pub now: u64,
    /// Nanoseconds since 1970.
    pub time: u64,
}

/// How durable something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durability {
    /// In the memory of so many machines.
    pub memory: u16,
    /// On the disk of so many.
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
    /// How many times it was delivered before, as far as known.
    pub deliveries: u32,
    /// Whether it may have been delivered before.
    pub is_repeated: bool,
    /// Whether it is not yet as durable as its topic asks.
    pub is_unconfirmed: bool,
    /// Whether it comes from the journal, and was not just stored.
    pub is_kept: bool,
    /// Of a conflated subscription: how many messages of its topic it has taken the place of since the last
    /// delivery, and how old it is in nanoseconds.
    pub conflation: Option<(u64, u64)>,
    /// What its payload is.
    pub format: u16,
    /// Its topic.
    pub topic: &'a str,
    /// The message itself.
    pub payload: &'a [u8],
}

/// What is acknowledged to a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What is true of all up to the sequence, at least.
    pub durability: Durability,
    /// All messages up to this one.
    pub sequence: u64,
    /// Position of that one.
    pub position: u64,
}

/// A subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consuming {
    /// The client's number for it.
    pub subscription: u32,
    /// Unacknowledged messages that the consumer may have.
    pub window: u32,
    /// Messages that wait, as far as they are found.
    pub waiting: u64,
    /// Messages before this position are not delivered any more, but those that were given back.
    pub next: u64,
    /// Whether it was made now.
    pub is_new: bool,
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Not now: it is to be tried again when a commit or a background task is done.
    Busy,
    /// The next sequence of the producer is this one.
    OutOfSequence(u64),
    /// The journal cannot promise what the topic asks; why.
    NotDurable(String),
    /// Another connection has the producer's name.
    TakenOver,
    /// The message has so many bytes, and that many may be.
    TooLong(usize, usize),
    /// A limit is reached, which the text names.
    Limit(String),
    /// The client has something else under this number; what.
    Exists(String),
    /// There is a durable subscription of this name that is otherwise; how.
    Different(String),
    /// The pattern is none.
    Pattern,
    /// There is no such subscription.
    Unknown,
}

impl Denied {
    /// The journal takes nothing any more; why.
    pub(crate) fn failed(why: &str) -> Self {
        let text = format!("the journal has failed, and stores nothing any more: {why}");
        Self::NotDurable(text)
    }
}

impl From<Refusal> for Denied {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooLong { bytes, limit } => Self::TooLong(bytes, limit),
            Refusal::Busy => Self::Busy,
            Refusal::Full(why) => Self::NotDurable(format!("the journal is full: {why}")),
            Refusal::Failed(why) => Self::failed(&why),
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => out.write_str("the journal is busy"),
            Self::OutOfSequence(next) => {
                write!(out, "the next sequence of this producer is {next}")
            }
            Self::NotDurable(why) | Self::Limit(why) | Self::Exists(why) | Self::Different(why) => {
                out.write_str(why)
            }
            Self::Pattern => out.write_str("the pattern is none"),
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

/// Who is told what a store has to say. Clients are known by the numbers that the store was given.
pub trait EventSink {
    /// Whether a client can take a message now. If not, [`crate::Store::client_has_room`] is to be called
    /// when it can.
    fn has_room(&mut self, client: u64) -> bool;
    /// A message for a consumer.
    fn deliver(&mut self, client: u64, delivery: &Delivery<'_>);
    /// Messages that a subscription will not get.
    fn lost(&mut self, client: u64, subscription: u32, loss: &Loss);
    /// An acknowledgement for a producer.
    fn stored(&mut self, client: u64, stored: &Stored);
    /// A message that was taken, and all behind it, will never be acknowledged.
    fn failed(&mut self, client: u64, sequence: u64, denied: &Denied);
    /// A subscription that was asked for does not stand.
    fn refused(&mut self, client: u64, subscription: u32, denied: &Denied);
    /// A subscription stands.
    fn consuming(&mut self, client: u64, consuming: &Consuming);
    /// All that was delivered up to a position is this durable.
    fn confirmed(&mut self, client: u64, subscription: u32, durability: Durability, position: u64);
    /// So many acknowledgements of a consumer are kept, in the journal up to a position.
    fn acknowledged(
        &mut self,
        client: u64,
        subscription: u32,
        durability: Durability,
        count: u64,
        position: u64,
    );
    /// A durable subscription was deleted by somebody.
    fn ended(&mut self, client: u64, subscription: u32);
    /// A message for those who subscribe directly.
    fn publish(&mut self, topic: &str, format: u16, payload: &[u8]);
}
