//! XML Schema's types from layouts.

use std::collections::HashMap;

use trunkline_codec::soap::{is_unwrapped, noted_name};
use trunkline_message::{
    Field, Holds, IntegerKind, Kind, Layout, Need, ScopeId, Shape as ScopeShape, is_name,
};

use super::shape::Form;
use super::types::{Content, Element, Occurs, Particle, Types};

/// A way through one layout, the inner types first.
pub(super) struct Walk<'a> {
    types: &'a mut Types,
    layout: &'a Layout,
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

    /// The name of the type of a message, an entry, or a struct or choice by itself.
    pub(super) fn scope(&mut self, id: ScopeId) -> String {
        if let Some(name) = self.open.get(&id) {
            return name.clone();
        }
        if self.holds_itself(id) {
            return self.recursive(id);
        }
        let content = self.content(id);
        let layout = self.layout;
        self.types.of_struct(&layout.scope(id).name, self.form, content)
    }

    /// The same of what holds itself: it has a name before it is known what is in it.
    fn recursive(&mut self, id: ScopeId) -> String {
        let layout = self.layout;
        let mut candidates = self.types.candidates(&layout.scope(id).name, self.form);
        loop {
            let candidate = candidates.next_in(self.types);
            let mark = self.types.mark();
            let claim = self.types.claim(&candidate, self.form);
            let name = format!("tns:{candidate}");
            self.open.insert(id, name.clone());
            let content = self.content(id);
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

    /// What a message, an entry, or a struct or choice by itself is made of.
    pub(super) fn content(&mut self, id: ScopeId) -> Content {
        match self.layout.scope(id).shape {
            ScopeShape::Choice => {
                let arms = 0..self.layout.scope(id).fields.len();
                Content::Choice(self.arms(id, arms), Occurs::ONCE)
            }
            ScopeShape::Struct | ScopeShape::Item => Content::Sequence(self.members(id, None)),
        }
    }

    /// What stands directly inside a component, or inside none.
    fn members(&mut self, id: ScopeId, component: Option<u16>) -> Vec<Particle> {
        let members = members(self.layout, id, component);
        members.into_iter().map(|member| self.member(id, member)).collect()
    }

    fn member(&mut self, id: ScopeId, member: Member) -> Particle {
        let layout = self.layout;
        let scope = layout.scope(id);
        match member {
            Member::Field(index) => Particle::Element(self.field(&scope.fields[index])),
            Member::Component(index) => {
                let component = &scope.components[index];
                let occurs =
                    if component.need == Need::Required { Occurs::ONCE } else { Occurs::MAYBE };
                if component.is_choice {
                    return Particle::Choice(self.arms(id, component.fields.clone()), occurs);
                }
                let content = Content::Sequence(self.members(id, Some(index as u16)));
                let type_name = self.types.of_struct(&component.type_name, self.form, content);
                let name = noted_name(layout, component.member).unwrap_or(&component.name);
                Particle::Element(Element { name: name.to_owned(), type_name, occurs })
            }
        }
    }

    fn name(&self, field: &'a Field) -> &'a str {
        noted_name(self.layout, field.member).unwrap_or(&field.name)
    }

    fn arms(&mut self, id: ScopeId, arms: std::ops::Range<usize>) -> Vec<Element> {
        let layout = self.layout;
        let fields = &layout.scope(id).fields[arms];
        fields.iter().map(|it| Element { occurs: Occurs::ONCE, ..self.field(it) }).collect()
    }

    fn field(&mut self, field: &Field) -> Element {
        if self.form != Form::Encoded && is_unwrapped(self.layout, field) {
            let (entry, type_name) = (self.noted_entry(field), self.item(field));
            let name = entry.unwrap_or_else(|| self.name(field)).to_owned();
            return Element { name, type_name, occurs: Occurs::of_items(field) };
        }
        let occurs = if field.need == Need::Required { Occurs::ONCE } else { Occurs::MAYBE };
        let name = self.name(field).to_owned();
        Element { name, type_name: self.type_of(field), occurs }
    }

    /// The type of what a field holds.
    fn type_of(&mut self, field: &Field) -> String {
        match field.holds {
            Holds::Value(kind) => simple_type(kind).into(),
            Holds::Enumeration(of) => {
                let layout = self.layout;
                let values = layout.schema().values(of).iter().map(|it| it.to_string());
                let content = Content::Enumeration(values.collect());
                self.types.of_struct(&layout.schema().type_of(of).name, self.form, content)
            }
            Holds::Struct(id) => self.scope(id),
            Holds::List(_) | Holds::Group(_) => self.list(field),
        }
    }

    /// The type of a list with an element around it.
    fn list(&mut self, field: &Field) -> String {
        let layout = self.layout;
        let stem = self.stem(field);
        let content = match field.holds {
            Holds::Group(id) if layout.scope(id).shape == ScopeShape::Choice => {
                let arms = 0..layout.scope(id).fields.len();
                Content::Choice(self.arms(id, arms), Occurs::of_items(field))
            }
            _ if self.form == Form::Encoded => Content::Array(format!("{}[]", self.item(field))),
            _ => {
                let type_name = self.item(field);
                let own = match field.holds {
                    Holds::Group(id) if layout.scope(id).shape == ScopeShape::Struct => {
                        &*layout.scope(id).name
                    }
                    _ => "item",
                };
                let name = self.noted_entry(field).unwrap_or(own).to_owned();
                let item = Element { name, type_name, occurs: Occurs::of_items(field) };
                Content::Sequence(vec![Particle::Element(item)])
            }
        };
        self.types.complex(&stem, self.form, content)
    }

    fn noted_entry(&self, field: &Field) -> Option<&'a str> {
        let noted = self.layout.notes().of_member(field.member, "xml", "entry");
        noted.filter(|it| is_name(it))
    }

    /// The type of each item of a list.
    fn item(&mut self, list: &Field) -> String {
        let layout = self.layout;
        match list.holds {
            Holds::Group(id) if layout.scope(id).shape == ScopeShape::Item => {
                self.type_of(&layout.scope(id).fields[0])
            }
            Holds::Group(id) | Holds::Struct(id) => self.scope(id),
            Holds::List(kind) | Holds::Value(kind) => simple_type(kind).into(),
            Holds::Enumeration(_) => self.type_of(list),
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
