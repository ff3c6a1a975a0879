//! A client's queue of messages: records in segments of memory, without an allocation for each.
//!
//! A record holds a copy of its message, or the handle of one in the slab, which others share.
//!
//! ```text
//!    0               4               8                              16
//!  +---------------+---------------+---------------+-------+-------+
//!  | match         | generation    | payload bytes | format| flags |   0  a copy
//!  +---------------+---------------+---------------+-------+-------+
//!  | sequence                      | published: nanoseconds        |  16
//!  +-------------------------------+-------------------------------+
//!  | requester: client             | correlation                   |  32  if flag 1
//!  +-------------------------------+-------------------------------+
//!  | lost: count                   | first                         |      if flag 2
//!  | last                          | since                         |
//!  | reason                        |
//!  +-------------------------------+-------------------------------+
//!  | payload, then at once the next record
//!
//!  +---------------+---------------+---------------+-------+-------+
//!  | match         | generation    | handle: page  | slot  | flags |   0  shared: flag 4
//!  +---------------+---------------+---------------+-------+-------+
//!  | lost: count                   | first                         |      if flag 2
//!  | last                          | since                         |
//!  | reason                        |
//!  +-------------------------------+
//!
//!   front                                             back
//!     |                                                 |
//!     v                                                 v
//!   [##gone##|record|record]  [record|record|record]  [record|   room   ]
//!    segment: 4 KiB             8 KiB                   16 KiB ... 64 KiB
//! ```
//!
//! Numbers are in the machine's byte order: nothing of this leaves the process.

use std::collections::VecDeque;

use crate::blocks::{BLOCK, Blocks};
use crate::client::ClientId;
use crate::matched::Lost;
use crate::message::Requester;
use crate::slab::{Handle, Kept, Slab};

/// Bytes of the first segment of a queue; each is twice the one before it, up to the size of a block.
const FIRST_SEGMENT: usize = 4 << 10;

/// Bytes that a record counts for without its payload, requester and loss, as a copy has them.
const HEAD: usize = 32;
const REQUESTER: usize = 16;
const LOST: usize = 40;
/// Bytes of a record with a handle, without its loss.
const SHARED: usize = 16;

/// The longest payload that a record may hold a copy of.
pub(crate) const COPIED: usize = 2 << 10;

const HAS_REQUESTER: u16 = 1;
const HAS_LOST: u16 = 2;
const IS_SHARED: u16 = 4;

/// Whose record it is, and what came before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) matched: u32,
    /// The generation of the match: a record of an ended match has another one.
    pub(crate) generation: u32,
    /// The losses of the match between its previous record and this one.
    pub(crate) lost: Option<Lost>,
}

/// The oldest record of a queue.
pub(crate) struct Front<'a> {
    pub(crate) head: Head,
    pub(crate) kept: Kept<'a>,
    pub(crate) extent: Extent,
}

/// What to remove with a record.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// Bytes in its segment, and bytes that it counts for.
    stored: usize,
    charged: usize,
    /// In the slab, or nothing.
    pub(crate) message: Handle,
}

/// Bytes that a message counts for while it waits in a queue, whether shared or not.
#[inline]
pub(crate) fn charge(payload: usize, is_request: bool, has_lost: bool) -> usize {
    let requester = if is_request { REQUESTER } else { 0 };
    HEAD + requester + if has_lost { LOST } else { 0 } + payload
}

impl Head {
    /// The first bytes of a record: a size and a format, or a handle, and flags besides that for a loss.
    #[inline]
    fn bytes(&self, number: u32, format: u16, flags: u16) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        let flags = flags | if self.lost.is_some() { HAS_LOST } else { 0 };
        bytes[..4].copy_from_slice(&self.matched.to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.generation.to_ne_bytes());
        bytes[8..12].copy_from_slice(&number.to_ne_bytes());
        bytes[12..14].copy_from_slice(&format.to_ne_bytes());
        bytes[14..16].copy_from_slice(&flags.to_ne_bytes());
        bytes
    }

    #[inline]
    fn write_lost(&self, out: &mut Vec<u8>) {
        if let Some(lost) = &self.lost {
            let reason = lost.reason.into();
            for value in [lost.count, lost.first, lost.last, lost.since, reason] {
                out.extend_from_slice(&value.to_ne_bytes());
            }
        }
    }

    #[inline]
    fn write_shared(&self, out: &mut Vec<u8>, message: Handle) {
        let bytes = self.bytes(message.page, message.slot, IS_SHARED);
        out.extend_from_slice(&bytes[..SHARED]);
        self.write_lost(out);
    }
}

/// A record as it is stored.
enum Body<'a> {
    Copy(Kept<'a>),
    Shared(Handle),
}

/// Takes a number from the beginning of `bytes`.
macro_rules! take {
    ($type:ty, $bytes:ident) => {{
        let (value, rest) = $bytes.split_first_chunk().expect("a whole record");
        $bytes = rest;
        <$type>::from_ne_bytes(*value)
    }};
}

#[inline(always)]
fn read(mut bytes: &[u8]) -> (Head, Body<'_>) {
    let matched = take!(u32, bytes);
    let generation = take!(u32, bytes);
    let number = take!(u32, bytes);
    let format = take!(u16, bytes);
    let flags = take!(u16, bytes);
    if flags & IS_SHARED != 0 {
        let lost = (flags & HAS_LOST != 0).then(|| read_lost(bytes));
        return (
            Head { matched, generation, lost },
            Body::Shared(Handle { page: number, slot: format }),
        );
    }
    let sequence = take!(u64, bytes);
    let published = take!(u64, bytes);
    let request = (flags & HAS_REQUESTER != 0).then(|| {
        let client = ClientId::from_u64(take!(u64, bytes));
        Requester { client, correlation: take!(u64, bytes) }
    });
    let lost = (flags & HAS_LOST != 0).then(|| {
        let lost = read_lost(bytes);
        bytes = &bytes[LOST..];
        lost
    });
    let payload = &bytes[..number as usize];
    let body = Body::Copy(Kept { sequence, published, request, format, payload });
    (Head { matched, generation, lost }, body)
}

#[cold]
fn read_lost(mut bytes: &[u8]) -> Lost {
    let (count, first) = (take!(u64, bytes), take!(u64, bytes));
    let (last, since) = (take!(u64, bytes), take!(u64, bytes));
    let reason = take!(u64, bytes) as u32;
    _ = bytes;
    Lost { count, first, last, since, reason }
}

/// Records, first in, first out. The caller enforces the bounds.
#[derive(Default)]
pub(crate) struct Queue {
    segments: VecDeque<Vec<u8>>,
    /// Where the first record begins in the first segment.
    start: usize,
    /// Where the last record begins in the last segment.
    last: usize,
    /// An emptied segment smaller than a block, for the next one.
    spare: Vec<u8>,
    bytes: usize,
    records: usize,
    /// Records with a message in the slab.
    shared: usize,
}

impl Queue {
    /// Bytes that all records count for.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// How many of the records have a message in the slab.
    #[cfg(test)]
    pub(crate) fn shared(&self) -> usize {
        self.shared
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Adds a record with a copy of a message.
    pub(crate) fn push_copy(&mut self, head: &Head, kept: &Kept<'_>, blocks: &mut Blocks) {
        let size = charge(kept.payload.len(), kept.request.is_some(), head.lost.is_some());
        let segment = self.segment_for(size, blocks);
        let length = u32::try_from(kept.payload.len()).expect("messages are below 4 GiB");
        let requester = if kept.request.is_some() { HAS_REQUESTER } else { 0 };
        let mut bytes = head.bytes(length, kept.format, requester);
        bytes[16..24].copy_from_slice(&kept.sequence.to_ne_bytes());
        bytes[24..].copy_from_slice(&kept.published.to_ne_bytes());
        segment.extend_from_slice(&bytes);
        if let Some(request) = &kept.request {
            segment.extend_from_slice(&request.client.as_u64().to_ne_bytes());
            segment.extend_from_slice(&request.correlation.to_ne_bytes());
        }
        head.write_lost(segment);
        segment.extend_from_slice(kept.payload);
        self.bytes += size;
        self.records += 1;
    }

    /// Adds a record of a message in the slab, of which it is a user already, and which counts for so many
    /// bytes.
    pub(crate) fn push_shared(
        &mut self,
        head: &Head,
        message: Handle,
        charged: usize,
        blocks: &mut Blocks,
    ) {
        let stored = SHARED + if head.lost.is_some() { LOST } else { 0 };
        let segment = self.segment_for(stored, blocks);
        head.write_shared(segment, message);
        self.bytes += charged;
        self.records += 1;
        self.shared += 1;
    }

    /// The last segment, with room for so many bytes.
    #[inline]
    fn segment_for(&mut self, bytes: usize, blocks: &mut Blocks) -> &mut Vec<u8> {
        let has_room =
            self.segments.back().is_some_and(|last| last.capacity() - last.len() >= bytes);
        if !has_room {
            self.add_segment(bytes, blocks);
        }
        let segment = self.segments.back_mut().expect("a segment with room");
        self.last = segment.len();
        segment
    }

    fn add_segment(&mut self, stored: usize, blocks: &mut Blocks) {
        let usual = self.segments.back().map_or(FIRST_SEGMENT, |last| 2 * last.capacity());
        let segment = if self.spare.capacity() >= stored {
            std::mem::take(&mut self.spare)
        } else {
            blocks.take(usual.min(BLOCK).max(stored))
        };
        self.segments.push_back(segment);
    }

    /// The newest record shares a message of the slab instead of its copy of it, if it is of this match and
    /// sequence. Returns whether it does.
    pub(crate) fn share_newest(&mut self, matched: u32, sequence: u64, message: Handle) -> bool {
        let Some(segment) = self.segments.back_mut().filter(|_| self.records > 0) else {
            return false;
        };
        let (head, Body::Copy(copy)) = read(&segment[self.last..]) else { return false };
        if (head.matched, copy.sequence) != (matched, sequence) {
            return false;
        }
        segment.truncate(self.last);
        head.write_shared(segment, message);
        self.shared += 1;
        true
    }

    /// The oldest record.
    #[inline(always)]
    pub(crate) fn front<'a>(&'a self, slab: &'a Slab) -> Option<Front<'a>> {
        let (head, body) = read(&self.segments.front()?[self.start..]);
        let has_lost = head.lost.is_some();
        Some(match body {
            Body::Copy(kept) => {
                let charged = charge(kept.payload.len(), kept.request.is_some(), has_lost);
                Front {
                    head,
                    kept,
                    extent: Extent { stored: charged, charged, message: Handle::NONE },
                }
            }
            Body::Shared(message) => {
                let kept = slab.get(message);
                let charged = charge(kept.payload.len(), kept.request.is_some(), has_lost);
                let stored = SHARED + if has_lost { LOST } else { 0 };
                Front { head, kept, extent: Extent { stored, charged, message } }
            }
        })
    }

    /// Removes the oldest record, which has this extent, and its use of what it shares.
    #[inline]
    pub(crate) fn pop(&mut self, extent: Extent, slab: &mut Slab) {
        self.start += extent.stored;
        self.bytes -= extent.charged;
        self.records -= 1;
        if extent.message != Handle::NONE {
            self.shared -= 1;
            slab.release(extent.message);
        }
        if self.segments.front().is_some_and(|first| first.len() == self.start) {
            self.drop_segment(&mut slab.blocks);
        }
    }

    fn pop_front(&mut self, slab: &mut Slab) {
        if let Some(extent) = self.front(slab).map(|it| it.extent) {
            self.pop(extent, slab);
        }
    }

    fn drop_segment(&mut self, blocks: &mut Blocks) {
        self.start = 0;
        let mut emptied = self.segments.pop_front().expect("the first segment");
        if emptied.capacity() >= BLOCK || emptied.capacity() <= self.spare.capacity() {
            blocks.give(emptied);
        } else {
            emptied.clear();
            blocks.give(std::mem::replace(&mut self.spare, emptied));
        }
    }

    /// Keeps the records that `keep` selects by match and generation.
    pub(crate) fn retain(&mut self, slab: &mut Slab, keep: impl Fn(u32, u32) -> bool) {
        let mut all = std::mem::take(self);
        while let Some(first) = all.segments.front() {
            let (head, body) = read(&first[all.start..]);
            if keep(head.matched, head.generation) {
                match body {
                    Body::Copy(kept) => self.push_copy(&head, &kept, &mut slab.blocks),
                    Body::Shared(message) => {
                        let kept = slab.get(message);
                        let (bytes, is_request) = (kept.payload.len(), kept.request.is_some());
                        let charged = charge(bytes, is_request, head.lost.is_some());
                        slab.share(message);
                        self.push_shared(&head, message, charged, &mut slab.blocks);
                    }
                }
            }
            all.pop_front(slab);
        }
        all.free(slab);
    }

    /// Drops at most so many records. Returns whether none is left.
    pub(crate) fn drop_some(&mut self, most: usize, slab: &mut Slab) -> bool {
        for _ in 0..most {
            // Copies go with their segments.
            if self.shared == 0 {
                break;
            }
            self.pop_front(slab);
        }
        if self.shared == 0 {
            self.free(slab);
        }
        self.shared == 0
    }

    /// Gives back all memory of a queue in which nothing is shared.
    fn free(&mut self, slab: &mut Slab) {
        let Self { segments, spare, .. } = std::mem::take(self);
        segments.into_iter().chain([spare]).for_each(|segment| slab.blocks.give(segment));
    }

    /// Bytes of all segments.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.segments.iter().chain([&self.spare]).map(Vec::capacity).sum()
    }

    /// Gives back unused memory.
    pub(crate) fn shrink(&mut self, slab: &mut Slab) {
        if self.is_empty() {
            self.free(slab);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u64, payload: &[u8]) -> (Head, Kept<'_>) {
        let client = ClientId { index: 7, generation: 9 };
        let lost = Lost { count: 3, first: number, last: number + 4, since: 12, reason: 5 };
        let lost = number.is_multiple_of(3).then_some(lost);
        let request = number.is_multiple_of(2).then_some(Requester { client, correlation: number });
        let kept = Kept { sequence: number, format: 8, published: 11, request, payload };
        (Head { matched: 5, generation: 6, lost }, kept)
    }

    /// Adds a record as a copy, shared from the beginning, or shared after it was a copy.
    fn push(queue: &mut Queue, number: u64, payload: &[u8], slab: &mut Slab) {
        let (head, kept) = record(number, payload);
        match number % 5 {
            0 | 1 => queue.push_copy(&head, &kept, &mut slab.blocks),
            2 => {
                let message = slab.add(&kept);
                let charged = charge(payload.len(), kept.request.is_some(), head.lost.is_some());
                queue.push_shared(&head, message, charged, &mut slab.blocks);
            }
            _ => {
                queue.push_copy(&head, &kept, &mut slab.blocks);
                let message = slab.add(&kept);
                assert!(!queue.share_newest(5, number + 1, message), "it is another one");
                assert!(!queue.share_newest(4, number, message), "it is another match's");
                assert!(queue.share_newest(5, number, message));
                assert!(!queue.share_newest(5, number, message), "it shares already");
            }
        }
    }

    #[test]
    fn records_come_out_as_they_went_in() {
        let bytes: Vec<u8> = (0..200_000).map(|byte| byte as u8).collect();
        let length =
            |number: u64| (number as usize * 7_919) % [10, 500, 200_000][number as usize % 3];
        let (mut queue, mut slab) = (Queue::default(), Slab::new());
        let (mut pushed, mut popped) = (0, 0);
        let mut pop = |queue: &mut Queue, slab: &mut Slab| {
            let Some(front) = queue.front(slab) else { return false };
            let expected = record(popped, &bytes[..length(popped)]);
            assert_eq!((front.head, front.kept), expected);
            let extent = front.extent;
            queue.pop(extent, slab);
            popped += 1;
            true
        };
        for round in 1..60 {
            for _ in 0..round * 3 % 50 {
                push(&mut queue, pushed, &bytes[..length(pushed)], &mut slab);
                pushed += 1;
            }
            if round % 7 == 0 {
                queue.retain(&mut slab, |_, _| true);
            }
            (0..round * 7 % 50).for_each(|_| _ = pop(&mut queue, &mut slab));
        }
        while pop(&mut queue, &mut slab) {}
        assert!(pushed > 1_000 && pushed == popped, "{pushed} {popped}");
        assert_eq!((queue.bytes(), queue.shared(), slab.len()), (0, 0, 0));
    }

    #[test]
    fn what_a_queue_shares_goes_with_it_in_steps() {
        let (mut queue, mut slab) = (Queue::default(), Slab::new());
        (0..1_000).for_each(|number| push(&mut queue, number, &[7; 100], &mut slab));
        assert_eq!((slab.len(), queue.shared()), (600, 600));
        let mut steps = 0;
        while !queue.drop_some(100, &mut slab) {
            steps += 1;
        }
        assert_eq!((steps, slab.len(), queue.capacity()), (9, 0, 0));
    }

    #[test]
    fn an_empty_queue_needs_no_memory() {
        let (mut queue, mut slab) = (Queue::default(), Slab::new());
        assert_eq!(queue.capacity(), 0);
        let (head, kept) = record(1, &[0; 100]);
        queue.push_copy(&head, &kept, &mut slab.blocks);
        assert_eq!((queue.capacity(), slab.blocks.bytes()), (FIRST_SEGMENT, FIRST_SEGMENT));
        queue.pop_front(&mut slab);
        assert_eq!(queue.capacity(), FIRST_SEGMENT, "it may be needed in a moment");
        queue.shrink(&mut slab);
        assert_eq!((queue.capacity(), slab.blocks.bytes()), (0, 0));
    }

    #[test]
    fn segments_that_were_emptied_are_kept_for_others_but_not_all() {
        let (mut queue, mut slab) = (Queue::default(), Slab::new());
        let (usual, long) = (vec![0; BLOCK / 2 + 1], vec![0; 3 * BLOCK]);
        for _ in 0..3 {
            for number in 0..2 * Blocks::MOST as u64 {
                let payload = if number % 3 == 0 { &long } else { &usual };
                let (head, kept) = record(number, payload);
                queue.push_copy(&head, &kept, &mut slab.blocks);
            }
            assert!(slab.blocks.free().is_empty(), "what is there is used first");
            while !queue.is_empty() {
                queue.pop_front(&mut slab);
            }
            let free = slab.blocks.free();
            assert_eq!((free.len(), slab.blocks.bytes() / BLOCK), (Blocks::MOST, Blocks::MOST));
            assert!(free.iter().all(|it| it.capacity() == BLOCK));
        }
    }
}
