//! A durable subscription, or a replay: what waits in it, and who takes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use trunkline_journal::Address;

use crate::conflation::Conflated;

/// A message that matches and was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) position: u64,
    pub(crate) at: Address,
    /// How many times it was delivered, as far as known.
    pub(crate) deliveries: u32,
    /// Whether it has to be on disk before it is delivered.
    pub(crate) wants_disk: bool,
    /// Of a conflated subscription: its number for the topic.
    pub(crate) topic: u32,
}

/// A message that was delivered and not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) entry: Entry,
    pub(crate) consumer: u32,
}

/// Where messages are looked for that were not found yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) at: Address,
    /// No message before this position is left to be found.
    pub(crate) position: u64,
    /// Messages of lower positions do not count.
    pub(crate) from_position: u64,
    /// Messages of lower times do not count.
    pub(crate) from_time: u64,
    /// So many that match are passed by first.
    pub(crate) skip: u64,
}

/// The beginning of the last so many messages is looked for, a piece of the journal at a time, backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backwards {
    /// The piece.
    pub(crate) from: Address,
    pub(crate) to: Address,
    /// How far it was looked through, and what was found in it.
    pub(crate) at: Address,
    pub(crate) count: u64,
    /// How many there still have to be before `to`.
    pub(crate) wanted: u64,
}

/// Messages that will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Why.
    pub reason: LossReason,
    /// How many; 0 if that is not known.
    pub count: u64,
    /// Position of the first, at least.
    pub first: u64,
    /// Position of the last, at most.
    pub last: u64,
}

/// Why messages will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// Their time to live was over.
    Expired,
    /// They cannot be read.
    Damaged,
    /// They were more than the subscription may have waiting.
    Quota,
    /// They are not kept any longer.
    Gone,
}

/// What became of the messages of a durable subscription. Nothing is in two of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Acknowledged.
    pub acknowledged: u64,
    /// Newer ones of their topic took their place.
    pub elided: u64,
    /// Expired.
    pub expired: u64,
    /// Damaged, over the quota, or not kept any longer.
    pub lost: u64,
    /// Delivered and not acknowledged.
    pub in_flight: u64,
    /// Waiting to be delivered, as far as they were found.
    pub waiting: u64,
    /// Whether more may wait that were not looked at yet.
    pub is_behind: bool,
    /// Deliveries, also those of messages that had been delivered before.
    pub deliveries: u64,
}

/// A durable subscription, or a replay.
#[derive(Debug, Default)]
pub(crate) struct Durable {
    /// Empty for a replay.
    pub(crate) name: Box<str>,
    pub(crate) pattern: Box<str>,
    /// Messages that were given back, in their order; they come first.
    pub(crate) again: BTreeMap<u64, Entry>,
    /// Those that are to wait before they come again.
    pub(crate) delayed: BTreeSet<(u64, u64)>,
    /// Those of `delayed`, by position.
    pub(crate) held: BTreeMap<u64, Entry>,
    /// Messages in their order.
    pub(crate) ready: VecDeque<Entry>,
    /// What waits instead, if newer messages take the place of older ones.
    pub(crate) conflated: Option<Box<Conflated>>,
    pub(crate) in_flight: BTreeMap<u64, Flight>,
    /// More messages have to be looked for; else all are in `ready` or were.
    pub(crate) search: Option<Search>,
    pub(crate) backwards: Option<Backwards>,
    /// Positions that are done though the search has not come to them.
    pub(crate) done: BTreeSet<u64>,
    /// Messages up to here may have been delivered before the last start.
    pub(crate) old: u64,
    /// Messages up to here were there before a replay began.
    pub(crate) kept: u64,
    pub(crate) consumers: Vec<u32>,
    /// Whether it cannot be lost any more; nothing is delivered before.
    pub(crate) stands: bool,
    /// Whether it is in the journal.
    pub(crate) is_logged: bool,
    /// Where it was to begin, beside the search.
    pub(crate) from_time: u64,
    /// Who is next.
    pub(crate) turn: usize,
    /// Waits for bytes to be read.
    pub(crate) is_reading: bool,
    /// Its next message waits to be on disk.
    pub(crate) waits_for_disk: bool,
    /// Positions that are acknowledged, and not in the journal yet.
    pub(crate) unlogged: Vec<u64>,
    /// Not told yet, one for each reason.
    pub(crate) losses: Vec<Loss>,
    pub(crate) account: Account,
    /// For a replay at the original pace: thousandths of it, and when what message time was delivered.
    pub(crate) pace: u32,
    pub(crate) began: Option<(u64, u64)>,
}

impl Durable {
    pub(crate) fn is_replay(&self) -> bool {
        self.name.is_empty()
    }

    /// The next message, whether it was given back, and how many it has replaced.
    #[inline]
    pub(crate) fn next(&mut self, now: u64) -> Option<(Entry, bool, u64)> {
        if let Some(conflated) = &mut self.conflated {
            // The newest of a topic is known when all were looked at.
            let is_known = self.search.is_none();
            let next = is_known.then(|| conflated.next(now)).flatten();
            return next.map(|(entry, replaced)| (entry, false, replaced));
        }
        match self.again.first_key_value() {
            Some((_, entry)) => Some((*entry, true, 0)),
            None => self.ready.front().map(|entry| (*entry, false, 0)),
        }
    }

    /// Takes the next message out, to be delivered or not.
    #[inline]
    pub(crate) fn take(&mut self, is_again: bool, now: u64, is_delivered: bool) {
        if let Some(conflated) = &mut self.conflated {
            conflated.take(now, is_delivered);
        } else if is_again {
            self.again.pop_first();
        } else {
            self.ready.pop_front();
            self.forget_done();
        }
    }

    /// What is done before the horizon need not be remembered: all is but for what is undone.
    pub(crate) fn forget_done(&mut self) {
        let horizon = self.horizon(u64::MAX);
        while self.done.first().is_some_and(|first| *first < horizon) {
            self.done.pop_first();
        }
    }

    /// The position before which everything is done that is not given back or in flight. `end` is the
    /// next position of the journal.
    pub(crate) fn horizon(&self, end: u64) -> u64 {
        let search = self.search.map(|search| search.position);
        if let Some(conflated) = &self.conflated {
            // What is in flight is found again, and delivered unless it is out of date then.
            let in_flight = self.in_flight.keys().next().copied();
            let lowest = [search, conflated.lowest(), in_flight].into_iter().flatten().min();
            return lowest.unwrap_or(end);
        }
        self.ready.front().map(|entry| entry.position).or(search).unwrap_or(end)
    }

    /// Those before the horizon that are not done.
    pub(crate) fn undone(&self) -> impl Iterator<Item = &Entry> {
        let in_flight = self.in_flight.values().filter(|_| self.conflated.is_none());
        let in_flight = in_flight.map(|flight| &flight.entry);
        self.again.values().chain(self.held.values()).chain(in_flight)
    }

    /// Positions that are done though they are not before the horizon.
    pub(crate) fn done_behind(&self, end: u64) -> BTreeSet<u64> {
        let mut done = self.done.clone();
        if let Some(conflated) = &self.conflated {
            done.append(&mut conflated.done_from(self.horizon(end)));
        }
        done
    }

    /// The lowest position that is not done; `end` if all are.
    pub(crate) fn floor(&self, end: u64) -> u64 {
        let lowest =
            [self.again.keys().next(), self.held.keys().next(), self.in_flight.keys().next()];
        let lowest = lowest.into_iter().flatten().min().copied();
        lowest.unwrap_or(u64::MAX).min(self.horizon(end))
    }

    /// A message comes to be delivered again.
    pub(crate) fn give_back(&mut self, flight: &Flight, now: u64, due: Option<u64>) {
        let entry = flight.entry;
        if let Some(conflated) = &mut self.conflated {
            self.account.elided += u64::from(!conflated.give_back(entry, now));
            return;
        }
        match due {
            None => {
                self.again.insert(entry.position, entry);
            }
            Some(due) => {
                self.delayed.insert((due, entry.position));
                self.held.insert(entry.position, entry);
            }
        }
    }

    /// Those whose waiting is over may come again.
    pub(crate) fn end_delays(&mut self, now: u64) {
        while let Some((due, position)) = self.delayed.first().copied()
            && due <= now
        {
            self.delayed.pop_first();
            if let Some(entry) = self.held.remove(&position) {
                self.again.insert(position, entry);
            }
        }
    }

    /// A message will not come.
    pub(crate) fn lose(&mut self, reason: LossReason, first: u64, last: u64, count: u64) {
        match reason {
            LossReason::Expired => self.account.expired += count,
            _ => self.account.lost += count,
        }
        match self.losses.iter_mut().find(|loss| loss.reason == reason) {
            Some(loss) => {
                loss.count = if count == 0 || loss.count == 0 { 0 } else { loss.count + count };
                loss.first = loss.first.min(first);
                loss.last = loss.last.max(last);
            }
            None => self.losses.push(Loss { reason, count, first, last }),
        }
    }

    /// What became of its messages.
    pub(crate) fn account(&self) -> Account {
        Account {
            in_flight: self.in_flight.len() as u64,
            waiting: (self.again.len() + self.held.len() + self.ready.len()) as u64
                + self.conflated.as_ref().map_or(0, |it| it.len() as u64),
            is_behind: self.search.is_some() || self.backwards.is_some(),
            ..self.account
        }
    }
}
