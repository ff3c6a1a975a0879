//! Producers' names that clients bring in and store nothing under, so that one of them does not bring in any
//! number of them.

use std::collections::HashMap;

/// How long names are counted; the store keeps one as long that is not used. Nanoseconds.
const HOUR: u64 = 3_600 * 1_000_000_000;

/// Clients that are counted. Further ones are not: names under which nothing was stored make room in the
/// store, whoever brought them in.
const CLIENTS: usize = 10_000;

/// New names of producers in an hour under which nothing is stored yet, by the name of the client that brought
/// them in. Clients without a name have nothing in common, and are not counted.
#[derive(Debug, Default)]
pub(crate) struct Newcomers {
    /// When the hour began; nanoseconds.
    since: u64,
    of_client: HashMap<Box<str>, usize>,
}

/// A name that was counted, until something is stored under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newcomer {
    /// When the hour began in which it came.
    since: u64,
}

impl Newcomers {
    /// Whether a client has brought in fewer than so many.
    pub(crate) fn may(&mut self, now: u64, client: &str, most: usize) -> bool {
        if now.saturating_sub(self.since) >= HOUR {
            (self.since, self.of_client) = (now, HashMap::new());
        }
        self.of_client.get(client).is_none_or(|count| *count < most)
    }

    /// A client has brought in one; none if it is not counted.
    pub(crate) fn add(&mut self, client: &str) -> Option<Newcomer> {
        if let Some(count) = self.of_client.get_mut(client) {
            *count += 1;
        } else if !client.is_empty() && self.of_client.len() < CLIENTS {
            self.of_client.insert(client.into(), 1);
        } else {
            return None;
        }
        Some(Newcomer { since: self.since })
    }

    /// Something is stored under a name that a client has brought in.
    pub(crate) fn remove(&mut self, client: &str, newcomer: Newcomer) {
        if newcomer.since == self.since
            && let Some(count) = self.of_client.get_mut(client)
        {
            *count -= 1;
            if *count == 0 {
                self.of_client.remove(client);
            }
        }
    }
}
