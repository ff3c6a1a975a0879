//! Guaranteed delivery: where it is kept, for how long, and what it promises.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use trunkline_router::check_pattern;
use trunkline_store::{Forwarding, Level, Policy, Rule, Settings};

use super::{DurableRule, quantity};

/// Guaranteed delivery.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Journal {
    /// The folder of the journal. Without one what is guaranteed is kept in memory, and acknowledged as
    /// what it is: in the memory of one machine, on the disk of none.
    #[serde(deserialize_with = "path")]
    pub directory: Option<PathBuf>,
    /// What is acknowledged: `disk` or `memory`; without a folder it is memory.
    #[serde(deserialize_with = "level")]
    pub durability: Level,
    /// When it is delivered: `store-and-forward` or `cut-through`.
    #[serde(deserialize_with = "forwarding")]
    pub delivery: Forwarding,
    /// Bytes of all segments; of what is in memory without a folder.
    #[serde(deserialize_with = "quantity::size")]
    pub bytes: u64,
    /// Bytes of a segment's file.
    #[serde(deserialize_with = "quantity::size")]
    pub segment_bytes: u64,
    /// Bytes of the newest messages that can be read without the disk.
    #[serde(deserialize_with = "quantity::size")]
    pub memory_bytes: u64,
    /// Bytes that wait for the disk; producers wait when there are more.
    #[serde(deserialize_with = "quantity::size")]
    pub pending_bytes: u64,
    /// How long messages are kept for replays that all have acknowledged, as far as `bytes` allow.
    #[serde(deserialize_with = "quantity::time")]
    pub keep: Duration,
    /// Bytes of the journal that one durable subscription may hold; 0 is no bound but `bytes`.
    #[serde(deserialize_with = "quantity::size")]
    pub quota_bytes: u64,
    /// Ranges of what is acknowledged of a durable subscription, between messages that are not; one with more
    /// stops.
    pub ranges: usize,
    /// Durable subscriptions and replays.
    pub subscriptions: usize,
    /// Producers that are known.
    pub producers: usize,
    /// Names of producers that clients of one name may bring in within an hour and store nothing under.
    pub producers_per_client: usize,
    /// Names of producers that clients of one name may bring in within an hour and store something under.
    pub new_producers_per_client: usize,
    /// Unacknowledged messages of a consumer that does not say how many it wants.
    pub window: u32,
    /// The most that one may want.
    pub window_limit: u32,
    /// Unacknowledged messages of a producer.
    pub producer_window: u32,
    /// What topics of certain patterns ask instead; the first rule that fits decides.
    #[serde(rename = "rule")]
    pub rules: Vec<JournalRule>,
    /// What becomes of messages of durable subscriptions that are not acknowledged; the first rule that fits
    /// decides.
    #[serde(rename = "durable")]
    pub durables: Vec<DurableRule>,
}

impl Default for Journal {
    fn default() -> Self {
        let settings = Settings::default();
        Self {
            directory: None,
            durability: Level::Disk,
            delivery: Forwarding::StoreAndForward,
            bytes: settings.journal.bytes,
            segment_bytes: settings.journal.segment_bytes.into(),
            memory_bytes: settings.journal.memory_bytes as u64,
            pending_bytes: settings.journal.pending_bytes as u64,
            keep: Duration::from_nanos(settings.journal.keep),
            quota_bytes: 0,
            ranges: settings.ranges,
            subscriptions: settings.durables,
            producers: settings.producers,
            producers_per_client: 1_000,
            new_producers_per_client: 10_000,
            window: settings.window.0,
            window_limit: settings.window.1,
            producer_window: settings.producer_window,
            rules: Vec::new(),
            durables: Vec::new(),
        }
    }
}

/// What topics of a pattern ask.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalRule {
    /// Which topics.
    #[serde(deserialize_with = "pattern")]
    pub topics: String,
    /// As [`Journal::durability`].
    #[serde(default, deserialize_with = "optional_level")]
    pub durability: Option<Level>,
    /// As [`Journal::delivery`].
    #[serde(default, deserialize_with = "optional_forwarding")]
    pub delivery: Option<Forwarding>,
}

/// A journal has room for so many segments at least.
pub(super) const SEGMENTS: u64 = 4;

/// Bytes that are kept in memory where there is no folder, unless `bytes` are fewer.
const IN_MEMORY: u64 = 256 << 20;

/// Bytes of a segment that is in memory alone.
const SEGMENT_IN_MEMORY: u32 = 4 << 20;

impl Journal {
    /// Keys that only a start can change keep their values in `running`.
    pub(crate) fn keep_files_of(&mut self, running: &Self) {
        self.directory.clone_from(&running.directory);
        self.segment_bytes = running.segment_bytes;
        if self.directory.is_some() {
            self.bytes = self.bytes.max(SEGMENTS * self.segment_bytes);
        }
    }

    /// As the store takes it.
    pub fn settings(&self) -> Settings {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let level = if self.directory.is_some() { self.durability } else { Level::Memory };
        let policy = Policy { level, forwarding: self.delivery };
        let rules = self.rules.iter().map(|rule| Rule {
            topics: rule.topics.clone(),
            policy: Policy {
                level: rule.durability.unwrap_or(level),
                forwarding: rule.delivery.unwrap_or(self.delivery),
            },
        });
        let mut settings = Settings {
            rules: rules.collect(),
            policy,
            delivery_rules: self.durables.iter().map(DurableRule::settings).collect(),
            window: (self.window, self.window_limit),
            producer_window: self.producer_window,
            producers: self.producers,
            durables: self.subscriptions,
            quota_bytes: if self.quota_bytes == 0 { u64::MAX } else { self.quota_bytes },
            ranges: self.ranges,
            ..Settings::default()
        };
        let journal = &mut settings.journal;
        journal.bytes = self.bytes;
        journal.segment_bytes = u32::try_from(self.segment_bytes).unwrap_or(u32::MAX);
        journal.memory_bytes = size(self.memory_bytes);
        journal.pending_bytes = size(self.pending_bytes);
        journal.keep = u64::try_from(self.keep.as_nanos()).unwrap_or(u64::MAX);
        if self.directory.is_none() {
            journal.segment_bytes = SEGMENT_IN_MEMORY;
            journal.bytes = self.bytes.min(IN_MEMORY);
        }
        settings
    }
}

/// A path, or `off`.
pub(super) fn path<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    let text = String::deserialize(from)?;
    Ok((!text.is_empty() && text != "off").then(|| Path::new(&text).to_owned()))
}

const LEVELS: [(&str, Level); 2] = [("disk", Level::Disk), ("memory", Level::Memory)];

const FORWARDINGS: [(&str, Forwarding); 2] =
    [("store-and-forward", Forwarding::StoreAndForward), ("cut-through", Forwarding::CutThrough)];

/// The name of a durability, as a configuration writes it.
pub(super) fn level_text(level: Level) -> &'static str {
    LEVELS.into_iter().find(|(_, known)| *known == level).map_or("", |(name, _)| name)
}

/// The name of a way of delivery, as a configuration writes it.
pub(super) fn forwarding_text(forwarding: Forwarding) -> &'static str {
    FORWARDINGS.into_iter().find(|(_, known)| *known == forwarding).map_or("", |(name, _)| name)
}

fn level<'de, D: Deserializer<'de>>(from: D) -> Result<Level, D::Error> {
    let text = String::deserialize(from)?;
    let found = LEVELS.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, level)| level).ok_or_else(|| {
        de::Error::custom(format!("{text:?} is no durability: it is \"disk\" or \"memory\""))
    })
}

fn forwarding<'de, D: Deserializer<'de>>(from: D) -> Result<Forwarding, D::Error> {
    let text = String::deserialize(from)?;
    let found = FORWARDINGS.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, forwarding)| forwarding).ok_or_else(|| {
        de::Error::custom(format!(
            "{text:?} is no way of delivery: it is \"store-and-forward\" or \"cut-through\""
        ))
    })
}

fn optional_level<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Level>, D::Error> {
    level(from).map(Some)
}

fn optional_forwarding<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Forwarding>, D::Error> {
    forwarding(from).map(Some)
}

pub(super) fn pattern<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    match check_pattern(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(de::Error::custom(format!("{text:?} is no pattern: {error}"))),
    }
}
