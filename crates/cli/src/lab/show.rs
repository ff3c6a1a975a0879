//! `trunkline lab show RECORD`

use std::path::Path;

use trunkline_bench::record::RunRecord;
use trunkline_report::{Report, conclusion};

use crate::Ending;
use crate::arguments::ShowArguments;
use crate::fault::Fault;
use crate::lab::run::write_report;
use crate::output::{plain, print, wants_bold};

pub(crate) fn run(arguments: &ShowArguments) -> Result<Ending, Fault> {
    let record = read(&arguments.record)?;
    if arguments.json {
        let mut lines = Vec::new();
        record.write_lines(&mut lines)?;
        print(&String::from_utf8_lossy(&lines))?;
        if arguments.report.is_none() {
            return Ok(Ending::Right);
        }
    }
    let mut report = Report::of(&record).bold(wants_bold());
    keep_tables(&mut report, &arguments.tables)?;
    let of_sections = report.sections.iter_mut().flat_map(|section| {
        let details = section.details.iter_mut().flatten();
        [&mut section.title].into_iter().chain(details).chain(&mut section.notes)
    });
    for line in report.head.iter_mut().chain(&mut report.foot).chain(of_sections) {
        *line = plain(line);
    }
    if !arguments.json {
        print(&report.to_string())?;
    }
    if let Some(folder) = &arguments.report {
        write_report(folder, &record, &report.bold(false), (&[], &[]))?;
    }
    Ok(Ending::Right)
}

/// Leaves the tables that were asked for, all if none was. One that is not there is an error.
fn keep_tables(report: &mut Report, asked: &[String]) -> Result<(), Fault> {
    let is_meant =
        |title: &str, words: &String| title.to_lowercase().contains(&words.to_lowercase());
    let missing =
        asked.iter().find(|words| !report.sections.iter().any(|it| is_meant(&it.title, words)));
    if let Some(words) = missing {
        let titles: Vec<String> =
            report.sections.iter().map(|it| format!("\"{}\"", plain(&it.title))).collect();
        return Err(Fault::new(format!(
            "no table has \"{words}\" in its title; there are {}",
            titles.join(", ")
        )));
    }
    if !asked.is_empty() {
        report.sections.retain(|it| asked.iter().any(|words| is_meant(&it.title, words)));
    }
    Ok(())
}

/// The record in `file`, its conclusions judged as those of today's runs are. One of an experiment of the
/// user's own is as good as any, but has nothing published to show beside it.
pub(crate) fn read(file: &Path) -> Result<RunRecord, Fault> {
    Ok(conclusion::judged(RunRecord::read(file)?))
}
