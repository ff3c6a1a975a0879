//! What a toolkit is asked that is at both ends of calls, each end in a process of its own.

use std::fs;

use super::{Peer, PeerError, claim, numbers, port};
use claim::Used;

/// What a client's threads did in one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Called {
    /// From the first beginning to the last end.
    pub(crate) nanoseconds: u64,
    /// Of each call.
    pub(crate) times: Vec<u64>,
}

impl Called {
    /// Calls a second.
    pub(crate) fn rate(&self) -> f64 {
        self.times.len() as f64 * 1e9 / self.nanoseconds.max(1) as f64
    }
}

/// How much less than all of the time threads may be in calls, as a share: they begin and end at their own times.
const IDLE: u64 = 2;

impl Peer {
    /// Lets the peer serve in a mode; one that is `wrong` changes what it gives back. Returns the port.
    pub(crate) fn serve_operations(
        &mut self,
        mode: &str,
        threads: u32,
        is_wrong: bool,
    ) -> Result<u16, PeerError> {
        let wrong = if is_wrong { " wrong" } else { "" };
        let question = format!("serve {mode} {threads}{wrong}");
        self.parsed(&question, "serving PORT", |answer| port(answer, "serving "))
    }

    /// Lets so many threads of the peer connect to a port, or ours to a URL, in place of those before.
    pub(crate) fn connect(
        &mut self,
        mode: &str,
        target: &str,
        threads: u32,
    ) -> Result<(), PeerError> {
        self.counted(&format!("connect {mode} {target} {threads}"), "connected", threads.into())
    }

    /// Lets its threads call for so long, and compare what comes back; each calls once at least.
    pub(crate) fn call_operation(
        &mut self,
        (operation, size): (&str, &str),
        threads: u32,
        milliseconds: u32,
    ) -> Result<Called, PeerError> {
        let file = self.new_times_file();
        let question = format!("call {operation} {size} {milliseconds} {}", file.display());
        let expected = "called COUNT NANOSECONDS";
        let [count, nanoseconds] = self
            .parsed(&question, expected, |answer| numbers(answer.strip_prefix("called ")?, ' '))?;
        let times: Vec<[u64; 1]> = self.times(&question, count)?;
        let times: Vec<u64> = times.into_iter().map(|[time]| time).collect();
        let sum = times.iter().fold(0, |sum: u64, time| sum.saturating_add(*time));
        // Each thread calls, and does nothing else.
        let most = nanoseconds.saturating_add(nanoseconds / 100 + 10_000) * u64::from(threads);
        let is_told = |nanoseconds| format!("{count} calls in {nanoseconds} ns");
        match claim::too_long(nanoseconds, self.process.took()) {
            Some(expected) => {
                Err(self.process.incredible(&question, &is_told(nanoseconds), &expected))
            }
            None if sum > most || sum < nanoseconds / IDLE => {
                let expected = format!("{threads} threads that call all the time");
                Err(self.process.incredible(&question, &is_told(sum), &expected))
            }
            None => Ok(Called { nanoseconds, times }),
        }
    }

    /// What its codec takes of one call, in nanoseconds of the processor.
    pub(crate) fn code(
        &mut self,
        mode: &str,
        (operation, size): (&str, &str),
        milliseconds: u32,
    ) -> Result<f64, PeerError> {
        let question = format!("codec {mode} {operation} {size} {milliseconds}");
        let expected = "coded COUNT NANOSECONDS";
        let [count, nanoseconds] = self
            .parsed(&question, expected, |answer| numbers(answer.strip_prefix("coded ")?, ' '))?;
        Ok(nanoseconds as f64 / count.max(1) as f64)
    }

    /// Bytes of memory that the peer needs: what it says of its own heap, once what it does not need is freed, or if
    /// it says nothing what the system has given it.
    pub(crate) fn memory(&mut self) -> Option<u64> {
        let told = self.parsed("memory", "memory BYTES", |answer| {
            answer.strip_prefix("memory ")?.parse().ok()
        });
        told.ok().or_else(|| self.resident().map(|it| it[0]))
    }

    /// Bytes of memory that the system has given it: now, and at most since it began or [forgot](Self::forget_most).
    pub(crate) fn resident(&self) -> Option<[u64; 2]> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_suffix(" kB")?.parse().ok().map(|kibibytes: u64| kibibytes << 10)
        };
        Some([bytes("VmRSS:")?, bytes("VmHWM:")?])
    }

    /// What it had at most is what it has now (proc(5), `clear_refs`).
    pub(crate) fn forget_most(&self) {
        // Where the system has no such file, the most is that since it began.
        _ = fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5");
    }

    /// The processor's time of its threads so far.
    pub(crate) fn used(&self) -> Option<Used> {
        Used::of(self.process.id())
    }
}
