//! Files of rows: one machine row, then results, one JSON object a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::{error, fmt};

use serde::{Deserialize, Serialize};

use crate::clock::Date;
use crate::file;
use crate::row::{MACHINE, MachineRow, Row};

/// A whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Where and with what it was measured.
    pub machine: MachineRow,
    /// The results.
    pub rows: Vec<Row>,
}

/// Why a file of rows could not be written or read; names the file, and the line where there is one.
#[derive(Debug)]
pub struct RecordError {
    file: PathBuf,
    line: Option<u64>,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    NotWritten(io::Error),
    NotRead(io::Error),
    NotARow(serde_json::Error),
    NoMachine,
    SecondMachine,
    Limit { what: &'static str, limit: u64 },
}

impl fmt::Display for RecordError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(out, " line {line}")?;
        }
        match &self.reason {
            Reason::NotWritten(cause) => write!(out, ": cannot be written: {cause}"),
            Reason::NotRead(cause) => write!(out, ": cannot be read: {cause}"),
            Reason::NotARow(cause) => write!(out, ": is no row of a record: {cause}"),
            Reason::NoMachine => write!(out, ": a record begins with a row of case \"machine\""),
            Reason::SecondMachine => write!(out, ": a record has only one row of case \"machine\""),
            Reason::Limit { what, limit } => write!(out, ": more than {limit} {what}"),
        }
    }
}

impl error::Error for RecordError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::NotWritten(cause) | Reason::NotRead(cause) => Some(cause),
            Reason::NotARow(cause) => Some(cause),
            _ => None,
        }
    }
}

const LINE_BYTES: u64 = 64 << 10;
const LINES: u64 = 1_000_000;

impl RunRecord {
    /// The path of a dated record: `records/2026-11-20-kohlhoff-2004-codecs.jsonl`.
    pub fn path(date: Date, experiment: &str, what: &str) -> PathBuf {
        Path::new("records").join(format!("{date}-{experiment}-{what}.jsonl"))
    }

    /// As [`path`](Self::path), with a number before the ending if there is such a file already:
    /// `...-2.jsonl`.
    pub fn new_path(date: Date, experiment: &str, what: &str) -> PathBuf {
        let numbered = |number: u32| Self::path(date, experiment, &format!("{what}-{number}"));
        let first = Self::path(date, experiment, what);
        let mut all = [first].into_iter().chain((2..=999).map(numbered));
        all.find(|path| !path.exists()).unwrap_or_else(|| numbered(1000))
    }

    /// Writes the record to `path` as a whole or not at all: what was there before stays until the
    /// new content is complete on disk. A device or a pipe is written to as it is.
    ///
    /// # Errors
    /// Names the file and the operating system's reason.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        file::replace(path, |out| self.write_lines(out)).map_err(|cause| not_written(path, cause))
    }

    /// Finds out whether [`write`](Self::write) could put a file at `path`, and leaves nothing there.
    ///
    /// # Errors
    /// As those of [`write`](Self::write).
    pub fn try_place(path: &Path) -> Result<(), RecordError> {
        file::try_place(path).map_err(|cause| not_written(path, cause))
    }

    /// The record as lines of JSON.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_lines(&self, out: &mut dyn Write) -> io::Result<()> {
        write_line(out, &self.machine)?;
        for row in &self.rows {
            write_line(out, row)?;
        }
        Ok(())
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Names the file, the line and what is wrong with it. Lines over 64 KiB and more than a
    /// million lines are rejected.
    pub fn read(file: &Path) -> Result<Self, RecordError> {
        let mut number = 0;
        read_lines(file, &mut number).map_err(|reason| {
            let line = (number > 0).then_some(number);
            RecordError { file: file.to_owned(), line, reason }
        })
    }
}

fn not_written(file: &Path, cause: io::Error) -> RecordError {
    RecordError { file: file.to_owned(), line: None, reason: Reason::NotWritten(cause) }
}

fn write_line(out: &mut dyn Write, row: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

#[derive(Deserialize)]
struct Head {
    case: String,
}

fn read_lines(file: &Path, number: &mut u64) -> Result<RunRecord, Reason> {
    let mut input = BufReader::new(File::open(file).map_err(Reason::NotRead)?);
    let mut machine = None;
    let mut rows = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut window = (&mut input).take(LINE_BYTES + 1);
        let length = window.read_until(b'\n', &mut line).map_err(Reason::NotRead)?;
        if length == 0 {
            break;
        }
        *number += 1;
        if length as u64 > LINE_BYTES {
            return Err(Reason::Limit { what: "bytes in one line", limit: LINE_BYTES });
        }
        if *number > LINES {
            return Err(Reason::Limit { what: "lines", limit: LINES });
        }
        let head: Head = serde_json::from_slice(&line).map_err(Reason::NotARow)?;
        match (&machine, head.case == MACHINE) {
            (None, true) => machine = Some(serde_json::from_slice(&line).map_err(Reason::NotARow)?),
            (Some(_), false) => rows.push(serde_json::from_slice(&line).map_err(Reason::NotARow)?),
            (None, false) => return Err(Reason::NoMachine),
            (Some(_), true) => return Err(Reason::SecondMachine),
        }
    }
    Ok(RunRecord { machine: machine.ok_or(Reason::NoMachine)?, rows })
}
