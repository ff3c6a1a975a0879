//! Sums over all bytes: the FIX `CheckSum` (tag 10), the sum of a message's bytes modulo 256.

use crate::digits;
use crate::scan::{BLOCK, Block};

/// The sum of `bytes` modulo 256.
#[inline]
pub fn fix_checksum(bytes: &[u8]) -> u8 {
    sum_and_or(bytes).0
}

/// The sum of `bytes` modulo 256, and all of them or-ed together, in one pass.
///
/// The second is below 128 if and only if all bytes are ASCII.
pub fn sum_and_or(bytes: &[u8]) -> (u8, u8) {
    let zero = Block::load(&[0; BLOCK]);
    // Two of each, so that an addition need not wait for the one before.
    let (mut sums, mut ors) = ([zero; 2], [zero; 2]);
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let (pairs, single) = blocks.as_chunks::<2>();
    for pair in pairs {
        for (half, block) in pair.iter().enumerate() {
            let block = Block::load(block);
            sums[half] = sums[half].plus(block);
            ors[half] = ors[half].union(block);
        }
    }
    let (words, rest) = rest.as_chunks::<8>();
    let word = words.first().map_or(0, |word| u64::from_le_bytes(*word));
    // Fewer than eight bytes are left: they fit a word, and zeros do no harm.
    let rest = Block::from_words(word, digits::word(rest));
    let single = single.first().map_or(zero, Block::load);
    let sum = sums[0].plus(sums[1]).plus(rest).plus(single);
    let or = ors[0].union(ors[1]).union(rest).union(single);
    (fold_sum(sum.words()), fold_or(or.words()))
}

/// The sum of 16 bytes modulo 256.
#[inline(always)]
fn fold_sum([low, high]: [u64; 2]) -> u8 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    let pairs = (low & EVEN) + (low >> 8 & EVEN) + (high & EVEN) + (high >> 8 & EVEN);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u8
}

/// 16 bytes or-ed together.
#[inline(always)]
fn fold_or([low, high]: [u64; 2]) -> u8 {
    let word = low | high;
    let half = word as u32 | (word >> 32) as u32;
    let quarter = half as u16 | (half >> 16) as u16;
    quarter as u8 | (quarter >> 8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(bytes: &[u8]) -> (u8, u8) {
        bytes.iter().fold((0, 0), |(sum, or), byte| (byte.wrapping_add(sum), or | byte))
    }

    #[test]
    fn a_known_message() {
        // FIX 4.2 logon, checksum 10=062 as published with the example.
        let message = b"8=FIX.4.2\x019=65\x0135=A\x0149=SERVER\x0156=CLIENT\x0134=177\x01\
            52=20090107-18:15:16\x0198=0\x01108=30\x01";
        assert_eq!(fix_checksum(message), 62);
        assert_eq!(fix_checksum(b""), 0);
        assert_eq!(fix_checksum(&[0xff; 300]), 212);
    }

    proptest! {
        #![proptest_config(crate::testing::config())]

        #[test]
        fn as_byte_by_byte(bytes in proptest::collection::vec(any::<u8>(), 0..200), from in 0usize..40) {
            let bytes = bytes.get(from..).unwrap_or(&bytes);
            prop_assert_eq!(sum_and_or(bytes), plain(bytes));
            prop_assert_eq!(fix_checksum(bytes), plain(bytes).0);
        }
    }
}
