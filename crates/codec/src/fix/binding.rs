//! What FIX knows of a message besides its layout: MsgType and tags, from the notes.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `message_type` | the message | MsgType (35) |
//! | `tag` | a member | its tag; of a list of structs, that of the field which counts them |
//! | `length` | a data field | the tag of the field that holds its length |

use std::collections::HashMap;

use trunkline_message::{Error, ErrorKind, Field, Holds, Kind, Layout, MemberId, Result, ScopeId};

/// The largest tag: an `int` of FIX, which other engines keep in 32 bits with a sign.
pub(super) const LARGEST_TAG: u32 = i32::MAX.unsigned_abs();

/// The notes of FIX about a layout, checked as they are read.
pub(super) struct Binding<'a> {
    layout: &'a Layout,
}

/// The tags of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags {
    pub(super) tag: u32,
    /// That of the length before it, for data; 0 for none.
    pub(super) length: u32,
}

impl<'a> Binding<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        Self { layout }
    }

    /// MsgType.
    pub(super) fn message_type(&self) -> Result<&'a str> {
        let root = self.layout.schema().root();
        let found = self.layout.notes().of_type(root, "fix", "message_type").unwrap_or("");
        if found.is_empty() {
            return Err(unsupported(format!("FIX needs the MsgType of {}", self.layout.name())));
        }
        if found.bytes().any(|byte| byte.is_ascii_control()) {
            return Err(unsupported(format!("{found:?} as MsgType")));
        }
        Ok(found)
    }

    /// The tags of every field of every scope. A tag is one field's in a scope and in those around
    /// it: what stands side by side may share it.
    pub(super) fn tags(&self) -> Result<Vec<Vec<Tags>>> {
        let mut known: Vec<HashMap<u32, &Field>> = Vec::new();
        let mut tags = Vec::new();
        for (index, scope) in self.layout.scopes().iter().enumerate() {
            known.push(HashMap::new());
            let mut of_scope = Vec::new();
            for (at, field) in scope.fields.iter().enumerate() {
                let found = self.of_field(field).and_then(|it| {
                    self.take(&mut known, (index, field), it.tag)?;
                    self.take(&mut known, (index, field), it.length).map(|()| it)
                });
                of_scope.push(found.map_err(|error| self.locate(error, index, at))?);
            }
            tags.push(of_scope);
        }
        Ok(tags)
    }

    /// Takes a tag for a field, if no other of its scope and those around has it. These are known:
    /// the scopes of groups stand behind the one that they are in.
    fn take(
        &self,
        known: &mut [HashMap<u32, &'a Field>],
        (scope, field): (usize, &'a Field),
        tag: u32,
    ) -> Result<()> {
        if tag == 0 {
            return Ok(());
        }
        let mut around = Some(scope);
        while let Some(index) = around {
            if let Some(other) = known[index].get(&tag) {
                let what = format!("the FIX tag {tag} stands for {} here, too", other.name);
                return Err(unsupported(what));
            }
            around = self.layout.scopes()[index].place.map(|(outer, _)| usize::from(outer.0));
        }
        known[scope].insert(tag, field);
        Ok(())
    }

    fn of_field(&self, field: &Field) -> Result<Tags> {
        let Some(tag) = self.number(field, "tag")? else {
            return Err(unsupported(format!("{} has no FIX tag", self.name(field.member))));
        };
        let is_data = field.holds == Holds::Value(Kind::Bytes);
        let length = self.number(field, "length")?.unwrap_or(0);
        if is_data && length == 0 {
            let name = self.name(field.member);
            return Err(unsupported(format!("the data field {name} needs a length field in FIX")));
        }
        Ok(Tags { tag, length })
    }

    fn number(&self, field: &Field, word: &str) -> Result<Option<u32>> {
        let Some(noted) = self.layout.notes().of_member(field.member, "fix", word) else {
            return Ok(None);
        };
        let is_free = |tag: &u32| !matches!(tag, 0 | 8 | 9 | 10 | 35) && *tag <= LARGEST_TAG;
        match noted.parse().ok().filter(is_free) {
            Some(tag) => Ok(Some(tag)),
            None => {
                let name = self.name(field.member);
                Err(unsupported(format!("{name} cannot have the FIX tag {noted}")))
            }
        }
    }

    /// Type and member.
    fn name(&self, member: MemberId) -> String {
        let schema = self.layout.schema();
        let name = &schema.members(member.of)[member.index as usize].name;
        format!("{}.{name}", schema.type_of(member.of).name)
    }

    /// Adds the whole path of a field to an error.
    fn locate(&self, mut error: Error, scope: usize, field: usize) -> Error {
        let mut place = Some((ScopeId(scope as u16), field));
        while let Some((scope, field)) = place {
            let scope = self.layout.scope(scope);
            error = scope.locate(error, field);
            place = scope.place;
        }
        error
    }
}

fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
}
