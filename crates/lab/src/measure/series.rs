//! What the turns of one subject in one case came to, and the rows that it makes: the same for all that is sent.

use super::{Setting, distribution};
use trunkline_bench::histogram::{Distribution, Times};
use trunkline_bench::row::{Row, Verdict};

/// Percentiles of latencies, with their metrics.
pub(crate) const PERCENTILES: [(&str, f64); 5] = [
    ("latency-p50", 50.0),
    ("latency-p90", 90.0),
    ("latency-p99", 99.0),
    ("latency-p99.9", 99.9),
    ("latency-p99.99", 99.99),
];

/// Values by metric, a value a turn, and times of all turns. Element i of all series of a case was measured side by
/// side. `T` is what the subject is measured with: a format, or a middleware.
#[derive(Debug)]
pub(crate) struct Series<T> {
    pub(crate) of: T,
    pub(crate) case: String,
    pub(crate) subject: String,
    pub(crate) profile: String,
    /// Entries of its messages, where they have any.
    pub(crate) entries: Option<u32>,
    values: Vec<(String, &'static str, Vec<f64>)>,
    /// The sum of what was counted, such as lost messages.
    pub(crate) counts: Vec<(String, u64)>,
    pub(crate) times: Times,
    /// Why it takes no more part, and has no value.
    pub(crate) out: Option<Verdict>,
}

impl<T> Series<T> {
    pub(crate) fn new(of: T, case: &str, subject: &str, profile: String) -> Self {
        Self {
            of,
            case: case.to_owned(),
            subject: subject.to_owned(),
            profile,
            entries: None,
            values: Vec::new(),
            counts: Vec::new(),
            times: Times::default(),
            out: None,
        }
    }

    /// A value of a turn, if there is one.
    pub(crate) fn add(&mut self, metric: &str, unit: &'static str, value: impl Into<Option<f64>>) {
        let Some(value) = value.into() else { return };
        match self.values.iter_mut().find(|(known, ..)| known == metric) {
            Some((.., values)) => values.push(value),
            None => self.values.push((metric.to_owned(), unit, vec![value])),
        }
    }

    /// The latencies of a turn.
    pub(crate) fn add_times(&mut self, times: &Times) {
        let Some(mean) = times.mean() else { return };
        self.add("latency-mean", "ns", mean);
        for (metric, percent) in PERCENTILES.into_iter().filter(|(_, it)| is_known(times, *it)) {
            self.add(metric, "ns", times.percentile(percent).unwrap_or_default() as f64);
        }
        self.times.add(times);
    }

    /// Something that is counted over all turns.
    pub(crate) fn count(&mut self, metric: &str, more: u64) {
        match self.counts.iter_mut().find(|(known, _)| known == metric) {
            Some((_, count)) => *count += more,
            None => self.counts.push((metric.to_owned(), more)),
        }
    }

    /// It takes no more part, and what it did does not count.
    pub(crate) fn dismiss(&mut self, verdict: Verdict) {
        self.out = Some(verdict);
        self.values.clear();
    }

    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.counts.is_empty()
    }

    pub(crate) fn values(&self, metric: &str) -> &[f64] {
        let known = self.values.iter().find(|(known, ..)| known == metric);
        known.map_or(&[], |(.., values)| values)
    }

    /// All metrics, with their units and values.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = (&str, &'static str, &[f64])> {
        self.values.iter().map(|(metric, unit, values)| (&**metric, *unit, &**values))
    }

    /// How many turns there were.
    pub(crate) fn turns(&self) -> usize {
        self.values.first().map_or(0, |(.., values)| values.len())
    }

    /// A row of it without a value.
    pub(crate) fn blank(&self, setting: &Setting<'_>, metric: &str, unit: &str) -> Row {
        let row = setting.row(&self.case, &self.subject, &self.profile, metric, unit);
        Row { entries: self.entries, ..row }
    }

    /// The median of each metric.
    pub(crate) fn medians(&self, setting: &Setting<'_>) -> impl Iterator<Item = Row> {
        self.metrics()
            .map(move |(metric, unit, values)| self.blank(setting, metric, unit).bounded(values))
    }

    /// `row` with how many times as much of a metric this takes as another, turn by turn: of a rate, of which more is
    /// better, how many times as long.
    pub(crate) fn over(
        &self,
        other: &Self,
        (metric, unit): (&str, &str),
        row: Row,
        noise_floor: Option<f64>,
    ) -> Row {
        let (over, under) = (self.values(metric), other.values(metric));
        match unit {
            "1/s" => row.compared(under, over, noise_floor),
            _ => row.compared(over, under, noise_floor),
        }
    }

    /// The times behind the percentiles; none if nothing was timed.
    pub(crate) fn distribution(&self, setting: &Setting<'_>, metric: &str) -> Option<Distribution> {
        let blank = self.blank(setting, metric, "ns");
        (self.times.count() > 0).then(|| distribution(&blank, self.times.clone()))
    }
}

/// Whether there is a time beyond the percentile.
pub(crate) fn is_known(times: &Times, percent: f64) -> bool {
    // A little less than one, since 99.9 is no sum of halves.
    times.count() as f64 * (100.0 - percent) / 100.0 >= 1.0 - 1e-6
}

/// The series that `is_it`, or a new one.
pub(crate) fn find_or_add<T>(
    all: &mut Vec<Series<T>>,
    is_it: impl Fn(&Series<T>) -> bool,
    new: impl FnOnce() -> Series<T>,
) -> &mut Series<T> {
    let index = all.iter().position(is_it).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[index]
}
