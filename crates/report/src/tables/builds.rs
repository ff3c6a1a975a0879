//! This build beside another: a line for each thing that both did.

use super::sheet::{count, words};
use super::{Rows, Section, value};
use trunkline_bench::row::Row;
use trunkline_bench::statistics::{Bounds, ComparisonRule, Finding};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::OVER_OTHER;
use trunkline_experiment::subjects::{other_of, way};

/// The table, if another build took part.
pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    let all: Vec<(&Row, Change)> = rows
        .all
        .iter()
        .filter(|row| row.metric == OVER_OTHER)
        .map(|row| (row, Change::of(row)))
        .collect();
    let has_entries = all.iter().any(|(row, _)| row.entries.is_some());
    let mut columns = vec![words(""), words("format")];
    columns.extend(has_entries.then_some(count("entries")));
    columns.extend(["other", "this", "ratio", "bounds"].map(count));
    columns.push(words(""));
    let mut section = Section::new("builds", "This build beside the other", columns);
    for (row, change) in all.iter().filter(|(row, change)| is_shown(&all, row, *change)) {
        let time = |subject| rows.all.iter().find(|time| is_time_of(time, row, subject));
        let format = Format::of_profile(&row.profile);
        let what = [&*row.case, way(&row.subject)].join(" ");
        let mut cells = vec![
            what.trim_end().to_owned(),
            format.map_or(&*row.profile, |format| format.title()).to_owned(),
        ];
        let entries = row.entries.map_or(String::new(), |entries| entries.to_string());
        cells.extend(has_entries.then_some(entries));
        cells.extend([
            value(other_of(&row.subject).and_then(time)),
            value(time(&row.subject)),
            row.value.map_or(String::new(), |ratio| format!("{ratio:.3}")),
            bounds(row),
            change.name().to_owned(),
        ]);
        section.table.row(cells);
    }
    let count = |wanted| all.iter().filter(|(_, change)| *change == wanted).count();
    let notes = vec![
        format!(
            "of {} times: {} faster, {} slower, {} alike, {} unclear; alike: within {} %, or the bounds \
             hold 1",
            all.len(),
            count(Change::Faster),
            count(Change::Slower),
            count(Change::Alike),
            count(Change::Unclear),
            MARGIN * 100.0
        ),
        "times in ns, ratio: this build's over the other's; of all lengths of messages the longest \
         is shown, and which differ"
            .to_owned(),
        "where a linker puts a loop moves it by some percent: see how far a build differs from itself"
            .to_owned(),
    ];
    section.noted(notes)
}

fn bounds(row: &Row) -> String {
    let bounds = row.low.zip(row.high);
    bounds.map_or(String::new(), |(low, high)| format!("{low:.2} - {high:.2}"))
}

/// Whether a row is of the longest messages, or tells of a difference.
fn is_shown(all: &[(&Row, Change)], row: &Row, change: Change) -> bool {
    let alike = all.iter().filter(|(other, _)| other.case == row.case);
    let longest = alike.filter_map(|(other, _)| other.entries).max();
    row.entries == longest || matches!(change, Change::Faster | Change::Slower)
}

/// Whether `time` is what the subject took for what `row` compares.
fn is_time_of(time: &Row, row: &Row, subject: &str) -> bool {
    time.metric == "cpu-time"
        && time.subject == subject
        && (&time.case, &time.profile, time.entries) == (&row.case, &row.profile, row.entries)
}

/// What differs by less is not worth a word, as a share: where a linker puts a loop moves it as far.
const MARGIN: f64 = 0.03;

/// How this build did, beside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// It is not 3 % faster or slower.
    Alike,
    Faster,
    Slower,
    /// Repetitions are too few or too far apart.
    Unclear,
}

impl Change {
    /// Of a row of [`OVER_OTHER`].
    fn of(row: &Row) -> Self {
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
    fn name(self) -> &'static str {
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
}
