//! What is measured of FIX sessions: of engines beside one another, and of the router with sessions joined to its topics.

use serde::Deserialize;

use super::chosen;
use crate::engines::Kept;

/// Engines as both sides of a session over loopback, with the same messages.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Engines {
    /// Orders of a turn that are answered before the next is sent.
    pub round_trips: u32,
    /// Orders of a turn that are sent as fast as they are taken.
    pub orders: u32,
    /// The same where messages are kept in files, which may wait for a disk.
    pub kept_round_trips: u32,
    /// And as many orders.
    pub kept_orders: u32,
    /// Turns of each; those of the run if it does not say.
    #[serde(default)]
    pub count: Option<u32>,
}

/// Messages of a quick run: one in so many.
const QUICK: u32 = 10;

/// Orders a second of a burst.
pub const RATE: &str = "messages-per-second";

/// From the start of the side that connects until it has logged on.
pub const LOGON: &str = "logon";

/// How long an order takes until it is answered.
pub const ROUND_TRIPS: [&str; 2] = ["round-trip-p50", "round-trip-p99"];

/// The metrics of engines.
pub const METRICS: [&str; 7] = [
    RATE,
    LOGON,
    ROUND_TRIPS[0],
    ROUND_TRIPS[1],
    "ahead-of-quickfix",
    "ahead-of-quickfixj",
    "ahead-of-artio",
];

impl Engines {
    /// The case of engines that keep messages so.
    pub fn case(kept: Kept) -> String {
        format!("session-{}", kept.name())
    }

    /// Round trips and orders of a turn.
    pub fn messages(&self, kept: Kept, is_quick: bool) -> [u32; 2] {
        let all = match kept {
            Kept::Memory => [self.round_trips, self.orders],
            Kept::Files => [self.kept_round_trips, self.kept_orders],
        };
        all.map(|it| if is_quick { (it / QUICK).max(it.min(100)) } else { it })
    }
}

/// Messages that sessions bring to the router, by rules to topics, and subscribers of several kinds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bridge {
    /// Numbers of sessions.
    pub sessions: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_sessions: Vec<u32>,
    /// Messages a second, of all sessions together.
    pub rates: Vec<u32>,
    /// Those of a quick run; all if there are none.
    #[serde(default)]
    pub quick_rates: Vec<u32>,
    /// How long a run lasts.
    pub milliseconds: u32,
    /// Turns; those of the run if it does not say.
    #[serde(default)]
    pub count: Option<u32>,
}

words! {
    /// Who gets what sessions bring, in the order of tables.
    pub enum Subscriber {
        /// A client of the native protocol, every message as it came.
        Native = "native",
        /// The same, every message in JSON.
        Json = "json",
        /// A session that asked for market data: the newest of each symbol.
        Fix = "fix",
    }
}

/// What the router takes of the processors for a message.
pub const CPU: &str = "cpu-per-message";

/// Messages that were sent in a second, and those that came.
pub const FLOW: [&str; 2] = ["sent-per-second", "received-per-second"];

impl Bridge {
    /// Numbers of sessions in such a run.
    pub fn sessions(&self, is_quick: bool) -> &[u32] {
        chosen(&self.sessions, &self.quick_sessions, is_quick)
    }

    /// Rates in such a run.
    pub fn rates(&self, is_quick: bool) -> &[u32] {
        chosen(&self.rates, &self.quick_rates, is_quick)
    }

    /// The case of a subscriber.
    pub fn case(to: Subscriber, sessions: u32, rate: u32) -> String {
        format!("to-{}-{sessions}-{rate}", to.name())
    }

    /// The case of the router between.
    pub fn case_of_router(sessions: u32, rate: u32) -> String {
        format!("router-{sessions}-{rate}")
    }
}

words! {
    /// The formats that messages of sessions are wanted in.
    pub enum Rendition {
        /// JSON.
        Json = "json",
        /// SOAP 1.1.
        Soap = "soap-1.1",
        /// CDR, little-endian.
        Cdr = "cdr",
    }
}

/// One source, and clients that want its messages in three formats.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Renditions {
    /// Clients of each format.
    pub clients: u32,
    /// Messages a second.
    pub rate: u32,
    /// How long a run lasts.
    pub milliseconds: u32,
    /// Turns; those of the run if it does not say.
    #[serde(default)]
    pub count: Option<u32>,
}

/// Messages that were converted, over messages times formats.
pub const MADE: &str = "made-per-message-and-format";

/// The metrics of renditions for clients.
pub const OF_RENDITIONS: [&str; 5] = [MADE, CPU, FLOW[0], FLOW[1], "lost"];

/// A rendition over decoding and encoding by the formats alone.
pub const OVER_CODEC: &str = "over-codec";

impl Renditions {
    /// The case of so many clients of each format.
    pub fn case(clients: u32) -> String {
        format!("renditions-{clients}")
    }

    /// The case of what a rendition costs by itself.
    pub fn case_of_cost(format: Rendition) -> String {
        format!("rendition-{}", format.name())
    }
}

words! {
    /// What clients want of the messages of a topic, in the order of tables.
    pub enum Wanted {
        /// Every message, as it came.
        Everything = "everything",
        /// Of every message all fields but one.
        Fields = "fields",
        /// What passes a filter, the same for all: every message.
        All = "filter-all",
        /// The same: one of two messages.
        Half = "filter-half",
        /// One of two messages, each client by a filter of its own.
        HalfEach = "filters-half",
        /// What passes a filter, the same for all: no message.
        Nothing = "filter-none",
    }
}

words! {
    /// What the router does with a message for those who do not want everything.
    pub enum Narrowing {
        /// It is held against a filter.
        Filter = "filter",
        /// It is held against filters that differ, as many as there are clients.
        Filters = "filters",
        /// All fields but one are written in its own format.
        Fields = "fields",
        /// Two fields are written in JSON.
        FieldsInJson = "fields-json",
    }
}

/// One source, and clients that want some of its messages, or of their fields.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Filters {
    /// Clients of each kind.
    pub clients: u32,
    /// Messages a second.
    pub rate: u32,
    /// How long a run lasts.
    pub milliseconds: u32,
    /// Turns; those of the run if it does not say.
    #[serde(default)]
    pub count: Option<u32>,
}

/// How often the router decoded a message, for filters and for fields.
pub const DECODED: &str = "decoded-per-message";

/// The metrics of such clients, besides latencies.
pub const OF_FILTERS: [&str; 6] = [DECODED, CPU, FLOW[0], FLOW[1], "filtered", "lost"];

/// What each filter beyond the first takes.
pub const FURTHER_FILTER: &str = "further-filter";

/// The metrics of what filters cost by themselves; the last is of several.
pub const OF_MANY_FILTERS: [&str; 3] = ["cpu-time", OVER_CODEC, FURTHER_FILTER];

impl Filters {
    /// The case of so many clients that want this.
    pub fn case(wanted: Wanted, clients: u32) -> String {
        format!("wanted-{}-{clients}", wanted.name())
    }

    /// The case of what it costs by itself.
    pub fn case_of_cost(narrowing: Narrowing) -> String {
        format!("cost-of-{}", narrowing.name())
    }
}

/// A native publisher and its subscriber, alone and beside sessions.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BesideSessions {
    /// How many sessions.
    pub sessions: u32,
    /// Messages a second of the publisher.
    pub rate: u32,
    /// Messages a second of all sessions together.
    pub session_rate: u32,
    /// How long a run lasts.
    pub milliseconds: u32,
    /// Turns; those of the run if it does not say.
    #[serde(default)]
    pub count: Option<u32>,
}

impl BesideSessions {
    /// The case of the subscriber beside so many sessions.
    pub fn case(sessions: u32) -> String {
        format!("beside-{sessions}")
    }
}
