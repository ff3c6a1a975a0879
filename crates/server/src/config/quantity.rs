//! Sizes, times and addresses as a configuration writes them.

use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserializer, Visitor};

const SIZES: [(&str, u64); 7] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
];

const TIMES: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Bytes from `64 MiB`, `200 kB`, `512 B` or a plain number of bytes.
///
/// # Errors
///
/// Says how a size is written.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("{text:?} is no size: write a number of bytes or one such as \"64 MiB\"");
    if let Ok(bytes) = text.trim().parse() {
        return Ok(bytes);
    }
    scaled(text, &SIZES).ok_or_else(wrong)
}

/// A time from `30s`, `500ms`, `20us`, `10ns`, `5min` or `1h`.
///
/// # Errors
///
/// Says how a time is written.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time: write a number and a unit, such as \"30s\"");
    scaled(text, &TIMES).map(Duration::from_nanos).ok_or_else(wrong)
}

/// A whole number with one of `units`, a space between them or none.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let scale = units.iter().find(|(name, _)| *name == unit.trim_start())?.1;
    number.parse::<u64>().ok()?.checked_mul(scale)
}

/// A size as [`parse_size`] reads it, in the largest unit that divides it.
pub fn size_text(bytes: u64) -> String {
    let units = [SIZES[2], SIZES[1], SIZES[0]];
    match units.into_iter().find(|(_, scale)| bytes >= *scale && bytes.is_multiple_of(*scale)) {
        Some((unit, scale)) => format!("{} {unit}", bytes / scale),
        None => format!("{bytes} B"),
    }
}

/// A time as [`parse_time`] reads it, in the largest unit that divides it.
pub fn time_text(time: Duration) -> String {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let units = [TIMES[3], TIMES[2], TIMES[1]];
    match units.into_iter().find(|(_, scale)| nanoseconds.is_multiple_of(*scale)) {
        Some((unit, scale)) => format!("{}{unit}", nanoseconds / scale),
        None => format!("{nanoseconds}ns"),
    }
}

/// Reads a size: a number of bytes, or a text with a unit.
pub(super) fn size<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    from.deserialize_any(SizeVisitor)
}

/// Reads a size that may be left out.
pub(super) fn optional_size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    size(from).map(Some)
}

/// Reads a time: a text with a unit.
pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    from.deserialize_str(TimeVisitor)
}

struct SizeVisitor;

impl Visitor<'_> for SizeVisitor {
    type Value = u64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a size: a number of bytes or a text such as \"64 MiB\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u64, E> {
        u64::try_from(value).map_err(|_| E::custom("a size is not negative"))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u64, E> {
        Ok(value)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
        parse_size(text).map_err(E::custom)
    }
}

struct TimeVisitor;

impl Visitor<'_> for TimeVisitor {
    type Value = Duration;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a time: a text such as \"30s\" or \"500ms\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
        parse_time(text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1000_and_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("512 B", 512),
            ("64MiB", 64 << 20),
            ("64 MiB", 64 << 20),
            ("3 kB", 3_000),
            ("1 GiB", 1 << 30),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
            assert_eq!(parse_size(&size_text(bytes)), Ok(bytes));
        }
        for text in ["", "MiB", "-1", "1.5 MiB", "64 mib", "99999999999 GiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_need_a_unit() {
        for (text, nanoseconds) in
            [("30s", 30_000_000_000), ("500ms", 500_000_000), ("20 us", 20_000), ("7ns", 7)]
        {
            let time = Duration::from_nanos(nanoseconds);
            assert_eq!(parse_time(text), Ok(time), "{text}");
            assert_eq!(parse_time(&time_text(time)), Ok(time));
        }
        for text in ["", "30", "s", "1.5s", "30 sec"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
