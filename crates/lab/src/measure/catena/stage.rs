//! One subject on the stage: its router, and the programs that it carries messages for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use trunkline_bench_bus::broker::{self, BrokerError, Launch, Options, Ready, Running};

use super::program::Program;
use crate::disk::Place;
use crate::measure::Setting;
use crate::peer::process::Process;
use crate::peer::{PeerError, PeerErrorKind};
use trunkline_bench::folder::PrivateFolder;
use trunkline_bench_bus::certificate::Certificate;
use trunkline_demo::component::UNSUPPORTED;
use trunkline_demo::component::task::{Connection, Content, Pair, Range, Task, Topics};
use trunkline_experiment::middleware::{Guarantee, Middleware, Router};

/// How long a program may take for a task.
const PATIENCE: Duration = Duration::from_secs(150);

/// The processor of the program that paces the messages, and that of all others.
pub(super) const PUBLISHER: usize = 0;
pub(super) const OTHERS: usize = 1;

/// Why there is nothing to measure.
#[derive(Debug)]
pub(super) enum Failure {
    /// It is not on this machine.
    Absent(String),
    /// It cannot do what was asked for.
    Unsupported(String),
    /// Something broke.
    Broken(String),
}

impl From<PeerError> for Failure {
    fn from(error: PeerError) -> Self {
        match error.kind() {
            PeerErrorKind::Rejected(why) if why.starts_with(UNSUPPORTED) => {
                Self::Unsupported(why[UNSUPPORTED.len()..].to_owned())
            }
            _ => Self::Broken(error.to_string()),
        }
    }
}

impl From<BrokerError> for Failure {
    fn from(error: BrokerError) -> Self {
        match error.is_absent() {
            true => Self::Absent(error.to_string()),
            false => Self::Broken(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// How a router is started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Starting {
    /// The processor that it has to itself or shares; any of them if there is none.
    pub(super) processor: Option<usize>,
    /// It asks again and again for what there is to do.
    pub(super) spins: bool,
}

impl Starting {
    /// It shares a processor with all but the publisher, and blocks.
    pub(super) const PINNED: Self = Self { processor: Some(OTHERS), spins: false };
}

/// Where the prices come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Market {
    pub(super) pairs: Vec<Pair>,
    /// Files of ticks; none if they are generated.
    pub(super) files: Vec<String>,
}

/// A subject whose router runs.
pub(super) struct Stage<'a> {
    setting: &'a Setting<'a>,
    pub(super) subject: &'static Middleware,
    program: PathBuf,
    arguments: Vec<String>,
    running: Option<Running>,
    address: String,
    /// What our router shows with TLS.
    certificate: Option<Certificate>,
    folder: PrivateFolder,
    market: Market,
    runs: u16,
}

impl<'a> Stage<'a> {
    /// Starts the router, if the subject has one.
    pub(super) fn open(
        setting: &'a Setting<'a>,
        subject: &'static Middleware,
        starting: Starting,
        market: &Market,
    ) -> Result<Self, Failure> {
        // What must reach a disk must not be kept in memory.
        let data = match subject.guarantee {
            Some(Guarantee::Memory(_)) | None => None,
            Some(_) => Some(Place::find().map_err(without_disk)?.folder),
        };
        let folder =
            data.as_ref().map_or_else(PrivateFolder::new, |it| PrivateFolder::below(it))?;
        let peers = &setting.request.peers.folder;
        let is_ours = subject.router == Router::Ours && subject.transport == "tls";
        let certificate = is_ours.then(|| Certificate::make(folder.path())).transpose()?;
        let files = (&folder, data, certificate.as_ref());
        let running = start(setting, subject, starting, files, None)?;
        let (program, arguments) = match broker::named(subject.name) {
            Some(broker) => {
                let program = std::path::absolute(peers.join(broker::MIDDLEWARE))?;
                if !program.is_file() {
                    let what =
                        format!("{}: {} is not here; make peers", subject.name, program.display());
                    return Err(Failure::Absent(what));
                }
                (program, vec![broker.adaptor().to_owned()])
            }
            None => {
                let arguments = ["lab", "component", subject.name].map(str::to_owned);
                (setting.request.program.clone(), arguments.to_vec())
            }
        };
        let address = match &running {
            Some(running) => reached(running, certificate.as_ref()),
            None => folder.path().display().to_string(),
        };
        let market = market.clone();
        Ok(Self {
            setting,
            subject,
            program,
            arguments,
            running,
            address,
            certificate,
            folder,
            market,
            runs: 0,
        })
    }

    /// Kills the router and starts it again with the files that it has left.
    pub(super) fn restart(&mut self, starting: Starting) -> Result<(), Failure> {
        let Some(killed) = self.running.take().map(Running::kill) else { return Ok(()) };
        let data = self.subject.guarantee.map(|_| self.folder.path().to_owned());
        let setting = self.setting;
        let files = (&self.folder, data, self.certificate.as_ref());
        let running = start(setting, self.subject, starting, files, Some(&killed))?;
        if let Some(running) = &running {
            self.address = reached(running, self.certificate.as_ref());
        }
        self.running = running;
        Ok(())
    }

    /// Starts a program on a processor, or on any.
    pub(super) fn program(&self, name: &str, processor: Option<usize>) -> Result<Program, Failure> {
        let name = format!("{} {name}", self.subject.name);
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let process =
            Process::start(&name, &self.program, &arguments, self.folder.path(), PATIENCE);
        let process = process.map_err(|cause| {
            Failure::Broken(format!("{}: cannot be started: {cause}", self.program.display()))
        })?;
        if let Some(processor) = processor {
            process.pin(processor);
        }
        Ok(Program(process))
    }

    /// A program with a connection that has subscribed to these topics.
    pub(super) fn connected(
        &self,
        name: &str,
        processor: Option<usize>,
        topics: &Topics,
        subscribed: Option<Range>,
    ) -> Result<Program, Failure> {
        let mut program = self.program(name, processor)?;
        program.ask(&Task::Connect(self.connection(name, topics)))?;
        if let Some(range) = subscribed {
            program.ask(&Task::Subscribe(range))?;
        }
        Ok(program)
    }

    /// A feed handler's topics, one for each source of ticks, and others.
    pub(super) fn feed(&self, others: Vec<String>) -> Topics {
        let streams = self.market.pairs.len();
        Topics { content: Content::Ticks, ..self.prices(streams, others) }
    }

    /// Topics of a pricing engine, and others.
    pub(super) fn prices(&self, streams: usize, others: Vec<String>) -> Topics {
        let Market { pairs, files } = self.market.clone();
        let (content, parts) = (Content::Prices, 1);
        Topics { content, streams, parts, market: pairs, ticks: files, others }
    }

    /// A connection to the router.
    pub(super) fn connection(&self, name: &str, topics: &Topics) -> Connection {
        Connection::to(&self.address, topics.clone(), name)
    }

    /// A number for the next run.
    pub(super) fn next_run(&mut self) -> u16 {
        self.runs += 1;
        self.runs
    }

    /// Where files of this subject may be.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the router keeps messages.
    pub(super) fn data(&self) -> Option<&Path> {
        match self.subject.router {
            Router::Ours => Some(self.folder.path()),
            _ => self.running.as_ref().map(Running::folder),
        }
    }

    /// Memory of the router, in bytes.
    pub(super) fn memory(&self) -> Option<f64> {
        Some(self.running.as_ref()?.resident_bytes()? as f64)
    }

    /// CPU time of the router.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        self.running.as_ref()?.processor_time()
    }

    /// What the router took to start.
    pub(super) fn start_up(&self) -> Option<Duration> {
        self.running.as_ref().map(Running::start_up).filter(|it| !it.is_zero())
    }

    /// What it says its version is.
    pub(super) fn version(&self) -> Option<&str> {
        self.running.as_ref().map(Running::version)
    }
}

/// Where programs reach a router, and whom they trust there.
fn reached(running: &Running, certificate: Option<&Certificate>) -> String {
    let address = running.address();
    certificate.map_or_else(|| address.to_owned(), |it| it.address(address))
}

/// What must be kept on a disk is left out where there is none, and the run says so.
fn without_disk(cause: io::Error) -> Failure {
    Failure::Absent(format!("what is kept on disk is not measured: {cause}"))
}

fn start(
    setting: &Setting<'_>,
    subject: &Middleware,
    starting: Starting,
    (folder, data, certificate): (&PrivateFolder, Option<PathBuf>, Option<&Certificate>),
    killed: Option<&Arc<PrivateFolder>>,
) -> Result<Option<Running>, Failure> {
    let options = Options { processor: starting.processor, data, ..Options::default() };
    let mut launch = Launch {
        name: subject.name.to_owned(),
        program: setting.request.program.clone(),
        arguments: Vec::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ready: Ready::Says { prefix: String::new() },
    };
    match subject.router {
        Router::Nothing => return Ok(None),
        Router::Broker => {
            let Some(broker) = broker::named(subject.name) else {
                return Err(Failure::Absent(format!("{}: is not known", subject.name)));
            };
            let peers = &setting.request.peers.folder;
            return Ok(Some(match killed {
                Some(left) => broker.start_again(peers, left, &options)?,
                None => broker.start(peers, &options)?,
            }));
        }
        Router::Ours => {
            let file = folder.path().join("trunkline.toml");
            let mut text = configuration(subject, starting, folder.path());
            if let Some(Certificate { chain, key }) = certificate {
                text.push_str(&format!("\n[tls]\ncertificate = {chain:?}\nkey = {key:?}\n"));
            }
            if let Some(guarantee) = subject.guarantee {
                text.push_str(&guarantee_of_ours(subject, guarantee, folder.path())?);
            }
            fs::write(&file, text)?;
            let file = file.display().to_string();
            launch.arguments = vec!["serve".into(), "--config".into(), file];
            launch.ready = Ready::Says { prefix: "listening native ".into() };
        }
        Router::Forwarder => {
            let address = match subject.transport {
                "unix" => format!("unix://{}/forwarder", folder.path().display()),
                _ => "tcp://127.0.0.1:0".to_owned(),
            };
            launch.arguments = vec!["lab".into(), "forwarder".into(), address];
            if starting.spins {
                launch.arguments.push("spin".into());
            }
            launch.ready = Ready::Says { prefix: "listening ".into() };
        }
    }
    Ok(Some(launch.start(&options)?))
}

/// What our router is told: as it comes, but for where it listens, how it waits, how many threads it has, and that a client may have all
/// the topics of an experiment, which are five times what one may have by default.
fn configuration(subject: &Middleware, starting: Starting, folder: &Path) -> String {
    let address = match subject.transport {
        "tcp" | "tls" => format!("{}://127.0.0.1:0", subject.transport),
        transport => format!("{transport}://{}/router", folder.display()),
    };
    let idle = if starting.spins { "spin" } else { "block" };
    let threads = subject.threads();
    format!(
        "[listen]\nnative = [{address:?}]\nhttp = \"off\"\nwebsocket = \"off\"\n\n[router]\nidle = \
         {idle:?}\nthreads = {threads}\n\n[limits]\ntopics_per_client = 1000000\nsubscriptions_per_client = 1000000\n\n[log]\n\
         level = \"error\"\n"
    )
}

/// What makes our router guarantee delivery: further lines of its configuration, with its journal below
/// the folder.
fn guarantee_of_ours(
    subject: &Middleware,
    guarantee: Guarantee,
    journal: &Path,
) -> Result<String, Failure> {
    let (durability, delivery) = match guarantee {
        Guarantee::Synced => ("disk", "store-and-forward"),
        Guarantee::SyncedMeanwhile => ("disk", "cut-through"),
        Guarantee::Memory(1) => return Ok("\n[journal]\ndurability = \"memory\"\n".to_owned()),
        Guarantee::Memory(_) | Guarantee::Cached(_) => {
            let why = "there are no pairs of routers yet";
            return Err(Failure::Absent(format!("{}: {why}", subject.name)));
        }
    };
    Ok(format!(
        "\n[journal]\ndirectory = {:?}\ndurability = {durability:?}\ndelivery = {delivery:?}\n",
        journal.join("journal").display().to_string()
    ))
}
