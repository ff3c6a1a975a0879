//! Sizes and times of messages of customer and product records: a column a message.

use super::{Rows, Section, WIDTH, value};
use trunkline_bench::row::Row;
use trunkline_bench::table::{Align, Table, number};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{SIZE, lead_metric};
use trunkline_experiment::subjects::{TRUNKLINE, is_build};

/// All tables for which there are rows.
pub(super) fn sections(rows: Rows<'_>) -> Vec<Section> {
    let codec = ["encode", "decode"].into_iter().filter_map(|case| times(rows, case));
    sizes(rows).into_iter().chain(codec).collect()
}

/// Table 2 with today's lines.
fn sizes(rows: Rows<'_>) -> Option<Section> {
    let messages = messages(rows, SIZE);
    if messages.is_empty() {
        return None;
    }
    let columns = messages.iter().map(|message| (*message, Align::Right));
    let mut table = titled(columns).within(WIDTH);
    for line in lines(rows, SIZE, "size") {
        let cells = messages.iter().map(|message| {
            let row = line.find(rows, &format!("{SIZE}-{message}"), "size");
            // The paper's own subjects have nothing but its figure.
            let published = row.filter(|row| row.value.is_none()).and_then(|row| row.paper);
            published.map_or_else(|| value(row), number)
        });
        table.row(line.names().into_iter().chain(cells));
    }
    let source = rows.definition.and_then(|it| it.source_of(SIZE, SIZE));
    let source = source.map_or(String::new(), |source| format!(" (paper: {source})"));
    let title = format!("Bytes of a message{source}");
    let notes = vec!["the envelope alone, without the head of HTTP".to_owned()];
    Some(Section { topic: SIZE, title, table, notes })
}

/// CPU time of one operation, and how many times ours it is.
fn times(rows: Rows<'_>, case: &'static str) -> Option<Section> {
    let messages = messages(rows, case);
    if messages.is_empty() {
        return None;
    }
    let columns =
        messages.iter().flat_map(|message| [(*message, Align::Right), ("times", Align::Right)]);
    let mut table = titled(columns).within(WIDTH);
    for line in lines(rows, case, "cpu-time") {
        let cells = messages.iter().flat_map(|message| {
            let case = format!("{case}-{message}");
            let lead = line.of(TRUNKLINE).find(rows, &case, &lead_metric(line.subject));
            let lead = lead.map_or(String::new(), |lead| value(Some(lead)));
            [value(line.find(rows, &case, "cpu-time")), lead]
        });
        table.row(line.names().into_iter().chain(cells));
    }
    let verb = if case == "encode" { "Encoding" } else { "Decoding" };
    let title = format!("{verb}: ns a message");
    let notes = vec!["times: how many times as long as trunkline it takes".to_owned()];
    Some(Section { topic: case, title, table, notes })
}

fn titled<'a>(columns: impl Iterator<Item = (&'a str, Align)>) -> Table {
    Table::new([("style", Align::Left), ("subject", Align::Left)].into_iter().chain(columns))
}

/// Whether a row is about customer and product records.
fn is_service(row: &Row) -> bool {
    Format::CUSTOMER_SERVICES.iter().any(|format| format.profile() == row.profile)
}

/// The names of the messages in the cases that begin with `kind`, in the order of the rows.
fn messages<'a>(rows: Rows<'a>, kind: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows.all.iter().filter(|row| is_service(row)) {
        let name = row.case.strip_prefix(kind).and_then(|rest| rest.strip_prefix('-'));
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names
}

/// What a line of a table is about.
#[derive(Clone, Copy)]
struct Line<'a> {
    format: Format,
    subject: &'a str,
}

/// Every subject of every style, ours first, the others in the order of the rows.
fn lines<'a>(rows: Rows<'a>, kind: &str, metric: &str) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for format in Format::CUSTOMER_SERVICES {
        let profile = format.profile();
        let is_its = |row: &&Row| {
            row.profile == profile && row.metric == metric && {
                let rest = row.case.strip_prefix(kind);
                rest.is_some_and(|rest| rest.starts_with('-'))
            }
        };
        let first = lines.len();
        for row in rows.all.iter().filter(is_its).filter(|row| !is_build(&row.subject)) {
            if lines[first..].iter().all(|line| line.subject != row.subject) {
                lines.push(Line { format, subject: &row.subject });
            }
        }
        lines[first..].sort_by_key(|line| line.subject != TRUNKLINE);
    }
    lines
}

impl<'a> Line<'a> {
    fn of<'b>(self, subject: &'b str) -> Line<'b> {
        Line { format: self.format, subject }
    }

    fn names(self) -> [String; 2] {
        [self.format.title().to_owned(), self.subject.to_owned()]
    }

    fn find(self, rows: Rows<'a>, case: &str, metric: &str) -> Option<&'a Row> {
        rows.find(case, self.subject, self.format, metric, None)
    }
}
