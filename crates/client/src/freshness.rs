//! The age of messages, and when the client reports what was taken.

/// The shortest time between two reports of what was taken; nanoseconds.
pub(crate) const REPORT_EVERY: u64 = 1_000_000;

/// The time until the router's clock is asked again; nanoseconds.
const ASK_EVERY: u64 = 10_000_000_000;

/// The most that two clocks may drift apart, in parts per million.
const DRIFT: u64 = 50;

/// What one answer of the router's clock tells.
#[derive(Clone, Copy, Debug)]
struct Sample {
    round_trip: u64,
    /// The offset from our time to the router's.
    offset: i64,
    at: u64,
}

impl Sample {
    /// The most that it may be wrong.
    fn error(&self, now: u64) -> u64 {
        self.round_trip / 2 + now.saturating_sub(self.at) / 1_000_000 * DRIFT
    }
}

/// The router's clock as seen from here. Times are nanoseconds of a clock of this process that never goes
/// back.
#[derive(Debug, Default)]
pub(crate) struct Freshness {
    best: Option<Sample>,
    shortest: Option<u64>,
    pub(crate) reported_at: u64,
    requested_at: u64,
    /// The clock was asked, and has not answered.
    pub(crate) is_requested: bool,
}

impl Freshness {
    /// The clock was asked with our time as token, and the answer was read at `arrived`.
    pub(crate) fn answered(&mut self, requested: u64, arrived: u64, time: u64) {
        let round_trip = arrived.saturating_sub(requested);
        let offset = time.wrapping_sub(requested + round_trip / 2) as i64;
        let sample = Sample { round_trip, offset, at: arrived };
        if self.best.is_none_or(|best| best.error(arrived) >= sample.error(arrived)) {
            self.best = Some(sample);
        }
        self.shortest = Some(self.shortest.map_or(round_trip, |it| it.min(round_trip)));
        self.is_requested = false;
    }

    /// Whether it is time to ask the clock; the caller then asks it.
    pub(crate) fn asks(&mut self, now: u64) -> bool {
        let asks =
            self.best.is_none() && !self.is_requested || now >= self.requested_at + ASK_EVERY;
        if asks {
            (self.requested_at, self.is_requested) = (now, true);
        }
        asks
    }

    /// The age now of something published at a time of the router's clock.
    pub(crate) fn age(&self, now: u64, published: u64) -> Option<u64> {
        let best = self.best?;
        let there = now.wrapping_add(best.offset as u64);
        // A message cannot be younger than 0; the clocks do not agree more exactly.
        Some(u64::try_from(there.wrapping_sub(published) as i64).unwrap_or(0))
    }

    /// The shortest round trip, or 0.
    pub(crate) fn round_trip(&self) -> u64 {
        self.shortest.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000;
    const SECOND: u64 = 1_000 * MILLISECOND;

    #[test]
    fn the_age_is_right_to_half_a_round_trip() {
        for ahead in [0, 5 * SECOND, u64::MAX - 3 * SECOND] {
            let router = |ours: u64| ours.wrapping_add(ahead);
            let mut freshness = Freshness::default();
            assert_eq!(freshness.age(0, 0), None);
            // 2 ms there and 6 ms back.
            freshness.answered(SECOND, SECOND + 8 * MILLISECOND, router(SECOND + 2 * MILLISECOND));
            let age = freshness.age(3 * SECOND, router(2 * SECOND)).expect("it is known");
            assert!(age.abs_diff(SECOND) <= 4 * MILLISECOND, "{age}");
            // A better one counts, a worse one does not.
            let (requested, back) = (4 * SECOND, 4 * SECOND + 40_000);
            freshness.answered(requested, back, router(requested + 30_000));
            freshness.answered(5 * SECOND, 6 * SECOND, router(6 * SECOND));
            let age = freshness.age(9 * SECOND, router(8 * SECOND)).expect("it is known");
            assert!(age.abs_diff(SECOND) <= 20_000, "{age}");
            assert_eq!(freshness.round_trip(), 40_000);
        }
    }

    #[test]
    fn an_old_answer_gives_way_since_clocks_drift() {
        let mut freshness = Freshness::default();
        freshness.answered(0, 100_000, 50_000);
        let hour = 3_600 * SECOND;
        freshness.answered(hour, hour + MILLISECOND, hour + MILLISECOND / 2 + 7_000_000);
        let age = freshness.age(hour + SECOND, hour + 7_000_000).expect("it is known");
        assert!(age.abs_diff(SECOND) <= MILLISECOND, "{age}");
    }

    #[test]
    fn what_seems_to_come_from_later_is_new() {
        let mut freshness = Freshness::default();
        freshness.answered(0, 0, 0);
        assert_eq!(freshness.age(5, 9), Some(0));
    }

    #[test]
    fn the_clock_is_asked_now_and_then() {
        let mut freshness = Freshness::default();
        assert!(freshness.asks(0) && !freshness.asks(1));
        freshness.answered(0, 10, 5);
        assert!(!freshness.asks(9 * SECOND) && freshness.asks(10 * SECOND));
    }
}
