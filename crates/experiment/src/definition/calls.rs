//! What is measured of services that are called: the keys of those measures, and their cases.

use serde::Deserialize;

use super::Messages;
use super::measure::yes;
use crate::format::{Encoding, Format};
use crate::names::STAGES;

/// Calls of a service, by a driver that sends what was encoded before.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Calls {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
    /// Over these links.
    #[serde(default = "direct")]
    pub links: Vec<String>,
    /// Threads that call at the same time, one number after another.
    #[serde(default = "one_thread")]
    pub threads: Vec<u32>,
    /// How connections are used.
    #[serde(default = "kept")]
    pub ways: Vec<Way>,
    /// What carries the messages.
    #[serde(default = "http")]
    pub transports: Vec<Transport>,
    /// Also with Nagle's algorithm at both ends, and two writes for a request.
    #[serde(default)]
    pub nagle: bool,
    /// How long a repetition lasts, about.
    pub milliseconds: u32,
    /// Let others take part beside us: a bare echo of the same bytes, and the peers.
    #[serde(default = "yes")]
    pub others: bool,
    /// Also in a quick run.
    #[serde(default = "yes")]
    pub quick: bool,
}

/// Where the time of a call goes: the paper's section 4.4.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StagesOfCalls {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
    /// Over these links.
    #[serde(default = "direct")]
    pub links: Vec<String>,
    /// Calls in a repetition.
    pub calls: u32,
    /// Also in a quick run.
    #[serde(default = "yes")]
    pub quick: bool,
}

/// Who speaks which style: the paper's table 1.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Styles {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
}

/// Short and long messages at once, behind pools of several sizes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pool {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The short message and the long one, by name.
    pub messages: [String; 2],
    /// Threads that send each of them.
    pub threads: u32,
    /// Threads of the pool, one number after another.
    pub sizes: Vec<u32>,
    /// Which request is next, one after another.
    pub orders: Vec<PoolOrder>,
    /// How long a repetition lasts, about.
    pub milliseconds: u32,
}

/// Calls from structure to structure: our own client, and beside it a bare one that sends bytes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TypedCalls {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
    /// Threads that call at the same time, each with a client of its own.
    pub threads: Vec<u32>,
    /// How long a repetition lasts, about.
    pub milliseconds: u32,
}

words! {
    /// How connections are used.
    pub enum Way {
        /// One for all calls of a thread.
        Kept = "kept",
        /// One for each call.
        PerCall = "per-call",
        /// One for all, with eight requests on their way.
        Pipelined = "pipelined",
        /// Eight for each thread.
        Parallel = "parallel",
    }
}

words! {
    /// What carries the messages.
    pub enum Transport {
        /// HTTP/1.1.
        Http = "http",
        /// TCP by itself.
        Tcp = "tcp",
        /// HTTP/1.1 over TLS.
        Tls = "tls",
        /// The same, and the client shows a certificate too.
        MutualTls = "mutual-tls",
    }
}

words! {
    /// Which of the requests that wait is next.
    pub enum PoolOrder {
        /// The one that came first.
        FirstIn = "first-in",
        /// The one with the shortest body.
        ShortestFirst = "shortest-first",
    }
}

/// Metrics of calls.
pub(super) const METRICS: [&str; 7] = [
    "latency",
    "latency-p50",
    "latency-p99",
    "calls-per-second",
    "over-bare",
    "ahead-of-gsoap-best",
    "ahead-of-metro",
];

/// The parts of a call, their sum, and shares of it, as metrics.
pub const PARTS: [&str; 14] = [
    "total",
    "deserialise",
    "application",
    "serialise",
    "network",
    "deserialise-share",
    "serialise-share",
    "network-share",
    "codec-share",
    "whole-call",
    "whole-call-codec",
    "network-by-formula",
    "formula-less-stamps",
    "ahead-of-gsoap-best",
];

/// Metrics of who speaks which style; `styles` is how many of those that the paper has.
pub(super) const OF_STYLES: [&str; 3] = ["supported", "claimed", "styles"];

/// Requests on their way at once where there is more than one.
pub const DEPTH: u32 = 8;

/// The link without limits.
pub(super) fn direct_link() -> String {
    "direct".into()
}

fn direct() -> Vec<String> {
    vec![direct_link()]
}

fn one_thread() -> Vec<u32> {
    vec![1]
}

fn kept() -> Vec<Way> {
    vec![Way::Kept]
}

fn http() -> Vec<Transport> {
    vec![Transport::Http]
}

impl Transport {
    /// The first word of profiles.
    pub fn profile(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Tcp => "tcp",
            Self::Tls => "https",
            Self::MutualTls => "https-mutual",
        }
    }

    /// What carries a format: binary has no HTTP around it.
    pub fn of(self, format: Format) -> Self {
        if matches!(format.encoding(), Encoding::Soap(..)) { self } else { Self::Tcp }
    }
}

/// One thing that is measured of several subjects in turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation<'a> {
    /// The message by its name.
    pub message: &'a str,
    /// The link by its name.
    pub link: &'a str,
    /// Threads that call at the same time.
    pub threads: u32,
    /// How connections are used.
    pub way: Way,
    /// What carries the messages.
    pub transport: Transport,
    /// With Nagle's algorithm at both ends, and two writes for a request.
    pub has_nagle: bool,
}

words! {
    /// What the kind of a measure is called in its cases.
    pub enum Kind {
        /// One call after another.
        Latency = "latency",
        /// More and more threads.
        Saturation = "saturation",
        /// What connections cost.
        Connections = "connections",
        /// What carries the messages.
        Transports = "transports",
    }
}

impl Kind {
    /// The case of a situation, such as `saturation-16-simple@direct`.
    pub fn case(self, it: &Situation<'_>) -> String {
        let Situation { message, link, threads, way, transport, has_nagle } = it;
        let nagle = if *has_nagle { "-nagle" } else { "" };
        let what = match self {
            Self::Latency | Self::Saturation => String::new(),
            Self::Connections => format!("{}{nagle}-", way.name()),
            Self::Transports => format!("{}-", transport.name()),
        };
        let is_counted = self == Self::Saturation || *threads != 1;
        let several = if is_counted { format!("{threads}-") } else { String::new() };
        format!("{}-{several}{what}{message}@{link}", self.name())
    }
}

/// The case of the most calls a second that any number of threads came to.
pub fn peak(situation: &Situation<'_>) -> String {
    format!("peak-{}@{}", situation.message, situation.link)
}

impl Calls {
    /// All that it asks for, in order.
    pub fn situations<'a>(&'a self, messages: &'a Messages) -> Vec<Situation<'a>> {
        let mut all = Vec::new();
        let nagle: &[bool] = if self.nagle { &[false, true] } else { &[false] };
        for link in &self.links {
            for case in messages.cases_named(&self.messages) {
                for &threads in &self.threads {
                    for &transport in &self.transports {
                        for &way in &self.ways {
                            all.extend(nagle.iter().map(|&has_nagle| Situation {
                                message: &case.name,
                                link,
                                threads,
                                way,
                                transport,
                                has_nagle,
                            }));
                        }
                    }
                }
            }
        }
        all
    }
}

impl StagesOfCalls {
    /// The case of one message over a link, such as `stages-records@100mbit`; without a link only
    /// `stages-records`.
    pub fn case(message: &str, link: &str) -> String {
        match link {
            "direct" => format!("{STAGES}-{message}"),
            _ => format!("{STAGES}-{message}@{link}"),
        }
    }
}

impl Pool {
    /// The case of one message, such as `pool-2-shortest-first-simple`.
    pub fn case(size: u32, order: PoolOrder, message: &str) -> String {
        format!("pool-{size}-{}-{message}", order.name())
    }
}

impl TypedCalls {
    /// The case of one message, such as `calls-16-simple`.
    pub fn case(threads: u32, message: &str) -> String {
        format!("calls-{threads}-{message}")
    }
}
