//! What is measured of services that are called: the keys of those measures, and their cases.

use serde::Deserialize;

use super::{MessageCase, Messages};
use crate::format::{Encoding, Format};

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
    /// Calls in a repetition.
    pub calls: u32,
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

/// How connections are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// One for all calls of a thread.
    Kept,
    /// One for each call.
    PerCall,
    /// One for all, with eight requests on their way.
    Pipelined,
    /// Eight for each thread.
    Parallel,
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// HTTP/1.1.
    Http,
    /// TCP by itself.
    Tcp,
    /// HTTP/1.1 over TLS.
    Tls,
    /// The same, and the client shows a certificate too.
    MutualTls,
}

/// Which of the requests that wait is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolOrder {
    /// The one that came first.
    FirstIn,
    /// The one with the shortest body.
    ShortestFirst,
}

/// Metrics of calls.
pub const METRICS: [&str; 7] = [
    "latency",
    "latency-p50",
    "latency-p99",
    "calls-per-second",
    "over-bare",
    "ahead-of-gsoap-best",
    "ahead-of-metro",
];

/// The parts of a call, their sum, and shares of it, as metrics.
pub const PARTS: [&str; 10] = [
    "total",
    "deserialise",
    "application",
    "serialise",
    "network",
    "deserialise-share",
    "serialise-share",
    "network-share",
    "codec-share",
    "ahead-of-gsoap-best",
];

/// Requests on their way at once where there is more than one.
pub const DEPTH: u32 = 8;

fn yes() -> bool {
    true
}

fn direct() -> Vec<String> {
    vec!["direct".into()]
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

impl Way {
    /// The word in cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::PerCall => "per-call",
            Self::Pipelined => "pipelined",
            Self::Parallel => "parallel",
        }
    }
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Http, Self::Tcp, Self::Tls, Self::MutualTls];

    /// The word in cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::MutualTls => "mutual-tls",
        }
    }

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

impl PoolOrder {
    /// The word in cases and questions.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstIn => "first-in",
            Self::ShortestFirst => "shortest-first",
        }
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

/// What the kind of a measure is called in its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One call after another.
    Latency,
    /// More and more threads.
    Saturation,
    /// What connections cost.
    Connections,
    /// What carries the messages.
    Transports,
}

impl Kind {
    /// The first word of its cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Saturation => "saturation",
            Self::Connections => "connections",
            Self::Transports => "transports",
        }
    }

    /// The case of a situation, such as `saturation-16-simple@direct`.
    pub fn case(self, it: &Situation<'_>) -> String {
        let Situation { message, link, threads, way, transport, has_nagle } = it;
        let nagle = if *has_nagle { "-nagle" } else { "" };
        let what = match self {
            Self::Latency => String::new(),
            Self::Saturation => format!("{threads}-"),
            Self::Connections => format!("{}{nagle}-", way.name()),
            Self::Transports => format!("{}-", transport.name()),
        };
        let several = match (self, threads) {
            (Self::Saturation, _) | (_, 1) => String::new(),
            (_, threads) => format!("{threads}-"),
        };
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
        let cases: Vec<&MessageCase> = messages.cases_named(&self.messages).collect();
        let nagle: &[bool] = if self.nagle { &[false, true] } else { &[false] };
        for link in &self.links {
            for case in &cases {
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

    pub(super) fn check(&self) -> Result<(), String> {
        check_threads("threads", &self.threads)?;
        if self.links.is_empty() || self.ways.is_empty() || self.transports.is_empty() {
            return Err("there are no links, ways or transports".into());
        }
        check_milliseconds(self.milliseconds)
    }
}

impl StagesOfCalls {
    pub(super) fn check(&self) -> Result<(), String> {
        match self.calls {
            1..=100_000 => Ok(()),
            calls => Err(format!("calls is {calls}, not between 1 and 100000")),
        }
    }
}

impl Pool {
    /// The case of one message, such as `pool-2-shortest-first-simple`.
    pub fn case(size: u32, order: PoolOrder, message: &str) -> String {
        format!("pool-{size}-{}-{message}", order.name())
    }

    /// The cases of both messages, by size of the pool and order.
    pub fn cases(&self) -> Vec<String> {
        let mut cases = Vec::new();
        for &size in &self.sizes {
            for &order in &self.orders {
                cases.extend(self.messages.iter().map(|it| Self::case(size, order, it)));
            }
        }
        cases
    }

    pub(super) fn check(&self) -> Result<(), String> {
        check_threads("threads", &[self.threads])?;
        check_threads("sizes", &self.sizes)?;
        check_milliseconds(self.milliseconds)
    }
}

impl TypedCalls {
    /// The case of one message, such as `calls-16-simple`.
    pub fn case(threads: u32, message: &str) -> String {
        format!("calls-{threads}-{message}")
    }

    pub(super) fn check(&self) -> Result<(), String> {
        check_threads("threads", &self.threads)?;
        check_milliseconds(self.milliseconds)
    }
}

fn check_threads(what: &str, threads: &[u32]) -> Result<(), String> {
    if threads.is_empty() {
        return Err(format!("there are no {what}"));
    }
    match threads.iter().find(|threads| !(1..=256).contains(*threads)) {
        Some(threads) => Err(format!("{threads} {what} are not between 1 and 256")),
        None => Ok(()),
    }
}

fn check_milliseconds(milliseconds: u32) -> Result<(), String> {
    match milliseconds {
        1..=100_000 => Ok(()),
        _ => Err(format!("milliseconds is {milliseconds}, not between 1 and 100000")),
    }
}
