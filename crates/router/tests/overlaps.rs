//! Subscriptions of one client by patterns that differ and match the same topic.

mod world;

use trunkline_router::{ClientId, ClientOptions, LateRejection, Limits, Rejection};
use world::World;

const LIMIT: usize = 256;
const TOPIC: &str = "a/b/c/d/e/f/g/h/i/j/k/l";

/// Different patterns that match the topic, up to 4,095.
fn patterns(count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(|choice| {
        let level = |(at, level)| if choice >> at & 1 == 1 { "*" } else { level };
        TOPIC.split('/').enumerate().map(level).collect::<Vec<_>>().join("/")
    })
}

fn subscribed(world: &mut World, count: usize) -> ClientId {
    let client = world.connect(ClientOptions::default());
    for (number, pattern) in patterns(count).enumerate() {
        // The client's own numbers fall.
        world.subscribe(client, (count - number) as u32, &pattern);
    }
    client
}

/// Rejects, turn by turn, until nothing is left to do; how many in each.
fn reject(world: &mut World, rejected: &mut Vec<LateRejection>) -> Vec<usize> {
    let mut turns = Vec::new();
    while world.router.next_deadline().is_some_and(|at| at <= world.now + 1) {
        world.now += 1;
        world.router.advance(world.now);
        let before = rejected.len();
        rejected.extend(std::iter::from_fn(|| world.router.next_late_rejection()));
        turns.push(rejected.len() - before);
    }
    turns
}

#[test]
fn the_oldest_get_the_message_and_newer_ones_are_rejected_bit_by_bit() {
    let mut world = World::new();
    let count = 4_000;
    let client = subscribed(&mut world, count);
    let other = world.connect(ClientOptions::default());
    world.subscribe(other, 1, ">");
    assert_eq!(world.publish(TOPIC, "1"), LIMIT + 1);
    let mut rejected = Vec::new();
    let turns = reject(&mut world, &mut rejected);
    assert!(turns.iter().all(|count| *count <= 1_000), "{turns:?}");
    assert_eq!(rejected.len(), count - LIMIT);
    let numbers: Vec<u32> = rejected.iter().map(|it| it.subscription).collect();
    assert_eq!(numbers, (1..=(count - LIMIT) as u32).rev().collect::<Vec<_>>());
    let rejection = Rejection::TooManyOverlapsOnTopic { limit: LIMIT, topic: TOPIC.into() };
    assert!(rejected.iter().all(|it| it.client == client && it.rejection == rejection));
    assert_eq!(world.publish(TOPIC, "2"), LIMIT + 1);
    assert_eq!(world.receive(client).len(), 2 * LIMIT);
    assert_eq!(world.receive(other).len(), 2);
    assert_eq!(world.router.view().totals().subscriptions, LIMIT + 1);
    // The number is free.
    world.subscribe(client, 1, "elsewhere");
    assert_eq!(world.publish("elsewhere", "3"), 2);
    world.check_ledgers();
}

/// A client whose subscription 3 is rejected, and not ended yet.
fn rejected_world(patterns: [&str; 3]) -> (World, ClientId) {
    let mut world = World::with(Limits { overlaps_per_client: 2, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    (1..).zip(patterns).for_each(|(number, pattern)| world.subscribe(client, number, pattern));
    assert_eq!(world.publish("a/1", "1"), 2);
    (world, client)
}

#[test]
fn one_that_is_being_rejected_counts_no_more() {
    let (mut world, client) = rejected_world(["a/*", "a/>", ">"]);
    world.subscribe(client, 4, "b/*");
    world.subscribe(client, 5, "*/2");
    assert_eq!(world.publish("b/2", "2"), 2);
    let came = world.receive(client);
    assert_eq!(came, ["1 a/1#1 1", "2 a/1#1 1", "4 b/2#1 2", "5 b/2#1 2"]);
    let mut rejected = Vec::new();
    reject(&mut world, &mut rejected);
    let numbers: Vec<u32> = rejected.iter().map(|it| it.subscription).collect();
    assert_eq!(numbers, [3]);
    world.check_ledgers();

    // Nor does it where its own pattern is asked for again.
    let (mut world, client) = rejected_world(["a/*", "a/>", "a/*"]);
    world.router.unsubscribe(world.now, client, 2).expect("it is there");
    world.subscribe(client, 4, "a/*");
    assert_eq!(world.publish("a/1", "2"), 2);
}

#[test]
fn one_that_is_being_rejected_gets_no_matches_while_it_gives_its_own_back() {
    let mut world = World::with(Limits { overlaps_per_client: 2, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    (1..).zip(["a/*", "a/>", ">"]).for_each(|(number, it)| world.subscribe(client, number, it));
    for topic in 0..3_000 {
        assert_eq!(world.publish(&format!("old/{topic}"), "x"), 1);
    }
    assert_eq!(world.publish("a/1", "x"), 2);
    let mut told = None;
    for turn in 0..10 {
        for topic in 0..1_000 {
            assert_eq!(world.publish(&format!("new/{turn}/{topic}"), "x"), 0);
        }
        world.now += 1;
        world.router.advance(world.now);
        told = told.or(world.router.next_late_rejection());
    }
    assert_eq!(told.map(|it| it.subscription), Some(3));
    world.check_ledgers();
}

#[test]
fn who_leaves_or_unsubscribes_meanwhile_is_not_rejected() {
    let mut world = World::new();
    let client = subscribed(&mut world, LIMIT + 2);
    let leaver = subscribed(&mut world, LIMIT + 300);
    assert_eq!(world.publish(TOPIC, "1"), 2 * LIMIT);
    // Its number inside the router goes to somebody else's.
    world.router.unsubscribe(world.now, client, 1).expect("it is there");
    world.router.disconnect(world.now, leaver);
    let other = world.connect(ClientOptions::default());
    (0..400).for_each(|number| world.subscribe(other, number, &format!("other/{number}")));
    let mut rejected = Vec::new();
    reject(&mut world, &mut rejected);
    let told: Vec<_> = rejected.iter().map(|it| (it.client, it.subscription)).collect();
    assert_eq!(told, [(client, 2)]);
    assert_eq!(world.publish("other/399", "2"), 1);
    assert_eq!(world.router.view().totals().subscriptions, LIMIT + 400);
    world.check_ledgers();
}

#[test]
fn a_limit_that_is_lowered_leaves_what_is_there() {
    let mut world = World::new();
    let client = subscribed(&mut world, 8);
    assert_eq!(world.publish(TOPIC, "1"), 8);
    world.router.set_limits(Limits { overlaps_per_client: 4, ..Limits::default() });
    world.subscribe(client, 100, "a/>");
    assert_eq!(world.publish(TOPIC, "2"), 8);
    // Of another topic nothing was there.
    let sibling = TOPIC.replace('b', "B");
    assert_eq!(world.publish(&sibling, "1"), 4);
    let mut rejected = Vec::new();
    reject(&mut world, &mut rejected);
    let numbers: Vec<u32> = rejected.iter().map(|it| it.subscription).collect();
    assert_eq!(numbers, [100]);
    world.check_ledgers();
}
