//! From a message of a dictionary to its layout.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use trunkline_codec::fix::length_of_data;
use trunkline_message::{
    Body, IntegerKind, Kind, Layout, Member, MemberId, Need, TypeId, Types, is_name,
};

use super::datatype::Datatype;
use super::dictionary::{DEEPEST, Dictionary, Field, Message, Of, Part};
use crate::problem::Problem;

/// The fields that frame a message: BeginString, BodyLength, CheckSum and MsgType, which the format writes.
const FRAME: [u32; 4] = [8, 9, 10, 35];

pub(super) struct Builder<'a> {
    dictionary: &'a Dictionary,
    types: Types,
    enumerations: HashMap<Of, TypeId>,
    /// Components and the entries of groups; none of those that hold nothing.
    structs: HashMap<Of, Option<TypeId>>,
    /// Components and groups that are being described.
    open: Vec<Of>,
    /// The tags of the fields so far: of the message, and of the entries of each group that is being described.
    taken: Vec<BTreeSet<u32>>,
    /// Of each component, the tags of all fields that stand among those around it.
    tags: HashMap<usize, Rc<BTreeSet<u32>>>,
}

/// The members of a struct as they are found.
struct Members {
    of: TypeId,
    members: Vec<Member>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(dictionary: &'a Dictionary) -> Self {
        Self {
            dictionary,
            types: Types::default(),
            enumerations: HashMap::new(),
            structs: HashMap::new(),
            open: Vec::new(),
            taken: vec![BTreeSet::new()],
            tags: HashMap::new(),
        }
    }

    pub(super) fn message(mut self, message: &Message) -> Result<Layout, Problem> {
        let root = self.types.declare(&message.name);
        self.types.notes().note_type(root, "fix", "message_type", &message.message_type);
        let mut members = Members { of: root, members: Vec::new() };
        let dictionary = self.dictionary;
        self.frame(&mut members, "StandardHeader", &dictionary.header, Need::Required)?;
        self.parts(&mut members, &message.parts)?;
        self.frame(&mut members, "StandardTrailer", &dictionary.trailer, Need::Implied)?;
        self.types.set_body(root, Body::Struct(members.members));
        self.types.layout(root).map_err(|error| {
            let what = format!("the message {}: {error}", message.title);
            Problem::new(&message.place, what, "change the dictionary there")
        })
    }

    /// The header or trailer, if there is more in it than what frames the message.
    fn frame(
        &mut self,
        around: &mut Members,
        name: &str,
        parts: &[Part],
        need: Need,
    ) -> Result<(), Problem> {
        let of = self.types.declare(name);
        let mut members = Members { of, members: Vec::new() };
        self.parts(&mut members, parts)?;
        if !members.members.is_empty() {
            self.types.set_body(of, Body::Struct(members.members));
            self.add(around, name, of, need);
        }
        Ok(())
    }

    fn add(&mut self, to: &mut Members, name: &str, of: TypeId, need: Need) -> MemberId {
        to.members.push(Member { name: name.into(), of, need });
        MemberId { of: to.of, index: to.members.len() as u32 - 1 }
    }

    fn parts(&mut self, to: &mut Members, parts: &[Part]) -> Result<(), Problem> {
        let dictionary = self.dictionary;
        for (index, part) in parts.iter().enumerate() {
            match part.of {
                Some(Of::Field(of)) => {
                    let field = &dictionary.fields[of];
                    let is_framing = FRAME.contains(&field.tag);
                    // A length stands beside its data.
                    if !is_framing && self.data_of(parts, index).is_none() && self.take(field.tag) {
                        self.field(to, parts, index, field)?;
                    }
                }
                Some(of @ Of::Group(group)) => {
                    let group = &dictionary.groups[group];
                    let Some(counter) = group.counter else { continue };
                    let tag = dictionary.fields[counter].tag;
                    if !self.take(tag) {
                        continue;
                    }
                    let name = entry_name(&group.name);
                    self.taken.push(BTreeSet::new());
                    let entry = self.structure(of, name, &group.parts, part)?;
                    self.taken.pop();
                    let Some(entry) = entry else { continue };
                    let list = self.types.list(entry, None);
                    let member = self.add(to, &part.name, list, need(part, Need::Optional));
                    self.types.notes().note_member(member, "fix", "tag", &tag.to_string());
                }
                Some(Of::Component(component)) => {
                    if let Some(inside) = self.component(component, part)? {
                        self.add(to, &part.name, inside, need(part, Need::Implied));
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Takes a tag among the fields of the message or entry; is it the first of its number there? What stands twice is
    /// one field.
    fn take(&mut self, tag: u32) -> bool {
        self.taken.last_mut().is_some_and(|it| it.insert(tag))
    }

    /// The struct of a component, without the fields that there are already; none if there is nothing in it.
    fn component(&mut self, index: usize, used: &Part) -> Result<Option<TypeId>, Problem> {
        let component = &self.dictionary.components[index];
        let of = Of::Component(index);
        let tags = self.tags_of(index, self.open.len());
        let taken = self.taken.last_mut().expect("there are those of the message");
        if tags.is_disjoint(taken) {
            let whole = self.structure(of, &component.name, &component.parts, used)?;
            self.taken.last_mut().expect("it is the same").extend(tags.iter());
            return Ok(whole);
        }
        if tags.is_subset(taken) {
            return Ok(None);
        }
        let whole = self.structs.remove(&of);
        let rest = self.structure(of, &component.name, &component.parts, used)?;
        self.structs.remove(&of);
        self.structs.extend(whole.map(|it| (of, it)));
        Ok(rest)
    }

    /// The tags of all fields of a component that stand among those around it.
    fn tags_of(&mut self, component: usize, depth: usize) -> Rc<BTreeSet<u32>> {
        if let Some(known) = self.tags.get(&component) {
            return known.clone();
        }
        // What holds itself, or is too deep, has no layout.
        self.tags.insert(component, Rc::default());
        let dictionary = self.dictionary;
        let mut tags = BTreeSet::new();
        let all = &dictionary.components[component].parts;
        let parts: &[Part] = if depth > DEEPEST { &[] } else { all };
        for (index, part) in parts.iter().enumerate() {
            match part.of {
                Some(Of::Field(of)) if self.data_of(parts, index).is_none() => {
                    tags.insert(dictionary.fields[of].tag);
                }
                Some(Of::Group(group)) => {
                    let counter = dictionary.groups[group].counter;
                    tags.extend(counter.map(|it| dictionary.fields[it].tag));
                }
                Some(Of::Component(inner)) => tags.extend(self.tags_of(inner, depth + 1).iter()),
                Some(Of::Field(_)) | None => {}
            }
        }
        let tags = Rc::new(tags);
        self.tags.insert(component, tags.clone());
        tags
    }

    /// The struct of a component or of a group's entries; none if there is nothing in it.
    fn structure(
        &mut self,
        of: Of,
        name: &str,
        parts: &[Part],
        used: &Part,
    ) -> Result<Option<TypeId>, Problem> {
        if self.open.len() > DEEPEST {
            let what = format!("{name} is inside more than {DEEPEST} components and groups");
            return Err(Problem::new(&used.place, what, "put less inside one another"));
        }
        if self.open.contains(&of) {
            let what = format!("{name} holds itself");
            return Err(Problem::new(
                &used.place,
                what,
                "FIX has no such message: take it out there",
            ));
        }
        if let Some(known) = self.structs.get(&of) {
            return Ok(*known);
        }
        self.open.push(of);
        let id = self.types.declare(name);
        let mut members = Members { of: id, members: Vec::new() };
        self.parts(&mut members, parts)?;
        self.open.pop();
        let found = (!members.members.is_empty()).then_some(id);
        self.types.set_body(id, Body::Struct(members.members));
        self.structs.insert(of, found);
        Ok(found)
    }

    fn field(
        &mut self,
        to: &mut Members,
        parts: &[Part],
        index: usize,
        field: &Field,
    ) -> Result<(), Problem> {
        let part = &parts[index];
        let of = self.held(part, field);
        let mut is_required = part.is_required;
        let mut length = None;
        if field.datatype == Datatype::Data {
            let (tag, is_needed) = self.length_of(parts, index, field)?;
            (length, is_required) = (Some(tag), is_required || is_needed);
        }
        let need = if is_required { Need::Required } else { Need::Optional };
        let member = self.add(to, &part.name, of, need);
        let notes = self.types.notes();
        notes.note_member(member, "fix", "tag", &field.tag.to_string());
        if let Some(length) = length {
            notes.note_member(member, "fix", "length", &length.to_string());
        }
        Ok(())
    }

    fn held(&mut self, part: &Part, field: &Field) -> TypeId {
        let is_enumeration =
            field.datatype.is_of_codes() && !field.values.is_empty() && !field.is_open;
        let item = match field.datatype {
            _ if is_enumeration => self.enumeration(part, field),
            Datatype::Value(kind) => self.types.scalar(kind),
            Datatype::Values => self.types.scalar(Kind::Text),
            Datatype::Length | Datatype::NumberInGroup => {
                self.types.scalar(Kind::Integer(IntegerKind::U32))
            }
            Datatype::Data => self.types.scalar(Kind::Bytes),
        };
        match field.datatype {
            Datatype::Values => self.types.list(item, None),
            _ => item,
        }
    }

    fn enumeration(&mut self, part: &Part, field: &Field) -> TypeId {
        // Wherever it is used, it is the same.
        if let Some(known) = part.of.and_then(|it| self.enumerations.get(&it)) {
            return *known;
        }
        let names: Vec<&str> = field.values.iter().map(|it| &*it.name).collect();
        let id = self.types.enumeration(&field.name, &names);
        for (index, value) in field.values.iter().enumerate().filter(|it| it.1.code != it.1.name) {
            let member = MemberId { of: id, index: index as u32 };
            self.types.notes().note_member(member, "fix", "code", &value.code);
        }
        self.enumerations.extend(part.of.map(|it| (it, id)));
        id
    }

    /// The data whose length a part is.
    fn data_of(&self, parts: &[Part], index: usize) -> Option<usize> {
        let field = self.field_at(parts, index)?;
        if !may_be_length(field) {
            return None;
        }
        (0..parts.len()).find(|&at| {
            let data = self.field_at(parts, at).filter(|it| it.datatype == Datatype::Data);
            data.is_some_and(|data| self.length_beside(parts, at, data) == Some(index))
        })
    }

    fn field_at(&self, parts: &[Part], index: usize) -> Option<&'a Field> {
        match parts.get(index)?.of? {
            Of::Field(of) => Some(&self.dictionary.fields[of]),
            Of::Group(_) | Of::Component(_) => None,
        }
    }

    /// The part that is the length of data beside it: by number, by name, or because it stands before it.
    fn length_beside(&self, parts: &[Part], data: usize, field: &Field) -> Option<usize> {
        let mut all = 0..parts.len();
        let named =
            all.find(|at| self.field_at(parts, *at).is_some_and(|it| is_length_of(it, field)));
        let before = data.checked_sub(1).filter(|at| {
            let it = self.field_at(parts, *at);
            it.is_some_and(|it| it.datatype == Datatype::Length)
        });
        named.or(before)
    }

    /// The number of the length of data, and whether it must be there.
    fn length_of(
        &self,
        parts: &[Part],
        data: usize,
        field: &Field,
    ) -> Result<(u32, bool), Problem> {
        if let Some(at) = self.length_beside(parts, data, field) {
            let tag = self.field_at(parts, at).map_or(0, |it| it.tag);
            return Ok((tag, parts[at].is_required));
        }
        let elsewhere = self.dictionary.fields.iter().find(|it| is_length_of(it, field));
        match elsewhere.map(|it| it.tag).or_else(|| length_of_data(field.tag)) {
            Some(length) => Ok((length, false)),
            None => {
                let what = format!("nothing tells how long the data {} are", field.name);
                let remedy = format!("put a field {}Len of the type LENGTH before it", field.name);
                Err(Problem::new(&parts[data].place, what, remedy))
            }
        }
    }
}

/// Before FIX 4.2 a length was a number as others.
fn may_be_length(field: &Field) -> bool {
    let number = Datatype::Value(Kind::Integer(IntegerKind::I64));
    field.datatype == Datatype::Length || field.datatype == number
}

fn is_length_of(length: &Field, data: &Field) -> bool {
    let behind = length.name.strip_prefix(&*data.name);
    let is_named = data.length == Some(length.tag) || matches!(behind, Some("Len" | "Length"));
    // Some repositories name a field that is no length.
    is_named && may_be_length(length)
}

fn need(part: &Part, otherwise: Need) -> Need {
    if part.is_required { Need::Required } else { otherwise }
}

/// `Legs` of the group `NoLegs`.
fn entry_name(group: &str) -> &str {
    group
        .strip_prefix("No")
        .filter(|it| is_name(it) && it.starts_with(char::is_uppercase))
        .unwrap_or(group)
}
