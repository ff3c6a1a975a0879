//! Calls from structure to structure: our client and our server, beside a bare client of hyper that
//! sends the same bytes to the bare echo. What the first takes over the second is the price of SOAP.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_catalogue::commerce::CustomerServices;
use trunkline_session::soap::ClientConfig;

use super::servers::{Asked, Entry, Servers, post};
use super::tally::{self, LATENCY, RATE, Series};
use crate::customer_services::web_service::{CustomerClient, PATHS, path_of};
use crate::customer_services::{self, batch};
use crate::evaluation::Step;
use crate::service::{self, Failure, Outcome, drive, one_by_one};
use trunkline_experiment::definition::{MessageCase, TypedCalls};
use trunkline_experiment::format::Format;
use trunkline_experiment::names::BARE;
use trunkline_experiment::subjects::TRUNKLINE;

/// Calls of each thread before the clock runs.
const WARM_UP: usize = 8;

pub(super) fn measure(
    servers: &mut Servers<'_>,
    asked: &TypedCalls,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let setting = servers.setting;
    let is_quick = setting.request.is_quick;
    let most = if is_quick { 20 } else { u32::MAX };
    let time = Duration::from_millis(asked.milliseconds.min(most).into());
    let messages = setting.request.definition.messages.cases_named(&asked.messages);
    for message in messages.take(if is_quick { 1 } else { usize::MAX }) {
        for &threads in &asked.threads {
            let case = TypedCalls::case(threads, &message.name);
            let mut progress =
                |_: &str, share| progress(Step { part: "calls", text: &case, share });
            let mut entries = Vec::new();
            for &format in &asked.formats {
                let others: &dyn Fn(&str) -> bool = &|name| [TRUNKLINE, BARE].contains(&name);
                let about = (&*case, message, true);
                entries.extend(servers.enter(&Asked::plain(), format, about, Some(others)));
            }
            // The first turn warms up.
            let repetitions = setting.repetitions() + 1;
            servers.take_turns(&mut entries, repetitions, &mut progress, |_, entry, repetition| {
                let outcome = match entry.series.subject.as_str() {
                    BARE => bare(entry, threads, time)?,
                    _ => typed(entry, message, threads, time)?,
                };
                if repetition > 0 {
                    entry.series.add_outcome(&outcome);
                }
                Ok(())
            });
            let all: Vec<Series> = entries.into_iter().map(|entry| entry.series).collect();
            tally::rows(setting, if threads == 1 { LATENCY } else { RATE }, &all, servers.found);
        }
    }
}

/// Structure to structure: encoded, sent, answered, decoded. The first answer to each is compared.
fn typed(
    entry: &Entry,
    message: &MessageCase,
    threads: u32,
    time: Duration,
) -> Result<Outcome, Failure> {
    let messages = batch(message, 0);
    let connect = |index: usize, _: &AtomicBool| -> Result<_, Failure> {
        let mut caller = Caller::new(entry, &messages)?;
        caller.check(WARM_UP.max(messages.len()))?;
        caller.next = index;
        Ok(caller)
    };
    drive(threads as usize, &mut || {}, connect, |caller, is_over| {
        one_by_one(time, is_over, || caller.call())
    })
}

/// Our client, which calls with one message after another.
pub(super) struct Caller<'a> {
    client: CustomerClient,
    messages: &'a [CustomerServices],
    next: usize,
    reply: CustomerServices,
}

impl<'a> Caller<'a> {
    pub(super) fn new(entry: &Entry, messages: &'a [CustomerServices]) -> Result<Self, Failure> {
        let path = path_of(entry.series.of).unwrap_or("/");
        let binding = PATHS.iter().find(|(it, _)| *it == path).map(|(_, binding)| *binding);
        let url = format!("http://{}{path}", entry.to.address);
        let made = CustomerClient::with(&url, binding.unwrap_or_default(), ClientConfig::default());
        let reply = CustomerServices::default();
        Ok(Self { client: made.map_err(failed)?, messages, next: 0, reply })
    }

    /// Calls so often, and compares all that comes back.
    fn check(&mut self, count: usize) -> Result<(), Failure> {
        (0..count).try_for_each(|_| self.calls(1).map(|_| ()))
    }

    /// The nanoseconds of so many calls, one after another; the last answer is compared, outside of the time.
    pub(super) fn calls(&mut self, count: u64) -> Result<u64, Failure> {
        let mut message = self.message()?;
        let begun = monotonic_nanoseconds();
        for _ in 0..count {
            message = self.message()?;
            self.call()?;
        }
        let nanoseconds = monotonic_nanoseconds() - begun;
        let expected = customer_services::response(message);
        crate::answer::compare(&expected, &self.reply).map_err(Failure::NotAnswer)?;
        Ok(nanoseconds)
    }

    fn message(&self) -> Result<&'a CustomerServices, Failure> {
        self.messages.get(self.next % self.messages.len().max(1)).ok_or(Failure::Ended)
    }

    fn call(&mut self) -> Result<(), Failure> {
        let message = self.message()?;
        self.next += 1;
        self.client.client().call_into("echo", message, &mut self.reply).map_err(failed)?;
        match self.reply.customers.len() == message.customers.len() {
            true => Ok(()),
            false => Err(Failure::NotAnswer("another answer than the first".into())),
        }
    }
}

/// Bytes to bytes, by hyper alone on a thread's own runtime.
fn bare(entry: &Entry, threads: u32, time: Duration) -> Result<Outcome, Failure> {
    let body = |it: &service::Request| Bytes::copy_from_slice(&it.bytes[it.head..]);
    let bodies: Vec<Bytes> = entry.requests.iter().map(body).collect();
    let format = entry.series.of;
    let connect = |index: usize, _: &AtomicBool| -> Result<_, Failure> {
        let runtime = Builder::new_current_thread().enable_io().build().map_err(failed)?;
        let mut sender = runtime.block_on(open(&entry.to.address.to_string()))?;
        let mut bodies = bodies.iter().cycle().skip(index % bodies.len().max(1));
        for body in bodies.by_ref().take(WARM_UP) {
            echo(&runtime, &mut sender, format, body)?;
        }
        Ok((runtime, sender, bodies))
    };
    drive(threads as usize, &mut || {}, connect, |(runtime, sender, bodies), is_over| {
        one_by_one(time, is_over, || match bodies.next() {
            Some(body) => echo(runtime, sender, format, body),
            None => Err(Failure::Ended),
        })
    })
}

fn failed(error: impl ToString) -> Failure {
    Failure::NotAnswer(error.to_string())
}

async fn open(address: &str) -> Result<SendRequest<Full<Bytes>>, Failure> {
    let stream = TcpStream::connect(address).await.map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
    // It ends with the runtime; what breaks it breaks the call as well.
    tokio::spawn(connection);
    Ok(sender)
}

/// Sends a body and waits until as much has come back.
fn echo(
    runtime: &Runtime,
    sender: &mut SendRequest<Full<Bytes>>,
    format: Format,
    body: &Bytes,
) -> Result<(), Failure> {
    let head = post(format, true);
    let request = Request::builder()
        .method(Method::POST)
        .uri(head.path)
        .header(HOST, head.host)
        .header(CONTENT_TYPE, head.content_type)
        .header("soapaction", "\"urn:trunkline:ng-2004#echo\"")
        .body(Full::new(body.clone()))
        .map_err(failed)?;
    let answer = runtime.block_on(async {
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        Ok::<_, hyper::Error>(answer.into_body().collect().await?.to_bytes())
    });
    match answer.map_err(failed)?.len() == body.len() {
        true => Ok(()),
        false => Err(Failure::NotAnswer("the answer is not the request".into())),
    }
}
