//! Producers' names that clients bring in, so that one of them does not take all that there may be.

use std::collections::HashMap;

/// How long names are counted; the store keeps one as long that is not used. Nanoseconds.
const HOUR: u64 = 3_600 * 1_000_000_000;

/// Clients that are counted by name; further ones are counted together.
const CLIENTS: usize = 10_000;

/// New names of producers in an hour, by the name of the client that brought them in.
#[derive(Debug, Default)]
pub(crate) struct Newcomers {
    since: u64,
    of_client: HashMap<Box<str>, usize>,
}

impl Newcomers {
    /// Whether a client has brought in fewer than so many.
    pub(crate) fn may(&mut self, now: u64, client: &str, most: usize) -> bool {
        if now.saturating_sub(self.since) >= HOUR {
            (self.since, self.of_client) = (now, HashMap::new());
        }
        self.of_client.get(self.counted_as(client)).is_none_or(|count| *count < most)
    }

    /// A client has brought in one.
    pub(crate) fn add(&mut self, client: &str) {
        *self.of_client.entry(self.counted_as(client).into()).or_default() += 1;
    }

    fn counted_as<'a>(&self, client: &'a str) -> &'a str {
        let is_known = self.of_client.len() < CLIENTS || self.of_client.contains_key(client);
        if is_known { client } else { "" }
    }
}
