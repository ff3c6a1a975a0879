//! The router under chance: the real [`Engine`](crate::Engine) and the real client library, over
//! streams and a clock that are simulated.
//!
//! Everything in a run follows from one number, its seed: who takes part, what they do, where streams
//! cut what is written, which clients stop reading, die or send garbage. There is no other clock and
//! no thread, so that a run that fails can be had again.
//!
//! Every byte that the router takes is read a second time, by code that knows the protocol and nothing
//! of the router; that says what was published. Every byte that the router writes is held against it:
//!
//! - *order*: within a subscription and topic sequences rise, and so do the numbers of each publisher;
//! - *gaps*: a leap of the sequence is explained to the last message, by losses told before it and by
//!   updates replaced;
//! - *conflation*: no update comes before its time, and each says truly how old it is;
//! - *rate*, *queue*: no client gets more in a second, or has more waiting, than it asked for;
//! - *ledger*: every match's, client's and the total add up, and agree with what was published, what
//!   was written and what the client saw, less what was under way when it died;
//! - *client library*: its events are what the router wrote;
//! - *isolation*: each run is repeated with its slow clients reading fast, and all others see the same,
//!   at the same times;
//! - *settling*: when everything has been read, nothing waits and everything is explained.

use std::fmt::Write as _;

mod actor;
mod books;
mod history;
mod host;
mod link;
mod payload;
mod power;
mod random;
mod reader;
mod report;
mod scenario;
mod seen;
#[cfg(test)]
mod tests;
mod world;

pub use power::{POWER_CHECKERS, PowerCounts, simulate_power};
pub use report::{Counts, Failure, Report};

use report::Violation;
use world::{Variant, compare};

/// What is checked in every run.
pub const CHECKERS: &[&str] = &[
    "order",
    "gaps",
    "conflation",
    "rates",
    "queues",
    "ledger",
    "client library",
    "isolation",
    "settling",
];

/// Lets what follows from a seed happen, for so many steps of its clock: once as it is and once with
/// the slow clients fast.
///
/// # Errors
///
/// A checker saw something; the failure tells the last events before it.
pub fn simulate(seed: u64, steps: u32) -> Result<Report, Box<Failure>> {
    simulate_twice(seed, steps, false).map_err(|failure| {
        // Once more, with words for what happened.
        match simulate_twice(seed, steps, true) {
            Err(failure) => failure,
            Ok(_) => Box::new(Failure {
                checker: "simulation",
                what: format!("seed {seed} failed, and did not when it was repeated: {failure}"),
                ..*failure
            }),
        }
    })
}

fn simulate_twice(seed: u64, steps: u32, is_traced: bool) -> Result<Report, Box<Failure>> {
    let run =
        |slow_are_fast| world::run(seed, steps, Variant { slow_are_fast, is_traced, meddle: None });
    let (slow, fast) = (run(false)?, run(true)?);
    let mut counts = slow.counts;
    match compare(&slow.sights, &fast.sights) {
        Ok(compared) => counts.compared = compared,
        Err(Violation { checker, what }) => {
            let (turn, time) = (counts.turns, counts.milliseconds * 1_000_000);
            let recent = Vec::new();
            return Err(Box::new(Failure { seed, steps, turn, time, checker, what, recent }));
        }
    }
    Ok(Report { seed, counts })
}

/// What happened, as a table.
pub fn table(lines: &[(&'static str, u64)]) -> String {
    let mut table = String::new();
    for (label, count) in lines {
        // Writing into a string does not fail.
        let _ = writeln!(table, "{count:>12}  {label}");
    }
    table
}
