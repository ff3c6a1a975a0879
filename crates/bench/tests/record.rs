//! Records are written whole, read back the same, and rejected by line.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::Path;
use std::process::Command;

use trunkline_bench::clock::Date;
use trunkline_bench::folder::PrivateFolder;
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{MachineRow, Row, Verdict};

fn record() -> RunRecord {
    let row = |subject: &str, value, verdict| Row {
        experiment: "kohlhoff-2004".into(),
        case: "decode".into(),
        subject: subject.into(),
        profile: "soap rpc / xml".into(),
        entries: Some(10),
        metric: "cpu-time".into(),
        unit: "ns".into(),
        value,
        low: value,
        high: value,
        runs: 7,
        paper: Some(2_050_900.0),
        verdict,
        repetitions: value.map_or(Vec::new(), |value| vec![value; 7]),
    };
    let peers = BTreeMap::from([("gsoap-best".to_owned(), "2.8.124".to_owned())]);
    RunRecord {
        machine: MachineRow::of_this_machine("kohlhoff-2004", peers, Some(0.015)),
        rows: vec![
            row("trunkline", Some(1428.25), Verdict::Ok),
            row("gsoap-best", None, Verdict::Absent),
        ],
    }
}

#[test]
fn what_is_written_is_read_back_and_nothing_else_is_left() {
    let folder = PrivateFolder::new().expect("a folder for the test");
    let file = folder.path().join("run.jsonl");
    fs::write(&file, "an older run").expect("a file for the test");
    record().write(&file).expect("a writable folder");
    assert_eq!(RunRecord::read(&file).expect("just written"), record());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_link_keeps_pointing_and_its_file_is_replaced() {
    let folder = PrivateFolder::new().expect("a folder for the test");
    let (file, link) = (folder.path().join("run.jsonl"), folder.path().join("link.jsonl"));
    fs::write(&file, "an older run").expect("a file for the test");
    symlink(&file, &link).expect("a link for the test");
    record().write(&link).expect("a writable folder");
    assert_eq!(RunRecord::read(&file).expect("just written"), record());
    assert_eq!(fs::read_link(&link).expect("still a link"), file);
}

#[test]
fn a_pipe_is_written_to_and_not_replaced() {
    let folder = PrivateFolder::new().expect("a folder for the test");
    let (pipe, copy) = (folder.path().join("pipe"), folder.path().join("copy.jsonl"));
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts");
    assert!(made.success());
    RunRecord::try_place(&pipe).expect("a pipe is fine, and needs no reader yet");
    // Open at both ends, so that neither waits for the other; the pipe holds the small record.
    let mut reader = File::options().read(true).write(true).open(&pipe).expect("our own pipe");
    record().write(&pipe).expect("a pipe with a reader");
    let mut bytes = vec![0; 64 << 10];
    let length = reader.read(&mut bytes).expect("it holds the record");
    fs::write(&copy, &bytes[..length]).expect("a file for the test");
    assert_eq!(RunRecord::read(&copy).expect("just written"), record());
    assert!(fs::metadata(&pipe).expect("still there").file_type().is_fifo());
}

#[test]
fn trying_a_place_leaves_what_is_there() {
    let folder = PrivateFolder::new().expect("a folder for the test");
    let file = folder.path().join("run.jsonl");
    RunRecord::try_place(&file).expect("a writable folder");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    fs::write(&file, "an older run").expect("a file for the test");
    RunRecord::try_place(&file).expect("a writable folder");
    assert_eq!(fs::read_to_string(&file).expect("still there"), "an older run");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    let missing = folder.path().join("no such folder").join("run.jsonl");
    let error = RunRecord::try_place(&missing).expect_err("the folder is missing").to_string();
    assert!(error.starts_with(&format!("{}: cannot be written: ", missing.display())), "{error}");
}

#[test]
fn a_failed_write_names_the_file_and_leaves_the_folder_clean() {
    let folder = PrivateFolder::new().expect("a folder for the test");
    let missing = folder.path().join("no such folder").join("run.jsonl");
    let error = record().write(&missing).expect_err("the folder is missing").to_string();
    assert!(error.starts_with(&format!("{}: cannot be written: ", missing.display())), "{error}");

    // A folder in the place of the file: the rename fails after the content was written.
    let occupied = folder.path().join("occupied");
    fs::create_dir(&occupied).expect("a folder for the test");
    fs::write(occupied.join("kept"), "").expect("a file for the test");
    record().write(&occupied).expect_err("a folder is no file");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn faulty_files_are_rejected_by_line() {
    let folder = PrivateFolder::new().expect("a folder for the test");
    let file = folder.path().join("run.jsonl");
    record().write(&file).expect("a writable folder");
    let good = fs::read_to_string(&file).expect("just written");
    let lines: Vec<&str> = good.lines().collect();
    let error = |text: String| {
        fs::write(&file, text).expect("a file for the test");
        let error = RunRecord::read(&file).expect_err("this file is faulty").to_string();
        error.replace(&format!("{}", file.display()), "run.jsonl")
    };
    assert_eq!(
        error(lines[1].into()),
        "run.jsonl line 1: a record begins with a row of case \"machine\""
    );
    assert_eq!(error(String::new()), "run.jsonl: a record begins with a row of case \"machine\"");
    assert_eq!(
        error(format!("{0}\n{0}\n", lines[0])),
        "run.jsonl line 2: a record has only one row of case \"machine\""
    );
    let unknown = lines[1].replace("\"runs\"", "\"laps\"");
    assert!(
        error(format!("{}\n{unknown}", lines[0]))
            .starts_with("run.jsonl line 2: is no row of a record: unknown field `laps`")
    );
    assert!(error(good.replace("absent", "perhaps")).contains("line 3: is no row"));
    assert_eq!(error("x".repeat(70_000)), "run.jsonl line 1: more than 65536 bytes in one line");
}

#[test]
fn records_are_named_by_date_experiment_and_content() {
    let date = Date { year: 2026, month: 11, day: 20 };
    let path = RunRecord::path(date, "kohlhoff-2004", "codecs");
    assert_eq!(path, Path::new("records/2026-11-20-kohlhoff-2004-codecs.jsonl"));
}
