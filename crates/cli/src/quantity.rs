//! Times, bandwidths and places in a journal as a user types and reads them.

use std::time::Duration;

use trunkline_client::Start;
use trunkline_wire::Timestamp;
use trunkline_wire::quantity::{self, BITS, TIMES};

/// Seconds from `1s`, `50ms`, `200us`, `10ns`, `5min` or `1h`.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let nanoseconds = quantity::parse(text, &TIMES);
    nanoseconds
        .map(|it| it as f64 / 1e9)
        .ok_or_else(|| "a time is a number with ns, us, ms, s, min or h, such as 50ms".to_owned())
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
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let bits = if is_plain { text.parse().ok() } else { quantity::parse(text, &BITS) };
    match bits {
        Some(bits) if (1..=MOST_BITS).contains(&bits) => Ok(bits),
        Some(_) => Err(format!("a line carries from 1 bit to {} per second", line(MOST_BITS))),
        None => Err("a bandwidth is a number of bits, such as 256k, 10M or 1G".to_owned()),
    }
}

/// A petabit: more than any line carries.
const MOST_BITS: u64 = 1_000_000_000_000_000;

/// A time from `30s` or `500ms` on, a millisecond at least.
pub(crate) fn time_to_live(text: &str) -> Result<Duration, String> {
    let seconds = seconds(text)?;
    match (1e-3..=4_000_000.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("a message lives from 1ms to 4000000s".to_owned()),
    }
}

/// How long somebody waits: `30s`, `500ms`, `5min`, an hour at most. A number alone is seconds.
pub(crate) fn patience(text: &str) -> Result<Duration, String> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unit = if is_plain { "s" } else { "" };
    let seconds = seconds(&format!("{text}{unit}"))?;
    match seconds <= 3_600.0 {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("nobody waits longer than 1h".to_owned()),
    }
}

/// HeartBtInt of FIX, which is whole seconds: `30`, `30s`, `2min`; 0 for no heartbeats.
pub(crate) fn heartbeat(text: &str) -> Result<Duration, String> {
    let is_whole = |it: &Duration| it.subsec_nanos() == 0;
    let time = patience(text).ok().filter(is_whole);
    time.ok_or_else(|| "a heartbeat is whole seconds, 1h at most, such as 30 or 30s".to_owned())
}

/// An address with a port, such as `127.0.0.1:5001`.
pub(crate) fn address(text: &str) -> Result<String, String> {
    let wrong = |why: &str| Err(format!("{why}: an address is HOST:PORT, such as 127.0.0.1:5001"));
    if let Some((scheme, _)) = text.split_once("://") {
        return wrong(&format!("{scheme}:// is too much"));
    }
    match text.rsplit_once(':') {
        None if text.parse::<u16>().is_ok() => wrong("it has a port and no host"),
        None => wrong("it has no port"),
        Some(("", _)) => wrong("it has no host"),
        Some((host, _)) if host.contains(':') && !host.ends_with(']') => {
            wrong("an address of IPv6 stands in brackets, as [::1]:5001")
        }
        Some((_, port)) if port.parse::<u16>().is_err() => {
            wrong(&format!("{port:?} is no number of a port"))
        }
        Some(_) => Ok(text.to_owned()),
    }
}

/// As [`address`], of a side that may speak TLS: with `tls://` before it, or `tcp://`.
pub(crate) fn address_or_tls(text: &str) -> Result<String, String> {
    let place = match text.split_once("://") {
        None => text,
        Some((scheme, place))
            if ["tcp", "tls"].iter().any(|it| scheme.eq_ignore_ascii_case(it)) =>
        {
            place
        }
        Some((scheme, _)) => {
            return Err(format!("{scheme}:// is not known: it is HOST:PORT or tls://HOST:PORT"));
        }
    };
    address(place).map(|_| text.to_owned())
}

/// How fast kept messages come, in thousandths of their pace: from `1x`, `0.5x` or `max`, which is 0.
pub(crate) fn pace(text: &str) -> Result<u32, String> {
    let thousandths = match text {
        "max" => Some(0.0),
        _ => text.strip_suffix('x').and_then(decimal).map(|times| (times * 1e3).round()),
    };
    let is_pace = |it: &f64| *it == 0.0 && text == "max" || (1.0..=1e9).contains(it);
    thousandths.filter(is_pace).map(|it| it as u32).ok_or_else(|| {
        "a pace is max, or how many times as fast as it was, such as 1x or 0.5x".to_owned()
    })
}

/// Where in a journal to begin: `new`, `all`, `position:N`, `last:N` or `time:2026-07-01T09:30:00Z`.
pub(crate) fn start(text: &str) -> Result<Start, String> {
    let number = |text: &str| text.parse().ok();
    let start = match text.split_once(':') {
        None if text == "new" => Some(Start::New),
        None if text == "all" => Some(Start::All),
        Some(("position", text)) => number(text).map(Start::Position),
        Some(("last", text)) => number(text).map(Start::Last),
        Some(("time", text)) => Timestamp::parse_xml(text.as_bytes())
            .ok()
            .and_then(|it| u64::try_from(it.unix_nanoseconds()).ok().map(Start::Time)),
        _ => None,
    };
    start.ok_or_else(|| {
        "a beginning is new, all, position:N, last:N or time:2026-07-01T09:30:00Z".to_owned()
    })
}

/// Nanoseconds since 1970 as a date and a time of day in UTC.
pub(crate) fn moment(nanoseconds: u64) -> String {
    match Timestamp::from_unix_nanoseconds(nanoseconds.into()) {
        Some(moment) => moment.to_string(),
        None => nanoseconds.to_string(),
    }
}

/// Digits with at most one point among them, without sign, exponent or words.
fn decimal(text: &str) -> Option<f64> {
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| is_plain)
}

/// A line as it is called: `256k`, `1.5M`, `10G`.
pub(crate) fn line(bits: u64) -> String {
    match BITS[4..].iter().find(|(_, scale)| bits >= *scale) {
        Some((unit, scale)) => format!("{}{unit}", bits as f64 / *scale as f64),
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
        for text in ["1", "s", "", "-1s", "1e3s", "infs", ".5s", "1.2.3s", "1d"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn who_waits_says_how_long() {
        for (text, seconds) in [("30", 30), ("30s", 30), ("2min", 120), ("1h", 3_600), ("0", 0)] {
            assert_eq!(patience(text), Ok(Duration::from_secs(seconds)), "{text}");
            assert_eq!(heartbeat(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(patience("500ms"), Ok(Duration::from_millis(500)));
        for text in ["", "-1", "1.5.0s", "2h", "soon"] {
            assert!(patience(text).is_err() && heartbeat(text).is_err(), "{text}");
        }
        assert!(heartbeat("500ms").is_err(), "HeartBtInt has no fractions");
    }

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for text in ["127.0.0.1:5001", "localhost:0", "[::1]:5001", "desk.example.org:65535"] {
            assert_eq!(address(text).as_deref(), Ok(text));
        }
        for (text, why) in [
            ("localhost", "it has no port"),
            ("5001", "it has a port and no host"),
            (":5001", "it has no host"),
            ("localhost:", "\"\" is no number of a port"),
            ("localhost:fix", "\"fix\" is no number of a port"),
            ("localhost:70000", "\"70000\" is no number of a port"),
            ("tcp://localhost:5001", "tcp:// is too much"),
            ("::1", "an address of IPv6 stands in brackets"),
        ] {
            let said = address(text).expect_err("it is none");
            assert!(said.starts_with(why) && said.contains("HOST:PORT"), "{text}: {said}");
        }
    }

    #[test]
    fn beginnings_and_paces_are_read() {
        for (text, expected) in [
            ("new", Start::New),
            ("all", Start::All),
            ("position:17", Start::Position(17)),
            ("last:5", Start::Last(5)),
            ("time:1970-01-01T00:00:01Z", Start::Time(1_000_000_000)),
            ("time:1970-01-01T01:00:01.5+01:00", Start::Time(1_500_000_000)),
        ] {
            assert_eq!(start(text), Ok(expected), "{text}");
        }
        for text in
            ["", "old", "position:", "last:-1", "time:yesterday", "time:1969-01-01T00:00:00Z"]
        {
            assert!(start(text).is_err(), "{text}");
        }
        for (text, expected) in [("max", 0), ("1x", 1000), ("2.5x", 2500), ("0.001x", 1)] {
            assert_eq!(pace(text), Ok(expected), "{text}");
        }
        for text in ["", "x", "0x", "-1x", "1", "fast", "2000000x"] {
            assert!(pace(text).is_err(), "{text}");
        }
        assert_eq!(time_to_live("30s"), Ok(Duration::from_secs(30)));
        assert!(time_to_live("10us").is_err() && time_to_live("5000000s").is_err());
        assert_eq!(moment(1_500_000_000), "1970-01-01T00:00:01.500Z");
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
        for text in ["0", "0.1", "k", "", "-1M", "2000000G", "256K", "1e9"] {
            assert!(bits(text).is_err(), "{text}");
        }
    }
}
