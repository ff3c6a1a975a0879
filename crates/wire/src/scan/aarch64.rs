//! Blocks as NEON registers, which every 64-bit ARM processor has.

use std::arch::aarch64::*;

/// Calls instructions of NEON that touch registers only.
macro_rules! neon {
    ($call:expr) => {
        // SAFETY: this file is compiled for targets with NEON only, and the calls have no other
        // condition: their operands are plain values.
        unsafe { $call }
    };
}

/// Sixteen bytes side by side.
#[derive(Clone, Copy, Debug)]
pub struct Block(uint8x16_t);

/// Which of the sixteen bytes of a [`Block`] passed a test.
#[derive(Clone, Copy, Debug)]
pub struct Mask(uint8x16_t);

impl Block {
    /// The bytes of an array.
    #[inline(always)]
    pub fn load(bytes: &[u8; 16]) -> Self {
        // SAFETY: the reference is valid for reads of 16 bytes, and the load needs no alignment.
        Self(unsafe { vld1q_u8(bytes.as_ptr()) })
    }

    /// The bytes of two words, each from its lowest byte on.
    #[inline(always)]
    pub fn from_words(first: u64, second: u64) -> Self {
        Self(neon!(vcombine_u8(vcreate_u8(first), vcreate_u8(second))))
    }

    /// The bytes as two words, each from its lowest byte on.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        let words = neon!(vreinterpretq_u64_u8(self.0));
        neon!([vgetq_lane_u64::<0>(words), vgetq_lane_u64::<1>(words)])
    }

    /// The sums of bytes in the same place, modulo 256.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self(neon!(vaddq_u8(self.0, other.0)))
    }

    /// The bytes in the same place or-ed together.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        Self(neon!(vorrq_u8(self.0, other.0)))
    }

    /// Which bytes equal `byte`.
    #[inline(always)]
    pub fn eq(self, byte: u8) -> Mask {
        Mask(neon!(vceqq_u8(self.0, vdupq_n_u8(byte))))
    }

    /// Which bytes equal those of the other block.
    #[inline(always)]
    pub fn same(self, other: Self) -> Mask {
        Mask(neon!(vceqq_u8(self.0, other.0)))
    }

    /// Which bytes are below `byte`, without sign.
    #[inline(always)]
    pub fn less_than(self, byte: u8) -> Mask {
        Mask(neon!(vcltq_u8(self.0, vdupq_n_u8(byte))))
    }

    /// The bytes with all the bits of `bits` set in each.
    #[inline(always)]
    pub fn with_bits(self, bits: u8) -> Self {
        Self(neon!(vorrq_u8(self.0, vdupq_n_u8(bits))))
    }
}

impl Mask {
    /// What passed this test or the other.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(neon!(vorrq_u8(self.0, other.0)))
    }

    /// Did exactly `length` bytes, fewer than 16, pass before the first that did not?
    #[inline(always)]
    pub fn is_run(self, length: usize) -> bool {
        let front = u64::MAX.checked_shl(4 * (length as u32 + 1)).unwrap_or(0);
        self.nibbles() & !front == !(u64::MAX << (4 * length))
    }

    /// How many bytes at the front passed, 0..=16.
    #[inline(always)]
    pub fn run(self) -> usize {
        (!self.nibbles()).trailing_zeros() as usize / 4
    }

    /// Whether any byte passed.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.nibbles() != 0
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
        let kept = u64::MAX.checked_shl(4 * from as u32).unwrap_or(0);
        let nibbles = self.nibbles() & kept;
        (nibbles != 0).then(|| nibbles.trailing_zeros() as usize / 4)
    }

    /// One bit for each byte that passed, from the lowest on.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        let ones = self.nibbles() & 0x1111_1111_1111_1111;
        let pairs = (ones | ones >> 3) & 0x0303_0303_0303_0303;
        let fours = (pairs | pairs >> 6) & 0x000f_000f_000f_000f;
        let eights = (fours | fours >> 12) & 0x0000_00ff_0000_00ff;
        (eights | eights >> 24) as u32 & 0xffff
    }

    /// Four equal bits a byte: there is no instruction that gathers one bit of each, but one that
    /// narrows every pair of bytes to the eight bits in its middle.
    #[inline(always)]
    fn nibbles(self) -> u64 {
        let narrow = neon!(vshrn_n_u16::<4>(vreinterpretq_u16_u8(self.0)));
        neon!(vget_lane_u64::<0>(vreinterpret_u64_u8(narrow)))
    }
}
