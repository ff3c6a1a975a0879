//! A repeating group that keeps its entries' memory from message to message.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::{FieldValue, Fields};

/// Bytes of memory that are taken on a mere statement of how many entries follow.
const RESERVED: usize = 64 << 10;

/// So many entries of a stated count as fit into [`RESERVED`], but one at least.
pub(crate) fn within_reason<T>(count: usize) -> usize {
    count.min((RESERVED / size_of::<T>().max(1)).max(1))
}

/// The entries of a repeating group; a slice to the reader.
///
/// Clearing keeps the entries, so that the next message is decoded into memory that is already
/// there and nothing is dropped or allocated in steady state.
pub struct Group<T> {
    entries: Vec<T>,
    live: usize,
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), live: 0 }
    }
}

impl<T: Clone> Clone for Group<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T> Group<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        self.entries.truncate(self.live);
        self.entries.push(entry);
        self.live += 1;
    }

    /// Removes all entries; their memory stays.
    #[inline]
    pub fn clear(&mut self) {
        self.live = 0;
    }

    /// Makes room for so many entries in one step, but takes no more than 64 KiB for it: the count
    /// may be what a hostile message states.
    #[inline]
    pub fn reserve(&mut self, count: usize) {
        let missing = within_reason::<T>(count).saturating_sub(self.entries.len());
        self.entries.reserve_exact(missing);
    }
}

impl<T: Fields> Group<T> {
    /// Adds an entry with no field set, in the memory of an earlier one where there is one, else
    /// made by `make`.
    #[inline]
    pub fn next_entry_with(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if self.live == self.entries.len() {
            self.entries.push(make());
        } else {
            self.entries[self.live].clear();
        }
        self.live += 1;
        &mut self.entries[self.live - 1]
    }
}

impl<T> Deref for Group<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.entries[..self.live]
    }
}

impl<T> DerefMut for Group<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.entries[..self.live]
    }
}

impl<T: PartialEq> PartialEq for Group<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Group<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> From<Vec<T>> for Group<T> {
    fn from(entries: Vec<T>) -> Self {
        Self { live: entries.len(), entries }
    }
}

impl<T> FromIterator<T> for Group<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<'a, T> IntoIterator for &'a Group<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Where a decoder puts the entries of a group: a [`Group`] of structs, or of records.
pub trait Entries {
    /// One entry.
    type Entry: Fields;

    /// Removes all entries.
    fn clear(&mut self);

    /// How many there are.
    fn count(&self) -> usize;

    /// Makes room, within reason, for as many entries as are likely to come.
    fn reserve(&mut self, count: usize);

    /// Adds an entry with no field set.
    fn next_entry(&mut self) -> &mut Self::Entry;
}

impl<T: Fields + FieldValue> Entries for Group<T> {
    type Entry = T;

    #[inline]
    fn clear(&mut self) {
        Group::clear(self);
    }

    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn reserve(&mut self, count: usize) {
        Group::reserve(self, count);
    }

    #[inline]
    fn next_entry(&mut self) -> &mut T {
        self.next_entry_with(T::empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_for_what_is_stated_within_64_kib() {
        let mut group: Group<[u8; 1000]> = Group::default();
        group.reserve(10);
        assert_eq!(group.entries.capacity(), 10);
        group.reserve(usize::MAX);
        assert_eq!(group.entries.capacity(), 65);
        let mut large: Group<[u8; 100_000]> = Group::default();
        large.reserve(usize::MAX);
        assert_eq!(large.entries.capacity(), 1);
    }
}
