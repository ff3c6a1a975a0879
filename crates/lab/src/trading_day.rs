//! One day of trade reports: the content of every message that the market-data experiments send.
//!
//! Kohlhoff and Steele took about 55,000 reports of new equity trades from one day of the
//! Australian Stock Exchange (section 4.1), with at most 70 in a second (section 6). That file is
//! not public, so a day comes either from a seed ([`TradingDay::generated`]) or from a file of
//! real trades ([`TradingDay::from_csv`]).

mod generated;

use trunkline_bench::clock::Date;

/// The seed of the trading day that is used where the user names no file.
pub const SEED: u64 = 2004;

/// The report of one trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// Exchange time of the trade, in milliseconds since midnight.
    pub millis_since_midnight: u32,
    /// Code of the traded security, such as `CBG`: printable ASCII.
    pub symbol: String,
    /// The price is `price_mantissa` * 10^`price_exponent`: 13.94 is 1394 and -2.
    pub price_mantissa: i64,
    /// See `price_mantissa`.
    pub price_exponent: i8,
    /// Number of shares.
    pub size: u32,
    /// Four-digit number of the buying broker.
    pub buyer: u16,
    /// Four-digit number of the selling broker; the buyer's own in a crossing.
    pub seller: u16,
    /// Name of the report, such as `T078224`.
    pub trade_id: String,
}

/// All trade reports of one day, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradingDay {
    /// Where the trades come from: `generated, seed 2004` or the name of a file.
    pub name: String,
    /// The day of the trades.
    pub date: Date,
    /// The reports, in order of time.
    pub trades: Vec<Trade>,
}

/// The trades of one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Second {
    /// Seconds since midnight.
    pub second: u32,
    /// Trade reports in this second, at least one.
    pub trades: u32,
}

impl TradingDay {
    /// The seconds that saw a trade, in order of time.
    pub fn per_second(&self) -> Vec<Second> {
        let mut seconds: Vec<Second> = Vec::new();
        for trade in &self.trades {
            let second = trade.millis_since_midnight / 1000;
            match seconds.last_mut() {
                Some(last) if last.second == second => last.trades += 1,
                _ => seconds.push(Second { second, trades: 1 }),
            }
        }
        seconds
    }

    /// The most trade reports in one second: what a system must sustain (paper, section 6).
    pub fn peak_per_second(&self) -> u32 {
        self.per_second().iter().map(|second| second.trades).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day_at(millis: &[u32]) -> TradingDay {
        let trade = |&millis_since_midnight: &u32| Trade {
            millis_since_midnight,
            symbol: "CBG".into(),
            price_mantissa: 635,
            price_exponent: -2,
            size: 451,
            buyer: 2402,
            seller: 3713,
            trade_id: "T078224".into(),
        };
        TradingDay {
            name: "test".into(),
            date: Date { year: 2002, month: 11, day: 25 },
            trades: millis.iter().map(trade).collect(),
        }
    }

    #[test]
    fn trades_are_counted_by_second() {
        let day = day_at(&[1000, 1999, 2000, 5500, 5600, 5700]);
        let counts: Vec<_> = day.per_second().iter().map(|s| (s.second, s.trades)).collect();
        assert_eq!(counts, [(1, 2), (2, 1), (5, 3)]);
        assert_eq!(day.peak_per_second(), 3);
    }

    #[test]
    fn a_day_without_trades_has_no_peak() {
        let day = day_at(&[]);
        assert!(day.peak_per_second() == 0 && day.per_second().is_empty());
    }
}
