//! What was sent: round trips, latency at a rate, throughput, and the links themselves.

use super::{Rows, Section, WIDTH, published, scaled, value};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::{Align, Table, number};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{COSTS, HICCUP, LINK};
use trunkline_experiment::subjects::TRUNKLINE;

/// Nanoseconds in the microsecond of tables.
const MICROSECOND: f64 = 1e3;

const TRANSPORTS: [&str; 2] = ["tcp-blocking", "tcp-spinning"];

/// Cases, and subjects of a case, that are printed at most: a record may be a stranger's, and each is
/// looked for in all rows.
const MOST: usize = 32;

/// The cases that begin so, in the order of their rows, each once.
fn cases<'a>(rows: Rows<'a>, prefix: &str) -> Vec<&'a str> {
    let mut cases: Vec<&str> = Vec::new();
    for row in rows.all.iter().filter(|row| row.case.starts_with(prefix)) {
        if cases.len() < MOST && !cases.contains(&row.case.as_str()) {
            cases.push(&row.case);
        }
    }
    cases
}

/// The subjects of a case, ours first, in the order of its rows.
fn subjects<'a>(rows: Rows<'a>, case: &str) -> Vec<&'a str> {
    let mut subjects: Vec<&str> = Vec::new();
    for row in rows.all.iter().filter(|row| row.case == case) {
        if subjects.len() < MOST && !subjects.contains(&row.subject.as_str()) {
            subjects.push(&row.subject);
        }
    }
    subjects
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
    let mut table = Table::new([
        ("link", Align::Left),
        ("subject", Align::Left),
        ("format", Align::Left),
        ("round trip", Align::Right),
        ("bounds", Align::Right),
    ])
    .within(WIDTH);
    let mut is_empty = true;
    for case in cases(rows, "round-trip@") {
        if !is_of_one_length(rows, case) {
            continue;
        }
        for row in rows.all.iter().filter(|row| row.case == case && row.metric == COSTS[0]) {
            let formats = Format::ALL.into_iter().find(|format| {
                TRANSPORTS.iter().any(|transport| format.profile_over(transport) == row.profile)
            });
            is_empty = false;
            let bounds = row.low.zip(row.high).map_or(String::new(), |(low, high)| {
                format!("{} - {}", number(low / MICROSECOND), number(high / MICROSECOND))
            });
            table.row([
                link_of(case).to_owned(),
                row.subject.clone(),
                formats.map_or("", Format::title).to_owned(),
                scaled(Some(row), MICROSECOND),
                bounds,
            ]);
        }
    }
    let title =
        format!("Round trips of {} entries over single links: us", rows.longest("round-trip@"));
    let notes = vec!["a delay is one way".into()];
    (!is_empty).then_some(Section { topic: "long-links", title, table, notes })
}

fn round_trip(rows: Rows<'_>, case: &str, transport: &str) -> Option<Section> {
    if is_of_one_length(rows, case) {
        return None;
    }
    let longest = format!("{} entries", rows.longest(case));
    let mut table = Table::new([
        ("subject", Align::Left),
        ("format", Align::Left),
        ("fixed", Align::Right),
        ("per entry", Align::Right),
        (&longest, Align::Right),
        ("paper", Align::Right),
        ("p99", Align::Right),
        ("over bare", Align::Right),
    ])
    .within(WIDTH);
    let mut is_empty = true;
    for subject in subjects(rows, case) {
        for format in rows.formats(case, transport) {
            let find = |metric: &str, entries| {
                rows.find_over(transport, case, subject, format, metric, entries)
            };
            let most = Some(rows.longest(case));
            let Some(whole) = find(COSTS[0], most) else { continue };
            is_empty = false;
            let in_us = |row| scaled(row, MICROSECOND);
            table.row([
                subject.to_owned(),
                format.title().to_owned(),
                in_us(find("round-trip-fixed", None)),
                in_us(find("round-trip-per-entry", None)),
                in_us(Some(whole)),
                whole.paper.map_or(String::new(), |paper| number(paper / MICROSECOND)),
                in_us(find("round-trip-p99", most)),
                find("over-bare", most).map_or(String::new(), |row| value(Some(row))),
            ]);
        }
    }
    let source = rows.definition.and_then(|it| it.source_of(case, COSTS[0]));
    let source = source.map_or(String::new(), |source| format!(" (paper: {source})"));
    let title = format!("Round trips over {}, {transport}: us{source}", link_of(case));
    let notes = vec![
        "over bare: over an echo of the same bytes without a codec, and what the codec took".into(),
    ];
    (!is_empty).then_some(Section { topic: "round-trips", title, table, notes })
}

/// Where the time of a round trip goes: figure 9.
pub(super) fn breakdown(rows: Rows<'_>) -> Option<Section> {
    let columns = ["link", "subject", "format", "c. enc", "network", "s. dec", "s. enc"];
    let more = ["c. dec", "network %"];
    let align = |index: usize| if index < 3 { Align::Left } else { Align::Right };
    let titles = columns.into_iter().chain(more).enumerate();
    let mut table = Table::new(titles.map(|(index, title)| (title, align(index)))).within(WIDTH);
    let mut is_empty = true;
    for case in cases(rows, "round-trip@") {
        for transport in TRANSPORTS {
            for subject in subjects(rows, case).into_iter().filter(|it| *it != "bare") {
                for format in rows.formats(case, transport) {
                    let cost = |metric: &str| {
                        let most = Some(rows.longest(case));
                        rows.find_over(transport, case, subject, format, metric, most)
                    };
                    let values = COSTS.map(|metric| cost(metric).and_then(|row| row.value));
                    let [Some(whole), _, Some(network), ..] = values else { continue };
                    is_empty = false;
                    let spins = if transport == TRANSPORTS[1] { " spin" } else { "" };
                    let mut cells = vec![
                        format!("{}{spins}", link_of(case)),
                        subject.to_owned(),
                        format.kind().to_owned(),
                    ];
                    cells.extend(COSTS[1..].iter().map(|metric| scaled(cost(metric), MICROSECOND)));
                    cells.push(number(network / whole * 100.0));
                    table.row(cells);
                }
            }
        }
    }
    let title = format!(
        "Where a round trip of {most} entries goes: us (figure 9)",
        most = rows.longest("round-trip@")
    );
    let notes = vec![
        "c., s.: encoding and decoding of client and server; network: the rest of the client's wait;"
            .into(),
        "waking a sleeping processor is in it, and spinning avoids that".into(),
    ];
    (!is_empty).then_some(Section { topic: "round-trip", title, table, notes })
}

/// Latency at steady rates, from the intended and from the actual sending.
pub(super) fn open_loop(rows: Rows<'_>) -> Option<Section> {
    let percentiles = ["p50", "p90", "p99", "p99.9", "max"];
    let mut titles = vec![("messages/s", Align::Right), ("format", Align::Left)];
    titles.extend(percentiles.map(|title| (title, Align::Right)));
    titles.extend([("p99 uncorrected", Align::Right), ("max uncorrected", Align::Right)]);
    let mut table = Table::new(titles).within(WIDTH);
    let cases = cases(rows, "open-loop-");
    if cases.is_empty() {
        return None;
    }
    for case in cases {
        let rate = case.trim_start_matches("open-loop-").split('@').next().unwrap_or_default();
        for transport in TRANSPORTS {
            for format in rows.formats(case, transport) {
                let find = |metric: String| {
                    let (subject, most) = (TRUNKLINE, Some(rows.longest(case)));
                    scaled(
                        rows.find_over(transport, case, subject, format, &metric, most),
                        MICROSECOND,
                    )
                };
                let mut cells = vec![rate.to_owned(), format.title().to_owned()];
                cells.extend(percentiles.map(|name| find(format!("latency-{name}"))));
                cells
                    .extend(["p99", "max"].map(|name| find(format!("latency-{name}-uncorrected"))));
                table.row(cells);
            }
        }
    }
    let hiccup = |metric| rows.all.iter().find(|row| row.case == HICCUP && row.metric == metric);
    let mut cells = vec![String::new(), "hiccups".to_owned()];
    cells.extend(percentiles.map(|name| scaled(hiccup(name), MICROSECOND)));
    table.row(cells);
    let title = format!("Latency of {} entries at a steady rate: us", rows.longest("open-loop-"));
    let notes = vec![
        "from the time at which a message was due, whether or not answers were late; uncorrected:"
            .into(),
        "from its actual sending. Hiccups: how much too late the machine ends a sleep of 1 ms"
            .into(),
    ];
    Some(Section { topic: "open-loop", title, table, notes })
}

/// Messages a second: figures 12 and 13.
pub(super) fn throughput(rows: Rows<'_>) -> Option<Section> {
    let mut table = Table::new([
        ("one way", Align::Left),
        ("link", Align::Left),
        ("subject", Align::Left),
        ("format", Align::Left),
        ("fewest", Align::Right),
        ("most", Align::Right),
        ("limited by", Align::Left),
    ])
    .within(WIDTH);
    let cases = cases(rows, "throughput");
    if cases.is_empty() {
        return None;
    }
    let cases_lengths = lengths(rows, cases[0]);
    for case in cases {
        let (what, link) = case.split_once('@').unwrap_or((case, ""));
        let what = match what.trim_start_matches("throughput").trim_start_matches('-') {
            "" => "structures",
            "encoded" => "encoded before",
            other => other,
        };
        let [fewest_entries, most_entries] = lengths(rows, case);
        for subject in subjects(rows, case) {
            for format in rows.formats(case, TRANSPORTS[0]) {
                let find = |metric: &str, entries: u32| {
                    rows.find_over(TRANSPORTS[0], case, subject, format, metric, Some(entries))
                };
                let Some(most) = find("messages-per-second", most_entries) else { continue };
                table.row([
                    what.replace('-', " "),
                    link.to_owned(),
                    subject.to_owned(),
                    format.title().to_owned(),
                    value(find("messages-per-second", fewest_entries)),
                    value(Some(most)),
                    limit(|metric| find(metric, most_entries)),
                ]);
            }
        }
    }
    let lengths = cases_lengths;
    let notes = vec![
        "limited by: the part that was busy, and its share of the time; in brackets it limits nothing;"
            .into(),
        "slow: that side computes longer for every message, as on a slower processor;".into(),
        format!("fewest and most: {} and {} entries", lengths[0], lengths[1]),
    ];
    let title = "Messages a second (figures 12 and 13)".into();
    Some(Section { topic: "throughput", title, table, notes })
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
    let mut table = Table::new([
        ("link", Align::Left),
        ("what", Align::Left),
        ("value", Align::Right),
        ("bounds", Align::Right),
    ])
    .within(WIDTH);
    let mut of_links = rows.all.iter().filter(|row| row.subject == LINK).peekable();
    of_links.peek()?;
    for row in of_links {
        let what = match row.metric.as_str() {
            "own-cost" => "what a proxy adds to a round trip, us",
            "slope-ratio" => "time a byte over what was computed",
            "tc-ratio" => "the kernel's shaper (tc) over ours",
            other => other,
        };
        let scale = if row.unit == "ns" { MICROSECOND } else { 1.0 };
        let bounds = row.low.zip(row.high).map_or(String::new(), |(low, high)| {
            format!("{} - {}", number(low / scale), number(high / scale))
        });
        let value = match row.verdict {
            Verdict::Absent => "not here".to_owned(),
            _ => scaled(Some(row), scale),
        };
        table.row([link_of(&row.case).to_owned(), what.to_owned(), value, bounds]);
    }
    let notes = vec!["slopes are of echoes of 100 to 12,000 bytes; 1 is exact".into()];
    Some(Section { topic: "link", title: "The shaped links themselves".into(), table, notes })
}

/// What other tags and schemas save: figures 14 to 16, and section 7's question.
pub(super) fn variants(rows: Rows<'_>) -> Option<Section> {
    let mut table = Table::new([
        ("format", Align::Left),
        ("instead of", Align::Left),
        ("bytes", Align::Right),
        ("encoding", Align::Right),
        ("decoding", Align::Right),
        ("randomised", Align::Right),
        ("10 Mbit/s", Align::Right),
    ])
    .within(WIDTH);
    let mut is_empty = true;
    for format in Format::ALL {
        let Some(plain) = format.plain() else { continue };
        let find = |transport: &str, case: &str| {
            let (subject, most) = (TRUNKLINE, Some(rows.longest(case)));
            rows.find_over(transport, case, subject, format, "reduction", most)
        };
        let cases = ["size", "encode", "decode", "decode-randomised"];
        let mut found: Vec<Option<&Row>> = cases.map(|case| find("none", case)).into();
        found.push(find(TRANSPORTS[0], "round-trip@10mbit"));
        if found.iter().all(Option::is_none) {
            continue;
        }
        is_empty = false;
        let cells = [format.title().to_owned(), plain.title().to_owned()];
        let cell = |row: &Option<&Row>| row.map_or(String::new(), |row| value(Some(row)));
        table.row(cells.into_iter().chain(found.iter().map(cell)));
    }
    let title = format!(
        "What variants save of {} entries, %",
        rows.longest("encode").max(rows.longest("size"))
    );
    let notes =
        vec!["randomised: decoding, each entry with other fields; 10 Mbit/s: round trips".into()];
    (!is_empty).then_some(Section { topic: "variant", title, table, notes })
}

/// Bandwidth and clients for a peak: section 6.
pub(super) fn capacity(rows: Rows<'_>) -> Option<Section> {
    let mut table = Table::new([
        ("entries a second", Align::Left),
        ("format", Align::Left),
        ("bit/s", Align::Right),
        ("paper", Align::Right),
        ("CPU share", Align::Right),
        ("paper", Align::Right),
        ("clients", Align::Right),
        ("paper", Align::Right),
    ])
    .within(WIDTH);
    let cases = cases(rows, "capacity-");
    if cases.is_empty() {
        return None;
    }
    for case in cases {
        for format in rows.formats(case, "none") {
            let find = |metric: &str| {
                let is_it = |row: &&Row| {
                    row.case == case && row.metric == metric && row.profile == format.profile()
                };
                rows.all.iter().find(is_it)
            };
            let metrics = ["bits-per-second", "cpu-share", "clients"];
            let pairs = metrics.map(find).map(|row| {
                let paper = row.and_then(|row| row.paper).map(|_| published(row));
                [value(row), paper.unwrap_or_default()]
            });
            let cells =
                [case.trim_start_matches("capacity-").to_owned(), format.title().to_owned()];
            table.row(cells.into_iter().chain(pairs.into_iter().flatten()));
        }
    }
    let notes = vec![
        "for one client, whose messages leave when full or when an entry has waited for the window;"
            .into(),
        "clients: for how many one processor encodes, each by itself, as the paper reckons".into(),
    ];
    Some(Section { topic: "capacity", title: "What a peak takes (section 6)".into(), table, notes })
}
