//! What was published, as the bytes of the publishers say it, and which patterns it matches.

use std::collections::BTreeMap;

use trunkline_server::Config;

/// A message that the router took.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) time: u64,
    pub(crate) format: u16,
    pub(crate) payload: Vec<u8>,
    /// It is not the last value of its topic: it is a request, or it clears the value.
    pub(crate) is_no_value: bool,
}

/// All messages of all topics.
#[derive(Debug, Default)]
pub(crate) struct History {
    topics: BTreeMap<String, Vec<Published>>,
    /// Patterns of topics that keep their last value.
    kept: Vec<String>,
    /// There may be more values than are kept.
    pub(crate) drops_values: bool,
}

/// How many messages each topic has had.
pub(crate) type Lengths = BTreeMap<String, u64>;

impl History {
    /// Nothing was published yet.
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            kept: config.last_values.iter().map(|rule| rule.topics.clone()).collect(),
            drops_values: config.limits.last_values < 100 || config.limits.memory_bytes > 0,
            ..Self::default()
        }
    }

    pub(crate) fn add(&mut self, topic: &str, message: Published) {
        match self.topics.get_mut(topic) {
            Some(messages) => messages.push(message),
            None => _ = self.topics.insert(topic.to_owned(), vec![message]),
        }
    }

    /// The message of a topic that has a sequence, if it was published.
    pub(crate) fn message(&self, topic: &str, sequence: u64) -> Option<&Published> {
        let index = usize::try_from(sequence.checked_sub(1)?).ok()?;
        self.topics.get(topic)?.get(index)
    }

    pub(crate) fn length(&self, topic: &str) -> u64 {
        self.topics.get(topic).map_or(0, |messages| messages.len() as u64)
    }

    pub(crate) fn lengths(&self) -> Lengths {
        self.topics.iter().map(|(name, it)| (name.clone(), it.len() as u64)).collect()
    }

    /// The sequences of the last values that match a pattern. A request is never the last message of a topic
    /// that has others.
    pub(crate) fn last_values(&self, pattern: &str) -> Lengths {
        let is_kept = |name: &str| self.kept.iter().any(|kept| is_match(kept, name));
        let topics =
            self.topics.iter().filter(|(name, _)| is_match(pattern, name) && is_kept(name));
        let values =
            topics.filter(|(_, messages)| messages.last().is_some_and(|it| !it.is_no_value));
        values.map(|(name, messages)| (name.clone(), messages.len() as u64)).collect()
    }

    /// All messages of all topics.
    pub(crate) fn messages(&self) -> u64 {
        self.topics.values().map(|it| it.len() as u64).sum()
    }

    pub(crate) fn topics(&self) -> impl Iterator<Item = (&str, u64)> {
        self.topics.iter().map(|(name, it)| (&**name, it.len() as u64))
    }
}

/// Whether a pattern matches a topic, by the words of the grammar and level by level: it owes nothing
/// to the router's way to find out.
pub(crate) fn is_match(pattern: &str, topic: &str) -> bool {
    if topic.starts_with('$') && (pattern.starts_with('*') || pattern.starts_with('>')) {
        return false;
    }
    let mut levels = topic.split('/');
    for wanted in pattern.split('/') {
        let Some(level) = levels.next() else { return false };
        let fits = match (wanted, wanted.strip_suffix('*')) {
            (">", _) => return true,
            (_, Some(prefix)) => level.starts_with(prefix),
            (_, None) => level == wanted,
        };
        if !fits {
            return false;
        }
    }
    levels.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, topic) in [("a/>", "a/b/c"), ("*/b", "a/b"), ("a*/b", "a/b"), (">", "a")] {
            assert!(is_match(pattern, topic), "{pattern} {topic}");
        }
        for (pattern, topic) in [("a/>", "a"), ("*", "a/b"), ("a*/b", "a/x/b"), (">", "$a")] {
            assert!(!is_match(pattern, topic), "{pattern} {topic}");
        }
    }

    #[test]
    fn messages_count_from_1() {
        let mut history = History::default();
        history.add("a", Published { time: 7, format: 1, payload: vec![2], is_no_value: false });
        assert!(history.message("a", 0).is_none() && history.message("a", 2).is_none());
        assert_eq!(history.message("a", 1).map(|it| it.time), Some(7));
        assert_eq!((history.length("a"), history.length("b")), (1, 0));
    }
}
