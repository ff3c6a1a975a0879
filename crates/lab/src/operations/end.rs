//! The loop of `trunkline lab operations`: a line in, a line out.

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::time::Duration;

use trunkline_experiment::toolkits::{Call, Mode, Operation, Service, named};
use trunkline_http::Config;
use trunkline_session::soap::{Running, Server};

use super::bytes::{self, BytesPort};
use super::callers::{Asked, Callers};
use super::codec;
use super::exchange::{BODY_BYTES, Connector, unbounded};
use super::http_bytes::{self, HttpBytesPort};
use super::service::{Manner, service};
use crate::echo::EchoServer;
use crate::http_echo::HttpEcho;
use crate::peer::write_times;
use trunkline_experiment::names::BARE;
use trunkline_experiment::subjects::TRUNKLINE;

/// Threads at most, and milliseconds of a task.
const MOST: u32 = 100_000;

/// Connections wait for the turns of others.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What an end stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Our client and our server, of a service.
    Trunkline(Service),
    /// An echo of bytes.
    Bare,
}

impl Identity {
    fn name(self) -> &'static str {
        match self {
            Self::Trunkline(_) => TRUNKLINE,
            Self::Bare => BARE,
        }
    }

    fn modes(self) -> &'static [Mode] {
        named(self.name()).map_or(&[], |toolkit| toolkit.modes)
    }
}

/// Answers the questions on standard input until `stop`, or its end.
///
/// # Errors
/// Standard input or output is broken.
pub fn serve(identity: Identity) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let mut end = End { identity, server: None, callers: None };
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "stop" {
            break;
        }
        let answer = end.answer(&line).unwrap_or_else(|fault| format!("error {fault}"));
        output.write_all(format!("{}\n", answer.replace(char::is_control, " ")).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

struct End {
    identity: Identity,
    server: Option<Serving>,
    callers: Option<Callers>,
}

enum Serving {
    Ours(Running),
    Bare(EchoServer),
    BareHttp(HttpEcho),
}

impl Serving {
    fn port(&self) -> u16 {
        match self {
            Self::Ours(running) => running.address().port(),
            Self::Bare(echo) => echo.address().port(),
            Self::BareHttp(echo) => echo.port(),
        }
    }
}

impl End {
    fn answer(&mut self, line: &str) -> Result<String, String> {
        let mut words = line.splitn(5, ' ').filter(|word| !word.is_empty());
        let verb = words.next().unwrap_or_default();
        let mut next = |what: &str| words.next().ok_or_else(|| format!("{what} is missing"));
        match verb {
            "hello" => {
                let modes: Vec<&str> = self.identity.modes().iter().map(|it| it.name()).collect();
                let version = env!("CARGO_PKG_VERSION");
                Ok(format!("hello {} {version} {}", self.identity.name(), modes.join(",")))
            }
            "serve" => {
                let mode = self.mode(next("a mode")?)?;
                let threads = number(next("a number of threads")?)?;
                let is_wrong = match next("") {
                    Ok("wrong") => true,
                    Ok(word) => return Err(format!("serve does not know {word}")),
                    Err(_) => false,
                };
                self.server = None;
                let server = self.start(mode, threads, is_wrong)?;
                let port = server.port();
                self.server = Some(server);
                Ok(format!("serving {port}"))
            }
            "connect" => {
                let mode = self.mode(next("a mode")?)?;
                let target = next("a port")?;
                let threads = number(next("a number of threads")?)?;
                self.callers = None;
                self.callers = Some(self.connect(mode, target, threads as usize)?);
                Ok(format!("connected {threads}"))
            }
            "call" => {
                let asked = asked(next("an operation")?, next("a size")?)?;
                let milliseconds = number(next("milliseconds")?)?;
                let file = Path::new(next("a file")?);
                let callers = self.callers.as_mut().ok_or("it is not connected")?;
                let outcome = callers.call(asked, milliseconds)?;
                write_times(file, &outcome.times).map_err(|error| error.to_string())?;
                Ok(format!("called {} {}", outcome.times.len(), outcome.nanoseconds))
            }
            "codec" => {
                let Identity::Trunkline(service) = self.identity else {
                    return Err("the bare echo has no codec".into());
                };
                let mode = self.mode(next("a mode")?)?;
                let Asked::Call(call) = asked(next("an operation")?, next("a size")?)? else {
                    return Err("only the operations of the service have a codec".into());
                };
                let milliseconds = number(next("milliseconds")?)?;
                let (count, nanoseconds) = codec::measure((service, mode), call, milliseconds)?;
                Ok(format!("coded {count} {nanoseconds}"))
            }
            word => Err(format!("unknown word {word:?}")),
        }
    }

    fn mode(&self, name: &str) -> Result<Mode, String> {
        // Some are measured for their vocabularies alone.
        let more: &[Mode] = match self.identity {
            Identity::Trunkline(_) => &[Mode::SoapTcpStateless, Mode::SoapTcpUnbounded],
            Identity::Bare => &[],
        };
        let mut modes = self.identity.modes().iter().chain(more).copied();
        modes.find(|it| it.name() == name).ok_or_else(|| format!("there is no mode {name} here"))
    }

    fn connect(&self, mode: Mode, target: &str, threads: usize) -> Result<Callers, String> {
        if let Identity::Trunkline(service) = self.identity {
            let connector = Connector::new((service, mode), target)?;
            return Callers::new(threads, || connector.connect());
        }
        let port = target.parse().map_err(|_| format!("{target:?} is no port"))?;
        match mode {
            Mode::HttpBytes => Callers::new(threads, || HttpBytesPort::connect(port)),
            _ => Callers::new(threads, || BytesPort::connect(port)),
        }
    }

    fn start(&self, mode: Mode, threads: u32, is_wrong: bool) -> Result<Serving, String> {
        let Identity::Trunkline(which) = self.identity else {
            let started = match mode {
                Mode::HttpBytes => HttpEcho::answering(threads as usize, false, http_bytes::answer)
                    .map(Serving::BareHttp),
                _ => EchoServer::start(0, true, bytes::serve).map(Serving::Bare),
            };
            return started.map_err(|error| error.to_string());
        };
        let manner = if is_wrong { Manner::Wrong } else { Manner::Right };
        let config = Config {
            threads: threads as usize,
            body_bytes: BODY_BYTES,
            idle_timeout: PATIENCE,
            chunked: mode == Mode::HttpChunked,
            // However short, so that answers travel as requests do.
            compression_from: if mode.is_compressed() {
                0
            } else {
                Config::default().compression_from
            },
            ..Config::default()
        };
        let mut server =
            Server::new().service(service(which, manner)).config(config).offer_soap_tcp();
        if mode == Mode::SoapTcpUnbounded {
            server = server.vocabularies(unbounded());
        }
        server.start("127.0.0.1:0").map(Serving::Ours).map_err(|error| error.to_string())
    }
}

fn number(word: &str) -> Result<u32, String> {
    let number = word.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("{word:?} is not a number from 1 to {MOST}"))
}

/// An operation and its size, of bytes those there and those back: `echoArray 40`, `bytes 26:30`.
fn asked(operation: &str, size: &str) -> Result<Asked, String> {
    let wrong = || format!("{size:?} is no size of {operation}");
    if operation == "bytes" {
        let lengths = size.split_once(':').and_then(|(sent, received)| {
            Some(Asked::Bytes { sent: sent.parse().ok()?, received: received.parse().ok()? })
        });
        return lengths.ok_or_else(wrong);
    }
    let size = size.parse().map_err(|_| wrong())?;
    if operation == "distinct" {
        return Ok(Asked::Distinct { items: size, first: 0 });
    }
    let known = Operation::ALL.into_iter().find(|it| it.name() == operation);
    let operation = known.ok_or_else(|| format!("there is no operation {operation}"))?;
    Ok(Asked::Call(Call { operation, size }))
}
