//! `trunkline simulate`: the router and its clients under chance, in virtual time.

use serde_json::json;
use trunkline_simulation::{
    CHECKERS, Counts, POWER_CHECKERS, PowerCounts, simulate, simulate_power, table,
};

use crate::Ending;
use crate::arguments::SimulateArguments;
use crate::client::counted;
use crate::fault::Fault;

/// The first of the seeds that are run when the user names none, and how many.
const USUAL: (u64, u64) = (1, 100);

pub(crate) fn run(arguments: &SimulateArguments) -> Result<Ending, Fault> {
    let first = arguments.seed.unwrap_or(USUAL.0);
    let runs = arguments.runs.unwrap_or(if arguments.seed.is_some() { 1 } else { USUAL.1 });
    let last = first
        .checked_add(runs.saturating_sub(1))
        .ok_or_else(|| Fault::new(format!("{runs} seeds from {first} on are too many")))?;
    let (form, steps) = (arguments.form.get(), arguments.steps);
    let seeds =
        if runs == 1 { format!("seed {first}") } else { format!("seeds {first} to {last}") };
    let how = match arguments.power_cut {
        true => "with power cuts",
        false => "with slow clients and in part again without",
    };
    form.say(&format!("{seeds}, {} each, {how}\n\n", counted(steps.into(), "step")))?;
    let ran = match arguments.power_cut {
        true => power_cuts(first, last, steps),
        false => stalls(first, last, steps),
    };
    let (counts, checkers) = match ran {
        Ok(ran) => ran,
        Err(failure) => {
            form.say(&format!("{failure}\n"))?;
            form.fact(&json!({"fact": "failure", "text": failure}))?;
            return Ok(Ending::Wrong);
        }
    };
    form.say(&format!("{}\nright: {}\n", table(&counts), checkers.join(", ")))?;
    for (name, count) in counts {
        form.fact(&json!({"fact": "count", "name": name, "count": count}))?;
    }
    form.fact(&json!({
        "fact": "run", "first_seed": first, "last_seed": last, "steps": steps, "right": checkers,
    }))?;
    Ok(Ending::Right)
}

/// What happened, and what was checked; or what was wrong.
type Ran = Result<(Vec<(&'static str, u64)>, Vec<&'static str>), String>;

fn stalls(first: u64, last: u64, steps: u32) -> Ran {
    let mut counts = Counts::default();
    for seed in first..=last {
        counts.add(&simulate(seed, steps).map_err(|failure| failure.to_string())?.counts);
    }
    let is_checked = |checker: &&str| *checker != "isolation" || counts.compared > 0;
    Ok((counts.lines(), CHECKERS.iter().copied().filter(is_checked).collect()))
}

fn power_cuts(first: u64, last: u64, steps: u32) -> Ran {
    let mut counts = PowerCounts::default();
    for seed in first..=last {
        counts.add(&simulate_power(seed, steps).map_err(|failure| failure.to_string())?);
    }
    Ok((counts.lines(), POWER_CHECKERS.to_vec()))
}
