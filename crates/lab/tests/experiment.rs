//! The engine's promises: answers are checked before anything is timed, subjects take turns, and one
//! that fails harms only itself.

use std::cell::RefCell;
use std::rc::Rc;

use trunkline_bench::row::Verdict;
use trunkline_lab::experiment::{
    Effort, Operation, Outcome, Progress, Sample, Settling, Subject, SubjectError, SubjectStatus,
    Trial,
};

type Log = Rc<RefCell<Vec<String>>>;

/// A codec whose speed is set and whose faults are chosen.
struct Fake {
    name: &'static str,
    nanoseconds_per_message: u64,
    corpus: Vec<Vec<u8>>,
    fault: Fault,
    runs: u32,
    log: Log,
}

#[derive(PartialEq)]
enum Fault {
    None,
    WrongEcho,
    ShortEcho,
    OnlyDecodes,
    WillNotEcho,
    MissesMessages,
    DiesInRun(u32),
    /// Until so many runs are over, others take as long again as it does.
    CompilesForRuns(u32),
}

impl Subject for Fake {
    fn name(&self) -> &str {
        self.name
    }

    fn format(&self) -> &str {
        "fix"
    }

    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        self.corpus = corpus.to_vec();
        Ok(())
    }

    fn can(&self, operation: Operation) -> bool {
        operation == Operation::Decode || self.fault != Fault::OnlyDecodes
    }

    fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError> {
        let mut echo = self.corpus.clone();
        match self.fault {
            Fault::WrongEcho => echo[1].push(b'x'),
            Fault::ShortEcho => drop(echo.pop()),
            Fault::WillNotEcho => return Err("cannot encode".into()),
            _ => {}
        }
        Ok(echo)
    }

    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError> {
        self.runs += 1;
        if self.fault == Fault::DiesInRun(self.runs) {
            return Err("peer fake was killed by signal 9".into());
        }
        self.log.borrow_mut().push(format!("{} {}", self.name, operation.name()));
        let missed = u64::from(self.fault == Fault::MissesMessages);
        let messages = self.corpus.len() as u64 * u64::from(passes);
        let own = messages * self.nanoseconds_per_message;
        let is_compiling = matches!(self.fault, Fault::CompilesForRuns(runs) if self.runs <= runs);
        let by_others = if is_compiling { own } else { 0 };
        Ok(Sample { nanoseconds: own + by_others, messages: messages - missed, by_others })
    }
}

fn corpus() -> Vec<Vec<u8>> {
    (0_u8..10).map(|number| vec![number; 3]).collect()
}

/// Whether every subject that took part gave right answers to the end.
fn all_right(outcomes: &[Outcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.status.is_timed())
}

fn check(echo: &[Vec<u8>]) -> Result<(), String> {
    match echo.iter().zip(corpus()).position(|(echoed, original)| *echoed != original) {
        Some(index) => Err(format!("message {index} differs")),
        None => Ok(()),
    }
}

/// A trial of these subjects and the log of their runs.
fn trial(
    corpus: &[Vec<u8>],
    subjects: impl IntoIterator<Item = (&'static str, u64, Fault)>,
) -> (Trial<'_>, Log) {
    let log = Log::default();
    let mut trial = Trial::new();
    for (name, nanoseconds_per_message, fault) in subjects {
        let log = Rc::clone(&log);
        let corpus_kept = Vec::new();
        let fake = Fake { name, nanoseconds_per_message, corpus: corpus_kept, fault, runs: 0, log };
        trial.enter(Box::new(fake), corpus, Box::new(check));
    }
    (trial, log)
}

const EFFORT: Effort = Effort { repetitions: 6, sample_nanoseconds: 2_000_000 };

#[test]
fn samples_are_long_enough_and_give_the_cost_of_a_message() {
    let corpus = corpus();
    let (mut trial, _) = trial(&corpus, [("fast", 50, Fault::None), ("slow", 40_000, Fault::None)]);
    let outcomes = trial.measure(Operation::Decode, &EFFORT, &mut |_| ());
    for (outcome, cost) in outcomes.iter().zip([50, 40_000]) {
        assert_eq!(outcome.samples, [f64::from(cost); 6]);
        let sample = u64::from(outcome.passes) * 10 * cost as u64;
        assert!((2_000_000..10_000_000).contains(&sample), "{sample} ns");
    }
    assert!(all_right(&outcomes));
}

#[test]
fn subjects_take_turns_in_rotated_order() {
    let corpus = corpus();
    let (mut trial, log) = trial(
        &corpus,
        [
            ("a", 1_000_000, Fault::None),
            ("b", 1_000_000, Fault::None),
            ("c", 1_000_000, Fault::None),
        ],
    );
    trial.measure(Operation::Encode, &Effort { repetitions: 3, ..EFFORT }, &mut |_| ());
    let log = log.borrow();
    let turns: Vec<&[String]> = log[log.len() - 18..].chunks(2).collect();
    let order: Vec<&str> = turns.iter().map(|turn| &turn[1][..1]).collect();
    assert_eq!(order, ["a", "b", "c", "b", "c", "a", "c", "a", "b"]);
    assert!(
        turns.iter().all(|turn| turn[0][..1] == turn[1][..1]),
        "an untimed pass first: {log:?}"
    );
    assert!(log.len() > 18, "passes to warm up come before all");
}

#[test]
fn wrong_answers_are_never_timed() {
    let corpus = corpus();
    let (mut trial, log) = trial(
        &corpus,
        [
            ("wrong", 10, Fault::WrongEcho),
            ("short", 10, Fault::ShortEcho),
            ("good", 10, Fault::None),
        ],
    );
    let outcomes = trial.measure(Operation::Decode, &EFFORT, &mut |_| ());
    assert_eq!(outcomes[0].status, SubjectStatus::WrongAnswer("message 1 differs".into()));
    assert_eq!(outcomes[1].status, SubjectStatus::WrongAnswer("9 messages came back of 10".into()));
    assert_eq!(outcomes[0].status.verdict(), Verdict::WrongAnswer);
    assert!(outcomes[0].samples.is_empty() && outcomes[1].samples.is_empty());
    assert!(log.borrow().iter().all(|run| run == "good decode"));
    assert!(!all_right(&outcomes));
}

#[test]
fn a_subject_that_dies_is_out_and_the_others_go_on() {
    let corpus = corpus();
    let (mut trial, _) = trial(
        &corpus,
        [("dies", 1_000_000, Fault::DiesInRun(5)), ("good", 1_000_000, Fault::None)],
    );
    let outcomes = trial.measure(Operation::Decode, &EFFORT, &mut |_| ());
    assert_eq!(
        outcomes[0].status,
        SubjectStatus::Failed("peer fake was killed by signal 9".into())
    );
    assert_eq!(outcomes[0].status.verdict(), Verdict::Absent);
    assert!(outcomes[0].samples.is_empty());
    assert_eq!(outcomes[1].samples.len(), 6);
    assert!(!all_right(&outcomes));
}

#[test]
fn a_miscount_is_a_wrong_answer() {
    let corpus = corpus();
    let (mut trial, _) = trial(&corpus, [("lazy", 10, Fault::MissesMessages)]);
    let outcomes = trial.measure(Operation::Decode, &EFFORT, &mut |_| ());
    assert_eq!(outcomes[0].status, SubjectStatus::WrongAnswer("processed 9 messages of 10".into()));
}

#[test]
fn a_subject_that_only_decodes_is_not_asked_to_encode() {
    let corpus = corpus();
    let (mut trial, log) = trial(&corpus, [("parser", 1_000, Fault::OnlyDecodes)]);
    let outcomes = trial.measure(Operation::Encode, &EFFORT, &mut |_| ());
    assert_eq!((outcomes[0].samples.len(), &outcomes[0].status), (0, &SubjectStatus::Verified));
    assert!(log.borrow().is_empty());
    let outcomes = trial.measure(Operation::Decode, &EFFORT, &mut |_| ());
    assert_eq!(outcomes[0].samples.len(), 6);
}

#[test]
fn who_will_not_echo_is_not_timed() {
    let corpus = corpus();
    let (mut trial, log) = trial(&corpus, [("secret", 1_000, Fault::WillNotEcho)]);
    for operation in [Operation::Encode, Operation::Decode] {
        let outcomes = trial.measure(operation, &EFFORT, &mut |_| ());
        assert!(outcomes[0].samples.is_empty() && !outcomes[0].status.is_timed());
    }
    assert!(log.borrow().is_empty());
}

#[test]
fn who_compiles_as_it_runs_works_until_others_add_little() {
    let corpus = corpus();
    let settling = Settling { least: 30, most: 300 };
    let (mut several, log) = trial(
        &corpus,
        [
            ("compiled", 1_000_000, Fault::None),
            ("compiles", 1_000_000, Fault::CompilesForRuns(100)),
            ("for ever", 1_000_000, Fault::CompilesForRuns(u32::MAX)),
            ("dies", 1_000_000, Fault::DiesInRun(20)),
        ],
    );
    let settled = several.settle(Operation::Decode, &EFFORT, settling);
    let came = |index: usize| settled[index].1.as_ref().expect("it worked to the end");
    assert!(came(0).is_settled() && came(1).is_settled() && !came(2).is_settled(), "{settled:?}");
    assert_eq!(came(0).samples, 30);
    // The middle of the last fifteen is the eighth after all was compiled.
    assert!((100..=110).contains(&came(1).samples), "{settled:?}");
    assert_eq!((came(2).samples, came(2).charged), (300, 2.0));
    let died = SubjectStatus::Failed("peer fake was killed by signal 9".into());
    assert_eq!(settled[3], (died, None));
    assert!(log.borrow().iter().all(|run| run.ends_with("decode")));
}

#[test]
fn verification_happens_once_and_progress_is_told() {
    let corpus = corpus();
    let (mut trial, _) = trial(&corpus, [("a", 1_000, Fault::None)]);
    let mut told = Vec::new();
    let mut progress = |step: Progress<'_>| told.push(format!("{step:?}"));
    for operation in [Operation::Encode, Operation::Decode] {
        trial.measure(operation, &Effort { repetitions: 1, ..EFFORT }, &mut progress);
    }
    assert_eq!(
        told,
        [
            "Verifying { subject: \"a\" }",
            "WarmingUp { subject: \"a\" }",
            "Repetition { number: 1, of: 1 }",
            "WarmingUp { subject: \"a\" }",
            "Repetition { number: 1, of: 1 }",
        ]
    );
}

#[test]
fn a_subject_too_fast_for_the_clock_does_not_run_for_ever() {
    let corpus = corpus();
    let (mut trial, _) = trial(&corpus, [("nothing", 0, Fault::None)]);
    let outcomes =
        trial.measure(Operation::Decode, &Effort { repetitions: 1, ..EFFORT }, &mut |_| ());
    assert_eq!(outcomes[0].samples, [0.0]);
}
