//! What the machine itself does to a program: how much later than asked it wakes up.
//!
//! What wakes up for each message pays the same; what is in the tail of both is the machine's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::{monotonic_nanoseconds, wake_on_time};
use crate::histogram::Times;

/// How long each sleep is to last.
pub const INTERVAL: Duration = Duration::from_millis(1);

/// A thread that sleeps and looks at the clock, until it is asked for its times.
#[derive(Debug)]
pub struct HiccupMeter {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Times>,
}

impl HiccupMeter {
    /// Begins to measure.
    pub fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            wake_on_time();
            let mut times = Times::default();
            while !told.load(Ordering::Relaxed) {
                let start = monotonic_nanoseconds();
                thread::sleep(INTERVAL);
                let slept = monotonic_nanoseconds() - start;
                times.record(slept.saturating_sub(INTERVAL.as_nanos() as u64));
            }
            times
        });
        Self { is_over, thread }
    }

    /// Ends, and returns how much too long each sleep was.
    pub fn stop(self) -> Times {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sleep_is_counted() {
        let meter = HiccupMeter::start();
        thread::sleep(Duration::from_millis(30));
        let times = meter.stop();
        assert!((1..=31).contains(&times.count()), "{}", times.count());
        assert!(times.percentile(50.0).is_some());
    }
}
