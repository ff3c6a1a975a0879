//! What is measured of messages that must not be lost, and of the disk that keeps them.

use serde::Deserialize;

use super::chosen;
use super::traffic::Turns;

/// Guaranteed messages as fast as they are acknowledged and delivered.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GuaranteedFlood {
    /// Who takes part, and for how long.
    pub turns: Turns,
    /// Messages that may be unacknowledged.
    pub window: u64,
}

/// The disk by itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Disk {
    /// How long each way and rate is measured; its only subject is the disk.
    pub turns: Turns,
    /// Messages a second that one thread writes in groups.
    pub rates: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_rates: Vec<u32>,
}

words! {
    /// A way of appending.
    pub enum Append {
        /// The file grows; `fdatasync`.
        Grown = "grown-fdatasync",
        /// Its blocks are allocated before, and have never been written; `fdatasync`.
        Allocated = "allocated-fdatasync",
        /// It was filled with zeros before; `fdatasync`.
        Zeroed = "zeroed-fdatasync",
        /// It was filled with zeros before; `pwritev2` with `RWF_DSYNC`, one call.
        ZeroedDsync = "zeroed-dsync",
        /// It was filled with zeros before; whole blocks past the cache, with `O_DIRECT` and `O_DSYNC`.
        ZeroedDirect = "zeroed-direct",
    }
}

/// Messages that wait when a router is killed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recovery {
    /// Who takes part; each turn is as long as the messages take.
    pub turns: Turns,
    /// Numbers of messages.
    pub messages: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_messages: Vec<u32>,
    /// Messages that may be unacknowledged.
    pub window: u64,
}

/// What is timed of guaranteed orders, as it begins cases: their way to the gateway, and back to the algo
/// engine that they are safe.
pub const GUARANTEED: [&str; 2] = ["guaranteed-orders", "guaranteed-acknowledgement"];

/// The case of the highest rate of guaranteed orders.
pub const GUARANTEED_SATURATION: &str = "guaranteed-saturation";

/// The case of their throughput.
pub const GUARANTEED_FLOOD: &str = "guaranteed-flood";

/// What is measured after a router was killed, as it begins cases: until it is ready again, and what a
/// subscriber then gets in a second.
pub const RECOVERY: [&str; 2] = ["recovery", "replay"];

impl Disk {
    /// The rates of such a run.
    pub fn rates(&self, is_quick: bool) -> &[u32] {
        chosen(&self.rates, &self.quick_rates, is_quick)
    }

    /// The case of one append after another.
    pub fn case_of_way(way: Append) -> String {
        format!("disk-sync-{}", way.name())
    }

    /// The case of messages at a rate, written in groups.
    pub fn case_of_rate(rate: u32) -> String {
        format!("disk-group-commit-{rate}")
    }
}

impl Recovery {
    /// The numbers of messages of such a run.
    pub fn messages(&self, is_quick: bool) -> &[u32] {
        chosen(&self.messages, &self.quick_messages, is_quick)
    }

    /// The cases of a number of messages.
    pub fn cases_of(messages: u32) -> [String; 2] {
        RECOVERY.map(|it| format!("{it}-{messages}"))
    }

    /// Whether a case is one of these.
    pub fn has(case: &str) -> bool {
        let is_after = |it: &str| case.strip_prefix(it).is_some_and(|rest| rest.starts_with('-'));
        RECOVERY.into_iter().any(is_after)
    }
}
