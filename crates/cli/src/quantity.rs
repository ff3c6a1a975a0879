//! Times and bandwidths as a user types and reads them.

/// Seconds from `1s`, `50ms`, `200us` or `10ns`.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    // Divided by, because 50 x 0.001 is not 0.05.
    let units = [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0)];
    let found = units.into_iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)));
    let value = found.and_then(|(number, scale)| Some(decimal(number)? / scale));
    value.ok_or_else(|| "a time is a number with ns, us, ms or s, such as 50ms".to_owned())
}

/// Times per second from `10`, `0.5` or `20k`; k is 1000.
pub(crate) fn per_second(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.strip_suffix('k') {
        Some(number) => (number, 1e3),
        None => (text, 1.0),
    };
    let rate = decimal(number).map(|number| number * scale);
    rate.filter(|rate| (1e-3..=1e9).contains(rate))
        .ok_or_else(|| "a rate is a number from 0.001 to 1000000000, such as 50 or 20k".to_owned())
}

/// Bits per second from `256k`, `10M`, `1G` or a plain number; k is 1000.
pub(crate) fn bits(text: &str) -> Result<u64, String> {
    let units = [("k", 1e3), ("M", 1e6), ("G", 1e9)];
    let found = units.into_iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)));
    let (number, scale) = found.unwrap_or((text, 1.0));
    match decimal(number).map(|number| (number * scale).round()) {
        Some(bits) if (1.0..=MOST_BITS).contains(&bits) => Ok(bits as u64),
        Some(_) => {
            Err(format!("a line carries from 1 bit to {} per second", line(MOST_BITS as u64)))
        }
        None => Err("a bandwidth is a number of bits, such as 256k, 10M or 1G".to_owned()),
    }
}

/// A petabit: more than any line carries.
const MOST_BITS: f64 = 1e15;

/// Digits with at most one point among them, without sign, exponent or words.
fn decimal(text: &str) -> Option<f64> {
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| is_plain)
}

/// A line as it is called: `256k`, `1.5M`, `10G`.
pub(crate) fn line(bits: u64) -> String {
    let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    match units.into_iter().find(|(scale, _)| bits >= *scale) {
        Some((scale, unit)) => format!("{}{unit}", bits as f64 / scale as f64),
        None => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, value) in [
            ("1s", 1.0),
            ("50ms", 0.05),
            ("0.5s", 0.5),
            ("200us", 2e-4),
            ("7ns", 7e-9),
            ("0s", 0.0),
        ] {
            assert_eq!(seconds(text), Ok(value), "{text}");
        }
        for text in ["1", "s", "", "-1s", "1e3s", "infs", ".5s", "1.2.3s", "1 s", "1h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_are_numbers() {
        for (text, value) in [("10", 10.0), ("0.5", 0.5), ("20k", 20_000.0), ("0.001", 0.001)] {
            assert_eq!(per_second(text), Ok(value), "{text}");
        }
        for text in ["0", "-1", "", "k", "1e3", "inf", "2000000k", "0.0001"] {
            assert!(per_second(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bandwidths_are_read_and_called_alike() {
        for (text, value) in [
            ("64k", 64_000),
            ("256k", 256_000),
            ("1.5M", 1_500_000),
            ("10G", 10_000_000_000),
            ("9", 9),
        ] {
            assert_eq!(bits(text), Ok(value), "{text}");
            assert_eq!(line(value), text);
        }
        for text in ["0", "0.1", "k", "", "-1M", "2000000G", "256K", "1e9", "256 k"] {
            assert!(bits(text).is_err(), "{text}");
        }
    }
}
