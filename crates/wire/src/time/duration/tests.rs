//! Durations: the tables of the specification, and random ones against exact arithmetic.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Duration {
    text.parse().unwrap_or_else(|error| panic!("{text} {error}"))
}

fn error(text: &str) -> ValueError {
    text.parse::<Duration>().expect_err(text)
}

#[test]
fn a_duration_takes_sixteen_bytes() {
    assert_eq!(size_of::<Duration>(), 16);
}

/// XML Schema Part 2, 3.2.6.1.
#[test]
fn examples_of_the_specification() {
    let day = i128::from(DAY);
    let hour = day / 24;
    for (text, months, nanoseconds) in [
        ("P1Y2M3DT10H30M", 14, 3 * day + 10 * hour + hour / 2),
        ("-P120D", 0, -120 * day),
        ("P1347Y", 1347 * 12, 0),
        ("P1347M", 1347, 0),
        ("P1Y2MT2H", 14, 2 * hour),
        ("P0Y1347M", 1347, 0),
        ("P0Y1347M0D", 1347, 0),
        ("-P1347M", -1347, 0),
    ] {
        assert_eq!(Some(read(text)), Duration::new(months, nanoseconds), "{text}");
    }
    assert_eq!(error("P-1347M"), ValueError::Malformed { at: 1 });
    assert_eq!(error("P1Y2MT"), ValueError::Malformed { at: 6 });
}

#[test]
fn the_canonical_form_is_written() {
    for (text, canonical) in [
        ("PT0S", "PT0S"),
        ("-P0Y", "PT0S"),
        ("P0Y0M0DT0H0M0.000S", "PT0S"),
        ("P12M", "P1Y"),
        ("P13M", "P1Y1M"),
        ("P11M", "P11M"),
        ("PT24H", "P1D"),
        ("PT36H", "P1DT12H"),
        ("P31D", "P31D"),
        ("PT86461S", "P1DT1M1S"),
        ("PT60M", "PT1H"),
        ("PT1.50S", "PT1.5S"),
        ("-PT0.000000001S", "-PT0.000000001S"),
        ("PT59.000S", "PT59S"),
        ("P1YT0.10S", "P1YT0.1S"),
        ("P007Y", "P7Y"),
        ("PT1.1234567890000S", "PT1.123456789S"),
        // The longest span of .NET.
        ("P10675199DT2H48M5.4775807S", "P10675199DT2H48M5.4775807S"),
    ] {
        assert_eq!(read(text).to_string(), canonical, "{text}");
        assert_eq!(read(canonical), read(text), "{text}");
    }
    assert_eq!(format!("{:>6}|{:?}", read("P1D"), read("-P1M")), "   P1D|-P1M");
    assert_eq!(Duration::default(), Duration::ZERO);
}

#[test]
fn limits_are_kept_whole() {
    let longest = "-P178956969Y11M106751991167300DT15H30M7.999999999S";
    assert_eq!(read(longest).to_string(), longest);
    let longest = "-P178956969Y11M106751991167299DT23H59M59.999999999S";
    assert_eq!(read(longest).to_string(), longest);
    assert_eq!(longest.len(), Duration::LONGEST);
    for most in ["P2147483647M", "P178956970Y7M", "PT9223372036854775807.999999999S"] {
        assert_eq!(read(most), read(&read(most).to_string()));
        assert_eq!(read(&format!("-{most}")).months(), -read(most).months());
        assert_eq!(read(&format!("-{most}")).nanoseconds(), -read(most).nanoseconds());
    }
    for beyond in [
        "P2147483648M",
        "P178956970Y8M",
        "-P2147483648M",
        "PT9223372036854775808S",
        "PT9223372036854775808.5S",
        "P106751991167301D",
        "P99999999999999999999999999Y",
        "PT18446744073709551615H",
        "P1DT18446744073709551615S",
    ] {
        assert_eq!(error(beyond), ValueError::OutOfRange, "{beyond}");
    }
    let second = i128::from(NANOSECONDS);
    assert_eq!(Duration::new(i32::MIN, 0), None);
    assert_eq!(Duration::new(0, second << 63), None);
    assert_eq!(Duration::new(0, -second << 63), None);
    assert_eq!(
        Duration::new(0, (second << 63) - 1).map(Duration::nanoseconds),
        Some((second << 63) - 1)
    );
    assert_eq!(Duration::new(0, i128::MIN), None);
}

#[test]
fn months_and_nanoseconds_point_one_way() {
    assert_eq!(Duration::new(1, -1), None);
    assert_eq!(Duration::new(-1, 1), None);
    assert_eq!(Duration::new(-1, 0), Some(read("-P1M")));
    assert_eq!(Duration::new(0, -1), Some(read("-PT0.000000001S")));
    assert_eq!(Duration::new(-1, -1_500_000_000), Some(read("-P1MT1.5S")));
}

#[test]
fn errors_name_the_place() {
    assert_eq!(error(""), ValueError::Empty);
    for (text, at) in [
        ("-", 1),
        ("P", 1),
        ("-P", 2),
        ("PT", 2),
        ("+P1D", 0),
        ("--P1D", 1),
        ("1Y", 0),
        ("p1D", 0),
        ("P1", 2),
        ("P1S", 2),
        ("PT1D", 3),
        ("P1M2Y", 4),
        ("P1Y1Y", 4),
        ("PT1S1M", 5),
        ("P1.5Y", 2),
        ("PT1.5M", 5),
        ("PT1.S", 4),
        ("PT.5S", 2),
        ("PT1,5S", 3),
        ("P1DT1", 5),
        ("P1D ", 3),
        (" P1D", 0),
        ("P1DT1HT1M", 6),
        ("P1W", 2),
        ("PT1.0000000001", 14),
    ] {
        assert_eq!(error(text), ValueError::Malformed { at }, "{text}");
    }
    assert_eq!(error("PT1.0000000001S"), ValueError::TooPrecise { at: 13 });
}

/// XML Schema Part 2, 3.2.6.2: the table of what can be compared, and how.
#[test]
fn the_order_is_that_of_the_specification() {
    let order = |a: &str, b: &str| read(a).partial_cmp(&read(b));
    for (duration, less, apart, greater) in
        [("P1Y", 364, 365..=366, 367), ("P1M", 27, 28..=31, 32), ("P5M", 149, 150..=153, 154)]
    {
        assert_eq!(order(duration, &format!("P{less}D")), Some(Ordering::Greater));
        assert_eq!(order(duration, &format!("P{greater}D")), Some(Ordering::Less));
        for days in apart {
            assert_eq!(order(duration, &format!("P{days}D")), None, "{duration} {days}");
            assert_eq!(order(&format!("-P{days}D"), &format!("-{duration}")), None);
        }
    }
    assert_eq!(order("P1Y", "P12M"), Some(Ordering::Equal));
    assert_eq!(order("P400Y", "P146097D"), None);
    assert_eq!(order("P400Y", "P146097DT1S"), Some(Ordering::Less));
    assert_eq!(order("-P1M", "PT0S"), Some(Ordering::Less));
    assert_eq!(order("PT0.1S", "PT0.11S"), Some(Ordering::Less));
    assert_eq!(order("-PT1.1S", "-PT1.11S"), Some(Ordering::Greater));
    assert_eq!(order("P2147483647M", "PT9223372036854775807S"), Some(Ordering::Less));
}

/// Optional parts, as numbers: their text, and what they add up to.
fn parts() -> impl Strategy<Value = (String, i128, i128)> {
    let part = || proptest::option::of(0u32..200_000);
    let fraction = proptest::option::of(0u32..1_000_000_000);
    ((part(), part(), part()), (part(), part(), part()), fraction, any::<bool>()).prop_map(
        |((years, months, days), (hours, minutes, seconds), fraction, negative)| {
            let show = |part: Option<u32>, name: &str| {
                part.map_or(String::new(), |it| format!("{it}{name}"))
            };
            let number = |part: Option<u32>| i128::from(part.unwrap_or(0));
            let date = show(years, "Y") + &show(months, "M") + &show(days, "D");
            let fraction = fraction.filter(|_| seconds.is_some());
            let decimals = fraction.map_or(String::new(), |it| format!(".{it:09}"));
            let time =
                show(hours, "H") + &show(minutes, "M") + &show(seconds, &format!("{decimals}S"));
            let (sign, factor) = if negative { ("-", -1) } else { ("", 1) };
            let t = if time.is_empty() { "" } else { "T" };
            let clock = (number(days) * 24 + number(hours)) * 60 + number(minutes);
            let nanoseconds = (clock * 60 + number(seconds)) * 1_000_000_000 + number(fraction);
            let months = number(years) * 12 + number(months);
            (format!("{sign}P{date}{t}{time}"), factor * months, factor * nanoseconds)
        },
    )
}

/// The grammar of the specification as one regular expression would have it, by splitting.
fn is_duration(text: &str) -> bool {
    fn parts(mut text: &str, designators: &[char]) -> bool {
        if text.is_empty() {
            return false;
        }
        for designator in designators {
            if let Some((number, rest)) = text.split_once(*designator)
                && !number.contains(|c: char| c.is_ascii_alphabetic())
            {
                let digits =
                    |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
                let good = match number.split_once('.') {
                    Some((units, fraction)) => {
                        *designator == 'S' && digits(units) && digits(fraction)
                    }
                    None => digits(number),
                };
                if !good {
                    return false;
                }
                text = rest;
            }
        }
        text.is_empty()
    }
    let Some(text) = text.strip_prefix('-').unwrap_or(text).strip_prefix('P') else { return false };
    match text.split_once('T') {
        Some((date, time)) => {
            (date.is_empty() || parts(date, &['Y', 'M', 'D'])) && parts(time, &['H', 'M', 'S'])
        }
        None => parts(text, &['Y', 'M', 'D']),
    }
}

proptest! {
    #![proptest_config(crate::testing::config())]

    #[test]
    fn texts_are_read_exactly((text, months, nanoseconds) in parts()) {
        prop_assume!(!text.ends_with('P'));
        let duration = read(&text);
        prop_assert_eq!(i128::from(duration.months()), months);
        prop_assert_eq!(duration.nanoseconds(), nanoseconds);
    }

    #[test]
    fn what_is_written_reads_back(months: i32, nanoseconds: i128, shift in 0u32..126, few in 0u32..32) {
        let nanoseconds = nanoseconds >> shift;
        let months = (months >> few).checked_abs().map_or(0, |it| it * nanoseconds.signum() as i32);
        if let Some(duration) = Duration::new(months, nanoseconds) {
            prop_assert_eq!(duration.months(), months);
            prop_assert_eq!(duration.nanoseconds(), nanoseconds);
            prop_assert_eq!(read(&duration.to_string()), duration);
            prop_assert!(is_duration(&duration.to_string()));
        } else {
            prop_assert!(nanoseconds.unsigned_abs() >= 1_000_000_000 << 63);
        }
    }

    #[test]
    fn the_grammar_is_kept(text in "-?P([0-9]{0,2}[YMDT.]?){0,3}(T([0-9]{0,2}[HMS.]?){0,4})?|[-P0-9YMDTHS.]{0,9}") {
        let read = Duration::parse_xml(text.as_bytes());
        prop_assert_eq!(read.is_ok(), is_duration(&text), "{} {:?}", text, read);
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
        let _ = Duration::parse_xml(&bytes);
    }

    /// It turns round with its sides, and never contradicts the shortest and longest months.
    #[test]
    fn the_order_is_an_order(a in -40i32..40, b in -1500i64..1500, c in -40i32..40, d in -1500i64..1500) {
        let duration = |months: i32, days: i64| Duration::new(months, i128::from(days) * i128::from(DAY));
        if let (Some(x), Some(y)) = (duration(a, b), duration(c, d)) {
            let order = x.partial_cmp(&y);
            prop_assert_eq!(order, y.partial_cmp(&x).map(Ordering::reverse));
            prop_assert_eq!(order == Some(Ordering::Equal), x == y);
            // What 28 to 31 days for each month leave open is all that may be.
            let shortest = 28 * i64::from(a - c) + b - d;
            let longest = 31 * i64::from(a - c) + b - d;
            if shortest.signum() == longest.signum() && shortest != 0 {
                prop_assert_eq!(order, Some(shortest.cmp(&0)));
            }
        }
    }
}
