//! What came of calls in turns, as rows.

use crate::measure::{Findings, Setting, series};
use crate::service::{Outcome, Request};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::statistics::Summary;
use trunkline_experiment::definition::Transport;
use trunkline_experiment::definition::calls::{Kind, Situation, peak};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{BARE, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;

/// Percentiles that have rows.
const SHOWN: [&str; 3] = ["latency-p50", "latency-p99", "latency-max"];

/// What is compared, and its unit: how long one call takes, or how many there are in a second.
pub(super) const LATENCY: (&str, &str) = ("latency", "ns");
pub(super) const RATE: (&str, &str) = ("calls-per-second", "1/s");

/// Repetitions of one subject in one format.
pub(super) type Series = series::Series<Format>;

impl Series {
    /// Of calls with these requests, whose mean size is in its profile.
    pub(super) fn of_calls(
        (case, subject): (&str, &str),
        format: Format,
        transport: Transport,
        requests: &[Request],
    ) -> Self {
        let profile = format.profile_over(transport.profile());
        let bytes: usize = requests.iter().map(|it| it.bytes.len() - it.head).sum();
        let profile = match requests.len() {
            0 => profile,
            count => format!("{profile}/{}", bytes / count),
        };
        Self::new(format, case, subject, profile)
    }

    pub(super) fn add_outcome(&mut self, outcome: &Outcome) {
        let Some(middle) = outcome.times.percentile(50.0) else { return };
        self.add(LATENCY.0, LATENCY.1, middle as f64);
        self.add(RATE.0, RATE.1, outcome.rate());
        self.times.add(&outcome.times);
        self.count("calls", outcome.calls);
        self.count("bytes-sent", outcome.sent);
        self.count("bytes-received", outcome.received);
    }

    fn is_peer(&self) -> bool {
        ![TRUNKLINE, BARE].contains(&self.subject.as_str())
    }

    /// The row of one that takes no part.
    pub(super) fn without(
        &self,
        setting: &Setting<'_>,
        (metric, unit): (&str, &str),
        verdict: Verdict,
    ) -> Row {
        Row { verdict, ..self.blank(setting, metric, unit) }
    }

    fn rows(&self, setting: &Setting<'_>, main: (&str, &str)) -> Vec<Row> {
        if let Some(verdict) = self.out {
            return vec![self.without(setting, main, verdict)];
        }
        let mut rows: Vec<Row> = self.medians(setting).collect();
        let percentiles = self.times.rows(&self.blank(setting, "", "ns"), "latency-", "");
        rows.extend(percentiles.into_iter().filter(|row| SHOWN.contains(&&*row.metric)));
        if let (LATENCY, [(_, calls), bytes @ ..]) = (main, &self.counts[..]) {
            rows.extend(bytes.iter().map(|(metric, bytes)| Row {
                value: Some(*bytes as f64 / (*calls).max(1) as f64),
                runs: 1,
                ..self.blank(setting, metric, "bytes")
            }));
        }
        rows
    }
}

/// The rows of all that took turns: each subject's own, everybody's times over the bare echo of the same bytes, and
/// our leads.
pub(super) fn rows(
    setting: &Setting<'_>,
    main: (&str, &str),
    all: &[Series],
    found: &mut Findings,
) {
    for series in all {
        found.rows.extend(series.rows(setting, main));
        if series.out.is_some() {
            continue;
        }
        let is_beside =
            |it: &&Series| it.of == series.of && it.case == series.case && it.out.is_none();
        let beside = |name: &str| all.iter().filter(is_beside).find(|it| it.subject == name);
        if let Some(bare) = beside(BARE).filter(|_| series.subject != BARE) {
            let row = series.blank(setting, "over-bare", "x");
            found.rows.push(series.over(bare, main, row, None));
        }
        if let Some(ours) = beside(TRUNKLINE).filter(|_| series.is_peer()) {
            let row = ours.blank(setting, &lead_metric(&series.subject), "x");
            found.rows.push(series.over(ours, main, row, None));
        }
        found.distributions.extend(series.distribution(setting, LATENCY.0));
    }
}

/// The most calls a second of each subject, over all numbers of threads: where it is saturated.
pub(super) fn peaks(
    setting: &Setting<'_>,
    found: &mut Findings,
    situations: &[Situation<'_>],
    all: &[Series],
) {
    let mut cases: Vec<String> = situations.iter().map(peak).collect();
    cases.dedup();
    for case in cases {
        let mut best: Vec<(&Series, u32)> = Vec::new();
        for situation in situations.iter().filter(|it| peak(it) == case) {
            let name = Kind::Saturation.case(situation);
            for series in all.iter().filter(|it| it.case == name && it.out.is_none()) {
                let is_same = |(it, _): &&mut (&Series, u32)| {
                    it.subject == series.subject && it.of == series.of
                };
                match best.iter_mut().find(is_same) {
                    None => best.push((series, situation.threads)),
                    Some(known) if middle(series) > middle(known.0) => {
                        *known = (series, situation.threads);
                    }
                    Some(_) => {}
                }
            }
        }
        for (series, threads) in &best {
            let row = |of: &Series, metric: &str, unit: &str| Row {
                case: case.clone(),
                ..of.blank(setting, metric, unit)
            };
            found.rows.push(row(series, RATE.0, RATE.1).bounded(series.values(RATE.0)));
            let value = Some(f64::from(*threads));
            found.rows.push(Row { value, runs: 1, ..row(series, "threads", "threads") });
            let is_ours = |(it, _): &&(&Series, u32)| it.subject == TRUNKLINE && it.of == series.of;
            if let Some((ours, _)) = best.iter().find(is_ours).filter(|_| series.is_peer()) {
                let row = row(ours, &lead_metric(&series.subject), "x");
                found.rows.push(series.over(ours, RATE, row, None));
            }
        }
    }
}

fn middle(series: &Series) -> f64 {
    Summary::of(series.values(RATE.0)).map_or(0.0, |summary| summary.median)
}
