//! Fields to JSON.

use std::sync::Arc;

use trunkline_message::{
    Any, Encoder as FieldEncoder, Error, ErrorKind, Fields, Message, Result, Unknown, Unmet,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp, Window,
    base64, write_float,
};

use super::plan::{Plan, ScopePlan};
use super::text::quote;
use super::{BASE64, ELEMENT};

/// Writes messages of one schema as JSON, each as one line without its end.
#[derive(Debug)]
pub struct Encoder {
    plan: Arc<Plan>,
    output: Vec<u8>,
    dropped: usize,
}

impl Encoder {
    /// An encoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self { plan: plan.clone(), output: Vec::new(), dropped: 0 }
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// How much of what the last message kept that its schema does not know was not written: elements and attributes
    /// of XML. Fields of FIX are written.
    pub fn unknown(&self) -> usize {
        self.dropped
    }

    /// The message in JSON; the bytes stay until the next call.
    ///
    /// # Errors
    /// A required field of a record that is not set, a choice without an arm or with two, a list of another count than
    /// it has, a number that its field does not hold, or a message of another schema. The path names the field.
    pub fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        let plan = &*self.plan;
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        self.output.clear();
        self.dropped = 0;
        self.output.extend_from_slice(&plan.prologue);
        let mut body = Body {
            plan,
            scope: &plan.scopes[0],
            scope_index: 0,
            open: &[],
            output: &mut self.output,
            dropped: &mut self.dropped,
            problem: None,
        };
        match plan.options.nillable && message.is_nil() {
            true => body.null(message),
            false => body.scope(message),
        }
        if let Some(problem) = body.problem {
            return Err(problem);
        }
        if plan.options.named {
            self.output.push(b'}');
        }
        Ok(&self.output)
    }
}

struct Body<'a> {
    plan: &'a Plan,
    scope: &'a ScopePlan,
    scope_index: usize,
    /// The components whose objects are open.
    open: &'a [u16],
    output: &'a mut Vec<u8>,
    /// Kept content that is not written.
    dropped: &'a mut usize,
    problem: Option<Error>,
}

impl<'a> Body<'a> {
    fn scope<F: Fields>(&mut self, fields: &F) {
        self.open = &[];
        if let Some(unmet) = fields.unmet() {
            self.fail_unmet(unmet);
        }
        if self.scope.is_item {
            return fields.encode_fields(0, self);
        }
        self.output.push(b'{');
        fields.encode_fields(0, self);
        self.close(0);
        self.output.push(b'}');
    }

    /// A message or an item that is nil, as a word that has no room for attributes.
    fn null<F: Fields>(&mut self, item: &F) {
        self.open = &[];
        let before = self.output.len();
        item.encode_fields(0, self);
        if self.output.len() > before && self.problem.is_none() {
            let why = "it is nil and has attributes, for which JSON has no form";
            self.problem = Some(Error::new(ErrorKind::Unwritable(why), before));
        }
        self.output.extend_from_slice(b"null");
    }

    /// Ends the objects of components but for the outermost ones.
    fn close(&mut self, kept: usize) {
        self.output.extend(std::iter::repeat_n(b'}', self.open.len() - kept));
        self.open = &self.open[..kept];
    }

    /// What stands before a member or item: a comma, unless it is the first.
    fn begin(&mut self) {
        if !matches!(self.output.last(), Some(b'{' | b'[')) {
            self.output.push(b',');
        }
    }

    /// Writes what stands before a field's value: the ends and beginnings of components, and its key.
    fn key(&mut self, field: usize) {
        let scope = self.scope;
        if scope.is_item {
            return;
        }
        let around = &scope.slots[field].around[..];
        let same = self.open.iter().zip(around).take_while(|(one, other)| one == other).count();
        self.close(same);
        for component in &around[same..] {
            self.begin();
            self.output.extend_from_slice(&scope.keys[usize::from(*component)]);
            self.output.push(b'{');
        }
        self.open = around;
        self.begin();
        self.output.extend_from_slice(&scope.slots[field].key);
    }

    fn quoted(&mut self, field: usize, text: &str) {
        self.key(field);
        quote(text, self.output);
    }

    /// A text of few ASCII characters, none of which has to be escaped.
    fn short(&mut self, field: usize, write: impl FnOnce(&mut Window) -> usize) {
        self.key(field);
        self.output.push(b'"');
        self.window(write);
        self.output.push(b'"');
    }

    fn window(&mut self, write: impl FnOnce(&mut Window) -> usize) {
        let mut window: Window = [0; 40];
        let length = write(&mut window);
        self.output.extend_from_slice(&window[..length]);
    }

    fn number(&mut self, write: impl FnOnce(&mut Window) -> usize) {
        let mark = if self.plan.options.quoted { &b"\""[..] } else { b"" };
        self.output.extend_from_slice(mark);
        self.window(write);
        self.output.extend_from_slice(mark);
    }

    fn float_item<F: Float>(&mut self, value: F) {
        let double: f64 = value.into();
        let mark = if double.is_finite() { &b""[..] } else { b"\"" };
        self.output.extend_from_slice(mark);
        self.window(|window| write_float(value, window));
        self.output.extend_from_slice(mark);
    }

    /// The number in the width that its field has; a record may hold another one.
    fn whole<I: Integer>(&mut self, field: usize, value: I) {
        if self.plan.field(self.scope_index, field).holds.within(value).is_err() {
            self.fail(field, ErrorKind::Unwritable("the number is too large for the field"));
        }
        self.number(|window| value.write(window));
    }

    fn base64(&mut self, bytes: &[u8]) {
        self.output.push(b'"');
        base64::encode_into(bytes, self.output);
        self.output.push(b'"');
    }

    fn octets(&mut self, bytes: &[u8]) {
        self.output.push(b'{');
        quote(BASE64, self.output);
        self.output.push(b':');
        self.base64(bytes);
        self.output.push(b'}');
    }

    fn count(&mut self, field: usize, found: usize) {
        if let Some(stated) = self.scope.slots[field].fixed.filter(|it| *it != found) {
            self.fail(field, ErrorKind::Count { stated, found });
        }
    }

    /// Goes into the scope of a field, writes what is there, and comes back.
    fn within(&mut self, field: usize, write: impl FnOnce(&mut Self)) {
        let (scope, index, open) = (self.scope, self.scope_index, self.open);
        self.scope_index = scope.slots[field].inside;
        self.scope = &self.plan.scopes[self.scope_index];
        write(self);
        (self.scope, self.scope_index, self.open) = (scope, index, open);
    }

    #[cold]
    fn fail_unmet(&mut self, unmet: Unmet) {
        if self.problem.is_none() {
            let error = Error::new(ErrorKind::Unwritable(unmet.why()), self.output.len());
            let scope = &self.plan.layout.scopes()[self.scope_index];
            self.problem = Some(scope.locate_unmet(error, unmet));
        }
    }

    #[cold]
    fn fail(&mut self, field: usize, kind: ErrorKind) {
        if self.problem.is_none() {
            let error = Error::new(kind, self.output.len());
            self.problem = Some(self.plan.locate(error, self.scope_index, field));
        }
    }
}

impl FieldEncoder for Body<'_> {
    fn boolean(&mut self, field: usize, value: bool) {
        self.key(field);
        self.output.extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.key(field);
        self.whole(field, value);
    }

    fn decimal(&mut self, field: usize, value: Decimal) {
        self.key(field);
        self.number(|window| value.write(window));
    }

    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.key(field);
        match self.plan.options.quoted {
            true => quote(value.as_str(), self.output),
            false => self.output.extend_from_slice(value.as_str().as_bytes()),
        }
    }

    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.key(field);
        match self.plan.options.quoted {
            true => quote(value.as_str(), self.output),
            false => self.output.extend_from_slice(value.as_str().as_bytes()),
        }
    }

    fn float<F: Float>(&mut self, field: usize, value: F) {
        self.key(field);
        self.float_item(value);
    }

    fn string(&mut self, field: usize, value: &str) {
        self.quoted(field, value);
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        self.key(field);
        self.base64(value);
    }

    fn any(&mut self, field: usize, value: &Any) {
        self.key(field);
        match value {
            Any::Element(text) => {
                self.output.push(b'{');
                quote(ELEMENT, self.output);
                self.output.push(b':');
                quote(text, self.output);
                self.output.push(b'}');
            }
            Any::Octets(bytes) => self.octets(bytes),
        }
    }

    fn code(&mut self, field: usize, value: Code) {
        self.quoted(field, value.as_str());
    }

    fn date(&mut self, field: usize, value: Date) {
        self.short(field, |window| value.write_xml(window));
    }

    fn time(&mut self, field: usize, value: Time) {
        self.short(field, |window| value.write_xml(true, window));
    }

    fn timestamp(&mut self, field: usize, value: Timestamp) {
        self.short(field, |window| value.write_xml(true, window));
    }

    fn duration(&mut self, field: usize, value: Duration) {
        let mut text = [0; Duration::LONGEST];
        let length = value.write_xml(&mut text);
        self.key(field);
        self.output.push(b'"');
        self.output.extend_from_slice(&text[..length]);
        self.output.push(b'"');
    }

    fn enumeration(&mut self, field: usize, value: usize) {
        let plan = self.plan;
        let described = plan.field(self.scope_index, field);
        let trunkline_message::Holds::Enumeration(of) = described.holds else { return };
        match plan.layout.schema().values(of).get(value) {
            Some(name) => self.quoted(field, name),
            None => self.fail(field, ErrorKind::Unwritable("the enumeration has no such value")),
        }
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        self.count(field, values.len());
        self.key(field);
        self.output.push(b'[');
        for value in values {
            self.begin();
            self.whole(field, *value);
        }
        self.output.push(b']');
    }

    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        self.count(field, values.len());
        self.key(field);
        self.output.push(b'[');
        for value in values {
            self.begin();
            self.float_item(*value);
        }
        self.output.push(b']');
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        self.count(field, entries.len());
        if self.problem.is_some() {
            return;
        }
        self.key(field);
        self.output.push(b'[');
        let outer = self.scope_index;
        self.within(field, |body| {
            for (index, entry) in entries.iter().enumerate() {
                body.begin();
                match entry.is_nil() {
                    true => body.null(entry),
                    false => body.scope(entry),
                }
                if let Some(problem) = body.problem.take() {
                    let problem = problem.in_entry(index);
                    body.problem = Some(body.plan.locate(problem, outer, field));
                    return;
                }
            }
        });
        self.output.push(b']');
    }

    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        if self.problem.is_some() {
            return;
        }
        self.key(field);
        let outer = self.scope_index;
        self.within(field, |body| {
            body.scope(value);
            if let Some(problem) = body.problem.take() {
                body.problem = Some(body.plan.locate(problem, outer, field));
            }
        });
    }

    #[cold]
    fn unknown(&mut self, fields: &Unknown) {
        *self.dropped += fields.markup().count();
        if self.scope.is_item {
            *self.dropped += fields.iter().count();
            return;
        }
        self.close(0);
        for (number, value) in fields.iter() {
            self.begin();
            self.output.extend_from_slice(format!("\"{number}\":").as_bytes());
            match std::str::from_utf8(value) {
                Ok(text) => quote(text, self.output),
                Err(_) => self.octets(value),
            }
        }
    }
}
