//! CDR to fields.

use std::borrow::Cow;
use std::sync::Arc;

use trunkline_message::{
    Any, Decoder as FieldDecoder, Entries, Error, ErrorKind, Fields, Limits, Message, Result,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, scan,
};

use super::binding::Union;
use super::plan::{Absent, ByteOrder, Plan, ScopePlan, Slot};
use crate::CodeSet;

/// Reads messages of one schema from CDR, alignment counted from the first byte.
#[derive(Debug)]
pub struct Decoder {
    plan: Arc<Plan>,
    limits: Limits,
    /// For each field, how many were absent from it on the last time.
    predictions: Vec<u8>,
    seen: Vec<u64>,
}

impl Decoder {
    /// A decoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self::with_limits(plan, Limits::default())
    }

    /// A decoder with limits of its own.
    pub fn with_limits(plan: &Arc<Plan>, limits: Limits) -> Self {
        let fields = plan.scopes.iter().map(|scope| scope.slots.len()).sum();
        Self { plan: plan.clone(), limits, predictions: vec![0; fields], seen: Vec::new() }
    }

    /// Reads one whole message into place. After an error the message holds what came before it.
    ///
    /// # Errors
    /// Says what is wrong at which byte in which field; the message must end with `bytes`.
    #[inline]
    pub fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        self.decode_behind(bytes, 0, message)
    }

    /// As [`decode`](Self::decode), of a message that begins at byte `start` of what alignment is counted in, as one in
    /// a message of GIOP does.
    ///
    /// # Errors
    /// The same; and there are fewer bytes.
    #[inline]
    pub fn decode_behind<M: Message>(
        &mut self,
        bytes: &[u8],
        start: usize,
        message: &mut M,
    ) -> Result<()> {
        if start > bytes.len() {
            let expected = "what stands before the message";
            return Err(Error::new(ErrorKind::Truncated { expected }, bytes.len()));
        }
        let plan = &*self.plan;
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        if bytes.len() > self.limits.message_bytes {
            let kind = ErrorKind::Limit { name: "message_bytes", limit: self.limits.message_bytes };
            return Err(Error::new(kind, bytes.len()));
        }
        message.clear();
        self.seen.clear();
        let memory = (&mut self.predictions[..], &mut self.seen);
        match plan.options.byte_order {
            ByteOrder::Little => {
                Body::<true>::decode(plan, &self.limits, memory, (bytes, start), message)
            }
            ByteOrder::Big => {
                Body::<false>::decode(plan, &self.limits, memory, (bytes, start), message)
            }
        }
    }
}

struct Body<'a, const LITTLE: bool> {
    plan: &'a Plan,
    limits: &'a Limits,
    predictions: &'a mut [u8],
    /// One bit for each field of those open scopes whose optional components must have some.
    seen: &'a mut Vec<u64>,
    bytes: &'a [u8],
    at: usize,
    scope_index: usize,
    field: usize,
    depth: usize,
    fields: usize,
    /// Entries of all groups so far.
    entries: usize,
}

impl<'a, const LITTLE: bool> Body<'a, LITTLE> {
    fn decode<M: Message>(
        plan: &'a Plan,
        limits: &'a Limits,
        (predictions, seen): (&'a mut [u8], &'a mut Vec<u64>),
        (bytes, at): (&'a [u8], usize),
        message: &mut M,
    ) -> Result<()> {
        let mut body = Self {
            plan,
            limits,
            predictions,
            seen,
            bytes,
            at,
            scope_index: 0,
            field: 0,
            depth: 0,
            fields: 0,
            entries: 0,
        };
        body.scope(&plan.scopes[0], message)?;
        match bytes.len() - body.at {
            0 => Ok(()),
            bytes => Err(Error::new(ErrorKind::Trailing { bytes }, body.at)),
        }
    }

    /// Reads every field of a struct in its order.
    #[inline]
    fn scope<F: Fields>(&mut self, scope: &ScopePlan, into: &mut F) -> Result<()> {
        let bitmap = self.at;
        let octets = self.take(scope.bitmap, "the presence bits")?;
        if octets.last().is_some_and(|last| last & scope.no_fields != 0) {
            return Err(self.bits_of_no_fields());
        }
        let base = self.seen.len();
        let conditional = scope.is_conditional;
        if conditional {
            self.seen.resize(base + scope.required.words(), 0);
        }
        let mut field = 0;
        while let Some(slot) = scope.slots.get(field) {
            match slot.absent {
                Absent::Flag => {
                    let absent = self.absent(field, slot.flags as usize);
                    self.at += absent;
                    field += absent;
                    if absent == slot.flags as usize {
                        continue;
                    }
                    self.field = field;
                    self.flag()?;
                }
                Absent::Bit(bit) => {
                    let absent = absent_bits(self.bytes, bitmap, bit as usize);
                    if absent > 0 {
                        field += absent.min(slot.bits as usize);
                        continue;
                    }
                }
                Absent::Sequence if self.is_empty_sequence() => {
                    field += 1;
                    continue;
                }
                Absent::Arm(union) => {
                    let union = &scope.unions[union as usize];
                    match self.arm(field, union, bitmap)? {
                        Some(arm) => field = arm,
                        None => {
                            field = union.0.arms.end;
                            continue;
                        }
                    }
                }
                Absent::Never | Absent::Sequence => {}
            }
            self.field = field;
            into.decode_field(field, self)?;
            if conditional {
                self.seen[base + field / 64] |= 1 << (field % 64);
            }
            self.fields += 1;
            field += 1;
        }
        if conditional {
            self.check_required(scope, base)?;
        }
        if self.fields > self.limits.fields {
            let kind = ErrorKind::Limit { name: "fields", limit: self.limits.fields };
            return Err(Error::new(kind, self.at));
        }
        Ok(())
    }

    /// The arm of the choice at whose arms it stands, if there is one that is not read yet.
    #[inline(never)]
    fn arm(
        &mut self,
        field: usize,
        (union, absent): &(Union, Absent),
        bitmap: usize,
    ) -> Result<Option<usize>> {
        if field != union.arms.start {
            // It stands behind the arm that was chosen.
            return Ok(None);
        }
        // No field's: the errors until an arm is chosen are the choice's.
        self.field = usize::MAX;
        self.chosen(union, *absent, bitmap).map_err(|error| {
            let scope = &self.plan.layout.scopes()[self.scope_index];
            scope.locate_component(error, union.component)
        })
    }

    /// Which arm is there?
    fn chosen(&mut self, union: &Union, absent: Absent, bitmap: usize) -> Result<Option<usize>> {
        match absent {
            Absent::Flag if !self.boolean()? => return Ok(None),
            Absent::Bit(bit) if self.bytes[bitmap + bit as usize / 8] >> (bit % 8) & 1 == 0 => {
                return Ok(None);
            }
            _ => {}
        }
        let before = self.at;
        let expected = "the discriminator of a union";
        let label = match union.width {
            1 => self.number(expected).map(u8::from_le_bytes)?.into(),
            2 => self.number(expected).map(u16::from_le_bytes)?.into(),
            4 => self.number(expected).map(u32::from_le_bytes)?.into(),
            _ => self.number(expected).map(u64::from_le_bytes)?,
        };
        let Some(arm) = union.arm(label) else {
            let what = format!("the label of an arm: {}", union.shown);
            return Err(self.error(ErrorKind::Expected(what.into()), self.at - union.width));
        };
        if union.default() == Some(arm) {
            // It is the first member of what the arm holds.
            self.at = before;
        }
        Ok(Some(arm))
    }

    /// Has every optional component that is there what it must have?
    #[inline(never)]
    fn check_required(&mut self, scope: &ScopePlan, base: usize) -> Result<()> {
        if let Some(unmet) = scope.required.unmet(&self.seen[base..]) {
            return Err(self.plan.layout.scopes()[self.scope_index].reject(unmet, self.at));
        }
        self.seen.truncate(base);
        Ok(())
    }

    /// How many of the next `most` fields are absent. As many as in the entry before, is the guess:
    /// when it is right, nothing waits for the count.
    #[inline(always)]
    fn absent(&mut self, field: usize, most: usize) -> usize {
        let guess = &mut self.predictions[self.plan.scopes[self.scope_index].first + field];
        let guessed = usize::from(*guess);
        if guessed < most && scan::are_zeros(self.bytes, self.at, guessed) {
            return guessed;
        }
        let absent = scan::zeros(self.bytes, self.at, most);
        *guess = absent.min(usize::from(u8::MAX)) as u8;
        absent
    }

    /// Bits are set beyond those of the schema's fields: the sender has others, which would be lost.
    #[cold]
    #[inline(never)]
    fn bits_of_no_fields(&self) -> Error {
        let what = "presence bits of the schema's fields, and 0 beyond them";
        Error::new(ErrorKind::Expected(what.into()), self.at - 1)
    }

    #[inline]
    fn flag(&mut self) -> Result<()> {
        match self.bytes.get(self.at) {
            Some(1) => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.error(ErrorKind::Expected("a boolean, 0 or 1".into()), self.at)),
            None => Err(self.error(ErrorKind::Truncated { expected: "a boolean" }, self.at)),
        }
    }

    /// Passes over the count 0 that stands for an absent group.
    #[inline]
    fn is_empty_sequence(&mut self) -> bool {
        let at = self.at + (self.at.wrapping_neg() & 3);
        let empty = self.bytes.get(at..at + 4) == Some(&[0; 4]);
        if empty {
            self.at = at + 4;
        }
        empty
    }

    #[cold]
    #[inline(never)]
    fn error(&self, kind: ErrorKind, offset: usize) -> Error {
        self.plan.locate(Error::new(kind, offset), self.scope_index, self.field)
    }

    #[inline]
    fn take(&mut self, len: usize, expected: &'static str) -> Result<&'a [u8]> {
        let end = self.at.saturating_add(len);
        match self.bytes.get(self.at..end) {
            Some(bytes) => {
                self.at = end;
                Ok(bytes)
            }
            None => Err(self.error(ErrorKind::Truncated { expected }, self.bytes.len())),
        }
    }

    /// A whole number of `width` octets as its bits; padding is passed over unseen.
    #[inline]
    fn number<const WIDTH: usize>(&mut self, expected: &'static str) -> Result<[u8; WIDTH]> {
        self.at += self.at.wrapping_neg() & (WIDTH - 1);
        let bytes = self.take(WIDTH, expected)?;
        let mut number: [u8; WIDTH] = bytes.try_into().expect("its width");
        if !LITTLE {
            number.reverse();
        }
        Ok(number)
    }

    #[inline]
    fn ulong(&mut self, expected: &'static str) -> Result<usize> {
        Ok(u32::from_le_bytes(self.number(expected)?) as usize)
    }

    /// How many elements the sequence or array has, which take at least `least` octets each, and where
    /// it begins. The count is checked against the limit and what is left before anything is taken for
    /// it.
    #[inline]
    fn count(&mut self, least: usize, name: &'static str, limit: usize) -> Result<(usize, usize)> {
        let (count, start) = match self.slot().fixed {
            0 => (self.ulong("the count of a sequence")?, self.at - 4),
            fixed => (fixed as usize, self.at),
        };
        if count > limit {
            return Err(self.error(ErrorKind::Limit { name, limit }, start));
        }
        if count.saturating_mul(least) > self.bytes.len() - self.at {
            let expected = "the elements of a sequence";
            return Err(self.error(ErrorKind::Truncated { expected }, start));
        }
        Ok((count, start))
    }

    /// The plan of the field at which it stands.
    #[inline]
    fn slot(&self) -> &'a Slot {
        &self.plan.scopes[self.scope_index].slots[self.field]
    }

    /// Goes into the scope of the field at which it stands.
    #[inline]
    fn enter(&mut self, start: usize) -> Result<&'a ScopePlan> {
        if self.depth >= self.limits.depth {
            let kind = ErrorKind::Limit { name: "depth", limit: self.limits.depth };
            return Err(self.error(kind, start));
        }
        self.depth += 1;
        self.scope_index = self.slot().inside as usize;
        Ok(&self.plan.scopes[self.scope_index])
    }

    /// Counts an entry before memory is taken for it.
    #[inline]
    fn count_entry(&mut self) -> Result<()> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let kind = ErrorKind::Limit { name: "entries", limit: self.limits.entries };
            return Err(Error::new(kind, self.at));
        }
        Ok(())
    }

    /// Start and end of a string without its NUL.
    #[inline(always)]
    fn string_range(&mut self) -> Result<(usize, usize)> {
        let len = self.ulong("the length of a string")?;
        let start = self.at;
        if len == 0 {
            let expected = "a string's length of at least 1, for its NUL";
            return Err(self.error(ErrorKind::Expected(expected.into()), start - 4));
        }
        if len > self.limits.value_bytes {
            let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
            return Err(self.error(kind, start - 4));
        }
        self.take(len, "the bytes of a string")?;
        // Looked for in the whole message, since that needs no care at the string's end.
        if scan::find_byte(self.bytes, start, 0) != Some(self.at - 1) {
            let expected = "one NUL, at the end of the string";
            return Err(self.error(ErrorKind::Expected(expected.into()), start));
        }
        Ok((start, self.at - 1))
    }

    /// The string in these bytes, in the plan's code set.
    fn read(&self, start: usize, end: usize) -> Result<Cow<'a, str>> {
        let read = self.plan.options.code_set.read(&self.bytes[start..end]);
        read.map_err(|(at, kind)| self.error(kind, start + at))
    }

    #[cold]
    #[inline(never)]
    fn read_text(&self, start: usize, end: usize, into: &mut Text) -> Result<()> {
        into.assign(&self.read(start, end)?);
        Ok(())
    }

    #[inline]
    fn parse<T>(
        &mut self,
        expected: &'static str,
        parse: impl FnOnce(&[u8]) -> std::result::Result<T, ValueError>,
    ) -> Result<T> {
        let (start, end) = self.string_range()?;
        parse(&self.bytes[start..end])
            .map_err(|problem| self.error(ErrorKind::Value { expected, problem }, start))
    }

    #[inline]
    fn whole<I: Integer>(&mut self, width: usize) -> Result<I> {
        let expected = "a whole number";
        let at = self.at;
        let bits = match width {
            1 => sign::<1, I>(self.number(expected)?),
            2 => sign::<2, I>(self.number(expected)?),
            4 => sign::<4, I>(self.number(expected)?),
            _ => sign::<8, I>(self.number(expected)?),
        };
        I::from_i128(bits).ok_or_else(|| {
            self.error(ErrorKind::Value { expected, problem: ValueError::OutOfRange }, at)
        })
    }
}

/// How many bits are 0 from this one on of the bitmap that stands there, as far as one word tells; 0
/// if this one is set.
#[inline(always)]
fn absent_bits(bytes: &[u8], bitmap: usize, bit: usize) -> usize {
    let at = bitmap + bit / 8;
    match bytes[at..].first_chunk() {
        Some(word) => {
            let rest = u64::from_le_bytes(*word) >> (bit % 8);
            (rest.trailing_zeros() as usize).min(64 - bit % 8)
        }
        None => usize::from(bytes[at] >> (bit % 8) & 1 == 0),
    }
}

/// The number in `WIDTH` little-endian octets, signed as `I` is.
#[inline]
fn sign<const WIDTH: usize, I: Integer>(number: [u8; WIDTH]) -> i128 {
    let mut wide = [0; 8];
    wide[..WIDTH].copy_from_slice(&number);
    let unsigned = u64::from_le_bytes(wide);
    if I::SIGNED {
        let shift = 64 - 8 * WIDTH as u32;
        i128::from((unsigned << shift) as i64 >> shift)
    } else {
        i128::from(unsigned)
    }
}

impl<const LITTLE: bool> FieldDecoder for Body<'_, LITTLE> {
    #[inline]
    fn boolean(&mut self) -> Result<bool> {
        match self.take(1, "a boolean")? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(self.error(ErrorKind::Expected("a boolean, 0 or 1".into()), self.at - 1)),
        }
    }

    #[inline]
    fn integer<I: Integer>(&mut self) -> Result<I> {
        self.whole(self.plan.width(self.scope_index, self.field))
    }

    #[inline]
    fn decimal(&mut self) -> Result<Decimal> {
        let value: f64 = self.float()?;
        Decimal::from_f64(value).ok_or_else(|| {
            let kind = ErrorKind::Value { expected: "a decimal", problem: ValueError::OutOfRange };
            self.error(kind, self.at - 8)
        })
    }

    #[inline]
    fn float<F: Float>(&mut self) -> Result<F> {
        Ok(F::of_bits(match F::BYTES {
            4 => u32::from_le_bytes(self.number("a float")?).into(),
            _ => u64::from_le_bytes(self.number("a double")?),
        }))
    }

    /// Not inlined: as many copies as there are fields would keep the fields' loop out of line.
    #[inline(never)]
    fn text(&mut self, into: &mut Text) -> Result<()> {
        let (start, end) = self.string_range()?;
        if self.plan.options.code_set == CodeSet::Utf8
            && into.assign_utf8(self.bytes, start, end).is_ok()
        {
            return Ok(());
        }
        self.read_text(start, end, into)
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        let (start, end) = self.string_range()?;
        let text = self.read(start, end)?;
        into.clear();
        into.push_str(&text);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        let len = self.ulong("the length of the data")?;
        if len > self.limits.value_bytes {
            let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
            return Err(self.error(kind, self.at - 4));
        }
        let bytes = self.take(len, "the data")?;
        into.clear();
        into.extend_from_slice(bytes);
        Ok(())
    }

    fn any(&mut self, into: &mut Any) -> Result<()> {
        let mut octets = Vec::new();
        self.bytes(&mut octets)?;
        let at = self.at - octets.len();
        *into = Any::from_octets(&octets).ok_or_else(|| self.error(Any::expected(), at))?;
        Ok(())
    }

    #[inline]
    fn code(&mut self) -> Result<Code> {
        let char = self.take(1, "a char")?[0];
        Ok(Code::from_byte(char).unwrap_or_else(|| self.plan.options.code_set.char(char)))
    }

    #[inline]
    fn date(&mut self) -> Result<Date> {
        self.parse("a date as YYYYMMDD", Date::parse_fix)
    }

    #[inline]
    fn time(&mut self) -> Result<Time> {
        self.parse("a time as HH:MM:SS", Time::parse_fix)
    }

    #[inline]
    fn timestamp(&mut self) -> Result<Timestamp> {
        self.parse("a time stamp as YYYYMMDD-HH:MM:SS", Timestamp::parse_fix)
    }

    fn big_integer(&mut self) -> Result<BigInteger> {
        self.parse("a whole number", BigInteger::parse)
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        self.parse("a decimal", BigDecimal::parse)
    }

    fn duration(&mut self) -> Result<Duration> {
        self.parse("a duration as P1DT2H3M4S", Duration::parse_xml)
    }

    fn enumeration(&mut self) -> Result<usize> {
        let value = self.ulong("a value of an enumeration")?;
        let values = self.slot().inside as usize;
        if value >= values {
            let field = &self.plan.layout.scopes()[self.scope_index].fields[self.field];
            let name = self.plan.layout.type_name(field);
            let what = format!("a value of {name}, 0 to {}", values - 1);
            return Err(self.error(ErrorKind::Expected(what.into()), self.at - 4));
        }
        Ok(value)
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        let width = self.plan.width(self.scope_index, self.field);
        let (count, _) = self.count(width, "elements", self.limits.elements)?;
        into.clear();
        into.reserve(count);
        for _ in 0..count {
            into.push(self.whole(width)?);
        }
        Ok(())
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        let (count, _) = self.count(F::BYTES, "elements", self.limits.elements)?;
        into.clear();
        into.reserve(count);
        for _ in 0..count {
            into.push(self.float()?);
        }
        Ok(())
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        let plan = self.plan;
        let (outer, field) = (self.scope_index, self.field);
        let least = plan.scopes[self.slot().inside as usize].least;
        let (count, start) = self.count(least, "entries", self.limits.entries)?;
        let scope = self.enter(start)?;
        into.clear();
        into.reserve(count);
        for i in 0..count {
            self.count_entry().map_err(|error| plan.locate(error, outer, field))?;
            let read = self.scope(scope, into.next_entry());
            read.map_err(|error| plan.locate(error.in_entry(i), outer, field))?;
        }
        self.depth -= 1;
        (self.scope_index, self.field) = (outer, field);
        Ok(())
    }

    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let (outer, field) = (self.scope_index, self.field);
        let scope = self.enter(self.at)?;
        let read = self.scope(scope, into);
        read.map_err(|error| self.plan.locate(error, outer, field))?;
        self.depth -= 1;
        (self.scope_index, self.field) = (outer, field);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::absent_bits;

    /// How many of the next `most` bits are 0, one by one.
    fn absent_one_by_one(bytes: &[u8], first: usize, most: usize) -> usize {
        (first..first + most).take_while(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 0).count()
    }

    /// Bits behind the bitmap are not part of the answer; longer runs are passed over in steps.
    #[test]
    fn absent_bits_are_counted_as_the_plain_twin_counts_them() {
        for bits in 1..=200_usize {
            let octets = bits.div_ceil(8);
            for set in (0..bits).step_by(1 + bits / 4).map(Some).chain([None]) {
                for behind in 0..=9 {
                    let mut bytes = vec![0xff, 0xff];
                    bytes.resize(2 + octets, 0);
                    bytes.resize(2 + octets + behind, 0xa5 * (behind as u8 % 2));
                    if let Some(set) = set {
                        bytes[2 + set / 8] |= 1 << (set % 8);
                    }
                    for first in 0..bits {
                        let mut absent = 0;
                        while first + absent < bits {
                            let most = bits - first - absent;
                            match absent_bits(&bytes, 2, first + absent).min(most) {
                                0 => break,
                                more => absent += more,
                            }
                        }
                        let plain = absent_one_by_one(&bytes[2..], first, bits - first);
                        assert_eq!(absent, plain, "{bits} bits from {first}, {set:?} is set");
                    }
                }
            }
        }
    }
}
