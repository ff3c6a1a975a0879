//! Whole numbers and decimals of any size: XML Schema `xsd:integer` and `xsd:decimal` (Part 2,
//! 3.3.13 and 3.2.3), kept as their digits. Nobody calculates with them here.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::decimal::{Decimal, find_point};
use crate::int::Integer;
use crate::text::{INLINE, Text};
use crate::value::{ValueError, after_plus};

/// Digits of the longest numbers: far more than keys and serial numbers have, yet bounded.
const MOST_DIGITS: usize = 4096;

/// A whole number of at most 4096 digits.
///
/// Its text is canonical: no `+`, no leading zeros, and zero has no sign. Numbers of up to
/// [`INLINE`](crate::INLINE) characters are held inline.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BigInteger(Text);

/// A decimal number of at most 4096 digits, before and behind the point together.
///
/// Its text is canonical, in the way of XML Schema 1.1: no `+`, a digit before the point, and no
/// zeros or point at either end that change nothing; 6.350 is written as 6.35. Numbers of up to
/// [`INLINE`](crate::INLINE) characters are held inline.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BigDecimal(Text);

impl BigInteger {
    /// Digits of the longest number.
    pub const MOST_DIGITS: usize = MOST_DIGITS;

    /// Reads the whole of `bytes` as digits, with a `-` before them or not.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooManyDigits`] if more than 4096 are left without leading zeros.
    pub fn parse(bytes: &[u8]) -> Result<Self, ValueError> {
        canonical(bytes, false).map(Self)
    }

    /// Reads the whole of `bytes` as an `xsd:integer`: as [`BigInteger::parse`] does, and besides
    /// with a leading `+`.
    ///
    /// # Errors
    /// As [`BigInteger::parse`].
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        after_plus(bytes, Self::parse)
    }

    /// The number as an integer of the machine; `None` if it does not fit.
    pub fn to_integer<I: Integer>(&self) -> Option<I> {
        I::parse(self.0.as_bytes()).ok()
    }
}

impl BigDecimal {
    /// Digits of the longest number, before and behind the point together.
    pub const MOST_DIGITS: usize = MOST_DIGITS;

    /// Reads the whole of `bytes` as a decimal: `6.35`, `-0.5`, and also `.5` and `5.`; neither `+`
    /// nor an exponent.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooManyDigits`] if more than 4096 are left without zeros at either end.
    pub fn parse(bytes: &[u8]) -> Result<Self, ValueError> {
        canonical(bytes, true).map(Self)
    }

    /// Reads the whole of `bytes` as an `xsd:decimal`: as [`BigDecimal::parse`] does, and besides
    /// with a leading `+`.
    ///
    /// # Errors
    /// As [`BigDecimal::parse`].
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        after_plus(bytes, Self::parse)
    }

    /// The same number as a [`Decimal`]; `None` if it does not fit.
    pub fn to_decimal(&self) -> Option<Decimal> {
        Decimal::parse(self.0.as_bytes()).ok()
    }
}

/// What both types have in common.
macro_rules! big {
    ($($type:ident)*) => { $(
        impl $type {
            /// The canonical text.
            #[inline]
            pub fn as_text(&self) -> &Text {
                &self.0
            }

            /// The canonical text.
            #[inline]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        /// Zero.
        impl Default for $type {
            fn default() -> Self {
                Self(Text::from("0"))
            }
        }

        impl Ord for $type {
            fn cmp(&self, other: &Self) -> Ordering {
                compare(&self.0, &other.0)
            }
        }

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<I: Integer> From<I> for $type {
            fn from(value: I) -> Self {
                let mut out = [0; 40];
                let length = value.write(&mut out);
                Self(Text::from(str::from_utf8(&out[..length]).unwrap_or_default()))
            }
        }

        impl FromStr for $type {
            type Err = ValueError;

            fn from_str(text: &str) -> Result<Self, ValueError> {
                Self::parse(text.as_bytes())
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )* };
}

big!(BigInteger BigDecimal);

impl From<BigInteger> for BigDecimal {
    fn from(value: BigInteger) -> Self {
        Self(value.0)
    }
}

impl From<Decimal> for BigDecimal {
    fn from(value: Decimal) -> Self {
        let mut out = [0; 40];
        let length = value.write(&mut out);
        // What a decimal writes is a decimal, and has few digits.
        Self(canonical(&out[..length], true).unwrap_or_default())
    }
}

/// The canonical text of digits, with at most one point if there may be a fraction.
fn canonical(bytes: &[u8], fraction: bool) -> Result<Text, ValueError> {
    find_point(bytes, fraction)?;
    // Signs, digits and points alone are ASCII.
    let text = str::from_utf8(bytes).unwrap_or_default();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (units, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let (units, fraction) = (units.trim_start_matches('0'), fraction.trim_end_matches('0'));
    if units.len() + fraction.len() > MOST_DIGITS {
        return Err(ValueError::TooManyDigits { most: MOST_DIGITS });
    }
    let is_zero = units.is_empty() && fraction.is_empty();
    Ok(joined([
        if is_zero { "" } else { &text[..text.len() - unsigned.len()] },
        if units.is_empty() { "0" } else { units },
        if fraction.is_empty() { "" } else { "." },
        fraction,
    ]))
}

/// The pieces as one text; what can be inline never needs the heap.
fn joined(pieces: [&str; 4]) -> Text {
    let (mut block, mut length) = ([0; INLINE], 0);
    for piece in pieces {
        let Some(room) = block.get_mut(length..length + piece.len()) else {
            return Text::from(pieces.concat());
        };
        room.copy_from_slice(piece.as_bytes());
        length += piece.len();
    }
    Text::from(str::from_utf8(&block[..length]).unwrap_or_default())
}

/// The order of the numbers that two canonical texts stand for.
fn compare(a: &str, b: &str) -> Ordering {
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (None, None) => compare_unsigned(a, b),
        (Some(a), Some(b)) => compare_unsigned(b, a),
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    }
}

/// The number with more digits before the point is larger; of as many, the text decides.
fn compare_unsigned(a: &str, b: &str) -> Ordering {
    let units = |text: &str| text.find('.').unwrap_or(text.len());
    units(a).cmp(&units(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests;
