//! The page of messages through a middleware.

use trunkline_bench::histogram::Latencies;
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row};
use trunkline_report::{Report, html};

use crate::fixture::{self, row};
use crate::markup::plots;

const PROFILE: &str = "tcp/native/opaque/none/none/128 (all spin)";

fn valued(case: &str, subject: &str, metric: &str, value: f64) -> Row {
    let (low, high) = (Some(value * 0.9), Some(value * 1.1));
    Row { value: Some(value), low, high, runs: 7, ..row(case, subject, PROFILE, metric, "ns") }
}

/// A little of everything.
pub(crate) fn record() -> RunRecord {
    let mut rows = Vec::new();
    for (subject, factor) in [("trunkline", 1.0), ("nats", 1.5), ("bare-forwarder", 0.9)] {
        for rate in [1_000.0_f64, 10_000.0, 250_000.0] {
            for metric in ["latency-mean", "latency-p50", "latency-p99"] {
                rows.push(valued(&format!("rates-{rate}"), subject, metric, 30_000.0 * factor));
            }
        }
        rows.push(valued("flood-8", subject, "deliveries-per-second", 5e6 / factor));
        rows.push(valued("start-up", subject, "start-up-time", 3e6 * factor));
    }
    for second in 0..40 {
        let metric = format!("second-{second}");
        let slow = 1e9 * f64::from(second.min(22)) + 1e6;
        for (consumer, latency) in [("fast", 30_000.0), ("slow", slow), ("eliding", 526_000.0)] {
            rows.push(valued(
                &format!("flexibility-{consumer}-500"),
                "trunkline",
                &metric,
                latency,
            ));
        }
    }
    let case = "rates-250000";
    rows.push(valued(case, "trunkline", "ahead-of-nats", 1.5));
    let machine = MachineRow { experiment: "catena-2012".into(), ..fixture::machine() };
    RunRecord { machine, rows }
}

#[test]
fn rates_consumers_and_throughput_are_plotted() {
    let record = record();
    let report = Report::of(&record);
    let page = html::page(&record, &report);
    super::assert_alone(&page);
    let names: Vec<String> = plots(&page).into_iter().map(|plot| plot.name).collect();
    for expected in [
        "50 %: latency, µs, by messages a second, logarithmic",
        "eliding at 500 updates a second: latency, logarithmic, by time, s",
        "One publisher: deliveries a second, by subscribers",
    ] {
        assert!(names.iter().any(|name| name == expected), "{expected} in {names:#?}");
    }
    assert!(page.contains("Every single latency"), "where they are is said");
    assert!(!page.contains("Pentium 3"), "what is said of another paper");
}

#[test]
fn tables_have_a_line_for_each_subject_and_the_report_beside() {
    let mut record = record();
    record.rows.push(Row {
        paper: Some(23_000.0),
        ..row("rates-250000", "solace-3260", PROFILE, "latency-mean", "ns")
    });
    let text = Report::of(&record).to_string();
    assert!(text.contains("latency test, reliable hop"), "{text}");
    let line = |words: &[&str]| {
        let has = |line: &&str| words.iter().all(|word| line.contains(word));
        text.lines().any(|it| has(&it))
    };
    assert!(line(&["solace-3260", "250,000", "23.00", "31.30", "40.20"]), "{text}");
    assert!(line(&["250,000", "trunkline", "30.00"]), "{text}");
    assert!(line(&["nats", "45.00", "1.500"]), "ahead of it: {text}");
}

#[test]
fn every_latency_is_a_dot_of_its_picture_and_a_line_of_its_table() {
    let latencies = |consumer: &str, latency: u64| Latencies {
        group: "flexibility-trunkline-500".into(),
        case: format!("flexibility-{consumer}-500"),
        subject: "trunkline".into(),
        times: (0..1_000).map(|it| (it * 1_000_000, latency)).collect(),
    };
    let files = html::every_latency(&[latencies("fast", 30_000), latencies("eliding", 526_000)]);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "flexibility-fast-500-trunkline.csv",
            "flexibility-eliding-500-trunkline.csv",
            "flexibility-trunkline-500.svg"
        ]
    );
    let text = |index: usize| String::from_utf8(files[index].1.clone()).expect("UTF-8");
    assert_eq!(text(1).lines().nth(1), Some("0.000000,526.0"));
    assert_eq!(text(1).lines().count(), 1_001);
    let picture = text(2);
    assert_eq!(picture.matches("stroke=\"#D55E00\"").count(), 1, "red is fast");
    assert!(picture.matches("h0").count() > 1_000, "each has its dot");
    assert!(picture.trim_end().ends_with("</svg>"));
}
