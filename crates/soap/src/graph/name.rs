//! Names of elements, attributes and types, shared as often as they occur.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use trunkline_codec::infoset::Tag;

use crate::QName;

/// A namespace and a local name. Cloning shares both, so that a message with a long namespace and
/// many elements holds it once.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    namespace: Arc<str>,
    local: Arc<str>,
}

impl Name {
    /// A name in a namespace; the empty one is none.
    pub fn new(namespace: &str, local: &str) -> Self {
        Self { namespace: namespace.into(), local: local.into() }
    }

    /// A name in no namespace.
    pub fn unqualified(local: &str) -> Self {
        Self::new("", local)
    }

    /// The namespace; empty for none.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name inside the namespace.
    pub fn local(&self) -> &str {
        &self.local
    }

    /// Is it this name?
    pub fn is(&self, namespace: &str, local: &str) -> bool {
        *self.namespace == *namespace && *self.local == *local
    }

    /// The same local name in another namespace.
    #[must_use]
    pub fn moved(&self, namespace: &str) -> Self {
        Self { namespace: namespace.into(), local: self.local.clone() }
    }

    /// The same namespace with another local name.
    #[must_use]
    pub fn renamed(&self, local: &str) -> Self {
        Self { namespace: self.namespace.clone(), local: local.into() }
    }
}

impl From<&QName> for Name {
    fn from(name: &QName) -> Self {
        Self::new(&name.namespace, &name.local)
    }
}

impl From<&Name> for QName {
    fn from(name: &Name) -> Self {
        Self::new(name.namespace(), name.local())
    }
}

/// As James Clark writes names: `{urn:example}price`.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{{{}}}", self.namespace)?;
        }
        f.write_str(&self.local)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The names of one document.
#[derive(Debug)]
pub(super) struct Names<T: Tag> {
    known: HashMap<T::Name, Name>,
    namespaces: HashMap<T::Namespace, Namespace>,
}

/// A namespace and the local names in it.
#[derive(Debug)]
struct Namespace {
    name: Arc<str>,
    locals: HashMap<Box<str>, Arc<str>>,
}

impl<T: Tag> Default for Names<T> {
    fn default() -> Self {
        Self { known: HashMap::new(), namespaces: HashMap::new() }
    }
}

impl<T: Tag> Names<T> {
    fn entry(&mut self, tag: &T, namespace: T::Namespace) -> &mut Namespace {
        let name = || tag.namespace_name(namespace).into();
        let new = || Namespace { name: name(), locals: HashMap::new() };
        self.namespaces.entry(namespace).or_insert_with(new)
    }

    /// The name of a namespace.
    pub(super) fn namespace(&mut self, tag: &T, namespace: T::Namespace) -> Arc<str> {
        self.entry(tag, namespace).name.clone()
    }

    /// A name that the document has.
    pub(super) fn get(&mut self, tag: &T, name: T::Name) -> Name {
        if let Some(known) = self.known.get(&name) {
            return known.clone();
        }
        let new = self.in_namespace(tag, tag.namespace(name), tag.local(name));
        self.known.insert(name, new.clone());
        new
    }

    /// A name in a namespace that the document has.
    pub(super) fn in_namespace(&mut self, tag: &T, namespace: T::Namespace, local: &str) -> Name {
        let Namespace { name, locals } = self.entry(tag, namespace);
        let local = match locals.get(local) {
            Some(known) => known.clone(),
            None => {
                let shared: Arc<str> = local.into();
                locals.insert(local.into(), shared.clone());
                shared
            }
        };
        Name { namespace: name.clone(), local }
    }
}
