//! The configuration of a router: one TOML file, or none, read at the start and at a reload.

mod access;
mod durable;
mod environment;
mod fix;
mod journal;
mod last_value;
mod load;
pub mod quantity;
mod rule;
mod show;
mod tls;
mod topic;
mod words;

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use trunkline_reactor::{Address, Idle};
use trunkline_router::{ClientOptions, Overflow};
use trunkline_security::Identity;

use crate::threads::MOST_THREADS;

pub use access::{Access, AccessRule, Anonymous};
pub use durable::DurableRule;
pub use fix::{Fix, FixDelivery, FixMarketData, FixRule, FixSend, HEARTBEAT};
pub use journal::{Journal, JournalRule};
pub use last_value::LastValueRule;
pub use load::ConfigError;
pub use rule::Rule;
pub use tls::Tls;
pub use topic::{Documents, TopicRule};

/// Everything that can be configured. `Config::default()` is a router that starts with no file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where clients connect.
    pub listen: Listen,
    /// Encryption, and who clients are by their certificates.
    pub tls: Tls,
    /// The limits of a router.
    pub limits: Limits,
    /// What every client gets, unless a rule says otherwise.
    pub client: Client,
    /// Topics whose last value is kept.
    #[serde(rename = "last_value")]
    pub last_values: Vec<LastValueRule>,
    /// What is published to which topics, for those who want it in another format.
    #[serde(rename = "topic")]
    pub topics: Vec<TopicRule>,
    /// FIX sessions that are joined to topics.
    pub fix: Vec<Fix>,
    /// Guaranteed delivery.
    pub journal: Journal,
    /// Who may connect, and who may do what.
    pub access: Access,
    /// How the router works.
    pub router: RouterOptions,
    /// Browsers.
    pub websocket: WebSocket,
    /// Metrics, health and status.
    pub http: Http,
    /// Administration over HTTP.
    pub admin: Admin,
    /// What `/metrics` shows.
    pub metrics: Metrics,
    /// The log.
    pub log: Log,
}

/// Where the router listens. Port 0 is any that is free.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Listen {
    /// Addresses for the native protocol: `tcp://HOST:PORT`, `tls://HOST:PORT`, `unix://PATH`, `shm://PATH`.
    #[serde(deserialize_with = "addresses")]
    pub native: Vec<Address>,
    /// `HOST:PORT` for metrics, health and status over HTTP; none when `"off"`.
    #[serde(deserialize_with = "endpoint")]
    pub http: Option<String>,
    /// `HOST:PORT` for browsers; none when `"off"`.
    #[serde(deserialize_with = "endpoint")]
    pub websocket: Option<String>,
}

impl Default for Listen {
    fn default() -> Self {
        let mut native = vec![Address::Tcp("127.0.0.1:7400".to_owned())];
        if cfg!(unix) {
            native.push(Address::Unix(socket_path("trunkline", "sock")));
        }
        if cfg!(target_os = "linux") {
            native.push(Address::SharedMemory(socket_path("trunkline-shm", "sock")));
        }
        Self {
            native,
            http: Some("127.0.0.1:7401".to_owned()),
            websocket: Some("127.0.0.1:7402".to_owned()),
        }
    }
}

/// `$XDG_RUNTIME_DIR/NAME.sock`, else `NAME-UID.sock` in the folder for temporary files.
fn socket_path(name: &str, extension: &str) -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder).join(format!("{name}.{extension}")),
        None => {
            let user = rustix::process::getuid().as_raw();
            std::env::temp_dir().join(format!("{name}-{user}.{extension}"))
        }
    }
}

/// The limits of a router. It rejects what exceeds a limit, and the rejection names the limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Connections at once, of all protocols.
    pub connections: usize,
    /// Topics known at once. Those that nobody holds make room for new ones.
    pub topics: usize,
    /// Topics for which one connection may hold an alias.
    pub topics_per_client: usize,
    /// Subscriptions of all clients.
    pub subscriptions: usize,
    /// Subscriptions of one client.
    pub subscriptions_per_client: usize,
    /// Filters of all subscriptions that differ.
    pub filters: usize,
    /// Subscriptions of one client that have a filter.
    pub filters_per_client: usize,
    /// Bytes of a filter.
    pub filter_bytes: usize,
    /// Selections of fields of all subscriptions that differ.
    pub selections: usize,
    /// Subscriptions of one client that select fields.
    pub selections_per_client: usize,
    /// Bytes of a selection.
    pub selection_bytes: usize,
    /// Subscriptions of one client that match one topic.
    pub overlaps_per_client: usize,
    /// Pairs of a subscription and a topic that it has matched.
    pub matches: usize,
    /// Those of one client.
    pub matches_per_client: usize,
    /// Topics whose last value is kept; the values that were updated least recently make room.
    pub last_values: usize,
    /// Bytes of these values.
    #[serde(deserialize_with = "quantity::size")]
    pub last_value_bytes: u64,
    /// Requests of one client that wait for their reply.
    pub requests_per_client: usize,
    /// Bytes of a frame, and so of a message with its header.
    #[serde(deserialize_with = "quantity::size")]
    pub frame_bytes: u64,
    /// Bytes rendered ahead for one client; what is beyond waits in its queue.
    #[serde(deserialize_with = "quantity::size")]
    pub output_bytes: u64,
    /// The ceiling of memory; 0 is half of what the machine or the control group has.
    #[serde(deserialize_with = "quantity::size")]
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 65_536,
            topics: 1_000_000,
            topics_per_client: 100_000,
            subscriptions: 1_000_000,
            subscriptions_per_client: 100_000,
            filters: 10_000,
            filters_per_client: 100,
            filter_bytes: 4 << 10,
            selections: 3_000,
            selections_per_client: 20,
            selection_bytes: 4 << 10,
            overlaps_per_client: 256,
            matches: 5_000_000,
            matches_per_client: 2_000_000,
            last_values: 1_000_000,
            last_value_bytes: 256 << 20,
            requests_per_client: 1_024,
            frame_bytes: 1 << 20,
            output_bytes: 256 << 10,
            memory_bytes: 0,
        }
    }
}

/// What a client gets. A client may ask for a shorter queue and for lower rates, never for more.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Client {
    /// Messages that wait for a slow client.
    pub queue_messages: usize,
    /// Bytes that wait for it.
    #[serde(deserialize_with = "quantity::size")]
    pub queue_bytes: u64,
    /// What happens when either is reached: `drop-oldest`, `drop-newest` or `disconnect`.
    #[serde(deserialize_with = "overflow")]
    pub overflow: Overflow,
    /// Messages a second; 0 is no cap.
    pub messages_per_second: u32,
    /// Bytes a second; 0 is no cap.
    #[serde(deserialize_with = "quantity::size")]
    pub bytes_per_second: u64,
    /// Updates of each topic a second, for every subscription; 0 is no cap.
    pub updates_per_second: u32,
    /// What clients of certain names and identities get instead; the first rule that fits decides.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule>,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            queue_messages: 100_000,
            queue_bytes: 64 << 20,
            overflow: Overflow::DropOldest,
            messages_per_second: 0,
            bytes_per_second: 0,
            updates_per_second: 0,
            rules: Vec::new(),
        }
    }
}

/// How the router works.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RouterOptions {
    /// Threads that move the bytes of connections; the first also routes.
    #[serde(deserialize_with = "threads")]
    pub threads: usize,
    /// What the router's thread does while nothing happens: `block`, `spin`, or a time for which it
    /// spins before it blocks, such as `20us`.
    #[serde(deserialize_with = "idle")]
    pub idle: Idle,
    /// The router pings a client that has sent nothing for this time.
    #[serde(deserialize_with = "quantity::time")]
    pub keepalive: Duration,
    /// After so many questions without an answer its connection is closed.
    pub keepalive_missed: u32,
    /// The router closes a connection that has not completed its handshake by then.
    #[serde(deserialize_with = "quantity::time")]
    pub handshake_timeout: Duration,
    /// How long a stop waits for clients to take what has been rendered for them.
    #[serde(deserialize_with = "quantity::time")]
    pub shutdown_timeout: Duration,
}

impl Default for RouterOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            idle: Idle::Block,
            keepalive: Duration::from_secs(30),
            keepalive_missed: 3,
            handshake_timeout: Duration::from_secs(5),
            shutdown_timeout: Duration::from_secs(5),
        }
    }
}

/// Browsers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebSocket {
    /// Origins whose pages may connect, beside those of this machine and of the host that they
    /// connect to; `*` is any.
    pub origins: Vec<String>,
}

/// Metrics, health and status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Names that requests may be for (`Host`), beside `localhost`, addresses, and the name in
    /// [`Listen::http`]; `*` is any.
    pub hosts: Vec<String>,
}

/// Administration over HTTP, at [`Listen::http`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Admin {
    /// The file with the token that administrators show; nobody may administer without one.
    #[serde(deserialize_with = "journal::path")]
    pub token_file: Option<PathBuf>,
    /// Origins of pages that may administer; others may not, even with the token.
    pub origins: Vec<String>,
}

/// What `/metrics` shows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    /// Clients with series of their own: those with most lost, then with most waiting.
    pub clients: usize,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { clients: 100 }
    }
}

/// The log of the router, on standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `text` or `json`.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug` or `off`.
    pub level: LogLevel,
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One object a line.
    Json,
}

/// What is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What stops the router, or one of its listeners.
    Error,
    /// And what is wrong with a client: losses, rejections, broken protocol.
    Warn,
    /// And connects and disconnects.
    #[default]
    Info,
    /// And every subscription.
    Debug,
}

impl Config {
    /// The options of a client of this name and identity, before it asks for less.
    pub fn client_options(&self, name: &str, identity: &Identity) -> ClientOptions {
        let client = &self.client;
        let rule = self.rule(name, identity);
        let queue_bytes = rule.queue_bytes.unwrap_or(client.queue_bytes);
        ClientOptions {
            name: name.to_owned(),
            queue_messages: rule.queue_messages.unwrap_or(client.queue_messages),
            queue_bytes: usize::try_from(queue_bytes).unwrap_or(usize::MAX),
            overflow: rule.overflow.unwrap_or(client.overflow),
            messages_per_second: NonZeroU32::new(
                rule.messages_per_second.unwrap_or(client.messages_per_second),
            ),
            bytes_per_second: NonZeroU64::new(
                rule.bytes_per_second.unwrap_or(client.bytes_per_second),
            ),
        }
    }

    /// The most updates of a topic a second that a client of this name gets; `None` is no cap.
    pub fn updates_per_second(&self, name: &str, identity: &Identity) -> Option<NonZeroU32> {
        let rule = self.rule(name, identity);
        NonZeroU32::new(rule.updates_per_second.unwrap_or(self.client.updates_per_second))
    }

    /// The keys that differ in `other` and cannot change while a router runs.
    pub fn needs_restart(&self, other: &Self) -> Vec<&'static str> {
        let keys = [
            ("listen.http", self.listen.http != other.listen.http),
            ("tls.http", self.tls.http != other.tls.http),
            ("journal.directory", self.journal.directory != other.journal.directory),
            ("journal.segment_bytes", self.journal.segment_bytes != other.journal.segment_bytes),
            ("http.hosts", self.http != other.http),
            ("fix", self.fix != other.fix),
            ("admin.token_file", self.admin.token_file != other.admin.token_file),
            ("admin.origins", self.admin.origins != other.admin.origins),
            ("metrics.clients", self.metrics != other.metrics),
            ("router.threads", self.router.threads != other.router.threads),
            ("log.format", self.log.format != other.log.format),
            ("log.level", self.log.level != other.log.level),
        ];
        keys.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }

    fn rule(&self, name: &str, identity: &Identity) -> &Rule {
        static NONE: Rule = Rule::NONE;
        let fits = |rule: &&Rule| {
            rule.fits(name) && rule.who.as_ref().is_none_or(|who| who.fits(identity))
        };
        self.client.rules.iter().find(fits).unwrap_or(&NONE)
    }
}

/// A list of addresses, or one.
fn addresses<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Address>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a list of addresses such as \"tcp://127.0.0.1:7400\"")]
    enum Listed {
        One(String),
        Many(Vec<String>),
    }
    let texts = match Listed::deserialize(from)? {
        Listed::One(text) => vec![text],
        Listed::Many(texts) => texts,
    };
    texts.iter().map(|text| Address::from_str(text).map_err(de::Error::custom)).collect()
}

/// `HOST:PORT`, or `off`.
fn endpoint<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    let port = text.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    match (text.as_str(), port) {
        ("off", _) => Ok(None),
        (_, Some(_)) => Ok(Some(text)),
        _ => Err(de::Error::custom(format!(
            "{text:?} is no address: write HOST:PORT, such as \"127.0.0.1:7401\", or \"off\""
        ))),
    }
}

/// The names of the policies for full queues.
const OVERFLOWS: [(&str, Overflow); 3] = [
    ("drop-oldest", Overflow::DropOldest),
    ("drop-newest", Overflow::DropNewest),
    ("disconnect", Overflow::Disconnect),
];

fn overflow<'de, D: Deserializer<'de>>(from: D) -> Result<Overflow, D::Error> {
    let text = String::deserialize(from)?;
    match OVERFLOWS.into_iter().find(|(name, _)| *name == text) {
        Some((_, overflow)) => Ok(overflow),
        None => Err(de::Error::custom(format!(
            "{text:?} is no policy: it is \"drop-oldest\", \"drop-newest\" or \"disconnect\""
        ))),
    }
}

fn optional_overflow<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Overflow>, D::Error> {
    overflow(from).map(Some)
}

/// The name of a policy, as a configuration writes it.
pub fn overflow_text(overflow: Overflow) -> &'static str {
    OVERFLOWS.into_iter().find(|(_, known)| *known == overflow).map_or("", |(name, _)| name)
}

fn threads<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(from)?;
    match count {
        1..=MOST_THREADS => Ok(count),
        _ => Err(de::Error::custom(format!("{count} threads: there are 1 to {MOST_THREADS}"))),
    }
}

fn idle<'de, D: Deserializer<'de>>(from: D) -> Result<Idle, D::Error> {
    let text = String::deserialize(from)?;
    match text.as_str() {
        "block" => Ok(Idle::Block),
        "spin" => Ok(Idle::Spin),
        time => quantity::parse_time(time).map(Idle::SpinFor).map_err(|_| {
            de::Error::custom(format!(
                "{text:?} is no way to wait: it is \"block\", \"spin\" or a time such as \"20us\""
            ))
        }),
    }
}
