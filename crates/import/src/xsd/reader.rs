//! From the elements of a schema to what they define.

mod attributes;
mod particles;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use super::Schemas;
use super::builtin::BuiltIn;
use super::component::{
    AttributeGroup, Blocked, Derivation, Element, ElementId, Final, Group, Key, Simple, TypeBody,
    TypeId, TypeUse,
};
use super::documents::{Redefinition, Wanted, located};
use super::name::{Name, SCHEMA};
use super::xpath::{self, Path};
use crate::markup::{self, Document};
use crate::problem::Warnings;
use crate::{Place, Problem};

/// Reads a schema. One without a namespace has that of what includes it.
pub(super) fn read(
    schemas: &mut Schemas,
    document: &Document,
    schema: &markup::Element,
    included_in: Option<Arc<str>>,
    warnings: &mut Warnings,
) -> Result<(), Problem> {
    let own = schema.attribute("targetNamespace");
    let target: Arc<str> = match (own, &included_in) {
        (Some(""), _) => {
            let what = "an empty targetNamespace";
            return Err(Problem::new(
                &document.place(schema),
                what,
                "take it out, or name a namespace",
            ));
        }
        (Some(own), Some(around)) if *own != **around => {
            let what = format!("a schema of the namespace {own} is included in one of {around:?}");
            return Err(Problem::new(&document.place(schema), what, "import it instead"));
        }
        (Some(own), _) => own.into(),
        (None, Some(around)) => around.clone(),
        (None, None) => "".into(),
    };
    let is_whole = std::ptr::eq(schema, &document.root);
    if is_whole && !schemas.pending.seen.insert((document.file.to_string(), target.clone())) {
        return Ok(());
    }
    let is_chameleon = own.is_none() && !target.is_empty();
    let mut reader = Reader::new(schemas, document, schema, (target, is_chameleon), warnings);
    reader.schema(schema)
}

struct Reader<'a, 'w> {
    schemas: &'a mut Schemas,
    document: &'a Document,
    target: Arc<str>,
    /// Has the schema no namespace of its own, so that names in none are in that of what includes it?
    is_chameleon: bool,
    elements_are_qualified: bool,
    attributes_are_qualified: bool,
    /// What elements and types block that do not say it.
    blocked: Blocked,
    /// How nothing is derived from types that do not say it.
    finals: Final,
    /// What is redefined, and the name that it has from there on.
    redefined: Option<(Name, Name)>,
    warnings: &'w mut Warnings,
}

/// Reads what redefines others, which were read before.
pub(super) fn redefine(
    schemas: &mut Schemas,
    document: &Document,
    redefinition: &Redefinition,
    warnings: &mut Warnings,
) -> Result<(), Problem> {
    let schema = &document.root;
    let Redefinition { target, is_chameleon, child, .. } = redefinition;
    let mut reader =
        Reader::new(schemas, document, schema, (target.clone(), *is_chameleon), warnings);
    reader.redefinitions(&schema.children[*child])
}

fn moved<T>(all: &mut HashMap<Name, T>, from: &Name, to: &Name) -> bool {
    all.remove(from).map(|it| all.insert(to.clone(), it)).is_some()
}

/// The children of an element but for annotations.
fn parts(of: &markup::Element) -> impl Iterator<Item = &markup::Element> {
    of.children.iter().filter(|it| is_of_schema(it) && it.name != "annotation")
}

fn is_of_schema(element: &markup::Element) -> bool {
    SCHEMA.contains(&&*element.namespace)
}

/// The first part of one of these names.
fn part<'e>(of: &'e markup::Element, names: &[&str]) -> Option<&'e markup::Element> {
    parts(of).find(|it| names.contains(&&*it.name))
}

impl<'a, 'w> Reader<'a, 'w> {
    fn new(
        schemas: &'a mut Schemas,
        document: &'a Document,
        schema: &markup::Element,
        (target, is_chameleon): (Arc<str>, bool),
        warnings: &'w mut Warnings,
    ) -> Self {
        let is_qualified = |it: &str| schema.attribute(it) == Some("qualified");
        Self {
            elements_are_qualified: is_qualified("elementFormDefault"),
            attributes_are_qualified: is_qualified("attributeFormDefault"),
            schemas,
            document,
            target,
            is_chameleon,
            blocked: blocked(schema.attribute("blockDefault")),
            finals: finals(schema.attribute("finalDefault")),
            redefined: None,
            warnings,
        }
    }
}

impl Reader<'_, '_> {
    fn place(&self, element: &markup::Element) -> Place {
        self.document.place(element)
    }

    fn reject<T>(
        &self,
        element: &markup::Element,
        what: impl Into<String>,
        remedy: &str,
    ) -> Result<T, Problem> {
        Err(Problem::new(&self.place(element), what, remedy))
    }

    fn schema(&mut self, schema: &markup::Element) -> Result<(), Problem> {
        if let Err(problem) = super::grammar::check(self.document, schema) {
            if self.schemas.is_strict {
                return Err(problem);
            }
            self.warnings.add(
                &problem.place,
                problem.what,
                "it is read as far as it is understood",
            );
        }
        for child in parts(schema) {
            match &*child.name {
                "include" => self.include(child)?,
                "import" => self.import(child)?,
                "redefine" => self.redefine(schema, child)?,
                "notation" => {
                    let name = self.own_name(child)?;
                    self.schemas.notations.insert(name);
                }
                _ => match self.definition(child) {
                    Err(problem) if self.schemas.is_in_part => {
                        self.schemas.left_out.push((self.target.clone(), problem));
                    }
                    read => read?,
                },
            }
        }
        Ok(())
    }

    fn include(&mut self, element: &markup::Element) -> Result<(), Problem> {
        let Some(location) = element.attribute("schemaLocation") else {
            return self.reject(element, "an include without schemaLocation", "say which schema");
        };
        let target = Some(self.target.clone());
        self.want(element, location, target, None);
        Ok(())
    }

    fn import(&mut self, element: &markup::Element) -> Result<(), Problem> {
        let namespace: Arc<str> = element.attribute("namespace").unwrap_or_default().into();
        if *namespace == *self.target && !self.is_chameleon {
            let what = format!("the namespace {namespace:?} is imported into itself");
            // What stands in one description of services is often imported so, without a place.
            let location = element.attribute("schemaLocation");
            let done = match location {
                Some(_) => "it is read as if it were included",
                None => "it is left out: what is there is known",
            };
            self.warnings.add(&self.place(element), what, done);
            if let Some(location) = location {
                self.want(element, location, Some(namespace), None);
            }
            return Ok(());
        }
        // Their types are known.
        let name = Name::new(namespace.clone(), "");
        if name.is_of_schema() || name.is_of_encoding() {
            return Ok(());
        }
        match element.attribute("schemaLocation") {
            Some(location) => self.want(element, location, None, Some(namespace)),
            None => {
                let place = self.place(element);
                self.schemas.pending.nowhere.push((namespace, place));
            }
        }
        Ok(())
    }

    fn want(
        &mut self,
        element: &markup::Element,
        location: &str,
        included_in: Option<Arc<str>>,
        imported_as: Option<Arc<str>>,
    ) {
        let path = located(&self.document.file, location);
        let place = self.place(element);
        self.schemas.pending.next.push(Wanted { path, included_in, imported_as, place });
    }

    fn redefine(
        &mut self,
        schema: &markup::Element,
        element: &markup::Element,
    ) -> Result<(), Problem> {
        if parts(element).next().is_none() {
            return self.include(element);
        }
        if !std::ptr::eq(schema, &self.document.root) {
            let what = "a redefine in a description of services";
            return self.reject(element, what, "put the schema into a file of its own");
        }
        let redefinition = Redefinition {
            path: self.document.file.to_string(),
            target: self.target.clone(),
            is_chameleon: self.is_chameleon,
            child: schema.children.iter().position(|it| std::ptr::eq(it, element)).unwrap_or(0),
        };
        self.schemas.pending.redefinitions.push(redefinition);
        self.include(element)
    }

    /// Puts definitions in place of those of the same names, which they may refer to.
    fn redefinitions(&mut self, element: &markup::Element) -> Result<(), Problem> {
        for child in parts(element) {
            let name = self.own_name(child)?;
            let former = Name::new(name.namespace.clone(), format!("{} (redefined)", name.local));
            let schemas = &mut *self.schemas;
            let is_known = match &*child.name {
                "group" => moved(&mut schemas.groups, &name, &former),
                "attributeGroup" => moved(&mut schemas.attribute_groups, &name, &former),
                _ => {
                    let id = schemas.named_types.get(&name).copied();
                    // No document can name it any more.
                    id.into_iter().for_each(|it| schemas.types[it.0].name = None);
                    moved(&mut schemas.named_types, &name, &former)
                }
            };
            if !is_known {
                let what = format!("the {} {name} is redefined, and is not defined", child.name);
                return self.reject(child, what, "define it instead");
            }
            self.redefined = Some((name.clone(), former.clone()));
            self.definition(child)?;
            self.redefined = None;
            if self.schemas.is_strict {
                self.check_redefined(child, &name, &former)?;
            }
        }
        Ok(())
    }

    /// Is a type that is redefined derived from what it was, or a group of it (part 1, section 4.2.2)?
    fn check_redefined(
        &self,
        element: &markup::Element,
        name: &Name,
        former: &Name,
    ) -> Result<(), Problem> {
        if element.name == "attributeGroup" {
            return self.schemas.check_redefined_group(name, former, &self.place(element));
        }
        let Some(id) =
            self.schemas.named_types.get(name).filter(|_| element.name.ends_with("Type"))
        else {
            return Ok(());
        };
        let base = match &self.schemas.types[id.0].body {
            TypeBody::Simple(Simple::Restriction { base, .. }) => Some(base),
            TypeBody::Simple(_) => None,
            TypeBody::Complex(complex) => match &complex.derivation {
                Derivation::Own(_) => None,
                Derivation::Extension { base, .. }
                | Derivation::Restriction { base, .. }
                | Derivation::Text { base, .. } => Some(base),
            },
        };
        if matches!(base, Some(TypeUse::Named(base, _)) if base == former) {
            return Ok(());
        }
        let what = format!("the type {name} is redefined, and not derived from itself");
        self.reject(element, what, "extend or restrict the type of that name")
    }

    fn definition(&mut self, element: &markup::Element) -> Result<(), Problem> {
        let name = self.own_name(element)?;
        match &*element.name {
            "element" => {
                let id = self.element_declaration(element, name.clone(), true)?;
                let known = self.schemas.global_elements.insert(name, id);
                self.once(element, known.is_none())
            }
            "complexType" | "simpleType" => {
                let id = self.type_definition(element, Some(name.clone()))?;
                let known = self.schemas.named_types.insert(name, id);
                self.once(element, known.is_none())
            }
            "group" => {
                let Some(inside) = part(element, &["all", "choice", "sequence"]) else {
                    return self.reject(element, "a group with nothing in it", "put a sequence in");
                };
                let particle = self.particle(inside)?;
                let group = Group { particle };
                let known = self.schemas.groups.insert(name, group);
                self.once(element, known.is_none())
            }
            "attribute" => {
                let attribute = self.attribute_declaration(element, name.clone())?;
                let known = self.schemas.attributes.insert(name, attribute);
                self.once(element, known.is_none())
            }
            "attributeGroup" => {
                let (attributes, groups) = self.attributes(element)?;
                let any_attribute = self.any_attribute(element)?;
                let group = AttributeGroup { attributes, groups, any_attribute };
                let known = self.schemas.attribute_groups.insert(name, group);
                self.once(element, known.is_none())
            }
            other => {
                let what = format!("{other} is not understood in a schema");
                self.reject(element, what, "take it out")
            }
        }
    }

    fn once(&self, element: &markup::Element, is_first: bool) -> Result<(), Problem> {
        if is_first {
            return Ok(());
        }
        let name = element.attribute("name").unwrap_or_default();
        let what = format!("the {} {name} is defined twice", element.name);
        self.reject(element, what, "take one of them out, or give it another name")
    }

    /// The name of what is defined at the top.
    fn own_name(&self, element: &markup::Element) -> Result<Name, Problem> {
        Ok(Name::new(self.target.clone(), self.needed(element, "name")?))
    }

    fn needed<'e>(
        &self,
        element: &'e markup::Element,
        attribute: &str,
    ) -> Result<&'e str, Problem> {
        match element.attribute(attribute) {
            Some(found) if !found.is_empty() => Ok(found),
            _ => {
                let what = format!("{} has no {attribute}", element.name);
                self.reject(element, what, "give it one")
            }
        }
    }

    /// The name that an attribute's value is.
    fn name(&self, element: &markup::Element, written: &str) -> Result<Name, Problem> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        let Some(namespace) = element.namespace_of(prefix) else {
            let what = format!("the prefix of {written} is not declared");
            return self.reject(element, what, "declare it");
        };
        let name = match namespace {
            "" if self.is_chameleon => Name::new(self.target.clone(), local),
            namespace => Name::new(namespace, local),
        };
        match &self.redefined {
            Some((redefined, former)) if *redefined == name => Ok(former.clone()),
            _ => Ok(name),
        }
    }

    /// The type that an attribute's value names.
    fn type_named(&self, element: &markup::Element, written: &str) -> Result<TypeUse, Problem> {
        let name = self.name(element, written)?;
        if name.is_of_encoding() && *name.local == *"Array" {
            return Ok(TypeUse::Array);
        }
        if let Some(known) = BuiltIn::named(&name) {
            return Ok(TypeUse::BuiltIn(known));
        }
        Ok(TypeUse::Named(name, self.place(element)))
    }

    fn element_declaration(
        &mut self,
        element: &markup::Element,
        name: Name,
        is_global: bool,
    ) -> Result<ElementId, Problem> {
        let head = element.attribute("substitutionGroup").or(element.attribute("equivClass"));
        let head = head.map(|it| self.name(element, it)).transpose()?;
        let of = match (element.attribute("type"), part(element, &["complexType", "simpleType"])) {
            (Some(_), Some(_)) => {
                let what = format!("the element {} has two types", name.local);
                return self.reject(element, what, "take one of them out");
            }
            (Some(written), None) => self.type_named(element, written)?,
            (None, Some(inside)) => TypeUse::Own(self.type_definition(inside, None)?),
            (None, None) => match &head {
                Some(head) => TypeUse::OfHead(head.clone(), self.place(element)),
                None => any_type(),
            },
        };
        let (default, fixed) = self.fixed_or_default(element)?;
        let is_true = |it: &str| matches!(element.attribute(it), Some("true" | "1"));
        let declared = Element {
            name,
            of,
            is_global,
            is_nillable: is_true("nillable") || is_true("nullable"),
            is_abstract: is_true("abstract"),
            default,
            fixed,
            prefixes: element.prefixes(),
            substitutes: head,
            blocked: self.blocked(element),
            keys: self.keys(element)?,
            place: self.place(element),
        };
        self.schemas.elements.push(declared);
        Ok(ElementId(self.schemas.elements.len() - 1))
    }

    /// The keys of an element, by their places among all.
    fn keys(&mut self, element: &markup::Element) -> Result<Vec<usize>, Problem> {
        let mut all = Vec::new();
        for key in parts(element).filter(|it| matches!(&*it.name, "key" | "unique" | "keyref")) {
            let key = self.key(key)?;
            all.push(self.schemas.keys.len());
            self.schemas.keys.push(key);
        }
        Ok(all)
    }

    /// The paths that a selector or field has; none if it says what XML Schema does not know.
    fn paths(&mut self, element: &markup::Element) -> Result<Vec<Path>, Problem> {
        let written = element.attribute("xpath").unwrap_or_default();
        match xpath::parse(written, element.name == "field", |it| element.namespace_of(it)) {
            Ok(paths) => Ok(paths),
            Err(why) if self.schemas.is_strict => {
                let what = format!("the path {written:?}: {why}");
                self.reject(element, what, "write it as XML Schema has it (part 1, section 3.11.6)")
            }
            Err(why) => {
                let what = format!("the path {written:?}: {why}");
                self.warnings.add(&self.document.place(element), what, "it selects nothing");
                Ok(Vec::new())
            }
        }
    }

    fn key(&mut self, element: &markup::Element) -> Result<Key, Problem> {
        let refers_to = match &*element.name {
            "keyref" => Some(self.name(element, self.needed(element, "refer")?)?),
            _ => None,
        };
        Ok(Key {
            name: self.own_name(element)?,
            refers_to,
            is_needed: element.name == "key",
            selector: part(element, &["selector"]).map_or(Ok(Vec::new()), |it| self.paths(it))?,
            fields: parts(element)
                .filter(|it| it.name == "field")
                .map(|it| self.paths(it))
                .collect::<Result<_, _>>()?,
            place: self.place(element),
        })
    }

    fn finals(&self, element: &markup::Element) -> Final {
        match element.attribute("final") {
            None => self.finals,
            said => finals(said),
        }
    }

    fn blocked(&self, element: &markup::Element) -> Blocked {
        match element.attribute("block") {
            None => self.blocked,
            said => blocked(said),
        }
    }

    fn fixed_or_default(
        &self,
        element: &markup::Element,
    ) -> Result<(Option<String>, Option<String>), Problem> {
        match (element.literal("default"), element.literal("fixed")) {
            (Some(_), Some(_)) => {
                let what = "default and fixed of one thing";
                self.reject(element, what, "take one of them out")
            }
            (default, fixed) => Ok((default.map(str::to_owned), fixed.map(str::to_owned))),
        }
    }

    fn add_type(&mut self, of: super::component::Type) -> TypeId {
        self.schemas.types.push(of);
        TypeId(self.schemas.types.len() - 1)
    }
}

fn blocked(said: Option<&str>) -> Blocked {
    Blocked {
        extension: is_said(said, "extension"),
        restriction: is_said(said, "restriction"),
        substitution: is_said(said, "substitution"),
    }
}

fn finals(said: Option<&str>) -> Final {
    Final {
        extension: is_said(said, "extension"),
        restriction: is_said(said, "restriction"),
        list: is_said(said, "list"),
        union: is_said(said, "union"),
    }
}

/// Is a word among others, or `#all`?
fn is_said(said: Option<&str>, word: &str) -> bool {
    let mut words = said.unwrap_or_default().split_ascii_whitespace();
    words.any(|it| it == word || it == "#all")
}

pub(super) fn any_type() -> TypeUse {
    TypeUse::BuiltIn(any_built_in())
}

pub(super) fn any_built_in() -> &'static BuiltIn {
    BuiltIn::of("anyType").expect("it is known")
}
