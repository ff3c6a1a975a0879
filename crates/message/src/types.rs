//! Types as they are described, one after the other.

use std::collections::HashMap;

use crate::{
    Body, FieldValue, Form, Kind, Layout, Member, MemberId, Need, Notes, Schema, SchemaError,
};
use crate::{Structure, Type, TypeId};

/// The types that are described so far, and the notes of formats about them.
#[derive(Debug, Default)]
pub struct Types {
    types: Vec<Type>,
    /// Scalars and lists, which are the same wherever they are used.
    shared: HashMap<Shared, TypeId>,
    structs: HashMap<std::any::TypeId, TypeId>,
    notes: Notes,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Shared {
    Scalar(Kind),
    List(TypeId, Option<u32>),
}

impl Types {
    /// The type of one value.
    pub fn scalar(&mut self, kind: Kind) -> TypeId {
        self.shared(Shared::Scalar(kind), kind.name().into(), Body::Scalar(kind))
    }

    /// The type of a list of these items, any number of them or exactly so many.
    pub fn list(&mut self, of: TypeId, fixed: Option<u32>) -> TypeId {
        let name = list_name(&self.types[of.0 as usize].name, fixed);
        self.shared(Shared::List(of, fixed), name, Body::List { of, fixed })
    }

    /// A new enumeration of the values of these names.
    pub fn enumeration(&mut self, name: &str, values: &[&str]) -> TypeId {
        let values = values.iter().map(|it| (*it).into()).collect();
        self.add(name.into(), Body::Enumeration(values))
    }

    /// The type of a Rust enumeration: `describe` adds it when it is used first.
    pub fn once<T: 'static>(&mut self, describe: impl FnOnce(&mut Self) -> TypeId) -> TypeId {
        let key = std::any::TypeId::of::<T>();
        if let Some(known) = self.structs.get(&key) {
            return *known;
        }
        let id = describe(self);
        self.structs.insert(key, id);
        id
    }

    fn shared(&mut self, key: Shared, name: Box<str>, body: Body) -> TypeId {
        if let Some(known) = self.shared.get(&key) {
            return *known;
        }
        let id = self.add(name, body);
        self.shared.insert(key, id);
        id
    }

    fn add(&mut self, name: Box<str>, body: Body) -> TypeId {
        self.types.push(Type { name, body });
        TypeId(self.types.len() as u32 - 1)
    }

    /// A new struct without members, to which types may refer before [`Self::set_body`] says what
    /// it has.
    pub fn declare(&mut self, name: &str) -> TypeId {
        self.add(name.into(), Body::Struct(Vec::new()))
    }

    /// Says what a declared type is made of.
    pub fn set_body(&mut self, of: TypeId, body: Body) {
        self.types[of.0 as usize].body = body;
    }

    /// Names a type anew, and lists of it.
    pub fn rename(&mut self, of: TypeId, name: &str) {
        self.types[of.0 as usize].name = name.into();
        for index in 0..self.types.len() {
            match self.types[index].body {
                Body::List { of: item, fixed } if item == of => {
                    self.types[index].name = list_name(name, fixed);
                }
                _ => {}
            }
        }
    }

    /// The names of the values of an enumeration; none of another type.
    pub fn values(&self, of: TypeId) -> Option<&[Box<str>]> {
        match &self.types.get(of.0 as usize)?.body {
            Body::Enumeration(values) => Some(values),
            _ => None,
        }
    }

    /// The notes of formats.
    pub fn notes(&mut self) -> &mut Notes {
        &mut self.notes
    }

    /// The type of a Rust struct, described once however often it is used.
    pub fn structure<S: Structure>(&mut self) -> TypeId {
        let key = std::any::TypeId::of::<S>();
        if let Some(known) = self.structs.get(&key) {
            return *known;
        }
        // It has its place before it is described, so that what refers to itself has an end.
        let id = self.declare(S::NAME);
        self.structs.insert(key, id);
        let mut members = Members { types: self, of: id, members: Vec::new() };
        S::describe(&mut members);
        let members = members.members;
        let body = match S::FORM {
            Form::Choice => Body::Choice(members),
            _ => Body::Struct(members),
        };
        self.set_body(id, body);
        id
    }

    /// The layout of the message of this type.
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn layout(self, root: TypeId) -> Result<Layout, SchemaError> {
        Layout::new(Schema::new(self.types, root), self.notes)
    }
}

pub(crate) fn list_name(item: &str, fixed: Option<u32>) -> Box<str> {
    match fixed {
        Some(count) => format!("{item}[{count}]").into(),
        None => format!("{item}[]").into(),
    }
}

/// Takes the members of a struct, or the arms of a choice, in their order.
#[derive(Debug)]
pub struct Members<'a> {
    types: &'a mut Types,
    of: TypeId,
    members: Vec<Member>,
}

impl Members<'_> {
    /// Notes a format's word about the struct.
    pub fn note_type(&mut self, format: &str, word: &str, value: &str) {
        self.types.notes.note_type(self.of, format, word, value);
    }

    /// Adds a member of a Rust type; it is there as its type has it, unless `need` says otherwise.
    /// A name may be a path, `outer/inner`: the steps before the last are structs around it that
    /// hold nothing else.
    pub fn add<V: FieldValue>(&mut self, path: &str, need: Option<Need>) -> &mut Self {
        let mut of = V::register(self.types);
        let need = match need {
            // As without a bit, a group is absent if it is empty.
            Some(Need::Optional) if V::FORM == Form::Group => Need::Implied,
            need => need.unwrap_or(V::NEED),
        };
        let mut steps = path.rsplit('/');
        let mut name = steps.next().unwrap_or_default();
        let mut member = MemberId { of: self.of, index: self.members.len() as u32 };
        for (at, outer) in steps.enumerate() {
            let around = self.types.declare(outer);
            if at == 0 {
                member = MemberId { of: around, index: 0 };
            }
            let members = vec![Member { name: name.into(), of, need }];
            self.types.set_body(around, Body::Struct(members));
            (of, name) = (around, outer);
        }
        if V::NIL_ITEMS {
            self.types.notes.note_member(member, "field", "nil_items", "true");
        }
        self.members.push(Member { name: name.into(), of, need });
        self
    }

    /// Notes a format's word about the member added last.
    pub fn note(&mut self, format: &str, word: &str, value: &str) -> &mut Self {
        if let Some(index) = self.members.len().checked_sub(1) {
            let member = MemberId { of: self.of, index: index as u32 };
            self.types.notes.note_member(member, format, word, value);
        }
        self
    }
}
