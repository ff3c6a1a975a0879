//! The programs of an experiment with a middleware: feed handler, pricing engine, algo engine, order
//! gateway and subscribers, each a process that is told what to do.
//!
//! They are one program, which knows a middleware by its [`Connect`] alone. A feed handler publishes
//! at a rate, an algo engine receives and answers every fifth rate with an order, an order gateway
//! receives orders, a slow subscriber takes its time. Tasks come on standard input ([`task`]), and
//! each message is checked and timed by its [`stamp`].

pub mod source;
pub mod stamp;
pub mod task;

mod guaranteed;
mod publisher;
mod subscriber;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use publisher::Paced;
use source::{Source, Topics};
use stamp::{Kind, Stamp};
use subscriber::Checked;
use task::{Answer, Connection, Publishing, Receiving, Task};
use trunkline_bench_bus::bus::{Bus, Connect, Wait};
use trunkline_bench_bus::direct::DirectConnect;
use trunkline_bench_bus::forwarder::ForwarderConnect;
use trunkline_bench_bus::router_bus::RouterConnect;

/// Bytes of a task at most.
const TASK_BYTES: usize = 1 << 20;

/// A program for a middleware that this crate knows: our router, or a limit to hold it against. None if
/// there is no such subject.
pub fn known(subject: &str) -> Option<Box<dyn Connect>> {
    match subject {
        "trunkline"
        | "trunkline-2-threads"
        | "trunkline-unix"
        | "trunkline-tls"
        | "trunkline-shm" => Some(Box::new(RouterConnect)),
        "trunkline-store-and-forward" | "trunkline-cut-through" | "trunkline-memory" => {
            Some(Box::new(RouterConnect))
        }
        "bare-forwarder" | "bare-forwarder-unix" => Some(Box::new(ForwarderConnect)),
        "bare-ring" => Some(Box::new(DirectConnect::ring())),
        "direct" => Some(Box::new(DirectConnect::tcp())),
        _ => None,
    }
}

/// Does what standard input asks for until it ends, or says `stop`: all of a program that knows a
/// middleware.
pub fn component_main(connect: &dyn Connect) -> ExitCode {
    match serve(connect) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Does what standard input asks for until it ends, or says `stop`.
///
/// # Errors
///
/// Those of standard input and output; what goes wrong with a task is its answer.
pub fn serve(connect: &dyn Connect) -> io::Result<()> {
    trunkline_bench::clock::wake_on_time();
    raise_descriptors();
    let mut component = Component::new(connect);
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "stop" {
            break;
        }
        let answer = match component.answer(&line) {
            Ok(answer) => format!("ok {answer}\n"),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                format!("error {UNSUPPORTED}{error}\n")
            }
            Err(error) => format!("error {}\n", error.to_string().replace('\n', " ")),
        };
        let mut out = io::stdout().lock();
        out.write_all(answer.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

/// Lets this process have as many connections as the system allows it.
pub fn raise_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // With fewer a crowd may not find room, which is told then.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// How the error of a middleware begins that cannot do what it was asked for.
pub const UNSUPPORTED: &str = "unsupported: ";

struct Component<'a> {
    connect: &'a dyn Connect,
    buses: Vec<Box<dyn Bus>>,
    /// What the topics of the first connection carry.
    topics: Option<Topics>,
    /// The messages, once some were published.
    source: Option<Source>,
}

impl<'a> Component<'a> {
    fn new(connect: &'a dyn Connect) -> Self {
        Self { connect, buses: Vec::new(), topics: None, source: None }
    }

    fn answer(&mut self, line: &str) -> io::Result<String> {
        if line.len() > TASK_BYTES {
            return Err(io::Error::other(format!("a task of more than {TASK_BYTES} bytes")));
        }
        let task = serde_json::from_str(line).map_err(io::Error::other)?;
        let answer = self.perform(&task)?;
        serde_json::to_string(&answer).map_err(io::Error::other)
    }

    fn perform(&mut self, task: &Task) -> io::Result<Answer> {
        let mut answer = Answer::default();
        match task {
            Task::Connect(connection) => self.connect(connection)?,
            Task::Subscribe(range) => self.first()?.subscribe(&range.indexes())?,
            Task::SubscribeGuaranteed { name, topics } => {
                self.first()?.subscribe_guaranteed(name, &topics.indexes())?;
            }
            Task::Probe { topics } => publisher::mark(self.last()?, Kind::Probe, 0, topics)?,
            Task::Listen { milliseconds } => answer.heard = listen(self.first()?, *milliseconds)?,
            Task::Publish(asked) => {
                let (bus, source) = self.publisher(asked.bytes)?;
                answer.published = Some(publisher::publish(bus, asked, source)?);
            }
            Task::Flood(asked) => {
                let (bus, source) = self.publisher(asked.bytes)?;
                answer.published = Some(match asked.guaranteed {
                    true => publisher::flood_guaranteed(bus, asked, source)?,
                    false => publisher::flood(bus, asked, source)?,
                });
            }
            Task::Receive(asked) => {
                answer.received = Some(subscriber::receive(self.first()?, asked)?);
            }
            Task::Both { publish, receive } => {
                self.publisher(publish.bytes)?;
                let Some(source) = &mut self.source else { return Ok(answer) };
                let [first, .., last] = &mut self.buses[..] else {
                    return Err(io::Error::other("there are no two connections"));
                };
                answer = both((&mut **last, publish, source), (&mut **first, receive))?;
            }
        }
        Ok(answer)
    }

    fn connect(&mut self, asked: &Connection) -> io::Result<()> {
        let names = asked.topics.names();
        self.topics.get_or_insert_with(|| asked.topics.clone());
        for number in 0..asked.count {
            let names = match asked.subscribe_each {
                // What one of a crowd need not know takes time.
                true => names.chunks(1).nth(number % names.len().max(1)).unwrap_or_default(),
                false => &names[..],
            };
            let mut bus = self.connect.connect(&asked.address, names, &asked.options(number))?;
            if asked.subscribe_each {
                bus.subscribe(&[0])?;
            }
            self.buses.push(bus);
        }
        Ok(())
    }

    /// The first connection, and the messages to publish, which are made when they are first asked for.
    fn publisher(&mut self, bytes: usize) -> io::Result<(&mut dyn Bus, &mut Source)> {
        let no_connection = || io::Error::other("there is no connection");
        let source = match self.source.take() {
            Some(source) => source,
            None => Source::new(self.topics.as_ref().ok_or_else(no_connection)?, bytes)?,
        };
        let bus = self.buses.first_mut().ok_or_else(no_connection)?;
        Ok((&mut **bus, self.source.insert(source)))
    }

    fn first(&mut self) -> io::Result<&mut dyn Bus> {
        match self.buses.first_mut() {
            Some(bus) => Ok(&mut **bus),
            None => Err(io::Error::other("there is no connection")),
        }
    }

    fn last(&mut self) -> io::Result<&mut dyn Bus> {
        match self.buses.last_mut() {
            Some(bus) => Ok(&mut **bus),
            None => Err(io::Error::other("there is no connection")),
        }
    }
}

/// Waits for a probe.
fn listen(bus: &mut dyn Bus, milliseconds: u64) -> io::Result<bool> {
    let until = Instant::now() + Duration::from_millis(milliseconds);
    let mut is_heard = false;
    while !is_heard && Instant::now() < until {
        let left = until.saturating_duration_since(Instant::now());
        bus.poll(Wait::Block(left.min(Duration::from_millis(5))), &mut |_, payload| {
            is_heard |= Stamp::read(payload).is_ok_and(|stamp| stamp.kind == Kind::Probe);
        })?;
    }
    Ok(is_heard)
}

/// Publishes on one connection and receives on the other, in this thread.
fn both(
    (from, publish, source): (&mut dyn Bus, &Publishing, &mut Source),
    (to, receive): (&mut dyn Bus, &Receiving),
) -> io::Result<Answer> {
    let mut checked = Checked::new(receive)?;
    let mut paced = Paced::new(publish, source);
    while !paced.is_over() {
        paced.publish_due(from)?;
        to.poll(Wait::Spin, &mut |topic, payload| checked.take(topic, payload))?;
    }
    let published = paced.end(from)?;
    while !checked.is_over() {
        to.poll(Wait::Spin, &mut |topic, payload| checked.take(topic, payload))?;
    }
    Ok(Answer { heard: false, published: Some(published), received: Some(checked.end(to)?) })
}
