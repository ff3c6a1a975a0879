//! Dates and times: FIX `UTCDateOnly`, `UTCTimeOnly` and `UTCTimestamp`, XML Schema `xsd:date`,
//! `xsd:time`, `xsd:dateTime` and `xsd:duration` (Part 2, 3.2.6 to 3.2.9).
//!
//! Times are UTC, or of a zone that nobody told: XML may leave it out, and a guess would shift what
//! comes back. Their parts are kept apart, so that text is read and written without dividing.

mod duration;
mod fix;
mod parts;
mod xml;

use std::fmt;

pub use duration::Duration;

use crate::value::Window;

const NANOSECONDS: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * NANOSECONDS;

/// A day of the Gregorian calendar in the years 0 to 9999, in some time zone if it has one.
///
/// Days without a zone come before the same day with one. It is one word, as a time is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(u64); // from the top: 16 bits of zeros, year 16 bits, month 8, day 8, zone 16

/// Bits of a date for its zone: 0 without one, else minutes ahead of UTC and this.
const ZONE_OF_DATE: u64 = 0xffff;
const UTC_OF_DATE: i32 = 0x8000;

/// Largest distance of a time zone from UTC in minutes (XML Schema Part 2, 3.2.7).
const FARTHEST_ZONE: i16 = 14 * 60;

/// A time of day in nanoseconds, in UTC or without a zone; 23:59:60 is the leap second.
///
/// Times in UTC come before those without a zone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64); // from the top: no zone 1 bit, hour 15 bits, minute 8, second 8, nanosecond 32

/// The bit of a time without a zone.
const WITHOUT_ZONE: u64 = 1 << 63;

/// A moment in UTC, or what clocks show in a zone that is not told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp {
    date: Date,
    time: Time,
}

impl Date {
    /// The day 1970-01-01, from which Unix time counts.
    pub const EPOCH: Self = Self::from_parts(1970, 1, 1);

    /// The day of these numbers, counted as people do, without a zone; `None` if there is no such
    /// day.
    #[inline]
    pub const fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        if year > 9999 || month.wrapping_sub(1) >= 12 {
            return None;
        }
        // Most days need no look at the calendar.
        if day.wrapping_sub(1) >= 28 && (day == 0 || day > days_in_month(year, month)) {
            return None;
        }
        Some(Self::from_parts(year, month, day))
    }

    #[inline(always)]
    const fn from_parts(year: u16, month: u8, day: u8) -> Self {
        Self((year as u64) << 32 | (month as u64) << 24 | (day as u64) << 16)
    }

    /// The year, 0..=9999.
    #[inline]
    pub const fn year(self) -> u16 {
        (self.0 >> 32) as u16
    }

    /// The month, 1..=12.
    #[inline]
    pub const fn month(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The day of the month, 1..=31.
    #[inline]
    pub const fn day(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// The time zone whose day it is, in minutes ahead of UTC. Most days have none.
    #[inline]
    pub const fn zone(self) -> Option<i16> {
        match self.0 & ZONE_OF_DATE {
            0 => None,
            zone => Some((zone as i32 - UTC_OF_DATE) as i16),
        }
    }

    /// The same day in this time zone, or without one; `None` if the zone is more than 14 hours
    /// from UTC.
    #[inline]
    pub const fn with_zone(self, minutes: Option<i16>) -> Option<Self> {
        let day = self.without_zone();
        match minutes {
            None => Some(day),
            Some(zone) if zone >= -FARTHEST_ZONE && zone <= FARTHEST_ZONE => {
                Some(Self(day.0 | (zone as i32 + UTC_OF_DATE) as u64))
            }
            Some(_) => None,
        }
    }

    #[inline]
    const fn without_zone(self) -> Self {
        Self(self.0 & !ZONE_OF_DATE)
    }

    /// Days since 1970-01-01, negative before.
    #[inline]
    pub const fn unix_days(self) -> i32 {
        // Years begin in March here, so that the leap day is the last of the year.
        let shifted = (self.month() as i32 + 9) % 12;
        let year = self.year() as i32 + 400 - (shifted >= 10) as i32;
        let day_of_year = (153 * shifted + 2) / 5 + self.day() as i32 - 1;
        365 * year + year / 4 - year / 100 + year / 400 + day_of_year - DAYS_TO_EPOCH
    }

    /// The day so many days after 1970-01-01; `None` outside the years 0 to 9999.
    #[inline]
    pub const fn from_unix_days(days: i32) -> Option<Self> {
        if days < FIRST_DAY || days > LAST_DAY {
            return None;
        }
        let days = days + DAYS_TO_EPOCH;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + (month <= 2) as i32 - 400;
        Some(Self::from_parts(year as u16, month as u8, day as u8))
    }
}

/// Days from the first of March of the year -400 to 1970-01-01.
const DAYS_TO_EPOCH: i32 = 719_468 + 146_097;
const FIRST_DAY: i32 = Date::from_parts(0, 1, 1).unix_days();
const LAST_DAY: i32 = Date::from_parts(9999, 12, 31).unix_days();

const fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        2 => {
            let leap =
                year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            28 + leap as u8
        }
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Time {
    /// The first moment of the day.
    pub const MIDNIGHT: Self = Self(0);

    /// The time in UTC of these parts; second 60 is the leap second and exists after 23:59:59 only.
    /// `None` if there is no such time.
    #[inline]
    pub const fn new(hour: u8, minute: u8, second: u8, nanosecond: u32) -> Option<Self> {
        if nanosecond as u64 >= NANOSECONDS {
            return None;
        }
        match Self::from_parts(hour, minute, second) {
            Some(Self(clock)) => Some(Self(clock | nanosecond as u64)),
            None => None,
        }
    }

    #[inline(always)]
    const fn from_parts(hour: u8, minute: u8, second: u8) -> Option<Self> {
        let leap = hour == 23 && minute == 59 && second == 60;
        if (hour < 24 && minute < 60 && second < 60) || leap {
            Some(Self((hour as u64) << 48 | (minute as u64) << 40 | (second as u64) << 32))
        } else {
            None
        }
    }

    /// Is it known to be in UTC? If not, nobody told the zone.
    #[inline]
    pub const fn is_utc(self) -> bool {
        self.0 & WITHOUT_ZONE == 0
    }

    /// What the clock shows, in a zone that is not told.
    #[inline]
    #[must_use]
    pub const fn without_zone(self) -> Self {
        Self(self.0 | WITHOUT_ZONE)
    }

    /// What the clock shows, taken for UTC.
    #[inline]
    #[must_use]
    pub const fn in_utc(self) -> Self {
        Self(self.0 & !WITHOUT_ZONE)
    }

    /// The hour, 0..=23.
    #[inline]
    pub const fn hour(self) -> u8 {
        (self.0 >> 48) as u8
    }

    /// The minute, 0..=59.
    #[inline]
    pub const fn minute(self) -> u8 {
        (self.0 >> 40) as u8
    }

    /// The second, 0..=60.
    #[inline]
    pub const fn second(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// The fraction of the second in nanoseconds, 0..=999,999,999.
    #[inline]
    pub const fn nanosecond(self) -> u32 {
        self.0 as u32
    }

    /// Nanoseconds since midnight; the leap second is the 86,401st.
    #[inline]
    pub const fn nanoseconds_since_midnight(self) -> u64 {
        let seconds = (self.hour() as u64 * 60 + self.minute() as u64) * 60 + self.second() as u64;
        seconds * NANOSECONDS + self.nanosecond() as u64
    }

    /// The time so many nanoseconds after midnight; `None` from 86,401 seconds on.
    #[inline]
    pub const fn from_nanoseconds_since_midnight(nanoseconds: u64) -> Option<Self> {
        let (seconds, nanosecond) =
            ((nanoseconds / NANOSECONDS) as u32, (nanoseconds % NANOSECONDS) as u32);
        match nanoseconds / NANOSECONDS {
            0..86_400 => {
                let (minutes, second) = (seconds / 60, seconds % 60);
                Self::new((minutes / 60) as u8, (minutes % 60) as u8, second as u8, nanosecond)
            }
            86_400 => Self::new(23, 59, 60, nanosecond),
            _ => None,
        }
    }
}

impl Timestamp {
    /// 1970-01-01 00:00:00, from which Unix time counts.
    pub const EPOCH: Self = Self { date: Date::EPOCH, time: Time::MIDNIGHT };

    /// The moment of a day and a time of day, whose zone it has.
    #[inline]
    pub const fn new(date: Date, time: Time) -> Self {
        Self { date: date.without_zone(), time }
    }

    /// Is it known to be in UTC? If not, nobody told the zone.
    #[inline]
    pub const fn is_utc(self) -> bool {
        self.time.is_utc()
    }

    /// What clock and calendar show, in a zone that is not told.
    #[inline]
    #[must_use]
    pub const fn without_zone(self) -> Self {
        Self { time: self.time.without_zone(), ..self }
    }

    /// What clock and calendar show, taken for UTC.
    #[inline]
    #[must_use]
    pub const fn in_utc(self) -> Self {
        Self { time: self.time.in_utc(), ..self }
    }

    /// The day.
    #[inline]
    pub const fn date(self) -> Date {
        self.date
    }

    /// The time of day.
    #[inline]
    pub const fn time(self) -> Time {
        self.time
    }

    /// Nanoseconds since 1970-01-01, negative before, taken for UTC. Unix time has no leap seconds: one counts
    /// as the first second of the next day.
    #[inline]
    pub const fn unix_nanoseconds(self) -> i128 {
        let nanoseconds = self.time.nanoseconds_since_midnight();
        self.date.unix_days() as i128 * DAY as i128 + nanoseconds as i128
    }

    /// The moment so many nanoseconds after 1970-01-01; `None` outside the years 0 to 9999.
    #[inline]
    pub fn from_unix_nanoseconds(nanoseconds: i128) -> Option<Self> {
        let (days, rest) = match i64::try_from(nanoseconds) {
            // Division in 64 bits is several times as fast.
            Ok(near) => {
                (near.div_euclid(DAY as i64) as i32, near.rem_euclid(DAY as i64).cast_unsigned())
            }
            Err(_) => {
                let days = nanoseconds.div_euclid(i128::from(DAY));
                let rest = nanoseconds.rem_euclid(i128::from(DAY));
                (i32::try_from(days).ok()?, rest as u64)
            }
        };
        let date = Date::from_unix_days(days)?;
        Some(Self { date, time: Time::from_nanoseconds_since_midnight(rest)? })
    }
}

impl Default for Date {
    #[inline]
    fn default() -> Self {
        Self::EPOCH
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.write_xml(out))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.write_xml(false, out))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.write_xml(true, out))
    }
}

fn show(f: &mut fmt::Formatter<'_>, write: impl Fn(&mut Window) -> usize) -> fmt::Result {
    let mut out = [0; 40];
    let length = write(&mut out);
    f.pad(str::from_utf8(&out[..length]).unwrap_or_default())
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// With its zone, which [`Display`](fmt::Display) leaves out, so that times that differ print otherwise.
impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, |out| self.write_xml(true, out))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
