//! Documents that others name and that are not read: what needs them says so.

use std::collections::BTreeSet;

use crate::Problem;

/// As many are named in one problem.
const SHOWN: usize = 8;

/// Which documents are not read, and why.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// The namespace that was expected in each; none of one that may have any.
    known: Vec<(Option<String>, String)>,
    /// As many are kept.
    most: usize,
    more: usize,
}

impl Missing {
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(super) fn add(&mut self, path: &str, namespace: Option<&str>, why: &Problem) {
        let Problem { place, what, .. } = why;
        let why = match what.contains(path) {
            true => what.clone(),
            false if *place.file == *path => {
                format!("{path} is not read: at {}:{}: {what}", place.line, place.column)
            }
            false => format!("{path} is not read: {what}"),
        };
        let missing = (namespace.map(str::to_owned), why);
        // Schemas name the same one again and again.
        match self.known.contains(&missing) {
            true => {}
            false if self.known.len() < self.most => self.known.push(missing),
            false => self.more += 1,
        }
    }

    /// Those that may have something of a namespace, as a text; empty if all was read.
    pub(crate) fn of(&self, namespace: &str) -> String {
        let own = self.text(|it| it == Some(namespace));
        let of_any = || self.text(|it| it.is_none());
        // One that is not there may have imported the one with the name.
        [own]
            .into_iter()
            .chain([of_any(), self.all()])
            .find(|it| !it.is_empty())
            .unwrap_or_default()
    }

    /// All of them.
    pub(crate) fn all(&self) -> String {
        self.text(|_| true)
    }

    fn text(&self, is_it: impl Fn(Option<&str>) -> bool) -> String {
        let of_it = self.known.iter().filter(|it| is_it(it.0.as_deref()));
        let why: BTreeSet<&str> = of_it.map(|it| &*it.1).collect();
        let shown: Vec<&str> = why.iter().take(SHOWN).copied().collect();
        match why.len() - shown.len() + self.more {
            _ if shown.is_empty() => String::new(),
            0 => shown.join("; "),
            more => format!("{}; and {more} more are not read", shown.join("; ")),
        }
    }
}
