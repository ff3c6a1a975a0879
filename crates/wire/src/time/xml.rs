//! The XML Schema forms: `YYYY-MM-DD`, `HH:MM:SS.sss`, both joined by `T`, and a time zone behind.
//! Times are brought to UTC, as the canonical form has them; a day cannot be, and keeps its zone.

use std::str::FromStr;

use super::parts::{check_form, check_fraction, clock, read_clock, read_fraction, write_fraction};
use super::{Date, FARTHEST_ZONE, Time, Timestamp};
use crate::digits;
use crate::value::{ValueError, Window, put};

const MINUTES_A_DAY: i32 = 24 * 60;

macro_rules! from_text {
    ($($type:ty)*) => {$(
        /// The form of XML Schema, which is that of ISO 8601.
        impl FromStr for $type {
            type Err = ValueError;

            fn from_str(text: &str) -> Result<Self, ValueError> {
                Self::parse_xml(text.as_bytes())
            }
        }
    )*};
}

from_text!(Date Time Timestamp);

impl Date {
    /// Reads the whole of `bytes` as `YYYY-MM-DD`, with or without a time zone, which is kept: `Z`,
    /// `+hh:mm` or `-hh:mm`.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::OutOfRange`] if there is no such day or time zone.
    #[inline]
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        let date = <&[u8; 10]>::try_from(bytes).ok().and_then(read_date);
        date.map_or_else(|| parse_zoned_date(bytes), Ok)
    }

    /// Writes `YYYY-MM-DD`, and the time zone if it has one, to the front of `out`; returns the
    /// length, at most 16.
    #[inline]
    pub fn write_xml(self, out: &mut Window) -> usize {
        write_date(self, out);
        match self.zone() {
            None => 10,
            Some(minutes) => write_offset(minutes, out),
        }
    }
}

impl Time {
    /// Reads the whole of `bytes` as `HH:MM:SS`, with or without a fraction, in the time zone `Z`,
    /// `+hh:mm` or `-hh:mm` behind it, or without one. `24:00:00` is midnight.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooPrecise`] at a digit behind the ninth decimal that is not zero,
    /// [`ValueError::OutOfRange`] if there is no such time or time zone.
    #[inline]
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        let (local, zoned) = without_z(bytes);
        let time = read_time(local).and_then(|([hour, minute, second], fraction)| {
            Time::new(hour, minute, second, fraction)
        });
        match time {
            Some(time) => Ok(zoned_or_not(time, zoned)),
            None => parse_zoned_time(bytes),
        }
    }

    /// Writes `HH:MM:SS` with three, six or nine decimals to the front of `out`, and `Z` if `zone` is
    /// asked for and the time is in UTC; returns the length, at most 19.
    #[inline]
    pub fn write_xml(self, zone: bool, out: &mut Window) -> usize {
        put(out, 0, clock(self));
        let end = write_fraction(self.nanosecond(), 3, out, 8);
        write_z(zone & self.is_utc(), out, end)
    }
}

impl Timestamp {
    /// Reads the whole of `bytes` as `YYYY-MM-DDTHH:MM:SS`, with or without a fraction, in the
    /// time zone `Z`, `+hh:mm` or `-hh:mm` behind it, or without one. `24:00:00` is the first moment
    /// of the next day.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooPrecise`] at a digit behind the ninth decimal that is not zero,
    /// [`ValueError::OutOfRange`] if there is no such day, time or time zone.
    #[inline]
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        if let Ok(text) = <&[u8; 24]>::try_from(bytes)
            && let Some(timestamp) = read_moment(text)
        {
            return Ok(timestamp);
        }
        let (local, zoned) = without_z(bytes);
        match read_timestamp(local) {
            Some(Timestamp { date, time }) => Ok(Self { date, time: zoned_or_not(time, zoned) }),
            None => parse_zoned(bytes),
        }
    }

    /// Writes `YYYY-MM-DDTHH:MM:SS` with three, six or nine decimals to the front of `out`, and `Z`
    /// if `zone` is asked for and the moment is in UTC; returns the length, at most 30.
    #[inline]
    pub fn write_xml(self, zone: bool, out: &mut Window) -> usize {
        let zone = zone & self.is_utc();
        let milliseconds = self.time().nanosecond() / 1_000_000;
        if milliseconds * 1_000_000 == self.time().nanosecond() {
            write_moment(self, milliseconds, out);
            return 23 + usize::from(zone);
        }
        self.write_long(zone, out)
    }

    #[inline(never)]
    fn write_long(self, zone: bool, out: &mut Window) -> usize {
        write_date(self.date(), out);
        out[10] = b'T';
        put(out, 11, clock(self.time()));
        let end = write_fraction(self.time().nanosecond(), 3, out, 19);
        write_z(zone, out, end)
    }
}

/// What stands before a `Z`, and whether there is one.
#[inline(always)]
fn without_z(bytes: &[u8]) -> (&[u8], bool) {
    match bytes {
        [local @ .., b'Z'] => (local, true),
        _ => (bytes, false),
    }
}

/// The time, which is in UTC, or shown in a zone that is not told.
#[inline(always)]
fn zoned_or_not(time: Time, zoned: bool) -> Time {
    if zoned { time } else { time.without_zone() }
}

#[inline(always)]
fn write_z(zone: bool, out: &mut Window, end: usize) -> usize {
    out[end.min(39)] = b'Z';
    end + usize::from(zone)
}

/// Writes the zone of a day behind it; returns where it ends.
#[inline(never)]
fn write_offset(minutes: i16, out: &mut Window) -> usize {
    if minutes == 0 {
        return write_z(true, out, 10);
    }
    let (hours, rest) = (minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60);
    let digits = [hours / 10, hours % 10, rest / 10, rest % 10].map(|digit| b'0' + digit as u8);
    let sign = if minutes < 0 { b'-' } else { b'+' };
    out[10..16].copy_from_slice(&[sign, digits[0], digits[1], b':', digits[2], digits[3]]);
    16
}

#[inline(always)]
fn read_date(text: &[u8; 10]) -> Option<Date> {
    let [front @ .., tens, ones] = text;
    let digits = u64::from_le_bytes(*front) ^ u64::from_le_bytes(*b"0000-00-");
    let day = u64::from(tens ^ b'0') | u64::from(ones ^ b'0') << 8;
    // Where the hyphens were, zero alone is right.
    let limits = u64::from_le_bytes(*b"\x76\x76\x76\x76\x7f\x76\x76\x7f");
    let wrong = digits.wrapping_add(limits) | digits | (day + 0x7676) | day;
    if wrong & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits * 10 + (digits >> 8);
    let pair = |at: u32| (pairs >> (8 * at)) as u8;
    let year = u16::from(pair(0)) * 100 + u16::from(pair(2));
    Date::new(year, pair(5), (day * 10 + (day >> 8)) as u8)
}

/// A timestamp that ends in milliseconds and `Z`, as most do: all digits are checked together.
#[inline(always)]
fn read_moment(text: &[u8; 24]) -> Option<Timestamp> {
    let words = text.as_chunks::<8>().0;
    let digits =
        |at: usize, form: &[u8; 8]| u64::from_le_bytes(words[at]) ^ u64::from_le_bytes(*form);
    // Where no digit is wanted, zero alone is right.
    let wrong =
        |digits: u64, limits: &[u8; 8]| digits.wrapping_add(u64::from_le_bytes(*limits)) | digits;
    let (month, minute, millisecond) =
        (digits(0, b"0000-00-"), digits(1, b"00T00:00"), digits(2, b":00.000Z"));
    let wrong = wrong(month, b"\x76\x76\x76\x76\x7f\x76\x76\x7f")
        | wrong(minute, b"\x76\x76\x7f\x76\x76\x7f\x76\x76")
        | wrong(millisecond, b"\x7f\x76\x76\x7f\x76\x76\x76\x7f");
    if wrong & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let [month, minute, millisecond] =
        [month, minute, millisecond].map(|digits| digits * 10 + (digits >> 8));
    let pair = |pairs: u64, at: u32| (pairs >> (8 * at)) as u8;
    let year = u16::from(pair(month, 0)) * 100 + u16::from(pair(month, 2));
    let date = Date::new(year, pair(month, 5), pair(minute, 0))?;
    // Hundreds of milliseconds stand before a pair.
    let hundreds = u32::from(text[20] & 0x0f);
    let nanosecond = (hundreds * 100 + u32::from(pair(millisecond, 5))) * 1_000_000;
    let time = Time::new(pair(minute, 3), pair(minute, 6), pair(millisecond, 1), nanosecond)?;
    Some(Timestamp::new(date, time))
}

/// The clock, not yet checked in range, and the nanoseconds.
#[inline(always)]
fn read_time(bytes: &[u8]) -> Option<([u8; 3], u32)> {
    let (text, fraction) = bytes.split_first_chunk::<8>()?;
    let nanosecond = match fraction {
        [] => 0,
        [b'.', digits @ ..] => read_fraction(digits)?,
        _ => return None,
    };
    Some((read_clock(*text)?, nanosecond))
}

/// A timestamp without its zone.
#[inline(always)]
fn read_timestamp(bytes: &[u8]) -> Option<Timestamp> {
    let (date, rest) = bytes.split_first_chunk::<10>()?;
    let (b'T', time) = rest.split_first()? else { return None };
    let ([hour, minute, second], nanosecond) = read_time(time)?;
    Some(Timestamp::new(read_date(date)?, Time::new(hour, minute, second, nanosecond)?))
}

/// What stands before the time zone, and the zone in minutes ahead of UTC if there is one.
fn split_zone<'a>(bytes: &'a [u8], form: &[u8]) -> (&'a [u8], Option<Result<i16, ValueError>>) {
    if let (local, true) = without_z(bytes) {
        return (local, Some(Ok(0)));
    }
    match bytes.split_last_chunk::<6>() {
        Some((local, zone)) if local.len() >= form.len() && matches!(zone[0], b'+' | b'-') => {
            (local, Some(parse_offset(zone).map_err(|error| error.after(local.len()))))
        }
        _ => (bytes, None),
    }
}

/// Reads a timestamp with a time zone in hours and minutes, or at `24:00:00`, or finds out what is
/// wrong.
#[inline(never)]
fn parse_zoned(bytes: &[u8]) -> Result<Timestamp, ValueError> {
    let (local, zone) = split_zone(bytes, MOMENT);
    check(local, bytes, MOMENT)?;
    let moment = shifted(local, zone.transpose()?).ok_or(ValueError::OutOfRange)?;
    // The year before 0001 has no name that means the same to all: it is -0001 in XML Schema 1.0 (part 2, 3.2.7), 0000 in 1.1.
    match moment.date().year() == 0 && !local.starts_with(b"0000") {
        true => Err(ValueError::OutOfRange),
        false => Ok(moment),
    }
}

/// The same for a time of day.
#[inline(never)]
fn parse_zoned_time(bytes: &[u8]) -> Result<Time, ValueError> {
    let (local, zone) = split_zone(bytes, CLOCK);
    check(local, bytes, CLOCK)?;
    let zone = zone.transpose()?;
    let time = read_time(local).and_then(|(clock, fraction)| clock_in_utc(clock, fraction, zone));
    time.map(|(time, _)| time).ok_or(ValueError::OutOfRange)
}

/// The same for a day.
#[inline(never)]
fn parse_zoned_date(bytes: &[u8]) -> Result<Date, ValueError> {
    let (local, zone) = split_zone(bytes, DATE);
    check(local, bytes, DATE)?;
    let date = <&[u8; 10]>::try_from(local).ok().and_then(read_date);
    let zone = zone.transpose()?;
    date.and_then(|date| date.with_zone(zone)).ok_or(ValueError::OutOfRange)
}

/// Minutes to be added to UTC.
fn parse_offset(zone: &[u8; 6]) -> Result<i16, ValueError> {
    check_form(&zone[1..], b"00:00").map_err(|error| error.after(1))?;
    let pair = |at: usize| i16::from(zone[at] - b'0') * 10 + i16::from(zone[at + 1] - b'0');
    let (hours, minutes) = (pair(1), pair(4));
    if minutes >= 60 || hours * 60 + minutes > FARTHEST_ZONE {
        return Err(ValueError::OutOfRange);
    }
    let offset = hours * 60 + minutes;
    Ok(if zone[0] == b'-' { -offset } else { offset })
}

/// The moment at which clocks that are `zone` minutes ahead of UTC show `local`.
fn shifted(local: &[u8], zone: Option<i16>) -> Option<Timestamp> {
    let (date, rest) = local.split_first_chunk::<10>()?;
    let (clock, nanosecond) = read_time(rest.get(1..)?)?;
    let (time, days) = clock_in_utc(clock, nanosecond, zone)?;
    let days = read_date(date)?.unix_days() + days;
    Some(Timestamp::new(Date::from_unix_days(days)?, time))
}

/// What clocks in UTC show when those in `zone` show this, and how many days from theirs; without
/// a zone, the same. The hour 24 is that at which a day ends, and no other moment of it.
fn clock_in_utc(
    [hour, minute, second]: [u8; 3],
    nanosecond: u32,
    zone: Option<i16>,
) -> Option<(Time, i32)> {
    let is_end_of_day = hour == 24 && (minute, second, nanosecond) == (0, 0, 0);
    if (hour >= 24 && !is_end_of_day) || minute >= 60 {
        return None;
    }
    let minutes = i32::from(hour) * 60 + i32::from(minute) - i32::from(zone.unwrap_or(0));
    let days = minutes.div_euclid(MINUTES_A_DAY);
    let minutes = minutes.rem_euclid(MINUTES_A_DAY);
    let time = Time::new((minutes / 60) as u8, (minutes % 60) as u8, second, nanosecond)?;
    Some((zoned_or_not(time, zone.is_some()), days))
}

/// `YYYY-MM-DDTHH:MM:SS.sssZ` to the front of `out`.
#[inline(always)]
fn write_moment(moment: Timestamp, milliseconds: u32, out: &mut Window) {
    let Timestamp { date, time } = moment;
    let minute =
        u64::from(date.day()) | u64::from(time.hour()) << 24 | u64::from(time.minute()) << 48;
    let hundreds = u64::from((milliseconds * 41) >> 12);
    let pair = u64::from(milliseconds) - hundreds * 100;
    let second = u64::from(time.second()) << 8 | pair << 40;
    let minute = digits::split_pairs(minute, 0x000f_0000_0f00_000f);
    let second = digits::split_pairs(second, 0x0000_0f00_0000_0f00) | hundreds << 32;
    put(out, 0, month(date));
    put(out, 8, minute | u64::from_le_bytes(*b"00T00:00"));
    put(out, 16, second | u64::from_le_bytes(*b":00.000Z"));
}

/// `YYYY-MM-` as a word.
#[inline(always)]
fn month(date: Date) -> u64 {
    let year = u64::from(date.year());
    let century = year / 100;
    let pairs = century | (year - century * 100) << 16 | u64::from(date.month()) << 40;
    digits::split_pairs(pairs, 0x0000_0f00_000f_000f) | u64::from_le_bytes(*b"0000-00-")
}

/// `YYYY-MM-DD` to the front of `out`.
#[inline(always)]
fn write_date(date: Date, out: &mut Window) {
    put(out, 0, month(date));
    let day = digits::split_pairs(u64::from(date.day()), 0x0f) as u16;
    out[8..10].copy_from_slice(&(day | u16::from_le_bytes(*b"00")).to_le_bytes());
}

const DATE: &[u8] = b"0000-00-00";
const CLOCK: &[u8] = b"00:00:00";
const MOMENT: &[u8] = b"0000-00-00T00:00:00";

/// Whether `unzoned` has the form, with any fraction if that ends in a clock. `bytes` is the text
/// with its zone: where that starts too early, it is out of place itself.
fn check(unzoned: &[u8], bytes: &[u8], form: &[u8]) -> Result<(), ValueError> {
    check_form(if unzoned.len() < form.len() { bytes } else { unzoned }, form)?;
    if form == DATE && unzoned.len() > form.len() {
        return Err(ValueError::Malformed { at: form.len() });
    }
    check_fraction(unzoned, form.len())
}
