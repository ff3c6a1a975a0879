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
    /// What it wants of messages has been held against the schema.
    Check,
    /// Others have had their turn: it has made much work at once.
    Turn,
}

/// The maximum number of closed connections with a place among those that wait for the storage, or as many
/// as are held.
const GONE: usize = 1_024;

/// Connections that are held, each for one reason at a time, and those that may go on.
#[derive(Debug, Default)]
pub(crate) struct HeldConnections {
    waiting: HashMap<ConnectionId, WaitsFor>,
    /// Those that wait for the storage, in the order in which they came; some may be gone.
    in_order: VecDeque<ConnectionId>,
    /// There may be room in the storage for the first of them.
    has_room: bool,
    /// A message had no room since all of them had gone on: what is to be stored queues behind them.
    is_full: bool,
    /// Those that go on in the next turn.
    next_turn: Vec<ConnectionId>,
    /// Those that may go on, before those that wait for the storage.
    released: VecDeque<ConnectionId>,
    /// The one that goes on now, and queues behind nobody.
    current: Option<ConnectionId>,
}

impl HeldConnections {
    /// Nothing is to be taken from a connection until what it waits for has come.
    pub(crate) fn hold(&mut self, id: ConnectionId, waits_for: WaitsFor) {
        if self.contains(id) {
            return;
        }
        self.waiting.insert(id, waits_for);
        match waits_for {
            WaitsFor::Reader | WaitsFor::Login | WaitsFor::Check => {}
            WaitsFor::Turn => self.next_turn.push(id),
            WaitsFor::Storage => {
                self.has_room = false;
                self.queue(id);
            }
        }
    }

    /// A connection has a message for which there is no room.
    pub(crate) fn hold_message(&mut self, id: ConnectionId) {
        self.is_full = true;
        self.hold(id, WaitsFor::Storage);
    }

    /// Whether a connection that wants to store has to wait behind others; it does then. Otherwise those that
    /// store at once would take the room from those that wait.
    #[inline]
    pub(crate) fn is_behind(&mut self, id: ConnectionId) -> bool {
        let is_behind = self.is_full && self.current != Some(id) && !self.in_order.is_empty();
        if is_behind && !self.contains(id) {
            self.waiting.insert(id, WaitsFor::Storage);
            self.queue(id);
        }
        is_behind
    }

    fn queue(&mut self, id: ConnectionId) {
        // The places of closed connections are removed when they are as many as those of open ones.
        if self.in_order.len() >= 2 * self.waiting.len() + GONE {
            let (waiting, mut seen) = (&self.waiting, HashSet::new());
            self.in_order.retain(|it| *it != id && waiting.contains_key(it) && seen.insert(*it));
        }
        self.in_order.push_back(id);
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

    /// There may be room in the storage. Those that wait for it go on one by one, until one finds none.
    pub(crate) fn release_for_storage(&mut self) {
        self.has_room = true;
    }

    /// What one connection waits for has come.
    pub(crate) fn release(&mut self, id: ConnectionId) {
        if self.waiting.remove(&id).is_some() {
            self.released.push_back(id);
        }
    }

    /// A turn begins.
    pub(crate) fn begin_turn(&mut self) {
        let Self { waiting, next_turn, released, .. } = self;
        let mut goes_on = |id: &ConnectionId| {
            waiting.get(id) == Some(&WaitsFor::Turn) && waiting.remove(id).is_some()
        };
        released.extend(next_turn.drain(..).filter(|id| goes_on(id)));
    }

    /// Whether [`HeldConnections::next_released`] has one now, or in the next turn.
    pub(crate) fn has_released(&self) -> bool {
        !self.released.is_empty()
            || !self.next_turn.is_empty()
            || self.has_room && !self.in_order.is_empty()
    }

    /// The next connection that may go on.
    pub(crate) fn next_released(&mut self) -> Option<ConnectionId> {
        self.current = self.released.pop_front().or_else(|| self.next_with_room());
        self.current
    }

    fn next_with_room(&mut self) -> Option<ConnectionId> {
        while self.has_room {
            let Some(id) = self.in_order.pop_front() else {
                self.is_full = false;
                return None;
            };
            if self.waiting.get(&id) == Some(&WaitsFor::Storage) {
                self.waiting.remove(&id);
                return Some(id);
            }
        }
        None
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
        assert_eq!(held.next_released(), Some(id(0)));
        assert!(!held.contains(id(0)) && held.contains(id(1)));
        let released: Vec<u32> =
            [0].into_iter().chain(released(&mut held).iter().map(|it| it.index)).collect();
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
    fn who_stores_queues_behind_those_that_wait() {
        let mut held = HeldConnections::default();
        let [first, second, third] = [1, 2, 3].map(|index| ConnectionId { index, generation: 1 });
        assert!(!held.is_behind(first));
        held.hold_message(first);
        held.hold_message(second);
        assert!(held.is_behind(third) && held.contains(third), "though there be room now");
        assert!(!held.has_released());
        held.release_for_storage();
        assert_eq!(held.next_released(), Some(first));
        assert!(!held.is_behind(first), "it goes on");
        // There is no room for a second message of it.
        held.hold_message(first);
        assert_eq!(held.next_released(), None);
        assert!(!held.has_released() && held.contains(second));
        held.release_for_storage();
        assert_eq!(released(&mut held), [second, third, first]);
        assert!(!held.is_behind(third), "nobody waits any more");
    }

    #[test]
    fn one_that_waits_for_something_else_keeps_nobody_from_storing() {
        let mut held = HeldConnections::default();
        let [names, stores] = [1, 2].map(|index| ConnectionId { index, generation: 1 });
        held.hold(names, WaitsFor::Storage);
        assert!(!held.is_behind(stores) && !held.contains(stores));
    }

    #[test]
    fn who_makes_much_work_goes_on_in_the_next_turn() {
        let mut held = HeldConnections::default();
        let [busy, gone] = [1, 2].map(|index| ConnectionId { index, generation: 1 });
        held.hold(busy, WaitsFor::Turn);
        held.hold(gone, WaitsFor::Turn);
        assert!(held.has_released(), "the loop does not sleep");
        assert_eq!(held.next_released(), None, "not in this turn");
        assert!(held.forget(gone));
        held.begin_turn();
        assert_eq!(released(&mut held), [busy]);
        assert!(!held.has_released());
    }

    #[test]
    fn who_stored_and_then_has_to_read_waits_for_that_alone() {
        let mut held = HeldConnections::default();
        let id = ConnectionId { index: 1, generation: 1 };
        held.hold(id, WaitsFor::Storage);
        held.release_for_storage();
        assert_eq!(held.next_released(), Some(id));
        held.hold(id, WaitsFor::Reader);
        held.release_for_storage();
        assert_eq!(released(&mut held), []);
        assert_eq!(held.reason(id), Some(WaitsFor::Reader));
    }
}
