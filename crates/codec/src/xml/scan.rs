//! Byte classes and the scans over them. Every scan has a plain twin, which is its specification.

/// May begin a name (without the colon).
pub(super) const NAME_START: u8 = 1;
/// May continue a name (without the colon).
pub(super) const NAME: u8 = 2;
/// Space, tab, line feed, carriage return.
pub(super) const WHITE: u8 = 4;
/// Text must be looked at here: `<`, `&`, `]`, carriage return, forbidden characters.
const TEXT_STOP: u8 = 8;
/// An attribute value must be looked at here: quotes, `<`, `&`, every control character.
const VALUE_STOP: u8 = 16;
/// A control character that XML forbids (section 2.2).
const FORBIDDEN: u8 = 32;

/// The classes of each byte. Bytes from 0x80 on have none; names look at whole characters there.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 128 {
        let byte = code as u8;
        let mut class = 0;
        if byte.is_ascii_alphabetic() || byte == b'_' {
            class |= NAME_START | NAME;
        }
        if byte.is_ascii_digit() || byte == b'-' || byte == b'.' {
            class |= NAME;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            class |= WHITE;
        }
        if byte < 0x20 && class & WHITE == 0 {
            class |= FORBIDDEN;
        }
        if text_stop(byte) {
            class |= TEXT_STOP;
        }
        if value_stop(byte) {
            class |= VALUE_STOP;
        }
        table[code] = class;
        code += 1;
    }
    table
}

// These three are written without branches so that sixteen of them become a few vector compares.
const fn text_stop(byte: u8) -> bool {
    (byte == b'<')
        | (byte == b'&')
        | (byte == b']')
        | ((byte < 0x20) & (byte != b'\t') & (byte != b'\n'))
}

const fn value_stop(byte: u8) -> bool {
    (byte == b'<') | (byte == b'&') | (byte == b'"') | (byte == b'\'') | (byte < 0x20)
}

const fn forbidden(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
}

/// Whether `byte` is in one of the classes of `mask`.
#[inline]
pub(super) fn is(byte: u8, mask: u8) -> bool {
    CLASSES[byte as usize] & mask != 0
}

/// The first position from `from` on whose byte is in none of the classes of `mask`.
#[inline]
pub(super) fn skip(bytes: &[u8], from: usize, mask: u8) -> usize {
    let rest = &bytes[from..];
    from + rest.iter().position(|&byte| !is(byte, mask)).unwrap_or(rest.len())
}

/// Whether all of them are a name of ASCII without a colon.
#[inline]
pub(crate) fn is_plain_ncname(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| is(byte, NAME_START)) && skip(bytes, 1, NAME) == bytes.len()
}

/// Bytes looked at one by one before the vector loop: most values are shorter than this.
const SHORT: usize = 16;
const LANES: usize = 16;

#[inline]
fn find(bytes: &[u8], from: usize, mask: u8, stops: impl Fn(u8) -> bool) -> usize {
    let rest = &bytes[from..];
    let head = &rest[..rest.len().min(SHORT)];
    match head.iter().position(|&byte| is(byte, mask)) {
        Some(found) => from + found,
        None => from + head.len() + find_long(&rest[head.len()..], mask, stops),
    }
}

#[inline]
fn find_long(bytes: &[u8], mask: u8, stops: impl Fn(u8) -> bool) -> usize {
    let (chunks, _) = bytes.as_chunks::<LANES>();
    let clean = chunks
        .iter()
        .position(|chunk| chunk.iter().fold(false, |any, &byte| any | stops(byte)))
        .unwrap_or(chunks.len());
    let at = clean * LANES;
    let rest = &bytes[at..];
    at + rest.iter().position(|&byte| is(byte, mask)).unwrap_or(rest.len())
}

/// The first position from `from` on where text needs a look: `<`, `&`, `]`, carriage return or a
/// forbidden control character; the length of `bytes` if there is none.
#[inline]
pub fn text_end(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, TEXT_STOP, text_stop)
}

/// The same as [`text_end`], byte by byte: the twin that tests compare it with.
pub fn text_end_plain(bytes: &[u8], from: usize) -> usize {
    let stop = |byte: &u8| match byte {
        b'<' | b'&' | b']' => true,
        b'\t' | b'\n' => false,
        control => *control < 0x20,
    };
    (from..bytes.len()).find(|&at| stop(&bytes[at])).unwrap_or(bytes.len())
}

/// The first position from `from` on where an attribute value needs a look: a quote of either
/// kind, `<`, `&` or a control character; the length of `bytes` if there is none.
#[inline]
pub fn value_end(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, VALUE_STOP, value_stop)
}

/// The same as [`value_end`], byte by byte: the twin that tests compare it with.
pub fn value_end_plain(bytes: &[u8], from: usize) -> usize {
    let stop = |byte: &u8| matches!(byte, b'<' | b'&' | b'"' | b'\'' | 0..=0x1f);
    (from..bytes.len()).find(|&at| stop(&bytes[at])).unwrap_or(bytes.len())
}

/// The first position from `from` on of a control character that XML forbids; the length of
/// `bytes` if there is none.
pub fn forbidden_control(bytes: &[u8], from: usize) -> usize {
    find(bytes, from, FORBIDDEN, forbidden)
}

/// The same as [`forbidden_control`], byte by byte: the twin that tests compare it with.
pub fn forbidden_control_plain(bytes: &[u8], from: usize) -> usize {
    let stop = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0c | 0x0e..=0x1f);
    (from..bytes.len()).find(|&at| stop(&bytes[at])).unwrap_or(bytes.len())
}

/// Whether the `length` bytes at `a` and at `b` are the same and lie inside `bytes`.
#[inline]
pub(super) fn same(bytes: &[u8], a: usize, b: usize, length: usize) -> bool {
    let (Some(a), Some(b)) = (bytes.get(a..a + length), bytes.get(b..b + length)) else {
        return false;
    };
    // Names are mostly of 4 to 16 bytes, where two overlapping words beat a call to memcmp.
    match length {
        8..=16 => word8(a) == word8(b) && word8(&a[length - 8..]) == word8(&b[length - 8..]),
        4..=7 => word4(a) == word4(b) && word4(&a[length - 4..]) == word4(&b[length - 4..]),
        1..=3 => a[0] == b[0] && a[length / 2] == b[length / 2] && a[length - 1] == b[length - 1],
        _ => a == b,
    }
}

/// The first eight bytes; zero if there are fewer.
#[inline]
pub(super) fn word8(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// The first four bytes; zero if there are fewer.
#[inline]
pub(super) fn word4(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that decide something, plus ordinary ones, by a fixed linear congruence.
    fn samples() -> impl Iterator<Item = Vec<u8>> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        (0..4000).map(move |round| {
            let rare = 1 + round % 60;
            (0..next() % 90)
                .map(|_| if next() % rare == 0 { next() as u8 } else { b'a' + (next() % 20) as u8 })
                .collect()
        })
    }

    #[test]
    fn scans_agree_with_their_plain_twins() {
        for bytes in samples() {
            for from in 0..=bytes.len() {
                assert_eq!(text_end(&bytes, from), text_end_plain(&bytes, from), "{bytes:?}");
                assert_eq!(value_end(&bytes, from), value_end_plain(&bytes, from), "{bytes:?}");
                assert_eq!(
                    forbidden_control(&bytes, from),
                    forbidden_control_plain(&bytes, from),
                    "{bytes:?}"
                );
            }
        }
    }

    #[test]
    fn the_vector_tests_and_the_table_are_one() {
        for byte in 0..=255 {
            assert_eq!(text_stop(byte), is(byte, TEXT_STOP), "{byte}");
            assert_eq!(value_stop(byte), is(byte, VALUE_STOP), "{byte}");
            assert_eq!(forbidden(byte), is(byte, FORBIDDEN), "{byte}");
        }
    }

    #[test]
    fn same_compares_every_byte_at_every_length() {
        for length in 0..40 {
            let one: Vec<u8> = (0..length as u8).collect();
            let equal = [one.clone(), one.clone()].concat();
            assert!(same(&equal, 0, length, length));
            for at in 0..length {
                let mut other = one.clone();
                other[at] ^= 0x40;
                assert!(!same(&[one.clone(), other].concat(), 0, length, length), "{length} {at}");
            }
            assert!(!same(&equal, 0, length + 1, length + 1));
        }
    }
}
