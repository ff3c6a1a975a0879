//! Files and standard input, compressed or not, of which the beginning says what they are.

use std::fs::File;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use trunkline_message::Limits;
use trunkline_transcode::Kind;

use crate::fault::Fault;
use crate::output::remark;

/// Bytes of a document, or of one direction of a connection, that are read at most.
pub(crate) const FILE_BYTES: u64 = 64 << 20;

/// Bytes by which what a file is is known, unless it is a capture.
const START: usize = 64;

/// So many tell it, if there are no more so far.
const LEAST_START: usize = 16;

pub(crate) type Input = Box<dyn Read + Send>;

/// What reads untrusted documents that are looked at by hand.
pub(crate) fn limits() -> Limits {
    Limits { message_bytes: FILE_BYTES as usize, ..Limits::default() }
}

/// The first bytes of a file, or of standard input for `-`, and what is behind them; uncompressed if it is not.
pub(crate) fn open(file: &str) -> Result<(Vec<u8>, Input), Fault> {
    let mut input: Input = match file {
        "-" => Box::new(io::stdin()),
        _ => Box::new(File::open(file).map_err(unreadable(file))?),
    };
    let start = first(&mut input, file)?;
    if Kind::of(&start) != Some(Kind::Gzip) {
        return Ok((start, input));
    }
    let whole = io::Cursor::new(start).chain(input);
    let mut input: Input = Box::new(MultiGzDecoder::new(whole));
    let start = first(&mut input, file)?;
    remark(&format!("{file}: compressed by gzip"));
    Ok((start, input))
}

/// The first bytes, as many as tell what it is; what comes later is not waited for.
fn first(input: &mut dyn Read, file: &str) -> Result<Vec<u8>, Fault> {
    let mut start = vec![0; START];
    let mut length = 0;
    while length < START {
        match input.read(&mut start[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(unreadable(file)(cause)),
        }
        if length >= LEAST_START && start[..length].contains(&b'\n') {
            break;
        }
    }
    start.truncate(length);
    Ok(start)
}

/// The next bytes, as many as there are.
pub(crate) fn more(input: &mut dyn Read, most: usize, file: &str) -> Result<Vec<u8>, Fault> {
    let mut start = Vec::new();
    input.take(most as u64).read_to_end(&mut start).map_err(unreadable(file))?;
    Ok(start)
}

/// All of an input.
pub(crate) fn whole(start: Vec<u8>, input: impl Read, file: &str) -> Result<Vec<u8>, Fault> {
    let mut bytes = start;
    input.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable(file))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Fault::new(format!("{file}: more than {FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

pub(crate) fn unreadable(file: &str) -> impl Fn(io::Error) -> Fault {
    move |cause| Fault::new(format!("{file}: cannot be read: {cause}"))
}

/// Is it a document of XML whose characters take two bytes each? Such a file is one document.
pub(crate) fn is_wide(start: &[u8]) -> bool {
    start.contains(&0) && Kind::of(start) == Some(Kind::Xml)
}

/// No text begins so. That of a log may be of any charset, and of FIX has a delimiter inside.
pub(crate) fn is_binary(start: &[u8]) -> bool {
    let is_of_text = |it: &u8| *it >= b' ' || matches!(it, b'\t' | b'\n' | b'\r' | 0x1b | 1);
    !start.iter().all(is_of_text)
}
