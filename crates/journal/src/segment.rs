//! Files of a journal: their names, and the head of a segment.
//!
//! ```text
//!    0                               4                               8
//!  +---------------------------------------------------------------+
//!  | 'T'     'R'     'U'     'N'     'K'     'J'     'N'     'L'   |   0
//!  +-------------------------------+-------------------------------+
//!  | version: 1                    | number of the segment         |   8
//!  +-------------------------------+-------------------------------+
//!  |                    number of the journal                      |  16
//!  |              time: nanoseconds since 1970                     |  24
//!  +-------------------------------+-------------------------------+
//!  | bytes of the file             | checksum of what is above     |  32
//!  +-------------------------------+-------------------------------+
//!  |                 number of the journal, again                  |  40
//!  +---------------------------------------------------------------+
//!  | zeros                                                            48
//! ```
//!
//! Records follow from byte 64 on, and zeros behind them to the end of the file. No record can be read
//! without the journal's number, which is there twice, so that one wrong bit costs no record.

use std::fmt;

use crc32c::crc32c;

/// The place of the first record.
pub const SEGMENT_HEAD: usize = 64;

/// The version of the format.
pub const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"TRUNKJNL";

/// The head of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHead {
    /// Number of the segment: one more than that of the one before.
    pub number: u32,
    /// Number of the journal, chosen at random.
    pub journal: u64,
    /// When it was made: nanoseconds since 1970.
    pub time: u64,
    /// Bytes of the file when it was created.
    pub bytes: u32,
}

/// Why a file is not a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadError {
    /// It has fewer than [`SEGMENT_HEAD`] bytes.
    Short,
    /// It does not begin with the magic bytes.
    Magic,
    /// It was written by a later version.
    Version(u32),
    /// The checksum is wrong.
    Checksum,
    /// Its number is this one, and not that of its name.
    Number(u32),
}

impl fmt::Display for HeadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => write!(out, "it is shorter than its first {SEGMENT_HEAD} bytes"),
            Self::Magic => {
                out.write_str("it does not begin with the magic bytes of a journal segment")
            }
            Self::Version(version) => {
                write!(
                    out,
                    "its format has version {version}, and this program reads version {VERSION}"
                )
            }
            Self::Checksum => out.write_str("the checksum of its first bytes is wrong"),
            Self::Number(number) => write!(out, "its head says that it is segment {number}"),
        }
    }
}

impl SegmentHead {
    /// As bytes.
    pub fn write(&self) -> [u8; SEGMENT_HEAD] {
        let mut bytes = [0; SEGMENT_HEAD];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.number.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.journal.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.time.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.bytes.to_le_bytes());
        let check = crc32c(&bytes[..36]);
        bytes[36..40].copy_from_slice(&check.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.journal.to_le_bytes());
        bytes
    }

    /// From the first bytes of a file whose name has this number.
    ///
    /// # Errors
    ///
    /// The file is not a segment, or another one.
    pub fn read(bytes: &[u8], number: u32) -> Result<Self, HeadError> {
        let head: &[u8; SEGMENT_HEAD] = bytes.first_chunk().ok_or(HeadError::Short)?;
        let four = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let eight =
            |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        if &head[..8] != MAGIC {
            return Err(HeadError::Magic);
        }
        if crc32c(&head[..36]) != four(36) || eight(40) != eight(16) || head[48..] != [0; 16] {
            return Err(HeadError::Checksum);
        }
        if four(8) != VERSION {
            return Err(HeadError::Version(four(8)));
        }
        if four(12) != number {
            return Err(HeadError::Number(four(12)));
        }
        Ok(Self { number, journal: eight(16), time: eight(24), bytes: four(32) })
    }

    /// The possible numbers of the journal, from an unreadable head.
    pub(crate) fn journals(bytes: &[u8]) -> [u64; 2] {
        let at = |at: usize| match bytes.get(at..at + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().expect("eight bytes")),
            None => 0,
        };
        [at(16), at(40)]
    }
}

/// Name of a segment's file.
pub fn segment_name(number: u32) -> String {
    format!("{number:010}.journal")
}

/// Name of the file with a segment's index.
pub fn index_name(number: u32) -> String {
    format!("{number:010}.index")
}

/// The number of the segment that a file belongs to, if `name` is valid with this ending.
pub(crate) fn number_of(name: &str, ending: &str) -> Option<u32> {
    let digits = name.strip_suffix(ending)?;
    let is_number = digits.len() == 10 && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Ending of a segment's file.
pub(crate) const SEGMENT_ENDING: &str = ".journal";
/// Ending of an index.
pub(crate) const INDEX_ENDING: &str = ".index";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = SegmentHead { number: 3, journal: 0x1234, time: 99, bytes: 1 << 20 };
        let bytes = head.write();
        assert_eq!(SegmentHead::read(&bytes, 3), Ok(head));
        assert_eq!(SegmentHead::read(&bytes, 4), Err(HeadError::Number(3)));
        assert_eq!(SegmentHead::read(&bytes[..63], 3), Err(HeadError::Short));
        for bit in 0..SEGMENT_HEAD * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            let is_magic = bit < 64;
            let expected = if is_magic { HeadError::Magic } else { HeadError::Checksum };
            assert_eq!(SegmentHead::read(&flipped, 3), Err(expected), "bit {bit}");
        }
    }

    #[test]
    fn names_of_files() {
        assert_eq!(
            (segment_name(7), index_name(7)),
            ("0000000007.journal".into(), "0000000007.index".into())
        );
        assert_eq!(number_of("0000000007.journal", SEGMENT_ENDING), Some(7));
        assert_eq!(number_of("7.journal", SEGMENT_ENDING), None);
        assert_eq!(number_of("+000000007.journal", SEGMENT_ENDING), None);
        assert_eq!(number_of("9999999999.journal", SEGMENT_ENDING), None);
    }
}
