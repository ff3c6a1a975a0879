//! Time-outs without timers.
//!
//! A timer for each request would cost more than everything else here. Instead each thread has a
//! clock that ticks some times within the shortest time-out; a connection writes down until when its
//! present phase may last, and with each tick those that have lasted too long are woken.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use super::Config;

/// The time of one thread, in milliseconds since it began; as exact as its ticks, and as the handlers
/// that it calls itself, after each of which it is set too.
#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    now: AtomicU64,
    pub(super) tick: Duration,
    limits: [u64; Phase::COUNT],
}

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Waiting for a request.
    Idle,
    /// Part of a head has come.
    Head,
    /// The head has come, and the body is awaited.
    Body,
    /// The handler has the request, or it waits for a worker.
    Handling,
    /// The answer is being sent.
    Writing,
}

impl Phase {
    const COUNT: usize = 5;

    fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Idle,
            1 => Self::Head,
            2 => Self::Body,
            3 => Self::Handling,
            _ => Self::Writing,
        }
    }
}

impl Clock {
    pub(super) fn new(config: &Config) -> Self {
        let limits = [
            config.idle_timeout,
            config.header_timeout,
            config.body_timeout,
            Duration::MAX,
            config.write_timeout,
        ];
        let shortest = limits.iter().min().copied().unwrap_or_default();
        let tick = (shortest / 8).clamp(Duration::from_millis(5), Duration::from_millis(250));
        let milliseconds = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let start = Instant::now();
        Self { start, now: AtomicU64::new(0), tick, limits: limits.map(milliseconds) }
    }

    /// Sets the time to what it is now.
    pub(super) fn set(&self) {
        let since_start = self.start.elapsed().as_millis();
        self.now.store(u64::try_from(since_start).unwrap_or(u64::MAX), Relaxed);
    }

    /// When a phase that begins now has lasted too long. A tick is added, since the present one may
    /// be almost over.
    fn deadline(&self, phase: Phase) -> u64 {
        let tick = self.tick.as_millis() as u64;
        (self.now.load(Relaxed) + tick).saturating_add(self.limits[phase as usize])
    }
}

/// The watched state of one connection. Only its own thread writes here.
#[derive(Debug)]
pub(super) struct Watch {
    clock: Arc<Clock>,
    phase: AtomicU8,
    deadline: AtomicU64,
    /// Bytes that came in the present head, as far as reads can tell.
    head_bytes: AtomicUsize,
    /// Bytes that came since the last request.
    received: AtomicU64,
    /// Hyper has the whole answer, though perhaps not sent.
    answered: AtomicBool,
    /// The connection is to end when it has nothing left to do.
    stopping: AtomicBool,
    /// The connection is to end for another one.
    evicted: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl Watch {
    pub(super) fn new(clock: Arc<Clock>) -> Self {
        let watch = Self {
            clock,
            phase: AtomicU8::new(0),
            deadline: AtomicU64::new(0),
            head_bytes: AtomicUsize::new(0),
            received: AtomicU64::new(0),
            answered: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            evicted: AtomicBool::new(false),
            task: Mutex::new(None),
        };
        watch.enter(Phase::Idle);
        watch
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.deadline.store(self.clock.deadline(phase), Relaxed);
        self.phase.store(phase as u8, Relaxed);
    }

    /// The thread did something that may have taken long: what begins now does not begin in the past.
    pub(super) fn set_clock(&self) {
        self.clock.set();
    }

    /// Lets the present phase last two ticks from now.
    pub(super) fn prolong(&self) {
        let tick = self.clock.tick.as_millis() as u64;
        self.deadline.store(self.clock.now.load(Relaxed) + 2 * tick, Relaxed);
    }

    /// The other side is waited for no longer, but the handler; answers how long the phase may last yet, in milliseconds.
    pub(super) fn pause(&self) -> Option<u64> {
        let left = match self.phase() {
            Phase::Handling => None,
            _ => Some(self.deadline.load(Relaxed).saturating_sub(self.clock.now.load(Relaxed))),
        };
        self.enter(Phase::Handling);
        left
    }

    /// The other side is waited for again, for so long; if it is not said, for as long as at the beginning of the phase.
    pub(super) fn resume(&self, phase: Phase, left: Option<u64>) {
        self.enter(phase);
        if let Some(left) = left {
            self.deadline.store(self.clock.now.load(Relaxed).saturating_add(left), Relaxed);
        }
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::from_number(self.phase.load(Relaxed))
    }

    /// The present phase has lasted too long.
    pub(super) fn overdue(&self) -> bool {
        self.deadline.load(Relaxed) < self.clock.now.load(Relaxed)
    }

    /// Bytes came.
    pub(super) fn received(&self, bytes: usize) {
        self.received.fetch_add(bytes as u64, Relaxed);
        match self.phase() {
            Phase::Idle => {
                self.head_bytes.store(bytes, Relaxed);
                self.enter(Phase::Head);
            }
            Phase::Head => {
                self.head_bytes.fetch_add(bytes, Relaxed);
            }
            Phase::Body | Phase::Handling | Phase::Writing => {}
        }
    }

    /// Bytes of the head that is not complete yet.
    pub(super) fn head_bytes(&self) -> usize {
        if self.phase() == Phase::Head { self.head_bytes.load(Relaxed) } else { 0 }
    }

    /// Bytes since the last call.
    pub(super) fn take_received(&self) -> u64 {
        self.received.swap(0, Relaxed)
    }

    /// Whether the whole answer has been given to hyper.
    pub(super) fn set_answered(&self, answered: bool) {
        self.answered.store(answered, Relaxed);
    }

    /// All that was written has been sent.
    pub(super) fn flushed(&self) {
        if self.phase() == Phase::Writing && self.answered.load(Relaxed) {
            self.enter(Phase::Idle);
        }
    }

    /// Asks the connection to end.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Relaxed);
        self.wake();
    }

    /// Asks the connection to end now.
    pub(super) fn evict(&self) {
        self.evicted.store(true, Relaxed);
        self.wake();
    }

    /// Takes back [`Self::evict`].
    pub(super) fn spare(&self) {
        self.evicted.store(false, Relaxed);
    }

    pub(super) fn is_evicted(&self) -> bool {
        self.evicted.load(Relaxed)
    }

    /// Since when it waits for its other side; None where it does not.
    pub(super) fn waits_since(&self) -> Option<u64> {
        let phase = self.phase();
        let waits = phase != Phase::Handling && !self.is_evicted();
        waits.then(|| self.deadline.load(Relaxed).saturating_sub(self.clock.limits[phase as usize]))
    }

    pub(super) fn stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }

    /// The task to wake.
    pub(super) fn register(&self, task: &Waker) {
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.clone());
    }

    pub(super) fn wake(&self) {
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(task) = task {
            task.wake();
        }
    }
}
