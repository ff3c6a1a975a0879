//! What a message costs the client, without its socket: to publish, and to receive.
//!
//! `cargo bench -p trunkline-client`: ns a message, best and median of passes, by payload.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use trunkline_client::{Conversation, Event, Options, format};
use trunkline_native::{
    VERSION, Welcome, encode_plain_message, encode_router_topic, encode_welcome,
};

/// Messages of a pass: as many as one read or write may carry.
const MESSAGES: u64 = 400;
const PASSES: usize = 2001;

/// Runs a pass often and prints what a message took.
fn measure(what: &str, payload: usize, mut pass: impl FnMut() -> f64) {
    let mut times: Vec<f64> = (0..PASSES).map(|_| pass() / MESSAGES as f64).collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[PASSES / 2]);
    println!("{what:8} {payload:5} B  {best:6.1} ns best  {median:6.1} ns median");
}

fn main() {
    let mut bytes = Vec::new();
    let (frame_bytes, topics) = (1 << 20, 1000);
    let welcome = Welcome { version: VERSION, frame_bytes, client: 1, topics, subscriptions: 1000 };
    encode_welcome(&mut bytes, &welcome);
    for number in 0..500 {
        encode_router_topic(&mut bytes, number, &format!("fx/{number}/spot"));
    }
    let mut conversation = Conversation::new(&Options::default());
    conversation.received(&bytes);
    while conversation.next_event().expect("frames of a router").is_some() {}
    let topic = conversation.topic("fx/EURUSD").expect("there is room for a topic");
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
    }
}
