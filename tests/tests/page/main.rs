//! The page of a record: well-formed, alone, and as true as the rows.

mod catena;
mod fixture;
mod markup;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};
use trunkline_report::{Report, html};
use trunkline_wire::base64;

use fixture::{machine, row};
use markup::{Element, elements, plots};

/// A pixel: what is so near is on the same place.
const PIXEL: f64 = 1.0;

/// The record of sizes and codecs that comes with the project.
fn recorded() -> RunRecord {
    let file = "../records/2026-11-20-kohlhoff-2004-size-codec.jsonl";
    RunRecord::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a record")
}

fn page(record: &RunRecord) -> String {
    html::page(record, &Report::of(record))
}

fn page_of(rows: Vec<Row>) -> String {
    page(&RunRecord { machine: machine(), rows })
}

/// Keeps the page where it can be looked at.
fn keep(page: &str, name: &str) {
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), page).expect("a file");
}

fn attribute<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    let found = element.attributes.iter().find(|attribute| attribute.0 == name);
    found.map(|attribute| attribute.1.as_str())
}

/// Fails if the page is no XML, or would load or run anything.
#[track_caller]
fn assert_alone(page: &str) {
    let known = [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "header",
        "nav",
        "footer",
        "section",
        "h1",
        "h2",
        "h3",
        "p",
        "br",
        "strong",
        "details",
        "summary",
        "span",
        "div",
        "a",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "svg",
        "g",
        "circle",
        "line",
        "polygon",
        "polyline",
        "rect",
        "text",
    ];
    for element in elements(page) {
        assert!(known.contains(&element.name.as_str()), "<{}>", element.name);
        for (name, value) in &element.attributes {
            assert!(!name.starts_with("on"), "{name}={value:?} in <{}>", element.name);
            assert!(!["src", "srcset", "style", "action", "data"].contains(&name.as_str()));
            let is_here =
                ["#part-", "data:application/gzip;base64,"].iter().any(|it| value.starts_with(it));
            assert!(name != "href" || is_here, "{value}");
            let is_text = ["aria-label", "download"].contains(&name.as_str());
            assert!(is_text || !value.contains("url("), "{name}={value:?}");
        }
        if element.name == "style" {
            for load in ["url(", "@import", "http", "image-set", "<", "&"] {
                assert!(!element.text.contains(load), "{load} in the style sheet");
            }
        }
    }
}

/// Fails if a part of the page has a title and no more.
#[track_caller]
fn assert_nothing_empty(page: &str) {
    for (before, after) in [
        ("</h2>", "</section>"),
        ("</thead>\n<tbody>", "</tbody>"),
        ("<div class=\"panels\">", "</div>"),
        ("<ul>", "</ul>"),
        ("<ul class=\"legend\">", "</ul>"),
        ("<dl class=\"machine\">", "</dl>"),
    ] {
        for (at, _) in page.match_indices(before) {
            let rest = page[at + before.len()..].trim_start();
            assert!(!rest.starts_with(after), "nothing between {before} and {after}");
        }
    }
}

#[test]
fn the_page_of_the_record_stands_alone() {
    let page = page(&recorded());
    keep(&page, "record.html");
    assert_alone(&page);
    assert_nothing_empty(&page);
    let names: Vec<String> = plots(&page).into_iter().map(|plot| plot.name).collect();
    for part in ["The paper's three formats", "trunkline in every format", "FIX: everyone"] {
        assert!(names.iter().any(|name| name.starts_with(part)), "{part} is not in {names:?}");
    }
    let first = page.find("no longer").expect("a verdict");
    assert!(first < page.find("<table").expect("a table"), "verdicts come first");
}

#[test]
fn every_case_has_its_plots() {
    let page = page(&fixture::record(7));
    keep(&page, "every-case.html");
    assert_alone(&page);
    assert_nothing_empty(&page);
    for title in [
        "The factors behind the verdicts",
        "Size of a message",
        "What other schemas save",
        "CPU time of encoding a message",
        "CPU time of decoding a message",
        "Ahead of each peer",
        "Round trips by length of the message",
        "Where the time of a round trip goes",
        "Round trips in other SOAP schemas",
        "Percentiles of round trips",
        "Percentiles of latency at a given rate",
        "Throughput by length of the message",
        "What was busy",
        "Throughput with unequal ends",
    ] {
        assert_eq!(page.matches(&format!("<h3>{title}</h3>")).count(), 1, "{title}");
    }
    for plot in plots(&page) {
        assert!(plot.elements.iter().any(|element| element.name == "text"), "{}", plot.name);
        let outside = |value: f64, limit: f64| value < 0.0 || value > limit;
        for element in &plot.elements {
            for (name, limit) in [("cx", 540.0), ("x", 540.0), ("cy", 700.0), ("y", 700.0)] {
                let value = attribute(element, name).map(|value| value.parse().expect("a number"));
                let is_out = value.is_some_and(|value: f64| outside(value, limit));
                assert!(!is_out, "{}: {element:?}", plot.name);
            }
        }
    }
}

#[test]
fn a_record_with_one_case_has_no_empty_parts() {
    let whole = fixture::record(11);
    let names: BTreeSet<&str> = whole.rows.iter().map(|row| row.case.as_str()).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let rows = whole.rows.iter().filter(|row| row.case == name).cloned().collect();
        let page = page_of(rows);
        assert_alone(&page);
        assert_nothing_empty(&page);
        let has_plot = !["capacity", "throughput-"].iter().any(|case| name.starts_with(case))
            && !name.starts_with("link@");
        assert_eq!(!plots(&page).is_empty(), has_plot, "{name}");
        let shows_throughput = page.contains("Throughput by length");
        assert_eq!(shows_throughput, name.starts_with("throughput@"), "{name}");
    }
    let page = page_of(Vec::new());
    assert_alone(&page);
    assert_nothing_empty(&page);
    assert!(plots(&page).is_empty() && !page.contains("verdicts\">"));
}

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "'><img src=x onerror=alert(1)>",
    "</style></svg></main>]]>",
    "&lt;b&gt; &copy; &#x0;",
    "\u{0}\u{1b}[31m\u{ffff}\u{202e}",
    "javascript:alert(1)",
    "url(//example.org/)",
];

#[test]
fn what_a_record_says_stays_text() {
    for text in HOSTILE {
        let mut record = fixture::record(13);
        let known = |case: &str| case.split('@').next().unwrap_or("").to_owned();
        for (index, row) in record.rows.iter_mut().enumerate() {
            match index % 5 {
                0 => row.subject = text.into(),
                1 => row.profile = format!("{text}/{text}"),
                2 => row.case = format!("{}@{text}", known(&row.case)),
                3 => row.metric = format!("ahead-of-{text}"),
                _ => row.unit = text.into(),
            }
        }
        record.rows.push(row("conclusion", text, text, text, "x"));
        record.rows.push(Row { value: Some(1.0), ..row("trades", text, "", "trades", "") });
        let machine = &mut record.machine;
        for field in [
            &mut machine.experiment,
            &mut machine.processor,
            &mut machine.kernel,
            &mut machine.compiler,
            &mut machine.date,
        ] {
            *field = text.into();
        }
        machine.peers.insert(text.into(), text.into());
        let page = page(&record);
        assert_alone(&page);
        let title = elements(&page).into_iter().find(|element| element.name == "h1");
        let shown: String = text
            .chars()
            .map(|c| if "\u{0}\u{1b}\u{ffff}\u{202e}".contains(c) { '\u{fffd}' } else { c })
            .collect();
        assert_eq!(title.expect("a title").text, format!("{shown}: then and now"));
    }
}

#[test]
fn values_beyond_measure_are_drawn_or_left_out() {
    let values = [0.0, -1.0, 1e-320, 1e-9, 1e308, f64::MAX, f64::MIN];
    for (index, high) in values.into_iter().enumerate() {
        for low in [values[(index + 1) % values.len()], values[(index + 3) % values.len()]] {
            let mut record = fixture::record(17);
            for (index, row) in record.rows.iter_mut().enumerate() {
                row.value = Some(if index % 3 == 0 { high } else { low });
                row.low = Some(low);
                row.high = Some(high);
                row.paper = (index % 2 == 0).then_some(high);
                row.entries = row.entries.map(|it| if index % 7 == 0 { u32::MAX } else { it });
            }
            // One of each shape is enough.
            record.rows.retain(|row| !row.case.contains("mbit"));
            assert_alone(&page(&record));
        }
    }
}

#[test]
fn a_crowd_of_subjects_is_left_out() {
    let mut rows = Vec::new();
    for index in 0..5_000 {
        let who = format!("subject {index}");
        let profile = format!("way {index}/fix-4.3/tag-value/none/none");
        let links = [format!("round-trip@link {index}"), "round-trip@direct".to_owned()];
        for case in links.iter().map(String::as_str).chain(["encode", "open-loop-7@direct"]) {
            for metric in ["round-trip", "round-trip-p50", "latency-p50", "cpu-time", "network"] {
                let row = row(case, &who, &profile, metric, "ns");
                rows.push(Row { entries: Some(10), value: Some(5.0), ..row });
            }
        }
    }
    // The tables have their own tests.
    let no_tables = Report::of(&RunRecord { machine: machine(), rows: Vec::new() });
    let page = html::page(&RunRecord { machine: machine(), rows }, &no_tables);
    let count = elements(&page).len();
    assert!(count < 40_000, "{count} elements");
}

#[test]
fn a_wrong_answer_is_not_plotted() {
    let mut rows = size_rows("none/fix-4.3/tag-value/none/none", &[(1, 200.0), (2, 300.0)]);
    rows[1].verdict = Verdict::WrongAnswer;
    let plots = plots(&page_of(rows));
    let circles = plots[0].elements.iter().filter(|element| element.name == "circle");
    assert_eq!(circles.count(), 1);
}

fn size_rows(profile: &str, points: &[(u32, f64)]) -> Vec<Row> {
    let size = row("size", "trunkline", profile, "size", "bytes");
    let with = |&(entries, value): &(u32, f64)| Row {
        entries: Some(entries),
        value: Some(value),
        low: Some(value * 0.9),
        high: Some(value * 1.1),
        ..size.clone()
    };
    points.iter().map(with).collect()
}

#[test]
fn points_and_bounds_stand_where_the_axes_say() {
    let points = [(1, 192.0), (3, 410.0), (10, 1_182.0)];
    let page = page_of(size_rows("none/fix-4.3/tag-value/none/none", &points));
    let plot = &plots(&page)[0];
    let (x, y) = (plot.axis_of_x(), plot.axis_of_y());
    let close = |one: f64, other: f64| (one - other).abs() <= PIXEL;
    for (entries, value) in points {
        let at = (x.linear(f64::from(entries)), y.linear(value));
        let is_there = plot.circles().iter().any(|it| close(it.0, at.0) && close(it.1, at.1));
        assert!(is_there, "{entries} entries, {value}: {at:?} of {:?}", plot.circles());
        let ends = [y.linear(value * 0.9), y.linear(value * 1.1)];
        let is_bound = |line: &Vec<(f64, f64)>| {
            line.len() == 2
                && line.iter().all(|end| close(end.0, at.0))
                && ends.iter().all(|end| line.iter().any(|point| close(point.1, *end)))
        };
        assert!(plot.lines().iter().any(is_bound), "no bounds at {at:?}");
    }
    assert_eq!(plot.circles().len(), points.len());
}

#[test]
fn the_paper_stands_beside_us_on_a_logarithmic_axis() {
    let cpu = row("encode", "trunkline", "none/fix-4.3/tag-value/none/none", "cpu-time", "ns");
    let points = [(1, 120.0, 39_100.0), (10, 770.0, 166_000.0)];
    let rows = points.map(|(entries, value, paper)| Row {
        entries: Some(entries),
        value: Some(value),
        paper: Some(paper),
        ..cpu.clone()
    });
    let page = page_of(rows.to_vec());
    let plots = plots(&page);
    let plot = plots.iter().find(|plot| plot.name.starts_with("FIX: everyone")).expect("a plot");
    let (x, y) = (plot.axis_of_x(), plot.axis_of_y());
    let close = |one: f64, other: f64| (one - other).abs() <= PIXEL;
    for (entries, value, paper) in points {
        let at = (x.linear(f64::from(entries)), y.logarithmic(value));
        let is_there = plot.circles().iter().any(|it| close(it.0, at.0) && close(it.1, at.1));
        assert!(is_there, "{value} at {at:?} of {:?}", plot.circles());
        let at = (at.0, y.logarithmic(paper));
        let is_there = |line: &Vec<(f64, f64)>| {
            line.iter().any(|point| close(point.0, at.0) && close(point.1, at.1))
        };
        assert!(plot.dashed().iter().any(is_there), "the paper's {paper} at {at:?}");
    }
}

#[test]
fn the_parts_of_a_bar_are_as_long_as_the_times() {
    let profile = "tcp-blocking/fix-4.3/tag-value/none/none";
    let parts = [
        ("client-encode", 1_000.0),
        ("network", 20_000.0),
        ("server-decode", 4_000.0),
        ("server-encode", 2_000.0),
        ("client-decode", 3_000.0),
    ];
    let rows = parts.map(|(metric, value)| Row {
        entries: Some(10),
        value: Some(value),
        ..row("round-trip@10mbit", "trunkline", profile, metric, "ns")
    });
    let page = page_of(rows.to_vec());
    let plot = &plots(&page)[0];
    assert_eq!(plot.name, "10 Mbit/s: round trip, µs");
    let x = plot.axis_of_x();
    let mut start = 0.0;
    let bars = plot.rectangles();
    assert_eq!(bars.len(), parts.len());
    for ((metric, value), (left, width)) in parts.iter().zip(bars) {
        let (from, to) = (x.linear(start / 1e3), x.linear((start + value) / 1e3));
        assert!((left - from).abs() <= PIXEL && (width - (to - from)).abs() <= PIXEL, "{metric}");
        start += value;
    }
    assert!(
        plot.elements.iter().any(|element| element.text.trim() == "30 µs"),
        "the total is there"
    );
}

#[test]
fn the_page_carries_every_row() {
    let record = fixture::record(19);
    let page = page(&record);
    let links: Vec<Element> =
        elements(&page).into_iter().filter(|element| element.name == "a").collect();
    let link = links.iter().find(|link| attribute(link, "download").is_some());
    let data =
        link.and_then(|link| attribute(link, "href")).and_then(|data| data.split_once("base64,"));
    let mut packed = Vec::new();
    base64::decode_into(data.expect("base64").1.as_bytes(), 64 << 20, &mut packed).expect("base64");
    let mut lines = String::new();
    GzDecoder::new(packed.as_slice()).read_to_string(&mut lines).expect("gzip");
    let mut lines = lines.lines();
    let machine = serde_json::to_string(&record.machine).expect("plain data");
    assert_eq!(lines.next(), Some(machine.as_str()));
    for row in &record.rows {
        let row = serde_json::to_string(row).expect("plain data");
        assert_eq!(lines.next(), Some(row.as_str()));
    }
    assert_eq!(lines.next(), None);
}
