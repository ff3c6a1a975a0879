//! `trunkline fix --hours`: who logs on when, how a session ends, and what is told of messages that may not have arrived.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use trunkline_bench::folder::PrivateFolder;

/// Hours from so many seconds after now to so many, in UTC.
fn hours(from: i64, to: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs() as i64;
    let clock = |offset: i64| {
        let second = (now + offset).rem_euclid(86_400);
        format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
    };
    format!("daily {}-{} UTC", clock(from), clock(to))
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.current_dir(folder).arg("fix").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// An acceptor that is killed when this is dropped.
struct Accepting {
    child: Child,
    address: String,
}

impl Accepting {
    fn start(folder: &Path, options: &[&str]) -> Self {
        let own = ["accept", "--listen", "127.0.0.1:0", "--sender", "BANK", "--target", "FUND"];
        let mut command = command(folder, &[&own, options].concat());
        let mut child = command.stderr(Stdio::null()).spawn().expect("the program runs");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.as_mut().expect("a pipe"));
        out.read_line(&mut line).expect("text");
        let address = line.strip_prefix("listening ").expect("where").trim().to_owned();
        Self { child, address }
    }

    fn client(&self, folder: &Path, options: &[&str]) -> Command {
        let own = ["connect", &*self.address, "--sender", "FUND", "--target", "BANK"];
        command(folder, &[&own, options].concat())
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn ended(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn nobody_logs_on_outside_of_the_hours_of_either_side() {
    let folder = PrivateFolder::new().expect("a folder");
    let closed = hours(3_600, 7_200);
    let accepting = Accepting::start(folder.path(), &["--hours", &closed]);
    let output = accepting.client(folder.path(), &[]).stdin(Stdio::null()).output();
    let (status, _, err) = ended(output.expect("it runs"));
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("it is outside of the session's hours, which begin in "), "{err}");
    let accepting = Accepting::start(folder.path(), &[]);
    let output =
        accepting.client(folder.path(), &["--hours", &closed]).stdin(Stdio::null()).output();
    let (status, _, err) = ended(output.expect("it runs"));
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("it is outside of the session's hours"), "{err}");
    let wrong = accepting.client(folder.path(), &["--hours", "mon-fri 9:00-17:00"]).output();
    let (status, _, err) = ended(wrong.expect("it runs"));
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("`9:00` is no time, such as 09:00 or 09:00:30"), "{err}");
}

#[test]
fn a_session_ends_well_with_its_hours() {
    let folder = PrivateFolder::new().expect("a folder");
    let accepting = Accepting::start(folder.path(), &[]);
    let hours = hours(-3_600, 6);
    // Its input stays open.
    let child = accepting.client(folder.path(), &["--hours", &hours]).spawn().expect("it runs");
    let mut child = child;
    let input = child.stdin.take();
    let (status, _, err) = ended(child.wait_with_output().expect("it ends"));
    drop(input);
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("logged on\n"), "{err}");
    assert!(err.contains("logged out: the hours of the session are over"), "{err}");
}

#[test]
fn what_may_not_have_arrived_is_printed_when_numbers_begin_anew() {
    let folder = PrivateFolder::new().expect("a folder");
    let accepting = Accepting::start(folder.path(), &[]);
    let first = ["--store", "kept", "--hours", &hours(-3_600, 3_600)];
    let mut child = accepting.client(folder.path(), &first).spawn().expect("it runs");
    writeln!(child.stdin.as_mut().expect("a pipe"), "35=D|11=a|55=INTC|54=1").expect("it reads");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.read_line(&mut line).expect("text");
    assert!(line.starts_with("> 2 "), "{line}");
    // No Heartbeat and no Logout have told that it is there.
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let accepting = Accepting::start(folder.path(), &[]);
    // Numbers that began before are of the past.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let next = ["--store", "kept", "--wait", "0ms", "--hours", &hours(0, 3_600)];
    let output = accepting.client(folder.path(), &next).stdin(Stdio::null()).output();
    let (status, out, err) = ended(output.expect("it runs"));
    assert_eq!(status, Some(0), "{err}");
    assert!(out.starts_with("! 2 NewOrderSingle|") && out.contains("=a|"), "{out}{err}");
    // It is told once.
    let output = accepting.client(folder.path(), &next).stdin(Stdio::null()).output();
    let (status, out, err) = ended(output.expect("it runs"));
    assert_eq!((status, &*out), (Some(0), ""), "{err}");
}
