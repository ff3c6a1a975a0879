//! XML Schema's types from layouts.

use std::collections::HashMap;

use trunkline_codec::soap::{
    is_attribute, is_nillable, is_spaced, is_text, is_unwrapped, item_name, namespace_of,
    noted_name, type_namespace,
};
use trunkline_message::{
    Field, Holds, IntegerKind, Kind, Layout, MemberId, Need, ScopeId, Shape as ScopeShape, TypeId,
};

use super::content::{Attribute, Content, Element, Occurs, Particle, Place, Space, TARGET};
use super::shape::Form;
use super::types::Types;

/// A way through one layout, the inner types first.
pub(super) struct Walk<'a> {
    pub(super) types: &'a mut Types,
    pub(super) layout: &'a Layout,
    form: Form,
    /// The types that hold themselves and are being described.
    open: HashMap<ScopeId, String>,
}

/// A field or a component of a scope, by position.
enum Member {
    Field(usize),
    Component(usize),
}

impl<'a> Walk<'a> {
    pub(super) fn new(types: &'a mut Types, layout: &'a Layout, form: Form) -> Self {
        Self { types, layout, form, open: HashMap::new() }
    }

    /// In which schema a type is: that of the namespace of its members, so that they are local to it.
    pub(super) fn home(&mut self, of: TypeId) -> Space {
        let noted = type_namespace(self.layout, of).filter(|it| !it.is_empty());
        match noted.filter(|_| self.form != Form::Encoded) {
            Some(namespace) => self.types.space(namespace),
            None => TARGET,
        }
    }

    /// The namespace of a member's element or attribute, none if it is in none.
    fn space(&mut self, member: MemberId, is_attribute: bool) -> Option<Space> {
        if self.form == Form::Encoded {
            return None;
        }
        let own = (self.types.target(), self.form == Form::Qualified);
        let namespace = namespace_of(self.layout, member, is_attribute, own).to_owned();
        (!namespace.is_empty()).then(|| self.types.space(&namespace))
    }

    /// The name of the type of a message, an entry, or a struct or choice by itself.
    pub(super) fn scope(&mut self, id: ScopeId) -> String {
        if let Some(name) = self.open.get(&id) {
            return name.clone();
        }
        let layout = self.layout;
        let home = self.home(layout.scope(id).of);
        if self.holds_itself(id) {
            return self.recursive(id, home);
        }
        let content = self.content(id, home);
        self.types.of_struct(home, &layout.scope(id).name, self.form, content)
    }

    /// The same of what holds itself: it has a name before it is known what is in it.
    fn recursive(&mut self, id: ScopeId, home: Space) -> String {
        let layout = self.layout;
        let mut candidates = self.types.candidates(home, &layout.scope(id).name, self.form);
        loop {
            let name = candidates.next_in(self.types);
            let mark = self.types.mark();
            let claim = self.types.claim(home, &name, self.form);
            self.open.insert(id, name.clone());
            let content = self.content(id, home);
            self.open.remove(&id);
            if self.types.settle(claim, content) {
                return name;
            }
            self.types.forget(mark);
        }
    }

    fn holds_itself(&self, id: ScopeId) -> bool {
        let inside =
            |at: ScopeId| self.layout.scope(at).fields.iter().filter_map(|it| it.holds.scope());
        let (mut seen, mut next) = (vec![false; self.layout.scopes().len()], vec![id]);
        while let Some(at) = next.pop() {
            for inner in inside(at) {
                if inner == id {
                    return true;
                }
                if !std::mem::replace(&mut seen[usize::from(inner.0)], true) {
                    next.push(inner);
                }
            }
        }
        false
    }

    /// What a message, an entry, or a struct or choice by itself is made of, in the schema that is its
    /// home.
    pub(super) fn content(&mut self, id: ScopeId, home: Space) -> Content {
        match self.layout.scope(id).shape {
            ScopeShape::Choice => {
                let arms = 0..self.layout.scope(id).fields.len();
                Content::Choice(self.arms(id, arms, home), Occurs::ONCE)
            }
            ScopeShape::Struct | ScopeShape::Item => self.structure(id, None, home),
        }
    }

    /// What stands directly inside a component, or inside none.
    fn structure(&mut self, id: ScopeId, component: Option<u16>, home: Space) -> Content {
        let layout = self.layout;
        let (mut particles, mut attributes, mut text) = (Vec::new(), Vec::new(), None);
        for member in members(layout, id, component) {
            match member {
                Member::Field(index) => {
                    let field = &layout.scope(id).fields[index];
                    match self.form {
                        Form::Encoded => particles.push(Particle::Element(self.field(field, home))),
                        _ if is_attribute(layout, field) => {
                            attributes.push(self.attribute(field, home));
                        }
                        _ if is_text(layout, field) => text = Some(self.text(id, field)),
                        _ => particles.push(Particle::Element(self.field(field, home))),
                    }
                }
                Member::Component(index) => particles.push(self.component(id, index, home)),
            }
        }
        match text {
            Some(base) => Content::Text(base, attributes),
            None => {
                self.check_particles(id, &particles, home);
                Content::Sequence(particles, attributes)
            }
        }
    }

    fn component(&mut self, id: ScopeId, index: usize, home: Space) -> Particle {
        let layout = self.layout;
        let component = &layout.scope(id).components[index];
        let is_required = component.need == Need::Required;
        let occurs = if is_required { Occurs::ONCE } else { Occurs::MAYBE };
        if component.is_choice {
            return Particle::Choice(self.arms(id, component.fields.clone(), home), occurs);
        }
        let member = component.member;
        let of = layout.schema().members(member.of)[member.index as usize].of;
        let inner = self.home(of);
        let content = self.structure(id, Some(index as u16), inner);
        let type_name = self.types.of_struct(inner, &component.type_name, self.form, content);
        let name = noted_name(layout, member).unwrap_or(&component.name).to_owned();
        let space = self.space(member, false);
        let nillable = self.form == Form::Encoded && !is_required;
        Particle::Element(self.element(name, type_name, occurs, space, home, nillable))
    }

    /// An element in a type of a schema: one of another namespace stands at the top of the schema of that.
    fn element(
        &mut self,
        name: String,
        type_name: String,
        occurs: Occurs,
        space: Option<Space>,
        home: Space,
        nillable: bool,
    ) -> Element {
        let place = place(space, home);
        let element = Element { name, type_name, occurs, place, nillable, default: None };
        if let Place::Global(space) = place {
            self.types.global_element(space, &element);
        }
        element
    }

    fn attribute(&mut self, field: &'a Field, home: Space) -> Attribute {
        let (name, type_name) = (self.name(field).to_owned(), self.type_of(field, None));
        let place = place(self.space(field.member, true), home);
        if let Place::Global(space) = place {
            self.types.global_attribute(space, &name, &type_name);
        }
        let default = self.default(field);
        Attribute { name, type_name, is_required: field.need == Need::Required, place, default }
    }

    fn default(&self, field: &Field) -> Option<String> {
        let noted = self.layout.notes().of_member(field.member, "field", "default");
        noted.filter(|_| field.default.is_some()).map(str::to_owned)
    }

    /// The type of a text that is the content of an element. No type but that of texts has an empty one,
    /// which is none.
    fn text(&mut self, id: ScopeId, field: &Field) -> String {
        let may_be_empty = match field.holds {
            Holds::Value(kind) => matches!(kind, Kind::Text | Kind::Code | Kind::Bytes),
            _ => false,
        };
        if field.need != Need::Required && !may_be_empty {
            let (message, around) = (self.layout.name(), &self.layout.scope(id).name);
            self.types.refuse(format!(
                "the message {message}: the text {} of {around} may be absent, and XML Schema has no \
                 empty value of its type: let it always be there",
                field.name
            ));
        }
        self.type_of(field, None)
    }

    fn name(&self, field: &'a Field) -> &'a str {
        noted_name(self.layout, field.member).unwrap_or(&field.name)
    }

    fn arms(&mut self, id: ScopeId, arms: std::ops::Range<usize>, home: Space) -> Vec<Element> {
        let layout = self.layout;
        let fields = &layout.scope(id).fields[arms];
        let arms: Vec<_> = fields
            .iter()
            .map(|it| Element { occurs: Occurs::ONCE, ..self.field(it, home) })
            .collect();
        self.check_arms(id, &arms, home);
        arms
    }

    fn field(&mut self, field: &'a Field, home: Space) -> Element {
        if let Some(element) = self.wildcard(field) {
            return element;
        }
        let space = self.space(field.member, false);
        if self.form != Form::Encoded && is_unwrapped(self.layout, field) {
            let (entry, type_name) = (item_name(self.layout, field), self.item(field, space));
            let name = entry.unwrap_or_else(|| self.name(field)).to_owned();
            let occurs = Occurs::of_items(field);
            return self.element(name, type_name, occurs, space, home, false);
        }
        let occurs = if field.need == Need::Required { Occurs::ONCE } else { Occurs::MAYBE };
        let (name, type_name) = (self.name(field).to_owned(), self.type_of(field, space));
        // Senders of encoded values say nil where they have none.
        let nillable = match self.form {
            Form::Encoded => occurs == Occurs::MAYBE,
            _ => is_nillable(self.layout, field),
        };
        let default = self.default(field);
        Element { default, ..self.element(name, type_name, occurs, space, home, nillable) }
    }

    /// The type of what a field holds whose element is in this namespace.
    fn type_of(&mut self, field: &Field, space: Option<Space>) -> String {
        match field.holds {
            Holds::Value(kind) => simple_type(kind).into(),
            Holds::Enumeration(of) => {
                let layout = self.layout;
                let values = layout.schema().values(of).iter().map(|it| it.to_string());
                let content = Content::Enumeration(values.collect());
                let name = &layout.schema().type_of(of).name;
                self.types.of_struct(TARGET, name, self.form, content)
            }
            Holds::Struct(id) => self.scope(id),
            Holds::List(_) | Holds::Group(_) => self.list(field, space),
        }
    }

    /// The type of a list with an element around it. Elements of items are in the list's namespace.
    fn list(&mut self, field: &Field, space: Option<Space>) -> String {
        let layout = self.layout;
        let stem = self.stem(field);
        if self.form != Form::Encoded && is_spaced(layout, field) {
            let content = Content::Values(self.item(field, space));
            let stem = stem.replacen("ArrayOf", "ListOf", 1);
            return self.types.complex(TARGET, &stem, self.form, content);
        }
        let mut home = space.unwrap_or(TARGET);
        let content = match field.holds {
            Holds::Group(_) if self.is_around_wildcards(field) => {
                let any = self.wildcards_inside(field);
                Content::Sequence(vec![Particle::Element(any)], Vec::new())
            }
            Holds::Group(id) if layout.scope(id).shape == ScopeShape::Choice => {
                let arms = 0..layout.scope(id).fields.len();
                home = self.home(layout.scope(id).of);
                Content::Choice(self.arms(id, arms, home), Occurs::of_items(field))
            }
            _ if self.form == Form::Encoded => {
                Content::Array(format!("{}[]", self.item(field, space)))
            }
            _ => {
                let type_name = self.item(field, space);
                let own = match field.holds {
                    Holds::Group(id) if layout.scope(id).shape == ScopeShape::Struct => {
                        &*layout.scope(id).name
                    }
                    _ => "item",
                };
                let name = item_name(layout, field).unwrap_or(own).to_owned();
                let occurs = Occurs::of_items(field);
                let item = self.element(name, type_name, occurs, space, home, false);
                Content::Sequence(vec![Particle::Element(item)], Vec::new())
            }
        };
        self.types.complex(home, &stem, self.form, content)
    }

    /// The type of each item of a list.
    fn item(&mut self, list: &Field, space: Option<Space>) -> String {
        let layout = self.layout;
        match list.holds {
            Holds::Group(id) if layout.scope(id).shape == ScopeShape::Item => {
                self.type_of(&layout.scope(id).fields[0], space)
            }
            Holds::Group(id) | Holds::Struct(id) => self.scope(id),
            Holds::List(kind) | Holds::Value(kind) => simple_type(kind).into(),
            Holds::Enumeration(_) => self.type_of(list, space),
        }
    }

    /// What a list's type is called, before numbers tell it from others.
    fn stem(&self, list: &Field) -> String {
        let layout = self.layout;
        let of_value = |kind| simple_type(kind).trim_start_matches("xsd:");
        match list.holds {
            Holds::List(kind) => format!("ArrayOf{}", of_value(kind)),
            Holds::Group(id) if layout.scope(id).shape == ScopeShape::Item => {
                format!("ArrayOf{}", self.stem(&layout.scope(id).fields[0]))
            }
            Holds::Group(id) => format!("ArrayOf{}", layout.scope(id).name),
            Holds::Value(kind) => of_value(kind).into(),
            Holds::Enumeration(of) => layout.schema().type_of(of).name.to_string(),
            Holds::Struct(id) => layout.scope(id).name.to_string(),
        }
    }
}

/// Where what is in a namespace, or in none, is declared for a type of a schema.
fn place(space: Option<Space>, home: Space) -> Place {
    match space {
        Some(space) if space != home => Place::Global(space),
        space => Place::Local { is_qualified: space.is_some() },
    }
}

/// In the order in which they stand in messages.
fn members(layout: &Layout, id: ScopeId, parent: Option<u16>) -> Vec<Member> {
    let scope = layout.scope(id);
    let mut components = (0..scope.components.len())
        .filter(|index| scope.components[*index].parent == parent)
        .peekable();
    let mut members = Vec::new();
    for index in 0..=scope.fields.len() {
        let starts_here = |it: &usize| scope.components[*it].fields.start <= index;
        while let Some(component) = components.next_if(starts_here) {
            members.push(Member::Component(component));
        }
        if scope.fields.get(index).is_some_and(|field| field.component == parent) {
            members.push(Member::Field(index));
        }
    }
    members
}

/// The type of a value, as `xsi:type` names it.
fn simple_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "xsd:boolean",
        Kind::Integer(integer) => integer_type(integer),
        Kind::Decimal => "xsd:decimal",
        Kind::BigInteger => "xsd:integer",
        Kind::BigDecimal => "xsd:decimal",
        Kind::Float32 => "xsd:float",
        Kind::Float64 => "xsd:double",
        Kind::Duration => "xsd:duration",
        Kind::Bytes => "xsd:base64Binary",
        Kind::Date => "xsd:date",
        Kind::Time => "xsd:time",
        Kind::Timestamp => "xsd:dateTime",
        Kind::Text | Kind::Code => "xsd:string",
        Kind::Any => "xsd:anyType",
    }
}

fn integer_type(kind: IntegerKind) -> &'static str {
    match kind {
        IntegerKind::I8 => "xsd:byte",
        IntegerKind::I16 => "xsd:short",
        IntegerKind::I32 => "xsd:int",
        IntegerKind::I64 => "xsd:long",
        IntegerKind::U8 => "xsd:unsignedByte",
        IntegerKind::U16 => "xsd:unsignedShort",
        IntegerKind::U32 => "xsd:unsignedInt",
        IntegerKind::U64 => "xsd:unsignedLong",
    }
}
