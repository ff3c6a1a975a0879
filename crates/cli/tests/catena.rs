//! `trunkline lab run` of a middleware, as a user sees it: real processes, tables, rows, files.

use std::fs;
use std::path::Path;
use std::process::Command;

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};

/// Everything that can be measured of a middleware, as short as it can be.
const SMALL: &str = r#"
name = "small"
source = "a test"

[messages]
family = "rates"

[[part]]
name = "all"
what = "every kind"

[[part.measure]]
kind = "hops"
rates = [2_000]
turns = { subjects = ["trunkline", "trunkline-tls", "bare-forwarder"], milliseconds = 50, count = 6 }

[[part.measure]]
kind = "spread"
name = "consumers"
consumers = [3]
topics = [20]
rate = 1_000
turns = { subjects = ["trunkline-unix", "bare-forwarder-unix"], milliseconds = 50, count = 1 }

[[part.measure]]
kind = "spread"
name = "clients"
clients = [0, 20]
shared = true
rate = 1_000
turns = { subjects = ["trunkline"], milliseconds = 50, count = 1 }

[[part.measure]]
kind = "slow-consumers"
topics = 1
rate = 1_000
slow = 100
queue = 50
caps = [200]
further-milliseconds = 400
peer-milliseconds = 400
turns = { subjects = ["trunkline", "bare-forwarder"], milliseconds = 1_000, count = 1 }

[[part.measure]]
kind = "flood"
consumers = [2]
window = 4_096
turns = { subjects = ["trunkline", "trunkline-2-threads", "bare-forwarder"], milliseconds = 50, count = 1 }

[[part.measure]]
kind = "shared-memory"
rates = [1_000]
turns = { subjects = ["trunkline-shm"], milliseconds = 50, count = 1 }

[[part.measure]]
kind = "matching"
subscriptions = [100]
levels = [3]

[[part.measure]]
kind = "guaranteed-hops"
rates = [2_000]
turns = { subjects = ["trunkline-cut-through", "disk", "trunkline"], milliseconds = 50, count = 6 }

[[part.measure]]
kind = "guaranteed-flood"
window = 4_096
turns = { subjects = ["trunkline-store-and-forward"], milliseconds = 50, count = 1 }

[[part.measure]]
kind = "recovery"
messages = [2_000]
window = 64
turns = { subjects = ["trunkline-store-and-forward"], milliseconds = 1, count = 1 }

[[part.measure]]
kind = "disk"
rates = [5_000]
turns = { subjects = ["disk"], milliseconds = 20, count = 1 }

[[reported]]
subject = "appliance"
case = "guaranteed"
beside = { case = "guaranteed-orders-2000", subject = "trunkline-cut-through" }
what = "cut-through"
profile = "appliance/smf/opaque/none/none"
unit = "us"
source = "a test"
figures = { "latency-p50" = 24.5 }

[[reported]]
subject = "appliance"
case = "rates-2000"
what = "a hop"
profile = "appliance/smf/opaque/none/none"
unit = "us"
source = "a test"
figures = { "latency-mean" = 23.0 }

[[conclusion]]
name = "a second"
words = "no hop takes a minute"
section = "a test"
unit = "s"
expected = { to = 60 }
terms = [{ over = "rates-2000:latency-p50", divided-by = 1e9 }]
"#;

fn find<'a>(record: &'a RunRecord, case: &str, subject: &str, metric: &str) -> &'a Row {
    let is_it = |row: &&Row| {
        (row.case.as_str(), row.subject.as_str(), row.metric.as_str()) == (case, subject, metric)
    };
    let found: Vec<&Row> = record.rows.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{case} {subject} {metric}: {found:#?}");
    found[0]
}

#[test]
fn every_measure_of_a_middleware_has_rows_tables_and_pictures() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("catena-small");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    fs::write(folder.join("small.toml"), SMALL).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .args(["lab", "run", "small.toml", "--json", "rows.jsonl", "--report", "report"])
        .current_dir(&folder)
        .env_remove("TRUNKLINE_PEERS")
        .output()
        .expect("the binary starts");
    let (tables, faults) = (text(&output.stdout), text(&output.stderr));
    // Bounds may be too wide for a conclusion on a busy machine; nothing may be wrong.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{faults}{tables}");
    // Where nobody looks on, it is told in lines how far it is.
    assert!(
        faults.starts_with("measuring noise   0 %  the bare forwarder against itself\n"),
        "{faults}"
    );
    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("a record");
    let value = |case: &str, subject: &str, metric: &str| {
        find(&record, case, subject, metric).value.unwrap_or_else(|| panic!("{case} {metric}"))
    };
    for subject in ["trunkline", "bare-forwarder"] {
        for case in ["rates-2000", "orders-2000"] {
            assert!(value(case, subject, "latency-p50") > 0.0);
            assert_eq!(value(case, subject, "lost"), 0.0, "{case} {subject}");
        }
        assert!(value("flood-2", subject, "deliveries-per-second") > 1_000.0);
        assert!(value("start-up", subject, "start-up-time") > 0.0);
        assert!(value("flexibility-slow-200", subject, "delivered") > 10.0);
    }
    assert!(record.machine.noise_floor.is_some_and(|floor| floor > 0.0), "{:?}", record.machine);
    assert!(tables.contains("; noise floor "), "{tables}");
    // One run is one, however long.
    let fast = find(&record, "flexibility-fast-200", "trunkline", "over-alone");
    assert_eq!((fast.runs, fast.verdict), (1, Verdict::Inconclusive));
    let beside = find(&record, "rates-2000", "trunkline", "latency-mean");
    assert_eq!(beside.paper, Some(23_000.0));
    assert!(beside.profile.contains("feed handler spins on cpu 0"), "{}", beside.profile);
    check_repetitions(&record);
    for subject in ["trunkline-unix", "bare-forwarder-unix"] {
        assert_eq!(value("consumers-3", subject, "lost"), 0.0);
    }
    assert_eq!(value("clients-20", "trunkline", "lost"), 0.0);
    for way in ["spinning", "waking"] {
        assert_eq!(value(&format!("shared-{way}-1000"), "trunkline-shm", "lost"), 0.0);
    }
    check_guaranteed(&record);
    assert!(value("matching-3-100", "trunkline", "cpu-time") > 0.0);
    // What was sent to the eliding one and the slow one is accounted for.
    let sum = |case: &str, metrics: &[&str]| -> f64 {
        metrics.iter().map(|metric| value(case, "trunkline", metric)).sum()
    };
    assert_eq!(sum("flexibility-eliding-200", &["delivered", "elided"]), 1_000.0);
    let of_slow = ["delivered", "discarded", "queued-at-the-end"];
    assert_eq!(sum("flexibility-slow-200", &of_slow), 1_000.0);
    assert!(value("flexibility-eliding-200", "trunkline", "delivered") <= 250.0);
    assert_eq!(
        find(&record, "flexibility-eliding-200", "bare-forwarder", "latency-p50").verdict,
        Verdict::Absent
    );
    assert!(find(&record, "conclusion", "trunkline", "a second").value.is_some());
    for words in ["Feed handler to algo engine", "appliance", "figure 4", "Throughput", "1 to 2"] {
        assert!(tables.contains(words), "{words}: {tables}");
    }
    check_pictures(&folder.join("report"));
}

/// Each turn is in its row, and so is its ratio to the turn beside it.
fn check_repetitions(record: &RunRecord) {
    for metric in ["latency-p50", "over-bare"] {
        let found = find(record, "rates-2000", "trunkline", metric);
        assert_eq!((found.runs, found.repetitions.len()), (6, 6), "{metric}");
    }
}

/// The latencies over time: each run has a picture with a curve for each of its consumers.
fn check_pictures(report: &Path) {
    let file = |name: &str| fs::read_to_string(report.join(name)).expect(name);
    let page = file("report.html");
    assert!(page.contains("eliding at 200 updates a second"), "a picture over time");
    for (picture, curves) in
        [("flexibility-trunkline-200.svg", 3), ("flexibility-readers-trunkline-200.svg", 2)]
    {
        assert_eq!(file(picture).matches("<path fill=\"none\"").count(), curves, "{picture}");
    }
    assert_eq!(file("flexibility-fast-200-trunkline.csv").lines().count(), 1_001);
}

/// What the disk takes, and orders with and without a guarantee.
fn check_guaranteed(record: &RunRecord) {
    let value = |case: &str, subject: &str, metric: &str| {
        find(record, case, subject, metric).value.unwrap_or_else(|| panic!("{case} {metric}"))
    };
    assert!(value("disk-sync-zeroed-dsync", "disk", "latency-p50") > 1_000.0);
    assert!(value("disk-group-commit-5000", "disk", "messages-per-second") > 10.0);
    assert!(value("guaranteed-acknowledgement-2000", "disk", "latency-p50") > 1_000.0);
    assert!(value("guaranteed-orders-2000", "trunkline", "latency-p50") > 1_000.0);
    let direct = &find(record, "guaranteed-orders-2000", "trunkline", "latency-p50").profile;
    assert!(direct.contains("neither kept nor acknowledged"), "{direct}");
    let ours = find(record, "guaranteed-orders-2000", "trunkline-cut-through", "latency-p50");
    assert_eq!(ours.paper, Some(24_500.0));
    assert!(ours.value.is_some_and(|it| it > 1_000.0), "{ours:?}");
    assert!(ours.profile.contains("synced to disk"), "{}", ours.profile);
    let recovery = |metric| value("recovery-2000", "trunkline-store-and-forward", metric);
    assert!(recovery("recovery-time") > 1e5 && recovery("size") > 2_000.0 * 128.0);
    assert!(value("replay-2000", "trunkline-store-and-forward", "messages-per-second") > 1_000.0);
    let flood = value("guaranteed-flood", "trunkline-store-and-forward", "messages-per-second");
    assert!(flood > 10.0, "{flood}");
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
