//! The journal as a state machine: records in, work for a disk out.
//!
//! ```text
//!   a record:   append          next_commit         committed        forget
//!               -------> pending ---------> writing ---------> durable ------> on disk only
//!                        `pending_bytes`    one commit         in memory up    read by a task
//!                        at most, then      at a time          to `memory_bytes`
//!                        Busy                  |
//!                                              +-- the write failed: nothing is taken any more
//!
//!   a segment:  none --Prepare--> ready --begin_segment--> current --full--> full --Seal--> sealed
//!                 |                                                                            |
//!                 +-- no room on the disk: tried again after a second                          |
//!                                               nobody needs its records, or too many bytes    |
//!                                               removed <--Remove------------------------------+
//! ```

mod read;
mod reads;
mod room;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::index::Index;
use crate::record::{Address, HEAD, MARK, Record, Seed, padded};
use crate::segment::{SEGMENT_HEAD, index_name, segment_name};
use crate::tail::{Chunk, Tail};

pub use read::Lookup;
use reads::Reads;

/// How much is kept, and how much may wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of a segment's file, 64 KiB to 1 GiB.
    pub segment_bytes: u32,
    /// Bytes of the newest records on disk that stay readable in memory.
    pub memory_bytes: usize,
    /// Bytes of records that are not on disk yet; at this bound no more are accepted.
    pub pending_bytes: usize,
    /// Bytes of all segments.
    pub bytes: u64,
    /// How long unneeded records are kept, in nanoseconds, within `bytes`.
    pub keep: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment_bytes: 64 << 20,
            memory_bytes: 64 << 20,
            pending_bytes: 64 << 20,
            bytes: 10 << 30,
            keep: 7 * 24 * 3_600 * 1_000_000_000,
        }
    }
}

/// Why a record is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It is longer than allowed.
    TooLong {
        /// Bytes of its body.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// There will be room soon.
    Busy,
    /// There is no room, and it is unknown when there will be; the reason.
    Full(String),
    /// Nothing is accepted any more; the reason.
    Failed(String),
}

/// The place and position of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Its position.
    pub position: u64,
    /// Where it is.
    pub at: Address,
}

/// Room for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There is room behind the last record.
    Here,
    /// There is room in a new segment: see [`Journal::begin_segment`].
    NewSegment,
}

/// Records to write in one piece.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Bytes and their places, in this order; on disk once they are written.
    pub chunks: Vec<Arc<Chunk>>,
}

/// Disk work that no acknowledgement waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Create the file of a segment.
    Prepare {
        /// Number of the segment.
        segment: u32,
        /// Its first bytes.
        head: [u8; SEGMENT_HEAD],
        /// Its length.
        bytes: u32,
    },
    /// Write the index of a segment.
    Seal {
        /// Number of the segment.
        segment: u32,
        /// The index.
        index: Vec<u8>,
    },
    /// Remove a segment with its index.
    Remove {
        /// Number of the segment.
        segment: u32,
    },
    /// Read from a segment.
    Read {
        /// The place.
        at: Address,
        /// The number of bytes; fewer if there are no more.
        bytes: usize,
    },
}

/// The result of a background task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It is done.
    Well,
    /// These bytes were read.
    Read(Vec<u8>),
    /// They could not be read; the reason.
    Unread(String),
    /// There was no room on the disk.
    NoRoom(String),
    /// It failed; the reason.
    Failed(String),
}

/// A segment.
#[derive(Debug)]
struct Segment {
    number: u32,
    index: Index,
    /// Bytes of its file.
    bytes: u64,
    /// Whether its index file exists.
    is_sealed: bool,
}

/// The segment after the current one.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    None,
    /// Its file is being created.
    Requested,
    Ready,
    /// It would exceed the limit, and a checkpoint has to be complete before the first one can go: when to
    /// check again.
    Held(u64),
    /// There is no room for it; the reason, and when to retry.
    Full(String, u64),
}

/// The most bytes of a commit of more than one chunk.
const COMMIT: usize = 4 << 20;

/// How long a journal waits after a segment could not be created; nanoseconds.
const RETRY: u64 = 1_000_000_000;

/// How long nothing is appended before a mark is written; nanoseconds.
const QUIET: u64 = 1_000_000_000;

/// The body of the last mark of a closed journal, before the number of the last segment created.
pub(crate) const CLOSED: &[u8] = b"closed";

/// Bytes of the mark for a pause, and of those for closing: a second one follows if a segment was just
/// being created.
const QUIET_MARK: usize = padded(HEAD);
const CLOSING: usize = padded(HEAD + CLOSED.len() + 4);
const CLOSINGS: usize = 2 * CLOSING;

/// Bytes that each segment reserves for marks.
const FOR_MARKS: usize = QUIET_MARK + CLOSINGS;

/// Positions of a journal that was not closed continue from this times the number of the next segment. A
/// segment has fewer records, and its file is on disk before its first record: so no position is used
/// twice, although records may have been lost.
pub(crate) const LEAP: u64 = 1 << 25;

/// A log of records in segments, on a disk or in memory.
///
/// It does nothing by itself: its user takes [`Commit`]s and [`Task`]s, performs them, and reports the
/// results. Times for waiting (`now`) are nanoseconds of any clock that never goes back; times of records
/// are nanoseconds since 1970.
#[derive(Debug)]
pub struct Journal {
    options: Options,
    number: u64,
    is_on_disk: bool,
    /// In order; the last is the current one. Empty until the first is prepared.
    segments: VecDeque<Segment>,
    /// Bytes of all of them.
    bytes: u64,
    next: Next,
    tail: Tail,
    /// Of the next record.
    position: u64,
    /// Of the last record that is on disk.
    durable: u64,
    /// Of the last record.
    time: u64,
    /// The commit being written: the number of chunks, and the last position.
    writing: Option<(usize, u64)>,
    failed: Option<String>,
    /// When a mark is due.
    mark_at: Option<u64>,
    /// Whether it is closed for appending.
    is_closed: bool,
    /// Whether there were segments without records when it was opened.
    had_left: bool,
    /// Whether the last record is a mark.
    is_marked: bool,
    /// Removals.
    tasks: VecDeque<Task>,
    task: Option<Task>,
    /// Segments without records, which record the used numbers until there is a later one.
    left: Vec<u32>,
    reads: Reads,
    /// Whether [`Self::retain`] has run for the current segment while too many were before it: in memory
    /// nothing else records that it was in vain.
    is_retained: bool,
    /// Whether only the checkpoints kept [`Self::retain`] from releasing the first segment.
    is_held_by_known: bool,
    /// Whether a record found no room in the current segment while the next one is held.
    is_wanted: bool,
    /// Whether the next segment may exceed the limit, for records that release earlier ones.
    may_exceed: bool,
    /// The next segment is to be begun although the current one has room.
    is_rotating: bool,
    /// The disk had no room for a segment, and nothing was released since.
    has_no_room: bool,
    /// Recovery needs all records from this segment on.
    since: u32,
    /// The complete checkpoints: the segment from which each can be read, and the position of its last
    /// record. The latest ones, of which two are on disk.
    known: VecDeque<(u32, u64)>,
}

impl Journal {
    /// A journal in memory.
    pub fn in_memory(options: Options) -> Self {
        let mut journal = Self::new(options, 0, 1, 1);
        journal.is_on_disk = false;
        journal
    }

    /// A journal that continues with a segment and a position; its folder has no later segments.
    pub(crate) fn new(options: Options, number: u64, segment: u32, position: u64) -> Self {
        let at = Address { segment, offset: SEGMENT_HEAD as u32 };
        Self {
            options,
            number,
            is_on_disk: true,
            segments: VecDeque::new(),
            bytes: 0,
            next: Next::None,
            tail: Tail::new(Seed::new(number), at),
            position,
            durable: 0,
            time: 0,
            writing: None,
            failed: None,
            mark_at: None,
            is_closed: false,
            had_left: false,
            is_marked: true,
            tasks: VecDeque::new(),
            task: None,
            left: Vec::new(),
            reads: Reads::default(),
            is_retained: false,
            is_held_by_known: false,
            is_wanted: false,
            may_exceed: false,
            is_rotating: false,
            has_no_room: false,
            since: segment,
            known: VecDeque::new(),
        }
    }

    /// Applies other options; segments keep their length.
    pub fn set_options(&mut self, options: Options) {
        self.options = Options { segment_bytes: self.options.segment_bytes, ..options };
    }

    /// Adds an existing segment.
    pub(crate) fn add_old(&mut self, number: u32, index: Index, bytes: u64, is_sealed: bool) {
        self.time = self.time.max(index.last_time);
        self.durable = self.durable.max(index.last);
        self.add_segment(Segment { number, index, bytes, is_sealed });
    }

    /// Recovery has read all records from the segment `since` on. The checkpoint before that is from
    /// `before` on.
    pub(crate) fn set_recovered(&mut self, since: u32, before: Option<u32>) {
        self.since = since;
        // All of it is on disk.
        self.known = before.into_iter().chain([since]).map(|segment| (segment, 0)).collect();
    }

    /// A segment without records.
    pub(crate) fn add_left(&mut self, number: u32) {
        self.left.push(number);
        self.had_left = true;
    }

    /// Whether it is on a disk.
    pub fn is_on_disk(&self) -> bool {
        self.is_on_disk
    }

    /// Position of the last record.
    pub fn last(&self) -> u64 {
        self.position - 1
    }

    /// Position up to which everything is on disk, if there is a disk.
    pub fn durable(&self) -> u64 {
        self.durable
    }

    /// Position up to which everything is on disk once the current commit is.
    pub fn writing(&self) -> u64 {
        self.writing.map_or(self.durable, |(_, last)| last)
    }

    /// Bytes waiting to be written.
    pub fn pending(&self) -> usize {
        self.tail.pending()
    }

    /// Bytes of memory that records take.
    pub fn memory(&self) -> usize {
        self.tail.memory()
    }

    /// Whether records are being written.
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// Whether a commit, a task or a read is under way.
    pub fn is_at_work(&self) -> bool {
        self.writing.is_some() || self.task.is_some() || self.reads.is_reading()
    }

    /// Why nothing is accepted any more.
    pub fn failure(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Appends a record after [`Self::make_room`] has made room. Its body is the concatenation of `parts`.
    #[inline]
    pub fn append(&mut self, time: u64, kind: u8, parts: &[&[u8]]) -> Appended {
        let position = self.position;
        self.position += 1;
        self.time = self.time.max(time);
        let record = Record { position, time: self.time, stable: self.durable, kind, body: b"" };
        let at = self.tail.push(&record, parts);
        let end = self.tail.end().offset;
        if let Some(current) = self.segments.back_mut() {
            current.index.add(at, position, self.time, end);
        }
        self.is_marked = kind == MARK;
        self.mark_at = None;
        Appended { position, at }
    }

    /// The next records to write, if none are being written.
    pub fn next_commit(&mut self) -> Option<Commit> {
        if !self.is_on_disk || self.writing.is_some() || self.failed.is_some() {
            return None;
        }
        if self.tail.pending() == 0 {
            return None;
        }
        let chunks = self.tail.unwritten(COMMIT);
        let last = self.last_of(&chunks);
        self.writing = Some((chunks.len(), last));
        Some(Commit { chunks })
    }

    /// Position of the last record of some chunks.
    fn last_of(&self, chunks: &[Arc<Chunk>]) -> u64 {
        let Some(last) = chunks.last() else { return self.durable };
        let (mut offset, mut position) = (0, self.durable);
        while offset < last.bytes.len() {
            let head = crate::record::known_head(&last.bytes[offset..]);
            position = head.position;
            offset += crate::record::padded(head.length);
        }
        position
    }

    /// The result of the commit: whether all of it is on disk.
    ///
    /// A failed write is never retried: the system may report success the next time, although it has
    /// dropped the data that it could not write. Nothing is acknowledged from then on.
    pub fn committed(&mut self, now: u64, result: Result<(), String>) {
        let Some((chunks, last)) = self.writing.take() else { return };
        match result {
            Ok(()) => {
                self.durable = last;
                self.tail.written(chunks);
                if self.tail.pending() == 0 && !self.is_marked {
                    self.mark_at = Some(now.saturating_add(QUIET));
                }
            }
            Err(why) => self.failed = Some(why),
        }
    }

    /// Forgets the oldest records on disk beyond `memory_bytes`; until then newly written ones can be read
    /// without the disk.
    pub fn forget(&mut self) {
        self.tail.forget(self.options.memory_bytes);
    }

    /// The next background task. One read and one other task are under way at most: creating a segment takes
    /// long, and a consumer that waits for bytes does not wait for that.
    pub fn next_task(&mut self, now: u64) -> Option<Task> {
        if !self.is_on_disk {
            return None;
        }
        if self.task.is_none() {
            let task = self.tasks.pop_front().or_else(|| self.prepare(now));
            self.task = task.or_else(|| self.seal());
            if self.task.is_some() {
                return self.task.clone();
            }
        }
        self.reads.next(now)
    }

    /// The index of a segment that is complete and on disk.
    fn seal(&mut self) -> Option<Task> {
        let (current, durable, number) = (self.tail.end().segment, self.durable, self.number);
        let is_complete =
            |it: &&mut Segment| !it.is_sealed && it.number < current && it.index.last <= durable;
        let segment = self.segments.iter_mut().find(is_complete)?;
        segment.is_sealed = true;
        let index = segment.index.write(number, segment.number);
        Some(Task::Seal { segment: segment.number, index })
    }

    /// The result of a background task. A failure costs only time: a segment that cannot be created is
    /// retried, a missing index is rebuilt when the journal is opened, and a failed read is retried until
    /// the unreadable bytes are known: those are damaged.
    pub fn task_done(&mut self, now: u64, done: Done) {
        let done = match done {
            Done::Read(read) => return self.reads.done(read),
            Done::Unread(_) => return self.reads.failed(now),
            done => done,
        };
        let Some(task) = self.task.take() else { return };
        match (task, done) {
            (Task::Prepare { .. }, Done::Well) => {
                self.next = Next::Ready;
                let removals = self.left.drain(..).map(|segment| Task::Remove { segment });
                self.tasks.extend(removals);
                if self.is_closed {
                    self.close();
                }
            }
            (Task::Prepare { .. }, Done::NoRoom(why)) => {
                self.has_no_room = true;
                self.next = Next::Full(why, now.saturating_add(RETRY));
            }
            (Task::Prepare { .. }, Done::Failed(why)) => {
                self.next = Next::Full(why, now.saturating_add(RETRY));
            }
            _ => {}
        }
    }

    /// When [`Self::advance`] or [`Self::next_task`] has something to do.
    pub fn next_deadline(&self) -> Option<u64> {
        // The result of a background task comes first.
        let is_free = self.is_on_disk && self.task.is_none();
        let retry = match &self.next {
            Next::Full(_, retry_at) | Next::Held(retry_at) if is_free && self.failed.is_none() => {
                Some(*retry_at)
            }
            _ => None,
        };
        let read = self.reads.next_deadline();
        [self.mark_at, retry, read].into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn advance(&mut self, now: u64) {
        if self.mark_at.is_some_and(|at| now >= at) {
            self.mark();
        }
    }

    /// Appends a last record which says that everything appended is written, and which segments exist.
    /// Nothing may be appended afterwards.
    pub fn close(&mut self) {
        (self.mark_at, self.is_closed) = (None, true);
        let is_ready = self.next == Next::Ready;
        if self.has_room_for(CLOSING) {
            let made = self.tail.end().segment + u32::from(is_ready);
            self.append(self.time, MARK, &[CLOSED, &made.to_le_bytes()]);
        } else if is_ready && self.is_on_disk && !self.has_current() && !self.had_left {
            // Nothing was appended: the journal is unchanged since it was opened.
            self.next = Next::None;
            self.tasks.push_back(Task::Remove { segment: self.tail.end().segment });
        }
    }

    /// Marks the last written records as written; leaves room for closing.
    fn mark(&mut self) {
        self.mark_at = None;
        if self.has_room_for(FOR_MARKS) {
            self.append(self.time, MARK, &[]);
        }
    }

    fn has_room_for(&self, bytes: usize) -> bool {
        let end = self.tail.end().offset as usize + bytes;
        self.failed.is_none() && self.has_current() && end <= self.options.segment_bytes as usize
    }
}

impl Task {
    /// The names of its files.
    pub fn names(&self) -> (String, String) {
        let segment = match self {
            Self::Prepare { segment, .. }
            | Self::Seal { segment, .. }
            | Self::Remove { segment } => *segment,
            Self::Read { at, .. } => at.segment,
        };
        (segment_name(segment), index_name(segment))
    }
}
