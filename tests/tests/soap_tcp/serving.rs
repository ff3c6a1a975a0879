//! A service of Metro.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// It ends with this.
pub(super) struct Serving {
    child: Child,
    pub(super) port: u16,
}

impl Serving {
    /// Over SOAP/TCP, or with `publish` over HTTP.
    pub(super) fn start(metro: &Path, mode: &str, verb: &str, version: &str) -> Self {
        let mut command = Command::new(metro);
        command.args([mode, verb, version]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("Metro starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it speaks");
        let port = line.trim().parse().unwrap_or_else(|_| panic!("{line:?} is no port"));
        Self { child, port }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
