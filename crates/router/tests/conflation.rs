//! Conflation by virtual time: when an update is delivered, what it replaced, how old it is.

mod world;

use std::num::NonZeroU32;

use trunkline_router::{ClientId, ClientOptions, Limits, SubscriptionOptions};
use world::{MILLISECOND, SECOND, World};

fn at_most(updates: u32) -> SubscriptionOptions {
    SubscriptionOptions {
        updates_per_second: NonZeroU32::new(updates),
        ..SubscriptionOptions::default()
    }
}

const NEWEST: SubscriptionOptions = SubscriptionOptions {
    updates_per_second: None,
    conflate: true,
    last_values: false,
    rendition: None,
    filter: None,
};

/// What a client receives until a time, each line with the milliseconds at which it could be sent.
fn received(world: &mut World, client: ClientId, until: u64) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let time = world.router.next_deadline().map_or(until, |time| time.min(until));
        world.advance(time);
        let now = world.now / MILLISECOND;
        lines.extend(world.receive(client).iter().map(|line| format!("{now}: {line}")));
        if time == until {
            return lines;
        }
    }
}

#[test]
fn the_newest_goes_when_the_interval_is_over() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, "fx", at_most(10));
    let mut lines = Vec::new();
    for update in 0..=30 {
        lines.extend(received(&mut world, client, update * 10 * MILLISECOND));
        world.publish("fx", &format!("u{update}"));
        world.check_ledgers();
    }
    lines.extend(received(&mut world, client, 2 * SECOND));
    assert_eq!(
        lines,
        [
            "10: 1 fx#1 replaced 0 age 0 u0",
            "100: 1 fx#10 replaced 8 age 10000000 u9",
            "200: 1 fx#20 replaced 9 age 10000000 u19",
            "300: 1 fx#30 replaced 9 age 10000000 u29",
            "400: 1 fx#31 replaced 0 age 100000000 u30",
        ]
    );
    let ledger = world.router.view().totals().ledger;
    assert_eq!((ledger.published, ledger.delivered, ledger.elided), (31, 5, 26));
    // Nothing came for longer than the interval: the next goes at once.
    world.publish("fx", "late");
    assert_eq!(world.receive(client), ["1 fx#32 replaced 0 age 0 late"]);
    world.check_ledgers();
}

#[test]
fn a_timer_that_comes_a_little_late_takes_nothing_from_the_cap() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, "fx", at_most(10));
    world.publish("fx", "0");
    for (update, late, next) in [(1, 5, 200), (2, 25, 300), (3, 0, 400), (4, 30, 530)] {
        world.receive(client);
        world.publish("fx", &update.to_string());
        world.now = (update * 100 + late) * MILLISECOND;
        world.router.advance(world.now);
        let lines = world.receive(client);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(world.router.next_deadline(), Some(next * MILLISECOND));
    }
}

#[test]
fn each_topic_has_its_own_interval() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, "*", at_most(100));
    world.publish("a", "1");
    world.advance(4 * MILLISECOND);
    for payload in ["1", "2"] {
        world.publish("b", payload);
    }
    world.publish("a", "2");
    let lines = received(&mut world, client, SECOND);
    let age = |milliseconds: u64| milliseconds * MILLISECOND;
    assert_eq!(
        lines,
        [
            "10: 1 a#1 replaced 0 age 0 1".to_owned(),
            "10: 1 b#1 replaced 0 age 0 1".to_owned(),
            format!("10: 1 a#2 replaced 0 age {} 2", age(6)),
            format!("14: 1 b#2 replaced 0 age {} 2", age(10)),
        ]
    );
}

/// Fills a client's output above the mark from which on updates wait.
fn block(world: &mut World, client: ClientId) {
    assert!(world.router.control(client, |_, out| out.extend_from_slice(&[b'x'; 20 << 10])));
}

/// Sends a client's output but for the last bytes, which are what was rendered since.
fn unblock(world: &mut World, client: ClientId) {
    let end = world.router.output(client).iter().rposition(|byte| *byte == b'x');
    world.router.sent(world.now, client, end.expect("it is blocked") + 1);
}

#[test]
fn a_client_that_is_blocked_gets_the_newest_of_each_topic_in_turn() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, "*", NEWEST);
    block(&mut world, client);
    world.publish("busy", "1");
    world.publish("calm", "only");
    for update in 2..=1_000 {
        world.publish("busy", &update.to_string());
    }
    world.publish("third", "t");
    world.check_ledgers();
    assert_eq!(world.router.view().totals().ledger.queued, 3);
    world.advance(5);
    unblock(&mut world, client);
    let expected = [
        "1 busy#1000 replaced 999 age 5 1000",
        "1 calm#1 replaced 0 age 5 only",
        "1 third#1 replaced 0 age 5 t",
    ];
    assert_eq!(world.receive(client), expected);
    world.publish("busy", "now");
    assert_eq!(world.receive(client), ["1 busy#1001 replaced 0 age 0 now"]);
    world.check_ledgers();
}

#[test]
fn updates_and_records_of_a_blocked_client_take_turns() {
    let mut world = World::with(Limits { output_bytes: 16 << 10, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, "u/*", NEWEST);
    world.subscribe(client, 2, "d");
    block(&mut world, client);
    for number in 0..3 {
        world.publish(&format!("u/{number}"), "u");
        world.publish("d", "d");
        world.publish("d", "d");
    }
    unblock(&mut world, client);
    let order: String =
        world.receive(client).iter().map(|line| line.as_bytes()[0] as char).collect();
    assert_eq!(order, "212121222");
    world.check_ledgers();
}

#[test]
fn what_waits_goes_with_its_subscription() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.subscribe_with(client, 1, "a", at_most(1));
    world.subscribe_with(client, 2, "a", NEWEST);
    world.subscribe(client, 3, "a");
    block(&mut world, client);
    world.publish("a", "1");
    world.publish("a", "2");
    world.check_ledgers();
    for subscription in [1, 2] {
        world.router.unsubscribe(world.now, client, subscription).expect("it is there");
        world.check_ledgers();
    }
    unblock(&mut world, client);
    world.advance(5 * SECOND);
    assert_eq!(world.receive(client), ["3 a#1 1", "3 a#2 2"]);
    let ledger = world.router.view().client(client).expect("it is there").ledger;
    assert_eq!((ledger.delivered, ledger.elided, ledger.discarded), (2, 2, 2));
}

#[test]
fn updates_are_bounded_by_the_bytes_of_the_queue() {
    let mut world = World::new();
    let options = ClientOptions { queue_bytes: 300, ..ClientOptions::default() };
    let client = world.connect(options);
    world.subscribe_with(client, 1, "*", NEWEST);
    block(&mut world, client);
    let long = "x".repeat(60);
    for topic in ["a", "b", "c", "d"] {
        world.publish(topic, &long);
    }
    world.publish("b", &"y".repeat(160));
    world.publish("c", &"z".repeat(400));
    world.check_ledgers();
    assert!(world.router.view().totals().queued_bytes <= 300);
    world.advance(7);
    world.router.sent(world.now, client, usize::MAX);
    let expected = [
        "1 a lost 1: 1-1 age 7".to_owned(),
        format!("1 b#2 replaced 1 age 7 {}", "y".repeat(160)),
        "1 c lost 2: 1-2 age 7".to_owned(),
        format!("1 d#1 replaced 0 age 7 {long}"),
    ];
    let lines = world.receive(client);
    assert_eq!(lines, expected);
    world.check_ledgers();
}

#[test]
fn what_waited_is_counted_by_its_time_and_what_went_at_once_is_not() {
    let limits = Limits { output_bytes: 64, ..Limits::default() };
    let mut world = World::with(limits);
    let client = world.connect(ClientOptions::default());
    world.subscribe(client, 1, "plain");
    world.subscribe_with(client, 2, "fx", at_most(10));
    world.publish("plain", "it goes at once, and there is no more room for others behind it");
    world.publish("fx", "u0");
    let counts = |world: &World| world.router.view().waits().counts().collect::<Vec<_>>();
    assert_eq!(counts(&world), []);
    world.advance(MILLISECOND);
    for _ in 0..3 {
        world.publish("plain", "waits for room");
    }
    // It takes the place of the one before.
    world.publish("fx", "u1");
    assert_eq!(counts(&world), []);
    world.advance(2 * MILLISECOND);
    world.receive(client);
    // A millisecond each, of the update as of the messages.
    let [(at_most, 4)] = counts(&world)[..] else { panic!("{:?}", counts(&world)) };
    assert!((MILLISECOND..=MILLISECOND * 5 / 4).contains(&at_most), "{at_most}");
    assert_eq!(world.router.view().waits().sum(), 4 * MILLISECOND);
    // What is lost has not waited for delivery.
    world.publish("fx", "u2");
    world.router.disconnect(world.now, client);
    world.advance(SECOND);
    assert_eq!(world.router.view().waits().sum(), 4 * MILLISECOND);
}
