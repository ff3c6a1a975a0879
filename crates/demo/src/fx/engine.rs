//! The pricing engine: from a tick of the market to what each group of customers sees.
//!
//! ```text
//!   tick of a leg --> that leg, and every cross of it        EURUSD --> EURUSD, EURJPY, EURGBP ...
//!                 --> each tenor: spot + forward points      SPOT, 1W ... 1Y
//!                 --> each group: less and plus its margin   tier1 ... tier4
//! ```
//! Forward points are known for few days and interpolated between them in a straight line, separately for
//! the bid and the ask. A cross is dealt through both legs at the same tenor. Every side is rounded once,
//! away from the customer, to the decimals of its pair; margins come after that.

use trunkline_wire::Decimal;

use super::fixed::{Sides, interpolate};
use super::market::{CROSSES, NODES, leg_of, yield_of};
use super::quote::{BODY, Quote, text};
use super::{Stream, Tick};

/// When a price's currencies are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenor {
    /// As markets call it.
    pub name: &'static str,
    /// Days after spot.
    pub days: u16,
}

const fn tenor(name: &'static str, days: u16) -> Tenor {
    Tenor { name, days }
}

/// Five are quoted by the market, five are interpolated.
const TENORS: [Tenor; 11] = [
    tenor("SPOT", 0),
    tenor("1W", 7),
    tenor("2W", 14),
    tenor("1M", 30),
    tenor("2M", 61),
    tenor("3M", 91),
    tenor("4M", 122),
    tenor("5M", 152),
    tenor("6M", 182),
    tenor("9M", 274),
    tenor("1Y", 365),
];

/// Customers who are shown the same prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name, a level of topics.
    pub name: String,
    /// What is taken off the bid and put on the ask, in units of the price's last decimal.
    pub margin: i64,
    /// How much may be dealt at these prices, in thousands of the first currency.
    pub amount: u32,
}

impl Group {
    /// Four groups, `tier1` with the best prices.
    pub fn usual() -> Vec<Self> {
        let groups =
            [("tier1", 0, 5000), ("tier2", 2, 3000), ("tier3", 5, 1000), ("tier4", 15, 100)];
        groups.map(|(name, margin, amount)| Self { name: name.to_owned(), margin, amount }).to_vec()
    }
}

/// Prices of one source, by tenor; where a source has not been heard of there is none.
type Curve = [Option<Sides>; TENORS.len()];

/// What the market quotes, and what was heard of it last.
#[derive(Clone, Debug)]
struct Leg {
    pair: String,
    /// Forward points, by tenor.
    points: [Sides; TENORS.len()],
    outright: Curve,
}

/// How a product's price follows from legs.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Leg(usize),
    /// Legs of the first and of the second currency; `true` where the dollar comes first.
    Cross((usize, bool), (usize, bool)),
}

#[derive(Clone, Debug)]
struct Product {
    pair: [u8; 8],
    decimals: u8,
    rule: Rule,
}

/// Turns ticks into prices for customers.
#[derive(Clone, Debug)]
pub struct PricingEngine {
    /// For each stream its leg.
    leg_of_stream: Vec<usize>,
    is_real: Vec<bool>,
    legs: Vec<Leg>,
    products: Vec<Product>,
    /// For each leg the products that have it.
    dependents: Vec<Vec<usize>>,
    groups: Vec<Group>,
    topics: Vec<String>,
}

impl PricingEngine {
    /// An engine for these streams and groups. Two streams of one pair are one leg, of which the last
    /// tick counts. A pair that the engine knows nothing of has no crosses, five decimals, and the forward
    /// points of a common yield.
    pub fn new(streams: &[Stream], groups: &[Group]) -> Self {
        let mut legs: Vec<Leg> = Vec::new();
        let mut leg_of_stream = Vec::new();
        for stream in streams {
            let known = legs.iter().position(|leg| leg.pair == stream.pair);
            leg_of_stream.push(known.unwrap_or(legs.len()));
            if known.is_none() {
                legs.push(Leg::new(&stream.pair));
            }
        }
        let (products, names) = products_of(&legs);
        let has = |product: &Product, leg: usize| match product.rule {
            Rule::Leg(index) => index == leg,
            Rule::Cross((base, _), (quote, _)) => base == leg || quote == leg,
        };
        let dependents = |leg| (0..products.len()).filter(|&at| has(&products[at], leg)).collect();
        let dependents = (0..legs.len()).map(dependents).collect();
        let mut topics = Vec::new();
        for name in &names {
            for tenor in TENORS {
                let topic = |group: &Group| format!("fx/{name}/{}/{}", tenor.name, group.name);
                topics.extend(groups.iter().map(topic));
            }
        }
        let is_real = streams.iter().map(|stream| stream.is_real).collect();
        let groups = groups.to_vec();
        Self { leg_of_stream, is_real, legs, products, dependents, groups, topics }
    }

    /// The topics of all prices, such as `fx/EURUSD/SPOT/tier1`.
    pub fn topics(&self) -> &[String] {
        &self.topics
    }

    /// Takes a tick, the `number`th, and hands over every price that it changes with the index of its
    /// topic; returns how many. A cross waits until both its legs were heard of. A tick that is no price,
    /// because a side is not positive or the bid is above the ask, changes nothing.
    pub fn price(
        &mut self,
        tick: &Tick,
        number: u64,
        sink: &mut dyn FnMut(usize, &[u8; BODY]),
    ) -> usize {
        let stream = usize::from(tick.stream);
        let leg = self.leg_of_stream[stream];
        let Some(spot) = Sides::of(tick.bid, tick.ask) else { return 0 };
        let of_leg = &mut self.legs[leg];
        for (outright, points) in of_leg.outright.iter_mut().zip(of_leg.points) {
            *outright = spot.plus(points);
        }
        let mut count = 0;
        let mut body = [0; BODY];
        for &product in &self.dependents[leg] {
            let Some(spot) = self.outright(product, 0) else { continue };
            for tenor in 0..TENORS.len() {
                let Some(price) = self.outright(product, tenor) else { continue };
                for group in 0..self.groups.len() {
                    let Some(mut quote) = self.quote((product, tenor, group), price, spot) else {
                        continue;
                    };
                    quote.is_real = self.is_real[stream];
                    (quote.milliseconds, quote.number) = (tick.milliseconds, number);
                    quote.write(&mut body);
                    sink((product * TENORS.len() + tenor) * self.groups.len() + group, &body);
                    count += 1;
                }
            }
        }
        count
    }

    /// The price of a product at a tenor, with its own decimals: units of the last of them.
    fn outright(&self, product: usize, tenor: usize) -> Option<(i64, i64)> {
        let Product { decimals, rule, .. } = self.products[product];
        let of = |leg: usize| self.legs[leg].outright[tenor];
        let sides = match rule {
            Rule::Leg(leg) => of(leg)?,
            Rule::Cross((base, base_inverted), (quote, quote_inverted)) => {
                Sides::cross((of(base)?, base_inverted), (of(quote)?, quote_inverted))?
            }
        };
        Some(sides.rounded(decimals))
    }

    fn quote(
        &self,
        (product, tenor, group): (usize, usize, usize),
        (bid, ask): (i64, i64),
        spot: (i64, i64),
    ) -> Option<Quote> {
        let Product { pair, decimals, .. } = self.products[product];
        let (number, group) = (group as u16 + 1, &self.groups[group]);
        let exponent = -(decimals as i8);
        let points = [bid - spot.0, ask - spot.1];
        // No price at all where the margin leaves nothing.
        let bid = bid.checked_sub(group.margin).filter(|bid| *bid > 0)?;
        Some(Quote {
            bid: Decimal::new(bid, exponent)?,
            ask: Decimal::new(ask.checked_add(group.margin)?, exponent)?,
            days: TENORS[tenor].days,
            group: number,
            is_real: false,
            milliseconds: 0,
            pair,
            tenor: text(TENORS[tenor].name),
            group_name: text(&group.name),
            amounts: [group.amount; 2],
            spot: [spot.0, spot.1],
            points: [i32::try_from(points[0]).ok()?, i32::try_from(points[1]).ok()?],
            number: 0,
        })
    }
}

/// All that is priced: each leg, then the crosses whose legs are there. Names beside them.
fn products_of(legs: &[Leg]) -> (Vec<Product>, Vec<String>) {
    let (mut products, mut names) = (Vec::new(), Vec::new());
    for (index, leg) in legs.iter().enumerate() {
        let decimals = leg_of(&leg.pair).map_or(5, |known| known.decimals);
        products.push(Product { pair: text(&leg.pair), decimals, rule: Rule::Leg(index) });
        names.push(leg.pair.clone());
    }
    // The leg of a currency, and whether the dollar comes first in it.
    let side = |currency: &str| {
        let found = |pair: String| legs.iter().position(|leg| leg.pair == pair);
        let plain = found(format!("{currency}USD")).map(|leg| (leg, false));
        plain.or_else(|| found(format!("USD{currency}")).map(|leg| (leg, true)))
    };
    for (cross, decimals) in CROSSES {
        if legs.iter().any(|leg| leg.pair == cross) {
            continue;
        }
        if let (Some(base), Some(quote)) = (side(&cross[..3]), side(&cross[3..])) {
            products.push(Product { pair: text(cross), decimals, rule: Rule::Cross(base, quote) });
            names.push(cross.to_owned());
        }
    }
    (products, names)
}

impl Leg {
    fn new(pair: &str) -> Self {
        let points = TENORS.map(|tenor| points_at(&nodes_of(pair), tenor.days.into()));
        Self { pair: pair.to_owned(), points, outright: [None; TENORS.len()] }
    }
}

/// The forward points that the market quotes for a pair, by day: the usual price times the difference of
/// the yields, for that part of a year of 360 days, and a hundredth of it between bid and ask.
fn nodes_of(pair: &str) -> Vec<(u32, Sides)> {
    let usual = leg_of(pair).and_then(|leg| Decimal::new(leg.price, -(leg.decimals as i8)));
    let usual = usual.unwrap_or(Decimal::new(1, 0).unwrap_or_default());
    let price = Sides::of(usual, usual).map_or(0, |sides| i128::from(sides.bid));
    let (base, quote) = pair.split_at_checked(3).unwrap_or((pair, ""));
    let difference = i128::from(yield_of(quote) - yield_of(base));
    let at = |days: u32| {
        let points = price * difference * i128::from(days) / (360 * 10_000);
        let half = points.abs() / 200 + 1;
        let side = |value: i128| i64::try_from(value).unwrap_or(0);
        (days, Sides { bid: side(points - half), ask: side(points + half) })
    };
    [(0, Sides { bid: 0, ask: 0 })].into_iter().chain(NODES.map(at)).collect()
}

/// Forward points on a day, by the nodes on both sides of it; the last node's beyond it.
fn points_at(nodes: &[(u32, Sides)], day: u32) -> Sides {
    let between = nodes.windows(2).find(|pair| pair[0].0 <= day && day <= pair[1].0);
    let on_line = between.and_then(|pair| interpolate(pair[0], pair[1], day));
    on_line.or(nodes.last().map(|last| last.1)).unwrap_or(Sides { bid: 0, ask: 0 })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text.as_bytes()).expect("a decimal")
    }

    fn engine(pairs: &[&str]) -> PricingEngine {
        let stream = |pair: &&str| Stream {
            pair: (*pair).to_owned(),
            source: "test".to_owned(),
            is_real: true,
        };
        PricingEngine::new(&pairs.iter().map(stream).collect::<Vec<_>>(), &Group::usual())
    }

    fn prices(engine: &mut PricingEngine, tick: &Tick) -> BTreeMap<String, Quote> {
        let topics = engine.topics().to_vec();
        let mut found = BTreeMap::new();
        let count = engine.price(tick, 7, &mut |topic, body| {
            found.insert(topics[topic].clone(), Quote::read(body).expect("a quote"));
        });
        assert_eq!(count, found.len());
        found
    }

    fn tick(stream: u16, bid: &str, ask: &str) -> Tick {
        Tick { milliseconds: 17_007, stream, bid: decimal(bid), ask: decimal(ask) }
    }

    /// Worked out by hand, see also the tests of the arithmetic.
    #[test]
    fn a_tick_becomes_streams_with_margins_and_crosses() {
        let mut engine = engine(&["EURUSD", "USDJPY"]);
        let first = prices(&mut engine, &tick(0, "1.39147", "1.39148"));
        assert_eq!(first.len(), 11 * 4);
        let spot = first["fx/EURUSD/SPOT/tier1"];
        assert_eq!((spot.bid, spot.ask), (decimal("1.39147"), decimal("1.39148")));
        assert!(spot.is_real && spot.number == 7 && spot.milliseconds == 17_007);
        let spot = first["fx/EURUSD/SPOT/tier3"];
        assert_eq!((spot.bid, spot.ask), (decimal("1.39142"), decimal("1.39153")));
        assert_eq!((spot.group, &spot.group_name), (3, b"tier3\0\0\0"));
        let second = prices(&mut engine, &tick(1, "101.620", "101.623"));
        assert_eq!(second.len(), 2 * 11 * 4);
        let cross = second["fx/EURJPY/SPOT/tier1"];
        assert_eq!((cross.bid, cross.ask), (decimal("141.401"), decimal("141.407")));
        let cross = second["fx/EURJPY/SPOT/tier4"];
        assert_eq!((cross.bid, cross.ask), (decimal("141.386"), decimal("141.422")));
    }

    /// EUR yields 0.25 %, USD 0.20 %: at 1.39150 that is -0.000058 for a month of 30 days and -0.000176
    /// for 91, and 61 days lie on the line between them.
    #[test]
    fn forwards_between_quoted_days_are_interpolated() {
        let nodes = nodes_of("EURUSD");
        // 139,150,000 x -5 x 30 / 3,600,000 = -5797; a hundredth of it is 57.
        assert_eq!(nodes[2], (30, Sides { bid: -5797 - 29, ask: -5797 + 29 }));
        // 139,150,000 x -5 x 91 / 3,600,000 = -17587.
        assert_eq!(nodes[3], (91, Sides { bid: -17_587 - 88, ask: -17_587 + 88 }));
        // -5826 + (-17675 + 5826) x 31 / 61 = -11847.6; -5768 + (-17499 + 5768) x 31 / 61 = -11729.7.
        assert_eq!(points_at(&nodes, 61), Sides { bid: -11_848, ask: -11_729 });
        let mut engine = engine(&["EURUSD"]);
        let prices = prices(&mut engine, &tick(0, "1.39147", "1.39148"));
        // 1.39147 - 0.00011848 = 1.39135152, down; 1.39148 - 0.00011729 = 1.39136271, up.
        let forward = prices["fx/EURUSD/2M/tier1"];
        assert_eq!((forward.bid, forward.ask), (decimal("1.39135"), decimal("1.39137")));
        assert_eq!((forward.days, forward.points), (61, [-12, -11]));
        assert_eq!(forward.spot, [139_147, 139_148]);
    }

    #[test]
    fn two_streams_of_a_pair_are_one_price_and_the_last_counts() {
        let mut engine = engine(&["EURUSD", "EURUSD"]);
        assert_eq!(engine.topics().len(), 11 * 4);
        prices(&mut engine, &tick(0, "1.39147", "1.39148"));
        let second = prices(&mut engine, &tick(1, "1.39150", "1.39164"));
        assert_eq!(second["fx/EURUSD/SPOT/tier1"].bid, decimal("1.3915"));
    }

    #[test]
    fn what_is_no_price_changes_nothing() {
        let mut engine = engine(&["EURUSD"]);
        for (bid, ask) in [("0", "1"), ("1.2", "1.1"), ("-1", "1")] {
            assert!(prices(&mut engine, &tick(0, bid, ask)).is_empty());
        }
        // The margin of tier4 is more than this bid.
        let tiny = prices(&mut engine, &tick(0, "0.00010", "0.00040"));
        assert!(tiny.contains_key("fx/EURUSD/SPOT/tier3"));
        assert!(!tiny.contains_key("fx/EURUSD/SPOT/tier4"));
    }
}
