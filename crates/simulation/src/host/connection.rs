//! What the checkers know of one stream.

use std::collections::VecDeque;

use trunkline_server::ConnectionId;

use crate::history::History;
use crate::model::{Caps, Model};
use crate::reader::Reader;
use crate::report::{Violation, violation};
use crate::seen::Digest;

/// The longest frame that simulated clients send, and more.
const FRAME_BYTES: u32 = 1 << 20;

/// What a client is to see once it has read so many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// Bytes of the stream up to its end.
    pub(crate) end: u64,
    pub(crate) seen: Digest,
    pub(crate) is_message: bool,
}

/// One stream.
pub(crate) struct Connection {
    /// None while the engine does not know it.
    pub(crate) id: Option<ConnectionId>,
    /// The most messages and bytes that it was allowed to have waiting.
    pub(super) allowed: (usize, usize),
    /// Bytes that the engine has rendered and the loop has not written.
    pub(super) unwritten: VecDeque<u8>,
    /// Bytes after tampering.
    pub(super) written: u64,
    /// Of those, the ones that the client has not read.
    pub(super) tampered: Option<VecDeque<u8>>,
    pub(crate) model: Model,
    pub(super) reader: Reader,
    /// What the client has not seen yet.
    pub(crate) expected: VecDeque<Expected>,
    /// Messages that it has seen.
    pub(crate) seen_messages: u64,
}

impl Connection {
    pub(super) fn new(caps: Caps, is_tampered: bool) -> Self {
        Self {
            id: None,
            allowed: (0, 0),
            unwritten: VecDeque::new(),
            written: 0,
            tampered: is_tampered.then(VecDeque::new),
            model: Model::new(caps),
            reader: Reader::default(),
            expected: VecDeque::new(),
            seen_messages: 0,
        }
    }

    /// The engine has used these bytes; says how many of them are whole frames.
    pub(super) fn took(&mut self, now: u64, bytes: &[u8], history: &mut History) -> usize {
        let Self { reader, model, .. } = self;
        let subscribe = |requested, history: &History| model.ask(requested, history);
        reader.read(now, bytes, FRAME_BYTES, history, subscribe)
    }

    /// What has been rendered in this turn: the loop has written some bytes, and some wait for room.
    pub(super) fn rendered(
        &mut self,
        written: &[u8],
        output: Option<&[u8]>,
    ) -> Result<Vec<u8>, Violation> {
        let known = self.unwritten.len().min(written.len());
        if !self.unwritten.drain(..known).eq(written[..known].iter().copied()) {
            return violation("output", "what is written is not what was rendered");
        }
        let mut fresh = written[known..].to_vec();
        let Some(output) = output else {
            self.unwritten.clear();
            return Ok(fresh);
        };
        let Some(waits) = output.get(self.unwritten.len()..) else {
            return violation("output", "what was rendered is not there any more");
        };
        fresh.extend_from_slice(waits);
        self.unwritten.extend(waits);
        Ok(fresh)
    }
}
