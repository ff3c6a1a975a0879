//! Running an experiment: what is asked for, and what came out.

use std::path::PathBuf;

use crate::experiment::Effort;
use crate::measure;
use crate::peer::Discovery;
use crate::trading_day::TradingDay;
use trunkline_bench::histogram::{Distribution, Latencies};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::{Definition, Part};
use trunkline_experiment::toolkits::{self, Toolkit};
use trunkline_report::Report;
use trunkline_report::conclusion::is_judgement;

/// What to run and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// The experiment.
    pub definition: Definition,
    /// The chosen parts, in the order of the experiment.
    pub parts: Vec<Part>,
    /// The content of the messages.
    pub day: TradingDay,
    /// Files of ticks that a middleware carries; generated ones if there are none.
    pub ticks: Vec<PathBuf>,
    /// Who takes part besides ourselves.
    pub peers: Discovery,
    /// How long to measure.
    pub effort: Effort,
    /// Measure for a look: fewer lengths of messages.
    pub is_quick: bool,
    /// The `trunkline` binary, whose processes are the ends of a connection.
    pub program: PathBuf,
    /// Services of somebody's own that are measured beside the toolkits (see [`endpoint`]).
    pub endpoints: Vec<&'static Toolkit>,
    /// Another build of it, beside which this one's codecs are timed (see [`try_build`](crate::builds::try_build)).
    pub against: Option<PathBuf>,
}

impl Request {
    /// All parts of an experiment, without peers, at full effort, by this program.
    pub fn new(definition: Definition, day: TradingDay) -> Self {
        Self {
            parts: definition.parts.clone(),
            definition,
            day,
            ticks: Vec::new(),
            peers: Discovery::none(),
            effort: Effort::default(),
            is_quick: false,
            program: std::env::current_exe().unwrap_or_default(),
            endpoints: Vec::new(),
            against: None,
        }
    }

    /// Runs what is asked for.
    pub fn run(&self, progress: &mut dyn FnMut(Step<'_>)) -> Run {
        measure::run(self, progress)
    }
}

/// A service of somebody's own by its name in rows and its URL. It is known as long as the program runs.
///
/// # Errors
/// The name is that of a toolkit, or no word; the URL is not one of HTTP.
pub fn endpoint(name: &str, url: &str) -> Result<&'static Toolkit, String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_part) {
        return Err(format!("{name:?} is no name of letters, digits, hyphens and points"));
    }
    if toolkits::named(name).is_some() {
        return Err(format!("{name} is the name of a toolkit that is measured"));
    }
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err(format!("{url:?} is no URL such as http://localhost:8080/arrays"));
    }
    let [name, url] = [name, url].map(|it| &*Box::leak(it.to_owned().into_boxed_str()));
    Ok(Box::leak(Box::new(Toolkit::at(name, url))))
}

/// What a run is doing, for a display of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// What is measured.
    pub part: &'a str,
    /// What it does now, in a few words.
    pub text: &'a str,
    /// The share of it that is done, 0 to 1.
    pub share: f64,
}

/// What came out of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The results as rows.
    pub record: RunRecord,
    /// What went wrong with whom, a line each: peers that broke, answers that were wrong.
    pub faults: Vec<String>,
    /// What could not be done on this machine, and why, a line each.
    pub notes: Vec<String>,
    /// The times behind the percentiles, for logs.
    pub distributions: Vec<Distribution>,
    /// Single latencies, where a plot shows each.
    pub latencies: Vec<Latencies>,
}

impl Run {
    /// The results as tables for a reader of the paper.
    pub fn report(&self, definition: &Definition) -> Report {
        Report::with(&self.record, Some(definition))
    }

    /// True if a subject gave a wrong answer or broke.
    pub fn is_wrong(&self) -> bool {
        !self.faults.is_empty()
            || self.record.rows.iter().any(|row| {
                matches!(row.verdict, Verdict::WrongAnswer | Verdict::Untrue | Verdict::Unverified)
            })
    }

    /// True if a conclusion was asked for that the measurements do not carry.
    pub fn is_inconclusive(&self) -> bool {
        let mut judgements = self.record.rows.iter().filter(|row| is_judgement(row));
        judgements.any(|row| row.verdict == Verdict::Inconclusive)
    }
}
