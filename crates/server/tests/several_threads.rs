//! A router whose connections are carried by several threads, over every kind of stream.

mod raw;

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_server::{Config, Running, Server};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

const MESSAGES: u64 = 3_000;

fn router(name: &str, threads: usize) -> (Running, Vec<String>) {
    let place = |kind: &str| {
        let file = format!("trunkline-{name}-{kind}-{}.sock", std::process::id());
        std::env::temp_dir().join(file)
    };
    let mut config: Config = raw::config(|_| {});
    config.router.threads = threads;
    config.listen.native.extend([
        format!("unix://{}", place("unix").display()).parse().expect("an address"),
        format!("shm://{}", place("shm").display()).parse().expect("an address"),
    ]);
    let router = Server::start(config).expect("a router");
    let addresses = router.addresses().iter().map(|it| it.address.to_string()).collect();
    (router, addresses)
}

/// The messages of each topic in the order in which they came.
type Seen = BTreeMap<String, Vec<Vec<u8>>>;

fn receive(mut client: Client, count: u64) -> Seen {
    let (mut seen, mut received) = (Seen::new(), 0);
    while received < count {
        let came = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(it) => {
                let of_topic = seen.entry(it.topic.to_owned()).or_default();
                of_topic.push(it.payload.to_vec());
                assert_eq!(it.sequence, of_topic.len() as u64, "nothing is lost");
                received += 1;
            }
            event => panic!("{event:?}"),
        });
        assert!(came.expect("it is connected") > 0, "nothing came after {received}");
    }
    seen
}

/// Two publish to the same topics at the same time.
fn publish(address: &str, publisher: u8) {
    let mut client = Client::connect(address, &Options::named("writer")).expect("a client");
    let topics = ["t/a", "t/b"].map(|name| client.topic(name).expect("a topic"));
    for number in 0..MESSAGES {
        let mut payload = vec![publisher; 9 + number as usize % 300];
        payload[1..9].copy_from_slice(&number.to_le_bytes());
        client.enqueue(topics[number as usize % 2], &payload).expect("it is taken");
    }
    client.flush().expect("it is sent");
    // What was published is handled when this returns.
    client.synchronise().expect("an answer");
}

fn everybody_sees_the_same(name: &str, threads: usize) {
    let (router, addresses) = router(name, threads);
    let readers: Vec<Client> = (0..12)
        .map(|number| {
            let address = &addresses[number % addresses.len()];
            let mut client = Client::connect(address, &Options::named("reader")).expect("a client");
            client.subscribe("t/*", &Subscribe::every()).expect("it stands");
            client
        })
        .collect();
    let all = thread::scope(|scope| {
        let reading: Vec<_> =
            readers.into_iter().map(|it| scope.spawn(|| receive(it, 2 * MESSAGES))).collect();
        for (publisher, address) in (1..=2).zip(&addresses) {
            scope.spawn(move || publish(address, publisher));
        }
        reading.into_iter().map(|it| it.join().expect("it reads")).collect::<Vec<Seen>>()
    });
    for seen in &all {
        assert!(*seen == all[0], "one order of each topic holds for all");
        for payloads in seen.values() {
            for publisher in 1..=2 {
                let of_one = payloads.iter().filter(|it| it[0] == publisher);
                let numbers: Vec<u64> = of_one
                    .map(|it| u64::from_le_bytes(it[1..9].try_into().expect("8 bytes")))
                    .collect();
                assert_eq!(numbers.len() as u64, MESSAGES / 2);
                assert!(numbers.is_sorted(), "a publisher's messages come in its order");
            }
        }
    }
    router.stop();
}

#[test]
fn with_two_threads_everybody_sees_the_same() {
    everybody_sees_the_same("two", 2);
}

#[test]
fn with_four_threads_everybody_sees_the_same() {
    everybody_sees_the_same("four", 4);
}

/// Connections come and go, so that their places at the threads are used again.
#[test]
fn clients_come_and_go() {
    let (router, addresses) = router("many", 3);
    for round in 0..20_u8 {
        let mut clients: Vec<Client> = (0..15)
            .map(|number| {
                let address = &addresses[number % 2];
                let mut client = Client::connect(address, &Options::named("x")).expect("a client");
                client.subscribe("t", &Subscribe::every()).expect("it stands");
                client
            })
            .collect();
        let topic = clients[3].topic("t").expect("a topic");
        clients[3].publish(topic, &[round]).expect("it is sent");
        for (number, client) in clients.into_iter().enumerate() {
            let mut client = client;
            let mut payloads = Vec::new();
            while payloads.is_empty() {
                let take = &mut |event: Event<'_>| match event {
                    Event::Message(it) => payloads.push(it.payload.to_vec()),
                    event => panic!("{event:?}"),
                };
                let came = client.receive(Some(PATIENCE), take).expect("it is connected");
                assert!(came > 0, "client {number} got nothing in round {round}");
            }
            assert_eq!(payloads, [[round]]);
        }
    }
    raw::eventually("everybody has left", || {
        router.handle().pulse(PATIENCE).is_some_and(|pulse| pulse.clients == 0)
    });
    router.stop();
}

/// Who is connected when the router stops gets what waits for it, and is told.
#[test]
fn a_stop_sends_what_waits() {
    let router = raw::router(|config| config.router.threads = 4);
    let mut readers: Vec<raw::Raw> = (0..9)
        .map(|_| {
            let mut reader = raw::Raw::named(&router, "reader");
            reader.subscribe(1, "t");
            reader
        })
        .collect();
    let mut writer = raw::Raw::named(&router, "writer");
    writer.topic(0, "t");
    let long = vec![7; 50_000];
    for _ in 0..20 {
        writer.publish(0, &long);
    }
    writer.settle();
    let stopping = thread::spawn(|| router.stop());
    for reader in &mut readers {
        for _ in 0..20 {
            assert!(reader.message() == long);
        }
        let end = reader.next();
        let is_told = matches!(&end, raw::Seen::Closing(code, _) if *code == trunkline_native::code::STOPPING);
        assert!(is_told, "{end:?}");
        assert_eq!(reader.next(), raw::Seen::End);
    }
    drop((readers, writer));
    stopping.join().expect("it stops");
}
