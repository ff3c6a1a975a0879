//! Trades to messages: the application structure of the paper's Figure 3.

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, MdEntry};
use trunkline_wire::{Code, Date, Decimal, Time, Timestamp};

use crate::experiment::Operation;
use crate::trading_day::{Trade, TradingDay};

/// Messages of a length are taken in so many batches, one after another.
///
/// An application encodes what it has just written, and decodes what the network has just brought:
/// both are in the caches. A batch is small enough to stay there, and many batches make up for it,
/// so that nobody learns the messages by heart. With a thousand messages at a time memory was
/// measured instead of codecs: of our formats, which share the structures, the first after the
/// peers took four times as long as the last, and fixed costs came out negative.
pub const BATCHES: usize = 5;

/// How many messages of a batch are decoded: half a megabyte of the longest.
pub const DECODED: usize = 128;

/// How many entries there are in all messages of a batch that are encoded: half a megabyte, with
/// room for 70 fields in each. The same number of entries at every length keeps the caches out of
/// the line through the lengths.
pub const ENCODED_ENTRIES: usize = 320;

/// How many entries there are in all messages that are encoded out of the caches: in 2,048 messages of
/// the longest, some 40 megabytes.
///
/// An application that thinks between a message and the next one, or has many of them in hand, finds
/// them in memory: that costs several times as much as encoding what is in the caches.
pub const COLD_ENTRIES: usize = 20_480;

/// The messages of `entries` entries that are encoded out of the caches.
pub fn cold(day: &TradingDay, entries: usize) -> Vec<MarketDataIncrementalRefresh> {
    sample(day, entries, COLD_ENTRIES / entries.clamp(1, COLD_ENTRIES))
}

/// How many different messages of `entries` entries `operation` is timed with in one batch.
pub fn timed(operation: Operation, entries: usize) -> usize {
    match operation {
        Operation::Decode => DECODED,
        Operation::Encode => ENCODED_ENTRIES / entries.clamp(1, ENCODED_ENTRIES),
    }
}

/// How many messages of `entries` entries the trades of the day fill, one after another; what is
/// left over at the end makes no message. At least one, for which short days are repeated.
pub fn count(day: &TradingDay, entries: usize) -> usize {
    (day.trades.len() / entries.max(1)).max(1)
}

/// Message `index` of the day, counted from 0, with `entries` consecutive trades.
///
/// MsgSeqNum has four digits, as in the figure, so that it adds the same to every message.
/// SendingTime is the time of the last trade, in whole seconds, as are all times in the figure.
pub fn message(day: &TradingDay, entries: usize, index: usize) -> MarketDataIncrementalRefresh {
    let date = Date::new(day.date.year, day.date.month, day.date.day);
    let date = date.expect("a trading day is a day of the calendar");
    let mut message = MarketDataIncrementalRefresh::default();
    message.header.sender.comp_id = "ABC".into();
    message.header.target.comp_id = "XYZ".into();
    message.header.msg_seq_num = Some(1000 + (index % 9000) as u32);
    let trades = day.trades.iter().cycle().skip(index * entries % day.trades.len().max(1));
    // Collected, not pushed, for no more memory than the entries take.
    let trades: Vec<&Trade> = trades.take(entries).collect();
    message.body.entries = trades.iter().map(|trade| entry(trade, date)).collect();
    if let Some(last) = trades.last() {
        message.header.sending_time = Timestamp::new(date, time(last));
    }
    message
}

/// `most` messages of `entries` entries, spread evenly over the day; all if there are fewer.
pub fn sample(day: &TradingDay, entries: usize, most: usize) -> Vec<MarketDataIncrementalRefresh> {
    let count = count(day, entries);
    let wanted = count.min(most);
    (0..wanted).map(|index| message(day, entries, index * count / wanted)).collect()
}

fn entry(trade: &Trade, date: Date) -> MdEntry {
    let price = Decimal::new(trade.price_mantissa, trade.price_exponent);
    let mut entry = MdEntry::default();
    entry.md_update_action = Code::new("0"); // New
    entry.set_md_entry_type(Code::new("2")); // Trade
    entry.set_md_entry_id(trade.trade_id.as_str());
    entry.instrument.set_symbol(trade.symbol.as_str()).set_cfi_code("ESXXXX");
    entry.set_md_entry_px(price.unwrap_or_default());
    entry.set_md_entry_size(Decimal::new(trade.size.into(), 0).unwrap_or_default());
    entry.set_md_entry_date(date).set_md_entry_time(time(trade)).set_seller_days(3);
    entry.set_md_entry_buyer(trade.buyer.to_string());
    entry.set_md_entry_seller(trade.seller.to_string());
    entry
}

fn time(trade: &Trade) -> Time {
    let seconds = trade.millis_since_midnight / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    // A time past midnight, which no reader of trades lets through, becomes midnight.
    Time::new(hour.min(255) as u8, minute as u8, second as u8, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Codec;
    use trunkline_experiment::format::Format;

    #[test]
    fn a_message_of_the_day_reads_as_the_papers_figure_5() {
        let day = TradingDay::generated(2004);
        let message = message(&day, 2, 234);
        let mut codec = Codec::of(Format::Fix);
        let bytes = codec.encode(&message).expect("FIX carries it").to_vec();
        let text = String::from_utf8(bytes).expect("ASCII").replace('\x01', "|");
        let trade = &day.trades[469];
        let price = Decimal::new(trade.price_mantissa, trade.price_exponent).expect("a price");
        let entry = format!(
            "279=0|269=2|278={}|55={}|461=ESXXXX|270={price}|271={}|272=20021125|273=",
            trade.trade_id, trade.symbol, trade.size
        );
        assert!(text.contains("|35=X|49=ABC|56=XYZ|34=1234|52=20021125-10:0"), "{text}");
        assert!(text.contains(&entry), "{entry} {text}");
        assert!(text.contains(&format!("|287=3|288={}|289={}|10=", trade.buyer, trade.seller)));
    }

    #[test]
    fn a_sample_is_spread_over_the_day_without_repeats() {
        let day = TradingDay::generated(2004);
        assert_eq!((count(&day, 1), count(&day, 7)), (55_000, 7_857));
        let sample = sample(&day, 10, 1024);
        assert_eq!(sample.len(), 1024);
        assert!(sample.iter().all(|message| message.body.entries.len() == 10));
        let times: Vec<Timestamp> = sample.iter().map(|it| it.header.sending_time).collect();
        assert!(times.is_sorted() && times[0] < times[1023]);
        assert!(sample.windows(2).all(|pair| pair[0].body.entries != pair[1].body.entries));
    }

    #[test]
    fn a_day_of_one_trade_fills_a_message_by_repeating_it() {
        let mut day = TradingDay::generated(2004);
        day.trades.truncate(1);
        let sample = sample(&day, 3, 1024);
        assert_eq!(sample.len(), 1);
        assert_eq!(sample[0].body.entries.len(), 3);
    }
}
