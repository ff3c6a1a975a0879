//! `trunkline lab end`, which the lab runs as it runs its peers

use trunkline_lab::end::{self, Identity};

use crate::Ending;
use crate::arguments::EndArguments;
use crate::fault::Fault;

pub(crate) fn run(arguments: &EndArguments) -> Result<Ending, Fault> {
    let identity = if arguments.bare { Identity::Bare } else { Identity::Trunkline };
    end::serve(identity)?;
    Ok(Ending::Right)
}
