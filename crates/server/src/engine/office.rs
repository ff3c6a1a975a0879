//! What the engine keeps for all connections together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use trunkline_router::ClientId;

use super::survey::Gone;
use crate::config::Config;

/// What a client is to be looked at for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reminder {
    /// Whether it is there.
    Watch,
    /// Whether its requests have been answered.
    Requests,
}

/// What has happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Connections taken in.
    pub connected: u64,
    /// Connections that have ended.
    pub disconnected: u64,
    /// Connections for which there was no room.
    pub turned_away: u64,
    /// Bytes read and understood.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Things asked for and not done.
    pub refusals: u64,
    /// Requests that clients made.
    pub requests: u64,
    /// Replies that were handed over.
    pub replies: u64,
    /// Requests that no reply came for in time.
    pub requests_timed_out: u64,
}

/// Configuration, timers, totals.
#[derive(Debug)]
pub(crate) struct Office {
    pub(crate) config: Arc<Config>,
    /// Nanoseconds.
    pub(crate) handshake_timeout: u64,
    /// Nanoseconds.
    pub(crate) keepalive: u64,
    pub(crate) totals: Totals,
    pub(crate) gone: Gone,
    /// Set when the router stops.
    pub(crate) is_stopping: bool,
    /// One watch a connection, and about one for those with requests.
    reminders: BinaryHeap<Reverse<(u64, u64, Reminder)>>,
}

impl Office {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            config: Arc::new(config.clone()),
            handshake_timeout: nanoseconds(config.router.handshake_timeout),
            keepalive: nanoseconds(config.router.keepalive),
            totals: Totals::default(),
            gone: Gone::default(),
            is_stopping: false,
            reminders: BinaryHeap::new(),
        }
    }

    pub(crate) fn reconfigure(&mut self, config: &Config) {
        self.handshake_timeout = nanoseconds(config.router.handshake_timeout);
        self.keepalive = nanoseconds(config.router.keepalive);
        self.config = Arc::new(config.clone());
    }

    pub(crate) fn remind(&mut self, at: u64, client: ClientId, reminder: Reminder) {
        self.reminders.push(Reverse((at, client.as_u64(), reminder)));
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.reminders.peek().map(|Reverse((at, _, _))| *at)
    }

    /// The next reminder whose time has come.
    pub(crate) fn due(&mut self, now: u64) -> Option<(u64, ClientId, Reminder)> {
        let Reverse((at, _, _)) = self.reminders.peek()?;
        if *at > now {
            return None;
        }
        let Reverse((at, client, reminder)) = self.reminders.pop()?;
        Some((at, ClientId::from_u64(client), reminder))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
