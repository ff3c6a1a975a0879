//! Caps on what a client is sent in a second.

mod world;

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};

use trunkline_router::{ClientId, ClientOptions, SubscriptionOptions};
use world::{MILLISECOND, SECOND, World};

/// Receives until a time: how many messages of each topic, and when each came.
fn received(
    world: &mut World,
    client: ClientId,
    until: u64,
    counts: &mut BTreeMap<String, usize>,
) -> Vec<u64> {
    let mut times = Vec::new();
    loop {
        for line in world.receive(client).iter().filter(|line| line.contains('#')) {
            let topic = line.split([' ', '#']).nth(1).expect("a topic");
            *counts.entry(topic.to_owned()).or_default() += 1;
            times.push(world.now);
        }
        if world.now == until {
            return times;
        }
        let time = world.router.next_deadline().map_or(until, |time| time.min(until));
        world.advance(time);
    }
}

#[test]
fn messages_are_spread_over_the_second() {
    let mut world = World::new();
    let messages_per_second = NonZeroU32::new(20);
    let client = world.connect(ClientOptions { messages_per_second, ..Default::default() });
    world.subscribe(client, 1, "a");
    for _ in 0..100 {
        world.publish("a", "x");
    }
    world.check_ledgers();
    let times = received(&mut world, client, 10 * SECOND, &mut BTreeMap::new());
    let expected: Vec<u64> = (0..100).map(|number| number * 50 * MILLISECOND).collect();
    assert_eq!(times, expected);
    world.check_ledgers();
}

#[test]
fn a_cap_is_fair_over_topics_that_conflate() {
    let mut world = World::new();
    let messages_per_second = NonZeroU32::new(100);
    let client = world.connect(ClientOptions { messages_per_second, ..Default::default() });
    let newest = SubscriptionOptions { conflate: true, ..Default::default() };
    world.subscribe_with(client, 1, "*", newest);
    let mut counts = BTreeMap::new();
    for step in 0..10_000 {
        received(&mut world, client, step * MILLISECOND, &mut counts);
        // Three topics that are published 9,000, 1,000 and 200 times a second.
        for topic in ["busy", "busy", "busy", "busy", "busy", "busy", "busy", "busy", "busy"] {
            world.publish(topic, "x");
        }
        world.publish("usual", "x");
        if step % 5 == 0 {
            world.publish("calm", "x");
        }
    }
    world.check_ledgers();
    let all: usize = counts.values().sum();
    assert!((999..=1_001).contains(&all), "{counts:?}");
    for topic in ["busy", "usual", "calm"] {
        assert!((330..=337).contains(&counts[topic]), "{counts:?}");
    }
}

#[test]
fn records_and_updates_share_a_cap() {
    let mut world = World::new();
    let messages_per_second = NonZeroU32::new(100);
    let queue_messages = 50;
    let options = ClientOptions { messages_per_second, queue_messages, ..Default::default() };
    let client = world.connect(options);
    let newest = SubscriptionOptions { conflate: true, ..Default::default() };
    world.subscribe_with(client, 1, "update", newest);
    world.subscribe(client, 2, "record");
    let mut counts = BTreeMap::new();
    for step in 0..2_000 {
        received(&mut world, client, step * MILLISECOND, &mut counts);
        world.publish("update", "x");
        world.publish("record", "x");
    }
    assert!((99..=101).contains(&counts["update"]), "{counts:?}");
    assert!((99..=101).contains(&counts["record"]), "{counts:?}");
    world.check_ledgers();
}

#[test]
fn bytes_have_a_cap_too() {
    let mut world = World::new();
    let bytes_per_second = NonZeroU64::new(10_000);
    let client = world.connect(ClientOptions { bytes_per_second, ..Default::default() });
    world.subscribe(client, 1, "a");
    for _ in 0..1_000 {
        world.publish("a", &"x".repeat(92));
    }
    let (mut bytes, mut until) = (0, 0);
    while until < 5 * SECOND {
        until = world.router.next_deadline().expect("more is queued").min(5 * SECOND);
        world.advance(until);
        bytes += world.router.output(client).len();
        world.router.sent(until, client, usize::MAX);
    }
    assert!((50_000..=50_300).contains(&bytes), "{bytes}");
    world.check_ledgers();
}

#[test]
fn a_cap_can_be_lifted() {
    let mut world = World::new();
    let messages_per_second = NonZeroU32::new(1);
    let client = world.connect(ClientOptions { messages_per_second, ..Default::default() });
    world.subscribe(client, 1, "a");
    for _ in 0..10 {
        world.publish("a", "x");
    }
    assert_eq!(world.receive(client).len(), 1);
    world.router.set_options(world.now, client, ClientOptions::default());
    assert_eq!(world.receive(client).len(), 9);
    world.check_ledgers();
}
