//! What is measured of a middleware: which subjects take part, how many messages, and who receives them.

use serde::Deserialize;

use super::chosen;

/// Who takes turns, and how long each is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Turns {
    /// Who takes part.
    pub subjects: Vec<String>,
    /// Who takes part in a quick run; nobody if it is empty: it is left out.
    #[serde(default)]
    pub quick_subjects: Vec<String>,
    /// How long each run lasts, in milliseconds. Receivers wait for twice as long, and tasks may take 150 s.
    pub milliseconds: u64,
    /// How long in a quick run.
    pub quick_milliseconds: Option<u64>,
    /// Turns of each subject; the lab's own number if it does not say.
    #[serde(default)]
    pub count: Option<u32>,
}

/// A feed handler, an algo engine that answers every fifth rate with an order, and an order gateway.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Hops {
    /// Who takes part, and for how long.
    pub turns: Turns,
    /// Rates a second.
    pub rates: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_rates: Vec<u32>,
    /// Goes on until a rate is too high.
    #[serde(default)]
    pub saturation: bool,
}

/// One pricing engine and consumers with topics.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spread {
    /// Who takes part, and for how long.
    pub turns: Turns,
    /// The first word of its cases.
    pub name: String,
    /// Numbers of consumers.
    #[serde(default = "one")]
    pub consumers: Vec<u32>,
    /// Numbers of topics, of each consumer or of all if they share them.
    #[serde(default = "one")]
    pub topics: Vec<u32>,
    /// Numbers of further clients that stay connected and get nothing.
    #[serde(default = "none")]
    pub clients: Vec<u32>,
    /// Numbers of a quick run, of consumers, topics and clients; all if there are none.
    #[serde(default)]
    pub quick: Vec<u32>,
    /// All consumers have the same topics.
    #[serde(default)]
    pub shared: bool,
    /// Messages a second to each consumer.
    pub rate: u32,
}

/// A fast, a slow and an eliding consumer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SlowConsumers {
    /// How its cases begin; `flexibility`, with pictures over time, if it does not say.
    #[serde(default = "flexibility")]
    pub name: String,
    /// Who takes part, and for how long.
    pub turns: Turns,
    /// Topics of the prices.
    pub topics: u32,
    /// Messages a second.
    pub rate: u32,
    /// What the slow consumer takes in a second.
    pub slow: u32,
    /// Messages that may wait for the slow consumer.
    pub queue: usize,
    /// Updates a second for each topic of the eliding consumer, one run each.
    pub caps: Vec<u32>,
    /// How long the runs with caps after the first last, in which the slow consumer does not matter.
    pub further_milliseconds: u64,
    /// How long those are measured that cannot elide, and the fast consumer alone beside theirs.
    pub peer_milliseconds: u64,
}

/// Messages as fast as the subscribers take them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Flood {
    /// Who takes part, and for how long.
    pub turns: Turns,
    /// Numbers of consumers.
    pub consumers: Vec<u32>,
    /// Messages that may be on their way.
    pub window: u64,
}

/// Shared memory, and what it is held against.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SharedMemory {
    /// Who takes part, and for how long.
    pub turns: Turns,
    /// Messages a second.
    pub rates: Vec<u32>,
}

/// What it costs to find the subscriptions of a topic.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Matching {
    /// Numbers of subscriptions.
    pub subscriptions: Vec<u32>,
    /// Numbers of levels of a topic.
    pub levels: Vec<u32>,
}

fn one() -> Vec<u32> {
    vec![1]
}

fn none() -> Vec<u32> {
    vec![0]
}

fn flexibility() -> String {
    "flexibility".to_owned()
}

/// Bytes of every payload.
pub const PAYLOAD_BYTES: usize = 128;

/// The hops of the latency test, as they begin cases.
pub const HOPS: [&str; 2] = ["rates", "orders"];

/// The metrics of a latency.
pub const LATENCIES: [&str; 7] = [
    "latency-mean",
    "latency-p50",
    "latency-p90",
    "latency-p99",
    "latency-p99.9",
    "latency-p99.99",
    "latency-max",
];

impl Turns {
    /// Who takes part in such a run.
    pub fn subjects(&self, is_quick: bool) -> &[String] {
        if is_quick { &self.quick_subjects } else { &self.subjects }
    }

    /// How long each run lasts.
    pub fn milliseconds(&self, is_quick: bool) -> u64 {
        self.quick_milliseconds.filter(|_| is_quick).unwrap_or(self.milliseconds)
    }
}

impl Hops {
    /// The rates of such a run.
    pub fn rates(&self, is_quick: bool) -> &[u32] {
        chosen(&self.rates, &self.quick_rates, is_quick)
    }

    /// The case of a hop at a rate.
    pub fn case(hop: &str, rate: u32) -> String {
        format!("{hop}-{rate}")
    }
}

impl Spread {
    /// What is measured: numbers of consumers, topics and clients.
    pub fn steps(&self, is_quick: bool) -> Vec<(u32, u32, u32)> {
        let mut steps = Vec::new();
        for &clients in &self.clients {
            for &topics in &self.topics {
                steps.extend(self.consumers.iter().map(|&consumers| (consumers, topics, clients)));
            }
        }
        let is_all = !is_quick || self.quick.is_empty();
        steps.retain(|step| is_all || self.quick.contains(&self.number(*step)));
        steps
    }

    /// The number that differs from step to step.
    pub fn number(&self, (consumers, topics, clients): (u32, u32, u32)) -> u32 {
        match () {
            () if self.clients.len() > 1 => clients,
            () if self.topics.len() > 1 => topics,
            () => consumers,
        }
    }

    /// The case of a step.
    pub fn case(&self, step: (u32, u32, u32)) -> String {
        format!("{}-{}", self.name, self.number(step))
    }
}

impl SlowConsumers {
    /// Consumers that elide and are slow at reading, with credit and without: how old is what they take. They
    /// have a run of their own, with the first cap in its name though the router does not cap them.
    pub const READERS: [&str; 2] = ["slow-reader", "slow-reader-without-credit"];

    /// The case of a consumer: `fast`, `slow`, `eliding` beside the others, `alone`, or one of
    /// [`Self::READERS`].
    pub fn case(&self, consumer: &str, cap: u32) -> String {
        match consumer {
            "alone" => format!("{}-alone", self.name),
            _ => format!("{}-{consumer}-{cap}", self.name),
        }
    }
}

impl Flood {
    /// The case of so many consumers.
    pub fn case(consumers: u32) -> String {
        format!("flood-{consumers}")
    }
}

impl SharedMemory {
    /// The cases: one thread that publishes and receives, or two processes.
    pub fn case(way: &str, rate: u32) -> String {
        format!("shared-{way}-{rate}")
    }
}

impl Matching {
    /// The case of a topic of so many levels.
    pub fn case(levels: u32, subscriptions: u32) -> String {
        format!("matching-{levels}-{subscriptions}")
    }
}
