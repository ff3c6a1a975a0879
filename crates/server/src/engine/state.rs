//! What the engine keeps for all connections together.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use trunkline_router::{ClientId, Router};

use super::access::Access;
use super::conversions::ConversionState;
use super::filters::FilterTable;
use super::held::HeldConnections;
use super::interests::InterestTable;
use super::memory::MemoryState;
use super::notices::Notices;
use super::selections::SelectionTable;
use super::survey::DepartedTotals;
use super::{ClientOutput, Storage};
use crate::config::Config;

/// The reason for which a client has a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// Whether it is there.
    Keepalive,
    /// Whether its requests have been answered.
    Requests,
    /// Whether it can take more of what is guaranteed.
    Room,
}

/// What has happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Connections taken in.
    pub connected: u64,
    /// Connections that have ended.
    pub disconnected: u64,
    /// Connections for which there was no room.
    pub rejected_connections: u64,
    /// Bytes read and understood.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Requests that were rejected.
    pub rejections: u64,
    /// Requests that clients made.
    pub requests: u64,
    /// Replies that were handed over.
    pub replies: u64,
    /// Requests that no reply came for in time.
    pub requests_timed_out: u64,
}

/// Configuration, timers, totals.
#[derive(Debug)]
pub(crate) struct EngineState {
    pub(crate) config: Arc<Config>,
    pub(crate) access: Access,
    /// What is published to which topics.
    pub(super) conversions: ConversionState,
    pub(super) filters: FilterTable,
    pub(super) selections: SelectionTable,
    /// What clients want and is not held against the schemas yet.
    pub(super) interests: InterestTable,
    /// Nanoseconds.
    pub(crate) handshake_timeout: u64,
    /// Nanoseconds.
    pub(crate) keepalive: u64,
    pub(crate) totals: Totals,
    pub(crate) gone: DepartedTotals,
    /// Connections on which little is to be under way from now on.
    pub(crate) to_bound: Vec<ClientId>,
    /// Connections from which nothing is taken now.
    pub(crate) held: HeldConnections,
    /// What clients are to be told of the router itself.
    pub(super) notices: Notices,
    /// Deliveries that the bytes being handled have made.
    pub(crate) work: usize,
    /// What the router does not count, and who waits for memory.
    pub(crate) memory: MemoryState,
    /// Set when the router stops.
    pub(crate) is_stopping: bool,
    /// One keepalive a connection, and one more for those with requests.
    timers: BTreeSet<(u64, u64, Timer)>,
}

impl EngineState {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            config: Arc::new(config.clone()),
            access: Access::new(config),
            conversions: ConversionState::new(config),
            filters: FilterTable::default(),
            selections: SelectionTable::default(),
            interests: InterestTable::default(),
            handshake_timeout: nanoseconds(config.router.handshake_timeout),
            keepalive: nanoseconds(config.router.keepalive),
            totals: Totals::default(),
            gone: DepartedTotals::default(),
            to_bound: Vec::new(),
            held: HeldConnections::default(),
            notices: Notices::default(),
            work: 0,
            memory: MemoryState::default(),
            is_stopping: false,
            timers: BTreeSet::new(),
        }
    }

    pub(crate) fn reconfigure(&mut self, config: &Config) {
        self.handshake_timeout = nanoseconds(config.router.handshake_timeout);
        self.keepalive = nanoseconds(config.router.keepalive);
        self.access.reconfigure(config);
        self.conversions.reconfigure(config);
        self.config = Arc::new(config.clone());
    }

    /// Filters and selections of subscriptions and consumers that have ended are counted no more.
    pub(super) fn forget_ended(
        &mut self,
        router: &mut Router<ClientOutput>,
        storage: &mut Storage,
    ) {
        self.filters.forget_ended(router);
        self.selections.forget_ended(router);
        while let Some((client, selection, filter)) = storage.deferred.next_ended() {
            selection.iter().for_each(|it| self.selections.end(client, *it));
            filter.iter().for_each(|it| self.filters.end(client, *it));
        }
    }

    pub(crate) fn set_timer(&mut self, at: u64, client: ClientId, timer: Timer) {
        self.timers.insert((at, client.as_u64(), timer));
    }

    /// Takes a timer back, so that none is left behind: clients choose how far away a time is.
    pub(crate) fn cancel_timer(&mut self, at: u64, client: ClientId, timer: Timer) {
        self.timers.remove(&(at, client.as_u64(), timer));
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.timers.first().map(|(at, _, _)| *at)
    }

    /// The next timer whose time has come.
    pub(crate) fn due(&mut self, now: u64) -> Option<(u64, ClientId, Timer)> {
        let first = self.timers.first().filter(|(at, _, _)| *at <= now);
        let (at, client, timer) = *first?;
        self.timers.pop_first();
        Some((at, ClientId::from_u64(client), timer))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use trunkline_native as native;
    use trunkline_session::router::Protocol;

    use super::*;
    use crate::engine::{Engine, Peer};

    #[test]
    fn requests_leave_no_timers_behind() {
        let mut engine = Engine::new(&Config::default());
        for _ in 0..3 {
            let peer =
                Peer { transport: "tcp", address: "127.0.0.1:5".to_owned(), certificate: None };
            let id = engine.connected(0, peer, Protocol::Native).expect("there is room");
            let mut bytes = Vec::new();
            let hello = native::Hello { version: native::VERSION, ..native::Hello::default() };
            native::encode_hello(&mut bytes, &hello);
            native::encode_topic(&mut bytes, 0, "quote");
            for correlation in 0..100 {
                let timeout_ms = u32::MAX - correlation as u32;
                let (format, payload) = (0, &b"?"[..]);
                let request =
                    native::Request { alias: 0, timeout_ms, correlation, format, payload };
                native::encode_request(&mut bytes, &request);
            }
            assert_eq!(engine.received(0, id, &bytes), bytes.len());
            let requests = |it: &&(u64, u64, Timer)| it.2 == Timer::Requests;
            assert_eq!(engine.state.timers.iter().filter(requests).count(), 1);
            engine.closed(0, id, "done");
            assert_eq!(engine.state.timers.iter().filter(requests).count(), 0);
        }
    }
}
