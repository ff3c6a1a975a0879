//! The values of SOAP elements, as XML Schema writes them.

use std::borrow::Cow;

use trunkline_codec::infoset::Parsed;
use trunkline_message::{Any, Decoder, Entries, Error, ErrorKind, Fields, Result};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, base64, parse_float_within,
};

use crate::decoder::Body;
use crate::entries::Run;
use crate::form::{Form, Value};
use crate::opening::excerpt;
use crate::white_space::WhiteSpace;

impl<R: Form> Body<'_, R> {
    #[inline]
    pub(super) fn text_value(&self) -> Cow<'_, str> {
        match self.value {
            Value::Input(start, end) => {
                Cow::Borrowed(self.input.get(start..end).unwrap_or_default())
            }
            Value::Scratch(_) => Cow::Borrowed(self.scratch),
            Value::Held(held, _) => self.reader.value(R::text_of(held)),
        }
    }

    /// Where the present value stands.
    fn value_at(&self) -> usize {
        let (Value::Input(at, _) | Value::Scratch(at) | Value::Held(_, at)) = self.value;
        at
    }

    /// The present value as the reader has it, if it does.
    #[inline(always)]
    fn typed<T>(&self, read: impl FnOnce(&R, R::Text) -> Option<T>) -> Option<T> {
        match self.value {
            Value::Held(held, _) => read(&self.reader, R::text_of(held)),
            Value::Input(..) | Value::Scratch(_) => None,
        }
    }

    #[cold]
    fn unfit(&self, expected: &'static str, problem: ValueError) -> Error {
        let expected = with_limit(expected, &self.text_value());
        self.error(ErrorKind::Value { expected, problem }, self.value_at())
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
            Value::Held(held, _) => match self.reader.source(R::text_of(held)) {
                Some((source, start, end)) => parse(source, start, end),
                None => {
                    let text = self.reader.value(R::text_of(held));
                    parse(text.as_bytes(), 0, text.len())
                }
            },
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
        parsed.map_err(|problem| self.unfit(expected, problem))
    }

    /// The present value if the reader has it as a number, which may not fit; parsed by `parse` if not.
    #[inline(always)]
    fn number<T>(
        &mut self,
        expected: &'static str,
        typed: impl FnOnce(&R, R::Text) -> Option<Parsed<T>>,
        parse: impl Fn(&[u8], usize, usize) -> Parsed<T>,
    ) -> Result<T> {
        match self.typed(typed) {
            Some(value) => value.map_err(|problem| self.unfit(expected, problem)),
            None => self.parse(expected, parse),
        }
    }

    /// Reads the list that the present value is, if the reader has it as numbers.
    #[inline(always)]
    fn held_numbers<T>(
        &mut self,
        into: &mut Vec<T>,
        read: impl FnOnce(&R, R::Text, &mut Vec<T>) -> Option<Parsed<()>>,
    ) -> Option<Result<()>> {
        if R::IS_TEXT || !self.is_spaced() {
            return None;
        }
        into.clear();
        let read = self.typed(|reader, text| read(reader, text, into))?;
        let read = read.map_err(|problem| self.unfit("numbers", problem));
        Some(read.and_then(|()| self.check_held(into.len(), self.value_at())))
    }

    #[inline(always)]
    fn check_length(&self, length: usize, at: usize) -> Result<()> {
        let limit = self.limits.value_bytes;
        match !R::IS_TEXT && length > limit {
            true => Err(self.error(ErrorKind::Limit { name: "value_bytes", limit }, at)),
            false => Ok(()),
        }
    }

    /// Takes the octets that the present value stands for, if they are attached.
    #[cold]
    fn take_attached(&mut self, into: &mut Vec<u8>) -> bool {
        let Value::Input(start, end) = self.value else { return false };
        self.attached.take(self.input, start..end, self.limits.value_bytes, into)
    }

    /// What becomes of blanks in the present text, if they do not stay.
    #[inline]
    fn white_space(&self) -> Option<WhiteSpace> {
        if !self.plan.has_white_space {
            return None;
        }
        let white_space = self.plan.scopes[self.scope].slots[self.field].white_space;
        (white_space != WhiteSpace::Preserve).then_some(white_space)
    }

    /// Reads a text in which blanks do not all stay.
    #[inline(never)]
    fn text_without(&mut self, white_space: WhiteSpace, into: &mut Text) -> Result<()> {
        let text = self.text_value();
        self.check_length(text.len(), self.value_at())?;
        into.assign(&white_space.apply(&text));
        Ok(())
    }

    #[inline(never)]
    fn any_code(&mut self) -> Result<Code> {
        self.parse("a code of at most 15 ASCII characters", whole(Code::parse_text))
    }
}

fn whole<T>(parse: impl Fn(&[u8]) -> Parsed<T>) -> impl Fn(&[u8], usize, usize) -> Parsed<T> {
    move |source, start, end| parse(&source[start..end])
}

impl<R: Form> Decoder for Body<'_, R> {
    #[inline]
    fn boolean(&mut self) -> Result<bool> {
        if let Some(value) = self.typed(R::boolean) {
            return Ok(value);
        }
        self.parse("true or false", boolean)
    }

    #[inline]
    fn integer<I: Integer>(&mut self) -> Result<I> {
        self.number("a whole number", R::integer, |source, start, end| {
            I::parse_within(source, start, end)
                .or_else(|problem| signed(source, start, end, problem))
        })
    }

    #[inline]
    fn decimal(&mut self) -> Result<Decimal> {
        let exponents = self.plan.options.exponents;
        self.number("a decimal number", R::decimal, |source, start, end| {
            Decimal::parse_within(source, start, end)
                .or_else(|_| parse_decimal(&source[start..end], exponents))
        })
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        self.number("a number", |reader, text| reader.float(text).map(Ok), parse_float_within)
    }

    #[inline]
    fn text(&mut self, into: &mut Text) -> Result<()> {
        if let Some(white_space) = self.white_space() {
            return self.text_without(white_space, into);
        }
        match self.value {
            Value::Input(start, end) => {
                // Both ends stand beside markup, so the range cuts no character.
                let taken = into.assign_from(self.input, start, end);
                debug_assert!(taken);
            }
            Value::Scratch(_) => into.assign(self.scratch),
            Value::Held(held, at) => {
                if let Some((source, start, end)) = self.reader.source(R::text_of(held)) {
                    self.check_length(end - start, at)?;
                    // They were found to be UTF-8.
                    let taken = into.assign_utf8(source, start, end);
                    debug_assert!(taken.is_ok());
                    return Ok(());
                }
                let text = self.reader.value(R::text_of(held));
                self.check_length(text.len(), at)?;
                into.assign(&text);
            }
        }
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        into.clear();
        let text = self.text_value();
        self.check_length(text.len(), self.value_at())?;
        into.push_str(&self.white_space().unwrap_or_default().apply(&text));
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        if self.typed(|reader, text| reader.bytes(text, into).then_some(())).is_some() {
            return self.check_length(into.len(), self.value_at());
        }
        let text = self.text_value();
        let decoded = base64::decode_into(text.as_bytes(), self.limits.value_bytes, into);
        match decoded {
            Err(problem) if !self.take_attached(into) => Err(self.unfit("base64", problem)),
            _ => Ok(()),
        }
    }

    fn any(&mut self, into: &mut Any) -> Result<()> {
        self.any_element(into)
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
        if let Value::Held(held, _) = self.value
            && let Some((source, start, end)) = self.reader.source(R::text_of(held))
            && let Some([byte]) = source.get(start..end)
            && let Some(code) = Code::from_byte(*byte)
        {
            return Ok(code);
        }
        self.any_code()
    }

    #[inline]
    fn date(&mut self) -> Result<Date> {
        let typed = |reader: &R, text| reader.date(text).map(Ok);
        self.number(DATE, typed, whole(Date::parse_xml))
    }

    #[inline]
    fn time(&mut self) -> Result<Time> {
        let typed = |reader: &R, text| reader.time(text).map(Ok);
        let time = self.number("a time as HH:MM:SS", typed, whole(Time::parse_xml))?;
        Ok(if self.plan.options.zone { time } else { time.in_utc() })
    }

    #[inline]
    fn timestamp(&mut self) -> Result<Timestamp> {
        let typed = |reader: &R, text| reader.timestamp(text).map(Ok);
        let timestamp = self.number(TIMESTAMP, typed, whole(Timestamp::parse_xml))?;
        Ok(if self.plan.options.zone { timestamp } else { timestamp.in_utc() })
    }

    fn big_integer(&mut self) -> Result<BigInteger> {
        self.parse("a whole number", whole(BigInteger::parse_xml))
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        self.parse("a decimal number", whole(BigDecimal::parse_xml))
    }

    fn duration(&mut self) -> Result<Duration> {
        self.parse("a duration as P1DT2H3M4.5S", whole(Duration::parse_xml))
    }

    fn enumeration(&mut self) -> Result<usize> {
        let plan = self.plan;
        let slot = &plan.scopes[self.scope].slots[self.field];
        let values = &plan.enumerations[usize::from(slot.scope)];
        let text = self.text_value();
        let bytes = text.as_bytes();
        let place = values.place(bytes).or_else(|| values.place(bytes.trim_ascii()));
        let collapsed = || values.place(slot.white_space.apply(&text).as_bytes());
        place.or_else(collapsed).ok_or_else(|| {
            let what = format!("{}, not {:?}", values.shown(), excerpt(&text));
            self.error(ErrorKind::Expected(what.into()), self.value_at())
        })
    }

    fn goes_on(&self) -> bool {
        self.run == Run::Again
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        let holds = self.plan.layout.scopes()[self.scope].fields[self.field].holds;
        let held = |reader: &R, text, into: &mut Vec<I>| {
            let read = reader.integers(text, into)?;
            let fit = |()| into.iter().try_for_each(|it| holds.within(*it).map(|_| ()));
            Some(read.and_then(fit))
        };
        if let Some(read) = self.held_numbers(into, held) {
            return read;
        }
        self.numbers(into, |body| {
            holds.within(body.integer()?).map_err(|problem| body.unfit("a whole number", problem))
        })
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        let held =
            |reader: &R, text, into: &mut Vec<F>| reader.floats(text, into).then_some(Ok(()));
        if let Some(read) = self.held_numbers(into, held) {
            return read;
        }
        self.numbers(into, Self::float)
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        self.entries_inside(into)
    }

    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        self.structure_inside(into)
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

/// XML Schema allows a plus sign, and a minus sign before zero of types that have no other number below.
#[cold]
fn signed<I: Integer>(source: &[u8], start: usize, end: usize, problem: ValueError) -> Parsed<I> {
    match &source[start..end] {
        [b'+', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => I::parse(rest),
        [b'-', rest @ ..] if is_zero(rest) => I::parse(rest),
        _ => Err(problem),
    }
}

/// Is it zero, without a sign?
pub(super) fn is_zero(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|it| *it == b'0')
}

/// What was expected, where it is a date or time stamp of a year that only XML Schema has: with a sign, or of more than four digits.
pub(super) fn with_limit(expected: &'static str, text: &str) -> &'static str {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let is_year = digits >= 4 && unsigned[digits..].starts_with('-');
    match expected {
        _ if !is_year || digits == 4 && unsigned.len() == text.len() => expected,
        DATE => "a date as YYYY-MM-DD, of the years 0 to 9999 alone",
        TIMESTAMP => "a time stamp as YYYY-MM-DDTHH:MM:SS, of the years 0 to 9999 alone",
        _ => expected,
    }
}

pub(super) const DATE: &str = "a date as YYYY-MM-DD";
pub(super) const TIMESTAMP: &str = "a time stamp as YYYY-MM-DDTHH:MM:SS";

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
