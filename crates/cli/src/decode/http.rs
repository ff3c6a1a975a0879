//! The bodies of HTTP/1 in one direction of a connection.

use std::collections::VecDeque;

use trunkline_http::Compression;
use trunkline_message::{Error, ErrorKind};
use trunkline_transcode::{Bad, Found, Place};

use crate::input::FILE_BYTES;

/// Bytes of a head at most.
const HEAD: usize = 256 << 10;

/// Requests that are not answered yet, at most.
const MOST_ASKED: usize = 4096;

/// Takes bytes in, and gives the bodies of requests or answers.
#[derive(Default)]
pub(super) struct Bodies {
    came: Vec<u8>,
    /// Bytes that were there before these.
    before: u64,
    state: State,
    is_end: bool,
    /// Of requests that are not answered yet, the oldest first: does the answer have a head alone?
    pub(super) asked: VecDeque<bool>,
    /// Bodies of pages, pictures and the like, which are no messages.
    pub(super) passed_over: u64,
}

#[derive(Default)]
enum State {
    /// Before a head.
    #[default]
    Head,
    Body(Message),
    /// Nobody knows where the next head begins.
    Lost,
}

/// A message whose head has come.
struct Message {
    /// Its first line.
    line: String,
    coding: Option<Compression>,
    extent: Extent,
    is_page: bool,
    place: Place,
    /// What has come of it, without chunks.
    body: Vec<u8>,
}

/// Where a body ends.
enum Extent {
    /// After so many bytes.
    Length(u64),
    Chunks,
    /// With the connection.
    End,
}

impl Bodies {
    pub(super) fn receive(&mut self, bytes: &[u8]) {
        if !matches!(self.state, State::Lost) {
            self.came.extend_from_slice(bytes);
        }
    }

    pub(super) fn end(&mut self) {
        self.is_end = true;
    }

    pub(super) fn left(&self) -> usize {
        let of_body = match &self.state {
            State::Body(message) => message.body.len().max(1),
            State::Head | State::Lost => 0,
        };
        self.came.len() + of_body
    }

    /// The next body that is not empty, whole and decompressed.
    pub(super) fn next(&mut self) -> Option<Result<Found, Bad>> {
        loop {
            match std::mem::take(&mut self.state) {
                State::Lost => {
                    self.state = State::Lost;
                    return None;
                }
                State::Head => match self.head() {
                    Ok(None) => return None,
                    Ok(Some(message)) => self.state = State::Body(message),
                    Err(error) => return Some(Err(self.lose(error))),
                },
                State::Body(mut message) => match self.body(&mut message) {
                    Ok(false) => {
                        self.state = State::Body(message);
                        return None;
                    }
                    Ok(true) if message.body.is_empty() => {}
                    Ok(true) if message.is_page => self.passed_over += 1,
                    Ok(true) => return Some(message.found()),
                    Err(error) => return Some(Err(self.lose(error))),
                },
            }
        }
    }

    fn lose(&mut self, what: &'static str) -> Bad {
        let place = Place { line: 1, offset: self.before };
        (self.state, self.came) = (State::Lost, Vec::new());
        Bad { place, kind: None, error: Error::new(ErrorKind::Expected(what.into()), 0) }
    }

    /// The head of a message, taken out of what came.
    fn head(&mut self) -> Result<Option<Message>, &'static str> {
        let Some(end) = find(&self.came, b"\r\n\r\n") else {
            return if self.came.len() > HEAD {
                Err("the end of a head of HTTP")
            } else {
                Ok(None)
            };
        };
        let head = String::from_utf8_lossy(&self.came[..end]).into_owned();
        self.drop_front(end + 4);
        let mut lines = head.split("\r\n");
        let line = lines.next().unwrap_or_default().to_owned();
        let status = line.strip_prefix("HTTP/").and_then(|it| it.split(' ').nth(1));
        if status.is_none() && !line.contains(" HTTP/") {
            return Err("a head of HTTP");
        }
        let is_interim = status.is_some_and(|it| ["100", "102", "103"].contains(&it));
        let mut has_no_body = is_interim || matches!(status, Some("204" | "304"));
        match status {
            None if self.asked.len() < MOST_ASKED => {
                self.asked.push_back(line.starts_with("HEAD "))
            }
            None => {}
            Some(_) if is_interim => {}
            Some(_) => has_no_body |= self.asked.pop_front() == Some(true),
        }
        let mut extent =
            if status.is_some() && !has_no_body { Extent::End } else { Extent::Length(0) };
        let (mut coding, mut is_page) = (None, false);
        for (name, value) in lines.filter_map(|it| it.split_once(':')) {
            let value = value.trim();
            match () {
                () if has_no_body => {}
                () if name.eq_ignore_ascii_case("content-length") => {
                    if !matches!(extent, Extent::Chunks) {
                        extent = Extent::Length(value.parse().map_err(|_| "a Content-Length")?);
                    }
                }
                () if name.eq_ignore_ascii_case("transfer-encoding") => extent = Extent::Chunks,
                () if name.eq_ignore_ascii_case("content-type") => is_page = is_of_page(value),
                () if name.eq_ignore_ascii_case("content-encoding") => {
                    coding = Compression::of_name(value);
                }
                () => {}
            }
        }
        let place = Place { line: 1, offset: self.before };
        Ok(Some(Message { line, coding, extent, is_page, place, body: Vec::new() }))
    }

    /// Takes of a body what came; true if that is all.
    fn body(&mut self, message: &mut Message) -> Result<bool, &'static str> {
        loop {
            let count = match message.extent {
                Extent::Length(length) => {
                    usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(message.body.len())
                }
                Extent::End => self.came.len(),
                Extent::Chunks => {
                    let Some(end) = find(&self.came, b"\r\n") else { return Ok(false) };
                    let size = std::str::from_utf8(&self.came[..end]).ok();
                    let size = size.and_then(|it| it.split(';').next());
                    let size = size.and_then(|it| usize::from_str_radix(it.trim(), 16).ok());
                    let size = size.ok_or("the size of a chunk of HTTP")?;
                    if size == 0 {
                        // Trailers, up to an empty line.
                        let rest = find(&self.came, b"\r\n\r\n");
                        let Some(rest) = rest else { return Ok(false) };
                        self.drop_front(rest + 4);
                        return Ok(true);
                    }
                    let whole = size.saturating_add(end + 4);
                    if whole > FILE_BYTES as usize {
                        return Err("a shorter chunk of HTTP");
                    }
                    if self.came.len() < whole {
                        return Ok(false);
                    }
                    message.body.extend_from_slice(&self.came[end + 2..end + 2 + size]);
                    self.drop_front(whole);
                    if message.body.len() as u64 > FILE_BYTES {
                        return Err("a shorter body of HTTP");
                    }
                    continue;
                }
            };
            let count = count.min(self.came.len());
            message.body.extend_from_slice(&self.came[..count]);
            self.drop_front(count);
            if message.body.len() as u64 > FILE_BYTES {
                return Err("a shorter body of HTTP");
            }
            return Ok(match message.extent {
                Extent::Length(length) => message.body.len() as u64 >= length,
                _ => self.is_end,
            });
        }
    }

    fn drop_front(&mut self, count: usize) {
        self.came.drain(..count);
        self.before += count as u64;
    }
}

impl Message {
    /// What it is, decompressed.
    fn found(self) -> Result<Found, Bad> {
        let Self { line, coding, place, body, .. } = self;
        let bytes = match decompressed(coding, body) {
            Some(bytes) => bytes,
            None => {
                let what = "a body that is compressed as its head says, and no longer than is read";
                let error = Error::new(ErrorKind::Expected(what.into()), 0);
                return Err(Bad { place, kind: None, error });
            }
        };
        // Its lines are counted from its own first.
        Ok(Found { before: line, ..Found::alone(place, bytes) })
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|it| it == what)
}

/// Is it the media type of a page of the Web, or of a part of one?
fn is_of_page(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    let is_text = ["html", "css", "javascript"].iter().any(|it| media_type.contains(it));
    is_text || ["image/", "font/", "audio/", "video/"].iter().any(|it| media_type.starts_with(it))
}

fn decompressed(coding: Option<Compression>, body: Vec<u8>) -> Option<Vec<u8>> {
    match coding {
        None => Some(body),
        Some(coding) => coding.decompress(&body, FILE_BYTES as usize, usize::MAX).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bodies of these bytes, which come in pieces, behind the first line of their heads.
    fn bodies(bytes: &[u8], piece: usize) -> Vec<(String, Vec<u8>)> {
        let mut bodies = Bodies::default();
        let mut all = Vec::new();
        for (index, piece) in bytes.chunks(piece).enumerate() {
            bodies.receive(piece);
            if (index + 1) * piece.len() >= bytes.len() {
                bodies.end();
            }
            while let Some(found) = bodies.next() {
                let found = found.expect("it is HTTP");
                all.push((found.before, found.bytes));
            }
        }
        bodies.end();
        all.extend(bodies.next().map(|it| it.map(|it| (it.before, it.bytes)).expect("it is HTTP")));
        all
    }

    #[test]
    fn bodies_end_by_length_by_chunks_and_with_the_connection() {
        let answers = b"HTTP/1.1 100 Continue\r\n\r\n\
            HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<a/>\
            HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>\
            HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x\r\n<b\r\n2\r\n/>\r\n0\r\n\r\n\
            HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n\
            HTTP/1.0 500 Fault\r\n\r\n<c/>";
        for piece in [1, 7, answers.len()] {
            let expected = [
                ("HTTP/1.1 200 OK", &b"<a/>"[..]),
                ("HTTP/1.1 200 OK", b"<b/>"),
                ("HTTP/1.0 500 Fault", b"<c/>"),
            ];
            let expected = expected.map(|(line, bytes)| (line.to_owned(), bytes.to_vec()));
            assert_eq!(bodies(answers, piece), expected, "{piece}");
        }
    }

    #[test]
    fn the_answer_to_head_has_a_head_alone() {
        let mut client = Bodies::default();
        client.receive(b"HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        assert_eq!(client.next(), None);
        let mut server = Bodies { asked: client.asked, ..Bodies::default() };
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
        server.receive(&[&head[..], head, b"<a/>"].concat());
        let found = server.next().expect("a body").expect("of HTTP");
        assert_eq!((&*found.bytes, server.left()), (&b"<a/>"[..], 0));
    }

    #[test]
    fn what_is_no_http_is_told_once() {
        for wrong in [
            &b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"[..],
            b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"GET it\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxy",
        ] {
            let mut bodies = Bodies::default();
            bodies.receive(wrong);
            assert!(bodies.next().expect("something").is_err(), "{}", wrong.escape_ascii());
            assert_eq!(bodies.next(), None);
        }
    }
}
