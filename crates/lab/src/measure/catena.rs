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
mod program;
mod recovery;
mod series;
mod shared;
mod slow;
mod spread;
mod stage;

use std::io;

use super::series::find_or_add;
use super::{Findings, Setting};
use crate::evaluation::Step;
use crate::turns::take_turns;
use guaranteed::GuaranteedOrders;
use program::{damage, per_second};
use recovery::Recovering;
use series::{Series, Subject};
use shared::Sharing;
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
    /// What starting a router took, and its memory then, turn by turn.
    start_ups: Vec<Series>,
    market: Market,
}

/// A measure that is asked for.
struct Asked<'a, M> {
    setting: &'a Setting<'a>,
    turns: &'a Turns,
    measure: &'a M,
}

impl<M> Asked<'_, M> {
    fn is_quick(&self) -> bool {
        self.setting.request.is_quick
    }

    /// How long each run lasts.
    fn milliseconds(&self) -> u64 {
        self.turns.milliseconds(self.is_quick())
    }
}

/// What a measure does with one subject in one turn.
trait Procedure {
    /// How the router is started.
    fn starting(&self) -> Starting {
        Starting::default()
    }

    /// How messages are counted, in the order of rows; all that a subject that is absent has rows of.
    fn cases(&self) -> Vec<String>;

    /// Who waits how and where, for profiles.
    fn who(&self, subject: &Middleware) -> String;

    /// The profile of rows.
    fn profile(&self, subject: &Middleware) -> String {
        subject.profile(&self.who(subject))
    }

    /// Measures.
    fn turn(&self, stage: &mut Stage<'_>, found: &mut Found) -> Result<(), Failure>;

    /// What one subject has in one case, in which it has come so far now, if not in an earlier turn.
    fn series<'a>(
        &self,
        case: &str,
        subject: &'static Middleware,
        found: &'a mut Found,
    ) -> &'a mut Series {
        let series = found.of(case, subject, self.profile(subject));
        series.out = None;
        series
    }

    /// A subject has nothing in a case; what was measured before stands.
    fn leave_out(&self, case: &str, subject: &'static Middleware, found: &mut Found) {
        let series = found.of(case, subject, self.profile(subject));
        if series.is_empty() {
            series.out = Some(Verdict::Absent);
        }
    }
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
    super::published::beside(setting, &mut found.findings.rows);
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
            Measure::Hops(it) => self.contest(setting, &it.turns, it, progress),
            Measure::Spread(it) => self.contest(setting, &it.turns, it, progress),
            Measure::SlowConsumers(it) => self.contest(setting, &it.turns, it, progress),
            Measure::Flood(it) => self.contest(setting, &it.turns, it, progress),
            Measure::SharedMemory(it) => {
                for spins in [true, false] {
                    let sharing = Sharing { asked: it, spins };
                    self.contest(setting, &it.turns, &sharing, progress);
                }
            }
            Measure::GuaranteedHops(it) => {
                self.contest(setting, &it.turns, &GuaranteedOrders(it), progress);
            }
            Measure::GuaranteedFlood(it) => self.contest(setting, &it.turns, it, progress),
            Measure::Recovery(it) => {
                for &messages in it.messages(setting.request.is_quick) {
                    let recovering = Recovering { asked: it, messages };
                    self.contest(setting, &it.turns, &recovering, progress);
                }
            }
            Measure::Disk(it) => self.contest(setting, &it.turns, it, progress),
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
            let profile = format!("{profile}: {}", stream.source);
            self.findings.rows.push(Row {
                value: Some(count.count() as f64),
                ..setting.row(TICKS, &stream.pair, &profile, "ticks", "ticks")
            });
        }
        self.market = Market { pairs: source::market(&ticks), files };
        Ok(())
    }

    /// Lets the subjects take turns.
    fn contest<'a, M>(
        &mut self,
        setting: &'a Setting<'a>,
        turns: &'a Turns,
        measure: &'a M,
        progress: &mut dyn FnMut(Step<'_>),
    ) where
        Asked<'a, M>: Procedure,
    {
        let procedure = Asked { setting, turns, measure };
        let names = turns.subjects(procedure.is_quick()).iter();
        let mut subjects: Vec<&'static Middleware> =
            names.filter_map(|name| middleware::named(name)).collect();
        let count = turns.count.unwrap_or(setting.repetitions());
        let cases = procedure.cases();
        let part = cases.first().map_or("", |case| case.split('-').next().unwrap_or_default());
        for turn in 0..count {
            let (all, mut done, mut out) = (subjects.len() as f64, 0.0, Vec::new());
            take_turns(&mut subjects, turn, |&mut subject| {
                let share = (f64::from(turn) + done / all) / f64::from(count);
                progress(Step { part, text: subject.name, share });
                done += 1.0;
                if let Err(failure) = self.turn(setting, subject, &procedure) {
                    self.dismiss(subject, &procedure, failure);
                    out.push(subject);
                }
            });
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
            let profile = subject.profile("alone");
            let series = series_of(&mut self.start_ups, START_UP, subject, profile);
            series.add("start-up-time", "ns", time.as_nanos() as f64);
            series.add("memory", "bytes", stage.memory());
        }
        procedure.turn(&mut stage, self)
    }

    /// A subject takes no more part in a measure.
    fn dismiss(
        &mut self,
        subject: &'static Middleware,
        procedure: &dyn Procedure,
        failure: Failure,
    ) {
        let name = subject.name;
        let cases = procedure.cases();
        match failure {
            Failure::Absent(why) | Failure::Unsupported(why) => {
                let line = if why.contains(name) { why } else { format!("{name}: {why}") };
                if !self.findings.notes.contains(&line) {
                    self.findings.notes.push(line);
                }
            }
            Failure::Broken(why) => {
                let case = cases.first().map_or("", String::as_str);
                self.findings.faults.push(format!("{name}, {case} and on: {why}"));
            }
        }
        cases.iter().for_each(|case| procedure.leave_out(case, subject, self));
    }

    /// What one subject has in one case.
    fn of(&mut self, case: &str, subject: &'static Middleware, profile: String) -> &mut Series {
        series_of(&mut self.series, case, subject, profile)
    }

    /// All that was measured becomes rows.
    fn end(&mut self, setting: &Setting<'_>, hiccups: Times) {
        let Self { findings, series, start_ups, .. } = self;
        for it in series.iter() {
            let Some((verdict, what)) = &it.of.fault else { continue };
            let line = format!("{}, {}: {what}", it.subject, it.case);
            // What a broker of others drops is a finding about it; ours drops nothing.
            if *verdict == Verdict::Lost && it.of.middleware.is_peer() {
                findings.notes.push(line)
            } else {
                findings.faults.push(line)
            }
        }
        findings.rows.extend(series::rows(setting, series, findings.noise_floor));
        findings
            .distributions
            .extend(series.iter().filter_map(|it| it.distribution(setting, "latency")));
        findings.rows.extend(start_ups.iter().flat_map(|it| it.medians(setting)));
        findings.hiccups(setting, hiccups);
    }
}

fn series_of<'a>(
    all: &'a mut Vec<Series>,
    case: &str,
    middleware: &'static Middleware,
    profile: String,
) -> &'a mut Series {
    let is_it = |it: &Series| it.case == case && it.of.middleware == middleware;
    find_or_add(all, is_it, || {
        Series::new(Subject { middleware, fault: None }, case, middleware.name, profile)
    })
}

/// Notes what one receiver got of what was meant for it.
fn receive(
    series: &mut Series,
    received: &[&Received],
    (published, expected): (Option<&Published>, u64),
) -> Result<(), Failure> {
    let mut times = Times::default();
    for it in received {
        times.add(&Times::decoded(&it.latencies)?);
        series.note_wrong(damage(it));
    }
    series.add_times(&times);
    if let Some(published) = published {
        let per_second = per_second(published.messages, published.nanoseconds);
        series.add("published-per-second", "1/s", per_second);
        let late = Times::decoded(&published.late)?.percentile(99.0);
        series.add("publisher-late-p99", "ns", late.map(|late| late as f64));
    }
    let came: u64 = received.iter().map(|it| it.messages).sum();
    series.count("lost", expected.saturating_sub(came));
    Ok(())
}
