//! `trunkline lab end`, which the lab runs as it runs its peers

use trunkline_lab::end::{self, Identity};

use crate::Ending;
use crate::arguments::EndArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &EndArguments) -> Result<Ending, Fault> {
    let identity = match arguments {
        EndArguments { bare: true, .. } => Identity::Bare,
        EndArguments { record: true, .. } => Identity::Record,
        _ => Identity::Trunkline,
    };
    end::serve(identity)?;
    Ok(Ending::Right)
}
