//! What is measured of messages that must not be lost, and of the disk that keeps them.

use serde::Deserialize;

use super::traffic::{Turns, each, own, within};

/// A feed handler's rates, an algo engine's guaranteed order for every fifth, and an order gateway that
/// acknowledges them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GuaranteedHops {
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

/// A way of appending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Append {
    /// The file grows; `fdatasync`.
    Grown,
    /// Its blocks are allocated before, and have never been written; `fdatasync`.
    Allocated,
    /// It was filled with zeros before; `fdatasync`.
    Zeroed,
    /// It was filled with zeros before; `pwritev2` with `RWF_DSYNC`, one call.
    ZeroedDsync,
    /// It was filled with zeros before; whole blocks past the cache, with `O_DIRECT` and `O_DSYNC`.
    ZeroedDirect,
}

impl Append {
    /// All ways.
    pub const ALL: [Self; 5] =
        [Self::Grown, Self::Allocated, Self::Zeroed, Self::ZeroedDsync, Self::ZeroedDirect];

    /// Its name in cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grown => "grown-fdatasync",
            Self::Allocated => "allocated-fdatasync",
            Self::Zeroed => "zeroed-fdatasync",
            Self::ZeroedDsync => "zeroed-dsync",
            Self::ZeroedDirect => "zeroed-direct",
        }
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

impl GuaranteedHops {
    /// The rates of such a run.
    pub fn rates(&self, is_quick: bool) -> &[u32] {
        chosen(&self.rates, &self.quick_rates, is_quick)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.turns.check()?;
        each("a rate", &self.rates, 1, 10_000_000)?;
        each("a rate", &self.quick_rates, 1, 10_000_000)
    }

    pub(super) fn cases(&self) -> Vec<(String, Vec<&'static str>)> {
        let mut cases = Vec::new();
        for hop in GUARANTEED {
            let of_hop = self.rates.iter().map(|rate| format!("{hop}-{rate}"));
            cases.extend(of_hop.map(|case| (case, own(&["over-bare"]))));
        }
        if self.saturation {
            cases.push((GUARANTEED_SATURATION.to_owned(), vec!["messages-per-second"]));
        }
        cases
    }
}

impl GuaranteedFlood {
    pub(super) fn check(&self) -> Result<(), String> {
        self.turns.check()?;
        within("window", self.window, 64, 10_000_000)
    }

    pub(super) fn cases(&self) -> Vec<(String, Vec<&'static str>)> {
        let metrics = ["messages-per-second", "acknowledged-per-second", "deliveries-per-second"];
        vec![(GUARANTEED_FLOOD.to_owned(), metrics.to_vec())]
    }
}

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

    pub(super) fn check(&self) -> Result<(), String> {
        self.turns.check()?;
        each("a rate", &self.rates, 1, 10_000_000)?;
        each("a rate", &self.quick_rates, 1, 10_000_000)
    }

    pub(super) fn cases(&self) -> Vec<(String, Vec<&'static str>)> {
        let ways = Append::ALL.into_iter().map(|way| (Self::case_of_way(way), own(&[])));
        let metrics = ["messages-per-second", "messages-per-sync"];
        let rates = self.rates.iter().map(|&rate| (Self::case_of_rate(rate), own(&metrics)));
        ways.chain(rates).collect()
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
        RECOVERY
            .into_iter()
            .any(|it| case.strip_prefix(it).is_some_and(|rest| rest.starts_with('-')))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.turns.check()?;
        within("window", self.window, 64, 10_000_000)?;
        each("a number of messages", &self.messages, 1, 10_000_000)?;
        each("a number of messages", &self.quick_messages, 1, 10_000_000)
    }

    pub(super) fn cases(&self) -> Vec<(String, Vec<&'static str>)> {
        let metrics = [vec!["recovery-time", "size"], vec!["messages-per-second"]];
        let of = |&messages: &u32| Self::cases_of(messages).into_iter().zip(metrics.clone());
        self.messages.iter().flat_map(of).collect()
    }
}

fn chosen<'a>(all: &'a [u32], quick: &'a [u32], is_quick: bool) -> &'a [u32] {
    if is_quick && !quick.is_empty() { quick } else { all }
}
