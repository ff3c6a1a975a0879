//! What the operating system is to the router: it holds bytes, tells what happened, knows the time and has
//! the disk's work done. It also sees all that the event loop does to it, and says what it should not have.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Commit, Outcome, Task, commit, task};
use trunkline_reactor::{Address, Event};
use trunkline_security::PasswordCheck;
use trunkline_server::formats::{ConversionOrder, Converted};
use trunkline_server::platform::{Received, Sent};
use trunkline_server::server::Command;

use crate::conversions::Conversions;
use crate::link::{End, Link, LinkOptions, Transport};
use crate::report::{Checked, Violation, violation};
use crate::watch::Readers;
use trunkline_random::Random;

/// Nanoseconds that comparing a password takes.
const PASSWORD: u64 = 20_000_000;

/// A number for each stream that was ever made.
pub(crate) type LinkId = u64;

/// Inspects bytes.
pub(crate) type Inspect = Box<dyn FnMut(&[u8])>;

/// A disk and the work under way for it.
pub(crate) struct DiskWork {
    pub(crate) disk: SimulatedDisk,
    pub(crate) commit: Option<(u64, Commit)>,
    pub(crate) task: Option<(u64, Task)>,
    pub(crate) read: Option<(u64, Task)>,
    /// The least time that it takes to create a segment; nanoseconds.
    pub(crate) creates_in: u64,
    /// The commit that failed, of which some may be on disk.
    pub(crate) failed: Option<Commit>,
    pub(crate) segments_removed: u64,
    /// Looks at what was written and synced.
    pub(crate) synced: Inspect,
    random: Random,
}

impl DiskWork {
    pub(crate) fn new(seed: u64, synced: Inspect) -> Self {
        Self {
            disk: SimulatedDisk::new(seed),
            commit: None,
            task: None,
            read: None,
            creates_in: 0,
            failed: None,
            segments_removed: 0,
            synced,
            random: Random::stream(seed, 3),
        }
    }

    fn outcome(&mut self, now: u64) -> Option<Outcome> {
        if let Some((_, it)) = self.commit.take_if(|(due, _)| *due <= now) {
            let result = commit(&mut self.disk, &it);
            match result {
                Ok(()) => it.chunks.iter().for_each(|chunk| (self.synced)(&chunk.bytes)),
                Err(_) => self.failed = Some(it),
            }
            return Some(Outcome::Committed(result));
        }
        let read = self.read.take_if(|(due, _)| *due <= now);
        let (_, it) = read.or_else(|| self.task.take_if(|(due, _)| *due <= now))?;
        Some(Outcome::Task(task(&mut self.disk, &it)))
    }

    fn next_outcome(&self) -> Option<u64> {
        let commit = self.commit.as_ref().map(|(due, _)| *due);
        let tasks = [&self.task, &self.read].into_iter().flatten().map(|(due, _)| *due);
        commit.into_iter().chain(tasks).min()
    }
}

/// All streams, the clock and the disk.
pub(crate) struct Kernel {
    pub(crate) now: u64,
    /// Nanoseconds since 1970 at time 0.
    pub(crate) epoch: u64,
    pub(crate) links: BTreeMap<LinkId, Link>,
    next_link: LinkId,
    /// Where the router listens, and the streams that wait there.
    pub(crate) listeners: Vec<Listening>,
    /// Which streams the engine made use of, and how many bytes, in this order.
    pub(crate) uses: Vec<(LinkId, usize)>,
    /// How often what was left over of a stream was handled again.
    pub(crate) released: u64,
    pub(crate) disk: Option<DiskWork>,
    /// The password that is being compared, and when that ends.
    pub(crate) password: Option<(u64, PasswordCheck)>,
    pub(crate) conversions: Conversions,
    pub(crate) commands: Vec<Command>,
    pub(crate) readers: Readers,
    /// Something was read, written, accepted, used or done.
    pub(crate) has_moved: bool,
    /// Events come in any order.
    pub(crate) shuffles: Option<Random>,
    violation: Option<Violation>,
}

/// A listener.
pub(crate) struct Listening {
    pub(crate) address: Address,
    pub(crate) token: Option<usize>,
    pub(crate) waiting: VecDeque<LinkId>,
    /// The router was not told of the newest.
    pub(crate) is_new: bool,
}

impl Kernel {
    pub(crate) fn new() -> Self {
        Self {
            now: 0,
            epoch: 0,
            links: BTreeMap::new(),
            next_link: 0,
            listeners: Vec::new(),
            uses: Vec::new(),
            released: 0,
            disk: None,
            password: None,
            conversions: Conversions::new(0),
            commands: Vec::new(),
            readers: Readers::default(),
            has_moved: false,
            shuffles: None,
            violation: None,
        }
    }

    /// A client connects; nobody may listen there.
    pub(crate) fn connect(
        &mut self,
        address: &Address,
        peer: String,
        link_options: LinkOptions,
    ) -> Option<LinkId> {
        let listening = self.listeners.iter_mut().find(|it| it.address == *address)?;
        let link = self.next_link;
        self.next_link += 1;
        listening.waiting.push_back(link);
        listening.is_new = true;
        self.links.insert(link, Link::new(peer, link_options));
        Some(link)
    }

    /// What was seen that should not have been.
    pub(crate) fn check(&mut self) -> Checked {
        self.violation.take().map_or(Ok(()), Err)
    }

    /// Keeps the first of what should not have been.
    pub(crate) fn note(&mut self, checked: Checked) {
        if let Err(seen) = checked {
            self.violation.get_or_insert(seen);
        }
    }

    /// Whether the router would be woken.
    pub(crate) fn has_pending(&self) -> bool {
        let is_new = |it: &Link| it.token.is_some() && it.pending != Default::default();
        self.links.values().any(is_new)
            || self.listeners.iter().any(|it| it.is_new)
            || !self.commands.is_empty()
            || self.next_outcome().is_some_and(|due| due <= self.now)
    }

    /// When something happens of itself.
    pub(crate) fn next_outcome(&self) -> Option<u64> {
        let password = self.password.as_ref().map(|(due, _)| *due);
        let disk = self.disk.as_ref().and_then(DiskWork::next_outcome);
        let all = [disk, password, self.conversions.next_outcome()];
        all.into_iter().flatten().min()
    }

    /// Tells what has happened to what a thread watches; listeners are watched by the first.
    pub(crate) fn events(&mut self, thread: usize, events: &mut Vec<Event>) {
        events.clear();
        for listening in self.listeners.iter_mut().filter(|_| thread == 0) {
            if let Some(token) = listening.token
                && std::mem::take(&mut listening.is_new)
            {
                events.push(Event { token, readable: true, writable: false, closed: false });
            }
        }
        let mut readable = Vec::new();
        for (id, link) in self.links.iter_mut().filter(|(_, link)| link.thread == thread) {
            let Some(token) = link.token else { continue };
            let pending = std::mem::take(&mut link.pending);
            if pending == Default::default() {
                continue;
            }
            if pending.readable {
                readable.push(*id);
            }
            if pending.writable {
                link.is_full = false;
            }
            let (readable, writable, closed) = (pending.readable, pending.writable, pending.closed);
            events.push(Event { token, readable, writable, closed });
        }
        // The checks of whom the event loop reads from are none of others.
        for id in readable.into_iter().filter(|_| thread == 0) {
            self.readers.is_ready(id);
        }
        if let Some(random) = &mut self.shuffles {
            random.shuffle(events);
        }
    }

    /// The router reads.
    pub(crate) fn read(&mut self, id: LinkId, into: &mut [u8]) -> io::Result<Received> {
        let Some(link) = self.links.get_mut(&id) else {
            return Ok(Received { bytes: 0, more: false });
        };
        link.is_read = true;
        let before = link.to_router.len();
        let (length, more);
        if link.transport == Transport::Tls {
            length = link.session.read(&mut link.to_router, into, &mut link.random);
            more = link.readable() > 0;
        } else {
            length = into.len().min(before);
            for (place, byte) in into.iter_mut().zip(link.to_router.read(length)) {
                *place = byte;
            }
            more = length > 0 && length == into.len();
        }
        self.has_moved |= length > 0 || link.to_router.len() < before;
        link.unused.extend(&into[..length]);
        let is_of_loop = link.thread == 0;
        let checked = if is_of_loop { self.readers.read(id, length, !more) } else { Ok(()) };
        let received: io::Result<Received> = match self.links[&id].client_end {
            _ if length > 0 || more => Ok(Received { bytes: length, more }),
            None | Some(End::Vanished) => Err(io::ErrorKind::WouldBlock.into()),
            Some(End::Closed) => Ok(Received { bytes: 0, more: false }),
            Some(End::Broken) => Err(io::ErrorKind::ConnectionReset.into()),
        };
        let would_block =
            matches!(&received, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        self.has_moved |= length == 0 && !more && !would_block;
        self.note(checked);
        received
    }

    /// The engine has made use of bytes that were read.
    pub(crate) fn used(&mut self, id: LinkId, bytes: usize) {
        self.has_moved |= bytes > 0;
        self.uses.push((id, bytes));
        if let Some(link) = self.links.get_mut(&id)
            && !std::mem::take(&mut link.is_read)
        {
            // It was held, and goes on.
            self.released += 1;
            self.readers.is_released(id, bytes);
        }
    }

    /// The router writes.
    pub(crate) fn write(&mut self, id: LinkId, bytes: &[u8]) -> io::Result<Sent> {
        let Some(link) = self.links.get_mut(&id) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if link.is_full {
            let what = format!("stream {id} is written to, though it has no room");
            self.note(violation("back-pressure", what));
            return Err(io::ErrorKind::WouldBlock.into());
        }
        match link.client_end {
            None | Some(End::Vanished) => {}
            // The first writes after the end are lost; then the other side has said that it is gone.
            Some(End::Closed) if link.random.once_in(2) => {
                link.written.extend_from_slice(bytes);
                return Ok(Sent { bytes: bytes.len(), blocked: false });
            }
            Some(_) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
        // Memory may be short for a moment.
        let is_short = bytes.len() > 1 && link.was_watched && link.random.once_in(8);
        let most = if is_short { 1 + link.random.part(bytes.len() - 2) } else { bytes.len() };
        let length = match link.transport {
            Transport::Tls => {
                link.session.write(&mut link.to_client, &bytes[..most], &mut link.random)
            }
            _ => link.to_client.write(&bytes[..most]),
        };
        link.written.extend_from_slice(&bytes[..length]);
        self.has_moved |= length > 0;
        let blocked = length < bytes.len() || link.session.held() > 0;
        if blocked {
            link.is_out_of_room();
        }
        if length == 0 {
            Err(io::ErrorKind::WouldBlock.into())
        } else {
            Ok(Sent { bytes: length, blocked })
        }
    }

    /// The router writes what a stream holds.
    pub(crate) fn flush(&mut self, id: LinkId) -> io::Result<bool> {
        let Some(link) = self.links.get_mut(&id) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if link.session.held() == 0 {
            return Ok(link.flush());
        }
        if !matches!(link.client_end, None | Some(End::Vanished)) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.has_moved = true;
        let is_sent = link.flush();
        if !is_sent {
            link.is_out_of_room();
        }
        Ok(is_sent)
    }

    /// Bytes that the client has not read, as far as the router can know.
    pub(crate) fn under_way(&self, id: LinkId) -> Option<usize> {
        let link = self.links.get(&id)?;
        match link.transport {
            Transport::SharedMemory => Some(link.to_client.len()),
            Transport::Tcp | Transport::Tls => Some(link.to_client.len() / 2),
            Transport::Unix => None,
        }
    }

    /// The router gives a commit to the disk.
    pub(crate) fn begin_commit(&mut self, it: Commit) {
        let now = self.now;
        let Some(work) = &mut self.disk else { return };
        if work.commit.is_some() {
            let what = "a commit begins before the one before it has ended";
            return self.note(violation("commit order", what));
        }
        work.commit = Some((now + work.random.between(50_000, 600_000), it));
    }

    /// The router gives a background task to the disk.
    pub(crate) fn begin_task(&mut self, it: Task) {
        let now = self.now;
        let Some(work) = &mut self.disk else { return };
        work.segments_removed += u64::from(matches!(it, Task::Remove { .. }));
        let mut takes = work.random.between(10_000, 3_000_000);
        if matches!(it, Task::Prepare { .. }) {
            takes = takes.max(work.creates_in);
        }
        let place = if matches!(it, Task::Read { .. }) { &mut work.read } else { &mut work.task };
        *place = Some((now + takes, it));
    }

    /// The router has a password compared.
    pub(crate) fn begin_password(&mut self, check: PasswordCheck) {
        if self.password.is_some() {
            let what = "a password is to be compared before the one before it has been";
            return self.note(violation("one password at a time", what));
        }
        self.password = Some((self.now + PASSWORD, check));
    }

    /// What came of the password.
    pub(crate) fn password(&mut self) -> Option<Option<Arc<str>>> {
        let (_, check) = self.password.take_if(|(due, _)| *due <= self.now)?;
        self.has_moved = true;
        Some(check.run())
    }

    /// The router has a message converted.
    pub(crate) fn begin_conversion(&mut self, order: ConversionOrder) {
        self.conversions.begin(self.now, order);
    }

    /// What came of the next one.
    pub(crate) fn conversion(&mut self) -> Option<Converted> {
        let outcome = self.conversions.outcome(self.now);
        self.has_moved |= outcome.is_some();
        outcome
    }

    /// What the disk has done.
    pub(crate) fn outcome(&mut self) -> Option<Outcome> {
        let outcome = self.disk.as_mut()?.outcome(self.now);
        self.has_moved |= outcome.is_some();
        outcome
    }

    /// The router does nothing until the disk has done something.
    pub(crate) fn wait_for_outcome(&mut self) -> Option<Outcome> {
        // It may when it ends, which no run comes to.
        let what = "the loop waits for the disk, and nobody is served meanwhile";
        self.note(violation("commit order", what));
        self.now = self.now.max(self.next_outcome()?);
        self.outcome()
    }
}
