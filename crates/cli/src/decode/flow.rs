//! What of other protocols than SOAP/TCP was said on a connection that was captured: the messages of FIX, GIOP and HTTP.

use trunkline_message::{Error, ErrorKind};
use trunkline_transcode::giop::Exchanges;
use trunkline_transcode::kind::Giop;
use trunkline_transcode::{Bad, Content, Found, Kind, Place, Scanner};

use super::conversation::Side;
use super::http::Bodies;
use super::messages::Show;
use crate::fault::Fault;
use crate::input::limits;

/// A protocol whose messages are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Fix,
    Giop,
    Http,
}

/// The words with which requests and answers of HTTP begin.
const HTTP: [&[u8]; 8] =
    [b"POST ", b"GET ", b"HEAD ", b"PUT ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"HTTP/1."];

impl Protocol {
    /// What begins so; none of all others. Unknown as long as there are too few bytes.
    pub(super) fn of(first: &[u8]) -> Option<Option<Self>> {
        let begins = |with: &[u8]| first.starts_with(with);
        let may_begin = |with: &[u8]| with.starts_with(first);
        let all = [(&b"8=FIX"[..], Self::Fix), (b"GIOP", Self::Giop)];
        let all = all.into_iter().chain(HTTP.into_iter().map(|it| (it, Self::Http)));
        let mut is_open = false;
        for (with, protocol) in all {
            if begins(with) {
                return Some(Some(protocol));
            }
            is_open |= may_begin(with);
        }
        (!is_open).then_some(None)
    }
}

/// A connection of such a protocol.
pub(super) struct Flow {
    directions: [Direction; 2],
    exchanges: Exchanges,
}

/// What finds the messages of one direction.
enum Direction {
    Fix(Box<Scanner>),
    Giop(Pieces),
    Http(Box<Bodies>),
}

/// Messages of GIOP, one behind the other.
#[derive(Default)]
struct Pieces {
    came: Vec<u8>,
    /// Bytes before these.
    before: u64,
    is_lost: bool,
}

impl Flow {
    pub(super) fn new(protocol: Protocol) -> Self {
        let direction = |_| match protocol {
            Protocol::Fix => Direction::Fix(Box::new(Scanner::new(limits(), Content::Log))),
            Protocol::Giop => Direction::Giop(Pieces::default()),
            Protocol::Http => Direction::Http(Box::default()),
        };
        Self { directions: [0, 1].map(direction), exchanges: Exchanges::default() }
    }

    /// Bytes that one side sent, behind those it sent before.
    pub(super) fn receive(&mut self, side: Side, bytes: &[u8]) {
        match &mut self.directions[side as usize] {
            Direction::Fix(scanner) => scanner.feed(bytes),
            Direction::Giop(pieces) if pieces.is_lost => {}
            Direction::Giop(pieces) => pieces.came.extend_from_slice(bytes),
            Direction::Http(bodies) => bodies.receive(bytes),
        }
    }

    /// One side sends nothing any more, as far as was captured.
    pub(super) fn end(&mut self, side: Side) {
        match &mut self.directions[side as usize] {
            Direction::Fix(scanner) => scanner.end(),
            Direction::Giop(_) => {}
            Direction::Http(bodies) => bodies.end(),
        }
    }

    /// Shows the messages of one side that are whole.
    pub(super) fn show(&mut self, side: Side, of: &str, show: &mut Show<'_>) -> Result<(), Fault> {
        let Self { directions, exchanges } = self;
        if let [Direction::Http(client), Direction::Http(server)] = directions {
            server.asked.append(&mut client.asked);
        }
        let next = || match &mut directions[side as usize] {
            Direction::Fix(scanner) => scanner.next_message(),
            Direction::Giop(pieces) => pieces.next(),
            Direction::Http(bodies) => bodies.next(),
        };
        show.said(of, side == Side::Client, exchanges, std::iter::from_fn(next))
    }

    /// Bodies of HTTP that were passed over, since they are pages and the like.
    pub(super) fn passed_over(&self) -> u64 {
        let of = |it: &Direction| match it {
            Direction::Http(bodies) => bodies.passed_over,
            Direction::Fix(_) | Direction::Giop(_) => 0,
        };
        self.directions.iter().map(of).sum()
    }

    /// How many bytes of one side are left that no message was made of.
    pub(super) fn left(&self, side: Side) -> usize {
        match &self.directions[side as usize] {
            Direction::Fix(_) => 0,
            Direction::Giop(pieces) => pieces.came.len(),
            Direction::Http(bodies) => bodies.left(),
        }
    }
}

impl Pieces {
    fn next(&mut self) -> Option<Result<Found, Bad>> {
        if self.is_lost || self.came.len() < Giop::HEADER {
            return None;
        }
        let place = Place { line: 1, offset: self.before };
        let kind = Some(Kind::Giop);
        let Some(header) = Giop::read(&self.came) else {
            // Nobody knows where the next one begins.
            self.is_lost = true;
            let error = Error::new(ErrorKind::Expected("a message of GIOP".into()), 0);
            return Some(Err(Bad { place, kind, error }));
        };
        if header.length > limits().message_bytes {
            self.is_lost = true;
            let limit = limits().message_bytes;
            let error = Error::new(ErrorKind::Limit { name: "message_bytes", limit }, 8);
            return Some(Err(Bad { place, kind, error }));
        }
        let end = Giop::HEADER + header.length;
        if self.came.len() < end {
            return None;
        }
        let bytes: Vec<u8> = self.came.drain(..end).collect();
        self.before += end as u64;
        Some(Ok(Found::alone(place, bytes)))
    }
}
