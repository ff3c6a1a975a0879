//! FIX sessions that are joined to topics.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::Config;
use super::access::is_loopback;
use super::quantity::{time, time_text};
use super::show::{Page, quoted};

/// HeartBtInt (108) of who connects and does not say it.
pub const HEARTBEAT: Duration = Duration::from_secs(30);

/// A `[[fix]]`: sessions of FIX on one port, or with one place, and what joins them to topics.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// `HOST:PORT` to which the other sides connect; port 0 is any that is free.
    #[serde(default, deserialize_with = "place")]
    pub listen: Option<String>,
    /// Instead, the `HOST:PORT` to which this side connects, and logs on.
    #[serde(default, deserialize_with = "place")]
    pub connect: Option<String>,
    /// It speaks TLS alone. Who listens has the router's certificate, and with `client_ca` whoever connects shows one, too.
    /// Who connects shows that of the router, if there is one.
    #[serde(default)]
    pub tls: bool,
    /// Whom it trusts that connects: a file of authorities in PEM, or else those of the system.
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// Who may log on as which target: a subject of a certificate for each, such as `CN=fund-*,O=Fund` (RFC 4514); `*`
    /// stands for any characters, or none. Where there are none, a certificate is not compared.
    #[serde(default)]
    pub certificates: BTreeMap<String, String>,
    /// The file with fields of the Logon of who connects, such as Username (553): `TAG=VALUE` in each line.
    #[serde(default)]
    pub logon: Option<PathBuf>,
    /// HeartBtInt (108) of who connects, in whole seconds; 30 s if it is not there. Who listens takes that of the other side.
    #[serde(default, deserialize_with = "optional_time")]
    pub heartbeat: Option<Duration>,
    /// When the sessions are up, such as `mon-fri 08:00-17:30 America/New_York`; without it they never stop.
    #[serde(default)]
    pub hours: Option<String>,
    /// SenderCompID of this side.
    pub sender: String,
    /// Who may log on: TargetCompIDs of this side, each a session.
    pub targets: Vec<String>,
    /// BeginString; without it that of the dictionary is taken, else FIX.4.4.
    #[serde(default)]
    pub version: Option<String>,
    /// The file by which messages are checked, and fields and messages have names.
    #[serde(default)]
    pub dictionary: Option<String>,
    /// The dictionary of FIXT 1.1, for FIX 5.0.
    #[serde(default)]
    pub transport: Option<String>,
    /// The folder in which each session keeps its numbers and messages.
    pub store: PathBuf,
    /// What becomes of messages that come; the first rule that fits decides.
    #[serde(default, rename = "rule")]
    pub rules: Vec<FixRule>,
    /// What is sent.
    #[serde(default, rename = "send")]
    pub sends: Vec<FixSend>,
    /// Market data for those who ask; the first rule whose symbols fit decides.
    #[serde(default)]
    pub market_data: Vec<FixMarketData>,
}

/// A `[[fix.rule]]`: to which topic messages go that come in a session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixRule {
    /// MsgTypes, or names of messages; `*` is every message.
    pub messages: Vec<String>,
    /// The topic, with places for fields of the message: `orders/{SenderCompID}/{Symbol}`.
    pub topic: String,
    /// How it is delivered.
    #[serde(default)]
    pub delivery: FixDelivery,
}

/// How a message of a session is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FixDelivery {
    /// It is stored, and the session counts it once that is acknowledged.
    #[default]
    Guaranteed,
    /// It is published.
    Direct,
}

impl FixDelivery {
    /// As a configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guaranteed => "guaranteed",
            Self::Direct => "direct",
        }
    }
}

/// A `[[fix.send]]`: topics whose guaranteed messages are sent in a session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixSend {
    /// A pattern, with places for SenderCompID, this side, and TargetCompID: `reports/{TargetCompID}`.
    pub topics: String,
}

/// A `[[fix.market_data]]`: topics that a MarketDataRequest (V) subscribes to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixMarketData {
    /// The topic of a symbol, with places for fields of its entry in the request: `fx/{Symbol}`.
    pub topic: String,
    /// Symbols; `*` stands for any characters, or none. Without any every symbol is known.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Updates of each topic a second, the newest; 0: as many as a session takes.
    #[serde(default)]
    pub updates_per_second: u32,
}

/// Where the sessions of a [`Fix`] are: `the fix that listens at 127.0.0.1:5001`.
impl fmt::Display for Fix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.listen, &self.connect) {
            (Some(place), _) => write!(out, "the fix that listens at {place}"),
            (None, Some(place)) => write!(out, "the fix that connects to {place}"),
            (None, None) => write!(out, "the fix of {}", self.sender),
        }
    }
}

impl Fix {
    /// What is wrong with it, as far as that shows without its files.
    fn problem(&self) -> Option<String> {
        self.problem_of_place().or_else(|| self.problem_of_content())
    }

    /// What is wrong with where it is, and with what belongs to one side of a connection alone.
    fn problem_of_place(&self) -> Option<String> {
        let is_listening = self.listen.is_some();
        let unknown = || self.certificates.keys().find(|it| !self.targets.contains(it));
        let absent = || self.targets.iter().find(|it| !self.certificates.contains_key(*it));
        let what = match self {
            Self { listen: None, connect: None, .. } => {
                "has neither listen nor connect: write HOST:PORT where others connect, or where it does".to_owned()
            }
            Self { listen: Some(_), connect: Some(_), .. } => {
                "has both listen and connect: write a fix for each".to_owned()
            }
            Self { ca: Some(_), .. } if is_listening => {
                "has a ca, which is for who connects: the authorities of clients are tls.client_ca".to_owned()
            }
            Self { ca: Some(_), tls: false, .. } => "has a ca, and no tls = true".to_owned(),
            Self { heartbeat: Some(_), .. } if is_listening => {
                "has a heartbeat, which is for who connects: the other side says it".to_owned()
            }
            Self { logon: Some(_), .. } if is_listening => "has a logon, which is for who connects".to_owned(),
            Self { certificates, .. } if certificates.is_empty() => return self.problem_of_heartbeat(),
            _ if !is_listening => "has certificates, which are for who listens".to_owned(),
            Self { tls: false, .. } => "has certificates, and no tls = true".to_owned(),
            _ => match (unknown(), absent()) {
                (Some(name), _) => format!("has a certificate of {name}, who is none of its targets"),
                (None, Some(name)) => format!("has no certificate of {name}; \"*\" is any"),
                (None, None) => return self.problem_of_heartbeat(),
            },
        };
        Some(format!("{self} {what}"))
    }

    fn problem_of_heartbeat(&self) -> Option<String> {
        let is_whole = |it: Duration| it.subsec_nanos() == 0 && it.as_secs() <= 3600;
        let is_whole = self.heartbeat.is_none_or(is_whole);
        let what = "has a heartbeat that is not in whole seconds, or longer than an hour";
        (!is_whole).then(|| format!("{self} {what}"))
    }

    fn problem_of_content(&self) -> Option<String> {
        let what = match self {
            Self { sender, .. } if sender.is_empty() => "has an empty sender",
            Self { targets, .. } if targets.is_empty() => "has no targets: who may log on",
            Self { targets, .. } if targets.iter().any(String::is_empty) => "has an empty target",
            Self { rules, sends, market_data, .. }
                if rules.is_empty() && sends.is_empty() && market_data.is_empty() =>
            {
                "has no fix.rule, fix.send or fix.market_data: nothing would come or go"
            }
            Self { rules, .. } if rules.iter().any(|it| it.messages.is_empty()) => {
                "has a fix.rule without messages; \"*\" is every message"
            }
            _ => return None,
        };
        Some(format!("{self} {what}"))
    }
}

impl Config {
    /// Whether what FIX sessions are promised can be kept. The journal's folder may come from elsewhere than the file.
    ///
    /// # Errors
    /// Messages are guaranteed, and no journal is on a disk; what to write.
    pub fn check_fix(&self) -> Result<(), String> {
        let is_guaranteed = |it: &&Fix| {
            !it.sends.is_empty() || it.rules.iter().any(|it| it.delivery == FixDelivery::Guaranteed)
        };
        match self.fix.iter().find(is_guaranteed) {
            Some(fix) if self.journal.directory.is_none() => Err(format!(
                "{fix} has guaranteed messages, and positions of a journal in memory begin anew with \
                 each start: write directory = \"FOLDER\" in [journal]; or delivery = \"direct\" in each fix.rule, and no \
                 fix.send"
            )),
            _ => Ok(()),
        }
    }

    /// Whether others can connect to FIX sessions, and nothing but CompIDs says who they are.
    pub(super) fn check_fix_exposure(&self) -> Result<(), String> {
        let is_open = |it: &&Fix| !(it.tls && self.tls.client_ca.is_some());
        let mut open = self.fix.iter().filter(is_open).filter_map(|it| it.listen.as_ref());
        match open.find(|it| !is_loopback(it)) {
            None => Ok(()),
            Some(place) => Err(format!(
                "listen of a fix: others can connect to {place}, and a session knows by CompIDs alone who logs on; access rules do \
                 not see them. Write tls = true there, and client_ca in [tls], so that whoever connects has a certificate; or \
                 listen at 127.0.0.1, behind what knows who connects; or, where everybody may log on who can connect, \
                 access.anonymous = \"everywhere\""
            )),
        }
    }

    /// What is wrong with the FIX sessions.
    pub(super) fn fix_problem(&self) -> Option<String> {
        let sessions = || {
            self.fix.iter().flat_map(|it| it.targets.iter().map(move |target| (&it.sender, target)))
        };
        let mut seen = std::collections::BTreeSet::new();
        let twice = || {
            sessions().find(|it| !seen.insert(*it)).map(|(sender, target)| {
                format!("there are two FIX sessions of {sender} and {target}")
            })
        };
        let has_nobody = |it: &&Fix| !it.certificates.is_empty() && self.tls.client_ca.is_none();
        let nobody = || {
            let what = "has certificates, and no client_ca in [tls]: nobody would be asked for one";
            self.fix.iter().find(has_nobody).map(|it| format!("{it} {what}"))
        };
        self.fix.iter().find_map(Fix::problem).or_else(twice).or_else(nobody)
    }

    pub(super) fn show_fix(&self, page: &mut Page) {
        let list = |all: &[String]| {
            format!("[{}]", all.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(", "))
        };
        for fix in &self.fix {
            page.section("[[fix]]");
            fix.show_place(page);
            page.key("sender", &quoted(&fix.sender), "the CompID of this side");
            page.key("targets", &list(&fix.targets), "who may log on, or is logged on to");
            if let Some(hours) = &fix.hours {
                page.key("hours", &quoted(hours), "of the sessions; at their beginning numbers do");
            }
            if let Some(version) = &fix.version {
                page.key("version", &quoted(version), "BeginString");
            }
            if let Some(dictionary) = &fix.dictionary {
                page.key("dictionary", &quoted(dictionary), "by which messages are checked");
            }
            if let Some(transport) = &fix.transport {
                page.key("transport", &quoted(transport), "the dictionary of FIXT 1.1");
            }
            let store = quoted(&fix.store.display().to_string());
            page.key("store", &store, "a folder for numbers and messages");
            if !fix.certificates.is_empty() {
                page.section("[fix.certificates]");
                for (target, subject) in &fix.certificates {
                    page.key(&quoted(target), &quoted(subject), "who may log on as this target");
                }
            }
            for rule in &fix.rules {
                page.section("[[fix.rule]]");
                page.key("messages", &list(&rule.messages), "that come in a session");
                page.key("topic", &quoted(&rule.topic), "to which they go");
                page.key("delivery", &quoted(rule.delivery.name()), "guaranteed or direct");
            }
            for send in &fix.sends {
                page.section("[[fix.send]]");
                page.key("topics", &quoted(&send.topics), "whose guaranteed messages are sent");
            }
            for market in &fix.market_data {
                page.section("[[fix.market_data]]");
                page.key("topic", &quoted(&market.topic), "of a symbol that is asked for");
                page.key("symbols", &list(&market.symbols), "none are all");
                let rate = market.updates_per_second;
                page.key("updates_per_second", &rate, "of each topic; 0 is no cap");
            }
        }
    }
}

impl Fix {
    fn show_place(&self, page: &mut Page) {
        let file = |it: &PathBuf| quoted(&it.display().to_string());
        if let Some(place) = &self.listen {
            page.key("listen", &quoted(place), "HOST:PORT; port 0 is any that is free");
        }
        if let Some(place) = &self.connect {
            page.key("connect", &quoted(place), "HOST:PORT of the other side");
            let heartbeat = self.heartbeat.unwrap_or(HEARTBEAT);
            page.key("heartbeat", &quoted(&time_text(heartbeat)), "HeartBtInt (108)");
        }
        page.key("tls", &self.tls, "with the router's certificate, and no other way");
        if let Some(ca) = &self.ca {
            page.key("ca", &file(ca), "the authorities whom it trusts");
        }
        if let Some(logon) = &self.logon {
            page.key("logon", &file(logon), "fields of the Logon, TAG=VALUE in each line");
        }
    }
}

fn optional_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    time(from).map(Some)
}

/// `HOST:PORT`.
fn place<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    match text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        true => Ok(Some(text)),
        false => Err(de::Error::custom(format!(
            "{text:?} is no address: write HOST:PORT, such as \"127.0.0.1:5001\""
        ))),
    }
}
