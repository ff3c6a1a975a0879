//! Attributes of the current start tag.

use std::borrow::Cow;

use super::error::{Error, ErrorKind};
use super::{Name, Namespace, normalise_attribute};
use crate::intern::Index;

/// Up to this many attributes are compared pair by pair; an index serves more.
const WALKED: usize = 8;

/// An attribute as its tag has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The name. Without a prefix it is in no namespace, whatever the default namespace is.
    pub name: Name<'a>,
    /// The value as it stands between the quotes.
    pub raw: &'a str,
    /// Whether `raw` is the value itself; if not,
    /// [`normalise_attribute`](super::normalise_attribute) makes it so.
    pub plain: bool,
}

impl<'a> Attribute<'a> {
    /// The value itself.
    pub fn value(&self) -> Cow<'a, str> {
        if self.plain {
            return Cow::Borrowed(self.raw);
        }
        let mut value = String::new();
        normalise_attribute(self.raw, &mut value);
        Cow::Owned(value)
    }
}

/// Where an attribute is in the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) name_start: u32,
    pub(super) name_length: u32,
    pub(super) local_start: u32,
    pub(super) value_start: u32,
    pub(super) value_length: u32,
    pub(super) namespace: Namespace,
    pub(super) plain: bool,
}

impl Place {
    pub(super) fn view<'a>(&self, input: &'a str) -> Attribute<'a> {
        let text = |start: u32, length: u32| &input[start as usize..(start + length) as usize];
        Attribute {
            name: Name {
                qualified: text(self.name_start, self.name_length),
                local_start: self.local_start,
                namespace: self.namespace,
            },
            raw: text(self.value_start, self.value_length),
            plain: self.plain,
        }
    }

    /// The expanded name, which must be unique in a tag. Equal names have equal prefixes and so equal
    /// namespaces, so this covers the rule of XML as well as the one of namespaces.
    fn expanded<'a>(&self, input: &'a str) -> (Namespace, &'a [u8]) {
        let start = (self.name_start + self.local_start) as usize;
        let end = (self.name_start + self.name_length) as usize;
        (self.namespace, &input.as_bytes()[start..end])
    }
}

/// Checks that no two attributes have the same expanded name.
pub(super) fn check_unique(places: &[Place], index: &mut Index, input: &str) -> Result<(), Error> {
    let duplicate =
        |place: &Place| Err(Error::new(ErrorKind::DuplicateAttribute, place.name_start as usize));
    if places.len() <= WALKED {
        for (at, place) in places.iter().enumerate() {
            let expanded = place.expanded(input);
            if places[..at].iter().any(|earlier| earlier.expanded(input) == expanded) {
                return duplicate(place);
            }
        }
        return Ok(());
    }
    index.reset(places.len());
    for (at, place) in places.iter().enumerate() {
        let expanded = place.expanded(input);
        let hash = index.hash(expanded);
        let equal = |earlier: u32| places[earlier as usize].expanded(input) == expanded;
        if index.find(hash, equal).is_some() {
            return duplicate(place);
        }
        index.insert(hash, at as u32);
    }
    Ok(())
}
