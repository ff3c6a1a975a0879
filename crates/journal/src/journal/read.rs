//! Reading: from memory, or from what was read from the disk.

use super::Journal;
use crate::record::{ALIGNMENT, Address, HEAD, Record, Seed, known_head, padded, read_head};
use crate::segment::SEGMENT_HEAD;

/// Bytes that are read at a time.
const READ: usize = 256 << 10;

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// A record, where it is, and where the next one would be.
    Record {
        /// Where it is: another segment, if it is the first of one.
        at: Address,
        /// Behind it.
        next: Address,
        /// The record.
        record: Record<'a>,
    },
    /// Bytes that have to be read first: see [`Journal::fetch`].
    Elsewhere {
        /// How many.
        bytes: usize,
    },
    /// Nothing: it is the end.
    End,
    /// Bytes that are no record, though there was one; look there for the next.
    Damaged {
        /// Where to go on.
        next: Address,
    },
    /// What was there is not kept any more; this is the first that is.
    Gone {
        /// Where to go on.
        next: Address,
    },
}

impl Journal {
    /// What is at an address.
    pub fn at(&self, at: Address) -> Lookup<'_> {
        let at = match self.place(at) {
            Ok(at) => at,
            Err(lookup) => return lookup,
        };
        if let Some(bytes) = self.tail.from(at) {
            if bytes.is_empty() {
                return Lookup::End;
            }
            let head = known_head(bytes);
            let next = Address { offset: at.offset + padded(head.length) as u32, ..at };
            return Lookup::Record { at, next, record: head.known_record(bytes) };
        }
        self.at_disk(at)
    }

    /// The same place, or the beginning of the next segment if it is the end of one.
    fn place(&self, at: Address) -> Result<Address, Lookup<'static>> {
        let beginning = |number| Address { segment: number, offset: SEGMENT_HEAD as u32 };
        let after = self.segments.partition_point(|it| it.number <= at.segment);
        let Some(before) = after.checked_sub(1) else {
            return Err(match self.segments.front() {
                Some(first) => Lookup::Gone { next: beginning(first.number) },
                None => Lookup::End,
            });
        };
        let segment = &self.segments[before];
        if segment.number == at.segment && at.offset < segment.index.end {
            return Ok(Address { offset: at.offset.max(SEGMENT_HEAD as u32), ..at });
        }
        // Segments without records are passed by.
        let mut later = self.segments.range(after..);
        let next = later.find(|it| it.index.records > 0).ok_or(Lookup::End)?;
        Ok(beginning(next.number))
    }

    fn at_disk(&self, at: Address) -> Lookup<'_> {
        if let Some(end) = self.reads.bad_until(at) {
            return Lookup::Damaged { next: Address { offset: end, ..at } };
        }
        let Some((bytes, is_all)) = self.reads.from(at) else {
            return Lookup::Elsewhere { bytes: READ };
        };
        let (seed, readable) = (Seed::new(self.number), self.readable(at));
        let is_rest = is_all || at.offset as usize + bytes.len() >= readable as usize;
        if let Some(head) = read_head(bytes, seed, at) {
            if head.length > bytes.len() && !is_rest {
                return Lookup::Elsewhere { bytes: head.length };
            }
            let next = Address { offset: at.offset + padded(head.length) as u32, ..at };
            return match head.record(bytes) {
                Some(record) => Lookup::Record { at, next, record },
                None => Lookup::Damaged { next },
            };
        }
        if bytes.len() < HEAD && !is_rest {
            return Lookup::Elsewhere { bytes: READ };
        }
        let skipped = self.behind_damage(at, bytes, seed);
        let next = if !is_rest || skipped + HEAD <= bytes.len() {
            at.offset + skipped as u32
        } else if is_all {
            self.limit(at.segment)
        } else {
            readable
        };
        Lookup::Damaged { next: Address { offset: next.max(at.offset + 1), ..at } }
    }

    /// How far behind bytes that are no record the next one may be.
    fn behind_damage(&self, at: Address, bytes: &[u8], seed: Seed) -> usize {
        let place = |skipped: usize| Address { offset: at.offset + skipped as u32, ..at };
        let mut skipped = ALIGNMENT;
        while skipped + HEAD <= bytes.len()
            && read_head(&bytes[skipped..], seed, place(skipped)).is_none()
        {
            skipped += ALIGNMENT;
        }
        skipped
    }

    fn end_of(&self, segment: u32) -> u32 {
        let found = self.segments.binary_search_by_key(&segment, |it| it.number);
        found.map_or(u32::MAX, |found| self.segments[found].index.end)
    }

    /// How far a segment is on the disk for sure: what is in memory may not be there yet.
    fn limit(&self, segment: u32) -> u32 {
        let start = self.tail.start();
        if start.segment == segment { start.offset } else { self.end_of(segment) }
    }

    /// Has so many bytes read from an address on, which a [`Lookup`] said have to be; a background task will do it.
    pub fn fetch(&mut self, at: Address, bytes: usize) {
        let Ok(at) = self.place(at) else { return };
        let rest = self.readable(at).saturating_sub(at.offset) as usize;
        if rest > 0 && self.reads.bad_until(at).is_none() {
            self.reads.want(at, bytes.max(READ).min(rest));
        }
    }

    /// How far a segment can be read from an address on.
    fn readable(&self, at: Address) -> u32 {
        let limit = self.limit(at.segment);
        self.reads.bad_from(at).map_or(limit, |bad| bad.min(limit))
    }

    /// Where to begin to look for a position: all records before have lower ones. Those behind may have
    /// lower ones too.
    pub fn find(&self, position: u64) -> Address {
        let after =
            self.segments.partition_point(|it| it.index.records > 0 && it.index.last < position);
        self.address(after, |index| index.at_position(position))
    }

    /// Where to begin to look for a time: all records before are older. Those behind may be older too.
    pub fn find_time(&self, time: u64) -> Address {
        let after =
            self.segments.partition_point(|it| it.index.records > 0 && it.index.last_time < time);
        self.address(after, |index| index.at_time(time))
    }

    fn address(
        &self,
        segment: usize,
        find: impl Fn(&crate::index::Index) -> Option<u32>,
    ) -> Address {
        match self.segments.get(segment) {
            Some(segment) => Address {
                segment: segment.number,
                offset: find(&segment.index).unwrap_or(SEGMENT_HEAD as u32),
            },
            None => self.tail.end(),
        }
    }

    /// Position of the first record at an address or behind it, as far as is known; of the next record, if
    /// there is none.
    pub fn first_of(&self, at: Address) -> u64 {
        let mut later = self.segments.iter().filter(|it| it.number >= at.segment);
        later.find(|it| it.index.records > 0).map_or(self.position, |it| it.index.first)
    }

    /// Some way back from an address: the address of a record before it, if there is one.
    pub fn back(&self, at: Address) -> Option<Address> {
        let after = self.segments.partition_point(|it| it.number <= at.segment);
        self.segments.range(..after).rev().find_map(|segment| {
            let offset = if segment.number == at.segment { at.offset } else { u32::MAX };
            let offset = segment.index.before(offset)?;
            Some(Address { segment: segment.number, offset })
        })
    }

    /// Where the next record goes.
    pub fn end(&self) -> Address {
        self.tail.end()
    }
}
