//! A ring of bytes in shared memory, with one writer and one reader.
//!
//! Two cursors count the bytes ever written and read. Each side keeps a private copy of its own cursor and
//! publishes it; it reads the other's cursor and checks it. Each side also has a wake-up request. A side
//! that is about to sleep first sets its request and then checks once more; a side that has moved a cursor
//! first publishes it and then checks the other's request. A fence between the two steps on each side makes
//! sure that one of them sees the other.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use super::map::Mapping;

/// Bytes between words that different sides write, so that no two share a cache line; processors
/// fetch lines in pairs.
const LINE: usize = 128;

/// Bytes that the words of a ring take.
pub(super) const WORDS: usize = 4 * LINE;

const HEAD: usize = 0;
/// Beside the head, since the same side writes it.
const FINISHED: usize = 8;
const TAIL: usize = LINE;
const READER_ASKS: usize = 2 * LINE;
const WRITER_ASKS: usize = 3 * LINE;

/// The other side has set a cursor to an impossible value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the other side has spoilt the cursors in shared memory")
    }
}

impl Error for Corrupt {}

/// The published state of a ring.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    mapping: Arc<Mapping>,
    words: usize,
    data: usize,
    capacity: usize,
}

impl Ring {
    /// A ring with its words and its bytes at these offsets; `capacity` is a power of two.
    pub(super) fn new(mapping: &Arc<Mapping>, words: usize, data: usize, capacity: usize) -> Self {
        assert!(capacity.is_power_of_two(), "a ring's size is a power of two");
        Self { mapping: Arc::clone(mapping), words, data, capacity }
    }

    /// The number of bytes ever written, as the writer published it.
    #[inline]
    pub(super) fn head(&self) -> u64 {
        self.mapping.cursor(self.words + HEAD).load(Ordering::Acquire)
    }

    /// The number of bytes ever read, as the reader published it.
    #[inline]
    pub(super) fn tail(&self) -> u64 {
        self.mapping.cursor(self.words + TAIL).load(Ordering::Acquire)
    }

    /// Whether nothing more will be written.
    #[inline]
    pub(super) fn is_finished(&self) -> bool {
        self.mapping.flag(self.words + FINISHED).load(Ordering::Acquire) != 0
    }

    /// Whether a writer that has written up to `head`, with a bound of `limit` bytes, has enough room to
    /// continue after a full ring: a quarter, so that it is not woken for every byte. A corrupt cursor
    /// counts as room: the next write detects it.
    #[inline]
    pub(super) fn has_room(&self, head: u64, limit: usize) -> bool {
        let used = head.wrapping_sub(self.tail());
        used <= (limit - limit / 4) as u64 || used > self.capacity as u64
    }

    /// Requests a wake-up of the reader at the next byte; check again afterwards.
    pub(super) fn reader_asks(&self) {
        self.ask(READER_ASKS);
    }

    /// Requests a wake-up of the writer when there is room; check again afterwards.
    pub(super) fn writer_asks(&self) {
        self.ask(WRITER_ASKS);
    }

    /// The reader is awake.
    pub(super) fn reader_thanks(&self) {
        self.mapping.flag(self.words + READER_ASKS).store(0, Ordering::Relaxed);
    }

    fn ask(&self, place: usize) {
        self.mapping.flag(self.words + place).store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Whether the other side has requested a wake-up since a cursor was published; true once.
    #[inline]
    fn is_requested(&self, place: usize) -> bool {
        fence(Ordering::SeqCst);
        let flag = self.mapping.flag(self.words + place);
        flag.load(Ordering::Relaxed) != 0 && flag.swap(0, Ordering::AcqRel) != 0
    }

    /// The offset of a cursor, and the number of bytes until the end of the ring's memory.
    #[inline]
    fn place(&self, cursor: u64) -> (usize, usize) {
        let offset = cursor as usize & (self.capacity - 1);
        (self.data + offset, self.capacity - offset)
    }
}

/// The writing side.
#[derive(Debug)]
pub(super) struct Writer {
    ring: Ring,
    head: u64,
    /// The reader's cursor at the last read.
    tail: u64,
    /// The most bytes in the ring, up to its capacity.
    limit: usize,
}

impl Writer {
    pub(super) fn new(ring: Ring) -> Self {
        let limit = ring.capacity;
        Self { ring, head: 0, tail: 0, limit }
    }

    /// Sets the bound of bytes in the ring.
    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes.min(self.ring.capacity);
    }

    /// Writes as much as there is room for, perhaps nothing.
    #[inline]
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<usize, Corrupt> {
        let mut room = self.limit.saturating_sub(self.used());
        if room < bytes.len() {
            let tail = self.ring.tail();
            // The reader's cursor only grows, and never beyond ours.
            if tail.wrapping_sub(self.tail) > self.head.wrapping_sub(self.tail) {
                return Err(Corrupt);
            }
            self.tail = tail;
            room = self.limit.saturating_sub(self.used());
        }
        let count = room.min(bytes.len());
        if count == 0 {
            return Ok(0);
        }
        let (place, until_end) = self.ring.place(self.head);
        let (first, second) = bytes[..count].split_at(until_end.min(count));
        self.ring.mapping.copy_in(place, first);
        if !second.is_empty() {
            self.ring.mapping.copy_in(self.ring.data, second);
        }
        self.head += count as u64;
        self.ring.mapping.cursor(self.ring.words + HEAD).store(self.head, Ordering::Release);
        Ok(count)
    }

    /// Whether the reader has requested a wake-up at the next byte; true once.
    #[inline]
    pub(super) fn has_sleeping_reader(&self) -> bool {
        self.ring.is_requested(READER_ASKS)
    }

    /// Marks the end: nothing more will be written.
    pub(super) fn finish(&mut self) {
        self.ring.mapping.flag(self.ring.words + FINISHED).store(1, Ordering::Release);
    }

    pub(super) fn head(&self) -> u64 {
        self.head
    }

    #[inline]
    fn used(&self) -> usize {
        self.head.wrapping_sub(self.tail) as usize
    }
}

/// The reading side.
#[derive(Debug)]
pub(super) struct Reader {
    ring: Ring,
    tail: u64,
    /// The writer's cursor at the last read.
    head: u64,
}

impl Reader {
    pub(super) fn new(ring: Ring) -> Self {
        Self { ring, tail: 0, head: 0 }
    }

    /// Reads what is available, perhaps nothing.
    #[inline]
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Corrupt> {
        if self.filled() < bytes.len() {
            let head = self.ring.head();
            // The writer's cursor only grows, and is at most a ring ahead of ours.
            let is_back = head.wrapping_sub(self.tail) < self.head.wrapping_sub(self.tail);
            if is_back || head.wrapping_sub(self.tail) > self.ring.capacity as u64 {
                return Err(Corrupt);
            }
            self.head = head;
        }
        let count = self.filled().min(bytes.len());
        if count == 0 {
            return Ok(0);
        }
        let (place, until_end) = self.ring.place(self.tail);
        let (first, second) = bytes[..count].split_at_mut(until_end.min(count));
        self.ring.mapping.copy_out(place, first);
        if !second.is_empty() {
            self.ring.mapping.copy_out(self.ring.data, second);
        }
        self.tail += count as u64;
        self.ring.mapping.cursor(self.ring.words + TAIL).store(self.tail, Ordering::Release);
        Ok(count)
    }

    /// Whether the writer has requested a wake-up and has room now; true once.
    #[inline]
    pub(super) fn has_sleeping_writer(&self) -> bool {
        // The writer sleeps, so the head is unchanged, or this is a moment too early.
        let has_room = self.filled() <= self.ring.capacity - self.ring.capacity / 4;
        has_room && self.ring.is_requested(WRITER_ASKS)
    }

    pub(super) fn tail(&self) -> u64 {
        self.tail
    }

    #[inline]
    fn filled(&self) -> usize {
        self.head.wrapping_sub(self.tail) as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::thread;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    use super::*;

    fn ring(capacity: usize) -> (Writer, Reader, Ring) {
        let (_file, mapping) = Mapping::create(WORDS + capacity).unwrap();
        let ring = Ring::new(&Arc::new(mapping), 0, WORDS, capacity);
        (Writer::new(ring.clone()), Reader::new(ring.clone()), ring)
    }

    proptest! {
        #![proptest_config(Config { rng_seed: RngSeed::Fixed(1), ..Config::with_cases(300) })]

        #[test]
        fn a_ring_is_a_queue_of_bytes(steps in prop::collection::vec((any::<bool>(), 0..90usize), 1..200)) {
            let (mut writer, mut reader, ring) = ring(64);
            let mut twin = VecDeque::new();
            let mut next = 0u8;
            for (writes, length) in steps {
                if writes {
                    let bytes: Vec<u8> = (0..length).map(|n| next.wrapping_add(n as u8)).collect();
                    let count = writer.write(&bytes).unwrap();
                    prop_assert_eq!(count, length.min(64 - twin.len()));
                    twin.extend(&bytes[..count]);
                    next = next.wrapping_add(count as u8);
                } else {
                    let mut bytes = vec![0; length];
                    let count = reader.read(&mut bytes).unwrap();
                    prop_assert_eq!(count, length.min(twin.len()));
                    let expected: Vec<u8> = twin.drain(..count).collect();
                    prop_assert_eq!(&bytes[..count], &expected[..]);
                }
                prop_assert_eq!(ring.head() - ring.tail(), twin.len() as u64);
                prop_assert_eq!(ring.has_room(writer.head(), 64), twin.len() <= 48);
            }
        }
    }

    /// Both sides sleep on a channel whenever they can; a lost wake-up would block for ever.
    #[test]
    fn no_wake_up_is_lost() {
        const BYTES: u64 = 1_000_000;
        let (mut writer, mut reader, ring) = ring(32);
        let (wake_reader, reader_sleeps) = std::sync::mpsc::sync_channel::<()>(1);
        let (wake_writer, writer_sleeps) = std::sync::mpsc::sync_channel::<()>(1);
        let of_writer = ring.clone();
        let writing = thread::spawn(move || {
            let mut sent = 0;
            while sent < BYTES {
                let length = (1 + sent % 7).min(BYTES - sent) as usize;
                let bytes: Vec<u8> = (0..length as u64).map(|n| (sent + n) as u8).collect();
                let count = writer.write(&bytes).unwrap();
                sent += count as u64;
                if count > 0 && writer.has_sleeping_reader() {
                    let _ = wake_reader.try_send(());
                }
                if count < length {
                    of_writer.writer_asks();
                    if !of_writer.has_room(writer.head(), 32) {
                        writer_sleeps.recv().unwrap();
                    }
                }
            }
        });
        let mut received = 0;
        let mut bytes = [0; 5];
        while received < BYTES {
            let count = reader.read(&mut bytes).unwrap();
            for byte in &bytes[..count] {
                assert_eq!(*byte, received as u8);
                received += 1;
            }
            if count > 0 && reader.has_sleeping_writer() {
                let _ = wake_writer.try_send(());
            }
            if count == 0 {
                ring.reader_asks();
                if ring.head() == reader.tail() {
                    reader_sleeps.recv().unwrap();
                }
            }
        }
        writing.join().unwrap();
    }

    #[test]
    fn cursors_that_cannot_be_are_found() {
        for tail in [1, u64::MAX, 1 << 40] {
            let (mut writer, _reader, ring) = ring(64);
            ring.mapping.cursor(TAIL).store(tail, Ordering::Relaxed);
            assert_eq!(writer.write(&[0; 65]), Err(Corrupt));
        }
        for head in [65, u64::MAX, 1 << 40] {
            let (_writer, mut reader, ring) = ring(64);
            ring.mapping.cursor(HEAD).store(head, Ordering::Relaxed);
            assert_eq!(reader.read(&mut [0; 9]), Err(Corrupt));
        }
        // A writer that goes back over bytes that were read already.
        let (mut writer, mut reader, ring) = ring(64);
        writer.write(&[0; 20]).unwrap();
        reader.read(&mut [0; 10]).unwrap();
        ring.mapping.cursor(HEAD).store(5, Ordering::Relaxed);
        assert_eq!(reader.read(&mut [0; 30]), Err(Corrupt));
    }
}
