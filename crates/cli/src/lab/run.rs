//! `trunkline lab run EXPERIMENT`

use std::fs;
use std::path::{Path, PathBuf};

use trunkline_bench::clock::Date;
use trunkline_bench::file;
use trunkline_bench::histogram::{self, Distribution, Latencies};
use trunkline_bench::record::RunRecord;
use trunkline_demo::fx::{TickLimits, Ticks};
use trunkline_experiment::definition::{Definition, Measure, Part};
use trunkline_experiment::format::Family;
use trunkline_experiment::toolkits::{Service, Toolkit};
use trunkline_lab::builds;
use trunkline_lab::evaluation::{Request, endpoint};
use trunkline_lab::experiment::Effort;
use trunkline_lab::peer::Discovery;
use trunkline_lab::trading_day::{SEED, TradingDay};
use trunkline_report::{Report, html};

use super::progress::Display;
use crate::Ending;
use crate::arguments::RunArguments;
use crate::fault::Fault;
use crate::output::{complain, print, wants_bold};

pub(crate) fn run(arguments: &RunArguments) -> Result<Ending, Fault> {
    let definition = Definition::named(&arguments.experiment)?;
    let parts = definition.parts_named(&arguments.only)?;
    // Minutes may pass before a file is written; better to know now that it cannot be.
    let mut files: Vec<PathBuf> = arguments.json.iter().cloned().collect();
    for file in &files {
        reject_unwritable(file)?;
    }
    let peers = Discovery::of(arguments.peers.folder.as_deref())?;
    let family = definition.messages.family;
    let day = match &arguments.trades {
        Some(_) if family != Family::MarketData => {
            let (name, family) = (&definition.name, family.name());
            return Err(Fault::new(format!("--trades: the messages of {name} are {family}")));
        }
        Some(file) => TradingDay::from_csv(file)?,
        None => TradingDay::generated(SEED),
    };
    check_ticks(&arguments.ticks, &definition)?;
    let against = arguments.against.as_deref().map(|other| other_build(other, &parts));
    let against = against.transpose()?;
    let endpoints = endpoints(&arguments.endpoints, &definition, &parts)?;
    if let Some(folder) = &arguments.report {
        reject_unwritable_folder(folder)?;
    }
    // Last, so that no other mistake leaves an empty folder behind.
    if arguments.record {
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let file = RunRecord::new_path(
            Date::today(),
            &definition.name,
            &what(&names, &definition, arguments),
        );
        reject_unwritable_folder(file.parent().unwrap_or(Path::new(".")))?;
        files.push(file);
    }
    let is_quick = arguments.quick;
    let effort = if is_quick { Effort::quick() } else { Effort::default() };
    let ticks = arguments.ticks.clone();
    let own = Request::new(definition, day);
    let request = Request { parts, peers, effort, is_quick, ticks, endpoints, against, ..own };
    let mut display = Display::new(arguments.quiet);
    let run = request.run(&mut |step| display.show(step));
    display.clear();
    // All is told and every file is tried, even if one then cannot be written: it took minutes.
    let report = run.report(&request.definition);
    let printed = print(&report.clone().bold(wants_bold()).to_string());
    let left_out = left_out(arguments, &request.definition);
    for fault in run.faults.iter().chain(&run.notes).chain(&left_out) {
        complain(&Fault::new(fault));
    }
    let mut written: Vec<Result<(), Fault>> =
        files.iter().map(|file| write_record(&run.record, file)).collect();
    if let Some(folder) = &arguments.report {
        let times = (&run.distributions[..], &run.latencies[..]);
        written.push(write_report(folder, &run.record, &report, times));
    }
    if !request.endpoints.is_empty() {
        print(&format!("\n{WSDL}\n"))?;
    }
    printed?;
    written.into_iter().collect::<Result<(), Fault>>()?;
    Ok(match () {
        () if run.is_wrong() => Ending::Wrong,
        () if run.is_inconclusive() => Ending::Inconclusive,
        () => Ending::Right,
    })
}

/// Whether files of ticks can be read, and are asked for.
fn check_ticks(files: &[PathBuf], definition: &Definition) -> Result<(), Fault> {
    if files.is_empty() {
        return Ok(());
    }
    let (name, family) = (&definition.name, definition.messages.family);
    if family != Family::Rates {
        let family = family.name();
        return Err(Fault::new(format!("--ticks: the messages of {name} are {family}")));
    }
    Ticks::from_files(files, &TickLimits::default())?;
    Ok(())
}

/// What a service of somebody's own has to offer.
const WSDL: &str = "the service that --endpoint calls is described by peers/arrays.wsdl";

/// The services of somebody's own that are called besides.
fn endpoints(
    asked: &[String],
    definition: &Definition,
    parts: &[Part],
) -> Result<Vec<&'static Toolkit>, Fault> {
    let fault = |why: String| Fault::new(format!("--endpoint: {why}"));
    let mut measures = parts.iter().flat_map(|part| &part.measures);
    let has_arrays =
        measures.any(|it| matches!(it, Measure::Toolkits(it) if it.service() == Service::Arrays));
    if !asked.is_empty() && !has_arrays {
        return Err(fault(format!("{} calls no service of arrays; {WSDL}", definition.name)));
    }
    let mut known: Vec<&'static Toolkit> = Vec::new();
    for text in asked {
        let (name, url) =
            text.split_once('=').ok_or_else(|| fault(format!("{text:?} is not NAME=URL")))?;
        if known.iter().any(|it| it.name == name) {
            return Err(fault(format!("the name {name} is there twice")));
        }
        known.push(endpoint(name, url).map_err(fault)?);
    }
    Ok(known)
}

/// The build to be timed beside, by a path that no search for programs changes.
fn other_build(other: &Path, parts: &[Part]) -> Result<PathBuf, Fault> {
    let mut measures = parts.iter().flat_map(|part| &part.measures);
    if !measures.any(|it| matches!(it, Measure::Codec(_) | Measure::Instructions(_))) {
        let why = "codecs of two builds are compared, and no part that was chosen has codecs";
        return Err(Fault::new(format!("--against: {why}")));
    }
    let path = std::path::absolute(other).unwrap_or_else(|_| other.to_owned());
    builds::try_build(&path).map_err(|why| Fault::new(format!("--against: {why}")))?;
    Ok(path)
}

/// The page, the rows that it was made of, and the logs of all times.
pub(crate) fn write_report(
    folder: &Path,
    record: &RunRecord,
    report: &Report,
    (distributions, latencies): (&[Distribution], &[Latencies]),
) -> Result<(), Fault> {
    let mut rows = Vec::new();
    record.write_lines(&mut rows)?;
    let page = html::page(record, report).into_bytes();
    let mut files = vec![("report.html".to_owned(), page), ("rows.jsonl".to_owned(), rows)];
    files.extend(histogram::logs(distributions)?);
    files.extend(html::every_latency(latencies));
    file::write_folder(folder, &files).map_err(|(path, cause)| {
        Fault::new(format!("{}: cannot be written: {cause}", path.display()))
    })?;
    print(&format!("\nwritten: {}\n", folder.join("report.html").display()))
}

/// A folder that is not there yet can be made if the one above it takes a file.
fn reject_unwritable_folder(folder: &Path) -> Result<(), Fault> {
    if folder.exists() && !folder.is_dir() {
        return Err(Fault::new(format!("{}: is no folder", folder.display())));
    }
    let is_there = |folder: &&Path| folder.is_dir();
    let there = folder.ancestors().find(is_there).unwrap_or(Path::new("."));
    let probe = there.join("report.html");
    file::try_place(&probe)
        .map_err(|cause| Fault::new(format!("{}: cannot be written: {cause}", folder.display())))
}

fn write_record(record: &RunRecord, file: &Path) -> Result<(), Fault> {
    make_folder_of(file)?;
    record.write(file)?;
    print(&format!("\nwritten: {}\n", file.display()))
}

/// What to say of the parts that are run only if they are named, if none was.
fn left_out(arguments: &RunArguments, definition: &Definition) -> Vec<String> {
    let parts = definition.parts.iter().filter(|part| part.by_name && arguments.only.is_empty());
    parts.map(|part| format!("{0} is measured by itself: --only {0}", part.name)).collect()
}

/// What of an experiment was run, for the name of a record.
fn what(parts: &[&str], definition: &Definition, arguments: &RunArguments) -> String {
    let is_all = arguments.only.is_empty() || parts.len() == definition.parts.len();
    let what = if is_all { "all".to_owned() } else { parts.join("-") };
    if arguments.quick { what + "-quick" } else { what }
}

fn make_folder_of(file: &Path) -> Result<(), Fault> {
    let Some(folder) = file.parent() else { return Ok(()) };
    fs::create_dir_all(folder)
        .map_err(|cause| Fault::new(format!("{}: cannot be made: {cause}", folder.display())))
}

fn reject_unwritable(file: &Path) -> Result<(), Fault> {
    let reject = |why| Err(Fault::new(format!("{}: {why}", file.display())));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return reject("cannot be written: its folder is not there");
    }
    if file.is_dir() || file.file_name().is_none() {
        return reject("cannot be written: is a folder");
    }
    Ok(RunRecord::try_place(file)?)
}
