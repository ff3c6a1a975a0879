//! The loop: one thread that moves bytes between streams and the engine.
//!
//! A turn waits for something to happen, reads from each connection that has bytes, but not more
//! than its share, and writes to each that has output: after each read where few have bytes, else
//! after a few reads. So what many send to one goes out together, and what comes alone goes out at
//! once.

mod administration;
mod connection;
mod latency;
mod listener;

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::mpsc::SyncSender;

use tracing::{info, warn};
use trunkline_journal::Outcome;
use trunkline_native::code;
use trunkline_reactor::{Address, Event};

use crate::Protocol;
use crate::config::Config;
use crate::engine::{ConnectionId, Dirty, Engine, LOGGED_EVERY};
use crate::platform::{Deadline, Listener as _, Platform, Stream as _};
use crate::server::{Command, Pulse};
use crate::snapshot::{Snapshot, SnapshotRequest};

pub use crate::engine::LINGER;
use administration::Administration;
pub(crate) use administration::Caller;
use connection::{Connection, Read};
use latency::LatencyMeter;
pub use listener::{ProtocolListener, wanted_listeners};

/// Bytes that one connection may bring before others have their turn.
pub const SHARE: usize = 128 << 10;

/// Bytes that a turn reads; the clock is read and time-outs are seen to in between.
const TURN: usize = 8 * SHARE;

/// What handling the remaining bytes of a connection counts for at least, in bytes.
const RETRY: usize = TURN / 256;

/// The number of connections that are read before output is written. With so few connections, the messages of
/// one do not wait for another.
const FEW: usize = 8;

/// Deliveries of converted and filtered messages, to one client each, that a turn makes: some hundred microseconds of work.
const CONVERTED: usize = 4 << 10;

/// Bytes for the disk from which on it is better kept busy than clients served a little sooner.
const MUCH: usize = 16 << 10;

/// Connections accepted at one listener before others have their turn.
const ACCEPTED: usize = 64;

/// What a client is told that keeps too much of a frame.
const TOO_MANY_HALF_FRAMES: &str =
    "the router is short of memory for frames that have come in part (limits.memory_bytes)";

/// Snapshots that may be asked for at a time.
const SURVEYS: usize = 16;

/// Nanoseconds between two looks at the time of the world.
const CLOCK: u64 = 1_000_000_000;

/// Tokens below this are listeners.
const LISTENERS: usize = 1 << 10;

/// Connections that are not taken in and may still read why.
pub const LINGERING: usize = 64;

/// Bytes that a connection that ends may still send. Closing a socket with bytes unread could take from
/// the client why it ends, so that they are read; but not from one that never stops.
pub const IGNORED: usize = 16 << 20;

/// The end of a router.
#[derive(Clone, Copy, Debug)]
struct Stopping {
    /// When waiting for clients to take what waits for them ends.
    patience: u64,
    /// When the last connection is gone.
    end: u64,
}

/// Streams, listeners and the engine between them.
pub struct EventLoop<P: Platform> {
    /// It is dropped first, so that callers do not wait for their answers while the engine's memory is freed.
    platform: P,
    engine: Engine,
    listeners: Vec<Option<ProtocolListener<P::Listener>>>,
    /// By the index of the client.
    connections: Vec<Option<Connection<P::Stream>>>,
    /// Listeners at which more may wait.
    accepting: VecDeque<usize>,
    /// Connections that may have more to read.
    reading: VecDeque<ConnectionId>,
    /// Connections that have something to write, and room for it.
    writing: VecDeque<ConnectionId>,
    /// Connections that end, in the order in which they have to be gone.
    leaving: BTreeSet<(u64, ConnectionId)>,
    /// Streams that were not taken in, and when they go.
    lingering: VecDeque<(u64, P::Stream)>,
    /// When the log may say next that connections are rejected for want of descriptors, or for a drain.
    rejection_logged_at: u64,
    events: Vec<Event>,
    buffer: Vec<u8>,
    /// Nanoseconds since the epoch of the platform; read as a turn begins and ends, and around writing.
    now: u64,
    turns: u64,
    latency: LatencyMeter,
    /// When the time of the world is looked at next.
    clock_at: u64,
    stopping: Option<Stopping>,
    /// Requests for a snapshot; the first is being served.
    surveys: VecDeque<(SnapshotRequest, SyncSender<Snapshot>)>,
    /// More messages may have been converted or filtered than the last turn delivered.
    has_conversions: bool,
    administration: Administration,
}

impl<P: Platform> EventLoop<P> {
    /// A loop that listens there. Its engine's time is that of the platform.
    ///
    /// # Errors
    ///
    /// A listener cannot be watched.
    pub fn new(
        engine: Engine,
        platform: P,
        listeners: Vec<ProtocolListener<P::Listener>>,
    ) -> io::Result<Self> {
        let mut it = Self {
            engine,
            platform,
            listeners: Vec::new(),
            connections: Vec::new(),
            accepting: VecDeque::new(),
            reading: VecDeque::new(),
            writing: VecDeque::new(),
            leaving: BTreeSet::new(),
            lingering: VecDeque::new(),
            rejection_logged_at: 0,
            events: Vec::new(),
            buffer: vec![0; 2 * SHARE],
            now: 0,
            turns: 0,
            latency: LatencyMeter::default(),
            clock_at: 0,
            stopping: None,
            surveys: VecDeque::new(),
            has_conversions: false,
            administration: Administration::default(),
        };
        for listener in listeners {
            it.open(listener)?;
        }
        Ok(it)
    }

    /// The router, to look at.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The connections, and the stream of each.
    pub fn streams(&self) -> impl Iterator<Item = (ConnectionId, &P::Stream)> {
        self.connections.iter().flatten().map(|it| (it.id, &it.stream))
    }

    /// Runs until it is told to stop.
    ///
    /// # Errors
    ///
    /// The platform cannot wait for events, so the loop cannot continue.
    pub fn run(mut self) -> io::Result<()> {
        while !self.is_done() {
            self.turn()?;
        }
        self.end();
        Ok(())
    }

    /// Ends once everybody has left: what was stored is on disk when this returns.
    fn end(mut self) {
        self.close_store();
        info!("the router has stopped");
    }

    /// Whether it has been told to stop, and has.
    fn is_done(&self) -> bool {
        let is_empty = || self.connections.iter().all(Option::is_none);
        self.stopping.is_some_and(|it| self.now >= it.end || is_empty())
    }

    /// Waits until something happens, and does what follows from it.
    ///
    /// # Errors
    ///
    /// The platform cannot wait for events, so the loop cannot continue.
    pub fn turn(&mut self) -> io::Result<()> {
        let deadline = self.deadline();
        self.platform.wait_until(&mut self.events, deadline)?;
        self.now = self.platform.now();
        self.turns += 1;
        let began = self.now;
        let has_come = matches!(deadline, Deadline::At(at) if at <= began);
        let has_work = has_come || deadline == Deadline::Now || !self.events.is_empty();
        if self.now >= self.clock_at {
            // Clocks are set while a router runs.
            self.engine.tell_time(self.now, self.platform.since_1970());
            self.clock_at = self.now.saturating_add(CLOCK);
        }
        self.sort_events();
        self.engine.count_converted(self.platform.conversion_bytes());
        let connections = &mut self.connections;
        self.engine.advance_with(self.now, |id| find(connections, id)?.stream.under_way());
        self.finish_work();
        self.go_on();
        if self.platform.has_commands() {
            self.run_commands();
        }
        self.accept();
        self.read();
        if let Some(check) = self.engine.next_password() {
            self.platform.begin_password(check);
        }
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
        self.administer();
        self.begin_conversions();
        if let Some(stopping) = self.stopping {
            self.engine.stop(self.now, self.now >= stopping.patience);
            self.flush();
        }
        // A turn that only looked for work took no time from anybody.
        if has_work || self.now != began {
            self.now = self.platform.now();
            self.latency.turn.record(self.now.saturating_sub(began));
        }
        Ok(())
    }

    /// Until when nothing has to be done.
    pub fn deadline(&self) -> Deadline {
        let is_idle = self.reading.is_empty()
            && self.writing.is_empty()
            && self.accepting.is_empty()
            && !self.engine.has_released()
            && !self.has_conversions
            && self.surveys.is_empty()
            && !self.administration.has_tasks();
        if !is_idle {
            return Deadline::Now;
        }
        let leaving = self.leaving.first().map(|(at, _)| *at);
        let stopping =
            self.stopping.map(|it| if self.now < it.patience { it.patience } else { it.end });
        let lingering = self.lingering.front().map(|(at, _)| *at);
        let drain = self.administration.next_deadline();
        let deadlines = [self.engine.next_deadline(), leaving, lingering, stopping, drain];
        deadlines.into_iter().flatten().min().map_or(Deadline::Never, Deadline::At)
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
                if connection.stream.has_progressed() {
                    self.engine.progressed(self.now, connection.id);
                }
                if !connection.is_writing {
                    connection.is_writing = true;
                    self.writing.push_back(connection.id);
                }
            }
        }
    }

    /// Listens at an address, and gives the listener's place.
    fn bind(&mut self, (address, protocol): &(Address, Protocol)) -> io::Result<usize> {
        let socket = self.platform.bind(address, *protocol)?;
        self.open(ProtocolListener { socket, protocol: *protocol, configured: address.clone() })
    }

    /// Adds a listener, and gives its place.
    fn open(&mut self, mut listener: ProtocolListener<P::Listener>) -> io::Result<usize> {
        let free = self.listeners.iter().position(Option::is_none);
        let at = free.unwrap_or(self.listeners.len());
        if at >= LISTENERS {
            return Err(io::Error::other(format!("there are {LISTENERS} listeners already")));
        }
        self.platform.add_listener(&mut listener.socket, at)?;
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
                        match self.platform.rejection(&stream) {
                            None => self.welcome(stream, protocol),
                            Some(reason) => self.reject(stream, protocol, code::FULL, &reason),
                        }
                        if left == 0 {
                            self.accepting.push_back(at);
                        }
                    }
                    Err(cause) => {
                        warn!(%cause, "the router cannot accept connections for now");
                        break;
                    }
                }
            }
        }
    }

    fn welcome(&mut self, mut stream: P::Stream, protocol: Protocol) {
        if self.stopping.is_some() {
            return;
        }
        if let Some(reason) = self.administration.rejection() {
            return self.reject(stream, protocol, code::DRAINING, &reason);
        }
        let id = match self.engine.connected(self.now, stream.peer(), protocol) {
            Ok(id) => id,
            Err(rejection) => {
                let reason = rejection.to_string();
                return self.reject_connection(stream, protocol, code::FULL, &reason);
            }
        };
        let at = id.index as usize;
        if let Err(cause) = self.platform.add(&mut stream, LISTENERS + at) {
            return self.engine.closed(
                self.now,
                id,
                &format!("its socket cannot be watched: {cause}"),
            );
        }
        if at >= self.connections.len() {
            self.connections.resize_with(at + 1, || None);
        }
        self.engine.count_streams(stream.memory(), 0);
        let mut connection = Connection::new(id, stream);
        connection.is_reading = true;
        self.reading.push_back(id);
        self.connections[at] = Some(connection);
    }

    /// Rejects a connection for which there is no descriptor, or while the router drains.
    #[cold]
    fn reject(&mut self, stream: P::Stream, protocol: Protocol, code: u16, reason: &str) {
        if self.stopping.is_some() {
            return;
        }
        self.engine.count_rejected_connection();
        if self.now >= self.rejection_logged_at {
            self.rejection_logged_at = self.now.saturating_add(LOGGED_EVERY);
            warn!(reason, "connections are rejected");
        }
        self.reject_connection(stream, protocol, code, reason);
    }

    /// Tells a client that there is no room for it. Its stream lingers, since closing it with unread bytes
    /// would discard the reason; the number of such streams is bounded.
    fn reject_connection(
        &mut self,
        mut stream: P::Stream,
        protocol: Protocol,
        code: u16,
        reason: &str,
    ) {
        // It may be gone already.
        let _ = stream.write(&Engine::rejection(protocol, code, reason));
        let _ = stream.finish();
        if self.lingering.len() >= LINGERING.min(self.platform.places_for_rejected()) {
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
                    warn!(%cause, "the socket buffers of a conflated client cannot be bounded");
                }
            }
            let Some(connection) = find(&mut self.connections, id) else { continue };
            if connection.count_kept(&mut self.engine) {
                self.engine.close(self.now, id, code::FULL, TOO_MANY_HALF_FRAMES);
            }
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

    /// Writes to clients and starts the disk work. With much to write, the disk goes first and works
    /// meanwhile. Otherwise the clients go first, because they would wait behind the thread that is woken for
    /// the disk.
    fn write(&mut self) {
        if self.engine.pending_bytes() >= MUCH {
            self.begin_work();
        }
        if self.flush() && self.engine.wants_commit(self.now) {
            // A client that was written to may need this processor. It is offered first, since the thread
            // that is woken for the disk takes it until its write has begun.
            self.platform.give_way();
        }
        self.begin_work();
        self.begin_conversions();
    }

    /// Gives messages to whoever converts them.
    #[inline]
    fn begin_conversions(&mut self) {
        while let Some(order) = self.engine.next_conversion() {
            self.platform.begin_conversion(order);
        }
    }

    #[inline]
    fn begin_work(&mut self) {
        if !self.platform.has_disk() {
            return;
        }
        if let Some(commit) = self.engine.next_commit(self.now) {
            self.platform.begin_commit(commit);
            self.latency.commit_begins(self.now);
        }
        while let Some(task) = self.engine.next_task(self.now) {
            self.platform.begin_task(task);
        }
    }

    /// Takes what the disk has done.
    fn finish_work(&mut self) {
        while let Some(outcome) = self.platform.outcome() {
            self.finish(outcome);
            self.write();
        }
        let mut delivered = 0;
        self.has_conversions = false;
        while let Some(converted) = self.platform.conversion() {
            delivered += self.engine.converted(self.now, &converted);
            if delivered >= CONVERTED {
                self.has_conversions = true;
                break;
            }
        }
        if let Some(hash) = self.platform.password() {
            self.engine.password_checked(hash);
        }
    }

    /// Reads again from connections that were held, after their remaining bytes. There may be thousands, so that
    /// others have their turn after some.
    fn go_on(&mut self) {
        self.engine.begin_turn();
        let mut total = 0;
        while total < TURN
            && let Some(id) = self.engine.next_released()
        {
            let Some(connection) = find(&mut self.connections, id) else { continue };
            total += connection.retry(&mut self.engine, self.now).max(RETRY);
            // Its events may have been taken while nothing was read.
            connection.is_reading = true;
            if !self.engine.is_held(id) {
                self.reading.push_back(id);
            }
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Committed(result) => {
                self.latency.commit_ends(self.now);
                self.engine.committed(self.now, result);
            }
            Outcome::Task(done) => self.engine.task_done(self.now, done),
        }
    }

    /// Writes what has been stored, and waits until it is on disk.
    fn close_store(&mut self) {
        if !self.platform.has_disk() {
            return;
        }
        self.engine.close_store(self.now);
        while self.engine.has_work() {
            self.begin_work();
            let Some(outcome) = self.platform.wait_for_outcome() else { return };
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
        if count == 0 {
            return false;
        }
        // A turn may read for long, and what is sent says how old it is.
        let seen = std::mem::replace(&mut self.now, self.platform.now());
        let mut written = 0;
        for _ in 0..count {
            let Some(id) = self.writing.pop_front() else { break };
            let Some(connection) = find(&mut self.connections, id) else { continue };
            connection.is_writing = false;
            match connection.write(&mut self.engine, self.now) {
                Ok(true) => self.wants_to_write(id),
                Ok(false) => written += u64::from(connection.has_written_at_once()),
                Err(cause) => self.gone(id, &format!("writing: {cause}")),
            }
        }
        self.now = self.platform.now();
        self.latency.hop.record_many(self.now.saturating_sub(seen), written);
        true
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
        self.platform.remove(&mut connection.stream);
        connection.free_kept(&mut self.engine);
        self.engine.count_streams(0, connection.stream.memory());
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
            // Unread bytes at the close would discard the reason that was sent to the client.
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

    /// Runs the commands of other threads.
    fn run_commands(&mut self) {
        for command in self.platform.take_commands() {
            match command {
                Command::Stop => self.stop(),
                Command::Snapshot(request, answer) => {
                    // Beyond that the sender is dropped, which tells the caller.
                    if self.surveys.len() < SURVEYS {
                        self.surveys.push_back((request, answer));
                    }
                }
                Command::Pulse(answer) => {
                    // The caller may have stopped waiting.
                    let _ = answer.send(self.pulse());
                }
                Command::Administer(request, answer) => self.begin_administration(request, answer),
                Command::Reconfigure(config, answer) => {
                    let result = self.reconfigure(&config);
                    // The caller may have stopped waiting.
                    let _ = answer.send(result);
                }
            }
        }
    }

    fn pulse(&self) -> Pulse {
        let totals = self.engine.totals();
        Pulse {
            clients: totals.connected - totals.disconnected,
            is_draining: self.administration.is_draining(),
            is_stopping: self.stopping.is_some(),
        }
    }

    /// Continues the snapshot that was requested.
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
            snapshot.latencies = self.latency.told(self.engine.router().view().waits());
            snapshot.drain = self.administration.drain_status(self.now);
            // The caller may have stopped waiting.
            let _ = answer.send(snapshot);
        }
    }

    /// Accepts no new connections, and lets clients take their queued messages.
    fn stop(&mut self) {
        if self.stopping.is_some() {
            return;
        }
        info!("the router stops");
        let timeout = self.engine.config().router.shutdown_timeout.as_nanos() as u64;
        let patience = self.now.saturating_add(timeout);
        let end = patience.saturating_add(LINGER);
        self.stopping = Some(Stopping { patience, end });
        // A silent client gets no more time than others.
        let soon = self.now.saturating_add(LINGER);
        let leaving = std::mem::take(&mut self.leaving);
        self.leaving = leaving.into_iter().map(|(until, id)| (until.min(soon), id)).collect();
        for listener in self.listeners.iter_mut().filter_map(Option::take) {
            shut(&mut self.platform, listener);
        }
    }

    /// Listens where the configuration says, changes the engine, or changes nothing.
    fn reconfigure(&mut self, config: &Config) -> Result<(), String> {
        config.check_exposure()?;
        let wanted = wanted_listeners(config);
        let is_wanted =
            |listener: &ProtocolListener<P::Listener>| wanted.iter().any(|it| listener.is(it));
        let (mut fresh, mut turned) = (Vec::new(), Vec::new());
        for it in &wanted {
            if self.listeners.iter().flatten().any(|listener| listener.is(it)) {
                continue;
            }
            let may_turn = |listener: &ProtocolListener<P::Listener>| {
                listener.configured == it.0 && !is_wanted(listener)
            };
            if let Some(at) = self.listeners.iter().position(|it| it.as_ref().is_some_and(may_turn))
            {
                turned.push((at, it.1));
                continue;
            }
            // Nothing is changed before all of them are open.
            match self.bind(it) {
                Ok(at) => fresh.push(at),
                Err(cause) => {
                    for listener in
                        fresh.into_iter().filter_map(|at: usize| self.listeners[at].take())
                    {
                        shut(&mut self.platform, listener);
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
            shut(&mut self.platform, listener);
        }
        for listener in fresh.into_iter().filter_map(|at| self.listeners[at].as_ref()) {
            info!(address = %listener.socket.address(), "listening");
        }
        self.platform.set_idle(config.router.idle);
        self.engine.reconfigure(self.now, config);
        Ok(())
    }
}

/// Ends a listener.
fn shut<P: Platform>(platform: &mut P, mut listener: ProtocolListener<P::Listener>) {
    platform.remove_listener(&mut listener.socket);
}

fn find<S>(
    connections: &mut [Option<Connection<S>>],
    id: ConnectionId,
) -> Option<&mut Connection<S>> {
    connections.get_mut(id.index as usize)?.as_mut().filter(|connection| connection.id == id)
}
