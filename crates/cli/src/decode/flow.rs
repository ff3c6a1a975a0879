//! What of other protocols than SOAP/TCP was said on a connection that was captured: the messages of FIX, GIOP and HTTP.

use trunkline_transcode::giop::Exchanges;

use super::conversation::Side;
use super::http::Bodies;
use super::messages::Show;
use super::pieces::{Fields, Pieces};
use super::stream::Gap;
use crate::fault::Fault;

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

    /// What goes on within these bytes, of which the beginning was not captured.
    pub(super) fn within(said: &[u8]) -> Option<Self> {
        let fix = Fields::begin(said).map(|it| (it, Self::Fix));
        let giop = Pieces::begin(said).map(|it| (it, Self::Giop));
        fix.into_iter().chain(giop).min_by_key(|it| it.0).map(|it| it.1)
    }
}

/// Bytes of one direction that wait until it is known what stands in a gap of the other.
const MOST_HELD: usize = 1 << 20;

/// A connection of such a protocol.
pub(super) struct Flow {
    directions: [Direction; 2],
    exchanges: Exchanges,
}

/// What finds the messages of one direction.
enum Direction {
    Fix(Box<Fields>),
    Giop(Pieces),
    Http(Box<Bodies>),
}

impl Flow {
    /// One of which directions were captured from their beginning, or not.
    pub(super) fn new(protocol: Protocol, has_begun: [bool; 2]) -> Self {
        let direction = |has_begun| match protocol {
            Protocol::Fix => Direction::Fix(Box::new(Fields::new(has_begun))),
            Protocol::Giop => Direction::Giop(Pieces::new(has_begun)),
            Protocol::Http => Direction::Http(Box::default()),
        };
        Self { directions: has_begun.map(direction), exchanges: Exchanges::default() }
    }

    /// Bytes that one side sent, behind those it sent before.
    pub(super) fn receive(&mut self, side: Side, bytes: &[u8]) {
        match &mut self.directions[side as usize] {
            Direction::Fix(fields) => fields.receive(bytes),
            Direction::Giop(pieces) => pieces.receive(bytes),
            Direction::Http(bodies) => bodies.receive(bytes),
        }
    }

    /// Do messages show where they begin, so that what follows a gap is read?
    pub(super) fn goes_on(&self) -> bool {
        !matches!(self.directions[0], Direction::Http(_))
    }

    /// What one side sent there was not captured.
    pub(super) fn lose(&mut self, side: Side, gap: Gap) {
        match &mut self.directions[side as usize] {
            Direction::Fix(fields) => fields.lose(gap.bytes),
            Direction::Giop(pieces) => pieces.lose(gap.bytes),
            Direction::Http(_) => {}
        }
    }

    /// Do replies wait for requests that may still come? Where these are shown later, nobody knows what is answered.
    pub(super) fn is_held(&self) -> bool {
        let held = |it: &Direction| match it {
            Direction::Giop(pieces) => pieces.waiting(),
            Direction::Fix(_) | Direction::Http(_) => MOST_HELD,
        };
        self.directions.iter().map(held).max().is_some_and(|it| it < MOST_HELD)
    }

    /// One side sends nothing any more, as far as was captured.
    pub(super) fn end(&mut self, side: Side) {
        match &mut self.directions[side as usize] {
            Direction::Fix(fields) => fields.end(),
            Direction::Giop(_) => {}
            Direction::Http(bodies) => bodies.end(),
        }
    }

    /// Says which messages of both sides wait for their rest, which does not come.
    pub(super) fn tell_unfinished(&mut self, show: &mut Show<'_>) -> Result<(), Fault> {
        show.unfinished(self.exchanges.end())
    }

    /// Shows the messages of one side that are whole.
    pub(super) fn show(&mut self, side: Side, of: &str, show: &mut Show<'_>) -> Result<(), Fault> {
        let Self { directions, exchanges } = self;
        if let [Direction::Http(client), Direction::Http(server)] = directions {
            server.asked.append(&mut client.asked);
        }
        let next = || match &mut directions[side as usize] {
            Direction::Fix(fields) => fields.next(),
            Direction::Giop(pieces) => pieces.next(),
            Direction::Http(bodies) => bodies.next(),
        };
        show.said(of, side == Side::Client, exchanges, std::iter::from_fn(next))
    }

    /// Bodies of HTTP that were passed over, since they are pages and the like.
    pub(super) fn pages(&self) -> u64 {
        let of = |it: &Direction| match it {
            Direction::Http(bodies) => bodies.passed_over,
            Direction::Fix(_) | Direction::Giop(_) => 0,
        };
        self.directions.iter().map(of).sum()
    }

    /// How many bytes of one side were passed over, as the beginning of their message was not captured.
    pub(super) fn passed_over(&self, side: Side) -> u64 {
        match &self.directions[side as usize] {
            Direction::Fix(fields) => fields.passed_over(),
            Direction::Giop(pieces) => pieces.passed_over(),
            Direction::Http(_) => 0,
        }
    }

    /// How many bytes of one side are left that no message was made of.
    pub(super) fn left(&self, side: Side) -> usize {
        match &self.directions[side as usize] {
            Direction::Fix(_) => 0,
            Direction::Giop(pieces) => pieces.waiting(),
            Direction::Http(bodies) => bodies.left(),
        }
    }
}
