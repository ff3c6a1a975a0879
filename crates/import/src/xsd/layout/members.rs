//! The members of a struct, and the arms of a choice.

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_message::{Body, Kind, Member, MemberId, Need, TypeId, Value};

use super::{Builder, Form, Held, type_name};
use crate::xsd::component::{Element, ElementId, Occurs};
use crate::xsd::content::{Arm, Item};
use crate::xsd::name::{Name, SCHEMA};
use crate::{Problem, names};

/// What is added to a struct or choice, one member after the other.
#[derive(Debug)]
pub(crate) struct Members {
    of: TypeId,
    members: Vec<Member>,
    taken: HashSet<String>,
    /// Names that others have who come later.
    reserved: Vec<String>,
    /// The namespace of the schema that describes it.
    target: Arc<str>,
    /// The namespaces of elements.
    elements: Vec<(MemberId, Arc<str>)>,
    has_wildcard: bool,
}

impl Members {
    pub(crate) fn new(of: TypeId, target: &Arc<str>) -> Self {
        Self {
            of,
            members: Vec::new(),
            taken: HashSet::new(),
            reserved: Vec::new(),
            target: target.clone(),
            elements: Vec::new(),
            has_wildcard: false,
        }
    }

    /// Leaves these names to those that come later.
    pub(super) fn reserve<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.reserved =
            names.filter(|it| self.taken.insert((*it).to_owned())).map(str::to_owned).collect();
    }

    pub(super) fn free(&mut self) {
        self.reserved.drain(..).for_each(|it| _ = self.taken.remove(&it));
    }

    /// Adds a member of this name, or of the first like it that is not taken.
    pub(crate) fn add(&mut self, name: &str, of: TypeId, need: Need) -> MemberId {
        let name = names::untaken(&type_name(name), &mut self.taken);
        self.members.push(Member { name: name.into(), of, need });
        MemberId { of: self.of, index: self.members.len() as u32 - 1 }
    }

    pub(crate) fn name_of(&self, member: MemberId) -> &str {
        &self.members[member.index as usize].name
    }

    /// Notes the name of an element where it is not that of the member.
    pub(crate) fn element_named(
        &mut self,
        builder: &mut Builder<'_>,
        member: MemberId,
        name: &Name,
    ) {
        if self.name_of(member) != &*name.local {
            builder.note(member, "name", &name.local);
        }
        self.elements.push((member, name.namespace.clone()));
    }

    /// Says what the type is made of.
    pub(crate) fn finish(self, builder: &mut Builder<'_>) {
        self.finish_as(builder, Body::Struct);
    }

    pub(super) fn finish_as(self, builder: &mut Builder<'_>, body: fn(Vec<Member>) -> Body) {
        let Self { of, members, target, elements, has_wildcard, .. } = self;
        let qualified = elements.iter().filter(|it| !it.1.is_empty()).count();
        let is_qualified = 2 * qualified > elements.len();
        let notes = builder.types.notes();
        if is_qualified || has_wildcard {
            notes.note_type(of, "xml", "namespace", &target);
        }
        if !elements.is_empty() {
            let form = if is_qualified { "qualified" } else { "unqualified" };
            notes.note_type(of, "xml", "form", form);
        }
        let expected: &str = if is_qualified { &target } else { "" };
        for (member, namespace) in elements.iter().filter(|it| *it.1 != *expected) {
            let form = if namespace.is_empty() { "unqualified" } else { "qualified" };
            notes.note_member(*member, "xml", "namespace", namespace);
            notes.note_member(*member, "xml", "form", form);
        }
        builder.types.set_body(of, body(members));
    }
}

/// A list of which this much is there at least.
fn of_list(least: u32) -> Need {
    if least > 0 { Need::Required } else { Need::Implied }
}

impl<'a> Builder<'a> {
    pub(super) fn note(&mut self, member: MemberId, word: &str, value: &str) {
        self.types.notes().note_member(member, "xml", word, value);
    }

    /// Notes what is said of the values of a member.
    pub(super) fn note_values(&mut self, member: MemberId, held: &Held) {
        match held.form {
            Form::Spaced => self.note(member, "list", "spaced"),
            Form::Any => self.note(member, "kind", "element"),
            Form::Value | Form::Struct | Form::Array => {}
        }
        if held.nil_items {
            self.types.notes().note_member(member, "field", "nil_items", "true");
        }
        self.note_dimensions(member, &held.dimensions);
        self.note_white_space(member, held);
        if let Some(Name { namespace, local }) = &held.declared {
            match **namespace == *SCHEMA[0] {
                true => self.note(member, "type", &format!("xsd:{local}")),
                false => {
                    self.note(member, "type", local);
                    self.note(member, "type_namespace", namespace);
                }
            }
        }
        for (word, value) in &held.facets {
            self.types.notes().note_member(member, "facet", word, value);
        }
    }

    /// Notes what becomes of blanks in texts; those at the ends of what is one of some texts never count.
    fn note_white_space(&mut self, member: MemberId, held: &Held) {
        let has_blanks = |values: &[Box<str>]| values.iter().any(|it| it.contains(' '));
        let is_text =
            held.kind == Some(Kind::Text) && self.types.values(held.of).is_none_or(has_blanks);
        if let Some(name) = held.white_space.name().filter(|_| is_text) {
            self.note(member, "white_space", name);
        }
    }

    /// Notes what an empty element stands for, where that is not what the member is without one (part 1, section 3.3.4).
    pub(super) fn note_empty(&mut self, member: MemberId, element: &Element, held: &Held) {
        let said = element.default.as_deref().or(element.fixed.as_deref());
        let said = said.and_then(|it| self.default(held, it)).filter(|it| !it.is_empty());
        if let Some(said) = said {
            self.note(member, "empty", &said);
        }
    }

    /// Notes how many dimensions arrays in each other have, the outermost last, if not all have one.
    fn note_dimensions(&mut self, member: MemberId, dimensions: &[usize]) {
        if dimensions.iter().any(|it| *it > 1) {
            let numbers: Vec<String> = dimensions.iter().map(usize::to_string).collect();
            self.note(member, "dimensions", &numbers.join(" "));
        }
    }

    /// Adds what becomes a member.
    pub(super) fn item(&mut self, members: &mut Members, item: &Item) -> Result<(), Problem> {
        match (&*item.arms, item.most) {
            ([], _) => Ok(()),
            ([Arm::Any(namespaces)], most) => {
                self.wildcard(members, namespaces, (item.least, most), &item.name);
                Ok(())
            }
            ([Arm::Element(id)], Some(1)) => self.element(members, *id, item.least > 0),
            ([Arm::Element(id)], most) => self.elements(members, *id, (item.least, most)),
            (arms, Some(1)) => {
                let choice = self.choice(&item.name, members, arms)?;
                // It has no element of its own: it is there if one of its arms is.
                let need = if item.least > 0 { Need::Required } else { Need::Implied };
                members.add(&item.name, choice, need);
                Ok(())
            }
            (arms, most) => {
                let choice = self.choice(&item.name, members, arms)?;
                let of = self.types.list(choice, None);
                let member = members.add(&item.name, of, of_list(item.least));
                self.note(member, "list", "arms");
                self.note_count(member, (item.least, most));
                Ok(())
            }
        }
    }

    /// Elements with text between them.
    pub(super) fn mixed(&mut self, members: &mut Members, items: &[Item]) -> Result<(), Problem> {
        let arms: Vec<Arm> = items.iter().flat_map(|it| it.arms.clone()).collect();
        let choice = self.types.declare("Content");
        let mut inside = Members::new(choice, &members.target);
        let text = self.types.scalar(Kind::Text);
        let names = self.element_names(&arms);
        inside.reserve(names.iter().map(|it| &**it));
        let member = inside.add("text", text, Need::Required);
        self.note(member, "kind", "text");
        inside.free();
        self.arms(&mut inside, &arms)?;
        inside.finish_as(self, Body::Choice);
        let of = self.types.list(choice, None);
        let member = members.add("content", of, Need::Implied);
        self.note(member, "list", "mixed");
        Ok(())
    }

    fn element_names(&self, arms: &[Arm]) -> Vec<Arc<str>> {
        let name = |it: &Arm| match it {
            Arm::Element(id) => Some(self.schemas.at(*id).name.local.clone()),
            Arm::Any(_) => None,
        };
        arms.iter().filter_map(name).collect()
    }

    fn choice(&mut self, name: &str, around: &Members, arms: &[Arm]) -> Result<TypeId, Problem> {
        let choice = self.types.declare(&type_name(name));
        let mut inside = Members::new(choice, &around.target);
        self.arms(&mut inside, arms)?;
        inside.finish_as(self, Body::Choice);
        Ok(choice)
    }

    fn arms(&mut self, inside: &mut Members, arms: &[Arm]) -> Result<(), Problem> {
        for arm in arms {
            match arm {
                Arm::Any(namespaces) => {
                    let of = self.types.scalar(Kind::Any);
                    let member = inside.add("any", of, Need::Required);
                    self.note_namespaces(inside, member, namespaces);
                }
                Arm::Element(id) => {
                    let element = self.schemas.at(*id);
                    let held = self.held_by(element)?;
                    let member = inside.add(&element.name.local, held.of, Need::Required);
                    inside.element_named(self, member, &element.name);
                    self.note_values(member, &held);
                    self.note_empty(member, element, &held);
                }
            }
        }
        Ok(())
    }

    fn held_by(&mut self, element: &'a Element) -> Result<Held, Problem> {
        match &element.fixed {
            Some(fixed) => match self.schemas.values(&element.of)? {
                Some(mut values) => {
                    values.fix(fixed);
                    Ok(self.declared_value(&element.of, values, &element.name.local))
                }
                None => self.held_unless(element.blocked, &element.of, &element.name.local),
            },
            None => self.held_unless(element.blocked, &element.of, &element.name.local),
        }
    }

    fn note_namespaces(&mut self, members: &mut Members, member: MemberId, namespaces: &str) {
        members.has_wildcard = true;
        if namespaces != "##any" {
            self.note(member, "namespace", namespaces);
        }
    }

    /// Notes how many items a list has.
    fn note_count(&mut self, member: MemberId, (least, most): Occurs) {
        let notes = self.types.notes();
        if least > 0 {
            notes.note_member(member, "facet", "min_items", &least.to_string());
        }
        if let Some(most) = most {
            notes.note_member(member, "facet", "max_items", &most.to_string());
        }
    }

    fn wildcard(
        &mut self,
        members: &mut Members,
        namespaces: &str,
        (least, most): Occurs,
        name: &str,
    ) {
        let any = self.types.scalar(Kind::Any);
        let member = match most {
            Some(1) => {
                let need = if least > 0 { Need::Required } else { Need::Optional };
                members.add(name, any, need)
            }
            _ => {
                let of = self.types.list(any, None);
                let member = members.add(name, of, Need::Implied);
                self.note_count(member, (least, most));
                member
            }
        };
        self.note_namespaces(members, member, namespaces);
    }

    /// An element that stands once at most.
    pub(crate) fn element(
        &mut self,
        members: &mut Members,
        id: ElementId,
        is_needed: bool,
    ) -> Result<(), Problem> {
        let element = self.schemas.at(id);
        if let Some((item, occurs)) = self.wrapped(element)? {
            let item = self.schemas.at(item);
            let held = self.held_by(item)?;
            if matches!(held.form, Form::Value | Form::Struct) {
                self.list(members, element, (is_needed, item, held, occurs));
                return Ok(());
            }
        }
        let held = self.held_by(element)?;
        let is_nillable =
            element.is_nillable || held.form == Form::Struct && self.is_endless(element)?;
        let may_be_nil = is_nillable && is_needed && held.form != Form::Any;
        // Of an element that is not there nothing is said; an empty one stands for its default.
        let default = element.default.as_deref().filter(|_| is_needed && !element.is_nillable);
        let default = default.and_then(|it| self.default(&held, it));
        let need = match (&default, is_needed && !may_be_nil) {
            (Some(_), _) => Need::Implied,
            (None, true) => Need::Required,
            (None, false) => Need::Optional,
        };
        let member = members.add(&element.name.local, held.of, need);
        members.element_named(self, member, &element.name);
        self.note_values(member, &held);
        if may_be_nil {
            self.note(member, "nillable", "true");
        }
        match default {
            Some(default) => {
                self.types.notes().note_member(member, "field", "default", &default);
            }
            None => self.note_empty(member, element, &held),
        }
        Ok(())
    }

    /// An element that is there, or one that stands for it if it is abstract.
    pub(crate) fn standing(&mut self, members: &mut Members, id: ElementId) -> Result<(), Problem> {
        match self.schemas.element_item(id, (1, Some(1))) {
            Some(item) if self.schemas.is_abstract(id) => self.item(members, &item),
            Some(_) => self.element(members, id, true),
            None => self.declared(id).map(|_| ()),
        }
    }

    /// An element around items.
    fn list(
        &mut self,
        members: &mut Members,
        element: &Element,
        (is_needed, item, held, occurs): (bool, &Element, Held, Occurs),
    ) {
        let (least, most) = occurs;
        let fixed = most.filter(|it| *it == least && least > 0);
        let of = self.types.list(held.of, fixed);
        let may_be_nil = is_needed && element.is_nillable;
        let need = if is_needed && !may_be_nil { Need::Required } else { Need::Optional };
        let member = members.add(&element.name.local, of, need);
        members.element_named(self, member, &element.name);
        self.note_values(member, &held);
        if held.form == Form::Struct || &*item.name.local != "item" {
            self.note(member, "entry", &item.name.local);
        }
        if may_be_nil {
            self.note(member, "nillable", "true");
        }
        if fixed.is_none() {
            self.note_count(member, occurs);
        }
    }

    /// An element that may stand several times.
    fn elements(
        &mut self,
        members: &mut Members,
        id: ElementId,
        occurs: Occurs,
    ) -> Result<(), Problem> {
        let element = self.schemas.at(id);
        // A list of structs without members has no form.
        let mut held = match self.is_empty(element)? {
            true => self.any(),
            false => self.held_by(element)?,
        };
        // How many values are in each is not how often it stands. No word says how many there are at least.
        let most = held.facets.iter().find(|it| matches!(it.0, "items" | "max_items"));
        let most =
            most.filter(|_| held.form == Form::Spaced).map(|it| ("max_items_inside", it.1.clone()));
        held.facets.retain(|it| !matches!(it.0, "items" | "min_items" | "max_items"));
        held.facets.extend(most);
        // That an item is nil is said of the elements alone.
        held.nil_items = false;
        let of = self.types.list(held.of, None);
        let member = members.add(&element.name.local, of, of_list(occurs.0));
        members.element_named(self, member, &element.name);
        self.note_values(member, &held);
        // One of arrays is an array of them.
        self.note_dimensions(member, &[&held.dimensions[..], &[1]].concat());
        if held.form == Form::Spaced {
            // Each item is a list in one text.
            let item = MemberId { of: held.of, index: 0 };
            self.note(item, "list", "spaced");
        }
        // Where content is encoded, else a list would be an array.
        let word = if self.is_encoded { "repeated" } else { "unwrapped" };
        self.note(member, "list", word);
        if element.is_nillable && held.form != Form::Any {
            self.types.notes().note_member(member, "field", "nil_items", "true");
        }
        self.note_count(member, occurs);
        Ok(())
    }

    /// The items of an array that is the whole document: elements called `item`, each of which may be nil.
    pub(super) fn items(&mut self, members: &mut Members, held: &Held, occurs: Occurs) {
        let of = self.types.list(held.of, None);
        let member = members.add("item", of, of_list(occurs.0));
        members.element_named(self, member, &Name::new("", "item"));
        self.note_values(member, held);
        self.note(member, "list", "unwrapped");
        self.types.notes().note_member(member, "field", "nil_items", "true");
        self.note_count(member, occurs);
    }

    /// What a value is that is not there, as a message has it.
    pub(super) fn default(&self, held: &Held, text: &str) -> Option<String> {
        if held.form != Form::Value || held.kind == Some(Kind::Bytes) {
            return None;
        }
        let kind = held.kind?;
        let text = held.white_space.apply(text);
        match self.types.values(held.of) {
            Some(values) => values.iter().any(|it| **it == *text).then(|| text.into_owned()),
            None => Value::parse(kind, &text).map(|_| text.into_owned()),
        }
    }
}
