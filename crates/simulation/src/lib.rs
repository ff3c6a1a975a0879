//! The router's event loop over simulated streams, clock and disk, with checkers, from one number
//!
//! What runs is the real [`EventLoop`](trunkline_server::EventLoop) with the real engine and its sessions, and the
//! real client library; pages in browsers speak WebSocket by themselves. Simulated is its [`Platform`](trunkline_server::Platform): streams that hold so many bytes, listeners,
//! the clock, and a disk that takes its time.
//!
//! Everything in a run follows from one number, its seed: who takes part, what they do, where streams
//! cut what is written, which clients stop reading, die or send garbage. There is no other clock and
//! no thread, so that a run that fails can be had again.
//!
//! Every byte that the router takes is read a second time, by code that knows the protocol and nothing
//! of the router; that says what was published. Every byte that it writes into a stream, and every byte that waits for
//! room in one, is held against it:
//!
//! - *order*: within a subscription and topic sequences rise, and so do the numbers of each publisher;
//! - *last values*: those of a new subscription's topics come before what is published afterwards, each once, and the
//!   client is told when it has had all;
//! - *gaps*: a leap of the sequence is explained to the last message, by losses told before it and by
//!   updates replaced;
//! - *conflation*: no update comes before its time, and each says truly how old it is;
//! - *rate*, *queue*: no client gets more in a second, or has more waiting, than it asked for;
//! - *ledger*: every match's, client's and the total add up, and agree with what was published, what
//!   was written and what the client saw, and nothing of those that are gone is lost or counted twice;
//! - *client library*: its events are what the router wrote;
//! - *isolation*: each run in which clients act one after the other is repeated with its slow clients reading
//!   fast, and all others see the same, at the same times; in other runs what is sent comes at once, in any order;
//! - *fairness*: a client that sends much keeps no other waiting for longer than one share of each; who has
//!   output and room for it is written to;
//! - *back-pressure*: a stream without room is not written to, a client that has to read first is not read from,
//!   little is kept of anybody, and no turn is made for nothing;
//! - *lingering*: who is told to go reads why, and is gone by its time;
//! - *settling*: when everything has been read, nothing waits and everything is explained.

#![forbid(unsafe_code)]

use std::fmt::Write as _;

mod actor;
#[cfg(test)]
mod attacks;
mod conversions;
#[cfg(test)]
mod formats;
mod history;
mod host;
mod kernel;
mod link;
mod model;
mod page;
mod payload;
mod power;
mod reader;
mod report;
mod scenario;
mod seen;
mod simulated;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads;
mod watch;
mod world;

pub use power::{POWER_CHECKERS, PowerCounts, simulate_power};
pub use report::{Counts, Failure, Report};

use world::{Variant, compare};

/// What is checked in every run; isolation, in those that are repeated ([`Counts::compared`]).
pub const CHECKERS: &[&str] = &[
    "order",
    "last values",
    "gaps",
    "conflation",
    "rate",
    "queue",
    "ledger",
    "matching",
    "delivery",
    "reading",
    "output",
    "conversation",
    "requests",
    "clock",
    "client library",
    "isolation",
    "fairness",
    "back-pressure",
    "lingering",
    "settling",
];

/// Lets what follows from a seed happen, for so many steps of its clock; where clients act one after the other,
/// once more with the slow clients fast.
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
        |slow_are_fast| world::run(seed, steps, Variant { slow_are_fast, is_traced, tamper: None });
    let slow = run(false)?;
    let mut counts = slow.counts;
    if !slow.is_one_by_one {
        return Ok(Report { seed, counts });
    }
    let fast = run(true)?;
    match compare(&slow.observations, &fast.observations) {
        Ok(compared) => counts.compared = compared,
        Err(seen) => {
            let at = (counts.turns, counts.milliseconds * 1_000_000);
            return Err(Failure::new((seed, steps), at, seen, Vec::new()));
        }
    }
    Ok(Report { seed, counts })
}

/// The defaults, for clients from everywhere.
fn open_config() -> trunkline_server::Config {
    let mut config = trunkline_server::Config::default();
    config.access.anonymous = trunkline_server::config::Anonymous::Everywhere;
    config
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
