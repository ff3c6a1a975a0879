//! What a store promises for each topic, and how much it keeps.

use std::sync::Arc;

use trunkline_journal::Options;
use trunkline_router::name_fits;

/// The durability that a message needs before it is acknowledged to its producer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// It is in the memory of the router.
    Memory,
    /// It is on the router's disk.
    #[default]
    Disk,
}

/// When a message is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forwarding {
    /// When it is as durable as its topic asks.
    #[default]
    StoreAndForward,
    /// At once, while it is being stored.
    CutThrough,
}

/// The policy of a topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// What an acknowledgement promises.
    pub level: Level,
    /// When messages are delivered.
    pub forwarding: Forwarding,
}

impl Policy {
    /// Whether its messages have to be on disk before they are delivered.
    pub(crate) fn waits_for_disk(self) -> bool {
        self.level == Level::Disk && self.forwarding == Forwarding::StoreAndForward
    }
}

/// The policy of topics of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The pattern.
    pub topics: String,
    /// The policy.
    pub policy: Policy,
}

/// What becomes of messages of a durable subscription that are not acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// The time to acknowledge a message, after which it is redelivered; nanoseconds, 0 is no bound.
    pub acknowledge_within: u64,
    /// After so many deliveries a message becomes a dead letter; `None` is no bound.
    pub dead_letters: Option<DeadLetters>,
}

impl DeliveryPolicy {
    /// Messages are kept until they are acknowledged, however long that takes.
    pub const NONE: Self = Self { acknowledge_within: 0, dead_letters: None };

    /// Lowers it to what a consumer asks for; 0 is nothing.
    pub(crate) fn lower(&mut self, (acknowledge_within, deliveries): (u64, u32)) {
        if acknowledge_within > 0 {
            let asked = acknowledge_within.max(LEAST_TIME);
            let before = self.acknowledge_within;
            self.acknowledge_within = if before == 0 { asked } else { before.min(asked) };
        }
        if let Some(letters) = &mut self.dead_letters
            && deliveries > 0
        {
            letters.deliveries = letters.deliveries.min(deliveries);
        }
    }
}

/// The least time to acknowledge that a consumer gets; nanoseconds.
const LEAST_TIME: u64 = 10_000_000;

/// Where dead letters go, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetters {
    /// The most deliveries of a message, one at least.
    pub deliveries: u32,
    /// The topic of the dead letters.
    pub topic: Arc<str>,
}

/// The policy of durable subscriptions by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRule {
    /// The name; `*` stands for any characters, or none.
    pub name: String,
    /// The policy.
    pub policy: DeliveryPolicy,
}

/// What a store promises, and how much it keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Of the journal.
    pub journal: Options,
    /// The first rule that matches a topic applies.
    pub rules: Vec<Rule>,
    /// For topics without a rule.
    pub policy: Policy,
    /// The first rule that fits the name of a durable subscription applies.
    pub delivery_rules: Vec<DeliveryRule>,
    /// The default window of a consumer, and the largest window.
    pub window: (u32, u32),
    /// The most messages of a producer in flight.
    pub producer_window: u32,
    /// The most bytes of a producer in flight.
    pub producer_bytes: u64,
    /// The most known producers.
    pub producers: usize,
    /// How long an idle producer is kept, if there are too many; nanoseconds.
    pub producer_keep: u64,
    /// The most durable subscriptions and replays.
    pub durables: usize,
    /// Bytes of the journal that the unacknowledged messages of one durable subscription may hold, in whole
    /// segments; beyond that it loses the oldest messages.
    pub quota_bytes: u64,
    /// The most done ranges of a durable subscription, between undone messages; with more it stops.
    pub ranges: usize,
    /// The most bytes of a piece of a checkpoint.
    pub piece_bytes: usize,
    /// How long a consumer's acknowledgement may wait to be written with others; nanoseconds.
    pub lazy: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            journal: Options::default(),
            rules: Vec::new(),
            policy: Policy::default(),
            delivery_rules: Vec::new(),
            window: (1_000, 100_000),
            producer_window: 16_384,
            producer_bytes: 16 << 20,
            producers: 100_000,
            producer_keep: 3_600 * 1_000_000_000,
            durables: 10_000,
            quota_bytes: u64::MAX,
            ranges: 4_096,
            piece_bytes: 64 << 10,
            lazy: 20_000_000,
        }
    }
}

impl Settings {
    /// The delivery policy of a durable subscription.
    pub(crate) fn delivery_of(&self, name: &str) -> DeliveryPolicy {
        let rule = self.delivery_rules.iter().find(|it| name_fits(&it.name, name));
        rule.filter(|_| !name.is_empty()).map(|it| it.policy.clone()).unwrap_or_default()
    }
}
