//! `trunkline plan` as a user sees it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row, Verdict};

/// Exit status, standard output, standard error.
fn plan(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .arg("plan")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A folder of one test with the paper's own SOAP and FIX as a record: tables 1, 3 and 4.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    let tables = [
        ("none/soap-1.1-rpc-encoded/xml-utf8/none/none", "size", 639.0, 386.9),
        ("none/soap-1.1-rpc-encoded/xml-utf8/none/none", "encode", 79_100.0, 114_800.0),
        ("none/soap-1.1-rpc-encoded/xml-utf8/none/none", "decode", 178_900.0, 187_200.0),
        ("none/fix-4.3/tag-value/none/none", "size", 81.93, 109.9),
        ("none/fix-4.3/tag-value/none/none", "encode", 25_000.0, 14_100.0),
        ("none/fix-4.3/tag-value/none/none", "decode", 37_500.0, 27_300.0),
    ];
    let row = |(profile, case, fixed, per_entry): (&str, &str, f64, f64), entries: u32| Row {
        experiment: "kohlhoff-2004".into(),
        case: case.into(),
        subject: "trunkline".into(),
        profile: profile.into(),
        entries: Some(entries),
        metric: if case == "size" { "size" } else { "cpu-time" }.into(),
        unit: if case == "size" { "bytes" } else { "ns" }.into(),
        value: Some(fixed + per_entry * f64::from(entries)),
        low: None,
        high: None,
        runs: 1,
        paper: None,
        verdict: Verdict::Ok,
        repetitions: Vec::new(),
    };
    let rows = tables.into_iter().flat_map(|table| [1, 10].map(|entries| row(table, entries)));
    let machine = MachineRow {
        cores: 1,
        processor: "Pentium 3".into(),
        ..MachineRow::of_this_machine("kohlhoff-2004", Default::default(), None)
    };
    let record = RunRecord { machine, rows: rows.collect() };
    record.write(&folder.join("paper.jsonl")).expect("our own folder");
    folder
}

/// The cells of the row that begins with `title`.
fn cells<'a>(out: &'a str, title: &str) -> Vec<&'a str> {
    let line = out.lines().find_map(|line| line.strip_prefix(title));
    line.unwrap_or_else(|| panic!("no {title:?} in {out}")).split_whitespace().collect()
}

#[test]
fn the_papers_costs_give_what_the_paper_says() {
    let folder = folder("plan-paper");
    let arguments = "--rate 70 --entries 10 --window 1s --format soap-rpc,fix,fix --costs paper.jsonl \
                     --bandwidth 256k --clients 117";
    let (status, out, err) = plan(&folder, &arguments.split_whitespace().collect::<Vec<_>>());
    assert_eq!((status, err.as_str()), (Some(0), ""));
    for (title, expected) in [
        ("for each client", ["soap-rpc", "paper", "fix"].as_slice()),
        ("messages a second", &["7.000", "7.000", "7.000"]),
        ("bytes a message", &["4,508", "4,508", "1,181"]),
        ("bytes a second", &["31,556", "31,556", "8,267"]),
        ("  line that carries it", &["256k", "256k", "128k"]),
        ("  of 256k, %", &["105.4", "27.5"]),
        ("% of a core to encode", &["0.859", "0.861", "0.116"]),
        ("clients a core encodes for", &["116", "100", "860"]),
        ("machines for 117 clients", &["2", "1"]),
        ("  if encoded once for all", &["1", "1"]),
    ] {
        assert_eq!(cells(&out, title), expected, "{out}");
    }
    assert!(
        out.contains("costs from paper.jsonl: ") && out.contains("Pentium 3, 1 cores"),
        "{out}"
    );
    assert!(
        out.ends_with("soap-rpc 512k, fix 128k; 256k carries fix, but not soap-rpc\n"),
        "{out}"
    );
}

#[test]
fn other_rates_are_not_held_against_the_paper() {
    let folder = folder("plan-rates");
    let run = |rest: &str| {
        let arguments = format!("--costs paper.jsonl --format soap-rpc {rest}");
        let (status, out, err) = plan(&folder, &arguments.split_whitespace().collect::<Vec<_>>());
        assert_eq!((status, err.as_str()), (Some(0), ""));
        assert!(!out.contains("paper:"), "{out}");
        out
    };
    let slow = run("--rate 5");
    assert_eq!(cells(&slow, "messages a second"), ["1.000"]);
    assert_eq!(cells(&slow, "entries a message"), ["5"]);
    let out = run("--rate 75");
    assert_eq!(cells(&out, "messages a second"), ["7.500"]);
    assert_eq!(cells(&out, "worst second: messages"), ["8.000"]);
    let out = run("--rate 0.5 --window 50ms");
    assert_eq!(cells(&out, "messages a second"), ["0.5000"]);
    assert_eq!(cells(&out, "worst wait if evenly spaced, ms"), ["50.00"]);
}

#[test]
fn without_a_record_costs_are_measured_and_that_is_said() {
    let folder = folder("plan-measured");
    let mut text = String::from("ms_since_midnight,symbol,price_x10000,size,venue,condition\n");
    for trade in 0..40_u32 {
        text.push_str(&format!("{},CBG,{},451,P,0\n", 36_000_000 + trade * 900, 63_500 + trade));
    }
    fs::write(folder.join("day.csv"), text).expect("our own folder");
    let (status, out, err) = plan(&folder, &["--rate", "70", "--trades", "day.csv"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.contains("costs measured just now: ") && out.contains("the 40 trades of: day.csv"));
    assert_eq!(cells(&out, "for each client"), ["soap-rpc", "paper", "fix", "cdr-le"]);
    assert_eq!(cells(&out, "  line that carries it"), ["512k", "256k", "128k", "128k"], "{out}");
}

#[test]
fn what_cannot_be_planned_is_one_line_and_status_2() {
    let folder = folder("plan-errors");
    let rate = "a rate is above 0 and at most 1000000000 per second, not";
    for (arguments, expected) in [
        ("--rate 0", format!("{rate} 0")),
        ("--rate -1", format!("{rate} -1")),
        ("--rate NaN", format!("{rate} NaN")),
        ("--rate inf", format!("{rate} inf")),
        ("--rate 70 --window 0s", "a window is above 0 and at most 3600 s, not 0 s".into()),
        (
            "--rate 70 --window 1",
            "invalid value '1' for '--window <TIME>': a time is a number with ns, us, ms, s, min or h, \
             such as 50ms; see trunkline plan --help"
                .into(),
        ),
        ("--rate 70 --entries 0", "a message has 1 to 10000 entries, not 0".into()),
        ("--rate 70 --entries 1000000", "a message has 1 to 10000 entries, not 1000000".into()),
        (
            "--rate 70 --format soap-rpc,fax",
            "there is no format \"fax\"; known: soap-rpc, soap-doc, soap-compact, ".into(),
        ),
        (
            "--rate 70 --costs paper.jsonl",
            "paper.jsonl: no size of cdr-le by trunkline at two lengths of messages".into(),
        ),
        ("--rate 70 --costs no.jsonl", "no.jsonl: cannot be read: No such file".into()),
        ("--rate 70 --trades no.csv", "no.csv: cannot be read: No such file".into()),
        ("--rate 70 --trades a --costs b", "the argument '--trades <FILE>' cannot be used".into()),
        ("--rate 70 --bandwidth 0", "invalid value '0' for '--bandwidth <BITS>': a line".into()),
        ("", "the following required arguments were not provided: --rate <PER_SECOND>".into()),
    ] {
        let (status, out, err) = plan(&folder, &arguments.split_whitespace().collect::<Vec<_>>());
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(err.starts_with(&format!("trunkline: {expected}")), "{arguments}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}
