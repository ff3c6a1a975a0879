//! A simulated disk with the failures of real ones: in the middle of a write, with the sectors of a write
//! in any order, without room, silently.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use rustix::io::Errno;
use trunkline_random::Random;

use crate::disk::Disk;

/// Bytes that reach the disk together, or not at all.
pub const SECTOR: usize = 512;

/// Returns a random number below its argument.
pub type RandomBelow<'a> = &'a mut dyn FnMut(u64) -> u64;

/// A file: as programs see it, and as it is on the disk.
#[derive(Clone, Debug, Default)]
struct File {
    seen: Vec<u8>,
    /// `None` if its name is not on the disk.
    kept: Option<Vec<u8>>,
    /// Removed for programs, with its number in the order of removals; perhaps still on the disk.
    removed: Option<u64>,
}

/// The result of the next writes and reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// They succeed.
    #[default]
    None,
    /// They fail, and some of their sectors reach the disk. Programs see all of them until the power is
    /// cut.
    Writes,
    /// They succeed, and nothing reaches the disk: as if nobody had synced it.
    Syncs,
    /// Writes succeed, and reads fail.
    Reads,
    /// Writes succeed, and reads are interrupted or short.
    ShortReads,
}

/// A folder on a simulated disk.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk {
    files: BTreeMap<String, File>,
    /// The most bytes of all files together.
    room: Option<u64>,
    fault: Fault,
    /// Unreadable bytes of files.
    bad: Vec<(String, Range<u64>)>,
    /// So many of the next writes find no handle for their file.
    without_handle: u32,
    /// Files that were removed since the power was cut.
    removals: u64,
    /// For choosing sectors where the caller gives no chance.
    random: Random,
}

impl SimulatedDisk {
    /// An empty folder.
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), ..Self::default() }
    }

    /// Sets the most bytes of all files together; existing ones stay.
    pub fn set_room(&mut self, room: Option<u64>) {
        self.room = room;
    }

    /// Sets whether writes and reads fail from now on.
    pub fn set_fault(&mut self, fault: Fault) {
        self.fault = fault;
    }

    /// Makes these bytes of a file unreadable.
    pub fn set_bad(&mut self, name: &str, bytes: Range<u64>) {
        self.bad.push((name.to_owned(), bytes));
    }

    /// Makes so many of the next writes fail before a byte is written, because the process has too many
    /// files open.
    pub fn set_without_handle(&mut self, writes: u32) {
        self.without_handle = writes;
    }

    /// Fails if so many more bytes are too many.
    fn check_room(&self, bytes: usize) -> io::Result<()> {
        let is_too_many = |room| bytes > 0 && self.bytes() + bytes as u64 > room;
        if self.room.is_some_and(is_too_many) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room (simulated)"));
        }
        Ok(())
    }

    /// The program ends: everything reported as written is there, and what it was writing may be. The
    /// system goes on, so that nothing else is lost.
    pub fn kill(&mut self, writing: &[(String, u64, &[u8])], random: RandomBelow<'_>) {
        let whole = random(writing.len() as u64 + 1) as usize;
        for (number, (name, offset, bytes)) in writing.iter().enumerate() {
            if number > whole {
                break;
            }
            let length =
                if number < whole { bytes.len() } else { random(bytes.len() as u64 + 1) as usize };
            let Some(file) = self.files.get_mut(name) else { continue };
            put(&mut file.seen, *offset as usize, &bytes[..length]);
            // A write does not begin before the one before it is on the disk.
            if let Some(kept) = file.kept.as_mut().filter(|_| number < whole) {
                put(kept, *offset as usize, bytes);
            }
        }
    }

    /// The power fails: what was not on the disk is gone. Of the pieces being written, those before one
    /// piece are there, any sectors of that one, and none behind it. The files that were removed last may
    /// be back.
    pub fn cut_power(&mut self, writing: &[(String, u64, &[u8])], random: RandomBelow<'_>) {
        let whole = random(writing.len() as u64 + 1) as usize;
        for (number, (name, offset, bytes)) in writing.iter().enumerate() {
            let Some(kept) = self.files.get_mut(name).and_then(|it| it.kept.as_mut()) else {
                continue;
            };
            if number < whole {
                put(kept, *offset as usize, bytes);
            } else if number == whole {
                tear(kept, *offset as usize, bytes, random);
            }
        }
        let is_gone = random(self.removals + 1);
        self.files.retain(|_, file| {
            let Some(kept) = &file.kept else { return false };
            file.seen.clone_from(kept);
            file.removed.take().is_none_or(|removed| removed >= is_gone)
        });
        self.removals = 0;
    }

    /// Changes a bit of a file.
    pub fn flip(&mut self, name: &str, byte: usize, bit: u8) {
        if let Some(file) = self.files.get_mut(name) {
            for bytes in [Some(&mut file.seen), file.kept.as_mut()].into_iter().flatten() {
                if let Some(byte) = bytes.get_mut(byte) {
                    *byte ^= 1 << (bit % 8);
                }
            }
        }
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.values().filter(|it| it.removed.is_none()).map(|it| it.seen.len() as u64).sum()
    }

    fn find(&self, name: &str) -> io::Result<&File> {
        let file = self.files.get(name).filter(|file| file.removed.is_none());
        file.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }

    fn find_mut(&mut self, name: &str) -> io::Result<&mut File> {
        let file = self.files.get_mut(name).filter(|file| file.removed.is_none());
        file.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }

    /// Gives a file these bytes, in place of an earlier file of the name.
    fn put_file(&mut self, name: &str, seen: Vec<u8>) {
        let kept = if self.fault == Fault::Syncs {
            self.files.get(name).and_then(|it| it.kept.clone())
        } else {
            Some(seen.clone())
        };
        self.files.insert(name.to_owned(), File { seen, kept, removed: None });
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, new: &[u8]) {
    let end = offset + new.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(new);
}

/// Writes some of the sectors.
fn tear(bytes: &mut Vec<u8>, offset: usize, new: &[u8], random: RandomBelow<'_>) {
    let mut at = 0;
    while at < new.len() {
        let end = ((offset + at) / SECTOR + 1) * SECTOR - offset;
        let end = end.min(new.len());
        if random(2) == 0 {
            put(bytes, offset + at, &new[at..end]);
        }
        at = end;
    }
}

fn failed() -> io::Error {
    io::Error::other("the disk failed (simulated)")
}

impl Disk for SimulatedDisk {
    fn names(&mut self) -> io::Result<Vec<String>> {
        let there = self.files.iter().filter(|(_, file)| file.removed.is_none());
        Ok(there.map(|(name, _)| name.clone()).collect())
    }

    fn length(&mut self, name: &str) -> io::Result<u64> {
        Ok(self.find(name)?.seen.len() as u64)
    }

    fn create(&mut self, name: &str, head: &[u8], bytes: u64) -> io::Result<()> {
        self.check_room(bytes as usize)?;
        if self.fault == Fault::Writes {
            return Err(failed());
        }
        let mut seen = head.to_vec();
        seen.resize(bytes as usize, 0);
        self.put_file(name, seen);
        Ok(())
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut random = Random::new(self.random.bits());
        let fault = self.fault;
        if self.without_handle > 0 {
            self.without_handle -= 1;
            return Err(Errno::MFILE.into());
        }
        let end = offset as usize + bytes.len();
        self.check_room(end.saturating_sub(self.find(name)?.seen.len()))?;
        let file = self.find_mut(name)?;
        put(&mut file.seen, offset as usize, bytes);
        let kept = file.kept.as_mut().filter(|_| fault != Fault::Syncs);
        if fault != Fault::Writes {
            kept.into_iter().for_each(|kept| put(kept, offset as usize, bytes));
            return Ok(());
        }
        let mut draw = |below| random.below(below);
        kept.into_iter().for_each(|kept| tear(kept, offset as usize, bytes, &mut draw));
        Err(failed())
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if self.fault == Fault::Writes {
            return Err(failed());
        }
        self.check_room(bytes.len())?;
        self.put_file(name, bytes.to_vec());
        Ok(())
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        if self.fault == Fault::Writes {
            return Err(failed());
        }
        let mut seen = self.find(name)?.seen.clone();
        seen.resize(bytes as usize, 0);
        self.put_file(name, seen);
        Ok(())
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let random = self.random.bits();
        let seen = &self.find(name)?.seen;
        let rest = seen.get(offset as usize..).unwrap_or(&[]);
        let mut length = rest.len().min(buffer.len());
        let end = offset + length as u64;
        let is_bad = |(other, bytes): &(String, Range<u64>)| {
            other == name && bytes.start < end && offset < bytes.end
        };
        if self.fault == Fault::Reads || self.bad.iter().any(is_bad) {
            return Err(failed());
        }
        if self.fault == Fault::ShortReads && length > 1 {
            if random.is_multiple_of(4) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            length = 1 + (random >> 33) as usize % length;
        }
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        let number = self.removals;
        self.find_mut(name)?.removed = Some(number);
        self.removals += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    const NEW: [u8; 3 * SECTOR] = [7; 3 * SECTOR];

    /// A disk with three files of zeros, all on disk.
    fn filled() -> SimulatedDisk {
        let mut disk = SimulatedDisk::new(1);
        for name in ["a", "b", "c"] {
            disk.create(name, b"head", 4 * SECTOR as u64).expect("room");
        }
        disk
    }

    fn bytes(disk: &mut SimulatedDisk, name: &str) -> Option<Vec<u8>> {
        crate::disk::read_all(disk, name).ok()
    }

    fn zeros() -> Vec<u8> {
        let mut bytes = vec![0; 4 * SECTOR];
        bytes[..4].copy_from_slice(b"head");
        bytes
    }

    /// Zeros, and sevens in some of the three sectors behind 100 bytes.
    fn zeros_but(sectors: &[usize]) -> Vec<u8> {
        let mut bytes = zeros();
        // The write begins in the middle of a sector, so that it touches four.
        let ends = [100, SECTOR, 2 * SECTOR, 3 * SECTOR, 3 * SECTOR + 100];
        sectors.iter().for_each(|it| bytes[ends[*it]..ends[*it + 1]].fill(7));
        bytes
    }

    /// Returns the given numbers, one after the other.
    fn scripted(all: &[u64]) -> impl FnMut(u64) -> u64 {
        let mut all = VecDeque::from(all.to_vec());
        move |below| {
            let random = all.pop_front().expect("as many as are asked for");
            assert!(random < below, "{random} of {below}");
            random
        }
    }

    #[test]
    fn when_the_power_is_cut_what_was_not_synced_is_gone() {
        let mut disk = filled();
        disk.set_fault(Fault::Syncs);
        disk.write("a", 100, &NEW).expect("written");
        disk.truncate("b", 4).expect("cut");
        disk.replace("c", b"new").expect("replaced");
        disk.create("d", b"", 10).expect("made");
        let mut killed = disk.clone();
        killed.kill(&[], &mut scripted(&[0]));
        for disk in [&mut disk, &mut killed] {
            assert_eq!(bytes(disk, "a"), Some(zeros_but(&[0, 1, 2, 3])), "programs see it");
            assert_eq!(bytes(disk, "b").as_deref(), Some(&b"head"[..]));
            assert_eq!(bytes(disk, "c").as_deref(), Some(&b"new"[..]));
            assert_eq!(bytes(disk, "d"), Some(vec![0; 10]));
            disk.cut_power(&[], &mut scripted(&[0, 0]));
            for name in ["a", "b", "c"] {
                assert_eq!(bytes(disk, name), Some(zeros()), "{name}");
            }
            assert_eq!(bytes(disk, "d"), None);
        }
    }

    #[test]
    fn what_was_synced_stays_when_the_power_is_cut() {
        let mut disk = filled();
        disk.write("a", 100, &NEW).expect("written");
        disk.truncate("b", 4).expect("cut");
        disk.replace("c", b"new").expect("replaced");
        disk.cut_power(&[], &mut scripted(&[0, 0]));
        assert_eq!(bytes(&mut disk, "a"), Some(zeros_but(&[0, 1, 2, 3])));
        assert_eq!(bytes(&mut disk, "b").as_deref(), Some(&b"head"[..]));
        assert_eq!(bytes(&mut disk, "c").as_deref(), Some(&b"new"[..]));
    }

    #[test]
    fn a_write_that_failed_is_seen_until_the_power_is_cut() {
        let mut torn = 0;
        for seed in 0..20 {
            let mut disk = SimulatedDisk::new(seed);
            disk.create("a", b"head", 4 * SECTOR as u64).expect("room");
            disk.set_fault(Fault::Writes);
            disk.write("a", 100, &NEW).expect_err("it fails");
            assert_eq!(bytes(&mut disk, "a"), Some(zeros_but(&[0, 1, 2, 3])));
            disk.cut_power(&[], &mut scripted(&[0, 0]));
            let left = bytes(&mut disk, "a");
            let is_torn = left != Some(zeros()) && left != Some(zeros_but(&[0, 1, 2, 3]));
            torn += usize::from(is_torn);
        }
        assert!(torn >= 10, "some of its sectors are there: {torn} of 20");
    }

    #[test]
    fn of_what_is_being_written_a_cut_leaves_sectors_and_an_end_leaves_a_beginning() {
        let writing = ["a", "b", "c"].map(|name| (name.to_owned(), 100, &NEW[..]));
        let mut cut = filled();
        cut.cut_power(&writing, &mut scripted(&[1, 1, 0, 1, 0, 0]));
        assert_eq!(bytes(&mut cut, "a"), Some(zeros_but(&[0, 1, 2, 3])), "it was done");
        assert_eq!(bytes(&mut cut, "b"), Some(zeros_but(&[1, 3])), "it was under way");
        assert_eq!(bytes(&mut cut, "c"), Some(zeros()), "it was not begun");
        let mut killed = filled();
        killed.kill(&writing, &mut scripted(&[1, SECTOR as u64]));
        let mut begun = zeros();
        begun[100..100 + SECTOR].fill(7);
        for left in [begun, zeros()] {
            assert_eq!(bytes(&mut killed, "a"), Some(zeros_but(&[0, 1, 2, 3])));
            assert_eq!(bytes(&mut killed, "b"), Some(left), "a beginning, which is not synced");
            assert_eq!(bytes(&mut killed, "c"), Some(zeros()));
            killed.cut_power(&[], &mut scripted(&[0, 0]));
        }
    }

    #[test]
    fn of_files_that_were_removed_the_last_may_come_back() {
        let after_removals = |first_back| {
            let mut disk = filled();
            for name in ["b", "a", "c"] {
                disk.remove(name).expect("it is there");
            }
            assert_eq!((disk.names().expect("none"), disk.bytes()), (vec![], 0));
            disk.cut_power(&[], &mut scripted(&[0, first_back]));
            let back = disk.names().expect("names");
            // They are on disk for good.
            disk.cut_power(&[], &mut scripted(&[0, 0]));
            assert_eq!(disk.names().expect("names"), back);
            back
        };
        assert_eq!(after_removals(0), ["a", "b", "c"]);
        assert_eq!(after_removals(1), ["a", "c"]);
        assert_eq!(after_removals(2), ["c"]);
        assert_eq!(after_removals(3), [""; 0]);
    }
}
