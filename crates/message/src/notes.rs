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

    /// What a format's word about a type is.
    pub fn of_type(&self, of: TypeId, format: &str, word: &str) -> Option<&str> {
        found(self.of_types.get(&of)?, format, word)
    }

    /// What a format's word about a member is.
    pub fn of_member(&self, of: MemberId, format: &str, word: &str) -> Option<&str> {
        found(self.of_members.get(&of)?, format, word)
    }

    /// The words of a format about a member.
    pub fn words(&self, of: MemberId, format: &str) -> impl Iterator<Item = &str> {
        let notes = self.of_members.get(&of).into_iter().flatten();
        notes.filter(move |it| &*it.format == format).map(|it| &*it.word)
    }
}

fn note(notes: &mut Vec<Note>, format: &str, word: &str, value: &str) {
    notes.retain(|it| (&*it.format, &*it.word) != (format, word));
    notes.push(Note { format: format.into(), word: word.into(), value: value.into() });
}

fn found<'a>(notes: &'a [Note], format: &str, word: &str) -> Option<&'a str> {
    notes.iter().find(|it| (&*it.format, &*it.word) == (format, word)).map(|it| &*it.value)
}
