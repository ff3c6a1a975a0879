//! The `types` of a description: a schema for each namespace.

use super::Description;
use super::content::{Attribute, Content, Element, Occurs, Particle, Place, Space, TARGET};
use super::markup::Markup;
use super::shape::{Form, Shape};
use super::types::{ENCODING, Global, Types};

impl Types {
    pub(super) fn write(&self, description: &Description, shapes: &[Shape], markup: &mut Markup) {
        let is_qualified = shapes.iter().all(|it| it.form() == Form::Qualified);
        markup.begin("wsdl:types", &[]);
        for space in self.spaces() {
            // Members of another namespace are there because they were said to be in it.
            let is_qualified = is_qualified || space != TARGET;
            let name = if space == TARGET { &description.namespace } else { self.name_of(space) };
            Schema { types: self, space, is_qualified }.write(name, markup);
        }
        markup.end("wsdl:types");
    }
}

/// One schema.
struct Schema<'a> {
    types: &'a Types,
    space: Space,
    /// Are its local elements in its namespace unless they say otherwise?
    is_qualified: bool,
}

impl Schema<'_> {
    fn write(&self, namespace: &str, markup: &mut Markup) {
        let default = if self.is_qualified { "qualified" } else { "unqualified" };
        let attributes = [("targetNamespace", namespace), ("elementFormDefault", default)];
        markup.begin("xsd:schema", &attributes);
        if self.space == TARGET && self.types.has_encoded_arrays() {
            markup.empty("xsd:import", &[("namespace", ENCODING)]);
        }
        for other in self.types.spaces().filter(|it| *it != self.space) {
            markup.empty("xsd:import", &[("namespace", self.types.name_of(other))]);
        }
        for known in self.types.types_in(self.space) {
            let is_simple = known.content.is_simple();
            let tag = if is_simple { "xsd:simpleType" } else { "xsd:complexType" };
            markup.begin(tag, &[("name", &*known.name)]);
            self.content(&known.content, markup);
            markup.end(tag);
        }
        for (name, global) in self.types.elements_in(self.space) {
            match global {
                Global::Type(type_name, is_nillable) => {
                    let mut attributes = vec![("name", name), ("type", &**type_name)];
                    attributes.extend(is_nillable.then_some(("nillable", "true")));
                    markup.empty("xsd:element", &attributes);
                }
                Global::Wrapper(_, content) => {
                    markup.begin("xsd:element", &[("name", name)]);
                    markup.begin("xsd:complexType", &[]);
                    self.content(content, markup);
                    markup.end("xsd:complexType");
                    markup.end("xsd:element");
                }
            }
        }
        for (name, type_name) in self.types.attributes_in(self.space) {
            markup.empty("xsd:attribute", &[("name", name), ("type", type_name)]);
        }
        markup.end("xsd:schema");
    }

    fn content(&self, content: &Content, markup: &mut Markup) {
        match content {
            Content::Sequence(particles, attributes) => {
                self.sequence(particles, markup);
                attributes.iter().for_each(|it| attribute(it, markup));
            }
            Content::Text(base, attributes) => {
                markup.begin("xsd:simpleContent", &[]);
                markup.begin("xsd:extension", &[("base", base)]);
                attributes.iter().for_each(|it| attribute(it, markup));
                markup.end("xsd:extension");
                markup.end("xsd:simpleContent");
            }
            Content::Choice(arms, occurs) => self.choice(arms, *occurs, markup),
            Content::Array(array_type) => array(array_type, markup),
            Content::Enumeration(values) => enumeration(values, markup),
            Content::Values(item) => markup.empty("xsd:list", &[("itemType", item)]),
            Content::Open => {}
        }
    }

    fn sequence(&self, particles: &[Particle], markup: &mut Markup) {
        if particles.is_empty() {
            return markup.empty("xsd:sequence", &[]);
        }
        markup.begin("xsd:sequence", &[]);
        for particle in particles {
            match particle {
                Particle::Element(element) => self.element(element, markup),
                Particle::Choice(arms, occurs) => self.choice(arms, *occurs, markup),
            }
        }
        markup.end("xsd:sequence");
    }

    fn element(&self, element: &Element, markup: &mut Markup) {
        if element.place == Place::Anywhere {
            return element.write_wildcard(markup);
        }
        let (reference, occurs) = (element.reference(), element.occurs.attributes());
        let occurs = occurs.iter().map(|(name, value)| (*name, &**value));
        let mut attributes = Vec::new();
        match (&reference, element.place) {
            (Some(reference), _) => attributes.push(("ref", &**reference)),
            (None, place) => {
                attributes.extend([("name", &*element.name), ("type", &*element.type_name)]);
                let is_qualified = place == Place::Local { is_qualified: true };
                if is_qualified != self.is_qualified {
                    attributes
                        .push(("form", if is_qualified { "qualified" } else { "unqualified" }));
                }
            }
        }
        attributes.extend(occurs);
        // What is referred to says it itself.
        if element.nillable && reference.is_none() {
            attributes.push(("nillable", "true"));
        }
        let default = element.default.as_deref().filter(|_| reference.is_none());
        attributes.extend(default.map(|it| ("default", it)));
        markup.empty("xsd:element", &attributes);
    }

    fn choice(&self, arms: &[Element], occurs: Occurs, markup: &mut Markup) {
        let occurs = occurs.attributes();
        let attributes: Vec<_> = occurs.iter().map(|(name, value)| (*name, &**value)).collect();
        markup.begin("xsd:choice", &attributes);
        arms.iter().for_each(|arm| self.element(arm, markup));
        markup.end("xsd:choice");
    }
}

impl Element {
    /// The name of the element at the top of another schema that it is.
    fn reference(&self) -> Option<String> {
        match self.place {
            Place::Global(space) => Some(format!("{}:{}", space.prefix(), self.name)),
            Place::Local { .. } | Place::Anywhere => None,
        }
    }
}

fn attribute(attribute: &Attribute, markup: &mut Markup) {
    let Attribute { name, type_name, is_required, place, default } = attribute;
    let reference = match place {
        Place::Global(space) => Some(format!("{}:{name}", space.prefix())),
        Place::Local { .. } | Place::Anywhere => None,
    };
    let mut attributes = match &reference {
        Some(reference) => vec![("ref", &**reference)],
        None => vec![("name", &**name), ("type", &**type_name)],
    };
    if *place == (Place::Local { is_qualified: true }) {
        attributes.push(("form", "qualified"));
    }
    attributes.extend(is_required.then_some(("use", "required")));
    attributes.extend(default.as_deref().map(|it| ("default", it)));
    markup.empty("xsd:attribute", &attributes);
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
