//! A durable subscription, or a replay: its waiting messages, and its consumers.
//!
//! ```text
//!   a message of a durable subscription
//!
//!   in the journal --search--> ready ------- delivered -----> in flight ---- acknowledged ---> done
//!                              again ------^                      |
//!                              |  ^                               +-- given back, not acknowledged in
//!                 dead letter <+  |                               |   time, or its consumer has left
//!                                +--------------------------------+
//!                                |                                |
//!                                +---- due ---- delayed <---------+-- given back for later
//!
//!   expired, damaged, over the quota or kept no longer: done as well, and told as a loss
//!   in flight, and not what its consumers want: done as well, and filtered
//! ```
//!
//! `again` comes before `ready`. In a conflated subscription the newest message of each topic waits instead
//! ([`Conflated`]); one that is replaced is done, and counts as elided.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroU32;

use trunkline_journal::Address;

use crate::conflation::Conflated;
use crate::overdue::Overdue;
use crate::ranges::Ranges;
use crate::settings::DeliveryPolicy;
use crate::state::{Delivered, Done};

/// A matching message that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) position: u64,
    pub(crate) at: Address,
    /// How many times it was delivered, as far as known.
    pub(crate) deliveries: u32,
    /// Whether it has to be on disk before it is delivered.
    pub(crate) wants_disk: bool,
    /// For a conflated subscription: its number for the topic.
    pub(crate) topic: u32,
    /// How its last delivery ended, if it did.
    pub(crate) ended: Ended,
    /// The consumer that did not acknowledge it in time, or did not take it in that time: another one gets it, if there is one.
    pub(crate) late: Option<NonZeroU32>,
}

impl Entry {
    /// A message that was not delivered yet.
    #[inline]
    pub(crate) fn new(position: u64, at: Address, wants_disk: bool) -> Self {
        let (deliveries, topic, ended, late) = (0, 0, Ended::Unknown, None);
        Self { position, at, deliveries, wants_disk, topic, ended, late }
    }

    /// It is delivered once more.
    #[inline]
    pub(crate) fn delivered(self) -> Self {
        let deliveries = self.deliveries.saturating_add(1);
        Self { deliveries, ended: Ended::Unknown, late: None, ..self }
    }
}

/// How a delivery ended without an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It is under way, or it was before the last start.
    #[default]
    Unknown,
    /// The consumer did not acknowledge it in time.
    TimedOut,
    /// The consumer released it.
    Released,
    /// The consumer left.
    Left,
    /// However often: it is too long for a dead letter, and is delivered until it is acknowledged.
    Undeliverable,
}

/// A message that was delivered and not acknowledged, or is about to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight {
    pub(crate) entry: Entry,
    /// The consumer that has it; none if it was released with a delay by a consumer that has left, or if it
    /// is to become a dead letter.
    pub(crate) consumer: Option<u32>,
    /// When it was delivered.
    pub(crate) since: u64,
    /// If it was released with a delay: the end of the delay. Until then its consumer counts as having it.
    pub(crate) due: Option<u64>,
    /// The consumer has not got it yet, since it waits for something outside of the store. It takes room of the window, and that
    /// is all: what the consumer says of it is said of an earlier delivery.
    pub(crate) is_waiting: bool,
    /// In a conflated subscription: how many messages of its topic it has replaced, until it says so to its consumer.
    pub(crate) replaced: u64,
}

impl InFlight {
    /// Whether a cumulative acknowledgement of its consumer is not about it: it has not got it, nor had it before and did not
    /// acknowledge it in time.
    pub(crate) fn is_passed_over(&self) -> bool {
        let Entry { late, ended, .. } = self.entry;
        let was_had = ended == Ended::TimedOut && late.map(NonZeroU32::get) == self.consumer;
        self.is_waiting && !was_had
    }
}

/// A consumer that has left; its messages are searched a few at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    pub(crate) consumer: u32,
    /// It has none before this position, or they were found.
    pub(crate) from: u64,
    /// Its cumulative acknowledgement.
    pub(crate) through: Option<u64>,
    /// Includes the messages that it released with a delay.
    pub(crate) with_delayed: bool,
}

/// The place of the search for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) at: Address,
    /// All messages before this position were found.
    pub(crate) position: u64,
    /// Messages of lower positions do not count.
    pub(crate) from_position: u64,
    /// Messages of lower times do not count.
    pub(crate) from_time: u64,
    /// This many matching messages are skipped first.
    pub(crate) skip: u64,
    /// The first unreadable position, if nothing was read since.
    pub(crate) damaged: Option<u64>,
}

/// The backward search for the beginning of the last so many messages, a piece of the journal at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackwardSearch {
    /// The piece.
    pub(crate) from: Address,
    pub(crate) to: Address,
    /// The place that it has reached, and what it has found in the piece.
    pub(crate) at: Address,
    pub(crate) count: u64,
    /// The number of messages still missing before `to`.
    pub(crate) wanted: u64,
}

/// Messages that will not be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The reason.
    pub reason: LossReason,
    /// How many; 0 if unknown.
    pub count: u64,
    /// Position of the first, at least.
    pub first: u64,
    /// Position of the last, at most.
    pub last: u64,
}

impl Loss {
    /// Adds others that have the same reason.
    pub fn join(&mut self, other: &Self) {
        let is_known = self.count > 0 && other.count > 0;
        self.count = if is_known { self.count + other.count } else { 0 };
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// Why messages will not be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// Their time to live was over.
    Expired,
    /// They cannot be read.
    Damaged,
    /// They exceeded the subscription's quota.
    Quota,
    /// They are no longer retained.
    Gone,
    /// An administrator purged them.
    Purged,
}

/// The accounts of a durable subscription. No message is in two of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Acknowledged.
    pub acknowledged: u64,
    /// Replaced by newer ones of their topic.
    pub elided: u64,
    /// Expired.
    pub expired: u64,
    /// Damaged, over the quota, or no longer retained.
    pub lost: u64,
    /// Delivered as often as may be, and stored as a dead letter.
    pub dead_lettered: u64,
    /// Purged by an administrator, as far as they were counted.
    pub purged: u64,
    /// Not what its consumers want, by what they say.
    pub filtered: u64,
    /// Delivered and not acknowledged.
    pub in_flight: u64,
    /// Waiting to be delivered, as far as they were found.
    pub waiting: u64,
    /// Whether more may wait that were not searched yet.
    pub is_behind: bool,
    /// Deliveries, including redeliveries.
    pub deliveries: u64,
    /// Redeliveries.
    pub redelivered: u64,
    /// Deliveries that were not acknowledged in time.
    pub timed_out: u64,
}

impl Account {
    /// Those that are done.
    pub(crate) fn done(&self) -> u64 {
        let Self { acknowledged, elided, expired, lost, dead_lettered, purged, filtered, .. } =
            self;
        acknowledged + elided + expired + lost + dead_lettered + purged + filtered
    }
}

/// A durable subscription, or a replay.
#[derive(Debug, Default)]
pub(crate) struct Durable {
    /// Empty for a replay.
    pub(crate) name: Box<str>,
    pub(crate) pattern: Box<str>,
    /// Messages that were given back, in order; they come first.
    pub(crate) again: BTreeMap<u64, Entry>,
    /// Messages in flight that were released with a delay: the end of the delay, and the position.
    pub(crate) delayed: BTreeSet<(u64, u64)>,
    /// Waiting messages in order.
    pub(crate) ready: VecDeque<Entry>,
    /// The waiting messages of a conflated subscription, instead.
    pub(crate) conflated: Option<Box<Conflated>>,
    pub(crate) in_flight: BTreeMap<u64, InFlight>,
    /// The positions of those that were handed out and that nobody has had so far: they wait outside of the store, or were given
    /// back from there. Those of a conflated one are not among them.
    pub(crate) undelivered: BTreeSet<u64>,
    /// The search for more messages; without it all are in `ready` or were.
    pub(crate) search: Option<Search>,
    pub(crate) backwards: Option<BackwardSearch>,
    /// The done ranges of what the search has found: each ends where the next message begins that is not
    /// done. A conflated one has none, since all is done except waiting messages and those in flight.
    pub(crate) done: Ranges,
    /// The done ranges that the search has not reached.
    pub(crate) ahead: Ranges,
    /// For a conflated one since it was opened: how many messages matched before a position.
    pub(crate) matched: (u64, u64),
    /// Consumers that left, and those with a cumulative acknowledgement that is not fully processed.
    pub(crate) leaving: VecDeque<Leaving>,
    pub(crate) behind: VecDeque<u32>,
    /// It has too many ranges, and waits for a new consumer.
    pub(crate) has_stopped: bool,
    /// It has resumed with too many ranges. Until all is one range, few messages are in flight, the oldest,
    /// so that the ranges do not become many more.
    pub(crate) is_held_back: bool,
    /// Messages up to here may have been delivered before the last start.
    pub(crate) old: u64,
    /// Messages up to here existed before a replay began.
    pub(crate) kept: u64,
    pub(crate) consumers: Vec<u32>,
    /// Whether it is durable; nothing is delivered before.
    pub(crate) is_active: bool,
    /// Whether it is in the journal.
    pub(crate) is_logged: bool,
    /// The start time of the request, besides the search.
    pub(crate) from_time: u64,
    /// The consumer whose turn is next.
    pub(crate) turn: usize,
    /// Waits for bytes to be read.
    pub(crate) is_reading: bool,
    /// Its next message has to be on disk first.
    pub(crate) waits_for_disk: bool,
    /// It is in the list of subscriptions with more to do.
    pub(crate) is_in_work: bool,
    /// It is in the list of subscriptions with acknowledgements that are not in the journal.
    pub(crate) is_unlogged: bool,
    /// When it has to be checked.
    pub(crate) alarm: Option<u64>,
    /// The first waiting message when no consumer could take it, and when that expires.
    pub(crate) first_expires: Option<(u64, u64)>,
    /// Done messages that are not in the journal yet.
    pub(crate) unlogged: Done,
    /// What becomes of messages that are not acknowledged.
    pub(crate) policy: DeliveryPolicy,
    /// Whether it delivers nothing for now.
    pub(crate) is_paused: bool,
    /// How often messages were delivered, if the policy limits that; and what of it is not in the journal yet.
    pub(crate) delivered: Delivered,
    pub(crate) uncounted: BTreeMap<u64, u32>,
    /// Whether it is in the list of subscriptions with deliveries that are not in the journal.
    pub(crate) is_uncounted: bool,
    /// The search for messages that were not acknowledged in time.
    pub(crate) overdue: Overdue,
    /// Unreported losses, one for each reason.
    pub(crate) losses: Vec<Loss>,
    pub(crate) account: Account,
    /// For a replay at the original pace: thousandths of it, and which message time was delivered when.
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
            // The newest message of a topic is known when all were searched.
            let is_known = self.search.is_none();
            let next = is_known.then(|| conflated.next(now)).flatten();
            return next.map(|(entry, replaced)| (entry, false, replaced));
        }
        match self.again.first_key_value() {
            Some((_, entry)) => Some((*entry, true, 0)),
            None => self.ready.front().map(|entry| (*entry, false, 0)),
        }
    }

    /// Removes the next message, delivered or not.
    #[inline]
    pub(crate) fn take(&mut self, is_again: bool, now: u64, is_delivered: bool) {
        let is_tracked = !self.is_replay();
        if let Some(conflated) = &mut self.conflated {
            conflated.take(now, is_delivered, is_tracked);
        } else if is_again {
            self.again.pop_first();
        } else {
            self.ready.pop_front();
        }
    }

    /// Drops the next message, which will not be delivered. `end` is the next position of the journal.
    pub(crate) fn drop_next(
        &mut self,
        (position, is_again): (u64, bool),
        reason: LossReason,
        now: u64,
        end: u64,
    ) {
        self.take(is_again, now, false);
        self.lose(reason, position, position, 1);
        self.finish(position, end);
    }

    /// Finishes a message that neither waits nor is in flight any more. `end` is the next position of the
    /// journal.
    pub(crate) fn finish(&mut self, position: u64, end: u64) {
        if self.is_replay() {
            return;
        }
        let (begin, end) = self.done_with(position, end);
        if self.conflated.is_none() {
            self.done.add(begin, end);
        }
        self.unlogged.ranges.add(begin, end);
        self.undelivered.remove(&position);
        self.delivered.counts.remove(&position);
        self.uncounted.remove(&position);
    }

    /// The range that is done when a message is done that neither waits nor is in flight any more:
    /// everything between its undone neighbours. `end` is the next position of the journal.
    fn done_with(&self, position: u64, end: u64) -> (u64, u64) {
        let waiting = self.conflated.as_ref().map(|it| it.waiting());
        let before = [
            self.in_flight.range(..position).next_back().map(|it| *it.0),
            self.again.range(..position).next_back().map(|it| *it.0),
            waiting.and_then(|it| it.range(..position).next_back().copied()),
        ];
        let behind = [
            self.in_flight.range(position + 1..).next().map(|it| *it.0),
            self.again.range(position + 1..).next().map(|it| *it.0),
            waiting.and_then(|it| it.range(position + 1..).next().copied()),
        ];
        let begin = before.into_iter().flatten().max().map_or(0, |it| it + 1);
        let horizon = self.horizon(end).max(position + 1);
        let end = behind.into_iter().flatten().min().unwrap_or(u64::MAX).min(horizon);
        (begin, end)
    }

    /// Whether it is held back, and a message, waiting or in flight, would add a range if it were done. The
    /// very first message is always allowed.
    pub(crate) fn is_apart(&self, position: u64, end: u64) -> bool {
        let is_known = self.again.contains_key(&position) || self.in_flight.contains_key(&position);
        if !self.is_held_back || !is_known || self.conflated.is_some() {
            return false;
        }
        let (begin, end) = self.done_with(position, end);
        begin > 0 && !self.done.joins(begin, end)
    }

    /// A consumer has given back what it did not acknowledge in time: its cumulative acknowledgements are not of that.
    pub(crate) fn forgo(&mut self, position: u64, id: u32) {
        let entry = match self.in_flight.get_mut(&position) {
            Some(it) => it.is_waiting.then_some(&mut it.entry),
            None => self.again.get_mut(&position),
        };
        if let Some(it) = entry
            && it.late.map(NonZeroU32::get) == Some(id)
            && it.ended == Ended::TimedOut
        {
            it.ended = Ended::Released;
        }
    }

    /// Whether nobody can have had a message that was found: an acknowledgement of it is about nothing.
    pub(crate) fn is_unseen(&self, position: u64) -> bool {
        let is_new = |it: &Entry| it.deliveries == 0 && it.position > self.old;
        match self.in_flight.get(&position) {
            Some(it) => it.is_waiting && is_new(&it.entry),
            None => {
                let conflated = || self.conflated.as_ref()?.returned(position);
                self.again.get(&position).or_else(conflated).is_some_and(is_new)
            }
        }
    }

    /// The position before which everything was found. `end` is the next position of the journal.
    pub(crate) fn horizon(&self, end: u64) -> u64 {
        let search = self.search.map(|search| search.position);
        self.ready.front().map(|entry| entry.position).or(search).unwrap_or(end)
    }

    /// The lowest position that is not done; `end` if all are.
    pub(crate) fn floor(&self, end: u64) -> u64 {
        let lowest = [
            self.again.keys().next().copied(),
            self.in_flight.keys().next().copied(),
            self.conflated.as_ref().and_then(|it| it.waiting().first().copied()),
        ];
        lowest.into_iter().flatten().min().unwrap_or(u64::MAX).min(self.horizon(end))
    }

    /// Of a conflated one: how many messages matched before a position.
    pub(crate) fn matched(&self, end: u64) -> (u64, u64) {
        match &self.conflated {
            None => (0, 0),
            Some(_) if self.search.is_some() => self.matched,
            Some(conflated) => {
                let open = conflated.waiting().len() + self.in_flight.len();
                (self.account.done() + open as u64, end)
            }
        }
    }

    /// Everything was found: messages without another account were elided before the last start.
    pub(crate) fn end_search(&mut self) {
        self.search = None;
        self.ahead = Ranges::default();
        let Some(conflated) = &self.conflated else { return };
        let open = conflated.waiting().len() + self.in_flight.len();
        self.account.elided = 0;
        let others = self.account.done() + open as u64;
        self.account.elided = self.matched.0.saturating_sub(others);
    }

    /// Takes back a message for redelivery; in a conflated subscription not before `due`.
    pub(crate) fn give_back(&mut self, flight: &InFlight, now: u64, due: u64) {
        let entry = flight.entry;
        match &mut self.conflated {
            Some(conflated) => {
                self.account.elided += u64::from(!conflated.give_back(entry, now, due));
            }
            None => {
                self.again.insert(entry.position, entry);
            }
        }
    }

    /// Delays the redelivery of a message in flight until `due`.
    pub(crate) fn delay(&mut self, position: u64, due: u64, ended: Ended) {
        let Some(flight) = self.in_flight.get_mut(&position) else { return };
        flight.entry.ended = ended;
        if let Some(before) = flight.due.replace(due) {
            self.delayed.remove(&(before, position));
        }
        self.delayed.insert((due, position));
    }

    /// A message is no longer in flight.
    pub(crate) fn land(&mut self, position: u64) -> Option<InFlight> {
        let flight = self.in_flight.remove(&position)?;
        if let Some(due) = flight.due {
            self.delayed.remove(&(due, position));
        }
        if let Some(conflated) = &mut self.conflated {
            conflated.land(&flight.entry, flight.replaced);
        }
        Some(flight)
    }

    /// The next message whose delay is over; it is redelivered now.
    pub(crate) fn end_delay(&mut self, now: u64) -> Option<InFlight> {
        let position = self.delayed.first().filter(|(due, _)| *due <= now)?.1;
        let flight = self.land(position)?;
        self.again.insert(position, flight.entry);
        Some(flight)
    }

    /// A message will not be delivered.
    pub(crate) fn lose(&mut self, reason: LossReason, first: u64, last: u64, count: u64) {
        let (all, unlogged) = match reason {
            LossReason::Expired => (&mut self.account.expired, &mut self.unlogged.expired),
            LossReason::Purged => (&mut self.account.purged, &mut self.unlogged.purged),
            _ => (&mut self.account.lost, &mut self.unlogged.lost),
        };
        *all += count;
        *unlogged += count;
        let loss = Loss { reason, count, first, last };
        match self.losses.iter_mut().find(|it| it.reason == reason) {
            Some(before) => before.join(&loss),
            None => self.losses.push(loss),
        }
    }

    /// The accounts of its messages.
    pub(crate) fn account(&self) -> Account {
        Account {
            in_flight: (self.in_flight.len() - self.delayed.len()) as u64,
            waiting: (self.again.len() + self.delayed.len() + self.ready.len()) as u64
                + self.conflated.as_ref().map_or(0, |it| it.waiting().len() as u64),
            is_behind: self.search.is_some() || self.backwards.is_some(),
            ..self.account
        }
    }
}
