//! Conflated prices are fresh when they are taken: with credit, and as far as can be without.

mod bench;
mod raw;

use std::path::PathBuf;

use bench::{Bench, MILLISECOND, SECOND};
use raw::{Raw, Seen, router};
use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_native::{
    self as native, ClientFrame, Features, Hello, RouterFrame, Taken, Updates, code, format,
};
use trunkline_server::snapshot::SnapshotRequest;
use trunkline_server::{ConnectionId, Running};

/// Messages that are published while the reader takes none, and bytes of each: far more than all buffers
/// between the two hold.
const MESSAGES: u64 = 60_000;
const BYTES: usize = 200;

/// A router on each of the transports, and a folder that goes with it.
struct Place {
    router: Running,
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = |scheme| format!("{scheme}://{}", folder.join(scheme).display());
        let texts = ["tcp://127.0.0.1:0".to_owned(), path("unix"), path("shm")];
        let addresses = texts.iter().map(|text| text.parse().expect("an address")).collect();
        let router = router(|config| config.listen.native = addresses);
        Self { router, folder }
    }

    fn urls(&self) -> Vec<String> {
        self.router.addresses().iter().map(|it| it.url()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn numbered(number: u64) -> [u8; BYTES] {
    let mut payload = [0; BYTES];
    payload[..8].copy_from_slice(&number.to_le_bytes());
    payload
}

/// The numbers that a reader takes which takes the first, then none until all are published.
fn taken_after_a_stop(url: &str, options: &Options) -> Vec<u64> {
    let mut writer = Client::connect(url, &Options::named("writer")).expect(url);
    let mut reader = Client::connect(url, options).expect(url);
    reader.subscribe("fx/EURUSD", &Subscribe::newest()).expect("it is taken");
    let topic = writer.topic("fx/EURUSD").expect("a topic");
    writer.publish(topic, &numbered(0)).expect("it is sent");
    let mut got = Vec::new();
    while got.last() != Some(&MESSAGES) {
        let take = &mut |event: Event<'_>| {
            let Event::Message(it) = event else { panic!("{event:?}") };
            let number = u64::from_le_bytes(*it.payload.first_chunk().expect("a number"));
            assert!(got.last().is_none_or(|last| *last < number), "{number} after {got:?}");
            assert_eq!(it.age.is_some(), options.times, "{it:?}");
            // The router is older than the message.
            assert!(it.age.is_none_or(|age| age < 3_600_000_000_000), "{it:?}");
            got.push(number);
        };
        let count = reader.receive(Some(raw::PATIENCE), take).expect("connected");
        assert!(count > 0, "{} came, the last is {:?}", got.len(), got.last());
        if got.len() == 1 {
            // The router has heard of it: with several threads what another sends may be handled earlier.
            reader.synchronise().expect("it answers");
            for number in 1..=MESSAGES {
                writer.enqueue(topic, &numbered(number)).expect("it is sent");
            }
            // All of them are in the router, or replaced.
            writer.synchronise().expect("the router has worked through them");
        }
    }
    got
}

#[test]
fn after_a_stop_a_reader_with_credit_gets_the_newest_next_but_one() {
    let place = Place::new("credit");
    for url in place.urls() {
        let got = taken_after_a_stop(&url, &Options::named("reader"));
        // At most what the pace of one message has made the bound.
        assert!(got.len() <= 4, "{url}: {got:?}");
    }
}

#[test]
fn without_credit_little_is_under_way() {
    let place = Place::new("short");
    for url in place.urls() {
        let options = Options { credit: false, times: false, ..Options::named("reader") };
        let got = taken_after_a_stop(&url, &options);
        let bytes = got.len() * (BYTES + native::MESSAGE_HEAD + 16);
        // A router's buffers have grown to megabytes before that; a client's own first window is its
        // system's affair.
        let most = if url.starts_with("tcp") { 512 << 10 } else { 64 << 10 };
        assert!(bytes <= most, "{url}: {bytes} bytes were under way");
    }
}

/// A client of the engine that says what it offers.
fn client(bench: &mut Bench, features: Features) -> ConnectionId {
    let id = bench.connect();
    let hello = Hello { version: native::VERSION, features, ..Hello::default() };
    bench.send(id, |out| native::encode_hello(out, &hello));
    let (welcome, _) = native::decode_router(bench.engine.output(id), 1 << 20)
        .expect("a frame")
        .expect("a whole one");
    assert!(matches!(welcome, RouterFrame::Welcome(it) if it.features == features), "{welcome:?}");
    bench.read(id);
    id
}

/// The conflated messages that were written: sequence, replaced, age, time of publishing.
fn messages(bench: &mut Bench, id: ConnectionId) -> Vec<(u64, u64, u64, Option<u64>)> {
    let bytes = bench.engine.output(id).to_vec();
    bench.engine.sent(bench.now, id, bytes.len());
    let (mut rest, mut found) = (&bytes[..], Vec::new());
    while let Some((frame, length)) = native::decode_router(rest, 1 << 20).expect("a frame") {
        if let RouterFrame::Message(it) = frame
            && let Some(conflation) = it.conflation
        {
            found.push((it.sequence, conflation.replaced, conflation.age, it.published));
        }
        rest = &rest[length..];
    }
    found
}

fn publish(bench: &mut Bench, writer: ConnectionId, alias: u32, count: usize) {
    for _ in 0..count {
        bench.send(writer, |out| native::encode_publish(out, alias, format::OPAQUE, b"1.0842"));
    }
}

fn take(bench: &mut Bench, reader: ConnectionId, messages: u64) {
    bench.send(reader, |out| ClientFrame::Taken(Taken { messages, round_trip: 0 }).encode(out));
}

const BOTH: Features = Features { credit: true, times: true, ..Features::NONE };

#[test]
fn ages_are_exact_and_the_newest_comes_when_one_is_taken() {
    let mut bench = Bench::new(|_| {});
    let (writer, reader) = (bench.client("writer"), client(&mut bench, BOTH));
    bench.send(writer, |out| native::encode_topic(out, 0, "a"));
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::Newest, "a"));
    bench.read(reader);
    bench.pass(SECOND);
    publish(&mut bench, writer, 0, 2);
    let first = [(1, 0, 0, Some(SECOND)), (2, 0, 0, Some(SECOND))];
    assert_eq!(messages(&mut bench, reader), first);
    let request = SnapshotRequest { clients: 10, topics: 0 };
    let clients = bench.engine.snapshot(bench.now, request).clients;
    let of = clients.iter().find(|it| it.id == reader.as_u64()).expect("it is listed");
    assert_eq!((of.has_credit, of.under_way), (true, 2));
    // All that was written has been sent, and nothing more goes.
    for millisecond in 1..=90 {
        bench.pass(SECOND + millisecond * MILLISECOND);
        publish(&mut bench, writer, 0, 1);
        assert_eq!(messages(&mut bench, reader), []);
    }
    bench.pass(SECOND + 100 * MILLISECOND);
    take(&mut bench, reader, 1);
    let newest = (92, 89, 10 * MILLISECOND, Some(SECOND + 90 * MILLISECOND));
    assert_eq!(messages(&mut bench, reader), [newest]);
    // Nothing waits: the next one goes as soon as that is taken.
    take(&mut bench, reader, 2);
    publish(&mut bench, writer, 0, 1);
    assert_eq!(messages(&mut bench, reader), [(93, 0, 0, Some(bench.now))]);
}

#[test]
fn a_capped_subscription_keeps_its_cap_with_credit() {
    let mut bench = Bench::new(|_| {});
    let (writer, reader) = (bench.client("writer"), client(&mut bench, BOTH));
    bench.send(writer, |out| native::encode_topic(out, 0, "a"));
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::PerSecond(10), "a"));
    bench.read(reader);
    let (mut came, mut last) = (0, 0);
    for millisecond in 0..2_000 {
        bench.pass(millisecond * MILLISECOND);
        publish(&mut bench, writer, 0, 1);
        for (sequence, ..) in messages(&mut bench, reader) {
            (came, last) = (came + 1, sequence);
            take(&mut bench, reader, came);
        }
    }
    assert_eq!(came, 20);
    assert!(last > 1_800, "{last} is the newest that came");
}

#[test]
fn plain_messages_are_not_held_up_by_credit() {
    let mut bench = Bench::new(|_| {});
    let (writer, reader) = (bench.client("writer"), client(&mut bench, BOTH));
    for (alias, name) in ["plain", "newest"].iter().enumerate() {
        bench.send(writer, |out| native::encode_topic(out, alias as u32, name));
    }
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::All, "plain"));
    bench.send(reader, |out| native::encode_subscribe(out, 2, Updates::Newest, "newest"));
    bench.read(reader);
    let mut plain = Vec::new();
    for _ in 0..500 {
        publish(&mut bench, writer, 1, 2);
        publish(&mut bench, writer, 0, 1);
        for frame in bench.read(reader) {
            match frame {
                // The first of either has its topic before it.
                bench::Frame::Message(sequence, payload) if payload == b"1.0842" => {
                    plain.push(sequence);
                }
                _ => {}
            }
        }
    }
    // The first two are conflated: the only ones that credit lets go.
    assert_eq!(plain.drain(..2).collect::<Vec<u64>>(), [1, 2]);
    assert_eq!(plain, (1..=500).collect::<Vec<u64>>());
}

#[test]
fn clients_without_credit_and_times_are_served_as_ever() {
    let mut bench = Bench::new(|_| {});
    let writer = bench.client("writer");
    let reader = client(&mut bench, Features::default());
    bench.send(writer, |out| native::encode_topic(out, 0, "a"));
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::Newest, "a"));
    bench.read(reader);
    publish(&mut bench, writer, 0, 3);
    let came = messages(&mut bench, reader);
    assert_eq!(came, [(1, 0, 0, None), (2, 0, 0, None), (3, 0, 0, None)]);
}

#[test]
fn what_cannot_have_been_taken_ends_the_connection_with_a_reason() {
    let router = router(|_| {});
    for (features, said, reason) in [
        (Features::default(), 0, "TAKEN: the client has not said that it tells what it takes"),
        (
            BOTH,
            7,
            "TAKEN: 7 conflated messages cannot have been taken: 0 were before, and 0 were sent",
        ),
    ] {
        let hello = Hello { version: native::VERSION, features, ..Hello::default() };
        let mut raw = Raw::hello(&router, &hello);
        raw.send(|out| native::encode_taken(out, &Taken { messages: said, round_trip: 0 }));
        assert_eq!(raw.next(), Seen::Closing(code::BAD_FRAME, reason.to_owned()));
    }
}
