//! Documents of any form, which the decoder reads event by event.

use std::borrow::Cow;

use trunkline_codec::infoset::{Event, Expected, Known, Parsed, Reader, Tag};
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_wire::{Date, Decimal, Float, Integer, Time, Timestamp};

use crate::form::{Form, Value};

/// A reader of events that keeps to limits and whose next event may be peeked at.
pub(super) struct EventReader<'r, R: Reader> {
    reader: &'r mut R,
    limits: &'r Limits,
    ahead: Option<Peeked<R>>,
    /// Is an event ahead, or has an element no room within the limits? Then nothing is read as known.
    is_blocked: bool,
    /// The first element, and the last that began, where, and how many did.
    root: Option<R::Name>,
    element: Option<R::Name>,
    element_began: usize,
    begun: usize,
}

/// An event that was peeked at, and where the reader stood before it.
struct Peeked<R: Reader> {
    event: Event<R::Name, R::Text>,
    began: usize,
    position: usize,
    depth: usize,
}

impl<'r, R: Reader> EventReader<'r, R> {
    /// Reads on by this reader.
    pub(super) fn new(reader: &'r mut R, limits: &'r Limits) -> Self {
        let (ahead, root, element) = (None, None, None);
        let is_blocked = reader.depth() >= limits.depth;
        Self { reader, limits, ahead, is_blocked, root, element, element_began: 0, begun: 0 }
    }

    /// Passes over the opening of the document if the decoder of this number has read one like it.
    pub(super) fn pass_opening(&mut self, decoder: u64) -> bool {
        let Some(passed) = self.reader.pass(decoder) else { return false };
        (self.root, self.element) = (Some(passed.first), Some(passed.last));
        (self.element_began, self.begun) = (self.reader.began(), passed.began);
        self.look();
        true
    }

    /// Remembers what was read so far for that.
    pub(super) fn remember_opening(&mut self, decoder: u64) {
        if self.ahead.is_none() {
            self.reader.remember(decoder, self.begun);
        }
    }

    /// Notes how deep the reader stands.
    #[inline(always)]
    fn look(&mut self) {
        self.is_blocked = self.ahead.is_some() || self.reader.depth() >= self.limits.depth;
    }

    /// Notes what was read, which may not be larger than the limits: what describes itself is read by
    /// calls inside calls.
    fn note(&mut self, event: Event<R::Name, R::Text>) -> Result<()> {
        let Event::Start(name) = event else { return Ok(()) };
        let at = self.reader.began();
        self.root.get_or_insert(name);
        (self.element, self.element_began) = (Some(name), at);
        self.begun += 1;
        let limits = self.limits;
        let exceeded = |name, limit| Err(Error::new(ErrorKind::Limit { name, limit }, at));
        if self.reader.depth() > limits.depth {
            return exceeded("depth", limits.depth);
        }
        if self.reader.attributes() > limits.attributes {
            return exceeded("attributes", limits.attributes);
        }
        Ok(())
    }
}

impl<R: Reader> Tag for EventReader<'_, R> {
    type Name = R::Name;
    type Namespace = R::Namespace;
    type Text = R::Text;

    fn attributes(&self) -> usize {
        self.reader.attributes()
    }

    fn attribute(&self, index: usize) -> (R::Name, R::Text) {
        self.reader.attribute(index)
    }

    fn namespace(&self, name: R::Name) -> R::Namespace {
        self.reader.namespace(name)
    }

    fn prefix(&self, name: R::Name) -> &str {
        self.reader.prefix(name)
    }

    fn local(&self, name: R::Name) -> &str {
        self.reader.local(name)
    }

    fn namespace_name(&self, namespace: R::Namespace) -> &str {
        self.reader.namespace_name(namespace)
    }

    fn resolve(&self, prefix: &str) -> Option<R::Namespace> {
        self.reader.resolve(prefix)
    }

    fn value(&self, text: R::Text) -> Cow<'_, str> {
        self.reader.value(text)
    }

    fn is_white(&self, text: R::Text) -> bool {
        self.reader.is_white(text)
    }

    #[inline]
    fn number(&self, name: R::Name) -> Option<u32> {
        self.reader.number(name)
    }

    #[inline]
    fn source(&self, text: R::Text) -> Option<(&[u8], usize, usize)> {
        self.reader.source(text)
    }

    fn append(&self, text: R::Text, out: &mut String) {
        self.reader.append(text, out);
    }

    fn boolean(&self, text: R::Text) -> Option<bool> {
        self.reader.boolean(text)
    }

    fn integer<I: Integer>(&self, text: R::Text) -> Option<Parsed<I>> {
        self.reader.integer(text)
    }

    fn decimal(&self, text: R::Text) -> Option<Parsed<Decimal>> {
        self.reader.decimal(text)
    }

    fn float<F: Float>(&self, text: R::Text) -> Option<F> {
        self.reader.float(text)
    }

    fn date(&self, text: R::Text) -> Option<Date> {
        self.reader.date(text)
    }

    fn time(&self, text: R::Text) -> Option<Time> {
        self.reader.time(text)
    }

    fn timestamp(&self, text: R::Text) -> Option<Timestamp> {
        self.reader.timestamp(text)
    }

    fn bytes(&self, text: R::Text, into: &mut Vec<u8>) -> bool {
        self.reader.bytes(text, into)
    }

    fn integers<I: Integer>(&self, text: R::Text, into: &mut Vec<I>) -> Option<Parsed<()>> {
        self.reader.integers(text, into)
    }

    fn floats<F: Float>(&self, text: R::Text, into: &mut Vec<F>) -> bool {
        self.reader.floats(text, into)
    }
}

impl<R: Reader> Reader for EventReader<'_, R> {
    fn next(&mut self) -> Result<Event<R::Name, R::Text>> {
        let event = match self.ahead.take() {
            Some(Peeked { event, .. }) => event,
            None => self.reader.next()?,
        };
        self.look();
        self.note(event)?;
        Ok(event)
    }

    #[inline(always)]
    fn next_known<T>(
        &mut self,
        ends: bool,
        known: impl FnOnce(u32) -> Option<Expected<T>>,
    ) -> Option<Known<T, R::Name, R::Text>> {
        if self.is_blocked {
            return None;
        }
        let read = self.reader.next_known(ends, known)?;
        match read {
            Known::Text(..) => self.begun += 1,
            Known::Start(_, name) => {
                (self.element, self.element_began) = (Some(name), self.reader.began());
                self.begun += 1;
                self.look();
            }
            Known::End => self.look(),
        }
        Some(read)
    }

    fn end_document(&mut self) -> bool {
        self.ahead.is_none() && self.reader.end_document()
    }

    fn began(&self) -> usize {
        self.ahead.as_ref().map_or_else(|| self.reader.began(), |it| it.began)
    }

    fn position(&self) -> usize {
        self.ahead.as_ref().map_or_else(|| self.reader.position(), |it| it.position)
    }

    fn depth(&self) -> usize {
        self.ahead.as_ref().map_or_else(|| self.reader.depth(), |it| it.depth)
    }

    fn attribute_began(&self, index: usize) -> usize {
        self.reader.attribute_began(index)
    }

    fn raw(&mut self, left_out: &[usize], out: &mut String) -> Result<()> {
        let read = self.reader.raw(left_out, out);
        self.look();
        read
    }

    fn restart(&mut self) -> Result<()> {
        self.reader.restart()?;
        (self.ahead, self.root, self.element) = (None, None, None);
        (self.element_began, self.begun) = (0, 0);
        self.look();
        Ok(())
    }
}

impl<R: Reader> Form for EventReader<'_, R> {
    const IS_TEXT: bool = false;
    type Held = R::Text;

    #[inline(always)]
    fn held(&self, text: R::Text, at: usize) -> Option<Value<R::Text>> {
        Some(Value::Held(text, at))
    }

    #[inline(always)]
    fn text_of(held: R::Text) -> R::Text {
        held
    }

    #[inline(always)]
    fn generation(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn place(&self) -> usize {
        self.reader.position()
    }

    fn find_namespace(&self, _: &str) -> Option<R::Namespace> {
        None
    }

    fn is_none(&self, namespace: R::Namespace) -> bool {
        self.reader.namespace_name(namespace).is_empty()
    }

    fn before_first(&self) -> usize {
        self.begun
    }

    fn is_first(&self, since: usize, _: usize) -> bool {
        self.begun == since + 1
    }

    fn next_name(&mut self) -> Result<Option<&str>> {
        loop {
            let event = match &self.ahead {
                Some(Peeked { event, .. }) => *event,
                None => {
                    let (began, position) = (self.reader.began(), self.reader.position());
                    let depth = self.reader.depth();
                    let event = self.reader.next()?;
                    self.ahead = Some(Peeked { event, began, position, depth });
                    self.is_blocked = true;
                    event
                }
            };
            match event {
                Event::Start(name) => return Ok(Some(self.reader.local(name))),
                Event::Text(text) if self.reader.is_white(text) => {
                    self.ahead = None;
                    self.look();
                }
                Event::Text(_) | Event::End | Event::Eof => return Ok(None),
            }
        }
    }

    fn element_began(&self) -> usize {
        self.element_began
    }

    fn element(&self) -> (&str, Option<R::Namespace>) {
        let name = self.element.map(|it| (self.reader.local(it), self.reader.namespace(it)));
        name.map_or(("", None), |(local, namespace)| (local, Some(namespace)))
    }

    fn envelope(&self) -> Option<&str> {
        self.root.map(|it| self.reader.namespace_of(it))
    }
}
