//! Values in another form than XML: handed on as they are.

use trunkline_wire::Cursor;

use super::form::Form;
use super::{Body, write};
use crate::infoset::{Name, Writer};
use crate::soap::any;
use crate::soap::plan::Shape;
use trunkline_message::{Any, Error, Shape as ScopeShape};

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

    /// Tells a field as a value, unless that is written as in XML.
    #[inline(always)]
    pub(super) fn told_as(
        &mut self,
        field: usize,
        write: impl FnOnce(&mut F::Writer, Option<Name<'_>>),
    ) -> bool {
        if F::IS_XML || self.is_within_text(field) {
            return false;
        }
        if !self.passes(field) {
            self.tell_field(field, |body| body.tell_value(write));
        }
        true
    }

    /// Tells what stands before a value, and then that.
    pub(super) fn tell_value(&mut self, write: impl FnOnce(&mut F::Writer, Option<Name<'_>>)) {
        self.form.tell(self.output);
        self.form.value(write);
    }

    /// Tells a field that has text, all of which is one of XML's characters, or fails.
    pub(super) fn tell_string(&mut self, field: usize, text: &str) {
        let mut is_legal = true;
        self.tell_field(field, |body| {
            body.tell_value(|writer, name| is_legal = writer.put(name, text));
        });
        if text.is_empty() && self.scope.slots[field].shape == Shape::Text {
            self.refuse_empty_text(field);
        }
        if !is_legal {
            self.unwritable(field);
        }
    }

    /// Tells a value as the text that it has in XML, which `value` writes and takes at most `room` bytes.
    pub(super) fn tell_as_text(
        &mut self,
        field: usize,
        room: usize,
        value: impl FnOnce(&mut Cursor<'_>),
    ) {
        let mut is_empty = false;
        self.tell_field(field, |body| {
            body.form.tell(body.output);
            let mut cursor = body.output.cursor(room);
            value(&mut cursor);
            cursor.finish();
            let text = std::str::from_utf8(body.output.as_slice()).unwrap_or_default();
            is_empty = text.is_empty();
            body.form.value(|writer, name| writer.put(name, text));
            body.output.clear();
        });
        if is_empty && self.scope.slots[field].shape == Shape::Text {
            self.refuse_empty_text(field);
        }
    }

    /// Writes an element of any shape in the place of a field, or fails.
    pub(super) fn write_any(&mut self, field: usize, value: &Any) {
        self.approach_element(field);
        match any::written(self.plan, (self.scope_index, field), value) {
            Ok(text) if F::IS_XML => self.output.extend(text.as_bytes()),
            Ok(text) => self.tell_value(|writer, _| writer.raw(&text)),
            Err(kind) => {
                let error = Error::new(kind, self.output.len());
                self.problem = Some(self.plan.locate(error, self.scope_index, field));
            }
        }
    }

    fn tell_field(&mut self, field: usize, tell: impl FnOnce(&mut Self)) {
        self.approach(field);
        let slot = &self.scope.slots[field];
        if ATTRIBUTES && slot.shape != Shape::Attribute {
            self.finish_tag();
        }
        write(self.output, &slot.start);
        tell(self);
        write(self.output, &slot.end);
    }
}
