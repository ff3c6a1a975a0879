//! Topics that nobody uses make room for others.

mod world;

use std::num::NonZeroU32;

use trunkline_router::{
    ClientOptions, Envelope, Limits, Mode, Rejection, SubscriptionOptions, TopicId,
};
use world::{SECOND, World};

#[test]
fn a_topic_that_is_not_held_makes_room() {
    let mut world = World::with(Limits { topics: 2, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    world.subscribe(client, 1, ">");
    let held = world.topic("held");
    world.publish("loose", "1");
    assert_eq!(world.publish("next", "1"), 1);
    assert_eq!(world.router.intern(0, "held"), Ok(held));
    assert_eq!(world.router.view().totals().matches, 1, "the match went with the topic");
    let lines = world.receive(client);
    assert_eq!(lines, ["1 loose#1 1", "1 next#1 1"]);
    // Nothing is left to forget.
    let next = world.topic("next");
    assert_eq!(world.router.intern(0, "more"), Err(Rejection::TooManyTopics(2)));
    world.router.release(0, next);
    assert_eq!(world.router.intern(0, "more"), Ok(next), "the number of the one that went");
    world.router.release(0, TopicId(99));
    world.check_ledgers();
}

#[test]
fn a_topic_for_which_something_waits_stays() {
    let mut world = World::with(Limits { topics: 1, output_bytes: 1, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    let options =
        SubscriptionOptions { updates_per_second: NonZeroU32::new(1), ..Default::default() };
    world.subscribe(client, 1, ">");
    world.subscribe_with(client, 2, ">", options);
    world.publish("a", "1");
    world.publish("a", "2");
    assert_eq!(world.router.intern(0, "b"), Err(Rejection::TooManyTopics(1)));
    world.advance(SECOND);
    assert_eq!(world.receive(client).len(), 3, "one was elided");
    assert_eq!(world.router.intern(0, "b"), Err(Rejection::TooManyTopics(1)), "it cools");
    world.advance(3 * SECOND);
    assert!(world.router.intern(0, "b").is_ok());
    world.check_ledgers();
}

#[test]
fn many_topics_pass_through_few_places() {
    let mut world = World::with(Limits { topics: 10, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    world.subscribe(client, 1, "*/x");
    for number in 0..3_000 {
        assert_eq!(world.publish(&format!("{number}/x"), "p"), 1);
        assert_eq!(world.publish("0/x", "p"), 1);
    }
    assert_eq!(world.receive(client).len(), 6_000);
    let view = world.router.view();
    assert_eq!((view.totals().topics, view.topic_places()), (10, 1_024));
    assert!(view.topics(0..10).all(|topic| topic.matches == 1));
    world.check_ledgers();
}

#[test]
fn topics_that_nobody_holds_give_their_matches_to_new_ones() {
    let mut world = World::with(Limits { matches: 10, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    for number in 0..3 {
        world.subscribe(client, number, ">");
    }
    world.topic("held");
    for number in 0..100 {
        assert_eq!(world.publish(&number.to_string(), "p"), 3);
        assert_eq!(world.publish("held", "p"), 3);
    }
    assert_eq!(world.receive(client).len(), 600);
    world.check_ledgers();
    // Topics that are held keep theirs.
    for name in ["a", "b"] {
        world.topic(name);
        assert_eq!(world.publish(name, "p"), 3);
    }
    let more = world.topic("more");
    let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload: b"p" };
    let rejected = world.router.publish(world.now, more, &envelope);
    assert_eq!(rejected, Err(Rejection::TooManyMatches(10)));
    world.check_ledgers();
}
