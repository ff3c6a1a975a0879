//! What a middleware is measured by: hops, consumers, slow consumers, throughput, shared memory.
//!
//! Subjects take turns. For each turn the router is started anew and stopped after it, so that no two
//! are there at the same time; programs connect, subscribe, and send probes before anything counts.

mod disk;
mod flood;
mod guaranteed;
mod hops;
mod matching;
mod noise;
mod published;
mod recovery;
mod series;
mod shared;
mod slow;
mod spread;
mod stage;

use std::io;

use super::{Findings, Setting};
use crate::evaluation::Step;
use series::Series;
use stage::{Failure, Market, Stage, Starting};
use trunkline_bench::hiccup::HiccupMeter;
use trunkline_bench::histogram::Times;
use trunkline_bench::row::{Row, Verdict};
use trunkline_demo::component::task::{Published, Received};
use trunkline_demo::component::{self, source};
use trunkline_experiment::definition::{Measure, Turns};
use trunkline_experiment::middleware::{self, Middleware};
use trunkline_experiment::names::{START_UP, TICKS};

/// What has been found, and what rows are made from in the end.
#[derive(Default)]
struct Found {
    findings: Findings,
    series: Vec<Series>,
    start_ups: Vec<StartUp>,
    market: Market,
}

/// What starting a router took, turn by turn.
struct StartUp {
    subject: &'static Middleware,
    nanoseconds: Vec<f64>,
    bytes: Vec<f64>,
}

/// What a measure does with one subject in one turn.
trait Procedure {
    /// How the router is started.
    fn starting(&self) -> Starting;

    /// How messages are counted, in the order of rows; all that a subject that is absent has rows of.
    fn cases(&self) -> Vec<String>;

    /// Who waits how and where, for profiles.
    fn who(&self, subject: &Middleware) -> String;

    /// Measures.
    fn turn(&self, stage: &mut Stage, found: &mut Found) -> Result<(), Failure>;
}

/// Does what the measures ask for.
pub(super) fn run(
    setting: &Setting<'_>,
    measures: &[&Measure],
    progress: &mut dyn FnMut(Step<'_>),
) -> Findings {
    let mut found = Found::default();
    if let Err(error) = found.look_at_ticks(setting) {
        found.findings.faults.push(error.to_string());
        return found.findings;
    }
    // Routers and programs inherit it.
    component::raise_descriptors();
    let meter = HiccupMeter::start();
    if measures.iter().any(|it| it.is_of_traffic() && !matches!(it, Measure::Matching(_))) {
        found.measure_noise(setting, progress);
    }
    for measure in measures {
        found.perform(setting, measure, progress);
    }
    found.end(setting, meter.stop());
    published::add(setting, &mut found.findings.rows);
    found.findings
}

impl Found {
    /// Before anything else, since all verdicts depend on it.
    fn measure_noise(&mut self, setting: &Setting<'_>, progress: &mut dyn FnMut(Step<'_>)) {
        let text = "the bare forwarder against itself";
        let mut progress = |share| progress(Step { part: "noise", text, share });
        match noise::floor(setting, self, &mut progress) {
            Ok(floor) => self.findings.noise_floor = floor,
            Err(Failure::Absent(why) | Failure::Unsupported(why) | Failure::Broken(why)) => {
                self.findings.notes.push(format!("the noise floor was not measured: {why}"));
            }
        }
    }

    /// Does what one measure asks for.
    fn perform(
        &mut self,
        setting: &Setting<'_>,
        measure: &Measure,
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        match measure {
            Measure::Hops(it) => {
                self.contest(setting, &it.turns, &hops::Latency { setting, asked: it }, progress);
            }
            Measure::Spread(it) => {
                self.contest(
                    setting,
                    &it.turns,
                    &spread::Spreading { setting, asked: it },
                    progress,
                );
            }
            Measure::SlowConsumers(it) => {
                self.contest(
                    setting,
                    &it.turns,
                    &slow::Flexibility { setting, asked: it },
                    progress,
                );
            }
            Measure::Flood(it) => {
                self.contest(setting, &it.turns, &flood::Pouring { setting, asked: it }, progress);
            }
            Measure::SharedMemory(it) => {
                for spins in [true, false] {
                    let procedure = shared::Sharing { setting, asked: it, spins };
                    self.contest(setting, &it.turns, &procedure, progress);
                }
            }
            Measure::GuaranteedHops(it) => {
                let procedure = guaranteed::GuaranteedLatency { setting, asked: it };
                self.contest(setting, &it.turns, &procedure, progress);
            }
            Measure::GuaranteedFlood(it) => {
                let procedure = guaranteed::GuaranteedPouring { setting, asked: it };
                self.contest(setting, &it.turns, &procedure, progress);
            }
            Measure::Recovery(it) => {
                for &messages in it.messages(setting.request.is_quick) {
                    let procedure = recovery::Recovering { setting, asked: it, messages };
                    self.contest(setting, &it.turns, &procedure, progress);
                }
            }
            Measure::Disk(it) => {
                let procedure = disk::Syncing { setting, asked: it };
                self.contest(setting, &it.turns, &procedure, progress);
            }
            Measure::Matching(it) => {
                let rows = matching::rows(setting, it, &mut |share| {
                    progress(Step { part: "matching", text: "", share });
                });
                self.findings.rows.extend(rows);
            }
            _ => {}
        }
    }

    /// A row for each stream of ticks, which says where they are from.
    fn look_at_ticks(&mut self, setting: &Setting<'_>) -> io::Result<()> {
        let files: Vec<String> =
            setting.request.ticks.iter().map(|file| file.display().to_string()).collect();
        let ticks = source::ticks(&files)?;
        for (number, stream) in ticks.streams.iter().enumerate() {
            let count = ticks.ticks.iter().filter(|tick| usize::from(tick.stream) == number);
            let profile = if stream.is_real { "real" } else { "generated" };
            self.findings.rows.push(Row {
                value: Some(count.count() as f64),
                ..setting.row(
                    TICKS,
                    &stream.pair,
                    &format!("{profile}: {}", stream.source),
                    "ticks",
                    "ticks",
                )
            });
        }
        self.market = Market { pairs: source::market(&ticks), files };
        Ok(())
    }

    /// Lets the subjects take turns.
    fn contest(
        &mut self,
        setting: &Setting<'_>,
        turns: &Turns,
        procedure: &dyn Procedure,
        progress: &mut dyn FnMut(Step<'_>),
    ) {
        let is_quick = setting.request.is_quick;
        let names = turns.subjects(is_quick).iter();
        let mut subjects: Vec<&'static Middleware> =
            names.filter_map(|name| middleware::named(name)).collect();
        let count = turns.count.unwrap_or(setting.repetitions());
        let cases = procedure.cases();
        let part = cases.first().map_or("", |case| case.split('-').next().unwrap_or_default());
        for turn in 0..count {
            let all = subjects.len();
            let mut out = Vec::new();
            for offset in 0..all {
                let subject = subjects[(offset + turn as usize) % all];
                let share = (turn as usize * all + offset) as f64 / (count as usize * all) as f64;
                progress(Step { part, text: subject.name, share });
                let ended = self.turn(setting, subject, procedure);
                if let Err(failure) = ended {
                    self.dismiss((subject, &cases), &procedure.who(subject), failure);
                    out.push(subject);
                }
            }
            subjects.retain(|subject| !out.contains(subject));
        }
    }

    fn turn(
        &mut self,
        setting: &Setting<'_>,
        subject: &'static Middleware,
        procedure: &dyn Procedure,
    ) -> Result<(), Failure> {
        let mut stage = Stage::open(setting, subject, procedure.starting(), &self.market)?;
        if let Some(version) = stage.version().filter(|_| subject.is_peer()) {
            self.findings.versions.insert(subject.name.to_owned(), version.to_owned());
        }
        if let Some(time) = stage.start_up() {
            self.note_start(&stage, time.as_nanos() as f64);
        }
        procedure.turn(&mut stage, self)
    }

    fn note_start(&mut self, stage: &Stage, nanoseconds: f64) {
        let subject = stage.subject;
        if self.start_ups.iter().all(|it| it.subject != subject) {
            self.start_ups.push(StartUp { subject, nanoseconds: Vec::new(), bytes: Vec::new() });
        }
        let of = self.start_ups.iter_mut().find(|it| it.subject == subject);
        let Some(of) = of else { return };
        of.nanoseconds.push(nanoseconds);
        of.bytes.extend(stage.memory().map(|bytes| bytes as f64));
    }

    /// A subject takes no more part in a measure.
    fn dismiss(
        &mut self,
        (subject, cases): (&'static Middleware, &[String]),
        who: &str,
        failure: Failure,
    ) {
        match failure {
            Failure::Absent(why) | Failure::Unsupported(why) => {
                let line = if why.contains(subject.name) {
                    why
                } else {
                    format!("{}: {why}", subject.name)
                };
                if !self.findings.notes.contains(&line) {
                    self.findings.notes.push(line);
                }
            }
            Failure::Broken(why) => {
                let case = cases.first().map_or("", String::as_str);
                self.findings.faults.push(format!("{}, {case} and on: {why}", subject.name));
            }
        }
        for case in cases {
            let profile = subject.profile(who);
            let series = self.of(case, subject, profile);
            // What was measured before something broke stands.
            if series.is_empty() {
                series.out = Some(Verdict::Absent);
            }
        }
    }

    /// What one subject has in one case.
    fn of(&mut self, case: &str, subject: &'static Middleware, profile: String) -> &mut Series {
        let is_it = |it: &Series| it.case == case && it.subject == subject;
        let index = self.series.iter().position(is_it).unwrap_or_else(|| {
            self.series.push(Series::new(case, subject, profile));
            self.series.len() - 1
        });
        &mut self.series[index]
    }

    /// All that was measured becomes rows.
    fn end(&mut self, setting: &Setting<'_>, hiccups: Times) {
        let series = std::mem::take(&mut self.series);
        for it in &series {
            if let Some(wrong) = &it.wrong {
                self.findings.faults.push(format!("{}, {}: {wrong}", it.subject.name, it.case));
            } else if let Some(lost) = &it.lost {
                let line = format!("{}, {}: {lost}", it.subject.name, it.case);
                // What a broker of others drops is a finding about it; ours drops nothing.
                if it.subject.is_peer() {
                    self.findings.notes.push(line)
                } else {
                    self.findings.faults.push(line)
                }
            }
        }
        self.findings.rows.extend(series::rows(setting, &series, self.findings.noise_floor));
        self.findings.distributions.extend(series.iter().filter_map(Series::distribution));
        for it in &self.start_ups {
            let blank = |metric, unit| {
                setting.row(START_UP, it.subject.name, &it.subject.profile("alone"), metric, unit)
            };
            self.findings.rows.push(blank("start-up-time", "ns").bounded(&it.nanoseconds));
            if !it.bytes.is_empty() {
                self.findings.rows.push(blank("memory", "bytes").bounded(&it.bytes));
            }
        }
        self.findings.hiccups(setting, hiccups);
    }
}

/// Notes what one receiver got of what was meant for it.
fn receive(
    series: &mut Series,
    received: &[&Received],
    (published, expected): (Option<&Published>, u64),
) -> Result<(), Failure> {
    let mut times = Times::default();
    let mut came = 0;
    for it in received {
        times.add(&Times::decoded(&it.latencies)?);
        came += it.messages;
        if it.damaged > 0 || it.disordered > 0 {
            let (damaged, disordered) = (it.damaged, it.disordered);
            let damage = it.damage.as_deref().unwrap_or("the order");
            let what = format!("{disordered} messages out of order, {damaged} damaged: {damage}");
            series.wrong.get_or_insert(what);
        }
    }
    series.add_times(&times);
    if let Some(published) = published {
        let seconds = published.nanoseconds.max(1) as f64 / 1e9;
        series.add("published-per-second", "1/s", published.messages as f64 / seconds);
        if let Some(late) = Times::decoded(&published.late)?.percentile(99.0) {
            series.add("publisher-late-p99", "ns", late as f64);
        }
    }
    series.count("lost", expected.saturating_sub(came));
    Ok(())
}
