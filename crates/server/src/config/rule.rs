//! What clients with certain names get.

use serde::Deserialize;
use trunkline_router::{Overflow, name_fits};
use trunkline_security::IdentityPattern;

use super::{optional_overflow, quantity};

/// A `[[client.rule]]`: what it does not name stays as `[client]` says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Names of clients; `*` stands for any characters, or none. Nobody checks a name.
    #[serde(default)]
    pub name: String,
    /// Who they are; everybody, if it is not said.
    #[serde(default, deserialize_with = "super::access::who")]
    pub who: Option<IdentityPattern>,
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
        who: None,
        queue_messages: None,
        queue_bytes: None,
        overflow: None,
        messages_per_second: None,
        bytes_per_second: None,
        updates_per_second: None,
    };

    /// True for a client of this name; a rule that says who they are needs none.
    pub fn fits(&self, name: &str) -> bool {
        self.name.is_empty() && self.who.is_some() || name_fits(&self.name, name)
    }
}
