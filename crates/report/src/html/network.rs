//! Figures of the network experiments: round trips, where their time goes, and percentiles.

use std::collections::BTreeSet;

use super::axis::{Axis, PERCENTILES, Quantity};
use super::figures::Figure;
use super::palette::{Colour, Family, GREY, INDIGO, INK, SAND, SILVER, TEAL, WINE, marker};
use super::plot::{self, Curve, Panel, Point, Stroke};
use super::select::{Cases, PLOTS, Parts, Series, is_shown, link_in_words};
use trunkline_experiment::subjects::TRUNKLINE;

/// Ways of waiting that are plotted.
const WAYS: usize = 4;
/// More bars than this in one panel say nothing.
const BARS: usize = 16;

/// Parts of a round trip in order, with the colours of figure 9.
const PARTS: [(&str, &str, Colour); 5] = [
    ("client-encode", "client encodes", TEAL),
    ("network", "network", SILVER),
    ("server-decode", "server decodes", WINE),
    ("server-encode", "server encodes", SAND),
    ("client-decode", "client decodes", INDIGO),
];

pub(super) fn figures(cases: &Cases<'_>) -> Vec<Figure> {
    vec![
        breakdown(cases),
        round_trips(cases),
        percentiles_of_round_trips(cases),
        open_loop(cases),
        hiccups(cases),
        schemas(cases),
    ]
}

/// A link in words, and how the ends wait if they do so in more than one way.
fn place(link: &str, transport: &str, transports: usize) -> String {
    match transports {
        0 | 1 => link_in_words(link),
        _ => {
            let wait = transport.strip_prefix("tcp-").unwrap_or(transport);
            format!("{}, {wait}", link_in_words(link))
        }
    }
}

/// The ways of waiting among these.
fn transports<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    all.collect::<BTreeSet<_>>().into_iter().take(WAYS).collect()
}

fn round_trips(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "round-trips",
        "Round trips by length of the message",
        "From structure to structure and back. Points are medians with their bounds, \
         lines are fitted; dashed is what the paper published for 10 Mbit/s (figure 8).",
    );
    for link in cases.links("round-trip") {
        let all = cases.series(&format!("round-trip@{link}"), "round-trip");
        let ways = transports(all.iter().map(|series| series.transport));
        for way in &ways {
            let chosen: Vec<&Series<'_>> = all
                .iter()
                .filter(|it| it.transport == *way && it.look.is_published && is_shown(it.subject))
                .collect();
            let y = ("round trip", Quantity::Time, "ns");
            figure.entries(&place(link, way, ways.len()), y, &chosen, true);
        }
    }
    figure
}

/// The paper's figure 15, for every schema.
fn schemas(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "variant",
        "Round trips in other SOAP schemas",
        "The same data in other markup; the paper's figure 15 has compact tags at 10 Mbit/s.",
    );
    for link in cases.links("round-trip") {
        let all = cases.series(&format!("round-trip@{link}"), "round-trip");
        let ways = transports(all.iter().map(|series| series.transport));
        for way in &ways {
            let is_chosen = |it: &&Series<'_>| {
                it.transport == *way && it.subject == TRUNKLINE && it.look.family == Family::Soap
            };
            let chosen: Vec<&Series<'_>> = all.iter().filter(is_chosen).collect();
            if chosen.len() > 1 {
                let y = ("round trip", Quantity::Time, "ns");
                let title = format!("SOAP schemas, {}", place(link, way, ways.len()));
                figure.entries(&title, y, &chosen, false);
            }
        }
    }
    figure
}

fn breakdown(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "round-trip",
        "Where the time of a round trip goes",
        "The longest messages (the paper's figure 9). Network is all that is neither encoding nor \
         decoding.",
    );
    for link in cases.links("round-trip") {
        let all = cases.parts(&format!("round-trip@{link}"), PARTS.map(|part| part.0));
        let ways = transports(all.iter().map(|parts| parts.transport));
        for way in &ways {
            let is_chosen = |it: &&Parts<'_, 5>| it.look.is_published && is_shown(it.subject);
            let chosen = all.iter().filter(|it| it.transport == *way).filter(is_chosen);
            let title = place(link, way, ways.len());
            figure.stacks((title, "round trip"), &PARTS, chosen.take(BARS));
        }
    }
    figure.colours(PARTS.iter().map(|part| (part.1, part.2)));
    figure
}

/// The percentiles whose metrics are named so, as a curve for each subject and format.
fn percentiles<'a>(
    cases: &Cases<'a>,
    case: &str,
    metric: impl Fn(&str) -> String,
) -> Vec<(Parts<'a, 5>, Vec<(f64, f64)>)> {
    let metrics = PERCENTILES.map(|(name, ..)| metric(name));
    let parts = cases.parts(case, metrics.each_ref().map(String::as_str));
    let curve = |parts: Parts<'a, 5>| {
        let places = PERCENTILES.iter().zip(parts.values);
        let line = places.filter_map(|((_, _, one_in), value)| Some((*one_in, value?))).collect();
        (parts, line)
    };
    parts.into_iter().map(curve).collect()
}

/// A curve from percentile to percentile.
fn curve(colour: Colour, subject: Option<&str>, line: Vec<(f64, f64)>, stroke: Stroke) -> Curve {
    let points = line.iter().map(|&(x, y)| Point { x, y, bounds: None, is_doubtful: false });
    let points = if subject.is_some() { points.collect() } else { Vec::new() };
    Curve { colour, stroke, marker: subject.map(marker), points, line }
}

impl Figure {
    fn percentiles(&mut self, title: String, curves: &[Curve]) {
        if curves.is_empty() {
            return;
        }
        let values: Vec<f64> =
            curves.iter().flat_map(|curve| &curve.line).map(|point| point.1).collect();
        let high = values.iter().copied().fold(0.0, f64::max);
        let low = values.iter().copied().filter(|value| *value > 0.0).fold(high, f64::min);
        let y = match high > 4.0 * low {
            true => Axis::logarithmic("latency", Quantity::Time, "ns", low, high),
            false => Axis::from_zero("latency", Quantity::Time, "ns", high),
        };
        let panel = Panel { title, x: Axis::percentiles(), y };
        self.panels.push(plot::curves(&panel, curves));
    }
}

fn percentiles_of_round_trips(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "round-trips",
        "Percentiles of round trips",
        "The longest messages, one under way at a time.",
    );
    for link in cases.links("round-trip") {
        let case = format!("round-trip@{link}");
        let all = percentiles(cases, &case, |name| format!("round-trip-{name}"));
        let ways = transports(all.iter().map(|(parts, _)| parts.transport));
        for way in &ways {
            let mut curves = Vec::new();
            for (parts, line) in &all {
                let is_chosen = parts.look.is_published && is_shown(parts.subject);
                if parts.transport == *way && is_chosen {
                    figure.legend.curve(&parts.look, parts.subject);
                    let subject = Some(parts.subject);
                    curves.push(curve(parts.look.colour, subject, line.clone(), Stroke::Solid));
                }
            }
            figure.percentiles(place(link, way, ways.len()), &curves);
        }
    }
    figure
}

fn open_loop(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "open-loop",
        "Percentiles of latency at a given rate",
        "Messages are sent by the clock, whether the ones before were answered or not. Solid counts from when a message was meant to be sent, dashed from when it was sent: \
         where they part, the sender was held up, and dashed hides it.",
    );
    let names: Vec<&str> = cases.beginning("open-loop-").collect();
    let mut names: Vec<(Option<u64>, &str, &str)> = names
        .into_iter()
        .map(|case| {
            let rest = case.strip_prefix("open-loop-").unwrap_or(case);
            let (rate, link) = rest.split_once('@').unwrap_or((rest, ""));
            (rate.parse().ok(), link, case)
        })
        .collect();
    names.sort_unstable();
    names.truncate(PLOTS);
    let meter = percentiles(cases, "hiccup", str::to_owned).into_iter().next();
    for (rate, link, case) in names {
        let rate = rate.map_or(String::new(), |rate| {
            format!("{} messages/s, ", trunkline_bench::table::with_commas(rate as f64))
        });
        let all = percentiles(cases, case, |name| format!("latency-{name}"));
        let sent = percentiles(cases, case, |name| format!("latency-{name}-uncorrected"));
        let ways = transports(all.iter().map(|(parts, _)| parts.transport));
        for way in &ways {
            let mut curves = Vec::new();
            for (parts, line) in all.iter().filter(|(parts, _)| parts.transport == *way) {
                figure.legend.curve(&parts.look, parts.subject);
                let subject = Some(parts.subject);
                curves.push(curve(parts.look.colour, subject, line.clone(), Stroke::Solid));
            }
            for (parts, line) in sent.iter().filter(|(parts, _)| parts.transport == *way) {
                figure.legend.line(INK, None, Some(Stroke::Dashed), "from the actual send");
                curves.push(curve(parts.look.colour, None, line.clone(), Stroke::Dashed));
            }
            if let Some((_, line)) = &meter {
                curves.push(curve(GREY, None, line.clone(), Stroke::Solid));
                figure.legend.line(GREY, None, Some(Stroke::Solid), METER);
            }
            figure.percentiles(format!("{rate}{}", place(link, way, ways.len())), &curves);
        }
    }
    figure
}

const METER: &str = "hiccup meter: a thread that only looks at the clock";

/// The machine's own stalls, where no other plot has them.
fn hiccups(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "hiccup",
        "Percentiles of stalls",
        "What a thread meets that does nothing else.",
    );
    if cases.beginning("open-loop-").next().is_some() {
        return figure;
    }
    if let Some((_, line)) = percentiles(cases, "hiccup", str::to_owned).into_iter().next() {
        figure.legend.line(GREY, None, Some(Stroke::Solid), METER);
        figure.percentiles("Stalls".into(), &[curve(GREY, None, line, Stroke::Solid)]);
    }
    figure
}
