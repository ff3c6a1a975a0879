//! Sums over all bytes: the FIX `CheckSum` (tag 10), the sum of a message's bytes modulo 256.

/// Bytes that are summed side by side: one vector register of the baseline instruction set.
const LANES: usize = 16;

/// The sum of `bytes` modulo 256.
#[inline]
pub fn fix_checksum(bytes: &[u8]) -> u8 {
    sum_and_or(bytes).0
}

/// The sum of `bytes` modulo 256, and all of them or-ed together, in one pass.
///
/// The second is below 128 if and only if all bytes are ASCII.
pub fn sum_and_or(bytes: &[u8]) -> (u8, u8) {
    let (mut sums, mut ors) = ([[0u8; LANES]; 2], [[0u8; LANES]; 2]);
    let (pairs, rest) = bytes.as_chunks::<{ 2 * LANES }>();
    for pair in pairs {
        for half in 0..2 {
            for lane in 0..LANES {
                let byte = pair[half * LANES + lane];
                sums[half][lane] = sums[half][lane].wrapping_add(byte);
                ors[half][lane] |= byte;
            }
        }
    }
    let mut sum = [0u8; LANES];
    let mut or = [0u8; LANES];
    for lane in 0..LANES {
        sum[lane] = sums[0][lane].wrapping_add(sums[1][lane]);
        or[lane] = ors[0][lane] | ors[1][lane];
    }
    let (blocks, rest) = rest.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            sum[lane] = sum[lane].wrapping_add(block[lane]);
            or[lane] |= block[lane];
        }
    }
    let (sum, or) = (fold_sum(u128::from_le_bytes(sum)), fold_or(u128::from_le_bytes(or)));
    let (words, rest) = rest.as_chunks::<8>();
    let word = words.first().map_or(0, |word| u64::from_le_bytes(*word));
    // Fewer than eight bytes are left: they fit a word, and zeros do no harm.
    let tail = crate::digits::word(rest);
    let words = u128::from(word) | u128::from(tail) << 64;
    (sum.wrapping_add(fold_sum(words)), or | fold_or(words))
}

/// The sum of 16 bytes modulo 256.
#[inline(always)]
fn fold_sum(bytes: u128) -> u8 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    let (low, high) = (bytes as u64, (bytes >> 64) as u64);
    let pairs = (low & EVEN) + (low >> 8 & EVEN) + (high & EVEN) + (high >> 8 & EVEN);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u8
}

/// 16 bytes or-ed together.
#[inline(always)]
fn fold_or(bytes: u128) -> u8 {
    let word = bytes as u64 | (bytes >> 64) as u64;
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
