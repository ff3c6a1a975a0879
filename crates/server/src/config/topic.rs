//! What is published to which topics.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, de};
use trunkline_import::{Description, Limits, Options, Problem};
use trunkline_native::format;
use trunkline_router::patterns_overlap;

use super::journal::pattern;
use super::show::{Page, quoted};
use super::{Config, ConfigError};

/// A `[[topic]]`: what is published to some topics, so that it can be delivered in other formats. The first rule that
/// fits a topic decides.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicRule {
    /// Which topics.
    #[serde(deserialize_with = "pattern")]
    pub pattern: String,
    /// The file that describes the messages: a FIX dictionary, OMG IDL, WSDL, XML Schema, or a listing.
    pub schema: String,
    /// The FIX dictionary whose header and trailer are taken, as those of FIX 5.0 are in another file.
    #[serde(default)]
    pub transport: Option<String>,
    /// The format of messages whose publisher says no more than that they are bytes or text.
    #[serde(default, deserialize_with = "payload_format")]
    pub format: Option<u16>,
    /// The name of the message, where its bytes do not say it, as in CDR.
    #[serde(default, rename = "type")]
    pub message: Option<String>,
    /// The files, once they have been read.
    #[serde(skip)]
    pub documents: Documents,
}

/// The files of a description by their paths. Copies share them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Documents(Arc<BTreeMap<String, Vec<u8>>>);

impl FromIterator<(String, Vec<u8>)> for Documents {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(all: I) -> Self {
        Self(Arc::new(all.into_iter().collect()))
    }
}

impl fmt::Debug for Documents {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

impl TopicRule {
    /// Whether it is about a topic of this name, or about topics of this pattern.
    pub fn is_about(&self, pattern: &str) -> bool {
        patterns_overlap(&self.pattern, pattern)
    }

    /// What the files say.
    ///
    /// # Errors
    ///
    /// They do not describe messages, or have not been read.
    pub fn describe(&self) -> Result<Description, Problem> {
        let mut resolver = |path: &str| Ok(self.documents.0.get(path).cloned());
        Description::read(&self.schema, &self.options(), &mut resolver, &Limits::default())
    }

    fn options(&self) -> Options {
        let transport = self.transport.clone();
        Options { transport, ..Options::default() }
    }

    /// Reads the files, and checks what they say.
    fn load(&mut self) -> Result<(), String> {
        let limits = Limits::default();
        let mut documents = BTreeMap::new();
        let mut resolver = |path: &str| match fs::read(path) {
            Ok(bytes) => {
                documents.insert(path.to_owned(), bytes.clone());
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        let read = Description::read(&self.schema, &self.options(), &mut resolver, &limits);
        let description = read.map_err(|problem| problem.to_string())?;
        if let Some(name) = &self.message {
            let found = description.message(name).map_err(|problem| problem.to_string())?;
            if found.is_none() {
                return Err(description.no_message(&self.schema, name));
            }
        }
        self.documents = Documents(Arc::new(documents));
        Ok(())
    }
}

impl Config {
    /// Reads what describes the messages of topics.
    pub(super) fn load_topics(&mut self, name: &str) -> Result<(), ConfigError> {
        for rule in &mut self.topics {
            rule.load().map_err(|problem| ConfigError {
                place: name.to_owned(),
                message: format!("topic {:?}: {problem}", rule.pattern),
            })?;
        }
        Ok(())
    }

    pub(super) fn show_topics(&self, page: &mut Page) {
        for rule in &self.topics {
            page.section("[[topic]]");
            page.key("pattern", &quoted(&rule.pattern), "of topics");
            page.key("schema", &quoted(&rule.schema), "that describes what is published to them");
            if let Some(transport) = &rule.transport {
                page.key("transport", &quoted(transport), "the FIX dictionary with the header");
            }
            if let Some(number) = rule.format {
                let name = format::name(number).map_or_else(|| number.to_string(), str::to_owned);
                page.key("format", &quoted(&name), "where publishers say none");
            }
            if let Some(message) = &rule.message {
                page.key("type", &quoted(message), "where its bytes do not say it");
            }
        }
    }
}

/// A format that messages are converted from.
fn payload_format<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u16>, D::Error> {
    let text = String::deserialize(from)?;
    let known = crate::formats::CONVERTED;
    match format::from_name(&text).filter(|it| known.contains(it)) {
        Some(number) => Ok(Some(number)),
        None => Err(de::Error::custom(format!(
            "{text:?} is no format that messages are converted from: there are {}",
            crate::formats::names()
        ))),
    }
}
