//! The values of an enumeration as FIX writes them.

use trunkline_wire::Cursor;

use super::window::Window;

/// The codes of an enumeration, to write and to look up.
#[derive(Debug)]
pub(super) struct Codes {
    /// Of the enumeration.
    pub(super) name: Box<str>,
    written: Box<[Code]>,
    /// Places of the codes of one byte, from 1 on.
    of_byte: Window,
    sorted: Box<[(Box<[u8]>, usize)]>,
}

/// A code as a block to be written whole, if that holds it.
#[derive(Debug)]
pub(super) struct Code {
    block: [u8; 16],
    whole: Box<[u8]>,
}

impl Code {
    fn new(code: &[u8]) -> Self {
        let mut block = [0; 16];
        if let Some(room) = block.get_mut(..code.len()) {
            room.copy_from_slice(code);
        }
        Self { block, whole: code.into() }
    }

    /// As many bytes as [`Self::write`] needs.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.whole.len().max(self.block.len())
    }

    #[inline]
    pub(super) fn write(&self, cursor: &mut Cursor<'_>) {
        match self.whole.len() {
            len if len <= self.block.len() => cursor.block(&self.block, len),
            _ => cursor.copy(&self.whole),
        }
    }
}

impl Codes {
    /// The codes of the values of an enumeration of this name; no two are the same.
    pub(super) fn new(name: &str, codes: &[Box<[u8]>]) -> Self {
        let mut sorted: Vec<_> = codes.iter().cloned().zip(0..).collect();
        sorted.sort_unstable();
        let of_byte = codes.iter().zip(1_u32..).filter_map(|(code, place)| match **code {
            [byte] => Some((u32::from(byte), u16::try_from(place).ok()?)),
            _ => None,
        });
        Self {
            name: name.into(),
            written: codes.iter().map(|code| Code::new(code)).collect(),
            of_byte: Window::new(&of_byte.collect::<Vec<_>>()),
            sorted: sorted.into(),
        }
    }

    /// The code of the value at this place.
    #[inline]
    pub(super) fn code(&self, value: usize) -> Option<&Code> {
        self.written.get(value)
    }

    /// The place of the value that has this code.
    #[inline]
    pub(super) fn find(&self, code: &[u8]) -> Option<usize> {
        if let [byte] = code
            && let Some(place @ 1..) = self.of_byte.get((*byte).into())
        {
            return Some(usize::from(place) - 1);
        }
        self.search(code)
    }

    #[inline(never)]
    fn search(&self, code: &[u8]) -> Option<usize> {
        let found = self.sorted.binary_search_by(|(it, _)| (**it).cmp(code));
        found.ok().map(|at| self.sorted[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_and_nothing_else() {
        let mut codes: Vec<Box<[u8]>> = vec![];
        for first in 2..=255_u8 {
            codes.push([first].into());
            codes.push([first, first].into());
            codes.push([first; 20].into());
        }
        // More than the places that the table of bytes holds.
        codes.extend((0..65_600).map(|it: u32| it.to_string().into_bytes().into()));
        let mut known = std::collections::HashSet::new();
        codes.retain(|it| known.insert(it.clone()));
        codes.push([1].into());
        let table = Codes::new("It", &codes);
        for (place, code) in codes.iter().enumerate() {
            assert_eq!(table.find(code), Some(place));
        }
        assert_eq!(table.find(b""), None);
        assert_eq!(table.find(b"\0"), None);
        assert_eq!(table.find(b"999999"), None);
        assert!(table.code(codes.len()).is_none());
    }
}
