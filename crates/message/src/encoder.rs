//! What a format does with the fields of a message.

use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
};

use crate::{Any, Fields, Unknown};

/// Takes the set fields of a message in ascending order and writes them in one format.
///
/// `field` is the field's position in its scope, components flattened. Fields that are not set
/// are not visited: a format that writes something for them knows from the gap. Problems are kept
/// by the encoder and told when the message ends, so that the hot path carries no results.
pub trait Encoder {
    /// Writes a boolean.
    fn boolean(&mut self, field: usize, value: bool);
    /// Writes a whole number.
    fn integer<I: Integer>(&mut self, field: usize, value: I);
    /// Writes a decimal.
    fn decimal(&mut self, field: usize, value: Decimal);
    /// Writes a whole number of any size.
    fn big_integer(&mut self, field: usize, value: &BigInteger);
    /// Writes a decimal of any size.
    fn big_decimal(&mut self, field: usize, value: &BigDecimal);
    /// Writes a single or a double.
    fn float<F: Float>(&mut self, field: usize, value: F);
    /// Writes text.
    fn string(&mut self, field: usize, value: &str);
    /// Writes text that may be held inline, which is copied without a call.
    #[inline]
    fn text(&mut self, field: usize, value: &Text) {
        self.string(field, value);
    }
    /// Writes bytes.
    fn bytes(&mut self, field: usize, value: &[u8]);
    /// Writes content of any shape. A format that knows nothing of it writes it as
    /// [data](Any::to_octets).
    fn any(&mut self, field: usize, value: &Any) {
        self.bytes(field, &value.to_octets());
    }
    /// Writes an enumerated code.
    fn code(&mut self, field: usize, value: Code);
    /// Writes a date.
    fn date(&mut self, field: usize, value: Date);
    /// Writes a time of day.
    fn time(&mut self, field: usize, value: Time);
    /// Writes a date and time.
    fn timestamp(&mut self, field: usize, value: Timestamp);
    /// Writes a span of time.
    fn duration(&mut self, field: usize, value: Duration);
    /// Writes a value of an enumeration, by its place among them.
    fn enumeration(&mut self, field: usize, value: usize);
    /// Writes a list of whole numbers.
    fn integers<I: Integer>(&mut self, field: usize, values: &[I]);
    /// Writes a list of singles or doubles.
    fn floats<F: Float>(&mut self, field: usize, values: &[F]);
    /// Writes a list of anything else: a repeating group, or texts. The fields of an entry are those of
    /// the [scope](crate::Holds::Group) that describes it.
    fn group<F: Fields>(&mut self, field: usize, entries: &[F]);
    /// Writes a struct or choice that has a [scope](crate::Holds::Struct) of its own.
    fn structure<F: Fields>(&mut self, field: usize, value: &F);
    /// Passes on the fields of this scope that the schema does not know; called last.
    fn unknown(&mut self, _fields: &Unknown) {}
}
