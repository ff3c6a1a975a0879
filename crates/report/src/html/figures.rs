//! The figures of the page: which rows stand in which plot.

use super::axis::{Axis, Quantity};
use super::legend::Legend;
use super::palette::{Colour, Family, INK, marker};
use super::plot::{self, Bars, Curve, Panel, Point, Stroke};
use super::select::{Cases, Series};
use super::{calls, catena, network, ranges, throughput};
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

    /// The bars of a subject, told in the legend; none without a value.
    pub(super) fn bars_of(
        &mut self,
        (subject, colour): (&str, Colour),
        values: Vec<Option<f64>>,
    ) -> Option<Bars> {
        let has_values = values.iter().any(Option::is_some);
        has_values.then(|| {
            self.legend.bar(colour, false, subject);
            Bars { colour, is_hollow: false, values }
        })
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
