//! A hash index over a list that its owner keeps, for lists that grow too long to walk.

use std::hash::{BuildHasher, Hash, RandomState};

const EMPTY: u32 = u32::MAX;

/// Finds positions in a list by a hash of the items, in near-constant time whatever the items are:
/// the hash is keyed at random, so nobody can prepare collisions.
#[derive(Debug, Default)]
pub(crate) struct Index<H = RandomState> {
    /// Pairs of the hash's low half and the position; the length is zero or a power of two.
    slots: Vec<(u32, u32)>,
    used: usize,
    hasher: H,
}

impl<H: Clone> Clone for Index<H> {
    fn clone(&self) -> Self {
        Self { slots: self.slots.clone(), used: self.used, hasher: self.hasher.clone() }
    }

    /// Keeps the memory, where the derived one would not.
    fn clone_from(&mut self, source: &Self) {
        self.slots.clone_from(&source.slots);
        self.used = source.used;
        self.hasher.clone_from(&source.hasher);
    }
}

impl<H: BuildHasher> Index<H> {
    /// Forgets everything and makes room for `items`, in time proportional to `items`.
    pub(crate) fn reset(&mut self, items: usize) {
        self.used = 0;
        self.slots.clear();
        if items > 0 {
            self.slots.resize((items * 2).next_power_of_two(), (0, EMPTY));
        }
    }

    pub(crate) fn hash(&self, item: impl Hash) -> u64 {
        self.hasher.hash_one(item)
    }

    /// The position of the item with this hash for which `equal` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u64, equal: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (_, EMPTY) => return None,
                (low, position) if low == hash as u32 && equal(position) => return Some(position),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Adds the position of an item that is not in the index.
    pub(crate) fn insert(&mut self, hash: u64, position: u32) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        self.place(hash as u32, position);
        self.used += 1;
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, EMPTY); size]);
        for (low, position) in old {
            if position != EMPTY {
                self.place(low, position);
            }
        }
    }

    fn place(&mut self, low: u32, position: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = low as usize & mask;
        while self.slots[slot].1 != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (low, position);
    }
}
