//! Guaranteed delivery in the engine: the store, its clock, and what it says to clients.

use trunkline_native::{Refused, kind};
use trunkline_router::{ClientId, Envelope, Mode, Router, TopicId};
use trunkline_store::{
    ClockReading, Consuming, Delivery, Denied, Durability, EventSink, Loss, Store, Stored,
};

use super::ConnectionId;
use super::consumers::Consumers;
use super::newcomers::Newcomers;
use super::shortage::Shortage;
use crate::session::{ClientRenderer, code_of};

impl std::fmt::Debug for Storage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Storage").finish_non_exhaustive()
    }
}

/// The store with what it needs of the outside.
pub(crate) struct Storage {
    pub(crate) store: Store,
    /// Nanoseconds since 1970 at the engine's epoch.
    epoch: u64,
    /// When clients can take more, for those that have a pace.
    alarms: Vec<(u64, ConnectionId)>,
    pub(crate) consumers: Consumers,
    pub(crate) shortage: Option<Shortage>,
    /// The journal has more bytes than it may have.
    pub(crate) has_excess: bool,
    pub(crate) newcomers: Newcomers,
    /// Name of the topic that is published to.
    pub(crate) name: String,
}

impl Storage {
    pub(crate) fn new(store: Store, epoch: u64) -> Self {
        Self {
            store,
            epoch,
            alarms: Vec::new(),
            consumers: Consumers::default(),
            shortage: None,
            has_excess: false,
            newcomers: Newcomers::default(),
            name: String::new(),
        }
    }

    /// It is so many nanoseconds since 1970 now: clocks are set while a router runs.
    pub(crate) fn tell_time(&mut self, now: u64, since_1970: u64) {
        self.epoch = since_1970.saturating_sub(now);
    }

    pub(crate) fn clock_reading(&self, now: u64) -> ClockReading {
        ClockReading { now, time: self.epoch.saturating_add(now) }
    }

    /// The store, the time, and who it talks to.
    pub(crate) fn parts<'a>(
        &'a mut self,
        now: u64,
        router: &'a mut Router<ClientRenderer>,
    ) -> (&'a mut Store, ClockReading, ClientSink<'a>) {
        let at = self.clock_reading(now);
        let (alarms, consumers) = (&mut self.alarms, &mut self.consumers);
        let sink = ClientSink { now, router, alarms, consumers, topic: None };
        (&mut self.store, at, sink)
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.store.next_deadline()
    }

    /// The next client that will be able to take more, and when.
    pub(crate) fn next_alarm(&mut self) -> Option<(u64, ConnectionId)> {
        self.alarms.pop()
    }
}

/// Tells clients of the router what the store has to say.
pub(crate) struct ClientSink<'a> {
    now: u64,
    router: &'a mut Router<ClientRenderer>,
    alarms: &'a mut Vec<(u64, ConnectionId)>,
    consumers: &'a mut Consumers,
    /// The topic of the message that is being stored, which is the only one to be published then.
    pub(crate) topic: Option<TopicId>,
}

impl ClientSink<'_> {
    fn push(&mut self, client: u64, write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>)) {
        self.router.push(self.now, ClientId::from_u64(client), write);
    }

    fn tell(&mut self, client: u64, write: impl FnOnce(&mut Vec<u8>)) {
        self.router.control(ClientId::from_u64(client), |_, out| write(out));
    }
}

fn durability(it: Durability) -> trunkline_native::Durability {
    trunkline_native::Durability { memory: it.memory, disk: it.disk }
}

impl EventSink for ClientSink<'_> {
    fn has_room(&mut self, client: u64) -> bool {
        let id = ClientId::from_u64(client);
        match self.router.room_at(id) {
            None => false,
            Some(at) if at <= self.now => true,
            Some(at) => {
                self.alarms.push((at, id));
                false
            }
        }
    }

    fn deliver(&mut self, client: u64, delivery: &Delivery<'_>) {
        self.push(client, |renderer, out| renderer.delivery(out, delivery));
    }

    fn lost(&mut self, client: u64, subscription: u32, loss: &Loss) {
        self.push(client, |renderer, out| renderer.lost(out, subscription, loss));
    }

    fn stored(&mut self, client: u64, it: &Stored) {
        let stored = trunkline_native::Stored {
            durability: durability(it.durability),
            sequence: it.sequence,
            position: it.position,
        };
        self.tell(client, |out| trunkline_native::encode_stored(out, &stored));
    }

    fn failed(&mut self, client: u64, sequence: u64, denied: &Denied) {
        let (code, text) = (code_of(denied), denied.to_string());
        let refused = Refused { of: kind::STORE, code, offset: None, id: sequence, text: &text };
        self.tell(client, |out| trunkline_native::encode_refused(out, &refused));
    }

    fn refused(&mut self, client: u64, subscription: u32, denied: &Denied) {
        self.consumers.end(ClientId::from_u64(client));
        let (code, text) = (code_of(denied), denied.to_string());
        let id = subscription.into();
        let refused = Refused { of: kind::CONSUME, code, offset: None, id, text: &text };
        self.tell(client, |out| trunkline_native::encode_refused(out, &refused));
    }

    fn consuming(&mut self, client: u64, it: &Consuming) {
        let Consuming { subscription, window, waiting, next, is_new } = *it;
        let consuming = trunkline_native::Consuming { subscription, window, waiting, next, is_new };
        self.tell(client, |out| trunkline_native::encode_consuming(out, &consuming));
    }

    fn confirmed(&mut self, client: u64, subscription: u32, it: Durability, position: u64) {
        let durability = durability(it);
        let confirmed = trunkline_native::Confirmed { subscription, durability, position };
        self.tell(client, |out| trunkline_native::encode_confirmed(out, &confirmed));
    }

    fn acknowledged(
        &mut self,
        client: u64,
        subscription: u32,
        it: Durability,
        acknowledgements: u64,
        position: u64,
    ) {
        let durability = durability(it);
        let acknowledged =
            trunkline_native::Acknowledged { subscription, durability, acknowledgements, position };
        self.tell(client, |out| trunkline_native::encode_acknowledged(out, &acknowledged));
    }

    fn ended(&mut self, client: u64, subscription: u32) {
        self.consumers.end(ClientId::from_u64(client));
        self.tell(client, |out| trunkline_native::encode_unsubscribed(out, subscription));
    }

    fn publish(&mut self, topic: &str, format: u16, payload: &[u8]) {
        let envelope = Envelope { mode: Mode::Guaranteed, format, request: None, payload };
        if let Some(topic) = self.topic {
            // What direct subscribers lose is told to them, and what is refused had too many of them:
            // what is too long is not stored.
            let _ = self.router.publish(self.now, topic, &envelope);
            return;
        }
        // A topic that there is no room for has no subscribers that were found before.
        if let Ok(topic) = self.router.intern(self.now, topic) {
            let _ = self.router.publish(self.now, topic, &envelope);
            self.router.release(self.now, topic);
        }
    }
}
