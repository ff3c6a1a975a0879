//! Deadlines in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a deadline is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// Matches with one interval between updates: the first of them may deliver again.
    Interval(u32),
    /// A client's rate lets it send again.
    Client(u32),
}

/// Deadlines in order. Obsolete ones stay until their time: their owner recognises them.
#[derive(Default)]
pub(crate) struct Deadlines {
    heap: BinaryHeap<Reverse<(u64, Timer)>>,
}

impl Deadlines {
    pub(crate) fn set(&mut self, time: u64, timer: Timer) {
        self.heap.push(Reverse((time, timer)));
    }

    pub(crate) fn next(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((time, _))| *time)
    }

    /// Takes the first deadline that is not after `now`.
    pub(crate) fn take(&mut self, now: u64) -> Option<(u64, Timer)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(deadline)| deadline)
    }
}
