//! Renditions: made once for all clients of a format, after conflation, and gone with their messages.

mod world;

use trunkline_router::{ClientId, ClientOptions, Limits, SubscriptionOptions};
use world::{MILLISECOND, World};

/// Clients that want renditions of a format, and subscribe to everything.
fn readers(world: &mut World, count: usize, format: u16) -> Vec<ClientId> {
    readers_with(world, count, format, SubscriptionOptions::default())
}

fn readers_with(
    world: &mut World,
    count: usize,
    format: u16,
    options: SubscriptionOptions,
) -> Vec<ClientId> {
    (0..count)
        .map(|_| {
            let client = world.connect_wanting(Some(format), ClientOptions::default());
            world.subscribe_with(client, 1, ">", options);
            client
        })
        .collect()
}

/// How many renditions were made and shared, by format.
fn counts(world: &World) -> Vec<(u16, u64, u64)> {
    let counts = world.router.view().renditions();
    counts.map(|it| (it.format.0.get(), it.made, it.shared)).collect()
}

#[test]
fn one_is_made_for_all_clients_of_a_format() {
    let mut world = World::new();
    let first = readers(&mut world, 100, 1);
    let second = readers(&mut world, 10, 2);
    let plain = world.connect(ClientOptions::default());
    world.subscribe(plain, 1, ">");
    for number in 0..50 {
        world.publish("a", &format!("message {number}"));
    }
    assert_eq!(counts(&world), [(1, 50, 50 * 99), (2, 50, 50 * 9)]);
    let expected = world.receive(plain);
    assert_eq!(expected.len(), 50);
    for client in first.into_iter().chain(second) {
        assert_eq!(world.receive(client), expected);
    }
}

#[test]
fn clients_that_read_sooner_or_later_share_it() {
    let mut world = World::with(Limits { output_bytes: 1, ..Limits::default() });
    let all = readers(&mut world, 20, 1);
    let mut expected = Vec::new();
    for round in 0..30 {
        // Another part of the clients takes each message at once; the others wait for it.
        for client in all.iter().skip(round % 7).step_by(3) {
            world.receive(*client);
        }
        world.publish("a", &format!("message {round}"));
        expected.push(format!("1 a#{} message {round}", round + 1));
    }
    for client in &all {
        let lines = world.receive(*client);
        assert!(expected.ends_with(&lines) && !lines.is_empty());
    }
    assert_eq!(counts(&world), [(1, 30, 30 * 19)]);
    world.check_ledgers();
}

#[test]
fn what_is_replaced_is_not_rendered() {
    let mut world = World::with(Limits { output_bytes: 1, ..Limits::default() });
    let options = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
    let all = readers_with(&mut world, 20, 1, options);
    world.publish("fills", "every output");
    for number in 0..1_000 {
        world.publish("a", &format!("update {number}"));
    }
    for client in all {
        let lines = world.receive(client);
        assert_eq!(lines.last().expect("an update"), "1 a#1000 replaced 999 age 0 update 999");
    }
    assert_eq!(counts(&world), [(1, 2, 2 * 19)]);
    world.check_ledgers();
}

#[test]
fn a_topic_that_takes_the_number_of_another_has_its_own() {
    let mut world = World::with(Limits { topics: 1, ..Limits::default() });
    let client = readers(&mut world, 1, 1)[0];
    world.publish("a", "one");
    world.publish("b", "two");
    assert_eq!(world.receive(client), ["1 a#1 one", "1 b#1 two"]);
}

#[test]
fn they_go_with_their_messages_and_before_anything_that_waits() {
    let limit = 16 << 20;
    let limits = Limits { output_bytes: 1, memory_bytes: limit, ..Limits::default() };
    let mut world = World::with(limits);
    world.router.keep_last_values(["kept"]);
    world.publish("kept", "a last value");
    let mut all = readers(&mut world, 3, 1);
    let reads = all.pop().expect("one of them");
    let payload = "x".repeat(1_000);
    for _ in 0..4_000 {
        // The first two wait for each message, and the last one has its rendition made.
        world.publish("a", &payload);
        world.receive(reads);
    }
    let memory = |world: &World| world.router.view().memory().waiting;
    let with_renditions = memory(&world);
    assert!(with_renditions > 8_000_000, "they are counted: {with_renditions}");
    world.router.set_memory_of_others(8 << 20);
    for _ in 0..20 {
        world.advance(world.now + MILLISECOND);
    }
    let without = memory(&world);
    assert!(without < 6_200_000, "they have made room: {without}");
    let view = world.router.view();
    assert_eq!((view.memory().lost, view.totals().ledger.discarded), (0, 0));
    assert_eq!(world.router.last_value_totals().values, 1);
    // They are made again, for both at once.
    world.router.set_memory_of_others(0);
    let before = counts(&world)[0].1;
    let lines = all.iter().map(|client| world.receive(*client)).collect::<Vec<_>>();
    assert!(lines[0].len() == 4_000 && lines[0] == lines[1]);
    assert!(counts(&world)[0].1 - before <= 4_000);
    let bytes = memory(&world);
    assert!(bytes < 5 << 20, "some blocks are kept: {bytes}");
    world.check_ledgers();
}

#[test]
fn the_ceiling_holds_with_them() {
    let limit = 16 << 20;
    let limits = Limits { output_bytes: 1, memory_bytes: limit, ..Limits::default() };
    let mut world = World::with(limits);
    let mut greedy = readers(&mut world, 10, 1);
    greedy.extend(readers(&mut world, 10, 2));
    let conflated = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
    greedy.extend(readers_with(&mut world, 10, 1, conflated));
    let reads = [readers(&mut world, 1, 1), readers(&mut world, 1, 2)].concat();
    let (payload, mut delivered) = ("x".repeat(1_000), 0);
    for round in 0..20_000 {
        world.publish(&format!("topic/{}", round % 500), &payload);
        for client in &reads {
            delivered += world.receive(*client).len();
        }
        if round % 50 == 0 {
            world.advance(world.now + MILLISECOND);
        }
        let memory = world.router.view().memory();
        assert!(memory.all() <= limit + (128 << 10), "{memory:?}");
    }
    assert_eq!(delivered, 2 * 20_000, "who reads loses nothing");
    let totals = world.router.view().totals();
    assert!(totals.memory.lost > 0 && totals.memory.waiting > limit / 2);
    for client in greedy {
        world.receive(client);
    }
    world.check_ledgers();
}
