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
        self.text.clear();
        for Strings { entries, index } in &mut self.strings {
            index.reset(entries.len());
            entries.clear();
        }
        for Names { entries, index } in &mut self.names {
            index.reset(entries.len());
            entries.clear();
        }
        self.add(Table::Prefixes, XML);
        self.add(Table::Namespaces, XML_NAMESPACE);
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
        let is_same = |number| string(&self.text, entries[number as usize]) == text;
        index.find(hash, is_same).map(|number| number as usize)
    }

    /// Adds a string that is not in the table, if that is not full.
    pub(super) fn add(&mut self, table: Table, text: &str) {
        if self.length(table) >= LONGEST_TABLE {
            return;
        }
        let span = push(&mut self.text, text);
        let Strings { entries, index } = &mut self.strings[table as usize];
        index.insert(index.hash(text), entries.len() as u32);
        entries.push(span);
    }

    #[inline]
    pub(super) fn find_name(&self, table: NameTable, name: Name<'_>) -> Option<usize> {
        let Names { entries, index } = &self.names[table as usize];
        let hash = index.hash((name.local, name.namespace, name.prefix));
        let found = index.find(hash, |number| {
            let [prefix, namespace, local] = entries[number as usize];
            string(&self.text, local) == name.local
                && string(&self.text, namespace) == name.namespace
                && string(&self.text, prefix) == name.prefix
        });
        found.map(|number| number as usize)
    }

    /// Is the entry of this index the name?
    #[inline]
    pub(super) fn is_name(&self, table: NameTable, index: usize, name: Name<'_>) -> bool {
        let entry = self.names[table as usize].entries.get(index);
        entry.is_some_and(|[prefix, namespace, local]| {
            string(&self.text, *local) == name.local
                && string(&self.text, *namespace) == name.namespace
                && string(&self.text, *prefix) == name.prefix
        })
    }

    /// Adds a name that is not in the table, whose strings are in theirs, if no table is full.
    pub(super) fn add_name(&mut self, table: NameTable, name: Name<'_>) {
        if self.names[table as usize].entries.len() >= LONGEST_TABLE {
            return;
        }
        let entry = [
            self.span(Table::Prefixes, name.prefix),
            self.span(Table::Namespaces, name.namespace),
            self.span(Table::LocalNames, name.local),
        ];
        let Names { entries, index } = &mut self.names[table as usize];
        let hash = index.hash((name.local, name.namespace, name.prefix));
        index.insert(hash, entries.len() as u32);
        entries.push(entry);
    }

    fn span(&self, table: Table, text: &str) -> Span {
        let found = self.find(table, self.hash(table, text), text);
        found.map_or_else(Span::default, |number| self.strings[table as usize].entries[number])
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
