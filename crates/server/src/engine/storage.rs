//! Guaranteed delivery in the engine: the store, its clock, and what it says to clients.

use trunkline_native::{self as native, kind};
use trunkline_router::{ClientId, Envelope, Mode, Router, TopicId};
use trunkline_session::router::{ClientRenderer, SessionRenderer as _, StoreEvent};
use trunkline_store::{
    ClockReading, Consuming, Delivery, Durability, EventSink, Loss, Rejected, Sending, Store,
    Stored,
};

use super::consumers::Consumers;
use super::deferred::{DeferredDeliveries, First, Item, REASON};
use super::new_producers::NewProducers;
use super::shortage::Shortage;
use super::{ClientOutput, ConnectionId};

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
    /// The times at which clients with a pace can take more.
    alarms: Vec<(u64, ConnectionId)>,
    pub(crate) consumers: Consumers,
    /// What waits for whoever reads payloads.
    pub(super) deferred: DeferredDeliveries,
    pub(crate) shortage: Option<Shortage>,
    /// The journal has more bytes than it may have.
    pub(crate) has_excess: bool,
    pub(crate) new_producers: NewProducers,
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
            deferred: DeferredDeliveries::default(),
            shortage: None,
            has_excess: false,
            new_producers: NewProducers::default(),
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

    /// The store, the time, and the sink of its events.
    pub(crate) fn parts<'a>(
        &'a mut self,
        now: u64,
        router: &'a mut Router<ClientOutput>,
    ) -> (&'a mut Store, ClockReading, ClientSink<'a>) {
        let at = self.clock_reading(now);
        let Self { store, alarms, consumers, deferred, .. } = self;
        let sink = ClientSink { now, router, alarms, consumers, deferred, topic: None };
        (store, at, sink)
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
    router: &'a mut Router<ClientOutput>,
    alarms: &'a mut Vec<(u64, ConnectionId)>,
    consumers: &'a mut Consumers,
    deferred: &'a mut DeferredDeliveries,
    /// The topic of the message that is being stored, which is the only one to be published then.
    pub(crate) topic: Option<TopicId>,
}

impl ClientSink<'_> {
    /// Whether the client's output has room now; if it has some time later, there is an alarm.
    fn has_room_in_output(&mut self, client: u64) -> bool {
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

    /// Sends what can go of a consumer's deliveries that had to wait, and that the store still wants to go, and tells it which did
    /// not pass the consumer's filter. Returns how many went.
    pub(super) fn send_deferred(
        &mut self,
        store: &mut Store,
        at: ClockReading,
        (client, subscription): (u64, u32),
    ) -> usize {
        let mut sent = 0;
        loop {
            let first = self.deferred.first(client, subscription);
            let needs_room = !matches!(first, First::Wait | First::Filtered(_));
            if needs_room && !self.has_room_in_output(client) {
                return sent;
            }
            let sending = match &first {
                First::Made(it, ..) | First::Unrendered(it, ..) => {
                    store.sent(at, client, subscription, it.of_store())
                }
                _ => Sending::Now,
            };
            let is_made = matches!(&first, First::Made(..)) && sending.is_now();
            match first {
                First::Wait => return sent,
                _ if sending == Sending::Later => {
                    self.deferred.look_later(client, subscription);
                    return sent;
                }
                _ if sending == Sending::Never => {}
                First::Filtered(position) => {
                    store.filtered(at, client, subscription, position, self);
                }
                First::Send(Item::Lost(loss)) => self.push(client, |renderer, out| {
                    renderer.event(out, &StoreEvent::Lost(subscription, &loss));
                }),
                First::Send(Item::Confirmed(it, position)) => {
                    self.tell(client, &StoreEvent::Confirmed(subscription, it, position));
                }
                First::Send(Item::Delivery(_)) => {}
                First::Made(it, topic, format, payload) => {
                    let it = it.sent_as(sending);
                    let delivery = it.of(self.now, subscription, &topic, (format, &payload));
                    self.push(client, |renderer, out| renderer.delivery(out, &delivery));
                    sent += 1;
                }
                First::Unrendered(it, topic, reason) => {
                    let it = it.sent_as(sending);
                    let delivery =
                        it.of(self.now, subscription, &topic, (REASON, reason.as_bytes()));
                    self.push(client, |renderer, out| renderer.unrendered(out, &delivery));
                    sent += 1;
                }
            }
            self.deferred.pop(client, subscription, is_made);
        }
    }

    /// The consumer of a client whose turn it is to have what others of it use no more.
    pub(super) fn next_turn(&mut self, client: u64) -> Option<u32> {
        let has_room = self.has_room_in_output(client);
        self.deferred.next_turn(client, has_room)
    }

    fn push(&mut self, client: u64, write: impl FnOnce(&mut ClientRenderer, &mut Vec<u8>)) {
        let write = |output: &mut ClientOutput, out: &mut Vec<u8>| write(&mut output.renderer, out);
        self.router.push(self.now, ClientId::from_u64(client), write);
    }

    #[inline]
    fn tell(&mut self, client: u64, event: &StoreEvent<'_>) {
        let write =
            |output: &mut ClientOutput, out: &mut Vec<u8>| output.renderer.event(out, event);
        self.router.control(ClientId::from_u64(client), write);
    }

    #[cold]
    fn reject(&mut self, client: u64, of: u8, id: u64, rejected: &Rejected) {
        let rejected = trunkline_session::router::Rejected::from(rejected);
        let (code, text) = (rejected.code, &*rejected.text);
        let frame = native::Rejected { of, code, offset: None, id, text };
        self.router.control(ClientId::from_u64(client), |output, out| {
            output.renderer.rejected(out, &frame);
        });
    }
}

impl EventSink for ClientSink<'_> {
    fn has_room(&mut self, client: u64, subscription: u32) -> bool {
        self.deferred.has_room(client, subscription) && self.has_room_in_output(client)
    }

    #[inline]
    fn deliver(&mut self, client: u64, delivery: &Delivery<'_>) -> bool {
        if self.deferred.take(self.now, client, delivery) {
            return false;
        }
        self.push(client, |renderer, out| renderer.delivery(out, delivery));
        true
    }

    fn withdrawn(&mut self, client: u64, subscription: u32, position: u64) {
        self.deferred.withdraw(client, subscription, position);
    }

    fn lost(&mut self, client: u64, subscription: u32, loss: &Loss) {
        if self.deferred.take_loss(client, subscription, loss) {
            return;
        }
        self.push(client, |renderer, out| {
            renderer.event(out, &StoreEvent::Lost(subscription, loss));
        });
    }

    fn stored(&mut self, client: u64, it: &Stored) {
        self.tell(client, &StoreEvent::Stored(it));
    }

    fn failed(&mut self, client: u64, sequence: u64, rejected: &Rejected) {
        self.reject(client, kind::STORE, sequence, rejected);
    }

    fn rejected(&mut self, client: u64, subscription: u32, rejected: &Rejected) {
        self.consumers.end(ClientId::from_u64(client));
        self.deferred.end(client, subscription);
        self.reject(client, kind::CONSUME, subscription.into(), rejected);
    }

    fn consuming(&mut self, client: u64, it: &Consuming) {
        self.tell(client, &StoreEvent::Consuming(it));
    }

    fn confirmed(&mut self, client: u64, subscription: u32, it: Durability, position: u64) {
        if !self.deferred.take_confirmed((client, subscription), it, position) {
            self.tell(client, &StoreEvent::Confirmed(subscription, it, position));
        }
    }

    fn acknowledged(
        &mut self,
        client: u64,
        subscription: u32,
        it: Durability,
        count: u64,
        position: u64,
    ) {
        self.tell(client, &StoreEvent::Acknowledged(subscription, it, count, position));
    }

    fn ended(&mut self, client: u64, subscription: u32) {
        self.consumers.end(ClientId::from_u64(client));
        self.deferred.end(client, subscription);
        self.tell(client, &StoreEvent::Ended(subscription));
    }

    fn publish(&mut self, topic: &str, format: u16, payload: &[u8]) {
        let envelope = Envelope { mode: Mode::Guaranteed, format, request: None, payload };
        if let Some(topic) = self.topic {
            // Direct subscribers get reports of their losses. A rejection means that the topic had
            // too many of them, because the store does not take a message that is too long.
            let _ = self.router.publish(self.now, topic, &envelope);
            return;
        }
        // A topic for which there is no room has no known subscribers.
        if let Ok(topic) = self.router.intern(self.now, topic) {
            let _ = self.router.publish(self.now, topic, &envelope);
            self.router.release(self.now, topic);
        }
    }
}
