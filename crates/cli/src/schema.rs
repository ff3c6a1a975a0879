//! `trunkline schema NAME`

use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &SchemaArguments) -> Result<Ending, Fault> {
    Err(Fault::new(format!(
        "there is no message {:?}; known: none by this version",
        arguments.name
    )))
}
