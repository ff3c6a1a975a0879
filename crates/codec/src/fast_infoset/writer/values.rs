//! Values and texts, and which of them become entries of the vocabulary.
//!
//! To add a value takes no octet, but room on both sides, and longer indexes of all that are added behind it. So a
//! sequence adds values when they come first, as long as enough of its entries have proved worth their room: those
//! that were never used are no more than [`WriterOptions::idle_entries`](super::WriterOptions), or than those that
//! were. Beyond that a value is added when it comes the second time, lately. Values that do not come again use up the
//! idle entries, and no more.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::output::{self, Octets};
use super::{Encoding, Writer, legal};
use crate::fast_infoset::vocabulary::Table;
use crate::fast_infoset::{LONGEST_TABLE, alphabet};

/// So many values that came once are remembered.
pub(super) const ONCE: usize = 4096;

/// How a value is written.
enum Entry {
    Known(usize),
    Added,
    Literal,
}

impl Writer {
    /// The value of an attribute.
    pub(super) fn value(&mut self, text: &str) {
        if text.is_empty() {
            return self.out.push(0xff);
        }
        let added = match self.entry(Table::AttributeValues, text.as_bytes()) {
            Entry::Known(index) => return self.out.index_2(0x80, index),
            Entry::Added => 0x40,
            Entry::Literal => 0,
        };
        match self.pack(text.as_bytes()) {
            Some((number, form)) => {
                self.out.value_head(added | form << 4, number, self.packed.len());
                self.out.extend_from_slice(&self.packed);
            }
            None => {
                self.out.value_head(added, None, text.len());
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// Puts a text of ASCII in which no control character stands.
    #[inline]
    pub(super) fn plain_text(&mut self, text: &[u8]) {
        if !text.is_empty() {
            self.finish_tags();
            self.chunk(text);
        }
    }

    /// Puts a text of any characters; had it none but those of XML?
    #[inline(never)]
    pub(super) fn other_text(&mut self, text: &str) -> bool {
        let (text, is_legal) = legal(text);
        self.finish_tags();
        self.chunk(text.as_bytes());
        is_legal
    }

    /// A piece of text in UTF-8, which is not empty.
    #[inline]
    fn chunk(&mut self, text: &[u8]) {
        let added = match self.entry(Table::Chunks, text) {
            Entry::Known(index) => return self.out.index_4(index),
            Entry::Added => 0x10,
            Entry::Literal => 0,
        };
        match self.pack(text) {
            Some((number, form)) => {
                self.out.chunk_head(added | form << 2, number, self.packed.len());
                self.out.extend_from_slice(&self.packed);
            }
            None => {
                self.out.chunk_head(added, None, text.len());
                self.out.extend_from_slice(text);
            }
        }
    }

    /// Puts a literal into `packed` if it is not to be in UTF-8: the number of its alphabet, and its form.
    #[inline]
    fn pack(&mut self, text: &[u8]) -> Option<(Option<u8>, u8)> {
        if !self.options.alphabets && self.options.encoding == Encoding::Utf8 {
            return None;
        }
        let text = std::str::from_utf8(text).unwrap_or_default();
        self.packed.clear();
        if self.options.alphabets && text.len() > 3 {
            let number = (0..2).find(|number| alphabet::pack(*number, text, &mut self.packed));
            if let Some(number) = number {
                return Some((Some(number as u8), 2));
            }
        }
        if self.options.encoding == Encoding::Utf8 {
            return None;
        }
        self.packed.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        Some((None, 1))
    }

    /// Is the value, which is in UTF-8, an entry of the table, or does it become one?
    #[inline(always)]
    fn entry(&mut self, table: Table, text: &[u8]) -> Entry {
        if text.len() > self.options.longest_entry && self.is_too_long(text) {
            self.counters.literals += 1;
            return Entry::Literal;
        }
        let hash = self.sender.hash(table, text);
        match self.sender.find(table, hash, text) {
            Some(index)
                if output::index_length(table, index)
                    <= output::literal_length(table, text.len()) =>
            {
                self.counters.indexes += 1;
                if self.retains {
                    self.sender.use_value(table, index);
                }
                Entry::Known(index)
            }
            Some(_) => {
                self.counters.literals += 1;
                Entry::Literal
            }
            None => self.new_entry(table, hash, text),
        }
    }

    /// Has it more characters than an entry may have?
    #[cold]
    fn is_too_long(&self, text: &[u8]) -> bool {
        let is_first = |octet: &&u8| **octet & 0xc0 != 0x80;
        text.iter().filter(is_first).count() > self.options.longest_entry
    }

    /// A value that is no entry.
    #[inline(never)]
    fn new_entry(&mut self, table: Table, hash: u64, text: &[u8]) -> Entry {
        self.counters.literals += 1;
        if !self.pays(table, text) {
            return Entry::Literal;
        }
        self.sender.add_value(table, hash, text);
        Entry::Added
    }

    /// Is an entry shorter than the value, is there room for one, and is it likely that the value comes again?
    fn pays(&mut self, table: Table, text: &[u8]) -> bool {
        let (next, length) = (self.sender.length(table), text.len());
        if output::index_length(table, next) >= output::literal_length(table, length)
            || next >= LONGEST_TABLE
        {
            return false;
        }
        let (size, limits) = (self.sender.size(), &self.options.vocabulary);
        if size.entries >= limits.entries || size.bytes + length > limits.bytes {
            return false;
        }
        let (used, idle) = self.sender.used_and_idle();
        if !self.retains || idle < used.max(self.options.idle_entries) {
            return true;
        }
        // Not by the tables' hash, which is keyed at random: what becomes an entry follows from what was written. The low
        // bits choose the place.
        let hash = FixedState::default().hash_one((table as u8, text));
        let place = &mut self.once[hash as usize % ONCE];
        let mark = (hash >> 32) as u32 | 1;
        std::mem::replace(place, mark) == mark
    }
}
