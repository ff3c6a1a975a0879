//! What a message costs the router between its sockets: frames in, frames out, without a system call.
//!
//! `cargo bench -p trunkline-server`: ns a delivery, best and median of passes; of guaranteed messages with their
//! storing in memory and their acknowledgement.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use trunkline_native::{self as native, Updates, format};
use trunkline_server::{Config, ConnectionId, Engine, Peer, Protocol};

/// Messages of a pass: as many as one read may carry.
const MESSAGES: u32 = 800;
const PASSES: usize = 1001;

struct Bench {
    engine: Engine,
    now: u64,
}

impl Bench {
    fn client(&mut self, name: &str) -> ConnectionId {
        let peer = Peer { transport: "tcp", address: "127.0.0.1:5".to_owned(), certificate: None };
        let id = self.engine.connected(self.now, peer, Protocol::Native).expect("there is room");
        let hello = native::Hello { version: native::VERSION, name, ..native::Hello::default() };
        self.send(id, |out| native::encode_hello(out, &hello));
        id
    }

    /// A page that has subscribed to all topics.
    fn page(&mut self) -> ConnectionId {
        let peer = Peer { transport: "tcp", address: "127.0.0.1:5".to_owned(), certificate: None };
        let id = self.engine.connected(self.now, peer, Protocol::WebSocket).expect("there is room");
        self.send(id, |out| {
            out.extend_from_slice(
                b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                  Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            );
        });
        let text = br#"{"subscribe":1,"pattern":"fx/>"}"#;
        self.send(id, |out| {
            // A text, masked with zeros.
            out.extend_from_slice(&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0]);
            out.extend_from_slice(text);
        });
        id
    }

    fn send(&mut self, id: ConnectionId, write: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        assert_eq!(self.engine.received(self.now, id, &bytes), bytes.len());
        self.drain();
    }

    /// As the loop does it, with sockets that take all.
    fn drain(&mut self) -> usize {
        let mut total = 0;
        while let Some(dirty) = self.engine.next_dirty(self.now) {
            let trunkline_server::Dirty::Output(id) = dirty else { panic!("{dirty:?}") };
            let bytes = black_box(self.engine.output(id)).len();
            self.engine.sent(self.now, id, bytes);
            total += bytes;
        }
        total
    }
}

fn measure(protocol: Protocol, subscribers: u32, topics: u32, payload: usize) {
    let mut bench = Bench { engine: Engine::new(&Config::default()), now: 0 };
    let writer = bench.client("writer");
    for at in 0..topics {
        bench.send(writer, |out| native::encode_topic(out, at, &format!("fx/{at}/spot")));
    }
    for at in 0..subscribers {
        if protocol == Protocol::WebSocket {
            bench.page();
            continue;
        }
        let reader = bench.client(&format!("reader {at}"));
        bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::All, "fx/>"));
    }
    let mut bytes = Vec::new();
    // As many as make less work than gives others their turn.
    let messages = MESSAGES.min(40_000 / subscribers);
    for at in 0..messages {
        // Topics in an order that no processor guesses.
        let alias = at.wrapping_mul(0x9e37_79b1) % topics;
        native::encode_publish(&mut bytes, alias, format::OPAQUE, &vec![b'x'; payload]);
    }
    let passes = if subscribers > 8 { PASSES / 20 } else { PASSES };
    let mut times: Vec<f64> = (0..passes)
        .map(|_| {
            let start = Instant::now();
            bench.now += 1_000_000;
            let used = bench.engine.received(bench.now, writer, black_box(&bytes));
            assert_eq!(used, bytes.len());
            let sent = bench.drain();
            assert!(sent > bytes.len() * subscribers as usize);
            start.elapsed().as_nanos() as f64 / f64::from(messages * subscribers)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[passes / 2]);
    let protocol = protocol.name();
    println!(
        "{protocol:9} 1 to {subscribers:3}, {topics:6} topics, {payload:4} B  {best:6.1} ns best  {median:6.1} ns median"
    );
}

/// One producer, one durable subscription whose consumer acknowledges each message.
fn measure_guaranteed(payload: usize) {
    let mut bench = Bench { engine: Engine::new(&Config::default()), now: 0 };
    let writer = bench.client("writer");
    bench.send(writer, |out| native::encode_topic(out, 0, "orders/new"));
    bench.send(writer, |out| native::encode_producer(out, "writer"));
    let reader = bench.client("reader");
    let consume = native::Consume {
        subscription: 1,
        window: MESSAGES,
        updates: Updates::All,
        start: native::Start::New,
        pace: 0,
        wants_confirmed: false,
        wants_acknowledged: false,
        policy: native::DeliveryPolicy::NONE,
        format: None,
        filter: "",
        fields: "",
        name: "booking",
        pattern: "orders/>",
    };
    bench.send(reader, |out| native::encode_consume(out, &consume));
    let (payload, mut sequence) = (vec![b'x'; payload], 0);
    let mut times: Vec<f64> = (0..PASSES)
        .map(|_| {
            let mut stores = Vec::new();
            for _ in 0..MESSAGES {
                sequence += 1;
                let (alias, time_to_live_ms, is_repeated) = (0, 0, false);
                let (format, payload) = (format::OPAQUE, &payload[..]);
                let store = native::Store {
                    alias,
                    time_to_live_ms,
                    sequence,
                    is_repeated,
                    format,
                    payload,
                };
                native::encode_store(&mut stores, &store);
            }
            let start = Instant::now();
            bench.now += 1_000_000;
            assert_eq!(bench.engine.received(bench.now, writer, &stores), stores.len());
            let acknowledgements = acknowledge_all(bench.engine.output(reader));
            bench.drain();
            let used = bench.engine.received(bench.now, reader, &acknowledgements);
            assert_eq!(used, acknowledgements.len());
            bench.drain();
            start.elapsed().as_nanos() as f64 / f64::from(MESSAGES)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[PASSES / 2]);
    println!(
        "stored, delivered, acknowledged, {payload:4} B  {best:6.1} ns best  {median:6.1} ns median",
        payload = payload.len()
    );
}

/// What a consumer answers to the deliveries among these frames.
fn acknowledge_all(mut frames: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut count = 0;
    while let Ok(Some((frame, length))) = native::decode_router(frames, native::FRAME_BYTES) {
        if let native::RouterFrame::Delivery(it) = frame {
            let (subscription, position) = (it.subscription, it.position);
            let done = native::Acknowledge { subscription, position, is_cumulative: false };
            native::encode_acknowledge(&mut out, &done);
            count += 1;
        }
        frames = &frames[length..];
    }
    assert_eq!(count, MESSAGES, "all are delivered");
    out
}

fn main() {
    measure_guaranteed(128);
    for (subscribers, topics) in [(1, 1), (1, 100), (1, 100_000), (8, 1), (8, 100), (8, 100_000)] {
        measure(Protocol::Native, subscribers, topics, 128);
    }
    for subscribers in [1, 8, 100] {
        measure(Protocol::WebSocket, subscribers, 100, 128);
    }
}
