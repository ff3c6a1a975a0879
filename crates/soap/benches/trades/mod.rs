//! Market data messages like those of Kohlhoff & Steele's Figure 3.

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, MdEntry};
use trunkline_random::Random;
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

/// Whether a field is set: always, or by chance.
fn is_set(rng: &mut Random, random: bool) -> bool {
    !random || rng.chance(80)
}

fn entry(rng: &mut Random, random: bool) -> MdEntry {
    let mut entry = MdEntry::default();
    entry.md_update_action = Code::new("0");
    let text = |rng: &mut Random, letter: char, bound: u64| {
        Text::from(format!("{letter}{:03}", rng.below(bound)))
    };
    if is_set(rng, random) {
        entry.set_md_entry_type(Code::new("2"));
    }
    if is_set(rng, random) {
        entry.set_md_entry_id(text(rng, 'T', 1_000_000));
    }
    if is_set(rng, random) {
        entry.instrument.set_symbol(text(rng, 'S', 1000));
    }
    if is_set(rng, random) {
        entry.instrument.set_cfi_code("ESXXXX");
    }
    if is_set(rng, random) {
        let price = Decimal::new(rng.below(100_000) as i64 + 1, -(1 + rng.below(3) as i8));
        entry.set_md_entry_px(price.unwrap());
    }
    if is_set(rng, random) {
        entry.set_md_entry_size(rng.below(20_000) as i32 + 1);
    }
    if is_set(rng, random) {
        entry.set_md_entry_date(Date::new(2002, 11, 1 + rng.below(28) as u8).unwrap());
    }
    if is_set(rng, random) {
        let (hour, minute) = (10 + rng.below(6) as u8, rng.below(60) as u8);
        entry.set_md_entry_time(Time::new(hour, minute, rng.below(60) as u8, 0).unwrap());
    }
    if is_set(rng, random) {
        entry.set_seller_days(3);
    }
    if is_set(rng, random) {
        entry.set_md_entry_buyer(text(rng, '2', 1000));
    }
    if is_set(rng, random) {
        entry.set_md_entry_seller(text(rng, '3', 1000));
    }
    if random {
        for _ in 0..rng.below(4) {
            match rng.below(8) {
                0 => entry.set_currency("AUD"),
                1 => entry.set_md_mkt("XASX"),
                2 => entry.set_quote_condition("A"),
                3 => entry.set_trade_condition("C"),
                4 => entry.set_order_id(text(rng, 'O', 100_000)),
                5 => entry.set_number_of_orders(rng.below(20) as i32),
                6 => entry.set_total_volume_traded(rng.below(10_000_000) as i32),
                _ => entry.set_net_chg_prev_day(Decimal::new(rng.below(100) as i64, -2).unwrap()),
            };
        }
    }
    entry
}

/// So many messages of ten entries. Those at `random` set other fields each.
pub(crate) fn messages(random: bool, count: usize) -> Vec<MarketDataIncrementalRefresh> {
    let mut rng = Random::new(2004);
    let message = |number: usize| {
        let mut message = MarketDataIncrementalRefresh::default();
        message.header.sender.comp_id = "ABC".into();
        message.header.target.comp_id = "XYZ".into();
        message.header.msg_seq_num = Some(number as u32);
        let time = Time::new(18, (number / 60 % 60) as u8, (number % 60) as u8, 0).unwrap();
        message.header.sending_time = Timestamp::new(Date::new(2002, 11, 28).unwrap(), time);
        message.body.entries = (0..10).map(|_| entry(&mut rng, random)).collect();
        message
    };
    (0..count).map(message).collect()
}
