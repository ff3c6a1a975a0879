//! A store on a disk, which survives the process and the machine.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use trunkline_journal::{
    Address, Disk, Folder, Journal, OpenError, Options, Outcome, Record, Recovery, Rejection, Room,
    Workers, commit, open, task,
};

use crate::store::{MemoryStore, Store, Wake};

/// Numbers and the first segment that is needed: how each segment begins.
const STATE: u8 = 1;
/// A message that was sent, behind its number; one of the session has no bytes.
const SENT: u8 = 2;
/// The number that is expected next.
const EXPECTED: u8 = 3;
/// Both numbers begin again, at a time.
const RESET: u8 = 4;
/// Messages before this number have arrived.
const ARRIVED: u8 = 5;
/// The number that is sent next, of a store that is closed: it had reserved more.
const NEXT: u8 = 6;

/// So many numbers are reserved at once, and again when half of them are used.
const BLOCK: u64 = 4096;

/// Expected numbers that are noted go to the disk when there are so many of them, or the first is so old, or with what
/// cannot wait.
const NOTED: u64 = 1024;
const NOTED_FOR: Duration = Duration::from_millis(20);

/// Bytes of a segment.
const SEGMENT: u32 = 4 << 20;

/// The numbers and messages of a session in the segments of a journal.
///
/// In a folder, threads of its own write what was asked for while the session goes on: what came meanwhile is written
/// together. The next segment is made long before it is needed. Messages are kept for as long as they are within the
/// bytes that the store may have; older ones are filled as gaps when they are asked for. All that is kept is in memory,
/// too.
pub struct JournalStore {
    work: Work,
    journal: Journal,
    /// The last record that is to be on the disk.
    asked: u64,
    /// The last record that what is sent waits for.
    needed: u64,
    /// Since when there are expected numbers that nobody has asked the disk for.
    noted_at: Option<Instant>,
    reserved: Reserved,
    wake: Arc<Mutex<Option<Wake>>>,
    kept: MemoryStore,
    /// The segments that are needed, each with its first position and the number of its first message.
    segments: VecDeque<Segment>,
    /// How many of them there may be.
    most: usize,
    start: Instant,
}

/// Numbers that may be sent before there is a record of each on the disk: after a crash the next one is behind them.
#[derive(Clone, Copy, Debug, Default)]
struct Reserved {
    /// Those before this one, as the disk has it.
    until: u64,
    /// Those before this one once a record is on the disk: its position, and the number.
    coming: Option<(u64, u64)>,
}

impl Reserved {
    fn latest(&self) -> u64 {
        self.coming.map_or(self.until, |it| it.1)
    }

    /// The disk has all records up to a position.
    fn stored(&mut self, durable: u64) {
        if let Some((_, until)) = self.coming.take_if(|it| it.0 <= durable) {
            self.until = until;
        }
    }
}

/// Who does the work on the disk.
enum Work {
    /// Whoever asks for it.
    Here(Box<dyn Disk + Send>),
    Threads(Workers),
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

/// What a state says.
struct State {
    sender: u64,
    target: u64,
    /// The first segment that is needed.
    since: u32,
    began: Option<i64>,
    arrived: u64,
}

/// When the numbers began, where that is not known.
const NEVER: i64 = i64::MIN;

impl State {
    const BYTES: usize = 36;

    fn read(body: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?));
        let since = u32::from_le_bytes(body.get(16..20)?.try_into().ok()?);
        // The first stores did not say it.
        let began = number(20).map(|it| it as i64).filter(|it| *it != NEVER);
        let sender = number(0)?;
        let arrived = number(28).unwrap_or(sender);
        Some(Self { sender, target: number(8)?, since, began, arrived })
    }

    fn write(&self) -> [u8; Self::BYTES] {
        let mut body = [0; Self::BYTES];
        body[..8].copy_from_slice(&self.sender.to_le_bytes());
        body[8..16].copy_from_slice(&self.target.to_le_bytes());
        body[16..20].copy_from_slice(&self.since.to_le_bytes());
        body[20..28].copy_from_slice(&self.began.unwrap_or(NEVER).to_le_bytes());
        body[28..].copy_from_slice(&self.arrived.to_le_bytes());
        body
    }
}

impl Recovery for Reading {
    fn since(&self, _segment: u32, first: &Record<'_>) -> Option<u32> {
        (first.kind == STATE).then(|| State::read(first.body)).flatten().map(|it| it.since)
    }

    fn restart(&mut self) {
        *self = Self::new();
    }

    fn apply(&mut self, at: Address, record: &Record<'_>) -> bool {
        match record.kind {
            STATE => {
                let Some(state) = State::read(record.body) else { return false };
                self.kept.go_on_at(state.sender, state.target);
                self.kept.set_began(state.began);
                _ = self.kept.set_arrived(state.arrived);
                self.is_complete = true;
                let first_message = state.sender;
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
                // What is gathered has lower numbers, and its state may not have been written any more.
                let next = self.kept.next_sender().max(number.saturating_add(1));
                self.kept.go_on_at(number, self.kept.next_target());
                // It is in memory, which keeps all.
                _ = self.kept.save((!message.is_empty()).then_some(message));
                self.kept.go_on_at(next, self.kept.next_target());
            }
            EXPECTED => {
                let Ok(number) = record.body.try_into() else { return false };
                _ = self.kept.set_next_target(u64::from_le_bytes(number));
            }
            ARRIVED => {
                let Ok(number) = record.body.try_into() else { return false };
                _ = self.kept.set_arrived(u64::from_le_bytes(number));
            }
            NEXT => {
                let Ok(number) = record.body.try_into() else { return false };
                self.kept.go_on_at(u64::from_le_bytes(number), self.kept.next_target());
            }
            RESET => {
                let utc = record.body.try_into().map(i64::from_le_bytes);
                _ = self
                    .kept
                    .reset(utc.unwrap_or_else(|_| i64::try_from(record.time).unwrap_or(NEVER)));
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
        let failed = |error| OpenError::Io(folder.display().to_string(), error);
        let disk = Folder::open(folder).map_err(failed)?;
        let mut store = Self::on(Box::new(disk.clone()), bytes)?;
        let wake = store.wake.clone();
        let call = move || {
            let wake = wake.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(wake) = wake {
                wake();
            }
        };
        store.work = Work::Threads(Workers::start(&disk, call).map_err(failed)?);
        Ok(store)
    }

    /// The same on any disk, whose work is done by whoever asks for it.
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
        let mut store = Self {
            work: Work::Here(disk),
            journal,
            asked: 0,
            needed: 0,
            noted_at: None,
            reserved: Reserved::default(),
            wake: Arc::default(),
            kept,
            segments,
            most,
            start: Instant::now(),
        };
        store.go_on();
        // Each time that it is opened it begins a segment, which may have hardly anything.
        let bytes = store.kept.messages().bytes() as u64;
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
        let oldest = self.kept.messages().next(0).map(|it| it.0);
        let (mut at, mut message) = (0, Vec::new());
        while let Some(number) = self.kept.load(at, &mut message)? {
            self.append(SENT, &[&number.to_le_bytes(), &message])?;
            at = number.saturating_add(1);
        }
        let state = self.state(self.segments.front().map_or(from, |it| it.number));
        self.append(STATE, &[&state])?;
        self.wait()?;
        self.segments.retain(|it| it.number >= from);
        if let (Some(first), Some(oldest)) = (self.segments.front_mut(), oldest) {
            first.first_message = first.first_message.min(oldest);
        }
        if self.journal.make_room_for_segment().is_err() {
            self.go_on();
            self.journal.make_room_for_segment().map_err(rejected)?;
        }
        self.begin_segment(time())?;
        self.most = most;
        self.wait()
    }

    /// The numbers, and the first segment that is needed.
    fn state(&self, since: u32) -> [u8; State::BYTES] {
        let sender = self.kept.next_sender().max(self.reserved.latest());
        let target = self.kept.next_target();
        let arrived = self.kept.arrived().unwrap_or(1);
        State { sender, target, since, began: self.kept.began(), arrived }.write()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Takes what is done, and lets be done what is asked for, and what nobody waits for: segments are made and removed.
    fn go_on(&mut self) {
        let now = self.now();
        if let Work::Threads(workers) = &self.work {
            let done: Vec<Outcome> = std::iter::from_fn(|| workers.outcome()).collect();
            done.into_iter().for_each(|it| self.done(it));
        }
        while self.journal.durable() < self.asked
            && let Some(it) = self.journal.next_commit()
        {
            match &mut self.work {
                Work::Threads(workers) => workers.commit(it),
                Work::Here(disk) => {
                    let result = commit(&mut **disk, &it);
                    self.done(Outcome::Committed(result));
                }
            }
        }
        while let Some(it) = self.journal.next_task(now) {
            match &mut self.work {
                Work::Threads(workers) => workers.task(it),
                Work::Here(disk) => {
                    let done = task(&mut **disk, &it);
                    self.done(Outcome::Task(done));
                }
            }
        }
    }

    fn done(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Committed(result) => {
                self.journal.committed(0, result);
                self.journal.forget();
                self.reserved.stored(self.journal.durable());
            }
            Outcome::Task(done) => self.journal.task_done(self.now(), done),
        }
    }

    /// Waits until something is done, if something is being done.
    fn wait_for_work(&mut self) {
        let Work::Threads(workers) = &self.work else { return };
        if self.journal.is_at_work()
            && let Some(outcome) = workers.wait()
        {
            self.done(outcome);
        }
    }

    /// Appends a record that what is sent waits for.
    fn append(&mut self, kind: u8, parts: &[&[u8]]) -> io::Result<()> {
        self.append_behind(kind, parts)?;
        self.needed = self.journal.last();
        Ok(())
    }

    /// Appends a record that is on the disk some time behind what is sent.
    fn append_behind(&mut self, kind: u8, parts: &[&[u8]]) -> io::Result<()> {
        let bytes = parts.iter().map(|it| it.len()).sum();
        let time = time();
        let room = loop {
            match self.journal.make_room(bytes) {
                Err(Rejection::Busy) => {}
                room => break room,
            }
            // What waits is written, and the next segment made.
            self.asked = self.journal.last();
            self.go_on();
            if !self.journal.is_at_work() {
                break self.journal.make_room(bytes);
            }
            self.wait_for_work();
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
    match rejection {
        Rejection::TooLong { bytes, limit } => {
            let why = format!("a message of {bytes} bytes is beyond {limit}");
            io::Error::new(io::ErrorKind::FileTooLarge, why)
        }
        Rejection::Busy => io::Error::other("the journal's next segment could not be made"),
        Rejection::Full(why) | Rejection::Failed(why) => io::Error::other(why),
    }
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

    fn note_next_target(&mut self, number: u64) -> io::Result<()> {
        self.append_behind(EXPECTED, &[&number.to_le_bytes()])?;
        self.noted_at.get_or_insert_with(Instant::now);
        self.kept.set_next_target(number)
    }

    fn save(&mut self, message: Option<&[u8]>) -> io::Result<()> {
        let number = self.kept.next_sender();
        self.append(SENT, &[&number.to_le_bytes(), message.unwrap_or_default()])?;
        self.kept.save(message)
    }

    fn note(&mut self) -> io::Result<()> {
        let number = self.kept.next_sender();
        if self.reserved.coming.is_none() && number + BLOCK / 2 >= self.reserved.until {
            // As if the last of them were sent: after a crash the next number is behind it, and what was not sent is a gap.
            let until = number + BLOCK;
            self.append_behind(SENT, &[&(until - 1).to_le_bytes()])?;
            self.reserved.coming = Some((self.journal.last(), until));
        }
        match self.reserved.coming {
            _ if number < self.reserved.until => {}
            Some((position, until)) if number < until => self.needed = self.needed.max(position),
            _ => self.append(SENT, &[&number.to_le_bytes()])?,
        }
        self.kept.save(None)
    }

    fn load(&mut self, from: u64, message: &mut Vec<u8>) -> io::Result<Option<u64>> {
        self.kept.load(from, message)
    }

    fn reset(&mut self, utc: i64) -> io::Result<()> {
        self.reserved = Reserved::default();
        self.append(RESET, &[&utc.to_le_bytes()])?;
        number_anew(&mut self.segments);
        self.kept.reset(utc)
    }

    fn began(&self) -> Option<i64> {
        self.kept.began()
    }

    fn set_arrived(&mut self, number: u64) -> io::Result<()> {
        // Messages of the session alone are not worth a record.
        let before = self.kept.arrived().unwrap_or(1);
        if self.kept.messages().next(before).is_some_and(|it| it.0 < number) {
            self.append(ARRIVED, &[&number.to_le_bytes()])?;
        }
        self.kept.set_arrived(number)
    }

    fn arrived(&self) -> Option<u64> {
        self.kept.arrived()
    }

    fn sync(&mut self) -> io::Result<u64> {
        let coming = self.reserved.coming.map_or(0, |it| it.0);
        let last = self.journal.last();
        let is_due =
            last - self.asked >= NOTED || self.noted_at.is_some_and(|it| it.elapsed() >= NOTED_FOR);
        if is_due || self.needed.max(coming) > self.asked {
            self.asked = last;
            self.noted_at = None;
        }
        self.stored()?;
        Ok(self.needed)
    }

    fn stored(&mut self) -> io::Result<u64> {
        self.go_on();
        match self.journal.failure() {
            Some(why) => Err(io::Error::other(why.to_owned())),
            // After a crash positions begin behind those that may have been given: at these nothing is to be written.
            None if self.journal.pending() == 0 => Ok(self.journal.last()),
            None => Ok(self.journal.durable()),
        }
    }

    fn wait(&mut self) -> io::Result<()> {
        self.asked = self.journal.last();
        while self.stored()? < self.asked {
            self.wait_for_work();
        }
        Ok(())
    }

    fn on_stored(&mut self, wake: Wake) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }
}

impl Drop for JournalStore {
    fn drop(&mut self) {
        // What was asked for may not have been passed on yet. Who can be told of an error, was told of it before.
        if matches!(self.work, Work::Threads(_)) {
            // Nothing more is sent: the next number is known.
            let next = self.kept.next_sender();
            if self.reserved.latest() > next {
                _ = self.append_behind(NEXT, &[&next.to_le_bytes()]);
            }
            _ = self.wait();
        }
    }
}
