//! Numbers of variable length: in nibbles and in bytes.

/// Reads nibbles, the high half of a byte first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nibbles<'a> {
    bytes: &'a [u8],
    at: usize,
    is_low: bool,
}

/// Why there is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// Its end has not come yet.
    Bytes,
    /// It has more than 32 bits.
    TooLarge,
}

impl<'a> Nibbles<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, is_low: false }
    }

    fn nibble(&mut self) -> Result<u8, Lack> {
        let byte = *self.bytes.get(self.at).ok_or(Lack::Bytes)?;
        let nibble = if self.is_low { byte & 15 } else { byte >> 4 };
        self.at += usize::from(self.is_low);
        self.is_low = !self.is_low;
        Ok(nibble)
    }

    /// Groups of three bits, the least significant first; with 8 set, another follows.
    pub(super) fn int4(&mut self) -> Result<u32, Lack> {
        groups(3, || self.nibble())
    }

    /// Goes to the next whole byte, and gives its place.
    pub(super) fn align(&mut self) -> usize {
        self.at += usize::from(self.is_low);
        self.is_low = false;
        self.at
    }

    /// Groups of seven bits from the next whole byte, the least significant first; with 0x80 set, another
    /// follows.
    pub(super) fn int8(&mut self) -> Result<u32, Lack> {
        self.align();
        groups(7, || {
            let byte = *self.bytes.get(self.at).ok_or(Lack::Bytes)?;
            self.at += 1;
            Ok(byte)
        })
    }

    /// So many bytes from the next whole one.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Lack> {
        let at = self.align();
        let end = at.checked_add(length).ok_or(Lack::TooLarge)?;
        let taken = self.bytes.get(at..end).ok_or(Lack::Bytes)?;
        self.at = end;
        Ok(taken)
    }
}

/// A number in groups of so many bits, with a bit above that says whether another follows.
fn groups(bits: u32, mut next: impl FnMut() -> Result<u8, Lack>) -> Result<u32, Lack> {
    let mut value = 0u64;
    let mut shift = 0;
    loop {
        let group = next()?;
        value |= u64::from(group & ((1 << bits) - 1)) << shift;
        if value > u64::from(u32::MAX) {
            return Err(Lack::TooLarge);
        }
        if group >> bits == 0 {
            return Ok(value as u32);
        }
        shift += bits;
        if shift >= 35 {
            return Err(Lack::TooLarge);
        }
    }
}

/// Writes nibbles, the high half of a byte first.
pub(super) struct NibbleWriter<'a> {
    out: &'a mut Vec<u8>,
    is_low: bool,
}

impl<'a> NibbleWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, is_low: false }
    }

    pub(super) fn int4(&mut self, mut value: u32) {
        loop {
            let more = if value > 7 { 8 } else { 0 };
            let nibble = (value & 7) as u8 | more;
            match self.out.last_mut().filter(|_| self.is_low) {
                Some(byte) => *byte |= nibble,
                None => self.out.push(nibble << 4),
            }
            self.is_low = !self.is_low;
            value >>= 3;
            if more == 0 {
                return;
            }
        }
    }

    /// Raw bytes; the nibble beside the last one stays zero.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.is_low = false;
        self.out.extend_from_slice(bytes);
    }
}

pub(super) fn write_int8(mut value: u32, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the protocol.
    #[test]
    fn numbers_are_written_as_the_protocol_has_them() {
        for (value, bytes) in [
            (0, &[0x00][..]),
            (5, &[0x50]),
            (7, &[0x70]),
            (8, &[0x81]),
            (27, &[0xb3]),
            (40, &[0x85]),
        ] {
            let mut out = Vec::new();
            NibbleWriter::new(&mut out).int4(value);
            assert_eq!(out, bytes, "{value}");
            assert_eq!(Nibbles::new(&out).int4(), Ok(value));
        }
        for (value, bytes) in [(218, &[0xda, 0x01][..]), (65_500, &[0xdc, 0xff, 0x03]), (0, &[0])] {
            let mut out = Vec::new();
            write_int8(value, &mut out);
            assert_eq!(out, bytes, "{value}");
            assert_eq!(Nibbles::new(&out).int8(), Ok(value));
        }
    }

    #[test]
    fn any_number_comes_back_and_none_is_too_large() {
        for shift in 0..32 {
            for value in [1u32 << shift, (1u32 << shift) - 1, u32::MAX >> shift] {
                let mut out = Vec::new();
                let mut writer = NibbleWriter::new(&mut out);
                writer.int4(value);
                writer.int4(3);
                writer.bytes(b"x");
                write_int8(value, &mut out);
                let mut nibbles = Nibbles::new(&out);
                assert_eq!((nibbles.int4(), nibbles.int4()), (Ok(value), Ok(3)));
                assert_eq!(nibbles.take(1), Ok(&b"x"[..]));
                assert_eq!(nibbles.int8(), Ok(value));
            }
        }
        assert_eq!(Nibbles::new(&[0xff; 9]).int4(), Err(Lack::TooLarge));
        assert_eq!(Nibbles::new(&[0xff; 9]).int8(), Err(Lack::TooLarge));
        assert_eq!(Nibbles::new(&[0xff; 2]).int8(), Err(Lack::Bytes));
    }
}
