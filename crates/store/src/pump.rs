//! Delivery: from the waiting messages of a subscription to consumers with room.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use trunkline_journal::{Journal, Lookup};

use crate::body::{StoredMessage, kind};
use crate::consumer::Consumer;
use crate::durable::{Durable, Ended, Entry, InFlight, LossReason};
use crate::event_sink::{ClockReading, Delivery, EventSink};
use crate::settings::DeliveryPolicy;
use crate::store::Store;

/// The most messages that are kept waiting in memory; later ones are searched in the journal when these are
/// gone.
pub(crate) const READY: usize = 16_384;

/// With fewer messages than this, more are searched.
const LOW: usize = 1_024;

/// Records that are searched before others have their turn.
pub(crate) const SEARCHED: usize = 2_048;

/// Messages of one subscription that are delivered before others have their turn.
const TURN: usize = 1_024;

/// The result of a step.
enum Step {
    /// Something was done, and there may be more.
    Done,
    /// Nothing can be done now.
    Wait,
}

/// What the journal has of a message.
enum Read<'a> {
    /// It, its time, and the kind of its record.
    Message(StoredMessage<'a>, u64, u8),
    /// So many bytes have to be read first.
    Elsewhere(usize),
    /// It will not be delivered.
    Lost(LossReason),
}

impl Store {
    /// Delivers what can be delivered of a subscription.
    pub(crate) fn pump(&mut self, number: u32, at: ClockReading, sink: &mut impl EventSink) {
        if !self.find_some(number, at) {
            return self.log_soon(number, at.now);
        }
        let ranges = self.durables.get(&number).map_or(0, Durable::kept_ranges);
        self.deliver_some(number, at, sink);
        self.log_soon(number, at.now);
        self.stop_if_over(number, ranges, sink);
    }

    /// Searches more messages of a subscription that has few; returns whether some may be delivered then.
    fn find_some(&mut self, number: u32, at: ClockReading) -> bool {
        if let Some(durable) = self.durables.get_mut(&number)
            && let Some(conflated) = &mut durable.conflated
        {
            durable.account.elided += conflated.settle(self.journal.durable(), at.now);
            if conflated.is_coming() && !std::mem::replace(&mut durable.waits_for_disk, true) {
                self.waiting.push(number);
            }
        }
        let Some(durable) = self.durables.get(&number).filter(|it| !it.consumers.is_empty()) else {
            return false;
        };
        // The messages of a consumer that has left come first.
        if !durable.leaving.is_empty() {
            self.add_work(number);
            return false;
        }
        if durable.search.is_some() && durable.ready.len() < LOW && !durable.is_reading {
            self.search(at, number);
        }
        true
    }

    fn deliver_some(&mut self, number: u32, at: ClockReading, sink: &mut impl EventSink) {
        for _ in 0..TURN {
            if let Step::Wait = self.step(number, at, sink) {
                return self.tell_losses(number, sink);
            }
        }
        self.add_work(number);
    }

    /// A subscription has more to do than fits a turn.
    pub(crate) fn add_work(&mut self, number: u32) {
        if let Some(durable) = self.durables.get_mut(&number)
            && !std::mem::replace(&mut durable.is_in_work, true)
        {
            self.work.push_back(number);
        }
    }

    /// Sets the time at which a subscription has to be checked.
    pub(crate) fn set_alarm(&mut self, number: u32, due: u64) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        if durable.alarm.is_none_or(|before| due < before) {
            if let Some(before) = durable.alarm.replace(due) {
                self.alarms.remove(&(before, number));
            }
            self.alarms.insert((due, number));
        }
    }

    /// Reports losses to a consumer, even if no message follows.
    fn tell_losses(&mut self, number: u32, sink: &mut impl EventSink) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        if durable.losses.is_empty() || !durable.is_active {
            return;
        }
        let consumers = durable.consumers.iter().filter_map(|id| self.consumers.get(id));
        let mut with_room = consumers.filter(|it| sink.has_room(it.client));
        let Some(client) = with_room.next().map(|it| (it.client, it.subscription)) else { return };
        for loss in durable.losses.drain(..) {
            sink.lost(client.0, client.1, &loss);
        }
    }

    /// Drops expired messages of a subscription without a consumer.
    pub(crate) fn drop_expired(&mut self, number: u32, at: ClockReading) {
        self.drop_some_expired(number, at);
        self.log_soon(number, at.now);
    }

    fn drop_some_expired(&mut self, number: u32, at: ClockReading) {
        for _ in 0..TURN {
            let Some(durable) = self.durables.get_mut(&number) else { return };
            if !durable.consumers.is_empty() {
                return;
            }
            if !durable.leaving.is_empty() {
                return self.add_work(number);
            }
            if durable.search.is_some() && durable.ready.is_empty() && !durable.is_reading {
                self.search(at, number);
            }
            if !self.drop_first_if_expired(number, at) {
                return;
            }
        }
        self.add_work(number);
    }

    /// Drops the first waiting message if it has expired; returns whether it did.
    fn drop_first_if_expired(&mut self, number: u32, at: ClockReading) -> bool {
        let end = self.journal.last() + 1;
        let Some(durable) = self.durables.get_mut(&number) else { return false };
        let Some((entry, is_again, _)) = durable.next(at.now) else { return false };
        if durable.is_exhausted(&entry)
            && let Lookup::Record { record, .. } = self.journal.at(entry.at)
            && record.kind != kind::DEAD_LETTER
        {
            self.set_aside(number, (&entry, is_again), at.now);
            return true;
        }
        let expires = match durable.first_expires {
            Some((position, expires)) if position == entry.position => expires,
            _ => match self.journal.at(entry.at) {
                Lookup::Record { record, .. } => {
                    let expires = StoredMessage::of(&record).map_or(0, |it| it.expires);
                    durable.first_expires = Some((entry.position, expires));
                    expires
                }
                Lookup::Elsewhere { bytes } => {
                    if !std::mem::replace(&mut durable.is_reading, true) {
                        self.reading.push(number);
                        self.journal.fetch(entry.at, bytes);
                    }
                    return false;
                }
                _ => return false,
            },
        };
        if expires == 0 || at.time < expires {
            return false;
        }
        durable.drop_next((entry.position, is_again), LossReason::Expired, at.now, end);
        true
    }

    /// Delivers messages that waited for the disk.
    pub(crate) fn pump_waiting(&mut self, at: ClockReading, sink: &mut impl EventSink) {
        for number in std::mem::take(&mut self.waiting) {
            if let Some(durable) = self.durables.get_mut(&number) {
                durable.waits_for_disk = false;
            }
            self.pump(number, at, sink);
        }
    }

    fn step(&mut self, number: u32, at: ClockReading, sink: &mut impl EventSink) -> Step {
        let (end, limit) = (self.journal.last() + 1, self.settings.ranges);
        let Self { journal, durables, consumers, .. } = self;
        let delivers = |it: &&mut Durable| it.is_active && !it.is_paused;
        let Some(durable) = durables.get_mut(&number).filter(delivers) else {
            return Step::Wait;
        };
        let Some((entry, is_again, replaced)) = durable.next(at.now) else {
            if let Some(due) = durable.conflated.as_ref().and_then(|it| it.next_due()) {
                self.set_alarm(number, due);
            }
            return Step::Wait;
        };
        let first = (entry.position, is_again);
        if entry.wants_disk && entry.position > journal.durable() {
            if !std::mem::replace(&mut durable.waits_for_disk, true) {
                self.waiting.push(number);
            }
            return Step::Wait;
        }
        let most = durable.most_in_flight(limit);
        let is_full = |it: &u32| consumers.get(it).is_none_or(|it| it.is_full(most));
        if durable.consumers.iter().all(is_full) {
            return Step::Wait;
        }
        let (message, time, kind) = match read(journal, &entry, at.time) {
            Read::Message(message, time, kind) => (message, time, kind),
            Read::Elsewhere(bytes) => {
                if !std::mem::replace(&mut durable.is_reading, true) {
                    self.reading.push(number);
                    journal.fetch(entry.at, bytes);
                }
                return Step::Wait;
            }
            Read::Lost(reason) => {
                durable.drop_next(first, reason, at.now, end);
                return Step::Done;
            }
        };
        if durable.is_exhausted(&entry) && kind != kind::DEAD_LETTER {
            self.set_aside(number, (&entry, is_again), at.now);
            return Step::Done;
        }
        if let Some(due) = durable.due_at(at.now, time, entry.position) {
            self.set_alarm(number, due);
            return Step::Wait;
        }
        let Some(id) = choose(durable, consumers, (most, entry.late), sink) else {
            return Step::Wait;
        };
        let Some(consumer) = consumers.get_mut(&id) else { return Step::Wait };
        durable.take(is_again, at.now, true);
        let mut delivery = delivery(journal, durable, consumer, (&entry, &message, time));
        let age = at.time.saturating_sub(time);
        delivery.conflation = durable.conflated.is_some().then_some((replaced, age));
        let has_policy = durable.policy != DeliveryPolicy::NONE;
        if durable.hand_over(consumer, (id, at.now), (&entry, &delivery), sink) {
            self.unconfirmed.push(id);
        }
        if has_policy {
            self.note_delivery(number, at.now);
        }
        Step::Done
    }

    /// Tells consumers that asked for it what is on disk now.
    pub(crate) fn confirm(&mut self, durable: u64, sink: &mut impl EventSink) {
        let durability = self.durability(true);
        let consumers = &mut self.consumers;
        self.unconfirmed.retain(|id| {
            let Some(consumer) = consumers.get_mut(id) else { return false };
            let position = consumer.unconfirmed.min(durable);
            sink.confirmed(consumer.client, consumer.subscription, durability, position);
            consumer.is_unconfirmed = consumer.unconfirmed > durable;
            consumer.is_unconfirmed
        });
    }
}

/// What the journal has of a message at a time.
fn read<'a>(journal: &'a Journal, entry: &Entry, now: u64) -> Read<'a> {
    match journal.at(entry.at) {
        Lookup::Record { record, .. } if record.position == entry.position => {
            match StoredMessage::of(&record) {
                Some(it) if it.expires != 0 && now >= it.expires => Read::Lost(LossReason::Expired),
                Some(it) => Read::Message(it, record.time, record.kind),
                None => Read::Lost(LossReason::Damaged),
            }
        }
        Lookup::Elsewhere { bytes } => Read::Elsewhere(bytes),
        Lookup::Gone { .. } => Read::Lost(LossReason::Gone),
        _ => Read::Lost(LossReason::Damaged),
    }
}

impl Consumer {
    /// Whether its window, or this bound, is full.
    fn is_full(&self, most: u32) -> bool {
        // One that did not acknowledge in time gets one at a time until it acknowledges something.
        let window = if self.is_late { 1 } else { self.window };
        self.in_flight >= window.min(most) || self.through.is_some()
    }
}

/// The consumer that gets the next message: those with room, in turn; the one that had it and did not
/// acknowledge it in time only if no other has room.
fn choose(
    durable: &mut Durable,
    consumers: &BTreeMap<u32, Consumer>,
    (most, late): (u32, Option<NonZeroU32>),
    sink: &mut impl EventSink,
) -> Option<u32> {
    let count = durable.consumers.len();
    let mut last = None;
    for step in 0..count {
        let turn = (durable.turn + step) % count;
        let id = durable.consumers[turn];
        let Some(consumer) = consumers.get(&id) else { continue };
        if consumer.is_full(most) || !sink.has_room(consumer.client) {
            continue;
        }
        if late.is_none_or(|late| late.get() != id) {
            durable.turn = turn + 1;
            return Some(id);
        }
        last = Some((turn, id));
    }
    let (turn, id) = last?;
    durable.turn = turn + 1;
    Some(id)
}

fn delivery<'a>(
    journal: &Journal,
    durable: &Durable,
    consumer: &Consumer,
    (entry, message, time): (&Entry, &StoredMessage<'a>, u64),
) -> Delivery<'a> {
    let is_on_disk = entry.position <= journal.durable();
    Delivery {
        subscription: consumer.subscription,
        position: entry.position,
        time,
        deliveries: entry.deliveries,
        is_repeated: entry.deliveries > 0 || message.is_repeated || entry.position <= durable.old,
        is_unconfirmed: journal.is_on_disk() && !is_on_disk,
        is_kept: entry.position <= durable.kept,
        conflation: None,
        format: message.format,
        topic: message.topic,
        payload: message.payload,
    }
}

impl Durable {
    /// Delivers a message to a consumer. True if the consumer has to be told when it is on disk, and is not
    /// in that list yet.
    fn hand_over(
        &mut self,
        consumer: &mut Consumer,
        (id, now): (u32, u64),
        (entry, delivery): (&Entry, &Delivery<'_>),
        sink: &mut impl EventSink,
    ) -> bool {
        for loss in self.losses.drain(..) {
            sink.lost(consumer.client, consumer.subscription, &loss);
        }
        sink.deliver(consumer.client, delivery);
        self.account.deliveries += 1;
        if !self.is_replay() {
            self.account.redelivered += u64::from(entry.deliveries > 0);
            consumer.in_flight += 1;
            let deliveries = entry.deliveries.saturating_add(1);
            let entry = Entry { deliveries, ended: Ended::Unknown, late: None, ..*entry };
            let flight = InFlight { entry, consumer: Some(id), since: now, due: None };
            self.in_flight.insert(entry.position, flight);
            self.count_delivery(&entry);
            consumer.lowest = consumer.lowest.min(entry.position);
        }
        let wants_confirmation = delivery.is_unconfirmed && consumer.wants_confirmed;
        if wants_confirmation {
            consumer.unconfirmed = consumer.unconfirmed.max(entry.position);
        }
        wants_confirmation && !std::mem::replace(&mut consumer.is_unconfirmed, true)
    }

    /// When a message of a replay at the original pace is due, if it is not due yet. Messages stored since
    /// the replay began are due at once.
    fn due_at(&mut self, now: u64, time: u64, position: u64) -> Option<u64> {
        if self.pace == 0 || position > self.kept {
            return None;
        }
        let (began, first) = *self.began.get_or_insert((now, time));
        let after = u128::from(time.saturating_sub(first)) * 1_000 / u128::from(self.pace);
        let due = began.saturating_add(u64::try_from(after).unwrap_or(u64::MAX));
        (due > now).then_some(due)
    }
}
