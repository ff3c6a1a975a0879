//! A document as elements, with names in attributes resolved.

use trunkline_codec::xml::{self, Event, Parser, Source};
use trunkline_message::{Limits, Result};
use trunkline_soap::QName;

/// Attributes whose values are qualified names, or lists of them (WSDL 1.1 sections 2 and 3, XML Schema part 1).
const NAMES: [&str; 10] = [
    "arrayType",
    "base",
    "binding",
    "element",
    "itemType",
    "memberTypes",
    "message",
    "ref",
    "substitutionGroup",
    "type",
];

/// One element.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: QName,
    /// By local name: no two of those that are looked at differ in the namespace alone.
    attributes: Vec<(String, String)>,
    names: Vec<(String, QName)>,
    pub(super) children: Vec<Element>,
}

impl Element {
    /// The document element.
    pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let mut source = Source::default();
        let input = source.prepare(bytes, limits)?;
        let mut parser = Parser::new(xml::Options::default(), limits);
        parser.begin(input)?;
        // The first stands for what is around the document.
        let mut open = vec![Self::default()];
        loop {
            match parser.next(input)? {
                Event::Start { name, .. } => {
                    let namespace = parser.namespace_name(input, name.namespace);
                    let name = QName::new(namespace, name.local());
                    open.push(Self::begin(name, &parser, input));
                }
                Event::End { .. } => {
                    let done = open.pop().unwrap_or_default();
                    if let Some(parent) = open.last_mut() {
                        parent.children.push(done);
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        Ok(open.pop().and_then(|mut it| it.children.pop()).unwrap_or_default())
    }

    fn begin(name: QName, parser: &Parser, input: &str) -> Self {
        let mut element = Self { name, ..Self::default() };
        for attribute in parser.attributes(input) {
            let (local, value) =
                (attribute.name.local().to_owned(), attribute.value().into_owned());
            if NAMES.contains(&&*local) {
                for name in value.split_ascii_whitespace() {
                    let (prefix, rest) = name.split_once(':').unwrap_or(("", name));
                    let namespace = parser.resolve_prefix(input, prefix);
                    let namespace = namespace.map_or("", |it| parser.namespace_name(input, it));
                    element.names.push((local.clone(), QName::new(namespace, rest)));
                }
            }
            element.attributes.push((local, value));
        }
        element
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|it| it.0 == name);
        found.map(|it| it.1.trim())
    }

    /// An attribute that is a qualified name.
    pub(super) fn name_in(&self, attribute: &str) -> Option<&QName> {
        self.names_in(attribute).next()
    }

    /// An attribute that is a list of qualified names.
    pub(super) fn names_in(&self, attribute: &str) -> impl Iterator<Item = &QName> {
        self.names.iter().filter(move |it| it.0 == attribute).map(|it| &it.1)
    }

    /// An attribute that is true (XML Schema part 2 section 3.2.2).
    pub(super) fn is_true(&self, attribute: &str) -> bool {
        matches!(self.attribute(attribute), Some("true" | "1"))
    }

    /// The elements inside that have this name in one of these namespaces.
    pub(super) fn all<'a>(
        &'a self,
        namespaces: &'a [&str],
        local: &'a str,
    ) -> impl Iterator<Item = &'a Element> {
        let is_it = move |it: &&Element| it.is(namespaces, local);
        self.children.iter().filter(is_it)
    }

    pub(super) fn first<'a>(
        &'a self,
        namespaces: &'a [&str],
        local: &'a str,
    ) -> Option<&'a Element> {
        self.all(namespaces, local).next()
    }

    pub(super) fn is(&self, namespaces: &[&str], local: &str) -> bool {
        self.name.local == local && namespaces.contains(&&*self.name.namespace)
    }

    /// Puts names without a namespace into this one, as a schema does that includes one without a
    /// namespace (XML Schema part 1 section 4.2.1).
    pub(super) fn adopt(&mut self, namespace: &str) {
        for (_, name) in self.names.iter_mut().filter(|it| it.1.namespace.is_empty()) {
            namespace.clone_into(&mut name.namespace);
        }
        self.children.iter_mut().for_each(|it| it.adopt(namespace));
    }
}
