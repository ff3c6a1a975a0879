//! The newest records, in memory: those not on disk yet, and those that are read most.
//!
//! ```text
//!   start                                                      end
//!     |                                                         |
//!     v                                                         v
//!   [chunk|chunk|chunk] [chunk|chunk|chunk] [chunk|chunk] [growing   ]
//!    on disk, readable   being written       wait          takes records until it has 256 KiB,
//!                                                          or a commit asks for what there is
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use crate::record::{Address, Record, Seed, write};

/// Contiguous bytes of a segment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Their place.
    pub at: Address,
    /// Whole records.
    pub bytes: Vec<u8>,
}

impl Chunk {
    fn end(&self) -> u32 {
        self.at.offset + self.bytes.len() as u32
    }
}

/// The size at which a chunk is complete.
const CHUNK: usize = 256 << 10;

/// Empty chunks that are kept for reuse.
const SPARE: usize = 16;

/// Chunks in order, and one that is still growing.
#[derive(Debug)]
pub(crate) struct Tail {
    seed: Seed,
    /// Those in the beginning are on disk.
    chunks: VecDeque<Arc<Chunk>>,
    /// The number of unwritten chunks at the end.
    unwritten: usize,
    growing: Chunk,
    /// Bytes of all.
    bytes: usize,
    /// Bytes that are not on disk.
    pending: usize,
    spare: Vec<Vec<u8>>,
}

impl Tail {
    pub(crate) fn new(seed: Seed, at: Address) -> Self {
        Self {
            seed,
            chunks: VecDeque::new(),
            unwritten: 0,
            growing: Chunk { at, bytes: Vec::new() },
            bytes: 0,
            pending: 0,
            spare: Vec::new(),
        }
    }

    /// The place of the next record.
    pub(crate) fn end(&self) -> Address {
        Address { offset: self.growing.end(), ..self.growing.at }
    }

    /// The place of the first record in memory, now or later.
    pub(crate) fn start(&self) -> Address {
        self.chunks.front().map_or(self.growing.at, |first| first.at)
    }

    /// Bytes that are not on disk.
    pub(crate) fn pending(&self) -> usize {
        self.pending
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.bytes + self.spare.iter().map(Vec::capacity).sum::<usize>()
    }

    /// Continues at another place.
    pub(crate) fn move_to(&mut self, at: Address) {
        self.freeze();
        self.growing.at = at;
    }

    /// Appends a record, and returns its place.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>, parts: &[&[u8]]) -> Address {
        if self.growing.bytes.len() >= CHUNK {
            self.freeze();
        }
        let (at, before) = (self.end(), self.growing.bytes.len());
        write(&mut self.growing.bytes, self.seed, at, record, parts);
        let written = self.growing.bytes.len() - before;
        self.bytes += written;
        self.pending += written;
        at
    }

    /// Completes the growing chunk.
    fn freeze(&mut self) {
        if self.growing.bytes.is_empty() {
            return;
        }
        let at = self.end();
        let bytes = self.spare.pop().unwrap_or_default();
        let full = std::mem::replace(&mut self.growing, Chunk { at, bytes });
        self.chunks.push_back(Arc::new(full));
        self.unwritten += 1;
    }

    /// Unwritten chunks, up to `most` bytes, but at least one.
    pub(crate) fn unwritten(&mut self, most: usize) -> Vec<Arc<Chunk>> {
        self.freeze();
        let mut bytes = 0;
        let first = self.chunks.len() - self.unwritten;
        let mut taken = Vec::new();
        for chunk in self.chunks.range(first..) {
            bytes += chunk.bytes.len();
            if bytes > most && !taken.is_empty() {
                break;
            }
            taken.push(Arc::clone(chunk));
        }
        taken
    }

    /// So many chunks are on disk now.
    pub(crate) fn written(&mut self, chunks: usize) {
        let first = self.chunks.len() - self.unwritten;
        let bytes: usize = self.chunks.range(first..first + chunks).map(|it| it.bytes.len()).sum();
        self.unwritten -= chunks;
        self.pending -= bytes;
    }

    /// Forgets the oldest records on disk, until at most `most` bytes of them are in memory. Unwritten
    /// bytes do not count: they would push out everything that is being read.
    pub(crate) fn forget(&mut self, most: usize) {
        while self.bytes - self.pending > most && self.chunks.len() > self.unwritten {
            self.forget_first();
        }
    }

    /// Forgets a segment and those before it, on disk or not.
    pub(crate) fn forget_segment(&mut self, segment: u32) {
        while self.chunks.front().is_some_and(|first| first.at.segment <= segment) {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        let Some(first) = self.chunks.pop_front() else { return };
        self.bytes -= first.bytes.len();
        if self.unwritten > self.chunks.len() {
            self.unwritten = self.chunks.len();
            self.pending -= first.bytes.len();
        }
        if self.spare.len() < SPARE
            && let Ok(Chunk { mut bytes, .. }) = Arc::try_unwrap(first)
            && bytes.capacity() <= 2 * CHUNK
        {
            bytes.clear();
            self.spare.push(bytes);
        }
    }

    /// The bytes from an address on, if they are in memory. They begin with a record if the address is that
    /// of a record.
    #[inline]
    pub(crate) fn from(&self, at: Address) -> Option<&[u8]> {
        if at >= self.growing.at {
            let offset = at.offset - self.growing.at.offset;
            return self
                .growing
                .bytes
                .get(offset as usize..)
                .filter(|_| at.segment == self.growing.at.segment);
        }
        let after = self.chunks.partition_point(|chunk| chunk.at <= at);
        let chunk = self.chunks.get(after.checked_sub(1)?)?;
        let is_here = at.segment == chunk.at.segment && at.offset < chunk.end();
        is_here.then(|| &chunk.bytes[(at.offset - chunk.at.offset) as usize..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read_head;

    #[test]
    fn records_are_found_where_they_were_put() {
        let seed = Seed::new(1);
        let mut tail = Tail::new(seed, Address { segment: 1, offset: 64 });
        let mut places = Vec::new();
        for position in 1..3_000 {
            if position % 1_000 == 0 {
                let segment = 1 + position as u32 / 1_000;
                tail.move_to(Address { segment, offset: 64 });
            }
            let record = Record { position, time: 0, stable: 0, kind: 1, body: b"" };
            places.push(tail.push(&record, &[&[7; 400], b"end"]));
        }
        let all = tail.unwritten(usize::MAX);
        assert_eq!(all.iter().map(|it| it.bytes.len()).sum::<usize>(), tail.pending());
        assert_eq!(tail.unwritten(1).len(), 1);
        tail.written(2);
        tail.forget(0);
        for (number, at) in places.iter().enumerate() {
            let head = tail.from(*at).map(|bytes| read_head(bytes, seed, *at).expect("a record"));
            assert_eq!(head.map(|it| it.position), (*at >= all[2].at).then_some(number as u64 + 1));
        }
        assert_eq!(tail.from(tail.end()).map(<[u8]>::len), Some(0));
        // There is nothing behind the end of a segment, although there are later ones.
        let last = all.iter().rfind(|it| it.at.segment == 2).expect("it is there");
        assert!(tail.from(Address { offset: last.end(), ..last.at }).is_none());
        tail.forget_segment(2);
        assert_eq!(tail.from(places[1_998]), None);
        assert!(tail.from(places[1_999]).is_some());
    }
}
