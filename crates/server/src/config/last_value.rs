//! Which topics keep their last value.

use serde::Deserialize;

use super::journal::pattern;

/// A `[[last_value]]`: topics whose last value is kept, for those who subscribe later.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastValueRule {
    /// Which topics.
    #[serde(deserialize_with = "pattern")]
    pub topics: String,
}
