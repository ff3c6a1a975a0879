//! Big numbers: every spelling, and random ones against those of `num-bigint`.

use std::hash::{DefaultHasher, Hash, Hasher};

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;

fn integer(text: &str) -> BigInteger {
    BigInteger::parse_xml(text.as_bytes()).unwrap_or_else(|error| panic!("{text} {error}"))
}

fn decimal(text: &str) -> BigDecimal {
    BigDecimal::parse_xml(text.as_bytes()).unwrap_or_else(|error| panic!("{text} {error}"))
}

/// Decimals of more digits are not made by the tests of order.
const SCALE: usize = 50;

/// The number in steps of 10^-[`SCALE`], by way of padded text.
fn scaled(text: &str) -> BigInt {
    let (units, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{units}{fraction:0<SCALE$}");
    // A sign without digits before the point is left alone with those behind it.
    digits.parse().expect("digits")
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// XML Schema Part 2, 3.3.13 and 3.2.3, with their canonical forms (3.3.13.2, and 3.2.3.2 as
/// version 1.1 has it: 3.3.3.2).
#[test]
fn spellings_of_the_specification() {
    for (text, canonical) in [
        ("-1", "-1"),
        ("0", "0"),
        ("12678967543233", "12678967543233"),
        ("+100000", "100000"),
        ("-0", "0"),
        ("+0", "0"),
        ("000", "0"),
        ("-007", "-7"),
        ("00100", "100"),
    ] {
        assert_eq!(integer(text).as_str(), canonical);
        assert_eq!(decimal(text).as_str(), canonical);
        assert_eq!(decimal(text), BigDecimal::from(integer(text)));
    }
    for (text, canonical) in [
        ("-1.23", "-1.23"),
        ("12678967.543233", "12678967.543233"),
        ("+100000.00", "100000"),
        ("210", "210"),
        ("210.", "210"),
        (".5", "0.5"),
        ("-.50", "-0.5"),
        ("-0.0", "0"),
        ("+.0", "0"),
        ("010.010", "10.01"),
        ("0.000", "0"),
        ("0000000000000000000000000000000000000.1", "0.1"),
    ] {
        assert_eq!(decimal(text).as_str(), canonical, "{text}");
    }
}

#[test]
fn errors_name_the_place() {
    for (text, at) in [
        ("-", 1),
        ("+", 1),
        ("+-1", 1),
        ("--1", 1),
        ("-+1", 1),
        ("1 ", 1),
        (" 1", 0),
        ("1e5", 1),
        ("12٣", 2),
        ("0x10", 1),
        ("1,000", 1),
    ] {
        let error = ValueError::Malformed { at };
        assert_eq!(BigInteger::parse_xml(text.as_bytes()), Err(error), "{text}");
        assert_eq!(BigDecimal::parse_xml(text.as_bytes()), Err(error), "{text}");
    }
    for (text, at) in [(".", 0), ("1.0", 1), ("+1.x", 2), ("-.5", 1)] {
        let error = ValueError::Malformed { at };
        assert_eq!(BigInteger::parse_xml(text.as_bytes()), Err(error), "{text}");
    }
    for (text, at) in [(".", 1), ("-.", 2), ("+.", 2), ("1.2.3", 3), ("1.x", 2), ("INF", 0)] {
        let error = ValueError::Malformed { at };
        assert_eq!(BigDecimal::parse_xml(text.as_bytes()), Err(error), "{text}");
    }
    assert_eq!("".parse::<BigInteger>(), Err(ValueError::Empty));
    assert_eq!("".parse::<BigDecimal>(), Err(ValueError::Empty));
    assert_eq!("+1".parse::<BigInteger>(), Err(ValueError::Malformed { at: 0 }));
    assert_eq!("+1".parse::<BigDecimal>(), Err(ValueError::Malformed { at: 0 }));
}

#[test]
fn digits_are_limited() {
    let most = "9".repeat(BigInteger::MOST_DIGITS);
    let too_many = ValueError::TooManyDigits { most: 4096 };
    assert_eq!(integer(&format!("-000{most}")).as_str(), format!("-{most}"));
    assert_eq!(format!("{most}0").parse::<BigInteger>(), Err(too_many));
    let (units, fraction) = most.split_at(1000);
    assert_eq!(
        decimal(&format!("+0{units}.{fraction}000")).as_str(),
        format!("{units}.{fraction}")
    );
    assert_eq!(format!("{units}.{fraction}1").parse::<BigDecimal>(), Err(too_many));
    assert_eq!(decimal(&format!("{:04096}.{}", 0, "0".repeat(9000))).as_str(), "0");
    assert_eq!(format!("0.{}1", "0".repeat(4096)).parse::<BigDecimal>(), Err(too_many));
}

#[test]
fn small_ones_are_inline() {
    assert_eq!(
        (size_of::<BigInteger>(), size_of::<BigDecimal>()),
        (size_of::<Text>(), size_of::<Text>())
    );
    for text in ["18446744073709551615", "-9223372036854775808", "-.5", "-00000000000000000000007"]
    {
        assert!(decimal(text).as_text().inline_block().is_some());
    }
    let long = "1".repeat(INLINE + 1);
    assert_eq!(integer(&long).as_str(), long);
    assert!(integer(&long[1..]).as_text().inline_block().is_some());
}

#[test]
fn numbers_of_the_machine_become_big_and_back() {
    assert_eq!(BigInteger::from(i64::MIN).as_str(), "-9223372036854775808");
    assert_eq!(BigDecimal::from(u64::MAX).as_str(), "18446744073709551615");
    assert_eq!(integer("-9223372036854775808").to_integer(), Some(i64::MIN));
    assert_eq!(integer("18446744073709551616").to_integer::<u64>(), None);
    assert_eq!(integer("-1").to_integer::<u8>(), None);
    let price: Decimal = "6.350".parse().unwrap();
    assert_eq!(BigDecimal::from(price).as_str(), "6.35");
    assert_eq!(decimal("6.35").to_decimal(), Some(price));
    assert_eq!(BigDecimal::from(Decimal::new(-12, 18).unwrap()).as_str(), "-12000000000000000000");
    assert_eq!(decimal(&"9".repeat(40)).to_decimal(), None);
    assert_eq!((BigInteger::default().as_str(), BigDecimal::default().as_str()), ("0", "0"));
    assert_eq!(format!("{:>4}|{:?}", integer("12"), decimal("-1.5")), "  12|-1.5");
}

#[test]
fn order_is_that_of_the_numbers() {
    let ascending = [
        "-100", "-99.5", "-99.45", "-1", "-0.5", "-0.25", "0", "0.05", "0.5", "1", "1.5", "9",
        "10", "10.01",
    ];
    for (at, text) in ascending.iter().enumerate() {
        for (other_at, other) in ascending.iter().enumerate() {
            assert_eq!(decimal(text).cmp(&decimal(other)), at.cmp(&other_at), "{text} {other}");
        }
    }
}

proptest! {
    #![proptest_config(crate::testing::config())]

    #[test]
    fn integers_are_those_of_the_reference(text in "[-+]?0{0,3}[0-9]{1,60}") {
        let expected: BigInt = text.parse().unwrap();
        let read = integer(&text);
        prop_assert_eq!(read.as_str(), expected.to_string());
        prop_assert_eq!(read.to_integer::<i64>(), i64::try_from(expected).ok());
    }

    #[test]
    fn decimals_are_those_of_the_reference(text in "[-+]?0{0,3}[0-9]{0,40}[.][0-9]{0,40}0{0,3}|[-+]?[0-9]{1,40}") {
        prop_assume!(text.contains(|c: char| c.is_ascii_digit()));
        let read = decimal(&text);
        let canonical = read.as_str();
        prop_assert_eq!(scaled(canonical), scaled(&text));
        let (units, fraction) = canonical.split_once('.').unwrap_or((canonical, "1"));
        let units = units.strip_prefix('-').unwrap_or(units);
        prop_assert!(!units.is_empty() && (units == "0" || !units.starts_with('0')), "{}", canonical);
        prop_assert!(!fraction.is_empty() && !fraction.ends_with('0') && canonical != "-0", "{}", canonical);
        prop_assert_eq!(decimal(canonical), read);
    }

    #[test]
    fn order_equality_and_hash_are_those_of_the_reference(
        a in "-?[0-9]{1,3}([.][0-9]{1,3})?|-?[0-9]{1,40}([.][0-9]{1,40})?",
        b in "-?[0-9]{1,3}([.][0-9]{1,3})?|-?[0-9]{1,40}([.][0-9]{1,40})?",
    ) {
        let (x, y) = (decimal(&a), decimal(&b));
        prop_assert_eq!(x.cmp(&y), scaled(&a).cmp(&scaled(&b)));
        prop_assert_eq!(x == y, scaled(&a) == scaled(&b));
        let longer = decimal(&if a.contains('.') { format!("{a}0") } else { format!("{a}.0") });
        prop_assert_eq!(hash(&longer), hash(&x));
    }

    #[test]
    fn what_fits_a_decimal_is_the_same_number(mantissa: i64, width in 0u32..64, exponent in -18i8..=18) {
        let small = Decimal::new(mantissa >> width, exponent).unwrap();
        let big = BigDecimal::from(small);
        prop_assert_eq!(scaled(big.as_str()), scaled(&small.to_string()));
        prop_assert_eq!(big.to_decimal(), Some(small));
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..40), text in "[-+.0-9]{0,12}") {
        for bytes in [&bytes, text.as_bytes()] {
            prop_assert_eq!(BigDecimal::parse(bytes).map(drop), crate::decimal::find_point(bytes, true).map(drop));
            prop_assert!(BigInteger::parse(bytes).is_err() || BigDecimal::parse(bytes).is_ok());
        }
    }
}
