//! The notes of FIX on a message, and the types that FIX cannot carry.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `message_type` | the message | MsgType (35) |
//! | `tag` | a member | its tag; of a list of structs, that of the field which counts them |
//! | `length` | a data field | the tag of the field that holds its length |
//! | `code` | a value of an enumeration | how it is written; its name if none is noted |

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use trunkline_message::{
    Error, ErrorKind, Field, Holds, Kind, Layout, MemberId, Result, Scope, ScopeId, Shape, TypeId,
};

use super::SOH;
use crate::CodeSet;

/// The largest tag: an `int` of FIX, which other engines keep in 32 bits with a sign.
pub(super) const LARGEST_TAG: u32 = i32::MAX.unsigned_abs();

/// What a tag is, for those who wrote another (FIX 4.4 volume 1, "Tag=Value syntax").
pub const TAG_RULE: &str = "a whole number from 1 to 2147483647 without zeros before it";

/// The notes of FIX about a layout, checked as they are read.
pub(super) struct Binding<'a> {
    layout: &'a Layout,
    /// The message or group entry of each scope: a struct by itself is flat, so that its fields
    /// stand among those of the one around it.
    around: Vec<usize>,
}

/// The tags of a field; 0 for none, as structs and the items of lists have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags {
    pub(super) tag: u32,
    /// That of the length before it, for data.
    pub(super) length: u32,
}

/// A field of a message or entry, by one of its tags.
struct Known<'a> {
    name: &'a str,
    /// When it is written; none of data.
    order: Option<usize>,
}

/// How each value of an enumeration is written.
pub(super) type Codes = Vec<Box<[u8]>>;

/// Is it data, before which stands its length? So is content of any shape, as XmlData (tag 213) is.
pub(super) fn is_data(holds: Holds) -> bool {
    matches!(holds, Holds::Value(Kind::Bytes | Kind::Any))
}

impl<'a> Binding<'a> {
    /// Checks that FIX has a form for everything.
    pub(super) fn new(layout: &'a Layout) -> Result<Self> {
        let mut binding = Self { layout, around: Vec::new() };
        for (index, scope) in layout.scopes().iter().enumerate() {
            for (at, field) in scope.fields.iter().enumerate() {
                let checked = binding.check((index, scope), at, field);
                checked.map_err(|error| binding.locate(error, index, at))?;
            }
            let is_flat = |field: &Field| matches!(field.holds, Holds::Struct(_));
            let around = match scope.place {
                Some((outer, _)) if layout.field_of(ScopeId(index as u16)).is_some_and(is_flat) => {
                    binding.around[usize::from(outer.0)]
                }
                _ => index,
            };
            binding.around.push(around);
        }
        Ok(binding)
    }

    /// The message or group entry among whose fields those of a scope stand.
    pub(super) fn around(&self, scope: usize) -> usize {
        self.around[scope]
    }

    fn check(&self, (index, scope): (usize, &Scope), at: usize, field: &Field) -> Result<()> {
        let reject = |what: &str| Err(unsupported(what.into()));
        let inner = field.holds.scope().map(|it| self.layout.scope(it));
        match (field.holds, inner) {
            (Holds::Value(Kind::Duration), _) => reject("FIX has no durations"),
            (holds, _) if is_data(holds) && scope.shape == Shape::Item => {
                reject("FIX has no lists of data")
            }
            (Holds::List(_) | Holds::Group(_), _) if scope.shape == Shape::Item => {
                reject("FIX has no lists of lists")
            }
            // A type that holds itself has one scope, at several places.
            (_, Some(inner)) if inner.place != Some((ScopeId(index as u16), at)) => {
                Err(unsupported(format!("{} holds itself, which FIX cannot show", inner.name)))
            }
            (Holds::Group(_), Some(inner)) if inner.shape == Shape::Choice => {
                reject("FIX has no lists of choices")
            }
            (_, Some(inner)) if inner.fields.is_empty() => Err(unsupported(format!(
                "{} has no fields, by which alone FIX would show it",
                inner.name
            ))),
            _ => Ok(()),
        }
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

    /// The tags of every field of every scope. A tag is one field's in a message or entry: what stands side by side may
    /// share it. Of an entry it may be a field's around it, too, that is no data and is written before the group: behind
    /// the count of the group it is the entry's.
    pub(super) fn tags(&self) -> Result<Vec<Vec<Tags>>> {
        let order = self.order();
        let mut tags = vec![Vec::new(); self.around.len()];
        let mut known: Vec<HashMap<u32, Known<'a>>> = Vec::new();
        known.resize_with(self.around.len(), HashMap::new);
        self.each_field(|index, scope, at, field| {
            let it =
                if scope.shape == Shape::Item { Tags::default() } else { self.of_field(field)? };
            tags[index].push(it);
            let order = (it.length == 0).then_some(order[index][at]);
            for tag in [it.tag, it.length].into_iter().filter(|tag| *tag != 0) {
                let known = &mut known[self.around[index]];
                reject_second(known, tag)?;
                known.insert(tag, Known { name: &field.name, order });
            }
            Ok(())
        })?;
        // All that a scope has is known now, structs behind the group included.
        self.each_field(|index, _, at, _| {
            let Tags { tag, length } = tags[index][at];
            let mut inside = self.layout.scopes()[self.around[index]].place;
            while let Some((outer, group)) = inside {
                let outer = usize::from(outer.0);
                let known = &known[self.around[outer]];
                let is_before =
                    |it: &Known<'_>| it.order.is_some_and(|it| it < order[outer][group]);
                if length != 0 || !known.get(&tag).is_some_and(is_before) {
                    reject_second(known, tag)?;
                }
                reject_second(known, length)?;
                inside = self.layout.scopes()[self.around[outer]].place;
            }
            Ok(())
        })?;
        Ok(tags)
    }

    /// Of each field of each scope, when it is written among the fields of the message or entry.
    fn order(&self) -> Vec<Vec<usize>> {
        let scopes = self.layout.scopes();
        let mut order: Vec<Vec<usize>> = scopes.iter().map(|_| Vec::new()).collect();
        for flat in (0..scopes.len()).filter(|it| self.around[*it] == *it) {
            // Structs that are begun, with the field that is next in each.
            let (mut open, mut next) = (vec![(flat, 0)], 0);
            while let Some((scope, at)) = open.pop() {
                let Some(field) = scopes[scope].fields.get(at) else { continue };
                order[scope].push(next);
                next += 1;
                open.push((scope, at + 1));
                if let Holds::Struct(inner) = field.holds {
                    open.push((usize::from(inner.0), 0));
                }
            }
        }
        order
    }

    /// Visits every field; an error gets its path.
    fn each_field(
        &self,
        mut visit: impl FnMut(usize, &'a Scope, usize, &'a Field) -> Result<()>,
    ) -> Result<()> {
        for (index, scope) in self.layout.scopes().iter().enumerate() {
            for (at, field) in scope.fields.iter().enumerate() {
                visit(index, scope, at, field).map_err(|error| self.locate(error, index, at))?;
            }
        }
        Ok(())
    }

    fn of_field(&self, field: &Field) -> Result<Tags> {
        if matches!(field.holds, Holds::Struct(_)) {
            return Ok(Tags::default());
        }
        let Some(tag) = self.number(field, "tag")? else {
            return Err(unsupported(format!("{} has no FIX tag", self.name(field.member))));
        };
        let is_data = is_data(field.holds);
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

    /// The codes of every enumeration that a field holds.
    pub(super) fn codes(&self, code_set: CodeSet) -> Result<HashMap<TypeId, Codes>> {
        let mut found = HashMap::new();
        self.each_field(|_, scope, _, field| {
            let Holds::Enumeration(of) = field.holds else { return Ok(()) };
            let codes: &Codes = match found.entry(of) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(self.codes_of(of, code_set)?),
            };
            let has_blank = |code: &[u8]| scope.shape == Shape::Item && code.contains(&b' ');
            match codes.iter().position(|code| has_blank(code)) {
                Some(value) => Err(unsupported(format!(
                    "a blank parts the items of a list in FIX, and {}.{} has one inside",
                    self.layout.schema().type_of(of).name,
                    self.layout.schema().values(of)[value]
                ))),
                None => Ok(()),
            }
        })?;
        Ok(found)
    }

    fn codes_of(&self, of: TypeId, code_set: CodeSet) -> Result<Codes> {
        let name = &self.layout.schema().type_of(of).name;
        let values = self.layout.schema().values(of);
        let mut known: HashMap<Box<[u8]>, &str> = HashMap::new();
        let mut codes = Codes::new();
        for (index, value) in values.iter().enumerate() {
            let member = MemberId { of, index: index as u32 };
            let code = self.layout.notes().of_member(member, "fix", "code").unwrap_or(value);
            let written = code_set.write(code).ok();
            let is_fit = |it: &_| !<[u8]>::is_empty(it) && !<[u8]>::contains(it, &SOH);
            let Some(written) = written.filter(|it| is_fit(it)) else {
                return Err(unsupported(format!(
                    "{name}.{value} cannot have the FIX code {code:?}"
                )));
            };
            let written: Box<[u8]> = written.into();
            if let Some(other) = known.insert(written.clone(), value) {
                let what =
                    format!("the FIX code {code} stands for {name}.{other} and {name}.{value}");
                return Err(unsupported(what));
            }
            codes.push(written);
        }
        Ok(codes)
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

/// No tag is the second of its number.
fn reject_second(known: &HashMap<u32, Known<'_>>, tag: u32) -> Result<()> {
    match known.get(&tag) {
        Some(Known { name, .. }) => {
            Err(unsupported(format!("the FIX tag {tag} stands for {name} here, too")))
        }
        None => Ok(()),
    }
}

pub(super) fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
}
