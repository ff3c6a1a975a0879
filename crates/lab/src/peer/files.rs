//! Files that are exchanged with a peer. A corpus has messages, each as its length (4 bytes, little-endian) and its
//! bytes. A file of times has some nanoseconds for each message, each as u64, little-endian.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::{error, fmt};

use trunkline_experiment::definition::MOST_TIMES;

/// What [`read_corpus`] accepts at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusLimits {
    /// Bytes of one message.
    pub message_bytes: u32,
    /// Bytes of all messages together.
    pub total_bytes: u64,
    /// Number of messages.
    pub messages: usize,
}

impl Default for CorpusLimits {
    fn default() -> Self {
        Self { message_bytes: 16 << 20, total_bytes: 1 << 30, messages: 4 << 20 }
    }
}

/// Why a file could not be written or read; names the file, and the message of a corpus.
#[derive(Debug)]
pub struct FileError {
    file: PathBuf,
    message: Option<usize>,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    NotWritten(io::Error),
    NotRead(io::Error),
    Wrong(String),
}

impl Reason {
    fn limit(limit: impl fmt::Display, what: &str) -> Self {
        Self::Wrong(format!("more than {limit} {what}"))
    }

    fn truncated() -> Self {
        Self::Wrong("the file ends within it".to_owned())
    }

    fn of(self, file: &Path, message: Option<usize>) -> FileError {
        FileError { file: file.to_owned(), message, reason: self }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file.display())?;
        if let Some(message) = self.message {
            write!(out, " message {message}")?;
        }
        match &self.reason {
            Reason::NotWritten(cause) => write!(out, ": cannot be written: {cause}"),
            Reason::NotRead(cause) => write!(out, ": cannot be read: {cause}"),
            Reason::Wrong(what) => write!(out, ": {what}"),
        }
    }
}

impl error::Error for FileError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::NotWritten(cause) | Reason::NotRead(cause) => Some(cause),
            Reason::Wrong(_) => None,
        }
    }
}

/// Writes messages to `file`.
///
/// # Errors
/// Names the file and the message, and the operating system's reason or the limit of 4 GiB.
pub fn write_corpus<M: AsRef<[u8]>>(file: &Path, messages: &[M]) -> Result<(), FileError> {
    let mut written = 0;
    let mut write = || -> Result<(), Reason> {
        let mut out = BufWriter::new(File::create(file).map_err(Reason::NotWritten)?);
        for message in messages {
            let bytes = message.as_ref();
            let length = u32::try_from(bytes.len())
                .map_err(|_| Reason::limit(u32::MAX, "bytes in a message"))?;
            out.write_all(&length.to_le_bytes()).map_err(Reason::NotWritten)?;
            out.write_all(bytes).map_err(Reason::NotWritten)?;
            written += 1;
        }
        out.flush().map_err(Reason::NotWritten)
    };
    write().map_err(|reason| reason.of(file, Some(written)))
}

/// Reads the messages of `file`.
///
/// # Errors
/// Names the file and the message, counted from 0, and why: unreadable, cut off, or over a limit.
pub fn read_corpus(file: &Path, limits: &CorpusLimits) -> Result<Vec<Vec<u8>>, FileError> {
    let mut messages = Vec::new();
    match read_messages(file, limits, &mut messages) {
        Ok(()) => Ok(messages),
        Err(reason) => Err(reason.of(file, Some(messages.len()))),
    }
}

fn read_messages(
    file: &Path,
    limits: &CorpusLimits,
    messages: &mut Vec<Vec<u8>>,
) -> Result<(), Reason> {
    let CorpusLimits { message_bytes, total_bytes, messages: most } = *limits;
    let mut input = BufReader::new(File::open(file).map_err(Reason::NotRead)?);
    let mut total = 0;
    while let Some(length) = read_length(&mut input)? {
        total += u64::from(length);
        match () {
            () if messages.len() == most => return Err(Reason::limit(most, "messages")),
            () if length > message_bytes => {
                return Err(Reason::limit(message_bytes, "bytes in a message"));
            }
            () if total > total_bytes => return Err(Reason::limit(total_bytes, "bytes in all")),
            () => {}
        }
        // Grows with what is there, not with what the length claims.
        let mut message = Vec::new();
        let mut window = (&mut input).take(length.into());
        let read = window.read_to_end(&mut message).map_err(Reason::NotRead)?;
        if read as u64 != u64::from(length) {
            return Err(Reason::truncated());
        }
        messages.push(message);
    }
    Ok(())
}

/// None at the end of the file.
fn read_length(input: &mut impl Read) -> Result<Option<u32>, Reason> {
    let mut bytes = Vec::with_capacity(4);
    match input.take(4).read_to_end(&mut bytes).map_err(Reason::NotRead)? {
        0 => Ok(None),
        4 => Ok(Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))),
        _ => Err(Reason::truncated()),
    }
}

/// Writes the times of messages, `N` of each, to `file`.
///
/// # Errors
/// Names the file and the operating system's reason.
pub fn write_times<const N: usize>(file: &Path, times: &[[u64; N]]) -> Result<(), FileError> {
    let bytes: Vec<u8> = times.as_flattened().iter().flat_map(|time| time.to_le_bytes()).collect();
    fs::write(file, bytes).map_err(|cause| Reason::NotWritten(cause).of(file, None))
}

/// Reads the times of `count` messages, `N` of each.
///
/// # Errors
/// Names the file, and why: it cannot be read, has more or fewer times, or there are more than
/// [`MOST_TIMES`] messages.
pub fn read_times<const N: usize>(file: &Path, count: u64) -> Result<Vec<[u64; N]>, FileError> {
    let read = || -> Result<Vec<[u64; N]>, Reason> {
        if count > MOST_TIMES {
            let what = format!("times of {count} messages are more than {MOST_TIMES}");
            return Err(Reason::Wrong(what));
        }
        let expected = count * N as u64 * 8;
        let length = fs::metadata(file).map_err(Reason::NotRead)?.len();
        if length != expected {
            return Err(Reason::Wrong(format!("has {length} bytes of times, not {expected}")));
        }
        let bytes = fs::read(file).map_err(Reason::NotRead)?;
        let times = bytes.as_chunks().0.iter().map(|time| u64::from_le_bytes(*time));
        Ok(times.collect::<Vec<u64>>().as_chunks().0.to_vec())
    };
    read().map_err(|reason| reason.of(file, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_bench::folder::PrivateFolder;

    #[test]
    fn a_corpus_comes_back_as_it_was() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let file = folder.path().join("corpus");
        let messages = [b"8=FIX".to_vec(), Vec::new(), vec![0xff; 70_000]];
        write_corpus(&file, &messages).expect("a writable folder");
        let bytes = fs::read(&file).expect("just written");
        assert_eq!(bytes[..13], *b"\x05\0\0\08=FIX\0\0\0\0");
        assert_eq!(read_corpus(&file, &CorpusLimits::default()).expect("just written"), messages);
    }

    #[test]
    fn a_damaged_or_oversized_corpus_is_rejected_by_message() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let file = folder.path().join("corpus");
        let limits = CorpusLimits { message_bytes: 8, total_bytes: 10, messages: 3 };
        for (bytes, expected) in [
            (&b"\x01\0\0\0a\x02\0\0\0b"[..], "message 1: the file ends within it"),
            (b"\x01\0\0\0a\x02\0", "message 1: the file ends within it"),
            (b"\xff\xff\xff\xff", "message 0: more than 8 bytes in a message"),
            (b"\x06\0\0\0abcdef\x05\0\0\0abcde", "message 1: more than 10 bytes in all"),
            (&[0; 16], "message 3: more than 3 messages"),
        ] {
            fs::write(&file, bytes).expect("a file for the test");
            let error = read_corpus(&file, &limits).expect_err("faulty").to_string();
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn times_come_back_and_others_are_rejected() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let file = folder.path().join("times");
        let times = [[1, u64::MAX], [0, 1_000_000]];
        write_times(&file, &times).expect("a writable folder");
        assert_eq!(read_times::<2>(&file, 2).expect("just written"), times);
        for (count, expected) in [
            (1, "times: has 32 bytes of times, not 16"),
            (3, "times: has 32 bytes of times, not 48"),
            (MOST_TIMES + 1, "times: times of 16777217 messages are more than 16777216"),
        ] {
            let error = read_times::<2>(&file, count).expect_err("another count").to_string();
            assert!(error.ends_with(expected), "{error}");
        }
        let error = read_times::<2>(folder.path(), 0).expect_err("a folder").to_string();
        assert!(error.contains("bytes of times"), "{error}");
    }
}
