//! Short and long messages at once, behind pools of several sizes: what the order of work is worth.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::contest::plain;
use super::servers::{Asked, Servers};
use super::tally::{Series, Turns};
use crate::evaluation::Step;
use crate::measure::{Findings, Setting};
use crate::service::{Connecting, Failure, Load, Outcome, Request, Until};
use trunkline_experiment::definition::{Measure, Pool, PoolOrder, Transport};
use trunkline_experiment::format::Format;
use trunkline_experiment::subjects::TRUNKLINE;

/// A server with a pool, and what both kinds of callers send.
struct Entry {
    to: Connecting,
    requests: [Arc<Vec<Request>>; 2],
    series: [Series; 2],
}

pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    servers: &mut Servers,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    for measure in measures {
        let Measure::Pool(asked) = measure else { continue };
        for &format in &asked.formats {
            let mut entries = Vec::new();
            for &size in &asked.sizes {
                for &order in &asked.orders {
                    entries.extend(enter(setting, asked, (format, size, order), servers, found));
                }
            }
            run(setting, asked, &mut entries, found, progress);
            for entry in entries {
                Turns { setting, is_latency: true, all: &entry.series }.rows(found);
            }
        }
    }
}

fn enter(
    setting: &Setting<'_>,
    asked: &Pool,
    (format, size, order): (Format, u32, PoolOrder),
    servers: &mut Servers,
    found: &mut Findings,
) -> Option<Entry> {
    let words = format!("pool {size} {}", order.name());
    let server = servers.of(setting, found, &Asked { words, ..plain() }, format, false);
    let server = *server.first()?;
    let mut made = Vec::new();
    for name in &asked.messages {
        let messages = &setting.request.definition.messages;
        let case = messages.cases.iter().find(|case| case.name == *name)?;
        made.push(servers.requests(found, (server, format), case, true).ok()?);
    }
    let requests: [Arc<Vec<Request>>; 2] = made.try_into().ok()?;
    let to = servers.connecting(server, format).ok()?;
    let series = [0, 1].map(|index| {
        let case = Pool::case(size, order, &asked.messages[index]);
        Series::new(&case, TRUNKLINE, format, Transport::Http).with_bytes(&requests[index])
    });
    Some(Entry { to, requests, series })
}

fn run(
    setting: &Setting<'_>,
    asked: &Pool,
    entries: &mut [Entry],
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let repetitions = setting.repetitions();
    let most = if setting.request.is_quick { 60 } else { u32::MAX };
    let time = Duration::from_millis(asked.milliseconds.min(most).into());
    for repetition in 0..=repetitions {
        let share = f64::from(repetition) / f64::from(repetitions + 1);
        progress(Step { part: "pool", text: "taking turns", share });
        let count = entries.len();
        for turn in 0..count {
            let entry = &mut entries[(turn + repetition as usize) % count];
            if entry.series[0].is_out() {
                continue;
            }
            match entry.both(asked.threads, time) {
                // The first turn warms up.
                Ok(_) if repetition == 0 => {}
                Ok(outcomes) => {
                    for (series, outcome) in entry.series.iter_mut().zip(outcomes) {
                        series.add(outcome);
                    }
                }
                Err(failure) => {
                    found.faults.push(format!("{TRUNKLINE}, pool: {failure}"));
                    entry.series.iter_mut().for_each(|series| series.dismiss());
                }
            }
        }
    }
}

impl Entry {
    /// Both kinds of callers at the same time.
    fn both(&self, threads: u32, time: Duration) -> Result<[Outcome; 2], Failure> {
        let load = |index: usize| Load {
            to: &self.to,
            requests: &self.requests[index],
            threads: threads as usize,
            depth: 1,
            is_reconnecting: false,
            warm_up: 2,
            until: Until::Elapsed(time),
        };
        let (short, long) = thread::scope(|scope| {
            let long = scope.spawn(move || load(1).run());
            let short = load(0).run();
            (short, long.join().unwrap_or(Err(Failure::Ended)))
        });
        Ok([short?, long?])
    }
}
