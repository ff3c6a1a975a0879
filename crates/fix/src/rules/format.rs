//! What a value may look like, by the type of its field.

use trunkline_import::fix::Datatype;
use trunkline_message::{IntegerKind, Kind};
use trunkline_wire::Date;

use crate::time::Utc;

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Any,
    /// Digits, with `-` before them or not.
    Integer,
    /// Digits.
    Natural,
    /// As an integer, and with a point among or behind the digits.
    Decimal,
    /// `Y` or `N`.
    Boolean,
    /// One character.
    Character,
    Timestamp,
    Time,
    Date,
}

impl Format {
    pub(super) fn of(datatype: Datatype) -> Self {
        match datatype {
            Datatype::Value(kind) => match kind {
                Kind::Integer(IntegerKind::I64) => Self::Integer,
                Kind::Integer(_) => Self::Natural,
                Kind::Decimal => Self::Decimal,
                Kind::Boolean => Self::Boolean,
                Kind::Code => Self::Character,
                Kind::Timestamp => Self::Timestamp,
                Kind::Time => Self::Time,
                Kind::Date => Self::Date,
                _ => Self::Any,
            },
            Datatype::Length | Datatype::NumberInGroup => Self::Natural,
            Datatype::Values | Datatype::Data => Self::Any,
        }
    }

    /// Does a value have it?
    pub(super) fn has(self, value: &[u8]) -> bool {
        let digits = |it: &[u8]| !it.is_empty() && it.iter().all(u8::is_ascii_digit);
        let behind_sign = value.strip_prefix(b"-").unwrap_or(value);
        match self {
            Self::Any => true,
            Self::Integer => digits(behind_sign),
            Self::Natural => digits(value),
            Self::Decimal => {
                let mut halves = behind_sign.splitn(2, |it| *it == b'.');
                let (whole, fraction) = (halves.next().unwrap_or_default(), halves.next());
                let fraction = fraction.unwrap_or_default();
                let is_number = |it: &[u8]| it.iter().all(u8::is_ascii_digit);
                is_number(whole)
                    && is_number(fraction)
                    && !(whole.is_empty() && fraction.is_empty())
            }
            Self::Boolean => matches!(value, [b'Y' | b'N']),
            Self::Character => value.len() == 1,
            Self::Timestamp => Utc::parse(value).is_some(),
            // A time alone has the form of one of a day.
            Self::Time => Utc::parse(&[b"20000101-", value].concat()).is_some(),
            Self::Date => date(value),
        }
    }
}

fn date(value: &[u8]) -> bool {
    value.len() == 8 && Date::parse_fix(value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_form_of_their_type() {
        for (format, good, bad) in [
            (Format::Integer, &["0", "-1", "007"][..], &["", "+1", "1.0", "-", "x"][..]),
            (Format::Natural, &["0", "12"], &["-1", "1.0", ""]),
            (
                Format::Decimal,
                &["1", "-1.5", ".5", "5.", "002000.00"],
                &["+200.00", "1e5", ".", "-", "1.2.3", "x"],
            ),
            (Format::Boolean, &["Y", "N"], &["y", "YN", "1"]),
            (Format::Character, &["a", "1"], &["ab", ""]),
            (
                Format::Timestamp,
                &["20261126-09:30:00", "20261126-09:30:00.123456"],
                &["20261126", "09:30:00"],
            ),
            (Format::Time, &["09:30:00", "09:30:00.123"], &["9:30", "25:00:00"]),
            (Format::Date, &["20261126"], &["2026112", "20261326", "20261126-00:00:00"]),
        ] {
            for (values, has) in [(good, true), (bad, false)] {
                for value in values {
                    assert_eq!(format.has(value.as_bytes()), has, "{format:?} {value:?}");
                }
            }
        }
    }
}
