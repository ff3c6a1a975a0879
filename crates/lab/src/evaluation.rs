//! The published evaluations that the lab reruns, and how one is asked for.

use std::{error, fmt};

use crate::experiment::Effort;
use crate::kohlhoff::{self, report};
use crate::peer::Discovery;
use crate::record::Record;
use crate::trading_day::TradingDay;

/// A published evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Its name in commands and rows: first author and year.
    pub name: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What it is made of, in the order of running.
    pub parts: &'static [Part],
}

/// A part of an evaluation that can be run by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name in commands and rows.
    pub name: &'static str,
    /// What it measures.
    pub what: &'static str,
}

/// All evaluations that the lab knows.
pub const EVALUATIONS: &[Evaluation] = &[Evaluation {
    name: kohlhoff::NAME,
    source: "Kohlhoff & Steele, Evaluating SOAP for High Performance Applications in Capital Markets",
    parts: &[
        Part { name: kohlhoff::SIZE, what: "bytes of a message (table 1)" },
        Part { name: kohlhoff::CODEC, what: "CPU time of encoding and decoding (tables 3 and 4)" },
    ],
}];

/// The seed of the trading day that is used where the user names no file.
pub const TRADING_DAY_SEED: u64 = 2004;

/// What to run and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// The chosen parts, in the order of the evaluation.
    pub parts: Vec<Part>,
    /// The content of the messages.
    pub day: TradingDay,
    /// Who takes part besides ourselves.
    pub peers: Discovery,
    /// How long to measure.
    pub effort: Effort,
    /// Measure for a look: fewer lengths of messages.
    pub is_quick: bool,
}

/// What a run is doing, for a display of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// The part of the evaluation.
    pub part: &'a str,
    /// What it does now, in a few words.
    pub text: &'a str,
    /// The share of the part that is done, 0 to 1.
    pub share: f64,
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The results as rows.
    pub record: Record,
    /// What went wrong with whom, a line each: peers that broke, answers that were wrong.
    pub faults: Vec<String>,
}

impl Run {
    /// The results as tables for a reader of the paper.
    pub fn report(&self) -> report::Report {
        report::Report::of(&self.record)
    }
}

/// Why an evaluation cannot be run as asked; prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// No evaluation has this name.
    UnknownEvaluation(String),
    /// The evaluation has no part of this name.
    UnknownPart {
        /// The evaluation.
        evaluation: Evaluation,
        /// What was asked for.
        part: String,
    },
}

impl fmt::Display for RequestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEvaluation(name) => {
                let known: Vec<&str> = EVALUATIONS.iter().map(|known| known.name).collect();
                write!(out, "there is no experiment {name:?}; known: {}", known.join(", "))
            }
            Self::UnknownPart { evaluation, part } => {
                let known: Vec<&str> = evaluation.parts.iter().map(|known| known.name).collect();
                write!(out, "{} has no part {part:?}; known: {}", evaluation.name, known.join(", "))
            }
        }
    }
}

impl error::Error for RequestError {}

impl Evaluation {
    /// The evaluation of this name.
    ///
    /// # Errors
    /// Names the known ones.
    pub fn named(name: &str) -> Result<Self, RequestError> {
        let found = EVALUATIONS.iter().find(|known| known.name == name);
        found.copied().ok_or_else(|| RequestError::UnknownEvaluation(name.to_owned()))
    }

    /// The parts in `names`, in the order of the evaluation, each once; all if there are no names.
    ///
    /// # Errors
    /// Names the first unknown one, and the known ones.
    pub fn parts_named(&self, names: &[String]) -> Result<Vec<Part>, RequestError> {
        for name in names {
            if self.parts.iter().all(|part| part.name != name) {
                let part = name.clone();
                return Err(RequestError::UnknownPart { evaluation: *self, part });
            }
        }
        let is_chosen =
            |part: &&Part| names.is_empty() || names.iter().any(|name| name == part.name);
        Ok(self.parts.iter().filter(is_chosen).copied().collect())
    }
}

impl Request {
    /// Runs what is asked for.
    pub fn run(&self, progress: &mut dyn FnMut(Step<'_>)) -> Run {
        kohlhoff::run(self, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_once_and_in_order() {
        let evaluation = Evaluation::named("kohlhoff-2004").expect("known");
        let names = |list: &[&str]| -> Vec<&str> {
            let list: Vec<String> = list.iter().map(|name| (*name).to_owned()).collect();
            let parts = evaluation.parts_named(&list).expect("known");
            parts.iter().map(|part| part.name).collect()
        };
        assert_eq!(names(&["codec", "size", "codec"]), ["size", "codec"]);
        assert_eq!(names(&[]), ["size", "codec"]);
    }
}
