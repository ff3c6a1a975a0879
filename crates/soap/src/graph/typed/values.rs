//! Values: the text of a node as a kind asks for it.

use std::borrow::Cow;

use trunkline_message::{Decoder, Entries, ErrorKind, Fields, Holds, Kind, Result};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
    ValueError, base64, parse_float,
};

use super::Reader;
use crate::attributes::fits;
use crate::graph::model::{Content, NodeId};
use crate::graph::namespaces::XSD;
use crate::opening::excerpt;
use crate::values::{DATE, TIMESTAMP, is_zero, parse_decimal, with_limit};

type Parsed<T> = std::result::Result<T, ValueError>;

impl<'a> Reader<'a> {
    /// Counts a text, as often as it is looked at.
    fn count_text(&self, text: &str) -> Result<()> {
        self.bytes.set(self.bytes.get() + text.len());
        let limit = self.limits.message_bytes;
        match self.bytes.get() > limit {
            true => Err(self.error(ErrorKind::Limit { name: "message_bytes", limit })),
            false => Ok(()),
        }
    }

    /// Is it the white space of an element that has no others inside?
    pub(super) fn is_blank(&self, text: &str) -> Result<bool> {
        self.count_text(text)?;
        Ok(text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')))
    }

    pub(super) fn text_value(&self) -> Result<&'a str> {
        if let Some(text) = self.empty {
            return Ok(text);
        }
        match &self.graph.node(self.node).content {
            Content::Text(text) => self.count_text(text).map(|()| &**text),
            Content::Struct(members) if members.is_empty() => Ok(""),
            _ => Err(self.error(ErrorKind::Expected("text, not elements".into()))),
        }
    }

    /// May a value of the node's type stand in the present field, or as an item of it?
    pub(super) fn check_type(&self, node: NodeId) -> Result<()> {
        let (Some(name), Some(holds)) = (&self.graph.node(node).type_name, self.holds()) else {
            return Ok(());
        };
        let kind = match holds {
            Holds::Enumeration(_) => Some(Kind::Text),
            holds => holds.kind(),
        };
        if name.namespace() != XSD || fits(kind, name.local()) {
            return Ok(());
        }
        let what = format!("a value of another type than xsd:{}", name.local());
        Err(self.error(ErrorKind::Expected(what.into())))
    }

    fn parse<T>(&self, expected: &'static str, parse: impl Fn(&[u8]) -> Parsed<T>) -> Result<T> {
        let text = self.text_value()?;
        // As the decoder does: without the white space around only where it is not taken with it.
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        parse(text.as_bytes()).or_else(|_| parse(trimmed.as_bytes())).map_err(|problem| {
            let expected = with_limit(expected, text);
            self.error(ErrorKind::Value { expected, problem })
        })
    }

    /// The present text, with its blanks as they have to be.
    fn processed(&self) -> Result<Cow<'a, str>> {
        let text = self.text_value()?;
        let slot = self.plan.scopes.get(self.scope).and_then(|it| it.slots.get(self.field));
        Ok(slot.map_or(Cow::Borrowed(text), |it| it.white_space.apply(text)))
    }
}

impl Decoder for Reader<'_> {
    fn boolean(&mut self) -> Result<bool> {
        self.parse("true or false", |text| match text {
            b"true" | b"1" => Ok(true),
            b"false" | b"0" => Ok(false),
            b"" => Err(ValueError::Empty),
            _ => Err(ValueError::Malformed { at: 0 }),
        })
    }

    fn integer<I: Integer>(&mut self) -> Result<I> {
        self.parse("a whole number", |text| match text.strip_prefix(b"+") {
            Some(digits) if digits.first().is_some_and(u8::is_ascii_digit) => I::parse(digits),
            _ => match text.strip_prefix(b"-") {
                Some(digits) if is_zero(digits) => I::parse(digits),
                _ => I::parse(text),
            },
        })
    }

    fn decimal(&mut self) -> Result<Decimal> {
        let exponents = self.plan.options.exponents;
        self.parse("a decimal number", |text| parse_decimal(text, exponents))
    }

    fn big_integer(&mut self) -> Result<BigInteger> {
        self.parse("a whole number", BigInteger::parse_xml)
    }

    fn big_decimal(&mut self) -> Result<BigDecimal> {
        self.parse("a decimal number", BigDecimal::parse_xml)
    }

    fn float<F: Float>(&mut self) -> Result<F> {
        self.parse("a number", parse_float)
    }

    fn text(&mut self, into: &mut Text) -> Result<()> {
        into.assign(&self.processed()?);
        Ok(())
    }

    fn string(&mut self, into: &mut String) -> Result<()> {
        into.clear();
        into.push_str(&self.processed()?);
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        let text = self.text_value()?.as_bytes();
        base64::decode_into(text, self.limits.value_bytes, into)
            .map_err(|problem| self.error(ErrorKind::Value { expected: "base64", problem }))
    }

    fn code(&mut self) -> Result<Code> {
        self.parse("a code of at most 15 ASCII characters", Code::parse_text)
    }

    fn date(&mut self) -> Result<Date> {
        self.parse(DATE, Date::parse_xml)
    }

    fn time(&mut self) -> Result<Time> {
        let time = self.parse("a time as HH:MM:SS", Time::parse_xml)?;
        Ok(if self.plan.options.zone { time } else { time.in_utc() })
    }

    fn timestamp(&mut self) -> Result<Timestamp> {
        let timestamp = self.parse(TIMESTAMP, Timestamp::parse_xml)?;
        Ok(if self.plan.options.zone { timestamp } else { timestamp.in_utc() })
    }

    fn duration(&mut self) -> Result<Duration> {
        self.parse("a span of time as PnYnMnDTnHnMnS", Duration::parse_xml)
    }

    fn enumeration(&mut self) -> Result<usize> {
        let text = self.text_value()?;
        let Some(Holds::Enumeration(of)) = self.holds() else {
            return Err(self.error(ErrorKind::Schema));
        };
        let schema = self.plan.layout.schema();
        let trimmed = text.trim_matches([' ', '\t', '\r', '\n']);
        let processed = self.processed()?;
        let place = |text: &str| schema.values(of).iter().position(|it| **it == *text);
        place(trimmed).or_else(|| place(&processed)).ok_or_else(|| {
            let name = &schema.type_of(of).name;
            let what = format!("a value of {name}, which {:?} is not", excerpt(trimmed));
            self.error(ErrorKind::Expected(what.into()))
        })
    }

    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        into.clear();
        let Some(holds) = self.holds() else { return Err(self.error(ErrorKind::Schema)) };
        self.list(|reader| {
            let number = holds.within(reader.integer()?);
            let expected = "a whole number";
            into.push(
                number.map_err(|problem| reader.error(ErrorKind::Value { expected, problem }))?,
            );
            Ok(())
        })
    }

    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        into.clear();
        self.list(|reader| {
            into.push(reader.float()?);
            Ok(())
        })
    }

    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        match self.holds() {
            Some(Holds::Group(inner)) => self.entries(inner.0.into(), into),
            _ => Err(self.error(ErrorKind::Schema)),
        }
    }

    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        let (outer, field) = (self.scope, self.field);
        let Some(Holds::Struct(inner)) = self.holds() else {
            return Err(self.error(ErrorKind::Schema));
        };
        let read = self.scope(inner.0.into(), into);
        (self.scope, self.field) = (outer, field);
        read.map_err(|error| self.plan.locate(error, outer, field))
    }
}
