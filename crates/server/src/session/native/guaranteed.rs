//! The frames of guaranteed delivery.

use trunkline_native as native;
use trunkline_native::{code, kind};
use trunkline_store::{Consume, ProducerId, Start};

use super::NativeSession;
use crate::session::context::{ClientContext, Denied, NotNow, ToStore};

/// Who a connection publishes as.
#[derive(Debug, Default)]
pub(super) struct Producing {
    id: Option<ProducerId>,
    /// The first sequence of a row of refused ones, and why, as it was told: those behind it are not.
    refused: Option<(u64, u16)>,
}

impl NativeSession {
    /// Handles PRODUCER; false if it is to come again.
    pub(super) fn producer(&mut self, context: &mut ClientContext<'_>, name: &str) -> bool {
        if self.producing.id.is_some() {
            context.close(code::BAD_FRAME, "a second PRODUCER");
            return true;
        }
        match context.produce(name) {
            Ok(it) => {
                self.producing.id = Some(it.producer);
                let producing = native::Producing {
                    window: it.window,
                    window_bytes: it.window_bytes,
                    last: it.last,
                };
                context.tell(|out| native::encode_producing(out, &producing));
                true
            }
            Err(why) => refuse(context, kind::PRODUCER, 0, why),
        }
    }

    /// Handles STORE; false if it is to come again.
    #[inline]
    pub(super) fn store(
        &mut self,
        context: &mut ClientContext<'_>,
        it: &native::Store<'_>,
    ) -> bool {
        let Some(topic) = self.aliases.get(it.alias) else {
            let text = format!("no TOPIC has given {} a meaning", it.alias);
            self.refuse(context, it.sequence, &Denied { code: code::UNKNOWN, offset: None, text });
            return true;
        };
        let Some(producer) = self.producing.id else {
            let text = "no PRODUCER has said who stores this".to_owned();
            self.refuse(
                context,
                it.sequence,
                &Denied { code: code::NO_PRODUCER, offset: None, text },
            );
            return true;
        };
        let message = ToStore {
            topic,
            sequence: it.sequence,
            time_to_live: u64::from(it.time_to_live_ms) * 1_000_000,
            is_repeated: it.is_repeated,
            format: it.format,
            payload: it.payload,
        };
        match context.store(producer, &message) {
            Ok(()) => {
                self.producing.refused = None;
                true
            }
            Err(NotNow::Held) => false,
            Err(NotNow::OutOfSequence(next, denied)) => {
                // Those behind one that was refused are out of sequence, as its producer knows.
                if self.producing.refused.is_none_or(|(refused, _)| refused != next) {
                    self.producing.refused = Some((next, denied.code));
                    context.refuse(kind::STORE, it.sequence, &denied);
                } else {
                    context.refuse_silently();
                }
                true
            }
            Err(NotNow::Denied(denied)) => {
                self.refuse(context, it.sequence, &denied);
                true
            }
        }
    }

    /// Refuses a message; those behind it that are refused for the same reason are counted alone. One that
    /// is tried again is told again.
    fn refuse(&mut self, context: &mut ClientContext<'_>, sequence: u64, denied: &Denied) {
        let first = self.producing.refused;
        if first.is_some_and(|(first, code)| code == denied.code && first < sequence) {
            return context.refuse_silently();
        }
        self.producing.refused = Some((sequence, denied.code));
        context.refuse(kind::STORE, sequence, denied);
    }
}

/// Handles CONSUME; false if it is to come again.
pub(super) fn consume(context: &mut ClientContext<'_>, it: &native::Consume<'_>) -> bool {
    let asked = Consume {
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
    match context.consume(&asked) {
        Ok(()) => true,
        Err(why) => refuse(context, kind::CONSUME, it.subscription.into(), why),
    }
}

/// Handles ACKNOWLEDGE.
pub(super) fn acknowledge(context: &mut ClientContext<'_>, it: &native::Acknowledge) -> bool {
    match context.acknowledge(it.subscription, (it.position, it.is_cumulative)) {
        Ok(()) => true,
        Err(why) => refuse(context, kind::ACKNOWLEDGE, it.subscription.into(), why),
    }
}

/// Handles RELEASE.
pub(super) fn release(context: &mut ClientContext<'_>, it: &native::Release) -> bool {
    let delay = u64::from(it.delay_ms) * 1_000_000;
    match context.give_back(it.subscription, (it.position, delay)) {
        Ok(()) => true,
        Err(why) => refuse(context, kind::RELEASE, it.subscription.into(), why),
    }
}

/// Handles DELETE; false if it is to come again.
pub(super) fn delete(context: &mut ClientContext<'_>, name: &str) -> bool {
    match context.delete(name) {
        Ok(()) => true,
        Err(why) => refuse(context, kind::DELETE, 0, why),
    }
}

/// Tells the client why not; false if the frame is to come again.
fn refuse(context: &mut ClientContext<'_>, of: u8, id: u64, why: NotNow) -> bool {
    match why {
        NotNow::Held => return false,
        NotNow::Denied(denied) | NotNow::OutOfSequence(_, denied) => {
            context.refuse(of, id, &denied)
        }
    }
    true
}
