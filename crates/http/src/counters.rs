//! Counts of what a server has done.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counts since a server began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Connections that were accepted.
    pub connections: u64,
    /// Those that are open now.
    pub open: u64,
    /// Requests whose head was read.
    pub requests: u64,
    /// Requests and connections that the server rejected itself, without the handler.
    pub rejected: u64,
    /// Bytes that came, TLS included.
    pub bytes_in: u64,
    /// Bytes that went, TLS included.
    pub bytes_out: u64,
    /// Handlers that panicked.
    pub panics: u64,
}

/// The counts of one thread, on cache lines of their own, so that threads do not slow each other.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct ThreadCounters {
    pub(super) connections: AtomicU64,
    pub(super) closed: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) rejected: AtomicU64,
    pub(super) bytes_in: AtomicU64,
    pub(super) bytes_out: AtomicU64,
    pub(super) panics: AtomicU64,
    /// A handler has this thread, and its connections wait.
    pub(super) handling: AtomicBool,
}

/// Counts one more.
pub(super) fn one(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

impl ThreadCounters {
    /// Connections of this thread that are open.
    pub(super) fn open(&self) -> u64 {
        let closed = self.closed.load(Relaxed);
        self.connections.load(Relaxed).saturating_sub(closed)
    }

    /// Adds these counts to a sum.
    pub(super) fn add_to(&self, sum: &mut Counters) {
        sum.connections += self.connections.load(Relaxed);
        sum.open += self.open();
        sum.requests += self.requests.load(Relaxed);
        sum.rejected += self.rejected.load(Relaxed);
        sum.bytes_in += self.bytes_in.load(Relaxed);
        sum.bytes_out += self.bytes_out.load(Relaxed);
        sum.panics += self.panics.load(Relaxed);
    }
}
