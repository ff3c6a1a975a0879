//! Bytes of a message, over the whole day: table 1 and figures 4 and 14.

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fix;

use super::Setting;
use crate::format::Codec;
use crate::market_data::messages;
use crate::trading_day::TradingDay;
use trunkline_bench::row::Row;
use trunkline_bench::statistics::Fit;
use trunkline_experiment::format::Format;
use trunkline_experiment::names::{SIZE, SIZE_OF_FIGURE_5, SIZE_OF_FIGURE_6};
use trunkline_experiment::subjects::TRUNKLINE;

/// Bytes of all messages of one length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sizes {
    entries: u32,
    mean: f64,
    smallest: usize,
    largest: usize,
}

/// Sizes of the formats at every length, what they come to a message and an entry, and what variants
/// save; with `as_printed` also of messages as the paper's figures print them.
pub(super) fn rows(
    setting: &Setting<'_>,
    formats: &[Format],
    as_printed: bool,
    progress: &mut dyn FnMut(&str, f64),
) -> Vec<Row> {
    let variants = [(Format::SoapRpc, SIZE_OF_FIGURE_6), (Format::Fix, SIZE_OF_FIGURE_5)];
    let variants =
        variants.into_iter().filter(|(format, _)| as_printed && formats.contains(format));
    let mut by_format: Vec<(Format, &str, Vec<Sizes>)> = formats
        .iter()
        .map(|&format| (format, SIZE))
        .chain(variants)
        .map(|(format, case)| (format, case, Vec::new()))
        .collect();
    for (index, &entries) in setting.lengths.iter().enumerate() {
        progress(&format!("messages of {entries}"), index as f64 / setting.lengths.len() as f64);
        for (format, case, sizes) in &mut by_format {
            sizes.push(measure(&setting.request.day, entries, *format, case));
        }
    }
    let mut rows: Vec<Row> = by_format
        .iter()
        .flat_map(|(format, case, sizes)| rows_of_format(setting, *format, case, sizes))
        .collect();
    for (format, case, variant) in &by_format {
        let plain = by_format.iter().find(|it| Some(it.0) == format.plain() && it.1 == *case);
        let Some((.., plain)) = plain else { continue };
        rows.extend(plain.iter().zip(variant).map(|(plain, variant)| Row {
            entries: Some(plain.entries),
            value: Some((1.0 - variant.mean / plain.mean) * 100.0),
            runs: 1,
            ..setting.row(SIZE, TRUNKLINE, &format.profile(), "reduction", "%")
        }));
    }
    rows
}

fn as_figure_6(message: &mut MarketDataIncrementalRefresh) {
    message.header.msg_seq_num = None;
    for entry in message.body.entries.iter_mut() {
        entry.clear_md_entry_type();
    }
}

fn measure(day: &TradingDay, entries: u32, format: Format, case: &str) -> Sizes {
    let mut codec = match case {
        SIZE_OF_FIGURE_5 => {
            Codec::fix(&fix::Options { body_length_digits: 8, ..fix::Options::default() })
        }
        _ => Codec::of(format),
    };
    let count = messages::count(day, entries as usize);
    let (mut total, mut smallest, mut largest) = (0, usize::MAX, 0);
    for index in 0..count {
        let mut message = messages::message(day, entries as usize, index);
        if case == SIZE_OF_FIGURE_6 {
            as_figure_6(&mut message);
        }
        let bytes = codec.encode(&message).expect("every format carries a trade report").len();
        total += bytes;
        smallest = smallest.min(bytes);
        largest = largest.max(bytes);
    }
    Sizes { entries, mean: total as f64 / count as f64, smallest, largest }
}

fn rows_of_format(setting: &Setting<'_>, format: Format, case: &str, sizes: &[Sizes]) -> Vec<Row> {
    let published = setting.request.definition.published(case, "size", format);
    let profile = format.profile();
    let blank = |metric| setting.row(case, TRUNKLINE, &profile, metric, "bytes");
    let mut rows: Vec<Row> = sizes
        .iter()
        .map(|sizes| Row {
            entries: Some(sizes.entries),
            value: Some(sizes.mean),
            low: Some(sizes.smallest as f64),
            high: Some(sizes.largest as f64),
            runs: 1,
            paper: published.map(|line| line.at(sizes.entries)),
            ..blank("size")
        })
        .collect();
    let points: Vec<(f64, f64)> =
        sizes.iter().map(|sizes| (f64::from(sizes.entries), sizes.mean)).collect();
    if let Some(fit) = Fit::of(&points) {
        let fitted =
            |metric, value, paper| Row { value: Some(value), runs: 1, paper, ..blank(metric) };
        rows.push(fitted("size-fixed", fit.fixed, published.map(|line| line.fixed)));
        rows.push(fitted("size-per-entry", fit.per_entry, published.map(|line| line.per_entry)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Request;
    use trunkline_bench::row::Verdict;
    use trunkline_experiment::definition::Definition;

    #[test]
    fn the_figures_of_the_paper_have_the_bytes_that_they_show() {
        // The paper's own message: figures 3, 5 and 6.
        let mut day = TradingDay::generated(2004);
        let trade = &mut day.trades[0];
        trade.millis_since_midnight = (10 * 3600 + 18 * 60 + 58) * 1000;
        trade.trade_id = "T078224".into();
        trade.symbol = "CBG".into();
        (trade.price_mantissa, trade.price_exponent, trade.size) = (635, -2, 451);
        (trade.buyer, trade.seller) = (2402, 3713);
        day.trades.truncate(1);
        let figure_5 = measure(&day, 1, Format::Fix, SIZE_OF_FIGURE_5);
        // BodyLength 163 counts what stands between "9=00000163|" and "10=009|".
        assert_eq!(figure_5.mean, ("8=FIX.4.3|9=00000163|".len() + 163 + "10=009|".len()) as f64);
        let figure_3 = measure(&day, 1, Format::SoapRpc, SIZE);
        let figure_6 = measure(&day, 1, Format::SoapRpc, SIZE_OF_FIGURE_6);
        let left_out = "<MsgSeqNum>1000</MsgSeqNum><MDEntryType>2</MDEntryType>".len() as f64;
        assert_eq!(figure_3.mean - figure_6.mean, left_out);
    }

    #[test]
    fn sizes_come_near_the_papers_table_1() {
        let mut day = TradingDay::generated(2004);
        day.trades.truncate(2_000);
        let request = Request::new(Definition::named("kohlhoff-2004").expect("embedded"), day);
        let setting = Setting { request: &request, lengths: &[1, 4, 10] };
        let rows = rows(&setting, &Format::MARKET_DATA, true, &mut |_, _| {});
        for row in rows.iter().filter(|row| row.metric == "size-per-entry") {
            let Some(paper) = row.paper else { continue };
            let ratio = row.value.expect("a size") / paper;
            assert!((0.9..1.1).contains(&ratio), "{row:?}");
        }
        let ten = rows.iter().find(|row| row.metric == "size" && row.entries == Some(10));
        let ten = ten.expect("the first format");
        assert_eq!((ten.verdict, ten.paper.map(f64::round)), (Verdict::Ok, Some(4508.0)));
        assert!(ten.low <= ten.value && ten.value <= ten.high);
    }
}
