//! Figures of services that are called: what a call takes, callers, and where the time goes.

use std::collections::BTreeSet;

use super::axis::{Axis, Quantity};
use super::figures::Figure;
use super::palette::{Colour, GREY, INDIGO, SAND, SILVER, TEAL, WINE, look};
use super::select::{Cases, value};
use trunkline_bench::row::Row;

/// Subjects in the order of legends, with their colours.
const SUBJECTS: [(&str, Colour); 5] = [
    ("trunkline", TEAL),
    ("bare", SILVER),
    ("gsoap-best", WINE),
    ("gsoap-debian", SAND),
    ("metro", INDIGO),
];

/// Panels of one figure, and groups of one panel.
const PANELS: usize = 12;
const GROUPS: usize = 12;

/// Parts of a call, with their colours.
const PARTS: [(&str, &str, Colour); 4] = [
    ("deserialise", "server decodes", WINE),
    ("application", "function", GREY),
    ("serialise", "server encodes", SAND),
    ("network", "network", SILVER),
];

pub(super) fn figures(cases: &Cases<'_>) -> Vec<Figure> {
    let latency = bars(
        cases,
        ("latency", "latency-"),
        ("What one call takes", "The middle call; the paper's figure 5."),
        ("latency", Quantity::Time),
    );
    vec![latency, saturation(cases), stages(cases)]
}

/// A panel for each case: the styles side by side, a bar for each subject.
fn bars(
    cases: &Cases<'_>,
    (topic, beginning): (&'static str, &str),
    (title, caption): (&'static str, &str),
    (metric, quantity): (&str, Quantity),
) -> Figure {
    let mut figure = Figure::new(topic, title, caption);
    let names = cases.beginning(beginning).filter(|case| case.ends_with("@direct"));
    for case in names.take(PANELS) {
        let rows: Vec<&Row> = cases.rows(case).filter(|row| row.metric == metric).collect();
        let styles: BTreeSet<(usize, String)> =
            rows.iter().map(|row| (look(&row.profile).order, look(&row.profile).name)).collect();
        let styles: Vec<(usize, String)> = styles.into_iter().take(GROUPS).collect();
        let names: Vec<String> = styles.iter().map(|(_, name)| short(name)).collect();
        let title = case.trim_start_matches(beginning).trim_end_matches("@direct").to_owned();
        let y = |values: &[f64]| Axis::over(metric, quantity, "", values);
        figure.by_name((title, "style", &names), y, &SUBJECTS, |subject, style| {
            let order = styles[style].0;
            let is_of = |row: &&&Row| row.subject == subject && look(&row.profile).order == order;
            rows.iter().find(is_of).and_then(|row| value(row))
        });
    }
    figure
}

/// A style as a label below bars has room for it: `doc/lit`.
fn short(style: &str) -> String {
    let short = [("document", "doc"), ("literal", "lit"), ("encoded", "enc"), ("binary ", "")];
    short.iter().fold(style.to_owned(), |style, (word, short)| style.replace(word, short))
}

/// Figures 6 to 8: a panel for each message and style.
fn saturation(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "saturation",
        "More and more callers",
        "Calls a second by the number of threads that call; the paper's figures 6 to 8.",
    );
    let mut panels: Vec<(&str, usize, String)> = Vec::new();
    let mut rows: Vec<(&str, u32, &Row)> = Vec::new();
    for case in cases.beginning("saturation-") {
        let Some((count, message)) =
            case.strip_prefix("saturation-").and_then(|rest| rest.split_once('-'))
        else {
            continue;
        };
        let Ok(count) = count.parse() else { continue };
        for row in cases.rows(case).filter(|row| row.metric == "calls-per-second") {
            let look = look(&row.profile);
            if !panels.iter().any(|(known, order, _)| (*known, *order) == (message, look.order)) {
                panels.push((message, look.order, look.name));
            }
            rows.push((message, count, row));
        }
    }
    panels.sort_by_key(|(message, order, _)| (*message == "complex@direct", *message, *order));
    for (message, order, style) in panels.into_iter().take(PANELS) {
        let is_in =
            |(it, _, row): &&(&str, u32, &Row)| *it == message && look(&row.profile).order == order;
        let inside = rows.iter().filter(is_in);
        let inside: Vec<(f64, &Row)> =
            inside.map(|(_, count, row)| (f64::from(*count), *row)).collect();
        let most = inside.iter().map(|(count, _)| *count).fold(1.0, f64::max);
        let title = format!("{}, {style}", message.trim_end_matches("@direct"));
        let x = Axis::from_zero("threads", Quantity::Plain, "", most);
        let y = ("calls a second", Quantity::Plain, "");
        figure.by_number((title, x), y, &SUBJECTS, &inside);
    }
    figure
}

/// Figure 9.
fn stages(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "stages",
        "Where the time of a call goes",
        "The paper's figure 9. Network is all that is not in the server's program.",
    );
    for case in cases.beginning("stages-").take(PANELS) {
        let parts = cases.parts(case, PARTS.map(|part| part.0));
        let title = case.trim_start_matches("stages-").to_owned();
        figure.stacks((title, "call"), &PARTS, parts.iter().take(GROUPS));
    }
    figure.colours(PARTS.iter().map(|part| (part.1, part.2)));
    figure
}
