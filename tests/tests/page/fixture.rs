//! A record with every case that a page may show, with numbers that could be true.

use std::collections::BTreeMap;

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MACHINE, MachineRow, Row, Verdict};
use trunkline_experiment::definition::{Definition, Line};
use trunkline_experiment::format;
use trunkline_random::Random;

/// A format: its profile without the transport, the paper's name, bytes and nanoseconds of a message
/// and of an entry.
struct Format {
    profile: &'static str,
    paper: Option<&'static str>,
    bytes: [f64; 2],
    encode: [f64; 2],
    decode: [f64; 2],
}

const fn format(
    profile: &'static str,
    paper: Option<&'static str>,
    [bytes, encode, decode]: [[f64; 2]; 3],
) -> Format {
    Format { profile, paper, bytes, encode, decode }
}

const FORMATS: [Format; 9] = [
    format(
        "soap-1.1-rpc-encoded/xml-utf8/none/none",
        Some("SOAP"),
        [[668.0, 415.0], [78.0, 97.0], [269.0, 180.0]],
    ),
    format(
        "soap-1.1-document-literal/xml-utf8/none/none",
        None,
        [[461.0, 415.0], [71.0, 100.0], [264.0, 182.0]],
    ),
    format(
        "soap-1.1-rpc-encoded/xml-utf8/compact-tags/none",
        None,
        [[518.0, 229.0], [76.0, 99.0], [257.0, 170.0]],
    ),
    format(
        "soap-1.1-rpc-encoded/xml-utf8/attributes/none",
        None,
        [[600.0, 260.0], [75.0, 90.0], [280.0, 190.0]],
    ),
    format(
        "soap-1.1-rpc-encoded/xml-utf8/flat/none",
        None,
        [[630.0, 380.0], [70.0, 92.0], [240.0, 165.0]],
    ),
    format(
        "soap-1.1-rpc-encoded/xml-utf8/flat-attributes/none",
        None,
        [[590.0, 240.0], [68.0, 84.0], [250.0, 172.0]],
    ),
    format(
        "fix-4.3/tag-value/none/none",
        Some("FIX"),
        [[76.0, 110.0], [54.0, 69.0], [82.0, 143.0]],
    ),
    format(
        "none/cdr-le-union/none/none",
        Some("CDR"),
        [[82.0, 200.0], [36.0, 86.0], [73.0, 131.0]],
    ),
    format("none/cdr-le-bitmap/none/none", None, [[49.0, 120.0], [23.0, 138.0], [68.0, 160.0]]),
];

/// Peers, the format of each, and how many times slower.
const PEERS: [(&str, usize, f64); 7] = [
    ("gsoap-best", 0, 15.0),
    ("gsoap-debian", 0, 24.0),
    ("quick-xml", 1, 4.2),
    ("pugixml", 1, 3.6),
    ("quickfix", 6, 9.0),
    ("ironfix", 6, 2.8),
    ("omniorb", 7, 1.4),
];

/// Links with their bits per second and one-way delay in nanoseconds.
const LINKS: [(&str, f64, f64); 6] = [
    ("direct", f64::INFINITY, 0.0),
    ("100mbit", 100e6, 0.0),
    ("10mbit", 10e6, 0.0),
    ("10mbit-1ms", 10e6, 1e6),
    ("10mbit-20ms", 10e6, 20e6),
    ("10mbit-100ms", 10e6, 100e6),
];

pub(crate) fn machine() -> MachineRow {
    MachineRow {
        experiment: "kohlhoff-2004".into(),
        case: MACHINE.into(),
        processor: "Example 9000".into(),
        cores: 2,
        kernel: "Linux 6.18".into(),
        compiler: "rustc 1.95.0".into(),
        peers: BTreeMap::from([("quickfix".into(), "1.15.1".into())]),
        date: "2026-11-20".into(),
        noise_floor: Some(0.03),
    }
}

pub(crate) fn row(case: &str, subject: &str, profile: &str, metric: &str, unit: &str) -> Row {
    Row {
        experiment: "kohlhoff-2004".into(),
        case: case.into(),
        subject: subject.into(),
        profile: profile.into(),
        entries: None,
        metric: metric.into(),
        unit: unit.into(),
        value: None,
        low: None,
        high: None,
        runs: 15,
        paper: None,
        verdict: Verdict::Ok,
        repetitions: Vec::new(),
    }
}

/// Who does what: subject, format, factor on CPU times.
fn subjects() -> Vec<(&'static str, &'static Format, f64)> {
    let ours = FORMATS.iter().map(|format| ("trunkline", format, 1.0));
    let records = FORMATS.iter().filter(|format| format.paper.is_some());
    let records = records.map(|format| ("trunkline-record", format, 1.1));
    let peers = PEERS.iter().map(|&(name, format, factor)| (name, &FORMATS[format], factor));
    ours.chain(records).chain(peers).collect()
}

struct Maker {
    random: Random,
    rows: Vec<Row>,
}

/// A record with every case; the same seed gives the same record.
pub(crate) fn record(seed: u64) -> RunRecord {
    let mut maker = Maker { random: Random::new(seed), rows: Vec::new() };
    maker.sizes();
    for case in ["encode", "decode"] {
        maker.times(case);
    }
    for link in LINKS {
        maker.round_trips(link);
        maker.throughput(link);
    }
    for rate in [1_000.0, 20_000.0] {
        maker.open_loop(rate, "direct");
    }
    maker.percentiles("hiccup", ("hiccup-meter", ""), ["", ""], None, 90.0);
    maker.rest();
    RunRecord { machine: machine(), rows: maker.rows }
}

impl Maker {
    /// `value` give or take up to three percent, with bounds around it.
    fn push(&mut self, row: Row, value: f64) {
        let wobble = 0.97 + self.random.below(6_000) as f64 / 1e5;
        let value = value * wobble;
        self.rows.push(Row {
            value: Some(value),
            low: Some(value * 0.975),
            high: Some(value * 1.03),
            ..row
        });
    }

    /// Rows for 1 to 10 entries and the line through them.
    fn line(&mut self, row: &Row, cost: impl Fn(f64) -> f64, paper: Option<Line>) {
        for entries in 1..=10 {
            let paper = paper.map(|line| line.at(entries));
            let row = Row { entries: Some(entries), paper, ..row.clone() };
            self.push(row, cost(f64::from(entries)));
        }
        let per_entry = (cost(10.0) - cost(1.0)) / 9.0;
        for (part, value) in [("fixed", cost(1.0) - per_entry), ("per-entry", per_entry)] {
            let metric = format!("{}-{part}", row.metric);
            self.rows.push(Row { metric, value: Some(value), ..row.clone() });
        }
    }

    fn sizes(&mut self) {
        for format in &FORMATS {
            let profile = format!("none/{}", format.profile);
            let [fixed, per_entry] = format.bytes;
            let row = row("size", "trunkline", &profile, "size", "bytes");
            let paper = published(&row);
            self.line(&row, |entries| fixed + per_entry * entries, paper);
            if format.profile.contains("compact") || format.profile.contains("attributes") {
                for entries in 1..=10 {
                    let row = Row {
                        entries: Some(entries),
                        metric: "reduction".into(),
                        unit: "%".into(),
                        ..row.clone()
                    };
                    self.push(row, 30.0 + f64::from(entries));
                }
            }
        }
    }

    fn times(&mut self, case: &str) {
        for (subject, format, factor) in subjects() {
            let profile = format!("none/{}", format.profile);
            let [fixed, per_entry] = if case == "encode" { format.encode } else { format.decode };
            let row = row(case, subject, &profile, "cpu-time", "ns");
            let cost = |entries: f64| factor * (fixed + per_entry * entries);
            let paper = published(&row);
            self.line(&row, cost, paper);
            if !subject.starts_with("trunkline") {
                let metric = format!("ahead-of-{subject}");
                let row = Row { metric, unit: "x".into(), entries: Some(10), ..row };
                self.push(Row { subject: "trunkline".into(), ..row }, factor);
            }
        }
    }

    fn round_trips(&mut self, (link, rate, delay): (&str, f64, f64)) {
        let case = format!("round-trip@{link}");
        let waits: &[&str] =
            if link == "direct" { &["blocking", "spinning"] } else { &["blocking"] };
        for wait in waits {
            for (subject, format, factor) in subjects() {
                let profile = format!("tcp-{wait}/{}", format.profile);
                let system = if *wait == "spinning" { 9_000.0 } else { 31_000.0 };
                let at = |[fixed, per_entry]: [f64; 2], entries: f64| fixed + per_entry * entries;
                let network = |entries: f64| {
                    system + 2.0 * (delay + at(format.bytes, entries) * 1.06 * 8e9 / rate)
                };
                let coded = |cost, entries| factor * at(cost, entries);
                let whole = |entries: f64| {
                    network(entries)
                        + 2.0 * (coded(format.encode, entries) + coded(format.decode, entries))
                };
                let row = row(&case, subject, &profile, "round-trip", "ns");
                let paper = published(&row);
                self.line(&row, whole, paper);
                for (metric, value) in [
                    ("client-encode", coded(format.encode, 10.0)),
                    ("network", network(10.0)),
                    ("server-decode", coded(format.decode, 10.0)),
                    ("server-encode", coded(format.encode, 10.0)),
                    ("client-decode", coded(format.decode, 10.0)),
                    ("over-bare", 1.01),
                ] {
                    let row = Row { metric: metric.into(), entries: Some(10), ..row.clone() };
                    self.push(row, value);
                }
                let who = (subject, profile.as_str());
                self.percentiles(&case, who, ["round-trip-", ""], Some(10), whole(10.0));
            }
        }
        let row = row(&format!("link@{link}"), "link", "", "slope-ratio", "x");
        self.push(row, 1.0);
    }

    fn percentiles(
        &mut self,
        case: &str,
        (subject, profile): (&str, &str),
        [before, after]: [&str; 2],
        entries: Option<u32>,
        median: f64,
    ) {
        let tail = if after.is_empty() { 1.0 } else { 0.35 };
        for (name, factor) in
            [("p50", 0.0), ("p90", 0.12), ("p99", 0.7), ("p99.9", 3.0), ("max", 21.0)]
        {
            let row = row(case, subject, profile, &format!("{before}{name}{after}"), "ns");
            self.push(Row { entries, ..row }, median + factor * tail * 40_000.0);
        }
    }

    fn open_loop(&mut self, rate: f64, link: &str) {
        let case = format!("open-loop-{rate:.0}@{link}");
        for format in FORMATS.iter().filter(|format| format.paper.is_some()) {
            let profile = format!("tcp-blocking/{}", format.profile);
            let median = 30_000.0 + 10.0 * format.decode[1];
            for after in ["", "-uncorrected"] {
                let who = ("trunkline", profile.as_str());
                self.percentiles(&case, who, ["latency-", after], Some(10), median);
            }
        }
    }

    fn throughput(&mut self, (link, rate, _): (&str, f64, f64)) {
        for (subject, format, factor) in subjects() {
            let profile = format!("tcp-blocking/{}", format.profile);
            for entries in 1..=10 {
                let at = |[fixed, per_entry]: [f64; 2]| fixed + per_entry * f64::from(entries);
                let (encode, decode) = (factor * at(format.encode), factor * at(format.decode));
                let wire = at(format.bytes) * 1.06 * 8e9 / rate;
                let system = 1_400.0 + at(format.bytes) * 0.2;
                for (name, sender, receiver) in [
                    ("throughput", encode, decode),
                    ("throughput-encoded", 0.0, 0.0),
                    ("throughput-slow-receiver", encode, 1.8 * decode),
                    ("throughput-slow-sender", 1.8 * encode, decode),
                ] {
                    let (sender, receiver) = (sender + system, receiver + system);
                    let longest = sender.max(receiver).max(wire);
                    let case = format!("{name}@{link}");
                    let row = row(&case, subject, &profile, "messages-per-second", "1/s");
                    let row = Row { entries: Some(entries), ..row };
                    self.push(row.clone(), 1e9 / longest);
                    for (metric, busy) in
                        [("sender-busy", sender), ("receiver-busy", receiver), ("link-busy", wire)]
                    {
                        let row =
                            Row { metric: metric.into(), unit: "share".into(), ..row.clone() };
                        self.push(row, 0.97 * busy / longest);
                    }
                }
            }
        }
    }

    fn rest(&mut self) {
        for (metric, unit, value, paper) in [
            ("bytes-per-second", "bytes", 33_747.0, 31_556.0),
            ("bits-per-second", "1/s", 269_976.0, 256_000.0),
            ("cpu-share", "share", 0.000_01, 0.01),
            ("clients", "clients", 140_000.0, 100.0),
        ] {
            let row = row("capacity", "trunkline", "", metric, unit);
            self.push(Row { entries: Some(10), paper: Some(paper), ..row }, value);
        }
        for (metric, paper, ours, peers) in [
            ("size SOAP/FIX", 4.6, (Verdict::Holds, 4.9), None),
            ("size SOAP/CDR", 2.7, (Verdict::Holds, 3.0), None),
            ("codec SOAP/FIX", 6.1, (Verdict::NoLonger, 1.7), Some((Verdict::NoLonger, 2.3))),
            ("codec SOAP/CDR", 5.6, (Verdict::NoLonger, 1.6), Some((Verdict::NoLonger, 16.0))),
            ("decode FIX/CDR", 0.66, (Verdict::Inconclusive, 1.0), Some((Verdict::Holds, 0.7))),
        ] {
            let peers = peers.map(|peers| ("gsoap-best/quickfix", peers));
            for (subject, (verdict, value)) in [("trunkline", ours)].into_iter().chain(peers) {
                let row = row("conclusion", subject, "", metric, "x");
                let bounds = (Some(value * 0.8), Some(value * 1.3));
                self.rows.push(Row {
                    value: Some(value),
                    low: bounds.0,
                    high: bounds.1,
                    paper: Some(paper),
                    verdict,
                    ..row
                });
            }
        }
    }
}

/// What the paper has for rows like this one.
fn published(row: &Row) -> Option<Line> {
    let definition = Definition::named("kohlhoff-2004").expect("embedded");
    let (_, encoding) = row.profile.split_once('/')?;
    let is_it = |format: &format::Format| {
        format.profile().split_once('/').is_some_and(|it| it.1 == encoding)
    };
    let format = format::Format::ALL.into_iter().find(is_it)?;
    definition.published(&row.case, &row.metric, format)
}
