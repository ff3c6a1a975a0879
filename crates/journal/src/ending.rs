//! The content of a segment, and what is missing in it.

use crate::index::Index;
use crate::journal::{CLOSED, LEAP};
use crate::record::{Address, HEAD, MARK, Record, padded};
use crate::scan::{Damage, DamageKind, Found, Scan};
use crate::segment::SEGMENT_HEAD;

/// What was truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The place from which it was truncated.
    pub at: Address,
    /// Non-zero bytes.
    pub bytes: u32,
}

/// Bytes of a segment from an offset up to the last non-zero one.
pub(crate) fn used(bytes: &[u8], from: usize) -> u32 {
    // Most of a segment may be zeros: comparing whole pieces takes a tenth of the time.
    const PIECE: usize = 4 << 10;
    let rest = bytes.get(from..).unwrap_or(&[]);
    let mut end = rest.len();
    for piece in rest.rchunks(PIECE) {
        if piece.iter().fold(0, |all, byte| all | byte) != 0 {
            let zeros = piece.iter().rev().take_while(|byte| **byte == 0).count();
            return (end - zeros) as u32;
        }
        end -= piece.len();
    }
    0
}

/// The end of a record; the zeros behind it may be truncated.
fn end_of(at: Address, record: &Record<'_>, bytes: &[u8]) -> u32 {
    let end = at.offset as usize + padded(HEAD + record.body.len());
    end.min(bytes.len()) as u32
}

/// The index of a segment, and its damage.
pub(crate) fn whole(bytes: &[u8], journal: u64, number: u32, after: u64) -> (Index, Vec<Damage>) {
    let mut index = Index { end: SEGMENT_HEAD as u32, ..Index::default() };
    let mut damages = Vec::new();
    let mut scan = Scan::new(bytes, journal, number, after);
    for found in scan.by_ref() {
        match found {
            Found::Record(at, record) => {
                index.add(at, record.position, record.time, end_of(at, &record, bytes));
            }
            Found::Damage(damage) => damages.push(damage),
        }
    }
    if let Some(end) = scan.end()
        && end.unreadable > 0
    {
        let (after, before) = (index.last.max(after), u64::MAX);
        let kind = DamageKind::Head;
        damages.push(Damage { at: end.at, bytes: end.unreadable, after, before, kind });
    }
    (index, damages)
}

/// The positions between two, both excluded, that no damage explains. Damage whose end is unknown now ends
/// at the second.
fn missing<'a>(
    after: u64,
    before: u64,
    damages: impl Iterator<Item = &'a mut Damage>,
) -> Option<(u64, u64)> {
    let mut known = after;
    for damage in damages {
        if damage.before == u64::MAX && damage.after < before {
            damage.before = before;
        }
        if damage.after <= known {
            known = known.max(damage.before - 1);
        }
    }
    (known + 1 < before).then_some((known, before))
}

/// Missing records at the end of a segment, according to an index written when it was complete.
pub(crate) fn lost_tail(
    number: u32,
    (found, recorded): (&Index, &Index),
    damages: &mut Vec<Damage>,
) {
    if recorded.last <= found.last {
        return;
    }
    let known = if found.records > 0 { found.last } else { recorded.first.saturating_sub(1) };
    if let Some((after, before)) = missing(known, recorded.last + 1, damages.iter_mut()) {
        let at = Address { segment: number, offset: found.end };
        let (bytes, kind) = (recorded.end.saturating_sub(found.end), DamageKind::Missing);
        damages.push(Damage { at, bytes, after, before, kind });
    }
}

/// Missing records between two segments with records and none between them. Positions go on from one to the
/// next, or jump to the start of a segment behind an unclean end.
pub(crate) fn gap<'a>(
    (number, index): (u32, &Index),
    (next, first): (u32, u64),
    damages: impl Iterator<Item = &'a mut Damage>,
) -> Option<Damage> {
    let of_these = damages.filter(|damage| (number..=next).contains(&damage.at.segment));
    let (after, before) = missing(index.last, first, of_these)?;
    let at = Address { segment: number, offset: index.end };
    let is_leap = first == u64::from(next) * LEAP;
    let kind = DamageKind::Missing;
    (!is_leap).then_some(Damage { at, bytes: 0, after, before, kind })
}

/// A segment in which writing may have ended anywhere.
///
/// Each record says what was known to be on disk when it was appended, and no write begins before the
/// earlier one is known to be on disk. So an unreadable record was being written, unless a later one knows
/// better.
pub(crate) struct Ending<'a> {
    bytes: &'a [u8],
    journal: u64,
    number: u32,
    /// Position of the last record before the segment.
    after: u64,
    pub(crate) index: Index,
    pub(crate) damages: Vec<Damage>,
    pub(crate) torn: Torn,
    /// If the journal was closed: the number of the last segment created by then.
    closed: Option<u32>,
    /// Where the records begin that no other confirms to be on disk.
    pub(crate) unsure: u32,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(bytes: &'a [u8], journal: u64, number: u32, after: u64) -> Self {
        let end = SEGMENT_HEAD as u32;
        let index = Index { end, ..Index::default() };
        let torn = Torn { at: Address { segment: number, offset: end }, bytes: 0 };
        let (damages, closed) = (Vec::new(), None);
        let mut ending =
            Self { bytes, journal, number, after, index, damages, torn, closed, unsure: end };
        ending.read();
        ending
    }

    /// Whether the journal was closed here, with this number of the last segment. A process that began a
    /// later one may have used positions of which nothing is left.
    pub(crate) fn was_closed(&self, last: u32) -> bool {
        self.closed.is_some_and(|made| last <= made.max(self.number))
    }

    fn read(&mut self) {
        let scan = || Scan::new(self.bytes, self.journal, self.number, self.after);
        let stable = scan().filter_map(|found| match found {
            Found::Record(_, record) => Some(record.stable),
            Found::Damage(_) => None,
        });
        let stable = stable.max().unwrap_or(0);
        let mut cut = None;
        for found in scan() {
            match found {
                Found::Record(at, record) => self.add(at, &record, stable),
                Found::Damage(damage) => {
                    let was_there = damage.after < stable;
                    if was_there {
                        self.damages.push(damage);
                    }
                    if damage.before > stable + 1 {
                        cut = Some(damage.at.offset);
                        break;
                    }
                }
            }
        }
        let from = cut.unwrap_or(self.index.end);
        let bytes = used(self.bytes, from as usize);
        self.torn = Torn { at: Address { segment: self.number, offset: from }, bytes };
        if bytes > 0 {
            self.closed = None;
        }
        if self.index.records > 0 {
            self.index.end = from;
        }
    }

    fn add(&mut self, at: Address, record: &Record<'_>, stable: u64) {
        let end = end_of(at, record, self.bytes);
        self.index.add(at, record.position, record.time, end);
        self.closed = closed(record);
        if record.position <= stable {
            self.unsure = end;
        }
    }
}

/// If a record says that the journal was closed: the number of the last segment created.
fn closed(record: &Record<'_>) -> Option<u32> {
    let number = record.body.strip_prefix(CLOSED).filter(|_| record.kind == MARK)?;
    Some(number.first_chunk().map_or(0, |number| u32::from_le_bytes(*number)))
}
