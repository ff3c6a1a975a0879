//! The loop: one thread that moves bytes between streams and the engine.
//!
//! A turn waits for something to happen, reads from each connection that has bytes, but not more
//! than its share, and writes to each that has output: after each read where few have bytes, else
//! after a few reads. So what many send to one goes out together, and what comes alone goes out at
//! once.

mod connection;
mod listener;

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use tracing::{info, warn};
use trunkline_journal::{Outcome, Workers};
use trunkline_reactor::{Deadline, Event, Reactor, Stream};

use crate::config::Config;
use crate::engine::{ConnectionId, Dirty, Engine, LINGER, LOGGED_EVERY, Peer};
use crate::server::{Command, Descriptors, Shared, since_1970};
use crate::session::Protocol;
use crate::snapshot::{Snapshot, SnapshotRequest};

use connection::{Connection, Read};
pub(crate) use listener::ProtocolListener;

/// Bytes that one connection may bring before others have their turn.
const SHARE: usize = 128 << 10;

/// Bytes that a turn reads; the clock is read and time-outs are seen to in between.
const TURN: usize = 8 * SHARE;

/// Connections read from before there is a write to those that have output. What one of so few brought
/// waits for no other.
const FEW: usize = 8;

/// Bytes for the disk from which on it is better kept busy than clients served a little sooner.
const MUCH: usize = 16 << 10;

/// Connections accepted at one listener before others have their turn.
const ACCEPTED: usize = 64;

/// Snapshots that may be asked for at a time.
const SURVEYS: usize = 16;

/// Nanoseconds between two looks at the time of the world.
const CLOCK: u64 = 1_000_000_000;

/// Tokens below this are listeners.
const LISTENERS: usize = 1 << 10;

/// Connections that are not taken in and may still read why.
const LINGERING: usize = 64;

/// Bytes that a connection that ends may still send. Closing a socket with bytes unread could take from
/// the client why it ends, so that they are read; but not from one that never stops.
const IGNORED: usize = 16 << 20;

/// The end of a router.
#[derive(Clone, Copy, Debug)]
struct Stopping {
    /// When waiting for clients to take what waits for them ends.
    patience: u64,
    /// When the last connection is gone.
    end: u64,
}

/// Streams, listeners and the engine between them.
pub(crate) struct Pump {
    engine: Engine,
    /// Do what the journal wants done, if it is on a disk.
    workers: Option<Workers>,
    reactor: Reactor,
    shared: Arc<Shared>,
    listeners: Vec<Option<ProtocolListener>>,
    /// By the index of the client.
    connections: Vec<Option<Connection>>,
    /// Listeners at which more may wait.
    accepting: VecDeque<usize>,
    /// Connections that may have more to read.
    reading: VecDeque<ConnectionId>,
    /// Connections that have something to write, and room for it.
    writing: VecDeque<ConnectionId>,
    /// Connections that end, in the order in which they have to be gone.
    leaving: BTreeSet<(u64, ConnectionId)>,
    /// Streams that were not taken in, and when they go.
    lingering: VecDeque<(u64, Stream)>,
    descriptors: Descriptors,
    /// When the log may say next that connections are turned away for want of descriptors.
    refusal_told_at: u64,
    events: Vec<Event>,
    buffer: Vec<u8>,
    epoch: Instant,
    /// Nanoseconds since the epoch; read once a turn, and before something is written.
    now: u64,
    turns: u64,
    /// When the time of the world is looked at next.
    clock_at: u64,
    stopping: Option<Stopping>,
    /// Who wants to know what is going on; the first is served.
    surveys: VecDeque<(SnapshotRequest, SyncSender<Snapshot>)>,
}

impl Pump {
    pub(crate) fn new(
        (engine, workers, epoch): (Engine, Option<Workers>, Instant),
        reactor: Reactor,
        (shared, descriptors): (Arc<Shared>, Descriptors),
        listeners: Vec<ProtocolListener>,
    ) -> io::Result<Self> {
        let mut pump = Self {
            engine,
            workers,
            reactor,
            shared,
            listeners: Vec::new(),
            connections: Vec::new(),
            accepting: VecDeque::new(),
            reading: VecDeque::new(),
            writing: VecDeque::new(),
            leaving: BTreeSet::new(),
            lingering: VecDeque::new(),
            descriptors,
            refusal_told_at: 0,
            events: Vec::new(),
            buffer: vec![0; 2 * SHARE],
            epoch,
            now: 0,
            turns: 0,
            clock_at: 0,
            stopping: None,
            surveys: VecDeque::new(),
        };
        for listener in listeners {
            pump.open(listener)?;
        }
        Ok(pump)
    }

    /// Turns until it is told to stop.
    ///
    /// # Errors
    ///
    /// Events cannot be waited for, so that nothing can go on.
    pub(crate) fn run(mut self) -> io::Result<()> {
        while !self.is_done() {
            self.turn()?;
        }
        self.close_store();
        info!("the router has stopped");
        Ok(())
    }

    fn is_done(&self) -> bool {
        let is_empty = || self.connections.iter().all(Option::is_none);
        self.stopping.is_some_and(|it| self.now >= it.end || is_empty())
    }

    fn turn(&mut self) -> io::Result<()> {
        let deadline = self.deadline();
        self.reactor.wait_until(&mut self.events, deadline)?;
        self.now = self.clock();
        self.turns += 1;
        if self.now >= self.clock_at {
            // Clocks are set while a router runs.
            self.engine.tell_time(self.now, since_1970());
            self.clock_at = self.now.saturating_add(CLOCK);
        }
        self.sort_events();
        let connections = &mut self.connections;
        self.engine.advance_with(self.now, |id| find(connections, id)?.stream.under_way());
        self.finish_work();
        self.go_on();
        if self.shared.is_asked() {
            self.obey();
        }
        self.accept();
        self.read();
        self.write();
        if !self.leaving.is_empty() {
            self.part();
        }
        while self.lingering.front().is_some_and(|(until, _)| self.now >= *until) {
            self.lingering.pop_front();
        }
        if !self.surveys.is_empty() {
            self.survey();
        }
        if let Some(stopping) = self.stopping {
            self.engine.stop(self.now, self.now >= stopping.patience);
            self.flush();
        }
        Ok(())
    }

    /// Nanoseconds since the epoch.
    fn clock(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Until when nothing has to be done.
    fn deadline(&self) -> Deadline {
        let is_idle = self.reading.is_empty()
            && self.writing.is_empty()
            && self.accepting.is_empty()
            && !self.engine.has_released()
            && self.surveys.is_empty();
        if !is_idle {
            return Deadline::Now;
        }
        let leaving = self.leaving.first().map(|(at, _)| *at);
        let stopping =
            self.stopping.map(|it| if self.now < it.patience { it.patience } else { it.end });
        let lingering = self.lingering.front().map(|(at, _)| *at);
        let deadlines = [self.engine.next_deadline(), leaving, lingering, stopping];
        let next = deadlines.into_iter().flatten().min().map(Duration::from_nanos);
        let next = next.and_then(|next| self.epoch.checked_add(next));
        next.map_or(Deadline::Never, Deadline::At)
    }

    fn sort_events(&mut self) {
        for event in &self.events {
            if event.token < LISTENERS {
                if !self.accepting.contains(&event.token) {
                    self.accepting.push_back(event.token);
                }
                continue;
            }
            let Some(connection) =
                self.connections.get_mut(event.token - LISTENERS).and_then(Option::as_mut)
            else {
                continue;
            };
            if event.readable && !connection.is_reading {
                connection.is_reading = true;
                self.reading.push_back(connection.id);
            }
            connection.has_ended |= event.closed;
            if event.writable && connection.is_blocked {
                connection.is_blocked = false;
                self.engine.progressed(self.now, connection.id);
                if !connection.is_writing {
                    connection.is_writing = true;
                    self.writing.push_back(connection.id);
                }
            }
        }
    }

    /// Adds a listener, and gives its place.
    fn open(&mut self, mut listener: ProtocolListener) -> io::Result<usize> {
        let free = self.listeners.iter().position(Option::is_none);
        let at = free.unwrap_or(self.listeners.len());
        if at >= LISTENERS {
            return Err(io::Error::other(format!("there are {LISTENERS} listeners already")));
        }
        self.reactor.add_listener(&mut listener.socket, at)?;
        if at == self.listeners.len() {
            self.listeners.push(None);
        }
        self.listeners[at] = Some(listener);
        self.accepting.push_back(at);
        Ok(at)
    }

    fn accept(&mut self) {
        for _ in 0..self.accepting.len() {
            let Some(at) = self.accepting.pop_front() else { return };
            for left in (0..ACCEPTED).rev() {
                let Some(listener) = self.listeners.get_mut(at).and_then(Option::as_mut) else {
                    break;
                };
                match listener.socket.accept() {
                    Ok(None) => break,
                    Ok(Some(stream)) => {
                        let protocol = listener.protocol;
                        match self.descriptors.refusal(&stream) {
                            None => self.welcome(stream, protocol),
                            Some(reason) => self.refuse(stream, protocol, &reason),
                        }
                        if left == 0 {
                            self.accepting.push_back(at);
                        }
                    }
                    Err(cause) => {
                        warn!(%cause, "connections cannot be accepted for now");
                        break;
                    }
                }
            }
        }
    }

    fn welcome(&mut self, mut stream: Stream, protocol: Protocol) {
        if self.stopping.is_some() {
            return;
        }
        let peer = Peer { transport: stream.transport(), address: stream.peer() };
        let id = match self.engine.connected(self.now, peer, protocol) {
            Ok(id) => id,
            Err(refusal) => return self.turn_away(stream, protocol, &refusal.to_string()),
        };
        let at = id.index as usize;
        if let Err(cause) = self.reactor.add(&mut stream, LISTENERS + at) {
            return self.engine.closed(self.now, id, &format!("it cannot be watched: {cause}"));
        }
        if at >= self.connections.len() {
            self.connections.resize_with(at + 1, || None);
        }
        let mut connection = Connection::new(id, stream);
        connection.is_reading = true;
        self.reading.push_back(id);
        self.connections[at] = Some(connection);
    }

    /// Turns a connection away for which there is no descriptor.
    #[cold]
    fn refuse(&mut self, stream: Stream, protocol: Protocol, reason: &str) {
        if self.stopping.is_some() {
            return;
        }
        self.engine.count_turned_away();
        if self.now >= self.refusal_told_at {
            self.refusal_told_at = self.now.saturating_add(LOGGED_EVERY);
            warn!(reason, "connections are turned away");
        }
        self.turn_away(stream, protocol, reason);
    }

    /// Tells a client that there is no room for it. Its stream stays for a while, since closing it
    /// with unread bytes would take back what it is told; but not many do.
    fn turn_away(&mut self, mut stream: Stream, protocol: Protocol, reason: &str) {
        // It may be gone already.
        let _ = stream.write(&Engine::turn_away(protocol, reason));
        let _ = stream.finish();
        if self.lingering.len() >= LINGERING.min(self.descriptors.share()) {
            self.lingering.pop_front();
        }
        self.lingering.push_back((self.now.saturating_add(LINGER), stream));
    }

    /// Reads from each connection once that may have bytes, until the turn has had enough.
    fn read(&mut self) {
        let (mut total, mut fresh, mut unwritten) = (0, 0, 0);
        let is_few = self.reading.len() <= FEW;
        for _ in 0..self.reading.len() {
            if total >= TURN {
                return;
            }
            let Some(id) = self.reading.pop_front() else { return };
            let Some(connection) = find(&mut self.connections, id) else { continue };
            let (read, bytes) =
                connection.read(&mut self.engine, self.now, &mut self.buffer, SHARE);
            while let Some(next) = self.engine.next_to_bound() {
                if let Some(connection) = find(&mut self.connections, next)
                    && let Err(cause) = connection.stream.bound_buffers()
                {
                    warn!(%cause, "buffers of a conflated client stay as they are");
                }
            }
            let Some(connection) = find(&mut self.connections, id) else { continue };
            if connection.dismissed.is_some() {
                connection.ignored += bytes;
            }
            match read {
                Read::Ended(reason) => self.gone(id, &reason),
                // It is read from again when it is released.
                _ if self.engine.is_held(id) => {}
                Read::More if connection.ignored > IGNORED => self.gone(id, ""),
                Read::More => self.reading.push_back(id),
                Read::Drained => connection.is_reading = false,
            }
            total += bytes;
            fresh += bytes;
            unwritten += 1;
            // What has been rendered is still in the processor's caches.
            if is_few || unwritten == FEW || fresh >= SHARE {
                (fresh, unwritten) = (0, 0);
                self.write();
            }
        }
    }

    /// Writes to clients and gives the disk its work: first the disk, so that it works meanwhile, if there is
    /// much to do; else first the clients, who would wait behind the thread that is woken for the disk.
    fn write(&mut self) {
        if self.engine.pending_bytes() >= MUCH {
            self.begin_work();
        }
        if self.flush() && self.engine.wants_commit(self.now) {
            // Who was written to may wait for this processor. Others are asked first whether they need it,
            // since the thread that is woken for the disk takes it for as long as a write takes to begin.
            std::thread::yield_now();
        }
        self.begin_work();
    }

    #[inline]
    fn begin_work(&mut self) {
        let Some(workers) = &self.workers else { return };
        if let Some(commit) = self.engine.next_commit(self.now) {
            workers.commit(commit);
        }
        if let Some(task) = self.engine.next_task(self.now) {
            workers.task(task);
        }
    }

    /// Takes what the disk has done.
    fn finish_work(&mut self) {
        while let Some(outcome) = self.workers.as_ref().and_then(Workers::outcome) {
            self.finish(outcome);
            self.write();
        }
    }

    /// Reads again from those that were held, after what was left over of them.
    fn go_on(&mut self) {
        while let Some(id) = self.engine.next_released() {
            let Some(connection) = find(&mut self.connections, id) else { continue };
            connection.retry(&mut self.engine, self.now);
            // Its events may have been taken while nothing was read.
            connection.is_reading = true;
            if !self.engine.is_held(id) {
                self.reading.push_back(id);
            }
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Committed(result) => self.engine.committed(self.now, result),
            Outcome::Task(done) => self.engine.task_done(self.now, done),
        }
    }

    /// Writes what has been stored, and waits until it is on disk.
    fn close_store(&mut self) {
        if self.workers.is_none() {
            return;
        }
        self.engine.close_store(self.now);
        while self.engine.has_work() {
            self.begin_work();
            let Some(outcome) = self.workers.as_ref().and_then(Workers::wait) else { return };
            self.finish(outcome);
        }
    }

    /// Writes once to each connection that has output; whether there was any.
    fn flush(&mut self) -> bool {
        while let Some(dirty) = self.engine.next_dirty(self.now) {
            match dirty {
                Dirty::Output(id) => self.wants_to_write(id),
                Dirty::Close(id, reason) => self.dismiss(id, &reason),
            }
        }
        let count = self.writing.len();
        if count > 0 {
            // A turn may read for long, and what is sent says how old it is.
            self.now = self.clock();
        }
        for _ in 0..count {
            let Some(id) = self.writing.pop_front() else { break };
            let Some(connection) = find(&mut self.connections, id) else { continue };
            connection.is_writing = false;
            match connection.write(&mut self.engine, self.now) {
                Ok(true) => self.wants_to_write(id),
                Ok(false) => {}
                Err(cause) => self.gone(id, &format!("writing: {cause}")),
            }
        }
        count > 0
    }

    fn wants_to_write(&mut self, id: ConnectionId) {
        if let Some(connection) = find(&mut self.connections, id)
            && !connection.is_writing
            && !connection.is_blocked
        {
            connection.is_writing = true;
            self.writing.push_back(id);
        }
    }

    /// The connection is no more.
    fn gone(&mut self, id: ConnectionId, reason: &str) {
        let Some(slot) = self.connections.get_mut(id.index as usize) else { return };
        let Some(mut connection) = slot.take_if(|connection| connection.id == id) else { return };
        // A stream that is dropped is not watched any more, even where this fails.
        let _ = self.reactor.remove(&mut connection.stream);
        let reason = connection.dismissed.as_deref().unwrap_or(reason);
        self.engine.closed(self.now, id, reason);
    }

    /// The connection is to end, and its client may read why for a while.
    fn dismiss(&mut self, id: ConnectionId, reason: &str) {
        let Some(connection) = find(&mut self.connections, id) else { return };
        if connection.dismissed.is_none() {
            connection.dismissed = Some(reason.to_owned());
            let until = self.now.saturating_add(self.engine.linger(id));
            self.leaving.insert((until, id));
            // What is unread when the connection is closed would take from the client what it is told.
            if self.engine.let_go(id) {
                self.reading.push_back(id);
            }
            self.wants_to_write(id);
        }
    }

    /// Ends what has taken too long to read why it ends.
    fn part(&mut self) {
        while let Some((until, id)) = self.leaving.first().copied() {
            if self.now < until {
                return;
            }
            self.leaving.pop_first();
            self.gone(id, "");
        }
    }

    /// Does what other threads asked for.
    fn obey(&mut self) {
        for command in self.shared.take() {
            match command {
                Command::Stop => self.stop(),
                Command::Snapshot(request, answer) => {
                    // Beyond that the sender is dropped, which tells who asked.
                    if self.surveys.len() < SURVEYS {
                        self.surveys.push_back((request, answer));
                    }
                }
                Command::Reconfigure(config, answer) => {
                    let result = self.reconfigure(&config);
                    // Who asked may have stopped waiting.
                    let _ = answer.send(result);
                }
            }
        }
    }

    /// Goes on with the snapshot that is asked for.
    fn survey(&mut self) {
        if !self.engine.is_in_survey()
            && let Some((request, _)) = self.surveys.front()
        {
            self.engine.begin_snapshot(*request);
        }
        let connections = &mut self.connections;
        let snapshot = self.engine.continue_snapshot(self.now, |id| {
            let connection = find(connections, id);
            connection.and_then(|connection| connection.stream.under_way()).unwrap_or(0) as u64
        });
        if let Some(mut snapshot) = snapshot
            && let Some((_, answer)) = self.surveys.pop_front()
        {
            snapshot.totals.turns = self.turns;
            // Who asked may have stopped waiting.
            let _ = answer.send(snapshot);
        }
    }

    /// Takes nobody in any more, and lets everybody take what waits for them.
    fn stop(&mut self) {
        if self.stopping.is_some() {
            return;
        }
        info!("the router stops");
        let timeout = self.engine.config().router.shutdown_timeout.as_nanos() as u64;
        let patience = self.now.saturating_add(timeout);
        let end = patience.saturating_add(LINGER);
        self.stopping = Some(Stopping { patience, end });
        // Who was silent is waited for no longer than others.
        let soon = self.now.saturating_add(LINGER);
        let leaving = std::mem::take(&mut self.leaving);
        self.leaving = leaving.into_iter().map(|(until, id)| (until.min(soon), id)).collect();
        for listener in self.listeners.iter_mut().filter_map(Option::take) {
            shut(&mut self.reactor, listener);
        }
    }

    /// Listens where the configuration says, changes the engine, or changes nothing.
    fn reconfigure(&mut self, config: &Config) -> Result<(), String> {
        let wanted = ProtocolListener::wanted(config);
        let is_wanted = |listener: &ProtocolListener| wanted.iter().any(|it| listener.is(it));
        let (mut fresh, mut turned) = (Vec::new(), Vec::new());
        for it in &wanted {
            if self.listeners.iter().flatten().any(|listener| listener.is(it)) {
                continue;
            }
            let may_turn =
                |listener: &ProtocolListener| listener.asked == it.0 && !is_wanted(listener);
            if let Some(at) = self.listeners.iter().position(|it| it.as_ref().is_some_and(may_turn))
            {
                turned.push((at, it.1));
                continue;
            }
            // Nothing is changed before all of them are open.
            match ProtocolListener::open(&it.0, it.1).and_then(|listener| self.open(listener)) {
                Ok(at) => fresh.push(at),
                Err(cause) => {
                    for listener in
                        fresh.into_iter().filter_map(|at: usize| self.listeners[at].take())
                    {
                        shut(&mut self.reactor, listener);
                    }
                    return Err(cause.to_string());
                }
            }
        }
        for (at, protocol) in turned {
            if let Some(listener) = &mut self.listeners[at] {
                listener.protocol = protocol;
            }
        }
        for listener in
            self.listeners.iter_mut().filter_map(|slot| slot.take_if(|it| !is_wanted(it)))
        {
            info!(address = %listener.socket.address(), "no longer listening");
            shut(&mut self.reactor, listener);
        }
        for listener in fresh.into_iter().filter_map(|at| self.listeners[at].as_ref()) {
            info!(address = %listener.socket.address(), "listening");
        }
        self.reactor.set_idle(config.router.idle);
        self.engine.reconfigure(self.now, config);
        Ok(())
    }
}

/// Ends a listener.
fn shut(reactor: &mut Reactor, mut listener: ProtocolListener) {
    // Dropping it ends it too.
    let _ = reactor.remove_listener(&mut listener.socket);
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.shared.close();
    }
}

fn find(connections: &mut [Option<Connection>], id: ConnectionId) -> Option<&mut Connection> {
    connections.get_mut(id.index as usize)?.as_mut().filter(|connection| connection.id == id)
}
