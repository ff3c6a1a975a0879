//! Acknowledgements and releases of consumers.

use crate::body::kind;
use crate::durable::{Durable, Ended};
use crate::event_sink::{ClockReading, EventSink, Rejected};
use crate::store::{Answer, Store};

/// The most ranges in a record of done messages, and in all such records of one turn.
const RANGES: usize = 4_096;

/// A record costs at least as much as this many ranges.
const RECORD: usize = 8;

/// The most bytes of a record besides its ranges, and of a range.
const HEAD: usize = 64;
const RANGE: usize = 20;

/// The time from an acknowledgement until the next search for room, if there is none; nanoseconds.
const SOON: u64 = 10_000_000;

/// How a message is done.
#[derive(Clone, Copy)]
enum Outcome {
    Acknowledged,
    Filtered,
}

impl Store {
    /// A consumer has processed a message, or all messages up to it.
    ///
    /// # Errors
    ///
    /// [`Rejected::Unknown`]: the client has no such subscription. [`Rejected::Limit`]: the message is
    /// redelivered.
    pub fn acknowledge(
        &mut self,
        at: ClockReading,
        client: u64,
        subscription: u32,
        (position, is_cumulative): (u64, bool),
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        let id = *self.consumer_of.get(&(client, subscription)).ok_or(Rejected::Unknown)?;
        let consumer = self.consumers.get_mut(&id).ok_or(Rejected::Unknown)?;
        consumer.acknowledgements += 1;
        let was_late = std::mem::take(&mut consumer.is_late);
        let (number, wants_acknowledged) = (consumer.durable, consumer.wants_acknowledged);
        let ranges = self.durables.get(&number).map_or(0, Durable::kept_ranges);
        let count = match is_cumulative {
            true => Ok(self.finish_through(id, position)),
            false => self.finish(number, position, Outcome::Acknowledged),
        };
        let durable = self.durables.get_mut(&number).ok_or(Rejected::Unknown)?;
        if self.journal.shortage().is_some() {
            self.retain_at = self.retain_at.min(at.now.saturating_add(SOON));
        }
        if !self.journal.is_on_disk() {
            durable.unlogged = Default::default();
            if wants_acknowledged && let Some(consumer) = self.consumers.get(&id) {
                let (kept, last) = (consumer.acknowledgements, self.journal.last());
                sink.acknowledged(client, subscription, self.durability(false), kept, last);
            }
            self.pump(number, at, sink);
            return Ok(());
        }
        self.is_urgent |= wants_acknowledged;
        if was_late && !wants_acknowledged && !matches!(count, Ok(1..)) {
            // It has room again.
            self.add_work(number);
        } else if wants_acknowledged || matches!(count, Ok(1..)) {
            if !std::mem::replace(&mut durable.is_unlogged, true) {
                self.unlogged.push_back(number);
            }
            self.be_lazy(at.now);
            self.stop_if_over(number, ranges, sink);
            self.pump(number, at, sink);
        }
        count.map(|_| ())
    }

    /// Finishes a message if it was delivered, also over an earlier connection: the consumer that has it
    /// now need not process it again. Returns how many are finished.
    fn finish(&mut self, number: u32, position: u64, outcome: Outcome) -> Result<u64, Rejected> {
        let (end, limit) = (self.journal.last() + 1, self.settings.ranges);
        let Some(durable) = self.durables.get_mut(&number) else { return Ok(0) };
        if matches!(outcome, Outcome::Acknowledged) && durable.is_unseen(position) {
            return Ok(0);
        }
        let flight = durable.in_flight.get(&position);
        let id = flight.and_then(|it| it.consumer).filter(|it| self.consumers.contains_key(it));
        if id.is_none() && durable.is_apart(position, end) {
            return Err(Rejected::Limit(format!(
                "the durable subscription {:?} continues with its oldest messages: \
                 its acknowledged messages form more than {limit} ranges \
                 (journal.ranges), and the message at {position}, which no consumer \
                 has now, would add one; it is delivered again, and can be \
                 acknowledged then",
                durable.name
            )));
        }
        if durable.land(position).is_some() {
            if let Some(consumer) = id.and_then(|it| self.consumers.get_mut(&it)) {
                consumer.in_flight -= 1;
            }
        } else {
            let was_again = durable.again.remove(&position).is_some();
            let conflated = durable.conflated.as_mut();
            if !was_again && !conflated.is_some_and(|it| it.finish(position)) {
                return Ok(0);
            }
        }
        match outcome {
            Outcome::Acknowledged => {
                durable.acknowledge(position, end);
                self.counts.acknowledged += 1;
            }
            Outcome::Filtered => durable.filter(position, end),
        }
        Ok(1)
    }

    /// A message that waits outside of the store for its consumer ([`EventSink::deliver`]) is not what the consumer wants, by what
    /// the message says: it is done for the subscription, whose consumers all want the same.
    pub fn filtered(
        &mut self,
        at: ClockReading,
        client: u64,
        subscription: u32,
        position: u64,
        sink: &mut impl EventSink,
    ) {
        let Some(id) = self.consumer_of.get(&(client, subscription)).copied() else { return };
        let Some(number) = self.consumers.get(&id).map(|it| it.durable) else { return };
        let Some(durable) = self.durables.get_mut(&number) else { return };
        if durable.is_replay() {
            durable.account.filtered += 1;
            return;
        }
        let flight = durable.in_flight.get(&position);
        if !flight.is_some_and(|it| it.is_waiting && it.consumer == Some(id)) {
            return;
        }
        let ranges = durable.kept_ranges();
        if !matches!(self.finish(number, position, Outcome::Filtered), Ok(1..)) {
            return;
        }
        if self.journal.shortage().is_some() {
            self.retain_at = self.retain_at.min(at.now.saturating_add(SOON));
        }
        let is_on_disk = self.journal.is_on_disk();
        let Some(durable) = self.durables.get_mut(&number) else { return };
        if !is_on_disk {
            durable.unlogged = Default::default();
        } else {
            if !std::mem::replace(&mut durable.is_unlogged, true) {
                self.unlogged.push_back(number);
            }
            self.be_lazy(at.now);
            self.stop_if_over(number, ranges, sink);
        }
        // There may be as many as wait: what is behind them is looked for once.
        self.add_work(number);
    }

    /// Writes acknowledgements to the journal, as many as fit one turn; returns whether there are more.
    /// Those without room are retried with the next commit. A subscription with more than fits a turn is
    /// the last of the next turn.
    pub(crate) fn log_acknowledgements(&mut self, at: ClockReading) -> bool {
        let mut rest = RANGES;
        for _ in 0..self.unlogged.len() {
            // If even the smallest record has no room, none is made.
            if rest == 0 || self.make_room(at, HEAD + RANGE).is_err() {
                break;
            }
            let Some(number) = self.unlogged.pop_front() else { break };
            if !self.log_acknowledgements_of(at, number, &mut rest) {
                self.unlogged.push_back(number);
            }
        }
        rest == 0 && !self.unlogged.is_empty()
    }

    /// Writes what is done of one subscription, now; returns whether all of it is in the journal.
    pub(crate) fn log_done_of(&mut self, at: ClockReading, number: u32) -> bool {
        let has_some = |it: &Durable| it.is_unlogged || !it.unlogged.is_empty();
        if self.durables.get(&number).is_some_and(has_some) {
            let mut rest = RANGES;
            if !self.log_acknowledgements_of(at, number, &mut rest) {
                return false;
            }
            self.unlogged.retain(|it| *it != number);
        }
        true
    }

    /// Those of one subscription; returns whether all of them are in the journal. Only written ones use up
    /// the rest.
    fn log_acknowledgements_of(&mut self, at: ClockReading, number: u32, rest: &mut usize) -> bool {
        let mut most = RANGES.min((self.journal.record_bytes() - HEAD) / RANGE);
        while let Some(durable) = self.durables.get(&number).filter(|it| !it.is_replay()) {
            let ranges = durable.unlogged.ranges.len().min(most).min(*rest);
            if *rest == 0 || most == 0 {
                return false;
            }
            let body = durable.unlogged.body(number, ranges);
            if self.make_room(at, body.len()).is_err() {
                // There is room for fewer, or was.
                most = ranges / 2;
                continue;
            }
            let appended = self.journal.append(at.time, kind::DONE, &[&body]);
            *rest = rest.saturating_sub(ranges.max(RECORD));
            let Some(durable) = self.durables.get_mut(&number) else { return true };
            durable.unlogged.forget(ranges);
            if durable.unlogged.is_empty() {
                durable.is_unlogged = false;
                self.promise_acknowledged(number, appended.position);
                return true;
            }
        }
        true
    }

    /// Consumers that asked for it are told when the journal has reached a position on disk.
    fn promise_acknowledged(&mut self, number: u32, position: u64) {
        let Some(durable) = self.durables.get(&number) else { return };
        for id in &durable.consumers {
            if let Some(consumer) = self.consumers.get_mut(id)
                && consumer.wants_acknowledged
                && consumer.through.is_none()
                && consumer.answered < consumer.acknowledgements
            {
                consumer.answered = consumer.acknowledgements;
                let answer = Answer::Acknowledged(*id, consumer.acknowledgements);
                self.answers.push_back((position, answer));
            }
        }
    }

    /// A consumer gives a message back, for redelivery after some nanoseconds. Until then it counts as one
    /// that the consumer has.
    ///
    /// # Errors
    ///
    /// [`Rejected::Unknown`]: the client has no such subscription.
    pub fn release(
        &mut self,
        at: ClockReading,
        client: u64,
        subscription: u32,
        (position, delay): (u64, u64),
        sink: &mut impl EventSink,
    ) -> Result<(), Rejected> {
        let id = *self.consumer_of.get(&(client, subscription)).ok_or(Rejected::Unknown)?;
        let consumer = self.consumers.get_mut(&id).ok_or(Rejected::Unknown)?;
        let was_late = std::mem::take(&mut consumer.is_late);
        let number = consumer.durable;
        let durable = self.durables.get_mut(&number).ok_or(Rejected::Unknown)?;
        let is_done = consumer.through.is_some_and(|through| position <= through);
        let flight = durable.in_flight.get(&position);
        if is_done || !flight.is_some_and(|it| it.consumer == Some(id) && !it.is_waiting) {
            durable.forgo(position, id);
            if was_late {
                // It has room again.
                self.add_work(number);
            }
            return Ok(());
        }
        let due = at.now.saturating_add(delay);
        if delay > 0 && durable.conflated.is_none() {
            durable.delay(position, due, Ended::Released);
            self.set_alarm(number, due);
            if was_late {
                self.add_work(number);
            }
            return Ok(());
        }
        if let Some(mut flight) = durable.land(position) {
            consumer.in_flight -= 1;
            flight.entry.ended = Ended::Released;
            durable.give_back(&flight, at.now, due);
        }
        self.pump(number, at, sink);
        Ok(())
    }

    /// Released messages whose delay is over are redelivered, and their consumers no longer have them.
    pub(crate) fn end_delays(&mut self, number: u32, now: u64) {
        let Some(durable) = self.durables.get_mut(&number) else { return };
        while let Some(flight) = durable.end_delay(now) {
            if let Some(consumer) = flight.consumer.and_then(|it| self.consumers.get_mut(&it)) {
                consumer.in_flight -= 1;
            }
        }
        if let Some((due, _)) = durable.delayed.first().copied() {
            self.set_alarm(number, due);
        }
    }
}
