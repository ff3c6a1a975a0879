//! The stored messages that the router has not acknowledged: kept, and sent again if needed.

use std::collections::VecDeque;
use std::ops::Range;

use trunkline_native::{
    Producing, Rejected, Store, Stored, code, decode_store, encode_ping, encode_producer,
    encode_store, kind,
};

use crate::error::{Error, Result};
use crate::event::{Event, Rejection};

/// The token of the PING that a producer sends behind messages of which one was rejected: its PONG says that
/// nothing is in flight any more. No other code uses it.
pub(crate) const SETTLED: u64 = u64::MAX;

/// The state between a producer and its router.
#[derive(Debug)]
enum Phase {
    /// The router has not answered PRODUCER on this connection.
    Requested,
    /// Stored messages are sent at once.
    Open,
    /// A message was rejected, and with it those in flight behind it, until PONG.
    Settling { pauses: bool },
    /// The caller decides when to retry.
    Pausing,
    /// The first message is sent again; the others follow when it is stored.
    Trying,
    /// For good.
    Ended(End),
}

/// Why a producer stores no more.
#[derive(Clone, Debug)]
enum End {
    Rejected(Rejection),
    Sequence { known: u64, last: u64 },
}

impl End {
    fn error(&self) -> Error {
        match self {
            Self::Rejected(rejection) => Error::Rejected(rejection.clone()),
            Self::Sequence { known, last } => Error::Sequence { known: *known, last: *last },
        }
    }
}

/// A producer.
#[derive(Debug)]
pub(crate) struct Producer {
    name: Box<str>,
    phase: Phase,
    /// It was announced to the router on this connection, and not rejected.
    is_announced: bool,
    window: u32,
    window_bytes: u64,
    /// STORE frames in order, as they are sent the first time.
    frames: Vec<u8>,
    /// Acknowledged bytes of them.
    passed: usize,
    /// Bytes of payload that are not acknowledged.
    bytes: u64,
    /// Sequence of the first unacknowledged frame.
    first: u64,
    /// Sequence of the next message; 0 before the router has reported it.
    next: u64,
    /// The highest sequence that was sent.
    sent: u64,
    stored: Option<Stored>,
    /// The last rejection, with its sequence.
    rejected: Option<(u64, Rejection)>,
    /// There is an acknowledgement that the user does not know yet.
    has_stored: bool,
    has_rejected: bool,
    /// Aliases to release when the message of this sequence is acknowledged.
    forgotten: VecDeque<(u32, u64)>,
}

impl Producer {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            phase: Phase::Requested,
            is_announced: false,
            window: 0,
            window_bytes: 0,
            frames: Vec::new(),
            passed: 0,
            bytes: 0,
            first: 0,
            next: 0,
            sent: 0,
            stored: None,
            rejected: None,
            has_stored: false,
            has_rejected: false,
            forgotten: VecDeque::new(),
        }
    }

    /// The connection is gone: nothing is sent until the router has answered on the next one.
    pub(crate) fn restart(&mut self) {
        (self.phase, self.is_announced) = (Phase::Requested, false);
    }

    /// Announces the producer.
    pub(crate) fn announce(&mut self, out: &mut Vec<u8>) {
        self.is_announced = true;
        encode_producer(out, &self.name);
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn is_announced(&self) -> bool {
        self.is_announced
    }

    /// The router rejects it on this connection; returns whether it keeps its messages for another try.
    pub(crate) fn is_kept_when_rejected(&mut self) -> bool {
        self.is_announced = false;
        self.has_begun()
    }

    /// Whether the router has ever answered.
    pub(crate) fn has_begun(&self) -> bool {
        self.next > 0
    }

    /// Why nothing is stored any more, if so.
    pub(crate) fn end(&self) -> Option<Error> {
        match &self.phase {
            Phase::Ended(end) => Some(end.error()),
            _ => None,
        }
    }

    pub(crate) fn is_pausing(&self) -> bool {
        matches!(self.phase, Phase::Pausing)
    }

    /// Whether stored messages are held back.
    #[inline]
    pub(crate) fn is_holding(&self) -> bool {
        !matches!(self.phase, Phase::Open | Phase::Ended(_))
    }

    /// The reason, if the router has rejected it for now.
    pub(crate) fn held_back(&self) -> Option<&Rejection> {
        match self.phase {
            Phase::Settling { pauses: true } | Phase::Pausing | Phase::Trying => {
                self.rejected.as_ref().map(|(_, rejection)| rejection)
            }
            _ => None,
        }
    }

    pub(crate) fn stored_last(&self) -> Option<Stored> {
        self.stored
    }

    /// Sequences that are not acknowledged.
    pub(crate) fn unacknowledged(&self) -> Range<u64> {
        self.first..self.next
    }

    /// Takes a message, gives it its sequence, and sends it if the phase allows it.
    #[inline]
    pub(crate) fn store(&mut self, out: &mut Vec<u8>, store: &Store<'_>) -> Result<u64> {
        if let Some(error) = self.end() {
            return Err(error);
        }
        if !self.has_begun() {
            return Err(Error::NoProducer);
        }
        let bytes = store.payload.len() as u64;
        if bytes > self.window_bytes {
            let limit = usize::try_from(self.window_bytes).unwrap_or(usize::MAX);
            return Err(Error::TooLong { length: store.payload.len(), limit });
        }
        let messages = self.next - self.first;
        if messages >= self.window.into() || self.bytes + bytes > self.window_bytes {
            return Err(Error::WindowFull { messages, bytes: self.bytes });
        }
        let (sequence, begin) = (self.next, self.frames.len());
        encode_store(&mut self.frames, &Store { sequence, ..*store });
        self.next += 1;
        self.bytes += bytes;
        if matches!(self.phase, Phase::Open) {
            out.extend_from_slice(&self.frames[begin..]);
            self.sent = sequence;
        }
        Ok(sequence)
    }

    /// Learns what the router knows about it.
    pub(crate) fn producing(&mut self, it: &Producing, out: &mut Vec<u8>) {
        (self.window, self.window_bytes) = (it.window, it.window_bytes);
        let after = it.last.saturating_add(1);
        // Only another program can have stored what was never sent.
        let is_ours = self.has_begun() && it.last <= self.sent;
        if !is_ours && self.first == self.next {
            (self.first, self.next, self.sent) = (after, after, it.last);
        } else if !is_ours || after < self.first {
            let known = if is_ours { self.first - 1 } else { self.sent };
            self.phase = Phase::Ended(End::Sequence { known, last: it.last });
            return;
        }
        self.phase = Phase::Open;
        self.send_again(out, usize::MAX);
    }

    /// Removes the acknowledged messages.
    pub(crate) fn acknowledge(&mut self, stored: &Stored, out: &mut Vec<u8>) -> Result<()> {
        if stored.sequence >= self.next {
            let (sequence, next) = (stored.sequence, self.next);
            let what = format!("STORED for the sequence {sequence}, and the next is {next}");
            return Err(Error::Broken(what));
        }
        while self.first <= stored.sequence
            && let Some((store, length)) = decode_store(&self.frames[self.passed..], u32::MAX)
        {
            self.bytes -= store.payload.len() as u64;
            self.passed += length;
            self.first += 1;
        }
        if self.passed > self.frames.len() / 2 {
            self.frames.drain(..self.passed);
            self.passed = 0;
        }
        (self.stored, self.has_stored) = (Some(*stored), true);
        if matches!(self.phase, Phase::Trying) {
            self.phase = Phase::Open;
            self.send_again(out, usize::MAX);
        }
        Ok(())
    }

    /// A rejected message takes no sequence. So those behind it are rejected too; these rejections are not
    /// reported.
    pub(crate) fn reject(&mut self, rejected: &Rejected<'_>, out: &mut Vec<u8>) {
        let is_ours = self.unacknowledged().contains(&rejected.id);
        let is_change = match self.phase {
            Phase::Open | Phase::Trying => is_ours,
            Phase::Settling { .. } | Phase::Pausing => rejected.code == code::TAKEN_OVER,
            Phase::Requested | Phase::Ended(_) => false,
        };
        if !is_change {
            return;
        }
        self.rejected = Some((rejected.id, Rejection::from(*rejected)));
        self.has_rejected = true;
        match rejected.code {
            // Something that was sent is missing: it is sent again, unless it is this very one.
            code::OUT_OF_SEQUENCE if rejected.id > self.first => self.settle(false, out),
            code::NOT_DURABLE => self.settle(true, out),
            _ => self.phase = Phase::Ended(End::Rejected(Rejection::from(*rejected))),
        }
    }

    fn settle(&mut self, pauses: bool, out: &mut Vec<u8>) {
        self.phase = Phase::Settling { pauses };
        encode_ping(out, SETTLED);
    }

    /// Nothing that was sent is still in flight.
    pub(crate) fn settled(&mut self, out: &mut Vec<u8>) {
        if let Phase::Settling { pauses } = self.phase {
            self.phase = Phase::Pausing;
            if !pauses {
                self.phase = Phase::Open;
                self.send_again(out, usize::MAX);
            }
        }
    }

    /// Retries what was rejected.
    pub(crate) fn try_again(&mut self, out: &mut Vec<u8>) {
        if self.is_pausing() {
            self.phase = Phase::Trying;
            self.send_again(out, 1);
        }
        // The rejected message may have been acknowledged since.
        if matches!(self.phase, Phase::Trying) && self.first == self.next {
            self.phase = Phase::Open;
        }
    }

    /// Sends the first unacknowledged messages.
    fn send_again(&mut self, out: &mut Vec<u8>, most: usize) {
        let mut rest = &self.frames[self.passed..];
        for _ in 0..most {
            let Some((store, length)) = decode_store(rest, u32::MAX) else { return };
            let is_repeated = store.sequence <= self.sent;
            encode_store(out, &Store { is_repeated, ..store });
            self.sent = self.sent.max(store.sequence);
            rest = &rest[length..];
        }
    }

    /// Whether an alias is needed until something is acknowledged; then it is released later.
    pub(crate) fn forget_later(&mut self, alias: u32) -> bool {
        let is_needed = self.first < self.next;
        if is_needed {
            self.forgotten.push_back((alias, self.next - 1));
        }
        is_needed
    }

    /// Drops the unacknowledged messages.
    pub(crate) fn give_up(&mut self) {
        self.first = self.next;
    }

    /// An alias that is no longer needed.
    pub(crate) fn forgotten(&mut self) -> Option<u32> {
        self.forgotten.pop_front_if(|(_, last)| *last < self.first).map(|it| it.0)
    }

    /// What the user does not know yet: acknowledgements, then rejections.
    pub(crate) fn news(&mut self) -> Option<Event<'_>> {
        if std::mem::take(&mut self.has_stored) {
            return self.stored.map(Event::Stored);
        }
        if !std::mem::take(&mut self.has_rejected) {
            return None;
        }
        let (id, Rejection { code, offset, text, .. }) = self.rejected.as_ref()?;
        let (of, code, offset, id) = (kind::STORE, *code, *offset, *id);
        Some(Event::Rejected(Rejected { of, code, offset, id, text }))
    }
}
