//! This build of `trunkline` beside another: each works in processes of its own, which answer the questions of
//! peers (`trunkline lab end`), so that both are timed alike.

use std::path::Path;

use crate::peer::{ANSWER_TIMEOUT, Peer};
use crate::subjects::{Contestant, State, admit};
use trunkline_experiment::format::Format;
use trunkline_experiment::subjects::{BUILDS, RECORD_FORMATS, THIS_ON_RECORDS, TRUNKLINE};

/// Whether the program is a build of `trunkline` that can take part.
///
/// # Errors
/// Says what is wrong with it, in one line.
pub fn try_build(program: &Path) -> Result<(), String> {
    let is_not = |why: String| format!("{}: is no build of trunkline: {why}", program.display());
    let peer = Peer::start_with(BUILDS[0][1], program, &END, ANSWER_TIMEOUT)
        .map_err(|error| is_not(error.to_string()))?;
    match &*peer.greeting().name {
        TRUNKLINE => Ok(()),
        name => Err(is_not(format!("it says that it is {name}"))),
    }
}

/// The arguments that let a build answer questions, of structs and of records.
pub(crate) const END: [&str; 2] = ["lab", "end"];
pub(crate) const RECORD_END: [&str; 3] = ["lab", "end", "--record"];

/// Starts both builds, once for each of the formats and for what they decode into.
pub(crate) fn contestants(builds: [&Path; 2], formats: &[Format]) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for names in BUILDS {
        let is_on_records = names[0] == THIS_ON_RECORDS;
        let arguments: &[&str] = if is_on_records { &RECORD_END } else { &END };
        let can = |format: &Format| !is_on_records || RECORD_FORMATS.contains(format);
        for &format in formats.iter().filter(|format| can(format)) {
            for (name, program) in names.into_iter().zip(builds) {
                let state = match Peer::start_with(name, program, arguments, ANSWER_TIMEOUT) {
                    Err(error) => State::Broken(error.to_string()),
                    Ok(peer) => admit(peer, format, name),
                };
                contestants.push(Contestant { name, format, state });
            }
        }
    }
    contestants
}
