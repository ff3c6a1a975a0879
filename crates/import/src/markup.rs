//! An XML document as elements that know their place.

use std::sync::Arc;

use trunkline_codec::xml::{self, Event, Parser, Source};

use crate::{Limits, Place, Problem};

/// One element.
#[derive(Debug)]
pub(crate) struct Element {
    /// Its namespace; empty for none.
    pub(crate) namespace: Arc<str>,
    /// Its local name.
    pub(crate) name: String,
    /// By local name; those of a namespace are left out.
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    line: u32,
    column: u32,
}

impl Element {
    /// An attribute without a namespace, without blanks at its ends.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|it| it.0 == name).map(|it| it.1.trim_ascii())
    }

    /// The elements inside of this local name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |it| it.name == name)
    }

    /// The first of these.
    pub(crate) fn first<'a>(&'a self, name: &'a str) -> Option<&'a Element> {
        self.children.iter().find(|it| it.name == name)
    }
}

/// A document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) file: Arc<str>,
    pub(crate) root: Element,
}

impl Document {
    pub(crate) fn parse(file: &str, bytes: &[u8], limits: &Limits) -> Result<Self, Problem> {
        let file: Arc<str> = file.into();
        let of_parser = trunkline_message::Limits {
            message_bytes: limits.document_bytes,
            depth: limits.depth,
            ..trunkline_message::Limits::default()
        };
        let mut source = Source::default();
        let prepared = source.prepare(bytes, &of_parser);
        let input = prepared.map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.offset.min(bytes.len())]);
            problem(&file, &before, &error)
        })?;
        let root = Tree::parse(input, &of_parser).map_err(|error| problem(&file, input, &error))?;
        Ok(Self { file, root })
    }

    /// Where an element begins.
    pub(crate) fn place(&self, of: &Element) -> Place {
        Place { file: self.file.clone(), line: of.line, column: of.column }
    }
}

fn problem(file: &Arc<str>, input: &str, error: &xml::Error) -> Problem {
    let mut lines = Lines::new(input);
    let (line, column) = lines.at(input.floor_char_boundary(error.offset));
    let place = Place { file: file.clone(), line, column };
    let remedy = match error.kind {
        xml::ErrorKind::MessageTooLong(_) => "raise the limit `document_bytes`",
        xml::ErrorKind::TooDeep(_) => "raise the limit `depth`",
        xml::ErrorKind::Doctype => "remove it, and replace its entities by what they stand for",
        _ => "mend the XML",
    };
    Problem::new(&place, format!("XML: {}", error.kind), remedy)
}

struct Tree<'a> {
    input: &'a str,
    lines: Lines<'a>,
    /// The namespace seen last, which most elements share.
    namespace: Arc<str>,
    /// The first stands for what is around the document.
    open: Vec<Element>,
}

impl<'a> Tree<'a> {
    fn parse(input: &'a str, limits: &trunkline_message::Limits) -> Result<Element, xml::Error> {
        let mut parser = Parser::new(xml::Options::default(), limits);
        parser.begin(input)?;
        let around = Element {
            namespace: "".into(),
            name: String::new(),
            attributes: Vec::new(),
            children: Vec::new(),
            line: 1,
            column: 1,
        };
        let lines = Lines::new(input);
        let mut tree = Self { input, lines, namespace: "".into(), open: vec![around] };
        loop {
            let at = parser.position();
            match parser.next(input)? {
                Event::Start { name, .. } => tree.start(&parser, at, name),
                Event::End { .. } => tree.end(),
                Event::Eof => break,
                _ => {}
            }
        }
        let root = tree.open.pop().and_then(|mut around| around.children.pop());
        Ok(root.expect("a document without a root is not well-formed"))
    }

    fn start(&mut self, parser: &Parser, at: usize, name: xml::Name<'_>) {
        let namespace = parser.namespace_name(self.input, name.namespace);
        if *self.namespace != *namespace {
            self.namespace = namespace.into();
        }
        // Before the root there may be blanks.
        let blanks = self.input[at..].len() - self.input[at..].trim_ascii_start().len();
        let (line, column) = self.lines.at(at + blanks);
        let own = parser.attributes(self.input).filter(|it| it.name.prefix().is_empty());
        let attribute =
            |it: xml::Attribute<'_>| (it.name.local().to_owned(), it.value().into_owned());
        self.open.push(Element {
            namespace: self.namespace.clone(),
            name: name.local().to_owned(),
            attributes: own.map(attribute).collect(),
            children: Vec::new(),
            line,
            column,
        });
    }

    fn end(&mut self) {
        if let Some(done) = self.open.pop()
            && let Some(around) = self.open.last_mut()
        {
            around.children.push(done);
        }
    }
}

/// Counts lines, forwards only: what stands in one long line is looked at once.
struct Lines<'a> {
    input: &'a str,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> Lines<'a> {
    fn new(input: &'a str) -> Self {
        Self { input, offset: 0, line: 1, column: 1 }
    }

    /// The line and the character in it, both from 1, of an offset not before the last one.
    fn at(&mut self, offset: usize) -> (u32, u32) {
        for character in self.input[self.offset..offset].chars() {
            (self.line, self.column) = match character {
                '\n' => (self.line + 1, 1),
                _ => (self.line, self.column + 1),
            };
        }
        self.offset = offset;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_errors_know_their_place() {
        let parse = |text: &str| Document::parse("a.xml", text.as_bytes(), &Limits::default());
        let document =
            parse("<?xml version='1.0'?>\n<!-- é -->\n <a>\n  é<b x=' 1 '/></a>").unwrap();
        let shown = |it| document.place(it).to_string();
        assert_eq!(shown(&document.root), "a.xml:3:2");
        let inner = document.root.first("b").unwrap();
        assert_eq!((shown(inner), inner.attribute("x")), ("a.xml:4:4".to_owned(), Some("1")));
        let error = parse("<a>\n <b></a>").unwrap_err();
        assert_eq!(error.to_string(), "a.xml:2:5: XML: expected end tag </b>; mend the XML");
        let error = parse("<!DOCTYPE a []><a/>").unwrap_err().to_string();
        assert!(error.starts_with("a.xml:1:1: XML: ") && error.contains("remove it"), "{error}");
    }
}
