//! The layout: how a schema lies in flat positions, the form that every format and message shares.

use std::ops::Range;
use std::sync::Arc;

use trunkline_wire::{Integer, ValueError};

use crate::identity::Identity;
use crate::types::list_name;
use crate::{
    Error, Kind, MemberId, Need, Notes, Required, Schema, SchemaError, TypeId, Types, Unmet, Value,
    walk,
};

/// A scope by its place in [`Layout::scopes`]; 0 is the message itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u16);

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    /// One value.
    Value(Kind),
    /// One of the values of this enumeration of the schema, by its place among them.
    Enumeration(TypeId),
    /// Numbers: whole ones of a width, or floats.
    List(Kind),
    /// A list of anything else: of structs, which is a repeating group, or of choices, texts, lists.
    /// Its entries are described by another scope of the layout.
    Group(ScopeId),
    /// One struct or choice that does not lie in the positions of the scope around it, but in those of
    /// another: what is optional, or holds itself, or is the arm of a choice.
    Struct(ScopeId),
}

impl Holds {
    /// The kind of the value, or of each number of the list.
    #[inline]
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Value(kind) | Self::List(kind) => Some(kind),
            Self::Enumeration(_) | Self::Group(_) | Self::Struct(_) => None,
        }
    }

    /// The whole number, if it fits the width that the field has: a record reads every one as 64 bits.
    ///
    /// # Errors
    /// The number is too large or too small.
    #[inline]
    pub fn within<I: Integer>(self, number: I) -> Result<I, ValueError> {
        let Some(Kind::Integer(kind)) = self.kind() else { return Ok(number) };
        let bits = 8 * kind.bytes() as u32;
        let wide = number.to_i128();
        let beyond = if I::SIGNED { wide >> (bits - 1) } else { wide >> bits };
        if beyond == 0 || beyond == -1 { Ok(number) } else { Err(ValueError::OutOfRange) }
    }

    /// The scope that describes what is inside.
    pub fn scope(self) -> Option<ScopeId> {
        match self {
            Self::Group(scope) | Self::Struct(scope) => Some(scope),
            Self::Value(_) | Self::Enumeration(_) | Self::List(_) => None,
        }
    }
}

/// One field of a scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The field's name inside its component: `MDEntryPx`.
    pub name: Box<str>,
    /// What it holds.
    pub holds: Holds,
    /// How many items a list has, if that is fixed.
    pub fixed: Option<u32>,
    /// May items of a list be nil: there, and nothing? Items that are numbers have a scope of their own then.
    pub nil_items: bool,
    /// Must it be there? Arms of choices must, where they are chosen.
    pub need: Need,
    /// Of a value that may be absent on the wire, but not in a message: what it is then.
    pub default: Option<Box<Value>>,
    /// Innermost component around it, an index into [`Scope::components`].
    pub component: Option<u16>,
    /// Of which type it is a member; of an item of a list, the list.
    pub member: MemberId,
}

/// A struct or choice that lies in a range of the positions of the one around it. Formats that nest
/// (XML) show structs, flat ones (FIX) do not; none shows a choice but by its arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The component's name.
    pub name: Box<str>,
    /// Name of its type.
    pub type_name: Box<str>,
    /// The fields inside, nested components included.
    pub fields: Range<usize>,
    /// The component around it.
    pub parent: Option<u16>,
    /// Must it be there, even when no field inside is set? It is implied otherwise.
    pub need: Need,
    /// Is it a choice? Then one of its fields is set, its arm.
    pub is_choice: bool,
    /// Of which type it is a member.
    pub member: MemberId,
}

/// What the fields of a scope are to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Members: any of them are set.
    Struct,
    /// Arms: exactly one is set.
    Choice,
    /// There is one field, the item of a list, and it is always set, unless the item [is nil](crate::Fields::is_nil).
    Item,
}

/// The fields of a message, of what a list holds, or of a struct by itself; structs inside flattened
/// into ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Name of the type.
    pub name: Box<str>,
    /// The type.
    pub of: TypeId,
    /// What the fields are to one another.
    pub shape: Shape,
    /// The field that holds what this describes: the scope around it and the position there. None for
    /// the message. What holds itself has one scope, of which this is the place that is met first.
    pub place: Option<(ScopeId, usize)>,
    /// All leaf fields, lists and structs by themselves, in order.
    pub fields: Vec<Field>,
    /// Components in the order in which they open, outer before inner.
    pub components: Vec<Component>,
    /// Which fields must be there, and when.
    pub required: Required,
    /// The fields that have a default.
    pub defaults: Vec<usize>,
}

impl Scope {
    /// Position of the first field of this name. As many components may stand before it as tell it
    /// from others of its name: `CompID`, `Target/CompID`, `Header/Target/CompID`.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.fields.iter().position(|field| self.is_at(field, path))
    }

    /// The path of a field from the scope on, which no other has: `Header/Target/CompID`. Its name may stand
    /// in other components too.
    pub fn path(&self, field: usize) -> String {
        let field = &self.fields[field];
        let (mut path, mut component) = (field.name.to_string(), field.component);
        while let Some(around) = component.map(|it| &self.components[usize::from(it)]) {
            path = format!("{}/{path}", around.name);
            component = around.parent;
        }
        path
    }

    /// The struct by itself with which a path begins, and the path inside.
    pub(crate) fn struct_before<'a>(&self, path: &'a str) -> Option<(usize, &'a str)> {
        let is_struct = |index: &usize| matches!(self.fields[*index].holds, Holds::Struct(_));
        path.match_indices('/').find_map(|(at, _)| {
            let index = self.position(&path[..at]).filter(is_struct)?;
            Some((index, &path[at + 1..]))
        })
    }

    /// Adds the names of a field, if there is such a one, and of the components around it to the
    /// path of an error.
    #[cold]
    pub fn locate(&self, mut error: Error, field: usize) -> Error {
        let Some(field) = self.fields.get(field) else { return error };
        // An item has no name: its list has, and the error its place there.
        if self.shape != Shape::Item {
            error = error.within(&field.name);
        }
        self.locate_component(error, field.component)
    }

    /// Adds the names of a component and of those around it to the path of an error.
    #[cold]
    pub fn locate_component(&self, mut error: Error, mut component: Option<u16>) -> Error {
        while let Some(around) = component.map(|it| &self.components[usize::from(it)]) {
            error = error.within(&around.name);
            component = around.parent;
        }
        error
    }

    /// The error of a decoder about what is not as it must be at `offset`, with its path in the scope.
    #[cold]
    #[inline(never)]
    pub fn reject(&self, unmet: Unmet, offset: usize) -> Error {
        self.locate_unmet(Error::new(unmet.kind(self), offset), unmet)
    }

    /// Adds what is not as it must be to the path of an error.
    #[cold]
    pub fn locate_unmet(&self, error: Error, unmet: Unmet) -> Error {
        match unmet {
            Unmet::Missing(field) => self.locate(error, field),
            Unmet::NoArm(component) | Unmet::SeveralArms(component) => {
                self.locate_component(error, component)
            }
            Unmet::Nil => error,
        }
    }

    fn is_at(&self, field: &Field, path: &str) -> bool {
        let mut steps = path.rsplit('/');
        let mut component = field.component;
        steps.next() == Some(&*field.name)
            && steps.all(|step| {
                let Some(around) = component.map(|it| &self.components[usize::from(it)]) else {
                    return false;
                };
                component = around.parent;
                *around.name == *step
            })
    }
}

/// A schema laid out, which every format compiles into its plan, with the notes of formats.
#[derive(Clone, Debug)]
pub struct Layout {
    schema: Schema,
    notes: Notes,
    scopes: Vec<Scope>,
    id: u128,
}

impl Layout {
    /// Lays out the message of a schema.
    ///
    /// # Errors
    /// Names what cannot lie in flat positions: a name that is none or stands twice, a struct without
    /// end, what is too deep or too large.
    pub fn new(schema: Schema, notes: Notes) -> Result<Self, SchemaError> {
        let scopes = walk::scopes(&schema, &notes)?;
        let id = Identity::of(&schema, &scopes);
        Ok(Self { schema, notes, scopes, id })
    }

    /// The layout of entries by themselves, which no message has.
    pub(crate) fn of_no_message() -> Self {
        let mut types = Types::default();
        let root = types.declare("entry");
        let schema = Schema::new(Vec::new(), root);
        Self { schema, notes: Notes::default(), scopes: Vec::new(), id: 0 }
    }

    /// What is laid out.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The notes of formats about its types.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Notes a word about the message, in place of what it was; what lies where is not changed by that.
    pub fn note(&mut self, format: &str, word: &str, value: &str) {
        self.notes.note_type(self.schema.root(), format, word, value);
    }

    /// Takes a word about the message back, and says what it was.
    pub fn take_note(&mut self, format: &str, word: &str) -> Option<Box<str>> {
        self.notes.take_of_type(self.schema.root(), format, word)
    }

    /// A hash of names, kinds, presence and positions: messages of layouts with the same one are of
    /// the same description, wherever it was read.
    pub fn id(&self) -> u128 {
        self.id
    }

    /// Is it the same description?
    #[inline]
    pub fn is_same(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other) || self.id == other.id
    }

    /// The name of the message's type.
    pub fn name(&self) -> &str {
        &self.scopes[0].name
    }

    /// Every scope: the message first, then the others in the order in which they open. What holds
    /// itself has one scope wherever it stands.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// One scope.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[usize::from(id.0)]
    }

    /// The list or struct whose inside a scope describes; none of the message itself.
    pub fn field_of(&self, id: ScopeId) -> Option<&Field> {
        let (around, position) = self.scope(id).place?;
        self.scope(around).fields.get(position)
    }

    /// What holds is called: `u32`, `f64[]`, `Side`, `Leg[]`.
    pub fn type_name(&self, field: &Field) -> String {
        let (name, is_list) = match field.holds {
            Holds::Value(kind) => (kind.name(), false),
            Holds::List(kind) => (kind.name(), true),
            Holds::Enumeration(of) => (&*self.schema.type_of(of).name, false),
            Holds::Struct(scope) => (&*self.scope(scope).name, false),
            Holds::Group(scope) => match &self.scope(scope) {
                inner if inner.shape == Shape::Item => {
                    return list_name(&self.type_name(&inner.fields[0]), field.fixed).into();
                }
                inner => (&*inner.name, true),
            },
        };
        if is_list { list_name(name, field.fixed).into() } else { name.into() }
    }
}

pub(crate) fn fail<T>(why: String) -> Result<T, SchemaError> {
    Err(SchemaError(why))
}
