//! Calls from structure to structure by toolkits: the article's bars as tables, and what is behind them.

mod arrays;
mod memory;

use super::sheet::{Line, count, words};
use super::{Rows, Section, each_once, scaled, value};
use trunkline_bench::table::number;
use trunkline_experiment::definition::toolkit_calls::{
    BYTES, DIRECT, OF_SOAP_TCP, PARTS, RATE, TOOLKIT,
};
use trunkline_experiment::definition::{ToolkitCalls, Vocabularies};
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode};

/// All tables for which there are rows: those of the article if anybody calls over SOAP/TCP, else those of arrays.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let cases = rows.cases(|case| ToolkitCalls::parts(case).is_some());
    let cases: Vec<Parts<'_>> = cases.into_iter().filter_map(ToolkitCalls::parts).collect();
    if !cases.iter().any(|(mode, ..)| *mode == Mode::SoapTcp) {
        let mut sections = arrays::sections(rows, &cases);
        sections.extend(memory::section(rows));
        return sections;
    }
    let mut threads = each_once(cases.iter().map(|(_, threads, ..)| *threads), usize::MAX);
    threads.sort_unstable();
    let calls = |threads: u32| {
        let of_threads = cases.iter().filter(move |it| it.1 == threads);
        each_once(of_threads.map(|(_, _, call, _)| *call), usize::MAX)
    };
    let mut sections = Vec::new();
    for &threads in &threads {
        let calls = calls(threads);
        sections.extend([shares(rows, threads, &calls), leads(rows, threads, &calls)]);
    }
    if let Some(&alone) = threads.iter().find(|it| **it == 1) {
        let calls = calls(alone);
        sections.extend([processors(rows, &calls), split(rows, &calls)]);
    }
    let all = each_once(cases.iter().map(|(_, _, call, _)| *call), usize::MAX);
    sections.extend(threads.first().map(|&threads| bytes(rows, threads, &all)));
    sections.push(vocabularies(rows));
    sections.extend(memory::section(rows));
    sections.retain(|section| section.table.rows().len() > 0);
    sections
}

/// What a case is of: the mode, the threads, the call and the link.
type Parts<'a> = (Mode, u32, Call, &'a str);

/// What a column shows: whose, how it calls, and the metric.
type Column<'a> = (&'a str, &'static str, Mode, &'a str);

/// A line for each call, whose columns show a metric, in a unit where it is not in that of rows.
fn table(
    rows: Rows<'_>,
    (topic, title): (&'static str, String),
    (threads, calls): (u32, &[Call]),
    columns: &[Column<'_>],
    unit: f64,
) -> Section {
    let titles = columns.iter().map(|(title, ..)| count(title));
    let mut section = Section::new(topic, title, [words("")].into_iter().chain(titles));
    for &call in calls {
        let cell = |(_, subject, mode, metric): &Column<'_>| {
            let case = ToolkitCalls::case(*mode, threads, call, DIRECT);
            let row = rows.find(&Line::new(&case, subject), metric);
            let is_scaled = row.is_some_and(|row| ["ns", "bytes"].contains(&&*row.unit));
            if is_scaled { scaled(row, unit) } else { value(row) }
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        if cells.iter().any(|cell| cell != "-") {
            section.table.row([call.to_string()].into_iter().chain(cells));
        }
    }
    section
}

fn note(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

fn threads_of(threads: u32) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}

/// The article's bars.
fn shares(rows: Rows<'_>, threads: u32, calls: &[Call]) -> Section {
    let title = format!("Calls a second by {}, in % of SOAP/TCP", threads_of(threads));
    let columns = [
        ("SOAP/TCP", TRUNKLINE, Mode::SoapTcp, RATE),
        ("muxed %", TRUNKLINE, Mode::Multiplexed, OF_SOAP_TCP),
        ("FI/HTTP %", TRUNKLINE, Mode::HttpFastInfoset, OF_SOAP_TCP),
        ("HTTP %", TRUNKLINE, Mode::Http, OF_SOAP_TCP),
        ("Metro TCP", "metro", Mode::SoapTcp, RATE),
        ("FI/HTTP %", "metro", Mode::HttpFastInfoset, OF_SOAP_TCP),
        ("HTTP %", "metro", Mode::Http, OF_SOAP_TCP),
        ("gSOAP %", "gsoap-best", Mode::Http, OF_SOAP_TCP),
        ("RMI %", "rmi", Mode::Rmi, OF_SOAP_TCP),
    ];
    let mut section = table(rows, ("toolkits", title), (threads, calls), &columns, 1.0);
    section.notes = note(
        "SOAP/TCP, Metro TCP: calls a second, trunkline's and Metro's; the columns behind each: other modes in % \
         of it, as the article has them; gSOAP (over HTTP) and RMI \
         in % of trunkline's SOAP/TCP",
    );
    section
}

/// How far ahead we are, mode by mode.
fn leads(rows: Rows<'_>, threads: u32, calls: &[Call]) -> Section {
    let title =
        format!("How many times as many calls a second trunkline makes, {}", threads_of(threads));
    let metro = "ahead-of-metro";
    let columns = [
        ("Metro TCP", TRUNKLINE, Mode::SoapTcp, metro),
        ("FI/HTTP", TRUNKLINE, Mode::HttpFastInfoset, metro),
        ("HTTP", TRUNKLINE, Mode::Http, metro),
        ("gSOAP", TRUNKLINE, Mode::Http, "ahead-of-gsoap-best"),
        ("RMI", TRUNKLINE, Mode::SoapTcp, "ahead-of-rmi"),
        ("client", TRUNKLINE, Mode::SoapTcp, "client-ahead-of-metro"),
        ("server", TRUNKLINE, Mode::SoapTcp, "server-ahead-of-metro"),
        ("/ bare", TRUNKLINE, Mode::SoapTcp, "over-bare"),
    ];
    let mut section = table(rows, ("toolkit-leads", title), (threads, calls), &columns, 1.0);
    section.notes = note(
        "than Metro and gSOAP in the same mode, than RMI over SOAP/TCP; client, server: how many times as much of the \
         processor Metro's take of a call over SOAP/TCP; / bare: how many times as many calls an echo of the same \
         bytes makes",
    );
    section
}

/// What a call takes of the processors.
fn processors(rows: Rows<'_>, calls: &[Call]) -> Section {
    let columns = [
        ("TCP client", TRUNKLINE, Mode::SoapTcp, "client-cpu"),
        ("server", TRUNKLINE, Mode::SoapTcp, "server-cpu"),
        ("HTTP client", TRUNKLINE, Mode::Http, "client-cpu"),
        ("server", TRUNKLINE, Mode::Http, "server-cpu"),
        ("Metro TCP", "metro", Mode::SoapTcp, "client-cpu"),
        ("server", "metro", Mode::SoapTcp, "server-cpu"),
        ("gSOAP", "gsoap-best", Mode::Http, "client-cpu"),
        ("server", "gsoap-best", Mode::Http, "server-cpu"),
    ];
    let title = "What a call takes of the processors of both sides, us, 1 thread".to_owned();
    table(rows, ("toolkit-cpu", title), (1, calls), &columns, 1e3)
}

/// Where the time goes.
fn split(rows: Rows<'_>, calls: &[Call]) -> Section {
    let columns = [
        ("TCP us", TRUNKLINE, Mode::SoapTcp, "latency"),
        ("wait", TRUNKLINE, Mode::SoapTcp, PARTS[0]),
        ("codec", TRUNKLINE, Mode::SoapTcp, PARTS[1]),
        ("framing", TRUNKLINE, Mode::SoapTcp, PARTS[2]),
        ("HTTP us", TRUNKLINE, Mode::Http, "latency"),
        ("codec", TRUNKLINE, Mode::Http, PARTS[1]),
        ("framing", TRUNKLINE, Mode::Http, PARTS[2]),
        ("Metro us", "metro", Mode::SoapTcp, "latency"),
        ("toolkit", "metro", Mode::SoapTcp, TOOLKIT),
    ];
    let title = "Where the time of a call goes, us, 1 thread".to_owned();
    let mut section = table(rows, ("toolkit-split", title), (1, calls), &columns, 1e3);
    section.notes = note(
        "wait: what an echo of the bytes of SOAP/TCP takes, sockets and waking up; codec: writing and reading request and \
         answer, in memory; framing: the rest, frames, heads of HTTP, choosing the operation, comparing the answer; \
         toolkit: codec and framing together, what the figures measure beyond the overhead of carrying bytes",
    );
    section
}

/// What a call takes on the wire.
fn bytes(rows: Rows<'_>, threads: u32, calls: &[Call]) -> Section {
    let modes: [(&str, &'static str, Mode); 8] = [
        ("TCP", TRUNKLINE, Mode::SoapTcp),
        ("FI/HTTP", TRUNKLINE, Mode::HttpFastInfoset),
        ("HTTP", TRUNKLINE, Mode::Http),
        ("Metro TCP", "metro", Mode::SoapTcp),
        ("FI/HTTP", "metro", Mode::HttpFastInfoset),
        ("HTTP", "metro", Mode::Http),
        ("gSOAP", "gsoap-best", Mode::Http),
        ("RMI", "rmi", Mode::Rmi),
    ];
    let titles = modes.iter().map(|(title, ..)| count(title));
    let title = "Bytes of a call on the wire, there and back";
    let mut section = Section::new("toolkit-bytes", title, [words("")].into_iter().chain(titles));
    for &call in calls {
        let cell = |(_, subject, mode): &(&str, &'static str, Mode)| {
            let case = ToolkitCalls::case(*mode, threads, call, DIRECT);
            let bytes = |metric| rows.find(&Line::new(&case, subject), metric)?.value;
            let sum = BYTES.map(bytes).into_iter().sum::<Option<f64>>();
            sum.map_or("-".to_owned(), number)
        };
        let cells: Vec<String> = modes.iter().map(cell).collect();
        if cells.iter().any(|cell| cell != "-") {
            section.table.row([call.to_string()].into_iter().chain(cells));
        }
    }
    section.notes = note("once vocabularies are built, heads of HTTP and frames included");
    section
}

/// What many distinct texts do: the first look beside the last.
fn vocabularies(rows: Rows<'_>) -> Section {
    let columns = ["s", "calls a second", "thousand texts", "client MB", "server MB"].map(count);
    let names = [words("subject"), words("mode")].into_iter();
    let title = "Many distinct short texts by one client, from stretch to stretch";
    let mut section = Section::new("vocabulary", title, names.chain(columns));
    for mode in Vocabularies::MODES {
        let case = Vocabularies::case(mode);
        let of_case = || rows.all.iter().filter(|row| row.case == case && row.value.is_some());
        for subject in each_once(of_case().map(|row| &*row.subject), usize::MAX) {
            let looks = of_case().filter(|row| row.subject == subject);
            let looks = each_once(looks.filter_map(|row| row.entries), usize::MAX);
            let shown = [0, looks.len() / 2, looks.len().saturating_sub(1)];
            for seconds in each_once(shown.iter().filter_map(|at| looks.get(*at)), usize::MAX) {
                let line = Line::new(&case, subject).of_entries(Some(*seconds));
                let cells = Vocabularies::METRICS.iter().zip([1.0, 1e3, 1e6, 1e6]);
                let cells = cells.map(|(metric, unit)| scaled(rows.find(&line, metric), unit));
                let names = [subject.to_owned(), mode.title().to_owned(), seconds.to_string()];
                section.table.row(names.into_iter().chain(cells));
            }
        }
    }
    section.notes = note(
        "s: how long calls went on; memory: of Metro the heap in use after it was collected, of trunkline what the system has given the process",
    );
    section
}
