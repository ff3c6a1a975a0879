//! Distributions of times: percentiles by HdrHistogram, and its usual logs.
//!
//! Nothing here averages percentiles: histograms of repetitions are added up, and percentiles are
//! taken of the sum.

use std::io;
use std::time::{Duration, SystemTime};

use trunkline_wire::base64;

use crate::row::Row;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

/// Times of one kind in one case.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// Where they were measured, such as `open-loop-1000@direct`.
    pub case: String,
    /// Who was measured.
    pub subject: String,
    /// How the bytes were made.
    pub profile: String,
    /// What was timed, such as `latency`.
    pub metric: String,
    /// The times, in nanoseconds.
    pub times: Times,
}

/// Every latency of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// What is drawn in one picture, those of one after another.
    pub group: String,
    /// What was measured.
    pub case: String,
    /// Who was measured.
    pub subject: String,
    /// When each message was due, from the first, and how long after that it came; nanoseconds.
    pub times: Vec<(u64, u64)>,
}

/// Times in nanoseconds, with three significant digits from 1 ns to an hour.
#[derive(Clone, Debug)]
pub struct Times(Histogram<u64>);

/// The longest time that is told apart: an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// Bytes of an encoded distribution at most.
const ENCODED: usize = 1 << 20;

/// The percentiles of tables and plots, with their names in metrics.
pub const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.99", 99.99),
    ("max", 100.0),
];

impl Default for Times {
    fn default() -> Self {
        // The bounds are constants that the library takes.
        let histogram = Histogram::new_with_bounds(1, LONGEST, 3);
        Self(histogram.unwrap_or_else(|_| unreachable!("the bounds are in order")))
    }
}

impl Times {
    /// Adds a time; one longer than an hour counts as an hour.
    pub fn record(&mut self, nanoseconds: u64) {
        self.0.saturating_record(nanoseconds.clamp(1, LONGEST));
    }

    /// Adds all times of another.
    pub fn add(&mut self, other: &Self) {
        // Both have the same bounds.
        let _ = self.0.add(&other.0);
    }

    /// How many times there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time that a share of all does not exceed; None if there are none.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.0.value_at_percentile(percent))
    }

    /// The mean; None if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.0.mean())
    }

    /// As text, for a line of a protocol.
    ///
    /// # Errors
    /// The library cannot write it.
    pub fn encoded(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        let made = V2DeflateSerializer::new().serialize(&self.0, &mut bytes);
        made.map_err(|error| io::Error::other(format!("{error:?}")))?;
        let mut text = Vec::new();
        base64::encode_into(&bytes, &mut text);
        String::from_utf8(text).map_err(io::Error::other)
    }

    /// From what [`encoded`](Self::encoded) made.
    ///
    /// # Errors
    /// It is none.
    pub fn decoded(text: &str) -> io::Result<Self> {
        let mut bytes = Vec::new();
        base64::decode_into(text.as_bytes(), ENCODED, &mut bytes).map_err(io::Error::other)?;
        let read = Deserializer::new().deserialize(&mut &bytes[..]);
        let read: Histogram<u64> = read.map_err(|error| io::Error::other(error.to_string()))?;
        let mut times = Self::default();
        times.0.add(&read).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(times)
    }

    /// Rows of the percentiles beyond which there is a time at least. `blank` names all but the metric, which gets `prefix` and `suffix`
    /// around the percentile.
    pub fn rows(&self, blank: &Row, prefix: &str, suffix: &str) -> Vec<Row> {
        let is_known = |percent: f64| {
            let beyond = self.count() as f64 * (100.0 - percent) / 100.0;
            percent <= 50.0 || percent >= 100.0 || beyond.round() >= 1.0
        };
        let known = PERCENTILES.iter().filter(|(_, percent)| is_known(*percent));
        known
            .map(|(name, percent)| Row {
                metric: format!("{prefix}{name}{suffix}"),
                value: self.percentile(*percent).map(|time| time as f64),
                runs: 1,
                ..blank.clone()
            })
            .collect()
    }
}

impl Extend<u64> for Times {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, times: T) {
        times.into_iter().for_each(|time| self.record(time));
    }
}

/// The distributions of each case as one HdrHistogram log, named CASE.hlog, with a tag of subject,
/// format and metric on each.
///
/// # Errors
/// The library cannot write a histogram.
pub fn logs(all: &[Distribution]) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut logs: Vec<(String, Vec<u8>)> = Vec::new();
    for distribution in all {
        let name = format!("{}.hlog", distribution.case);
        if logs.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let of_case: Vec<&Distribution> =
            all.iter().filter(|other| other.case == distribution.case).collect();
        logs.push((name, log_of(&of_case)?));
    }
    Ok(logs)
}

fn log_of(distributions: &[&Distribution]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let start = SystemTime::now();
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment("times in nanoseconds")
        .with_start_time(start)
        .begin_log_with(&mut out, &mut serializer)?;
    for distribution in distributions {
        let profile = distribution.profile.trim_end_matches("/none");
        // Commas and blanks end a tag.
        let tag = format!("{}:{profile}:{}", distribution.subject, distribution.metric);
        let tag = tag.replace([',', ' ', '\n', '\r'], "-");
        log.write_histogram(
            &distribution.times.0,
            Duration::ZERO,
            Duration::from_secs(1),
            Tag::new(&tag),
        )
        .map_err(|error| io::Error::other(format!("{error:?}")))?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    #[test]
    fn a_known_distribution_comes_out_right() {
        let mut times = Times::default();
        times.extend((1..=10_000).map(|rank| rank * 1_000));
        for (percent, expected) in
            [(50.0, 5_000_000), (90.0, 9_000_000), (99.0, 9_900_000), (100.0, 10_000_000)]
        {
            let found = times.percentile(percent).expect("ten thousand") as f64;
            let error = (found / f64::from(expected) - 1.0).abs();
            assert!(error < 0.001, "{percent} %: {found}");
        }
        assert_eq!(Times::default().percentile(50.0), None);
    }

    #[test]
    fn a_distribution_travels_as_text() {
        let mut times = Times::default();
        times.extend((1..=1_000).map(|rank| rank * 977));
        let read = Times::decoded(&times.encoded().expect("memory")).expect("the same");
        assert_eq!(read.count(), 1_000);
        assert_eq!(read.percentile(99.0), times.percentile(99.0));
        assert_eq!(read.mean(), times.mean());
        assert!(Times::decoded("AAAA").is_err());
    }

    #[test]
    fn a_stall_is_in_the_tail_and_nowhere_else() {
        let mut times = Times::default();
        times.extend(std::iter::repeat_n(20_000, 9_980));
        times.extend((0..20).map(|late| 5_000_000 - late * 100_000));
        let percentile = |percent| times.percentile(percent).expect("many");
        assert!(percentile(99.0) < 21_000 && percentile(99.9) > 3_000_000);
    }

    #[test]
    fn percentiles_without_times_beyond_them_are_left_out() {
        let blank = Row::new("x", "open-loop-10@direct", "trunkline", "", "", "ns");
        let names = |count: usize| -> Vec<String> {
            let mut times = Times::default();
            times.extend(std::iter::repeat_n(1_000, count));
            times.rows(&blank, "latency-", "").into_iter().map(|row| row.metric).collect()
        };
        assert_eq!(names(10), ["latency-p50", "latency-p90", "latency-max"]);
        assert!(names(1_000).contains(&"latency-p99.9".to_owned()));
        assert!(!names(1_000).contains(&"latency-p99.99".to_owned()));
    }

    #[test]
    fn logs_are_read_back_by_the_library() {
        let mut times = Times::default();
        times.extend([1_000, 2_000, 3_000]);
        let distribution = Distribution {
            case: "open-loop-1000@direct".into(),
            subject: "trunkline".into(),
            profile: "tcp-blocking/fix-4.3/tag-value/none/none".into(),
            metric: "latency".into(),
            times,
        };
        let log = log_of(&[&distribution]).expect("memory");
        let intervals: Vec<_> = IntervalLogIterator::new(&log)
            .filter_map(|entry| match entry.expect("a log") {
                LogEntry::Interval(interval) => Some(interval),
                _ => None,
            })
            .collect();
        let [interval] = &intervals[..] else { panic!("{intervals:?}") };
        let tag = interval.tag().map(|tag| tag.as_str());
        assert_eq!(tag, Some("trunkline:tcp-blocking/fix-4.3/tag-value:latency"));
        let encoded = interval.encoded_histogram();
        let bytes = bytes_of(encoded);
        let read: Histogram<u64> =
            Deserializer::new().deserialize(&mut &bytes[..]).expect("a histogram");
        assert_eq!(read.len(), 3);
    }

    fn bytes_of(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        base64::decode_into(text.as_bytes(), 1 << 20, &mut out).expect("base64");
        out
    }
}
