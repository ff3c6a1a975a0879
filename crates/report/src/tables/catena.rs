//! Messages through a middleware: the report's overall results, and its figures as tables.

mod guaranteed;

use super::sheet::{Cell, Line, Sheet, count, words};
use super::{Rows, Section, each_once, scaled, value};
use crate::conclusion::{AIM, CONCLUSION};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::{Align, number, short_number, with_commas};
use trunkline_experiment::names::{HICCUP, START_UP, TICKS};
use trunkline_experiment::subjects::TRUNKLINE;

/// What is in the profile of every row about a middleware.
const OPAQUE: &str = "/opaque/";

/// Ours that peers are compared with.
const LEAD: Cell<'_> = Cell::Lead(&[TRUNKLINE, "trunkline-shm", "trunkline-store-and-forward"]);

/// How much longer it takes than the bare limit, where that was measured.
const OVER_BARE: Cell<'_> = Cell::Any("over-bare", 1.0);

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

impl<'a> Traffic<'a> {
    fn of(rows: Rows<'a>) -> Self {
        Self { all: rows.all.iter().filter(|row| row.profile.contains(OPAQUE)).collect(), rows }
    }

    /// The cases that begin so and end in a number, by the number.
    fn cases(&self, beginning: &str) -> Vec<&'a str> {
        let number = |case: &str| case.strip_prefix(beginning)?.parse::<u64>().ok();
        let cases = self.all.iter().map(|row| &*row.case).filter(|it| number(it).is_some());
        let mut cases = each_once(cases, usize::MAX);
        cases.sort_by_key(|case| number(case));
        cases
    }

    /// A line for each subject of each case: the name of the case at the first, who it is, and what else is told.
    fn fill(
        &self,
        sheet: &mut Sheet<'_>,
        cases: &[&str],
        name: impl Fn(&str) -> String,
        more: impl Fn(&str) -> Vec<String>,
    ) {
        for case in cases {
            let mut name = name(case);
            for subject in self.subjects(case) {
                let words = [std::mem::take(&mut name), subject.to_owned()].into_iter();
                sheet.line(self.rows, words.chain(more(subject)), &Line::new(case, subject));
            }
        }
    }

    /// The subjects of a case: ours, those of others, the limits.
    fn subjects(&self, case: &str) -> Vec<&'a str> {
        let of_case = self.all.iter().filter(|row| row.case == case);
        let mut subjects = each_once(of_case.map(|row| &*row.subject), usize::MAX);
        subjects.sort_by_key(|subject| order(subject));
        subjects
    }
}

/// Ours first, then the order of the table of subjects, then the published.
fn order(subject: &str) -> usize {
    let known = trunkline_experiment::middleware::SUBJECTS.iter().position(|it| it.name == subject);
    known.unwrap_or(usize::MAX)
}

/// The report's own table, with ours beside it.
fn overall(rows: &Traffic<'_>) -> Option<Section> {
    let figures = ["latency-mean", "latency-p99.9", "latency-p99.99"];
    let times = ["mean", "99.9 %", "99.99 %"].into_iter().zip(figures.map(Cell::TimeOrAbsent));
    let columns = [("msg/s", Cell::Any("published-per-second", 1.0))].into_iter().chain(times);
    let title = "Overall results (the report's table)";
    let mut sheet = Sheet::new("overall", title, [words("test"), words("subject")], columns);
    for reported in &rows.rows.definition?.reported {
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
        let rate = reported.rate.map_or(String::new(), with_commas);
        let words = [reported.what.clone(), reported.subject.clone(), rate];
        sheet.row(words.into_iter().chain(figures.map(published)));
        let (case, subject) = reported.beside();
        sheet.line(rows.rows, ["", subject], &Line::new(case, subject));
    }
    sheet.noted([
        "figures in us; the appliance's are of 2012, stamped by hardware on a network of its own, with \
         kernel bypass; ours are of this machine, whose programs share its processors and its kernel",
        "store and forward was in the memory of a pair, backed by a battery: only what is in the memory of \
         two stands beside it; orders of the latency part go by direct delivery",
    ])
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
    let mut columns = vec![
        ("mean", Cell::Time("latency-mean")),
        ("50 %", Cell::Time("latency-p50")),
        ("99 %", Cell::Time("latency-p99")),
        ("99.9 %", Cell::Time("latency-p99.9")),
        ("99.99 %", Cell::Time("latency-p99.99")),
    ];
    columns.extend(is_lossy.then_some(("lost", Cell::Count("lost"))));
    columns.extend([("/ bare", OVER_BARE), ("times", LEAD)]);
    let mut sheet = Sheet::new(topic, title, [count(""), words("subject")], columns);
    rows.fill(&mut sheet, &cases, |case| number_of(case, beginning), |_| Vec::new());
    let mut notes = vec![
        "from the time at which a message was due to its arrival; / bare: how many times the middle of \
         the bare limit of the same transport; times: how many times the middle of trunkline"
            .to_owned(),
    ];
    notes.extend((!is_lossy).then(|| "nothing was lost".to_owned()));
    notes.extend(who(rows, &cases));
    sheet.noted(notes)
}

/// The number behind the beginning of a case.
fn number_of(case: &str, beginning: &str) -> String {
    case[beginning.len()..].parse().map_or(String::new(), with_commas)
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
    let columns = [
        ("msg/s", Cell::Of("messages-per-second", 1.0)),
        ("low", Cell::Low("messages-per-second")),
        ("high", Cell::High("messages-per-second")),
        ("/ bare", OVER_BARE),
        ("times", LEAD),
    ];
    let title = "Saturation: rates of one publisher, messages a second";
    let mut sheet = Sheet::new("saturation-of-a-hop", title, [words("subject")], columns);
    for subject in rows.subjects("saturation") {
        sheet.line(rows.rows, [subject], &Line::new("saturation", subject));
    }
    sheet.noted([
        "the highest rate, in steps of a half, that was kept up, or what came through of the first that \
         was not, if nothing was lost",
        "theirs was 250,000, the most that one publisher could send",
    ])
}

/// The consumers of the flexibility test, in order.
const CONSUMERS: [&str; 5] =
    ["fast", "slow", "eliding", "slow-reader", "slow-reader-without-credit"];

/// Figure 4.
fn flexibility(rows: &Traffic<'_>) -> Option<Section> {
    let columns = [
        ("mean", Cell::Time("latency-mean")),
        ("99.9 %", Cell::AnyTime("latency-p99.9")),
        ("99.99 %", Cell::AnyTime("latency-p99.99")),
        ("plateau", Cell::AnyTime("plateau")),
        ("came", Cell::Count("delivered")),
        // Elided or lost, or discarded and queued.
        ("not", Cell::Counts(&["elided", "lost"], &["discarded", "queued-at-the-end"])),
        ("/ alone", Cell::Any("over-alone", 1.0)),
    ];
    let names = [words("consumer"), words("subject")];
    let title = "A fast, a slow and an eliding consumer (figure 4)";
    let mut sheet = Sheet::new("flexibility", title, names, columns);
    let name = |case: &str| case["flexibility-".len()..].replace('-', " ");
    rows.fill(&mut sheet, &consumers(rows), name, |_| Vec::new());
    sheet.noted([
        "us; numbers behind the consumers are the eliding one's updates a second for each topic; plateau: \
         the slow one's middle latency in the last quarter",
        "not: messages elided, or lost, or of the slow one discarded + still queued at the end; / alone: \
         the fast one's middle over its middle alone, ? where they cannot be told apart",
        "no broker beside us elides or slows a client down: their slow consumer reads slowly, and they are \
         measured for a shorter time",
    ])
}

/// The cases of the flexibility test: the fast consumer alone, and all by who they are.
fn consumers<'a>(rows: &Traffic<'a>) -> Vec<&'a str> {
    let all = rows.all.iter().map(|row| &*row.case);
    let mut cases = each_once(all.filter(|it| it.starts_with("flexibility-")), usize::MAX);
    cases.sort_by_key(|case| {
        let (name, cap) = case["flexibility-".len()..].rsplit_once('-').unwrap_or(("", "0"));
        let consumer = CONSUMERS.iter().position(|it| *it == name);
        (consumer, cap.parse::<u32>().unwrap_or(0))
    });
    cases
}

/// Messages as fast as they are taken.
fn floods(rows: &Traffic<'_>) -> Option<Section> {
    let cases = rows.cases("flood-");
    let first = cases.first()?;
    let figures = [Cell::Of("deliveries-per-second", 1.0), OVER_BARE, LEAD];
    let titles = cases.iter().flat_map(|case| {
        [format!("1 to {}", &case["flood-".len()..]), "/ bare".to_owned(), "times".to_owned()]
    });
    let columns = titles.map(|title| (title, Align::Right));
    let columns = [("subject".to_owned(), Align::Left)].into_iter().chain(columns);
    let title = "Throughput, deliveries a second, 128 bytes";
    let mut section = Section::new("flood", title, columns);
    for subject in rows.subjects(first) {
        let cells = cases.iter().flat_map(|case| {
            figures.map(|figure| figure.text(rows.rows, &Line::new(case, subject)))
        });
        section.table.row([subject.to_owned()].into_iter().chain(cells));
    }
    let mut notes = vec![
        "every subscriber tells the publisher through the broker how many it has, and no more than the \
         window are on their way, so that nothing is lost"
            .to_owned(),
        "/ bare: how many times as long a delivery takes as through the bare limit; times: as trunkline"
            .to_owned(),
    ];
    notes.extend(who(rows, &cases));
    section.noted(notes)
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
    let title = "Finding the subscriptions of a topic, ns, by their number";
    let mut section = Section::new("matching", title, columns.chain(of_counts));
    for level in levels {
        let mut cells = vec![level.to_string()];
        cells.extend(counts.iter().map(|count| {
            let it = found.iter().find(|(of, number, _)| (*of, *number) == (level, *count));
            value(it.map(|(.., row)| *row))
        }));
        section.table.row(cells);
    }
    section.noted(["CPU time of one look-up; one subscription in a hundred ends in *"])
}

/// What becomes of the report's conclusions, or of our aims, with the brokers of others: a column each.
fn peers(rows: &Traffic<'_>, case: &str) -> Option<Section> {
    let all = || rows.rows.all.iter().filter(|row| row.case == case);
    let mut subjects: Vec<&str> = all().map(|row| row.subject.as_str()).collect();
    subjects.sort_by_key(|subject| order(subject));
    subjects.dedup();
    let theirs = || subjects.iter().filter(|subject| **subject != TRUNKLINE);
    theirs().next()?;
    let whose = if case == AIM { "Our aims" } else { "The report's conclusions" };
    let title = format!("{whose}, with ours and the brokers of others");
    let columns = [words(case)].into_iter().chain(subjects.iter().map(|it| count(it)));
    let mut section = Section::new("conclusions-of-peers", title, columns);
    let judged = all().filter(|row| theirs().any(|it| **it == row.subject));
    for name in each_once(judged.map(|row| &*row.metric), usize::MAX) {
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
        section.table.row(cells);
    }
    section.noted(["the factor that decides; no: it is not as expected, ?: it is open"])
}

/// Where the prices come from, each stream by itself unless all are alike.
pub(super) fn ticks(record: &RunRecord) -> Option<String> {
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
    let columns = [
        ("ms to start", Cell::Of("start-up-time", 1e6)),
        ("MB at once", Cell::Any("memory", 1e6)),
        ("MB, 500,000 topics", Cell::In("topics-500000", "memory", 1e6)),
        ("MB, 5,000 clients", Cell::In("clients-5000", "memory", 1e6)),
    ];
    let title = "Start-up time and memory of the routers";
    let mut sheet = Sheet::new(START_UP, title, [words("subject")], columns);
    for subject in rows.subjects(START_UP) {
        sheet.line(rows.rows, [subject], &Line::new(START_UP, subject));
    }
    sheet.noted(["until it answers; memory is what is resident"])
}

/// How busy the machine was.
fn hiccups(rows: &Traffic<'_>) -> Option<Section> {
    let metrics = ["p50", "p90", "p99", "p99.9", "p99.99", "max"];
    let found = metrics.map(|metric| rows.rows.hiccup(metric));
    found[0]?;
    let columns = [words("")].into_iter().chain(metrics.map(count));
    let mut section = Section::new(HICCUP, "How busy the machine was", columns);
    let cells = found.map(|row| scaled(row, 1e3));
    section.table.row(["late, us".to_owned()].into_iter().chain(cells));
    section.noted([
        "how much later than asked this machine woke a program that slept for 1 ms, during the run: what \
         is in the tails of all",
    ])
}
