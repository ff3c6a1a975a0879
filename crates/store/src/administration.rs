//! What an administrator changes: durable subscriptions are paused, resumed, purged and moved, producers are
//! deleted.
//!
//! Everything holds at once, and over restarts once the journal has its record on disk, which is written with the next
//! commit ([`Store::change_position`]). A journal without room gets the records of pauses, purges and deletions later.

use crate::body::kind;
use crate::conflation::Conflated;
use crate::consumer::Start;
use crate::durable::{Durable, InFlight, LossReason};
use crate::event_sink::{ClockReading, EventSink, Rejected};
use crate::overdue::Overdue;
use crate::ranges::Ranges;
use crate::state::{Delivered, Done};
use crate::store::{Answer, Store};

/// A change to be written to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A durable subscription was deleted.
    Deleted(u32),
    /// A durable subscription was paused, or resumed.
    Paused(u32, bool),
    /// A durable subscription was purged.
    Purged(u32),
    /// A producer was deleted.
    ProducerDeleted(u32),
}

impl Change {
    /// Its record; none if it is written like acknowledgements.
    fn record(self) -> Option<(u8, Vec<u8>)> {
        match self {
            Self::Deleted(number) => Some((kind::DELETED, number.to_le_bytes().to_vec())),
            Self::ProducerDeleted(number) => {
                Some((kind::PRODUCER_DELETED, number.to_le_bytes().to_vec()))
            }
            Self::Paused(number, is_paused) => {
                Some((kind::PAUSED, [number, is_paused.into()].map(u32::to_le_bytes).concat()))
            }
            Self::Purged(_) => None,
        }
    }
}

/// What a purge has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Messages, as far as they were counted.
    pub messages: u64,
    /// Whether there may have been more.
    pub is_at_least: bool,
}

impl Store {
    /// Adds a change that is to be written to the journal.
    pub(crate) fn change(&mut self, at: ClockReading, change: Change) {
        if let Change::Paused(number, _) = change {
            self.changes.retain(|it| !matches!(it, Change::Paused(other, _) if *other == number));
        }
        self.changes.push_back(change);
        self.log_changes(at);
    }

    /// Writes changes to the journal. A full journal has room later, since deletions make some.
    pub(crate) fn log_changes(&mut self, at: ClockReading) {
        if !self.journal.is_on_disk() {
            self.changes.clear();
        }
        while let Some(change) = self.changes.front().copied() {
            if let Change::Purged(number) = change {
                if !self.log_done_of(at, number) {
                    return;
                }
            } else if let Some((kind, body)) = change.record() {
                if self.make_room(at, body.len()).is_err() {
                    return;
                }
                self.journal.append(at.time, kind, &[&body]);
            }
            self.is_urgent = true;
            self.changes.pop_front();
        }
    }

    /// The position that has to be on disk for all changes so far to hold over a restart; none while the journal has no
    /// room for them.
    pub fn change_position(&self) -> Option<u64> {
        self.changes.is_empty().then(|| self.journal.last())
    }

    fn numbered(&self, name: &str) -> Result<u32, Rejected> {
        let number = *self.names.get(name).ok_or(Rejected::Unknown)?;
        match self.journal.failure() {
            Some(why) => Err(Rejected::failed(why)),
            None => Ok(number),
        }
    }

    /// Pauses a durable subscription: it delivers nothing, and keeps what is stored; or resumes it. Its consumers
    /// stay, may acknowledge what they have, and are told.
    ///
    /// # Errors
    ///
    /// No subscription has this name, or the journal has failed.
    pub fn pause(
        &mut self,
        at: ClockReading,
        name: &str,
        is_paused: bool,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        let number = self.numbered(name)?;
        let Some(durable) = self.durables.get_mut(&number) else { return Err(Rejected::Unknown) };
        if std::mem::replace(&mut durable.is_paused, is_paused) == is_paused {
            return Ok(());
        }
        if durable.is_active {
            for consumer in durable.consumers.clone() {
                self.tell_consuming(consumer, sink);
            }
        }
        self.change(at, Change::Paused(number, is_paused));
        if is_paused {
            self.take_back_waiting(number, at.now, sink);
        }
        self.pump(number, at, sink);
        Ok(())
    }

    /// What waits outside of the store for its consumers waits in the store from now on, all of it: what is handed out later comes
    /// in its order.
    fn take_back_waiting(&mut self, number: u32, now: u64, sink: &mut impl EventSink) {
        let Self { durables, consumers, .. } = self;
        let Some(durable) = durables.get_mut(&number) else { return };
        let waiting = durable.in_flight.iter().filter(|(_, it)| it.is_waiting);
        let waiting: Vec<(u64, InFlight)> =
            waiting.map(|(position, it)| (*position, *it)).collect();
        for (position, flight) in waiting {
            // What those have who left is on its way back already.
            let Some(consumer) = flight.consumer.and_then(|it| consumers.get_mut(&it)) else {
                continue;
            };
            // It is about to be done.
            let is_covered = consumer.through.is_some_and(|through| position <= through);
            if is_covered && !flight.is_passed_over() || durable.land(position).is_none() {
                continue;
            }
            consumer.in_flight -= 1;
            sink.withdrawn(consumer.client, consumer.subscription, position);
            durable.give_back(&flight, now, 0);
        }
    }

    /// Ends everything that a durable subscription has not acknowledged so far, also what its consumers have
    /// now. They are told as of a loss, and get what is stored from now on.
    ///
    /// # Errors
    ///
    /// No subscription has this name, or the journal has failed.
    pub fn purge(
        &mut self,
        at: ClockReading,
        name: &str,
        sink: &mut impl EventSink,
    ) -> Result<Purged, Rejected> {
        let number = self.numbered(name)?;
        let end = self.journal.last() + 1;
        let Some(durable) = self.durables.get_mut(&number) else { return Err(Rejected::Unknown) };
        let (account, first) = (durable.account(), durable.floor(end));
        let messages = account.in_flight + account.waiting;
        let purged = Purged { messages, is_at_least: account.is_behind };
        if messages == 0 && !account.is_behind {
            return Ok(purged);
        }
        let told = if purged.is_at_least { 0 } else { messages };
        durable.lose(LossReason::Purged, first, end - 1, told);
        if purged.is_at_least {
            durable.account.purged += messages;
            durable.unlogged.purged += messages;
        }
        durable.empty(end);
        durable.unlogged.ranges.add(0, end);
        self.end_of_flight(number);
        self.log_soon(number, at.now);
        self.change(at, Change::Purged(number));
        self.log_late(at, number);
        self.retain_at = self.retain_at.min(at.now);
        self.pump(number, at, sink);
        Ok(purged)
    }

    /// Moves a durable subscription: it goes on with the first retained message at a position or time, with the
    /// first of all, or with new ones. What is before that is done, what is behind it is not, whether it was
    /// acknowledged or not. Its consumers end, since what they still acknowledge was delivered before.
    ///
    /// # Errors
    ///
    /// No subscription has this name, the start is not one of these, or the journal takes nothing:
    /// [`Rejected::Busy`] for now.
    pub fn seek(
        &mut self,
        at: ClockReading,
        name: &str,
        start: Start,
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        let number = self.numbered(name)?;
        if matches!(start, Start::Last(_)) {
            let text =
                "a durable subscription is moved to a position, a time, the start or the end";
            return Err(Rejected::Different(text.into()));
        }
        let room = self.durables.get(&number).map_or(0, |it| it.most_bytes(number));
        self.make_room(at, room)?;
        let Some(mut durable) = self.durables.remove(&number) else {
            return Err(Rejected::Unknown);
        };
        let end = self.journal.last() + 1;
        durable.empty(end);
        (durable.unlogged, durable.losses) = (Done::default(), Vec::new());
        (durable.has_stopped, durable.is_held_back, durable.from_time) = (false, false, 0);
        (durable.old, durable.kept) = (end - 1, end - 1);
        self.begin(&mut durable, start, at);
        // Of a conflated one, what comes again is counted again.
        durable.matched = (durable.account.done(), durable.horizon(end));
        if let Some(search) = durable.search {
            durable.done = Ranges::default();
            durable.done.add(0, search.position);
        }
        self.end_consumers(&mut durable, sink);
        durable.is_logged = true;
        if self.journal.is_on_disk() {
            let body = durable.body(number, end);
            let appended = self.journal.append(at.time, kind::SUBSCRIPTION, &[&body]);
            if !durable.is_active {
                self.answers.push_back((appended.position, Answer::Active(number)));
            }
            self.is_urgent = true;
        }
        self.durables.insert(number, durable);
        // Its consumers have asked for nothing any more.
        self.set_policy(number);
        self.retain_at = self.retain_at.min(at.now);
        Ok(())
    }

    /// Ends the consumers of a subscription that was moved.
    fn end_consumers(&mut self, durable: &mut Durable, sink: &mut impl EventSink) {
        let rejected = Rejected::Moved(format!(
            "the durable subscription {:?} was moved by an administrator; consume it again to go on from there",
            durable.name
        ));
        for id in std::mem::take(&mut durable.consumers) {
            let Some(consumer) = self.consumers.remove(&id) else { continue };
            self.consumer_of.remove(&(consumer.client, consumer.subscription));
            sink.rejected(consumer.client, consumer.subscription, &rejected);
        }
    }

    /// Nothing of a subscription is in flight any more.
    fn end_of_flight(&mut self, number: u32) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        let mut is_reported = false;
        for id in &durable.consumers {
            let Some(consumer) = self.consumers.get_mut(id) else { continue };
            (consumer.in_flight, consumer.through) = (0, None);
            (consumer.lowest, consumer.passed_over) = (u64::MAX, u64::MAX);
            is_reported |= consumer.wants_acknowledged;
        }
        if is_reported
            && self.journal.is_on_disk()
            && !std::mem::replace(&mut durable.is_unlogged, true)
        {
            self.unlogged.push_back(number);
        }
    }

    /// Forgets a producer: one of its name begins anew, and what it sends again is stored again.
    ///
    /// # Errors
    ///
    /// There is none of this name, a client uses it, or what it sent is not on disk yet.
    pub fn delete_producer(&mut self, at: ClockReading, name: &str) -> Result<(), Rejected> {
        let number = self.producers.number(name).ok_or(Rejected::Unknown)?;
        if let Some(why) = self.journal.failure() {
            return Err(Rejected::failed(why));
        }
        let durable = self.journal.durable();
        let Some(producer) = self.producers.get_mut(number) else { return Err(Rejected::Unknown) };
        producer.settle(durable);
        let why = match (producer.is_connected, producer.unacknowledged.is_empty()) {
            (true, _) => "a client uses it",
            (false, false) => "what it sent is not on disk yet",
            (false, true) => {
                self.producers.forget(number);
                self.change(at, Change::ProducerDeleted(number));
                return Ok(());
            }
        };
        Err(Rejected::InUse(format!("the producer {name:?} is not deleted: {why}")))
    }
}

impl Durable {
    /// Everything up to a position is done, and nothing is in flight.
    fn empty(&mut self, end: u64) {
        self.again.clear();
        self.delayed.clear();
        self.ready.clear();
        self.in_flight.clear();
        self.undelivered.clear();
        (self.search, self.backwards, self.first_expires) = (None, None, None);
        self.ahead = Ranges::default();
        self.done = Ranges::default();
        if let Some(conflated) = &mut self.conflated {
            **conflated = Conflated::new(conflated.interval);
        } else {
            self.done.add(0, end);
        }
        self.leaving.clear();
        self.behind.clear();
        self.delivered = Delivered::default();
        self.uncounted.clear();
        self.overdue = Overdue::default();
        self.is_reading = false;
    }
}
