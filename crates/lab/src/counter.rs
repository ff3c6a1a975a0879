//! What counts instructions: Valgrind's Cachegrind, as a program around another.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Its name.
pub const PROGRAM: &str = "valgrind";

/// Whether it is there.
///
/// # Errors
/// It is not: how to get it.
pub fn try_it() -> Result<(), &'static str> {
    let mut command = Command::new(PROGRAM);
    let quiet = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    let is_there = quiet.status().is_ok_and(|status| status.success());
    match is_there {
        true => Ok(()),
        false => Err("valgrind is not there; Debian has it in the package valgrind"),
    }
}

/// Its options, before the program that it counts and what that is told: it writes its counts to this file.
pub fn options(file: &Path) -> [String; 3] {
    let out = format!("--cachegrind-out-file={}", file.display());
    ["--tool=cachegrind".to_owned(), "--cache-sim=no".to_owned(), out]
}

/// All instructions of the program, from the file of counts.
///
/// # Errors
/// It cannot be read, or has no sum.
pub fn sum(file: &Path) -> Result<u64, String> {
    let text = fs::read_to_string(file).map_err(|cause| format!("valgrind's counts: {cause}"))?;
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
    let sum = summary.and_then(|text| text.trim().parse().ok());
    sum.ok_or_else(|| "valgrind's counts have no sum".to_owned())
}
