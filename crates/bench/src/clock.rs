//! The clocks of the lab. Times are nanoseconds in whole numbers.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, Timespec, clock_gettime};

/// CPU time that the calling thread has used, in nanoseconds.
///
/// Codecs are timed by this clock: on a shared machine wall time wanders by a factor of three
/// where CPU time wanders by a few parts in a hundred.
pub fn thread_cpu_nanoseconds() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// Time since an arbitrary start that never goes back, in nanoseconds.
pub fn monotonic_nanoseconds() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Lets the calling thread be woken on time: as it stands Linux may add 50 us to every sleep, so that
/// more sleepers wake together.
pub fn wake_on_time() {
    #[cfg(target_os = "linux")]
    // Without it the thread wakes later, which the link's check shows.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// A clock that can be waited for: the real one, or one of a test.
pub trait Clock {
    /// Nanoseconds since an arbitrary start.
    fn nanoseconds(&self) -> u64;

    /// Lets at least `time` pass.
    fn sleep(&self, time: Duration);
}

/// The monotonic clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealClock;

impl Clock for RealClock {
    fn nanoseconds(&self) -> u64 {
        monotonic_nanoseconds()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// A clock that moves when it is slept on or told to, and a little whenever it is read.
#[derive(Debug, Default)]
pub struct VirtualClock(Cell<u64>);

impl VirtualClock {
    /// What each reading takes, in nanoseconds, so that one who spins gets on.
    pub const TICK: u64 = 100;

    /// Lets so many nanoseconds pass.
    pub fn advance(&self, nanoseconds: u64) {
        self.0.set(self.0.get() + nanoseconds);
    }
}

impl Clock for VirtualClock {
    fn nanoseconds(&self) -> u64 {
        self.advance(Self::TICK);
        self.0.get()
    }

    fn sleep(&self, time: Duration) {
        self.advance(time.as_nanos() as u64);
    }
}

fn nanoseconds(time: Timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// A day of the Gregorian calendar; prints as `2002-11-25`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Four digits.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Date {
    /// The day it is now, in UTC.
    pub fn today() -> Self {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_days_since_1970(elapsed.as_secs() / 86_400)
    }

    /// The day `days` after 1970-01-01. Days past the year 9999 become its last one.
    fn from_days_since_1970(days: u64) -> Self {
        const LAST: u64 = 2_932_896; // 9999-12-31
        let mut rest = days.min(LAST);
        let mut year = 1970_u16;
        while rest >= days_of_year(year) {
            rest -= days_of_year(year);
            year += 1;
        }
        let mut month = 1_u8;
        while rest >= days_of_month(year, month) {
            rest -= days_of_month(year, month);
            month += 1;
        }
        Self { year, month, day: rest as u8 + 1 }
    }

    /// The date, if there is such a day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let known = year <= 9999 && (1..=12).contains(&month);
        let known = known && day >= 1 && u64::from(day) <= days_of_month(year, month);
        known.then_some(Self { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u16) -> u64 {
    365 + u64::from(is_leap(year))
}

fn days_of_month(year: u16, month: u8) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_with_work() {
        let start = thread_cpu_nanoseconds();
        std::hint::black_box((0..5_000_000_u64).map(std::hint::black_box).sum::<u64>());
        assert!(thread_cpu_nanoseconds() > start);
    }

    #[test]
    fn monotonic_time_does_not_go_back() {
        let times: Vec<u64> = (0..1000).map(|_| monotonic_nanoseconds()).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn days_since_1970_become_dates() {
        for (days, text) in [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (12_016, "2002-11-25"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(Date::from_days_since_1970(days).to_string(), text);
        }
    }

    #[test]
    fn days_that_do_not_exist_are_rejected() {
        assert!(Date::new(2000, 2, 29).is_some());
        for (year, month, day) in
            [(1900, 2, 29), (2001, 4, 31), (2001, 13, 1), (2001, 0, 1), (2001, 1, 0)]
        {
            assert_eq!(Date::new(year, month, day), None);
        }
    }
}
