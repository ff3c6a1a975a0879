//! A store on a disk, which survives the process and the machine.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use trunkline_journal::{
    Address, Disk, Folder, Journal, OpenError, Options, Record, Recovery, Rejection, Room, commit,
    open, task,
};

use crate::store::{MemoryStore, Store};

/// Numbers and the first segment that is needed: how each segment begins.
const STATE: u8 = 1;
/// A message that was sent, behind its number; one of the session has no bytes.
const SENT: u8 = 2;
/// The number that is expected next.
const EXPECTED: u8 = 3;
/// Both numbers begin again.
const RESET: u8 = 4;

/// Bytes of a segment.
const SEGMENT: u32 = 4 << 20;

/// The numbers and messages of a session in the segments of a journal.
///
/// What [`sync`](Store::sync) has returned for is on the disk. Messages are kept for as long as they are within the
/// bytes that the store may have; older ones are filled as gaps when they are asked for. All that is kept is in memory,
/// too.
pub struct JournalStore {
    disk: Box<dyn Disk + Send>,
    journal: Journal,
    kept: MemoryStore,
    /// The segments that are needed, each with its first position and the number of its first message.
    segments: VecDeque<Segment>,
    /// How many of them there may be.
    most: usize,
    start: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    number: u32,
    position: u64,
    first_message: u64,
}

impl std::fmt::Debug for JournalStore {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("JournalStore")
            .field("kept", &self.kept)
            .field("segments", &self.segments)
            .finish()
    }
}

/// What is read when a store is opened.
struct Reading {
    kept: MemoryStore,
    segments: VecDeque<Segment>,
    is_complete: bool,
}

impl Reading {
    fn new() -> Self {
        Self {
            kept: MemoryStore::with_bytes(usize::MAX),
            segments: VecDeque::new(),
            is_complete: false,
        }
    }
}

/// The numbers of a state: the next to send, the next to expect, the first segment that is needed.
fn state(body: &[u8]) -> Option<(u64, u64, u32)> {
    let [sender, target] = [0, 8].map(|at| body.get(at..at + 8));
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    let since = u32::from_le_bytes(body.get(16..20)?.try_into().ok()?);
    Some((number(sender?)?, number(target?)?, since))
}

impl Recovery for Reading {
    fn since(&self, _segment: u32, first: &Record<'_>) -> Option<u32> {
        (first.kind == STATE).then(|| state(first.body)).flatten().map(|it| it.2)
    }

    fn restart(&mut self) {
        *self = Self::new();
    }

    fn apply(&mut self, at: Address, record: &Record<'_>) -> bool {
        match record.kind {
            STATE => {
                let Some((sender, target, _)) = state(record.body) else { return false };
                self.kept.go_on_at(sender, target);
                self.is_complete = true;
                let first_message = sender;
                self.segments.push_back(Segment {
                    number: at.segment,
                    position: record.position,
                    first_message,
                });
            }
            SENT => {
                let Some((number, message)) = record.body.split_at_checked(8) else { return false };
                let number = u64::from_le_bytes(number.try_into().unwrap_or_default());
                // Where all is gathered, older messages follow.
                if let Some(segment) = self.segments.back_mut() {
                    segment.first_message = segment.first_message.min(number);
                }
                self.kept.go_on_at(number, self.kept.next_target());
                // It is in memory, which keeps all.
                _ = self.kept.save((!message.is_empty()).then_some(message));
            }
            EXPECTED => {
                let Ok(number) = record.body.try_into() else { return false };
                _ = self.kept.set_next_target(u64::from_le_bytes(number));
            }
            RESET => {
                _ = self.kept.reset();
                number_anew(&mut self.segments);
            }
            // The journal's own.
            0 => {}
            _ => return false,
        }
        true
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl JournalStore {
    /// Opens the store in a folder, which no other process uses at the same time, or makes one there; it takes so many
    /// bytes of the disk, of memory too, and a few segments of 4 MiB more.
    ///
    /// # Errors
    /// Somebody else has the folder, it cannot be read or written, or is damaged in a way that leaves the numbers unknown.
    pub fn open(folder: &Path, bytes: u64) -> Result<Self, OpenError> {
        let disk = Folder::open(folder);
        let disk = disk.map_err(|error| OpenError::Io(folder.display().to_string(), error))?;
        Self::on(Box::new(disk), bytes)
    }

    /// The same on any disk.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn on(mut disk: Box<dyn Disk + Send>, bytes: u64) -> Result<Self, OpenError> {
        let segment_bytes = SEGMENT.min(u32::try_from(bytes / 4).unwrap_or(SEGMENT)).max(64 << 10);
        let options = Options {
            segment_bytes,
            // Records are kept here already.
            memory_bytes: 0,
            bytes: bytes.saturating_add(u64::from(segment_bytes) * 4),
            keep: 0,
            ..Options::default()
        };
        let mut reading = Reading::new();
        let number =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |it| it.as_nanos() as u64);
        let (journal, _) = open(&mut *disk, options, number, STATE, &mut reading)?;
        let most = usize::try_from(bytes / u64::from(segment_bytes)).unwrap_or(usize::MAX).max(1);
        let Reading { kept, segments, .. } = reading;
        let mut store = Self { disk, journal, kept, segments, most, start: Instant::now() };
        store.work();
        // Each time that it is opened it begins a segment, which may have hardly anything.
        let bytes = store.kept.messages().1 as u64;
        if store.segments.len() * 2 > most && bytes * 4 < most as u64 * u64::from(segment_bytes) {
            store.gather().map_err(|error| OpenError::Io("the store".to_owned(), error))?;
        }
        Ok(store)
    }

    /// Writes all that is kept once more, so that the segments before are not needed. If that is interrupted, the next
    /// opening reads those, and some messages twice.
    fn gather(&mut self) -> io::Result<()> {
        let most = std::mem::replace(&mut self.most, usize::MAX);
        let from = self.journal.next_segment();
        let messages = self.kept.messages().0.clone();
        for (number, message) in &messages {
            self.append(SENT, &[&number.to_le_bytes(), message])?;
        }
        let state = self.state(self.segments.front().map_or(from, |it| it.number));
        self.append(STATE, &[&state])?;
        self.sync()?;
        self.segments.retain(|it| it.number >= from);
        if let (Some(first), Some(oldest)) = (self.segments.front_mut(), messages.keys().next()) {
            first.first_message = first.first_message.min(*oldest);
        }
        if self.journal.make_room_for_segment().is_err() {
            self.work();
            self.journal.make_room_for_segment().map_err(rejected)?;
        }
        self.begin_segment(time())?;
        self.most = most;
        self.sync()
    }

    /// The numbers, and the first segment that is needed.
    fn state(&self, since: u32) -> [u8; 20] {
        let mut body = [0; 20];
        body[..8].copy_from_slice(&self.kept.next_sender().to_le_bytes());
        body[8..16].copy_from_slice(&self.kept.next_target().to_le_bytes());
        body[16..].copy_from_slice(&since.to_le_bytes());
        body
    }

    /// Does the disk work that nobody waits for: makes and removes segments.
    fn work(&mut self) {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        while let Some(it) = self.journal.next_task(now) {
            let done = task(&mut *self.disk, &it);
            self.journal.task_done(now, done);
        }
    }

    fn append(&mut self, kind: u8, parts: &[&[u8]]) -> io::Result<()> {
        let bytes = parts.iter().map(|it| it.len()).sum();
        let time =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos() as u64);
        let room = match self.journal.make_room(bytes) {
            // What waits is written, and the next segment made.
            Err(Rejection::Busy) => {
                self.sync()?;
                self.work();
                self.journal.make_room(bytes)
            }
            room => room,
        };
        match room.map_err(rejected)? {
            Room::Here => {}
            Room::NewSegment => self.begin_segment(time)?,
        }
        self.journal.append(time, kind, parts);
        Ok(())
    }

    /// Begins a segment, and lets go of the oldest.
    fn begin_segment(&mut self, time: u64) -> io::Result<()> {
        let number = self.journal.next_segment();
        while self.segments.len() >= self.most {
            self.segments.pop_front();
        }
        let first_message = self.kept.next_sender();
        let since = self.segments.front().map_or(number, |it| it.number);
        let body = self.state(since);
        self.journal.begin_segment_since(time, Some((STATE, &body)), since).map_err(rejected)?;
        self.segments.push_back(Segment { number, position: self.journal.last(), first_message });
        if let Some(oldest) = self.segments.front().copied() {
            self.kept.forget_before(oldest.first_message);
            self.journal.retain(time, oldest.position);
        }
        Ok(())
    }
}

/// Nanoseconds since 1970.
fn time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos() as u64)
}

/// The messages before a reset are no more.
fn number_anew(segments: &mut VecDeque<Segment>) {
    segments.iter_mut().for_each(|it| it.first_message = 1);
}

fn rejected(rejection: Rejection) -> io::Error {
    io::Error::other(match rejection {
        Rejection::TooLong { bytes, limit } => {
            format!("a message of {bytes} bytes is beyond {limit}")
        }
        Rejection::Busy => "the journal's next segment could not be made".to_owned(),
        Rejection::Full(why) | Rejection::Failed(why) => why,
    })
}

impl Store for JournalStore {
    fn next_sender(&self) -> u64 {
        self.kept.next_sender()
    }

    fn next_target(&self) -> u64 {
        self.kept.next_target()
    }

    fn set_next_target(&mut self, number: u64) -> io::Result<()> {
        self.append(EXPECTED, &[&number.to_le_bytes()])?;
        self.kept.set_next_target(number)
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        let number = self.kept.next_sender();
        self.append(SENT, &[&number.to_le_bytes(), message.unwrap_or_default()])?;
        self.kept.save(message)
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        self.kept.load(from, message)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.append(RESET, &[])?;
        number_anew(&mut self.segments);
        self.kept.reset()
    }

    fn sync(&mut self) -> io::Result<()> {
        while let Some(it) = self.journal.next_commit() {
            let result = commit(&mut *self.disk, &it);
            self.journal.committed(0, result);
        }
        if let Some(why) = self.journal.failure() {
            return Err(io::Error::other(why.to_owned()));
        }
        self.journal.forget();
        self.work();
        Ok(())
    }
}
