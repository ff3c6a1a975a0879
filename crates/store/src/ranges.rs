//! Positions as ranges: the done messages of a subscription.

use std::collections::BTreeMap;
use std::ops::Bound;

/// Ranges of positions that neither overlap nor touch: where each begins, and the position behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a range, and merges it with those that it touches.
    pub(crate) fn add(&mut self, mut begin: u64, mut end: u64) {
        if begin >= end {
            return;
        }
        if let Some((first, last)) = self.last_before(begin)
            && last >= begin
        {
            (begin, end) = (first, end.max(last));
        }
        while let Some((first, last)) = self.next_from(begin)
            && first <= end
        {
            self.0.remove(&first);
            end = end.max(last);
        }
        self.0.insert(begin, end);
    }

    /// Whether a new range overlaps or touches another one, and so adds none.
    pub(crate) fn joins(&self, begin: u64, end: u64) -> bool {
        self.last_before(begin).is_some_and(|(_, last)| last >= begin)
            || self.next_from(begin).is_some_and(|(first, _)| first <= end)
    }

    /// Removes the positions from one up to another.
    pub(crate) fn remove(&mut self, begin: u64, end: u64) {
        if begin >= end {
            return;
        }
        if let Some((first, last)) = self.last_before(begin)
            && last > begin
        {
            self.0.insert(first, begin);
            if last > end {
                self.0.insert(end, last);
                return;
            }
        }
        while let Some((first, last)) = self.next_from(begin)
            && first < end
        {
            self.0.remove(&first);
            if last > end {
                self.0.insert(end, last);
            }
        }
    }

    /// The last range that begins before a position.
    fn last_before(&self, position: u64) -> Option<(u64, u64)> {
        self.0.range(..position).next_back().map(|(begin, end)| (*begin, *end))
    }

    fn next_from(&self, position: u64) -> Option<(u64, u64)> {
        self.from(position).next()
    }

    /// Those that begin at a position or behind it.
    pub(crate) fn from(&self, position: u64) -> impl Iterator<Item = (u64, u64)> {
        let from = (Bound::Included(position), Bound::Unbounded);
        self.0.range(from).map(|(begin, end)| (*begin, *end))
    }

    /// Those that reach a position or go behind it.
    pub(crate) fn beyond(&self, position: u64) -> impl Iterator<Item = (u64, u64)> {
        let within = self.last_before(position).filter(|(_, end)| *end > position);
        within.into_iter().chain(self.from(position))
    }

    /// The end of the range that a position is in.
    pub(crate) fn end_at(&self, position: u64) -> Option<u64> {
        let (begin, end) = self.beyond(position).next()?;
        (begin <= position).then_some(end)
    }

    pub(crate) fn pop_first(&mut self) -> Option<(u64, u64)> {
        self.0.pop_first()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_the_set_of_their_positions(
            steps in prop::collection::vec((any::<bool>(), 0u64..60, 0u64..12), 0..60),
        ) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (is_added, begin, length) in steps {
                if is_added {
                    let (joins, before) = (ranges.joins(begin, begin + length), ranges.len());
                    ranges.add(begin, begin + length);
                    prop_assert!(length == 0 || joins == (ranges.len() <= before));
                    set.extend(begin..begin + length);
                } else {
                    ranges.remove(begin, begin + length);
                    set.retain(|it| !(begin..begin + length).contains(it));
                }
                let all: Vec<_> = ranges.from(0).collect();
                prop_assert!(all.iter().all(|(begin, end)| begin < end));
                prop_assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0), "{:?}", all);
                let positions: BTreeSet<u64> = all.iter().flat_map(|it| it.0..it.1).collect();
                prop_assert_eq!(&positions, &set);
                for position in 0..80 {
                    let end = ranges.end_at(position);
                    prop_assert_eq!(end.is_some(), set.contains(&position));
                    prop_assert!(end.is_none_or(|end| !set.contains(&end)));
                    let beyond: Vec<_> = all.iter().copied().filter(|it| it.1 > position).collect();
                    prop_assert_eq!(ranges.beyond(position).collect::<Vec<_>>(), beyond);
                }
            }
        }
    }
}
