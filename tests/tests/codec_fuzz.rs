//! The fuzz bodies over bytes from a fixed seed, and over those that once broke a promise.

use std::fs;
use std::path::Path;

use trunkline_random::Random;
use trunkline_tests::fuzz::{self, Reach};

/// Calls the body with the kept inputs, if there are any; says how many.
fn replay(target: &str, mut body: impl FnMut(&[u8])) -> usize {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/fuzz").join(target);
    let files = fs::read_dir(kept).into_iter().flatten();
    files.map(|file| body(&fs::read(file.unwrap().path()).unwrap())).count()
}

/// Calls the body with the kept inputs, and with as many random ones.
fn drive(target: &str, body: fn(&[u8]), inputs: u64) {
    replay(target, body);
    let mut random = Random::new(inputs);
    for _ in 0..inputs {
        // Mostly few changes, so that some of the messages are still valid.
        let most = if random.chance(80) { 14 } else { 200 };
        let length = random.below(most);
        let data: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        body(&data);
    }
}

#[test]
fn fix() {
    drive("fix", fuzz::fix, 8_000);
}

#[test]
fn attachment() {
    drive("attachment", fuzz::attachment, 20_000);
}

#[test]
fn cdr() {
    drive("cdr", fuzz::cdr, 20_000);
}

#[test]
fn json() {
    drive("json", fuzz::json, 8_000);
}

#[test]
fn record() {
    drive("record", fuzz::record, 8_000);
}

#[test]
fn xml() {
    assert!(replay("xml", |data| _ = fuzz::xml(data)) > 0, "none is kept");
    let mut random = Random::new(36);
    let (mut messages, mut fields) = (0, 0);
    for _ in 0..DOCUMENTS {
        let length = random.between(10, 60);
        let data: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        match fuzz::xml(&data) {
            Reach::Message => messages += 1,
            Reach::Field => fields += 1,
            Reach::Nothing => {}
        }
    }
    // A fuzz body that the decoder rejects at the door tests the door.
    assert!(messages > DOCUMENTS / 4, "{messages} of {DOCUMENTS} documents are messages");
    assert!(fields > DOCUMENTS / 8, "{fields} of {DOCUMENTS} are rejected in a field");
}

const DOCUMENTS: u64 = 3_000;

#[test]
fn native() {
    drive("native", fuzz::native, 20_000);
}

#[test]
fn journal() {
    drive("journal", fuzz::journal, 3_000);
}

#[test]
fn websocket() {
    drive("websocket", fuzz::websocket, 20_000);
}

#[test]
fn soap_tcp() {
    drive("soap_tcp", fuzz::soap_tcp, 20_000);
}
