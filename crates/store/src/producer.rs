//! Producers: the senders of guaranteed messages, and what was acknowledged to them.
//!
//! ```text
//!              PRODUCER               all that was sent is acknowledged
//!   unknown ---------+---> claimed ---------------------------------> connected
//!      ^             |        ^                                       |     |
//!      |             |        +--- PRODUCER of another connection ----+     | the connection
//!      |             |             takes the name over: a new session,      | ends
//!      |             |             the earlier one stores nothing more      v
//!      |             |                                                   leaving
//!      |             |                                                      | all is
//!      |             |                                                      | acknowledged
//!      |             |                                                      v
//!      |             +---------------------- PRODUCER -------------------- idle
//!      |                                                                    |
//!      +------- forgotten: nothing stored first, then the longest unused; or deleted
//! ```

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
    /// When it last published: nanoseconds since 1970.
    pub(crate) used: u64,
    pub(crate) session: u32,
    /// Whether a connection uses it.
    pub(crate) is_connected: bool,
    pub(crate) unacknowledged: VecDeque<Unacknowledged>,
    /// Sequence and position up to which it was acknowledged.
    pub(crate) acknowledged: (u64, u64),
    /// Whether an acknowledgement has to be sent.
    pub(crate) is_due: bool,
    /// Whether it waits for messages to be on disk.
    pub(crate) is_awaiting: bool,
    /// The client that uses it, or will use it when everything that the last one sent is acknowledged.
    pub(crate) claimant: Option<u64>,
    /// Its place among the idle ones.
    idle: Option<Idle>,
}

/// Whether a producer without a connection has stored anything, and when it was last used: the first in
/// this order is forgotten first.
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

    /// Acknowledges what is durable enough; returns whether there was anything.
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
    /// Producers with neither a connection nor unacknowledged messages.
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
        // An earlier producer of the name was forgotten, which is not in the journal.
        if let Some(before) = self.numbers.insert(producer.name.clone(), number) {
            self.remove(before);
        }
        self.order.insert(number);
        self.all.insert(number, producer);
        self.look_if_idle(number);
    }

    /// Forgets a producer.
    pub(crate) fn forget(&mut self, number: u32) {
        if let Some(gone) = self.remove(number) {
            self.numbers.remove(&gone.name);
        }
    }

    fn remove(&mut self, number: u32) -> Option<Producer> {
        let gone = self.all.remove(&number)?;
        self.order.remove(&number);
        if let Some(idle) = gone.idle {
            self.idle.remove(&(idle, number));
        }
        Some(gone)
    }

    /// Updates the idle list: the producer's connection or its unacknowledged messages have changed.
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

    /// A number that was never used.
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

    /// The producer of a connection, unless another one has taken it over.
    #[inline]
    pub(crate) fn of(&mut self, id: ProducerId) -> Option<&mut Producer> {
        self.all.get_mut(&id.number).filter(|it| it.session == id.session && it.is_connected)
    }

    /// The name of the producer of a connection, unless another one has taken it over.
    pub(crate) fn name_of(&self, id: ProducerId) -> Option<&str> {
        let it = self.get(id.number)?;
        (it.session == id.session && it.is_connected).then_some(&*it.name)
    }

    /// Those from a number on, in order.
    pub(crate) fn from(&self, number: u32) -> impl Iterator<Item = (u32, &Producer)> {
        let numbers = self.order.range(number..);
        numbers.filter_map(|number| Some((*number, self.all.get(number)?)))
    }

    /// Forgets the producer without a connection that has been unused longest, if that was before a time or
    /// it has stored nothing, so that there is nothing to keep.
    pub(crate) fn forget_one(&mut self, before: u64) -> bool {
        let Some(((has_stored, used), number)) = self.idle.first().copied() else { return false };
        if has_stored && used >= before {
            return false;
        }
        self.forget(number);
        true
    }
}
