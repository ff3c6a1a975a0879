//! XML Schema 1.0, and its drafts of 1999 and 2000: elements become layouts whose plans of SOAP read and write
//! documents of the schema.
//!
//! | XML Schema | layout |
//! |---|---|
//! | an element with elements or attributes | a struct; with text, it has a member `value`, with mixed content `content` |
//! | `maxOccurs` above 1 | a list, its elements side by side |
//! | `choice`; a substitution group | a choice by element; where it repeats, a list of its arms in their order |
//! | a `sequence` or `all` that repeats | the same: a list of what stands in it, in its order |
//! | a choice of which arms are more than one element | members that may be absent |
//! | a type from which others are derived | a choice by `xsi:type`; of a whole document, [a layout each](Schemas::layout_as) |
//! | `list`; `union` | a list in one text; a text |
//! | `enumeration`; the other facets | an enumeration; [facets](trunkline_message::Checks) |
//! | `any`, `anyType`, `anySimpleType` | content of any shape |
//!
//! What elements and attributes are in which namespaces is noted for every one of them, so that a plan needs
//! nothing but the name of the element: [`Schemas::layout`].

pub(crate) mod builtin;
pub(crate) mod component;
mod content;
mod documents;
mod facets;
mod grammar;
mod keys;
mod layout;
mod lookup;
pub(crate) mod missing;
pub(crate) mod name;
mod reader;
mod restriction;
mod simple;
mod union;
mod validate;
mod wildcard;
mod xpath;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use trunkline_message::Layout;

pub use component::{ElementId, TypeId};
pub use name::Name;
pub use validate::{Validation, Violation};

pub(crate) use documents::Documents;
pub use documents::located;
pub(crate) use layout::{Builder, Members};

use crate::markup::{self, Document};
use crate::problem::Warnings;
use crate::{Limits, Place, Problem, Resolver};
use component::{Attribute, AttributeGroup, Element, Group, Key, Type, TypeBody};
use content::Arm;
use documents::{Pending, Wanted};
use lookup::Found;
use missing::Missing;

/// What schemas define.
#[derive(Debug)]
pub struct Schemas {
    elements: Vec<Element>,
    types: Vec<Type>,
    global_elements: HashMap<Name, ElementId>,
    named_types: HashMap<Name, TypeId>,
    groups: HashMap<Name, Group>,
    attributes: HashMap<Name, Attribute>,
    attribute_groups: HashMap<Name, AttributeGroup>,
    keys: Vec<Key>,
    notations: HashSet<Name>,
    /// By the name of the head, the members of substitution groups.
    substitutes: HashMap<Name, Vec<ElementId>>,
    /// By their base, the types that are derived from a type that has a name.
    derived: HashMap<TypeId, Vec<TypeId>>,
    /// Is what XML Schema forbids rejected, though it can be understood?
    is_strict: bool,
    /// Is what is wrong left out, and told where it is needed?
    pub(crate) is_in_part: bool,
    left_out: Vec<(Arc<str>, Problem)>,
    /// Namespaces that are imported, and of which no schema is there.
    foreign: HashSet<Arc<str>>,
    pending: Pending,
    /// Documents that are not read.
    missing: Missing,
    warnings: Vec<Problem>,
    /// What documents are held against, made when the first one is.
    rules: OnceLock<validate::Rules>,
}

impl Schemas {
    /// Reads a schema and those that it includes, imports or redefines. The resolver is asked for paths relative
    /// as the first, and for URLs as they stand, also for the name of a namespace that is imported without a
    /// location.
    ///
    /// # Errors
    /// A document is not there, is no schema, or says what XML Schema forbids; or it is beyond the limits.
    pub fn read(path: &str, resolver: &mut dyn Resolver, limits: &Limits) -> Result<Self, Problem> {
        let mut documents = Documents::new(resolver, limits);
        let start = Place { file: path.into(), line: 1, column: 1 };
        let document = documents.get(path, &start)?;
        let mut schemas = Self { is_strict: true, ..Self::empty() };
        let mut warnings = Warnings::new(limits.warnings);
        schemas.add_document(&document, None, None, &mut warnings)?;
        schemas.finish(&mut documents, &mut warnings)?;
        schemas.check()?;
        schemas.warnings = warnings.all();
        Ok(schemas)
    }

    pub(crate) fn empty() -> Self {
        Self {
            elements: Vec::new(),
            types: Vec::new(),
            global_elements: HashMap::new(),
            named_types: HashMap::new(),
            groups: HashMap::new(),
            attributes: HashMap::new(),
            attribute_groups: HashMap::new(),
            keys: Vec::new(),
            notations: HashSet::new(),
            substitutes: HashMap::new(),
            derived: HashMap::new(),
            is_strict: false,
            is_in_part: false,
            left_out: Vec::new(),
            foreign: HashSet::new(),
            pending: Pending::default(),
            missing: Missing::default(),
            warnings: Vec::new(),
            rules: OnceLock::new(),
        }
    }

    /// Adds a document that is a schema.
    fn add_document(
        &mut self,
        document: &Arc<Document>,
        included_in: Option<Arc<str>>,
        imported_as: Option<(Arc<str>, &Place)>,
        warnings: &mut Warnings,
    ) -> Result<(), Problem> {
        let root = &document.root;
        if !name::SCHEMA.contains(&&*root.namespace) || root.name != "schema" {
            let what = format!("{} is no schema: its root is {}", document.file, root.name);
            return Err(Problem::new(&document.place(root), what, "name a document of XML Schema"));
        }
        if let Some((namespace, place)) = imported_as {
            let target = root.attribute("targetNamespace").unwrap_or_default();
            if *target != *namespace {
                let what = format!(
                    "the schema {} is imported as that of the namespace {namespace:?}, and is that of {target:?}",
                    document.file
                );
                return Err(Problem::new(
                    place,
                    what,
                    "let the import name the namespace of the schema",
                ));
            }
        }
        self.add(document, root, included_in, warnings)
    }

    /// Adds what a schema defines, which may stand in a description of services.
    pub(crate) fn add(
        &mut self,
        document: &Document,
        schema: &markup::Element,
        included_in: Option<Arc<str>>,
        warnings: &mut Warnings,
    ) -> Result<(), Problem> {
        reader::read(self, document, schema, included_in, warnings)
    }

    /// Reads what the schemas so far name, and notes what belongs together.
    pub(crate) fn finish(
        &mut self,
        documents: &mut Documents<'_>,
        warnings: &mut Warnings,
    ) -> Result<(), Problem> {
        loop {
            while let Some(wanted) = self.pending.next.pop() {
                let namespace = wanted.imported_as.clone().or(wanted.included_in.clone());
                let path = wanted.path.clone();
                if let Err(problem) = self.read_wanted(documents, wanted, warnings) {
                    documents.miss(&path, namespace.as_deref(), problem)?;
                }
            }
            let Some((namespace, place)) = self.pending.nowhere.pop() else { break };
            if self.knows(&namespace) {
                continue;
            }
            match documents.of_namespace(&namespace, &place)? {
                Some(document) => {
                    self.add_document(&document, None, Some((namespace, &place)), warnings)?;
                }
                None if !namespace.is_empty() => {
                    if *namespace != *name::XML {
                        let what =
                            format!("no schema of the imported namespace {namespace} is there");
                        warnings.add(&place, what, "what is of it has any content");
                    }
                    self.foreign.insert(namespace);
                }
                None => {}
            }
        }
        // What is redefined may redefine others.
        while let Some(redefinition) = self.pending.redefinitions.pop() {
            let start = Place { file: (&*redefinition.path).into(), line: 1, column: 1 };
            let document = documents.get(&redefinition.path, &start)?;
            reader::redefine(self, &document, &redefinition, warnings)?;
        }
        for (namespace, problem) in std::mem::take(&mut self.left_out) {
            let file = problem.place.file.clone();
            documents.miss(&file, Some(&*namespace), problem)?;
        }
        self.missing = documents.take_missing();
        let known: Vec<Arc<str>> =
            self.foreign.iter().filter(|it| self.knows(it)).cloned().collect();
        known.iter().for_each(|it| _ = self.foreign.remove(it));
        self.link();
        if let Some(first) = self.keys.first() {
            let what = match self.keys.len() {
                1 => format!("there is a key, {}", first.name),
                count => format!("there are {count} keys, of which {} is the first", first.name),
            };
            let remedy = "whether values are unique, or those that they refer to are there, is checked by `--check` alone";
            warnings.add_beyond_layouts(&first.place, what, remedy);
        }
        self.warn_of_lists(warnings);
        Ok(())
    }

    /// A layout says of a list what each of its values is, and how many there are.
    fn warn_of_lists(&self, warnings: &mut Warnings) {
        let beyond: Vec<&Type> = self.types.iter().filter(|it| self.restricts_list(it)).collect();
        let Some(first) = beyond.first() else { return };
        let what = match beyond.len() {
            1 => "there is a type of lists with a pattern or an enumeration".to_owned(),
            count => format!(
                "there are {count} types of lists with a pattern or an enumeration, of which this is the first"
            ),
        };
        let remedy = "whether a list as a whole is as these say is checked by `--check` alone";
        warnings.add_beyond_layouts(&first.place, what, remedy);
    }

    /// Reads a schema that another one names.
    fn read_wanted(
        &mut self,
        documents: &mut Documents<'_>,
        wanted: Wanted,
        warnings: &mut Warnings,
    ) -> Result<(), Problem> {
        let Wanted { path, included_in, imported_as, place } = wanted;
        let found = match documents.find(&path, &place)? {
            Some(document) => Some(document),
            None => {
                let published = imported_as.as_deref().and_then(documents::published);
                published.map_or(Ok(None), |it| documents.find(it, &place))?
            }
        };
        let document = match found {
            Some(document) => document,
            // Its attributes are known.
            None if imported_as.as_deref() == Some(name::XML) => {
                self.foreign.extend(imported_as);
                return Ok(());
            }
            None => documents.get(&path, &place)?,
        };
        let imported = imported_as.map(|it| (it, &place));
        self.add_document(&document, included_in, imported, warnings)
    }

    /// Is there anything of a namespace?
    fn knows(&self, namespace: &str) -> bool {
        let is_it = |it: &Name| *it.namespace == *namespace;
        self.global_elements.keys().any(is_it)
            || self.named_types.keys().any(is_it)
            || self.attributes.keys().any(is_it)
            || self.groups.keys().any(is_it)
            || self.attribute_groups.keys().any(is_it)
    }

    /// The elements that may be whole documents, by name.
    pub fn elements(&self) -> impl Iterator<Item = (&Name, ElementId)> {
        self.global_elements.iter().map(|(name, id)| (name, *id))
    }

    /// The types that have names.
    pub fn types(&self) -> impl Iterator<Item = (&Name, TypeId)> {
        let is_own = |it: &(&Name, &TypeId)| self.types[it.1.0].name.is_some();
        self.named_types.iter().filter(is_own).map(|(name, id)| (name, *id))
    }

    /// The element of this name.
    pub fn element(&self, name: &Name) -> Option<ElementId> {
        self.global_elements.get(name).copied()
    }

    /// The type of this name.
    pub fn type_named(&self, name: &Name) -> Option<TypeId> {
        self.named_types.get(name).copied()
    }

    /// The name of an element.
    pub fn name_of(&self, element: ElementId) -> &Name {
        &self.elements[element.0].name
    }

    /// Where an element is declared.
    pub fn place_of(&self, element: ElementId) -> &Place {
        &self.elements[element.0].place
    }

    /// The documents that are not read, with the reasons.
    pub(crate) fn missing(&self) -> String {
        self.missing.all()
    }

    /// Those that may have something of a namespace.
    pub(crate) fn missing_of(&self, namespace: &str) -> String {
        self.missing.of(namespace)
    }

    /// What is odd, but can be lived with.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The layout of documents that are this element. A plan of SOAP for it has the operation and namespace of
    /// the element's name, the style document/literal, and the layout of an operation; for the element by itself,
    /// of a fragment.
    ///
    /// # Errors
    /// The element holds what has no form: where, and what to do.
    pub fn layout(&self, element: ElementId) -> Result<Layout, Problem> {
        let mut builder = Builder::new(self, false);
        let root = builder.document(element)?;
        builder.finish(root, &self.elements[element.0].place)
    }

    /// The types that `xsi:type` of a document of this element may name, if others are derived from its own: those, and its
    /// own, as far as they are not abstract.
    pub fn types_of(&self, element: ElementId) -> Vec<TypeId> {
        let Ok(Found::Type(id, _)) = self.found(&self.elements[element.0].of) else {
            return Vec::new();
        };
        let derived = self.derived(id, self.elements[element.0].blocked);
        let own = (!derived.is_empty()).then_some(id);
        let is_whole = |it: &TypeId| match &self.types[it.0].body {
            TypeBody::Complex(complex) => !complex.is_abstract && self.type_name(*it).is_some(),
            TypeBody::Simple(_) => false,
        };
        own.into_iter().chain(derived).filter(is_whole).collect()
    }

    /// Is an element of an abstract type, so that a document has to [name another](Self::types_of)?
    pub fn is_open(&self, element: ElementId) -> bool {
        match self.found(&self.elements[element.0].of) {
            Ok(Found::Type(_, Type { body: TypeBody::Complex(complex), .. })) => {
                complex.is_abstract
            }
            _ => false,
        }
    }

    /// May the element at a path inside another one be nil? What only derived types have is not found.
    pub fn is_nillable(&self, mut element: ElementId, path: &[&str]) -> bool {
        for step in path {
            let Ok(Found::Type(_, of)) = self.found(&self.at(element).of) else { return false };
            let items = self.content(of).unwrap_or_default();
            let found = items.iter().flat_map(|it| &it.arms).find_map(|arm| match arm {
                Arm::Element(id) if *self.at(*id).name.local == **step => Some(*id),
                _ => None,
            });
            let Some(found) = found else { return false };
            element = found;
        }
        self.at(element).is_nillable
    }

    /// Is an element abstract, so that another stands for it in documents?
    pub(crate) fn is_abstract(&self, element: ElementId) -> bool {
        self.elements[element.0].is_abstract
    }

    /// The name of a type; none of one that is defined where it is used.
    pub fn type_name(&self, of: TypeId) -> Option<&Name> {
        self.types[of.0].name.as_ref()
    }

    /// The layout of documents that are this element and whose `xsi:type` names this type, which is one
    /// [of its types](Self::types_of). It is called as the type; a plan of it is made as [of others](Self::layout).
    ///
    /// # Errors
    /// As [`layout`](Self::layout).
    pub fn layout_as(&self, element: ElementId, of: TypeId) -> Result<Layout, Problem> {
        let mut builder = Builder::new(self, false);
        let root = builder.document_as(element, of)?;
        builder.finish(root, &self.types[of.0].place)
    }

    /// The layout of documents whose element has this name and is of this type.
    pub(crate) fn layout_of(
        &self,
        of: &component::TypeUse,
        name: &Name,
        place: &Place,
        is_encoded: bool,
    ) -> Result<Layout, Problem> {
        let mut builder = Builder::new(self, is_encoded);
        let root = builder.document_of(of, name, place, None)?;
        builder.finish(root, place)
    }

    /// The layout of documents of this name that are an array of the encoding, one item behind the other; none of what is none.
    pub(crate) fn layout_of_items(
        &self,
        of: &component::TypeUse,
        name: &Name,
        place: &Place,
    ) -> Result<Option<Layout>, Problem> {
        let mut builder = Builder::new(self, false);
        let root = builder.document_of_items(of, name)?;
        root.map(|it| builder.finish(it, place)).transpose()
    }
}
