//! The numbers that a client gave to topics.

use std::collections::{HashMap, HashSet};

use trunkline_native::code;
use trunkline_router::TopicId;

use crate::router::{HeldTopic, Rejected};

/// How far beyond those in use a number may be to have a place in the table.
const SPARSE: usize = 4096;

/// The maximum number of aliases without a topic that are reported to a client.
const REPORTED: usize = 1024;

/// A table for numbers as counting gives them, and a map for those far beyond.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    table: Vec<Option<HeldTopic>>,
    far: HashMap<u32, HeldTopic>,
    count: usize,
    /// Without a topic, which was reported to the client.
    reported: HashSet<u32>,
}

impl Aliases {
    /// Whether to report that `alias` has no topic. A program that goes on publishing gets one
    /// report, because it does not read and more would flood it.
    #[cold]
    pub(super) fn should_report(&mut self, alias: u32) -> bool {
        self.reported.len() < REPORTED && self.reported.insert(alias)
    }

    #[inline]
    pub(super) fn get(&mut self, alias: u32) -> Option<&mut HeldTopic> {
        match self.table.get_mut(alias as usize) {
            Some(topic) => topic.as_mut(),
            None if self.far.is_empty() => None,
            None => self.far.get_mut(&alias),
        }
    }

    /// Whether `alias` may be set, with `limit` aliases at most, all below that number.
    pub(super) fn place(&mut self, alias: u32, limit: u32) -> Result<(), Rejected> {
        if alias >= limit {
            let text = format!("aliases are below {limit} (limits.topics_per_client)");
            return Err(Rejected::new(code::LIMIT, text));
        }
        if self.get(alias).is_some() {
            let text = format!("{alias} stands for a topic already");
            return Err(Rejected::new(code::IN_USE, text));
        }
        Ok(())
    }

    pub(super) fn set(&mut self, alias: u32, topic: HeldTopic) {
        self.reported.remove(&alias);
        let at = alias as usize;
        if at >= self.table.len() {
            if at >= 2 * self.count + SPARSE {
                self.far.insert(alias, topic);
                self.count += 1;
                return;
            }
            // Numbers that come into the table's reach are looked for there.
            self.table.resize(at + 1, None);
            self.gather();
        }
        self.table[at] = Some(topic);
        self.count += 1;
    }

    /// Bytes of memory, about.
    pub(super) fn memory(&self) -> usize {
        let far = self.far.capacity() * (size_of::<(u32, HeldTopic)>() + 1);
        let reported = self.reported.capacity() * (size_of::<u32>() + 1);
        self.table.capacity() * size_of::<Option<HeldTopic>>() + far + reported
    }

    fn gather(&mut self) {
        let table = &mut self.table;
        if !self.far.is_empty() {
            self.far.retain(|alias, topic| match table.get_mut(*alias as usize) {
                Some(place) => {
                    *place = Some(*topic);
                    false
                }
                None => true,
            });
        }
    }

    pub(super) fn remove(&mut self, alias: u32) -> Option<TopicId> {
        let topic = match self.table.get_mut(alias as usize) {
            Some(place) => place.take(),
            None => self.far.remove(&alias),
        };
        self.count -= usize::from(topic.is_some());
        topic.map(|topic| topic.id)
    }

    pub(super) fn take_all(&mut self, release: &mut dyn FnMut(TopicId)) {
        std::mem::take(&mut self.table).into_iter().flatten().for_each(|topic| release(topic.id));
        let mut far: Vec<_> = self.far.drain().collect();
        // A map has no order.
        far.sort_unstable_by_key(|(alias, _)| *alias);
        far.into_iter().for_each(|(_, topic)| release(topic.id));
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(topic: u32) -> HeldTopic {
        HeldTopic::new(TopicId(topic))
    }

    #[test]
    fn far_numbers_take_no_table() {
        let mut aliases = Aliases::default();
        for alias in [0, 1, 900_000, 5_000, 2] {
            assert!(aliases.place(alias, 1_000_000).is_ok());
            aliases.set(alias, held(alias));
        }
        assert!(aliases.table.len() < 10);
        for alias in [0, 1, 2, 5_000, 900_000] {
            assert_eq!(aliases.get(alias), Some(&mut held(alias)));
            assert_eq!(aliases.place(alias, 1_000_000).unwrap_err().code, code::IN_USE);
        }
        assert_eq!(aliases.get(3), None);
        assert_eq!(aliases.place(1_000_000, 1_000_000).unwrap_err().code, code::LIMIT);
        assert_eq!(aliases.remove(900_000), Some(TopicId(900_000)));
        assert_eq!(aliases.remove(900_000), None);
    }

    #[test]
    fn a_number_without_a_topic_is_reported_once() {
        let mut aliases = Aliases::default();
        assert!(aliases.should_report(3) && !aliases.should_report(3));
        aliases.set(3, held(0));
        aliases.remove(3);
        assert!(aliases.should_report(3));
    }

    #[test]
    fn a_table_that_grows_takes_far_numbers_in() {
        let mut aliases = Aliases::default();
        aliases.set(9_000, held(9_000));
        for alias in 0..9_000 {
            aliases.set(alias, held(alias));
        }
        for alias in 9_001..10_000 {
            aliases.set(alias, held(alias));
        }
        assert!((0..10_000).all(|alias| aliases.get(alias) == Some(&mut held(alias))));
        let mut released = Vec::new();
        aliases.take_all(&mut |topic| released.push(topic.0));
        released.sort_unstable();
        assert_eq!(released, (0..10_000).collect::<Vec<_>>());
    }
}
