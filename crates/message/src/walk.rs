//! The way from a schema to its scopes: which members lie in the positions of the struct around them,
//! and which have a scope of their own.

use std::collections::{HashMap, HashSet};

use crate::layout::fail;
use crate::schema::check_name;
use crate::{
    Body, Component, Field, Holds, Kind, Member, MemberId, Need, Notes, Required, Schema,
    SchemaError, Scope, ScopeId, Shape, TypeId, Value,
};

/// Scopes of a layout in which every place of a type has one of its own. Where there would be more, all
/// places of a type share one, as those of what holds itself do.
const UNSHARED: usize = 4096;

/// Structs and lists inside one another, at most; as [`Limits`](crate::Limits) has it for depth.
const DEEPEST: usize = 128;

/// The scopes of the schema's message, the message itself first.
pub(crate) fn scopes(schema: &Schema, notes: &Notes) -> Result<Vec<Scope>, SchemaError> {
    let root = schema.root();
    if !matches!(schema.type_of(root).body, Body::Struct(_) | Body::Choice(_)) {
        return fail(format!("{} is no struct", schema.type_of(root).name));
    }
    let recursive = schema.recursive();
    let mut scopes = match Walk::new(schema, notes, recursive, UNSHARED).walked(root)? {
        Some(scopes) => scopes,
        None => {
            // Items of lists are called after theirs.
            let is_shared =
                |it: &TypeId| matches!(schema.type_of(*it).body, Body::Struct(_) | Body::Choice(_));
            let of_types = (0..schema.types().len() as u32).map(TypeId);
            let all = of_types.filter(is_shared).chain(schema.recursive()).collect();
            let most = usize::from(u16::MAX);
            let Some(scopes) = Walk::new(schema, notes, all, most).walked(root)? else {
                return fail("more than 65,534 lists and structs by themselves".into());
            };
            scopes
        }
    };
    for scope in &mut scopes {
        check_scope(scope)?;
        scope.required = Required::of(scope);
        let has_default = |index: &usize| scope.fields[*index].default.is_some();
        scope.defaults = (0..scope.fields.len()).filter(has_default).collect();
    }
    Ok(scopes)
}

struct Walk<'a> {
    schema: &'a Schema,
    notes: &'a Notes,
    /// The types whose places share a scope: those that hold themselves, or all.
    recursive: HashSet<TypeId>,
    /// Scopes at most.
    most: usize,
    is_beyond: bool,
    scopes: Vec<Scope>,
    /// The scopes of these types. The message has one of its own even so, which is no
    /// entry's.
    shared: HashMap<TypeId, ScopeId>,
    /// The structs of the present scope that it is in.
    open: Vec<TypeId>,
    depth: usize,
}

/// Where a member goes: its scope and the component around it there.
#[derive(Clone, Copy)]
struct Place {
    scope: usize,
    component: Option<u16>,
}

impl<'a> Walk<'a> {
    fn new(schema: &'a Schema, notes: &'a Notes, recursive: HashSet<TypeId>, most: usize) -> Self {
        let (scopes, shared, open) = Default::default();
        Self { schema, notes, recursive, most, is_beyond: false, scopes, shared, open, depth: 0 }
    }

    /// The scopes; none if they are more than allowed.
    fn walked(mut self, root: TypeId) -> Result<Option<Vec<Scope>>, SchemaError> {
        let walked = self.scope(root, None);
        if self.is_beyond {
            return Ok(None);
        }
        walked.map(|_| Some(self.scopes))
    }

    /// The scope of a type, which stands at this place first.
    fn scope(
        &mut self,
        of: TypeId,
        place: Option<(ScopeId, usize)>,
    ) -> Result<ScopeId, SchemaError> {
        if let Some(known) = self.shared.get(&of) {
            return Ok(*known);
        }
        let index = self.scopes.len();
        if index >= self.most {
            self.is_beyond = true;
            return fail(String::new());
        }
        let (id, name) = (ScopeId(index as u16), self.schema.type_of(of).name.clone());
        // Lists of lists have no members, which would count what is around them.
        if self.depth > DEEPEST {
            return fail(format!("{name}: more than {DEEPEST} components and groups are nested"));
        }
        if place.is_some() && self.recursive.contains(&of) {
            self.shared.insert(of, id);
        }
        let shape = match self.schema.type_of(of).body {
            Body::Struct(_) => Shape::Struct,
            Body::Choice(_) => Shape::Choice,
            _ => Shape::Item,
        };
        let (fields, components, required, defaults) = Default::default();
        self.scopes.push(Scope { name, of, shape, place, fields, components, required, defaults });
        let outer = std::mem::take(&mut self.open);
        self.depth += 1;
        self.fill(index, of, shape)?;
        self.depth -= 1;
        self.open = outer;
        Ok(id)
    }

    fn fill(&mut self, scope: usize, of: TypeId, shape: Shape) -> Result<(), SchemaError> {
        let place = Place { scope, component: None };
        match shape {
            Shape::Struct => self.members(place, of),
            Shape::Choice => self.arms(place, of),
            Shape::Item => {
                let item = Member { name: "item".into(), of, need: Need::Required };
                self.alone(place, (MemberId { of, index: 0 }, &item))
            }
        }
    }

    fn members(&mut self, place: Place, of: TypeId) -> Result<(), SchemaError> {
        let name = &self.schema.type_of(of).name;
        if self.open.contains(&of) {
            return fail(format!("{name} holds itself without end: it is never absent"));
        }
        if self.depth + self.open.len() > DEEPEST {
            return fail(format!("{name}: more than {DEEPEST} components and groups are nested"));
        }
        self.open.push(of);
        for (index, member) in self.schema.members(of).iter().enumerate() {
            let id = MemberId { of, index: index as u32 };
            match &self.schema.type_of(member.of).body {
                Body::Struct(_) | Body::Choice(_) if member.need != Need::Optional => {
                    self.component(place, (id, member))?;
                }
                _ => self.alone(place, (id, member))?,
            }
        }
        self.open.pop();
        Ok(())
    }

    /// Each arm has one position, so that one of them being set is the whole rule.
    fn arms(&mut self, place: Place, of: TypeId) -> Result<(), SchemaError> {
        let arms = self.schema.members(of);
        if arms.is_empty() {
            return fail(format!("the choice {} has no arms", self.schema.type_of(of).name));
        }
        for (index, arm) in arms.iter().enumerate() {
            if arm.need == Need::Optional {
                let why = "an arm of a choice is there if it is chosen, and not optional";
                return fail(format!("{}: {why}", arm.name));
            }
            let arm = Member { need: Need::Required, ..arm.clone() };
            self.alone(place, (MemberId { of, index: index as u32 }, &arm))?;
        }
        Ok(())
    }

    /// A member that takes one position.
    fn alone(
        &mut self,
        place: Place,
        (id, member): (MemberId, &Member),
    ) -> Result<(), SchemaError> {
        let body = &self.schema.type_of(member.of).body;
        let default = self.default(place, (id, member))?;
        let nil_items = self.has_nil_items((id, member))?;
        if member.need == Need::Implied && default.is_none() && !matches!(body, Body::List { .. }) {
            let why = "no single value is implied by what is inside, unless it has a default";
            return fail(format!("{}: {why}", member.name));
        }
        let mut fixed = None;
        let (holds, inside) = match *body {
            Body::Scalar(kind) => (Holds::Value(kind), None),
            Body::Enumeration(ref values) => {
                check_values(&self.schema.type_of(member.of).name, values)?;
                (Holds::Enumeration(member.of), None)
            }
            Body::Struct(_) | Body::Choice(_) => (Holds::Struct(ScopeId(0)), Some(member.of)),
            Body::List { of, fixed: count } => {
                fixed = count;
                self.list(member, of, nil_items)?
            }
        };
        let position = self.scopes[place.scope].fields.len();
        let (name, need, component) = (member.name.clone(), member.need, place.component);
        let member = id;
        let field = Field { name, holds, fixed, nil_items, need, default, component, member };
        self.scopes[place.scope].fields.push(field);
        let Some(of) = inside else { return Ok(()) };
        let inner = self.scope(of, Some((ScopeId(place.scope as u16), position)))?;
        self.scopes[place.scope].fields[position].holds = match holds {
            Holds::Struct(_) => Holds::Struct(inner),
            _ => Holds::Group(inner),
        };
        Ok(())
    }

    /// What a member is where it is absent, by the note of the format `field`. Nothing is read from its
    /// absence then, so it stands in no choice, nor in a struct that is there if anything inside is.
    fn default(
        &self,
        place: Place,
        (id, member): (MemberId, &Member),
    ) -> Result<Option<Box<Value>>, SchemaError> {
        let mut notes = self.notes.all_of_member(id).filter(|(format, ..)| *format == "field");
        let is_known = |word: &str| matches!(word, "default" | "nil_items");
        if let Some((_, word, _)) = notes.find(|(_, word, _)| !is_known(word)) {
            let why = "is none: default and nil_items are";
            return fail(format!("{}: the note field {word} {why}", member.name));
        }
        let Some(text) = self.notes.of_member(id, "field", "default") else { return Ok(None) };
        let rejected = |why: &str| fail(format!("{}: the default {text:?} {why}", member.name));
        let value = match &self.schema.type_of(member.of).body {
            Body::Scalar(Kind::Any) => return rejected("is of content of any shape"),
            Body::Scalar(kind) => Value::parse(*kind, text),
            Body::Enumeration(values) => {
                let found = values.iter().position(|it| **it == *text);
                found.map(|it| Value::Enumeration(it as u32))
            }
            _ => return rejected("is not of a single value"),
        };
        let Some(value) = value else {
            let of = &self.schema.type_of(member.of).name;
            return rejected(&format!("is none of {of}"));
        };
        let scope = &self.scopes[place.scope];
        let mut around = place.component.map(|it| &scope.components[usize::from(it)]);
        if scope.shape != Shape::Struct || around.is_some_and(|it| it.is_choice) {
            return rejected("is of what is there if it is chosen");
        }
        while let Some(component) = around {
            if component.need == Need::Implied {
                return rejected(&format!("would always imply {}", component.name));
            }
            around = component.parent.map(|it| &scope.components[usize::from(it)]);
        }
        match member.need {
            Need::Implied => Ok(Some(Box::new(value))),
            _ => rejected("is of a member that is neither required nor optional, but implied"),
        }
    }

    /// May items of the list that a member is be nil, by the note of the format `field`?
    fn has_nil_items(&self, (id, member): (MemberId, &Member)) -> Result<bool, SchemaError> {
        let Some(said) = self.notes.of_member(id, "field", "nil_items") else { return Ok(false) };
        let is_list = matches!(self.schema.type_of(member.of).body, Body::List { .. });
        match is_list && said == "true" {
            true => Ok(true),
            false => {
                fail(format!("{}: the note field nil_items is \"true\", of a list", member.name))
            }
        }
    }

    /// What a list of these items holds, and what its scope describes, if it has one.
    fn list(
        &self,
        member: &Member,
        of: TypeId,
        nil_items: bool,
    ) -> Result<(Holds, Option<TypeId>), SchemaError> {
        let item = self.schema.type_of(of);
        match &item.body {
            // A number has no value that says that it is nil.
            Body::Scalar(Kind::Integer(_) | Kind::Float32 | Kind::Float64) if nil_items => {
                Ok((Holds::Group(ScopeId(0)), Some(of)))
            }
            Body::Scalar(kind @ (Kind::Integer(_) | Kind::Float32 | Kind::Float64)) => {
                Ok((Holds::List(*kind), None))
            }
            Body::Struct(members) if members.is_empty() => {
                fail(format!("{}: the group entry {} has no fields", member.name, item.name))
            }
            _ => Ok((Holds::Group(ScopeId(0)), Some(of))),
        }
    }

    fn component(
        &mut self,
        place: Place,
        (id, member): (MemberId, &Member),
    ) -> Result<(), SchemaError> {
        // Rejected: a struct has no default, and no items.
        self.default(place, (id, member))?;
        self.has_nil_items((id, member))?;
        let of = self.schema.type_of(member.of);
        let is_choice = matches!(of.body, Body::Choice(_));
        let inner = &mut self.scopes[place.scope];
        let (start, index) = (inner.fields.len(), inner.components.len());
        if index >= usize::from(u16::MAX) {
            return fail(format!("{} has more than 65,534 components", inner.name));
        }
        inner.components.push(Component {
            name: member.name.clone(),
            type_name: of.name.clone(),
            fields: start..start,
            parent: place.component,
            need: member.need,
            is_choice,
            member: id,
        });
        let inside = Place { component: Some(index as u16), ..place };
        if is_choice {
            self.arms(inside, member.of)?;
        } else {
            self.members(inside, member.of)?;
        }
        let inner = &mut self.scopes[place.scope];
        inner.components[index].fields.end = inner.fields.len();
        Ok(())
    }
}

fn check_values(name: &str, values: &[Box<str>]) -> Result<(), SchemaError> {
    check_name(name)?;
    let mut known = HashSet::new();
    for value in values {
        if value.trim() != &**value || value.is_empty() || value.contains(char::is_control) {
            return fail(format!("{name}: {value:?} names no value"));
        }
        if !known.insert(value) {
            return fail(format!("{name}: the value {value} stands twice"));
        }
    }
    if values.is_empty() { fail(format!("the enumeration {name} has no values")) } else { Ok(()) }
}

/// Names need be unique inside their component only.
fn check_scope(scope: &Scope) -> Result<(), SchemaError> {
    if scope.fields.len() >= usize::from(u16::MAX) {
        return fail(format!("{} has more than 65,534 fields", scope.name));
    }
    // A list's own name has brackets, and is written nowhere.
    if scope.shape != Shape::Item {
        check_name(&scope.name)?;
    }
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
