//! CPU time of encoding and decoding: tables 3 and 4, figures 10, 11 and 16.

use std::collections::BTreeMap;
use std::fmt;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Record, Structure as _};

use super::Setting;
use crate::experiment::{Effort, Operation, Outcome, Progress, Standing, Subject as _, Trial};
use crate::market_data::{messages, randomised};
use crate::subjects::{self, Contestant, Local, State};
use crate::trading_day::SEED;
use crate::{answer, format};
use trunkline_bench::row::{Row, Verdict};
use trunkline_bench::statistics::{ComparisonRule, Fit, noise_floor};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{CODEC, OVER_OTHER};
use trunkline_experiment::subjects::{
    RECORD_FORMATS, TRUNKLINE, TRUNKLINE_RECORD, TRUNKLINE_REUSED, TWIN, is_variant, other_of,
};

/// What the messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Every entry sets the fields of Figure 3.
    Figure3,
    /// No two entries set the same fields.
    Randomised,
    /// As of Figure 3, and so many that none is left in the caches when its turn comes again.
    Cold,
}

impl Content {
    pub(crate) fn case(self, operation: Operation) -> &'static str {
        match (self, operation) {
            (Self::Figure3, Operation::Encode) => "encode",
            (Self::Figure3, Operation::Decode) => "decode",
            (Self::Randomised, Operation::Encode) => "encode-randomised",
            (Self::Randomised, Operation::Decode) => "decode-randomised",
            (Self::Cold, Operation::Encode) => ENCODE_COLD,
            (Self::Cold, Operation::Decode) => "decode-cold",
        }
    }
}

/// The case of encoding what is not in the caches.
pub(crate) const ENCODE_COLD: &str = "encode-cold";

/// In the order of all that is printed.
pub(crate) const OPERATIONS: [Operation; 2] = [Operation::Encode, Operation::Decode];

/// Repetitions of one subject in one format.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) content: Content,
    pub(crate) operation: Operation,
    /// Nanoseconds a message by entries; element i of all series ran side by side.
    pub(crate) by_entries: BTreeMap<u32, Vec<f64>>,
    /// How the subject stood in the end.
    pub(crate) standing: Standing,
}

impl Series {
    /// The line through the costs by entries, for each repetition. Empty unless the subject
    /// completed every length, or if there was one length only.
    pub(crate) fn fits(&self) -> Vec<Fit> {
        if !self.standing.is_timed() {
            return Vec::new();
        }
        Fit::each(self.by_entries.iter().map(|(entries, samples)| (*entries, &samples[..])))
    }
}

/// All that was measured.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) series: Vec<Series>,
    /// Peers that could not take part: not there, or broken.
    pub(crate) missing: Vec<(&'static str, Format)>,
    /// Version of every peer that took part.
    pub(crate) versions: BTreeMap<String, String>,
    /// What went wrong, a line each.
    pub(crate) faults: Vec<String>,
    /// The largest difference that the same codec showed to itself, as a share.
    pub(crate) noise_floor: Option<f64>,
}

/// Lets all subjects work on messages of every length, then on randomised ones if asked for.
pub(super) fn measure(
    setting: &Setting<'_>,
    formats: &[Format],
    is_randomised: bool,
    progress: &mut dyn FnMut(&str, f64),
) -> Measured {
    progress("starting the peers", 0.0);
    let mut contestants = subjects::contestants(setting.request, formats);
    let mut measured = Measured::default();
    for Contestant { name, format, state } in &contestants {
        match state {
            State::Ready { version, .. } => {
                if !is_variant(name) {
                    measured.versions.insert((*name).to_owned(), version.clone());
                }
                continue;
            }
            State::Absent => {}
            State::Broken(why) => measured.faults.push(why.clone()),
        }
        measured.missing.push((*name, *format));
    }
    let lengths = setting.lengths.iter().map(|&entries| (Content::Figure3, entries));
    let randomised = is_randomised.then_some((Content::Randomised, setting.longest()));
    let stages: Vec<Stage<'_>> = lengths
        .chain(randomised)
        .flat_map(|(content, entries)| {
            OPERATIONS.map(|operation| Stage { formats, content, entries, operation })
        })
        .chain(cold(setting, formats))
        .collect();
    for (index, stage) in stages.iter().enumerate() {
        let mut stage_progress = |what: &str, share: f64| {
            progress(&format!("{stage}: {what}"), (index as f64 + share) / stages.len() as f64);
        };
        for batch in 0..stage.batches() {
            let mut batch_progress = |what: &str, share: f64| {
                stage_progress(what, (batch as f64 + share) / stage.batches() as f64);
            };
            for outcome in stage.run(setting, batch, &mut contestants, &mut batch_progress) {
                measured.take(outcome, stage);
            }
            dismiss(&mut contestants, &measured.series);
        }
    }
    measured.noise_floor = measured.floor(setting.longest());
    measured
}

/// The noise floor where no codecs are asked for: how much our own differs from itself in one of `formats`.
pub(super) fn floor_alone(
    setting: &Setting<'_>,
    formats: &[Format],
    progress: &mut dyn FnMut(f64),
) -> Option<f64> {
    let formats: Vec<Format> = twin(formats).into_iter().collect();
    let (content, entries) = (Content::Figure3, setting.longest());
    let mut measured = Measured::default();
    for (done, operation) in OPERATIONS.into_iter().enumerate() {
        let stage = Stage { formats: &formats, content, entries, operation };
        for batch in 0..stage.batches() {
            let share = batch as f64 / stage.batches() as f64;
            progress((done as f64 + share) / OPERATIONS.len() as f64);
            for outcome in stage.run(setting, batch, &mut [], &mut |_, _| ()) {
                measured.take(outcome, &stage);
            }
        }
    }
    measured.floor(entries)
}

/// Encoding the shortest and the longest messages from memory: enough for a line through the lengths.
fn cold<'a>(setting: &Setting<'_>, formats: &'a [Format]) -> impl Iterator<Item = Stage<'a>> {
    let shortest = setting.lengths.iter().copied().min().filter(|&it| it < setting.longest());
    let lengths = shortest.into_iter().chain([setting.longest()]);
    let (content, operation) = (Content::Cold, Operation::Encode);
    lengths.map(move |entries| Stage { formats, content, entries, operation })
}

/// One operation on messages of one length.
struct Stage<'a> {
    formats: &'a [Format],
    content: Content,
    entries: u32,
    operation: Operation,
}

impl fmt::Display for Stage<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.content {
            Content::Figure3 => "",
            Content::Randomised => "randomised ",
            Content::Cold => "cold ",
        };
        write!(out, "{} {what}messages of {}", self.operation.name(), self.entries)
    }
}

impl Stage<'_> {
    /// What is to be out of the caches is all there at once.
    fn batches(&self) -> usize {
        if self.content == Content::Cold { 1 } else { messages::BATCHES }
    }

    /// Lets all subjects work on the same batch of messages. `progress` is told what goes on and
    /// which share of the batch is done.
    fn run(
        &self,
        setting: &Setting<'_>,
        batch: usize,
        contestants: &mut [Contestant],
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Outcome> {
        let structs = self.messages(setting, batch);
        let effort = share_of(&setting.request.effort, batch, self.batches());
        let records: Vec<Record> = structs.iter().map(Record::from_message).collect();
        let corpora: BTreeMap<Format, Vec<Vec<u8>>> = self
            .formats
            .iter()
            .map(|&format| {
                (format, format::corpus(format, &structs).expect("every format carries it"))
            })
            .collect();
        let mut trial = Trial::new();
        let check = |format| answer::check(format, &structs);
        let each = |name| self.formats.iter().map(move |&format| (name, format));
        let reused = each(TRUNKLINE_REUSED).filter(|_| self.operation == Operation::Decode);
        let twin = twin(self.formats).map(|format| (TWIN, format));
        for (name, format) in each(TRUNKLINE).chain(reused).chain(twin) {
            let empty = MarketDataIncrementalRefresh::default;
            let subject = Local::new(name, format, &structs, empty);
            trial.enter(Box::new(subject), &corpora[&format], check(format));
        }
        for format in RECORD_FORMATS.into_iter().filter(|format| self.formats.contains(format)) {
            let empty = || Record::new(MarketDataIncrementalRefresh::layout());
            let subject = Local::new(TRUNKLINE_RECORD, format, &records, empty);
            trial.enter(Box::new(subject), &corpora[&format], check(format));
        }
        for Contestant { format, state, .. } in contestants.iter_mut() {
            if let State::Ready { subject, .. } = state
                && subject.can(self.operation)
            {
                trial.enter(Box::new(subject.as_mut()), &corpora[format], check(*format));
            }
        }
        trial.measure(self.operation, &effort, &mut |step| match step {
            Progress::Verifying { subject } => progress(&format!("checking {subject}"), 0.0),
            Progress::WarmingUp { subject } => progress(&format!("warming up {subject}"), 0.0),
            Progress::Repetition { number, of } => {
                let share = f64::from(number - 1) / f64::from(of);
                progress(&format!("repetition {number} of {of}"), share);
            }
        })
    }

    /// Every batch takes other messages of the day, as long as the day has more.
    fn messages(&self, setting: &Setting<'_>, batch: usize) -> Vec<MarketDataIncrementalRefresh> {
        let entries = self.entries as usize;
        if self.content == Content::Cold {
            return messages::cold(&setting.request.day, entries);
        }
        let most = messages::timed(self.operation, entries);
        let all = messages::sample(&setting.request.day, entries, most * messages::BATCHES);
        let mut messages: Vec<_> =
            all.iter().skip(batch % all.len()).step_by(messages::BATCHES).cloned().collect();
        if self.content == Content::Randomised {
            randomised::randomise(&mut messages, SEED + batch as u64);
        }
        messages
    }
}

/// The repetitions that fall to one batch; at least one.
fn share_of(effort: &Effort, batch: usize, batches: usize) -> Effort {
    let (batch, batches) = (batch as u32, batches as u32);
    let repetitions = (effort.repetitions + batches - 1 - batch) / batches;
    Effort { repetitions: repetitions.max(1), ..effort.clone() }
}

/// A peer that gave a wrong answer or gave up is not asked again.
fn dismiss(contestants: &mut [Contestant], series: &[Series]) {
    for contestant in contestants {
        let is_out = series.iter().any(|series| {
            let is_its = series.name == contestant.name && series.format == contestant.format;
            is_its && !series.standing.is_timed()
        });
        if is_out {
            contestant.state = State::Absent;
        }
    }
}

impl Measured {
    fn take(&mut self, outcome: Outcome, stage: &Stage<'_>) {
        let Stage { content, entries, operation, .. } = *stage;
        let format = Format::ALL.into_iter().find(|format| format.name() == outcome.format);
        let Some(format) = format else { return };
        if let Some(why) = outcome.standing.fault() {
            self.faults.push(format!("{} ({}), {stage}: {why}", outcome.name, format.name()));
        }
        let found = self.series.iter().position(|series| {
            series.name == outcome.name
                && (series.format, series.content, series.operation) == (format, content, operation)
        });
        let index = found.unwrap_or_else(|| {
            self.series.push(Series {
                name: outcome.name,
                format,
                content,
                operation,
                by_entries: BTreeMap::new(),
                standing: outcome.standing.clone(),
            });
            self.series.len() - 1
        });
        let series = &mut self.series[index];
        series.standing = outcome.standing;
        if series.standing.is_timed() {
            series.by_entries.entry(entries).or_default().extend(outcome.samples);
        }
    }

    /// The series of one subject.
    pub(crate) fn find(
        &self,
        name: &str,
        format: Format,
        content: Content,
        operation: Operation,
    ) -> Option<&Series> {
        self.series.iter().find(|series| {
            series.name == name
                && (series.format, series.content, series.operation) == (format, content, operation)
        })
    }

    fn floor(&self, longest: u32) -> Option<f64> {
        let twin = self.series.iter().find(|series| series.name == TWIN)?.format;
        let floors = OPERATIONS.into_iter().filter_map(|operation| {
            let samples = |name| {
                let series = self.find(name, twin, Content::Figure3, operation)?;
                series.by_entries.get(&longest)
            };
            noise_floor(&ComparisonRule::default(), samples(TRUNKLINE)?, samples(TWIN)?)
        });
        floors.max_by(f64::total_cmp)
    }

    /// Times, what they come to a message and an entry, and what variants save.
    pub(super) fn rows(&self, setting: &Setting<'_>) -> Vec<Row> {
        let mut rows = Vec::new();
        for series in self.series.iter().filter(|series| series.name != TWIN) {
            rows.extend(times(setting, series));
            if series.content != Content::Randomised {
                rows.extend(fitted(setting, series));
            }
            if series.content == Content::Figure3 {
                rows.extend(self.reductions(setting, series));
            }
            rows.extend(self.over_other_build(setting, series));
        }
        rows.extend(self.missing.iter().map(|(name, format)| Row {
            verdict: Verdict::Absent,
            ..setting.row(CODEC, name, &format.profile(), "cpu-time", "ns")
        }));
        rows
    }

    /// What this build takes over what the other does, for each length; nothing of other subjects.
    fn over_other_build(&self, setting: &Setting<'_>, series: &Series) -> Vec<Row> {
        let Series { format, content, operation, .. } = *series;
        let other = other_of(&series.name);
        let Some(other) = other.and_then(|it| self.find(it, format, content, operation)) else {
            return Vec::new();
        };
        let (case, profile) = (content.case(operation), format.profile());
        let blank = setting.row(case, &series.name, &profile, OVER_OTHER, "x");
        let compared = |(entries, samples): (&u32, &Vec<f64>)| {
            let others = other.by_entries.get(entries)?;
            let blank = Row { entries: Some(*entries), ..blank.clone() };
            Some(blank.compared(samples, others, None))
        };
        series.by_entries.iter().filter_map(compared).collect()
    }

    /// What a variant of a format saves of the plain one's time, in percent.
    fn reductions(&self, setting: &Setting<'_>, series: &Series) -> Vec<Row> {
        let plain = series.format.plain().filter(|_| series.name == TRUNKLINE);
        let plain =
            plain.and_then(|plain| self.find(TRUNKLINE, plain, series.content, series.operation));
        let Some(plain) = plain else { return Vec::new() };
        let case = series.content.case(series.operation);
        let blank = setting.row(case, TRUNKLINE, &series.format.profile(), "reduction", "%");
        let lengths = series.by_entries.iter().filter_map(|(entries, samples)| {
            Some((*entries, samples, plain.by_entries.get(entries)?))
        });
        lengths
            .map(|(entries, samples, plain)| {
                let blank = Row { entries: Some(entries), ..blank.clone() };
                blank.reduced(samples, plain)
            })
            .collect()
    }
}

/// The format that takes part twice, to tell the noise.
fn twin(formats: &[Format]) -> Option<Format> {
    formats.iter().copied().find(|&format| format == Format::Fix).or(formats.first().copied())
}

fn times(setting: &Setting<'_>, series: &Series) -> Vec<Row> {
    let case = series.content.case(series.operation);
    let published = setting.request.definition.published(case, "cpu-time", series.format);
    let blank = setting.row(case, &series.name, &series.format.profile(), "cpu-time", "ns");
    let mut rows: Vec<Row> = series
        .by_entries
        .iter()
        .map(|(&entries, samples)| {
            let paper = published.map(|line| line.at(entries));
            Row { entries: Some(entries), paper, ..blank.clone() }.bounded(samples)
        })
        .collect();
    if !series.standing.is_timed() {
        rows.push(Row { verdict: series.standing.verdict(), ..blank });
    }
    rows
}

fn fitted(setting: &Setting<'_>, series: &Series) -> [Row; 2] {
    let case = series.content.case(series.operation);
    let published = setting.request.definition.published(case, "cpu-time", series.format);
    let fits = series.fits();
    let part = |metric, paper, value: fn(&Fit) -> f64| {
        let profile = series.format.profile();
        let blank = Row { paper, ..setting.row(case, &series.name, &profile, metric, "ns") };
        if !series.standing.is_timed() {
            return Row { verdict: series.standing.verdict(), ..blank };
        }
        blank.bounded(&fits.iter().map(value).collect::<Vec<f64>>())
    };
    [
        part("cpu-time-fixed", published.map(|line| line.fixed), |fit| fit.fixed),
        part("cpu-time-per-entry", published.map(|line| line.per_entry), |fit| fit.per_entry),
    ]
}
