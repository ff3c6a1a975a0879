//! Strings that are kept once and known by dense numbers.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Strings and their numbers, both ways. The number of a string that is removed is given again.
///
/// The hashes differ from process to process, so that nobody can choose names that collide; nothing
/// is ever listed in their order.
pub(crate) struct Names {
    /// By number; `None` is a number that is free.
    names: Vec<Option<Box<str>>>,
    free: Vec<u32>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Names {
    pub(crate) fn new() -> Self {
        let hasher = RandomState::default();
        Self { names: Vec::new(), free: Vec::new(), numbers: HashTable::new(), hasher }
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        let is_it = |number: &u32| named(&self.names, *number).as_bytes() == name;
        self.numbers.find(self.hasher.hash_one(name), is_it).copied()
    }

    /// Gives a number to a name that has none. Asks for fewer than 2^32 names.
    pub(crate) fn insert(&mut self, name: &str) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.names.push(None);
            u32::try_from(self.names.len() - 1).expect("fewer than 2^32 names")
        });
        self.names[number as usize] = Some(name.into());
        let Self { names, numbers, hasher, .. } = self;
        numbers.insert_unique(hasher.hash_one(name.as_bytes()), number, |number| {
            hasher.hash_one(named(names, *number).as_bytes())
        });
        number
    }

    /// Empty if nothing has the number.
    pub(crate) fn name(&self, number: u32) -> &str {
        named(&self.names, number)
    }

    /// Does nothing if nothing has the number.
    pub(crate) fn remove(&mut self, number: u32) {
        let hash = self.hasher.hash_one(self.name(number).as_bytes());
        if let Ok(entry) = self.numbers.find_entry(hash, |found| *found == number) {
            entry.remove();
            self.names[number as usize] = None;
            self.free.push(number);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

fn named(names: &[Option<Box<str>>], number: u32) -> &str {
    names.get(number as usize).and_then(Option::as_deref).unwrap_or_default()
}
