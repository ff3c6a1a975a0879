//! The `types` of a description: a schema for each namespace.

use super::content::{
    Attribute, Content, Element, NamespaceIndex, Occurs, Particle, Place, TARGET,
};
use super::derived::XSD;
use super::facets::Facet;
use super::markup::Markup;
use super::shape::{Form, Shape};
use super::types::{ENCODING, Global, Type, Types};

impl Types {
    pub(super) fn write(&self, shapes: &[Shape], markup: &mut Markup) {
        let is_qualified = shapes.iter().all(|it| it.form() == Form::Qualified);
        markup.begin("wsdl:types", &[]);
        for namespace in self.namespaces() {
            // Members of another namespace are there because they were said to be in it.
            let is_qualified = is_qualified || namespace != TARGET;
            Schema { types: self, namespace, is_qualified, files: None }.write(&[], markup);
        }
        markup.end("wsdl:types");
    }

    /// Each schema as a document of its own; `files` are the names of all, as they stand where they are imported.
    pub(super) fn documents(
        &self,
        is_qualified: bool,
        files: &[(NamespaceIndex, String)],
    ) -> Vec<String> {
        let mut prefixes = vec![("xmlns:xsd", XSD)];
        if self.has_encoded_arrays() {
            prefixes.push(("xmlns:soapenc", ENCODING));
            prefixes.push(("xmlns:wsdl", "http://schemas.xmlsoap.org/wsdl/"));
        }
        let declared = self.declared_prefixes();
        prefixes.extend(declared.iter().map(|(name, value)| (&**name, *value)));
        let document = |&(namespace, _): &(NamespaceIndex, String)| {
            // Members of another namespace are there because they were said to be in it.
            let is_qualified = is_qualified || namespace != TARGET;
            let mut markup = Markup::renaming(self.renamed());
            Schema { types: self, namespace, is_qualified, files: Some(files) }
                .write(&prefixes, &mut markup);
            markup.finish()
        };
        files.iter().map(document).collect()
    }
}

/// One schema.
struct Schema<'a> {
    types: &'a Types,
    namespace: NamespaceIndex,
    /// Are its local elements in its namespace unless they say otherwise?
    is_qualified: bool,
    /// Where the others are, if they are not in one document with it.
    files: Option<&'a [(NamespaceIndex, String)]>,
}

impl Schema<'_> {
    fn write(&self, prefixes: &[(&str, &str)], markup: &mut Markup) {
        let default = if self.is_qualified { "qualified" } else { "unqualified" };
        let namespace = Some(self.types.name_of(self.namespace)).filter(|it| !it.is_empty());
        let namespace = namespace.map(|it| ("targetNamespace", it));
        let own = namespace.into_iter().chain([("elementFormDefault", default)]);
        let attributes: Vec<_> = prefixes.iter().copied().chain(own).collect();
        markup.begin("xsd:schema", &attributes);
        if self.namespace == TARGET && self.types.has_encoded_arrays() {
            markup.empty("xsd:import", &[("namespace", ENCODING)]);
        }
        for other in self.types.namespaces().filter(|it| *it != self.namespace) {
            let name = Some(self.types.name_of(other)).filter(|it| !it.is_empty());
            let file = self.files.and_then(|it| it.iter().find(|it| it.0 == other));
            let location = file.map(|it| ("schemaLocation", &*it.1));
            let name = name.map(|it| ("namespace", it));
            let attributes: Vec<_> = name.into_iter().chain(location).collect();
            markup.empty("xsd:import", &attributes);
        }
        for known in self.types.types_in(self.namespace) {
            self.named(known, markup);
        }
        for (name, global) in self.types.elements_in(self.namespace) {
            match global {
                Global::Type { name: of, nillable } => {
                    let nillable = nillable.then_some(("nillable", "true"));
                    let attributes = [("name", name), ("type", &**of)].into_iter().chain(nillable);
                    markup.empty("xsd:element", &attributes.collect::<Vec<_>>());
                }
                Global::Member(element) => self.global_element(element, markup),
                Global::Wrapper(_, content) => {
                    markup.begin("xsd:element", &[("name", name)]);
                    self.complex_type(Vec::new(), content, None, markup);
                    markup.end("xsd:element");
                }
            }
        }
        for global in self.types.attributes_in(self.namespace) {
            attribute(global, markup);
        }
        markup.end("xsd:schema");
    }

    fn named(&self, known: &Type, markup: &mut Markup) {
        let attributes = vec![("name", &*known.name)];
        if known.content.is_simple() {
            markup.begin("xsd:simpleType", &attributes);
            self.content(&known.content, markup);
            return markup.end("xsd:simpleType");
        }
        let extension = self.types.extension(known).ok().flatten();
        match &extension {
            Some((base, content)) => self.complex_type(attributes, content, Some(base), markup),
            None => self.complex_type(attributes, &known.content, None, markup),
        }
    }

    fn complex_type<'a>(
        &self,
        mut attributes: Vec<(&'a str, &'a str)>,
        content: &Content,
        base: Option<&str>,
        markup: &mut Markup,
    ) {
        attributes.extend(match content {
            Content::Mixed(..) => Some(("mixed", "true")),
            Content::Abstract => Some(("abstract", "true")),
            _ => None,
        });
        markup.begin("xsd:complexType", &attributes);
        // That of a text names its base itself.
        let base = base.filter(|_| !matches!(content, Content::Text(..)));
        if let Some(base) = base {
            markup.begin("xsd:complexContent", &[]);
            markup.begin("xsd:extension", &[("base", base)]);
        }
        self.content(content, markup);
        if base.is_some() {
            markup.end("xsd:extension");
            markup.end("xsd:complexContent");
        }
        markup.end("xsd:complexType");
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
            Content::Mixed(arms, attributes) => {
                match arms.is_empty() {
                    true => markup.empty("xsd:sequence", &[]),
                    false => self.choice(arms, Occurs { least: 0, most: None }, markup),
                }
                attributes.iter().for_each(|it| attribute(it, markup));
            }
            Content::Abstract => markup.empty("xsd:sequence", &[]),
            Content::Array(array_type) => array(array_type, markup),
            Content::Enumeration(values) => enumeration(values, markup),
            Content::Restricted(base, facets) => restriction(base, facets, markup),
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
                attributes.push(("name", &*element.name));
                attributes.extend(type_attribute(&element.type_name, &element.facets));
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
        let facets = if reference.is_none() { &*element.facets } else { &[] };
        declaration("xsd:element", &attributes, (&element.type_name, facets), markup);
    }

    /// One to which others refer: there it says how often it stands.
    fn global_element(&self, element: &Element, markup: &mut Markup) {
        let Element { name, type_name, facets, nillable, default, .. } = element;
        let mut attributes = vec![("name", &**name)];
        attributes.extend(type_attribute(type_name, facets));
        attributes.extend(nillable.then_some(("nillable", "true")));
        attributes.extend(default.as_deref().map(|it| ("default", it)));
        declaration("xsd:element", &attributes, (type_name, facets), markup);
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
            Place::Global(namespace) => Some(format!("{}:{}", namespace.prefix(), self.name)),
            Place::Local { .. } | Place::Anywhere => None,
        }
    }
}

fn attribute(attribute: &Attribute, markup: &mut Markup) {
    let Attribute { name, type_name, facets, is_required, place, default } = attribute;
    let reference = match place {
        Place::Global(namespace) => Some(format!("{}:{name}", namespace.prefix())),
        Place::Local { .. } | Place::Anywhere => None,
    };
    let mut attributes = match &reference {
        Some(reference) => vec![("ref", &**reference)],
        None => {
            let type_name = type_attribute(type_name, facets);
            [("name", &**name)].into_iter().chain(type_name).collect()
        }
    };
    if *place == (Place::Local { is_qualified: true }) {
        attributes.push(("form", "qualified"));
    }
    attributes.extend(is_required.then_some(("use", "required")));
    attributes.extend(default.as_deref().map(|it| ("default", it)));
    let facets = if reference.is_none() { &**facets } else { &[] };
    declaration("xsd:attribute", &attributes, (type_name, facets), markup);
}

/// A type that says all is named; one that a value keeps to beyond that stands inside.
fn type_attribute<'a>(name: &'a str, facets: &[Facet]) -> Option<(&'static str, &'a str)> {
    facets.is_empty().then_some(("type", name))
}

fn declaration(
    tag: &str,
    attributes: &[(&str, &str)],
    (type_name, facets): (&str, &[Facet]),
    markup: &mut Markup,
) {
    if facets.is_empty() {
        return markup.empty(tag, attributes);
    }
    markup.begin(tag, attributes);
    simple_type(type_name, facets, markup);
    markup.end(tag);
}

fn simple_type(base: &str, facets: &[Facet], markup: &mut Markup) {
    markup.begin("xsd:simpleType", &[]);
    restriction(base, facets, markup);
    markup.end("xsd:simpleType");
}

fn restriction(base: &str, facets: &[Facet], markup: &mut Markup) {
    if facets.is_empty() {
        return markup.empty("xsd:restriction", &[("base", base)]);
    }
    markup.begin("xsd:restriction", &[("base", base)]);
    for (name, value) in facets {
        markup.empty(&format!("xsd:{name}"), &[("value", value)]);
    }
    markup.end("xsd:restriction");
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
