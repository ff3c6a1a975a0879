//! Consumers: clients that receive messages of durable subscriptions, and acknowledge them.

use std::collections::BTreeSet;

use trunkline_router::check_pattern;

use crate::administration::Change;
use crate::body::{Writer, kind};
use crate::conflation::Conflated;
use crate::durable::Durable;
use crate::event_sink::{ClockReading, Consuming, EventSink, Rejected};
use crate::store::{Answer, Store};
use crate::view::ConsumerView;

/// Where a subscription begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// With new messages.
    #[default]
    New,
    /// With the first retained message.
    All,
    /// With the first message at this position or behind it.
    Position(u64),
    /// With the first message stored at this time, in nanoseconds since 1970, or later.
    Time(u64),
    /// With this many last messages.
    Last(u64),
}

/// The request of a consumer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Consume<'a> {
    /// The client's number for it.
    pub subscription: u32,
    /// The name of the durable subscription; empty for a replay.
    pub name: &'a str,
    /// Which topics.
    pub pattern: &'a str,
    /// The most unacknowledged messages; 0 leaves it to the store.
    pub window: u32,
    /// Where it begins, if this request creates it.
    pub start: Start,
    /// Whether a newer message of a topic replaces a waiting one, and the nanoseconds between two of a
    /// topic; 0 for as often as the consumer takes them.
    pub conflation: Option<u64>,
    /// For a replay: thousandths of the original pace, or 0 for as fast as possible.
    pub pace: u32,
    /// Whether it is told when its messages are as durable as asked.
    pub wants_confirmed: bool,
    /// Whether it is told when its acknowledgements are durable.
    pub wants_acknowledged: bool,
    /// The nanoseconds after which its messages are redelivered, if that is less than its policy says; 0 leaves it to the
    /// policy.
    pub acknowledge_within: u64,
    /// The most deliveries of a message, likewise.
    pub deliveries: u32,
    /// Which messages it wants, by what they say: a number of the caller's, who tells what is none of them
    /// ([`Store::filtered`]). All who consume a durable subscription at a time want the same.
    pub filter: Option<u32>,
}

/// A consumer.
#[derive(Debug)]
pub(crate) struct Consumer {
    pub(crate) client: u64,
    pub(crate) subscription: u32,
    pub(crate) durable: u32,
    pub(crate) window: u32,
    /// Whether the subscription was created for it.
    pub(crate) is_new: bool,
    /// Messages that it has, and a position below which it has none except those released with a delay.
    pub(crate) in_flight: u32,
    pub(crate) lowest: u64,
    /// The cumulative acknowledgement that is not fully processed yet.
    pub(crate) through: Option<u64>,
    /// The lowest message that it passes over, since the consumer has not got it yet.
    pub(crate) passed_over: u64,
    pub(crate) wants_confirmed: bool,
    pub(crate) wants_acknowledged: bool,
    /// The number of its acknowledgements, and how many of these were reported as durable, or will be.
    pub(crate) acknowledgements: u64,
    pub(crate) answered: u64,
    /// Position of the last message that it got before the message was on disk.
    pub(crate) unconfirmed: u64,
    /// The highest position that has gone to it; of a conflated subscription, or of a replay, it is not kept.
    pub(crate) newest: u64,
    /// Whether it is in the list of consumers to be told.
    pub(crate) is_unconfirmed: bool,
    /// It did not acknowledge a message in time, and nothing since.
    pub(crate) is_late: bool,
    /// What it asked for: the nanoseconds to acknowledge, and the most deliveries; 0 for neither.
    pub(crate) asked: (u64, u32),
    /// Which messages it wants, as its caller numbers that.
    pub(crate) filter: Option<u32>,
}

/// The most consumers of a durable subscription: each one that leaves looks through all of them.
const CONSUMERS: usize = 1_024;

impl Store {
    /// Attaches a consumer.
    ///
    /// # Errors
    ///
    /// The request is rejected; nothing has changed.
    pub fn consume(
        &mut self,
        at: ClockReading,
        client: u64,
        requested: &Consume<'_>,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        if check_pattern(requested.pattern).is_err() {
            return Err(Rejected::Pattern);
        }
        if self.consumer_of.contains_key(&(client, requested.subscription)) {
            return Err(Rejected::Exists(format!(
                "the subscription {} exists already",
                requested.subscription
            )));
        }
        if requested.deliveries > 0 && !requested.name.is_empty() {
            self.check_dead_letters(requested.name)?;
        }
        let known = self.names.get(requested.name).copied().filter(|_| !requested.name.is_empty());
        let (number, is_new) = match known {
            Some(number) => (self.check_known(number, requested)?, false),
            None => (self.new_durable(at, requested)?, true),
        };
        let (usual, most) = self.settings.window;
        let consumer = self.next_consumer;
        self.next_consumer += 1;
        let consuming = Consumer {
            client,
            subscription: requested.subscription,
            durable: number,
            window: if requested.window == 0 { usual } else { requested.window.min(most) },
            is_new,
            in_flight: 0,
            lowest: u64::MAX,
            through: None,
            passed_over: u64::MAX,
            wants_confirmed: requested.wants_confirmed,
            wants_acknowledged: requested.wants_acknowledged,
            acknowledgements: 0,
            answered: 0,
            unconfirmed: 0,
            newest: 0,
            is_unconfirmed: false,
            is_late: false,
            asked: (requested.acknowledge_within, requested.deliveries),
            filter: requested.filter,
        };
        self.consumers.insert(consumer, consuming);
        self.consumer_of.insert((client, requested.subscription), consumer);
        if let Some(durable) = self.durables.get_mut(&number) {
            if durable.consumers.is_empty() && self.journal.is_on_disk() {
                durable.resume(self.settings.ranges);
            }
            durable.consumers.push(consumer);
        }
        if (requested.acknowledge_within, requested.deliveries) != (0, 0) {
            self.set_policy(number);
        }
        // Otherwise it is told when the subscription is active.
        if self.durables.get(&number).is_some_and(|it| it.is_active) {
            self.tell_consuming(consumer, sink);
        }
        self.pump(number, at, sink);
        Ok(())
    }

    /// Whether there is a topic for dead letters of a durable subscription.
    fn check_dead_letters(&self, name: &str) -> Result<(), Rejected> {
        match self.settings.delivery_of(name).dead_letters {
            Some(_) => Ok(()),
            None => Err(Rejected::Different(format!(
                "the router's configuration names no topic for dead letters of {name:?} (dead_letters of a \
                 journal.durable), so that its deliveries cannot be limited"
            ))),
        }
    }

    fn check_known(&self, number: u32, requested: &Consume<'_>) -> Result<u32, Rejected> {
        match self.durables.get(&number) {
            Some(durable) if durable.interval() != requested.conflation => {
                Err(Rejected::Different(format!(
                    "the durable subscription {:?} exists with other updates a second",
                    requested.name
                )))
            }
            Some(durable) if *durable.pattern != *requested.pattern => {
                Err(Rejected::Different(format!(
                    "the durable subscription {:?} has the pattern {:?}",
                    requested.name, durable.pattern
                )))
            }
            Some(durable) if !self.shares_filter(durable, requested.filter) => {
                Err(Rejected::Different(format!(
                    "those who consume the durable subscription {:?} now have another filter, or none; all who share \
                     its messages have the same",
                    requested.name
                )))
            }
            Some(durable) if durable.consumers.len() >= CONSUMERS => Err(Rejected::Limit(format!(
                "the durable subscription {:?} has its limit of {CONSUMERS} consumers",
                requested.name
            ))),
            Some(_) => Ok(number),
            None => Err(Rejected::Unknown),
        }
    }

    /// Whether the consumers of a subscription, if there are any, want the same messages: what one of them does not want is done.
    fn shares_filter(&self, durable: &Durable, filter: Option<u32>) -> bool {
        let first = durable.consumers.first().and_then(|id| self.consumers.get(id));
        first.is_none_or(|it| it.filter == filter)
    }

    fn new_durable(&mut self, at: ClockReading, requested: &Consume<'_>) -> Result<u32, Rejected> {
        let limit = self.settings.durables;
        if self.durables.len() >= limit {
            let text =
                format!("the router has its limit of {limit} durable subscriptions and replays");
            return Err(Rejected::Limit(text));
        }
        let is_replay = requested.name.is_empty();
        let mut durable = Durable {
            name: requested.name.into(),
            pattern: requested.pattern.into(),
            pace: if is_replay { requested.pace } else { 0 },
            conflated: requested.conflation.map(|interval| Box::new(Conflated::new(interval))),
            is_active: is_replay || !self.journal.is_on_disk(),
            policy: self.settings.delivery_of(requested.name),
            ..Durable::default()
        };
        let number = self.next_durable;
        if !is_replay {
            let room = durable.most_bytes(number);
            self.make_room(at, room)?;
        }
        self.begin(&mut durable, requested.start, at);
        durable.kept = self.journal.last();
        durable.matched = (0, durable.horizon(durable.kept + 1));
        self.next_durable += 1;
        if !is_replay {
            self.names.insert(requested.name.into(), number);
            // The place of the last so many is not known yet.
            durable.is_logged = durable.backwards.is_none();
            if durable.is_logged {
                self.log_subscription(at, number, &durable);
            }
        }
        self.directory.insert(requested.pattern, number);
        self.durables.insert(number, durable);
        Ok(number)
    }

    /// A subscription is active when its state is on disk.
    fn log_subscription(&mut self, at: ClockReading, number: u32, durable: &Durable) {
        if self.journal.is_on_disk() {
            let body = durable.body(number, self.journal.last() + 1);
            let appended = self.journal.append(at.time, kind::SUBSCRIPTION, &[&body]);
            self.answers.push_back((appended.position, Answer::Active(number)));
            self.is_urgent = true;
        }
    }

    /// Activates a subscription that begins with the last so many, once their place is known.
    pub(crate) fn log_late(&mut self, at: ClockReading, number: u32) {
        let Some(durable) = self.durables.get(&number) else { return };
        let is_known = durable.backwards.is_none()
            && (durable.search.is_none_or(|it| it.skip == 0) || !durable.ready.is_empty());
        if durable.is_replay() || durable.is_logged || !is_known {
            return;
        }
        let room = durable.most_bytes(number);
        if self.make_room(at, room).is_err() {
            self.late.push(number);
            return;
        }
        let Some(mut durable) = self.durables.remove(&number) else { return };
        durable.is_logged = true;
        self.log_subscription(at, number, &durable);
        self.durables.insert(number, durable);
    }

    /// A subscription is on disk.
    pub(crate) fn stand(&mut self, number: u32, at: ClockReading, sink: &mut impl EventSink) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        durable.is_active = true;
        for consumer in durable.consumers.clone() {
            self.tell_consuming(consumer, sink);
        }
        self.pump(number, at, sink);
    }

    /// A subscription will never be active.
    pub(crate) fn fall(&mut self, number: u32, rejected: &Rejected, sink: &mut impl EventSink) {
        let Some(durable) = self.remove_durable(number) else { return };
        for consumer in durable.consumers.iter().filter_map(|id| self.consumers.remove(id)) {
            self.consumer_of.remove(&(consumer.client, consumer.subscription));
            sink.rejected(consumer.client, consumer.subscription, rejected);
        }
    }

    fn remove_durable(&mut self, number: u32) -> Option<Durable> {
        let durable = self.durables.remove(&number)?;
        self.directory.remove(&durable.pattern, number);
        if let Some(due) = durable.alarm {
            self.alarms.remove(&(due, number));
        }
        if !durable.is_replay() {
            self.names.remove(&durable.name);
        }
        Some(durable)
    }

    pub(crate) fn tell_consuming(&mut self, consumer: u32, sink: &mut impl EventSink) {
        let Some(it) = self.consumers.get_mut(&consumer) else { return };
        let is_new = std::mem::take(&mut it.is_new);
        let end = self.journal.last() + 1;
        let durable = self.durables.get(&it.durable);
        let (waiting, next) =
            durable.map_or((0, end), |durable| (durable.account().waiting, durable.horizon(end)));
        let Consumer { client, subscription, window, .. } = *it;
        let most = durable.map(|durable| match durable.is_paused {
            true => 0,
            false => durable.share(self.settings.ranges),
        });
        let window = window.min(most.unwrap_or(u32::MAX));
        sink.consuming(client, &Consuming { subscription, window, waiting, next, is_new });
    }

    /// A consumer leaves: its unacknowledged messages go to others, or wait.
    ///
    /// # Errors
    ///
    /// [`Rejected::Unknown`]: the client has no such subscription.
    pub fn detach(
        &mut self,
        at: ClockReading,
        client: u64,
        subscription: u32,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        if let Some(number) = self.end_consumer(client, subscription)? {
            self.look_for_some(number, at, sink);
            self.pump(number, at, sink);
        }
        Ok(())
    }

    /// A client is gone. What its consumers had goes to those of others: it gets nothing more.
    pub fn disconnect(&mut self, at: ClockReading, client: u64, sink: &mut impl EventSink) {
        let of_it = self.consumer_of.range((client, 0)..=(client, u32::MAX));
        let of_it: Vec<u32> = of_it.map(|((_, subscription), _)| *subscription).collect();
        // They are there.
        let end = |subscription| self.end_consumer(client, subscription).ok().flatten();
        let numbers: Vec<u32> = of_it.into_iter().filter_map(end).collect();
        for number in numbers {
            self.look_for_some(number, at, sink);
            self.pump(number, at, sink);
        }
    }

    /// A consumer is none any more. Returns the number of its subscription, in which what it had is to be looked for; none if the
    /// subscription has ended with it.
    fn end_consumer(&mut self, client: u64, subscription: u32) -> Result<Option<u32>, Rejected> {
        let id = self.consumer_of.remove(&(client, subscription)).ok_or(Rejected::Unknown)?;
        let consumer = self.consumers.remove(&id).ok_or(Rejected::Unknown)?;
        let number = consumer.durable;
        let Some(durable) = self.durables.get_mut(&number) else { return Ok(None) };
        durable.consumers.retain(|it| *it != id);
        // Nobody else relies on one that is not active.
        if durable.is_replay() || durable.consumers.is_empty() && !durable.is_logged {
            self.remove_durable(number);
            return Ok(None);
        }
        durable.leave(id, &consumer);
        if consumer.asked != (0, 0) {
            self.set_policy(number);
        }
        Ok(Some(number))
    }

    /// Ends a durable subscription for all consumers.
    ///
    /// # Errors
    ///
    /// No subscription has this name, or the journal has failed.
    pub fn delete(
        &mut self,
        at: ClockReading,
        name: &str,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        let number = *self.names.get(name).ok_or(Rejected::Unknown)?;
        if let Some(why) = self.journal.failure() {
            return Err(Rejected::failed(why));
        }
        let Some(durable) = self.remove_durable(number) else { return Ok(()) };
        self.change(at, Change::Deleted(number));
        for consumer in durable.consumers.iter().filter_map(|id| self.consumers.remove(id)) {
            self.consumer_of.remove(&(consumer.client, consumer.subscription));
            sink.ended(consumer.client, consumer.subscription);
        }
        self.retain_at = self.retain_at.min(at.now);
        Ok(())
    }

    /// A client can take messages again.
    pub fn client_has_room(&mut self, at: ClockReading, client: u64, sink: &mut impl EventSink) {
        let of_it = self.consumer_of.range((client, 0)..=(client, u32::MAX));
        let of_it: Vec<(u64, u32)> = of_it.map(|(number, _)| *number).collect();
        self.consumers_have_room(at, of_it, sink);
    }

    /// Consumers can take messages again: the clients, and their numbers of the subscriptions.
    pub fn consumers_have_room(
        &mut self,
        at: ClockReading,
        consumers: impl IntoIterator<Item = (u64, u32)>,
        sink: &mut impl EventSink,
    ) {
        let durable =
            |number: (u64, u32)| Some(self.consumers.get(self.consumer_of.get(&number)?)?.durable);
        // Each that several of them share once.
        let numbers: BTreeSet<u32> = consumers.into_iter().filter_map(durable).collect();
        for number in numbers {
            self.pump(number, at, sink);
        }
    }

    /// The durable subscriptions and replays of a client, by its numbers, from one number on.
    pub fn consumers_of(&self, client: u64, from: u32) -> impl Iterator<Item = ConsumerView<'_>> {
        let own = self.consumer_of.range((client, from)..=(client, u32::MAX));
        own.filter_map(|(_, id)| self.consumer_view(self.consumers.get(id)?))
    }

    /// The pattern of a durable subscription.
    pub fn pattern_of(&self, name: &str) -> Option<&str> {
        Some(&*self.durables.get(self.names.get(name)?)?.pattern)
    }

    /// Whether a client has such a subscription.
    pub fn has_consumer(&self, client: u64, subscription: u32) -> bool {
        self.consumer_of.contains_key(&(client, subscription))
    }
}

impl Durable {
    /// The most bytes of the record that creates it: higher positions take more.
    pub(crate) fn most_bytes(&self, number: u32) -> usize {
        self.body(number, u64::MAX).len()
    }

    /// The record that creates it; `end` is the next position of the journal.
    pub(crate) fn body(&self, number: u32, end: u64) -> Vec<u8> {
        let mut out = Writer::default();
        // One that is new has a single range.
        self.part(0, usize::MAX, end).write(number, &mut out);
        out.0
    }
}
