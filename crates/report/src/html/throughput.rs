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
        self.bars(title, (x, high), &bars);
    }

    fn bars(&mut self, title: String, (x, high): (Axis, f64), bars: &[Bars]) {
        let y = Axis::from_zero("messages a second", Quantity::Plain, "", high);
        self.panels.push(plot::bars(&Panel { title, x, y }, bars));
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

/// The axis with the names of formats.
fn formats<const N: usize>(parts: &[Parts<'_, N>]) -> Axis {
    Axis::names("format", parts.iter().map(|parts| parts.look.name.as_str()))
}

fn busy(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "throughput",
        "What was busy",
        "Share of the time, the longest messages: the fullest bar holds up the others.",
    );
    let names = ["sender-busy", "link-busy", "receiver-busy"];
    let shown = [("sender", TEAL), ("link", SILVER), ("receiver", WINE)];
    for link in cases.links("throughput") {
        let parts = of_ours(cases.parts(&format!("throughput@{link}"), names));
        let bars: Vec<Bars> = (0..names.len())
            .map(|part| {
                let share = |parts: &Parts<'_, 3>| parts.values[part].map(|share| share * 100.0);
                let values = parts.iter().map(share).collect();
                Bars { colour: shown[part].1, is_hollow: false, values }
            })
            .collect();
        if bars.iter().all(|bars| bars.values.iter().all(Option::is_none)) {
            continue;
        }
        let panel = Panel {
            title: format!("{}, {TRUNKLINE}", link_in_words(link)),
            x: formats(&parts),
            y: Axis::from_zero("busy", Quantity::Plain, "% of the time", 100.0),
        };
        figure.panels.push(plot::bars(&panel, &bars));
    }
    for (words, colour) in shown {
        figure.legend.bar(colour, false, words);
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
        let bars: Vec<Bars> = found
            .iter()
            .zip(shown)
            .map(|(parts, (_, _, colour))| {
                let of = |order| parts.iter().find(|it| it.look.order == order)?.values[0];
                let values = all.iter().map(|it| of(it.look.order)).collect();
                Bars { colour, is_hollow: false, values }
            })
            .collect();
        if !all.is_empty() {
            let values = bars.iter().flat_map(|bars| &bars.values).flatten();
            let high = values.copied().fold(0.0, f64::max);
            let title = format!("{}, {TRUNKLINE}", link_in_words(link));
            figure.bars(title, (formats(all), high), &bars);
        }
    }
    for (_, words, colour) in shown {
        figure.legend.bar(colour, false, words);
    }
    figure
}
