//! Blocks in plain code, for processors without a version of their own, and as the measure of
//! the others in the tests.

/// Sixteen bytes side by side.
#[derive(Clone, Copy, Debug)]
pub struct Block([u8; 16]);

/// Which of the sixteen bytes of a [`Block`] passed a test: one bit each, the first lowest.
#[derive(Clone, Copy, Debug)]
pub struct Mask(u32);

impl Block {
    /// The bytes of an array.
    #[inline(always)]
    pub fn load(bytes: &[u8; 16]) -> Self {
        Self(*bytes)
    }

    /// The bytes of two words, each from its lowest byte on.
    #[inline(always)]
    pub fn from_words(first: u64, second: u64) -> Self {
        Self((u128::from(first) | u128::from(second) << 64).to_le_bytes())
    }

    /// The bytes as two words, each from its lowest byte on.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        let bytes = u128::from_le_bytes(self.0);
        [bytes as u64, (bytes >> 64) as u64]
    }

    /// The sums of bytes in the same place, modulo 256.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at].wrapping_add(other.0[at])))
    }

    /// The bytes in the same place or-ed together.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Which bytes equal `byte`.
    #[inline(always)]
    pub fn eq(self, byte: u8) -> Mask {
        self.test(|other| other == byte)
    }

    /// Which bytes equal those of the other block.
    #[inline(always)]
    pub fn same(self, other: Self) -> Mask {
        let bits = self.0.into_iter().zip(other.0).rev();
        Mask(bits.fold(0, |bits, (left, right)| bits << 1 | u32::from(left == right)))
    }

    /// Which bytes are below `byte`, without sign.
    #[inline(always)]
    pub fn less_than(self, byte: u8) -> Mask {
        self.test(|other| other < byte)
    }

    /// The bytes with all the bits of `bits` set in each.
    #[inline(always)]
    pub fn with_bits(self, bits: u8) -> Self {
        Self(self.0.map(|byte| byte | bits))
    }

    #[inline(always)]
    fn test(self, passes: impl Fn(u8) -> bool) -> Mask {
        let bits = self.0.into_iter().rev();
        Mask(bits.fold(0, |bits, byte| bits << 1 | u32::from(passes(byte))))
    }
}

impl Mask {
    /// What passed this test or the other.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Did exactly `length` bytes, fewer than 16, pass before the first that did not?
    #[inline(always)]
    pub fn is_run(self, length: usize) -> bool {
        self.run() == length
    }

    /// How many bytes at the front passed, 0..=16.
    #[inline(always)]
    pub fn run(self) -> usize {
        (!self.0).trailing_zeros() as usize
    }

    /// Whether any byte passed.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Position of the first byte that passed.
    #[inline(always)]
    pub fn first(self) -> Option<usize> {
        self.first_from(0)
    }

    /// Position of the first byte that passed, or `other` if none did.
    #[inline(always)]
    pub fn first_or(self, other: usize) -> usize {
        self.first().unwrap_or(other)
    }

    /// Position of the first byte at or after `from` (0..=16) that passed.
    #[inline(always)]
    pub fn first_from(self, from: usize) -> Option<usize> {
        let bits = self.0 >> from << from;
        (bits != 0).then(|| bits.trailing_zeros() as usize)
    }

    /// One bit for each byte that passed, from the lowest on.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0
    }
}
