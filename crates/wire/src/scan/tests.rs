//! Every way of scanning against its plain twin.

use proptest::prelude::*;

use super::*;

const MARKUP: &[u8] = b"<>&\0\t\n\r\x1f";
const ESCAPED: &[u8] = b"<>&\xef\0\t\n\r\x1f";
const QUOTES: &[u8] = b"\"<&\0\t\n\r\x1f";
const ESCAPED_IN_QUOTES: &[u8] = b"\"<&\xef\0\t\n\r\x1f";

fn is_markup(byte: u8) -> bool {
    matches!(byte, b'<' | b'>' | b'&') || byte < 0x20
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'<' | b'&') || byte < 0x20
}

/// Calls `check` with texts of up to 79 harmless bytes, in which at most one byte differs, at every
/// position.
fn texts(others: &[u8], mut check: impl FnMut(&[u8])) {
    for length in 0..80 {
        let harmless = [b' ', b'~', b'=', b'!', b'\'', 0x80, 0xff, b'a'];
        let mut text = harmless.repeat(10)[..length].to_vec();
        check(&text);
        for at in 0..length {
            for &other in others {
                let harmless = std::mem::replace(&mut text[at], other);
                check(&text);
                text[at] = harmless;
            }
        }
    }
}

fn plain_find(bytes: &[u8], from: usize, test: impl Fn(u8) -> bool) -> Option<usize> {
    (from..bytes.len()).find(|&at| test(bytes[at]))
}

#[test]
fn every_byte_is_tested_as_the_plain_twin_tests_it() {
    let shifted: [u8; 271] = std::array::from_fn(|at| at as u8);
    for window in shifted.windows(16) {
        let bytes = window.try_into().unwrap();
        let (block, twin) = (Block::load(bytes), scalar::Block::load(bytes));
        let [first, second] =
            [&bytes[..8], &bytes[8..]].map(|half| u64::from_le_bytes(half.try_into().unwrap()));
        let joined = Block::from_words(first, second);
        let joined_twin = scalar::Block::from_words(first, second);
        assert_eq!(block.words(), [first, second]);
        assert_eq!(twin.words(), [first, second]);
        for other in [[0; 16], [0x81; 16], *bytes] {
            let (sum, union) = (block.plus(Block::load(&other)), block.union(Block::load(&other)));
            let other = scalar::Block::load(&other);
            assert_eq!(sum.words(), twin.plus(other).words());
            assert_eq!(union.words(), twin.union(other).words());
        }
        let changed = std::array::from_fn(|at| bytes[at] ^ u8::from(at == first as usize % 16));
        let same = block.same(Block::load(&changed));
        let same_twin = twin.same(scalar::Block::load(&changed));
        assert_eq!(same.run(), same_twin.run());
        assert_eq!(same.run(), first as usize % 16);
        for length in 0..16 {
            assert_eq!(same.is_run(length), same_twin.is_run(length));
        }
        for byte in 0..=255 {
            let pairs = [
                (block.eq(byte), twin.eq(byte)),
                (joined.eq(byte), twin.eq(byte)),
                (block.eq(byte), joined_twin.eq(byte)),
                (block.less_than(byte), twin.less_than(byte)),
                (block.with_bits(byte).eq(0x3e), twin.with_bits(byte).eq(0x3e)),
                (block.eq(byte).or(block.eq(7)), twin.eq(byte).or(twin.eq(7))),
            ];
            for (mask, twin) in pairs {
                assert_eq!(mask.any(), twin.any());
                assert_eq!(mask.bits(), twin.bits());
                assert_eq!(mask.first_or(16), twin.first_or(16));
                for from in 0..=16 {
                    assert_eq!(mask.first_from(from), twin.first_from(from));
                }
            }
        }
    }
}

#[test]
fn the_twin_finds_what_there_is() {
    let block = scalar::Block::load(b"<Symbol>EUR/USD<");
    assert_eq!(block.eq(b'<').first(), Some(0));
    assert_eq!(block.eq(b'<').first_from(1), Some(15));
    assert_eq!(block.eq(b'<').first_from(16), None);
    assert_eq!(block.less_than(b'<').first_or(16), 11);
    assert_eq!(block.with_bits(2).eq(b'>').first_from(1), Some(7));
}

#[test]
fn blocks_agree_where_they_are_wanted_to() {
    let left: [u8; 64] = std::array::from_fn(|at| at as u8);
    for at in 0..64 {
        let mut right = left;
        right[at] ^= 0x40;
        for length in 0..=64_u32 {
            let wanted = u64::MAX.checked_shr(64 - length).unwrap_or(0);
            let plain = left[..length as usize] == right[..length as usize];
            assert_eq!(agree_where(&left, &right, wanted), plain, "{at} {length}");
            assert_eq!(agree_where(&left, &right, !wanted), !plain, "{at} {length}");
            assert!(agree_where(&left, &left, wanted));
        }
    }
}

#[test]
fn bytes_are_found_everywhere() {
    texts(b"<\x01", |text| {
        for from in 0..=text.len() + 1 {
            assert_eq!(find_byte(text, from, b'<'), plain_find(text, from, |byte| byte == b'<'));
            assert_eq!(find_soh(text, from), plain_find(text, from, |byte| byte == 1));
        }
    });
}

#[test]
fn markup_is_found_everywhere() {
    texts(MARKUP, |text| {
        for from in 0..=text.len() + 1 {
            let plain = plain_find(text, from, |byte| MARKUP.contains(&byte) || byte < 0x20);
            assert_eq!(find_markup(text, from), plain.unwrap_or(text.len()));
        }
    });
    texts(QUOTES, |text| {
        for from in 0..=text.len() + 1 {
            let plain = plain_find(text, from, is_quote);
            assert_eq!(find_quote(text, from), plain.unwrap_or(text.len()));
        }
    });
}

#[test]
fn what_needs_escape_is_found_everywhere() {
    texts(ESCAPED, |text| {
        let plain = |text: &[u8]| text.iter().any(|&byte| ESCAPED.contains(&byte) || byte < 0x20);
        assert_eq!(needs_escape(text), plain(text), "{text:?}");
    });
    texts(ESCAPED_IN_QUOTES, |text| {
        let plain = text.iter().any(|&byte| is_quote(byte) || byte == 0xef);
        assert_eq!(needs_escape_in_quotes(text), plain, "{text:?}");
    });
}

#[test]
fn names_zeros_and_equal_fronts_are_measured() {
    for length in 0..=40 {
        for end in [b'>', b' ', b'\n'] {
            let mut window = [b'n'; 34];
            window[0] = b'<';
            if let Some(byte) = window.get_mut(1 + length) {
                *byte = end;
            }
            assert_eq!(name_length(&window), length.min(32));
            window[0] = b' ';
            let end = window.iter_mut().find(|byte| **byte == b'>');
            end.into_iter().for_each(|byte| *byte = b'=');
            assert_eq!(attribute_name_length(&window), length.min(32));
        }
        let mut bytes = vec![0; 60];
        bytes[20 + length.min(39)] = 7;
        for most in 0..50 {
            assert_eq!(zeros(&bytes, 20, most), most.min(length.min(39)), "{length} of {most}");
        }
        for count in 0..20 {
            let exactly = count < 16 && count == length.min(39);
            assert_eq!(are_zeros(&bytes, 20, count), exactly, "{count} of {length}");
        }
        assert_eq!(zeros(&[0; 60], 60 - length, 99), length);
        let (left, mut right) = ([9; 48], [9; 48]);
        if let Some(byte) = right.get_mut(length) {
            *byte = 8;
        }
        for front in 0..=48 {
            assert_eq!(agree(&left, &right, front), front <= length);
        }
    }
}

proptest! {
    #![proptest_config(crate::testing::config())]

    #[test]
    fn dense_texts(bytes in proptest::collection::vec(any::<u8>(), 0..80), from in 0usize..90) {
        let plain = plain_find(&bytes, from, is_markup).unwrap_or(bytes.len());
        prop_assert_eq!(find_markup(&bytes, from), plain);
        let wanted = bytes.last().copied().unwrap_or(0);
        prop_assert_eq!(
            find_byte(&bytes, from, wanted),
            plain_find(&bytes, from, |byte| byte == wanted)
        );
        let plain = bytes.iter().any(|&byte| is_markup(byte) || byte == 0xef);
        prop_assert_eq!(needs_escape(&bytes), plain);
        let plain = plain_find(&bytes, from, is_quote).unwrap_or(bytes.len());
        prop_assert_eq!(find_quote(&bytes, from), plain);
        let plain = bytes.iter().any(|&byte| is_quote(byte) || byte == 0xef);
        prop_assert_eq!(needs_escape_in_quotes(&bytes), plain);
    }
}
