//! CPU time of encoding and decoding: tables 3 and 4, figures 10, 11 and 16.

use std::collections::BTreeMap;
use std::fmt;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::{Record, Structure as _};

use super::format::Format;
use super::subjects::{self, Contestant, Local, State, TRUNKLINE, TRUNKLINE_RECORD, TWIN};
use super::{CODEC, LONGEST, answer, messages, randomised, row};
use crate::evaluation::{Request, Step, TRADING_DAY_SEED};
use crate::experiment::{Effort, Operation, Outcome, Progress, Standing, Subject as _, Trial};
use crate::paper::kohlhoff::{DECODING, ENCODING, Line};
use crate::row::{Row, Verdict};
use crate::statistics::{ComparisonRule, Fit, noise_floor};

/// What the messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Every entry sets the fields of Figure 3.
    Figure3,
    /// No two entries set the same fields.
    Randomised,
}

impl Content {
    pub(super) fn case(self, operation: Operation) -> &'static str {
        match (self, operation) {
            (Self::Figure3, Operation::Encode) => "encode",
            (Self::Figure3, Operation::Decode) => "decode",
            (Self::Randomised, Operation::Encode) => "encode-randomised",
            (Self::Randomised, Operation::Decode) => "decode-randomised",
        }
    }
}

/// Encoding is table 3, decoding table 4: so in all that is printed.
pub(super) const OPERATIONS: [Operation; 2] = [Operation::Encode, Operation::Decode];

/// Repetitions of one subject in one format.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) content: Content,
    pub(super) operation: Operation,
    /// Nanoseconds a message by entries; element i of all series ran side by side.
    pub(super) by_entries: BTreeMap<u32, Vec<f64>>,
    /// How the subject stood in the end.
    pub(super) standing: Standing,
}

impl Series {
    /// The line through the costs by entries, for each repetition. Empty unless the subject
    /// completed every length, or if there was one length only.
    pub(super) fn fits(&self) -> Vec<Fit> {
        let repetitions = self.by_entries.values().map(Vec::len).min().unwrap_or(0);
        let fit = |repetition: usize| {
            let points = self.by_entries.iter();
            let points: Vec<(f64, f64)> = points
                .map(|(entries, samples)| (f64::from(*entries), samples[repetition]))
                .collect();
            Fit::of(&points)
        };
        if !self.standing.is_timed() {
            return Vec::new();
        }
        (0..repetitions).map_while(fit).collect()
    }
}

/// All that was measured.
pub(super) struct Measured {
    pub(super) series: Vec<Series>,
    /// Peers that could not take part: not there, or broken.
    pub(super) missing: Vec<(&'static str, Format)>,
    /// Version of every peer that took part.
    pub(super) versions: BTreeMap<String, String>,
    /// What went wrong, a line each.
    pub(super) faults: Vec<String>,
    /// The largest difference that the same codec showed to itself, as a share.
    pub(super) noise_floor: Option<f64>,
}

/// Lets all subjects work on messages of every length, then on randomised ones.
pub(super) fn measure(
    request: &Request,
    lengths: &[u32],
    progress: &mut dyn FnMut(Step<'_>),
) -> Measured {
    progress(Step { part: CODEC, text: "starting the peers", share: 0.0 });
    let mut contestants = subjects::contestants(&request.peers);
    let mut measured = Measured {
        series: Vec::new(),
        missing: Vec::new(),
        versions: BTreeMap::new(),
        faults: Vec::new(),
        noise_floor: None,
    };
    for Contestant { known, format, state } in &contestants {
        match state {
            State::Ready { version, .. } => {
                measured.versions.insert(known.name.to_owned(), version.clone());
                continue;
            }
            State::Absent => {}
            State::Broken(why) => measured.faults.push(why.clone()),
        }
        measured.missing.push((known.name, *format));
    }
    // A broken peer of two formats is told of once.
    measured.faults.dedup();
    let lengths = lengths.iter().map(|&entries| (Content::Figure3, entries));
    let stages: Vec<Stage> = lengths
        .chain([(Content::Randomised, LONGEST)])
        .flat_map(|(content, entries)| {
            OPERATIONS.map(|operation| Stage { content, entries, operation })
        })
        .collect();
    for (index, stage) in stages.iter().enumerate() {
        let mut stage_progress = |what: &str, share: f64| {
            let share = (index as f64 + share) / stages.len() as f64;
            progress(Step { part: CODEC, text: &format!("{stage}: {what}"), share });
        };
        for batch in 0..messages::BATCHES {
            let mut batch_progress = |what: &str, share: f64| {
                stage_progress(what, (batch as f64 + share) / messages::BATCHES as f64);
            };
            for outcome in stage.run(request, batch, &mut contestants, &mut batch_progress) {
                measured.take(outcome, stage);
            }
            dismiss(&mut contestants, &measured.series);
        }
    }
    measured.noise_floor = measured.floor();
    measured
}

/// One operation on messages of one length.
struct Stage {
    content: Content,
    entries: u32,
    operation: Operation,
}

impl fmt::Display for Stage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let randomised = if self.content == Content::Randomised { "randomised " } else { "" };
        write!(out, "{} {randomised}messages of {}", self.operation.name(), self.entries)
    }
}

impl Stage {
    /// Lets all subjects work on the same batch of messages. `progress` is told what goes on and
    /// which share of the batch is done.
    fn run(
        &self,
        request: &Request,
        batch: usize,
        contestants: &mut [Contestant],
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Outcome> {
        let structs = self.messages(request, batch);
        let effort = share_of(&request.effort, batch);
        let records: Vec<Record> = structs.iter().map(Record::from_message).collect();
        let corpora: BTreeMap<Format, Vec<Vec<u8>>> =
            Format::ALL.iter().map(|&format| (format, corpus(format, &structs))).collect();
        let mut trial = Trial::new();
        let check = |format| answer::check(format, &structs);
        let ours = Format::ALL.map(|format| (TRUNKLINE, format));
        for (name, format) in ours.into_iter().chain([(TWIN, Format::Fix)]) {
            let empty = MarketDataIncrementalRefresh::default();
            let subject = Local::new(name, format, &structs, empty);
            trial.enter(Box::new(subject), &corpora[&format], check(format));
        }
        for format in [Format::SoapRpc, Format::Fix, Format::CdrUnion] {
            let empty = Record::new(MarketDataIncrementalRefresh::schema());
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
    fn messages(&self, request: &Request, batch: usize) -> Vec<MarketDataIncrementalRefresh> {
        let entries = self.entries as usize;
        let most = messages::timed(self.operation, entries);
        let all = messages::sample(&request.day, entries, most * messages::BATCHES);
        let mut messages: Vec<_> =
            all.iter().skip(batch % all.len()).step_by(messages::BATCHES).cloned().collect();
        if self.content == Content::Randomised {
            randomised::randomise(&mut messages, TRADING_DAY_SEED + batch as u64);
        }
        messages
    }
}

/// The repetitions that fall to one batch; at least one.
fn share_of(effort: &Effort, batch: usize) -> Effort {
    let (batch, batches) = (batch as u32, messages::BATCHES as u32);
    let repetitions = (effort.repetitions + batches - 1 - batch) / batches;
    Effort { repetitions: repetitions.max(1), ..effort.clone() }
}

fn corpus(format: Format, messages: &[MarketDataIncrementalRefresh]) -> Vec<Vec<u8>> {
    let mut codec = format.codec();
    let encode = |message| codec.encode(message).expect("every format carries it").to_vec();
    messages.iter().map(encode).collect()
}

/// A peer that gave a wrong answer or gave up is not asked again.
fn dismiss(contestants: &mut [Contestant], series: &[Series]) {
    for contestant in contestants {
        let is_out = series.iter().any(|series| {
            let is_its = series.name == contestant.known.name && series.format == contestant.format;
            is_its && !series.standing.is_timed()
        });
        if is_out {
            contestant.state = State::Absent;
        }
    }
}

impl Measured {
    fn take(&mut self, outcome: Outcome, stage: &Stage) {
        let Stage { content, entries, operation } = *stage;
        let format = Format::ALL.into_iter().find(|format| format.name() == outcome.format);
        let Some(format) = format else { return };
        if let Standing::WrongAnswer(why) | Standing::Failed(why) = &outcome.standing {
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
                standing: Standing::Unverified,
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
    pub(super) fn find(
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

    fn floor(&self) -> Option<f64> {
        let floors = OPERATIONS.into_iter().filter_map(|operation| {
            let samples = |name| {
                let series = self.find(name, Format::Fix, Content::Figure3, operation)?;
                series.by_entries.get(&LONGEST)
            };
            noise_floor(&ComparisonRule::default(), samples(TRUNKLINE)?, samples(TWIN)?)
        });
        floors.max_by(f64::total_cmp)
    }

    /// Times, and what they come to a message and an entry.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for series in self.series.iter().filter(|series| series.name != TWIN) {
            rows.extend(times(series));
            if series.content == Content::Figure3 {
                rows.extend(fitted(series));
            }
        }
        rows.extend(self.missing.iter().map(|(name, format)| Row {
            verdict: Verdict::Absent,
            ..row(CODEC, name, &format.profile(), "cpu-time", "ns")
        }));
        rows
    }
}

/// The published line in nanoseconds.
pub(super) fn published(operation: Operation, format: Format) -> Option<Line> {
    let table = match operation {
        Operation::Encode => ENCODING,
        Operation::Decode => DECODING,
    };
    let line = table.line(format.published()?)?;
    let [fixed, per_entry] = [line.fixed, line.per_entry].map(|millis| millis * 1e6);
    Some(Line { format: line.format, fixed, per_entry })
}

fn times(series: &Series) -> Vec<Row> {
    let case = series.content.case(series.operation);
    let published =
        published(series.operation, series.format).filter(|_| series.content == Content::Figure3);
    let blank = row(case, &series.name, &series.format.profile(), "cpu-time", "ns");
    let mut rows: Vec<Row> = series
        .by_entries
        .iter()
        .map(|(&entries, samples)| Row {
            entries: Some(entries),
            paper: published.map(|line| line.at(entries)),
            ..bounded(blank.clone(), samples)
        })
        .collect();
    if !series.standing.is_timed() {
        rows.push(Row { verdict: series.standing.verdict(), ..blank });
    }
    rows
}

fn fitted(series: &Series) -> [Row; 2] {
    let published = published(series.operation, series.format);
    let fits = series.fits();
    let case = series.content.case(series.operation);
    let part = |metric, paper, value: fn(&Fit) -> f64| {
        let blank =
            Row { paper, ..row(case, &series.name, &series.format.profile(), metric, "ns") };
        if !series.standing.is_timed() {
            return Row { verdict: series.standing.verdict(), ..blank };
        }
        bounded(blank, &fits.iter().map(value).collect::<Vec<f64>>())
    };
    [
        part("cpu-time-fixed", published.map(|line| line.fixed), |fit| fit.fixed),
        part("cpu-time-per-entry", published.map(|line| line.per_entry), |fit| fit.per_entry),
    ]
}

/// The row with the median of the repetitions and its bounds.
fn bounded(row: Row, repetitions: &[f64]) -> Row {
    let rule = ComparisonRule::default();
    let Some(bounds) = rule.bounds(repetitions) else {
        return Row { verdict: Verdict::Inconclusive, ..row };
    };
    let is_conclusive = rule.is_conclusive(&bounds);
    Row {
        value: Some(bounds.median),
        low: Some(bounds.low),
        high: Some(bounds.high),
        runs: bounds.runs,
        verdict: if is_conclusive { Verdict::Ok } else { Verdict::Inconclusive },
        ..row
    }
}
