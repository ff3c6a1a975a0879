//! What a paper published, so that rows can stand beside it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Definition;
use crate::format::Format;
use crate::subjects::TRUNKLINE;

/// A published table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Published {
    /// Whose figures they are, where the paper measured several; not on this machine.
    #[serde(default = "paper")]
    pub subject: String,
    /// The cases whose rows stand beside it.
    pub cases: Vec<String>,
    /// The metric of those rows.
    pub metric: String,
    /// The unit of its figures.
    pub unit: Unit,
    /// Where it stands, such as `table 1`.
    pub source: String,
    /// A line a format, for messages of so many entries.
    #[serde(default)]
    pub lines: BTreeMap<Format, Line>,
    /// A figure a format and message, for messages with names. A row's case is then that of the table
    /// with the message's name: `size-simple`.
    #[serde(default)]
    pub figures: BTreeMap<Format, BTreeMap<String, f64>>,
}

fn paper() -> String {
    "paper".to_owned()
}

/// A published figure of a middleware or a toolkit that is not on this machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reported {
    /// Whose it is.
    pub subject: String,
    /// The case beside which it stands.
    pub case: String,
    /// What was tested, in the words of the report.
    pub what: String,
    /// The unit of its figures.
    pub unit: Unit,
    /// Where it stands, such as `overall results`.
    pub source: String,
    /// How its bytes were made, in the words of profiles.
    pub profile: String,
    /// Which of ours stands beside it, if not those of the same case.
    pub beside: Option<Beside>,
    /// The highest rate of messages a second, where it stands there.
    pub rate: Option<f64>,
    /// The figures by their metric, such as `latency-mean`.
    pub figures: BTreeMap<String, f64>,
}

/// A case of ours, and whose.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Beside {
    /// The case of our rows.
    pub case: String,
    /// Their subject.
    pub subject: String,
}

impl Reported {
    /// The case and the subject of our rows beside it.
    pub fn beside(&self) -> (&str, &str) {
        self.beside.as_ref().map_or((&self.case, TRUNKLINE), |it| (&it.case, &it.subject))
    }

    /// Its figures by their metric, in the unit of rows: nanoseconds.
    pub fn figures(&self) -> impl Iterator<Item = (&str, f64)> {
        self.figures.iter().map(|(metric, value)| (metric.as_str(), value * self.unit.scale()))
    }
}

words! {
    /// A unit of published figures.
    pub enum Unit {
        /// Bytes.
        Bytes = "bytes",
        /// Nanoseconds.
        Ns = "ns",
        /// Microseconds.
        Us = "us",
        /// Milliseconds.
        Ms = "ms",
        /// Of something a second.
        PerSecond = "per-second",
        /// Percent.
        Percent = "%",
        /// 1 of a style that is spoken, 0 of one that is not.
        Styles = "styles",
    }
}

impl Unit {
    /// How many of the unit of rows it is: bytes or nanoseconds.
    fn scale(self) -> f64 {
        match self {
            Self::Bytes | Self::Ns | Self::PerSecond | Self::Percent | Self::Styles => 1.0,
            Self::Us => 1e3,
            Self::Ms => 1e6,
        }
    }
}

/// A cost that is partly fixed, partly by entry.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Line {
    /// Cost of a message without entries.
    pub fixed: f64,
    /// Cost of each entry.
    pub per_entry: f64,
}

impl Line {
    /// The cost that the line gives for a message of `entries` entries.
    pub fn at(&self, entries: u32) -> f64 {
        self.fixed + self.per_entry * f64::from(entries)
    }
}

/// A published figure for messages with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<'a> {
    /// Whose it is.
    pub subject: &'a str,
    /// The figure, in the unit of rows: bytes or nanoseconds.
    pub value: f64,
}

impl Published {
    fn is_of(&self, case: &str, metric: &str) -> bool {
        self.metric == metric && self.cases.iter().any(|known| known == case)
    }
}

impl Definition {
    /// The published line for rows of this case and metric, in the unit of rows: bytes or
    /// nanoseconds.
    pub fn published(&self, case: &str, metric: &str, format: Format) -> Option<Line> {
        let table = self.published.iter().find(|table| table.is_of(case, metric))?;
        let (line, scale) = (table.lines.get(&format)?, table.unit.scale());
        Some(Line { fixed: line.fixed * scale, per_entry: line.per_entry * scale })
    }

    /// The published figures for the message of this name in rows of `case-message`, those of the
    /// first subject of the file first.
    pub fn figures<'a>(
        &'a self,
        case: &'a str,
        metric: &'a str,
        format: Format,
        message: &'a str,
    ) -> impl Iterator<Item = Figure<'a>> + 'a {
        let tables = self.published.iter().filter(move |table| table.is_of(case, metric));
        tables.filter_map(move |table| {
            let value = table.figures.get(&format)?.get(message)? * table.unit.scale();
            Some(Figure { subject: &table.subject, value })
        })
    }

    /// Where the published figures for a case and metric stand, such as `table 3`.
    pub fn source_of(&self, case: &str, metric: &str) -> Option<&str> {
        let table = self.published.iter().find(|table| table.is_of(case, metric));
        table.map(|table| table.source.as_str())
    }
}
