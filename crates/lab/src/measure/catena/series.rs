//! What the turns of one subject in one case came to, as rows.

use super::hops::SATURATION;
use crate::measure::Setting;
use trunkline_bench::histogram::{Distribution, Times};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::guaranteed::{
    GUARANTEED_FLOOD, GUARANTEED_SATURATION, RECOVERY, Recovery,
};
use trunkline_experiment::definition::traffic::LATENCIES;
use trunkline_experiment::middleware::Middleware;
use trunkline_experiment::names::lead_metric;

/// Percentiles with their names.
const PERCENTILES: [(&str, f64); 5] = [
    ("latency-p50", 50.0),
    ("latency-p90", 90.0),
    ("latency-p99", 99.0),
    ("latency-p99.9", 99.9),
    ("latency-p99.99", 99.99),
];

/// Metrics of times that are compared with others.
const COMPARED: [(&str, &str); 3] =
    [("latency-p50", ""), ("latency-p99", "-p99"), ("recovery-time", "")];

/// Cases in which messages a second count.
const PER_SECOND: [&str; 3] = [SATURATION, GUARANTEED_SATURATION, GUARANTEED_FLOOD];

/// Turns of one subject in one case.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) case: String,
    pub(super) subject: &'static Middleware,
    pub(super) profile: String,
    times: Times,
    /// Other measures, one value a turn; latencies of each turn are among them.
    values: Vec<(String, &'static str, Vec<f64>)>,
    /// The sum of what was counted, such as lost messages.
    counts: Vec<(String, u64)>,
    /// What was wrong with its messages.
    pub(super) wrong: Option<String>,
    /// How many messages did not come where all must.
    pub(super) lost: Option<String>,
    /// Why it takes no more part.
    pub(super) out: Option<Verdict>,
}

impl Series {
    pub(super) fn new(case: &str, subject: &'static Middleware, profile: String) -> Self {
        Self {
            case: case.to_owned(),
            subject,
            profile,
            times: Times::default(),
            values: Vec::new(),
            counts: Vec::new(),
            wrong: None,
            lost: None,
            out: None,
        }
    }

    /// The latencies of a turn.
    pub(super) fn add_times(&mut self, times: &Times) {
        let Some(mean) = times.mean() else { return };
        self.add("latency-mean", "ns", mean);
        for (metric, percent) in PERCENTILES.into_iter().filter(|(_, it)| is_known(times, *it)) {
            let value = times.percentile(percent).unwrap_or_default();
            self.add(metric, "ns", value as f64);
        }
        self.times.add(times);
    }

    /// A value of a turn.
    pub(super) fn add(&mut self, metric: &str, unit: &'static str, value: f64) {
        match self.values.iter_mut().find(|(known, ..)| known == metric) {
            Some((.., values)) => values.push(value),
            None => self.values.push((metric.to_owned(), unit, vec![value])),
        }
    }

    /// Something that is counted over all turns.
    pub(super) fn count(&mut self, metric: &str, more: u64) {
        match self.counts.iter_mut().find(|(known, _)| known == metric) {
            Some((_, count)) => *count += more,
            None => self.counts.push((metric.to_owned(), more)),
        }
    }

    /// Whether nothing was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.counts.is_empty()
    }

    fn values(&self, metric: &str) -> &[f64] {
        let known = self.values.iter().find(|(known, ..)| known == metric);
        known.map_or(&[], |(.., values)| values)
    }

    fn blank(&self, setting: &Setting<'_>, metric: &str, unit: &str) -> Row {
        setting.row(&self.case, self.subject.name, &self.profile, metric, unit)
    }

    /// Why it has no value.
    pub(super) fn without_value(&self) -> Option<Verdict> {
        let wrong = self.wrong.as_ref().map(|_| Verdict::WrongAnswer);
        self.out.or(wrong).or(self.lost.as_ref().map(|_| Verdict::Lost))
    }

    /// Its rows, the first of which has the metric that counts.
    pub(super) fn rows(&self, setting: &Setting<'_>) -> Vec<Row> {
        if let Some(verdict) = self.without_value() {
            let (metric, unit) = self.main();
            return vec![Row { verdict, ..self.blank(setting, metric, unit) }];
        }
        let mut rows = Vec::new();
        let turns = self.values.first().map_or(0, |(.., values)| values.len());
        for (metric, unit, values) in &self.values {
            // What only some turns have is taken of all together.
            if !metric.starts_with("latency-") || values.len() == turns {
                rows.push(self.blank(setting, metric, unit).bounded(values));
            }
        }
        for (metric, percent) in PERCENTILES {
            if self.values(metric).len() < turns && is_known(&self.times, percent) {
                rows.push(self.of_all(setting, metric, percent));
            }
        }
        if let Some(longest) = self.times.percentile(100.0) {
            let value = Some(longest as f64);
            rows.push(Row { value, runs: 1, ..self.blank(setting, LATENCIES[6], "ns") });
        }
        for (metric, count) in &self.counts {
            let value = Some(*count as f64);
            rows.push(Row { value, runs: turns as u32, ..self.blank(setting, metric, "messages") });
        }
        rows
    }

    /// A percentile of the times of all turns; the interval is that of its rank among them. One that
    /// is wide, or has no end, leaves the value in doubt.
    fn of_all(&self, setting: &Setting<'_>, metric: &str, percent: f64) -> Row {
        let count = self.times.count() as f64;
        let share = percent / 100.0;
        let reach = 196.0 * (share * (1.0 - share) / count).sqrt();
        let at = |percent: f64| self.times.percentile(percent.min(100.0)).map(|it| it as f64);
        let (value, low, high) = (at(percent), at(percent - reach), at(percent + reach));
        let is_wide = match (value, low, high) {
            (Some(value), Some(low), Some(high)) => high - low > value * 0.25,
            _ => true,
        };
        let is_open = percent + reach >= 100.0;
        Row {
            value,
            low,
            high,
            runs: 1,
            verdict: if is_wide || is_open { Verdict::Inconclusive } else { Verdict::Ok },
            ..self.blank(setting, metric, "ns")
        }
    }

    /// What is compared first.
    fn main(&self) -> (&'static str, &'static str) {
        match () {
            () if self.case.starts_with("flood-") => ("deliveries-per-second", "1/s"),
            () if PER_SECOND.contains(&&*self.case) => ("messages-per-second", "1/s"),
            () if Recovery::has(&self.case) => match self.case.starts_with(RECOVERY[0]) {
                true => ("recovery-time", "ns"),
                false => ("messages-per-second", "1/s"),
            },
            () => ("latency-p50", "ns"),
        }
    }

    /// How many times as much as `other` it takes, turn by turn, as rows of `of`, one of the two. What is within
    /// the noise floor is no difference.
    fn over(
        &self,
        (setting, noise_floor): (&Setting<'_>, Option<f64>),
        other: &Self,
        name: &str,
        of: &Self,
    ) -> Vec<Row> {
        let (main, unit) = self.main();
        let blank = |metric: &str| of.blank(setting, metric, "x");
        if unit == "1/s" {
            // More is better: what is asked is how many times as long a message takes.
            let row = blank(name).compared(other.values(main), self.values(main), noise_floor);
            return vec![row];
        }
        let mut rows = Vec::new();
        for (metric, suffix) in COMPARED {
            let (over, under) = (self.values(metric), other.values(metric));
            if !over.is_empty() && over.len() == under.len() {
                rows.push(blank(&format!("{name}{suffix}")).compared(over, under, noise_floor));
            }
        }
        rows
    }

    /// The times behind the percentiles.
    pub(super) fn distribution(&self) -> Option<Distribution> {
        (self.times.count() > 0).then(|| Distribution {
            case: self.case.clone(),
            subject: self.subject.name.to_owned(),
            profile: self.profile.clone(),
            metric: "latency".to_owned(),
            times: self.times.clone(),
        })
    }
}

/// Whether there is a time beyond the percentile.
fn is_known(times: &Times, percent: f64) -> bool {
    // A little less than one, since 99.9 is no sum of halves.
    times.count() as f64 * (100.0 - percent) / 100.0 >= 1.0 - 1e-6
}

/// The rows of all, each over the limit of its transport, and peers over us. The noise floor is the machine's.
pub(super) fn rows(setting: &Setting<'_>, all: &[Series], noise_floor: Option<f64>) -> Vec<Row> {
    let compared = (setting, noise_floor);
    let mut rows = Vec::new();
    for series in all {
        rows.extend(series.rows(setting));
        let is_out = |it: &Series| it.without_value().is_some();
        if is_out(series) {
            continue;
        }
        let beside = |name: &str| {
            all.iter().find(|it| it.subject.name == name && it.case == series.case && !is_out(it))
        };
        let bare = series.subject.bare;
        if let Some(bare) = beside(bare).filter(|it| it.subject != series.subject) {
            rows.extend(series.over(compared, bare, "over-bare", series));
        }
        // Of a fast consumer beside slow ones: without them.
        if let Some((name, _)) = series.case.split_once("-fast-") {
            let alone = format!("{name}-alone");
            let alone = all.iter().find(|it| it.subject == series.subject && it.case == alone);
            rows.extend(
                alone
                    .into_iter()
                    .flat_map(|alone| series.over(compared, alone, "over-alone", series)),
            );
        }
        if let (true, Some(ours)) =
            (series.subject.is_peer(), beside(series.subject.ours_in(&series.case)))
        {
            rows.extend(series.over(compared, ours, &lead_metric(series.subject.name), ours));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Request;
    use crate::trading_day::TradingDay;
    use trunkline_experiment::definition::Definition;
    use trunkline_experiment::middleware::named;

    #[test]
    fn what_is_within_the_noise_is_no_difference() {
        let definition = Definition::named("catena-2012").expect("embedded");
        let request = Request::new(definition, TradingDay::generated(1));
        let setting = Setting { request: &request, lengths: &[] };
        let series = |case: &str, name: &str, metric: &str, value: f64| {
            let mut series = Series::new(case, named(name).expect("known"), String::new());
            (0..6).for_each(|_| series.add(metric, "1/s", value));
            series
        };
        let of = |metric, ours, bare| {
            let case = if metric == "latency-p50" { "rates-1000" } else { "flood-8" };
            [series(case, "trunkline", metric, ours), series(case, "bare-forwarder", metric, bare)]
        };
        for (metric, ours, bare) in
            [("latency-p50", 110.0, 100.0), ("deliveries-per-second", 100.0, 110.0)]
        {
            let all = of(metric, ours, bare);
            let verdict = |floor| {
                let rows = rows(&setting, &all, floor);
                let row = rows.iter().find(|row| row.metric == "over-bare").expect("compared");
                assert!((row.value.expect("both") - 1.1).abs() < 1e-9, "{row:?}");
                row.verdict
            };
            assert_eq!(verdict(Some(0.05)), Verdict::Ok, "{metric}");
            assert_eq!(verdict(Some(0.2)), Verdict::Inconclusive, "{metric}");
        }
    }

    #[test]
    fn who_loses_messages_has_lost_and_gave_no_wrong_answer() {
        let definition = Definition::named("catena-2012").expect("embedded");
        let request = Request::new(definition, TradingDay::generated(1));
        let setting = Setting { request: &request, lengths: &[] };
        let zeromq = named("zeromq").expect("known");
        let verdict = |lost: bool, wrong: bool| {
            let mut series = Series::new("flood-8", zeromq, String::new());
            series.add("deliveries-per-second", "1/s", 1.0);
            series.lost = lost.then(|| "1 of 2 messages came".to_owned());
            series.wrong = wrong.then(|| "1 damaged".to_owned());
            rows(&setting, &[series], None)[0].verdict.name()
        };
        assert_eq!(verdict(true, false), "lost");
        assert_eq!(verdict(true, true), "wrong-answer");
        assert_eq!(verdict(false, false), "inconclusive");
    }
}
