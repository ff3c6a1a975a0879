//! Prices while they are worked on: whole numbers of hundred millionths, rounded away from the customer.

use std::cmp::Ordering;

use trunkline_wire::Decimal;

/// Decimals of a price that is worked on.
const DECIMALS: u8 = 8;
const ONE: i128 = 100_000_000;

/// Two sides of a price, in hundred millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) bid: i64,
    pub(super) ask: i64,
}

/// Towards what a quotient is rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Down.
    Bid,
    /// Up.
    Ask,
}

impl Sides {
    /// `None` if a side does not fit, is not positive, or the bid is above the ask.
    pub(super) fn of(bid: Decimal, ask: Decimal) -> Option<Self> {
        let sides = Self { bid: fixed(bid)?, ask: fixed(ask)? };
        (sides.bid > 0 && sides.ask >= sides.bid).then_some(sides)
    }

    /// Both sides with so many decimals: the bid rounded down, the ask up.
    pub(super) fn rounded(self, decimals: u8) -> (i64, i64) {
        let unit = i128::from(10_i64.pow(u32::from(DECIMALS - decimals.min(DECIMALS))));
        let bid = divide(i128::from(self.bid), unit, Side::Bid);
        (bid.unwrap_or(0), divide(i128::from(self.ask), unit, Side::Ask).unwrap_or(0))
    }

    /// Adds points to each side.
    pub(super) fn plus(self, points: Self) -> Option<Self> {
        let bid = self.bid.checked_add(points.bid)?;
        Some(Self { bid, ask: self.ask.checked_add(points.ask)? })
    }

    /// The price of `base` in what `quote` is the price of, each in dollars or a dollar in it
    /// ("inverted"), as it is dealt: bought on one side and sold on the other. The quotient is exact
    /// before it is rounded, once.
    pub(super) fn cross(
        (base, base_inverted): (Self, bool),
        (quote, quote_inverted): (Self, bool),
    ) -> Option<Self> {
        let side = |base: i64, quote: i64, side| {
            let (base, quote) = (i128::from(base), i128::from(quote));
            // Each `inverted` brings its leg to the other side of the fraction.
            match (base_inverted, quote_inverted) {
                (false, true) => divide(base * quote, ONE, side),
                (false, false) => divide(base * ONE, quote, side),
                (true, true) => divide(quote * ONE, base, side),
                (true, false) => divide(ONE * ONE * ONE, base * quote, side),
            }
        };
        // A leg with the dollar first is bought where the other is sold.
        let of = |sides: Self, low: bool| if low { sides.bid } else { sides.ask };
        let bid = side(of(base, !base_inverted), of(quote, quote_inverted), Side::Bid)?;
        let ask = side(of(base, base_inverted), of(quote, !quote_inverted), Side::Ask)?;
        Some(Self { bid, ask })
    }
}

/// The value at `day` on the line through two points, rounded down for the bid and up for the ask.
pub(super) fn interpolate(
    (from_day, from): (u32, Sides),
    (to_day, to): (u32, Sides),
    day: u32,
) -> Option<Sides> {
    let width = i128::from(to_day) - i128::from(from_day);
    let gone = i128::from(day) - i128::from(from_day);
    let value = |from: i64, to: i64, side| {
        let (from, to) = (i128::from(from), i128::from(to));
        divide(from * width + (to - from) * gone, width, side)
    };
    Some(Sides {
        bid: value(from.bid, to.bid, Side::Bid)?,
        ask: value(from.ask, to.ask, Side::Ask)?,
    })
}

fn fixed(price: Decimal) -> Option<i64> {
    let shift = i32::from(DECIMALS) + i32::from(price.exponent());
    let power = 10_i64.checked_pow(shift.unsigned_abs())?;
    match shift.cmp(&0) {
        Ordering::Less => (price.mantissa() % power == 0).then(|| price.mantissa() / power),
        _ => price.mantissa().checked_mul(power),
    }
}

fn divide(dividend: i128, divisor: i128, side: Side) -> Option<i64> {
    if divisor <= 0 {
        return None;
    }
    let down = dividend.div_euclid(divisor);
    let up = i128::from(side == Side::Ask && dividend.rem_euclid(divisor) != 0);
    i64::try_from(down + up).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(bid: &str, ask: &str) -> Sides {
        let [bid, ask] = [bid, ask].map(|text| Decimal::parse(text.as_bytes()).expect("a decimal"));
        Sides::of(bid, ask).expect("a price")
    }

    /// Worked out by hand.
    #[test]
    fn crosses_are_dealt_at_both_legs_prices() {
        let euro = (sides("1.39147", "1.39148"), false);
        let pound = (sides("1.69010", "1.69020"), false);
        let yen = (sides("101.620", "101.623"), true);
        let franc = (sides("0.87700", "0.87705"), true);
        let cross = |base, quote| Sides::cross(base, quote).expect("a price");
        // 1.39147 x 101.620 = 141.4011814; 1.39148 x 101.623 = 141.40637204.
        assert_eq!(cross(euro, yen), sides("141.4011814", "141.40637204"));
        assert_eq!(cross(euro, yen).rounded(3), (141_401, 141_407));
        // 1.39147 / 1.69020 = 0.823257...; 1.39148 / 1.69010 = 0.823312...
        assert_eq!(cross(euro, pound).rounded(5), (82_325, 82_332));
        // 101.620 / 0.87705 = 115.86568...; 101.623 / 0.87700 = 115.87571...
        assert_eq!(cross(franc, yen).rounded(3), (115_865, 115_876));
        // 1 / (0.87705 x 1.69020) = 0.674589...; 1 / (0.87700 x 1.69010) = 0.674667...
        assert_eq!(cross(franc, pound).rounded(5), (67_458, 67_467));
    }

    #[test]
    fn points_lie_on_the_line_between_two_days() {
        let (month, quarter) = (sides("0.00050", "0.00052"), sides("0.00152", "0.00155"));
        let at = |day| interpolate((30, month), (91, quarter), day).expect("points");
        // 0.00050 + 0.00102 x 31 / 61 = 0.001018360655...; 0.00052 + 0.00103 x 31 / 61 = 0.00104344...
        assert_eq!((at(61).bid, at(61).ask), (101_836, 104_345));
        assert_eq!((at(30), at(91)), (month, quarter));
        // Falling, below zero: -0.0001 x 7 / 30 = -0.00002333...
        let falling = Sides { bid: -10_000, ask: -9_000 };
        let week = interpolate((0, Sides { bid: 0, ask: 0 }), (30, falling), 7).expect("points");
        assert_eq!((week.bid, week.ask), (-2_334, -2_100));
    }

    #[test]
    fn what_is_no_price_is_none() {
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).expect("a decimal");
        for (bid, ask) in [("0", "1"), ("-1", "1"), ("1.2", "1.1"), ("1.123456789", "2")] {
            assert_eq!(Sides::of(decimal(bid), decimal(ask)), None, "{bid} {ask}");
        }
        assert!(Sides::of(decimal("99999999999"), decimal("999999999999")).is_none());
        assert!(Sides::of(decimal("1.100000000"), decimal("1.2")).is_some());
    }
}
