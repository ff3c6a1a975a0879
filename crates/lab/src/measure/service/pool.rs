//! Short and long messages at once, behind pools of several sizes: what the order of work is worth.

use std::thread;
use std::time::Duration;

use super::servers::{Asked, Entry, Servers};
use super::tally::{self, LATENCY};
use crate::evaluation::Step;
use crate::service::{Failure, Load, Outcome, Until};
use trunkline_experiment::definition::{Pool, PoolOrder};
use trunkline_experiment::format::Format;

pub(super) fn measure(servers: &mut Servers<'_>, asked: &Pool, progress: &mut dyn FnMut(Step<'_>)) {
    let setting = servers.setting;
    let most = if setting.request.is_quick { 60 } else { u32::MAX };
    let time = Duration::from_millis(asked.milliseconds.min(most).into());
    let mut progress = |text: &str, share: f64| progress(Step { part: "pool", text, share });
    for &format in &asked.formats {
        let mut pairs = Vec::new();
        for &size in &asked.sizes {
            for &order in &asked.orders {
                pairs.extend(enter(servers, asked, (format, size, order)));
            }
        }
        // The first turn warms up.
        let repetitions = setting.repetitions() + 1;
        servers.take_turns(&mut pairs, repetitions, &mut progress, |_, pair, repetition| {
            let outcomes = both(pair, asked.threads, time)?;
            for (entry, outcome) in pair.iter_mut().zip(&outcomes).filter(|_| repetition > 0) {
                entry.series.add_outcome(outcome);
            }
            Ok(())
        });
        for pair in pairs {
            tally::rows(setting, LATENCY, &pair.map(|entry| entry.series), servers.found);
        }
    }
}

/// A server with a pool, and what both kinds of callers send.
fn enter(
    servers: &mut Servers<'_>,
    asked: &Pool,
    (format, size, order): (Format, u32, PoolOrder),
) -> Option<[Entry; 2]> {
    let words = format!("pool {size} {}", order.name());
    let pooled = Asked { words, ..Asked::plain() };
    let messages = &servers.setting.request.definition.messages;
    let mut entries = Vec::new();
    for name in &asked.messages {
        let message = messages.cases.iter().find(|case| case.name == *name)?;
        let case = Pool::case(size, order, name);
        entries.extend(servers.enter(&pooled, format, (&case, message, true), None));
    }
    entries.try_into().ok()
}

/// Both kinds of callers at the same time.
fn both(pair: &[Entry; 2], threads: u32, time: Duration) -> Result<[Outcome; 2], Failure> {
    let load = |entry: &Entry| {
        let (threads, until) = (threads as usize, Until::Elapsed(time));
        Load { threads, warm_up: 2, until, ..Load::new(&entry.to, &entry.requests) }.run()
    };
    let [short, long] = pair;
    let (short, long) = thread::scope(|scope| {
        let long = scope.spawn(|| load(long));
        (load(short), long.join().unwrap_or(Err(Failure::Ended)))
    });
    Ok([short?, long?])
}
