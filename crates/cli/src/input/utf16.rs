//! Text in UTF-16, as Windows writes logs, as the same text in UTF-8.

use std::io::{self, Read};

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// Reads as UTF-8 what comes as UTF-16.
pub(super) struct Utf16<R> {
    input: R,
    order: Order,
    /// Bytes of the input that were used.
    used: u64,
    /// The first half of a unit, or a surrogate that waits for its other one.
    octet: Option<u8>,
    high: Option<u16>,
    /// What is not read yet.
    text: Vec<u8>,
    at: usize,
}

/// The byte order of text in UTF-16 that begins so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Is the least significant byte first?
    pub(super) is_little: bool,
    /// Bytes of the mark that says so; none where it is seen by the text.
    pub(super) mark: usize,
}

/// Characters of the beginning by which text without a mark is known.
const LEAST: usize = 8;

impl Order {
    /// That of what begins so; none if it is no text in UTF-16, as far as that is known.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        let is_of_text = |it: u8| matches!(it, b' '..=b'~' | b'\t' | b'\n' | b'\r' | 1);
        let all = |zero: usize| {
            let mut units = start.chunks_exact(2);
            start.len() >= 2 * LEAST && units.all(|it| it[zero] == 0 && is_of_text(it[1 - zero]))
        };
        match start {
            [0xff, 0xfe, ..] => Some(Self { is_little: true, mark: 2 }),
            [0xfe, 0xff, ..] => Some(Self { is_little: false, mark: 2 }),
            _ if all(1) => Some(Self { is_little: true, mark: 0 }),
            _ if all(0) => Some(Self { is_little: false, mark: 0 }),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        if self.is_little { "UTF-16LE" } else { "UTF-16BE" }
    }
}

impl<R: Read> Utf16<R> {
    /// What stands behind the mark, if there is one.
    pub(super) fn behind_mark(input: R, order: Order) -> Self {
        let (used, text) = (order.mark as u64, Vec::new());
        Self { input, order, used, octet: None, high: None, text, at: 0 }
    }

    fn take(&mut self, octet: u8) -> io::Result<()> {
        self.used += 1;
        let Some(first) = self.octet.take() else {
            self.octet = Some(octet);
            return Ok(());
        };
        let octets = [first, octet];
        let unit = if self.order.is_little {
            u16::from_le_bytes(octets)
        } else {
            u16::from_be_bytes(octets)
        };
        let character = match (self.high.take(), unit) {
            (None, 0xd800..=0xdbff) => {
                self.high = Some(unit);
                return Ok(());
            }
            (high, unit) => char::decode_utf16(high.into_iter().chain([unit])).next(),
        };
        let Some(Ok(character)) = character else {
            return Err(self.wrong("half a character stands alone"));
        };
        self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn wrong(&self, what: &str) -> io::Error {
        let (name, used) = (self.order.name(), self.used);
        let text = format!("in {name}, which its first bytes say it is, {what} before byte {used}");
        io::Error::new(io::ErrorKind::InvalidData, text)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
            let mut piece = vec![0; PIECE];
            let count = self.input.read(&mut piece)?;
            if count == 0 {
                return match (self.octet, self.high) {
                    (None, None) => Ok(0),
                    _ => Err(self.wrong("the text ends within a character")),
                };
            }
            for octet in &piece[..count] {
                self.take(*octet)?;
            }
        }
        let count = into.len().min(self.text.len() - self.at);
        into[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(into.len()).min(1);
            self.0.split_at(count).0.iter().zip(into).for_each(|(from, to)| *to = *from);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn read(bytes: &[u8], is_little: bool) -> Result<String, String> {
        let order = Order { is_little, mark: 2 };
        let mut all = String::new();
        let mut whole = String::new();
        let slowly = Utf16::behind_mark(Slowly(bytes), order).read_to_string(&mut all);
        let at_once = Utf16::behind_mark(bytes, order).read_to_string(&mut whole);
        assert_eq!(slowly.is_ok(), at_once.is_ok());
        slowly.map_err(|it| it.to_string())?;
        assert_eq!(all, whole);
        Ok(all)
    }

    #[test]
    fn text_is_the_same_in_utf_8() {
        let text = "8=FIX.4.4\u{1}58=Grüße, \u{1f600} €\u{1}\r\n".repeat(1000);
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&little, true), Ok(text.clone()));
        assert_eq!(read(&big, false), Ok(text.clone()));
        assert_eq!(read(&[], true), Ok(String::new()));
    }

    #[test]
    fn its_beginning_says_the_order() {
        let order = |is_little, mark| Some(Order { is_little, mark });
        let text = "8=FIX.4.4\u{1}9=5";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(Order::of(&little), order(true, 0));
        assert_eq!(Order::of(&big), order(false, 0));
        assert_eq!(Order::of(&[b"\xff\xfe", &*little].concat()), order(true, 2));
        assert_eq!(Order::of(&[b"\xfe\xff", &*big].concat()), order(false, 2));
        for other in [text.as_bytes(), &little[..14], &[0; 40], b"", b"\xff"] {
            assert_eq!(Order::of(other), None, "{}", other.escape_ascii());
        }
    }

    #[test]
    fn what_is_none_is_told_with_its_charset_and_place() {
        let wrong = [
            (&b"a\0b"[..], "the text ends within a character before byte 5"),
            (b"a\0\x00\xd8", "the text ends within a character before byte 6"),
            (b"\x00\xdca\0", "half a character stands alone before byte 4"),
            (b"\x00\xd8a\0b\0", "half a character stands alone before byte 6"),
        ];
        for (bytes, why) in wrong {
            let told = read(bytes, true).expect_err("it is none");
            assert!(told.starts_with("in UTF-16LE") && told.ends_with(why), "{told}");
        }
    }
}
