//! Calls of services: latency, callers, connections, transports, pools, and where the time goes.

use super::{Rows, Section, WIDTH, scaled, value};
use trunkline_bench::row::Row;
use trunkline_bench::table::{Align, Table, number};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{STAGES, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;

/// Who is measured beside the toolkits.
const BARE: &str = "bare";

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
    let mut cases: Vec<&str> = Vec::new();
    for row in rows.all.iter().filter(|row| format_of(row).is_some()) {
        if cases.last() != Some(&row.case.as_str()) && !cases.contains(&row.case.as_str()) {
            cases.push(&row.case);
        }
    }
    cases
}

/// The format of a row about customer and product records that were sent.
fn format_of(row: &Row) -> Option<Format> {
    let (_, rest) = row.profile.split_once('/')?;
    Format::CUSTOMER_SERVICES.into_iter().find(|format| {
        let profile = format.profile();
        let known = profile.split_once('/').map_or("", |(_, rest)| rest);
        rest.strip_prefix(known).is_some_and(|end| end.is_empty() || end.starts_with('/'))
    })
}

/// What a line of a table is about.
#[derive(Clone, Copy)]
struct Line<'a> {
    case: &'a str,
    subject: &'a str,
    profile: &'a str,
    format: Format,
}

impl<'a> Line<'a> {
    /// The lines of a case: by style, ours first.
    fn of_case(rows: Rows<'a>, case: &'a str) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for row in rows.all.iter().filter(|row| row.case == case) {
            let Some(format) = format_of(row) else { continue };
            let (subject, profile) = (row.subject.as_str(), row.profile.as_str());
            if lines.iter().all(|it| (it.subject, it.profile) != (subject, profile)) {
                lines.push(Self { case, subject, profile, format });
            }
        }
        let order = |it: &Self| match it.subject {
            TRUNKLINE => 0,
            BARE => 1,
            _ => 2,
        };
        lines.sort_by_key(|it| (it.format, order(it)));
        lines
    }

    fn is_of(&self, row: &Row) -> bool {
        (row.case.as_str(), row.subject.as_str()) == (self.case, self.subject)
            && row.profile == self.profile
    }

    fn find(&self, rows: Rows<'a>, metric: &str) -> Option<&'a Row> {
        self.find_of(rows, self.subject, metric)
    }

    fn find_of(&self, rows: Rows<'a>, subject: &str, metric: &str) -> Option<&'a Row> {
        rows.all.iter().find(|row| {
            row.case == self.case
                && row.subject == subject
                && row.profile == self.profile
                && row.metric == metric
        })
    }

    /// How many times as much as trunkline it takes.
    fn lead(&self, rows: Rows<'a>) -> String {
        let lead = self.find_of(rows, TRUNKLINE, &lead_metric(self.subject));
        lead.map_or(String::new(), |row| value(Some(row)))
    }

    /// The style; that it is without HTTP is said.
    fn style(&self) -> String {
        let title = self.format.title();
        match self.profile.split('/').next() {
            Some("tcp") => format!("{title}, TCP"),
            _ => title.to_owned(),
        }
    }

    /// What was published of a subject that is not here.
    fn paper(&self, rows: Rows<'a>, metric: &str, unit: f64) -> Option<String> {
        let row = self.find(rows, metric)?;
        row.paper.filter(|_| row.value.is_none()).map(|paper| number(paper / unit))
    }

    /// The value, or the published one of those who are not here.
    fn cell(&self, rows: Rows<'a>, metric: &str, unit: f64) -> String {
        let paper = self.paper(rows, metric, unit);
        paper.unwrap_or_else(|| scaled(self.find(rows, metric), unit))
    }
}

/// A line for each subject of each case.
fn single(rows: Rows<'_>, topic: &'static str, title: &str, cases: &[&str]) -> Option<Section> {
    if cases.is_empty() {
        return None;
    }
    let mut table = Table::new([
        ("case", Align::Left),
        ("style", Align::Left),
        ("subject", Align::Left),
        ("us", Align::Right),
        ("99 %", Align::Right),
        ("a second", Align::Right),
        ("/ bare", Align::Right),
        ("times", Align::Right),
    ])
    .within(WIDTH);
    for case in cases {
        let name = case.strip_prefix(topic).unwrap_or(case);
        let name = name.strip_prefix("latency").unwrap_or(name);
        let name = name.trim_start_matches('-').trim_end_matches("@direct");
        let mut name = name.replace('@', " ");
        for line in Line::of_case(rows, case) {
            table.row([
                std::mem::take(&mut name),
                line.style(),
                line.subject.to_owned(),
                line.cell(rows, "latency", 1e3),
                scaled(line.find(rows, "latency-p99"), 1e3),
                value(line.find(rows, "calls-per-second")),
                line.find(rows, "over-bare").map_or(String::new(), |row| value(Some(row))),
                line.lead(rows),
            ]);
        }
    }
    let mut notes = vec![
        "/ bare: how many times as much as an echo of the same bytes by hyper alone it takes;"
            .into(),
        "times: how many times as much as trunkline; of one caller the middle latency decides, of"
            .into(),
        "several the calls a second".into(),
    ];
    if cases.iter().any(|case| Line::of_case(rows, case).iter().any(is_published)) {
        notes.push("product-a to product-c and net-remoting: the paper's figures of 2004".into());
    }
    Some(Section { topic, title: title.to_owned(), table, notes })
}

fn is_published(line: &Line<'_>) -> bool {
    line.subject.starts_with("product-") || line.subject == "net-remoting"
}

/// Calls a second, a column for each number of callers.
fn saturation(rows: Rows<'_>, cases: &[&str]) -> Vec<Section> {
    let mut messages: Vec<&str> = Vec::new();
    let mut threads: Vec<u32> = Vec::new();
    for case in cases {
        let Some((count, message)) = split(case) else { continue };
        if !messages.contains(&message) {
            messages.push(message);
        }
        if !threads.contains(&count) {
            threads.push(count);
        }
    }
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
    let lines = Line::of_case(rows, &peak);
    let styles = lines.chunk_by(|one, other| one.format == other.format);
    styles.map(|lines| one_style(rows, message, threads, lines)).collect()
}

fn one_style(rows: Rows<'_>, message: &str, threads: &[u32], lines: &[Line<'_>]) -> Section {
    let counts: Vec<String> = threads.iter().map(u32::to_string).collect();
    let columns = [("subject", Align::Left)].into_iter();
    let columns = columns.chain(counts.iter().map(|count| (count.as_str(), Align::Right)));
    let rest = [("most", Align::Right), ("times", Align::Right), ("/ bare", Align::Right)];
    let mut table = Table::new(columns.chain(rest)).within(WIDTH);
    for line in lines {
        let at = |count: u32, metric: &str| {
            let case = format!("saturation-{count}-{message}");
            let line = Line { case: &case, ..*line };
            rows.all.iter().find(|row| line.is_of(row) && row.metric == metric)
        };
        let mut cells = vec![line.subject.to_owned()];
        cells.extend(threads.iter().map(|&count| match at(count, "calls-per-second") {
            None => String::new(),
            row => value(row),
        }));
        cells.push(line.cell(rows, "calls-per-second", 1.0));
        cells.push(line.lead(rows));
        let over_bare = at(BARE_AT, "over-bare").or_else(|| at(*threads.last()?, "over-bare"));
        cells.push(over_bare.map_or(String::new(), |row| value(Some(row))));
        table.row(cells);
    }
    let name = message.trim_end_matches("@direct");
    let style = lines.first().map_or(String::new(), Line::style);
    let title = format!("Calls a second of the {name} message, {style}, by callers (section 4.3)");
    let notes = vec![
        "most: of any number of callers; times: by which trunkline has more; / bare: how many times".to_owned(),
        format!("as many a bare echo by hyper answers for {BARE_AT} callers"),
    ];
    Section { topic: "saturation", title, table, notes }
}

/// Figure 9.
fn stages(rows: Rows<'_>, cases: &[&str]) -> Option<Section> {
    if cases.is_empty() {
        return None;
    }
    let mut table = Table::new([
        ("style", Align::Left),
        ("subject", Align::Left),
        ("ms", Align::Right),
        ("decode", Align::Right),
        ("app", Align::Right),
        ("encode", Align::Right),
        ("network", Align::Right),
        ("dec %", Align::Right),
        ("enc %", Align::Right),
        ("times", Align::Right),
    ])
    .within(WIDTH);
    for case in cases {
        for line in Line::of_case(rows, case) {
            let time = |metric: &str| match line.find(rows, metric) {
                None => String::new(),
                row => scaled(row, 1e6),
            };
            let times = ["total", "deserialise", "application", "serialise", "network"];
            let shares = ["deserialise-share", "serialise-share"];
            let mut cells = vec![line.format.title().to_owned(), line.subject.to_owned()];
            cells.extend(times.map(time));
            cells.extend(shares.map(|metric| line.cell(rows, metric, 1.0)));
            cells.push(line.lead(rows));
            table.row(cells);
        }
    }
    let notes = vec![
        "the server's decoding, function and encoding (T2, T3, T4); network is the rest, both ways"
            .to_owned(),
        "(T1, T5): the driver sends bytes made before; asp-net: the paper's shares".to_owned(),
    ];
    let title = "Where the time of a call of 5,000 records goes, ms (paper: figure 9)".to_owned();
    Some(Section { topic: STAGES, title, table, notes })
}
