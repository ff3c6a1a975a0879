//! Reading from memory, or from bytes that were read from the disk.

use super::Journal;
use crate::record::{ALIGNMENT, Address, HEAD, Record, Seed, known_head, padded, read_head};
use crate::segment::SEGMENT_HEAD;

/// Bytes that are read at a time.
const READ: usize = 256 << 10;

/// The content of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// A record, its place, and the place of the next one.
    Record {
        /// Its place: in another segment, if it is the first of one.
        at: Address,
        /// The place behind it.
        next: Address,
        /// The record.
        record: Record<'a>,
    },
    /// Bytes that have to be read first: see [`Journal::fetch`].
    Elsewhere {
        /// How many.
        bytes: usize,
    },
    /// The end.
    End,
    /// Unreadable bytes of an earlier record; the next record is searched from here.
    Damaged {
        /// The place to continue.
        next: Address,
    },
    /// The content is no longer kept; this is the first place that is.
    Gone {
        /// The place to continue.
        next: Address,
    },
}

impl Journal {
    /// The content of an address.
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
        // Skips segments without records.
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

    /// The most bytes from unreadable ones to the next record.
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

    /// The part of a segment that is on disk for sure: records in memory may not be yet.
    fn limit(&self, segment: u32) -> u32 {
        let start = self.tail.start();
        if start.segment == segment { start.offset } else { self.end_of(segment) }
    }

    /// Requests so many bytes from an address on, as a [`Lookup`] demanded; a background task reads them.
    pub fn fetch(&mut self, at: Address, bytes: usize) {
        let Ok(at) = self.place(at) else { return };
        let rest = self.readable(at).saturating_sub(at.offset) as usize;
        if rest > 0 && self.reads.bad_until(at).is_none() {
            self.reads.want(at, bytes.max(READ).min(rest));
        }
    }

    /// The end of the readable part of a segment from an address on.
    fn readable(&self, at: Address) -> u32 {
        let limit = self.limit(at.segment);
        self.reads.bad_from(at).map_or(limit, |bad| bad.min(limit))
    }

    /// Where to start searching for a position: all earlier records have lower ones. Later ones may have
    /// lower ones too.
    pub fn find(&self, position: u64) -> Address {
        let after =
            self.segments.partition_point(|it| it.index.records > 0 && it.index.last < position);
        self.address(after, |index| index.at_position(position))
    }

    /// Where to start searching for a time: all earlier records are older. Later ones may be older too.
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

    /// Position of the first record at an address or behind it, as far as known; of the next record, if
    /// there is none.
    pub fn first_of(&self, at: Address) -> u64 {
        let mut later = self.segments.iter().filter(|it| it.number >= at.segment);
        later.find(|it| it.index.records > 0).map_or(self.position, |it| it.index.first)
    }

    /// The address of a record some way before an address, if there is one.
    pub fn back(&self, at: Address) -> Option<Address> {
        let after = self.segments.partition_point(|it| it.number <= at.segment);
        self.segments.range(..after).rev().find_map(|segment| {
            let offset = if segment.number == at.segment { at.offset } else { u32::MAX };
            let offset = segment.index.before(offset)?;
            Some(Address { segment: segment.number, offset })
        })
    }

    /// The place of the next record.
    pub fn end(&self) -> Address {
        self.tail.end()
    }
}
