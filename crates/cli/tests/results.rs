//! What the documents show as the output of a command is its output, to the byte.
//!
//! A block begins after the line `<!-- output of COMMAND: begin -->` and ends before `<!-- end -->`.
//! With `UPDATE_RESULTS=1`, which `make results` sets, the blocks are written instead of compared.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const BEGIN: &str = "<!-- output of ";
const COMMAND_END: &str = ": begin -->\n";
const END: &str = "<!-- end -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What `command` prints, as a shell in the checkout runs it.
fn output_of(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_trunkline")).parent().expect("a folder");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [binary.to_owned()].into_iter().chain(env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", env::join_paths(folders).expect("no separators in it"))
        .output()
        .expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The document with every block as its command prints it, and how many there are.
fn with_outputs(text: &str) -> (String, usize) {
    let mut parts = text.split(BEGIN);
    let mut made = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        let (command, rest) = part.split_once(COMMAND_END).expect("a command and its end");
        let (_, rest) = rest.split_once(END).expect("the end of a block");
        let output = output_of(command);
        made += &format!("{BEGIN}{command}{COMMAND_END}```text\n{output}```\n{END}{rest}");
        count += 1;
    }
    (made, count)
}

fn check(document: &str, least: usize) {
    let file = root().join(document);
    let text = fs::read_to_string(&file).expect("a document");
    let (made, count) = with_outputs(&text);
    assert!(count >= least, "{document} has {count} blocks");
    if env::var_os("UPDATE_RESULTS").is_some() {
        fs::write(&file, made).expect("the document can be written");
        return;
    }
    let differs = text.lines().zip(made.lines()).find(|(is, made)| is != made);
    assert_eq!(differs, None, "{document} shows what its command does not print: make results");
    assert_eq!(text.len(), made.len(), "{document}: make results");
}

#[test]
fn the_results_are_what_the_records_show() {
    check("docs/results.md", 5);
}

#[test]
fn the_guide_to_the_lab_shows_what_its_commands_print() {
    check("docs/lab.md", 1);
}
