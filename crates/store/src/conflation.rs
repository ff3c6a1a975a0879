//! Conflated subscriptions: the newest message of each topic waits, and replaces older ones.
//!
//! ```text
//!   of one topic, when messages have to be on disk before they are delivered:
//!
//!   message --> appended --commit begins--> written --commit ends--> ready --delivered--> in flight
//!                  ^                           ^                       ^
//!                  +-- a newer one replaces the older in each of the three: elided
//! ```

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::durable::Entry;

/// A topic of a conflated subscription.
#[derive(Debug, Default)]
struct Topic {
    /// The message to deliver.
    ready: Option<Entry>,
    /// The newest message being written, if it has to be on disk first.
    written: Option<Entry>,
    /// The newest message appended since that write began. Without this distinction, a topic with a message
    /// in every commit would never have one on disk.
    appended: Option<Entry>,
    /// Elided since the last delivery.
    replaced: u64,
    /// Nothing more is delivered before this time.
    cools_until: u64,
    /// Whether it is in one of the lists of topics with something to deliver.
    is_listed: bool,
    /// Whether it is in the list of topics with something not yet on disk.
    is_coming: bool,
    /// The highest position so far.
    last: u64,
    /// Delivered messages that are neither done nor given back.
    in_flight: u32,
}

impl Topic {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        [&self.ready, &self.written, &self.appended].into_iter().flatten()
    }

    /// Whether its state can be forgotten.
    fn is_idle(&self, now: u64) -> bool {
        let has_any = self.entries().next().is_some() || self.in_flight > 0;
        !has_any && !self.is_listed && !self.is_coming && self.cools_until <= now
    }
}

/// The waiting messages of a conflated subscription.
#[derive(Debug, Default)]
pub(crate) struct Conflated {
    /// Nanoseconds between two deliveries of a topic.
    pub(crate) interval: u64,
    numbers: HashMap<Box<str>, u32>,
    topics: Vec<Topic>,
    /// Topics that may be delivered, in the order in which they became ready.
    order: VecDeque<u32>,
    /// Topics with something to deliver whose interval is not over, by its end.
    cooling: BTreeSet<(u64, u32)>,
    /// Topics with something not yet on disk.
    coming: Vec<u32>,
    /// The position up to which topics were checked for data on disk.
    settled: u64,
    /// Free numbers of topics.
    free: Vec<u32>,
    /// Positions of ready messages that were delivered before, and the numbers of their topics.
    again: HashMap<u64, u32>,
    /// Positions of all waiting messages.
    waiting: BTreeSet<u64>,
    /// The last topic that was checked for messages to drop.
    looked_at: usize,
}

impl Conflated {
    pub(crate) fn new(interval: u64) -> Self {
        Self { interval, ..Self::default() }
    }

    /// A topic's number here.
    fn number(&mut self, topic: &str) -> u32 {
        if let Some(number) = self.numbers.get(topic) {
            return *number;
        }
        let number = self.free.pop().unwrap_or(self.topics.len() as u32);
        self.numbers.insert(topic.into(), number);
        if number as usize == self.topics.len() {
            self.topics.push(Topic::default());
        }
        number
    }

    /// Forgets topics without waiting messages: there may be a new topic for each message.
    pub(crate) fn forget_idle(&mut self, now: u64) {
        let Self { numbers, topics, free, .. } = self;
        numbers.retain(|_, number| {
            let at = &mut topics[*number as usize];
            let is_idle = at.is_idle(now);
            if is_idle {
                *at = Topic::default();
                free.push(*number);
            }
            !is_idle
        });
    }

    /// Adds a message. `writing` is the last position being written, `durable` the last one on disk.
    /// Returns how many were elided.
    pub(crate) fn push(
        &mut self,
        topic: &str,
        entry: Entry,
        (writing, durable): (u64, u64),
        now: u64,
    ) -> u64 {
        let number = self.number(topic);
        let at = &mut self.topics[number as usize];
        at.last = entry.position;
        self.waiting.insert(entry.position);
        let mut elided = 0;
        if !entry.wants_disk || entry.position <= durable {
            let before = at.ready.replace(entry);
            elided += u64::from(before.is_some());
            if let Some(before) = before {
                self.again.remove(&before.position);
                self.waiting.remove(&before.position);
            }
        } else {
            if let Some(before) = at.appended.replace(entry) {
                let is_written = before.position <= writing;
                let lost = if is_written { at.written.replace(before) } else { Some(before) };
                elided += u64::from(lost.is_some());
                if let Some(lost) = lost {
                    self.waiting.remove(&lost.position);
                }
            }
            if !std::mem::replace(&mut at.is_coming, true) {
                self.coming.push(number);
            }
        }
        at.replaced += elided;
        self.list(number, now);
        elided
    }

    /// A message is done: it supersedes all earlier ones of its topic. Returns how many were elided.
    pub(crate) fn supersede(&mut self, topic: &str, position: u64) -> u64 {
        let number = self.number(topic);
        let at = &mut self.topics[number as usize];
        at.last = position;
        let gone = [at.ready.take(), at.written.take(), at.appended.take()];
        let gone = gone.into_iter().flatten().inspect(|it| {
            self.again.remove(&it.position);
            self.waiting.remove(&it.position);
        });
        gone.count() as u64
    }

    /// More is on disk now. Returns how many were elided.
    pub(crate) fn settle(&mut self, durable: u64, now: u64) -> u64 {
        if self.coming.is_empty() || self.settled == durable {
            return 0;
        }
        self.settled = durable;
        let mut all = 0;
        for number in std::mem::take(&mut self.coming) {
            let at = &mut self.topics[number as usize];
            let is_there = |entry: &mut Entry| entry.position <= durable;
            let mut elided = 0;
            let there = [at.written.take_if(is_there), at.appended.take_if(is_there)];
            for entry in there.into_iter().flatten() {
                let before = at.ready.replace(entry);
                elided += u64::from(before.is_some());
                if let Some(before) = before {
                    self.again.remove(&before.position);
                    self.waiting.remove(&before.position);
                }
            }
            at.replaced += elided;
            all += elided;
            at.is_coming = at.written.is_some() || at.appended.is_some();
            if at.is_coming {
                self.coming.push(number);
            }
            self.list(number, now);
        }
        all
    }

    /// Puts a topic with something to deliver into its list.
    fn list(&mut self, number: u32, now: u64) {
        let at = &mut self.topics[number as usize];
        if at.ready.is_none() || std::mem::replace(&mut at.is_listed, true) {
            return;
        }
        if at.cools_until > now {
            self.cooling.insert((at.cools_until, number));
        } else {
            self.order.push_back(number);
        }
    }

    /// The next message to deliver, and how many it has replaced.
    pub(crate) fn next(&mut self, now: u64) -> Option<(Entry, u64)> {
        while let Some((due, number)) = self.cooling.first().copied()
            && due <= now
        {
            self.cooling.pop_first();
            self.order.push_back(number);
        }
        while let Some(number) = self.order.front().copied() {
            let at = &mut self.topics[number as usize];
            if let Some(entry) = at.ready {
                return Some((Entry { topic: number, ..entry }, at.replaced));
            }
            // It was superseded.
            at.is_listed = false;
            self.order.pop_front();
        }
        None
    }

    /// Removes the next message; if it is delivered, its topic cools, and if it is tracked, it is in
    /// flight.
    pub(crate) fn take(&mut self, now: u64, is_delivered: bool, is_tracked: bool) {
        let Some(number) = self.order.pop_front() else { return };
        let at = &mut self.topics[number as usize];
        if let Some(taken) = at.ready.take() {
            self.again.remove(&taken.position);
            self.waiting.remove(&taken.position);
        }
        at.is_listed = false;
        if is_delivered {
            at.replaced = 0;
            at.cools_until = now.saturating_add(self.interval);
            at.in_flight += u32::from(is_tracked);
        }
    }

    /// Takes back a delivered message that has landed, for redelivery at a time or later. False if it is
    /// superseded.
    pub(crate) fn give_back(&mut self, entry: Entry, now: u64, due: u64) -> bool {
        let Some(at) = self.topics.get_mut(entry.topic as usize) else { return false };
        if at.last > entry.position {
            at.replaced += 1;
            return false;
        }
        at.ready = Some(entry);
        self.again.insert(entry.position, entry.topic);
        self.waiting.insert(entry.position);
        at.cools_until = at.cools_until.max(due);
        self.list(entry.topic, now);
        true
    }

    /// The returned message at a position.
    pub(crate) fn returned(&self, position: u64) -> Option<&Entry> {
        let number = self.again.get(&position)?;
        self.topics[*number as usize].ready.as_ref()
    }

    /// A returned message is done; false if there is none at this position.
    pub(crate) fn finish(&mut self, position: u64) -> bool {
        let Some(number) = self.again.remove(&position) else { return false };
        self.waiting.remove(&position);
        self.topics[number as usize].ready.take().is_some()
    }

    /// A message is no longer in flight. What it has replaced and has said to nobody the next one of its topic says.
    pub(crate) fn land(&mut self, entry: &Entry, replaced: u64) {
        if let Some(at) = self.topics.get_mut(entry.topic as usize) {
            at.in_flight = at.in_flight.saturating_sub(1);
            at.replaced += replaced;
        }
    }

    /// Whether something waits to be on disk.
    pub(crate) fn is_coming(&self) -> bool {
        !self.coming.is_empty()
    }

    /// When the interval of the next topic with something to deliver ends.
    pub(crate) fn next_due(&self) -> Option<u64> {
        self.cooling.first().map(|(due, _)| *due)
    }

    /// The positions of all that wait.
    pub(crate) fn waiting(&self) -> &BTreeSet<u64> {
        &self.waiting
    }

    /// Drops waiting messages that are stored before an address, where the first record has this position,
    /// and returns their positions. Checks as many topics as are left, starting where the last call ended.
    pub(crate) fn let_go(
        &mut self,
        limit: trunkline_journal::Address,
        first: u64,
        rest: &mut usize,
    ) -> Vec<u64> {
        let mut gone = Vec::new();
        for _ in 0..self.topics.len() {
            if *rest == 0 || self.waiting.first().is_none_or(|waiting| *waiting >= first) {
                break;
            }
            *rest -= 1;
            self.looked_at = (self.looked_at + 1) % self.topics.len();
            let at = &mut self.topics[self.looked_at];
            for slot in [&mut at.ready, &mut at.written, &mut at.appended] {
                if let Some(entry) = slot.take_if(|entry| entry.at < limit) {
                    self.again.remove(&entry.position);
                    self.waiting.remove(&entry.position);
                    gone.push(entry.position);
                }
            }
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use trunkline_journal::Address;

    use super::*;

    #[test]
    fn topics_of_which_nothing_matters_take_no_memory() {
        let interval = 10;
        let mut conflated = Conflated::new(interval);
        for position in 1..1_000 {
            let at = Address { segment: 0, offset: 0 };
            let entry = Entry::new(position, at, false);
            let now = position * interval;
            conflated.push(&format!("orders/{position}"), entry, (0, 0), now);
            let next = conflated.next(now).map(|(entry, replaced)| (entry.position, replaced));
            assert_eq!(next, Some((position, 0)));
            conflated.take(now, true, false);
            conflated.forget_idle(now);
        }
        assert_eq!(conflated.numbers.len(), 1, "its interval is not over");
        assert!(conflated.topics.len() <= 2, "{}", conflated.topics.len());
    }

    fn entry(position: u64) -> Entry {
        let at = Address { segment: 0, offset: 0 };
        Entry::new(position, at, false)
    }

    #[test]
    fn a_topic_that_nobody_takes_is_in_line_once() {
        for interval in [0, 1_000_000] {
            let mut conflated = Conflated::new(interval);
            conflated.push("fx", entry(1), (0, 0), 0);
            conflated.next(0).expect("it is ready");
            conflated.take(0, true, true);
            for position in 2..1_000 {
                conflated.push("fx", entry(position), (0, 0), position);
            }
            assert_eq!(conflated.order.len() + conflated.cooling.len(), 1);
            assert_eq!(conflated.waiting.len(), 1);
        }
    }

    #[test]
    fn a_topic_of_which_something_is_in_flight_is_known() {
        let mut conflated = Conflated::new(0);
        conflated.push("one", entry(1), (0, 0), 0);
        let (taken, _) = conflated.next(0).expect("it is ready");
        conflated.take(0, true, true);
        conflated.forget_idle(1_000);
        conflated.push("other", entry(2), (0, 0), 1_000);
        conflated.land(&taken, 0);
        assert!(conflated.give_back(taken, 1_000, 1_000), "it is the newest of its topic");
        conflated.take(1_000, true, false);
        let next = conflated.next(1_000).map(|(entry, _)| entry.position);
        assert_eq!(next, Some(1));
        conflated.take(1_000, true, false);
        conflated.forget_idle(2_000);
        assert_eq!(conflated.numbers.len(), 0);
    }
}
