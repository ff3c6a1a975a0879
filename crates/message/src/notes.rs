//! What only one format needs to know of a type or member.

use std::collections::HashMap;

use crate::{MemberId, TypeId};

/// Words of formats about types and members: FIX's tag of a member, the name that XML gives the
/// elements of a list. Here they are data; what they mean is each format's binding to know.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    of_types: HashMap<TypeId, Vec<Note>>,
    of_members: HashMap<MemberId, Vec<Note>>,
}

#[derive(Clone, Debug)]
struct Note {
    format: Box<str>,
    word: Box<str>,
    value: Box<str>,
}

impl Notes {
    /// Notes a word about a type, in place of what it was.
    pub fn note_type(&mut self, of: TypeId, format: &str, word: &str, value: &str) {
        note(self.of_types.entry(of).or_default(), format, word, value);
    }

    /// Notes a word about a member, in place of what it was.
    pub fn note_member(&mut self, of: MemberId, format: &str, word: &str, value: &str) {
        note(self.of_members.entry(of).or_default(), format, word, value);
    }

    /// Takes a word about a type back, and says what it was.
    pub(crate) fn take_of_type(
        &mut self,
        of: TypeId,
        format: &str,
        word: &str,
    ) -> Option<Box<str>> {
        let notes = self.of_types.get_mut(&of)?;
        let at = notes.iter().position(|it| (&*it.format, &*it.word) == (format, word))?;
        Some(notes.remove(at).value)
    }

    /// What a format's word about a type is.
    pub fn of_type(&self, of: TypeId, format: &str, word: &str) -> Option<&str> {
        found(self.of_types.get(&of)?, format, word)
    }

    /// What a format's word about a member is.
    pub fn of_member(&self, of: MemberId, format: &str, word: &str) -> Option<&str> {
        found(self.of_members.get(&of)?, format, word)
    }

    /// Every note about a type in the order in which they were made: format, word and value.
    pub fn all_of_type(&self, of: TypeId) -> impl Iterator<Item = (&str, &str, &str)> {
        all(self.of_types.get(&of))
    }

    /// Every note about a member, likewise.
    pub fn all_of_member(&self, of: MemberId) -> impl Iterator<Item = (&str, &str, &str)> {
        all(self.of_members.get(&of))
    }
}

fn all(notes: Option<&Vec<Note>>) -> impl Iterator<Item = (&str, &str, &str)> {
    notes.into_iter().flatten().map(|it| (&*it.format, &*it.word, &*it.value))
}

fn note(notes: &mut Vec<Note>, format: &str, word: &str, value: &str) {
    notes.retain(|it| (&*it.format, &*it.word) != (format, word));
    notes.push(Note { format: format.into(), word: word.into(), value: value.into() });
}

fn found<'a>(notes: &'a [Note], format: &str, word: &str) -> Option<&'a str> {
    notes.iter().find(|it| (&*it.format, &*it.word) == (format, word)).map(|it| &*it.value)
}
