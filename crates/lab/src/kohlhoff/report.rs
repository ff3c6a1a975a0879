//! The rows of a run as tables, beside the figures that the paper printed.

use std::fmt;

use super::comparison::{
    COMPACT_TAGS_SAVE, CONCLUSION, CONCLUSIONS, RATIOS, lead_metric, ratio_metric, successors,
};
use super::format::Format;
use super::size::{SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};
use super::subjects::{TRUNKLINE, TRUNKLINE_RECORD, formats_of};
use super::{CODEC, LONGEST, SIZE};
use crate::paper::kohlhoff::{DECODING, ENCODING, MESSAGE_SIZE};
use crate::peer::PEERS;
use crate::record::Record;
use crate::row::{Row, Verdict};
use crate::table::{Align, Table, number, with_commas};

/// The widest line.
const WIDTH: usize = 100;

/// Tables with what a reader must know about them.
#[derive(Clone, Debug)]
pub struct Report {
    /// What ran where, when and with what.
    pub head: Vec<String>,
    /// The tables in order.
    pub sections: Vec<Section>,
    /// What is left to say.
    pub foot: Vec<String>,
}

/// A table under its title.
#[derive(Clone, Debug)]
pub struct Section {
    /// What it is about, by which the page puts plots beside it: `size`, `encode`, `decode`,
    /// `ratio`, `lead`, `conclusion`, `round-trip`, `throughput`, `open-loop`, `hiccup` or another
    /// word where there is no plot.
    pub topic: &'static str,
    /// What the table shows.
    pub title: String,
    /// The table.
    pub table: Table,
    /// How to read it, a line each.
    pub notes: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.head {
            writeln!(out, "{line}")?;
        }
        for section in &self.sections {
            write!(out, "\n{}\n\n{}", section.title, section.table)?;
            for note in &section.notes {
                writeln!(out, "{note}")?;
            }
        }
        if !self.foot.is_empty() {
            writeln!(out)?;
        }
        for line in &self.foot {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

impl Report {
    /// The tables of a record; those for which it has no rows are left out.
    pub fn of(record: &Record) -> Self {
        let rows = Rows(&record.rows);
        let sections = [
            size(rows),
            times(rows, "encode", "table 3"),
            times(rows, "decode", "table 4"),
            ratios(rows),
            leads(rows),
            conclusions(rows),
        ];
        let sections = sections.into_iter().flatten().collect();
        Self { head: head(record), sections, foot: foot(record) }
    }

    /// Prints the titles of columns bold: for a terminal only.
    #[must_use]
    pub fn bold(mut self, is_terminal: bool) -> Self {
        for section in &mut self.sections {
            section.table = section.table.clone().bold(is_terminal);
        }
        self
    }
}

/// Finding rows by what they are of.
#[derive(Clone, Copy)]
struct Rows<'a>(&'a [Row]);

impl<'a> Rows<'a> {
    fn find(
        self,
        case: &str,
        subject: &str,
        format: Format,
        metric: &str,
        entries: Option<u32>,
    ) -> Option<&'a Row> {
        let profile = format.profile();
        self.0.iter().find(|row| {
            (row.case.as_str(), row.subject.as_str()) == (case, subject)
                && (row.profile.as_str(), row.metric.as_str()) == (profile.as_str(), metric)
                && row.entries == entries
        })
    }

    fn any(self, case: &str) -> bool {
        self.0.iter().any(|row| row.case == case)
    }
}

/// The value of a row; a question mark says that the repetitions do not carry it.
fn value(row: Option<&Row>) -> String {
    let Some(row) = row else { return "-".into() };
    match (row.verdict, row.value) {
        (Verdict::Inconclusive, Some(value)) => format!("{}?", number(value)),
        (_, Some(value)) => number(value),
        (verdict, None) => verdict.name().into(),
    }
}

fn published(row: Option<&Row>) -> String {
    row.and_then(|row| row.paper).map_or("-".into(), number)
}

/// The bounds of a row: `1.52 - 1.63`.
fn bounds(row: Option<&Row>) -> String {
    let bounds = row.and_then(|row| Some((row.low?, row.high?)));
    bounds.map_or(String::new(), |(low, high)| format!("{} - {}", number(low), number(high)))
}

fn head(record: &Record) -> Vec<String> {
    let machine = &record.machine;
    let noise = match machine.noise_floor {
        Some(floor) => format!("; differences below {:.1} % are noise", floor * 100.0),
        None => String::new(),
    };
    let mut lines = vec![format!(
        "{} on {}: {}, {} cores{noise}",
        machine.experiment, machine.date, machine.processor, machine.cores
    )];
    let trades = record.rows.iter().find(|row| row.case == "trades");
    if let Some((day, count)) = trades.and_then(|row| Some((&row.subject, row.value?))) {
        lines.push(format!("messages carry the {} trades of: {day}", with_commas(count)));
    }
    lines
}

fn foot(record: &Record) -> Vec<String> {
    let mut absent: Vec<&str> = Vec::new();
    for row in record.rows.iter().filter(|row| row.case == CODEC && row.verdict == Verdict::Absent)
    {
        if !absent.contains(&row.subject.as_str()) {
            absent.push(&row.subject);
        }
    }
    let mut lines = Vec::new();
    if !absent.is_empty() {
        lines.push(format!("absent (make peers): {}", absent.join(", ")));
    }
    if Rows(&record.rows).any("encode") {
        lines.push(
            "times are CPU time of one thread, medians of interleaved repetitions; bounds hold the"
                .into(),
        );
        lines.push("median with 95 % confidence; ? marks what they leave inconclusive".into());
    }
    lines
}

fn size(rows: Rows<'_>) -> Option<Section> {
    if !rows.any(SIZE) {
        return None;
    }
    let mut table = Table::new([
        ("format", Align::Left),
        ("fixed", Align::Right),
        ("paper", Align::Right),
        ("per entry", Align::Right),
        ("paper", Align::Right),
        ("10 entries", Align::Right),
        ("paper", Align::Right),
    ])
    .within(WIDTH);
    let lines = Format::ALL.map(|format| (SIZE, format, format.title()));
    let [rpc, document, compact, fix, cdr, bitmap] = lines;
    let figure_6 = (SIZE_OF_FIGURE_6, Format::SoapRpc, "  as in figure 6");
    let figure_5 = (SIZE_OF_FIGURE_5, Format::Fix, "  as in figure 5");
    for (case, format, title) in [rpc, figure_6, document, compact, fix, figure_5, cdr, bitmap] {
        let find = |metric, entries| rows.find(case, TRUNKLINE, format, metric, entries);
        let columns =
            [find("size-fixed", None), find("size-per-entry", None), find("size", Some(LONGEST))];
        let cells = columns.iter().flat_map(|row| [value(*row), published(*row)]);
        table.row([title.to_owned()].into_iter().chain(cells));
    }
    let source = MESSAGE_SIZE.source;
    let mut notes = vec![
        "figure 6 leaves out two fields of figure 3, MsgSeqNum and MDEntryType;".to_owned(),
        "figure 5 fills BodyLength to eight digits".to_owned(),
    ];
    let find = |entries| {
        rows.find(SIZE, TRUNKLINE, Format::SoapCompact, "reduction", Some(entries))?.value
    };
    if let (Some(one), Some(ten)) = (find(1), find(LONGEST)) {
        let (low, high) = COMPACT_TAGS_SAVE;
        notes.push(format!(
            "compact tags save {one:.1} % of 1 entry, {ten:.1} % of 10 (paper, figure 14: {low:.0} to {high:.0} %)"
        ));
    }
    Some(Section { topic: SIZE, title: format!("Bytes of a message ({source})"), table, notes })
}

fn times(rows: Rows<'_>, case: &'static str, source: &str) -> Option<Section> {
    if !rows.any(case) {
        return None;
    }
    let mut table = Table::new([
        ("subject", Align::Left),
        ("format", Align::Left),
        ("fixed", Align::Right),
        ("per entry", Align::Right),
        ("10 entries", Align::Right),
        ("bounds", Align::Right),
        ("randomised", Align::Right),
    ])
    .within(WIDTH);
    let published = if case == "encode" { &ENCODING } else { &DECODING };
    for line in &published.lines {
        let nanoseconds = [line.fixed, line.per_entry, line.at(LONGEST)].map(|ms| number(ms * 1e6));
        let cells = ["paper (500 MHz)".to_owned(), line.format.to_owned()];
        table.row(cells.into_iter().chain(nanoseconds));
    }
    let ours = Format::ALL.map(|format| (TRUNKLINE, format));
    let records = Format::ALL.map(|format| (TRUNKLINE_RECORD, format));
    let peers = PEERS
        .iter()
        .flat_map(|peer| formats_of(peer.name).iter().map(|&format| (peer.name, format)));
    for (subject, format) in ours.into_iter().chain(records).chain(peers) {
        let find = |metric, entries| rows.find(case, subject, format, metric, entries);
        let fixed = find("cpu-time-fixed", None);
        if fixed.is_none() {
            continue;
        }
        let at_ten = find("cpu-time", Some(LONGEST));
        let randomised =
            rows.find(&format!("{case}-randomised"), subject, format, "cpu-time", Some(LONGEST));
        table.row([
            subject.to_owned(),
            format.title().to_owned(),
            value(fixed),
            value(find("cpu-time-per-entry", None)),
            value(at_ten),
            bounds(at_ten),
            value(randomised),
        ]);
    }
    let title = format!(
        "{}: ns a message = fixed + per entry x entries (paper: {source})",
        if case == "encode" { "Encoding" } else { "Decoding" }
    );
    let notes = vec!["randomised: 10 entries, each with other fields set or absent".to_owned()];
    Some(Section { topic: case, title, table, notes })
}

fn ratios(rows: Rows<'_>) -> Option<Section> {
    if !rows.any("encode") {
        return None;
    }
    let mut table = Table::new([
        ("CPU time", Align::Left),
        ("of", Align::Left),
        ("paper", Align::Right),
        ("trunkline", Align::Right),
        ("bounds", Align::Right),
        ("peers", Align::Right),
        ("bounds", Align::Right),
    ])
    .within(WIDTH);
    for case in ["encode", "decode"] {
        for (over, under) in RATIOS {
            for entries in [None, Some(LONGEST)] {
                let name = ratio_metric(over, under);
                let metric =
                    if entries.is_none() { format!("{name}-per-entry") } else { name.clone() };
                let find = |subject: &str| {
                    rows.0.iter().find(|row| {
                        (row.case.as_str(), row.subject.as_str()) == (case, subject)
                            && row.metric == metric
                            && row.entries == entries
                    })
                };
                let (ours, theirs) = (find(TRUNKLINE), find(&successors(over, under)));
                table.row([
                    format!("{case} {name}"),
                    if entries.is_none() { "an entry" } else { "10 entries" }.to_owned(),
                    published(ours),
                    value(ours),
                    bounds(ours),
                    value(theirs),
                    bounds(theirs),
                ]);
            }
        }
    }
    let notes =
        vec!["peers: gSOAP (gsoap-best) for SOAP, QuickFIX for FIX, omniORB for CDR".into()];
    Some(Section {
        topic: "ratio",
        title: "What SOAP and FIX cost over the others, as a factor".into(),
        table,
        notes,
    })
}

/// How far ahead we mean to be, as a factor: what is needed, and what we want at least.
struct Bar {
    case: &'static str,
    peer: &'static str,
    needed: Option<f64>,
    at_least: f64,
}

const fn bar(case: &'static str, peer: &'static str, needed: Option<f64>, at_least: f64) -> Bar {
    Bar { case, peer, needed, at_least }
}

const BARS: [Bar; 8] = [
    bar("encode", "gsoap-best", None, 18.0),
    bar("encode", "quick-xml", None, 6.0),
    bar("encode", "ironfix", None, 4.0),
    bar("encode", "omniorb", None, 2.5),
    bar("decode", "gsoap-best", Some(10.0), 20.0),
    bar("decode", "pugixml", None, 4.0),
    bar("decode", "ironfix", None, 2.0),
    bar("decode", "omniorb", None, 3.0),
];

fn leads(rows: Rows<'_>) -> Option<Section> {
    let mut table = Table::new([
        ("", Align::Left),
        ("than", Align::Left),
        ("in", Align::Left),
        ("times", Align::Right),
        ("bounds", Align::Right),
        ("randomised", Align::Right),
        ("needed", Align::Right),
        ("at least", Align::Right),
    ])
    .within(WIDTH);
    let mut is_empty = true;
    for case in ["encode", "decode"] {
        for peer in PEERS {
            for &format in formats_of(peer.name) {
                let metric = lead_metric(peer.name);
                let find = |case: &str| rows.find(case, TRUNKLINE, format, &metric, Some(LONGEST));
                let lead = find(case);
                if lead.is_none() {
                    continue;
                }
                is_empty = false;
                let bar = BARS.iter().find(|bar| (bar.case, bar.peer) == (case, peer.name));
                let cell = |factor: Option<f64>| factor.map_or(String::new(), number);
                table.row([
                    case.to_owned(),
                    peer.name.to_owned(),
                    format.title().to_owned(),
                    value(lead),
                    bounds(lead),
                    value(find(&format!("{case}-randomised"))),
                    cell(bar.and_then(|bar| bar.needed)),
                    cell(bar.map(|bar| bar.at_least)),
                ]);
            }
        }
    }
    let title = "How many times faster trunkline is, messages of 10 entries".to_owned();
    let notes = vec!["needed, at least: how far ahead this project means to be".to_owned()];
    (!is_empty).then_some(Section { topic: "lead", title, table, notes })
}

fn conclusions(rows: Rows<'_>) -> Option<Section> {
    if !rows.any(CONCLUSION) {
        return None;
    }
    let mut table = Table::new([
        ("the paper concludes", Align::Left),
        ("paper", Align::Right),
        ("trunkline", Align::Right),
        ("", Align::Left),
        ("peers", Align::Right),
        ("", Align::Left),
    ])
    .within(WIDTH);
    let conclusions = rows.0.iter().filter(|row| row.case == CONCLUSION);
    let find = |metric: &str, is_ours: bool| {
        conclusions
            .clone()
            .find(|row| row.metric == metric && (row.subject == TRUNKLINE) == is_ours)
    };
    let verdict = |row: Option<&Row>| {
        let words = row.map_or("", |row| match row.verdict {
            Verdict::NoLonger => "no longer",
            verdict => verdict.name(),
        });
        words.to_owned()
    };
    let factors = |row: Option<&Row>| {
        let bounds = row.and_then(|row| Some((row.low?, row.high?)));
        bounds.map_or(String::new(), |(low, high)| format!("{low:.1} - {high:.1}"))
    };
    for conclusion in &CONCLUSIONS {
        let (ours, theirs) = (find(conclusion.metric, true), find(conclusion.metric, false));
        let Some((low, high)) = conclusion.published().filter(|_| ours.is_some()) else { continue };
        table.row([
            conclusion.words.to_owned(),
            format!("{low:.1} - {high:.1}"),
            factors(ours),
            verdict(ours),
            factors(theirs),
            verdict(theirs),
        ]);
    }
    if let Some(row) = find("size compact tags", true) {
        let (low, high) = COMPACT_TAGS_SAVE;
        table.row([
            "compact tags shorten SOAP, %".to_owned(),
            format!("{low:.0} - {high:.0}"),
            factors(Some(row)),
            verdict(Some(row)),
        ]);
    }
    let notes = vec![
        "factors over 1 to 10 entries; a conclusion holds if their middle is within the paper's"
            .into(),
    ];
    Some(Section {
        topic: CONCLUSION,
        title: "The paper's conclusions (section 7)".into(),
        table,
        notes,
    })
}
