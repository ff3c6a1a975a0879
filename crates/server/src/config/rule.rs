//! What clients with certain names get.

use serde::Deserialize;
use trunkline_router::Overflow;

use super::{optional_overflow, quantity};

/// A `[[client.rule]]`: what it does not name stays as `[client]` says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Names of clients; `*` stands for any characters, or none.
    pub name: String,
    /// See [`Client::queue_messages`](super::Client::queue_messages).
    #[serde(default)]
    pub queue_messages: Option<usize>,
    /// See [`Client::queue_bytes`](super::Client::queue_bytes).
    #[serde(default, deserialize_with = "quantity::optional_size")]
    pub queue_bytes: Option<u64>,
    /// See [`Client::overflow`](super::Client::overflow).
    #[serde(default, deserialize_with = "optional_overflow")]
    pub overflow: Option<Overflow>,
    /// See [`Client::messages_per_second`](super::Client::messages_per_second).
    #[serde(default)]
    pub messages_per_second: Option<u32>,
    /// See [`Client::bytes_per_second`](super::Client::bytes_per_second).
    #[serde(default, deserialize_with = "quantity::optional_size")]
    pub bytes_per_second: Option<u64>,
    /// See [`Client::updates_per_second`](super::Client::updates_per_second).
    #[serde(default)]
    pub updates_per_second: Option<u32>,
}

impl Rule {
    /// A rule without keys.
    pub(super) const NONE: Self = Self {
        name: String::new(),
        queue_messages: None,
        queue_bytes: None,
        overflow: None,
        messages_per_second: None,
        bytes_per_second: None,
        updates_per_second: None,
    };

    /// True for a client of this name.
    pub fn fits(&self, name: &str) -> bool {
        fits(&self.name, name)
    }
}

/// Whether a name is as a pattern says, in which `*` stands for any characters, or none.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("slow", "slow"),
            ("slow*", "slow"),
            ("slow*", "slow-7"),
            ("*", ""),
            ("*gui*", "fx gui 3"),
            ("a*b*c", "a-b-b-c"),
            ("", ""),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("slow", "slow-7"), ("slow*", "a slow"), ("ab*ba", "aba"), ("a*b*c", "acb"), ("", "x")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
