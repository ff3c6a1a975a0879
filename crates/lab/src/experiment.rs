//! The engine of all codec experiments: checks every subject's answers, then times all of them in
//! turn.
//!
//! Subjects are interleaved: in every repetition each takes one sample, in an order that rotates by
//! one from repetition to repetition. So all of them meet the same machine, and nobody is always
//! first. An untimed pass begins every sample, so that a neighbour's leavings do not count. A subject whose answers
//! are wrong is never timed.

use std::error;

use crate::peer::{PeerError, PeerErrorKind};
use crate::turns::take_turns;
use trunkline_bench::clock::thread_cpu_nanoseconds;
use trunkline_bench::row::Verdict;
use trunkline_bench::statistics::Summary;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Bytes to the application's structure.
    Decode,
    /// The application's structure to bytes.
    Encode,
}

impl Operation {
    /// The word in commands and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Encode => "encode",
        }
    }
}

/// One timed stretch of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// CPU time of the thread that worked, and of others that worked for it.
    pub nanoseconds: u64,
    /// Messages processed.
    pub messages: u64,
    /// How much of the time is that of others: of threads that compile or collect.
    pub by_others: u64,
}

impl Sample {
    /// Times `work`, which returns how many messages it processed, by this thread's CPU time.
    pub fn of(work: impl FnOnce() -> u64) -> Self {
        let start = thread_cpu_nanoseconds();
        let messages = work();
        Self { nanoseconds: thread_cpu_nanoseconds() - start, messages, by_others: 0 }
    }

    /// Nanoseconds a message; None if there were none.
    pub fn per_message(self) -> Option<f64> {
        (self.messages > 0).then(|| self.nanoseconds as f64 / self.messages as f64)
    }
}

/// Why a subject cannot take part any longer; prints as one line.
pub type SubjectError = Box<dyn error::Error + Send + Sync>;

/// A codec under test: one of ours in this process, or a peer in its own.
pub trait Subject {
    /// Its name in rows, such as `trunkline`.
    fn name(&self) -> &str;

    /// The wire format of the corpora that it takes.
    fn format(&self) -> &str;

    /// True if the operation is a part of what the subject stands for: one that only decodes is not
    /// asked to encode for time, even if it can echo.
    fn can(&self, _operation: Operation) -> bool {
        true
    }

    /// Decodes the messages of `corpus` into the subject's own structures and keeps both.
    ///
    /// # Errors
    /// The subject is out of the experiment.
    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError>;

    /// The kept structures, encoded again, in order.
    ///
    /// # Errors
    /// The subject is out of the experiment.
    fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError>;

    /// Times `passes` passes over all kept messages.
    ///
    /// # Errors
    /// The subject is out of the experiment.
    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError>;
}

impl<S: Subject + ?Sized> Subject for &mut S {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn format(&self) -> &str {
        (**self).format()
    }

    fn can(&self, operation: Operation) -> bool {
        (**self).can(operation)
    }

    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        (**self).prepare(corpus)
    }

    fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError> {
        (**self).echo()
    }

    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError> {
        (**self).run(operation, passes)
    }
}

/// How long to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Samples of each subject. Six are the fewest that a
    /// [`ComparisonRule`](trunkline_bench::statistics::ComparisonRule) concludes from.
    pub repetitions: u32,
    /// What a sample must last at least: well above the clock's grain and a scheduler's slip.
    pub sample_nanoseconds: u64,
}

impl Default for Effort {
    /// Fifteen repetitions of at least 2 ms.
    fn default() -> Self {
        Self { repetitions: 15, sample_nanoseconds: 2_000_000 }
    }
}

impl Effort {
    /// For a look, not for a record: seven repetitions.
    pub fn quick() -> Self {
        Self { repetitions: 7, ..Self::default() }
    }
}

/// How long a subject that compiles as it runs does so before it is timed, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settling {
    /// At least: who has not begun to compile looks as though it had ended.
    pub least: u32,
    /// At most, however much is charged to it then.
    pub most: u32,
}

impl Settling {
    /// Samples of which the middle one tells whether a subject has settled; a collection that falls into one
    /// of them does not.
    const LAST: usize = 15;

    /// What other threads may add to the time of the one that works.
    pub const SHARE: f64 = 0.05;
}

/// What others added in the last samples of a subject that was let settle.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// Samples until then.
    pub samples: u32,
    /// What was charged over what the working thread took, in the middle of the last samples.
    pub charged: f64,
}

impl Settled {
    /// Whether what others add is little.
    pub fn is_settled(&self) -> bool {
        self.charged <= 1.0 + Settling::SHARE
    }
}

/// More passes in a sample than any machine needs for messages of a byte or more.
const PASSES_LIMIT: u32 = 1 << 20;

/// Checks what a subject echoed; Err says in one line what is wrong with which message.
pub type Check<'a> = Box<dyn Fn(&[Vec<u8>]) -> Result<(), String> + 'a>;

/// How a subject stands in the experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectStatus {
    /// Its echoes have been checked.
    Verified,
    /// It will not echo, so that nobody knows what it does: what it said.
    Unverified(String),
    /// Its echo was wrong: where and how.
    WrongAnswer(String),
    /// It does not do what it is timed for, or says of its times what cannot be: how that was found.
    Untrue(String),
    /// It gave up or died: why.
    Failed(String),
}

impl SubjectStatus {
    /// True if the subject may be timed.
    pub fn is_timed(&self) -> bool {
        *self == Self::Verified
    }

    /// Why the subject is not timed.
    pub fn fault(&self) -> Option<&str> {
        match self {
            Self::Verified => None,
            Self::Unverified(why)
            | Self::WrongAnswer(why)
            | Self::Untrue(why)
            | Self::Failed(why) => Some(why),
        }
    }

    /// What became of a subject that gave this error.
    pub(crate) fn after(error: &SubjectError) -> Self {
        match error.downcast_ref::<PeerError>() {
            Some(of_peer) => Self::of_peer(of_peer),
            None => Self::Failed(error.to_string()),
        }
    }

    fn of_peer(error: &PeerError) -> Self {
        let told = error.to_string();
        match error.kind() {
            PeerErrorKind::WrongAnswer(_) => Self::WrongAnswer(told),
            _ if error.is_untrue() => Self::Untrue(told),
            _ if error.is_decoder() => Self::Unverified(told),
            _ => Self::Failed(told),
        }
    }

    /// The verdict for the subject's rows.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Verified => Verdict::Ok,
            Self::Unverified(_) => Verdict::Unverified,
            Self::WrongAnswer(_) => Verdict::WrongAnswer,
            Self::Untrue(_) => Verdict::Untrue,
            Self::Failed(_) => Verdict::Absent,
        }
    }
}

impl From<PeerError> for SubjectStatus {
    fn from(error: PeerError) -> Self {
        Self::of_peer(&error)
    }
}

/// What is going on, for a display of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// A subject's answers are being checked.
    Verifying {
        /// The subject.
        subject: &'a str,
    },
    /// A subject runs for the first time, untimed.
    WarmingUp {
        /// The subject.
        subject: &'a str,
    },
    /// A repetition begins, counted from 1.
    Repetition {
        /// Which one.
        number: u32,
        /// Of how many.
        of: u32,
    },
}

/// What one subject's samples came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The subject's name.
    pub name: String,
    /// The subject's wire format.
    pub format: String,
    /// How it stands now.
    pub status: SubjectStatus,
    /// Passes in each sample.
    pub passes: u32,
    /// Nanoseconds a message, one element a repetition: element i of all subjects ran side by side.
    /// Empty unless the subject completed every repetition.
    pub samples: Vec<f64>,
}

struct Participant<'a> {
    subject: Box<dyn Subject + 'a>,
    corpus: &'a [Vec<u8>],
    check: Check<'a>,
    /// None before verification.
    status: Option<SubjectStatus>,
    passes: u32,
    samples: Vec<f64>,
}

/// Subjects that are measured against each other.
#[derive(Default)]
pub struct Trial<'a> {
    participants: Vec<Participant<'a>>,
}

impl<'a> Trial<'a> {
    /// Without subjects as yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a subject with its corpus, in its own format, and the check of its echo.
    pub fn enter(
        &mut self,
        subject: Box<dyn Subject + 'a>,
        corpus: &'a [Vec<u8>],
        check: Check<'a>,
    ) {
        let (status, passes, samples) = (None, 1, Vec::new());
        self.participants.push(Participant { subject, corpus, check, status, passes, samples });
    }

    /// Lets every subject load its corpus and echo it, and checks the echoes: once; later calls
    /// return what was found.
    pub fn verify(&mut self, progress: &mut dyn FnMut(Progress<'_>)) -> Vec<SubjectStatus> {
        self.participants
            .iter_mut()
            .map(|participant| participant.verify(progress).clone())
            .collect()
    }

    /// Times `operation` with all subjects in turn, after verifying those that have not been.
    ///
    /// The outcomes are in the order of entering. A subject that fails on the way is out, and its
    /// samples with it; the others go on.
    pub fn measure(
        &mut self,
        operation: Operation,
        effort: &Effort,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Vec<Outcome> {
        self.verify(progress);
        let mut runners: Vec<&mut Participant<'a>> =
            self.participants.iter_mut().filter(|participant| participant.can(operation)).collect();
        for runner in &mut runners {
            progress(Progress::WarmingUp { subject: runner.subject.name() });
            runner.warm_up(operation, effort);
        }
        for repetition in 0..effort.repetitions {
            progress(Progress::Repetition { number: repetition + 1, of: effort.repetitions });
            take_turns(&mut runners, repetition, |it| it.take_sample(operation));
        }
        self.participants.iter_mut().map(Participant::outcome).collect()
    }
}

impl Trial<'_> {
    /// Lets every subject work, untimed, until others than the thread that works add little to it: until what it
    /// runs has been compiled. Returns how each stands then, and how far it came if it worked to the end.
    pub fn settle(
        &mut self,
        operation: Operation,
        effort: &Effort,
        settling: Settling,
    ) -> Vec<(SubjectStatus, Option<Settled>)> {
        let settle = |participant: &mut Participant<'_>| {
            participant.verify(&mut |_| ());
            let settled = participant.settle(operation, effort, settling);
            (participant.verify(&mut |_| ()).clone(), settled)
        };
        self.participants.iter_mut().map(settle).collect()
    }
}

impl Participant<'_> {
    fn verify(&mut self, progress: &mut dyn FnMut(Progress<'_>)) -> &SubjectStatus {
        if self.status.is_none() {
            progress(Progress::Verifying { subject: self.subject.name() });
        }
        let Self { subject, corpus, check, status, .. } = self;
        status.get_or_insert_with(|| {
            let echo = subject.prepare(corpus).and_then(|()| subject.echo());
            match echo {
                Err(error) => SubjectStatus::after(&error),
                Ok(echo) if echo.len() != corpus.len() => SubjectStatus::WrongAnswer(format!(
                    "{} messages came back of {}",
                    echo.len(),
                    corpus.len()
                )),
                Ok(echo) => match check(&echo) {
                    Ok(()) => SubjectStatus::Verified,
                    Err(fault) => SubjectStatus::WrongAnswer(fault),
                },
            }
        })
    }

    fn can(&self, operation: Operation) -> bool {
        self.status.as_ref().is_some_and(SubjectStatus::is_timed) && self.subject.can(operation)
    }

    /// One pass to warm up, then as many as a sample of the wanted length takes.
    fn warm_up(&mut self, operation: Operation, effort: &Effort) {
        self.passes = 1;
        self.run(operation);
        while let Some(sample) = self.run(operation) {
            if sample.nanoseconds >= effort.sample_nanoseconds || self.passes >= PASSES_LIMIT {
                return;
            }
            // The tenth on top keeps most samples from falling short; a doubling at least and a
            // sixteenfold at most keep one odd sample from deciding alone.
            let wanted = u64::from(self.passes) * effort.sample_nanoseconds * 11 / 10;
            let passes = (wanted / sample.nanoseconds.max(1)).try_into().unwrap_or(PASSES_LIMIT);
            let (least, most) = (self.passes * 2, self.passes.saturating_mul(16));
            self.passes = passes.clamp(least, most).min(PASSES_LIMIT);
        }
    }

    fn settle(
        &mut self,
        operation: Operation,
        effort: &Effort,
        settling: Settling,
    ) -> Option<Settled> {
        self.warm_up(operation, effort);
        let mut shares: Vec<f64> = Vec::new();
        loop {
            let Sample { nanoseconds, by_others, .. } = self.run(operation)?;
            let own = nanoseconds.saturating_sub(by_others).max(1);
            shares.push(nanoseconds as f64 / own as f64);
            let last = &shares[shares.len().saturating_sub(Settling::LAST)..];
            let settled =
                Settled { samples: shares.len() as u32, charged: Summary::of(last)?.median };
            let is_enough = settled.samples >= settling.least && last.len() == Settling::LAST;
            if (is_enough && settled.is_settled()) || settled.samples >= settling.most {
                return Some(settled);
            }
        }
    }

    /// After an untimed pass: since its last turn the others have filled the caches with theirs, and
    /// a peer has slept. Without it, who follows a slow neighbour pays for it.
    fn take_sample(&mut self, operation: Operation) {
        let passes = std::mem::replace(&mut self.passes, 1);
        self.run(operation);
        self.passes = passes;
        if let Some(sample) = self.run(operation) {
            self.samples.extend(sample.per_message());
        }
    }

    fn run(&mut self, operation: Operation) -> Option<Sample> {
        if !self.can(operation) {
            return None;
        }
        match self.subject.run(operation, self.passes) {
            Ok(sample) if sample.messages == self.corpus.len() as u64 * u64::from(self.passes) => {
                Some(sample)
            }
            Ok(sample) => {
                let expected = self.corpus.len() as u64 * u64::from(self.passes);
                let fault = format!("processed {} messages of {expected}", sample.messages);
                self.drop_out(SubjectStatus::WrongAnswer(fault));
                None
            }
            Err(error) => {
                self.drop_out(SubjectStatus::after(&error));
                None
            }
        }
    }

    fn drop_out(&mut self, status: SubjectStatus) {
        self.status = Some(status);
        self.samples.clear();
    }

    fn outcome(&mut self) -> Outcome {
        Outcome {
            name: self.subject.name().to_owned(),
            format: self.subject.format().to_owned(),
            status: self.verify(&mut |_| ()).clone(),
            passes: self.passes,
            samples: std::mem::take(&mut self.samples),
        }
    }
}
