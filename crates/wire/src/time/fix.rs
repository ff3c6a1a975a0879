//! The FIX forms: `YYYYMMDD`, `HH:MM:SS`, `HH:MM:SS.sss`, and both joined by `-` (FIX 4.4 volume 1,
//! data types; fractions of any length as in FIX Latest, of which nine digits are kept). FIX times are
//! UTC; a time without a zone is written as if it were.

use super::parts::{check_form, check_fraction, clock, read_clock, read_fraction, write_fraction};
use super::{Date, Time, Timestamp};
use crate::digits;
use crate::value::{ValueError, Window, put};

impl Date {
    /// Reads the whole of `bytes` as `YYYYMMDD`.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::OutOfRange`] if there is no such day.
    #[inline]
    pub fn parse_fix(bytes: &[u8]) -> Result<Self, ValueError> {
        let date = <[u8; 8]>::try_from(bytes).ok().and_then(read_date);
        date.ok_or_else(|| explain(bytes, b"00000000", false))
    }

    /// Writes `YYYYMMDD` to the front of `out` and returns its length.
    #[inline]
    pub fn write_fix(self, out: &mut Window) -> usize {
        put(out, 0, date_word(self));
        8
    }
}

impl Time {
    /// Reads the whole of `bytes` as `HH:MM:SS`, with or without a fraction.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooPrecise`] at a digit behind the ninth decimal that is not zero,
    /// [`ValueError::OutOfRange`] if there is no such time.
    #[inline]
    pub fn parse_fix(bytes: &[u8]) -> Result<Self, ValueError> {
        read_time(bytes).ok_or_else(|| explain(bytes, b"00:00:00", true))
    }

    /// Writes `HH:MM:SS`, and three, six or nine decimals unless all are zero, to the front of
    /// `out`; returns the length, at most 18.
    #[inline]
    pub fn write_fix(self, out: &mut Window) -> usize {
        put(out, 0, clock(self));
        write_fraction(self.nanosecond(), 0, out, 8)
    }
}

impl Timestamp {
    /// Reads the whole of `bytes` as `YYYYMMDD-HH:MM:SS`, with or without a fraction.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::TooPrecise`] at a digit behind the ninth decimal that is not zero,
    /// [`ValueError::OutOfRange`] if there is no such day or time.
    #[inline]
    pub fn parse_fix(bytes: &[u8]) -> Result<Self, ValueError> {
        read_timestamp(bytes).ok_or_else(|| explain(bytes, b"00000000-00:00:00", true))
    }

    /// Writes `YYYYMMDD-HH:MM:SS`, and three, six or nine decimals unless all are zero, to the
    /// front of `out`; returns the length, at most 27.
    #[inline]
    pub fn write_fix(self, out: &mut Window) -> usize {
        put(out, 0, date_word(self.date()));
        out[8] = b'-';
        put(out, 9, clock(self.time()));
        write_fraction(self.time().nanosecond(), 0, out, 17)
    }
}

#[inline(always)]
fn read_date(text: [u8; 8]) -> Option<Date> {
    let digits = u64::from_le_bytes(text) ^ u64::from_le_bytes([b'0'; 8]);
    if !digits::are_digits(digits) {
        return None;
    }
    let pairs = digits * 10 + (digits >> 8);
    let pair = |at: u32| (pairs >> (8 * at)) as u8;
    Date::new(u16::from(pair(0)) * 100 + u16::from(pair(2)), pair(4), pair(6))
}

#[inline(always)]
fn read_time(bytes: &[u8]) -> Option<Time> {
    let (text, fraction) = bytes.split_first_chunk::<8>()?;
    let [hour, minute, second] = read_clock(*text)?;
    let nanosecond = match fraction {
        [] => 0,
        [b'.', digits @ ..] => read_fraction(digits)?,
        _ => return None,
    };
    Time::new(hour, minute, second, nanosecond)
}

#[inline(always)]
fn read_timestamp(bytes: &[u8]) -> Option<Timestamp> {
    let (date, rest) = bytes.split_first_chunk::<8>()?;
    let (b'-', time) = rest.split_first()? else { return None };
    Some(Timestamp::new(read_date(*date)?, read_time(time)?))
}

/// `YYYYMMDD` as a word.
#[inline(always)]
fn date_word(date: Date) -> u64 {
    let year = u64::from(date.year());
    let century = year / 100;
    let pairs = century
        | (year - century * 100) << 16
        | u64::from(date.month()) << 32
        | u64::from(date.day()) << 48;
    digits::text(digits::split_pairs(pairs, 0x000f_000f_000f_000f))
}

#[cold]
fn explain(bytes: &[u8], form: &[u8], fraction: bool) -> ValueError {
    let formed = check_form(bytes, form).and_then(|()| match bytes.len() - form.len() {
        0 => Ok(()),
        _ if !fraction => Err(ValueError::Malformed { at: form.len() }),
        _ => check_fraction(bytes, form.len()),
    });
    formed.err().unwrap_or(ValueError::OutOfRange)
}
