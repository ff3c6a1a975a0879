//! Sizes and times of messages of customer and product records: a column a message.

use super::sheet::{Cell, LEAD, Line, Sheet, words};
use super::{Rows, Section, each_once};
use trunkline_bench::row::Row;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::names::SIZE;
use trunkline_experiment::subjects::{TRUNKLINE, is_build};

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let codec = ["encode", "decode"].into_iter().filter_map(|case| times(rows, case));
    sizes(rows).into_iter().chain(codec).collect()
}

/// Table 2 with today's lines.
fn sizes(rows: Rows<'_>) -> Option<Section> {
    let source = rows.source_of(SIZE, SIZE);
    let notes = ["the envelope alone, without the head of HTTP"];
    table(
        rows,
        SIZE,
        SIZE,
        format!("Bytes of a message{source}"),
        &[("", Cell::Of(SIZE, 1.0))],
        notes,
    )
}

/// CPU time of one operation, and how many times ours it is.
fn times(rows: Rows<'_>, case: &'static str) -> Option<Section> {
    let verb = if case == "encode" { "Encoding" } else { "Decoding" };
    let figures = [("", Cell::Of("cpu-time", 1.0)), ("times", LEAD)];
    let notes = ["times: how many times as long as trunkline it takes"];
    table(rows, case, "cpu-time", format!("{verb}: ns a message"), &figures, notes)
}

/// A line for each subject of each style; these figures for each message, whose name stands over the first.
fn table(
    rows: Rows<'_>,
    kind: &'static str,
    metric: &str,
    title: String,
    figures: &[(&str, Cell<'_>)],
    notes: [&str; 1],
) -> Option<Section> {
    let messages = messages(rows, kind);
    let cases: Vec<String> = messages.iter().map(|message| format!("{kind}-{message}")).collect();
    let columns = messages.iter().zip(&cases).flat_map(|(message, case)| {
        figures.iter().map(move |(title, figure)| {
            (if title.is_empty() { *message } else { *title }, Cell::In(case, figure))
        })
    });
    let names = [words("style"), words("subject")];
    let mut sheet = Sheet::new(kind, title, names, columns);
    for (format, subject) in lines(rows, kind, metric) {
        sheet.line(rows, [format.title(), subject], &Line::new(kind, subject).in_format(format));
    }
    sheet.noted(notes)
}

/// Whether a row is about customer and product records.
fn is_service(row: &Row) -> bool {
    Format::of_family(Family::CustomerServices).any(|format| format.profile() == row.profile)
}

/// The names of the messages in the cases that begin with `kind`, in the order of the rows.
fn messages<'a>(rows: Rows<'a>, kind: &str) -> Vec<&'a str> {
    let of_services = rows.all.iter().filter(|row| is_service(row));
    let name = |row: &'a Row| row.case.strip_prefix(kind)?.strip_prefix('-');
    each_once(of_services.filter_map(name), usize::MAX)
}

/// Every subject of every style, ours first, the others in the order of the rows.
fn lines<'a>(rows: Rows<'a>, kind: &str, metric: &str) -> Vec<(Format, &'a str)> {
    let mut lines: Vec<(Format, &str)> = Vec::new();
    for format in Format::of_family(Family::CustomerServices) {
        let profile = format.profile();
        let is_its = |row: &&Row| {
            row.profile == profile && row.metric == metric && {
                let rest = row.case.strip_prefix(kind);
                rest.is_some_and(|rest| rest.starts_with('-'))
            }
        };
        let of_format = rows.all.iter().filter(is_its).map(|row| &*row.subject);
        let mut subjects = each_once(of_format.filter(|it| !is_build(it)), usize::MAX);
        subjects.sort_by_key(|subject| *subject != TRUNKLINE);
        lines.extend(subjects.into_iter().map(|subject| (format, subject)));
    }
    lines
}
