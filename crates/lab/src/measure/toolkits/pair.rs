//! A toolkit in one mode: its client and its server, each a process of its own.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::measure::Setting;
use crate::measure::service::processors::Processors;
use crate::peer::{ANSWER_TIMEOUT, Called, Peer, PeerError, Used};
use trunkline_experiment::names::BARE;
use trunkline_experiment::subjects::TRUNKLINE;
use trunkline_experiment::toolkits::{Call, Mode, Toolkit};

/// Threads of our server at most: as its defaults are.
const OUR_THREADS: u32 = 4;

/// Both ends.
pub(super) struct Pair {
    pub(super) toolkit: &'static Toolkit,
    pub(super) mode: Mode,
    pub(super) client: Peer,
    pub(super) server: Peer,
    pub(super) port: u16,
    /// Threads that are connected.
    threads: u32,
    /// Whether it has been let compile what it runs.
    pub(super) is_warm: bool,
}

/// What is called: an operation, or of the bare echo so many bytes there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) call: Call,
    /// Of a call over SOAP/TCP, there and back.
    pub(super) bytes: [u32; 2],
}

/// What a turn came to.
pub(super) struct Turn {
    pub(super) called: Called,
    /// The processor's time of a call, in nanoseconds: the client's and the server's.
    pub(super) cpu: Option<[f64; 2]>,
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
        (toolkit, mode): (&'static Toolkit, Mode),
        program: Option<&Path>,
        processors: &Processors,
        connections: u32,
    ) -> Result<Self, PeerError> {
        let start = || one_end(setting, toolkit, program);
        let mut server = processors.among_servers(start)?;
        let threads = match toolkit.is_peer() {
            true => connections,
            false => processors.of_servers().min(OUR_THREADS),
        };
        let port = server.serve_operations(mode.name(), threads, false)?;
        let client = start()?;
        Ok(Self { toolkit, mode, client, server, port, threads: 0, is_warm: !toolkit.is_compiled })
    }

    pub(super) fn version(&self) -> &str {
        &self.client.greeting().version
    }

    /// Lets so many threads connect, if they are not.
    pub(super) fn connect(&mut self, threads: u32) -> Result<(), PeerError> {
        if self.threads != threads {
            self.connect_to(self.port, threads)?;
        }
        Ok(())
    }

    /// As [`connect`](Self::connect), to another port.
    pub(super) fn connect_to(&mut self, port: u16, threads: u32) -> Result<(), PeerError> {
        self.threads = 0;
        self.client.connect(self.mode.name(), port, threads)?;
        self.threads = threads;
        Ok(())
    }

    /// From here on it is not connected to where it was.
    pub(super) fn forget_connections(&mut self) {
        self.threads = 0;
    }

    /// Lets the threads that are connected call for so long.
    pub(super) fn call(
        &mut self,
        carried: Carried,
        milliseconds: u32,
    ) -> Result<Called, PeerError> {
        let Carried { call, bytes: [sent, received] } = carried;
        let threads = self.threads.max(1);
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

    /// The processor's time of both ends so far.
    fn used(&self) -> Option<[Used; 2]> {
        Some([self.client.used()?, self.server.used()?])
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
                [0, 1].map(|end| after[end].by_threads_since(&before[end])).iter().sum()
            });
            if u128::from(used) <= (LOOK / MOST_OF_LOOK).as_nanos() {
                return;
            }
            before = after;
        }
    }

    /// As [`call`](Self::call), with what the processors did for it.
    pub(super) fn turn(&mut self, carried: Carried, milliseconds: u32) -> Result<Turn, PeerError> {
        let before = self.used();
        let called = self.call(carried, milliseconds)?;
        let calls = called.times.len().max(1) as f64;
        let cpu = before.zip(self.used()).map(|(before, after)| {
            [0, 1].map(|end| after[end].by_threads_since(&before[end]) as f64 / calls)
        });
        self.settle();
        let codec = match self.toolkit.name == TRUNKLINE && self.threads == 1 {
            false => None,
            true => {
                let size = carried.call.size.to_string();
                let asked = (carried.call.operation.name(), &*size);
                Some(self.client.code(self.mode.name(), asked, CODEC)?)
            }
        };
        Ok(Turn { called, cpu, codec })
    }
}

/// A process of a toolkit, which is a client or a server as it is asked.
pub(super) fn one_end(
    setting: &Setting<'_>,
    toolkit: &Toolkit,
    program: Option<&Path>,
) -> Result<Peer, PeerError> {
    let own = setting.request.program.as_path();
    match program {
        Some(program) => Peer::start(toolkit.name, program, ANSWER_TIMEOUT),
        None if toolkit.name == BARE => {
            let arguments = ["lab", "operations", "--bare"];
            Peer::start_with(toolkit.name, own, &arguments, ANSWER_TIMEOUT)
        }
        None => Peer::start_with(toolkit.name, own, &["lab", "operations"], ANSWER_TIMEOUT),
    }
}
