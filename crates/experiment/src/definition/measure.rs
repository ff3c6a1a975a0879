//! What a part of an experiment does.

use serde::Deserialize;

use super::Messages;
use super::bounds::{between, ensure};
use super::calls::{Calls, Kind, Pool, StagesOfCalls, Styles, TypedCalls};
use super::codings::Codings;
use super::guaranteed::{Disk, GuaranteedFlood, Recovery};
use super::sessions::{BesideSessions, Bridge, Engines, Filters, Renditions};
use super::toolkit_calls::{MemoryOfCalls, ToolkitCalls, Vocabularies};
use super::traffic::{Flood, Hops, Matching, SharedMemory, SlowConsumers, Spread};
use crate::format::{Family, Format};

/// Something to measure; in a file its key `kind` says which.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Bytes of a message.
    Size(Size),
    /// CPU time of encoding and decoding.
    Codec(Codec),
    /// Instructions of encoding and decoding, counted.
    Instructions(Instructions),
    /// What the shaped links themselves cost and do.
    Link(LinkCheck),
    /// Round trips, one after another.
    RoundTrip(RoundTrip),
    /// Latency at a rate that does not wait for answers.
    OpenLoop(OpenLoop),
    /// Messages a second, one way.
    Throughput(Throughput),
    /// Bandwidth and clients from what the sizes and times came to.
    Capacity(Capacity),
    /// Calls of services, one after another.
    Latency(Calls),
    /// Calls of services by more and more threads.
    Saturation(Calls),
    /// What connections cost.
    Connections(Calls),
    /// What carries the messages of services.
    Transports(Calls),
    /// Where the time of calls goes.
    Stages(StagesOfCalls),
    /// Who speaks which style.
    Styles(Styles),
    /// Short and long messages at once.
    Pool(Pool),
    /// Calls from structure to structure.
    Calls(TypedCalls),
    /// Calls by the clients of toolkits to their own servers.
    Toolkits(ToolkitCalls),
    /// Many distinct texts, and vocabularies.
    Vocabularies(Vocabularies),
    /// What clients and servers of toolkits need of memory.
    Memory(MemoryOfCalls),
    /// Content codings, and calls with them.
    Codings(Codings),
    /// Rates to an algo engine, and its orders to a gateway.
    Hops(Hops),
    /// Many consumers, topics or clients.
    Spread(Spread),
    /// A fast, a slow and an eliding consumer.
    SlowConsumers(SlowConsumers),
    /// Messages as fast as they are taken.
    Flood(Flood),
    /// Shared memory.
    SharedMemory(SharedMemory),
    /// Subscriptions of a topic.
    Matching(Matching),
    /// Rates to an algo engine, and its guaranteed orders to a gateway.
    GuaranteedHops(Hops),
    /// Guaranteed messages as fast as they are taken.
    GuaranteedFlood(GuaranteedFlood),
    /// A router that is killed.
    Recovery(Recovery),
    /// The disk by itself.
    Disk(Disk),
    /// Engines of FIX beside one another.
    Engines(Engines),
    /// Sessions, the router, and subscribers.
    Bridge(Bridge),
    /// One source, and clients that want three formats.
    Renditions(Renditions),
    /// One source, and clients that want some of its messages, or of their fields.
    Filters(Filters),
    /// A native publisher and subscriber, beside sessions.
    Beside(BesideSessions),
}

/// Bytes of a message.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Size {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name, where they have names; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
    /// Also with just the fields and digits that Kohlhoff and Steele's Figures 5 and 6 print.
    #[serde(default)]
    pub as_printed: bool,
}

/// CPU time of encoding and decoding, ours and the peers'.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Codec {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name, where they have names; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
    /// Also on messages of which no two set the same fields.
    #[serde(default)]
    pub randomised: bool,
}

/// Instructions of encoding and decoding, ours and those of peers that are machine code.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Instructions {
    /// In these formats.
    pub formats: Vec<Format>,
    /// The messages by name, where they have names; all if there are none.
    #[serde(default)]
    pub messages: Vec<String>,
}

/// What a shaped link itself does to round trips.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinkCheck {
    /// The links to check.
    pub links: Vec<String>,
}

words! {
    /// How an end waits for bytes.
    #[derive(Default)]
    pub enum Waiting {
        /// In the operating system, which puts the processor to sleep.
        #[default]
        Blocking = "blocking",
        /// By asking again and again.
        Spinning = "spinning",
    }
}

/// Round trips between two processes, one after another.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RoundTrip {
    /// In these formats.
    pub formats: Vec<Format>,
    /// Over these links.
    pub links: Vec<String>,
    /// How both ends wait.
    #[serde(default)]
    pub wait: Waiting,
    /// Round trips in a repetition.
    pub round_trips: u32,
    /// Lengths of messages; those of the experiment if there are none.
    #[serde(default)]
    pub entries: Vec<u32>,
    /// Let others take part beside us: a bare echo of the same bytes, and the peers.
    #[serde(default = "yes")]
    pub others: bool,
    /// Also in a quick run.
    #[serde(default = "yes")]
    pub quick: bool,
}

/// Messages sent at a steady rate, whether or not the answers have come. Both ends wait in the
/// operating system: one that spins would take the processor from those beside it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OpenLoop {
    /// In these formats.
    pub formats: Vec<Format>,
    /// Over these links.
    pub links: Vec<String>,
    /// Messages a second.
    pub rates: Vec<u32>,
    /// How long a repetition lasts.
    pub seconds: f64,
}

words! {
    /// What is poured.
    pub enum Content {
        /// Application structure to application structure.
        Structures = "structures",
        /// Messages encoded before, whose bytes are only received.
        Encoded = "encoded",
    }
}

words! {
    /// The side that is made slower.
    pub enum Slow {
        /// The side that decodes.
        Receiver = "receiver",
        /// The side that encodes.
        Sender = "sender",
    }
}

/// Messages a second, one way.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Throughput {
    /// In these formats.
    pub formats: Vec<Format>,
    /// Over these links.
    pub links: Vec<String>,
    /// What is poured.
    pub content: Vec<Content>,
    /// Which side is slower, one after the other; neither if there are none.
    #[serde(default)]
    pub slow: Vec<Slow>,
    /// How many times as long the slower side takes for a message.
    #[serde(default = "one")]
    pub slow_factor: f64,
    /// Lengths of messages; those of the experiment if there are none.
    #[serde(default)]
    pub entries: Vec<u32>,
    /// How long a repetition lasts, about.
    pub milliseconds: u32,
    /// Let the peers take part beside us, and a bare end where nothing is encoded on the way.
    #[serde(default = "yes")]
    pub others: bool,
    /// Also in a quick run.
    #[serde(default = "yes")]
    pub quick: bool,
}

/// What it takes to send a day's peak to clients (the paper's section 6).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Capacity {
    /// In these formats.
    pub formats: Vec<Format>,
    /// Entries a second at the published peak.
    pub rate: u32,
    /// Entries that fill a message.
    pub entries: u32,
    /// The longest that an entry waits for company.
    pub window_milliseconds: u32,
}

/// Messages of which an end of a connection keeps the times at most.
pub const MOST_TIMES: u64 = 1 << 24;

/// Messages of a repetition at a rate, at most: the ends keep the times of all.
const MOST_PACED: f64 = 0.5 * MOST_TIMES as f64;

pub(super) fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

impl RoundTrip {
    /// The case of round trips over a link.
    pub fn case(link: &str) -> String {
        format!("round-trip@{link}")
    }
}

impl OpenLoop {
    /// The case of a rate over a link.
    pub fn case(rate: u32, link: &str) -> String {
        format!("open-loop-{rate}@{link}")
    }
}

impl Throughput {
    /// The case of one way of pouring over a link.
    pub fn case(content: Content, slow: Option<Slow>, link: &str) -> String {
        let what = match (slow, content) {
            (Some(Slow::Receiver), _) => "throughput-slow-receiver",
            (Some(Slow::Sender), _) => "throughput-slow-sender",
            (None, Content::Structures) => "throughput",
            (None, Content::Encoded) => "throughput-encoded",
        };
        format!("{what}@{link}")
    }
}

impl Measure {
    /// The formats that are measured.
    pub fn formats(&self) -> &[Format] {
        match self {
            Self::Size(it) => &it.formats,
            Self::Codec(it) => &it.formats,
            Self::Instructions(it) => &it.formats,
            Self::RoundTrip(it) => &it.formats,
            Self::OpenLoop(it) => &it.formats,
            Self::Throughput(it) => &it.formats,
            Self::Capacity(it) => &it.formats,
            Self::Stages(it) => &it.formats,
            Self::Styles(it) => &it.formats,
            Self::Pool(it) => &it.formats,
            Self::Calls(it) => &it.formats,
            _ => self.calls().map_or(&[], |(_, it)| &it.formats),
        }
    }

    /// Calls of services by the driver.
    pub fn calls(&self) -> Option<(Kind, &Calls)> {
        match self {
            Self::Latency(it) => Some((Kind::Latency, it)),
            Self::Saturation(it) => Some((Kind::Saturation, it)),
            Self::Connections(it) => Some((Kind::Connections, it)),
            Self::Transports(it) => Some((Kind::Transports, it)),
            _ => None,
        }
    }

    /// The links that are checked.
    pub fn links(&self) -> &[String] {
        if let Self::Link(it) = self { &it.links } else { &[] }
    }

    /// The names of the messages that are measured; all if there are none.
    pub fn messages(&self) -> &[String] {
        match self {
            Self::Size(it) => &it.messages,
            Self::Codec(it) => &it.messages,
            Self::Instructions(it) => &it.messages,
            Self::Stages(it) => &it.messages,
            Self::Styles(it) => &it.messages,
            Self::Pool(it) => &it.messages,
            Self::Calls(it) => &it.messages,
            _ => self.calls().map_or(&[], |(_, it)| &it.messages),
        }
    }

    /// The messages that it can be measured with.
    fn families(&self) -> &'static [Family] {
        match self {
            Self::Size(_) | Self::Codec(_) | Self::Instructions(_) => {
                &[Family::MarketData, Family::CustomerServices]
            }
            Self::Link(_) | Self::RoundTrip(_) | Self::OpenLoop(_) => &[Family::MarketData],
            Self::Throughput(_) | Self::Capacity(_) => &[Family::MarketData],
            Self::Stages(_) | Self::Styles(_) | Self::Pool(_) | Self::Calls(_) => {
                &[Family::CustomerServices]
            }
            Self::Toolkits(_) | Self::Vocabularies(_) | Self::Memory(_) | Self::Codings(_) => {
                &[Family::Operations]
            }
            Self::Engines(_) | Self::Bridge(_) | Self::Beside(_) => &[Family::Sessions],
            Self::Renditions(_) | Self::Filters(_) => &[Family::Sessions],
            _ if self.calls().is_some() => &[Family::CustomerServices],
            _ => &[Family::Rates],
        }
    }

    /// Whether messages go through a middleware.
    pub fn is_of_traffic(&self) -> bool {
        self.families() == [Family::Rates]
    }

    /// Whether its messages have no format that a case is of.
    pub fn is_without_format(&self) -> bool {
        self.is_of_traffic()
            || [Family::Operations, Family::Sessions].iter().any(|it| self.families() == [*it])
    }

    /// Whether something is called.
    pub fn is_of_services(&self) -> bool {
        self.families() == [Family::CustomerServices]
    }

    /// What the types and the bounds of its keys do not say.
    pub(super) fn check(&self, messages: &Messages) -> Result<(), String> {
        let (family, families) = (messages.family, self.families());
        ensure(families.contains(&family), || {
            let names: Vec<&str> = families.iter().map(|it| it.name()).collect();
            let names = names.join(" or ");
            format!("this is measured with the family {names}, not {}", family.name())
        })?;
        if let Some(format) = self.formats().iter().find(|format| format.family() != family) {
            return Err(format!("{} does not carry {}", format.name(), family.name()));
        }
        messages.check_named(self.messages().iter())?;
        match self {
            Self::Size(Size { as_printed: true, .. })
            | Self::Codec(Codec { randomised: true, .. }) => {
                let what = "`as-printed` and `randomised` are for market-data";
                ensure(family == Family::MarketData, || what.to_owned())
            }
            Self::OpenLoop(it) => it.rates.iter().try_for_each(|&rate| {
                let wrong = |what| format!("rate times seconds: {what}");
                between(f64::from(rate) * it.seconds, 1.0, MOST_PACED).map_err(wrong)
            }),
            Self::Throughput(it) => {
                let is_right = it.slow.is_empty() || !it.content.contains(&Content::Encoded);
                ensure(is_right, || "nothing that was encoded before can be slow".to_owned())
            }
            Self::Toolkits(it) => it.check(),
            Self::Memory(it) => it.check(),
            Self::Codings(it) => it.check(),
            _ => Ok(()),
        }
    }
}
