//! Files of rows: one machine row, then results, one JSON object a line.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::{error, fmt, process};

use serde::{Deserialize, Serialize};

use crate::clock::Date;
use crate::row::{MACHINE, MachineRow, Row};

/// A whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
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

impl Record {
    /// The path of a dated record: `records/2026-11-20-kohlhoff-2004-codecs.jsonl`.
    pub fn path(date: Date, experiment: &str, what: &str) -> PathBuf {
        Path::new("records").join(format!("{date}-{experiment}-{what}.jsonl"))
    }

    /// Writes the record to `file` as a whole or not at all: what was there before stays until the
    /// new content is complete on disk. A device or a pipe is written to as it is.
    ///
    /// # Errors
    /// Names the file and the operating system's reason.
    pub fn write(&self, file: &Path) -> Result<(), RecordError> {
        let written = match Target::of(file) {
            Ok(Target::Stream) => {
                let stream = File::options().write(true).open(file);
                stream.and_then(|stream| self.write_lines(stream)).map(|_| ())
            }
            Ok(Target::File(file)) => self.replace(&file),
            Err(cause) => Err(cause),
        };
        written.map_err(|cause| not_written(file, cause))
    }

    /// Finds out whether [`write`](Self::write) could put a file at `file`, and leaves nothing there.
    ///
    /// # Errors
    /// As those of [`write`](Self::write).
    pub fn try_place(file: &Path) -> Result<(), RecordError> {
        let tried = match Target::of(file) {
            Ok(Target::Stream) => Ok(()),
            Ok(Target::File(file)) => {
                let partial = partial_name(&file);
                create(&partial).and_then(|_| fs::remove_file(&partial))
            }
            Err(cause) => Err(cause),
        };
        tried.map_err(|cause| not_written(file, cause))
    }

    fn replace(&self, file: &Path) -> io::Result<()> {
        let partial = partial_name(file);
        let written = create(&partial)
            .and_then(|created| self.write_lines(created)?.sync_all())
            .and_then(|()| fs::rename(&partial, file));
        if written.is_err() {
            // There may be nothing to remove; the first error is the one to report.
            let _ = fs::remove_file(&partial);
        }
        written
    }

    fn write_lines(&self, file: File) -> io::Result<File> {
        let mut out = BufWriter::new(file);
        write_line(&mut out, &self.machine)?;
        for row in &self.rows {
            write_line(&mut out, row)?;
        }
        Ok(out.into_inner()?)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Names the file, the line and what is wrong with it. Lines over 64 KiB and more than a
    /// million lines are refused.
    pub fn read(file: &Path) -> Result<Self, RecordError> {
        let mut number = 0;
        read_lines(file, &mut number).map_err(|reason| {
            let line = (number > 0).then_some(number);
            RecordError { file: file.to_owned(), line, reason }
        })
    }
}

/// What a path stands for, once links are followed.
enum Target {
    /// A file, there or not, that a rename may replace.
    File(PathBuf),
    /// A device, a pipe or a socket, which a rename would destroy.
    Stream,
}

impl Target {
    fn of(file: &Path) -> io::Result<Self> {
        match fs::metadata(file) {
            Ok(found) if found.is_file() || found.is_dir() => {
                fs::canonicalize(file).map(Self::File)
            }
            Ok(_) => Ok(Self::Stream),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Self::File(file.into())),
            Err(cause) => Err(cause),
        }
    }
}

fn not_written(file: &Path, cause: io::Error) -> RecordError {
    RecordError { file: file.to_owned(), line: None, reason: Reason::NotWritten(cause) }
}

fn create(file: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(file)
}

fn write_line(out: &mut impl Write, row: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

/// Beside the file, because a rename does not cross file systems.
fn partial_name(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", process::id()));
    file.with_file_name(name)
}

#[derive(Deserialize)]
struct Head {
    case: String,
}

fn read_lines(file: &Path, number: &mut u64) -> Result<Record, Reason> {
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
    Ok(Record { machine: machine.ok_or(Reason::NoMachine)?, rows })
}
