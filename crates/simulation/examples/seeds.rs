//! Runs seeds, some with power cuts, and says which checker saw something, if one did.
//!
//! `cargo run -p trunkline-simulation --example seeds -- FIRST LAST`

use std::process::ExitCode;

use trunkline_simulation::{simulate, simulate_power};

/// Steps of a run, and of one with power cuts.
const STEPS: (u32, u32) = (300, 1_000);

/// One seed in so many is run with power cuts too.
const POWER_IN: u64 = 8;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|it| it.parse().ok()).collect();
    let [first, last] = numbers[..] else {
        eprintln!("usage: seeds FIRST LAST");
        return ExitCode::from(2);
    };
    for seed in first..=last {
        let failure = simulate(seed, STEPS.0).err();
        let with_power = || simulate_power(seed, STEPS.1).err();
        let is_chosen = seed.is_multiple_of(POWER_IN);
        if let Some(failure) = failure.or_else(|| is_chosen.then(with_power).flatten()) {
            println!("{failure}");
            return ExitCode::FAILURE;
        }
    }
    println!("right: seeds {first} to {last}");
    ExitCode::SUCCESS
}
