//! Lengths and indexes as they begin somewhere within an octet (X.891 annex C.21 to C.28).

use trunkline_wire::Output;

use crate::fast_infoset::sender::ValueTable;

/// What is appended to.
pub(super) trait Octets {
    /// Octets.
    fn put<const N: usize>(&mut self, octets: [u8; N]);

    /// Octets of any number.
    fn put_all(&mut self, octets: &[u8]);

    /// Zeros, which are answered to be set.
    fn put_zeros(&mut self, count: usize) -> &mut [u8];

    /// An index from the second bit on, behind the bits `top`.
    #[inline]
    fn index_2(&mut self, top: u8, index: usize) {
        match index {
            0..64 => self.put([top | index as u8]),
            64..8256 => self.put(number::<2>(top | 0x40, index - 64)),
            _ => self.put(number::<3>(top | 0x60, index - 8256)),
        }
    }

    /// That of an element's name, from the third bit on.
    #[inline]
    fn index_3(&mut self, top: u8, index: usize) {
        match index {
            0..32 => self.put([top | index as u8]),
            32..2080 => self.put(number::<2>(top | 0x20, index - 32)),
            2080..526_368 => self.put(number::<3>(top | 0x28, index - 2080)),
            _ => self.put(number::<4>(top | 0x30, index - 526_368)),
        }
    }

    /// That of a piece of text, from the fourth bit on.
    #[inline]
    fn index_4(&mut self, index: usize) {
        match index {
            0..16 => self.put([0xa0 | index as u8]),
            16..1040 => self.put(number::<2>(0xb0, index - 16)),
            1040..263_184 => self.put(number::<3>(0xb4, index - 1040)),
            _ => self.put(number::<4>(0xb8, index - 263_184)),
        }
    }

    /// A length from the second bit on, behind a bit that is 0.
    fn length_2(&mut self, length: usize) {
        match length {
            0..65 => self.put([(length - 1) as u8]),
            65..321 => self.put(number::<2>(0x40, length - 65)),
            _ => self.put(number::<5>(0x60, length - 321)),
        }
    }

    /// How many items follow, of which there is one at least.
    fn count(&mut self, items: usize) {
        match items {
            0..129 => self.put([(items - 1) as u8]),
            _ => self.put(number::<3>(0x80, items - 129)),
        }
    }

    /// What stands before the octets of a value of an attribute, in the form of these bits.
    fn value_head(&mut self, bits: u8, table_number: Option<u8>, length: usize) {
        let top = match table_number {
            None => bits,
            Some(number) => {
                self.put([bits | number >> 4]);
                number << 4
            }
        };
        match length {
            0..9 => self.put([top | (length - 1) as u8]),
            9..265 => self.put(number::<2>(top | 8, length - 9)),
            _ => self.put(number::<5>(top | 0x0c, length - 265)),
        }
    }

    /// The same of a piece of text.
    #[inline]
    fn chunk_head(&mut self, bits: u8, table_number: Option<u8>, length: usize) {
        let top = match table_number {
            None => 0x80 | bits,
            Some(number) => {
                self.put([0x80 | bits | number >> 6]);
                number << 2
            }
        };
        match length {
            0..3 => self.put([top | (length - 1) as u8]),
            3..259 => self.put(number::<2>(top | 2, length - 3)),
            _ => self.put(number::<5>(top | 3, length - 259)),
        }
    }

    /// Values, each of which takes `N` octets.
    #[inline]
    fn items<T: Copy, const N: usize>(&mut self, values: &[T], each: impl Fn(T) -> [u8; N]) {
        let (places, _) = self.put_zeros(N * values.len()).as_chunks_mut::<N>();
        places.iter_mut().zip(values).for_each(|(place, value)| *place = each(*value));
    }
}

/// The `N` octets of a number behind the first bits, which are those of `top`.
#[inline(always)]
fn number<const N: usize>(top: u8, number: usize) -> [u8; N] {
    let number = u64::from(top) << (8 * (N - 1)) | number as u64;
    *number.to_be_bytes().last_chunk::<N>().unwrap_or(&[0; N])
}

impl Octets for Output {
    #[inline(always)]
    fn put<const N: usize>(&mut self, octets: [u8; N]) {
        let mut cursor = self.cursor(N);
        cursor.array(octets);
        cursor.finish();
    }

    #[inline]
    fn put_all(&mut self, octets: &[u8]) {
        self.extend(octets);
    }

    #[inline]
    fn put_zeros(&mut self, count: usize) -> &mut [u8] {
        let start = self.len();
        self.zeros(count);
        &mut self.as_mut_slice()[start..]
    }
}

impl Octets for Vec<u8> {
    #[inline]
    fn put<const N: usize>(&mut self, octets: [u8; N]) {
        self.extend_from_slice(&octets);
    }

    fn put_all(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }

    fn put_zeros(&mut self, count: usize) -> &mut [u8] {
        let start = self.len();
        self.resize(start + count, 0);
        &mut self[start..]
    }
}

/// How many octets an index of a table takes.
#[inline]
pub(super) fn index_length(table: ValueTable, index: usize) -> usize {
    match (table == ValueTable::OfTexts, index) {
        (true, 0..16) | (false, 0..64) => 1,
        (true, 16..1040) | (false, 64..8256) => 2,
        (true, 1040..263_184) | (false, _) => 3,
        (true, _) => 4,
    }
}

/// How many octets a value takes in full, in UTF-8.
#[inline]
pub(super) fn literal_length(table: ValueTable, length: usize) -> usize {
    let longest = if table == ValueTable::OfTexts { 2 } else { 8 };
    length + 1 + usize::from(length > longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast_infoset::input::Input;

    /// What is written at the edges of each range is read, in as many octets as are counted.
    #[test]
    fn numbers_are_read_as_they_were_written() {
        let edges = [0, 1, 2, 8, 9, 16, 32, 64, 65, 259, 264, 265, 320, 321, 1040, 2080, 8256];
        let more = [263_184, 526_368, 1_048_575];
        let near = |edge: usize| [edge.saturating_sub(1), edge, edge + 1];
        for number in edges.into_iter().chain(more).flat_map(near) {
            let check = |write: &dyn Fn(&mut Vec<u8>),
                         read: &dyn Fn(&mut Input<'_>, u8) -> usize| {
                let mut out = Vec::new();
                write(&mut out);
                let mut input = Input { bytes: &out, at: 1, longest: usize::MAX };
                assert_eq!(read(&mut input, out[0]), number, "{out:x?}");
                assert_eq!(input.at, out.len());
                out.len()
            };
            let length =
                check(&|out| out.index_2(0x80, number), &|it, octet| it.index_2(octet).unwrap());
            assert_eq!(length, index_length(ValueTable::OfAttributes, number));
            check(&|out| out.index_3(0x40, number), &|it, octet| it.index_3(octet).unwrap());
            let length = check(&|out| out.index_4(number), &|it, octet| it.index_4(octet).unwrap());
            assert_eq!(length, index_length(ValueTable::OfTexts, number), "{number}");
            if number > 0 {
                check(&|out| out.length_2(number), &|it, octet| it.length_2(octet).unwrap());
                check(&|out| out.value_head(0x40, None, number), &|it, octet| {
                    it.length_5(octet).unwrap()
                });
                check(&|out| out.chunk_head(0x10, None, number), &|it, octet| {
                    it.length_7(octet).unwrap()
                });
            }
        }
    }
}
