//! Producers' names that clients bring in, so that one of them does not bring in any number of them.

use std::collections::HashMap;

/// How long names are counted; the store keeps one as long that is not used. Nanoseconds.
const HOUR: u64 = 3_600 * 1_000_000_000;

/// Clients that are counted. Further ones are not: who makes up names for itself too is not held by any count.
const CLIENTS: usize = 10_000;

/// New names of producers in an hour, by the name of the client that brought them in.
#[derive(Debug, Default)]
pub(crate) struct Newcomers {
    /// When the hour began; nanoseconds.
    since: u64,
    of_client: HashMap<Box<str>, Count>,
}

/// What clients of a name have brought in.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Names under which nothing is stored yet. Clients without a name have nothing in common, and theirs are
    /// not counted: the store makes room of such names by itself.
    unused: usize,
    /// Names under which something was stored, which the store keeps for an hour. Those of clients without a
    /// name are counted together.
    stored: usize,
}

/// A name that was brought in, until something is stored under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newcomer {
    /// When the hour began in which it came.
    since: u64,
}

/// Which names are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooMany {
    /// Those under which nothing is stored.
    Unused,
    /// Those under which something is.
    Stored,
}

impl Newcomers {
    /// Whether a client may bring in one more, if it may have so many unused and so many others in an hour.
    ///
    /// # Errors
    ///
    /// It has too many.
    pub(crate) fn may(
        &mut self,
        now: u64,
        client: &str,
        (unused, stored): (usize, usize),
    ) -> Result<(), TooMany> {
        if now.saturating_sub(self.since) >= HOUR {
            (self.since, self.of_client) = (now, HashMap::new());
        }
        let count = self.of_client.get(client).copied().unwrap_or_default();
        if count.stored >= stored {
            Err(TooMany::Stored)
        } else if count.unused >= unused {
            Err(TooMany::Unused)
        } else {
            Ok(())
        }
    }

    fn count(&mut self, client: &str) -> Option<&mut Count> {
        if !self.of_client.contains_key(client) {
            if self.of_client.len() >= CLIENTS && !client.is_empty() {
                return None;
            }
            self.of_client.insert(client.into(), Count::default());
        }
        self.of_client.get_mut(client)
    }

    /// A client has brought in one; none if it is not counted.
    pub(crate) fn add(&mut self, client: &str) -> Option<Newcomer> {
        let since = self.since;
        self.count(client)?.unused += usize::from(!client.is_empty());
        Some(Newcomer { since })
    }

    /// Something is stored under a name that a client has brought in.
    pub(crate) fn stored(&mut self, client: &str, newcomer: Newcomer) {
        let is_of_now = newcomer.since == self.since && !client.is_empty();
        if let Some(count) = self.count(client) {
            count.unused -= usize::from(is_of_now);
            count.stored += 1;
        }
    }
}
