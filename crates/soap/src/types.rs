//! Choices by type: one element, whose `xsi:type` names the arm (XML Schema part 1 section 2.6.1). So
//! are derived types written where their base is declared, and values of any type.
//!
//! A choice that lies in the positions of a struct has a whole start tag for each arm. One that has a
//! scope by itself stands in elements of several names, if it holds itself: there the tag is left open,
//! and the arm's type ends it.

use std::ops::Range;

use trunkline_codec::infoset::Tag;
use trunkline_message::{Entries, Error, ErrorKind, Fields, Holds, Kind, Result, ScopeId};
use trunkline_message::{Field, Layout, Shape as ScopeShape};
use trunkline_wire::Literal;

use crate::attributes::type_name;
use crate::binding::{NO_CHOICE, is_by_type, is_declared_type, is_typed, of_member, of_type};
use crate::container::Container;
use crate::decoder::Body;
use crate::entries::Run;
use crate::envelope::{ENCODING11, ENCODING12, XSD, XSD_OF_DRAFTS};
use crate::form::Form;
use crate::names::Name;
use crate::naming::{Naming, xsd_name};
use crate::opening::excerpt;
use crate::paths::Step;
use crate::plan::{ListForm, NONE, ScopePlan, Shape, Slot};
use crate::qname::QName;
use crate::unknown::capture::ScopePath;

/// A choice by type.
#[derive(Debug)]
pub(super) struct ByType {
    /// The field that is the first arm; the others follow.
    pub(super) first: u16,
    /// Which arm needs no type: that of the declared one.
    base: Option<u16>,
    arms: Box<[Arm]>,
}

#[derive(Debug)]
struct Arm {
    name: QName,
    /// What ends a start tag that was left open, or but its attributes if more may follow.
    type_attribute: Literal,
}

impl ByType {
    fn new(naming: &Naming<'_>, id: ScopeId, first: usize) -> Self {
        let end = if naming.in_tags { "" } else { ">" };
        let arms: Vec<usize> = naming.arms(id, first).collect();
        let arm = |index: &usize| Arm {
            name: naming.type_of_arm(id, *index).unwrap_or_default(),
            type_attribute: Literal::new(
                format!("{}{end}", naming.type_attribute(id, *index)).as_bytes(),
            ),
        };
        let base = arms.iter().find(|it| naming.is_base(id, **it)).map(|it| *it as u16);
        Self { first: first as u16, base, arms: arms.iter().map(arm).collect() }
    }

    /// Those that lie among other fields of a scope.
    pub(super) fn beside(naming: &Naming<'_>, id: ScopeId) -> Box<[Self]> {
        let fields = 0..naming.layout.scope(id).fields.len();
        let leads = fields.filter(|it| naming.leads(id, *it));
        leads.map(|first| Self::new(naming, id, first)).collect()
    }

    /// The one that a whole scope is.
    pub(super) fn of_scope(naming: &Naming<'_>, id: ScopeId) -> Option<Box<Self>> {
        naming.is_typed_scope(id).then(|| Box::new(Self::new(naming, id, 0)))
    }

    /// Is the field an arm of it?
    pub(super) fn has(&self, field: usize) -> bool {
        (usize::from(self.first)..usize::from(self.first) + self.arms.len()).contains(&field)
    }

    /// What ends the start tag of the element of an arm.
    pub(super) fn type_attribute(&self, field: usize) -> Option<&Literal> {
        self.arms.get(field.checked_sub(self.first.into())?).map(|it| &it.type_attribute)
    }

    /// The arm of the type of this name, if there is one; an element that is nil may be any.
    pub(super) fn arm(
        &self,
        type_name: Option<(&str, &str)>,
        nil: bool,
    ) -> std::result::Result<usize, ErrorKind> {
        let found = match type_name {
            Some((namespace, local)) => {
                let found = self.arms.iter().position(|it| is_same(&it.name, namespace, local));
                found.map(|it| it + usize::from(self.first))
            }
            None => self.base.or(nil.then_some(self.first)).map(usize::from),
        };
        found.ok_or_else(|| self.unfit(type_name))
    }

    #[cold]
    fn unfit(&self, type_name: Option<(&str, &str)>) -> ErrorKind {
        let names: Vec<&QName> = self.arms.iter().map(|it| &it.name).collect();
        unfit(&names, type_name)
    }
}

/// Looks at the start tag of the message's element, just read.
///
/// # Errors
/// Its `xsi:type` names another type than this.
pub(super) fn check_root_type(
    expected: &QName,
    tag: &impl Tag,
) -> std::result::Result<(), ErrorKind> {
    let found = type_name(tag)?;
    let found = found.as_ref().map(|(namespace, local)| (*namespace, &**local));
    match found {
        Some((namespace, local)) if is_same(expected, namespace, local) => Ok(()),
        _ => Err(unfit(&[expected], found)),
    }
}

/// The error of a type that is none of these.
#[cold]
fn unfit(names: &[&QName], found: Option<(&str, &str)>) -> ErrorKind {
    let shown: Vec<String> = names.iter().take(8).map(ToString::to_string).collect();
    let more = if names.len() > 8 { ", ..." } else { "" };
    let found = match found {
        Some((namespace, local)) => QName::new(excerpt(namespace), excerpt(local)).to_string(),
        None => "none".into(),
    };
    let one_of = if names.len() > 1 { "one of " } else { "" };
    let what = format!("xsi:type to be {one_of}{}{more}, not {found}", shown.join(", "));
    ErrorKind::Expected(what.into())
}

/// Is it the name of the type? Those of XML Schema have other namespaces in its drafts and in the
/// encodings (SOAP 1.1 section 5.2.3).
fn is_same(name: &QName, namespace: &str, local: &str) -> bool {
    if name.namespace != XSD {
        return name.is(namespace, local);
    }
    let is_draft = XSD_OF_DRAFTS.contains(&namespace);
    let local = match local {
        "timeInstant" if is_draft => "dateTime",
        "ur-type" if is_draft => "anyType",
        local => local,
    };
    let is_schema = namespace == XSD || is_draft || matches!(namespace, ENCODING11 | ENCODING12);
    is_schema && name.local == local
}

/// The namespaces of the types that `xsi:type` names, and the prefixes that stand for them.
#[derive(Debug, Default)]
pub(super) struct TypeNamespaces(Vec<TypeNamespace>);

#[derive(Debug)]
struct TypeNamespace {
    name: String,
    prefix: String,
    /// Is the prefix declared for this alone, on the message's element?
    declared: bool,
}

impl TypeNamespace {
    fn is_numbered(&self) -> bool {
        !matches!(&*self.prefix, "" | "ns" | "xsd") && self.declared
    }
}

impl TypeNamespaces {
    /// Those of the types of all arms and values, beside those of elements.
    pub(super) fn new(naming: &Naming<'_>) -> Self {
        let mut all = Self::default();
        if let Some(name) = naming.root_type() {
            all.add(naming, name.namespace);
        }
        for (id, index) in naming.all_arms() {
            if let Ok(name) = naming.type_of_arm(id, index) {
                all.add(naming, name.namespace);
            }
        }
        naming.namespaces_of_values().into_iter().for_each(|it| all.add(naming, it));
        all
    }

    fn add(&mut self, naming: &Naming<'_>, name: String) {
        if self.0.iter().any(|it| it.name == name) {
            return;
        }
        let known =
            naming.namespaces.declared().find(|(_, it)| *it == name).map(|(prefix, _)| prefix);
        let (prefix, declared) = match (known, &*name) {
            (Some(prefix), _) => (prefix.to_owned(), false),
            (_, "") => (String::new(), false),
            (_, XSD) => ("xsd".into(), false),
            (_, encoding) if naming.is_of_encoding(encoding) => ("SOAP-ENC".into(), false),
            // Where it is no default, the prefix is that of the message's own element.
            (_, own) if own == naming.options.namespace => {
                ("ns".into(), !naming.options.element_namespace().is_empty())
            }
            _ => (format!("t{}", 1 + self.0.iter().filter(|it| it.is_numbered()).count()), true),
        };
        self.0.push(TypeNamespace { name, prefix, declared });
    }

    /// Is there any?
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Are there types of XML Schema?
    pub(super) fn has_schema(&self) -> bool {
        self.0.iter().any(|it| it.name == XSD)
    }

    /// Is there one in no namespace?
    pub(super) fn names_none(&self) -> bool {
        self.0.iter().any(|it| it.name.is_empty())
    }

    /// Those that the message's element declares beside its own.
    pub(super) fn declared(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(|it| it.declared).map(|it| (&*it.prefix, &*it.name))
    }

    /// All that have prefixes, and these.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|it| (&*it.prefix, &*it.name)).filter(|(prefix, _)| !prefix.is_empty())
    }

    pub(super) fn written(&self, name: &QName) -> String {
        let prefix =
            self.0.iter().find(|it| it.name == name.namespace).map_or("", |it| &*it.prefix);
        match prefix {
            "" => name.local.clone(),
            prefix => format!("{prefix}:{}", name.local),
        }
    }
}

/// The name of the type of an arm of a choice by type, in a message of this namespace.
///
/// # Errors
/// It has none.
pub fn type_of_arm(layout: &Layout, arm: &Field, own: &str) -> std::result::Result<QName, String> {
    let noted = of_member(layout, arm.member, "type");
    let schema = noted.and_then(|it| it.strip_prefix("xsd:"));
    if let Some(local) = schema {
        return Ok(QName::new(XSD, local));
    }
    let (of, name) = match arm.holds {
        Holds::Value(Kind::Any) => {
            return Err("content of any shape as the arm of a choice by type".into());
        }
        Holds::Value(kind) => match noted {
            None => return Ok(QName::new(XSD, &xsd_name(kind)["xsd:".len()..])),
            Some(noted) => (None, noted),
        },
        Holds::Enumeration(of) => (Some(of), &*layout.schema().type_of(of).name),
        Holds::Struct(inner) => {
            let inner = layout.scope(inner);
            let is_nothing = inner.fields.is_empty() && &*inner.name == "Nothing";
            (Some(inner.of), if is_nothing { &*arm.name } else { &*inner.name })
        }
        Holds::List(_) | Holds::Group(_) => {
            return Err("a list as the arm of a choice by type: put it into a struct".into());
        }
    };
    let of_arm = of_member(layout, arm.member, "namespace");
    let namespace = of_arm.or_else(|| of_type(layout, of?, "namespace"));
    Ok(QName::new(namespace.unwrap_or(own), noted.unwrap_or(name)))
}

impl Naming<'_> {
    /// The type that `xsi:type` of the message's element names, if it is noted.
    pub(super) fn root_type(&self) -> Option<QName> {
        let root = self.layout.schema().root();
        let local = of_type(self.layout, root, "type")?;
        let is_written = !self.options.style.is_encoded() && !self.options.is_plain_rpc();
        let namespace = of_type(self.layout, root, "type_namespace");
        is_written.then(|| QName::new(namespace.unwrap_or(&self.options.namespace), local))
    }

    /// The same as an attribute.
    pub(super) fn root_attribute(&self) -> String {
        let name = self.root_type();
        name.map_or(String::new(), |it| format!(" xsi:type=\"{}\"", self.types.written(&it)))
    }

    /// Is the scope a choice by type?
    pub(super) fn is_typed_scope(&self, id: ScopeId) -> bool {
        let scope = self.layout.scope(id);
        let place = || self.layout.field_of(id);
        scope.shape == ScopeShape::Choice
            && place().is_some_and(|it| is_by_type(self.layout, it.member, scope.of))
    }

    /// The choice by type among the components of a scope of which the field is an arm.
    pub(super) fn typed_around(&self, id: ScopeId, field: &Field) -> Option<usize> {
        let choice = usize::from(field.component?);
        let component = self.layout.scope(id).components.get(choice)?;
        is_typed(self.layout, component).then_some(choice)
    }

    /// Is the field the first arm of such a choice?
    pub(super) fn leads(&self, id: ScopeId, index: usize) -> bool {
        self.lead(id, index) == Some(index)
    }

    /// The first arm of such a choice, if the field is one.
    pub(super) fn lead(&self, id: ScopeId, index: usize) -> Option<usize> {
        self.arms_of(id, index).map(|it| it.start)
    }

    /// Is it an arm that is no first one? That has no element of its own.
    pub(super) fn follows(&self, id: ScopeId, index: usize) -> bool {
        self.lead(id, index).is_some_and(|it| it != index)
    }

    /// Is it the arm of a choice by type?
    pub(super) fn is_typed_arm(&self, id: ScopeId, index: usize) -> bool {
        self.is_typed_scope(id) || self.lead(id, index).is_some()
    }

    /// The arms of the choice by type of which this is the first.
    fn arms(&self, id: ScopeId, first: usize) -> Range<usize> {
        self.arms_of(id, first).unwrap_or(0..self.layout.scope(id).fields.len())
    }

    /// The arms of the choice by type, among others of the scope, that the field is one of.
    pub(super) fn arms_of(&self, id: ScopeId, index: usize) -> Option<Range<usize>> {
        let scope = self.layout.scope(id);
        let choice = self.typed_around(id, &scope.fields[index])?;
        Some(scope.components[choice].fields.clone())
    }

    /// The arms of all choices by type.
    fn all_arms(&self) -> impl Iterator<Item = (ScopeId, usize)> {
        let scopes = (0..self.layout.scopes().len() as u16).map(ScopeId);
        scopes.flat_map(move |id| {
            let fields = 0..self.layout.scope(id).fields.len();
            fields.filter(move |it| self.is_typed_arm(id, *it)).map(move |it| (id, it))
        })
    }

    /// Is it the arm of the declared type?
    fn is_base(&self, id: ScopeId, index: usize) -> bool {
        is_declared_type(self.layout, &self.layout.scope(id).fields[index])
    }

    /// The attribute `xsi:type` of an arm; nothing for the declared type, where values have no
    /// `xsi:type`.
    pub(super) fn type_attribute(&self, id: ScopeId, index: usize) -> String {
        match self.written_type(id, index) {
            Some(name) => format!(" xsi:type=\"{}\"", self.types.written(&name)),
            None => String::new(),
        }
    }

    /// The type of an arm, if `xsi:type` names it.
    pub(super) fn written_type(&self, id: ScopeId, index: usize) -> Option<QName> {
        let is_written = self.options.types || !self.is_base(id, index);
        self.type_of_arm(id, index).ok().filter(|_| is_written)
    }

    /// The type of the items of an array that are chosen by type.
    pub(super) fn declared_type(&self, id: ScopeId) -> QName {
        let arms = &mut self.arms(id, 0);
        let base = arms.find(|it| self.is_base(id, *it));
        let name = base.and_then(|it| self.type_of_arm(id, it).ok());
        name.unwrap_or_else(|| QName::new(XSD, "anyType"))
    }

    /// The same as it is written.
    pub(super) fn declared_type_written(&self, id: ScopeId) -> String {
        let name = self.declared_type(id);
        match &*name.namespace {
            XSD => format!("xsd:{}", name.local),
            _ => self.types.written(&name),
        }
    }

    /// See [`type_of_arm`].
    pub(super) fn type_of_arm(
        &self,
        id: ScopeId,
        index: usize,
    ) -> std::result::Result<QName, String> {
        type_of_arm(self.layout, &self.layout.scope(id).fields[index], &self.options.namespace)
    }

    /// # Errors
    /// What is noted of choices by type cannot be kept; in which field.
    pub(super) fn check_types(&self, id: ScopeId) -> std::result::Result<(), (usize, String)> {
        let scope = self.layout.scope(id);
        if id.0 == 0
            && scope.shape == ScopeShape::Choice
            && of_type(self.layout, scope.of, "choice") == Some("type")
        {
            return Err((usize::MAX, "a choice by type that is the message itself".into()));
        }
        for (index, field) in scope.fields.iter().enumerate() {
            self.check_choice(field).map_err(|why| (index, why))?;
            let first = match self.is_typed_scope(id) {
                true => 0,
                false if self.leads(id, index) => index,
                false => continue,
            };
            if index == first {
                self.check_arms(id, first)?;
            }
        }
        Ok(())
    }

    /// Of a field that holds a choice, or a list of one.
    fn check_choice(&self, field: &Field) -> std::result::Result<(), String> {
        let inner = field.holds.scope().filter(|it| {
            let scope = self.layout.scope(*it);
            scope.shape == ScopeShape::Choice
        });
        let noted = of_member(self.layout, field.member, "choice");
        let Some(inner) = inner else {
            return noted.map_or(Ok(()), |_| Err(NO_CHOICE.into()));
        };
        let of = self.layout.scope(inner).of;
        match is_by_type(self.layout, field.member, of) == self.is_typed_scope(inner) {
            true => Ok(()),
            false => {
                Err("a choice by type here and by element elsewhere: note it on the type".into())
            }
        }
    }

    fn check_arms(&self, id: ScopeId, first: usize) -> std::result::Result<(), (usize, String)> {
        let fields = &self.layout.scope(id).fields;
        let mut known: Vec<QName> = Vec::new();
        let mut has_base = false;
        for index in self.arms(id, first) {
            let fail = |why: String| Err((index, why));
            let name = self.type_of_arm(id, index).map_err(|why| (index, why))?;
            if known.iter().any(|it| is_same(it, &name.namespace, &name.local)) {
                return fail(format!("two arms of the type {name}: xml(type) gives one another"));
            }
            known.push(name);
            if self.is_base(id, index) && std::mem::replace(&mut has_base, true) {
                return fail("a second xml(base) of one choice".into());
            }
            if let Holds::Struct(inner) = fields[index].holds
                && self.is_typed_scope(inner)
            {
                return fail(
                    "a choice by type as the arm of another: its arms can be this one's".into(),
                );
            }
        }
        Ok(())
    }
}

impl ScopePlan {
    /// The choice by type of which the field is the first arm: what an element of its name is, its type
    /// says.
    #[inline]
    pub(super) fn led_by(&self, field: usize) -> Option<&ByType> {
        match self.types.is_empty() {
            true => None,
            false => self.types.iter().find(|it| usize::from(it.first) == field),
        }
    }

    /// Is the field an arm that `xsi:type` selects?
    pub(super) fn is_typed_arm(&self, field: usize) -> bool {
        self.by_type.is_some() || self.types.iter().any(|it| it.has(field))
    }
}

impl<'a, R: Form> Body<'a, R> {
    /// The arm that the element just begun is, by its type.
    fn arm(&self, types: &ByType) -> std::result::Result<usize, ErrorKind> {
        // What is elsewhere has its type there.
        let nil = super::attributes::KnownAttributes::read(self.plan, &self.reader)?.nil;
        match type_name(&self.reader)? {
            Some((namespace, local)) => types.arm(Some((namespace, &*local)), nil),
            None => types.arm(None, nil),
        }
    }

    /// Reads the element just begun, at `at`, which is a choice of the scope.
    #[inline(never)]
    pub(super) fn choice_beside<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        (types, at, name): (&ByType, usize, (usize, usize)),
        into: &mut F,
    ) -> Result<Step> {
        let field = self.arm(types).map_err(|kind| {
            let scope = &self.plan.layout.scopes()[self.scope];
            let choice = scope.fields[usize::from(types.first)].component;
            scope.locate_component(Error::new(kind, at), choice)
        })?;
        self.generic_field(scope, seen, component, (field, at, name), into)
    }

    /// Reads the element just begun, at `at`, which is a choice by itself, and may be nil or not.
    #[inline(never)]
    pub(super) fn choice_apart<F: Fields>(
        &mut self,
        types: &ByType,
        at: usize,
        takes_nil: bool,
        into: &mut F,
    ) -> Result<()> {
        if self.scope_path == ScopePath::Nil {
            return self.nil_value(into);
        }
        self.field = self.arm(types).map_err(|kind| Error::new(kind, at))?;
        self.begun(at, takes_nil, into)
    }

    /// Reads the entries of a list of choices by type, the start tag of which was just read.
    #[inline(never)]
    pub(super) fn typed_entries<G: Entries>(
        &mut self,
        slot: &'a Slot,
        container: &'a Container,
        into: &mut G,
    ) -> Result<()> {
        let plan = self.plan;
        let inner = usize::from(slot.scope);
        let scope = &plan.scopes[inner];
        let (Some(types), Some(element)) = (&scope.by_type, &container.enclosing) else {
            return Err(self.error(ErrorKind::Schema, self.reader.position()));
        };
        into.clear();
        let stated = self.stated.take();
        self.measure(scope);
        let (outer, field, own) = (self.scope, self.field, self.own);
        let mut count = 0;
        while let Some((at, name)) = self.next_element(slot)? {
            let is_named = *self.reader.local(name) == *element.local;
            let is_entry =
                is_named && self.is_in(element.namespace_number, self.reader.namespace(name));
            if !plan.any_item && !is_entry {
                self.unknown_in_list(slot, (at, name))?;
                self.pass_over_entry(count, 1, at)?;
                self.check_names();
                continue;
            }
            self.opened(element.namespace_number, name);
            self.opened_item(inner, name);
            self.count_entry()?;
            (self.scope, self.own) = (inner, element);
            let read = self.choice_apart(types, at, container.takes_nil, into.next_entry());
            read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
            (self.scope, self.field, self.own) = (outer, field, own);
            count += 1;
        }
        self.check_count(stated, container.fixed, count)
    }
}

impl<'a, R: Form> Body<'a, R> {
    /// Reads the next entry of a list of choices that stand beside other elements: the element just
    /// begun, which is one of the arms.
    #[inline(never)]
    pub(super) fn arm_of_run<G: Entries>(&mut self, slot: &'a Slot, into: &mut G) -> Result<()> {
        let run = std::mem::replace(&mut self.run, Run::First);
        if run != Run::Again {
            into.clear();
        }
        if run == Run::Empty {
            return Ok(());
        }
        let (plan, at) = (self.plan, self.begun);
        let (outer, field) = (self.scope, self.field);
        let scope = &plan.scopes[usize::from(slot.scope)];
        self.measure(scope);
        self.count_entry()?;
        let arm = {
            let (local, namespace) = self.reader.element();
            let mut all = scope.names.all(NONE, local.as_bytes());
            all.find(|(namespace_number, _)| {
                namespace.is_some_and(|it| self.is_in(*namespace_number, it))
            })
        };
        let Some((_, Name::Field(arm))) = arm else {
            return Err(self.error(ErrorKind::Schema, at));
        };
        (self.scope, self.field) = (slot.scope.into(), arm.into());
        let index = into.count();
        let read = self.begun(at, false, into.next_entry());
        read.map_err(|error| plan.locate(error.in_entry(index), outer, field))?;
        (self.scope, self.field) = (outer, field);
        Ok(())
    }
}

/// Are the start tags of a field's element those of the arms of a choice, or of items that are choices?
pub(super) fn begins_with_arm(scopes: &[ScopePlan], slot: &Slot) -> bool {
    slot.form == ListForm::Arms || holds_typed(scopes, slot)
}

/// Does the field of a slot hold a choice by type, or items of a run that are such?
fn holds_typed(scopes: &[ScopePlan], slot: &Slot) -> bool {
    matches!(slot.shape, Shape::Struct | Shape::Run)
        && slot.scope > 0
        && scopes[usize::from(slot.scope)].by_type.is_some()
}
