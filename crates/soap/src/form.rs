//! The requirements of decoding on the form of a document, besides those of
//! [`infoset`](trunkline_codec::infoset).
//!
//! The generic path reads any form event by event. XML is a text: the fast path and the template path
//! compare its bytes, and move the parser past what they have read. Other forms have the generic path
//! alone; the calls of the others are never made there, and their code is left out.

use std::convert::Infallible;

use trunkline_codec::infoset::{self, Tag};
use trunkline_codec::xml::{self, Namespace, Parser};
use trunkline_message::Result;

use crate::gap_templates::{self, Pieces};

/// XML, as the decoder reads it.
pub(super) type Xml<'a> = xml::Reader<'a, &'a mut Parser>;

/// Where the value of the present field stands.
#[derive(Clone, Copy)]
pub(super) enum Value<H> {
    /// In the input, from here to there.
    Input(usize, usize),
    /// In the scratch text, since it is not in the input as it is; the element begins here.
    Scratch(usize),
    /// Where the reader has it, who may hold it as a number; it stands here.
    Held(H, usize),
}

/// A document as the decoder reads it.
pub(super) trait Form: infoset::Reader {
    /// Is it a text that is read in place, by the fast and the template path too?
    const IS_TEXT: bool;
    /// A value that the reader keeps.
    type Held: Copy;

    /// Where a text is to be read as a value, if it is one as it stands; it was met at `at`.
    fn held(&self, text: Self::Text, at: usize) -> Option<Value<Self::Held>>;

    /// The text of a value that is kept.
    fn text_of(held: Self::Held) -> Self::Text;

    /// A number that changes whenever names may come to mean something else.
    fn generation(&self) -> u32;

    /// The namespace of this name, if it is known before a name in it is met.
    fn find_namespace(&self, name: &str) -> Option<Self::Namespace>;

    /// Is it the namespace of names that are in none?
    fn is_none(&self, namespace: Self::Namespace) -> bool;

    /// Where the next piece begins, if none was looked at before it is read.
    #[inline(always)]
    fn place(&self) -> usize {
        self.position()
    }

    /// What stands for the place where the next element begins if it is the first one from here on.
    fn before_first(&self) -> usize;

    /// Is the element just begun, at `at`, the first one since?
    fn is_first(&self, since: usize, at: usize) -> bool;

    /// Passes over white space. If an element begins next, its local name, with the element unread.
    ///
    /// # Errors
    /// As [`next`](infoset::Reader::next).
    fn next_name(&mut self) -> Result<Option<&str>>;

    /// Where the innermost element begins, which is the last that began.
    fn element_began(&self) -> usize;

    /// Its local name, and its namespace.
    fn element(&self) -> (&str, Option<Self::Namespace>);

    /// The namespace of the outermost element, the Envelope, inside which the reader stands.
    fn envelope(&self) -> Option<&str>;

    // The rest is for the fast path and the template path.

    /// Whether the next byte is content of the innermost element, as in [`Parser`].
    #[inline(always)]
    fn is_in_content(&self) -> bool {
        false
    }

    /// As in [`Parser`].
    #[inline(always)]
    fn set_position(&mut self, _: usize) {}

    /// As in [`Parser`].
    ///
    /// # Errors
    /// As in [`Parser`].
    #[inline(always)]
    fn push_known(&mut self, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    /// As in [`Parser`].
    #[inline(always)]
    fn pop_known(&mut self, _: usize) -> bool {
        false
    }

    /// As in [`Parser`].
    #[inline(always)]
    fn pop_known_elements(&mut self, _: usize) {}

    /// The qualified name of the innermost open element.
    fn open_element(&self) -> Option<&str> {
        None
    }

    /// The names of the open elements but for the outer ones, as pieces of a gap that begins at `gap`.
    fn opened(&self, _gap: usize, _outer: usize) -> Option<Pieces> {
        None
    }

    /// Has the element just begun neither declarations nor an end in its start tag?
    #[inline(always)]
    fn is_alone(&self) -> bool {
        false
    }

    /// How long a name is as it is written, with its prefix.
    #[inline(always)]
    fn length(&self, _: Self::Name) -> usize {
        0
    }

    /// Where the value of an attribute stands that is one as it stands.
    #[inline(always)]
    fn place_of(&self, _: Self::Text) -> Option<(usize, usize)> {
        None
    }

    /// Where the value of an attribute of the element begun last begins.
    fn value_began(&self, index: usize) -> usize {
        self.attribute_began(index)
    }
}

impl<'a> Form for Xml<'a> {
    const IS_TEXT: bool = true;
    type Held = Infallible;

    #[inline]
    fn held(&self, text: Self::Text, _: usize) -> Option<Value<Infallible>> {
        self.place_of(text).map(|(start, end)| Value::Input(start, end))
    }

    fn text_of(held: Infallible) -> Self::Text {
        match held {}
    }

    #[inline(always)]
    fn generation(&self) -> u32 {
        self.parser().declarations_generation()
    }

    fn find_namespace(&self, name: &str) -> Option<Namespace> {
        match name {
            "" => Some(Namespace::NONE),
            name => self.parser().find_namespace(self.input(), name),
        }
    }

    #[inline]
    fn is_none(&self, namespace: Namespace) -> bool {
        namespace == Namespace::NONE
    }

    fn before_first(&self) -> usize {
        self.parser().position()
    }

    fn is_first(&self, since: usize, at: usize) -> bool {
        is_space(&self.input()[since..at])
    }

    fn next_name(&mut self) -> Result<Option<&str>> {
        let input = self.input();
        loop {
            let rest = &input[self.parser().position()..];
            let text = rest.find('<').unwrap_or(rest.len());
            let is_white =
                rest[..text].bytes().all(|it| matches!(it, b' ' | b'\t' | b'\r' | b'\n'));
            if !is_white || !self.parser().is_in_content() {
                return Ok(None);
            }
            let tag = &rest[text..];
            if text > 0 || tag.starts_with("<!--") || tag.starts_with("<?") {
                self.parser_mut().next(input)?;
                continue;
            }
            if tag.starts_with("</") || tag.starts_with("<!") || tag.is_empty() {
                return Ok(None);
            }
            let length = tag[1..].find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(tag.len() - 1);
            return Ok(Some(tag[1..=length].rsplit(':').next().unwrap_or_default()));
        }
    }

    fn element_began(&self) -> usize {
        let name = self.parser().open_element(self.input());
        name.map_or(0, |it| it.as_ptr().addr() - self.input().as_ptr().addr() - 1)
    }

    fn element(&self) -> (&str, Option<Namespace>) {
        let name = self.parser().open_element(self.input()).unwrap_or_default();
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        (local, self.parser().resolve_prefix(self.input(), prefix))
    }

    fn envelope(&self) -> Option<&str> {
        let (start, length) = self.parser().open_elements(0).next()?;
        let name = &self.input()[start..start + length];
        let (prefix, _) = name.split_once(':').unwrap_or_default();
        self.resolve(prefix).map(|it| self.namespace_name(it))
    }

    #[inline(always)]
    fn is_in_content(&self) -> bool {
        self.parser().is_in_content()
    }

    #[inline(always)]
    fn set_position(&mut self, at: usize) {
        self.parser_mut().set_position(at);
    }

    #[inline(always)]
    fn push_known(&mut self, name_start: usize, name_length: usize) -> Result<()> {
        Ok(self.parser_mut().push_known(name_start, name_length)?)
    }

    #[inline(always)]
    fn pop_known(&mut self, name_length: usize) -> bool {
        self.parser_mut().pop_known(name_length)
    }

    #[inline(always)]
    fn pop_known_elements(&mut self, count: usize) {
        self.parser_mut().pop_known_elements(count);
    }

    #[inline]
    fn open_element(&self) -> Option<&str> {
        self.parser().open_element(self.input())
    }

    fn opened(&self, gap: usize, outer: usize) -> Option<Pieces> {
        gap_templates::pieces(gap, self.parser().open_elements(outer))
    }

    #[inline]
    fn is_alone(&self) -> bool {
        !self.parser().declares() && !self.parser().is_empty_element()
    }

    #[inline]
    fn length(&self, name: xml::Name<'a>) -> usize {
        name.qualified().len()
    }

    #[inline]
    fn place_of(&self, text: Self::Text) -> Option<(usize, usize)> {
        self.plain_place(text)
    }

    fn value_began(&self, index: usize) -> usize {
        self.begins(self.attribute(index).1)
    }
}

/// Is there nothing but white space and comments? It was parsed before.
fn is_space(text: &str) -> bool {
    let mut rest = text.trim_ascii_start();
    while let Some(comment) = rest.strip_prefix("<!--") {
        rest = comment.split_once("-->").map_or("", |it| it.1).trim_ascii_start();
    }
    rest.is_empty()
}
