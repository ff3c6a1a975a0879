//! What one client may have of what there is for all: beyond that it is rejected, and told by which limit.

mod bench;

use bench::{Bench, Frame, MILLISECOND};
use trunkline_native::{self as native, RouterFrame, Updates, code, format};
use trunkline_server::{Config, ConnectionId};

/// Codes and texts of rejections, and the reason for the end.
fn rejections(bench: &Bench, id: ConnectionId) -> Vec<(u16, String)> {
    let bytes = bench.engine.output(id).to_vec();
    let (mut rest, mut told) = (&bytes[..], Vec::new());
    while let Some((frame, length)) = native::decode_router(rest, 1 << 24).expect("a frame") {
        match frame {
            RouterFrame::Rejected(it) => told.push((it.code, it.text.to_owned())),
            RouterFrame::Closing(it) => told.push((it.code, it.text.to_owned())),
            _ => {}
        }
        rest = &rest[length..];
    }
    told
}

#[track_caller]
fn is_rejected(bench: &mut Bench, id: ConnectionId, key: &str) {
    let told = rejections(bench, id);
    assert!(matches!(&*told, [(code::LIMIT, text)] if text.contains(key)), "{key}: {told:?}");
    bench.read(id);
}

#[test]
fn one_client_has_a_share_of_the_topics() {
    let mut bench = Bench::new(|_| {});
    let (greedy, other) = (bench.client("greedy"), bench.client("other"));
    let share = Config::default().limits.topics_per_client;
    assert!(share >= 100_000, "a feed of so many topics is one client");
    for alias in 0..share as u32 {
        bench.send(greedy, |out| native::encode_topic(out, alias, &format!("greedy/{alias}")));
    }
    assert_eq!(bench.read(greedy), []);
    bench.send(greedy, |out| native::encode_topic(out, share as u32, "one/more"));
    is_rejected(&mut bench, greedy, "limits.topics_per_client");
    // Nine others could have as many.
    let limit = Config::default().limits.topics;
    assert!(limit >= 10 * share);
    bench.send(other, |out| native::encode_topic(out, 0, "other"));
    assert_eq!(bench.read(other), []);
}

#[test]
fn one_client_has_a_share_of_the_subscriptions() {
    let mut bench = Bench::new(|_| {});
    let (greedy, other) = (bench.client("greedy"), bench.client("other"));
    let share = Config::default().limits.subscriptions_per_client as u32;
    assert!(share >= 100_000, "who watches so many topics is one client");
    for number in 0..share {
        let pattern = format!("t/{number}");
        bench.send(greedy, |out| native::encode_subscribe(out, number, Updates::All, &pattern));
        if number % 1_000 == 0 {
            bench.read(greedy);
        }
    }
    bench.read(greedy);
    bench.send(greedy, |out| native::encode_subscribe(out, share, Updates::All, "more"));
    is_rejected(&mut bench, greedy, "limits.subscriptions_per_client");
    bench.send(other, |out| native::encode_subscribe(out, 1, Updates::All, ">"));
    assert_eq!(bench.read(other), [Frame::Other("Subscribed(1)".to_owned())]);
}

#[test]
fn a_message_goes_to_one_client_so_many_times_at_most() {
    let mut bench = Bench::new(|_| {});
    let (greedy, writer) = (bench.client("greedy"), bench.client("writer"));
    let most = Config::default().limits.overlaps_per_client as u32;
    for number in 0..most {
        bench.send(greedy, |out| native::encode_subscribe(out, number, Updates::All, ">"));
    }
    bench.read(greedy);
    bench.send(greedy, |out| native::encode_subscribe(out, most, Updates::All, ">"));
    is_rejected(&mut bench, greedy, "limits.overlaps_per_client");
    bench.send(writer, |out| native::encode_topic(out, 0, "a/b"));
    bench.send(writer, |out| native::encode_publish(out, 0, 0, b"x"));
    let came = bench.read(greedy);
    let messages = came.iter().filter(|it| matches!(it, Frame::Message(..))).count();
    assert_eq!((messages, bench.ended.len()), (most as usize, 0));
}

#[test]
fn patterns_that_differ_and_match_one_topic_are_counted_too() {
    // Of the name the router knows at once that it is one too many, of the pattern when a message comes.
    for (last, is_known) in [("a/>", false), ("a/b", true)] {
        let mut bench = Bench::new(|config| config.limits.overlaps_per_client = 2);
        let greedy = bench.client("greedy");
        let others: Vec<_> = (0..5).map(|_| bench.client("other")).collect();
        let writer = bench.client("writer");
        for other in &others {
            bench.send(*other, |out| native::encode_subscribe(out, 1, Updates::All, "a/*"));
            bench.read(*other);
        }
        bench.send(writer, |out| native::encode_topic(out, 0, "a/b"));
        // The client's numbers say nothing of which is newer.
        for (number, pattern) in [(8, "*/b"), (9, ">")] {
            bench.send(greedy, |out| native::encode_subscribe(out, number, Updates::All, pattern));
        }
        bench.send(writer, |out| native::encode_publish(out, 0, 0, b"1"));
        assert_eq!(bench.read(greedy).len(), 6, "twice each: subscribed, the topic, the message");
        bench.send(greedy, |out| native::encode_subscribe(out, 2, Updates::All, last));
        let known = bench.read(greedy);
        assert_eq!(known == [Frame::Rejected(code::LIMIT, 2)], is_known, "{last}: {known:?}");
        bench.send(writer, |out| native::encode_publish(out, 0, 0, b"2"));
        bench.pass(bench.now + MILLISECOND);
        if !is_known {
            let told = rejections(&bench, greedy);
            let [(code::LIMIT, text)] = &*told else { panic!("{told:?}") };
            assert!(text.contains("limits.overlaps_per_client") && text.contains("a/b"), "{text}");
        }
        bench.send(writer, |out| native::encode_publish(out, 0, 0, b"3"));
        let came = bench.read(greedy);
        let messages = came.iter().filter(|it| matches!(it, Frame::Message(..))).count();
        let rejected = came.iter().filter(|it| **it == Frame::Rejected(code::LIMIT, 2)).count();
        assert_eq!((messages, rejected), (4, usize::from(!is_known)), "{last}: {came:?}");
        assert_eq!(bench.ended, [], "{last}");
        // Its number is free, and what it has goes on when another pattern is put in its place.
        bench.send(greedy, |out| native::encode_unsubscribe(out, 9));
        bench.send(greedy, |out| native::encode_subscribe(out, 2, Updates::All, last));
        bench.send(writer, |out| native::encode_publish(out, 0, 0, b"4"));
        bench.pass(bench.now + MILLISECOND);
        let came = bench.read(greedy);
        let messages = came.iter().filter(|it| matches!(it, Frame::Message(4, _))).count();
        assert_eq!(messages, 2, "{last}: {came:?}");
        for other in &others {
            let came: Vec<_> = bench.read(*other);
            let messages = came.iter().filter(|it| matches!(it, Frame::Message(..))).count();
            assert_eq!(messages, 4, "others get everything: {came:?}");
        }
    }
}

#[test]
fn who_has_not_read_how_many_are_rejected_stays_connected() {
    const COUNT: u32 = 200;
    let mut bench = Bench::new(|config| {
        config.limits.overlaps_per_client = 2;
        config.limits.output_bytes = 1_000;
    });
    let (greedy, writer) = (bench.client("greedy"), bench.client("writer"));
    for number in 0..COUNT {
        let level = |(at, level)| if number >> at & 1 == 1 { "*" } else { level };
        let levels = "a/b/c/d/e/f/g/h".split('/').enumerate().map(level);
        let pattern = levels.collect::<Vec<_>>().join("/");
        bench.send(greedy, |out| native::encode_subscribe(out, number, Updates::All, &pattern));
        bench.read(greedy);
    }
    bench.send(writer, |out| native::encode_topic(out, 0, "a/b/c/d/e/f/g/h"));
    bench.send(writer, |out| native::encode_publish(out, 0, 0, b"x"));
    bench.pass(bench.now + MILLISECOND);
    assert_eq!(bench.ended, [], "it has not asked for so many answers");
    assert!(bench.engine.output(greedy).len() < 4_000);
    let due = bench.engine.next_deadline();
    assert!(
        due.is_none_or(|at| at > bench.now + 1),
        "nothing is to be done until it reads: {due:?}"
    );
    // A number that is not told of yet would mean two: nothing is taken from it before it has read.
    let mut asked = Vec::new();
    native::encode_subscribe(&mut asked, 2, Updates::All, "other");
    assert_eq!(bench.engine.received(bench.now, greedy, &asked), 0);
    let came = bench.read(greedy);
    let rejected: Vec<u64> = came
        .iter()
        .filter_map(|it| match it {
            Frame::Rejected(code::LIMIT, number) => Some(*number),
            _ => None,
        })
        .collect();
    assert_eq!(rejected, (2..u64::from(COUNT)).collect::<Vec<_>>());
    assert_eq!(bench.ended, []);
    assert_eq!(bench.engine.next_released(), Some(greedy));
    bench.send(greedy, |out| native::encode_subscribe(out, 2, Updates::All, "other"));
    assert_eq!(bench.read(greedy), [Frame::Other("Subscribed(2)".to_owned())]);
    bench.send(writer, |out| native::encode_publish(out, 0, 0, b"y"));
    assert_eq!(bench.read(greedy).len(), 2);
}

fn produce(bench: &mut Bench, client: &str, name: &str) -> ConnectionId {
    let id = bench.client(client);
    bench.send(id, |out| native::encode_producer(out, name));
    id
}

/// Stores the first message of a producer.
fn store_one(bench: &mut Bench, id: ConnectionId) {
    let store = native::Store {
        alias: 0,
        time_to_live_ms: 0,
        sequence: 1,
        is_repeated: false,
        format: format::TEXT,
        payload: b"x",
    };
    bench.send(id, |out| native::encode_topic(out, 0, "a"));
    bench.send(id, |out| native::encode_store(out, &store));
    let told = bench.read(id);
    assert!(matches!(&*told, [Frame::Other(text)] if text.contains("Stored")), "{told:?}");
}

fn is_producing(bench: &mut Bench, id: ConnectionId) -> bool {
    matches!(&*bench.read(id), [Frame::Other(text)] if text.contains("Producing"))
}

#[test]
fn names_of_producers_that_one_client_makes_up_leave_room_for_others() {
    let mut bench = Bench::new(|config| config.journal.producers_per_client = 3);
    for number in 0..3 {
        let id = produce(&mut bench, "made up", &format!("{number}"));
        assert!(is_producing(&mut bench, id));
        bench.engine.closed(bench.now, id, "it left");
    }
    let id = produce(&mut bench, "made up", "another");
    is_rejected(&mut bench, id, "journal.producers_per_client");
    // The names that it has it may use.
    let id = produce(&mut bench, "made up", "2");
    assert!(is_producing(&mut bench, id));
    let id = produce(&mut bench, "gateway", "gateway");
    assert!(is_producing(&mut bench, id));
    // In an hour it may bring in more.
    bench.pass(bench.now + 3_600 * bench::SECOND);
    let id = produce(&mut bench, "made up", "another");
    assert!(is_producing(&mut bench, id));
}

#[test]
fn who_stores_something_under_every_name_may_bring_in_more() {
    let mut bench = Bench::new(|config| config.journal.producers_per_client = 3);
    for number in 0..10 {
        let id = produce(&mut bench, "trunkline pub", &format!("trunkline pub {number}"));
        assert!(is_producing(&mut bench, id), "{number}");
        store_one(&mut bench, id);
        bench.engine.closed(bench.now, id, "it has published");
    }
    // Names that were not of use are still counted.
    for number in 0..3 {
        let id = produce(&mut bench, "trunkline pub", &format!("unused {number}"));
        assert!(is_producing(&mut bench, id), "{number}");
    }
    let id = produce(&mut bench, "trunkline pub", "another");
    is_rejected(&mut bench, id, "journal.producers_per_client");
}

#[test]
fn who_stores_one_message_under_each_of_many_names_leaves_room_for_others() {
    for flood in ["flood", ""] {
        let mut bench = Bench::new(|config| {
            config.journal.producers = 200;
            config.journal.new_producers_per_client = 20;
        });
        for number in 0..20 {
            let id = produce(&mut bench, flood, &format!("{number}"));
            assert!(is_producing(&mut bench, id), "{number}");
            store_one(&mut bench, id);
            bench.engine.closed(bench.now, id, "it left");
        }
        for number in 20..300 {
            let id = produce(&mut bench, flood, &format!("{number}"));
            is_rejected(&mut bench, id, "journal.new_producers_per_client");
            bench.engine.closed(bench.now, id, "it left");
        }
        // The names that it has it may use.
        let id = produce(&mut bench, flood, "7");
        assert!(is_producing(&mut bench, id));
        for number in 0..10 {
            let id = produce(&mut bench, "gateway", &format!("gateway {number}"));
            assert!(is_producing(&mut bench, id), "{number}");
            store_one(&mut bench, id);
        }
        // In an hour it may bring in more.
        bench.pass(bench.now + 3_600 * bench::SECOND);
        let id = produce(&mut bench, flood, "another");
        assert!(is_producing(&mut bench, id));
    }
}

#[test]
fn who_stores_under_a_name_that_another_connection_has_brought_in_is_counted() {
    for (flood, brings) in [("", "flood"), ("", ""), ("flood", "flood")] {
        let mut bench = Bench::new(|config| config.journal.new_producers_per_client = 20);
        for number in 0..30 {
            let id = produce(&mut bench, brings, &format!("{number}"));
            assert!(is_producing(&mut bench, id), "{number}");
            bench.engine.closed(bench.now, id, "it left");
        }
        for number in 0..20 {
            let id = produce(&mut bench, flood, &format!("{number}"));
            assert!(is_producing(&mut bench, id), "{number}");
            store_one(&mut bench, id);
            bench.engine.closed(bench.now, id, "it left");
        }
        for number in 20..30 {
            let id = produce(&mut bench, flood, &format!("{number}"));
            is_rejected(&mut bench, id, "journal.new_producers_per_client");
        }
        // The names that it has it may use.
        let id = produce(&mut bench, flood, "7");
        assert!(is_producing(&mut bench, id));
        let id = produce(&mut bench, "gateway", "gateway");
        assert!(is_producing(&mut bench, id));
    }
}

#[test]
fn names_that_come_from_elsewhere_lock_nobody_out() {
    let origins = [
        [("tcp", "10.0.0.7:5"), ("tcp", "10.0.0.7:6"), ("tcp", "10.0.0.8:5")],
        [("tcp", "[::1]:5"), ("tcp", "[::1]:6"), ("tcp", "[::2]:5")],
        [("unix", "pid 1 uid 5"), ("shm", "pid 2 uid 5"), ("unix", "pid 3 uid 6")],
    ];
    for [one, same, other] in origins {
        for client in ["trunkline pub", ""] {
            let mut bench = Bench::new(|config| config.journal.new_producers_per_client = 20);
            let mut produce = |(transport, address): (&'static str, &str), name: &str| {
                let id = bench.client_from(client, transport, address);
                bench.send(id, |out| native::encode_producer(out, name));
                let told = bench.read(id);
                if matches!(&*told, [Frame::Other(text)] if text.contains("Producing")) {
                    store_one(&mut bench, id);
                    return true;
                }
                assert!(matches!(&*told, [Frame::Rejected(code::LIMIT, _)]), "{told:?}");
                false
            };
            assert!((0..20).all(|number| produce(one, &format!("{number}"))));
            assert!(!produce(same, "one more"), "{same:?}");
            assert!(produce(other, "one from elsewhere"), "{other:?}");
        }
    }
}

#[test]
fn a_name_of_an_hour_ago_leaves_the_count_of_this_hour_alone() {
    let mut bench = Bench::new(|config| config.journal.producers_per_client = 1);
    let early = produce(&mut bench, "desk", "early");
    assert!(is_producing(&mut bench, early));
    for _ in 0..2 * 3_600 / 30 {
        bench.send(early, |out| native::encode_ping(out, 1));
        bench.pass(bench.now + 30 * bench::SECOND);
        bench.read(early);
    }
    let late = produce(&mut bench, "desk", "late");
    assert!(is_producing(&mut bench, late));
    store_one(&mut bench, early);
    let id = produce(&mut bench, "desk", "another");
    is_rejected(&mut bench, id, "journal.producers_per_client");
    store_one(&mut bench, late);
    let id = produce(&mut bench, "desk", "another");
    assert!(is_producing(&mut bench, id));
}

#[test]
fn however_many_clients_make_up_names_others_are_not_counted_with_them() {
    let mut bench = Bench::new(|config| config.journal.producers_per_client = 3);
    for number in 0..10_010 {
        let id = produce(&mut bench, &format!("made up {number}"), &format!("{number}"));
        assert!(is_producing(&mut bench, id), "{number}");
        bench.engine.closed(bench.now, id, "it left");
    }
    // The first of a name and one more.
    for number in 0..2 {
        let id = produce(&mut bench, "gateway", &format!("gateway {number}"));
        assert!(is_producing(&mut bench, id), "{number}");
    }
    // Those that are counted still are.
    for number in 0..2 {
        let id = produce(&mut bench, "made up 7", &format!("more {number}"));
        assert!(is_producing(&mut bench, id), "{number}");
    }
    let id = produce(&mut bench, "made up 7", "another");
    is_rejected(&mut bench, id, "journal.producers_per_client");
}

#[test]
fn clients_without_a_name_are_not_counted_as_one() {
    let mut bench = Bench::new(|config| config.journal.producers_per_client = 3);
    for number in 0..10 {
        let id = produce(&mut bench, "", &format!("{number}"));
        assert!(is_producing(&mut bench, id), "{number}");
        bench.engine.closed(bench.now, id, "it left");
    }
}

#[test]
fn names_of_producers_under_which_nothing_was_stored_make_room() {
    let mut bench = Bench::new(|config| config.journal.producers = 20);
    for number in 0..20 {
        let id = produce(&mut bench, &format!("client {number}"), &format!("{number}"));
        assert!(is_producing(&mut bench, id));
        if number > 0 {
            bench.engine.closed(bench.now, id, "it left");
        }
    }
    for number in 0..19 {
        let id = produce(&mut bench, "gateway", &format!("gateway {number}"));
        assert!(is_producing(&mut bench, id), "{number}");
    }
    let id = produce(&mut bench, "gateway", "one more");
    is_rejected(&mut bench, id, "journal.producers");
}
