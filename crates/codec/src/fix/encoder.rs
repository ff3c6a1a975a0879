//! Fields to FIX.

use std::collections::BTreeSet;
use std::sync::Arc;

use trunkline_message::{
    Any, Encoder as FieldEncoder, Error, ErrorKind, Fields, Message, Result, Unknown, Unmet,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Cursor, Date, Decimal, Duration, Float, Integer, Output, Text,
    Time, Timestamp, ahead, fix_checksum,
};

use super::SOH;
use super::plan::{Plan, Prefix, Slot};
use super::stray::stray_delimiter;
use crate::CodeSet;

/// Room before the body for BeginString, BodyLength and MsgType, which are known last.
const HEADROOM: usize = 64;

/// Writes messages of one schema as FIX.
#[derive(Debug)]
pub struct Encoder {
    plan: Arc<Plan>,
    output: Output,
    dropped: usize,
}

impl Encoder {
    /// An encoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self { plan: plan.clone(), output: Output::new(), dropped: 0 }
    }

    /// How much of what the last message kept that its schema does not know was not written: what came
    /// in other formats.
    pub fn unknown(&self) -> usize {
        self.dropped
    }

    /// The message in FIX; the bytes stay until the next call.
    ///
    /// # Errors
    /// A value that FIX cannot carry (empty, or with a SOH inside, a time without a zone, a
    /// character that is not in the plan's code set, a blank in an item of a list), a kept field that the
    /// schema does not know and that would not be read as such, a list that is
    /// there and empty, a struct that is there with nothing set inside, a group entry without its
    /// first field, what breaks a rule of the layout, or a message of another schema. The path names
    /// the field.
    #[inline]
    pub fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        let plan = &*self.plan;
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let headroom = HEADROOM.max(plan.begin.len() + plan.message_type.len() + 24);
        self.output.clear();
        self.dropped = 0;
        self.output.zeros(headroom - plan.message_type.len());
        self.output.extend(&plan.message_type);
        let mut body = Body {
            plan,
            slots: &plan.scopes[0].slots,
            scope: 0,
            first_group: None,
            fields: 0,
            entry: 0,
            kept: BTreeSet::new(),
            output: &mut self.output,
            dropped: &mut self.dropped,
            problem: None,
            is_utf8: plan.code_set == CodeSet::Utf8,
            start: headroom,
        };
        body.check(message);
        message.encode_fields(0, &mut body);
        let (problem, fields) = (body.problem.take(), body.fields);
        if let Some(problem) = problem {
            return Err(problem);
        }
        let written = &self.output.as_slice()[headroom..];
        if memchr::memchr_iter(SOH, written).count() != fields {
            return Err(stray_delimiter(plan, message, self.output.as_slice()));
        }
        let start = self.frame(headroom);
        Ok(&self.output.as_slice()[start..])
    }

    /// Puts what stands before and behind the body; returns where the message begins.
    fn frame(&mut self, headroom: usize) -> usize {
        let plan = &*self.plan;
        let body = headroom - plan.message_type.len();
        let length = (self.output.len() - body) as u64;
        let mut digits = [b'0'; 40];
        let count = length.write(&mut digits);
        let padding = plan.body_length_digits.saturating_sub(count);
        let start = body - 1 - count - padding - plan.begin.len();
        let head = &mut self.output.as_mut_slice()[start..body];
        let (begin, rest) = head.split_at_mut(plan.begin.len());
        begin.copy_from_slice(&plan.begin);
        rest[..padding].fill(b'0');
        rest[padding..padding + count].copy_from_slice(&digits[..count]);
        rest[padding + count] = SOH;
        let sum = fix_checksum(&self.output.as_slice()[start..]);
        let digit = |value: u8| b'0' + value % 10;
        self.output.extend(&[b'1', b'0', b'=', digit(sum / 100), digit(sum / 10), digit(sum), SOH]);
        start
    }
}

const PLAIN_DOUBLES: &str = "FIX writes doubles in plain digits, at most 18 of them";

const EMPTY_LIST: &str = "FIX has no empty lists";
const BLANK: &str = "a blank parts the items of a list in FIX, and this one has one inside";
const NOTHING_SET: &str = "FIX shows a struct by what is set inside, and nothing is";

const ZONED_DAY: &str = "FIX dates have no time zone, and this one has";
const NO_ZONE: &str = "FIX times are UTC, and this one has no time zone";

pub(super) struct Body<'a> {
    pub(super) plan: &'a Plan,
    slots: &'a [Slot],
    scope: usize,
    /// Where the scope's first group begins, in the output.
    first_group: Option<usize>,
    /// Fields written: as many delimiters must be in the output, else one is inside a value.
    fields: usize,
    /// Where the message or entry begins in the output.
    pub(super) entry: usize,
    /// The fields that are written and not of the schema, each with the place where its message or entry begins.
    pub(super) kept: BTreeSet<(usize, u32)>,
    output: &'a mut Output,
    /// What is kept and of another format.
    dropped: &'a mut usize,
    problem: Option<Error>,
    /// Is text written as it is in memory?
    is_utf8: bool,
    /// Where the fields begin in the output.
    start: usize,
}

impl<'a> Body<'a> {
    #[inline]
    fn check<F: Fields>(&mut self, fields: &F) {
        if let Some(unmet) = fields.unmet() {
            self.fail_unmet(unmet);
        }
    }

    /// Writes one field whose value takes at most `room` bytes.
    #[inline]
    fn field(&mut self, field: usize, room: usize, value: impl FnOnce(&mut Cursor<'_>)) {
        self.fields += 1;
        let prefix = &self.slots[field].prefix;
        put(self.output, prefix, room, value);
    }

    #[cold]
    #[inline(never)]
    fn fail_unmet(&mut self, unmet: Unmet) {
        if self.problem.is_none() {
            let error =
                Error::new(ErrorKind::Unwritable(unmet.why()), self.output.len() - self.start);
            let scope = &self.plan.layout.scopes()[self.scope];
            self.problem = Some(scope.locate_unmet(error, unmet));
        }
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, field: usize, why: &'static str) {
        self.fail_as(field, ErrorKind::Unwritable(why));
    }

    #[cold]
    #[inline(never)]
    fn fail_as(&mut self, field: usize, kind: ErrorKind) {
        if self.problem.is_none() {
            let error = Error::new(kind, self.output.len() - self.start);
            self.problem = Some(self.plan.locate(error, self.scope, field));
        }
    }

    /// Writes text in another code set than UTF-8.
    #[cold]
    #[inline(never)]
    fn transcoded(&mut self, field: usize, value: &str) {
        match self.plan.code_set.write(value) {
            Ok(bytes) => self.field(field, bytes.len(), |cursor| cursor.copy(&bytes)),
            Err(why) => self.fail(field, why),
        }
    }

    /// Goes to what is inside a field; returns where it was.
    #[inline]
    fn enter(&mut self, field: usize) -> (usize, &'a [Slot]) {
        let outer = (self.scope, self.slots);
        self.scope = self.slots[field].inside();
        self.slots = &self.plan.scopes[self.scope].slots;
        outer
    }

    /// Has a list as many items as it must, if that is fixed? A record may hold another count.
    fn is_fixed_count(&mut self, field: usize, found: usize) -> bool {
        let Some(stated) = self.slots[field].fixed.map(|it| it.get() as usize) else { return true };
        if stated != found {
            self.fail_as(field, ErrorKind::Count { stated, found });
        }
        stated == found
    }

    /// Begins a list of values, which is one field.
    #[inline(never)]
    fn begin_items(&mut self, field: usize, count: usize) {
        if count == 0 {
            self.fail(field, EMPTY_LIST);
        }
        self.fields += 1;
        let prefix = &self.slots[field].prefix;
        self.output.extend(&prefix.block[..prefix.len]);
    }

    /// An item was written as a field without a tag: its end becomes a blank, but for the last.
    #[inline(never)]
    fn end_item(&mut self, start: usize, is_last: bool) {
        let written = self.output.as_mut_slice().get_mut(start..).unwrap_or_default();
        if written.contains(&b' ') {
            self.fail(0, BLANK);
        } else if let Some(end) = written.last_mut().filter(|_| !is_last) {
            *end = b' ';
        }
        // The list was counted when it began.
        self.fields -= 1;
    }

    fn list<T: Copy>(
        &mut self,
        field: usize,
        values: &[T],
        write: impl Fn(T, &mut [u8; 40]) -> usize,
    ) {
        if values.is_empty() {
            return self.fail(field, EMPTY_LIST);
        }
        if !self.is_fixed_count(field, values.len()) {
            return;
        }
        self.field(field, 41 * values.len(), |cursor| {
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    cursor.byte(b' ');
                }
                let len = write(*value, cursor.window());
                cursor.advance(len);
            }
        });
    }
}

/// The shortest decimal that reads as this float.
fn plain<F: Float>(value: F) -> Option<Decimal> {
    match F::BYTES {
        4 => Decimal::from_f32(f32::of_bits(value.bits())),
        _ => Decimal::from_f64(value.into()),
    }
}

#[inline]
fn put(output: &mut Output, prefix: &Prefix, room: usize, value: impl FnOnce(&mut Cursor<'_>)) {
    let mut cursor = output.cursor(prefix.block.len() + room + 1);
    cursor.block(&prefix.block, prefix.len);
    value(&mut cursor);
    cursor.byte(SOH);
    cursor.finish();
}

impl FieldEncoder for Body<'_> {
    #[inline]
    fn boolean(&mut self, field: usize, value: bool) {
        self.field(field, 1, |cursor| cursor.byte(if value { b'Y' } else { b'N' }));
    }

    #[inline]
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.field(field, 40, |cursor| {
            let len = value.write(cursor.window());
            cursor.advance(len);
        });
    }

    #[inline]
    fn decimal(&mut self, field: usize, value: Decimal) {
        self.field(field, 40, |cursor| {
            let len = value.write(cursor.window());
            cursor.advance(len);
        });
    }

    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.text(field, value.as_text());
    }

    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.text(field, value.as_text());
    }

    fn float<F: Float>(&mut self, field: usize, value: F) {
        match plain(value) {
            Some(value) => self.decimal(field, value),
            None => self.fail(field, PLAIN_DOUBLES),
        }
    }

    #[inline]
    fn string(&mut self, field: usize, value: &str) {
        if value.is_empty() {
            return self.fail(field, "FIX has no empty values");
        }
        if !self.is_utf8 {
            return self.transcoded(field, value);
        }
        self.field(field, value.len(), |cursor| cursor.copy(value.as_bytes()));
    }

    #[inline]
    fn text(&mut self, field: usize, value: &Text) {
        match value.inline_block() {
            Some((block, len)) if len > 0 && self.is_utf8 => {
                self.field(field, 32, |cursor| cursor.block(block, len));
            }
            _ => self.string(field, value),
        }
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        if value.is_empty() {
            return self.fail(field, "FIX has no empty values");
        }
        let prefix = &self.slots[field].length_prefix;
        self.fields += 1 + memchr::memchr_iter(SOH, value).count();
        put(self.output, prefix, 40, |cursor| {
            let len = (value.len() as u64).write(cursor.window());
            cursor.advance(len);
        });
        self.field(field, value.len(), |cursor| cursor.copy(value));
    }

    fn any(&mut self, field: usize, value: &Any) {
        match value {
            Any::Element(text) => self.bytes(field, text.as_bytes()),
            Any::Octets(_) => self.fail(field, "FIX has the text of an element, and no octets"),
        }
    }

    #[inline]
    fn code(&mut self, field: usize, value: Code) {
        if value.as_bytes().is_empty() {
            return self.fail(field, "FIX has no empty values");
        }
        if !value.is_ascii() {
            return self.fail(field, "codes of FIX are ASCII");
        }
        self.field(field, 16, |cursor| cursor.block(value.block(), value.len()));
    }

    #[inline]
    fn date(&mut self, field: usize, value: Date) {
        if value.zone().is_some() {
            return self.fail(field, ZONED_DAY);
        }
        self.field(field, 40, |cursor| {
            let len = value.write_fix(cursor.window());
            cursor.advance(len);
        });
    }

    #[inline]
    fn time(&mut self, field: usize, value: Time) {
        if !value.is_utc() {
            return self.fail(field, NO_ZONE);
        }
        self.field(field, 40, |cursor| {
            let len = value.write_fix(cursor.window());
            cursor.advance(len);
        });
    }

    #[inline]
    fn timestamp(&mut self, field: usize, value: Timestamp) {
        if !value.is_utc() {
            return self.fail(field, NO_ZONE);
        }
        self.field(field, 40, |cursor| {
            let len = value.write_fix(cursor.window());
            cursor.advance(len);
        });
    }

    /// No plan has one.
    fn duration(&mut self, field: usize, _: Duration) {
        self.fail(field, "FIX has no durations");
    }

    #[inline]
    fn enumeration(&mut self, field: usize, value: usize) {
        let plan = self.plan;
        match plan.codes[self.slots[field].codes as usize].code(value) {
            Some(code) => self.field(field, code.room(), |cursor| code.write(cursor)),
            None => self.fail(field, "the enumeration has no such value"),
        }
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        self.list(field, values, |value, window| value.write(window));
    }

    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        if values.iter().any(|value| plain(*value).is_none()) {
            return self.fail(field, PLAIN_DOUBLES);
        }
        self.list(field, values, |value, window| plain(value).unwrap_or_default().write(window));
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        if self.problem.is_some() {
            return;
        }
        let plan = self.plan;
        let slot = &self.slots[field];
        if slot.fixed.is_some() && !self.is_fixed_count(field, entries.len()) {
            return;
        }
        let is_items = slot.is_items;
        // Nothing may come before an entry's first field, not even when that is a group.
        let parts_entries = field == 0 && plan.scopes[self.scope].delimiter.is_some();
        let here = if parts_entries { usize::MAX } else { self.output.len() };
        let before = self.first_group;
        match is_items {
            true => self.begin_items(field, entries.len()),
            false => self.integer(field, entries.len() as u64),
        }
        let (outer, around) = (self.enter(field), self.entry);
        let delimiter = plan.scopes[self.scope].first_prefix;
        for (i, entry) in ahead(entries).enumerate() {
            let start = self.output.len();
            (self.first_group, self.entry) = (None, start);
            self.check(entry);
            entry.encode_fields(0, self);
            let written = &self.output.as_slice()[start..];
            if !written.starts_with(&delimiter.block[..delimiter.len]) {
                self.fail(
                    0,
                    "the first field of a group's entry must be set, since it parts entries",
                );
            }
            if is_items {
                self.end_item(start, i + 1 == entries.len());
            }
            if let Some(problem) = self.problem.take() {
                self.problem = Some(plan.locate(problem.in_entry(i), outer.0, field));
                break;
            }
        }
        (self.scope, self.slots) = outer;
        self.entry = around;
        self.first_group = if is_items { before } else { before.or(Some(here)) };
    }

    /// Flat: its fields are those of the scope around it.
    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        if self.problem.is_some() {
            return;
        }
        let start = self.output.len();
        let outer = self.enter(field);
        self.check(value);
        value.encode_fields(0, self);
        (self.scope, self.slots) = outer;
        match self.problem.take() {
            Some(problem) => self.problem = Some(self.plan.locate(problem, outer.0, field)),
            None if self.output.len() == start => self.fail(field, NOTHING_SET),
            None => {}
        }
    }

    /// They go before the first group: behind it, they would be its last entry's.
    #[cold]
    fn unknown(&mut self, fields: &Unknown) {
        *self.dropped += fields.markup().count();
        if self.problem.is_some() {
            return;
        }
        let end = self.output.len();
        let mut before = None;
        for (number, value) in fields.iter() {
            if let Err(why) = self.unknown_fits(number, value, before) {
                let error = Error::new(ErrorKind::Unwritable(why), self.output.len() - self.start);
                self.problem = Some(error.within(&number.to_string()));
                return;
            }
            self.kept.insert((self.entry, number));
            before = Some((number, value));
            self.fields += 1 + memchr::memchr_iter(SOH, value).count();
            let mut cursor = self.output.cursor(value.len() + 48);
            let len = number.write(cursor.window());
            cursor.advance(len);
            cursor.byte(b'=');
            cursor.copy(value);
            cursor.byte(SOH);
            cursor.finish();
        }
        let written = self.output.len() - end;
        let first_group = self.first_group.and_then(|at| self.output.as_mut_slice().get_mut(at..));
        if let Some(from_first_group) = first_group {
            from_first_group.rotate_right(written);
        }
    }
}
