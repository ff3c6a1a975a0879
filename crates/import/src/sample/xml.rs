//! Samples of XML.

use trunkline_codec::xml::{self, Event, Parser, Source};

use super::node::{Name, Node, Slot};
use super::{line_and_column, place};
use crate::{Limits, Problem};

/// What says that an element is nil, or of which type it is.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// An element that is read.
struct Open {
    name: Name,
    node: Node,
    text: String,
    is_nil: bool,
    /// The elements inside, in their order, as places of slots.
    order: Vec<usize>,
}

/// The root of a document, and what is in it.
pub(super) fn read(file: &str, bytes: &[u8], limits: &Limits) -> Result<(Name, Node), Problem> {
    let of_parser = trunkline_message::Limits {
        message_bytes: limits.document_bytes,
        depth: limits.depth,
        ..trunkline_message::Limits::default()
    };
    let mut source = Source::default();
    let wrong = |input: &str, error: &xml::Error| {
        let (line, column) = line_and_column(input.as_bytes(), error.offset);
        Problem::new(&place(file, line, column), format!("XML: {}", error.kind), "mend the sample")
    };
    let input = source.prepare(bytes, &of_parser).map_err(|error| {
        Problem::new(&place(file, 1, 1), format!("XML: {}", error.kind), "mend the sample")
    })?;
    parse(input, &of_parser).map_err(|error| wrong(input, &error))
}

fn parse(input: &str, limits: &trunkline_message::Limits) -> Result<(Name, Node), xml::Error> {
    let mut parser = Parser::new(xml::Options::default(), limits);
    parser.begin(input)?;
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    loop {
        match parser.next(input)? {
            Event::Start { name, .. } => {
                let mut element = Open::new(name_of(&parser, input, name, false));
                for attribute in parser.attributes(input) {
                    let name = name_of(&parser, input, attribute.name, true);
                    element.attribute(name, &attribute.value());
                }
                open.push(element);
            }
            Event::End { .. } => {
                let Some(done) = open.pop() else { continue };
                match open.last_mut() {
                    Some(around) => around.element(done),
                    None => root = Some((done.name.clone(), done.done())),
                }
            }
            Event::Text { raw, .. } => {
                if let Some(around) = open.last_mut() {
                    xml::unescape(raw, &mut around.text);
                }
            }
            Event::CData { raw, .. } => {
                if let Some(around) = open.last_mut() {
                    around.text.push_str(raw);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(root.expect("a document without a root is not well-formed"))
}

fn name_of(parser: &Parser, input: &str, name: xml::Name<'_>, is_attribute: bool) -> Name {
    let namespace = parser.namespace_name(input, name.namespace);
    Name { namespace: namespace.into(), local: name.local().to_owned(), is_attribute }
}

impl Open {
    fn new(name: Name) -> Self {
        let node = Node { count: 1, ..Node::default() };
        Self { name, node, text: String::new(), is_nil: false, order: Vec::new() }
    }

    fn attribute(&mut self, name: Name, value: &str) {
        // What says how to read an element is no part of the message.
        if *name.namespace == *INSTANCE {
            self.is_nil |= name.local == "nil" && matches!(value.trim(), "true" | "1");
            return;
        }
        let mut node = Node { count: 1, ..Node::default() };
        node.values.add(value);
        self.node.slots.push(Slot { name, node, around: 1, most: 1, nils: 0 });
    }

    fn element(&mut self, inner: Self) {
        let (name, is_nil) = (inner.name.clone(), inner.is_nil);
        let known = self.node.slots.iter().position(|it| it.name == name);
        let nils = usize::from(is_nil);
        let node = if is_nil { Node::default() } else { inner.done() };
        let at = match known {
            Some(at) => {
                let slot = &mut self.node.slots[at];
                slot.most += 1;
                slot.nils += nils;
                slot.node.merge(node);
                at
            }
            None => {
                self.node.slots.push(Slot { name, node, around: 1, most: 1, nils });
                self.node.slots.len() - 1
            }
        };
        // Others between those of one name.
        if self.order.last().is_some_and(|it| *it > at) {
            self.node.is_in_any_order = true;
        }
        self.order.push(at);
    }

    /// The element as a whole.
    fn done(mut self) -> Node {
        let has_elements = !self.order.is_empty();
        let has_attributes = self.node.slots.iter().any(|it| it.name.is_attribute);
        let has_text = !self.text.trim().is_empty();
        self.node.is_mixed = has_elements && has_text;
        self.node.structs = usize::from(has_elements || has_attributes);
        if !has_elements {
            self.node.values.add(&self.text);
        }
        self.node
    }
}
