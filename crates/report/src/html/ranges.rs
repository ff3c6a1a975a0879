//! Factors with their ranges: the paper's conclusions, and leads over peers.

use super::axis::{Axis, Quantity};
use super::figures::Figure;
use super::palette::{INK, Marker, SKY, look};
use super::plot::{self, Interval, Name, Panel};
use super::select::{Cases, bounds};
use trunkline_bench::row::Row;
use trunkline_experiment::subjects::TRUNKLINE;

/// More rows than this in one plot say nothing.
const ROWS: usize = 24;

/// Messages and operations that are plotted; a record of somebody else may have more.
const PANELS: usize = 12;

/// Characters of a conclusion's name in one line beside a plot.
const LINE: usize = 17;

/// What the paper concludes: its factor, ours and the peers'.
pub(super) fn conclusions(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "conclusion",
        "The factors behind the verdicts",
        "The factor that decides, and the range of all that are compared.",
    );
    let mut names: Vec<&str> = Vec::new();
    let mut intervals = Vec::new();
    for row in cases.rows("conclusion").filter(|row| row.unit == "x") {
        let known = names.iter().position(|name| *name == row.metric);
        if known.is_none() && names.len() == ROWS {
            continue;
        }
        let index = known.unwrap_or(names.len());
        let is_ours = row.subject == TRUNKLINE;
        if known.is_none() {
            names.push(&row.metric);
        }
        let (below, colour, marker) =
            if is_ours { (0.0, INK, Marker::Circle) } else { (0.26, SKY, Marker::Triangle) };
        intervals.extend(interval(row, index, below).map(|it| Interval { colour, marker, ..it }));
    }
    figure.legend.line(INK, Some(Marker::Circle), None, "trunkline");
    figure.legend.line(SKY, Some(Marker::Triangle), None, "today's peers");
    let names = names.into_iter().map(|metric| {
        // Two lines at most, broken where the first is full.
        let end = metric.char_indices().nth(LINE).map(|(end, _)| end);
        let at = end.and_then(|end| metric[..end].rfind(' '));
        let (first, second) = at.map_or((metric, ""), |at| (&metric[..at], &metric[at + 1..]));
        Name { first: first.to_owned(), second: second.to_owned() }
    });
    figure.ranges("Then and now", "factor", names.collect(), &intervals);
    figure
}

/// How many times faster than each peer.
pub(super) fn leads(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "lead",
        "Ahead of each peer",
        "How many times faster trunkline is with the longest messages, and the bounds of that; at \
         the dark line both are alike.",
    );
    let of_messages = ["encode-", "decode-"].into_iter().flat_map(|kind| cases.beginning(kind));
    for case in ["encode", "decode"].into_iter().chain(of_messages.take(PANELS)) {
        let mut names = Vec::new();
        let mut intervals = Vec::new();
        for row in cases.rows(case) {
            let Some(peer) = row.metric.strip_prefix("ahead-of-") else { continue };
            if names.len() == ROWS {
                break;
            }
            let look = look(&row.profile);
            let marker = super::palette::marker(peer);
            intervals.extend(interval(row, names.len(), 0.0).map(|it| Interval {
                colour: look.colour,
                marker,
                ..it
            }));
            names.push(Name { first: peer.to_owned(), second: look.name });
        }
        let (verb, message) = case.split_once('-').unwrap_or((case, ""));
        let title = if verb == "encode" { "Encoding" } else { "Decoding" };
        let title = format!("{title} {message}");
        figure.ranges(title.trim_end(), "times faster than the peer", names, &intervals);
    }
    figure
}

fn interval(row: &Row, index: usize, below: f64) -> Option<Interval> {
    Some(Interval {
        row: index,
        below,
        colour: INK,
        marker: Marker::Circle,
        value: row.value?,
        bounds: bounds(row),
    })
}

impl Figure {
    fn ranges(&mut self, title: &str, x: &str, names: Vec<Name>, intervals: &[Interval]) {
        if names.is_empty() {
            return;
        }
        let ends = intervals.iter().flat_map(|it| {
            let (low, high) = it.bounds.unwrap_or((it.value, it.value));
            [low, high, it.value]
        });
        let (low, high) = ends
            .filter(|end| *end > 0.0)
            .fold((1.0, 1.0), |(low, high), end| (f64::min(low, end), f64::max(high, end)));
        let panel = Panel {
            title: title.to_owned(),
            x: Axis::logarithmic(x, Quantity::Plain, "", low, high),
            y: Axis::rows(names.len()),
        };
        self.panels.push(plot::intervals(&panel, &names, intervals));
    }
}
