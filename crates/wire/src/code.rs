//! Enumerated codes: the short texts that stand for a choice, such as FIX `Side` or `MDEntryType`.

use std::fmt;
use std::str::FromStr;

use crate::digits;
use crate::value::ValueError;

/// An enumerated code: ASCII text of at most 15 bytes, or one other character, in 16 bytes.
///
/// FIX has codes of ASCII alone; a `char` of CORBA is one character of an agreed code set.
///
/// ```
/// use trunkline_wire::Code;
/// const SELL: Code = Code::new("2");
/// assert_eq!(Code::from_bytes(b"2"), Some(SELL));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
// Aligned, so that it moves as two words also where it is part of a result.
#[repr(align(8))]
pub struct Code([u8; 16]); // the text, zeros, and in the last byte the length

#[cold]
#[inline(never)]
fn explain(bytes: &[u8]) -> ValueError {
    match bytes.iter().position(|byte| !byte.is_ascii()) {
        _ if bytes.len() > LONGEST => ValueError::TooLong { most: LONGEST },
        at => ValueError::Malformed { at: at.unwrap_or(bytes.len()) },
    }
}

/// Length of the longest code, in bytes.
const LONGEST: usize = 15;

impl Code {
    /// The code of a literal.
    ///
    /// # Panics
    /// If `text` is longer than 15 bytes or not ASCII; in a constant this is a compile error.
    pub const fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        assert!(bytes.len() <= LONGEST, "a code has at most 15 bytes");
        let mut code = [0; 16];
        let mut at = 0;
        while at < bytes.len() {
            assert!(bytes[at].is_ascii(), "a code is ASCII text");
            code[at] = bytes[at];
            at += 1;
        }
        code[LONGEST] = bytes.len() as u8;
        Self(code)
    }

    /// The code of a text on the wire; `None` if it is longer than 15 bytes or not ASCII.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if let [byte] = bytes {
            return Self::from_byte(*byte);
        }
        let length = bytes.len();
        let text = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(first), Some(last)) if length <= LONGEST => {
                let last = u128::from(u64::from_le_bytes(*last)) << (8 * (length - 8));
                u128::from(u64::from_le_bytes(*first)) | last
            }
            (None, _) => u128::from(digits::word(bytes).wrapping_shr(64 - 8 * length as u32)),
            _ => return None,
        };
        let ascii = text & u128::from_le_bytes([0x80; 16]) == 0;
        ascii.then(|| Self((text | (length as u128) << (8 * LONGEST)).to_le_bytes()))
    }

    /// As [`from_bytes`](Self::from_bytes), and says what is wrong.
    ///
    /// # Errors
    /// [`ValueError::TooLong`] beyond 15 bytes, [`ValueError::Malformed`] at the first byte that is
    /// not ASCII.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, ValueError> {
        Self::from_bytes(bytes).ok_or_else(|| explain(bytes))
    }

    /// The code of one character; `None` if it is not ASCII.
    #[inline]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        let code = 1 << (8 * LONGEST) | byte as u128;
        if byte.is_ascii() { Some(Self(code.to_le_bytes())) } else { None }
    }

    /// The code of one character, of ASCII or not.
    pub fn from_char(character: char) -> Self {
        let mut block = [0; 16];
        let length = character.encode_utf8(&mut block).len();
        block[LONGEST] = length as u8;
        Self(block)
    }

    /// As [`parse`](Self::parse), of UTF-8, and one character that is not ASCII is a code, too.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_text(bytes: &[u8]) -> Result<Self, ValueError> {
        Self::parse(bytes).or_else(|problem| {
            let mut characters = str::from_utf8(bytes).map_err(|_| problem)?.chars();
            match (characters.next(), characters.next()) {
                (Some(one), None) => Ok(Self::from_char(one)),
                _ => Err(problem),
            }
        })
    }

    /// Is the text ASCII?
    #[inline]
    pub const fn is_ascii(&self) -> bool {
        u128::from_le_bytes(self.0) & u128::from_le_bytes([0x80; 16]) == 0
    }

    /// Length of the text in bytes.
    #[inline]
    pub const fn len(&self) -> usize {
        self.0[LONGEST] as usize
    }

    /// Whether the text is empty, as it is by default.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text as bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0[..self.len() & LONGEST]
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The only byte of a code of one.
    #[inline]
    pub const fn single(&self) -> Option<u8> {
        if self.len() == 1 { Some(self.0[0]) } else { None }
    }

    /// The text at the front of a block of fixed size, for writers that copy it whole; the last
    /// byte of the block is the length.
    #[inline]
    pub const fn block(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for Code {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        Self::parse_text(text.as_bytes())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({:?})", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_its_text() {
        for text in
            ["", "0", "TR", "ABC", "ABCD", "FIX.4.3", "ABCDEFGH", "nine long", "fifteen letters"]
        {
            let code = Code::from_bytes(text.as_bytes()).unwrap();
            assert_eq!(code, Code::new(text));
            assert_eq!(code.as_str(), text);
            assert_eq!(code.as_bytes(), text.as_bytes());
            assert_eq!(&code.block()[..code.len()], text.as_bytes());
            assert_eq!(code.to_string(), text);
            assert_eq!(code.is_empty(), text.is_empty());
        }
        assert_eq!(format!("{:?}", Code::new("2")), "Code(\"2\")");
        assert_eq!(Code::default(), Code::new(""));
    }

    #[test]
    fn what_is_no_code_is_rejected() {
        assert_eq!(Code::from_bytes(b"sixteen letters!"), None);
        assert_eq!(Code::from_bytes("é".as_bytes()), None);
        assert_eq!(Code::from_bytes(&[0x80]), None);
        assert_eq!(Code::from_bytes("nine lön".as_bytes()), None);
    }

    #[test]
    fn single_characters_are_found_out() {
        assert_eq!(Code::new("2").single(), Some(b'2'));
        assert_eq!(Code::new("").single(), None);
        assert_eq!(Code::new("22").single(), None);
    }

    #[test]
    fn what_is_no_code_is_told() {
        assert_eq!(Code::parse(b"AB"), Ok(Code::new("AB")));
        assert_eq!(Code::parse(b"0123456789abcde").map(|code| code.len()), Ok(15));
        assert_eq!(Code::parse(b"0123456789abcdef"), Err(ValueError::TooLong { most: 15 }));
        assert_eq!(Code::parse("aü".as_bytes()), Err(ValueError::Malformed { at: 1 }));
    }

    #[test]
    fn one_character_of_any_kind_is_a_code() {
        for text in ["é", "ÿ", "\u{80}", "€", "😀", "a", "\0"] {
            let code: Code = text.parse().unwrap();
            assert_eq!((code.as_str(), code.is_ascii()), (text, text.is_ascii()));
            assert_eq!(code, Code::from_char(text.chars().next().unwrap()));
        }
        assert_eq!("éé".parse::<Code>(), Err(ValueError::Malformed { at: 0 }));
        assert_eq!(Code::parse_text(&[0xe9]), Err(ValueError::Malformed { at: 0 }));
        assert_eq!(Code::parse("é".as_bytes()), Err(ValueError::Malformed { at: 0 }));
    }

    #[test]
    fn order_is_that_of_the_text() {
        let mut codes = ["B", "AB", "", "A", "ABC"].map(Code::new);
        codes.sort();
        assert_eq!(codes.map(|code| code.to_string()), ["", "A", "AB", "ABC", "B"]);
        assert_ne!(Code::new("A"), Code::new("A\0"));
    }
}
