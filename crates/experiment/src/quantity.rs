//! Numbers with a unit behind them, as they are typed and printed: `1.5ms`, `10M`.

/// A unit's name, and how many of the smallest it is.
pub type Unit<'a> = (&'a str, u128);

/// Units of time in nanoseconds, the largest first.
pub const TIMES: [Unit<'_>; 4] =
    [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

/// A number in one of the units; None unless it comes to a whole number of the smallest, and fits.
pub fn scaled(text: &str, units: &[Unit<'_>]) -> Option<u128> {
    let end = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, name) = text.split_at(end);
    let (_, scale) = units.iter().find(|unit| unit.0 == name)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| {
        let right = part.len() <= 18 && part.bytes().all(|byte| byte.is_ascii_digit());
        if right { part.parse::<u128>().ok() } else { None }
    };
    let tens = 10_u128.pow(u32::try_from(fraction.len()).ok().filter(|length| *length <= 18)?);
    let rest = digits(fraction)? * scale;
    rest.is_multiple_of(tens).then_some(digits(whole)? * scale + rest / tens)
}

/// A whole number of the largest unit that divides `value`; the units from the largest on.
pub fn in_units(value: u128, units: &[Unit<'_>]) -> String {
    let fits = |unit: &&Unit<'_>| value != 0 && value.is_multiple_of(unit.1);
    let (name, scale) = units.iter().find(fits).copied().unwrap_or(units[units.len() - 1]);
    format!("{}{name}", value / scale)
}
