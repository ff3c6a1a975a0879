//! Fields to CDR.

use std::sync::Arc;

use trunkline_message::{
    Encoder as FieldEncoder, Error, ErrorKind, Fields, Holds, Kind, Message, Result, Unknown, Unmet,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Cursor, Date, Decimal, Duration, Float, Integer, Output, Text,
    Time, Timestamp, ahead,
};

use super::plan::{Absent, ByteOrder, MOST, Plan, ScopePlan};
use crate::CodeSet;

/// Writes messages of one schema as CDR, alignment counted from the first byte.
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

    /// How much the last message kept that its schema does not know: CDR has no place for it, so that it
    /// was not written.
    pub fn unknown(&self) -> usize {
        self.dropped
    }

    /// The message in CDR; the bytes stay until the next call.
    ///
    /// # Errors
    /// A required field of a record that is not set, a choice without an arm or with two, an array of another
    /// count, text, data or a list beyond its bound (the facets `max_length`, for text in characters, and
    /// `max_items`: bounded types of IDL), text with a NUL inside, a code longer than a char, a time without a zone, a character that is not
    /// in the plan's code set, the label of another arm in a default arm, or a message of another schema.
    /// The path names the field.
    #[inline]
    pub fn encode<M: Message>(&mut self, message: &M) -> Result<&[u8]> {
        if !message.message_layout().is_same(&self.plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        self.output.clear();
        self.dropped = 0;
        let (output, dropped) = (&mut self.output, &mut self.dropped);
        let problem = match self.plan.options.byte_order {
            ByteOrder::Little => Body::<true>::encode(&self.plan, output, dropped, message),
            ByteOrder::Big => Body::<false>::encode(&self.plan, output, dropped, message),
        };
        match problem {
            None => Ok(self.output.as_slice()),
            Some(problem) => Err(problem),
        }
    }
}

struct Body<'a, const LITTLE: bool> {
    plan: &'a Plan,
    scope: &'a ScopePlan,
    scope_index: usize,
    /// The first field of the scope that is not written yet.
    next: usize,
    /// Where the scope's bitmap stands.
    bitmap: usize,
    /// Is text written as it is in memory?
    is_utf8: bool,
    output: &'a mut Output,
    /// Kept content that is not written.
    dropped: &'a mut usize,
    problem: Option<Error>,
}

/// Where the encoder stands in the scope around another.
struct Outer<'a> {
    scope: &'a ScopePlan,
    scope_index: usize,
    bitmap: usize,
    next: usize,
}

/// Octets of padding at `at` for something aligned to `align`, a power of two.
#[inline]
fn padding(at: usize, align: usize) -> usize {
    at.wrapping_neg() & (align - 1)
}

#[inline]
fn align(cursor: &mut Cursor<'_>, align: usize) {
    cursor.block(&[0; 8], padding(cursor.position(), align));
}

#[inline]
fn ulong<const LITTLE: bool>(cursor: &mut Cursor<'_>, value: usize) {
    align(cursor, 4);
    cursor.array(octets::<LITTLE>(value));
}

#[inline]
fn octets<const LITTLE: bool>(ulong: usize) -> [u8; 4] {
    if LITTLE { (ulong as u32).to_le_bytes() } else { (ulong as u32).to_be_bytes() }
}

/// A whole number of `width` octets, in place.
#[inline]
fn number<const LITTLE: bool>(cursor: &mut Cursor<'_>, bits: u64, width: usize) {
    align(cursor, width);
    let block = if LITTLE { bits.to_le_bytes() } else { (bits << (64 - 8 * width)).to_be_bytes() };
    cursor.block(&block, width);
}

const COUNTS: &str = "CDR counts to 4,294,967,295";
const MISSING: &str = "a required field is not set";
const NO_ARM: &str = "no arm of the choice is set";
const ZONED_DAY: &str = "dates have no time zone in this form, and this one has";
const NO_ZONE: &str = "times are UTC in this form, and this one has no time zone";

/// Octets that a field may take before its value: flag and padding.
const LEAD: usize = 16;

impl<'a, const LITTLE: bool> Body<'a, LITTLE> {
    fn encode<M: Message>(
        plan: &'a Plan,
        output: &'a mut Output,
        dropped: &'a mut usize,
        message: &M,
    ) -> Option<Error> {
        let scope = &plan.scopes[0];
        let is_utf8 = plan.options.code_set == CodeSet::Utf8;
        let mut body = Self {
            plan,
            scope,
            scope_index: 0,
            next: 0,
            bitmap: 0,
            is_utf8,
            output,
            dropped,
            problem: None,
        };
        body.scope(message);
        body.problem
    }

    #[inline]
    fn scope<F: Fields>(&mut self, fields: &F) {
        self.next = 0;
        self.bitmap = self.output.len();
        self.output.zeros(self.scope.bitmap);
        if let Some(unmet) = fields.unmet() {
            self.fail_unmet(unmet);
        }
        fields.encode_fields(0, self);
        if self.next < self.scope.slots.len() {
            self.absent(self.scope.slots.len());
        }
    }

    /// Writes what stands for the absent fields up to `end`.
    #[inline]
    fn absent(&mut self, end: usize) {
        while self.next < end {
            let slot = &self.scope.slots[self.next];
            if slot.flags > 0 {
                let run = (slot.flags as usize).min(end - self.next);
                self.output.zeros(run);
                self.next += run;
                continue;
            }
            match slot.absent {
                Absent::Bit(_) => {
                    self.next += (slot.bits as usize).min(end - self.next);
                    continue;
                }
                Absent::Sequence => {
                    let mut cursor = self.output.cursor(8);
                    ulong::<LITTLE>(&mut cursor, 0);
                    cursor.finish();
                }
                Absent::Arm(union) => {
                    self.absent_arms(union as usize, end);
                    continue;
                }
                Absent::Never => self.fail(self.next, MISSING),
                Absent::Flag => {}
            }
            self.next += 1;
        }
    }

    /// Passes over the arms before the one that is chosen, or writes what stands for a choice that is
    /// absent.
    #[inline(never)]
    fn absent_arms(&mut self, union: usize, end: usize) {
        let (union, absent) = &self.scope.unions[union];
        if end < union.arms.end {
            self.next = end;
            return;
        }
        match absent {
            Absent::Flag => self.output.zeros(1),
            Absent::Never => self.fail(self.next, NO_ARM),
            Absent::Bit(_) | Absent::Sequence | Absent::Arm(_) => {}
        }
        self.next = union.arms.end;
    }

    /// Writes what stands before the value of an arm: that the choice is there, and which arm.
    #[inline(never)]
    fn choose(&mut self, field: usize, union: usize) {
        let (union, absent) = &self.scope.unions[union];
        self.next = union.arms.end;
        if let Absent::Bit(bit) = *absent {
            self.output.as_mut_slice()[self.bitmap + bit as usize / 8] |= 1 << (bit % 8);
        }
        let mut cursor = self.output.cursor(LEAD);
        if *absent == Absent::Flag {
            cursor.byte(1);
        }
        // That of the default arm is the first member of what the arm holds.
        if let Some(label) = union.labels[field - union.arms.start] {
            number::<LITTLE>(&mut cursor, label, union.width);
        }
        cursor.finish();
    }

    /// A label that is another arm's would be read as that arm.
    #[cold]
    fn check_default(&mut self, field: usize, union: usize, start: usize) {
        let (union, _) = &self.scope.unions[union];
        if union.default() != Some(field) || self.problem.is_some() {
            return;
        }
        let start = start + padding(start, union.width);
        let mut label = [0; 8];
        label[..union.width].copy_from_slice(&self.output.as_slice()[start..start + union.width]);
        if !LITTLE {
            label[..union.width].reverse();
        }
        if union.labels.contains(&Some(u64::from_le_bytes(label))) {
            self.fail(field, "the label of the default arm is another arm's");
        }
    }

    /// Writes the field's flag or bit and then its value, which takes at most `room` octets.
    #[inline]
    fn field(&mut self, field: usize, room: usize, value: impl FnOnce(&mut Cursor<'_>)) {
        if self.next < field {
            self.absent(field);
        }
        self.next = field + 1;
        let absent = self.scope.slots[field].absent;
        if let Absent::Bit(bit) = absent {
            self.output.as_mut_slice()[self.bitmap + bit as usize / 8] |= 1 << (bit % 8);
        }
        let mut cursor = self.output.cursor(LEAD + room);
        if absent == Absent::Flag {
            cursor.byte(1);
        } else if let Absent::Arm(union) = absent {
            cursor.finish();
            self.choose(field, union as usize);
            cursor = self.output.cursor(LEAD + room);
        }
        value(&mut cursor);
        cursor.finish();
    }

    #[inline]
    fn short_text(&mut self, field: usize, write: impl FnOnce(&mut [u8; 40]) -> usize) {
        self.field(field, 48, |cursor| {
            align(cursor, 4);
            cursor.advance(4);
            let len = write(cursor.window());
            // Exactly four bytes: what follows is there already.
            cursor.retreat(4);
            cursor.array(octets::<LITTLE>(len + 1));
            cursor.advance(len);
            cursor.byte(0);
        });
    }

    #[cold]
    #[inline(never)]
    fn fail_unmet(&mut self, unmet: Unmet) {
        if self.problem.is_none() {
            let error = Error::new(ErrorKind::Unwritable(unmet.why()), self.output.len());
            let scope = &self.plan.layout.scopes()[self.scope_index];
            self.problem = Some(scope.locate_unmet(error, unmet));
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

    /// Octets of the field's whole number; a record may hold one that does not fit in.
    #[inline]
    fn whole<I: Integer>(&mut self, field: usize, value: I) -> usize {
        let width = self.scope.slots[field].width as usize;
        let shift = 64 - 8 * width as u32;
        let fits = I::BITS as usize <= 8 * width
            || if I::SIGNED {
                (value.to_i64() << shift) >> shift == value.to_i64()
            } else {
                (value.to_u64() << shift) >> shift == value.to_u64()
            };
        if !fits {
            self.fail(field, "the number is too large for the field");
        }
        width
    }

    fn bytes_of_string(&mut self, field: usize, bytes: &[u8]) {
        if bytes.len() > MOST as usize {
            self.fail(field, COUNTS);
        }
        if memchr::memchr(0, bytes).is_some() {
            self.fail(field, "the text has a NUL inside, which ends a CDR string");
        }
        self.field(field, bytes.len() + 5, |cursor| {
            ulong::<LITTLE>(cursor, bytes.len() + 1);
            cursor.copy(bytes);
            cursor.byte(0);
        });
    }

    /// Checks how many items a list has; are they counted on the wire?
    #[inline]
    fn count_items(&mut self, field: usize, count: usize) -> bool {
        let fixed = self.scope.slots[field].fixed as usize;
        if fixed == 0 {
            self.hold(field, count);
        } else if count != fixed && self.problem.is_none() {
            let kind = ErrorKind::Count { stated: fixed, found: count };
            let error = Error::new(kind, self.output.len());
            self.problem = Some(self.plan.locate(error, self.scope_index, field));
        }
        fixed == 0
    }

    /// Goes into the scope of a field; what is left behind.
    #[inline]
    fn enter(&mut self, field: usize) -> Outer<'a> {
        let Self { scope, scope_index, bitmap, next, .. } = *self;
        self.scope_index = scope.slots[field].inside as usize;
        self.scope = &self.plan.scopes[self.scope_index];
        Outer { scope, scope_index, bitmap, next }
    }

    #[inline]
    fn leave(&mut self, outer: Outer<'a>) {
        let Outer { scope, scope_index, bitmap, next } = outer;
        (self.scope, self.scope_index, self.bitmap, self.next) = (scope, scope_index, bitmap, next);
    }

    /// A char that is not ASCII.
    #[cold]
    #[inline(never)]
    fn other_char(&mut self, field: usize, value: Code) {
        if value.as_str().chars().count() != 1 {
            return self.fail(field, "a code is one character in CDR");
        }
        match self.plan.options.code_set.of_chars().write(value.as_str()) {
            Ok(octet) => self.field(field, octet.len(), |cursor| cursor.copy(&octet)),
            Err(why) => self.fail(field, why),
        }
    }

    /// Items, octets or characters that the field's type holds.
    #[inline]
    fn most(&self, field: usize) -> usize {
        self.scope.slots[field].most as usize
    }

    #[inline]
    fn hold(&mut self, field: usize, count: usize) {
        if count > self.most(field) {
            self.fail_bound(field, count, "");
        }
    }

    #[cold]
    #[inline(never)]
    fn fail_bound(&mut self, field: usize, count: usize, text: &str) {
        let most = self.scope.slots[field].most;
        if most == MOST {
            return self.fail(field, COUNTS);
        }
        if self.problem.is_none() {
            let holds = self.plan.layout.scopes()[self.scope_index].fields[field].holds;
            let (value, what) = match holds {
                Holds::Value(Kind::Text) => (shown(text), "characters"),
                Holds::Value(_) => ("it".into(), "octets"),
                _ => ("it".into(), "items"),
            };
            let why = format!("cannot be written: {value} has {count} {what}, more than {most}");
            let error = Error::new(ErrorKind::Unfit(why.into()), self.output.len());
            self.problem = Some(self.plan.locate(error, self.scope_index, field));
        }
    }
}

/// The beginning of a text.
fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

impl<const LITTLE: bool> FieldEncoder for Body<'_, LITTLE> {
    #[inline]
    fn boolean(&mut self, field: usize, value: bool) {
        self.field(field, 1, |cursor| cursor.byte(u8::from(value)));
    }

    #[inline]
    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        let width = self.whole(field, value);
        self.field(field, 8, |cursor| number::<LITTLE>(cursor, value.to_u64(), width));
    }

    #[inline]
    fn decimal(&mut self, field: usize, value: Decimal) {
        let double = value.to_f64();
        // Up to 15 digits survive a double; of longer ones, some do.
        if value.mantissa().unsigned_abs() >= 1_000_000_000_000_000
            && Decimal::from_f64(double) != Some(value)
        {
            self.fail(field, "a double does not hold so many digits, and CDR has no decimals");
        }
        self.float(field, double);
    }

    #[inline]
    fn float<F: Float>(&mut self, field: usize, value: F) {
        self.field(field, 8, |cursor| number::<LITTLE>(cursor, value.bits(), F::BYTES));
    }

    fn string(&mut self, field: usize, value: &str) {
        match self.plan.options.code_set.write(value) {
            Ok(bytes) => {
                // No more characters than octets.
                if bytes.len() > self.most(field) {
                    let count = value.chars().count();
                    if count > self.most(field) {
                        return self.fail_bound(field, count, value);
                    }
                }
                self.bytes_of_string(field, &bytes);
            }
            Err(why) => self.fail(field, why),
        }
    }

    #[inline]
    fn text(&mut self, field: usize, value: &Text) {
        match value.inline_block() {
            Some((block, len)) if self.is_utf8 && len <= self.most(field) => {
                let mut nul = false;
                self.field(field, 40, |cursor| {
                    ulong::<LITTLE>(cursor, len + 1);
                    nul = cursor.text_block(block, len, |block| block.eq(0));
                    cursor.byte(0);
                });
                if nul {
                    self.fail(field, "the text has a NUL inside, which ends a CDR string");
                }
            }
            _ => self.string(field, value),
        }
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        self.hold(field, value.len());
        self.field(field, value.len() + 4, |cursor| {
            ulong::<LITTLE>(cursor, value.len());
            cursor.copy(value);
        });
    }

    #[inline]
    fn code(&mut self, field: usize, value: Code) {
        match value.single() {
            Some(code) => self.field(field, 1, |cursor| cursor.byte(code)),
            None => self.other_char(field, value),
        }
    }

    #[inline]
    fn date(&mut self, field: usize, value: Date) {
        if value.zone().is_some() {
            self.fail(field, ZONED_DAY);
        }
        self.short_text(field, |window| value.write_fix(window));
    }

    #[inline]
    fn time(&mut self, field: usize, value: Time) {
        if !value.is_utc() {
            self.fail(field, NO_ZONE);
        }
        self.short_text(field, |window| value.write_fix(window));
    }

    #[inline]
    fn timestamp(&mut self, field: usize, value: Timestamp) {
        if !value.is_utc() {
            self.fail(field, NO_ZONE);
        }
        self.short_text(field, |window| value.write_fix(window));
    }

    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.bytes_of_string(field, value.as_str().as_bytes());
    }

    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.bytes_of_string(field, value.as_str().as_bytes());
    }

    fn duration(&mut self, field: usize, value: Duration) {
        let mut text = [0; Duration::LONGEST];
        let len = value.write_xml(&mut text);
        self.bytes_of_string(field, &text[..len]);
    }

    fn enumeration(&mut self, field: usize, value: usize) {
        self.field(field, 4, |cursor| ulong::<LITTLE>(cursor, value));
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        let is_counted = self.count_items(field, values.len());
        let width = values.iter().fold(8, |_, value| self.whole(field, *value));
        self.field(field, 16 + width * values.len(), |cursor| {
            if is_counted {
                ulong::<LITTLE>(cursor, values.len());
            }
            for value in values {
                number::<LITTLE>(cursor, value.to_u64(), width);
            }
        });
    }

    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        let is_counted = self.count_items(field, values.len());
        self.field(field, 16 + 8 * values.len(), |cursor| {
            if is_counted {
                ulong::<LITTLE>(cursor, values.len());
            }
            for value in values {
                number::<LITTLE>(cursor, value.bits(), F::BYTES);
            }
        });
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        let is_counted = self.count_items(field, entries.len());
        if self.problem.is_some() {
            return;
        }
        self.field(field, 4, |cursor| {
            if is_counted {
                ulong::<LITTLE>(cursor, entries.len());
            }
        });
        let outer = self.enter(field);
        for (i, entry) in ahead(entries).enumerate() {
            self.scope(entry);
            if let Some(problem) = self.problem.take() {
                let index = outer.scope_index;
                self.problem = Some(self.plan.locate(problem.in_entry(i), index, field));
                break;
            }
        }
        self.leave(outer);
    }

    #[cold]
    fn unknown(&mut self, fields: &Unknown) {
        *self.dropped += fields.iter().count() + fields.markup().count();
    }

    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        if self.problem.is_some() {
            return;
        }
        self.field(field, 0, |_| ());
        let start = self.output.len();
        let outer = self.enter(field);
        self.scope(value);
        if let Some(problem) = self.problem.take() {
            self.problem = Some(self.plan.locate(problem, outer.scope_index, field));
        }
        self.leave(outer);
        if let Absent::Arm(union) = self.scope.slots[field].absent {
            self.check_default(field, union as usize, start);
        }
    }
}
