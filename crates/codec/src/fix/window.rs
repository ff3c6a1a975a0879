//! A table over numbers that lie close together, as the tags of a group and codes of one byte do.

/// For each number of a range an entry, 0 for none: one load, and no more memory than the numbers
/// that are there need.
#[derive(Debug, Default)]
pub(super) struct Window {
    lowest: u32,
    entries: Box<[u16]>,
}

impl Window {
    /// As wide as the table is at most.
    const WIDEST: u32 = 2048;

    /// The entries of these numbers, as far as they lie within the widest range from the lowest; a
    /// later one goes in place of an earlier one.
    pub(super) fn new(entries: &[(u32, u16)]) -> Self {
        let lowest = entries.iter().map(|(number, _)| *number).min().unwrap_or(0);
        let near = entries.iter().map(|(number, entry)| (number - lowest, *entry));
        let near = near.filter(|(at, _)| *at < Self::WIDEST);
        let width = near.clone().map(|(at, _)| at + 1).max().unwrap_or(0);
        let mut table = vec![0; width as usize];
        near.for_each(|(at, entry)| table[at as usize] = entry);
        Self { lowest, entries: table.into() }
    }

    /// The entry of a number; None if it is out of the range.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<u16> {
        self.entries.get(number.wrapping_sub(self.lowest) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_wide_as_its_numbers_need() {
        let window = Window::new(&[(300, 1), (270, 2), (300, 3)]);
        assert_eq!(window.entries.len(), 31);
        let found = [269, 270, 271, 300, 301, u32::MAX].map(|it| window.get(it));
        assert_eq!(found, [None, Some(2), Some(0), Some(3), None, None]);
        let far = Window::new(&[(5000, 1), (7048, 2), (7047, 3)]);
        assert_eq!([5000, 7047, 7048].map(|it| far.get(it)), [Some(1), Some(3), None]);
        assert_eq!(Window::new(&[]).get(0), None);
    }
}
