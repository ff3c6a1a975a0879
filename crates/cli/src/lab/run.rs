//! `trunkline lab run EXPERIMENT`

use std::path::Path;

use trunkline_lab::evaluation::{Evaluation, Request, TRADING_DAY_SEED};
use trunkline_lab::experiment::{Effort, Progress};
use trunkline_lab::peer::Discovery;
use trunkline_lab::row::Verdict;
use trunkline_lab::trading_day::TradingDay;

use crate::Ending;
use crate::arguments::RunArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &RunArguments) -> Result<Ending, Fault> {
    let evaluation = Evaluation::named(&arguments.experiment)?;
    let parts = evaluation.parts_named(&arguments.only)?;
    // Hours may pass before the file is written; better to know now that it cannot be.
    if let Some(file) = &arguments.json {
        refuse_unwritable(file)?;
    }
    let peers = Discovery::of(arguments.peers.folder.as_deref())?;
    let day = match &arguments.trades {
        Some(file) => TradingDay::from_csv(file)?,
        None => TradingDay::generated(TRADING_DAY_SEED),
    };
    let effort = if arguments.quick { Effort::quick() } else { Effort::default() };
    let record = Request { evaluation, parts, day, peers, effort }.run(&mut tell)?;
    if let Some(file) = &arguments.json {
        record.write(file)?;
    }
    let is_wrong = record.rows.iter().any(|row| row.verdict == Verdict::WrongAnswer);
    Ok(if is_wrong { Ending::Wrong } else { Ending::Right })
}

fn refuse_unwritable(file: &Path) -> Result<(), Fault> {
    let refuse = |why| Err(Fault::new(format!("{}: {why}", file.display())));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return refuse("cannot be written: its folder is not there");
    }
    if file.is_dir() || file.file_name().is_none() {
        return refuse("cannot be written: is a folder");
    }
    Ok(())
}

fn tell(progress: Progress<'_>) {
    match progress {
        Progress::Verifying { subject } => eprintln!("checking {subject}"),
        Progress::WarmingUp { subject } => eprintln!("warming up {subject}"),
        Progress::Repetition { number, of } => eprintln!("repetition {number} of {of}"),
    }
}
