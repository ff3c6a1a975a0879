//! What consumers have done with messages: acknowledged them, or given them back.

use crate::body::kind;
use crate::outlet::{Denied, Moment, Outlet};
use crate::state::acknowledged;
use crate::store::{Answer, Store};

/// Positions in a record of acknowledgements, at most.
const POSITIONS: usize = 4_096;

/// How soon after an acknowledgement room is looked for if there is none; nanoseconds.
const SOON: u64 = 10_000_000;

impl Store {
    /// A consumer has done with a message, or with all up to it.
    ///
    /// # Errors
    ///
    /// [`Denied::Unknown`]: the client has no such subscription.
    pub fn acknowledge(
        &mut self,
        at: Moment,
        client: u64,
        subscription: u32,
        (position, is_cumulative): (u64, bool),
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        let id = *self.consumer_of.get(&(client, subscription)).ok_or(Denied::Unknown)?;
        let consumer = self.consumers.get_mut(&id).ok_or(Denied::Unknown)?;
        consumer.acknowledgements += 1;
        let (number, wants_told) = (consumer.durable, consumer.wants_acknowledged);
        let count = match is_cumulative {
            true => self.finish_through(id, number, position),
            false => self.finish(number, position),
        };
        let durable = self.durables.get_mut(&number).ok_or(Denied::Unknown)?;
        durable.account.acknowledged += count;
        self.counts.acknowledged += count;
        if self.journal.shortage().is_some() {
            self.retain_at = self.retain_at.min(at.now.saturating_add(SOON));
        }
        if !self.journal.is_on_disk() {
            durable.unlogged.clear();
            if wants_told && let Some(consumer) = self.consumers.get(&id) {
                let (kept, last) = (consumer.acknowledgements, self.journal.last());
                outlet.acknowledged(client, subscription, self.durability(false), kept, last);
            }
            self.pump(number, at, outlet);
            return Ok(());
        }
        self.is_urgent |= wants_told;
        if count > 0 || wants_told {
            if !std::mem::replace(&mut durable.is_unlogged, true) {
                self.unlogged.push(number);
            }
            self.be_lazy(at.now);
            self.pump(number, at, outlet);
        }
        Ok(())
    }

    /// All that a consumer has up to a position is done, but for what it has given back. Gives how many.
    fn finish_through(&mut self, id: u32, number: u32, position: u64) -> u64 {
        let (Some(consumer), Some(durable)) =
            (self.consumers.get_mut(&id), self.durables.get_mut(&number))
        else {
            return 0;
        };
        if consumer.lowest > position {
            return 0;
        }
        let of_others = durable.in_flight.range(consumer.lowest..=position);
        let of_it = of_others.filter(|(_, it)| it.consumer == Some(id) && it.due.is_none());
        let done: Vec<u64> = of_it.map(|(position, _)| *position).collect();
        for position in &done {
            durable.land(*position);
            durable.unlogged.push(*position);
        }
        consumer.in_flight -= done.len() as u32;
        consumer.lowest = position.saturating_add(1);
        done.len() as u64
    }

    /// A message is done, if it was delivered: it may have been over an earlier connection, and whoever has it
    /// now need not do it again. Gives how many are.
    fn finish(&mut self, number: u32, position: u64) -> u64 {
        let Some(durable) = self.durables.get_mut(&number) else { return 0 };
        if let Some(flight) = durable.land(position) {
            if let Some(consumer) = flight.consumer.and_then(|it| self.consumers.get_mut(&it)) {
                consumer.in_flight -= 1;
            }
        } else {
            let was_again = durable.again.remove(&position).is_some();
            let conflated = durable.conflated.as_mut();
            if !was_again && !conflated.is_some_and(|it| it.finish(position)) {
                return 0;
            }
        }
        durable.unlogged.push(position);
        1
    }

    /// Puts what was acknowledged into the journal. What finds no room is tried again with the next commit.
    pub(crate) fn log_acknowledgements(&mut self, at: Moment) {
        let mut unlogged = std::mem::take(&mut self.unlogged);
        unlogged.retain(|number| !self.log_acknowledgements_of(at, *number));
        self.unlogged.append(&mut unlogged);
    }

    /// Those of one subscription; whether all of them are in the journal.
    fn log_acknowledgements_of(&mut self, at: Moment, number: u32) -> bool {
        // A position takes ten bytes at most.
        let most = POSITIONS.min((self.journal.record_bytes() - 8) / 10);
        while let Some(durable) = self.durables.get_mut(&number) {
            if durable.is_replay() {
                return true;
            }
            let count = durable.unlogged.len().min(most);
            let body = acknowledged(number, &mut durable.unlogged[..count]);
            if self.make_room(at, body.len()).is_err() {
                return false;
            }
            let appended = self.journal.append(at.time, kind::ACKNOWLEDGED, &[&body]);
            let Some(durable) = self.durables.get_mut(&number) else { return true };
            durable.unlogged.drain(..count);
            if durable.unlogged.is_empty() {
                durable.is_unlogged = false;
                self.promise_acknowledged(number, appended.position);
                return true;
            }
        }
        true
    }

    /// Consumers who want to know are told when the journal has come to a position.
    fn promise_acknowledged(&mut self, number: u32, position: u64) {
        let Some(durable) = self.durables.get(&number) else { return };
        for id in &durable.consumers {
            if let Some(consumer) = self.consumers.get_mut(id)
                && consumer.wants_acknowledged
                && consumer.answered < consumer.acknowledgements
            {
                consumer.answered = consumer.acknowledgements;
                let answer = Answer::Acknowledged(*id, consumer.acknowledgements);
                self.answers.push_back((position, answer));
            }
        }
    }

    /// A consumer gives a message back, to be delivered again after some nanoseconds. Until then it counts
    /// as one that the consumer has.
    ///
    /// # Errors
    ///
    /// [`Denied::Unknown`]: the client has no such subscription.
    pub fn release(
        &mut self,
        at: Moment,
        client: u64,
        subscription: u32,
        (position, delay): (u64, u64),
        outlet: &mut impl Outlet,
    ) -> Result<(), Denied> {
        let id = *self.consumer_of.get(&(client, subscription)).ok_or(Denied::Unknown)?;
        let consumer = self.consumers.get_mut(&id).ok_or(Denied::Unknown)?;
        let number = consumer.durable;
        let durable = self.durables.get_mut(&number).ok_or(Denied::Unknown)?;
        if durable.in_flight.get(&position).is_none_or(|it| it.consumer != Some(id)) {
            return Ok(());
        }
        let due = at.now.saturating_add(delay);
        if delay > 0 && durable.conflated.is_none() {
            durable.delay(position, due);
            self.set_alarm(number, due);
            return Ok(());
        }
        if let Some(flight) = durable.land(position) {
            consumer.in_flight -= 1;
            durable.give_back(&flight, at.now, due);
        }
        self.pump(number, at, outlet);
        Ok(())
    }

    /// Messages whose waiting is over come again, and are no longer what their consumers have.
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
