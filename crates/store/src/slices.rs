//! Work on many messages of a subscription, a slice at a time, so that no turn is long: the messages of a
//! consumer that has left, cumulative acknowledgements, and the excess over a quota.

use trunkline_journal::Address;

use crate::consumer::Consumer;
use crate::durable::{Durable, Ended, Leaving, LossReason, Search};
use crate::event_sink::{ClockReading, EventSink, Rejected};
use crate::store::Store;

/// Messages that are checked before others have their turn.
const SLICE: usize = 1_024;

/// The time until a quota is checked again if an excess is left; nanoseconds.
const SOON: u64 = 1_000_000;

impl Store {
    /// Finishes everything that a consumer has up to a position, except what it has given back. Returns how
    /// many are finished now. Until all are, the consumer gets no more messages, so that these stay apart
    /// from new ones.
    pub(crate) fn finish_through(&mut self, id: u32, position: u64) -> u64 {
        let Some(consumer) = self.consumers.get_mut(&id) else { return 0 };
        let number = consumer.durable;
        if consumer.lowest > position {
            return 0;
        }
        let before = consumer.through.replace(consumer.through.unwrap_or(0).max(position));
        if before.is_none()
            && let Some(durable) = self.durables.get_mut(&number)
        {
            durable.behind.push_back(id);
        }
        self.finish_some(number)
    }

    /// Continues with cumulative acknowledgements. Returns how many messages are finished.
    fn finish_some(&mut self, number: u32) -> u64 {
        let end = self.journal.last() + 1;
        let Some(durable) = self.durables.get_mut(&number) else { return 0 };
        let Some(id) = durable.behind.front().copied() else { return 0 };
        let consumer = self.consumers.get_mut(&id);
        let Some((consumer, through)) = consumer.and_then(|it| it.through.map(|to| (it, to)))
        else {
            durable.behind.pop_front();
            return 0;
        };
        let (before, limit) = (durable.kept_ranges(), self.settings.ranges);
        let (found, mut next) = durable.found_in_flight(id, (consumer.lowest, through), false);
        let mut count = 0;
        for (position, is_passed_over) in &found {
            if *is_passed_over {
                consumer.passed_over = consumer.passed_over.min(*position);
                continue;
            }
            durable.land(*position);
            durable.acknowledge(*position, end);
            count += 1;
            if durable.is_over(limit, before) && self.journal.is_on_disk() {
                next = Some(position + 1);
                break;
            }
        }
        consumer.in_flight -= count as u32;
        consumer.lowest = next.unwrap_or(through.saturating_add(1));
        match next {
            Some(_) => self.add_work(number),
            None => {
                consumer.through = None;
                let passed_over = std::mem::replace(&mut consumer.passed_over, u64::MAX);
                consumer.lowest = consumer.lowest.min(passed_over);
                durable.behind.pop_front();
                // A consumer that asked for it is told when a record behind them is on disk.
                let is_reported = consumer.wants_acknowledged && self.journal.is_on_disk();
                if is_reported && !std::mem::replace(&mut durable.is_unlogged, true) {
                    self.unlogged.push_back(number);
                }
                self.is_urgent |= is_reported;
            }
        }
        self.counts.acknowledged += count;
        count
    }

    /// Gives back the messages of consumers that have left.
    fn give_some_back(&mut self, number: u32, now: u64) {
        let end = self.journal.last() + 1;
        let Some(durable) = self.durables.get_mut(&number) else { return };
        let Some(leaving) = durable.leaving.front().copied() else { return };
        let (before, limit) = (durable.kept_ranges(), self.settings.ranges);
        let (found, mut next) = durable.found_in_flight(
            leaving.consumer,
            (leaving.from, u64::MAX),
            leaving.with_delayed,
        );
        for (position, is_passed_over) in found {
            let Some(mut flight) = durable.land(position) else { continue };
            let is_done = leaving.through.is_some_and(|through| position <= through);
            if is_done && !is_passed_over && flight.due.is_none() {
                durable.acknowledge(position, end);
                self.counts.acknowledged += 1;
                if durable.is_over(limit, before) && self.journal.is_on_disk() {
                    next = Some(position + 1);
                    break;
                }
            } else {
                // What waits goes back as it came: this consumer has not got it.
                if flight.due.is_none() && !flight.is_waiting {
                    flight.entry.ended = Ended::Left;
                }
                durable.give_back(&flight, now, 0);
            }
        }
        match (durable.leaving.front_mut(), next) {
            (Some(leaving), Some(next)) => leaving.from = next,
            _ => {
                durable.leaving.pop_front();
            }
        }
    }

    /// Continues with what did not fit a turn.
    pub(crate) fn look_for_some(
        &mut self,
        number: u32,
        at: ClockReading,
        sink: &mut impl EventSink,
    ) {
        let before = self.durables.get(&number).map_or(0, Durable::kept_ranges);
        self.finish_some(number);
        self.stop_if_over(number, before, sink);
        let before = self.durables.get(&number).map_or(0, Durable::kept_ranges);
        self.give_some_back(number, at.now);
        self.stop_if_over(number, before, sink);
        self.log_soon(number, at.now);
        let is_left = |it: &Durable| !it.leaving.is_empty() || !it.behind.is_empty();
        if self.durables.get(&number).is_some_and(is_left) {
            self.add_work(number);
        }
    }

    /// Schedules writing the done messages of a subscription, if that is not scheduled yet.
    pub(crate) fn log_soon(&mut self, number: u32, now: u64) {
        let is_on_disk = self.journal.is_on_disk();
        let Some(durable) = self.durables.get_mut(&number) else { return };
        if durable.is_replay() || !is_on_disk {
            durable.unlogged = Default::default();
            return;
        }
        if durable.is_unlogged || durable.unlogged.is_empty() {
            return;
        }
        durable.is_unlogged = true;
        self.unlogged.push_back(number);
        self.be_lazy(now);
    }

    /// Stops a subscription with too many ranges, if it has more than before. The unprocessed part of a
    /// cumulative acknowledgement is dropped.
    pub(crate) fn stop_if_over(&mut self, number: u32, before: usize, sink: &mut impl EventSink) {
        let limit = self.settings.ranges;
        let Some(durable) = self.durables.get_mut(&number) else { return };
        // Not as soon as the limit is reached, or the next ones would be too many at once.
        durable.is_held_back &= durable.kept_ranges() > 1;
        if !durable.is_over(limit, before) || !self.journal.is_on_disk() {
            return;
        }
        let name = &durable.name;
        let rejected = Rejected::Limit(format!(
            "the durable subscription {name:?} has stopped: its acknowledged messages \
             form more than {limit} ranges between unacknowledged ones \
             (journal.ranges); it continues, with its oldest messages and few at a \
             time, when a consumer connects, and ends with `trunkline durable delete \
             {name}`"
        ));
        durable.has_stopped = true;
        for id in std::mem::take(&mut durable.consumers) {
            let Some(consumer) = self.consumers.remove(&id) else { continue };
            self.consumer_of.remove(&(consumer.client, consumer.subscription));
            durable.leave(id, &consumer);
            sink.rejected(consumer.client, consumer.subscription, &rejected);
        }
        for leaving in &mut durable.leaving {
            leaving.through = None;
        }
        self.add_work(number);
    }

    /// Drops the oldest messages of subscriptions over their quota: a bounded number in all, then the
    /// following subscriptions continue.
    pub(crate) fn keep_quotas(&mut self, at: ClockReading) {
        let limit = self.journal.within(self.settings.quota_bytes);
        let position = self.journal.first_of(limit);
        if position <= self.journal.first() {
            return;
        }
        let (end, mut over, mut rest) = (self.journal.last() + 1, Vec::new(), SLICE);
        let (from, all) = (self.quota_from, self.durables.keys().copied().collect::<Vec<u32>>());
        let (before, behind) = all.split_at(all.partition_point(|number| *number < from));
        for number in behind.iter().chain(before) {
            let Some(durable) = self.durables.get_mut(number).filter(|it| !it.is_replay()) else {
                continue;
            };
            let had = rest;
            while rest > 0
                && let Some(slot) = durable.in_flight.first_entry()
                && slot.get().entry.at < limit
            {
                let (position, consumer) = (*slot.key(), slot.get().consumer);
                if let Some(consumer) = consumer.and_then(|it| self.consumers.get_mut(&it)) {
                    consumer.in_flight -= 1;
                }
                durable.land(position);
                durable.lose(LossReason::Quota, position, position, 1);
                durable.finish(position, end);
                rest -= 1;
            }
            if durable.let_go(limit, position, &mut rest, end) || rest < had {
                over.push(*number);
            }
            if rest == 0 {
                self.quota_from = number.saturating_add(1);
                self.retain_at = self.retain_at.min(at.now.saturating_add(SOON));
                break;
            }
        }
        for number in over {
            self.log_soon(number, at.now);
            self.add_work(number);
        }
    }
}

impl Durable {
    /// Positions of a consumer's messages from one position up to another, without or with those released
    /// with a delay, with whether a cumulative acknowledgement passes over them; and where to continue if not all were checked.
    fn found_in_flight(
        &self,
        id: u32,
        (from, to): (u64, u64),
        with_delayed: bool,
    ) -> (Vec<(u64, bool)>, Option<u64>) {
        let mut found = Vec::new();
        for (number, (position, flight)) in self.in_flight.range(from..=to).enumerate() {
            if number == SLICE {
                return (found, Some(*position));
            }
            if flight.consumer == Some(id) && (flight.due.is_none() || with_delayed) {
                found.push((*position, flight.is_passed_over()));
            }
        }
        (found, None)
    }

    /// A consumer leaves. Its messages released with a delay are redelivered after the delay; or with the
    /// others, if few may be in flight.
    pub(crate) fn leave(&mut self, id: u32, consumer: &Consumer) {
        let with_delayed = self.is_held_back || self.has_stopped;
        let lowest = consumer.lowest.min(consumer.passed_over);
        let from = if with_delayed { 0 } else { lowest };
        let through = consumer.through;
        self.leaving.push_back(Leaving { consumer: id, from, through, with_delayed });
    }

    /// A message that neither waits nor is in flight any more was acknowledged.
    pub(crate) fn acknowledge(&mut self, position: u64, end: u64) {
        self.account.acknowledged += 1;
        self.unlogged.acknowledged += 1;
        self.finish(position, end);
    }

    /// A message that neither waits nor is in flight any more is not what the consumers want.
    pub(crate) fn filter(&mut self, position: u64, end: u64) {
        self.account.filtered += 1;
        self.unlogged.filtered += 1;
        self.finish(position, end);
    }

    /// The number of done ranges.
    pub(crate) fn ranges(&self) -> u64 {
        let open = self.conflated.as_ref().map(|it| it.waiting().len() + self.in_flight.len());
        open.unwrap_or_else(|| self.kept_ranges()) as u64
    }

    /// Ranges that are stored one by one.
    pub(crate) fn kept_ranges(&self) -> usize {
        self.done.len() + self.ahead.len()
    }

    /// Whether the ranges are more than before and more than the limit. While the subscription is held
    /// back, there are no more than the messages that may be in flight, whichever consumers come and leave.
    fn is_over(&self, limit: usize, before: usize) -> bool {
        let ranges = self.kept_ranges();
        ranges > before && ranges > limit && !self.is_held_back
    }

    /// A first consumer attaches to a subscription that may have stopped.
    pub(crate) fn resume(&mut self, limit: usize) {
        self.has_stopped = false;
        self.is_held_back = self.kept_ranges() > limit;
    }

    /// The most messages in flight of a consumer, whatever its window is.
    pub(crate) fn share(&self, limit: usize) -> u32 {
        let share = (limit / self.consumers.len().max(1)).max(1);
        if self.is_held_back { u32::try_from(share).unwrap_or(u32::MAX) } else { u32::MAX }
    }

    /// The most messages in flight of a consumer now. When all consumers together are at the limit, it is a
    /// small part of its share: an idle consumer slows the others but does not stop them.
    ///
    /// Between two ranges there is a message in flight, or one that was not reached since the subscription
    /// is held back. The oldest come first, and no acknowledgement of the latter may add a range
    /// ([`Self::is_apart`]): however often consumers come and leave, the ranges are at most those that it
    /// had plus the messages that may be in flight.
    pub(crate) fn most_in_flight(&self, limit: usize) -> u32 {
        let share = self.share(limit);
        let has_room = self.in_flight.len() < limit.max(self.consumers.len());
        if has_room || !self.is_held_back { share } else { (share / 16).max(1) }
    }

    /// Drops waiting messages that are stored before an address, where the first record has this position,
    /// so many at most; returns whether there were any.
    fn let_go(&mut self, limit: Address, position: u64, rest: &mut usize, end: u64) -> bool {
        let before = *rest;
        while *rest > 0
            && let Some(slot) = self.again.first_entry()
            && slot.get().at < limit
        {
            let position = *slot.key();
            slot.remove();
            self.lose(LossReason::Quota, position, position, 1);
            self.finish(position, end);
            *rest -= 1;
        }
        while *rest > 0
            && let Some(entry) = self.ready.pop_front_if(|entry| entry.at < limit)
        {
            self.lose(LossReason::Quota, entry.position, entry.position, 1);
            self.finish(entry.position, end);
            *rest -= 1;
        }
        if let Some(conflated) = &mut self.conflated
            && conflated.waiting().first().is_some_and(|first| *first < position)
        {
            for position in conflated.let_go(limit, position, rest) {
                self.lose(LossReason::Quota, position, position, 1);
                self.finish(position, end);
            }
        }
        let search = self.search.filter(|it| *rest > 0 && it.at < limit);
        if let Some(search) = search {
            self.lose(LossReason::Quota, search.position, position.saturating_sub(1), 0);
            self.search = Some(Search { at: limit, position, ..search });
        }
        *rest < before || search.is_some()
    }
}
