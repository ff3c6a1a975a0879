//! What clients and servers of toolkits need of memory.

use super::super::sheet::{Line, count, words};
use super::{Rows, Section, each_once, note, scaled};
use trunkline_experiment::definition::MemoryOfCalls;

/// A line for each call of each toolkit; none without rows.
pub(super) fn section(rows: Rows<'_>) -> Option<Section> {
    let cases = rows.cases(|case| MemoryOfCalls::parts(case).is_some());
    let columns = ["client MB", "after", "most", "server MB", "after", "most"].map(count);
    let names = [words("call"), count("threads"), words("subject")].into_iter();
    let title = "Memory of client and server, each in a new process";
    let mut section = Section::new("toolkit-memory", title, names.chain(columns));
    for case in cases {
        let Some((_, threads, call)) = MemoryOfCalls::parts(case) else { continue };
        let of_case = rows.all.iter().filter(|row| row.case == case && row.value.is_some());
        for subject in each_once(of_case.map(|row| &*row.subject), usize::MAX) {
            let line = Line::new(case, subject);
            let metrics = MemoryOfCalls::METRICS.as_flattened().iter();
            let cells = metrics.map(|metric| scaled(rows.find(&line, metric), 1e6));
            let names = [call.to_string(), threads.to_string(), subject.to_owned()];
            section.table.row(names.into_iter().chain(cells));
        }
    }
    section.notes = note(
        "what the system has given each process (VmRSS): once the threads are connected and have called echoVoid; after the calls; and at \
         most in between; toolkits in Java have a heap of a set size, which is filled before it is collected",
    );
    let is_empty = section.table.rows().len() == 0;
    if is_empty { None } else { Some(section) }
}
