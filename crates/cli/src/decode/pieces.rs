//! Messages of FIX and GIOP in one direction of a connection, of which not all was captured: behind a gap they go on where the next
//! one begins.

use std::collections::VecDeque;

use trunkline_message::{Error, ErrorKind};
use trunkline_transcode::kind::Giop;
use trunkline_transcode::{Bad, Content, Found, Kind, Place, Scanner};

use crate::input::limits;

/// The messages of FIX.
pub(super) struct Fields {
    scanner: Scanner,
    /// Those before a gap.
    before: VecDeque<Result<Found, Bad>>,
    search: Search,
    /// Bytes that came or were lost.
    at: u64,
}

/// Messages of GIOP, one behind the other.
pub(super) struct Pieces {
    came: Vec<u8>,
    /// Those of them that are messages already.
    used: usize,
    before: VecDeque<Result<Found, Bad>>,
    search: Search,
    at: u64,
}

/// Looks for the beginning of a message, and counts what stands before it.
#[derive(Default)]
struct Search {
    is_on: bool,
    /// The last bytes, in which one may begin.
    rest: Vec<u8>,
    passed_over: u64,
}

impl Search {
    fn new(has_begun: bool) -> Self {
        Self { is_on: !has_begun, ..Self::default() }
    }

    /// From the beginning of a message on, if it is there: all that came from there.
    fn receive(&mut self, bytes: &[u8], begin: impl Fn(&[u8]) -> Option<usize>) -> Option<Vec<u8>> {
        self.rest.extend_from_slice(bytes);
        let place = begin(&self.rest);
        let passed = place.unwrap_or(self.rest.len().saturating_sub(LONGEST_BEGIN));
        self.passed_over += passed as u64;
        self.rest.drain(..passed);
        self.is_on = place.is_none();
        place.map(|_| std::mem::take(&mut self.rest))
    }

    /// Begins behind a gap, before which so many bytes are of no whole message.
    fn begin_anew(&mut self, bytes: usize) {
        self.passed_over = self.passed_over() + bytes as u64;
        self.rest.clear();
        self.is_on = true;
    }

    fn passed_over(&self) -> u64 {
        self.passed_over + self.rest.len() as u64
    }
}

/// Bytes that tell the beginning of a message.
const LONGEST_BEGIN: usize = 48;

impl Fields {
    pub(super) fn new(has_begun: bool) -> Self {
        let (scanner, search) = (Scanner::new(limits(), Content::Log), Search::new(has_begun));
        Self { scanner, before: VecDeque::new(), search, at: 0 }
    }

    /// Where a message begins: with BeginString and BodyLength.
    pub(super) fn begin(bytes: &[u8]) -> Option<usize> {
        bytes.windows(b"8=FIX".len()).enumerate().filter(|it| it.1 == b"8=FIX").map(|it| it.0).find(
            |at| {
                let head = &bytes[*at..bytes.len().min(at + LONGEST_BEGIN)];
                let mut fields = head.split(|it| *it == 1).skip(1);
                let length = fields.next().and_then(|it| it.strip_prefix(b"9="));
                let is_number = |it: &[u8]| !it.is_empty() && it.iter().all(u8::is_ascii_digit);
                length.is_some_and(is_number) && fields.next().is_some()
            },
        )
    }

    pub(super) fn receive(&mut self, bytes: &[u8]) {
        self.at += bytes.len() as u64;
        if !self.search.is_on {
            return self.scanner.feed(bytes);
        }
        if let Some(bytes) = self.search.receive(bytes, Self::begin) {
            let offset = self.at - bytes.len() as u64;
            self.scanner = Scanner::behind(offset, limits(), Content::Log);
            self.scanner.feed(&bytes);
        }
    }

    pub(super) fn lose(&mut self, bytes: u64) {
        self.end();
        let last = std::iter::from_fn(|| self.scanner.next_message());
        self.before.extend(last);
        self.search.begin_anew(0);
        self.at += bytes;
    }

    pub(super) fn end(&mut self) {
        self.scanner.end();
    }

    pub(super) fn next(&mut self) -> Option<Result<Found, Bad>> {
        self.before.pop_front().or_else(|| self.scanner.next_message())
    }

    pub(super) fn passed_over(&self) -> u64 {
        self.search.passed_over()
    }
}

impl Pieces {
    pub(super) fn new(has_begun: bool) -> Self {
        let (came, before, search) = (Vec::new(), VecDeque::new(), Search::new(has_begun));
        Self { came, used: 0, before, search, at: 0 }
    }

    /// Where a message begins: with a header that can be one.
    pub(super) fn begin(bytes: &[u8]) -> Option<usize> {
        bytes.windows(Giop::HEADER).position(is_header)
    }

    pub(super) fn receive(&mut self, bytes: &[u8]) {
        self.at += bytes.len() as u64;
        self.came.drain(..self.used);
        self.used = 0;
        match self.search.is_on {
            true => self.look_for_begin(bytes),
            false => self.came.extend_from_slice(bytes),
        }
    }

    fn look_for_begin(&mut self, bytes: &[u8]) {
        if let Some(bytes) = self.search.receive(bytes, Self::begin) {
            self.came = bytes;
        }
    }

    pub(super) fn lose(&mut self, bytes: u64) {
        while let Some(next) = self.whole() {
            self.before.push_back(next);
        }
        self.search.begin_anew(self.waiting());
        (self.came, self.used) = (Vec::new(), 0);
        self.at += bytes;
    }

    pub(super) fn next(&mut self) -> Option<Result<Found, Bad>> {
        self.before.pop_front().or_else(|| self.whole())
    }

    /// The next message, if it is whole. Where none begins, the next one is looked for.
    fn whole(&mut self) -> Option<Result<Found, Bad>> {
        let rest = &self.came[self.used..];
        let place = Place { line: 1, offset: self.at - rest.len() as u64 };
        let head = rest.first_chunk::<{ Giop::HEADER }>()?;
        let header = Giop::read(head);
        let limit = limits().message_bytes;
        let error = match header {
            Some(header) if header.length <= limit => {
                let bytes = rest.get(..Giop::HEADER + header.length)?.to_vec();
                self.used += bytes.len();
                return Some(Ok(Found::alone(place, bytes)));
            }
            Some(_) => Error::new(ErrorKind::Limit { name: "message_bytes", limit }, 8),
            None => Error::new(ErrorKind::Expected("a message of GIOP".into()), 0),
        };
        let behind = rest[1..].to_vec();
        (self.came, self.used) = (Vec::new(), 0);
        self.search.begin_anew(1);
        self.look_for_begin(&behind);
        Some(Err(Bad { place, kind: Some(Kind::Giop), error }))
    }

    pub(super) fn passed_over(&self) -> u64 {
        self.search.passed_over()
    }

    /// Bytes of which no message was made, and not passed over.
    pub(super) fn waiting(&self) -> usize {
        self.came.len() - self.used
    }
}

/// A header that begins a message of a version and a type that there are.
fn is_header(bytes: &[u8]) -> bool {
    Giop::read(bytes).is_some_and(|it| {
        let is_type = it.message_type < 8;
        it.version.0 == 1 && it.version.1 <= 3 && is_type && it.length <= limits().message_bytes
    })
}
