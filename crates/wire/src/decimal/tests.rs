//! Decimals: every spelling, and random values against plain readers and writers.

use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;

use super::*;

fn written(decimal: Decimal) -> String {
    let mut out = [b'?'; 40];
    let length = decimal.write(&mut out);
    String::from_utf8(out[..length].to_vec()).unwrap()
}

fn read(text: &str) -> Result<Decimal, ValueError> {
    let value = Decimal::parse(text.as_bytes());
    // Behind and before other text the answer is the same.
    let source = format!("<Price>7{text}9</Price>");
    let within = Decimal::parse_within(source.as_bytes(), 8, 8 + text.len());
    assert_eq!(within.map(parts), value.map(parts), "{text:?}");
    assert_eq!(Decimal::parse_within(text.as_bytes(), 0, text.len()).map(parts), value.map(parts));
    value
}

fn parts(decimal: Decimal) -> (i64, i8) {
    (decimal.mantissa(), decimal.exponent())
}

/// The text that a decimal should have, by string operations alone.
fn plain_text(decimal: Decimal) -> String {
    let (mantissa, exponent) = parts(decimal);
    let sign = if mantissa < 0 { "-" } else { "" };
    let digits = mantissa.unsigned_abs().to_string();
    if exponent >= 0 {
        let zeros = if mantissa == 0 { 0 } else { exponent as usize };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let scale = exponent.unsigned_abs() as usize;
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (units, fraction) = digits.split_at(digits.len() - scale);
    format!("{sign}{units}.{fraction}")
}

fn hash(decimal: Decimal) -> u64 {
    let mut hasher = DefaultHasher::new();
    decimal.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn digits_are_kept_as_given() {
    for text in [
        "0",
        "6.35",
        "6.350",
        "-0.5",
        "139.4000",
        "1815.2",
        "0.00",
        "12345678",
        "-12345678.9",
        "0.1234567",
        "0.12345678",
        "123456789.1234567",
        "9223372036854775807",
        "-9.223372036854775808",
        "0.000000000000000001",
        "99999999",
        "9.9999999",
        "100000000",
    ] {
        assert_eq!(written(read(text).unwrap()), text);
    }
}

#[test]
fn fix_spellings_are_accepted() {
    assert_eq!(parts(read(".5").unwrap()), (5, -1));
    assert_eq!(parts(read("5.").unwrap()), (5, 0));
    assert_eq!(parts(read("-5.").unwrap()), (-5, 0));
    assert_eq!(parts(read("007.10").unwrap()), (710, -2));
    assert_eq!(parts(read("-0").unwrap()), (0, 0));
    assert_eq!(parts(read("12345678.").unwrap()), (12_345_678, 0));
    assert_eq!(parts(read(".12345678").unwrap()), (12_345_678, -8));
}

#[test]
fn zeros_make_room_for_digits() {
    assert_eq!(parts(read("1000000000000000000000").unwrap()), (1_000_000_000_000_000_000, 3));
    assert_eq!(parts(read("1.00000000000000000000000").unwrap()), (10i64.pow(18), -18));
    assert_eq!(parts(read("92233720368547758070").unwrap()), (i64::MAX, 1));
    assert_eq!(parts(read("0.0000000000000000000000").unwrap()), (0, -18));
    assert_eq!(read("12345678901234567890123"), Err(ValueError::OutOfRange));
    assert_eq!(read("0.0000000000000000001"), Err(ValueError::OutOfRange));
    assert_eq!(read(&format!("1{}", "0".repeat(37))), Err(ValueError::OutOfRange));
}

#[test]
fn errors_name_the_place() {
    assert_eq!(read(""), Err(ValueError::Empty));
    for (text, at) in [
        ("-", 1),
        (".", 1),
        ("-.", 2),
        ("1.2.3", 3),
        ("--1", 1),
        ("+1", 0),
        ("1,5", 1),
        ("1 ", 1),
        ("1e5", 1),
        ("1234567890.12345678x", 19),
        ("12345.678.9", 9),
    ] {
        assert_eq!(read(text), Err(ValueError::Malformed { at }), "{text}");
    }
}

#[test]
fn scientific_texts() {
    let read = |text: &str| Decimal::parse_scientific(text.as_bytes());
    assert_eq!(parts(read("1.2E-3").unwrap()), (12, -4));
    assert_eq!(parts(read("1.2e+3").unwrap()), (12, 2));
    assert_eq!(parts(read("+6.35").unwrap()), (635, -2));
    assert_eq!(read("-1E20").unwrap(), Decimal::new(-100, 18).unwrap());
    assert_eq!(read("0E999999999999999999999999").unwrap(), Decimal::ZERO);
    assert_eq!(read("100E-20").unwrap(), Decimal::new(1, -18).unwrap());
    assert_eq!(read("1E-99999999999999999999999"), Err(ValueError::OutOfRange));
    assert_eq!(read("1E40"), Err(ValueError::OutOfRange));
    for (text, at) in
        [("1E", 2), ("E5", 0), ("+E5", 1), ("1E5.0", 3), ("1E+-5", 3), ("+-1", 1), ("+", 1)]
    {
        assert_eq!(read(text), Err(ValueError::Malformed { at }), "{text}");
    }
}

#[test]
fn decimals_of_xml_may_have_a_plus_and_no_exponent() {
    let read = |text: &str| Decimal::parse_xml(text.as_bytes());
    assert_eq!(parts(read("+6.35").unwrap()), (635, -2));
    assert_eq!(read("-.5"), read("-0.5"));
    for (text, at) in [("1e5", 1), ("1E5", 1), ("+1e5", 2), ("+-1", 1), ("++1", 1), ("+", 1)] {
        assert_eq!(read(text), Err(ValueError::Malformed { at }), "{text}");
    }
}

#[test]
fn equality_is_numeric() {
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    assert_eq!(decimal("6.350"), decimal("6.35"));
    assert_eq!(hash(decimal("6.350")), hash(decimal("6.35")));
    assert_eq!(hash(decimal("-0.00")), hash(decimal("0")));
    assert_eq!(Decimal::default(), Decimal::from(0));
    assert_eq!(Decimal::new(0, 18), Decimal::new(0, -18));
    assert!(Decimal::new(1, 18) > Decimal::new(i64::MAX, -18));
    assert!(Decimal::new(-1, 18) < Decimal::new(i64::MIN, -18));
    assert!(Decimal::new(0, 18) < Decimal::new(1, -18));
    assert!(decimal("6.4") > decimal("6.35"));
    assert_eq!(Decimal::new(1, 19), None);
    assert_eq!(Decimal::new(1, -128), None);
    assert_eq!(format!("{:>8}|{:?}", decimal("6.350"), decimal("-1")), "   6.350|-1");
}

#[test]
fn doubles_become_their_shortest_decimals() {
    for (value, text) in [
        (6.35, "6.35"),
        (139.4, "139.4"),
        (1815.0, "1815"),
        (0.0001, "0.0001"),
        (-0.5, "-0.5"),
        (1e-7, "0.0000001"),
        (1e20, "100000000000000000000"),
        (0.1 + 0.2, "0.30000000000000004"),
        (-0.0, "0"),
        (99_999_999_999.99, "99999999999.99"),
        (1e11, "100000000000"),
    ] {
        assert_eq!(Decimal::from_f64(value).unwrap().to_string(), text);
    }
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1e-300] {
        assert_eq!(Decimal::from_f64(value), None);
    }
}

#[test]
fn floats_become_their_shortest_decimals() {
    for (value, text) in [
        (0.1, "0.1"),
        (6.35, "6.35"),
        (-99.9999, "-99.9999"),
        (123.456_79, "123.45679"),
        (16_777_216.0, "16777216"),
        (1e-7, "0.0000001"),
        (1e20, "100000000000000000000"),
        (-0.0, "0"),
    ] {
        assert_eq!(Decimal::from_f32(value).unwrap().to_string(), text);
    }
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-30] {
        assert_eq!(Decimal::from_f32(value), None);
    }
}

/// `-18..=18`, mostly the usual numbers of decimals.
fn exponents() -> impl Strategy<Value = i8> {
    prop_oneof![3 => -7i8..=0, 1 => -18i8..=18]
}

proptest! {
    #![proptest_config(crate::testing::config())]

    #[test]
    fn what_is_written_reads_back(mantissa: i64, width in 0u32..64, exponent in exponents()) {
        let decimal = Decimal::new(mantissa >> width, exponent).unwrap();
        prop_assert_eq!(written(decimal), plain_text(decimal));
        let again = read(&written(decimal)).unwrap();
        prop_assert_eq!(again, decimal);
        prop_assert_eq!(hash(again), hash(decimal));
        if exponent <= 0 {
            prop_assert_eq!(parts(again), parts(decimal));
        }
    }

    #[test]
    fn the_fast_readers_agree_with_the_plain_one(text in "-?[0-9]{0,10}[.]?[0-9]{0,10}|[-0-9.x]{0,18}") {
        prop_assert_eq!(read(&text).map(parts), parse_plain(text.as_bytes()).map(parts));
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
        prop_assert_eq!(Decimal::parse(&bytes), parse_plain(&bytes));
        let _ = Decimal::parse_scientific(&bytes);
    }

    #[test]
    fn doubles_are_the_nearest(mantissa: i64, width in 0u32..64, exponent in -18i8..=18) {
        let decimal = Decimal::new(mantissa >> width, exponent).unwrap();
        let expected: f64 = written(decimal).parse().unwrap();
        prop_assert_eq!(decimal.to_f64().to_bits(), expected.to_bits());
    }

    #[test]
    fn decimals_of_doubles_are_the_shortest(mantissa in -99_999_999_999i64..99_999_999_999, scale in 0u32..12) {
        let value = mantissa as f64 / 10f64.powi(scale as i32);
        let decimal = Decimal::from_f64(value).unwrap();
        prop_assert_eq!(decimal.to_f64(), value);
        let text = zmij::Buffer::new().format(value).to_string();
        prop_assert_eq!(parts(decimal).0 % 10 == 0, decimal.exponent() == 0 && mantissa % 10i64.pow(scale + 1) == 0);
        prop_assert_eq!(decimal, Decimal::parse_scientific(text.as_bytes()).unwrap());
    }

    #[test]
    fn decimals_of_floats_read_back(bits: u32, price in 0u32..2_000_000) {
        for value in [f32::from_bits(bits), price as f32 / 1e4] {
            if let Some(decimal) = Decimal::from_f32(value) {
                let again: f32 = crate::parse_float(written(decimal).as_bytes()).unwrap();
                prop_assert_eq!(again, value);
            }
        }
    }

    #[test]
    fn scientific_texts_are_the_same_number(value in proptest::num::f64::NORMAL) {
        if let Ok(decimal) = Decimal::parse_scientific(format!("{value:e}").as_bytes()) {
            prop_assert_eq!(decimal.to_f64(), value);
        }
    }

    #[test]
    fn order_is_that_of_the_numbers(a in -1000i64..1000, b in -1000i64..1000, c in -4i8..4, d in -4i8..4) {
        let wide = |mantissa: i64, exponent: i8| mantissa * 10i64.pow((exponent + 4) as u32);
        let (x, y) = (Decimal::new(a, c).unwrap(), Decimal::new(b, d).unwrap());
        prop_assert_eq!(x.cmp(&y), wide(a, c).cmp(&wide(b, d)));
    }
}
