//! Sizes and times as a configuration writes them.

use std::fmt;
use std::time::Duration;

use serde::de::{self, Deserializer, Visitor};
use trunkline_wire::quantity::{self, SIZES, TIMES};

/// Bytes from `64 MiB`, `200 kB`, `512 B` or a plain number of bytes.
///
/// # Errors
///
/// Says how a size is written.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let size = text.trim().parse().ok().or_else(|| quantity::parse(text, &SIZES));
    size.ok_or_else(|| {
        format!("{text:?} is no size: write a number of bytes or one such as \"64 MiB\"")
    })
}

/// A time from `30s`, `500ms`, `20us`, `10ns`, `5min` or `1h`.
///
/// # Errors
///
/// Says how a time is written.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time: write a number and a unit, such as \"30s\"");
    quantity::parse(text, &TIMES).map(Duration::from_nanos).ok_or_else(wrong)
}

/// A size as [`parse_size`] reads it, in the largest unit of 1,024 that divides it.
pub fn size_text(bytes: u64) -> String {
    let (number, unit) = quantity::largest(bytes, &SIZES[..4]);
    format!("{number} {unit}")
}

/// A time as [`parse_time`] reads it, in seconds or the largest part of one that divides it.
pub fn time_text(time: Duration) -> String {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let (number, unit) = quantity::largest(nanoseconds, &TIMES[2..]);
    format!("{number}{unit}")
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
    fn sizes_are_told_as_they_are_read() {
        for (text, bytes) in
            [("0", 0), ("512", 512), ("64MiB", 64 << 20), ("3 kB", 3_000), ("1 GiB", 1 << 30)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
            assert_eq!(parse_size(&size_text(bytes)), Ok(bytes));
        }
        assert_eq!((size_text(64 << 20), size_text(0)), ("64 MiB".into(), "0 B".into()));
        for text in ["", "MiB", "-1", "64 mib", "99999999999 GiB"] {
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
        for text in ["", "30", "s", "30 sec"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
