//! Figures of services that are called: what a call takes, callers, and where the time goes.

use std::collections::BTreeSet;

use super::axis::{Axis, Quantity, time};
use super::figures::Figure;
use super::palette::{Colour, GREY, INDIGO, SAND, SILVER, TEAL, WINE, look};
use super::plot::{self, Bars, Curve, Name, Panel, Stack};
use super::select::{Cases, point, value};
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
        let of_subject = |(subject, colour): &(&str, Colour)| {
            let is_of =
                |row: &Row, order| row.subject == *subject && look(&row.profile).order == order;
            let of = |order| rows.iter().find(|row| is_of(row, order)).and_then(|row| value(row));
            figure.bars_of((subject, *colour), styles.iter().map(|(order, _)| of(*order)).collect())
        };
        let all: Vec<Bars> = SUBJECTS.iter().filter_map(of_subject).collect();
        let values: Vec<f64> = rows.iter().filter_map(|row| value(row)).collect();
        if all.is_empty() {
            continue;
        }
        let names: Vec<String> = styles.iter().map(|(_, name)| short(name)).collect();
        let names = names.iter().map(String::as_str);
        let panel = Panel {
            title: case.trim_start_matches(beginning).trim_end_matches("@direct").to_owned(),
            x: Axis::names("style", names),
            y: Axis::over(metric, quantity, "", &values),
        };
        figure.panels.push(plot::bars(&panel, &all));
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
        let inside: Vec<_> = rows.iter().filter(is_in).collect();
        let of_subject = |(subject, colour): &(&str, Colour)| {
            let rows = inside.iter().filter(|(_, _, row)| row.subject == *subject);
            let points = rows.filter_map(|(_, count, row)| point(f64::from(*count), row));
            figure.curve_of((subject, *colour), points.collect())
        };
        let curves: Vec<Curve> = SUBJECTS.iter().filter_map(of_subject).collect();
        let values: Vec<f64> = inside.iter().filter_map(|(_, _, row)| value(row)).collect();
        let counts: Vec<f64> = inside.iter().map(|(_, count, _)| f64::from(*count)).collect();
        let panel = Panel {
            title: format!("{}, {style}", message.trim_end_matches("@direct")),
            x: Axis::from_zero(
                "threads",
                Quantity::Plain,
                "",
                counts.iter().copied().fold(1.0, f64::max),
            ),
            y: Axis::over("calls a second", Quantity::Plain, "", &values),
        };
        figure.panels.push(plot::curves(&panel, &curves));
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
        let stacks: Vec<Stack> = parts
            .iter()
            .take(GROUPS)
            .map(|it| {
                let lengths = PARTS.iter().zip(it.values);
                let parts: Vec<(Colour, f64)> = lengths
                    .map(|((_, _, colour), value)| (*colour, value.unwrap_or(0.0).max(0.0)))
                    .collect();
                let label = time(parts.iter().map(|part| part.1).sum());
                let name = Name { first: it.look.name.clone(), second: it.subject.to_owned() };
                Stack { name, parts, label }
            })
            .collect();
        let total = |stack: &Stack| stack.parts.iter().map(|part| part.1).sum::<f64>();
        let longest = stacks.iter().map(total).fold(0.0, f64::max);
        if stacks.is_empty() {
            continue;
        }
        let panel = Panel {
            title: case.trim_start_matches("stages-").to_owned(),
            x: Axis::from_zero("call", Quantity::Time, "ns", longest).up_to(longest * 1.2),
            y: Axis::rows(stacks.len()),
        };
        figure.panels.push(plot::stacks(&panel, &stacks));
    }
    for (_, words, colour) in PARTS {
        figure.legend.bar(colour, false, words);
    }
    figure
}
