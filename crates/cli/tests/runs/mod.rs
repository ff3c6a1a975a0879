//! `trunkline lab run`, as a user runs it: in a folder, with an experiment of a test's own.

#![allow(dead_code)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::Row;

/// A folder of a test's own.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    folder
}

/// A folder with an experiment in it, `small.toml`.
pub(crate) fn folder_with(test: &str, experiment: &str) -> PathBuf {
    let folder = folder(test);
    fs::write(folder.join("small.toml"), experiment).expect("a file");
    folder
}

/// A quick run.
pub(crate) fn run(folder: &Path, experiment: &str, rest: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .args(["lab", "run", experiment, "--quick", "--quiet", "--json", "rows.jsonl"])
        .args(rest)
        .current_dir(folder)
        .env_remove("TRUNKLINE_PEERS")
        .output()
        .expect("the binary starts")
}

/// What it found.
pub(crate) fn rows(folder: &Path) -> Vec<Row> {
    RunRecord::read(&folder.join("rows.jsonl")).expect("a record").rows
}

/// The value of one row.
pub(crate) fn value(rows: &[Row], case: &str, subject: &str, metric: &str) -> f64 {
    let is_it = |row: &&Row| (&*row.case, &*row.subject, &*row.metric) == (case, subject, metric);
    let row = rows.iter().find(is_it);
    let value = row.and_then(|row| row.value);
    value.unwrap_or_else(|| panic!("{case} {subject} {metric} has no value: {row:?}"))
}

/// All that it said.
pub(crate) fn told(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it)).concat()
}

/// Puts a toolkit of others into the folder `peers`, under the name of its program: ours, started with `arguments`,
/// whose answers to `call` go through a filter in Python.
pub(crate) fn false_toolkit(folder: &Path, (program, arguments): (&str, &str), filter: &str) {
    let peers = folder.join("peers");
    fs::create_dir_all(&peers).expect("a folder");
    let text = format!(
        "#!/usr/bin/env python3\n\
         import subprocess, sys\n\
         own = subprocess.Popen([{:?}, *'{arguments}'.split()], stdin=subprocess.PIPE,\n\
         \x20                      stdout=subprocess.PIPE, text=True)\n\
         def ask(line):\n\
         \x20   own.stdin.write(line); own.stdin.flush(); return own.stdout.readline()\n\
         def answer(line):\n\
         \x20   open(line.split(' ', 4)[4].strip(), 'wb').write(bytes([232, 3] + 6 * [0]))\n\
         \x20   return 'called 1 1000\\n'\n\
         for line in sys.stdin:\n\
         \x20   said = {filter} if line.startswith('call ') else ask(line)\n\
         \x20   sys.stdout.write(said); sys.stdout.flush()\n",
        env!("CARGO_BIN_EXE_trunkline")
    );
    let file = peers.join(program);
    fs::write(&file, text).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it can be run");
}
