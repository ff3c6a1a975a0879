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
use crate::fast_infoset::sender::{Found, Key, ValueTable};
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
            return self.out.put([0xff]);
        }
        let text = text.as_bytes();
        let added = match self.entry(ValueTable::OfAttributes, Key::of(text).as_ref(), text) {
            Entry::Known(index) => return self.out.index_2(0x80, index),
            Entry::Added => 0x40,
            Entry::Literal => 0,
        };
        match self.pack(text) {
            Some((number, form)) => {
                self.out.value_head(added | form << 4, number, self.packed.len());
                self.out.put_all(&self.packed);
            }
            None => {
                self.out.value_head(added, None, text.len());
                self.out.put_all(text);
            }
        }
    }

    /// Puts a short text, which has this key.
    #[inline(always)]
    pub(super) fn short_text(&mut self, key: &Key, text: &[u8]) {
        self.finish_tags();
        let added = match self.entry(ValueTable::OfTexts, Some(key), text) {
            Entry::Known(index) => return self.out.index_4(index),
            Entry::Added => 0x10,
            Entry::Literal => 0,
        };
        if self.packs() {
            return self.literal_chunk(added, text);
        }
        // The length of three octets and more stands in another.
        let length = text.len() as u8;
        let (head, head_length) = match length {
            0..3 => ([0x80 | added | length.wrapping_sub(1), 0], 1),
            _ => ([0x82 | added, length - 3], 2),
        };
        let mut cursor = self.out.cursor(2 + Key::LONGEST);
        cursor.block(&head, head_length);
        key.append(&mut cursor);
        cursor.finish();
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
    #[inline(never)]
    fn chunk(&mut self, text: &[u8]) {
        match self.entry(ValueTable::OfTexts, Key::of(text).as_ref(), text) {
            Entry::Known(index) => self.out.index_4(index),
            Entry::Added => self.literal_chunk(0x10, text),
            Entry::Literal => self.literal_chunk(0, text),
        }
    }

    /// A piece of text in full, which becomes an entry or not by this bit.
    #[inline(never)]
    fn literal_chunk(&mut self, added: u8, text: &[u8]) {
        match self.pack(text) {
            Some((number, form)) => {
                self.out.chunk_head(added | form << 2, number, self.packed.len());
                self.out.put_all(&self.packed);
            }
            None => {
                self.out.chunk_head(added, None, text.len());
                self.out.put_all(text);
            }
        }
    }

    /// May literals be in another form than UTF-8?
    #[inline(always)]
    fn packs(&self) -> bool {
        self.options.alphabets || self.options.encoding != Encoding::Utf8
    }

    /// Puts a literal into `packed` if it is not to be in UTF-8: the number of its alphabet, and its form.
    #[inline]
    fn pack(&mut self, text: &[u8]) -> Option<(Option<u8>, u8)> {
        if !self.packs() {
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

    /// Is the value, which is in UTF-8 and has this key if it is short, an entry of the table, or does it become one?
    #[inline(always)]
    fn entry(&mut self, table: ValueTable, key: Option<&Key>, text: &[u8]) -> Entry {
        if text.len() > self.longest_entry() && self.is_too_long(text) {
            self.counters.literals += 1;
            return Entry::Literal;
        }
        match self.sender.find_value(table, key, text) {
            Found::Entry(index, is_used)
                if output::index_length(table, index)
                    <= output::literal_length(table, text.len()) =>
            {
                self.counters.indexes += 1;
                if !is_used && self.retains {
                    self.sender.use_value(table, index);
                }
                Entry::Known(index)
            }
            Found::Entry(..) => {
                self.counters.literals += 1;
                Entry::Literal
            }
            Found::None(hash, place) => self.new_entry(table, key, text, (hash, place)),
        }
    }

    /// A value of more octets is no entry if it has more characters, too.
    #[inline(always)]
    fn longest_entry(&self) -> usize {
        let stated = self.beginning.as_ref().map_or(0, |it| it.longest);
        self.options.longest_entry.max(stated)
    }

    /// Has it more characters than an entry may have?
    #[cold]
    fn is_too_long(&self, text: &[u8]) -> bool {
        let is_first = |octet: &&u8| **octet & 0xc0 != 0x80;
        text.iter().filter(is_first).count() > self.longest_entry()
    }

    /// A value that is no entry.
    #[inline(never)]
    fn new_entry(
        &mut self,
        table: ValueTable,
        key: Option<&Key>,
        text: &[u8],
        place: (u64, usize),
    ) -> Entry {
        self.counters.literals += 1;
        if !self.pays(table, key, text) {
            self.undecided += 1;
            return Entry::Literal;
        }
        self.sender.add_value(table, key, text, place);
        Entry::Added
    }

    /// Is an entry shorter than the value, is there room for one, and is it likely that the value comes again?
    fn pays(&mut self, table: ValueTable, key: Option<&Key>, text: &[u8]) -> bool {
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
        let hash = match key {
            Some(key) => key.fixed_hash() ^ table as u64,
            None => FixedState::default().hash_one((table, text)),
        };
        let place = &mut self.once[hash as usize % ONCE];
        let mark = (hash >> 32) as u32 | 1;
        std::mem::replace(place, mark) == mark
    }
}
