//! Frames as bytes.

use super::error::{Error, ErrorCode};
use super::number::{Lack, NibbleWriter, Nibbles, write_int8};
use super::receiver::Limits;

/// Longest frame that is sent, header and payload together: a longer message goes in chunks. So does Metro.
pub const FRAME_BYTES: usize = 1 << 16;

/// Type of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole message.
    Message,
    /// The first chunk of a message,
    StartChunk,
    /// another,
    Chunk,
    /// and the last.
    EndChunk,
    /// An [`Error`].
    Error,
    /// The answer to a one-way call.
    Nothing,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Message, Self::StartChunk, Self::Chunk, Self::EndChunk, Self::Error, Self::Nothing];

    /// Does its header have content id and parameters?
    fn has_content(self) -> bool {
        matches!(self, Self::Message | Self::StartChunk)
    }
}

/// A parameter: its position in the channel's list, and its value.
pub type Param<'a> = (u32, &'a str);

/// All of a frame but its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// Which channel.
    pub channel: u32,
    /// What kind of frame.
    pub kind: Kind,
    /// Position in the channel's list of media types; 0 where the kind has none.
    pub content: u32,
    /// The parameters; none where the kind has none.
    pub params: Vec<Param<'a>>,
    /// Bytes of the payload, which follows.
    pub payload: usize,
    /// Bytes of the header.
    pub length: usize,
}

impl<'a> Header<'a> {
    /// Reads the header at the beginning of the bytes; None as long as its end has not come.
    ///
    /// # Errors
    /// A critical one: it is no header, or beyond a limit.
    pub fn read(bytes: &'a [u8], limits: &Limits) -> Result<Option<Self>, Error> {
        match Self::try_read(bytes, limits) {
            Ok(Ok(header)) => Ok(Some(header)),
            Ok(Err(error)) => Err(error),
            Err(Lack::Bytes) => Ok(None),
            Err(Lack::TooLarge) => {
                Err(Error::new(ErrorCode::MalformedFrame, "a number has more than 32 bits"))
            }
        }
    }

    fn try_read(bytes: &'a [u8], limits: &Limits) -> Result<Result<Self, Error>, Lack> {
        let malformed = |text: String| Ok(Err(Error::new(ErrorCode::MalformedFrame, text)));
        let mut nibbles = Nibbles::new(bytes);
        let channel = nibbles.int4()?;
        let number = nibbles.int4()?;
        let Some(&kind) = Kind::ALL.get(number as usize) else {
            let text = format!("no frame is of type {number}");
            return Ok(Err(Error::new(ErrorCode::UnknownFrame, text)));
        };
        let mut content = 0;
        let mut params = Vec::new();
        if kind.has_content() {
            content = nibbles.int4()?;
            let count = nibbles.int4()? as usize;
            if count > limits.params {
                let most = limits.params;
                return malformed(format!(
                    "params: a frame has {count} parameters, {most} are read"
                ));
            }
            for _ in 0..count {
                let id = nibbles.int4()?;
                let length = nibbles.int4()? as usize;
                if length > limits.param_bytes {
                    let most = limits.param_bytes;
                    return malformed(format!(
                        "param_bytes: parameter {id} has {length} bytes, {most} are read"
                    ));
                }
                match std::str::from_utf8(nibbles.take(length)?) {
                    Ok(value) => params.push((id, value)),
                    Err(_) => return malformed(format!("parameter {id} is not UTF-8")),
                }
            }
        }
        let payload = nibbles.int8()? as usize;
        let length = nibbles.align();
        Ok(Ok(Self { channel, kind, content, params, payload, length }))
    }

    /// Appends the header.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Self { channel, kind, content, payload, .. } = *self;
        write_header((channel, kind, content), &self.params, payload, out);
    }
}

fn write_header(
    (channel, kind, content): (u32, Kind, u32),
    params: &[Param<'_>],
    payload: usize,
    out: &mut Vec<u8>,
) {
    let mut nibbles = NibbleWriter::new(out);
    nibbles.int4(channel);
    nibbles.int4(kind as u32);
    if kind.has_content() {
        nibbles.int4(content);
        nibbles.int4(params.len() as u32);
        for (id, value) in params {
            nibbles.int4(*id);
            nibbles.int4(value.len() as u32);
            nibbles.bytes(value.as_bytes());
        }
    }
    write_int8(payload as u32, out);
}

/// Appends a message, in chunks if it is longer than a frame.
pub fn write_message(
    channel: u32,
    content: u32,
    params: &[Param<'_>],
    body: &[u8],
    out: &mut Vec<u8>,
) {
    let header = |kind, params: &[Param<'_>], payload, out: &mut Vec<u8>| {
        write_header((channel, kind, content), params, payload, out);
    };
    let start = out.len();
    header(Kind::Message, params, body.len(), out);
    if out.len() - start + body.len() <= FRAME_BYTES {
        out.extend_from_slice(body);
        return;
    }
    out.truncate(start);
    let mut rest = body;
    let mut kind = Kind::StartChunk;
    loop {
        // A header with the longest length that is met here tells how much stays for the payload.
        let start = out.len();
        let params = if kind == Kind::StartChunk { params } else { &[] };
        header(kind, params, FRAME_BYTES, out);
        let room = FRAME_BYTES - (out.len() - start);
        out.truncate(start);
        if kind != Kind::StartChunk && rest.len() <= room {
            header(Kind::EndChunk, &[], rest.len(), out);
            out.extend_from_slice(rest);
            return;
        }
        let (chunk, behind) = rest.split_at(room.min(rest.len()));
        header(kind, params, chunk.len(), out);
        out.extend_from_slice(chunk);
        (rest, kind) = (behind, Kind::Chunk);
    }
}

/// Appends an error. Its text is cut to what a parameter may have, and other characters than ASCII are
/// replaced, since not all count its bytes alike.
pub fn write_error(channel: u32, error: &Error, out: &mut Vec<u8>) {
    const LONGEST: usize = 1024;
    let ascii = |c: char| if c.is_ascii() && !c.is_ascii_control() { c as u8 } else { b'?' };
    let text: Vec<u8> = error.text.chars().take(LONGEST).map(ascii).collect();
    let mut payload = Vec::with_capacity(text.len() + 4);
    let (code, subcode) = error.code.numbers();
    let mut nibbles = NibbleWriter::new(&mut payload);
    nibbles.int4(code);
    nibbles.int4(subcode);
    nibbles.int4(text.len() as u32);
    nibbles.bytes(&text);
    let (kind, params, payload_bytes) = (Kind::Error, Vec::new(), payload.len());
    Header { channel, kind, content: 0, params, payload: payload_bytes, length: 0 }.write(out);
    out.extend_from_slice(&payload);
}

/// Appends the answer to a one-way call.
pub fn write_nothing(channel: u32, out: &mut Vec<u8>) {
    let (kind, params) = (Kind::Nothing, Vec::new());
    Header { channel, kind, content: 0, params, payload: 0, length: 0 }.write(out);
}

/// The error in a payload.
pub(super) fn read_error(payload: &[u8]) -> Result<Error, Error> {
    let mut nibbles = Nibbles::new(payload);
    let mut next = || nibbles.int4();
    let numbers = (|| Ok((next()?, next()?, next()?)))();
    let (code, subcode, _) = numbers.map_err(|_: Lack| {
        Error::new(ErrorCode::MalformedFrame, "an error frame ends before its text")
    })?;
    // The length counts characters with some, bytes with others; the text is all that is left.
    let text = String::from_utf8_lossy(&payload[nibbles.align().min(payload.len())..]);
    Ok(Error::new(ErrorCode::from_numbers(code, subcode), text))
}
