//! Notes the compiler and its settings, so that every record can name them.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "rustc of unknown version".into(), |text| text.trim().to_owned());
    let target = env::var("TARGET").unwrap_or_default();
    let opt_level = env::var("OPT_LEVEL").unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    let flags = if flags.is_empty() { flags } else { format!(", {flags}") };
    println!(
        "cargo::rustc-env=TRUNKLINE_COMPILER={version}, {target}, opt-level {opt_level}{flags}"
    );
}
