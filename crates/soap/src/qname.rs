//! Names of two parts, and how they stand in values.

use std::fmt;

use trunkline_codec::infoset::{self, Tag, same};
use trunkline_codec::xml::is_ncname;
use trunkline_message::{Error, ErrorKind, Result};

use crate::opening::excerpt;

/// The name of an element, an attribute or a fault code: a namespace and a name in it (Namespaces
/// in XML section 2.1, XML Schema part 2 section 3.2.18).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QName {
    /// The name of the namespace; empty for none.
    pub namespace: String,
    /// The name in the namespace.
    pub local: String,
}

impl QName {
    /// This name in this namespace, which is empty for none.
    pub fn new(namespace: impl Into<String>, local: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), local: local.into() }
    }

    /// Whether it is this name in this namespace.
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        self.local == local && same(&self.namespace, namespace)
    }

    /// The name of an element or attribute that was just read.
    pub(super) fn of<T: Tag>(tag: &T, name: T::Name) -> Self {
        Self::new(tag.namespace_of(name), tag.local(name))
    }

    /// The name in a value such as `ns:local`, with the prefixes in scope at the reader; none for an
    /// undeclared prefix.
    pub(super) fn in_value(tag: &impl Tag, value: &str) -> Self {
        let value = value.trim_matches([' ', '\t', '\r', '\n']);
        let (prefix, local) = value.rsplit_once(':').unwrap_or(("", value));
        let namespace = tag.resolve(prefix);
        Self::new(namespace.map_or("", |it| tag.namespace_name(it)), local)
    }

    /// As a value, in an element where the namespace `near` has that prefix; says whether the prefix
    /// `ns` has to be declared for its own.
    pub(super) fn to_value(&self, near: (&str, &str)) -> (String, bool) {
        match &*self.namespace {
            "" => (self.local.clone(), false),
            namespace if namespace == near.1 => (format!("{}:{}", near.0, self.local), false),
            _ => (format!("ns:{}", self.local), true),
        }
    }

    /// As the name of an element that has no prefix.
    pub(super) fn without_prefix(&self) -> infoset::Name<'_> {
        infoset::Name { prefix: "", namespace: &self.namespace, local: &self.local }
    }

    /// # Errors
    /// The local name could not be that of an element.
    pub(super) fn check(&self) -> Result<()> {
        match is_ncname(&self.local) {
            true => Ok(()),
            false => {
                let what = format!("the name of an element, not {:?}", excerpt(&self.local));
                Err(Error::new(ErrorKind::Expected(what.into()), 0))
            }
        }
    }
}

/// The namespace in braces before the local name, as James Clark writes it: `{urn:x}local`.
impl fmt::Display for QName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => f.write_str(&self.local),
            namespace => write!(f, "{{{namespace}}}{}", self.local),
        }
    }
}
