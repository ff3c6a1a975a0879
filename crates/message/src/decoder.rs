//! How a message takes its fields from a format.

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
};

use crate::{Any, Entries, Error, Fields, Result};

/// Gives the value of the field at which a format's decoder stands.
///
/// The decoder drives: it finds the next field, asks the message to
/// [`decode_field`](crate::Fields::decode_field), and the message asks back for the value in the
/// kind that it holds. Values go from the wire into place; nothing is kept in between.
pub trait Decoder {
    /// Reads a boolean.
    fn boolean(&mut self) -> Result<bool>;
    /// Reads a whole number.
    fn integer<I: Integer>(&mut self) -> Result<I>;
    /// Reads a decimal.
    fn decimal(&mut self) -> Result<Decimal>;
    /// Reads a whole number of any size.
    fn big_integer(&mut self) -> Result<BigInteger>;
    /// Reads a decimal of any size.
    fn big_decimal(&mut self) -> Result<BigDecimal>;
    /// Reads a single or a double.
    fn float<F: Float>(&mut self) -> Result<F>;
    /// Reads text into place.
    fn text(&mut self, into: &mut Text) -> Result<()>;
    /// Reads text into a `String`.
    fn string(&mut self, into: &mut String) -> Result<()>;
    /// Reads bytes into place.
    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()>;
    /// Reads content of any shape into place. A format that knows nothing of it has it as
    /// [data](Any::to_octets).
    fn any(&mut self, into: &mut Any) -> Result<()> {
        let mut octets = Vec::new();
        self.bytes(&mut octets)?;
        *into = Any::from_octets(&octets).ok_or_else(|| Error::new(Any::expected(), 0))?;
        Ok(())
    }
    /// Reads an enumerated code.
    fn code(&mut self) -> Result<Code>;
    /// Reads a date.
    fn date(&mut self) -> Result<Date>;
    /// Reads a time of day.
    fn time(&mut self) -> Result<Time>;
    /// Reads a date and time.
    fn timestamp(&mut self) -> Result<Timestamp>;
    /// Reads a span of time.
    fn duration(&mut self) -> Result<Duration>;
    /// Reads a value of an enumeration: its place among them, which is less than their count.
    fn enumeration(&mut self) -> Result<usize>;
    /// Reads a list of whole numbers into place.
    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()>;
    /// Reads a list of singles or doubles into place.
    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()>;
    /// Does the list that is asked for next go on with what was read before it? Then it is not cleared
    /// but longer afterwards.
    fn goes_on(&self) -> bool {
        false
    }
    /// Reads the entries of any other list into place. Where they stand apart it is asked for again;
    /// what was there is cleared by the first call for a message.
    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()>;
    /// Reads a struct or choice that has a [scope](crate::Holds::Struct) of its own into place. Where
    /// its fields stand apart it is asked for again, so it does not clear what is there: who holds it
    /// does, before a message is read.
    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()>;
}
