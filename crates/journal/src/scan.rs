//! Reading a segment with any bytes.

use crate::ending::used;
use crate::record::{ALIGNMENT, Address, Head, Record, Seed, padded, read_head};
use crate::segment::SEGMENT_HEAD;

/// Bytes that are not a valid record although there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first byte.
    pub at: Address,
    /// How many.
    pub bytes: u32,
    /// Positions above this one may have been there.
    pub after: u64,
    /// No position from this one on was there.
    pub before: u64,
    /// The damage.
    pub kind: DamageKind,
}

/// Kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// A record with a changed body and a valid head.
    Body,
    /// A changed head of a record, and perhaps more behind it.
    Head,
    /// Missing records, without a byte left.
    Missing,
}

/// An item of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// A record and its place.
    Record(Address, Record<'a>),
    /// Damage with a record behind it, or at least the head of one.
    Damage(Damage),
}

/// The end of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The end of the last record, or of damage before a record.
    pub at: Address,
    /// Bytes from there that are neither records nor zeros; trailing zeros do not count.
    pub unreadable: u32,
}

/// Iterates over a segment's records, whatever its bytes are.
#[derive(Clone, Debug)]
pub struct Scan<'a> {
    bytes: &'a [u8],
    seed: Seed,
    at: Address,
    /// Of the last record.
    position: u64,
    end: Option<End>,
}

impl<'a> Scan<'a> {
    /// The records of a segment of a journal; `bytes` is its whole file, `after` the last position of the
    /// segment before.
    pub fn new(bytes: &'a [u8], journal: u64, segment: u32, after: u64) -> Self {
        let at = Address { segment, offset: SEGMENT_HEAD as u32 };
        Self { bytes, seed: Seed::new(journal), at, position: after, end: None }
    }

    /// The end of the segment, after [`Iterator::next`] has returned `None`.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at.offset as usize..).unwrap_or(&[])
    }

    /// The head of a record at an offset, if there is one.
    fn head(&self, offset: usize) -> Option<Head> {
        let bytes = self.bytes.get(offset..)?;
        let at = Address { offset: offset as u32, ..self.at };
        let head = read_head(bytes, self.seed, at)?;
        (head.length <= bytes.len() && head.position > self.position).then_some(head)
    }

    fn advance(&mut self, bytes: usize) {
        self.at.offset = (self.at.offset as usize + bytes).min(self.bytes.len()) as u32;
    }

    /// Searches for the next head behind bytes that are not one.
    fn resume(&mut self) -> Option<Found<'a>> {
        let begin = self.at.offset as usize;
        let used = used(self.bytes, begin) as usize;
        let mut offset = begin + ALIGNMENT;
        while offset < begin + used {
            if let Some(head) = self.head(offset) {
                let bytes = offset - begin;
                let damage = Damage {
                    at: self.at,
                    bytes: bytes as u32,
                    after: self.position,
                    before: head.position,
                    kind: DamageKind::Head,
                };
                self.advance(bytes);
                return Some(Found::Damage(damage));
            }
            offset += ALIGNMENT;
        }
        self.end = Some(End { at: self.at, unreadable: used as u32 });
        None
    }
}

impl<'a> Iterator for Scan<'a> {
    type Item = Found<'a>;

    fn next(&mut self) -> Option<Found<'a>> {
        if self.end.is_some() {
            return None;
        }
        let Some(head) = self.head(self.at.offset as usize) else { return self.resume() };
        let (at, after) = (self.at, self.position);
        let record = head.record(self.rest());
        self.position = head.position;
        self.advance(padded(head.length));
        Some(match record {
            Some(record) => Found::Record(at, record),
            None => Found::Damage(Damage {
                at,
                bytes: padded(head.length) as u32,
                after: after.max(head.position - 1),
                before: head.position + 1,
                kind: DamageKind::Body,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::{HEAD, write};

    const JOURNAL: u64 = 0xfeed;

    /// A segment with records of these lengths, and the place of each.
    fn segment(lengths: &[usize], room: usize) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = vec![0; SEGMENT_HEAD];
        let mut places = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let at = Address { segment: 1, offset: bytes.len() as u32 };
            places.push(bytes.len());
            let position = 10 + 2 * number as u64;
            let record = Record { position, time: position, stable: 0, kind: 1, body: b"" };
            write(&mut bytes, Seed::new(JOURNAL), at, &record, &[&vec![number as u8 + 1; *length]]);
        }
        bytes.resize(bytes.len() + room, 0);
        (bytes, places)
    }

    fn positions(bytes: &[u8]) -> (Vec<u64>, Vec<Damage>, End) {
        let mut scan = Scan::new(bytes, JOURNAL, 1, 9);
        let (mut positions, mut damages) = (Vec::new(), Vec::new());
        for found in scan.by_ref() {
            match found {
                Found::Record(_, record) => positions.push(record.position),
                Found::Damage(damage) => damages.push(damage),
            }
        }
        (positions, damages, scan.end().expect("an end"))
    }

    #[test]
    fn a_whole_segment() {
        let (bytes, _) = segment(&[0, 1, 8, 100], 64);
        let (positions, damages, end) = positions(&bytes);
        assert_eq!((positions, damages), (vec![10, 12, 14, 16], vec![]));
        assert_eq!((end.at.offset as usize, end.unreadable), (bytes.len() - 64, 0));
    }

    #[test]
    fn a_changed_body_costs_its_record_alone() {
        let (mut bytes, places) = segment(&[10, 10, 10], 64);
        bytes[places[1] + HEAD] ^= 1;
        let (positions, damages, _) = positions(&bytes);
        assert_eq!(positions, [10, 14]);
        let at = Address { segment: 1, offset: places[1] as u32 };
        let kind = DamageKind::Body;
        assert_eq!(damages, [Damage { at, bytes: 56, after: 11, before: 13, kind }]);
    }

    #[test]
    fn a_changed_head_costs_its_record_alone() {
        let (mut bytes, places) = segment(&[10, 10, 10], 64);
        bytes[places[1]] ^= 0x80;
        let (positions, damages, _) = positions(&bytes);
        assert_eq!(positions, [10, 14]);
        let at = Address { segment: 1, offset: places[1] as u32 };
        let kind = DamageKind::Head;
        assert_eq!(damages, [Damage { at, bytes: 56, after: 10, before: 14, kind }]);
    }

    #[test]
    fn a_hole_of_zeros_is_damage_and_no_end() {
        let (mut bytes, places) = segment(&[10, 100, 10], 64);
        bytes[places[1]..places[2]].fill(0);
        let (positions, damages, end) = positions(&bytes);
        assert_eq!((positions.as_slice(), damages.len()), (&[10, 14][..], 1));
        assert_eq!((end.at.offset as usize, end.unreadable), (bytes.len() - 64, 0));
    }

    #[test]
    fn a_torn_end_is_counted() {
        let (mut bytes, places) = segment(&[10, 10, 1_000], 64);
        bytes[places[2] + 500..].fill(0);
        let (seen, damages, end) = positions(&bytes);
        assert_eq!((seen.as_slice(), damages.len(), end.unreadable), (&[10, 12][..], 1, 0));
        bytes[places[2]..places[2] + 8].fill(0xee);
        let (seen, damages, end) = positions(&bytes);
        assert_eq!((seen.as_slice(), damages.len(), end.unreadable), (&[10, 12][..], 0, 500));
        assert_eq!(end.at.offset as usize, places[2]);
    }

    proptest! {
        #[test]
        fn damage_invents_nothing_and_costs_what_it_touches(
            lengths in prop::collection::vec(0usize..300, 1..20),
            faults in prop::collection::vec((any::<prop::sample::Index>(), 1usize..200, any::<u8>()), 0..6),
        ) {
            let (bytes, places) = segment(&lengths, 100);
            let mut damaged = bytes.clone();
            for (at, length, byte) in &faults {
                let at = at.index(bytes.len());
                let end = (at + length).min(bytes.len());
                damaged[at..end].fill(*byte);
            }
            let (seen, damages, _) = positions(&damaged);
            for (number, place) in places.iter().enumerate() {
                let position = 10 + 2 * number as u64;
                let record = *place..place + HEAD + lengths[number];
                let is_right = damaged[record.clone()] == bytes[record];
                prop_assert_eq!(seen.contains(&position), is_right, "record {}", number);
            }
            prop_assert!(seen.iter().all(|position| position % 2 == 0 && *position >= 10));
            prop_assert!(seen.is_sorted());
            prop_assert!(damages.is_sorted_by_key(|damage| damage.at));
        }
    }
}
