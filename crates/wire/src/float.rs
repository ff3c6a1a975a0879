//! Doubles as text: XML Schema `xsd:double` (Part 2, 3.2.5).

use crate::decimal::{Decimal, four_decimals, strip};
use crate::value::{ValueError, Window};

/// Reads the whole of `bytes` as the nearest double.
///
/// The grammar is that of `xsd:double`: digits with an optional point and exponent, `INF`, `-INF`
/// and `NaN`, spelt exactly so.
///
/// # Errors
/// [`ValueError::Malformed`] at the first byte that does not belong there. Numbers too large
/// become infinite, as the specification of the type says.
#[inline]
pub fn parse_float(bytes: &[u8]) -> Result<f64, ValueError> {
    if bytes.len() <= 17
        && let Ok(decimal) = Decimal::parse(bytes)
        // Zero may be negative, which a decimal does not keep.
        && decimal.mantissa() != 0
    {
        return Ok(decimal.to_f64());
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
pub fn parse_float_within(source: &[u8], start: usize, end: usize) -> Result<f64, ValueError> {
    if end.wrapping_sub(start) <= 17
        && let Ok(decimal) = Decimal::parse_within(source, start, end)
        && decimal.mantissa() != 0
    {
        return Ok(decimal.to_f64());
    }
    parse_any(source.get(start..end).unwrap_or_default())
}

#[inline(never)]
fn parse_any(bytes: &[u8]) -> Result<f64, ValueError> {
    match bytes {
        b"INF" | b"+INF" => return Ok(f64::INFINITY),
        b"-INF" => return Ok(f64::NEG_INFINITY),
        b"NaN" => return Ok(f64::NAN),
        _ => check_grammar(bytes)?,
    }
    // What the grammar admits is ASCII and a subset of what the standard library reads.
    str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).ok_or(ValueError::OutOfRange)
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
/// values of `xsd:double`, and returns its length, at most 24.
#[inline]
pub fn write_float(value: f64, out: &mut Window) -> usize {
    match four_decimals(value) {
        Some(0) | None => write_any(value, out),
        Some(ten_thousandths) => strip(ten_thousandths).write(out),
    }
}

#[inline(never)]
fn write_any(value: f64, out: &mut Window) -> usize {
    let mut buffer = zmij::Buffer::new();
    let text = if value.is_nan() {
        "NaN"
    } else if value.is_infinite() {
        if value < 0.0 { "-INF" } else { "INF" }
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

    fn written(value: f64) -> String {
        let mut out = [b'?'; 40];
        let length = write_float(value, &mut out);
        String::from_utf8(out[..length].to_vec()).unwrap()
    }

    #[test]
    fn special_values_are_spelt_as_xml_schema_does() {
        for (value, text) in [(f64::INFINITY, "INF"), (f64::NEG_INFINITY, "-INF")] {
            assert_eq!(written(value), text);
            assert_eq!(parse_float(text.as_bytes()), Ok(value));
        }
        assert_eq!(written(f64::NAN), "NaN");
        assert!(parse_float(b"NaN").unwrap().is_nan());
        for text in ["inf", "infinity", "Infinity", "nan", "+NaN", "-NaN", "INFINITY"] {
            assert!(parse_float(text.as_bytes()).is_err(), "{text}");
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
        assert!(parse_float(b"-0.0").unwrap().is_sign_negative());
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(parse_float(b""), Err(ValueError::Empty));
        for (text, at) in
            [("x", 0), ("-", 1), (".", 1), ("1.2.3", 3), ("1E", 2), ("1E+", 3), ("1E5 ", 3)]
        {
            assert_eq!(parse_float(text.as_bytes()), Err(ValueError::Malformed { at }), "{text}");
        }
    }

    proptest! {
        #![proptest_config(crate::testing::config())]

        #[test]
        fn what_is_written_reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            let again = parse_float(written(value).as_bytes()).unwrap();
            prop_assert!(again.to_bits() == value.to_bits() || value.is_nan() && again.is_nan());
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
        }

        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            let _ = parse_float(&bytes);
        }
    }
}
