//! A connection of a session: what it is to take, what wakes its thread, and how that waits.

use std::hint;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fd::OwnedFd;
use rustix::time::Timespec;

use super::spin::{Spin, Waits};
use super::transport::Transport;
use crate::incoming::Incoming;

/// Who sends sooner than this after it has sent is in a burst. A system call takes some microseconds: one for each message would be
/// most of what a burst takes, and less than half of it with messages further apart.
const BURST: Duration = Duration::from_micros(20);

/// Bytes that go to the connection at once, at most.
const AT_ONCE: usize = 64 << 10;

/// Looks at a socket between two at the clock, and at who else wants the processor.
const LOOKS: u32 = 16;

/// A connection, and what wakes its thread.
pub(super) struct Link {
    pub(super) transport: Transport,
    wake: OwnedFd,
    /// There is something that the thread has not looked at.
    is_woken: AtomicBool,
    /// The thread sleeps, or is about to.
    is_asleep: AtomicBool,
    outgoing: Mutex<Outgoing>,
    /// Bytes of `outgoing`.
    held: AtomicUsize,
    /// When somebody else than the thread was last done with sending, in nanoseconds of the session's clock.
    sent_at: AtomicU64,
}

/// What the session has given out, and the connection has not taken. Who has the lock of it may take that of the session; who has
/// that of the session does not wait for this one.
#[derive(Default)]
pub(super) struct Outgoing {
    bytes: Vec<u8>,
    taken: usize,
}

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.bytes.len()
    }
}

/// What the thread waits for, besides bytes that come, and being woken.
pub(super) struct Wait {
    /// Room for what is to be sent.
    pub(super) sends: bool,
    pub(super) longest: Option<Duration>,
    /// What it does before it sleeps.
    pub(super) spin: Spin,
}

impl Link {
    pub(super) fn new(transport: Transport) -> io::Result<Arc<Self>> {
        transport.stream().set_nodelay(true)?;
        transport.stream().set_nonblocking(true)?;
        Ok(Arc::new(Self {
            transport,
            wake: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
            is_woken: AtomicBool::new(false),
            is_asleep: AtomicBool::new(false),
            outgoing: Mutex::default(),
            held: AtomicUsize::new(0),
            sent_at: AtomicU64::new(0),
        }))
    }

    /// Lets the thread look again at what it waits for.
    pub(super) fn wake(&self) {
        // Of the two that set their own and then look at the other's, one at least sees it.
        if !self.is_woken.swap(true, Ordering::SeqCst) && self.is_asleep.load(Ordering::SeqCst) {
            // It cannot be full: the thread empties it.
            _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        }
    }

    /// The thread looks now: who wakes it from here on makes it look once more.
    pub(super) fn is_looked_at(&self) {
        self.is_woken.store(false, Ordering::SeqCst);
    }

    /// Bytes that the session has given out, and the connection has not taken.
    pub(super) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    pub(super) fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, unless somebody is sending.
    pub(super) fn try_outgoing(&self) -> Option<MutexGuard<'_, Outgoing>> {
        match self.outgoing.try_lock() {
            Ok(outgoing) => Some(outgoing),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether somebody else than the thread has sent something just before, by the session's clock.
    pub(super) fn is_in_burst(&self, now: Duration) -> bool {
        let sent_at = self.sent_at.load(Ordering::Relaxed);
        sent_at != 0 && now.saturating_sub(Duration::from_nanos(sent_at)) < BURST
    }

    pub(super) fn has_sent_from_outside(&self, now: Duration) {
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.sent_at.store(now, Ordering::Relaxed);
    }

    /// Holds as much as goes to the connection at once, once all before is taken; says how much.
    pub(super) fn hold(&self, outgoing: &mut Outgoing, ready: &[u8]) -> usize {
        debug_assert!(outgoing.is_empty());
        let count = ready.len().min(AT_ONCE);
        outgoing.bytes.clear();
        outgoing.bytes.extend_from_slice(&ready[..count]);
        outgoing.taken = 0;
        self.held.store(count, Ordering::Relaxed);
        count
    }

    /// Sends what the connection takes at once; says whether it took something.
    pub(super) fn send(&self, outgoing: &mut Outgoing) -> io::Result<bool> {
        let mut has_sent = self.transport.flush()?;
        let outcome = loop {
            if outgoing.is_empty() {
                break Ok(());
            }
            match self.transport.write(&outgoing.bytes[outgoing.taken..]) {
                Ok(count) => {
                    outgoing.taken += count;
                    has_sent = true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.held.store(outgoing.bytes.len() - outgoing.taken, Ordering::Relaxed);
        outcome.map(|()| has_sent)
    }

    /// Waits, and reads once.
    pub(super) fn next(
        &self,
        wait: &Wait,
        waits: &mut Waits,
        incoming: &mut Incoming,
    ) -> io::Result<usize> {
        let mut read = || incoming.read(|room| self.transport.read(room));
        if self.transport.has_more() {
            return read();
        }
        let start = Instant::now();
        // Only the system tells when there is room.
        let turn = waits.begin(if wait.sends { Spin::Never } else { wait.spin });
        let longest = wait.longest.map_or(turn.longest, |it| it.min(turn.longest));
        let outcome = match self.ask(start, longest, &mut read) {
            Some(outcome) => outcome,
            None => {
                drop(turn);
                self.sleep(wait.sends, wait.longest)?;
                read()
            }
        };
        waits.end(start.elapsed());
        outcome
    }

    /// Reads again and again for so long, until something comes or the thread is woken.
    fn ask(
        &self,
        start: Instant,
        longest: Duration,
        read: &mut impl FnMut() -> io::Result<usize>,
    ) -> Option<io::Result<usize>> {
        if longest.is_zero() {
            return None;
        }
        while start.elapsed() < longest {
            for _ in 0..LOOKS {
                match read() {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    outcome => return Some(outcome),
                }
                if self.is_woken.load(Ordering::SeqCst) {
                    return Some(Err(io::ErrorKind::WouldBlock.into()));
                }
                hint::spin_loop();
            }
            thread::yield_now();
        }
        None
    }

    /// Waits until something came, or can be sent if that is asked for, or it is woken, or for so long.
    fn sleep(&self, sends: bool, longest: Option<Duration>) -> io::Result<()> {
        let out = if sends { PollFlags::OUT } else { PollFlags::empty() };
        let mut waits = [
            PollFd::new(self.transport.stream(), PollFlags::IN | out),
            PollFd::new(&self.wake, PollFlags::IN),
        ];
        let longest = longest.map(|it| Timespec {
            tv_sec: i64::try_from(it.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: it.subsec_nanos().into(),
        });
        self.is_asleep.store(true, Ordering::SeqCst);
        let outcome = match self.is_woken.load(Ordering::SeqCst) {
            true => Ok(0),
            false => poll(&mut waits, longest.as_ref()),
        };
        self.is_asleep.store(false, Ordering::SeqCst);
        if !waits[1].revents().is_empty() {
            _ = rustix::io::read(&self.wake, &mut [0; 8]);
        }
        match outcome {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
