//! The index of a segment: positions and times, one entry for some 64 KiB.
//!
//! The index of a complete segment is beside it, so that opening a journal need not read all of it. A
//! missing or wrong one is rebuilt from the segment.

use crc32c::crc32c;

use crate::record::Address;

/// The least bytes of records between two entries.
pub(crate) const STEP: u32 = 64 << 10;

const MAGIC: &[u8; 8] = b"TRUNKIDX";
const HEAD: usize = 64;
const ENTRY: usize = 20;

/// A record that can be found without a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) position: u64,
    pub(crate) time: u64,
    pub(crate) offset: u32,
}

/// The index of a segment's records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    /// Of the first record, if there is one.
    pub(crate) first: u64,
    /// Of the last record.
    pub(crate) last: u64,
    /// Of the last record.
    pub(crate) last_time: u64,
    pub(crate) records: u64,
    /// The end of the last record.
    pub(crate) end: u32,
    pub(crate) entries: Vec<Entry>,
}

impl Index {
    /// Adds the next record, which ends at an offset.
    #[inline]
    pub(crate) fn add(&mut self, at: Address, position: u64, time: u64, end: u32) {
        if self.records == 0 {
            self.first = position;
        }
        if self.entries.last().is_none_or(|last| at.offset >= last.offset + STEP) {
            self.entries.push(Entry { position, time, offset: at.offset });
        }
        (self.last, self.last_time, self.end) = (position, time, end);
        self.records += 1;
    }

    /// Where to start searching for a position: no earlier record has it or a higher one.
    pub(crate) fn at_position(&self, position: u64) -> Option<u32> {
        let after = self.entries.partition_point(|entry| entry.position <= position);
        Some(self.entries.get(after.saturating_sub(1))?.offset)
    }

    /// Where to start searching for a time: all earlier records are older.
    pub(crate) fn at_time(&self, time: u64) -> Option<u32> {
        let after = self.entries.partition_point(|entry| entry.time < time);
        Some(self.entries.get(after.saturating_sub(1))?.offset)
    }

    /// The last entry before an offset.
    pub(crate) fn before(&self, offset: u32) -> Option<u32> {
        let after = self.entries.partition_point(|entry| entry.offset < offset);
        Some(self.entries.get(after.checked_sub(1)?)?.offset)
    }

    /// As the bytes of a file.
    pub(crate) fn write(&self, journal: u64, segment: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.entries.len() * ENTRY);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&segment.to_le_bytes());
        for number in [journal, self.first, self.last, self.last_time, self.records] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.end.to_le_bytes());
        bytes.extend_from_slice(&(self.entries.len() as u32).to_le_bytes());
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.position.to_le_bytes());
            bytes.extend_from_slice(&entry.time.to_le_bytes());
            bytes.extend_from_slice(&entry.offset.to_le_bytes());
        }
        let check = crc32c(&bytes[12..]);
        bytes[8..12].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// From the bytes of a file; `None` if they are not this segment's index.
    pub(crate) fn read(bytes: &[u8], journal: u64, segment: u32) -> Option<Self> {
        let four =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let eight =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if bytes.len() < HEAD || &bytes[..8] != MAGIC || crc32c(&bytes[12..]) != four(8) {
            return None;
        }
        let is_this = four(12) == segment && eight(16) == journal;
        if !is_this || bytes.len() != HEAD + four(60) as usize * ENTRY {
            return None;
        }
        let entries = (HEAD..bytes.len()).step_by(ENTRY).map(|at| Entry {
            position: eight(at),
            time: eight(at + 8),
            offset: four(at + 16),
        });
        Some(Self {
            first: eight(24),
            last: eight(32),
            last_time: eight(40),
            records: eight(48),
            end: four(56),
            entries: entries.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Index {
        let mut index = Index::default();
        for number in 0..1_000 {
            let at = Address { segment: 4, offset: 64 + number * 1_000 };
            index.add(at, 50 + 2 * u64::from(number), 7 * u64::from(number), at.offset + 1_000);
        }
        index
    }

    #[test]
    fn an_index_is_read_as_it_was_written() {
        let index = example();
        assert_eq!(index.entries.len(), 16);
        let bytes = index.write(9, 4);
        assert_eq!(Index::read(&bytes, 9, 4), Some(index));
        assert_eq!(Index::read(&bytes, 9, 5), None);
        assert_eq!(Index::read(&bytes, 8, 4), None);
        assert_eq!(Index::read(&bytes[..bytes.len() - 1], 9, 4), None);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Index::read(&flipped, 9, 4), None, "bit {bit}");
        }
    }

    #[test]
    fn places_are_at_or_before_what_is_looked_for() {
        let index = example();
        assert_eq!(index.at_position(0), Some(64));
        assert_eq!(index.at_position(50 + 2 * 65), Some(64));
        assert_eq!(index.at_position(50 + 2 * 66), Some(64 + 66_000));
        assert_eq!(index.at_position(u64::MAX), Some(64 + 990_000));
        assert_eq!(index.at_time(7 * 66), Some(64));
        assert_eq!(index.at_time(7 * 66 + 1), Some(64 + 66_000));
        assert_eq!(index.before(64), None);
        assert_eq!(index.before(65), Some(64));
        assert_eq!(Index::default().at_position(3), None);
    }
}
