//! Clients: their options, their output and their waiting messages.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};

use crate::credit::Credit;
use crate::delayed::Delayed;
use crate::ledger::Ledger;
use crate::matched::{GAPS, READY};
use crate::pool::List;
use crate::queue::Queue;
use crate::rate::Pace;
use crate::walks::Walks;

/// A client that is or was connected. Every client has a different one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId {
    /// Its slot; a later client gets the same slot.
    pub index: u32,
    /// The number of earlier clients in the slot.
    pub generation: u32,
}

impl ClientId {
    /// As a single number, for the wire.
    pub fn as_u64(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// From the number that [`Self::as_u64`] gave.
    pub fn from_u64(number: u64) -> Self {
        Self { index: number as u32, generation: (number >> 32) as u32 }
    }
}

/// What happens when a client's queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The messages that have waited longest are lost.
    #[default]
    DropOldest,
    /// The message that finds no room is lost.
    DropNewest,
    /// The client is disconnected.
    Disconnect,
}

/// How much may wait for a client, and how fast it is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// The name, for people.
    pub name: String,
    /// Messages in its queue. Updates that wait to be replaced do not count.
    pub queue_messages: usize,
    /// Bytes of waiting messages and updates, with about 40 bytes for each message.
    pub queue_bytes: usize,
    /// What happens when the queue is full.
    pub overflow: Overflow,
    /// Messages a second; 10 ms worth may go at once.
    pub messages_per_second: Option<NonZeroU32>,
    /// Bytes a second, as rendered.
    pub bytes_per_second: Option<NonZeroU64>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            queue_messages: 100_000,
            queue_bytes: 64 << 20,
            overflow: Overflow::default(),
            messages_per_second: None,
            bytes_per_second: None,
        }
    }
}

impl ClientOptions {
    pub(crate) fn pace(&self) -> Pace {
        Pace::new(self.messages_per_second, self.bytes_per_second)
    }
}

/// Reasons why a message must not go to a client's output at once.
pub(crate) mod slow {
    /// Its queue has records.
    pub(crate) const QUEUE: u8 = 1;
    /// Updates wait for the client, and it has credit.
    pub(crate) const READY: u8 = 2;
    /// Losses have not been reported.
    pub(crate) const GAPS: u8 = 4;
    /// It has a cap.
    pub(crate) const PACE: u8 = 8;
    /// It is about to be disconnected.
    pub(crate) const CLOSING: u8 = 16;
    /// Deliveries wait for conversions, and others behind them.
    pub(crate) const DELAYED: u8 = 32;
    /// Something waits.
    pub(crate) const WAITS: u8 = QUEUE | READY | GAPS;
}

/// Bytes for a client, and how many of them are sent.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) bytes: Vec<u8>,
    start: usize,
    /// An upper bound of the control bytes among them.
    pub(crate) control: u32,
    /// Bytes of its memory, as they were counted last.
    pub(crate) counted: u32,
}

/// With fewer sent bytes at the beginning of an output, it is not worth moving the others.
const COMPACT: usize = 4 << 10;

impl Output {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    #[inline]
    pub(crate) fn unsent(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Nothing is to be sent any more.
    pub(crate) fn clear(&mut self) {
        (self.bytes, self.start, self.control) = (Vec::new(), 0, 0);
    }

    /// So many bytes are sent.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.start += bytes.min(self.len());
        self.control = self.control.saturating_sub(saturated(bytes));
        let rest = self.len();
        if rest == 0 {
            self.bytes.clear();
            (self.start, self.control) = (0, 0);
        } else if self.start >= COMPACT && self.start >= rest {
            // At most as many bytes move as were sent, so that the cost of sending at most doubles.
            self.bytes.copy_within(self.start.., 0);
            self.bytes.truncate(rest);
            self.start = 0;
        }
    }
}

/// The number, or the largest: no output has 4 GiB.
#[inline]
pub(crate) fn saturated(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The part of a client that every delivery uses.
pub(crate) struct Port<R> {
    /// Of [`slow`].
    pub(crate) slow: u8,
    /// Whether the loop will learn of the output.
    pub(crate) is_dirty: bool,
    pub(crate) id: ClientId,
    pub(crate) output: Output,
    /// Deliveries that wait for conversions, which take room of the output, and what is undecided.
    pub(crate) delayed: Option<Box<Delayed>>,
    pub(crate) published: u64,
    pub(crate) delivered: u64,
    /// Matches with [`FIRST_WAITS`](crate::matched::FIRST_WAITS).
    pub(crate) last_values_waiting: u32,
    pub(crate) renderer: R,
    pub(crate) pace: Pace,
}

impl<R> Port<R> {
    /// Whether a message of at most `most` bytes may go to the output now, before everything that waits.
    pub(crate) fn can_take(&self, now: u64, most: usize) -> bool {
        self.slow & (slow::WAITS | slow::CLOSING) == 0 && self.has_room(now, most)
    }

    pub(crate) fn has_room(&self, now: u64, most: usize) -> bool {
        if self.slow & (slow::PACE | slow::DELAYED) == 0 {
            return self.output.len() < most;
        }
        // How many bytes are delayed is known when they go out.
        let delayed = self.delayed.as_ref().map_or(0, |it| it.bytes);
        let may_go = || delayed == 0 && self.pace.ready_at() <= now;
        self.output.len() + delayed < most && (self.slow & slow::PACE == 0 || may_go())
    }
}

/// A client.
pub(crate) struct Client<R> {
    pub(crate) port: Port<R>,
    pub(crate) queue: Queue,
    /// Records of the queue whose matches still exist.
    pub(crate) queued: usize,
    /// Bytes of waiting updates.
    pub(crate) waiting_bytes: usize,
    /// Matches with an update that waits only for the client.
    pub(crate) ready: List<READY>,
    /// Matches with losses that can be reported.
    pub(crate) gaps: List<GAPS>,
    /// Whether an update is next, not a record of the queue.
    pub(crate) is_turn_of_ready: bool,
    /// The valid deadline, or the end of time.
    pub(crate) armed: u64,
    pub(crate) options: ClientOptions,
    /// For a client that reports what it has taken.
    pub(crate) credit: Option<Box<Credit>>,
    /// The number of matches of its subscriptions.
    pub(crate) matches: u32,
    /// The router's numbers of the subscriptions, by the client's.
    pub(crate) subscriptions: BTreeMap<u32, u32>,
    /// Of subscriptions that have not had all their last values.
    pub(crate) walks: Option<Box<Walks>>,
    /// Counted beside the matches; the port has two more counters.
    pub(crate) elided: u64,
    pub(crate) discarded: u64,
    pub(crate) waits: u64,
    /// Whether it is counted among those for which something waits.
    pub(crate) is_waiting: bool,
    /// Of matches that have ended.
    pub(crate) retired: Ledger,
    /// Why it will be disconnected.
    pub(crate) closing: Option<Box<str>>,
    /// Whether its subscriptions are being ended.
    pub(crate) is_leaving: bool,
    /// Whether it is disconnected, and only its subscriptions remain.
    pub(crate) is_gone: bool,
    /// When its memory was last checked, and what had been delivered then.
    pub(crate) swept_at: (u64, u64),
}

impl<R> Client<R> {
    pub(crate) fn new(id: ClientId, options: ClientOptions, renderer: R) -> Self {
        let pace = options.pace();
        let slow = if pace.is_capped() { slow::PACE } else { 0 };
        let output = Output::default();
        let (published, delivered) = (0, 0);
        Self {
            port: Port {
                slow,
                is_dirty: false,
                id,
                output,
                delayed: None,
                published,
                delivered,
                last_values_waiting: 0,
                renderer,
                pace,
            },
            queue: Queue::default(),
            queued: 0,
            waiting_bytes: 0,
            ready: List::default(),
            gaps: List::default(),
            is_turn_of_ready: false,
            armed: u64::MAX,
            options,
            credit: None,
            matches: 0,
            subscriptions: BTreeMap::new(),
            walks: None,
            elided: 0,
            discarded: 0,
            waits: 0,
            is_waiting: false,
            retired: Ledger::default(),
            closing: None,
            is_leaving: false,
            is_gone: false,
            swept_at: (0, 0),
        }
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger {
            published: self.port.published,
            delivered: self.port.delivered,
            elided: self.elided,
            discarded: self.discarded,
            unrendered: self.port.delayed.as_ref().map_or(0, |it| it.unrendered),
            filtered: self.port.delayed.as_ref().map_or(0, |it| it.filters.filtered),
            queued: self.waits,
        }
    }

    /// Whether its credit admits an update.
    #[inline]
    pub(crate) fn admits_update(&mut self) -> bool {
        self.credit.as_mut().is_none_or(|credit| credit.admits())
    }

    /// Sets the flags according to what waits. Updates that wait for credit hold up nothing else.
    pub(crate) fn settle(&mut self) {
        let has_update = !self.ready.is_empty() && self.admits_update();
        self.port.slow &= !slow::READY;
        self.port.slow |= if has_update { slow::READY } else { 0 };
        self.settle_queue();
    }

    /// Sets the flags according to what waits besides updates.
    #[inline]
    pub(crate) fn settle_queue(&mut self) {
        let flag = |is_empty: bool, flag| if is_empty { 0 } else { flag };
        self.port.slow = self.port.slow & !(slow::QUEUE | slow::GAPS)
            | flag(self.queue.is_empty(), slow::QUEUE)
            | flag(self.gaps.is_empty(), slow::GAPS);
    }

    /// Bytes of waiting messages.
    pub(crate) fn held(&self) -> usize {
        let undecided = self.port.delayed.as_ref().map_or(0, |it| it.filters.bytes);
        self.queue.bytes() + self.waiting_bytes + undecided
    }

    /// Messages in its queue, and those that are undecided.
    pub(crate) fn in_queue(&self) -> usize {
        self.queued + self.port.delayed.as_ref().map_or(0, |it| it.filters.undecided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_one_number_on_the_wire() {
        let id = ClientId { index: 3, generation: u32::MAX };
        assert_eq!((id.as_u64(), ClientId::from_u64(id.as_u64())), (0xffff_ffff_0000_0003, id));
    }

    #[test]
    fn output_keeps_what_is_not_sent() {
        let mut output = Output::default();
        let mut expected = std::collections::VecDeque::new();
        for round in 0..2_000_usize {
            for byte in 0..round * 31 % 97 {
                output.bytes.push(byte as u8);
                expected.push_back(byte as u8);
            }
            let sent = (round * 17 % 96).min(expected.len());
            output.sent(sent);
            expected.drain(..sent);
            assert!(output.unsent().iter().eq(&expected), "in round {round}");
            assert!(output.bytes.len() <= 2 * expected.len() + COMPACT + 96);
        }
        output.sent(usize::MAX);
        assert!(output.unsent().is_empty());
    }
}
