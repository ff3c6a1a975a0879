//! `trunkline journal`: what is in the folder of a journal, which a router may be using meanwhile.

mod export;
mod inspect;
mod measure;
mod pattern;
mod verify;

use std::path::Path;

use trunkline_journal::{Address, Folder, Record, Survey, Torn, survey};

use crate::Ending;
use crate::arguments::JournalCommand;
use crate::client::counted;
use crate::fault::Fault;

pub(crate) fn run(command: &JournalCommand) -> Result<Ending, Fault> {
    match command {
        JournalCommand::Inspect(arguments) => {
            inspect::run(&arguments.folder.folder, arguments.form.get())
        }
        JournalCommand::Verify(arguments) => {
            verify::run(&arguments.folder.folder, arguments.form.get())
        }
        JournalCommand::Export(arguments) => export::run(arguments),
        JournalCommand::Measure(arguments) => {
            measure::run(&arguments.folder.folder, arguments.form.get())
        }
    }
}

/// Reads the journal of a folder and changes nothing.
fn read(path: &Path, visit: &mut dyn FnMut(Address, &Record<'_>)) -> Result<Survey, Fault> {
    let named = |cause: String| Fault::new(format!("{}: {cause}", path.display()));
    let mut folder = Folder::look(path).map_err(|cause| named(cause.to_string()))?;
    let found = survey(&mut folder, visit).map_err(|cause| named(cause.to_string()))?;
    found.ok_or_else(|| named("there is no journal in this folder".to_owned()))
}

/// What the end of a journal says.
fn ending(survey: &Survey) -> String {
    match survey.torn {
        Some(Torn { at, bytes }) => format!(
            "{} from byte {} of segment {} on are being written, or are torn: they would be cut off \
             when the journal is opened",
            counted(bytes.into(), "byte"),
            at.offset,
            at.segment
        ),
        None if survey.was_closed => "it was closed".to_owned(),
        None => "it is in use, or was not closed".to_owned(),
    }
}
