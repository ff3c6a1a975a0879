//! How a thread passes the time until something happens.

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
    /// Stays awake so long after the last event, then sleeps.
    SpinFor(Duration),
}

/// Until when something is waited for. A wait of no time reads no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// It is waited for without end.
    Never,
    /// It is looked for once.
    Now,
    /// Until then.
    At(Instant),
}

impl Deadline {
    /// The end of a time that begins now; `None` has none.
    #[must_use]
    pub fn after(timeout: Option<Duration>) -> Self {
        match timeout {
            Some(Duration::ZERO) => Self::Now,
            // Beyond what the clock can hold there is none.
            Some(timeout) => Instant::now().checked_add(timeout).map_or(Self::Never, Self::At),
            None => Self::Never,
        }
    }

    /// How much time is left.
    #[must_use]
    pub fn left(self) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::Now => Some(Duration::ZERO),
            Self::At(_) => self.left_at(Instant::now()),
        }
    }

    /// As [`Self::left`], by a clock that was read already.
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

/// Looks of one who spins between two at the clock, which takes as long as a look.
const LOOKS_BEFORE_CLOCK: u32 = 16;

/// Until when a wait lasts, and until when it stays awake.
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

/// What a wait does next.
pub(crate) enum Next {
    /// The time is over.
    GiveUp,
    /// Looks once more without sleeping.
    Look,
    /// Sleeps, so long at most.
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

    /// To be asked after a look that found nothing.
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

/// A time to wait as the system calls take it.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
