//! Guaranteed delivery in the engine by itself: what is refused, and what a client is told of it.

mod bench;

use bench::{Bench, Frame};
use trunkline_native::{self as native, Updates, code, format};
use trunkline_server::ConnectionId;

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
    assert_eq!(bench.read(desk), [Frame::Refused(code::TOO_LONG, 1)]);
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
