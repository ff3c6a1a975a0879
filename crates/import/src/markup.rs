//! An XML document as elements that know their place.

use std::sync::Arc;

use trunkline_codec::xml::{self, Event, Parser, Source};

use crate::{Limits, Place, Problem};

/// Prefixes, and the namespaces that they stand for.
pub(crate) type Prefixes = Arc<[(String, String)]>;

/// One element.
#[derive(Debug)]
pub(crate) struct Element {
    /// Its namespace; empty for none.
    pub(crate) namespace: Arc<str>,
    /// Its local name.
    pub(crate) name: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    /// What it says to people, if it is documentation; of other elements nothing is kept.
    pub(crate) text: String,
    /// What prefixes stand for in it.
    prefixes: Prefixes,
    line: u32,
    column: u32,
}

/// One attribute, which declares no namespace.
#[derive(Debug)]
pub(crate) struct Attribute {
    /// Its namespace; empty for none.
    pub(crate) namespace: Arc<str>,
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Element {
    /// An attribute without a namespace, without blanks at its ends.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attribute_in("", name)
    }

    /// An attribute of a namespace, likewise.
    pub(crate) fn attribute_in(&self, namespace: &str, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        let found = all.find(|it| it.name == name && *it.namespace == *namespace);
        found.map(|it| it.value.trim_ascii())
    }

    /// An attribute as it was written, with the blanks at its ends, which may be part of a value.
    pub(crate) fn literal(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|it| it.name == name && it.namespace.is_empty());
        found.map(|it| &*it.value)
    }

    /// The namespace that a prefix stands for there; without one, that of elements.
    pub(crate) fn namespace_of(&self, prefix: &str) -> Option<&str> {
        match prefix {
            "xml" => Some("http://www.w3.org/XML/1998/namespace"),
            prefix => {
                let found = self.prefixes.iter().find(|it| it.0 == prefix).map(|it| &*it.1);
                found.or((prefix.is_empty()).then_some(""))
            }
        }
    }

    /// What all prefixes stand for there.
    pub(crate) fn prefixes(&self) -> Prefixes {
        self.prefixes.clone()
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
        Self::read(file, bytes, limits, false)
    }

    /// The same of a document that may have a document type declaration, which is not looked at: what it
    /// says of entities means nothing, so that one that is used is not known.
    pub(crate) fn parse_typed(file: &str, bytes: &[u8], limits: &Limits) -> Result<Self, Problem> {
        Self::read(file, bytes, limits, true)
    }

    /// The namespace and the name of the root, if its start tag is well-formed.
    pub(crate) fn root_name(bytes: &[u8]) -> Option<(String, String)> {
        let limits = trunkline_message::Limits {
            message_bytes: Limits::default().document_bytes,
            ..trunkline_message::Limits::default()
        };
        let mut source = Source::default();
        let input = source.prepare(bytes, &limits).ok()?;
        let blanked = without_doctype(input);
        let input = blanked.as_deref().unwrap_or(input);
        let mut parser = Parser::new(xml::Options::default(), &limits);
        parser.begin(input).ok()?;
        loop {
            match parser.next(input).ok()? {
                Event::Start { name, .. } => {
                    let namespace = parser.namespace_name(input, name.namespace);
                    return Some((namespace.to_owned(), name.local().to_owned()));
                }
                Event::Eof => return None,
                _ => {}
            }
        }
    }

    fn read(
        file: &str,
        bytes: &[u8],
        limits: &Limits,
        may_be_typed: bool,
    ) -> Result<Self, Problem> {
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
        let blanked = may_be_typed.then(|| without_doctype(input)).flatten();
        let input = blanked.as_deref().unwrap_or(input);
        let root = Tree::parse(input, &of_parser).map_err(|error| problem(&file, input, &error))?;
        Ok(Self { file, root })
    }

    /// Where an element begins.
    pub(crate) fn place(&self, of: &Element) -> Place {
        Place { file: self.file.clone(), line: of.line, column: of.column }
    }
}

/// The text with blanks in place of its document type declaration, if there is one: what is behind it
/// stands where it stood.
fn without_doctype(input: &str) -> Option<String> {
    let mut at = 0;
    loop {
        let rest = &input[at..];
        at += rest.len() - rest.trim_ascii_start().len();
        let rest = &input[at..];
        if rest.starts_with("<!DOCTYPE") {
            break;
        }
        let end = match rest {
            it if it.starts_with("<!--") => it.find("-->")? + 3,
            it if it.starts_with("<?") => it.find("?>")? + 2,
            _ => return None,
        };
        at += end;
    }
    let length = doctype_length(&input[at..])?;
    let (before, rest) = input.split_at(at);
    let (doctype, behind) = rest.split_at(length);
    let blank = doctype.chars().map(|it| if it == '\n' { '\n' } else { ' ' });
    Some(before.chars().chain(blank).chain(behind.chars()).collect())
}

/// Up to its `>`, which is in no quotes, comment or brackets.
fn doctype_length(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_u32);
    loop {
        let rest = &text[at..];
        let next = rest.find(['<', '>', '[', ']', '"', '\''])?;
        let found = &rest[next..];
        at += next;
        match found.as_bytes()[0] {
            quote @ (b'"' | b'\'') => at += 1 + found[1..].find(char::from(quote))?,
            b'<' if found.starts_with("<!--") => at += 3 + found[3..].find("-->")?,
            b'<' if found.starts_with("<?") => at += found.find("?>")? - 1,
            b'<' | b'[' => depth += 1,
            b']' => depth = depth.checked_sub(1)?,
            _ => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
        }
        at += 1;
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
        xml::ErrorKind::UnknownEntity => "replace the entity by what it stands for",
        _ => "mend the XML",
    };
    Problem::new(&place, format!("XML: {}", error.kind), remedy)
}

struct Tree<'a> {
    input: &'a str,
    lines: Lines<'a>,
    /// The namespace seen last, which most elements share.
    namespace: Arc<str>,
    /// Most attributes are in none.
    none: Arc<str>,
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
            text: String::new(),
            prefixes: [].into(),
            line: 1,
            column: 1,
        };
        let lines = Lines::new(input);
        let none: Arc<str> = "".into();
        let mut tree = Self { input, lines, namespace: none.clone(), none, open: vec![around] };
        loop {
            let at = parser.position();
            match parser.next(input)? {
                Event::Start { name, .. } => tree.start(&parser, at, name),
                Event::End { .. } => tree.end(),
                Event::Text { raw, .. } => tree.text(|text| xml::unescape(raw, text)),
                Event::CData { raw, .. } => tree.text(|text| text.push_str(raw)),
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
        let attribute = |it: xml::Attribute<'_>| Attribute {
            namespace: match parser.namespace_name(self.input, it.name.namespace) {
                "" => self.none.clone(),
                namespace => namespace.into(),
            },
            name: it.name.local().to_owned(),
            value: it.value().into_owned(),
        };
        let attributes = parser.attributes(self.input).map(attribute).collect();
        let around = self.open.last().map(|it| &it.prefixes);
        let prefixes = match around.filter(|_| !parser.declares()) {
            Some(around) => around.clone(),
            None => {
                let all = parser.bindings(self.input);
                all.map(|(prefix, name)| (prefix.to_owned(), name.to_owned())).collect()
            }
        };
        self.open.push(Element {
            namespace: self.namespace.clone(),
            name: name.local().to_owned(),
            attributes,
            children: Vec::new(),
            text: String::new(),
            prefixes,
            line,
            column,
        });
    }

    /// Keeps a text that is inside documentation, whatever markup that has.
    fn text(&mut self, add: impl FnOnce(&mut String)) {
        if let Some(around) = self.open.iter_mut().find(|it| it.name == "documentation") {
            add(&mut around.text);
        }
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
pub(crate) struct Lines<'a> {
    input: &'a str,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(input: &'a str) -> Self {
        Self { input, offset: 0, line: 1, column: 1 }
    }

    /// The line and the character in it, both from 1, of an offset not before the last one.
    pub(crate) fn at(&mut self, offset: usize) -> (u32, u32) {
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
