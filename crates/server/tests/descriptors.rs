//! A process that runs out of descriptors: clients are told so, and the journal and those who ask after the
//! router's health have what they need. It is a process of its own, since a limit holds for all of one.

mod raw;

use std::time::Duration;

use raw::{PATIENCE, Raw, Seen, eventually, router};
use rustix::process::{Resource, Rlimit, setrlimit};
use trunkline_client::{Client, Options, code, format};
use trunkline_http::{self as http, ClientConfig, HeaderMap, Method, StatusCode};
use trunkline_native as native;

/// Half of them are reserved.
const LIMIT: u64 = 512;

#[test]
fn without_descriptors_for_clients_the_journal_goes_on_and_health_is_told() {
    let few = Rlimit { current: Some(LIMIT), maximum: Some(LIMIT) };
    setrlimit(Resource::Nofile, few).expect("it may be lowered");
    let folder = std::env::temp_dir().join(format!("trunkline-few-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let router = router(|config| {
        config.listen.http = Some("127.0.0.1:0".into());
        config.journal.directory = Some(folder.clone());
        config.journal.segment_bytes = 1 << 20;
        config.limits.frame_bytes = 64 << 10;
    });
    let mut desk = Client::connect(&router.addresses()[0].url(), &Options::named("desk"))
        .expect("it is taken");
    desk.producer("desk").expect("a producer");
    let topic = desk.topic("orders").expect("a topic");

    // Both ends of each connection are here.
    let mut taken = Vec::new();
    let hello = native::Hello { version: native::VERSION, ..native::Hello::default() };
    let rejected = loop {
        let mut raw = Raw::silent(&router);
        raw.send(|out| native::encode_hello(out, &hello));
        match raw.next() {
            Seen::Welcome(_) => taken.push(raw),
            other => break other,
        }
        assert!(taken.len() < LIMIT as usize / 2, "nobody is rejected");
    };
    let Seen::Closing(code::FULL, text) = rejected else { panic!("{rejected:?}") };
    assert!(text.contains("ulimit -Hn") && text.contains("512"), "{text}");
    assert!(taken.len() > 50, "only {} were taken", taken.len());

    // Many more than there are descriptors knock.
    for _ in 0..LIMIT {
        let mut raw = Raw::silent(&router);
        raw.send(|out| native::encode_hello(out, &hello));
        match raw.next() {
            Seen::Closing(code::FULL, _) => {}
            // The journal had a file open for a moment when the others were counted.
            Seen::Welcome(_) => taken.push(raw),
            other => panic!("{other:?}"),
        }
    }
    // Segments are made, and each message comes to the disk.
    for _ in 0..100 {
        let sequence = desk.store(topic, format::OPAQUE, &[7; 60 << 10]).expect("it is sent");
        let stored = desk.wait_stored(sequence, PATIENCE).expect("it is on disk");
        assert_eq!(stored.durability.disk, 1);
    }
    let http = router.addresses().iter().find(|it| it.protocol == "http").expect("a listener");
    let place = http.address.to_string().replace("tcp://", "");
    let mut visitor = http::Client::new(&place, ClientConfig::default()).expect("a client");
    for page in ["/health", "/health/ready", "/metrics"] {
        let answer = visitor.request(&Method::GET, page, &HeaderMap::new(), b"").expect(page);
        assert_eq!(answer.status, StatusCode::OK, "{page}");
    }
    // Who leaves makes room.
    taken.truncate(10);
    eventually("room", || {
        let mut raw = Raw::silent(&router);
        raw.send(|out| native::encode_hello(out, &hello));
        matches!(raw.next(), Seen::Welcome(_)) || {
            std::thread::sleep(Duration::from_millis(20));
            false
        }
    });
    drop((desk, taken));
    router.stop();
    std::fs::remove_dir_all(&folder).expect("it is removed");
}
