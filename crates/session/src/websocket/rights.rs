//! What a page may do with the topics that it names.

use std::collections::HashMap;

use crate::router::{HeldTopic, Rights};

/// Topics that are remembered; with more, all are forgotten.
const REMEMBERED: usize = 1_024;

/// Rights by the names of topics: pages hold no topics, and name one with each message.
#[derive(Debug, Default)]
pub(super) struct RememberedRights {
    of: HashMap<Box<str>, Rights>,
}

impl RememberedRights {
    /// Gives a topic the rights that it had when it was named last; they may be out of date.
    pub(super) fn recall(&self, name: &str, topic: &mut HeldTopic) {
        if let Some(rights) = self.of.get(name) {
            topic.set_rights(*rights);
        }
    }

    /// Remembers the rights of a topic.
    pub(super) fn remember(&mut self, name: &str, topic: &HeldTopic) {
        match self.of.get_mut(name) {
            Some(rights) => *rights = topic.rights(),
            None => {
                if self.of.len() == REMEMBERED {
                    self.of.clear();
                }
                self.of.insert(name.into(), topic.rights());
            }
        }
    }
}
