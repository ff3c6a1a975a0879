//! How true a [`Link`] is: what it costs by itself, whether bytes take the time computed for them,
//! and whether Linux's own shaping takes as long.

mod echo;
mod rows;
pub mod tc;

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

use super::{Link, Proxy, ProxyError};
use crate::echo::EchoServer;
use echo::Caller;
pub use rows::{Checked, check};
use trunkline_bench::statistics::{Bounds, ComparisonRule, Fit, Summary};

/// Bytes of the messages whose times make a line: from less than a segment to nine of them.
pub const SLOPE_SIZES: [u32; 9] = [100, 1500, 3000, 4500, 6000, 7500, 9000, 10_500, 12_000];
/// Bytes of the messages by which the link's own cost is measured.
const COST_SIZES: [u32; 5] = [64, 256, 512, 1024, 1500];
/// Round trips whose median is one repetition of the link's own cost.
const COST_ROUND_TRIPS: usize = 20;

/// How often to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckEffort {
    /// Repetitions, each with a result of its own.
    pub repetitions: u32,
    /// Round trips of each size, in turn, whose medians make one repetition.
    pub passes: u32,
}

impl Default for CheckEffort {
    /// Three or four seconds at 10 Mbit/s.
    fn default() -> Self {
        Self { repetitions: 7, passes: 5 }
    }
}

/// Times of an echo: a message of some length goes to a server, which sends it back as soon as it
/// has all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EchoTimes {
    /// Bytes of the messages.
    pub sizes: Vec<u32>,
    /// Nanoseconds of the median round trip for each size, a list for each repetition.
    pub repetitions: Vec<Vec<f64>>,
}

impl EchoTimes {
    /// The median over the repetitions for each size, in nanoseconds.
    pub fn medians(&self) -> Vec<(u32, f64)> {
        let at = |index: usize| -> Option<f64> {
            let times: Vec<f64> =
                self.repetitions.iter().filter_map(|times| times.get(index).copied()).collect();
            Some(Summary::of(&times)?.median)
        };
        let sizes = self.sizes.iter().enumerate();
        sizes.filter_map(|(index, size)| Some((*size, at(index)?))).collect()
    }

    /// Nanoseconds by byte of the line through the times of sizes from `least` on, a slope for each
    /// repetition; None if there is no line.
    fn slopes(&self, least: u32) -> Option<Vec<f64>> {
        let line = |times: &Vec<f64>| {
            let points = self.sizes.iter().zip(times).filter(|point| *point.0 >= least);
            let points: Vec<(f64, f64)> =
                points.map(|(size, time)| (f64::from(*size), *time)).collect();
            Some(Fit::of(&points)?.per_entry)
        };
        self.repetitions.iter().map(line).collect()
    }
}

/// Nanoseconds by byte that the same line has if every segment takes what was computed for it, both
/// ways.
fn computed_slope(link: Link) -> Option<f64> {
    let points =
        SLOPE_SIZES.map(|size| (f64::from(size), 2.0 * link.serialisation(u64::from(size)) as f64));
    Some(Fit::of(&points)?.per_entry)
}

/// What a link costs by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnCost {
    /// Nanoseconds of a round trip without the proxy.
    pub direct: f64,
    /// Nanoseconds that a link without limits adds to a round trip.
    pub added: Bounds,
}

/// Measures round trips of 64 to 1500 bytes with and without a proxy between, in turn.
///
/// # Errors
/// Loopback fails.
pub fn own_cost(effort: CheckEffort) -> Result<OwnCost, CheckError> {
    let server = EchoServer::start(0, true, echo::answer)?;
    let proxy = Proxy::start(Link::DIRECT, server.address())?;
    let mut direct = Caller::connect(server.address())?;
    let mut through = Caller::connect(proxy.address())?;
    let (mut without, mut added) = (Vec::new(), Vec::new());
    for repetition in 0..=effort.repetitions {
        let mut differences = Vec::new();
        for size in COST_SIZES {
            let short = median_of(&mut direct, size)?;
            let long = median_of(&mut through, size)?;
            differences.push(long - short);
            without.push(short);
        }
        // The first warms up.
        if repetition == 0 {
            without.clear();
        } else {
            added.push(median(&differences)?);
        }
    }
    let added = ComparisonRule::default().bounds(&added).ok_or(CheckError::NoResult)?;
    Ok(OwnCost { direct: median(&without)?, added })
}

fn median_of(caller: &mut Caller, size: u32) -> Result<f64, CheckError> {
    let times: io::Result<Vec<f64>> =
        (0..COST_ROUND_TRIPS).map(|_| Ok(caller.round_trip(size)? as f64)).collect();
    median(&times?)
}

fn median(values: &[f64]) -> Result<f64, CheckError> {
    Ok(Summary::of(values).ok_or(CheckError::NoResult)?.median)
}

/// Measures the echo of [`SLOPE_SIZES`] through a link.
///
/// # Errors
/// Loopback fails.
pub fn echo_times(link: Link, effort: CheckEffort) -> Result<EchoTimes, CheckError> {
    let server = EchoServer::start(0, true, echo::answer)?;
    let proxy = Proxy::start(link, server.address())?;
    Ok(Caller::connect(proxy.address())?.times(effort)?)
}

/// Measures the echo of [`SLOPE_SIZES`] on loopback as it is, with the server at `port`.
///
/// # Errors
/// Loopback fails.
pub fn echo_times_at(port: u16, effort: CheckEffort) -> Result<EchoTimes, CheckError> {
    let server = EchoServer::start(port, true, echo::answer)?;
    Ok(Caller::connect(server.address())?.times(effort)?)
}

/// The slope of the line through measured times, as a multiple of the slope computed for the link:
/// 1 if every byte takes the time that it should. None for a link without a rate.
///
/// What is the same for all sizes, such as waking up, is no part of a slope.
pub fn slope_ratio(link: Link, times: &EchoTimes) -> Option<Bounds> {
    let computed = computed_slope(link).filter(|slope| *slope > 0.0)?;
    let ratios: Vec<f64> = times.slopes(0)?.iter().map(|slope| slope / computed).collect();
    ComparisonRule::default().bounds(&ratios)
}

/// Why a check has no result.
#[derive(Debug)]
pub enum CheckError {
    /// A socket failed.
    Loopback(io::Error),
    /// There is no proxy.
    Proxy(ProxyError),
    /// There were no repetitions.
    NoResult,
}

impl fmt::Display for CheckError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback(cause) => write!(out, "echo over loopback: {cause}"),
            Self::Proxy(cause) => cause.fmt(out),
            Self::NoResult => out.write_str("echo over loopback: no repetitions, no result"),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<io::Error> for CheckError {
    fn from(cause: io::Error) -> Self {
        Self::Loopback(cause)
    }
}

impl From<ProxyError> for CheckError {
    fn from(cause: ProxyError) -> Self {
        Self::Proxy(cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times that a perfect link would give, with a factor for each repetition.
    fn times(link: Link, factors: &[f64]) -> EchoTimes {
        let time = |size: &u32| 70_000.0 + 2.0 * link.serialisation(u64::from(*size)) as f64;
        let perfect: Vec<f64> = SLOPE_SIZES.iter().map(time).collect();
        let scaled = |factor: &f64| perfect.iter().map(|time| time * factor).collect();
        EchoTimes { sizes: SLOPE_SIZES.to_vec(), repetitions: factors.iter().map(scaled).collect() }
    }

    #[test]
    fn a_perfect_link_has_the_slope_computed_for_it() {
        let link = "10mbit-1ms".parse().expect("a link");
        let ratio = slope_ratio(link, &times(link, &[1.0; 7])).expect("there is a line");
        assert!((ratio.median - 1.0).abs() < 1e-9 && ratio.is_confident, "{ratio:?}");
        assert!(slope_ratio(Link::DIRECT, &times(link, &[1.0; 7])).is_none());
    }

    #[test]
    fn a_disturbed_repetition_is_outvoted_and_a_slow_link_is_seen() {
        let link = "10mbit".parse().expect("a link");
        let factors = [1.1, 1.1, 1.1, 9.0, 1.1, 1.1, 1.1];
        let times = times(link, &factors);
        let ratio = slope_ratio(link, &times).expect("there is a line");
        assert!((ratio.median - 1.1).abs() < 1e-9, "{ratio:?}");
        let (size, median) = times.medians()[0];
        assert_eq!(size, 100);
        assert!((median - 1.1 * (70_000.0 + 2.0 * 178.0 * 800.0)).abs() < 1e-3, "{median}");
    }

    #[test]
    fn a_byte_on_ten_megabit_takes_800_nanoseconds_and_its_share_of_the_headers() {
        let slope = computed_slope("10mbit".parse().expect("a link")).expect("there is a line");
        let full = 2.0 * 800.0 * 1538.0 / 1460.0;
        assert!((slope / full - 1.0).abs() < 0.01, "{slope} {full}");
    }

    #[test]
    fn an_echo_through_a_link_takes_at_least_what_is_computed() {
        let link: Link = "100mbit".parse().expect("a link");
        let effort = CheckEffort { repetitions: 1, passes: 1 };
        let times = echo_times(link, effort).expect("loopback works");
        let medians = times.medians();
        assert_eq!(medians.len(), SLOPE_SIZES.len());
        for (size, time) in medians {
            assert!(time >= 2.0 * link.serialisation(u64::from(size)) as f64, "{size}: {time}");
        }
        let cost = own_cost(effort).expect("loopback works");
        assert!(cost.direct > 0.0);
    }
}
