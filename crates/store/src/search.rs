//! Searching the journal for the messages of a subscription.

use trunkline_journal::{Address, Lookup};

use crate::body::StoredMessage;
use crate::consumer::Start;
use crate::durable::{BackwardSearch, Durable, Entry, LossReason, Search};
use crate::event_sink::ClockReading;
use crate::pump::{READY, SEARCHED};
use crate::store::Store;

impl Store {
    /// Sets the start of a subscription.
    pub(crate) fn begin(&self, durable: &mut Durable, start: Start, now: ClockReading) {
        let from = |at: Address, position: u64, from_time: u64| Search {
            at,
            position: position.max(self.journal.first()).min(self.journal.last() + 1),
            from_position: position,
            from_time,
            skip: 0,
            damaged: None,
        };
        match start {
            Start::New => {}
            Start::All => durable.search = Some(from(self.journal.find(0), 0, 0)),
            Start::Position(position) => {
                // A higher position belongs to another journal and does not exist here.
                let position = position.min(self.journal.last() + 1);
                durable.search = Some(from(self.journal.find(position), position, 0));
            }
            Start::Time(time) => {
                // New messages count, even if the client's clock is ahead.
                let time = time.min(now.time);
                durable.from_time = time;
                durable.search = Some(from(self.journal.find_time(time), 0, time));
            }
            Start::Last(wanted) => {
                let end = self.journal.end();
                durable.search = Some(from(end, self.journal.first(), 0));
                let piece = BackwardSearch { from: end, to: end, at: end, count: 0, wanted };
                durable.backwards = Some(piece);
            }
        }
    }

    /// Searches for more matching messages.
    pub(crate) fn search(&mut self, at: ClockReading, number: u32) {
        self.search_some(number, at.now);
        self.log_late(at, number);
    }

    fn search_some(&mut self, number: u32, now: u64) {
        for _ in 0..SEARCHED {
            let Some(durable) = self.durables.get_mut(&number) else { return };
            let goes_on = match durable.backwards {
                Some(_) => self.search_backwards(number),
                None => durable.ready.len() < READY && self.search_one(number, now),
            };
            if !goes_on {
                return;
            }
        }
        self.add_work(number);
    }

    /// Checks one record; false if there is none now.
    fn search_one(&mut self, number: u32, now: u64) -> bool {
        let Some(durable) = self.durables.get_mut(&number) else { return false };
        let Some(search) = durable.search else { return false };
        match self.journal.at(search.at) {
            Lookup::Record { at, next, record } => {
                durable.end_damage(record.position);
                if let Some(end) = durable.pass_done(record.position) {
                    let at = next.max(self.journal.find(end));
                    durable.search = Some(Search { at, position: end, damaged: None, ..search });
                    return true;
                }
                let moved =
                    Search { at: next, position: record.position + 1, damaged: None, ..search };
                durable.search = Some(moved);
                let Some(message) = StoredMessage::of(&record) else { return true };
                let route = self.directory.route(message.topic);
                let (position, time) = (record.position, record.time);
                if route.durables.binary_search(&number).is_ok()
                    && position >= search.from_position
                    && time >= search.from_time
                {
                    let wants_disk = route.policy.waits_for_disk();
                    let deliveries = durable.delivered.count(position);
                    let entry = Entry { deliveries, ..Entry::new(position, at, wants_disk) };
                    match search.skip {
                        0 => durable.found(entry, message.topic, self.journal.durable(), now),
                        skip => durable.search = Some(Search { skip: skip - 1, ..moved }),
                    }
                }
            }
            Lookup::Elsewhere { bytes } => {
                durable.is_reading = true;
                self.reading.push(number);
                self.journal.fetch(search.at, bytes);
                return false;
            }
            Lookup::Damaged { next } => {
                let damaged = search.damaged.or(Some(search.position));
                durable.search = Some(Search { at: next, damaged, ..search });
            }
            Lookup::Gone { next } => {
                let position = self.journal.first();
                // The journal keeps what a durable subscription needs: a missing record was done.
                if durable.is_replay() && position > search.position {
                    durable.lose(LossReason::Gone, search.position, position - 1, 0);
                }
                durable.search = Some(Search { at: next, position, ..search });
            }
            Lookup::End => {
                durable.end_damage(self.journal.last() + 1);
                durable.end_search();
                return false;
            }
        }
        true
    }

    /// Continues the backward search for the beginning of the last so many messages; false if it has to
    /// wait.
    fn search_backwards(&mut self, number: u32) -> bool {
        let Some(durable) = self.durables.get_mut(&number) else { return false };
        let (Some(mut piece), Some(search)) = (durable.backwards, durable.search) else {
            return false;
        };
        if piece.at >= piece.to {
            let earlier = self.journal.back(piece.from);
            if piece.count >= piece.wanted || earlier.is_none() {
                let skip = piece.count.saturating_sub(piece.wanted);
                durable.search = Some(Search { at: piece.from, skip, ..search });
                durable.backwards = None;
                return true;
            }
            let from = earlier.unwrap_or(piece.from);
            let wanted = piece.wanted - piece.count;
            durable.backwards =
                Some(BackwardSearch { from, to: piece.from, at: from, count: 0, wanted });
            return true;
        }
        match self.journal.at(piece.at) {
            Lookup::Record { next, record, .. } => {
                let matches = StoredMessage::of(&record).is_some_and(|it| {
                    self.directory.route(it.topic).durables.binary_search(&number).is_ok()
                });
                piece.count += u64::from(matches);
                piece.at = next;
            }
            Lookup::Elsewhere { bytes } => {
                durable.is_reading = true;
                self.reading.push(number);
                self.journal.fetch(piece.at, bytes);
                return false;
            }
            Lookup::Damaged { next } | Lookup::Gone { next } => piece.at = next,
            Lookup::End => piece.at = piece.to,
        }
        durable.backwards = Some(piece);
        true
    }
}

impl Durable {
    /// Damage before this position may have hit matching messages: their number is unknown.
    fn end_damage(&mut self, next: u64) {
        if let Some(first) = self.search.and_then(|search| search.damaged) {
            self.lose(LossReason::Damaged, first, next.saturating_sub(1).max(first), 0);
        }
    }

    /// Skips done messages from a position on. Returns the end of those skipped.
    ///
    /// A conflated one skips none: a done message supersedes older ones of its topic.
    fn pass_done(&mut self, position: u64) -> Option<u64> {
        self.ahead.remove(0, position);
        if self.conflated.is_some() {
            return None;
        }
        let end = self.ahead.end_at(position)?;
        let open = [self.in_flight.keys().next_back(), self.again.keys().next_back()];
        let last = self.ready.back().map(|entry| entry.position);
        let last = open.into_iter().flatten().copied().chain(last).max();
        self.done.add(last.map_or(0, |last| last + 1), end);
        Some(end)
    }

    /// Nanoseconds between two messages of a topic, if it is conflated.
    pub(crate) fn interval(&self) -> Option<u64> {
        self.conflated.as_ref().map(|it| it.interval)
    }

    /// A message was found in the journal.
    fn found(&mut self, entry: Entry, topic: &str, durable: u64, now: u64) {
        let is_done = self.ahead.end_at(entry.position).is_some();
        match &mut self.conflated {
            None => self.ready.push_back(entry),
            Some(it) => {
                if entry.position >= self.matched.1 {
                    self.matched = (self.matched.0 + 1, entry.position + 1);
                }
                self.account.elided += match is_done {
                    true => it.supersede(topic, entry.position),
                    false => it.push(topic, entry, (0, durable), now),
                };
            }
        }
    }

    /// A message was just stored. `written` is the last position being written, and the last one on disk.
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry, topic: &str, written: (u64, u64), now: u64) {
        if self.search.is_some() {
            return;
        }
        if let Some(conflated) = &mut self.conflated {
            self.account.elided += conflated.push(topic, entry, written, now);
            return;
        }
        if self.ready.len() >= READY {
            let (at, position) = (entry.at, entry.position);
            let (from_position, from_time, skip, damaged) = (0, 0, 0, None);
            self.search = Some(Search { at, position, from_position, from_time, skip, damaged });
            return;
        }
        self.ready.push_back(entry);
    }
}
