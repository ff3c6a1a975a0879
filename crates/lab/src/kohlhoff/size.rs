//! Bytes of a message, over the whole day: table 1 and figures 4 and 14.

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;

use super::format::Format;
use super::subjects::TRUNKLINE;
use super::{SIZE, messages, row};
use crate::evaluation::Step;
use crate::paper::kohlhoff::MESSAGE_SIZE;
use crate::row::Row;
use crate::statistics::Fit;
use crate::trading_day::TradingDay;

/// The case of SOAP messages with just the fields that the paper's Figure 6 shows: MsgSeqNum and
/// MDEntryType are in Figure 3 but not there.
pub(super) const SIZE_OF_FIGURE_6: &str = "size-figure-6";

/// Bytes of all messages of one length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sizes {
    entries: u32,
    mean: f64,
    smallest: usize,
    largest: usize,
}

/// Sizes of every format at every length, what they come to a message and an entry, and what compact
/// tags save.
pub(super) fn rows(
    day: &TradingDay,
    lengths: &[u32],
    progress: &mut dyn FnMut(Step<'_>),
) -> Vec<Row> {
    let mut by_format: Vec<(Format, &str, Vec<Sizes>)> =
        Format::ALL.iter().map(|&format| (format, SIZE, Vec::new())).collect();
    by_format.push((Format::SoapRpc, SIZE_OF_FIGURE_6, Vec::new()));
    for (index, &entries) in lengths.iter().enumerate() {
        let text = format!("messages of {entries}");
        progress(Step { part: SIZE, text: &text, share: index as f64 / lengths.len() as f64 });
        for (format, case, sizes) in &mut by_format {
            let adapt = if *case == SIZE_OF_FIGURE_6 { as_figure_6 } else { |_: &mut _| {} };
            sizes.push(measure(day, entries, *format, adapt));
        }
    }
    let mut rows: Vec<Row> = by_format
        .iter()
        .flat_map(|(format, case, sizes)| rows_of_format(*format, case, sizes))
        .collect();
    let sizes_of = |wanted| by_format.iter().find(|it| it.0 == wanted).map(|it| &it.2);
    if let (Some(plain), Some(compact)) = (sizes_of(Format::SoapRpc), sizes_of(Format::SoapCompact))
    {
        rows.extend(plain.iter().zip(compact).map(|(plain, compact)| Row {
            entries: Some(plain.entries),
            value: Some((1.0 - compact.mean / plain.mean) * 100.0),
            runs: 1,
            ..row(SIZE, TRUNKLINE, &Format::SoapCompact.profile(), "reduction", "%")
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

fn measure(
    day: &TradingDay,
    entries: u32,
    format: Format,
    adapt: fn(&mut MarketDataIncrementalRefresh),
) -> Sizes {
    let mut codec = format.codec();
    let count = messages::count(day, entries as usize);
    let (mut total, mut smallest, mut largest) = (0, usize::MAX, 0);
    for index in 0..count {
        let mut message = messages::message(day, entries as usize, index);
        adapt(&mut message);
        let bytes = codec.encode(&message).expect("every format carries a trade report").len();
        total += bytes;
        smallest = smallest.min(bytes);
        largest = largest.max(bytes);
    }
    Sizes { entries, mean: total as f64 / count as f64, smallest, largest }
}

fn rows_of_format(format: Format, case: &str, sizes: &[Sizes]) -> Vec<Row> {
    let published = format.published().and_then(|name| MESSAGE_SIZE.line(name));
    let profile = format.profile();
    let blank = |metric| row(case, TRUNKLINE, &profile, metric, "bytes");
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
