//! Decimals: FIX `float`, `Price` and `Qty`, XML Schema `xsd:decimal` (Part 2, 3.2.3).
//!
//! Prices are integers times a power of ten, never binary floating point, and keep their digits:
//! 6.350 is written as it was read, yet equals 6.35.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use crate::digits::{self, POWERS};
use crate::float::Float;
use crate::int::{Integer, plain_magnitude};
use crate::value::{ValueError, Window, after_plus, put};

/// A decimal number: `mantissa` × 10 to the power of `exponent`, which is -18..=18.
///
/// Equality, order and hash go by the number, not by its digits.
#[derive(Clone, Copy, Default)]
pub struct Decimal {
    mantissa: i64,
    exponent: i8,
}

/// Largest distance of an exponent from zero.
const EXPONENT_LIMIT: i32 = 18;

/// Powers of ten that a double holds exactly and a decimal's exponent reaches.
const FLOAT_POWERS: [f64; 19] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];

impl Decimal {
    /// Zero, without a fraction.
    pub const ZERO: Self = Self { mantissa: 0, exponent: 0 };

    /// `mantissa` × 10 to the power of `exponent`; `None` if the exponent is not -18..=18.
    #[inline]
    pub const fn new(mantissa: i64, exponent: i8) -> Option<Self> {
        if exponent.unsigned_abs() as i32 <= EXPONENT_LIMIT {
            Some(Self { mantissa, exponent })
        } else {
            None
        }
    }

    /// The integer that the power of ten scales.
    #[inline]
    pub const fn mantissa(self) -> i64 {
        self.mantissa
    }

    /// The power of ten: the negative number of decimals, if it is negative.
    #[inline]
    pub const fn exponent(self) -> i8 {
        self.exponent
    }

    /// Reads the whole of `bytes` as a decimal: `6.35`, `-0.5`, and, as FIX allows, `.5` and `5.`;
    /// neither `+` nor an exponent.
    ///
    /// Trailing zeros are kept as long as the digits fit.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] at the first byte that does not belong there,
    /// [`ValueError::OutOfRange`] if mantissa or exponent does not fit.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, ValueError> {
        let negative = bytes.first() == Some(&b'-');
        let unsigned = &bytes[usize::from(negative)..];
        let short = if unsigned.len() <= 8 {
            parse_eight(digits::digits(unsigned), unsigned.len(), negative)
        } else {
            parse_long(unsigned, negative)
        };
        match short {
            Some(decimal) => Ok(decimal),
            None => parse_plain(bytes),
        }
    }

    /// Reads `source[start..end]`, like [`Decimal::parse`]; faster, because the digits can be
    /// loaded together with what stands before them.
    ///
    /// # Errors
    /// As [`Decimal::parse`], with positions counted from `start`; [`ValueError::Empty`] if the
    /// range is not within `source`.
    #[inline]
    pub fn parse_within(source: &[u8], start: usize, end: usize) -> Result<Self, ValueError> {
        let negative = source.get(start) == Some(&b'-');
        let length = end.wrapping_sub(start).wrapping_sub(usize::from(negative));
        if length.wrapping_sub(1) < 8
            && let Some(digits) = digits::digits_before(source, end, length)
            && let Some(decimal) = parse_eight(digits, length, negative)
        {
            return Ok(decimal);
        }
        parse_apart(source, start, end)
    }

    /// Reads the whole of `bytes` as an `xsd:decimal`: as [`Decimal::parse`] does, and besides with
    /// a leading `+`. Exponents are those of `xsd:double`.
    ///
    /// # Errors
    /// As [`Decimal::parse`].
    pub fn parse_xml(bytes: &[u8]) -> Result<Self, ValueError> {
        after_plus(bytes, Self::parse)
    }

    /// Reads the whole of `bytes` as [`Decimal::parse_xml`] does, and besides with an exponent
    /// (`1.2E-3`): a finite `xsd:double` (XML Schema Part 2, 3.2.5).
    ///
    /// # Errors
    /// As [`Decimal::parse`].
    pub fn parse_scientific(bytes: &[u8]) -> Result<Self, ValueError> {
        let Some(e) = bytes.iter().position(|byte| byte | 0x20 == b'e') else {
            return Self::parse_xml(bytes);
        };
        let (mantissa, exponent) = (&bytes[..e], &bytes[e + 1..]);
        let mantissa = Self::parse_xml(mantissa).map_err(|error| match error {
            ValueError::Empty => ValueError::Malformed { at: 0 },
            error => error,
        })?;
        let power = parse_power(exponent).map_err(|error| error.after(e + 1))?;
        fit(mantissa.mantissa, i32::from(mantissa.exponent) + power).ok_or(ValueError::OutOfRange)
    }

    /// Writes the value to the front of `out`, with as many decimals as it was read with, and
    /// returns the length of its text, at most 38.
    #[inline]
    pub fn write(self, out: &mut Window) -> usize {
        let magnitude = self.mantissa.unsigned_abs();
        let scale = i32::from(self.exponent).wrapping_neg() as u32;
        if magnitude >= POWERS[8] || scale >= 8 {
            return write_long(self, out);
        }
        let negative = usize::from(self.mantissa < 0);
        out[0] = b'-';
        let digits = digits::split(magnitude as u32);
        // The last digit before the point is written even when it is zero.
        let units = 1u64 << (8 * (7 - scale) + 7);
        let leading = (digits | units).trailing_zeros() & !7;
        let text = digits::text(digits);
        let point = negative + (8 - scale - leading / 8) as usize;
        put(out, negative, text >> leading);
        out[point & 31] = b'.';
        // Without decimals this and the point are garbage behind the end.
        put(out, point + 1, text.wrapping_shr(64 - 8 * scale));
        point + scale as usize + usize::from(scale > 0)
    }

    /// The nearest double.
    #[inline]
    pub fn to_f64(self) -> f64 {
        if self.mantissa.unsigned_abs() > 1 << 53 {
            return self.to_f64_by_text();
        }
        // Both operands are exact, so that the one operation rounds correctly. Zero goes with the
        // usual exponents, the negative ones, to spare the processor a guess.
        let power = FLOAT_POWERS[usize::from(self.exponent.unsigned_abs())];
        let mantissa = self.mantissa as f64;
        if self.exponent <= 0 { mantissa / power } else { mantissa * power }
    }

    #[cold]
    fn to_f64_by_text(self) -> f64 {
        let mut out = [0; 40];
        let length = self.write(&mut out);
        let text = str::from_utf8(&out[..length]).unwrap_or_default();
        text.parse().unwrap_or(f64::NAN)
    }

    /// The decimal with the fewest digits that reads back as `value`; negative zero becomes zero.
    ///
    /// `None` for NaN, the infinities, and values out of range.
    #[inline]
    pub fn from_f64(value: f64) -> Option<Self> {
        from_float(value)
    }

    /// The decimal with the fewest digits that reads back as `value` in single precision, as
    /// [`Decimal::from_f64`] has it for doubles: 0.1, where the double nearest to the float has
    /// 0.10000000149011612.
    #[inline]
    pub fn from_f32(value: f32) -> Option<Self> {
        from_float(value)
    }

    /// Mantissa and exponent without trailing zeros: the same for equal numbers.
    fn canonical(self) -> (i64, i32) {
        let (mut mantissa, mut exponent) = (self.mantissa, i32::from(self.exponent));
        if mantissa == 0 {
            return (0, 0);
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        (mantissa, exponent)
    }
}

/// At most eight characters as [`digits::digits`] gives them, of which one may be a point: the
/// number without the point, and the place of the point. `None` if they are anything else.
#[inline(always)]
fn squeeze(digits: u64) -> Option<(u64, Point)> {
    const LOW: u64 = u64::from_le_bytes([1; 8]);
    // Bit 7 of the first byte that is a point, or nothing.
    let other = digits ^ (LOW * u64::from(b'.' ^ b'0'));
    let points = other.wrapping_sub(LOW) & !other & (LOW << 7);
    let point = points & points.wrapping_neg();
    let found = u64::from(point != 0);
    // Close the gap: the digits before the point move up by a byte. Without one none do.
    let before = digits & (point >> 7).wrapping_sub(found);
    let behind = digits & !(point << 1).wrapping_sub(found);
    Some((digits::number(before << 8 | behind)?, Point(point.wrapping_sub(1))))
}

/// All bits below the highest of the byte with the point, or simply all bits.
#[derive(Clone, Copy)]
struct Point(u64);

impl Point {
    #[inline(always)]
    fn found(self) -> bool {
        self.0 != u64::MAX
    }

    /// How many characters stand behind the point; 0 without one.
    #[inline(always)]
    fn decimals(self) -> u32 {
        (self.0 | 1).leading_zeros() / 8
    }
}

/// Reads at most eight bytes without a sign; `None` if they are not digits with at most one point.
#[inline(always)]
fn parse_eight(digits: u64, length: usize, negative: bool) -> Option<Decimal> {
    let (magnitude, point) = squeeze(digits)?;
    if length == 1 && point.found() {
        return None;
    }
    Some(signed(magnitude, point.decimals(), negative))
}

/// As [`parse_eight`], for 9 to 16 bytes; `None` if there are more.
#[inline(always)]
fn parse_sixteen(bytes: &[u8], negative: bool) -> Option<Decimal> {
    let (high, low) = bytes.split_last_chunk::<8>()?;
    if high.len() > 8 {
        return None;
    }
    let (high, low) = (digits::digits(high), digits::digits(low));
    let (magnitude, decimals) = match digits::number(high) {
        Some(high) => {
            let (low, point) = squeeze(low)?;
            (high * if point.found() { POWERS[7] } else { POWERS[8] } + low, point.decimals())
        }
        None => {
            let (high, point) = squeeze(high)?;
            (high * POWERS[8] + digits::number(low)?, point.decimals() + 8)
        }
    };
    Some(signed(magnitude, decimals, negative))
}

#[inline(never)]
fn parse_long(bytes: &[u8], negative: bool) -> Option<Decimal> {
    parse_sixteen(bytes, negative)
}

#[inline(always)]
fn signed(magnitude: u64, decimals: u32, negative: bool) -> Decimal {
    let mantissa = magnitude as i64;
    Decimal { mantissa: if negative { -mantissa } else { mantissa }, exponent: -(decimals as i8) }
}

/// What [`Decimal::parse_within`] does not read at once: long numbers, and the first in a source.
#[inline(never)]
fn parse_apart(source: &[u8], start: usize, end: usize) -> Result<Decimal, ValueError> {
    let bytes = source.get(start..end).unwrap_or_default();
    let negative = bytes.first() == Some(&b'-');
    match parse_sixteen(&bytes[usize::from(negative)..], negative) {
        Some(decimal) => Ok(decimal),
        None => parse_plain(bytes),
    }
}

/// Reads digit by digit, any number of them, and finds out what is wrong.
#[cold]
fn parse_plain(bytes: &[u8]) -> Result<Decimal, ValueError> {
    find_point(bytes, true)?;
    let negative = bytes[0] == b'-';
    accumulate(&bytes[usize::from(negative)..], negative).ok_or(ValueError::OutOfRange)
}

/// Where the point stands among digits, if there may be one; a `-` may stand before them.
pub(crate) fn find_point(bytes: &[u8], allowed: bool) -> Result<Option<usize>, ValueError> {
    if bytes.is_empty() {
        return Err(ValueError::Empty);
    }
    let negative = bytes[0] == b'-';
    let (mut point, mut count) = (None, 0);
    for (at, &byte) in bytes.iter().enumerate().skip(usize::from(negative)) {
        match byte {
            b'0'..=b'9' => count += 1,
            b'.' if allowed && point.is_none() => point = Some(at),
            _ => return Err(ValueError::Malformed { at }),
        }
    }
    if count == 0 { Err(ValueError::Malformed { at: bytes.len() }) } else { Ok(point) }
}

/// The decimal of digits with at most one point; `None` if it does not fit.
fn accumulate(unsigned: &[u8], negative: bool) -> Option<Decimal> {
    let (mut mantissa, mut zeros, mut decimals, mut in_fraction) = (0i64, 0, 0, false);
    for &byte in unsigned {
        match byte {
            b'.' => {
                in_fraction = true;
                continue;
            }
            // A zero counts only if another digit follows.
            b'0' => zeros += 1,
            _ => {
                let digit = i64::from(byte - b'0');
                if mantissa != 0 {
                    mantissa = mantissa.checked_mul(10i64.checked_pow(zeros + 1)?)?;
                }
                mantissa = mantissa.checked_add(if negative { -digit } else { digit })?;
                zeros = 0;
            }
        }
        decimals += i32::from(in_fraction);
    }
    // Zeros at the end are kept as far as they fit.
    let mut exponent = i32::try_from(zeros).ok()? - decimals;
    while zeros > 0 && exponent > -EXPONENT_LIMIT {
        let Some(longer) = mantissa.checked_mul(10) else { break };
        (mantissa, exponent, zeros) = (longer, exponent - 1, zeros - 1);
    }
    fit(mantissa, exponent)
}

/// `mantissa` × 10 to the power of `exponent`, by way of other digits if need be.
fn fit(mut mantissa: i64, mut exponent: i32) -> Option<Decimal> {
    if mantissa == 0 {
        exponent = exponent.clamp(-EXPONENT_LIMIT, EXPONENT_LIMIT);
    }
    while exponent > EXPONENT_LIMIT {
        (mantissa, exponent) = (mantissa.checked_mul(10)?, exponent - 1);
    }
    while exponent < -EXPONENT_LIMIT {
        if mantissa % 10 != 0 {
            return None;
        }
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    Decimal::new(mantissa, exponent as i8)
}

/// The power of ten after an `e`; one too large for any use stands for all that are larger.
fn parse_power(bytes: &[u8]) -> Result<i32, ValueError> {
    const HUGE: u64 = 1 << 20;
    let signs = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let power = match plain_magnitude(&bytes[signs..]) {
        Ok(power) => power.min(HUGE),
        Err(ValueError::OutOfRange) => HUGE,
        Err(error) => return Err(error.after(signs)),
    };
    Ok(if bytes[0] == b'-' { -(power as i32) } else { power as i32 })
}

/// Writes decimals of more than eight digits and those with a positive exponent.
#[inline(never)]
fn write_long(decimal: Decimal, out: &mut Window) -> usize {
    let negative = usize::from(decimal.mantissa < 0);
    let mut digits = [b'0'; 40];
    let count = decimal.mantissa.unsigned_abs().write(&mut digits);
    let scale = usize::from(decimal.exponent.unsigned_abs());
    out[0] = b'-';
    if decimal.exponent >= 0 {
        digits[count..].fill(b'0');
        out[negative..].copy_from_slice(&digits[..40 - negative]);
        return negative + count + if decimal.mantissa == 0 { 0 } else { scale };
    }
    if count > scale {
        let point = count - scale;
        out[negative..negative + 20].copy_from_slice(&digits[..20]);
        out[negative + point] = b'.';
        out[negative + point + 1..][..19].copy_from_slice(&digits[point..][..19]);
        negative + count + 1
    } else {
        let zeros = scale - count;
        out[negative..].fill(b'0');
        out[negative + 1] = b'.';
        out[negative + 2 + zeros..][..19].copy_from_slice(&digits[..19]);
        negative + 2 + scale
    }
}

/// `value` in ten-thousandths, if dividing them by 10,000 gives it back.
///
/// With at most 15 digits no other decimal so short reads as the same double.
#[inline(always)]
pub(crate) fn four_decimals(value: f64) -> Option<i64> {
    // Adding 1.5 × 2^52 leaves the nearest integer in the low bits of the sum.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let scaled = value * 1e4;
    let sum = scaled + ROUND;
    let exact = scaled.abs() < 1e15 && (sum - ROUND) / 1e4 == value;
    exact.then(|| sum.to_bits().wrapping_sub(ROUND.to_bits()) as i64)
}

/// Ten-thousandths without trailing decimal zeros.
#[inline]
pub(crate) fn strip(ten_thousandths: i64) -> Decimal {
    let (mut mantissa, mut exponent) = (ten_thousandths, -4);
    if mantissa % 100 == 0 {
        (mantissa, exponent) = (mantissa / 100, -2);
        if mantissa % 100 == 0 {
            return Decimal { mantissa: mantissa / 100, exponent: 0 };
        }
    }
    if mantissa % 10 == 0 {
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    Decimal { mantissa, exponent }
}

#[inline(always)]
fn from_float<F: Float>(value: F) -> Option<Decimal> {
    match value.ten_thousandths() {
        Some(ten_thousandths) => Some(strip(ten_thousandths)),
        None => from_digits(value),
    }
}

/// The decimal of the shortest digits of a float.
#[inline(never)]
fn from_digits<F: Float>(value: F) -> Option<Decimal> {
    if !value.into().is_finite() {
        return None;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    Decimal::parse_scientific(text.strip_suffix(".0").unwrap_or(text).as_bytes()).ok()
}

impl Ord for Decimal {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent {
            return self.mantissa.cmp(&other.mantissa);
        }
        if self.exponent < other.exponent {
            return compare_scaled(other, self).reverse();
        }
        compare_scaled(self, other)
    }
}

/// Compares two decimals of which the first has the larger exponent.
fn compare_scaled(coarse: &Decimal, fine: &Decimal) -> Ordering {
    let steps = (i32::from(coarse.exponent) - i32::from(fine.exponent)) as u32;
    if steps < POWERS.len() as u32 {
        let scaled = i128::from(coarse.mantissa) * i128::from(POWERS[steps as usize]);
        return scaled.cmp(&i128::from(fine.mantissa));
    }
    // Scaled by 10^20 or more, the coarse one is out of reach of any mantissa, unless it is zero.
    match coarse.mantissa.signum() {
        0 => 0.cmp(&fine.mantissa),
        sign => sign.cmp(&0),
    }
}

impl PartialOrd for Decimal {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

impl From<i32> for Decimal {
    #[inline]
    fn from(value: i32) -> Self {
        Self { mantissa: i64::from(value), exponent: 0 }
    }
}

impl FromStr for Decimal {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        Self::parse(text.as_bytes())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = [0; 40];
        let length = self.write(&mut out);
        f.pad(str::from_utf8(&out[..length]).unwrap_or_default())
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
