//! Tells the program which version of iceoryx2 is in it: the lock file knows.

use std::fs;

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = fs::read_to_string("Cargo.lock").unwrap_or_default();
    let version = lock
        .split("[[package]]")
        .find(|package| package.contains("name = \"iceoryx2\"\n"))
        .and_then(|package| package.split_once("version = \""))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("unknown", |(version, _)| version);
    println!("cargo:rustc-env=MIDDLEWARE_ICEORYX2={version}");
}
