//! Messages of topics on their way into a session.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, ErrorKind};
use std::path::Path;

use tracing::{error, warn};
use trunkline_client::{Conversation, Subscription, format};
use trunkline_fix::tcp::Handle;
use trunkline_fix::{Draft, SendError, Store};

use crate::connection::Fault;
use crate::first_place;
use crate::progress::Progress;
use crate::session_store::{places, remember};

/// PossResend (97).
pub(crate) const POSS_RESEND: u32 = 97;

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
    /// The store had all that was sent of places behind this one when it was opened; none if it had nothing.
    known_behind: Option<u64>,
    /// It was told that the store keeps nothing for now.
    has_warned: bool,
}

impl Outgoing {
    /// With the places that a session's store has, if they are of the journal that gives a position next; `first` is the file
    /// that says so.
    pub(crate) fn open(
        name: &str,
        store: &mut dyn Store,
        first: &Path,
        next_position: Option<u64>,
    ) -> io::Result<Self> {
        let began = store.began();
        let number = first_place::read(first, began)?;
        let places = places(store, number)?;
        match (places.last().copied(), next_position) {
            (Some(last), Some(next)) if next <= last => {
                first_place::write(first, store.next_sender(), began)?;
                let why =
                    "the router's journal began anew: what was sent of it is not known any more";
                warn!(session = name, last, next, why, "places are forgotten");
                Ok(Self::new(BTreeSet::new(), false))
            }
            _ => Ok(Self::new(places, began.is_none() && number == 1)),
        }
    }

    /// With the places of the messages that the store has; it has all if neither numbers nor the journal began anew.
    pub(crate) fn new(places: BTreeSet<u64>, is_complete: bool) -> Self {
        let known_behind = if is_complete { Some(0) } else { places.first().copied() };
        Self { waiting: VecDeque::new(), places, known_behind, has_warned: false }
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
                        Ok(()) => (has_sent, self.has_warned) = (true, false),
                        // The session ends, or has not begun: the router keeps it meanwhile.
                        Err(SendError::NotLoggedOn) => break,
                        Err(SendError::Store(why)) if why.kind() == ErrorKind::FileTooLarge => {
                            undeliverable(session, delivered, &why.to_string());
                        }
                        Err(SendError::Store(why)) => {
                            if !std::mem::replace(&mut self.has_warned, true) {
                                let session = session.identity();
                                warn!(%session, %why, "the store keeps nothing, so nothing is sent for now");
                            }
                            break;
                        }
                        Err(SendError::Malformed(why)) => undeliverable(session, delivered, why),
                    },
                    Err(why) => undeliverable(session, delivered, &why),
                }
                remember(&mut self.places, delivered.position);
            }
            done.extend(self.waiting.pop_front());
        }
        if has_sent && let Err(why) = session.wait_for_store() {
            // None of them has left: the router delivers them again.
            done.iter().for_each(|it| _ = self.places.remove(&it.position));
            return Err(why.into());
        }
        for it in done {
            conversation.acknowledge(it.subscription, it.position);
        }
        Ok(())
    }

    /// A message as the session sends it. If it may have been sent before, and the store cannot tell, it says so.
    fn draft(&self, delivered: &Delivered) -> Result<Draft, String> {
        let mut draft = draft_of(delivered.format, &delivered.payload)?;
        let is_known = self.known_behind.is_some_and(|it| it < delivered.position);
        if delivered.is_repeated && !is_known {
            draft.push(POSS_RESEND, b"Y")?;
        }
        Ok(draft)
    }
}

/// What is published, as a session sends it.
pub(crate) fn draft_of(format: u16, payload: &[u8]) -> Result<Draft, String> {
    if !matches!(format, format::FIX | format::OPAQUE | format::TEXT) {
        let name = format::name(format).unwrap_or("unknown");
        return Err(format!("its format is {name}, and not fix"));
    }
    Draft::read(payload).map_err(str::to_owned)
}

fn send(
    session: &Handle,
    progress: &Progress,
    position: u64,
    draft: &Draft,
) -> Result<(), SendError> {
    session.with(|outbox| {
        // Of a session that ends nothing is sent, and the store would have all of it.
        if !outbox.is_logged_on() {
            return Err(SendError::NotLoggedOn);
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use trunkline_client::Options;
    use trunkline_fix::tcp::{Acceptor, Initiator, TcpConfig};
    use trunkline_fix::{Application, Identity, MemoryStore, Message, Outbox, Refusal, Role};
    use trunkline_fix::{Session, Settings, Version};

    use super::*;
    use crate::session_store::SessionStore;

    struct Silent;

    impl Application for Silent {
        fn message(&mut self, _message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
            Ok(())
        }
    }

    /// A subscription of a conversation that nobody answers.
    fn subscription(conversation: &mut Conversation) -> Subscription {
        let how = trunkline_client::Consume::durable("reports", "reports");
        conversation.consume(&how).expect("a subscription")
    }

    fn session(role: Role, own: &str, other: &str) -> Handle {
        let settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
        Handle::new(Session::new(settings, None, Box::new(MemoryStore::default())), Silent)
    }

    /// A session that is up, and what it is up by.
    fn logged_on() -> (Handle, Acceptor, Initiator) {
        let own = session(Role::Acceptor, "BANK", "FUND");
        let other = session(Role::Initiator, "FUND", "BANK");
        let refused = Arc::new(|_, _: &str| {});
        let acceptor = Acceptor::start("127.0.0.1:0", [own.clone()], TcpConfig::default(), refused);
        let acceptor = acceptor.expect("a port");
        let address = acceptor.address().to_string();
        let initiator = Initiator::start(&address, other, TcpConfig::default()).expect("a thread");
        while !own.is_logged_on() {
            thread::sleep(Duration::from_millis(1));
        }
        (own, acceptor, initiator)
    }

    /// Sends deliveries of such places, repeated or not, and returns how many messages these are.
    fn sent(
        session: &Handle,
        mut outgoing: Outgoing,
        deliveries: &[(u64, bool)],
    ) -> (u64, Outgoing) {
        let before = session.numbers().0;
        let mut conversation = Conversation::new(&Options::named("test"));
        let subscription = subscription(&mut conversation);
        for (position, is_repeated) in deliveries {
            outgoing.push(Delivered {
                subscription,
                position: *position,
                is_repeated: *is_repeated,
                format: format::FIX,
                payload: b"35=8\x0137=o\x01".to_vec(),
            });
        }
        outgoing.send(session, &Progress::default(), &mut conversation).expect("memory");
        (session.numbers().0 - before, outgoing)
    }

    #[test]
    fn places_of_a_journal_that_is_no_more_are_forgotten() {
        let first = std::env::temp_dir().join(format!("trunkline-outgoing-{}", std::process::id()));
        let progress = Arc::new(Progress::default());
        let mut store = SessionStore::new(Box::new(MemoryStore::default()), 1, progress.clone());
        let save = |store: &mut SessionStore, position| {
            progress.set_position(Some(position));
            store.save(Some(b"8=FIX.4.4\x01")).expect("memory");
        };
        let open = |store: &mut SessionStore, next| {
            let outgoing = Outgoing::open("fix/BANK/FUND", store.inner(), &first, next);
            let Outgoing { places, known_behind, .. } = outgoing.expect("a file");
            (places.into_iter().collect::<Vec<_>>(), known_behind)
        };
        save(&mut store, 5);
        save(&mut store, 7);
        assert_eq!(open(&mut store, Some(8)), (vec![5, 7], Some(0)));
        assert_eq!(open(&mut store, None), (vec![5, 7], Some(0)));
        assert_eq!(open(&mut store, Some(7)), (vec![], None));
        // So it stays, however far the new one gets.
        save(&mut store, 6);
        assert_eq!(open(&mut store, Some(100)), (vec![6], Some(6)));
        std::fs::remove_file(first).expect("a file");
    }

    #[test]
    fn what_the_store_has_is_not_sent_again() {
        let (session, ..) = &logged_on();
        let outgoing = Outgoing::new([5, 7].into(), true);
        let deliveries = [(5, true), (6, true), (7, true), (8, false)];
        let (count, outgoing) = sent(session, outgoing, &deliveries);
        assert_eq!((count, outgoing.is_empty()), (2, true));
        let (count, _) = sent(session, outgoing, &[(6, true), (8, true), (9, false)]);
        assert_eq!(count, 1, "one of three is new");
    }

    #[test]
    fn what_nobody_is_there_for_stays_with_the_router() {
        let session = session(Role::Acceptor, "BANK", "FUND");
        let outgoing = Outgoing::new(BTreeSet::new(), true);
        let (count, outgoing) = sent(&session, outgoing, &[(5, false), (6, false)]);
        assert_eq!((count, outgoing.waiting.len(), outgoing.places.len()), (0, 2, 0));
    }

    #[test]
    fn what_may_have_been_sent_says_so_where_the_store_cannot_tell() {
        let flagged = |outgoing: &Outgoing, position, is_repeated| {
            let mut conversation = Conversation::new(&Options::named("test"));
            let delivered = Delivered {
                subscription: subscription(&mut conversation),
                position,
                is_repeated,
                format: format::FIX,
                payload: b"35=8\x0137=o\x01".to_vec(),
            };
            let mut plain = Draft::new("8");
            plain.push(37, b"o").expect("a value");
            outgoing.draft(&delivered).expect("fields") != plain
        };
        let begun_anew = Outgoing::new([5].into(), false);
        assert!(flagged(&begun_anew, 4, true) && !flagged(&begun_anew, 6, true));
        assert!(!flagged(&begun_anew, 4, false));
        assert!(flagged(&Outgoing::new(BTreeSet::new(), false), 4, true));
        assert!(!flagged(&Outgoing::new(BTreeSet::new(), true), 4, true));
    }

    #[test]
    fn what_is_no_message_is_passed_over() {
        assert!(draft_of(format::JSON, b"{}").is_err_and(|it| it.contains("json")));
        assert!(draft_of(format::FIX, b"37=o\x01").is_err_and(|it| it.contains("MsgType")));
    }
}
