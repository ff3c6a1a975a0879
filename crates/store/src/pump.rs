//! Delivery: from the waiting messages of a subscription to consumers with room.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use trunkline_journal::{Journal, Lookup};

use crate::body::{StoredMessage, kind};
use crate::consumer::Consumer;
use crate::durable::{Durable, Entry, InFlight, LossReason};
use crate::event_sink::{ClockReading, Delivery, EventSink, Sending};
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
        let mut with_room = consumers.filter(|it| sink.has_room(it.client, it.subscription));
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
        let Some((entry, is_again, replaced)) = durable.next(at.now) else { return false };
        if durable.is_exhausted(&entry)
            && let Lookup::Record { record, .. } = self.journal.at(entry.at)
            && record.kind != kind::DEAD_LETTER
        {
            self.set_aside(number, (&entry, is_again, replaced), at.now);
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
            self.set_aside(number, (&entry, is_again, replaced), at.now);
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
        let (is_sent, is_unconfirmed) =
            durable.hand_over(consumer, (id, at.now), (&entry, &delivery), sink);
        if is_unconfirmed {
            self.unconfirmed.push(id);
        }
        if has_policy {
            self.note_delivery(number, is_sent, at.now);
        }
        Step::Done
    }

    /// A message that has waited outside of the store ([`EventSink::deliver`]) can go to its consumer: its position, and when it
    /// expires, as its delivery said. What is to become of it: meanwhile it may be done, since somebody who got it before has
    /// acknowledged it, or for a reason that is told as a loss; and a subscription that is paused keeps it.
    pub fn sent(
        &mut self,
        at: ClockReading,
        client: u64,
        subscription: u32,
        (position, expires): (u64, u64),
    ) -> Sending {
        let Some(id) = self.consumer_of.get(&(client, subscription)) else { return Sending::Never };
        let Some(consumer) = self.consumers.get_mut(id) else { return Sending::Never };
        let number = consumer.durable;
        let Some(durable) = self.durables.get_mut(&number) else { return Sending::Never };
        let is_expired = expires != 0 && at.time >= expires;
        if durable.is_replay() {
            if is_expired {
                durable.lose(LossReason::Expired, position, position, 1);
                self.add_work(number);
                return Sending::Never;
            }
            durable.account.deliveries += 1;
            return Sending::Now;
        }
        let flight = durable.in_flight.get_mut(&position);
        let Some(flight) = flight.filter(|it| it.is_waiting && it.consumer == Some(*id)) else {
            return Sending::Never;
        };
        if consumer.through.is_some_and(|through| position <= through) {
            return Sending::Later;
        }
        if is_expired || durable.is_paused {
            consumer.in_flight -= 1;
            self.call_off((number, position), is_expired, at.now);
            return Sending::Never;
        }
        let entry = flight.entry.delivered();
        *flight = InFlight { entry, since: at.now, is_waiting: false, replaced: 0, ..*flight };
        durable.count_delivery(&entry);
        let is_behind = consumer.is_beyond(position);
        if durable.conflated.is_none() {
            consumer.newest = consumer.newest.max(position);
        }
        if durable.policy != DeliveryPolicy::NONE {
            self.note_delivery(number, true, at.now);
        }
        if is_behind { Sending::Behind } else { Sending::Now }
    }

    /// A message that waits outside of the store does not go to its consumer: it waits in the store again, or has expired.
    fn call_off(&mut self, (number, position): (u32, u64), is_expired: bool, now: u64) {
        let end = self.journal.last() + 1;
        let Some(durable) = self.durables.get_mut(&number) else { return };
        let Some(flight) = durable.land(position) else { return };
        if is_expired {
            durable.lose(LossReason::Expired, position, position, 1);
            durable.finish(position, end);
            self.log_soon(number, now);
        } else {
            durable.give_back(&flight, now, 0);
        }
        self.add_work(number);
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

    /// Whether messages behind a position have gone to it.
    fn is_beyond(&self, position: u64) -> bool {
        position < self.newest
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
        if consumer.is_full(most) || !sink.has_room(consumer.client, consumer.subscription) {
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
    let is_repeated = entry.deliveries > 0 || message.is_repeated || entry.position <= durable.old;
    Delivery {
        subscription: consumer.subscription,
        position: entry.position,
        time,
        deliveries: entry.deliveries,
        is_repeated: is_repeated || consumer.is_beyond(entry.position),
        is_unconfirmed: journal.is_on_disk() && !is_on_disk,
        is_kept: entry.position <= durable.kept,
        expires: message.expires,
        conflation: None,
        format: message.format,
        topic: message.topic,
        payload: message.payload,
    }
}

impl Durable {
    /// Delivers a message to a consumer. Returns whether it is on its way; and whether the consumer has to be told when it is on
    /// disk, and is not in that list yet.
    fn hand_over(
        &mut self,
        consumer: &mut Consumer,
        (id, now): (u32, u64),
        (entry, delivery): (&Entry, &Delivery<'_>),
        sink: &mut impl EventSink,
    ) -> (bool, bool) {
        for loss in self.losses.drain(..) {
            sink.lost(consumer.client, consumer.subscription, &loss);
        }
        let is_sent = sink.deliver(consumer.client, delivery);
        if self.is_replay() {
            self.account.deliveries += u64::from(is_sent);
        } else {
            consumer.in_flight += 1;
            let entry = if is_sent { entry.delivered() } else { *entry };
            let (consumer_id, due, is_waiting) = (Some(id), None, !is_sent);
            let replaced = delivery.conflation.filter(|_| is_waiting).map_or(0, |it| it.0);
            let flight =
                InFlight { entry, consumer: consumer_id, since: now, due, is_waiting, replaced };
            self.in_flight.insert(entry.position, flight);
            if is_sent {
                self.count_delivery(&entry);
                if self.conflated.is_none() {
                    consumer.newest = consumer.newest.max(entry.position);
                }
            } else if entry.deliveries == 0 && self.conflated.is_none() {
                self.undelivered.insert(entry.position);
            }
            consumer.lowest = consumer.lowest.min(entry.position);
        }
        let wants_confirmation = delivery.is_unconfirmed && consumer.wants_confirmed;
        if wants_confirmation {
            consumer.unconfirmed = consumer.unconfirmed.max(entry.position);
        }
        let is_unconfirmed =
            wants_confirmation && !std::mem::replace(&mut consumer.is_unconfirmed, true);
        (is_sent, is_unconfirmed)
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
