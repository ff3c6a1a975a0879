//! What a message costs the client, without its socket: to publish, to receive; and with a guarantee, to
//! store until it is acknowledged, and to receive and acknowledge.
//!
//! `cargo bench -p trunkline-client`: ns a message, best and median of passes, by payload.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use trunkline_client::{Consume, Conversation, Event, Options, Topic, format};
use trunkline_native::{
    Delivery, Durability, Producing, Stored, VERSION, Welcome, encode_delivery,
    encode_plain_message, encode_producing, encode_router_topic, encode_stored, encode_welcome,
};

/// Messages of a pass: as many as one read or write may carry.
const MESSAGES: u64 = 400;
const PASSES: usize = 2001;

/// Runs a pass often and prints what a message took.
fn measure(what: &str, payload: usize, mut pass: impl FnMut() -> f64) {
    let mut times: Vec<f64> = (0..PASSES).map(|_| pass() / MESSAGES as f64).collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[PASSES / 2]);
    println!("{what:11} {payload:5} B  {best:6.1} ns best  {median:6.1} ns median");
}

fn main() {
    let mut bytes = Vec::new();
    let (frame_bytes, topics) = (1 << 20, 1000);
    let features = trunkline_native::Features::default();
    let welcome =
        Welcome { version: VERSION, frame_bytes, client: 1, topics, subscriptions: 1000, features };
    encode_welcome(&mut bytes, &welcome);
    for number in 0..500 {
        encode_router_topic(&mut bytes, number, &format!("fx/{number}/spot"));
    }
    let mut conversation = Conversation::new(&Options::default());
    conversation.received(&bytes);
    while conversation.next_event().expect("frames of a router").is_some() {}
    let topic = conversation.topic("fx/EURUSD").expect("there is room for a topic");
    conversation.producer("bench").expect("a name");
    conversation.consume(&Consume::durable("bench", "fx/>")).expect("a name");
    bytes.clear();
    encode_producing(&mut bytes, &Producing { window: 1000, window_bytes: 1 << 30, last: 0 });
    conversation.received(&bytes);
    while conversation.next_event().expect("frames of a router").is_some() {}
    for length in [16, 128, 1024] {
        let payload = &vec![b'x'; length];
        measure("publish", length, || {
            conversation.sent(conversation.output().len());
            let start = Instant::now();
            for _ in 0..MESSAGES {
                let published = conversation.publish(topic, format::OPAQUE, black_box(payload));
                published.expect("it is short enough");
            }
            start.elapsed().as_nanos() as f64
        });
        bytes.clear();
        for sequence in 1..=MESSAGES {
            encode_plain_message(&mut bytes, 1, sequence as u32 * 7 % 500, sequence, 0, payload);
        }
        measure("receive", length, || {
            conversation.received(&bytes);
            let start = Instant::now();
            let mut count = 0;
            while let Some(event) = conversation.next_event().expect("frames of a router") {
                assert!(matches!(black_box(event), Event::Message(_)));
                count += 1;
            }
            assert_eq!(count, MESSAGES);
            start.elapsed().as_nanos() as f64
        });
        store(&mut conversation, topic, payload);
        deliver(&mut conversation, payload);
    }
}

/// A message on its way to the router, and its acknowledgement with others.
fn store(conversation: &mut Conversation, topic: Topic, payload: &[u8]) {
    let mut bytes = Vec::new();
    measure("store", payload.len(), || {
        conversation.sent(conversation.output().len());
        let start = Instant::now();
        let mut sequence = 0;
        for _ in 0..MESSAGES {
            let stored = conversation.store(topic, format::OPAQUE, black_box(payload), 0);
            sequence = stored.expect("there is room");
        }
        let sending = start.elapsed();
        let durability = Durability { memory: 1, disk: 1 };
        bytes.clear();
        encode_stored(&mut bytes, &Stored { durability, sequence, position: sequence });
        conversation.received(&bytes);
        let start = Instant::now();
        let told = conversation.next_event().expect("frames of a router");
        assert!(matches!(told, Some(Event::Stored(_))));
        (sending + start.elapsed()).as_nanos() as f64
    });
}

/// A message from the router, and its acknowledgement.
fn deliver(conversation: &mut Conversation, payload: &[u8]) {
    let mut bytes = Vec::new();
    for position in 1..=MESSAGES {
        let delivery = Delivery {
            subscription: 0,
            topic: position as u32 * 7 % 500,
            position,
            time: position,
            deliveries: 0,
            conflation: None,
            is_repeated: false,
            is_unconfirmed: false,
            is_kept: false,
            is_unrendered: false,
            format: format::OPAQUE,
            payload,
        };
        encode_delivery(&mut bytes, &delivery);
    }
    for wants_acknowledge in [false, true] {
        let what = if wants_acknowledge { "acknowledge" } else { "deliver" };
        measure(what, payload.len(), || {
            conversation.sent(conversation.output().len());
            conversation.received(&bytes);
            let start = Instant::now();
            let mut count = 0;
            while let Some(event) = conversation.next_event().expect("frames of a router") {
                let Event::Delivery(it) = black_box(event) else { panic!("{event:?}") };
                let (subscription, position) = (it.subscription, it.position);
                if wants_acknowledge {
                    conversation.acknowledge(subscription, position);
                }
                count += 1;
            }
            assert_eq!(count, MESSAGES);
            start.elapsed().as_nanos() as f64
        });
    }
}
