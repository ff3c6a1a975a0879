//! Fields to SOAP.

use std::sync::Arc;

use trunkline_message::{Encoder as FieldEncoder, Error, ErrorKind, Fields, Message, Result};
use trunkline_wire::{
    Code, Cursor, Date, Decimal, Integer, Output, Text, Time, Timestamp, base64, scan, write_float,
};

use super::plan::{Element, NONE, Plan, ScopePlan};

/// Writes messages of one schema as SOAP.
#[derive(Debug)]
pub struct Encoder {
    plan: Arc<Plan>,
    output: Output,
    /// Data in Base64, on its way to the output.
    base64: Vec<u8>,
}

impl Encoder {
    /// An encoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self { plan: plan.clone(), output: Output::new(), base64: Vec::new() }
    }

    /// The message in its envelope; the bytes stay until the next call.
    ///
    /// # Errors
    /// Text with a character that XML cannot carry, or a message of another schema. The path names
    /// the field.
    #[inline]
    pub fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        let plan = &*self.plan;
        if !Arc::ptr_eq(message.message_schema(), &plan.schema) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        self.output.clear();
        let mut cursor = self.output.cursor(plan.prologue.len());
        cursor.literal(&plan.prologue);
        cursor.finish();
        let scope = &plan.scopes[0];
        let mut body = Body {
            plan,
            scope,
            scope_index: 0,
            next: 0,
            component: NONE,
            output: &mut self.output,
            base64: &mut self.base64,
            problem: None,
        };
        body.check(message);
        message.encode_fields(0, &mut body);
        body.finish_scope();
        if let Some(problem) = body.problem.take() {
            return Err(problem);
        }
        let mut cursor = self.output.cursor(plan.epilogue.len());
        cursor.literal(&plan.epilogue);
        cursor.finish();
        Ok(self.output.as_slice())
    }
}

struct Body<'a> {
    plan: &'a Plan,
    scope: &'a ScopePlan,
    scope_index: usize,
    /// The first field of the scope that is not passed yet.
    next: usize,
    /// The component that is open.
    component: u16,
    output: &'a mut Output,
    base64: &'a mut Vec<u8>,
    problem: Option<Error>,
}

impl<'a> Body<'a> {
    /// Writes one field whose value takes at most `room` bytes.
    #[inline]
    fn field(&mut self, field: usize, room: usize, value: impl FnOnce(&mut Cursor<'_>)) {
        let slot = &self.scope.slots[field];
        if slot.component != self.component || self.scope.hollow {
            self.enter(field, slot.component);
        }
        self.next = field + 1;
        let mut cursor = self.output.cursor(slot.start.len() + room + slot.end.len());
        cursor.literal(&slot.start);
        value(&mut cursor);
        cursor.literal(&slot.end);
        cursor.finish();
    }

    /// Closes and opens components so that `field` stands in `component`.
    #[inline(never)]
    fn enter(&mut self, field: usize, component: u16) {
        if self.scope.hollow {
            self.fill(field);
        }
        self.reach(component);
    }

    /// Writes the required components that lie before `field` and have no field inside set.
    fn fill(&mut self, field: usize) {
        let components = &self.scope.components;
        for (index, element) in components.iter().enumerate() {
            let passed = |it: &Element| it.fields.0 >= self.next && it.fields.1 <= field;
            let stands = |it: &Element| it.required || !passed(it);
            let parent = components.get(usize::from(element.parent));
            if passed(element) && element.required && parent.is_none_or(stands) {
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
            let end = &components[usize::from(self.component)].end;
            write(self.output, |cursor| cursor.literal(end));
            self.component = component;
        } else if parent(component) == Some(self.component) {
            let start = &components[usize::from(component)].start;
            write(self.output, |cursor| cursor.literal(start));
            self.component = component;
        } else {
            self.reach_far(component);
        }
    }

    #[inline(never)]
    fn reach_far(&mut self, component: u16) {
        while self.component != NONE && !self.scope.is_inside(component, self.component) {
            let element = &self.scope.components[usize::from(self.component)];
            write(self.output, |cursor| cursor.literal(&element.end));
            self.component = element.parent;
        }
        self.open(component);
    }

    /// Opens a component inside the one that is open, the outer ones first.
    fn open(&mut self, component: u16) {
        if component != self.component {
            let element = &self.scope.components[usize::from(component)];
            self.open(element.parent);
            write(self.output, |cursor| cursor.literal(&element.start));
            self.component = component;
        }
    }

    fn finish_scope(&mut self) {
        if self.component != NONE || self.scope.hollow {
            self.enter(self.scope.slots.len(), NONE);
        }
    }

    #[inline]
    fn window(&mut self, field: usize, write: impl FnOnce(&mut [u8; 40]) -> usize) {
        self.field(field, 40, |cursor| {
            let len = write(cursor.window());
            cursor.advance(len);
        });
    }

    fn list<T: Copy>(
        &mut self,
        field: usize,
        values: &[T],
        write: impl Fn(T, &mut [u8; 40]) -> usize,
    ) {
        self.field(field, 64 * values.len(), |cursor| {
            for value in values {
                cursor.array(*b"<item>");
                let len = write(*value, cursor.window());
                cursor.advance(len);
                cursor.array(*b"</item>");
            }
        });
    }

    #[cold]
    fn unwritable(&mut self, field: usize) {
        self.fail(field, "the text has a character that XML 1.0 does not allow");
    }

    #[inline]
    fn check<F: Fields>(&mut self, fields: &F) {
        if let Some(field) = fields.missing() {
            self.fail(field, "a required field is not set");
        }
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
fn write(output: &mut Output, literal: impl FnOnce(&mut Cursor<'_>)) {
    let mut cursor = output.cursor(256);
    literal(&mut cursor);
    cursor.finish();
}

/// Appends text with what is markup escaped; says whether every character is one of XML's.
#[inline(never)]
fn escape(cursor: &mut Cursor<'_>, text: &str) -> bool {
    let mut legal = true;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let replacement: &[u8] = match byte {
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'&' => b"&amp;",
            // A parser would turn it into a line feed.
            b'\r' => b"&#13;",
            b'\t' | b'\n' => continue,
            0..0x20 => {
                legal = false;
                continue;
            }
            _ => continue,
        };
        cursor.copy(&text.as_bytes()[plain..at]);
        cursor.copy(replacement);
        plain = at + 1;
    }
    cursor.copy(&text.as_bytes()[plain..]);
    legal && !text.contains(['\u{FFFE}', '\u{FFFF}'])
}

impl FieldEncoder for Body<'_> {
    #[inline]
    fn boolean(&mut self, field: usize, value: bool) {
        self.field(field, 8, |cursor| match value {
            true => cursor.array(*b"true"),
            false => cursor.array(*b"false"),
        });
    }

    #[inline]
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.window(field, |window| value.write(window));
    }

    #[inline]
    fn decimal(&mut self, field: usize, value: Decimal) {
        self.window(field, |window| value.write(window));
    }

    #[inline]
    fn float(&mut self, field: usize, value: f64) {
        self.window(field, |window| write_float(value, window));
    }

    fn string(&mut self, field: usize, value: &str) {
        let mut legal = true;
        if scan::needs_escape(value.as_bytes()) {
            self.field(field, 6 * value.len(), |cursor| legal = escape(cursor, value));
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
            Some((block, len)) => {
                let mut legal = true;
                self.field(field, 6 * 30, |cursor| {
                    if cursor.text_block(block, len, scan::escapable) {
                        cursor.retreat(len);
                        legal = escape(cursor, value);
                    }
                });
                if !legal {
                    self.unwritable(field);
                }
            }
            None => self.string(field, value),
        }
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        let mut text = std::mem::take(self.base64);
        text.clear();
        base64::encode_into(value, &mut text);
        self.field(field, text.len(), |cursor| cursor.copy(&text));
        *self.base64 = text;
    }

    #[inline]
    fn code(&mut self, field: usize, value: Code) {
        let mut legal = true;
        self.field(field, 6 * 16, |cursor| {
            if cursor.text_block(value.block(), value.len(), scan::escapable) {
                cursor.retreat(value.len());
                legal = escape(cursor, value.as_str());
            }
        });
        if !legal {
            self.unwritable(field);
        }
    }

    #[inline]
    fn date(&mut self, field: usize, value: Date) {
        self.window(field, |window| value.write_xml(false, window));
    }

    #[inline]
    fn time(&mut self, field: usize, value: Time) {
        self.window(field, |window| value.write_xml(false, window));
    }

    #[inline]
    fn timestamp(&mut self, field: usize, value: Timestamp) {
        self.window(field, |window| value.write_xml(false, window));
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        self.list(field, values, |value, window| value.write(window));
    }

    fn floats(&mut self, field: usize, values: &[f64]) {
        self.list(field, values, write_float);
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        let slot = &self.scope.slots[field];
        if slot.component != self.component || self.scope.hollow {
            self.enter(field, slot.component);
        }
        write(self.output, |cursor| cursor.literal(&slot.start));
        let plan = self.plan;
        let outer = (self.scope, self.scope_index, self.component);
        self.scope_index = slot.scope;
        self.scope = &plan.scopes[slot.scope];
        for (i, entry) in entries.iter().enumerate() {
            (self.next, self.component) = (0, NONE);
            write(self.output, |cursor| cursor.literal(&self.scope.start));
            self.check(entry);
            entry.encode_fields(0, self);
            self.finish_scope();
            write(self.output, |cursor| cursor.literal(&self.scope.end));
            if let Some(problem) = self.problem.take() {
                self.problem = Some(plan.locate(problem.in_entry(i), outer.1, field));
                break;
            }
        }
        (self.scope, self.scope_index, self.component) = outer;
        self.next = field + 1;
        let slot = &self.scope.slots[field];
        write(self.output, |cursor| cursor.literal(&slot.end));
    }
}
