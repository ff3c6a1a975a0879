//! `trunkline schema SAMPLE...`: a first description of messages of which there is no other.

use trunkline_import::sample::{Note, Sample, is_sample};
use trunkline_import::{Description, Limits};

use super::display;
use super::written::{Target, stem};
use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::description::file_at;
use crate::fault::Fault;
use crate::output::{self, remark};

/// What was found in the files, if the first one is a sample.
pub(super) fn read(arguments: &SchemaArguments) -> Result<Option<Sample>, Fault> {
    let limits = Limits::default();
    let bytes_of = |path: &str| {
        let found = file_at(path, limits.document_bytes);
        found.map_err(|why| Fault::new(format!("{path}: it cannot be read: {why}")))
    };
    let SchemaArguments { name: first, message, samples, .. } = arguments;
    let Some(bytes) = bytes_of(first)?.filter(|it| is_sample(it)) else { return Ok(None) };
    let mut files = vec![(&**first, bytes)];
    for path in message.iter().chain(samples) {
        let bytes = bytes_of(path)?;
        let bytes = bytes.ok_or_else(|| Fault::new(format!("{path}: there is no such file")))?;
        files.push((path, bytes));
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (*path, &**bytes)).collect();
    Ok(Some(Sample::read(&files, stem(first), &limits)?))
}

/// Prints the description, with what samples leave open: in a listing as comments, else on standard error.
pub(super) fn print(
    arguments: &SchemaArguments,
    sample: Sample,
    target: Option<Target>,
) -> Result<Ending, Fault> {
    let Sample { described, headers, notes } = sample;
    for Note { path, what } in &notes {
        match arguments.listing {
            true => {
                output::print(&format!("# {}: {}\n", output::plain(path), output::plain(what)))?
            }
            false => remark(&format!("{path}: {what}")),
        }
    }
    for header in &headers {
        let name = header.layout.name();
        match target {
            Some(_) => {
                remark(&format!("left out: {name}: a header block is no part of the message"))
            }
            // A listing is of one message.
            None if arguments.listing => {
                let lines: String =
                    header.listing().lines().map(|it| format!("# {it}\n")).collect();
                output::print(&lines)?;
            }
            None => {}
        }
    }
    if let Some(target) = target {
        let description = Description::Sample(Box::new(described));
        return target.of_description(arguments, &description, None);
    }
    display(arguments, &described)?;
    for header in headers.iter().filter(|_| !arguments.listing) {
        arguments.form.get().say("\n")?;
        display(arguments, header)?;
    }
    Ok(Ending::Right)
}
