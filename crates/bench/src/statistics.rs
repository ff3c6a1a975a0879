//! What may be said about repeated measurements.
//!
//! Nothing here averages, least of all percentiles: a repetition that was disturbed is an outlier
//! to be outvoted by the median, not to be mixed into a mean.

/// The middle and the bounds of the repetitions of one measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The middle repetition; of an even number, half-way between the two middle ones.
    pub median: f64,
    /// The lowest repetition.
    pub low: f64,
    /// The highest repetition.
    pub high: f64,
    /// How many repetitions there were.
    pub runs: u32,
}

impl Summary {
    /// Summarises repetitions; None if there are none or one is not a finite number.
    pub fn of(repetitions: &[f64]) -> Option<Self> {
        let sorted = sorted(repetitions)?;
        let (&low, &high) = (sorted.first()?, sorted.last()?);
        Some(Self { median: median(&sorted), low, high, runs: sorted.len() as u32 })
    }
}

fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.iter().all(|value| value.is_finite()).then_some(sorted)
}

/// Of sorted values, at least one.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        sorted[middle - 1].midpoint(sorted[middle])
    } else {
        sorted[middle]
    }
}

/// A cost that is partly fixed and partly proportional to the number of entries in the message, as
/// in Kohlhoff and Steele's tables 1 to 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Cost of a message without entries, in the unit of the points.
    pub fixed: f64,
    /// Cost of each entry.
    pub per_entry: f64,
    /// Share of the variation that the line explains, 0 to 1; 1 if there is none to explain.
    pub r_squared: f64,
}

impl Fit {
    /// The line through points of (entries, cost) with the least squared vertical distances.
    ///
    /// None unless the points have two different numbers of entries and are finite.
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean_entries = points.iter().map(|point| point.0).sum::<f64>() / count;
        let mean_cost = points.iter().map(|point| point.1).sum::<f64>() / count;
        let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
            points
                .iter()
                .map(|&(entries, cost)| term(entries - mean_entries, cost - mean_cost))
                .sum()
        };
        let spread_entries = sum(&|entries, _| entries * entries);
        let spread_cost = sum(&|_, cost| cost * cost);
        let per_entry = sum(&|entries, cost| entries * cost) / spread_entries;
        let fixed = mean_cost - per_entry * mean_entries;
        let unexplained = sum(&|entries, cost| (cost - per_entry * entries).powi(2));
        let r_squared = if spread_cost == 0.0 { 1.0 } else { 1.0 - unexplained / spread_cost };
        let fit = Self { fixed, per_entry, r_squared: r_squared.clamp(0.0, 1.0) };
        (spread_entries > 0.0 && fixed.is_finite() && per_entry.is_finite()).then_some(fit)
    }

    /// The line through the costs at several numbers of entries, for each repetition that all of them
    /// have. Empty if there is one number of entries only.
    pub fn each<'a>(costs: impl Iterator<Item = (u32, &'a [f64])>) -> Vec<Self> {
        let costs: Vec<(u32, &[f64])> = costs.collect();
        let repetitions = costs.iter().map(|(_, costs)| costs.len()).min().unwrap_or(0);
        let line = |repetition: usize| {
            let points: Vec<(f64, f64)> = costs
                .iter()
                .map(|(entries, costs)| (f64::from(*entries), costs[repetition]))
                .collect();
            Self::of(&points)
        };
        (0..repetitions).map_while(line).collect()
    }

    /// The cost that the line gives for a message with `entries` entries.
    pub fn at(&self, entries: f64) -> f64 {
        self.fixed + self.per_entry * entries
    }
}

/// When two subjects may be called different.
///
/// The repetitions of both are interleaved, so that repetition i of one and repetition i of the
/// other met nearly the same machine: the same clock frequency, the same neighbours. Their ratio
/// cancels what both suffered, which a ratio of two medians does not. The median of the paired
/// ratios is the result. Its bounds are order statistics: the k-th lowest and the k-th highest
/// ratio, with the largest k for which the interval holds the true median with at least the stated
/// confidence, because each ratio falls above the true median like the toss of a coin (the sign
/// test's interval). That assumes nothing about how noise is distributed, and noise of a shared
/// machine is distributed like nothing in the books.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonRule {
    /// Probability with which the bounds hold the true median ratio.
    pub confidence: f64,
    /// The widest interval, as a share of the ratio, from which anything is concluded.
    pub spread_limit: f64,
}

impl Default for ComparisonRule {
    /// 95 % confidence, which takes six pairs, and an interval of at most a quarter of the ratio.
    fn default() -> Self {
        Self { confidence: 0.95, spread_limit: 0.25 }
    }
}

/// The middle of some repetitions, and bounds that hold the true median with the confidence of the
/// rule that made them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The middle repetition.
    pub median: f64,
    /// Lower bound of the median.
    pub low: f64,
    /// Upper bound of the median.
    pub high: f64,
    /// How many repetitions there were.
    pub runs: u32,
    /// False if there were too few for the confidence asked for; the bounds are the extremes then.
    pub is_confident: bool,
}

/// What comparing two subjects gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Median of the paired ratios, first to second.
    pub ratio: f64,
    /// Lower bound of the median ratio.
    pub low: f64,
    /// Upper bound of the median ratio.
    pub high: f64,
    /// Pairs of repetitions compared.
    pub pairs: u32,
    /// What follows.
    pub finding: Finding,
}

/// The conclusion of a [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The first subject's values are lower.
    Lower,
    /// The first subject's values are higher.
    Higher,
    /// No conclusion: too few pairs for the confidence asked for. The bounds are the extremes.
    TooFewPairs,
    /// No conclusion: the interval is wider than the limit.
    TooWide,
    /// No conclusion: the interval includes that there is no difference.
    NoDifference,
}

impl Finding {
    /// True unless one subject was found lower than the other.
    pub fn is_inconclusive(self) -> bool {
        !matches!(self, Self::Lower | Self::Higher)
    }
}

impl ComparisonRule {
    /// Compares two subjects' interleaved repetitions: `first[i]` ran beside `second[i]`.
    ///
    /// None unless both have the same number of repetitions, at least one, all positive and finite.
    pub fn compare(&self, first: &[f64], second: &[f64]) -> Option<Comparison> {
        let positive = first.iter().chain(second).all(|&value| value.is_finite() && value > 0.0);
        if first.len() != second.len() || first.is_empty() || !positive {
            return None;
        }
        let ratios: Vec<f64> =
            first.iter().zip(second).map(|(first, second)| first / second).collect();
        let bounds = self.bounds(&ratios)?;
        let finding = self.finding(&bounds);
        let Bounds { median: ratio, low, high, runs: pairs, .. } = bounds;
        Some(Comparison { ratio, low, high, pairs, finding })
    }

    /// What follows from a ratio of first to second with these bounds.
    pub fn finding(&self, ratio: &Bounds) -> Finding {
        if !ratio.is_confident {
            Finding::TooFewPairs
        } else if !self.is_conclusive(ratio) {
            Finding::TooWide
        } else if ratio.high < 1.0 {
            Finding::Lower
        } else if ratio.low > 1.0 {
            Finding::Higher
        } else {
            Finding::NoDifference
        }
    }

    /// True if so many repetitions are enough for the confidence asked for.
    pub fn is_enough(&self, repetitions: u32) -> bool {
        // More are needed by no confidence that differs from 1.
        self.rank(repetitions.min(1024) as usize).is_some()
    }

    /// The median of repetitions with its bounds; None if there are none or one is not a finite
    /// number.
    pub fn bounds(&self, repetitions: &[f64]) -> Option<Bounds> {
        let sorted = sorted(repetitions)?;
        if sorted.is_empty() {
            return None;
        }
        let rank = self.rank(sorted.len());
        let from_end = rank.unwrap_or(1);
        Some(Bounds {
            median: median(&sorted),
            low: sorted[from_end - 1],
            high: sorted[sorted.len() - from_end],
            runs: sorted.len() as u32,
            is_confident: rank.is_some(),
        })
    }

    /// True if there were enough repetitions and the bounds are close enough to conclude from.
    pub fn is_conclusive(&self, bounds: &Bounds) -> bool {
        let limit = self.spread_limit * bounds.median.abs();
        bounds.is_confident && bounds.high - bounds.low <= limit
    }

    /// The largest k for which the k-th lowest and the k-th highest of `pairs` values hold the
    /// median with the confidence asked for: the chance that fewer than k of so many coins show
    /// heads is at most half of what is left to doubt. None if even the extremes do not.
    fn rank(&self, pairs: usize) -> Option<usize> {
        let doubt = (1.0 - self.confidence) / 2.0;
        let coins = pairs as f64;
        // In logarithms, because 2^-pairs leaves the range of f64 at 1075 pairs.
        let mut log_chance = -coins * std::f64::consts::LN_2;
        let mut chance_of_fewer = 0.0;
        for heads in 0..pairs {
            chance_of_fewer += log_chance.exp();
            if chance_of_fewer > doubt {
                return (heads > 0).then_some(heads);
            }
            log_chance += ((coins - heads as f64) / (heads as f64 + 1.0)).ln();
        }
        None
    }
}

/// The noise floor: the largest deviation from 1 in the bounds that the comparison of a subject
/// with itself gives, as a share (0.02 is 2 %). A difference below it is not to be believed.
///
/// `first` and `second` are two entries of the same subject in one interleaved run. None under the
/// conditions of [`ComparisonRule::compare`], and when there are too few pairs.
pub fn noise_floor(rule: &ComparisonRule, first: &[f64], second: &[f64]) -> Option<f64> {
    let comparison = rule.compare(first, second)?;
    let deviation = (1.0 - comparison.low).abs().max((comparison.high - 1.0).abs());
    (comparison.finding != Finding::TooFewPairs).then_some(deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_random::Random;

    const RULE: ComparisonRule = ComparisonRule { confidence: 0.95, spread_limit: 0.25 };

    #[test]
    fn the_median_outvotes_an_outlier() {
        let odd = Summary::of(&[3.0, 1.0, 1000.0]).expect("finite");
        assert_eq!(odd, Summary { median: 3.0, low: 1.0, high: 1000.0, runs: 3 });
        assert_eq!(Summary::of(&[4.0, 1.0, 2.0, 3.0]).map(|summary| summary.median), Some(2.5));
    }

    #[test]
    fn nothing_is_said_about_nothing_or_about_what_is_no_number() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
        assert_eq!(RULE.compare(&[], &[]), None);
        assert_eq!(RULE.compare(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(RULE.compare(&[1.0], &[0.0]), None);
        assert_eq!(RULE.compare(&[f64::INFINITY], &[1.0]), None);
    }

    #[test]
    fn a_line_is_found_exactly() {
        // Table 1's line for SOAP: 639.0 bytes and 386.9 an entry.
        let points: Vec<_> = (1..=10).map(f64::from).map(|n| (n, 639.0 + 386.9 * n)).collect();
        let fit = Fit::of(&points).expect("two different points");
        assert!((fit.fixed - 639.0).abs() < 1e-9 && (fit.per_entry - 386.9).abs() < 1e-9);
        assert!((fit.r_squared - 1.0).abs() < 1e-12);
        assert!((fit.at(10.0) - 4508.0).abs() < 1e-9);
    }

    #[test]
    fn each_repetition_has_a_line_of_its_own() {
        let costs: [(u32, &[f64]); 3] =
            [(1, &[11.0, 21.0, 5.0]), (2, &[12.0, 22.0]), (4, &[14.0, 24.0])];
        let fixed: Vec<f64> = Fit::each(costs.into_iter()).iter().map(|fit| fit.fixed).collect();
        assert_eq!(fixed.len(), 2, "the third repetition is not of all lengths");
        assert!((fixed[0] - 10.0).abs() < 1e-9 && (fixed[1] - 20.0).abs() < 1e-9, "{fixed:?}");
        assert!(Fit::each([(1, &[1.0][..])].into_iter()).is_empty());
    }

    #[test]
    fn scatter_lowers_r_squared_by_its_share() {
        // Anscombe's first quartet: 3 + x/2 with r² 0.6665.
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let points: Vec<_> = x.into_iter().zip(y).collect();
        let fit = Fit::of(&points).expect("many points");
        assert!((fit.fixed - 3.000_09).abs() < 1e-4 && (fit.per_entry - 0.500_09).abs() < 1e-4);
        assert!((fit.r_squared - 0.666_54).abs() < 1e-4);
    }

    #[test]
    fn one_number_of_entries_gives_no_line() {
        assert_eq!(Fit::of(&[]), None);
        assert_eq!(Fit::of(&[(1.0, 5.0), (1.0, 6.0)]), None);
        assert_eq!(Fit::of(&[(1.0, f64::NAN), (2.0, 6.0)]), None);
        let flat = Fit::of(&[(1.0, 5.0), (2.0, 5.0)]).expect("a flat line");
        assert_eq!((flat.per_entry, flat.r_squared), (0.0, 1.0));
    }

    #[test]
    fn ranks_are_those_of_the_published_tables() {
        // Sign-test intervals at 95 %: n -> k.
        for (pairs, rank) in [
            (5, None),
            (6, Some(1)),
            (8, Some(1)),
            (9, Some(2)),
            (10, Some(2)),
            (15, Some(4)),
            (20, Some(6)),
            (30, Some(10)),
            (100, Some(40)),
        ] {
            assert_eq!(RULE.rank(pairs), rank, "{pairs} pairs");
            assert_eq!(RULE.is_enough(pairs as u32), rank.is_some(), "{pairs} pairs");
        }
        assert!(RULE.rank(5_000).is_some_and(|rank| (2_400..2_500).contains(&rank)));
    }

    #[test]
    fn a_clear_difference_is_found_through_common_noise() {
        let machine: [f64; 8] = [1.0, 3.0, 1.2, 2.5, 1.1, 1.9, 1.0, 2.2];
        let slow = machine.map(|noise| 200.0 * noise);
        let fast = machine.map(|noise| 100.0 * noise * 1.01);
        let comparison = RULE.compare(&fast, &slow).expect("eight pairs");
        assert_eq!(comparison.finding, Finding::Lower);
        assert!((comparison.ratio - 0.505).abs() < 1e-9);
        let reverse = RULE.compare(&slow, &fast).expect("eight pairs");
        assert_eq!(reverse.finding, Finding::Higher);
    }

    #[test]
    fn the_same_subject_is_no_different_from_itself() {
        let first = [1.00, 1.02, 0.99, 1.01, 1.00, 0.98, 1.03];
        let second = [1.01, 1.00, 1.00, 0.99, 1.02, 1.00, 1.00];
        let comparison = RULE.compare(&first, &second).expect("seven pairs");
        assert_eq!(comparison.finding, Finding::NoDifference);
        let floor = noise_floor(&RULE, &first, &second).expect("seven pairs");
        assert!((0.01..0.05).contains(&floor), "{floor}");
    }

    #[test]
    fn the_bounds_of_a_median_leave_outliers_out() {
        let bounds = RULE.bounds(&[5.0, 1.0, 5.1, 4.9, 5.2, 5.0, 5.1, 4.8, 99.0]).expect("nine");
        assert_eq!((bounds.median, bounds.low, bounds.high), (5.0, 4.8, 5.2));
        assert!(RULE.is_conclusive(&bounds));
        let few = RULE.bounds(&[-1.0, -1.0]).expect("two");
        assert_eq!((few.median, few.runs), (-1.0, 2));
        assert!(!RULE.is_conclusive(&few));
        assert_eq!(RULE.bounds(&[]), None);
    }

    #[test]
    fn few_pairs_and_wide_spread_are_inconclusive() {
        let few = RULE.compare(&[2.0; 5], &[1.0; 5]).expect("five pairs");
        assert_eq!(few.finding, Finding::TooFewPairs);
        assert_eq!(noise_floor(&RULE, &[2.0; 5], &[1.0; 5]), None);
        let wide = [2.0, 4.0, 2.1, 3.9, 3.0, 2.5, 3.3];
        let wide = RULE.compare(&wide, &[1.0; 7]).expect("seven pairs");
        assert_eq!(wide.finding, Finding::TooWide);
        assert!(few.finding.is_inconclusive() && wide.finding.is_inconclusive());
    }

    #[test]
    fn the_interval_misses_the_true_median_as_rarely_as_promised() {
        let mut random = Random::new(5);
        let mut missed = 0;
        for _ in 0..2_000 {
            // Ratios with true median 1 and a long upper tail.
            let ratios: Vec<f64> = (0..15)
                .map(|_| {
                    let uniform = random.below(1_000_001) as f64 / 1_000_000.0;
                    if uniform < 0.5 {
                        0.9 + uniform / 5.0
                    } else {
                        1.0 + (uniform - 0.5).powi(2) * 40.0
                    }
                })
                .collect();
            let found = RULE.compare(&ratios, &[1.0; 15]).expect("fifteen pairs");
            missed += u32::from(found.low > 1.0 || found.high < 1.0);
        }
        assert!((20..=100).contains(&missed), "5 % of 2,000 at most, not {missed}");
    }
}
