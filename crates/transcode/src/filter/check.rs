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

/// The names of the fields of messages that were looked at, for who has mistaken one.
#[derive(Default)]
pub(crate) struct Names {
    all: BTreeSet<String>,
    fields: usize,
    messages: usize,
}

/// Whether more messages are to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    GoOn,
    Done,
}

impl Names {
    /// Looks at a message.
    pub(crate) fn message(&mut self, layout: &Layout) -> Checked {
        self.messages += 1;
        for scope in layout.scopes() {
            self.fields += scope.fields.len();
            for (index, field) in scope.fields.iter().enumerate() {
                if self.all.len() < MOST_NAMES && !self.all.contains(&*field.name) {
                    self.all.insert(field.name.to_string());
                }
                if self.all.len() < MOST_NAMES && field.component.is_some() {
                    self.all.insert(scope.path(index).replace('/', "."));
                }
            }
        }
        if self.fields < MOST_FIELDS { Checked::GoOn } else { Checked::Done }
    }

    /// That there is no such field in these messages, which are all if nothing is left to look at; and which one was
    /// meant, if one is near.
    pub(crate) fn unknown(&self, path: &[Box<str>], is_whole: bool) -> String {
        let near = |wrong: &str| nearest(wrong, self.all.iter().map(|it| &**it));
        let shown = shown_path(path);
        let meant = near(&shown).or_else(|| near(path.last()?));
        let meant = meant.filter(|it| *it != shown);
        let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
        let among = match is_whole {
            true => "the messages of the topic's schema".to_owned(),
            false => format!(
                "the first {} messages of the topic's schema (type in [[topic]] names the one that is published)",
                self.messages
            ),
        };
        format!("{shown} is no field of {among}{meant}")
    }
}

/// The tests of a filter, and what came of them in the messages so far.
pub(crate) struct Scan<'a> {
    open: Vec<(&'a Test, Option<String>)>,
    names: Names,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(filter: &'a Filter) -> Self {
        let mut open = Vec::new();
        filter.root().tests(&mut |it| open.push((it, None)));
        Self { open, names: Names::default() }
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
        if self.open.is_empty() { Checked::Done } else { self.names.message(layout) }
    }

    /// What came of it, if there is nothing more to look at.
    ///
    /// # Errors
    /// The first test that is none of any message.
    pub(crate) fn end(self, is_whole: bool) -> Result<(), FilterError> {
        let Some((test, why)) = self.open.first() else { return Ok(()) };
        let why = why.clone().unwrap_or_else(|| self.names.unknown(&test.path, is_whole));
        Err(FilterError::new(test.offset, why))
    }
}
