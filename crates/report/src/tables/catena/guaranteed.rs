//! Tables of guaranteed delivery: orders and their acknowledgements, the most of them, and the disk.

use super::{Cell, LEAD, Line, Section, Sheet, Traffic, count, number_of, who, words};
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
fn synced(subject: &str) -> String {
    let guarantee = named(subject).and_then(|it| it.guarantee);
    guarantee.map_or("-", Guarantee::synced).to_owned()
}

fn latencies_of(rows: &Traffic<'_>, hop: &str, title: &str) -> Option<Section> {
    let beginning = format!("{hop}-");
    let cases = rows.cases(&beginning);
    let is_acknowledgement = hop == GUARANTEED[1];
    let columns = [
        ("mean", Cell::TimeOrAbsent("latency-mean")),
        ("50 %", Cell::TimeOrAbsent("latency-p50")),
        ("99 %", Cell::TimeOrAbsent("latency-p99")),
        ("99.9 %", Cell::TimeOrAbsent("latency-p99.9")),
        match is_acknowledgement {
            true => ("/ disk", Cell::Any("over-bare", 1.0)),
            false => ("99.99 %", Cell::TimeOrAbsent("latency-p99.99")),
        },
        ("times", LEAD),
    ];
    let names = [count(""), words("subject"), words("synced")];
    let mut sheet = Sheet::new(TOPIC, title, names, columns);
    let name = |case: &str| number_of(case, &beginning);
    rows.fill(&mut sheet, &cases, name, |subject| vec![synced(subject)]);
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
    sheet.noted(notes)
}

fn saturation(rows: &Traffic<'_>) -> Option<Section> {
    let columns = [
        ("orders/s", Cell::Of("messages-per-second", 1.0)),
        ("low", Cell::Low("messages-per-second")),
        ("high", Cell::High("messages-per-second")),
        ("times", LEAD),
    ];
    let title = "Saturation with guaranteed orders, orders a second";
    let sheet = Sheet::new(TOPIC, title, [words("subject"), words("synced")], columns);
    of_case(rows, sheet, GUARANTEED_SATURATION).noted([
        "the most that were delivered and acknowledged as fast as they were sent, in steps of a half, or \
         what came through of the first that were too many",
    ])
}

fn flood(rows: &Traffic<'_>) -> Option<Section> {
    let columns = [
        ("messages/s", Cell::Of("messages-per-second", 1.0)),
        ("acknowledged/s", Cell::Any("acknowledged-per-second", 1.0)),
        ("delivered/s", Cell::Any("deliveries-per-second", 1.0)),
        ("again", Cell::Count("duplicates")),
        ("times", LEAD),
    ];
    let title = "Guaranteed throughput, 128 bytes, one publisher and one subscriber";
    let sheet = Sheet::new(TOPIC, title, [words("subject"), words("synced")], columns);
    let mut notes = vec![
        "messages/s: until the last was both acknowledged and delivered; nothing acknowledged was lost; \
         again: duplicates; times: as ours that is as durable"
            .to_owned(),
    ];
    notes.extend(who(rows, &[GUARANTEED_FLOOD]));
    of_case(rows, sheet, GUARANTEED_FLOOD).noted(notes)
}

/// A line for each subject of a case, with what it guarantees.
fn of_case<'a>(rows: &Traffic<'_>, mut sheet: Sheet<'a>, case: &str) -> Sheet<'a> {
    for subject in rows.subjects(case) {
        let names = [subject.to_owned(), synced(subject)];
        sheet.line(rows.rows, names, &Line::new(case, subject));
    }
    sheet
}

/// After a router was killed.
fn recovery(rows: &Traffic<'_>) -> Option<Section> {
    let [beginning, replay] = RECOVERY.map(|it| format!("{it}-"));
    let cases = rows.cases(&beginning);
    let ready = [
        ("MiB", Cell::Of("size", f64::from(1 << 20))),
        ("ready after ms", Cell::Of("recovery-time", 1e6)),
        ("times", LEAD),
    ];
    let replayed = [("messages/s", Cell::Of("messages-per-second", 1.0)), ("times", LEAD)];
    let names = [count("messages"), words("subject")];
    let titles = ready.iter().chain(&replayed).map(|(title, _)| count(title));
    let title = "Recovery after a kill, and catching up";
    let mut section = Section::new(TOPIC, title, names.into_iter().chain(titles));
    for case in &cases {
        let mut name = number_of(case, &beginning);
        let replay = format!("{replay}{}", &case[beginning.len()..]);
        for subject in rows.subjects(case) {
            let mut cells = vec![std::mem::take(&mut name), subject.to_owned()];
            for (case, columns) in [(*case, &ready[..]), (&*replay, &replayed[..])] {
                let line = Line::new(case, subject);
                cells.extend(columns.iter().map(|(_, cell)| cell.text(rows.rows, &line)));
            }
            section.table.row(cells);
        }
    }
    let mut notes = vec![
        "messages of 128 bytes for a subscriber that is away; the router is killed (SIGKILL) and started \
         again: from its start until it answers, and messages a second from when the subscriber asks until \
         it has all; times: as ours"
            .to_owned(),
    ];
    notes.extend(who(rows, &cases));
    section.noted(notes)
}

/// One append after another.
fn appends(rows: &Traffic<'_>) -> Option<Section> {
    let columns = [
        ("mean", Cell::Time("latency-mean")),
        ("50 %", Cell::Time("latency-p50")),
        ("99 %", Cell::Time("latency-p99")),
        ("99.9 %", Cell::Time("latency-p99.9")),
    ];
    let title = "The disk: one append and sync after another, us";
    let mut sheet = Sheet::new(TOPIC, title, [words("append and sync")], columns);
    let cases = Append::ALL.map(Disk::case_of_way);
    let mut known = Vec::new();
    for (way, case) in Append::ALL.iter().zip(&cases) {
        if !rows.subjects(case).is_empty() {
            known.push(case.as_str());
            sheet.line(rows.rows, [way.name()], &Line::new(case, DISK));
        }
    }
    let mut notes = vec![
        "256 bytes: to a file that grows, one whose blocks are allocated, and one filled with zeros before; \
         dsync: RWF_DSYNC, direct: 4 KiB with O_DIRECT and O_DSYNC"
            .to_owned(),
    ];
    notes.extend(who(rows, &known));
    sheet.noted(notes)
}

/// What has gathered, written and synced together.
fn groups(rows: &Traffic<'_>) -> Option<Section> {
    let columns = [
        ("durable/s", Cell::Of("messages-per-second", 1.0)),
        ("a sync", Cell::Of("messages-per-sync", 1.0)),
        ("50 %", Cell::Time("latency-p50")),
        ("99 %", Cell::Time("latency-p99")),
        ("99.9 %", Cell::Time("latency-p99.9")),
    ];
    let title = "The disk: messages synced in groups";
    let mut sheet = Sheet::new(TOPIC, title, [count("come/s")], columns);
    let beginning = "disk-group-commit-";
    for case in rows.cases(beginning) {
        sheet.line(rows.rows, [number_of(case, beginning)], &Line::new(case, DISK));
    }
    sheet.noted([
        "messages of 256 bytes come at a rate, and one thread writes and syncs what has gathered: to a file \
         filled with zeros before, RWF_DSYNC; us from when a message came until it was durable",
    ])
}
