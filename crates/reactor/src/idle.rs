//! How a thread waits for events.

use std::hint;
use std::time::{Duration, Instant};

use rustix::time::Timespec;

/// How a thread waits: a sleeping core takes tens of microseconds to wake, a spinning one is busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idle {
    /// Sleeps at once.
    #[default]
    Block,
    /// Never sleeps: takes a whole core.
    Spin,
    /// Spins for this time after the last event, then sleeps.
    SpinFor(Duration),
}

/// The end of a wait. A wait of no time reads no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// The wait has no end.
    Never,
    /// A single check.
    Now,
    /// At this time.
    At(Instant),
}

impl Deadline {
    /// The end of a time that begins now; `None` is no end.
    #[must_use]
    pub fn after(timeout: Option<Duration>) -> Self {
        match timeout {
            Some(Duration::ZERO) => Self::Now,
            // A time beyond the range of the clock is no end.
            Some(timeout) => Instant::now().checked_add(timeout).map_or(Self::Never, Self::At),
            None => Self::Never,
        }
    }

    /// The time left.
    #[must_use]
    pub fn left(self) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::Now => Some(Duration::ZERO),
            Self::At(_) => self.left_at(Instant::now()),
        }
    }

    /// As [`Self::left`], with the time already read.
    pub(crate) fn left_at(self, now: Instant) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::Now => Some(Duration::ZERO),
            Self::At(time) => Some(time.saturating_duration_since(now)),
        }
    }

    /// Whether no time is left.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// Checks of a spinning thread between two reads of the clock, which cost as much as a check.
const LOOKS_BEFORE_CLOCK: u32 = 16;

/// The end of a wait, and the end of spinning.
pub(crate) struct Patience {
    deadline: Deadline,
    awake: Awake,
    looks: u32,
}

enum Awake {
    No,
    Until(Instant),
    Always,
}

/// The next step of a wait.
pub(crate) enum Next {
    /// The time is over.
    GiveUp,
    /// Checks again without sleeping.
    Look,
    /// Sleeps, at most so long.
    Sleep(Option<Duration>),
}

impl Patience {
    pub(crate) fn new(idle: Idle, deadline: Deadline) -> Self {
        let awake = match idle {
            _ if deadline == Deadline::Now => Awake::No,
            Idle::SpinFor(time) => Awake::Until(Instant::now() + time),
            Idle::Spin => Awake::Always,
            Idle::Block => Awake::No,
        };
        Self { deadline, awake, looks: 0 }
    }

    /// Call it after a check that found nothing.
    #[inline]
    pub(crate) fn next(&mut self) -> Next {
        if let Awake::Always = self.awake {
            hint::spin_loop();
            // A wait may last for weeks.
            self.looks = self.looks.wrapping_add(1);
            if self.looks.is_multiple_of(LOOKS_BEFORE_CLOCK) && self.deadline.is_over() {
                return Next::GiveUp;
            }
            return Next::Look;
        }
        if let (Awake::No, Deadline::Never) = (&self.awake, self.deadline) {
            return Next::Sleep(None);
        }
        let now = Instant::now();
        let left = self.deadline.left_at(now);
        match self.awake {
            _ if left == Some(Duration::ZERO) => Next::GiveUp,
            Awake::Until(time) if now < time => {
                hint::spin_loop();
                Next::Look
            }
            _ => Next::Sleep(left),
        }
    }
}

/// A time in the form of the system calls.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
