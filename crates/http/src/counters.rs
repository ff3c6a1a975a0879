//! Counts of what a server has done.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};

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
    handling: AtomicBool,
    /// Calls of handlers on this thread.
    handled: AtomicU64,
    /// How often it was this thread's turn to accept, which comes between the calls of handlers.
    turns: AtomicU64,
    /// Rung when a handler gets this thread.
    bell: OnceLock<Arc<Bell>>,
}

/// Wakes the thread that looks after another one.
#[derive(Debug, Default)]
pub(super) struct Bell {
    sleeper: OnceLock<Thread>,
    is_asleep: AtomicBool,
    is_over: AtomicBool,
}

/// Counts one more.
pub(super) fn one(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

impl ThreadCounters {
    /// Calls a handler on this thread.
    pub(super) fn handle<T>(&self, handle: impl FnOnce() -> T) -> T {
        one(&self.handled);
        // In one order with what the sleeper does: one of both sees the other.
        self.handling.store(true, SeqCst);
        if let Some(bell) = self.bell.get() {
            bell.ring();
        }
        // Also where it panics.
        let _handling = Handling(self);
        handle()
    }

    /// A handler keeps this thread.
    pub(super) fn is_kept(&self) -> bool {
        self.handling.load(SeqCst)
    }

    /// It is this thread's turn to accept.
    pub(super) fn turn(&self) {
        one(&self.turns);
    }

    /// Its turns so far.
    pub(super) fn turns(&self) -> u64 {
        self.turns.load(Relaxed)
    }

    /// Calls of handlers so far.
    pub(super) fn handled(&self) -> u64 {
        self.handled.load(Relaxed)
    }

    /// From now on this bell is rung when a handler is called; the calling thread is the one that it wakes.
    pub(super) fn ring(&self, bell: &Arc<Bell>) {
        // Each is set once.
        let _ = bell.sleeper.set(thread::current());
        let _ = self.bell.set(Arc::clone(bell));
    }

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

/// A handler has a thread until this is dropped.
struct Handling<'a>(&'a ThreadCounters);

impl Drop for Handling<'_> {
    fn drop(&mut self) {
        self.0.handling.store(false, SeqCst);
    }
}

impl Bell {
    /// Costs a load where nobody sleeps.
    fn ring(&self) {
        if self.is_asleep.load(SeqCst)
            && self.is_asleep.swap(false, SeqCst)
            && let Some(sleeper) = self.sleeper.get()
        {
            sleeper.unpark();
        }
    }

    /// Sleeps until it is rung, unless there is a reason to be awake. False where it is over.
    pub(super) fn sleep(&self, is_awake: impl Fn() -> bool) -> bool {
        self.is_asleep.store(true, SeqCst);
        while self.is_asleep.load(SeqCst) && !is_awake() && !self.is_over() {
            thread::park();
        }
        self.is_asleep.store(false, SeqCst);
        !self.is_over()
    }

    /// Nothing is looked after any more.
    pub(super) fn end(&self) {
        self.is_over.store(true, SeqCst);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(SeqCst)
    }
}
