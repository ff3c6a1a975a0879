//! Everything known besides messages, learnt from records: the last message of each producer, and the done
//! messages of each durable subscription.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_journal::{Address, Record, Recovery};

use crate::body::{Reader, Replaced, StoredMessage, Writer, kind};
use crate::durable::Account;
use crate::producer::{Producer, Producers};
use crate::ranges::Ranges;
use crate::{version2, version3};

/// The known state of a durable subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Its pattern.
    pub pattern: String,
    /// Older messages do not count.
    pub(crate) from_time: u64,
    /// Nanoseconds between two messages of a topic, if it is conflated.
    pub conflation: Option<u64>,
    /// The accounts of its done messages.
    pub account: Account,
    /// How many messages it matched before a position.
    pub(crate) matched: (u64, u64),
    /// All done ranges, the first of which ends before the first undone message.
    pub(crate) done: Ranges,
    /// Whether it delivers nothing for now.
    pub is_paused: bool,
    /// How often its messages were delivered.
    pub(crate) delivered: Delivered,
}

/// How often messages of a durable subscription were delivered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// Messages up to this position were delivered once at least.
    pub(crate) through: u64,
    /// Those that were delivered more often, or are behind that position: how often.
    pub(crate) counts: BTreeMap<u64, u32>,
}

impl Delivered {
    /// How often a message was delivered, as far as known.
    pub(crate) fn count(&self, position: u64) -> u32 {
        self.counts.get(&position).copied().unwrap_or((position <= self.through).into())
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        out.u64(self.through).rising(self.counts.keys().copied());
        for count in self.counts.values() {
            out.short(u64::from(*count));
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (through, positions) = (reader.u64()?, reader.rising()?);
        let mut counts = BTreeMap::new();
        for position in positions {
            counts.insert(position, u32::try_from(reader.short()?).unwrap_or(u32::MAX));
        }
        Some(Self { through, counts })
    }
}

/// The known state of a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProducer {
    /// Its name.
    pub name: String,
    /// Sequence of its last message.
    pub last: u64,
    /// Position of that.
    pub position: u64,
    /// When it last published: nanoseconds since 1970.
    pub used: u64,
}

/// The known state, learnt from records in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Producers by their numbers.
    pub producers: BTreeMap<u32, KnownProducer>,
    pub(crate) next_producer: u32,
    /// Durable subscriptions by their numbers.
    pub durables: BTreeMap<u32, Known>,
    pub(crate) next_durable: u32,
    /// Whole records that could not be understood.
    pub strange: u64,
    /// The current checkpoint: the segment in which it began, and the number of the next piece.
    pub(crate) coming: Option<(u32, u32)>,
    /// Producers and subscriptions that it contains, or that came since it began.
    pub(crate) mentioned: (BTreeSet<u32>, BTreeSet<u32>),
    /// Whether all pieces of a checkpoint have come.
    pub(crate) is_complete: bool,
}

/// Reads a part of a version.
type ReadPart<'a> = fn(&mut Reader<'a>) -> Option<(u32, Part<'a>)>;

/// The version of the layout.
pub(crate) const VERSION: u32 = 4;

/// Of a part: how many were filtered follows. Where that is left out, none were.
const HAS_FILTERED: u32 = 2;

/// Some done ranges of a durable subscription, and its other state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) name: &'a str,
    pub(crate) pattern: &'a str,
    pub(crate) from_time: u64,
    pub(crate) conflation: Option<u64>,
    pub(crate) account: Account,
    pub(crate) matched: (u64, u64),
    pub(crate) is_paused: bool,
    /// Of the messages that it describes.
    pub(crate) delivered: Delivered,
    /// The range of positions that it describes, the end excluded.
    pub(crate) span: (u64, u64),
    pub(crate) bounds: Vec<u64>,
}

impl<'a> Part<'a> {
    pub(crate) fn write(&self, number: u32, out: &mut Writer) {
        out.u32(number).text(self.name).text(self.pattern).u64(self.from_time);
        out.u64(self.conflation.unwrap_or(u64::MAX));
        let Account { acknowledged, elided, expired, lost, deliveries, .. } = self.account;
        out.u64(acknowledged).u64(elided).u64(expired).u64(lost).u64(deliveries);
        let Account { dead_lettered, purged, redelivered, timed_out, .. } = self.account;
        out.u64(dead_lettered).u64(purged).u64(redelivered).u64(timed_out);
        out.u64(self.matched.0).u64(self.matched.1);
        let filtered = self.account.filtered;
        out.u32(u32::from(self.is_paused) | if filtered > 0 { HAS_FILTERED } else { 0 });
        if filtered > 0 {
            out.u64(filtered);
        }
        self.delivered.write(out);
        out.u64(self.span.0).u64(self.span.1);
        out.rising(self.bounds.iter().copied());
    }

    fn read(reader: &mut Reader<'a>) -> Option<(u32, Self)> {
        let (number, name, pattern) = (reader.u32()?, reader.text()?, reader.text()?);
        let from_time = reader.u64()?;
        let conflation = Some(reader.u64()?).filter(|it| *it != u64::MAX);
        let account = read_account(reader)?;
        let account = Account {
            dead_lettered: reader.u64()?,
            purged: reader.u64()?,
            redelivered: reader.u64()?,
            timed_out: reader.u64()?,
            ..account
        };
        let matched = (reader.u64()?, reader.u64()?);
        let flags = reader.u32()?;
        let filtered = if flags & HAS_FILTERED != 0 { reader.u64()? } else { 0 };
        let account = Account { filtered, ..account };
        let (is_paused, delivered) = (flags & 1 != 0, Delivered::read(reader)?);
        let (span, bounds) = ((reader.u64()?, reader.u64()?), reader.rising()?);
        Some((
            number,
            Self {
                name,
                pattern,
                from_time,
                conflation,
                account,
                matched,
                is_paused,
                delivered,
                span,
                bounds,
            },
        ))
    }
}

pub(crate) fn read_account(reader: &mut Reader<'_>) -> Option<Account> {
    Some(Account {
        acknowledged: reader.u64()?,
        elided: reader.u64()?,
        expired: reader.u64()?,
        lost: reader.u64()?,
        deliveries: reader.u64()?,
        ..Account::default()
    })
}

/// Newly done messages of a durable subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) ranges: Ranges,
    /// The messages in them that were not done before: acknowledged, expired, lost, purged, filtered.
    pub(crate) acknowledged: u64,
    pub(crate) expired: u64,
    pub(crate) lost: u64,
    pub(crate) purged: u64,
    pub(crate) filtered: u64,
}

impl Done {
    pub(crate) fn is_empty(&self) -> bool {
        // Every count belongs to a range, and counts are written with the first of these.
        self.ranges.is_empty()
    }

    /// The first so many ranges, with all counts, as the body of a record.
    pub(crate) fn body(&self, number: u32, most: usize) -> Vec<u8> {
        let mut out = Writer::default();
        out.u32(number).short(self.acknowledged).short(self.expired).short(self.lost);
        out.short(self.purged);
        let first = self.ranges.from(0).take(most);
        let bounds: Vec<u64> = first.flat_map(|(begin, end)| [begin, end]).collect();
        out.rising(bounds.into_iter());
        // Left out, it is none.
        if self.filtered > 0 {
            out.short(self.filtered);
        }
        out.0
    }

    /// The first so many ranges are in the journal, with all counts.
    pub(crate) fn forget(&mut self, most: usize) {
        (self.acknowledged, self.expired, self.lost, self.purged) = (0, 0, 0, 0);
        self.filtered = 0;
        for _ in 0..most {
            self.ranges.pop_first();
        }
    }
}

impl Known {
    fn add(&mut self, bounds: &[u64]) {
        for range in bounds.chunks_exact(2) {
            self.done.add(range[0], range[1]);
        }
    }
}

impl Recovery for State {
    fn since(&self, segment: u32, first: &Record<'_>) -> Option<u32> {
        let mut reader = Reader(first.body);
        match reader.u32()? {
            version2::VERSION => Some(segment),
            version3::VERSION | VERSION => reader.u32(),
            _ => None,
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn apply(&mut self, _: Address, record: &Record<'_>) -> bool {
        State::apply(self, record)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl State {
    /// Learns what a record says; false if it cannot be understood.
    pub fn apply(&mut self, record: &Record<'_>) -> bool {
        let understood = match record.kind {
            kind::STATE => self.apply_state(record.body),
            kind::PIECE => self.apply_piece(&mut Reader(record.body), Part::read),
            kind::PIECE_3 => self.apply_piece(&mut Reader(record.body), version3::part),
            kind::MESSAGE => self.apply_message(record),
            kind::DEAD_LETTER => self.apply_dead_letter(record.body),
            kind::PRODUCER => self.apply_producer(record),
            kind::PRODUCER_DELETED => Reader(record.body).u32().map(|number| {
                self.producers.remove(&number);
            }),
            kind::SUBSCRIPTION => self.apply_subscription(&mut Reader(record.body), Part::read),
            kind::SUBSCRIPTION_3 => {
                self.apply_subscription(&mut Reader(record.body), version3::part)
            }
            kind::SUBSCRIPTION_2 => self.apply_subscription_2(record.body),
            kind::DONE => self.apply_done(record.body, true),
            kind::DONE_3 => self.apply_done(record.body, false),
            kind::DELIVERED => self.apply_delivered(record.body),
            kind::PAUSED => self.apply_paused(record.body),
            kind::ACKNOWLEDGED_2 => self.apply_acknowledged_2(record.body),
            kind::DELETED => Reader(record.body).u32().map(|number| {
                self.durables.remove(&number);
            }),
            trunkline_journal::MARK => Some(()),
            _ => None,
        };
        self.strange += u64::from(understood.is_none());
        understood.is_some()
    }

    fn apply_state(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        match reader.u32()? {
            version2::VERSION => {
                *self = version2::state(&mut reader)?;
                self.is_complete = true;
            }
            version3::VERSION => {
                reader.u32()?;
                self.apply_piece(&mut reader, version3::part)?;
            }
            VERSION => {
                reader.u32()?;
                self.apply_piece(&mut reader, Part::read)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Learns a piece of a checkpoint, which replaces what was known of the same items before.
    fn apply_piece<'a>(&mut self, reader: &mut Reader<'a>, part: ReadPart<'a>) -> Option<()> {
        let (begun, piece, is_last) = (reader.u32()?, reader.u32()?, reader.u32()? != 0);
        let (next_producer, next_durable) = (reader.u32()?, reader.u32()?);
        let producers = reader.list(|it| {
            let number = it.u32()?;
            let name = it.text()?.to_owned();
            let (last, position, used) = (it.u64()?, it.u64()?, it.u64()?);
            Some((number, KnownProducer { name, last, position, used }))
        })?;
        let parts = reader.list(part)?;
        if !reader.0.is_empty() {
            return None;
        }
        if piece == 0 {
            self.mentioned = Default::default();
        }
        self.next_producer = self.next_producer.max(next_producer);
        self.next_durable = self.next_durable.max(next_durable);
        self.mentioned.0.extend(producers.iter().map(|(number, _)| *number));
        self.producers.extend(producers);
        parts.into_iter().for_each(|(number, part)| self.apply_part(number, part));
        let is_next = piece == 0 || self.coming == Some((begun, piece));
        self.coming = is_next.then_some((begun, piece.saturating_add(1)));
        if is_next && is_last {
            self.is_complete = true;
            // Items that it lacks were deleted, even if the record of the deletion is damaged.
            let (producers, durables) = std::mem::take(&mut self.mentioned);
            self.producers.retain(|number, _| producers.contains(number));
            self.durables.retain(|number, _| durables.contains(number));
        }
        Some(())
    }

    fn apply_part(&mut self, number: u32, part: Part<'_>) {
        let Part { from_time, conflation, account, matched, is_paused, .. } = part;
        let (name, pattern) = (part.name.to_owned(), part.pattern.to_owned());
        let Known { mut done, mut delivered, .. } =
            self.durables.remove(&number).unwrap_or_default();
        done.remove(part.span.0, part.span.1);
        delivered.through = part.delivered.through;
        delivered.counts.retain(|it, _| *it < part.span.0 || *it >= part.span.1);
        delivered.counts.extend(part.delivered.counts);
        let mut known = Known {
            name,
            pattern,
            from_time,
            conflation,
            account,
            matched,
            done,
            is_paused,
            delivered,
        };
        known.add(&part.bounds);
        self.mentioned.1.insert(number);
        self.durables.insert(number, known);
    }

    fn apply_message(&mut self, record: &Record<'_>) -> Option<()> {
        let message = StoredMessage::read(record.body)?;
        let Some(producer) = self.producers.get_mut(&message.producer) else {
            // A later piece has more of it.
            return (!self.is_complete).then_some(());
        };
        if message.sequence > producer.last {
            (producer.last, producer.position) = (message.sequence, record.position);
            producer.used = record.time;
        }
        Some(())
    }

    fn apply_producer(&mut self, record: &Record<'_>) -> Option<()> {
        let mut reader = Reader(record.body);
        let (number, name) = (reader.u32()?, reader.text()?.to_owned());
        self.next_producer = self.next_producer.max(number.saturating_add(1));
        let producer = KnownProducer { name, last: 0, position: 0, used: record.time };
        self.mentioned.0.insert(number);
        self.producers.insert(number, producer);
        Some(())
    }

    fn apply_subscription<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        part: ReadPart<'a>,
    ) -> Option<()> {
        let (number, part) = part(reader)?;
        self.next_durable = self.next_durable.max(number.saturating_add(1));
        self.apply_part(number, part);
        Some(())
    }

    fn apply_subscription_2(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        let number = reader.u32()?;
        self.next_durable = self.next_durable.max(number.saturating_add(1));
        self.durables.insert(number, version2::known(&mut reader)?);
        self.mentioned.1.insert(number);
        Some(())
    }

    fn apply_done(&mut self, body: &[u8], has_purged: bool) -> Option<()> {
        let mut reader = Reader(body);
        let number = reader.u32()?;
        let (acknowledged, expired, lost) = (reader.short()?, reader.short()?, reader.short()?);
        let purged = if has_purged { reader.short()? } else { 0 };
        let bounds = reader.rising()?;
        let filtered = if reader.0.is_empty() { 0 } else { reader.short()? };
        // It may have been deleted since, or a later piece has all of it.
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.account.acknowledged += acknowledged;
            durable.account.expired += expired;
            durable.account.lost += lost;
            durable.account.purged += purged;
            durable.account.filtered += filtered;
            durable.add(&bounds);
        }
        Some(())
    }

    fn apply_dead_letter(&mut self, body: &[u8]) -> Option<()> {
        let (Replaced { durable, position }, letter) = Replaced::read(body)?;
        StoredMessage::read(letter)?;
        if let Some(durable) = self.durables.get_mut(&durable) {
            durable.account.dead_lettered += 1;
            durable.done.add(position, position.saturating_add(1));
            durable.delivered.counts.remove(&position);
        }
        Some(())
    }

    fn apply_delivered(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        let (number, delivered) = (reader.u32()?, Delivered::read(&mut reader)?);
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.delivered.through = durable.delivered.through.max(delivered.through);
            durable.delivered.counts.extend(delivered.counts);
        }
        Some(())
    }

    fn apply_paused(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        let (number, is_paused) = (reader.u32()?, reader.u32()? != 0);
        if let Some(durable) = self.durables.get_mut(&number) {
            durable.is_paused = is_paused;
        }
        Some(())
    }

    fn apply_acknowledged_2(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        let number = reader.u32()?;
        let positions = reader.rising()?;
        let Some(durable) = self.durables.get_mut(&number) else { return Some(()) };
        for position in positions {
            if durable.done.end_at(position).is_none() {
                durable.account.acknowledged += 1;
                durable.done.add(position, position.saturating_add(1));
            }
        }
        Some(())
    }

    /// The producers, in the form of the store.
    pub(crate) fn producers(&self) -> Producers {
        let mut producers = Producers::default();
        for (number, known) in &self.producers {
            let mut producer = Producer::new(&known.name);
            (producer.last, producer.position) = (known.last, known.position);
            producer.acknowledged = (known.last, known.position);
            producer.used = known.used;
            producers.insert(*number, producer);
        }
        producers.set_fresh(self.next_producer);
        producers
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(kind: u8, position: u64, body: &[u8]) -> Record<'_> {
        Record { position, time: position * 10, stable: 0, kind, body }
    }

    fn part(span: (u64, u64), bounds: &[u64]) -> Part<'_> {
        let (name, pattern, bounds) = ("gateway", "orders/>", bounds.to_vec());
        Part { name, pattern, span, bounds, ..Part::default() }
    }

    /// A piece of a checkpoint that began in segment 4.
    fn piece(number: u32, is_last: bool, parts: &[Part<'_>]) -> Vec<u8> {
        let mut out = Writer::default();
        out.u32(4).u32(number).u32(is_last.into()).u32(1).u32(1);
        out.u32(1).u32(0).text("algo").u64(9).u64(6).u64(60);
        out.u32(parts.len() as u32);
        parts.iter().for_each(|part| part.write(0, &mut out));
        out.0
    }

    fn done(state: &State) -> Vec<(u64, u64)> {
        state.durables[&0].done.from(0).collect()
    }

    #[test]
    fn each_piece_takes_the_place_of_what_was_known_of_it() {
        let mut state = State::default();
        let mut out = Writer::default();
        part((0, u64::MAX), &[0, 2]).write(0, &mut out);
        state.apply(&record(kind::SUBSCRIPTION, 2, &out.0));
        let more = Done { acknowledged: 3, expired: 1, ..Done::default() };
        let mut body = Writer(more.body(0, 0));
        body.0.truncate(body.0.len() - 4);
        body.rising([2, 9, 12, 13].into_iter());
        state.apply(&record(kind::DONE, 14, &body.0));
        assert_eq!(done(&state), [(0, 9), (12, 13)]);
        assert_eq!(state.durables[&0].account.acknowledged, 3);
        state.apply(&record(kind::PIECE, 15, &piece(0, false, &[part((0, 10), &[0, 9])])));
        assert_eq!((done(&state), state.is_complete), (vec![(0, 9), (12, 13)], false));
        state.apply(&record(kind::PIECE, 16, &piece(1, true, &[part((10, u64::MAX), &[10, 12])])));
        assert_eq!((done(&state), state.is_complete), (vec![(0, 9), (10, 12)], true));
        assert_eq!(state.durables[&0].account.acknowledged, 0, "what the piece says");
        assert_eq!((state.producers[&0].last, state.strange), (9, 0));
        state.apply(&record(kind::DELETED, 17, &0_u32.to_le_bytes()));
        assert_eq!((state.durables.len(), state.strange), (0, 0));
    }

    #[test]
    fn a_checkpoint_without_one_of_its_pieces_is_not_complete() {
        let mut state = State::default();
        state.apply(&record(kind::PIECE, 1, &piece(0, false, &[])));
        state.apply(&record(kind::PIECE, 3, &piece(2, true, &[])));
        assert!(!state.is_complete);
        state.apply(&record(kind::PIECE, 4, &piece(0, true, &[])));
        assert!(state.is_complete);
    }

    #[test]
    fn what_a_complete_checkpoint_does_not_say_is_no_more() {
        let mut state = State::default();
        let mut out = Writer::default();
        part((0, u64::MAX), &[0, 2]).write(0, &mut out);
        part((0, u64::MAX), &[0, 3]).write(1, &mut out);
        let second = out.0.len() / 2;
        state.apply(&record(kind::SUBSCRIPTION, 2, &out.0[..second]));
        state.apply(&record(kind::SUBSCRIPTION, 3, &out.0[second..]));
        let mut forgotten = Writer::default();
        forgotten.u32(7).text("forgotten");
        state.apply(&record(kind::PRODUCER, 4, &forgotten.0));
        // The record of the second's deletion is damaged, and does not come.
        state.apply(&record(kind::PIECE, 6, &piece(0, false, &[part((0, 10), &[0, 9])])));
        let mut made = Writer::default();
        part((0, u64::MAX), &[0, 6]).write(2, &mut made);
        state.apply(&record(kind::SUBSCRIPTION, 7, &made.0));
        assert_eq!(state.durables.len(), 3, "it may still be said");
        state.apply(&record(kind::PIECE, 8, &piece(1, true, &[part((10, u64::MAX), &[])])));
        let numbers: Vec<u32> = state.durables.keys().copied().collect();
        assert_eq!(numbers, [0, 2], "what is said, and what was made meanwhile");
        assert_eq!(state.producers.keys().copied().collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_message_of_nobody_is_strange_when_all_producers_are_known() {
        let topic = "orders/1";
        let (sequence, expires, is_repeated, format, payload) = (1, 0, false, 0, &b""[..]);
        let message =
            StoredMessage { producer: 7, sequence, expires, is_repeated, format, topic, payload };
        let body = [&message.head()[..], topic.as_bytes()].concat();
        let mut state = State::default();
        assert!(state.apply(&record(kind::MESSAGE, 1, &body)), "a later piece may say who it is");
        state.apply(&record(kind::PIECE, 2, &piece(0, true, &[])));
        assert_eq!((state.is_complete, state.strange), (true, 0));
        assert!(!state.apply(&record(kind::MESSAGE, 3, &body)));
        assert_eq!(state.strange, 1);
    }

    #[test]
    fn version_2_says_which_number_of_a_producer_is_the_next() {
        let mut body = Writer::default();
        body.u32(version2::VERSION).u32(9).u32(1);
        body.u32(3).text("algo").u64(5).u64(6).u64(7);
        body.u32(4).u32(0);
        let mut state = State::default();
        assert!(state.apply(&record(kind::STATE, 1, &body.0)));
        assert_eq!((state.next_producer, state.next_durable, state.is_complete), (9, 4, true));
        assert_eq!(state.producers().fresh(), 9, "those between were forgotten, and do not return");
    }

    proptest! {
        #[test]
        fn any_bytes_are_understood_or_not(kind in 0u8..18, body in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut state = State::default();
            state.apply(&record(kind, 1, &body));
            prop_assert!(state.producers.len() <= 4 && state.durables.len() <= 4);
        }
    }
}
