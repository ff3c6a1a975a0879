//! What must not come a second time.

use std::collections::{BTreeSet, HashSet};

use ring::digest;

/// What was seen and may still be replayed. It is bounded, and forgets nothing that could be: if it is full, new messages
/// are turned away.
#[derive(Debug)]
pub(crate) struct Replays {
    seen: HashSet<[u8; 32]>,
    /// By when each may be forgotten.
    by_end: BTreeSet<(i128, [u8; 32])>,
    most: usize,
    /// What ended until then is forgotten: clocks of several callers may go apart.
    forgotten: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    New,
    Replayed,
    Expired,
    Full,
}

impl Replays {
    pub(crate) fn new(most: usize) -> Self {
        Self { seen: HashSet::new(), by_end: BTreeSet::new(), most, forgotten: i128::MIN }
    }

    pub(crate) fn set_most(&mut self, most: usize) {
        self.most = most;
    }

    /// Remembers these parts, which together are one thing, until a moment after which nobody would take them anyhow.
    pub(crate) fn admit(&mut self, parts: &[&[u8]], until: i128, now: i128) -> Admitted {
        while self.by_end.first().is_some_and(|(end, _)| *end < now) {
            if let Some((end, key)) = self.by_end.pop_first() {
                self.seen.remove(&key);
                self.forgotten = self.forgotten.max(end);
            }
        }
        if until < now || until <= self.forgotten {
            return Admitted::Expired;
        }
        let key = key(parts);
        if self.seen.contains(&key) {
            return Admitted::Replayed;
        }
        if self.seen.len() >= self.most {
            return Admitted::Full;
        }
        self.seen.insert(key);
        self.by_end.insert((until, key));
        Admitted::New
    }
}

/// A hash of fixed length, whatever the sender chose.
fn key(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part);
    }
    let mut key = [0; 32];
    key.copy_from_slice(context.finish().as_ref());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_forgotten_that_may_come_again() {
        let mut replays = Replays::new(2);
        assert_eq!(replays.admit(&[b"a"], 10, 0), Admitted::New);
        assert_eq!(replays.admit(&[b"a"], 20, 10), Admitted::Replayed);
        assert_eq!(replays.admit(&[b"b"], 20, 10), Admitted::New);
        assert_eq!(replays.admit(&[b"c"], 20, 10), Admitted::Full);
        assert_eq!(replays.admit(&[b"b"], 20, 11), Admitted::Replayed);
        assert_eq!(replays.admit(&[b"c"], 20, 11), Admitted::New);
        // It was forgotten by a clock that goes before this one.
        assert_eq!(replays.admit(&[b"a"], 10, 5), Admitted::Expired);
        // Parts do not flow into each other.
        let mut replays = Replays::new(9);
        assert_eq!(replays.admit(&[b"ab", b"c"], 1, 0), Admitted::New);
        assert_eq!(replays.admit(&[b"a", b"bc"], 1, 0), Admitted::New);
    }
}
