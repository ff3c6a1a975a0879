//! The engine: does what the chosen parts of an experiment ask for, each thing once.
//!
//! Parts overlap: sizes and times of SOAP are asked for by several. What is asked for is gathered
//! first, then measured kind by kind, so that all formats of a kind meet the same machine.

pub(crate) mod capacity;
pub(crate) mod catena;
pub(crate) mod codec;
pub(crate) mod link;
pub(crate) mod open_loop;
pub(crate) mod pair;
pub(crate) mod participants;
pub(crate) mod round_trip;
pub(crate) mod service;
pub(crate) mod size;
pub(crate) mod throughput;

use std::collections::{BTreeMap, BTreeSet};

use crate::evaluation::{Request, Run, Step};
use crate::ratios;
use participants::Participants;
use trunkline_bench::hiccup::HiccupMeter;
use trunkline_bench::histogram::{Distribution, Latencies};
use trunkline_bench::record::Record;
use trunkline_bench::row::{MachineRow, Row};
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::names::{CODEC, HICCUP, SIZE, TRADES};
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
struct Findings {
    rows: Vec<Row>,
    faults: Vec<String>,
    notes: Vec<String>,
    versions: BTreeMap<String, String>,
    noise_floor: Option<f64>,
    distributions: Vec<Distribution>,
    latencies: Vec<Latencies>,
}

/// Runs the chosen parts.
pub(crate) fn run(request: &Request, progress: &mut dyn FnMut(Step<'_>)) -> Run {
    let lengths = request.definition.lengths(request.is_quick);
    let setting = Setting { request, lengths };
    let mut findings = Findings::default();
    let measures: Vec<&Measure> = request.parts.iter().flat_map(|part| &part.measures).collect();
    match request.definition.messages.family {
        Family::MarketData => findings.of_market_data(&setting, &measures, progress),
        Family::CustomerServices => findings.of_services(&setting, &measures, progress),
        Family::Rates => findings.of_a_middleware(&setting, &measures, progress),
    }
    let judgements =
        conclusion::judgements(&request.definition, &findings.rows, findings.noise_floor);
    findings.rows.extend(judgements.into_iter().map(|it| it.row));
    let Findings { rows, mut faults, mut notes, versions, noise_floor, distributions, latencies } =
        findings;
    tell_once(&mut faults);
    tell_once(&mut notes);
    let machine = MachineRow::of_this_machine(&request.definition.name, versions, noise_floor);
    Run { record: Record { machine, rows }, faults, notes, distributions, latencies }
}

impl Findings {
    fn of_market_data(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let day = &setting.request.day;
        self.rows.push(Row {
            value: Some(day.trades.len() as f64),
            ..setting.row(TRADES, &day.name, "", "trades", "trades")
        });
        self.sizes(setting, measures, progress);
        self.codecs(setting, measures, progress);
        self.links(setting, measures, progress);
        self.network(setting, measures, progress);
        let capacities = capacity::rows(setting, measures, &self.rows);
        self.rows.extend(capacities);
        self.ensure_floor(setting, measures, progress);
    }

    /// No verdict on times goes without one.
    fn ensure_floor(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_sent = |it: &Measure| {
            matches!(it, Measure::RoundTrip(_) | Measure::OpenLoop(_) | Measure::Throughput(_))
        };
        if self.noise_floor.is_some() || !measures.iter().any(|it| is_sent(it)) {
            return;
        }
        let mut progress = |share| progress(Step { part: NOISE, text: ITSELF, share });
        let formats = formats(measures, is_sent);
        self.noise_floor = codec::floor_alone(setting, &formats, &mut progress);
    }

    fn of_services(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let found = service::run(setting, measures, progress);
        self.rows.extend(found.rows);
        self.faults.extend(found.faults);
        self.notes.extend(found.notes);
        self.distributions.extend(found.distributions);
        self.versions.extend(found.versions);
        self.noise_floor = found.noise_floor;
    }

    fn of_a_middleware(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let found = catena::run(setting, measures, progress);
        self.rows.extend(found.rows);
        self.faults.extend(found.faults);
        self.notes.extend(found.notes);
        self.distributions.extend(found.distributions);
        self.versions.extend(found.versions);
        self.latencies.extend(found.latencies);
        self.noise_floor = found.noise_floor;
    }

    fn sizes(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_size = |measure: &Measure| matches!(measure, Measure::Size(_));
        let formats = formats(measures, is_size);
        if formats.is_empty() {
            return;
        }
        let as_printed =
            measures.iter().any(|measure| matches!(measure, Measure::Size(it) if it.as_printed));
        let mut progress = |text: &str, share: f64| progress(Step { part: SIZE, text, share });
        self.rows.extend(size::rows(setting, &formats, as_printed, &mut progress));
    }

    fn codecs(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_codec = |measure: &Measure| matches!(measure, Measure::Codec(_));
        let formats = formats(measures, is_codec);
        if formats.is_empty() {
            return;
        }
        let is_randomised =
            measures.iter().any(|measure| matches!(measure, Measure::Codec(it) if it.randomised));
        let mut progress = |text: &str, share: f64| progress(Step { part: CODEC, text, share });
        let measured = codec::measure(setting, &formats, is_randomised, &mut progress);
        self.rows.extend(measured.rows(setting));
        self.rows.extend(ratios::rows(setting, &measured));
        self.faults.extend(measured.faults);
        self.versions.extend(measured.versions);
        self.noise_floor = measured.noise_floor;
    }
}

impl Findings {
    fn links(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let mut progress = |text: &str, share: f64| progress(Step { part: "link", text, share });
        let found = link::measure(setting, measures, &mut progress);
        self.rows.extend(found.rows);
        self.faults.extend(found.faults);
        self.notes.extend(found.notes);
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
            let measured = round_trip::measure(setting, plan, &mut participants, &mut progress);
            self.rows.extend(measured.rows);
            self.distributions.extend(measured.distributions);
        }
        self.open_loop(setting, measures, &mut participants, progress);
        let mut progress =
            |text: &str, share: f64| progress(Step { part: "throughput", text, share });
        self.rows.extend(throughput::measure(setting, measures, &mut participants, &mut progress));
        self.rows.extend(participants.rows(setting));
        self.versions.extend(participants.versions());
        self.faults.append(&mut participants.faults);
    }

    /// With a hiccup meter beside it, which tells what the machine did meanwhile.
    fn open_loop(
        &mut self,
        setting: &Setting<'_>,
        measures: &[&Measure],
        participants: &mut Participants,
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        if !measures.iter().any(|measure| matches!(measure, Measure::OpenLoop(_))) {
            return;
        }
        let meter = HiccupMeter::start();
        let mut progress = |text: &str, share: f64| progress(Step { part: "latency", text, share });
        let measured = open_loop::measure(setting, measures, participants, &mut progress);
        let hiccups = meter.stop();
        self.rows.extend(measured.rows);
        self.distributions.extend(measured.distributions);
        let blank = setting.row(HICCUP, "hiccup-meter", "", "", "ns");
        self.rows.extend(hiccups.rows(&blank, "", ""));
        self.distributions.push(Distribution {
            case: HICCUP.to_owned(),
            subject: "hiccup-meter".to_owned(),
            profile: String::new(),
            metric: "late".to_owned(),
            times: hiccups,
        });
    }
}

/// Who is broken is asked for in every format and in every part.
fn tell_once(lines: &mut Vec<String>) {
    let mut told = BTreeSet::new();
    lines.retain(|line| told.insert(line.clone()));
}

/// The formats of some measures, in the order of tables, each once.
fn formats(measures: &[&Measure], is_wanted: impl Fn(&Measure) -> bool) -> Vec<Format> {
    let is_asked_for = |format: &Format| {
        let mut wanted = measures.iter().filter(|measure| is_wanted(measure));
        wanted.any(|measure| measure.formats().contains(format))
    };
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
