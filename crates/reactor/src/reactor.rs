//! Readiness of many streams.

use std::fmt;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use rustix::event::{PollFd, PollFlags, poll};

use crate::idle::{Deadline, Next, Patience, timespec};
use crate::shared::Watch;
use crate::{Idle, Listener, Stream};

/// Events taken from the system at once; others wait for the next turn.
const EVENTS: usize = 1024;

/// How long a listener pauses that could not accept for lack of resources.
const PAUSE: Duration = Duration::from_millis(100);

/// The unit of the poll's time-out.
const MILLISECOND: Duration = Duration::from_millis(1);

const WAKER: Token = Token(usize::MAX);

/// Marks the tokens of sockets that only wake for shared memory.
const SHARED: usize = 1 << (usize::BITS - 1);

/// Checks of shared memory alone before the system is asked too. There are more of them if only shared
/// memory is watched, and none of it needs wake-ups by the system.
const LOOKS: u32 = 32;
const LOOKS_ALONE: u32 = 1024;

/// A check that finds work counts as this many, since the work takes time.
const BUSY: u32 = 8;

/// An event of a stream or a listener, reported once (edge-triggered): read until `WouldBlock` or until
/// less came than was asked for, write until `WouldBlock`. A caller that stops earlier must come back by
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The token it was added with.
    pub token: usize,
    /// There are bytes, the end or an error to read, or connections to accept.
    pub readable: bool,
    /// There is room for bytes again.
    pub writable: bool,
    /// The other side is gone or will send nothing more; what it sent before is still readable.
    pub closed: bool,
}

/// Reports which of many streams are ready.
pub struct Reactor {
    poll: Poll,
    events: Events,
    waker: Arc<mio::Waker>,
    idle: Idle,
    listeners: Vec<Listening>,
    is_precise: bool,
    shared: Watch,
    /// Streams over sockets, without shared memory.
    sockets: usize,
    /// Checks since the last call of the system.
    looks: u32,
}

/// The reactor's state of a listener.
struct Listening {
    token: usize,
    pause: Arc<AtomicBool>,
    until: Option<Instant>,
}

/// Ends the wait of a reactor, from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<mio::Waker>);

impl Waker {
    /// Ends the current wait, or the next.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn wake(&self) -> io::Result<()> {
        self.0.wake()
    }
}

impl Reactor {
    /// A reactor that waits as `idle` says.
    ///
    /// # Errors
    ///
    /// Descriptors are exhausted.
    pub fn new(idle: Idle) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Arc::new(mio::Waker::new(poll.registry(), WAKER)?);
        let events = Events::with_capacity(EVENTS);
        let (listeners, shared) = (Vec::new(), Watch::default());
        let (is_precise, sockets, looks) = (false, 0, 0);
        Ok(Self { poll, events, waker, idle, listeners, is_precise, shared, sockets, looks })
    }

    /// Changes how it waits.
    pub fn set_idle(&mut self, idle: Idle) {
        self.idle = idle;
    }

    /// Reports from now on when `listener` has connections; `token` is below 2^63.
    ///
    /// # Errors
    ///
    /// Those of the system, for example if it was added already.
    pub fn add_listener(&mut self, listener: &mut Listener, token: usize) -> io::Result<()> {
        self.poll.registry().register(listener.source(), Token(token), Interest::READABLE)?;
        let pause = Arc::clone(&listener.pause);
        self.listeners.push(Listening { token, pause, until: None });
        Ok(())
    }

    /// Stops reporting `listener`.
    ///
    /// # Errors
    ///
    /// It was not added.
    pub fn remove_listener(&mut self, listener: &mut Listener) -> io::Result<()> {
        self.listeners.retain(|it| !Arc::ptr_eq(&it.pause, &listener.pause));
        self.poll.registry().deregister(listener.source())
    }

    /// Reports from now on when `stream` is ready; `token` is below 2^63.
    ///
    /// # Errors
    ///
    /// Those of the system, for example if it was added already.
    pub fn add(&mut self, stream: &mut Stream, token: usize) -> io::Result<()> {
        let mut interest = Interest::READABLE | Interest::WRITABLE;
        let mut token = token;
        if let Some(end) = stream.shared() {
            interest = Interest::READABLE;
            token = self.shared.add(end, token) | SHARED;
        }
        let socket = stream.socket().as_raw_fd();
        let added = self.poll.registry().register(&mut SourceFd(&socket), Token(token), interest);
        match (&added, stream.shared()) {
            (Err(_), Some(end)) => _ = self.shared.remove(end),
            (Ok(()), None) => self.sockets += 1,
            _ => {}
        }
        added
    }

    /// Stops reporting `stream`. The stream may also be dropped without this call.
    ///
    /// # Errors
    ///
    /// It was not added.
    pub fn remove(&mut self, stream: &mut Stream) -> io::Result<()> {
        match stream.shared() {
            Some(end) => _ = self.shared.remove(end),
            // A stream that was dropped instead counts for ever, which costs only time.
            None => self.sockets = self.sockets.saturating_sub(1),
        }
        self.poll.registry().deregister(&mut SourceFd(&stream.socket().as_raw_fd()))
    }

    /// A waker for this reactor.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.waker))
    }

    /// Waits for events, and replaces the content of `events`. There may be no event: after `timeout`, a
    /// wake-up or a signal. The time-out is precise to microseconds; for this it removes the calling
    /// thread's timer slack.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn wait(&mut self, events: &mut Vec<Event>, timeout: Option<Duration>) -> io::Result<()> {
        self.wait_until(events, Deadline::after(timeout))
    }

    /// As [`Self::wait`], until a time.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn wait_until(&mut self, events: &mut Vec<Event>, deadline: Deadline) -> io::Result<()> {
        events.clear();
        let deadline = self.resume(events, deadline);
        let mut patience = Patience::new(self.idle, deadline);
        let mut sleep = Some(Duration::ZERO);
        if self.idle == Idle::Block {
            // The first call sleeps already.
            sleep = deadline.left();
        }
        loop {
            let is_woken = match self.look(events, sleep) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
                woken => woken?,
            };
            if is_woken || !events.is_empty() || deadline == Deadline::Now {
                return Ok(());
            }
            sleep = match patience.next() {
                Next::GiveUp => {
                    self.resume(events, deadline);
                    return Ok(());
                }
                Next::Look => Some(Duration::ZERO),
                Next::Sleep(time) => time,
            };
        }
    }

    /// Sleeps at most so long, and takes the events; returns whether the waker was used.
    fn look(&mut self, events: &mut Vec<Event>, timeout: Option<Duration>) -> io::Result<bool> {
        let mut timeout = timeout;
        if self.shared.has_hot() {
            let is_sleep = timeout != Some(Duration::ZERO);
            if self.look_at_shared(events, is_sleep) {
                return Ok(false);
            }
            if !events.is_empty() {
                timeout = Some(Duration::ZERO);
            }
        }
        if let Some(time) = timeout.filter(|time| time.subsec_nanos() % 1_000_000 != 0) {
            if time > MILLISECOND {
                // The rest of the time is slept when it comes: usually something happens before.
                timeout =
                    Some(time - Duration::from_nanos((time.subsec_nanos() % 1_000_000).into()));
            } else {
                // The poll counts in milliseconds; the system call below it does not.
                self.sleep(time)?;
                timeout = Some(Duration::ZERO);
            }
        }
        self.poll.poll(&mut self.events, timeout)?;
        let (mut is_woken, mut is_shared) = (false, false);
        for event in &self.events {
            if event.token() == WAKER {
                is_woken = true;
                continue;
            }
            let closed = event.is_read_closed() || event.is_write_closed() || event.is_error();
            if event.token().0 & SHARED != 0 {
                self.shared.woken(event.token().0 & !SHARED, closed);
                is_shared = true;
                continue;
            }
            events.push(Event {
                token: event.token().0,
                readable: event.is_readable() || closed,
                writable: event.is_writable(),
                closed,
            });
        }
        if is_shared {
            self.shared.scan(events, self.idle);
        }
        Ok(is_woken)
    }

    /// Reports events of shared memory; returns whether they are enough for this turn.
    fn look_at_shared(&mut self, events: &mut Vec<Event>, is_sleep: bool) -> bool {
        let before = events.len();
        self.shared.scan(events, self.idle);
        if is_sleep && events.len() == before {
            self.shared.settle(events);
        }
        let is_busy = events.len() > before;
        self.looks += if is_busy { BUSY } else { 1 };
        let is_alone = self.sockets == 0 && self.shared.is_all_hot();
        let most = if is_alone { LOOKS_ALONE } else { LOOKS };
        let may_go_on = is_busy || !is_sleep && self.idle != Idle::Block;
        let is_enough = may_go_on && self.looks < most;
        if !is_enough {
            self.looks = 0;
        }
        is_enough
    }

    /// Sleeps until an event or the end of the time, precisely.
    fn sleep(&mut self, time: Duration) -> io::Result<()> {
        if !self.is_precise {
            precise_timers();
            self.is_precise = true;
        }
        let mut poll_itself =
            [PollFd::from_borrowed_fd(self.poll.registry().as_fd(), PollFlags::IN)];
        poll(&mut poll_itself, Some(&timespec(time)))?;
        Ok(())
    }

    /// Ends the pauses that are over; returns the deadline, or the end of the next pause.
    fn resume(&mut self, events: &mut Vec<Event>, deadline: Deadline) -> Deadline {
        let mut deadline = deadline;
        for listener in &mut self.listeners {
            if !listener.pause.load(Ordering::Relaxed) {
                continue;
            }
            let now = Instant::now();
            let until = *listener.until.get_or_insert(now + PAUSE);
            if now >= until {
                listener.until = None;
                listener.pause.store(false, Ordering::Relaxed);
                events.push(Event {
                    token: listener.token,
                    readable: true,
                    writable: false,
                    closed: false,
                });
                deadline = Deadline::Now;
            } else {
                deadline = match deadline {
                    Deadline::Now => Deadline::Now,
                    Deadline::At(time) if time < until => deadline,
                    _ => Deadline::At(until),
                };
            }
        }
        deadline
    }
}

impl fmt::Debug for Reactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reactor").field("idle", &self.idle).finish_non_exhaustive()
    }
}

/// The system may end a sleep later than asked, together with others; not on this thread.
fn precise_timers() {
    #[cfg(target_os = "linux")]
    {
        // Without it sleeps end some 50 us later, which affects no correctness.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1_000));
    }
}
