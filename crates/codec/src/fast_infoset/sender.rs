//! The tables of who writes: which indexes stand for what was written before.

use foldhash::fast::RandomState;

use super::LONGEST_TABLE;
use super::vocabulary::{Span, TABLES, Table, VocabularySize, XML, XML_NAMESPACE};
use crate::infoset::Name;
use crate::intern::Index;

/// The two tables of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameTable {
    Elements,
    Attributes,
}

/// All tables.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// The strings, one behind the other.
    text: String,
    strings: [Strings; TABLES],
    names: [Names; 2],
    /// Names of elements that come again, by their numbers.
    known: Vec<Known>,
    known_text: String,
    known_index: Index<RandomState>,
    /// A number that changes whenever entries are forgotten.
    generation: u64,
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
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    text: usize,
    strings: [usize; TABLES],
    names: [usize; 2],
}

impl Sender {
    /// Forgets everything but what every document knows.
    pub(super) fn reset(&mut self) {
        self.generation += 1;
        self.text.clear();
        for Strings { entries, index } in &mut self.strings {
            index.reset(entries.len());
            entries.clear();
        }
        for Names { entries, index } in &mut self.names {
            index.reset(entries.len());
            entries.clear();
        }
        for (table, text) in [(Table::Prefixes, XML), (Table::Namespaces, XML_NAMESPACE)] {
            self.add(table, self.hash(table, text), text);
        }
    }

    pub(super) fn size(&self) -> VocabularySize {
        let strings: usize = self.strings.iter().map(|it| it.entries.len()).sum();
        let names: usize = self.names.iter().map(|it| it.entries.len()).sum();
        let constants = XML.len() + XML_NAMESPACE.len();
        let bytes = self.text.len().saturating_sub(constants);
        VocabularySize { bytes, entries: (strings + names).saturating_sub(2) }
    }

    pub(super) fn length(&self, table: Table) -> usize {
        self.strings[table as usize].entries.len()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            text: self.text.len(),
            strings: self.strings.each_ref().map(|it| it.entries.len()),
            names: self.names.each_ref().map(|it| it.entries.len()),
        }
    }

    /// Forgets what was added since.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        self.generation += 1;
        self.text.truncate(mark.text);
        let string = |span: &Span| string(&self.text, *span);
        for (Strings { entries, index }, length) in self.strings.iter_mut().zip(mark.strings) {
            entries.truncate(length);
            index.reset(length);
            for (number, span) in entries.iter().enumerate() {
                index.insert(index.hash(string(span)), number as u32);
            }
        }
        for (Names { entries, index }, length) in self.names.iter_mut().zip(mark.names) {
            entries.truncate(length);
            index.reset(length);
            for (number, [prefix, namespace, local]) in entries.iter().enumerate() {
                let hash = index.hash((string(local), string(namespace), string(prefix)));
                index.insert(hash, number as u32);
            }
        }
    }

    /// The hash of a string, by which it is found in a table.
    #[inline]
    pub(super) fn hash(&self, table: Table, text: &str) -> u64 {
        self.strings[table as usize].index.hash(text)
    }

    #[inline]
    pub(super) fn find(&self, table: Table, hash: u64, text: &str) -> Option<usize> {
        let Strings { entries, index } = &self.strings[table as usize];
        let is_same = |number| is_same(string(&self.text, entries[number as usize]), text);
        index.find(hash, is_same).map(|number| number as usize)
    }

    /// Adds a string of this hash that is not in the table, if that is not full.
    pub(super) fn add(&mut self, table: Table, hash: u64, text: &str) -> Span {
        if self.length(table) >= LONGEST_TABLE {
            return Span::default();
        }
        let span = push(&mut self.text, text);
        let Strings { entries, index } = &mut self.strings[table as usize];
        index.insert(hash, entries.len() as u32);
        entries.push(span);
        span
    }

    /// The string that an index stands for.
    #[inline]
    pub(super) fn entry(&self, table: Table, index: usize) -> Span {
        self.strings[table as usize].entries[index]
    }

    #[inline]
    pub(super) fn find_name(&self, table: NameTable, name: Name<'_>) -> Option<usize> {
        let Names { entries, index } = &self.names[table as usize];
        let hash = index.hash((name.local, name.namespace, name.prefix));
        let found = index.find(hash, |number| {
            let [prefix, namespace, local] = entries[number as usize];
            is_same(string(&self.text, local), name.local)
                && is_same(string(&self.text, namespace), name.namespace)
                && is_same(string(&self.text, prefix), name.prefix)
        });
        found.map(|number| number as usize)
    }

    /// Adds a name that is not in the table, if no table is full: it was written as these strings of theirs.
    pub(super) fn add_name(&mut self, table: NameTable, name: Name<'_>, entry: [Span; 3]) {
        let Names { entries, index } = &mut self.names[table as usize];
        if entries.len() >= LONGEST_TABLE {
            return;
        }
        let hash = index.hash((name.local, name.namespace, name.prefix));
        index.insert(hash, entries.len() as u32);
        entries.push(entry);
    }

    /// The number of a name of elements that comes again.
    pub(super) fn know(&mut self, name: Name<'_>) -> u32 {
        let hash = self.known_index.hash((name.local, name.namespace, name.prefix));
        let text = &self.known_text;
        let found = self.known_index.find(hash, |number| {
            let [prefix, namespace, local] = self.known[number as usize].name;
            is_same(string(text, local), name.local)
                && is_same(string(text, namespace), name.namespace)
                && is_same(string(text, prefix), name.prefix)
        });
        found.unwrap_or_else(|| {
            let number = self.known.len() as u32;
            let text = &mut self.known_text;
            let name = [name.prefix, name.namespace, name.local].map(|part| push(text, part));
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

/// Are they equal? Most are short, and not worth a call; see [`infoset::same`](crate::infoset::same) of empty ones.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let ends = |text: &[u8]| {
        let first = u64::from_ne_bytes(*text.first_chunk()?);
        Some((first, u64::from_ne_bytes(*text.last_chunk()?)))
    };
    match one.len() {
        0..8 => one.iter().zip(other).all(|(one, other)| one == other),
        8..=16 => ends(one) == ends(other),
        _ => one == other,
    }
}

/// Appends a string, and answers where it stands.
pub(super) fn push(to: &mut String, text: &str) -> Span {
    let span = Span { start: to.len() as u32, length: text.len() as u32 };
    to.push_str(text);
    span
}

#[inline]
pub(super) fn string(of: &str, Span { start, length }: Span) -> &str {
    &of[start as usize..(start + length) as usize]
}
