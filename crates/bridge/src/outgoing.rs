//! Messages of topics on their way into a session.

use std::collections::{BTreeSet, VecDeque};

use tracing::error;
use trunkline_client::{Conversation, Subscription, format};
use trunkline_fix::tcp::Handle;
use trunkline_fix::{Draft, SendError};

use crate::connection::Fault;
use crate::progress::Progress;
use crate::session_store::remember;

/// PossResend (97).
const POSS_RESEND: u32 = 97;

/// Bytes that may wait for a session's connection; what is beyond stays in the router.
const WAITING: usize = 1 << 20;

/// Messages that are sent before the router's connection is looked at again.
const AT_ONCE: usize = 256;

/// A message that the router delivered and that is not acknowledged.
#[derive(Debug)]
pub(crate) struct Delivered {
    pub(crate) subscription: Subscription,
    pub(crate) position: u64,
    pub(crate) is_repeated: bool,
    pub(crate) format: u16,
    pub(crate) payload: Vec<u8>,
}

/// The messages of one session that the router has delivered.
#[derive(Debug)]
pub(crate) struct Outgoing {
    waiting: VecDeque<Delivered>,
    /// Places in the router's journal of messages that the session's store has.
    places: BTreeSet<u64>,
    /// The session's numbers never began anew, so its store has all that was sent.
    is_complete: bool,
}

impl Outgoing {
    pub(crate) fn new(places: BTreeSet<u64>, is_complete: bool) -> Self {
        Self { waiting: VecDeque::new(), places, is_complete }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn push(&mut self, delivered: Delivered) {
        self.waiting.push_back(delivered);
    }

    /// Forgets what was delivered: the router delivers it again.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Sends what the session takes, and acknowledges it once the session's store has it.
    pub(crate) fn send(
        &mut self,
        session: &Handle,
        progress: &Progress,
        conversation: &mut Conversation,
    ) -> Result<(), Fault> {
        let (mut done, mut has_sent) = (Vec::new(), false);
        while let Some(delivered) = self.waiting.front() {
            if done.len() >= AT_ONCE || session.waiting() > WAITING {
                break;
            }
            if !self.places.contains(&delivered.position) {
                match self.draft(delivered) {
                    Ok(draft) => match send(session, progress, delivered.position, &draft) {
                        Ok(()) => has_sent = true,
                        // The session ends, or has not begun: the router keeps it meanwhile.
                        Err(SendError::NotLoggedOn | SendError::Store(_)) => break,
                        Err(SendError::Malformed(why)) => undeliverable(session, delivered, why),
                    },
                    Err(why) => undeliverable(session, delivered, &why),
                }
                remember(&mut self.places, delivered.position);
            }
            done.extend(self.waiting.pop_front());
        }
        if has_sent {
            session.wait_for_store()?;
        }
        for it in done {
            conversation.acknowledge(it.subscription, it.position);
        }
        Ok(())
    }

    /// A message as the session sends it. If it may have been sent before, and the store cannot tell, it says so.
    fn draft(&self, delivered: &Delivered) -> Result<Draft, String> {
        if !matches!(delivered.format, format::FIX | format::OPAQUE | format::TEXT) {
            let name = format::name(delivered.format).unwrap_or("unknown");
            return Err(format!("its format is {name}, and not fix"));
        }
        let mut draft = Draft::read(&delivered.payload).map_err(str::to_owned)?;
        let is_known = self.is_complete || self.places.first() < Some(&delivered.position);
        if delivered.is_repeated && !is_known {
            draft.push(POSS_RESEND, b"Y");
        }
        Ok(draft)
    }
}

fn send(
    session: &Handle,
    progress: &Progress,
    position: u64,
    draft: &Draft,
) -> Result<(), SendError> {
    session.with(|outbox| {
        // The store takes it with the message, under the same lock of the session.
        progress.set_position(Some(position));
        let sent = draft.send(outbox);
        progress.set_position(None);
        sent.map(|_| ())
    })
}

/// A message that no session can send would come again for ever.
fn undeliverable(session: &Handle, delivered: &Delivered, why: &str) {
    let (session, position) = (session.identity(), delivered.position);
    error!(%session, position, why, "a message is no FIX message that can be sent, and is passed over");
}
