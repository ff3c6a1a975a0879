//! Items known by number, used again, and lists through them.

use std::ops::{Index, IndexMut};

/// No item.
pub(crate) const NONE: u32 = u32::MAX;

/// Items that are known by number. One that is given back keeps its memory for the next user.
pub(crate) struct Pool<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Default> Pool<T> {
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }

    /// An item as it was given back, or a new one.
    pub(crate) fn take(&mut self) -> u32 {
        if let Some(item) = self.free.pop() {
            return item;
        }
        let item = u32::try_from(self.items.len()).expect("limits are below 2^32");
        self.items.push(T::default());
        item
    }

    pub(crate) fn give(&mut self, item: u32) {
        self.free.push(item);
    }

    /// Items in use.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}

impl<T> Index<u32> for Pool<T> {
    type Output = T;

    #[inline]
    fn index(&self, item: u32) -> &T {
        &self.items[item as usize]
    }
}

impl<T> IndexMut<u32> for Pool<T> {
    #[inline]
    fn index_mut(&mut self, item: u32) -> &mut T {
        &mut self.items[item as usize]
    }
}

/// The neighbours of an item in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    pub(crate) previous: u32,
    pub(crate) next: u32,
}

impl Default for Links {
    fn default() -> Self {
        Self { previous: NONE, next: NONE }
    }
}

/// Items of a pool that can be in lists of kind `KIND`, one at a time.
pub(crate) trait Linked<const KIND: usize>: Default {
    fn links(&mut self) -> &mut Links;
}

/// A list of items of a pool, first in, first out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<const KIND: usize> {
    head: u32,
    tail: u32,
}

impl<const KIND: usize> Default for List<KIND> {
    fn default() -> Self {
        Self { head: NONE, tail: NONE }
    }
}

impl<const KIND: usize> List<KIND> {
    /// The first item, or [`NONE`].
    #[inline]
    pub(crate) fn head(&self) -> u32 {
        self.head
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head == NONE
    }

    pub(crate) fn push_back<T: Linked<KIND>>(&mut self, pool: &mut Pool<T>, item: u32) {
        *pool[item].links() = Links { previous: self.tail, next: NONE };
        match self.tail {
            NONE => self.head = item,
            tail => pool[tail].links().next = item,
        }
        self.tail = item;
    }

    pub(crate) fn remove<T: Linked<KIND>>(&mut self, pool: &mut Pool<T>, item: u32) {
        let Links { previous, next } = std::mem::take(pool[item].links());
        match previous {
            NONE => self.head = next,
            previous => pool[previous].links().next = next,
        }
        match next {
            NONE => self.tail = previous,
            next => pool[next].links().previous = previous,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Linked<0> for Links {
        fn links(&mut self) -> &mut Links {
            self
        }
    }

    fn items(list: &List<0>, pool: &Pool<Links>) -> Vec<u32> {
        let mut items = Vec::new();
        let mut item = list.head();
        while item != NONE {
            items.push(item);
            item = pool[item].next;
        }
        items
    }

    #[test]
    fn items_leave_a_list_in_any_order() {
        let (mut pool, mut list) = (Pool::<Links>::new(), List::<0>::default());
        for _ in 0..4 {
            let item = pool.take();
            list.push_back(&mut pool, item);
        }
        list.remove(&mut pool, 2);
        assert_eq!(items(&list, &pool), [0, 1, 3]);
        list.remove(&mut pool, 0);
        list.remove(&mut pool, 3);
        assert_eq!(items(&list, &pool), [1]);
        list.push_back(&mut pool, 0);
        assert_eq!(items(&list, &pool), [1, 0]);
        list.remove(&mut pool, 1);
        list.remove(&mut pool, 0);
        assert!(list.is_empty());
    }
}
