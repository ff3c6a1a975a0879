//! What came of calls in turns, as rows.

use crate::measure::{Findings, Setting, distribution};
use crate::service::{Outcome, Request};
use trunkline_bench::histogram::Times;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::Transport;
use trunkline_experiment::definition::calls::Situation;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{BARE, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;

/// Percentiles that have rows.
const SHOWN: [&str; 3] = ["p50", "p99", "max"];

/// Repetitions of one subject in one format.
pub(super) struct Series {
    case: String,
    pub(super) subject: String,
    pub(super) format: Format,
    transport: Transport,
    /// Mean bytes of a message.
    bytes: Option<u64>,
    /// Middle latencies, in nanoseconds, one a repetition.
    latencies: Vec<f64>,
    /// Calls a second, one a repetition.
    rates: Vec<f64>,
    times: Times,
    calls: u64,
    sent: u64,
    received: u64,
    /// Why it is out.
    out: Option<Verdict>,
}

impl Series {
    pub(super) fn new(case: &str, subject: &str, format: Format, transport: Transport) -> Self {
        Self {
            case: case.to_owned(),
            subject: subject.to_owned(),
            format,
            transport,
            bytes: None,
            latencies: Vec::new(),
            rates: Vec::new(),
            times: Times::default(),
            calls: 0,
            sent: 0,
            received: 0,
            out: None,
        }
    }

    pub(super) fn with_bytes(mut self, requests: &[Request]) -> Self {
        let bytes: usize = requests.iter().map(|it| it.bytes.len() - it.head).sum();
        self.bytes = Some((bytes / requests.len().max(1)) as u64);
        self
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        let Some(middle) = outcome.times.percentile(50.0) else { return };
        self.latencies.push(middle as f64);
        self.rates.push(outcome.rate());
        self.times.add(&outcome.times);
        self.calls += outcome.calls;
        self.sent += outcome.sent;
        self.received += outcome.received;
    }

    pub(super) fn is_out(&self) -> bool {
        self.out.is_some()
    }

    pub(super) fn is_peer(&self) -> bool {
        ![TRUNKLINE, BARE].contains(&self.subject.as_str())
    }

    /// It takes no more part, and what it did does not count.
    pub(super) fn dismiss(&mut self) {
        self.out = Some(Verdict::WrongAnswer);
        self.latencies.clear();
        self.rates.clear();
    }

    /// The row of one that takes no part.
    pub(super) fn without(&self, setting: &Setting<'_>, verdict: Verdict) -> Row {
        Row { verdict, ..self.blank(setting, "latency", "ns") }
    }

    fn profile(&self) -> String {
        let profile = self.format.profile_over(self.transport.profile());
        self.bytes.map_or(profile.clone(), |bytes| format!("{profile}/{bytes}"))
    }

    fn blank(&self, setting: &Setting<'_>, metric: &str, unit: &str) -> Row {
        setting.row(&self.case, &self.subject, &self.profile(), metric, unit)
    }

    fn rows(&self, setting: &Setting<'_>, is_latency: bool) -> Vec<Row> {
        if let Some(verdict) = self.out {
            let (metric, unit) = main_metric(is_latency);
            return vec![Row { verdict, ..self.blank(setting, metric, unit) }];
        }
        let mut rows = vec![
            self.blank(setting, "latency", "ns").bounded(&self.latencies),
            self.blank(setting, "calls-per-second", "1/s").bounded(&self.rates),
        ];
        let percentiles = self.times.rows(&self.blank(setting, "", "ns"), "latency-", "");
        let is_shown =
            |row: &Row| SHOWN.iter().any(|it| row.metric.strip_prefix("latency-") == Some(it));
        rows.extend(percentiles.into_iter().filter(is_shown));
        if is_latency {
            let of_one = |bytes: u64| bytes as f64 / self.calls.max(1) as f64;
            let both =
                [("bytes-sent", of_one(self.sent)), ("bytes-received", of_one(self.received))];
            rows.extend(both.map(|(metric, value)| Row {
                value: Some(value),
                runs: 1,
                ..self.blank(setting, metric, "bytes")
            }));
        }
        rows
    }

    /// How many times as much as the other one this one takes.
    fn over(&self, other: &Self, is_latency: bool, blank: Row) -> Row {
        // What did not take part in a turn cannot be compared with it.
        let (over, under) = match is_latency {
            true => (&self.latencies, &other.latencies),
            false => (&other.rates, &self.rates),
        };
        blank.compared(over, under, None)
    }
}

/// What is compared, and its unit.
fn main_metric(is_latency: bool) -> (&'static str, &'static str) {
    if is_latency { ("latency", "ns") } else { ("calls-per-second", "1/s") }
}

/// All that took turns in one situation.
pub(super) struct Turns<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) is_latency: bool,
    pub(super) all: &'a [Series],
}

impl Turns<'_> {
    /// Each subject's own rows, everybody's times over the bare echo of the same bytes, and our leads.
    pub(super) fn rows(&self, found: &mut Findings) {
        let Self { setting, is_latency, all } = *self;
        for series in all {
            found.rows.extend(series.rows(setting, is_latency));
            let is_beside = |it: &&Series| {
                (it.format, it.transport) == (series.format, series.transport)
                    && it.case == series.case
                    && !it.is_out()
            };
            let beside = |name: &str| all.iter().filter(is_beside).find(|it| it.subject == name);
            if series.is_out() {
                continue;
            }
            if let Some(bare) = beside(BARE).filter(|_| series.subject != BARE) {
                let blank = series.blank(setting, "over-bare", "x");
                found.rows.push(series.over(bare, is_latency, blank));
            }
            if let Some(ours) = beside(TRUNKLINE).filter(|_| series.is_peer()) {
                let blank = ours.blank(setting, &lead_metric(&series.subject), "x");
                found.rows.push(series.over(ours, is_latency, blank));
            }
            let blank = series.blank(setting, "latency", "ns");
            found.distributions.push(distribution(&blank, series.times.clone()));
        }
    }
}

/// The most calls a second of each subject, over all numbers of threads: where it is saturated.
pub(super) fn peaks(
    setting: &Setting<'_>,
    found: &mut Findings,
    situations: &[Situation<'_>],
    all: &[Series],
    peak: impl Fn(&Situation<'_>) -> String,
) {
    let mut cases: Vec<String> = Vec::new();
    for situation in situations {
        let case = peak(situation);
        if cases.contains(&case) {
            continue;
        }
        let of_case = situations.iter().filter(|it| peak(it) == case);
        let names: Vec<(String, u32)> = of_case
            .map(|it| {
                (trunkline_experiment::definition::calls::Kind::Saturation.case(it), it.threads)
            })
            .collect();
        let threads = |series: &Series| names.iter().find(|(name, _)| *name == series.case);
        let mut best: Vec<(&Series, u32)> = Vec::new();
        for series in all.iter().filter(|it| !it.is_out()) {
            let Some((_, threads)) = threads(series) else { continue };
            let is_same = |(it, _): &&mut (&Series, u32)| {
                it.subject == series.subject && it.format == series.format
            };
            match best.iter_mut().find(is_same) {
                None => best.push((series, *threads)),
                Some(known) if middle(&series.rates) > middle(&known.0.rates) => {
                    *known = (series, *threads);
                }
                Some(_) => {}
            }
        }
        for (series, threads) in &best {
            let row = |metric: &str, unit: &str| Row {
                case: case.clone(),
                ..series.blank(setting, metric, unit)
            };
            found.rows.push(row("calls-per-second", "1/s").bounded(&series.rates));
            let threads = Some(f64::from(*threads));
            found.rows.push(Row { value: threads, runs: 1, ..row("threads", "threads") });
        }
        let ours = |format: Format| {
            best.iter().find(|(it, _)| it.subject == TRUNKLINE && it.format == format)
        };
        for (series, _) in best.iter().filter(|(series, _)| series.is_peer()) {
            let Some((ours, _)) = ours(series.format) else { continue };
            let blank = ours.blank(setting, &lead_metric(&series.subject), "x");
            let row = series.over(ours, false, Row { case: case.clone(), ..blank });
            found.rows.push(row);
        }
        cases.push(case);
    }
}

fn middle(rates: &[f64]) -> f64 {
    trunkline_bench::statistics::Summary::of(rates).map_or(0.0, |summary| summary.median)
}
