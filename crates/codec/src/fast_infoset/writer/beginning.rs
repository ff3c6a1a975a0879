//! The vocabulary that documents begin with (X.891 section 7.2.13, annex C.2.5).

use trunkline_message::{Error, ErrorKind, Result};

use super::Writer;
use super::output::Octets as _;
use crate::fast_infoset::external::ExternalVocabulary;
use crate::fast_infoset::sender::Mark;
use crate::fast_infoset::vocabulary::Table;
use crate::fast_infoset::{HEADER, characters};

/// What stands before the content of a document, and the entries that are known from there on.
#[derive(Debug)]
pub(super) struct Beginning {
    pub(super) octets: Vec<u8>,
    pub(super) mark: Mark,
    /// The most octets of a value among the entries.
    pub(super) longest: usize,
}

/// The part of a document that says which vocabulary it begins with.
const VOCABULARY: u8 = 0x20;
/// That vocabulary's part that is the URI of an external one.
const EXTERNAL: u16 = 0x1000;

impl Writer {
    /// Begins documents with an external vocabulary, which the receiver knows by its URI:
    /// [`Parser::with_external`](crate::fast_infoset::Parser::with_external). It stands in every document, or in the first of a
    /// sequence.
    ///
    /// # Errors
    /// The URI is empty, or an entry is empty, stands twice, or is no name where it should be one.
    pub fn with_external(self, uri: &str, vocabulary: &ExternalVocabulary) -> Result<Self> {
        if uri.is_empty() {
            return Err(unwritable("an external vocabulary without a URI"));
        }
        check(vocabulary)?;
        let mut octets = EXTERNAL.to_be_bytes().to_vec();
        octets.length_2(uri.len());
        octets.put_all(uri.as_bytes());
        self.beginning_with(vocabulary, &octets)
    }

    /// The same with a vocabulary that is written before the content, so that the receiver need not know it.
    ///
    /// # Errors
    /// As of [`with_external`](Self::with_external).
    pub fn with_initial(self, vocabulary: &ExternalVocabulary) -> Result<Self> {
        check(vocabulary)?;
        let octets = tables(vocabulary);
        self.beginning_with(vocabulary, &octets)
    }

    fn beginning_with(mut self, vocabulary: &ExternalVocabulary, stated: &[u8]) -> Result<Self> {
        self.sender.reset();
        let longest = self.sender.load(vocabulary).map_err(unwritable)?;
        let mut octets = HEADER.to_vec();
        octets.put([VOCABULARY]);
        octets.put_all(stated);
        let mark = self.sender.mark();
        self.beginning = Some(Beginning { octets, mark, longest });
        Ok(self)
    }
}

fn unwritable(why: &'static str) -> Error {
    Error::new(ErrorKind::Unwritable(why), 0)
}

/// Is every entry one that a document may state?
fn check(vocabulary: &ExternalVocabulary) -> Result<()> {
    for table in Table::ALL {
        let is_name = matches!(table, Table::Prefixes | Table::LocalNames | Table::OtherNames);
        for entry in vocabulary.strings(table) {
            if entry.is_empty() {
                return Err(unwritable("an entry of a vocabulary is empty"));
            }
            if is_name && !characters::is_name(entry) {
                return Err(unwritable("an entry of a vocabulary is no name"));
            }
        }
    }
    for [prefix, namespace, local] in vocabulary.elements().iter().chain(vocabulary.attributes()) {
        if local.is_empty() {
            return Err(unwritable("an entry of a vocabulary is empty"));
        }
        if !prefix.is_empty() && namespace.is_empty() {
            return Err(unwritable("a name has a prefix that is not declared"));
        }
    }
    Ok(())
}

/// All tables that have entries, behind the bits that say which these are.
fn tables(vocabulary: &ExternalVocabulary) -> Vec<u8> {
    let mut parts = 0_u16;
    let mut octets = vec![0, 0];
    for (at, table) in Table::ALL.into_iter().enumerate() {
        let entries = vocabulary.strings(table);
        if entries.is_empty() {
            continue;
        }
        parts |= 0x0200 >> at;
        octets.count(entries.len());
        for entry in entries {
            match table {
                Table::AttributeValues | Table::Chunks | Table::OtherStrings => {
                    octets.value_head(0, None, entry.len());
                }
                _ => octets.length_2(entry.len()),
            }
            octets.put_all(entry.as_bytes());
        }
    }
    for (bit, names) in [(2, vocabulary.elements()), (1, vocabulary.attributes())] {
        if names.is_empty() {
            continue;
        }
        parts |= bit;
        octets.count(names.len());
        for name in names {
            let [prefix, namespace, local] = vocabulary.indexes(name);
            let has = |index: Option<usize>| u8::from(index.is_some());
            octets.put([has(prefix) << 1 | has(namespace)]);
            let indexes = [prefix, namespace, local].into_iter().flatten();
            indexes.for_each(|index| octets.index_2(0, index));
        }
    }
    octets[..2].copy_from_slice(&parts.to_be_bytes());
    octets
}
