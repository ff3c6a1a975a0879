//! Fields to SOAP.

mod attached;
mod form;
mod infoset;
mod lists;
mod markup;
mod message;

use std::sync::Arc;

use trunkline_codec::infoset::{Name, Writer};
use trunkline_message::{
    Any, Encoder as FieldEncoder, Error, ErrorKind, Fields, Message, Need, Result, Unknown,
};
use trunkline_wire::scan::{Block, Mask};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Cursor, Date, Decimal, Duration, Float, Integer, Literal, Output,
    Text, Time, Timestamp, ahead, base64, scan, write_float,
};

use self::form::{Form, List, Xml};
use self::infoset::Behind;
use self::lists::count;
use self::markup::Markup;
use crate::container::Enclosing;
use crate::escape::{escape, in_quotes, in_text};
use crate::package::Attaching;
use crate::parts::Part;
use crate::plan::{EMPTY_IS_DEFAULT, Element, ListForm, NONE, Plan, ScopePlan, Shape, Slot};
use crate::types::ByType;
use crate::unknown::restore::KeptContent;

/// Writes messages of one schema as SOAP.
#[derive(Debug)]
pub struct Encoder {
    pub(super) plan: Arc<Plan>,
    pub(super) output: Output,
    /// Data in Base64, before it is output.
    base64: Vec<u8>,
    pub(super) kept: KeptContent,
    /// For other forms than XML.
    markup: Markup,
    pub(super) attaching: Attaching,
}

impl Encoder {
    /// An encoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        let (base64, kept, markup, attaching) = Default::default();
        Self { plan: plan.clone(), output: Output::new(), base64, kept, markup, attaching }
    }

    /// The plain twin: keeps nothing of how it wrote markup in another form than XML. For tests and comparisons.
    #[must_use]
    pub fn generic(mut self) -> Self {
        self.markup.set_plain();
        self
    }

    /// The amount of kept unknown content of the last message that was not written: fields of other formats,
    /// and content of an element that no longer exists. The rest was written where it stood.
    pub fn unknown(&self) -> usize {
        self.kept.dropped
    }

    /// The message in its envelope; the bytes stay until the next call.
    ///
    /// # Errors
    /// Text with a character that XML cannot carry, or a message of another schema. The path names
    /// the field.
    #[inline]
    pub fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        let plan = &*self.plan;
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        self.output.clear();
        write(&mut self.output, &plan.prologue);
        match plan.in_tags {
            false => self.write::<M, Xml, false>(message, Xml)?,
            true => self.write_in_tags(message)?,
        }
        Ok(self.output.as_slice())
    }

    /// The message in its envelope, with header blocks: `header` is what stands inside the Header,
    /// elements that declare what they need. None is written if it is empty.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); a [fragment](super::Layout::Fragment) has no header.
    pub fn encode_with<M: Message>(&mut self, header: &str, message: &M) -> Result<&[u8]> {
        let plan = self.plan.clone();
        if header.is_empty() {
            return self.encode(message);
        }
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let Some([before, after]) = &plan.wrapper_header else {
            return Err(Error::new(ErrorKind::Unwritable(NO_HEADER), 0));
        };
        self.output.clear();
        self.output.extend(before.as_bytes());
        self.output.extend(header.as_bytes());
        self.output.extend(after.as_bytes());
        match plan.in_tags {
            false => self.write::<M, Xml, false>(message, Xml)?,
            true => self.write_in_tags(message)?,
        }
        Ok(self.output.as_slice())
    }

    /// Apart, so that the usual path stays small.
    #[inline(never)]
    fn write_in_tags<M: Message>(&mut self, message: &M) -> Result<()> {
        self.write::<M, Xml, true>(message, Xml)
    }

    /// Writes the fields and all behind them.
    #[inline(always)]
    fn write<M: Message, F: Form, const ATTRIBUTES: bool>(
        &mut self,
        message: &M,
        form: F,
    ) -> Result<()> {
        let plan = &*self.plan;
        let scope = &plan.scopes[0];
        let content = self.output.len();
        self.kept.begin();
        let mut body = Body::<F, ATTRIBUTES> {
            plan,
            form,
            scope,
            scope_index: 0,
            next: 0,
            component: NONE,
            tag_is_open: ATTRIBUTES,
            visit: 0,
            more: false,
            behind: Behind::default(),
            output: &mut self.output,
            base64: &mut self.base64,
            kept: &mut self.kept,
            attaching: &mut self.attaching,
            problem: None,
        };
        match plan.options.nillable && message.is_nil() {
            true => body.nil_message(message),
            false => body.message(message),
        }
        let (problem, mut form) = (body.problem.take(), body.form);
        form.flush(&mut self.output);
        if !self.kept.is_empty() {
            if !F::IS_XML {
                self.kept.clear();
                return Err(problem.unwrap_or_else(kept_in_xml));
            }
            return self.restore(content, problem);
        }
        problem.map_or(Ok(()), Err)
    }
}

const NO_HEADER: &str = "a fragment has no header";

#[cold]
fn kept_in_xml() -> Error {
    Error::new(ErrorKind::Unwritable("what is unknown and was kept is written as XML only"), 0)
}

/// With `ATTRIBUTES`, values are attributes, and the start tag of an element stays open until it is
/// known what stands inside.
struct Body<'a, F, const ATTRIBUTES: bool> {
    plan: &'a Plan,
    form: F,
    scope: &'a ScopePlan,
    scope_index: usize,
    /// Rank of the first field of the scope that is not passed yet.
    next: usize,
    /// The component that is open.
    component: u16,
    /// Does the start tag of the innermost element lack its end?
    tag_is_open: bool,
    /// Which visit to the fields of the scope this is.
    visit: u16,
    /// Did it find fields that a later one writes?
    more: bool,
    /// For other forms than XML.
    behind: Behind,
    output: &'a mut Output,
    base64: &'a mut Vec<u8>,
    kept: &'a mut KeptContent,
    attaching: &'a mut Attaching,
    problem: Option<Error>,
}

impl<'a, F: Form, const ATTRIBUTES: bool> Body<'a, F, ATTRIBUTES> {
    /// Writes the fields of the scope.
    #[inline]
    fn fields<T: Fields>(&mut self, fields: &T) {
        if !ATTRIBUTES {
            return fields.encode_fields(0, self);
        }
        for visit in 0..self.scope.visits {
            (self.visit, self.more) = (visit, false);
            fields.encode_fields(0, self);
            if !self.more {
                break;
            }
        }
    }

    /// Does another visit write this field?
    #[inline]
    fn passes(&mut self, field: usize) -> bool {
        let visit = self.scope.slots[field].visit;
        self.more |= ATTRIBUTES && visit > self.visit;
        ATTRIBUTES && visit != self.visit
    }

    /// Writes one field whose value takes at most `room` bytes.
    #[inline]
    fn field(&mut self, field: usize, room: usize, value: impl FnOnce(&mut Cursor<'_>)) {
        if self.passes(field) {
            return;
        }
        if !F::IS_XML && !self.is_within_text(field) {
            return self.write_as_text(field, room, value);
        }
        self.approach(field);
        let slot = &self.scope.slots[field];
        if ATTRIBUTES && !matches!(slot.shape, Shape::Attribute | Shape::Bare) {
            self.finish_tag();
        }
        let before = self.output.len();
        let mut cursor = self.output.cursor(slot.start.len() + room + slot.end.len());
        cursor.literal(&slot.start);
        value(&mut cursor);
        cursor.literal(&slot.end);
        cursor.finish();
        if ATTRIBUTES && slot.shape == Shape::Text && self.output.len() == before {
            self.reject_empty_text(field);
        }
    }

    /// Without text, none is the same as an empty one, or it is the default.
    #[cold]
    fn reject_empty_text(&mut self, field: usize) {
        let fields = &self.plan.layout.scopes()[self.scope_index].fields;
        if self.scope.slots[field].empty.is_some() {
            self.fail(field, EMPTY_IS_DEFAULT);
        } else if fields[field].need != Need::Required {
            self.fail(field, "an element with empty text cannot be told from one without");
        }
    }

    /// Closes and opens components so that `field` can be written.
    #[inline]
    fn approach(&mut self, field: usize) {
        let slot = &self.scope.slots[field];
        let rank = if ATTRIBUTES { slot.rank.into() } else { field };
        if slot.component != self.component || self.scope.hollow {
            self.enter(rank, slot.component);
        }
        self.next = rank + 1;
    }

    /// As [`approach`](Self::approach), for a field that is an element whatever the others are.
    #[inline]
    fn approach_element(&mut self, field: usize) {
        self.approach(field);
        if ATTRIBUTES && self.scope.slots[field].shape != Shape::Attribute {
            self.finish_tag();
        }
    }

    /// Closes and opens components so that the field of this rank stands in `component`.
    #[inline(never)]
    fn enter(&mut self, rank: usize, component: u16) {
        if self.scope.hollow {
            self.fill(rank);
        }
        self.reach(component);
    }

    /// Writes what has to be there before the rank though it holds nothing.
    fn fill(&mut self, rank: usize) {
        let scope = self.scope;
        if let Some(types) = &scope.by_type {
            return self.write_type(types, rank);
        }
        if let Some(result) = self.plan.result.as_ref().filter(|_| self.writes_first(rank)) {
            write(self.output, result);
        }
        for part in &self.scope.parts {
            if part.rank >= self.next && part.end <= rank {
                self.fill_part(part, rank);
            }
        }
        self.fill_components(rank);
    }

    /// Writes a field that is not set before the rank, if what it stands in is there.
    fn fill_part(&mut self, part: &Part, rank: usize) {
        let (scope, next) = (self.scope, self.next);
        let slot = &scope.slots[usize::from(part.field)];
        let passed = |it: &Element| it.ranks.0 >= next && it.ranks.1 <= rank;
        if !scope.stands(slot.component, passed) {
            return;
        }
        self.fill_components(part.rank);
        self.reach(slot.component);
        if ATTRIBUTES {
            self.finish_tag();
        }
        match &part.nil {
            Some(nil) => write(self.output, nil),
            None => {
                write(self.output, &slot.start);
                if scope.container(slot).is_array {
                    self.empty_array(scope.container(slot).dimensions);
                }
                write(self.output, &slot.end);
            }
        }
        self.next = part.end;
    }

    /// Tells the type of an arm in the start tag that was left open for it.
    fn write_type(&mut self, types: &ByType, rank: usize) {
        if let Some(attribute) = types.type_attribute(rank) {
            write(self.output, attribute);
        }
    }

    /// Is the message's first element written before the rank, or at it?
    fn writes_first(&self, rank: usize) -> bool {
        let scope = self.scope;
        let is_first = self.scope_index == 0 && self.next == 0 && self.component == NONE;
        let is_outer = |it: &&Element| it.parent == NONE && it.ranks.0 == 0 && !it.is_choice;
        let first = scope.components.iter().find(is_outer);
        let stands = || match first {
            Some(component) => component.required || rank < component.ranks.1,
            None => rank == 0 || scope.parts.first().is_some_and(|it| it.rank == 0),
        };
        is_first && stands()
    }

    /// How many entries an array has, which its start tag says, and the end of the tag.
    #[inline]
    fn array_count(&mut self, entries: usize) {
        let mut cursor = self.output.cursor(64);
        count(&mut cursor, entries, &self.plan.array_end);
        cursor.finish();
    }

    /// Writes the required components that lie before the rank and have no field inside set.
    fn fill_components(&mut self, rank: usize) {
        let scope = self.scope;
        let next = self.next;
        let passed = |it: &Element| it.ranks.0 >= next && it.ranks.1 <= rank;
        for (index, element) in scope.components.iter().enumerate() {
            if passed(element) && scope.stands(index as u16, passed) {
                self.reach(index as u16);
            }
        }
    }

    #[inline]
    fn reach(&mut self, component: u16) {
        let components = &self.scope.components;
        let parent = |it: u16| components.get(usize::from(it)).map(|element| element.parent);
        // Most steps go one component out or in.
        if parent(self.component) == Some(component) {
            self.close(&components[usize::from(self.component)].end);
            self.component = component;
        } else if parent(component) == Some(self.component) {
            self.begin(&components[usize::from(component)].start);
            self.component = component;
        } else {
            self.reach_far(component);
        }
    }

    #[inline(never)]
    fn reach_far(&mut self, component: u16) {
        while self.component != NONE && !self.scope.is_inside(component, self.component) {
            let element = &self.scope.components[usize::from(self.component)];
            self.close(&element.end);
            self.component = element.parent;
        }
        self.open(component);
    }

    /// Opens a component inside the one that is open, the outer ones first.
    fn open(&mut self, component: u16) {
        if component != self.component {
            let element = &self.scope.components[usize::from(component)];
            self.open(element.parent);
            self.begin(&element.start);
            self.component = component;
        }
    }

    fn finish_scope(&mut self) {
        if self.component != NONE || self.scope.hollow {
            self.enter(self.scope.slots.len(), NONE);
        }
    }

    /// Begins a component or an entry.
    #[inline]
    fn begin(&mut self, start: &Literal) {
        if ATTRIBUTES {
            self.finish_tag();
            self.tag_is_open = true;
        }
        write(self.output, start);
    }

    /// Ends the innermost component or entry.
    #[inline]
    fn close(&mut self, end: &Literal) {
        if ATTRIBUTES && std::mem::take(&mut self.tag_is_open) {
            let mut cursor = self.output.cursor(2);
            cursor.array(*b"/>");
            return cursor.finish();
        }
        write(self.output, end);
    }

    /// Ends the start tag of the innermost element, inside which another follows.
    #[inline]
    fn finish_tag(&mut self) {
        if std::mem::take(&mut self.tag_is_open) {
            let mut cursor = self.output.cursor(1);
            cursor.byte(b'>');
            cursor.finish();
        }
    }

    #[inline]
    fn window(&mut self, field: usize, write: impl FnOnce(&mut [u8; 40]) -> usize) {
        self.field(field, 40, |cursor| {
            let len = write(cursor.window());
            cursor.advance(len);
        });
    }

    /// Which bytes a value cannot contain as they are, or may not.
    #[inline(always)]
    fn escapable(block: Block) -> Mask {
        match ATTRIBUTES {
            false => scan::escapable(block),
            true => scan::escapable_in_quotes(block),
        }
    }

    /// Appends text with what is markup escaped; says whether every character is one of XML's.
    fn escape(cursor: &mut Cursor<'_>, text: &str, quoted: bool) -> bool {
        match quoted {
            false => escape(cursor, text, in_text),
            true => escape(cursor, text, in_quotes),
        }
    }

    /// Does the value of the field stand between quotes? Where values are attributes, those of arms
    /// and items are elements even so.
    #[inline]
    fn is_quoted(&self, field: usize) -> bool {
        ATTRIBUTES && matches!(self.scope.slots[field].shape, Shape::Attribute | Shape::Bare)
    }

    /// An element without content stands for the default.
    #[cold]
    fn reject_default(&mut self, field: usize) {
        if self.scope.slots[field].shape == Shape::Defaulted {
            self.fail(field, EMPTY_IS_DEFAULT);
        }
    }

    #[cold]
    fn unwritable(&mut self, field: usize) {
        self.fail(field, "the text has a character that XML 1.0 does not allow");
    }

    #[inline]
    fn check<T: Fields>(&mut self, fields: &T) {
        if let Some(unmet) = fields.unmet()
            && self.problem.is_none()
        {
            let error = Error::new(ErrorKind::Unwritable(unmet.why()), self.output.len());
            let scope = &self.plan.layout.scopes()[self.scope_index];
            self.problem = Some(scope.locate_unmet(error, unmet));
        }
    }

    /// Writes what another scope describes: a struct, or an entry of a list.
    #[inline]
    fn inner<T: Fields>(&mut self, enclosing: Option<&Enclosing>, value: &T) {
        (self.next, self.component) = (0, NONE);
        if let Some(element) = enclosing {
            self.begin(&element.start);
        }
        self.check(value);
        self.fields(value);
        self.finish_scope();
        if let Some(element) = enclosing {
            self.close(&element.end);
        }
    }

    /// Calls `write` in the scope of what a field has inside.
    #[inline]
    fn inside(&mut self, slot: &'a Slot, write: impl FnOnce(&mut Self)) {
        let outer = (self.scope, self.scope_index, self.component);
        let visit = (self.visit, self.more);
        self.scope_index = slot.scope.into();
        self.scope = &self.plan.scopes[self.scope_index];
        write(self);
        (self.scope, self.scope_index, self.component) = outer;
        (self.visit, self.more) = visit;
        self.next = usize::from(slot.rank) + 1;
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, field: usize, why: &'static str) {
        if self.problem.is_none() {
            let error = Error::new(ErrorKind::Unwritable(why), self.output.len());
            self.problem = Some(self.plan.locate(error, self.scope_index, field));
        }
    }
}

#[inline]
fn write(output: &mut Output, literal: &Literal) {
    let mut cursor = output.cursor(literal.len());
    cursor.literal(literal);
    cursor.finish();
}

impl<W: Form, const ATTRIBUTES: bool> FieldEncoder for Body<'_, W, ATTRIBUTES> {
    #[inline]
    fn boolean(&mut self, field: usize, value: bool) {
        if self.write_typed(field, |writer, name| writer.boolean(name, value)) {
            return;
        }
        // No branch: which it is, no processor can guess.
        let word = [b"false\0\0\0", b"true\0\0\0\0"][usize::from(value)];
        self.field(field, 8, |cursor| cursor.block(word, 5 - usize::from(value)));
    }

    #[inline]
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        if self.write_typed(field, |writer, name| writer.integer(name, value)) {
            return;
        }
        self.window(field, |window| value.write(window));
    }

    #[inline]
    fn decimal(&mut self, field: usize, value: Decimal) {
        if self.write_typed(field, |writer, name| writer.decimal(name, value)) {
            return;
        }
        self.window(field, |window| value.write(window));
    }

    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.field(field, value.as_str().len(), |cursor| cursor.copy(value.as_str().as_bytes()));
    }

    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.field(field, value.as_str().len(), |cursor| cursor.copy(value.as_str().as_bytes()));
    }

    #[inline]
    fn float<F: Float>(&mut self, field: usize, value: F) {
        if self.write_typed(field, |writer, name| writer.float(name, value)) {
            return;
        }
        self.window(field, |window| write_float(value, window));
    }

    fn string(&mut self, field: usize, value: &str) {
        if self.passes(field) {
            return;
        }
        if value.is_empty() {
            self.reject_default(field);
        }
        if !W::IS_XML && !self.is_within_text(field) {
            return self.write_string(field, value);
        }
        let mut legal = true;
        let quoted = self.is_quoted(field);
        let needs_escape = match quoted {
            false => scan::needs_escape(value.as_bytes()),
            true => scan::needs_escape_in_quotes(value.as_bytes()),
        };
        if needs_escape {
            self.field(field, 6 * value.len(), |cursor| {
                legal = Self::escape(cursor, value, quoted)
            });
        } else {
            self.field(field, value.len(), |cursor| cursor.copy(value.as_bytes()));
        }
        if !legal {
            self.unwritable(field);
        }
    }

    #[inline]
    fn text(&mut self, field: usize, value: &Text) {
        match value.inline_block() {
            Some((block, len))
                if W::IS_XML && len > 0 && (!ATTRIBUTES || self.is_quoted(field)) =>
            {
                let mut legal = true;
                self.field(field, 6 * 30, |cursor| {
                    if cursor.text_block(block, len, Self::escapable) {
                        cursor.retreat(len);
                        legal = Self::escape(cursor, value, ATTRIBUTES);
                    }
                });
                if !legal {
                    self.unwritable(field);
                }
            }
            Some((block, len)) if !W::IS_XML && len > 0 && !self.is_within_text(field) => {
                if !self.passes(field) {
                    self.write_block(field, block, value);
                }
            }
            _ => self.string(field, value),
        }
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        if self.passes(field) {
            return;
        }
        if !value.is_empty() && self.write_typed(field, |writer, name| writer.bytes(name, value)) {
            return;
        }
        if W::IS_XML && self.attaching.takes(value) && self.attach(field, value) {
            return;
        }
        let mut text = std::mem::take(self.base64);
        text.clear();
        base64::encode_into(value, &mut text);
        self.field(field, text.len(), |cursor| cursor.copy(&text));
        *self.base64 = text;
    }

    fn any(&mut self, field: usize, value: &Any) {
        if self.problem.is_none() && !self.passes(field) {
            self.write_any(field, value);
        }
    }

    #[inline]
    fn code(&mut self, field: usize, value: Code) {
        if !W::IS_XML || value.is_empty() || ATTRIBUTES && !self.is_quoted(field) {
            return self.string(field, value.as_str());
        }
        let mut legal = true;
        self.field(field, 6 * 16, |cursor| {
            if cursor.text_block(value.block(), value.len(), Self::escapable) {
                cursor.retreat(value.len());
                legal = Self::escape(cursor, value.as_str(), ATTRIBUTES);
            }
        });
        if !legal {
            self.unwritable(field);
        }
    }

    #[inline]
    fn date(&mut self, field: usize, value: Date) {
        self.window(field, |window| value.write_xml(window));
    }

    #[inline]
    fn time(&mut self, field: usize, value: Time) {
        let zone = self.plan.options.zone;
        self.window(field, |window| value.write_xml(zone, window));
    }

    #[inline]
    fn timestamp(&mut self, field: usize, value: Timestamp) {
        let zone = self.plan.options.zone;
        self.window(field, |window| value.write_xml(zone, window));
    }

    fn duration(&mut self, field: usize, value: Duration) {
        let mut text = [0; Duration::LONGEST];
        let length = value.write_xml(&mut text);
        self.field(field, length, |cursor| cursor.copy(&text[..length]));
    }

    fn enumeration(&mut self, field: usize, value: usize) {
        let plan = self.plan;
        let values = &plan.enumerations[usize::from(self.scope.slots[field].scope)];
        match values.name(value) {
            Some(name) => self.string(field, name),
            None => self.fail(field, "the enumeration has no such value"),
        }
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        let put = |writer: &mut W::Writer, name: Option<Name<'_>>, values: &[I]| {
            writer.integers(name, values);
        };
        self.list(field, values, |value, window| value.write(window), put);
    }

    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        let put = |writer: &mut W::Writer, name: Option<Name<'_>>, values: &[F]| {
            writer.floats(name, values);
        };
        self.list(field, values, write_float, put);
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        if self.problem.is_some() || self.passes(field) || !self.may_hold(field, entries.len()) {
            return;
        }
        self.approach_element(field);
        let scope = self.scope;
        let slot = &scope.slots[field];
        let is_wrapped = !matches!(slot.shape, Shape::Run | Shape::Mixed);
        if is_wrapped {
            write(self.output, &slot.start);
            if scope.container(slot).is_array && !self.array_sizes(field, entries) {
                return;
            }
        }
        let enclosing = scope.container(slot).enclosing.as_ref();
        let outer = self.scope_index;
        let list = List::new(outer, field);
        let mut was_text = false;
        self.inside(slot, |body| {
            for (i, entry) in ahead(entries).enumerate() {
                match slot.form {
                    _ if entry.is_nil() && scope.container(slot).takes_nil => {
                        body.nil(enclosing, entry);
                    }
                    ListForm::Mixed => was_text = body.mixed_entry(was_text, entry),
                    ListForm::Spaced => body.spaced_item(i, entry),
                    _ => match enclosing {
                        Some(element) if !W::IS_XML => body.entry(element, list, entry),
                        _ => body.inner(enclosing, entry),
                    },
                }
                if let Some(problem) = body.problem.take() {
                    body.problem = Some(body.plan.locate(problem.in_entry(i), outer, field));
                    break;
                }
            }
        });
        if is_wrapped {
            write(self.output, &slot.end);
        }
    }

    #[cold]
    fn unknown(&mut self, fields: &Unknown) {
        // Each visit comes here, the last behind all that is inside.
        if !ATTRIBUTES || !self.more {
            self.kept.take(self.output.len(), fields);
        }
    }

    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        if self.problem.is_some() || self.passes(field) {
            return;
        }
        // The start tag of a choice by type is its arm's, too.
        self.approach(field);
        let scope = self.scope;
        let slot = &scope.slots[field];
        let enclosing = scope.container(slot).enclosing.as_ref();
        let outer = self.scope_index;
        self.inside(slot, |body| {
            match value.is_nil() && scope.container(slot).takes_nil {
                true => body.nil(enclosing, value),
                false => body.inner(enclosing, value),
            }
            if let Some(problem) = body.problem.take() {
                body.problem = Some(body.plan.locate(problem, outer, field));
            }
        });
    }
}
