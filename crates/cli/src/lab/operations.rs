//! `trunkline lab operations`, which the lab runs as it runs the other toolkits

use trunkline_experiment::toolkits::Service;
use trunkline_lab::operations::{self, Identity};

use crate::Ending;
use crate::arguments::OperationsArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &OperationsArguments) -> Result<Ending, Fault> {
    let identity = match arguments {
        OperationsArguments { bare: true, .. } => Identity::Bare,
        OperationsArguments { arrays: true, .. } => Identity::Trunkline(Service::Arrays),
        _ => Identity::Trunkline(Service::Operations),
    };
    operations::serve(identity)?;
    Ok(Ending::Right)
}
