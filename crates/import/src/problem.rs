//! What is wrong with a description, where, and what to do.

use std::fmt;
use std::sync::Arc;

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The document, as whoever asked for it called it.
    pub file: Arc<str>,
    /// Its line, from 1.
    pub line: u32,
    /// The character of the line, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why a description, or a part of it, is not read, or what its author may not have meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub what: String,
    /// What to do, or what was done in its place.
    pub remedy: String,
    /// What it is to messages.
    pub kind: ProblemKind,
}

/// What a problem of a description is to its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProblemKind {
    /// Something is wrong or missing.
    #[default]
    Flaw,
    /// All is right, and layouts do not hold it: messages are held against it by
    /// [`Schemas::validate`](crate::xsd::Schemas::validate) alone.
    BeyondLayouts,
}

impl Problem {
    pub(crate) fn new(place: &Place, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        let kind = ProblemKind::default();
        Self { place: place.clone(), what: what.into(), remedy: remedy.into(), kind }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}; {}", self.place, self.what, self.remedy)
    }
}

impl std::error::Error for Problem {}

/// Warnings, as many as may be kept.
#[derive(Debug)]
pub(crate) struct Warnings {
    kept: Vec<Problem>,
    most: usize,
    more: usize,
    last: Option<Place>,
}

impl Warnings {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most, more: 0, last: None }
    }

    pub(crate) fn add(
        &mut self,
        place: &Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.push(Problem::new(place, what, remedy));
    }

    /// Adds what layouts do not hold.
    pub(crate) fn add_beyond_layouts(&mut self, place: &Place, what: String, remedy: &str) {
        let kind = ProblemKind::BeyondLayouts;
        self.push(Problem { kind, ..Problem::new(place, what, remedy) });
    }

    fn push(&mut self, problem: Problem) {
        if self.kept.len() < self.most {
            self.kept.push(problem);
        } else {
            self.more += 1;
            self.last = Some(problem.place);
        }
    }

    pub(crate) fn all(mut self) -> Vec<Problem> {
        if let Some(last) = &self.last {
            let what = format!("{} more warnings, of which this is the last", self.more);
            self.kept.push(Problem::new(last, what, "raise the limit `warnings` to see all"));
        }
        self.kept
    }
}
