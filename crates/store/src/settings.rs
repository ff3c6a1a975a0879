//! What a store promises for which topic, and how much it keeps.

use trunkline_journal::Options;

/// What has to be true before a message is acknowledged to its producer.
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

/// What a topic asks.
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

/// What topics of a pattern ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The pattern.
    pub topics: String,
    /// What they ask.
    pub policy: Policy,
}

/// What a store promises, and how much it keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Of the journal.
    pub journal: Options,
    /// The first that matches a topic counts.
    pub rules: Vec<Rule>,
    /// For topics that no rule matches.
    pub policy: Policy,
    /// Unacknowledged messages of a consumer that does not say how many it wants, and the most that one
    /// may want.
    pub window: (u32, u32),
    /// Messages that a producer may have on their way.
    pub producer_window: u32,
    /// Bytes that a producer may have on their way.
    pub producer_bytes: u64,
    /// Producers that are known.
    pub producers: usize,
    /// For how long a producer is known that does not publish, if there are too many; nanoseconds.
    pub producer_keep: u64,
    /// Durable subscriptions and replays.
    pub durables: usize,
    /// Bytes of the journal that one durable subscription may hold by what it has not acknowledged, in
    /// whole segments; beyond them the oldest messages are lost to it.
    pub quota_bytes: u64,
    /// Ranges of what is done of a durable subscription, between messages that are not; with more it stops.
    pub ranges: usize,
    /// Bytes of a piece of what is known of producers and subscriptions, at most.
    pub piece_bytes: usize,
    /// How long an acknowledgement of a consumer may wait to be written with others; nanoseconds.
    pub lazy: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            journal: Options::default(),
            rules: Vec::new(),
            policy: Policy::default(),
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
