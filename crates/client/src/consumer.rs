//! What a client asks of guaranteed messages, and the state of its consumers.

use std::time::Duration;

use trunkline_native::{
    self as native, DeliveryPolicy, Start, encode_consume, encode_subscription,
};

use crate::event::Consuming;
use crate::options::Subscribe;

/// Options of a consumer of guaranteed messages.
///
/// With a name it is a durable subscription: it stays when the client leaves, and its messages are
/// delivered until they are acknowledged; clients that give the same name share them. Without a name it is
/// a replay: the retained messages, then live ones, without acknowledgements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consume {
    /// Of the durable subscription, 1 to 200 bytes without control characters; empty for a replay.
    pub name: String,
    /// Such as `orders/*` or `orders/>`.
    pub pattern: String,
    /// The most messages that are delivered and not acknowledged; 0 leaves it to the router.
    pub window: u32,
    /// Where it begins; an existing durable subscription resumes where it was.
    pub start: Start,
    /// The speed of retained messages, in thousandths of the pace at which they were stored; 0: as fast as
    /// possible.
    pub pace: u32,
    /// How many messages of each topic, which of them, and as what. Without last values.
    pub updates: Subscribe,
    /// Wants [`crate::Event::Confirmed`].
    pub wants_confirmed: bool,
    /// Wants [`crate::Event::Acknowledged`].
    pub wants_acknowledged: bool,
    /// The time after which a message that is not acknowledged is redelivered, in whole milliseconds, if that is less than the
    /// router's configuration says; zero leaves it to the router.
    pub acknowledge_within: Duration,
    /// The most deliveries of a message, after which it becomes a dead letter, likewise.
    pub deliveries: u16,
}

impl Consume {
    /// A durable subscription to new messages.
    #[must_use]
    pub fn durable(name: &str, pattern: &str) -> Self {
        Self { name: name.to_owned(), pattern: pattern.to_owned(), ..Self::default() }
    }

    /// A replay.
    #[must_use]
    pub fn replay(pattern: &str, start: Start) -> Self {
        Self { pattern: pattern.to_owned(), start, ..Self::default() }
    }

    /// What becomes of messages that are not acknowledged.
    pub(crate) fn policy(&self) -> DeliveryPolicy {
        let time = self.acknowledge_within;
        let least = u32::from(!time.is_zero());
        let acknowledge_within_ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(least);
        DeliveryPolicy { acknowledge_within_ms, deliveries: self.deliveries }
    }
}

/// A subscription, as the client announces it to the router.
#[derive(Debug)]
pub(crate) struct SubscriptionState {
    pub(crate) kind: Kind,
    /// UNSUBSCRIBE is sent: the next connection does not announce it.
    pub(crate) is_left: bool,
}

/// What a subscription receives.
#[derive(Debug)]
pub(crate) enum Kind {
    Direct { pattern: Box<str>, how: Subscribe },
    Consumer(Box<Consumer>),
}

/// A consumer of guaranteed messages.
#[derive(Debug)]
pub(crate) struct Consumer {
    how: Consume,
    pub(crate) consuming: Option<Consuming>,
    /// The router has confirmed it on this connection.
    pub(crate) is_confirmed: bool,
    /// Where a replay resumes after a reconnection, once its start is known.
    next: Option<u64>,
}

impl Consumer {
    pub(crate) fn new(how: &Consume) -> Self {
        let mut how = how.clone();
        how.updates.last_values = false;
        Self { how, consuming: None, is_confirmed: false, next: None }
    }

    /// Learns the state from the router.
    pub(crate) fn confirm(&mut self, consuming: Consuming) {
        (self.consuming, self.is_confirmed) = (Some(consuming), true);
        // The start is a place in the journal, from which the router searches: the first message may be far
        // behind it. New messages are those behind that place.
        if self.how.start == Start::New {
            self.next.get_or_insert(consuming.next);
        }
    }

    /// Notes a delivered message.
    #[inline]
    pub(crate) fn has_seen(&mut self, position: u64) {
        self.next = self.next.max(Some(position.saturating_add(1)));
    }

    fn announce(&self, out: &mut Vec<u8>, subscription: u32) {
        let Consume { window, pace, wants_confirmed, wants_acknowledged, .. } = self.how;
        let policy = self.how.policy();
        let start = match self.next {
            // The router knows the place of a durable subscription.
            Some(next) if self.how.name.is_empty() => Start::Position(next),
            _ => self.how.start,
        };
        let (name, pattern) = (&*self.how.name, &*self.how.pattern);
        let wanted = &self.how.updates;
        encode_consume(
            out,
            &native::Consume {
                subscription,
                window,
                updates: wanted.updates(),
                start,
                pace,
                wants_confirmed,
                wants_acknowledged,
                policy,
                format: wanted.format,
                filter: wanted.filter.as_deref().unwrap_or_default(),
                fields: wanted.fields.as_deref().unwrap_or_default(),
                name,
                pattern,
            },
        );
    }
}

impl SubscriptionState {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, is_left: false }
    }

    /// How it gets messages.
    pub(crate) fn wanted(&self) -> &Subscribe {
        match &self.kind {
            Kind::Direct { how, .. } => how,
            Kind::Consumer(it) => &it.how.updates,
        }
    }

    /// Whether it asks what becomes of messages that are not acknowledged.
    pub(crate) fn wants_policy(&self) -> bool {
        match &self.kind {
            Kind::Consumer(it) => it.how.policy() != DeliveryPolicy::NONE,
            Kind::Direct { .. } => false,
        }
    }

    /// Announces it to the router.
    pub(crate) fn announce(&self, out: &mut Vec<u8>, subscription: u32) {
        match &self.kind {
            Kind::Direct { pattern, how } => {
                let it = native::Subscribe {
                    subscription,
                    updates: how.updates(),
                    last_values: how.last_values,
                    format: how.format,
                    filter: how.filter.as_deref().unwrap_or_default(),
                    fields: how.fields.as_deref().unwrap_or_default(),
                    pattern,
                };
                encode_subscription(out, &it);
            }
            Kind::Consumer(consumer) => consumer.announce(out, subscription),
        }
    }

    /// The connection is gone; returns whether the next one announces it.
    pub(crate) fn restart(&mut self) -> bool {
        if let Kind::Consumer(consumer) = &mut self.kind {
            consumer.is_confirmed = false;
        }
        !self.is_left
    }

    /// The consumer, if it is one.
    #[inline]
    pub(crate) fn consumer(&mut self) -> Option<&mut Consumer> {
        match &mut self.kind {
            Kind::Consumer(consumer) => Some(consumer),
            Kind::Direct { .. } => None,
        }
    }
}
