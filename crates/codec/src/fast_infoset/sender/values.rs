//! A table of values. Most are short, and found without another look: a place in the table holds the value itself,
//! as numbers.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use trunkline_wire::{Cursor, Window};

use super::{Octets, is_same, octets};
use crate::fast_infoset::vocabulary::Span;

/// Octets from the blank on are characters of ASCII, none of which is a control character.
const BLANKS: u64 = 0x2020_2020_2020_2020;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// So many places has a table at least.
const LEAST: usize = 64;

/// For each length, where the octets of a value are not, all bits; there a key has blanks.
const BEHIND: [[u64; 3]; Key::LONGEST + 1] = {
    let mut all = [[0; 3]; Key::LONGEST + 1];
    let mut length = 0;
    while length < all.len() {
        let mut at = length;
        while at < Key::LONGEST {
            all[length][at / 8] |= 0xff << (8 * (at % 8));
            at += 1;
        }
        length += 1;
    }
    all
};

/// A value of few octets, as numbers. Two are the same value if they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fast_infoset) struct Key {
    /// Its octets, and blanks behind them.
    words: [u64; 3],
    length: u32,
}

impl Key {
    /// The most octets.
    pub(in crate::fast_infoset) const LONGEST: usize = 24;

    /// None of a value that is empty or long.
    #[inline(always)]
    pub(in crate::fast_infoset) fn of(text: &[u8]) -> Option<Self> {
        let length = text.len();
        // The last octets overlap the first, and are moved to where they belong. A shift by all bits leaves nothing.
        let behind = |word: u64, bytes: usize| word.unbounded_shr(8 * (8 - bytes) as u32);
        let words = match length {
            0 => return None,
            1..4 => {
                let few = [text[0], text[length / 2], text[length - 1]].map(u64::from);
                let word = few[0] | few[1] << (8 * (length / 2)) | few[2] << (8 * (length - 1));
                [word, 0, 0]
            }
            4..8 => {
                let (first, last) = (text.first_chunk()?, text.last_chunk()?);
                let [first, last] = [first, last].map(|it| u64::from(u32::from_le_bytes(*it)));
                [first | last << (8 * (length - 4)), 0, 0]
            }
            8..=16 => [first_word(text)?, behind(last_word(text)?, length - 8), 0],
            17..=24 => {
                let last = behind(last_word(text)?, length - 16);
                [first_word(text)?, first_word(text.get(8..)?)?, last]
            }
            _ => return None,
        };
        Some(Self::filled(words, length))
    }

    /// That of the first octets of a block, however many: no processor can guess how long a value is.
    #[inline(always)]
    pub(in crate::fast_infoset) fn of_block(block: &[u8; 24], length: usize) -> Option<Self> {
        if length.wrapping_sub(1) >= Self::LONGEST {
            return None;
        }
        let (words, _) = block.as_chunks();
        let words = [0, 1, 2].map(|at| u64::from_le_bytes(words[at]));
        Some(Self::filled(words, length))
    }

    /// With blanks behind the value.
    #[inline(always)]
    fn filled(words: [u64; 3], length: usize) -> Self {
        let [a, b, c] = words;
        let [d, e, f] = BEHIND[length.min(Self::LONGEST)];
        let words = [a & !d | BLANKS & d, b & !e | BLANKS & e, c & !f | BLANKS & f];
        Self { words, length: length as u32 }
    }

    #[inline(always)]
    pub(in crate::fast_infoset) fn len(&self) -> usize {
        self.length as usize
    }

    /// Is it all of ASCII, with no control character?
    #[inline(always)]
    pub(in crate::fast_infoset) fn is_plain(&self) -> bool {
        let [a, b, c] = self.words;
        // The high bit of an octet stays where nothing has to be borrowed from it.
        let not_below = [a, b, c].map(|it| (it | HIGH) - BLANKS);
        (not_below[0] & not_below[1] & not_below[2] & !(a | b | c)) & HIGH == HIGH
    }

    /// Appends the value; there is room for a window.
    #[inline(always)]
    pub(in crate::fast_infoset) fn append(&self, cursor: &mut Cursor<'_>) {
        let [a, b, c] = self.words.map(u64::to_le_bytes);
        let window: &mut Window = cursor.window();
        window[..8].copy_from_slice(&a);
        window[8..16].copy_from_slice(&b);
        window[16..24].copy_from_slice(&c);
        cursor.advance(self.len());
    }

    #[inline(always)]
    fn hash(&self, [one, other]: [u64; 2]) -> u64 {
        let [a, b, c] = self.words;
        let hash = folded(a ^ one, b ^ other);
        if self.length <= 16 { hash } else { folded(hash ^ c, other) }
    }

    /// A hash that is the same in every process.
    pub(in crate::fast_infoset) fn fixed_hash(&self) -> u64 {
        self.hash([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344])
    }
}

#[inline(always)]
fn first_word(text: &[u8]) -> Option<u64> {
    text.first_chunk().map(|it| u64::from_le_bytes(*it))
}

#[inline(always)]
fn last_word(text: &[u8]) -> Option<u64> {
    text.last_chunk().map(|it| u64::from_le_bytes(*it))
}

/// Both halves of the product.
#[inline(always)]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// The entries of a table.
#[derive(Debug)]
pub(super) struct Values {
    entries: Vec<Entry>,
    /// Hashes and numbers of entries, each where its hash says or behind; at most half of the places, which are a power
    /// of two, are taken.
    places: Vec<(u32, u32)>,
    seeds: [u64; 2],
    random: RandomState,
}

/// The octets of an entry as numbers, or where they stand if it is long.
#[derive(Clone, Copy, Debug)]
struct Entry {
    words: [u64; 3],
    /// How many octets it has if it is short.
    length: u32,
    /// Was it written as an index?
    is_used: bool,
}

const EMPTY: (u32, u32) = (0, u32::MAX);

/// Where a value stands in a table, or may be put.
#[derive(Clone, Copy, Debug)]
pub(in crate::fast_infoset) enum Found {
    /// The entry of this index, which was written as that or not.
    Entry(usize, bool),
    /// None. This is its hash, and the place for it.
    None(u64, usize),
}

impl Default for Values {
    fn default() -> Self {
        let random = RandomState::default();
        let seeds = [random.hash_one(0), random.hash_one(1)];
        Self { entries: Vec::new(), places: vec![EMPTY; LEAST], seeds, random }
    }
}

impl Values {
    /// Forgets all entries.
    pub(super) fn reset(&mut self) {
        let places = (4 * self.entries.len()).next_power_of_two().max(LEAST);
        self.places.truncate(places);
        self.places.fill(EMPTY);
        self.entries.clear();
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many entries were written as an index.
    pub(super) fn used(&self) -> usize {
        self.entries.iter().filter(|it| it.is_used).count()
    }

    /// Forgets all entries but so many; the octets of long ones are these.
    pub(super) fn truncate(&mut self, length: usize, text: &[u8]) {
        self.entries.truncate(length);
        self.places.fill(EMPTY);
        for number in 0..self.entries.len() {
            let Entry { words, length, .. } = self.entries[number];
            let hash = match length {
                0 => self.hash_long(octets(text, span_of(words))),
                length => Key { words, length }.hash(self.seeds),
            };
            self.place((hash as u32, number as u32));
        }
    }

    fn hash_long(&self, value: &[u8]) -> u64 {
        self.random.hash_one(Octets(value))
    }

    /// Looks for a short value.
    #[inline(always)]
    pub(super) fn find(&self, key: &Key) -> Found {
        // Not as a block, which is not there yet as a whole.
        let is_it = |it: &Entry| {
            let [a, b, c] = it.words;
            let [d, e, f] = key.words;
            a ^ d | b ^ e | c ^ f | u64::from(it.length ^ key.length) == 0
        };
        self.find_hash(key.hash(self.seeds), is_it)
    }

    /// Looks for a value of many octets, which stand among these if it is an entry.
    #[inline(never)]
    pub(super) fn find_long(&self, value: &[u8], text: &[u8]) -> Found {
        self.find_hash(self.hash_long(value), |it| {
            it.length == 0 && is_same(octets(text, span_of(it.words)), value)
        })
    }

    #[inline(always)]
    fn find_hash(&self, hash: u64, is_it: impl Fn(&Entry) -> bool) -> Found {
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (known, number) = self.places[at & mask];
            let Some(entry) = self.entries.get(number as usize) else {
                return Found::None(hash, at & mask);
            };
            if known == hash as u32 && is_it(entry) {
                return Found::Entry(number as usize, entry.is_used);
            }
            at += 1;
        }
    }

    /// Notes that an entry is written as its index.
    #[inline]
    pub(super) fn set_used(&mut self, index: usize) {
        self.entries[index].is_used = true;
    }

    /// Adds a short value, which was not found.
    #[inline]
    pub(super) fn add(&mut self, key: &Key, (hash, place): (u64, usize)) {
        self.add_entry(key.words, key.length, (hash, place));
    }

    /// Adds a value of many octets, which stand there.
    pub(super) fn add_long(&mut self, span: Span, (hash, place): (u64, usize)) {
        let words = [span.start.into(), span.length.into(), 0];
        self.add_entry(words, 0, (hash, place));
    }

    #[inline]
    fn add_entry(&mut self, words: [u64; 3], length: u32, (hash, place): (u64, usize)) {
        let of = (hash as u32, self.entries.len() as u32);
        self.entries.push(Entry { words, length, is_used: false });
        match 2 * self.entries.len() > self.places.len() {
            true => self.grow(of),
            false => self.places[place] = of,
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, last: (u32, u32)) {
        let room = vec![EMPTY; 4 * self.places.len()];
        let before = std::mem::replace(&mut self.places, room);
        let taken = before.into_iter().filter(|it| *it != EMPTY);
        taken.chain([last]).for_each(|it| self.place(it));
    }

    /// Puts the number of an entry, for which there is room.
    #[inline]
    fn place(&mut self, of: (u32, u32)) {
        let mask = self.places.len() - 1;
        let mut at = of.0 as usize & mask;
        while self.places[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.places[at] = of;
    }
}

/// Where the octets of a long entry stand.
fn span_of([start, length, _]: [u64; 3]) -> Span {
    Span { start: start as u32, length: length as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast_infoset::characters::is_plain;
    use trunkline_wire::Output;

    #[test]
    fn a_key_is_all_of_a_value() {
        assert_eq!(Key::of(&[]), None);
        assert_eq!(Key::of(&[b'a'; 25]), None);
        for length in 1..=24 {
            let text: Vec<u8> = (0..length).map(|at| b'a' + at).collect();
            let key = Key::of(&text).expect("a key");
            assert!(key.is_plain());
            let mut output = Output::new();
            let mut cursor = output.cursor(0);
            key.append(&mut cursor);
            cursor.finish();
            assert_eq!(output.as_slice(), text);
            let mut block = [0; 24];
            block[..text.len()].copy_from_slice(&text);
            assert_eq!(Key::of_block(&block, text.len()), Some(key));
            for at in 0..text.len() {
                for octet in 0..=255 {
                    let mut other = text.clone();
                    other[at] = octet;
                    let other_key = Key::of(&other).expect("a key");
                    assert_eq!(other_key == key, other == text);
                    assert_eq!(other_key.is_plain(), is_plain(&other), "{octet} at {at}");
                }
            }
        }
    }

    #[test]
    fn entries_are_found_until_they_are_forgotten() {
        let mut values = Values::default();
        let key = |number: usize| Key::of(number.to_string().as_bytes()).expect("a key");
        let index = |values: &Values, number| match values.find(&key(number)) {
            Found::Entry(index, is_used) => Some((index, is_used)),
            Found::None(..) => None,
        };
        let add = |values: &mut Values, number: usize| match values.find(&key(number)) {
            Found::None(hash, place) => values.add(&key(number), (hash, place)),
            Found::Entry(..) => panic!("{number} was there"),
        };
        (0..1000).for_each(|number| add(&mut values, number));
        values.set_used(7);
        (1000..3000).for_each(|number| add(&mut values, number));
        assert!((0..3000).all(|number| index(&values, number) == Some((number, number == 7))));
        values.truncate(1000, &[]);
        assert_eq!((values.len(), values.used()), (1000, 1));
        assert!((0..1000).all(|number| index(&values, number) == Some((number, number == 7))));
        assert!((1000..3000).all(|number| index(&values, number).is_none()));
        add(&mut values, 5000);
        assert_eq!(index(&values, 5000), Some((1000, false)));
        values.reset();
        assert!((0..6000).all(|number| index(&values, number).is_none()));
    }
}
