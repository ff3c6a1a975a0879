//! The values of SOAP elements, as XML Schema writes them.

use trunkline_message::{Any, Decoder, Entries, ErrorKind, Fields, Result};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, base64, parse_float_within,
};

use super::decoder::{Body, Value};
use super::entries::Run;
use super::opening::excerpt;
use crate::width::within;

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
}

fn whole<T>(parse: impl Fn(&[u8]) -> Parsed<T>) -> impl Fn(&[u8], usize, usize) -> Parsed<T> {
    move |source, start, end| parse(&source[start..end])
}

impl Decoder for Body<'_> {
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
        let text = self.text_value().as_bytes();
        let place = values.place(text).or_else(|| values.place(text.trim_ascii()));
        place.ok_or_else(|| {
            let (Value::Input(at, _) | Value::Scratch(at)) = self.value;
            let found = excerpt(self.text_value());
            let what = format!("{}, not {found:?}", values.shown());
            self.error(ErrorKind::Expected(what.into()), at)
        })
    }

    fn goes_on(&self) -> bool {
        self.run == Run::Again
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        let holds = self.plan.layout.scopes()[self.scope].fields[self.field].holds;
        self.numbers(into, |body| {
            within(body.integer()?, holds).map_err(|problem| {
                let (Value::Input(at, _) | Value::Scratch(at)) = body.value;
                body.error(ErrorKind::Value { expected: "a whole number", problem }, at)
            })
        })
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
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
