//! What a page is told of guaranteed delivery.

use serde::Serialize;
use trunkline_native::format;
use trunkline_store::{Delivery, Durability, Loss, LossReason};

use super::Digits;
use crate::router::StoreEvent;
use crate::websocket::writer::{Carried, Writer, carried, follow, is_opaque, named};

/// The events of guaranteed delivery, each an object with this one key.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GuaranteedEvent<'a> {
    /// The producer has its name.
    Producing(Producing<'a>),
    /// Messages of the producer are stored.
    Stored(Stored),
    /// A subscription stands.
    Consuming(Consuming),
    /// A message.
    Delivery(Delivered<'a>),
    /// What was delivered is durable.
    Confirmed(Confirmed),
    /// Acknowledgements are kept.
    Acknowledged(Acknowledged),
    /// Messages that will not come.
    Lost(Lost),
    /// A subscription was deleted by somebody.
    Unsubscribed(u32),
}

/// How durable something is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Persistence {
    /// The number of machines that have it in memory.
    pub memory: u16,
    /// The number of machines that have it on disk.
    pub disk: u16,
}

impl From<Durability> for Persistence {
    fn from(it: Durability) -> Self {
        Self { memory: it.memory, disk: it.disk }
    }
}

/// A producer may store.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Producing<'a> {
    /// Its name.
    pub producer: &'a str,
    /// The most messages in flight.
    pub window: u32,
    /// The most bytes in flight.
    pub window_bytes: u64,
    /// The sequence of its last stored message.
    pub last: u64,
}

/// All messages of the producer up to one are stored.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Stored {
    /// The sequence of the last.
    pub sequence: u64,
    /// Its position.
    pub position: Digits,
    /// How durable they are.
    #[serde(flatten)]
    pub durability: Persistence,
}

/// A subscription stands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Consuming {
    /// As the client numbered it.
    pub subscription: u32,
    /// The most unacknowledged messages.
    pub window: u32,
    /// Messages that wait in it.
    pub waiting: u64,
    /// Messages come from this position on, besides redelivered ones.
    pub next: Digits,
    /// It did not exist before.
    pub new: bool,
}

/// A message, without its payload.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Delivered<'a> {
    /// The subscription.
    pub subscription: u32,
    /// Its topic.
    pub topic: &'a str,
    /// Its place in the journal.
    pub position: Digits,
    /// When it was stored, in nanoseconds since 1970.
    pub time_ns: Digits,
    /// Number of earlier deliveries, as far as known.
    #[serde(skip_serializing_if = "is_none")]
    pub deliveries: u32,
    /// It may have been delivered before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// It is not yet as durable as its topic asks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfirmed: bool,
    /// It comes from the journal, and is not live.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// Updates that it replaced since the last one that was delivered; conflated ones have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<u64>,
    /// Nanoseconds from its storing to its sending; conflated ones have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_ns: Option<u64>,
    /// Format of the payload, where it has one.
    #[serde(skip_serializing_if = "is_opaque", serialize_with = "named")]
    pub format: u16,
    /// Why it is not to be had as the page wants it; it has no payload then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrendered: Option<&'a str>,
    /// The payload.
    #[serde(flatten)]
    pub payload: Option<Carried<'a>>,
}

/// All that was delivered up to a position is durable.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Confirmed {
    /// The subscription.
    pub subscription: u32,
    /// The position.
    pub position: Digits,
    /// How durable it is.
    #[serde(flatten)]
    pub durability: Persistence,
}

/// Acknowledgements are kept.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Acknowledged {
    /// The subscription.
    pub subscription: u32,
    /// How many, from the first of this connection on.
    pub acknowledgements: u64,
    /// The place of the last in the journal.
    pub position: Digits,
    /// How durable they are.
    #[serde(flatten)]
    pub durability: Persistence,
}

/// Messages that will not come.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Lost {
    /// The subscription.
    pub subscription: u32,
    /// Why; a few words that do not change.
    pub reason: &'static str,
    /// How many, 0 where that is not known.
    pub count: u64,
    /// They lie between this position
    pub first: Digits,
    /// and this one.
    pub last: Digits,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

impl<'a> From<&StoreEvent<'a>> for GuaranteedEvent<'a> {
    fn from(event: &StoreEvent<'a>) -> Self {
        match *event {
            StoreEvent::Stored(it) => Self::Stored(Stored {
                sequence: it.sequence,
                position: Digits(it.position),
                durability: it.durability.into(),
            }),
            StoreEvent::Consuming(it) => Self::Consuming(Consuming {
                subscription: it.subscription,
                window: it.window,
                waiting: it.waiting,
                next: Digits(it.next),
                new: it.is_new,
            }),
            StoreEvent::Confirmed(subscription, durability, position) => {
                let (position, durability) = (Digits(position), durability.into());
                Self::Confirmed(Confirmed { subscription, position, durability })
            }
            StoreEvent::Acknowledged(subscription, durability, acknowledgements, position) => {
                let (position, durability) = (Digits(position), durability.into());
                Self::Acknowledged(Acknowledged {
                    subscription,
                    acknowledgements,
                    position,
                    durability,
                })
            }
            StoreEvent::Lost(subscription, loss) => Self::Lost(lost(subscription, loss)),
            StoreEvent::Ended(subscription) => Self::Unsubscribed(subscription),
        }
    }
}

fn lost(subscription: u32, it: &Loss) -> Lost {
    let reason = match it.reason {
        LossReason::Expired => "expired",
        LossReason::Damaged => "damaged",
        LossReason::Quota => "over quota",
        LossReason::Gone => "not kept",
        LossReason::Purged => "purged",
    };
    Lost { subscription, reason, count: it.count, first: Digits(it.first), last: Digits(it.last) }
}

impl Writer {
    /// Adds a guaranteed message.
    pub(in crate::websocket) fn delivery(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        let payload = carried(it.payload);
        self.write(out, &GuaranteedEvent::Delivery(delivered(it, None, Some(payload))));
        follow(out, payload, it.payload);
    }

    /// Adds a guaranteed message of which the payload is the reason why there is none.
    pub(in crate::websocket) fn unrendered(&mut self, out: &mut Vec<u8>, it: &Delivery<'_>) {
        let reason = std::str::from_utf8(it.payload).unwrap_or_default();
        let delivery = Delivery { format: format::OPAQUE, ..*it };
        self.write(out, &GuaranteedEvent::Delivery(delivered(&delivery, Some(reason), None)));
    }
}

fn delivered<'a>(
    it: &Delivery<'a>,
    unrendered: Option<&'a str>,
    payload: Option<Carried<'a>>,
) -> Delivered<'a> {
    Delivered {
        subscription: it.subscription,
        topic: it.topic,
        position: Digits(it.position),
        time_ns: Digits(it.time),
        deliveries: it.deliveries,
        repeated: it.is_repeated,
        unconfirmed: it.is_unconfirmed,
        kept: it.is_kept,
        replaced: it.conflation.map(|(replaced, _)| replaced),
        age_ns: it.conflation.map(|(_, age)| age),
        format: it.format,
        unrendered,
        payload,
    }
}
