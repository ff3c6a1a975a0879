//! Figures of messages through a middleware: latency by rate and by consumers, consumers over time,
//! throughput.

use super::axis::{Axis, Quantity};
use super::figures::Figure;
use super::palette::{
    BLUE, Colour, GREEN, GREY, INDIGO, ORANGE, PURPLE, SAND, SILVER, SKY, SOFT, TEAL, VERMILLION,
    WINE, YELLOW,
};
use super::plot::{self, Dots, Panel, Point};
use super::select::{Cases, point, value};
use trunkline_bench::histogram::Latencies;
use trunkline_bench::row::Row;
use trunkline_experiment::definition::SlowConsumers;
use trunkline_experiment::names::SECOND;
use trunkline_experiment::subjects::TRUNKLINE;

/// Subjects in the order of legends, with their colours; those that guarantee are in plots of their own.
const SUBJECTS: [(&str, Colour); 22] = [
    (TRUNKLINE, TEAL),
    ("trunkline-unix", GREEN),
    ("trunkline-shm", BLUE),
    ("nats", WINE),
    ("nats-latest", VERMILLION),
    ("redis", INDIGO),
    ("mosquitto", SAND),
    ("mosquitto-nodelay", YELLOW),
    ("zeromq", PURPLE),
    ("iceoryx2", ORANGE),
    ("bare-forwarder", GREY),
    ("bare-forwarder-unix", SOFT),
    ("bare-ring", SILVER),
    ("direct", SKY),
    ("trunkline-store-and-forward", GREEN),
    ("trunkline-cut-through", BLUE),
    ("jetstream-always", WINE),
    ("redis-always", INDIGO),
    ("disk", GREY),
    ("trunkline-memory", SKY),
    ("jetstream-default", VERMILLION),
    ("redis-everysec", PURPLE),
];

/// The report's figures 2 and 3, and what is like them: how cases begin, the topic, the title and what is
/// along the axis.
const BY_NUMBER: [(&str, &str, &str, &str); 10] = [
    ("rates-", "rates", "Feed handler to algo engine (figure 2)", "messages a second"),
    ("orders-", "orders", "Algo engine to order gateway (figure 2)", "rates a second"),
    ("consumers-", "consumers", "Consumers with topics of their own (figure 3)", "consumers"),
    ("topics-", "topics", "More and more topics", "topics"),
    ("fan-out-", "fan-out", "One topic to many", "consumers"),
    ("clients-", "clients", "Connected clients of which one gets messages", "clients"),
    ("shared-spinning-", "shared-memory", "Shared memory, all spinning", "messages a second"),
    ("shared-waking-", "shared-waking", "Shared memory, all sleeping", "messages a second"),
    (
        "guaranteed-orders-",
        "guaranteed",
        "Guaranteed orders to the order gateway",
        "rates a second",
    ),
    (
        "guaranteed-acknowledgement-",
        "guaranteed-acknowledgement",
        "Guaranteed orders until they are acknowledged",
        "rates a second",
    ),
];

/// The metrics of their panels.
const METRICS: [(&str, &str); 4] = [
    ("latency-mean", "mean"),
    ("latency-p50", "50 %"),
    ("latency-p99", "99 %"),
    ("latency-p99.9", "99.9 %"),
];

/// The consumers of the flexibility test, in the report's colours: red, green and blue; those that elide and are
/// slow at reading.
const CONSUMERS: [(&str, Colour); 5] = [
    ("fast", VERMILLION),
    ("slow", GREEN),
    ("eliding", BLUE),
    (SlowConsumers::READERS[0], PURPLE),
    (SlowConsumers::READERS[1], ORANGE),
];

/// The colour of the consumer of a case, which is `MEASURE-CONSUMER-CAP`.
fn colour_of(case: &str) -> Colour {
    let is_of = |consumer: &str| {
        case.rsplit_once('-').is_some_and(|(start, _)| start.ends_with(&format!("-{consumer}")))
    };
    // The name of one may be the end of another's.
    let of_case = CONSUMERS.iter().filter(|(consumer, _)| is_of(consumer));
    of_case.max_by_key(|(consumer, _)| consumer.len()).map_or(GREY, |(_, colour)| *colour)
}

/// Caps that are plotted; a record of somebody else may have more.
const CAPS: usize = 6;

pub(super) fn figures(cases: &Cases<'_>) -> Vec<Figure> {
    let mut figures: Vec<Figure> = BY_NUMBER.iter().map(|it| by_number(cases, it)).collect();
    figures.extend([over_time(cases), throughput(cases)]);
    figures
}

/// A panel for each metric, a curve for each subject.
fn by_number(
    cases: &Cases<'_>,
    (beginning, topic, title, along): &(&str, &'static str, &'static str, &str),
) -> Figure {
    let caption = "From the time at which a message was due. Points have their bounds; pale ones are \
                   inconclusive.";
    let mut figure = Figure::new(topic, title, caption);
    let mut rows: Vec<(f64, &Row)> = Vec::new();
    for case in cases.beginning(beginning) {
        let Ok(number) = case[beginning.len()..].parse::<u32>() else { continue };
        rows.extend(cases.rows(case).map(|row| (f64::from(number.max(1)), row)));
    }
    let ends = rows.iter().map(|(number, _)| *number);
    let (low, high) = ends.fold((f64::MAX, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
    if low >= high {
        return figure;
    }
    for (metric, words) in METRICS {
        let of_metric = rows.iter().copied().filter(|(_, row)| row.metric == metric);
        let inside: Vec<(f64, &Row)> = of_metric.collect();
        let x = Axis::logarithmic(along, Quantity::Plain, "", low, high);
        let y = ("latency", Quantity::Time, "ns");
        figure.by_number((words.to_owned(), x), y, &SUBJECTS, &inside);
    }
    figure
}

/// Figure 4 by seconds: the middle latency of each, the least and the most.
fn over_time(cases: &Cases<'_>) -> Figure {
    let mut figure = Figure::new(
        "flexibility",
        "A fast, a slow and an eliding consumer over time (figure 4)",
        "The middle latency of every second, with the least and the most of it. Every single latency is in \
         the pictures and tables that `lab run --report` writes beside this page.",
    );
    let mut caps: Vec<&str> = cases
        .beginning("flexibility-fast-")
        .map(|case| &case["flexibility-fast-".len()..])
        .take(CAPS)
        .collect();
    caps.sort_by_key(|cap| cap.parse::<u32>().unwrap_or(u32::MAX));
    for cap in caps {
        let mut curves = Vec::new();
        let mut values = Vec::new();
        for (consumer, colour) in CONSUMERS {
            let case = format!("flexibility-{consumer}-{cap}");
            let of_ours = cases.rows(&case).filter(|row| row.subject == TRUNKLINE);
            let points = of_ours.filter_map(|row| {
                let second: u32 = row.metric.strip_prefix(SECOND)?.parse().ok()?;
                Some(Point { is_doubtful: false, ..point(f64::from(second) + 0.5, row)? })
            });
            let points: Vec<Point> = points.collect();
            let ends = points.iter().filter_map(|point| point.bounds);
            values.extend(ends.flat_map(|(low, high)| [low, high]));
            curves.extend(figure.curve_of((consumer, colour), points));
        }
        let last = curves.iter().flat_map(|it| &it.line).map(|at| at.0).fold(0.0, f64::max);
        if last > 0.0 {
            let panel = panel_over_time(cap, last, &values);
            figure.panels.push(plot::curves(&panel, &curves));
        }
    }
    figure
}

fn panel_over_time(cap: &str, seconds: f64, latencies: &[f64]) -> Panel {
    let positive = || latencies.iter().copied().filter(|it| *it > 0.0);
    let (low, high) = (positive().fold(f64::MAX, f64::min), positive().fold(0.0, f64::max));
    Panel {
        title: format!("eliding at {cap} updates a second"),
        x: Axis::from_zero("time", Quantity::Plain, "s", seconds),
        y: Axis::logarithmic(
            "latency",
            Quantity::Time,
            "ns",
            low.min(high.max(1.0)),
            high.max(1.0),
        ),
    }
}

/// Bars of deliveries a second.
fn throughput(cases: &Cases<'_>) -> Figure {
    let mut figure =
        Figure::new("flood", "Throughput", "Deliveries a second of 128 bytes, nothing lost.");
    let numbered = cases.beginning("flood-");
    let mut names: Vec<(u32, &str)> =
        numbered.filter_map(|case| Some((case["flood-".len()..].parse().ok()?, case))).collect();
    names.sort_unstable();
    names.truncate(CAPS);
    let labels: Vec<String> = names.iter().map(|(count, _)| format!("1 to {count}")).collect();
    let about = ("One publisher".to_owned(), "subscribers", &labels[..]);
    let y = |values: &[f64]| Axis::over("deliveries a second", Quantity::Plain, "", values);
    figure.by_name(about, y, &SUBJECTS, |subject, name| {
        let is_it = |row: &&Row| row.subject == subject && row.metric == "deliveries-per-second";
        cases.rows(names[name].1).find(is_it).and_then(value)
    });
    figure
}

/// Pictures and tables with every single latency: their names, and what is in them.
pub(super) fn every_latency(all: &[Latencies]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for of_run in all.chunk_by(|one, other| one.group == other.group) {
        let mut dots = Vec::new();
        let mut values = Vec::new();
        let mut last = 0.0;
        for Latencies { case, subject, times, .. } in of_run {
            let mut text = "due_seconds,latency_us\n".to_owned();
            for (due, latency) in times {
                text.push_str(&format!("{:.6},{:.1}\n", *due as f64 / 1e9, *latency as f64 / 1e3));
            }
            files.push((format!("{case}-{subject}.csv"), text.into_bytes()));
            let points: Vec<(f64, f64)> =
                times.iter().map(|&(due, latency)| (due as f64 / 1e9, latency as f64)).collect();
            values.extend(points.iter().map(|point| point.1));
            last = points.iter().map(|point| point.0).fold(last, f64::max);
            dots.push(Dots { colour: colour_of(case), points });
        }
        if let Some(Latencies { group, .. }) = of_run.first().filter(|_| last > 0.0) {
            let cap = group.rsplit('-').next().unwrap_or_default();
            let panel = panel_over_time(cap, last, &values);
            files.push((format!("{group}.svg"), plot::dots(&panel, &dots).into_bytes()));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_consumer_has_a_colour_of_its_own() {
        let mut colours = vec![format!("{:?}", colour_of("flexibility-alone"))];
        for (consumer, colour) in CONSUMERS {
            assert_eq!(
                format!("{:?}", colour_of(&format!("flexibility-{consumer}-500"))),
                format!("{colour:?}"),
                "{consumer}"
            );
            colours.push(format!("{colour:?}"));
        }
        let count = colours.len();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), count, "{colours:?}");
    }
}
