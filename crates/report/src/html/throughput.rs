//! Figures of messages per second, and of what was busy meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use super::axis::{Axis, Quantity};
use super::figures::Figure;
use super::palette::{Colour, INDIGO, INK, SAND, SILVER, TEAL, WINE};
use super::plot::{self, Bars, Panel};
use super::select::{Cases, Parts, Series, is_shown, link_in_words};
use trunkline_experiment::subjects::TRUNKLINE;

const METRIC: &str = "messages-per-second";
/// More groups or bars in a group than this say nothing.
const GROUPS: usize = 12;
const BARS: usize = 9;

pub(super) fn figures(cases: &Cases<'_>) -> Vec<Figure> {
    vec![by_entries(cases), busy(cases), slow(cases)]
}

/// Figures 12 and 13.
fn by_entries(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "throughput",
        "Throughput by length of the message",
        "Messages a second in one direction (the paper's figures 12 and 13). Filled bars are from structure to structure; frames are bytes encoded beforehand and \
         not decoded, which is what the network and the system alone would carry.",
    );
    for link in cases.links("throughput") {
        let whole = cases.series(&format!("throughput@{link}"), METRIC);
        let encoded = cases.series(&format!("throughput-encoded@{link}"), METRIC);
        let both =
            [true, false].map(|is_ours| (by_format(&whole, is_ours), by_format(&encoded, is_ours)));
        // One scale, so that the panels of a link can be compared.
        let shown = both.iter().flat_map(|(whole, encoded)| whole.values().chain(encoded.values()));
        let values = shown.flat_map(|series| &series.points).map(|point| point.y);
        let high = values.fold(0.0, f64::max);
        for (whole, encoded) in &both {
            figure.throughput(link, high, whole, encoded);
        }
    }
    if !figure.panels.is_empty() {
        figure.legend.bar(INK, true, "encoded beforehand");
    }
    figure
}

/// The first series of each of the paper's formats, ours or a peer's.
fn by_format<'a, 'b>(all: &'a [Series<'b>], is_ours: bool) -> BTreeMap<usize, &'a Series<'b>> {
    let mut found = BTreeMap::new();
    for series in all {
        let is_wanted = (series.subject == TRUNKLINE) == is_ours && is_shown(series.subject);
        if is_wanted && series.look.is_published {
            found.entry(series.look.order).or_insert(series);
        }
    }
    found
}

impl Figure {
    fn throughput(
        &mut self,
        link: &str,
        high: f64,
        whole: &BTreeMap<usize, &Series<'_>>,
        encoded: &BTreeMap<usize, &Series<'_>>,
    ) {
        if whole.is_empty() {
            return;
        }
        let points = || whole.values().chain(encoded.values()).flat_map(|series| &series.points);
        let lengths: BTreeSet<u32> = points().map(|point| point.x as u32).collect();
        let lengths: Vec<u32> = lengths.into_iter().take(GROUPS).collect();
        let values = |series: &Series<'_>| {
            let at = |entries: &u32| {
                let point = series.points.iter().find(|point| point.x as u32 == *entries);
                point.map(|point| point.y)
            };
            lengths.iter().map(at).collect()
        };
        let mut subjects: Vec<&str> = whole.values().map(|series| series.subject).collect();
        subjects.dedup();
        let title = format!("{}, {}", link_in_words(link), subjects.join(", "));
        let mut bars = Vec::new();
        for (order, series) in whole.iter().take(BARS) {
            let colour = series.look.colour;
            self.legend.bar(colour, false, &series.look.name);
            bars.push(Bars { colour, is_hollow: false, values: values(series) });
            if let Some(encoded) = encoded.get(order) {
                bars.push(Bars { colour, is_hollow: true, values: values(encoded) });
            }
        }
        let names: Vec<String> = lengths.iter().map(u32::to_string).collect();
        let x = Axis::names("entries in the message", names.iter().map(String::as_str));
        self.panels.push(plot::bars(&Panel { title, x, y: from_zero(&[high]) }, &bars));
    }
}

/// Our values in the paper's formats, and the names of these.
fn of_ours<'a, const N: usize>(all: Vec<Parts<'a, N>>) -> Vec<Parts<'a, N>> {
    let mut ours: Vec<Parts<'a, N>> = all
        .into_iter()
        .filter(|parts| parts.subject == TRUNKLINE && parts.look.is_published)
        .collect();
    ours.dedup_by_key(|parts| parts.look.order);
    ours
}

/// The names of formats.
fn formats<const N: usize>(parts: &[Parts<'_, N>]) -> Vec<String> {
    parts.iter().map(|parts| parts.look.name.clone()).collect()
}

fn busy(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "throughput",
        "What was busy",
        "Share of the time, the longest messages: the fullest bar holds up the others.",
    );
    let names = ["sender-busy", "link-busy", "receiver-busy"];
    let shown = [("sender", TEAL), ("link", SILVER), ("receiver", WINE)];
    figure.colours(shown.into_iter());
    for link in cases.links("throughput") {
        let parts = of_ours(cases.parts(&format!("throughput@{link}"), names));
        let title = format!("{}, {TRUNKLINE}", link_in_words(link));
        let y = |_: &[f64]| Axis::from_zero("busy", Quantity::Plain, "% of the time", 100.0);
        figure.by_name((title, "format", &formats(&parts)), y, &shown, |part, format| {
            let part = shown.iter().position(|(words, _)| *words == part)?;
            parts[format].values[part].map(|share| share * 100.0)
        });
    }
    figure
}

fn slow(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "throughput",
        "Throughput with unequal ends",
        "One end works 1.8 times as slowly, as the paper's server did (section 4.3), messages of 10 \
         entries.",
    );
    let shown: [(&str, &str, Colour); 3] = [
        ("throughput", "both ends as fast", SILVER),
        ("throughput-slow-receiver", "slow receiver", INDIGO),
        ("throughput-slow-sender", "slow sender", SAND),
    ];
    for link in cases.links(shown[1].0) {
        let found =
            shown.map(|(case, ..)| of_ours(cases.parts(&format!("{case}@{link}"), [METRIC])));
        let [all, ..] = &found;
        let title = format!("{}, {TRUNKLINE}", link_in_words(link));
        let colours = shown.map(|(_, words, colour)| (words, colour));
        figure.by_name((title, "format", &formats(all)), from_zero, &colours, |words, format| {
            let case = shown.iter().position(|it| it.1 == words)?;
            let order = all[format].look.order;
            found[case].iter().find(|it| it.look.order == order)?.values[0]
        });
    }
    figure.colours(shown.iter().map(|it| (it.1, it.2)));
    figure
}

/// From zero to the most messages a second.
fn from_zero(values: &[f64]) -> Axis {
    let high = values.iter().copied().fold(0.0, f64::max);
    Axis::from_zero("messages a second", Quantity::Plain, "", high)
}
