//! Files of comma-separated values, plain or compressed by gzip: their lines within limits, and what is wrong with one.
//!
//! An error names the line as an editor counts it, blank ones too, and no line takes more memory than a stated limit.
//! The crate `csv` promises neither. Values are numbers and codes, so quoting is reduced to a pair of quotation
//! marks around a whole value.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::{error, fmt};

use flate2::bufread::MultiGzDecoder;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// What spreadsheets put first.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of a value that an error quotes.
const QUOTED: usize = 40;

/// Why a file does not hold what it should; prints as `day.csv line 17: price_x10000: "12a" is not ...`.
#[derive(Debug)]
pub struct CsvError {
    file: PathBuf,
    /// The file within an archive.
    entry: Option<String>,
    line: Option<u64>,
    fault: Fault,
}

/// What is wrong, wherever it is.
#[derive(Debug)]
pub enum Fault {
    /// The system's reason.
    Unreadable(io::Error),
    /// In words.
    Wrong(String),
}

impl Fault {
    /// There is more than may be.
    pub fn limit(what: &str, limit: u64) -> Self {
        Self::Wrong(format!("more than {limit} {what}"))
    }

    /// A value in a column is not what it should be.
    pub fn value(column: &str, value: &[u8], fault: &str) -> Self {
        Self::Wrong(format!("{column}: {:?} {fault}", shortened(value)))
    }

    /// The same in a file, or in a file of an archive.
    pub fn within(self, file: &Path, entry: Option<&str>, line: Option<u64>) -> CsvError {
        let (file, entry) = (file.to_owned(), entry.map(str::to_owned));
        CsvError { file, entry, line, fault: self }
    }
}

impl From<io::Error> for Fault {
    fn from(cause: io::Error) -> Self {
        Self::Unreadable(cause)
    }
}

impl fmt::Display for CsvError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file.display())?;
        if let Some(entry) = &self.entry {
            write!(out, " ({entry})")?;
        }
        if let Some(line) = self.line {
            write!(out, " line {line}")?;
        }
        match &self.fault {
            Fault::Unreadable(cause) => write!(out, ": cannot be read: {cause}"),
            Fault::Wrong(what) => write!(out, ": {what}"),
        }
    }
}

impl error::Error for CsvError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.fault {
            Fault::Unreadable(cause) => Some(cause),
            Fault::Wrong(_) => None,
        }
    }
}

/// What an error quotes of a value: its first bytes.
pub fn shortened(value: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&value[..value.len().min(QUOTED)]).into_owned();
    if value.len() > QUOTED {
        text.push_str("...");
    }
    text
}

/// Reads a file, decompressed if it has to be, which is told by content and not by name.
///
/// # Errors
/// The system's.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
    }
    let mut file = BufReader::with_capacity(1 << 16, file);
    if file.fill_buf()?.starts_with(&GZIP_MAGIC) {
        Ok(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file))))
    } else {
        Ok(Box::new(file))
    }
}

/// Lines with their numbers, within limits.
pub struct Lines<R> {
    input: R,
    /// Number of the line last read, from 1.
    number: u64,
    line: Vec<u8>,
    line_bytes: u64,
    most: u64,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `line_bytes` at most, and no more than `most` bytes together with those of other files, of which
    /// `bytes` were read before.
    pub fn new(input: R, line_bytes: u64, most: u64, bytes: u64) -> Self {
        Self { input, number: 0, line: Vec::new(), line_bytes, most, bytes }
    }

    /// The number of the line last read, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes that were read, with those before.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line that is not blank and its number, without its end and a byte order mark; None at the end of the
    /// file.
    ///
    /// # Errors
    /// It cannot be read, or is longer than it may be.
    pub fn read(&mut self) -> Result<Option<(u64, &[u8])>, Fault> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut window = (&mut self.input).take(self.line_bytes.saturating_add(1));
            let length = window.read_until(b'\n', &mut self.line)? as u64;
            self.bytes += length;
            if length > self.line_bytes {
                return Err(Fault::limit("bytes in one line", self.line_bytes));
            }
            if self.bytes > self.most {
                return Err(Fault::limit("bytes", self.most));
            }
            if length == 0 {
                return Ok(None);
            }
            if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some((self.number, self.line.trim_ascii())));
            }
        }
    }
}

/// The values of a line, without white space and quotation marks around them.
pub fn values(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b',').map(|value| {
        let value = value.trim_ascii();
        value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)
    })
}
