//! Messages through a middleware: the report's overall results, and its figures as tables.

mod specs;

use std::collections::BTreeSet;

use super::sheet::{Cell, Line, Sheet, count, words};
use super::{Rows, Section, each_once, scaled, value};
use crate::conclusion::{AIM, CONCLUSION};
use specs::{GUARANTEED, LAST, LATENCIES, LEAD, OVER_BARE, ROUTED};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::{Align, number, short_number, with_commas};
use trunkline_experiment::names::{HICCUP, TICKS};
use trunkline_experiment::subjects::TRUNKLINE;

/// What is in the profile of every row about a middleware.
const OPAQUE: &str = "/opaque/";

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    if !rows.all.iter().any(|row| row.profile.contains(OPAQUE)) {
        return Vec::new();
    }
    let mut sections: Vec<Section> = overall(rows).into_iter().collect();
    sections.extend(LATENCIES.iter().filter_map(|spec| spec.section(rows)));
    sections.extend(matching(rows));
    sections.extend(ROUTED.iter().filter_map(|spec| spec.section(rows)));
    sections.extend(floods(rows));
    sections.extend(GUARANTEED.iter().filter_map(|spec| spec.section(rows)));
    sections.extend([CONCLUSION, AIM].into_iter().filter_map(|case| peers(rows, case)));
    sections.extend(LAST.section(rows));
    sections.extend(hiccups(rows));
    sections
}

/// The subjects of a case: ours, those of others, the limits.
fn subjects<'a>(rows: Rows<'a>, case: &str) -> Vec<&'a str> {
    let of_case = rows.all.iter().filter(|row| row.case == case);
    let mut subjects = each_once(of_case.map(|row| &*row.subject), usize::MAX);
    subjects.sort_by_key(|subject| order(subject));
    subjects
}

/// Ours first, then the order of the table of subjects, then the published.
fn order(subject: &str) -> usize {
    let known = trunkline_experiment::middleware::SUBJECTS.iter().position(|it| it.name == subject);
    known.unwrap_or(usize::MAX)
}

/// The report's own table, with ours beside it.
fn overall(rows: Rows<'_>) -> Option<Section> {
    let figures = ["latency-mean", "latency-p99.9", "latency-p99.99"];
    let times = ["mean", "99.9 %", "99.99 %"].into_iter().zip(figures.map(Cell::TimeOrAbsent));
    let columns = [("msg/s", Cell::Any("published-per-second", 1.0))].into_iter().chain(times);
    let title = "Overall results (the report's table)";
    let mut sheet = Sheet::new("overall", title, [words("test"), words("subject")], columns);
    for reported in &rows.definition?.reported {
        if !rows.any(&reported.case) {
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
        sheet.line(rows, ["", subject], &Line::new(case, subject));
    }
    sheet.noted([
        "figures in us; the appliance's are of 2012, stamped by hardware on a network of its own, with \
         kernel bypass; ours are of this machine, whose programs share its processors and its kernel",
        "store and forward was in the memory of a pair, backed by a battery: only what is in the memory of \
         two stands beside it; the first line's orders go by direct delivery",
    ])
}

/// Who spun and who blocked, and where: each that is not as the first is named.
fn who(rows: Rows<'_>, cases: &[&str]) -> Vec<String> {
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

/// Messages as fast as they are taken.
fn floods(rows: Rows<'_>) -> Option<Section> {
    let cases = rows.numbered("flood-");
    let first = cases.first()?;
    let titles: Vec<String> =
        cases.iter().map(|case| format!("1 to {}", &case["flood-".len()..])).collect();
    let deliveries = Cell::Of("deliveries-per-second", 1.0);
    // Records of before it was measured have none.
    let of_processor = "deliveries-per-cpu-second";
    let has_processor = rows.all.iter().any(|row| row.metric == of_processor);
    let of_processor = Cell::Any(of_processor, 1.0);
    let columns = cases.iter().zip(&titles).flat_map(|(case, title)| {
        let processor = has_processor.then_some(("a CPU s", Cell::In(case, &of_processor)));
        let others = [("/ bare", Cell::In(case, &OVER_BARE)), ("times", Cell::In(case, &LEAD))];
        let deliveries = (title.as_str(), Cell::In(case, &deliveries));
        [deliveries].into_iter().chain(processor).chain(others)
    });
    let title = "Throughput, deliveries a second, 128 bytes";
    let mut sheet = Sheet::new("flood", title, [words("subject")], columns);
    for subject in subjects(rows, first) {
        sheet.line(rows, [subject], &Line::new(first, subject));
    }
    let mut notes = vec![
        "every subscriber tells the publisher through the broker how many it has, and no more than the \
         window are on their way, so that nothing is lost"
            .to_owned(),
        "/ bare: how many times as long a delivery takes as through the bare limit; times: as trunkline"
            .to_owned(),
    ];
    if has_processor {
        notes.push(
            "a CPU s: deliveries for each second of the processor that what runs between the programs takes"
                .to_owned(),
        );
    }
    notes.extend(who(rows, &cases));
    sheet.noted(notes)
}

/// What finding subscriptions costs.
fn matching(rows: Rows<'_>) -> Option<Section> {
    let parsed = |row: &Row| -> Option<(u32, u64)> {
        let (levels, count) = row.case.strip_prefix("matching-")?.split_once('-')?;
        Some((levels.parse().ok()?, count.parse().ok().filter(|_| row.metric == "cpu-time")?))
    };
    let found: Vec<((u32, u64), &Row)> =
        rows.all.iter().filter_map(|row| Some((parsed(row)?, row))).collect();
    let counts: BTreeSet<u64> = found.iter().map(|((_, count), _)| *count).collect();
    let levels: BTreeSet<u32> = found.iter().map(|((levels, _), _)| *levels).collect();
    let columns = [("levels".to_owned(), Align::Right)].into_iter();
    let of_counts = counts.iter().map(|count| (with_commas(*count as f64), Align::Right));
    let title = "Finding the subscriptions of a topic, ns, by their number";
    let mut section = Section::new("matching", title, columns.chain(of_counts));
    for level in levels {
        let row = |count: &u64| found.iter().find(|(of, _)| *of == (level, *count)).map(|it| it.1);
        let cells = counts.iter().map(|count| value(row(count)));
        section.table.row([level.to_string()].into_iter().chain(cells));
    }
    section.noted(["CPU time of one look-up; one subscription in a hundred ends in *"])
}

/// What becomes of the report's conclusions, or of our aims, with the brokers of others: a column each.
fn peers(rows: Rows<'_>, case: &str) -> Option<Section> {
    let all = || rows.all.iter().filter(|row| row.case == case);
    let subjects = subjects(rows, case);
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

/// How busy the machine was.
fn hiccups(rows: Rows<'_>) -> Option<Section> {
    let metrics = ["p50", "p90", "p99", "p99.9", "p99.99", "max"];
    let found = metrics.map(|metric| rows.hiccup(metric));
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
