//! Reading all of a journal and changing nothing, also while another process writes it.

use std::io;

use crate::disk::{Disk, read_all};
use crate::index::Index;
use crate::open::{Ending, OpenError, Torn, io_error, journal_number, segments, whole};
use crate::record::{Address, HEAD, Record, Seed, known_head, read_head};
use crate::scan::{Damage, DamageKind, Found, Scan};
use crate::segment::{HeadError, SegmentHead, index_name, segment_name};

/// Bytes of a damaged record's body that are kept to be looked at.
const BEGINNING: usize = 1 << 10;

/// What there is of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Its number.
    pub journal: u64,
    /// In their order, also those that have no records yet.
    pub segments: Vec<SegmentSurvey>,
    /// What would be cut off if the journal was opened now. Where a process uses it, it is being
    /// written.
    pub torn: Option<Torn>,
    /// Whether it was closed, and did not just end.
    pub was_closed: bool,
    /// Records that had been on disk, and are not any more.
    pub wounds: Vec<Wound>,
}

/// What there is of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentSurvey {
    /// Its number.
    pub number: u32,
    /// Bytes of its file.
    pub bytes: u64,
    /// Bytes of it that have been written, as far as records can be read.
    pub used: u32,
    /// Its first bytes.
    pub head: Result<SegmentHead, HeadError>,
    /// Records that are whole.
    pub records: u64,
    /// Positions of the first and the last of them.
    pub positions: Option<(u64, u64)>,
    /// Their times: nanoseconds since 1970.
    pub times: Option<(u64, u64)>,
    /// The file with its index.
    pub index: IndexState,
}

/// The index that lies beside a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// There is none. It is made when a segment is complete, and made again when it is missed.
    Missing,
    /// It says what the segment says.
    Right,
    /// It cannot be read, or says something else; it is made again when the journal is opened.
    Wrong,
}

/// A damage, and what can be read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wound {
    /// Where it is.
    pub damage: Damage,
    /// Kind of the record, if its head is right.
    pub kind: Option<u8>,
    /// How the body begins then, as it is now.
    pub body: Vec<u8>,
}

/// Reads all of a journal, hands over its records, and says what else there is. None if there is none.
///
/// # Errors
///
/// See [`OpenError`].
pub fn survey(
    disk: &mut dyn Disk,
    visit: &mut dyn FnMut(Address, &Record<'_>),
) -> Result<Option<Survey>, OpenError> {
    let numbers = segments(disk)?;
    let Some(journal) = journal_number(disk, &numbers)? else { return Ok(None) };
    let (segments, torn, wounds) = (Vec::new(), None, Vec::new());
    let mut survey = Survey { journal, segments, torn, was_closed: false, wounds };
    let last = last_with_records(disk, journal, &numbers)?;
    let mut after = 0;
    for number in numbers {
        let name = segment_name(number);
        let bytes = match read_all(disk, &name) {
            Ok(bytes) => bytes,
            // Who uses the journal may have let go of it since.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(io_error(&name)(error)),
        };
        let is_end = last.is_none_or(|last| number >= last);
        survey.add(disk, number, &bytes, is_end, &mut after, visit);
    }
    Ok(Some(survey))
}

/// The segment in which writing has ended.
fn last_with_records(
    disk: &mut dyn Disk,
    journal: u64,
    numbers: &[u32],
) -> Result<Option<u32>, OpenError> {
    for &number in numbers.iter().rev() {
        let name = segment_name(number);
        let bytes = read_all(disk, &name).map_err(io_error(&name))?;
        let mut found = Scan::new(&bytes, journal, number, 0);
        if found.any(|found| matches!(found, Found::Record(..))) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

impl Survey {
    fn add(
        &mut self,
        disk: &mut dyn Disk,
        number: u32,
        bytes: &[u8],
        is_end: bool,
        after: &mut u64,
        visit: &mut dyn FnMut(Address, &Record<'_>),
    ) {
        let (index, damages) = if is_end {
            let mut ending = Ending::new(bytes, self.journal, number);
            ending.read();
            if ending.torn.bytes > 0 {
                self.torn.get_or_insert(ending.torn);
            }
            self.was_closed |= ending.is_closed;
            (ending.index, ending.damages)
        } else {
            whole(bytes, self.journal, number, *after)
        };
        let used = &bytes[..bytes.len().min(index.end as usize)];
        let mut times = None;
        for found in Scan::new(used, self.journal, number, *after) {
            if let Found::Record(at, record) = found {
                let (first, _) = times.unwrap_or((record.time, 0));
                times = Some((first, record.time));
                visit(at, &record);
            }
        }
        for damage in damages {
            self.wounds.push(wound(bytes, self.journal, damage));
        }
        self.segments.push(SegmentSurvey {
            number,
            bytes: bytes.len() as u64,
            used: index.end,
            head: SegmentHead::read(bytes, number),
            records: index.records,
            positions: (index.records > 0).then_some((index.first, index.last)),
            times,
            index: index_state(disk, self.journal, number, &index),
        });
        *after = index.last.max(*after);
    }

    /// Whether nothing is damaged; a torn end and an index that is wrong are no damage.
    pub fn is_sound(&self) -> bool {
        self.wounds.is_empty() && self.segments.iter().all(|segment| segment.head.is_ok())
    }
}

fn index_state(disk: &mut dyn Disk, journal: u64, number: u32, right: &Index) -> IndexState {
    match read_all(disk, &index_name(number)) {
        Err(_) => IndexState::Missing,
        Ok(bytes) if Index::read(&bytes, journal, number).as_ref() == Some(right) => {
            IndexState::Right
        }
        Ok(_) => IndexState::Wrong,
    }
}

fn wound(bytes: &[u8], journal: u64, damage: Damage) -> Wound {
    let bytes = bytes.get(damage.at.offset as usize..).unwrap_or(&[]);
    let has_head = damage.kind == DamageKind::Body
        && read_head(bytes, Seed::new(journal), damage.at).is_some();
    if !has_head {
        return Wound { damage, kind: None, body: Vec::new() };
    }
    let head = known_head(bytes);
    let end = head.length.min(HEAD + BEGINNING).min(bytes.len());
    Wound { damage, kind: Some(head.kind), body: bytes[HEAD..end].to_vec() }
}
