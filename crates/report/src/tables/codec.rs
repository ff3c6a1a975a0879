//! CPU time of encoding and decoding: tables 3 and 4.

use super::{Rows, Section, WIDTH, bounds, published, value};
use trunkline_bench::table::{Align, Table, number};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{RATIOS, lead_metric, ratio_metric};
use trunkline_experiment::subjects::{
    PEERS, TRUNKLINE, TRUNKLINE_RECORD, TRUNKLINE_REUSED, alike, formats_of, is_reused,
};

/// Costs of one operation: table 3 or 4.
pub(super) fn times(rows: Rows<'_>, case: &'static str) -> Option<Section> {
    if !rows.any(case) {
        return None;
    }
    let longest_title = format!("{} entries", rows.longest(case));
    let cold = format!("{case}-cold");
    let has_cold = rows.any(&cold);
    let mut columns = vec![
        ("subject", Align::Left),
        ("format", Align::Left),
        ("fixed", Align::Right),
        ("per entry", Align::Right),
        (longest_title.as_str(), Align::Right),
        ("bounds", Align::Right),
        ("randomised", Align::Right),
    ];
    columns.extend(has_cold.then_some(("cold", Align::Right)));
    let mut table = Table::new(columns).within(WIDTH);
    let longest = Some(rows.longest(case));
    for format in Format::ALL {
        let line = rows.definition.and_then(|it| it.published(case, "cpu-time", format));
        let Some(line) = line.filter(|_| rows.formats(case, "none").contains(&format)) else {
            continue;
        };
        let nanoseconds = [line.fixed, line.per_entry, line.at(rows.longest(case))].map(number);
        let cells = ["paper (500 MHz)".to_owned(), format.kind().to_owned()];
        table.row(cells.into_iter().chain(nanoseconds));
    }
    for (subject, format) in subjects() {
        let find = |metric, entries| rows.find(case, subject, format, metric, entries);
        let fixed = find("cpu-time-fixed", None);
        if fixed.is_none() {
            continue;
        }
        let at_ten = find("cpu-time", longest);
        let randomised =
            rows.find(&format!("{case}-randomised"), subject, format, "cpu-time", longest);
        let cold = has_cold.then(|| value(rows.find(&cold, subject, format, "cpu-time", longest)));
        let cells = [
            subject.to_owned(),
            format.title().to_owned(),
            value(fixed),
            value(find("cpu-time-per-entry", None)),
            value(at_ten),
            bounds(at_ten),
            value(randomised),
        ];
        table.row(cells.into_iter().chain(cold));
    }
    let source = rows.definition.and_then(|it| it.source_of(case, "cpu-time"));
    let title = format!(
        "{}: ns a message = fixed + per entry x entries{}",
        if case == "encode" { "Encoding" } else { "Decoding" },
        source.map_or(String::new(), |source| format!(" (paper: {source})"))
    );
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
    Some(Section { topic: case, title, table, notes })
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

/// What one format costs over another, ours and the peers'.
pub(super) fn ratios(rows: Rows<'_>) -> Option<Section> {
    let mut is_empty = true;
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
                let (ours, theirs) = (find(true), find(false));
                if ours.is_none() {
                    continue;
                }
                is_empty = false;
                table.row([
                    format!("{case} {name}"),
                    entries.map_or("an entry".to_owned(), |entries| format!("{entries} entries")),
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
    let title = "What SOAP and FIX cost over the others, as a factor".into();
    (!is_empty).then_some(Section { topic: "ratio", title, table, notes })
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
    let mut table = Table::new([
        ("", Align::Left),
        ("than", Align::Left),
        ("in", Align::Left),
        ("times", Align::Right),
        ("bounds", Align::Right),
        ("randomised", Align::Right),
        ("cold", Align::Right),
        ("needed", Align::Right),
        ("at least", Align::Right),
    ])
    .within(WIDTH);
    let longest = Some(rows.longest("encode"));
    let mut is_empty = true;
    for case in ["encode", "decode"] {
        for peer in PEERS {
            let pairs = formats_of(peer.name)
                .iter()
                .flat_map(|&format| alike(peer.name).map(move |names| (names, format)));
            for ([ours, theirs], format) in pairs {
                let metric = lead_metric(theirs);
                let find = |case: &str| rows.find(case, ours, format, &metric, longest);
                let lead = find(case);
                if lead.is_none() {
                    continue;
                }
                is_empty = false;
                let bar = BARS.iter().find(|bar| (bar.case, bar.peer) == (case, theirs));
                let cell = |factor: Option<f64>| factor.map_or(String::new(), number);
                table.row([
                    case.to_owned(),
                    theirs.to_owned(),
                    format.title().to_owned(),
                    value(lead),
                    bounds(lead),
                    value(find(&format!("{case}-randomised"))),
                    value(find(&format!("{case}-cold"))),
                    cell(bar.and_then(|bar| bar.needed)),
                    cell(bar.map(|bar| bar.at_least)),
                ]);
            }
        }
    }
    let title = format!(
        "How many times faster trunkline is, messages of {} entries",
        rows.longest("encode")
    );
    let mut notes = Vec::new();
    if has_reused(rows) {
        notes.push(
            "reused: as trunkline-reused, else as trunkline, which makes each message anew".into(),
        );
    }
    notes.push("needed, at least: how far ahead this project means to be".to_owned());
    (!is_empty).then_some(Section { topic: "lead", title, table, notes })
}
