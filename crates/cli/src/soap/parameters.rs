//! What a message has inside: its elements and attributes, by the paths that `soap call` takes.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use trunkline_message::{
    Component, Field, Holds, Layout, MemberId, Need, Scope, ScopeId, Shape, TypeId,
};
use trunkline_soap as soap;

use super::request::{step, steps_of};
use crate::output::plain;

/// The facet of the only values of what is no text.
const VALUES: &str = "values";

/// An element, an attribute, or a choice of elements.
pub(super) struct Parameter {
    /// How deep it is inside others.
    depth: usize,
    /// As `soap call` takes it; that of the element around for a choice.
    path: String,
    name: String,
    holds: String,
    /// How often it may be there; without end if there is no most.
    least: u64,
    most: Option<u64>,
    is_nillable: bool,
    facets: Vec<(String, String)>,
    /// Those that there are, of an enumeration.
    values: Vec<String>,
}

/// All that a message has inside, each behind what it is in.
pub(super) fn of(layout: &Layout, options: &soap::Options, is_encoded: bool) -> Vec<Parameter> {
    let mut walk = Walk { layout, options, is_encoded, shown: HashSet::new(), all: Vec::new() };
    walk.scope(ScopeId(0), "", 0);
    walk.all
}

impl Parameter {
    /// As a line, indented by so much more.
    pub(super) fn text(&self, indent: usize) -> String {
        let Self { depth, name, holds, least, most, is_nillable, facets, values, .. } = self;
        let often = match (least, most) {
            (1, Some(1)) => String::new(),
            (least, Some(most)) => format!("{least}..{most}"),
            (least, None) => format!("{least}..n"),
        };
        let name = format!("{:width$}{}", "", plain(name), width = indent + 2 * depth);
        let mut text = format!("{name:<38} {:<22} {often:<6}", plain(holds));
        if *is_nillable {
            text += " nillable";
        }
        for (word, value) in facets {
            text += &format!(" {word}={}", plain(value));
        }
        if !values.is_empty() {
            text += &format!(" {}", plain(&values.join(" | ")));
        }
        format!("{}\n", text.trim_end())
    }

    /// Asks whether an element that may be absent may be nil, by its names from the message's element on: the layout does not say
    /// that.
    pub(super) fn ask_nil(&mut self, is_nillable: impl Fn(&[&str]) -> bool) {
        let steps = steps_of(&self.path);
        let names: Vec<&str> = steps.iter().filter_map(|it| it.split('[').next()).collect();
        let is_element = self.least == 0 && names.last() == Some(&&*self.name);
        self.is_nillable |= is_element && is_nillable(&names);
    }

    /// For programs.
    pub(super) fn fact(&self) -> Value {
        let Self { path, name, holds, least, most, is_nillable, facets, values, depth } = self;
        let facets = facets.iter().map(|(word, value)| (word.clone(), json!(value)));
        json!({
            "depth": depth, "path": path, "name": name, "holds": holds, "least": least, "most": most,
            "is_nillable": is_nillable, "facets": Value::Object(Map::from_iter(facets)), "values": values,
        })
    }
}

struct Walk<'a> {
    layout: &'a Layout,
    /// Of the message's own element.
    options: &'a soap::Options,
    is_encoded: bool,
    /// What holds itself is shown where it stands first.
    shown: HashSet<ScopeId>,
    all: Vec<Parameter>,
}

/// Where something stands: the path of the element around, and the depth.
#[derive(Clone, Copy)]
struct At<'a> {
    around: &'a str,
    depth: usize,
    /// Is it one of several of which one is there?
    is_arm: bool,
}

impl At<'_> {
    fn path(self, name: &str) -> String {
        let step = step(name);
        match (self.around, step.starts_with('@')) {
            ("", _) => step,
            (around, true) => format!("{around}{step}"),
            (around, false) => format!("{around}.{step}"),
        }
    }
}

impl<'a> Walk<'a> {
    fn scope(&mut self, id: ScopeId, path: &str, depth: usize) {
        let scope = self.layout.scope(id);
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut components = scope.components.iter().peekable();
        for (index, field) in scope.fields.iter().enumerate() {
            open.retain(|it| it.0 > index);
            while let Some(component) = components.next_if(|it| it.fields.start <= index) {
                if !component.fields.is_empty() {
                    let around = open.last().map_or(path, |it| &it.1);
                    let is_arm = is_arm(scope, component.parent);
                    let at = At { around, depth: depth + open.len(), is_arm };
                    open.push((component.fields.end, self.component(component, at)));
                }
            }
            let around = open.last().map_or(path, |it| &it.1).to_owned();
            let is_arm = is_arm(scope, field.component);
            let at = At { around: &around, depth: depth + open.len(), is_arm };
            match field.component.map(|it| &scope.components[usize::from(it)]) {
                Some(choice) if soap::is_typed(self.layout, choice) => self.derived(field, at),
                _ => self.field(field, at),
            }
        }
    }

    /// Gives the path of what is inside.
    fn component(&mut self, component: &Component, at: At<'_>) -> String {
        let is_by_element = component.is_choice && !soap::is_typed(self.layout, component);
        let least = u64::from(component.need == Need::Required && !at.is_arm);
        if is_by_element {
            self.one_of(at, (least, Some(1)));
            return at.around.to_owned();
        }
        let name = soap::noted_name(self.layout, component.member).unwrap_or(&component.name);
        let (path, holds) = (at.path(name), component.type_name.to_string());
        let it = self.parameter(at, name, component.member, (least, Some(1)));
        self.all.push(Parameter { holds, ..it });
        path
    }

    fn one_of(&mut self, at: At<'_>, (least, most): (u64, Option<u64>)) {
        let name = match most {
            Some(1) => "one of these",
            _ => "any of these",
        };
        self.all.push(Parameter {
            depth: at.depth,
            path: at.around.to_owned(),
            name: name.to_owned(),
            holds: String::new(),
            least,
            most,
            is_nillable: false,
            facets: Vec::new(),
            values: Vec::new(),
        });
    }

    /// The arm of a choice by type: the element around is of this type.
    fn derived(&mut self, arm: &Field, at: At<'_>) {
        let path = at.around.to_owned();
        let it = Parameter { path, ..self.parameter(at, &arm.name, arm.member, (0, Some(1))) };
        let name = format!("of type {}", arm.name);
        self.put(Parameter { name, ..it }, arm.holds);
    }

    /// Has it to be there, with a value or nil?
    fn is_needed(&self, field: &Field, at: At<'_>) -> bool {
        let has_to_be_there = field.need == Need::Required || soap::is_nillable(self.layout, field);
        has_to_be_there && !at.is_arm
    }

    fn field(&mut self, field: &Field, at: At<'_>) {
        let layout = self.layout;
        let least = u64::from(self.is_needed(field, at));
        let own = soap::noted_name(layout, field.member).unwrap_or(&field.name);
        let is_by_schema = !self.is_encoded;
        if is_by_schema && soap::is_attribute(layout, field) {
            let name = format!("@{own}");
            let it = self.parameter(at, &name, field.member, (least, Some(1)));
            return self.put(it, field.holds);
        }
        if is_by_schema && soap::is_text(layout, field) {
            // The text of the message's own element has the name of that.
            let (path, is_nillable) = match at.around {
                "" => (step(&self.options.operation), self.options.nillable),
                around => (around.to_owned(), false),
            };
            let it = self.parameter(at, "(text)", field.member, (least, Some(1)));
            return self.put(Parameter { path, is_nillable, ..it }, field.holds);
        }
        let is_list = matches!(field.holds, Holds::Group(_) | Holds::List(_));
        if is_list && !(is_by_schema && soap::is_spaced(layout, field)) {
            return self.list(field, own, at);
        }
        match field.holds {
            Holds::Struct(inner) if self.is_choice_by_element(field.member, inner) => {
                self.one_of(at, (least, Some(1)));
                self.into(inner, at.around, at.depth + 1);
            }
            holds => {
                let it = self.parameter(at, own, field.member, (least, Some(1)));
                let is_nillable = soap::is_nillable(layout, field);
                self.put(Parameter { is_nillable, ..it }, holds);
            }
        }
    }

    /// Elements of one name, or of several, by themselves or in one around them.
    fn list(&mut self, field: &Field, own: &str, at: At<'_>) {
        let layout = self.layout;
        let count = |word| layout.notes().of_member(field.member, "facet", word);
        let count = |word| count(word).and_then(|it| it.parse::<u64>().ok());
        let fixed = field.fixed.map(u64::from);
        let is_needed = self.is_needed(field, at);
        let (least, most) = (fixed.or(count("min_items")), fixed.or(count("max_items")));
        let is_by_schema = !self.is_encoded;
        if let Holds::Group(inner) = field.holds
            && is_by_schema
            && (soap::is_of_arms(layout, field) || soap::is_mixed(layout, field))
        {
            self.one_of(at, (least.unwrap_or(u64::from(is_needed)), most));
            return self.into(inner, at.around, at.depth + 1);
        }
        let is_array = !is_by_schema && !soap::is_repeated(layout, field);
        if !is_array && soap::is_unwrapped(layout, field) {
            let name = soap::item_name(layout, field).unwrap_or(own);
            let least = least.unwrap_or(u64::from(is_needed));
            let it = self.parameter(at, name, field.member, (least, most));
            let (path, is_nillable) = (format!("{}[0]", it.path), field.nil_items);
            return self.items(Parameter { path, is_nillable, ..it }, field.holds);
        }
        let least = least.unwrap_or(0);
        let whole = self.parameter(at, own, field.member, (u64::from(is_needed), Some(1)));
        let around = whole.path.clone();
        let (facets, values) = (Vec::new(), Vec::new());
        let holds = if self.is_encoded { "array" } else { "list" };
        let is_nillable = soap::is_nillable(layout, field);
        self.all.push(Parameter { facets, values, holds: holds.into(), is_nillable, ..whole });
        let name = match field.holds {
            Holds::Group(inner) if layout.scope(inner).shape != Shape::Item => {
                soap::item_name(layout, field).unwrap_or(&layout.scope(inner).name)
            }
            _ => soap::item_name(layout, field).unwrap_or("item"),
        };
        let inside = At { around: &around, depth: at.depth + 1, is_arm: false };
        let it = self.parameter(inside, name, field.member, (least, most));
        let path = match self.is_encoded {
            true => format!("{around}[0]"),
            false => format!("{}[0]", it.path),
        };
        self.items(Parameter { path, is_nillable: field.nil_items, ..it }, field.holds);
    }

    /// Each item of a list.
    fn items(&mut self, item: Parameter, list: Holds) {
        match list {
            Holds::Group(inner) if self.layout.scope(inner).shape == Shape::Item => {
                let of = &self.layout.scope(inner).fields[0];
                match of.holds {
                    Holds::Group(_) | Holds::List(_) if !soap::is_spaced(self.layout, of) => {
                        let (around, depth) = (item.path.clone(), item.depth + 1);
                        self.all.push(Parameter { holds: "list".into(), ..item });
                        let at = At { around: &around, depth, is_arm: false };
                        let it = self.parameter(at, "item", of.member, (0, None));
                        let path = format!("{}[0]", it.path);
                        self.items(Parameter { path, ..it }, of.holds);
                    }
                    holds => self.put(item, holds),
                }
            }
            Holds::List(kind) => self.put(item, Holds::Value(kind)),
            holds => self.put(item, holds),
        }
    }

    /// Adds a line, with what is inside below.
    fn put(&mut self, it: Parameter, holds: Holds) {
        let layout = self.layout;
        let (path, depth) = (it.path.clone(), it.depth);
        match holds {
            Holds::Value(kind) => {
                self.all.push(Parameter { holds: kind.name().into(), ..it });
            }
            Holds::Enumeration(of) => {
                let values = layout.schema().values(of).iter().map(ToString::to_string).collect();
                let holds = self.type_name(of);
                self.all.push(Parameter { holds, values, ..it });
            }
            Holds::List(kind) => {
                self.all.push(Parameter { holds: format!("list of {}", kind.name()), ..it });
            }
            Holds::Group(inner) if layout.scope(inner).shape == Shape::Item => {
                let item = layout.type_name(&layout.scope(inner).fields[0]);
                self.all.push(Parameter { holds: format!("list of {item}"), ..it });
            }
            Holds::Group(inner) | Holds::Struct(inner) => {
                let name = layout.scope(inner).name.to_string();
                let above = if self.shown.contains(&inner) { ", as above" } else { "" };
                self.all.push(Parameter { holds: format!("{name}{above}"), ..it });
                self.into(inner, &path, depth + 1);
            }
        }
    }

    /// Shows a struct or choice that is not shown yet.
    fn into(&mut self, inner: ScopeId, path: &str, depth: usize) {
        if self.shown.insert(inner) {
            let scope = self.layout.scope(inner);
            let is_by_type = scope.shape == Shape::Choice
                && self
                    .layout
                    .field_of(inner)
                    .is_some_and(|it| soap::is_by_type(self.layout, it.member, scope.of));
            match is_by_type {
                true => {
                    let at = At { around: path, depth, is_arm: true };
                    scope.fields.iter().for_each(|it| self.derived(it, at));
                }
                false => self.scope(inner, path, depth),
            }
        }
    }

    fn is_choice_by_element(&self, member: MemberId, inner: ScopeId) -> bool {
        let scope = self.layout.scope(inner);
        scope.shape == Shape::Choice && !soap::is_by_type(self.layout, member, scope.of)
    }

    fn type_name(&self, of: TypeId) -> String {
        self.layout.schema().type_of(of).name.to_string()
    }

    /// One of which nothing is known yet but where it is, and what is said of its values.
    fn parameter(
        &self,
        at: At<'_>,
        name: &str,
        member: MemberId,
        (least, most): (u64, Option<u64>),
    ) -> Parameter {
        let notes = self.layout.notes().all_of_member(member);
        let is_shown = |it: &(&str, &str, &str)| match *it {
            ("facet", word, _) => !matches!(word, "min_items" | "max_items" | VALUES),
            ("field", word, _) => word == "default",
            _ => false,
        };
        let facets = notes.filter(is_shown).map(|(_, word, value)| (word.into(), value.into()));
        let values = self.layout.notes().of_member(member, "facet", VALUES);
        Parameter {
            depth: at.depth,
            path: at.path(name),
            name: name.to_owned(),
            holds: String::new(),
            least,
            most,
            is_nillable: false,
            facets: facets.collect(),
            values: values.map(|it| it.split(' ').map(str::to_owned).collect()).unwrap_or_default(),
        }
    }
}

/// Is what lies in this component the arm of a choice, or everything in the scope?
fn is_arm(scope: &Scope, around: Option<u16>) -> bool {
    let choice = around.map(|it| scope.components[usize::from(it)].is_choice);
    choice.unwrap_or(scope.shape == Shape::Choice)
}
