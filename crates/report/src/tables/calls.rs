//! Calls of services: latency, callers, connections, transports, pools, and where the time goes.

use super::sheet::{Cell, LEAD, Line, Sheet, words};
use super::{Rows, Section, each_once};
use trunkline_bench::row::Row;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::names::{BARE, STAGES};
use trunkline_experiment::subjects::TRUNKLINE;

/// Callers for which the bare echo stands in the table.
const BARE_AT: u32 = 16;

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let mut sections = Vec::new();
    let cases = cases(rows);
    let beginning = |kind: &str| -> Vec<&str> {
        cases.iter().copied().filter(|case| case.starts_with(kind)).collect()
    };
    let (near, far): (Vec<&str>, Vec<&str>) =
        beginning("latency-").into_iter().partition(|case| case.ends_with("@direct"));
    sections.extend(single(rows, "latency", "What one call takes (paper: section 4.2)", &near));
    sections.extend(single(rows, "calls", "From structure to structure", &beginning("calls-")));
    sections.extend(saturation(rows, &beginning("saturation-")));
    sections.extend(stages(rows, &beginning(&format!("{STAGES}-"))));
    let ways = beginning("connections-");
    sections.extend(single(rows, "connections", "What connections cost", &ways));
    sections.extend(single(rows, "pool", "Short and long messages at once", &beginning("pool-")));
    sections.extend(single(rows, "transports", "What carries them", &beginning("transports-")));
    sections.extend(single(rows, "wide-area", "What one call takes far away", &far));
    sections
}

/// The cases of calls in the order of the rows.
fn cases<'a>(rows: Rows<'a>) -> Vec<&'a str> {
    let of_calls = rows.all.iter().filter(|row| format_of(row).is_some());
    each_once(of_calls.map(|row| &*row.case), usize::MAX)
}

/// The format of a row about customer and product records that were sent.
fn format_of(row: &Row) -> Option<Format> {
    let format = Format::of_profile(&row.profile)?;
    (format.family() == Family::CustomerServices).then_some(format)
}

/// The lines of a case: by style, ours first.
fn lines<'a>(rows: Rows<'a>, case: &'a str) -> Vec<(Format, Line<'a>)> {
    let line = |row: &'a Row| {
        let profile = Some(row.profile.clone());
        Some((format_of(row)?, Line { profile, ..Line::new(case, &row.subject) }))
    };
    let of_case = rows.all.iter().filter(|row| row.case == case);
    let mut lines = each_once(of_case.filter_map(line), usize::MAX);
    let order = |line: &Line<'_>| match line.subject {
        TRUNKLINE => 0,
        BARE => 1,
        _ => 2,
    };
    lines.sort_by_key(|(format, line)| (*format, order(line)));
    lines
}

/// The style; that it is without HTTP is said.
fn style((format, line): &(Format, Line<'_>)) -> String {
    let title = format.title();
    match line.profile.as_ref().is_some_and(|profile| profile.starts_with("tcp/")) {
        true => format!("{title}, TCP"),
        false => title.to_owned(),
    }
}

/// A line for each subject of each case.
fn single(rows: Rows<'_>, topic: &'static str, title: &str, cases: &[&str]) -> Option<Section> {
    let columns = [
        ("us", Cell::Of("latency", 1e3)),
        ("99 %", Cell::Of("latency-p99", 1e3)),
        ("a second", Cell::Of("calls-per-second", 1.0)),
        ("/ bare", Cell::Any("over-bare", 1.0)),
        ("times", LEAD),
    ];
    let names = [words("case"), words("style"), words("subject")];
    let mut sheet = Sheet::new(topic, title, names, columns);
    let mut has_published = false;
    for case in cases {
        let name = case.strip_prefix(topic).unwrap_or(case);
        let name = name.strip_prefix("latency").unwrap_or(name);
        let name = name.trim_start_matches('-').trim_end_matches("@direct");
        let mut name = name.replace('@', " ");
        for line in lines(rows, case) {
            has_published |= is_published(line.1.subject);
            let names = [std::mem::take(&mut name), style(&line), line.1.subject.to_owned()];
            sheet.line(rows, names, &line.1);
        }
    }
    let mut notes = vec![
        "/ bare: how many times as much as an echo of the same bytes by hyper alone it takes;",
        "times: how many times as much as trunkline; of one caller the middle latency decides, of",
        "several the calls a second",
    ];
    if has_published {
        notes.push("product-a to product-c and net-remoting: the paper's figures of 2004");
    }
    sheet.noted(notes)
}

fn is_published(subject: &str) -> bool {
    subject.starts_with("product-") || subject == "net-remoting"
}

/// Calls a second, a column for each number of callers.
fn saturation(rows: Rows<'_>, cases: &[&str]) -> Vec<Section> {
    let parts = || cases.iter().filter_map(|case| split(case));
    let messages = each_once(parts().map(|(_, message)| message), usize::MAX);
    let mut threads = each_once(parts().map(|(count, _)| count), usize::MAX);
    threads.sort_unstable();
    let of_message = |message| one_saturation(rows, message, &threads);
    messages.into_iter().flat_map(of_message).collect()
}

/// The number and the rest in `saturation-16-simple@direct`.
fn split(case: &str) -> Option<(u32, &str)> {
    let (count, message) = case.strip_prefix("saturation-")?.split_once('-')?;
    Some((count.parse().ok()?, message))
}

/// A table for each style.
fn one_saturation(rows: Rows<'_>, message: &str, threads: &[u32]) -> Vec<Section> {
    let peak = format!("peak-{message}");
    let lines = lines(rows, &peak);
    let styles = lines.chunk_by(|(one, _), (other, _)| one == other);
    styles.filter_map(|lines| one_style(rows, message, threads, lines)).collect()
}

fn one_style(
    rows: Rows<'_>,
    message: &str,
    threads: &[u32],
    lines: &[(Format, Line<'_>)],
) -> Option<Section> {
    let counts: Vec<(String, String)> = threads
        .iter()
        .map(|count| (count.to_string(), format!("saturation-{count}-{message}")))
        .collect();
    let bare_at = counts.iter().find(|(count, _)| *count == BARE_AT.to_string());
    let (_, bare_at) = bare_at.or(counts.last())?;
    let columns = counts
        .iter()
        .map(|(count, case)| (count.as_str(), Cell::In(case, "calls-per-second", 1.0)));
    let rest = [
        ("most", Cell::Of("calls-per-second", 1.0)),
        ("times", LEAD),
        ("/ bare", Cell::In(bare_at, "over-bare", 1.0)),
    ];
    let name = message.trim_end_matches("@direct");
    let style = lines.first().map_or(String::new(), style);
    let title = format!("Calls a second of the {name} message, {style}, by callers (section 4.3)");
    let columns = columns.chain(rest);
    let mut sheet = Sheet::new("saturation", title, [words("subject")], columns);
    for (_, line) in lines {
        sheet.line(rows, [line.subject], line);
    }
    sheet.noted([
        "most: of any number of callers; times: by which trunkline has more; / bare: how many times".to_owned(),
        format!("as many a bare echo by hyper answers for {BARE_AT} callers"),
    ])
}

/// Figure 9.
fn stages(rows: Rows<'_>, cases: &[&str]) -> Option<Section> {
    let columns = [
        ("ms", Cell::Any("total", 1e6)),
        ("decode", Cell::Any("deserialise", 1e6)),
        ("app", Cell::Any("application", 1e6)),
        ("encode", Cell::Any("serialise", 1e6)),
        ("network", Cell::Any("network", 1e6)),
        ("dec %", Cell::Of("deserialise-share", 1.0)),
        ("enc %", Cell::Of("serialise-share", 1.0)),
        ("times", LEAD),
    ];
    let title = "Where the time of a call of 5,000 records goes, ms (paper: figure 9)";
    let mut sheet = Sheet::new(STAGES, title, [words("style"), words("subject")], columns);
    for case in cases {
        for (format, line) in lines(rows, case) {
            sheet.line(rows, [format.title(), line.subject], &line);
        }
    }
    sheet.noted([
        "the server's decoding, function and encoding (T2, T3, T4); network is the rest, both ways",
        "(T1, T5): the driver sends bytes made before; asp-net: the paper's shares",
    ])
}
