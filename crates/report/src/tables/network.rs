//! What was sent: round trips, latency at a rate, throughput, and the links themselves.

use super::sheet::{Cases, Cell, Line, NO_MORE, Name, Sheet, Spec, count, words};
use super::{Rows, Section, bounds_in, each_once, scaled, value};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::number;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{BARE, COSTS, LINK, THROUGHPUT};
use trunkline_experiment::subjects::{PEERS, TRUNKLINE};

/// Nanoseconds in the microsecond of tables.
const MICROSECOND: f64 = 1e3;

const TRANSPORTS: [&str; 2] = ["tcp-blocking", "tcp-spinning"];

/// Cases, and subjects of a case, that are printed at most: a record may be somebody else's, and each is
/// looked for in all rows.
const MOST: usize = 32;

/// The cases that begin so, in the order of their rows.
fn cases<'a>(rows: Rows<'a>, prefix: &str) -> Vec<&'a str> {
    let mut cases = rows.cases(|case| case.starts_with(prefix));
    cases.truncate(MOST);
    cases
}

/// The subjects of a case, ours first, in the order of its rows.
fn subjects<'a>(rows: Rows<'a>, case: &str) -> Vec<&'a str> {
    each_once(rows.all.iter().filter(|row| row.case == case).map(|row| &*row.subject), MOST)
}

/// The fewest and the most entries in the rows of a case.
fn lengths(rows: Rows<'_>, case: &str) -> [u32; 2] {
    let of_case = rows.all.iter().filter(|row| row.case == case);
    let fewest = of_case.filter_map(|row| row.entries).min().unwrap_or(1);
    [fewest, rows.longest(case)]
}

fn link_of(case: &str) -> &str {
    case.split_once('@').map_or("", |(_, link)| link)
}

/// Round trips over each link: table 2 and figures 8 and 15.
pub(super) fn round_trips(rows: Rows<'_>) -> Vec<Section> {
    let mut sections = Vec::new();
    for case in cases(rows, "round-trip@") {
        for transport in TRANSPORTS {
            sections.extend(round_trip(rows, case, transport));
        }
    }
    sections.extend(single_lengths(rows));
    sections
}

/// True if the case has round trips of one length only, through which there is no line.
fn is_of_one_length(rows: Rows<'_>, case: &str) -> bool {
    !rows.all.iter().any(|row| row.case == case && row.metric == "round-trip-fixed")
}

/// Round trips over links for which there is one length: wide-area ones.
fn single_lengths(rows: Rows<'_>) -> Option<Section> {
    let longest = rows.longest("round-trip@");
    let title = format!("Round trips of {longest} entries over single links: us");
    let names = [words("link"), words("subject"), words("format")];
    let columns = [
        ("round trip", Cell::Of(COSTS[0], MICROSECOND)),
        ("bounds", Cell::Bounds(COSTS[0], MICROSECOND)),
    ];
    let mut sheet = Sheet::new("long-links", title, names, columns);
    for case in cases(rows, "round-trip@").into_iter().filter(|it| is_of_one_length(rows, it)) {
        for row in rows.all.iter().filter(|row| row.case == case && row.metric == COSTS[0]) {
            let format = Format::of_profile(&row.profile);
            let names = [link_of(case), &row.subject, format.map_or("", Format::title)];
            sheet.line(rows, names, &Line::of(row));
        }
    }
    sheet.noted(["a delay is one way"])
}

fn round_trip(rows: Rows<'_>, case: &str, transport: &str) -> Option<Section> {
    if is_of_one_length(rows, case) {
        return None;
    }
    let longest = format!("{} entries", rows.longest(case));
    let columns = [
        ("fixed", Cell::OfAll("round-trip-fixed", MICROSECOND)),
        ("per entry", Cell::OfAll("round-trip-per-entry", MICROSECOND)),
        (&longest, Cell::Of(COSTS[0], MICROSECOND)),
        ("paper", Cell::Paper(COSTS[0], MICROSECOND)),
        ("p99", Cell::Of("round-trip-p99", MICROSECOND)),
        ("over bare", Cell::Any("over-bare", 1.0)),
    ];
    let source = rows.source_of(case, COSTS[0]);
    let title = format!("Round trips over {}, {transport}: us{source}", link_of(case));
    let names = [words("subject"), words("format")];
    let mut sheet = Sheet::new("round-trips", title, names, columns);
    for subject in subjects(rows, case) {
        for (format, line) in lines(rows, case, transport, subject) {
            sheet.line(rows, [subject, format.title()], &line);
        }
    }
    sheet.noted([
        "over bare: over an echo of the same bytes without a codec, and what the codec took",
    ])
}

/// The formats in which a subject has round trips, and their lines at the longest messages.
fn lines<'a>(
    rows: Rows<'a>,
    case: &'a str,
    transport: &str,
    subject: &'a str,
) -> Vec<(Format, Line<'a>)> {
    let entries = Some(rows.longest(case));
    let line = |format| Line::new(case, subject).over(transport, format).of_entries(entries);
    let lines = rows.formats(case, transport).into_iter().map(|format| (format, line(format)));
    lines.filter(|(_, line)| rows.find(line, COSTS[0]).is_some()).collect()
}

/// Where the time of a round trip goes: figure 9.
pub(super) fn breakdown(rows: Rows<'_>) -> Option<Section> {
    let title = format!(
        "Where a round trip of {most} entries goes: us (figure 9)",
        most = rows.longest("round-trip@")
    );
    let names = [words("link"), words("subject"), words("format")].into_iter();
    let parts = ["c. enc", "network", "s. dec", "s. enc", "c. dec", "network %"];
    let mut section = Section::new("round-trip", title, names.chain(parts.map(count)));
    for case in cases(rows, "round-trip@") {
        for transport in TRANSPORTS {
            for subject in subjects(rows, case).into_iter().filter(|it| *it != BARE) {
                for (format, line) in lines(rows, case, transport, subject) {
                    let found = COSTS.map(|metric| rows.find(&line, metric));
                    let values = found.map(|row| row.and_then(|row| row.value));
                    let [Some(whole), _, Some(network), ..] = values else { continue };
                    let spins = if transport == TRANSPORTS[1] { " spin" } else { "" };
                    let names = [
                        format!("{}{spins}", link_of(case)),
                        subject.to_owned(),
                        format.kind().to_owned(),
                    ];
                    let costs = found[1..].iter().map(|row| scaled(*row, MICROSECOND));
                    let share = number(network / whole * 100.0);
                    section.table.row(names.into_iter().chain(costs).chain([share]));
                }
            }
        }
    }
    section.noted([
        "c., s.: encoding and decoding of client and server; network: the rest of the client's wait;",
        "waking a sleeping processor is in it, and spinning avoids that",
    ])
}

/// Latency at steady rates, from the intended and from the actual sending.
pub(super) fn open_loop(rows: Rows<'_>) -> Option<Section> {
    let title = format!("Latency of {} entries at a steady rate: us", rows.longest("open-loop-"));
    let percentiles = ["p50", "p90", "p99", "p99.9", "max"];
    let metrics = percentiles.map(|name| format!("latency-{name}"));
    let columns = percentiles.into_iter().zip(metrics.iter().map(|it| Cell::Of(it, MICROSECOND)));
    let uncorrected = [
        ("p99 uncorrected", Cell::Of("latency-p99-uncorrected", MICROSECOND)),
        ("max uncorrected", Cell::Of("latency-max-uncorrected", MICROSECOND)),
    ];
    let names = [count("messages/s"), words("format")];
    let mut sheet = Sheet::new("open-loop", title, names, columns.chain(uncorrected));
    let cases = cases(rows, "open-loop-");
    cases.first()?;
    for case in cases {
        let rate = case.trim_start_matches("open-loop-").split('@').next().unwrap_or_default();
        for transport in TRANSPORTS {
            for format in rows.formats(case, transport) {
                let line = Line::new(case, TRUNKLINE).over(transport, format);
                let line = line.of_entries(Some(rows.longest(case)));
                sheet.line(rows, [rate, format.title()], &line);
            }
        }
    }
    let hiccups = percentiles.map(|metric| scaled(rows.hiccup(metric), MICROSECOND));
    sheet.row([String::new(), "hiccups".to_owned()].into_iter().chain(hiccups));
    sheet.noted([
        "from the time at which a message was due, whether or not answers were late; uncorrected:",
        "from its actual sending. Hiccups: how much too late the machine ends a sleep of 1 ms",
    ])
}

/// Messages a second: figures 12 and 13.
pub(super) fn throughput(rows: Rows<'_>) -> Option<Section> {
    let names = ["one way", "link", "subject", "format"].map(words).into_iter();
    let columns = names.chain([count("fewest"), count("most"), words("limited by")]);
    let title = "Messages a second (figures 12 and 13)";
    let mut section = Section::new("throughput", title, columns);
    let cases = cases(rows, "throughput");
    let [fewest, most] = lengths(rows, cases.first()?);
    for case in cases {
        let (what, link) = case.split_once('@').unwrap_or((case, ""));
        let what = match what.trim_start_matches("throughput").trim_start_matches('-') {
            "" => "structures",
            "encoded" => "encoded before",
            other => other,
        };
        let [fewest, most] = lengths(rows, case);
        for subject in subjects(rows, case) {
            for format in rows.formats(case, TRANSPORTS[0]) {
                let line = Line::new(case, subject).over(TRANSPORTS[0], format);
                let at = |entries| line.clone().of_entries(Some(entries));
                let find = |metric: &str, entries| rows.find(&at(entries), metric);
                let Some(at_most) = find(THROUGHPUT[0], most) else { continue };
                section.table.row([
                    what.replace('-', " "),
                    link.to_owned(),
                    subject.to_owned(),
                    format.title().to_owned(),
                    value(find(THROUGHPUT[0], fewest)),
                    value(Some(at_most)),
                    limit(|metric| find(metric, most)),
                ]);
            }
        }
    }
    section.noted([
        "limited by: the part that was busy, and its share of the time; in brackets it limits nothing;"
            .to_owned(),
        "slow: that side computes longer for every message, as on a slower processor;".to_owned(),
        format!("fewest and most: {fewest} and {most} entries"),
    ])
}

/// A part that was busy for less of the time is not what limits.
const LIMITING: f64 = 0.7;

/// The busiest part of a flow and its share of the time.
fn limit<'a>(find: impl Fn(&str) -> Option<&'a Row>) -> String {
    let parts = [("link", "link-busy"), ("receiver", "receiver-busy"), ("sender", "sender-busy")];
    let busy = parts.map(|(name, metric)| (name, find(metric).and_then(|row| row.value)));
    let busiest = busy
        .iter()
        .filter_map(|(name, share)| Some((*name, (*share)?)))
        .max_by(|one, other| one.1.total_cmp(&other.1));
    busiest.map_or(String::new(), |(name, share)| {
        let percent = share * 100.0;
        if share < LIMITING {
            format!("({name} {percent:.0} %)")
        } else {
            format!("{name} {percent:.0} %")
        }
    })
}

/// What the links themselves cost and do.
pub(super) fn links(rows: Rows<'_>) -> Option<Section> {
    let columns = [words("link"), words("what"), count("value"), count("bounds")];
    let mut section = Section::new("link", "The shaped links themselves", columns);
    for row in rows.all.iter().filter(|row| row.subject == LINK) {
        let what = match row.metric.as_str() {
            "own-cost" => "what a proxy adds to a round trip, us",
            "slope-ratio" => "time a byte over what was computed",
            "tc-ratio" => "the kernel's shaper (tc) over ours",
            other => other,
        };
        let scale = if row.unit == "ns" { MICROSECOND } else { 1.0 };
        let value = match row.verdict {
            Verdict::Absent => "not here".to_owned(),
            _ => scaled(Some(row), scale),
        };
        let names = [link_of(&row.case).to_owned(), what.to_owned()];
        section.table.row(names.into_iter().chain([value, bounds_in(Some(row), scale)]));
    }
    section.noted(["slopes are of echoes of 100 to 12,000 bytes; 1 is exact"])
}

/// What other tags and schemas save: figures 14 to 16, and section 7's question.
pub(super) fn variants(rows: Rows<'_>) -> Option<Section> {
    let longest = rows.longest("encode").max(rows.longest("size"));
    let title = format!("What variants save of {longest} entries, %");
    let names = ["subject", "format", "instead of"].map(words).into_iter();
    let figures = ["bytes", "encoding", "decoding", "randomised", "10 Mbit/s"];
    let mut section = Section::new("variant", title, names.chain(figures.map(count)));
    let cases = ["size", "encode", "decode", "decode-randomised", "round-trip@10mbit"];
    let peers = PEERS.iter().flat_map(|peer| peer.formats.iter().map(|it| (peer.name, *it)));
    for (subject, format) in Format::ALL.map(|it| (TRUNKLINE, it)).into_iter().chain(peers) {
        let Some(plain) = format.plain() else { continue };
        let found = cases.map(|case| {
            let transport = if case.contains('@') { TRANSPORTS[0] } else { "none" };
            let line = Line::new(case, subject).over(transport, format);
            rows.find(&line.of_entries(Some(rows.longest(case))), "reduction")
        });
        if found.iter().any(Option::is_some) {
            let names = [subject, format.title(), plain.title()].map(str::to_owned);
            let cells = found.map(|row| row.map_or(String::new(), |row| value(Some(row))));
            section.table.row(names.into_iter().chain(cells));
        }
    }
    section.noted(["randomised: decoding, each entry with other fields; 10 Mbit/s: round trips"])
}

/// Bandwidth and clients for a peak: section 6.
pub(super) const CAPACITY: Spec = Spec {
    about: ["capacity", "What a peak takes (section 6)"],
    cases: Cases::Among("capacity-", |_| true),
    lines: |rows, case| {
        let is_of =
            |row: &&Row, format: Format| row.case == case && row.profile == format.profile();
        let first = |format| rows.all.iter().find(|row| is_of(row, format)).map(Line::of);
        rows.formats(case, "none").into_iter().filter_map(first).collect()
    },
    names: &[
        Name::Line("entries a second", |line| line.case.trim_start_matches("capacity-").to_owned()),
        Name::Line("format", |line| {
            let format = line.profile.as_deref().and_then(Format::of_profile);
            format.map_or(String::new(), |format| format.title().to_owned())
        }),
    ],
    columns: &[
        ("bit/s", Cell::Of("bits-per-second", 1.0)),
        ("paper", Cell::Paper("bits-per-second", 1.0)),
        ("CPU share", Cell::Of("cpu-share", 1.0)),
        ("paper", Cell::Paper("cpu-share", 1.0)),
        ("clients", Cell::Of("clients", 1.0)),
        ("paper", Cell::Paper("clients", 1.0)),
    ],
    notes: &[
        "for one client, whose messages leave when full or when an entry has waited for the window;",
        "clients: for how many one processor encodes, each by itself, as the paper reckons",
    ],
    more: NO_MORE,
};
