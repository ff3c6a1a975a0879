//! Plots as SVG: curves, bars, stacked bars and intervals, each in a panel with two axes.
//!
//! What is drawn is given in values; an [`Axis`] turns them into pixels. Every mark says its value to
//! whoever points at it. Legends stand outside, in the page, and show [`swatch`]es.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::axis::Axis;
use super::palette::{Colour, FAINT, GREY, INK, Marker, SOFT};
use super::text::escaped;

/// Pixels of a panel.
const WIDTH: f64 = 540.0;
const HEIGHT: f64 = 350.0;
/// Room above for the titles, below and on the right for labels.
const TOP: f64 = 52.0;
const TOP_OF_ROWS: f64 = 30.0;
const BELOW: f64 = 44.0;
const RIGHT: f64 = 26.0;
/// Room on the left for labels, or for the names of rows, and the height of a row.
const LEFT: f64 = 62.0;
const NAMES: f64 = 186.0;
const ROW: f64 = 36.0;
/// The opacity of points in doubt.
const PALE: f64 = 0.4;

/// What a plot draws of its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Points with their bounds, and a line.
    Curves,
    /// Groups of upright bars side by side, hollow ones around the filled ones before them.
    Bars,
    /// Lying bars, one a row, of a part for each series, with their sum.
    Stacks,
    /// Points with their bounds, in rows.
    Intervals,
}

impl Shape {
    /// Whether values lie from left to right, in rows with names.
    pub(super) fn is_in_rows(self) -> bool {
        matches!(self, Self::Stacks | Self::Intervals)
    }
}

/// The title of a plot, and its axes.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    /// Along which the points stand; of rows the second, from the top.
    pub(super) along: Axis,
    /// Of the values.
    pub(super) values: Axis,
    /// The names of rows; behind a line break, what tells one from others of its name.
    pub(super) rows: Vec<String>,
}

/// A value with its bounds.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) at: f64,
    pub(super) value: f64,
    pub(super) bounds: Option<(f64, f64)>,
    /// Whether the repetitions carry no conclusion.
    pub(super) is_pale: bool,
    /// What it says when pointed at.
    pub(super) words: String,
}

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ink {
    pub(super) colour: Colour,
    pub(super) marker: Option<Marker>,
    pub(super) has_line: bool,
    pub(super) is_dashed: bool,
    /// Of a bar: whether only the outline is drawn.
    pub(super) is_hollow: bool,
}

impl Ink {
    /// A line without markers, or a bar.
    pub(super) const fn plain(colour: Colour) -> Self {
        Self { colour, marker: None, has_line: true, is_dashed: false, is_hollow: false }
    }

    pub(super) const fn marked(self, marker: Marker) -> Self {
        Self { marker: Some(marker), ..self }
    }

    /// A marker alone.
    pub(super) const fn mark(colour: Colour, marker: Marker) -> Self {
        Self { has_line: false, ..Self::plain(colour).marked(marker) }
    }
}

/// Points of one look, and the line through them or beside them.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) ink: Ink,
    pub(super) line: Vec<(f64, f64)>,
    pub(super) points: Vec<Point>,
}

/// The drawing of a panel.
pub(super) fn plot(shape: Shape, panel: &Panel, all: &[Series]) -> String {
    let mut frame = Frame::new(shape, panel);
    match shape {
        Shape::Curves => all.iter().for_each(|series| frame.curve(series)),
        Shape::Bars => frame.bars(all),
        Shape::Stacks => frame.stacks(all),
        Shape::Intervals => frame.intervals(all),
    }
    frame.finish()
}

/// Points so many that each is but a move and a dot in one path of its colour; those on the same place
/// are drawn once.
pub(super) fn dots<'a>(
    panel: &Panel,
    all: impl Iterator<Item = (Colour, &'a [(f64, f64)])>,
) -> String {
    let mut frame = Frame::new(Shape::Curves, panel);
    for (colour, points) in all {
        let places: BTreeSet<(i32, i32)> = points
            .iter()
            .filter_map(|&(at, value)| frame.place(at, value))
            .map(|(x, y)| ((x * 4.0).round() as i32, (y * 4.0).round() as i32))
            .collect();
        let out = &mut frame.svg.0;
        let _ = write!(
            out,
            "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-linecap=\"round\" d=\""
        );
        for (x, y) in places {
            let _ = write!(out, "M{} {}h0", f64::from(x) / 4.0, f64::from(y) / 4.0);
        }
        out.push_str("\"/>\n");
    }
    frame.finish()
}

/// What a legend shows of a line or a marker.
pub(super) fn swatch(ink: Ink) -> String {
    let mut svg = Svg::default();
    if ink.has_line {
        svg.line(&[(1.0, 7.0), (33.0, 7.0)], ink, 2.0);
    }
    if let Some(marker) = ink.marker {
        svg.marker(marker, (17.0, 7.0), ink.colour, 1.0);
    }
    svg.element("", 34.0, 14.0)
}

/// What a legend shows of a bar.
pub(super) fn swatch_of_bar(ink: Ink) -> String {
    let mut svg = Svg::default();
    svg.bar([(2.0, 1.0), (14.0, 13.0)], ink);
    svg.element("", 16.0, 14.0)
}

/// A panel while it is drawn.
struct Frame<'a> {
    shape: Shape,
    panel: &'a Panel,
    height: f64,
    /// The ends of the axis from left to right, and of the other.
    x: [f64; 2],
    y: [f64; 2],
    svg: Svg,
}

impl<'a> Frame<'a> {
    /// The titles and the axes with their grid.
    fn new(shape: Shape, panel: &'a Panel) -> Self {
        let (top, left, height) = match shape.is_in_rows() {
            true => (TOP_OF_ROWS, NAMES, TOP_OF_ROWS + BELOW + ROW * panel.rows.len() as f64),
            false => (TOP, LEFT, HEIGHT),
        };
        let (x, y) = ([left, WIDTH - RIGHT], [height - BELOW, top]);
        let mut frame = Self { shape, panel, height, x, y, svg: Svg::default() };
        let bold = " font-weight=\"bold\" font-size=\"14.5\"";
        frame.svg.text(&panel.title, (4.0, 12.0), "start", INK, bold);
        frame.grid_of_x();
        match shape.is_in_rows() {
            true => frame.names(),
            false => frame.grid_of_y(),
        }
        frame
    }

    /// What lies from left to right, and what stands upright.
    fn axes(&self) -> [&'a Axis; 2] {
        let Panel { along, values, .. } = self.panel;
        if self.shape.is_in_rows() { [values, along] } else { [along, values] }
    }

    fn grid_of_x(&mut self) {
        let [axis, _] = self.axes();
        let (bottom, top) = (self.y[0], self.y[1]);
        for (value, label) in &axis.ticks {
            let x = axis.place(*value, self.x);
            if self.shape != Shape::Bars {
                self.svg.rule([(x, bottom), (x, top)], FAINT);
            }
            self.svg.rule([(x, bottom), (x, bottom + 4.0)], INK);
            self.svg.text(label, (x, bottom + 13.0), "middle", INK, "");
        }
        self.svg.rule([(self.x[0], bottom), (self.x[1], bottom)], INK);
        let middle = f64::midpoint(self.x[0], self.x[1]);
        self.svg.text(&axis.title, (middle, bottom + 33.0), "middle", INK, "");
    }

    fn grid_of_y(&mut self) {
        let [_, axis] = self.axes();
        let [left, right] = self.x;
        self.svg.text(&axis.title, (4.0, 34.0), "start", INK, "");
        for (value, label) in &axis.ticks {
            let y = axis.place(*value, self.y);
            self.svg.rule([(left, y), (right, y)], FAINT);
            self.svg.rule([(left - 4.0, y), (left, y)], INK);
            self.svg.text(label, (left - 7.0, y), "end", INK, "");
        }
        self.svg.rule([(left, self.y[0]), (left, self.y[1])], INK);
    }

    fn names(&mut self) {
        for (row, name) in self.panel.rows.iter().enumerate() {
            let middle = TOP_OF_ROWS + ROW * (row as f64 + 0.5);
            if row > 0 {
                let y = middle - ROW / 2.0;
                self.svg.rule([(self.x[0], y), (self.x[1], y)], FAINT);
            }
            let (first, second) = name.split_once('\n').unwrap_or((name, ""));
            let half = if second.is_empty() { 0.0 } else { 8.0 };
            self.svg.text(first, (4.0, middle - half), "start", INK, "");
            if !second.is_empty() {
                self.svg.text(second, (4.0, middle + half), "start", SOFT, "");
            }
        }
    }

    /// The pixels of a value, if the axes have a place for it.
    fn place(&self, at: f64, value: f64) -> Option<(f64, f64)> {
        let Panel { along, values, .. } = self.panel;
        let is_there = along.has(at) && values.has(value);
        let [x_axis, y_axis] = self.axes();
        let (x, y) = if self.shape.is_in_rows() { (value, at) } else { (at, value) };
        is_there.then(|| (x_axis.place(x, self.x), y_axis.place(y, self.y)))
    }

    fn curve(&mut self, series: &Series) {
        let line = series.line.iter().filter_map(|&(at, value)| self.place(at, value));
        let line: Vec<(f64, f64)> = line.collect();
        self.svg.line(&line, series.ink, 2.0);
        for point in &series.points {
            self.point(point, point.at, series.ink, 1.0);
        }
    }

    /// A marker with an error bar; where that leaves the plot it is cut off, without a cap.
    fn point(&mut self, point: &Point, at: f64, ink: Ink, width: f64) {
        let axis = &self.panel.values;
        let ends = point.bounds.filter(|(low, high)| axis.has(*low) && axis.has(*high));
        self.svg.open(&point.words);
        if let Some((low, high)) = ends {
            let plain = Ink::plain(ink.colour);
            let places = [low, high].map(|end| self.place(at, axis.clipped(end)));
            if let [Some(low), Some(high)] = places {
                self.svg.line(&[low, high], plain, width);
            }
            for (end, place) in [low, high].into_iter().zip(places) {
                let is_inside = axis.clipped(end).total_cmp(&end).is_eq();
                if let Some((x, y)) = place.filter(|_| is_inside && self.shape == Shape::Curves) {
                    self.svg.line(&[(x - 3.0, y), (x + 3.0, y)], plain, width);
                }
            }
        }
        if let (Some(marker), Some(place)) = (ink.marker, self.place(at, point.value)) {
            let opacity = if point.is_pale { PALE } else { 1.0 };
            self.svg.marker(marker, place, ink.colour, opacity);
        }
        self.svg.close();
    }

    fn bars(&mut self, all: &[Series]) {
        let slots = all.iter().filter(|series| !series.ink.is_hollow).count().max(1) as f64;
        let width = 0.8 / slots;
        let mut slot = 0.0;
        for series in all {
            if series.ink.is_hollow {
                slot -= 1.0;
            }
            for point in &series.points {
                let left = point.at - 0.4 + f64::max(slot, 0.0) * width;
                let ground = self.place(left, self.panel.values.ground());
                let top = self.place(left + width * 0.92, point.value);
                if let (Some(ground), Some(top)) = (ground, top) {
                    self.svg.open(&point.words);
                    self.svg.bar([ground, top], series.ink);
                    self.svg.close();
                }
            }
            slot += 1.0;
        }
    }

    fn stacks(&mut self, all: &[Series]) {
        for row in 0..self.panel.rows.len() {
            let middle = row as f64 + 0.5;
            let mut end = 0.0;
            for series in all {
                for point in
                    series.points.iter().filter(|point| point.at.total_cmp(&middle).is_eq())
                {
                    let next = end + point.value.max(0.0);
                    let corners = [self.place(middle - 0.3, end), self.place(middle + 0.3, next)];
                    if let [Some(from), Some(to)] = corners {
                        self.svg.open(&point.words);
                        self.svg.bar([from, to], series.ink);
                        self.svg.close();
                    }
                    end = next;
                }
            }
            if let Some((x, y)) = self.place(middle, end) {
                self.svg.text(&super::axis::time(end), (x + 6.0, y), "start", INK, "");
            }
        }
    }

    /// Those that share a row stand below one another.
    fn intervals(&mut self, all: &[Series]) {
        let axis = &self.panel.values;
        if axis.low < 1.0 && axis.high > 1.0 {
            let x = axis.place(1.0, self.x);
            self.svg.rule([(x, self.y[0]), (x, self.y[1])], GREY);
        }
        for (index, series) in all.iter().enumerate() {
            for point in &series.points {
                let above = all[..index].iter().flat_map(|other| &other.points);
                let above = above.filter(|other| other.at.total_cmp(&point.at).is_eq()).count();
                let at = point.at + 0.26 * above.min(1) as f64;
                self.point(point, at, series.ink, 3.0);
            }
        }
    }

    fn finish(self) -> String {
        let [x, y] = self.axes().map(|axis| &axis.title);
        let title = &self.panel.title;
        let name = match self.shape.is_in_rows() {
            true => format!("{title}: {x}"),
            false => format!("{title}: {y}, by {x}"),
        };
        self.svg.element(&name, WIDTH, self.height)
    }
}

/// The content of an SVG element while it is written.
#[derive(Default)]
struct Svg(String);

impl Svg {
    /// A thin line of the frame.
    fn rule(&mut self, [from, to]: [(f64, f64); 2], colour: Colour) {
        let _ = writeln!(
            self.0,
            "<line stroke=\"{colour}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        let dashes = if ink.is_dashed { " stroke-dasharray=\"6 4\" opacity=\"0.85\"" } else { "" };
        let style =
            format!("fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dashes}", ink.colour);
        if points.len() > 1 {
            self.shape("polyline", points, &style);
        }
    }

    fn shape(&mut self, name: &str, points: &[(f64, f64)], style: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.0, "<{name} {style} points=\"{}\"/>", points.join(" "));
    }

    /// A rectangle between two corners.
    fn bar(&mut self, [one, other]: [(f64, f64); 2], ink: Ink) {
        let style = match ink.is_hollow {
            true => format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"", ink.colour),
            false => format!("fill=\"{}\"", ink.colour),
        };
        let (left, top) = (one.0.min(other.0), one.1.min(other.1));
        let (width, height) = ((one.0 - other.0).abs(), (one.1 - other.1).abs());
        let _ = writeln!(
            self.0,
            "<rect {style} x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    /// Words whose middle is at this height.
    fn text(&mut self, words: &str, (x, y): (f64, f64), anchor: &str, colour: Colour, style: &str) {
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" dominant-baseline=\"central\" \
             fill=\"{colour}\"{style}>{}</text>",
            escaped(words)
        );
    }

    /// Begins a mark that says its value.
    fn open(&mut self, words: &str) {
        let _ = write!(self.0, "<g><title>{}</title>", escaped(words));
    }

    fn close(&mut self) {
        self.0.push_str("</g>\n");
    }

    fn marker(&mut self, marker: Marker, (x, y): (f64, f64), colour: Colour, opacity: f64) {
        let pen =
            format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" opacity=\"{opacity}\"");
        let filled = format!("fill=\"{colour}\" opacity=\"{opacity}\"");
        let at = |shape: &[(f64, f64)]| -> Vec<(f64, f64)> {
            shape.iter().map(|(right, down)| (x + right * 0.45, y + down * 0.45)).collect()
        };
        let mut area = |shape: &[(f64, f64)]| self.shape("polygon", &at(shape), &filled);
        match marker {
            Marker::Triangle => area(&[(0.0, -11.0), (11.0, 8.0), (-11.0, 8.0)]),
            Marker::TriangleDown => area(&[(0.0, 11.0), (11.0, -8.0), (-11.0, -8.0)]),
            Marker::Square => area(&[(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)]),
            Marker::Diamond => area(&[(0.0, -12.0), (10.0, 0.0), (0.0, 12.0), (-10.0, 0.0)]),
            Marker::Frame => {
                let corners = [(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)];
                self.shape("polygon", &at(&corners), &pen);
            }
            Marker::Plus => {
                self.shape("polyline", &at(&[(-11.0, 0.0), (11.0, 0.0)]), &pen);
                self.shape("polyline", &at(&[(0.0, -11.0), (0.0, 11.0)]), &pen);
            }
            Marker::Cross => {
                self.shape("polyline", &at(&[(-8.0, -8.0), (8.0, 8.0)]), &pen);
                self.shape("polyline", &at(&[(-8.0, 8.0), (8.0, -8.0)]), &pen);
            }
            Marker::Circle | Marker::Ring => {
                let style = if marker == Marker::Circle { filled } else { pen };
                let _ = writeln!(self.0, "<circle {style} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
            }
        }
    }

    /// The element of so many pixels; `name` is what is read out.
    fn element(self, name: &str, width: f64, height: f64) -> String {
        let label = match name {
            "" => "aria-hidden=\"true\"".to_owned(),
            name => format!("role=\"img\" aria-label=\"{}\"", escaped(name)),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\" {label}>\n{}</svg>\n",
            self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::axis::Quantity;

    /// How high the points of all lines of a plot stand, downwards.
    fn downwards(svg: &str) -> Vec<f64> {
        let lines = svg.split("points=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let places = lines.flat_map(|points| points.split_whitespace().map(str::to_owned));
        let y = |place: String| place.split(',').next_back().and_then(|y| y.parse().ok());
        places.filter_map(y).collect()
    }

    #[test]
    fn an_error_bar_ends_where_the_plot_does() {
        let panel = Panel {
            title: "a title that must be read".into(),
            along: Axis::from_zero("x", Quantity::In(""), 10.0),
            values: Axis::from_zero("y", Quantity::In(""), 10.0),
            rows: Vec::new(),
        };
        let drawn = |bounds| {
            let words = "5 <b>".to_owned();
            let point = Point { at: 2.0, value: 5.0, bounds: Some(bounds), is_pale: false, words };
            let series = Series { ink: Ink::plain(INK), line: Vec::new(), points: vec![point] };
            plot(Shape::Curves, &panel, &[series])
        };
        let highest = |svg: &str| downwards(svg).into_iter().min_by(f64::total_cmp);
        let (within, beyond) = (drawn((4.0, 6.0)), drawn((4.0, 4_000.0)));
        assert!(highest(&within).is_some());
        assert!(highest(&beyond) >= Some(TOP), "{beyond}");
        // A cap would say that it ends there.
        let lines = |svg: &str| svg.matches("<polyline").count();
        assert_eq!(lines(&within), lines(&beyond) + 1);
        assert!(within.contains("<title>5 &lt;b&gt;</title>"), "what it says when pointed at");
    }
}
