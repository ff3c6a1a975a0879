//! JSON to fields.

use std::borrow::Cow;
use std::sync::Arc;

use trunkline_message::{
    Any, Decoder as FieldDecoder, Entries, Error, ErrorKind, Fields, Holds, Limits, Message,
    Result, UnknownContent,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, base64, parse_float,
};

use super::plan::{Member, Plan, ScopePlan};
use super::text::{BadString, number_end, skip_white, string};
use super::{BASE64, ELEMENT};

/// What a message is that may not be `null`.
const MESSAGE: &str = "a message, not null";

/// Reads messages of one schema from JSON, members in any order.
#[derive(Debug)]
pub struct Decoder {
    plan: Arc<Plan>,
    limits: Limits,
    seen: Vec<u64>,
    content: UnknownContent,
    dropped: usize,
}

/// The name of a message that stands in an object of one member, which has its name.
///
/// # Errors
/// It does not begin as such an object.
pub fn name(bytes: &[u8]) -> Result<Cow<'_, str>> {
    let text = text_of(bytes)?;
    let expected =
        |at| Error::new(ErrorKind::Expected("an object whose member is a message".into()), at);
    let open = skip_white(bytes, 0);
    let quote = skip_white(bytes, open + 1);
    if bytes.get(open) != Some(&b'{') || bytes.get(quote) != Some(&b'"') {
        return Err(expected(quote.min(bytes.len())));
    }
    string(text, quote + 1).map(|it| it.0).map_err(|bad| expected(bad.at))
}

pub(super) fn text_of(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes)
        .map_err(|error| Error::new(ErrorKind::Expected("UTF-8".into()), error.valid_up_to()))
}

impl Decoder {
    /// A decoder for the plan's schema.
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self::with_limits(plan, Limits::default())
    }

    /// A decoder with limits of its own.
    pub fn with_limits(plan: &Arc<Plan>, limits: Limits) -> Self {
        let (seen, content) = (Vec::new(), UnknownContent::default());
        Self { plan: plan.clone(), limits, seen, content, dropped: 0 }
    }

    /// Sets how to handle members that the schema does not know; by default they are counted. Fields of FIX are
    /// kept where there is a place for them.
    #[must_use]
    pub fn on_unknown(mut self, content: UnknownContent) -> Self {
        self.content = content;
        self
    }

    /// The number of members of the last message that the schema does not know and the message did not keep, what is
    /// inside them apart.
    pub fn unknown(&self) -> usize {
        self.dropped
    }

    /// Reads one whole message into place. After an error the message holds what came before it.
    ///
    /// # Errors
    /// Says what is wrong at which byte in which field; the message must end with `bytes`.
    pub fn decode<M: Message>(&mut self, bytes: &[u8], message: &mut M) -> Result<()> {
        let plan = &*self.plan;
        self.dropped = 0;
        if !message.message_layout().is_same(&plan.layout) {
            return Err(Error::new(ErrorKind::Schema, 0));
        }
        if bytes.len() > self.limits.message_bytes {
            let kind = ErrorKind::Limit { name: "message_bytes", limit: self.limits.message_bytes };
            return Err(Error::new(kind, bytes.len()));
        }
        message.clear();
        self.seen.clear();
        let text = text_of(bytes)?;
        let mut body = Body {
            plan,
            limits: &self.limits,
            text,
            bytes,
            at: skip_white(bytes, 0),
            scope: 0,
            field: usize::MAX,
            depth: 0,
            fields: 0,
            entries: 0,
            seen: &mut self.seen,
            content: self.content,
            dropped: &mut self.dropped,
        };
        body.message(message)?;
        body.at = skip_white(bytes, body.at);
        match bytes.len() - body.at {
            0 => Ok(()),
            bytes => Err(Error::new(ErrorKind::Trailing { bytes }, body.at)),
        }
    }
}

struct Body<'a> {
    plan: &'a Plan,
    limits: &'a Limits,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    scope: usize,
    field: usize,
    depth: usize,
    fields: usize,
    /// Entries of all lists so far.
    entries: usize,
    /// One bit for each field of every open scope, and behind them one for each of its components.
    seen: &'a mut Vec<u64>,
    content: UnknownContent,
    dropped: &'a mut usize,
}

impl<'a> Body<'a> {
    fn message<M: Message>(&mut self, message: &mut M) -> Result<()> {
        let plan = self.plan;
        if !plan.options.named {
            return self.content(message);
        }
        self.expect(b'{', "an object whose member is the message")?;
        let at = self.white();
        let expected = plan.layout.name();
        if self.bytes.get(at) != Some(&b'"') || self.key()? != expected {
            let what = format!("the message {expected}");
            return Err(Error::new(ErrorKind::Expected(what.into()), at));
        }
        self.content(message)?;
        self.expect(b'}', "the end of the object around the message")
    }

    /// What the message says, or `null`.
    fn content<M: Message>(&mut self, message: &mut M) -> Result<()> {
        match self.take_null() {
            true if self.plan.options.nillable => self.nil(message, MESSAGE),
            true => Err(self.expected(MESSAGE, self.at - 4)),
            false => self.scope(&self.plan.scopes[0], message),
        }
    }

    /// Passes over white space; where it stands then.
    fn white(&mut self) -> usize {
        self.at = skip_white(self.bytes, self.at);
        self.at
    }

    fn next_is(&mut self, byte: u8) -> bool {
        let at = self.white();
        self.bytes.get(at) == Some(&byte)
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if !self.next_is(byte) {
            return Err(self.expected(expected, self.at));
        }
        self.at += 1;
        Ok(())
    }

    #[cold]
    fn expected(&self, expected: &'static str, at: usize) -> Error {
        let kind = match self.bytes.get(at) {
            Some(_) => ErrorKind::Expected(expected.into()),
            None => ErrorKind::Truncated { expected },
        };
        self.error(kind, at)
    }

    #[cold]
    fn error(&self, kind: ErrorKind, at: usize) -> Error {
        self.plan.locate(Error::new(kind, at), self.scope, self.field)
    }

    #[cold]
    fn bad_value(&self, expected: &'static str, problem: ValueError, at: usize) -> Error {
        self.error(ErrorKind::Value { expected, problem }, at)
    }

    fn limit(&self, name: &'static str, limit: usize) -> Error {
        self.error(ErrorKind::Limit { name, limit }, self.at)
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<Cow<'a, str>> {
        let key = self.quoted("the name of a member")?;
        self.expect(b':', "the colon behind a member's name")?;
        self.white();
        Ok(key)
    }

    fn quoted(&mut self, expected: &'static str) -> Result<Cow<'a, str>> {
        let start = self.white();
        if self.bytes.get(start) != Some(&b'"') {
            return Err(self.expected(expected, start));
        }
        let (said, end) =
            string(self.text, start + 1).map_err(|BadString { at, why }| self.expected(why, at))?;
        if end - start > self.limits.value_bytes.saturating_add(2) {
            return Err(self.limit("value_bytes", self.limits.value_bytes));
        }
        self.at = end;
        Ok(said)
    }

    fn deeper(&mut self) -> Result<()> {
        if self.depth >= self.limits.depth {
            return Err(self.limit("depth", self.limits.depth));
        }
        self.depth += 1;
        Ok(())
    }

    /// Reads all that is in a scope.
    fn scope<F: Fields>(&mut self, scope: &ScopePlan, into: &mut F) -> Result<()> {
        if scope.is_item {
            self.field = 0;
            self.count_field()?;
            return into.decode_field(0, self);
        }
        let base = self.seen.len();
        self.seen.resize(base + scope.required.words() + scope.keys.len().div_ceil(64), 0);
        self.object(scope, None, base, into)?;
        if let Some(unmet) = scope.required.unmet(&self.seen[base..]) {
            return Err(self.plan.layout.scopes()[self.scope].reject(unmet, self.at));
        }
        self.seen.truncate(base);
        Ok(())
    }

    /// Reads the object of a scope, or of one of its components; `base` is where the bits of the scope begin.
    fn object<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        component: Option<u16>,
        base: usize,
        into: &mut F,
    ) -> Result<()> {
        // No field's: an error here is the component's.
        self.field = usize::MAX;
        let within = |body: &Self, error: Error| {
            body.plan.layout.scopes()[body.scope].locate_component(error, component)
        };
        self.expect(b'{', "an object").map_err(|error| within(self, error))?;
        self.deeper()?;
        if self.next_is(b'}') {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            self.field = usize::MAX;
            let start = self.white();
            let key = self.key().map_err(|error| within(self, error))?;
            let member = scope.member(component, &key);
            let is_null = self.take_null();
            match member {
                Some(Member::Field(field)) => {
                    self.see(base + field / 64, field, (scope, field), start)?;
                    if is_null {
                        self.seen[base + field / 64] &= !(1 << (field % 64));
                    } else {
                        self.field = field;
                        self.count_field()?;
                        into.decode_field(field, self)?;
                    }
                }
                Some(Member::Component(inner)) => {
                    let bit = usize::from(inner);
                    let word = base + scope.required.words() + bit / 64;
                    if self.seen[word] >> (bit % 64) & 1 != 0 {
                        let error = Error::new(ErrorKind::Duplicate, start);
                        let described = &self.plan.layout.scopes()[self.scope];
                        return Err(described.locate_component(error, Some(inner)));
                    }
                    self.seen[word] |= 1 << (bit % 64);
                    if !is_null {
                        self.object(scope, Some(inner), base, into)?;
                    }
                }
                None => {
                    let unknown = self.unknown((&key, is_null), start, into);
                    unknown.map_err(|error| within(self, error))?;
                }
            }
            self.field = usize::MAX;
            if self.next_is(b',') {
                self.at += 1;
                continue;
            }
            self.expect(b'}', "a comma or the end of an object")
                .map_err(|error| within(self, error))?;
            self.depth -= 1;
            return Ok(());
        }
    }

    fn see(
        &mut self,
        word: usize,
        bit: usize,
        (_, field): (&ScopePlan, usize),
        start: usize,
    ) -> Result<()> {
        let mask = 1_u64 << (bit % 64);
        if self.seen[word] & mask != 0 {
            return Err(self.plan.locate(
                Error::new(ErrorKind::Duplicate, start),
                self.scope,
                field,
            ));
        }
        self.seen[word] |= mask;
        Ok(())
    }

    fn count_field(&mut self) -> Result<()> {
        self.fields += 1;
        match self.fields > self.limits.fields {
            true => Err(self.limit("fields", self.limits.fields)),
            false => Ok(()),
        }
    }

    fn take_null(&mut self) -> bool {
        let is_null = self.bytes[self.at..].starts_with(b"null");
        if is_null {
            self.at += 4;
        }
        is_null
    }

    /// Makes a message or an item nil that was null, and is `expected` to be another thing if it cannot be.
    fn nil<F: Fields>(&mut self, it: &mut F, expected: &'static str) -> Result<()> {
        self.field = usize::MAX;
        match it.set_nil() {
            true => Ok(()),
            false => Err(self.expected(expected, self.at - 4)),
        }
    }

    /// A member that the schema does not know: a field of FIX is kept, if there is a place for it.
    /// One that is null was passed over already, and is unknown all the same.
    fn unknown<F: Fields>(
        &mut self,
        (key, is_null): (&str, bool),
        start: usize,
        into: &mut F,
    ) -> Result<()> {
        let is_number = !key.is_empty() && key.bytes().all(|it| it.is_ascii_digit());
        let tag = key.parse::<u32>().ok().filter(|_| is_number);
        if let (Some(tag), Some(unknown)) = (tag, into.unknown()) {
            if is_null {
                return Err(self.expected("a field of FIX, not null", self.at - 4));
            }
            let mut value = Vec::new();
            match self.bytes.get(self.at) {
                Some(b'{') => {
                    let (form, text) = self.form()?;
                    if form != BASE64 {
                        return Err(self.expected("octets in base64", start));
                    }
                    self.decode_base64(&text, &mut value)?;
                }
                _ => value.extend_from_slice(self.scalar("a field of FIX")?.0.as_bytes()),
            }
            unknown.push(tag, &value);
            return Ok(());
        }
        *self.dropped += 1;
        if self.content == UnknownContent::Reject {
            return Err(Error::new(ErrorKind::Unknown, start).within(key));
        }
        if is_null { Ok(()) } else { self.skip() }
    }

    /// The one member of an object: its name and the string that it is.
    fn form(&mut self) -> Result<(Cow<'a, str>, Cow<'a, str>)> {
        self.expect(b'{', "an object")?;
        let form = self.key()?;
        let text = self.quoted("a string")?;
        self.expect(b'}', "the end of an object of one member")?;
        Ok((form, text))
    }

    /// Passes over a value, which is looked at all the same.
    fn skip(&mut self) -> Result<()> {
        let at = self.white();
        match self.bytes.get(at) {
            Some(b'{') => {
                self.deeper()?;
                self.at += 1;
                self.skip_items(b'}', |body| body.key().map(|_| ()))?;
            }
            Some(b'[') => {
                self.deeper()?;
                self.at += 1;
                self.skip_items(b']', |_| Ok(()))?;
            }
            Some(b'"') => _ = self.quoted("a string")?,
            _ => {
                let rest = &self.bytes[at..];
                let word =
                    [&b"true"[..], b"false", b"null"].into_iter().find(|it| rest.starts_with(it));
                let end = word.map(|it| at + it.len()).or_else(|| number_end(self.bytes, at));
                self.at = end.ok_or_else(|| self.expected("a value", at))?;
            }
        }
        Ok(())
    }

    fn skip_items(
        &mut self,
        end: u8,
        mut before: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut is_first = true;
        while !(is_first && self.next_is(end)) {
            is_first = false;
            before(self)?;
            self.skip()?;
            if self.next_is(b',') {
                self.at += 1;
                continue;
            }
            if !self.next_is(end) {
                return Err(self.expected("a comma or the end", self.at));
            }
            break;
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// A string, or a number as it stands, and where it begins.
    fn scalar(&mut self, expected: &'static str) -> Result<(Cow<'a, str>, usize)> {
        let start = self.white();
        if self.bytes.get(start) == Some(&b'"') {
            return Ok((self.quoted(expected)?, start + 1));
        }
        let Some(end) = number_end(self.bytes, start) else {
            return Err(self.expected(expected, start));
        };
        self.at = end;
        Ok((Cow::Borrowed(&self.text[start..end]), start))
    }

    fn parse_scalar<T>(
        &mut self,
        expected: &'static str,
        parse: impl FnOnce(&[u8]) -> std::result::Result<T, ValueError>,
    ) -> Result<T> {
        let (text, start) = self.scalar(expected)?;
        parse(text.as_bytes()).map_err(|problem| self.bad_value(expected, problem, start))
    }

    fn parse_string<T>(
        &mut self,
        expected: &'static str,
        parse: impl FnOnce(&[u8]) -> std::result::Result<T, ValueError>,
    ) -> Result<T> {
        let start = self.white() + 1;
        let text = self.quoted(expected)?;
        parse(text.as_bytes()).map_err(|problem| self.bad_value(expected, problem, start))
    }

    fn decode_base64(&mut self, text: &str, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        let decoded = base64::decode_into(text.as_bytes(), self.limits.value_bytes, into);
        decoded.map_err(|problem| self.bad_value("base64", problem, self.at))
    }

    /// Reads each item of an array; how many there are.
    fn items(&mut self, mut item: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<usize> {
        self.expect(b'[', "an array")?;
        let mut count = 0;
        if self.next_is(b']') {
            self.at += 1;
        } else {
            loop {
                self.white();
                item(self, count)?;
                count += 1;
                if self.next_is(b',') {
                    self.at += 1;
                    continue;
                }
                self.expect(b']', "a comma or the end of an array")?;
                break;
            }
        }
        Ok(count)
    }

    /// Reads the numbers of a list.
    fn numbers<T>(
        &mut self,
        into: &mut Vec<T>,
        number: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<()> {
        into.clear();
        let most = self.limits.elements;
        let start = self.white();
        let count = self.items(|body, count| {
            if count >= most {
                return Err(body.limit("elements", most));
            }
            into.push(number(body)?);
            Ok(())
        })?;
        self.check_count(count, start)
    }

    fn check_count(&self, found: usize, start: usize) -> Result<()> {
        match self.plan.scopes[self.scope].slots[self.field].fixed {
            Some(stated) if stated != found => {
                Err(self.error(ErrorKind::Count { stated, found }, start))
            }
            _ => Ok(()),
        }
    }

    /// Goes into the scope of the field at which it stands, and comes back.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self, &ScopePlan) -> Result<T>) -> Result<T> {
        let plan = self.plan;
        let (outer, field) = (self.scope, self.field);
        self.scope = plan.scopes[outer].slots[field].inside;
        let scope = &plan.scopes[self.scope];
        let read = read(self, scope).map_err(|error| plan.locate(error, outer, field));
        (self.scope, self.field) = (outer, field);
        read
    }
}

impl FieldDecoder for Body<'_> {
    fn boolean(&mut self) -> Result<bool> {
        let at = self.white();
        let rest = &self.bytes[at..];
        let (value, length) = match rest {
            _ if rest.starts_with(b"true") => (true, 4),
            _ if rest.starts_with(b"false") => (false, 5),
            _ => return Err(self.expected("true or false", at)),
        };
        self.at += length;
        Ok(value)
    }

    fn integer<I: Integer>(&mut self) -> Result<I> {
        let (scope, field) = (self.scope, self.field);
        let plan = self.plan;
        self.parse_scalar("a whole number", |text| {
            I::parse(text).and_then(|it| plan.field(scope, field).holds.within(it))
        })
    }

    fn decimal(&mut self) -> Result<Decimal> {
        self.parse_scalar("a decimal", Decimal::parse_scientific)
    }

    fn big_integer(&mut self) -> Result<BigInteger> {
        self.parse_scalar("a whole number", BigInteger::parse)
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        self.parse_scalar("a decimal without an exponent", BigDecimal::parse)
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        self.parse_scalar("a number, or \"INF\", \"-INF\" or \"NaN\"", |text| {
            let value: F = parse_float(text)?;
            // What is infinite says so; digits that are too many for the width are not.
            let is_digits = text.last() != Some(&b'F');
            if is_digits && value.into().is_infinite() {
                return Err(ValueError::OutOfRange);
            }
            Ok(value)
        })
    }

    fn text(&mut self, into: &mut Text) -> Result<()> {
        into.assign(&self.quoted("a string")?);
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        let text = self.quoted("a string")?;
        into.clear();
        into.push_str(&text);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        let text = self.quoted("a string in base64")?;
        self.decode_base64(&text, into)
    }

    fn any(&mut self, into: &mut Any) -> Result<()> {
        let start = self.white();
        let (form, text) = self.form()?;
        *into = match &*form {
            ELEMENT => Any::Element(text.into_owned()),
            BASE64 => {
                let mut octets = Vec::new();
                self.decode_base64(&text, &mut octets)?;
                Any::Octets(octets)
            }
            _ => return Err(self.expected("a member \"element\" or \"base64\"", start)),
        };
        Ok(())
    }

    fn code(&mut self) -> Result<Code> {
        self.parse_string("a code of at most 15 characters of ASCII", Code::parse_text)
    }

    fn date(&mut self) -> Result<Date> {
        self.parse_string("a date as YYYY-MM-DD", Date::parse_xml)
    }

    fn time(&mut self) -> Result<Time> {
        self.parse_string("a time as HH:MM:SSZ", Time::parse_xml)
    }

    fn timestamp(&mut self) -> Result<Timestamp> {
        self.parse_string("a time stamp as YYYY-MM-DDTHH:MM:SSZ", Timestamp::parse_xml)
    }

    fn duration(&mut self) -> Result<Duration> {
        self.parse_string("a duration as P1DT2H3M4S", Duration::parse_xml)
    }

    fn enumeration(&mut self) -> Result<usize> {
        let start = self.white();
        let name = self.quoted("the name of a value")?;
        let field = self.plan.field(self.scope, self.field);
        let value = match field.holds {
            Holds::Enumeration(of) => self.plan.value(of, &name),
            _ => None,
        };
        value.ok_or_else(|| {
            let what = format!("a value of {}", self.plan.layout.type_name(field));
            self.error(ErrorKind::Expected(what.into()), start)
        })
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        self.numbers(into, |body| body.integer())
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        self.numbers(into, |body| body.float())
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        let start = self.white();
        self.deeper()?;
        let (outer, field) = (self.scope, self.field);
        let plan = self.plan;
        let inside = plan.scopes[outer].slots[field].inside;
        let takes_null = plan.options.nil_items || plan.field(outer, field).nil_items;
        let count = self.items(|body, index| {
            body.entries += 1;
            if body.entries > body.limits.entries {
                return Err(body.limit("entries", body.limits.entries));
            }
            body.scope = inside;
            let item = into.next_entry();
            let read = match takes_null && body.take_null() {
                true => body.nil(item, "an item, not null"),
                false => body.scope(&plan.scopes[inside], item),
            };
            (body.scope, body.field) = (outer, field);
            read.map_err(|error| plan.locate(error.in_entry(index), outer, field))
        })?;
        self.depth -= 1;
        self.check_count(count, start)
    }

    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        self.within(|body, scope| body.scope(scope, into))
    }
}
