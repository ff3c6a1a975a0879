//! What a session may ask of guaranteed delivery.

use trunkline_native::code;
use trunkline_router::{Refusal, TopicId, check_pattern};
use trunkline_store::{Consume, NewMessage, ProducerId, Producing};

use super::{ClientContext, Denied, denied};
use crate::engine::{Origin, TooMany, WaitsFor, message_bytes};

/// A message to store, but for its topic's name.
#[derive(Clone, Copy, Debug)]
pub struct ToStore<'a> {
    /// The topic.
    pub topic: TopicId,
    /// Its number among those of the producer.
    pub sequence: u64,
    /// For how long it is of use, in nanoseconds; 0 for ever.
    pub time_to_live: u64,
    /// Whether it may have been sent before.
    pub is_repeated: bool,
    /// What the payload is.
    pub format: u16,
    /// The message itself.
    pub payload: &'a [u8],
}

/// Why something is not done now.
#[derive(Debug)]
pub enum NotNow {
    /// There is no room: nothing more is to be read from this connection until there is, and then the
    /// same frame again.
    Held,
    /// It is not done.
    Denied(Denied),
    /// It is not done, and what follows will not be until this sequence comes.
    OutOfSequence(u64, Denied),
}

/// The store's refusal as the protocol tells it.
pub(crate) fn code_of(denied: &trunkline_store::Denied) -> u16 {
    use trunkline_store::Denied;
    match denied {
        Denied::Busy | Denied::Limit(_) => code::LIMIT,
        Denied::OutOfSequence(_) => code::OUT_OF_SEQUENCE,
        Denied::NotDurable(_) => code::NOT_DURABLE,
        Denied::TakenOver => code::TAKEN_OVER,
        Denied::TooLong(..) => code::TOO_LONG,
        Denied::Exists(_) => code::IN_USE,
        Denied::Different(_) => code::DIFFERENT,
        Denied::Pattern => code::BAD_NAME,
        Denied::Unknown => code::UNKNOWN,
    }
}

impl ClientContext<'_> {
    fn not_now(&mut self, denied: &trunkline_store::Denied) -> NotNow {
        let told = Denied { code: code_of(denied), offset: None, text: denied.to_string() };
        match denied {
            trunkline_store::Denied::Busy => {
                self.state.held.hold(self.client_session.id, WaitsFor::Storage);
                NotNow::Held
            }
            trunkline_store::Denied::OutOfSequence(next) => NotNow::OutOfSequence(*next, told),
            _ => NotNow::Denied(told),
        }
    }

    /// The client publishes under this name from now on.
    ///
    /// # Errors
    ///
    /// There are as many producers as may be, or the journal takes nothing.
    pub fn produce(&mut self, name: &str) -> Result<Producing, NotNow> {
        // Also one that another connection has brought in: who stores something under it is counted.
        let last = self.storage.store.last_of_producer(name);
        let newcomer = last.is_none_or(|last| last == 0).then(|| self.client_session.origin());
        if let Some(origin) = &newcomer {
            self.may_bring_in(origin, last.is_some()).map_err(NotNow::Denied)?;
        }
        let (store, at, _) = self.storage.parts(self.now, self.router);
        let produced = store.produce(at, self.client_session.id.as_u64(), name);
        let producing = produced.map_err(|denied| self.not_now(&denied))?;
        if let Some(origin) = newcomer {
            self.client_session.newcomer = self.storage.newcomers.add(origin, last.is_some());
        }
        self.client_session.producer = Some(producing.producer);
        Ok(producing)
    }

    /// Whether the client may have a name of a producer under which nothing is stored.
    fn may_bring_in(&mut self, origin: &Origin, is_known: bool) -> Result<(), Denied> {
        let journal = &self.state.config.journal;
        let (unused, stored) = (journal.producers_per_client, journal.new_producers_per_client);
        let may = self.storage.newcomers.may(self.now, origin, is_known, (unused, stored));
        let Err(too_many) = may else { return Ok(()) };
        let (most, what, key) = match too_many {
            TooMany::Unused => (unused, "nothing", "producers_per_client"),
            TooMany::Stored => (stored, "something", "new_producers_per_client"),
        };
        let who = match &*origin.client {
            "" => "clients without a name".to_owned(),
            name => format!("clients of the name {name:?}"),
        };
        let text = format!(
            "{who} at {} have brought in {most} names of producers within an hour and stored {what} under them, and \
             may bring in no more (journal.{key}); a producer that keeps its name, such as that of `trunkline pub \
             --producer NAME`, is counted once",
            origin.host
        );
        Err(Denied { code: code::LIMIT, offset: None, text })
    }

    /// Stores a message of the client's producer.
    ///
    /// # Errors
    ///
    /// It is not stored.
    #[inline]
    pub fn store(&mut self, producer: ProducerId, it: &ToStore<'_>) -> Result<(), NotNow> {
        // What is longer could be stored, and not be published to direct subscribers.
        let (bytes, limit) = (it.payload.len(), message_bytes(&self.state.config));
        if bytes > limit {
            return Err(NotNow::Denied(denied(Refusal::MessageTooLong { bytes, limit })));
        }
        self.storage.name.clear();
        self.storage.name.push_str(self.router.topic_name(it.topic));
        let name = std::mem::take(&mut self.storage.name);
        let message = NewMessage {
            sequence: it.sequence,
            time_to_live: it.time_to_live,
            is_repeated: it.is_repeated,
            format: it.format,
            topic: &name,
            payload: it.payload,
        };
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        sink.topic = Some(it.topic);
        let stored = store.store(at, producer, &message, &mut sink);
        self.storage.name = name;
        match stored {
            Ok(()) => {
                self.client_session.published += 1;
                self.client_session.format = it.format;
                // Nothing was stored before: what is taken now with a sequence is its first.
                if let Some(newcomer) = self.client_session.newcomer.take_if(|_| it.sequence > 0) {
                    self.storage.newcomers.stored(&newcomer);
                }
                Ok(())
            }
            Err(denied) => Err(self.not_now(&denied)),
        }
    }

    /// The client wants messages of a durable subscription, or a replay.
    ///
    /// # Errors
    ///
    /// They are not to be had so.
    pub fn consume(&mut self, asked: &Consume<'_>) -> Result<(), NotNow> {
        if let Err(error) = check_pattern(asked.pattern) {
            let offset = u32::try_from(error.offset).ok();
            let denied =
                Denied { code: code::BAD_NAME, offset, text: format!("no pattern: {error}") };
            return Err(NotNow::Denied(denied));
        }
        if self.router.has_subscription(self.client_session.id, asked.subscription) {
            let text = format!("the client has a subscription {} already", asked.subscription);
            return Err(NotNow::Denied(Denied { code: code::IN_USE, offset: None, text }));
        }
        let most = self.subscriptions();
        if self.storage.consumers.of(self.client_session.id) >= most {
            let text = format!(
                "the client has its limit of {most} subscriptions (limits.subscriptions_per_client)"
            );
            return Err(NotNow::Denied(Denied { code: code::LIMIT, offset: None, text }));
        }
        self.room_for_subscription().map_err(NotNow::Denied)?;
        let client = self.client_session.id.as_u64();
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let consumed = store.consume(at, client, asked, &mut sink);
        consumed.map_err(|denied| self.not_now(&denied))?;
        self.storage.consumers.begin(self.client_session.id);
        Ok(())
    }

    /// The client has done with a message, or with all up to it.
    ///
    /// # Errors
    ///
    /// It has no such durable subscription.
    pub fn acknowledge(&mut self, subscription: u32, what: (u64, bool)) -> Result<(), NotNow> {
        let client = self.client_session.id.as_u64();
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let done = store.acknowledge(at, client, subscription, what, &mut sink);
        done.map_err(|denied| self.not_now(&denied))
    }

    /// The client gives a message back, to come again after some nanoseconds.
    ///
    /// # Errors
    ///
    /// It has no such durable subscription.
    pub fn give_back(&mut self, subscription: u32, what: (u64, u64)) -> Result<(), NotNow> {
        let client = self.client_session.id.as_u64();
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let done = store.release(at, client, subscription, what, &mut sink);
        done.map_err(|denied| self.not_now(&denied))
    }

    /// Ends a durable subscription for all.
    ///
    /// # Errors
    ///
    /// There is none of this name, or the journal takes nothing.
    pub fn delete(&mut self, name: &str) -> Result<(), NotNow> {
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let done = store.delete(at, name, &mut sink);
        done.map_err(|denied| self.not_now(&denied))
    }

    /// Whether a subscription of the client is to a durable subscription or a replay; it ends then.
    pub fn detach(&mut self, subscription: u32) -> bool {
        let client = self.client_session.id.as_u64();
        let (store, at, mut sink) = self.storage.parts(self.now, self.router);
        let was_there = store.detach(at, client, subscription, &mut sink).is_ok();
        if was_there {
            self.storage.consumers.end(self.client_session.id);
        }
        was_there
    }

    /// Whether there may be one more subscription, be it direct, durable or a replay.
    pub(super) fn room_for_subscription(&self) -> Result<(), Denied> {
        let limit = self.state.config.limits.subscriptions;
        let all = self.router.view().subscriptions_now() + self.storage.consumers.all();
        if all < limit { Ok(()) } else { Err(denied(Refusal::TooManySubscriptions(limit))) }
    }

    /// Whether a number is taken by a durable subscription or a replay.
    pub(super) fn has_consumer(&self, subscription: u32) -> bool {
        self.storage.consumers.of(self.client_session.id) > 0
            && self.storage.store.has_consumer(self.client_session.id.as_u64(), subscription)
    }
}
