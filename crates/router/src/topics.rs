//! The names of topics, each stored once with a number.

use std::fmt;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;

use crate::pool::Pool;
use crate::tables::Tables;
use crate::topic::{TopicError, check_topic};

/// A topic of the router. Numbers are dense, and are reused after a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicId(pub u32);

/// Why a topic did not get a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InternError {
    /// The name is not valid for a topic.
    Topic(TopicError),
    /// The limit of topics is reached.
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

/// Bytes that a name and its number take beside what has a place for each, about.
const NAME: usize = 56;

/// Names of topics and their numbers, both ways, up to a limit.
///
/// A topic costs its name, about 24 bytes, and the allocator's overhead. Growth and shrinking never move
/// much at once: names are in pages, and numbers in many small tables. The hashes differ from process to
/// process, so that nobody can choose colliding names; nothing is listed in their order.
pub struct Topics {
    /// By number; a free number has an empty name.
    names: Pool<Box<str>>,
    numbers: Tables<u32>,
    hasher: RandomState,
    limit: usize,
}

impl Topics {
    /// An empty table, for at most `limit` topics at a time (and at most 2^31).
    pub fn new(limit: usize) -> Self {
        let (names, numbers, hasher) = (Pool::new(), Tables::new(), RandomState::default());
        let mut topics = Self { names, numbers, hasher, limit: 0 };
        topics.set_limit(limit);
        topics
    }

    /// Changes the limit. Existing topics stay.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit.min(1 << 31);
    }

    /// The number of a topic; a new topic gets one now.
    ///
    /// # Errors
    ///
    /// The name is not valid for a topic that a client may publish to, or the limit is reached.
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

    /// The number of a known topic.
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

    /// Forgets a topic, if it is known. Another topic may get its number.
    pub fn remove(&mut self, topic: TopicId) {
        let hash = self.hasher.hash_one(self.name(topic));
        if self.numbers.remove(hash, |number| *number == topic.0).is_some() {
            self.names[topic.0] = Box::default();
            self.names.give(topic.0);
        }
    }

    /// Whether there is unused memory.
    pub(crate) fn has_unused(&self) -> bool {
        self.names.has_unused() || self.numbers.has_unused()
    }

    /// Gives back some unused memory of one structure, and reports the pages of numbers without a topic.
    /// Returns whether there was any.
    pub(crate) fn shrink(&mut self, freed: impl FnMut(usize)) -> bool {
        let Self { names, numbers, hasher, .. } = self;
        names.shrink_with(freed) || numbers.shrink(|number| hasher.hash_one(&*names[*number]))
    }

    /// Bytes of the names and their numbers, about.
    pub(crate) fn bytes(&self) -> usize {
        self.names.bytes() + self.len() * NAME
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
