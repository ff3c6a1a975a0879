//! Blocks as SSE2 registers, which every x86-64 processor has.

use std::arch::x86_64::*;

/// Calls instructions of SSE2 that touch registers only.
macro_rules! sse2 {
    ($call:expr) => {
        // SAFETY: SSE2 is part of x86-64, and the calls have no other condition: their operands
        // are plain values.
        unsafe { $call }
    };
}

/// Sixteen bytes side by side.
#[derive(Clone, Copy, Debug)]
pub struct Block(__m128i);

/// Which of the sixteen bytes of a [`Block`] passed a test.
#[derive(Clone, Copy, Debug)]
pub struct Mask(__m128i);

impl Block {
    /// The bytes of an array.
    #[inline(always)]
    pub fn load(bytes: &[u8; 16]) -> Self {
        // SAFETY: the reference is valid for reads of 16 bytes, and `loadu` needs no alignment.
        Self(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    /// The bytes of two words, each from its lowest byte on.
    #[inline(always)]
    pub fn from_words(first: u64, second: u64) -> Self {
        Self(sse2!(_mm_set_epi64x(second.cast_signed(), first.cast_signed())))
    }

    /// The bytes as two words, each from its lowest byte on.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        let high = sse2!(_mm_unpackhi_epi64(self.0, self.0));
        [self.0, high].map(|half| sse2!(_mm_cvtsi128_si64(half)).cast_unsigned())
    }

    /// The sums of bytes in the same place, modulo 256.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self(sse2!(_mm_add_epi8(self.0, other.0)))
    }

    /// The bytes in the same place or-ed together.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        Self(sse2!(_mm_or_si128(self.0, other.0)))
    }

    /// Which bytes equal `byte`.
    #[inline(always)]
    pub fn eq(self, byte: u8) -> Mask {
        Mask(sse2!(_mm_cmpeq_epi8(self.0, splat(byte))))
    }

    /// Which bytes equal those of the other block.
    #[inline(always)]
    pub fn same(self, other: Self) -> Mask {
        Mask(sse2!(_mm_cmpeq_epi8(self.0, other.0)))
    }

    /// Which bytes are below `byte`, without sign.
    #[inline(always)]
    pub fn less_than(self, byte: u8) -> Mask {
        match byte.checked_sub(1) {
            Some(most) => Mask(sse2!(_mm_cmpeq_epi8(_mm_min_epu8(self.0, splat(most)), self.0))),
            None => Mask(sse2!(_mm_setzero_si128())),
        }
    }

    /// The bytes with all the bits of `bits` set in each.
    #[inline(always)]
    pub fn with_bits(self, bits: u8) -> Self {
        Self(sse2!(_mm_or_si128(self.0, splat(bits))))
    }
}

impl Mask {
    /// What passed this test or the other.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(sse2!(_mm_or_si128(self.0, other.0)))
    }

    /// Did exactly `length` bytes, fewer than 16, pass before the first that did not?
    #[inline(always)]
    pub fn is_run(self, length: usize) -> bool {
        let front = 2 << length;
        self.bits() & (front - 1) == (front >> 1) - 1
    }

    /// How many bytes at the front passed, 0..=16.
    #[inline(always)]
    pub fn run(self) -> usize {
        (!self.bits()).trailing_zeros() as usize
    }

    /// Whether any byte passed.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.bits() != 0
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
        let bits = self.bits() >> from << from;
        (bits != 0).then(|| bits.trailing_zeros() as usize)
    }

    /// One bit for each byte that passed, from the lowest on.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        sse2!(_mm_movemask_epi8(self.0)).cast_unsigned()
    }
}

#[inline(always)]
fn splat(byte: u8) -> __m128i {
    sse2!(_mm_set1_epi8(byte.cast_signed()))
}
