//! A disk that is simulated, and fails as disks do: in the middle of a write, with the sectors of a write
//! in any order, without room, without saying so.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use rustix::io::Errno;

use crate::disk::Disk;

/// Bytes that are on the disk together, or not at all.
pub const SECTOR: usize = 512;

/// A number below the one it is given, by chance.
pub type Chance<'a> = &'a mut dyn FnMut(u64) -> u64;

/// A file: as programs see it, and as it is on the disk.
#[derive(Clone, Debug, Default)]
struct File {
    seen: Vec<u8>,
    /// None if its name is not on the disk.
    kept: Option<Vec<u8>>,
    /// Removed for programs, as which one; on the disk still, perhaps.
    removed: Option<u64>,
}

/// What the next writes and reads do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// They work.
    #[default]
    None,
    /// They fail, and some of their sectors are on the disk. Programs see all of them until the power
    /// is cut.
    Writes,
    /// They work, and reads fail.
    Reads,
    /// They work, and reads are interrupted, or give less than there is.
    ShortReads,
}

/// A folder on a disk that is simulated.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk {
    files: BTreeMap<String, File>,
    /// Bytes of all files together, at most.
    room: Option<u64>,
    fault: Fault,
    /// Bytes of files that cannot be read.
    bad: Vec<(String, Range<u64>)>,
    /// So many of the next writes find no handle for their file.
    without_handle: u32,
    /// Files that were removed since the power was cut.
    removals: u64,
    /// Used to choose sectors where no chance is given.
    state: u64,
}

impl SimulatedDisk {
    /// An empty folder.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, ..Self::default() }
    }

    /// From now on files may have so many bytes together; those there are stay.
    pub fn set_room(&mut self, room: Option<u64>) {
        self.room = room;
    }

    /// From now on writes and reads fail or do not.
    pub fn set_fault(&mut self, fault: Fault) {
        self.fault = fault;
    }

    /// From now on these bytes of a file cannot be read.
    pub fn set_bad(&mut self, name: &str, bytes: Range<u64>) {
        self.bad.push((name.to_owned(), bytes));
    }

    /// So many of the next writes fail before a byte is written, since the process has too many files
    /// open.
    pub fn set_without_handle(&mut self, writes: u32) {
        self.without_handle = writes;
    }

    /// Whether so many bytes more are too many.
    fn check_room(&self, bytes: usize) -> io::Result<()> {
        let is_too_many = |room| bytes > 0 && self.bytes() + bytes as u64 > room;
        if self.room.is_some_and(is_too_many) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room (simulated)"));
        }
        Ok(())
    }

    /// The program ends: all that it was told is written is there, and what it was writing may be. The
    /// system goes on, so that nothing else is lost.
    pub fn kill(&mut self, writing: &[(String, u64, &[u8])], chance: Chance<'_>) {
        let whole = chance(writing.len() as u64 + 1) as usize;
        for (number, (name, offset, bytes)) in writing.iter().enumerate() {
            if number > whole {
                break;
            }
            let length =
                if number < whole { bytes.len() } else { chance(bytes.len() as u64 + 1) as usize };
            let Some(file) = self.files.get_mut(name) else { continue };
            put(&mut file.seen, *offset as usize, &bytes[..length]);
            // The next is not begun before this one is on the disk.
            if let Some(kept) = file.kept.as_mut().filter(|_| number < whole) {
                put(kept, *offset as usize, bytes);
            }
        }
    }

    /// The power fails: what was not on the disk is gone. Of what was being written any sectors may be
    /// there of one piece, those before it are, and those behind it are not. Files that were removed last
    /// may be back.
    pub fn cut_power(&mut self, writing: &[(String, u64, &[u8])], chance: Chance<'_>) {
        let whole = chance(writing.len() as u64 + 1) as usize;
        for (number, (name, offset, bytes)) in writing.iter().enumerate() {
            let Some(kept) = self.files.get_mut(name).and_then(|it| it.kept.as_mut()) else {
                continue;
            };
            if number < whole {
                put(kept, *offset as usize, bytes);
            } else if number == whole {
                tear(kept, *offset as usize, bytes, chance);
            }
        }
        let is_gone = chance(self.removals + 1);
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

    /// By the generator of Steele, Lea and Flood (SplitMix).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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
fn tear(bytes: &mut Vec<u8>, offset: usize, new: &[u8], chance: Chance<'_>) {
    let mut at = 0;
    while at < new.len() {
        let end = ((offset + at) / SECTOR + 1) * SECTOR - offset;
        let end = end.min(new.len());
        if chance(2) == 0 {
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
        let kept = Some(seen.clone());
        self.files.insert(name.to_owned(), File { seen, kept, removed: None });
        Ok(())
    }

    fn write(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.random();
        let fails = self.fault == Fault::Writes;
        if self.without_handle > 0 {
            self.without_handle -= 1;
            return Err(Errno::MFILE.into());
        }
        let end = offset as usize + bytes.len();
        self.check_room(end.saturating_sub(self.find(name)?.seen.len()))?;
        let file = self.find_mut(name)?;
        put(&mut file.seen, offset as usize, bytes);
        let Some(kept) = &mut file.kept else { return Err(failed()) };
        if fails {
            let mut toss = |below| {
                state = state.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (state >> 33) % below
            };
            tear(kept, offset as usize, bytes, &mut toss);
            return Err(failed());
        }
        put(kept, offset as usize, bytes);
        Ok(())
    }

    fn replace(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if self.fault == Fault::Writes {
            return Err(failed());
        }
        self.check_room(bytes.len())?;
        let (seen, kept) = (bytes.to_vec(), Some(bytes.to_vec()));
        self.files.insert(name.to_owned(), File { seen, kept, removed: None });
        Ok(())
    }

    fn truncate(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        if self.fault == Fault::Writes {
            return Err(failed());
        }
        let file = self.find_mut(name)?;
        file.seen.resize(bytes as usize, 0);
        file.kept = Some(file.seen.clone());
        Ok(())
    }

    fn read(&mut self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let random = self.random();
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
