//! Standard output and standard error.

use std::io::{self, IsTerminal as _, Write as _};

use serde_json::{Map, Number, Value};
use trunkline_bench::table::{Align, Table};

use crate::fault::Fault;

/// Prints `text` as it is. A reader that has seen enough is no fault.
pub(crate) fn print(text: &str) -> Result<(), Fault> {
    print_while_read(text).map(|_| ())
}

/// As [`print()`], for those that would print without end: false once nobody reads.
pub(crate) fn print_while_read(text: &str) -> Result<bool, Fault> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(cause) => Err(Fault::new(format!("standard output: {cause}"))),
    }
}

/// A text from a file without what could steer a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Says on standard error how a command goes. If that cannot be written, it goes on.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", plain(text));
}

/// Says on standard error what went wrong. If that cannot be written, the status still tells it.
pub(crate) fn complain(fault: &Fault) {
    let _ = writeln!(io::stderr().lock(), "trunkline: {fault}");
}

/// What a verb found: as tables and sentences for people, or each fact as a line of JSON for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
}

impl Form {
    /// A sentence, which programs do without.
    pub(crate) fn say(self, text: &str) -> Result<(), Fault> {
        if self == Self::Text { print(text) } else { Ok(()) }
    }

    /// A fact, which people read in sentences and tables.
    pub(crate) fn fact(self, fact: &Value) -> Result<(), Fault> {
        if self == Self::Json { print(&format!("{fact}\n")) } else { Ok(()) }
    }

    /// A table, or a line of JSON for each of its rows: `fact` and then the columns, those of numbers as numbers.
    pub(crate) fn table(self, fact: &str, table: Table) -> Result<(), Fault> {
        match self {
            Self::Text => print_table(table),
            Self::Json => print(&lines(fact, &table)),
        }
    }
}

fn lines(fact: &str, table: &Table) -> String {
    let mut text = String::new();
    for row in table.rows() {
        let mut line = Map::from_iter([("fact".to_owned(), fact.into())]);
        for ((title, align), cell) in table.titles().zip(row) {
            let number = cell.replace(',', "").parse::<Number>().ok();
            let value = match (align, number) {
                (Align::Right, Some(number)) => Value::Number(number),
                // What has no number, or is not there.
                (Align::Right, None) => Value::Null,
                (Align::Left, _) => cell.as_str().into(),
            };
            line.insert(title.replace(' ', "_"), value);
        }
        text += &format!("{}\n", Value::Object(line));
    }
    text
}

/// Prints a table, with bold titles on a terminal that wants them.
pub(crate) fn print_table(table: Table) -> Result<(), Fault> {
    print(&table.bold(wants_bold()).to_string())
}

/// True on a terminal whose user has not asked for plain text (see no-color.org).
pub(crate) fn wants_bold() -> bool {
    let wants_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wants_colour && io::stdout().is_terminal()
}
