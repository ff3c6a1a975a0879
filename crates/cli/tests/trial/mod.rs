//! `trunkline lab run` of a small experiment, as tests do it.
#![allow(dead_code, reason = "no test uses all of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::Row;

/// An empty folder of one test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    folder
}

/// Runs an experiment for a quick look; its rows are in a file of the folder.
pub(crate) fn run(folder: &Path, experiment: &str, rest: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .args(["lab", "run", experiment, "--quick", "--quiet", "--json", "rows.jsonl"])
        .args(rest)
        .current_dir(folder)
        .env_remove("TRUNKLINE_PEERS")
        .output()
        .expect("the binary starts")
}

/// What such a run has found.
pub(crate) fn record(folder: &Path) -> RunRecord {
    RunRecord::read(&folder.join("rows.jsonl")).expect("a record")
}

/// All that it has said.
pub(crate) fn told(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it)).concat()
}

/// The value of a row.
pub(crate) fn value(rows: &[Row], case: &str, subject: &str, metric: &str) -> f64 {
    let is_it = |row: &&Row| (&*row.case, &*row.subject, &*row.metric) == (case, subject, metric);
    let row = rows.iter().find(is_it);
    let value = row.and_then(|row| row.value);
    value.unwrap_or_else(|| panic!("{case} {subject} {metric} has no value: {row:?}"))
}
