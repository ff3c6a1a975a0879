//! Where the time of a call goes: Ng, Chen and Greenfield's figure 9.
//!
//! The server says what decoding, its function and encoding took (T2, T3, T4). The driver sends bytes
//! made before, so that the rest of a call is the network's and the system's on both ways (T1 and T5).

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::contest::plain;
use super::servers::{Asked, Servers};
use super::{COMPILED_AS_THEY_RUN, Found};
use crate::comparison::lead_metric;
use crate::definition::{Measure, MessageCase, StagesOfCalls, Transport};
use crate::evaluation::Step;
use crate::format::Format;
use crate::measure::Setting;
use crate::measure::pair::BARE;
use crate::peer::PeerError;
use crate::row::{Row, Verdict};
use crate::service::{Connecting, Load, Request, Until};
use crate::subjects::TRUNKLINE;

/// How its cases begin.
pub(crate) const STAGES: &str = "stages";

/// The parts of a call, their sum, and shares of it.
pub(crate) const METRICS: [&str; 10] = [
    "total",
    "deserialise",
    "application",
    "serialise",
    "network",
    "deserialise-share",
    "serialise-share",
    "network-share",
    "codec-share",
    "ahead-of-gsoap-best",
];

/// Milliseconds that a server has to count its calls.
const PATIENCE: u32 = 1_000;

/// One subject in one format.
struct Entry {
    server: usize,
    name: String,
    format: Format,
    to: Connecting,
    requests: Arc<Vec<Request>>,
    /// Total, decoding, application, encoding, network: a list of repetitions each, in nanoseconds.
    parts: [Vec<f64>; 5],
    is_out: bool,
}

pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    servers: &mut Servers,
    found: &mut Found,
    progress: &mut dyn FnMut(Step<'_>),
) {
    for measure in measures {
        let Measure::Stages(asked) = measure else { continue };
        for case in setting.request.definition.messages.cases_named(&asked.messages) {
            let mut progress = |text: &str, share: f64| {
                progress(Step { part: STAGES, text: &format!("{}: {text}", case.name), share });
            };
            let mut entries = enter(setting, asked, case, servers, found);
            run(setting, asked, &mut entries, servers, found, &mut progress);
            rows(setting, case, &entries, found);
        }
    }
}

fn enter(
    setting: &Setting<'_>,
    asked: &StagesOfCalls,
    case: &MessageCase,
    servers: &mut Servers,
    found: &mut Found,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for &format in &asked.formats {
        let ours = Asked { words: "stages".into(), ..plain() };
        let mut chosen = servers.of(setting, found, &ours, format, false);
        chosen.extend(servers.of(setting, found, &plain(), format, true));
        for server in chosen {
            let name = servers.server(server).name.clone();
            let is_first =
                entries.iter().all(|it: &Entry| (&it.name, it.format) != (&name, format));
            // A bare echo has no parts; of ours there is one that times them.
            if name == BARE || !is_first {
                continue;
            }
            let requests = servers.requests(found, (server, format), case, true);
            let (Ok(requests), Ok(to)) = (requests, servers.connecting(server, format)) else {
                continue;
            };
            let parts = Default::default();
            entries.push(Entry { server, name, format, to, requests, parts, is_out: false });
            // What was called for the check is counted before anything is timed.
            thread::sleep(Duration::from_millis(20));
        }
    }
    entries
}

fn run(
    setting: &Setting<'_>,
    asked: &StagesOfCalls,
    entries: &mut [Entry],
    servers: &mut Servers,
    found: &mut Found,
    progress: &mut dyn FnMut(&str, f64),
) {
    let is_quick = setting.request.is_quick;
    let calls = if is_quick { asked.calls.min(1) } else { asked.calls };
    let repetitions = setting.repetitions();
    for repetition in 0..=repetitions {
        progress("taking turns", f64::from(repetition) / f64::from(repetitions + 1));
        let count = entries.len();
        for turn in 0..count {
            let entry = &mut entries[(turn + repetition as usize) % count];
            if entry.is_out {
                continue;
            }
            // The first turn warms up: for as long as it takes where code is compiled as it runs.
            let is_compiled = COMPILED_AS_THEY_RUN.contains(&entry.name.as_str());
            let calls = match (repetition, is_compiled && !is_quick) {
                (0, true) => calls * 8,
                (0, false) => 1,
                _ => calls,
            };
            match entry.take(servers, calls) {
                Ok(()) if repetition == 0 => entry.parts = Default::default(),
                Ok(()) => {}
                Err(why) => {
                    let (name, format) = (&entry.name, entry.format.name());
                    found.faults.push(format!("{name} ({format}), stages: {why}"));
                    entry.is_out = true;
                }
            }
        }
    }
}

impl Entry {
    fn take(&mut self, servers: &mut Servers, calls: u32) -> Result<(), String> {
        let load = Load {
            to: &self.to,
            requests: &self.requests,
            threads: 1,
            depth: 1,
            is_reconnecting: false,
            warm_up: 1,
            until: Until::Calls(calls.into()),
        };
        let peer = &mut servers.server(self.server).peer;
        let told = |error: PeerError| error.to_string();
        peer.stages().map_err(told)?;
        let outcome = load.run().map_err(|failure| failure.to_string())?;
        let expected = outcome.calls + 1;
        let mut stages = peer.stages().map_err(told)?;
        // A call is counted after its answer has been sent.
        for _ in 0..PATIENCE {
            if stages.calls >= expected {
                break;
            }
            thread::sleep(Duration::from_millis(1));
            let more = peer.stages().map_err(told)?;
            stages.decode += more.decode;
            stages.application += more.application;
            stages.encode += more.encode;
            stages.calls += more.calls;
        }
        if stages.calls != expected {
            return Err(format!("the server counted {} calls of {expected}", stages.calls));
        }
        // The call that warms up is among those of the server.
        let of_one = |sum: u64| sum as f64 / stages.calls as f64;
        let total = outcome.nanoseconds as f64 / outcome.calls as f64;
        let of_server = [stages.decode, stages.application, stages.encode].map(of_one);
        let network = (total - of_server.iter().sum::<f64>()).max(0.0);
        let [decode, application, encode] = of_server;
        let parts = [total, decode, application, encode, network];
        for (list, part) in self.parts.iter_mut().zip(parts) {
            list.push(part);
        }
        Ok(())
    }
}

fn rows(setting: &Setting<'_>, case: &MessageCase, entries: &[Entry], found: &mut Found) {
    let name = format!("{STAGES}-{}", case.name);
    for entry in entries {
        let bytes: usize = entry.requests.iter().map(|it| it.bytes.len() - it.head).sum();
        let bytes = bytes / entry.requests.len().max(1);
        let profile = entry.format.profile_over(Transport::Http.profile());
        let profile = format!("{profile}/{bytes}");
        let blank =
            |metric: &str, unit: &str| setting.row(&name, &entry.name, &profile, metric, unit);
        if entry.is_out {
            found.rows.push(Row { verdict: Verdict::WrongAnswer, ..blank("total", "ns") });
            continue;
        }
        for (metric, part) in METRICS.iter().zip(&entry.parts) {
            // Too short to have a spread that means anything.
            let row = blank(metric, "ns").bounded(part);
            let verdict = if *metric == "application" { Verdict::Ok } else { row.verdict };
            found.rows.push(Row { verdict, ..row });
        }
        let [total, decode, _, encode, network] = &entry.parts;
        let codec: Vec<f64> = decode.iter().zip(encode).map(|(one, other)| one + other).collect();
        let shares = [
            ("deserialise", decode),
            ("serialise", encode),
            ("network", network),
            ("codec", &codec),
        ];
        for (metric, part) in shares {
            let share = |(part, total): (&f64, &f64)| part / total * 100.0;
            let shares: Vec<f64> = part.iter().zip(total).map(share).collect();
            found.rows.push(blank(&format!("{metric}-share"), "%").bounded(&shares));
        }
        let ours = entries.iter().find(|it| it.name == TRUNKLINE && it.format == entry.format);
        if let Some(ours) = ours.filter(|_| entry.name != TRUNKLINE) {
            let metric = lead_metric(&entry.name);
            let blank = setting.row(&name, TRUNKLINE, &profile, &metric, "x");
            found.rows.push(blank.compared(total, &ours.parts[0], None));
        }
    }
}
