//! Filters held against a description: every field must be one of some message, and hold what it is compared with.

use std::collections::BTreeSet;

use trunkline_import::nearest;
use trunkline_message::Layout;

use super::bound::BoundTest;
use super::{Filter, FilterError, Test, shown_path};

/// Fields of messages that are looked at: descriptions may have thousands of messages, and each thousands of fields.
const MOST_FIELDS: usize = 1 << 18;

/// Names that are kept for who has mistaken one.
const MOST_NAMES: usize = 1 << 14;

/// The tests of a filter, and what came of them in the messages so far.
pub(crate) struct Scan<'a> {
    open: Vec<(&'a Test, Option<String>)>,
    names: BTreeSet<String>,
    fields: usize,
    messages: usize,
}

/// Whether more messages are to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    GoOn,
    Done,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(filter: &'a Filter) -> Self {
        let mut open = Vec::new();
        filter.root().tests(&mut |it| open.push((it, None)));
        Self { open, names: BTreeSet::new(), fields: 0, messages: 0 }
    }

    /// Looks at a message.
    pub(crate) fn message(&mut self, layout: &Layout) -> Checked {
        self.open.retain_mut(|(test, why)| match BoundTest::new(test, layout) {
            None => true,
            Some(Ok(_)) => false,
            Some(Err(problem)) => {
                why.get_or_insert(problem);
                true
            }
        });
        if self.open.is_empty() {
            return Checked::Done;
        }
        self.messages += 1;
        for scope in layout.scopes() {
            self.fields += scope.fields.len();
            for (index, field) in scope.fields.iter().enumerate() {
                if self.names.len() < MOST_NAMES && !self.names.contains(&*field.name) {
                    self.names.insert(field.name.to_string());
                }
                if self.names.len() < MOST_NAMES && field.component.is_some() {
                    self.names.insert(scope.path(index).replace('/', "."));
                }
            }
        }
        if self.fields < MOST_FIELDS { Checked::GoOn } else { Checked::Done }
    }

    /// What came of it, if there is nothing more to look at.
    ///
    /// # Errors
    /// The first test that is none of any message.
    pub(crate) fn end(self, is_whole: bool) -> Result<(), FilterError> {
        let Some((test, why)) = self.open.first() else { return Ok(()) };
        if let Some(why) = why {
            return Err(FilterError::new(test.offset, why.clone()));
        }
        let path = shown_path(&test.path);
        let near = |wrong: &str| nearest(wrong, self.names.iter().map(|it| &**it));
        let meant = near(&path).or_else(|| near(test.path.last()?));
        let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
        let among = match is_whole {
            true => "the messages of the topic's schema".to_owned(),
            false => format!(
                "the first {} messages of the topic's schema (type in [[topic]] names the one that is published)",
                self.messages
            ),
        };
        Err(FilterError::new(test.offset, format!("{path} is no field of {among}{meant}")))
    }
}
