//! The numbers at the top of a page: the first three of these that the record has.

use super::axis::Quantity;
use super::text::escaped;
use trunkline_bench::row::{Row, Verdict};
use trunkline_experiment::subjects::TRUNKLINE;

const TIMES: Quantity = Quantity::In("times");

/// Case and metric of ours, the unit, and what the number says.
const HEADLINES: [(&str, &str, Quantity, &str); 8] = [
    ("encode", "ahead-of-gsoap-best", TIMES, "as fast as gSOAP at encoding SOAP"),
    ("decode", "ahead-of-gsoap-best", TIMES, "as fast as gSOAP at decoding SOAP"),
    ("decode", "ahead-of-quickfix", TIMES, "as fast as QuickFIX at decoding FIX"),
    (
        "decode-complex",
        "ahead-of-gsoap-best",
        TIMES,
        "as fast as gSOAP at decoding the complex message",
    ),
    ("latency-simple@direct", "latency", Quantity::Time, "for a call with the simple message"),
    (
        "rates-250000",
        "latency-p50",
        Quantity::Time,
        "through the router at 250,000 messages a second",
    ),
    ("saturation", "messages-per-second", Quantity::In(""), "messages a second of one publisher"),
    ("guaranteed-flood", "messages-per-second", Quantity::In(""), "guaranteed messages a second"),
];

pub(super) fn html(rows: &[Row]) -> String {
    let number = |&(case, metric, quantity, words): &(&str, &str, Quantity, &str)| {
        let is_it = |row: &&Row| {
            (&*row.case, &*row.metric) == (case, metric)
                && row.subject.starts_with(TRUNKLINE)
                && row.verdict.has_value()
        };
        // Rows begin with the format that a paper is about; of its messages the longest counts.
        let first = rows.iter().find(is_it)?;
        let is_alike =
            |row: &&Row| (&row.subject, &row.profile) == (&first.subject, &first.profile);
        let row = rows.iter().filter(is_it).filter(is_alike).max_by_key(|row| row.entries)?;
        let doubt = if row.verdict == Verdict::Inconclusive { "?" } else { "" };
        let number = quantity.words(row.value.filter(|value| value.is_finite())?);
        Some(format!("<p><strong>{}{doubt}</strong> {words}</p>\n", escaped(&number)))
    };
    let numbers: String = HEADLINES.iter().filter_map(number).take(3).collect();
    match numbers.is_empty() {
        true => numbers,
        false => format!("<div class=\"headline\">\n{numbers}</div>\n"),
    }
}
