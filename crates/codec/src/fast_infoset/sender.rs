//! The tables of who writes: which indexes stand for what was written before.

mod values;

use std::hash::{Hash, Hasher};

use foldhash::fast::RandomState;

use self::values::Values;
pub(super) use self::values::{Found, Key};
use super::LONGEST_TABLE;
use super::external::ExternalVocabulary;
use super::vocabulary::{Span, Table, VocabularySize, XML, XML_NAMESPACE};
use crate::infoset::Name;
use crate::intern::Index;

/// The tables of strings that are always entries: prefixes, namespaces, and names there.
const STRINGS: usize = 3;

/// A table of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ValueTable {
    OfAttributes,
    OfTexts,
}

impl ValueTable {
    /// That of attributes, or else that of texts.
    fn of(table: Table) -> Self {
        if table == Table::AttributeValues { Self::OfAttributes } else { Self::OfTexts }
    }
}

/// The two tables of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameTable {
    Elements,
    Attributes,
}

/// All tables.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// The strings, one behind the other, and how many octets short values have besides.
    text: Vec<u8>,
    octets: usize,
    /// How many entries there are; of tables that nothing is written from, the same.
    entries: usize,
    others: usize,
    strings: [Strings; STRINGS],
    values: [Values; 2],
    names: [Names; 2],
    /// Names of elements that come again, by their numbers.
    known: Vec<Known>,
    known_text: Vec<u8>,
    known_index: Index<RandomState>,
    /// A number that changes whenever entries are forgotten.
    generation: u64,
    /// Entries that were written as an index once at least, and values that never were since they were added.
    used: usize,
    idle: usize,
}

/// A name of elements that comes again, whether it is an entry or not.
#[derive(Debug)]
struct Known {
    /// Prefix, namespace and name there.
    name: [Span; 3],
    /// When it was found to be the entry of this index.
    generation: u64,
    index: u32,
}

#[derive(Debug, Default)]
struct Strings {
    entries: Vec<Span>,
    index: Index<RandomState>,
}

#[derive(Debug, Default)]
struct Names {
    /// Prefix, namespace and name there.
    entries: Vec<[Span; 3]>,
    index: Index<RandomState>,
}

/// How far the tables went at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Mark {
    text: usize,
    octets: usize,
    strings: [usize; STRINGS],
    values: [usize; 2],
    names: [usize; 2],
}

impl Sender {
    /// Forgets everything but what every document knows.
    pub(super) fn reset(&mut self) {
        self.generation += 1;
        (self.entries, self.others, self.used, self.idle) = (0, 0, 0, 0);
        self.text.clear();
        self.octets = 0;
        self.values.iter_mut().for_each(Values::reset);
        for Strings { entries, index } in &mut self.strings {
            index.reset(entries.len());
            entries.clear();
        }
        for Names { entries, index } in &mut self.names {
            index.reset(entries.len());
            entries.clear();
        }
        for (table, text) in [(Table::Prefixes, XML), (Table::Namespaces, XML_NAMESPACE)] {
            let hash = self.hash(table, text.as_bytes());
            self.add(table, hash, text.as_bytes());
        }
    }

    pub(super) fn size(&self) -> VocabularySize {
        let constants = XML.len() + XML_NAMESPACE.len();
        let bytes = (self.text.len() + self.octets).saturating_sub(constants);
        VocabularySize { bytes, entries: self.entries.saturating_sub(2) }
    }

    /// How many entries a table of values has.
    #[inline]
    pub(super) fn length(&self, table: ValueTable) -> usize {
        self.values[table as usize].len()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            text: self.text.len(),
            octets: self.octets,
            strings: self.strings.each_ref().map(|it| it.entries.len()),
            values: self.values.each_ref().map(Values::len),
            names: self.names.each_ref().map(|it| it.entries.len()),
        }
    }

    /// Forgets what was added since.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        if self.mark() == *mark {
            return;
        }
        self.generation += 1;
        self.text.truncate(mark.text);
        self.octets = mark.octets;
        let octets = |span: Span| octets(&self.text, span);
        for (Strings { entries, index }, length) in self.strings.iter_mut().zip(mark.strings) {
            entries.truncate(length);
            index.reset(length);
            for (number, span) in entries.iter().enumerate() {
                let hash = index.hash(Octets(octets(*span)));
                index.insert(hash, number as u32);
            }
        }
        for (values, length) in self.values.iter_mut().zip(mark.values) {
            values.truncate(length, &self.text);
        }
        let values = self.values.iter().map(Values::len).sum::<usize>();
        self.used = self.values.iter().map(Values::used).sum();
        self.idle = values - self.used;
        for (Names { entries, index }, length) in self.names.iter_mut().zip(mark.names) {
            entries.truncate(length);
            index.reset(length);
            for (number, name) in entries.iter().enumerate() {
                index.insert(index.hash(name.map(octets)), number as u32);
            }
        }
        let strings = self.strings.iter().map(|it| it.entries.len());
        let names = self.names.iter().map(|it| it.entries.len());
        self.entries = strings.chain(names).sum::<usize>() + values + self.others;
    }

    /// Adds all entries of a vocabulary to tables without others. Answers how many octets its longest value has.
    pub(super) fn load(&mut self, vocabulary: &ExternalVocabulary) -> Result<usize, &'static str> {
        const TWICE: &str = "an entry stands twice in a vocabulary";
        let mut longest = 0;
        for table in Table::ALL {
            for entry in vocabulary.strings(table).into_iter().map(str::as_bytes) {
                match table {
                    Table::Prefixes | Table::Namespaces | Table::LocalNames => {
                        let hash = self.hash(table, entry);
                        if self.find(table, hash, entry).is_some() {
                            return Err(TWICE);
                        }
                        self.add(table, hash, entry);
                    }
                    Table::AttributeValues | Table::Chunks => {
                        let table = ValueTable::of(table);
                        let key = Key::of(entry);
                        let Found::None(hash, place) = self.find_value(table, key.as_ref(), entry)
                        else {
                            return Err(TWICE);
                        };
                        let index = self.length(table);
                        self.add_value(table, key.as_ref(), entry, (hash, place));
                        // They were agreed on, and wait for no use.
                        self.use_value(table, index);
                        longest = longest.max(entry.len());
                    }
                    Table::OtherNames | Table::OtherUris | Table::OtherStrings => {
                        self.octets += entry.len();
                        self.others += 1;
                        self.entries += 1;
                    }
                }
            }
        }
        for (table, names) in [
            (NameTable::Elements, vocabulary.elements()),
            (NameTable::Attributes, vocabulary.attributes()),
        ] {
            for name in names {
                let [prefix, namespace, local] = name.each_ref().map(|part| &**part);
                let qualified = Name { prefix, namespace, local };
                if self.find_name(table, qualified).is_some() {
                    return Err(TWICE);
                }
                let entry = [
                    (Table::Prefixes, prefix),
                    (Table::Namespaces, namespace),
                    (Table::LocalNames, local),
                ]
                .map(|(table, part)| {
                    let found =
                        self.find(table, self.hash(table, part.as_bytes()), part.as_bytes());
                    found.map(|index| self.entry(table, index)).unwrap_or_default()
                });
                self.add_name(table, qualified, entry);
            }
        }
        Ok(longest)
    }

    /// The hash of a string, by which it is found in its table.
    #[inline]
    pub(super) fn hash(&self, table: Table, text: &[u8]) -> u64 {
        self.strings[table as usize].index.hash(Octets(text))
    }

    #[inline(always)]
    pub(super) fn find(&self, table: Table, hash: u64, text: &[u8]) -> Option<usize> {
        let Strings { entries, index } = &self.strings[table as usize];
        let is_it = |number| is_same(octets(&self.text, entries[number as usize]), text);
        let found = index.find(hash, is_it);
        found.map(|number| number as usize)
    }

    /// Adds a string of this hash that is not in the table, if that is not full.
    pub(super) fn add(&mut self, table: Table, hash: u64, text: &[u8]) -> Span {
        let Strings { entries, index } = &mut self.strings[table as usize];
        if entries.len() >= LONGEST_TABLE {
            return Span::default();
        }
        let span = push_octets(&mut self.text, text);
        self.entries += 1;
        index.insert(hash, entries.len() as u32);
        entries.push(span);
        span
    }

    /// Looks for a value; its key, if it has one, is this.
    #[inline(always)]
    pub(super) fn find_value(&self, table: ValueTable, key: Option<&Key>, value: &[u8]) -> Found {
        let values = &self.values[table as usize];
        match key {
            Some(key) => values.find(key),
            None => values.find_long(value, &self.text),
        }
    }

    /// Adds a value that was not found; its table is not full.
    #[inline]
    pub(super) fn add_value(
        &mut self,
        table: ValueTable,
        key: Option<&Key>,
        value: &[u8],
        place: (u64, usize),
    ) {
        let values = &mut self.values[table as usize];
        match key {
            Some(key) => {
                values.add(key, place);
                self.octets += key.len();
            }
            None => values.add_long(push_octets(&mut self.text, value), place),
        }
        self.entries += 1;
        self.idle += 1;
    }

    /// Notes that a value is written as its index, which it was not before.
    #[inline]
    pub(super) fn use_value(&mut self, table: ValueTable, index: usize) {
        self.values[table as usize].set_used(index);
        self.idle -= 1;
        self.used += 1;
    }

    /// How many values were written as an index once at least, and how many never since they were added.
    #[inline]
    pub(super) fn used_and_idle(&self) -> (usize, usize) {
        (self.used, self.idle)
    }

    /// For as long as this is the same, indexes stand for the same.
    #[inline]
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The string that an index stands for.
    #[inline]
    pub(super) fn entry(&self, table: Table, index: usize) -> Span {
        self.strings[table as usize].entries[index]
    }

    #[inline]
    pub(super) fn find_name(&self, table: NameTable, name: Name<'_>) -> Option<usize> {
        let Names { entries, index } = &self.names[table as usize];
        let name = parts(name);
        let is_it = |number| is_same_name(&self.text, entries[number as usize], name);
        let found = index.find(index.hash(name), is_it);
        found.map(|number| number as usize)
    }

    /// Adds a name that is not in the table, if no table is full: it was written as these strings of theirs.
    /// Answers its index.
    pub(super) fn add_name(
        &mut self,
        table: NameTable,
        name: Name<'_>,
        entry: [Span; 3],
    ) -> Option<usize> {
        let Names { entries, index } = &mut self.names[table as usize];
        if entries.len() >= LONGEST_TABLE {
            return None;
        }
        index.insert(index.hash(parts(name)), entries.len() as u32);
        self.entries += 1;
        entries.push(entry);
        Some(entries.len() - 1)
    }

    /// The number of a name of elements that comes again.
    pub(super) fn know(&mut self, name: Name<'_>) -> u32 {
        let name = parts(name);
        let (known, text) = (&self.known, &self.known_text);
        let hash = self.known_index.hash(name);
        let is_it = |number| is_same_name(text, known[number as usize].name, name);
        self.known_index.find(hash, is_it).unwrap_or_else(|| {
            let number = self.known.len() as u32;
            let name = name.map(|part| push_octets(&mut self.known_text, part));
            self.known.push(Known { name, generation: 0, index: 0 });
            self.known_index.insert(hash, number);
            number
        })
    }

    /// The index of the name of this number, if it is known to be an entry.
    #[inline]
    pub(super) fn index_of(&self, number: u32) -> Option<usize> {
        let known = self.known.get(number as usize)?;
        (known.generation == self.generation).then_some(known.index as usize)
    }

    /// Notes the index of the name of this number.
    pub(super) fn note_index(&mut self, number: u32, index: usize) {
        if let Some(known) = self.known.get_mut(number as usize) {
            (known.generation, known.index) = (self.generation, index as u32);
        }
    }
}

/// Octets to hash, without their number.
struct Octets<'t>(&'t [u8]);

impl Hash for Octets<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.0);
    }
}

/// Prefix, namespace and name there.
#[inline]
fn parts<'n>(name: Name<'n>) -> [&'n [u8]; 3] {
    [name.prefix, name.namespace, name.local].map(str::as_bytes)
}

#[inline]
fn is_same_name(of: &[u8], [prefix, namespace, local]: [Span; 3], name: [&[u8]; 3]) -> bool {
    is_same(octets(of, local), name[2])
        && is_same(octets(of, namespace), name[1])
        && is_same(octets(of, prefix), name[0])
}

/// Are they equal? Most are short, and not worth a call; see [`infoset::same`](crate::infoset::same) of empty ones.
#[inline]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        0..4 => one.iter().zip(other).all(|(one, other)| one == other),
        4..8 => ends::<4>(one) == ends::<4>(other),
        8..=16 => ends::<8>(one) == ends::<8>(other),
        _ => one == other,
    }
}

/// The first and the last octets, which are all of a short text.
#[inline]
fn ends<const N: usize>(text: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
    Some((text.first_chunk()?, text.last_chunk()?))
}

/// Appends a string, and answers where it stands.
pub(super) fn push(to: &mut String, text: &str) -> Span {
    let span = Span { start: to.len() as u32, length: text.len() as u32 };
    to.push_str(text);
    span
}

/// The same of octets.
fn push_octets(to: &mut Vec<u8>, text: &[u8]) -> Span {
    let span = Span { start: to.len() as u32, length: text.len() as u32 };
    to.extend_from_slice(text);
    span
}

#[inline]
fn octets(of: &[u8], Span { start, length }: Span) -> &[u8] {
    &of[start as usize..][..length as usize]
}

#[inline]
pub(super) fn string(of: &str, Span { start, length }: Span) -> &str {
    &of[start as usize..(start + length) as usize]
}
