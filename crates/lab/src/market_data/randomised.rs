//! Messages in which no two entries set the same fields.
//!
//! The paper ends on absent fields: they are what FIX saves (section 5.2). A codec that is fast
//! only while every entry sets the fields of Figure 3 has seen the example, so the speeds are
//! measured on these messages as well.

use trunkline_catalogue::market_data::{
    Instrument, MarketDataIncrementalRefresh, MdEntry, SecurityAltId,
};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

use trunkline_random::Random;

/// How likely each optional field of Figure 3 stays, in percent.
const STAYS: u64 = 80;
/// How many other fields an entry gets at most.
const OTHERS_MOST: u64 = 4;

/// Drops one in five of the optional fields and adds none to four others to each entry, by `seed`.
pub fn randomise(messages: &mut [MarketDataIncrementalRefresh], seed: u64) {
    let random = &mut Random::new(seed);
    for message in messages {
        for entry in message.body.entries.iter_mut() {
            drop_some(entry, random);
            for _ in 0..random.below(OTHERS_MOST + 1) {
                let other = random.below((OF_ENTRY.len() + OF_INSTRUMENT.len()) as u64) as usize;
                match OF_ENTRY.get(other) {
                    Some(set) => set(entry, random),
                    None => OF_INSTRUMENT[other - OF_ENTRY.len()](&mut entry.instrument, random),
                }
            }
        }
    }
}

fn drop_some(entry: &mut MdEntry, random: &mut Random) {
    let clear: [fn(&mut MdEntry); 11] = [
        |it| _ = it.clear_md_entry_type(),
        |it| _ = it.clear_md_entry_id(),
        |it| _ = it.instrument.clear_symbol(),
        |it| _ = it.instrument.clear_cfi_code(),
        |it| _ = it.clear_md_entry_px(),
        |it| _ = it.clear_md_entry_size(),
        |it| _ = it.clear_md_entry_date(),
        |it| _ = it.clear_md_entry_time(),
        |it| _ = it.clear_seller_days(),
        |it| _ = it.clear_md_entry_buyer(),
        |it| _ = it.clear_md_entry_seller(),
    ];
    for clear in clear {
        if !random.chance(STAYS) {
            clear(entry);
        }
    }
}

type Set<T> = fn(&mut T, &mut Random);

/// The fields of an entry that Figure 3 does not set.
const OF_ENTRY: [Set<MdEntry>; 31] = [
    |it, random| _ = it.set_delete_reason(code(&["0", "1"], random)),
    |it, random| _ = it.set_md_entry_ref_id(numbered("T", 1_000_000, random)),
    |it, random| _ = it.set_financial_status(word(&["1", "2"], random)),
    |it, random| _ = it.set_corporate_action(word(&["A", "B", "C", "D"], random)),
    |it, random| _ = it.set_currency(word(&["AUD", "NZD", "USD"], random)),
    |it, random| _ = it.set_tick_direction(code(&["0", "1", "2", "3"], random)),
    |it, random| _ = it.set_md_mkt(word(&["XASX", "XNZE"], random)),
    |it, random| _ = it.set_trading_session_id(word(&["AM", "PM", "CLOSE"], random)),
    |it, random| _ = it.set_quote_condition(word(&["A", "B", "C"], random)),
    |it, random| _ = it.set_trade_condition(word(&["A", "C", "R"], random)),
    |it, random| _ = it.set_md_entry_originator(numbered("B", 10_000, random)),
    |it, random| _ = it.set_location_id(word(&["SYD", "MEL", "PER"], random)),
    |it, random| _ = it.set_desk_id(numbered("desk ", 100, random)),
    |it, random| _ = it.set_open_close_settle_flag(word(&["0", "1"], random)),
    |it, random| _ = it.set_time_in_force(code(&["0", "1", "3"], random)),
    |it, random| _ = it.set_expire_date(date(random)),
    |it, random| _ = it.set_expire_time(Timestamp::new(date(random), time(random))),
    |it, random| _ = it.set_min_qty(below(10_000, 0, random)),
    |it, random| _ = it.set_order_id(numbered("O", 10_000_000, random)),
    |it, random| _ = it.set_quote_entry_id(numbered("Q", 10_000_000, random)),
    |it, random| _ = it.set_number_of_orders(random.between(1, 500) as i32),
    |it, random| _ = it.set_md_entry_position_no(random.between(1, 20) as i32),
    |it, random| _ = it.set_scope(word(&["1", "2", "3"], random)),
    |it, random| _ = it.set_total_volume_traded(below(100_000_000, 0, random)),
    |it, random| _ = it.set_total_volume_traded_date(date(random)),
    |it, random| _ = it.set_total_volume_traded_time(time(random)),
    |it, random| _ = it.set_net_chg_prev_day(below(500, -2, random)),
    |it, random| _ = it.set_text(word(&["Crossed & reported late", "special <XT>"], random)),
    |it, random| _ = it.set_encoded_text(vec![0xe7, 0x89, random.between(1, 255) as u8, 1]),
    |it, random| _ = it.set_trading_session_sub_id(word(&["1", "2"], random)),
    |it, random| _ = it.set_exec_inst(word(&["G", "1 6"], random)),
];

/// The fields of an instrument that Figure 3 does not set.
const OF_INSTRUMENT: [Set<Instrument>; 29] = [
    |it, random| _ = it.set_symbol_sfx(word(&["PA", "RTS", "WI"], random)),
    |it, random| _ = it.set_security_id(numbered("AU0000", 1_000_000, random)),
    |it, random| _ = it.set_security_id_source(word(&["4", "8"], random)),
    |it, random| {
        it.security_alt_ids.push(SecurityAltId {
            security_alt_id: Some(numbered("", 10_000_000, random)),
            security_alt_id_source: random.chance(50).then(|| Text::from("2")),
        });
    },
    |it, random| _ = it.set_product(random.between(1, 12) as i32),
    |it, random| _ = it.set_security_type(word(&["CS", "PS", "WAR"], random)),
    |it, random| _ = it.set_maturity_month_year(word(&["200303", "200412"], random)),
    |it, random| _ = it.set_maturity_date(date(random)),
    |it, random| _ = it.set_coupon_payment_date(date(random)),
    |it, random| _ = it.set_issue_date(date(random)),
    |it, random| _ = it.set_repurchase_term(random.between(1, 365) as i32),
    |it, random| _ = it.set_repurchase_rate(below(10_000, -4, random)),
    |it, random| _ = it.set_factor(below(100_000, -5, random)),
    |it, random| _ = it.set_credit_rating(word(&["AAA", "AA-", "BBB+"], random)),
    |it, random| _ = it.set_instr_registry(word(&["BIC", "ISO"], random)),
    |it, random| _ = it.set_country_of_issue(word(&["AU", "NZ"], random)),
    |it, random| _ = it.set_state_or_province_of_issue(word(&["NSW", "VIC"], random)),
    |it, random| _ = it.set_redemption_date(date(random)),
    |it, random| _ = it.set_strike_price(below(10_000, -2, random)),
    |it, random| _ = it.set_opt_attribute(code(&["C", "P"], random)),
    |it, random| _ = it.set_contract_multiplier(below(1_000, 0, random)),
    |it, random| _ = it.set_coupon_rate(below(1_000, -2, random)),
    |it, random| _ = it.set_security_exchange(word(&["XASX", "XNZE"], random)),
    |it, random| _ = it.set_issuer(word(&["Müller & Söhne", "Harbour Bank"], random)),
    |it, random| _ = it.set_encoded_issuer(vec![0xe9, random.between(1, 255) as u8, 0]),
    |it, random| _ = it.set_security_desc(word(&["ordinary, fully paid", "9 % notes"], random)),
    |it, random| _ = it.set_encoded_security_desc(vec![0xe9, 0, random.between(1, 255) as u8]),
    |it, random| _ = it.set_locale_of_issue(word(&["SYD", "AKL"], random)),
    |it, random| _ = it.set_repo_collateral_security_type(word(&["CORP", "GOVT"], random)),
];

fn pick(words: &'static [&'static str], random: &mut Random) -> &'static str {
    words[random.below(words.len() as u64) as usize]
}

fn word(words: &'static [&'static str], random: &mut Random) -> Text {
    pick(words, random).into()
}

fn code(words: &'static [&'static str], random: &mut Random) -> Code {
    Code::new(pick(words, random))
}

fn numbered(letter: &str, limit: u64, random: &mut Random) -> Text {
    format!("{letter}{}", random.below(limit)).into()
}

/// From 1 up to and including `limit` times ten to the power of `exponent`.
fn below(limit: u64, exponent: i8, random: &mut Random) -> Decimal {
    Decimal::new(random.between(1, limit) as i64, exponent).unwrap_or_default()
}

fn date(random: &mut Random) -> Date {
    let (year, month) = (random.between(2002, 2020) as u16, random.between(1, 12) as u8);
    Date::new(year, month, random.between(1, 28) as u8).unwrap_or_default()
}

fn time(random: &mut Random) -> Time {
    let (hour, minute) = (random.below(24) as u8, random.below(60) as u8);
    Time::new(hour, minute, random.below(60) as u8, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use trunkline_message::{Record, Value};

    use super::super::messages;
    use super::*;
    use crate::trading_day::TradingDay;

    #[test]
    fn fields_come_and_go_in_the_stated_share_and_by_the_seed_alone() {
        let day = TradingDay::generated(2004);
        let plain = messages::sample(&day, 10, 1024);
        let [mut first, mut again] = [plain.clone(), plain];
        randomise(&mut first, 7);
        randomise(&mut again, 7);
        assert_eq!(first, again);

        let (mut entries, mut with_price, mut with_currency, mut fields) = (0, 0, 0, 0);
        for message in &first {
            let record = Record::from_message(message);
            let Some(Value::Group(group)) = record.get("MDInclList") else {
                panic!("every message has its group")
            };
            for entry in group.entries() {
                entries += 1;
                with_price += usize::from(entry.get("MDEntryPx").is_some());
                with_currency += usize::from(entry.get("Currency").is_some());
                let width = entry.scope().fields.len();
                fields += (0..width).filter(|&index| entry.value(index).is_some()).count();
            }
        }
        assert!((78..=82).contains(&(with_price * 100 / entries)), "{with_price} of {entries}");
        assert!((entries / 40..=entries / 20).contains(&with_currency), "{with_currency}");
        // 1 + 11 * 0.8 stay, and a little under 2 come.
        assert!((1160..=1180).contains(&(fields * 100 / entries)), "{fields} of {entries}");
    }
}
