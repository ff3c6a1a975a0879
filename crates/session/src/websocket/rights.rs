//! What a page may do with the topics that it names.

use std::collections::HashMap;

use crate::router::{ClientContext, HeldTopic, Rejected, Rights};

/// Topics that are remembered; with more, all are forgotten.
const REMEMBERED: usize = 1_024;

/// Rights by the names of topics: pages hold no topics, and name one with each message.
#[derive(Debug, Default)]
pub(super) struct RememberedRights {
    of: HashMap<Box<str>, Rights>,
}

impl RememberedRights {
    /// Acts on a topic by its name, with the rights that are remembered.
    pub(super) fn with_topic<C: ClientContext, E: From<Rejected>>(
        &mut self,
        context: &mut C,
        name: &str,
        act: impl FnOnce(&mut C, &mut HeldTopic) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut topic = context.intern(name)?;
        self.recall(name, &mut topic);
        let done = act(context, &mut topic);
        self.remember(name, &topic);
        context.release(topic.id);
        done
    }

    /// Gives a topic the rights that it had when it was named last; they may be out of date.
    fn recall(&self, name: &str, topic: &mut HeldTopic) {
        if let Some(rights) = self.of.get(name) {
            topic.set_rights(*rights);
        }
    }

    /// Remembers the rights of a topic.
    fn remember(&mut self, name: &str, topic: &HeldTopic) {
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
