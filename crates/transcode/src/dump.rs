//! Lines of dumps: hexadecimal with or without places before and characters behind it, and base64.

use trunkline_codec::fix::SOH;
use trunkline_wire::base64;

use crate::kind::Kind;

/// How a message was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// As it is.
    Plain,
    /// FIX with another delimiter than SOH.
    Delimiter(String),
    /// In hexadecimal.
    Hexadecimal,
    /// In base64.
    Base64,
}

/// A line of a dump, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) written: Written,
    pub(crate) bytes: Vec<u8>,
    /// The place before them that the last line has, if it has one.
    place: Option<usize>,
    /// Characters of the last line.
    width: usize,
    /// The last line fills up what stands for bytes, as `=` does in base64: nothing goes on behind it.
    is_filled: bool,
    /// Its last digit or character is no whole byte: it is cut.
    pub(crate) is_cut: bool,
}

/// In a log fewer bytes are a word or a number, and in base64 anywhere.
const LEAST: usize = 8;

/// A place and what stands for the bytes there take no more.
const LONGEST_PLACED: usize = 512;

/// The widths at which tools wrap lines without places: `xxd -p`, PEM, MIME.
const WRAPPED: [usize; 3] = [60, 64, 76];

impl Line {
    pub(crate) fn goes_on_with(&self, next: &Self) -> bool {
        self.written == next.written
            && match (self.place, next.place) {
                (Some(_), Some(place)) => place == self.bytes.len(),
                (None, None) => {
                    let is_wrapped = WRAPPED.contains(&self.width)
                        || self.is_cut_fix() && Kind::of(&next.bytes).is_none();
                    is_wrapped && !self.is_filled && !self.is_cut && next.width <= self.width
                }
                _ => false,
            }
    }

    /// Do the bytes begin as FIX, and not end as such a message does?
    fn is_cut_fix(&self) -> bool {
        let trailer = self.bytes.len().checked_sub(b"|10=000|".len());
        let trailer = trailer.map_or(&[][..], |at| &self.bytes[at..]);
        let is_whole = trailer.starts_with(b"\x0110=") && trailer.ends_with(&[SOH]);
        Kind::of(&self.bytes) == Some(Kind::Fix) && !is_whole
    }

    /// The last line of this dump, which is too short to be one by itself.
    pub(crate) fn end(&self, bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim();
        let is_whole_fix = Kind::of(&self.bytes) == Some(Kind::Fix) && !self.is_cut_fix();
        if text.is_empty() || self.place.is_some() || is_whole_fix {
            return None;
        }
        let line = match self.written {
            Written::Hexadecimal => in_hexadecimal(text, 1),
            Written::Base64 => in_base64(text, 1),
            Written::Plain | Written::Delimiter(_) => None,
        };
        line.filter(|it| self.goes_on_with(it))
    }

    pub(crate) fn append(&mut self, next: Self) {
        self.bytes.extend(next.bytes);
        (self.place, self.width) = (next.place, next.width);
        self.is_filled = next.is_filled;
        self.is_cut = next.is_cut;
    }

    /// May a dump begin with it?
    pub(crate) fn is_first(&self) -> bool {
        self.place.is_none_or(|place| place == 0)
    }

    /// It has places, which nothing else has.
    pub(crate) fn is_surely_a_dump(&self) -> bool {
        self.place.is_some()
    }
}

/// The bytes of a line that is nothing but a dump; `is_dump` where lines are nothing else: then a message may be of one byte.
pub(crate) fn line(bytes: &[u8], is_dump: bool) -> Option<Line> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    if let Some((place, bytes)) = with_place(text) {
        let (written, width) = (Written::Hexadecimal, text.len());
        let (is_filled, is_cut) = (false, false);
        return Some(Line { written, bytes, place: Some(place), width, is_filled, is_cut });
    }
    let least = if is_dump { 1 } else { LEAST };
    let line = in_hexadecimal(text, least).or_else(|| in_base64(text, LEAST));
    line.or_else(|| cut_in_hexadecimal(text, is_dump)).or_else(|| cut_in_base64(text))
}

/// A line of digits, without the last one, which has no other; of a message that is known, where lines may be anything.
fn cut_in_hexadecimal(text: &str, is_dump: bool) -> Option<Line> {
    let last = text.chars().last().filter(char::is_ascii_hexdigit)?;
    let line = in_hexadecimal(&text[..text.len() - last.len_utf8()], LEAST)?;
    (is_dump || begins_message(&line.bytes)).then_some(Line { is_cut: true, ..line })
}

/// A line of base64, without its last characters, which are too few; of a message that is known.
fn cut_in_base64(text: &str) -> Option<Line> {
    let whole = text.len() - text.len() % 4;
    let (text, behind) = text.split_at_checked(whole)?;
    let is_base64 = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/' | b'=');
    let line = in_base64(text, LEAST).filter(|_| behind.bytes().all(is_base64))?;
    begins_message(&line.bytes).then_some(Line { is_cut: true, ..line })
}

/// Words begin as an object of JSON does, in base64.
fn begins_message(bytes: &[u8]) -> bool {
    Kind::of(bytes).is_some_and(|it| !matches!(it, Kind::Json | Kind::Gzip))
}

/// A line of at least so many bytes in pairs of digits.
fn in_hexadecimal(text: &str, least: usize) -> Option<Line> {
    let bare = text.strip_prefix("hex:").or_else(|| text.strip_prefix("0x")).unwrap_or(text);
    let digits: String = bare.chars().filter(|it| !matches!(it, ' ' | ':')).collect();
    let bytes = (digits.len() >= 2 * least).then(|| hexadecimal(&digits)).flatten()?;
    let (written, width) = (Written::Hexadecimal, text.len());
    let (is_filled, is_cut) = (false, false);
    Some(Line { written, bytes, place: None, width, is_filled, is_cut })
}

/// A line of base64, of twice as many characters.
fn in_base64(text: &str, least: usize) -> Option<Line> {
    let (mut bytes, width) = (Vec::new(), text.len());
    let is_long = width >= 2 * least && width.is_multiple_of(4);
    let is_base64 = is_long && base64::decode_into(text.as_bytes(), width, &mut bytes).is_ok();
    let (written, is_filled) = (Written::Base64, text.ends_with('='));
    let is_cut = false;
    is_base64.then_some(Line { written, bytes, place: None, width, is_filled, is_cut })
}

/// The place that a line of a dump says it is at, if it says so, behind its blanks.
pub(crate) fn place(bytes: &[u8]) -> Option<usize> {
    // Most lines are none, which their first character shows.
    if !bytes.first().is_some_and(u8::is_ascii_hexdigit) {
        return None;
    }
    // What stands behind its bytes says nothing of it.
    let head = &bytes[..bytes.len().min(LONGEST_PLACED)];
    with_place(String::from_utf8_lossy(head).trim()).map(|it| it.0)
}

/// As `hexdump -C`, `xxd` and captures print it: a place, pairs of digits, and mostly characters behind two blanks.
fn with_place(text: &str) -> Option<(usize, Vec<u8>)> {
    let (place, rest) = text.split_once(|it: char| it.is_ascii_whitespace() || it == ':')?;
    let place = place.strip_prefix("0x").unwrap_or(place);
    if place.len() < 4 || place.len() > 16 {
        return None;
    }
    let place = usize::from_str_radix(place, 16).ok()?;
    let mut bytes = Vec::new();
    let mut behind = rest.trim_start_matches([' ', '\t', ':']);
    while bytes.len() < 32 && !behind.is_empty() {
        let (word, next) = behind.split_once(' ').unwrap_or((behind, ""));
        let is_group = matches!(word.len(), 2 | 4 | 8);
        // Without two blanks before it, it is no part of a dump.
        bytes.extend(is_group.then(|| hexadecimal(word)).flatten()?);
        // In the middle there may be one blank more.
        let is_middle = bytes.len() == 8 && next.starts_with(' ') && !next.starts_with("  ");
        behind = if is_middle { &next[1..] } else { next };
        if behind.starts_with([' ', '|']) {
            break;
        }
    }
    (!bytes.is_empty()).then_some((place, bytes))
}

fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |it: u8| char::from(it).to_digit(16);
    digits.chunks(2).map(|pair| Some((16 * digit(pair[0])? + digit(pair[1])?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Option<(Written, Vec<u8>)> {
        line(text.as_bytes(), false).map(|it| (it.written, it.bytes))
    }

    #[test]
    fn the_tools_lines_are_read() {
        let hello = Some((Written::Hexadecimal, b"8=FIX.4.4\x019=5\x01".to_vec()));
        for text in [
            "383d4649582e342e3401393d3501",
            "hex:383d4649582e342e3401393d3501",
            "38 3D 46 49 58 2E 34 2E 34 01 39 3D 35 01",
            "38:3d:46:49:58:2e:34:2e:34:01:39:3d:35:01",
            "00000000  38 3d 46 49 58 2e 34 2e  34 01 39 3d 35 01        |8=FIX.4.4.9=5.|",
            "00000000: 383d 4649 582e 342e 3401 393d 3501       8=FIX.4.4.9=5.",
            "0x0000:  383d 4649 582e 342e 3401 393d 3501       8=FIX.4.4.9=5.",
        ] {
            assert_eq!(bytes(text), hello, "{text}");
        }
        let hello = Some((Written::Base64, b"8=FIX.4.4\x019=5\x01".to_vec()));
        assert_eq!(bytes("OD1GSVguNC40ATk9NQE="), hello);
        for text in ["20260101", "a line of words", "", "deadbeef", "Logon", "00000000"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn a_dump_goes_on_where_its_places_do() {
        let all = ["00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f", "00000010  10"];
        let [mut first, second] =
            all.map(|it| line(it.as_bytes(), false).expect("a line of a dump"));
        assert!(first.goes_on_with(&second) && !second.goes_on_with(&first));
        first.append(second);
        assert_eq!(first.bytes, (0..=16).collect::<Vec<u8>>());
    }
}
