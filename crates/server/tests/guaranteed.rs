//! Guaranteed delivery from outside: a real router with a real folder, and the client library.

mod threads;

use std::path::{Path, PathBuf};
use std::time::Duration;

use trunkline_client::{Client, Consume, Event, Options, Start, Subscribe, format};
use trunkline_server::config::JournalRule;
use trunkline_server::{Config, Running, Server};
use trunkline_store::{Forwarding, Level};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn router(directory: Option<&Path>) -> Running {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    config.journal.directory = directory.map(Path::to_owned);
    config.journal.segment_bytes = 4 << 20;
    config.journal.rules = vec![JournalRule {
        topics: "cut/>".to_owned(),
        durability: Some(Level::Disk),
        delivery: Some(Forwarding::CutThrough),
    }];
    if directory.is_none() {
        config.journal.rules.clear();
    }
    Server::start(config).expect("a router")
}

fn client(router: &Running, name: &str) -> Client {
    let address = router.addresses()[0].address.to_string();
    Client::connect(&address, &Options::named(name)).expect("connected")
}

const PATIENCE: Duration = Duration::from_secs(20);

/// A delivery that was seen: payload, whether repeated, whether unconfirmed.
type Seen = (String, bool, bool);

/// Receives and acknowledges so many messages.
fn take(client: &mut Client, count: usize) -> Vec<Seen> {
    let mut seen = Vec::new();
    while seen.len() < count {
        let mut done = Vec::new();
        let events = client.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                let payload = String::from_utf8_lossy(it.payload).into_owned();
                seen.push((payload, it.is_repeated, it.is_unconfirmed));
                done.push((it.subscription, it.position));
            }
        });
        assert_ne!(events.expect("received"), 0, "{} of {count} came", seen.len());
        for (subscription, position) in done {
            client.acknowledge(subscription, position).expect("acknowledged");
        }
    }
    client.flush().expect("sent");
    seen
}

fn payloads(seen: &[Seen]) -> Vec<&str> {
    seen.iter().map(|(payload, ..)| &payload[..]).collect()
}

#[test]
fn stored_on_disk_and_delivered_over_a_restart() {
    let folder = Folder::new("restart");
    let first = router(Some(&folder.0));
    let mut gateway = client(&first, "gateway");
    gateway.consume(&Consume::durable("gateway", "orders/>")).expect("it stands");
    let mut desk = client(&first, "desk");
    assert_eq!(desk.producer("desk-7").expect("a producer"), 0);
    let topic = desk.topic("orders/new").expect("a topic");
    let sequence = desk.store(topic, format::FIX, b"a").expect("taken");
    let stored = desk.wait_stored(sequence, PATIENCE).expect("stored");
    assert_eq!((stored.durability.memory, stored.durability.disk), (1, 1));
    assert_eq!(payloads(&take(&mut gateway, 1)), ["a"]);
    drop(gateway);
    for payload in ["b", "c"] {
        desk.store(topic, format::FIX, payload.as_bytes()).expect("taken");
    }
    desk.wait_stored(3, PATIENCE).expect("stored");
    first.stop();

    let second = router(Some(&folder.0));
    let mut gateway = client(&second, "gateway");
    gateway.consume(&Consume::durable("gateway", "orders/>")).expect("it stands");
    let seen = take(&mut gateway, 2);
    assert_eq!(payloads(&seen), ["b", "c"]);
    let mut desk = client(&second, "desk");
    assert_eq!(desk.producer("desk-7").expect("a producer"), 3, "the router knows what it has");
    drop(gateway);
    let mut late = client(&second, "late");
    late.consume(&Consume::replay("orders/>", Start::Last(2))).expect("it stands");
    let mut replayed = Vec::new();
    while replayed.len() < 2 {
        let events = late.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                assert!(it.is_kept);
                replayed.push(String::from_utf8_lossy(it.payload).into_owned());
            }
        });
        assert_ne!(events.expect("received"), 0);
    }
    assert_eq!(replayed, ["b", "c"]);
}

#[test]
fn cut_through_goes_ahead_of_the_disk_and_is_confirmed() {
    let folder = Folder::new("cut");
    let router = router(Some(&folder.0));
    let mut gateway = client(&router, "gateway");
    let how = Consume { wants_confirmed: true, ..Consume::durable("gateway", "cut/>") };
    gateway.consume(&how).expect("it stands");
    let mut direct = client(&router, "direct");
    direct.subscribe("cut/>", &Subscribe::every()).expect("it stands");
    let mut desk = client(&router, "desk");
    desk.producer("desk").expect("a producer");
    let topic = desk.topic("cut/1").expect("a topic");
    let sequence = desk.store(topic, format::TEXT, b"now").expect("taken");
    let (mut unconfirmed, mut confirmed) = (0, 0);
    while confirmed < unconfirmed || unconfirmed == 0 {
        let events = gateway.receive(Some(PATIENCE), &mut |event| match event {
            Event::Delivery(it) => {
                assert!(it.is_unconfirmed);
                unconfirmed = it.position;
            }
            Event::Confirmed(it) => {
                assert_eq!(it.durability.disk, 1);
                confirmed = it.position;
            }
            _ => {}
        });
        assert_ne!(events.expect("received"), 0);
    }
    assert_eq!(desk.wait_stored(sequence, PATIENCE).expect("stored").position, confirmed);
    let mut messages = 0;
    let count = |event: Event<'_>| messages += u32::from(matches!(event, Event::Message(_)));
    let mut count = count;
    direct.receive(Some(PATIENCE), &mut count).expect("received");
    assert_eq!(messages, 1, "who subscribes directly gets it, too");
}

#[test]
fn without_a_folder_the_acknowledgement_says_memory() {
    let router = router(None);
    let mut gateway = client(&router, "gateway");
    gateway.consume(&Consume::durable("gateway", ">")).expect("it stands");
    let mut desk = client(&router, "desk");
    desk.producer("desk").expect("a producer");
    let topic = desk.topic("orders/new").expect("a topic");
    let sequence = desk.store(topic, format::TEXT, b"a").expect("taken");
    let stored = desk.wait_stored(sequence, PATIENCE).expect("stored");
    assert_eq!((stored.durability.memory, stored.durability.disk), (1, 0));
    assert_eq!(take(&mut gateway, 1), [("a".to_owned(), false, false)]);
}

#[test]
fn a_producer_faster_than_the_disk_waits_and_loses_nothing() {
    const COUNT: u64 = 60_000;
    let folder = Folder::new("fast");
    let router = router(Some(&folder.0));
    let address = router.addresses()[0].address.to_string();
    let writer = std::thread::spawn(move || {
        let mut desk = Client::connect(&address, &Options::named("desk")).expect("connected");
        desk.producer("desk").expect("a producer");
        let topic = desk.topic("orders/new").expect("a topic");
        let mut payload = [7; 600];
        for number in 0..COUNT {
            payload[..8].copy_from_slice(&number.to_le_bytes());
            desk.enqueue_store(topic, format::OPAQUE, &payload, None).expect("taken");
        }
        desk.wait_stored(COUNT, PATIENCE).expect("stored");
    });
    let mut gateway = client(&router, "gateway");
    let how = Consume { start: Start::All, ..Consume::durable("gateway", ">") };
    gateway.consume(&how).expect("it stands");
    let mut next = 0;
    while next < COUNT {
        let mut last = None;
        let events = gateway.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                let number = u64::from_le_bytes(it.payload[..8].try_into().expect("a number"));
                assert_eq!(number, next, "in order, none twice");
                next += 1;
                last = Some((it.subscription, it.position));
            }
        });
        assert_ne!(events.expect("received"), 0, "{next} came");
        if let Some((subscription, position)) = last {
            gateway.acknowledge_through(subscription, position).expect("acknowledged");
        }
    }
    writer.join().expect("the writer");
}

/// Another configuration for a router that runs.
fn reconfigure(router: &Running, change: impl FnOnce(&mut Config)) {
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    change(&mut config);
    router.handle().reconfigure(config).expect("it is taken over");
}

#[test]
fn what_is_promised_stays_until_the_next_start_where_the_folder_changes() {
    let (folder, other) = (Folder::new("leaves"), Folder::new("comes"));
    for (directory, next, disk) in [(Some(&*folder.0), None, 1), (None, Some(&*other.0), 0)] {
        let router = router(directory);
        let mut desk = client(&router, "desk");
        desk.producer("desk").expect("a producer");
        let topic = desk.topic("orders/new").expect("a topic");
        reconfigure(&router, |config| config.journal.directory = next.map(Path::to_owned));
        let sequence = desk.store(topic, format::TEXT, b"a").expect("taken");
        let stored = desk.wait_stored(sequence, PATIENCE).expect("stored");
        assert_eq!((stored.durability.memory, stored.durability.disk), (1, disk));
    }
    assert!(!other.0.exists(), "a folder is made by the next start");
}
