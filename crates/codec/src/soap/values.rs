//! The values of SOAP elements, as XML Schema writes them.

use trunkline_message::{Decoder, Entries, ErrorKind, Fields, Result};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, base64, parse_float_within,
};

use super::decoder::{Body, Value};
use super::learnt::piece;
use super::plan::{NONE, ScopePlan, Slot};
use crate::width::within;
use crate::xml::Event;

type Parsed<T> = std::result::Result<T, ValueError>;

impl Body<'_> {
    #[inline]
    pub(super) fn text_value(&self) -> &str {
        match self.value {
            Value::Input(start, end) => self.input.get(start..end).unwrap_or_default(),
            Value::Scratch(_) => self.scratch,
        }
    }

    #[inline]
    fn parse<T>(
        &mut self,
        expected: &'static str,
        parse: impl Fn(&[u8], usize, usize) -> Parsed<T>,
    ) -> Result<T> {
        let parsed = match self.value {
            Value::Input(start, end) => parse(self.input.as_bytes(), start, end),
            Value::Scratch(_) => parse(self.scratch.as_bytes(), 0, self.scratch.len()),
        };
        match parsed {
            Ok(value) => Ok(value),
            Err(problem) => self.parse_trimmed(expected, problem, parse),
        }
    }

    /// Once more without the white space around, which XML Schema allows (`whiteSpace=collapse`).
    #[cold]
    #[inline(never)]
    fn parse_trimmed<T>(
        &self,
        expected: &'static str,
        problem: ValueError,
        parse: impl Fn(&[u8], usize, usize) -> Parsed<T>,
    ) -> Result<T> {
        let text = self.text_value();
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        let parsed = match trimmed.len() == text.len() {
            true => Err(problem),
            false => parse(trimmed.as_bytes(), 0, trimmed.len()),
        };
        parsed.map_err(|problem| {
            let (Value::Input(at, _) | Value::Scratch(at)) = self.value;
            self.error(ErrorKind::Value { expected, problem }, at)
        })
    }

    #[inline(never)]
    fn any_code(&mut self) -> Result<Code> {
        self.parse("a code of at most 15 ASCII characters", whole(Code::parse))
    }

    /// Goes into the next entry of a group; false at the group's end tag, which is then read.
    #[inline]
    fn next_entry(&mut self, slot: &Slot, entry: &ScopePlan) -> Result<bool> {
        if self.as_planned && self.parser.is_in_content() {
            let (bytes, at) = (self.input.as_bytes(), self.parser.position());
            if self.attributes {
                if self.expected_entry(slot.scope.into(), at)? {
                    return Ok(true);
                }
            } else if entry.start.matches(bytes, at) {
                self.opened("");
                self.opened_item(slot.scope.into(), &entry.name);
                self.parser.push_known(at + 1, entry.name.len())?;
                self.parser.set_position(at + entry.start.len());
                return Ok(true);
            }
            if slot.end.matches(bytes, at) && self.parser.pop_known(slot.end.len() - 3) {
                self.parser.set_position(at + slot.end.len());
                return Ok(false);
            }
        }
        let index = slot.scope.into();
        if self.same_context && self.parser.is_in_content() {
            let at = self.parser.position();
            if let Some((length, name)) = self.learnt.entry(index, self.input.as_bytes(), at) {
                self.parser.push_known(at + usize::from(name.0), name.1.into())?;
                self.parser.set_position(at + length);
                return Ok(true);
            }
        }
        self.next_entry_generally(index, entry)
    }

    /// Keeps the way from `start` into the entry just begun.
    fn learn_entry(&mut self, index: usize, start: usize, (name, length): (usize, usize)) {
        if self.same_context && !self.parser.declares() && !self.parser.is_empty_element() {
            let way = &self.input.as_bytes()[start..self.parser.position()];
            self.learnt.learn_entry(index, way, piece(start, name, length));
        }
    }

    #[inline(never)]
    fn next_entry_generally(&mut self, index: usize, entry: &ScopePlan) -> Result<bool> {
        let start = self.parser.position();
        // What is counted is not learnt: it would not be counted again.
        let mut learns = self.parser.is_in_content();
        loop {
            let at = self.parser.position();
            match self.parser.next(self.input)? {
                Event::Start { name, .. } => {
                    self.check_names();
                    let named = Some(name.namespace) == self.namespace;
                    if self.plan.any_item || named && *name.local() == *entry.name {
                        self.opened(name.prefix());
                        self.opened_item(index, name.qualified());
                        let marks = self.marks()?;
                        let fits = marks.refuse_nil("an entry, not nil");
                        let fits = fits.and_then(|()| marks.refuse_others(self.plan));
                        fits.map_err(|kind| self.error(kind, self.parser.position()))?;
                        self.count_attributes_around(marks.others, entry, NONE)?;
                        if self.attributes {
                            self.hold(entry, NONE)?;
                        } else if learns && marks.others == 0 {
                            self.learn_entry(index, start, (at + 1, name.qualified().len()));
                        }
                        return Ok(true);
                    }
                    self.unknown_in_group(entry, (at, name))?;
                    self.parser.skip_element(self.input)?;
                    learns = false;
                }
                Event::End { .. } => {
                    self.check_names();
                    return Ok(false);
                }
                Event::Text { white: true, .. }
                | Event::Comment(_)
                | Event::ProcessingInstruction { .. } => {}
                Event::Text { .. } | Event::CData { .. } | Event::Eof => {
                    let what = format!("{} elements", entry.name);
                    return Err(self.error(ErrorKind::Expected(what.into()), at));
                }
            }
        }
    }

    /// Reads the `item` elements of a list, each by `item`.
    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let stated = self.stated.take();
        let mut count = 0;
        loop {
            let at = self.parser.position();
            match self.parser.next(self.input)? {
                Event::Start { .. } => {
                    count += 1;
                    if count > self.limits.elements {
                        let limit = self.limits.elements;
                        let kind = ErrorKind::Limit { name: "elements", limit };
                        return Err(self.error(kind, at));
                    }
                    self.check_item()?;
                    self.value = self.content(at)?;
                    item(self)?;
                }
                Event::End { .. } => return self.check_count(stated, count),
                Event::Text { white: true, .. }
                | Event::Comment(_)
                | Event::ProcessingInstruction { .. } => {}
                Event::Text { .. } | Event::CData { .. } | Event::Eof => {
                    return Err(self.error(ErrorKind::Expected("item elements".into()), at));
                }
            }
        }
    }
}

fn whole<T>(parse: impl Fn(&[u8]) -> Parsed<T>) -> impl Fn(&[u8], usize, usize) -> Parsed<T> {
    move |source, start, end| parse(&source[start..end])
}

impl Decoder for Body<'_> {
    fn big_integer(&mut self) -> Result<BigInteger> {
        todo!()
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        todo!()
    }

    fn duration(&mut self) -> Result<Duration> {
        todo!()
    }

    fn enumeration(&mut self) -> Result<usize> {
        todo!()
    }

    fn structure<F: Fields>(&mut self, _: &mut F) -> Result<()> {
        todo!()
    }

    #[inline]
    fn boolean(&mut self) -> Result<bool> {
        self.parse("true or false", boolean)
    }

    #[inline]
    fn integer<I: Integer>(&mut self) -> Result<I> {
        self.parse("a whole number", |source, start, end| {
            I::parse_within(source, start, end)
                .or_else(|problem| signed(source, start, end, problem))
        })
    }

    #[inline]
    fn decimal(&mut self) -> Result<Decimal> {
        let exponents = self.plan.options.exponents;
        self.parse("a decimal number", |source, start, end| {
            Decimal::parse_within(source, start, end)
                .or_else(|_| parse_decimal(&source[start..end], exponents))
        })
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        self.parse("a number", parse_float_within)
    }

    #[inline]
    fn text(&mut self, into: &mut Text) -> Result<()> {
        match self.value {
            Value::Input(start, end) => {
                // Both ends stand beside markup, so the range cuts no character.
                let taken = into.assign_from(self.input, start, end);
                debug_assert!(taken);
            }
            Value::Scratch(_) => into.assign(self.scratch),
        }
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        into.clear();
        into.push_str(self.text_value());
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        let decoded =
            base64::decode_into(self.text_value().as_bytes(), self.limits.value_bytes, into);
        decoded.map_err(|problem| {
            let (Value::Input(at, _) | Value::Scratch(at)) = self.value;
            self.error(ErrorKind::Value { expected: "base64", problem }, at)
        })
    }

    #[inline]
    fn code(&mut self) -> Result<Code> {
        // Most are one character.
        if let Value::Input(start, end) = self.value
            && let Some([byte]) = self.input.as_bytes().get(start..end)
            && let Some(code) = Code::from_byte(*byte)
        {
            return Ok(code);
        }
        self.any_code()
    }

    #[inline]
    fn date(&mut self) -> Result<Date> {
        self.parse("a date as YYYY-MM-DD", whole(Date::parse_xml))
    }

    #[inline]
    fn time(&mut self) -> Result<Time> {
        let time = self.parse("a time as HH:MM:SS", whole(Time::parse_xml))?;
        Ok(if self.plan.options.zone { time } else { time.in_utc() })
    }

    #[inline]
    fn timestamp(&mut self) -> Result<Timestamp> {
        let moment =
            self.parse("a time stamp as YYYY-MM-DDTHH:MM:SS", whole(Timestamp::parse_xml))?;
        Ok(if self.plan.options.zone { moment } else { moment.in_utc() })
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        into.clear();
        let holds = self.plan.layout.scopes()[self.scope].fields[self.field].holds;
        self.items(|body| {
            let number = within(body.integer()?, holds).map_err(|problem| {
                let (Value::Input(at, _) | Value::Scratch(at)) = body.value;
                body.error(ErrorKind::Value { expected: "a whole number", problem }, at)
            });
            into.push(number?);
            Ok(())
        })
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        into.clear();
        self.items(|body| {
            into.push(body.float()?);
            Ok(())
        })
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        let plan = self.plan;
        let (outer, field) = (self.scope, self.field);
        let slot = &plan.scopes[outer].slots[field];
        let inner = usize::from(slot.scope);
        let scope = &plan.scopes[inner];
        let stated = self.stated.take();
        into.reserve(*self.learnt.count(inner));
        let mut count = 0;
        while self.next_entry(slot, scope)? {
            self.entries += 1;
            if self.entries > self.limits.entries {
                let kind = ErrorKind::Limit { name: "entries", limit: self.limits.entries };
                return Err(self.error(kind, self.parser.position()));
            }
            self.scope = inner;
            let read = self.scope(scope, into.next_entry());
            read.map_err(|error| plan.locate(error.in_entry(count), outer, field))?;
            (self.scope, self.field) = (outer, field);
            count += 1;
        }
        *self.learnt.count(inner) = count;
        self.check_count(stated, count)
    }
}

/// An `xsd:decimal`, or an `xsd:double` where those may have exponents.
#[cold]
pub(super) fn parse_decimal(text: &[u8], exponents: bool) -> Parsed<Decimal> {
    if exponents { Decimal::parse_scientific(text) } else { Decimal::parse_xml(text) }
}

/// Chooses by the length, not by what is there: which word comes, no processor can guess.
#[inline]
fn boolean(source: &[u8], start: usize, end: usize) -> Parsed<bool> {
    const WORDS: [(u64, u64); 2] = [
        (u64::from_le_bytes(*b"true\0\0\0\0"), 0xffff_ffff),
        (u64::from_le_bytes(*b"false\0\0\0"), 0xff_ffff_ffff),
    ];
    if let Some(window) = source.get(start..).and_then(<[u8]>::first_chunk::<8>)
        && let length = end.wrapping_sub(start).wrapping_sub(4)
        && let Some((word, kept)) = WORDS.get(length)
        && u64::from_le_bytes(*window) & kept == *word
    {
        return Ok(length == 0);
    }
    plain_boolean(&source[start..end])
}

#[inline(never)]
fn plain_boolean(text: &[u8]) -> Parsed<bool> {
    match text {
        b"true" | b"1" => Ok(true),
        b"false" | b"0" => Ok(false),
        b"" => Err(ValueError::Empty),
        _ => Err(ValueError::Malformed { at: 0 }),
    }
}

/// XML Schema allows a plus sign.
#[cold]
fn signed<I: Integer>(source: &[u8], start: usize, end: usize, problem: ValueError) -> Parsed<I> {
    match source[start..end].strip_prefix(b"+") {
        Some(rest) if rest.first().is_some_and(u8::is_ascii_digit) => I::parse(rest),
        _ => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_are_read_as_the_plain_twin_reads_them() {
        let texts =
            ["true", "false", "1", "0", "", "tru", "truE", "fals", "falsE", "trues", "Xrue"];
        for text in texts {
            for behind in ["", "<", "</isAvailable>", "trueee"] {
                let source = format!("<a>{text}{behind}");
                let read = boolean(source.as_bytes(), 3, 3 + text.len());
                assert_eq!(read, plain_boolean(text.as_bytes()), "{source}");
            }
        }
    }
}
