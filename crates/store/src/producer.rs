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
    /// Its place among those that are idle.
    idle: Option<Idle>,
}

/// Whether something is stored of a producer without a connection, and when it was used: what is first in this
/// order is missed least.
type Idle = (bool, u64);

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
            idle: None,
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
    /// Those that have neither a connection nor anything unacknowledged.
    idle: BTreeSet<(Idle, u32)>,
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
            self.remove(before);
        }
        self.order.insert(number);
        self.all.insert(number, producer);
        self.look_if_idle(number);
    }

    fn remove(&mut self, number: u32) -> Option<Producer> {
        let gone = self.all.remove(&number)?;
        self.order.remove(&number);
        if let Some(idle) = gone.idle {
            self.idle.remove(&(idle, number));
        }
        Some(gone)
    }

    /// A producer has come to have a connection or to have none, or all of it has come to be acknowledged.
    pub(crate) fn look_if_idle(&mut self, number: u32) {
        let Some(at) = self.all.get_mut(&number) else { return };
        let is_idle = !at.is_connected && at.unacknowledged.is_empty();
        let now = is_idle.then_some((at.last > 0, at.used));
        let before = std::mem::replace(&mut at.idle, now);
        if now == before {
            return;
        }
        if let Some(idle) = before {
            self.idle.remove(&(idle, number));
        }
        if let Some(idle) = now {
            self.idle.insert((idle, number));
        }
    }

    /// A number that no producer has had.
    pub(crate) fn fresh(&self) -> u32 {
        self.next
    }

    pub(crate) fn set_fresh(&mut self, next: u32) {
        self.next = self.next.max(next);
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Producer> {
        self.all.get(&number)
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
        let Some(((has_stored, used), number)) = self.idle.first().copied() else { return false };
        if has_stored && used >= before {
            return false;
        }
        if let Some(gone) = self.remove(number) {
            self.numbers.remove(&gone.name);
        }
        true
    }
}
