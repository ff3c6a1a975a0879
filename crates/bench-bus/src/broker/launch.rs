//! How a process is started, and how it is known that it is ready.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{BrokerError, Options, Reason, Running};
use crate::socket_bus::Socket;
use trunkline_bench::child;
use trunkline_bench::folder::PrivateFolder;

/// Between two looks whether the process is ready. What is measured as start-up time is as exact.
const LOOK: Duration = Duration::from_millis(1);
/// How long an answer may take. One that is another means that it is not ready: Redis says so while it loads.
const ANSWER: Duration = Duration::from_millis(100);
/// What an error quotes of the process's output, in bytes from the end.
const QUOTED_BYTES: usize = 400;
/// What is read of an answer, or of the output, to know that a process is ready.
const SAID_BYTES: usize = 64 << 10;

/// A process to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// What rows call it.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its version, if it is known beforehand.
    pub version: String,
    /// How it is known that it is ready.
    pub ready: Ready,
}

/// How it is known that a process is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    /// It accepts connections at an address, and says something in answer to a greeting.
    Answers {
        /// `tcp://host:port` or `unix:///path`; also what clients are told.
        address: String,
        /// What is sent first; may be empty.
        greeting: Vec<u8>,
        /// What its answer contains.
        answer: Vec<u8>,
    },
    /// It writes the line `ready` to its standard output, after a line that begins with this, whose
    /// rest is the address for clients.
    Says {
        /// Such as `listening `; the first such line counts.
        prefix: String,
    },
}

impl Launch {
    /// Starts the process and waits until it is ready. Its standard input stays open until it is
    /// stopped; its output is kept in a file for errors to quote.
    ///
    /// # Errors
    /// If it cannot be started, ends, or is not ready in time; then it is not left running.
    pub fn start(&self, options: &Options) -> Result<Running, BrokerError> {
        let system = |cause| BrokerError::new(&self.name, Reason::System(cause));
        let folder = PrivateFolder::new().map_err(system)?;
        self.start_in(Arc::new(folder), options)
    }

    /// As [`Launch::start`], with a folder that the process may use; it goes with it.
    pub(super) fn start_in(
        &self,
        folder: Arc<PrivateFolder>,
        options: &Options,
    ) -> Result<Running, BrokerError> {
        let system = |cause| BrokerError::new(&self.name, Reason::System(cause));
        let begun = Instant::now();
        let child = self.spawn(folder.path(), options).map_err(system)?;
        let mut running = Running::new(Some(child), folder, self.version.clone());
        match self.wait(&mut running, begun, options.timeout) {
            Ok(address) => {
                running.set_ready(address, begun.elapsed());
                Ok(running)
            }
            Err(reason) => {
                let mut error = BrokerError::new(&self.name, reason);
                error.said = last_words(running.folder());
                Err(error)
            }
        }
    }

    fn spawn(&self, folder: &Path, options: &Options) -> io::Result<Child> {
        let output = File::create(output_of(folder))?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(folder).stdin(Stdio::piped());
        command.stdout(output).stderr(File::create(errors_of(folder))?);
        on_processor(options.processor, || child::spawn(&mut command, folder))
    }

    fn wait(
        &self,
        running: &mut Running,
        begun: Instant,
        limit: Duration,
    ) -> Result<String, Reason> {
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            if let Some(address) = self.try_once(running.folder(), left) {
                return Ok(address);
            }
            if let Some(status) = running.ended().map_err(Reason::System)? {
                return Err(Reason::Ended(format!("ended ({status})")));
            }
            if left.is_zero() {
                return Err(Reason::TimedOut(limit));
            }
            std::thread::sleep(LOOK);
        }
    }

    fn try_once(&self, folder: &Path, left: Duration) -> Option<String> {
        match &self.ready {
            Ready::Answers { address, greeting, answer } => {
                answers(address, greeting, answer, left.min(ANSWER))
                    .unwrap_or(false)
                    .then(|| address.clone())
            }
            Ready::Says { prefix } => {
                let said = fs::read(output_of(folder)).unwrap_or_default();
                let said = String::from_utf8_lossy(&said[..said.len().min(SAID_BYTES)]);
                said.lines().any(|line| line == "ready").then_some(())?;
                said.lines().find_map(|line| line.strip_prefix(prefix)).map(str::to_owned)
            }
        }
    }
}

pub(super) fn output_of(folder: &Path) -> PathBuf {
    folder.join("output")
}

fn errors_of(folder: &Path) -> PathBuf {
    folder.join("errors")
}

/// What the process said last, in one line.
fn last_words(folder: &Path) -> String {
    let words = [output_of(folder), errors_of(folder)].map(|file| {
        let said = fs::read(file).unwrap_or_default();
        let end = &said[said.len().saturating_sub(QUOTED_BYTES)..];
        let text = String::from_utf8_lossy(end).trim().replace('\n', " / ");
        text.replace(char::is_control, " ")
    });
    words.join(" / ").trim_matches([' ', '/']).to_owned()
}

/// Whether somebody at this address gives the answer to the greeting.
fn answers(address: &str, greeting: &[u8], answer: &[u8], limit: Duration) -> io::Result<bool> {
    let begun = Instant::now();
    let mut socket = Socket::connect(address, limit.max(LOOK))?;
    if !greeting.is_empty() && socket.write(greeting)? < greeting.len() {
        return Ok(false);
    }
    let mut said = Vec::new();
    let mut bytes = vec![0; 4096];
    while said.len() < SAID_BYTES {
        match socket.read(&mut bytes) {
            Ok(0) => return Ok(false),
            Ok(length) => said.extend_from_slice(&bytes[..length]),
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                let left = limit.saturating_sub(begun.elapsed());
                if left.is_zero() {
                    return Ok(false);
                }
                socket.wait(false, left)?;
            }
            Err(cause) => return Err(cause),
        }
        if said.windows(answer.len().max(1)).any(|part| part == answer) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Does something, starting a process, as if this thread had one processor only: the process and all
/// its threads inherit that, which is not so if it is told later.
#[cfg(target_os = "linux")]
fn on_processor<T>(index: Option<usize>, action: impl FnOnce() -> T) -> T {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let (Some(index), Ok(allowed)) = (index, sched_getaffinity(None)) else { return action() };
    let processors: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&at| allowed.is_set(at)).collect();
    let Some(&processor) = processors.get(index % processors.len().max(1)) else {
        return action();
    };
    let mut chosen = CpuSet::new();
    chosen.set(processor);
    // A process on another processor than it should be on is measured all the same.
    let _ = sched_setaffinity(None, &chosen);
    let result = action();
    let _ = sched_setaffinity(None, &allowed);
    result
}

#[cfg(not(target_os = "linux"))]
fn on_processor<T>(_index: Option<usize>, action: impl FnOnce() -> T) -> T {
    action()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, ready: Ready) -> Launch {
        Launch {
            name: "shell".into(),
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            version: "1".into(),
            ready,
        }
    }

    fn says() -> Ready {
        Ready::Says { prefix: "listening ".into() }
    }

    fn within(seconds: f32) -> Options {
        Options {
            timeout: Duration::from_secs_f32(seconds),
            processor: Some(1),
            ..Options::default()
        }
    }

    #[test]
    fn a_process_that_says_so_is_ready_and_ends_when_stopped() {
        let script = "echo listening here; echo listening there; echo ready; cat";
        let running = shell(script, says()).start(&within(10.0)).expect("a shell");
        assert_eq!((running.address(), running.version()), ("here", "1"));
        assert!(running.start_up() > Duration::ZERO);
        if cfg!(target_os = "linux") {
            assert!(running.resident_bytes().expect("it runs") > 100_000);
            assert!(running.processor_time().is_some());
        }
        let process = running.process().expect("a process");
        running.stop();
        assert!(!Path::new(&format!("/proc/{process}")).exists());
    }

    #[test]
    fn a_process_that_ends_is_quoted() {
        let error = shell("echo no room; exit 3", says()).start(&within(10.0)).expect_err("ends");
        assert_eq!(
            error.to_string(),
            "shell: ended (exit status: 3) before it was ready; it said: no room"
        );
    }

    #[test]
    fn a_process_that_is_never_ready_is_killed() {
        let script = "echo starting >&2; exec sleep 100";
        let ready = Ready::Answers {
            // Discard: nobody listens there.
            address: "tcp://127.0.0.1:9".into(),
            greeting: vec![],
            answer: b"hello".to_vec(),
        };
        let error = shell(script, ready).start(&within(0.3)).expect_err("never ready");
        assert_eq!(error.to_string(), "shell: not ready within 0.3 s; it said: starting");
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let mut launch = shell("", says());
        launch.program = "/nowhere/broker".into();
        let error = launch.start(&within(1.0)).expect_err("it is not there");
        assert!(error.to_string().starts_with("shell: cannot be started: No such file"), "{error}");
    }
}
