//! Calls of services, subject by subject in turns.

use std::time::Duration;

use super::servers::{Asked, Entry, Servers};
use super::tally::{self, LATENCY, RATE, Series};
use crate::evaluation::Step;
use crate::measure::codec::COMPILED_AS_THEY_RUN;
use crate::service::{Failure, Load, Until};
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::calls::{DEPTH, Kind, Situation};
use trunkline_experiment::definition::{Calls, Measure, Way};
use trunkline_experiment::format::Format;

/// Calls of each thread before the clock runs, where a call does not take long.
const WARM_UP: u32 = 4;

/// Repetitions in a quick run last no longer, in milliseconds.
const QUICK_MILLISECONDS: u32 = 12;

/// Threads of which a quick run has figures too.
const MANY: u32 = 16;

/// Whose servers drop what has come behind a request, or answer it wrongly: they get none where requests are pipelined.
const ONE_AT_A_TIME: [&str; 3] = ["gsoap-best", "gsoap-debian", "asmx"];

/// Does all that a measure of calls asks for.
pub(super) fn measure(
    servers: &mut Servers<'_>,
    kind: Kind,
    calls: &Calls,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let setting = servers.setting;
    if setting.request.is_quick && !calls.quick {
        return;
    }
    let mut situations = calls.situations(&setting.request.definition.messages);
    if setting.request.is_quick {
        shorten(kind, calls, &mut situations);
    }
    let count = situations.len();
    let mut all = Vec::new();
    for (index, situation) in situations.iter().enumerate() {
        let case = kind.case(situation);
        let mut progress = |text: &str, share: f64| {
            let share = (index as f64 + share) / count as f64;
            progress(Step { part: kind.name(), text: &format!("{case}: {text}"), share });
        };
        let contest = Contest { case: &case, calls, situation, is_quick: setting.request.is_quick };
        all.extend(contest.run(servers, &mut progress));
    }
    if kind == Kind::Saturation {
        tally::peaks(setting, servers.found, &situations, &all);
    }
}

/// A look needs two numbers of threads, and one message but for latency.
fn shorten(kind: Kind, calls: &Calls, situations: &mut Vec<Situation<'_>>) {
    let many = calls.threads.iter().find(|it| **it == MANY).or(calls.threads.last());
    let ends = [calls.threads.first(), many];
    situations.retain(|it| ends.contains(&Some(&it.threads)));
    let is_direct = |it: &Situation<'_>| it.link == "direct";
    if let Some(first) = situations.first().map(|it| it.message.to_owned()) {
        situations.retain(|it| it.message == first || (kind == Kind::Latency && is_direct(it)));
    }
}

/// One situation of a measure.
struct Contest<'a> {
    case: &'a str,
    calls: &'a Calls,
    situation: &'a Situation<'a>,
    is_quick: bool,
}

impl Contest<'_> {
    fn run(&self, servers: &mut Servers<'_>, progress: &mut dyn FnMut(&str, f64)) -> Vec<Series> {
        progress("checking answers", 0.0);
        let mut entries = Vec::new();
        for &format in &self.calls.formats {
            entries.extend(self.enter(servers, format));
        }
        for entry in &mut entries {
            if let Err(failure) = self.warm_up(servers, entry) {
                servers.dismiss(entry.as_mut(), &failure);
            }
        }
        let repetitions = servers.setting.repetitions();
        servers.take_turns(&mut entries, repetitions, progress, |_, entry, _| {
            let outcome = self.load(entry, self.until(), self.warm_up_calls()).run()?;
            entry.series.add_outcome(&outcome);
            Ok(())
        });
        let series: Vec<Series> = entries.into_iter().map(|entry| entry.series).collect();
        let is_latency =
            self.situation.threads == 1 && matches!(self.situation.way, Way::Kept | Way::PerCall);
        let main = if is_latency { LATENCY } else { RATE };
        tally::rows(servers.setting, main, &series, servers.found);
        series
    }

    /// Those who take part with a format, each with the shaped link in front of it.
    fn enter(&self, servers: &mut Servers<'_>, format: Format) -> Vec<Entry> {
        let Situation { message, link, way, has_nagle, transport, .. } = *self.situation;
        let setting = servers.setting;
        let messages = &setting.request.definition.messages.cases;
        let Some(message) = messages.iter().find(|case| case.name == message) else {
            return Vec::new();
        };
        let transport = transport.of(format);
        let asked = Asked { has_nagle, ..Asked::over(transport) };
        let can = |name: &str| way != Way::Pipelined || !ONE_AT_A_TIME.contains(&name);
        for index in servers.of(&asked, format, self.calls.others) {
            let name = servers.server(index).name.clone();
            if !can(&name) {
                let series = Series::of_calls((self.case, &name), format, transport, &[]);
                servers.found.rows.push(series.without(setting, LATENCY, Verdict::Absent));
            }
        }
        let others: Option<&dyn Fn(&str) -> bool> =
            if self.calls.others { Some(&can) } else { None };
        let is_kept = way != Way::PerCall;
        let mut entries = Vec::new();
        for entry in servers.enter(&asked, format, (self.case, message, is_kept), others) {
            entries.extend(servers.behind(link, entry));
        }
        entries
    }

    /// An untimed turn; longer for what is compiled as it runs.
    fn warm_up(&self, servers: &mut Servers<'_>, entry: &Entry) -> Result<(), Failure> {
        let server = servers.server(entry.server);
        let is_compiled = COMPILED_AS_THEY_RUN.contains(&server.name.as_str());
        let milliseconds = match (is_compiled && !server.is_warm, self.is_quick) {
            (false, _) if self.warm_up_calls() == 1 => return Ok(()),
            (false, false) => 10,
            (false, true) => 3,
            (true, false) => 6_000,
            (true, true) => 1_000,
        };
        server.is_warm = true;
        let until = Until::Elapsed(Duration::from_millis(milliseconds));
        self.load(entry, until, 0).run().map(|_| ())
    }

    fn warm_up_calls(&self) -> u32 {
        let is_long = self.situation.link != "direct" || self.situation.has_nagle;
        if is_long { 1 } else { WARM_UP }
    }

    fn until(&self) -> Until {
        let most = if self.is_quick { QUICK_MILLISECONDS } else { u32::MAX };
        Until::Elapsed(Duration::from_millis(self.calls.milliseconds.min(most).into()))
    }

    fn load<'a>(&self, entry: &'a Entry, until: Until, warm_up: u32) -> Load<'a> {
        let Situation { threads, way, .. } = *self.situation;
        let each = if way == Way::Parallel { DEPTH } else { 1 };
        Load {
            threads: (threads * each) as usize,
            depth: if way == Way::Pipelined { DEPTH as usize } else { 1 },
            is_reconnecting: way == Way::PerCall,
            warm_up: if way == Way::PerCall { 1 } else { warm_up },
            until,
            ..Load::new(&entry.to, &entry.requests)
        }
    }
}

/// The most connections at the same time that any of the measures has.
pub(super) fn connections(measures: &[&Measure]) -> u32 {
    let of_calls = measures.iter().filter_map(|measure| measure.calls()).map(|(_, calls)| {
        let each = if calls.ways.contains(&Way::Parallel) { DEPTH } else { 1 };
        calls.threads.iter().copied().max().unwrap_or(1) * each
    });
    of_calls.max().unwrap_or(1).max(4)
}
