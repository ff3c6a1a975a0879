//! Slow clients: bounded queues, what is lost when they are full, and how that is told.

mod world;

use trunkline_router::{ClientId, ClientOptions, Dirty, Limits, Overflow};
use world::World;

/// A world in which one message fills an output, and a client with a short queue that has had one.
fn blocked(overflow: Overflow, queue_messages: usize) -> (World, ClientId) {
    let mut world = World::with(Limits { output_bytes: 1, ..Limits::default() });
    let client = world.connect(ClientOptions { overflow, queue_messages, ..Default::default() });
    world.subscribe(client, 1, "*");
    world.publish("fill", "0");
    (world, client)
}

fn publish(world: &mut World, topics: &[&str]) {
    for (number, topic) in topics.iter().enumerate() {
        world.publish(topic, &format!("m{number}"));
        world.check_ledgers();
    }
}

#[test]
fn the_oldest_go_and_the_gap_comes_before_what_follows() {
    let (mut world, client) = blocked(Overflow::DropOldest, 3);
    publish(&mut world, &["a", "a", "b", "a", "b", "a"]);
    world.advance(9);
    let expected = [
        "1 fill#1 0",
        "1 a lost 2: 1-2 age 9",
        "1 a#3 m3",
        "1 b lost 1: 1-1 age 9",
        "1 b#2 m4",
        "1 a#4 m5",
    ];
    assert_eq!(world.receive(client), expected);
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.published, ledger.delivered, ledger.discarded), (7, 4, 3));
}

#[test]
fn the_newest_goes_and_the_gap_comes_after_what_was_before() {
    let (mut world, client) = blocked(Overflow::DropNewest, 2);
    publish(&mut world, &["a", "b", "a", "b", "a", "c"]);
    world.advance(4);
    // One at a time: room for one more comes while there is a gap at the end of the queue.
    let first = world.router.output(client).len();
    world.router.sent(world.now, client, first);
    world.publish("a", "again");
    world.publish("a", "no more");
    let lines = world.receive(client);
    let expected = [
        "1 c lost 1: 1-1 age 4",
        "1 a#1 m0",
        "1 a lost 2: 2-3 age 4",
        "1 b#1 m1",
        "1 b lost 1: 2-2 age 4",
        "1 a#4 again",
        "1 a lost 1: 5-5 age 0",
    ];
    assert_eq!(lines, expected);
    world.check_ledgers();
}

#[test]
fn a_gap_is_told_though_nothing_follows() {
    let (mut world, client) = blocked(Overflow::DropNewest, 0);
    publish(&mut world, &["a", "a", "a"]);
    world.advance(2);
    assert_eq!(world.receive(client), ["1 fill#1 0", "1 a lost 3: 1-3 age 2"]);
    world.publish("a", "next");
    assert_eq!(world.receive(client), ["1 a#4 next"]);
    world.check_ledgers();
}

#[test]
fn a_client_that_is_to_be_disconnected_is_told_and_gets_nothing_more() {
    let (mut world, client) = blocked(Overflow::Disconnect, 2);
    let other = world.connect(ClientOptions::default());
    world.subscribe(other, 1, "*");
    assert_eq!(world.dirty(), [Dirty::Output(client)]);
    publish(&mut world, &["a", "b"]);
    publish(&mut world, &["c", "d"]);
    let dirty = world.dirty();
    let Some(Dirty::Close(who, reason)) = dirty.last() else { panic!("{dirty:?}") };
    assert_eq!(*who, client);
    assert_eq!(reason, "the queue is full: the client reads too slowly");
    let lines = world.receive(client);
    assert_eq!(lines, ["1 fill#1 0", &format!("closing: {reason}")]);
    assert!(!world.router.control(client, |_, _| unreachable!()));
    assert_eq!(world.receive(other), ["1 a#1 m0", "1 b#1 m1", "1 c#1 m0", "1 d#1 m1"]);
    let view = world.router.view().client(client).expect("it is connected still");
    assert!(view.is_closing);
    assert_eq!((view.ledger.published, view.ledger.discarded), (4, 3));
    assert_eq!((view.subscriptions, view.queued_messages, view.queued_bytes), (0, 0, 0));
    world.router.disconnect(world.now, client);
    world.check_ledgers();
}

#[test]
fn bytes_bound_a_queue_too() {
    let mut world = World::with(Limits { output_bytes: 1, ..Limits::default() });
    let client = world.connect(ClientOptions { queue_bytes: 1_000, ..Default::default() });
    world.subscribe(client, 1, "*");
    world.publish("fill", "0");
    for number in 0..50 {
        world.publish("a", &format!("{number:0>160}"));
        assert!(world.router.view().totals().queued_bytes <= 1_000);
    }
    world.publish("b", &"x".repeat(1_000));
    world.check_ledgers();
    let lines = world.receive(client);
    assert_eq!(lines.len(), 8, "{lines:?}");
    assert_eq!(lines[1], "1 a lost 45: 1-45 age 0");
    assert_eq!(lines[3], "1 b lost 1: 1-1 age 0", "it would fit in no queue of this client");
    assert!(lines[7].starts_with("1 a#50 "));
}

#[test]
fn a_message_longer_than_an_output_goes_through() {
    let mut world = World::with(Limits { output_bytes: 100, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    world.subscribe(client, 1, "a");
    let long = "x".repeat(50_000);
    for _ in 0..3 {
        world.publish("a", &long);
    }
    assert!(world.router.output(client).len() < 51_000);
    let lines = world.receive(client);
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.ends_with(&long)));
    world.check_ledgers();
}

#[test]
fn what_is_queued_goes_with_its_subscription_and_the_rest_stays() {
    let (mut world, client) = blocked(Overflow::DropOldest, 6);
    world.subscribe(client, 2, "a");
    publish(&mut world, &["a", "a", "b", "a"]);
    world.router.unsubscribe(world.now, client, 2).expect("it is there");
    world.check_ledgers();
    // A new match in the place of the old one does not get what was for the old one.
    world.subscribe(client, 2, "a");
    world.publish("a", "new");
    let expected = [
        "1 fill#1 0",
        "1 a lost 1: 1-1 age 0",
        "1 a#2 m1",
        "1 b#1 m2",
        "1 a#3 m3",
        "2 a#4 new",
        "1 a#4 new",
    ];
    let mut lines = world.receive(client);
    lines[5..].sort_by(|one, other| other.cmp(one));
    assert_eq!(lines, expected);
    world.check_ledgers();
}

#[test]
fn a_shorter_queue_loses_what_does_not_fit_any_more() {
    let (mut world, client) = blocked(Overflow::DropOldest, 10);
    publish(&mut world, &["a", "a", "a", "a"]);
    let options = ClientOptions { queue_messages: 1, ..Default::default() };
    world.router.set_options(world.now, client, options);
    world.check_ledgers();
    let expected = ["1 fill#1 0", "1 a lost 3: 1-3 age 0", "1 a#4 m3"];
    assert_eq!(world.receive(client), expected);
}

#[test]
fn a_client_that_does_not_read_answers_is_disconnected() {
    let mut world = World::with(Limits { output_bytes: 1_000, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    let mut answers = 0;
    while world.router.control(client, |_, out| out.extend_from_slice(&[b'p'; 100])) {
        answers += 1;
    }
    assert_eq!(answers, 41);
    assert!(matches!(&world.dirty()[..], [Dirty::Close(id, _)] if *id == client));
    // One that reads may ask for ever.
    let reader = world.connect(ClientOptions::default());
    for _ in 0..200 {
        assert!(world.router.control(reader, |_, out| out.extend_from_slice(&[b'p'; 100])));
        world.router.sent(world.now, reader, 90);
    }
}

#[test]
fn what_an_ended_subscription_left_takes_no_room() {
    for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::Disconnect] {
        let mut world = World::with(Limits { output_bytes: 1, ..Limits::default() });
        let options = ClientOptions { overflow, queue_bytes: 1_000, ..Default::default() };
        let client = world.connect(options);
        world.subscribe(client, 1, "a");
        world.subscribe(client, 2, "b");
        // One is in the output, and one before all others in the queue.
        publish(&mut world, &["a", "a", "b", "b", "b"]);
        world.publish("b", &"x".repeat(700));
        assert_eq!(world.router.unsubscribe(world.now, client, 2), Ok(()));
        world.publish("a", &"y".repeat(700));
        world.check_ledgers();
        let lines = world.receive(client);
        let sequences: Vec<_> = lines.iter().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(sequences, ["a#1", "a#2", "a#3"], "{overflow:?}: {lines:?}");
        world.check_ledgers();
    }
}
