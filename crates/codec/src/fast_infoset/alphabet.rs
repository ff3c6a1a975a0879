//! Restricted alphabets: strings of few different characters, packed (X.891 sections 8.2 and 9, annex C.17).

use std::ops::Range;

use trunkline_message::Result;

use super::{characters, syntax};

/// `numeric` and `date and time`, by their places in the table.
pub(super) const BUILT_IN: [&str; 2] = ["0123456789-+.E ", "0123456789-:TZ "];

/// The place of the first alphabet that a document defines. Those between are reserved.
pub(super) const FIRST_DEFINED: usize = 32;

/// An alphabet that a vocabulary defines.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    characters: Vec<char>,
}

impl Alphabet {
    /// Of these characters, which stand at `at`.
    pub(super) fn new(characters: &str, at: usize) -> Result<Self> {
        let characters: Vec<char> = characters.chars().collect();
        let mut sorted = characters.clone();
        sorted.sort_unstable();
        if characters.len() < 2 || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(syntax("a restricted alphabet has two or more different characters", at));
        }
        Ok(Self { characters })
    }
}

/// Appends the text that the octets are in an alphabet; answers where it stands.
pub(super) fn append(
    defined: &[Alphabet],
    number: usize,
    (bytes, at): (&[u8], usize),
    out: &mut String,
) -> Result<Range<usize>> {
    let start = out.len();
    if let Some(characters) = BUILT_IN.get(number) {
        let find = |code: usize| characters.as_bytes().get(code).map(|octet| char::from(*octet));
        unpack((bytes, at), characters.len(), find, out)?;
    } else if let Some(alphabet) =
        number.checked_sub(FIRST_DEFINED).and_then(|number| defined.get(number))
    {
        let find = |code: usize| alphabet.characters.get(code).copied();
        unpack((bytes, at), alphabet.characters.len(), find, out)?;
    } else {
        return Err(syntax(format!("restricted alphabet {number} is not defined"), at));
    }
    characters::check(&out[start..], at)?;
    Ok(start..out.len())
}

/// Each character is a number of as few bits as leave one number free, that of all ones. It ends the string,
/// and so do fewer bits than a character has.
fn unpack(
    (bytes, at): (&[u8], usize),
    size: usize,
    find: impl Fn(usize) -> Option<char>,
    out: &mut String,
) -> Result<()> {
    let width = usize::BITS - size.leading_zeros();
    let ones = (1 << width) - 1;
    let (mut bits, mut held) = (0_usize, 0);
    let mut ended = false;
    for (index, octet) in bytes.iter().enumerate() {
        bits = bits << 8 | usize::from(*octet);
        held += 8;
        while held >= width {
            held -= width;
            let code = bits >> held & ones;
            match find(code) {
                _ if code == ones => ended = true,
                Some(character) if !ended => out.push(character),
                _ => {
                    let what = format!("{code} is no character of the restricted alphabet");
                    return Err(syntax(what, at + index));
                }
            }
        }
        bits &= (1 << held) - 1;
        if ended && index + 1 < bytes.len() {
            return Err(syntax("a string goes on behind its end", at + index + 1));
        }
    }
    match bits == (1 << held) - 1 {
        true => Ok(()),
        false => Err(syntax("a string is not filled up with ones", at + bytes.len() - 1)),
    }
}

/// Packs a text into an alphabet of the format, if it has no other characters.
pub(super) fn pack(number: usize, text: &str, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let mut half = None;
    for octet in text.bytes() {
        let Some(code) = BUILT_IN[number].bytes().position(|known| known == octet) else {
            out.truncate(start);
            return false;
        };
        match half.take() {
            None => half = Some(code as u8),
            Some(first) => out.push(first << 4 | code as u8),
        }
    }
    out.extend(half.map(|first| first << 4 | 0x0f));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for text in ["0", "-1.5E+10", "3.14159 2.71828 -0.0"] {
            let (mut packed, mut back) = (Vec::new(), String::new());
            assert!(pack(0, text, &mut packed));
            append(&[], 0, (&packed, 0), &mut back).unwrap();
            assert_eq!(back, text);
        }
        assert!(!pack(1, "2004-08-01T12:34:56+01:00", &mut Vec::new()));
    }

    #[test]
    fn alphabets_of_any_size_are_unpacked() {
        // Of 3 characters each takes two bits, of 4 three.
        let three = [Alphabet::new("abc", 0).unwrap(), Alphabet::new("abcd", 0).unwrap()];
        let unpacked = |number, bytes: &[u8]| {
            let mut out = String::new();
            append(&three, number, (bytes, 0), &mut out).map(|_| out)
        };
        assert_eq!(unpacked(32, &[0b00_01_10_00]).unwrap(), "abca");
        assert_eq!(unpacked(32, &[0b00_01_10_11]).unwrap(), "abc");
        assert_eq!(unpacked(33, &[0b0000_0101, 0b0011_1111]).unwrap(), "abcd");
        assert!(unpacked(33, &[0b0000_0101, 0b0011_1110]).is_err(), "not filled up");
        assert!(unpacked(33, &[0b1100_0101, 0b0011_1111]).is_err(), "no character");
        assert!(unpacked(32, &[0b00_01_11_00]).is_err(), "text behind the end");
        assert!(unpacked(34, &[0]).is_err(), "not defined");
        assert!(Alphabet::new("aa", 0).is_err() && Alphabet::new("a", 0).is_err());
    }
}
