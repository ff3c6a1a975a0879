//! Market data on its way into a session: the newest of each topic, as fast as the session takes it.

use std::collections::{HashMap, VecDeque};

use tracing::{error, warn};
use trunkline_client::{Conversation, Subscribe, Subscription};
use trunkline_fix::tcp::Handle;
use trunkline_fix::{Draft, SendError};

use crate::connection::Fault;
use crate::outgoing::draft_of;
use crate::progress::{Keeping, Progress};
use crate::requests::{MarketData, reason};

const MD_REQ_ID: u32 = 262;

/// Bytes that may wait for a session's connection before newer updates replace older ones: a reader that is slow gets what is
/// new, and not what has waited.
const WAITING: usize = 32 << 10;

/// Updates that are sent before the router's connection is looked at again.
const AT_ONCE: usize = 256;

/// What a session has asked for on one connection to the router.
#[derive(Debug, Default)]
pub(crate) struct Market {
    requests: HashMap<String, Vec<Subscription>>,
    /// By the number of a subscription.
    ids: HashMap<u32, String>,
    /// Subscriptions whose newest update the session has not taken, those that wait longest first.
    waiting: VecDeque<u32>,
    newest: HashMap<u32, Update>,
}

#[derive(Debug)]
struct Update {
    format: u16,
    payload: Vec<u8>,
}

impl Market {
    /// Does what a request asks for.
    pub(crate) fn run(
        &mut self,
        command: MarketData,
        conversation: &mut Conversation,
    ) -> Result<(), Fault> {
        match command {
            MarketData::Subscribe { id, topics } => {
                self.end(&id, conversation);
                let mut all = Vec::with_capacity(topics.len());
                for it in topics {
                    let how = match it.updates_per_second {
                        0 => Subscribe::newest(),
                        rate => Subscribe::at_most(rate),
                    };
                    let subscription = conversation.subscribe(&it.topic, &how.last_values())?;
                    self.ids.insert(subscription.number(), id.clone());
                    all.push(subscription);
                }
                self.requests.insert(id, all);
            }
            MarketData::Unsubscribe { id } => self.end(&id, conversation),
        }
        Ok(())
    }

    fn end(&mut self, id: &str, conversation: &mut Conversation) {
        for subscription in self.requests.remove(id).into_iter().flatten() {
            self.forget(subscription.number());
            conversation.unsubscribe(subscription);
        }
    }

    fn forget(&mut self, number: u32) {
        self.ids.remove(&number);
        if self.newest.remove(&number).is_some() {
            self.waiting.retain(|it| *it != number);
        }
    }

    /// The session is gone, and what it has asked for with it.
    pub(crate) fn clear(&mut self, conversation: &mut Conversation) {
        let ids: Vec<String> = self.requests.keys().cloned().collect();
        ids.iter().for_each(|id| self.end(id, conversation));
    }

    /// An update came; it is in place of an older one of its topic that waits.
    pub(crate) fn update(&mut self, subscription: Subscription, format: u16, payload: &[u8]) {
        let number = subscription.number();
        if !self.ids.contains_key(&number) {
            return;
        }
        let update = Update { format, payload: payload.to_vec() };
        if self.newest.insert(number, update).is_none() {
            self.waiting.push_back(number);
        }
    }

    /// The router rejects a subscription: the request that it is of ends, and the other side is told. None if it is of none.
    pub(crate) fn rejected(
        &mut self,
        number: u64,
        why: &str,
        session: &Handle,
        conversation: &mut Conversation,
    ) -> Option<String> {
        let number = u32::try_from(number).ok()?;
        let id = self.ids.get(&number)?.clone();
        // The router has ended this one itself.
        self.forget(number);
        if let Some(all) = self.requests.get_mut(&id) {
            all.retain(|it| it.number() != number);
        }
        self.end(&id, conversation);
        let body = rejection(&id, reason::PERMISSIONS, why);
        if let Err(why) = session.with(|outbox| outbox.send("Y", &body)) {
            warn!(session = %session.identity(), id, %why, "a rejection is not sent");
        }
        Some(id)
    }

    /// Has it asked for nothing?
    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Is there something that the session has not taken?
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Sends what the session takes. Once it has taken all, the router may go on.
    pub(crate) fn send(
        &mut self,
        session: &Handle,
        progress: &Progress,
        conversation: &mut Conversation,
    ) {
        for _ in 0..AT_ONCE {
            if self.waiting.is_empty() || session.waiting() > WAITING {
                break;
            }
            let Some(number) = self.waiting.pop_front() else { break };
            let update = self.newest.remove(&number);
            let Some((update, id)) = update.zip(self.ids.get(&number)) else { continue };
            let draft = draft_of(update.format, &update.payload).map(|mut draft| {
                draft.put_first(MD_REQ_ID, id.as_bytes());
                draft
            });
            let why = match draft {
                Ok(draft) => match send(session, progress, &draft) {
                    Ok(()) | Err(SendError::NotLoggedOn) => continue,
                    Err(why) => why.to_string(),
                },
                Err(why) => why,
            };
            error!(session = %session.identity(), id, why, "an update cannot be sent, and is passed over");
        }
        if self.waiting.is_empty() {
            conversation.report_taken(0);
        }
    }
}

/// An update that the other side misses is too old by the time it asks: the store has no more of it than its number.
fn send(session: &Handle, progress: &Progress, draft: &Draft) -> Result<(), SendError> {
    session.with(|outbox| {
        if !outbox.is_logged_on() {
            return Err(SendError::NotLoggedOn);
        }
        progress.keep(Keeping::Number);
        let sent = draft.send(outbox);
        progress.keep(Keeping::Message);
        sent.map(|_| ())
    })
}

/// The body of a MarketDataRequestReject (Y).
pub(crate) fn rejection(id: &str, reason: char, text: &str) -> Vec<u8> {
    let text = text.replace('\u{1}', " ");
    format!("262={id}\u{1}281={reason}\u{1}58={text}\u{1}").into_bytes()
}
