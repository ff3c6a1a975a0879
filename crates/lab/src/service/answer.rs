//! Where an answer ends. Nothing here reads or waits; nothing is allocated for an answer once the list
//! of pieces is as long as it gets.

use std::ops::Range;

use trunkline_message::Limits;
use trunkline_net::{Frame, Framer as _, LengthPrefixed, Xml};

use super::request::Protocol;

/// Bytes of an answer's head at most (HTTP).
const HEAD_BYTES: usize = 64 << 10;

/// Bytes of an answer's body at most.
const BODY_BYTES: usize = 256 << 20;

/// Looks for the end of an answer at the beginning of what has come.
#[derive(Debug)]
pub(super) struct Reader {
    kind: Kind,
    /// Where the body stands in the answer that was found.
    pieces: Vec<Range<usize>>,
}

#[derive(Debug)]
enum Kind {
    Http(State),
    Xml(Box<Xml>, Limits),
    LengthPrefixed(LengthPrefixed, Limits),
}

/// How far an answer in HTTP has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No end of the head among so many bytes.
    Head(usize),
    /// All of this head.
    Body(Head, Framing),
}

/// What the head of an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    closes: bool,
}

/// How long a body is, from the beginning of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// It ends here.
    Until { start: usize, end: usize },
    /// Here is the next line of chunks.
    Chunks { at: usize },
    /// Here is the next line of what follows the last chunk.
    Trailer { at: usize },
    /// As long as the connection.
    Rest { start: usize },
}

/// A whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole {
    /// How many bytes it takes.
    pub(super) length: usize,
    /// Its status; 200 where the protocol has none.
    pub(super) status: u16,
    /// True if the server closes the connection after it.
    pub(super) closes: bool,
}

/// What was found at the beginning of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// An answer.
    Whole(Whole),
    /// So many bytes belong to no answer.
    Skip(usize),
    /// More must come.
    Incomplete,
}

impl Reader {
    pub(super) fn new(protocol: Protocol) -> Self {
        let limits = Limits { message_bytes: BODY_BYTES, ..Limits::default() };
        let kind = match protocol {
            Protocol::Http => Kind::Http(State::Head(0)),
            Protocol::Xml => Kind::Xml(Box::default(), limits),
            Protocol::LengthPrefixed => Kind::LengthPrefixed(LengthPrefixed, limits),
        };
        Self { kind, pieces: Vec::new() }
    }

    /// Looks at the beginning of `bytes`, after which more may come unless `is_end`. After
    /// [`Look::Incomplete`] they begin with the same bytes.
    ///
    /// # Errors
    /// What begins here is no answer; one line says why.
    pub(super) fn look(&mut self, bytes: &[u8], is_end: bool) -> Result<Look, String> {
        let found = match &mut self.kind {
            Kind::Xml(framer, limits) => framer.frame(bytes, limits),
            Kind::LengthPrefixed(framer, limits) => framer.frame(bytes, limits),
            Kind::Http(_) => return self.look_for_http(bytes, is_end),
        };
        match found.map_err(|error| error.to_string())? {
            Frame::Message(range) => {
                self.pieces.clear();
                let length = range.end;
                self.pieces.push(range);
                Ok(Look::Whole(Whole { length, status: 200, closes: false }))
            }
            Frame::Skip(length) => Ok(Look::Skip(length)),
            Frame::Incomplete(_) => Ok(Look::Incomplete),
        }
    }

    /// The body of the answer that was found last, in pieces that belong together.
    pub(super) fn body<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.pieces.iter().map(|piece| &bytes[piece.clone()])
    }

    fn look_for_http(&mut self, bytes: &[u8], is_end: bool) -> Result<Look, String> {
        let Kind::Http(state) = &mut self.kind else { return Ok(Look::Incomplete) };
        loop {
            match *state {
                State::Head(searched) => {
                    let from = searched.saturating_sub(3);
                    let Some(end) = find(&bytes[from..], b"\r\n\r\n").map(|at| from + at + 4)
                    else {
                        *state = State::Head(bytes.len());
                        return match bytes.len() {
                            0..=HEAD_BYTES => Ok(Look::Incomplete),
                            _ => Err(format!("more than {HEAD_BYTES} bytes of head")),
                        };
                    };
                    let (head, framing) = parse(&bytes[..end])?;
                    // An interim answer, such as 100 Continue: the real one follows.
                    if (100..200).contains(&head.status) {
                        *state = State::Head(0);
                        return Ok(Look::Skip(end));
                    }
                    self.pieces.clear();
                    *state = State::Body(head, framing);
                }
                State::Body(head, ref mut framing) => {
                    let Some(length) = framing.advance(bytes, is_end, &mut self.pieces)? else {
                        return Ok(Look::Incomplete);
                    };
                    let Head { status, closes } = head;
                    let closes = closes || matches!(framing, Framing::Rest { .. });
                    *state = State::Head(0);
                    return Ok(Look::Whole(Whole { length, status, closes }));
                }
            }
        }
    }
}

impl Framing {
    /// The length of the answer, if all of it is there.
    fn advance(
        &mut self,
        bytes: &[u8],
        is_end: bool,
        pieces: &mut Vec<Range<usize>>,
    ) -> Result<Option<usize>, String> {
        loop {
            match *self {
                Self::Until { start, end } => {
                    if bytes.len() < end {
                        return Ok(None);
                    }
                    pieces.push(start..end);
                    return Ok(Some(end));
                }
                Self::Rest { start } => {
                    if !is_end {
                        return Ok(None);
                    }
                    pieces.push(start..bytes.len());
                    return Ok(Some(bytes.len()));
                }
                Self::Chunks { at } => {
                    let Some(end) = end_of_line(bytes, at)? else { return Ok(None) };
                    let size = chunk_size(&bytes[at..end - 2])?;
                    if size == 0 {
                        *self = Self::Trailer { at: end };
                        continue;
                    }
                    let next = end + size + 2;
                    if bytes.len() < next {
                        return Ok(None);
                    }
                    if &bytes[next - 2..next] != b"\r\n" {
                        return Err("a chunk is longer than it says".into());
                    }
                    pieces.push(end..end + size);
                    *self = Self::Chunks { at: next };
                }
                Self::Trailer { at } => {
                    let Some(end) = end_of_line(bytes, at)? else { return Ok(None) };
                    if end - at == 2 {
                        return Ok(Some(end));
                    }
                    *self = Self::Trailer { at: end };
                }
            }
        }
    }
}

/// Where the line that begins at `at` ends, its end included.
fn end_of_line(bytes: &[u8], at: usize) -> Result<Option<usize>, String> {
    let line = bytes.get(at..).unwrap_or_default();
    match find(line, b"\r\n") {
        Some(length) => Ok(Some(at + length + 2)),
        None if line.len() > HEAD_BYTES => Err(format!("a line of more than {HEAD_BYTES} bytes")),
        None => Ok(None),
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// RFC 9112, section 7.1: hexadecimal digits, and extensions that mean nothing here.
fn chunk_size(line: &[u8]) -> Result<usize, String> {
    let text = String::from_utf8_lossy(line);
    let digits = text.split(';').next().unwrap_or("").trim();
    let size = usize::from_str_radix(digits, 16).ok().filter(|size| *size <= BODY_BYTES);
    size.ok_or_else(|| format!("a chunk of {digits:?} bytes"))
}

/// What the head says, blank line included.
fn parse(head: &[u8]) -> Result<(Head, Framing), String> {
    let end = head.len();
    let text = std::str::from_utf8(head).map_err(|_| "the head is not UTF-8".to_owned())?;
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or("");
    let status = first.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
    let Some(status) = status else { return Err(format!("no answer in HTTP: {first:?}")) };
    let mut closes = first.starts_with("HTTP/1.0");
    let mut framing = match status {
        204 | 304 => Framing::Until { start: end, end },
        _ => Framing::Rest { start: end },
    };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("connection") {
            closes = !value.eq_ignore_ascii_case("keep-alive")
                && (closes || value.eq_ignore_ascii_case("close"));
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if !value.eq_ignore_ascii_case("chunked") {
                return Err(format!("transfer encoding {value:?}"));
            }
            framing = Framing::Chunks { at: end };
        } else if name.eq_ignore_ascii_case("content-length")
            && !matches!(framing, Framing::Chunks { .. })
        {
            let length = value.parse().ok().filter(|length: &usize| *length <= BODY_BYTES);
            let Some(length) = length else { return Err(format!("a body of {value} bytes")) };
            framing = Framing::Until { start: end, end: end + length };
        }
    }
    Ok((Head { status, closes }, framing))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found when the bytes come in pieces of every size.
    fn all(protocol: Protocol, stream: &[u8]) -> Vec<(u16, bool, String)> {
        let by_size = |size: usize| {
            let mut reader = Reader::new(protocol);
            let (mut found, mut start) = (Vec::new(), 0);
            let mut came = 0;
            while came < stream.len() {
                came = (came + size).min(stream.len());
                loop {
                    let bytes = &stream[start..came];
                    match reader.look(bytes, came == stream.len()).expect("answers") {
                        Look::Whole(whole) => {
                            let body = reader.body(bytes).collect::<Vec<_>>().concat();
                            let body = String::from_utf8(body).expect("text");
                            found.push((whole.status, whole.closes, body));
                            start += whole.length;
                        }
                        Look::Skip(length) => start += length,
                        Look::Incomplete => break,
                    }
                    if start == came {
                        break;
                    }
                }
            }
            assert_eq!(start, stream.len(), "all was understood");
            found
        };
        let whole = by_size(stream.len());
        for size in 1..20 {
            assert_eq!(by_size(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn answers_end_where_their_heads_say() {
        let stream = b"HTTP/1.1 100 Continue\r\n\r\n\
            HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n<a/>\
            HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n\
            3;x=y\r\n<b \r\n9\r\n/>\r\n0\r\n\r\n\r\n0\r\nDate: today\r\n\r\n\
            HTTP/1.1 204 No Content\r\n\r\n\
            HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n\
            HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nrest";
        let found = all(Protocol::Http, stream);
        let expected = [
            (200, false, "<a/>"),
            (500, false, "<b />\r\n0\r\n\r\n"),
            (204, false, ""),
            (200, false, ""),
            (200, true, "rest"),
        ];
        let expected: Vec<_> =
            expected.map(|(status, closes, body)| (status, closes, body.to_owned())).into();
        assert_eq!(found, expected);
    }

    #[test]
    fn messages_over_tcp_end_as_their_framers_say() {
        let found = all(Protocol::Xml, b"<a><b/></a>\n<a/>");
        assert_eq!(found, [(200, false, "<a><b/></a>".into()), (200, false, "<a/>".into())]);
        let found = all(Protocol::LengthPrefixed, b"\x02\0\0\0ab\x01\0\0\0c");
        assert_eq!(found, [(200, false, "ab".into()), (200, false, "c".into())]);
    }

    #[test]
    fn what_is_no_answer_is_told() {
        for (stream, fault) in [
            (&b"SSH-2.0-x\r\n\r\n"[..], "no answer in HTTP: \"SSH-2.0-x\""),
            (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "a body of -1 bytes"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "transfer encoding \"gzip\""),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "a chunk of \"x\""),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
                "a chunk is longer than it says",
            ),
        ] {
            let error = Reader::new(Protocol::Http).look(stream, false).expect_err("no answer");
            assert!(error.starts_with(fault), "{error}");
        }
        let endless = vec![b'x'; HEAD_BYTES + 1];
        assert!(Reader::new(Protocol::Http).look(&endless, false).is_err());
    }
}
