//! XML documents compared as what they say: prefixes, the order of attributes and white space
//! between elements do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use trunkline_codec::xml::{self, Event, Parser, Source};
use trunkline_message::Limits;

/// An element; names are in Clark's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// `{namespace}local`.
    pub name: String,
    /// By name. Types have the notation of names too.
    pub attributes: BTreeMap<String, String>,
    /// Elements inside.
    pub children: Vec<Element>,
    /// Text inside, if there are no elements beside it.
    pub text: String,
}

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Reads a document.
///
/// # Panics
/// If it is not well-formed.
pub fn read(document: &[u8]) -> Element {
    let limits = Limits::default();
    let mut source = Source::default();
    let input = source.prepare(document, &limits).expect("text");
    let mut parser = Parser::new(xml::Options::default(), &limits);
    parser.begin(input).expect("a document");
    let mut open: Vec<Element> = Vec::new();
    loop {
        match parser.next(input).unwrap_or_else(|error| panic!("{error}: {input}")) {
            Event::Start { name, .. } => {
                let name = clark(&parser, input, name);
                let attributes = parser.attributes(input).map(|it| {
                    let name = clark(&parser, input, it.name);
                    let value = resolved(&parser, input, &name, &it.value());
                    (name, value)
                });
                let attributes = attributes.collect();
                open.push(Element { name, attributes, children: Vec::new(), text: String::new() });
            }
            Event::Text { raw, .. } => {
                let element = open.last_mut().expect("an element");
                // The code of a fault is a qualified name.
                let is_code =
                    element.name == "faultcode" || element.name.ends_with("-envelope}Value");
                match is_code {
                    true => element.text.push_str(&name_in_value(&parser, input, raw.trim())),
                    false => xml::unescape(raw, &mut element.text),
                }
            }
            Event::CData { raw, .. } => {
                let text = &mut open.last_mut().expect("an element").text;
                xml::normalise_newlines(raw, text);
            }
            Event::End { .. } => {
                let mut element = open.pop().expect("an element");
                if !element.children.is_empty() && element.text.trim().is_empty() {
                    element.text.clear();
                }
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return element,
                }
            }
            Event::Comment(_) | Event::ProcessingInstruction { .. } | Event::Eof => {}
        }
    }
}

fn clark(parser: &Parser, input: &str, name: xml::Name<'_>) -> String {
    match parser.namespace_name(input, name.namespace) {
        "" => name.local().to_owned(),
        namespace => format!("{{{namespace}}}{}", name.local()),
    }
}

/// The value, with its prefix resolved if it names a type.
fn resolved(parser: &Parser, input: &str, name: &str, value: &str) -> String {
    let is_type = name == format!("{{{XSI}}}type")
        || name.ends_with("}arrayType")
        || name.ends_with("}itemType")
        || name == "qname";
    match is_type {
        true => name_in_value(parser, input, value),
        false => value.to_owned(),
    }
}

/// The name that a value stands for; the value, if its prefix stands for nothing.
fn name_in_value(parser: &Parser, input: &str, value: &str) -> String {
    let (prefix, local) = value.split_once(':').unwrap_or(("", value));
    match parser.resolve_prefix(input, prefix) {
        Some(namespace) => format!("{{{}}}{local}", parser.namespace_name(input, namespace)),
        None => value.to_owned(),
    }
}

impl Element {
    /// Calls the function for every element, outer ones first.
    pub fn visit(&mut self, change: &mut dyn FnMut(&mut Element)) {
        change(self);
        self.children.iter_mut().for_each(|child| child.visit(change));
    }

    /// Numbers the ids of SOAP's references in the order of their elements. Ids that nothing refers
    /// to go, and so do hashes in references.
    pub fn number_ids(&mut self) {
        let is_reference = |name: &str| name == "href" || name.ends_with("-encoding}ref");
        let mut referred = BTreeSet::new();
        self.visit(&mut |element| {
            for (name, value) in &mut element.attributes {
                if is_reference(name) {
                    *value = value.trim_start_matches('#').to_owned();
                    referred.insert(value.clone());
                }
            }
        });
        let mut numbers: BTreeMap<String, String> = BTreeMap::new();
        self.visit(&mut |element| {
            let is_id = |name: &str| name == "id" || name.ends_with("-encoding}id");
            element.attributes.retain(|name, value| !is_id(name) || referred.contains(value));
            for (name, value) in &mut element.attributes {
                if is_id(name) || is_reference(name) {
                    let next = (numbers.len() + 1).to_string();
                    value.clone_from(numbers.entry(value.clone()).or_insert(next));
                }
            }
        });
    }

    /// Puts the encoding style that stands on Envelope, Header or Body on the elements inside.
    pub fn lower_encoding_style(&mut self) {
        let take = |element: &mut Element| {
            let name = element.attributes.keys().find(|it| it.ends_with("}encodingStyle")).cloned();
            name.and_then(|name| element.attributes.remove_entry(&name))
        };
        let outer = take(self);
        for part in &mut self.children {
            let Some((name, value)) = take(part).or(outer.clone()) else { continue };
            for child in &mut part.children {
                if !child.attributes.keys().any(|it| it.ends_with("}encodingStyle")) {
                    child.attributes.insert(name.clone(), value.clone());
                }
            }
        }
    }

    /// As lines, one an element, for messages of tests.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        self.write(0, &mut lines);
        lines
    }

    fn write(&self, depth: usize, lines: &mut String) {
        let attributes: Vec<String> =
            self.attributes.iter().map(|(name, value)| format!(" {name}={value:?}")).collect();
        let (indent, name) = (" ".repeat(depth), &self.name);
        writeln!(lines, "{indent}{name}{} {:?}", attributes.concat(), self.text).expect("a string");
        self.children.iter().for_each(|child| child.write(depth + 1, lines));
    }
}
