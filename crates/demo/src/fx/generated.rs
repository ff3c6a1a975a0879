//! Ticks from a seed: what a market looks like, for those who have no file of one.

use trunkline_wire::Decimal;

use super::market::LEGS;
use super::{Stream, Tick, Ticks};
use trunkline_random::{Random, Weighted};

/// Ticks in a second of a quiet market.
const QUIET_RATE: u64 = 400;
/// How much faster and wider it all becomes when there is news.
const BURST: u64 = 20;
/// In a quiet market one tick in so many begins a burst.
const BURST_EVERY: u64 = 10_000;
/// Ticks of a burst.
const BURST_TICKS: std::ops::RangeInclusive<u64> = 500..=4_000;
/// When the day begins, in milliseconds: 07:00, when London comes to work.
const BEGINNING: u32 = 7 * 3_600_000;
const MILLISECONDS_OF_DAY: u64 = 86_400_000;
/// A price stays within this part of where it began: it is drawn back the more the further it went.
const REACH: i64 = 50;

/// One pair on its random walk, in units of its last decimal.
struct Walk {
    beginning: i64,
    middle: i64,
    spread: i64,
    exponent: i8,
}

impl Walk {
    fn step(&mut self, random: &mut Random, in_burst: bool) -> (i64, i64) {
        let widest = self.spread as u64 * if in_burst { 3 } else { 1 };
        let step = random.between(1, widest) as i64;
        // Towards the beginning a little more often: 50 times in a hundred, and one for each hundredth of
        // the reach that it is away.
        let away = (self.middle - self.beginning) * REACH * 50 / self.beginning;
        let is_up = random.chance((50 - away.clamp(-50, 50)) as u64);
        self.middle += if is_up { step } else { -step };
        let spread = self.spread + random.below(widest) as i64;
        let bid = self.middle - spread / 2;
        (bid, bid + spread)
    }
}

impl Ticks {
    /// So many ticks of 32 pairs: prices on random walks, the more traded pairs more often, quiet hours
    /// with bursts in which everything is faster and wider. The same on every machine.
    pub fn generated(seed: u64, count: usize) -> Self {
        let mut random = Random::new(seed);
        let stream = |leg: &super::market::Leg| Stream {
            pair: leg.pair.to_owned(),
            source: format!("generated, seed {seed}"),
            is_real: false,
        };
        let walk = |leg: &super::market::Leg| Walk {
            beginning: leg.price,
            middle: leg.price,
            spread: leg.spread,
            exponent: -(leg.decimals as i8),
        };
        let mut walks: Vec<Walk> = LEGS.iter().map(walk).collect();
        let weights = Weighted::new(LEGS.iter().map(|leg| leg.weight));
        let mut microseconds = u64::from(BEGINNING) * 1000;
        let mut burst_left = 0;
        let mut ticks = Vec::with_capacity(count);
        while ticks.len() < count {
            if burst_left > 0 {
                burst_left -= 1;
            } else if random.below(BURST_EVERY) == 0 {
                burst_left = random.between(*BURST_TICKS.start(), *BURST_TICKS.end());
            }
            let rate = QUIET_RATE * if burst_left > 0 { BURST } else { 1 };
            // From nothing to twice the mean.
            microseconds += random.below(2 * 1_000_000 / rate);
            let stream = weights.draw(&mut random);
            let walk = &mut walks[stream];
            let (bid, ask) = walk.step(&mut random, burst_left > 0);
            let price = |mantissa| Decimal::new(mantissa, walk.exponent).unwrap_or_default();
            ticks.push(Tick {
                milliseconds: (microseconds / 1000 % MILLISECONDS_OF_DAY) as u32,
                stream: stream as u16,
                bid: price(bid),
                ask: price(ask),
            });
        }
        Self { streams: LEGS.iter().map(stream).collect(), ticks }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SEED;
    use super::*;

    #[test]
    fn a_seed_gives_the_same_ticks_again() {
        let ticks = Ticks::generated(SEED, 1000);
        assert_eq!(ticks, Ticks::generated(SEED, 1000));
        assert_ne!(ticks, Ticks::generated(SEED + 1, 1000));
        assert_eq!(ticks.ticks[..10], Ticks::generated(SEED, 10).ticks);
        assert_eq!(ticks.streams[0].source, "generated, seed 2012");
    }

    #[test]
    fn prices_stay_near_where_they_began_and_every_pair_moves() {
        let ticks = Ticks::generated(SEED, 200_000);
        assert_eq!(ticks.streams.len(), 32);
        let mut seen = vec![0; ticks.streams.len()];
        for tick in &ticks.ticks {
            let leg = &LEGS[usize::from(tick.stream)];
            seen[usize::from(tick.stream)] += 1;
            let (bid, ask) = (tick.bid.mantissa(), tick.ask.mantissa());
            assert!(bid < ask && ask - bid <= 4 * leg.spread, "{}: {bid} {ask}", leg.pair);
            assert!((bid - leg.price).abs() < leg.price / 20, "{}: {bid}", leg.pair);
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
        assert!(seen[0] > 10 * seen[31]);
        assert!(ticks.ticks.is_sorted_by_key(|tick| tick.milliseconds));
    }

    #[test]
    fn there_are_quiet_seconds_and_bursts() {
        let ticks = Ticks::generated(SEED, 200_000).ticks;
        let mut seconds = std::collections::BTreeMap::new();
        for tick in &ticks {
            *seconds.entry(tick.milliseconds / 1000).or_insert(0) += 1;
        }
        let mut counts: Vec<u32> = seconds.into_values().collect();
        counts.sort_unstable();
        let middle = counts[counts.len() / 2];
        assert!((300..500).contains(&middle), "{middle}");
        assert!(counts[counts.len() - 1] > 5 * middle, "{counts:?}");
    }
}
