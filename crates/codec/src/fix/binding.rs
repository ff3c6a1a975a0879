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
    /// Of each scope, the one around it and the group there that it describes the entries of.
    around: Vec<Option<(usize, usize)>>,
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
        let mut around = vec![None; layout.scopes().len()];
        for (index, scope) in layout.scopes().iter().enumerate() {
            for (field, it) in scope.fields.iter().enumerate() {
                if let Holds::Group(inner) = it.holds {
                    around[usize::from(inner.0)] = Some((index, field));
                }
            }
        }
        Self { layout, around }
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
            // The scopes of groups stand behind the one that they are in.
            let mut own = self.around[index].map_or_else(HashMap::new, |(it, _)| known[it].clone());
            let mut of_scope = Vec::new();
            for (at, field) in scope.fields.iter().enumerate() {
                let found = self.of_field(field).and_then(|it| {
                    is_free(&mut own, field, it.tag)?;
                    is_free(&mut own, field, it.length).map(|()| it)
                });
                of_scope.push(found.map_err(|error| self.locate(error, index, at))?);
            }
            known.push(own);
            tags.push(of_scope);
        }
        Ok(tags)
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
        let mut place = Some((scope, field));
        while let Some((scope, field)) = place {
            error = self.layout.scope(ScopeId(scope as u16)).locate(error, field);
            place = self.around[scope];
        }
        error
    }
}

fn is_free<'a>(known: &mut HashMap<u32, &'a Field>, field: &'a Field, tag: u32) -> Result<()> {
    if tag == 0 {
        return Ok(());
    }
    match known.insert(tag, field) {
        None => Ok(()),
        Some(other) => {
            let what = format!("the FIX tag {tag} stands for {} here, too", other.name);
            Err(unsupported(what))
        }
    }
}

fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
}
