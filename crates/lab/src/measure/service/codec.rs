//! CPU time of encoding and decoding each message in each style, without a network.

use std::collections::BTreeMap;

use trunkline_catalogue::commerce::CustomerServices;

use super::{Asked, BATCHES, COMPILED_AS_THEY_RUN, Found, batch, published};
use crate::comparison::lead_metric;
use crate::definition::MessageCase;
use crate::experiment::{Effort, Operation, Outcome, Progress, Standing, Subject as _, Trial};
use crate::format::Format;
use crate::measure::Setting;
use crate::measure::codec::OPERATIONS;
use crate::row::Row;
use crate::statistics::{ComparisonRule, noise_floor};
use crate::subjects::{Contestant, Local, State, TRUNKLINE, TRUNKLINE_REUSED, TWIN, is_reused};
use crate::{answer, experiment};

/// The case of rows about peers that took no part.
pub(crate) const CODEC: &str = crate::measure::codec::CODEC;

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
    warm_up(setting, asked, contestants, progress);
    let mut all: Vec<Series> = Vec::new();
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
                    take(&mut all, outcome, &stage, &mut found.faults);
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
    }
    for operation in OPERATIONS {
        found.rows.extend(published::rows(setting, asked, operation.name(), "cpu-time", "ns"));
    }
}

/// Batches in a quick run: each takes time to load and to check, most of all in other processes.
const QUICK_BATCHES: usize = 2;

/// The repetitions that fall to one batch; at least one.
fn share_of(effort: &Effort, batch: usize, batches: usize) -> Effort {
    let (batch, batches) = (batch as u32, batches as u32);
    let repetitions = (effort.repetitions + batches - 1 - batch) / batches;
    Effort { repetitions: repetitions.max(1), ..effort.clone() }
}

/// A second of work a format and operation, a tenth for a quick look.
fn warm_up(
    setting: &Setting<'_>,
    asked: &Asked<'_>,
    contestants: &mut [Contestant],
    progress: &mut dyn FnMut(&str, f64),
) {
    let Some(case) = asked.cases.last() else { return };
    let sample_nanoseconds = if setting.request.is_quick { 100_000_000 } else { 1_000_000_000 };
    let effort = Effort { repetitions: 0, sample_nanoseconds };
    for Contestant { name, format, state } in contestants {
        let State::Ready { subject, .. } = state else { continue };
        if !COMPILED_AS_THEY_RUN.contains(name) || !asked.formats.contains(format) {
            continue;
        }
        progress(&format!("warming up {name}"), 0.0);
        let messages = batch(case, 0);
        let corpus = format.corpus(&messages).expect("every format carries the records");
        let mut trial = Trial::new();
        trial.enter(Box::new(subject.as_mut()), &corpus, answer::check(*format, &messages));
        for operation in OPERATIONS {
            // What goes wrong here goes wrong again below, where it is told.
            let _: Vec<Outcome> = trial.measure(operation, &effort, &mut |_| {});
        }
    }
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
            .map(|&format| (format, format.corpus(&messages).expect("every format carries it")))
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

fn take(
    all: &mut Vec<Series>,
    outcome: experiment::Outcome,
    stage: &Stage<'_>,
    faults: &mut Vec<String>,
) {
    let Some(format) = Format::named(&outcome.format) else { return };
    let (message, operation) = (&stage.case.name, stage.operation);
    if let Some(why) = outcome.standing.fault() {
        let (subject, format, verb) = (&outcome.name, format.name(), operation.name());
        faults.push(format!("{subject} ({format}), {verb} the {message} message: {why}"));
    }
    let is_it = |series: &&mut Series| {
        (series.format, series.operation) == (format, operation)
            && series.message == *message
            && series.subject == outcome.name
    };
    match all.iter_mut().find(is_it) {
        Some(series) => {
            series.samples.extend(outcome.samples);
            series.standing = outcome.standing;
        }
        None => all.push(Series {
            subject: outcome.name,
            format,
            message: message.clone(),
            operation,
            samples: outcome.samples,
            standing: outcome.standing,
        }),
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

impl Series {
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

    /// How far ahead of this peer we are; None for ourselves.
    fn lead(&self, setting: &Setting<'_>, all: &[Self], floor: Option<f64>) -> Option<Row> {
        let is_peer = self.subject != TRUNKLINE && !is_reused(&self.subject);
        let ours = self.beside(all, TRUNKLINE).filter(|_| is_peer)?;
        let metric = lead_metric(&self.subject);
        let blank = setting.row(&self.case(), TRUNKLINE, &self.format.profile(), &metric, "x");
        Some(blank.compared(&self.samples, &ours.samples, floor))
    }
}
