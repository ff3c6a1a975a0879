//! What becomes of messages that are not acknowledged: redelivered in time, and dead letters in the end.

mod world;

use trunkline_journal::Options;
use trunkline_store::{
    Consume, DEAD_LETTER_FORMAT, DeadLetters, DeliveryPolicy, DeliveryRule, Rejected, Settings,
    Start, kind,
};
use world::{Seen, World, durable, records, settings};

const NAME: &str = "gateway";
const SECOND: u64 = 1_000_000_000;

/// The policy of `gateway`: a second to acknowledge, and so many deliveries.
fn with(deliveries: u32) -> Settings {
    rules(&[(NAME, SECOND, deliveries, "dead/gateway")])
}

fn rules(rules: &[(&str, u64, u32, &str)]) -> Settings {
    let rule = |(name, within, deliveries, topic): &(&str, u64, u32, &str)| DeliveryRule {
        name: (*name).to_owned(),
        policy: DeliveryPolicy {
            acknowledge_within: *within,
            dead_letters: (*deliveries > 0)
                .then(|| DeadLetters { deliveries: *deliveries, topic: (*topic).into() }),
        },
    };
    Settings { delivery_rules: rules.iter().map(rule).collect(), ..settings() }
}

fn consume(world: &mut World, client: u64, name: &str, pattern: &str, window: u32) {
    let at = world.at();
    let asked = Consume { window, pattern, ..durable(name) };
    world.store.consume(at, client, &asked, &mut world.told).expect("it is taken");
    for _ in 0..4 {
        world.wait(100_000);
    }
}

/// What came since the last look: for whom, what, and how often before.
fn seen(world: &mut World) -> Vec<(u64, String, u32)> {
    let seen = std::mem::take(&mut world.told.seen);
    seen.into_iter().map(|it| (it.client, it.payload, it.deliveries)).collect()
}

fn one(world: &mut World) -> Seen {
    let mut seen = std::mem::take(&mut world.told.seen);
    assert_eq!(seen.len(), 1, "{seen:?}");
    seen.remove(0)
}

/// Lets time pass in small steps.
fn pass(world: &mut World, nanoseconds: u64) {
    for _ in 0..20 {
        world.wait(nanoseconds / 20);
    }
}

#[test]
fn another_consumer_gets_what_is_not_acknowledged_in_time() {
    let mut world = World::new(with(0));
    consume(&mut world, 2, NAME, "orders/>", 10);
    world.publish("orders/1", "a");
    world.sync();
    consume(&mut world, 3, NAME, "orders/>", 10);
    let first = one(&mut world);
    assert_eq!((first.client, first.deliveries), (2, 0));
    world.wait(SECOND / 2);
    assert!(world.told.seen.is_empty(), "there is time");
    pass(&mut world, SECOND);
    let second = one(&mut world);
    assert_eq!((second.client, second.deliveries, second.is_repeated), (3, 1, true));
    // It is acknowledged late, which is as good.
    world.acknowledge(2, first.position);
    world.acknowledge(3, first.position);
    world.acknowledge(2, first.position);
    pass(&mut world, 3 * SECOND);
    assert!(world.told.seen.is_empty());
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.acknowledged, account.timed_out, account.redelivered), (1, 1, 1));
    assert_eq!((account.in_flight, account.waiting), (0, 0));
}

#[test]
fn what_is_acknowledged_in_time_is_delivered_once() {
    let mut world = World::new(with(0));
    consume(&mut world, 2, NAME, "orders/>", 10);
    for number in 0..50 {
        world.publish("orders/1", &number.to_string());
        world.sync();
        let position = one(&mut world).position;
        world.wait(SECOND * 3 / 4);
        world.acknowledge(2, position);
    }
    assert_eq!(world.store.account(NAME).map(|it| (it.timed_out, it.deliveries)), Some((0, 50)));
}

#[test]
fn a_consumer_that_is_late_gets_one_at_a_time_until_it_acknowledges() {
    let mut world = World::new(with(0));
    consume(&mut world, 2, NAME, "orders/>", 5);
    for number in 0..5 {
        world.publish("orders/1", &number.to_string());
    }
    world.sync();
    assert_eq!(seen(&mut world).len(), 5);
    pass(&mut world, SECOND + SECOND / 4);
    assert_eq!(seen(&mut world), [(2, "0".to_owned(), 1)], "one alone");
    let position = world.store.durables().next().expect("one").floor;
    world.acknowledge(2, position);
    assert_eq!(seen(&mut world).len(), 4, "it is there again");
}

#[test]
fn thousands_that_are_never_acknowledged_are_taken_back_a_slice_at_a_time() {
    let mut world = World::new(with(0));
    consume(&mut world, 2, NAME, "cut/>", 10_000);
    for number in 0..5_000 {
        world.publish_in_time("cut/1", &number.to_string());
    }
    world.sync();
    assert_eq!(seen(&mut world).len(), 5_000);
    world.now += 3 * SECOND;
    let at = world.at();
    world.store.advance(at, &mut world.told);
    let timed_out = |world: &World| world.store.account(NAME).expect("it is there").timed_out;
    assert!((1..=2_048).contains(&timed_out(&world)), "{}", timed_out(&world));
    assert_eq!(world.store.next_deadline(), Some(0), "there is more");
    for _ in 0..6 {
        let at = world.at();
        world.store.advance(at, &mut world.told);
    }
    assert_eq!(timed_out(&world), 5_000);
}

/// The head and the payload of a dead letter.
fn letter(payload: &str) -> (Vec<(&str, &str)>, &str) {
    let (head, payload) = payload.split_once("\n\n").expect("an empty line");
    (head.lines().map(|line| line.split_once(": ").expect("a colon")).collect(), payload)
}

fn value<'a>(head: &[(&'a str, &'a str)], key: &str) -> &'a str {
    head.iter().find(|(name, _)| *name == key).map_or("", |(_, value)| value)
}

#[test]
fn after_so_many_deliveries_a_message_is_a_dead_letter() {
    let mut world = World::new(with(3));
    consume(&mut world, 2, NAME, "orders/>", 10);
    consume(&mut world, 9, "morgue", "dead/>", 10);
    world.publish("orders/1", "poison");
    world.sync();
    let position = world.told.seen[0].position;
    pass(&mut world, 4 * SECOND);
    let told = seen(&mut world);
    let counts: Vec<(u64, u32)> = told.iter().map(|it| (it.0, it.2)).collect();
    assert_eq!(counts, [(2, 0), (2, 1), (2, 2), (9, 0)]);
    let (head, payload) = letter(&told[3].1);
    assert_eq!(payload, "poison");
    let position = position.to_string();
    for (key, expected) in [
        ("durable", NAME),
        ("topic", "orders/1"),
        ("position", &position),
        ("deliveries", "3"),
        ("reason", "timed out"),
        ("format", "1"),
        ("producer", "feed"),
        ("sequence", "1"),
    ] {
        assert_eq!(value(&head, key), expected, "{key}");
    }
    assert_eq!(DEAD_LETTER_FORMAT, 13);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.dead_lettered, account.in_flight, account.waiting), (1, 0, 0));
    assert_eq!(world.store.counts().dead_letters, 1);
    assert!(world.told.direct.iter().any(|it| it.ends_with("\n\npoison")), "for direct ones too");
    // Nothing of it returns, and it is there once.
    world.wait(30_000_000);
    world.cut_power();
    consume(&mut world, 2, NAME, "orders/>", 10);
    consume(&mut world, 9, "morgue", "dead/>", 10);
    pass(&mut world, SECOND / 2);
    let told = seen(&mut world);
    assert_eq!(told.iter().map(|it| it.0).collect::<Vec<_>>(), [9]);
    assert_eq!(world.store.account(NAME).map(|it| it.dead_lettered), Some(1));
}

#[test]
fn a_letter_and_its_message_are_never_both_gone() {
    for cut in 0..60 {
        let mut world = World::new(with(1));
        consume(&mut world, 2, NAME, "orders/>", 10);
        consume(&mut world, 9, "morgue", "dead/>", 10);
        world.publish("orders/1", "poison");
        world.sync();
        for _ in 0..cut {
            world.now += SECOND / 20;
            let at = world.at();
            world.store.advance(at, &mut world.told);
            if cut % 3 == 0 {
                world.sync();
            }
        }
        world.cut_power();
        consume(&mut world, 2, NAME, "orders/>", 10);
        consume(&mut world, 9, "morgue", "dead/>", 10);
        pass(&mut world, 3 * SECOND);
        let letters = world.told.seen.iter().filter(|it| it.client == 9).count();
        assert_eq!(letters, 1, "after {cut} steps");
        assert_eq!(records(&mut world.disk, kind::DEAD_LETTER).len(), 1, "after {cut} steps");
    }
}

#[test]
fn deliveries_count_over_restarts_and_consumers_that_die() {
    let mut world = World::new(rules(&[(NAME, 0, 4, "dead/gateway")]));
    consume(&mut world, 9, "morgue", "dead/>", 10);
    consume(&mut world, 2, NAME, "orders/>", 10);
    world.publish("orders/1", "poison");
    world.publish("orders/2", "other");
    world.sync();
    let other = world.told.seen[1].position;
    world.acknowledge(2, other);
    let mut counts = Vec::new();
    for round in 0..5 {
        counts.extend(seen(&mut world).into_iter().filter(|it| it.1 == "poison").map(|it| it.2));
        world.wait(30_000_000);
        if round % 2 == 0 {
            world.cut_power();
        } else {
            let at = world.at();
            world.store.disconnect(at, 2, &mut world.told);
            world.wait(30_000_000);
        }
        consume(&mut world, 2, NAME, "orders/>", 10);
        pass(&mut world, 100_000_000);
    }
    assert_eq!(counts, [0, 1, 2, 3], "all of them are counted");
    consume(&mut world, 9, "morgue", "dead/>", 10);
    pass(&mut world, SECOND);
    let told = seen(&mut world);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(value(&letter(&told[0].1).0, "deliveries"), "4");
}

#[test]
fn counts_are_in_checkpoints_too() {
    let journal =
        Options { segment_bytes: 16 << 10, memory_bytes: 4 << 10, keep: 0, ..Options::default() };
    let policy = rules(&[(NAME, 0, 90, "dead/gateway")]);
    let mut world = World::new(Settings { journal, piece_bytes: 300, ..policy });
    consume(&mut world, 2, NAME, "orders/>", 1_000);
    consume(&mut world, 3, "others", "other/>", 1_000);
    for number in 0..100 {
        world.publish_in_time("orders/1", &number.to_string());
    }
    world.sync();
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    for round in 0..3 {
        for position in positions.iter().skip(round).step_by(2) {
            let at = world.at();
            world.store.release(at, 2, 1, (*position, 0), &mut world.told).expect("it has it");
        }
        world.wait(30_000_000);
    }
    let expected = |number: usize| if number > 0 && number.is_multiple_of(2) { 3 } else { 2 };
    let first = world.store.journal().end().segment;
    for _ in 0..80 {
        world.publish_in_time("other/1", &"x".repeat(3_000));
        world.sync();
        for it in std::mem::take(&mut world.told.seen) {
            if it.client == 3 {
                world.acknowledge(3, it.position);
            }
        }
        world.wait(30_000_000);
    }
    assert!(world.store.journal().end().segment > first + 5);
    world.cut_power();
    consume(&mut world, 2, NAME, "orders/>", 1_000);
    pass(&mut world, SECOND);
    let told = seen(&mut world);
    assert_eq!(told.len(), 100);
    for (number, (_, payload, deliveries)) in told.iter().enumerate() {
        assert_eq!((payload, *deliveries), (&number.to_string(), expected(number)));
    }
}

#[test]
fn dead_letters_of_dead_letters_do_not_go_round() {
    let policy = rules(&[(NAME, SECOND, 2, "dead/1"), ("morgue", SECOND, 2, "orders/1")]);
    let mut world = World::new(policy);
    consume(&mut world, 2, NAME, "orders/>", 10);
    consume(&mut world, 9, "morgue", "dead/>", 10);
    world.publish("orders/1", "poison");
    world.sync();
    pass(&mut world, 10 * SECOND);
    let of_morgue = seen(&mut world).into_iter().filter(|it| it.0 == 9).count();
    assert!(of_morgue > 4, "it is delivered until it is acknowledged: {of_morgue}");
    assert_eq!(records(&mut world.disk, kind::DEAD_LETTER).len(), 1);
    let account = world.store.account("morgue").expect("it is there");
    assert_eq!((account.dead_lettered, account.in_flight + account.waiting), (0, 1));
}

#[test]
fn a_subscription_may_match_its_own_dead_letters() {
    let mut world = World::new(rules(&[(NAME, SECOND, 2, "orders/dead")]));
    consume(&mut world, 2, NAME, "orders/>", 10);
    world.publish("orders/1", "poison");
    world.sync();
    pass(&mut world, 4 * SECOND);
    let last = world.told.seen.pop().expect("the letter");
    assert!(last.payload.ends_with("\n\npoison"));
    world.acknowledge(2, last.position);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.dead_lettered, account.acknowledged, account.in_flight), (1, 1, 0));
}

#[test]
fn a_letter_without_a_subscription_is_kept_as_any_message() {
    let mut world = World::new(with(1));
    consume(&mut world, 2, NAME, "orders/>", 10);
    world.publish("orders/1", "poison");
    world.sync();
    pass(&mut world, 3 * SECOND);
    world.told.seen.clear();
    let at = world.at();
    let asked = Consume { pattern: "dead/>", start: Start::All, ..durable("") };
    world.store.consume(at, 7, &asked, &mut world.told).expect("a replay");
    pass(&mut world, SECOND / 10);
    assert!(one(&mut world).payload.ends_with("\n\npoison"));
}

/// Stores messages until there is no room.
fn fill(world: &mut World) {
    let payload = "x".repeat(4_000);
    for _ in 0..10_000 {
        match world.try_publish("orders/1", &payload, 0) {
            Ok(()) => world.sync(),
            Err(Rejected::Busy) => world.wait(1_000_000),
            Err(_) => return,
        }
    }
    panic!("there is room for everything");
}

#[test]
fn a_full_disk_holds_up_dead_letters_and_nothing_else() {
    let journal = Options { segment_bytes: 64 << 10, ..Options::default() };
    let mut world = World::new(Settings { journal, ..with(1) });
    consume(&mut world, 2, NAME, "orders/>", 1);
    consume(&mut world, 9, "morgue", "dead/>", 10);
    let room = world.disk.bytes() + (200 << 10);
    world.disk.set_room(Some(room));
    fill(&mut world);
    let first = world.told.seen[0].position;
    let dead_lettered = |world: &World| world.store.account(NAME).map(|it| it.dead_lettered);
    let mut acknowledged = 0;
    for _ in 0..300 {
        for it in std::mem::take(&mut world.told.seen) {
            if it.client == 2 && it.position != first {
                world.acknowledge(2, it.position);
                acknowledged += 1;
            }
        }
        world.wait(20_000_000);
    }
    assert!(acknowledged > 20, "others go on: {acknowledged}");
    assert_eq!(dead_lettered(&world), Some(0), "there is no room");
    let rejected = world.try_publish("orders/1", "more", 0);
    assert!(matches!(rejected, Err(Rejected::NotDurable(_))), "{rejected:?}");
    world.disk.set_room(None);
    pass(&mut world, 5 * SECOND);
    assert_eq!(dead_lettered(&world), Some(1), "in the end");
    assert_eq!(world.store.account("morgue").map(|it| it.deliveries), Some(1));
    world.publish_in_time("orders/1", "more");
}

#[test]
fn a_journal_at_its_limit_has_room_for_dead_letters() {
    let journal = Options { segment_bytes: 64 << 10, bytes: 4 * (64 << 10), ..Options::default() };
    let mut world = World::new(Settings { journal, ..with(1) });
    consume(&mut world, 2, NAME, "orders/>", 1);
    fill(&mut world);
    // Nothing is ever acknowledged.
    for _ in 0..2_000 {
        world.wait(SECOND / 10);
        assert!(world.store.journal().excess() <= 2 * (64 << 10));
    }
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.waiting, account.in_flight), (0, 0), "{account:?}");
    assert_eq!(world.store.counts().dead_letters, account.dead_lettered);
    world.publish_in_time("orders/1", "there is room");
    assert_eq!(world.store.journal().excess(), 0);
}

#[test]
fn what_a_journal_takes_for_dead_letters_beyond_its_limit_is_for_nothing_else() {
    let journal = Options { segment_bytes: 64 << 10, bytes: 4 * (64 << 10), ..Options::default() };
    let mut world = World::new(Settings { journal, ..with(1) });
    // It holds everything, since it has no time to acknowledge.
    consume(&mut world, 3, "slow", "orders/>", 1);
    consume(&mut world, 2, NAME, "orders/>", 1);
    fill(&mut world);
    for _ in 0..200 {
        world.wait(SECOND / 10);
        let more = world.try_publish("orders/1", &"x".repeat(4_000), 0);
        assert!(
            more.is_err(),
            "beyond the limit there are {} bytes",
            world.store.journal().excess()
        );
    }
    let dead_lettered = world.store.account(NAME).map_or(0, |it| it.dead_lettered);
    assert!(dead_lettered > 10, "those of all the time find room: {dead_lettered}");
    let mut waits = 2_000;
    while world.try_publish("orders/1", "there is room", 0).is_err() {
        for it in std::mem::take(&mut world.told.seen).into_iter().filter(|it| it.client == 3) {
            world.acknowledge(3, it.position);
        }
        world.wait(SECOND / 10);
        waits -= 1;
        assert_ne!(waits, 0, "{} bytes too many", world.store.journal().excess());
    }
    assert_eq!(world.store.journal().excess(), 0);
}

#[test]
fn a_late_acknowledgement_saves_what_waits_to_be_a_dead_letter() {
    let mut world = World::new(with(1));
    consume(&mut world, 2, NAME, "orders/>", 10);
    world.publish("orders/1", "slow");
    world.sync();
    let position = one(&mut world).position;
    // The subscription is paused, so that nothing becomes of it yet.
    let at = world.at();
    world.store.pause(at, NAME, true, &mut world.told).expect("it is there");
    pass(&mut world, 2 * SECOND);
    world.acknowledge(2, position);
    let at = world.at();
    world.store.pause(at, NAME, false, &mut world.told).expect("it is there");
    pass(&mut world, 2 * SECOND);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.acknowledged, account.dead_lettered), (1, 0));
}

#[test]
fn a_conflated_subscription_has_dead_letters_of_the_newest() {
    let mut world = World::new(with(2));
    let at = world.at();
    let asked = Consume { pattern: "fx/>", conflation: Some(0), ..durable(NAME) };
    world.store.consume(at, 2, &asked, &mut world.told).expect("it is taken");
    consume(&mut world, 9, "morgue", "dead/>", 10);
    world.publish("fx/1", "old");
    world.sync();
    world.publish("fx/1", "new");
    world.sync();
    pass(&mut world, 4 * SECOND);
    let told = seen(&mut world);
    let of = |client: u64| told.iter().filter(|it| it.0 == client).collect::<Vec<_>>();
    let payloads: Vec<&str> = of(2).iter().map(|it| &*it.1).collect();
    assert_eq!(payloads, ["old", "new", "new"], "what is superseded does not come again");
    assert_eq!(of(9).len(), 1);
    assert!(of(9)[0].1.ends_with("\n\nnew"));
}

#[test]
fn a_policy_is_changed_while_messages_are_in_flight() {
    let mut world = World::new(with(0));
    consume(&mut world, 2, NAME, "orders/>", 10);
    world.publish("orders/1", "a");
    world.sync();
    world.store.reconfigure(settings());
    pass(&mut world, 5 * SECOND);
    assert_eq!(seen(&mut world).len(), 1, "there is no bound any more");
    world.store.reconfigure(with(2));
    pass(&mut world, SECOND);
    assert_eq!(seen(&mut world), [(2, "a".to_owned(), 1)], "there is again");
    consume(&mut world, 9, "morgue", "dead/>", 10);
    pass(&mut world, 2 * SECOND);
    assert_eq!(seen(&mut world).len(), 1, "the letter");
}

#[test]
fn a_consumer_may_ask_for_less_than_its_policy_and_never_for_more() {
    let settings = rules(&[(NAME, SECOND, 5, "dead/gateway")]);
    let mut world = World::new(settings);
    let asks = |world: &mut World, client, acknowledge_within, deliveries| {
        let pattern = "orders/>";
        let asked = Consume { acknowledge_within, deliveries, pattern, ..durable(NAME) };
        let done = world.store.consume(world.at(), client, &asked, &mut world.told);
        assert_eq!(done, Ok(()));
        world.sync();
    };
    let policy = |world: &World| {
        let view = world.store.durables().find(|it| it.name == NAME).expect("it is there");
        let letters = view.policy.dead_letters.as_ref().expect("it has a limit");
        (view.policy.acknowledge_within, letters.deliveries)
    };
    asks(&mut world, 2, 10 * SECOND, 9);
    assert_eq!(policy(&world), (SECOND, 5), "no more than that");
    asks(&mut world, 3, SECOND / 4, 0);
    asks(&mut world, 4, SECOND / 2, 2);
    assert_eq!(policy(&world), (SECOND / 4, 2), "the lowest of all");
    world.store.disconnect(world.at(), 3, &mut world.told);
    assert_eq!(policy(&world), (SECOND / 2, 2));
    world.store.disconnect(world.at(), 2, &mut world.told);
    world.publish("orders/1", "poison");
    world.sync();
    assert_eq!(seen(&mut world), [(4, "poison".to_owned(), 0)]);
    pass(&mut world, SECOND);
    assert_eq!(seen(&mut world), [(4, "poison".to_owned(), 1)], "after half a second");
    pass(&mut world, SECOND);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.dead_lettered, account.deliveries), (1, 2));
    world.store.disconnect(world.at(), 4, &mut world.told);
    assert_eq!(policy(&world), (SECOND, 5), "nobody asks for less any more");
    asks(&mut world, 5, 1, 0);
    assert_eq!(policy(&world).0, 10_000_000, "not less than 10 ms");
}

#[test]
fn deliveries_are_limited_only_where_dead_letters_have_a_topic() {
    let mut world = World::new(settings());
    let asked = Consume { deliveries: 2, pattern: "orders/>", ..durable(NAME) };
    let error = world.store.consume(world.at(), 2, &asked, &mut world.told).expect_err("no topic");
    assert!(matches!(&error, Rejected::Different(why) if why.contains("dead_letters")), "{error}");
    // A time needs none.
    let asked = Consume { acknowledge_within: SECOND, pattern: "orders/>", ..durable(NAME) };
    world.store.consume(world.at(), 2, &asked, &mut world.told).expect("it is taken");
    let view = world.store.durables().next().expect("it is there");
    assert_eq!(view.policy.acknowledge_within, SECOND);
}
