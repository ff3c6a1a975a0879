//! CPU time of encoding and decoding, without a network: tables 3 and 4 and figures 10, 11 and 16 of Kohlhoff and
//! Steele, section 4.4 of Ng, Chen and Greenfield.

pub(crate) mod ratios;

use std::collections::BTreeMap;

use trunkline_message::{FieldValue as _, Record, Structure as _};

use super::{Findings, Setting, published};
use crate::experiment::{
    Effort, Operation, Outcome, Progress, Settled, Settling, Subject, SubjectStatus, Trial,
};
use crate::scenario::{Content, OPERATIONS, Scenario, Stage};
use crate::subjects::{Contestant, Local, State};
use crate::{answer, format};
use trunkline_bench::row::Row;
use trunkline_bench::statistics::{ComparisonRule, Fit, noise_floor};
use trunkline_experiment::definition::Measure;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::OVER_OTHER;
use trunkline_experiment::subjects::{
    RECORD_FORMATS, TRUNKLINE, TRUNKLINE_RECORD, TRUNKLINE_REUSED, TWIN, is_build, is_variant,
    other_of,
};

/// Toolkits that compile what is often used while they run: they get to do so before the clock runs.
pub(super) const COMPILED_AS_THEY_RUN: [&str; 4] = ["metro", "cxf", "axis", "asmx"];

/// Repetitions of one subject with one content in one format.
pub(crate) struct Series {
    pub(crate) subject: String,
    pub(crate) format: Format,
    pub(crate) content: Content,
    pub(crate) operation: Operation,
    /// Nanoseconds a message by entries; element i of all series of a content ran side by side.
    pub(crate) by_entries: BTreeMap<Option<u32>, Vec<f64>>,
    /// How the subject stood in the end.
    pub(crate) status: SubjectStatus,
}

/// All that was timed.
#[derive(Default)]
pub(crate) struct Timed {
    pub(crate) series: Vec<Series>,
    /// The largest difference that the same codec showed to itself, as a share.
    pub(crate) noise_floor: Option<f64>,
}

/// Who times what with which messages.
struct Contest<'a, S> {
    setting: &'a Setting<'a>,
    scenario: &'a S,
    formats: &'a [Format],
}

/// Lets all subjects work on the messages that `measures` ask for, in turns.
pub(super) fn measure<S: Scenario>(
    setting: &Setting<'_>,
    scenario: &S,
    (measures, formats): (&[&Measure], &[Format]),
    contestants: &mut [Contestant],
    findings: &mut Findings,
    progress: &mut dyn FnMut(&str, f64),
) {
    let contest = Contest { setting, scenario, formats };
    let contents = scenario.timed(measures);
    let series = contest.warm_up(&contents, contestants, findings, progress);
    let mut timed = Timed { series, noise_floor: None };
    dismiss(contestants, &timed.series);
    let stages: Vec<Stage<'_>> = contents.iter().flat_map(stages).collect();
    for (index, &stage) in stages.iter().enumerate() {
        let batches = stage.content.batches;
        for batch in 0..batches {
            let mut progress = |what: &str, share: f64| {
                let share = index as f64 + (batch as f64 + share) / batches as f64;
                progress(&format!("{stage}: {what}"), share / stages.len() as f64);
            };
            for outcome in contest.run(stage, batch, contestants, &mut progress) {
                timed.take(outcome, stage, findings);
            }
            dismiss(contestants, &timed.series);
        }
    }
    timed.noise_floor = timed.floor();
    findings.noise_floor = timed.noise_floor;
    findings.rows.extend(timed.rows(setting));
    findings.rows.extend(ratios::rows(setting, &timed));
    for operation in OPERATIONS.map(Operation::name) {
        let about = (operation, "cpu-time", "ns");
        findings.rows.extend(published::rows(setting, (&contents, formats), about));
    }
}

/// The noise floor where no codecs are asked for: how much our own differs from itself in one of `formats`, with
/// the first content of the scenario.
pub(super) fn floor_alone<S: Scenario>(
    setting: &Setting<'_>,
    scenario: &S,
    (measures, formats): (&[&Measure], &[Format]),
    progress: &mut dyn FnMut(f64),
) -> Option<f64> {
    let formats: Vec<Format> = twin(formats).into_iter().collect();
    let contest = Contest { setting, scenario, formats: &formats };
    let content = scenario.timed(measures).into_iter().find(|content| content.is_plain)?;
    let entries = content.longest();
    let mut timed = Timed::default();
    for (done, operation) in OPERATIONS.into_iter().enumerate() {
        let stage = Stage { content: &content, entries, operation };
        for batch in 0..content.batches {
            let share = batch as f64 / content.batches as f64;
            progress((done as f64 + share) / OPERATIONS.len() as f64);
            for outcome in contest.run(stage, batch, &mut [], &mut |_, _| ()) {
                timed.take(outcome, stage, &mut Findings::default());
            }
        }
    }
    timed.floor()
}

/// The format that takes part twice, to tell the noise.
fn twin(formats: &[Format]) -> Option<Format> {
    formats.iter().copied().find(|&format| format == Format::Fix).or(formats.first().copied())
}

/// All that is timed with one content, in order.
fn stages(content: &Content) -> impl Iterator<Item = Stage<'_>> {
    content.lengths.iter().flat_map(move |&entries| {
        content.operations.iter().map(move |&operation| Stage { content, entries, operation })
    })
}

/// The repetitions that fall to one batch; at least one.
fn share_of(effort: &Effort, batch: usize, batches: usize) -> Effort {
    let (batch, batches) = (batch as u32, batches as u32);
    let repetitions = (effort.repetitions + batches - 1 - batch) / batches;
    Effort { repetitions: repetitions.max(1), ..effort.clone() }
}

/// A peer that gave a wrong answer or gave up is not asked again.
fn dismiss(contestants: &mut [Contestant], all: &[Series]) {
    for contestant in contestants {
        let is_out = all.iter().any(|series| {
            let is_its = series.subject == contestant.name && series.format == contestant.format;
            is_its && !series.status.is_timed()
        });
        if is_out {
            contestant.state = State::Absent;
        }
    }
}

impl<S: Scenario> Contest<'_, S> {
    /// Lets all subjects work on the same batch of messages. `progress` is told what goes on and
    /// which share of the batch is done.
    fn run(
        &self,
        stage: Stage<'_>,
        batch: usize,
        contestants: &mut [Contestant],
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Outcome> {
        let Self { setting, scenario, formats } = *self;
        let structs = scenario.batch(stage, batch);
        let effort = share_of(&setting.request.effort, batch, stage.content.batches);
        let of_records = || RECORD_FORMATS.into_iter().filter(|format| formats.contains(format));
        let records: Vec<Record> = match of_records().next() {
            Some(_) => structs.iter().map(Record::from_message).collect(),
            None => Vec::new(),
        };
        let corpora: BTreeMap<Format, Vec<Vec<u8>>> = formats
            .iter()
            .map(|&format| {
                (format, format::corpus(format, &structs).expect("every format carries it"))
            })
            .collect();
        let mut trial = Trial::new();
        let check = |format| answer::check(format, &structs);
        let each = |name| formats.iter().map(move |&format| (name, format));
        let reused = each(TRUNKLINE_REUSED).filter(|_| stage.operation == Operation::Decode);
        let twin = twin(formats).map(|format| (TWIN, format));
        for (name, format) in each(TRUNKLINE).chain(reused).chain(twin) {
            let subject = Local::new(name, format, &structs, S::Message::empty);
            trial.enter(Box::new(subject), &corpora[&format], check(format));
        }
        for format in of_records() {
            let empty = || Record::new(S::Message::layout());
            let subject = Local::new(TRUNKLINE_RECORD, format, &records, empty);
            trial.enter(Box::new(subject), &corpora[&format], check(format));
        }
        for Contestant { format, state, .. } in contestants.iter_mut() {
            if let State::Ready { subject, .. } = state
                && subject.can(stage.operation)
                && let Some(corpus) = corpora.get(format)
            {
                trial.enter(Box::new(subject.as_mut()), corpus, check(*format));
            }
        }
        trial.measure(stage.operation, &effort, &mut |step| match step {
            Progress::Verifying { subject } => progress(&format!("checking {subject}"), 0.0),
            Progress::WarmingUp { subject } => progress(&format!("warming up {subject}"), 0.0),
            Progress::Repetition { number, of } => {
                let share = f64::from(number - 1) / f64::from(of);
                progress(&format!("repetition {number} of {of}"), share);
            }
        })
    }

    /// Lets those work that compile as they run. Returns who failed, who is not asked again.
    fn warm_up(
        &self,
        contents: &[Content],
        contestants: &mut [Contestant],
        findings: &mut Findings,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Series> {
        let settling = match self.setting.request.is_quick {
            true => Settling { least: 100, most: 300 },
            false => Settling { least: 200, most: 1_000 },
        };
        let mut failed = Vec::new();
        for Contestant { name, format, state } in contestants {
            let State::Ready { subject, .. } = state else { continue };
            if COMPILED_AS_THEY_RUN.contains(name) && self.formats.contains(format) {
                progress(&format!("warming up {name}"), 0.0);
                let subject = subject.as_mut();
                failed.extend(settle(
                    self.scenario,
                    subject,
                    *format,
                    contents,
                    settling,
                    findings,
                ));
            }
        }
        failed
    }
}

/// What a sample of those lasts that warm up.
const SETTLING_NANOSECONDS: u64 = 10_000_000;

/// Lets a subject work on each content until all that it runs is compiled. Returns where it failed, if it did.
fn settle<S: Scenario>(
    scenario: &S,
    subject: &mut dyn Subject,
    format: Format,
    contents: &[Content],
    settling: Settling,
    findings: &mut Findings,
) -> Option<Series> {
    let effort = Effort { repetitions: 0, sample_nanoseconds: SETTLING_NANOSECONDS };
    let name = subject.name().to_owned();
    for content in contents {
        let entries = content.longest();
        let at = |operation| Stage { content, entries, operation };
        let messages = scenario.batch(at(OPERATIONS[0]), 0);
        let corpus = format::corpus(format, &messages).expect("every format carries it");
        let mut trial = Trial::new();
        trial.enter(Box::new(&mut *subject), &corpus, answer::check(format, &messages));
        for &operation in content.operations {
            for (status, settled) in trial.settle(operation, &effort, settling) {
                let (is_timed, stage) = (status.is_timed(), at(operation));
                findings.faults.extend(fault(&name, format, stage, &status));
                findings.notes.extend(settled.and_then(|it| restless(&name, format, stage, &it)));
                if !is_timed {
                    return Some(Series::new(&name, format, stage, status));
                }
            }
        }
    }
    None
}

/// Why a subject is not timed, in one line.
fn fault(name: &str, format: Format, stage: Stage<'_>, status: &SubjectStatus) -> Option<String> {
    let why = status.fault()?;
    Some(format!("{name} ({}), {stage}: {why}", format.name()))
}

/// That what a subject runs was still being compiled when it had to be enough.
fn restless(name: &str, format: Format, stage: Stage<'_>, settled: &Settled) -> Option<String> {
    let Settled { samples, charged } = settled;
    (!settled.is_settled()).then(|| {
        format!(
            "{name} ({}), {stage}: after {samples} samples to warm up, other threads still make it \
             {charged:.2} times what it takes, which is charged",
            format.name()
        )
    })
}

impl Series {
    /// Without a time as yet.
    fn new(subject: &str, format: Format, stage: Stage<'_>, status: SubjectStatus) -> Self {
        Self {
            subject: subject.to_owned(),
            format,
            content: stage.content.clone(),
            operation: stage.operation,
            by_entries: BTreeMap::new(),
            status,
        }
    }

    /// The case of its rows.
    pub(crate) fn case(&self) -> String {
        self.content.case(self.operation.name())
    }

    /// The line through the costs by entries, for each repetition. Empty unless the subject
    /// completed every length, or if there was one length only.
    pub(crate) fn fits(&self) -> Vec<Fit> {
        if !self.status.is_timed() {
            return Vec::new();
        }
        let by_entries = self.by_entries.iter();
        Fit::each(by_entries.filter_map(|(entries, samples)| Some(((*entries)?, &samples[..]))))
    }

    /// Its samples and those of another of the same case at each length that both have.
    fn beside<'a>(
        &'a self,
        other: Option<&'a Self>,
    ) -> impl Iterator<Item = (Option<u32>, &'a [f64], &'a [f64])> {
        let of_other = move |entries| other?.by_entries.get(entries);
        let both = self.by_entries.iter();
        both.filter_map(move |(entries, own)| Some((*entries, &own[..], &of_other(entries)?[..])))
    }

    /// A row of what it took, without a value.
    fn blank(&self, setting: &Setting<'_>, metric: &str, unit: &str) -> Row {
        setting.row(&self.case(), &self.subject, &self.format.profile(), metric, unit)
    }

    fn times(&self, setting: &Setting<'_>) -> Vec<Row> {
        let published = setting.request.definition.published(&self.case(), "cpu-time", self.format);
        let blank = self.blank(setting, "cpu-time", "ns");
        let mut rows: Vec<Row> = self
            .by_entries
            .iter()
            .map(|(&entries, samples)| {
                let paper = published.zip(entries).map(|(line, entries)| line.at(entries));
                Row { entries, paper, ..blank.clone() }.bounded(samples)
            })
            .collect();
        if !self.status.is_timed() {
            rows.push(Row { verdict: self.status.verdict(), ..blank });
        }
        rows
    }

    fn fitted(&self, setting: &Setting<'_>) -> [Row; 2] {
        let published = setting.request.definition.published(&self.case(), "cpu-time", self.format);
        let fits = self.fits();
        let part = |metric, paper, value: fn(&Fit) -> f64| {
            let blank = Row { paper, ..self.blank(setting, metric, "ns") };
            if !self.status.is_timed() {
                return Row { verdict: self.status.verdict(), ..blank };
            }
            blank.bounded(&fits.iter().map(value).collect::<Vec<f64>>())
        };
        [
            part("cpu-time-fixed", published.map(|line| line.fixed), |fit| fit.fixed),
            part("cpu-time-per-entry", published.map(|line| line.per_entry), |fit| fit.per_entry),
        ]
    }
}

impl Timed {
    fn take(&mut self, outcome: Outcome, stage: Stage<'_>, findings: &mut Findings) {
        let Outcome { name, format, samples, status, .. } = outcome;
        let Some(format) = Format::named(&format) else { return };
        findings.faults.extend(fault(&name, format, stage, &status));
        let is_its = |series: &Series| {
            series.subject == name
                && (series.format, series.operation) == (format, stage.operation)
                && series.content.name == stage.content.name
        };
        let index = self.series.iter().position(is_its).unwrap_or_else(|| {
            self.series.push(Series::new(&name, format, stage, status.clone()));
            self.series.len() - 1
        });
        let series = &mut self.series[index];
        series.status = status;
        if series.status.is_timed() {
            series.by_entries.entry(stage.entries).or_default().extend(samples);
        }
    }

    /// What this subject took in this case.
    pub(crate) fn find(&self, subject: &str, format: Format, case: &str) -> Option<&Series> {
        let mut of_subject = self
            .series
            .iter()
            .filter(|series| series.format == format && series.subject == subject);
        of_subject.find(|series| series.case() == case)
    }

    fn floor(&self) -> Option<f64> {
        let is_twin = |series: &&Series| series.subject == TWIN && series.content.is_plain;
        let floors = self.series.iter().filter(is_twin).filter_map(|twin| {
            let first = self.find(TRUNKLINE, twin.format, &twin.case())?;
            let samples = |series: &Series| series.by_entries.get(&twin.content.longest()).cloned();
            noise_floor(&ComparisonRule::default(), &samples(first)?, &samples(twin)?)
        });
        floors.max_by(f64::total_cmp)
    }

    /// Times, what they come to a message and an entry, and what variants save.
    fn rows(&self, setting: &Setting<'_>) -> Vec<Row> {
        let mut rows = Vec::new();
        for series in self.series.iter().filter(|series| series.subject != TWIN) {
            rows.extend(series.times(setting));
            if series.content.is_fitted {
                rows.extend(series.fitted(setting));
            }
            if series.content.is_plain {
                rows.extend(self.reductions(setting, series));
            }
            rows.extend(self.over_other_build(setting, series));
        }
        rows
    }

    /// What this build takes over what the other does, for each length; nothing of other subjects.
    fn over_other_build(&self, setting: &Setting<'_>, series: &Series) -> Vec<Row> {
        let other = other_of(&series.subject);
        let other = other.and_then(|it| self.find(it, series.format, &series.case()));
        let blank = series.blank(setting, OVER_OTHER, "x");
        let both = series.beside(other);
        both.map(|(entries, samples, others)| {
            Row { entries, ..blank.clone() }.compared(samples, others, None)
        })
        .collect()
    }

    /// What a variant of a format saves of the plain one's time, in percent.
    fn reductions(&self, setting: &Setting<'_>, series: &Series) -> Vec<Row> {
        let is_asked = !is_variant(&series.subject) && !is_build(&series.subject);
        let plain = series.format.plain().filter(|_| is_asked);
        let plain = plain.and_then(|plain| self.find(&series.subject, plain, &series.case()));
        let blank = series.blank(setting, "reduction", "%");
        let both = series.beside(plain);
        both.map(|(entries, samples, plain)| {
            Row { entries, ..blank.clone() }.reduced(samples, plain)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use trunkline_catalogue::commerce::CustomerServices;

    use super::*;
    use crate::customer_services::{CustomerRecords, MESSAGES};
    use crate::experiment::{Sample, SubjectError};
    use trunkline_experiment::definition::MessageCase;

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
    fn warmed_up(others: u64, fails_in: u32) -> (Option<Series>, Findings) {
        let cases = [MessageCase { name: "simple".to_owned(), customers: 1, products: 0 }];
        let scenario = CustomerRecords { cases: &cases, is_quick: true };
        let (format, contents) = (Format::NgDocumentLiteral, [Content::new("simple", &[None], 1)]);
        let stage = Stage { content: &contents[0], entries: None, operation: Operation::Encode };
        let messages = scenario.batch(stage, 0);
        let codec = Local::new(TRUNKLINE, format, &messages, CustomerServices::default);
        let mut subject = Compiling { codec, others, fails_in, runs: 0 };
        let settling = Settling { least: 20, most: 40 };
        let mut found = Findings::default();
        let failed = settle(&scenario, &mut subject, format, &contents, settling, &mut found);
        (failed, found)
    }

    #[test]
    fn who_fails_while_it_warms_up_is_told_and_not_timed() {
        let (failed, found) = warmed_up(0, 5);
        let failed = failed.expect("it fails in the fifth run");
        let why = "metro (ng-doc-literal), encode the simple message: told what cannot be";
        assert_eq!((&found.faults[..], failed.status.is_timed()), (&[why.to_owned()][..], false));
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
