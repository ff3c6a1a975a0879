//! `trunkline schema --rust`: a description as another.

use trunkline_export::{LeftOut, Written, rust};
use trunkline_message::Layout;

use super::unknown_message;
use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::description;
use crate::fault::Fault;
use crate::output::{print, remark};

/// Prints a description of all that is in a file, or of one message of it.
pub(super) fn of_file(arguments: &SchemaArguments) -> Result<Ending, Fault> {
    let SchemaArguments { name: file, message, .. } = arguments;
    let description = description::read(file, &arguments.description)?;
    if let Some(message) = message
        && description.layout(message)?.is_none()
    {
        return Err(unknown_message(&description, file, message));
    }
    description.warnings().iter().for_each(|it| remark(&it.to_string()));
    let written = rust::module(file, &description, message.as_deref())?;
    printed(file, &written)
}

/// The same of a message that the binary knows.
pub(super) fn of_layout(name: &str, layout: &Layout) -> Result<Ending, Fault> {
    printed(name, &rust::of_layout(name, layout))
}

/// Prints what was written, and what is not in it on standard error; it is an error if nothing is.
fn printed(file: &str, written: &Written) -> Result<Ending, Fault> {
    for LeftOut { what, why } in &written.left_out {
        remark(&format!("left out: {what}: {why}"));
    }
    if written.count == 0 {
        return Err(Fault::new(format!("{file}: nothing in it can be written")));
    }
    print(&written.text)?;
    Ok(Ending::Right)
}
