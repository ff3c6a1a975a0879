//! Vocabularies that documents begin with: external ones, which they refer to by a URI and both sides have agreed on
//! before, and initial ones, which they state.

use trunkline_message::Result;

use super::parser::Namespace;
use super::vocabulary::{QualifiedName, Table, Vocabulary, VocabularyLimits, XML, XML_NAMESPACE};

/// The entries of the tables of an external or initial vocabulary, each in its order (X.891 section 7.2.13).
#[derive(Clone, Debug, Default)]
pub struct ExternalVocabulary {
    strings: Vec<(Table, Box<str>)>,
    elements: Vec<[Box<str>; 3]>,
    attributes: Vec<[Box<str>; 3]>,
}

macro_rules! entries {
    ($($method:ident: $table:ident, $what:literal;)*) => { $(
        #[doc = concat!("Adds ", $what, ".")]
        #[must_use]
        pub fn $method(mut self, entry: &str) -> Self {
            self.strings.push((Table::$table, entry.into()));
            self
        }
    )* };
}

impl ExternalVocabulary {
    entries! {
        prefix: Prefixes, "a prefix";
        namespace: Namespaces, "the name of a namespace";
        local_name: LocalNames, "a name in a namespace";
        other_name: OtherNames, "a target of instructions, or the name of an entity or a notation";
        other_uri: OtherUris, "the identifier of something outside";
        attribute_value: AttributeValues, "the value of an attribute";
        text: Chunks, "a text";
        other_string: OtherStrings, "a comment, or the data of an instruction";
    }

    /// Adds the name of an element by its prefix, namespace and name there; the first two may be empty.
    #[must_use]
    pub fn element(mut self, prefix: &str, namespace: &str, local: &str) -> Self {
        self.elements.push([prefix, namespace, local].map(Box::from));
        self
    }

    /// The same of an attribute.
    #[must_use]
    pub fn attribute(mut self, prefix: &str, namespace: &str, local: &str) -> Self {
        self.attributes.push([prefix, namespace, local].map(Box::from));
        self
    }

    /// The names of elements, each by its prefix, namespace and name there.
    pub(super) fn elements(&self) -> &[[Box<str>; 3]] {
        &self.elements
    }

    /// The same of attributes.
    pub(super) fn attributes(&self) -> &[[Box<str>; 3]] {
        &self.attributes
    }

    /// The entries of a table, in their order: behind those that were added, the parts of names that are none of them.
    pub(super) fn strings(&self, table: Table) -> Vec<&str> {
        let added = self.strings.iter().filter(|(it, _)| *it == table);
        let mut all: Vec<&str> = added.map(|(_, entry)| &**entry).collect();
        let Some((part, constant)) = part_of_names(table) else { return all };
        for name in self.elements.iter().chain(&self.attributes) {
            let entry = &*name[part];
            if !entry.is_empty() && entry != constant && !all.contains(&entry) {
                all.push(entry);
            }
        }
        all
    }

    /// The indexes of the parts of a name, which are entries of their tables unless they are empty.
    pub(super) fn indexes(&self, name: &[Box<str>; 3]) -> [Option<usize>; 3] {
        [Table::Prefixes, Table::Namespaces, Table::LocalNames].map(|table| {
            let (part, constant) = part_of_names(table)?;
            let entry = &*name[part];
            let constant = Some(constant).filter(|it| !it.is_empty());
            let mut entries = constant.into_iter().chain(self.strings(table));
            entries.position(|it| it == entry)
        })
    }

    /// Adds all of it to a vocabulary.
    pub(super) fn load(
        &self,
        into: &mut Vocabulary,
        limits: &VocabularyLimits,
        at: usize,
    ) -> Result<()> {
        for table in Table::ALL {
            for entry in self.strings(table) {
                match table {
                    Table::Namespaces => _ = into.add_namespace(entry, limits, at)?,
                    _ => _ = into.add(table, entry, limits, at)?,
                }
            }
        }
        for (names, is_of_elements) in [(&self.elements, true), (&self.attributes, false)] {
            for [prefix, namespace, local] in names {
                let name = QualifiedName {
                    prefix: into.find(Table::Prefixes, prefix),
                    namespace: into.find_namespace(namespace).unwrap_or(Namespace::NONE),
                    local: into.find(Table::LocalNames, local),
                };
                let name = into.add_name(name, limits, at)?;
                match is_of_elements {
                    true => into.elements.push(name),
                    false => into.attributes.push(name),
                }
            }
        }
        Ok(())
    }
}

/// Which part of names the entries of a table are, and the entry that the table always has before all others.
fn part_of_names(table: Table) -> Option<(usize, &'static str)> {
    match table {
        Table::Prefixes => Some((0, XML)),
        Table::Namespaces => Some((1, XML_NAMESPACE)),
        Table::LocalNames => Some((2, "")),
        _ => None,
    }
}
