//! The layout: how a schema lies in flat positions, the form that every format and message shares.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::identity::Identity;
use crate::schema::check_name;
use crate::{
    Body, Error, Kind, Member, MemberId, Need, Notes, Required, Schema, SchemaError, TypeId, Types,
};

/// A scope by its place in [`Layout::scopes`]; 0 is the message itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u16);

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    /// One value.
    Value(Kind),
    /// Any number of values.
    List(Kind),
    /// A repeating group; its entries are described by another scope of the layout.
    Group(ScopeId),
}

impl Holds {
    /// The name that listings use: `u32`, `f64[]`; empty for a group.
    pub fn name(self) -> String {
        match self {
            Self::Value(kind) => kind.name().into(),
            Self::List(kind) => format!("{}[]", kind.name()),
            Self::Group(_) => String::new(),
        }
    }

    /// The kind of the value, or of each value of the list.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Value(kind) | Self::List(kind) => Some(kind),
            Self::Group(_) => None,
        }
    }
}

/// One field of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name inside its component: `MDEntryPx`.
    pub name: Box<str>,
    /// What it holds.
    pub holds: Holds,
    /// Must it be there?
    pub need: Need,
    /// Innermost component around it, an index into [`Scope::components`].
    pub component: Option<u16>,
    /// Of which type it is a member.
    pub member: MemberId,
}

/// A struct that lies in a range of the positions of the one around it. Formats that nest (XML)
/// show it, flat ones (FIX) do not.
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
    /// Of which type it is a member.
    pub member: MemberId,
}

/// The fields of a message or of a group's entry, structs inside flattened into ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Name of the type.
    pub name: Box<str>,
    /// The type.
    pub of: TypeId,
    /// The group whose entries these are: the scope around it and its position there. None for the
    /// message.
    pub group: Option<(ScopeId, usize)>,
    /// All leaf fields and groups, in order.
    pub fields: Vec<Field>,
    /// Components in the order in which they open, outer before inner.
    pub components: Vec<Component>,
    /// Which fields must be there, and when.
    pub required: Required,
}

impl Scope {
    /// Position of the first field of this name. As many components may stand before it as tell it
    /// from others of its name: `CompID`, `Target/CompID`, `Header/Target/CompID`.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.fields.iter().position(|field| self.is_at(field, path))
    }

    /// Adds the names of a field, if there is such a one, and of the components around it to the
    /// path of an error.
    #[cold]
    pub fn locate(&self, error: Error, field: usize) -> Error {
        let Some(field) = self.fields.get(field) else { return error };
        let mut error = error.within(&field.name);
        let mut component = field.component;
        while let Some(around) = component.map(|it| &self.components[usize::from(it)]) {
            error = error.within(&around.name);
            component = around.parent;
        }
        error
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
    /// Names what cannot lie in flat positions: a name that is none or stands twice, a struct that
    /// holds itself or is optional, a list of lists, what is too deep or too large.
    pub fn new(schema: Schema, notes: Notes) -> Result<Self, SchemaError> {
        let mut walk = Walk { schema: &schema, scopes: Vec::new(), open: Vec::new() };
        let root = schema.root();
        if !matches!(schema.type_of(root).body, Body::Struct(_)) {
            return fail(format!("{} is no struct", schema.type_of(root).name));
        }
        walk.scope(root, None)?;
        let mut scopes = walk.scopes;
        for scope in &mut scopes {
            check_scope(scope)?;
            scope.required = Required::of(scope);
        }
        let id = Identity::of(&scopes);
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

    /// Every scope: the message first, then the groups in the order in which they open.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// One scope.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[usize::from(id.0)]
    }

    /// The group whose entries a scope describes; none of the message itself.
    pub fn group_of(&self, id: ScopeId) -> Option<&Field> {
        let (around, position) = self.scope(id).group?;
        self.scope(around).fields.get(position)
    }
}

/// Structs and lists inside one another, at most; as [`Limits`](crate::Limits) has it for depth.
const DEEPEST: usize = 128;

fn fail<T>(why: String) -> Result<T, SchemaError> {
    Err(SchemaError(why))
}

/// A way through the types of a schema.
struct Walk<'a> {
    schema: &'a Schema,
    scopes: Vec<Scope>,
    /// The structs that it is in.
    open: Vec<TypeId>,
}

impl Walk<'_> {
    fn scope(&mut self, of: TypeId, group: Option<(ScopeId, usize)>) -> Result<(), SchemaError> {
        let id = self.scopes.len();
        if id >= usize::from(u16::MAX) {
            return fail("more than 65,534 groups".into());
        }
        let (fields, components, required) = Default::default();
        let name = self.schema.type_of(of).name.clone();
        self.scopes.push(Scope { name, of, group, fields, components, required });
        self.members(id, of, None)
    }

    fn members(
        &mut self,
        scope: usize,
        of: TypeId,
        component: Option<u16>,
    ) -> Result<(), SchemaError> {
        let name = &self.schema.type_of(of).name;
        if self.open.contains(&of) {
            return fail(format!("{name} holds itself: a schema is a tree of bounded depth"));
        }
        if self.open.len() > DEEPEST {
            return fail(format!("{name}: more than {DEEPEST} components and groups are nested"));
        }
        self.open.push(of);
        for (index, member) in self.schema.members(of).iter().enumerate() {
            let id = MemberId { of, index: index as u32 };
            match &self.schema.type_of(member.of).body {
                Body::Struct(_) => self.component(scope, (id, member), component)?,
                Body::Scalar(kind) => {
                    self.field(scope, (id, member), Holds::Value(*kind), component)?;
                }
                Body::List(item) => self.list(scope, (id, member), *item, component)?,
            }
        }
        self.open.pop();
        Ok(())
    }

    fn field(
        &mut self,
        scope: usize,
        (id, member): (MemberId, &Member),
        holds: Holds,
        component: Option<u16>,
    ) -> Result<(), SchemaError> {
        if member.need == Need::Implied {
            return fail(format!("{}: only a struct is implied by what is inside", member.name));
        }
        let (name, need) = (member.name.clone(), member.need);
        self.scopes[scope].fields.push(Field { name, holds, need, component, member: id });
        Ok(())
    }

    fn list(
        &mut self,
        scope: usize,
        (id, member): (MemberId, &Member),
        item: TypeId,
        component: Option<u16>,
    ) -> Result<(), SchemaError> {
        let item_name = &self.schema.type_of(item).name;
        match &self.schema.type_of(item).body {
            Body::Scalar(kind @ (Kind::Integer(_) | Kind::Float)) => {
                self.field(scope, (id, member), Holds::List(*kind), component)
            }
            Body::Struct(members) if members.is_empty() => {
                fail(format!("the group entry {item_name} has no fields"))
            }
            Body::Struct(_) => {
                let position = self.scopes[scope].fields.len();
                let group = Holds::Group(ScopeId(self.scopes.len() as u16));
                self.field(scope, (id, member), group, component)?;
                self.scope(item, Some((ScopeId(scope as u16), position)))
            }
            Body::Scalar(_) | Body::List(_) => {
                fail(format!("{}: a list of {item_name} has no place in a layout", member.name))
            }
        }
    }

    fn component(
        &mut self,
        scope: usize,
        (id, member): (MemberId, &Member),
        parent: Option<u16>,
    ) -> Result<(), SchemaError> {
        if member.need == Need::Optional {
            return fail(format!("{}: a struct is required or implied", member.name));
        }
        let inner = &mut self.scopes[scope];
        let (start, index) = (inner.fields.len(), inner.components.len());
        if index >= usize::from(u16::MAX) {
            return fail(format!("{} has more than 65,534 components", inner.name));
        }
        inner.components.push(Component {
            name: member.name.clone(),
            type_name: self.schema.type_of(member.of).name.clone(),
            fields: start..start,
            parent,
            need: member.need,
            member: id,
        });
        self.members(scope, member.of, Some(index as u16))?;
        let inner = &mut self.scopes[scope];
        inner.components[index].fields.end = inner.fields.len();
        Ok(())
    }
}

/// Names need be unique inside their component only.
fn check_scope(scope: &Scope) -> Result<(), SchemaError> {
    if scope.fields.len() >= usize::from(u16::MAX) {
        return fail(format!("{} has more than 65,534 fields", scope.name));
    }
    check_name(&scope.name)?;
    scope.components.iter().try_for_each(|it| check_name(&it.type_name))?;
    let mut names = HashSet::new();
    let components = scope.components.iter().map(|it| (&it.name, it.parent));
    let fields = scope.fields.iter().map(|it| (&it.name, it.component));
    for (name, parent) in fields.chain(components) {
        check_name(name).map_err(|error| SchemaError(format!("{}: {error}", scope.name)))?;
        if !names.insert((parent, name)) {
            return fail(format!("{}: the name {name} stands twice", scope.name));
        }
    }
    Ok(())
}
