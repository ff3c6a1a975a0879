//! What a client has stored and the router has not acknowledged: kept, and sent again when need be.

use std::collections::VecDeque;
use std::ops::Range;

use trunkline_native::{
    Producing, Refused, Store, Stored, code, decode_store, encode_ping, encode_producer,
    encode_store, kind,
};

use crate::error::{Error, Result};
use crate::event::{Event, Refusal};

/// The token of the PING that a producer sends behind messages of which one was refused: its PONG says
/// that nothing is on its way any more. Others do not use it.
pub(crate) const SETTLED: u64 = u64::MAX;

/// How it stands between a producer and its router.
#[derive(Debug)]
enum Phase {
    /// The router has not answered PRODUCER on this connection.
    Asked,
    /// What is stored is sent at once.
    Open,
    /// A message was refused, and with it those that were on their way behind it, until PONG.
    Settling { pauses: bool },
    /// It is for the caller to say when it is tried again.
    Pausing,
    /// The first message is sent again; the others follow if it is stored.
    Trying,
    /// For good.
    Ended(End),
}

/// Why a producer stores no more.
#[derive(Clone, Debug)]
enum End {
    Refused(Refusal),
    Sequence { known: u64, last: u64 },
}

impl End {
    fn error(&self) -> Error {
        match self {
            Self::Refused(refusal) => Error::Refused(refusal.clone()),
            Self::Sequence { known, last } => Error::Sequence { known: *known, last: *last },
        }
    }
}

/// A producer.
#[derive(Debug)]
pub(crate) struct Producer {
    name: Box<str>,
    phase: Phase,
    /// The router was told of it on this connection, and has not refused it.
    is_announced: bool,
    window: u32,
    window_bytes: u64,
    /// STORE frames in their order, as they are sent the first time.
    frames: Vec<u8>,
    /// Bytes of them that are acknowledged.
    passed: usize,
    /// Bytes of payload that are not.
    bytes: u64,
    /// Sequence of the first frame that is not acknowledged.
    first: u64,
    /// Sequence of the next message; 0 before the router has said it.
    next: u64,
    /// The highest sequence that was sent.
    sent: u64,
    stored: Option<Stored>,
    /// The last one, with its sequence.
    refused: Option<(u64, Refusal)>,
    /// What the user does not know yet.
    has_stored: bool,
    has_refused: bool,
    /// Aliases that are given back when the message of this sequence is acknowledged.
    forgotten: VecDeque<(u32, u64)>,
}

impl Producer {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            phase: Phase::Asked,
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
            refused: None,
            has_stored: false,
            has_refused: false,
            forgotten: VecDeque::new(),
        }
    }

    /// The connection is gone: until the router has answered on the next one, nothing is sent.
    pub(crate) fn restart(&mut self) {
        (self.phase, self.is_announced) = (Phase::Asked, false);
    }

    /// Says who stores.
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

    /// The router does not take it on this connection; whether it keeps what it has for another try.
    pub(crate) fn is_kept_when_refused(&mut self) -> bool {
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

    /// Whether what is stored is kept and not sent.
    #[inline]
    pub(crate) fn is_holding(&self) -> bool {
        !matches!(self.phase, Phase::Open | Phase::Ended(_))
    }

    /// Why, if the router has refused it for now.
    pub(crate) fn held_back(&self) -> Option<&Refusal> {
        match self.phase {
            Phase::Settling { pauses: true } | Phase::Pausing | Phase::Trying => {
                self.refused.as_ref().map(|(_, refusal)| refusal)
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

    /// Takes a message, gives it its sequence, and sends it if this is the time.
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

    /// Learns what the router knows of it.
    pub(crate) fn producing(&mut self, it: &Producing, out: &mut Vec<u8>) {
        (self.window, self.window_bytes) = (it.window, it.window_bytes);
        let after = it.last.saturating_add(1);
        // What was never sent can be stored by another program only.
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

    /// Forgets what the router has.
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

    /// What is refused takes no sequence. So those behind it are refused too, which are no news.
    pub(crate) fn refuse(&mut self, refused: &Refused<'_>, out: &mut Vec<u8>) {
        let is_ours = self.unacknowledged().contains(&refused.id);
        let is_news = match self.phase {
            Phase::Open | Phase::Trying => is_ours,
            Phase::Settling { .. } | Phase::Pausing => refused.code == code::TAKEN_OVER,
            Phase::Asked | Phase::Ended(_) => false,
        };
        if !is_news {
            return;
        }
        self.refused = Some((refused.id, Refusal::from(*refused)));
        self.has_refused = true;
        match refused.code {
            // Something is missing that was sent: it is sent again, unless it is this very one.
            code::OUT_OF_SEQUENCE if refused.id > self.first => self.settle(false, out),
            code::NOT_DURABLE => self.settle(true, out),
            _ => self.phase = Phase::Ended(End::Refused(Refusal::from(*refused))),
        }
    }

    fn settle(&mut self, pauses: bool, out: &mut Vec<u8>) {
        self.phase = Phase::Settling { pauses };
        encode_ping(out, SETTLED);
    }

    /// Nothing that was sent is still on its way.
    pub(crate) fn settled(&mut self, out: &mut Vec<u8>) {
        if let Phase::Settling { pauses } = self.phase {
            self.phase = Phase::Pausing;
            if !pauses {
                self.phase = Phase::Open;
                self.send_again(out, usize::MAX);
            }
        }
    }

    /// Tries again what was refused.
    pub(crate) fn try_again(&mut self, out: &mut Vec<u8>) {
        if self.is_pausing() {
            self.phase = Phase::Trying;
            self.send_again(out, 1);
        }
        // What was refused may have been acknowledged since.
        if matches!(self.phase, Phase::Trying) && self.first == self.next {
            self.phase = Phase::Open;
        }
    }

    /// Sends the first of what is not acknowledged.
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

    /// Whether an alias has to stay until something is acknowledged; then it is given back later.
    pub(crate) fn forget_later(&mut self, alias: u32) -> bool {
        let is_needed = self.first < self.next;
        if is_needed {
            self.forgotten.push_back((alias, self.next - 1));
        }
        is_needed
    }

    /// What is not acknowledged is not wanted any more.
    pub(crate) fn give_up(&mut self) {
        self.first = self.next;
    }

    /// An alias that is not needed any more.
    pub(crate) fn forgotten(&mut self) -> Option<u32> {
        self.forgotten.pop_front_if(|(_, last)| *last < self.first).map(|it| it.0)
    }

    /// What the user does not know yet: what is stored, then what is refused.
    pub(crate) fn news(&mut self) -> Option<Event<'_>> {
        if std::mem::take(&mut self.has_stored) {
            return self.stored.map(Event::Stored);
        }
        if !std::mem::take(&mut self.has_refused) {
            return None;
        }
        let (id, Refusal { code, offset, text, .. }) = self.refused.as_ref()?;
        let (of, code, offset, id) = (kind::STORE, *code, *offset, *id);
        Some(Event::Refused(Refused { of, code, offset, id, text }))
    }
}
