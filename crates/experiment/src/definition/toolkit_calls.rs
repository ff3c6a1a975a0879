//! What is measured of toolkits at both ends of calls.

use serde::Deserialize;

use super::bounds::ensure;
use super::chosen;
use crate::toolkits::{Call, Mode, Service};

/// Calls from structure to structure, by the client of each toolkit to its own server, in each of its modes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ToolkitCalls {
    /// How calls travel; each toolkit takes part in those of these modes that it has.
    pub modes: Vec<Mode>,
    /// What is called, of one service.
    pub operations: Vec<Call>,
    /// What is called in a quick run; all if there is nothing.
    #[serde(default)]
    pub quick_operations: Vec<Call>,
    /// Numbers of threads that call, each with a client of its own.
    pub threads: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_threads: Vec<u32>,
    /// Over these links; without any if there are none.
    #[serde(default = "direct")]
    pub links: Vec<String>,
    /// How long a turn lasts at least; each thread calls once at least.
    pub milliseconds: u32,
    /// Also in a quick run.
    #[serde(default = "super::measure::yes")]
    pub quick: bool,
}

fn direct() -> Vec<String> {
    vec![DIRECT.to_owned()]
}

/// The name of no link.
pub const DIRECT: &str = "direct";

/// The metrics of calls by toolkits, beside those of leads.
pub const METRICS: [&str; 16] = [
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
    TOOLKIT_SHARE,
    "over-bare",
    LEAST_LEAD,
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

/// The same in per cent of the call.
pub const TOOLKIT_SHARE: &str = "toolkit-share";

/// How far ours is ahead of whoever is the nearest to it.
pub const LEAST_LEAD: &str = "ahead-of-all";

impl ToolkitCalls {
    /// What is called in such a run.
    pub fn operations(&self, is_quick: bool) -> &[Call] {
        chosen(&self.operations, &self.quick_operations, is_quick)
    }

    /// Numbers of threads in such a run.
    pub fn threads(&self, is_quick: bool) -> &[u32] {
        chosen(&self.threads, &self.quick_threads, is_quick)
    }

    /// The service whose operations are called.
    pub fn service(&self) -> Service {
        Service::of(&self.operations)
    }

    /// The case of calls in a mode.
    pub fn case(mode: Mode, threads: u32, call: Call, link: &str) -> String {
        let over = if link == DIRECT { String::new() } else { format!("@{link}") };
        format!("{}-{threads}-{call}{over}", mode.name())
    }

    /// The mode, the threads, the call and the link of a case such as `soap-tcp-16-echoVoid`.
    pub fn parts(case: &str) -> Option<(Mode, u32, Call, &str)> {
        let (case, link) = case.split_once('@').unwrap_or((case, DIRECT));
        Mode::ALL.into_iter().find_map(|mode| {
            let rest = case.strip_prefix(mode.name())?.strip_prefix('-')?;
            let (threads, call) = rest.split_once('-')?;
            Some((mode, threads.parse().ok()?, Call::named(call)?, link))
        })
    }

    /// All cases, whoever has them.
    pub(super) fn cases(&self) -> Vec<String> {
        let mut cases = Vec::new();
        for &mode in &self.modes {
            for (&threads, link) in super::cases::pairs(&self.threads, &self.links) {
                let calls = self.operations.iter();
                cases.extend(calls.map(|&call| Self::case(mode, threads, call, link)));
            }
        }
        cases
    }

    pub(super) fn check(&self) -> Result<(), String> {
        check_service(&self.operations, &self.quick_operations)
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

/// What client and server of each toolkit need of memory, in processes that are new for each call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MemoryOfCalls {
    /// How calls travel; each toolkit takes part that has the mode.
    pub modes: Vec<Mode>,
    /// What is called, of one service.
    pub operations: Vec<Call>,
    /// Numbers of threads that call, each with a client of its own.
    pub threads: Vec<u32>,
    /// How long calls go on.
    pub milliseconds: u32,
    /// Also in a quick run, of the first operation by the first number of threads.
    #[serde(default = "super::measure::yes")]
    pub quick: bool,
}

impl MemoryOfCalls {
    /// What the system has given client and server, in bytes: once they are connected and have called nothing else than what has no
    /// data; after the calls; and at most in between.
    pub const METRICS: [[&str; 3]; 2] = [
        ["client-before", "client-after", "client-most"],
        ["server-before", "server-after", "server-most"],
    ];

    /// The case of a call.
    pub fn case(mode: Mode, threads: u32, call: Call) -> String {
        format!("memory-{}", ToolkitCalls::case(mode, threads, call, DIRECT))
    }

    /// The mode, the threads and the call of a case.
    pub fn parts(case: &str) -> Option<(Mode, u32, Call)> {
        let (mode, threads, call, _) = ToolkitCalls::parts(case.strip_prefix("memory-")?)?;
        Some((mode, threads, call))
    }

    /// What is called in such a run, by how many threads.
    pub fn calls(&self, is_quick: bool) -> Vec<(u32, Call)> {
        let most = if is_quick { 1 } else { usize::MAX };
        super::cases::pairs(&self.threads, &self.operations)
            .map(|(threads, call)| (*threads, *call))
            .take(most)
            .collect()
    }

    /// The service whose operations are called.
    pub fn service(&self) -> Service {
        Service::of(&self.operations)
    }

    /// All cases, whoever has them.
    pub(super) fn cases(&self) -> Vec<String> {
        let calls = self.calls(false);
        let of_mode = |mode: &Mode| {
            let mode = *mode;
            calls.iter().map(move |(threads, call)| Self::case(mode, *threads, *call))
        };
        self.modes.iter().flat_map(of_mode).collect()
    }

    pub(super) fn check(&self) -> Result<(), String> {
        check_service(&self.operations, &[])
    }
}

/// All calls are of one service.
fn check_service(operations: &[Call], quick: &[Call]) -> Result<(), String> {
    let service = Service::of(operations);
    let is_of_service = |call: &&Call| service.operations().any(|it| it == call.operation);
    let other = operations.iter().chain(quick).find(|it| !is_of_service(it));
    ensure(other.is_none(), || "the operations are of two services".to_owned())
}
