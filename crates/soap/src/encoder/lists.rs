//! Lists: numbers, each an element or all in one text; what stands between the entries of others.

use trunkline_codec::infoset::Name;
use trunkline_message::{Fields, Need};
use trunkline_wire::{Cursor, Integer, Literal};

use super::form::Form;
use super::{Body, write as write_literal};
use crate::dimensions::{Sizes, of_rows};
use crate::options::Version;
use crate::plan::{Shape, Slot};

/// Ends the start tag of an array, of so many items; takes at most 64 bytes.
pub(super) fn count(cursor: &mut Cursor<'_>, items: usize, end: &Literal) {
    let length = (items as u64).write(cursor.window());
    cursor.advance(length);
    cursor.literal(end);
}

impl<W: Form, const ATTRIBUTES: bool> Body<'_, W, ATTRIBUTES> {
    pub(super) fn list<T: Copy>(
        &mut self,
        field: usize,
        values: &[T],
        write: impl Fn(T, &mut [u8; 40]) -> usize,
        put: impl Fn(&mut W::Writer, Option<Name<'_>>, &[T]),
    ) {
        if self.passes(field) || !self.may_hold(field, values.len()) {
            return;
        }
        self.approach_element(field);
        let (plan, scope) = (self.plan, self.scope);
        let slot = &scope.slots[field];
        if !W::IS_XML {
            return self.write_list(slot, values, put);
        }
        let Some(item) = &scope.container(slot).enclosing else {
            return self.spaced(slot, values, write);
        };
        let around = slot.start.len() + slot.end.len() + 64;
        let each = item.start.len() + 40 + item.end.len();
        let mut cursor = self.output.cursor(around + each * values.len());
        if slot.shape == Shape::List {
            cursor.literal(&slot.start);
            if plan.arrays {
                count(&mut cursor, values.len(), &plan.array_end);
            }
        }
        for value in values {
            cursor.literal(&item.start);
            let len = write(*value, cursor.window());
            cursor.advance(len);
            cursor.literal(&item.end);
        }
        if slot.shape == Shape::List {
            cursor.literal(&slot.end);
        }
        cursor.finish();
    }

    /// Tells a list in another form than XML.
    fn write_list<T: Copy>(
        &mut self,
        slot: &Slot,
        values: &[T],
        put: impl Fn(&mut W::Writer, Option<Name<'_>>, &[T]),
    ) {
        let container = self.scope.container(slot);
        let is_wrapped = slot.shape != Shape::Run;
        if is_wrapped {
            write_literal(self.output, &slot.start);
        }
        match &container.enclosing {
            None => self.write_value(|writer, name| put(writer, name, values)),
            Some(item) => {
                if is_wrapped && self.plan.arrays {
                    self.array_count(values.len());
                }
                for value in values {
                    write_literal(self.output, &item.start);
                    self.write_value(|writer, name| put(writer, name, &[*value]));
                    write_literal(self.output, &item.end);
                }
            }
        }
        if is_wrapped {
            write_literal(self.output, &slot.end);
        }
    }

    /// How many entries an array has in each of its dimensions, and the end of its start tag; or fails.
    #[inline]
    pub(super) fn array_sizes<F: Fields>(&mut self, field: usize, entries: &[F]) -> bool {
        let scope = self.scope;
        match scope.container(&scope.slots[field]).dimensions {
            1 => self.array_count(entries.len()),
            dimensions => match of_rows(entries, dimensions) {
                Ok(sizes) => self.write_sizes(&sizes),
                Err(why) => {
                    self.fail(field, why);
                    return false;
                }
            },
        }
        true
    }

    /// The same of one that has no entries.
    pub(super) fn empty_array(&mut self, dimensions: usize) {
        self.write_sizes(&Sizes::of_nothing(dimensions));
    }

    #[cold]
    fn write_sizes(&mut self, sizes: &Sizes) {
        let [before @ .., last] = sizes.as_slice() else { return };
        let between = if self.plan.options.version == Version::Soap11 { b',' } else { b' ' };
        for size in before {
            let mut cursor = self.output.cursor(64);
            let length = (*size as u64).write(cursor.window());
            cursor.advance(length);
            cursor.byte(between);
            cursor.finish();
        }
        self.array_count(*last);
    }

    /// Writes numbers in one text.
    fn spaced<T: Copy>(
        &mut self,
        slot: &Slot,
        values: &[T],
        write: impl Fn(T, &mut [u8; 40]) -> usize,
    ) {
        let room = slot.start.len() + 41 * values.len() + slot.end.len();
        let mut cursor = self.output.cursor(room);
        cursor.literal(&slot.start);
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                cursor.byte(b' ');
            }
            let length = write(*value, cursor.window());
            cursor.advance(length);
        }
        cursor.literal(&slot.end);
        cursor.finish();
    }

    /// Writes an item of a list in one text.
    pub(super) fn spaced_item<F: Fields>(&mut self, index: usize, entry: &F) {
        if index > 0 {
            let mut cursor = self.output.cursor(1);
            cursor.byte(b' ');
            cursor.finish();
        }
        let before = self.output.len();
        self.inner(None, entry);
        let written = &self.output.as_slice()[before..];
        // White space may be escaped.
        let is_white = |it: &u8| matches!(it, b' ' | b'\t' | b'\r' | b'\n');
        let is_apart = written.iter().any(is_white) || written.windows(2).any(|it| it == b"&#");
        if written.is_empty() || is_apart {
            self.fail(0, "an item that is empty, or has a blank in it, would be another list");
        }
    }

    /// Writes an entry of mixed content, behind a text or not; was it a text?
    pub(super) fn mixed_entry<F: Fields>(&mut self, was_text: bool, entry: &F) -> bool {
        self.form.flush(self.output);
        let (before, events) = (self.output.len(), self.form.events());
        self.inner(None, entry);
        // In text, what begins a tag is escaped.
        let is_tag = self.output.as_slice().get(before) == Some(&b'<');
        let is_text = !is_tag && self.form.events() == events;
        if is_text && self.output.len() == before {
            self.fail(self.scope.text.into(), "an empty text between elements is the same as none");
        } else if is_text && was_text {
            self.fail(self.scope.text.into(), "two texts beside each other are the same as one");
        }
        is_text
    }

    /// May the list have so many items?
    #[inline]
    pub(super) fn may_hold(&mut self, field: usize, items: usize) -> bool {
        let scope = self.scope;
        let slot = &scope.slots[field];
        let fixed = scope.container(slot).fixed;
        let is_written = items > 0 || !matches!(slot.shape, Shape::Run | Shape::Mixed);
        if (fixed == 0 || items == fixed) && is_written {
            return true;
        }
        self.reject_count(field, fixed, items)
    }

    /// Without an element around all of them, no entries are the same as no list. Are they what the
    /// schema allows?
    #[cold]
    fn reject_count(&mut self, field: usize, fixed: usize, items: usize) -> bool {
        let is_optional =
            self.plan.layout.scopes()[self.scope_index].fields[field].need == Need::Optional;
        if fixed > 0 && items != fixed {
            self.fail(field, "the list has another number of items than it must have");
        } else if is_optional {
            self.fail(field, "an empty list that is unwrapped cannot be told from none");
        }
        self.problem.is_none()
    }
}
