//! The frames of guaranteed delivery.

use trunkline_native as native;
use trunkline_native::{code, kind};
use trunkline_store::{Consume, Start};

use super::NativeSession;
use crate::router::{ClientContext, GuaranteedMessage, Narrowing, Rejected, StoreError, interval};

impl NativeSession {
    /// Handles PRODUCER; false if it is to come again.
    pub(super) fn producer(&mut self, context: &mut impl ClientContext, name: &str) -> bool {
        if self.producer.is_named() {
            context.close(code::BAD_FRAME, "a second PRODUCER");
            return true;
        }
        match self.producer.produce(context, name) {
            Ok(it) => {
                let producing = native::Producing {
                    window: it.window,
                    window_bytes: it.window_bytes,
                    last: it.last,
                };
                context.tell(|out| native::encode_producing(out, &producing));
                true
            }
            Err(error) => answer(context, kind::PRODUCER, 0, Err(error)),
        }
    }

    /// Handles STORE; false if it is to come again.
    #[inline]
    pub(super) fn store(
        &mut self,
        context: &mut impl ClientContext,
        it: &native::Store<'_>,
    ) -> bool {
        let done = match self.aliases.get(it.alias) {
            Some(topic) => {
                let message = GuaranteedMessage {
                    sequence: it.sequence,
                    time_to_live: u64::from(it.time_to_live_ms) * 1_000_000,
                    is_repeated: it.is_repeated,
                    format: it.format,
                    payload: it.payload,
                };
                self.producer.store(context, topic, &message)
            }
            None => {
                let text = format!("no TOPIC has given {} a meaning", it.alias);
                Err(Rejected::new(code::UNKNOWN, text).into())
            }
        };
        match done {
            Ok(()) => true,
            Err(StoreError::WouldBlock) => false,
            Err(error) if self.producer.should_report(it.sequence, &error) => {
                answer(context, kind::STORE, it.sequence, Err(error))
            }
            Err(_) => {
                context.reject_silently();
                true
            }
        }
    }
}

/// Handles CONSUME; false if it is to come again.
pub(super) fn consume(context: &mut impl ClientContext, it: &native::Consume<'_>) -> bool {
    let request = Consume {
        subscription: it.subscription,
        name: it.name,
        pattern: it.pattern,
        window: it.window,
        start: match it.start {
            native::Start::New => Start::New,
            native::Start::All => Start::All,
            native::Start::Position(position) => Start::Position(position),
            native::Start::Time(time) => Start::Time(time),
            native::Start::Last(count) => Start::Last(count),
        },
        conflation: match it.updates {
            native::Updates::All => None,
            native::Updates::Newest => Some(0),
            native::Updates::PerSecond(updates) => Some(interval(updates)),
        },
        pace: it.pace,
        wants_confirmed: it.wants_confirmed,
        wants_acknowledged: it.wants_acknowledged,
        acknowledge_within: u64::from(it.policy.acknowledge_within_ms) * 1_000_000,
        deliveries: it.policy.deliveries.into(),
        filter: None,
    };
    let native::Consume { pattern, format, filter, fields, .. } = *it;
    let done = context.consume(&request, &Narrowing { pattern, format, filter, fields });
    answer(context, kind::CONSUME, it.subscription.into(), done)
}

/// Handles ACKNOWLEDGE.
pub(super) fn acknowledge(context: &mut impl ClientContext, it: &native::Acknowledge) -> bool {
    let what = (it.position, it.is_cumulative);
    let done = context.with_store(|store, at, client, sink| {
        store.acknowledge(at, client, it.subscription, what, sink)
    });
    answer(context, kind::ACKNOWLEDGE, it.subscription.into(), done)
}

/// Handles RELEASE.
pub(super) fn release(context: &mut impl ClientContext, it: &native::Release) -> bool {
    let what = (it.position, u64::from(it.delay_ms) * 1_000_000);
    let done = context.with_store(|store, at, client, sink| {
        store.release(at, client, it.subscription, what, sink)
    });
    answer(context, kind::RELEASE, it.subscription.into(), done)
}

/// Handles DELETE; false if it is to come again.
pub(super) fn delete(context: &mut impl ClientContext, name: &str) -> bool {
    let done = context.delete(name);
    answer(context, kind::DELETE, 0, done)
}

/// Tells the client if something is not done; false if the frame is to come again.
fn answer(context: &mut impl ClientContext, of: u8, id: u64, done: Result<(), StoreError>) -> bool {
    match done {
        Ok(()) => {}
        Err(StoreError::WouldBlock) => return false,
        Err(StoreError::Rejected(rejected) | StoreError::OutOfSequence(_, rejected)) => {
            context.reject(of, id, &rejected);
        }
    }
    true
}
