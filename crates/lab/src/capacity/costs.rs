//! What messages of a format cost: from the rows of a run, or measured on the spot.

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;

use super::{Costs, PlanError};
use crate::answer;
use crate::experiment::{Effort, Operation, Trial};
use crate::format::Codec;
use crate::market_data::{ENCODE_COLD, messages};
use crate::subjects::Local;
use crate::trading_day::TradingDay;
use trunkline_bench::row::Row;
use trunkline_bench::statistics::{Fit, Summary};
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::names::SIZE;
use trunkline_experiment::subjects::TRUNKLINE;

/// The longest messages that are measured on the spot.
const LONGEST: u32 = 10;

fn senseless(format: Format) -> PlanError {
    let name = format.name();
    PlanError(format!("the costs of {name} do not grow with the entries of a message"))
}

/// The format of this name, such as `soap-rpc`.
///
/// # Errors
/// Names the known ones.
pub fn format_named(name: &str) -> Result<Format, PlanError> {
    Format::named(name).ok_or_else(|| {
        let known: Vec<&str> = Format::of_family(Family::MarketData).map(Format::name).collect();
        PlanError(format!("there is no format {name:?}; known: {}", known.join(", ")))
    })
}

/// Our costs of `format` in rows of the evaluation.
///
/// # Errors
/// The rows do not have sizes and times at two lengths of messages.
pub fn costs_in(rows: &[Row], format: Format) -> Result<Costs, PlanError> {
    let profile = format.profile();
    let line = |case: &'static str, metric: &str| {
        let is_point = |row: &&Row| {
            (row.case.as_str(), row.subject.as_str()) == (case, TRUNKLINE)
                && (row.profile.as_str(), row.metric.as_str()) == (profile.as_str(), metric)
        };
        let point = |row: &Row| Some((f64::from(row.entries?), row.value?));
        let points: Vec<_> = rows.iter().filter(is_point).filter_map(point).collect();
        Fit::of(&points).ok_or_else(|| {
            let name = format.name();
            PlanError(format!("no {case} of {name} by {TRUNKLINE} at two lengths of messages"))
        })
    };
    let encode = line(encode_case(rows), "cpu-time");
    let decode = line(Operation::Decode.name(), "cpu-time");
    Costs::new(line(SIZE, "size")?, encode?, decode?).ok_or_else(|| senseless(format))
}

/// The case of encoding that a plan is made from: a server with many clients finds what it encodes in
/// memory, and not in its caches. Records of earlier days have nothing but the caches.
pub(crate) fn encode_case(rows: &[Row]) -> &'static str {
    let is_cold = |row: &Row| row.case == ENCODE_COLD;
    if rows.iter().any(is_cold) { ENCODE_COLD } else { Operation::Encode.name() }
}

/// Measures our costs of `formats`, in a few seconds: sizes over the whole day, CPU time with a sample
/// of its messages, both at 1 and at 10 entries. What is encoded is not in the caches.
///
/// # Errors
/// A codec gave a wrong answer, or times fell with the entries.
pub fn measure(day: &TradingDay, formats: &[Format]) -> Result<Vec<Costs>, PlanError> {
    let lengths = [1, LONGEST];
    let [encode, decode] = [Operation::Encode, Operation::Decode]
        .map(|operation| lengths.map(|entries| times(day, formats, operation, entries)));
    let ([encode_one, encode_ten], [decode_one, decode_ten]) = (encode, decode);
    let times = [(encode_one?, encode_ten?), (decode_one?, decode_ten?)];
    let costs = formats.iter().enumerate().map(|(index, &format)| {
        let [encode, decode] =
            [0, 1].map(|operation| line(times[operation].0[index], times[operation].1[index]));
        let bytes = line(mean_size(day, format, 1), mean_size(day, format, LONGEST));
        let costs = bytes.zip(encode).zip(decode);
        costs
            .and_then(|((bytes, encode), decode)| Costs::new(bytes, encode, decode))
            .ok_or_else(|| senseless(format))
    });
    costs.collect()
}

/// The line through the cost of one entry and that of [`LONGEST`].
fn line(one: f64, longest: f64) -> Option<Fit> {
    Fit::of(&[(1.0, one), (f64::from(LONGEST), longest)])
}

fn mean_size(day: &TradingDay, format: Format, entries: u32) -> f64 {
    let mut codec = Codec::of(format);
    let count = messages::count(day, entries as usize);
    let sizes = (0..count).map(|index| {
        let message = messages::message(day, entries as usize, index);
        codec.encode(&message).expect("every format carries a trade report").len()
    });
    sizes.sum::<usize>() as f64 / count as f64
}

/// Nanoseconds of each format, measured beside each other.
fn times(
    day: &TradingDay,
    formats: &[Format],
    operation: Operation,
    entries: u32,
) -> Result<Vec<f64>, PlanError> {
    let entries = entries as usize;
    let structs = match operation {
        Operation::Encode => messages::cold(day, entries),
        Operation::Decode => messages::sample(day, entries, messages::DECODED),
    };
    let encoded = |format: &Format| {
        let mut codec = Codec::of(*format);
        let encode = |message| codec.encode(message).expect("every format carries it").to_vec();
        structs.iter().map(encode).collect::<Vec<_>>()
    };
    let corpora: Vec<Vec<Vec<u8>>> = formats.iter().map(encoded).collect();
    let mut trial = Trial::new();
    for (&format, corpus) in formats.iter().zip(&corpora) {
        let empty = MarketDataIncrementalRefresh::default;
        let subject = Local::new(TRUNKLINE, format, &structs, empty);
        trial.enter(Box::new(subject), corpus, answer::check(format, &structs));
    }
    let outcomes = trial.measure(operation, &Effort::default(), &mut |_| {});
    let medians = outcomes.iter().zip(formats).map(|(outcome, &format)| {
        let median = Summary::of(&outcome.samples).map(|summary| summary.median);
        median.ok_or_else(|| {
            let why = outcome.status.fault().unwrap_or("was not timed");
            PlanError(format!("{}: {why}", format.name()))
        })
    });
    medians.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::capacity::{Capacity, Demand};
    use trunkline_experiment::definition::Definition;

    /// Rows of the paper's own SOAP, at 1 and 10 entries.
    pub(crate) fn paper_rows() -> Vec<Row> {
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        let profile = Format::SoapRpc.profile();
        let mut rows = Vec::new();
        for entries in [1, 10] {
            let blank = |case, metric, unit, value: f64| Row {
                entries: Some(entries),
                value: Some(value),
                low: Some(value * 0.9),
                high: Some(value * 1.25),
                runs: 15,
                ..Row::new("kohlhoff-2004", case, TRUNKLINE, &profile, metric, unit)
            };
            let size = definition.published(SIZE, SIZE, Format::SoapRpc).expect("table 1");
            rows.push(blank(SIZE, "size", "bytes", size.at(entries)));
            for operation in [Operation::Encode, Operation::Decode] {
                let case = operation.name();
                let line = definition.published(case, "cpu-time", Format::SoapRpc).expect("3, 4");
                rows.push(blank(operation.name(), "cpu-time", "ns", line.at(entries)));
            }
        }
        rows
    }

    #[test]
    fn rows_without_two_lengths_have_no_costs() {
        let mut rows = paper_rows();
        assert!(costs_in(&rows, Format::SoapRpc).is_ok());
        assert_eq!(
            costs_in(&rows, Format::Fix).expect_err("no FIX").to_string(),
            "no size of fix by trunkline at two lengths of messages"
        );
        rows.retain(|row| row.case != "decode" || row.entries == Some(1));
        assert_eq!(
            costs_in(&rows, Format::SoapRpc).expect_err("one length").to_string(),
            "no decode of soap-rpc by trunkline at two lengths of messages"
        );
    }

    /// A plan is for a server whose messages are not in its caches.
    #[test]
    fn encoding_out_of_the_caches_is_what_a_plan_is_made_from() {
        let demand = Demand::new(70.0, 10, 1.0).expect("a demand");
        let share = |rows: &[Row]| {
            let costs = costs_in(rows, Format::SoapRpc).expect("two lengths");
            Capacity::of(&demand, &costs).encode_share
        };
        let mut rows = paper_rows();
        let hot = share(&rows);
        let cold: Vec<Row> = rows.iter().filter(|row| row.case == "encode").cloned().collect();
        rows.extend(cold.into_iter().map(|row| Row {
            case: ENCODE_COLD.to_owned(),
            value: row.value.map(|value| value * 4.5),
            ..row
        }));
        assert!((share(&rows) / hot - 4.5).abs() < 1e-9);
    }

    #[test]
    fn costs_are_measured_on_the_spot() {
        let mut day = TradingDay::generated(2004);
        day.trades.truncate(2_000);
        let formats = [Format::SoapRpc, Format::CdrUnion];
        let costs = measure(&day, &formats).expect("right answers");
        let demand = Demand::new(70.0, 10, 1.0).expect("a demand");
        let [soap, cdr] = [costs[0], costs[1]].map(|costs| Capacity::of(&demand, &costs));
        assert!((4_700.0..4_900.0).contains(&soap.bytes_per_message), "{soap:?}");
        assert!((2_050.0..2_110.0).contains(&cdr.bytes_per_message), "{cdr:?}");
        assert!(soap.encode_share > 0.0 && cdr.decode_share > 0.0);
    }
}
