//! `trunkline lab engine`, which the lab runs as it runs the engines of FIX of others

use trunkline_lab::sessions;

use crate::Ending;
use crate::arguments::EngineArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &EngineArguments) -> Result<Ending, Fault> {
    sessions::serve(&arguments.name)?;
    Ok(Ending::Right)
}
