//! Lengths of time: XML Schema `xsd:duration` (Part 2, 3.2.6), written in the canonical form of
//! version 1.1 (3.3.6).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::parts::{check_fraction, read_fraction};
use super::{DAY, NANOSECONDS};
use crate::int::{Integer, plain_magnitude};
use crate::value::ValueError;

/// A length of time: whole months, and nanoseconds beside them, of which how many make a month
/// depends on the month. Both have the same sign.
///
/// Equal are durations of as many months and as many nanoseconds: `P1Y` and `P12M`, `P1D` and
/// `PT24H`, but not `P1M` and `P30D`. Their order is that of XML Schema, a partial one.
///
/// At most 2,147,483,647 months, and less than 2^63 seconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Duration {
    seconds: i64,
    /// The fraction of a second, with the sign of the whole.
    nanoseconds: i32,
    months: i32,
}

const SECONDS_A_DAY: u64 = DAY / NANOSECONDS;

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self { seconds: 0, nanoseconds: 0, months: 0 };

    /// Length of the longest text in bytes.
    pub const LONGEST: usize = "-P178956969Y11M106751991167300DT23H59M59.999999999S".len();

    /// So many months and nanoseconds; `None` if one is positive and one negative, or beyond the
    /// limits.
    pub fn new(months: i32, nanoseconds: i128) -> Option<Self> {
        let seconds = i64::try_from(nanoseconds / i128::from(NANOSECONDS)).ok()?;
        let fraction = (nanoseconds % i128::from(NANOSECONDS)) as i32;
        let signs = i128::from(months).signum() * nanoseconds.signum();
        let fits = months != i32::MIN && seconds != i64::MIN && signs >= 0;
        fits.then_some(Self { seconds, nanoseconds: fraction, months })
    }

    /// The whole months, twelve for each year.
    pub const fn months(self) -> i32 {
        self.months
    }

    /// The nanoseconds beside the months: of days (of 24 hours), hours, minutes and seconds.
    pub const fn nanoseconds(self) -> i128 {
        self.seconds as i128 * NANOSECONDS as i128 + self.nanoseconds as i128
    }

    /// Reads the whole of `bytes` as `PnYnMnDTnHnMnS`, with a `-` before it or not: parts may be left
    /// out but not all, nor all behind a `T`; their numbers may be of any size, the seconds with a
    /// fraction.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooPrecise`] at a digit behind the ninth decimal that is not zero,
    /// [`ValueError::OutOfRange`] beyond the limits.
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        if bytes.is_empty() {
            return Err(ValueError::Empty);
        }
        let mut text = Reader { bytes, at: 0 };
        let (mut months, mut seconds, mut nanoseconds) = (Some(0), Some(0), 0);
        let negative = text.takes(b'-');
        if !text.takes(b'P') {
            return Err(ValueError::Malformed { at: text.at });
        }
        text.part(12, b'Y', &mut months);
        text.part(1, b'M', &mut months);
        text.part(SECONDS_A_DAY, b'D', &mut seconds);
        if text.takes(b'T') {
            text.part(3600, b'H', &mut seconds);
            text.part(60, b'M', &mut seconds);
            nanoseconds = text.seconds(&mut seconds)?;
        }
        // The last byte is a designator if there is a part, and one behind a `T`.
        if text.at < bytes.len() || matches!(bytes.last(), Some(b'P' | b'T')) {
            return Err(text.malformed());
        }
        Self::signed(negative, months, seconds, nanoseconds).ok_or(ValueError::OutOfRange)
    }

    fn signed(
        negative: bool,
        months: Option<u64>,
        seconds: Option<u64>,
        nanoseconds: u32,
    ) -> Option<Self> {
        let months = i32::try_from(months?).ok()?;
        let seconds = i64::try_from(seconds?).ok()?;
        // Below a thousand million.
        let nanoseconds = nanoseconds as i32;
        Some(match negative {
            false => Self { seconds, nanoseconds, months },
            true => Self { seconds: -seconds, nanoseconds: -nanoseconds, months: -months },
        })
    }

    /// Writes the canonical form to the front of `out` and returns its length: less than 12 months,
    /// 24 hours, 60 minutes, 60 seconds, no part that is zero, no zeros behind a fraction; `PT0S`.
    pub fn write_xml(self, out: &mut [u8; Self::LONGEST]) -> usize {
        let mut text = Writer { out, at: 0 };
        let months = u64::from(self.months.unsigned_abs());
        let seconds = self.seconds.unsigned_abs();
        let nanoseconds = self.nanoseconds.unsigned_abs();
        if self.months < 0 || self.seconds < 0 || self.nanoseconds < 0 {
            text.bytes(b"-");
        }
        text.bytes(b"P");
        text.part(months / 12, b"Y");
        text.part(months % 12, b"M");
        text.part(seconds / SECONDS_A_DAY, b"D");
        let time = seconds % SECONDS_A_DAY;
        if time != 0 || nanoseconds != 0 {
            text.bytes(b"T");
            text.part(time / 3600, b"H");
            text.part(time / 60 % 60, b"M");
            text.seconds(time % 60, nanoseconds);
        } else if self == Self::ZERO {
            text.bytes(b"T0S");
        }
        text.at
    }

    /// Where this duration ends, if it starts with this month: seconds since 0000-03-01, and
    /// nanoseconds.
    fn end(self, start: i64) -> (i128, i32) {
        let days = first_day(start + i64::from(self.months));
        (i128::from(days) * i128::from(SECONDS_A_DAY) + i128::from(self.seconds), self.nanoseconds)
    }
}

/// Days from 0000-03-01 to the first day of a month, which is counted from January of the year 0.
fn first_day(month: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last of the year.
    let (year, month) = ((month - 2).div_euclid(12), (month - 2).rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5
}

/// A text that is read from the front.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn takes(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// Where the digits that come next end.
    fn digits(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// Adds a number of `units` to the total, if one comes next that this designator follows.
    fn part(&mut self, units: u64, designator: u8, total: &mut Option<u64>) {
        let end = self.digits();
        if end > self.at && self.bytes.get(end) == Some(&designator) {
            let number = plain_magnitude(&self.bytes[self.at..end]).ok();
            let product = number.and_then(|number| number.checked_mul(units));
            *total = total.zip(product).and_then(|(total, product)| total.checked_add(product));
            self.at = end + 1;
        }
    }

    /// Adds the seconds, if they come next; returns the nanoseconds of their fraction.
    fn seconds(&mut self, total: &mut Option<u64>) -> Result<u32, ValueError> {
        let point = self.digits();
        if point == self.at || self.bytes.get(point) != Some(&b'.') {
            self.part(1, b'S', total);
            return Ok(0);
        }
        let number = plain_magnitude(&self.bytes[self.at..point]).ok();
        *total = total.zip(number).and_then(|(total, number)| total.checked_add(number));
        self.at = point + 1;
        let end = self.digits();
        if end == point + 1 || self.bytes.get(end) != Some(&b'S') {
            return Err(ValueError::Malformed { at: end });
        }
        self.at = end + 1;
        check_fraction(&self.bytes[..end], point)?;
        Ok(read_fraction(&self.bytes[point + 1..end]).unwrap_or_default())
    }

    /// The error at the first byte that does not belong to the next part.
    fn malformed(&self) -> ValueError {
        ValueError::Malformed { at: self.digits() }
    }
}

/// A text that grows at its end.
struct Writer<'a> {
    out: &'a mut [u8; Duration::LONGEST],
    at: usize,
}

impl Writer<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    fn number(&mut self, number: u64) {
        let mut window = [0; 40];
        let length = number.write(&mut window);
        self.bytes(&window[..length]);
    }

    fn part(&mut self, number: u64, designator: &[u8]) {
        if number != 0 {
            self.number(number);
            self.bytes(designator);
        }
    }

    fn seconds(&mut self, seconds: u64, nanoseconds: u32) {
        if nanoseconds == 0 {
            return self.part(seconds, b"S");
        }
        self.number(seconds);
        let (mut digits, mut fraction) = ([b'.'; 10], nanoseconds);
        for digit in digits[1..].iter_mut().rev() {
            *digit = b'0' + (fraction % 10) as u8;
            fraction /= 10;
        }
        let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        self.bytes(&digits[..digits.len() - zeros]);
        self.bytes(b"S");
    }
}

/// By adding both to four moments, so chosen that what comes out the same for all of them does so
/// for any moment. What always ends together but is not equal, such as 400 years and 146,097 days,
/// has no order.
impl PartialOrd for Duration {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        /// September 1696, February 1697, March 1903, July 1903.
        const STARTS: [i64; 4] = [1696 * 12 + 8, 1697 * 12 + 1, 1903 * 12 + 2, 1903 * 12 + 6];
        if self == other {
            return Some(Ordering::Equal);
        }
        let [first, rest @ ..] = STARTS.map(|start| self.end(start).cmp(&other.end(start)));
        let agreed = first.is_ne() && rest == [first; 3];
        agreed.then_some(first)
    }
}

impl FromStr for Duration {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        Self::parse_xml(text.as_bytes())
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = [0; Self::LONGEST];
        let length = self.write_xml(&mut out);
        f.pad(str::from_utf8(&out[..length]).unwrap_or_default())
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
