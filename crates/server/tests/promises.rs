//! Guaranteed delivery in the engine by itself: what is rejected, and what a client is told of it.

mod bench;

use bench::{Bench, Frame, SECOND};
use trunkline_native::{self as native, RouterFrame, Updates, code, format};
use trunkline_server::ConnectionId;
use trunkline_server::snapshot::{DurableStatus, SnapshotRequest};

/// A client that stores under a name to the topic `a`, which is its alias 0.
fn producer(bench: &mut Bench, name: &str) -> ConnectionId {
    let id = bench.client(name);
    bench.send(id, |out| native::encode_topic(out, 0, "a"));
    bench.send(id, |out| native::encode_producer(out, name));
    assert!(matches!(&*bench.read(id), [Frame::Other(text)] if text.contains("Producing")));
    id
}

fn store(bench: &mut Bench, id: ConnectionId, sequence: u64, payload: &[u8]) {
    let store = native::Store {
        alias: 0,
        time_to_live_ms: 0,
        sequence,
        is_repeated: false,
        format: format::TEXT,
        payload,
    };
    bench.send(id, |out| native::encode_store(out, &store));
}

#[test]
fn what_is_too_long_for_direct_subscribers_is_not_stored() {
    let mut bench = Bench::new(|_| {});
    let desk = producer(&mut bench, "desk");
    let reader = bench.client("reader");
    bench.send(reader, |out| native::encode_subscribe(out, 1, Updates::All, "a"));
    bench.read(reader);
    let limit = native::FRAME_BYTES as usize - native::MOST_MESSAGE_HEAD;
    store(&mut bench, desk, 1, &vec![b'x'; limit + 1]);
    assert_eq!(bench.read(desk), [Frame::Rejected(code::TOO_LONG, 1)]);
    store(&mut bench, desk, 1, &vec![b'x'; limit]);
    let told = bench.read(desk);
    assert!(matches!(&*told, [Frame::Other(text)] if text.contains("Stored")), "{told:?}");
    let length = |frame: &Frame| match frame {
        Frame::Message(_, payload) => Some(payload.len()),
        _ => None,
    };
    let came: Vec<usize> = bench.read(reader).iter().filter_map(length).collect();
    assert_eq!(came, [limit]);
}

/// Asks for messages of the topic `a`, and reads the answer.
fn consume(bench: &mut Bench, id: ConnectionId, subscription: u32, name: &str) -> Frame {
    consume_as(bench, id, subscription, name, ("a", Updates::All))
}

fn consume_as(
    bench: &mut Bench,
    id: ConnectionId,
    subscription: u32,
    name: &str,
    (pattern, updates): (&str, Updates),
) -> Frame {
    let consume = native::Consume {
        subscription,
        window: 0,
        updates,
        start: native::Start::New,
        pace: 0,
        wants_confirmed: false,
        wants_acknowledged: false,
        policy: native::DeliveryPolicy::NONE,
        format: None,
        filter: "",
        fields: "",
        name,
        pattern,
    };
    bench.send(id, |out| native::encode_consume(out, &consume));
    bench.read(id).remove(0)
}

fn stands(told: &Frame) -> bool {
    matches!(told, Frame::Other(text) if text.contains("Consuming"))
}

#[test]
fn who_loses_a_subscription_because_another_deletes_it_may_have_one_more() {
    let mut bench = Bench::new(|config| config.limits.subscriptions_per_client = 1);
    let (risk, other) = (bench.client("risk"), bench.client("other"));
    for round in 0..3 {
        let told = consume(&mut bench, risk, 1, "risk");
        assert!(stands(&told), "{round}: {told:?}");
        assert_eq!(consume(&mut bench, risk, 2, "more"), Frame::Rejected(code::LIMIT, 2));
        // Its own, too.
        let deletes = if round == 1 { risk } else { other };
        bench.send(deletes, |out| native::encode_delete(out, "risk"));
        let told = bench.read(risk);
        assert!(matches!(&*told, [Frame::Other(text)] if text == "Unsubscribed(1)"), "{told:?}");
    }
}

#[test]
fn consumers_are_subscriptions_of_all_clients() {
    let mut bench = Bench::new(|config| config.limits.subscriptions = 3);
    let (one, two) = (bench.client("one"), bench.client("two"));
    bench.send(one, |out| native::encode_subscribe(out, 9, Updates::All, "a"));
    bench.read(one);
    assert!(stands(&consume(&mut bench, one, 1, "risk")));
    assert!(stands(&consume(&mut bench, two, 1, "")));
    assert_eq!(consume(&mut bench, two, 2, "risk"), Frame::Rejected(code::LIMIT, 2));
    bench.send(two, |out| native::encode_subscribe(out, 9, Updates::All, "a"));
    assert_eq!(bench.read(two), [Frame::Rejected(code::LIMIT, 9)]);
    // Who leaves makes room.
    bench.engine.closed(bench.now, one, "it left");
    assert!(stands(&consume(&mut bench, two, 2, "risk")));
    bench.send(two, |out| native::encode_unsubscribe(out, 1));
    bench.read(two);
    assert!(stands(&consume(&mut bench, two, 3, "more")));
    assert!(stands(&consume(&mut bench, two, 4, "most")));
    assert_eq!(consume(&mut bench, two, 5, "beyond"), Frame::Rejected(code::LIMIT, 5));
}

#[test]
fn a_durable_subscription_has_so_many_consumers_at_most() {
    let mut bench = Bench::new(|_| {});
    let pool = bench.client("pool");
    for number in 0..1_024 {
        assert!(stands(&consume(&mut bench, pool, number, "risk")), "{number}");
    }
    assert_eq!(consume(&mut bench, pool, 1_024, "risk"), Frame::Rejected(code::LIMIT, 1_024));
    assert!(stands(&consume(&mut bench, pool, 1_024, "more")));
    bench.send(pool, |out| native::encode_unsubscribe(out, 7));
    bench.read(pool);
    assert!(stands(&consume(&mut bench, pool, 1_025, "risk")));
}

#[test]
fn of_a_row_of_rejected_messages_the_first_is_told() {
    let mut bench = Bench::new(|_| {});
    let earlier = producer(&mut bench, "desk");
    let later = producer(&mut bench, "desk");
    for sequence in 1..=1_000 {
        store(&mut bench, earlier, sequence, b"x");
    }
    assert_eq!(bench.read(earlier), [Frame::Rejected(code::TAKEN_OVER, 1)]);
    // Who tries it again wants to know again.
    store(&mut bench, earlier, 1, b"x");
    assert_eq!(bench.read(earlier), [Frame::Rejected(code::TAKEN_OVER, 1)]);
    assert_eq!(bench.engine.totals().rejections, 1_001, "all are counted");
    store(&mut bench, later, 3, b"x");
    store(&mut bench, later, 4, b"x");
    assert_eq!(bench.read(later), [Frame::Rejected(code::OUT_OF_SEQUENCE, 3)]);
    let none = bench.client("none");
    bench.send(none, |out| native::encode_topic(out, 0, "a"));
    for sequence in [1, 2] {
        store(&mut bench, none, sequence, b"x");
    }
    assert_eq!(bench.read(none), [Frame::Rejected(code::NO_PRODUCER, 1)]);
}

#[test]
fn durable_subscriptions_are_listed_by_what_waits_and_no_more_than_are_asked_for() {
    let mut bench = Bench::new(|_| {});
    let (desk, pool) = (producer(&mut bench, "desk"), bench.client("pool"));
    for (number, name) in ["c", "b", "a"].into_iter().enumerate() {
        assert!(stands(&consume(&mut bench, pool, number as u32, name)));
        bench.send(pool, |out| native::encode_unsubscribe(out, number as u32));
        bench.read(pool);
        store(&mut bench, desk, number as u64 + 1, b"x");
    }
    assert!(stands(&consume(&mut bench, pool, 9, "d")));
    let mut listed = |clients| {
        let snapshot = bench.engine.snapshot(0, SnapshotRequest { clients, topics: 0 });
        let one = |it: &DurableStatus| format!("{} {}", it.name, it.waiting_now);
        snapshot.durables.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(listed(9), ["c 3", "b 2", "a 1", "d 0"]);
    assert_eq!(listed(2), ["c 3", "b 2"]);
    assert_eq!(listed(0), [""; 0]);
}

#[test]
fn a_durable_subscription_that_is_otherwise_is_no_number_in_use() {
    let mut bench = Bench::new(|_| {});
    let (risk, other) = (bench.client("risk"), bench.client("other"));
    assert!(stands(&consume(&mut bench, risk, 1, "risk")));
    assert_eq!(consume(&mut bench, risk, 1, "risk"), Frame::Rejected(code::IN_USE, 1));
    for how in [("b", Updates::All), ("a", Updates::Newest), ("a", Updates::PerSecond(5))] {
        let told = consume_as(&mut bench, other, 1, "risk", how);
        assert_eq!(told, Frame::Rejected(code::DIFFERENT, 1), "{how:?}");
    }
    let told = consume_as(&mut bench, other, 1, "risk", ("a//b", Updates::All));
    assert_eq!(told, Frame::Rejected(code::BAD_NAME, 1));
    assert!(stands(&consume(&mut bench, other, 1, "risk")));
}

/// Positions of the messages that a client reads now, and whether each may have come before.
fn deliveries(bench: &mut Bench, id: ConnectionId) -> Vec<(u64, bool)> {
    bench.clean();
    let bytes = bench.engine.output(id).to_vec();
    let (mut rest, mut came) = (&bytes[..], Vec::new());
    while let Some((frame, length)) = native::decode_router(rest, 1 << 24).expect("a frame") {
        if let RouterFrame::Delivery(it) = frame {
            came.push((it.position, it.is_repeated));
        }
        rest = &rest[length..];
    }
    bench.read(id);
    came
}

fn acknowledge(bench: &mut Bench, id: ConnectionId, position: u64) {
    let it = native::Acknowledge { subscription: 1, position, is_cumulative: false };
    bench.send(id, |out| native::encode_acknowledge(out, &it));
}

/// Messages of the only durable subscription that were sent and not acknowledged.
fn in_flight(bench: &mut Bench) -> u64 {
    bench.engine.snapshot(0, SnapshotRequest { clients: 1, topics: 0 }).durables[0].in_flight_now
}

#[test]
fn what_a_silent_consumer_has_goes_to_others_when_it_is_told_to_go() {
    let mut bench = Bench::new(|_| {});
    let (desk, silent) = (producer(&mut bench, "desk"), bench.client("silent"));
    let other = bench.client("other");
    for id in [silent, other] {
        assert!(stands(&consume(&mut bench, id, 1, "risk")));
    }
    for sequence in 1..=6 {
        store(&mut bench, desk, sequence, b"x");
    }
    let (had, mut done) = (deliveries(&mut bench, silent), deliveries(&mut bench, other));
    assert!(!had.is_empty() && !done.is_empty() && had.len() + done.len() == 6);
    for (position, _) in &done {
        acknowledge(&mut bench, other, *position);
    }
    while bench.ended.is_empty() {
        assert_eq!(deliveries(&mut bench, other), [], "as long as the other one may answer");
        for id in [desk, other] {
            bench.send(id, |out| native::encode_ping(out, 1));
        }
        bench.pass(bench.now + SECOND);
    }
    assert!(matches!(&bench.ended[..], [(id, why)] if *id == silent && why.contains("keepalive")));
    // It still has time to read why.
    let again = deliveries(&mut bench, other);
    let expected: Vec<_> = had.iter().map(|(position, _)| (*position, true)).collect();
    assert_eq!(again, expected);
    done.extend(&again);
    assert_eq!(done.len(), 6);
    // What it says now is not heard, and that it is gone at last changes nothing.
    for (position, _) in &had {
        acknowledge(&mut bench, silent, *position);
    }
    assert_eq!(in_flight(&mut bench), had.len() as u64);
    bench.engine.closed(bench.now, silent, "it had its time");
    assert_eq!(deliveries(&mut bench, other), []);
    store(&mut bench, desk, 7, b"x");
    let last = deliveries(&mut bench, other);
    for (position, _) in again.iter().chain(&last) {
        acknowledge(&mut bench, other, *position);
    }
    assert_eq!((last.len(), in_flight(&mut bench)), (1, 0));
}

#[test]
fn who_is_told_to_go_holds_no_subscription() {
    let mut bench = Bench::new(|config| config.limits.subscriptions = 1);
    let (one, two) = (bench.client("one"), bench.client("two"));
    assert!(stands(&consume(&mut bench, one, 1, "risk")));
    assert_eq!(consume(&mut bench, two, 1, "risk"), Frame::Rejected(code::LIMIT, 1));
    bench.engine.close(bench.now, one, code::STOPPING, "enough");
    bench.clean();
    assert!(stands(&consume(&mut bench, two, 1, "risk")));
    bench.engine.closed(bench.now, one, "it had its time");
    // The place of the first is not given back a second time.
    assert_eq!(consume(&mut bench, two, 2, "risk"), Frame::Rejected(code::LIMIT, 2));
}
