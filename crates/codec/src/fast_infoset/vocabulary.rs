//! The tables of who reads: what the indexes in a document stand for (X.891 clause 8).

use trunkline_message::Result;
use trunkline_wire::{Output, plain_text};

use super::alphabet::Alphabet;
use super::known::KnownNames;
use super::parser::{Name, Namespace};
use super::{LONGEST_TABLE, exceeded, syntax};

/// How much a vocabulary holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VocabularyLimits {
    /// Bytes of all strings, in UTF-8.
    pub bytes: usize,
    /// Entries of all tables.
    pub entries: usize,
}

impl Default for VocabularyLimits {
    /// More than Metro sends at most, whose two tables of values grow to 4 MiB each.
    fn default() -> Self {
        Self { bytes: 16 << 20, entries: 1 << 20 }
    }
}

/// How much a vocabulary holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VocabularySize {
    /// Bytes of all strings, in UTF-8.
    pub bytes: usize,
    /// Entries of all tables.
    pub entries: usize,
}

/// How values of attributes and texts were written, or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// As indexes.
    pub indexes: u64,
    /// In full.
    pub literals: u64,
}

impl Counters {
    /// How values came since then.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self { indexes: self.indexes - before.indexes, literals: self.literals - before.literals }
    }

    /// Counts more.
    pub(super) fn add(&mut self, more: &Self) {
        self.indexes += more.indexes;
        self.literals += more.literals;
    }
}

/// The tables of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Prefixes,
    Namespaces,
    LocalNames,
    /// Targets of processing instructions, names of entities and notations.
    OtherNames,
    /// Identifiers of what stands outside a document.
    OtherUris,
    AttributeValues,
    /// Texts in elements.
    Chunks,
    /// Comments, and what stands in processing instructions.
    OtherStrings,
}

/// How many these are.
pub(super) const TABLES: usize = 8;

pub(super) const XML: &str = "xml";
pub(super) const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// Where a string stands among all of the vocabulary.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) length: u32,
}

/// A name of an element or attribute.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QualifiedName {
    pub(super) prefix: Span,
    pub(super) namespace: Namespace,
    pub(super) local: Span,
}

/// All tables.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// The strings, one behind the other, all of UTF-8.
    text: Output,
    tables: [Vec<Span>; TABLES],
    /// For each entry of the table of namespaces; two may be the same.
    namespaces: Vec<Namespace>,
    /// All names that were read; those of the two tables, by their numbers.
    names: Vec<QualifiedName>,
    pub(super) elements: Vec<Name>,
    pub(super) attributes: Vec<Name>,
    pub(super) alphabets: Vec<Alphabet>,
    /// Names of encoding algorithms.
    pub(super) algorithms: Vec<Box<str>>,
    /// Numbers of what the names mean.
    known: KnownNames,
    entries: usize,
}

/// How far the tables went at some time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    text: usize,
    tables: [usize; TABLES],
    names: usize,
    elements: usize,
    attributes: usize,
    alphabets: usize,
    algorithms: usize,
    entries: usize,
}

impl Vocabulary {
    /// Forgets everything but what every document knows.
    pub(super) fn reset(&mut self) {
        self.text.clear();
        self.text.extend(XML.as_bytes());
        self.text.extend(XML_NAMESPACE.as_bytes());
        self.tables.iter_mut().for_each(Vec::clear);
        let prefix = Span { start: 0, length: XML.len() as u32 };
        let name = Span { start: prefix.length, length: XML_NAMESPACE.len() as u32 };
        self.tables[Table::Prefixes as usize].push(prefix);
        self.tables[Table::Namespaces as usize].push(name);
        self.namespaces.clear();
        self.namespaces.push(Namespace(1));
        self.names.clear();
        self.elements.clear();
        self.attributes.clear();
        self.alphabets.clear();
        self.algorithms.clear();
        self.known.begin();
        self.entries = 0;
    }

    pub(super) fn size(&self) -> VocabularySize {
        let constants = XML.len() + XML_NAMESPACE.len();
        VocabularySize { bytes: self.text.len().saturating_sub(constants), entries: self.entries }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            text: self.text.len(),
            tables: self.tables.each_ref().map(Vec::len),
            names: self.names.len(),
            elements: self.elements.len(),
            attributes: self.attributes.len(),
            alphabets: self.alphabets.len(),
            algorithms: self.algorithms.len(),
            entries: self.entries,
        }
    }

    /// Was anything added since?
    pub(super) fn has_grown(&self, mark: &Mark) -> bool {
        let others = (self.alphabets.len(), self.algorithms.len());
        self.entries != mark.entries || others != (mark.alphabets, mark.algorithms)
    }

    /// Forgets what was added since.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        self.text.truncate(mark.text);
        for (table, length) in self.tables.iter_mut().zip(mark.tables) {
            table.truncate(length);
        }
        self.namespaces.truncate(mark.tables[Table::Namespaces as usize]);
        self.names.truncate(mark.names);
        self.elements.truncate(mark.elements);
        self.attributes.truncate(mark.attributes);
        self.alphabets.truncate(mark.alphabets);
        self.algorithms.truncate(mark.algorithms);
        self.entries = mark.entries;
    }

    /// Has a document, or a document's initial vocabulary, added anything?
    pub(super) fn is_empty(&self) -> bool {
        self.entries == 0 && self.alphabets.is_empty() && self.algorithms.is_empty()
    }

    #[inline]
    pub(super) fn string(&self, span: Span) -> &str {
        string(&self.text, span)
    }

    #[inline]
    pub(super) fn name(&self, name: Name) -> &QualifiedName {
        &self.names[name.number as usize]
    }

    /// The name of a namespace.
    #[inline]
    pub(super) fn namespace_name(&self, namespace: Namespace) -> &str {
        self.known.namespace_name(namespace)
    }

    /// What an index in a table stands for; it was read before `at`.
    #[inline]
    pub(super) fn get(&self, table: Table, index: usize, at: usize) -> Result<Span> {
        let entries = &self.tables[table as usize];
        entries.get(index).copied().ok_or_else(|| unknown(table.name(), index, entries.len(), at))
    }

    /// The same, where none may be meant.
    #[inline]
    pub(super) fn get_known(&self, table: Table, index: usize) -> Option<Span> {
        self.tables[table as usize].get(index).copied()
    }

    /// The same of a namespace.
    #[inline]
    pub(super) fn get_known_namespace(&self, index: usize) -> Option<Namespace> {
        self.namespaces.get(index).copied()
    }

    /// All strings, and other octets behind them.
    #[inline]
    pub(super) fn octets(&self) -> &[u8] {
        self.text.with_slack()
    }

    /// The namespace that an index stands for.
    #[inline]
    pub(super) fn namespace(&self, index: usize, at: usize) -> Result<Namespace> {
        let found = self.namespaces.get(index).copied();
        found.ok_or_else(|| unknown("namespaces", index, self.namespaces.len(), at))
    }

    /// Room for one more entry?
    fn count(&mut self, bytes: usize, limits: &VocabularyLimits, at: usize) -> Result<()> {
        if self.size().bytes + bytes > limits.bytes {
            return Err(exceeded("vocabulary bytes", limits.bytes, at));
        }
        if self.entries >= limits.entries {
            return Err(exceeded("vocabulary entries", limits.entries, at));
        }
        self.entries += 1;
        Ok(())
    }

    /// Adds a string to a table, if that is not full.
    pub(super) fn add(
        &mut self,
        table: Table,
        string: &str,
        limits: &VocabularyLimits,
        at: usize,
    ) -> Result<Span> {
        self.count(string.len(), limits, at)?;
        let span = Span { start: self.text.len() as u32, length: string.len() as u32 };
        self.text.extend(string.as_bytes());
        let entries = &mut self.tables[table as usize];
        if entries.len() < LONGEST_TABLE {
            entries.push(span);
        }
        Ok(span)
    }

    /// Adds a text of ASCII, which stands in these octets from `start` to `end`, if there is room.
    #[inline]
    pub(super) fn add_plain(
        &mut self,
        bytes: &[u8],
        (start, end): (usize, usize),
        limits: &VocabularyLimits,
    ) -> bool {
        let length = end - start;
        if self.count(length, limits, start).is_err() {
            return false;
        }
        let span = Span { start: self.text.len() as u32, length: length as u32 };
        let mut cursor = self.text.cursor(length);
        match bytes.get(start..).and_then(<[u8]>::first_chunk::<32>) {
            Some(block) if length <= 32 => cursor.block(block, length),
            _ => cursor.copy(&bytes[start..end]),
        }
        cursor.finish();
        let entries = &mut self.tables[Table::Chunks as usize];
        if entries.len() < LONGEST_TABLE {
            entries.push(span);
        }
        true
    }

    /// The entry of a table that is this string; an empty one if there is none.
    pub(super) fn find(&self, table: Table, string: &str) -> Span {
        let mut entries = self.tables[table as usize].iter().copied();
        entries.find(|span| self.string(*span) == string).unwrap_or_default()
    }

    /// The namespace of this name, if it is known.
    pub(super) fn find_namespace(&self, name: &str) -> Option<Namespace> {
        self.namespaces.iter().copied().find(|it| self.namespace_name(*it) == name)
    }

    /// Adds the name of a namespace; answers the namespace, which may be known.
    pub(super) fn add_namespace(
        &mut self,
        name: &str,
        limits: &VocabularyLimits,
        at: usize,
    ) -> Result<Namespace> {
        if self.namespaces.len() >= LONGEST_TABLE {
            return Err(exceeded("vocabulary entries", LONGEST_TABLE, at));
        }
        self.add(Table::Namespaces, name, limits, at)?;
        let namespace = self.known.namespace(name);
        self.namespaces.push(namespace);
        Ok(namespace)
    }

    /// A name that no table has yet.
    pub(super) fn add_name(
        &mut self,
        name: QualifiedName,
        limits: &VocabularyLimits,
        at: usize,
    ) -> Result<Name> {
        self.count(0, limits, at)?;
        let number = self.names.len() as u32;
        let local = string(&self.text, name.local);
        let same = self.known.name(name.namespace, local);
        self.names.push(name);
        Ok(Name { number, same })
    }

    /// The number of a name that was read before, if only in an earlier document.
    #[inline]
    pub(super) fn find_number(&self, namespace: Namespace, local: &str) -> Option<u32> {
        self.known.find_name(namespace, local)
    }

    /// Is there room for a name and a few more entries?
    #[inline]
    pub(super) fn has_room(&self, limits: &VocabularyLimits) -> bool {
        self.size().bytes + 1024 <= limits.bytes
            && self.entries + 8 <= limits.entries
            && self.elements.len() < LONGEST_TABLE
    }

    /// The name that is added next, if it means the same as all of this number.
    #[inline]
    pub(super) fn next_name(&self, same: u32) -> Name {
        Name { number: self.names.len() as u32, same }
    }

    /// Adds the next name, for which there is room.
    #[inline]
    pub(super) fn add_known_name(
        &mut self,
        name: Name,
        (prefix, namespace): (Span, Namespace),
        local: &str,
    ) {
        let octets = local.as_bytes();
        let local = Span { start: self.text.len() as u32, length: octets.len() as u32 };
        self.text.extend(octets);
        let entries = &mut self.tables[Table::LocalNames as usize];
        if entries.len() < LONGEST_TABLE {
            entries.push(local);
        }
        self.names.push(QualifiedName { prefix, namespace, local });
        self.elements.push(name);
        self.entries += 2;
    }

    /// For as long as this is the same, names that mean the same have the same number.
    #[inline]
    pub(super) fn numbering(&self) -> u64 {
        self.known.numbering()
    }
}

/// A string among these, which are all of UTF-8.
#[inline]
fn string(of: &Output, Span { start, length }: Span) -> &str {
    let octets = &of.as_slice()[start as usize..][..length as usize];
    plain_text(octets).or_else(|| std::str::from_utf8(octets).ok()).unwrap_or_default()
}

impl Table {
    /// All, in the order in which a document states them (X.891 section 7.2).
    pub(super) const ALL: [Self; TABLES] = [
        Self::Prefixes,
        Self::Namespaces,
        Self::LocalNames,
        Self::OtherNames,
        Self::OtherUris,
        Self::AttributeValues,
        Self::Chunks,
        Self::OtherStrings,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Prefixes => "prefixes",
            Self::Namespaces => "namespaces",
            Self::LocalNames => "local names",
            Self::OtherNames => "other names",
            Self::OtherUris => "other URIs",
            Self::AttributeValues => "attribute values",
            Self::Chunks => "texts",
            Self::OtherStrings => "other strings",
        }
    }
}

/// An index behind the end of its table.
#[cold]
#[inline(never)]
pub(super) fn unknown(
    table: &str,
    index: usize,
    length: usize,
    at: usize,
) -> trunkline_message::Error {
    syntax(format!("index {index} in the table of {table}, which has {length}"), at)
}
