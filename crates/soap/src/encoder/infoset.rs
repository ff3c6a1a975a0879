//! Values in another form than XML: the writer gets them as they are.

use trunkline_codec::infoset::{Name, Writer};
use trunkline_message::{Any, Error, ErrorKind, Fields, Message, Result, Shape as ScopeShape};
use trunkline_wire::Cursor;

use super::form::{Form, Infoset, List, Route};
use super::{Body, Encoder, NO_HEADER, write};
use crate::any;
use crate::container::Enclosing;
use crate::plan::{NONE, Shape};

/// The value written last, and how to tell that nothing but the end of its element was written since: how many values
/// and runs of markup were, and how much markup waits. Or the end of its entry, too, and the start of the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Behind {
    scope: usize,
    field: usize,
    since: Since,
    events: usize,
    length: usize,
}

/// What happened to the entry of the value written last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Since {
    /// It goes on.
    #[default]
    Nothing,
    /// It has ended.
    End(List),
    /// It has ended, and the next of the list has begun.
    Start(List),
}

impl Encoder {
    /// Writes the message in any form, as [`encode_with`](Self::encode_with) says it in XML; `header` may be
    /// empty. What the message has kept that its schema does not know is an error: it is written as XML only.
    ///
    /// # Errors
    /// As [`encode_with`](Self::encode_with). What was written before is part of no document.
    pub fn encode_to<M: Message>(
        &mut self,
        header: &str,
        message: &M,
        writer: &mut impl Writer,
    ) -> Result<()> {
        let plan = self.plan.clone();
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let mut markup = std::mem::take(&mut self.markup);
        let written = self.write_form(header, message, Infoset::new(writer, &mut markup));
        self.markup = markup;
        written
    }

    fn write_form<M: Message, W: Writer>(
        &mut self,
        header: &str,
        message: &M,
        mut form: Infoset<'_, W>,
    ) -> Result<()> {
        let plan = self.plan.clone();
        self.output.clear();
        match &plan.wrapper_header {
            _ if header.is_empty() => write(&mut self.output, &plan.prologue),
            Some([before, after]) => {
                self.output.extend(before.as_bytes());
                form.flush(&mut self.output);
                form.raw(header);
                self.output.extend(after.as_bytes());
            }
            None => return Err(Error::new(ErrorKind::Unwritable(NO_HEADER), 0)),
        }
        match plan.in_tags {
            false => self.write::<M, _, false>(message, form),
            true => self.write::<M, _, true>(message, form),
        }
    }
}

impl<F: Form, const ATTRIBUTES: bool> Body<'_, F, ATTRIBUTES> {
    /// Is the value of the field a part of a text: an item of a list in one text, or what stands between
    /// elements? Those are written as in XML.
    pub(super) fn is_within_text(&self, field: usize) -> bool {
        match self.scope.slots[field].shape {
            Shape::Bare => true,
            Shape::Text => self.scope.shape == ScopeShape::Choice,
            _ => false,
        }
    }

    /// Writes a field as a typed value, unless it is written as in XML; answers whether it did.
    #[inline(always)]
    pub(super) fn write_typed(
        &mut self,
        field: usize,
        write: impl FnOnce(&mut F::Writer, Option<Name<'_>>),
    ) -> bool {
        if F::IS_XML || self.is_within_text(field) {
            return false;
        }
        if !self.passes(field) {
            self.write_field(field, |body| body.write_value(write));
        }
        true
    }

    /// Writes what stands before a value, and then the value.
    pub(super) fn write_value(&mut self, write: impl FnOnce(&mut F::Writer, Option<Name<'_>>)) {
        self.form.flush(self.output);
        self.form.value(write);
    }

    /// Writes a field that has text, all of which are XML's characters, or fails.
    pub(super) fn write_string(&mut self, field: usize, text: &str) {
        let mut is_legal = true;
        self.write_field(field, |body| {
            body.write_value(|writer, name| is_legal = writer.put(name, text));
        });
        if text.is_empty() && self.scope.slots[field].shape == Shape::Text {
            self.reject_empty_text(field);
        }
        if !is_legal {
            self.unwritable(field);
        }
    }

    /// The same of a text that is not empty, and stands at the front of this block.
    pub(super) fn write_block<const N: usize>(
        &mut self,
        field: usize,
        block: &[u8; N],
        text: &str,
    ) {
        let mut is_legal = true;
        self.write_field(field, |body| {
            body.write_value(|writer, name| is_legal = writer.put_block(name, block, text));
        });
        if !is_legal {
            self.unwritable(field);
        }
    }

    /// Writes a value as the text that it has in XML, which `value` writes and takes at most `room` bytes.
    pub(super) fn write_as_text(
        &mut self,
        field: usize,
        room: usize,
        value: impl FnOnce(&mut Cursor<'_>),
    ) {
        let mut is_empty = false;
        self.write_field(field, |body| {
            body.form.flush(body.output);
            let mut cursor = body.output.cursor(room);
            value(&mut cursor);
            cursor.finish();
            let text = body.output.as_slice();
            is_empty = text.is_empty();
            body.form.value(|writer, name| writer.put_octets(name, text));
            body.output.clear();
        });
        if is_empty && self.scope.slots[field].shape == Shape::Text {
            self.reject_empty_text(field);
        }
    }

    /// Writes an element of any shape in the place of a field, or fails.
    pub(super) fn write_any(&mut self, field: usize, value: &Any) {
        self.approach_element(field);
        match any::written(self.plan, (self.scope_index, field), value) {
            Ok(text) if F::IS_XML => self.output.extend(text.as_bytes()),
            Ok(text) => self.write_value(|writer, _| writer.raw(&text)),
            Err(kind) => {
                let error = Error::new(kind, self.output.len());
                self.problem = Some(self.plan.locate(error, self.scope_index, field));
            }
        }
    }

    fn write_field(&mut self, field: usize, write_inside: impl FnOnce(&mut Self)) {
        let slot = &self.scope.slots[field];
        let mut route = self.route(field);
        if let Some(known) = route
            && self.form.take(known)
        {
            (self.component, self.next) = (slot.component, field + 1);
            self.output.clear();
            route = None;
        } else {
            self.approach(field);
            if ATTRIBUTES && slot.shape != Shape::Attribute {
                self.finish_tag();
            }
            write(self.output, &slot.start);
        }
        let is_new = route.filter(|_| !self.output.is_empty());
        write_inside(self);
        if let Some(route) = is_new {
            self.form.learn(route);
        }
        write(self.output, &slot.end);
        let (events, length) = (self.form.events(), self.output.len());
        self.behind =
            Behind { scope: self.scope_index, field, since: Since::Nothing, events, length };
    }

    /// Writes an entry of this list that is an element of its own.
    #[inline]
    pub(super) fn entry<T: Fields>(&mut self, enclosing: &Enclosing, list: List, entry: &T) {
        (self.next, self.component) = (0, NONE);
        let follows = self.is_behind() && self.behind.since == Since::End(list);
        self.begin(&enclosing.start);
        if follows {
            (self.behind.since, self.behind.length) = (Since::Start(list), self.output.len());
        }
        self.check(entry);
        self.fields(entry);
        let is_last = self.is_behind() && self.behind.since == Since::Nothing;
        self.finish_scope();
        self.close(&enclosing.end);
        if is_last {
            (self.behind.since, self.behind.length) = (Since::End(list), self.output.len());
        }
    }

    /// Was nothing written behind the value of this scope that was written last but the ends and starts of elements
    /// that follow from which it is?
    #[inline(always)]
    fn is_behind(&self) -> bool {
        let Behind { scope, events, length, .. } = self.behind;
        let is_plain = !F::IS_XML && !ATTRIBUTES && !self.scope.hollow;
        is_plain
            && scope == self.scope_index
            && events == self.form.events()
            && length == self.output.len()
            && length > 0
    }

    /// What the markup between the value before and that of this field follows from, if both are of one scope and
    /// nothing else stands between.
    #[inline(always)]
    fn route(&self, field: usize) -> Option<Route> {
        let Behind { scope, field: before, since, .. } = self.behind;
        let list = match since {
            Since::Nothing => List::NONE,
            Since::Start(list) => list,
            Since::End(_) => return None,
        };
        self.is_behind().then(|| Route::new(scope, before, self.component, field, list))
    }
}
