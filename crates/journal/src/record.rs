//! A record as bytes.
//!
//! ```text
//!    0                               4                               8
//!  +-------------------------------+-------------------------------+
//!  | length: head and body         | checksum of the head          |   0
//!  +-------------------------------+-------+-----------------------+
//!  | checksum of the body          | kind  |   0       0       0   |   8
//!  +-------------------------------+-------+-----------------------+
//!  |                           position                            |  16
//!  |                             time                              |  24
//!  |                            stable                             |  32
//!  +---------------------------------------------------------------+
//!  | body, then zeros to a multiple of 8                           |  40
//! ```
//!
//! Numbers are little-endian. The checksum of the head is seeded with the journal's number and the place of
//! the record, so that bytes of another journal, or of another place, are not a valid record here.

use crc32c::crc32c_append;

/// Bytes before the body.
pub const HEAD: usize = 40;

/// Records begin at multiples of it.
pub(crate) const ALIGNMENT: usize = 8;

/// The place of a record. A later record has a higher address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// Number of the segment.
    pub segment: u32,
    /// Bytes before the record in the segment's file.
    pub offset: u32,
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its number. A later record has a higher one; positions jump after a crash.
    pub position: u64,
    /// When it was appended: nanoseconds since 1970. No later record has a lower time.
    pub time: u64,
    /// The highest position that was known to be on disk when this record was appended.
    pub stable: u64,
    /// The kind of the body; 0 is the journal's own.
    pub kind: u8,
    /// The contents.
    pub body: &'a [u8],
}

/// Kind of the record that the journal writes in a pause, to record that the last writes are on disk.
pub const MARK: u8 = 0;

/// A head without its checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) length: usize,
    pub(crate) body_check: u32,
    pub(crate) kind: u8,
    pub(crate) position: u64,
    pub(crate) time: u64,
    pub(crate) stable: u64,
}

/// Seeds the checksums of a journal's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed(u32);

impl Seed {
    pub(crate) fn new(journal: u64) -> Self {
        Self(crc32c_append(0, &journal.to_le_bytes()))
    }
}

/// The length including padding.
pub(crate) const fn padded(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT)
}

/// Bytes of a record with a body of so many.
pub(crate) fn size(body: usize) -> usize {
    padded(HEAD + body)
}

fn head_check(seed: Seed, at: Address, head: &[u8; HEAD]) -> u32 {
    let mut covered = [0; 44];
    covered[..4].copy_from_slice(&at.segment.to_le_bytes());
    covered[4..8].copy_from_slice(&at.offset.to_le_bytes());
    covered[8..12].copy_from_slice(&head[..4]);
    covered[12..].copy_from_slice(&head[8..]);
    crc32c_append(seed.0, &covered)
}

/// Appends a record; its body is the concatenation of `parts`.
pub(crate) fn write(
    out: &mut Vec<u8>,
    seed: Seed,
    at: Address,
    record: &Record<'_>,
    parts: &[&[u8]],
) {
    let body: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(HEAD + body).expect("a record that fits into a segment");
    let body_check = parts.iter().fold(0, |check, part| crc32c_append(check, part));
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[8..12].copy_from_slice(&body_check.to_le_bytes());
    head[12] = record.kind;
    head[16..24].copy_from_slice(&record.position.to_le_bytes());
    head[24..32].copy_from_slice(&record.time.to_le_bytes());
    head[32..40].copy_from_slice(&record.stable.to_le_bytes());
    let check = head_check(seed, at, &head);
    head[4..8].copy_from_slice(&check.to_le_bytes());
    out.extend_from_slice(&head);
    for part in parts {
        out.extend_from_slice(part);
    }
    out.resize(out.len() + padded(HEAD + body) - (HEAD + body), 0);
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The head of a record at the beginning of `bytes`, if there is a valid one.
pub(crate) fn read_head(bytes: &[u8], seed: Seed, at: Address) -> Option<Head> {
    let head: &[u8; HEAD] = bytes.first_chunk()?;
    let length = u32_at(head, 0) as usize;
    if length < HEAD || head[13..16] != [0; 3] || u32_at(head, 4) != head_check(seed, at, head) {
        return None;
    }
    Some(Head {
        length,
        body_check: u32_at(head, 8),
        kind: head[12],
        position: u64_at(head, 16),
        time: u64_at(head, 24),
        stable: u64_at(head, 32),
    })
}

impl Head {
    /// The record, if all of it is in `bytes` and its body is valid.
    pub(crate) fn record<'a>(&self, bytes: &'a [u8]) -> Option<Record<'a>> {
        let body = bytes.get(HEAD..self.length)?;
        let Self { position, time, stable, kind, .. } = *self;
        (crc32c_append(0, body) == self.body_check).then_some(Record {
            position,
            time,
            stable,
            kind,
            body,
        })
    }

    /// The record, whose body was checked before.
    pub(crate) fn known_record<'a>(&self, bytes: &'a [u8]) -> Record<'a> {
        let Self { position, time, stable, kind, .. } = *self;
        Record { position, time, stable, kind, body: &bytes[HEAD..self.length] }
    }
}

/// The head of a record that this process wrote or has checked.
pub(crate) fn known_head(bytes: &[u8]) -> Head {
    Head {
        length: u32_at(bytes, 0) as usize,
        body_check: u32_at(bytes, 8),
        kind: bytes[12],
        position: u64_at(bytes, 16),
        time: u64_at(bytes, 24),
        stable: u64_at(bytes, 32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Record<'static> {
        Record { position: 7, time: 1_000, stable: 5, kind: 3, body: b"" }
    }

    #[test]
    fn bytes_of_a_record() {
        let at = Address { segment: 1, offset: 64 };
        let mut bytes = Vec::new();
        write(&mut bytes, Seed::new(9), at, &example(), &[b"one", b"two"]);
        assert_eq!(bytes.len(), 48);
        assert_eq!(bytes[..4], [46, 0, 0, 0]);
        assert_eq!(bytes[8..16], [0x20, 0xa0, 0x34, 0xab, 3, 0, 0, 0]);
        assert_eq!(bytes[16..24], [7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&bytes[40..], b"onetwo\0\0");
        let head = read_head(&bytes, Seed::new(9), at).expect("a head");
        assert_eq!(head.record(&bytes), Some(Record { body: b"onetwo", ..example() }));
        assert_eq!(head, known_head(&bytes));
    }

    #[test]
    fn bytes_are_a_record_in_one_journal_and_place_only() {
        let at = Address { segment: 1, offset: 64 };
        let mut bytes = Vec::new();
        write(&mut bytes, Seed::new(9), at, &example(), &[b"body"]);
        assert!(read_head(&bytes, Seed::new(9), at).is_some());
        assert!(read_head(&bytes, Seed::new(8), at).is_none());
        assert!(read_head(&bytes, Seed::new(9), Address { offset: 72, ..at }).is_none());
        assert!(read_head(&bytes, Seed::new(9), Address { segment: 2, ..at }).is_none());
    }

    #[test]
    fn every_bit_counts() {
        let at = Address { segment: 1, offset: 64 };
        let mut bytes = Vec::new();
        write(&mut bytes, Seed::new(9), at, &example(), &[b"body"]);
        for bit in 0..(HEAD + 4) * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let head = read_head(&flipped, Seed::new(9), at);
            assert!(head.is_none_or(|head| head.record(&flipped).is_none()), "bit {bit}");
        }
    }
}
