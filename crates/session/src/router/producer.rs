//! The producer of a connection, in any protocol.

use trunkline_native::code;
use trunkline_store::{ProducerId, Producing};

use super::{ClientContext, GuaranteedMessage, HeldTopic, Rejected, StoreError};

/// Who stores over a connection, and which of its messages were rejected.
#[derive(Debug, Default)]
pub(crate) struct ConnectionProducer {
    id: Option<ProducerId>,
    /// The first of consecutive rejected sequences, and the reported reason: those behind it are not
    /// reported.
    rejected: Option<(u64, u16)>,
}

impl ConnectionProducer {
    /// Whether the connection has named its producer.
    pub(crate) fn is_named(&self) -> bool {
        self.id.is_some()
    }

    /// Names the producer, once.
    pub(crate) fn produce(
        &mut self,
        context: &mut impl ClientContext,
        name: &str,
    ) -> Result<Producing, StoreError> {
        let producing = context.produce(name)?;
        self.id = Some(producing.producer);
        Ok(producing)
    }

    /// Stores a message.
    #[inline]
    pub(crate) fn store(
        &mut self,
        context: &mut impl ClientContext,
        topic: &mut HeldTopic,
        message: &GuaranteedMessage<'_>,
    ) -> Result<(), StoreError> {
        let Some(producer) = self.id else {
            let text = "the connection has not named its producer";
            return Err(Rejected::new(code::NO_PRODUCER, text).into());
        };
        context.store(producer, topic, message)?;
        self.rejected = None;
        Ok(())
    }

    /// Whether the rejection of a message is reported, or only counted: messages behind a reported one that are
    /// rejected for the same reason, or because it was, are not. If that is sent again, it is reported again.
    #[cold]
    pub(crate) fn should_report(&mut self, sequence: u64, error: &StoreError) -> bool {
        let (first, code) = match error {
            StoreError::WouldBlock => return false,
            StoreError::OutOfSequence(next, rejected) => (*next, rejected.code),
            StoreError::Rejected(rejected) => (sequence, rejected.code),
        };
        let is_known = self.rejected.is_some_and(|(before, reason)| match error {
            // Those behind one that was rejected are out of sequence, as its producer knows.
            StoreError::OutOfSequence(..) => before == first,
            _ => before < first && reason == code,
        });
        if !is_known {
            self.rejected = Some((first, code));
        }
        !is_known
    }
}

/// The nanoseconds between two updates of a topic, for so many a second.
pub(crate) fn interval(updates_per_second: u32) -> u64 {
    1_000_000_000_u64.div_ceil(updates_per_second.max(1).into())
}
