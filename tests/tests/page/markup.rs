//! Reading a page back: elements, plots, and the axes of plots.

use trunkline_codec::xml::{Event, Options, Parser, Source, unescape};
use trunkline_message::Limits;

/// An element with the text directly in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    depth: usize,
}

/// Every element in the order of start tags; fails where the text is not XML.
#[track_caller]
pub(crate) fn elements(page: &str) -> Vec<Element> {
    let page = page.strip_prefix("<!DOCTYPE html>\n").expect("HTML5");
    let limits = Limits { message_bytes: 64 << 20, ..Limits::default() };
    let mut source = Source::default();
    let page = source.prepare(page.as_bytes(), &limits).expect("characters of XML");
    let mut parser = Parser::new(Options::default(), &limits);
    parser.begin(page).expect("a document");
    let mut found: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        match parser.next(page).unwrap_or_else(|error| panic!("{error}")) {
            Event::Start { name, .. } => {
                let name = name.local().to_owned();
                let attributes = parser.attributes(page);
                let attributes = attributes
                    .map(|it| (it.name.local().to_owned(), it.value().into_owned()))
                    .collect();
                open.push(found.len());
                found.push(Element { name, attributes, text: String::new(), depth: open.len() });
            }
            Event::End { .. } => drop(open.pop()),
            Event::Text { raw, .. } => {
                if let Some(&inner) = open.last() {
                    unescape(raw, &mut found[inner].text);
                }
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

/// A plot of a page; swatches of legends are none.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) name: String,
    pub(crate) elements: Vec<Element>,
}

pub(crate) fn plots(page: &str) -> Vec<Plot> {
    let mut found: Vec<Plot> = Vec::new();
    let mut inside = None;
    for element in elements(page) {
        if inside.is_some_and(|depth| element.depth <= depth) {
            inside = None;
        }
        if element.name == "svg"
            && let Some((_, name)) = element.attributes.iter().find(|it| it.0 == "aria-label")
        {
            inside = Some(element.depth);
            found.push(Plot { name: name.clone(), elements: Vec::new() });
        } else if let (Some(_), Some(plot)) = (inside, found.last_mut()) {
            plot.elements.push(element);
        }
    }
    found
}

/// Two ticks of an axis: the number at each and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticks([(f64, f64); 2]);

impl Ticks {
    /// Where a value stands between the ticks, or beyond them.
    pub(crate) fn linear(self, value: f64) -> f64 {
        let [first, last] = self.0;
        first.1 + (value - first.0) / (last.0 - first.0) * (last.1 - first.1)
    }

    /// As [`linear`](Self::linear) by the logarithms of values.
    pub(crate) fn logarithmic(self, value: f64) -> f64 {
        Self(self.0.map(|(value, place)| (value.ln(), place))).linear(value.ln())
    }
}

impl Plot {
    pub(crate) fn axis_of_x(&self) -> Ticks {
        self.ticks("middle", "x")
    }

    pub(crate) fn axis_of_y(&self) -> Ticks {
        self.ticks("end", "y")
    }

    /// The outermost of the labels that are anchored so and begin with a number.
    fn ticks(&self, anchor: &str, place: &str) -> Ticks {
        let is_label = |element: &&Element| {
            element.name == "text" && value_of(element, "text-anchor") == Some(anchor)
        };
        let mut ticks: Vec<(f64, f64)> = self
            .elements
            .iter()
            .filter(is_label)
            .filter_map(|it| Some((in_words(it.text.trim())?, number(it, place))))
            .collect();
        ticks.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ticks([*ticks.first().expect("a tick"), *ticks.last().expect("a tick")])
    }

    /// The middles of circles.
    pub(crate) fn circles(&self) -> Vec<(f64, f64)> {
        self.named("circle").map(|it| (number(it, "cx"), number(it, "cy"))).collect()
    }

    /// The left side and the width of rectangles.
    pub(crate) fn rectangles(&self) -> Vec<(f64, f64)> {
        self.named("rect").map(|it| (number(it, "x"), number(it, "width"))).collect()
    }

    /// The points of lines.
    pub(crate) fn lines(&self) -> Vec<Vec<(f64, f64)>> {
        self.named("polyline").map(points).collect()
    }

    /// The points of dashed lines.
    pub(crate) fn dashed(&self) -> Vec<Vec<(f64, f64)>> {
        let lines = self.named("polyline");
        lines.filter(|it| value_of(it, "stroke-dasharray").is_some()).map(points).collect()
    }

    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }
}

/// `1,500`, or a time such as `20 µs` in nanoseconds.
fn in_words(label: &str) -> Option<f64> {
    let (number, unit) = label.split_once(' ').unwrap_or((label, ""));
    let unit = match unit {
        "" | "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        _ => return None,
    };
    number.replace(',', "").parse::<f64>().ok().map(|number| number * unit)
}

fn points(element: &Element) -> Vec<(f64, f64)> {
    let pair = |pair: &str| {
        let (x, y) = pair.split_once(',').expect("two numbers");
        (x.parse().expect("a number"), y.parse().expect("a number"))
    };
    value_of(element, "points").expect("points").split_whitespace().map(pair).collect()
}

fn value_of<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    let found = element.attributes.iter().find(|attribute| attribute.0 == name);
    found.map(|attribute| attribute.1.as_str())
}

fn number(element: &Element, name: &str) -> f64 {
    value_of(element, name).and_then(|value| value.parse().ok()).expect("a number")
}
