//! How the thread of a connection waits: asking its socket, or asleep.

use std::num::NonZero;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// What [`Spin::default`] waits at most: longer than two sleeping sides take for a round trip, so that sides which talk keep
/// each other awake.
const LONGEST: Duration = Duration::from_micros(200);

/// What the thread of a connection does before it sleeps. A thread that sleeps takes tens of microseconds to wake; one that asks its
/// socket again and again takes a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    /// It sleeps at once.
    Never,
    /// It asks for so long, if what it waited for last came within that time; else it sleeps at once. No more threads of the process
    /// ask at once than there are processors.
    WhileBusy(Duration),
    /// It asks for so long after each event.
    Always(Duration),
}

impl Default for Spin {
    fn default() -> Self {
        Self::WhileBusy(LONGEST)
    }
}

/// Threads that ask by [`Spin::WhileBusy`].
static ASKING: AtomicUsize = AtomicUsize::new(0);

/// Threads that may ask so at once.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// What a thread knows of its waits.
#[derive(Debug, Default)]
pub(super) struct Waits {
    last: Option<Duration>,
}

impl Waits {
    /// For how long to ask now.
    pub(super) fn begin(&self, spin: Spin) -> Turn {
        let none = Turn { longest: Duration::ZERO, is_counted: false };
        match spin {
            Spin::Never => none,
            Spin::Always(longest) => Turn { longest, is_counted: false },
            Spin::WhileBusy(longest) => {
                if self.last.is_none_or(|last| last > longest) {
                    return none;
                }
                if ASKING.fetch_add(1, Ordering::Relaxed) >= *PROCESSORS {
                    ASKING.fetch_sub(1, Ordering::Relaxed);
                    return none;
                }
                Turn { longest, is_counted: true }
            }
        }
    }

    /// How long it took until something came.
    pub(super) fn end(&mut self, waited: Duration) {
        self.last = Some(waited);
    }
}

/// A turn of asking; others may take theirs when it is dropped.
pub(super) struct Turn {
    pub(super) longest: Duration,
    is_counted: bool,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.is_counted {
            ASKING.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// Tests that count the threads of the process that ask.
    static ALONE: Mutex<()> = Mutex::new(());

    const fn micros(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn a_thread_asks_while_what_comes_comes_soon() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waits = Waits::default();
        let spin = Spin::WhileBusy(micros(50));
        assert_eq!(waits.begin(spin).longest, Duration::ZERO, "nothing is known yet");
        waits.end(micros(50));
        assert_eq!(waits.begin(spin).longest, micros(50));
        waits.end(micros(51));
        assert_eq!(waits.begin(spin).longest, Duration::ZERO);
        assert_eq!(waits.begin(Spin::Always(micros(20))).longest, micros(20));
        assert_eq!(waits.begin(Spin::Never).longest, Duration::ZERO);
    }

    #[test]
    fn no_more_threads_ask_than_there_are_processors() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waits = Waits::default();
        waits.end(micros(1));
        let spin = Spin::WhileBusy(micros(50));
        let turns: Vec<_> = (0..*PROCESSORS + 2).map(|_| waits.begin(spin)).collect();
        let asking = turns.iter().filter(|it| !it.longest.is_zero()).count();
        assert_eq!(asking, *PROCESSORS);
        drop(turns);
        assert_eq!(waits.begin(spin).longest, micros(50));
    }
}
