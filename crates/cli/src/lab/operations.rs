//! `trunkline lab operations`, which the lab runs as it runs the other toolkits

use trunkline_lab::operations::{self, Identity};

use crate::Ending;
use crate::arguments::OperationsArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &OperationsArguments) -> Result<Ending, Fault> {
    let identity = if arguments.bare { Identity::Bare } else { Identity::Trunkline };
    operations::serve(identity)?;
    Ok(Ending::Right)
}
