//! `trunkline lab echo-slope`, which the lab runs in a namespace of its own

use trunkline_lab::link::check::{CheckEffort, echo_times_at};

use crate::Ending;
use crate::arguments::EchoSlopeArguments;
use crate::fault::Fault;
use crate::output::print;

pub(crate) fn run(arguments: &EchoSlopeArguments) -> Result<Ending, Fault> {
    let effort = CheckEffort { repetitions: arguments.repetitions, passes: arguments.passes };
    let times = echo_times_at(arguments.port, effort)?;
    print(&format!("{}\n", serde_json::to_string(&times)?))?;
    Ok(Ending::Right)
}
