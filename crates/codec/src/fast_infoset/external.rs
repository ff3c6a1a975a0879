//! Vocabularies that documents refer to by a URI, and that both sides have agreed on before.

use trunkline_message::Result;

use super::parser::Namespace;
use super::vocabulary::{QualifiedName, Span, Table, Vocabulary, VocabularyLimits};

/// The entries of the tables of an external vocabulary, each in its order (X.891 section 7.2.13).
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

    /// Adds all of it to a vocabulary.
    pub(super) fn load(
        &self,
        into: &mut Vocabulary,
        limits: &VocabularyLimits,
        at: usize,
    ) -> Result<()> {
        for (table, entry) in &self.strings {
            match table {
                Table::Namespaces => _ = into.add_namespace(entry, limits, at)?,
                _ => _ = into.add(*table, entry, limits, at)?,
            }
        }
        for name in &self.elements {
            let name = qualified(name, into, limits, at)?;
            let name = into.add_name(name, limits, at)?;
            into.elements.push(name);
        }
        for name in &self.attributes {
            let name = qualified(name, into, limits, at)?;
            let name = into.add_name(name, limits, at)?;
            into.attributes.push(name);
        }
        Ok(())
    }
}

/// A name whose parts are entries of their tables, or become such behind them.
fn qualified(
    [prefix, namespace, local]: &[Box<str>; 3],
    into: &mut Vocabulary,
    limits: &VocabularyLimits,
    at: usize,
) -> Result<QualifiedName> {
    let prefix = match prefix.is_empty() {
        true => Span::default(),
        false => into.find_or_add(Table::Prefixes, prefix, limits, at)?,
    };
    let namespace = match (namespace.is_empty(), into.find_namespace(namespace)) {
        (true, _) => Namespace::NONE,
        (false, Some(known)) => known,
        (false, None) => into.add_namespace(namespace, limits, at)?,
    };
    let local = into.find_or_add(Table::LocalNames, local, limits, at)?;
    Ok(QualifiedName { prefix, namespace, local })
}
