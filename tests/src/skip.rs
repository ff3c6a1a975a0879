//! Tests that cannot run on this machine say so, and are counted.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::{env, thread};

/// Notes that the present test skips something for want of what `why` names.
///
/// # Panics
/// Where the variable `CI` is set: there, everything is to be had.
pub fn skip(why: &str) {
    assert!(env::var_os("CI").is_none(), "skipped: {why}");
    note(why);
}

/// As [`skip`], but without a panic where `CI` is set.
///
/// The note is a line on standard output and, tabs between suite, test and reason, one in the file
/// that the variable `TRUNKLINE_SKIPPED` names.
pub(crate) fn note(why: &str) {
    println!("skipped: {why}");
    let Some(file) = env::var_os("TRUNKLINE_SKIPPED") else { return };
    let program = env::current_exe().expect("the test's own program");
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    let suite = program.rsplit_once('-').map_or(&*program, |(suite, _hash)| suite);
    let test = thread::current().name().unwrap_or_default().to_owned();
    let line = format!("{suite}\t{test}\t{}\n", why.replace(['\t', '\n'], " "));
    let mut file = OpenOptions::new().create(true).append(true).open(file).expect("a file to note");
    // In one piece, since other tests write there too.
    file.write_all(line.as_bytes()).expect("a file to note in");
}
