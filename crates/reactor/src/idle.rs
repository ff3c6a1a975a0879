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

/// Until when a wait lasts, and until when it stays awake.
pub(crate) struct Patience {
    deadline: Option<Instant>,
    awake: Awake,
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
    pub(crate) fn new(idle: Idle, timeout: Option<Duration>) -> Self {
        if timeout == Some(Duration::ZERO) {
            // Looks once; no clock is read.
            return Self { deadline: None, awake: Awake::No };
        }
        let spins = matches!(idle, Idle::SpinFor(_));
        let now = (timeout.is_some() || spins).then(Instant::now);
        let awake = match (idle, now) {
            (Idle::SpinFor(time), Some(now)) => Awake::Until(now + time),
            (Idle::Spin, _) => Awake::Always,
            _ => Awake::No,
        };
        // A time-out beyond what the clock can hold is none.
        let deadline = now.zip(timeout).and_then(|(now, timeout)| now.checked_add(timeout));
        Self { deadline, awake }
    }

    /// To be asked after a look that found nothing.
    pub(crate) fn next(&mut self) -> Next {
        let now = match (&self.awake, self.deadline) {
            (Awake::No, None) => return Next::Sleep(None),
            (Awake::Always, None) => {
                hint::spin_loop();
                return Next::Look;
            }
            _ => Instant::now(),
        };
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Next::GiveUp;
        }
        let awake = match self.awake {
            Awake::No => false,
            Awake::Until(time) => now < time,
            Awake::Always => true,
        };
        if awake {
            hint::spin_loop();
            return Next::Look;
        }
        Next::Sleep(self.deadline.map(|deadline| deadline - now))
    }
}

/// A time to wait as the system calls take it.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
