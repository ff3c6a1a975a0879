//! Opening a journal after any failure.

use std::fmt;
use std::io;

use crate::disk::{Disk, read_all, read_part};
use crate::ending::{Ending, Torn, gap, lost_tail, used, whole};
use crate::index::Index;
use crate::journal::{Journal, LEAP, Options};
use crate::record::{Address, Record};
use crate::scan::{Damage, Found, Scan};
use crate::segment::{
    HeadError, INDEX_ENDING, SEGMENT_ENDING, SEGMENT_HEAD, SegmentHead, index_name, number_of,
    segment_name,
};

/// Why a journal cannot be opened. Nothing was changed, unless the disk failed during the repair of the
/// journal's end; the next start then repairs it.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// An error of the disk.
    Io(String, io::Error),
    /// A file is not a segment, or is of a later version.
    Segment(String, HeadError),
    /// A segment belongs to another journal than the first one.
    Foreign(String),
    /// A segment and a later one have bytes, but no readable record.
    Unreadable(String),
    /// No segment has a readable checkpoint.
    NoState,
    /// A segment has a checkpoint that is not understood: another version wrote it.
    State(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(name, error) => write!(out, "{name}: {error}"),
            Self::Segment(name, error) => write!(out, "{name}: {error}"),
            Self::Foreign(name) => {
                write!(out, "{name} belongs to another journal than the files before it")
            }
            Self::Unreadable(name) => write!(
                out,
                "no record can be read in {name} and in a later segment, though both \
                 were written to; to continue without them, move them away"
            ),
            Self::NoState => out.write_str(
                "no segment begins with a complete checkpoint: it is unknown who has \
                 acknowledged what",
            ),
            Self::State(name) => write!(
                out,
                "{name} begins with a checkpoint that this version does not \
                 understand; another version wrote it"
            ),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// The result of opening a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Segments with records.
    pub segments: usize,
    /// Records in them.
    pub records: u64,
    /// Whether it was closed in order.
    pub was_closed: bool,
    /// What was truncated at the end: it was being written when the process or the machine failed, and was
    /// not reported as on disk.
    pub torn: Option<Torn>,
    /// Records that had been on disk, and are damaged.
    pub damages: Vec<Damage>,
    /// Segments that had to be read because their index was missing or wrong.
    pub read: Vec<u32>,
    /// Empty segments, which are removed.
    pub empty: Vec<u32>,
}

/// Rebuilds the state from the records of a journal that is opened.
///
/// A function that takes records is a recovery too: for it the first record of a segment is a complete
/// checkpoint. It gets that record and all later ones, and returns for each whether it was understood.
pub trait Recovery {
    /// The segment from which records have to be read, according to the first record of this one; `None` if
    /// that is not understood.
    fn since(&self, segment: u32, first: &Record<'_>) -> Option<u32> {
        let _ = first;
        Some(segment)
    }

    /// Forgets everything: records from another segment on follow.
    fn restart(&mut self) {}

    /// Applies a record to the state; returns false if the record is not understood.
    fn apply(&mut self, at: Address, record: &Record<'_>) -> bool;

    /// Whether the records contained a complete checkpoint.
    fn is_complete(&self) -> bool {
        true
    }
}

impl<F: FnMut(Address, &Record<'_>) -> bool> Recovery for F {
    fn apply(&mut self, at: Address, record: &Record<'_>) -> bool {
        self(at, record)
    }
}

/// An existing segment.
struct ExistingSegment {
    number: u32,
    index: Index,
    /// Bytes of its file.
    bytes: u64,
    is_sealed: bool,
    /// Whether all of it was read.
    is_read: bool,
    damages: Vec<Damage>,
}

/// The end of a segment that has to be repaired.
struct Truncation {
    number: u32,
    /// Where it is truncated.
    end: u32,
    /// Bytes before the end that may not be on disk.
    unsure: Vec<u8>,
}

/// The checkpoint information of a segment's first record.
enum CheckpointStart {
    /// The checkpoint is read from this segment on.
    Since(u32),
    /// None: it is the first segment of all.
    Nothing,
}

/// A journal that is being opened.
struct Opening<'a> {
    disk: &'a mut dyn Disk,
    journal: u64,
    old: Vec<ExistingSegment>,
    cut: Option<Truncation>,
    report: Report,
}

pub(crate) fn io_error(name: &str) -> impl FnOnce(io::Error) -> OpenError {
    let name = name.to_owned();
    move |error| OpenError::Io(name, error)
}

/// Opens the journal in a folder, or creates one with this `number`.
///
/// The recovery gets the records from the last segment on from which it can rebuild the whole state: each
/// segment begins with a record of the kind `state`, which names that segment. If such a record is not
/// understood, the journal is not opened.
///
/// An incomplete record at the end was being written: it is truncated and reported, as is every damaged
/// record; the others are kept.
///
/// # Errors
///
/// See [`OpenError`].
pub fn open(
    disk: &mut dyn Disk,
    options: Options,
    number: u64,
    state: u8,
    recovery: &mut dyn Recovery,
) -> Result<(Journal, Report), OpenError> {
    let numbers = segments(disk)?;
    check_names(disk, &numbers)?;
    let Some(journal) = journal_number(disk, &numbers)? else {
        tidy_up(disk, &[])?;
        for number in numbers {
            remove(disk, number)?;
        }
        return Ok((Journal::new(options, number, 1, 1), Report::default()));
    };
    let (old, report) = (Vec::new(), Report::default());
    let mut opening = Opening { disk, journal, old, cut: None, report };
    opening.read(&numbers)?;
    let since = opening.visit(state, recovery)?;
    let before = since.map(|since| opening.since_before(since, state, recovery));
    opening.name_damages();
    opening.put_right(&numbers)?;
    let Opening { old, report, .. } = opening;
    let segment = numbers.last().map_or(1, |last| last + 1);
    let position = old.last().map_or(0, |last| last.index.last) + 1;
    let leap = if report.was_closed { 0 } else { u64::from(segment) * LEAP };
    let mut journal = Journal::new(options, journal, segment, position.max(leap));
    for it in old {
        journal.add_old(it.number, it.index, it.bytes, it.is_sealed);
    }
    if let Some(since) = since {
        journal.set_recovered(since, before.flatten());
    }
    report.empty.iter().for_each(|number| journal.add_left(*number));
    Ok((journal, report))
}

/// Numbers of all segments, in rising order.
pub(crate) fn segments(disk: &mut dyn Disk) -> Result<Vec<u32>, OpenError> {
    let names = disk.names().map_err(io_error("the journal's folder"))?;
    let mut numbers: Vec<u32> =
        names.iter().filter_map(|name| number_of(name, SEGMENT_ENDING)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes the leftovers of [`Disk::replace`], and indexes of removed segments.
fn tidy_up(disk: &mut dyn Disk, numbers: &[u32]) -> Result<(), OpenError> {
    for name in disk.names().map_err(io_error("the journal's folder"))? {
        let is_left = match number_of(&name, INDEX_ENDING) {
            Some(number) => numbers.binary_search(&number).is_err(),
            None => name.ends_with(".index.new") || name.ends_with(".journal.new"),
        };
        if is_left {
            // A leftover is harmless.
            let _ = disk.remove(&name);
        }
    }
    Ok(())
}

/// The head of a segment's file; `None` if it is gone.
fn head(
    disk: &mut dyn Disk,
    number: u32,
) -> Result<Option<Result<SegmentHead, HeadError>>, OpenError> {
    let name = segment_name(number);
    let read = there(&name, read_part(disk, &name, 0, SEGMENT_HEAD))?;
    Ok(read.map(|bytes| SegmentHead::read(&bytes, number)))
}

/// The result of a read, if the file exists. A process that uses the journal may have removed it meanwhile.
pub(crate) fn there<T>(name: &str, read: io::Result<T>) -> Result<Option<T>, OpenError> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error(name)(error)),
    }
}

/// Somebody put a segment under the name of another one: it must not be overwritten.
fn check_names(disk: &mut dyn Disk, numbers: &[u32]) -> Result<(), OpenError> {
    for &number in numbers {
        if let Some(Err(error @ HeadError::Number(_))) = head(disk, number)? {
            return Err(OpenError::Segment(segment_name(number), error));
        }
    }
    Ok(())
}

/// The journal's number, from the heads of its segments; `None` if there are no segments, except unfinished
/// ones.
pub(crate) fn journal_number(
    disk: &mut dyn Disk,
    numbers: &[u32],
) -> Result<Option<u64>, OpenError> {
    let (mut journal, mut faults) = (None, Vec::new());
    for &number in numbers {
        match head(disk, number)? {
            None => {}
            Some(Ok(head)) if journal.is_some_and(|journal| journal != head.journal) => {
                return Err(OpenError::Foreign(segment_name(number)));
            }
            Some(Ok(head)) => journal = Some(head.journal),
            Some(Err(error @ HeadError::Version(_))) => {
                return Err(OpenError::Segment(segment_name(number), error));
            }
            Some(Err(error)) => faults.push((number, error)),
        }
    }
    if journal.is_some() { Ok(journal) } else { by_records(disk, &faults) }
}

/// The journal's number if no head is readable: the one with which a segment has records.
fn by_records(disk: &mut dyn Disk, faults: &[(u32, HeadError)]) -> Result<Option<u64>, OpenError> {
    let mut unreadable = None;
    for &(number, error) in faults {
        let name = segment_name(number);
        let Some(bytes) = there(&name, read_all(disk, &name))? else { continue };
        let is_right = |journal: &u64| has_record(&bytes, *journal, number);
        if let Some(journal) = SegmentHead::journals(&bytes).into_iter().find(is_right) {
            return Ok(Some(journal));
        }
        if used(&bytes, SEGMENT_HEAD) > 0 {
            unreadable.get_or_insert((name, error));
        }
    }
    unreadable.map_or(Ok(None), |(name, error)| Err(OpenError::Segment(name, error)))
}

/// Whether a segment has a readable record.
pub(crate) fn has_record(bytes: &[u8], journal: u64, number: u32) -> bool {
    Scan::new(bytes, journal, number, 0).any(|found| matches!(found, Found::Record(..)))
}

fn remove(disk: &mut dyn Disk, number: u32) -> Result<(), OpenError> {
    // There may be none.
    let _ = disk.remove(&index_name(number));
    let name = segment_name(number);
    disk.remove(&name).map_err(io_error(&name))
}

impl Opening<'_> {
    /// Reads the segments, and changes none.
    fn read(&mut self, numbers: &[u32]) -> Result<(), OpenError> {
        let (mut numbers, last) = (numbers.to_vec(), numbers.last().copied().unwrap_or(0));
        let end = loop {
            let Some(number) = numbers.pop() else { break None };
            let name = segment_name(number);
            let bytes = read_all(self.disk, &name).map_err(io_error(&name))?;
            if has_record(&bytes, self.journal, number) {
                break Some((number, bytes));
            }
            self.add_empty(number, used(&bytes, SEGMENT_HEAD))?;
        };
        let mut after = 0;
        for number in numbers {
            after = self.read_old(number, after)?;
        }
        match end {
            None => {}
            // All of it was on disk before the next one was written to.
            Some((number, _)) if self.report.torn.is_some() => {
                self.read_old(number, after)?;
            }
            Some((number, bytes)) => self.read_end(number, &bytes, (after, last))?,
        }
        self.report.empty.sort_unstable_by(|one, other| other.cmp(one));
        Ok(())
    }

    /// The bytes of one segment behind all records were being written. There cannot be two, since no write
    /// begins before the earlier one is on disk.
    fn add_empty(&mut self, number: u32, bytes: u32) -> Result<(), OpenError> {
        if bytes > 0 {
            if self.report.torn.is_some() {
                return Err(OpenError::Unreadable(segment_name(number)));
            }
            let at = Address { segment: number, offset: SEGMENT_HEAD as u32 };
            self.report.torn = Some(Torn { at, bytes });
        }
        self.report.empty.push(number);
        Ok(())
    }

    /// Reads the segment in which writing has ended.
    fn read_end(
        &mut self,
        number: u32,
        bytes: &[u8],
        (after, last): (u64, u32),
    ) -> Result<(), OpenError> {
        let mut ending = Ending::new(bytes, self.journal, number, after);
        if ending.index.records == 0 {
            return self.add_empty(number, ending.torn.bytes);
        }
        // If there is an index, everything in it was on disk.
        if let Some(recorded) = self.index(number) {
            lost_tail(number, (&ending.index, &recorded), &mut ending.damages);
        }
        if ending.torn.bytes > 0 {
            self.report.torn = Some(ending.torn);
        }
        self.report.was_closed = ending.was_closed(last);
        let Ending { index, damages, unsure, .. } = ending;
        let end = index.end;
        let unsure = bytes[unsure.min(end) as usize..end as usize].to_vec();
        self.cut = Some(Truncation { number, end, unsure });
        let bytes = end.into();
        self.old.push(ExistingSegment {
            number,
            index,
            bytes,
            is_sealed: false,
            is_read: true,
            damages,
        });
        Ok(())
    }

    fn index(&mut self, number: u32) -> Option<Index> {
        // A missing one is rebuilt.
        let bytes = read_all(self.disk, &index_name(number)).unwrap_or_default();
        Index::read(&bytes, self.journal, number)
    }

    /// A complete segment: its index, or its content. Returns the last position so far.
    fn read_old(&mut self, number: u32, after: u64) -> Result<u64, OpenError> {
        let name = segment_name(number);
        let length = self.disk.length(&name).map_err(io_error(&name))?;
        let recorded = self.index(number);
        if let Some(index) =
            recorded.clone().filter(|it| u64::from(it.end) <= length && it.records > 0)
        {
            let (last, damages) = (index.last.max(after), Vec::new());
            let (bytes, is_sealed, is_read) = (length, true, false);
            self.old.push(ExistingSegment { number, index, bytes, is_sealed, is_read, damages });
            return Ok(last);
        }
        let bytes = read_all(self.disk, &name).map_err(io_error(&name))?;
        let (index, mut damages) = whole(&bytes, self.journal, number, after);
        if let Some(recorded) = recorded {
            lost_tail(number, (&index, &recorded), &mut damages);
        }
        if index.records == 0 {
            // A leftover, or wholly damaged; it is kept unchanged.
            self.report.damages.append(&mut damages);
            if used(&bytes, SEGMENT_HEAD) == 0 {
                self.report.empty.push(number);
            }
            return Ok(after);
        }
        self.report.read.push(number);
        let (last, bytes) = (index.last.max(after), length);
        self.old.push(ExistingSegment {
            number,
            index,
            bytes,
            is_sealed: false,
            is_read: true,
            damages,
        });
        Ok(last)
    }

    /// Passes on the records since a checkpoint. Returns the segment with which they begin.
    fn visit(&mut self, state: u8, recovery: &mut dyn Recovery) -> Result<Option<u32>, OpenError> {
        let mut tried = None;
        for last in (0..self.old.len()).rev() {
            let Some((from, has_state)) = self.beginning(last, state, recovery)? else { continue };
            if tried.replace(from) == Some(from) {
                continue;
            }
            recovery.restart();
            let mut first = has_state.then_some(state);
            for number in from..self.old.len() {
                self.visit_one(number, first.take(), recovery)?;
            }
            // The first segment begins with an empty state.
            if !has_state || recovery.is_complete() {
                return Ok(Some(self.old[from].number));
            }
        }
        if self.old.is_empty() { Ok(None) } else { Err(OpenError::NoState) }
    }

    /// The segment from which the checkpoint before the one at `since` can be read, if a segment names it.
    fn since_before(&mut self, since: u32, state: u8, recovery: &dyn Recovery) -> Option<u32> {
        let known = self.old.partition_point(|it| it.number < since);
        for number in (known.saturating_sub(1)..self.old.len().saturating_sub(1)).rev() {
            // Its damage is reported elsewhere, and the last one is enough.
            if let Ok(Some(CheckpointStart::Since(from))) =
                self.checkpoint_start(number, state, recovery)
                && from < since
            {
                return Some(from);
            }
        }
        None
    }

    /// Where to start learning according to a segment, and whether it names a checkpoint.
    fn beginning(
        &mut self,
        last: usize,
        state: u8,
        recovery: &dyn Recovery,
    ) -> Result<Option<(usize, bool)>, OpenError> {
        Ok(match self.checkpoint_start(last, state, recovery)? {
            None => None,
            Some(CheckpointStart::Nothing) => Some((last, false)),
            // If that segment is gone, the whole checkpoint may be from this one on.
            Some(CheckpointStart::Since(from)) => {
                let from = self.old.binary_search_by_key(&from, |it| it.number);
                Some((from.unwrap_or(last), true))
            }
        })
    }

    /// The checkpoint information of a segment's first record.
    fn checkpoint_start(
        &mut self,
        number: usize,
        state: u8,
        recovery: &dyn Recovery,
    ) -> Result<Option<CheckpointStart>, OpenError> {
        let ExistingSegment { number, ref index, .. } = self.old[number];
        let name = segment_name(number);
        let bytes = read_part(self.disk, &name, 0, index.end as usize).map_err(io_error(&name))?;
        match Scan::new(&bytes, self.journal, number, 0).next() {
            Some(Found::Record(at, record))
                if record.kind == state && at.offset == SEGMENT_HEAD as u32 =>
            {
                let since = recovery.since(number, &record).ok_or(OpenError::State(name))?;
                Ok(Some(CheckpointStart::Since(since)))
            }
            _ => Ok((number == 1).then_some(CheckpointStart::Nothing)),
        }
    }

    /// Passes on the records of a segment. A first record of the kind `first` must be understood.
    fn visit_one(
        &mut self,
        number: usize,
        first: Option<u8>,
        recovery: &mut dyn Recovery,
    ) -> Result<(), OpenError> {
        let after = number.checked_sub(1).map_or(0, |before| self.old[before].index.last);
        let old = &mut self.old[number];
        let name = segment_name(old.number);
        let end = old.index.end as usize;
        let bytes = read_part(self.disk, &name, 0, end).map_err(io_error(&name))?;
        for found in Scan::new(&bytes, self.journal, old.number, after) {
            if let Found::Record(at, record) = found {
                let is_understood = recovery.apply(at, &record);
                let is_state = Some(record.kind) == first && at.offset == SEGMENT_HEAD as u32;
                if is_state && !is_understood {
                    return Err(OpenError::State(name));
                }
            }
        }
        if !old.is_read {
            // Its index may have more than the segment.
            let (index, damages) = whole(&bytes, self.journal, old.number, after);
            old.damages = damages;
            lost_tail(old.number, (&index, &old.index), &mut old.damages);
        }
        Ok(())
    }

    /// Reports the segments, and what is missing in and between them.
    fn name_damages(&mut self) {
        for next in 1..self.old.len() {
            let (before, after) = self.old.split_at_mut(next);
            let (old, next) = (&mut before[next - 1], &mut after[0]);
            let between = &mut self.report.damages;
            let damages = old.damages.iter_mut().chain(between).chain(&mut next.damages);
            let missing = gap((old.number, &old.index), (next.number, next.index.first), damages);
            old.damages.extend(missing);
        }
        for old in &mut self.old {
            self.report.segments += 1;
            self.report.records += old.index.records;
            self.report.damages.append(&mut old.damages);
        }
        self.report.damages.sort_by_key(|damage| damage.at);
    }

    /// Makes the repairs, after everything has been read.
    fn put_right(&mut self, numbers: &[u32]) -> Result<(), OpenError> {
        tidy_up(self.disk, numbers)?;
        for &number in &self.report.empty {
            empty(self.disk, self.journal, number).map_err(io_error(&segment_name(number)))?;
        }
        let Some(Truncation { number, end, unsure }) = self.cut.take() else { return Ok(()) };
        let name = segment_name(number);
        self.disk.truncate(&name, end.into()).map_err(io_error(&name))?;
        // Readable bytes may be in the system's memory only, and a sync that failed before does not fail
        // again. So they are written again.
        if !unsure.is_empty() {
            let from = u64::from(end) - unsure.len() as u64;
            self.disk.write(&name, from, &unsure).map_err(io_error(&name))?;
        }
        Ok(())
    }
}

/// Empties a segment except for its head, in place: the disk may be full.
fn empty(disk: &mut dyn Disk, journal: u64, number: u32) -> io::Result<()> {
    let name = segment_name(number);
    let head = SegmentHead { number, journal, time: 0, bytes: SEGMENT_HEAD as u32 }.write();
    let no_room = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
    match disk.write(&name, 0, &head) {
        // It was shorter than that, and its name gives its number.
        Err(error) if no_room.contains(&error.kind()) => return Ok(()),
        written => written?,
    }
    disk.truncate(&name, SEGMENT_HEAD as u64)
}
