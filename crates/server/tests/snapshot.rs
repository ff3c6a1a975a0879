//! What a running router says of itself.

mod raw;

use raw::{Raw, Seen, router};
use trunkline_server::snapshot::{Counts, SnapshotRequest};

const ALL: SnapshotRequest = SnapshotRequest { clients: 100, topics: 100 };

#[test]
fn a_snapshot_shows_clients_topics_and_a_ledger_that_adds_up() {
    let router = router(|_| {});
    let handle = router.handle();
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe(1, "a/>");
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "a/b");
    writer.topic(1, "c");
    for payload in [b"1", b"2", b"3"] {
        writer.publish(0, payload);
    }
    writer.publish(1, b"nobody");
    writer.settle();
    for expected in [b"1", b"2", b"3"] {
        assert_eq!(reader.message(), expected);
    }
    let snapshot = handle.snapshot(ALL).expect("the router answers");
    let totals = &snapshot.totals;
    assert_eq!((totals.clients_now, totals.connections), (2, 2));
    assert_eq!((totals.topics_now, totals.subscriptions_now, totals.matches_now), (2, 1, 1));
    assert_eq!(totals.messages, 4);
    assert!(totals.turns > 0 && totals.received_bytes > 0 && totals.sent_bytes > 0);
    assert_eq!(totals.ledger, Counts { published: 3, delivered: 3, ..Counts::default() });
    let of = |name: &str| {
        snapshot.clients.iter().find(|client| client.name == name).expect("it is listed")
    };
    assert_eq!((of("reader").ledger.delivered, of("reader").messages), (3, 0));
    assert_eq!((of("writer").messages, of("writer").subscriptions), (4, 0));
    assert_eq!(of("reader").profile, "tcp/native/opaque");
    let topics: Vec<_> =
        snapshot.topics.iter().map(|topic| (&*topic.name, topic.messages)).collect();
    assert_eq!(topics, [("a/b", 3), ("c", 1)]);
    // What has left is still counted.
    drop(reader);
    drop(writer);
    raw::eventually("both have left", || {
        handle.snapshot(ALL).expect("the router answers").totals.clients_now == 0
    });
    let after = handle.snapshot(ALL).expect("the router answers").totals;
    assert_eq!((after.messages, after.ledger.delivered), (4, 3));
}

#[test]
fn many_clients_are_counted_in_parts_and_few_are_listed() {
    let router = router(|_| {});
    let mut clients: Vec<Raw> =
        (0..700).map(|number| Raw::named(&router, &format!("c{number}"))).collect();
    clients[650].subscribe(1, "a");
    clients[0].topic(0, "a");
    clients[0].publish(0, b"x");
    assert!(matches!(clients[650].next(), Seen::Topic(..)));
    let request = SnapshotRequest { clients: 10, topics: 0 };
    let snapshot = router.handle().snapshot(request).expect("the router answers");
    assert_eq!(snapshot.totals.clients_now, 700);
    assert_eq!(snapshot.totals.ledger.delivered, 1);
    assert_eq!((snapshot.clients.len(), snapshot.topics.len()), (10, 0));
}

#[test]
fn a_router_that_has_stopped_says_nothing() {
    let router = router(|_| {});
    let handle = router.handle();
    router.stop();
    assert_eq!(handle.snapshot(ALL), None);
    assert!(handle.reconfigure(raw::config(|_| {})).is_err());
}
