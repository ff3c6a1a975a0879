//! Producers' names that clients bring in, so that one of them does not bring in any number of them.

use std::collections::HashMap;

/// How long names are counted; the store keeps one as long that is not used. Nanoseconds.
const HOUR: u64 = 3_600 * 1_000_000_000;

/// Origins that are counted. Further ones are not counted: no count stops a client that makes up names for
/// itself too.
const ORIGINS: usize = 10_000;

/// The origin of names of producers. Many programs may use the same client name, so each origin is counted
/// apart: one program does not use up the limit of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    /// The client's name; may be empty.
    pub(crate) client: Box<str>,
    /// The machine or the user that it connects from.
    pub(crate) host: Box<str>,
}

/// New names of producers in an hour, by where they come from.
#[derive(Debug, Default)]
pub(crate) struct NewProducers {
    /// When the hour began; nanoseconds.
    since: u64,
    of: HashMap<Origin, Count>,
}

/// The counts of one origin.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Names under which nothing is stored yet. Clients without a name have nothing in common, and theirs are
    /// not counted: the store makes room of such names by itself.
    unused: usize,
    /// Names under which something was stored, which the store keeps for an hour. Those of clients without a
    /// name are counted together.
    stored: usize,
}

/// A name under which nothing is stored, until something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewProducer {
    origin: Origin,
    /// When the hour began in which it is counted as unused, if it is.
    unused_since: Option<u64>,
}

/// The limit that a new name exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceededLimit {
    /// Those under which nothing is stored.
    Unused,
    /// Those under which something is.
    Stored,
}

impl NewProducers {
    /// Whether a name under which nothing is stored may come from there, if so many unused and so many others
    /// may in an hour. One that is known was counted as unused when it was brought in.
    ///
    /// # Errors
    ///
    /// There are too many.
    pub(crate) fn may(
        &mut self,
        now: u64,
        origin: &Origin,
        is_known: bool,
        (unused, stored): (usize, usize),
    ) -> Result<(), ExceededLimit> {
        if now.saturating_sub(self.since) >= HOUR {
            (self.since, self.of) = (now, HashMap::new());
        }
        let count = self.of.get(self.counted(origin)).copied().unwrap_or_default();
        if count.stored >= stored {
            Err(ExceededLimit::Stored)
        } else if count.unused >= unused && !is_known {
            Err(ExceededLimit::Unused)
        } else {
            Ok(())
        }
    }

    /// When there are too many origins, clients without a name are counted as one, too.
    fn counted<'a>(&self, origin: &'a Origin) -> &'a Origin {
        static NOWHERE: std::sync::LazyLock<Origin> = std::sync::LazyLock::new(Origin::default);
        let is_new = !self.of.contains_key(origin);
        if origin.client.is_empty() && is_new && self.of.len() >= ORIGINS {
            return &NOWHERE;
        }
        origin
    }

    fn count(&mut self, origin: &Origin) -> Option<&mut Count> {
        let origin = self.counted(origin);
        if !self.of.contains_key(origin) {
            if self.of.len() >= ORIGINS && !origin.client.is_empty() {
                return None;
            }
            self.of.insert(origin.clone(), Count::default());
        }
        self.of.get_mut(origin)
    }

    /// A client says such a name, which is known or brought in by it; none if it is not counted.
    pub(crate) fn add(&mut self, origin: Origin, is_known: bool) -> Option<NewProducer> {
        let is_unused = !is_known && !origin.client.is_empty();
        let since = self.since;
        self.count(&origin)?.unused += usize::from(is_unused);
        Some(NewProducer { origin, unused_since: is_unused.then_some(since) })
    }

    /// Something is stored under the name.
    pub(crate) fn stored(&mut self, new_producer: &NewProducer) {
        let is_of_now = new_producer.unused_since == Some(self.since);
        if let Some(count) = self.count(&new_producer.origin) {
            count.unused -= usize::from(is_of_now);
            count.stored += 1;
        }
    }
}
