//! What most of a message is, read at once: elements of names that are known which hold one text, starts of
//! others, and ends.
//!
//! Everything else, and everything that is wrong, is left to [`Parser::next`], with nothing read.

use super::parser::{Name, Namespace, Open, Parser, State};
use super::string::Text;
use super::vocabulary::{Span, Table};
use super::{END, TWO_ENDS, characters};
use crate::infoset::{Expected, Known};

/// The length of a name is one octet up to here.
const LONGEST_NAME: usize = 64;

/// What the first octet of a text says: where in the first octets, taken as one number, its index or its length stands,
/// and from which number on.
#[derive(Clone, Copy, Debug)]
struct Head {
    mask: u32,
    shift: u8,
    octets: u8,
    from: u16,
}

/// Those of the octets from 80 to BF; others than indexes of up to three octets, and UTF-8 of up to 258, have none.
const HEADS: [Head; 0x40] = {
    let none = Head { mask: 0, shift: 0, octets: 0, from: 0 };
    let mut heads = [none; 0x40];
    let mut at = 0;
    while at < heads.len() {
        heads[at] = match at as u8 {
            0x00 | 0x01 | 0x10 | 0x11 => Head { mask: 0x0100_0000, shift: 24, octets: 1, from: 1 },
            0x02 | 0x12 => Head { mask: 0x00ff_0000, shift: 16, octets: 2, from: 3 },
            0x20..0x30 => Head { mask: 0x0f00_0000, shift: 24, octets: 1, from: 0 },
            0x30..0x34 => Head { mask: 0x03ff_0000, shift: 16, octets: 2, from: 16 },
            0x34..0x38 => Head { mask: 0x03ff_ff00, shift: 8, octets: 3, from: 1040 },
            _ => none,
        };
        at += 1;
    }
    heads
};

impl Parser {
    /// As [`Reader::next_known`](crate::infoset::Reader::next_known).
    #[inline(always)]
    pub(super) fn next_known<T>(
        &mut self,
        bytes: &[u8],
        ends: bool,
        known: impl FnOnce(u32) -> Option<Expected<T>>,
    ) -> Option<Known<T, Name, Text>> {
        if self.state != State::Content {
            return None;
        }
        let at = self.position;
        if self.second_end {
            if !ends {
                return None;
            }
            self.second_end = false;
            self.began = at;
            self.close();
            return Some(Known::End);
        }
        let octet = *bytes.get(at)?;
        let (index, behind) = match octet {
            0..0x20 => (usize::from(octet), at + 1),
            0x20..0x28 => {
                let low = *bytes.get(at + 1)?;
                ((usize::from(octet & 7) << 8 | usize::from(low)) + 32, at + 2)
            }
            END | TWO_ENDS if ends => {
                self.second_end = octet == TWO_ENDS;
                (self.began, self.position) = (at, at + 1);
                self.close();
                return Some(Known::End);
            }
            0x3c | 0x3d | 0x3f => return self.literal_known(bytes, at, known),
            _ => return None,
        };
        let name = *self.vocabulary.elements.get(index)?;
        let expected = known(name.same)?;
        self.known_element(bytes, (name, at, behind), expected)
    }

    /// Reads an element of this name, which begins at `at`, and whose content begins at `behind`.
    #[inline(always)]
    fn known_element<T>(
        &mut self,
        bytes: &[u8],
        (name, at, behind): (Name, usize, usize),
        expected: Expected<T>,
    ) -> Option<Known<T, Name, Text>> {
        if self.open.len() >= self.limits.depth {
            return None;
        }
        match expected {
            Expected::Text(it) => {
                let text = self.known_text(bytes, behind)?;
                Some(Known::Text(it, text))
            }
            Expected::Start(it) => {
                self.attributes.clear();
                self.open.push(Open { name, declarations: self.declarations.len() as u32 });
                (self.began, self.position) = (at, behind);
                Some(Known::Start(it, name))
            }
        }
    }

    /// Reads an element whose name is not in the table, but was read before, as in documents that stand by themselves.
    /// Its prefix and its namespace are in theirs, if it has any.
    #[inline(never)]
    fn literal_known<T>(
        &mut self,
        bytes: &[u8],
        at: usize,
        known: impl FnOnce(u32) -> Option<Expected<T>>,
    ) -> Option<Known<T, Name, Text>> {
        let octet = bytes[at];
        let index = |at: usize| match *bytes.get(at)? {
            octet @ 0x80..0xc0 => Some(usize::from(octet & 0x3f)),
            _ => None,
        };
        let (mut start, mut prefix, mut namespace) = (at + 1, Span::default(), Namespace::NONE);
        if octet & 2 != 0 {
            prefix = self.vocabulary.get_known(Table::Prefixes, index(start)?)?;
            start += 1;
        }
        if octet & 1 != 0 {
            namespace = self.vocabulary.get_known_namespace(index(start)?)?;
            start += 1;
        }
        let length = usize::from(*bytes.get(start)?) + 1;
        start += 1;
        if length > LONGEST_NAME.min(self.limits.value_bytes) {
            return None;
        }
        let local = std::str::from_utf8(bytes.get(start..start + length)?).ok()?;
        let same = self.vocabulary.find_number(namespace, local)?;
        let expected = known(same)?;
        let has_room = self.vocabulary.has_room(&self.vocabulary_limits);
        if !has_room || self.check_binding(prefix, namespace, at).is_err() {
            return None;
        }
        let name = self.vocabulary.next_name(same);
        let read = self.known_element(bytes, (name, at, start + length), expected)?;
        self.vocabulary.add_known_name(name, (prefix, namespace), local);
        Some(read)
    }

    /// Reads one text, which stands at `at`, and the end of its element.
    #[inline(always)]
    fn known_text(&mut self, bytes: &[u8], at: usize) -> Option<Text> {
        // Behind the last text there are three ends at least: its own, that of the root and that of the document, unless
        // it is the root's.
        let first = bytes.get(at..)?.first_chunk::<4>()?;
        let octet = first[0];
        let head = HEADS.get(usize::from(octet ^ 0x80)).filter(|it| it.octets > 0)?;
        let number = (u32::from_be_bytes(*first) & head.mask) >> head.shift;
        let number = number as usize + usize::from(head.from);
        let start = at + usize::from(head.octets);
        let is_index = octet & 0x20 != 0;
        let end = if is_index { start } else { start + number };
        let is_last = match *bytes.get(end)? {
            END => false,
            TWO_ENDS => true,
            _ => return None,
        };
        let text = if is_index {
            let span = self.vocabulary.get_known(Table::Chunks, number)?;
            let expanded = self.expanded.saturating_add(span.length as usize);
            if expanded > self.limits.message_bytes {
                return None;
            }
            self.expanded = expanded;
            self.counters.indexes += 1;
            Text::of(span)
        } else {
            if number > self.limits.value_bytes || !characters::is_plain_in(bytes, start, end) {
                return None;
            }
            let is_added = octet & 0x10 != 0;
            let limits = &self.vocabulary_limits;
            if is_added && !self.vocabulary.add_plain(bytes, (start, end), limits) {
                return None;
            }
            self.counters.literals += 1;
            Text::of_input(start, end)
        };
        self.attributes.clear();
        (self.began, self.position, self.second_end) = (at, end + 1, is_last);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast_infoset::input::Input;

    /// The heads say what the numbers of the format are.
    #[test]
    fn heads_are_read_as_numbers() {
        for octet in 0..=255_u8 {
            let head = HEADS.get(usize::from(octet ^ 0x80)).filter(|it| it.octets > 0);
            let is_known = matches!(octet, 0x80..=0x82 | 0x90..=0x92 | 0xa0..=0xb7);
            assert_eq!(head.is_some(), is_known, "{octet:x}");
            let Some(head) = head else { continue };
            for rest in [[0, 0, 0], [1, 2, 3], [255, 254, 253]] {
                let first = [octet, rest[0], rest[1], rest[2]];
                let mut input = Input { bytes: &first, at: 1, longest: 1 };
                let number = match octet & 0x20 {
                    0 => input.length_7(octet),
                    _ => input.index_4(octet),
                };
                let read = (u32::from_be_bytes(first) & head.mask) >> head.shift;
                assert_eq!(read as usize + usize::from(head.from), number.unwrap(), "{first:x?}");
                assert_eq!(usize::from(head.octets), input.at);
            }
        }
    }
}
