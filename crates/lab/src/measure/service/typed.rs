//! Calls from structure to structure: our client and our server, beside a bare client of hyper that
//! sends the same bytes to the bare echo. What the first takes over the second is the price of SOAP.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use trunkline_catalogue::commerce::CustomerServices;
use trunkline_session::soap::ClientConfig;

use super::contest::plain;
use super::servers::{Servers, post};
use super::tally::{Series, Turns};
use crate::customer_services::web_service::{CustomerClient, PATHS, path_of};
use crate::customer_services::{self, batch};
use crate::evaluation::Step;
use crate::measure::{Findings, Setting};
use crate::service::Outcome;
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_experiment::definition::{Measure, MessageCase, Transport, TypedCalls};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::BARE;
use trunkline_experiment::subjects::TRUNKLINE;

/// Calls of each thread before the clock runs.
const WARM_UP: usize = 8;

/// One subject in one format.
struct Entry {
    address: String,
    messages: Vec<CustomerServices>,
    corpus: Vec<Bytes>,
    series: Series,
}

pub(super) fn measure(
    setting: &Setting<'_>,
    measures: &[&Measure],
    servers: &mut Servers,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    for measure in measures {
        let Measure::Calls(asked) = measure else { continue };
        let cases = setting.request.definition.messages.cases_named(&asked.messages);
        for case in cases.take(if setting.request.is_quick { 1 } else { usize::MAX }) {
            for &threads in &asked.threads {
                let name = TypedCalls::case(threads, &case.name);
                progress(Step { part: "calls", text: &name, share: 0.0 });
                let mut entries = Vec::new();
                for &format in &asked.formats {
                    entries.extend(enter(setting, (&name, case, format), servers, found));
                }
                run(setting, asked, threads, &mut entries, found);
                let all: Vec<Series> = entries.into_iter().map(|entry| entry.series).collect();
                Turns { setting, is_latency: threads == 1, all: &all }.rows(found);
            }
        }
    }
}

fn enter(
    setting: &Setting<'_>,
    (name, case, format): (&str, &MessageCase, Format),
    servers: &mut Servers,
    found: &mut Findings,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for server in servers.of(setting, found, &plain(), format, true) {
        let subject = servers.server(server).name.clone();
        if ![TRUNKLINE, BARE].contains(&subject.as_str()) {
            continue;
        }
        let requests = servers.requests(found, (server, format), case, true);
        let (Ok(requests), Ok(to)) = (requests, servers.connecting(server, format)) else {
            continue;
        };
        let series = Series::new(name, &subject, format, Transport::Http).with_bytes(&requests);
        let body = |it: &crate::service::Request| Bytes::copy_from_slice(&it.bytes[it.head..]);
        let corpus = requests.iter().map(body).collect();
        let messages = batch(case, 0);
        entries.push(Entry { address: to.address.to_string(), messages, corpus, series });
    }
    entries
}

fn run(
    setting: &Setting<'_>,
    asked: &TypedCalls,
    threads: u32,
    entries: &mut [Entry],
    found: &mut Findings,
) {
    let most = if setting.request.is_quick { 20 } else { u32::MAX };
    let time = Duration::from_millis(asked.milliseconds.min(most).into());
    for repetition in 0..=setting.repetitions() {
        let count = entries.len();
        for turn in 0..count {
            let entry = &mut entries[(turn + repetition as usize) % count];
            if entry.series.is_out() {
                continue;
            }
            match entry.all_threads(threads, time) {
                // The first turn warms up.
                Ok(_) if repetition == 0 => {}
                Ok(outcome) => entry.series.add(outcome),
                Err(why) => {
                    found.faults.push(format!("{}, calls: {why}", entry.series.subject));
                    entry.series.dismiss();
                }
            }
        }
    }
}

impl Entry {
    fn all_threads(&self, threads: u32, time: Duration) -> Result<Outcome, String> {
        let barrier = Barrier::new(threads as usize);
        let call = |index: usize| match self.series.subject.as_str() {
            BARE => self.bare(index, &barrier, time),
            _ => self.typed(index, &barrier, time),
        };
        let parts: Vec<Result<Part, String>> = thread::scope(|scope| {
            let start = |index| scope.spawn(move || call(index));
            let running: Vec<_> = (0..threads as usize).map(start).collect();
            let joined = running.into_iter().map(|it| it.join());
            joined.map(|part| part.unwrap_or_else(|_| Err("a thread broke".into()))).collect()
        });
        let mut whole = Outcome::default();
        let (mut first, mut last) = (u64::MAX, 0);
        for part in parts {
            let part = part?;
            (first, last) = (first.min(part.start), last.max(part.end));
            whole.calls += part.times.len() as u64;
            whole.times.extend(part.times);
        }
        whole.nanoseconds = last.saturating_sub(first);
        Ok(whole)
    }

    /// Structure to structure: encoded, sent, answered, decoded. The first answer to each is compared.
    fn typed(&self, index: usize, barrier: &Barrier, time: Duration) -> Result<Part, String> {
        let told = |error: trunkline_session::soap::CallError| error.to_string();
        let format = self.series.format;
        let path = path_of(format).unwrap_or("/");
        let binding = PATHS.iter().find(|(it, _)| *it == path).map(|(_, binding)| *binding);
        let url = format!("http://{}{path}", self.address);
        let client =
            CustomerClient::with(&url, binding.unwrap_or_default(), ClientConfig::default());
        let mut client = client.map_err(told);
        let mut reply = CustomerServices::default();
        let warm = client.as_mut().map_err(|why| why.clone()).and_then(|client| {
            for message in self.messages.iter().cycle().take(WARM_UP.max(self.messages.len())) {
                client.client().call_into("echo", message, &mut reply).map_err(told)?;
                crate::answer::compare(&customer_services::response(message), &reply)?;
            }
            Ok(())
        });
        barrier.wait();
        warm?;
        let mut client = client?;
        let mut clock = Clock::start(time);
        for message in self.messages.iter().cycle().skip(index % self.messages.len().max(1)) {
            let begun = monotonic_nanoseconds();
            client.client().call_into("echo", message, &mut reply).map_err(told)?;
            if reply.customers.len() != message.customers.len() {
                return Err("another answer than the first".into());
            }
            if clock.is_over(begun) {
                break;
            }
        }
        Ok(clock.part)
    }

    /// Bytes to bytes, by hyper alone on a thread's own runtime.
    fn bare(&self, index: usize, barrier: &Barrier, time: Duration) -> Result<Part, String> {
        let runtime = Builder::new_current_thread().enable_io().build();
        let runtime = runtime.map_err(|cause| cause.to_string())?;
        runtime.block_on(async {
            let sender = self.connect().await;
            barrier.wait();
            let mut sender = sender?;
            let mut clock = Clock::start(Duration::ZERO);
            let mut calls = 0;
            for body in self.corpus.iter().cycle().skip(index % self.corpus.len().max(1)) {
                if calls == WARM_UP {
                    clock = Clock::start(time);
                }
                calls += 1;
                let begun = monotonic_nanoseconds();
                let answer = send(&mut sender, self.series.format, body.clone()).await?;
                if answer.len() != body.len() {
                    return Err("the answer is not the request".into());
                }
                if calls > WARM_UP && clock.is_over(begun) {
                    break;
                }
            }
            Ok(clock.part)
        })
    }

    async fn connect(&self) -> Result<http1::SendRequest<Full<Bytes>>, String> {
        let stream = TcpStream::connect(&self.address).await.map_err(|it| it.to_string())?;
        stream.set_nodelay(true).map_err(|it| it.to_string())?;
        let made = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = made.map_err(|it| it.to_string())?;
        // It ends with the runtime; what breaks it breaks the call as well.
        tokio::spawn(connection);
        Ok(sender)
    }
}

async fn send(
    sender: &mut http1::SendRequest<Full<Bytes>>,
    format: Format,
    body: Bytes,
) -> Result<Bytes, String> {
    let head = post(format, true);
    let request = Request::builder()
        .method(Method::POST)
        .uri(head.path)
        .header(HOST, head.host)
        .header(CONTENT_TYPE, head.content_type)
        .header("soapaction", "\"urn:trunkline:ng-2004#echo\"")
        .body(Full::new(body));
    let request = request.map_err(|it| it.to_string())?;
    sender.ready().await.map_err(|it| it.to_string())?;
    let answer = sender.send_request(request).await.map_err(|it| it.to_string())?;
    let body = answer.into_body().collect().await.map_err(|it| it.to_string())?;
    Ok(body.to_bytes())
}

/// What one thread did.
struct Part {
    start: u64,
    end: u64,
    times: Vec<u64>,
}

struct Clock {
    deadline: u64,
    part: Part,
}

impl Clock {
    fn start(time: Duration) -> Self {
        let start = monotonic_nanoseconds();
        let deadline = start + time.as_nanos() as u64;
        Self { deadline, part: Part { start, end: start, times: Vec::with_capacity(4096) } }
    }

    /// Keeps what the call took that began then; true if it was the last.
    fn is_over(&mut self, begun: u64) -> bool {
        let now = monotonic_nanoseconds();
        self.part.times.push(now - begun);
        self.part.end = now;
        now >= self.deadline
    }
}
