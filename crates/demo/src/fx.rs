//! Foreign exchange: where the prices of the router's experiments come from, and what a bank makes of them.
//!
//! [`Ticks`] are generated from a seed or read from files of real ones. A [`PricingEngine`] turns each into
//! what customers see: crosses from their legs, outright forwards, and streams with a margin for each group
//! of customers. A [`Quote`] is what a message carries of it. Prices are decimals throughout.

mod engine;
mod file;
mod fixed;
mod generated;
mod market;
mod quote;
mod zip;

pub use engine::{Group, PricingEngine, Tenor};
pub use file::TickLimits;
pub use quote::{BODY, Quote};

use trunkline_wire::Decimal;

/// The seed of the ticks that are used where the user names no file.
pub const SEED: u64 = 2012;

/// One change of a price in the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Since midnight, in milliseconds.
    pub milliseconds: u32,
    /// Which of [`Ticks::streams`].
    pub stream: u16,
    /// What the market pays for a unit of the first currency, in the second.
    pub bid: Decimal,
    /// What it asks for one.
    pub ask: Decimal,
}

/// A source of ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Two currencies, such as `EURUSD`: the price of a euro in dollars.
    pub pair: String,
    /// `generated, seed 2012` or the name of a file.
    pub source: String,
    /// Whether the prices were those of a market once.
    pub is_real: bool,
}

/// Ticks of several streams, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// The streams, of which two may be of one pair.
    pub streams: Vec<Stream>,
    /// The ticks, at least one.
    pub ticks: Vec<Tick>,
}

impl Ticks {
    /// The topic of each stream, as a feed handler publishes it: `feed/EURUSD`, and `feed/EURUSD/2` for
    /// a second stream of the pair.
    pub fn topics(&self) -> Vec<String> {
        let topic = |(index, stream): (usize, &Stream)| {
            let earlier = self.streams[..index].iter().filter(|other| other.pair == stream.pair);
            match earlier.count() {
                0 => format!("feed/{}", stream.pair),
                count => format!("feed/{}/{}", stream.pair, count + 1),
            }
        };
        self.streams.iter().enumerate().map(topic).collect()
    }

    /// What the message of a tick carries; `number` counts the ticks of a run.
    pub fn quote(&self, tick: &Tick, number: u64) -> Quote {
        let stream = &self.streams[usize::from(tick.stream)];
        Quote::of_tick(tick, &stream.pair, stream.is_real, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_one_pair_have_topics_of_their_own() {
        let stream =
            |pair: &str| Stream { pair: pair.into(), source: "test".into(), is_real: false };
        let streams = ["EURUSD", "NZDUSD", "EURUSD"].map(stream).to_vec();
        let ticks = Ticks { streams, ticks: vec![] };
        assert_eq!(ticks.topics(), ["feed/EURUSD", "feed/NZDUSD", "feed/EURUSD/2"]);
    }
}
