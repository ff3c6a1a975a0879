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

/// A text that was looked at.
enum Peeked {
    /// The index of a value.
    Index(usize),
    /// Octets in UTF-8, from where on, and whether they become an entry.
    Literal(usize, bool),
}

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
        let octet = *bytes.get(at)?;
        let next = || bytes.get(at + 1).map(|it| usize::from(*it));
        let (peeked, end) = match octet {
            0xa0..0xb0 => (Peeked::Index(usize::from(octet & 0x0f)), at + 1),
            0xb0..0xb4 => (Peeked::Index((usize::from(octet & 3) << 8 | next()?) + 16), at + 2),
            0xb4..0xb8 => {
                let low = usize::from(*bytes.get(at + 2)?);
                let index = usize::from(octet & 3) << 16 | next()? << 8 | low;
                (Peeked::Index(index + 1040), at + 3)
            }
            0x80..0x83 | 0x90..0x93 => {
                let is_long = octet & 3 == 2;
                let start = at + 1 + usize::from(is_long);
                let length = if is_long { next()? + 3 } else { usize::from(octet & 3) + 1 };
                if length > self.limits.value_bytes {
                    return None;
                }
                (Peeked::Literal(start, octet & 0x10 != 0), start + length)
            }
            _ => return None,
        };
        let is_last = match *bytes.get(end)? {
            END => false,
            TWO_ENDS => true,
            _ => return None,
        };
        let text = match peeked {
            Peeked::Index(index) => {
                let span = self.vocabulary.get_known(Table::Chunks, index)?;
                let expanded = self.expanded.saturating_add(span.length as usize);
                if expanded > self.limits.message_bytes {
                    return None;
                }
                self.expanded = expanded;
                self.counters.indexes += 1;
                Text::of(span)
            }
            Peeked::Literal(start, is_added) => {
                if !characters::is_plain_in(bytes, start, end) {
                    return None;
                }
                let text = match is_added {
                    false => Text::of_input(start, end),
                    true => self.add_known(bytes.get(start..end)?, start)?,
                };
                self.counters.literals += 1;
                text
            }
        };
        self.attributes.clear();
        (self.began, self.position, self.second_end) = (at, end + 1, is_last);
        Some(text)
    }

    /// Adds a text of ASCII, if there is room.
    fn add_known(&mut self, bytes: &[u8], at: usize) -> Option<Text> {
        let text = std::str::from_utf8(bytes).ok()?;
        let span = self.vocabulary.add(Table::Chunks, text, &self.vocabulary_limits, at).ok()?;
        Some(Text::of(span))
    }
}
