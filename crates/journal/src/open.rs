//! Opening a journal after whatever happened to it.

use std::fmt;
use std::io;

use crate::disk::{Disk, read_all};
use crate::index::Index;
use crate::journal::{CLOSED, Journal, LEAP, Options};
use crate::record::{Address, MARK, Record, padded};
use crate::scan::{Damage, Found, Scan};
use crate::segment::{
    HeadError, INDEX_ENDING, SEGMENT_ENDING, SEGMENT_HEAD, SegmentHead, index_name, number_of,
    segment_name,
};

/// Why a journal cannot be opened. Nothing was changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The disk said so.
    Io(String, io::Error),
    /// A segment is none, or of a later version.
    Segment(String, HeadError),
    /// A segment belongs to another journal than the first one.
    Foreign(String),
    /// No segment says what was known at its beginning.
    NoState,
    /// A segment says what was known at its beginning, and it is not understood: it was written by
    /// another version.
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
            Self::NoState => out.write_str(
                "no segment begins with a whole record of what is known: it is not known who has \
                 acknowledged what",
            ),
            Self::State(name) => write!(
                out,
                "{name} begins with a record of what is known that is not understood here; it was \
                 written by another version"
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

/// What was found when a journal was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Segments with records.
    pub segments: usize,
    /// Records in them.
    pub records: u64,
    /// Whether it was closed before, and did not just end.
    pub was_closed: bool,
    /// What was cut off at the end: it was being written when the process or the machine failed, and
    /// had not been said to be on disk.
    pub torn: Option<Torn>,
    /// Records that had been on disk, and are not any more.
    pub damages: Vec<Damage>,
    /// Segments that had to be read because their index was missing or wrong.
    pub read: Vec<u32>,
    /// Segments with nothing in them, which are removed.
    pub empty: Vec<u32>,
}

/// What was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// From here on.
    pub at: Address,
    /// Bytes that were no zeros.
    pub bytes: u32,
}

/// One segment, as it was found.
struct Old {
    number: u32,
    index: Index,
    /// Bytes of its file.
    bytes: u64,
    is_sealed: bool,
}

/// A journal that is being opened.
struct Opening<'a> {
    disk: &'a mut dyn Disk,
    journal: u64,
    old: Vec<Old>,
    report: Report,
}

pub(crate) fn io_error(name: &str) -> impl FnOnce(io::Error) -> OpenError {
    let name = name.to_owned();
    move |error| OpenError::Io(name, error)
}

/// Opens what is in a folder, or begins a journal of this `number` there.
///
/// `visit` is given the records from the beginning of the last segment on that begins with a sound record
/// of the kind `state`, which says all that was known then; what follows is to be learnt from. It says
/// whether it has understood a record; where that one is not understood, nothing is opened.
///
/// What was being written at the end and is not whole is cut off, and is in the report, as is every
/// record that is damaged; the others are kept.
///
/// # Errors
///
/// See [`OpenError`].
pub fn open(
    disk: &mut dyn Disk,
    options: Options,
    number: u64,
    state: u8,
    visit: &mut dyn FnMut(Address, &Record<'_>) -> bool,
) -> Result<(Journal, Report), OpenError> {
    let numbers = segments(disk)?;
    tidy_up(disk, &numbers)?;
    let Some(journal) = journal_number(disk, &numbers)? else {
        for number in numbers {
            remove(disk, number)?;
        }
        return Ok((Journal::new(options, number, 1, 1), Report::default()));
    };
    let mut opening = Opening { disk, journal, old: Vec::new(), report: Report::default() };
    let last = opening.read_last(&numbers)?;
    let position = opening.report_position();
    opening.visit(state, visit)?;
    let Opening { old, mut report, .. } = opening;
    let segment = last + 1;
    let leap = if report.was_closed { 0 } else { u64::from(segment) * LEAP };
    let mut journal = Journal::new(options, journal, segment, (position + 1).max(leap));
    for it in old {
        report.segments += 1;
        report.records += it.index.records;
        journal.add_old(it.number, it.index, it.bytes, it.is_sealed);
    }
    report.empty.iter().for_each(|number| journal.add_left(*number));
    Ok((journal, report))
}

/// Numbers of all segments, rising.
pub(crate) fn segments(disk: &mut dyn Disk) -> Result<Vec<u32>, OpenError> {
    let names = disk.names().map_err(io_error("the journal's folder"))?;
    let mut numbers: Vec<u32> =
        names.iter().filter_map(|name| number_of(name, SEGMENT_ENDING)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes what was begun by [`Disk::replace`], and indexes of segments that are gone.
fn tidy_up(disk: &mut dyn Disk, numbers: &[u32]) -> Result<(), OpenError> {
    for name in disk.names().map_err(io_error("the journal's folder"))? {
        let is_left = match number_of(&name, INDEX_ENDING) {
            Some(number) => numbers.binary_search(&number).is_err(),
            None => name.ends_with(".index.new"),
        };
        if is_left {
            // It does no harm.
            let _ = disk.remove(&name);
        }
    }
    Ok(())
}

/// The journal's number, by the head of its first segment that can be read; none if there are no
/// segments but such as were being made.
pub(crate) fn journal_number(
    disk: &mut dyn Disk,
    numbers: &[u32],
) -> Result<Option<u64>, OpenError> {
    let (mut journal, mut fault) = (None, None);
    for &number in numbers {
        let name = segment_name(number);
        let mut head = [0; SEGMENT_HEAD];
        let read = disk.read(&name, 0, &mut head).map_err(io_error(&name))?;
        match SegmentHead::read(&head[..read], number) {
            Ok(head) if journal.is_some_and(|journal| journal != head.journal) => {
                return Err(OpenError::Foreign(name));
            }
            Ok(head) => journal = Some(head.journal),
            Err(error @ HeadError::Version(_)) => return Err(OpenError::Segment(name, error)),
            Err(error) => fault = fault.or(Some((number, error))),
        }
    }
    match (journal, fault) {
        (None, Some((number, error))) => by_records(disk, number, error),
        _ => Ok(journal),
    }
}

/// The journal's number if no head can be read: the one with which a segment has records.
fn by_records(
    disk: &mut dyn Disk,
    number: u32,
    error: HeadError,
) -> Result<Option<u64>, OpenError> {
    let name = segment_name(number);
    let bytes = read_all(disk, &name).map_err(io_error(&name))?;
    let is_right = |journal: &u64| {
        Scan::new(&bytes, *journal, number, 0).any(|found| matches!(found, Found::Record(..)))
    };
    match SegmentHead::journals(&bytes).into_iter().find(is_right) {
        Some(journal) => Ok(Some(journal)),
        None if bytes.iter().skip(SEGMENT_HEAD).all(|byte| *byte == 0) => Ok(None),
        None => Err(OpenError::Segment(name, error)),
    }
}

fn remove(disk: &mut dyn Disk, number: u32) -> Result<(), OpenError> {
    // It may have none.
    let _ = disk.remove(&index_name(number));
    let name = segment_name(number);
    disk.remove(&name).map_err(io_error(&name))
}

impl Opening<'_> {
    /// Reads the segments, and gives the number of the last one there was.
    fn read_last(&mut self, numbers: &[u32]) -> Result<u32, OpenError> {
        let mut numbers = numbers.to_vec();
        let last = numbers.last().copied().unwrap_or(0);
        // Before the last one with records everything was on disk when it was begun.
        while let Some(number) = numbers.pop() {
            if let Some(old) = self.read_end(number)? {
                self.old.push(old);
                break;
            }
        }
        let mut after = 0;
        let mut older = Vec::new();
        for number in numbers {
            let old = self.read_old(number, after)?;
            after = old.index.last.max(after);
            if old.index.records > 0 {
                older.push(old);
            }
        }
        older.append(&mut self.old);
        self.old = older;
        Ok(last)
    }

    /// Position of the last record.
    fn report_position(&self) -> u64 {
        self.old.last().map_or(0, |last| last.index.last)
    }

    /// Reads a segment in which writing may have ended; none if it has no records.
    fn read_end(&mut self, number: u32) -> Result<Option<Old>, OpenError> {
        let name = segment_name(number);
        let bytes = read_all(self.disk, &name).map_err(io_error(&name))?;
        let mut ending = Ending::new(&bytes, self.journal, number);
        ending.read();
        if ending.index.records == 0 {
            if ending.torn.bytes > 0 {
                self.report.torn = Some(ending.torn);
            }
            let (journal, bytes) = (self.journal, SEGMENT_HEAD as u32);
            let head = SegmentHead { number, journal, time: 0, bytes }.write();
            self.disk.replace(&name, &head).map_err(io_error(&name))?;
            self.report.empty.push(number);
            return Ok(None);
        }
        let end = ending.index.end;
        if ending.torn.bytes > 0 {
            self.report.torn.get_or_insert(ending.torn);
        }
        // Who began a segment after it was closed may have given positions, too.
        let is_last = self.report.empty.is_empty() && self.report.torn.is_none();
        self.report.was_closed = is_last && ending.is_closed;
        self.report.damages.append(&mut ending.damages);
        self.disk.truncate(&name, end.into()).map_err(io_error(&name))?;
        // What can be read may be in the system's memory only, and a sync that failed before does not
        // fail again. So that it is on disk it is written again.
        let unsure = &bytes[ending.unsure as usize..end as usize];
        if !unsure.is_empty() {
            self.disk.write(&name, ending.unsure.into(), unsure).map_err(io_error(&name))?;
        }
        Ok(Some(Old { number, index: ending.index, bytes: end.into(), is_sealed: false }))
    }

    /// A segment that is complete: its index, or what is in it.
    fn read_old(&mut self, number: u32, after: u64) -> Result<Old, OpenError> {
        let name = segment_name(number);
        let length = self.disk.length(&name).map_err(io_error(&name))?;
        // One that is not there is made again.
        let index = read_all(self.disk, &index_name(number)).unwrap_or_default();
        if let Some(index) = Index::read(&index, self.journal, number)
            && u64::from(index.end) <= length
        {
            return Ok(Old { number, index, bytes: length, is_sealed: true });
        }
        let bytes = read_all(self.disk, &name).map_err(io_error(&name))?;
        let (index, mut damages) = whole(&bytes, self.journal, number, after);
        self.report.read.push(number);
        self.report.damages.append(&mut damages);
        Ok(Old { number, index, bytes: length, is_sealed: false })
    }

    /// Hands over the records since something was known.
    fn visit(
        &mut self,
        state: u8,
        visit: &mut dyn FnMut(Address, &Record<'_>) -> bool,
    ) -> Result<(), OpenError> {
        let mut from = self.old.len();
        while from > 0 {
            from -= 1;
            let number = self.old[from].number;
            let name = segment_name(number);
            let bytes = read_all(self.disk, &name).map_err(io_error(&name))?;
            let first = Scan::new(&bytes, self.journal, number, 0).next();
            let begins = SEGMENT_HEAD as u32;
            let is_state = matches!(first, Some(Found::Record(at, record))
                if record.kind == state && at.offset == begins);
            // Nothing was known when the first was begun.
            if is_state || number == 1 {
                return self.visit_from(from, is_state, visit);
            }
        }
        if self.old.is_empty() { Ok(()) } else { Err(OpenError::NoState) }
    }

    fn visit_from(
        &mut self,
        from: usize,
        begins_with_state: bool,
        visit: &mut dyn FnMut(Address, &Record<'_>) -> bool,
    ) -> Result<(), OpenError> {
        let mut is_state = begins_with_state;
        for old in &self.old[from..] {
            let name = segment_name(old.number);
            let bytes = read_all(self.disk, &name).map_err(io_error(&name))?;
            let bytes = &bytes[..bytes.len().min(old.index.end as usize)];
            for found in Scan::new(bytes, self.journal, old.number, 0) {
                if let Found::Record(at, record) = found {
                    let is_understood = visit(at, &record);
                    if std::mem::take(&mut is_state) && !is_understood {
                        return Err(OpenError::State(name));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The index of a segment, and what is damaged in it.
pub(crate) fn whole(bytes: &[u8], journal: u64, number: u32, after: u64) -> (Index, Vec<Damage>) {
    let mut index = Index { end: SEGMENT_HEAD as u32, ..Index::default() };
    let mut damages = Vec::new();
    let mut scan = Scan::new(bytes, journal, number, after);
    for found in scan.by_ref() {
        match found {
            Found::Record(at, record) => {
                let end = at.offset + padded(crate::record::HEAD + record.body.len()) as u32;
                index.add(at, record.position, record.time, end);
            }
            Found::Damage(damage) => damages.push(damage),
        }
    }
    if let Some(end) = scan.end()
        && end.unreadable > 0
    {
        let last = index.last.max(after);
        let kind = crate::scan::DamageKind::Head;
        let (after, before) = (last, u64::MAX);
        damages.push(Damage { at: end.at, bytes: end.unreadable, after, before, kind });
    }
    (index, damages)
}

/// A segment in which writing may have ended anywhere.
///
/// Each record says what was known to be on disk when it was appended, and nothing is written before what
/// was written earlier is known to be on disk. So a record that cannot be read was being written, unless
/// a later one knows better.
pub(crate) struct Ending<'a> {
    bytes: &'a [u8],
    journal: u64,
    number: u32,
    pub(crate) index: Index,
    pub(crate) damages: Vec<Damage>,
    pub(crate) torn: Torn,
    pub(crate) is_closed: bool,
    /// Where records begin of which no other says that they are on disk.
    unsure: u32,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(bytes: &'a [u8], journal: u64, number: u32) -> Self {
        let end = SEGMENT_HEAD as u32;
        let index = Index { end, ..Index::default() };
        let torn = Torn { at: Address { segment: number, offset: end }, bytes: 0 };
        let (damages, is_closed) = (Vec::new(), false);
        Self { bytes, journal, number, index, damages, torn, is_closed, unsure: end }
    }

    pub(crate) fn read(&mut self) {
        let scan = || Scan::new(self.bytes, self.journal, self.number, 0);
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
        let rest = self.bytes.get(from as usize..).unwrap_or(&[]);
        let used = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        self.torn = Torn { at: Address { segment: self.number, offset: from }, bytes: used as u32 };
        self.is_closed &= used == 0;
        if self.index.records > 0 {
            self.index.end = from;
        }
    }

    fn add(&mut self, at: Address, record: &Record<'_>, stable: u64) {
        let end = at.offset + padded(crate::record::HEAD + record.body.len()) as u32;
        self.index.add(at, record.position, record.time, end);
        self.is_closed = record.kind == MARK && record.body == CLOSED;
        if record.position <= stable {
            self.unsure = end;
        }
    }
}
