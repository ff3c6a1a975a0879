//! The elements and types of XML Schema that a description has.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_message::{Layout, ScopeId};
use trunkline_soap::QName;

use super::content::{
    self, Attribute, Content, Element, NamespaceIndex, Occurs, Particle, Place, TARGET,
};
use super::derived::{ByType, Declared, Hierarchy, XSD};
use super::shape::Form;
use super::walk::Walk;
use super::{Description, messages};

/// The namespace of SOAP 1.1's arrays. WSDL has no others, so that they stand for those of SOAP 1.2
/// too.
pub(super) const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

/// The namespace of XML itself, whose prefix is never another.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A type that has a name.
#[derive(Debug)]
pub(super) struct Type {
    namespace: NamespaceIndex,
    pub(super) name: String,
    form: Form,
    pub(super) content: Content,
    /// The type that it is derived from, whose content its own begins with.
    pub(super) base: Option<String>,
}

/// What a global element holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Global {
    /// A type that has this name; or nothing, where it may be nil.
    Type { name: String, nillable: bool },
    /// What members of types of other namespaces refer to.
    Member(Element),
    /// A type of its own, as tools that take wrappers apart expect it.
    Wrapper(Form, Content),
}

impl Global {
    fn of_type(name: String) -> Self {
        Self::Type { name, nillable: false }
    }
}

/// The elements and types of a description.
#[derive(Debug)]
pub(super) struct Types {
    /// Its namespaces.
    namespaces: Vec<String>,
    types: Vec<Type>,
    /// Positions in `types`, by names with prefixes.
    by_name: HashMap<String, usize>,
    elements: Vec<(NamespaceIndex, String, Global)>,
    /// Attributes to which others refer.
    attributes: Vec<(NamespaceIndex, Attribute)>,
    hierarchy: Hierarchy,
    problems: Problems,
    /// Is what may be nil there, nil or not, as our encoder writes it? Senders of SOAP may leave it out.
    pub(super) nil_is_there: bool,
}

/// The first problem of each kind.
#[derive(Debug, Default)]
struct Problems {
    /// An element or attribute that would need two contents.
    clash: Option<String>,
    /// A type whose name stands in messages, and that would need two contents.
    type_clash: Option<String>,
    /// A message of which something is no part of rpc.
    no_part: Option<String>,
    /// Something that XML Schema cannot say.
    unsaid: Option<String>,
}

/// The type that is to be one that holds itself.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    index: usize,
    is_new: bool,
}

/// How much is known at a time.
#[derive(Clone, Copy)]
pub(super) struct Savepoint {
    types: usize,
    elements: usize,
    attributes: usize,
    has_clash: bool,
}

/// The names that a type may have, one after another.
pub(super) struct Candidates {
    stem: String,
    form: Form,
    number: usize,
}

impl Candidates {
    /// The next one that is free, or that of a type of the same form; with its prefix.
    pub(super) fn next_in(&mut self, types: &Types) -> String {
        loop {
            self.number += 1;
            let name = numbered(&self.stem, self.number);
            let known = types.by_name.get(&name).map(|index| &types.types[*index]);
            if known.is_none_or(|it| it.form == self.form) {
                return name;
            }
        }
    }
}

fn numbered(stem: &str, number: usize) -> String {
    if number == 1 { stem.to_owned() } else { format!("{stem}{number}") }
}

impl Types {
    /// None yet of a description.
    pub(super) fn new(description: &Description) -> Self {
        Self::of(&description.namespace, messages::layouts(description))
    }

    /// None yet of these messages of a namespace.
    pub(super) fn of<'a>(namespace: &str, layouts: impl Iterator<Item = &'a Arc<Layout>>) -> Self {
        Self {
            namespaces: vec![namespace.to_owned()],
            types: Vec::new(),
            by_name: HashMap::new(),
            elements: Vec::new(),
            attributes: Vec::new(),
            hierarchy: Hierarchy::of(namespace, layouts),
            problems: Problems::default(),
            nil_is_there: false,
        }
    }

    /// The service's namespace.
    pub(super) fn target(&self) -> &str {
        &self.namespaces[0]
    }

    /// The namespace of this name.
    pub(super) fn namespace_index(&mut self, name: &str) -> NamespaceIndex {
        let known = self.namespaces.iter().position(|it| it == name);
        NamespaceIndex(known.unwrap_or_else(|| {
            self.namespaces.push(name.to_owned());
            self.namespaces.len() - 1
        }))
    }

    pub(super) fn name_of(&self, namespace: NamespaceIndex) -> &str {
        &self.namespaces[namespace.0]
    }

    /// The service's namespace, and others in which there is something.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = NamespaceIndex> {
        let has = |namespace: NamespaceIndex| {
            self.types_in(namespace).next().is_some()
                || self.elements_in(namespace).next().is_some()
                || self.attributes_in(namespace).next().is_some()
        };
        (0..self.namespaces.len()).map(NamespaceIndex).filter(move |it| *it == TARGET || has(*it))
    }

    /// The prefixes that are others: there is none of a namespace without a name, and that of XML itself is its own.
    pub(super) fn renamed(&self) -> Vec<(String, &'static str)> {
        let all = self.namespaces.iter().enumerate().filter_map(|(index, name)| {
            let prefix = || format!("{}:", NamespaceIndex(index).prefix());
            match &**name {
                "" => Some((prefix(), "")),
                XML => Some((prefix(), "xml:")),
                _ => None,
            }
        });
        all.collect()
    }

    /// Namespaces with the attributes that declare their prefixes, but for those that are [others](Self::renamed).
    pub(super) fn declared_prefixes(&self) -> Vec<(String, &str)> {
        let all = self.namespaces().map(|it| (format!("xmlns:{}", it.prefix()), self.name_of(it)));
        all.filter(|it| !matches!(it.1, "" | XML)).collect()
    }

    pub(super) fn types_in(&self, namespace: NamespaceIndex) -> impl Iterator<Item = &Type> {
        self.types.iter().filter(move |it| it.namespace == namespace)
    }

    pub(super) fn elements_in(
        &self,
        namespace: NamespaceIndex,
    ) -> impl Iterator<Item = (&str, &Global)> {
        let all = self.elements.iter().filter(move |it| it.0 == namespace);
        all.map(|(_, name, global)| (&**name, global))
    }

    pub(super) fn attributes_in(
        &self,
        namespace: NamespaceIndex,
    ) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |it| it.0 == namespace).map(|it| &it.1)
    }

    /// The name of the element that is a message, a header block or a fault's detail.
    pub(super) fn message_element(&mut self, layout: &Layout, form: Form) -> String {
        let type_name = self.message_type(layout, form);
        self.element(TARGET, layout.name(), Global::of_type(type_name))
    }

    /// Adds an element of a namespace that may be a whole document.
    ///
    /// # Errors
    /// XML Schema cannot say what it holds, or it is known with another content; then nothing is added.
    pub(super) fn document(
        &mut self,
        (namespace, name): (&str, &str),
        layout: &Layout,
        (form, nillable): (Form, bool),
    ) -> Result<(), String> {
        let savepoint = self.savepoint();
        let namespace = self.namespace_index(namespace);
        let type_name = self.message_type(layout, form);
        self.element(namespace, name, Global::Type { name: type_name, nillable });
        let Some(why) = self.problem_since(savepoint.types) else { return Ok(()) };
        self.forget(savepoint);
        self.problems = Problems::default();
        Err(why)
    }

    /// The name of the element around the fields of a message.
    pub(super) fn wrapper(&mut self, name: &str, layout: &Layout, form: Form) -> String {
        let mut walk = Walk::new(self, layout, form);
        let home = walk.home(layout.schema().root());
        let global = match home == TARGET {
            true => Global::Wrapper(form, walk.content(ScopeId(0), home)),
            // Its members are local to the schema of another namespace.
            false => Global::of_type(walk.scope(ScopeId(0))),
        };
        self.element(TARGET, name, global)
    }

    /// The name of a message's own type.
    pub(super) fn message_type(&mut self, layout: &Layout, form: Form) -> String {
        Walk::new(self, layout, form).scope(ScopeId(0))
    }

    /// The parts that a message is in rpc.
    pub(super) fn parts(&mut self, layout: &Layout, form: Form) -> Vec<Element> {
        let particles = match Walk::new(self, layout, form).content(ScopeId(0), TARGET) {
            Content::Sequence(particles, attributes) => {
                for attribute in attributes {
                    self.reject_part(layout, &format!("the attribute {}", attribute.name), NO_PART);
                }
                particles
            }
            Content::Choice(arms, occurs) => vec![Particle::Choice(arms, occurs)],
            Content::Text(..) | Content::Mixed(..) => {
                self.reject_part(layout, "a text", NO_PART);
                Vec::new()
            }
            _ => Vec::new(),
        };
        let is_unqualified = |it: &Element| it.place == Place::Local { is_qualified: false };
        let mut parts = Vec::new();
        for particle in particles {
            match particle {
                Particle::Element(element) if element.place == Place::Anywhere => {
                    self.reject_part(layout, &format!("{}, an any,", element.name), NO_PART);
                }
                Particle::Element(element) if !is_unqualified(&element) => {
                    self.reject_part(layout, &format!("{} of a namespace", element.name), NO_PART);
                }
                Particle::Element(element) if element.nillable && form != Form::Encoded => {
                    let what = format!("{}, which may be nil,", element.name);
                    self.reject_part(layout, &what, NO_PART);
                }
                Particle::Element(element) if element.occurs.most == Some(1) => {
                    parts.push(self.restricted(element, form));
                }
                Particle::Element(element) => self.reject_part(layout, &element.name, NOT_ONCE),
                Particle::Choice(arms, _) => {
                    let names: Vec<&str> = arms.iter().map(|it| &*it.name).collect();
                    self.reject_part(layout, &format!("one of {}", names.join(", ")), NOT_ONCE);
                }
            }
        }
        parts
    }

    fn reject_part(&mut self, layout: &Layout, what: &str, why: &str) {
        let message = layout.name();
        self.problems.no_part.get_or_insert_with(|| {
            format!(
                "the message {message} has {what} in it, which {why}: put it into a struct, or use \
                 document/literal"
            )
        });
    }

    /// XML Schema cannot describe the message.
    pub(super) fn reject(&mut self, why: String) {
        self.problems.unsaid.get_or_insert(why);
    }

    pub(super) fn has_encoded_arrays(&self) -> bool {
        self.types.iter().any(|it| matches!(it.content, Content::Array(_)))
    }

    /// Why no description can be written: an element that would need two contents (elements cannot be
    /// numbered, since their names stand in messages), an encoded type that would, since two structs
    /// have its name, what cannot be a part of rpc, since each stands exactly once.
    pub(super) fn problem(&self) -> Option<String> {
        self.problem_since(0)
    }

    /// The same of types from this one on.
    fn problem_since(&self, first: usize) -> Option<String> {
        let Problems { clash, type_clash, no_part, unsaid } = &self.problems;
        let type_clash = type_clash.as_ref().map(|name| {
            format!(
                "two different structs are named {name}, which encoded messages name their types by; \
                 give one another name: #[message(name = \"...\")]"
            )
        });
        let known = clash.iter().chain(no_part).chain(&type_clash).chain(unsaid).next().cloned();
        known.or_else(|| self.types[first..].iter().find_map(|it| self.extension(it).err()))
    }

    /// Its name with the prefix.
    fn element(&mut self, namespace: NamespaceIndex, name: &str, global: Global) -> String {
        let mut all = self.elements.iter();
        match all.find(|it| it.0 == namespace && it.1 == name) {
            None => self.elements.push((namespace, name.to_owned(), global)),
            Some(known) if known.2 != global => self.clash("element", namespace, name),
            Some(_) => {}
        }
        format!("{}:{name}", namespace.prefix())
    }

    #[cold]
    fn clash(&mut self, what: &str, namespace: NamespaceIndex, name: &str) {
        let of = match namespace {
            TARGET => String::new(),
            namespace => format!(" of {}", self.name_of(namespace)),
        };
        let clash = format!("the {what} {name}{of} would have two different contents");
        self.problems.clash.get_or_insert(clash);
    }

    /// An element to which members refer.
    pub(super) fn global_element(&mut self, namespace: NamespaceIndex, element: &Element) {
        // How often it stands, and where, those say that refer to it.
        let (occurs, place) = (Occurs::ONCE, Place::Local { is_qualified: true });
        let mut element = Element { occurs, place, ..element.clone() };
        let mut known =
            self.elements.iter_mut().filter(|it| it.0 == namespace && it.1 == element.name);
        if let Some((.., Global::Member(known))) = known.next()
            && known.default != element.default
        {
            // It would be that of all.
            (known.default, element.default) = (None, None);
        }
        self.element(namespace, &element.name.clone(), Global::Member(element));
    }

    /// An attribute to which members refer.
    pub(super) fn global_attribute(&mut self, namespace: NamespaceIndex, attribute: &Attribute) {
        // Whether it has to be there, and what it is where it is not, those say that refer to it.
        let place = Place::Local { is_qualified: false };
        let attribute = Attribute { is_required: false, place, default: None, ..attribute.clone() };
        match self.attributes.iter().find(|it| it.0 == namespace && it.1.name == attribute.name) {
            None => self.attributes.push((namespace, attribute)),
            Some(known) if known.1 != attribute => {
                self.clash("attribute", namespace, &attribute.name);
            }
            Some(_) => {}
        }
    }

    /// The type that a struct, choice or enumeration becomes.
    pub(super) fn of_struct(
        &mut self,
        namespace: NamespaceIndex,
        name: &str,
        form: Form,
        content: Content,
    ) -> String {
        let full = format!("{}:{name}", namespace.prefix());
        if let Some(known) = self.by_name.get(&full).map(|index| &self.types[*index])
            && known.content != content
        {
            self.note_clash(&full, form);
        }
        self.complex(namespace, name, form, content)
    }

    /// Literal types are numbered, as their names stand nowhere else; those that are encoded are not.
    fn note_clash(&mut self, full: &str, form: Form) {
        let known = self.by_name.get(full).map(|index| &self.types[*index]);
        if let Some(known) = known.filter(|it| form == Form::Encoded && it.form == form) {
            let name = known.name.clone();
            self.problems.type_clash.get_or_insert(name);
        }
    }

    /// The type of this content: the one that is there, or a new one; numbered where another has
    /// the name. Values look the same in every form.
    pub(super) fn complex(
        &mut self,
        namespace: NamespaceIndex,
        stem: &str,
        form: Form,
        content: Content,
    ) -> String {
        let stem = format!("{}:{stem}", namespace.prefix());
        for name in (1..).map(|number| numbered(&stem, number)) {
            let Some(known) = self.by_name.get(&name).map(|index| &self.types[*index]) else {
                self.add(namespace, &name, form, content);
                return name;
            };
            if (known.form == form || content.is_of_any_form()) && known.content == content {
                return name;
            }
        }
        unreachable!("there is always another number")
    }

    fn add(
        &mut self,
        namespace: NamespaceIndex,
        full: &str,
        form: Form,
        content: Content,
    ) -> usize {
        let index = self.types.len();
        self.by_name.insert(full.to_owned(), index);
        let name = full.split_once(':').map_or(full, |it| it.1).to_owned();
        self.types.push(Type { namespace, name, form, content, base: None });
        index
    }

    /// An element of a type that has a name, though its values keep to more than that of XML Schema says.
    fn restricted(&mut self, element: Element, form: Form) -> Element {
        if element.facets.is_empty() {
            return element;
        }
        let content = Content::Restricted(element.type_name, element.facets);
        let type_name = self.complex(TARGET, &element.name, form, content);
        Element { type_name, facets: Vec::new(), ..element }
    }

    /// Is there a type of this name, with its prefix?
    pub(super) fn has(&self, full: &str) -> bool {
        self.by_name.contains_key(full)
    }

    /// The names that a type which holds itself may have.
    pub(super) fn candidates(
        &self,
        namespace: NamespaceIndex,
        stem: &str,
        form: Form,
    ) -> Candidates {
        Candidates { stem: format!("{}:{stem}", namespace.prefix()), form, number: 0 }
    }

    /// How much there is, to [forget](Self::forget) what comes.
    pub(super) fn savepoint(&self) -> Savepoint {
        let Self { types, elements, attributes, problems, .. } = self;
        Savepoint {
            types: types.len(),
            elements: elements.len(),
            attributes: attributes.len(),
            has_clash: problems.clash.is_some(),
        }
    }

    pub(super) fn forget(&mut self, savepoint: Savepoint) {
        self.types.truncate(savepoint.types);
        self.by_name.retain(|_, index| *index < savepoint.types);
        self.elements.truncate(savepoint.elements);
        self.attributes.truncate(savepoint.attributes);
        self.problems.clash = self.problems.clash.take().filter(|_| savepoint.has_clash);
    }

    /// Gives a type its name before its content is known; that which has the name may turn out to
    /// be the same.
    pub(super) fn claim(&mut self, namespace: NamespaceIndex, full: &str, form: Form) -> Claim {
        match self.by_name.get(full) {
            Some(index) => Claim { index: *index, is_new: false },
            None => Claim { index: self.add(namespace, full, form, Content::Open), is_new: true },
        }
    }

    /// Is this what the type holds? It is if it was not known.
    pub(super) fn settle(&mut self, claim: Claim, content: Content) -> bool {
        let known = &mut self.types[claim.index];
        if claim.is_new {
            known.content = content;
            return true;
        }
        let is_same = known.content == content;
        if !is_same {
            let (full, form) = (format!("{}:{}", known.namespace.prefix(), known.name), known.form);
            self.note_clash(&full, form);
        }
        is_same
    }
}

/// Types that messages name: those of the arms of choices by type.
impl Types {
    /// The type that an element has which is a choice by type.
    pub(super) fn declared(&mut self, choice: &ByType, form: Form) -> String {
        let declared = self.hierarchy.declared(choice);
        self.declared_name(&declared, form)
    }

    fn declared_name(&mut self, declared: &Declared, form: Form) -> String {
        match declared {
            Declared::Base(name) => self.type_name(name).1,
            // Arrays of the encoding say that they are of any type where there is no base.
            Declared::Abstract(name) if form != Form::Encoded => {
                // Messages do not name it.
                let namespace = match &*name.namespace {
                    "" => TARGET,
                    namespace => self.namespace_index(namespace),
                };
                self.complex(namespace, &name.local, form, Content::Abstract)
            }
            Declared::Abstract(_) | Declared::Any => "xsd:anyType".into(),
        }
    }

    /// The namespace of a type that messages name, and its name with the prefix.
    pub(super) fn type_name(&mut self, name: &QName) -> (NamespaceIndex, String) {
        if name.namespace.is_empty() && !self.target().is_empty() {
            self.reject(format!(
                "the type {name} is in no namespace, which has no types here: note another of it"
            ));
        }
        let namespace = match &*name.namespace {
            XSD => return (TARGET, format!("xsd:{}", name.local)),
            "" => TARGET,
            namespace => self.namespace_index(namespace),
        };
        (namespace, format!("{}:{}", namespace.prefix(), name.local))
    }

    /// What the type of such a name holds, which is never numbered.
    pub(super) fn settle_named(&mut self, claim: Claim, name: &QName, content: Content) {
        if !self.settle(claim, content) {
            self.reject(format!(
                "the type {name}, which messages name, would have two different contents: give one \
                 another name, #[xml(type = \"...\")], or a binding a service of its own"
            ));
        }
    }

    /// Says what the type of such a name is derived from.
    pub(super) fn derive(&mut self, name: &QName, form: Form) {
        let above = match self.hierarchy.above(name) {
            Ok(above) => above.cloned(),
            Err(why) => return self.reject(why),
        };
        let base = above.map(|it| self.declared_name(&it, form)).filter(|it| it != "xsd:anyType");
        let (_, full) = self.type_name(name);
        if let Some(index) = self.by_name.get(&full)
            && !self.types[*index].content.is_simple()
        {
            self.types[*index].base = base;
        }
    }

    /// What a type has beyond the one that it is derived from, if it is.
    ///
    /// # Errors
    /// It does not begin as that does.
    pub(super) fn extension<'a>(
        &self,
        known: &'a Type,
    ) -> Result<Option<(&'a str, Content)>, String> {
        let Some(base) = &known.base else { return Ok(None) };
        let Some(above) = self.by_name.get(base).map(|index| &self.types[*index]) else {
            return Ok(None);
        };
        let resolved = |place: Place, home: NamespaceIndex| match place {
            Place::Local { is_qualified } => is_qualified.then_some(home),
            Place::Global(namespace) => Some(namespace),
            Place::Anywhere => None,
        };
        let is_same = |one: &Element, other: &Element| {
            let other = Element { place: one.place, ..other.clone() };
            *one == other
        };
        let is_same_place = |one: &Element, other: &Element| {
            resolved(one.place, above.namespace) == resolved(other.place, known.namespace)
        };
        let same =
            |one: &Element, other: &Element| is_same(one, other) && is_same_place(one, other);
        match content::beyond(&above.content, &known.content, base, &same) {
            Some(content) => Ok(Some((base, content))),
            None => Err(format!(
                "the type {} is derived from {base}, and does not begin with the members of that: let \
                 it list them first",
                known.name
            )),
        }
    }
}

/// Why something cannot be a part of rpc.
const NOT_ONCE: &str = "may stand otherwise than once, as parts of rpc do";
const NO_PART: &str = "is no part of rpc";
