//! How much memory a process takes that sends and receives what is longer.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::{env, fs};

use super::{KINDS, Made, Recording, Stored, Wanted, client, server, weigh};

/// Megabytes that go each way, in each kind of package.
const MEGABYTES: u64 = 700;
/// Set for the process that is measured.
const MEASURED: &str = "TRUNKLINE_STREAMED_HERE";
const NAME: &str = "memory::service_and_client_take_less_than_64_mib_for_attachments_of_any_length";

/// The most memory that this process ever had.
fn most() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux says it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

fn there_and_back(bytes: u64) {
    let server = server();
    let expected = weigh(Made::new(bytes)).expect("it is made");
    for kind in KINDS {
        let mut client = client(&server);
        client.set_attachments(kind, 1000).expect("there is HTTP");
        client.set_streams(true);
        let sound = client.attach("audio/wav", Made::new(bytes)).expect("there is HTTP");
        let recording = Recording { sound, ..Recording::default() };
        let stored: Stored = client.call("store", &recording).expect("an answer");
        assert_eq!((stored.bytes, stored.sum), expected, "{kind:?}");
        let fetched: Recording = client.call("fetch", &Wanted { bytes }).expect("an answer");
        let mut attachments = client.attachments();
        attachments.next_attachment().expect("it comes").expect("a cover");
        let sound = attachments.next_attachment().expect("it comes").expect("a sound");
        assert!(sound.is_in(&fetched.sound));
        assert_eq!(weigh(sound).expect("it comes"), expected, "{kind:?}");
        assert!(attachments.next_attachment().expect("it is whole").is_none());
    }
}

/// The service and its client are one process, and all that it ever had is counted.
#[test]
fn service_and_client_take_less_than_64_mib_for_attachments_of_any_length() {
    if env::var_os(MEASURED).is_some() {
        there_and_back(MEGABYTES * 1_000_000);
        println!("most {}", most());
        return;
    }
    let measured = Command::new(env::current_exe().expect("this program has a name"))
        .args(["--exact", NAME, "--nocapture"])
        .env(MEASURED, "1")
        .output()
        .expect("this program can be started");
    let said = String::from_utf8_lossy(&measured.stdout).into_owned();
    assert!(measured.status.success(), "{said}");
    let most = said.lines().find_map(|line| line.strip_prefix("most ")).expect("it says so");
    let most: u64 = most.parse().expect("a number");
    println!("{MEGABYTES} MB each way, by MTOM, SwA, swaRef and DIME: {most} bytes at most");
    assert!(most < 64 << 20, "{most} bytes for {MEGABYTES} MB each way");
}
