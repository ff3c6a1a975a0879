//! What an administrator asks of a running router, and what is answered.
//!
//! Requests come over HTTP ([`crate::http`]). The loop carries them out in slices between its turns, so that
//! a list of many clients delays nobody.

use serde::{Deserialize, Serialize};

pub use crate::engine::StoreRequest;
use crate::snapshot::{ClientStatus, DurableStatus, TopicStatus};

/// The most items of one list.
pub const MOST_LISTED: usize = 1_000;

/// Items of a list that is not asked for another number.
pub const LISTED: usize = 100;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To list something.
    List(ListRequest),
    /// To end connections.
    Disconnect(DisconnectRequest),
    /// To accept no clients any more.
    Drain(DrainRequest),
    /// To accept clients again.
    Undrain,
    /// How far a drain has come.
    DrainStatus,
    /// To change a durable subscription or a producer.
    Store(StoreRequest),
    /// To begin another segment of the journal.
    Rotate,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Clients that are connected.
    Clients,
    /// Their subscriptions; then the consumers of durable subscriptions and replays.
    Subscriptions,
    /// Topics that are known.
    Topics,
    /// Durable subscriptions.
    Durables,
    /// Producers of guaranteed messages, connected or not.
    Producers,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// Of what.
    pub listed: Listed,
    /// Which of them.
    pub filter: Filter,
    /// The place where it begins: 0, or [`List::next`] of the part before.
    pub from: u64,
    /// The most items, at least 1.
    pub limit: usize,
}

/// What items of a list have in common. In names and addresses `*` stands for anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The router's number of the client.
    pub client: Option<u64>,
    /// The name: of the client, for topics that of the topic.
    pub name: Option<String>,
    /// The client's address.
    pub address: Option<String>,
    /// A pattern of topics: what has a topic in common with it.
    pub pattern: Option<String>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// The items.
    #[serde(flatten)]
    pub items: Items,
    /// Where the next part begins, if there is one: a number, as text since it exceeds those of JavaScript.
    pub next: Option<String>,
}

/// Items of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Items {
    /// Clients, as in `/status`.
    Clients(Vec<ClientStatus>),
    /// Subscriptions.
    Subscriptions(Vec<SubscriptionStatus>),
    /// Topics, as in `/status`.
    Topics(Vec<TopicStatus>),
    /// Durable subscriptions, as in `/status`.
    Durables(Vec<DurableStatus>),
    /// Producers.
    Producers(Vec<ProducerStatus>),
}

impl Items {
    pub(crate) fn none(listed: Listed) -> Self {
        match listed {
            Listed::Clients => Self::Clients(Vec::new()),
            Listed::Subscriptions => Self::Subscriptions(Vec::new()),
            Listed::Topics => Self::Topics(Vec::new()),
            Listed::Durables => Self::Durables(Vec::new()),
            Listed::Producers => Self::Producers(Vec::new()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Clients(items) => items.len(),
            Self::Subscriptions(items) => items.len(),
            Self::Topics(items) => items.len(),
            Self::Durables(items) => items.len(),
            Self::Producers(items) => items.len(),
        }
    }
}

/// A subscription of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionStatus {
    /// The router's number of the client.
    pub client: u64,
    /// The client's name.
    pub name: String,
    /// The client's number for it.
    pub subscription: u32,
    /// Its pattern.
    pub pattern: String,
    /// What kind it is.
    pub kind: SubscriptionKind,
    /// The name of the durable subscription that it consumes; empty for other kinds.
    pub durable: String,
    /// Whether newer updates replace those that wait.
    pub is_conflated: bool,
}

/// Kinds of subscriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionKind {
    /// Of messages as they are published.
    #[default]
    Direct,
    /// A consumer of a durable subscription.
    Durable,
    /// Of the journal, without acknowledgements.
    Replay,
}

/// A producer of guaranteed messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProducerStatus {
    /// Its name.
    pub name: String,
    /// Sequence of its last message that was stored; 0 if there is none.
    pub last_sequence: u64,
    /// Position of that in the journal.
    pub position: u64,
    /// When that was: nanoseconds since 1970; 0 if it is not known.
    pub used_ns: u64,
    /// Messages that were stored and are not acknowledged to it.
    pub unacknowledged: u64,
    /// The router's number of the client that uses the name, if one does.
    pub client: Option<u64>,
}

/// Which connections are to end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DisconnectRequest {
    /// The router's number of the client.
    pub client: Option<u64>,
    /// Its name, in which `*` stands for anything.
    pub name: Option<String>,
    /// Its address, likewise.
    pub address: Option<String>,
    /// Allows more than one.
    pub all: bool,
    /// What they are told.
    pub reason: String,
}

impl DisconnectRequest {
    pub(crate) fn filter(&self) -> Filter {
        let (name, address) = (self.name.clone(), self.address.clone());
        Filter { client: self.client, name, address, pattern: None }
    }
}

/// How to drain a router for maintenance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrainRequest {
    /// What clients that want to connect are told.
    pub reason: String,
    /// How long queues may take to become empty, in milliseconds; without it, any time.
    pub timeout_ms: Option<u64>,
    /// To stop the router when they are empty, or that time is over.
    pub stop: bool,
}

/// How far a drain has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrainStatus {
    /// Whether the router is draining: it accepts no clients.
    pub is_draining: bool,
    /// What clients that want to connect are told.
    pub reason: String,
    /// Whether nothing waited for any client, nor for the disk, when the router looked last.
    pub is_empty: bool,
    /// Whether the time for that is over.
    pub is_overdue: bool,
    /// Whether the router stops then.
    pub stops: bool,
    /// Nanoseconds since it began.
    pub since_ns: u64,
}

/// Connections that end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disconnected {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub clients: Vec<ClientName>,
}

/// A client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientName {
    /// The router's number for it.
    pub id: u64,
    /// As it calls itself.
    pub name: String,
    /// Where it is.
    pub address: String,
}

/// The journal goes on in another segment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotated {
    /// The file of the segment before it, in the journal's folder: nothing is added to it any more.
    pub file: String,
    /// The file of its index, which is written once all of it is on disk.
    pub index: String,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A part of a list.
    List(List),
    /// Connections that end.
    Disconnected(Disconnected),
    /// The state of a drain.
    Drain(DrainStatus),
    /// A durable subscription or a producer was changed.
    Changed(Changed),
    /// The journal goes on in another segment.
    Rotated(Rotated),
}

/// A durable subscription or a producer that was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Messages that a purge has ended, as far as they were counted.
    pub purged: u64,
    /// Whether there may have been more of these.
    pub is_at_least: bool,
}

/// Why nothing was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// What was named is not there.
    NotFound(String),
    /// More was named than one.
    Ambiguous(String),
    /// What is there does not allow it.
    Conflict(String),
    /// Not now.
    Unavailable(String),
    /// Not yet: in a moment it may be.
    Busy(String),
}

impl Rejection {
    /// For people.
    pub fn why(&self) -> &str {
        match self {
            Self::NotFound(why)
            | Self::Ambiguous(why)
            | Self::Conflict(why)
            | Self::Unavailable(why)
            | Self::Busy(why) => why,
        }
    }
}
