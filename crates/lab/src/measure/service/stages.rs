//! Where the time of a call goes: Ng, Chen and Greenfield's figure 9.
//!
//! The server says what decoding, its function and encoding took (T2, T3, T4). The driver sends bytes
//! made before, so that the rest of a call is the network's and the system's on both ways (T1 and T5).

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::contest::plain;
use super::servers::{Asked, Servers};
use crate::evaluation::Step;
use crate::measure::codec::COMPILED_AS_THEY_RUN;
use crate::measure::{Findings, Setting};
use crate::peer::{PeerError, Stages};
use crate::service::{Connecting, Load, Request, Until};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::calls::PARTS;
use trunkline_experiment::definition::{Measure, MessageCase, StagesOfCalls, Transport};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{BARE, STAGES, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;

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
    found: &mut Findings,
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
    found: &mut Findings,
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
    found: &mut Findings,
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
        let parts = parts(&load, &mut || peer.stages().map_err(told))?;
        for (list, part) in self.parts.iter_mut().zip(parts) {
            list.push(part);
        }
        Ok(())
    }
}

/// Total, decoding, application, encoding and network of one call, in nanoseconds: the mean of those that
/// are timed. What warms up is asked for before and thrown away, on both sides alike; `stages` tells what
/// the server has counted since it was asked last.
fn parts(
    load: &Load<'_>,
    stages: &mut dyn FnMut() -> Result<Stages, String>,
) -> Result<[f64; 5], String> {
    stages()?;
    let mut warmed_up: Result<(), String> = Ok(());
    let outcome = load.run_after(&mut || {
        warmed_up = counted(stages, load.warm_up.into()).map(|_| ());
    });
    // A call that failed is why the server has not counted it.
    let outcome = outcome.map_err(|failure| match warmed_up {
        Ok(()) => failure.to_string(),
        Err(_) => format!("warming up: {failure}"),
    })?;
    warmed_up.map_err(|why| format!("warming up: {why}"))?;
    let stages = counted(stages, outcome.calls)?;
    let of_one = |sum: u64| sum as f64 / outcome.calls as f64;
    let total = of_one(outcome.nanoseconds);
    let [decode, application, encode] =
        [stages.decode, stages.application, stages.encode].map(of_one);
    let of_server = decode + application + encode;
    // The end of an answer may reach us before the server looks at its clock.
    if of_server > total * 1.2 + 200_000.0 {
        return Err(format!(
            "the server says that a call took it {of_server:.0} ns, of {total:.0} in all"
        ));
    }
    Ok([total, decode, application, encode, (total - of_server).max(0.0)])
}

/// What so many calls took at the server. A call is counted after its answer has been sent.
fn counted(
    stages: &mut dyn FnMut() -> Result<Stages, String>,
    calls: u64,
) -> Result<Stages, String> {
    let mut sum = stages()?;
    for _ in 0..PATIENCE {
        if sum.calls >= calls {
            break;
        }
        thread::sleep(Duration::from_millis(1));
        let more = stages()?;
        sum.decode += more.decode;
        sum.application += more.application;
        sum.encode += more.encode;
        sum.calls += more.calls;
    }
    match sum.calls == calls {
        true => Ok(sum),
        false => Err(format!("the server counted {} calls of {calls}", sum.calls)),
    }
}

fn rows(setting: &Setting<'_>, case: &MessageCase, entries: &[Entry], found: &mut Findings) {
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
        for (metric, part) in PARTS.iter().zip(&entry.parts) {
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::Mutex;

    use super::*;
    use crate::service::Protocol;

    /// A server whose first call on each connection takes a thousand times as long to decode.
    fn serve(listener: &TcpListener, stages: &Mutex<Stages>) {
        let (mut stream, _) = listener.accept().expect("the driver connects");
        let mut decode = 1_000_000;
        let mut request = [0; 8];
        while stream.read_exact(&mut request).is_ok() {
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            let mut counted = stages.lock().expect("no panics");
            counted.decode += decode;
            counted.encode += 2_000;
            counted.calls += 1;
            drop(counted);
            decode = 1_000;
            stream.write_all(answer).expect("the driver reads");
        }
    }

    /// What is found of three calls after one to warm up, with a server that says this of its work.
    fn found(says: fn(Stages) -> Stages) -> Result<[f64; 5], String> {
        found_of(serve, says)
    }

    /// The same of a server of its own.
    fn found_of(
        serve: fn(&TcpListener, &Mutex<Stages>),
        says: fn(Stages) -> Stages,
    ) -> Result<[f64; 5], String> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let stages = Arc::new(Mutex::new(Stages::default()));
        let of_server = Arc::clone(&stages);
        thread::spawn(move || serve(&listener, &of_server));
        let (protocol, secure) = (Protocol::Http, None);
        let to = Connecting { address, protocol, nodelay: true, is_split: false, secure };
        let request = Request { bytes: b"12345678".to_vec(), head: 0, answer: b"ok".to_vec() };
        let load = Load {
            to: &to,
            requests: &[request],
            threads: 1,
            depth: 1,
            is_reconnecting: false,
            warm_up: 1,
            until: Until::Calls(3),
        };
        parts(&load, &mut || Ok(says(std::mem::take(&mut *stages.lock().expect("no panics")))))
    }

    #[test]
    fn the_call_that_warms_up_is_in_none_of_the_parts() {
        let [_, decode, application, encode, _] = found(|stages| stages).expect("it answers");
        assert_eq!((decode, application, encode), (1_000.0, 0.0, 2_000.0));
    }

    #[test]
    fn why_a_call_failed_that_warms_up_is_told() {
        let reject = |listener: &TcpListener, _: &Mutex<Stages>| {
            let (mut stream, _) = listener.accept().expect("the driver connects");
            let mut request = [0; 8];
            stream.read_exact(&mut request).expect("a request");
            let answer = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).expect("the driver reads");
        };
        let told = found_of(reject, |stages| stages).expect_err("it was rejected");
        assert!(told.starts_with("warming up: ") && told.contains("503"), "{told}");
        // One that answers and does not count.
        let told = found(|_| Stages::default()).expect_err("nothing was counted");
        assert_eq!(told, "warming up: the server counted 0 calls of 1");
    }

    #[test]
    fn a_server_cannot_have_worked_longer_than_its_callers_waited() {
        let eleven_days =
            |stages: Stages| Stages { decode: stages.calls * 950_400_000_000_000, ..stages };
        let told = found(eleven_days).expect_err("it lies");
        assert!(told.starts_with("the server says that a call took it 950400000"), "{told}");
    }
}
