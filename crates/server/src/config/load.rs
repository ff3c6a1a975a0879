//! From a file and the environment to a checked configuration.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;
use std::{error, fmt, fs};

use serde::Deserialize;
use toml::Table;

use super::journal::SEGMENTS;
use super::{Config, DurableRule, environment, words};

/// Why a configuration is rejected: where, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, with line and column where it is known, or the variable.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

impl error::Error for ConfigError {}

impl Config {
    /// The configuration of the file, if there is one, with what `environment` overrides, checked.
    ///
    /// `environment` holds names and values, such as those of [`std::env::vars`]. A variable
    /// `TRUNKLINE_CLIENT__QUEUE_MESSAGES` stands for the key `client.queue_messages`; those without
    /// two underscores in them are not ours.
    ///
    /// # Errors
    ///
    /// Says which file or variable is wrong, where in it, and why.
    pub fn load(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let (name, text) = match file {
            None => ("the configuration".to_owned(), String::new()),
            Some(path) => {
                let name = path.display().to_string();
                match fs::read_to_string(path) {
                    Ok(text) => (name, text),
                    Err(cause) => {
                        return Err(ConfigError { place: name, message: cause.to_string() });
                    }
                }
            }
        };
        Self::from_text(&name, &text, environment)
    }

    /// As [`Config::load`], from the file's text; `name` stands in errors.
    ///
    /// # Errors
    ///
    /// Says which file or variable is wrong, where in it, and why.
    pub fn from_text(
        name: &str,
        text: &str,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let in_file = |error: &toml::de::Error| ConfigError {
            place: place(name, text, error.span()),
            message: words::plain(error.message()),
        };
        // The file alone first, so that errors in it have lines and columns.
        let config: Self = toml::from_str(text).map_err(|error| in_file(&error))?;
        config.check(name)?;
        let mut table: Table = toml::from_str(text).map_err(|error| in_file(&error))?;
        let mut overridden = false;
        let mut config = config;
        for (variable, value) in environment::ours(environment) {
            environment::set(&mut table, &variable, &value)?;
            config = Self::deserialize(table.clone()).map_err(|error| ConfigError {
                place: variable.clone(),
                message: words::plain(error.message()),
            })?;
            overridden = true;
        }
        if overridden {
            config.check("with the environment")?;
        }
        config.load_access(name)?;
        config.load_topics(name)?;
        Ok(config)
    }

    /// Checks the access rules, and reads the credentials file.
    fn load_access(&mut self, name: &str) -> Result<(), ConfigError> {
        let loaded = self.access.load();
        loaded.map_err(|message| ConfigError { place: name.to_owned(), message })
    }

    /// Checks beyond the types of the values.
    fn check(&self, name: &str) -> Result<(), ConfigError> {
        let limits = &self.limits;
        let seconds = |time: Duration| time.as_secs_f64();
        let at_least = |value: u64, least: u64| (value < least).then(|| least.to_string());
        let wrong = [
            ("limits.connections", at_least(limits.connections as u64, 1)),
            ("limits.topics", at_least(limits.topics as u64, 1)),
            // The limits that a client may use before it has read its own.
            ("limits.topics_per_client", at_least(limits.topics_per_client as u64, 1024)),
            ("limits.overlaps_per_client", at_least(limits.overlaps_per_client as u64, 1)),
            ("limits.last_values", at_least(limits.last_values as u64, 1)),
            ("limits.last_value_bytes", at_least(limits.last_value_bytes, 4096)),
            ("limits.frame_bytes", at_least(limits.frame_bytes, 64 << 10)),
            ("limits.output_bytes", at_least(limits.output_bytes, 4096)),
            ("client.queue_messages", at_least(self.client.queue_messages as u64, 1)),
            ("client.queue_bytes", at_least(self.client.queue_bytes, 1)),
            ("journal.segment_bytes", at_least(self.journal.segment_bytes, 1 << 20)),
            ("journal.bytes", at_least(self.journal.bytes, SEGMENTS * self.journal.segment_bytes)),
            ("journal.producers_per_client", at_least(self.journal.producers_per_client as u64, 1)),
            (
                "journal.new_producers_per_client",
                at_least(self.journal.new_producers_per_client as u64, 1),
            ),
            ("journal.window", at_least(self.journal.window.into(), 1)),
            ("journal.window_limit", at_least(self.journal.window_limit.into(), 1)),
            ("journal.producer_window", at_least(self.journal.producer_window.into(), 1)),
            ("journal.ranges", at_least(self.journal.ranges as u64, 1)),
            ("router.keepalive_missed", at_least(u64::from(self.router.keepalive_missed), 1)),
            (
                "router.keepalive",
                (seconds(self.router.keepalive) < 0.01).then(|| "\"10ms\"".to_owned()),
            ),
            (
                "router.handshake_timeout",
                (seconds(self.router.handshake_timeout) < 0.01).then(|| "\"10ms\"".to_owned()),
            ),
        ];
        for (key, least) in wrong {
            if let Some(least) = least {
                return Err(self.wrong(name, &format!("{key} is at least {least}")));
            }
        }
        self.check_together(name)
    }

    /// Bounds from above, and what depends on several keys.
    fn check_together(&self, name: &str) -> Result<(), ConfigError> {
        let limits = &self.limits;
        if limits.memory_bytes > 0 && limits.memory_bytes < LEAST_MEMORY {
            return Err(self.wrong(name, "limits.memory_bytes is 0 or at least \"64 MiB\""));
        }
        if limits.frame_bytes > MOST_FRAME_BYTES {
            return Err(self.wrong(name, "limits.frame_bytes is at most \"1 GiB\""));
        }
        if self.journal.segment_bytes > MOST_FRAME_BYTES {
            return Err(self.wrong(name, "journal.segment_bytes is at most \"1 GiB\""));
        }
        let record = limits.frame_bytes.saturating_add(1_024);
        if self.journal.directory.is_some() && record > self.journal.segment_bytes / 2 {
            let text = "journal.segment_bytes is at least twice limits.frame_bytes and 2 KiB";
            return Err(self.wrong(name, text));
        }
        if limits.topics > MOST_TOPICS || limits.topics_per_client > MOST_TOPICS {
            let most =
                format!("limits.topics and limits.topics_per_client are at most {MOST_TOPICS}");
            return Err(self.wrong(name, &most));
        }
        if self.client.rules.iter().any(|rule| rule.name.is_empty() && rule.who.is_none()) {
            return Err(self.wrong(name, "a client.rule says name, or who, or both"));
        }
        self.tls.check(&self.listen, &self.fix).map_err(|missing| self.wrong(name, &missing))?;
        if self.client.rules.iter().any(|rule| rule.queue_messages == Some(0)) {
            return Err(self.wrong(name, "queue_messages of a client.rule is at least 1"));
        }
        if let Some(problem) = self.journal.durables.iter().find_map(DurableRule::problem) {
            return Err(self.wrong(name, &problem));
        }
        if let Some(problem) = self.fix_problem() {
            return Err(self.wrong(name, &problem));
        }
        Ok(())
    }

    fn wrong(&self, name: &str, message: &str) -> ConfigError {
        ConfigError { place: name.to_owned(), message: message.to_owned() }
    }
}

const MOST_FRAME_BYTES: u64 = 1 << 30;
/// The loop and the journal take a part of it whatever happens.
const LEAST_MEMORY: u64 = 64 << 20;
/// The protocol has no more numbers for them.
const MOST_TOPICS: usize = trunkline_native::TOPIC_NUMBERS as usize;

/// `trunkline.toml line 3, column 5`.
fn place(name: &str, text: &str, span: Option<Range<usize>>) -> String {
    let Some(before) = span.and_then(|span| text.get(..span.start)) else {
        return name.to_owned();
    };
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
    format!("{name} line {line}, column {column}")
}
