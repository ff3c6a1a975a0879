//! Octets, and the whole numbers that begin somewhere within one: lengths and indexes (X.891 annex C.21 to C.28).

use trunkline_message::{Error, ErrorKind, Result};

use super::{exceeded, syntax};

/// The octets of a document, and where the next one stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// The most octets of a string, see `Limits::value_bytes`.
    pub(super) longest: usize,
}

impl<'a> Input<'a> {
    #[inline]
    pub(super) fn octet(&mut self, expected: &'static str) -> Result<u8> {
        match self.bytes.get(self.at) {
            Some(octet) => {
                self.at += 1;
                Ok(*octet)
            }
            None => Err(self.truncated(expected)),
        }
    }

    /// So many octets, as a number.
    #[inline]
    fn number(&mut self, octets: usize) -> Result<usize> {
        match self.bytes.get(self.at..self.at + octets) {
            Some(bytes) => {
                self.at += octets;
                Ok(bytes.iter().fold(0, |number, octet| number << 8 | usize::from(*octet)))
            }
            None => Err(self.truncated("the rest of a number")),
        }
    }

    /// So many octets.
    #[inline]
    pub(super) fn take(&mut self, length: usize, expected: &'static str) -> Result<&'a [u8]> {
        if length > self.longest {
            return Err(exceeded("value_bytes", self.longest, self.at));
        }
        match self.bytes.get(self.at..self.at + length) {
            Some(bytes) => {
                self.at += length;
                Ok(bytes)
            }
            None => Err(self.truncated(expected)),
        }
    }

    #[cold]
    #[inline(never)]
    fn truncated(&self, expected: &'static str) -> Error {
        Error::new(ErrorKind::Truncated { expected }, self.bytes.len())
    }

    /// An octet that has no meaning where it stands, which was the last one read.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown(&self, octet: u8, expected: &str) -> Error {
        syntax(format!("octet {octet:02x}, expected {expected}"), self.at - 1)
    }

    /// An index that begins on the second bit of an octet, whose other bits these are.
    #[inline]
    pub(super) fn index_2(&mut self, octet: u8) -> Result<usize> {
        let bits = usize::from(octet & 0x7f);
        match bits {
            0..0x40 => Ok(bits),
            0x40..0x60 => Ok(((bits & 0x1f) << 8 | self.number(1)?) + 64),
            0x60..0x70 => Ok(((bits & 0x0f) << 16 | self.number(2)?) + 8256),
            _ => Err(self.unknown(octet, "an index")),
        }
    }

    /// An index that begins on the third bit: that of an element's name.
    #[inline]
    pub(super) fn index_3(&mut self, octet: u8) -> Result<usize> {
        let bits = usize::from(octet & 0x3f);
        match bits {
            0..0x20 => Ok(bits),
            0x20..0x28 => Ok(((bits & 7) << 8 | self.number(1)?) + 32),
            0x28..0x30 => Ok(((bits & 7) << 16 | self.number(2)?) + 2080),
            0x30 => Ok((self.number(3)? & 0xf_ffff) + 526_368),
            _ => Err(self.unknown(octet, "the name of an element")),
        }
    }

    /// An index that begins on the fourth bit: that of a piece of text.
    #[inline]
    pub(super) fn index_4(&mut self, octet: u8) -> Result<usize> {
        let bits = usize::from(octet & 0x1f);
        match bits {
            0..0x10 => Ok(bits),
            0x10..0x14 => Ok(((bits & 3) << 8 | self.number(1)?) + 16),
            0x14..0x18 => Ok(((bits & 3) << 16 | self.number(2)?) + 1040),
            0x18 => Ok((self.number(3)? & 0xf_ffff) + 263_184),
            _ => Err(self.unknown(octet, "the index of a piece of text")),
        }
    }

    /// A length that begins on the second bit.
    #[inline]
    pub(super) fn length_2(&mut self, octet: u8) -> Result<usize> {
        match octet & 0x7f {
            bits @ 0..0x40 => Ok(usize::from(bits) + 1),
            0x40 => Ok(self.number(1)? + 65),
            0x60 => Ok(self.number(4)? + 321),
            _ => Err(self.unknown(octet, "the length of a string")),
        }
    }

    /// A length that begins on the fifth bit.
    #[inline]
    pub(super) fn length_5(&mut self, octet: u8) -> Result<usize> {
        match octet & 0x0f {
            bits @ 0..8 => Ok(usize::from(bits) + 1),
            8 => Ok(self.number(1)? + 9),
            0x0c => Ok(self.number(4)? + 265),
            _ => Err(self.unknown(octet, "the length of a string")),
        }
    }

    /// A length that begins on the seventh bit.
    #[inline]
    pub(super) fn length_7(&mut self, octet: u8) -> Result<usize> {
        match octet & 3 {
            bits @ 0..2 => Ok(usize::from(bits) + 1),
            2 => Ok(self.number(1)? + 3),
            _ => Ok(self.number(4)? + 259),
        }
    }

    /// How many items a sequence has.
    pub(super) fn count(&mut self) -> Result<usize> {
        let octet = self.octet("the length of a sequence")?;
        match octet {
            0..0x80 => Ok(usize::from(octet) + 1),
            0x80..0x90 => Ok((usize::from(octet & 0x0f) << 16 | self.number(2)?) + 129),
            _ => Err(self.unknown(octet, "the length of a sequence")),
        }
    }

    /// Octets whose length begins on the second bit of the next one, the first bit of which is 0.
    pub(super) fn string(&mut self, expected: &'static str) -> Result<&'a [u8]> {
        let octet = self.octet(expected)?;
        if octet & 0x80 != 0 {
            return Err(self.unknown(octet, expected));
        }
        let length = self.length_2(octet)?;
        self.take(length, expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], read: impl Fn(&mut Input<'_>, u8) -> Result<usize>) -> Option<usize> {
        let mut input = Input { bytes, at: 1, longest: 100 };
        let number = read(&mut input, bytes[0]).ok()?;
        assert_eq!(input.at, bytes.len());
        Some(number)
    }

    #[test]
    fn indexes_have_the_ranges_of_their_forms() {
        let second = |bytes: &[u8]| read(bytes, |input, octet| input.index_2(octet));
        assert_eq!(second(&[0x80]), Some(0));
        assert_eq!(second(&[0xbf]), Some(63));
        assert_eq!(second(&[0xc0, 0]), Some(64));
        assert_eq!(second(&[0xdf, 0xff]), Some(8255));
        assert_eq!(second(&[0xe0, 0, 0]), Some(8256));
        assert_eq!(second(&[0xef, 0xff, 0xff]), Some(1_056_831));
        assert_eq!(second(&[0xf0]), None);
        let third = |bytes: &[u8]| read(bytes, |input, octet| input.index_3(octet));
        assert_eq!(third(&[0x1f]), Some(31));
        assert_eq!(third(&[0x20, 0]), Some(32));
        assert_eq!(third(&[0x27, 0xff]), Some(2079));
        assert_eq!(third(&[0x28, 0, 0]), Some(2080));
        assert_eq!(third(&[0x2f, 0xff, 0xff]), Some(526_367));
        assert_eq!(third(&[0x30, 0, 0, 0]), Some(526_368));
        assert_eq!(third(&[0x31]), None);
        let fourth = |bytes: &[u8]| read(bytes, |input, octet| input.index_4(octet));
        assert_eq!(fourth(&[0xaf]), Some(15));
        assert_eq!(fourth(&[0xb0, 0]), Some(16));
        assert_eq!(fourth(&[0xb3, 0xff]), Some(1039));
        assert_eq!(fourth(&[0xb4, 0, 0]), Some(1040));
        assert_eq!(fourth(&[0xb7, 0xff, 0xff]), Some(263_183));
        assert_eq!(fourth(&[0xb8, 0, 0, 0]), Some(263_184));
        assert_eq!(fourth(&[0xb9]), None);
    }

    #[test]
    fn lengths_have_the_ranges_of_their_forms() {
        let second = |bytes: &[u8]| read(bytes, |input, octet| input.length_2(octet));
        assert_eq!(second(&[0x3f]), Some(64));
        assert_eq!(second(&[0x40, 0]), Some(65));
        assert_eq!(second(&[0x60, 0, 0, 0, 0]), Some(321));
        assert_eq!(second(&[0x41]), None);
        let fifth = |bytes: &[u8]| read(bytes, |input, octet| input.length_5(octet));
        assert_eq!(fifth(&[0x07]), Some(8));
        assert_eq!(fifth(&[0x08, 0xff]), Some(264));
        assert_eq!(fifth(&[0x0c, 0, 0, 0, 1]), Some(266));
        assert_eq!(fifth(&[0x09]), None);
        let seventh = |bytes: &[u8]| read(bytes, |input, octet| input.length_7(octet));
        assert_eq!(seventh(&[0x81]), Some(2));
        assert_eq!(seventh(&[0x92, 0x08]), Some(11));
        assert_eq!(seventh(&[0x83, 0, 0, 0, 0]), Some(259));
        let count = |bytes: &[u8]| {
            read(bytes, |input, _| {
                input.at = 0;
                input.count()
            })
        };
        assert_eq!(count(&[0x7f]), Some(128));
        assert_eq!(count(&[0x8f, 0xff, 0xff]), Some(1_048_704));
        assert_eq!(count(&[0x90]), None);
    }
}
