//! All that is known besides messages, as the body of a record: who has published how much, and what of
//! each durable subscription is done.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_journal::{Address, Record};

use crate::body::{Reader, StoredMessage, Writer, kind};
use crate::durable::{Account, Durable};
use crate::producer::{Producer, Producers};

/// What is known of a durable subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Its pattern.
    pub pattern: String,
    /// Everything before is done but for what was in flight.
    pub horizon: u64,
    /// Messages that are older do not count.
    pub(crate) from_time: u64,
    /// Nanoseconds between two messages of a topic, if it is conflated.
    pub conflation: Option<u64>,
    pub(crate) undone: BTreeMap<u64, (Address, bool)>,
    /// Done though not before the horizon.
    pub(crate) done: BTreeSet<u64>,
    /// What became of its messages, as far as they are done.
    pub account: Account,
}

/// What is known of a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProducer {
    /// Its name.
    pub name: String,
    /// Sequence of its last message.
    pub last: u64,
    /// Position of that.
    pub position: u64,
    /// When it published last: nanoseconds since 1970.
    pub used: u64,
}

/// What is known, learnt from records one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Producers by their numbers.
    pub producers: BTreeMap<u32, KnownProducer>,
    pub(crate) next_producer: u32,
    /// Durable subscriptions by their numbers.
    pub durables: BTreeMap<u32, Known>,
    pub(crate) next_durable: u32,
    /// Records that could not be understood, though they are whole.
    pub strange: u64,
}

/// The version of the layout.
const VERSION: u32 = 2;

impl Known {
    fn write(&self, out: &mut Writer) {
        out.text(&self.name).text(&self.pattern).u64(self.horizon).u64(self.from_time);
        out.u64(self.conflation.unwrap_or(u64::MAX));
        let Account { acknowledged, elided, expired, lost, deliveries, .. } = self.account;
        out.u64(acknowledged).u64(elided).u64(expired).u64(lost).u64(deliveries);
        out.u32(self.undone.len() as u32);
        for (position, (at, wants_disk)) in &self.undone {
            out.u64(*position).address(*at).u32((*wants_disk).into());
        }
        out.rising(self.done.iter().copied());
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (name, pattern) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let (horizon, from_time) = (reader.u64()?, reader.u64()?);
        let conflation = Some(reader.u64()?).filter(|it| *it != u64::MAX);
        let account = Account {
            acknowledged: reader.u64()?,
            elided: reader.u64()?,
            expired: reader.u64()?,
            lost: reader.u64()?,
            deliveries: reader.u64()?,
            ..Account::default()
        };
        let undone = reader.list(|it| Some((it.u64()?, (it.address()?, it.u32()? != 0))))?;
        let done = reader.rising()?;
        let (undone, done) = (undone.into_iter().collect(), done.into_iter().collect());
        Some(Self { name, pattern, horizon, from_time, conflation, undone, done, account })
    }

    /// What is known of one that is in use; `end` is the next position of the journal.
    pub(crate) fn of(durable: &Durable, end: u64) -> Self {
        let horizon = durable.horizon(end);
        Self {
            name: durable.name.to_string(),
            pattern: durable.pattern.to_string(),
            horizon,
            from_time: durable.from_time,
            // What waits behind the horizon is found again.
            undone: durable
                .undone()
                .into_iter()
                .filter(|(position, _)| *position < horizon)
                .collect(),
            conflation: durable.interval(),
            done: durable.done.range(horizon..).copied().collect(),
            account: durable.account,
        }
    }

    /// As the body of a record that makes it.
    pub(crate) fn body(&self, number: u32) -> Vec<u8> {
        let mut out = Writer::default();
        out.u32(number);
        self.write(&mut out);
        out.0
    }

    fn acknowledge(&mut self, position: u64) {
        let was_undone = self.undone.remove(&position).is_some();
        if was_undone || position >= self.horizon && self.done.insert(position) {
            self.account.acknowledged += 1;
        }
    }
}

/// The body of a record that acknowledges positions, which it sorts.
pub(crate) fn acknowledged(number: u32, positions: &mut [u64]) -> Vec<u8> {
    positions.sort_unstable();
    let mut out = Writer::default();
    out.u32(number).rising(positions.iter().copied());
    out.0
}

/// The body of a record that begins a segment.
pub(crate) fn state<'a>(
    producers: &Producers,
    durables: impl Iterator<Item = (u32, &'a Durable)>,
    next_durable: u32,
    end: u64,
) -> Vec<u8> {
    let mut out = Writer::default();
    out.u32(VERSION).u32(producers.fresh()).u32(producers.len() as u32);
    for (number, it) in producers.iter() {
        out.u32(number).text(&it.name).u64(it.last).u64(it.position).u64(it.used);
    }
    let durables: Vec<_> = durables.collect();
    out.u32(next_durable).u32(durables.len() as u32);
    for (number, durable) in durables {
        out.u32(number);
        Known::of(durable, end).write(&mut out);
    }
    out.0
}

impl State {
    /// Learns what a record says; false if it cannot be understood.
    pub fn learn(&mut self, record: &Record<'_>) -> bool {
        let understood = match record.kind {
            kind::STATE => Self::read(record.body).map(|state| *self = state),
            kind::MESSAGE => self.learn_message(record),
            kind::PRODUCER => self.learn_producer(record),
            kind::SUBSCRIPTION => self.learn_subscription(record.body),
            kind::ACKNOWLEDGED => self.learn_acknowledged(record.body),
            kind::DELETED => Reader(record.body).u32().map(|number| {
                self.durables.remove(&number);
            }),
            trunkline_journal::MARK => Some(()),
            _ => None,
        };
        self.strange += u64::from(understood.is_none());
        understood.is_some()
    }

    fn read(body: &[u8]) -> Option<Self> {
        let mut reader = Reader(body);
        if reader.u32()? != VERSION {
            return None;
        }
        let next_producer = reader.u32()?;
        let producers = reader.list(|it| {
            let number = it.u32()?;
            let name = it.text()?.to_owned();
            Some((
                number,
                KnownProducer { name, last: it.u64()?, position: it.u64()?, used: it.u64()? },
            ))
        })?;
        let next_durable = reader.u32()?;
        let durables = reader.list(|it| Some((it.u32()?, Known::read(it)?)))?;
        if !reader.0.is_empty() {
            return None;
        }
        Some(Self {
            producers: producers.into_iter().collect(),
            next_producer,
            durables: durables.into_iter().collect(),
            next_durable,
            strange: 0,
        })
    }

    fn learn_message(&mut self, record: &Record<'_>) -> Option<()> {
        let message = StoredMessage::read(record.body)?;
        let producer = self.producers.get_mut(&message.producer)?;
        if message.sequence > producer.last {
            (producer.last, producer.position) = (message.sequence, record.position);
            producer.used = record.time;
        }
        Some(())
    }

    fn learn_producer(&mut self, record: &Record<'_>) -> Option<()> {
        let mut reader = Reader(record.body);
        let (number, name) = (reader.u32()?, reader.text()?.to_owned());
        self.next_producer = self.next_producer.max(number.saturating_add(1));
        let producer = KnownProducer { name, last: 0, position: 0, used: record.time };
        self.producers.insert(number, producer);
        Some(())
    }

    fn learn_subscription(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        let number = reader.u32()?;
        self.next_durable = self.next_durable.max(number.saturating_add(1));
        self.durables.insert(number, Known::read(&mut reader)?);
        Some(())
    }

    fn learn_acknowledged(&mut self, body: &[u8]) -> Option<()> {
        let mut reader = Reader(body);
        let number = reader.u32()?;
        let positions = reader.rising()?;
        // It may have been deleted since.
        if let Some(durable) = self.durables.get_mut(&number) {
            positions.into_iter().for_each(|position| durable.acknowledge(position));
        }
        Some(())
    }

    /// The producers as they are used.
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

    #[test]
    fn what_is_known_survives_being_written() {
        let mut state = State::default();
        let mut out = Writer::default();
        out.u32(0).text("algo");
        state.learn(&record(kind::PRODUCER, 1, &out.0));
        let known = Known {
            name: "gateway".into(),
            pattern: "orders/>".into(),
            horizon: 2,
            ..Known::default()
        };
        state.learn(&record(kind::SUBSCRIPTION, 2, &known.body(0)));
        for sequence in 1..=4 {
            let message = StoredMessage {
                producer: 0,
                sequence,
                expires: 0,
                is_repeated: false,
                format: 0,
                topic: "orders/1",
                payload: b"",
            };
            let body = [&message.head()[..], b"orders/1"].concat();
            state.learn(&record(kind::MESSAGE, 2 + sequence, &body));
        }
        state.learn(&record(kind::ACKNOWLEDGED, 7, &acknowledged(0, &mut [5, 3, 5])));
        let durable = &state.durables[&0];
        assert_eq!((durable.account.acknowledged, durable.done.len()), (2, 2));
        assert_eq!((state.producers[&0].last, state.producers[&0].position), (4, 6));
        let producers = state.producers();
        let body = super::state(&producers, std::iter::empty(), state.next_durable, 8);
        let mut again = State::default();
        again.learn(&record(kind::STATE, 8, &body));
        assert_eq!((&again.producers, again.next_durable), (&state.producers, 1));
        state.learn(&record(kind::DELETED, 9, &0_u32.to_le_bytes()));
        assert_eq!((state.durables.len(), state.strange), (0, 0));
    }

    proptest! {
        #[test]
        fn any_bytes_are_understood_or_not(kind in 0u8..8, body in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut state = State::default();
            state.learn(&record(kind, 1, &body));
            prop_assert!(state.producers.len() <= 4 && state.durables.len() <= 4);
        }
    }
}
