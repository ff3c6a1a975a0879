//! Which commit the binary is built from.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // An archive of the sources has no commit to tell, though it may lie in a repository of something else.
    let is_ours = git(&["ls-files", "--error-unmatch", "build.rs"]).is_some();
    let commit = git(&["log", "-1", "--format=%h %cs"]).filter(|_| is_ours);
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no", "../.."]).is_some();
    let changed = if is_changed { ", changed" } else { "" };
    let commit = commit.map(|commit| format!(" ({commit}{changed})"));
    println!("cargo:rustc-env=TRUNKLINE_VERSION={version}{}", commit.unwrap_or_default());
    for name in ["HEAD", "logs/HEAD"] {
        // Cargo builds again each time if a file that is named is not there.
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    // Whatever is changed is compiled into the binary anyway.
    println!("cargo:rerun-if-changed=..");
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
