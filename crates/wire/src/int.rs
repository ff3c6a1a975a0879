//! Integers as decimal text: FIX `int` and `SeqNum`, XML Schema `xsd:int` and its relatives.

use crate::digits::{self, POWERS};
use crate::value::{ValueError, Window, put};

mod sealed {
    pub trait Sealed {}
}

/// An integer of the machine: `i8` to `i64`, `u8` to `u64`.
///
/// The text is an optional `-` for signed types, then digits; leading zeros are accepted, a `+`
/// is not.
pub trait Integer: sealed::Sealed + Copy + Ord + Default + 'static {
    /// Width of the type.
    const BITS: u32;
    /// Whether the type has negative values.
    const SIGNED: bool;
    /// Smallest value.
    const MIN: Self;
    /// Largest value.
    const MAX: Self;

    /// The value of sign and magnitude; `None` if it does not fit.
    fn from_magnitude(negative: bool, magnitude: u64) -> Option<Self>;

    /// Whether the value is below zero, and its distance from zero.
    fn magnitude(self) -> (bool, u64);

    /// The value in the widest type.
    fn to_i128(self) -> i128;

    /// The value in 64 bits, extended by its sign where it has one (two's complement).
    fn to_u64(self) -> u64;

    /// [`to_u64`](Self::to_u64) seen as a signed number: the value, where it is below 2^63.
    #[inline]
    fn to_i64(self) -> i64 {
        self.to_u64().cast_signed()
    }

    /// The value of the widest type; `None` if it does not fit.
    fn from_i128(value: i128) -> Option<Self>;

    /// The value of an `i64`; `None` if it does not fit.
    #[inline]
    fn from_i64(value: i64) -> Option<Self> {
        Self::from_magnitude(value < 0, value.unsigned_abs())
    }

    /// The value of a `u64`; `None` if it does not fit.
    #[inline]
    fn from_u64(value: u64) -> Option<Self> {
        Self::from_magnitude(false, value)
    }

    /// Reads the whole of `bytes` as an integer.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that is no digit, [`ValueError::OutOfRange`] if
    /// the number does not fit the type.
    #[inline]
    fn parse(bytes: &[u8]) -> Result<Self, ValueError> {
        let negative = Self::SIGNED && bytes.first() == Some(&b'-');
        let unsigned = &bytes[usize::from(negative)..];
        let magnitude = if unsigned.len() <= 8 {
            digits::number(digits::digits(unsigned))
        } else {
            parse_long(unsigned)
        };
        match magnitude {
            Some(magnitude) => {
                Self::from_magnitude(negative, magnitude).ok_or(ValueError::OutOfRange)
            }
            None => parse_plain(bytes, negative),
        }
    }

    /// Reads `source[start..end]` as an integer, like [`Integer::parse`]; faster, because the
    /// digits can be loaded together with what stands before them.
    ///
    /// # Errors
    /// As [`Integer::parse`], with positions counted from `start`; [`ValueError::Empty`] if the
    /// range is not within `source`.
    #[inline]
    fn parse_within(source: &[u8], start: usize, end: usize) -> Result<Self, ValueError> {
        let length = end.wrapping_sub(start);
        if length.wrapping_sub(1) < 8
            && let Some(digits) = digits::digits_before(source, end, length)
            && let Some(magnitude) = digits::number(digits)
        {
            return Self::from_magnitude(false, magnitude).ok_or(ValueError::OutOfRange);
        }
        parse_apart(source, start, end)
    }

    /// Writes the value to the front of `out` and returns the length of its text, at most 20.
    #[inline]
    fn write(self, out: &mut Window) -> usize {
        let (negative, magnitude) = self.magnitude();
        out[0] = b'-';
        write_digits(magnitude, out, usize::from(negative))
    }
}

macro_rules! integer {
    ($signed:literal: $($type:ty)*) => { $(
        impl sealed::Sealed for $type {}

        impl Integer for $type {
            const BITS: u32 = <$type>::BITS;
            const SIGNED: bool = $signed;
            const MIN: Self = <$type>::MIN;
            const MAX: Self = <$type>::MAX;

            #[inline]
            fn from_magnitude(negative: bool, magnitude: u64) -> Option<Self> {
                let limit = if $signed {
                    <$type>::MAX as u64 + u64::from(negative)
                } else if negative {
                    0
                } else {
                    <$type>::MAX as u64
                };
                let value = magnitude as $type;
                (magnitude <= limit).then(|| if negative { value.wrapping_neg() } else { value })
            }

            #[inline]
            #[allow(unused_comparisons, reason = "unsigned types share the code")]
            fn magnitude(self) -> (bool, u64) {
                let negative = self < 0;
                let wide = self as u64;
                (negative, if negative { wide.wrapping_neg() } else { wide })
            }

            #[inline]
            fn to_i128(self) -> i128 {
                i128::from(self)
            }

            #[inline]
            fn to_u64(self) -> u64 {
                self as u64
            }

            #[inline]
            fn from_i128(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
        }
    )* };
}

integer!(true: i8 i16 i32 i64);
integer!(false: u8 u16 u32 u64);

/// The number of 9 to 16 digits.
#[inline(never)]
fn parse_long(bytes: &[u8]) -> Option<u64> {
    long_magnitude(bytes)
}

#[inline(always)]
fn long_magnitude(bytes: &[u8]) -> Option<u64> {
    let (high, low) = bytes.split_last_chunk::<8>()?;
    if high.len() > 8 {
        return None;
    }
    let low = digits::number(digits::digits(low))?;
    Some(digits::number(digits::digits(high))? * POWERS[8] + low)
}

/// What [`Integer::parse_within`] does not read at once: negative and long numbers, and the first
/// in a source.
#[inline(never)]
fn parse_apart<T: Integer>(source: &[u8], start: usize, end: usize) -> Result<T, ValueError> {
    let bytes = source.get(start..end).unwrap_or_default();
    let negative = T::SIGNED && bytes.first() == Some(&b'-');
    let length = bytes.len().wrapping_sub(usize::from(negative));
    if length.wrapping_sub(1) < 8
        && let Some(digits) = digits::digits_before(source, end, length)
        && let Some(magnitude) = digits::number(digits)
    {
        return T::from_magnitude(negative, magnitude).ok_or(ValueError::OutOfRange);
    }
    match long_magnitude(&bytes[usize::from(negative)..]) {
        Some(magnitude) => T::from_magnitude(negative, magnitude).ok_or(ValueError::OutOfRange),
        None => parse_plain(bytes, negative),
    }
}

/// Reads digit by digit, any number of them, and finds out what is wrong.
#[cold]
fn parse_plain<T: Integer>(bytes: &[u8], negative: bool) -> Result<T, ValueError> {
    if bytes.is_empty() {
        return Err(ValueError::Empty);
    }
    let magnitude = plain_magnitude(&bytes[usize::from(negative)..])
        .map_err(|error| error.after(usize::from(negative)))?;
    T::from_magnitude(negative, magnitude).ok_or(ValueError::OutOfRange)
}

/// The number that any count of digits spells.
pub(crate) fn plain_magnitude(bytes: &[u8]) -> Result<u64, ValueError> {
    if let Some(at) = bytes.iter().position(|byte| !byte.is_ascii_digit()) {
        return Err(ValueError::Malformed { at });
    }
    if bytes.is_empty() {
        return Err(ValueError::Empty);
    }
    bytes
        .iter()
        .try_fold(0u64, |number, byte| number.checked_mul(10)?.checked_add(u64::from(byte - b'0')))
        .ok_or(ValueError::OutOfRange)
}

/// Writes a number from `at` (0 or 1) on; returns where it ends.
#[inline]
fn write_digits(number: u64, out: &mut Window, at: usize) -> usize {
    if number < POWERS[8] {
        write_eight(number as u32, out, at)
    } else {
        write_long(number, out, at)
    }
}

/// Writes a number below 10^8 without leading zeros, from `at` on; returns where it ends.
#[inline]
fn write_eight(number: u32, out: &mut Window, at: usize) -> usize {
    let digits = digits::split(number);
    // The highest bit stands for the last digit, which is written even when it is zero.
    let leading = (digits | 1 << 63).trailing_zeros() & !7;
    put(out, at, digits::text(digits) >> leading);
    at + 8 - (leading / 8) as usize
}

#[inline(never)]
fn write_long(number: u64, out: &mut Window, at: usize) -> usize {
    let (high, low) = (number / POWERS[8], (number % POWERS[8]) as u32);
    let end = if high < POWERS[8] {
        write_eight(high as u32, out, at)
    } else {
        let end = write_eight((high / POWERS[8]) as u32, out, at);
        put(out, end, digits::text(digits::split((high % POWERS[8]) as u32)));
        end + 8
    };
    put(out, end, digits::text(digits::split(low)));
    end + 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written<T: Integer>(value: T) -> String {
        let mut out = [b'?'; 40];
        let length = value.write(&mut out);
        String::from_utf8(out[..length].to_vec()).unwrap()
    }

    /// What the grammar says, by the standard library.
    fn oracle<T: Integer + std::str::FromStr>(bytes: &[u8]) -> Option<T> {
        let text = str::from_utf8(bytes).ok()?;
        let unsigned_minus = !T::SIGNED && text.starts_with('-');
        if text.starts_with('+') || unsigned_minus { None } else { text.parse().ok() }
    }

    fn check<T: Integer + std::str::FromStr + std::fmt::Display + std::fmt::Debug>(text: &[u8]) {
        let value = T::parse(text);
        assert_eq!(value.ok(), oracle::<T>(text), "{:?}", String::from_utf8_lossy(text));
        let mut source = b"<Tag>1".to_vec();
        for _ in 0..3 {
            let start = source.len();
            source.extend_from_slice(text);
            assert_eq!(T::parse_within(&source, start, source.len()), value);
            source.extend_from_slice(b"23</Tag>");
            assert_eq!(T::parse_within(&source, start, start + text.len()), value);
        }
    }

    #[test]
    fn limits_of_every_type() {
        fn limits<T: Integer + std::str::FromStr + std::fmt::Display + std::fmt::Debug>() {
            for edge in [T::MIN.to_i128(), 0, T::MAX.to_i128()] {
                for near in -2..=2 {
                    check::<T>((edge + near).to_string().as_bytes());
                    check::<T>(format!("-000000000000{near}").as_bytes());
                }
            }
            assert_eq!(written(T::MIN), T::MIN.to_string());
            assert_eq!(written(T::MAX), T::MAX.to_string());
            assert_eq!(T::from_i128(T::MAX.to_i128() + 1), None);
            assert_eq!(T::from_i128(T::MIN.to_i128()), Some(T::MIN));
            assert_eq!(T::from_i64(-1).is_some(), T::SIGNED);
            assert_eq!(T::from_u64(127).map(T::to_i128), Some(127));
            assert_eq!(T::from_u64(u64::MAX).is_some(), T::BITS == 64 && !T::SIGNED);
        }
        limits::<i8>();
        limits::<i16>();
        limits::<i32>();
        limits::<i64>();
        limits::<u8>();
        limits::<u16>();
        limits::<u32>();
        limits::<u64>();
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(i32::parse(b""), Err(ValueError::Empty));
        assert_eq!(i32::parse(b"-"), Err(ValueError::Malformed { at: 1 }));
        assert_eq!(u32::parse(b"-1"), Err(ValueError::Malformed { at: 0 }));
        assert_eq!(i32::parse(b"+1"), Err(ValueError::Malformed { at: 0 }));
        assert_eq!(i32::parse(b"-12a4"), Err(ValueError::Malformed { at: 3 }));
        assert_eq!(i64::parse(b"1234567890123456789012x"), Err(ValueError::Malformed { at: 22 }));
        assert_eq!(i64::parse(b"9223372036854775808"), Err(ValueError::OutOfRange));
        assert_eq!(u8::parse(b"256"), Err(ValueError::OutOfRange));
        assert_eq!(i32::parse_within(b"12345678", 5, 4), Err(ValueError::Empty));
        assert_eq!(i32::parse_within(b"12345678", 5, 9), Err(ValueError::Empty));
        assert_eq!(u64::parse(b"00000000000000000000000000000042"), Ok(42));
    }

    #[test]
    fn every_length_is_written() {
        for power in POWERS {
            for number in [power - 1, power, power.saturating_mul(9)] {
                assert_eq!(written(number), number.to_string());
                assert_eq!(written(-(number as i64)), (-(number as i64)).to_string());
            }
        }
    }

    proptest! {
        #![proptest_config(crate::testing::config())]

        #[test]
        fn what_is_written_reads_back(value: i64, width in 0u32..64) {
            let value = value >> width;
            prop_assert_eq!(written(value), value.to_string());
            prop_assert_eq!(i64::parse(written(value).as_bytes()), Ok(value));
            prop_assert_eq!(written(value as u64), (value as u64).to_string());
            prop_assert_eq!(written(value as i16), (value as i16).to_string());
        }

        #[test]
        fn texts_read_as_the_standard_library_reads_them(text in "-?[0-9]{0,24}|[-+0-9a: /]{0,12}") {
            check::<i8>(text.as_bytes());
            check::<u16>(text.as_bytes());
            check::<i32>(text.as_bytes());
            check::<i64>(text.as_bytes());
            check::<u64>(text.as_bytes());
        }

        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            check::<i64>(&bytes);
            check::<u32>(&bytes);
        }
    }
}
