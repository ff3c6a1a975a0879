//! Numbered items with reuse, and lists through them.

use std::ops::{Index, IndexMut};

/// No item.
pub(crate) const NONE: u32 = u32::MAX;

/// Items of a page.
const PAGE: usize = 1 << 10;

/// Pages whose memory is given back at a time: some hundred microseconds.
const GIVEN_BACK: usize = 64;

/// Items by number, in pages with or without memory: no item is ever moved.
pub(crate) struct Pages<T> {
    // Arrays, so that an item within a page needs no check of a length.
    pages: Vec<Option<Box<[T; PAGE]>>>,
    /// Pages with memory.
    filled: usize,
}

impl<T: Default> Pages<T> {
    pub(crate) fn new() -> Self {
        Self { pages: Vec::new(), filled: 0 }
    }

    /// Provides memory for an item, with the others of its page.
    #[inline]
    pub(crate) fn provide(&mut self, item: u32) {
        let page = item as usize / PAGE;
        if self.pages.get(page).is_none_or(Option::is_none) {
            self.fill(page);
        }
    }

    #[cold]
    fn fill(&mut self, page: usize) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let items: Vec<T> = (0..PAGE).map(|_| T::default()).collect();
        self.pages[page] = items.try_into().ok();
        self.filled += 1;
    }

    /// Gives the memory of a page back.
    pub(crate) fn free(&mut self, page: usize) {
        if self.pages.get_mut(page).is_some_and(|page| page.take().is_some()) {
            self.filled -= 1;
        }
    }

    /// The end of the numbers.
    pub(crate) fn end(&self) -> usize {
        self.pages.len() * PAGE
    }

    /// An item, if there is memory for it.
    #[inline]
    pub(crate) fn get(&self, item: u32) -> Option<&T> {
        Some(&self.pages.get(item as usize / PAGE)?.as_ref()?[item as usize % PAGE])
    }

    /// See [`Self::get`].
    #[inline]
    pub(crate) fn get_mut(&mut self, item: u32) -> Option<&mut T> {
        Some(&mut self.pages.get_mut(item as usize / PAGE)?.as_mut()?[item as usize % PAGE])
    }

    /// Items that there is memory for.
    pub(crate) fn capacity(&self) -> usize {
        PAGE * self.filled
    }
}

impl<T> Index<u32> for Pages<T> {
    type Output = T;

    #[inline]
    fn index(&self, item: u32) -> &T {
        let page = self.pages[item as usize / PAGE].as_ref();
        &page.expect("its page has memory")[item as usize % PAGE]
    }
}

impl<T> IndexMut<u32> for Pages<T> {
    #[inline]
    fn index_mut(&mut self, item: u32) -> &mut T {
        let page = self.pages[item as usize / PAGE].as_mut();
        &mut page.expect("its page has memory")[item as usize % PAGE]
    }
}

/// Numbered items in pages. A released item keeps its memory for the next user, until its page has been
/// unused for a while.
pub(crate) struct Pool<T> {
    pages: Pages<T>,
    /// By page.
    free: Vec<Free>,
    /// Pages with free items, or without memory.
    open: Vec<u32>,
    /// Items in use.
    used: usize,
    /// Pages with memory and no item in use.
    unused: usize,
}

/// The free items of a page with memory.
#[derive(Default)]
struct Free {
    items: Vec<u16>,
    /// It was wholly free at the last check, and has been since.
    was_unused: bool,
}

impl<T: Default> Pool<T> {
    pub(crate) fn new() -> Self {
        let (pages, free, open) = (Pages::new(), Vec::new(), Vec::new());
        Self { pages, free, open, used: 0, unused: 0 }
    }

    /// A released item, or a new one.
    pub(crate) fn take(&mut self) -> u32 {
        let page = match self.open.last() {
            Some(page) => *page as usize,
            None => {
                self.free.push(Free::default());
                self.open.push((self.free.len() - 1) as u32);
                self.free.len() - 1
            }
        };
        let free = &mut self.free[page];
        if free.items.is_empty() {
            self.pages.provide((page * PAGE) as u32);
            free.items = (0..PAGE as u16).rev().collect();
        } else if free.items.len() == PAGE {
            (free.was_unused, self.unused) = (false, self.unused - 1);
        }
        let item = free.items.pop().expect("an open page has free items");
        if free.items.is_empty() {
            self.open.pop();
        }
        self.used += 1;
        u32::try_from(page * PAGE + usize::from(item)).expect("limits are below 2^32")
    }

    pub(crate) fn give(&mut self, item: u32) {
        let page = item as usize / PAGE;
        let free = &mut self.free[page].items;
        if free.is_empty() {
            self.open.push(page as u32);
        }
        free.push((item as usize % PAGE) as u16);
        self.unused += usize::from(free.len() == PAGE);
        self.used -= 1;
    }

    /// Items in use.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// An item, if it has memory: a released one may have none.
    #[inline]
    pub(crate) fn get(&self, item: u32) -> Option<&T> {
        self.pages.get(item)
    }

    /// Whether there is unused memory.
    pub(crate) fn has_unused(&self) -> bool {
        self.unused > 0
    }

    /// Gives back the memory of pages that have been unused since the last call. Returns whether there were
    /// any, so that there may be more.
    pub(crate) fn shrink(&mut self) -> bool {
        self.shrink_with(|_| {})
    }

    /// As [`Self::shrink`], and reports the pages that it freed.
    pub(crate) fn shrink_with(&mut self, mut freed: impl FnMut(usize)) -> bool {
        if self.unused == 0 {
            return false;
        }
        let mut left = GIVEN_BACK;
        for (page, free) in self.free.iter_mut().enumerate() {
            if free.items.len() < PAGE || !std::mem::replace(&mut free.was_unused, true) {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            self.pages.free(page);
            *free = Free::default();
            freed(page);
            self.unused -= 1;
        }
        left < GIVEN_BACK
    }

    /// Items with memory.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.pages.capacity()
    }

    /// Bytes of the items with memory.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<T>()
    }
}

impl<T> Index<u32> for Pool<T> {
    type Output = T;

    #[inline]
    fn index(&self, item: u32) -> &T {
        &self.pages[item]
    }
}

impl<T> IndexMut<u32> for Pool<T> {
    #[inline]
    fn index_mut(&mut self, item: u32) -> &mut T {
        &mut self.pages[item]
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

    /// Whether an item of the list is the only one.
    pub(crate) fn is_only(&self, item: u32) -> bool {
        (self.head, self.tail) == (item, item)
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
    fn pages_that_nobody_uses_give_their_memory_back() {
        let mut pool = Pool::<u64>::new();
        let all: Vec<u32> = (0..10 * PAGE as u32).map(|_| pool.take()).collect();
        for item in &all {
            pool[*item] = u64::from(*item);
        }
        // One stays, in the middle.
        let stays = all[5 * PAGE + 7];
        all.iter().filter(|item| **item != stays).for_each(|item| pool.give(*item));
        assert_eq!((pool.len(), pool.capacity()), (1, 10 * PAGE), "it may be needed in a moment");
        pool.shrink();
        assert!(pool.has_unused());
        pool.shrink();
        assert_eq!((pool.capacity(), pool.has_unused()), (PAGE, false));
        assert_eq!(pool[stays], u64::from(stays));
        assert!(all.iter().all(|item| pool.get(*item).is_none_or(|it| *it == u64::from(*item))));
        // Every number is given once.
        let mut again: Vec<u32> = (0..20 * PAGE).map(|_| pool.take()).collect();
        again.push(stays);
        again.sort_unstable();
        again.dedup();
        assert_eq!(again.len(), 20 * PAGE + 1);
        assert!(again.iter().all(|item| pool.get(*item).is_some()));
        again.iter().for_each(|item| pool.give(*item));
        assert!(pool.has_unused());
        again.iter_mut().for_each(|item| *item = pool.take());
        assert!(!pool.has_unused(), "all pages are in use again");
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
