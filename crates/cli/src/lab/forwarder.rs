//! `trunkline lab forwarder`, which the lab runs beside brokers

use crate::Ending;
use crate::arguments::ForwarderArguments;
use crate::fault::Fault;

#[cfg(target_os = "linux")]
pub(crate) fn run(arguments: &ForwarderArguments) -> Result<Ending, Fault> {
    use std::process::ExitCode;
    let ended = trunkline_bench_bus::forwarder::main(&arguments.arguments);
    Ok(if ended == ExitCode::SUCCESS { Ending::Right } else { Ending::Wrong })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &ForwarderArguments) -> Result<Ending, Fault> {
    Err(Fault::new("the bare forwarder is a program for Linux"))
}
