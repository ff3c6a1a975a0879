//! Calls of services: latency, callers, connections, transports, pools, and where the time goes.

use super::sheet::{Cases, Cell, LEAD, Line, NO_MORE, Name, SUBJECT, Sheet, Spec, words};
use super::{Rows, Section, each_once};
use trunkline_bench::row::Row;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::link::Link;
use trunkline_experiment::names::{BARE, STAGES};
use trunkline_experiment::subjects::TRUNKLINE;

/// Callers for which the bare echo stands in the table.
const BARE_AT: u32 = 16;

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let (first, rest) = TABLES.split_at(3);
    let of = |spec: &Spec| spec.section(rows);
    let mut sections: Vec<Section> = first.iter().filter_map(of).collect();
    sections.extend(saturation(rows));
    sections.extend(rest.iter().filter_map(of));
    sections
}

const TABLES: [Spec; 11] = [
    single("latency", "What one call takes (paper: section 4.2)", "latency-", |case| {
        case.ends_with("@direct")
    }),
    single("lan", "What one call takes over a LAN (paper: section 4.2)", "latency-", is_lan),
    single("calls", "From structure to structure", "calls-", |_| true),
    stages("Where the time of a call goes, ms (paper: figure 9, 5,000 records)", |case| {
        !is_lan(case)
    }),
    stages("Where the time of a call over a LAN goes, ms (paper: figure 9, 5,000 records)", is_lan),
    formula("The network of a call by the paper's formula (section 3.2), ms", |case| !is_lan(case)),
    formula("The network of a call over a LAN by the paper's formula (section 3.2), ms", is_lan),
    single("connections", "What connections cost", "connections-", |_| true),
    single("pool", "Short and long messages at once", "pool-", |_| true),
    single("transports", "What carries them", "transports-", |_| true),
    single("wide-area", "What one call takes far away", "latency-", |case| {
        !case.ends_with("@direct") && !is_lan(case)
    }),
];

/// The message of a case, and over which link.
const CASE: Name = Name::Case("case", |case| {
    let name = case.split_once('-').map_or(case, |(_, name)| name);
    name.trim_end_matches("@direct").replace('@', " ")
});

/// Whether a case is over a link with a rate and without a delay.
fn is_lan(case: &str) -> bool {
    let link = case.split_once('@').and_then(|(_, link)| link.parse::<Link>().ok());
    link.is_some_and(|link| link.rate.is_some() && link.delay.is_zero())
}

/// The stages of calls by their stamps.
const fn stages(title: &'static str, is_among: fn(&str) -> bool) -> Spec {
    Spec {
        about: [STAGES, title],
        cases: Cases::Among("stages-", is_among),
        lines,
        names: &[Name::Line("style", |line| style(line).1.title().to_owned()), SUBJECT],
        columns: &[
            ("ms", Cell::Any("total", 1e6)),
            ("decode", Cell::Any("deserialise", 1e6)),
            ("app", Cell::Any("application", 1e6)),
            ("encode", Cell::Any("serialise", 1e6)),
            ("network", Cell::Any("network", 1e6)),
            ("dec %", Cell::Of("deserialise-share", 1.0)),
            ("enc %", Cell::Of("serialise-share", 1.0)),
            ("times", LEAD),
        ],
        notes: &[
            "the server's decoding, function and encoding (T2, T3, T4); network is the rest, both ways",
            "(T1, T5): the driver sends bytes made before; asp-net: the paper's shares",
        ],
        more: NO_MORE,
    }
}

/// What the paper's formula makes of the network, beside the stamps.
const fn formula(title: &'static str, is_among: fn(&str) -> bool) -> Spec {
    Spec {
        about: ["formula", title],
        cases: Cases::Among("stages-", is_among),
        lines: measured_lines,
        names: &[Name::Line("style", |line| style(line).1.title().to_owned()), SUBJECT],
        columns: &[
            ("call", Cell::Any("whole-call", 1e6)),
            ("T2 + T4", Cell::Any("whole-call-codec", 1e6)),
            ("T3", Cell::Any("application", 1e6)),
            ("formula", Cell::Any("network-by-formula", 1e6)),
            ("stamps", Cell::Any("network", 1e6)),
            ("less", Cell::Any("formula-less-stamps", 1e6)),
        ],
        notes: &[
            "call: from structure to structure, by a client of the same toolkit; formula: T1 + T5 = call -",
            "(T2 + T4) * 2 - T3, as if the client worked as long as the server; stamps: what is left of a",
            "call whose bytes were made before; less: how much more the formula says, which is what the",
            "client took beyond the server's T2 + T4, or less than them if it is negative",
        ],
        more: NO_MORE,
    }
}

/// A line for each subject of each case.
const fn single(
    topic: &'static str,
    title: &'static str,
    beginning: &'static str,
    is_among: fn(&str) -> bool,
) -> Spec {
    Spec {
        about: [topic, title],
        cases: Cases::Among(beginning, is_among),
        lines,
        names: &[CASE, Name::Line("style", |line| style(line).0), SUBJECT],
        columns: &[
            ("us", Cell::Of("latency", 1e3)),
            ("99 %", Cell::Of("latency-p99", 1e3)),
            ("a second", Cell::Of("calls-per-second", 1.0)),
            ("/ bare", Cell::Any("over-bare", 1.0)),
            ("times", LEAD),
        ],
        notes: &[
            "/ bare: how many times as much as an echo of the same bytes by hyper alone it takes;",
            "times: how many times as much as trunkline; of one caller the middle latency decides, of",
            "several the calls a second",
        ],
        more: |rows, cases| {
            let is_published = |row: &Row| {
                (row.subject.starts_with("product-") || row.subject == "net-remoting")
                    && cases.contains(&&*row.case)
            };
            let published = "product-a to product-c and net-remoting: the paper's figures of 2004";
            rows.all.iter().any(is_published).then(|| published.to_owned()).into_iter().collect()
        },
    }
}

/// The format of a profile about customer and product records.
fn format_of(profile: &str) -> Option<Format> {
    Format::of_profile(profile).filter(|format| format.family() == Family::CustomerServices)
}

/// The lines of a case: by style, ours first.
fn lines<'a>(rows: Rows<'a>, case: &'a str) -> Vec<Line<'a>> {
    let line = |row: &'a Row| {
        let profile = Some(row.profile.clone());
        Some((format_of(&row.profile)?, Line { profile, ..Line::new(case, &row.subject) }))
    };
    let of_case = rows.all.iter().filter(|row| row.case == case);
    let mut lines = each_once(of_case.filter_map(line), usize::MAX);
    let order = |line: &Line<'_>| [TRUNKLINE, BARE].iter().position(|it| *it == line.subject);
    lines.sort_by_key(|(format, line)| (*format, order(line).unwrap_or(usize::MAX)));
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Those of them that called from structure to structure.
fn measured_lines<'a>(rows: Rows<'a>, case: &'a str) -> Vec<Line<'a>> {
    let mut lines = lines(rows, case);
    lines.retain(|line| rows.find(line, "whole-call").is_some());
    lines
}

/// The style of a line, in words that say where it is without HTTP.
fn style(line: &Line<'_>) -> (String, Format) {
    let profile = line.profile.as_deref().unwrap_or_default();
    let format = format_of(profile).unwrap_or(Format::NgCdr);
    let end = if profile.starts_with("tcp/") { ", TCP" } else { "" };
    (format!("{}{end}", format.title()), format)
}

/// Calls a second, a column for each number of callers: a table for each message and style.
fn saturation(rows: Rows<'_>) -> Vec<Section> {
    let cases = rows.cases(|case| split(case).is_some());
    let parts = || cases.iter().filter_map(|case| split(case));
    let messages = each_once(parts().map(|(_, message)| message), usize::MAX);
    let mut threads = each_once(parts().map(|(count, _)| count), usize::MAX);
    threads.sort_unstable();
    let mut sections = Vec::new();
    for message in messages {
        let peak = format!("peak-{message}");
        let lines = lines(rows, &peak);
        let styles = lines.chunk_by(|one, other| style(one).1 == style(other).1);
        sections.extend(styles.filter_map(|lines| one_style(rows, message, &threads, lines)));
    }
    sections
}

/// The number and the rest in `saturation-16-simple@direct`.
fn split(case: &str) -> Option<(u32, &str)> {
    let (count, message) = case.strip_prefix("saturation-")?.split_once('-')?;
    Some((count.parse().ok()?, message))
}

fn one_style(
    rows: Rows<'_>,
    message: &str,
    threads: &[u32],
    lines: &[Line<'_>],
) -> Option<Section> {
    let counts: Vec<(String, String)> = threads
        .iter()
        .map(|count| (count.to_string(), format!("saturation-{count}-{message}")))
        .collect();
    let bare_at = counts.iter().find(|(count, _)| *count == BARE_AT.to_string());
    let (_, bare_at) = bare_at.or(counts.last())?;
    let calls = Cell::Any("calls-per-second", 1.0);
    let columns = counts.iter().map(|(count, case)| (count.as_str(), Cell::In(case, &calls)));
    let rest = [
        ("most", Cell::Of("calls-per-second", 1.0)),
        ("times", LEAD),
        ("/ bare", Cell::In(bare_at, &Cell::Any("over-bare", 1.0))),
    ];
    let name = message.trim_end_matches("@direct").replacen('@', " message over ", 1);
    let name = if name.contains(' ') { name } else { format!("{name} message") };
    let style = style(lines.first()?).0;
    let title = format!("Calls a second of the {name}, {style}, by callers (section 4.3)");
    let columns = columns.chain(rest);
    let mut sheet = Sheet::new("saturation", title, [words("subject")], columns);
    for line in lines {
        sheet.line(rows, [line.subject], line);
    }
    sheet.noted([
        "most: of any number of callers; times: by which trunkline has more; / bare: how many times".to_owned(),
        format!("as many a bare echo by hyper answers for {BARE_AT} callers"),
    ])
}
