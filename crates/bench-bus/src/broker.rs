//! Brokers of others, as processes that are started for a measurement and stopped after it.
//!
//! Each runs alone, on a free port of the loopback interface, with as little configuration as makes it
//! start; what stays at its default and matters is named with it ([`Broker::settings`]). The brokers are
//! those that the system's packages install, none of which is a service that has to run for this.
//!
//! ```no_run
//! use trunkline_bench_bus::broker::{BROKERS, Options};
//!
//! let nats = &BROKERS[0];
//! let running = nats.start(std::path::Path::new("peers/build/bin"), &Options::default())?;
//! println!("{} {} at {}", nats.name, running.version(), running.address());
//! # Ok::<(), trunkline_bench_bus::broker::BrokerError>(())
//! ```

mod launch;
mod running;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{error, fmt, io};

pub use launch::{Launch, Ready};
pub use running::Running;
pub use table::{BROKERS, Broker, named};

/// The program with the adaptors of all middlewares that are not ours, among the peers.
pub const MIDDLEWARE: &str = "middleware";

/// How a broker is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Of the processors that this process may use, the broker has number such, counted round; `None`
    /// leaves it all of them.
    pub processor: Option<usize>,
    /// Its own folder is made in this one; `None` is where temporary files are.
    pub data: Option<PathBuf>,
    /// How long it may take until it answers.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { processor: None, data: None, timeout: Duration::from_secs(10) }
    }
}

/// Why a broker does not run.
#[derive(Debug)]
pub struct BrokerError {
    name: String,
    reason: Reason,
    /// The last lines it said.
    said: String,
}

#[derive(Debug)]
enum Reason {
    Absent { program: PathBuf, how_to_get: String },
    System(io::Error),
    Ended(String),
    TimedOut(Duration),
}

impl BrokerError {
    fn new(name: &str, reason: Reason) -> Self {
        Self { name: name.to_owned(), reason, said: String::new() }
    }

    /// True if it is not installed, which is no failure.
    pub fn is_absent(&self) -> bool {
        matches!(self.reason, Reason::Absent { .. })
    }
}

impl fmt::Display for BrokerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Absent { program, how_to_get } => {
                write!(out, "{}: {} is not here; {how_to_get}", self.name, program.display())?;
            }
            Reason::System(cause) => write!(out, "{}: cannot be started: {cause}", self.name)?,
            Reason::Ended(how) => write!(out, "{}: {how} before it was ready", self.name)?,
            Reason::TimedOut(limit) => {
                write!(out, "{}: not ready within {} s", self.name, limit.as_secs_f32())?;
            }
        }
        if self.said.is_empty() { Ok(()) } else { write!(out, "; it said: {}", self.said) }
    }
}

impl error::Error for BrokerError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::System(cause) => Some(cause),
            _ => None,
        }
    }
}

/// Where a program is: among the peers if it is ours, else in the folders of the system.
fn find(program: &str, peers: &Path) -> Option<PathBuf> {
    let is_there = |path: &PathBuf| {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian keeps brokers where only root's searches go.
    let system = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let folders = std::env::split_paths(&path).chain(system);
    let peers = std::path::absolute(peers).unwrap_or_else(|_| peers.to_owned());
    [peers].into_iter().chain(folders).map(|folder| folder.join(program)).find(is_there)
}
