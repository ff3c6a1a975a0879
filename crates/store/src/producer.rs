//! Producers: who publishes what is guaranteed, and what was acknowledged to them.

use std::collections::{BTreeSet, HashMap, VecDeque};

/// A producer of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProducerId {
    pub(crate) number: u32,
    /// Changes when another connection takes the name over.
    pub(crate) session: u32,
}

/// A message that is not acknowledged yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unacknowledged {
    pub(crate) sequence: u64,
    pub(crate) position: u64,
    /// Whether it has to be on disk.
    pub(crate) wants_disk: bool,
}

/// A producer.
#[derive(Debug)]
pub(crate) struct Producer {
    pub(crate) name: Box<str>,
    /// Sequence of the last message that was stored.
    pub(crate) last: u64,
    /// Its position.
    pub(crate) position: u64,
    /// When it published last: nanoseconds since 1970.
    pub(crate) used: u64,
    pub(crate) session: u32,
    /// Whether a connection uses it.
    pub(crate) is_connected: bool,
    pub(crate) unacknowledged: VecDeque<Unacknowledged>,
    /// Sequence and position up to which it was acknowledged.
    pub(crate) acknowledged: (u64, u64),
    /// Whether it has to be told what is acknowledged.
    pub(crate) is_due: bool,
    /// Whether it waits for messages to be on disk.
    pub(crate) is_awaiting: bool,
    /// The client that uses it, or will when all that the last one sent is acknowledged.
    pub(crate) claimant: Option<u64>,
}

impl Producer {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            last: 0,
            position: 0,
            used: 0,
            session: 0,
            is_connected: false,
            unacknowledged: VecDeque::new(),
            acknowledged: (0, 0),
            is_due: false,
            is_awaiting: false,
            claimant: None,
        }
    }

    /// Acknowledges what is durable enough; whether that was anything.
    pub(crate) fn settle(&mut self, durable: u64) -> bool {
        let before = self.acknowledged;
        while let Some(first) = self.unacknowledged.front()
            && (!first.wants_disk || first.position <= durable)
        {
            self.acknowledged = (first.sequence, first.position);
            self.unacknowledged.pop_front();
        }
        self.acknowledged != before
    }
}

/// All producers, by number and by name.
#[derive(Debug, Default)]
pub(crate) struct Producers {
    all: HashMap<u32, Producer>,
    numbers: HashMap<Box<str>, u32>,
    /// The numbers of all, in their order.
    order: BTreeSet<u32>,
    next: u32,
}

impl Producers {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn insert(&mut self, number: u32, producer: Producer) {
        self.next = self.next.max(number.saturating_add(1));
        // It was forgotten before, which is not in the journal.
        if let Some(before) = self.numbers.insert(producer.name.clone(), number) {
            self.all.remove(&before);
            self.order.remove(&before);
        }
        self.order.insert(number);
        self.all.insert(number, producer);
    }

    /// A number that no producer has had.
    pub(crate) fn fresh(&self) -> u32 {
        self.next
    }

    pub(crate) fn set_fresh(&mut self, next: u32) {
        self.next = self.next.max(next);
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Producer> {
        self.all.get_mut(&number)
    }

    /// The producer that a connection has, if no other one has taken it over.
    #[inline]
    pub(crate) fn of(&mut self, id: ProducerId) -> Option<&mut Producer> {
        self.all.get_mut(&id.number).filter(|it| it.session == id.session && it.is_connected)
    }

    /// Those with a number or a higher one, in their order.
    pub(crate) fn from(&self, number: u32) -> impl Iterator<Item = (u32, &Producer)> {
        let numbers = self.order.range(number..);
        numbers.filter_map(|number| Some((*number, self.all.get(number)?)))
    }

    /// Forgets the producer without a connection that was used longest ago, if that was before a time or it
    /// has stored nothing, so that there is nothing to know of it.
    pub(crate) fn forget_one(&mut self, before: u64) -> bool {
        let idle = |it: &&(&u32, &Producer)| {
            let may_go = it.1.used < before || it.1.last == 0;
            !it.1.is_connected && it.1.unacknowledged.is_empty() && may_go
        };
        let oldest = self.all.iter().filter(|it| idle(&it)).min_by_key(|it| it.1.used);
        let Some(number) = oldest.map(|(number, _)| *number) else { return false };
        self.order.remove(&number);
        if let Some(gone) = self.all.remove(&number) {
            self.numbers.remove(&gone.name);
        }
        true
    }
}
