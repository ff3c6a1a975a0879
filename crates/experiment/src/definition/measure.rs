//! What a part of an experiment does.

use serde::Deserialize;

use super::calls::{self, Calls, Kind, Pool, StagesOfCalls, TypedCalls};
use super::guaranteed::{Disk, GuaranteedFlood, GuaranteedHops, Recovery};
use super::traffic::{Flood, Hops, Matching, SharedMemory, SlowConsumers, Spread};
use super::{Messages, check_entries};
use crate::format::{Family, Format};
use crate::link::Link;
use crate::names::{COSTS, THROUGHPUT};

/// Something to measure; in a file its key `kind` says which.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Bytes of a message.
    Size(Size),
    /// CPU time of encoding and decoding.
    Codec(Codec),
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
    /// Short and long messages at once.
    Pool(Pool),
    /// Calls from structure to structure.
    Calls(TypedCalls),
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
    GuaranteedHops(GuaranteedHops),
    /// Guaranteed messages as fast as they are taken.
    GuaranteedFlood(GuaranteedFlood),
    /// A router that is killed.
    Recovery(Recovery),
    /// The disk by itself.
    Disk(Disk),
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

/// What a shaped link itself does to round trips.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinkCheck {
    /// The links to check.
    pub links: Vec<String>,
}

/// How an end waits for bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// In the operating system, which puts the processor to sleep.
    #[default]
    Blocking,
    /// By asking again and again.
    Spinning,
}

impl Waiting {
    /// The word in profiles and questions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Spinning => "spinning",
        }
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

/// What is poured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Application structure to application structure.
    Structures,
    /// Messages encoded before, whose bytes are only received.
    Encoded,
}

/// The side that is made slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slow {
    /// The side that decodes.
    Receiver,
    /// The side that encodes.
    Sender,
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

fn yes() -> bool {
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
            Self::RoundTrip(it) => &it.formats,
            Self::OpenLoop(it) => &it.formats,
            Self::Throughput(it) => &it.formats,
            Self::Capacity(it) => &it.formats,
            Self::Latency(it) | Self::Saturation(it) => &it.formats,
            Self::Connections(it) | Self::Transports(it) => &it.formats,
            Self::Stages(it) => &it.formats,
            Self::Pool(it) => &it.formats,
            Self::Calls(it) => &it.formats,
            Self::Link(_) => &[],
            Self::Hops(_) | Self::Spread(_) | Self::SlowConsumers(_) => &[],
            Self::Flood(_) | Self::SharedMemory(_) | Self::Matching(_) => &[],
            Self::GuaranteedHops(_)
            | Self::GuaranteedFlood(_)
            | Self::Recovery(_)
            | Self::Disk(_) => &[],
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

    /// The links over which something is measured.
    pub fn links(&self) -> &[String] {
        match self {
            Self::Link(it) => &it.links,
            Self::RoundTrip(it) => &it.links,
            Self::OpenLoop(it) => &it.links,
            Self::Throughput(it) => &it.links,
            Self::Latency(it) | Self::Saturation(it) => &it.links,
            Self::Connections(it) | Self::Transports(it) => &it.links,
            _ => &[],
        }
    }

    /// The names of the messages that are measured; all if there are none.
    pub fn messages(&self) -> &[String] {
        match self {
            Self::Size(it) => &it.messages,
            Self::Codec(it) => &it.messages,
            Self::Latency(it) | Self::Saturation(it) => &it.messages,
            Self::Connections(it) | Self::Transports(it) => &it.messages,
            Self::Stages(it) => &it.messages,
            Self::Pool(it) => &it.messages,
            Self::Calls(it) => &it.messages,
            _ => &[],
        }
    }

    /// What its rows are about: cases, with their metrics.
    pub(super) fn cases(&self, messages: &Messages) -> Vec<(String, Vec<&'static str>)> {
        match messages.family {
            Family::MarketData => self.cases_of_market_data(),
            Family::CustomerServices => self.cases_of_services(messages),
            Family::Rates => self.cases_of_traffic(),
        }
    }

    fn cases_of_traffic(&self) -> Vec<(String, Vec<&'static str>)> {
        match self {
            Self::Hops(it) => it.cases(),
            Self::Spread(it) => it.cases(),
            Self::SlowConsumers(it) => it.cases(),
            Self::Flood(it) => it.cases(),
            Self::SharedMemory(it) => it.cases(),
            Self::Matching(it) => it.cases(),
            Self::GuaranteedHops(it) => it.cases(),
            Self::GuaranteedFlood(it) => it.cases(),
            Self::Recovery(it) => it.cases(),
            Self::Disk(it) => it.cases(),
            _ => Vec::new(),
        }
    }

    /// Cases that end in the name of a message.
    fn cases_of_services(&self, messages: &Messages) -> Vec<(String, Vec<&'static str>)> {
        if let Some((kind, it)) = self.calls() {
            let situations = it.situations(messages);
            let mut cases: Vec<String> = situations.iter().map(|it| kind.case(it)).collect();
            if kind == Kind::Saturation {
                cases.extend(situations.iter().map(calls::peak));
            }
            return cases.into_iter().map(|case| (case, calls::METRICS.to_vec())).collect();
        }
        let (kinds, metrics): (&[&str], &[&'static str]) = match self {
            Self::Size(_) => (&["size"], &["size"]),
            Self::Codec(_) => (&["encode", "decode"], &["cpu-time"]),
            Self::Stages(_) => (&["stages"], &calls::PARTS),
            Self::Pool(it) => {
                let cases = it.cases().into_iter();
                return cases.map(|case| (case, calls::METRICS.to_vec())).collect();
            }
            Self::Calls(it) => {
                let all = messages.cases_named(&it.messages);
                let of_message = |name: &str| -> Vec<_> {
                    let case =
                        |&threads| (TypedCalls::case(threads, name), calls::METRICS.to_vec());
                    it.threads.iter().map(case).collect()
                };
                return all.flat_map(|case| of_message(&case.name)).collect();
            }
            _ => return Vec::new(),
        };
        let cases = messages.cases_named(self.messages());
        let of_message = |name: &str| -> Vec<_> {
            kinds.iter().map(|kind| (format!("{kind}-{name}"), metrics.to_vec())).collect()
        };
        cases.flat_map(|case| of_message(&case.name)).collect()
    }

    fn cases_of_market_data(&self) -> Vec<(String, Vec<&'static str>)> {
        let all = |cases: &[&str], metrics: &[&'static str]| {
            cases.iter().map(|case| ((*case).to_owned(), metrics.to_vec())).collect()
        };
        let own = |metrics: &[&'static str]| {
            let cases = self.cases_of_its_own().into_iter();
            cases.map(|case| (case, metrics.to_vec())).collect()
        };
        match self {
            Self::Size(_) => all(&["size"], &["size", "size-fixed", "size-per-entry", "reduction"]),
            Self::Codec(it) => {
                let cases = ["encode", "decode", "encode-randomised", "decode-randomised"];
                let cases = &cases[..if it.randomised { 4 } else { 2 }];
                all(cases, &["cpu-time", "cpu-time-fixed", "cpu-time-per-entry", "reduction"])
            }
            Self::RoundTrip(it) => {
                let mut metrics = COSTS.to_vec();
                metrics.extend(["round-trip-fixed", "round-trip-per-entry"]);
                metrics.extend(["round-trip-p50", "round-trip-p90", "round-trip-p99"]);
                metrics.extend(["round-trip-max", "over-bare", "reduction"]);
                let case = |link: &String| (RoundTrip::case(link), metrics.clone());
                it.links.iter().map(case).collect()
            }
            Self::OpenLoop(_) => own(&["latency-p50", "latency-p90", "latency-p99", "latency-max"]),
            Self::Throughput(_) => own(&THROUGHPUT),
            Self::Capacity(it) => all(
                &[&format!("capacity-{}", it.rate), "capacity-peak"],
                &["bytes-per-second", "bits-per-second", "cpu-share", "clients"],
            ),
            _ => Vec::new(),
        }
    }

    /// The cases that it measures and that no other measure may, because their rows are not merged.
    pub(super) fn cases_of_its_own(&self) -> Vec<String> {
        let mut cases = Vec::new();
        match self {
            it if it.is_of_traffic() => {
                cases.extend(it.cases_of_traffic().into_iter().map(|(case, _)| case));
            }
            Self::OpenLoop(it) => {
                for link in &it.links {
                    cases.extend(it.rates.iter().map(|&rate| OpenLoop::case(rate, link)));
                }
            }
            Self::Throughput(it) => {
                for link in &it.links {
                    for &content in &it.content {
                        let slow = it.slow.iter().copied().map(Some);
                        let slow: Vec<_> =
                            if it.slow.is_empty() { vec![None] } else { slow.collect() };
                        let case = |slow| Throughput::case(content, slow, link);
                        cases.extend(slow.into_iter().map(case));
                    }
                }
            }
            _ => {}
        }
        cases
    }

    pub(super) fn check(&self, messages: &Messages) -> Result<(), String> {
        let family = messages.family;
        if self.is_of_traffic() || family == Family::Rates {
            return self.check_traffic(family);
        }
        if self.formats().is_empty() && !matches!(self, Self::Link(_)) {
            return Err("there are no formats".into());
        }
        if let Some(format) = self.formats().iter().find(|format| format.family() != family) {
            return Err(format!("{} does not carry {}", format.name(), family.name()));
        }
        messages.check_named(self.messages())?;
        match family {
            Family::CustomerServices => self.check_of_services()?,
            Family::MarketData if self.is_of_services() => {
                return Err("calls are measured with customer-services".into());
            }
            Family::MarketData | Family::Rates => {}
        }
        for link in self.links() {
            link.parse::<Link>().map_err(|error| error.to_string())?;
        }
        let within = |what: &str, value: f64, from: f64, to: f64| {
            let fault = || format!("{what} is {value}, not between {from} and {to}");
            if (from..=to).contains(&value) { Ok(()) } else { Err(fault()) }
        };
        match self {
            Self::RoundTrip(it) => {
                check_entries(&it.entries)?;
                within("round-trips", it.round_trips.into(), 1.0, 1e6)
            }
            Self::OpenLoop(it) => {
                within("seconds", it.seconds, 0.01, 3600.0)?;
                it.rates.iter().try_for_each(|&rate| {
                    within("a rate", rate.into(), 1.0, 1e6)?;
                    within("a rate times seconds", f64::from(rate) * it.seconds, 1.0, MOST_PACED)
                })
            }
            Self::Throughput(it) => {
                check_entries(&it.entries)?;
                if !it.slow.is_empty() && it.content.contains(&Content::Encoded) {
                    return Err("nothing that was encoded before can be slow".into());
                }
                within("slow-factor", it.slow_factor, 1.0, 1e3)?;
                within("milliseconds", it.milliseconds.into(), 1.0, 1e5)
            }
            Self::Capacity(it) => {
                within("rate", it.rate.into(), 1.0, 1e9)?;
                within("entries", it.entries.into(), 1.0, 1e3)?;
                within("window-milliseconds", it.window_milliseconds.into(), 1.0, 1e9)
            }
            Self::Size(_) | Self::Codec(_) | Self::Link(_) => Ok(()),
            Self::Latency(it) | Self::Saturation(it) => it.check(),
            Self::Connections(it) | Self::Transports(it) => it.check(),
            Self::Stages(it) => it.check(),
            Self::Pool(it) => it.check(),
            Self::Calls(it) => it.check(),
            _ => Ok(()),
        }
    }

    /// Whether messages go through a middleware.
    pub fn is_of_traffic(&self) -> bool {
        matches!(
            self,
            Self::Hops(_)
                | Self::Spread(_)
                | Self::SlowConsumers(_)
                | Self::Flood(_)
                | Self::SharedMemory(_)
                | Self::Matching(_)
                | Self::GuaranteedHops(_)
                | Self::GuaranteedFlood(_)
                | Self::Recovery(_)
                | Self::Disk(_)
        )
    }

    fn check_traffic(&self, family: Family) -> Result<(), String> {
        if !self.is_of_traffic() || family != Family::Rates {
            return Err(
                "a middleware is measured with the family rates, and nothing else is".into()
            );
        }
        match self {
            Self::Hops(it) => it.check(),
            Self::Spread(it) => it.check(),
            Self::SlowConsumers(it) => it.check(),
            Self::Flood(it) => it.check(),
            Self::SharedMemory(it) => it.check(),
            Self::Matching(it) => it.check(),
            Self::GuaranteedHops(it) => it.check(),
            Self::GuaranteedFlood(it) => it.check(),
            Self::Recovery(it) => it.check(),
            Self::Disk(it) => it.check(),
            _ => Ok(()),
        }
    }

    /// Whether something is called.
    pub fn is_of_services(&self) -> bool {
        matches!(self, Self::Stages(_) | Self::Pool(_) | Self::Calls(_)) || self.calls().is_some()
    }

    fn check_of_services(&self) -> Result<(), String> {
        match self {
            Self::Size(it) if !it.as_printed => Ok(()),
            Self::Codec(it) if !it.randomised => Ok(()),
            Self::Size(_) | Self::Codec(_) => {
                Err("`as-printed` and `randomised` are for market-data".into())
            }
            Self::RoundTrip(_) | Self::OpenLoop(_) | Self::Throughput(_) => {
                Err("one-way messages and round trips are of market-data; services have calls"
                    .into())
            }
            Self::Capacity(_) | Self::Link(_) => Err("this is measured with market-data".into()),
            _ => Ok(()),
        }
    }
}
