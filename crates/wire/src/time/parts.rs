//! What the FIX and XML forms of dates and times share: clocks, fractions, and finding faults.

use super::Time;
use crate::digits::{self, POWERS};
use crate::value::{ValueError, Window, put};

const CLOCK: u64 = u64::from_le_bytes(*b"00:00:00");

/// The parts of `HH:MM:SS`, unchecked in range; `None` if it does not look so.
#[inline(always)]
pub(super) fn read_clock(text: [u8; 8]) -> Option<[u8; 3]> {
    let digits = u64::from_le_bytes(text) ^ CLOCK;
    // Where the colons were, zero alone is right.
    let limits = u64::from_le_bytes(*b"\x76\x76\x7f\x76\x76\x7f\x76\x76");
    if (digits.wrapping_add(limits) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits * 10 + (digits >> 8);
    Some([pairs as u8, (pairs >> 24) as u8, (pairs >> 48) as u8])
}

/// `HH:MM:SS` as a word.
#[inline(always)]
pub(super) fn clock(time: Time) -> u64 {
    let (hour, minute, second) =
        (u64::from(time.hour()), u64::from(time.minute()), u64::from(time.second()));
    let pairs = hour | minute << 24 | second << 48;
    digits::split_pairs(pairs, 0x000f_0000_0f00_000f) | CLOCK
}

/// The nanoseconds of the digits behind a decimal point; `None` also if they are no whole number of
/// nanoseconds.
#[inline(always)]
pub(super) fn read_fraction(digits: &[u8]) -> Option<u32> {
    let count = digits.len();
    let number = match digits {
        [hundreds, tens, ones] => {
            let [hundreds, tens, ones] = [hundreds, tens, ones].map(|digit| digit ^ b'0');
            if hundreds > 9 || tens > 9 || ones > 9 {
                return None;
            }
            (u64::from(hundreds) * 100 + u64::from(tens) * 10 + u64::from(ones)) * POWERS[6]
        }
        [eight @ .., last] if count == 9 => {
            let last = digits::number(digits::digits(&[*last]))?;
            digits::number(digits::digits(eight))? * 10 + last
        }
        _ if count <= 8 => digits::number(digits::digits(digits))? * POWERS[9 - count],
        _ => return read_precise_fraction(digits),
    };
    Some(number as u32)
}

/// More than nine digits, of which all behind the ninth are zeros.
#[cold]
fn read_precise_fraction(digits: &[u8]) -> Option<u32> {
    let (kept, beyond) = digits.split_at_checked(9)?;
    if beyond.iter().all(|digit| *digit == b'0') { read_fraction(kept) } else { None }
}

/// Writes point and digits of a fraction of a second at `at`: at least `least` digits (0 or 3), and
/// 3, 6 or 9 as they are needed. Returns where they end.
#[inline(always)]
pub(super) fn write_fraction(nanosecond: u32, least: usize, out: &mut Window, at: usize) -> usize {
    if nanosecond == 0 && least == 0 {
        return at;
    }
    let milliseconds = nanosecond / 1_000_000;
    if milliseconds * 1_000_000 != nanosecond {
        return write_long_fraction(nanosecond, out, at);
    }
    let hundreds = (milliseconds * 41) >> 12;
    let pair = u64::from(milliseconds - hundreds * 100);
    let pair = digits::split_pairs(pair, 0x0f);
    put(out, at, u64::from_le_bytes(*b".0000000") | u64::from(hundreds) << 8 | pair << 16);
    at + 4
}

#[inline(never)]
fn write_long_fraction(nanosecond: u32, out: &mut Window, at: usize) -> usize {
    let at = at.min(30);
    out[at] = b'.';
    put(out, at + 1, digits::text(digits::split(nanosecond / 10)));
    out[at + 9] = b'0' + (nanosecond % 10) as u8;
    at + if nanosecond.is_multiple_of(1_000) { 7 } else { 10 }
}

/// Compares `text` with a form in which `0` stands for a digit; what follows the form is not
/// looked at. Fails at the first byte that differs.
pub(super) fn check_form(text: &[u8], form: &[u8]) -> Result<(), ValueError> {
    if text.is_empty() {
        return Err(ValueError::Empty);
    }
    let fits = |at: usize, wanted: u8| match text.get(at) {
        Some(byte) if wanted == b'0' => byte.is_ascii_digit(),
        byte => byte == Some(&wanted),
    };
    match (0..form.len()).find(|&at| !fits(at, form[at])) {
        Some(at) => Err(ValueError::Malformed { at }),
        None => Ok(()),
    }
}

/// What is wrong with an optional fraction from `at` to the end.
pub(super) fn check_fraction(text: &[u8], at: usize) -> Result<(), ValueError> {
    let Some((point, digits)) = text[at..].split_first() else { return Ok(()) };
    if *point != b'.' {
        return Err(ValueError::Malformed { at });
    }
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 || count < digits.len() {
        return Err(ValueError::Malformed { at: at + 1 + count });
    }
    match digits.iter().skip(9).position(|digit| *digit != b'0') {
        Some(lost) => Err(ValueError::TooPrecise { at: at + 1 + 9 + lost }),
        None => Ok(()),
    }
}
