//! How long things took: counts by order of magnitude, which cost an addition each.

/// Buckets to each doubling: a percentile is at most a quarter above the truth.
const PER_DOUBLING: usize = 1 << STEP;
const STEP: u32 = 2;
/// The first bucket has everything up to 2 to this, in nanoseconds, the last one everything above 2 to that.
const FIRST: u32 = 8;
const LAST: u32 = 36;
const BUCKETS: usize = (LAST - FIRST) as usize * PER_DOUBLING + 2;

/// Durations in nanoseconds, from a quarter of a microsecond to a minute.
#[derive(Clone, Debug)]
pub struct Histogram {
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
    pub fn record(&mut self, nanoseconds: u64) {
        self.record_many(nanoseconds, 1);
    }

    /// Counts so many that took the same time.
    #[inline]
    pub fn record_many(&mut self, nanoseconds: u64, count: u64) {
        self.counts[bucket(nanoseconds)] += count;
        self.sum = self.sum.saturating_add(nanoseconds.saturating_mul(count));
        if count > 0 {
            self.longest = self.longest.max(nanoseconds);
        }
    }

    /// How many there were of each size of which there were any, the shortest first: nanoseconds that none of them
    /// exceeds, and the count.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let ends = bounds().chain([self.longest]);
        ends.zip(self.counts).filter(|(_, count)| *count > 0)
    }

    /// The sum of all, in nanoseconds.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The longest of all, in nanoseconds.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// The upper bounds of all sizes but the last one, which has none; nanoseconds.
    pub fn bounds() -> impl Iterator<Item = u64> {
        bounds()
    }
}

/// The upper bounds of all buckets but the last one, which has none.
fn bounds() -> impl Iterator<Item = u64> {
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
    fn counts_add_up() {
        let mut histogram = Histogram::default();
        [100, 1_000, 1_000, u64::MAX / 2].into_iter().for_each(|it| histogram.record(it));
        let counts: Vec<_> = histogram.counts().collect();
        assert_eq!(counts, [(256, 1), (1_024, 2), (u64::MAX / 2, 1)]);
        assert_eq!((histogram.sum(), histogram.longest()), (u64::MAX / 2 + 2_100, u64::MAX / 2));
    }
}
