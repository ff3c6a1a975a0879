//! Arrays there and back: what a call takes by toolkit, and what was published of it.

use super::{Line, Parts, count, note, words};
use crate::tables::{Rows, Section, each_once, scaled, value};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::number;
use trunkline_experiment::definition::ToolkitCalls;
use trunkline_experiment::definition::toolkit_calls::{BYTES, PARTS, TOOLKIT_SHARE};
use trunkline_experiment::names::{BARE, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode, TOOLKITS};

/// A way to call over a link: what a table is of.
type Way<'a> = (Mode, u32, &'a str);

/// Who looks for references, and the bare echo, stand beside those who call over HTTP.
const BESIDE: [Mode; 2] = [Mode::HttpReferences, Mode::HttpBytes];

/// All tables.
pub(super) fn sections(rows: Rows<'_>, cases: &[Parts<'_>]) -> Vec<Section> {
    let ways = cases.iter().filter(|(mode, ..)| !BESIDE.contains(mode));
    let ways = each_once(ways.map(|&(mode, threads, _, link)| (mode, threads, link)), usize::MAX);
    let mut sections: Vec<Section> = ways.iter().map(|way| times(rows, cases, *way)).collect();
    for &way in &ways {
        sections.extend([
            leads(rows, cases, way),
            shares(rows, cases, way),
            bytes(rows, cases, way),
        ]);
    }
    sections.push(paper(rows));
    sections.retain(|section| section.table.rows().len() > 0);
    sections
}

/// The calls of a way, in the order of operations.
fn calls(cases: &[Parts<'_>], (mode, threads, link): Way<'_>) -> Vec<Call> {
    let of_way = cases.iter().filter(|it| (it.0, it.1, it.3) == (mode, threads, link));
    let mut calls = each_once(of_way.map(|it| it.2), usize::MAX);
    calls.sort_unstable();
    calls
}

/// Over what, and how: for titles.
fn told((mode, threads, link): Way<'_>) -> String {
    let over = if link == super::DIRECT { String::new() } else { format!(", {link}") };
    let by = if threads == 1 { String::new() } else { format!(", {}", super::threads_of(threads)) };
    format!("{}{over}{by}", mode.title())
}

/// Who has rows of a metric in a way, with the mode that each has it in: the toolkits in order, then others.
fn subjects<'a>(
    rows: Rows<'a>,
    cases: &[Parts<'_>],
    way: Way<'_>,
    metric: &str,
) -> Vec<(&'a str, Mode)> {
    let (mode, threads, link) = way;
    let beside = BESIDE.into_iter().filter(|_| mode == Mode::Http);
    let mut found: Vec<(&str, Mode)> = Vec::new();
    for mode in [mode].into_iter().chain(beside) {
        for call in calls(cases, (mode, threads, link)) {
            let case = ToolkitCalls::case(mode, threads, call, link);
            let is_it =
                |row: &&Row| row.case == case && row.metric == metric && row.value.is_some();
            found.extend(rows.all.iter().filter(is_it).map(|row| (&*row.subject, mode)));
        }
    }
    let mut found = each_once(found.into_iter(), usize::MAX);
    let known = |subject: &str| TOOLKITS.iter().position(|it| it.name == subject);
    found.sort_by_key(|(subject, _)| match *subject {
        BARE => usize::MAX,
        subject => known(subject).unwrap_or(TOOLKITS.len()),
    });
    found
}

/// Short, for there are many of them; a service of somebody's own is called as it is.
fn title_of((subject, mode): (&str, Mode)) -> String {
    let short = match (subject, mode) {
        (BARE, _) => "echo",
        (_, Mode::HttpReferences) => "refs",
        ("gsoap-best", _) => "gSOAP",
        ("gsoap-debian", _) => "Debian's",
        (TRUNKLINE, _) => "ours",
        (subject, _) => subject,
    };
    short.to_owned()
}

/// A line for each call.
fn table(
    (topic, title): (&'static str, String),
    titles: &[String],
    calls: &[Call],
    cell: impl Fn(usize, Call) -> String,
) -> Section {
    let columns = titles.iter().map(|title| count(title));
    let mut section = Section::new(topic, title, [words("")].into_iter().chain(columns));
    for &call in calls {
        let cells: Vec<String> = (0..titles.len()).map(|index| cell(index, call)).collect();
        if cells.iter().any(|cell| cell != "-") {
            section.table.row([call.to_string()].into_iter().chain(cells));
        }
    }
    section
}

/// What a call takes.
fn times(rows: Rows<'_>, cases: &[Parts<'_>], way: Way<'_>) -> Section {
    let (_, threads, link) = way;
    let subjects = subjects(rows, cases, way, "latency");
    let titles: Vec<String> = subjects.iter().map(|it| title_of(*it)).collect();
    let title = format!("What a call takes, us ({})", told(way));
    let mut section = table(("arrays", title), &titles, &calls(cases, way), |index, call| {
        let (subject, mode) = subjects[index];
        let case = ToolkitCalls::case(mode, threads, call, link);
        scaled(rows.find(&Line::new(&case, subject), "latency"), 1e3)
    });
    section.notes = note(
        "medians, by the client of each to its own server; ours: trunkline; gSOAP: its fastest build, and Debian's, which \
         as refs looks for values that stand in several places; echo: as many bytes as trunkline sends, by hyper alone",
    );
    section
}

/// How many times as many calls ours makes.
fn leads(rows: Rows<'_>, cases: &[Parts<'_>], way: Way<'_>) -> Section {
    let (mode, threads, link) = way;
    let all = subjects(rows, cases, way, "latency");
    let has_echo = all.iter().any(|(subject, _)| *subject == BARE);
    let others = all.iter().map(|(subject, _)| *subject);
    let others = others.filter(|subject| ![TRUNKLINE, BARE].contains(subject));
    let others = each_once(others, usize::MAX);
    let mut metrics: Vec<String> = others.iter().map(|subject| lead_metric(subject)).collect();
    let mut titles: Vec<String> = others.iter().map(|it| title_of((*it, mode))).collect();
    if has_echo {
        metrics.push("over-bare".into());
        titles.push("/ echo".into());
    }
    let title = format!("How many times as many calls a second trunkline makes ({})", told(way));
    let mut section = table(("arrays-leads", title), &titles, &calls(cases, way), |index, call| {
        let case = ToolkitCalls::case(mode, threads, call, link);
        value(rows.find(&Line::new(&case, TRUNKLINE), &metrics[index]))
    });
    section.notes = note("/ echo: how many times as many calls an echo of the same bytes makes");
    section
}

/// Which part of a call is the toolkit's own.
fn shares(rows: Rows<'_>, cases: &[Parts<'_>], way: Way<'_>) -> Section {
    let (_, threads, link) = way;
    let subjects = subjects(rows, cases, way, TOOLKIT_SHARE);
    let mut titles: Vec<String> = subjects.iter().map(|it| title_of(*it)).collect();
    titles.push("codec us".into());
    let title = format!("(De)serialising and HTTP, in % of a call ({})", told(way));
    let calls = if subjects.is_empty() { Vec::new() } else { calls(cases, way) };
    let cell = |index: usize, call: Call| match subjects.get(index) {
        Some((subject, mode)) => {
            let case = ToolkitCalls::case(*mode, threads, call, link);
            value(rows.find(&Line::new(&case, subject), TOOLKIT_SHARE))
        }
        None => {
            let case = ToolkitCalls::case(way.0, threads, call, link);
            scaled(rows.find(&Line::new(&case, TRUNKLINE), PARTS[1]), 1e3)
        }
    };
    let mut section = table(("arrays-shares", title), &titles, &calls, cell);
    section.notes = note(
        "what a call takes beyond the echo of as many bytes as trunkline sends; codec: what trunkline's own takes in memory, \
         writing and reading request and answer",
    );
    section
}

/// What a call takes on the wire.
fn bytes(rows: Rows<'_>, cases: &[Parts<'_>], way: Way<'_>) -> Section {
    let (_, threads, link) = way;
    let is_direct = link == super::DIRECT;
    let mut subjects = subjects(rows, cases, way, BYTES[0]);
    // A link changes nothing.
    subjects.retain(|(subject, _)| is_direct && *subject != BARE);
    let titles: Vec<String> = subjects.iter().map(|it| title_of(*it)).collect();
    let title = format!("Bytes of a call on the wire, there and back ({})", told(way));
    table(("arrays-bytes", title), &titles, &calls(cases, way), |index, call| {
        let (subject, mode) = subjects[index];
        let case = ToolkitCalls::case(mode, threads, call, link);
        let bytes = |metric| rows.find(&Line::new(&case, subject), metric)?.value;
        let sum = BYTES.map(bytes).into_iter().sum::<Option<f64>>();
        sum.map_or("-".to_owned(), number)
    })
}

/// What was published, and who stands beside it today.
fn paper(rows: Rows<'_>) -> Section {
    let columns = ["ms", "today ms", "trunkline ms"].map(count);
    let names = ["", "published of", "beside it"].map(words);
    let title = "What was published, and what a call takes today";
    let mut section = Section::new("arrays-paper", title, names.into_iter().chain(columns));
    let reported = rows.definition.map_or(&[][..], |it| &it.reported[..]);
    for it in reported {
        let (case, subject) = it.beside();
        let of = |subject| rows.find(&Line::new(case, subject), "latency");
        if of(TRUNKLINE).is_none() {
            continue;
        }
        let today =
            of(subject).map_or(Verdict::Absent.name().to_owned(), |row| scaled(Some(row), 1e6));
        let figure = it.figures().find(|(metric, _)| *metric == "latency");
        let figure = figure.map_or("-".to_owned(), |(_, value)| number(value / 1e6));
        let subject = if subject == TRUNKLINE { "" } else { subject };
        let today = if subject.is_empty() { String::new() } else { today };
        let words = [it.what.clone(), it.subject.clone(), subject.to_owned()];
        let figures = [figure, today, scaled(of(TRUNKLINE), 1e6)];
        section.table.row(words.into_iter().chain(figures));
    }
    section.notes = note(
        "published: of 2004, on machines of its day over gigabit Ethernet, the .NET ones on another; beside it: the toolkit of \
         today that stands for it",
    );
    section
}
