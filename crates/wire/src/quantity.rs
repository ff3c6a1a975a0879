//! Numbers with a unit, as people type and read them: `1.5ms`, `64 MiB`, `10M`.
//!
//! A quantity is digits, at most one point among them, and a unit, with spaces between them or none. It comes to a
//! whole number of the smallest unit: `1.5us` is 1,500 ns, and `1.5ns` is nothing.

/// A unit's name, and how many of the smallest it is.
pub type Unit = (&'static str, u64);

/// Units of time in nanoseconds, the largest first.
pub const TIMES: [Unit; 6] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Units of size in bytes: of 1,024, the largest first, then of 1,000.
pub const SIZES: [Unit; 7] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
];

/// Units of bits, or of bits a second, the largest first; then their short names.
pub const BITS: [Unit; 9] = [
    ("gbit", 1_000_000_000),
    ("mbit", 1_000_000),
    ("kbit", 1_000),
    ("bit", 1),
    ("G", 1_000_000_000),
    ("M", 1_000_000),
    ("k", 1_000),
    ("g", 1_000_000_000),
    ("m", 1_000_000),
];

/// How many of the smallest of `units` a quantity is; None if it is none, or no whole number, or more than fits.
pub fn parse(text: &str, units: &[Unit]) -> Option<u64> {
    let text = text.trim();
    let (number, name) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, scale) = units.iter().find(|unit| unit.0 == name)?;
    let (whole, fraction) = number.trim_end().split_once('.').unwrap_or((number.trim_end(), "0"));
    // Eighteen digits of each are more than any unit needs, and fit.
    let digits = |part: &str| {
        let is_number = part.len() <= 18 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u128>().ok().filter(|_| is_number)
    };
    let (scale, tens) = (u128::from(*scale), 10_u128.pow(fraction.len().min(18) as u32));
    let rest = digits(fraction)? * scale;
    let value = digits(whole)? * scale + rest / tens;
    u64::try_from(value).ok().filter(|_| rest.is_multiple_of(tens))
}

/// The number and the name of the largest of `units` that divides `value`; they are in order, the largest first.
pub fn largest(value: u64, units: &[Unit]) -> (u64, &'static str) {
    let divides = |unit: &&Unit| value != 0 && value.is_multiple_of(unit.1);
    let (name, scale) = units.iter().find(divides).unwrap_or(&units[units.len() - 1]);
    (value / scale, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_is_a_number_with_a_unit() {
        for (text, units, value) in [
            ("30s", &TIMES[..], 30_000_000_000),
            ("0.5s", &TIMES, 500_000_000),
            ("20 us", &TIMES, 20_000),
            ("2min", &TIMES, 120_000_000_000),
            (" 0ns ", &TIMES, 0),
            ("64 MiB", &SIZES, 64 << 20),
            ("1.5KiB", &SIZES, 1_536),
            ("3 kB", &SIZES, 3_000),
            ("512 B", &SIZES, 512),
            ("256k", &BITS, 256_000),
            ("1.544mbit", &BITS, 1_544_000),
        ] {
            assert_eq!(parse(text, units), Some(value), "{text}");
        }
        for text in ["", "1", "s", "-1s", ".5s", "1.s", "1.2.3s", "1e3s", "1,5s", "1.5ns", "1d"] {
            assert_eq!(parse(text, &TIMES), None, "{text}");
        }
        for text in ["99999999999 GiB", "9999999999999999999GiB", "64 mib", "MiB"] {
            assert_eq!(parse(text, &SIZES), None, "{text}");
        }
    }

    #[test]
    fn a_value_is_told_in_the_largest_unit_that_divides_it() {
        assert_eq!(largest(120_000_000_000, &TIMES), (2, "min"));
        assert_eq!(largest(1_500_000, &TIMES), (1_500, "us"));
        assert_eq!(largest(0, &TIMES), (0, "ns"));
        assert_eq!(largest(64 << 20, &SIZES), (64, "MiB"));
        assert_eq!(largest(1_000, &SIZES), (1_000, "B"));
        assert_eq!(largest(10_000_000, &BITS), (10, "mbit"));
    }
}
