//! The names of topics, each kept once and known by a number.

use std::fmt;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;

use crate::pool::Pool;
use crate::tables::Tables;
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
/// A topic costs its name, about 24 bytes, and what the allocator adds. As many as come or go, there is never
/// much to be moved at once: names stand in pages, and numbers in many small tables. The hashes differ from
/// process to process, so that nobody can choose names that collide; nothing is listed in their order.
pub struct Topics {
    /// By number; that of a number that is free is empty.
    names: Pool<Box<str>>,
    numbers: Tables<u32>,
    hasher: RandomState,
    limit: usize,
}

impl Topics {
    /// None yet, and no more than `limit` at a time (nor than 2^31).
    pub fn new(limit: usize) -> Self {
        let (names, numbers, hasher) = (Pool::new(), Tables::new(), RandomState::default());
        let mut topics = Self { names, numbers, hasher, limit: 0 };
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
        let hash = self.hasher.hash_one(name);
        if let Some(topic) = self.find_hashed(hash, name) {
            return Ok(topic);
        }
        check_topic(name).map_err(InternError::Topic)?;
        if self.len() >= self.limit {
            return Err(InternError::Full { limit: self.limit });
        }
        let number = self.names.take();
        self.names[number] = name.into();
        let Self { names, numbers, hasher, .. } = self;
        numbers.insert(hash, number, |number| hasher.hash_one(&*names[*number]));
        Ok(TopicId(number))
    }

    /// The number of a topic that has one.
    pub fn find(&self, name: &str) -> Option<TopicId> {
        self.find_hashed(self.hasher.hash_one(name), name)
    }

    #[inline]
    fn find_hashed(&self, hash: u64, name: &str) -> Option<TopicId> {
        let is_it = |number: &u32| *self.names[*number] == *name;
        self.numbers.find(hash, is_it).map(|number| TopicId(*number))
    }

    /// The name of a topic; empty if no topic has the number.
    #[inline]
    pub fn name(&self, topic: TopicId) -> &str {
        self.names.get(topic.0).map_or("", |name| name)
    }

    /// Forgets a topic, if it is there. Its number goes to another one.
    pub fn remove(&mut self, topic: TopicId) {
        let hash = self.hasher.hash_one(self.name(topic));
        if self.numbers.remove(hash, |number| *number == topic.0).is_some() {
            self.names[topic.0] = Box::default();
            self.names.give(topic.0);
        }
    }

    /// Whether there is memory that is of no use.
    pub(crate) fn has_unused(&self) -> bool {
        self.names.has_unused() || self.numbers.has_unused()
    }

    /// Gives some memory back that is of no use, of one structure, and says which pages of numbers have no topic.
    /// Whether there was any.
    pub(crate) fn shrink(&mut self, freed: impl FnMut(usize)) -> bool {
        let Self { names, numbers, hasher, .. } = self;
        names.shrink_with(freed) || numbers.shrink(|number| hasher.hash_one(&*names[*number]))
    }

    /// How many topics are known.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no topic is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
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
