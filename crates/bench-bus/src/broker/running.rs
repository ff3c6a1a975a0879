//! A process that runs, and what it takes.

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, io};

use super::launch::output_of;
use rustix::process::{Pid, Signal, kill_process};

use trunkline_bench::child;
use trunkline_bench::folder::PrivateFolder;

/// How long a process may take to end when asked to.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Where Linux has the names of shared memory.
const SHARED_MEMORY: &str = "/dev/shm";
/// In which Linux counts what a process has used of the processors.
const STEP: Duration = Duration::from_millis(10);

/// A broker that is ready. It is stopped when this is dropped, and its files go with it.
#[derive(Debug)]
pub struct Running {
    child: Option<Child>,
    folder: Arc<PrivateFolder>,
    address: String,
    version: String,
    start_up: Duration,
    /// How the names of shared memory begin that is left behind.
    shared_memory: Option<String>,
}

impl Running {
    /// One that has been started, and is not ready yet; without a process it is ready at once.
    pub(super) fn new(child: Option<Child>, folder: Arc<PrivateFolder>, version: String) -> Self {
        let (address, start_up) = (String::new(), Duration::ZERO);
        Self { child, folder, address, version, start_up, shared_memory: None }
    }

    /// Programs that are killed leave shared memory behind whose names begin so: it is removed too.
    pub(super) fn remove_shared_memory(&mut self, prefix: String) {
        self.shared_memory = Some(prefix);
    }

    pub(super) fn set_ready(&mut self, address: String, start_up: Duration) {
        (self.address, self.start_up) = (address, start_up);
    }

    /// How the process ended, if it did.
    ///
    /// # Errors
    /// The operating system's.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.as_mut().map_or(Ok(None), Child::try_wait)
    }

    /// Where clients connect.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The rest of the first line of its output that begins so.
    pub fn said(&self, prefix: &str) -> Option<String> {
        let said = fs::read_to_string(output_of(self.folder())).ok()?;
        said.lines().find_map(|line| line.strip_prefix(prefix)).map(str::to_owned)
    }

    /// What it says its version is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// From its start until it answered; zero where there is no process.
    pub fn start_up(&self) -> Duration {
        self.start_up
    }

    /// The number of its process; `None` where there is none.
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Where it may leave files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The memory that it occupies now, in bytes; `None` where there is no process or the system does
    /// not tell.
    pub fn resident_bytes(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    }

    /// What the threads that it has have used of the processors so far, to the nanosecond; `None` as for [`Running::resident_bytes`].
    pub fn threads_time(&self) -> Option<Duration> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.process()?)).ok()?;
        let used = threads.flatten().filter_map(|thread| {
            let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
        });
        Some(used.sum())
    }

    /// What it has used of the processors so far, all threads together, in steps of 10 ms; `None` as for [`Running::resident_bytes`].
    pub fn processor_time(&self) -> Option<Duration> {
        let status = fs::read_to_string(format!("/proc/{}/stat", self.process()?)).ok()?;
        // The name of the program is in parentheses and may contain anything.
        let after_name = &status[status.rfind(')')? + 1..];
        let mut fields = after_name.split_ascii_whitespace().skip(11);
        let user: u64 = fields.next()?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        Some(STEP * u32::try_from(user + system).ok()?)
    }

    /// Kills it without a word, as a crash would; its files stay with the folder.
    pub fn kill(mut self) -> Arc<PrivateFolder> {
        if let Some(mut child) = self.child.take() {
            child::end(&mut child);
        }
        Arc::clone(&self.folder)
    }

    /// Asks it to end, and kills it if it does not.
    pub fn stop(self) {
        // Drop does it.
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(prefix) = &self.shared_memory {
            for file in fs::read_dir(SHARED_MEMORY).into_iter().flatten().flatten() {
                if file.file_name().to_string_lossy().starts_with(prefix) {
                    // Another program of the run may have done it.
                    let _ =
                        fs::remove_file(file.path()).or_else(|_| fs::remove_dir_all(file.path()));
                }
            }
        }
        let Some(child) = &mut self.child else { return };
        drop(child.stdin.take());
        if let Some(process) = Pid::from_raw(child.id() as i32) {
            // It may have ended already.
            let _ = kill_process(process, Signal::TERM);
        }
        let deadline = Instant::now() + STOP_TIMEOUT;
        while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        child::end(child);
    }
}
