//! The figures of the page: which rows stand in which plot.

use super::axis::{Axis, Quantity, time};
use super::legend::Legend;
use super::palette::{Colour, Family, INK, marker};
use super::plot::{self, Bars, Curve, Name, Panel, Point, Stack, Stroke};
use super::select::{Cases, Parts, Series, point, value};
use super::{calls, catena, network, ranges, throughput};
use trunkline_bench::row::Row;
use trunkline_experiment::subjects::{TRUNKLINE, is_reused};

/// Plots with one legend.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// The topic of the section that it belongs to.
    pub(super) topic: &'static str,
    /// What it shows.
    pub(super) title: &'static str,
    /// How to read it.
    pub(super) caption: String,
    /// SVG elements.
    pub(super) panels: Vec<String>,
    pub(super) legend: Legend,
}

/// More series than this in one panel say nothing.
const SERIES: usize = 24;

/// Every figure for which there are rows, in the order of the page.
pub(super) fn figures(cases: &Cases<'_>) -> Vec<Figure> {
    let mut figures = vec![ranges::conclusions(cases), size(cases), reduction(cases)];
    figures.extend(["encode", "decode"].map(|case| times(cases, case)));
    figures.push(ranges::leads(cases));
    figures.extend(network::figures(cases));
    figures.extend(throughput::figures(cases));
    figures.extend(calls::figures(cases));
    figures.extend(catena::figures(cases));
    figures.retain(|figure| !figure.panels.is_empty());
    figures
}

impl Figure {
    pub(super) fn new(
        topic: &'static str,
        title: &'static str,
        caption: impl Into<String>,
    ) -> Self {
        let caption = caption.into();
        Self { topic, title, caption, panels: Vec::new(), legend: Legend::default() }
    }

    /// The line of a subject through its points, told in the legend; none without points.
    pub(super) fn curve_of(
        &mut self,
        (subject, colour): (&str, Colour),
        mut points: Vec<Point>,
    ) -> Option<Curve> {
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        let line: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
        let stroke = Stroke::Solid;
        let has_points = !points.is_empty();
        has_points.then(|| {
            self.legend.line(colour, None, Some(stroke), subject);
            Curve { colour, stroke, line, marker: None, points }
        })
    }

    /// Adds a panel with a curve for each of `subjects`: what rows of one metric came to at each number.
    pub(super) fn by_number(
        &mut self,
        (title, x): (String, Axis),
        (y, quantity, unit): (&str, Quantity, &str),
        subjects: &[(&str, Colour)],
        rows: &[(f64, &Row)],
    ) {
        let of_subject = |(subject, colour): &(&str, Colour)| {
            let rows = rows.iter().filter(|(_, row)| row.subject == *subject);
            let points = rows.filter_map(|(x, row)| point(*x, row));
            self.curve_of((subject, *colour), points.collect())
        };
        let curves: Vec<Curve> = subjects.iter().filter_map(of_subject).collect();
        if curves.is_empty() {
            return;
        }
        let values: Vec<f64> = rows.iter().filter_map(|(_, row)| value(row)).collect();
        let panel = Panel { title, x, y: Axis::over(y, quantity, unit, &values) };
        self.panels.push(plot::curves(&panel, &curves));
    }

    /// Adds a panel with a group of bars for each name: in each a bar for each of `subjects`, which are told in the
    /// legend if they have a value. `y` makes the axis of all values.
    pub(super) fn by_name(
        &mut self,
        (title, x, names): (String, &str, &[String]),
        y: impl FnOnce(&[f64]) -> Axis,
        subjects: &[(&str, Colour)],
        value: impl Fn(&str, usize) -> Option<f64>,
    ) {
        let mut bars = Vec::new();
        for (subject, colour) in subjects {
            let values: Vec<_> = (0..names.len()).map(|name| value(subject, name)).collect();
            if values.iter().any(Option::is_some) {
                self.legend.bar(*colour, false, subject);
                bars.push(Bars { colour: *colour, is_hollow: false, values });
            }
        }
        let values: Vec<f64> = bars.iter().flat_map(|it| &it.values).copied().flatten().collect();
        if bars.is_empty() {
            return;
        }
        let x = Axis::names(x, names.iter().map(String::as_str));
        self.panels.push(plot::bars(&Panel { title, x, y: y(&values) }, &bars));
    }

    /// Adds a panel with a lying bar for each of `all`, of these parts with their words and colours.
    pub(super) fn stacks<'a, const N: usize>(
        &mut self,
        (title, x): (String, &str),
        parts: &[(&str, &str, Colour); N],
        all: impl Iterator<Item = &'a Parts<'a, N>>,
    ) {
        let stack = |it: &Parts<'_, N>| {
            let lengths = parts.iter().zip(it.values);
            let parts: Vec<(Colour, f64)> = lengths
                .map(|((_, _, colour), value)| (*colour, value.unwrap_or(0.0).max(0.0)))
                .collect();
            let label = time(parts.iter().map(|part| part.1).sum());
            let name = Name { first: it.look.name.clone(), second: it.subject.to_owned() };
            Stack { name, parts, label }
        };
        let stacks: Vec<Stack> = all.map(stack).collect();
        let total = |stack: &Stack| stack.parts.iter().map(|part| part.1).sum::<f64>();
        let longest = stacks.iter().map(total).fold(0.0, f64::max);
        if stacks.is_empty() {
            return;
        }
        // Room for the total behind the longest bar.
        let x = Axis::from_zero(x, Quantity::Time, "ns", longest).up_to(longest * 1.2);
        let panel = Panel { title, x, y: Axis::rows(stacks.len()) };
        self.panels.push(plot::stacks(&panel, &stacks));
    }

    /// Tells in the legend what the colours of bars mean.
    pub(super) fn colours<'a>(&mut self, shown: impl Iterator<Item = (&'a str, Colour)>) {
        shown.for_each(|(words, colour)| self.legend.bar(colour, false, words));
    }

    /// Adds a panel with lines over entries.
    pub(super) fn entries(
        &mut self,
        title: &str,
        (y, quantity, unit): (&str, Quantity, &str),
        series: &[&Series<'_>],
        with_paper: bool,
    ) {
        self.entries_in(title, (y, quantity, unit), series, (with_paper, &[]));
    }

    /// As [`entries`](Self::entries), on an axis that has room for other values as well.
    fn entries_in(
        &mut self,
        title: &str,
        (y, quantity, unit): (&str, Quantity, &str),
        series: &[&Series<'_>],
        (with_paper, others): (bool, &[f64]),
    ) {
        let series = &series[..series.len().min(SERIES)];
        if series.is_empty() {
            return;
        }
        let mut values = others.to_vec();
        let mut curves = Vec::new();
        for series in series {
            self.legend.curve(&series.look, series.subject);
            values.extend(series.points.iter().map(|point| point.y));
            let colour = series.look.colour;
            if with_paper && series.subject == TRUNKLINE && series.paper.len() > 1 {
                values.extend(series.paper.iter().map(|point| point.1));
                curves.push(Curve {
                    colour,
                    stroke: Stroke::Dashed,
                    line: series.paper.clone(),
                    marker: None,
                    points: Vec::new(),
                });
                self.legend.line(INK, None, Some(Stroke::Dashed), "the paper (2004)");
            }
            curves.push(Curve {
                colour,
                stroke: Stroke::Solid,
                line: series.line(),
                marker: Some(marker(series.subject)),
                points: series.points.clone(),
            });
        }
        let entries = series.iter().flat_map(|series| &series.points).map(|point| point.x as u32);
        let panel = Panel {
            title: title.to_owned(),
            x: Axis::entries(entries),
            y: Axis::over(y, quantity, unit, &values),
        };
        self.panels.push(plot::curves(&panel, &curves));
    }
}

fn size(cases: &Cases<'_>) -> Figure {
    let all = cases.series("size", "size");
    let mut figure = Figure::new(
        "size",
        "Size of a message",
        "Points are means over the day, bars reach from the smallest to the largest message, lines \
         are fitted; dashed is what the paper published.",
    );
    let y = ("size of a message", Quantity::Plain, "bytes");
    let published: Vec<_> = all.iter().filter(|series| series.look.is_published).collect();
    figure.entries("The paper's three formats (figure 4)", y, &published, true);
    let all: Vec<_> = all.iter().collect();
    figure.entries("Every format", y, &all, false);
    figure
}

fn reduction(cases: &Cases<'_>) -> Figure {
    let all = cases.series("size", "reduction");
    let mut figure = Figure::new(
        "size",
        "What other schemas save",
        "How much shorter messages are than in SOAP rpc/encoded; the paper has 30 to 40 % for \
         compact tags.",
    );
    let y = ("reduction of size", Quantity::Plain, "%");
    figure.entries(
        "Compared with rpc/encoded (figure 14)",
        y,
        &all.iter().collect::<Vec<_>>(),
        false,
    );
    figure
}

fn times(cases: &Cases<'_>, case: &'static str) -> Figure {
    let mut all = cases.series(case, "cpu-time");
    // Beside their kind they would be the same points again; tables have them.
    all.retain(|series| !is_reused(series.subject));
    let (title, number) = match case {
        "encode" => ("CPU time of encoding a message", 10),
        _ => ("CPU time of decoding a message", 11),
    };
    let mut figure = Figure::new(
        case,
        title,
        format!(
            "Points are medians with their bounds, pale where these leave them inconclusive; lines \
             are fitted. Dashed is what the paper measured on a processor of 500 MHz (figure \
             {number})."
        ),
    );
    let y = ("CPU time of a message", Quantity::Time, "ns");
    let ours: Vec<_> = all.iter().filter(|series| series.subject == TRUNKLINE).collect();
    figure.entries("trunkline in every format", y, &ours, false);
    // One scale for all families, so that they can be compared.
    let values: Vec<f64> = all.iter().flat_map(Series::values).collect();
    for family in Family::ALL {
        let family_of = |series: &&Series<'_>| series.look.family == family;
        let members: Vec<_> = all.iter().filter(family_of).collect();
        let title = format!("{}: everyone, and the paper", family.title());
        figure.entries_in(&title, y, &members, (true, &values));
    }
    figure
}
