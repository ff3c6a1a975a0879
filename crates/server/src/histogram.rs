//! How long things took: counts by order of magnitude, which cost an addition each.

use crate::snapshot::{Durations, Took};

/// Buckets to each doubling: a percentile is at most a quarter above the truth.
const PER_DOUBLING: usize = 1 << STEP;
const STEP: u32 = 2;
/// The first bucket has everything up to 2 to this, in nanoseconds, the last one everything above 2 to that.
const FIRST: u32 = 8;
const LAST: u32 = 36;
const BUCKETS: usize = (LAST - FIRST) as usize * PER_DOUBLING + 2;

/// Durations in nanoseconds, from a quarter of a microsecond to a minute.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    counts: [u64; BUCKETS],
    sum: u64,
    longest: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; BUCKETS], sum: 0, longest: 0 }
    }
}

impl Histogram {
    /// Counts something that took so many nanoseconds.
    #[inline]
    pub(crate) fn record(&mut self, nanoseconds: u64) {
        self.record_many(nanoseconds, 1);
    }

    /// Counts so many that took the same time.
    #[inline]
    pub(crate) fn record_many(&mut self, nanoseconds: u64, count: u64) {
        self.counts[bucket(nanoseconds)] += count;
        self.sum = self.sum.saturating_add(nanoseconds.saturating_mul(count));
        if count > 0 {
            self.longest = self.longest.max(nanoseconds);
        }
    }

    /// What was counted, as it is told.
    pub(crate) fn durations(&self) -> Durations {
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let took = |(at, count): (usize, &u64)| Took {
            at_most_ns: bounds().nth(at).unwrap_or(self.longest),
            count: *count,
        };
        Durations {
            count: self.counts.iter().sum(),
            sum_ns: self.sum,
            longest_ns: self.longest,
            took: counted.map(took).collect(),
        }
    }
}

/// The upper bounds of all buckets but the last one, which has none.
pub(crate) fn bounds() -> impl Iterator<Item = u64> {
    let above = |doubling: u32| {
        let base = 1_u64 << doubling;
        (1..=PER_DOUBLING as u64).map(move |part| base + part * (base >> STEP))
    };
    std::iter::once(1 << FIRST).chain((FIRST..LAST).flat_map(above))
}

/// The first bucket whose bound is no less.
#[inline]
fn bucket(nanoseconds: u64) -> usize {
    // A bound itself is below it.
    let below = nanoseconds.saturating_sub(1);
    if below >> FIRST == 0 {
        return 0;
    }
    let doubling = below.ilog2();
    let part = (below >> (doubling - STEP)) as usize % PER_DOUBLING;
    ((doubling - FIRST) as usize * PER_DOUBLING + part + 1).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_is_in_the_first_bucket_that_has_room_for_it() {
        let bounds: Vec<u64> = bounds().collect();
        assert_eq!((bounds.len(), bounds[0], bounds[BUCKETS - 2]), (BUCKETS - 1, 256, 1 << 36));
        assert!(bounds.is_sorted_by(|one, next| one < next && *next * 4 <= *one * 5));
        assert_eq!((bucket(0), bucket(u64::MAX)), (0, BUCKETS - 1));
        for (at, bound) in bounds.iter().enumerate() {
            assert_eq!((bucket(*bound), bucket(bound + 1)), (at, at + 1), "{bound}");
        }
    }

    #[test]
    fn what_is_told_adds_up() {
        let mut histogram = Histogram::default();
        [100, 1_000, 1_000, u64::MAX / 2].into_iter().for_each(|it| histogram.record(it));
        let told = histogram.durations();
        assert_eq!((told.count, told.sum_ns), (4, u64::MAX / 2 + 2_100));
        let took: Vec<_> = told.took.iter().map(|it| (it.at_most_ns, it.count)).collect();
        assert_eq!(took, [(256, 1), (1_024, 2), (u64::MAX / 2, 1)]);
        assert_eq!(
            [0.0, 0.5, 0.75, 1.0].map(|it| told.percentile(it)),
            [256, 1_024, 1_024, u64::MAX / 2]
        );
    }
}
