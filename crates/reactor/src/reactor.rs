//! Which of many streams can go on.

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

/// Events taken from the system at once; more wait for the next turn.
const EVENTS: usize = 1024;

/// How long a listener rests that could not accept for want of something.
const PAUSE: Duration = Duration::from_millis(100);

/// What the poll counts in.
const MILLISECOND: Duration = Duration::from_millis(1);

const WAKER: Token = Token(usize::MAX);

/// Marks the tokens of sockets that only wake for shared memory.
const SHARED: usize = 1 << (usize::BITS - 1);

/// Looks at shared memory alone before the system is asked too. The more where only shared memory is
/// watched, and none of it needs the system to be woken by.
const LOOKS: u32 = 32;
const LOOKS_ALONE: u32 = 1024;

/// For how many looks one counts after which something is to be done, which takes its time.
const BUSY: u32 = 8;

/// What happened to a stream or a listener. Told once: read until `WouldBlock` or less came than was
/// asked for, write until `WouldBlock`; who stops earlier comes back without being told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What it was added with.
    pub token: usize,
    /// There are bytes, the end or an error to read, or connections to accept.
    pub readable: bool,
    /// There is room for bytes again.
    pub writable: bool,
    /// The other side is gone or will send nothing more; what it sent before can still be read.
    pub closed: bool,
}

/// Says which of many streams can go on.
pub struct Reactor {
    poll: Poll,
    events: Events,
    waker: Arc<mio::Waker>,
    idle: Idle,
    listeners: Vec<Listening>,
    is_precise: bool,
    shared: Watch,
    /// Streams that are not shared memory.
    sockets: usize,
    /// Looks since the system was asked last.
    looks: u32,
}

/// A listener as the reactor sees it.
struct Listening {
    token: usize,
    pause: Arc<AtomicBool>,
    until: Option<Instant>,
}

/// Ends the wait of a reactor, from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<mio::Waker>);

impl Waker {
    /// Ends the wait that is under way, or the next.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn wake(&self) -> io::Result<()> {
        self.0.wake()
    }
}

impl Reactor {
    /// A reactor that waits in the manner of `idle`.
    ///
    /// # Errors
    ///
    /// Descriptors are wanting.
    pub fn new(idle: Idle) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = Arc::new(mio::Waker::new(poll.registry(), WAKER)?);
        let events = Events::with_capacity(EVENTS);
        let (listeners, shared) = (Vec::new(), Watch::default());
        let (is_precise, sockets, looks) = (false, 0, 0);
        Ok(Self { poll, events, waker, idle, listeners, is_precise, shared, sockets, looks })
    }

    /// Waits in another manner from now on.
    pub fn set_idle(&mut self, idle: Idle) {
        self.idle = idle;
    }

    /// Tells from now on when `listener` has connections; `token` is below 2^63.
    ///
    /// # Errors
    ///
    /// Those of the system, such as one that it was added already.
    pub fn add_listener(&mut self, listener: &mut Listener, token: usize) -> io::Result<()> {
        self.poll.registry().register(listener.source(), Token(token), Interest::READABLE)?;
        let pause = Arc::clone(&listener.pause);
        self.listeners.push(Listening { token, pause, until: None });
        Ok(())
    }

    /// Tells nothing more of `listener`.
    ///
    /// # Errors
    ///
    /// It was not added.
    pub fn remove_listener(&mut self, listener: &mut Listener) -> io::Result<()> {
        self.listeners.retain(|it| !Arc::ptr_eq(&it.pause, &listener.pause));
        self.poll.registry().deregister(listener.source())
    }

    /// Tells from now on when `stream` can go on; `token` is below 2^63.
    ///
    /// # Errors
    ///
    /// Those of the system, such as one that it was added already.
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

    /// Tells nothing more of `stream`, which may be dropped without this too.
    ///
    /// # Errors
    ///
    /// It was not added.
    pub fn remove(&mut self, stream: &mut Stream) -> io::Result<()> {
        match stream.shared() {
            Some(end) => _ = self.shared.remove(end),
            // One that was dropped without this counts for ever, which costs time and nothing else.
            None => self.sockets = self.sockets.saturating_sub(1),
        }
        self.poll.registry().deregister(&mut SourceFd(&stream.socket().as_raw_fd()))
    }

    /// What ends the wait of this reactor.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.waker))
    }

    /// Waits until something happened, replacing what is in `events`. There may be no event: after
    /// `timeout`, a wake-up or a signal. The time-out is precise to microseconds, for which the
    /// calling thread's timer slack is taken away.
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
            // Sleeps in the first call already.
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

    /// Sleeps so long at most, and takes what happened; whether the waker was used.
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
                // The last part of it is slept when it has come: mostly something happens before.
                timeout =
                    Some(time - Duration::from_nanos((time.subsec_nanos() % 1_000_000).into()));
            } else {
                // The poll counts in milliseconds, what it is made of does not.
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

    /// Tells what happened in shared memory; whether that is enough for this turn.
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

    /// Sleeps until something happened or the time is over, precisely.
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

    /// Ends the rest of listeners whose time is over; the deadline, or when the next rest ends.
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

/// The system may end a sleep later than asked, to end others with it; not so on this thread.
fn precise_timers() {
    #[cfg(target_os = "linux")]
    {
        // Without it sleeps end some 50 us later, which harms nobody's correctness.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1_000));
    }
}
