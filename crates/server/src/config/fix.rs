//! FIX sessions that are joined to topics.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, de};

use super::Config;
use super::access::is_loopback;
use super::show::{Page, quoted};

/// A `[[fix]]`: sessions of FIX on one port, and what joins them to topics.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// `HOST:PORT` to which the other sides connect; port 0 is any that is free.
    #[serde(deserialize_with = "place")]
    pub listen: String,
    /// It speaks TLS alone, with the router's certificate; with `client_ca` whoever connects shows one, too.
    #[serde(default)]
    pub tls: bool,
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

impl Fix {
    /// What is wrong with it, as far as that shows without its files.
    fn problem(&self) -> Option<String> {
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
        Some(format!("the fix that listens at {} {what}", self.listen))
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
                "the fix that listens at {} has guaranteed messages, and positions of a journal in memory begin anew with \
                 each start: write directory = \"FOLDER\" in [journal]; or delivery = \"direct\" in each fix.rule, and no \
                 fix.send",
                fix.listen
            )),
            _ => Ok(()),
        }
    }

    /// Whether others can connect to FIX sessions, and nothing but CompIDs says who they are.
    pub(super) fn check_fix_exposure(&self) -> Result<(), String> {
        let is_open = |it: &&Fix| !(it.tls && self.tls.client_ca.is_some());
        let mut open = self.fix.iter().filter(is_open).map(|it| &it.listen);
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
        self.fix.iter().find_map(Fix::problem).or_else(twice)
    }

    pub(super) fn show_fix(&self, page: &mut Page) {
        let list = |all: &[String]| {
            format!("[{}]", all.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(", "))
        };
        for fix in &self.fix {
            page.section("[[fix]]");
            page.key("listen", &quoted(&fix.listen), "HOST:PORT; port 0 is any that is free");
            page.key("tls", &fix.tls, "with the router's certificate, and no other way");
            page.key("sender", &quoted(&fix.sender), "the CompID of this side");
            page.key("targets", &list(&fix.targets), "who may log on");
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

/// `HOST:PORT`.
fn place<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    match text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        true => Ok(text),
        false => Err(de::Error::custom(format!(
            "{text:?} is no address: write HOST:PORT, such as \"127.0.0.1:5001\""
        ))),
    }
}
