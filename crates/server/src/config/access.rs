//! Who may connect, and who may do what.

use std::collections::BTreeMap;
use std::fmt;
use std::net::ToSocketAddrs as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, de};
use trunkline_reactor::Address;
use trunkline_security::{
    Credentials, Effect, IdentityPattern, OperationSet, Role, Rule, RuleError, Rules,
};

use super::Config;

/// Who may connect, and who may do what.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Access {
    /// From where clients may connect that do not show who they are.
    pub anonymous: Anonymous,
    /// The file with users and the hashes of their passwords and tokens; none where `"off"`.
    #[serde(deserialize_with = "file")]
    pub credentials: Option<PathBuf>,
    /// Names for groups of identities, which rules call `role:NAME`.
    pub roles: BTreeMap<String, Vec<String>>,
    /// What is allowed. Without rules everything is; with rules nothing that none allows.
    #[serde(rename = "rule")]
    pub rules: Vec<AccessRule>,
    /// What the credentials file holds, once it has been read.
    #[serde(skip)]
    pub known: Credentials,
}

/// From where clients may connect that do not show who they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Anonymous {
    /// From this machine: over loopback.
    #[default]
    Local,
    /// From everywhere.
    Everywhere,
    /// From nowhere.
    Nowhere,
}

impl Anonymous {
    /// As a configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Everywhere => "everywhere",
            Self::Nowhere => "nowhere",
        }
    }
}

/// A `[[access.rule]]`, which either allows or denies.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessRule {
    /// Rejections and the log name it; else they give its number.
    #[serde(default)]
    pub name: String,
    /// For whom: `user:NAME`, `certificate:SUBJECT`, `uid:NUMBER`, `role:NAME`, `anonymous`, `*`.
    #[serde(deserialize_with = "texts")]
    pub who: Vec<String>,
    /// Operations that it allows.
    #[serde(default, deserialize_with = "operations")]
    pub allow: OperationSet,
    /// Operations that it denies.
    #[serde(default, deserialize_with = "operations")]
    pub deny: OperationSet,
    /// Patterns of topics; none are all topics.
    #[serde(default, deserialize_with = "texts")]
    pub topics: Vec<String>,
    /// Names of producers and durable subscriptions, in which `*` stands for anything and `{name}` for the name of who asks;
    /// none are all.
    #[serde(default, deserialize_with = "texts")]
    pub names: Vec<String>,
}

impl Access {
    /// The rules, checked.
    ///
    /// # Errors
    ///
    /// The first rule or role that is wrong, and why.
    pub fn compile(&self) -> Result<Rules, RuleError> {
        let rules = self.rules.iter().enumerate().map(|(at, rule)| {
            let name = match &*rule.name {
                "" => format!("rule {}", at + 1),
                name => name.to_owned(),
            };
            let (effect, operations) = match rule.deny.is_empty() {
                true => (Effect::Allow, rule.allow),
                false => (Effect::Deny, rule.deny),
            };
            let (who, topics, names) = (rule.who.clone(), rule.topics.clone(), rule.names.clone());
            Rule { name, who, effect, operations, topics, names }
        });
        let roles =
            self.roles.iter().map(|(name, who)| Role { name: name.clone(), who: who.clone() });
        Rules::new(rules.collect(), &roles.collect::<Vec<_>>())
    }

    /// Checks rules, and reads the credentials file.
    pub(super) fn load(&mut self) -> Result<(), String> {
        if self.rules.iter().any(|rule| !rule.allow.is_empty() && !rule.deny.is_empty()) {
            return Err("an access.rule either allows or denies: write two".to_owned());
        }
        self.compile().map_err(|error| error.to_string())?;
        let Some(path) = &self.credentials else { return Ok(()) };
        let within =
            |error: &dyn fmt::Display| format!("access.credentials {}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| within(&error))?;
        self.known = Credentials::parse(&text).map_err(|error| within(&error))?;
        Ok(())
    }
}

impl Config {
    /// Whether the router is closed to others, or the configuration says what they may do.
    ///
    /// # Errors
    ///
    /// The router would listen where others can connect, and nothing says what they may do; what to write.
    pub fn check_exposure(&self) -> Result<(), String> {
        let access = &self.access;
        if access.anonymous == Anonymous::Everywhere {
            return Ok(());
        }
        self.check_fix_exposure()?;
        if !access.rules.is_empty() {
            return Ok(());
        }
        // With `client_ca` nobody connects over TLS without a certificate of those authorities.
        let is_open = |with_tls: bool| !with_tls || self.tls.client_ca.is_none();
        let native = self.listen.native.iter().filter_map(|address| match address {
            Address::Tcp(place) => Some(("listen.native", place)),
            Address::Tls(place) => is_open(true).then_some(("listen.native", place)),
            // The files of sockets belong to their owner alone.
            Address::Unix(_) | Address::SharedMemory(_) => None,
        });
        let websocket = self.listen.websocket.iter().filter(|_| is_open(self.tls.websocket));
        let websocket = websocket.map(|place| ("listen.websocket", place));
        let http = self.listen.http.iter().filter(|_| is_open(self.tls.http));
        let http = http.map(|place| ("listen.http", place));
        let Some((key, place)) =
            native.chain(websocket).chain(http).find(|(_, place)| !is_loopback(place))
        else {
            return Ok(());
        };
        Err(format!(
            "{key}: others can connect to {place}, and no access rule says what they may do. Write \
             [[access.rule]] sections, such as who = \"user:*\", allow = \"subscribe\", with access.credentials for \
             passwords; or tls.client_ca, and TLS at every listener; or listen at 127.0.0.1; or, where everybody may do everything, access.anonymous = \
             \"everywhere\""
        ))
    }
}

/// Whether only this machine can connect to a place, `HOST:PORT`. One that has no address is listened at in vain.
pub(super) fn is_loopback(place: &str) -> bool {
    place.to_socket_addrs().is_ok_and(|mut all| all.all(|it| it.ip().to_canonical().is_loopback()))
}

/// A list of texts, or one.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text or a list of texts")]
    enum Listed {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Listed::deserialize(from)? {
        Listed::One(text) => vec![text],
        Listed::Many(texts) => texts,
    })
}

/// A list of operations, one, or `all`.
fn operations<'de, D: Deserializer<'de>>(from: D) -> Result<OperationSet, D::Error> {
    let mut operations = OperationSet::NONE;
    for text in texts(from)? {
        match &*text {
            "all" => operations = OperationSet::ALL,
            text => operations.add(text.parse().map_err(de::Error::custom)?),
        }
    }
    Ok(operations)
}

fn file<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    let text = String::deserialize(from)?;
    Ok((!text.is_empty() && text != "off").then(|| Path::new(&text).to_owned()))
}

/// An identity, for rules about clients.
pub(super) fn who<'de, D: Deserializer<'de>>(from: D) -> Result<Option<IdentityPattern>, D::Error> {
    let text = String::deserialize(from)?;
    IdentityPattern::new(&text).map(Some).map_err(de::Error::custom)
}
