//! From elements to layouts.

mod attributes;
mod encoded;
mod members;

use std::collections::HashMap;

use trunkline_message::{Body, Kind, Layout, MemberId, Need, TypeId, Types};
use trunkline_soap::{self as soap, WhiteSpace};

use super::Schemas;
use super::component::{
    Blocked, Element, ElementId, Items, Occurs, Type, TypeBody, TypeId as SchemaTypeId, TypeUse,
};
use super::content::{Arm, Item};
use super::lookup::Found;
use super::name::{Name, SCHEMA};
use super::simple::Values;
use super::union::union;
use crate::{Place, Problem, names};

pub(crate) use members::Members;

/// Arrays of the encoding in each other, and their dimensions together: each is a list.
const MOST_ARRAYS: usize = 16;
const MOST_LISTS: usize = 64;
const TOO_DEEP: &str =
    "more than 16 arrays in each other, or more than 64 dimensions of them together";

/// Makes the types of one layout.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    schemas: &'a Schemas,
    pub(crate) types: Types,
    structs: HashMap<SchemaTypeId, TypeId>,
    /// Choices by `xsi:type`, by the declared type and what is blocked.
    choices: HashMap<(SchemaTypeId, Blocked), TypeId>,
    enumerations: HashMap<SchemaTypeId, TypeId>,
    /// Is the content by the rules of the SOAP encoding, whose lists are arrays?
    is_encoded: bool,
    /// Structs that are declared, and have no members yet.
    pending: Vec<(SchemaTypeId, TypeId)>,
    /// The struct whose members are being made.
    filling: Option<SchemaTypeId>,
    /// The types of arrays around the items that are looked up.
    open_arrays: Vec<SchemaTypeId>,
    /// May the items of arrays of numbers be nil, as those of others may in records?
    pub(crate) has_nil_numbers: bool,
}

/// What a member holds.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) of: TypeId,
    pub(crate) form: Form,
    /// Facets of each value, in the words of messages.
    pub(crate) facets: Vec<(&'static str, String)>,
    /// Of single values.
    pub(crate) kind: Option<Kind>,
    /// What becomes of blanks in each value.
    pub(crate) white_space: WhiteSpace,
    /// Of arrays of the encoding in each other, the outermost last.
    pub(crate) dimensions: Vec<usize>,
    /// The type that values say where content is encoded, or the items of lists, if it is another than their kind has.
    pub(crate) declared: Option<Name>,
    /// Is it an array whose items may be nil?
    pub(crate) nil_items: bool,
}

impl Held {
    fn new(of: TypeId, form: Form) -> Self {
        Self {
            of,
            form,
            facets: Vec::new(),
            kind: None,
            white_space: WhiteSpace::default(),
            dimensions: Vec::new(),
            declared: None,
            nil_items: false,
        }
    }
}

/// How it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One value.
    Value,
    /// Values with blanks between.
    Spaced,
    /// An element with content of any shape.
    Any,
    /// Elements inside, attributes, or both.
    Struct,
    /// An array of the encoding.
    Array,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(schemas: &'a Schemas, is_encoded: bool) -> Self {
        Self {
            schemas,
            is_encoded,
            types: Types::default(),
            structs: HashMap::new(),
            choices: HashMap::new(),
            enumerations: HashMap::new(),
            pending: Vec::new(),
            filling: None,
            open_arrays: Vec::new(),
            has_nil_numbers: false,
        }
    }

    pub(crate) fn declare(&mut self, name: &str) -> TypeId {
        self.types.declare(&type_name(name))
    }

    /// The struct of documents that are this element.
    pub(super) fn document(&mut self, element: ElementId) -> Result<TypeId, Problem> {
        let of = self.declared(element)?;
        let (id, element) = (element, self.schemas.at(element));
        if self.schemas.is_open(id) {
            let what = format!("the element {} is of an abstract type", element.name);
            let types = self.schemas.types_of(id);
            let names = types.iter().filter_map(|it| self.schemas.type_name(*it));
            let names: Vec<String> =
                names.map(|it| format!("{}/{}", element.name.local, it.local)).collect();
            let remedy = match &*names {
                [] => "give it one that is derived from it".to_owned(),
                names => format!("ask for one of those that xsi:type may name: {}", first(names)),
            };
            return Err(Problem::new(&element.place, what, remedy));
        }
        self.document_of(of, &element.name, &element.place, Some(element))
    }

    /// The struct of documents that are this element, and whose `xsi:type` names this type.
    pub(super) fn document_as(
        &mut self,
        element: ElementId,
        id: SchemaTypeId,
    ) -> Result<TypeId, Problem> {
        self.declared(element)?;
        let of = &self.schemas.types[id.0];
        let Name { namespace, local } = of.name.as_ref().expect("it has a name to be found by");
        let root = self.declare(local);
        self.types.notes().note_type(root, "xml", "type", local);
        self.types.notes().note_type(root, "xml", "type_namespace", namespace);
        self.pending.push((id, root));
        Ok(root)
    }

    /// The type of an element that may be a document.
    pub(super) fn declared(&self, id: ElementId) -> Result<&'a TypeUse, Problem> {
        let element = self.schemas.at(id);
        if !element.is_abstract {
            return Ok(&element.of);
        }
        let others = self.schemas.substitutes(id);
        let names: Vec<String> =
            others.iter().map(|it| self.schemas.at(*it).name.local.to_string()).collect();
        let what = format!("the element {} is abstract", element.name);
        let remedy = match &*names {
            [] => "ask for one of its substitution group, of which there is none here".to_owned(),
            names => format!("ask for one of its substitution group: {}", first(names)),
        };
        Err(Problem::new(&element.place, what, remedy))
    }

    /// The same of an element of this name and type, which may be declared.
    pub(super) fn document_of(
        &mut self,
        of: &'a TypeUse,
        name: &Name,
        place: &Place,
        declared: Option<&Element>,
    ) -> Result<TypeId, Problem> {
        let reject = |what: &str, remedy: &str| {
            let what = format!("the element {name} is {what}, for which a document has no form");
            Err(Problem::new(place, what, remedy))
        };
        let root = self.declare(&name.local);
        if let Some(mut values) = self.schemas.values(of)? {
            let fixed = declared.and_then(|it| it.fixed.as_deref());
            fixed.into_iter().for_each(|it| values.fix(it));
            let mut members = Members::new(root, &name.namespace);
            let (member, held) = self.text(&mut members, values, &name.local);
            if let Some(element) = declared {
                self.note_empty(member, element, &held);
            }
            members.finish(self);
            return Ok(root);
        }
        match self.schemas.found(of)? {
            Found::BuiltIn(_) => {
                // Attributes are unknown content.
                let mut members = Members::new(root, &name.namespace);
                let arms = vec![Arm::Any("##any".into())];
                let item = Item { name: "any".into(), arms, least: 0, most: None };
                self.mixed(&mut members, &[item])?;
                members.finish(self);
                Ok(root)
            }
            Found::Array => reject("an array", "give it a type that holds the array"),
            Found::Type(_, of) if is_abstract(of) => {
                reject("of an abstract type", "give it one that is derived from it")
            }
            Found::Type(_, of) if items(of).is_some() => {
                reject("an array", "give it a type that holds the array")
            }
            Found::Type(id, _) => {
                // The message's own struct, which may be elsewhere as well.
                self.pending.push((id, root));
                Ok(root)
            }
        }
    }

    /// Adds a part of a message.
    pub(crate) fn part(
        &mut self,
        members: &mut Members,
        name: &str,
        of: &'a TypeUse,
        need: Need,
    ) -> Result<(), Problem> {
        let held = self.held(of, name)?;
        // What is anything says itself that it is nil.
        let need = if held.form == Form::Any { Need::Required } else { need };
        let member = members.add(name, held.of, need);
        members.element_named(self, member, &Name::new("", name));
        self.note_values(member, &held);
        if need == Need::Optional {
            self.note(member, "nillable", "true");
        }
        Ok(())
    }

    /// The layout, once all is described.
    pub(crate) fn finish(mut self, root: TypeId, place: &Place) -> Result<Layout, Problem> {
        self.describe()?;
        self.types.layout(root).map_err(|error| {
            let what = error.to_string();
            let remedy = match what.contains("without end") {
                true => "let an element on the way be absent (minOccurs=\"0\") or nil (nillable)",
                false => "change it there",
            };
            Problem::new(place, what, remedy)
        })
    }

    fn describe(&mut self) -> Result<(), Problem> {
        while let Some((of, id)) = self.pending.pop() {
            self.filling = Some(of);
            let of = &self.schemas.types[of.0];
            self.fill(of, id)?;
        }
        Ok(())
    }

    /// The members of a complex type.
    fn fill(&mut self, of: &'a Type, id: TypeId) -> Result<(), Problem> {
        let mut members = Members::new(id, &of.namespace);
        if self.schemas.is_in_any_order(of)? {
            self.types.notes().note_type(id, "xml", "order", "any");
        }
        let attributes = self.attributes(of)?;
        if let Some(values) = self.schemas.text_values(of)? {
            members.reserve(attributes.iter().map(|it| &*it.name.local));
            let name = of.name.as_ref().map_or("value".into(), |it| type_name(&it.local));
            self.text(&mut members, values, &name);
            members.free();
        } else {
            let items = self.schemas.content(of)?;
            // Elements of any name, in one order with others, stand as in mixed content.
            let is_of_any = |it: &Item| {
                it.most != Some(1)
                    && it.arms.len() > 1
                    && it.arms.iter().any(|it| matches!(it, Arm::Any(_)))
            };
            match self.schemas.is_mixed(of)? || items.iter().any(is_of_any) {
                true => self.mixed(&mut members, &items)?,
                false => items.iter().try_for_each(|it| self.item(&mut members, it))?,
            }
        }
        for attribute in attributes {
            self.attribute(&mut members, attribute)?;
        }
        members.finish(self);
        Ok(())
    }

    /// The text of an element: the member, and what it holds.
    fn text(&mut self, members: &mut Members, values: Values, name: &str) -> (MemberId, Held) {
        // A text has no items; a list is one text there, as its pattern has it.
        let values = if values.is_list { union(&[values]) } else { values };
        let held = self.value(values, name);
        let member = members.add("value", held.of, Need::Required);
        self.note(member, "kind", "text");
        self.note_values(member, &held);
        (member, held)
    }

    /// What an element or a part of a message is; `name` is what a type without a name is called.
    pub(crate) fn held(&mut self, of: &TypeUse, name: &str) -> Result<Held, Problem> {
        self.held_unless(Blocked::default(), of, name)
    }

    /// The same of an element that blocks types.
    pub(super) fn held_unless(
        &mut self,
        blocked: Blocked,
        of: &TypeUse,
        name: &str,
    ) -> Result<Held, Problem> {
        if let TypeUse::BuiltIn(known) = of
            && known.is_any()
        {
            return Ok(self.any());
        }
        if let Some(values) = self.schemas.values(of)? {
            return Ok(self.declared_value(of, values, name));
        }
        match self.schemas.found(of)? {
            Found::BuiltIn(_) => Ok(self.any()),
            Found::Array => {
                let of = self.types.scalar(Kind::Any);
                let of = self.types.list(of, None);
                Ok(Held { dimensions: vec![1], ..Held::new(of, Form::Array) })
            }
            Found::Type(id, of) => match items(of) {
                Some(items) => self.array(id, items, name),
                None => self.complex((id, of), blocked, name),
            },
        }
    }

    /// Has an element neither elements nor attributes nor text?
    pub(super) fn is_empty(&self, element: &Element) -> Result<bool, Problem> {
        let Found::Type(id, of) = self.schemas.found(&element.of)? else { return Ok(false) };
        let TypeBody::Complex(_) = of.body else { return Ok(false) };
        Ok(self.schemas.derived(id, element.blocked).is_empty()
            && self.schemas.text_values(of)?.is_none()
            && !self.schemas.is_mixed(of)?
            && self.schemas.content(of)?.is_empty()
            && self.attributes(of)?.is_empty())
    }

    /// The items of an element that has nothing but those, and how many there are. Where content is encoded it is
    /// a struct that holds a list.
    pub(super) fn wrapped(
        &self,
        element: &Element,
    ) -> Result<Option<(ElementId, Occurs)>, Problem> {
        let Found::Type(id, of) = self.schemas.found(&element.of)? else { return Ok(None) };
        let TypeBody::Complex(complex) = &of.body else { return Ok(None) };
        let is_plain = !self.is_encoded
            && !complex.is_abstract
            && complex.any_attribute.is_none()
            && complex.attribute_groups.is_empty()
            && complex.items.is_none()
            && self.schemas.derived(id, element.blocked).is_empty()
            && self.schemas.text_values(of)?.is_none()
            && !self.schemas.is_mixed(of)?
            && self.attributes(of)?.is_empty();
        if !is_plain {
            return Ok(None);
        }
        let content = self.schemas.content(of)?;
        let [Item { arms, least, most, .. }] = &*content else { return Ok(None) };
        let ([Arm::Element(inner)], true) = (&**arms, *most != Some(1)) else { return Ok(None) };
        let item = self.schemas.at(*inner);
        // The codec puts both into one namespace.
        let is_list = !item.is_nillable
            && item.name.namespace == element.name.namespace
            && !self.is_empty(item)?;
        Ok(is_list.then_some((*inner, (*least, *most))))
    }

    pub(super) fn any(&mut self) -> Held {
        let of = self.types.scalar(Kind::Any);
        Held::new(of, Form::Any)
    }

    fn array(&mut self, id: SchemaTypeId, items: &'a Items, name: &str) -> Result<Held, Problem> {
        let rejected = |what: &str, remedy: &str| Err(Problem::new(&items.place, what, remedy));
        if self.open_arrays.contains(&id) {
            let what = "an array whose items are arrays of its own type, without end";
            return rejected(what, "name another type of the items");
        }
        if self.open_arrays.len() >= MOST_ARRAYS {
            return rejected(TOO_DEEP, "describe it with fewer");
        }
        self.open_arrays.push(id);
        let item = self.held(&items.of, name);
        self.open_arrays.pop();
        let item = item?;
        if item.form == Form::Any && items.dimensions.iter().any(|it| *it != 1) {
            let what =
                "an array of several dimensions with items of any type, for which there is no form";
            return rejected(what, "name a type of the items");
        }
        let is_number = matches!(item.kind, Some(Kind::Integer(_) | Kind::Float32 | Kind::Float64));
        let nil_items = self.has_nil_numbers && is_number && *items.dimensions == [1];
        let (mut of, mut dimensions, declared) = (item.of, item.dimensions, item.declared);
        dimensions.extend(&items.dimensions);
        if dimensions.len() > MOST_ARRAYS || dimensions.iter().sum::<usize>() > MOST_LISTS {
            return rejected(TOO_DEEP, "describe it with fewer");
        }
        for _ in 0..items.dimensions.iter().sum::<usize>() {
            of = self.types.list(of, None);
        }
        let (least, most) = items.occurs;
        let least = (least > 0).then(|| ("min_items", least.to_string()));
        let most = most.map(|it| ("max_items", it.to_string()));
        // What is said of each item is said of the list, but not how many are in a list that is an item.
        let of_values = item
            .facets
            .into_iter()
            .filter(|it| !matches!(it.0, "items" | "min_items" | "max_items"));
        let facets = least.into_iter().chain(most).chain(of_values).collect();
        Ok(Held { facets, dimensions, declared, nil_items, ..Held::new(of, Form::Array) })
    }

    fn complex(
        &mut self,
        (id, of): (SchemaTypeId, &'a Type),
        blocked: Blocked,
        name: &str,
    ) -> Result<Held, Problem> {
        let derived: Vec<SchemaTypeId> = self
            .schemas
            .derived(id, blocked)
            .into_iter()
            .filter(|it| !is_abstract(&self.schemas.types[it.0]))
            .collect();
        let held = |of| Held::new(of, Form::Struct);
        match (is_abstract(of), &*derived) {
            // Whatever it is, it is not known here.
            (true, []) => Ok(self.any()),
            (false, []) => Ok(held(self.structure(id, of, name))),
            (is_abstract, derived) => {
                let own_name = of.name.as_ref().map_or(name, |it| &it.local);
                let known = self.choices.get(&(id, blocked)).copied();
                let choice = known.unwrap_or_else(|| {
                    let choice = self.types.declare(&type_name(own_name));
                    self.choices.insert((id, blocked), choice);
                    self.by_type(choice, (id, of), derived, is_abstract);
                    choice
                });
                Ok(held(choice))
            }
        }
    }

    fn structure(&mut self, id: SchemaTypeId, of: &Type, name: &str) -> TypeId {
        if let Some(known) = self.structs.get(&id) {
            return *known;
        }
        let name = of.name.as_ref().map_or_else(|| type_name(name), |it| type_name(&it.local));
        let declared = self.types.declare(&name);
        self.note_own_name(of, declared);
        self.structs.insert(id, declared);
        self.pending.push((id, declared));
        declared
    }

    /// Notes the namespace of a type that has a name: where content is encoded, values say their types.
    fn note_own_name(&mut self, of: &Type, made: TypeId) {
        if let Some(name) = of.name.as_ref().filter(|_| self.is_encoded) {
            self.types.notes().note_type(made, "xml", "type_namespace", &name.namespace);
        }
    }

    /// The choice of a type and those that are derived from it.
    fn by_type(
        &mut self,
        choice: TypeId,
        (id, of): (SchemaTypeId, &'a Type),
        derived: &[SchemaTypeId],
        is_abstract: bool,
    ) {
        let schemas = self.schemas;
        self.types.notes().note_type(choice, "xml", "choice", "type");
        let mut arms = Members::new(choice, &of.namespace);
        let own = (!is_abstract).then_some(id);
        for arm in own.into_iter().chain(derived.iter().copied()) {
            let of = &schemas.types[arm.0];
            let Some(Name { namespace, local }) = &of.name else { continue };
            let held = self.structure(arm, of, local);
            let member = arms.add(local, held, Need::Required);
            self.note(member, "type", local);
            self.note(member, "namespace", namespace);
            if arm == id {
                self.note(member, "base", "true");
            }
        }
        arms.finish_as(self, Body::Choice);
    }

    /// Values of a simple type that is declared.
    pub(super) fn declared_value(&mut self, of: &TypeUse, values: Values, name: &str) -> Held {
        let (kind, enumeration) = (values.kind, values.enumeration.as_ref().map(|it| it.of));
        let is_said = self.is_encoded && !values.is_list;
        let declared = self.schemas.simple_name(of).filter(|declared| {
            let is_plain = match enumeration {
                // The enumeration has the name already.
                Some(Some(id)) => {
                    let own = self.schemas.types[id.0].name.as_ref();
                    own == Some(declared) && type_name(&declared.local) == *declared.local
                }
                Some(None) => false,
                None => {
                    let plain = soap::xsd_name(kind).strip_prefix("xsd:");
                    *declared.namespace == *SCHEMA[0] && plain == Some(&declared.local)
                }
            };
            is_said && !is_plain
        });
        Held { declared, ..self.value(values, name) }
    }

    /// Values of a simple type.
    pub(super) fn value(&mut self, values: Values, name: &str) -> Held {
        let Values { kind, is_list, facets, enumeration, white_space, .. } = values;
        let item = match enumeration {
            None => self.types.scalar(kind),
            Some(enumeration) => {
                let known = enumeration.of.and_then(|it| self.enumerations.get(&it).copied());
                known.unwrap_or_else(|| {
                    let of = enumeration.of.and_then(|it| self.schemas.types[it.0].name.as_ref());
                    let name = type_name(of.map_or(name, |it| &it.local));
                    let values: Vec<&str> = enumeration.values.iter().map(|it| &**it).collect();
                    let made = self.types.enumeration(&name, &values);
                    if let Some(id) = enumeration.of {
                        self.note_own_name(&self.schemas.types[id.0], made);
                    }
                    self.enumerations.extend(enumeration.of.map(|it| (it, made)));
                    made
                })
            }
        };
        match is_list {
            true => {
                let of = self.types.list(item, None);
                Held { facets, ..Held::new(of, Form::Spaced) }
            }
            false => {
                let kind = Some(kind);
                Held { facets, kind, white_space, ..Held::new(item, Form::Value) }
            }
        }
    }
}

/// The first few names, as a problem lists them.
fn first(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// A name as every format allows it.
fn type_name(name: &str) -> String {
    names::joined(name).unwrap_or_else(|| "Type".to_owned())
}

fn is_abstract(of: &Type) -> bool {
    matches!(&of.body, TypeBody::Complex(complex) if complex.is_abstract)
}

/// The items of a type that is an array of the encoding.
fn items(of: &Type) -> Option<&Items> {
    match &of.body {
        TypeBody::Complex(complex) => complex.items.as_ref(),
        TypeBody::Simple(_) => None,
    }
}
