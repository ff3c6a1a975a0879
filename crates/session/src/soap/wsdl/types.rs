//! The elements and types of XML Schema that a description has.

use std::collections::HashMap;

use trunkline_message::{Field, Layout, ScopeId};

use super::Description;
use super::markup::Markup;
use super::shape::{Form, Shape};
use super::walk::Walk;

/// The namespace of SOAP 1.1's arrays. WSDL has no others, so that they stand for those of SOAP 1.2
/// too.
pub(super) const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

/// How often something may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurs {
    least: u32,
    /// None is without bounds.
    most: Option<u32>,
}

impl Occurs {
    pub(super) const ONCE: Self = Self { least: 1, most: Some(1) };
    pub(super) const MAYBE: Self = Self { least: 0, most: Some(1) };

    /// The items of a list.
    pub(super) fn of_items(list: &Field) -> Self {
        Self { least: list.fixed.unwrap_or(0), most: list.fixed }
    }

    /// As attributes, those left out that say what holds without them.
    fn attributes(self) -> Vec<(&'static str, String)> {
        let least = (self.least != 1).then(|| ("minOccurs", self.least.to_string()));
        let most = self.most.map_or("unbounded".into(), |it| it.to_string());
        let most = (self.most != Some(1)).then_some(("maxOccurs", most));
        least.into_iter().chain(most).collect()
    }
}

/// An element inside a type, or a part of an rpc message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    /// With its prefix: `xsd:int`, `tns:customer`.
    pub(super) type_name: String,
    pub(super) occurs: Occurs,
}

/// What stands in a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Particle {
    Element(Element),
    /// One of these.
    Choice(Vec<Element>, Occurs),
}

/// What a type is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// These in this order.
    Sequence(Vec<Particle>),
    /// One of these elements, so often.
    Choice(Vec<Element>, Occurs),
    /// An array of the SOAP encoding: the type of the items, and brackets.
    Array(String),
    /// One of these texts.
    Enumeration(Vec<String>),
    /// Not known yet, as the type holds itself.
    Open,
}

#[derive(Debug)]
struct Type {
    name: String,
    form: Form,
    content: Content,
}

/// What a global element holds.
#[derive(Debug, PartialEq, Eq)]
enum Global {
    /// A type that has this name.
    Type(String),
    /// A type of its own, as tools that take wrappers apart expect it.
    Wrapper(Form, Content),
}

/// The elements and types of a description.
#[derive(Debug, Default)]
pub(super) struct Types {
    types: Vec<Type>,
    /// Positions in `types`.
    by_name: HashMap<String, usize>,
    elements: Vec<(String, Global)>,
    /// Positions in `elements`.
    element_by_name: HashMap<String, usize>,
    /// An element that would need two contents.
    clash: Option<String>,
    /// A type whose name stands in messages, and that would need two contents.
    type_clash: Option<String>,
    /// The first message of which something is no part of rpc, and what.
    no_part: Option<(String, String)>,
}

/// The type that is to be one that holds itself.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    index: usize,
    is_new: bool,
}

/// The names that a type may have, one after another.
pub(super) struct Candidates {
    stem: String,
    form: Form,
    number: usize,
}

impl Candidates {
    /// The next one that is free, or that of a type of the same form.
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
    /// The name of the element that is a message, a header block or a fault's detail.
    pub(super) fn message_element(&mut self, layout: &Layout, form: Form) -> String {
        let type_name = self.message_type(layout, form);
        self.element(layout.name(), Global::Type(type_name))
    }

    /// The name of the element around the fields of a message.
    pub(super) fn wrapper(&mut self, name: &str, layout: &Layout, form: Form) -> String {
        let content = Walk::new(self, layout, form).content(ScopeId(0));
        self.element(name, Global::Wrapper(form, content))
    }

    /// The name of a message's own type.
    pub(super) fn message_type(&mut self, layout: &Layout, form: Form) -> String {
        Walk::new(self, layout, form).scope(ScopeId(0))
    }

    /// The parts that a message is in rpc.
    pub(super) fn parts(&mut self, layout: &Layout, form: Form) -> Vec<Element> {
        let particles = match Walk::new(self, layout, form).content(ScopeId(0)) {
            Content::Sequence(particles) => particles,
            Content::Choice(arms, occurs) => vec![Particle::Choice(arms, occurs)],
            Content::Array(_) | Content::Enumeration(_) | Content::Open => Vec::new(),
        };
        let mut parts = Vec::new();
        for particle in particles {
            match particle {
                Particle::Element(element) if element.occurs.most == Some(1) => parts.push(element),
                Particle::Element(element) => self.refuse_part(layout, &element.name),
                Particle::Choice(arms, _) => {
                    let names: Vec<&str> = arms.iter().map(|it| &*it.name).collect();
                    self.refuse_part(layout, &format!("one of {}", names.join(", ")));
                }
            }
        }
        parts
    }

    fn refuse_part(&mut self, layout: &Layout, what: &str) {
        self.no_part.get_or_insert_with(|| (layout.name().into(), what.into()));
    }

    pub(super) fn has_encoded_arrays(&self) -> bool {
        self.types.iter().any(|it| matches!(it.content, Content::Array(_)))
    }

    /// The first element that would need two contents. It has one of them: elements cannot be
    /// numbered, since their names stand in messages.
    pub(super) fn clash(&self) -> Option<&str> {
        self.clash.as_deref()
    }

    /// The first encoded type that would need two contents, since two structs have its name.
    pub(super) fn type_clash(&self) -> Option<&str> {
        self.type_clash.as_deref()
    }

    /// The first message of which something cannot be a part of rpc, and what: each part stands exactly
    /// once.
    pub(super) fn no_part(&self) -> Option<(&str, &str)> {
        self.no_part.as_ref().map(|(message, what)| (&**message, &**what))
    }

    fn element(&mut self, name: &str, global: Global) -> String {
        match self.element_by_name.get(name) {
            None => {
                self.element_by_name.insert(name.into(), self.elements.len());
                self.elements.push((name.into(), global));
            }
            Some(index) if self.elements[*index].1 != global => {
                self.clash.get_or_insert_with(|| name.into());
            }
            Some(_) => {}
        }
        format!("tns:{name}")
    }

    /// The type that a struct, choice or enumeration becomes.
    pub(super) fn of_struct(&mut self, name: &str, form: Form, content: Content) -> String {
        if let Some(known) = self.by_name.get(name).map(|index| &self.types[*index])
            && known.content != content
        {
            self.note_clash(name, form);
        }
        self.complex(name, form, content)
    }

    /// Literal types are numbered, as their names stand nowhere else; those that are encoded are not.
    fn note_clash(&mut self, name: &str, form: Form) {
        let known = self.by_name.get(name).map(|index| self.types[*index].form);
        if form == Form::Encoded && known == Some(form) {
            self.type_clash.get_or_insert_with(|| name.to_owned());
        }
    }

    /// The type of this content: the one that is there, or a new one; numbered where another has
    /// the name. Values look the same in every form.
    pub(super) fn complex(&mut self, stem: &str, form: Form, content: Content) -> String {
        let is_simple = matches!(content, Content::Enumeration(_));
        let names = (1..).map(|number| numbered(stem, number));
        for name in names {
            let Some(known) = self.by_name.get(&name).map(|index| &self.types[*index]) else {
                self.add(&name, form, content);
                return format!("tns:{name}");
            };
            if (known.form == form || is_simple) && known.content == content {
                return format!("tns:{name}");
            }
        }
        unreachable!("there is always another number")
    }

    fn add(&mut self, name: &str, form: Form, content: Content) -> usize {
        let index = self.types.len();
        self.by_name.insert(name.to_owned(), index);
        self.types.push(Type { name: name.to_owned(), form, content });
        index
    }

    /// The names that a type which holds itself may have.
    pub(super) fn candidates(&self, stem: &str, form: Form) -> Candidates {
        Candidates { stem: stem.to_owned(), form, number: 0 }
    }

    /// How many types there are, to [forget](Self::forget) those that come.
    pub(super) fn mark(&self) -> usize {
        self.types.len()
    }

    pub(super) fn forget(&mut self, mark: usize) {
        self.types.truncate(mark);
        self.by_name.retain(|_, index| *index < mark);
    }

    /// Gives a type its name before its content is known; that which has the name may turn out to
    /// be the same.
    pub(super) fn claim(&mut self, name: &str, form: Form) -> Claim {
        match self.by_name.get(name) {
            Some(index) => Claim { index: *index, is_new: false },
            None => Claim { index: self.add(name, form, Content::Open), is_new: true },
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
            let (name, form) = (known.name.clone(), known.form);
            self.note_clash(&name, form);
        }
        is_same
    }

    /// The `types` of a description.
    pub(super) fn write(&self, description: &Description, shapes: &[Shape], markup: &mut Markup) {
        let qualified = shapes.iter().all(|it| it.form() == Form::Qualified);
        let default = if qualified { "qualified" } else { "unqualified" };
        markup.begin("wsdl:types", &[]);
        let namespace = ("targetNamespace", &*description.namespace);
        markup.begin("xsd:schema", &[namespace, ("elementFormDefault", default)]);
        if self.has_encoded_arrays() {
            markup.empty("xsd:import", &[("namespace", ENCODING)]);
        }
        for known in &self.types {
            let form = if qualified { Form::Unqualified } else { known.form };
            let tag = match known.content {
                Content::Enumeration(_) => "xsd:simpleType",
                _ => "xsd:complexType",
            };
            markup.begin(tag, &[("name", &*known.name)]);
            known.content.write(form, markup);
            markup.end(tag);
        }
        for (name, global) in &self.elements {
            match global {
                Global::Type(type_name) => {
                    markup.empty("xsd:element", &[("name", name), ("type", type_name)]);
                }
                Global::Wrapper(form, content) => {
                    let form = if qualified { Form::Unqualified } else { *form };
                    markup.begin("xsd:element", &[("name", name)]);
                    markup.begin("xsd:complexType", &[]);
                    content.write(form, markup);
                    markup.end("xsd:complexType");
                    markup.end("xsd:element");
                }
            }
        }
        markup.end("xsd:schema");
        markup.end("wsdl:types");
    }
}

impl Content {
    /// `form` is `Qualified` where the schema's default is not.
    fn write(&self, form: Form, markup: &mut Markup) {
        match self {
            Self::Sequence(particles) if particles.is_empty() => markup.empty("xsd:sequence", &[]),
            Self::Sequence(particles) => {
                markup.begin("xsd:sequence", &[]);
                for particle in particles {
                    match particle {
                        Particle::Element(element) => element.write(form, markup),
                        Particle::Choice(arms, occurs) => choice(arms, *occurs, form, markup),
                    }
                }
                markup.end("xsd:sequence");
            }
            Self::Choice(arms, occurs) => choice(arms, *occurs, form, markup),
            Self::Array(array_type) => array(array_type, markup),
            Self::Enumeration(values) => enumeration(values, markup),
            Self::Open => {}
        }
    }
}

impl Element {
    fn write(&self, form: Form, markup: &mut Markup) {
        let mut attributes = vec![("name", &*self.name), ("type", &*self.type_name)];
        if form == Form::Qualified {
            attributes.push(("form", "qualified"));
        }
        let occurs = self.occurs.attributes();
        attributes.extend(occurs.iter().map(|(name, value)| (*name, &**value)));
        // Senders of encoded values say nil where they have none.
        if form == Form::Encoded && self.occurs == Occurs::MAYBE {
            attributes.push(("nillable", "true"));
        }
        markup.empty("xsd:element", &attributes);
    }
}

fn choice(arms: &[Element], occurs: Occurs, form: Form, markup: &mut Markup) {
    let occurs = occurs.attributes();
    let attributes: Vec<_> = occurs.iter().map(|(name, value)| (*name, &**value)).collect();
    markup.begin("xsd:choice", &attributes);
    arms.iter().for_each(|arm| arm.write(form, markup));
    markup.end("xsd:choice");
}

fn array(array_type: &str, markup: &mut Markup) {
    markup.begin("xsd:complexContent", &[]);
    markup.begin("xsd:restriction", &[("base", "soapenc:Array")]);
    let attributes = [("ref", "soapenc:arrayType"), ("wsdl:arrayType", array_type)];
    markup.empty("xsd:attribute", &attributes);
    markup.end("xsd:restriction");
    markup.end("xsd:complexContent");
}

fn enumeration(values: &[String], markup: &mut Markup) {
    markup.begin("xsd:restriction", &[("base", "xsd:string")]);
    values.iter().for_each(|it| markup.empty("xsd:enumeration", &[("value", &**it)]));
    markup.end("xsd:restriction");
}
