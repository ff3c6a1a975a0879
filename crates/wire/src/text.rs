//! Text of a message: short texts inline, so that reading and writing one needs neither the
//! allocator nor a call to copy memory.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use crate::scan::{BLOCK, Block};

/// Length of the longest text that is held inline, in bytes.
pub const INLINE: usize = 30;

/// UTF-8 text of 32 bytes in memory: up to [`INLINE`] bytes inline, more on the heap.
///
/// A text that once was on the heap stays there, so that its room is used again.
#[derive(Clone)]
pub struct Text(Repr);

// Inline, bytes[..length] is UTF-8 and length is at most INLINE; the rest is arbitrary.
#[derive(Clone)]
enum Repr {
    Inline { length: u8, bytes: [u8; INLINE] },
    Heap(String),
}

impl Text {
    /// The empty text.
    #[inline]
    pub const fn new() -> Self {
        Self(Repr::Inline { length: 0, bytes: [0; INLINE] })
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Inline { length, bytes } => {
                let text = bytes.get(..usize::from(*length)).unwrap_or_default();
                // SAFETY: `length` and `bytes` are set together and only here in this file, by
                // `set_inline`, which copies the `length` bytes of a `&str`, by `assign_from`,
                // which copies those between two character boundaries of a `&str`, and by
                // `assign_utf8`, which copies ASCII; `new` and `clear` set the length to zero.
                unsafe { str::from_utf8_unchecked(text) }
            }
            Repr::Heap(text) => text,
        }
    }

    /// Makes this the empty text.
    #[inline]
    pub fn clear(&mut self) {
        match &mut self.0 {
            Repr::Inline { length, .. } => *length = 0,
            Repr::Heap(text) => text.clear(),
        }
    }

    /// Makes this a copy of `text`.
    #[inline]
    pub fn assign(&mut self, text: &str) {
        match &mut self.0 {
            Repr::Inline { length, bytes } if text.len() <= INLINE => {
                set_inline(length, bytes, text);
            }
            Repr::Heap(heap) => {
                heap.clear();
                heap.push_str(text);
            }
            Repr::Inline { .. } => self.0 = Repr::Heap(text.to_owned()),
        }
    }

    /// Makes this a copy of `source[start..end]`: the way to take text out of a message, because
    /// short text is copied as one block together with what follows it.
    ///
    /// Returns `false`, and leaves the text as it was, if the range is not within `source` or
    /// cuts a character.
    #[inline]
    #[must_use]
    pub fn assign_from(&mut self, source: &str, start: usize, end: usize) -> bool {
        let span = end.wrapping_sub(start);
        if let Repr::Inline { length, bytes } = &mut self.0
            && span <= INLINE
            && let Some(block) = window(source.as_bytes(), start)
            && starts_character(block[0])
            && starts_character(block[span])
        {
            *length = span as u8;
            bytes.copy_from_slice(&block[..INLINE]);
            return true;
        }
        self.assign_range(source, start, end)
    }

    /// Makes this a copy of `source[start..end]` if those bytes are UTF-8: for text between bytes
    /// that are not. Short ASCII is checked and copied as one block.
    ///
    /// # Errors
    /// How many bytes are UTF-8, where not all are. The text is then as it was.
    #[inline(always)]
    pub fn assign_utf8(&mut self, source: &[u8], start: usize, end: usize) -> Result<(), usize> {
        let span = end.wrapping_sub(start);
        if let Repr::Inline { length, bytes } = &mut self.0
            && span <= INLINE
            && let Some(block) = source.get(start..).and_then(<[u8]>::first_chunk::<32>)
            && ascii_run(block) >= span
        {
            *length = span as u8;
            bytes.copy_from_slice(&block[..INLINE]);
            return Ok(());
        }
        self.assign(validate_utf8(source.get(start..end).unwrap_or_default())?);
        Ok(())
    }

    #[inline(never)]
    fn assign_range(&mut self, source: &str, start: usize, end: usize) -> bool {
        let Some(text) = source.get(start..end) else { return false };
        self.assign(text);
        true
    }

    /// The text at the front of a block of fixed size, with its length, for writers that copy the
    /// block whole; `None` if the text is on the heap. What follows the text is unspecified.
    #[inline]
    pub fn inline_block(&self) -> Option<(&[u8; INLINE], usize)> {
        match &self.0 {
            Repr::Inline { length, bytes } => Some((bytes, usize::from(*length))),
            Repr::Heap(_) => None,
        }
    }
}

/// The whole of `bytes` as text: done once for a message, after which [`Text::assign_from`] only
/// looks at character boundaries.
///
/// # Errors
/// The number of bytes before the first that is not UTF-8.
#[inline]
pub fn validate_utf8(bytes: &[u8]) -> Result<&str, usize> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| valid_up_to(bytes))
}

/// The bytes as text if all are of ASCII and none is a control character, which is soon seen of few.
#[inline]
pub fn plain_text(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    is_plain(bytes).then(|| unsafe { str::from_utf8_unchecked(bytes) })
}

/// Are all of ASCII, and none a control character?
#[inline]
pub fn is_plain(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<8>() else {
        let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else {
            return bytes.iter().all(|byte| matches!(byte, 0x20..0x80));
        };
        let [a, b, c, d] = *first;
        let [e, f, g, h] = *last;
        return is_plain_word(&[a, b, c, d, e, f, g, h]);
    };
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().all(is_plain_word) && is_plain_word(last)
}

#[inline]
fn is_plain_word(word: &[u8; 8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const BLANKS: u64 = 0x2020_2020_2020_2020;
    let word = u64::from_ne_bytes(*word);
    // The high bit of a byte stays where nothing has to be borrowed from it.
    let not_below = (word | HIGH) - BLANKS;
    word & HIGH == 0 && not_below & HIGH == HIGH
}

#[cold]
fn valid_up_to(bytes: &[u8]) -> usize {
    str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// The bytes from `start` on in which an inline text and the byte behind it lie.
#[inline(always)]
fn window(source: &[u8], start: usize) -> Option<&[u8; INLINE + 1]> {
    source.get(start..)?.first_chunk()
}

/// How many bytes at the front of the block are ASCII.
#[inline(always)]
fn ascii_run(block: &[u8; 32]) -> usize {
    let halves = block.as_chunks().0;
    match Block::load(&halves[0]).less_than(0x80).run() {
        BLOCK => BLOCK + Block::load(&halves[1]).less_than(0x80).run(),
        run => run,
    }
}

#[inline(always)]
fn starts_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

/// `text` must not be longer than [`INLINE`].
#[inline]
fn set_inline(length: &mut u8, bytes: &mut [u8; INLINE], text: &str) {
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    *length = text.len() as u8;
}

impl Default for Text {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    #[inline]
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    #[inline]
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&str> for Text {
    #[inline]
    fn from(text: &str) -> Self {
        let mut new = Self::new();
        new.assign(text);
        new
    }
}

impl From<String> for Text {
    #[inline]
    fn from(text: String) -> Self {
        if text.len() <= INLINE { Self::from(text.as_str()) } else { Self(Repr::Heap(text)) }
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text.0 {
            Repr::Inline { .. } => text.as_str().to_owned(),
            Repr::Heap(text) => text,
        }
    }
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for Text {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LONG: &str = "a text of more than thirty bytes, on the heap";

    #[test]
    fn a_text_takes_thirty_two_bytes() {
        assert_eq!(size_of::<Text>(), 32);
    }

    #[test]
    fn short_texts_are_inline() {
        for length in 0..=40 {
            let text = Text::from(&LONG[..length]);
            assert_eq!(text, LONG[..length]);
            assert_eq!(text, Text::from(LONG[..length].to_owned()));
            assert_eq!(text.inline_block().is_some(), length <= INLINE);
            if let Some((block, length)) = text.inline_block() {
                assert_eq!(&block[..length], text.as_bytes());
            }
            assert_eq!(String::from(text), LONG[..length]);
        }
        assert_eq!(Text::default(), "");
    }

    #[test]
    fn room_on_the_heap_is_used_again() {
        let mut text = Text::from(LONG);
        let room = text.as_ptr();
        for next in ["short", "", LONG, "another"] {
            text.assign(next);
            assert_eq!(text, next);
            assert_eq!(text.as_ptr(), room);
        }
        text.clear();
        assert!(text.is_empty());
    }

    #[test]
    fn a_range_that_cuts_a_character_is_rejected() {
        let source = format!("añb{LONG}{LONG}");
        let mut text = Text::from("before");
        for (start, end) in [(0, 2), (2, 4), (1, 2), (5, 4), (0, 1000), (1000, 1001), (2, 2)] {
            assert!(!text.assign_from(&source, start, end), "{start}..{end}");
            assert_eq!(text, "before");
        }
        assert!(text.assign_from(&source, 1, 3));
        assert_eq!(text, "ñ");
    }

    #[test]
    fn text_is_validated_with_the_place_of_the_error() {
        assert_eq!(validate_utf8("€ 6.35".as_bytes()), Ok("€ 6.35"));
        assert_eq!(validate_utf8(b"35=W\xff"), Err(4));
        assert_eq!(validate_utf8(&"€".as_bytes()[..2]), Err(0));
    }

    #[test]
    fn clearing_an_inline_text_empties_it() {
        let mut text = Text::from("EUR/USD");
        text.clear();
        assert_eq!(text, "");
        assert_eq!(format!("{:?} {:>3}", text, Text::from("x")), "\"\"   x");
    }

    proptest! {
        #![proptest_config(crate::testing::config())]

        #[test]
        fn ranges_are_taken_as_str_takes_them(
            source in "[aé€😀]{0,60}", start in 0usize..90, span in 0usize..40, heap: bool,
        ) {
            let mut text = Text::from(if heap { LONG } else { "before" });
            let before = text.clone();
            let expected = source.get(start..start + span);
            prop_assert_eq!(text.assign_from(&source, start, start + span), expected.is_some());
            prop_assert_eq!(text.as_str(), expected.unwrap_or(&before));
        }

        #[test]
        fn bytes_are_taken_if_they_are_utf_8(
            source in "[aé€]{0,60}", spoilt in 0usize..90, start in 0usize..90, span in 0usize..40,
        ) {
            let mut source = source.into_bytes();
            if let Some(byte) = source.get_mut(spoilt) {
                *byte = 0xFF;
            }
            let mut text = Text::from("before");
            if let Some(bytes) = source.get(start..start + span) {
                let expected = str::from_utf8(bytes);
                let taken = text.assign_utf8(&source, start, start + span);
                prop_assert_eq!(taken, expected.map(|_| ()).map_err(|error| error.valid_up_to()));
                prop_assert_eq!(text.as_str(), expected.unwrap_or("before"));
            }
        }

        #[test]
        fn order_and_equality_are_those_of_str(a in "[ab]{0,3}|[ab]{29,32}", b in "[ab]{0,3}|[ab]{29,32}") {
            let (x, y) = (Text::from(a.as_str()), Text::from(b.as_str()));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x == y, a == b);
        }
    }
}
