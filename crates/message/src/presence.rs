//! Which fields of a wide, sparse struct are set.

/// One bit for each field of a struct, `N` words of 64.
///
/// A market data entry has some 70 optional fields of which a dozen are set. With a bit each, a
/// decoder clears them all by two stores and an encoder visits only what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence<const N: usize>([u64; N]);

impl<const N: usize> Default for Presence<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Presence<N> {
    /// How many fields it has room for.
    pub const CAPACITY: usize = 64 * N;

    /// Is the field set?
    #[inline]
    pub fn contains(&self, field: usize) -> bool {
        self.0[field / 64] >> (field % 64) & 1 != 0
    }

    /// Marks the field as set.
    #[inline]
    pub fn insert(&mut self, field: usize) {
        self.0[field / 64] |= 1 << (field % 64);
    }

    /// Marks the field as not set.
    #[inline]
    pub fn remove(&mut self, field: usize) {
        self.0[field / 64] &= !(1 << (field % 64));
    }

    /// Marks all as not set.
    #[inline]
    pub fn clear(&mut self) {
        self.0 = [0; N];
    }

    /// The fields set among `start..end`, ascending.
    #[inline]
    pub fn iter(&self, start: usize, end: usize) -> Ones<'_> {
        Ones::new(&self.0, start, end)
    }
}

/// A bit for each of as many fields as a scope has; those of most scopes take no memory elsewhere.
#[derive(Clone, Debug)]
pub(crate) enum Bits {
    Here([u64; 2]),
    Elsewhere(Box<[u64]>),
}

impl Bits {
    pub(crate) fn new(fields: usize) -> Self {
        match fields.div_ceil(64) {
            ..=2 => Self::Here([0; 2]),
            words => Self::Elsewhere(vec![0; words].into()),
        }
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        match self {
            Self::Here(words) => words,
            Self::Elsewhere(words) => words,
        }
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Here(words) => words,
            Self::Elsewhere(words) => words,
        }
    }

    #[inline]
    pub(crate) fn contains(&self, field: usize) -> bool {
        self.words().get(field / 64).is_some_and(|word| word >> (field % 64) & 1 != 0)
    }

    #[inline]
    pub(crate) fn insert(&mut self, field: usize) {
        self.words_mut()[field / 64] |= 1 << (field % 64);
    }

    pub(crate) fn remove(&mut self, field: usize) {
        self.words_mut()[field / 64] &= !(1 << (field % 64));
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.words_mut().fill(0);
    }
}

/// Positions of the bits set in some words, ascending.
#[derive(Clone, Debug)]
pub struct Ones<'a> {
    words: &'a [u64],
    word: usize,
    bits: u64,
    end: usize,
}

impl<'a> Ones<'a> {
    #[inline]
    pub(crate) fn new(words: &'a [u64], start: usize, end: usize) -> Self {
        let word = start / 64;
        let bits = words.get(word).map_or(0, |bits| bits & (u64::MAX << (start % 64)));
        Self { words, word, bits, end }
    }
}

impl Iterator for Ones<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.word += 1;
            if self.word * 64 >= self.end {
                return None;
            }
            self.bits = *self.words.get(self.word)?;
        }
        let index = self.word * 64 + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        (index < self.end).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_what_is_set_within_the_range() {
        let mut presence = Presence::<3>::default();
        for field in [0, 5, 63, 64, 100, 190] {
            presence.insert(field);
        }
        assert_eq!(presence.iter(0, 192).collect::<Vec<_>>(), [0, 5, 63, 64, 100, 190]);
        assert_eq!(presence.iter(5, 100).collect::<Vec<_>>(), [5, 63, 64]);
        assert_eq!(presence.iter(101, 190).collect::<Vec<_>>(), [0usize; 0]);
        presence.remove(63);
        assert!(!presence.contains(63) && presence.contains(64));
    }
}
