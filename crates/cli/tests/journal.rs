//! `trunkline journal` as a user sees it, and what may be typed about guaranteed delivery.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use trunkline_journal::{Folder, Options, commit, task};
use trunkline_store::{
    ClockReading, Consume, Consuming, Delivery, Durability, EventSink, Loss, NewMessage, Rejected,
    Settings, Store, Stored,
};

/// Exit status, standard output, standard error.
fn trunkline(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    let output = command.args(arguments).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The place of an empty folder of one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("journal").join(test);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Nobody who is told anything.
struct Nobody;

impl EventSink for Nobody {
    fn has_room(&mut self, _: u64, _: u32) -> bool {
        false
    }
    fn deliver(&mut self, _: u64, _: &Delivery<'_>) -> bool {
        true
    }
    fn withdrawn(&mut self, _: u64, _: u32, _: u64) {}
    fn lost(&mut self, _: u64, _: u32, _: &Loss) {}
    fn stored(&mut self, _: u64, _: &Stored) {}
    fn failed(&mut self, _: u64, _: u64, _: &Rejected) {}
    fn rejected(&mut self, _: u64, _: u32, _: &Rejected) {}
    fn consuming(&mut self, _: u64, _: &Consuming) {}
    fn confirmed(&mut self, _: u64, _: u32, _: Durability, _: u64) {}
    fn acknowledged(&mut self, _: u64, _: u32, _: Durability, _: u64, _: u64) {}
    fn ended(&mut self, _: u64, _: u32) {}
    fn publish(&mut self, _: &str, _: u16, _: &[u8]) {}
}

fn work(store: &mut Store, folder: &mut Folder) {
    let at = ClockReading { now: u64::MAX / 2, time: 0 };
    while let Some(it) = store.next_task(at) {
        let done = task(folder, &it);
        store.task_done(at, done, &mut Nobody);
    }
    while let Some(it) = store.next_commit(at) {
        let result = commit(folder, &it);
        store.committed(at, result, &mut Nobody);
    }
}

/// A journal with 100 messages of a producer and a durable subscription, over some segments; the folder
/// is still in use.
fn journal(path: &Path) -> (Store, Folder) {
    let mut folder = Folder::open(path).expect("a folder");
    let journal = Options { segment_bytes: 64 << 10, ..Options::default() };
    let settings = Settings { journal, ..Settings::default() };
    let (mut store, _) = Store::open(&mut folder, settings, 77).expect("an empty folder");
    work(&mut store, &mut folder);
    let begin = ClockReading { now: 0, time: 1_000_000_000 };
    let producer = store.produce(begin, 1, "desk-7").expect("a producer").producer;
    let asked = Consume { name: "risk", pattern: "orders/>", ..Consume::default() };
    store.consume(begin, 2, &asked, &mut Nobody).expect("a durable subscription");
    for sequence in 1..=100 {
        work(&mut store, &mut folder);
        let topic = if sequence % 2 == 0 { "orders/new" } else { "fx/EURUSD" };
        let payload = format!("{sequence} {}", "x".repeat(1_000));
        let payload = if sequence == 100 { b"\xff\x00" } else { payload.as_bytes() };
        let message =
            NewMessage { sequence, time_to_live: 0, is_repeated: false, format: 1, topic, payload };
        let at = ClockReading { now: sequence, time: (sequence + 1) * 1_000_000_000 };
        store.store(at, producer, &message, &mut Nobody).expect("there is room");
    }
    work(&mut store, &mut folder);
    (store, folder)
}

#[test]
fn a_journal_in_use_can_be_looked_at() {
    let path = folder("inspect");
    let (_store, _folder) = journal(&path);
    let text = path.to_str().expect("UTF-8");
    let (status, out, err) = trunkline(&["journal", "inspect", text]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("journal 000000000000004d; it is in use, or was not closed"), "{out}");
    let has = |words: &[&str]| {
        let is_so = |line: &str| line.split_whitespace().collect::<Vec<_>>().starts_with(words);
        assert!(out.lines().any(is_so), "{words:?} in {out}");
    };
    has(&["1"]);
    has(&["message", "100"]);
    has(&["desk-7", "100"]);
    has(&["risk", "orders/>", "0"]);
    assert!(out.contains("1970-01-01T00:01:41.000Z") && out.contains("there"), "{out}");

    let (status, out, _) = trunkline(&["journal", "verify", text]);
    assert_eq!((status, out.lines().last()), (Some(0), Some("right: nothing is damaged")));

    let facts = |verb: &str| {
        let (status, out, err) = trunkline(&["journal", verb, text, "--json"]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        let fact = |line: &str| serde_json::from_str::<Value>(line).expect("an object");
        out.lines().map(fact).collect::<Vec<_>>()
    };
    let inspected = facts("inspect");
    let find = |fact: &str, key: &str, value: &str| {
        let found = inspected.iter().find(|it| it["fact"] == fact && it[key] == value);
        found.unwrap_or_else(|| panic!("no {fact} with {key} {value}: {inspected:?}")).clone()
    };
    assert_eq!(find("kind", "kind", "message")["records"], 100);
    assert_eq!(find("producer", "producer", "desk-7")["last_sequence"], 100);
    assert_eq!(find("durable_subscription", "pattern", "orders/>")["acknowledged"], 0);
    let verified = facts("verify");
    assert_eq!((verified.len(), &verified[0]["damages"]), (1, &Value::Array(Vec::new())));
    assert_eq!(verified[0]["closed"], false);

    let export = |rest: &[&str]| {
        let (status, out, err) = trunkline(&[&["journal", "export", text], rest].concat());
        assert_eq!((status, err.as_str()), (Some(0), ""));
        out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(export(&[]).len(), 100);
    assert_eq!(export(&["--topic", "orders/*"]).len(), 50);
    assert_eq!(export(&["--from", "time:1970-01-01T00:01:32Z"]).len(), 10);
    let last = export(&["--from", "last:2"]);
    assert_eq!(last.len(), 2);
    assert!(last[0].contains("\"producer\":\"desk-7\"") && last[0].contains("\"payload\":\"99 x"));
    assert!(last[1].contains("\"payload_base64\":\"/wA=\""), "{}", last[1]);
    assert!(last[1].contains("\"sequence\":100") && last[1].contains("\"topic\":\"orders/new\""));
}

#[test]
fn damage_is_named() {
    let path = folder("verify");
    drop(journal(&path));
    let text = path.to_str().expect("UTF-8");
    let first = path.join("0000000001.journal");
    let mut bytes = fs::read(&first).expect("the first segment");
    let at = bytes.windows(5).position(|it| it == b"10 xx").expect("the tenth message");
    bytes[at + 20] ^= 4;
    fs::write(&first, &bytes).expect("our own file");
    let (status, out, _) = trunkline(&["journal", "verify", text]);
    assert_eq!(status, Some(1), "{out}");
    let named = out.lines().find(|line| line.contains("has changed")).expect("a line");
    assert!(named.starts_with("0000000001.journal byte "), "{named}");
    let whose =
        ": the message at position 13 has changed, topic \"orders/new\" if that can be believed";
    assert!(named.ends_with(whose), "{named}");
    assert_eq!(out.lines().last(), Some("wrong: 1 damage"));
    let (status, out, _) = trunkline(&["journal", "export", text]);
    assert_eq!((status, out.lines().count()), (Some(1), 99));
    let (_, out, _) = trunkline(&["journal", "inspect", text]);
    assert!(out.ends_with("something is damaged; `trunkline journal verify` says what\n"), "{out}");
}

#[test]
fn a_disk_is_measured() {
    let path = folder("measure");
    fs::create_dir_all(&path).expect("Cargo's folder for tests is writable");
    let (status, out, err) = trunkline(&["journal", "measure", path.to_str().expect("UTF-8")]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.contains("p99 us") && out.contains("\nfastest here: "), "{out}");
    assert_eq!(fs::read_dir(&path).expect("our own folder").count(), 0);
}

#[test]
fn mistakes_are_one_line_and_status_2() {
    let path = folder("empty");
    fs::create_dir_all(&path).expect("Cargo's folder for tests is writable");
    let text = path.to_str().expect("UTF-8");
    let nothing = format!("{text}: there is no journal in this folder");
    for (arguments, expected) in [
        (&["journal", "inspect", text][..], nothing.as_str()),
        (&["journal", "verify", "/no/such"], "/no/such: No such file or directory (os error 2)"),
        (&["journal", "export", text, "--from", "now"], "a beginning is new, all, position:N"),
        (&["journal"], "a command is missing; see trunkline journal --help"),
        (&["sub", "a", "--from", "all"], "not provided: <--durable <NAME>|--replay>"),
        (&["sub", "a", "--replay"], "not provided: --from <START>"),
        (&["sub", "a", "--replay", "--durable", "b", "--from", "all"], "cannot be used with"),
        (&["sub", "a", "--durable", "b", "--pace", "2x"], "not provided: --from <START> --replay"),
        (&["sub", "a", "--replay", "--from", "all", "--pace", "quick"], "a pace is max"),
        (&["pub", "a", "b", "--producer", "c"], "not provided: --guaranteed"),
        (&["pub", "a", "b", "--guaranteed", "--time-to-live", "1"], "a time is a number with"),
        (&["durable"], "a command is missing; see trunkline durable --help"),
    ] {
        let (status, out, err) = trunkline(arguments);
        assert_eq!((status, out.as_str(), err.lines().count()), (Some(2), "", 1), "{err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}
