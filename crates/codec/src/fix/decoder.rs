//! FIX to fields.

use std::borrow::Cow;
use std::sync::Arc;

use trunkline_message::{
    Any, Decoder as FieldDecoder, Entries, Error, ErrorKind, Fields, Limits, Message, Result,
    UnknownContent,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, parse_float_within, scan,
};

use super::SOH;
use super::binding::{LARGEST_TAG, TAG_RULE};
use super::frame::check_frame;
use super::plan::{LONGEST_TAG, Plan, ScopePlan, Slot, Tag, is_set};
use super::unknown::UnknownFields;

/// Reads messages of one schema from FIX, fields in any order.
#[derive(Debug)]
pub struct Decoder {
    plan: Arc<Plan>,
    limits: Limits,
    scopes: Vec<usize>,
    seen: Vec<u64>,
    unknown: UnknownFields,
}

impl Decoder {
    /// A decoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self::with_limits(plan, Limits::default())
    }

    /// A decoder with limits of its own.
    pub fn with_limits(plan: &Arc<Plan>, limits: Limits) -> Self {
        let (scopes, seen, unknown) = Default::default();
        Self { plan: plan.clone(), limits, scopes, seen, unknown }
    }

    /// Sets how to handle fields that the schema does not know and the message does not keep; by default
    /// they are counted.
    #[must_use]
    pub fn on_unknown(mut self, content: UnknownContent) -> Self {
        self.unknown.set_content(content);
        self
    }

    /// The number of fields of the last message that the schema does not know and the message did not
    /// keep, up to the error if it was rejected. Those of a message or entry with a member `#[unknown]`
    /// are kept there, and so are a record's. Data and its length are two.
    pub fn unknown(&self) -> usize {
        self.unknown.dropped()
    }

    /// Reads one whole message into place. After an error the message holds what came before it.
    /// Fields that the schema does not know are kept, counted or rejected, see [`unknown`](Self::unknown).
    ///
    /// # Errors
    /// Says what is wrong at which byte in which field; the message must end with `bytes`.
    #[inline]
    pub fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        let plan = &*self.plan;
        self.unknown.clear();
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        let (start, end) = check_frame(plan, bytes, &self.limits)?;
        message.clear();
        self.scopes.clear();
        self.seen.clear();
        let mut body = Body {
            plan,
            limits: &self.limits,
            bytes: &bytes[..end],
            text: plan.code_set.view(&bytes[..end]),
            at: start,
            value: (start, start),
            length_of: None,
            scopes: &mut self.scopes,
            scope: 0,
            field: 0,
            fields: 0,
            entries: 0,
            seen: &mut self.seen,
            unknown: &mut self.unknown,
        };
        body.fields(message)?;
        if body.at != end {
            return Err(Error::new(ErrorKind::Expected("a field of the message".into()), body.at));
        }
        Ok(())
    }
}

pub(super) struct Body<'a> {
    pub(super) plan: &'a Plan,
    pub(super) limits: &'a Limits,
    /// The message up to its CheckSum.
    pub(super) bytes: &'a [u8],
    /// The same as text, when that is what all of it means in the plan's code set.
    text: Option<&'a str>,
    pub(super) at: usize,
    /// The value of the field at which the decoder stands.
    value: (usize, usize),
    /// The length field that was read last: data field, length, offset.
    pub(super) length_of: Option<(usize, usize, usize)>,
    /// The scopes around the present one.
    scopes: &'a mut Vec<usize>,
    scope: usize,
    field: usize,
    pub(super) fields: usize,
    /// Entries of all groups so far.
    entries: usize,
    /// One bit for each field of every open scope.
    seen: &'a mut Vec<u64>,
    pub(super) unknown: &'a mut UnknownFields,
}

impl<'a> Body<'a> {
    fn scope_plan(&self) -> &'a ScopePlan {
        &self.plan.scopes[self.scope]
    }

    /// Reads fields of the present scope until one belongs to another, or the next entry begins.
    #[inline]
    fn fields<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let scope = self.scope_plan();
        let base = self.seen.len();
        let entry = self.at;
        self.seen.resize(base + scope.words, 0);
        while self.at < self.bytes.len() {
            let start = self.at;
            let (number, value) = self.tag()?;
            let field = match scope.tag(number) {
                Tag::Field(field) => field,
                Tag::LengthOf(field) => {
                    if field == 0 && start != entry && !self.scopes.is_empty() {
                        break;
                    }
                    self.length(field, value)?;
                    continue;
                }
                Tag::Inside(field) => {
                    if scope.parts_entries(number, &self.seen[base..]) {
                        break;
                    }
                    self.inside(into, field, base)?;
                    continue;
                }
                Tag::Unknown => {
                    if self.belongs_outside(number) {
                        break;
                    }
                    self.unknown(into, (entry, number), value)?;
                    continue;
                }
            };
            let bit = 1_u64 << (field % 64);
            let seen = &mut self.seen[base + field / 64];
            if *seen & bit != 0 {
                // The first field of an entry parts it from the next.
                if field == 0 && !self.scopes.is_empty() {
                    break;
                }
                return Err(self.error(ErrorKind::Duplicate, field, start));
            }
            *seen |= bit;
            self.one(into, (scope, field), value)?;
        }
        if self.fields > self.limits.fields {
            return Err(self.too_many_fields());
        }
        if let Some((field, _, offset)) = self.length_of.take() {
            return Err(self.error(ErrorKind::Missing, field, offset));
        }
        if let Some(unmet) = scope.required.unmet(&self.seen[base..]) {
            return Err(self.plan.reject(unmet, self.scope, self.at));
        }
        if !scope.structs.is_empty() {
            self.check_structs(scope, base)?;
        }
        self.seen.truncate(base);
        Ok(())
    }

    /// The rules of the structs that lie in a message or entry, if anything of them is there.
    #[inline(never)]
    fn check_structs(&self, scope: &ScopePlan, base: usize) -> Result<()> {
        let seen = &self.seen[base..];
        for &(inner, _) in scope.structs.iter().filter(|(_, bit)| is_set(seen, *bit)) {
            let plan = &self.plan.scopes[inner];
            if let Some(unmet) = plan.required.unmet(&seen[plan.first_word..]) {
                return Err(self.plan.reject(unmet, inner, self.at));
            }
        }
        Ok(())
    }

    /// Lets a struct by itself read its fields that stand together here; `base` is where the bits of
    /// the present scope begin.
    fn inside<F: Fields>(&mut self, into: &mut F, field: usize, base: usize) -> Result<()> {
        if let Some((of, ..)) = self.length_of {
            return Err(self.no_data(of));
        }
        self.seen[base + field / 64] |= 1 << (field % 64);
        self.field = field;
        into.decode_field(field, self)
    }

    /// Reads fields of a struct by itself until one is not its own. More may stand behind that, so
    /// whether all are there is known only where the message or entry ends.
    fn members<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let scope = self.scope_plan();
        let entry = self.seen.len() - self.plan.scopes[scope.around].words;
        let base = entry + scope.first_word;
        while self.at < self.bytes.len() {
            let start = self.at;
            let (number, value) = self.tag()?;
            let tag = scope.tag(number);
            if tag == Tag::Unknown || scope.parts_entries(number, &self.seen[entry..]) {
                break;
            }
            match tag {
                Tag::Field(field) => {
                    let bit = 64 * base + field;
                    if is_set(self.seen, bit) {
                        return Err(self.error(ErrorKind::Duplicate, field, start));
                    }
                    self.seen[bit / 64] |= 1 << (bit % 64);
                    self.one(into, (scope, field), value)?;
                }
                Tag::LengthOf(field) => self.length(field, value)?,
                Tag::Inside(field) => self.inside(into, field, base)?,
                Tag::Unknown => unreachable!("it is not the struct's own"),
            }
        }
        match self.length_of {
            Some((field, ..)) => Err(self.no_data(field)),
            None => Ok(()),
        }
    }

    /// Reads one field whose value begins here.
    #[inline]
    fn one<F: Fields>(
        &mut self,
        into: &mut F,
        (scope, field): (&ScopePlan, usize),
        value: usize,
    ) -> Result<()> {
        self.field = field;
        self.value = (value, self.value_end(scope, field, value)?);
        self.at = self.value.1 + 1;
        into.decode_field(field, self)?;
        self.fields += 1;
        Ok(())
    }

    /// Behind the length of a data field stands something else.
    #[cold]
    fn no_data(&self, of: usize) -> Error {
        self.error(ErrorKind::Expected("the data after its length".into()), of, self.at)
    }

    /// The tag at the position, and where its value begins.
    #[inline]
    fn tag(&mut self) -> Result<(u32, usize)> {
        let mut number = 0_u32;
        let digits = &self.bytes[self.at..];
        for (i, byte) in digits.iter().enumerate().take(9) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                if *byte == b'=' && i > 0 && digits[0] != b'0' {
                    return Ok((number, self.at + i + 1));
                }
                break;
            }
            number = number * 10 + u32::from(digit);
        }
        self.long_tag()
    }

    /// The same where the tag may have more than eight digits.
    #[cold]
    #[inline(never)]
    fn long_tag(&self) -> Result<(u32, usize)> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take(LONGEST_TAG).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, behind) = rest.split_at(count);
        let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
        let is_tag = behind.first() == Some(&b'=') && digits.first().is_some_and(|it| *it != b'0');
        match u32::try_from(number) {
            Ok(number) if is_tag && number <= LARGEST_TAG => Ok((number, self.at + count + 1)),
            _ => {
                let expected = format!("a tag, {TAG_RULE}, and '='");
                Err(Error::new(ErrorKind::Expected(expected.into()), self.at))
            }
        }
    }

    #[inline]
    fn value_end(&mut self, scope: &ScopePlan, field: usize, value: usize) -> Result<usize> {
        if self.length_of.is_some() || scope.slots[field].data {
            return self.data_end(scope, field, value);
        }
        let end = scan::find_soh(self.bytes, value).unwrap_or(self.bytes.len());
        // An empty value wraps around and is over the limit too.
        if (end - value).wrapping_sub(1) >= self.limits.value_bytes {
            return Err(self.wrong_length(field, value, end));
        }
        Ok(end)
    }

    #[cold]
    #[inline(never)]
    fn wrong_length(&self, field: usize, value: usize, end: usize) -> Error {
        let kind = if end == value {
            ErrorKind::Value { expected: "a value", problem: ValueError::Empty }
        } else {
            ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes }
        };
        self.error(kind, field, value)
    }

    /// A data field ends where its length field says, whatever bytes it holds.
    #[cold]
    fn data_end(&mut self, scope: &ScopePlan, field: usize, value: usize) -> Result<usize> {
        let Some((of, length, offset)) = self.length_of.take() else {
            let expected = "its length field before the data field";
            return Err(self.error(ErrorKind::Expected(expected.into()), field, value));
        };
        if of != field || !scope.slots[field].data {
            return Err(self.error(
                ErrorKind::Expected("the data after its length".into()),
                of,
                value,
            ));
        }
        let end = value.saturating_add(length);
        if self.bytes.get(end) != Some(&SOH) {
            let counted = scan::find_soh(self.bytes, value).unwrap_or(self.bytes.len()) - value;
            let kind = ErrorKind::Length { stated: length, counted };
            return Err(self.error(kind, field, offset));
        }
        if length == 0 {
            return Err(self.wrong_length(field, value, end));
        }
        Ok(end)
    }

    #[cold]
    fn length(&mut self, field: usize, value: usize) -> Result<()> {
        let end = scan::find_soh(self.bytes, value).unwrap_or(self.bytes.len());
        let length = u32::parse(&self.bytes[value..end]).map_err(|problem| {
            self.error(ErrorKind::Value { expected: "a length", problem }, field, value)
        })? as usize;
        if let Some((field, ..)) = self.length_of {
            let expected = "the data after its length";
            return Err(self.error(ErrorKind::Expected(expected.into()), field, value));
        }
        if length > self.limits.value_bytes {
            let kind = ErrorKind::Limit { name: "value_bytes", limit: self.limits.value_bytes };
            return Err(self.error(kind, field, value));
        }
        self.length_of = Some((field, length, value));
        self.at = end + 1;
        Ok(())
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

    /// Is it a field of a scope around this one? Then this one ends here.
    fn belongs_outside(&self, number: u32) -> bool {
        self.scopes.iter().any(|&scope| self.plan.scopes[scope].tag(number) != Tag::Unknown)
    }

    #[cold]
    pub(super) fn too_many_fields(&self) -> Error {
        Error::new(ErrorKind::Limit { name: "fields", limit: self.limits.fields }, self.at)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, kind: ErrorKind, field: usize, offset: usize) -> Error {
        self.plan.locate(Error::new(kind, offset), self.scope, field)
    }

    #[inline]
    fn parse<T>(
        &self,
        expected: &'static str,
        parse: impl FnOnce(&[u8], usize, usize) -> std::result::Result<T, ValueError>,
    ) -> Result<T> {
        let (start, end) = self.value;
        match parse(self.bytes, start, end) {
            Ok(value) => Ok(value),
            Err(problem) => Err(self.wrong(expected, problem)),
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, expected: &'static str, problem: ValueError) -> Error {
        self.error(ErrorKind::Value { expected, problem }, self.field, self.value.0)
    }

    #[inline(never)]
    fn any_code(&self) -> Result<Code> {
        self.parse("a code of at most 15 ASCII characters", whole(Code::parse))
    }

    #[cold]
    #[inline(never)]
    fn text_by_itself(&self, into: &mut Text) -> Result<()> {
        into.assign(&self.str()?);
        Ok(())
    }

    /// The value as text, read by itself when the message as a whole is not.
    fn str(&self) -> Result<Cow<'a, str>> {
        let (start, end) = self.value;
        if let Some(value) = self.text.and_then(|text| text.get(start..end)) {
            return Ok(Cow::Borrowed(value));
        }
        let read = self.plan.code_set.read(&self.bytes[start..end]);
        read.map_err(|(at, kind)| self.error(kind, self.field, start + at))
    }

    fn list<T>(
        &mut self,
        into: &mut Vec<T>,
        parse: impl Fn(&[u8]) -> std::result::Result<T, ValueError>,
    ) -> Result<()> {
        let (start, end) = self.value;
        into.clear();
        for value in self.bytes[start..end].split(|byte| *byte == b' ') {
            if into.len() == self.limits.elements {
                let kind = ErrorKind::Limit { name: "elements", limit: self.limits.elements };
                return Err(self.error(kind, self.field, start));
            }
            into.push(parse(value).map_err(|problem| self.wrong("numbers", problem))?);
        }
        self.check_count((self.scope, self.field), into.len(), start)
    }

    /// Reads the items of a list that is one field: values with blanks between them.
    #[inline(never)]
    fn items<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        let (plan, outer, field) = (self.plan, self.scope, self.field);
        let (start, end) = self.value;
        into.clear();
        (self.scope, self.field) = (plan.scopes[outer].slots[field].inside(), 0);
        let (mut from, mut found) = (start, 0);
        while from <= end {
            let blank = memchr::memchr(b' ', &self.bytes[from..end]);
            self.value = (from, blank.map_or(end, |at| from + at));
            self.count_entry().map_err(|error| plan.locate(error, outer, field))?;
            self.item(into.next_entry())
                .map_err(|error| plan.locate(error.in_entry(found), outer, field))?;
            found += 1;
            from = self.value.1 + 1;
        }
        self.scope = outer;
        self.check_count((outer, field), found, start)
    }

    fn item<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        if self.value.0 == self.value.1 {
            return Err(self.wrong("a value", ValueError::Empty));
        }
        into.decode_field(0, self)
    }

    /// Has a list of a fixed number of items as many?
    fn check_count(
        &self,
        (scope, field): (usize, usize),
        found: usize,
        offset: usize,
    ) -> Result<()> {
        match self.plan.scopes[scope].slots[field].fixed {
            Some(fixed) if fixed.get() as usize != found => {
                let kind = ErrorKind::Count { stated: fixed.get() as usize, found };
                Err(self.plan.locate(Error::new(kind, offset), scope, field))
            }
            _ => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn no_such_value(&self, of: &str) -> Error {
        let (start, end) = self.value;
        let bytes = &self.bytes[start..end];
        let value = self.plan.code_set.read(bytes);
        let value = value.unwrap_or_else(|_| bytes.escape_ascii().to_string().into());
        let what = format!("a value of {of}, not {value:?}");
        self.error(ErrorKind::Expected(what.into()), self.field, start)
    }
}

/// A float in plain digits: neither exponents nor names are FIX.
fn plain_float<F: Float>(
    source: &[u8],
    start: usize,
    end: usize,
) -> std::result::Result<F, ValueError> {
    let other = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'.' | b'-');
    if let Some(at) = source[start..end].iter().position(other) {
        return Err(ValueError::Malformed { at });
    }
    let value: F = parse_float_within(source, start, end)?;
    if value.into().is_finite() { Ok(value) } else { Err(ValueError::OutOfRange) }
}

/// For parsers that take the value by itself.
#[inline]
fn whole<T>(
    parse: impl FnOnce(&[u8]) -> std::result::Result<T, ValueError>,
) -> impl FnOnce(&[u8], usize, usize) -> std::result::Result<T, ValueError> {
    move |source, start, end| parse(&source[start..end])
}

impl FieldDecoder for Body<'_> {
    #[inline]
    fn boolean(&mut self) -> Result<bool> {
        self.parse("Y or N", |source, start, end| match &source[start..end] {
            b"Y" => Ok(true),
            b"N" => Ok(false),
            _ => Err(ValueError::Malformed { at: 0 }),
        })
    }

    #[inline]
    fn integer<I: Integer>(&mut self) -> Result<I> {
        self.parse("a whole number", I::parse_within)
    }

    #[inline]
    fn decimal(&mut self) -> Result<Decimal> {
        self.parse("a decimal number", Decimal::parse_within)
    }

    fn big_integer(&mut self) -> Result<BigInteger> {
        self.parse("a whole number", whole(BigInteger::parse))
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        self.parse("a decimal number", whole(BigDecimal::parse))
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        self.parse("a decimal number", plain_float)
    }

    #[inline]
    fn text(&mut self, into: &mut Text) -> Result<()> {
        let (start, end) = self.value;
        if let Some(text) = self.text
            && into.assign_from(text, start, end)
        {
            return Ok(());
        }
        self.text_by_itself(into)
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        into.clear();
        into.push_str(&self.str()?);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        let (start, end) = self.value;
        into.clear();
        into.extend_from_slice(&self.bytes[start..end]);
        Ok(())
    }

    fn any(&mut self, into: &mut Any) -> Result<()> {
        let (start, end) = self.value;
        match std::str::from_utf8(&self.bytes[start..end]) {
            Ok(text) => into.element_mut().push_str(text),
            Err(problem) => {
                let problem = ValueError::Malformed { at: problem.valid_up_to() };
                let kind = ErrorKind::Value { expected: "an element in UTF-8", problem };
                return Err(self.error(kind, self.field, start));
            }
        }
        Ok(())
    }

    #[inline]
    fn code(&mut self) -> Result<Code> {
        // Most are one character.
        let (start, end) = self.value;
        if let Some([byte]) = self.bytes.get(start..end)
            && let Some(code) = Code::from_byte(*byte)
        {
            return Ok(code);
        }
        self.any_code()
    }

    #[inline]
    fn date(&mut self) -> Result<Date> {
        self.parse("a date as YYYYMMDD", whole(Date::parse_fix))
    }

    #[inline]
    fn time(&mut self) -> Result<Time> {
        self.parse("a time as HH:MM:SS", whole(Time::parse_fix))
    }

    #[inline]
    fn timestamp(&mut self) -> Result<Timestamp> {
        self.parse("a time stamp as YYYYMMDD-HH:MM:SS", whole(Timestamp::parse_fix))
    }

    /// No plan has one.
    fn duration(&mut self) -> Result<Duration> {
        let kind = ErrorKind::Unsupported("FIX has no durations".into());
        Err(self.error(kind, self.field, self.value.0))
    }

    #[inline]
    fn enumeration(&mut self) -> Result<usize> {
        let (start, end) = self.value;
        let slot = &self.scope_plan().slots[self.field];
        let codes = &self.plan.codes[slot.codes as usize];
        codes.find(&self.bytes[start..end]).ok_or_else(|| self.no_such_value(&codes.name))
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        let holds = self.plan.layout.scopes()[self.scope].fields[self.field].holds;
        self.list(into, |value| I::parse(value).and_then(|number| holds.within(number)))
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        self.list(into, |value| plain_float(value, 0, value.len()))
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        let (field, offset) = (self.field, self.value.0);
        let slot: &Slot = &self.scope_plan().slots[field];
        if slot.is_items {
            return self.items(into);
        }
        let stated = self.integer::<u32>()? as usize;
        if stated > self.limits.entries {
            let kind = ErrorKind::Limit { name: "entries", limit: self.limits.entries };
            return Err(self.error(kind, field, offset));
        }
        if self.scopes.len() >= self.limits.depth {
            let kind = ErrorKind::Limit { name: "depth", limit: self.limits.depth };
            return Err(self.error(kind, field, offset));
        }
        if slot.fixed.is_some() {
            self.check_count((self.scope, field), stated, offset)?;
        }
        into.clear();
        // An entry has a tag, `=`, a value and an end, at least.
        into.reserve(stated.min((self.bytes.len() - self.at) / 4));
        let outer = self.scope;
        self.scopes.push(self.scope_plan().around);
        self.scope = slot.inside();
        let mut found = 0;
        while self.at < self.bytes.len() {
            let (number, _) = self.tag()?;
            if !self.scope_plan().begins_entry(number) {
                break;
            }
            found += 1;
            if found > stated {
                break;
            }
            let plan = self.plan;
            self.count_entry().map_err(|error| plan.locate(error, outer, field))?;
            let entry = into.next_entry();
            self.fields(entry)
                .map_err(|error| plan.locate(error.in_entry(found - 1), outer, field))?;
        }
        self.scope = outer;
        self.scopes.pop();
        if found != stated {
            return Err(self.error(ErrorKind::Count { stated, found }, field, offset));
        }
        Ok(())
    }

    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let (plan, outer, field) = (self.plan, self.scope, self.field);
        self.scope = plan.scopes[outer].slots[field].inside();
        self.members(into).map_err(|error| plan.locate(error, outer, field))?;
        self.scope = outer;
        Ok(())
    }
}
