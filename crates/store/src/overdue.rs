//! Messages that are not acknowledged in time, and how often messages were delivered.
//!
//! What waits outside of the store for its consumer has the same time to go there, if others could have it: then it is given
//! back as it came, and nobody is late.
//!
//! A message that is acknowledged in time costs the time of its delivery, which stands beside it. What is in
//! flight is looked through when the oldest may be overdue, a slice at a time, and then not before a sixteenth
//! of the time to acknowledge is over.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::body::{Writer, kind};
use crate::consumer::Consumer;
use crate::durable::{Durable, Ended, Entry, InFlight};
use crate::event_sink::{ClockReading, EventSink};
use crate::state::Delivered;
use crate::store::Store;

/// Messages in flight that are looked at before others have their turn.
const SLICE: usize = 1_024;

/// The most counts in a record, and in all such records of one turn.
const COUNTS: usize = 4_096;

/// The most bytes of such a record besides its counts, and of a count.
const HEAD: usize = 64;
const COUNT: usize = 15;

/// The search for overdue messages of a subscription.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overdue {
    /// When it begins; `None` while nothing can be overdue.
    at: Option<u64>,
    /// The position that it has reached, if it is under way.
    from: Option<u64>,
    /// Of those looked at that are not overdue: when the first will be.
    next: Option<u64>,
}

impl Store {
    /// The policies are others: those of all subscriptions are read again.
    pub(crate) fn set_policies(&mut self) {
        let numbers: Vec<u32> = self.durables.keys().copied().collect();
        numbers.into_iter().for_each(|number| self.set_policy(number));
    }

    /// Gives one its policy: that of the settings, or what one of its consumers asked for, if that is less.
    pub(crate) fn set_policy(&mut self, number: u32) {
        let Some(durable) = self.durables.get_mut(&number).filter(|it| !it.is_replay()) else {
            return;
        };
        let mut policy = self.settings.delivery_of(&durable.name);
        for it in durable.consumers.iter().filter_map(|id| self.consumers.get(id)) {
            policy.lower(it.asked);
        }
        if policy.dead_letters.is_none() {
            durable.uncounted.clear();
            durable.delivered = Delivered::default();
        }
        let is_timed = policy.acknowledge_within != durable.policy.acknowledge_within;
        if is_timed {
            // What is in flight counts from its delivery on.
            durable.overdue = Overdue { at: Some(0), ..Overdue::default() };
        }
        durable.policy = policy;
        if is_timed {
            self.add_work(number);
        }
    }

    /// A message was delivered, or waits to be: sees to it that a delivery is counted, and that it is looked for when it is overdue.
    pub(crate) fn note_delivery(&mut self, number: u32, is_sent: bool, now: u64) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        let within = durable.policy.acknowledge_within;
        if within > 0 && !durable.is_replay() {
            let due = now.saturating_add(within);
            if durable.overdue.from.is_some() {
                // The search may have passed it.
                durable.overdue.next = Some(durable.overdue.next.map_or(due, |it| it.min(due)));
            } else if durable.overdue.at.is_none() {
                durable.overdue.at = Some(due);
                self.set_alarm(number, due);
            }
        }
        let Some(durable) = self.durables.get_mut(&number).filter(|_| is_sent) else { return };
        if durable.policy.dead_letters.is_none() || !self.journal.is_on_disk() {
            return;
        }
        if !std::mem::replace(&mut durable.is_uncounted, true) {
            self.uncounted.push_back(number);
            self.be_lazy(now);
        }
    }

    /// Takes back what was not acknowledged in time, if that is due: a slice.
    pub(crate) fn take_back_overdue(&mut self, number: u32, now: u64, sink: &mut impl EventSink) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        let within = durable.policy.acknowledge_within;
        let Some(due) = durable.overdue.at else { return };
        if within == 0 {
            durable.overdue = Overdue::default();
            return;
        }
        if now < due && durable.overdue.from.is_none() {
            return self.set_alarm(number, due);
        }
        for position in durable.find_overdue(&self.consumers, now) {
            let Some(flight) = durable.land(position) else { continue };
            let consumer = flight.consumer.and_then(|id| self.consumers.get_mut(&id));
            durable.take_back(flight, consumer, now, sink);
        }
        if durable.overdue.from.is_some() {
            return self.add_work(number);
        }
        let pause = now.saturating_add((within / 16).max(1));
        durable.overdue.at = durable.overdue.next.take().map(|next| next.max(pause));
        if let Some(due) = durable.overdue.at {
            self.set_alarm(number, due);
        }
    }

    /// Writes how often messages were delivered to the journal, as much as fits one turn; returns whether there
    /// is more. What has no room is tried again with the next commit.
    pub(crate) fn log_deliveries(&mut self, at: ClockReading) -> bool {
        let most = COUNTS.min((self.journal.record_bytes() - HEAD) / COUNT);
        let mut rest = COUNTS;
        while let Some(number) = self.uncounted.front().copied() {
            let Some(durable) = self.durables.get(&number) else {
                self.uncounted.pop_front();
                continue;
            };
            let counts = durable.uncounted.len().min(most).min(rest);
            if rest == 0 || self.make_room(at, HEAD + counts * COUNT).is_err() {
                break;
            }
            let Some(durable) = self.durables.get_mut(&number) else { continue };
            let mut body = Writer::default();
            let some = durable.uncounted.iter().take(counts).map(|(position, it)| (*position, *it));
            let through = durable.delivered.through;
            let some = Delivered { through, counts: some.collect() };
            body.u32(number);
            some.write(&mut body);
            for position in some.counts.keys() {
                durable.uncounted.remove(position);
            }
            if durable.uncounted.is_empty() {
                durable.is_uncounted = false;
                self.uncounted.pop_front();
            }
            rest = rest.saturating_sub(counts.max(1));
            self.journal.append(at.time, kind::DELIVERED, &[&body.0]);
        }
        rest == 0 && !self.uncounted.is_empty()
    }
}

impl Durable {
    /// Looks through a slice of what is in flight for what is overdue.
    fn find_overdue(&mut self, consumers: &BTreeMap<u32, Consumer>, now: u64) -> Vec<u64> {
        let (mut overdue, mut reached) = (Vec::new(), None);
        let (within, is_shared) = (self.policy.acknowledge_within, self.consumers.len() > 1);
        let from = self.overdue.from.unwrap_or(0);
        for (looked_at, (position, flight)) in self.in_flight.range(from..).enumerate() {
            if looked_at == SLICE {
                reached = Some(*position);
                break;
            }
            let consumer = flight.consumer.and_then(|id| consumers.get(&id));
            let Some(consumer) = consumer.filter(|_| flight.due.is_none()) else { continue };
            let through = consumer.through.filter(|_| !flight.is_waiting);
            if through.is_some_and(|through| *position <= through) {
                continue;
            }
            let mut due = flight.since.saturating_add(within);
            if due <= now && (!flight.is_waiting || is_shared) {
                overdue.push(*position);
                continue;
            }
            if due <= now {
                // Nobody else would have it now.
                due = now.saturating_add(within);
            }
            self.overdue.next = Some(self.overdue.next.map_or(due, |it| it.min(due)));
        }
        self.overdue.from = reached;
        overdue
    }

    /// A message that is no longer in flight, since it is overdue, goes to another consumer, if there is one.
    fn take_back(
        &mut self,
        mut flight: InFlight,
        consumer: Option<&mut Consumer>,
        now: u64,
        sink: &mut impl EventSink,
    ) {
        let id = flight.consumer.and_then(NonZeroU32::new);
        if flight.is_waiting {
            // Who had it and did not acknowledge it in time may still do so.
            if flight.entry.ended != Ended::TimedOut {
                flight.entry.late = id;
            }
        } else {
            self.account.timed_out += 1;
            (flight.entry.ended, flight.entry.late) = (Ended::TimedOut, id);
        }
        if let Some(it) = consumer {
            it.in_flight -= 1;
            it.is_late |= !flight.is_waiting;
            if flight.is_waiting {
                sink.withdrawn(it.client, it.subscription, flight.entry.position);
            }
        }
        self.give_back(&flight, now, 0);
    }

    /// Counts a delivery; in the journal if it matters: of first deliveries in order the last position is enough. One behind a
    /// message that nobody has had is not in order: the position would say that this was delivered, too.
    #[inline]
    pub(crate) fn count_delivery(&mut self, entry: &Entry) {
        self.account.deliveries += 1;
        self.account.redelivered += u64::from(entry.deliveries > 1);
        if entry.deliveries == 1 {
            self.undelivered.remove(&entry.position);
        }
        if self.policy.dead_letters.is_none() {
            return;
        }
        if entry.deliveries == 1
            && self.conflated.is_none()
            && entry.position > self.delivered.through
            && self.undelivered.first().is_none_or(|first| *first > entry.position)
        {
            self.delivered.through = entry.position;
            return;
        }
        self.delivered.counts.insert(entry.position, entry.deliveries);
        self.uncounted.insert(entry.position, entry.deliveries);
        // Nothing says which delivered messages of a conflated one were replaced.
        if let Some(conflated) = &self.conflated {
            let open = conflated.waiting().len() + self.in_flight.len();
            if self.delivered.counts.len() > 2 * open + SLICE {
                let is_open = |position: &u64| {
                    conflated.waiting().contains(position) || self.in_flight.contains_key(position)
                };
                self.delivered.counts.retain(|position, _| is_open(position));
                self.uncounted.retain(|position, _| is_open(position));
            }
        }
    }

    /// Whether a message was delivered as often as may be.
    #[inline]
    pub(crate) fn is_exhausted(&self, entry: &Entry) -> bool {
        let most = self.policy.dead_letters.as_ref().map(|it| it.deliveries);
        most.is_some_and(|most| entry.deliveries >= most) && entry.ended != Ended::Undeliverable
    }
}
