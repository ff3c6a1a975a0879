//! `trunkline simulate`: the router and its clients under chance, in virtual time.

use trunkline_simulation::{
    CHECKERS, Counts, POWER_CHECKERS, PowerCounts, simulate, simulate_power, table,
};

use crate::Ending;
use crate::arguments::SimulateArguments;
use crate::fault::Fault;
use crate::output::print;

/// The first of the seeds that are run when the user names none, and how many.
const USUAL: (u64, u64) = (1, 100);

pub(crate) fn run(arguments: &SimulateArguments) -> Result<Ending, Fault> {
    let first = arguments.seed.unwrap_or(USUAL.0);
    let runs = arguments.runs.unwrap_or(if arguments.seed.is_some() { 1 } else { USUAL.1 });
    let last = first
        .checked_add(runs.saturating_sub(1))
        .ok_or_else(|| Fault::new(format!("{runs} seeds from {first} on are too many")))?;
    let seeds =
        if runs == 1 { format!("seed {first}") } else { format!("seeds {first} to {last}") };
    let steps = arguments.steps;
    if arguments.power_cut {
        print(&format!("{seeds}, {steps} steps each, with power cuts\n\n"))?;
        let mut counts = PowerCounts::default();
        for seed in first..=last {
            match simulate_power(seed, steps) {
                Ok(more) => counts.add(&more),
                Err(failure) => {
                    print(&format!("{failure}\n"))?;
                    return Ok(Ending::Wrong);
                }
            }
        }
        print(&format!("{}\nright: {}\n", table(&counts.lines()), POWER_CHECKERS.join(", ")))?;
        return Ok(Ending::Right);
    }
    print(&format!(
        "{seeds}, {steps} steps each, with slow clients and in part again without\n\n"
    ))?;
    let mut counts = Counts::default();
    for seed in first..=last {
        match simulate(seed, steps) {
            Ok(report) => counts.add(&report.counts),
            Err(failure) => {
                print(&format!("{failure}\n"))?;
                return Ok(Ending::Wrong);
            }
        }
    }
    let is_checked = |checker: &&str| *checker != "isolation" || counts.compared > 0;
    let checkers: Vec<&str> = CHECKERS.iter().copied().filter(is_checked).collect();
    print(&format!("{}\nright: {}\n", table(&counts.lines()), checkers.join(", ")))?;
    Ok(Ending::Right)
}
