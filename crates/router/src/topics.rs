//! The names of topics, each kept once and known by a number.

use std::fmt;

use crate::names::Names;
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
/// A topic costs its name, about 24 bytes, and what the allocator adds.
pub struct Topics {
    names: Names,
    limit: usize,
}

impl Topics {
    /// None yet, and no more than `limit` at a time (nor than 2^31).
    pub fn new(limit: usize) -> Self {
        let mut topics = Self { names: Names::new(), limit: 0 };
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
        if self.names.len() >= self.limit {
            return Err(InternError::Full { limit: self.limit });
        }
        Ok(TopicId(self.names.insert(name)))
    }

    /// The number of a topic that has one.
    pub fn find(&self, name: &str) -> Option<TopicId> {
        self.names.find(name.as_bytes()).map(TopicId)
    }

    /// The name of a topic; empty if no topic has the number.
    pub fn name(&self, topic: TopicId) -> &str {
        self.names.name(topic.0)
    }

    /// Forgets a topic. Its number goes to another one.
    pub fn remove(&mut self, topic: TopicId) {
        self.names.remove(topic.0);
    }

    /// How many topics are known.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no topic is known.
    pub fn is_empty(&self) -> bool {
        self.names.len() == 0
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
