//! Which message of a session each of its producer's sequences was, over the death of the process.
//!
//! The router knows the last sequence that it has of a producer, and a session asks for messages by their numbers. A file of
//! fixed size joins the two: a slot is written before the message that it is about leaves the process, and the slots go
//! around. It is not synced: a process that is killed leaves what it wrote. Where a machine fails, slots may be missing; the
//! messages that they were about are asked for again, and say by PossDupFlag that they may have come before.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::progress::{Arrived, Began};

/// Slots of the file. A producer has fewer messages in flight.
pub(crate) const SLOTS: u64 = 1 << 14;
/// Bytes of a slot: sequence, number, when the numbers began, check.
const SLOT: usize = 32;

/// When numbers began, where that is not known.
const NEVER: i64 = i64::MIN;

#[derive(Debug)]
pub(crate) struct Numbers(File);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    sequence: u64,
    number: u64,
    began: i64,
}

impl Slot {
    fn check(&self) -> u64 {
        let Self { sequence, number, began } = *self;
        [sequence, number, began as u64].into_iter().fold(0x5452_554e_4b46_4958, |sum, it| {
            (sum ^ it).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
        })
    }

    fn write(&self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        let values = [self.sequence, self.number, self.began as u64, self.check()];
        for (to, value) in bytes.chunks_exact_mut(8).zip(values) {
            to.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn read(bytes: &[u8; SLOT]) -> Option<Self> {
        let mut values = bytes.as_chunks::<8>().0.iter().map(|it| u64::from_le_bytes(*it));
        let mut next = || values.next().unwrap_or_default();
        let slot = Self { sequence: next(), number: next(), began: next() as i64 };
        (next() == slot.check()).then_some(slot)
    }
}

impl Numbers {
    /// Opens the file, or makes it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.set_len(SLOTS * SLOT as u64)?;
        Ok(Self(file))
    }

    /// Notes which message a sequence is.
    pub(crate) fn note(&self, sequence: u64, arrived: Arrived) -> io::Result<()> {
        let Arrived { number, began } = arrived;
        let slot = Slot { sequence, number, began: began.unwrap_or(NEVER) };
        self.0.write_all_at(&slot.write(), sequence % SLOTS * SLOT as u64)
    }

    /// The number up to which the router has everything of this numbering, if it has the producer's messages up to a
    /// sequence; 0 if that is not known.
    pub(crate) fn number_of(&self, last: u64, began: Began) -> io::Result<u64> {
        let mut bytes = vec![0; SLOTS as usize * SLOT];
        self.0.read_exact_at(&mut bytes, 0)?;
        let slots = bytes.as_chunks::<SLOT>().0.iter().filter_map(Slot::read);
        let is_known = |it: &Slot| {
            it.sequence > 0 && it.sequence <= last && it.began == began.unwrap_or(NEVER)
        };
        let newest = slots.filter(is_known).max_by_key(|it| it.sequence);
        Ok(newest.map_or(0, |it| it.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("trunkline-numbers-{name}-{}", std::process::id()))
    }

    #[test]
    fn the_last_message_that_the_router_has_is_known_after_the_process_is_gone() {
        let path = file("known");
        let at = |number, began| Arrived { number, began };
        let numbers = Numbers::open(&path).expect("a file");
        for sequence in 1..=3 * SLOTS {
            numbers.note(sequence, at(sequence * 2, None)).expect("a file");
        }
        let numbers = Numbers::open(&path).expect("a file");
        assert_eq!(numbers.number_of(3 * SLOTS, None).expect("a file"), 6 * SLOTS);
        assert_eq!(numbers.number_of(3 * SLOTS - 5, None).expect("a file"), 6 * SLOTS - 10);
        // Of a router whose journal began anew, nothing is known.
        assert_eq!(numbers.number_of(7, None).expect("a file"), 0);
        // Numbers began again: those from before say nothing.
        assert_eq!(numbers.number_of(3 * SLOTS, Some(5)).expect("a file"), 0);
        numbers.note(3 * SLOTS + 1, at(2, Some(5))).expect("a file");
        assert_eq!(numbers.number_of(3 * SLOTS + 1, Some(5)).expect("a file"), 2);
        std::fs::remove_file(path).expect("a file");
    }

    #[test]
    fn a_slot_that_was_written_in_part_is_none() {
        let slot = Slot { sequence: 5, number: 9, began: NEVER };
        let bytes = slot.write();
        assert_eq!(Slot::read(&bytes), Some(slot));
        for at in 0..SLOT {
            let mut torn = bytes;
            torn[at] ^= 0x10;
            assert_eq!(Slot::read(&torn), None, "{at}");
        }
        assert_eq!(Slot::read(&[0; SLOT]), None);
    }
}
