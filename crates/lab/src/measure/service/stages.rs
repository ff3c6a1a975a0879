//! Where the time of a call goes: Ng, Chen and Greenfield's figure 9.
//!
//! The server says what decoding, its function and encoding took (T2, T3, T4). The driver sends bytes
//! made before, so that the rest of a call is the network's and the system's on both ways (T1 and T5).
//! Beside that stands what the paper's [`formula`](super::formula) makes of it.

use std::thread;
use std::time::Duration;

use super::formula::Timed;
use super::servers::{Asked, Entry, Servers};
use crate::evaluation::Step;
use crate::measure::codec::COMPILED_AS_THEY_RUN;
use crate::peer::{PeerError, Stages};
use crate::service::{Failure, Load, Until};
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::definition::calls::PARTS;
use trunkline_experiment::definition::{MessageCase, StagesOfCalls};
use trunkline_experiment::names::{BARE, STAGES, lead_metric};
use trunkline_experiment::subjects::TRUNKLINE;

/// Milliseconds that a server has to count its calls.
const PATIENCE: u32 = 1_000;

pub(super) fn measure(
    servers: &mut Servers<'_>,
    asked: &StagesOfCalls,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let is_quick = servers.setting.request.is_quick;
    if is_quick && !asked.quick {
        return;
    }
    let calls = if is_quick { asked.calls.min(1) } else { asked.calls };
    let setting = servers.setting;
    let messages = setting.request.definition.messages.cases_named(&asked.messages);
    for (message, link) in messages.flat_map(|it| asked.links.iter().map(move |link| (it, link))) {
        let case = StagesOfCalls::case(&message.name, link);
        let mut progress = |text: &str, share: f64| {
            progress(Step { part: STAGES, text: &format!("{case}: {text}"), share });
        };
        let entries = enter(servers, asked, (&case, message, link));
        let mut all: Vec<Timed> =
            entries.into_iter().map(|entry| Timed::new(servers, entry, message)).collect();
        // The first turn warms up: for as long as it takes where code is compiled as it runs.
        let repetitions = servers.setting.repetitions() + 1;
        servers.take_turns(&mut all, repetitions, &mut progress, |servers, timed, repetition| {
            let entry = &timed.entry;
            let is_compiled = COMPILED_AS_THEY_RUN.contains(&entry.series.subject.as_str());
            let calls = match (repetition, is_compiled && !is_quick) {
                (0, true) => calls * 8,
                (0, false) => 1,
                _ => calls,
            };
            let parts = time(entry, servers, calls).map_err(Failure::NotAnswer)?;
            let whole = timed.whole(servers, calls);
            if repetition > 0 {
                take(&mut timed.entry, parts);
                timed.take_whole(servers, whole, parts);
            }
            Ok(())
        });
        let entries: Vec<Entry> = all.into_iter().map(|timed| timed.entry).collect();
        rows(servers, &entries);
    }
}

fn enter(
    servers: &mut Servers<'_>,
    asked: &StagesOfCalls,
    (case, message, link): (&str, &MessageCase, &str),
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for &format in &asked.formats {
        // A bare echo has no parts; of ours there is one that times them.
        let timed = Asked { words: "stages".into(), ..Asked::plain() };
        entries.extend(servers.enter(&timed, format, (case, message, true), None));
        let others: &dyn Fn(&str) -> bool = &|name| ![TRUNKLINE, BARE].contains(&name);
        let plain = Asked::plain();
        entries.extend(servers.enter(&plain, format, (case, message, true), Some(others)));
    }
    let entries = entries.into_iter().filter_map(|entry| servers.behind(link, entry)).collect();
    // What was called for the check is counted before anything is timed.
    thread::sleep(Duration::from_millis(20));
    entries
}

/// The parts of one call.
fn time(entry: &Entry, servers: &mut Servers<'_>, calls: u32) -> Result<[f64; 5], String> {
    let until = Until::Calls(calls.into());
    let load = Load { warm_up: 1, until, ..Load::new(&entry.to, &entry.requests) };
    let peer = &mut servers.server(entry.server).peer;
    parts(&load, &mut || peer.stages().map_err(|error: PeerError| error.to_string()))
}

/// Keeps the parts of a turn, and their shares of the whole.
fn take(entry: &mut Entry, parts: [f64; 5]) {
    for (metric, part) in PARTS.into_iter().zip(parts) {
        entry.series.add(metric, "ns", part);
    }
    let [total, decode, _, encode, network] = parts;
    let shares = PARTS[5..].iter().zip([decode, encode, network, decode + encode]);
    for (metric, part) in shares {
        entry.series.add(metric, "%", part / total * 100.0);
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
pub(super) fn counted(
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

fn rows(servers: &mut Servers<'_>, entries: &[Entry]) {
    let setting = servers.setting;
    let rows = &mut servers.found.rows;
    for Entry { series, .. } in entries {
        if let Some(verdict) = series.out {
            rows.push(series.without(setting, ("total", "ns"), verdict));
            continue;
        }
        rows.extend(series.medians(setting).map(|row| {
            // Too short to have a spread that means anything, or a difference that may be nothing.
            let is_any = ["application", "formula-less-stamps"].contains(&&*row.metric);
            let verdict = if is_any { Verdict::Ok } else { row.verdict };
            Row { verdict, ..row }
        }));
        let ours = entries.iter().map(|it| &it.series);
        let mut ours = ours.filter(|it| it.subject == TRUNKLINE && it.of == series.of);
        if let Some(ours) = ours.next().filter(|_| series.subject != TRUNKLINE) {
            let row = ours.blank(setting, &lead_metric(&series.subject), "x");
            rows.push(series.over(ours, ("total", "ns"), row, None));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::service::{Connecting, Protocol, Request};

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
        let requests = [request];
        let load = Load { warm_up: 1, until: Until::Calls(3), ..Load::new(&to, &requests) };
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
