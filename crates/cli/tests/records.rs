//! `trunkline lab show` and `lab compare` as a user sees them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row, Verdict};

/// An empty folder of one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    folder
}

/// Exit status, standard output, standard error.
fn lab(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .arg("lab")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const FIX: &str = "none/fix-4.3/tag-value/none/none";

/// Nanoseconds to encode FIX, with bounds of 1 %.
fn time(entries: u32, value: f64) -> Row {
    Row {
        experiment: "kohlhoff-2004".into(),
        case: "encode".into(),
        subject: "trunkline".into(),
        profile: FIX.into(),
        entries: Some(entries),
        metric: "cpu-time".into(),
        unit: "ns".into(),
        value: Some(value),
        low: Some(value * 0.99),
        high: Some(value * 1.01),
        runs: 15,
        paper: None,
        verdict: Verdict::Ok,
        repetitions: Vec::new(),
    }
}

fn size(entries: u32, value: f64) -> Row {
    let (case, metric, unit) = ("size".into(), "size".into(), "bytes".into());
    Row { case, metric, unit, runs: 1, ..time(entries, value) }
}

/// Ten lengths; `speed` scales the times, `bytes` is added to the sizes.
fn record(speed: f64, bytes: f64) -> RunRecord {
    let machine = MachineRow {
        experiment: "kohlhoff-2004".into(),
        case: "machine".into(),
        processor: "Pentium 3".into(),
        cores: 1,
        kernel: "Linux 2.4".into(),
        compiler: "rustc 1.95.0".into(),
        peers: [("quickfix".to_owned(), "1.15.1".to_owned())].into(),
        date: "2026-11-20".into(),
        noise_floor: Some(0.02),
    };
    let rows = (1..=10).flat_map(|entries| {
        let n = f64::from(entries);
        [time(entries, speed * (50.0 + 80.0 * n)), size(entries, 76.0 + 110.0 * n + bytes)]
    });
    RunRecord { machine, rows: rows.collect() }
}

fn write(folder: &Path, name: &str, record: &RunRecord) {
    record.write(&folder.join(name)).expect("our own folder");
}

#[test]
fn a_record_is_shown_as_its_run_was() {
    let folder = folder("show");
    let mut shown = record(1.0, 0.0);
    shown.machine.processor = "Pentium\x1b[31m 3".into();
    write(&folder, "run.jsonl", &shown);
    let (status, out, err) = lab(&folder, &["show", "run.jsonl"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("kohlhoff-2004 on 2026-11-20: Pentium [31m 3, 1 cores"), "{out}");
    assert!(out.contains("Bytes of a message") && out.contains("table 3"), "{out}");
    let fix = out.lines().find(|line| line.starts_with("FIX "));
    assert!(fix.is_some_and(|line| line.contains(" 1,176 ")), "{out}");
}

#[test]
fn a_faster_record_is_lower_in_one_line() {
    let folder = folder("compare");
    write(&folder, "a.jsonl", &record(1.0, 0.0));
    write(&folder, "b.jsonl", &record(0.8, 0.0));
    let (status, out, err) = lab(&folder, &["compare", "a.jsonl", "b.jsonl"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.contains("same processor, cores, kernel, compiler, peers and trades"), "{out}");
    let lines: Vec<&str> = out.lines().filter(|line| line.contains("trunkline  fix")).collect();
    assert_eq!(lines.len(), 2, "{out}");
    let words: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(
        words,
        [
            "encode",
            "trunkline",
            "fix",
            "cpu-time",
            "1-10",
            "850.0",
            "680.0",
            "0.800",
            "0.800",
            "-",
            "0.800",
            "lower"
        ]
    );
    assert!(lines[1].starts_with("size ") && lines[1].ends_with("no difference"), "{out}");
    assert!(out.contains("\n2 lines, 20 rows: 1 lower, 0 higher, 1 no difference"), "{out}");

    let (status, out, _) = lab(&folder, &["compare", "a.jsonl", "b.jsonl", "--all"]);
    assert_eq!(status, Some(0));
    assert_eq!(out.lines().filter(|line| line.ends_with(" lower")).count(), 10, "{out}");
}

#[test]
fn other_machines_and_lost_rows_are_told() {
    let folder = folder("compare-machines");
    write(&folder, "a.jsonl", &record(1.0, 0.0));
    let mut other = record(1.0, 1.0);
    other.machine.processor = "Pentium 4".into();
    other.machine.peers.clear();
    other.rows.truncate(16);
    write(&folder, "b.jsonl", &other);
    let (status, out, _) = lab(&folder, &["compare", "a.jsonl", "b.jsonl"]);
    assert_eq!(status, Some(0));
    for line in [
        "DIFFERENT MACHINES: times differ for that alone, factors less so",
        "  processor: Pentium 3 -> Pentium 4",
        "  peer quickfix: 1.15.1 -> absent",
        "4 rows in A only",
    ] {
        assert!(out.lines().any(|it| it == line), "{line:?} is missing: {out}");
    }
    let size = out.lines().find(|line| line.starts_with("size "));
    assert!(size.is_some_and(|line| line.contains(" 1-8 ") && line.ends_with("higher")), "{out}");
}

#[test]
fn where_nothing_can_be_concluded_the_status_is_3() {
    let folder = folder("compare-inconclusive");
    let mut doubtful = record(1.0, 0.0);
    doubtful.rows = vec![Row { runs: 3, ..time(10, 850.0) }];
    write(&folder, "a.jsonl", &doubtful);
    write(&folder, "b.jsonl", &record(0.5, 0.0));
    let (status, out, err) = lab(&folder, &["compare", "a.jsonl", "b.jsonl"]);
    assert_eq!((status, err.as_str()), (Some(3), ""));
    assert!(out.contains("1 line, 1 row: 0 lower") && out.contains("1 inconclusive"), "{out}");
    assert!(out.contains("19 rows in B only"), "{out}");

    doubtful.rows.clear();
    write(&folder, "a.jsonl", &doubtful);
    let (status, out, _) = lab(&folder, &["compare", "a.jsonl", "b.jsonl"]);
    assert_eq!(status, Some(3));
    assert!(out.contains("the records have no row in common"), "{out}");
}

#[test]
fn a_record_of_ones_own_experiment_is_shown_without_published_figures() {
    let folder = folder("own-record");
    write(&folder, "a.jsonl", &record(1.0, 0.0));
    let text = fs::read_to_string(folder.join("a.jsonl")).expect("just written");
    fs::write(folder.join("own.jsonl"), text.replace("kohlhoff-2004", "my-own")).expect("a file");
    let (status, out, err) = lab(&folder, &["show", "own.jsonl", "--report", "page"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("my-own on ") && !out.contains("(paper: table"), "{out}");
    let page = fs::read_to_string(folder.join("page/report.html")).expect("written");
    assert!(page.contains("<title>my-own, "), "{page}");
}

#[test]
fn a_wrong_file_is_one_line_and_status_2() {
    let folder = folder("wrong-records");
    write(&folder, "a.jsonl", &record(1.0, 0.0));
    let text = fs::read_to_string(folder.join("a.jsonl")).expect("just written");
    fs::write(folder.join("headless.jsonl"), text.lines().nth(1).expect("rows")).expect("a file");
    fs::write(folder.join("broken.jsonl"), text.replacen("cpu-time", "\u{1b}\"", 1))
        .expect("a file");
    for (arguments, expected) in [
        (vec!["show", "no.jsonl"], "no.jsonl: cannot be read: No such file or directory"),
        (vec!["show", "."], ".: cannot be read: Is a directory"),
        (
            vec!["show", "headless.jsonl"],
            "headless.jsonl line 1: a record begins with a row of case",
        ),
        (vec!["show", "broken.jsonl"], "broken.jsonl line 2: is no row of a record: "),
        (
            vec!["compare", "a.jsonl", "broken.jsonl"],
            "broken.jsonl line 2: is no row of a record: ",
        ),
        (vec!["compare", "a.jsonl"], "the following required arguments were not provided: <B>"),
        (vec!["show"], "the following required arguments were not provided: <RECORD>"),
    ] {
        let (status, out, err) = lab(&folder, &arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(err.starts_with(&format!("trunkline: {expected}")), "{arguments:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[test]
fn of_a_record_the_tables_that_are_asked_for_are_shown() {
    let folder = folder("show-tables");
    write(&folder, "a.jsonl", &record(1.0, 0.0));
    let (status, out, err) = lab(&folder, &["show", "a.jsonl", "--table", "BYTES OF"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.contains("\nBytes of a message"), "{out}");
    assert!(!out.contains("Encoding"), "{out}");
    let (status, out, err) =
        lab(&folder, &["show", "a.jsonl", "--table", "Bytes", "--table", "sice"]);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    let expected = "trunkline: no table has \"sice\" in its title; there are \"Bytes of a message";
    assert!(err.starts_with(expected), "{err}");
}

#[test]
fn a_record_that_does_not_tell_new_messages_from_reused_ones_is_not_said_to() {
    let folder = folder("records-reused");
    let shown = |subjects: &[&str]| {
        let mut record = record(1.0, 0.0);
        record.rows = vec![time(10, 2.0)];
        for (subject, (metric, entries)) in subjects.iter().flat_map(|subject| {
            [("cpu-time-fixed", None), ("cpu-time", Some(10)), ("ahead-of-omniorb", Some(10))]
                .map(|metric| (subject, metric))
        }) {
            record.rows.push(Row {
                case: "decode".into(),
                subject: (*subject).into(),
                profile: "none/none/cdr-le-union/none/none".into(),
                metric: metric.into(),
                entries,
                ..time(10, 2.0)
            });
        }
        record.write(&folder.join("shown.jsonl")).expect("our folder");
        let (status, out, err) = lab(&folder, &["show", "shown.jsonl"]);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.contains("Decoding:") && out.contains("How many times faster"), "{out}");
        out
    };
    let out = shown(&["trunkline", "omniorb"]);
    assert!(!out.contains("reused") && !out.contains("anew"), "{out}");
    let out = shown(&["trunkline", "trunkline-reused", "omniorb"]);
    assert!(out.contains("reused: all messages are decoded into one"), "{out}");
    assert!(out.contains("trunkline, which makes each message anew"), "{out}");
}
