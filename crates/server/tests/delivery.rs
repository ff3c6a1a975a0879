//! What clients get when they are slow, when they ask for less, and when others break off.

mod raw;

use raw::{Raw, Seen, router};
use trunkline_native::{self as native, Hello, Overflow, Updates, code};
use trunkline_server::Running;

/// A payload of so many bytes that begins with a number.
fn payload(number: u64, bytes: usize) -> Vec<u8> {
    let mut payload = number.to_le_bytes().to_vec();
    payload.resize(bytes, 0);
    payload
}

fn number(payload: &[u8]) -> u64 {
    u64::from_le_bytes(payload[..8].try_into().expect("a number"))
}

fn slow(router: &Running, overflow: Overflow) -> Raw {
    let hello = Hello {
        version: native::VERSION,
        name: "slow",
        queue_messages: 5,
        overflow,
        ..Hello::default()
    };
    let mut slow = Raw::hello(router, &hello);
    slow.subscribe(1, "a/>");
    slow
}

/// Publishes more than the sockets and the output of a client hold that does not read.
fn flood(router: &Running, count: u64) -> Raw {
    let mut writer = Raw::named(router, "writer");
    let mut fast = Raw::named(router, "fast");
    fast.subscribe(1, "a/b");
    writer.topic(0, "a/b");
    for at in 1..=count {
        writer.publish(0, &payload(at, 60_000));
        // The fast one gets every message, at once, whatever becomes of the slow one.
        assert_eq!(number(&fast.message()), at);
    }
    writer
}

/// What the slow one reads up to the last message: every sequence is delivered, or told as lost.
fn accounted(slow: &mut Raw, last: u64) -> (u64, u64) {
    let (mut next, mut delivered, mut lost) = (1, 0, 0);
    while next <= last {
        match slow.next() {
            Seen::Topic(..) => {}
            Seen::Message(1, _, sequence, payload) => {
                assert_eq!((sequence, number(&payload)), (next, next), "in order, none missing");
                next += 1;
                delivered += 1;
            }
            Seen::Gap(gap) => {
                assert_eq!((gap.first, gap.last - gap.first + 1), (next, gap.count));
                next = gap.last + 1;
                lost += gap.count;
            }
            other => panic!("{other:?}"),
        }
    }
    (delivered, lost)
}

#[test]
fn a_slow_client_loses_the_oldest_is_told_and_harms_nobody() {
    let router = router(|_| {});
    let mut slow = slow(&router, Overflow::DropOldest);
    let mut writer = flood(&router, 300);
    let (delivered, lost) = accounted(&mut slow, 300);
    assert!(lost > 0, "300 messages of 60 kB fit nowhere");
    assert_eq!(delivered + lost, 300);
    writer.publish(0, &payload(301, 60_000));
    assert_eq!(accounted_from(&mut slow, 301), 301, "it goes on");
}

fn accounted_from(slow: &mut Raw, expected: u64) -> u64 {
    let Seen::Message(_, _, sequence, _) = slow.next() else { panic!("no message") };
    assert_eq!(sequence, expected);
    sequence
}

#[test]
fn a_slow_client_may_keep_the_oldest() {
    let router = router(|_| {});
    let mut slow = slow(&router, Overflow::DropNewest);
    let writer = flood(&router, 300);
    // The loss is at the end, and it is told although nothing more is published.
    let (delivered, lost) = accounted(&mut slow, 300);
    assert!(lost > 0);
    assert_eq!(delivered + lost, 300);
    drop(writer);
}

#[test]
fn a_slow_client_may_be_disconnected() {
    let router = router(|_| {});
    let mut slow = slow(&router, Overflow::Disconnect);
    flood(&router, 300);
    let mut sequence = 0;
    loop {
        match slow.next() {
            Seen::Topic(..) => {}
            Seen::Message(_, _, next, _) => {
                assert_eq!(next, sequence + 1);
                sequence = next;
            }
            Seen::Closing(why, text) => {
                assert_eq!(why, code::SLOW, "{text}");
                break;
            }
            // Who has not taken its output in a second is cut off.
            Seen::End => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(sequence < 300);
}

#[test]
fn an_update_a_topic_and_interval_the_newest_one() {
    let router = router(|_| {});
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe_to(1, Updates::PerSecond(20), "fx/*");
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "fx/EURUSD");
    writer.topic(1, "fx/USDJPY");
    const LAST: u64 = 400;
    for at in 1..=LAST {
        writer.publish(0, &payload(at, 100));
        writer.publish(1, &payload(at, 100));
    }
    let mut sequences = std::collections::BTreeMap::new();
    let mut updates = 0;
    while sequences.len() < 2 || sequences.values().any(|sequence| *sequence < LAST) {
        match reader.next() {
            Seen::Topic(..) => {}
            Seen::Conflated(1, topic, sequence, payload, replaced, age) => {
                let before = sequences.insert(topic, sequence).unwrap_or(0);
                assert_eq!(replaced, sequence - before - 1, "what is passed over is told");
                assert_eq!(number(&payload), sequence);
                assert!(age < 20_000_000_000);
                updates += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!((2..2 * LAST).contains(&updates), "{updates} updates of {}", 2 * LAST);
}

#[test]
fn a_rule_of_the_configuration_conflates_for_a_client() {
    let router = router(|config| {
        let rule = "[[client.rule]]\nname = \"slow*\"\nupdates_per_second = 10";
        let text = trunkline_server::Config::from_text("test", rule, std::iter::empty());
        config.client = text.expect("a configuration").client;
    });
    let mut reader = Raw::named(&router, "slow-gui");
    reader.subscribe(1, "a");
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "a");
    for at in 1..=50 {
        writer.publish(0, &payload(at, 100));
    }
    let mut last = 0;
    while last < 50 {
        if let Seen::Conflated(_, _, sequence, ..) = reader.next() {
            last = sequence;
        }
    }
}

#[test]
fn a_publisher_that_dies_within_a_frame_leaves_nothing_of_it() {
    let router = router(|_| {});
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe(1, ">");
    let mut writer = Raw::named(&router, "dies");
    writer.topic(0, "a");
    writer.publish(0, b"whole");
    let mut bytes = Vec::new();
    native::encode_publish(&mut bytes, 0, 0, &[b'x'; 5_000]);
    writer.send(|out| out.extend_from_slice(&bytes[..4_000]));
    writer.settle_without_answer();
    drop(writer);
    assert_eq!(reader.message(), b"whole");
    let handle = router.handle();
    let all = trunkline_server::snapshot::SnapshotRequest { clients: 10, topics: 10 };
    raw::eventually("it is gone", || {
        handle.snapshot(all).expect("an answer").totals.clients_now == 1
    });
    let mut next = Raw::named(&router, "next");
    next.topic(0, "a");
    next.publish(0, b"after");
    assert_eq!(reader.message(), b"after");
}

#[test]
fn garbage_before_and_after_the_greeting_harms_nobody() {
    let router = router(|_| {});
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe(1, ">");
    // A generator of bytes that are the same each time.
    let mut state = 7_u64;
    let mut noise = |bytes: usize| -> Vec<u8> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        (0..bytes).map(|_| next()).collect()
    };
    for round in 0..60 {
        let mut broken =
            if round % 2 == 0 { Raw::silent(&router) } else { Raw::named(&router, "noise") };
        let bytes = noise(1 + round * 97);
        // The router may have closed the connection already.
        let _ = std::io::Write::write_all(&mut broken.stream, &bytes);
    }
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "a");
    writer.publish(0, b"still there");
    assert_eq!(reader.message(), b"still there");
}
