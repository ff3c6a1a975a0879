//! This build of `trunkline` beside another: each works in processes of its own, which answer the questions of
//! peers (`trunkline lab end`), so that both are timed alike.

use std::path::Path;

use crate::format::Format;
use crate::peer::{ANSWER_TIMEOUT, Peer};
use crate::subjects::{Contestant, RECORD_FORMATS, State, TRUNKLINE, admit, is_reused};
use trunkline_bench::row::Row;
use trunkline_bench::statistics::{Bounds, ComparisonRule, Finding};

/// The metric of a time of this build over that of the other.
pub(crate) const OVER_OTHER: &str = "over-other-build";

/// What rows call this build and the other, by what they decode into: new structs, one that is used again, new
/// records.
const NAMES: [[&str; 2]; 3] = [
    ["this-build", "other-build"],
    ["this-build-reused", "other-build-reused"],
    [THIS_ON_RECORDS, "other-build-record"],
];
const THIS_ON_RECORDS: &str = "this-build-record";

/// What differs by less is not worth a word, as a share: where a linker puts a loop moves it as far.
pub(crate) const MARGIN: f64 = 0.03;

/// Whether the program is a build of `trunkline` that can take part.
///
/// # Errors
/// Says what is wrong with it, in one line.
pub fn try_build(program: &Path) -> Result<(), String> {
    let is_not = |why: String| format!("{}: is no build of trunkline: {why}", program.display());
    let peer = Peer::start_with(NAMES[0][1], program, &END, ANSWER_TIMEOUT)
        .map_err(|error| is_not(error.to_string()))?;
    match &*peer.greeting().name {
        TRUNKLINE => Ok(()),
        name => Err(is_not(format!("it says that it is {name}"))),
    }
}

/// The arguments that let a build answer questions.
const END: [&str; 2] = ["lab", "end"];
const RECORD_END: [&str; 3] = ["lab", "end", "--record"];

/// Starts both builds, once for each of the formats and for what they decode into.
pub(crate) fn contestants(builds: [&Path; 2], formats: &[Format]) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for names in NAMES {
        let is_on_records = names[0] == THIS_ON_RECORDS;
        let arguments: &[&str] = if is_on_records { &RECORD_END } else { &END };
        let can = |format: &Format| !is_on_records || RECORD_FORMATS.contains(format);
        for &format in formats.iter().filter(|format| can(format)) {
            for (name, program) in names.into_iter().zip(builds) {
                let state = match Peer::start_with(name, program, arguments, ANSWER_TIMEOUT) {
                    Err(error) => State::Broken(error.to_string()),
                    Ok(peer) => admit(peer, format, name),
                };
                contestants.push(Contestant { name, format, state });
            }
        }
    }
    contestants
}

/// What rows call the other build, where they call this one so.
pub(crate) fn other_of(subject: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|[this, _]| *this == subject).map(|[_, other]| other)
}

/// Whether the subject is one of the builds.
pub(crate) fn is_build(subject: &str) -> bool {
    NAMES.iter().flatten().any(|name| *name == subject)
}

/// What the subject decodes into, in a word or none.
pub(crate) fn way(subject: &str) -> &'static str {
    match subject {
        THIS_ON_RECORDS => "records",
        _ if is_reused(subject) => "reused",
        _ => "",
    }
}

/// How this build did, beside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is not 3 % faster or slower.
    Alike,
    Faster,
    Slower,
    /// Repetitions are too few or too far apart.
    Unclear,
}

impl Change {
    /// Of a row of [`OVER_OTHER`].
    pub(crate) fn of(row: &Row) -> Self {
        let (Some(median), Some(low), Some(high)) = (row.value, row.low, row.high) else {
            return Self::Unclear;
        };
        let rule = ComparisonRule::default();
        let is_confident = rule.is_enough(row.runs);
        match rule.finding(&Bounds { median, low, high, runs: row.runs, is_confident }) {
            Finding::TooFewPairs | Finding::TooWide => Self::Unclear,
            Finding::Lower if median < 1.0 - MARGIN => Self::Faster,
            Finding::Higher if median > 1.0 + MARGIN => Self::Slower,
            _ => Self::Alike,
        }
    }

    /// The word in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Alike => "alike",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Unclear => "unclear",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_slower_if_it_is_so_beyond_doubt_and_by_more_than_the_margin() {
        let change = |value: f64, spread: f64, runs| {
            let (low, high) = (Some(value - spread), Some(value + spread));
            let blank = Row::new("ng-2004", "encode-simple", "this-build", "", OVER_OTHER, "x");
            Change::of(&Row { value: Some(value), low, high, runs, ..blank })
        };
        assert_eq!(change(1.05, 0.01, 15), Change::Slower);
        assert_eq!(change(0.95, 0.01, 15), Change::Faster);
        assert_eq!(change(1.02, 0.01, 15), Change::Alike);
        assert_eq!(change(0.98, 0.01, 15), Change::Alike);
        assert_eq!(change(1.05, 0.06, 15), Change::Alike);
        assert_eq!(change(1.05, 0.01, 3), Change::Unclear);
        assert_eq!(change(1.5, 0.4, 15), Change::Unclear);
    }

    #[test]
    fn each_way_of_this_build_stands_beside_the_same_of_the_other() {
        for [this, other] in NAMES {
            assert_eq!(other_of(this), Some(other));
            assert_eq!((other_of(other), is_build(other)), (None, true));
            assert_eq!(is_reused(this), is_reused(other));
        }
        assert_eq!(other_of(TRUNKLINE), None);
    }
}
