//! The names of topics, each kept once and known by a number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::topic::{TopicError, check_topic};

/// A topic that is known to the router. Numbers are dense, and are given again after a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicId(pub u32);

/// Why a topic did not get a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InternError {
    /// No topic has such a name.
    Topic(TopicError),
    /// So many topics are there already, and no more may be.
    Full {
        /// The limit, in topics.
        limit: usize,
    },
}

impl fmt::Display for InternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Topic(error) => error.fmt(f),
            Self::Full { limit } => write!(f, "the router has its limit of {limit} topics"),
        }
    }
}

impl std::error::Error for InternError {}

/// Names of topics and their numbers, both ways, up to a limit.
///
/// A topic costs its name, about 24 bytes, and what the allocator adds. The hashes differ from
/// process to process, so that nobody can choose names that collide; nothing is listed in their order.
pub struct Topics {
    /// By number; `None` is a number that is free.
    names: Vec<Option<Box<str>>>,
    /// The lowest is given first, so that the table can become shorter.
    free: BinaryHeap<Reverse<u32>>,
    numbers: HashTable<u32>,
    hasher: RandomState,
    limit: usize,
}

impl Topics {
    /// None yet, and no more than `limit` at a time (nor than 2^31).
    pub fn new(limit: usize) -> Self {
        let (names, free, numbers) = (Vec::new(), BinaryHeap::new(), HashTable::new());
        let mut topics = Self { names, free, numbers, hasher: RandomState::default(), limit: 0 };
        topics.set_limit(limit);
        topics
    }

    /// Changes how many there may be. Those that are there stay.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit.min(1 << 31);
    }

    /// The number of a topic, which is given to it now if it has none.
    ///
    /// # Errors
    ///
    /// The name is no topic that a client may publish to, or there are as many topics as may be.
    pub fn intern(&mut self, name: &str) -> Result<TopicId, InternError> {
        if let Some(topic) = self.find(name) {
            return Ok(topic);
        }
        check_topic(name).map_err(InternError::Topic)?;
        if self.numbers.len() >= self.limit {
            return Err(InternError::Full { limit: self.limit });
        }
        let number = self.free.pop().map(|Reverse(number)| number).unwrap_or_else(|| {
            self.names.push(None);
            u32::try_from(self.names.len() - 1).expect("the limit is less")
        });
        self.names[number as usize] = Some(name.into());
        let Self { names, numbers, hasher, .. } = self;
        numbers.insert_unique(hasher.hash_one(name), number, |number| {
            hasher.hash_one(named(names, *number))
        });
        Ok(TopicId(number))
    }

    /// The number of a topic that has one.
    pub fn find(&self, name: &str) -> Option<TopicId> {
        let is_it = |number: &u32| named(&self.names, *number) == name;
        self.numbers.find(self.hasher.hash_one(name), is_it).map(|number| TopicId(*number))
    }

    /// The name of a topic; empty if no topic has the number.
    #[inline]
    pub fn name(&self, topic: TopicId) -> &str {
        named(&self.names, topic.0)
    }

    /// Forgets a topic, if it is there. Its number goes to another one.
    pub fn remove(&mut self, topic: TopicId) {
        let hash = self.hasher.hash_one(self.name(topic));
        if let Ok(entry) = self.numbers.find_entry(hash, |number| *number == topic.0) {
            entry.remove();
            self.names[topic.0 as usize] = None;
            self.free.push(Reverse(topic.0));
        }
    }

    /// Gives back memory of numbers that are free, if that is most of it; gives how many numbers are left.
    pub(crate) fn shrink(&mut self) -> Option<usize> {
        if self.names.len() < SMALL || self.numbers.len() > self.names.len() / 4 {
            return None;
        }
        let left = self.names.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        if left > self.names.len() / 2 {
            return None;
        }
        self.names.truncate(left);
        self.names.shrink_to_fit();
        self.free.retain(|Reverse(number)| (*number as usize) < left);
        self.free.shrink_to_fit();
        let Self { names, numbers, hasher, .. } = self;
        numbers.shrink_to_fit(|number| hasher.hash_one(named(names, *number)));
        Some(left)
    }

    /// How many topics are known.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether no topic is known.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// Places for so few topics are not worth being given back.
const SMALL: usize = 64;

/// `names[number]`, or nothing.
#[inline]
fn named(names: &[Option<Box<str>>], number: u32) -> &str {
    names.get(number as usize).and_then(Option::as_deref).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic::TopicErrorKind;

    #[test]
    fn a_name_has_one_number_until_it_is_removed() {
        let mut topics = Topics::new(10);
        let euro = topics.intern("fx/EURUSD").expect("a topic");
        let yen = topics.intern("fx/USDJPY").expect("a topic");
        assert_eq!((euro, yen, topics.len()), (TopicId(0), TopicId(1), 2));
        assert_eq!(topics.intern("fx/EURUSD"), Ok(euro));
        assert_eq!((topics.find("fx/USDJPY"), topics.find("fx")), (Some(yen), None));
        topics.remove(euro);
        assert_eq!((topics.find("fx/EURUSD"), topics.name(euro), topics.len()), (None, "", 1));
        topics.remove(euro);
        topics.remove(TopicId(9));
        assert_eq!(topics.intern("fx/GBPUSD"), Ok(euro));
        assert_eq!((topics.name(euro), topics.name(yen)), ("fx/GBPUSD", "fx/USDJPY"));
    }

    #[test]
    fn names_and_their_count_are_limited() {
        let mut topics = Topics::new(1);
        let error = topics.intern("a/*").expect_err("a pattern");
        let kind = TopicErrorKind::WildcardInTopic('*');
        assert_eq!(error, InternError::Topic(TopicError { offset: 2, kind }));
        let a = topics.intern("a").expect("a topic");
        assert_eq!(topics.intern("b"), Err(InternError::Full { limit: 1 }));
        assert_eq!(topics.intern("a"), Ok(a));
        topics.set_limit(2);
        assert_eq!(topics.intern("b"), Ok(TopicId(1)));
    }
}
