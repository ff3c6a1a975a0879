//! A client's queue of messages: records in segments of memory, without an allocation for each.
//!
//! ```text
//!    0               4               8                              16
//!  +---------------+---------------+-------------------------------+
//!  | match         | generation    | sequence                      |   0
//!  +---------------+---------------+---------------+-------+-------+
//!  | published: nanoseconds        | payload bytes | format| flags |  16
//!  +-------------------------------+---------------+-------+-------+
//!  | requester: client             | correlation                   |  32  if flag 1
//!  +-------------------------------+-------------------------------+
//!  | lost: count                   | first                         |      if flag 2
//!  | last                          | since                         |
//!  +-------------------------------+-------------------------------+
//!  | payload, then at once the next record
//!
//!   front                                             back
//!     |                                                 |
//!     v                                                 v
//!   [##gone##|record|record]  [record|record|record]  [record|   room   ]
//!    segment: 4 KiB             8 KiB                   16 KiB ... 64 KiB, or one long record
//! ```
//!
//! Numbers are in the machine's byte order: nothing of this leaves the process.

use std::collections::VecDeque;

use crate::client::ClientId;
use crate::matched::Lost;
use crate::message::Requester;

/// Bytes of the first segment of a queue; each is twice the one before it, up to the last size.
const FIRST_SEGMENT: usize = 4 << 10;
const LAST_SEGMENT: usize = 64 << 10;

/// Bytes of a record without its payload, requester and loss.
const HEAD: usize = 32;
const REQUESTER: usize = 16;
const LOST: usize = 32;

const HAS_REQUESTER: u16 = 1;
const HAS_LOST: u16 = 2;

/// A message in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueuedMessage<'a> {
    pub(crate) matched: u32,
    /// The generation of the match: a record of an ended match has another one.
    pub(crate) generation: u32,
    pub(crate) sequence: u64,
    pub(crate) format: u16,
    /// When it was published.
    pub(crate) published: u64,
    pub(crate) request: Option<Requester>,
    /// The losses of the match between its previous record and this one.
    pub(crate) lost: Option<Lost>,
    pub(crate) payload: &'a [u8],
}

impl QueuedMessage<'_> {
    /// Bytes in a queue.
    pub(crate) fn size(&self) -> usize {
        let requester = if self.request.is_some() { REQUESTER } else { 0 };
        let lost = if self.lost.is_some() { LOST } else { 0 };
        HEAD + requester + lost + self.payload.len()
    }

    fn write(&self, out: &mut Vec<u8>) {
        let length = u32::try_from(self.payload.len()).expect("messages are below 4 GiB");
        let requester = if self.request.is_some() { HAS_REQUESTER } else { 0 };
        let lost = if self.lost.is_some() { HAS_LOST } else { 0 };
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&self.matched.to_ne_bytes());
        head[4..8].copy_from_slice(&self.generation.to_ne_bytes());
        head[8..16].copy_from_slice(&self.sequence.to_ne_bytes());
        head[16..24].copy_from_slice(&self.published.to_ne_bytes());
        head[24..28].copy_from_slice(&length.to_ne_bytes());
        head[28..30].copy_from_slice(&self.format.to_ne_bytes());
        head[30..].copy_from_slice(&(requester | lost).to_ne_bytes());
        out.extend_from_slice(&head);
        if let Some(request) = &self.request {
            out.extend_from_slice(&request.client.as_u64().to_ne_bytes());
            out.extend_from_slice(&request.correlation.to_ne_bytes());
        }
        if let Some(lost) = &self.lost {
            for value in [lost.count, lost.first, lost.last, lost.since] {
                out.extend_from_slice(&value.to_ne_bytes());
            }
        }
        out.extend_from_slice(self.payload);
    }
}

/// Takes a number from the beginning of `bytes`.
macro_rules! take {
    ($type:ty, $bytes:ident) => {{
        let (value, rest) = $bytes.split_first_chunk().expect("a whole record");
        $bytes = rest;
        <$type>::from_ne_bytes(*value)
    }};
}

fn read(mut bytes: &[u8]) -> QueuedMessage<'_> {
    let matched = take!(u32, bytes);
    let generation = take!(u32, bytes);
    let sequence = take!(u64, bytes);
    let published = take!(u64, bytes);
    let length = take!(u32, bytes) as usize;
    let format = take!(u16, bytes);
    let flags = take!(u16, bytes);
    let request = (flags & HAS_REQUESTER != 0).then(|| {
        let client = ClientId::from_u64(take!(u64, bytes));
        Requester { client, correlation: take!(u64, bytes) }
    });
    let lost = (flags & HAS_LOST != 0).then(|| {
        let (count, first) = (take!(u64, bytes), take!(u64, bytes));
        Lost { count, first, last: take!(u64, bytes), since: take!(u64, bytes) }
    });
    let payload = &bytes[..length];
    QueuedMessage { matched, generation, sequence, format, published, request, lost, payload }
}

/// Emptied segments of the last size, for any queue.
#[derive(Default)]
pub(crate) struct Segments {
    free: Vec<Vec<u8>>,
}

impl Segments {
    /// How many are kept: 4 MiB.
    const MOST: usize = 64;

    fn give(&mut self, mut segment: Vec<u8>) {
        if segment.capacity() == LAST_SEGMENT && self.free.len() < Self::MOST {
            segment.clear();
            self.free.push(segment);
        }
    }
}

/// Records, first in, first out. The caller enforces the bounds.
#[derive(Default)]
pub(crate) struct Queue {
    segments: VecDeque<Vec<u8>>,
    /// Where the first record begins in the first segment.
    start: usize,
    /// An emptied segment below the last size, for the next one.
    spare: Vec<u8>,
    bytes: usize,
    records: usize,
}

impl Queue {
    /// Bytes of all records.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(crate) fn push(&mut self, record: &QueuedMessage<'_>, free: &mut Segments) {
        let size = record.size();
        let has_room =
            self.segments.back().is_some_and(|last| last.capacity() - last.len() >= size);
        if !has_room {
            self.add_segment(size, free);
        }
        record.write(self.segments.back_mut().expect("a segment with room"));
        self.bytes += size;
        self.records += 1;
    }

    fn add_segment(&mut self, size: usize, free: &mut Segments) {
        let usual = self.segments.back().map_or(FIRST_SEGMENT, |last| 2 * last.capacity());
        let capacity = usual.min(LAST_SEGMENT).max(size);
        let segment = if self.spare.capacity() >= size {
            std::mem::take(&mut self.spare)
        } else if capacity == LAST_SEGMENT
            && let Some(segment) = free.free.pop()
        {
            segment
        } else {
            Vec::with_capacity(capacity)
        };
        self.segments.push_back(segment);
    }

    /// The oldest record.
    #[inline]
    pub(crate) fn front(&self) -> Option<QueuedMessage<'_>> {
        self.segments.front().map(|first| read(&first[self.start..]))
    }

    /// Removes the oldest record, of this size in bytes.
    #[inline]
    pub(crate) fn pop(&mut self, size: usize, free: &mut Segments) {
        self.start += size;
        self.bytes -= size;
        self.records -= 1;
        if self.segments.front().is_some_and(|first| first.len() == self.start) {
            self.start = 0;
            let mut emptied = self.segments.pop_front().expect("the first segment");
            if emptied.capacity() >= LAST_SEGMENT {
                free.give(emptied);
            } else if emptied.capacity() > self.spare.capacity() {
                emptied.clear();
                self.spare = emptied;
            }
        }
    }

    /// Keeps the records that `keep` selects by match and generation.
    pub(crate) fn retain(&mut self, free: &mut Segments, keep: impl Fn(u32, u32) -> bool) {
        let mut all = std::mem::take(self);
        while let Some(record) = all.front() {
            if keep(record.matched, record.generation) {
                self.push(&record, free);
            }
            let size = record.size();
            all.pop(size, free);
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Bytes of all segments.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.segments.iter().chain([&self.spare]).map(Vec::capacity).sum()
    }

    /// Gives back unused memory.
    pub(crate) fn shrink(&mut self) {
        if self.is_empty() {
            self.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u64, payload: &[u8]) -> QueuedMessage<'_> {
        let client = ClientId { index: 7, generation: 9 };
        let lost = Lost { count: 3, first: number, last: number + 4, since: 12 };
        QueuedMessage {
            matched: 5,
            generation: 6,
            sequence: number,
            format: 8,
            published: 11,
            request: number.is_multiple_of(2).then_some(Requester { client, correlation: number }),
            lost: number.is_multiple_of(3).then_some(lost),
            payload,
        }
    }

    #[test]
    fn records_come_out_as_they_went_in() {
        let bytes: Vec<u8> = (0..200_000).map(|byte| byte as u8).collect();
        let length =
            |number: u64| (number as usize * 7_919) % [10, 500, 200_000][number as usize % 3];
        let (mut queue, mut free) = (Queue::default(), Segments::default());
        let (mut pushed, mut popped) = (0, 0);
        for round in 1..60 {
            for _ in 0..round * 3 % 50 {
                queue.push(&record(pushed, &bytes[..length(pushed)]), &mut free);
                pushed += 1;
            }
            for _ in 0..round * 7 % 50 {
                let Some(front) = queue.front() else { break };
                assert_eq!(front, record(popped, &bytes[..length(popped)]));
                let size = front.size();
                queue.pop(size, &mut free);
                popped += 1;
            }
        }
        assert!(pushed > 1_000 && popped > 500, "{pushed} {popped}");
        while let Some(front) = queue.front() {
            assert_eq!(front, record(popped, &bytes[..length(popped)]));
            let size = front.size();
            queue.pop(size, &mut free);
            popped += 1;
        }
        assert_eq!((pushed, queue.bytes(), queue.is_empty()), (popped, 0, true));
    }

    #[test]
    fn an_empty_queue_needs_no_memory() {
        let (mut queue, mut free) = (Queue::default(), Segments::default());
        assert_eq!(queue.capacity(), 0);
        queue.push(&record(1, &[0; 100]), &mut free);
        assert_eq!(queue.capacity(), FIRST_SEGMENT);
        let size = queue.front().expect("a record").size();
        queue.pop(size, &mut free);
        assert_eq!(queue.capacity(), FIRST_SEGMENT, "it may be needed in a moment");
        queue.shrink();
        assert_eq!(queue.capacity(), 0);
    }

    #[test]
    fn segments_that_were_emptied_are_kept_for_others_but_not_all() {
        let (mut queue, mut free) = (Queue::default(), Segments::default());
        let (usual, long) = (vec![0; LAST_SEGMENT / 2 + 1], vec![0; 3 * LAST_SEGMENT]);
        for _ in 0..3 {
            for number in 0..2 * Segments::MOST as u64 {
                queue
                    .push(&record(number, if number % 3 == 0 { &long } else { &usual }), &mut free);
            }
            assert!(free.free.is_empty(), "what is there is used first");
            while let Some(size) = queue.front().map(|it| it.size()) {
                queue.pop(size, &mut free);
            }
            assert_eq!(free.free.len(), Segments::MOST);
            assert!(free.free.iter().all(|it| it.capacity() == LAST_SEGMENT && it.is_empty()));
        }
    }
}
