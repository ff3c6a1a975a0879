//! The terminal after all ends of a program.

use std::env;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::*;

/// Tells the test that it runs within the terminal.
const INSIDE: &str = "TRUNKLINE_TEST_PANIC";

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    if env::var_os(INSIDE).is_some() {
        let _screen = Screen::enter().expect("a terminal");
        panic!("on purpose");
    }
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("it can be opened");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let open =
        || OpenOptions::new().read(true).write(true).open(OsStr::from_bytes(name.as_bytes()));
    let theirs: File = open().expect("its other end");
    let end = || Stdio::from(OwnedFd::from(theirs.try_clone().expect("a descriptor")));
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "--nocapture"]).env(INSIDE, "1").env_remove("RUST_BACKTRACE");
    command.arg("top::screen::tests::a_panic_gives_the_terminal_back_before_it_is_told");
    let status = command.stdin(end()).stdout(end()).stderr(end()).status().expect("it starts");
    assert_eq!(status.code(), Some(PANICKED));
    let modes = tcgetattr(&theirs).expect("modes").local_modes;
    assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO));
    drop(command);
    drop(theirs);
    let mut said = Vec::new();
    // It ends with an error, as nobody holds the other end.
    let _ = File::from(ours).read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    let place = |what: &str| said.find(what).unwrap_or_else(|| panic!("{what:?} in {said:?}"));
    assert!(place(ENTER) < place(LEAVE) && place(LEAVE) < place("on purpose"), "{said:?}");
}

#[test]
fn a_frame_fills_the_terminal() {
    let size = Size { rows: 4, columns: 10 };
    assert_eq!(
        frame("one\ntwo\n", "keys of many words", size),
        "\x1b[Hone\x1b[K\r\ntwo\x1b[K\r\n\x1b[K\r\n\x1b[7mkeys of ma\x1b[0m"
    );
}
