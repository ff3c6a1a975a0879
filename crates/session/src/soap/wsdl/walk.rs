//! XML Schema's types from layouts.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::ptr;

use trunkline_message::{
    Checks, Component, Field, Holds, IntegerKind, Kind, Layout, MemberId, Need, Scope, ScopeId,
    Shape as ScopeShape, TypeId,
};
use trunkline_soap::{
    Dimensions, is_attribute, is_mixed, is_nillable, is_of_arms, is_repeated, is_spaced, is_text,
    is_typed, is_unwrapped, item_name, namespace_of, noted_empty, noted_name, type_namespace,
    type_of_arm,
};

use super::content::{
    Attribute, Content, Element, NamespaceIndex, Occurs, Particle, Place, TARGET,
};
use super::derived::{ByType, is_typed_scope};
use super::facets::{self, Facets};
use super::shape::Form;
use super::types::{Savepoint, Types};

/// A way through one layout, the inner types first.
pub(super) struct Walk<'a> {
    pub(super) types: &'a mut Types,
    pub(super) layout: &'a Layout,
    form: Form,
    dimensions: Dimensions,
    /// The types that hold themselves and are being described.
    open: HashMap<ScopeId, String>,
    /// The lists of choices that hold themselves and are being described, by how many items they have.
    open_lists: HashMap<(ScopeId, u32, Option<u32>), String>,
    /// The types that messages name and that are described or being described.
    named: HashSet<String>,
    described: Described,
}

/// What need not be described again: the type of each scope, and of each list by where it stands and its element's namespace.
#[derive(Default)]
struct Described {
    names: HashMap<Subject, String>,
    /// In the order in which they were described, since the last ones are forgotten together.
    order: Vec<Subject>,
    /// Names that turned out to be those of other types.
    rejected: HashSet<(ScopeId, String)>,
    rejections: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Scope(ScopeId),
    List(*const Field, Option<NamespaceIndex>),
}

/// So often a name is tried that was rejected before: what it refers to may have other names by now. With more, types that hold
/// one another, and all differ from known ones, would be tried in every combination.
const RETRIED: usize = 256;

impl Described {
    fn add(&mut self, what: Subject, name: &str) {
        self.names.insert(what, name.to_owned());
        self.order.push(what);
    }

    /// Forgets all behind the first ones.
    fn truncate(&mut self, count: usize) {
        for what in self.order.drain(count..) {
            self.names.remove(&what);
        }
    }

    fn reject(&mut self, id: ScopeId, name: String) {
        self.rejections += 1;
        self.rejected.insert((id, name));
    }

    fn is_rejected(&self, id: ScopeId, name: &str) -> bool {
        self.rejections > RETRIED && self.rejected.contains(&(id, name.to_owned()))
    }
}

/// A field or a component of a scope, by position.
enum Member {
    Field(usize),
    Component(usize),
}

impl<'a> Walk<'a> {
    pub(super) fn new(types: &'a mut Types, layout: &'a Layout, form: Form) -> Self {
        let (open, open_lists, named, described) = Default::default();
        // A plan tells what is wrong in them.
        let dimensions = Dimensions::new(layout).unwrap_or_default();
        Self { types, layout, form, dimensions, open, open_lists, named, described }
    }

    /// In which schema a type is: that of the namespace of its members, so that they are local to it; where content is encoded, that
    /// in which values name it.
    pub(super) fn home(&mut self, of: TypeId) -> NamespaceIndex {
        let noted = match self.form {
            Form::Encoded => self.layout.notes().of_type(of, "xml", "type_namespace"),
            _ => type_namespace(self.layout, of),
        };
        match noted.filter(|it| !it.is_empty()) {
            Some(namespace) => self.types.namespace_index(namespace),
            None => TARGET,
        }
    }

    /// The namespace of a member's element or attribute, none if it is in none.
    fn namespace_index(&mut self, member: MemberId, is_attribute: bool) -> Option<NamespaceIndex> {
        if self.form == Form::Encoded {
            return None;
        }
        let own = (self.types.target(), self.form == Form::Qualified);
        let namespace = namespace_of(self.layout, member, is_attribute, own).to_owned();
        (!namespace.is_empty()).then(|| self.types.namespace_index(&namespace))
    }

    /// The name of the type of a message, an entry, or a struct or choice by itself.
    pub(super) fn scope(&mut self, id: ScopeId) -> String {
        if let Some(name) = self.open.get(&id) {
            return name.clone();
        }
        if let Some(name) = self.described.names.get(&Subject::Scope(id)) {
            return name.clone();
        }
        let layout = self.layout;
        if is_typed_scope(layout, id) {
            return self.by_type(id, 0..layout.scope(id).fields.len());
        }
        let home = self.home(layout.scope(id).of);
        let name = if self.holds_itself(id) {
            self.recursive(id, home)
        } else {
            let content = self.content(id, home);
            self.types.of_struct(home, &layout.scope(id).name, self.form, content)
        };
        self.described.add(Subject::Scope(id), &name);
        name
    }

    /// The same of what holds itself: it has a name before it is known what is in it.
    fn recursive(&mut self, id: ScopeId, home: NamespaceIndex) -> String {
        let layout = self.layout;
        let mut candidates = self.types.candidates(home, &layout.scope(id).name, self.form);
        loop {
            let name = candidates.next_in(self.types);
            if self.described.is_rejected(id, &name) {
                continue;
            }
            let savepoint = (self.types.savepoint(), self.described.order.len());
            let claim = self.types.claim(home, &name, self.form);
            self.open.insert(id, name.clone());
            let content = self.content(id, home);
            self.open.remove(&id);
            if self.types.settle(claim, content) {
                return name;
            }
            self.forget(savepoint);
            self.described.reject(id, name);
        }
    }

    /// Forgets what was described since then, as it refers to a type by a name that is another's.
    fn forget(&mut self, (types, described): (Savepoint, usize)) {
        self.types.forget(types);
        self.named.retain(|name| self.types.has(name));
        self.described.truncate(described);
    }

    /// The type of an element that is one of these arms, of which a type tells which.
    fn by_type(&mut self, id: ScopeId, arms: Range<usize>) -> String {
        let layout = self.layout;
        let choice = ByType::new(layout, id, arms.clone(), self.types.target());
        let declared = self.types.declared(&choice, self.form);
        for arm in &layout.scope(id).fields[arms] {
            self.arm_type(arm);
        }
        declared
    }

    /// The type that tells an arm, if it is none of XML Schema's own.
    fn arm_type(&mut self, arm: &'a Field) {
        let Ok(name) = type_of_arm(self.layout, arm, self.types.target()) else { return };
        let (namespace, full) = self.types.type_name(&name);
        if full.starts_with("xsd:") || !self.named.insert(full.clone()) {
            return;
        }
        // A type that holds itself may be under way.
        if !self.open.values().any(|it| *it == full) {
            let claim = self.types.claim(namespace, &full, self.form);
            let content = match arm.holds {
                Holds::Struct(inner) => {
                    let outer = self.open.insert(inner, full);
                    let content = self.content(inner, namespace);
                    match outer {
                        Some(outer) => self.open.insert(inner, outer),
                        None => self.open.remove(&inner),
                    };
                    content
                }
                Holds::Enumeration(of) => self.enumeration(of),
                Holds::Value(kind) => {
                    Content::Restricted(simple_type(kind).into(), self.facets(arm))
                }
                Holds::List(_) | Holds::Group(_) => Content::Open,
            };
            self.types.settle_named(claim, &name, content);
        }
        self.types.derive(&name, self.form);
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
    pub(super) fn content(&mut self, id: ScopeId, home: NamespaceIndex) -> Content {
        match self.layout.scope(id).shape {
            ScopeShape::Choice => {
                let arms = 0..self.layout.scope(id).fields.len();
                Content::Choice(self.arms(id, arms, home), Occurs::ONCE)
            }
            ScopeShape::Struct | ScopeShape::Item => self.structure(id, None, home),
        }
    }

    /// What stands directly inside a component, or inside none.
    fn structure(&mut self, id: ScopeId, component: Option<u16>, home: NamespaceIndex) -> Content {
        let layout = self.layout;
        let (mut particles, mut attributes) = (Vec::new(), Vec::new());
        let (mut text, mut mixed) = (None, None);
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
                        _ if is_mixed(layout, field) => mixed = Some(self.arms_inside(field, home)),
                        _ if is_of_arms(layout, field) => {
                            let arms = self.arms_inside(field, home);
                            particles.push(Particle::Choice(arms, facets::occurs(layout, field)));
                        }
                        _ => particles.push(Particle::Element(self.field(field, home))),
                    }
                }
                Member::Component(index) => particles.push(self.component(id, index, home)),
            }
        }
        match (text, mixed) {
            (Some(base), _) => Content::Text(base, attributes),
            (None, Some(arms)) => Content::Mixed(arms, attributes),
            (None, None) => {
                self.check_particles(id, &particles, home);
                self.check_consistent(id, &particles);
                Content::Sequence(particles, attributes)
            }
        }
    }

    /// The elements of a list that has none around them.
    fn arms_inside(&mut self, list: &'a Field, home: NamespaceIndex) -> Vec<Element> {
        let Some(inner) = list.holds.scope() else { return Vec::new() };
        let layout = self.layout;
        let arms = layout.scope(inner).fields.iter().filter(|it| !is_text(layout, it));
        let arms: Vec<Element> =
            arms.map(|it| Element { occurs: Occurs::ONCE, ..self.field(it, home) }).collect();
        self.check_arms(inner, &arms, home);
        arms
    }

    fn component(&mut self, id: ScopeId, index: usize, home: NamespaceIndex) -> Particle {
        let layout = self.layout;
        let component = &layout.scope(id).components[index];
        let is_required = component.need == Need::Required;
        let is_there = is_required && (component.is_choice || has_required(layout, id, index));
        let occurs = if is_there { Occurs::ONCE } else { Occurs::MAYBE };
        let is_typed = is_typed(layout, component);
        if component.is_choice && !is_typed {
            return Particle::Choice(self.arms(id, component.fields.clone(), home), occurs);
        }
        let member = component.member;
        let type_name = match is_typed {
            true => self.by_type(id, component.fields.clone()),
            false => self.inside(id, component, index as u16),
        };
        let name = noted_name(layout, member).unwrap_or(&component.name).to_owned();
        let namespace = self.namespace_index(member, false);
        let noted = || layout.notes().of_member(member, "xml", "nillable") == Some("true");
        let nillable = !is_required && (self.form == Form::Encoded || is_typed && noted());
        if nillable && is_typed {
            component.fields.clone().for_each(|arm| self.check_nil(&layout.scope(id).fields[arm]));
        }
        let is_there = nillable && self.types.nil_is_there;
        let occurs = if is_there { Occurs::ONCE } else { occurs };
        let element = Element { nillable, ..Element::new(name, type_name, occurs) };
        Particle::Element(self.placed(element, namespace, home))
    }

    /// The type of a struct whose members lie in the scope.
    fn inside(&mut self, id: ScopeId, component: &Component, index: u16) -> String {
        let member = component.member;
        let of = self.layout.schema().members(member.of)[member.index as usize].of;
        let home = self.home(of);
        let content = self.structure(id, Some(index), home);
        self.types.of_struct(home, &component.type_name, self.form, content)
    }

    /// An element in a type of a schema: one of another namespace stands at the top of the schema of that.
    fn placed(
        &mut self,
        element: Element,
        namespace: Option<NamespaceIndex>,
        home: NamespaceIndex,
    ) -> Element {
        let element = Element { place: place(namespace, home), ..element };
        if let Place::Global(namespace) = element.place {
            self.types.global_element(namespace, &element);
        }
        element
    }

    fn attribute(&mut self, field: &'a Field, home: NamespaceIndex) -> Attribute {
        let (name, type_name) = (self.name(field).to_owned(), self.type_of(field, None));
        let place = place(self.namespace_index(field.member, true), home);
        let is_required = field.need == Need::Required;
        // Of a list in one text its own type says what the items keep to.
        let (facets, default) = (self.value_facets(field), self.default(field));
        let attribute = Attribute { name, type_name, facets, is_required, place, default };
        if let Place::Global(namespace) = place {
            self.types.global_attribute(namespace, &attribute);
        }
        attribute
    }

    /// What the values of a field keep to, or each of the items of a list of values. Encoded values tell
    /// types of XML Schema.
    fn facets(&mut self, field: &Field) -> Facets {
        self.facets_of(field, field.member)
    }

    /// The same where this member says them.
    fn facets_of(&mut self, field: &Field, member: MemberId) -> Facets {
        let (Some(kind), true) = (field.holds.kind(), self.form != Form::Encoded) else {
            return Facets::new();
        };
        facets::of_values(self.layout, member, kind).unwrap_or_else(|why| {
            self.types.reject(format!("the message {}: {}: {why}", self.layout.name(), field.name));
            Facets::new()
        })
    }

    /// The same of the items of a list.
    fn facets_of_items(&mut self, list: &'a Field) -> Facets {
        match list.holds {
            Holds::List(_) => {
                // A list of numbers in another list is described there.
                let is_it = |it: &&Scope| it.fields.first().is_some_and(|it| ptr::eq(it, list));
                let scope = self.layout.scopes().iter().find(is_it);
                let member = scope.map_or(list.member, |it| Checks::member(self.layout, it, list));
                self.facets_of(list, member)
            }
            Holds::Group(inner) if self.layout.scope(inner).shape == ScopeShape::Item => {
                match &self.layout.scope(inner).fields[0] {
                    item if matches!(item.holds, Holds::Value(_)) => {
                        let member = Checks::member(self.layout, self.layout.scope(inner), item);
                        self.facets_of(item, member)
                    }
                    _ => Facets::new(),
                }
            }
            _ => Facets::new(),
        }
    }

    /// What an element with nothing in it stands for.
    fn default(&self, field: &Field) -> Option<String> {
        let noted = self.layout.notes().of_member(field.member, "field", "default");
        let noted = noted.filter(|_| field.default.is_some());
        noted.or_else(|| noted_empty(self.layout, field.member)).map(str::to_owned)
    }

    /// The type of a text that is the content of an element. No type but that of texts has an empty one,
    /// which is none.
    fn text(&mut self, id: ScopeId, field: &'a Field) -> String {
        let may_be_empty = match field.holds {
            Holds::Value(kind) => matches!(kind, Kind::Text | Kind::Code | Kind::Bytes),
            _ => false,
        };
        if field.need != Need::Required && !may_be_empty {
            let (message, around) = (self.layout.name(), &self.layout.scope(id).name);
            self.types.reject(format!(
                "the message {message}: the text {} of {around} may be absent, and XML Schema has no \
                 empty value of its type: let it always be there",
                field.name
            ));
        }
        let (type_name, facets) = (self.type_of(field, None), self.facets(field));
        self.named_type(field, type_name, facets)
    }

    /// A type with a name of the field's values, which keep to facets.
    fn named_type(&mut self, field: &Field, type_name: String, facets: Facets) -> String {
        match facets.is_empty() {
            true => type_name,
            false => {
                let content = Content::Restricted(type_name, facets);
                self.types.complex(TARGET, &field.name, self.form, content)
            }
        }
    }

    fn enumeration(&self, of: TypeId) -> Content {
        let values = self.layout.schema().values(of).iter().map(|it| it.to_string());
        Content::Enumeration(values.collect())
    }

    fn name(&self, field: &'a Field) -> &'a str {
        noted_name(self.layout, field.member).unwrap_or(&field.name)
    }

    fn arms(
        &mut self,
        id: ScopeId,
        arms: std::ops::Range<usize>,
        home: NamespaceIndex,
    ) -> Vec<Element> {
        let layout = self.layout;
        let fields = &layout.scope(id).fields[arms];
        let arms: Vec<_> = fields
            .iter()
            .map(|it| Element { occurs: Occurs::ONCE, ..self.field(it, home) })
            .collect();
        self.check_arms(id, &arms, home);
        arms
    }

    fn field(&mut self, field: &'a Field, home: NamespaceIndex) -> Element {
        if let Some(element) = self.wildcard(field) {
            return element;
        }
        let namespace = self.namespace_index(field.member, false);
        let is_array = self.form == Form::Encoded && !is_repeated(self.layout, field);
        if !is_array && is_unwrapped(self.layout, field) {
            let (entry, type_name) = (item_name(self.layout, field), self.item(field, namespace));
            let name = entry.unwrap_or_else(|| self.name(field)).to_owned();
            let occurs = facets::occurs(self.layout, field);
            // None of its items stand there where it is absent.
            let is_there = field.need == Need::Required;
            let occurs = if is_there { occurs } else { Occurs { least: 0, ..occurs } };
            let (facets, nillable) = (self.facets_of_items(field), field.nil_items);
            let element = Element { facets, nillable, ..Element::new(name, type_name, occurs) };
            return self.placed(element, namespace, home);
        }
        let occurs = if field.need == Need::Required { Occurs::ONCE } else { Occurs::MAYBE };
        let (name, type_name) = (self.name(field).to_owned(), self.type_of(field, namespace));
        // Senders of encoded values say nil where they have none.
        let nillable = match self.form {
            Form::Encoded => occurs == Occurs::MAYBE,
            _ => is_nillable(self.layout, field),
        };
        if nillable && self.form != Form::Encoded {
            self.check_nil(field);
        }
        let (default, facets) = (self.default(field), self.value_facets(field));
        let is_there = nillable && self.types.nil_is_there;
        let occurs = if is_there { Occurs::ONCE } else { occurs };
        let element = Element::new(name, type_name, occurs);
        self.placed(Element { nillable, default, facets, ..element }, namespace, home)
    }

    /// An element that is nil has no attributes, and XML Schema asks for those that have to be there.
    fn check_nil(&mut self, field: &Field) {
        let Some(inner) = field.holds.scope() else { return };
        let layout = self.layout;
        let mut fields = layout.scope(inner).fields.iter().filter(|it| it.component.is_none());
        let required = fields.find(|it| it.need == Need::Required && is_attribute(layout, it));
        if let Some(attribute) = required {
            self.types.reject(format!(
                "the message {}: {} may be nil, and its attribute {} has to be there even then: let that \
                 be optional",
                layout.name(),
                field.name,
                attribute.name
            ));
        }
    }

    /// Those of a single value.
    fn value_facets(&mut self, field: &Field) -> Facets {
        match field.holds {
            Holds::Value(_) => self.facets(field),
            _ => Facets::new(),
        }
    }

    /// The type of what a field holds whose element is in this namespace.
    fn type_of(&mut self, field: &'a Field, namespace: Option<NamespaceIndex>) -> String {
        match field.holds {
            Holds::Value(kind) => self.value_type(kind, field.member),
            Holds::Enumeration(of) => {
                let content = self.enumeration(of);
                let name = &self.layout.schema().type_of(of).name;
                let home = if self.form == Form::Encoded { self.home(of) } else { TARGET };
                self.types.of_struct(home, name, self.form, content)
            }
            Holds::Struct(id) => self.scope(id),
            Holds::List(_) | Holds::Group(_) => self.list(field, namespace),
        }
    }

    /// The type of a list with an element around it. Elements of items are in the list's namespace.
    fn list(&mut self, field: &'a Field, namespace: Option<NamespaceIndex>) -> String {
        let subject = Subject::List(field, namespace);
        if let Some(name) = self.described.names.get(&subject) {
            return name.clone();
        }
        let name = self.new_list(field, namespace);
        self.described.add(subject, &name);
        name
    }

    fn new_list(&mut self, field: &'a Field, namespace: Option<NamespaceIndex>) -> String {
        let layout = self.layout;
        let stem = self.stem(field);
        if self.form != Form::Encoded && is_spaced(layout, field) {
            let item = self.item(field, namespace);
            // gSOAP knows no items of a type without a name.
            let facets = self.facets_of_items(field);
            let content = Content::Values(self.named_type(field, item, facets));
            let stem = stem.replacen("ArrayOf", "ListOf", 1);
            return self.types.complex(TARGET, &stem, self.form, content);
        }
        let mut home = namespace.unwrap_or(TARGET);
        let content = match field.holds {
            Holds::Group(_) if self.is_around_wildcards(field) => {
                let any = self.wildcards_inside(field);
                Content::Sequence(vec![Particle::Element(any)], Vec::new())
            }
            Holds::Group(id) if is_of_elements(layout, id) && self.holds_itself(id) => {
                return self.recursive_list(field, id, &stem);
            }
            Holds::Group(id) if is_of_elements(layout, id) => {
                let arms = 0..layout.scope(id).fields.len();
                home = self.home(layout.scope(id).of);
                Content::Choice(self.arms(id, arms, home), facets::occurs(layout, field))
            }
            _ if self.form == Form::Encoded => {
                let commas = ",".repeat(self.dimensions.of(field.holds) - 1);
                let items = self.dimensions.innermost(layout, field);
                Content::Array(format!("{}[{commas}]", self.item(items, namespace)))
            }
            _ => {
                let type_name = self.item(field, namespace);
                let own = match field.holds {
                    Holds::Group(id) if layout.scope(id).shape != ScopeShape::Item => {
                        &*layout.scope(id).name
                    }
                    _ => "item",
                };
                let name = item_name(layout, field).unwrap_or(own).to_owned();
                let occurs = facets::occurs(layout, field);
                let (facets, nillable) = (self.facets_of_items(field), field.nil_items);
                let item = Element { facets, nillable, ..Element::new(name, type_name, occurs) };
                let item = self.placed(item, namespace, home);
                Content::Sequence(vec![Particle::Element(item)], Vec::new())
            }
        };
        self.types.complex(home, &stem, self.form, content)
    }

    /// The type of a list of choices that hold themselves: as of [others](Self::recursive).
    fn recursive_list(&mut self, list: &'a Field, id: ScopeId, stem: &str) -> String {
        let layout = self.layout;
        let occurs = facets::occurs(layout, list);
        let key = (id, occurs.least, occurs.most);
        if let Some(name) = self.open_lists.get(&key) {
            return name.clone();
        }
        let home = self.home(layout.scope(id).of);
        let mut candidates = self.types.candidates(home, stem, self.form);
        loop {
            let name = candidates.next_in(self.types);
            if self.described.is_rejected(id, &name) {
                continue;
            }
            let savepoint = (self.types.savepoint(), self.described.order.len());
            let claim = self.types.claim(home, &name, self.form);
            self.open_lists.insert(key, name.clone());
            let arms = 0..layout.scope(id).fields.len();
            let content = Content::Choice(self.arms(id, arms, home), occurs);
            self.open_lists.remove(&key);
            if self.types.settle(claim, content) {
                return name;
            }
            self.forget(savepoint);
            self.described.reject(id, name);
        }
    }

    /// The type of each item of a list.
    fn item(&mut self, list: &'a Field, namespace: Option<NamespaceIndex>) -> String {
        let layout = self.layout;
        match list.holds {
            Holds::Group(id) if layout.scope(id).shape == ScopeShape::Item => {
                let item = &layout.scope(id).fields[0];
                match item.holds {
                    Holds::Value(kind) => {
                        let own = Checks::member(layout, layout.scope(id), item);
                        let is_noted =
                            layout.notes().of_member(list.member, "xml", "type").is_some();
                        self.value_type(kind, if is_noted { list.member } else { own })
                    }
                    _ => self.type_of(item, namespace),
                }
            }
            Holds::Group(id) | Holds::Struct(id) => self.scope(id),
            Holds::List(kind) | Holds::Value(kind) => self.value_type(kind, list.member),
            Holds::Enumeration(_) => self.type_of(list, namespace),
        }
    }

    /// The type of the values of a member: that of XML Schema which is noted, else by what becomes of blanks in it, else
    /// that of their kind.
    fn value_type(&self, kind: Kind, member: MemberId) -> String {
        let note = |word| self.layout.notes().of_member(member, "xml", word);
        let is_text = kind == Kind::Text && self.form != Form::Encoded;
        let by_blanks = match note("white_space").filter(|_| is_text) {
            Some("collapse") => Some("xsd:token"),
            Some("replace") => Some("xsd:normalizedString"),
            _ => None,
        };
        let noted = note("type").filter(|it| it.starts_with("xsd:"));
        noted.or(by_blanks).unwrap_or(simple_type(kind)).to_owned()
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

/// Is the scope a choice whose arms are elements?
fn is_of_elements(layout: &Layout, id: ScopeId) -> bool {
    layout.scope(id).shape == ScopeShape::Choice && !is_typed_scope(layout, id)
}

/// Has a component something inside that is in every message? One without is not written.
fn has_required(layout: &Layout, id: ScopeId, index: usize) -> bool {
    let scope = layout.scope(id);
    let own = Some(index as u16);
    let mut fields = scope.fields[scope.components[index].fields.clone()].iter();
    let mut inner = (0..scope.components.len()).filter(|it| scope.components[*it].parent == own);
    fields.any(|it| it.component == own && it.need == Need::Required)
        || inner.any(|it| {
            let component = &scope.components[it];
            let is_required = component.need == Need::Required;
            is_required && (component.is_choice || has_required(layout, id, it))
        })
}

/// Where what is in a namespace, or in none, is declared for a type of a schema.
fn place(namespace: Option<NamespaceIndex>, home: NamespaceIndex) -> Place {
    match namespace {
        Some(namespace) if namespace != home => Place::Global(namespace),
        namespace => Place::Local { is_qualified: namespace.is_some() },
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
