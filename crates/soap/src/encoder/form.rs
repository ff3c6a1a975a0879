//! The form that a message is written in: XML's bytes, or any that infosets are written in.
//!
//! XML is written by literal tags. For another form the tags are buffered up to the next value, and then
//! turned into events; the value itself goes to the writer as it is.

use trunkline_codec::infoset::{Name, Writer};
use trunkline_codec::xml;
use trunkline_wire::Output;

use super::markup::{Markup, named};

/// Where what the encoder writes goes to.
pub(super) trait Form {
    /// Is it XML, which is what the encoder's output is?
    const IS_XML: bool;
    /// What another form is written by.
    type Writer: Writer;

    /// Turns the markup that is buffered in the output into events, and empties the output.
    fn flush(&mut self, output: &mut Output);

    /// Writes a value behind all that was flushed: as the value of the attribute of this name, or in the
    /// innermost element. Answers what `write` answers.
    fn value<T>(
        &mut self,
        write: impl FnOnce(&mut Self::Writer, Option<Name<'_>>) -> T,
    ) -> Option<T>;

    /// How many runs of markup and values were flushed.
    fn events(&self) -> usize;
}

/// XML.
pub(super) struct Xml;

impl Form for Xml {
    const IS_XML: bool = true;
    type Writer = xml::Writer;

    #[inline(always)]
    fn flush(&mut self, _: &mut Output) {}

    #[inline(always)]
    fn value<T>(&mut self, _: impl FnOnce(&mut xml::Writer, Option<Name<'_>>) -> T) -> Option<T> {
        None
    }

    #[inline(always)]
    fn events(&self) -> usize {
        0
    }
}

/// Another form: the events of an infoset.
pub(super) struct Infoset<'w, W> {
    writer: &'w mut W,
    markup: &'w mut Markup,
    events: usize,
}

impl<'w, W: Writer> Infoset<'w, W> {
    pub(super) fn new(writer: &'w mut W, markup: &'w mut Markup) -> Self {
        markup.begin();
        Self { writer, markup, events: 0 }
    }

    /// Puts whole elements, written as XML.
    pub(super) fn raw(&mut self, elements: &str) {
        self.writer.raw(elements);
    }
}

impl<W: Writer> Form for Infoset<'_, W> {
    const IS_XML: bool = false;
    type Writer = W;

    #[inline]
    fn flush(&mut self, output: &mut Output) {
        if !output.is_empty() {
            self.events += 1;
            self.markup.write(output, self.writer);
            output.clear();
        }
    }

    #[inline]
    fn value<T>(&mut self, write: impl FnOnce(&mut W, Option<Name<'_>>) -> T) -> Option<T> {
        self.events += 1;
        let state = self.markup.state_for_value();
        let name = state.attribute.as_ref().map(|it| named(&state.namespaces, &it.name, true));
        Some(write(self.writer, name))
    }

    fn events(&self) -> usize {
        self.events
    }
}
