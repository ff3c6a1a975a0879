//! CPU time of encoding and decoding each message in each style, without a network.

use std::collections::BTreeMap;
use std::fmt;

use trunkline_catalogue::commerce::CustomerServices;

use super::{Asked, BATCHES, COMPILED_AS_THEY_RUN, Found, batch, published};
use crate::experiment::{
    Effort, Operation, Outcome, Progress, Settled, Settling, Standing, Subject, Trial,
};
use crate::measure::Setting;
use crate::measure::codec::OPERATIONS;
use crate::subjects::{Contestant, Local, State};
use crate::{answer, format};
use trunkline_bench::row::Row;
use trunkline_bench::statistics::{ComparisonRule, noise_floor};
use trunkline_experiment::definition::MessageCase;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{OVER_OTHER, lead_metric};
use trunkline_experiment::subjects::{
    TRUNKLINE, TRUNKLINE_REUSED, TWIN, is_build, is_reused, other_of,
};

/// Repetitions of one subject with one message in one format.
struct Series {
    subject: String,
    format: Format,
    message: String,
    operation: Operation,
    /// Nanoseconds a message; element i of all series of a message ran side by side.
    samples: Vec<f64>,
    standing: Standing,
}

/// Lets all subjects work on every message, in turns.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Asked<'_>,
    contestants: &mut [Contestant],
    found: &mut Found,
    progress: &mut dyn FnMut(&str, f64),
) {
    let mut all = warm_up(setting, asked, contestants, found, progress);
    dismiss(contestants, &all);
    let batches = if setting.request.is_quick { QUICK_BATCHES } else { BATCHES };
    let stages = asked.cases.len() * OPERATIONS.len() * batches;
    let mut done = 0;
    for case in &asked.cases {
        for operation in OPERATIONS {
            for index in 0..batches {
                let what = format!("{} the {} message", operation.name(), case.name);
                let mut progress = |step: &str, share: f64| {
                    progress(&format!("{what}: {step}"), (done as f64 + share) / stages as f64);
                };
                let stage = Stage { asked, case, operation, index };
                let effort = share_of(&setting.request.effort, index, batches);
                for outcome in stage.run(&effort, contestants, &mut progress) {
                    let Some(series) = Series::of(outcome, case, operation) else { continue };
                    found.faults.extend(series.fault());
                    take(&mut all, series);
                }
                dismiss(contestants, &all);
                done += 1;
            }
        }
    }
    let floor = floor(&all);
    found.noise_floor = floor;
    for series in all.iter().filter(|series| series.subject != TWIN) {
        found.rows.push(series.row(setting));
        found.rows.extend(series.lead(setting, &all, floor));
        found.rows.extend(series.over_other_build(setting, &all));
    }
    for operation in OPERATIONS {
        found.rows.extend(published::rows(setting, asked, operation.name(), "cpu-time", "ns"));
    }
}

/// The noise floor where no codecs are asked for: how much our own differs from itself with the first message in
/// the first format.
pub(super) fn floor_alone(
    setting: &Setting<'_>,
    asked: &Asked<'_>,
    progress: &mut dyn FnMut(f64),
) -> Option<f64> {
    let (case, format) = (asked.cases.first()?, asked.formats.first()?);
    let asked = Asked { formats: vec![*format], cases: vec![case] };
    let mut all = Vec::new();
    for (done, operation) in OPERATIONS.into_iter().enumerate() {
        for index in 0..BATCHES {
            let share = index as f64 / BATCHES as f64;
            progress((done as f64 + share) / OPERATIONS.len() as f64);
            let effort = share_of(&setting.request.effort, index, BATCHES);
            let stage = Stage { asked: &asked, case, operation, index };
            for outcome in stage.run(&effort, &mut [], &mut |_, _| ()) {
                if let Some(series) = Series::of(outcome, case, operation) {
                    take(&mut all, series);
                }
            }
        }
    }
    floor(&all)
}

/// Batches in a quick run: each takes time to load and to check, most of all in other processes.
const QUICK_BATCHES: usize = 2;

/// The repetitions that fall to one batch; at least one.
fn share_of(effort: &Effort, batch: usize, batches: usize) -> Effort {
    let (batch, batches) = (batch as u32, batches as u32);
    let repetitions = (effort.repetitions + batches - 1 - batch) / batches;
    Effort { repetitions: repetitions.max(1), ..effort.clone() }
}

/// Lets those work that compile as they run. Returns who failed, who is not asked again.
fn warm_up(
    setting: &Setting<'_>,
    asked: &Asked<'_>,
    contestants: &mut [Contestant],
    found: &mut Found,
    progress: &mut dyn FnMut(&str, f64),
) -> Vec<Series> {
    let settling = match setting.request.is_quick {
        true => Settling { least: 100, most: 300 },
        false => Settling { least: 200, most: 1_000 },
    };
    let mut failed = Vec::new();
    for Contestant { name, format, state } in contestants {
        let State::Ready { subject, .. } = state else { continue };
        if COMPILED_AS_THEY_RUN.contains(name) && asked.formats.contains(format) {
            progress(&format!("warming up {name}"), 0.0);
            failed.extend(settle(subject.as_mut(), *format, &asked.cases, settling, found));
        }
    }
    failed
}

/// What a sample of those lasts that warm up.
const SETTLING_NANOSECONDS: u64 = 10_000_000;

/// Lets a subject work on each message until all that it runs is compiled. Returns where it failed, if it did.
fn settle(
    subject: &mut dyn Subject,
    format: Format,
    cases: &[&MessageCase],
    settling: Settling,
    found: &mut Found,
) -> Option<Series> {
    let effort = Effort { repetitions: 0, sample_nanoseconds: SETTLING_NANOSECONDS };
    let name = subject.name().to_owned();
    for case in cases {
        let messages = batch(case, 0);
        let corpus = format::corpus(format, &messages).expect("every format carries the records");
        let mut trial = Trial::new();
        trial.enter(Box::new(&mut *subject), &corpus, answer::check(format, &messages));
        for operation in OPERATIONS {
            for (standing, settled) in trial.settle(operation, &effort, settling) {
                let (subject, message) = (name.clone(), case.name.clone());
                let samples = Vec::new();
                let series = Series { subject, format, message, operation, samples, standing };
                found.faults.extend(series.fault());
                found.notes.extend(settled.and_then(|it| series.restless(&it)));
                if !series.standing.is_timed() {
                    return Some(series);
                }
            }
        }
    }
    None
}

/// One operation on one batch of a message.
struct Stage<'a> {
    asked: &'a Asked<'a>,
    case: &'a MessageCase,
    operation: Operation,
    index: usize,
}

impl Stage<'_> {
    fn run(
        &self,
        effort: &Effort,
        contestants: &mut [Contestant],
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Outcome> {
        let messages = batch(self.case, self.index);
        let formats = &self.asked.formats;
        let corpora: BTreeMap<Format, Vec<Vec<u8>>> = formats
            .iter()
            .map(|&format| {
                (format, format::corpus(format, &messages).expect("every format carries it"))
            })
            .collect();
        let mut trial = Trial::new();
        let each = |name| formats.iter().map(move |&format| (name, format));
        let reused = each(TRUNKLINE_REUSED).filter(|_| self.operation == Operation::Decode);
        // The first format takes part twice, to tell the noise.
        let twin = formats.first().map(|&format| (TWIN, format));
        for (name, format) in each(TRUNKLINE).chain(reused).chain(twin) {
            let subject = Local::new(name, format, &messages, CustomerServices::default);
            trial.enter(Box::new(subject), &corpora[&format], answer::check(format, &messages));
        }
        for Contestant { format, state, .. } in contestants.iter_mut() {
            if let State::Ready { subject, .. } = state
                && subject.can(self.operation)
                && let Some(corpus) = corpora.get(format)
            {
                let check = answer::check(*format, &messages);
                trial.enter(Box::new(subject.as_mut()), corpus, check);
            }
        }
        trial.measure(self.operation, effort, &mut |step| match step {
            Progress::Verifying { subject } => progress(&format!("checking {subject}"), 0.0),
            Progress::WarmingUp { subject } => progress(&format!("warming up {subject}"), 0.0),
            Progress::Repetition { number, of } => {
                progress("taking turns", f64::from(number - 1) / f64::from(of));
            }
        })
    }
}

fn take(all: &mut Vec<Series>, one: Series) {
    let is_it = |series: &&mut Series| {
        (series.format, series.operation) == (one.format, one.operation)
            && series.message == one.message
            && series.subject == one.subject
    };
    match all.iter_mut().find(is_it) {
        Some(series) => {
            series.samples.extend(one.samples);
            series.standing = one.standing;
        }
        None => all.push(one),
    }
}

/// A peer that gave a wrong answer or gave up is not asked again.
fn dismiss(contestants: &mut [Contestant], all: &[Series]) {
    for contestant in contestants {
        let is_out = all.iter().any(|series| {
            let is_its = series.subject == contestant.name && series.format == contestant.format;
            is_its && !series.standing.is_timed()
        });
        if is_out {
            contestant.state = State::Absent;
        }
    }
}

/// The largest difference that the same codec showed to itself, as a share.
fn floor(all: &[Series]) -> Option<f64> {
    let twins = all.iter().filter(|series| series.subject == TWIN);
    let floors = twins.filter_map(|twin| {
        let first = twin.beside(all, TRUNKLINE)?;
        noise_floor(&ComparisonRule::default(), &first.samples, &twin.samples)
    });
    floors.max_by(f64::total_cmp)
}

impl fmt::Display for Series {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, format, message, operation, .. } = self;
        let (format, verb) = (format.name(), operation.name());
        write!(out, "{subject} ({format}), {verb} the {message} message")
    }
}

impl Series {
    fn of(outcome: Outcome, case: &MessageCase, operation: Operation) -> Option<Self> {
        let Outcome { name: subject, format, samples, standing, .. } = outcome;
        let (format, message) = (Format::named(&format)?, case.name.clone());
        Some(Self { subject, format, message, operation, samples, standing })
    }

    /// Why it is not timed, in one line.
    fn fault(&self) -> Option<String> {
        let why = self.standing.fault()?;
        Some(format!("{self}: {why}"))
    }

    /// That what it runs was still being compiled when it had to be enough.
    fn restless(&self, settled: &Settled) -> Option<String> {
        let Settled { samples, charged } = settled;
        (!settled.is_settled()).then(|| {
            format!(
                "{self}: after {samples} samples to warm up, other threads still make it \
                 {charged:.2} times what it takes, which is charged"
            )
        })
    }

    /// The same message, format and operation of another subject.
    fn beside<'a>(&self, all: &'a [Self], subject: &str) -> Option<&'a Self> {
        all.iter().find(|other| {
            (other.format, other.operation) == (self.format, self.operation)
                && other.message == self.message
                && other.subject == subject
        })
    }

    fn case(&self) -> String {
        format!("{}-{}", self.operation.name(), self.message)
    }

    fn row(&self, setting: &Setting<'_>) -> Row {
        let profile = self.format.profile();
        let blank = setting.row(&self.case(), &self.subject, &profile, "cpu-time", "ns");
        match self.standing.is_timed() {
            true => blank.bounded(&self.samples),
            false => Row { verdict: self.standing.verdict(), ..blank },
        }
    }

    /// What this build takes over what the other does; None of other subjects.
    fn over_other_build(&self, setting: &Setting<'_>, all: &[Self]) -> Option<Row> {
        let other = self.beside(all, other_of(&self.subject)?)?;
        let (case, profile) = (self.case(), self.format.profile());
        let blank = setting.row(&case, &self.subject, &profile, OVER_OTHER, "x");
        Some(blank.compared(&self.samples, &other.samples, None))
    }

    /// How far ahead of this peer we are; None for ourselves.
    fn lead(&self, setting: &Setting<'_>, all: &[Self], floor: Option<f64>) -> Option<Row> {
        let is_ours = self.subject == TRUNKLINE || is_build(&self.subject);
        let is_peer = !is_ours && !is_reused(&self.subject);
        let ours = self.beside(all, TRUNKLINE).filter(|_| is_peer)?;
        let metric = lead_metric(&self.subject);
        let blank = setting.row(&self.case(), TRUNKLINE, &self.format.profile(), &metric, "x");
        Some(blank.compared(&self.samples, &ours.samples, floor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Sample, SubjectError};
    use crate::measure::service::MESSAGES;

    /// Our own codec, as though other threads took `others` times as long beside it; it fails in one run.
    struct Compiling<S> {
        codec: S,
        others: u64,
        fails_in: u32,
        runs: u32,
    }

    impl<S: Subject> Subject for Compiling<S> {
        fn name(&self) -> &str {
            "metro"
        }

        fn profile(&self) -> &str {
            self.codec.profile()
        }

        fn format(&self) -> &str {
            self.codec.format()
        }

        fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
            self.codec.prepare(corpus)
        }

        fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError> {
            self.codec.echo()
        }

        fn run(&mut self, _: Operation, passes: u32) -> Result<Sample, SubjectError> {
            self.runs += 1;
            if self.runs == self.fails_in {
                return Err("told what cannot be".into());
            }
            let (own, by_others) = (SETTLING_NANOSECONDS, SETTLING_NANOSECONDS * self.others);
            let messages = u64::from(passes) * MESSAGES as u64;
            Ok(Sample { nanoseconds: own + by_others, messages, by_others })
        }
    }

    /// Who failed, and what is told of it.
    fn warmed_up(others: u64, fails_in: u32) -> (Option<Series>, Found) {
        let case = MessageCase { name: "simple".to_owned(), customers: 1, products: 0 };
        let (format, messages) = (Format::NgDocumentLiteral, batch(&case, 0));
        let codec = Local::new(TRUNKLINE, format, &messages, CustomerServices::default);
        let mut subject = Compiling { codec, others, fails_in, runs: 0 };
        let settling = Settling { least: 20, most: 40 };
        let mut found = Found::default();
        let failed = settle(&mut subject, format, &[&case], settling, &mut found);
        (failed, found)
    }

    #[test]
    fn who_fails_while_it_warms_up_is_told_and_not_timed() {
        let (failed, found) = warmed_up(0, 5);
        let failed = failed.expect("it fails in the fifth run");
        let why = "metro (ng-doc-literal), encode the simple message: told what cannot be";
        assert_eq!((&found.faults[..], failed.standing.is_timed()), (&[why.to_owned()][..], false));
        let (failed, found) = warmed_up(0, u32::MAX);
        assert!(failed.is_none() && found.faults.is_empty() && found.notes.is_empty());
    }

    #[test]
    fn who_still_compiles_when_it_is_timed_is_told() {
        let (failed, found) = warmed_up(1, u32::MAX);
        assert!(failed.is_none() && found.faults.is_empty());
        let expected = "metro (ng-doc-literal), encode the simple message: after 40 samples to warm up, other threads \
                        still make it 2.00 times what it takes, which is charged";
        assert_eq!(found.notes.first().map(String::as_str), Some(expected));
        assert_eq!(found.notes.len(), 2, "of encoding and of decoding");
    }
}
