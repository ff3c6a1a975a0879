//! What came of turns with content codings, as rows.

use super::even::even;
use super::{Calls, InMemory, Measured, Memory};
use crate::measure::toolkits::tally::MAIN;
use crate::measure::{Findings, Setting};
use trunkline_bench::row::Row;
use trunkline_experiment::definition::Coding;
use trunkline_experiment::definition::codings::{
    OVER_CALL, OVER_CODEC, OVER_NONE, REST, SIZES, STAGES,
};
use trunkline_experiment::definition::toolkit_calls::{BYTES, DIRECT};
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::Call;

/// What a call takes.
pub(super) const LATENCY: (&str, &str) = ("latency", "ns");

/// All of them.
pub(super) fn all(setting: &Setting<'_>, measured: Measured, found: &mut Findings) {
    for (_, of_call) in &measured.memory {
        found.rows.extend(of_call.iter().flat_map(|it| memory(setting, it, of_call)));
    }
    for calls in &measured.calls {
        found.rows.extend(of_calls(setting, calls, &measured));
        found.distributions.extend(calls.series.distribution(setting, LATENCY.0));
    }
    found.rows.extend(even(setting, &measured));
}

/// The sum of stages, turn by turn; of those that it has.
pub(super) fn sum(series: &InMemory, stages: &[&str]) -> Vec<f64> {
    let all = stages.iter().map(|stage| series.values(stage)).filter(|it| !it.is_empty());
    (0..series.turns()).map(|turn| all.clone().map(|it| it[turn]).sum()).collect()
}

/// Compressing and decompressing request and answer.
fn coding(series: &InMemory) -> Vec<f64> {
    sum(series, &STAGES[1..3])
}

/// Writing and reading them.
fn codec(series: &InMemory) -> Vec<f64> {
    sum(series, &[STAGES[0], STAGES[3]])
}

fn memory(setting: &Setting<'_>, it: &Memory, all: &[Memory]) -> Vec<Row> {
    let Memory { series, bytes } = it;
    if let Some(verdict) = series.out {
        return vec![Row { verdict, ..series.blank(setting, SIZES[0], "bytes") }];
    }
    let plain = all.iter().find(|it| it.series.of == Coding::None && it.series.out.is_none());
    let counted = |metric, unit, value| Row {
        value: Some(value),
        runs: 1,
        ..series.blank(setting, metric, unit)
    };
    let length = |bytes: &[usize; 2]| bytes.iter().sum::<usize>() as f64;
    let mut rows = vec![counted(SIZES[0], "bytes", length(bytes))];
    if let Some(plain) = plain {
        rows.push(counted(SIZES[1], "%", length(bytes) / length(&plain.bytes) * 100.0));
    }
    rows.extend(series.medians(setting));
    if let Some(plain) = plain.filter(|_| series.of.is_of_xml()) {
        let row = series.blank(setting, OVER_CODEC, "x");
        rows.push(row.compared(&coding(series), &codec(&plain.series), None));
    }
    rows
}

impl Measured {
    /// What was measured in memory.
    pub(super) fn in_memory(&self, call: Call, coding: Coding) -> Option<&Memory> {
        let (_, all) = self.memory.iter().find(|(known, _)| *known == call)?;
        all.iter().find(|it| it.series.of == coding && it.series.out.is_none())
    }

    /// Calls of a toolkit with another coding over a link.
    pub(super) fn beside(&self, of: &Calls, coding: Coding, link: &str) -> Option<&Calls> {
        self.calls.iter().find(|it| {
            (it.toolkit.name, it.call, &*it.link) == (of.toolkit.name, of.call, link)
                && it.coding == coding
                && it.series.out.is_none()
        })
    }

    /// What compressing adds to the processors', turn by turn: in memory, or of others what both ends take more of a call
    /// without a link.
    pub(super) fn added(&self, calls: &Calls) -> Vec<f64> {
        if calls.toolkit.name == TRUNKLINE {
            let of = |coding| self.in_memory(calls.call, coding);
            let (Some(it), Some(plain)) = (of(calls.coding), of(Coding::None)) else {
                return Vec::new();
            };
            return less(&sum(&it.series, &STAGES), &sum(&plain.series, &STAGES));
        }
        let direct = |coding| self.beside(calls, coding, DIRECT);
        let (Some(it), Some(plain)) = (direct(calls.coding), direct(Coding::None)) else {
            return Vec::new();
        };
        less(&processors(it), &processors(plain))
    }
}

/// What both ends take of a call.
fn processors(calls: &Calls) -> Vec<f64> {
    let [client, server] = ["client-cpu", "server-cpu"].map(|metric| calls.series.values(metric));
    client.iter().zip(server).map(|(client, server)| client + server).collect()
}

/// Turn by turn.
pub(super) fn less(whole: &[f64], part: &[f64]) -> Vec<f64> {
    whole.iter().zip(part).map(|(whole, part)| whole - part).collect()
}

fn of_calls(setting: &Setting<'_>, calls: &Calls, measured: &Measured) -> Vec<Row> {
    let Calls { series, bytes, link, .. } = calls;
    if let Some(verdict) = series.out {
        return vec![Row { verdict, ..series.blank(setting, MAIN.0, MAIN.1) }];
    }
    let mut rows: Vec<Row> = series.medians(setting).collect();
    rows.extend(BYTES.iter().zip(bytes.iter().flatten()).map(|(metric, count)| Row {
        value: Some(f64::from(*count)),
        runs: 1,
        ..series.blank(setting, metric, "bytes")
    }));
    let is_ours = calls.toolkit.name == TRUNKLINE;
    let latency = series.values(LATENCY.0);
    if calls.coding == Coding::None {
        if let Some(plain) = measured.in_memory(calls.call, Coding::None).filter(|_| is_ours) {
            let rest = less(latency, &codec(&plain.series));
            rows.push(series.blank(setting, REST, "ns").bounded(&rest));
            rows.extend(in_memory_only(setting, calls, measured));
        }
        return rows;
    }
    let Some(plain) = measured.beside(calls, Coding::None, link) else { return rows };
    rows.push(series.over(&plain.series, LATENCY, series.blank(setting, OVER_NONE, "x"), None));
    if calls.coding.is_of_xml() {
        let row = series.blank(setting, OVER_CALL, "x");
        let whole = plain.series.values(LATENCY.0);
        match measured.in_memory(calls.call, calls.coding) {
            Some(it) if is_ours => rows.push(row.compared(&coding(&it.series), whole, None)),
            _ if is_ours => {}
            // What little is added to long calls of others may be less than nothing in a turn.
            _ => {
                let shares = measured.added(calls).into_iter().zip(whole);
                let shares: Vec<f64> = shares.map(|(added, whole)| added / whole).collect();
                rows.push(row.bounded(&shares));
            }
        }
    }
    rows
}

/// What is not called with, over the same call.
fn in_memory_only(setting: &Setting<'_>, plain: &Calls, measured: &Measured) -> Vec<Row> {
    let only = Coding::ALL.into_iter().filter(|it| it.mode().is_none());
    only.filter_map(|it| {
        let memory = measured.in_memory(plain.call, it)?;
        let case = format!("{}@{}", memory.series.case, plain.link);
        let blank = Row { case, ..memory.series.blank(setting, OVER_CALL, "x") };
        Some(blank.compared(&coding(&memory.series), plain.series.values(LATENCY.0), None))
    })
    .collect()
}
