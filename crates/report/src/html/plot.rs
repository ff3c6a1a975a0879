//! Plots as SVG: curves, bars, stacked bars and intervals, each in a panel with two axes.
//!
//! What is drawn is given in values; an [`Axis`] turns them into places. Legends stand outside,
//! in the page, and show [`swatch`]es that are drawn by the same functions.

use std::collections::BTreeSet;
use std::io;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color as _, FontDesc, FontStyle, IntoFont as _, RGBAColor, RGBColor, ShapeStyle, TextStyle,
};

use super::axis::Axis;
use super::palette::{Colour, FAINT, GREY, INK, Marker, SOFT};
use super::text::{clean, escaped};

/// Units of a drawing in a pixel of the page, since plotters places by whole units.
const GRAIN: i32 = 4;
/// Pixels of a panel.
const WIDTH: i32 = 540;
const HEIGHT: i32 = 350;
/// Room above for the titles, and left and below for labels.
const TOP: i32 = 52;
const TOP_OF_ROWS: i32 = 30;
const LEFT: i32 = 62;
const BELOW: i32 = 44;
const RIGHT: i32 = 26;
/// Room for names of rows at the left, and the height of a row.
const NAMES: i32 = 158;
const ROW: i32 = 36;
const TEXT: f64 = 13.0;
/// plotters-svg makes text smaller by this.
const FONT_FACTOR: f64 = 1.24;
/// The opacity of dashed lines, by which they are found among the others.
const DASHED: f64 = 0.85;
/// The opacity of points in doubt.
const PALE: f64 = 0.4;

type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// What all plots have.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
}

/// A measured value with its bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) bounds: Option<(f64, f64)>,
    /// Whether the repetitions carry no conclusion; such points are pale.
    pub(super) is_doubtful: bool,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Solid,
    Dashed,
}

/// Points of one colour and the line through them or beside them.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) colour: Colour,
    pub(super) stroke: Stroke,
    pub(super) line: Vec<(f64, f64)>,
    pub(super) marker: Option<Marker>,
    pub(super) points: Vec<Point>,
}

/// Points, lines and bounds.
pub(super) fn curves(panel: &Panel, curves: &[Curve]) -> String {
    drawing(panel, HEIGHT, |root| {
        let mut chart = chart(root, panel, (TOP, LEFT), true)?;
        for curve in curves {
            let line = placed(panel, curve.line.iter().copied());
            stroke(&mut chart, line, curve.colour, curve.stroke, 2)?;
            for point in &curve.points {
                if let Some((low, high)) = point.bounds {
                    whisker(root, &chart, panel, curve.colour, [(point.x, low), (point.x, high)])?;
                }
                if let (Some(shape), [at]) =
                    (curve.marker, &placed(panel, [(point.x, point.y)])[..])
                {
                    let at = chart.backend_coord(at);
                    let opacity = if point.is_doubtful { PALE } else { 1.0 };
                    draw_marker(root, shape, at, (curve.colour, opacity))?;
                }
            }
        }
        Ok(())
    })
}

/// Points of one colour and nothing else: there may be a hundred thousand of them.
#[derive(Clone, Debug)]
pub(super) struct Dots {
    pub(super) colour: Colour,
    pub(super) points: Vec<(f64, f64)>,
}

/// Points so many that each is but a move and a dot in one path of its colour; those on the same place
/// are drawn once.
pub(super) fn dots(panel: &Panel, dots: &[Dots]) -> String {
    let mut paths = String::new();
    let svg = drawing(panel, HEIGHT, |root| {
        let chart = chart(root, panel, (TOP, LEFT), true)?;
        for Dots { colour, points } in dots {
            let points = placed(panel, points.iter().copied());
            let places: BTreeSet<(i32, i32)> =
                points.iter().map(|point| chart.backend_coord(point)).collect();
            let RGBColor(red, green, blue) = colour.rgb();
            paths.push_str(&format!(
                "<path fill=\"none\" stroke=\"#{red:02X}{green:02X}{blue:02X}\" stroke-width=\"{}\" \
                 stroke-linecap=\"round\" d=\"",
                GRAIN * 3 / 2
            ));
            for (x, y) in places {
                paths.push_str(&format!("M{x} {y}h0"));
            }
            paths.push_str("\"/>\n");
        }
        Ok(())
    });
    match svg.strip_suffix("</svg>\n").or(svg.strip_suffix("</svg>")) {
        Some(open) => format!("{open}{paths}</svg>\n"),
        None => svg,
    }
}

/// Bars of one colour, a value for each group.
#[derive(Clone, Debug)]
pub(super) struct Bars {
    pub(super) colour: Colour,
    /// Whether only the outline is drawn.
    pub(super) is_hollow: bool,
    pub(super) values: Vec<Option<f64>>,
}

/// Groups of upright bars side by side; the x axis has the names of the groups. Hollow bars stand
/// around the filled ones before them.
pub(super) fn bars(panel: &Panel, bars: &[Bars]) -> String {
    drawing(panel, HEIGHT, |root| {
        let mut chart = chart(root, panel, (TOP, LEFT), false)?;
        let slots = bars.iter().filter(|bars| !bars.is_hollow).count().max(1) as f64;
        let width = 0.8 / slots;
        let mut slot = 0.0;
        for bars in bars {
            if bars.is_hollow {
                slot -= 1.0;
            }
            for (group, value) in bars.values.iter().enumerate() {
                let Some(top) = value.filter(|value| panel.y.has(*value)) else { continue };
                let left = group as f64 + 0.1 + f64::max(slot, 0.0) * width;
                let corners = [(left, panel.y.ground()), (left + width * 0.92, top)];
                bar(&mut chart, corners, bars.colour, bars.is_hollow)?;
            }
            slot += 1.0;
        }
        Ok(())
    })
}

/// A row of a plot: a name, and below it what tells it from others of that name.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) first: String,
    pub(super) second: String,
}

/// A lying bar of parts, each with its length.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    pub(super) name: Name,
    pub(super) parts: Vec<(Colour, f64)>,
    /// What stands behind the end of the bar.
    pub(super) label: String,
}

/// Lying bars, the first on top. The y axis of the panel must be [`Axis::rows`].
pub(super) fn stacks(panel: &Panel, stacks: &[Stack]) -> String {
    let names: Vec<&Name> = stacks.iter().map(|stack| &stack.name).collect();
    in_rows(panel, &names, |root, chart| {
        for (row, stack) in stacks.iter().enumerate() {
            let row = row as f64;
            let mut end = 0.0;
            for &(colour, length) in &stack.parts {
                let next = end + length;
                bar(chart, [(end, row + 0.2), (next, row + 0.8)], colour, false)?;
                end = next;
            }
            let (x, y) = chart.backend_coord(&(end, row + 0.5));
            text(root, &stack.label, (x + 6 * GRAIN, y))?;
        }
        Ok(())
    })
}

/// A range with its middle.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    /// The row that it belongs to, from the top.
    pub(super) row: usize,
    /// How far below the middle of the row, in its height.
    pub(super) below: f64,
    pub(super) colour: Colour,
    pub(super) marker: Marker,
    pub(super) value: f64,
    pub(super) bounds: Option<(f64, f64)>,
}

/// Ranges beside names. The y axis of the panel must be [`Axis::rows`].
pub(super) fn intervals(panel: &Panel, names: &[Name], intervals: &[Interval]) -> String {
    let names: Vec<&Name> = names.iter().collect();
    in_rows(panel, &names, |root, chart| {
        if panel.x.low < 1.0 && panel.x.high > 1.0 {
            stroke(chart, vec![(1.0, 0.0), (1.0, panel.y.low)], GREY, Stroke::Solid, 1)?;
        }
        for interval in intervals {
            let y = interval.row as f64 + 0.5 + interval.below;
            if let Some((low, high)) = interval.bounds {
                let ends = [low, high].map(|x| (panel.x.clipped(x), y));
                let line = placed(panel, ends);
                stroke(chart, line, interval.colour, Stroke::Solid, 3)?;
            }
            for at in placed(panel, [(interval.value, y)]) {
                let at = chart.backend_coord(&at);
                draw_marker(root, interval.marker, at, (interval.colour, 1.0))?;
            }
        }
        Ok(())
    })
}

/// A plot whose y axis has names.
fn in_rows(
    panel: &Panel,
    names: &[&Name],
    draw: impl FnOnce(&Root<'_>, &mut Chart<'_, '_>) -> Drawn,
) -> String {
    let height = TOP_OF_ROWS + BELOW + ROW * names.len() as i32;
    drawing(panel, height, |root| {
        let mut chart = chart(root, panel, (TOP_OF_ROWS, NAMES), true)?;
        for (row, name) in names.iter().enumerate() {
            if row > 0 {
                let ends = [panel.x.low, panel.x.high].map(|x| (x, row as f64));
                stroke(&mut chart, ends.to_vec(), FAINT, Stroke::Solid, 1)?;
            }
            let middle = chart.backend_coord(&(panel.x.low, row as f64 + 0.5)).1;
            let half = if name.second.is_empty() { 0 } else { 8 * GRAIN };
            text(root, &name.first, (4 * GRAIN, middle - half))?;
            let soft = text_style(font(TEXT - 1.0), SOFT);
            let second = clean(&name.second);
            root.draw(&Text::new(second, (4 * GRAIN, middle + half), soft))?;
        }
        draw(root, &mut chart)
    })
}

/// What a legend shows of a curve.
pub(super) fn swatch(colour: Colour, marker: Option<Marker>, line: Option<Stroke>) -> String {
    let (width, height) = (34, 14);
    svg("", (width, height), |root| {
        let middle = height * GRAIN / 2;
        if let Some(line) = line {
            let ends = vec![(GRAIN, middle), ((width - 1) * GRAIN, middle)];
            root.draw(&PathElement::new(ends, line_style(colour, line, 2)))?;
        }
        match marker {
            Some(marker) => draw_marker(root, marker, (width * GRAIN / 2, middle), (colour, 1.0)),
            None => Ok(()),
        }
    })
}

/// What a legend shows of a bar.
pub(super) fn swatch_of_bar(colour: Colour, is_hollow: bool) -> String {
    svg("", (16, 14), |root| {
        let corners = [(2 * GRAIN, GRAIN), (14 * GRAIN, 13 * GRAIN)];
        match is_hollow {
            true => {
                root.draw(&PathElement::new(frame(corners), line_style(colour, Stroke::Solid, 2)))
            }
            false => root.draw(&Rectangle::new(corners, filled(colour))),
        }
    })
}

fn drawing(panel: &Panel, height: i32, draw: impl FnOnce(&Root<'_>) -> Drawn) -> String {
    let name = match panel.y.title.as_str() {
        "" => format!("{}: {}", panel.title, panel.x.title),
        title => format!("{}: {title}, by {}", panel.title, panel.x.title),
    };
    svg(&name, (WIDTH, height), |root| {
        let bold = font(14.5).style(FontStyle::Bold);
        let bold = text_style(bold, INK);
        root.draw(&Text::new(clean(&panel.title), (4 * GRAIN, 12 * GRAIN), bold))?;
        text(root, &panel.y.title, (4 * GRAIN, 34 * GRAIN))?;
        draw(root)
    })
}

/// An SVG element of so many pixels; `name` is what is read out.
fn svg(name: &str, (width, height): (i32, i32), draw: impl FnOnce(&Root<'_>) -> Drawn) -> String {
    let size = ((width * GRAIN) as u32, (height * GRAIN) as u32);
    let mut content = String::new();
    let drawn = {
        let root = SVGBackend::with_string(&mut content, size).into_drawing_area();
        draw(&root).and_then(|()| root.present())
    };
    if let Err(cause) = drawn {
        return format!("<p>This plot cannot be drawn: {}</p>", escaped(&cause.to_string()));
    }
    // The page gives the element its size and name.
    let body = content.split_once('>').map_or("", |(_, body)| body);
    let dashes = format!("opacity=\"{DASHED}\" stroke-dasharray=\"{} {}\"", 6 * GRAIN, 4 * GRAIN);
    let body = body.replace(&format!("opacity=\"{DASHED}\""), &dashes);
    let label = match name {
        "" => "aria-hidden=\"true\"".to_owned(),
        name => format!("role=\"img\" aria-label=\"{}\"", escaped(name)),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{width}\" \
         height=\"{height}\" {label}>{body}",
        size.0, size.1
    )
}

/// The axes with their grid. `left` is the room for the labels of the y axis; an axis without ticks
/// is not drawn.
fn chart<'a, 'b>(
    root: &'a Root<'b>,
    panel: &Panel,
    (top, left): (i32, i32),
    has_grid_of_x: bool,
) -> Result<Chart<'a, 'b>, DrawingAreaErrorKind<io::Error>> {
    let mut chart = ChartBuilder::on(root)
        .margin_top(top * GRAIN)
        .margin_right(RIGHT * GRAIN)
        .y_label_area_size(left * GRAIN)
        .x_label_area_size(BELOW * GRAIN)
        .build_cartesian_2d(panel.x.clone(), panel.y.clone())?;
    let mut mesh = chart.configure_mesh();
    if !has_grid_of_x {
        mesh.disable_x_mesh();
    }
    if panel.y.ticks.is_empty() {
        mesh.disable_y_mesh().disable_y_axis();
    }
    mesh.light_line_style(RGBAColor(0, 0, 0, 0.0))
        .bold_line_style(line_style(FAINT, Stroke::Solid, 1))
        .axis_style(line_style(INK, Stroke::Solid, 1))
        .set_all_tick_mark_size(4 * GRAIN)
        .label_style(text_style(font(TEXT), INK))
        .axis_desc_style(text_style(font(TEXT), INK))
        .x_desc(clean(&panel.x.title))
        .draw()?;
    Ok(chart)
}

fn placed(panel: &Panel, values: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    values.into_iter().filter(|&(x, y)| panel.x.has(x) && panel.y.has(y)).collect()
}

fn stroke(
    chart: &mut Chart<'_, '_>,
    line: Vec<(f64, f64)>,
    colour: Colour,
    stroke: Stroke,
    width: u32,
) -> Drawn {
    if line.len() < 2 {
        return Ok(());
    }
    chart.draw_series([PathElement::new(line, line_style(colour, stroke, width))]).map(|_| ())
}

/// An error bar; where it leaves the plot it is cut off, without a cap.
fn whisker(
    root: &Root<'_>,
    chart: &Chart<'_, '_>,
    panel: &Panel,
    colour: Colour,
    ends: [(f64, f64); 2],
) -> Drawn {
    let style = line_style(colour, Stroke::Solid, 1);
    let [low, high] = placed(panel, ends)[..] else { return Ok(()) };
    let at = |(x, y): (f64, f64)| chart.backend_coord(&(panel.x.clipped(x), panel.y.clipped(y)));
    root.draw(&PathElement::new(vec![at(low), at(high)], style))?;
    let is_inside = |&(_, y): &(f64, f64)| panel.y.clipped(y).total_cmp(&y).is_eq();
    for (x, y) in [low, high].into_iter().filter(is_inside).map(at) {
        root.draw(&PathElement::new(vec![(x - 3 * GRAIN, y), (x + 3 * GRAIN, y)], style))?;
    }
    Ok(())
}

fn bar(
    chart: &mut Chart<'_, '_>,
    corners: [(f64, f64); 2],
    colour: Colour,
    is_hollow: bool,
) -> Drawn {
    if is_hollow {
        let outline = line_style(colour, Stroke::Solid, 2);
        return chart.draw_series([PathElement::new(frame(corners), outline)]).map(|_| ());
    }
    chart.draw_series([Rectangle::new(corners, filled(colour))]).map(|_| ())
}

/// The outline of a rectangle between two corners.
fn frame<N: Copy>([(left, top), (right, bottom)]: [(N, N); 2]) -> Vec<(N, N)> {
    vec![(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
}

fn text(root: &Root<'_>, words: &str, at: (i32, i32)) -> Drawn {
    root.draw(&Text::new(clean(words), at, text_style(font(TEXT), INK)))
}

/// The font at so many pixels.
fn font(pixels: f64) -> FontDesc<'static> {
    ("sans-serif", pixels * FONT_FACTOR * f64::from(GRAIN)).into_font()
}

fn text_style(font: FontDesc<'static>, colour: Colour) -> TextStyle<'static> {
    let style = TextStyle::from(font).pos(Pos::new(HPos::Left, VPos::Center));
    TextStyle { color: colour.rgb().to_backend_color(), ..style }
}

fn rgba(colour: Colour, opacity: f64) -> RGBAColor {
    let RGBColor(red, green, blue) = colour.rgb();
    RGBAColor(red, green, blue, opacity)
}

fn line_style(colour: Colour, stroke: Stroke, width: u32) -> ShapeStyle {
    let opacity = if stroke == Stroke::Dashed { DASHED } else { 1.0 };
    rgba(colour, opacity).stroke_width(width * GRAIN as u32)
}

fn filled(colour: Colour) -> ShapeStyle {
    rgba(colour, 1.0).filled()
}

/// Draws a marker at a place in units, in a colour of some opacity.
fn draw_marker(
    root: &Root<'_>,
    marker: Marker,
    (x, y): (i32, i32),
    (colour, opacity): (Colour, f64),
) -> Drawn {
    let colour = rgba(colour, opacity);
    let pen = colour.stroke_width(2 * GRAIN as u32);
    let size = 9 * GRAIN / 2;
    let at = |shape: &[(i32, i32)]| -> Vec<(i32, i32)> {
        shape.iter().map(|&(right, down)| (x + right * size / 10, y + down * size / 10)).collect()
    };
    let line = |shape: &[(i32, i32)]| PathElement::new(at(shape), pen);
    let area = |shape: &[(i32, i32)]| root.draw(&Polygon::new(at(shape), colour.filled()));
    match marker {
        Marker::Circle => root.draw(&Circle::new((x, y), size * 9 / 10, colour.filled())),
        Marker::Ring => root.draw(&Circle::new((x, y), size * 9 / 10, pen)),
        Marker::Triangle => area(&[(0, -11), (11, 8), (-11, 8)]),
        Marker::TriangleDown => area(&[(0, 11), (11, -8), (-11, -8)]),
        Marker::Square => area(&[(-8, -8), (8, -8), (8, 8), (-8, 8)]),
        Marker::Frame => root.draw(&line(&[(-8, -8), (8, -8), (8, 8), (-8, 8), (-8, -8)])),
        Marker::Diamond => area(&[(0, -12), (10, 0), (0, 12), (-10, 0)]),
        Marker::Plus => {
            root.draw(&line(&[(-11, 0), (11, 0)]))?;
            root.draw(&line(&[(0, -11), (0, 11)]))
        }
        Marker::Cross => {
            root.draw(&line(&[(-8, -8), (8, 8)]))?;
            root.draw(&line(&[(-8, 8), (8, -8)]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::axis::Quantity;

    /// The places of all lines and of all text of a plot, downwards, in units.
    fn downwards(svg: &str, attribute: &str) -> Vec<i32> {
        let lines = svg.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
        let places = lines.flat_map(|points| points.split_whitespace().map(str::to_owned));
        let y = |place: String| place.split(',').next_back().and_then(|y| y.parse().ok());
        places.filter_map(y).collect()
    }

    #[test]
    fn an_error_bar_ends_where_the_plot_does() {
        let panel = Panel {
            title: "a title that must be read".into(),
            x: Axis::from_zero("x", Quantity::Plain, "", 10.0),
            y: Axis::from_zero("y", Quantity::Plain, "", 10.0),
        };
        let point = |x, bounds| Point { x, y: 5.0, bounds: Some(bounds), is_doubtful: false };
        let drawn = |bounds| {
            let curve = Curve {
                colour: INK,
                stroke: Stroke::Solid,
                line: Vec::new(),
                marker: None,
                points: vec![point(2.0, bounds)],
            };
            curves(&panel, &[curve])
        };
        let highest = |svg: &str| downwards(svg, "points=\"").into_iter().min();
        let (within, beyond) = (drawn((4.0, 6.0)), drawn((4.0, 4_000.0)));
        assert!(highest(&within).is_some());
        assert!(highest(&beyond) >= Some(TOP * GRAIN), "{beyond}");
        // A cap would say that it ends there.
        let lines = |svg: &str| svg.matches("<polyline").count();
        assert_eq!(lines(&within), lines(&beyond) + 1);
    }
}
