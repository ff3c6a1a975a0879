//! Pictures and tables of every single latency, which stand beside the page.

use super::axis::{Axis, Quantity};
use super::figures::CONSUMERS;
use super::palette::{Colour, GREY};
use super::plot::{Panel, dots};
use trunkline_bench::histogram::Latencies;

/// The colour of the consumer of a case, which is `MEASURE-CONSUMER-CAP`.
fn colour_of(case: &str) -> Colour {
    let is_of = |consumer: &str| {
        case.rsplit_once('-').is_some_and(|(start, _)| start.ends_with(&format!("-{consumer}")))
    };
    // The name of one may be the end of another's.
    let of_case = CONSUMERS.iter().filter(|(consumer, _)| is_of(consumer));
    of_case.max_by_key(|(consumer, _)| consumer.len()).map_or(GREY, |(_, colour)| *colour)
}

/// Pictures and tables of every single latency, for the folder of a page: their names, and what is in
/// them.
pub fn every_latency(all: &[Latencies]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for of_run in all.chunk_by(|one, other| one.group == other.group) {
        files.extend(of_run.iter().map(table));
        files.extend(picture(of_run));
    }
    files
}

fn table(latencies: &Latencies) -> (String, Vec<u8>) {
    let Latencies { case, subject, times, .. } = latencies;
    let line = |&(due, latency): &(u64, u64)| {
        format!("{:.6},{:.1}\n", due as f64 / 1e9, latency as f64 / 1e3)
    };
    let lines: String = times.iter().map(line).collect();
    (format!("{case}-{subject}.csv"), format!("due_seconds,latency_us\n{lines}").into_bytes())
}

fn picture(of_run: &[Latencies]) -> Option<(String, Vec<u8>)> {
    let points = |it: &Latencies| -> Vec<(f64, f64)> {
        it.times.iter().map(|&(due, latency)| (due as f64 / 1e9, latency as f64)).collect()
    };
    let all: Vec<(Colour, Vec<(f64, f64)>)> =
        of_run.iter().map(|it| (colour_of(&it.case), points(it))).collect();
    let places = || all.iter().flat_map(|(_, points)| points);
    let last = places().map(|point| point.0).fold(0.0, f64::max);
    let latencies: Vec<f64> = places().map(|point| point.1).filter(|it| *it > 0.0).collect();
    let group = &of_run.first().filter(|_| last > 0.0)?.group;
    let cap = group.rsplit('-').next().unwrap_or_default();
    let panel = Panel {
        title: format!("eliding at {cap} updates a second"),
        along: Axis::from_zero("time", Quantity::In("s"), last),
        values: Axis::beyond(1.0, "latency", Quantity::Time, &latencies),
        rows: Vec::new(),
    };
    let svg = dots(&panel, all.iter().map(|(colour, points)| (*colour, &points[..])));
    Some((format!("{group}.svg"), svg.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_consumer_has_a_colour_of_its_own() {
        let mut colours = vec![colour_of("flexibility-alone")];
        for (consumer, colour) in CONSUMERS {
            assert_eq!(colour_of(&format!("flexibility-{consumer}-500")), colour, "{consumer}");
            assert!(!colours.contains(&colour), "{consumer}");
            colours.push(colour);
        }
    }
}
