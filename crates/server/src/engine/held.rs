//! Connections from which nothing is taken for now: what they send stays where it is, so that their clients
//! are slowed down and nothing is lost.

use std::collections::{HashMap, HashSet, VecDeque};

use super::ConnectionId;

/// The event for which a held connection waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitsFor {
    /// There is room for what it wants to store.
    Storage,
    /// Its client has read more of its answers.
    Reader,
    /// Its password has been compared with its hash.
    Login,
}

/// The maximum number of closed connections with a place among those that wait for the storage, or as many
/// as are held.
const GONE: usize = 1_024;

/// Connections that are held, each for one reason at a time, and those that may go on.
#[derive(Debug, Default)]
pub(crate) struct HeldConnections {
    waiting: HashMap<ConnectionId, WaitsFor>,
    /// Those that wait for the storage, in the order in which they came; some may be gone.
    in_order: Vec<ConnectionId>,
    /// Those that may go on.
    released: VecDeque<ConnectionId>,
}

impl HeldConnections {
    /// Nothing is to be taken from a connection until what it waits for has come.
    pub(crate) fn hold(&mut self, id: ConnectionId, waits_for: WaitsFor) {
        if self.contains(id) {
            return;
        }
        self.waiting.insert(id, waits_for);
        if waits_for != WaitsFor::Storage {
            return;
        }
        // The places of closed connections are removed when they are as many as those of open ones.
        if self.in_order.len() >= 2 * self.waiting.len() + GONE {
            let (waiting, mut seen) = (&self.waiting, HashSet::new());
            self.in_order.retain(|it| *it != id && waiting.contains_key(it) && seen.insert(*it));
        }
        self.in_order.push(id);
    }

    /// What a connection waits for, if it is held. The loop calls it before each read; its cost does not
    /// grow with the number of held connections.
    #[inline]
    pub(crate) fn reason(&self, id: ConnectionId) -> Option<WaitsFor> {
        if self.waiting.is_empty() { None } else { self.waiting.get(&id).copied() }
    }

    #[inline]
    pub(crate) fn contains(&self, id: ConnectionId) -> bool {
        self.reason(id).is_some()
    }

    /// There may be room in the storage.
    pub(crate) fn release_for_storage(&mut self) {
        let Self { waiting, in_order, released } = self;
        let mut leaves = |id: &ConnectionId| {
            waiting.get(id) == Some(&WaitsFor::Storage) && waiting.remove(id).is_some()
        };
        released.extend(in_order.drain(..).filter(|id| leaves(id)));
    }

    /// What one connection waits for has come.
    pub(crate) fn release(&mut self, id: ConnectionId) {
        if self.waiting.remove(&id).is_some() {
            self.released.push_back(id);
        }
    }

    /// Whether [`HeldConnections::next_released`] has one.
    pub(crate) fn has_released(&self) -> bool {
        !self.released.is_empty()
    }

    /// The next connection that may go on.
    pub(crate) fn next_released(&mut self) -> Option<ConnectionId> {
        self.released.pop_front()
    }

    /// A connection is gone, or about to be. Whether it was held, or had not gone on yet.
    pub(crate) fn forget(&mut self, id: ConnectionId) -> bool {
        let before = self.released.len();
        self.released.retain(|released| *released != id);
        self.waiting.remove(&id).is_some() || self.released.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn released(held: &mut HeldConnections) -> Vec<ConnectionId> {
        std::iter::from_fn(|| held.next_released()).collect()
    }

    #[test]
    fn many_are_held_and_released_in_their_order() {
        let mut held = HeldConnections::default();
        let id = |index| ConnectionId { index, generation: 1 };
        // Each is looked for before it is held: more than can be gone through one by one.
        for index in 0..200_000 {
            assert!(!held.contains(id(index)));
            held.hold(id(index), WaitsFor::Storage);
            held.hold(id(index), WaitsFor::Storage);
        }
        assert!((0..200_000).all(|index| held.contains(id(index))));
        assert!(!held.contains(ConnectionId { index: 7, generation: 2 }));
        assert!(held.forget(id(3)));
        assert!(!held.contains(id(3)));
        held.release_for_storage();
        assert!(!held.contains(id(0)));
        let released: Vec<u32> = released(&mut held).iter().map(|it| it.index).collect();
        let expected: Vec<u32> = (0..200_000).filter(|it| *it != 3).collect();
        assert_eq!(released, expected);
    }

    #[test]
    fn who_is_held_and_leaves_again_and_again_takes_no_room() {
        let mut held = HeldConnections::default();
        let id = |index, generation| ConnectionId { index, generation };
        held.hold(id(1, 1), WaitsFor::Storage);
        for generation in 0..100_000 {
            held.hold(id(7, generation), WaitsFor::Storage);
            held.forget(id(7, generation));
        }
        held.hold(id(2, 1), WaitsFor::Storage);
        held.hold(id(7, 5), WaitsFor::Storage);
        assert!(held.in_order.len() <= 2 * GONE, "{} places", held.in_order.len());
        held.release_for_storage();
        assert_eq!(released(&mut held), [id(1, 1), id(2, 1), id(7, 5)], "in their order");
    }

    #[test]
    fn room_in_the_storage_releases_nobody_who_has_to_read() {
        let mut held = HeldConnections::default();
        let [stores, reads] = [1, 2].map(|index| ConnectionId { index, generation: 1 });
        held.hold(stores, WaitsFor::Storage);
        held.hold(reads, WaitsFor::Reader);
        held.release_for_storage();
        assert_eq!(released(&mut held), [stores]);
        assert_eq!(held.reason(reads), Some(WaitsFor::Reader));
        held.release(reads);
        held.release(reads);
        assert!(held.has_released() && !held.contains(reads));
        assert!(held.forget(reads), "it has not gone on yet");
        assert!(!held.forget(reads) && !held.has_released());
    }

    #[test]
    fn who_stored_and_then_has_to_read_waits_for_that_alone() {
        let mut held = HeldConnections::default();
        let id = ConnectionId { index: 1, generation: 1 };
        held.hold(id, WaitsFor::Storage);
        held.release_for_storage();
        held.hold(id, WaitsFor::Reader);
        held.release_for_storage();
        assert_eq!(released(&mut held), [id], "once, for the storage");
        assert_eq!(held.reason(id), Some(WaitsFor::Reader));
    }
}
