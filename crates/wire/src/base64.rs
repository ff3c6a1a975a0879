//! Base64 as `xsd:base64Binary` has it (XML Schema Part 2, 3.2.16; RFC 4648, section 4).

use base64_simd::STANDARD;

use crate::value::ValueError;

/// Appends the Base64 text of `bytes` to `out`, on one line.
#[inline]
pub fn encode_into(bytes: &[u8], out: &mut Vec<u8>) {
    STANDARD.encode_append(bytes, out);
}

/// Appends the bytes of a Base64 text to `out`. The text may contain XML white space anywhere.
///
/// # Errors
/// [`ValueError::OutOfRange`] if there are more than `limit` bytes, before room is made for them;
/// [`ValueError::Malformed`] at the first character that is not Base64, or at the end if
/// padding or bits are missing. Then `out` is as it was.
pub fn decode_into(text: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let start = out.len();
    if decoded_at_most(text.len()) > limit.saturating_add(2)
        || STANDARD.decode_append(text, out).is_err()
    {
        out.truncate(start);
        decode_spaced(text, limit, out)?;
    }
    if out.len() - start > limit {
        out.truncate(start);
        return Err(ValueError::OutOfRange);
    }
    Ok(())
}

/// Bytes that `length` characters of Base64 can hold.
fn decoded_at_most(length: usize) -> usize {
    length.div_ceil(4).saturating_mul(3)
}

/// Takes out white space, then decodes in place.
#[cold]
fn decode_spaced(text: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let length = text.iter().filter(|byte| !is_space(byte)).count();
    // Padding may account for two bytes more.
    if decoded_at_most(length) > limit.saturating_add(2) {
        return Err(ValueError::OutOfRange);
    }
    let start = out.len();
    out.reserve(length);
    out.extend(text.iter().copied().filter(|byte| !is_space(byte)));
    let decoded = STANDARD.decode_inplace(&mut out[start..]).map(|bytes| bytes.len());
    out.truncate(start + decoded.as_ref().copied().unwrap_or(0));
    decoded.map(drop).map_err(|_| ValueError::Malformed { at: first_malformed(text) })
}

/// Position of the first character that is neither Base64 nor white space; the length if the
/// text is wrong otherwise.
fn first_malformed(text: &[u8]) -> usize {
    let belongs = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'+' | b'/' | b'=' | b' ' | b'\t' | b'\r' | b'\n')
    };
    text.iter().position(|byte| !belongs(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(text: &[u8], limit: usize) -> Result<Vec<u8>, ValueError> {
        let mut out = b"before".to_vec();
        let answer = decode_into(text, limit, &mut out);
        assert!(out.starts_with(b"before"));
        assert!(answer.is_ok() || out.len() == 6);
        answer.map(|()| out.split_off(6))
    }

    #[test]
    fn the_examples_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = Vec::new();
            encode_into(bytes.as_bytes(), &mut out);
            assert_eq!(out, text.as_bytes());
            assert_eq!(decoded(text.as_bytes(), 6), Ok(bytes.into()));
        }
    }

    #[test]
    fn white_space_is_skipped() {
        assert_eq!(decoded(b" Zm9v\r\n\tYm Fy \n", 6), Ok(b"foobar".to_vec()));
        assert_eq!(decoded(b" \n ", 0), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_base64_is_rejected() {
        assert_eq!(decoded(b"Zm9v!mFy", 9), Err(ValueError::Malformed { at: 4 }));
        assert_eq!(decoded(b"Zm9vY", 9), Err(ValueError::Malformed { at: 5 }));
        assert_eq!(decoded(b"Zg", 9), Err(ValueError::Malformed { at: 2 }));
        assert_eq!(decoded(b"Zh==", 9), Err(ValueError::Malformed { at: 4 }));
    }

    #[test]
    fn the_limit_holds_to_the_byte() {
        assert_eq!(decoded(b"Zm9vYmFy", 5), Err(ValueError::OutOfRange));
        assert_eq!(decoded(b"Zm 9vYmFy", 5), Err(ValueError::OutOfRange));
        assert_eq!(decoded(b"Zm9vYg==", 4), Ok(b"foob".to_vec()));
        assert_eq!(decoded(b"Zm9vYg==", 3), Err(ValueError::OutOfRange));
        assert_eq!(decoded(&[b'A'; 4000], 100), Err(ValueError::OutOfRange));
        assert_eq!(decoded(&[[b' '; 4000].as_slice(), b"Zg=="].concat(), 1), Ok(b"f".to_vec()));
    }

    proptest! {
        #![proptest_config(crate::testing::config())]

        #[test]
        fn what_is_encoded_decodes(bytes in proptest::collection::vec(any::<u8>(), 0..200), gap in 1usize..80) {
            let mut text = Vec::new();
            encode_into(&bytes, &mut text);
            prop_assert_eq!(decoded(&text, bytes.len()), Ok(bytes.clone()));
            let lines = text.chunks(gap).collect::<Vec<_>>().join(&b"\r\n"[..]);
            prop_assert_eq!(decoded(&lines, bytes.len()), Ok(bytes));
        }

        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = decoded(&bytes, 20);
        }
    }
}
