//! What a day's peak takes, from what sizes and times came to (the paper's section 6).

use super::Setting;
use crate::capacity::costs::{costs_in, encode_case};
use crate::capacity::{Capacity, Demand};
use trunkline_bench::row::Row;
use trunkline_experiment::definition::{Measure, Requirement};
use trunkline_experiment::format::Format;
use trunkline_experiment::subjects::TRUNKLINE;

/// The case at the peak of the day.
const PEAK: &str = "capacity-peak";

/// What the formats need at the published peak and at that of the day (cases such as `capacity-70`
/// and `capacity-peak`), from the rows of sizes and times in `measured`.
pub(super) fn rows(setting: &Setting<'_>, measures: &[&Measure], measured: &[Row]) -> Vec<Row> {
    let mut rows = Vec::new();
    for measure in measures {
        let Measure::Capacity(measure) = measure else { continue };
        let peak = setting.request.day.peak_per_second();
        let published = format!("capacity-{}", measure.rate);
        for (case, rate) in [(published.as_str(), measure.rate), (PEAK, peak)] {
            let window = f64::from(measure.window_milliseconds) / 1e3;
            let Ok(demand) = Demand::new(rate.into(), measure.entries, window) else { continue };
            let requirement = setting.request.definition.requirement.as_ref();
            let requirement = requirement.filter(|it| it.peak_per_second == rate);
            rows.push(Row {
                value: Some(rate.into()),
                runs: 1,
                paper: requirement.map(|it| it.peak_per_second.into()),
                ..setting.row(case, TRUNKLINE, "", "rate", "reports/s")
            });
            for &format in &measure.formats {
                let Ok(costs) = costs_in(measured, format) else { continue };
                let capacity = Capacity::of(&demand, &costs);
                let requirement = requirement.filter(|it| it.format == format);
                rows.extend(rows_of(setting, case, format, &capacity, measured, requirement));
            }
        }
    }
    rows
}

fn rows_of(
    setting: &Setting<'_>,
    case: &str,
    format: Format,
    capacity: &Capacity,
    measured: &[Row],
    requirement: Option<&Requirement>,
) -> [Row; 4] {
    let profile = format.profile();
    let entries = Some(capacity.entries_per_message);
    let blank = |metric, unit, value: f64, paper: fn(&Requirement) -> f64| Row {
        entries,
        value: Some(value),
        runs: 1,
        paper: requirement.map(paper),
        ..setting.row(case, TRUNKLINE, &profile, metric, unit)
    };
    // Encoding is the only cost with bounds.
    let encode = measured.iter().find(|row| {
        (row.case.as_str(), row.subject.as_str()) == (encode_case(measured), TRUNKLINE)
            && (row.profile.as_str(), row.metric.as_str()) == (profile.as_str(), "cpu-time")
            && row.entries == entries
    });
    let bounds = encode.and_then(|row| Some((row.low? / row.value?, row.high? / row.value?)));
    let bounded = |row: Row, scale: fn(f64, (f64, f64)) -> (f64, f64)| {
        let bounds = row.value.zip(bounds).map(|(value, bounds)| scale(value, bounds));
        Row {
            low: bounds.map(|bounds| bounds.0),
            high: bounds.map(|bounds| bounds.1),
            runs: encode.map_or(row.runs, |encode| encode.runs),
            verdict: encode.map_or(row.verdict, |encode| encode.verdict),
            ..row
        }
    };
    [
        blank("bytes-per-second", "bytes/s", capacity.bytes_per_second, |it| {
            it.bytes_per_second.into()
        }),
        blank("bits-per-second", "bits/s", capacity.bits_per_second(), |it| {
            it.network_bits_per_second.into()
        }),
        bounded(
            blank("cpu-share", "share", capacity.encode_share, Requirement::cpu_share),
            |value, (low, high)| (value * low, value * high),
        ),
        bounded(
            blank("clients", "clients", capacity.clients() as f64, |it| it.clients.into()),
            |value, (low, high)| ((value / high).floor(), (value / low).floor()),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::costs::tests::paper_rows;
    use crate::evaluation::Request;
    use crate::trading_day::TradingDay;
    use trunkline_bench::row::Verdict;
    use trunkline_experiment::definition::Definition;

    #[test]
    fn the_papers_costs_give_the_papers_capacity() {
        let day = TradingDay::generated(2004);
        let peak = day.peak_per_second();
        let definition = Definition::named("kohlhoff-2004").expect("embedded");
        let request = Request::new(definition, day);
        let setting = Setting { request: &request, lengths: &[1, 10] };
        let plan = request.definition.parts.iter().find(|part| part.name == "plan");
        let measures: Vec<&Measure> = plan.expect("a part").measures.iter().collect();
        let found = rows(&setting, &measures, &paper_rows());
        let at_70: Vec<&Row> = found.iter().filter(|row| row.case == "capacity-70").collect();
        let by_metric = |metric| {
            let row = at_70.iter().find(|row| row.metric == metric);
            *row.unwrap_or_else(|| panic!("no {metric} in {found:#?}"))
        };
        assert_eq!(by_metric("rate").value, Some(70.0));
        for (metric, tolerance) in
            [("bytes-per-second", 1e-9), ("bits-per-second", 0.02), ("cpu-share", 0.005)]
        {
            let row = by_metric(metric);
            let ratio = row.value.expect("a value") / row.paper.expect("section 6");
            assert!((ratio - 1.0).abs() <= tolerance, "{row:?}");
        }
        let clients = by_metric("clients");
        assert_eq!((clients.value, clients.paper), (Some(116.0), Some(100.0)));
        assert_eq!((clients.low, clients.high), (Some(92.0), Some(128.0)));
        assert_eq!((clients.entries, clients.runs, clients.verdict), (Some(10), 15, Verdict::Ok));
        let at_peak = found.iter().find(|row| row.case == PEAK && row.metric == "rate");
        assert_eq!(at_peak.and_then(|row| row.value), Some(peak.into()));
    }
}
