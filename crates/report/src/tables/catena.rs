//! Messages through a middleware: the report's overall results, and its figures as tables.

mod guaranteed;

use super::{Rows, Section, WIDTH, scaled, value};
use crate::conclusion::{AIM, CONCLUSION};
use trunkline_bench::record::Record;
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::{Align, Table, number, short_number, with_commas};
use trunkline_experiment::definition::Reported;
use trunkline_experiment::names::{HICCUP, START_UP, TICKS, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;

/// What is in the profile of every row about a middleware.
const OPAQUE: &str = "/opaque/";

/// Those of ours that peers are compared with.
const OURS: [&str; 3] = [TRUNKLINE, "trunkline-shm", "trunkline-store-and-forward"];

/// The tables of latencies: how their cases begin, their topics and titles.
const LATENCIES: [(&str, &str, &str); 8] = [
    ("rates-", "rates", "Feed handler to algo engine, us, by rate (figure 2)"),
    ("orders-", "orders", "Algo engine to order gateway, us, by rate (figure 2)"),
    ("consumers-", "consumers", "Consumers with 500 topics each, us (figure 3)"),
    ("topics-", "topics", "Topics, us"),
    ("clients-", "clients", "Connected clients of which one gets messages, us"),
    ("fan-out-", "fan-out", "One topic to so many consumers, us"),
    ("shared-spinning-", "shared-memory", "Shared memory, all spinning, us, by rate"),
    ("shared-waking-", "shared-memory", "Shared memory, all sleeping, us, by rate"),
];

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let rows = Traffic::of(rows);
    if rows.all.is_empty() {
        return Vec::new();
    }
    let mut sections: Vec<Section> = overall(&rows).into_iter().collect();
    for (beginning, topic, title) in LATENCIES {
        sections.extend(latencies(&rows, beginning, (topic, title)));
        if beginning == "orders-" {
            sections.extend(saturation(&rows));
        }
        if beginning == "consumers-" {
            sections.extend(flexibility(&rows));
        }
        if beginning == "topics-" {
            sections.extend(matching(&rows));
        }
        if beginning == "fan-out-" {
            sections.extend(floods(&rows));
        }
    }
    sections.extend(guaranteed::sections(&rows));
    sections.extend([CONCLUSION, AIM].into_iter().filter_map(|case| peers(&rows, case)));
    sections.extend(start_up(&rows));
    sections.extend(hiccups(&rows));
    sections
}

/// The rows about a middleware.
struct Traffic<'a> {
    all: Vec<&'a Row>,
    rows: Rows<'a>,
}

/// One subject in one case.
#[derive(Clone, Copy)]
struct Line<'a> {
    case: &'a str,
    subject: &'a str,
}

impl<'a> Traffic<'a> {
    fn of(rows: Rows<'a>) -> Self {
        Self { all: rows.all.iter().filter(|row| row.profile.contains(OPAQUE)).collect(), rows }
    }

    fn find(&self, line: Line<'_>, metric: &str) -> Option<&'a Row> {
        let is_it = |row: &&&Row| {
            row.case == line.case && row.subject == line.subject && row.metric == metric
        };
        self.all.iter().find(is_it).copied()
    }

    /// The cases that begin so and end in a number, by the number.
    fn cases(&self, beginning: &str) -> Vec<&'a str> {
        let number = |case: &str| case.strip_prefix(beginning)?.parse::<u64>().ok();
        let mut cases: Vec<&'a str> = Vec::new();
        for row in self.all.iter().filter(|row| number(&row.case).is_some()) {
            if !cases.contains(&&*row.case) {
                cases.push(&row.case);
            }
        }
        cases.sort_by_key(|case| number(case));
        cases
    }

    /// The subjects of a case: ours, those of others, the limits.
    fn subjects(&self, case: &str) -> Vec<&'a str> {
        let mut subjects: Vec<&'a str> = Vec::new();
        for row in self.all.iter().filter(|row| row.case == case) {
            if !subjects.contains(&&*row.subject) {
                subjects.push(&row.subject);
            }
        }
        subjects.sort_by_key(|subject| order(subject));
        subjects
    }

    /// By how much ours is ahead of a peer.
    fn lead(&self, line: Line<'_>, suffix: &str) -> String {
        let ours = OURS.into_iter().find_map(|subject| {
            let metric = format!("{}{suffix}", lead_metric(line.subject));
            self.find(Line { subject, ..line }, &metric)
        });
        ours.map_or(String::new(), |row| value(Some(row)))
    }

    /// A time in us, or in ms if it is very long; the published one of those who are not here.
    fn time(&self, line: Line<'_>, metric: &str) -> String {
        let row = self.find(line, metric);
        let of_paper = row.filter(|_| order(line.subject) == usize::MAX).map(|row| Row {
            value: row.paper,
            verdict: Verdict::Ok,
            ..row.clone()
        });
        match of_paper {
            Some(Row { value: None, .. }) => "-".into(),
            Some(row) => microseconds(Some(&row)),
            None => microseconds(row),
        }
    }

    /// A time as above; the word for it where nothing was measured of the subject in this case.
    fn time_or_absent(&self, line: Line<'_>, metric: &str) -> String {
        let of_line = |row: &&Row| row.case == line.case && row.subject == line.subject;
        match self.all.iter().any(|row| of_line(row) && row.value.is_some()) {
            true => self.time(line, metric),
            false => Verdict::Absent.name().to_owned(),
        }
    }

    fn count(&self, line: Line<'_>, metric: &str) -> String {
        let row = self.find(line, metric).filter(|row| row.verdict == Verdict::Ok);
        row.and_then(|row| row.value).map_or(String::new(), with_commas)
    }

    fn optional(&self, line: Line<'_>, metric: &str) -> String {
        self.find(line, metric).map_or(String::new(), |row| value(Some(row)))
    }
}

/// A time in us, or in ms from a tenth of a second on.
fn microseconds(row: Option<&Row>) -> String {
    match row.and_then(|row| Some((row.value?, row.verdict == Verdict::Inconclusive))) {
        Some((value, is_open)) if value >= 1e8 => {
            with_commas((value / 1e6).round()) + if is_open { " ms?" } else { " ms" }
        }
        _ => scaled(row, 1e3),
    }
}

/// Ours first, then the order of the table of subjects, then the published.
fn order(subject: &str) -> usize {
    let known = trunkline_experiment::middleware::SUBJECTS.iter().position(|it| it.name == subject);
    known.unwrap_or(usize::MAX)
}

/// The report's own table, with ours beside it.
fn overall(rows: &Traffic<'_>) -> Option<Section> {
    let definition = rows.rows.definition?;
    let mut table = Table::new([
        ("test", Align::Left),
        ("subject", Align::Left),
        ("msg/s", Align::Right),
        ("mean", Align::Right),
        ("99.9 %", Align::Right),
        ("99.99 %", Align::Right),
    ])
    .within(WIDTH);
    let mut count = 0;
    for reported in &definition.reported {
        if rows.subjects(&reported.case).is_empty() {
            continue;
        }
        let published = |metric: &str| {
            let figure = reported.figures().find(|(known, _)| *known == metric);
            match figure {
                Some((_, value)) if value >= 1e8 => with_commas((value / 1e6).round()) + " ms",
                Some((_, value)) => number(value / 1e3),
                None => "-".into(),
            }
        };
        table.row([
            reported.what.clone(),
            reported.subject.clone(),
            reported.rate.map_or(String::new(), with_commas),
            published("latency-mean"),
            published("latency-p99.9"),
            published("latency-p99.99"),
        ]);
        table.row(ours(rows, reported));
        count += 1;
    }
    let notes = vec![
        "figures in us; the appliance's are of 2012, stamped by hardware on a network of its own, with \
         kernel bypass; ours are of this machine, whose programs share its processors and its kernel"
            .to_owned(),
        "store and forward was in the memory of a pair, backed by a battery: only what is in the memory of \
         two stands beside it; orders of the latency part go by direct delivery"
            .to_owned(),
    ];
    (count > 0).then(|| Section {
        topic: "overall",
        title: "Overall results (the report's table)".into(),
        table,
        notes,
    })
}

/// Our line beside a published one.
fn ours(rows: &Traffic<'_>, reported: &Reported) -> [String; 6] {
    let (case, subject) = reported.beside();
    let line = Line { case, subject };
    let cell = |metric: &str| rows.time_or_absent(line, metric);
    [
        String::new(),
        subject.to_owned(),
        rows.optional(line, "published-per-second"),
        cell("latency-mean"),
        cell("latency-p99.9"),
        cell("latency-p99.99"),
    ]
}

/// A line for each subject of each case that begins so.
fn latencies(
    rows: &Traffic<'_>,
    beginning: &str,
    (topic, title): (&'static str, &str),
) -> Option<Section> {
    let cases = rows.cases(beginning);
    let is_lossy = rows
        .all
        .iter()
        .any(|row| row.metric == "lost" && row.value != Some(0.0) && cases.contains(&&*row.case));
    let mut columns = vec![("", Align::Right), ("subject", Align::Left)];
    let figures = ["mean", "50 %", "99 %", "99.9 %", "99.99 %"];
    let lost = is_lossy.then_some("lost");
    let figures = figures.into_iter().chain(lost).chain(["/ bare", "times"]);
    columns.extend(figures.map(|title| (title, Align::Right)));
    let mut table = Table::new(columns).within(WIDTH);
    for case in &cases {
        let mut name = case[beginning.len()..].parse().map_or(String::new(), with_commas);
        for subject in rows.subjects(case) {
            let line = Line { case, subject };
            let time = |metric: &str| rows.time(line, metric);
            let figures = ["mean", "p50", "p99", "p99.9", "p99.99"];
            let mut cells = vec![std::mem::take(&mut name), subject.to_owned()];
            cells.extend(figures.map(|figure| time(&format!("latency-{figure}"))));
            cells.extend(is_lossy.then(|| rows.count(line, "lost")));
            cells.extend([rows.optional(line, "over-bare"), rows.lead(line, "")]);
            table.row(cells);
        }
    }
    let mut notes = vec![
        "from the time at which a message was due to its arrival; / bare: how many times the middle of \
         the bare limit of the same transport; times: how many times the middle of trunkline"
            .to_owned(),
    ];
    if !is_lossy {
        notes.push("nothing was lost".to_owned());
    }
    notes.extend(who(rows, &cases));
    (!cases.is_empty()).then(|| Section { topic, title: title.to_owned(), table, notes })
}

/// Who spun and who blocked, and where: each that is not as the first is named.
fn who(rows: &Traffic<'_>, cases: &[&str]) -> Vec<String> {
    let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows.all.iter().filter(|row| Some(&&*row.case) == cases.first()) {
        let Some((_, who)) = row.profile.split_once('(') else { continue };
        let who = who.trim_end_matches(')');
        match lines.iter_mut().find(|(known, _)| *known == who) {
            Some((_, subjects)) if subjects.contains(&&*row.subject) => {}
            Some((_, subjects)) => subjects.push(&row.subject),
            None => lines.push((who, vec![&row.subject])),
        }
    }
    let told = |(number, (who, subjects)): (usize, (&str, Vec<&str>))| match number {
        0 => who.to_owned(),
        _ => format!("{}: {who}", subjects.join(", ")),
    };
    lines.into_iter().enumerate().map(told).collect()
}

/// The highest rates.
fn saturation(rows: &Traffic<'_>) -> Option<Section> {
    let case = "saturation";
    let mut table = Table::new([
        ("subject", Align::Left),
        ("msg/s", Align::Right),
        ("low", Align::Right),
        ("high", Align::Right),
        ("/ bare", Align::Right),
        ("times", Align::Right),
    ])
    .within(WIDTH);
    let subjects = rows.subjects(case);
    for &subject in &subjects {
        let line = Line { case, subject };
        let row = rows.find(line, "messages-per-second");
        let [low, high] = bounded(row);
        table.row([
            subject.to_owned(),
            value(row),
            low,
            high,
            rows.optional(line, "over-bare"),
            rows.lead(line, ""),
        ]);
    }
    let notes = vec![
        "the highest rate, in steps of a half, that was kept up, or what came through of the first that \
         was not, if nothing was lost"
            .into(),
        "theirs was 250,000, the most that one publisher could send".into(),
    ];
    let title = "Saturation: rates of one publisher, messages a second".to_owned();
    (!subjects.is_empty()).then_some(Section { topic: "saturation-of-a-hop", title, table, notes })
}

/// The bounds of a rate.
fn bounded(row: Option<&Row>) -> [String; 2] {
    let bound = |bound: Option<f64>| bound.map_or(String::new(), with_commas);
    [bound(row.and_then(|row| row.low)), bound(row.and_then(|row| row.high))]
}

/// The consumers of the flexibility test, in order.
const CONSUMERS: [&str; 5] =
    ["fast", "slow", "eliding", "slow-reader", "slow-reader-without-credit"];

/// Figure 4.
fn flexibility(rows: &Traffic<'_>) -> Option<Section> {
    let mut table = Table::new([
        ("consumer", Align::Left),
        ("subject", Align::Left),
        ("mean", Align::Right),
        ("99.9 %", Align::Right),
        ("99.99 %", Align::Right),
        ("plateau", Align::Right),
        ("came", Align::Right),
        ("not", Align::Right),
        ("/ alone", Align::Right),
    ])
    .within(WIDTH);
    let mut lines = 0;
    for case in consumers(rows) {
        let mut name = case["flexibility-".len()..].replace('-', " ");
        for subject in rows.subjects(case) {
            let line = Line { case, subject };
            let time = |metric: &str| match rows.find(line, metric) {
                None => String::new(),
                _ => rows.time(line, metric),
            };
            table.row([
                std::mem::take(&mut name),
                subject.to_owned(),
                rows.time(line, "latency-mean"),
                time("latency-p99.9"),
                time("latency-p99.99"),
                time("plateau"),
                rows.count(line, "delivered"),
                not_come(rows, line),
                rows.optional(line, "over-alone"),
            ]);
            lines += 1;
        }
    }
    let notes = vec![
        "us; numbers behind the consumers are the eliding one's updates a second for each topic; plateau: \
         the slow one's middle latency in the last quarter"
            .to_owned(),
        "not: messages elided, or lost, or of the slow one discarded + still queued at the end; / alone: \
         the fast one's middle over its middle alone, ? where they cannot be told apart"
            .to_owned(),
        "no broker beside us elides or slows a client down: their slow consumer reads slowly, and they are \
         measured for a shorter time"
            .to_owned(),
    ];
    let title = "A fast, a slow and an eliding consumer (figure 4)".to_owned();
    (lines > 0).then_some(Section { topic: "flexibility", title, table, notes })
}

/// The cases of the flexibility test: the fast consumer alone, and all by who they are.
fn consumers<'a>(rows: &Traffic<'a>) -> Vec<&'a str> {
    let mut cases: Vec<&str> = Vec::new();
    for row in rows.all.iter().filter(|row| row.case.starts_with("flexibility-")) {
        if !cases.contains(&&*row.case) {
            cases.push(&row.case);
        }
    }
    cases.sort_by_key(|case| {
        let (name, cap) = case["flexibility-".len()..].rsplit_once('-').unwrap_or(("", "0"));
        let consumer = CONSUMERS.iter().position(|it| *it == name);
        (consumer, cap.parse::<u32>().unwrap_or(0))
    });
    cases
}

/// The messages that a consumer did not get: elided or lost, or discarded and queued.
fn not_come(rows: &Traffic<'_>, line: Line<'_>) -> String {
    match rows.find(line, "discarded") {
        Some(_) => {
            let both = ["discarded", "queued-at-the-end"].map(|metric| rows.count(line, metric));
            both.join(" + ")
        }
        None => rows.count(line, "elided") + &rows.count(line, "lost"),
    }
}

/// Messages as fast as they are taken.
fn floods(rows: &Traffic<'_>) -> Option<Section> {
    let cases = rows.cases("flood-");
    let first = cases.first()?;
    let mut columns = vec![("subject".to_owned(), Align::Left)];
    for case in &cases {
        let count = &case["flood-".len()..];
        columns.push((format!("1 to {count}"), Align::Right));
        columns.push(("/ bare".to_owned(), Align::Right));
        columns.push(("times".to_owned(), Align::Right));
    }
    let mut table = Table::new(columns).within(WIDTH);
    for subject in rows.subjects(first) {
        let mut cells = vec![subject.to_owned()];
        for case in &cases {
            let line = Line { case, subject };
            cells.push(value(rows.find(line, "deliveries-per-second")));
            cells.push(rows.optional(line, "over-bare"));
            cells.push(rows.lead(line, ""));
        }
        table.row(cells);
    }
    let mut notes = vec![
        "every subscriber tells the publisher through the broker how many it has, and no more than the \
         window are on their way, so that nothing is lost"
            .to_owned(),
        "/ bare: how many times as long a delivery takes as through the bare limit; times: as trunkline"
            .to_owned(),
    ];
    notes.extend(who(rows, &cases));
    let title = "Throughput, deliveries a second, 128 bytes".to_owned();
    Some(Section { topic: "flood", title, table, notes })
}

/// What finding subscriptions costs.
fn matching(rows: &Traffic<'_>) -> Option<Section> {
    let mut found: Vec<(u32, u64, &Row)> = Vec::new();
    for row in rows.rows.all.iter().filter(|row| row.metric == "cpu-time") {
        let parsed = row.case.strip_prefix("matching-").and_then(|rest| rest.split_once('-'));
        let Some((levels, count)) = parsed else { continue };
        if let (Ok(levels), Ok(count)) = (levels.parse(), count.parse()) {
            found.push((levels, count, row));
        }
    }
    let mut counts: Vec<u64> = found.iter().map(|(_, count, _)| *count).collect();
    let mut levels: Vec<u32> = found.iter().map(|(levels, ..)| *levels).collect();
    counts.sort_unstable();
    counts.dedup();
    levels.sort_unstable();
    levels.dedup();
    let columns = [("levels".to_owned(), Align::Right)].into_iter();
    let of_counts = counts.iter().map(|count| (with_commas(*count as f64), Align::Right));
    let mut table = Table::new(columns.chain(of_counts)).within(WIDTH);
    for level in levels {
        let mut cells = vec![level.to_string()];
        cells.extend(counts.iter().map(|count| {
            let it = found.iter().find(|(of, number, _)| (*of, *number) == (level, *count));
            value(it.map(|(.., row)| *row))
        }));
        table.row(cells);
    }
    let notes = vec!["CPU time of one look-up; one subscription in a hundred ends in *".to_owned()];
    let title = "Finding the subscriptions of a topic, ns, by their number".to_owned();
    (!found.is_empty()).then_some(Section { topic: "matching", title, table, notes })
}

/// What becomes of the report's conclusions, or of our aims, with the brokers of others: a column each.
fn peers(rows: &Traffic<'_>, case: &str) -> Option<Section> {
    let all = || rows.rows.all.iter().filter(|row| row.case == case);
    let mut subjects: Vec<&str> = all().map(|row| row.subject.as_str()).collect();
    subjects.sort_by_key(|subject| order(subject));
    subjects.dedup();
    let theirs = || subjects.iter().filter(|subject| **subject != TRUNKLINE);
    theirs().next()?;
    let columns = [(case, Align::Left)].into_iter();
    let mut table =
        Table::new(columns.chain(subjects.iter().map(|it| (*it, Align::Right)))).within(WIDTH);
    let mut names: Vec<&str> = Vec::new();
    for row in all() {
        if !names.contains(&&*row.metric) && theirs().any(|it| **it == row.subject) {
            names.push(&row.metric);
        }
    }
    for name in names {
        let mut cells = vec![name.to_owned()];
        cells.extend(subjects.iter().map(|subject| {
            let row = all().find(|row| row.subject == *subject && row.metric == name);
            let sign = |row: &Row| match row.verdict {
                Verdict::Holds => "",
                Verdict::NoLonger => " no",
                _ => " ?",
            };
            row.and_then(|row| Some(format!("{}{}", short_number(row.value?), sign(row))))
                .unwrap_or_default()
        }));
        table.row(cells);
    }
    let notes = vec!["the factor that decides; no: it is not as expected, ?: it is open".into()];
    let whose = if case == AIM { "Our aims" } else { "The report's conclusions" };
    let title = format!("{whose}, with ours and the brokers of others");
    Some(Section { topic: "conclusions-of-peers", title, table, notes })
}

/// Where the prices come from, each stream by itself unless all are alike.
pub(super) fn ticks(record: &Record) -> Option<String> {
    let streams: Vec<&Row> = record.rows.iter().filter(|row| row.case == TICKS).collect();
    let first = streams.first()?;
    if streams.iter().all(|row| row.profile == first.profile) {
        return Some(format!("ticks of {} streams, {}", streams.len(), first.profile));
    }
    let each = streams.iter().map(|row| format!("{} {}", row.subject, row.profile));
    Some(format!("ticks: {}", each.collect::<Vec<_>>().join("; ")))
}

/// What starting a router takes.
fn start_up(rows: &Traffic<'_>) -> Option<Section> {
    let subjects = rows.subjects(START_UP);
    let mut table = Table::new([
        ("subject", Align::Left),
        ("ms to start", Align::Right),
        ("MB at once", Align::Right),
        ("MB, 500,000 topics", Align::Right),
        ("MB, 5,000 clients", Align::Right),
    ])
    .within(WIDTH);
    for &subject in &subjects {
        let line = Line { case: START_UP, subject };
        let memory = |case: &str| match rows.find(Line { case, subject }, "memory") {
            None => String::new(),
            row => scaled(row, 1e6),
        };
        table.row([
            subject.to_owned(),
            scaled(rows.find(line, "start-up-time"), 1e6),
            memory(START_UP),
            memory("topics-500000"),
            memory("clients-5000"),
        ]);
    }
    let notes = vec!["until it answers; memory is what is resident".to_owned()];
    let title = "Start-up time and memory of the routers".to_owned();
    (!subjects.is_empty()).then_some(Section { topic: START_UP, title, table, notes })
}

/// How busy the machine was.
fn hiccups(rows: &Traffic<'_>) -> Option<Section> {
    let find =
        |metric: &str| rows.rows.all.iter().find(|row| row.case == HICCUP && row.metric == metric);
    find("p50")?;
    let metrics = ["p50", "p90", "p99", "p99.9", "p99.99", "max"];
    let columns = [("", Align::Left)].into_iter().chain(metrics.map(|it| (it, Align::Right)));
    let mut table = Table::new(columns).within(WIDTH);
    let mut cells = vec!["late, us".to_owned()];
    cells.extend(metrics.map(|metric| scaled(find(metric), 1e3)));
    table.row(cells);
    let notes = vec![
        "how much later than asked this machine woke a program that slept for 1 ms, during the run: what \
         is in the tails of all"
            .to_owned(),
    ];
    let title = "How busy the machine was".to_owned();
    Some(Section { topic: HICCUP, title, table, notes })
}
