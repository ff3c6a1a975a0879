//! Calls of services, subject by subject in turns.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::servers::{Asked, Servers};
use super::tally::{Series, Turns};
use crate::evaluation::Step;
use crate::link::Proxy;
use crate::measure::codec::COMPILED_AS_THEY_RUN;
use crate::measure::{Findings, Setting};
use crate::service::{Connecting, Load, Request, Until};
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::calls::{DEPTH, Kind, Situation, peak};
use trunkline_experiment::definition::{Calls, Measure, Transport, Way};
use trunkline_experiment::format::Format;
use trunkline_experiment::link::Link;

/// One subject with what it is sent in a situation.
struct Entry {
    server: usize,
    to: Connecting,
    requests: Arc<Vec<Request>>,
    series: Series,
    /// The shaped link in front of it.
    _proxy: Option<Proxy>,
}

/// Calls of each thread before the clock runs, where a call does not take long.
const WARM_UP: u32 = 4;

/// Repetitions in a quick run last no longer, in milliseconds.
const QUICK_MILLISECONDS: u32 = 12;

/// Threads of which a quick run has figures too.
const MANY: u32 = 16;

/// Whose servers drop what has come behind a request: they get none where requests are pipelined.
const ONE_AT_A_TIME: [&str; 2] = ["gsoap-best", "gsoap-debian"];

/// Does all that measures of calls ask for.
pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    servers: &mut Servers,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let messages = &setting.request.definition.messages;
    for (kind, calls) in measures.iter().filter_map(|measure| measure.calls()) {
        if setting.request.is_quick && !calls.quick {
            continue;
        }
        let mut situations = calls.situations(messages);
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
            let contest = Contest { setting, kind, calls, situation };
            all.extend(contest.run(servers, found, &mut progress));
        }
        if kind == Kind::Saturation {
            super::tally::peaks(setting, found, &situations, &all, peak);
        }
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
    setting: &'a Setting<'a>,
    kind: Kind,
    calls: &'a Calls,
    situation: &'a Situation<'a>,
}

impl Contest<'_> {
    fn run(
        &self,
        servers: &mut Servers,
        found: &mut Findings,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Vec<Series> {
        progress("checking answers", 0.0);
        let mut entries = Vec::new();
        for &format in &self.calls.formats {
            let entered = self.enter(servers, found, format);
            entries.extend(entered);
        }
        for entry in &mut entries {
            if let Err(why) = self.warm_up(servers, entry) {
                self.dismiss(found, entry, &why);
            }
        }
        let repetitions = self.setting.repetitions();
        for repetition in 0..repetitions {
            progress("taking turns", f64::from(repetition) / f64::from(repetitions));
            let count = entries.len();
            for turn in 0..count {
                let entry = &mut entries[(turn + repetition as usize) % count];
                if entry.series.is_out() {
                    continue;
                }
                match self.load(entry, self.until(), self.warm_up_calls()).run() {
                    Ok(outcome) => entry.series.add(outcome),
                    Err(failure) => self.dismiss(found, entry, &failure.to_string()),
                }
            }
        }
        let series: Vec<Series> = entries.into_iter().map(|entry| entry.series).collect();
        Turns { setting: self.setting, is_latency: self.is_latency(), all: &series }.rows(found);
        series
    }

    /// What is compared: how long one call takes, or how many there are in a second.
    fn is_latency(&self) -> bool {
        self.situation.threads == 1 && matches!(self.situation.way, Way::Kept | Way::PerCall)
    }

    fn enter(&self, servers: &mut Servers, found: &mut Findings, format: Format) -> Vec<Entry> {
        let Situation { message, link, way, has_nagle, .. } = *self.situation;
        let messages = &self.setting.request.definition.messages.cases;
        let Some(case) = messages.iter().find(|case| case.name == message) else {
            return Vec::new();
        };
        let transport = self.situation.transport.of(format);
        let asked = Asked { has_nagle, ..Asked::over(transport) };
        let mut entries = Vec::new();
        for server in servers.of(self.setting, found, &asked, format, self.calls.others) {
            let name = servers.server(server).name.clone();
            let series = Series::new(&self.kind.case(self.situation), &name, format, transport);
            if way == Way::Pipelined && ONE_AT_A_TIME.contains(&name.as_str()) {
                found.rows.push(series.without(self.setting, Verdict::Absent));
                continue;
            }
            let is_kept = way != Way::PerCall;
            let made = servers.requests(found, (server, format), case, is_kept);
            let to = servers.connecting(server, format);
            match (made, to) {
                (Ok(requests), Ok(mut to)) => {
                    let proxy = behind(link, to.address);
                    let Ok(proxy) = proxy else {
                        found.faults.push(format!("{link}: no link can be made"));
                        continue;
                    };
                    to.address = proxy.as_ref().map_or(to.address, Proxy::address);
                    let series = series.with_bytes(&requests);
                    entries.push(Entry { server, to, requests, series, _proxy: proxy });
                }
                (Err(_), _) | (_, Err(_)) => {
                    found.rows.push(series.without(self.setting, Verdict::WrongAnswer));
                }
            }
        }
        entries
    }

    /// An untimed turn; longer for what is compiled as it runs.
    fn warm_up(&self, servers: &mut Servers, entry: &Entry) -> Result<(), String> {
        let server = servers.server(entry.server);
        let is_compiled = COMPILED_AS_THEY_RUN.contains(&server.name.as_str());
        let milliseconds = match (is_compiled && !server.is_warm, self.setting.request.is_quick) {
            (false, _) if self.warm_up_calls() == 1 => return Ok(()),
            (false, false) => 10,
            (false, true) => 3,
            (true, false) => 6_000,
            (true, true) => 1_000,
        };
        server.is_warm = true;
        let until = Until::Elapsed(Duration::from_millis(milliseconds));
        let run = self.load(entry, until, 0).run();
        run.map(|_| ()).map_err(|failure| failure.to_string())
    }

    fn warm_up_calls(&self) -> u32 {
        let is_long = self.situation.link != "direct" || self.situation.has_nagle;
        if is_long { 1 } else { WARM_UP }
    }

    fn until(&self) -> Until {
        let most = if self.setting.request.is_quick { QUICK_MILLISECONDS } else { u32::MAX };
        Until::Elapsed(Duration::from_millis(self.calls.milliseconds.min(most).into()))
    }

    fn load<'a>(&self, entry: &'a Entry, until: Until, warm_up: u32) -> Load<'a> {
        let Situation { threads, way, .. } = *self.situation;
        let each = if way == Way::Parallel { DEPTH } else { 1 };
        Load {
            to: &entry.to,
            requests: &entry.requests,
            threads: (threads * each) as usize,
            depth: if way == Way::Pipelined { DEPTH as usize } else { 1 },
            is_reconnecting: way == Way::PerCall,
            warm_up: if way == Way::PerCall { 1 } else { warm_up },
            until,
        }
    }

    /// It takes no more part.
    fn dismiss(&self, found: &mut Findings, entry: &mut Entry, why: &str) {
        let case = self.kind.case(self.situation);
        let series = &mut entry.series;
        let line = format!("{} ({}), {case}: {why}", series.subject, series.format.name());
        series.dismiss();
        found.faults.push(line);
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

fn behind(link: &str, to: SocketAddr) -> Result<Option<Proxy>, String> {
    if link == "direct" {
        return Ok(None);
    }
    let link: Link = link.parse().map_err(|_| "no link".to_owned())?;
    Proxy::start(link, to).map(Some).map_err(|error| error.to_string())
}

/// Used by the others of this folder.
pub(super) fn plain() -> Asked {
    Asked::over(Transport::Http)
}
