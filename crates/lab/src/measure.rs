//! The engine: does what the chosen parts of an experiment ask for, each thing once.
//!
//! Parts overlap: sizes and times of SOAP are asked for by several. What is asked for is gathered
//! first, then measured kind by kind, so that all formats of a kind meet the same machine.

pub(crate) mod capacity;
pub(crate) mod catena;
pub(crate) mod codec;
pub(crate) mod instructions;
pub(crate) mod link;
pub(crate) mod open_loop;
pub(crate) mod pair;
pub(crate) mod participants;
mod published;
pub(crate) mod round_trip;
pub(crate) mod series;
pub(crate) mod service;
mod sessions;
pub(crate) mod size;
pub(crate) mod throughput;
mod toolkits;

use std::collections::{BTreeMap, BTreeSet};

use crate::customer_services::CustomerRecords;
use crate::evaluation::{Request, Run, Step};
use crate::market_data::MarketData;
use crate::scenario::Scenario;
use crate::subjects::{self, Contestant, State};
use participants::Participants;
use trunkline_bench::hiccup::HiccupMeter;
use trunkline_bench::histogram::{Distribution, Latencies, Times};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row, Verdict};
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::names::{CODEC, HICCUP, INSTRUCTIONS, SIZE, TRADES};
use trunkline_experiment::subjects::is_variant;
use trunkline_report::conclusion;

/// What all measuring needs to know.
pub(crate) struct Setting<'a> {
    pub(crate) request: &'a Request,
    /// Entries of a message.
    pub(crate) lengths: &'a [u32],
}

impl Setting<'_> {
    /// A row of this experiment without a value.
    pub(crate) fn row(
        &self,
        case: &str,
        subject: &str,
        profile: &str,
        metric: &str,
        unit: &str,
    ) -> Row {
        Row::new(&self.request.definition.name, case, subject, profile, metric, unit)
    }

    /// The lengths that a measure asks for, or without any those of the experiment; in a quick run
    /// only those of them that a quick run has, or the longest.
    pub(crate) fn lengths_of(&self, asked: &[u32]) -> Vec<u32> {
        let Some(longest) = asked.iter().copied().max() else { return self.lengths.to_vec() };
        let is_run = |entries: &u32| !self.request.is_quick || self.lengths.contains(entries);
        let lengths: Vec<u32> = asked.iter().copied().filter(is_run).collect();
        if lengths.is_empty() { vec![longest] } else { lengths }
    }

    /// Repetitions of what is sent: fewer than those of codecs, because each is long enough to have a
    /// median of its own, and no fewer than can be concluded from.
    pub(crate) fn repetitions(&self) -> u32 {
        (self.request.effort.repetitions * 3 / 5).max(6)
    }

    /// The length for which single figures are printed.
    pub(crate) fn longest(&self) -> u32 {
        self.lengths.iter().copied().max().unwrap_or(1)
    }
}

/// What is done where no codecs are measured, whose twin tells the noise.
const NOISE: &str = "noise";
const ITSELF: &str = "a codec against itself";

/// What has been found so far.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) rows: Vec<Row>,
    /// What went wrong with whom, a line each.
    pub(crate) faults: Vec<String>,
    /// What could not be done on this machine, and why, a line each.
    pub(crate) notes: Vec<String>,
    /// Version of every peer that took part.
    pub(crate) versions: BTreeMap<String, String>,
    /// The largest difference that the same subject showed to itself, as a share.
    pub(crate) noise_floor: Option<f64>,
    pub(crate) distributions: Vec<Distribution>,
    pub(crate) latencies: Vec<Latencies>,
}

/// Runs the chosen parts.
pub(crate) fn run(request: &Request, progress: &mut dyn FnMut(Step<'_>)) -> Run {
    let lengths = request.definition.lengths(request.is_quick);
    let setting = Setting { request, lengths };
    let mut findings = Findings::default();
    let measures: Vec<&Measure> = request.parts.iter().flat_map(|part| &part.measures).collect();
    let messages = &request.definition.messages;
    match messages.family {
        Family::MarketData => {
            let scenario = MarketData { day: &request.day, lengths };
            findings.rows.push(Row {
                value: Some(request.day.trades.len() as f64),
                ..setting.row(TRADES, &request.day.name, "", "trades", "trades")
            });
            findings.of_messages(&setting, &scenario, &measures, progress);
        }
        Family::CustomerServices => {
            let scenario = CustomerRecords { cases: &messages.cases, is_quick: request.is_quick };
            findings.of_messages(&setting, &scenario, &measures, progress);
        }
        Family::Operations => findings = toolkits::run(&setting, &measures, progress),
        Family::Sessions => findings = sessions::run(&setting, &measures, progress),
        Family::Rates => findings = catena::run(&setting, &measures, progress),
    }
    let judgements =
        conclusion::judgements(&request.definition, &findings.rows, findings.noise_floor);
    findings.rows.extend(judgements.into_iter().map(|it| it.row));
    let Findings { rows, mut faults, mut notes, versions, noise_floor, distributions, latencies } =
        findings;
    tell_once(&mut faults);
    tell_once(&mut notes);
    let machine = MachineRow::of_this_machine(&request.definition.name, versions, noise_floor);
    Run { record: RunRecord { machine, rows }, faults, notes, distributions, latencies }
}

impl Findings {
    /// All that is measured of messages with a format: by themselves, then sent. Each kind of measure does what it
    /// finds among those that are asked for.
    fn of_messages<S: Scenario>(
        &mut self,
        setting: &Setting<'_>,
        scenario: &S,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        self.codecs_and_sizes(setting, scenario, measures, progress);
        let mut of_links = |text: &str, share: f64| progress(Step { part: "link", text, share });
        link::measure(setting, measures, self, &mut of_links);
        self.network(setting, measures, progress);
        service::measure(setting, measures, self, progress);
        let capacities = capacity::rows(setting, measures, &self.rows);
        self.rows.extend(capacities);
        self.ensure_floor(setting, scenario, measures, progress);
    }

    /// What is not sent.
    fn codecs_and_sizes<S: Scenario>(
        &mut self,
        setting: &Setting<'_>,
        scenario: &S,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let of = |is_wanted: fn(&Measure) -> bool| -> (Vec<&Measure>, Vec<Format>) {
            let wanted: Vec<&Measure> =
                measures.iter().copied().filter(|it| is_wanted(it)).collect();
            let formats = formats(&wanted);
            (wanted, formats)
        };
        let sizes = of(|measure| matches!(measure, Measure::Size(_)));
        let instructions = of(|measure| matches!(measure, Measure::Instructions(_)));
        let codecs = of(|measure| matches!(measure, Measure::Codec(_)));
        let asked = [&codecs, &sizes].into_iter().flat_map(|(measures, _)| measures.clone());
        let of_peers = formats(&asked.collect::<Vec<_>>());
        let mut contestants = Vec::new();
        if !of_peers.is_empty() {
            progress(Step { part: "peers", text: "starting the peers", share: 0.0 });
            contestants = subjects::contestants(setting.request, &of_peers);
            self.introduce(setting, &contestants);
        }
        if !sizes.1.is_empty() {
            let asked = (&sizes.0[..], &sizes.1[..]);
            let mut progress = |text: &str, share: f64| progress(Step { part: SIZE, text, share });
            size::measure(setting, scenario, asked, &mut contestants, self, &mut progress);
        }
        if !codecs.1.is_empty() {
            let asked = (&codecs.0[..], &codecs.1[..]);
            let mut progress = |text: &str, share: f64| progress(Step { part: CODEC, text, share });
            codec::measure(setting, scenario, asked, &mut contestants, self, &mut progress);
        }
        if !instructions.1.is_empty() {
            let asked = (&instructions.0[..], &instructions.1[..]);
            let mut progress =
                |text: &str, share: f64| progress(Step { part: INSTRUCTIONS, text, share });
            instructions::measure(setting, scenario, asked, self, &mut progress);
        }
    }

    /// Who takes part, and who does not.
    fn introduce(&mut self, setting: &Setting<'_>, contestants: &[Contestant]) {
        for Contestant { name, format, state } in contestants {
            match state {
                State::Ready { .. } if is_variant(name) => continue,
                State::Ready { version, .. } => {
                    self.versions.insert((*name).to_owned(), version.clone());
                    continue;
                }
                State::Absent => {}
                State::Broken(why) => self.faults.push(why.clone()),
            }
            self.rows.push(Row {
                verdict: Verdict::Absent,
                ..setting.row(CODEC, name, &format.profile(), "cpu-time", "ns")
            });
        }
    }

    /// No verdict on times goes without one.
    fn ensure_floor<S: Scenario>(
        &mut self,
        setting: &Setting<'_>,
        scenario: &S,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_sent = |it: &Measure| {
            matches!(it, Measure::RoundTrip(_) | Measure::OpenLoop(_) | Measure::Throughput(_))
                || it.is_of_services()
        };
        let sent: Vec<&Measure> = measures.iter().copied().filter(|it| is_sent(it)).collect();
        if self.noise_floor.is_some() || sent.is_empty() {
            return;
        }
        let mut progress = |share| progress(Step { part: NOISE, text: ITSELF, share });
        let asked = (&sent[..], &formats(&sent)[..]);
        self.noise_floor = codec::floor_alone(setting, scenario, asked, &mut progress);
    }

    /// All that is sent between processes; their ends are started once.
    fn network(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let mut participants = Participants::default();
        let plans = round_trip::Plan::all(setting, measures);
        for (index, plan) in plans.iter().enumerate() {
            let mut progress = |text: &str, share: f64| {
                let share = (index as f64 + share) / plans.len() as f64;
                progress(Step { part: "latency", text, share });
            };
            round_trip::measure(setting, plan, &mut participants, self, &mut progress);
        }
        if measures.iter().any(|measure| matches!(measure, Measure::OpenLoop(_))) {
            // Beside it, a meter tells what the machine did meanwhile.
            let meter = HiccupMeter::start();
            let mut progress =
                |text: &str, share: f64| progress(Step { part: "latency", text, share });
            open_loop::measure(setting, measures, &mut participants, self, &mut progress);
            self.hiccups(setting, meter.stop());
        }
        let mut progress =
            |text: &str, share: f64| progress(Step { part: "throughput", text, share });
        self.rows.extend(throughput::measure(setting, measures, &mut participants, &mut progress));
        self.rows.extend(participants.rows(setting));
        self.versions.extend(participants.versions());
        self.faults.append(&mut participants.faults);
    }

    /// What the machine itself did meanwhile.
    fn hiccups(&mut self, setting: &Setting<'_>, times: Times) {
        let blank = setting.row(HICCUP, "hiccup-meter", "", "late", "ns");
        self.rows.extend(times.rows(&blank, "", ""));
        self.distributions.push(distribution(&blank, times));
    }
}

/// The times behind the rows of a case; `row` names what they are of.
fn distribution(row: &Row, times: Times) -> Distribution {
    let Row { case, subject, profile, metric, .. } = row.clone();
    Distribution { case, subject, profile, metric, times }
}

/// Who is broken is asked for in every format and in every part.
fn tell_once(lines: &mut Vec<String>) {
    let mut told = BTreeSet::new();
    lines.retain(|line| told.insert(line.clone()));
}

/// The formats of some measures, in the order of tables, each once.
fn formats(measures: &[&Measure]) -> Vec<Format> {
    let is_asked_for =
        |format: &Format| measures.iter().any(|measure| measure.formats().contains(format));
    Format::ALL.into_iter().filter(is_asked_for).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_once_whatever_is_told_between() {
        let mut lines = ["one broke", "another broke", "one broke"].map(str::to_owned).to_vec();
        tell_once(&mut lines);
        assert_eq!(lines, ["one broke", "another broke"]);
    }
}
