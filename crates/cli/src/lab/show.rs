//! `trunkline lab show RECORD`

use std::path::Path;

use trunkline_lab::conclusion;
use trunkline_lab::record::Record;
use trunkline_lab::report::Report;

use crate::Ending;
use crate::arguments::ShowArguments;
use crate::fault::Fault;
use crate::lab::run::write_report;
use crate::output::{plain, print, wants_bold};

pub(crate) fn run(arguments: &ShowArguments) -> Result<Ending, Fault> {
    let record = read(&arguments.record)?;
    let mut report = Report::of(&record).bold(wants_bold());
    let of_sections = report
        .sections
        .iter_mut()
        .flat_map(|section| [&mut section.title].into_iter().chain(&mut section.notes));
    for line in report.head.iter_mut().chain(&mut report.foot).chain(of_sections) {
        *line = plain(line);
    }
    print(&report.to_string())?;
    if let Some(folder) = &arguments.report {
        write_report(folder, &record, &report.bold(false), (&[], &[]))?;
    }
    Ok(Ending::Right)
}

/// The record in `file`, its conclusions judged as those of today's runs are. One of an experiment of the
/// user's own is as good as any, but has nothing published to show beside it.
pub(crate) fn read(file: &Path) -> Result<Record, Fault> {
    Ok(conclusion::judged(Record::read(file)?))
}
