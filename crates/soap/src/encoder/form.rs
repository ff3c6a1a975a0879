//! The form that a message is written in: XML's bytes, or any that infosets are written in.
//!
//! XML is written by literal tags. For another form the tags are buffered up to the next value, and then
//! turned into events; the value itself goes to the writer as it is.

use trunkline_codec::infoset::{Name, Writer};
use trunkline_codec::xml;
use trunkline_wire::Output;

use super::markup::{Markup, named};

/// From one value to another of the same scope, in a component: of one entry, or of one and the next of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    fields: u64,
    list: List,
}

/// Which list of which scope two entries are of; none if it is one entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct List(u64);

impl List {
    pub(super) const NONE: Self = Self(0);

    #[inline]
    pub(super) fn new(scope: usize, field: usize) -> Self {
        Self(((scope as u64) << 16 | field as u64) + 1)
    }
}

impl Route {
    /// That of no two values.
    pub(super) const NONE: Self = Self { fields: u64::MAX, list: List(u64::MAX) };

    /// Scopes, components and fields have numbers of 16 bits.
    #[inline]
    pub(super) fn new(scope: usize, from: usize, component: u16, to: usize, list: List) -> Self {
        let part = |number: usize, at: u32| (number as u64 & 0xffff) << at;
        let fields = part(scope, 48) | part(from, 32) | part(component.into(), 16) | part(to, 0);
        Self { fields, list }
    }

    /// A place among so many, a power of two.
    #[inline]
    pub(super) fn place(self, count: usize) -> usize {
        let number = self.fields ^ self.list.0 << 20;
        (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (count - 1)
    }
}

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

    /// Writes the markup on this route, if it is known.
    fn take(&mut self, route: Route) -> bool;

    /// The markup flushed last is that on this route.
    fn learn(&mut self, route: Route);

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
    fn take(&mut self, _: Route) -> bool {
        false
    }

    #[inline(always)]
    fn learn(&mut self, _: Route) {}

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

    #[inline(never)]
    fn flush_markup(&mut self, output: &mut Output) {
        self.events += 1;
        self.markup.write(output, self.writer);
        output.clear();
    }

    /// Puts whole elements, written as XML.
    pub(super) fn raw(&mut self, elements: &str) {
        self.writer.raw(elements);
    }
}

impl<W: Writer> Form for Infoset<'_, W> {
    const IS_XML: bool = false;
    type Writer = W;

    #[inline(always)]
    fn flush(&mut self, output: &mut Output) {
        if !output.is_empty() {
            self.flush_markup(output);
        }
    }

    #[inline(always)]
    fn value<T>(&mut self, write: impl FnOnce(&mut W, Option<Name<'_>>) -> T) -> Option<T> {
        self.events += 1;
        if !self.markup.in_attribute() {
            return Some(write(self.writer, None));
        }
        let state = self.markup.state_for_value();
        let name = state.attribute.as_ref().map(|it| named(&state.namespaces, &it.name, true));
        Some(write(self.writer, name))
    }

    #[inline(always)]
    fn take(&mut self, route: Route) -> bool {
        let is_known = self.markup.take(route, self.writer);
        self.events += usize::from(is_known);
        is_known
    }

    #[inline]
    fn learn(&mut self, route: Route) {
        self.markup.learn(route);
    }

    fn events(&self) -> usize {
        self.events
    }
}
