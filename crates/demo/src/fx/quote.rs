//! What a message carries of a price.
//!
//! ```text
//!      0        8        16  17  18   20   22   24     28     32
//!  0  +--------+--------+---+---+----+----+----+------+------+
//!     | bid    | ask    | b | a |days|grp |flag| time |   0  |
//! 32  +--------+--------+---+---+----+----+----+------+------+
//!     | pair   | tenor  | group  | bid, ask amount   |
//! 64  +--------+--------+--------+--------+----------+
//!     | spot bid, ask   | points | number |
//! 96  +--------+--------+--------+--------+
//! ```
//! Little-endian. Prices are mantissas (`i64`); `b` and `a` are the exponents (`i8`) of bid and ask, and of
//! the spot prices. `days` (`u16`) from spot; `grp` (`u16`) counts the groups of customers from 1, 0 is the
//! market itself; `flag` (`u16`) is 1 if the tick was real; `time` (`u32`) is milliseconds since midnight.
//! Texts have 8 bytes, with zeros behind. Amounts are `u32`, in thousands of the first currency. Points
//! (`i32`, bid and ask) are what was added to the spot price, in units of its last decimal. `number` (`u64`)
//! counts the ticks.

use trunkline_wire::Decimal;

use super::Tick;

/// Bytes of a quote.
pub const BODY: usize = 96;

/// A price as a message carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// What is paid for a unit of the first currency.
    pub bid: Decimal,
    /// What is asked for it.
    pub ask: Decimal,
    /// Days from spot until delivery.
    pub days: u16,
    /// Number of the group of customers, from 1; 0 is the market.
    pub group: u16,
    /// Whether the tick behind it was real.
    pub is_real: bool,
    /// Time of the tick, in milliseconds since midnight.
    pub milliseconds: u32,
    /// Two currencies.
    pub pair: [u8; 8],
    /// Such as `SPOT` or `3M`.
    pub tenor: [u8; 8],
    /// Name of the group.
    pub group_name: [u8; 8],
    /// How much may be sold and bought, in thousands of the first currency.
    pub amounts: [u32; 2],
    /// The spot price's mantissas, before any margin.
    pub spot: [i64; 2],
    /// What was added to it, in units of its last decimal.
    pub points: [i32; 2],
    /// Number of the tick.
    pub number: u64,
}

/// The first eight bytes of a text, with zeros behind.
pub(super) fn text(text: &str) -> [u8; 8] {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    bytes
}

impl Quote {
    /// The market's own price.
    pub(super) fn of_tick(tick: &Tick, pair: &str, is_real: bool, number: u64) -> Self {
        Self {
            bid: tick.bid,
            ask: tick.ask,
            days: 0,
            group: 0,
            is_real,
            milliseconds: tick.milliseconds,
            pair: text(pair),
            tenor: text("SPOT"),
            group_name: [0; 8],
            amounts: [1000; 2],
            spot: [tick.bid.mantissa(), tick.ask.mantissa()],
            points: [0; 2],
            number,
        }
    }

    /// Writes it all.
    pub fn write(&self, body: &mut [u8; BODY]) {
        body[..8].copy_from_slice(&self.bid.mantissa().to_le_bytes());
        body[8..16].copy_from_slice(&self.ask.mantissa().to_le_bytes());
        body[16] = self.bid.exponent() as u8;
        body[17] = self.ask.exponent() as u8;
        body[18..20].copy_from_slice(&self.days.to_le_bytes());
        body[20..22].copy_from_slice(&self.group.to_le_bytes());
        body[22..24].copy_from_slice(&u16::from(self.is_real).to_le_bytes());
        body[24..28].copy_from_slice(&self.milliseconds.to_le_bytes());
        body[28..32].fill(0);
        body[32..40].copy_from_slice(&self.pair);
        body[40..48].copy_from_slice(&self.tenor);
        body[48..56].copy_from_slice(&self.group_name);
        body[56..60].copy_from_slice(&self.amounts[0].to_le_bytes());
        body[60..64].copy_from_slice(&self.amounts[1].to_le_bytes());
        body[64..72].copy_from_slice(&self.spot[0].to_le_bytes());
        body[72..80].copy_from_slice(&self.spot[1].to_le_bytes());
        body[80..84].copy_from_slice(&self.points[0].to_le_bytes());
        body[84..88].copy_from_slice(&self.points[1].to_le_bytes());
        body[88..].copy_from_slice(&self.number.to_le_bytes());
    }

    /// Reads what [`Quote::write`] wrote; `None` if it cannot have been that.
    pub fn read(body: &[u8; BODY]) -> Option<Self> {
        let four = |at: usize| [body[at], body[at + 1], body[at + 2], body[at + 3]];
        let eight = |at: usize| {
            let ([a, b, c, d], [e, f, g, h]) = (four(at), four(at + 4));
            [a, b, c, d, e, f, g, h]
        };
        let two = |at: usize| u16::from_le_bytes([body[at], body[at + 1]]);
        if two(22) > 1 || four(28) != [0; 4] {
            return None;
        }
        Some(Self {
            bid: Decimal::new(i64::from_le_bytes(eight(0)), body[16] as i8)?,
            ask: Decimal::new(i64::from_le_bytes(eight(8)), body[17] as i8)?,
            days: two(18),
            group: two(20),
            is_real: two(22) == 1,
            milliseconds: u32::from_le_bytes(four(24)),
            pair: eight(32),
            tenor: eight(40),
            group_name: eight(48),
            amounts: [u32::from_le_bytes(four(56)), u32::from_le_bytes(four(60))],
            spot: [i64::from_le_bytes(eight(64)), i64::from_le_bytes(eight(72))],
            points: [i32::from_le_bytes(four(80)), i32::from_le_bytes(four(84))],
            number: u64::from_le_bytes(eight(88)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_read_as_it_was_written() {
        let quote = Quote {
            bid: Decimal::new(139_147, -5).expect("a decimal"),
            ask: Decimal::new(1_391_481, -6).expect("a decimal"),
            days: 91,
            group: 3,
            is_real: true,
            milliseconds: 17_007,
            pair: text("EURUSD"),
            tenor: text("3M"),
            group_name: text("tier3-and-more"),
            amounts: [1000, 2500],
            spot: [139_100, -139_101],
            points: [-47, 47],
            number: u64::MAX,
        };
        let mut body = [0xff; BODY];
        quote.write(&mut body);
        assert_eq!(Quote::read(&body), Some(quote));
        assert_eq!(&body[48..56], b"tier3-an");
        body[16] = 100;
        assert_eq!(Quote::read(&body), None);
    }
}
