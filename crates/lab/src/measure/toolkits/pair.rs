//! A toolkit in one mode: its client and its server, each a process of its own. Of a service of somebody's own there is
//! our client only.

use std::net::Ipv4Addr;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::link::Proxy;
use crate::measure::Setting;
use crate::measure::service::processors::Processors;
use crate::peer::{ANSWER_TIMEOUT, Called, Peer, PeerError, Used};
use trunkline_experiment::link::Link;
use trunkline_experiment::names::BARE;
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode, Service, Toolkit};

/// Threads of our server at most: as its defaults are.
const OUR_THREADS: u32 = 4;

/// Both ends.
pub(super) struct Pair {
    pub(super) toolkit: &'static Toolkit,
    pub(super) mode: Mode,
    pub(super) service: Service,
    pub(super) client: Peer,
    pub(super) server: Option<Peer>,
    /// A port, or the URL of a service of somebody's own.
    pub(super) target: String,
    /// The link in front of the server, and what carries it; none where there is none.
    link: Option<(String, Proxy)>,
    /// Where its client is connected to, and with how many threads.
    connected: Option<(String, u32)>,
    /// Whether it has been let compile what it runs.
    pub(super) is_warm: bool,
    /// Calls that are not measured, since its server answers them wrongly.
    left_out: Vec<Call>,
}

/// What is called: an operation, or of the bare echo so many bytes there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) call: Call,
    /// Of the same call by ours, there and back.
    pub(super) bytes: [u32; 2],
}

/// What a turn came to.
pub(super) struct Turn {
    pub(super) called: Called,
    /// The processor's time of a call, in nanoseconds: the client's and, where it is ours to look at, the server's.
    pub(super) cpu: Option<Vec<f64>>,
    /// What the codec takes of a call in memory, in nanoseconds, where one is made alone by our own client.
    pub(super) codec: Option<f64>,
}

/// A turn has so much for the codec, in milliseconds.
const CODEC: u32 = 10;

/// How long a toolkit is looked at to see whether it works on, of which part it may; and how long that is waited for.
const LOOK: Duration = Duration::from_millis(4);
const MOST_OF_LOOK: u32 = 20;
const PATIENCE: Duration = Duration::from_secs(3);

impl Pair {
    /// Starts both; `connections` is how many there are at the same time, at most.
    pub(super) fn start(
        setting: &Setting<'_>,
        (toolkit, mode, service): (&'static Toolkit, Mode, Service),
        program: Option<&Path>,
        processors: &Processors,
        connections: u32,
    ) -> Result<Self, PeerError> {
        let start = || one_end(setting, (toolkit, service), program);
        let (server, target) = match toolkit.endpoint {
            Some(url) => (None, url.to_owned()),
            None => {
                let mut server = processors.among_servers(start)?;
                let threads = match toolkit.is_peer() {
                    true => connections,
                    false => processors.of_servers().min(OUR_THREADS),
                };
                let port = server.serve_operations(mode.name(), threads, false)?;
                (Some(server), port.to_string())
            }
        };
        let (client, is_warm) = (start()?, !toolkit.is_compiled);
        let (link, connected, left_out) = (None, None, Vec::new());
        Ok(Self {
            toolkit,
            mode,
            service,
            client,
            server,
            target,
            link,
            connected,
            is_warm,
            left_out,
        })
    }

    pub(super) fn leave_out(&mut self, calls: Vec<Call>) {
        self.left_out = calls;
    }

    /// Whether it takes part in a call.
    pub(super) fn has(&self, call: Call) -> bool {
        !self.left_out.contains(&call)
    }

    pub(super) fn version(&self) -> &str {
        &self.client.greeting().version
    }

    /// Puts a link in front of the server, or takes it away. There is none in front of somebody's own service.
    pub(super) fn stand_behind(&mut self, link: &str) -> Result<(), String> {
        if self.link.as_ref().is_some_and(|(known, _)| known == link) {
            return Ok(());
        }
        self.link = None;
        let link_of_name = link.parse::<Link>().map_err(|error| error.to_string())?;
        if link_of_name != Link::DIRECT {
            let port = self.target.parse().map_err(|_| format!("{} is no port", self.target))?;
            let proxy = Proxy::start(link_of_name, (Ipv4Addr::LOCALHOST, port).into());
            self.link = Some((link.to_owned(), proxy.map_err(|error| error.to_string())?));
        }
        Ok(())
    }

    /// Lets so many threads connect, if they are not.
    pub(super) fn connect(&mut self, threads: u32) -> Result<(), PeerError> {
        let target = match &self.link {
            Some((_, proxy)) => proxy.address().port().to_string(),
            None => self.target.clone(),
        };
        let is_connected =
            self.connected.as_ref().is_some_and(|it| *it == (target.clone(), threads));
        if is_connected { Ok(()) } else { self.connect_to(&target, threads) }
    }

    /// As [`connect`](Self::connect), anew, and to another place.
    pub(super) fn connect_to(&mut self, target: &str, threads: u32) -> Result<(), PeerError> {
        self.connected = None;
        self.client.connect(self.mode.name(), target, threads)?;
        self.connected = Some((target.to_owned(), threads));
        Ok(())
    }

    /// From here on it is not connected to where it was.
    pub(super) fn forget_connections(&mut self) {
        self.connected = None;
    }

    fn threads(&self) -> u32 {
        self.connected.as_ref().map_or(1, |(_, threads)| *threads)
    }

    /// Lets the threads that are connected call for so long.
    pub(super) fn call(
        &mut self,
        carried: Carried,
        milliseconds: u32,
    ) -> Result<Called, PeerError> {
        let Carried { call, bytes: [sent, received] } = carried;
        let threads = self.threads();
        match self.toolkit.name == BARE {
            true => {
                let size = format!("{sent}:{received}");
                self.client.call_operation(("bytes", &size), threads, milliseconds)
            }
            false => {
                let size = call.size.to_string();
                let asked = (call.operation.name(), &*size);
                self.client.call_operation(asked, threads, milliseconds)
            }
        }
    }

    /// The processor's time of both ends so far, or of the client where the server is somebody's own.
    fn used(&self) -> Option<Vec<Used>> {
        [Some(&self.client), self.server.as_ref()].into_iter().flatten().map(Peer::used).collect()
    }

    /// Waits until both ends stand still. What is compiled as it runs goes on compiling for some tenths of a second after
    /// its last call, on the processors of whoever has the next turn.
    pub(super) fn settle(&self) {
        if !self.toolkit.is_compiled {
            return;
        }
        let begun = Instant::now();
        let mut before = self.used();
        while begun.elapsed() < PATIENCE {
            thread::sleep(LOOK);
            let after = self.used();
            let used = before.zip(after.clone()).map_or(0, |(before, after)| {
                after
                    .iter()
                    .zip(&before)
                    .map(|(after, before)| after.by_threads_since(before))
                    .sum()
            });
            if u128::from(used) <= (LOOK / MOST_OF_LOOK).as_nanos() {
                return;
            }
            before = after;
        }
    }

    /// As [`call`](Self::call), with what the processors did for it.
    pub(super) fn watched(
        &mut self,
        carried: Carried,
        milliseconds: u32,
    ) -> Result<Turn, PeerError> {
        let before = self.used();
        let called = self.call(carried, milliseconds)?;
        let calls = called.times.len().max(1) as f64;
        let cpu = before.zip(self.used()).map(|(before, after)| {
            let ends = after.iter().zip(&before);
            ends.map(|(after, before)| after.by_threads_since(before) as f64 / calls).collect()
        });
        self.settle();
        Ok(Turn { called, cpu, codec: None })
    }

    /// As [`watched`](Self::watched), with what the codec takes.
    pub(super) fn turn(&mut self, carried: Carried, milliseconds: u32) -> Result<Turn, PeerError> {
        let mut turn = self.watched(carried, milliseconds)?;
        if self.toolkit.name == TRUNKLINE && self.threads() == 1 {
            let size = carried.call.size.to_string();
            let asked = (carried.call.operation.name(), &*size);
            turn.codec = Some(self.client.code(self.mode.name(), asked, CODEC)?);
        }
        Ok(turn)
    }
}

/// A process of a toolkit, which is a client or a server as it is asked.
pub(super) fn one_end(
    setting: &Setting<'_>,
    (toolkit, service): (&Toolkit, Service),
    program: Option<&Path>,
) -> Result<Peer, PeerError> {
    let own = setting.request.program.as_path();
    match program {
        Some(program) => Peer::start(toolkit.name, program, ANSWER_TIMEOUT),
        None if toolkit.name == BARE => {
            let arguments = ["lab", "operations", "--bare"];
            Peer::start_with(toolkit.name, own, &arguments, ANSWER_TIMEOUT)
        }
        None => {
            let arguments: &[&str] = match service {
                Service::Operations => &["lab", "operations"],
                Service::Arrays => &["lab", "operations", "--arrays"],
            };
            Peer::start_with(TRUNKLINE, own, arguments, ANSWER_TIMEOUT)
        }
    }
}
