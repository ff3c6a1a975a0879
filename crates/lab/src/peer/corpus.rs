//! Corpora: files of messages, each as its length (4 bytes, little-endian) and its bytes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::{error, fmt};

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

/// Why a corpus could not be written or read; names the file and the message.
#[derive(Debug)]
pub struct CorpusError {
    file: PathBuf,
    message: usize,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    NotWritten(io::Error),
    NotRead(io::Error),
    Truncated,
    Limit { what: &'static str, limit: u64 },
}

impl fmt::Display for CorpusError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} message {}: ", self.file.display(), self.message)?;
        match &self.reason {
            Reason::NotWritten(cause) => write!(out, "cannot be written: {cause}"),
            Reason::NotRead(cause) => write!(out, "cannot be read: {cause}"),
            Reason::Truncated => write!(out, "the file ends within it"),
            Reason::Limit { what, limit } => write!(out, "more than {limit} {what}"),
        }
    }
}

impl error::Error for CorpusError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::NotWritten(cause) | Reason::NotRead(cause) => Some(cause),
            _ => None,
        }
    }
}

/// Writes messages to `file`.
///
/// # Errors
/// Names the file and the message, and the operating system's reason or the limit of 4 GiB.
pub fn write_corpus<M: AsRef<[u8]>>(file: &Path, messages: &[M]) -> Result<(), CorpusError> {
    let failed = |message, reason| CorpusError { file: file.to_owned(), message, reason };
    let mut out = BufWriter::new(File::create(file).map_err(|e| failed(0, Reason::NotWritten(e)))?);
    for (index, message) in messages.iter().enumerate() {
        let bytes = message.as_ref();
        let length = u32::try_from(bytes.len()).map_err(|_| {
            failed(index, Reason::Limit { what: "bytes in a message", limit: u32::MAX.into() })
        })?;
        out.write_all(&length.to_le_bytes())
            .and_then(|()| out.write_all(bytes))
            .map_err(|cause| failed(index, Reason::NotWritten(cause)))?;
    }
    out.flush().map_err(|cause| failed(messages.len(), Reason::NotWritten(cause)))
}

/// Reads the messages of `file`.
///
/// # Errors
/// Names the file and the message, counted from 0, and why: unreadable, cut off, or over a limit.
pub fn read_corpus(file: &Path, limits: &CorpusLimits) -> Result<Vec<Vec<u8>>, CorpusError> {
    let mut messages = Vec::new();
    read_messages(file, limits, &mut messages)
        .map(|()| std::mem::take(&mut messages))
        .map_err(|reason| CorpusError { file: file.to_owned(), message: messages.len(), reason })
}

fn read_messages(
    file: &Path,
    limits: &CorpusLimits,
    messages: &mut Vec<Vec<u8>>,
) -> Result<(), Reason> {
    let mut input = BufReader::new(File::open(file).map_err(Reason::NotRead)?);
    let mut total = 0;
    while let Some(length) = read_length(&mut input)? {
        if messages.len() == limits.messages {
            return Err(Reason::Limit { what: "messages", limit: limits.messages as u64 });
        }
        if length > limits.message_bytes {
            let limit = limits.message_bytes.into();
            return Err(Reason::Limit { what: "bytes in a message", limit });
        }
        total += u64::from(length);
        if total > limits.total_bytes {
            return Err(Reason::Limit { what: "bytes in all", limit: limits.total_bytes });
        }
        // Grows with what is there, not with what the length claims.
        let mut message = Vec::new();
        let mut window = (&mut input).take(length.into());
        let read = window.read_to_end(&mut message).map_err(Reason::NotRead)?;
        if read as u64 != u64::from(length) {
            return Err(Reason::Truncated);
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
        _ => Err(Reason::Truncated),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
}
