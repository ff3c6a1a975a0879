//! The rows of a run as tables, beside the figures that the paper printed.

mod builds;
mod calls;
mod codec;
mod codings;
mod conclusions;
mod middleware;
mod network;
mod service;
mod sessions;
mod sheet;
mod size;
mod styles;
mod toolkits;

use std::fmt;

use crate::conclusion::{self, is_judgement};
use sheet::Line;
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::table::{Table, number, with_commas};
use trunkline_experiment::definition::Definition;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{CODEC, HICCUP, NETWORK, TRADES};
use trunkline_experiment::subjects::PEERS;

/// The widest line.
const WIDTH: usize = 100;

/// Tables with what a reader must know about them.
#[derive(Clone, Debug)]
pub struct Report {
    /// What ran where, when and with what.
    pub head: Vec<String>,
    /// The tables in order.
    pub sections: Vec<Section>,
    /// What is left to say.
    pub foot: Vec<String>,
}

/// A table under its title.
#[derive(Clone, Debug)]
pub struct Section {
    /// What it is about, by which the page puts plots below it: `size`, `encode`, `decode`,
    /// `ratio`, `lead`, `conclusion`, `aim`, `round-trip` (its parts), `round-trips`, `throughput`,
    /// `open-loop`, `variant`, or another word where there is no plot.
    pub topic: &'static str,
    /// What the table shows.
    pub title: String,
    /// The table.
    pub table: Table,
    /// What belongs to a line of the table each: a sentence, and more.
    pub details: Vec<Vec<String>>,
    /// How to read it, a line each.
    pub notes: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.head {
            writeln!(out, "{line}")?;
        }
        for section in &self.sections {
            write!(out, "\n{}\n\n{}", section.title, section.table)?;
            let notes = section.details.iter().flatten().chain(&section.notes);
            for line in notes.flat_map(|note| wrapped(note)) {
                writeln!(out, "{line}")?;
            }
        }
        if !self.foot.is_empty() {
            writeln!(out)?;
        }
        for line in &self.foot {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

impl Report {
    /// The tables of a record of a known evaluation; those for which it has no rows are left out. Its
    /// conclusions are as they stand in it (see [`conclusion::judged`]).
    pub fn of(record: &RunRecord) -> Self {
        Self::with(record, Definition::named(&record.machine.experiment).ok().as_ref())
    }

    /// As [`of`](Self::of), of an experiment that is defined elsewhere. Without a definition there is
    /// nothing published to print.
    pub fn with(record: &RunRecord, definition: Option<&Definition>) -> Self {
        let rows = Rows::of(record, definition);
        let codec = [
            size::section(rows),
            codec::times(rows, "encode"),
            codec::times(rows, "decode"),
            codec::ratios(rows),
            codec::leads(rows),
            codec::INSTRUCTIONS.section(rows),
        ];
        let sent = [
            network::open_loop(rows),
            network::throughput(rows),
            network::links(rows),
            network::variants(rows),
            network::CAPACITY.section(rows),
        ];
        let mut sections: Vec<Section> = codec.into_iter().flatten().collect();
        sections.extend(builds::section(rows));
        sections.extend(middleware::sections(rows));
        sections.extend(toolkits::sections(rows));
        sections.extend(codings::sections(rows));
        sections.extend(sessions::sections(rows));
        sections.extend(styles::section(rows));
        sections.extend(service::sections(rows));
        sections.extend(calls::sections(rows));
        sections.extend(network::breakdown(rows));
        sections.extend(network::round_trips(rows));
        sections.extend(sent.into_iter().flatten());
        let judgements = definition.map_or(Vec::new(), |definition| {
            conclusion::judgements(definition, &record.rows, record.machine.noise_floor)
        });
        sections.extend(conclusions::sections(rows, &judgements));
        Self { head: head(record), sections, foot: foot(record) }
    }

    /// Prints the titles of columns bold: for a terminal only.
    #[must_use]
    pub fn bold(mut self, is_terminal: bool) -> Self {
        for section in &mut self.sections {
            section.table = section.table.clone().bold(is_terminal);
        }
        self
    }
}

/// Finding rows by what they are of.
#[derive(Clone, Copy)]
struct Rows<'a> {
    all: &'a [Row],
    definition: Option<&'a Definition>,
}

impl<'a> Rows<'a> {
    fn of(record: &'a RunRecord, definition: Option<&'a Definition>) -> Self {
        Self { all: &record.rows, definition }
    }

    /// The most entries in the rows of cases that begin so: the length for which single figures are
    /// printed.
    fn longest(self, cases: &str) -> u32 {
        let of_cases = self.all.iter().filter(|row| row.case.starts_with(cases));
        of_cases.filter_map(|row| row.entries).max().unwrap_or(1)
    }

    /// The formats that have rows of this case, in the order of tables.
    fn formats(self, case: &str, transport: &str) -> Vec<Format> {
        let is_there = |format: &Format| {
            let profile = format.profile_over(transport);
            self.all.iter().any(|row| row.case == case && row.profile == profile)
        };
        Format::ALL.into_iter().filter(is_there).collect()
    }

    /// The cases of these names, in the order of their rows.
    fn cases(self, is_it: impl Fn(&str) -> bool) -> Vec<&'a str> {
        each_once(self.all.iter().map(|row| &*row.case).filter(|case| is_it(case)), usize::MAX)
    }

    /// The cases that begin so and end in a number, by the number.
    fn numbered(self, beginning: &str) -> Vec<&'a str> {
        let number = |case: &str| case.strip_prefix(beginning)?.parse::<u64>().ok();
        let mut cases = self.cases(|case| number(case).is_some());
        cases.sort_by_key(|case| number(case));
        cases
    }

    /// The first row of a line.
    fn find(self, line: &Line<'_>, metric: &str) -> Option<&'a Row> {
        self.all.iter().find(|row| row.metric == metric && line.is_of(row))
    }

    /// A row of what the machine itself did.
    fn hiccup(self, metric: &str) -> Option<&'a Row> {
        self.all.iter().find(|row| row.case == HICCUP && row.metric == metric)
    }

    /// Where the figures stand that were published for a case and metric, for titles.
    fn source_of(self, case: &str, metric: &str) -> String {
        let source = self.definition.and_then(|it| it.source_of(case, metric));
        source.map_or(String::new(), |source| format!(" (paper: {source})"))
    }

    fn any(self, case: &str) -> bool {
        self.all.iter().any(|row| row.case == case)
    }
}

/// The first of these, each once, in their order.
fn each_once<T: PartialEq>(all: impl Iterator<Item = T>, most: usize) -> Vec<T> {
    let mut found = Vec::new();
    for it in all {
        if found.len() < most && !found.contains(&it) {
            found.push(it);
        }
    }
    found
}

/// The value of a row; a question mark says that the repetitions do not carry it.
fn value(row: Option<&Row>) -> String {
    let Some(row) = row else { return "-".into() };
    match (row.verdict, row.value) {
        (Verdict::Inconclusive, Some(value)) => format!("{}?", number(value)),
        (_, Some(value)) => number(value),
        (verdict, None) => verdict.name().into(),
    }
}

/// The value of a row in another unit.
fn scaled(row: Option<&Row>, unit: f64) -> String {
    let Some(row) = row else { return "-".into() };
    let value = row.value.map(|value| value / unit);
    self::value(Some(&Row { value, ..row.clone() }))
}

fn published(row: Option<&Row>) -> String {
    row.and_then(|row| row.paper).map_or("-".into(), number)
}

/// The bounds of a row in another unit: `1.52 - 1.63`.
fn bounds_in(row: Option<&Row>, unit: f64) -> String {
    let bounds = row.and_then(|row| Some((row.low? / unit, row.high? / unit)));
    bounds.map_or(String::new(), |(low, high)| format!("{} - {}", number(low), number(high)))
}

fn head(record: &RunRecord) -> Vec<String> {
    let machine = &record.machine;
    let noise = match machine.noise_floor {
        Some(floor) => format!("; noise floor {:.1} %", floor * 100.0),
        None => "; noise floor not measured".to_owned(),
    };
    let mut lines = vec![format!(
        "{} on {}: {}, {} cores{noise}",
        machine.experiment, machine.date, machine.processor, machine.cores
    )];
    let trades = record.rows.iter().find(|row| row.case == TRADES);
    if let Some((day, count)) = trades.and_then(|row| Some((&row.subject, row.value?))) {
        lines.push(format!("messages carry the {} trades of: {day}", with_commas(count)));
    }
    lines.extend(middleware::ticks(record).iter().flat_map(|line| wrapped(line)));
    lines
}

fn foot(record: &RunRecord) -> Vec<String> {
    let is_absent = |row: &&Row| {
        [CODEC, NETWORK].contains(&row.case.as_str())
            && row.verdict == Verdict::Absent
            && PEERS.iter().any(|peer| peer.subject() == row.subject)
    };
    let absent = record.rows.iter().filter(is_absent).map(|row| &*row.subject);
    let absent = each_once(absent, usize::MAX);
    let mut lines = Vec::new();
    if !absent.is_empty() {
        lines.extend(wrapped(&format!("absent (make peers): {}", absent.join(", "))));
    }
    let is_of_codec = |row: &Row| row.metric == "cpu-time" && !row.case.starts_with("matching-");
    if record.rows.iter().any(|row| is_of_codec(row) && row.value.is_some()) {
        lines.push(
            "times are CPU time of one thread, medians of interleaved repetitions; bounds hold the"
                .into(),
        );
        lines.push("median with 95 % confidence; ? marks what they leave inconclusive".into());
    } else if record.rows.iter().any(|row| row.metric == "latency-p50" && row.value.is_some()) {
        let told = "figures are medians over turns; bounds hold the median with 95 % confidence; ? marks what \
                    they leave inconclusive";
        lines.extend(wrapped(told));
    }
    let is_open = |row: &&Row| is_judgement(row) && row.verdict == Verdict::Inconclusive;
    let open = record.rows.iter().filter(is_open).map(|row| &*row.metric);
    let open = each_once(open, usize::MAX);
    if !open.is_empty() {
        let told = format!("inconclusive (a run ends with status 3): {}", open.join("; "));
        lines.extend(wrapped(&told));
    }
    lines
}

/// The text in lines of the width of tables, the second and more indented.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.len() - 1;
        let has_room = lines[line].chars().count() + 1 + word.chars().count() <= WIDTH;
        match lines[line].is_empty() {
            true => lines[line].push_str(word),
            false if has_room => lines[line].extend([" ", word]),
            false => lines.push(format!("    {word}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_between_words() {
        assert_eq!(wrapped("one two"), ["one two"]);
        let lines = wrapped(&"word ".repeat(45));
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(lines[1].starts_with("    word word"));
    }
}
