//! A verb of the binary, as a user runs it: in a folder, with something on its standard input.

#![allow(dead_code)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// An empty folder of a test's own, beside those of other tests of its program.
pub(crate) fn folder(program: &str, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    folder
}

/// Exit status, standard output, standard error, with this as standard input.
pub(crate) fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> (Option<i32>, String, String) {
    run_in(Path::new("."), arguments, input)
}

/// The same in a folder.
pub(crate) fn run_in(
    folder: &Path,
    arguments: &[&str],
    input: impl AsRef<[u8]>,
) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.as_ref().to_vec();
    let feeding = thread::spawn(move || {
        // One that ends early need not read all.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    feeding.join().expect("a thread of ours");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}
