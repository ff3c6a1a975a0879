//! The frames of guaranteed delivery.

use trunkline_native as native;
use trunkline_native::{code, kind};
use trunkline_store::{Consume, ProducerId, Start};

use super::NativeSession;
use crate::router::{ClientContext, GuaranteedMessage, Rejected, StoreError};

/// The producer of a connection.
#[derive(Debug, Default)]
pub(super) struct ProducerState {
    id: Option<ProducerId>,
    /// The first of consecutive rejected sequences, and the reported reason: those behind it are not
    /// reported.
    rejected: Option<(u64, u16)>,
}

impl NativeSession {
    /// Handles PRODUCER; false if it is to come again.
    pub(super) fn producer(&mut self, context: &mut impl ClientContext, name: &str) -> bool {
        if self.producer.id.is_some() {
            context.close(code::BAD_FRAME, "a second PRODUCER");
            return true;
        }
        match context.produce(name) {
            Ok(it) => {
                self.producer.id = Some(it.producer);
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
        let Some(topic) = self.aliases.get(it.alias) else {
            let text = format!("no TOPIC has given {} a meaning", it.alias);
            self.reject(context, it.sequence, &Rejected::new(code::UNKNOWN, text));
            return true;
        };
        let Some(producer) = self.producer.id else {
            let text = "no PRODUCER has said who stores this";
            self.reject(context, it.sequence, &Rejected::new(code::NO_PRODUCER, text));
            return true;
        };
        let message = GuaranteedMessage {
            sequence: it.sequence,
            time_to_live: u64::from(it.time_to_live_ms) * 1_000_000,
            is_repeated: it.is_repeated,
            format: it.format,
            payload: it.payload,
        };
        match context.store(producer, topic, &message) {
            Ok(()) => {
                self.producer.rejected = None;
                true
            }
            Err(StoreError::WouldBlock) => false,
            Err(StoreError::OutOfSequence(next, rejected)) => {
                // Those behind one that was rejected are out of sequence, as its producer knows.
                if self.producer.rejected.is_none_or(|(rejected, _)| rejected != next) {
                    self.producer.rejected = Some((next, rejected.code));
                    context.reject(kind::STORE, it.sequence, &rejected);
                } else {
                    context.reject_silently();
                }
                true
            }
            Err(StoreError::Rejected(rejected)) => {
                self.reject(context, it.sequence, &rejected);
                true
            }
        }
    }

    /// Rejects a message. Messages behind it that are rejected for the same reason are only counted.
    /// If the first is sent again, its rejection is reported again.
    fn reject(&mut self, context: &mut impl ClientContext, sequence: u64, rejected: &Rejected) {
        let first = self.producer.rejected;
        if first.is_some_and(|(first, code)| code == rejected.code && first < sequence) {
            return context.reject_silently();
        }
        self.producer.rejected = Some((sequence, rejected.code));
        context.reject(kind::STORE, sequence, rejected);
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
            native::Updates::PerSecond(updates) => {
                Some(1_000_000_000_u64.div_ceil(updates.max(1).into()))
            }
        },
        pace: it.pace,
        wants_confirmed: it.wants_confirmed,
        wants_acknowledged: it.wants_acknowledged,
    };
    let done = context.consume(&request);
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
