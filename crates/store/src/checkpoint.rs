//! Checkpoints: everything known besides messages is written to the journal again and again, a piece at a
//! time, so that earlier segments are not needed and no turn is long.
//!
//! Each segment begins with a piece; others follow, one with each commit, and one a turn while records wait
//! for the checkpoint to be complete. A piece is true at its place; later changes are in records of their
//! own. Recovery begins with the first piece of the last complete checkpoint.

use std::collections::BTreeMap;

use crate::body::{Writer, kind};
use crate::durable::{Account, Durable};
use crate::event_sink::{ClockReading, Rejected};
use crate::state::{Delivered, Part, VERSION};
use crate::store::Store;
use trunkline_journal::Room;

/// A checkpoint with more pieces to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// The segment that begins with its first piece.
    begun: u32,
    /// The number of the next piece.
    piece: u32,
    /// Where that begins.
    at: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The producer with this number, or the next one.
    Producer(u32),
    /// The durable subscription with this number, from a position on, or the next one.
    Durable(u32, u64),
}

/// Bytes of a piece besides its producers and subscriptions.
const HEAD: usize = 28;

/// Bytes of a producer besides its name, and of a part besides its name, its pattern, its ranges and its
/// counts of deliveries.
const PRODUCER: usize = 30;
const PART: usize = 156;

/// The least room for ranges; two numbers take twenty bytes at most.
const RANGES: usize = 40;

/// The most bytes of a piece that has only one item: with the longest names and patterns.
const LONGEST: usize = 700;

/// The most bytes waiting to be written when another piece, which records wait for, is added.
const AHEAD: usize = 4 << 20;

impl Store {
    /// Begins a segment with a piece of the checkpoint.
    pub(crate) fn begin_segment(&mut self, at: ClockReading) -> Result<(), Rejected> {
        // In memory, segments and state disappear together.
        if !self.journal.is_on_disk() {
            return Ok(self.journal.begin_segment(at.time, None)?);
        }
        let begun = self.journal.next_segment();
        let new = Checkpoint { begun, piece: 0, at: Place::Producer(0) };
        let checkpoint = self.checkpoint.unwrap_or(new);
        let (body, next) = self.piece(&checkpoint);
        let since = if next.is_none() { checkpoint.begun } else { self.journal.since() };
        let mut first = Writer::default();
        first.u32(VERSION).u32(since);
        first.0.extend_from_slice(&body);
        self.journal.begin_segment_since(at.time, Some((kind::STATE, &first.0)), since)?;
        self.checkpoint = next;
        Ok(())
    }

    /// Room that is enough for any piece: less may be too little for the next one, and nothing may wait for that.
    fn piece_room(&self) -> usize {
        self.piece_bytes().max(LONGEST)
    }

    /// The most bytes of a piece, unless it has only one item.
    fn piece_bytes(&self) -> usize {
        self.settings.piece_bytes.min(self.journal.record_bytes() / 2)
    }

    /// Whether records have to wait for the checkpoint: it must be complete before its segment is full, or
    /// earlier segments would be held.
    pub(crate) fn waits_for_checkpoint(&mut self) -> bool {
        let is_late = self.journal.end().offset > self.settings.journal.segment_bytes / 2;
        let waits = self.checkpoint.is_some()
            && is_late
            && self.journal.make_room(self.piece_room()) == Ok(Room::Here);
        self.is_urgent |= waits;
        self.is_checkpoint_awaited |= waits;
        waits
    }

    /// While records wait for the checkpoint, each turn writes a piece, not only each commit: the next
    /// commit has many.
    pub(crate) fn hurry_with_checkpoint(&mut self, at: ClockReading) {
        if self.is_checkpoint_awaited {
            let is_ahead = self.journal.pending() >= AHEAD;
            self.is_checkpoint_awaited = !is_ahead && self.go_on_with_checkpoint(at);
        }
    }

    /// Writes the next piece of the checkpoint, if there is one and room for it; returns whether it did.
    pub(crate) fn go_on_with_checkpoint(&mut self, at: ClockReading) -> bool {
        let Some(checkpoint) = self.checkpoint else { return false };
        // Otherwise the next segment begins with it.
        if self.journal.make_room(self.piece_room()) != Ok(Room::Here) {
            return false;
        }
        let (body, next) = self.piece(&checkpoint);
        if self.journal.make_room(body.len()) != Ok(Room::Here) {
            return false;
        }
        self.journal.append(at.time, kind::PIECE, &[&body]);
        self.checkpoint = next;
        if next.is_none() {
            self.journal.set_since(checkpoint.begun);
        }
        true
    }

    /// The next piece of a checkpoint, and the remaining ones.
    fn piece(&self, checkpoint: &Checkpoint) -> (Vec<u8>, Option<Checkpoint>) {
        let limit = self.piece_bytes();
        let mut out = Writer::default();
        out.u32(checkpoint.begun).u32(checkpoint.piece).u32(0);
        out.u32(self.producers.fresh()).u32(self.next_durable);
        let mut at = Some(checkpoint.at);
        let (count_at, mut count) = (out.0.len(), 0_u32);
        out.u32(0);
        if let Some(Place::Producer(number)) = at {
            at = Some(Place::Durable(0, 0));
            for (number, it) in self.producers.from(number) {
                if count > 0 && out.0.len() + PRODUCER + it.name.len() > limit {
                    at = Some(Place::Producer(number));
                    break;
                }
                out.u32(number).text(&it.name).u64(it.last).u64(it.position).u64(it.used);
                count += 1;
            }
        }
        out.0[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
        let (count_at, mut count) = (out.0.len(), 0_u32);
        out.u32(0);
        while let Some(Place::Durable(number, from)) = at {
            let Some((number, durable, from)) = self.next_logged(number, from) else {
                at = None;
                break;
            };
            let room = limit
                .saturating_sub(out.0.len() + PART + durable.name.len() + durable.pattern.len());
            if room < RANGES && out.0.len() > HEAD {
                at = Some(Place::Durable(number, from));
                break;
            }
            let part = durable.part(from, room.max(RANGES), self.journal.last() + 1);
            part.write(number, &mut out);
            count += 1;
            at = Some(match part.span.1 {
                u64::MAX => Place::Durable(number + 1, 0),
                to => Place::Durable(number, to),
            });
        }
        out.0[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
        out.0[8..12].copy_from_slice(&u32::from(at.is_none()).to_le_bytes());
        let (begun, piece) = (checkpoint.begun, checkpoint.piece + 1);
        (out.0, at.map(|at| Checkpoint { begun, piece, at }))
    }

    /// The first durable subscription from a number on that is in the journal, and the position from which
    /// to write it.
    fn next_logged(&self, number: u32, from: u64) -> Option<(u32, &Durable, u64)> {
        let mut later = self.durables.range(number..);
        let (next, durable) = later.find(|(_, it)| it.is_logged && !it.is_replay())?;
        Some((*next, durable, if *next == number { from } else { 0 }))
    }
}

impl Durable {
    /// Its state, with the done ranges from a position on that fit so many bytes. `end` is the next
    /// position of the journal.
    pub(crate) fn part(&self, from: u64, bytes: usize, end: u64) -> Part<'_> {
        let mut bounds = Bounds { all: Vec::new(), before: 0, bytes: 8, most: bytes };
        let mut to = self.write_done(from, end, &mut bounds);
        let delivered = bounds.delivered(&self.delivered, from, &mut to);
        // What is not in the journal yet gets a record of its own.
        let account = Account {
            acknowledged: self.account.acknowledged - self.unlogged.acknowledged,
            expired: self.account.expired - self.unlogged.expired,
            lost: self.account.lost - self.unlogged.lost,
            purged: self.account.purged - self.unlogged.purged,
            filtered: self.account.filtered - self.unlogged.filtered,
            ..self.account
        };
        Part {
            name: &self.name,
            pattern: &self.pattern,
            from_time: self.from_time,
            conflation: self.interval(),
            account,
            matched: self.matched(end),
            is_paused: self.is_paused,
            delivered,
            span: (from, to),
            bounds: bounds.all,
        }
    }

    /// Writes the done ranges from a position on. Returns where it stopped, if there is no room for all.
    fn write_done(&self, from: u64, end: u64, bounds: &mut Bounds) -> u64 {
        let mut at = from;
        let floor = self.floor(end);
        if at < floor {
            bounds.add(at, floor);
            at = floor;
        }
        match &self.conflated {
            None => {
                for (begin, behind) in self.done.beyond(at) {
                    if !bounds.add(begin.max(at), behind) {
                        return begin.max(at);
                    }
                }
            }
            // All is done except waiting messages and those in flight.
            Some(conflated) => {
                let horizon = self.horizon(end);
                let mut waiting = conflated.waiting().range(at..).copied().peekable();
                let mut in_flight = self.in_flight.range(at..).map(|it| *it.0).peekable();
                while at < horizon {
                    let next = [waiting.peek(), in_flight.peek()].into_iter().flatten().min();
                    let next = next.copied().unwrap_or(horizon).min(horizon);
                    if at < next && !bounds.add(at, next) {
                        return at;
                    }
                    waiting.next_if_eq(&next);
                    in_flight.next_if_eq(&next);
                    at = horizon.min(next.saturating_add(1));
                }
            }
        }
        // The search may just have passed some of these.
        let at = at.max(bounds.before);
        for (begin, behind) in self.ahead.beyond(at) {
            if !bounds.add(begin.max(at), behind) {
                return begin.max(at);
            }
        }
        u64::MAX
    }
}

/// Bounds of ranges, up to a number of bytes.
struct Bounds {
    all: Vec<u64>,
    before: u64,
    bytes: usize,
    most: usize,
}

impl Bounds {
    /// Adds a range; false if there is no room.
    fn add(&mut self, begin: u64, end: u64) -> bool {
        let bytes = self.bytes + short(begin - self.before) + short(end - begin);
        if bytes > self.most {
            return false;
        }
        self.all.extend([begin, end]);
        (self.before, self.bytes) = (end, bytes);
        true
    }
}

impl Bounds {
    /// The counts of deliveries of the positions from one up to another. Where there is no room for all, both
    /// end earlier, with one count at least.
    fn delivered(&mut self, all: &Delivered, from: u64, to: &mut u64) -> Delivered {
        let mut delivered = Delivered { through: all.through, counts: BTreeMap::new() };
        let mut before = 0;
        for (position, count) in all.counts.range(from..*to) {
            let bytes = self.bytes + short(position - before) + short(u64::from(*count));
            if bytes > self.most && !delivered.counts.is_empty() {
                *to = *position;
                break;
            }
            delivered.counts.insert(*position, *count);
            (before, self.bytes) = (*position, bytes);
        }
        // Ranges behind that are of the next part.
        while self.all.len() >= 2 && self.all[self.all.len() - 2] >= *to {
            self.all.truncate(self.all.len() - 2);
        }
        if let Some(last) = self.all.last_mut() {
            *last = (*last).min(*to);
        }
        delivered
    }
}

/// Bytes of a number, as [`Writer::short`] writes it.
fn short(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}
