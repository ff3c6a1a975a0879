//! Files and standard input, compressed or not, of which the beginning says what they are.

mod utf16;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use trunkline_message::Limits;
use trunkline_transcode::Kind;

use crate::client::counted;
use crate::fault::Fault;
use crate::output::remark;
use utf16::{Order, Utf16};

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
    let whole: Input = Box::new(io::Cursor::new(start).chain(input));
    let mut input: Input = Box::new(Members::new(BufReader::new(whole), file));
    let start = first(&mut input, file)?;
    remark(&format!("{file}: compressed by gzip"));
    Ok((start, input))
}

/// What is a text, as UTF-8 if it begins as one in UTF-16. A document of XML stays as it is: it is read in its own charset.
pub(crate) fn text(start: Vec<u8>, input: Input, file: &str) -> Result<(Vec<u8>, Input), Fault> {
    let Some(order) = Order::of(&start).filter(|_| Kind::of(&start) != Some(Kind::Xml)) else {
        return Ok((start, input));
    };
    let mut whole: Input = Box::new(io::Cursor::new(start).chain(input));
    more(&mut whole, order.mark, file)?;
    let mut input: Input = Box::new(Utf16::behind_mark(whole, order));
    let start = first(&mut input, file)?;
    remark(&format!("{file}: in {}, read as UTF-8, whose bytes are counted", order.name()));
    Ok((start, input))
}

/// What is compressed by gzip, in one member or several (RFC 1952 section 2.2). Behind each, tapes and block devices have zeros: what
/// stands there and is no member is passed over, and told.
struct Members {
    file: String,
    /// None behind the last.
    member: Option<GzDecoder<BufReader<Input>>>,
}

impl Members {
    fn new(input: BufReader<Input>, file: &str) -> Self {
        Self { file: file.to_owned(), member: Some(GzDecoder::new(input)) }
    }

    /// Behind a member: the next one, or the end.
    fn next(&mut self) -> io::Result<()> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let mut rest = member.into_inner();
        let mut count = zeros(&mut rest)?;
        match rest.fill_buf()?.first() {
            Some(0x1f) => self.member = Some(GzDecoder::new(rest)),
            _ => count += io::copy(&mut rest, &mut io::sink())?,
        }
        if count > 0 {
            let bytes = counted(count, "byte");
            remark(&format!("{}: {bytes} behind what gzip has compressed, passed over", self.file));
        }
        Ok(())
    }
}

/// Reads all zeros, and says how many there were.
fn zeros(input: &mut impl BufRead) -> io::Result<u64> {
    let mut count = 0;
    loop {
        let bytes = input.fill_buf()?;
        let zeros = bytes.iter().take_while(|it| **it == 0).count();
        if zeros == 0 {
            return Ok(count);
        }
        input.consume(zeros);
        count += zeros as u64;
    }
}

impl Read for Members {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            match member.read(room)? {
                0 if !room.is_empty() => self.next()?,
                count => return Ok(count),
            }
        }
        Ok(0)
    }
}

/// What tells what an input is that begins with zeros, as a log does which was truncated while its writer went on; and all of it.
pub(crate) fn behind_zeros(input: Input, file: &str) -> Result<(Vec<u8>, Input), Fault> {
    let mut input = BufReader::new(input);
    let count = zeros(&mut input).map_err(unreadable(file))?;
    let behind = first(&mut input, file)?;
    let all = io::repeat(0).take(count).chain(io::Cursor::new(behind.clone())).chain(input);
    // Nothing but zeros is no text.
    let told = if behind.is_empty() { vec![0] } else { behind };
    Ok((told, Box::new(all)))
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
