//! Floats as text: XML Schema `xsd:double` and `xsd:float` (Part 2, 3.2.4 and 3.2.5).

use crate::decimal::{Decimal, four_decimals, strip};
use crate::value::{ValueError, Window};

mod sealed {
    use super::Decimal;

    pub trait Sealed: Copy + Into<f64> + std::str::FromStr + zmij::Float {
        /// The float nearest to a decimal that is not zero; `None` if that takes a longer look.
        fn nearest(decimal: Decimal) -> Option<Self>;

        /// The value in ten-thousandths, if no decimal of fewer digits reads as this value.
        fn ten_thousandths(self) -> Option<i64>;
    }
}

/// A binary floating-point number of the machine: `f32` or `f64`.
pub trait Float: sealed::Sealed {
    /// Octets that it takes.
    const BYTES: usize;

    /// Its bits as IEEE 754 has them, those of an `f32` in the lower half.
    fn bits(self) -> u64;

    /// The float of these bits.
    fn of_bits(bits: u64) -> Self;
}

impl Float for f32 {
    const BYTES: usize = 4;

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits().into()
    }

    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Float for f64 {
    const BYTES: usize = 8;

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }

    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

impl sealed::Sealed for f64 {
    #[inline(always)]
    fn nearest(decimal: Decimal) -> Option<Self> {
        Some(decimal.to_f64())
    }

    #[inline(always)]
    fn ten_thousandths(self) -> Option<i64> {
        four_decimals(self)
    }
}

impl sealed::Sealed for f32 {
    /// Rounding to a double first changes nothing, unless that lands in the middle between two
    /// floats and no longer tells on which side of it the decimal lies.
    #[inline(always)]
    fn nearest(decimal: Decimal) -> Option<Self> {
        const BELOW_A_FLOAT: u64 = (1 << 29) - 1;
        const MIDDLE: u64 = 1 << 28;
        let double = decimal.to_f64();
        (double.to_bits() & BELOW_A_FLOAT != MIDDLE).then_some(double as f32)
    }

    /// No two decimals of at most six digits read as the same float.
    #[inline(always)]
    fn ten_thousandths(self) -> Option<i64> {
        let scaled = f64::from(self) * 1e4;
        if scaled.abs() >= 999_999.0 {
            return None;
        }
        let nearest = (scaled + 0.5_f64.copysign(scaled)) as i32;
        (nearest as f32 / 1e4 == self).then_some(i64::from(nearest))
    }
}

/// Reads the whole of `bytes` as the nearest float.
///
/// The grammar is that of `xsd:double` and `xsd:float`: digits with an optional point and exponent,
/// `INF`, `-INF` and `NaN`, spelt exactly so.
///
/// # Errors
/// [`ValueError::Malformed`] at the first byte that does not belong there. Numbers too large
/// become infinite, as the specification of the types says.
#[inline]
pub fn parse_float<F: Float>(bytes: &[u8]) -> Result<F, ValueError> {
    if bytes.len() <= 17
        && let Ok(decimal) = Decimal::parse(bytes)
        // Zero may be negative, which a decimal does not keep.
        && decimal.mantissa() != 0
        && let Some(value) = F::nearest(decimal)
    {
        return Ok(value);
    }
    parse_any(bytes)
}

/// Reads `source[start..end]`, like [`parse_float`]; faster, because the digits can be loaded
/// together with what stands before them.
///
/// # Errors
/// As [`parse_float`], with positions counted from `start`; [`ValueError::Empty`] if the range is
/// not within `source`.
#[inline]
pub fn parse_float_within<F: Float>(
    source: &[u8],
    start: usize,
    end: usize,
) -> Result<F, ValueError> {
    if end.wrapping_sub(start) <= 17
        && let Ok(decimal) = Decimal::parse_within(source, start, end)
        && decimal.mantissa() != 0
        && let Some(value) = F::nearest(decimal)
    {
        return Ok(value);
    }
    parse_any(source.get(start..end).unwrap_or_default())
}

#[inline(never)]
fn parse_any<F: Float>(bytes: &[u8]) -> Result<F, ValueError> {
    let text = match bytes {
        b"INF" | b"+INF" => "inf",
        b"-INF" => "-inf",
        b"NaN" => "NaN",
        _ => {
            check_grammar(bytes)?;
            // What the grammar admits is ASCII.
            str::from_utf8(bytes).unwrap_or_default()
        }
    };
    // The standard library reads all of these, and more.
    text.parse().map_err(|_| ValueError::OutOfRange)
}

/// Whether `bytes` is `(+|-)? digits with at most one point ((E|e) (+|-)? digits)?`.
fn check_grammar(bytes: &[u8]) -> Result<(), ValueError> {
    if bytes.is_empty() {
        return Err(ValueError::Empty);
    }
    let count = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let start = sign(0);
    let units = count(start);
    let mut at = start + units;
    let mut digits = units;
    if bytes.get(at) == Some(&b'.') {
        let fraction = count(at + 1);
        at += 1 + fraction;
        digits += fraction;
    }
    if digits > 0 && matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + sign(at + 1);
        digits = count(at);
        at += digits;
    }
    if digits == 0 || at < bytes.len() { Err(ValueError::Malformed { at }) } else { Ok(()) }
}

/// Writes the shortest text that reads back as `value` to the front of `out`, with the special
/// values of XML Schema, and returns its length, at most 24.
#[inline]
pub fn write_float<F: Float>(value: F, out: &mut Window) -> usize {
    match value.ten_thousandths() {
        Some(0) | None => write_any(value, out),
        Some(ten_thousandths) => strip(ten_thousandths).write(out),
    }
}

#[inline(never)]
fn write_any<F: Float>(value: F, out: &mut Window) -> usize {
    let mut buffer = zmij::Buffer::new();
    let double: f64 = value.into();
    let text = if double.is_nan() {
        "NaN"
    } else if double.is_infinite() {
        if double < 0.0 { "-INF" } else { "INF" }
    } else {
        let text = buffer.format_finite(value);
        text.strip_suffix(".0").unwrap_or(text)
    };
    out[..text.len()].copy_from_slice(text.as_bytes());
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written<F: Float>(value: F) -> String {
        let mut out = [b'?'; 40];
        let length = write_float(value, &mut out);
        String::from_utf8(out[..length].to_vec()).unwrap()
    }

    /// The digits that count, without point, exponent and zeros at either end.
    fn digits(text: &str) -> String {
        let mantissa = text.split('e').next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    }

    #[test]
    fn special_values_are_spelt_as_xml_schema_does() {
        for (value, text) in [(f64::INFINITY, "INF"), (f64::NEG_INFINITY, "-INF")] {
            assert_eq!(written(value), text);
            assert_eq!(parse_float(text.as_bytes()), Ok(value));
        }
        assert_eq!(written(f64::NAN), "NaN");
        assert!(parse_float::<f64>(b"NaN").unwrap().is_nan());
        assert!(parse_float::<f32>(b"NaN").unwrap().is_nan());
        assert_eq!(["INF", "+INF"].map(|it| parse_float(it.as_bytes())), [Ok(f32::INFINITY); 2]);
        assert_eq!(parse_float(b"-INF"), Ok(f32::NEG_INFINITY));
        let written = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(written);
        assert_eq!(written, ["INF", "-INF", "NaN"]);
        for text in ["inf", "infinity", "Infinity", "nan", "+NaN", "-NaN", "INFINITY"] {
            assert!(parse_float::<f64>(text.as_bytes()).is_err(), "{text}");
            assert!(parse_float::<f32>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn usual_values_are_short() {
        for (value, text) in [
            (6.35, "6.35"),
            (-1.0, "-1"),
            (1e5, "100000"),
            (123_456_789_012.0, "123456789012"),
            (0.0, "0"),
            (-0.0, "-0"),
            (1e300, "1e+300"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(written(value), text);
        }
        assert_eq!(parse_float(b"1E5"), Ok(1e5));
        assert_eq!(parse_float(b"+.5e-1"), Ok(0.05));
        assert_eq!(parse_float(b"5."), Ok(5.0));
        assert_eq!(parse_float(b"1E999"), Ok(f64::INFINITY));
        assert!(parse_float::<f64>(b"-0.0").unwrap().is_sign_negative());
    }

    #[test]
    fn floats_are_as_short_as_their_precision_allows() {
        for (value, text) in [
            (6.35_f32, "6.35"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.3"),
            (16_777_216.0, "16777216"),
            (99.9999, "99.9999"),
            (-99.9999, "-99.9999"),
            (123.456_79, "123.45679"),
            (0.0, "0"),
            (-0.0, "-0"),
            (f32::MAX, "3.4028235e+38"),
            (f32::MIN_POSITIVE, "1.1754944e-38"),
            (f32::from_bits(1), "1e-45"),
        ] {
            assert_eq!(written(value), text);
            assert_eq!(parse_float(text.as_bytes()).map(f32::to_bits), Ok(value.to_bits()));
        }
        assert_eq!(parse_float(b"12.78e-2"), Ok(0.1278_f32));
        assert_eq!(parse_float(b"3.5E38"), Ok(f32::INFINITY));
        assert_eq!(parse_float(b"1E-46"), Ok(0.0_f32));
    }

    /// By way of a double each of these would land in the middle, and then on the wrong side.
    #[test]
    fn floats_are_rounded_once() {
        let (low, high) = ((1u64 << 55) as f32, ((1u64 << 55) + (1 << 32)) as f32);
        assert_eq!(low as f64 as u64 + (1 << 32), high as f64 as u64);
        assert_eq!(36_028_799_166_447_617_u64 as f64 as f32, low);
        for (text, value) in [
            ("36028799166447615", low),
            ("36028799166447616", low),
            ("36028799166447617", high),
            ("16777217", 16_777_216.0),
            ("16777217.00000001", 16_777_218.0),
            ("16777217.0000000000000001", 16_777_218.0),
        ] {
            assert_eq!(parse_float(text.as_bytes()), Ok(value), "{text}");
            let negative = format!("-{text}");
            assert_eq!(parse_float(negative.as_bytes()), Ok(-value), "{negative}");
        }
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(parse_float::<f64>(b""), Err(ValueError::Empty));
        for (text, at) in
            [("x", 0), ("-", 1), (".", 1), ("1.2.3", 3), ("1E", 2), ("1E+", 3), ("1E5 ", 3)]
        {
            let error = Err(ValueError::Malformed { at });
            assert_eq!(parse_float::<f64>(text.as_bytes()), error, "{text}");
            assert_eq!(parse_float::<f32>(text.as_bytes()).map(f64::from), error, "{text}");
        }
    }

    proptest! {
        #![proptest_config(crate::testing::config())]

        #[test]
        fn what_is_written_reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            let again: f64 = parse_float(written(value).as_bytes()).unwrap();
            prop_assert!(again.to_bits() == value.to_bits() || value.is_nan() && again.is_nan());
        }

        #[test]
        fn written_floats_are_the_shortest_and_read_back(bits: u32, price in 0u32..2_000_000) {
            for value in [f32::from_bits(bits), price as f32 / 1e4, price as f32 / 1e7] {
                let text = written(value);
                let again: f32 = parse_float(text.as_bytes()).unwrap();
                prop_assert!(again.to_bits() == value.to_bits() || value.is_nan() && again.is_nan());
                if value.is_finite() {
                    // Where two of the shortest are equally near, either may be written.
                    prop_assert_eq!(digits(&text).len(), digits(&format!("{value:e}")).len());
                }
            }
        }

        #[test]
        fn prices_read_back(mantissa in -99_999_999_999i64..99_999_999_999, scale in 0i32..8) {
            let value = mantissa as f64 / 10f64.powi(scale);
            prop_assert_eq!(parse_float(written(value).as_bytes()), Ok(value));
            prop_assert!(written(value).len() <= value.to_string().len());
        }

        #[test]
        fn texts_read_as_the_standard_library_reads_them(
            text in "[-+]?[0-9]{0,20}[.]?[0-9]{0,20}([eE][-+]?[0-9]{0,3})?|[-+0-9.eE]{0,10}",
        ) {
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(parse_float(text.as_bytes()).ok().map(f64::to_bits), expected);
            let source = format!("<Price>1{text}2</Price>");
            let within = parse_float_within(source.as_bytes(), 8, 8 + text.len());
            prop_assert_eq!(within.map(f64::to_bits), parse_float(text.as_bytes()).map(f64::to_bits));
            let expected = text.parse::<f32>().ok().map(f32::to_bits);
            prop_assert_eq!(parse_float(text.as_bytes()).ok().map(f32::to_bits), expected);
            let within = parse_float_within(source.as_bytes(), 8, 8 + text.len());
            prop_assert_eq!(within.ok().map(f32::to_bits), expected);
        }

        /// Texts at and beside the middle between two floats, where rounding is decided.
        #[test]
        fn middles_are_rounded_as_the_standard_library_does(
            bits in 0x2000_0000u32..0x5f00_0000, digits in 1usize..40, nudge in -1i8..=1,
        ) {
            let (low, high) = (f32::from_bits(bits), f32::from_bits(bits + 1));
            let middle = (f64::from(low) + f64::from(high)) / 2.0;
            let middle = f64::from_bits(middle.to_bits().wrapping_add_signed(i64::from(nudge)));
            let text = format!("{middle:.digits$}");
            let expected = text.parse::<f32>().ok();
            prop_assert_eq!(parse_float(text.as_bytes()).ok(), expected);
            let short = &text[..text.len().min(17)];
            prop_assert_eq!(parse_float(short.as_bytes()).ok(), short.parse::<f32>().ok());
        }

        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            let double = parse_float::<f64>(&bytes).map(drop);
            prop_assert_eq!(parse_float::<f32>(&bytes).map(drop), double);
        }
    }
}
