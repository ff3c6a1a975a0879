//! A machine with a disk and a router on it, which die and start again.

use std::collections::VecDeque;

use trunkline_journal::simulated::{Fault, SimulatedDisk};
use trunkline_journal::{Commit, Disk as _, Task, commit, segment_name, task};
use trunkline_store::{Forwarding, Level, Store};

use super::PowerCounts;
use crate::config::{Config, JournalRule};
use crate::engine::{ConnectionId, Dirty, Engine, Peer};
use crate::session::Protocol;
use crate::simulation::random::Random;
use crate::simulation::report::{Checked, violation};

/// Nanoseconds since 1970 when a run begins.
const EPOCH: u64 = 1_700_000_000_000_000_000;

/// A connection of a client.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// On its way to the router.
    to_router: Vec<u8>,
    /// On its way to the client.
    from_router: Vec<u8>,
    is_open: bool,
}

/// How many events before a failure are told.
const RECENT: usize = 60;

pub(super) struct Machine {
    disk: SimulatedDisk,
    engine: Option<Engine>,
    config: Config,
    pub(super) now: u64,
    connections: Vec<(ConnectionId, Connection)>,
    commit: Option<(u64, Commit)>,
    task: Option<(u64, Task)>,
    random: Random,
    recent: VecDeque<String>,
}

fn config() -> Config {
    let mut config = Config::default();
    config.journal.directory = Some("simulated".into());
    config.journal.segment_bytes = 32 << 10;
    config.journal.bytes = 1 << 20;
    config.journal.memory_bytes = 8 << 10;
    config.journal.pending_bytes = 16 << 10;
    config.journal.keep = std::time::Duration::from_millis(200);
    config.journal.producer_window = 64;
    config.limits.frame_bytes = 8 << 10;
    let rule = |topics: &str, durability, delivery| JournalRule {
        topics: topics.to_owned(),
        durability: Some(durability),
        delivery: Some(delivery),
    };
    config.journal.rules = vec![rule("cut/>", Level::Disk, Forwarding::CutThrough)];
    config
}

impl Machine {
    pub(super) fn new(seed: u64) -> Self {
        let mut machine = Self {
            disk: SimulatedDisk::new(seed),
            engine: None,
            config: config(),
            now: 1_000_000,
            connections: Vec::new(),
            commit: None,
            task: None,
            random: Random::new(seed, 2),
            recent: VecDeque::new(),
        };
        // An empty disk has nothing that could be wrong.
        let _ = machine.start(&mut PowerCounts::default());
        machine
    }

    pub(super) fn note(&mut self, what: impl FnOnce() -> String) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        let now = self.now;
        self.recent.push_back(format!("{now:>12} ns  {}", what()));
    }

    pub(super) fn recent(&self) -> Vec<String> {
        self.recent.iter().cloned().collect()
    }

    /// The router starts, on a disk that can be written to.
    pub(super) fn start(&mut self, counts: &mut PowerCounts) -> Checked {
        self.disk.set_fault(Fault::None);
        let mut settings = self.config.journal.settings();
        // So small that what is known takes several pieces, and the power is cut between them.
        settings.piece_bytes = 160;
        let opened = Store::open(&mut self.disk, settings, 4711);
        let (store, opened) = match opened {
            Ok(it) => it,
            Err(error) => {
                return violation("damage", format!("the journal does not open: {error}"));
            }
        };
        counts.torn += u64::from(opened.journal.torn.is_some());
        self.note(|| format!("the router starts: {:?}", opened.journal));
        let mut engine = Engine::with_store(&self.config, store, EPOCH);
        engine.advance(self.now);
        self.engine = Some(engine);
        Ok(())
    }

    /// The router dies, or the machine.
    pub(super) fn die(&mut self, power: bool, counts: &mut PowerCounts) {
        self.note(|| if power { "the power is cut".into() } else { "the router is killed".into() });
        self.engine = None;
        let writing = self.commit.take().map(|(_, commit)| commit);
        let chunks = writing.iter().flat_map(|it| &it.chunks);
        let writes: Vec<_> = chunks
            .map(|it| (segment_name(it.at.segment), u64::from(it.at.offset), &it.bytes[..]))
            .collect();
        counts.in_write += u64::from(!writes.is_empty());
        self.task = None;
        let random = &mut self.random;
        let mut chance = |below: u64| random.below(below);
        if power {
            counts.power_cuts += 1;
            self.disk.cut_power(&writes, &mut chance);
        } else {
            counts.kills += 1;
            self.disk.kill(&writes, &mut chance);
        }
        for (_, connection) in &mut self.connections {
            connection.is_open = false;
            connection.to_router.clear();
            // What the router had written may still arrive, or some of it.
            let kept = self.random.part(connection.from_router.len());
            connection.from_router.truncate(kept);
        }
    }

    /// A bit of a segment that is not the last one changes; whether there was one.
    pub(super) fn flip(&mut self) -> bool {
        let Ok(names) = self.disk.names() else { return false };
        let mut segments: Vec<String> =
            names.into_iter().filter(|name| name.ends_with(".journal")).collect();
        segments.sort();
        segments.truncate(segments.len().saturating_sub(2));
        if segments.len() < 2 {
            return false;
        }
        // The oldest stays as it is: two in a row could take what was known away.
        let name = &segments[self.random.between(1, segments.len() as u64 - 1) as usize];
        let length = self.disk.length(name).unwrap_or(1);
        let (byte, bit) = (self.random.below(length) as usize, self.random.below(8) as u8);
        self.disk.flip(name, byte, bit);
        self.note(|| format!("bit {bit} of byte {byte} of {name} flips"));
        true
    }

    pub(super) fn fill(&mut self) {
        self.note(|| "the disk is full".into());
        let room = self.disk.bytes();
        self.disk.set_room(Some(room));
    }

    pub(super) fn fail(&mut self) {
        self.note(|| "the disk fails".into());
        self.disk.set_fault(Fault::Writes);
    }

    pub(super) fn mend(&mut self) {
        self.disk.set_room(None);
        self.disk.set_fault(Fault::None);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.engine.as_ref().is_some_and(|it| it.store().journal().failure().is_some())
    }

    /// A client connects.
    pub(super) fn connect(&mut self) -> Option<ConnectionId> {
        let engine = self.engine.as_mut()?;
        let peer = Peer { transport: "tcp", address: "simulated".to_owned() };
        let id = engine.connected(self.now, peer, Protocol::Native).ok()?;
        self.connections.push((id, Connection { is_open: true, ..Connection::default() }));
        Some(id)
    }

    /// A client closes its connection, or it breaks.
    pub(super) fn disconnect(&mut self, id: ConnectionId) {
        let connection = self.connections.iter().position(|(other, _)| *other == id);
        let Some((_, connection)) = connection.map(|at| self.connections.swap_remove(at)) else {
            return;
        };
        if let Some(engine) = self.engine.as_mut().filter(|_| connection.is_open) {
            engine.closed(self.now, id, "simulated");
        }
    }

    fn connection(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections
            .iter_mut()
            .find(|(other, _)| *other == id)
            .map(|(_, connection)| connection)
    }

    pub(super) fn is_open(&mut self, id: ConnectionId) -> bool {
        self.connection(id).is_some_and(|connection| connection.is_open)
    }

    /// A client sends bytes.
    pub(super) fn send(&mut self, id: ConnectionId, bytes: &[u8]) {
        if let Some(connection) = self.connection(id).filter(|connection| connection.is_open) {
            connection.to_router.extend_from_slice(bytes);
        }
    }

    /// What has come for a client, or some of it.
    pub(super) fn receive(&mut self, id: ConnectionId, into: &mut Vec<u8>) {
        let length = self.connection(id).map_or(0, |connection| connection.from_router.len());
        let length = if self.is_open(id) { self.random.part(length) } else { length };
        if let Some(connection) = self.connection(id) {
            into.extend(connection.from_router.drain(..length));
        }
    }

    /// Bytes arrive, the disk works, the router does what is due.
    pub(super) fn turn(&mut self, counts: &mut PowerCounts) {
        let Some(mut engine) = self.engine.take() else { return };
        self.work(&mut engine);
        engine.advance(self.now);
        for (id, connection) in &mut self.connections {
            if !connection.is_open || engine.is_held(*id) || connection.to_router.is_empty() {
                continue;
            }
            let length = self.random.part(connection.to_router.len());
            let used = engine.received(self.now, *id, &connection.to_router[..length]);
            connection.to_router.drain(..used);
        }
        while engine.next_released().is_some() {}
        self.begin(&mut engine, counts);
        while let Some(dirty) = engine.next_dirty(self.now) {
            let (Dirty::Output(id) | Dirty::Close(id, _)) = dirty;
            let output = engine.output(id).to_vec();
            engine.sent(self.now, id, output.len());
            let Some((_, connection)) = self.connections.iter_mut().find(|(other, _)| *other == id)
            else {
                continue;
            };
            connection.from_router.extend_from_slice(&output);
            if matches!(dirty, Dirty::Close(..)) {
                connection.is_open = false;
                engine.closed(self.now, id, "simulated");
            }
        }
        self.engine = Some(engine);
    }

    /// The disk does what it has had time for.
    fn work(&mut self, engine: &mut Engine) {
        if let Some((_, it)) = self.commit.take_if(|(due, _)| *due <= self.now) {
            let result = commit(&mut self.disk, &it);
            engine.committed(self.now, result);
        }
        if let Some((_, it)) = self.task.take_if(|(due, _)| *due <= self.now) {
            let done = task(&mut self.disk, &it);
            engine.task_done(self.now, done);
        }
    }

    fn begin(&mut self, engine: &mut Engine, counts: &mut PowerCounts) {
        if self.commit.is_none()
            && let Some(it) = engine.next_commit(self.now)
        {
            let due = self.now + self.random.between(50_000, 600_000);
            self.commit = Some((due, it));
        }
        if self.task.is_none()
            && let Some(it) = engine.next_task(self.now)
        {
            counts.segments_removed += u64::from(matches!(it, Task::Remove { .. }));
            let due = self.now + self.random.between(10_000, 3_000_000);
            self.task = Some((due, it));
        }
    }

    /// Whether nothing waits in these durable subscriptions, and all is on disk.
    pub(super) fn is_quiet(&self, durables: &[String]) -> bool {
        let Some(engine) = &self.engine else { return false };
        self.commit.is_none()
            && durables.iter().all(|name| {
                engine.store().account(name).is_none_or(|account| {
                    account.in_flight + account.waiting == 0 && !account.is_behind
                })
            })
    }

    pub(super) fn describe(&self, durables: &[String]) -> String {
        let Some(engine) = &self.engine else { return "no router".into() };
        let accounts =
            durables.iter().map(|name| format!("{name}: {:?}", engine.store().account(name)));
        let journal = engine.store().journal();
        let (last, durable, pending) = (journal.last(), journal.durable(), journal.pending());
        let (shortage, failure) = (journal.shortage(), journal.failure());
        format!(
            "{}; journal at {last}, on disk to {durable}, {pending} bytes wait, {shortage:?} {failure:?}",
            accounts.collect::<Vec<_>>().join(", ")
        )
    }
}
