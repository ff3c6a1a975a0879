//! The router with its sessions, without sockets and clocks: bytes in, bytes out.

mod access;
mod administration;
pub(crate) mod audit;
mod client_session;
mod consumers;
mod context;
mod conversions;
mod deferred;
mod durables;
mod filters;
mod gate;
mod held;
mod interests;
mod logins;
mod memory;
mod new_producers;
mod notices;
mod output;
mod prepared;
mod recheck;
mod requests;
mod selections;
mod shortage;
mod state;
mod storage;
mod storing;
mod survey;

use std::sync::Arc;

use tracing::{info, warn};
use trunkline_native::{code, kind};
use trunkline_router::{ClientId, Rejection, Router};
use trunkline_security::Identity;
use trunkline_session::router::{
    ClientContext as _, ClientRenderer, Protocol, Session, SessionRenderer as _,
};
use trunkline_store::Store;

pub use trunkline_router::Dirty;

pub(crate) use administration::{Listing, Waiting};
pub(crate) use client_session::ClientSession;
pub use client_session::Peer;
pub use durables::StoreRequest;
pub(crate) use gate::Gate;
pub(crate) use held::WaitsFor;
pub(crate) use new_producers::{ExceededLimit, Origin};
pub use output::ClientOutput;
pub use state::Totals;
pub(crate) use state::{EngineState, Timer};
pub(crate) use storage::Storage;

use crate::config::Config;
use context::EngineContext;
use output::Losses;

/// A connection, from its first byte to its last: a client of the router.
pub type ConnectionId = ClientId;

/// The least time between two lines of the log about one client's losses, or what it is rejected;
/// nanoseconds.
pub(crate) const LOGGED_EVERY: u64 = 10_000_000_000;

/// How long a connection that ends may take to read why; nanoseconds.
pub const LINGER: u64 = 1_000_000_000;

/// The least and the most for one that was silent.
const LEAST_LINGER_OF_SILENT: u64 = 10 * LINGER;
const MOST_LINGER_OF_SILENT: u64 = 120 * LINGER;

/// The router with its sessions. Times are nanoseconds since an epoch of the caller's choosing.
///
/// The caller hands in what it read, takes what there is to write from [`Engine::output`] whenever
/// [`Engine::next_dirty`] names a connection, and calls [`Engine::advance`] when
/// [`Engine::next_deadline`] has come.
pub struct Engine {
    router: Router<ClientOutput>,
    /// By the index of the client.
    connections: Vec<Option<Connection>>,
    state: EngineState,
    storage: Storage,
    /// The snapshot under way.
    survey: Option<Box<survey::Survey>>,
}

/// What the engine keeps of a connection.
#[derive(Debug)]
struct Connection {
    client_session: ClientSession,
    session: Session,
    /// Bytes of the session, as they were counted last.
    memory: usize,
}

impl Engine {
    /// A router without connections, which keeps guaranteed messages in memory.
    pub fn new(config: &Config) -> Self {
        Self::with_store(config, Store::in_memory(config.journal.settings()), 0)
    }

    /// A router with a store; `epoch` are the nanoseconds since 1970 at its time 0.
    pub fn with_store(config: &Config, mut store: Store, epoch: u64) -> Self {
        store.limit_messages(message_bytes(config));
        let mut router = Router::new(limits(config));
        router.keep_last_values(last_values(config));
        Self {
            router,
            connections: Vec::new(),
            state: EngineState::new(config),
            storage: Storage::new(store, epoch),
            survey: None,
        }
    }

    /// Takes in a connection that has just been accepted.
    ///
    /// # Errors
    ///
    /// There are as many as there may be; [`Engine::rejection`] says so to the client.
    pub fn connected(
        &mut self,
        now: u64,
        peer: Peer,
        protocol: Protocol,
    ) -> Result<ConnectionId, Rejection> {
        let options = self.state.config.client_options("", &Identity::Anonymous);
        let id = match self.router.connect(now, options, ClientOutput::new(protocol)) {
            Ok(id) => id,
            Err(rejection) => {
                self.state.totals.rejected_connections += 1;
                return Err(rejection);
            }
        };
        let at = id.index as usize;
        if at >= self.connections.len() {
            self.connections.resize_with(at + 1, || None);
        }
        let session = Session::new(protocol, &peer.accepted(&self.state.config));
        let client_session = ClientSession::new(id, now, peer, protocol);
        let timeout = self.state.handshake_timeout;
        self.state.set_timer(now.saturating_add(timeout), id, Timer::Keepalive);
        self.state.totals.connected += 1;
        self.connections[at] = Some(Connection { client_session, session, memory: 0 });
        Ok(id)
    }

    /// The last bytes to a connection that is rejected: a code and the reason, in its protocol.
    pub fn rejection(protocol: Protocol, code: u16, reason: &str) -> Vec<u8> {
        let mut out = Vec::new();
        ClientRenderer::new(protocol).close(&mut out, code, reason);
        out
    }

    /// Counts a connection that was rejected without the engine.
    pub fn count_rejected_connection(&mut self) {
        self.state.totals.rejected_connections += 1;
    }

    /// The wall clock: `now` is so many nanoseconds since 1970. Callers set it repeatedly, because clocks
    /// are adjusted. Times in the journal never go back.
    pub fn tell_time(&mut self, now: u64, since_1970: u64) {
        self.storage.tell_time(now, since_1970);
    }

    /// Handles the bytes that a client sent, and says how many are done with; the rest is to come
    /// again, with more behind it, or once the connection is held no more.
    pub fn received(&mut self, now: u64, id: ConnectionId, bytes: &[u8]) -> usize {
        let Some(connection) = find(&mut self.connections, id) else { return bytes.len() };
        let Connection { client_session, session, memory } = connection;
        if client_session.is_closing || self.state.is_stopping {
            return bytes.len();
        }
        let waits_for = self.state.held.reason(id);
        if matches!(waits_for, Some(WaitsFor::Reader | WaitsFor::Turn | WaitsFor::Check)) {
            return 0;
        }
        self.state.work = 0;
        client_session.last_received = now;
        let (router, storage, state) = (&mut self.router, &mut self.storage, &mut self.state);
        let mut context = EngineContext { now, router, storage, state, client_session };
        let used = session.received(&mut context, bytes);
        let before = std::mem::replace(memory, session.memory());
        context.state.memory.count_session(before, *memory);
        client_session.bytes_in += used as u64;
        self.state.totals.bytes_in += used as u64;
        if client_session.producer.is_some() || self.storage.consumers.of(id) > 0 {
            self.settle(now);
        }
        used
    }

    /// A turn of the caller's loop begins: connections that have made much work in the last one may go on.
    pub fn begin_turn(&mut self) {
        self.state.held.begin_turn();
    }

    /// Whether nothing is to be read from a connection now: what it wants to store has no room, its client has
    /// to read answers first, or others have their turn. [`Engine::next_released`] names it when it may go on.
    pub fn is_held(&self, id: ConnectionId) -> bool {
        self.state.held.contains(id)
    }

    /// A connection that may go on: [`Engine::received`] is to be called with the bytes that were left over, though
    /// there be none, since some that it took may wait in the session.
    pub fn next_released(&mut self) -> Option<ConnectionId> {
        self.state.held.next_released()
    }

    /// Whether [`Engine::next_released`] has one.
    pub fn has_released(&self) -> bool {
        self.state.held.has_released()
    }

    /// A connection that is to end is held no more: what it sends is read, and not heard. Whether it was held, or
    /// had not gone on yet.
    pub fn let_go(&mut self, id: ConnectionId) -> bool {
        self.state.held.forget(id)
    }

    /// The output that is to be written to a client now.
    #[inline]
    pub fn output(&self, id: ConnectionId) -> &[u8] {
        self.router.output(id)
    }

    /// So many bytes of the output have been written.
    pub fn sent(&mut self, now: u64, id: ConnectionId, bytes: usize) {
        let Some(connection) = find(&mut self.connections, id) else {
            return self.router.sent(now, id, bytes);
        };
        let client_session = &mut connection.client_session;
        client_session.bytes_out += bytes as u64;
        self.state.totals.bytes_out += bytes as u64;
        if let Some(output) = self.router.renderer(id)
            && output.losses.gaps != output.losses.logged
        {
            log_losses(now, client_session, &mut output.losses);
        }
        let has_late_rejections = !client_session.late_rejections.is_empty();
        self.router.sent(now, id, bytes);
        if has_late_rejections {
            self.tell_late_rejections(now, id);
        }
        if self.storage.consumers.of(id) > 0 {
            self.make_deliveries(now, id);
        }
        if self.state.held.reason(id) == Some(WaitsFor::Reader)
            && self.router.has_room_for_control(id)
        {
            self.state.held.release(id);
        }
    }

    /// The client has taken bytes that waited for it: it is there.
    pub fn progressed(&mut self, now: u64, id: ConnectionId) {
        if let Some(connection) = find(&mut self.connections, id) {
            connection.client_session.last_received = now;
        }
    }

    /// Ends a connection with a word to the client; [`Engine::next_dirty`] names it then.
    pub fn close(&mut self, now: u64, id: ConnectionId, code: u16, reason: &str) {
        if let Some(connection) = find(&mut self.connections, id) {
            context::close(now, &mut self.router, &mut connection.client_session, code, reason);
        }
    }

    /// The time in which a closing connection may read the reason, in nanoseconds. A silent one gets as
    /// long again as it was silent: its program may have been stopped, and answers old pings before it
    /// reads on.
    pub fn linger(&self, id: ConnectionId) -> u64 {
        let connection = self.connections.get(id.index as usize).and_then(Option::as_ref);
        let silent =
            connection.filter(|it| it.client_session.id == id && it.client_session.was_silent);
        let questions = u64::from(self.state.config.router.keepalive_missed) + 1;
        let silence = self.state.keepalive.saturating_mul(questions);
        silent.map_or(LINGER, |_| silence.clamp(LEAST_LINGER_OF_SILENT, MOST_LINGER_OF_SILENT))
    }

    /// Begins to end every connection: at once if nothing waits for it, otherwise when it has taken its
    /// queued messages. The router reads nothing any more. With `force` it ends all of them now.
    pub fn stop(&mut self, now: u64, force: bool) {
        self.state.is_stopping = true;
        for connection in self.connections.iter_mut().flatten() {
            let id = connection.client_session.id;
            let waits = self.router.view().client(id).is_some_and(|it| it.ledger.queued > 0);
            if force || !waits {
                let reason = "the router stops";
                let client_session = &mut connection.client_session;
                context::close(now, &mut self.router, client_session, code::STOPPING, reason);
            }
        }
    }

    /// The connection is gone: what it held is given back, and what waited for it is discarded.
    pub fn closed(&mut self, now: u64, id: ConnectionId, reason: &str) {
        let Some(slot) = self.connections.get_mut(id.index as usize) else { return };
        let Some(mut connection) = slot.take_if(|it| it.client_session.id == id) else { return };
        connection.session.leave(|topic| self.router.release(now, topic));
        self.state.memory.count_session(connection.memory, 0);
        self.state.held.forget(id);
        self.state.interests.forget(id);
        self.leave_store(now, id, connection.client_session.producer);
        self.state.totals.disconnected += 1;
        let ledger = self.router.view().client(id).map(|it| it.ledger).unwrap_or_default();
        if let Some(output) = self.router.renderer(id) {
            let gaps = output.losses.gaps;
            self.state.memory.count_requests(0, output.requests.len());
            if let Some(at) = output.requests.alarm() {
                self.state.cancel_timer(at, id, Timer::Requests);
            }
            self.state.gone.add(&connection, gaps, ledger);
            self.count_leaving(&connection, gaps, ledger);
        }
        self.router.disconnect(now, id);
        let client_session = &connection.client_session;
        if client_session.is_greeted {
            info!(
                client = %client_session.label(),
                identity = %client_session.access.identity(),
                reason,
                published = client_session.published,
                matched = ledger.published,
                delivered = ledger.delivered,
                elided = ledger.elided,
                discarded = ledger.discarded + ledger.queued,
                "disconnected"
            );
        } else {
            warn!(address = %client_session.peer.address, transport = client_session.peer.transport, reason,
                "a connection ended before its handshake was complete");
        }
    }

    /// The next connection that has output or is to be ended. Each connection is returned once for all
    /// events since it was last returned. Unacknowledged messages of a connection that is to be ended go
    /// to other consumers now: the connection may linger, and its frames are ignored meanwhile.
    pub fn next_dirty(&mut self, now: u64) -> Option<Dirty> {
        let dirty = self.router.next_dirty();
        if let Some(Dirty::Close(id, _)) = &dirty
            && let Some(connection) = find(&mut self.connections, *id)
        {
            connection.client_session.is_closing = true;
            let producer = connection.client_session.producer.take();
            self.leave_store(now, *id, producer);
        }
        dirty
    }

    /// The next connection on whose stream little is to be under way from now on: its client has a
    /// conflated subscription, and does not tell what it takes.
    pub fn next_to_bound(&mut self) -> Option<ConnectionId> {
        self.state.to_bound.pop()
    }

    /// When [`Engine::advance`] has something to do; `None` is never.
    pub fn next_deadline(&self) -> Option<u64> {
        let store = self.storage.next_deadline();
        let has_more = self.has_recheck() || self.state.notices.has_more();
        let recheck = (has_more || self.storage.deferred.has_due()).then_some(0);
        let memory = self.state.memory.looks_at;
        let own = [self.router.next_deadline(), self.state.next_deadline(), store, recheck, memory];
        own.into_iter().flatten().min()
    }

    /// Runs the timers that are due, for callers that do not know how many bytes are in flight to each
    /// client.
    pub fn advance(&mut self, now: u64) {
        self.advance_with(now, |_| None);
    }

    /// Runs the timers that are due. `under_way` returns how many bytes in the stream of a connection its
    /// client has not read, where that can be known.
    pub fn advance_with(
        &mut self,
        now: u64,
        mut under_way: impl FnMut(ConnectionId) -> Option<usize>,
    ) {
        self.count_memory(now);
        self.router.advance(now);
        self.take_late_rejections(now);
        self.advance_store(now);
        self.send_due(now);
        self.continue_recheck(now);
        self.continue_notices();
        while let Some((at, id, timer)) = self.state.due(now) {
            match timer {
                Timer::Keepalive => self.check_keepalive(now, id, &mut under_way),
                Timer::Requests => self.expire_requests(now, at, id),
                Timer::Room => _ = self.make_deliveries(now, id),
            }
        }
    }

    /// Tells clients which of their subscriptions turned out to be too many.
    fn take_late_rejections(&mut self, now: u64) {
        while let Some(rejection) = self.router.next_late_rejection() {
            let id = rejection.client;
            let Some(connection) = find(&mut self.connections, id) else { continue };
            let late = (kind::SUBSCRIBE, rejection.subscription, rejection.rejection.into());
            connection.client_session.late_rejections.push_back(late);
            self.tell_late_rejections(now, id);
        }
    }

    /// Tells a client which of its subscriptions were ended, as far as it reads: it did not request these
    /// answers, and must not be disconnected for them.
    fn tell_late_rejections(&mut self, now: u64, id: ConnectionId) {
        let Some(connection) = find(&mut self.connections, id) else { return };
        let (router, storage, state) = (&mut self.router, &mut self.storage, &mut self.state);
        let mut context = EngineContext {
            now,
            router,
            storage,
            state,
            client_session: &mut connection.client_session,
        };
        while context.router.has_room_for_control(id)
            && let Some((of, subscription, rejected)) =
                context.client_session.late_rejections.pop_front()
        {
            context.reject(of, subscription.into(), &rejected);
        }
    }

    /// Closes a connection that has not greeted in time, and asks one that is silent for a sign.
    fn check_keepalive(
        &mut self,
        now: u64,
        id: ConnectionId,
        under_way: impl FnOnce(ConnectionId) -> Option<usize>,
    ) {
        let Some(connection) = find(&mut self.connections, id) else { return };
        let (client_session, state) = (&mut connection.client_session, &mut self.state);
        if client_session.is_closing {
            return;
        }
        if !client_session.is_greeted {
            let until = client_session.since.saturating_add(state.handshake_timeout);
            if now < until {
                return state.set_timer(until, id, Timer::Keepalive);
            }
            let reason = "the client did not complete its handshake in time (handshake_timeout)";
            return context::close(now, &mut self.router, client_session, code::SILENT, reason);
        }
        let waits_for = state.held.reason(id);
        if matches!(waits_for, Some(WaitsFor::Storage | WaitsFor::Check)) {
            // We chose not to read its frames.
            (client_session.last_received, client_session.missed) = (now, 0);
        }
        let reads = waits_for == Some(WaitsFor::Reader);
        if client_session.has_read(reads.then(|| under_way(id)).flatten()) {
            // Not as much as makes the room that an event tells of, but it is there.
            client_session.last_received = now;
        }
        if client_session.last_received >= client_session.pinged_at {
            client_session.missed = 0;
        }
        let until = client_session.last_received.saturating_add(state.keepalive);
        if now < until {
            return state.set_timer(until, id, Timer::Keepalive);
        }
        if client_session.missed >= state.config.router.keepalive_missed {
            let (code, reason) = match waits_for {
                // It may have answered: that is not read either.
                Some(WaitsFor::Reader) => (
                    code::SLOW,
                    "the client sends requests and reads too little of the answers (keepalive)"
                        .to_owned(),
                ),
                _ => (
                    code::SILENT,
                    format!("{} pings without an answer (keepalive)", client_session.missed),
                ),
            };
            client_session.was_silent = true;
            return context::close(now, &mut self.router, client_session, code, &reason);
        }
        client_session.missed += 1;
        client_session.pinged_at = now;
        self.router.control(id, |output, out| output.renderer.ping(out, now));
        state.set_timer(now.saturating_add(state.keepalive), id, Timer::Keepalive);
    }

    /// Tells a client which of its requests have waited too long.
    fn expire_requests(&mut self, now: u64, at: u64, id: ConnectionId) {
        let Some(output) = self.router.renderer(id) else { return };
        let mut expired = Vec::new();
        output.requests.expire(now, &mut expired);
        if let Some(next) = output.requests.rearm(at) {
            self.state.set_timer(next, id, Timer::Requests);
        }
        self.state.totals.requests_timed_out += expired.len() as u64;
        self.state.memory.count_requests(0, expired.len());
        for correlation in expired {
            let rejected = trunkline_native::Rejected {
                of: kind::REQUEST,
                code: code::TIMED_OUT,
                offset: None,
                id: correlation,
                text: "no reply came in time",
            };
            self.router.control(id, |output, out| output.renderer.rejected(out, &rejected));
        }
    }

    /// Applies another configuration, also to connected clients. The journal stays where it is and keeps
    /// the durability that it has there.
    pub fn reconfigure(&mut self, now: u64, config: &Config) {
        let mut config = config.clone();
        config.journal.keep_files_of(&self.state.config.journal);
        let config = &config;
        if self.state.config.last_values != config.last_values {
            self.router.keep_last_values(last_values(config));
        }
        self.state.reconfigure(config);
        self.router.set_limits(limits(config));
        self.storage.store.reconfigure(config.journal.settings());
        self.storage.store.limit_messages(message_bytes(config));
        for connection in self.connections.iter_mut().flatten() {
            let client_session = &mut connection.client_session;
            let identity = client_session.access.identity();
            client_session.updates_per_second =
                config.updates_per_second(&client_session.name, identity);
            self.router.set_options(now, client_session.id, client_session.options(config));
        }
    }

    /// The configuration that holds.
    pub fn config(&self) -> &Arc<Config> {
        &self.state.config
    }

    /// What has happened since the start.
    pub fn totals(&self) -> &Totals {
        &self.state.totals
    }

    /// The router itself, to look at.
    pub fn router(&self) -> &Router<ClientOutput> {
        &self.router
    }

    /// Those connected now.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.connections.iter().flatten().map(|connection| connection.client_session.id)
    }
}

fn find(connections: &mut [Option<Connection>], id: ConnectionId) -> Option<&mut Connection> {
    connections.get_mut(id.index as usize)?.as_mut().filter(|it| it.client_session.id == id)
}

fn limits(config: &Config) -> trunkline_router::Limits {
    let limits = &config.limits;
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    trunkline_router::Limits {
        topics: limits.topics,
        clients: limits.connections,
        subscriptions: limits.subscriptions,
        subscriptions_per_client: limits.subscriptions_per_client,
        overlaps_per_client: limits.overlaps_per_client,
        matches: limits.matches,
        matches_per_client: limits.matches_per_client,
        last_values: limits.last_values,
        last_value_bytes: size(limits.last_value_bytes),
        output_bytes: size(limits.output_bytes),
        memory_bytes: if limits.memory_bytes == 0 { usize::MAX } else { size(limits.memory_bytes) },
        message_bytes: message_bytes(config),
    }
}

/// The patterns of topics that keep their last value.
fn last_values(config: &Config) -> impl Iterator<Item = &str> {
    config.last_values.iter().map(|rule| rule.topics.as_str())
}

/// The maximum length of a payload: the frame that delivers it must not exceed the limit of frames.
pub(crate) fn message_bytes(config: &Config) -> usize {
    let frame = usize::try_from(config.limits.frame_bytes).unwrap_or(usize::MAX);
    frame - trunkline_native::MOST_MESSAGE_HEAD
}

#[cold]
fn log_losses(now: u64, client_session: &ClientSession, losses: &mut Losses) {
    if losses.logged_at.is_some_and(|at| now < at.saturating_add(LOGGED_EVERY)) {
        return;
    }
    losses.logged = losses.gaps;
    losses.logged_at = Some(now);
    warn!(
        client = %client_session.label(),
        gaps = losses.gaps,
        messages = losses.messages,
        "messages were lost: the client does not keep up"
    );
}
