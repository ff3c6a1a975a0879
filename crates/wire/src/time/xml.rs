//! The XML Schema forms: `YYYY-MM-DD`, `HH:MM:SS.sss`, both joined by `T`, and a time zone behind.

use super::parts::{check_form, check_fraction, clock, read_clock, read_fraction, write_fraction};
use super::{Date, Time, Timestamp};
use crate::digits;
use crate::value::{ValueError, Window, put};

const MINUTES_A_DAY: i32 = 24 * 60;

impl Date {
    /// Reads the whole of `bytes` as `YYYY-MM-DD`, with or without a `Z`, which says nothing.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::OutOfRange`] if there is no such day.
    #[inline]
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        let date = <[u8; 10]>::try_from(without_zone(bytes)).ok().and_then(|text| read_date(&text));
        date.ok_or_else(|| explain(without_zone(bytes), bytes, DATE))
    }

    /// Writes `YYYY-MM-DD`, and `Z` if `zone` is asked for, to the front of `out`; returns the
    /// length, at most 11.
    #[inline]
    pub fn write_xml(self, zone: bool, out: &mut Window) -> usize {
        write_date(self, out);
        write_zone(zone, out, 10)
    }
}

impl Time {
    /// Reads the whole of `bytes` as `HH:MM:SS`, with or without a fraction, and with or without
    /// a `Z`, which says nothing. Digits behind the ninth decimal are dropped.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::OutOfRange`] if there is no such time.
    #[inline]
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        let time = read_time(without_zone(bytes)).and_then(|([hour, minute, second], fraction)| {
            Time::new(hour, minute, second, fraction)
        });
        time.ok_or_else(|| explain(without_zone(bytes), bytes, CLOCK))
    }

    /// Writes `HH:MM:SS` with three, six or nine decimals, and `Z` if `zone` is asked for, to the
    /// front of `out`; returns the length, at most 19.
    #[inline]
    pub fn write_xml(self, zone: bool, out: &mut Window) -> usize {
        put(out, 0, clock(self));
        let end = write_fraction(self.nanosecond(), 3, out, 8);
        write_zone(zone, out, end)
    }
}

impl Timestamp {
    /// Reads the whole of `bytes` as `YYYY-MM-DDTHH:MM:SS`, with or without a fraction, in the
    /// time zone `Z`, `+hh:mm` or `-hh:mm` behind it, or else in UTC. Digits behind the ninth
    /// decimal are dropped.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::OutOfRange`] if there is no such day, time or time zone.
    #[inline]
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        if let Ok(text) = <&[u8; 24]>::try_from(bytes)
            && let Some(timestamp) = read_moment(text)
        {
            return Ok(timestamp);
        }
        match read_timestamp(without_zone(bytes)) {
            Some(timestamp) => Ok(timestamp),
            None => parse_zoned(bytes),
        }
    }

    /// Writes `YYYY-MM-DDTHH:MM:SS` with three, six or nine decimals, and `Z` if `zone` is asked
    /// for, to the front of `out`; returns the length, at most 30.
    #[inline]
    pub fn write_xml(self, zone: bool, out: &mut Window) -> usize {
        write_date(self.date(), out);
        out[10] = b'T';
        put(out, 11, clock(self.time()));
        let end = write_fraction(self.time().nanosecond(), 3, out, 19);
        write_zone(zone, out, end)
    }
}

#[inline(always)]
fn without_zone(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"Z").unwrap_or(bytes)
}

#[inline(always)]
fn write_zone(zone: bool, out: &mut Window, end: usize) -> usize {
    out[end.min(39)] = b'Z';
    end + usize::from(zone)
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
        [b'.', digits @ ..] if digits.len() <= 9 => read_fraction(digits)?,
        [b'.', digits @ ..] => read_long_fraction(digits)?,
        _ => return None,
    };
    Some((read_clock(*text)?, nanosecond))
}

#[cold]
fn read_long_fraction(digits: &[u8]) -> Option<u32> {
    let (kept, dropped) = digits.split_at_checked(9)?;
    if dropped.iter().all(u8::is_ascii_digit) { read_fraction(kept) } else { None }
}

/// A timestamp in UTC.
#[inline(always)]
fn read_timestamp(bytes: &[u8]) -> Option<Timestamp> {
    let (date, rest) = bytes.split_first_chunk::<10>()?;
    let (b'T', time) = rest.split_first()? else { return None };
    let ([hour, minute, second], nanosecond) = read_time(time)?;
    Some(Timestamp::new(read_date(date)?, Time::new(hour, minute, second, nanosecond)?))
}

/// Reads a timestamp with a time zone in hours and minutes, or finds out what is wrong.
#[inline(never)]
fn parse_zoned(bytes: &[u8]) -> Result<Timestamp, ValueError> {
    let (local, offset) = match bytes.split_last_chunk::<6>() {
        Some((local, zone)) if local.len() >= MOMENT.len() && matches!(zone[0], b'+' | b'-') => {
            let offset = parse_offset(zone).map_err(|error| error.after(local.len()));
            (local, Some(offset))
        }
        _ => (without_zone(bytes), None),
    };
    check(local, bytes, MOMENT)?;
    let offset = offset.ok_or(ValueError::OutOfRange)??;
    shifted(local, offset).ok_or(ValueError::OutOfRange)
}

/// Minutes to be added to UTC.
fn parse_offset(zone: &[u8; 6]) -> Result<i32, ValueError> {
    check_form(&zone[1..], b"00:00").map_err(|error| error.after(1))?;
    let pair = |at: usize| i32::from(zone[at] - b'0') * 10 + i32::from(zone[at + 1] - b'0');
    let (hours, minutes) = (pair(1), pair(4));
    if minutes >= 60 || hours * 60 + minutes > 14 * 60 {
        return Err(ValueError::OutOfRange);
    }
    let offset = hours * 60 + minutes;
    Ok(if zone[0] == b'-' { -offset } else { offset })
}

/// The moment at which clocks that are `offset` minutes ahead of UTC show `local`.
fn shifted(local: &[u8], offset: i32) -> Option<Timestamp> {
    let (date, rest) = local.split_first_chunk::<10>()?;
    let ([hour, minute, second], nanosecond) = read_time(rest.get(1..)?)?;
    if hour >= 24 || minute >= 60 {
        return None;
    }
    let minutes = i32::from(hour) * 60 + i32::from(minute) - offset;
    let days = read_date(date)?.unix_days() + minutes.div_euclid(MINUTES_A_DAY);
    let minutes = minutes.rem_euclid(MINUTES_A_DAY);
    let time = Time::new((minutes / 60) as u8, (minutes % 60) as u8, second, nanosecond)?;
    Some(Timestamp::new(Date::from_unix_days(days)?, time))
}

/// `YYYY-MM-DD` to the front of `out`.
#[inline(always)]
fn write_date(date: Date, out: &mut Window) {
    let year = u64::from(date.year());
    let century = year / 100;
    let pairs = century | (year - century * 100) << 16 | u64::from(date.month()) << 40;
    let front = digits::split_pairs(pairs, 0x0000_0f00_000f_000f);
    put(out, 0, front | u64::from_le_bytes(*b"0000-00-"));
    let day = digits::split_pairs(u64::from(date.day()), 0x0f) as u16;
    out[8..10].copy_from_slice(&(day | u16::from_le_bytes(*b"00")).to_le_bytes());
}

const DATE: &[u8] = b"0000-00-00";
const CLOCK: &[u8] = b"00:00:00";
const MOMENT: &[u8] = b"0000-00-00T00:00:00";

#[cold]
fn explain(unzoned: &[u8], bytes: &[u8], form: &[u8]) -> ValueError {
    check(unzoned, bytes, form).err().unwrap_or(ValueError::OutOfRange)
}

/// Whether `unzoned` has the form, with any fraction if that ends in a clock. `bytes` is the text
/// with its zone: where that starts too early, it is out of place itself.
fn check(unzoned: &[u8], bytes: &[u8], form: &[u8]) -> Result<(), ValueError> {
    check_form(if unzoned.len() < form.len() { bytes } else { unzoned }, form)?;
    if form == DATE && unzoned.len() > form.len() {
        return Err(ValueError::Malformed { at: form.len() });
    }
    check_fraction(unzoned, form.len(), usize::MAX)
}
