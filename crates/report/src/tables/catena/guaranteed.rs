//! Tables of guaranteed delivery: orders and their acknowledgements, the most of them, and the disk.

use super::{Line, Section, Traffic, WIDTH, bounded, scaled, value, who};
use trunkline_bench::table::{Align, Table, with_commas};
use trunkline_experiment::definition::guaranteed::{
    GUARANTEED, GUARANTEED_FLOOD, GUARANTEED_SATURATION, RECOVERY,
};
use trunkline_experiment::definition::{Append, Disk};
use trunkline_experiment::middleware::{DISK, Guarantee, named};

/// The topic of all.
const TOPIC: &str = "guaranteed";

pub(super) fn sections(rows: &Traffic<'_>) -> Vec<Section> {
    let titles = [
        "Guaranteed orders, algo engine to order gateway, us, by rate",
        "Guaranteed orders until they are acknowledged, us, by rate",
    ];
    let latencies = GUARANTEED.into_iter().zip(titles);
    let mut sections: Vec<Section> =
        latencies.filter_map(|(hop, title)| latencies_of(rows, hop, title)).collect();
    sections.extend(saturation(rows));
    sections.extend(flood(rows));
    sections.extend(recovery(rows));
    sections.extend(appends(rows));
    sections.extend(groups(rows));
    sections
}

/// When a message of a subject is synced to disk, seen from its acknowledgement.
fn synced(subject: &str) -> &'static str {
    let guarantee = named(subject).and_then(|it| it.guarantee);
    guarantee.map_or("-", Guarantee::synced)
}

fn latencies_of(rows: &Traffic<'_>, hop: &str, title: &str) -> Option<Section> {
    let beginning = format!("{hop}-");
    let cases = rows.cases(&beginning);
    let columns = [("", Align::Right), ("subject", Align::Left), ("synced", Align::Left)];
    let is_acknowledgement = hop == GUARANTEED[1];
    let last = if is_acknowledgement { "/ disk" } else { "99.99 %" };
    let figures = ["mean", "50 %", "99 %", "99.9 %", last, "times"];
    let columns = columns.into_iter().chain(figures.map(|title| (title, Align::Right)));
    let mut table = Table::new(columns).within(WIDTH);
    for case in &cases {
        let mut name = case[beginning.len()..].parse().map_or(String::new(), with_commas);
        for subject in rows.subjects(case) {
            let line = Line { case, subject };
            let time = |figure: &str| rows.time_or_absent(line, &format!("latency-{figure}"));
            let mut cells = vec![std::mem::take(&mut name), subject.to_owned()];
            cells.push(synced(subject).to_owned());
            cells.extend(["mean", "p50", "p99", "p99.9"].map(time));
            cells.push(match is_acknowledgement {
                true => rows.optional(line, "over-bare"),
                false => time("p99.99"),
            });
            cells.push(rows.lead(line, ""));
            table.row(cells);
        }
    }
    let mut notes = vec![
        "rates a second, a fifth as many orders; from when an order's rate had come; synced: to disk before \
         the acknowledgement, or after a time; times: how many times the middle of ours that is as durable; \
         absent: not here, or a lower rate was too high"
            .to_owned(),
    ];
    match is_acknowledgement {
        true => notes.push(
            "/ disk: how many times the middle of one thread that writes as many messages and syncs what \
             has gathered"
                .to_owned(),
        ),
        false => notes.extend(who(rows, &cases)),
    }
    (!cases.is_empty()).then(|| Section { topic: TOPIC, title: title.to_owned(), table, notes })
}

fn saturation(rows: &Traffic<'_>) -> Option<Section> {
    let case = GUARANTEED_SATURATION;
    let subjects = rows.subjects(case);
    let columns = ["orders/s", "low", "high", "times"].map(|title| (title, Align::Right));
    let names = [("subject", Align::Left), ("synced", Align::Left)];
    let mut table = Table::new(names.into_iter().chain(columns)).within(WIDTH);
    for &subject in &subjects {
        let line = Line { case, subject };
        let row = rows.find(line, "messages-per-second");
        let [low, high] = bounded(row);
        let names = [subject.to_owned(), synced(subject).to_owned()];
        let figures = [value(row), low, high, rows.lead(line, "")];
        table.row(names.into_iter().chain(figures));
    }
    let notes = vec![
        "the most that were delivered and acknowledged as fast as they were sent, in steps of a half, or \
         what came through of the first that were too many"
            .to_owned(),
    ];
    let title = "Saturation with guaranteed orders, orders a second".to_owned();
    (!subjects.is_empty()).then_some(Section { topic: TOPIC, title, table, notes })
}

fn flood(rows: &Traffic<'_>) -> Option<Section> {
    let case = GUARANTEED_FLOOD;
    let subjects = rows.subjects(case);
    let columns = ["messages/s", "acknowledged/s", "delivered/s", "again", "times"];
    let names = [("subject", Align::Left), ("synced", Align::Left)];
    let columns = names.into_iter().chain(columns.map(|title| (title, Align::Right)));
    let mut table = Table::new(columns).within(WIDTH);
    for &subject in &subjects {
        let line = Line { case, subject };
        table.row([
            subject.to_owned(),
            synced(subject).to_owned(),
            value(rows.find(line, "messages-per-second")),
            rows.optional(line, "acknowledged-per-second"),
            rows.optional(line, "deliveries-per-second"),
            rows.count(line, "duplicates"),
            rows.lead(line, ""),
        ]);
    }
    let mut notes = vec![
        "messages/s: until the last was both acknowledged and delivered; nothing acknowledged was lost; \
         again: duplicates; times: as ours that is as durable"
            .to_owned(),
    ];
    notes.extend(who(rows, &[case]));
    let title = "Guaranteed throughput, 128 bytes, one publisher and one subscriber".to_owned();
    (!subjects.is_empty()).then_some(Section { topic: TOPIC, title, table, notes })
}

/// After a router was killed.
fn recovery(rows: &Traffic<'_>) -> Option<Section> {
    let [beginning, replay] = RECOVERY.map(|it| format!("{it}-"));
    let cases = rows.cases(&beginning);
    let columns = [("messages", Align::Right), ("subject", Align::Left)];
    let figures = ["MiB", "ready after ms", "times", "messages/s", "times"];
    let columns = columns.into_iter().chain(figures.map(|title| (title, Align::Right)));
    let mut table = Table::new(columns).within(WIDTH);
    for case in &cases {
        let number = &case[beginning.len()..];
        let mut name = number.parse().map_or(String::new(), with_commas);
        let replay = format!("{replay}{number}");
        for subject in rows.subjects(case) {
            let (line, replayed) = (Line { case, subject }, Line { case: &replay, subject });
            table.row([
                std::mem::take(&mut name),
                subject.to_owned(),
                scaled(rows.find(line, "size"), f64::from(1 << 20)),
                scaled(rows.find(line, "recovery-time"), 1e6),
                rows.lead(line, ""),
                value(rows.find(replayed, "messages-per-second")),
                rows.lead(replayed, ""),
            ]);
        }
    }
    let mut notes = vec![
        "messages of 128 bytes for a subscriber that is away; the router is killed (SIGKILL) and started \
         again: from its start until it answers, and messages a second from when the subscriber asks until \
         it has all; times: as ours"
            .to_owned(),
    ];
    notes.extend(who(rows, &cases));
    let title = "Recovery after a kill, and catching up".to_owned();
    (!cases.is_empty()).then_some(Section { topic: TOPIC, title, table, notes })
}

/// One append after another.
fn appends(rows: &Traffic<'_>) -> Option<Section> {
    let figures = ["mean", "50 %", "99 %", "99.9 %"].map(|title| (title, Align::Right));
    let columns = [("append and sync", Align::Left)].into_iter().chain(figures);
    let mut table = Table::new(columns).within(WIDTH);
    let cases = Append::ALL.map(Disk::case_of_way);
    let mut known = Vec::new();
    for (way, case) in Append::ALL.iter().zip(&cases) {
        if rows.subjects(case).is_empty() {
            continue;
        }
        known.push(case.as_str());
        let line = Line { case, subject: DISK };
        let time = |figure: &str| rows.time(line, &format!("latency-{figure}"));
        let figures = ["mean", "p50", "p99", "p99.9"].map(time);
        table.row([way.name().to_owned()].into_iter().chain(figures));
    }
    let mut notes = vec![
        "256 bytes: to a file that grows, one whose blocks are allocated, and one filled with zeros before; \
         dsync: RWF_DSYNC, direct: 4 KiB with O_DIRECT and O_DSYNC"
            .to_owned(),
    ];
    notes.extend(who(rows, &known));
    let title = "The disk: one append and sync after another, us".to_owned();
    (!known.is_empty()).then_some(Section { topic: TOPIC, title, table, notes })
}

/// What has gathered, written and synced together.
fn groups(rows: &Traffic<'_>) -> Option<Section> {
    let cases = rows.cases("disk-group-commit-");
    let columns = ["come/s", "durable/s", "a sync", "50 %", "99 %", "99.9 %"];
    let mut table = Table::new(columns.map(|title| (title, Align::Right))).within(WIDTH);
    for case in &cases {
        let line = Line { case, subject: DISK };
        let rate = case["disk-group-commit-".len()..].parse().map_or(String::new(), with_commas);
        table.row([
            rate,
            value(rows.find(line, "messages-per-second")),
            value(rows.find(line, "messages-per-sync")),
            rows.time(line, "latency-p50"),
            rows.time(line, "latency-p99"),
            rows.time(line, "latency-p99.9"),
        ]);
    }
    let notes = vec![
        "messages of 256 bytes come at a rate, and one thread writes and syncs what has gathered: to a file \
         filled with zeros before, RWF_DSYNC; us from when a message came until it was durable"
            .to_owned(),
    ];
    let title = "The disk: messages synced in groups".to_owned();
    (!cases.is_empty()).then_some(Section { topic: TOPIC, title, table, notes })
}
