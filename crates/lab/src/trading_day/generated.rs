//! A made-up day with the measures that the paper gives for the real one.

use super::{Trade, TradingDay};
use trunkline_bench::clock::Date;
use trunkline_random::{Random, Weighted};

/// Trade reports of the paper's day (section 4.1: approximately 55,000).
const TRADES: u32 = 55_000;
/// Trade reports in the busiest second of the paper's day (section 6).
const PEAK: u32 = 70;
/// Continuous trading at the exchange: 10:00 to 16:00.
const OPEN_SECOND: u32 = 10 * 3600;
const OPEN_SECONDS: u32 = 6 * 3600;
/// The exchange opens securities in five groups by first letter, each so many seconds after 10:00.
const GROUPS: [(u8, u32); 5] = [(b'A', 0), (b'C', 135), (b'G', 270), (b'N', 405), (b'S', 540)];
const SYMBOLS: usize = 600;
const BROKERS: usize = 90;
/// How busy the minute is (first of the pair: minutes after the opening); straight lines between.
const SHAPE: [(u32, u32); 11] = [
    (0, 240),
    (10, 260),
    (30, 160),
    (60, 120),
    (120, 95),
    (150, 62),
    (180, 48),
    (210, 52),
    (240, 80),
    (330, 130),
    (360, 330),
];

/// A security while the day is being made.
struct Security {
    symbol: String,
    opens_at: u32,
    /// Current price and the limits of its walk, in tenths of a cent.
    price: u64,
    lowest: u64,
    highest: u64,
}

impl TradingDay {
    /// A day of 55,000 trade reports made from `seed`: the same on every machine.
    ///
    /// Calibrated to Kohlhoff and Steele's day: the count, the peak of 70 in a second, the shape of
    /// an ASX day (staggered opening from 10:00, a dip at lunch, a rush before 16:00), and the mean
    /// length of prices and sizes, from which table 1's 109.9 FIX bytes an entry follow. Symbols
    /// and brokers are invented, their popularity follows Zipf's law, prices walk by ticks of half
    /// a cent below two dollars and of one cent above.
    pub fn generated(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let counts = trades_by_second(random);
        let mut securities = securities(random);
        let popularity = Weighted::zipf(SYMBOLS);
        let brokers = broker_numbers(random);
        let activity = Weighted::zipf(BROKERS);
        let mut trades: Vec<Trade> = Vec::with_capacity(TRADES as usize);
        let mut report_number = 0;
        for (offset, &count) in counts.iter().enumerate() {
            let second = OPEN_SECOND + offset as u32;
            let mut last_in_second: Option<(usize, u16)> = None;
            for millis in moments(count, random) {
                // One large order often trades against several small ones at once.
                let (security, buyer) = match last_in_second {
                    Some(same) if random.chance(45) => same,
                    _ => {
                        let security = draw_open(&securities, &popularity, second, random);
                        (security, brokers[activity.draw(random)])
                    }
                };
                last_in_second = Some((security, buyer));
                let (price_mantissa, price_exponent) = securities[security].next_price(random);
                // Numbers are missing where the exchange reported other things than equity trades.
                report_number += random.between(1, 2);
                trades.push(Trade {
                    millis_since_midnight: second * 1000 + millis,
                    symbol: securities[security].symbol.clone(),
                    price_mantissa,
                    price_exponent,
                    size: size(securities[security].price, random),
                    buyer,
                    seller: brokers[activity.draw(random)],
                    trade_id: format!("T{report_number:06}"),
                });
            }
        }
        // The paper's example trade is of this day.
        let date = Date { year: 2002, month: 11, day: 25 };
        Self { name: format!("generated, seed {seed}"), date, trades }
    }
}

/// How many trades fall into each second of the day: exactly [`TRADES`] in all, exactly [`PEAK`] in
/// one second and fewer in all others.
fn trades_by_second(random: &mut Random) -> Vec<u32> {
    let mut counts = vec![0; OPEN_SECONDS as usize];
    let busiest = GROUPS[random.below(GROUPS.len() as u64) as usize].1 + random.below(10) as u32;
    counts[busiest as usize] = PEAK;
    let weights: Vec<u64> = (0..OPEN_SECONDS)
        .map(|second| {
            // Half of the seconds are calm, a quarter twice as busy, and so on up to 16 times.
            let burst = 1 << random.bits().trailing_ones().min(4);
            let opening = GROUPS.iter().any(|&(_, at)| (at..at + 10).contains(&second));
            u64::from(shape(second)) * burst * if opening { 2 } else { 1 }
        })
        .collect();
    let draw = Weighted::new(weights);
    let mut placed = PEAK;
    while placed < TRADES {
        let second = draw.draw(random);
        if counts[second] < PEAK - 1 {
            counts[second] += 1;
            placed += 1;
        }
    }
    counts
}

fn shape(second: u32) -> u32 {
    let after = SHAPE.partition_point(|&(minute, _)| minute * 60 <= second).min(SHAPE.len() - 1);
    let ((from, low), (to, high)) = (SHAPE[after - 1], SHAPE[after]);
    let (from, to) = (from * 60, to * 60);
    (low * (to - second) + high * (second - from)) / (to - from)
}

/// `count` moments of one second in order, in milliseconds.
fn moments(count: u32, random: &mut Random) -> Vec<u32> {
    let mut millis: Vec<u32> = (0..count).map(|_| random.below(1000) as u32).collect();
    millis.sort_unstable();
    millis
}

fn securities(random: &mut Random) -> Vec<Security> {
    // The paper's example trades in CBG at 6.35.
    let mut all = vec![Security::new("CBG".into(), 6_350)];
    while all.len() < SYMBOLS {
        let symbol = symbol(random);
        if all.iter().all(|known| known.symbol != symbol) {
            let price = first_price(all.len(), random);
            all.push(Security::new(symbol, price));
        }
    }
    all
}

impl Security {
    fn new(symbol: String, price: u64) -> Self {
        let first_letter = symbol.as_bytes()[0];
        let group = GROUPS.iter().rev().find(|&&(letter, _)| letter <= first_letter);
        let opens_at = OPEN_SECOND + group.map_or(0, |&(_, seconds)| seconds);
        Self { symbol, opens_at, price, lowest: price * 9 / 10, highest: price * 11 / 10 }
    }

    /// Lets the price move by at most one tick; the price as mantissa and exponent, two decimals
    /// unless half a cent needs a third.
    fn next_price(&mut self, random: &mut Random) -> (i64, i8) {
        let tick = if self.price < 2_000 { 5 } else { 10 };
        self.price = self.price / tick * tick;
        match random.below(4) {
            0 if self.price + tick <= self.highest => self.price += tick,
            1 if self.price > self.lowest + tick => self.price -= tick,
            _ => {}
        }
        if self.price.is_multiple_of(10) {
            (self.price as i64 / 10, -2)
        } else {
            (self.price as i64, -3)
        }
    }
}

fn symbol(random: &mut Random) -> String {
    const FIRST: &[u8] = b"AAABBCCCDEFGGHIJKLLMMMNNOPPQRRSSSTTUVWWZ";
    const OTHER: &[u8] = b"AABCCDEEFGGHIIKLLMMNNOOPPQRRSSTTUVWXYZ";
    let mut letter = |from: &[u8]| char::from(from[random.below(from.len() as u64) as usize]);
    [letter(FIRST), letter(OTHER), letter(OTHER)].into_iter().collect()
}

/// In tenths of a cent. The most traded securities are large companies at 3 to 45 dollars, the
/// others begin at 20 cents.
fn first_price(rank: usize, random: &mut Random) -> u64 {
    let dollar_prices = if rank < 60 { 85 } else { 25 };
    if random.chance(dollar_prices) {
        let (low, high) = if random.chance(55) { (3_000, 9_990) } else { (10_000, 45_000) };
        random.between(low, high) / 10 * 10
    } else {
        random.between(200, 2_500) / 5 * 5
    }
}

fn draw_open(
    securities: &[Security],
    popularity: &Weighted,
    second: u32,
    random: &mut Random,
) -> usize {
    // The first group is open whenever there are trades, so that this ends.
    loop {
        let drawn = popularity.draw(random);
        if securities[drawn].opens_at <= second {
            return drawn;
        }
    }
}

/// Different four-digit numbers.
fn broker_numbers(random: &mut Random) -> Vec<u16> {
    let mut numbers: Vec<u16> = Vec::with_capacity(BROKERS);
    while numbers.len() < BROKERS {
        let number = random.between(1_000, 4_999) as u16;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

/// Shares of one trade: some hundred to some ten thousand dollars at `price` tenths of a cent,
/// often in round lots.
fn size(price: u64, random: &mut Random) -> u32 {
    let magnitude = [100, 1_000, 1_000, 10_000][random.below(4) as usize];
    let dollars = random.between(10, 99) * magnitude / 10;
    let shares = (dollars * 1_000 / price.max(1)).max(1);
    let lot = match shares {
        0..100 => 10,
        100..10_000 => 100,
        _ => 1_000,
    };
    if random.chance(55) { (shares.next_multiple_of(lot)) as u32 } else { shares as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of the price and the size in FIX: all else in an entry has a fixed length.
    fn price_and_size_length(trade: &Trade) -> usize {
        let decimals = usize::from(trade.price_exponent.unsigned_abs());
        let digits = trade.price_mantissa.to_string().len().max(decimals + 1);
        digits + 1 + trade.size.to_string().len()
    }

    #[test]
    fn a_day_has_the_papers_count_and_peak() {
        for seed in [2004, 1, u64::MAX] {
            let day = TradingDay::generated(seed);
            assert_eq!(day.trades.len(), 55_000);
            assert_eq!(day.peak_per_second(), 70);
            let peaks = day.per_second().into_iter().filter(|second| second.trades == 70);
            assert_eq!(peaks.count(), 1, "the peak is one second");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_day_and_another_seed_another() {
        let day = TradingDay::generated(7);
        assert_eq!(day, TradingDay::generated(7));
        assert_ne!(day.trades, TradingDay::generated(8).trades);
    }

    #[test]
    fn the_day_of_the_records_never_changes() {
        // FNV-1a over every field: another value means that older records cannot be compared.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for trade in TradingDay::generated(2004).trades {
            let Trade { millis_since_midnight, symbol, price_mantissa, price_exponent, .. } =
                &trade;
            let Trade { size, buyer, seller, trade_id, .. } = &trade;
            let text = format!(
                "{millis_since_midnight} {symbol} {price_mantissa}e{price_exponent} \
                 {size} {buyer} {seller} {trade_id}\n"
            );
            for byte in text.bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        assert_eq!(hash, 0x9edc_37ab_1a78_a123);
    }

    #[test]
    fn entries_are_as_long_as_in_table_1() {
        // Figure 5's entry without its price and size is 102 bytes; table 1 says 109.9 with them.
        for seed in [2004, 1, 2] {
            let day = TradingDay::generated(seed);
            let sum: usize = day.trades.iter().map(price_and_size_length).sum();
            let mean = sum as f64 / day.trades.len() as f64;
            assert!((7.8..8.0).contains(&mean), "seed {seed}: {mean}");
        }
    }

    #[test]
    fn trading_is_busy_at_both_ends_and_quiet_at_lunch() {
        let mut trades = [0_u32; 12];
        for trade in TradingDay::generated(2004).trades {
            let half_hour = (trade.millis_since_midnight - OPEN_SECOND * 1000) / 1_800_000;
            trades[half_hour as usize] += 1;
        }
        let lunch = trades[6];
        assert!(trades.iter().all(|&count| count >= lunch), "{trades:?}");
        assert!(trades[0] > 3 * lunch && trades[11] > 3 * lunch, "{trades:?}");
    }

    #[test]
    fn every_trade_is_well_formed_and_in_order() {
        let day = TradingDay::generated(2004);
        assert!(day.trades.is_sorted_by_key(|trade| trade.millis_since_midnight));
        assert!(day.trades.is_sorted_by(|a, b| a.trade_id < b.trade_id), "ids are unique");
        for trade in &day.trades {
            assert!((36_000_000..57_600_000).contains(&trade.millis_since_midnight));
            assert!(
                trade.symbol.len() == 3 && trade.symbol.bytes().all(|b| b.is_ascii_uppercase())
            );
            assert!(matches!(trade.price_exponent, -3 | -2) && trade.price_mantissa > 0);
            assert!(trade.size > 0);
            assert!(
                (1_000..10_000).contains(&trade.buyer) && (1_000..10_000).contains(&trade.seller)
            );
            assert_eq!(trade.trade_id.len(), 7);
        }
    }

    #[test]
    fn no_symbol_trades_before_its_group_opens() {
        for trade in &TradingDay::generated(2004).trades {
            if trade.symbol.as_str() >= "S" {
                assert!(trade.millis_since_midnight >= 36_540_000, "{trade:?}");
            }
        }
    }

    #[test]
    fn prices_move_by_ticks() {
        let day = TradingDay::generated(2004);
        let mills =
            |trade: &Trade| trade.price_mantissa * if trade.price_exponent == -2 { 10 } else { 1 };
        let mut last = std::collections::HashMap::new();
        for trade in &day.trades {
            let price = mills(trade);
            if let Some(before) = last.insert(&trade.symbol, price) {
                assert!([0, 5, 10].contains(&(price - before).abs()), "{trade:?} after {before}");
            }
        }
        assert!(last.len() > 400, "{} symbols", last.len());
    }
}
