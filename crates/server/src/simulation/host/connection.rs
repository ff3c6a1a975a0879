//! The router's end of one stream.

use std::collections::VecDeque;

use crate::engine::ConnectionId;
use crate::simulation::books::Books;
use crate::simulation::history::History;
use crate::simulation::link::Link;
use crate::simulation::random::Random;
use crate::simulation::reader::Reader;
use crate::simulation::seen::Seen;

use super::Arrival;

/// The longest frame that simulated clients send, and more.
const FRAME_BYTES: u32 = 1 << 20;

/// What a client is to see once it has read so many bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct Expected {
    /// Bytes of the stream up to its end.
    pub(in crate::simulation) end: u64,
    pub(in crate::simulation) seen: Seen,
    pub(in crate::simulation) is_message: bool,
}

/// One stream.
pub(in crate::simulation) struct Connection {
    /// None once the engine has been told that it is gone.
    pub(super) id: Option<ConnectionId>,
    pub(in crate::simulation) link: Link,
    pub(super) is_delicate: bool,
    /// The most messages and bytes that it was allowed to have waiting.
    pub(super) allowed: (usize, usize),
    /// The engine takes nothing from it any more.
    pub(super) is_closing: bool,
    /// When it is gone, whatever its client has read.
    pub(super) gone_by: Option<u64>,
    /// Read, and not used by the engine.
    pub(super) unread: Vec<u8>,
    /// Bytes of the engine's output that have been looked at, and that the engine was told are sent.
    pub(super) tapped: u64,
    sent: u64,
    /// Bytes after meddling.
    pub(super) written: u64,
    /// Looked at, and not written to the stream.
    pub(super) wire: VecDeque<u8>,
    pub(super) books: Books,
    pub(super) reader: Reader,
    /// What the client has not seen yet.
    pub(in crate::simulation) expected: VecDeque<Expected>,
    /// Messages that it has seen.
    pub(in crate::simulation) seen_messages: u64,
    pub(super) random: Random,
}

impl Connection {
    pub(super) fn new(id: ConnectionId, link: Link, arrival: &Arrival) -> Self {
        Self {
            id: Some(id),
            link,
            is_delicate: arrival.is_delicate,
            allowed: (0, 0),
            is_closing: false,
            gone_by: None,
            unread: Vec::new(),
            tapped: 0,
            sent: 0,
            written: 0,
            wire: VecDeque::new(),
            books: Books::new(arrival.caps),
            reader: Reader::default(),
            expected: VecDeque::new(),
            seen_messages: 0,
            random: Random::of_link(arrival.random),
        }
    }

    /// How many bytes of what is unread the engine is given at once.
    pub(super) fn whole(&self) -> usize {
        let all = self.unread.len();
        match self.unread.first_chunk() {
            Some(length) if self.is_delicate => {
                all.min(u32::from_le_bytes(*length) as usize).max(1)
            }
            _ => all,
        }
    }

    /// The engine has used so many bytes; says how many of them are whole frames.
    pub(super) fn took(&mut self, now: u64, used: usize, history: &mut History) -> usize {
        let Self { reader, books, unread, .. } = self;
        let subscribe = |asked, history: &History| books.ask(asked, history);
        reader.read(now, &unread[..used], FRAME_BYTES, history, subscribe)
    }

    /// Where in the unsent output that begins which has not been looked at.
    pub(super) fn untold(&self, output: usize) -> usize {
        ((self.tapped - self.sent) as usize).min(output)
    }

    /// Writes to the stream what it takes; gives how much of the engine's output that was.
    pub(super) fn write(&mut self) -> usize {
        let (front, _) = self.wire.as_slices();
        let most = front.len().min(1 + self.random.part(8192));
        let length = self.link.to_client.write(&front[..most]);
        self.wire.drain(..length);
        let unsent = (self.tapped - self.sent) as usize;
        // After meddling there may be more or fewer bytes than the engine wrote.
        let of_engine = if self.wire.is_empty() { unsent } else { length.min(unsent) };
        self.sent += of_engine as u64;
        of_engine
    }
}
