//! Figures from specifications: which rows stand in which panel and series, and the drawing of all that.

use std::collections::BTreeMap;

use super::axis::{Axis, PERCENTILES, Quantity};
use super::legend::{Entry, Legend};
use super::palette::{INK, marked};
use super::plot::{Ink, Panel, Point, Series, Shape, plot};
use super::select::{Cases, Seen, counted};
use trunkline_bench::row::Verdict;

/// What a figure shows, as data.
pub(super) struct Spec {
    /// The topic of the section that it belongs to, and its title.
    pub(super) about: [&'static str; 2],
    /// How to read it.
    pub(super) caption: &'static str,
    /// How the cases begin whose rows it shows.
    pub(super) cases: &'static str,
    /// What it draws, and along what.
    pub(super) form: (Shape, Along),
    /// The title and the unit of values.
    pub(super) value: (&'static str, Quantity),
    /// Pushes the places of a row; it gets the rest of the case's name, too.
    pub(super) places: fn(&Cases<'_>, &Seen<'_>, &str, &mut Vec<Place>) -> Option<()>,
}

/// What the points of a figure stand along, with its title.
#[derive(Clone, Copy)]
pub(super) enum Along {
    /// Entries of the messages.
    Entries,
    /// Numbers from zero.
    Number(&'static str),
    /// Numbers by their logarithm; a panel with one of them is left out.
    Logarithm(&'static str),
    /// Seconds.
    Time,
    /// Percentiles, by one in how many is slower.
    Percentiles,
    /// Names.
    Names(&'static str),
}

/// Where a row stands in a figure.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Among the panels, with its title; none is in every panel.
    panel: Option<(usize, String)>,
    /// Panels of one scale can be compared.
    scale: Option<String>,
    /// Among the series of the panel, with what it says of itself.
    order: (usize, usize),
    name: String,
    ink: Ink,
    legend: Vec<Entry>,
    /// The number along the axis, or that by which names are sorted.
    at: f64,
    label: String,
    value: f64,
    bounds: Option<(f64, f64)>,
    is_pale: bool,
    fit: Option<(f64, f64)>,
}

impl Place {
    /// In a panel, at a number; its colour is the format's, its marker the subject's.
    pub(super) fn new(seen: &Seen<'_>, panel: (usize, String), at: f64) -> Self {
        let (order, marker) = marked(&seen.row.subject);
        let line = Ink::plain(seen.look.colour);
        let format = Entry { rank: 0, ink: line, words: seen.look.name.clone() };
        let subject =
            Entry { rank: 1, ink: Ink::mark(INK, marker), words: seen.row.subject.clone() };
        Self {
            panel: Some(panel),
            scale: None,
            order: (seen.look.order, order + 1),
            name: format!("{}, {}", subject.words, format.words),
            ink: line.marked(marker),
            legend: vec![format, subject],
            at,
            label: String::new(),
            value: seen.value,
            bounds: seen.bounds(),
            is_pale: seen.row.verdict == Verdict::Inconclusive,
            fit: None,
        }
    }

    /// In the series of this name and look.
    pub(super) fn among(self, order: usize, name: &str, ink: Ink) -> Self {
        let legend = vec![Entry { rank: 2, ink, words: name.to_owned() }];
        Self { order: (order, 0), name: name.to_owned(), ink, legend, ..self }
    }

    /// At a name; the number sorts it.
    pub(super) fn named(self, label: String) -> Self {
        Self { label, ..self }
    }

    /// Panels of one scale can be compared.
    pub(super) fn set_scale(&mut self, scale: &str) {
        self.scale = Some(scale.to_owned());
    }

    /// On a line through these.
    pub(super) fn fitted(self, fit: Option<(f64, f64)>) -> Self {
        Self { fit, ..self }
    }

    /// On a dashed line of its colour.
    pub(super) fn dashed(self, order: usize, words: &str) -> Self {
        let dashed = |colour| Ink { is_dashed: true, ..Ink::plain(colour) };
        let (order, ink) = ((self.order.0, order), dashed(self.ink.colour));
        Self { order, ink, ..self.among(0, words, dashed(INK)) }
    }

    /// A hollow bar of its colour.
    pub(super) fn hollow(self, order: usize, words: &str) -> Self {
        let hollow = |colour| Ink { is_hollow: true, ..Ink::plain(colour) };
        let ink = hollow(self.ink.colour);
        Self { ink, ..self.among(order, words, hollow(INK)) }
    }

    pub(super) fn in_every_panel(self) -> Self {
        Self { panel: None, ..self }
    }

    /// Another value in its place, such as a share in percent.
    pub(super) fn valued(self, value: f64) -> Self {
        Self { value, bounds: None, ..self }
    }

    pub(super) fn without_legend(self) -> Self {
        Self { legend: Vec::new(), ..self }
    }

    /// Its value and the ends of its bounds, but for what is more than so many times the value.
    fn ends(&self, far: f64) -> impl Iterator<Item = f64> {
        let near =
            |(low, high): (f64, f64)| [low.max(self.value / far), high.min(self.value * far)];
        let ends = self.bounds.map(near).into_iter().flatten().filter(|end| *end > 0.0);
        [self.value].into_iter().chain(ends)
    }
}

/// Error bars that end beyond so many times the value are cut off, so that the others can be read beside them.
const FAR: f64 = 3.0;

/// More panels in a figure, or names, series and points of one in a panel, say nothing; no experiment has more, but a record
/// of somebody else may.
const PANELS: usize = 16;
const SERIES: usize = 24;
const NAMES: usize = 24;

/// Plots with one legend.
pub(super) struct Figure {
    pub(super) topic: &'static str,
    pub(super) title: &'static str,
    pub(super) caption: &'static str,
    /// SVG elements.
    pub(super) panels: Vec<String>,
    /// As HTML.
    pub(super) legend: String,
}

impl Spec {
    /// The figure, if there are rows for it.
    pub(super) fn figure(&self, cases: &Cases<'_>) -> Option<Figure> {
        let mut places = Vec::new();
        for seen in &cases.rows {
            if let Some(rest) = seen.row.case.strip_prefix(self.cases) {
                let _ = (self.places)(cases, seen, rest, &mut places);
            }
        }
        let mut panels: BTreeMap<(usize, String), Vec<Place>> = BTreeMap::new();
        let mut everywhere = Vec::new();
        for place in places {
            match &place.panel {
                Some(panel) => panels.entry(panel.clone()).or_default().push(place),
                None => everywhere.push(place),
            }
        }
        let panels: Vec<Gathered> = panels
            .into_iter()
            .map(|((_, title), inside)| Gathered::of(self, title, inside, &everywhere))
            .filter(|panel| panel.has_length(self.form.1))
            .take(PANELS)
            .collect();
        let mut legend = Legend::default();
        panels.iter().flat_map(Gathered::places).for_each(|it| legend.add(&it.legend));
        let has_bars = matches!(self.form.0, Shape::Bars | Shape::Stacks);
        let drawn: Vec<String> = panels.iter().map(|panel| panel.plot(self, &panels)).collect();
        (!drawn.is_empty()).then(|| Figure {
            topic: self.about[0],
            title: self.about[1],
            caption: self.caption,
            panels: drawn,
            legend: legend.html(has_bars),
        })
    }
}

/// What stands in one panel.
struct Gathered {
    title: String,
    /// The names along the axis.
    names: Vec<String>,
    series: Vec<Vec<Place>>,
}

impl Gathered {
    fn of(spec: &Spec, title: String, mut inside: Vec<Place>, everywhere: &[Place]) -> Self {
        inside.extend_from_slice(everywhere);
        let mut names: Vec<String> = Vec::new();
        if matches!(spec.form.1, Along::Names(_)) {
            inside.sort_by(|one, other| one.at.total_cmp(&other.at));
            for place in &mut inside {
                let known = names.iter().position(|name| *name == place.label);
                let index = known.unwrap_or(names.len());
                if known.is_none() && index < NAMES {
                    names.push(place.label.clone());
                }
                place.at = index as f64 + 0.5;
            }
            inside.retain(|place| place.at < names.len() as f64);
        }
        let mut series: BTreeMap<_, Vec<Place>> = BTreeMap::new();
        for place in inside {
            series.entry((place.order, place.name.clone())).or_default().push(place);
        }
        let mut series: Vec<Vec<Place>> = series.into_values().take(SERIES).collect();
        for places in &mut series {
            places.sort_by(|one, other| one.at.total_cmp(&other.at));
        }
        Self { title, names, series }
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        self.series.iter().flatten()
    }

    fn scale(&self) -> &str {
        let scale = self.places().next().and_then(|place| place.scale.as_deref());
        scale.unwrap_or(&self.title)
    }

    /// The least and the greatest number along the axis.
    fn range(&self) -> (f64, f64) {
        let at = self.places().map(|place| place.at);
        at.fold((f64::MAX, 0.0), |(low, high), at| (low.min(at), f64::max(high, at)))
    }

    /// Whether there is something to see along the axis.
    fn has_length(&self, along: Along) -> bool {
        let (low, high) = self.range();
        match along {
            Along::Logarithm(_) => low < high,
            Along::Time => high > 0.0,
            _ => !self.series.is_empty(),
        }
    }

    fn plot(&self, spec: &Spec, all: &[Self]) -> String {
        let alike = || all.iter().filter(|other| other.scale() == self.scale());
        let along = self.along(spec);
        let values = self.values(spec, alike().flat_map(Self::places));
        let rows = if spec.form.0.is_in_rows() { self.names.clone() } else { Vec::new() };
        let panel = Panel { title: self.title.clone(), along, values, rows };
        let series: Vec<Series> = self.series.iter().map(|it| self.series(spec, it)).collect();
        plot(spec.form.0, &panel, &series)
    }

    fn along(&self, spec: &Spec) -> Axis {
        let (low, high) = self.range();
        match spec.form.1 {
            Along::Entries => {
                Axis::entries(&self.places().map(|place| place.at).collect::<Vec<_>>())
            }
            Along::Number(title) => Axis::from_zero(title, Quantity::In(""), high),
            Along::Logarithm(title) => Axis::logarithmic(title, Quantity::In(""), low, high),
            Along::Time => Axis::from_zero("time", Quantity::In("s"), high),
            Along::Percentiles => Axis::percentiles(),
            Along::Names(_) if spec.form.0.is_in_rows() => Axis::rows(self.names.len()),
            Along::Names(title) => Axis::names(title, &self.names),
        }
    }

    /// The axis of the values of these places.
    fn values<'a>(&self, spec: &Spec, places: impl Iterator<Item = &'a Place>) -> Axis {
        let (title, quantity) = spec.value;
        match spec.form.0 {
            Shape::Stacks => {
                let mut sums = vec![0.0_f64; self.names.len()];
                self.places().for_each(|place| sums[place.at as usize] += place.value.max(0.0));
                let longest = sums.into_iter().fold(0.0, f64::max);
                // Room for the total behind the longest bar.
                Axis::from_zero(title, quantity, longest).up_to(longest * 1.2)
            }
            Shape::Intervals => {
                let ends = places.flat_map(|place| {
                    let (low, high) = place.bounds.unwrap_or((place.value, place.value));
                    [low, high, place.value]
                });
                let ends = ends.filter(|end| *end > 0.0);
                let (low, high) = ends
                    .fold((1.0, 1.0), |(low, high), end| (f64::min(low, end), f64::max(high, end)));
                Axis::logarithmic(title, quantity, low, high)
            }
            Shape::Bars => {
                let values: Vec<f64> = places.map(|place| place.value).collect();
                Axis::over(title, quantity, &values)
            }
            Shape::Curves => {
                // Of a second, the slowest message is what counts.
                let far = if matches!(spec.form.1, Along::Time) { f64::INFINITY } else { FAR };
                let values: Vec<f64> = places.flat_map(|place| place.ends(far)).collect();
                match spec.form.1 {
                    Along::Percentiles => Axis::beyond(4.0, title, quantity, &values),
                    Along::Time => Axis::beyond(1.0, title, quantity, &values),
                    _ => Axis::over(title, quantity, &values),
                }
            }
        }
    }

    fn series(&self, spec: &Spec, places: &[Place]) -> Series {
        let point = |place: &Place| Point {
            at: place.at,
            value: place.value,
            bounds: place.bounds,
            is_pale: place.is_pale,
            words: self.words(spec, place),
        };
        let ink = places[0].ink;
        let is_line = ink.has_line && spec.form.0 == Shape::Curves;
        let line = if is_line { line(places) } else { Vec::new() };
        // What a dashed line shows has points in the solid one beside it.
        let shown = places.iter().filter(|_| !ink.is_dashed);
        Series { ink, line, points: shown.map(point).collect() }
    }

    /// What a mark says of itself.
    fn words(&self, spec: &Spec, place: &Place) -> String {
        let (_, quantity) = spec.value;
        let at = match spec.form.1 {
            Along::Entries if place.at <= 1.0 => "1 entry".to_owned(),
            Along::Entries => format!("{} entries", counted(place.at as u32)),
            Along::Number(what) | Along::Logarithm(what) => {
                format!("{} {what}", counted(place.at as u32))
            }
            Along::Time => format!("second {}", counted(place.at as u32)),
            Along::Percentiles => {
                let known = PERCENTILES.iter().find(|it| it.2.total_cmp(&place.at).is_eq());
                match known.map_or("", |it| it.1) {
                    "slowest" => "the slowest".to_owned(),
                    percent => format!("{percent} %"),
                }
            }
            Along::Names(_) => place.label.replace('\n', ", "),
        };
        let value = quantity.words(place.value);
        let bounds = place.bounds.map_or(String::new(), |(low, high)| {
            format!(" ({} to {})", quantity.words(low), quantity.words(high))
        });
        format!("{}, {at}: {value}{bounds}", place.name)
    }
}

/// The fitted line over the numbers that were measured, or the way from point to point.
fn line(places: &[Place]) -> Vec<(f64, f64)> {
    let (first, last) = (&places[0], &places[places.len() - 1]);
    let Some((fixed, per_entry)) = first.fit else {
        return places.iter().map(|place| (place.at, place.value)).collect();
    };
    // Enough steps for a straight line to be round on a logarithmic axis.
    let steps = 36;
    let step = (last.at - first.at) / f64::from(steps);
    let at = (0..=steps).map(|index| first.at + step * f64::from(index));
    at.map(|at| (at, fixed + per_entry * at)).collect()
}
