//! Times: a clock that only goes on, and SendingTime.

use std::ops::Range;

use trunkline_wire::{Date, Time, Timestamp};

use crate::version::Version;

/// Now, by both clocks: a session asks for no time itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Nanoseconds by a clock that only goes on, for intervals.
    pub monotonic: u64,
    /// Nanoseconds since 1970 in UTC, for SendingTime (52).
    pub utc: i64,
}

impl Moment {
    /// The machine's clocks; `start` is any moment from which the first counts.
    pub fn now(start: std::time::Instant) -> Self {
        let utc = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let monotonic = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Self {
            monotonic,
            utc: utc.map_or(0, |it| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX)),
        }
    }

    /// UTCTimestamp, as a version writes it: with milliseconds from FIX 4.2 on.
    pub fn stamp(&self, version: Version) -> String {
        let mut text = Vec::with_capacity(24);
        Utc(self.utc).write(version.has_milliseconds(), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// A time of a message, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Utc(pub(crate) i64);

impl Utc {
    /// Reads UTCTimestamp: `20261126-09:30:00`, with up to twelve digits of fractions, of which nine count.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let (whole, fraction) = match text.split_first_chunk::<17>()? {
            (whole, []) => (whole, &b""[..]),
            (whole, [b'.', fraction @ ..]) if (1..=12).contains(&fraction.len()) => {
                (whole, fraction)
            }
            _ => return None,
        };
        if [whole[8], whole[11], whole[14]] != *b"-::" || !fraction.iter().all(u8::is_ascii_digit) {
            return None;
        }
        // Whether all are digits is asked once, for all of them.
        let digits = whole.map(|it| it.wrapping_sub(b'0'));
        let most = |range: Range<usize>| digits[range].iter().fold(0, |most, it| most.max(*it));
        if most(0..8).max(most(9..11)).max(most(12..14)).max(most(15..17)) > 9 {
            return None;
        }
        let two = |at: usize| digits[at] * 10 + digits[at + 1];
        let date = Date::new(u16::from(two(0)) * 100 + u16::from(two(2)), two(4), two(6))?;
        let (hour, minute, second) = (two(9), two(12), two(15));
        // A leap second is a time of the minute before.
        let time = Time::new(hour, minute, second.min(59), 0).filter(|_| second <= 60)?;
        let nanoseconds = (0..9)
            .fold(0, |sum, at| sum * 10 + fraction.get(at).map_or(0, |it| i64::from(it - b'0')));
        let seconds = i64::try_from(Timestamp::new(date, time).unix_nanoseconds()).ok()?;
        Some(Self(seconds + nanoseconds))
    }

    /// Appends UTCTimestamp, with milliseconds or without.
    pub(crate) fn write(self, has_milliseconds: bool, out: &mut Vec<u8>) {
        // A clock before the year 1 or beyond 9999 is wrong, and says 1970.
        let stamp = Timestamp::from_unix_nanoseconds(self.0.into())
            .or_else(|| Timestamp::from_unix_nanoseconds(0));
        let Some(stamp) = stamp else { return };
        let (date, time) = (stamp.date(), stamp.time());
        let mut digits = |number: u32, count: u32, end: &[u8]| {
            out.extend((0..count).rev().map(|at| b'0' + (number / 10_u32.pow(at) % 10) as u8));
            out.extend_from_slice(end);
        };
        digits(date.year().into(), 4, b"");
        digits(date.month().into(), 2, b"");
        digits(date.day().into(), 2, b"-");
        digits(time.hour().into(), 2, b":");
        digits(time.minute().into(), 2, b":");
        digits(time.second().into(), 2, b"");
        if has_milliseconds {
            out.push(b'.');
            let thousandths = time.nanosecond() / 1_000_000;
            out.extend((0..3).rev().map(|at| b'0' + (thousandths / 10_u32.pow(at) % 10) as u8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (text, has_milliseconds) in [
            ("20261126-09:30:00.123", true),
            ("19700101-00:00:00", false),
            ("20000229-23:59:59.999", true),
        ] {
            let time = Utc::parse(text.as_bytes()).expect("a time");
            let mut out = Vec::new();
            time.write(has_milliseconds, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "20261126",
            "20261126-09:30",
            "20261326-09:30:00",
            "20261126-25:30:00",
            "20261126-09:30:61",
            "20261126-09:30:00.",
            "20261126-09:30:00.12x",
            "20261126 09:30:00",
            "20261126-09:30:00.1234567890123",
        ] {
            assert_eq!(Utc::parse(text.as_bytes()), None, "{text}");
        }
        assert!(Utc::parse(b"20261231-23:59:60").is_some(), "a leap second");
    }
}
