//! How a message takes its fields from a format.

use trunkline_wire::{Code, Date, Decimal, Integer, Text, Time, Timestamp};

use crate::{Entries, Result};

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
    /// Reads a double.
    fn float(&mut self) -> Result<f64>;
    /// Reads text into place.
    fn text(&mut self, into: &mut Text) -> Result<()>;
    /// Reads text into a `String`.
    fn string(&mut self, into: &mut String) -> Result<()>;
    /// Reads bytes into place.
    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()>;
    /// Reads an enumerated code.
    fn code(&mut self) -> Result<Code>;
    /// Reads a date.
    fn date(&mut self) -> Result<Date>;
    /// Reads a time of day.
    fn time(&mut self) -> Result<Time>;
    /// Reads a date and time.
    fn timestamp(&mut self) -> Result<Timestamp>;
    /// Reads a list of whole numbers into place.
    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()>;
    /// Reads a list of doubles into place.
    fn floats(&mut self, into: &mut Vec<f64>) -> Result<()>;
    /// Reads the entries of a repeating group into place.
    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()>;
}
