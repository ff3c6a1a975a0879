//! Octets to characters, none of which but XML's (XML 1.0 section 2.2) a document may have.

use std::ops::Range;

use trunkline_message::Result;
pub(super) use trunkline_wire::is_plain;
use trunkline_wire::scan::{BLOCK, Block};
use trunkline_wire::{plain_text, validate_utf8};

use super::syntax;
use crate::xml::{is_ncname, scan};

/// Is it a character that a document may have?
#[inline]
pub(super) fn is_legal(character: char) -> bool {
    !matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// [`is_plain`] of the octets from `start` to `end`, which are looked at together with those behind if they are few.
#[inline(always)]
pub(super) fn is_plain_in(bytes: &[u8], start: usize, end: usize) -> bool {
    let length = end - start;
    if length <= BLOCK
        && let Some(window) = bytes.get(start..).and_then(<[u8]>::first_chunk)
    {
        let block = Block::load(window);
        let plain = block.less_than(0x80).bits() & !block.less_than(0x20).bits();
        return (plain | u32::MAX << length) == u32::MAX;
    }
    bytes.get(start..end).is_some_and(is_plain)
}

/// The text that these octets, which begin at `at`, are in UTF-8.
#[inline]
pub(super) fn utf8(bytes: &[u8], at: usize) -> Result<&str> {
    match plain_text(bytes) {
        Some(text) => Ok(text),
        None => other_utf8(bytes, at),
    }
}

#[inline(never)]
fn other_utf8(bytes: &[u8], at: usize) -> Result<&str> {
    let text = validate_utf8(bytes).map_err(|valid| syntax("a string is not UTF-8", at + valid))?;
    check(text, at).map(|()| text)
}

/// As [`utf8`], of a text that is taken later.
#[inline]
pub(super) fn check_utf8(bytes: &[u8], at: usize) -> Result<()> {
    match is_plain(bytes) {
        true => Ok(()),
        false => utf8(bytes, at).map(|_| ()),
    }
}

#[cold]
#[inline(never)]
pub(super) fn check(text: &str, at: usize) -> Result<()> {
    match text.char_indices().find(|(_, character)| !is_legal(*character)) {
        Some((offset, character)) => {
            let code = u32::from(character);
            Err(syntax(format!("character U+{code:04X} is not allowed"), at + offset))
        }
        None => Ok(()),
    }
}

/// Appends the text that these octets are in UTF-16, its octets in the order of the network; answers where.
pub(super) fn append_utf16(bytes: &[u8], at: usize, out: &mut String) -> Result<Range<usize>> {
    let start = out.len();
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(syntax("a string in UTF-16 has an odd number of octets", at));
    }
    let units = units.iter().map(|unit| u16::from_be_bytes(*unit));
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => out.push(character),
            Err(_) => return Err(syntax("a string in UTF-16 has half a surrogate pair", at)),
        }
    }
    check(&out[start..], at)?;
    Ok(start..out.len())
}

/// Is it a name without a colon?
#[inline]
pub(super) fn is_name(text: &str) -> bool {
    scan::is_plain_ncname(text.as_bytes()) || is_ncname(text)
}

/// Is it white space?
#[inline]
pub(super) fn is_white(text: &str) -> bool {
    text.bytes().all(|octet| matches!(octet, b' ' | b'\t' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plain_is_found_at_every_place_and_length() {
        for length in 0..40 {
            let mut bytes = vec![b'a'; length];
            assert!(is_plain(&bytes));
            let mut around = vec![0; length + 20];
            let is_plain_around = |around: &mut [u8], bytes: &[u8]| {
                around[1..=length].copy_from_slice(bytes);
                is_plain_in(around, 1, 1 + length) && is_plain_in(&around[..=length], 1, 1 + length)
            };
            assert!(is_plain_around(&mut around, &bytes));
            for at in 0..length {
                for octet in 0..=255 {
                    bytes[at] = octet;
                    let expected = (0x20..0x80).contains(&octet);
                    assert_eq!(is_plain(&bytes), expected, "{octet} at {at}");
                    assert_eq!(is_plain_around(&mut around, &bytes), expected, "{octet} at {at}");
                }
                bytes[at] = b'a';
            }
        }
    }
}
