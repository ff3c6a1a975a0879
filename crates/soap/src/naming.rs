//! Which names the elements and attributes of a message have.

use std::collections::{HashMap, HashSet};

use trunkline_message::Need;
use trunkline_message::Shape as ScopeShape;
use trunkline_message::{
    Error, ErrorKind, Field, Holds, IntegerKind, Kind, MemberId, Result, ScopeId, TypeId,
};
use trunkline_wire::Literal;

use crate::binding::{
    check_component, check_member, check_type, entry_name, is_of_arms, is_repeated, is_spaced,
    is_unwrapped, item_name, noted_empty, noted_name, of_member,
};
use crate::dimensions::Dimensions;
use crate::namespaces::{Namespaces, Place};
use crate::options::{Layout, Options, Style, Version};
use crate::plan::{NONE, Shape};
use crate::qname::QName;
use crate::types::TypeNamespaces;

/// Attributes with a meaning of their own: a declaration (Namespaces in XML section 3), and a
/// reference to a value elsewhere (SOAP 1.1 section 5.4.1).
const TAKEN: [&str; 2] = ["xmlns", "href"];

pub(super) struct Naming<'a> {
    pub(super) layout: &'a trunkline_message::Layout,
    pub(super) options: &'a Options,
    pub(super) namespaces: Namespaces,
    pub(super) types: TypeNamespaces,
    /// Of arrays, where lists are such.
    pub(super) dimensions: Dimensions,
    /// May values stand in start tags, or as the text of an element with such a one?
    pub(super) in_tags: bool,
    /// May elements be written that are nil?
    pub(super) has_nil: bool,
}

impl<'a> Naming<'a> {
    /// With no namespaces yet but that of elements of which nothing is noted.
    pub(super) fn new(layout: &'a trunkline_message::Layout, options: &'a Options) -> Self {
        let namespaces = Namespaces::of_elements(options.element_namespace());
        let in_tags = options.attributes;
        let types = TypeNamespaces::default();
        // What is wrong in them is told by `check_notes`.
        let dimensions = Dimensions::new(layout).ok().filter(|_| options.has_arrays());
        let dimensions = dimensions.unwrap_or_default();
        let mut naming =
            Self { layout, options, namespaces, types, dimensions, in_tags, has_nil: false };
        let places = || {
            (0..layout.scopes().len() as u16).map(ScopeId).flat_map(|id| {
                let fields = layout.scope(id).fields.len();
                (0..fields).map(move |index| (id, index))
            })
        };
        let stands = |(id, index)| {
            matches!(naming.shape(id, index), Shape::Attribute | Shape::Text | Shape::Mixed)
        };
        naming.in_tags |= places().any(stands);
        naming.has_nil = places().any(|(id, index)| {
            naming.is_nil_written(id, index)
                || naming.is_nil_choice(id, index)
                || layout.scope(id).fields[index].nil_items
        });
        naming
    }

    /// With all namespaces.
    ///
    /// # Errors
    /// They are too many.
    pub(super) fn with_namespaces(mut self) -> Result<Self> {
        self.namespaces = Namespaces::new(&self)?;
        self.types = TypeNamespaces::new(&self);
        Ok(self)
    }
}

impl Naming<'_> {
    /// How the field is written.
    pub(super) fn shape(&self, id: ScopeId, index: usize) -> Shape {
        let field = &self.layout.scope(id).fields[index];
        let is_defaulted = field.default.is_some() || self.empty(field).is_some();
        let element = if is_defaulted { Shape::Defaulted } else { Shape::Value };
        match field.holds {
            Holds::Group(_) if self.is_mixed(field) => Shape::Mixed,
            Holds::Group(_) | Holds::List(_) if self.is_run(field) => Shape::Run,
            Holds::Group(_) | Holds::List(_) if self.dimensions.is_row(id) => Shape::Run,
            Holds::Value(Kind::Any) => Shape::Any,
            Holds::Group(_) | Holds::List(_) if self.is_spaced(field) => match self.kind(field) {
                Some("attribute") => Shape::Attribute,
                _ => Shape::Value,
            },
            Holds::Value(_) | Holds::Enumeration(_) if self.is_bare(id) => Shape::Bare,
            Holds::Group(_) => Shape::Group,
            Holds::Struct(_) => Shape::Struct,
            Holds::List(_) => Shape::List,
            Holds::Value(_) | Holds::Enumeration(_) => match self.kind(field) {
                Some("text") if self.is_text_arm(id, index) && !self.is_mixed_scope(id) => {
                    Shape::Value
                }
                Some("text") => Shape::Text,
                Some("element") => element,
                None if !self.options.attributes || self.is_chosen(id, index) => element,
                _ => Shape::Attribute,
            },
        }
    }

    /// What was noted of an empty element of a field that is no default of the field itself.
    pub(super) fn empty(&self, field: &Field) -> Option<&str> {
        noted_empty(self.layout, field.member).filter(|_| field.default.is_none())
    }

    /// What was noted of the kind of a field.
    fn kind(&self, field: &Field) -> Option<&str> {
        let noted = of_member(self.layout, field.member, "kind");
        noted.filter(|_| !self.options.style.is_encoded())
    }

    /// Is the field written as an element that is nil where it is absent?
    pub(super) fn is_nil_written(&self, id: ScopeId, index: usize) -> bool {
        let field = &self.layout.scope(id).fields[index];
        let noted = of_member(self.layout, field.member, "nillable");
        field.need == Need::Optional && noted == Some("true") && self.may_be_nil(id, index)
    }

    /// Is it the first arm of a choice by type whose element is nil where there is none?
    pub(super) fn is_nil_choice(&self, id: ScopeId, index: usize) -> bool {
        let scope = self.layout.scope(id);
        let choice = self.typed_around(id, &scope.fields[index]).filter(|_| self.leads(id, index));
        choice.map(|it| &scope.components[it]).is_some_and(|choice| {
            let noted = of_member(self.layout, choice.member, "nillable") == Some("true");
            noted && choice.need != Need::Required
        })
    }

    /// Are there attributes of XML Schema's own, nil or types?
    pub(super) fn has_xsi(&self) -> bool {
        self.options.types || self.has_nil || !self.types.is_empty()
    }

    /// Are types of XML Schema named?
    pub(super) fn has_xsd(&self) -> bool {
        self.options.types || self.types.has_schema()
    }

    /// May the field have an element that is nil?
    fn may_be_nil(&self, id: ScopeId, index: usize) -> bool {
        let shape = self.shape(id, index);
        let is_element = !matches!(
            shape,
            Shape::Attribute | Shape::Text | Shape::Run | Shape::Mixed | Shape::Any
        );
        is_element && !self.is_chosen(id, index)
    }

    pub(super) fn is_noted_attribute(&self, id: ScopeId, index: usize) -> bool {
        self.kind(&self.layout.scope(id).fields[index]) == Some("attribute")
    }

    /// The namespace of a member's element or attribute.
    pub(super) fn namespace_of(&self, member: MemberId, is_attribute: bool) -> &str {
        let options = self.options;
        if options.style.is_encoded() {
            return options.element_namespace();
        }
        let is_default = options.style == Style::DocumentLiteral && options.qualified;
        super::binding::namespace_of(
            self.layout,
            member,
            is_attribute,
            (&options.namespace, is_default),
        )
    }

    /// Do the items of a list stand in one text?
    fn is_spaced(&self, field: &Field) -> bool {
        is_spaced(self.layout, field) && !self.options.style.is_encoded()
    }

    /// Is what a scope describes an item of such a list?
    fn is_bare(&self, id: ScopeId) -> bool {
        let list = self.layout.field_of(id).filter(|list| self.is_spaced(list));
        self.layout.scope(id).shape == ScopeShape::Item && list.is_some()
    }

    /// Have the entries of a list no element around all of them? Arrays of the encoding have.
    fn is_run(&self, field: &Field) -> bool {
        is_unwrapped(self.layout, field)
            && (!self.options.has_arrays() || is_repeated(self.layout, field))
            || self.is_of_arms(field)
            || self.is_run_of_any(field)
    }

    /// Do the elements of the arms of a list stand beside others? Where content is by the encoding
    /// rules, and in flat and compact forms, whose names would meet, they stand in that of the list.
    pub(super) fn is_of_arms(&self, field: &Field) -> bool {
        let options = self.options;
        let is_by_names = options.flat || options.compact_tags || options.style.is_encoded();
        is_of_arms(self.layout, field) && !is_by_names
    }

    /// Is it an arm or an item? Those are elements whatever other values are: an element is what says
    /// that it was chosen, or that it is another item.
    fn is_chosen(&self, id: ScopeId, index: usize) -> bool {
        let scope = self.layout.scope(id);
        let component = scope.fields[index].component.map(|it| &scope.components[usize::from(it)]);
        scope.shape != ScopeShape::Struct || component.is_some_and(|it| it.is_choice)
    }

    /// The element that a field stands in: a component, or [`NONE`] for the scope's own. A choice has
    /// none, so its arms stand in that around it.
    pub(super) fn around(&self, scope: ScopeId, index: usize) -> u16 {
        let scope = self.layout.scope(scope);
        let mut component = scope.fields[index].component.filter(|_| !self.options.flat);
        while let Some(choice) = component.map(|it| &scope.components[usize::from(it)])
            && choice.is_choice
        {
            component = choice.parent;
        }
        component.unwrap_or(NONE)
    }

    /// What a field's element is called by itself.
    fn own_name(&self, id: ScopeId, field: &Field) -> String {
        if self.layout.scope(id).shape == ScopeShape::Item {
            return self.item(id);
        }
        if let Some(choice) = self.typed_around(id, field) {
            return self.component(id, choice);
        }
        let own = || noted_name(self.layout, field.member).unwrap_or(&field.name);
        match self.is_run(field) {
            true => item_name(self.layout, field).unwrap_or_else(own).to_owned(),
            false => own().to_owned(),
        }
    }

    /// The name of the elements of a list whose items this scope describes, which have one field.
    fn item(&self, id: ScopeId) -> String {
        let Some((around, index)) = self.layout.scope(id).place else { return "item".into() };
        let list = &self.layout.scope(around).fields[index];
        match (self.is_run(list), self.options.compact_tags) {
            (true, true) => self.compact(around, index),
            (true, false) => self.fields(around).swap_remove(index),
            (false, true) => "item".into(),
            (false, false) => item_name(self.layout, list).unwrap_or("item").to_owned(),
        }
    }

    /// # Errors
    /// A note is no name or no word that is known, or stands where it means nothing.
    pub(super) fn check_notes(&self) -> Result<()> {
        Dimensions::new(self.layout)?;
        for (index, of) in self.layout.schema().types().iter().enumerate() {
            let checked = check_type(self.layout, TypeId(index as u32));
            checked.map_err(|what| unsupported(what).within(&of.name))?;
        }
        for (index, scope) in self.layout.scopes().iter().enumerate() {
            let id = ScopeId(index as u16);
            for component in &scope.components {
                let checked = check_component(self.layout, component);
                checked.map_err(|what| unsupported(what).within(&component.name))?;
            }
            for (at, field) in scope.fields.iter().enumerate() {
                let checked = check_member(self.layout, field.member);
                let checked = checked.and_then(|()| self.check_list(id, field));
                let checked = checked.and_then(|()| self.check_kind(id, at));
                let checked = checked.and_then(|()| self.check_mixed(id, at));
                let checked = checked.and_then(|()| self.check_nil(id, at));
                let checked = checked.and_then(|()| self.check_run(id, field));
                let checked = checked.and_then(|()| self.check_any(id, at));
                checked.map_err(|what| scope.locate(unsupported(what), at))?;
            }
            let located = |(at, what)| match scope.fields.get(at) {
                Some(_) => scope.locate(unsupported(what), at),
                None => unsupported(what).within(&scope.name),
            };
            self.check_types(id).map_err(located)?;
            self.check_wildcards(id).map_err(located)?;
        }
        Ok(())
    }

    /// # Errors
    /// Two elements beside each other would have the same name: an arm's, which stands where its choice
    /// does, or that of an unwrapped list.
    pub(super) fn check(&self) -> Result<()> {
        let message = self.layout.scope(ScopeId(0));
        if self.options.layout == Layout::Nothing && !message.fields.is_empty() {
            return Err(message.locate(unsupported("a field of an empty Body".to_owned()), 0));
        }
        for (index, scope) in self.layout.scopes().iter().enumerate() {
            let id = ScopeId(index as u16);
            if self.options.flat || self.options.compact_tags {
                continue;
            }
            let components =
                (0..scope.components.len()).filter(|it| !scope.components[*it].is_choice);
            let components =
                components.map(|it| self.place_of_component(id, it, self.component(id, it)));
            let mut known: HashSet<Place> = components.collect();
            for (at, field) in scope.fields.iter().enumerate() {
                let name = self.own_name(id, field);
                let is_nameless = self.shape(id, at) == Shape::Mixed
                    || self.is_typed_scope(id)
                    || self.is_wildcard(id, at);
                if is_nameless || self.follows(id, at) {
                    continue;
                }
                let places = match field.holds.scope().filter(|_| self.is_of_arms(field)) {
                    Some(inner) => self.places_of_arms((id, at), inner),
                    None => vec![self.place(id, at, name)],
                };
                let twice = places.into_iter().find(|it| !known.insert(it.clone()));
                if let Some((.., name)) = twice {
                    let what = format!("two elements {name} beside each other in XML");
                    return Err(scope.locate(unsupported(what), at));
                }
            }
        }
        Ok(())
    }

    /// Can it be an attribute, or the text of its element?
    fn check_kind(&self, id: ScopeId, index: usize) -> Result<(), String> {
        let scope = self.layout.scope(id);
        let kind = of_member(self.layout, scope.fields[index].member, "kind");
        let is_text = kind == Some("text") && self.is_text_arm(id, index);
        let Some(kind) = kind.filter(|it| *it != "element" && !is_text) else { return Ok(()) };
        let field = &scope.fields[index];
        let is_value = matches!(field.holds, Holds::Value(_) | Holds::Enumeration(_))
            || kind == "attribute" && is_spaced(self.layout, field);
        if !is_value || self.is_chosen(id, index) {
            return Err(format!("xml(kind = {kind:?}) of what is no single value of a struct"));
        }
        match self.shape(id, index) == Shape::Text && self.has_others(id, index) {
            true => Err("xml(kind = \"text\") beside elements".into()),
            false => Ok(()),
        }
    }

    /// Are there others than attributes beside the field, in the element around it?
    pub(super) fn has_others(&self, id: ScopeId, index: usize) -> bool {
        let scope = self.layout.scope(id);
        let place = self.around(id, index);
        let is_other = |it: usize| {
            it != index && self.around(id, it) == place && self.shape(id, it) != Shape::Attribute
        };
        let is_inside = || scope.components.iter().any(|it| it.parent.unwrap_or(NONE) == place);
        let in_flat = || self.options.flat && !scope.components.is_empty();
        (0..scope.fields.len()).any(is_other) || is_inside() || in_flat()
    }

    fn check_nil(&self, id: ScopeId, index: usize) -> Result<(), String> {
        let field = &self.layout.scope(id).fields[index];
        let noted = of_member(self.layout, field.member, "nillable") == Some("true");
        let is_element = || match field.holds {
            Holds::Group(inner) => match self.layout.scope(inner).shape {
                ScopeShape::Choice => self.is_typed_scope(inner),
                ScopeShape::Struct => true,
                ScopeShape::Item => {
                    let item = self.layout.scope(inner).fields[0].holds;
                    item != Holds::Value(Kind::Any) && !self.is_spaced(field)
                }
            },
            _ => false,
        };
        if field.nil_items && !is_element() {
            return Err("field(nil_items) of a list whose items are no elements of one name".into());
        }
        // A preset may make an attribute of it.
        let may = self.may_be_nil(id, index) || self.options.attributes;
        match noted && !may {
            true => Err("xml(nillable) of what is no element of its own".into()),
            false => Ok(()),
        }
    }

    /// Without elements of components, an empty list without an element around it does not show that
    /// the component is present.
    fn check_run(&self, id: ScopeId, field: &Field) -> Result<(), String> {
        let components = &self.layout.scope(id).components;
        let mut around = field.component.map(|it| &components[usize::from(it)]);
        while let Some(component) = around.filter(|it| it.need == Need::Required) {
            around = component.parent.map(|it| &components[usize::from(it)]);
        }
        let is_written =
            !self.options.flat || field.need != Need::Required || field.fixed.is_some();
        match is_written || around.is_none() || !self.is_run(field) {
            true => Ok(()),
            false => Err("an unwrapped list that has to be there, in a component that may be \
                          absent and has no element"
                .into()),
        }
    }

    fn check_list(&self, id: ScopeId, field: &Field) -> Result<(), String> {
        match of_member(self.layout, field.member, "list") {
            None => {}
            Some("unwrapped" | "repeated") if is_unwrapped(self.layout, field) => {}
            // See `check_mixed`.
            Some("mixed") => {}
            Some("arms") if is_of_arms(self.layout, field) && field.fixed.is_none() => {}
            Some("arms") => {
                let what = "of what is no list of choices by element, of any number, in a struct";
                return Err(format!("xml(list = \"arms\") {what}"));
            }
            Some(word @ ("unwrapped" | "repeated")) => {
                return Err(format!("xml(list = {word:?}) of what is no list in a struct"));
            }
            Some("spaced") if is_spaced(self.layout, field) => {}
            Some("spaced") => {
                return Err("xml(list = \"spaced\") of what is no list of single values".into());
            }
            Some(other) => return Err(format!("the note xml(list = {other:?})")),
        }
        // Lists that hold themselves may share the scope of their items.
        let Holds::Group(inner) = field.holds else { return Ok(()) };
        let first = self.layout.field_of(inner).filter(|first| first.member != field.member);
        match first {
            Some(first) if self.layout.scope(inner).shape == ScopeShape::Item => {
                let names = |it: &Field| (self.is_run(it), self.own_name(id, it));
                let is_apart = |it: &Field| self.is_run(it) || self.is_spaced(it);
                let same = !is_apart(first)
                    && !is_apart(field)
                    && item_name(self.layout, first) == item_name(self.layout, field);
                let spaced = self.is_spaced(first) && self.is_spaced(field);
                match same || spaced || names(first) == names(field) && !self.is_spaced(field) {
                    true => Ok(()),
                    false => Err("other names of entries than in another list of the type".into()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Of every field of a scope; each is unique in the element that the field stands in.
    pub(super) fn fields(&self, id: ScopeId) -> Vec<String> {
        let scope = self.layout.scope(id);
        if self.options.compact_tags {
            return (0..scope.fields.len()).map(|index| self.compact(id, index)).collect();
        }
        let mut names: Vec<String> = match self.options.flat {
            true => self.prefixed(id),
            false => scope.fields.iter().map(|field| self.own_name(id, field)).collect(),
        };
        let places = names.iter().enumerate().map(|(at, name)| self.place(id, at, name.clone()));
        let mut all: HashSet<Place> = places.collect();
        let mut passed = HashSet::new();
        for (index, name) in names.iter_mut().enumerate() {
            let place = |name: &String| self.place(id, index, name.clone());
            let is_attribute = self.shape(id, index) == Shape::Attribute;
            // What is noted of an attribute is its name by schema.
            let is_noted = self.is_noted_attribute(id, index);
            let is_taken = is_attribute && !is_noted && TAKEN.contains(&&**name);
            if self.follows(id, index) {
                continue;
            }
            if passed.insert(place(name)) && !is_taken {
                continue;
            }
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let mut free = numbered.filter(|name| all.insert(place(name)));
            *name = free.next().expect("one of all numbers");
        }
        for index in 0..names.len() {
            if let Some(lead) = self.lead(id, index) {
                names[index] = names[lead].clone();
            }
        }
        names
    }

    /// Names with those of components in front, from the innermost outwards, as many as tell
    /// a name from others of the scope.
    fn prefixed(&self, id: ScopeId) -> Vec<String> {
        let scope = self.layout.scope(id);
        let mut names: Vec<String> = scope.fields.iter().map(|it| self.own_name(id, it)).collect();
        // The name of an arm that `xsi:type` selects is its choice's.
        let outside = |it: &Field| match self.typed_around(id, it) {
            Some(choice) => scope.components[choice].parent,
            None => it.component,
        };
        let mut outside: Vec<Option<u16>> = scope.fields.iter().map(outside).collect();
        let is_counted: Vec<bool> =
            (0..names.len()).map(|index| !self.follows(id, index)).collect();
        loop {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for (name, _) in names.iter().zip(&is_counted).filter(|(_, counts)| **counts) {
                *counts.entry(name.clone()).or_default() += 1;
            }
            let mut done = true;
            let counted = names.iter_mut().zip(&mut outside).zip(&is_counted);
            for ((name, outside), _) in counted.filter(|(_, counts)| **counts) {
                let repeated = counts[&**name] > 1;
                if let Some(component) = outside.filter(|_| repeated) {
                    let component = &scope.components[usize::from(component)];
                    name.insert_str(0, &component.name);
                    *outside = component.parent;
                    done = false;
                }
            }
            if done {
                return names;
            }
        }
    }

    /// A short name is the field's number, which is FIX's, as the business has no others.
    fn compact(&self, scope: ScopeId, index: usize) -> String {
        let field = &self.layout.scope(scope).fields[index];
        if self.layout.scope(scope).shape == ScopeShape::Item {
            return self.item(scope);
        }
        if let Some(choice) = self.typed_around(scope, field) {
            return self.component(scope, choice);
        }
        match (field.holds, self.layout.notes().of_member(field.member, "fix", "tag")) {
            (Holds::Group(_), Some(tag)) => format!("g{tag}"),
            (_, Some(tag)) => format!("f{tag}"),
            (_, None) => format!("n{index}"),
        }
    }

    pub(super) fn component(&self, scope: ScopeId, index: usize) -> String {
        match self.options.compact_tags {
            false => {
                let component = &self.layout.scope(scope).components[index];
                noted_name(self.layout, component.member).unwrap_or(&component.name).to_owned()
            }
            true => format!("c{index}"),
        }
    }

    /// Of the message, or of a group's entry.
    pub(super) fn entry(&self, scope: ScopeId) -> String {
        match self.options.compact_tags {
            false => entry_name(self.layout, scope).to_owned(),
            true => format!("e{}", scope.0),
        }
    }

    /// Local name of the element that is the message.
    pub(super) fn root(&self) -> String {
        match self.options.layout {
            Layout::Message => self.entry(ScopeId(0)),
            Layout::Operation | Layout::Fragment => self.options.operation.clone(),
            Layout::Body => "Body".to_owned(),
            Layout::Nothing => String::new(),
        }
    }

    /// The start tag of an element that is not a field, up to where attributes may stand, and of which this is the type.
    pub(super) fn start(&self, name: &str, of: &QName) -> Literal {
        let end = if self.in_tags { "" } else { ">" };
        let of_type = match self.options.has_arrays() {
            true => format!(" xsi:type=\"{}\"", self.written_as_type(of)),
            false => String::new(),
        };
        Literal::new(format!("<{name}{of_type}{end}").as_bytes())
    }

    /// Of the entry of a list of structs or choices.
    pub(super) fn entry_of(&self, field: &Field, inner: ScopeId) -> String {
        match item_name(self.layout, field).filter(|_| !self.options.compact_tags) {
            Some(name) => name.to_owned(),
            None if self.options.compact_tags => format!("e{}", inner.0),
            None => self.layout.scope(inner).name.to_string(),
        }
    }

    /// The start tag of the element of what a field holds, or each item of the lists in it; that of an array up to the count.
    pub(super) fn field_start(&self, name: &str, holds: Holds, of: (ScopeId, usize)) -> String {
        let items = match holds {
            Holds::Value(_) | Holds::Enumeration(_) => {
                return format!("<{name}{}>", self.type_of(holds, of));
            }
            _ if !self.is_array(holds) => return format!("<{name}>"),
            Holds::List(_) | Holds::Group(_) | Holds::Struct(_) => self.type_of_items(holds, of),
        };
        let attributes = match self.options.version {
            Version::Soap11 => format!("SOAP-ENC:arrayType=\"{items}["),
            Version::Soap12 => format!("SOAP-ENC:itemType=\"{items}\" SOAP-ENC:arraySize=\""),
        };
        format!("<{name} xsi:type=\"SOAP-ENC:Array\" {attributes}")
    }

    /// Is a list an array of the encoding? One of choices by element is not: the elements show by their
    /// names which arm each is, and those of an array's items mean nothing (SOAP 1.1 section 5.1).
    pub(super) fn is_array(&self, holds: Holds) -> bool {
        self.options.has_arrays()
            && match holds {
                Holds::List(_) => true,
                Holds::Group(inner) => {
                    let is_choice = self.layout.scope(inner).shape == ScopeShape::Choice;
                    !is_choice || self.is_typed_scope(inner)
                }
                Holds::Value(_) | Holds::Enumeration(_) | Holds::Struct(_) => false,
            }
    }

    /// The type of the items of an array. SOAP 1.2 has no name for arrays of something.
    fn type_of_items(&self, holds: Holds, of: (ScopeId, usize)) -> String {
        let value_type = |holds| self.written_as_type(&self.value_type(holds, of));
        let inner = match self.dimensions.held(self.layout, holds) {
            Holds::Group(inner) if self.is_typed_scope(inner) => {
                return self.declared_type_written(inner);
            }
            Holds::Group(inner) => self.layout.scope(inner),
            holds => return value_type(holds),
        };
        let item = (inner.shape == ScopeShape::Item).then(|| inner.fields[0].holds);
        match (item, self.options.version) {
            (None, _) => self.written_as_type(&self.own_type(inner.of)),
            (Some(value @ (Holds::Value(_) | Holds::Enumeration(_))), _) => value_type(value),
            (Some(list), _) if !self.is_array(list) => "xsd:anyType".into(),
            (Some(list), Version::Soap11) => {
                let commas = ",".repeat(self.dimensions.of(list) - 1);
                format!("{}[{commas}]", self.type_of_items(list, of))
            }
            (Some(_), Version::Soap12) => "SOAP-ENC:Array".into(),
        }
    }

    /// The attribute `xsi:type` of a value, if that is wanted. The message's own types have
    /// names where structs have the attribute, too.
    fn type_of(&self, holds: Holds, of: (ScopeId, usize)) -> String {
        let is_own =
            matches!(holds, Holds::Enumeration(_)) && self.noted_type(of.0, of.1).is_none();
        match self.options.types && (!is_own || self.options.has_arrays()) {
            true => {
                let name = self.value_type(holds, of);
                format!(" xsi:type=\"{}\"", self.written_as_type(&name))
            }
            false => String::new(),
        }
    }
}

fn unsupported(what: String) -> Error {
    Error::new(ErrorKind::Unsupported(what.into()), 0)
}

/// The type of XML Schema for values of a kind, such as `xsd:int`.
pub fn xsd_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "xsd:boolean",
        Kind::Integer(IntegerKind::I8) => "xsd:byte",
        Kind::Integer(IntegerKind::I16) => "xsd:short",
        Kind::Integer(IntegerKind::I32) => "xsd:int",
        Kind::Integer(IntegerKind::I64) => "xsd:long",
        Kind::Integer(IntegerKind::U8) => "xsd:unsignedByte",
        Kind::Integer(IntegerKind::U16) => "xsd:unsignedShort",
        Kind::Integer(IntegerKind::U32) => "xsd:unsignedInt",
        Kind::Integer(IntegerKind::U64) => "xsd:unsignedLong",
        Kind::Decimal => "xsd:decimal",
        Kind::BigInteger => "xsd:integer",
        Kind::BigDecimal => "xsd:decimal",
        Kind::Float32 => "xsd:float",
        Kind::Float64 => "xsd:double",
        Kind::Duration => "xsd:duration",
        Kind::Text | Kind::Code => "xsd:string",
        Kind::Bytes => "xsd:base64Binary",
        Kind::Date => "xsd:date",
        Kind::Time => "xsd:time",
        Kind::Timestamp => "xsd:dateTime",
        Kind::Any => "xsd:anyType",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the fields with these paths, such as `Header/Sender/CompID`.
    fn names(paths: &[&str], options: Options) -> Vec<String> {
        let mut builder = trunkline_message::Layout::builder("M");
        for path in paths {
            let mut steps: Vec<&str> = path.split('/').collect();
            let name = steps.pop().unwrap();
            for step in &steps {
                builder.begin_component(step, Need::Implied);
            }
            builder.field(name, Kind::Text, Need::Optional);
            for _ in &steps {
                builder.end();
            }
        }
        let layout = builder.build().unwrap();
        Naming::new(&layout, &options).fields(ScopeId(0))
    }

    #[test]
    fn names_take_as_many_components_in_front_as_tell_them_apart() {
        let flat = |paths: &[&str]| names(paths, Options { flat: true, ..Options::default() });
        assert_eq!(flat(&["A/x", "B/y", "z"]), ["x", "y", "z"]);
        assert_eq!(
            flat(&["H/Sender/ID", "G/Target/ID", "ID", "H2/Time"]),
            ["SenderID", "TargetID", "ID", "Time"]
        );
        assert_eq!(flat(&["Buy/Party/ID", "Sell/Party/ID"]), ["BuyPartyID", "SellPartyID"]);
        // A prefixed name meets another one.
        assert_eq!(flat(&["A/x", "B/x", "Bx", "C/Bx"]), ["Ax", "Bx", "Bx-2", "CBx"]);
        assert_eq!(flat(&["Ab/c", "A/bc", "X/c", "Y/bc"]), ["Abc", "Abc-2", "Xc", "Ybc"]);
        assert_eq!(flat(&["A/x", "B/x", "Ax", "Ax-2"]), ["Ax", "Bx", "Ax-3", "Ax-2"]);
    }
    #[test]
    fn attributes_leave_names_with_a_meaning_of_their_own_alone() {
        let paths = ["xmlns", "href", "xmlns-2", "id", "A/href", "B/href"];
        assert_eq!(names(&paths, Options::default())[..2], ["xmlns", "href"]);
        let attributes = Options { attributes: true, ..Options::default() };
        let expected = ["xmlns-3", "href-2", "xmlns-2", "id", "href-2", "href-2"];
        assert_eq!(names(&paths, attributes.clone()), expected);
        let expected = ["xmlns-3", "href-2", "xmlns-2", "id", "Ahref", "Bhref"];
        assert_eq!(names(&paths, Options { flat: true, ..attributes }), expected);
    }
}
