//! What the turns of one subject in one case came to, as rows.

use super::hops::SATURATION;
use crate::measure::series::{PERCENTILES, is_known};
use crate::measure::{Setting, series};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::guaranteed::{
    GUARANTEED_FLOOD, GUARANTEED_SATURATION, RECOVERY, Recovery,
};
use trunkline_experiment::definition::traffic::LATENCIES;
use trunkline_experiment::middleware::Middleware;
use trunkline_experiment::names::lead_metric;

/// Metrics of times that are compared with others.
const COMPARED: [(&str, &str); 3] =
    [("latency-p50", ""), ("latency-p99", "-p99"), ("recovery-time", "")];

/// Cases in which messages a second count.
const PER_SECOND: [&str; 3] = [SATURATION, GUARANTEED_SATURATION, GUARANTEED_FLOOD];

/// Turns of one middleware in one case.
pub(super) type Series = series::Series<Subject>;

/// Whose turns they are.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) middleware: &'static Middleware,
    /// What was wrong with its messages, or that some did not come where all must.
    pub(super) fault: Option<(Verdict, String)>,
}

impl Series {
    /// A wrong answer counts, whatever was lost before or after it.
    pub(super) fn note_fault(&mut self, verdict: Verdict, what: String) {
        if self.of.fault.as_ref().is_none_or(|(known, _)| *known == Verdict::Lost) {
            self.of.fault = Some((verdict, what));
        }
    }

    /// What is wrong with its messages, if anything is.
    pub(super) fn note_wrong(&mut self, what: Option<String>) {
        if let Some(what) = what {
            self.note_fault(Verdict::WrongAnswer, what);
        }
    }

    /// Why it has no value.
    pub(super) fn without_value(&self) -> Option<Verdict> {
        self.out.or(self.of.fault.as_ref().map(|(verdict, _)| *verdict))
    }

    /// Its rows, the first of which has the metric that counts.
    fn rows(&self, setting: &Setting<'_>) -> Vec<Row> {
        if let Some(verdict) = self.without_value() {
            let (metric, unit) = self.main();
            return vec![Row { verdict, ..self.blank(setting, metric, unit) }];
        }
        let turns = self.turns();
        // What only some turns have is taken of all together.
        let is_of_some =
            |metric: &str| metric.starts_with("latency-") && self.values(metric).len() < turns;
        let mut rows: Vec<Row> =
            self.medians(setting).filter(|row| !is_of_some(&row.metric)).collect();
        let of_all = PERCENTILES.into_iter().filter(|(metric, _)| is_of_some(metric));
        let of_all = of_all.filter(|(_, percent)| is_known(&self.times, *percent));
        rows.extend(of_all.map(|(metric, percent)| self.of_all(setting, metric, percent)));
        let single = |metric: &str, unit: &str, value: f64, runs: usize| Row {
            value: Some(value),
            runs: runs as u32,
            ..self.blank(setting, metric, unit)
        };
        let longest = self.times.percentile(100.0);
        rows.extend(longest.map(|longest| single(LATENCIES[6], "ns", longest as f64, 1)));
        let counts = self.counts.iter();
        rows.extend(counts.map(|(metric, count)| single(metric, "messages", *count as f64, turns)));
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
        let verdict = if is_wide || is_open { Verdict::Inconclusive } else { Verdict::Ok };
        Row { value, low, high, runs: 1, verdict, ..self.blank(setting, metric, "ns") }
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
    fn all_over(
        &self,
        (setting, noise_floor): (&Setting<'_>, Option<f64>),
        other: &Self,
        name: &str,
        of: &Self,
    ) -> Vec<Row> {
        let (main, unit) = self.main();
        let blank = |suffix: &str| of.blank(setting, &format!("{name}{suffix}"), "x");
        if unit == "1/s" {
            return vec![self.over(other, (main, unit), blank(""), noise_floor)];
        }
        let is_of_both = |metric: &str| {
            let (over, under) = (self.values(metric), other.values(metric));
            !over.is_empty() && over.len() == under.len()
        };
        let compared = COMPARED.into_iter().filter(|(metric, _)| is_of_both(metric));
        compared
            .map(|(metric, suffix)| self.over(other, (metric, unit), blank(suffix), noise_floor))
            .collect()
    }
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
        let subject = series.of.middleware;
        let beside = |name: &str| {
            all.iter().find(|it| it.subject == name && it.case == series.case && !is_out(it))
        };
        if let Some(bare) = beside(subject.bare).filter(|it| it.subject != series.subject) {
            rows.extend(series.all_over(compared, bare, "over-bare", series));
        }
        // Of a fast consumer beside slow ones: without them.
        let alone = series.case.split_once("-fast-").map(|(name, _)| format!("{name}-alone"));
        let is_alone =
            |it: &&Series| it.subject == series.subject && Some(&it.case) == alone.as_ref();
        if let Some(alone) = all.iter().find(is_alone) {
            rows.extend(series.all_over(compared, alone, "over-alone", series));
        }
        if let Some(ours) = beside(subject.ours_in(&series.case)).filter(|_| subject.is_peer()) {
            rows.extend(series.all_over(compared, ours, &lead_metric(subject.name), ours));
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

    fn series(case: &str, name: &str, metric: &str, value: f64) -> Series {
        let of = Subject { middleware: named(name).expect("known"), fault: None };
        let mut series = Series::new(of, case, name, String::new());
        (0..6).for_each(|_| series.add(metric, "1/s", value));
        series
    }

    fn rows_of(all: &[Series], noise_floor: Option<f64>) -> Vec<Row> {
        let definition = Definition::named("catena-2012").expect("embedded");
        let request = Request::new(definition, TradingDay::generated(1));
        rows(&Setting { request: &request, lengths: &[] }, all, noise_floor)
    }

    #[test]
    fn what_is_within_the_noise_is_no_difference() {
        for (case, metric, ours, bare) in [
            ("rates-1000", "latency-p50", 110.0, 100.0),
            ("flood-8", "deliveries-per-second", 100.0, 110.0),
        ] {
            let all = [("trunkline", ours), ("bare-forwarder", bare)];
            let all = all.map(|(name, value)| series(case, name, metric, value));
            let verdict = |floor| {
                let rows = rows_of(&all, floor);
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
        let verdict = |faults: &[Verdict]| {
            let mut series = series("flood-8", "zeromq", "deliveries-per-second", 1.0);
            faults.iter().for_each(|it| series.note_fault(*it, "1 of 2 messages came".to_owned()));
            rows_of(&[series], None)[0].verdict.name()
        };
        let (lost, wrong) = (Verdict::Lost, Verdict::WrongAnswer);
        assert_eq!(verdict(&[lost]), "lost");
        assert_eq!(
            (verdict(&[lost, wrong]), verdict(&[wrong, lost])),
            ("wrong-answer", "wrong-answer")
        );
        assert_eq!(verdict(&[]), "ok");
    }
}
