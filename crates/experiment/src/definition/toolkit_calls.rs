//! What is measured of toolkits at both ends of calls.

use serde::Deserialize;

use super::chosen;
use crate::toolkits::{Call, Mode, TOOLKITS};

/// Calls from structure to structure, by the client of each toolkit to its own server, in each of its modes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ToolkitCalls {
    /// What is called.
    pub operations: Vec<Call>,
    /// What is called in a quick run; all if there is nothing.
    #[serde(default)]
    pub quick_operations: Vec<Call>,
    /// Numbers of threads that call, each with a client of its own.
    pub threads: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_threads: Vec<u32>,
    /// How long a turn lasts at least; each thread calls once at least.
    pub milliseconds: u32,
    /// Also in a quick run.
    #[serde(default = "super::measure::yes")]
    pub quick: bool,
}

/// The metrics of calls by toolkits.
pub const METRICS: [&str; 19] = [
    RATE,
    OF_SOAP_TCP,
    "latency",
    "latency-p99",
    "latency-max",
    "client-cpu",
    "server-cpu",
    BYTES[0],
    BYTES[1],
    PARTS[0],
    PARTS[1],
    PARTS[2],
    TOOLKIT,
    "over-bare",
    "ahead-of-metro",
    "ahead-of-gsoap-best",
    "ahead-of-rmi",
    "client-ahead-of-metro",
    "server-ahead-of-metro",
];

/// Calls a second.
pub const RATE: &str = "calls-per-second";

/// Calls a second, in per cent of those of the same toolkit over SOAP/TCP; of one that has none, of ours.
pub const OF_SOAP_TCP: &str = "of-soap-tcp";

/// What a call takes on the wire, there and back.
pub const BYTES: [&str; 2] = ["bytes-sent", "bytes-received"];

/// Where the time of a call goes that is made alone. The wait is what an echo of the same bytes takes, which is the
/// system's; the codec's is that of writing and reading request and answer, in memory; framing is the rest: frames, heads of
/// HTTP, choosing the operation, comparing the answer.
pub const PARTS: [&str; 3] = ["wait", "codec", "framing"];

/// Codec and framing together, which can be told of every toolkit.
pub const TOOLKIT: &str = "toolkit";

impl ToolkitCalls {
    /// What is called in such a run.
    pub fn operations(&self, is_quick: bool) -> &[Call] {
        chosen(&self.operations, &self.quick_operations, is_quick)
    }

    /// Numbers of threads in such a run.
    pub fn threads(&self, is_quick: bool) -> &[u32] {
        chosen(&self.threads, &self.quick_threads, is_quick)
    }

    /// The case of calls in a mode.
    pub fn case(mode: Mode, threads: u32, call: Call) -> String {
        format!("{}-{threads}-{call}", mode.name())
    }

    /// The mode, the threads and the call of a case such as `soap-tcp-16-echoVoid`.
    pub fn parts(case: &str) -> Option<(Mode, u32, Call)> {
        Mode::ALL.into_iter().find_map(|mode| {
            let rest = case.strip_prefix(mode.name())?.strip_prefix('-')?;
            let (threads, call) = rest.split_once('-')?;
            Some((mode, threads.parse().ok()?, Call::named(call)?))
        })
    }

    /// All cases, whoever has them.
    pub(super) fn cases(&self) -> Vec<String> {
        let mut modes: Vec<Mode> = TOOLKITS.iter().flat_map(|it| it.modes).copied().collect();
        modes.sort_unstable();
        modes.dedup();
        let mut cases = Vec::new();
        for mode in modes {
            for &threads in &self.threads {
                cases.extend(self.operations.iter().map(|&it| Self::case(mode, threads, it)));
            }
        }
        cases
    }
}

/// Many short texts that no message had before, over connections that stay: what vocabularies make of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Vocabularies {
    /// Items of a call; each has two such texts.
    pub items: u32,
    /// How often memory is looked at.
    pub stretches: u32,
    /// How long calls go on in between.
    pub milliseconds: u32,
    /// Also in a quick run, with two stretches.
    #[serde(default = "super::measure::yes")]
    pub quick: bool,
}

impl Vocabularies {
    /// Who takes part, and how: vocabularies that are kept within limits and without, and that are not. Metro's that
    /// are kept have no others, and ours alone have the second.
    pub const MODES: [Mode; 3] = [Mode::SoapTcp, Mode::SoapTcpUnbounded, Mode::SoapTcpStateless];

    /// What is looked at: calls a second, texts so far, and what client and server need of memory.
    pub const METRICS: [&str; 4] = [RATE, "texts", "client-memory", "server-memory"];

    /// The case of a mode.
    pub fn case(mode: Mode) -> String {
        format!("vocabulary-{}", mode.name())
    }
}
