//! Content of any name and shape: `xsd:any`, which has no name of its own and is any element that the
//! schema does not know where it stands (XML Schema part 1 section 3.10), and elements of `xsd:anyType`,
//! whose content is kept as it is. Either is one element as text, which declares all that it needs.

use std::borrow::Cow;

use trunkline_codec::xml::element::{declared, name_end};
use trunkline_codec::xml::{self, Event, Options, Parser};
use trunkline_message::{Any, Body as TypeBody, Entries, ErrorKind, Field, Fields, Holds, Kind};
use trunkline_message::{Limits, Need, Result, ScopeId, Shape as ScopeShape};

use crate::binding::{is_unwrapped, of_member};
use crate::decoder::Body;
use crate::entries::Run;
use crate::form::Form;
use crate::names::Name;
use crate::naming::Naming;
use crate::opening::{excerpt, shown};
use crate::paths::Step;
use crate::plan::{ListForm, Plan, ScopePlan, Shape, Slot};
use crate::unknown::instead;

/// A field that takes elements of other names than those known.
#[derive(Debug)]
pub(super) struct Wildcard {
    pub(super) component: u16,
    pub(super) field: u16,
    takes: NamespaceConstraint,
}

/// Elements of which namespaces are taken. An empty name is that of none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceConstraint {
    /// All: `##any`.
    All,
    /// All but this one, and none: `##other`.
    Others(Box<str>),
    /// These.
    Of(Vec<Box<str>>),
}

impl NamespaceConstraint {
    /// Reads what a note says where the target namespace is `own`.
    ///
    /// # Errors
    /// A word is none of XML Schema's, or there is none.
    pub fn parse(text: &str, own: &str) -> std::result::Result<Self, String> {
        let one = |word: &str| match word {
            "##targetNamespace" => Ok(own.into()),
            "##local" => Ok("".into()),
            word if word.starts_with("##") => Err(()),
            name => Ok(name.into()),
        };
        match text.trim_ascii() {
            "##any" => Ok(Self::All),
            "##other" => Ok(Self::Others(own.into())),
            "" => Err("xml(namespace = \"\") of an any, which says of none".into()),
            words => {
                let all: std::result::Result<_, ()> =
                    words.split_ascii_whitespace().map(one).collect();
                all.map(Self::Of).map_err(|()| {
                    let known = "##any, ##other, or any of ##local, ##targetNamespace and names";
                    format!("xml(namespace = {text:?}) of an any, which takes {known}")
                })
            }
        }
    }

    /// Does it take elements in this namespace?
    pub fn admits(&self, namespace: &str) -> bool {
        match self {
            Self::All => true,
            Self::Others(own) => !namespace.is_empty() && *namespace != **own,
            Self::Of(names) => names.iter().any(|it| **it == *namespace),
        }
    }

    /// Is there an element that both take?
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Of(names), other) | (other, Self::Of(names)) => {
                names.iter().any(|it| other.admits(it))
            }
            _ => true,
        }
    }
}

/// The elements that a member of content of any shape takes where its message is in the namespace
/// `own`, if it has no name of its own. None of other members, and of notes without a meaning.
pub fn namespace_constraint(
    layout: &trunkline_message::Layout,
    field: &Field,
    own: &str,
) -> Option<NamespaceConstraint> {
    let is_single = field.holds == Holds::Value(Kind::Any) && !is_named(layout, field);
    if !is_single && !is_run(layout, field) {
        return None;
    }
    let own = super::binding::type_namespace(layout, field.member.of).unwrap_or(own);
    NamespaceConstraint::parse(of_member(layout, field.member, "namespace").unwrap_or("##any"), own)
        .ok()
}

/// Is an element's name noted, with which content of any shape stands in it?
fn is_named(layout: &trunkline_message::Layout, field: &Field) -> bool {
    of_member(layout, field.member, "kind") == Some("element")
}

/// Does the field hold content of any shape, or a list of such?
fn holds_any(layout: &trunkline_message::Layout, field: &Field) -> bool {
    match field.holds {
        Holds::Value(kind) => kind == Kind::Any,
        Holds::Group(inner) => {
            let inner = layout.scope(inner);
            inner.shape == ScopeShape::Item && inner.fields[0].holds == Holds::Value(Kind::Any)
        }
        _ => false,
    }
}

/// Is it a list of elements of any name that has an element around them?
pub fn holds_wildcards(layout: &trunkline_message::Layout, field: &Field) -> bool {
    let is_list = matches!(field.holds, Holds::Group(_)) && holds_any(layout, field);
    is_list && !is_named(layout, field) && !is_run(layout, field)
}

/// Is it a list of lists of content of any shape?
fn holds_lists(layout: &trunkline_message::Layout, field: &Field) -> bool {
    let inner = field.holds.scope().map(|it| layout.scope(it));
    inner.filter(|it| it.shape == ScopeShape::Item).is_some_and(|inner| {
        let list = &inner.fields[0];
        list.holds.scope().is_some() && (holds_any(layout, list) || holds_lists(layout, list))
    })
}

/// Is it a list of elements of any name that stand in its place, with none around them? One that is
/// there though it is empty has an element, and so has one of a fixed number.
fn is_run(layout: &trunkline_message::Layout, field: &Field) -> bool {
    let is_list = matches!(field.holds, Holds::Group(_)) && holds_any(layout, field);
    let in_struct = || matches!(layout.schema().type_of(field.member.of).body, TypeBody::Struct(_));
    let is_plain = || field.need == Need::Implied && field.fixed.is_none() && in_struct();
    is_list && !is_named(layout, field) && (is_plain() || is_unwrapped(layout, field))
}

impl Naming<'_> {
    /// Does the field hold content of any shape, or a list of such?
    pub(super) fn holds_any(&self, field: &Field) -> bool {
        holds_any(self.layout, field)
    }

    /// Is it a list of elements of any name that stand in its place?
    pub(super) fn is_run_of_any(&self, field: &Field) -> bool {
        is_run(self.layout, field)
    }

    /// Has the content of any shape, which may be an item, an element's name?
    fn is_named_any(&self, id: ScopeId, index: usize) -> bool {
        let scope = self.layout.scope(id);
        match scope.place.filter(|_| scope.shape == ScopeShape::Item) {
            Some((around, list)) => is_named(self.layout, &self.layout.scope(around).fields[list]),
            None => is_named(self.layout, &scope.fields[index]),
        }
    }

    /// Is the field any element that is not known where it stands, or any number of them?
    pub(super) fn is_wildcard(&self, id: ScopeId, index: usize) -> bool {
        let field = &self.layout.scope(id).fields[index];
        match field.holds {
            Holds::Value(Kind::Any) => !self.is_named_any(id, index),
            _ => self.is_run_of_any(field),
        }
    }

    /// Which elements such a field takes; those in a list's element all.
    fn takes(&self, id: ScopeId, index: usize) -> std::result::Result<NamespaceConstraint, String> {
        let scope = self.layout.scope(id);
        let field = &scope.fields[index];
        if scope.shape == ScopeShape::Item {
            return Ok(NamespaceConstraint::All);
        }
        let own = super::binding::type_namespace(self.layout, field.member.of);
        let noted = of_member(self.layout, field.member, "namespace").unwrap_or("##any");
        NamespaceConstraint::parse(noted, own.unwrap_or(&self.options.namespace))
    }

    /// The fields of a scope that take elements of other names than those known.
    pub(super) fn wildcards(&self, id: ScopeId) -> Box<[Wildcard]> {
        let fields = 0..self.layout.scope(id).fields.len();
        let wildcards = fields.filter(|it| self.is_wildcard(id, *it)).map(|it| Wildcard {
            component: self.around(id, it),
            field: it as u16,
            takes: self.takes(id, it).unwrap_or(NamespaceConstraint::All),
        });
        wildcards.collect()
    }

    /// # Errors
    /// Content of any shape cannot stand so, or a note of it says nothing.
    pub(super) fn check_any(&self, id: ScopeId, index: usize) -> std::result::Result<(), String> {
        let layout = self.layout;
        let field = &layout.scope(id).fields[index];
        self.check_arms_of_list(field)?;
        if holds_lists(layout, field) && is_named(layout, field) {
            return Err("xml(element) of lists in a list of content of any shape".into());
        }
        let has_any = self.holds_any(field) || holds_lists(layout, field);
        if has_any && self.options.style.is_encoded() {
            return Err(
                "content of any shape, where content is encoded: literal styles have it".into()
            );
        }
        if !self.holds_any(field) {
            return Ok(());
        }
        let said = |word| of_member(layout, field.member, word);
        if let Some(kind) = said("kind").filter(|it| *it != "element") {
            return Err(format!("xml(kind = {kind:?}) of content of any shape"));
        }
        let is_item = layout.scope(id).shape == ScopeShape::Item;
        if is_item || self.is_named_any(id, index) {
            return Ok(());
        }
        let is_wildcard = self.is_wildcard(id, index);
        let idle: &[&str] = if is_wildcard { &["name", "entry", "form"] } else { &["entry"] };
        if let Some(word) = idle.iter().find(|it| said(it).is_some()) {
            let why = "of an any, which has no name of its own: xml(element) gives it one";
            return Err(format!("xml({word}) {why}"));
        }
        if is_wildcard && field.fixed.is_some() {
            return Err("an unwrapped list of a fixed number of elements of any name".into());
        }
        if is_wildcard { self.takes(id, index).map(|_| ()) } else { Ok(()) }
    }

    /// # Errors
    /// The elements of arms that stand beside others are of any name.
    fn check_arms_of_list(&self, field: &Field) -> std::result::Result<(), String> {
        let inner = field.holds.scope().filter(|_| self.is_of_arms(field));
        let has_any = |inner: ScopeId| {
            let arms = 0..self.layout.scope(inner).fields.len();
            arms.into_iter().any(|arm| self.is_wildcard(inner, arm))
        };
        match inner.is_some_and(has_any) {
            true => Err("xml(list = \"arms\") of a choice with an arm of any name".into()),
            false => Ok(()),
        }
    }

    /// # Errors
    /// Two fields beside each other would take the same element.
    pub(super) fn check_wildcards(&self, id: ScopeId) -> std::result::Result<(), (usize, String)> {
        let all = self.wildcards(id);
        for (count, one) in all.iter().enumerate() {
            let meets = |other: &&Wildcard| {
                other.component == one.component && other.takes.meets(&one.takes)
            };
            if let Some(first) = all[..count].iter().find(meets) {
                let first = &self.layout.scope(id).fields[usize::from(first.field)].name;
                let why = format!(
                    "elements of any name beside {first}, which takes the same: xml(namespace) parts them"
                );
                return Err((one.field.into(), why));
            }
        }
        Ok(())
    }
}

impl ScopePlan {
    /// May elements of names that are not known stand in a component?
    pub(super) fn has_wildcard(&self, component: u16) -> bool {
        self.wildcards.iter().any(|it| it.component == component)
    }

    /// The field that takes elements of this namespace in a component, if their names are not known there.
    pub(super) fn wildcard_for(&self, component: u16, namespace: &str) -> Option<u16> {
        self.wildcards.iter().find(|it| it.admits(component, namespace)).map(|it| it.field)
    }
}

impl Wildcard {
    fn admits(&self, component: u16, namespace: &str) -> bool {
        self.component == component && self.takes.admits(namespace)
    }
}

impl<'a, R: Form> Body<'a, R> {
    /// The field of a scope's component that takes the element just begun, which has no other's name.
    #[cold]
    pub(super) fn wildcard(
        &self,
        scope: &ScopePlan,
        component: u16,
        seen: &[u64],
        name: R::Name,
    ) -> Option<usize> {
        let namespace = self.reader.namespace_of(name);
        let takes = |it: &&Wildcard| {
            let field = usize::from(it.field);
            let is_free = seen[field / 64] >> (field % 64) & 1 == 0;
            let is_list = || scope.slots[field].shape == Shape::Run;
            it.admits(component, namespace) && (is_free || is_list())
        };
        scope.wildcards.iter().find(takes).map(|it| it.field.into())
    }

    /// The field of an entry that is the element just begun, which has no other's name.
    #[cold]
    pub(super) fn any_entry(&self, entry: &ScopePlan, name: R::Name) -> Option<Name> {
        let namespace = self.reader.namespace_of(name);
        let found = entry.wildcards.iter().find(|it| it.takes.admits(namespace));
        found.map(|it| Name::Field(it.field))
    }

    /// Is the present field of any shape?
    pub(super) fn is_any(&self) -> bool {
        self.plan.scopes[self.scope].slots[self.field].shape == Shape::Any
    }

    /// Is the field of a slot of any shape, or are the items of it that stand side by side?
    #[cold]
    pub(super) fn takes_any(&self, slot: &Slot) -> bool {
        slot.shape == Shape::Any || self.is_run_of_any(slot)
    }

    /// Are the items of an unwrapped list of any shape?
    pub(super) fn is_run_of_any(&self, slot: &Slot) -> bool {
        let inner = &self.plan.scopes[usize::from(slot.scope)];
        let is_item = || inner.shape == ScopeShape::Item && inner.slots[0].shape == Shape::Any;
        slot.shape == Shape::Run && slot.scope > 0 && is_item()
    }

    /// Reads a field of any shape, or one more item of it: the element whose start tag at `at` was just
    /// read. None of its attributes is looked at, since it is kept with all of them.
    #[inline(never)]
    pub(super) fn any_field<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        (field, at): (usize, usize),
        into: &mut F,
    ) -> Result<Step> {
        self.field = field;
        self.note_field(scope, seen, field, at)?;
        (self.begun, self.gap) = (at, None);
        into.decode_field(field, self)?;
        self.gap = None;
        self.leave_field(into);
        Ok(Step::Between(scope.slots[field].component))
    }

    /// Reads one more item of a list of elements of any name.
    #[inline(never)]
    pub(super) fn any_of_run<G: Entries>(&mut self, slot: &'a Slot, into: &mut G) -> Result<()> {
        let run = std::mem::replace(&mut self.run, Run::First);
        if run != Run::Again {
            into.clear();
        }
        if run == Run::Empty {
            return Ok(());
        }
        self.count_entry()?;
        let (plan, outer, field) = (self.plan, self.scope, self.field);
        (self.scope, self.field) = (slot.scope.into(), 0);
        let read = into.next_entry().decode_field(0, self);
        read.map_err(|error| plan.locate(error, outer, field))?;
        (self.scope, self.field) = (outer, field);
        Ok(())
    }

    /// Keeps the element just begun, up to and including its end tag.
    pub(super) fn any_element(&mut self, into: &mut Any) -> Result<()> {
        let at = self.begun;
        let text = into.element_mut();
        self.reader.raw(&[], text)?;
        if text.len() > self.limits.value_bytes {
            let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
            return Err(self.error(kind, at));
        }
        let counted = self.unknown.pending.count(text.len(), at);
        counted.map_err(|error| self.plan.locate(error, self.scope, self.field))
    }
}

/// The text of content of any shape at its place in a document.
///
/// # Errors
/// It is not one whole element that declares its prefixes, or would be read as something else there.
#[cold]
pub(super) fn written<'a>(
    plan: &Plan,
    (scope, field): (usize, usize),
    value: &'a Any,
) -> std::result::Result<Cow<'a, str>, ErrorKind> {
    let Some(text) = value.element() else {
        return Err(ErrorKind::Unwritable("octets are no element of XML"));
    };
    let (namespace, local) = whole(text)?;
    plan.check_place((scope, field), (&namespace, local))?;
    let has_default = plan.namespaces.unprefixed().is_some_and(|it| !it.is_empty());
    if !has_default || declared(text).contains("") {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = text.to_owned();
    text.insert_str(name_end(&text), " xmlns=\"\"");
    Ok(Cow::Owned(text))
}

/// The namespace and name of the element that a text is.
///
/// # Errors
/// It is not one, well-formed by itself, with nothing around it.
fn whole(text: &str) -> std::result::Result<(String, &str), ErrorKind> {
    let wrong = |why: &str| {
        let what = format!("one whole element that declares its prefixes: {why}");
        ErrorKind::Expected(what.into())
    };
    // A text in memory needs no limits.
    let most = usize::MAX;
    let limits =
        Limits { message_bytes: most, value_bytes: most, depth: most, ..Limits::default() };
    let limits = Limits { attributes: most, ..limits };
    let mut parser = Parser::new(Options::soap(), &limits);
    let failed =
        |error: xml::Error| wrong(&trunkline_message::Error::from(error).kind().to_string());
    parser.begin(text).map_err(failed)?;
    let first = parser.next(text).map_err(failed)?;
    let Event::Start { name, .. } = first else {
        return Err(wrong("it does not begin with an element"));
    };
    if !text.starts_with('<') || !text[1..].starts_with(name.qualified()) {
        return Err(wrong("it does not begin with an element"));
    }
    let namespace = parser.namespace_name(text, name.namespace).to_owned();
    parser.skip_element(text).map_err(failed)?;
    match parser.position() == text.len() {
        true => Ok((namespace, name.local())),
        false => Err(wrong("it goes on behind its end tag")),
    }
}

impl Plan {
    /// # Errors
    /// An element of this name, in place of a field, would be read as another.
    fn check_place(
        &self,
        (scope, field): (usize, usize),
        (namespace, local): (&str, &str),
    ) -> std::result::Result<(), ErrorKind> {
        // The items of a list that has no element stand in its place.
        let list =
            self.layout.scopes()[scope].place.map(|(around, list)| (usize::from(around.0), list));
        let is_run =
            |place: &(usize, usize)| self.scopes[place.0].slots[place.1].form == ListForm::Any;
        let (scope, field) = list.filter(is_run).unwrap_or((scope, field));
        let (scope, slot) = (&self.scopes[scope], &self.scopes[scope].slots[field]);
        let Some(wildcard) = scope.wildcards.iter().find(|it| usize::from(it.field) == field)
        else {
            let name = slot.name();
            let own = (
                self.namespaces.name(slot.namespace_number),
                name.rsplit(':').next().unwrap_or(&name),
            );
            return match own == (namespace, local) {
                true => Ok(()),
                false => {
                    Err(instead(&format!("<{}> of {}", own.1, shown(own.0)), local, namespace))
                }
            };
        };
        let mut beside = scope.names.all(slot.component, local.as_bytes());
        let is_known =
            beside.any(|(namespace_number, _)| self.namespaces.name(namespace_number) == namespace);
        match is_known || !wildcard.takes.admits(namespace) {
            true => {
                let why =
                    if is_known { "that is not known beside it" } else { "of its namespaces" };
                Err(instead(&format!("an element {why}"), excerpt(local), namespace))
            }
            false => Ok(()),
        }
    }
}
