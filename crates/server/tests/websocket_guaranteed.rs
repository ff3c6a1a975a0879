//! Guaranteed delivery for pages, against a running router.

mod page;

use std::path::{Path, PathBuf};

use page::{Page, address, start};
use serde_json::{Value, json};
use trunkline_client::{Client, Consume, Event, Options, format};
use trunkline_server::Running;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("trunkline-page-{name}-{}", std::process::id()));
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
    start(|config| {
        config.journal.directory = directory.map(Path::to_owned);
        config.journal.segment_bytes = 4 << 20;
    })
}

/// A page that stores, and the last sequence that is stored.
fn desk(router: &Running, name: &str) -> (Page, u64) {
    let mut page = Page::open(router, "?name=desk");
    let it = page.ask(&json!({"producer": name}));
    let it = &it["producing"];
    assert_eq!(it["producer"], name, "{it}");
    assert!(it["window"].as_u64() > Some(0) && it["window_bytes"].as_u64() > Some(0), "{it}");
    let last = it["last"].as_u64().expect("a number");
    (page, last)
}

/// A page that consumes `orders/>` as the durable subscription `gateway`, with more keys.
fn gateway(router: &Running, more: &[(&str, Value)]) -> (Page, Value) {
    let mut page = Page::open(router, "?name=gateway");
    let mut consume = json!({"consume": 1, "name": "gateway", "pattern": "orders/>"});
    more.iter().for_each(|(key, value)| consume[*key] = value.clone());
    let told = page.ask(&consume);
    assert_eq!(told["consuming"]["subscription"], 1, "{told}");
    (page, told["consuming"].clone())
}

/// Stores a text, and waits until it is; its position.
fn store(page: &mut Page, sequence: u64, payload: &str) -> Value {
    let told = page.ask(&json!({"store": "orders/new", "sequence": sequence, "payload": payload}));
    assert_eq!(told["stored"]["sequence"], sequence, "{told}");
    told["stored"]["position"].clone()
}

/// The next delivery.
fn delivery(page: &mut Page) -> Value {
    let told = page.told();
    assert!(told["delivery"].is_object(), "{told}");
    told["delivery"].clone()
}

/// Whether nothing waits for a page.
fn is_quiet(page: &mut Page) -> bool {
    page.ask(&json!({"ping": 77})) == json!({"pong": 77})
}

#[test]
fn orders_are_stored_consumed_and_acknowledged_over_a_restart() {
    let folder = Folder::new("restart");
    let first = router(Some(&folder.0));
    let (mut consumer, it) = gateway(&first, &[("wants_acknowledged", json!(true))]);
    assert_eq!((&it["new"], &it["waiting"]), (&json!(true), &json!(0)), "{it}");
    let (mut producer, last) = desk(&first, "desk-7");
    assert_eq!(last, 0);
    let told = producer.ask(&json!({"store": "orders/new", "sequence": 1, "payload": "a é"}));
    let (sequence, memory, disk) =
        (&told["stored"]["sequence"], &told["stored"]["memory"], &told["stored"]["disk"]);
    assert_eq!((sequence, memory, disk), (&json!(1), &json!(1), &json!(1)), "{told}");
    let it = delivery(&mut consumer);
    assert_eq!(it["position"], told["stored"]["position"]);
    let time: u64 = it["time_ns"].as_str().and_then(|it| it.parse().ok()).expect("digits");
    assert!(time > 1_700_000_000_000_000_000, "{it}");
    let keys: Vec<&str> = it.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["format", "payload", "position", "subscription", "time_ns", "topic"]);
    let known = (&it["topic"], &it["format"], &it["payload"]);
    assert_eq!(known, (&json!("orders/new"), &json!("text"), &json!("a é")));
    let told = consumer.ask(&json!({"acknowledge": 1, "position": it["position"]}));
    assert_eq!(told["acknowledged"]["acknowledgements"], 1, "{told}");
    assert_eq!(told["acknowledged"]["disk"], 1, "{told}");
    // Bytes that are no text, while nobody consumes.
    drop(consumer);
    producer.say(&json!({"store": "orders/new", "sequence": 2, "binary": true, "format": "cbor"}));
    producer.send(b"\xff\x00\x07");
    assert_eq!(producer.told()["stored"]["sequence"], 2);
    first.stop();

    let second = router(Some(&folder.0));
    let (mut consumer, it) = gateway(&second, &[]);
    assert_eq!(it["new"], false, "{it}");
    let it = delivery(&mut consumer);
    let known = (&it["format"], &it["binary"], &it["kept"]);
    assert_eq!(known, (&json!("cbor"), &json!(3), &json!(true)), "{it}");
    assert_eq!(consumer.binary(), b"\xff\x00\x07");
    let (mut producer, last) = desk(&second, "desk-7");
    assert_eq!(last, 2, "the router knows what it has");
    // What may have been sent before is stored once.
    producer.say(&json!({"store": "orders/new", "sequence": 2, "repeated": true, "payload": "b"}));
    assert_eq!(producer.told()["stored"]["sequence"], 2);
    store(&mut producer, 3, "c");
    assert_eq!(delivery(&mut consumer)["payload"], "c");
    assert!(is_quiet(&mut consumer));
}

#[test]
fn a_page_has_a_window_gives_back_and_acknowledges_ranges() {
    let router = router(None);
    let (mut consumer, it) = gateway(&router, &[("window", json!(3))]);
    assert_eq!(it["window"], 3);
    let (mut producer, _) = desk(&router, "desk");
    for sequence in 1..=8 {
        store(&mut producer, sequence, &sequence.to_string());
    }
    let mut positions = Vec::new();
    for sequence in 1..=3 {
        let it = delivery(&mut consumer);
        assert_eq!(it["payload"], sequence.to_string());
        positions.push(it["position"].clone());
    }
    assert!(is_quiet(&mut consumer), "the window is full");
    // One of the middle makes room for one.
    consumer.say(&json!({"acknowledge": 1, "position": positions[1]}));
    let fourth = delivery(&mut consumer);
    assert_eq!(fourth["payload"], "4");
    assert!(is_quiet(&mut consumer));
    // One is given back, and comes again at once, flagged.
    consumer.say(&json!({"release": 1, "position": positions[0]}));
    let again = delivery(&mut consumer);
    let known = (&again["payload"], &again["position"], &again["repeated"]);
    assert_eq!(known, (&json!("1"), &positions[0], &json!(true)), "{again}");
    assert_eq!(again["deliveries"], 1, "{again}");
    // All of them up to the fourth.
    consumer.say(&json!({"acknowledge": 1, "through": fourth["position"]}));
    for sequence in 5..=7 {
        assert_eq!(delivery(&mut consumer)["payload"], sequence.to_string());
    }
    assert!(is_quiet(&mut consumer));
    // What it has not acknowledged goes to the next one, flagged.
    assert_eq!(consumer.ask(&json!({"unsubscribe": 1})), json!({"unsubscribed": 1}));
    let (mut next, it) = gateway(&router, &[]);
    assert_eq!(it["waiting"], 4, "{it}");
    for (payload, repeated) in [("5", true), ("6", true), ("7", true), ("8", false)] {
        let it = delivery(&mut next);
        assert_eq!((&it["payload"], &it["repeated"] == true), (&json!(payload), repeated), "{it}");
    }
}

#[test]
fn pages_and_programs_share_a_durable_subscription() {
    let router = router(None);
    let native = address(&router, "native");
    let mut program = Client::connect(&native, &Options::named("program")).expect("a client");
    program.consume(&Consume::durable("gateway", "orders/>")).expect("it stands");
    let (mut page, it) = gateway(&router, &[]);
    assert_eq!(it["new"], false);
    // The page's pattern has to be the same.
    let told = page.ask(&json!({"consume": 2, "name": "gateway", "pattern": "orders/*"}));
    assert_eq!(told["rejected"]["consume"], 2, "{told}");
    assert_eq!(told["rejected"]["code"], "different", "{told}");
    program.producer("desk").expect("a producer");
    let topic = program.topic("orders/1").expect("a topic");
    for number in 0..10 {
        program.store(topic, format::TEXT, &[b'0' + number]).expect("taken");
    }
    program.wait_stored(10, page::PATIENCE).expect("stored");
    let (mut seen, mut of_page) = (Vec::new(), 0);
    while is_behind(&mut page, &mut seen) {
        of_page += 1;
    }
    let mut done = Vec::new();
    while seen.len() < 10 {
        let come = program.receive(Some(page::PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                seen.push(String::from_utf8_lossy(it.payload).into_owned());
                done.push((it.subscription, it.position));
            }
        });
        assert_ne!(come.expect("received"), 0, "{seen:?}");
    }
    assert!(of_page > 0 && !done.is_empty(), "each has some: {of_page} and {}", done.len());
    seen.sort();
    assert_eq!(seen.concat(), "0123456789");
}

/// Takes a delivery if one has come, and acknowledges it.
fn is_behind(page: &mut Page, seen: &mut Vec<String>) -> bool {
    let told = page.ask(&json!({"ping": 1}));
    let Some(payload) = told["delivery"]["payload"].as_str() else {
        assert_eq!(told, json!({"pong": 1}));
        return false;
    };
    seen.push(payload.to_owned());
    page.say(&json!({"acknowledge": 1, "position": told["delivery"]["position"]}));
    // The answer to the question comes behind what was on its way.
    loop {
        let told = page.told();
        if told == json!({"pong": 1}) {
            return true;
        }
        seen.push(told["delivery"]["payload"].as_str().expect("a delivery").to_owned());
        page.say(&json!({"acknowledge": 1, "position": told["delivery"]["position"]}));
    }
}

#[test]
fn a_page_replays_what_is_kept_from_where_it_likes() {
    let router = router(None);
    let (mut producer, _) = desk(&router, "desk");
    let positions: Vec<Value> =
        (1..=5).map(|it| store(&mut producer, it, &it.to_string())).collect();
    let mut page = Page::open(&router, "");
    let mut time = json!(null);
    for (number, start, first) in [
        (1, json!("all"), 1),
        (2, json!({"position": positions[2]}), 3),
        (3, json!({"last": 2}), 4),
        (4, json!("new"), 6),
    ] {
        let told = page.ask(&json!({"consume": number, "pattern": "orders/>", "start": start}));
        assert_eq!(told["consuming"]["subscription"], number, "{told}");
        for sequence in first..=5 {
            let it = delivery(&mut page);
            assert_eq!((&it["subscription"], &it["kept"]), (&json!(number), &json!(true)), "{it}");
            assert_eq!(it["payload"], sequence.to_string());
            time = it["time_ns"].clone();
        }
        assert_eq!(page.ask(&json!({"unsubscribe": number})), json!({"unsubscribed": number}));
    }
    page.say(&json!({"consume": 5, "pattern": "orders/>", "start": {"time_ns": time}}));
    assert_eq!(page.told()["consuming"]["subscription"], 5);
    assert_eq!(delivery(&mut page)["payload"], "5");
    // And what comes.
    store(&mut producer, 6, "6");
    let it = delivery(&mut page);
    assert_eq!((&it["payload"], &it["kept"]), (&json!("6"), &json!(null)), "{it}");
}

#[test]
fn what_is_not_done_is_said_with_its_command() {
    let router = router(None);
    let (mut page, _) = desk(&router, "desk");
    let mut other = Page::open(&router, "");
    for (command, subject, code, reason) in [
        (json!({"producer": "other"}), json!({"producer": "other"}), "in use", "already"),
        (
            json!({"store": "a//b", "sequence": 1, "payload": ""}),
            json!({"store": 1}),
            "bad name",
            "level",
        ),
        (
            json!({"store": "$x", "sequence": 1, "payload": ""}),
            json!({"store": 1}),
            "reserved topic",
            "$",
        ),
        (
            json!({"consume": 1, "name": "a", "pattern": "a//b"}),
            json!({"consume": 1}),
            "bad name",
            "level",
        ),
        (
            json!({"acknowledge": 8, "position": "5"}),
            json!({"acknowledge": 8}),
            "unknown",
            "no such",
        ),
        (
            json!({"acknowledge": 8, "through": "5"}),
            json!({"acknowledge": 8}),
            "unknown",
            "no such",
        ),
        (json!({"release": 8, "position": "5"}), json!({"release": 8}), "unknown", "no such"),
        (json!({"delete": "nobody's"}), json!({"delete": "nobody's"}), "unknown", "no such"),
        (json!({"unsubscribe": 8}), json!({"unsubscribe": 8}), "unknown", "no subscription 8"),
    ] {
        let told = page.ask(&command);
        let rejected = &told["rejected"];
        for (key, value) in subject.as_object().expect("an object") {
            assert_eq!(&rejected[key], value, "{command}: {told}");
        }
        assert_eq!(rejected["code"], code, "{command}: {told}");
        let words = rejected["reason"].as_str().unwrap_or_default();
        assert!(words.contains(reason), "{command}: {told}");
    }
    let told = other.ask(&json!({"store": "a", "sequence": 1, "payload": ""}));
    assert_eq!(told["rejected"]["code"], "no producer", "{told}");
    // A number stands for one thing.
    assert_eq!(other.ask(&json!({"subscribe": 1, "pattern": "a"})), json!({"subscribed": 1}));
    let told = other.ask(&json!({"consume": 1, "pattern": "a"}));
    assert_eq!(
        (&told["rejected"]["consume"], &told["rejected"]["code"]),
        (&json!(1), &json!("in use"))
    );
    let told = other.ask(&json!({"consume": 2, "pattern": "a"}));
    assert_eq!(told["consuming"]["subscription"], 2, "{told}");
    let told = other.ask(&json!({"subscribe": 2, "pattern": "a"}));
    assert_eq!(
        (&told["rejected"]["subscribe"], &told["rejected"]["code"]),
        (&json!(2), &json!("in use"))
    );
}

#[test]
fn of_messages_that_are_rejected_in_a_row_the_first_is_told() {
    let router = router(None);
    let (mut page, _) = desk(&router, "desk");
    page.say(&json!({"store": "a//b", "sequence": 1, "payload": "1"}));
    for sequence in 2..=4 {
        page.say(&json!({"store": "orders/new", "sequence": sequence, "payload": ""}));
    }
    let told = page.told();
    assert_eq!(
        (&told["rejected"]["store"], &told["rejected"]["code"]),
        (&json!(1), &json!("bad name"))
    );
    assert!(is_quiet(&mut page), "those behind it are known to be out of sequence");
    for sequence in 1..=4 {
        store(&mut page, sequence, "");
    }
    let told = page.ask(&json!({"store": "orders/new", "sequence": 7, "payload": ""}));
    assert_eq!(
        (&told["rejected"]["store"], &told["rejected"]["code"]),
        (&json!(7), &json!("out of sequence"))
    );
    // Another connection takes the name over.
    let (mut next, last) = desk(&router, "desk");
    assert_eq!(last, 4);
    store(&mut next, 5, "");
    let told = page.ask(&json!({"store": "orders/new", "sequence": 5, "payload": ""}));
    assert_eq!(
        (&told["rejected"]["store"], &told["rejected"]["code"]),
        (&json!(5), &json!("taken over"))
    );
}

#[test]
fn a_deleted_subscription_ends_for_its_consumers() {
    let router = router(None);
    let (mut consumer, _) = gateway(&router, &[]);
    let (mut producer, _) = desk(&router, "desk");
    store(&mut producer, 1, "a");
    assert_eq!(delivery(&mut consumer)["payload"], "a");
    producer.say(&json!({"delete": "gateway"}));
    assert!(is_quiet(&mut producer));
    assert_eq!(consumer.told(), json!({"unsubscribed": 1}));
    let (_, it) = gateway(&router, &[("start", json!("new"))]);
    assert_eq!((&it["new"], &it["waiting"]), (&json!(true), &json!(0)), "{it}");
}

#[test]
fn a_conflated_durable_subscription_gives_a_page_the_newest() {
    let router = router(None);
    let (mut consumer, _) = gateway(&router, &[("conflate", json!(true)), ("window", json!(1))]);
    let (mut producer, _) = desk(&router, "desk");
    for sequence in 1..=20 {
        store(&mut producer, sequence, &sequence.to_string());
    }
    let first = delivery(&mut consumer);
    assert_eq!((&first["payload"], &first["replaced"]), (&json!("1"), &json!(0)), "{first}");
    consumer.say(&json!({"acknowledge": 1, "position": first["position"]}));
    let newest = delivery(&mut consumer);
    assert_eq!((&newest["payload"], &newest["replaced"]), (&json!("20"), &json!(18)), "{newest}");
    assert!(newest["age_ns"].is_u64(), "{newest}");
}

/// While the disk has much to write, nothing more is taken from the page; then it goes on where it was.
#[test]
fn a_page_faster_than_the_disk_waits_and_loses_nothing() {
    const COUNT: u64 = 5_000;
    let folder = Folder::new("fast");
    let router = start(|config| {
        config.journal.directory = Some(folder.0.clone());
        config.journal.segment_bytes = 4 << 20;
        config.journal.pending_bytes = 8 << 10;
    });
    let (mut consumer, _) = gateway(&router, &[("window", json!(100))]);
    let (mut producer, _) = desk(&router, "desk");
    let reading = std::thread::spawn(move || {
        for sequence in 1..=COUNT {
            let it = delivery(&mut consumer);
            assert_eq!(it["repeated"], json!(null), "{it}");
            let length = it["binary"].as_u64().expect("bytes");
            let payload = consumer.binary();
            assert_eq!(payload.len() as u64, length);
            assert_eq!(payload[..8], sequence.to_le_bytes(), "in order, none twice");
            if sequence % 10 == 0 {
                consumer.say(&json!({"acknowledge": 1, "through": it["position"]}));
            }
        }
    });
    let (mut stored, mut payload) = (0, vec![0xff; 600]);
    for sequence in 1..=COUNT {
        producer.say(&json!({"store": "orders/new", "sequence": sequence, "binary": true}));
        payload[..8].copy_from_slice(&sequence.to_le_bytes());
        producer.send(&payload);
        if sequence % 100 == 0 {
            // A page reads as it comes.
            while stored + 200 < sequence {
                stored = producer.told()["stored"]["sequence"].as_u64().expect("a sequence");
            }
        }
    }
    while stored < COUNT {
        stored = producer.told()["stored"]["sequence"].as_u64().expect("a sequence");
    }
    assert!(is_quiet(&mut producer));
    reading.join().expect("the consumer");
}
