//! A hash table that moves few items at a time.

use hashbrown::HashTable;

/// Tables that one consists of.
const TABLES: usize = 1 << 10;

/// Items that are moved at a time: some hundred microseconds.
const MOVED: usize = 1 << 12;

/// With so few items, giving memory back is not worth it.
const SMALL: usize = 64;

/// Items by hash, in many small tables: growth and shrinking of one hold up nobody.
pub(crate) struct Tables<T> {
    tables: Box<[HashTable<T>]>,
    len: usize,
    /// The most items since memory was given back.
    most: usize,
    /// The next table to give memory back; 0 while none is.
    next: usize,
}

/// The table for a hash. Tables themselves go by its lowest and highest bits.
#[inline]
fn table_of(hash: u64) -> usize {
    (hash >> 32) as usize % TABLES
}

impl<T> Tables<T> {
    pub(crate) fn new() -> Self {
        let tables = (0..TABLES).map(|_| HashTable::new()).collect();
        Self { tables, len: 0, most: 0, next: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&T> {
        self.tables[table_of(hash)].find(hash, is_it)
    }

    pub(crate) fn find_mut(&mut self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&mut T> {
        self.tables[table_of(hash)].find_mut(hash, is_it)
    }

    /// Adds an item that is not there.
    pub(crate) fn insert(&mut self, hash: u64, item: T, hash_of: impl Fn(&T) -> u64) {
        self.tables[table_of(hash)].insert_unique(hash, item, hash_of);
        self.len += 1;
        self.most = self.most.max(self.len);
    }

    pub(crate) fn remove(&mut self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<T> {
        let entry = self.tables[table_of(hash)].find_entry(hash, is_it).ok()?;
        self.len -= 1;
        Some(entry.remove().0)
    }

    /// Whether there is room for many times the items.
    pub(crate) fn has_unused(&self) -> bool {
        self.next > 0 || self.most >= SMALL && self.len <= self.most / 4
    }

    /// Gives back some unused memory; returns whether there was any, so that there may be more.
    pub(crate) fn shrink(&mut self, hash_of: impl Fn(&T) -> u64) -> bool {
        if !self.has_unused() {
            return false;
        }
        let mut moved = 0;
        while self.next < TABLES && moved < MOVED {
            let table = &mut self.tables[self.next];
            // Checking one costs something, too.
            moved += table.len() + 8;
            table.shrink_to_fit(&hash_of);
            self.next += 1;
        }
        if self.next == TABLES {
            (self.next, self.most) = (0, self.len);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use foldhash::fast::FixedState;
    use std::hash::BuildHasher as _;

    use super::*;

    fn hash(item: &u32) -> u64 {
        FixedState::with_seed(7).hash_one(*item)
    }

    fn sizes(tables: &Tables<u32>) -> Vec<usize> {
        tables.tables.iter().map(HashTable::allocation_size).collect()
    }

    /// Gives back all that there is to give back; in how many goes.
    fn shrink(tables: &mut Tables<u32>) -> usize {
        for calls in 0.. {
            if !tables.has_unused() {
                return calls;
            }
            let before = sizes(tables);
            tables.shrink(hash);
            let after = sizes(tables);
            let changed = before.iter().zip(&after).zip(&tables.tables);
            let changed = changed.filter(|((before, after), _)| before != after);
            assert!(changed.map(|(_, table)| table.len()).sum::<usize>() <= 2 * MOVED);
        }
        unreachable!("it comes to an end")
    }

    #[test]
    fn memory_goes_back_a_little_at_a_time() {
        let (mut tables, count) = (Tables::new(), 200_000);
        (0..count).for_each(|item| tables.insert(hash(&item), item, hash));
        let full: usize = sizes(&tables).iter().sum();
        let most = tables.tables.iter().map(HashTable::len).max();
        assert!(most < Some(400), "none is large: {most:?}");
        for item in (0..count).filter(|item| item % 8 > 0) {
            assert_eq!(tables.remove(hash(&item), |it| *it == item), Some(item));
            assert_eq!(tables.remove(hash(&item), |it| *it == item), None);
        }
        assert!(shrink(&mut tables) > 5);
        assert!(sizes(&tables).iter().sum::<usize>() <= full / 2);
        for item in 0..count {
            let found = tables.find(hash(&item), |it| *it == item);
            assert_eq!(found, Some(&item).filter(|item| *item % 8 == 0));
        }
        for item in (0..count).filter(|item| item % 8 == 0) {
            tables.remove(hash(&item), |it| *it == item);
        }
        shrink(&mut tables);
        assert_eq!((tables.len(), sizes(&tables).iter().sum()), (0, 0_usize));
    }
}
