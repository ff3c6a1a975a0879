//! A read-only survey of a journal, also while another process writes it.

use crate::disk::{Disk, read_all};
use crate::ending::{Ending, Torn, gap, lost_tail, used, whole};
use crate::index::Index;
use crate::open::{OpenError, has_record, journal_number, segments, there};
use crate::record::{Address, HEAD, Record, known_head};
use crate::scan::{Damage, DamageKind, Found, Scan};
use crate::segment::{HeadError, SegmentHead, index_name, segment_name};

/// Bytes of a damaged record's body that are kept for display.
const BEGINNING: usize = 1 << 10;

/// The survey of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Its number.
    pub journal: u64,
    /// In order, including those without records.
    pub segments: Vec<SegmentSurvey>,
    /// What opening the journal now would truncate. If a process uses it, this is being written.
    pub torn: Option<Torn>,
    /// Whether it was closed in order.
    pub was_closed: bool,
    /// Records that had been on disk, and are damaged.
    pub damaged_records: Vec<DamagedRecord>,
}

/// The survey of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentSurvey {
    /// Its number.
    pub number: u32,
    /// Bytes of its file.
    pub bytes: u64,
    /// Written bytes, as far as records can be read.
    pub used: u32,
    /// Whether it has nothing but zeros yet: a process that uses the journal is creating it.
    pub is_being_made: bool,
    /// Its first bytes.
    pub head: Result<SegmentHead, HeadError>,
    /// Whole records.
    pub records: u64,
    /// Positions of the first and the last of them.
    pub positions: Option<(u64, u64)>,
    /// Their times: nanoseconds since 1970.
    pub times: Option<(u64, u64)>,
    /// The state of its index file.
    pub index: IndexState,
}

/// The index of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// There is none. It is created when a segment is complete, and rebuilt if it is missing.
    Missing,
    /// It agrees with the segment.
    Right,
    /// It is unreadable, or disagrees; it is rebuilt when the journal is opened.
    Wrong,
}

/// A damaged record, and its readable part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedRecord {
    /// Where it is.
    pub damage: Damage,
    /// Kind of the record, if its head is valid.
    pub kind: Option<u8>,
    /// The beginning of the body, as it is now.
    pub body: Vec<u8>,
}

/// Reads all of a journal, passes on its records, and returns the rest of the survey. `None` if there is no
/// journal.
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
    let (segments, torn, damaged_records) = (Vec::new(), None, Vec::new());
    let survey = Survey { journal, segments, torn, was_closed: false, damaged_records };
    let end = last_with_records(disk, journal, &numbers)?;
    let last = numbers.last().copied().unwrap_or(0);
    let mut surveying = Surveying { survey, end, last, before: None };
    for number in numbers {
        // Everything in it existed when it was read, and later reads include it.
        let index = read_all(disk, &index_name(number)).ok();
        let name = segment_name(number);
        match there(&name, read_all(disk, &name))? {
            Some(bytes) => surveying.add(number, &bytes, index.as_deref(), visit),
            // It was removed, as were those before it.
            None => surveying.before = None,
        }
    }
    Ok(Some(surveying.survey))
}

/// The segment in which writing has ended.
fn last_with_records(
    disk: &mut dyn Disk,
    journal: u64,
    numbers: &[u32],
) -> Result<Option<u32>, OpenError> {
    for &number in numbers.iter().rev() {
        let name = segment_name(number);
        let bytes = there(&name, read_all(disk, &name))?.unwrap_or_default();
        if has_record(&bytes, journal, number) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// A survey in progress.
struct Surveying {
    survey: Survey,
    /// The segment in which writing has ended.
    end: Option<u32>,
    /// The last there is.
    last: u32,
    /// The segment before with records, if it was complete.
    before: Option<(u32, Index)>,
}

impl Surveying {
    fn add(
        &mut self,
        number: u32,
        bytes: &[u8],
        recorded: Option<&[u8]>,
        visit: &mut dyn FnMut(Address, &Record<'_>),
    ) {
        let journal = self.survey.journal;
        let after = self.before.as_ref().map_or(0, |(_, index)| index.last);
        let is_end = self.end.is_none_or(|end| number >= end);
        let (index, mut damages) = if is_end {
            let ending = Ending::new(bytes, journal, number, after);
            if ending.torn.bytes > 0 {
                self.survey.torn.get_or_insert(ending.torn);
            }
            self.survey.was_closed |= ending.was_closed(self.last);
            (ending.index, ending.damages)
        } else {
            whole(bytes, journal, number, after)
        };
        let times = visit_all(bytes, journal, (number, after), &index, visit);
        let state = self.compare(number, &index, recorded, &mut damages);
        for damage in damages {
            self.survey.damaged_records.push(damaged_record(bytes, damage));
        }
        self.find_gap(number, &index);
        let head = SegmentHead::read(bytes, number);
        self.survey.segments.push(SegmentSurvey {
            number,
            bytes: bytes.len() as u64,
            used: index.end,
            is_being_made: head.is_err() && used(bytes, 0) == 0,
            head,
            records: index.records,
            positions: (index.records > 0).then_some((index.first, index.last)),
            times,
            index: state,
        });
        if index.records > 0 {
            // Bytes behind the end may have been written since.
            self.before = (!is_end).then_some((number, index));
        }
    }

    /// Compares an index with its segment; adds what the segment lacks.
    fn compare(
        &self,
        number: u32,
        index: &Index,
        recorded: Option<&[u8]>,
        damages: &mut Vec<Damage>,
    ) -> IndexState {
        let Some(bytes) = recorded else { return IndexState::Missing };
        let Some(recorded) = Index::read(bytes, self.survey.journal, number) else {
            return IndexState::Wrong;
        };
        lost_tail(number, (index, &recorded), damages);
        if recorded == *index { IndexState::Right } else { IndexState::Wrong }
    }

    /// Checks that all positions since the segment before are accounted for.
    fn find_gap(&mut self, number: u32, index: &Index) {
        let Some((before, old)) = self.before.as_ref().filter(|_| index.records > 0) else {
            return;
        };
        let damages = self.survey.damaged_records.iter_mut().map(|it| &mut it.damage);
        if let Some(damage) = gap((*before, old), (number, index.first), damages) {
            self.survey.damaged_records.push(DamagedRecord {
                damage,
                kind: None,
                body: Vec::new(),
            });
            self.survey.damaged_records.sort_by_key(|it| it.damage.at);
        }
    }
}

/// Passes on the records of a segment, and returns the times of the first and the last.
fn visit_all(
    bytes: &[u8],
    journal: u64,
    (number, after): (u32, u64),
    index: &Index,
    visit: &mut dyn FnMut(Address, &Record<'_>),
) -> Option<(u64, u64)> {
    let used = &bytes[..bytes.len().min(index.end as usize)];
    let mut times = None;
    for found in Scan::new(used, journal, number, after) {
        if let Found::Record(at, record) = found {
            let (first, _) = times.unwrap_or((record.time, 0));
            times = Some((first, record.time));
            visit(at, &record);
        }
    }
    times
}

impl Survey {
    /// Whether nothing is damaged; a torn end and a wrong index are not damage.
    pub fn is_sound(&self) -> bool {
        self.damaged_records.is_empty() && self.segments.iter().all(SegmentSurvey::has_right_head)
    }
}

impl SegmentSurvey {
    /// Whether its head is valid, or is being written.
    pub fn has_right_head(&self) -> bool {
        self.head.is_ok() || self.is_being_made
    }
}

fn damaged_record(bytes: &[u8], damage: Damage) -> DamagedRecord {
    let bytes = bytes.get(damage.at.offset as usize..).unwrap_or(&[]);
    // A damaged body is recognised because its head is valid.
    if damage.kind != DamageKind::Body {
        return DamagedRecord { damage, kind: None, body: Vec::new() };
    }
    let head = known_head(bytes);
    let end = head.length.min(HEAD + BEGINNING).min(bytes.len());
    DamagedRecord { damage, kind: Some(head.kind), body: bytes[HEAD..end].to_vec() }
}
