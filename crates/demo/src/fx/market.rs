//! What is known of the market before the first tick: pairs, their usual prices, interest rates.

/// A pair that the market quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    pub(super) pair: &'static str,
    /// A usual price, in units of the last decimal.
    pub(super) price: i64,
    /// Decimals of a price.
    pub(super) decimals: u8,
    /// Ask less bid in a quiet market, in units of the last decimal.
    pub(super) spread: i64,
    /// How often it changes, by comparison.
    pub(super) weight: u64,
}

const fn leg(pair: &'static str, price: i64, decimals: u8, spread: i64, weight: u64) -> Leg {
    Leg { pair, price, decimals, spread, weight }
}

/// Every pair has the dollar on one side, so that every other pair has its price through two of them.
/// Prices are of the order of May 2014, when the real ticks were taken that this project is tried on.
pub(super) const LEGS: [Leg; 32] = [
    leg("EURUSD", 139_150, 5, 2, 100),
    leg("USDJPY", 101_700, 3, 3, 80),
    leg("GBPUSD", 169_300, 5, 4, 70),
    leg("AUDUSD", 93_600, 5, 4, 60),
    leg("USDCAD", 108_500, 5, 5, 50),
    leg("USDCHF", 87_700, 5, 5, 45),
    leg("NZDUSD", 86_500, 5, 6, 40),
    leg("USDSEK", 650_100, 5, 60, 20),
    leg("USDNOK", 588_200, 5, 60, 20),
    leg("USDDKK", 536_400, 5, 30, 10),
    leg("USDSGD", 124_900, 5, 10, 15),
    leg("USDHKD", 775_200, 5, 10, 8),
    leg("USDCNH", 623_100, 5, 20, 12),
    leg("USDMXN", 1_296_500, 5, 120, 18),
    leg("USDZAR", 1_038_000, 5, 200, 16),
    leg("USDTRY", 208_600, 5, 50, 16),
    leg("USDPLN", 300_900, 5, 60, 12),
    leg("USDHUF", 219_500, 3, 60, 10),
    leg("USDCZK", 19_680, 3, 8, 8),
    leg("USDRUB", 3_530_000, 5, 900, 10),
    leg("USDILS", 345_000, 5, 80, 6),
    leg("USDRON", 317_500, 5, 90, 4),
    leg("USDTHB", 32_450, 3, 12, 6),
    leg("USDKRW", 102_250, 2, 30, 6),
    leg("USDTWD", 30_120, 3, 15, 5),
    leg("USDINR", 60_050, 3, 20, 6),
    leg("USDIDR", 115_400, 1, 60, 4),
    leg("USDPHP", 43_900, 3, 25, 4),
    leg("USDMYR", 323_800, 5, 120, 4),
    leg("USDBRL", 221_700, 5, 60, 10),
    leg("USDCLP", 55_600, 2, 25, 3),
    leg("USDCOP", 191_500, 2, 120, 3),
];

/// Pairs whose price follows from two legs, and their decimals.
pub(super) const CROSSES: [(&str, u8); 14] = [
    ("EURJPY", 3),
    ("EURGBP", 5),
    ("EURCHF", 5),
    ("EURAUD", 5),
    ("EURCAD", 5),
    ("EURSEK", 5),
    ("EURNOK", 5),
    ("GBPJPY", 3),
    ("GBPCHF", 5),
    ("AUDJPY", 3),
    ("AUDNZD", 5),
    ("CADJPY", 3),
    ("CHFJPY", 3),
    ("NZDJPY", 3),
];

/// Days from spot at which the market quotes forward points; between them they are interpolated.
pub(super) const NODES: [u32; 5] = [7, 30, 91, 182, 365];

/// What a currency yields in a year, in hundredths of a per cent; the dollar's is 20 and one that is
/// not here has 300. Forward points are the difference of two yields.
pub(super) fn yield_of(currency: &str) -> i64 {
    match currency {
        "CHF" => -5,
        "DKK" | "HKD" | "SGD" => 30,
        "EUR" => 25,
        "GBP" => 55,
        "JPY" => 10,
        "USD" => 20,
        "CZK" | "ILS" => 60,
        "CAD" | "SEK" => 110,
        "NOK" => 160,
        "AUD" | "PLN" | "HUF" => 265,
        "NZD" => 330,
        "BRL" | "TRY" | "RUB" => 1050,
        "ZAR" | "INR" | "IDR" => 750,
        _ => 300,
    }
}

/// The leg of this pair.
pub(super) fn leg_of(pair: &str) -> Option<&'static Leg> {
    LEGS.iter().find(|leg| leg.pair == pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leg_has_the_dollar_on_one_side_and_every_cross_has_legs() {
        for leg in LEGS {
            assert!(leg.pair.starts_with("USD") != leg.pair.ends_with("USD"), "{}", leg.pair);
            assert!(leg.spread > 0 && leg.price > 1000 * leg.spread, "{}", leg.pair);
        }
        for (cross, _) in CROSSES {
            for currency in [&cross[..3], &cross[3..]] {
                let found = LEGS.iter().filter(|leg| leg.pair.contains(currency)).count();
                assert_eq!(found, 1, "{cross}");
            }
        }
    }
}
