//! A record as one page for a browser: verdicts, tables, plots, and the rows themselves to take
//! away.
//!
//! The page is XHTML-compatible HTML5. It loads nothing, runs nothing, and follows the reader's
//! choice of light or dark. Everything in it comes from the rows of the record, which may be a
//! somebody else's: all of it is escaped, and what is drawn is limited.

mod axis;
mod figure;
mod figures;
mod headline;
mod latencies;
mod legend;
mod method;
mod palette;
mod plot;
mod select;
mod style;
mod tables;
mod text;

use std::io::Read;

use flate2::Compression;
use flate2::bufread::GzEncoder;
use trunkline_wire::base64;

use crate::conclusion::{AIM, CONCLUSION};
use crate::tables::{Report, Section};
use figure::Figure;
use figures::figures;
pub use latencies::every_latency;
use select::Cases;
use tables::{badge, table};
use text::escaped;
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row, Verdict};
use trunkline_bench::table::with_commas;
use trunkline_experiment::subjects::TRUNKLINE;

/// The topics of the sections that stand first.
const FIRST: [&str; 2] = [CONCLUSION, AIM];

/// The page of a record and the [`Report`] of it, as UTF-8 text.
///
/// The verdicts come first, then each section of the report followed by its plots, then plots for
/// which the report has no section, how it was measured, and the rows as a file to save.
pub fn page(record: &RunRecord, report: &Report) -> String {
    let cases = Cases::of(&record.rows);
    let mut figures = figures(&cases);
    let title = format!("{}, {}", record.machine.experiment, record.machine.date);
    let is_first = |section: &&Section| FIRST.contains(&section.topic);
    let mut parts = Parts::default();
    for section in report.sections.iter().filter(is_first) {
        parts.section(section, take(&mut figures, section.topic));
    }
    parts.add("The machine", &machine(&record.machine));
    let mut rest = report.sections.iter().filter(|section| !is_first(section)).peekable();
    while let Some(section) = rest.next() {
        // Plots follow the last of the tables that they belong to.
        let is_last = rest.peek().is_none_or(|next| next.topic != section.topic);
        let drawn = if is_last { take(&mut figures, section.topic) } else { Vec::new() };
        parts.section(section, drawn);
    }
    for group in figures.chunk_by(|one, other| one.topic == other.topic) {
        let title = TOPICS.iter().find(|(topic, _)| *topic == group[0].topic);
        parts.add(title.map_or(group[0].topic, |(_, title)| title), &drawings(group));
    }
    let top = head(report, record) + &verdicts(&record.rows) + &parts.contents();
    let foot = foot(record, report, &cases);
    let dark = format!("{}{}", style::DARK, palette::dark_rules());
    format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n\
         <meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}</title>\n<style>\n{}@media screen and (prefers-color-scheme:dark){{\n{dark}}}\n\
         </style>\n</head>\n<body>\n<main>\n{top}{}{foot}</main>\n</body>\n</html>\n",
        escaped(&title),
        style::STYLE,
        parts.html,
    )
}

fn head(report: &Report, record: &RunRecord) -> String {
    // The first line has the machine, of which more is said below.
    let lines = report.head.iter().skip(1).map(|line| format!("<p>{}</p>\n", escaped(line)));
    format!(
        "<header>\n<h1>{}: then and now</h1>\n<p>{}, {}</p>\n{}{}</header>\n",
        escaped(&record.machine.experiment),
        escaped(&record.machine.date),
        escaped(&record.machine.processor),
        lines.collect::<String>(),
        headline::html(&record.rows),
    )
}

/// Where and with what it was measured.
fn machine(machine: &MachineRow) -> String {
    let mut facts = vec![
        ("date", machine.date.clone()),
        ("processor", format!("{}, {} cores", machine.processor, machine.cores)),
        ("system", machine.kernel.clone()),
        ("compiler", machine.compiler.clone()),
    ];
    if let Some(floor) = machine.noise_floor {
        facts.push(("noise floor", format!("differences below {:.1} % are noise", floor * 100.0)));
    }
    if !machine.peers.is_empty() {
        let names = machine.peers.iter().map(|(name, version)| format!("{name} {version}"));
        facts.push(("peers", names.collect::<Vec<_>>().join(", ")));
    }
    let facts: String = facts
        .iter()
        .map(|(name, words)| format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(words)))
        .collect();
    format!("<dl class=\"machine\">\n{facts}</dl>\n")
}

/// Which conclusions hold, ours and the peers', and which of our aims are met.
fn verdicts(rows: &[Row]) -> String {
    let of = |case: &str, is_ours: bool| -> Vec<&Row> {
        let is_it = |row: &&Row| row.case == case && (row.subject == TRUNKLINE) == is_ours;
        rows.iter().filter(is_it).collect()
    };
    let tiles = tile("The paper's conclusions, with trunkline", &of(CONCLUSION, true))
        + &tile("The same, with today's peers", &of(CONCLUSION, false))
        + &tile("Our aims, which no paper states", &of(AIM, true));
    match tiles.is_empty() {
        true => tiles,
        false => format!("<div class=\"verdicts\">\n{tiles}</div>\n"),
    }
}

fn tile(title: &str, conclusions: &[&Row]) -> String {
    let words = [
        (Verdict::Holds, "holds", "hold"),
        (Verdict::NoLonger, "no-longer", "no longer"),
        (Verdict::Inconclusive, "inconclusive", "inconclusive"),
    ];
    let line = |(verdict, class, words): (Verdict, &str, &str)| {
        let names = conclusions.iter().filter(|row| row.verdict == verdict);
        let names: Vec<&str> = names.map(|row| row.metric.as_str()).collect();
        let words = if (verdict, names.len()) == (Verdict::Holds, 1) { "holds" } else { words };
        let badge = badge(class, &format!("{} {words}", names.len()));
        match names.is_empty() {
            true => String::new(),
            false => format!("<p>{badge} {}</p>\n", escaped(&names.join(", "))),
        }
    };
    let lines = words.map(line).concat();
    match lines.is_empty() {
        true => lines,
        false => format!("<div class=\"tile\">\n<strong>{title}</strong>\n{lines}</div>\n"),
    }
}

/// Takes the figures of a topic out of the others.
fn take(figures: &mut Vec<Figure>, topic: &str) -> Vec<Figure> {
    figures.extract_if(.., |figure| figure.topic == topic).collect()
}

/// The sections of the page, and the list of them.
#[derive(Default)]
struct Parts {
    titles: Vec<String>,
    html: String,
}

impl Parts {
    fn add(&mut self, title: &str, content: &str) {
        let title = escaped(title);
        let number = self.titles.len();
        self.html.push_str(&format!(
            "<section id=\"part-{number}\">\n<h2>{title}</h2>\n{content}</section>\n"
        ));
        self.titles.push(title);
    }

    /// A section of the report, with its figures beside the table where the page is wide enough.
    fn section(&mut self, section: &Section, figures: Vec<Figure>) {
        let notes: Vec<String> = section.notes.iter().map(|note| escaped(note)).collect();
        let notes = match notes.is_empty() {
            true => String::new(),
            false => format!("<p class=\"notes\">{}</p>\n", notes.join("<br/>\n")),
        };
        let table = table(section) + &notes;
        self.add(
            &section.title,
            &match figures.is_empty() {
                true => table,
                false => format!(
                    "<div class=\"beside\">\n<div>\n{table}</div>\n<div>\n{}</div>\n</div>\n",
                    drawings(&figures)
                ),
            },
        );
    }

    /// Links to all sections.
    fn contents(&self) -> String {
        let link = |(number, title)| format!("<li><a href=\"#part-{number}\">{title}</a></li>\n");
        let links: String = self.titles.iter().enumerate().map(link).collect();
        format!("<nav>\n<ul>\n{links}</ul>\n</nav>\n")
    }
}

fn drawings(figures: &[Figure]) -> String {
    figures.iter().map(figure).collect()
}

fn figure(figure: &Figure) -> String {
    format!(
        "<figure>\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n{}<div class=\"panels\">\n{}</div>\n\
         </figure>\n",
        figure.title,
        escaped(figure.caption),
        figure.legend,
        figure.panels.concat(),
    )
}

/// Titles of figures for which the report has no table.
const TOPICS: [(&str, &str); 6] = [
    ("round-trip", "Parts of round trips"),
    ("round-trips", "Round trips"),
    ("variant", "Other schemas"),
    ("open-loop", "Latency at a given rate"),
    ("hiccup", "Stalls of the machine"),
    ("throughput", "Throughput"),
];

fn foot(record: &RunRecord, report: &Report, cases: &Cases<'_>) -> String {
    let lines: Vec<String> = report.foot.iter().map(|line| escaped(line)).collect();
    let mut method = method::html(cases);
    if !lines.is_empty() {
        method.push_str(&format!("<p>{}</p>\n", lines.join("<br/>\n")));
    }
    if !method.is_empty() {
        method = format!("<section>\n<h2>How it was measured</h2>\n{method}</section>\n");
    }
    format!("<footer>\n{method}{}</footer>\n", download(record))
}

/// The rows as a file within the page, compressed as they are many.
fn download(record: &RunRecord) -> String {
    let mut lines = Vec::new();
    let machine = serde_json::to_vec(&record.machine);
    let rows = record.rows.iter().map(serde_json::to_vec);
    for line in [machine].into_iter().chain(rows).flatten() {
        lines.extend_from_slice(&line);
        lines.push(b'\n');
    }
    let mut packed = Vec::new();
    // Memory takes whatever it is given, so that reading cannot fail.
    let _ = GzEncoder::new(lines.as_slice(), Compression::default()).read_to_end(&mut packed);
    let mut data = Vec::new();
    base64::encode_into(&packed, &mut data);
    let name = format!("{}-{}.jsonl.gz", record.machine.date, record.machine.experiment);
    format!(
        "<section class=\"download\">\n<h2>The rows</h2>\n<p>Every number of this page: <a \
         download=\"{}\" href=\"data:application/gzip;base64,{}\">{} rows</a>, one JSON object a \
         line.</p>\n</section>\n",
        escaped(&name),
        String::from_utf8_lossy(&data),
        with_commas(record.rows.len() as f64)
    )
}
