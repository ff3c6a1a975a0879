//! Links such as a 10 Mbit/s Ethernet: their names, and how long bytes take on them.
//!
//! What is modelled: a full-duplex point-to-point link that never loses anything. TCP's own part is
//! left out: its handshake, its acknowledgements (which go the other way) and its slow start.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use trunkline_wire::quantity::{self, BITS, TIMES};

/// Bytes of payload in a full segment: an Ethernet frame's 1500 less the headers of IPv4 and TCP,
/// both without options (RFC 9293, section 3.7.1).
pub const SEGMENT_PAYLOAD: usize = 1460;

/// Headers of IPv4 (RFC 791) and TCP (RFC 9293) in bytes, without options.
const PACKET_HEADERS: u64 = 20 + 20;
/// Header and check sequence of an Ethernet frame in bytes (IEEE 802.3, clause 3).
const FRAME_OVERHEAD: u64 = 14 + 4;
/// The shortest frame in bytes, header and check sequence included; shorter ones are padded.
const SHORTEST_FRAME: u64 = 64;
/// Preamble, start of frame and interframe gap, in the time of bytes.
const BETWEEN_FRAMES: u64 = 8 + 12;

const NANOSECONDS_PER_SECOND: u128 = 1_000_000_000;

/// Bits per second at most, far above any link.
const FASTEST: u64 = 1_000_000_000_000;
/// One way at most: the Moon is at 1.3 s, and a queue for an hour would be for no experiment.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// A full-duplex link: both directions are alike and independent of each other.
///
/// Prints as its name, such as `10mbit-20ms`, `10mbit`, `20ms` or `direct`, and is parsed from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Link {
    /// Bits per second in each direction, headers and gaps between frames included; None: no limit.
    pub rate: Option<NonZeroU64>,
    /// From the last bit sent to the last bit received, one way.
    pub delay: Duration,
}

impl Link {
    /// A link without limits, to which only the proxy's own time belongs.
    pub const DIRECT: Self = Self { rate: None, delay: Duration::ZERO };

    /// Bytes' time that the link is busy with `payload` bytes of TCP data, cut into full segments
    /// and one for the rest: each has the headers of TCP, IPv4 and Ethernet, a check sequence,
    /// preamble and gap, together 78 bytes, and is padded to the shortest frame.
    pub fn wire_bytes(payload: u64) -> u64 {
        over_segments(payload, frame)
    }

    /// How long the link is busy with `payload` bytes of TCP data, in nanoseconds; 0 without a
    /// rate. Each segment is rounded up to a whole nanosecond, as a shaper does.
    pub fn serialisation(&self, payload: u64) -> u64 {
        over_segments(payload, |payload| self.frame_nanoseconds(payload))
    }

    /// How long the link is busy with one segment of so many bytes, which may be none.
    pub fn frame_nanoseconds(&self, payload: u64) -> u64 {
        let Some(rate) = self.rate else { return 0 };
        let bits = u128::from(frame(payload)) * 8;
        let nanoseconds = (bits * NANOSECONDS_PER_SECOND).div_ceil(u128::from(rate.get()));
        u64::try_from(nanoseconds).unwrap_or(u64::MAX)
    }

    /// The delay in nanoseconds.
    pub fn delay_nanoseconds(&self) -> u64 {
        u64::try_from(self.delay.as_nanos()).unwrap_or(u64::MAX)
    }

    /// The rate as [`parse_rate`] takes it, such as `10mbit`; `unlimited` if there is none.
    pub fn rate_name(&self) -> String {
        let Some(rate) = self.rate else { return "unlimited".into() };
        let (number, unit) = quantity::largest(rate.get(), &BITS[..4]);
        format!("{number}{unit}")
    }

    /// The delay as [`parse_delay`] takes it, such as `20ms`.
    pub fn delay_name(&self) -> String {
        let (number, unit) = quantity::largest(self.delay_nanoseconds(), &TIMES[2..]);
        format!("{number}{unit}")
    }
}

/// What `of_one` comes to over the segments that `payload` bytes are cut into.
fn over_segments(payload: u64, of_one: impl Fn(u64) -> u64) -> u64 {
    let (full, rest) = (payload / SEGMENT_PAYLOAD as u64, payload % SEGMENT_PAYLOAD as u64);
    let last = if rest == 0 { 0 } else { of_one(rest) };
    full.saturating_mul(of_one(SEGMENT_PAYLOAD as u64)).saturating_add(last)
}

/// Bytes' time of one segment on the wire.
fn frame(payload: u64) -> u64 {
    let frame = payload.saturating_add(PACKET_HEADERS + FRAME_OVERHEAD).max(SHORTEST_FRAME);
    frame.saturating_add(BETWEEN_FRAMES)
}

impl fmt::Display for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rate.is_some(), self.delay.is_zero()) {
            (false, true) => out.write_str("direct"),
            (true, true) => out.write_str(&self.rate_name()),
            (false, false) => out.write_str(&self.delay_name()),
            (true, false) => write!(out, "{}-{}", self.rate_name(), self.delay_name()),
        }
    }
}

impl FromStr for Link {
    type Err = LinkError;

    fn from_str(name: &str) -> Result<Self, LinkError> {
        if name == "direct" {
            return Ok(Self::DIRECT);
        }
        if let Some((rate, delay)) = name.split_once('-') {
            return Ok(Self { rate: Some(parse_rate(rate)?), delay: parse_delay(delay)? });
        }
        // The units have nothing in common, so that a part alone is known by its unit.
        match (parse_rate(name), parse_delay(name)) {
            (Ok(rate), _) => Ok(Self { rate: Some(rate), delay: Duration::ZERO }),
            (_, Ok(delay)) => Ok(Self { rate: None, delay }),
            _ => Err(LinkError(format!("{name:?} is not a link such as 10mbit-20ms or direct"))),
        }
    }
}

/// Text that describes no link; says what would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(String);

impl fmt::Display for LinkError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for LinkError {}

/// Bits per second from text such as `256k`, `10M`, `1.544M`, `1G` or `10mbit`.
///
/// # Errors
/// No such text, zero, or more than 1000 Gbit/s.
pub fn parse_rate(text: &str) -> Result<NonZeroU64, LinkError> {
    quantity::parse(&text.to_ascii_lowercase(), &BITS)
        .filter(|rate| *rate <= FASTEST)
        .and_then(NonZeroU64::new)
        .ok_or_else(|| LinkError(format!("{text:?} is not a rate such as 256k, 10M or 1G")))
}

/// A delay from text such as `20ms`, `1.5ms`, `500us` or `1s`.
///
/// # Errors
/// No such text, or more than 60 seconds.
pub fn parse_delay(text: &str) -> Result<Duration, LinkError> {
    quantity::parse(&text.to_ascii_lowercase(), &TIMES)
        .map(Duration::from_nanos)
        .filter(|delay| *delay <= LONGEST_DELAY)
        .ok_or_else(|| LinkError(format!("{text:?} is not a delay such as 20ms or 500us")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str) -> Link {
        name.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn wire_bytes_are_those_of_ethernet() {
        for (payload, expected) in [
            (0, 0),
            (1, 84),
            (6, 84),
            (7, 85),
            (100, 178),
            (1460, 1538),
            (1461, 1538 + 84),
            (2920, 2 * 1538),
            (12_000, 8 * 1538 + 320 + 78),
        ] {
            assert_eq!(Link::wire_bytes(payload), expected, "{payload}");
        }
        assert_eq!(Link::wire_bytes(u64::MAX), u64::MAX);
    }

    #[test]
    fn serialisation_is_exact_at_common_rates_and_never_short() {
        assert_eq!(link("10mbit").serialisation(1460), 1_230_400);
        assert_eq!(link("100mbit").serialisation(1460), 123_040);
        assert_eq!(link("1gbit").serialisation(1461), 12_304 + 672);
        assert_eq!(link("20ms").serialisation(1460), 0);
        // 672 bits at 7 Gbit/s are 96 ns; at 9 Gbit/s, 74.67.
        assert_eq!(link("7gbit").serialisation(1), 96);
        assert_eq!(link("9gbit").serialisation(1), 75);
        assert_eq!(link("1bit").serialisation(u64::MAX), u64::MAX);
    }

    #[test]
    fn names_are_parsed_as_they_are_printed() {
        let names = "direct 10mbit 100mbit 10mbit-1ms 10mbit-20ms 1gbit 256kbit-500us 1544kbit-1ns 1bit-1s \
                     100ms 33333bit";
        for name in names.split_whitespace() {
            assert_eq!(link(name).to_string(), name);
        }
    }

    #[test]
    fn rates_and_delays_are_written_in_several_ways() {
        let rate = |text| parse_rate(text).map(NonZeroU64::get);
        assert_eq!(rate("10M"), Ok(10_000_000));
        assert_eq!(rate("10m"), Ok(10_000_000));
        assert_eq!(rate("10Mbit"), Ok(10_000_000));
        assert_eq!(rate("1G"), Ok(1_000_000_000));
        assert_eq!(rate("256k"), Ok(256_000));
        assert_eq!(rate("1.544M"), Ok(1_544_000));
        assert_eq!(rate("300bit"), Ok(300));
        assert_eq!(parse_delay("20ms"), Ok(Duration::from_millis(20)));
        assert_eq!(parse_delay("0.5ms"), Ok(Duration::from_micros(500)));
        assert_eq!(parse_delay("0s"), Ok(Duration::ZERO));
    }

    #[test]
    fn other_texts_are_rejected_with_what_was_expected() {
        for text in
            ["", "10", "M", "0M", "-1M", "1.M", ".5M", "1e3k", "10X", "1.0000001bit", "2000G"]
        {
            let error = parse_rate(text).expect_err(text).to_string();
            assert_eq!(error, format!("{text:?} is not a rate such as 256k, 10M or 1G"));
        }
        for text in ["", "20", "ms", "-1ms", "61s", "1.5ns", "1m", "99999999999999999999s", "1,5s"]
        {
            let error = parse_delay(text).expect_err(text).to_string();
            assert_eq!(error, format!("{text:?} is not a delay such as 20ms or 500us"));
        }
        for text in ["", "fast", "10mbit-", "-20ms", "20ms-10mbit", "10mbit-20ms-1ms"] {
            assert!(text.parse::<Link>().is_err(), "{text}");
        }
    }
}
