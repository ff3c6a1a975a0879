//! CPU time of encoding and decoding: tables 3 and 4.

use super::sheet::{Cases, Cell, Line, NO_MORE, Name, SUBJECT, Sheet, Spec, count, words};
use super::{Rows, Section, bounds_in, published, value};
use trunkline_bench::table::number;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{self, RATIOS, lead_metric, ratio_metric};
use trunkline_experiment::subjects::{
    PEERS, TRUNKLINE, TRUNKLINE_RECORD, TRUNKLINE_REUSED, alike, formats_of, is_reused,
};

/// Costs of one operation: table 3 or 4.
pub(super) fn times(rows: Rows<'_>, case: &'static str) -> Option<Section> {
    if !rows.any(case) {
        return None;
    }
    let longest = rows.longest(case);
    let longest_title = format!("{longest} entries");
    let [cold, randomised] = ["cold", "randomised"].map(|what| format!("{case}-{what}"));
    let has_cold = rows.any(&cold);
    let mut columns = vec![
        ("fixed", Cell::OfAll("cpu-time-fixed", 1.0)),
        ("per entry", Cell::OfAll("cpu-time-per-entry", 1.0)),
        (&longest_title, Cell::Of("cpu-time", 1.0)),
        ("bounds", Cell::Bounds("cpu-time", 1.0)),
        ("randomised", Cell::In(&randomised, &Cell::Of("cpu-time", 1.0))),
    ];
    columns.extend(has_cold.then_some(("cold", Cell::In(&cold, &Cell::Of("cpu-time", 1.0)))));
    let verb = if case == "encode" { "Encoding" } else { "Decoding" };
    let source = rows.source_of(case, "cpu-time");
    let title = format!("{verb}: ns a message = fixed + per entry x entries{source}");
    let mut sheet = Sheet::new(case, title, [words("subject"), words("format")], columns);
    for format in Format::ALL {
        let line = rows.definition.and_then(|it| it.published(case, "cpu-time", format));
        let Some(line) = line.filter(|_| rows.formats(case, "none").contains(&format)) else {
            continue;
        };
        let nanoseconds = [line.fixed, line.per_entry, line.at(longest)].map(number);
        let cells = ["paper (500 MHz)".to_owned(), format.kind().to_owned()];
        sheet.row(cells.into_iter().chain(nanoseconds));
    }
    for (subject, format) in subjects() {
        let line = Line::new(case, subject).in_format(format);
        if rows.find(&line, "cpu-time-fixed").is_some() {
            sheet.line(rows, [subject, format.title()], &line.of_entries(Some(longest)));
        }
    }
    let mut notes = vec!["randomised: each entry with other fields set or absent".to_owned()];
    if has_cold {
        notes.push(
            "cold: so many messages that none is in the caches when its turn comes".to_owned(),
        );
    }
    if case == "decode" && has_reused(rows) {
        notes
            .push("reused: all messages are decoded into one, else each into a new one".to_owned());
    }
    sheet.noted(notes)
}

/// Whether new messages were told from reused ones: records of before do not say which theirs are.
fn has_reused(rows: Rows<'_>) -> bool {
    rows.all.iter().any(|row| is_reused(&row.subject))
}

/// Whoever takes part, in the order of tables.
fn subjects() -> impl Iterator<Item = (&'static str, Format)> {
    let ours = [TRUNKLINE, TRUNKLINE_REUSED, TRUNKLINE_RECORD].into_iter();
    let ours = ours.flat_map(|name| Format::ALL.map(|format| (name, format)));
    let peers = PEERS.iter().flat_map(|peer| {
        let names = alike(peer.name).map(|[_, name]| name);
        names.flat_map(|name| formats_of(peer.name).iter().map(move |&format| (name, format)))
    });
    ours.chain(peers)
}

/// Instructions of a message; every subject decodes.
pub(super) const INSTRUCTIONS: Spec = Spec {
    about: [names::INSTRUCTIONS, "Instructions that a message takes, counted by Valgrind"],
    cases: Cases::Among("instructions-decode", |_| true),
    lines: |rows, case| {
        let of_case = rows.all.iter().filter(|row| row.case == case).map(Line::of);
        let mut lines: Vec<Line<'_>> = of_case.collect();
        lines.sort_by_key(|line| line.format());
        lines
    },
    names: &[
        Name::Line("message", |line| match line.entries {
            Some(entries) => format!("{entries} entries"),
            None => line.case.trim_start_matches("instructions-decode-").to_owned(),
        }),
        Name::Line("format", |line| line.format().map_or("", Format::title).to_owned()),
        SUBJECT,
    ],
    columns: &[
        ("encode", Cell::Beside(["instructions-decode", "instructions-encode"], &COUNT)),
        ("decode", COUNT),
    ],
    notes: &[
        "without noise: builds differ by what was changed in them; Valgrind has no AVX-512, which the",
        "processor may have and use",
    ],
    more: NO_MORE,
};

const COUNT: Cell<'_> = Cell::Any(names::INSTRUCTIONS, 1.0);

/// What one format costs over another, ours and the peers'.
pub(super) fn ratios(rows: Rows<'_>) -> Option<Section> {
    let names = [words("CPU time"), words("of")].into_iter();
    let figures = ["paper", "trunkline", "bounds", "peers", "bounds"].map(count);
    let title = "What SOAP and FIX cost over the others, as a factor";
    let mut section = Section::new("ratio", title, names.chain(figures));
    for case in ["encode", "decode"] {
        for (over, under) in RATIOS {
            for entries in [None, Some(rows.longest("encode"))] {
                let name = ratio_metric(over, under);
                let metric =
                    if entries.is_none() { format!("{name}-per-entry") } else { name.clone() };
                let find = |is_ours: bool| {
                    rows.all.iter().find(|row| {
                        row.case == case
                            && (row.subject == TRUNKLINE) == is_ours
                            && row.metric == metric
                            && row.entries == entries
                    })
                };
                let (Some(ours), theirs) = (find(true), find(false)) else { continue };
                let cells = [Some(ours), theirs]
                    .into_iter()
                    .flat_map(|row| [value(row), bounds_in(row, 1.0)]);
                let names = [
                    format!("{case} {name}"),
                    entries.map_or("an entry".to_owned(), |entries| format!("{entries} entries")),
                    published(Some(ours)),
                ];
                section.table.row(names.into_iter().chain(cells));
            }
        }
    }
    section.noted(["peers: gSOAP (gsoap-best) for SOAP, QuickFIX for FIX, omniORB for CDR"])
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

/// How far ahead of the peers we are.
pub(super) fn leads(rows: Rows<'_>) -> Option<Section> {
    let longest = rows.longest("encode");
    let names = ["", "than", "in"].map(words).into_iter();
    let figures = ["times", "bounds", "randomised", "cold", "needed", "at least"].map(count);
    let title = format!("How many times faster trunkline is, messages of {longest} entries");
    let mut section = Section::new("lead", title, names.chain(figures));
    for case in ["encode", "decode"] {
        let [randomised, cold] = ["randomised", "cold"].map(|what| format!("{case}-{what}"));
        for peer in PEERS {
            let pairs = formats_of(peer.name)
                .iter()
                .flat_map(|&format| alike(peer.name).map(move |names| (names, format)));
            for ([ours, theirs], format) in pairs {
                let metric = lead_metric(theirs);
                let line = Line::new(case, ours).in_format(format).of_entries(Some(longest));
                if rows.find(&line, &metric).is_none() {
                    continue;
                }
                let names = [case, theirs, format.title()].map(str::to_owned).into_iter();
                let times = Cell::Of(&metric, 1.0);
                let cells = [
                    times,
                    Cell::Bounds(&metric, 1.0),
                    Cell::In(&randomised, &times),
                    Cell::In(&cold, &times),
                ];
                let cells = cells.map(|cell| cell.text(rows, &line));
                let bar = BARS.iter().find(|bar| (bar.case, bar.peer) == (case, theirs));
                let bars = [bar.and_then(|bar| bar.needed), bar.map(|bar| bar.at_least)];
                let bars = bars.map(|factor| factor.map_or(String::new(), number));
                section.table.row(names.chain(cells).chain(bars));
            }
        }
    }
    let mut notes = Vec::new();
    if has_reused(rows) {
        notes.push("reused: as trunkline-reused, else as trunkline, which makes each message anew");
    }
    notes.push("needed, at least: how far ahead this project means to be");
    section.noted(notes)
}
