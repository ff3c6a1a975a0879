//! What FIX sessions cost: engines beside one another, and the router with sessions joined to its topics.

mod alone;
mod beside;
mod bridge;
mod engines;
mod filters;
mod renditions;
mod router;
mod traffic;

use super::series::Series;
use super::{Findings, Setting};
use crate::evaluation::Step;
use trunkline_bench::hiccup::HiccupMeter;
use trunkline_bench::row::Row;
use trunkline_experiment::definition::Measure;

/// How long a run lasts at most in a quick run.
const QUICK_MILLISECONDS: u32 = 100;

/// Does all that the measures ask for.
pub(super) fn run(
    setting: &Setting<'_>,
    measures: &[&Measure],
    progress: &mut dyn FnMut(Step<'_>),
) -> Findings {
    let mut found = Findings::default();
    engines::measure_noise(setting, &mut found, progress);
    let meter = HiccupMeter::start();
    for measure in measures {
        match measure {
            Measure::Engines(it) => engines::measure(setting, it, &mut found, progress),
            Measure::Bridge(it) => bridge::measure(setting, it, &mut found, progress),
            Measure::Renditions(it) => renditions::measure(setting, it, &mut found, progress),
            Measure::Filters(it) => filters::measure(setting, it, &mut found, progress),
            Measure::Beside(it) => beside::measure(setting, it, &mut found, progress),
            _ => {}
        }
    }
    found.hiccups(setting, meter.stop());
    found
}

/// How long runs last.
fn milliseconds(setting: &Setting<'_>, asked: u32) -> u32 {
    if setting.request.is_quick { asked.min(QUICK_MILLISECONDS) } else { asked }
}

/// The medians of all turns, and what was counted over them.
fn rows(setting: &Setting<'_>, series: &Series<()>) -> Vec<Row> {
    if let Some(verdict) = series.out {
        return vec![Row { verdict, ..series.blank(setting, "latency-p50", "ns") }];
    }
    let runs = u32::try_from(series.turns()).unwrap_or(u32::MAX);
    let single = |metric: &str, unit: &str, value: u64| Row {
        value: Some(value as f64),
        runs,
        ..series.blank(setting, metric, unit)
    };
    let counts = series.counts.iter().map(|(metric, count)| single(metric, "messages", *count));
    let longest = series.times.percentile(100.0).filter(|_| series.times.count() > 0);
    let longest = longest.map(|it| single("latency-max", "ns", it));
    series.medians(setting).chain(counts).chain(longest).collect()
}
