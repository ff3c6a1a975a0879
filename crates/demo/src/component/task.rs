//! What a program of an experiment can be asked to do, and what it answers.
//!
//! Each task is a line of JSON on standard input, each answer a line on standard output: `ok` and an
//! [`Answer`], or `error` and what went wrong.

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use super::source::{Content, Pair, Topics};
use super::stamp::Kind;
use trunkline_bench_bus::bus::{BusOptions, Wait};

/// Something to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Task {
    /// Opens a connection; the first is the one that publishes and receives, if nothing else is said.
    Connect(Connection),
    /// Subscribes on the first connection.
    Subscribe(Range),
    /// Subscribes durably on the first connection.
    SubscribeGuaranteed {
        /// Name of the subscription.
        name: String,
        /// To these topics.
        topics: Range,
    },
    /// Publishes a message on each of these topics, on the last connection, to see whether it arrives.
    Probe {
        /// Their indexes.
        topics: Vec<usize>,
    },
    /// Waits for a probe.
    Listen {
        /// No longer than this.
        milliseconds: u64,
    },
    /// Publishes messages at a rate.
    Publish(Publishing),
    /// Publishes messages as fast as the subscribers take them.
    Flood(Flooding),
    /// Receives messages until the last.
    Receive(Receiving),
    /// Receives on the first connection and publishes on the last, in one thread.
    Both {
        /// What is published.
        publish: Publishing,
        /// How it is received.
        receive: Receiving,
    },
}

/// A connection to open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Connection {
    /// Where, as the adaptor understands it.
    pub address: String,
    /// The topics that it will use.
    pub topics: Topics,
    /// Name of the client.
    pub name: String,
    /// How many alike, named `name-0` and so on.
    #[serde(default = "one")]
    pub count: usize,
    /// Each of several subscribes to the topic of its number as well.
    #[serde(default)]
    pub subscribe_each: bool,
    /// See [`BusOptions::queue_messages`].
    #[serde(default)]
    pub queue_messages: Option<usize>,
    /// See [`BusOptions::messages_per_second`].
    #[serde(default)]
    pub messages_per_second: Option<u32>,
    /// See [`BusOptions::updates_per_second`].
    #[serde(default)]
    pub updates_per_second: Option<u32>,
    /// The opposite of [`BusOptions::credit`].
    #[serde(default)]
    pub without_credit: bool,
    /// See [`BusOptions::receive_buffer`].
    #[serde(default)]
    pub receive_buffer: Option<usize>,
    /// See [`BusOptions::spins`].
    #[serde(default)]
    pub spins: bool,
}

/// Topics that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// Index of the first.
    pub first: usize,
    /// How many.
    pub count: usize,
}

/// Messages at a rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Publishing {
    /// Number of the run, which every message carries.
    pub run: u16,
    /// Messages a second.
    pub rate: f64,
    /// How many.
    pub messages: u64,
    /// Bytes of a payload.
    pub bytes: usize,
    /// Topics of the last message, one for each subscriber.
    pub end: Vec<usize>,
}

/// Messages as fast as they are taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Flooding {
    /// Number of the run, which every message carries.
    pub run: u16,
    /// For so long.
    pub milliseconds: u64,
    /// Bytes of a payload.
    pub bytes: usize,
    /// No more messages than this, if that is sooner.
    #[serde(default)]
    pub most: Option<u64>,
    /// No more messages are on their way than this.
    pub window: u64,
    /// Topics on which each subscriber tells how many messages it has; they must be subscribed to.
    pub feedback: Range,
    /// Messages are guaranteed, and on their way until they are acknowledged; there is no feedback.
    #[serde(default)]
    pub guaranteed: bool,
    /// Topics of the last message, one for each subscriber.
    pub end: Vec<usize>,
}

/// How messages are received.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receiving {
    /// Number of the run; messages of other runs do not count.
    pub run: u16,
    /// What is expected.
    pub kind: ReceivedKind,
    /// The topics that are subscribed to.
    pub topics: Range,
    /// Ends after this time at the latest.
    pub milliseconds: u64,
    /// Ends when this many milliseconds have passed without a message, after the first.
    #[serde(default)]
    pub silence: Option<u64>,
    /// Asks again and again, or sleeps in the kernel.
    pub spins: bool,
    /// Messages whose times do not count: those with lower numbers.
    #[serde(default)]
    pub skip: u64,
    /// Answers some messages.
    #[serde(default)]
    pub orders: Option<Orders>,
    /// Tells how many messages have come.
    #[serde(default)]
    pub feedback: Option<FeedbackOf>,
    /// Messages are guaranteed and of one topic: which of them came is noted.
    #[serde(default)]
    pub guaranteed: bool,
    /// Takes no more messages in a second than this.
    #[serde(default)]
    pub pace: Option<f64>,
    /// Every single latency goes into this file.
    #[serde(default)]
    pub file: Option<String>,
}

/// What a receiver expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReceivedKind {
    /// Rates.
    Rates,
    /// Orders.
    Orders,
}

impl ReceivedKind {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Rates => Kind::Rate,
            Self::Orders => Kind::Order,
        }
    }
}

/// An order for some rates.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Orders {
    /// To this topic.
    pub topic: usize,
    /// For each such-and-such rate.
    pub every: u64,
    /// They must not be lost.
    #[serde(default)]
    pub guaranteed: bool,
    /// Those whose times until they are acknowledged do not count: those with lower numbers.
    #[serde(default)]
    pub skip: u64,
}

/// Feedback of a subscriber.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FeedbackOf {
    /// On this topic.
    pub topic: usize,
    /// After so many messages.
    pub every: u64,
}

/// What came of a task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Whether the probe came.
    #[serde(default, skip_serializing_if = "is_false")]
    pub heard: bool,
    /// What was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// What was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Received>,
}

/// What was published.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Published {
    /// How many messages.
    pub messages: u64,
    /// From the first to the last, in nanoseconds.
    pub nanoseconds: u64,
    /// How much later than due messages left the publisher's hands: a histogram.
    pub late: String,
    /// When the first was sent, by the monotonic clock.
    #[serde(default)]
    pub began: u64,
    /// What was acknowledged of guaranteed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<Acknowledged>,
}

/// What became of guaranteed messages at their publisher.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Acknowledged {
    /// How many were acknowledged, the last message of the run included: all.
    pub messages: u64,
    /// When the last was, by the monotonic clock.
    pub last: u64,
    /// Times from when each was due: a histogram.
    pub times: String,
}

/// What was received.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Received {
    /// How many messages of the run, markers apart.
    pub messages: u64,
    /// How many are missing between those that came.
    pub missing: u64,
    /// How many came after a later one of their topic, or twice.
    pub disordered: u64,
    /// How many were changed on the way or came on a wrong topic.
    pub damaged: u64,
    /// What was wrong with the first of those.
    pub damage: Option<String>,
    /// How many the middleware said it had lost.
    pub told_lost: u64,
    /// How many orders were sent.
    pub orders: u64,
    /// From the first message to the last, in nanoseconds.
    pub nanoseconds: u64,
    /// When the first came, by the monotonic clock.
    pub began: u64,
    /// Latencies from the time at which each message was due: a histogram.
    pub latencies: String,
    /// Whether the last message came; else time was up.
    pub is_whole: bool,
    /// Of guaranteed messages, how many of the first came without a gap.
    #[serde(default)]
    pub unbroken: u64,
    /// Of guaranteed messages, how many came again.
    #[serde(default)]
    pub duplicates: u64,
    /// What was acknowledged of guaranteed orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<Acknowledged>,
}

fn one() -> usize {
    1
}

fn is_false(it: &bool) -> bool {
    !it
}

impl Connection {
    /// One to an address, with nothing asked for.
    pub fn to(address: &str, topics: Topics, name: &str) -> Self {
        Self {
            address: address.to_owned(),
            topics,
            name: name.to_owned(),
            count: 1,
            subscribe_each: false,
            queue_messages: None,
            messages_per_second: None,
            updates_per_second: None,
            without_credit: false,
            receive_buffer: None,
            spins: false,
        }
    }

    pub(super) fn options(&self, number: usize) -> BusOptions {
        let name = match self.count {
            1 => self.name.clone(),
            _ => format!("{}-{number}", self.name),
        };
        BusOptions {
            name,
            queue_messages: self.queue_messages,
            messages_per_second: self.messages_per_second,
            updates_per_second: self.updates_per_second,
            credit: !self.without_credit,
            receive_buffer: self.receive_buffer,
            spins: self.spins,
            ..BusOptions::default()
        }
    }
}

impl Range {
    /// Whether a topic is one of them.
    pub fn has(&self, topic: usize) -> bool {
        topic >= self.first && topic - self.first < self.count
    }

    /// Their indexes.
    pub fn indexes(&self) -> Vec<usize> {
        (self.first..self.first + self.count).collect()
    }
}

impl Receiving {
    /// How long to wait for the next message.
    pub(super) fn wait(&self) -> Wait {
        if self.spins { Wait::Spin } else { Wait::Block(Duration::from_millis(20)) }
    }
}
