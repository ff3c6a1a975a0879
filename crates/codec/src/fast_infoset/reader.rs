//! Fast Infoset as an infoset, to read.

use std::borrow::Cow;

use trunkline_message::{ErrorKind, Result};
use trunkline_wire::{Float, Integer};

use super::parser::{self, EXPANDED, Name, Namespace, Parser};
use super::string::Text;
use super::{algorithm::Algorithm, characters, exceeded, syntax};
use crate::infoset::{self, Event, Expected, Known, Parsed, Passed, Tag, Writer as _};
use crate::xml;

/// A document, and the parser that reads it.
#[derive(Debug)]
pub struct Reader<'a> {
    parser: &'a mut Parser,
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins a document.
    ///
    /// # Errors
    /// As [`Parser::begin`].
    pub fn begin(parser: &'a mut Parser, bytes: &'a [u8]) -> Result<Self> {
        parser.begin(bytes)?;
        Ok(Self::new(parser, bytes))
    }

    /// Goes on where the parser stands in its document, which these bytes are.
    pub fn new(parser: &'a mut Parser, bytes: &'a [u8]) -> Self {
        Self { parser, bytes }
    }

    /// Reads on to the end of the document, of whose content nothing more is wanted, so that the next one of the
    /// sequence can be read.
    ///
    /// # Errors
    /// As [`Parser::next`].
    pub fn finish(self) -> Result<()> {
        while !self.parser.is_at_end() {
            self.parser.next(self.bytes)?;
        }
        Ok(())
    }

    /// The parser.
    pub fn parser(&self) -> &Parser {
        self.parser
    }

    fn encoded(&self, text: Text) -> Option<(Algorithm, &'a [u8])> {
        self.parser.encoded(self.bytes, text)
    }

    fn name(&self, name: Name) -> infoset::Name<'_> {
        let namespace = self.parser.namespace_name(self.parser.namespace(name));
        infoset::Name {
            prefix: self.parser.prefix(name),
            namespace,
            local: self.parser.local(name),
        }
    }

    /// Writes the start of the element that began last, with `declared` and what the names need besides.
    fn write_start(
        &self,
        name: Name,
        left_out: &[usize],
        mut declared: Vec<(String, String)>,
        scope: &mut Vec<(String, String)>,
        writer: &mut xml::Writer,
    ) -> Result<()> {
        let attributes = self.parser.attributes().iter().enumerate();
        let attributes: Vec<_> = attributes.filter(|(at, _)| !left_out.contains(at)).collect();
        let names = attributes.iter().map(|(_, attribute)| (attribute.name, true));
        for (name, is_attribute) in std::iter::once((name, false)).chain(names) {
            let infoset::Name { prefix, namespace, .. } = self.name(name);
            let of_prefix = |it: &&(String, String)| it.0 == prefix;
            let own = declared.iter().find(of_prefix);
            let known = own.or_else(|| scope.iter().rev().find(of_prefix)).map(|it| &*it.1);
            let is_fitting = match prefix {
                "xml" => true,
                "" if is_attribute => namespace.is_empty(),
                "" => known.unwrap_or_default() == namespace,
                _ => known == Some(namespace),
            };
            if is_fitting {
                continue;
            }
            if own.is_some() || is_attribute && prefix.is_empty() {
                let what = "a name whose prefix is declared for another namespace";
                return Err(syntax(what, self.parser.began()));
            }
            declared.push((prefix.to_owned(), namespace.to_owned()));
        }
        writer.start(self.name(name));
        for (_, attribute) in attributes {
            writer.attribute(self.name(attribute.name), &self.value(attribute.value));
        }
        for (prefix, namespace) in &declared {
            // XML 1.0 cannot take the declaration of a prefix back, and nothing inside has it.
            if prefix.is_empty() || !namespace.is_empty() {
                writer.declare(prefix, namespace);
            }
        }
        scope.extend(declared);
        Ok(())
    }
}

impl Tag for Reader<'_> {
    type Name = Name;
    type Namespace = Namespace;
    type Text = Text;

    #[inline]
    fn attributes(&self) -> usize {
        self.parser.attributes().len()
    }

    #[inline]
    fn attribute(&self, index: usize) -> (Name, Text) {
        let attribute = &self.parser.attributes()[index];
        (attribute.name, attribute.value)
    }

    #[inline]
    fn namespace(&self, name: Name) -> Namespace {
        self.parser.namespace(name)
    }

    fn prefix(&self, name: Name) -> &str {
        self.parser.prefix(name)
    }

    #[inline]
    fn local(&self, name: Name) -> &str {
        self.parser.local(name)
    }

    fn namespace_name(&self, namespace: Namespace) -> &str {
        self.parser.namespace_name(namespace)
    }

    fn resolve(&self, prefix: &str) -> Option<Namespace> {
        self.parser.resolve(prefix)
    }

    #[inline]
    fn value(&self, text: Text) -> Cow<'_, str> {
        self.parser.text(self.bytes, text)
    }

    #[inline]
    fn number(&self, name: Name) -> Option<u32> {
        Some(self.parser.number(name))
    }

    #[inline]
    fn numbering(&self) -> u64 {
        self.parser.numbering()
    }

    #[inline]
    fn source(&self, text: Text) -> Option<(&[u8], usize, usize)> {
        self.parser.source(self.bytes, text)
    }

    fn is_white(&self, text: Text) -> bool {
        self.encoded(text).is_none() && characters::is_white(&self.value(text))
    }

    fn boolean(&self, text: Text) -> Option<bool> {
        let (algorithm, bytes) = self.encoded(text)?;
        algorithm.boolean(bytes)
    }

    fn integer<I: Integer>(&self, text: Text) -> Option<Parsed<I>> {
        let (algorithm, bytes) = self.encoded(text)?;
        algorithm.integer(bytes)
    }

    fn float<F: Float>(&self, text: Text) -> Option<F> {
        let (algorithm, bytes) = self.encoded(text)?;
        algorithm.float(bytes)
    }

    fn bytes(&self, text: Text, into: &mut Vec<u8>) -> bool {
        match self.encoded(text) {
            Some((Algorithm::Base64, bytes)) => {
                into.extend_from_slice(bytes);
                true
            }
            _ => false,
        }
    }

    fn integers<I: Integer>(&self, text: Text, into: &mut Vec<I>) -> Option<Parsed<()>> {
        let (algorithm, bytes) = self.encoded(text)?;
        algorithm.integers(bytes, into)
    }

    fn floats<F: Float>(&self, text: Text, into: &mut Vec<F>) -> bool {
        let encoded = self.encoded(text);
        encoded.is_some_and(|(algorithm, bytes)| algorithm.floats(bytes, into))
    }
}

impl infoset::Reader for Reader<'_> {
    #[inline]
    fn next(&mut self) -> Result<Event<Name, Text>> {
        loop {
            return Ok(match self.parser.next(self.bytes)? {
                parser::Event::Start(name) => Event::Start(name),
                parser::Event::End => Event::End,
                parser::Event::Text(text) => Event::Text(text),
                parser::Event::Eof => Event::Eof,
                parser::Event::EntityReference { .. } => {
                    let what = "references to entities, whose text is not known";
                    return Err(trunkline_message::Error::new(
                        ErrorKind::Unsupported(what.into()),
                        self.parser.began(),
                    ));
                }
                parser::Event::Comment(_)
                | parser::Event::Instruction { .. }
                | parser::Event::DocumentType { .. } => continue,
            });
        }
    }

    #[inline(always)]
    fn next_known<T>(
        &mut self,
        ends: bool,
        known: impl FnOnce(u32) -> Option<Expected<T>>,
    ) -> Option<Known<T, Name, Text>> {
        self.parser.next_known(self.bytes, ends, known)
    }

    fn pass(&mut self, caller: u64) -> Option<Passed<Name>> {
        self.parser.pass(self.bytes, caller)
    }

    fn remember(&mut self, caller: u64, began: usize) {
        self.parser.remember(self.bytes, caller, began);
    }

    fn end_document(&mut self) -> bool {
        self.parser.end_document(self.bytes)
    }

    #[inline]
    fn began(&self) -> usize {
        self.parser.began()
    }

    #[inline]
    fn position(&self) -> usize {
        self.parser.position()
    }

    #[inline]
    fn depth(&self) -> usize {
        self.parser.depth()
    }

    fn attribute_began(&self, index: usize) -> usize {
        self.parser.attributes()[index].place
    }

    fn restart(&mut self) -> Result<()> {
        self.parser.restart(self.bytes)
    }

    fn raw(&mut self, left_out: &[usize], out: &mut String) -> Result<()> {
        let Some(name) = self.parser.open_element() else { return Ok(()) };
        let mut writer = xml::Writer::default();
        let owned = |(prefix, name): (&str, &str)| (prefix.to_owned(), name.to_owned());
        // Of those with the same prefix the innermost.
        let mut declared: Vec<(String, String)> = Vec::new();
        for (prefix, name) in self.parser.declared_around().rev() {
            if !declared.iter().any(|known| known.0 == prefix) {
                declared.push(owned((prefix, name)));
            }
        }
        // The default that is none goes without saying.
        declared.retain(|(_, name)| !name.is_empty());
        let mut scope: Vec<(String, String)> = Vec::new();
        let mut outside = vec![0];
        self.write_start(name, left_out, declared, &mut scope, &mut writer)?;
        while !outside.is_empty() {
            match self.next()? {
                Event::Start(name) => {
                    outside.push(scope.len());
                    let declared = self.parser.declared().map(owned).collect();
                    self.write_start(name, &[], declared, &mut scope, &mut writer)?;
                }
                Event::Text(text) => _ = writer.text(&self.value(text)),
                Event::End => {
                    writer.end();
                    scope.truncate(outside.pop().unwrap_or_default());
                }
                Event::Eof => break,
            }
            // A name is long where it was defined, and an index elsewhere.
            let limit = self.parser.limits.message_bytes;
            if writer.position() > limit {
                return Err(exceeded(EXPANDED, limit, self.parser.began()));
            }
        }
        out.push_str(&writer.finish());
        Ok(())
    }
}
