//! Numbers of names that are the same in every document of a parser, so that what a name means to who reads it is
//! found by its number.

use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::RandomState;

use super::parser::Namespace;
use super::vocabulary::{Span, XML_NAMESPACE};
use crate::intern::Index;

/// When documents that stand by themselves have had more names than this, all are forgotten.
const MOST: usize = 1024;

/// The same of bytes.
const MOST_BYTES: usize = 1 << 16;

/// What tells the numbers of namespaces in the index from those of names.
const NAMESPACE: u32 = 1 << 31;

/// All names that were read, and their namespaces.
#[derive(Debug)]
pub(super) struct KnownNames {
    text: String,
    /// The first is [`Namespace`] 1.
    namespaces: Vec<Span>,
    names: Vec<(Namespace, Span)>,
    index: Index<RandomState>,
    numbering: u64,
}

impl Default for KnownNames {
    fn default() -> Self {
        let mut known = Self {
            text: String::new(),
            namespaces: Vec::new(),
            names: Vec::new(),
            index: Index::default(),
            numbering: next_numbering(),
        };
        known.namespace(XML_NAMESPACE);
        known
    }
}

/// A number that no other parser has, nor this one had.
fn next_numbering() -> u64 {
    static NUMBERINGS: AtomicU64 = AtomicU64::new(1);
    NUMBERINGS.fetch_add(1, Ordering::Relaxed)
}

impl KnownNames {
    /// Begins a document that stands by itself.
    pub(super) fn begin(&mut self) {
        if self.names.len().max(self.namespaces.len()) > MOST || self.text.len() > MOST_BYTES {
            *self = Self::default();
        }
    }

    /// For as long as this is the same, numbers mean the same.
    #[inline]
    pub(super) fn numbering(&self) -> u64 {
        self.numbering
    }

    /// The namespace of this name.
    pub(super) fn namespace(&mut self, name: &str) -> Namespace {
        let hash = self.index.hash(name);
        let string = |span: Span| self.string(span);
        let known = self.index.find(hash, |number| {
            number & NAMESPACE != 0
                && string(self.namespaces[(number ^ NAMESPACE) as usize]) == name
        });
        let number = known.unwrap_or_else(|| {
            let number = self.namespaces.len() as u32 | NAMESPACE;
            self.index.insert(hash, number);
            let span = super::sender::push(&mut self.text, name);
            self.namespaces.push(span);
            number
        });
        Namespace((number ^ NAMESPACE) + 1)
    }

    /// The name of a namespace; empty if it is none.
    #[inline]
    pub(super) fn namespace_name(&self, namespace: Namespace) -> &str {
        match namespace.0 {
            0 => "",
            number => self.string(self.namespaces[number as usize - 1]),
        }
    }

    /// The number of a name.
    pub(super) fn name(&mut self, namespace: Namespace, local: &str) -> u32 {
        let hash = self.index.hash((namespace.0, local));
        let is_same = |number| self.is_name(number, namespace, local);
        if let Some(known) = self.index.find(hash, is_same) {
            return known;
        }
        let number = self.names.len() as u32;
        self.index.insert(hash, number);
        let span = super::sender::push(&mut self.text, local);
        self.names.push((namespace, span));
        number
    }

    /// The number of a name, if it was read before.
    #[inline]
    pub(super) fn find_name(&self, namespace: Namespace, local: &str) -> Option<u32> {
        let hash = self.index.hash((namespace.0, local));
        self.index.find(hash, |number| self.is_name(number, namespace, local))
    }

    #[inline]
    fn is_name(&self, number: u32, namespace: Namespace, local: &str) -> bool {
        let known = self.names.get(number as usize);
        known.is_some_and(|(of, span)| *of == namespace && self.string(*span) == local)
    }

    #[inline]
    fn string(&self, span: Span) -> &str {
        super::sender::string(&self.text, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_has_the_same_number_until_there_are_too_many() {
        let mut known = KnownNames::default();
        assert_eq!(known.namespace(XML_NAMESPACE), Namespace(1));
        let space = known.namespace("urn:a");
        let number = known.name(space, "b");
        let numbering = known.numbering();
        known.begin();
        assert_eq!((known.namespace("urn:a"), known.name(space, "b")), (space, number));
        assert_ne!(known.name(Namespace::NONE, "b"), number);
        assert_eq!(
            (known.namespace_name(space), known.namespace_name(Namespace::NONE)),
            ("urn:a", "")
        );
        for other in 0..=MOST {
            known.name(space, &other.to_string());
        }
        assert_eq!((known.name(space, "b"), known.numbering()), (number, numbering));
        known.begin();
        assert_ne!(known.numbering(), numbering);
        assert_eq!(known.namespace(XML_NAMESPACE), Namespace(1));
    }
}
