//! XML as an infoset, to read.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut, Range};

use trunkline_message::{Limits, Result};

use super::{Error, Event, Name, Namespace, Options, Parser, element};
use super::{normalise_attribute, normalise_newlines, unescape};
use crate::infoset::{self, Tag};

/// A document and the parser that reads it. With a shared reference to the parser it is the start tag
/// that the parser has read last.
#[derive(Debug)]
pub struct Reader<'a, P> {
    parser: P,
    input: &'a str,
    began: usize,
}

/// A text, or the value of an attribute, as it stands in the document.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    raw: &'a str,
    form: Form,
    plain: bool,
    white: bool,
}

/// How a text was written, which decides what has to be replaced in it.
#[derive(Clone, Copy, Debug)]
enum Form {
    Content,
    CData,
    Attribute,
}

impl<'a> Reader<'a, Box<Parser>> {
    /// Begins a document of SOAP, whose text comes from [`Source::prepare`](super::Source::prepare).
    ///
    /// # Errors
    /// As [`Parser::begin`].
    pub fn soap(input: &'a str, limits: &Limits) -> Result<Self, Error> {
        Self::begin(Options::soap(), input, limits)
    }

    /// Begins a document that is checked so, whose text comes from [`Source::prepare`](super::Source::prepare).
    ///
    /// # Errors
    /// As [`Parser::begin`].
    pub fn begin(options: Options, input: &'a str, limits: &Limits) -> Result<Self, Error> {
        let mut parser = Box::new(Parser::new(options, limits));
        parser.begin(input)?;
        Ok(Self::new(parser, input))
    }
}

impl<'a, P: Deref<Target = Parser>> Reader<'a, P> {
    /// Goes on where the parser stands in its document, which is `input`.
    pub fn new(parser: P, input: &'a str) -> Self {
        Self { began: parser.position(), parser, input }
    }

    /// The text of the document.
    #[inline]
    pub fn input(&self) -> &'a str {
        self.input
    }

    /// The parser.
    #[inline]
    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    fn offset(&self, part: &str) -> usize {
        part.as_ptr().addr() - self.input.as_ptr().addr()
    }

    /// The place of a text in the document, if it is to be taken as it stands there.
    #[inline]
    pub fn plain_place(&self, text: Text<'a>) -> Option<(usize, usize)> {
        let start = self.offset(text.raw);
        text.plain.then_some((start, start + text.raw.len()))
    }

    /// Where a text begins in the document.
    #[inline]
    pub fn begins(&self, text: Text<'a>) -> usize {
        self.offset(text.raw)
    }

    /// Where an attribute of the last start tag stands, with the white space before it.
    fn place(&self, index: usize) -> Range<usize> {
        let attribute = self.parser.attributes[index].view(self.input);
        let name = self.offset(attribute.name.qualified());
        let end = self.offset(attribute.raw) + attribute.raw.len() + 1;
        self.input[..name].trim_ascii_end().len()..end
    }
}

impl<P: DerefMut<Target = Parser>> Reader<'_, P> {
    /// The parser, to move it on past what is read by other means.
    #[inline]
    pub fn parser_mut(&mut self) -> &mut Parser {
        &mut self.parser
    }
}

impl<'a, P: Deref<Target = Parser>> Tag for Reader<'a, P> {
    type Name = Name<'a>;
    type Namespace = Namespace;
    type Text = Text<'a>;

    #[inline]
    fn attributes(&self) -> usize {
        self.parser.attributes.len()
    }

    #[inline]
    fn attribute(&self, index: usize) -> (Name<'a>, Text<'a>) {
        let attribute = self.parser.attributes[index].view(self.input);
        let (raw, plain) = (attribute.raw, attribute.plain);
        (attribute.name, Text { raw, form: Form::Attribute, plain, white: false })
    }

    #[inline]
    fn namespace(&self, name: Name<'a>) -> Namespace {
        name.namespace
    }

    fn prefix(&self, name: Name<'a>) -> &str {
        name.prefix()
    }

    #[inline]
    fn local(&self, name: Name<'a>) -> &str {
        name.local()
    }

    fn namespace_name(&self, namespace: Namespace) -> &str {
        self.parser.namespace_name(self.input, namespace)
    }

    fn resolve(&self, prefix: &str) -> Option<Namespace> {
        self.parser.resolve_prefix(self.input, prefix)
    }

    #[inline]
    fn value(&self, text: Text<'a>) -> Cow<'_, str> {
        if text.plain {
            return Cow::Borrowed(text.raw);
        }
        let mut value = String::new();
        self.append(text, &mut value);
        Cow::Owned(value)
    }

    fn append(&self, text: Text<'a>, out: &mut String) {
        match text.form {
            _ if text.plain => out.push_str(text.raw),
            Form::Content => unescape(text.raw, out),
            Form::CData => normalise_newlines(text.raw, out),
            Form::Attribute => normalise_attribute(text.raw, out),
        }
    }

    #[inline]
    fn is_white(&self, text: Text<'a>) -> bool {
        text.white
    }
}

impl<'a, P: DerefMut<Target = Parser>> infoset::Reader for Reader<'a, P> {
    #[inline(always)]
    fn next(&mut self) -> Result<infoset::Event<Name<'a>, Text<'a>>> {
        loop {
            self.began = self.parser.position();
            return Ok(match self.parser.next(self.input)? {
                Event::Start { name, .. } => {
                    // White space outside the root is no event.
                    self.began = self.offset(name.qualified()) - 1;
                    infoset::Event::Start(name)
                }
                Event::End { .. } => infoset::Event::End,
                Event::Text { raw, plain, white } => {
                    infoset::Event::Text(Text { raw, form: Form::Content, plain, white })
                }
                Event::CData { raw, plain } => {
                    infoset::Event::Text(Text { raw, form: Form::CData, plain, white: false })
                }
                Event::Eof => infoset::Event::Eof,
                Event::Comment(_) | Event::ProcessingInstruction { .. } => continue,
            });
        }
    }

    #[inline]
    fn began(&self) -> usize {
        self.began
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
        self.offset(self.parser.attributes[index].view(self.input).name.qualified())
    }

    fn raw(&mut self, left_out: &[usize], out: &mut String) -> Result<()> {
        let start = self.began;
        let gaps: Vec<Range<usize>> = left_out.iter().map(|index| self.place(*index)).collect();
        self.skip()?;
        let place = start..self.parser.position();
        element::copy(&self.parser, self.input, place, &gaps, out);
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        self.parser.begin(self.input)?;
        self.began = self.parser.position();
        Ok(())
    }

    fn skip(&mut self) -> Result<()> {
        Ok(self.parser.skip_element(self.input)?)
    }
}
