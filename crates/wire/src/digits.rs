//! Decimal digits, eight to a machine word.
//!
//! A word holds text in reading order from its lowest byte. For reading, the text is aligned to
//! the top of the word, so that missing digits become leading zeros:
//!
//! ```text
//! byte    0   1   2   3   4   5   6   7
//! word    0   0   0   0   0  '1' '2' '3'
//! ```

/// Powers of ten that fit a `u64`.
pub(crate) const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut index = 1;
    while index < 20 {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// At most eight bytes as a word, aligned to its top; zeros below.
#[inline(always)]
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let shift = 64u32.wrapping_sub(8 * bytes.len() as u32);
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let first = u64::from(u32::from_le_bytes(*first));
        let last = u64::from(u32::from_le_bytes(*last));
        return first.wrapping_shl(shift) | last << 32;
    }
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return 0 };
    // Of one to three bytes these are all, each in its place, some perhaps twice.
    let middle = bytes.len() / 2;
    u64::from(first) << shift
        | u64::from(bytes[middle]) << (shift as usize + 8 * middle)
        | u64::from(last) << 56
}

/// At most eight characters as digits, aligned to the top of a word: 0..=9 where there is a digit,
/// zeros below. No characters at all give a word that is no number.
#[inline(always)]
pub(crate) fn digits(bytes: &[u8]) -> u64 {
    // For no bytes the shift wraps round to nothing, and the zero bytes are none.
    word(bytes) ^ ZEROS.wrapping_shl(64u32.wrapping_sub(8 * bytes.len() as u32))
}

/// As [`digits`] for the `length` (1..=8) characters before `end`, read with one load.
///
/// `None` if fewer than eight bytes stand before `end`.
#[inline(always)]
pub(crate) fn digits_before(source: &[u8], end: usize, length: usize) -> Option<u64> {
    let block = source.get(end.wrapping_sub(8)..end)?.first_chunk()?;
    let others = 64u32.wrapping_sub(8 * length as u32);
    let digits = u64::from_le_bytes(*block) ^ ZEROS;
    Some(digits.wrapping_shr(others).wrapping_shl(others))
}

/// The number of eight digits, the most significant in the lowest byte; `None` if one of them is
/// not 0..=9.
#[inline(always)]
pub(crate) fn number(digits: u64) -> Option<u64> {
    are_digits(digits).then(|| join(digits))
}

/// Whether every byte is 0..=9.
#[inline(always)]
pub(crate) fn are_digits(digits: u64) -> bool {
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 == 0
}

/// The number of eight digits 0..=9, the most significant in the lowest byte.
#[inline(always)]
pub(crate) fn join(digits: u64) -> u64 {
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & PAIRS).wrapping_mul(100 + (1_000_000 << 32));
    let low = (pairs >> 16 & PAIRS).wrapping_mul(1 + (10_000 << 32));
    high.wrapping_add(low) >> 32
}

/// The eight digits 0..=9 of a number below 10^8, the most significant in the lowest byte.
#[inline(always)]
pub(crate) fn split(number: u32) -> u64 {
    debug_assert!(number < 100_000_000);
    // Twice the same step on ever narrower lanes: fours, pairs, single digits.
    let (high, low) = (number / 10_000, number % 10_000);
    let fours = u64::from(high) | u64::from(low) << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    split_pairs(pairs, 0x000f_000f_000f_000f)
}

/// The digits of numbers below 100, each at the lowest bit of its lane of 16 bits or more; the
/// tens come in the lower byte. `lanes` has four bits set where each lane starts.
#[inline(always)]
pub(crate) fn split_pairs(pairs: u64, lanes: u64) -> u64 {
    let tens = (pairs * 103) >> 10 & lanes;
    tens | (pairs - tens * 10) << 8
}

/// Digits 0..=9 as text.
#[inline(always)]
pub(crate) fn text(digits: u64) -> u64 {
    digits | ZEROS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_and_join_are_inverse() {
        for number in (0..100_000_000u32).step_by(9_973).chain(0..20_000).chain([99_999_999]) {
            let text = text(split(number)).to_le_bytes();
            assert_eq!(str::from_utf8(&text).unwrap(), format!("{number:08}"));
            assert_eq!(join(split(number)), u64::from(number));
        }
    }

    #[test]
    fn words_hold_all_bytes_at_the_top() {
        let source = b"abcdefghijklmnop";
        for length in 1..=8 {
            let mut expected = [0; 8];
            expected[8 - length..].copy_from_slice(&source[16 - length..]);
            assert_eq!(word(&source[16 - length..]).to_le_bytes(), expected);
            let read = digits_before(source, 16, length);
            assert_eq!(read, Some(digits(&source[16 - length..])));
        }
        assert_eq!(word(b""), 0);
        assert_eq!(digits_before(source, 7, 3), None);
        assert_eq!(digits_before(source, 17, 3), None);
    }

    #[test]
    fn only_digits_are_a_number() {
        for byte in 0..=255u8 {
            let expected = byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
            assert_eq!(number(digits(&[byte])), expected);
            for at in 0..8 {
                let mut text = *b"12345678";
                text[at] = byte;
                let expected = str::from_utf8(&text).ok().filter(|text| !text.starts_with('+'));
                let expected = expected.and_then(|text| text.parse().ok());
                assert_eq!(number(digits(&text)), expected);
            }
        }
        assert_eq!(number(digits(b"")), None);
    }
}
