//! What both kinds of file are read with.

use std::collections::{HashMap, HashSet};

use super::dictionary::{Dictionary, Field, FieldValue, Message, Part};
use crate::markup::{Document, Element};
use crate::names;
use crate::problem::{Place, Problem, Warnings};

/// A document, and what was found in it.
pub(super) struct Reading<'a, 'w> {
    pub(super) document: &'a Document,
    warnings: &'w mut Warnings,
    pub(super) dictionary: Dictionary,
    tags: Index<u32>,
    message_types: Index<String>,
    /// Names of messages.
    taken: HashSet<String>,
}

impl<'a, 'w> Reading<'a, 'w> {
    pub(super) fn new(document: &'a Document, warnings: &'w mut Warnings) -> Self {
        Self {
            document,
            warnings,
            dictionary: Dictionary::default(),
            tags: Index::default(),
            message_types: Index::default(),
            taken: HashSet::new(),
        }
    }

    pub(super) fn place(&self, element: &Element) -> Place {
        self.document.place(element)
    }

    pub(super) fn warn(
        &mut self,
        at: &Element,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let place = self.document.place(at);
        self.warnings.add(&place, what, remedy);
    }

    pub(super) fn reject<T>(
        &self,
        at: &Element,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Result<T, Problem> {
        Err(Problem::new(&self.place(at), what, remedy))
    }

    /// An attribute that must be there.
    pub(super) fn needed(&self, element: &'a Element, attribute: &str) -> Result<&'a str, Problem> {
        match element.attribute(attribute).filter(|it| !it.is_empty()) {
            Some(found) => Ok(found),
            None => {
                let what = format!("the {} has no {attribute}", element.name);
                self.reject(element, what, format!("give it the attribute {attribute}"))
            }
        }
    }

    /// The number of a field.
    pub(super) fn tag(&self, element: &'a Element, attribute: &str) -> Result<u32, Problem> {
        let number = self.needed(element, attribute)?;
        match number.parse().ok().filter(|it| (1..=i32::MAX as u32).contains(it)) {
            Some(tag) => Ok(tag),
            None => {
                let what = format!("{number:?} is not the number of a field");
                self.reject(element, what, "give it one from 1 to 2147483647")
            }
        }
    }

    /// Adds a field; two of them may share a number, if no message has both.
    pub(super) fn add_field(&mut self, element: &Element, field: Field) -> usize {
        let index = self.dictionary.fields.len();
        let first = self.tags.first(field.tag, index);
        if first != index {
            let other = &self.dictionary.fields[first].name;
            let what =
                format!("the fields {other} and {} have the number {}", field.name, field.tag);
            self.warn(element, what, "no message can have both: number them apart");
        }
        self.dictionary.fields.push(field);
        index
    }

    /// The values of a field, by the attributes that have their codes and names.
    pub(super) fn values(
        &mut self,
        around: &'a Element,
        of: &str,
        (element, code, name): (&'a str, &str, &str),
    ) -> Vec<FieldValue> {
        let (mut values, mut codes, mut taken) = (Vec::new(), HashSet::new(), HashSet::new());
        for value in around.all(element) {
            let code = value.attribute(code).unwrap_or_default();
            if code.is_empty() {
                self.warn(value, format!("a value of {of} has no code"), "it is left out");
                continue;
            }
            if !codes.insert(code) {
                let what = format!("the code {code} stands for two values of {of}");
                self.warn(value, what, "the first is taken");
                continue;
            }
            let described = value.attribute(name).and_then(names::underscored);
            let name = described.or_else(|| names::underscored(code));
            let name = names::untaken(name.as_deref().unwrap_or("value"), &mut taken);
            values.push(FieldValue { code: code.to_owned(), name });
        }
        values
    }

    /// Adds a message; two of them may share a MsgType, which tells by itself only the first.
    pub(super) fn add_message(
        &mut self,
        element: &'a Element,
        message_type: &str,
        parts: Vec<Part>,
    ) -> Result<(), Problem> {
        let title = self.needed(element, "name")?;
        let Some(name) = names::joined(title) else {
            let what = format!("the message {title} has no letter in its name");
            return self.reject(element, what, "give it a name with one");
        };
        let index = self.dictionary.messages.len();
        let first = self.message_types.first(message_type.to_owned(), index);
        if first != index {
            let other = &self.dictionary.messages[first].title;
            let what = format!("the messages {other} and {title} have the MsgType {message_type}");
            self.warn(element, what, "ask for either by its name");
        }
        let (name, place) = (names::untaken(&name, &mut self.taken), self.place(element));
        let (title, message_type) = (title.to_owned(), message_type.to_owned());
        self.dictionary.messages.push(Message { name, title, message_type, parts, place });
        Ok(())
    }
}

/// Places of what is defined, by name or number.
pub(super) struct Index<K>(HashMap<K, usize>);

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: std::hash::Hash + Eq> Index<K> {
    /// The first of this key, which is the one at `place` if there was none.
    pub(super) fn first(&mut self, key: K, place: usize) -> usize {
        *self.0.entry(key).or_insert(place)
    }

    pub(super) fn get<Q: std::hash::Hash + Eq + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0.get(key).copied()
    }
}
