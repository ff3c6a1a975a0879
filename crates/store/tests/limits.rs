//! A store at its limits: no room, no time, consumers and producers that come and go, what is known over restarts.

mod world;

use trunkline_journal::{Options, commit};
use trunkline_store::{
    Account, Consume, Level, LossReason, NewMessage, Policy, Rejected, Settings, Start, Store,
};
use world::{PUBLISHER, Told, World, durable, settings};

const SECOND: u64 = 1_000_000_000;

/// A payload of about a kilobyte that begins with a number.
fn long(number: usize) -> String {
    format!("{number:>1000}")
}

/// A journal of four segments of 64 KiB.
fn small() -> Settings {
    let journal = Options { bytes: 4 * (64 << 10), keep: 0, ..settings().journal };
    Settings { journal, ..settings() }
}

/// Publishes until there is no room; gives how many were stored, and why no more.
fn fill(world: &mut World) -> (usize, String) {
    for number in 0..10_000 {
        match world.try_publish("orders/1", &long(number), 0) {
            Ok(()) => {}
            Err(Rejected::Busy) => world.sync(),
            Err(Rejected::NotDurable(why)) => return (number, why),
            Err(other) => panic!("{other}"),
        }
        world.sync();
    }
    panic!("there is always room");
}

fn account(world: &World) -> Account {
    world.store.account("gateway").expect("it is there")
}

/// A client acknowledges all that it has.
fn acknowledge_all(world: &mut World, client: u64) {
    let at = world.at();
    let all = (u64::MAX, true);
    world.store.acknowledge(at, client, 1, all, &mut world.told).expect("a consumer");
    world.sync();
}

#[test]
fn what_another_consumer_has_cannot_be_given_back() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    world.publish("orders/1", "a");
    world.sync();
    let position = world.told.seen[0].position;
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    world.consume(3, durable("gateway"));
    world.consume(2, durable("gateway"));
    assert_eq!(world.told.seen.len(), 2, "the other one has it now");
    world.store.release(at, 2, 1, (position, 0), &mut world.told).expect("a consumer");
    assert_eq!(account(&world).in_flight, 1);
    world.store.disconnect(at, 3, &mut world.told);
    assert_eq!(world.told.seen.last().map(|it| (it.client, it.position)), Some((2, position)));
}

#[test]
fn what_was_done_over_an_earlier_connection_is_done() {
    for conflation in [None, Some(0)] {
        let asked = || Consume { conflation, window: 1, ..durable("gateway") };
        let mut world = World::new(settings());
        world.consume(2, asked());
        world.publish("orders/1", "a");
        world.sync();
        let position = world.told.seen[0].position;
        let at = world.at();
        world.store.disconnect(at, 2, &mut world.told);
        world.consume(3, asked());
        assert_eq!(world.told.seen.len(), 2, "the other one has it now");
        world.consume(2, asked());
        world.acknowledge(2, position);
        let at = world.at();
        world.store.disconnect(at, 3, &mut world.told);
        assert_eq!(world.told.seen.len(), 2, "and it does not come again");
        world.publish("orders/1", "b");
        world.sync();
        let at = world.at();
        world.store.disconnect(at, 2, &mut world.told);
        world.told.full.push(2);
        world.consume(2, asked());
        let position = world.told.seen[2].position;
        world.acknowledge(2, position);
        world.told.full.clear();
        let at = world.at();
        world.store.client_has_room(at, 2, &mut world.told);
        assert_eq!((world.told.seen.len(), account(&world).waiting), (3, 0), "{conflation:?}");
        assert_eq!(account(&world).acknowledged, 2);
    }
}

#[test]
fn in_memory_there_is_no_more_room_than_was_given() {
    let mut world = World::new(settings());
    let policy = Policy { level: Level::Memory, ..Policy::default() };
    world.store = Store::in_memory(Settings { policy, ..small() });
    world.consume(2, Consume { window: 1_000, ..durable("gateway") });
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    let (stored, why) = fill(&mut world);
    assert!((150..260).contains(&stored), "{stored}");
    assert!(why.contains("journal.bytes"), "{why}");
    world.consume(2, Consume { window: 1_000, ..durable("gateway") });
    assert_eq!(world.told.seen.len(), stored);
    acknowledge_all(&mut world, 2);
    world.publish("orders/1", "there is room again");
}

#[test]
fn who_acknowledges_in_time_is_never_without_room() {
    let mut world = World::new(small());
    world.consume(2, durable("gateway"));
    for number in 0..3_000 {
        // No second passes.
        world.publish("orders/1", &long(number));
        world.sync();
        acknowledge_all(&mut world, 2);
    }
    assert_eq!(account(&world).acknowledged, 3_000);
    world.told.full.push(3);
    world.consume(3, Consume { start: Start::All, ..durable("") });
    for number in 0..1_000 {
        world.publish("orders/1", &long(number));
        world.sync();
        acknowledge_all(&mut world, 2);
    }
    world.told.full.clear();
    let at = world.at();
    world.told.seen.clear();
    world.store.client_has_room(at, 3, &mut world.told);
    for _ in 0..1_000 {
        world.wait(1_000);
    }
    let gone: u64 = world.told.lost.iter().map(|it| it.count).sum();
    assert!(
        world.told.lost.iter().all(|it| it.reason == LossReason::Gone),
        "{:?}",
        world.told.lost
    );
    assert!(gone > 100 || world.told.lost.iter().any(|it| it.count == 0), "{:?}", world.told.lost);
    assert!(!world.told.seen.is_empty());
}

#[test]
fn a_full_journal_has_room_soon_after_an_acknowledgement_and_a_deletion() {
    let mut world = World::new(small());
    world.consume(2, Consume { window: 1_000, ..durable("gateway") });
    world.consume(4, durable("abandoned"));
    let at = world.at();
    world.store.disconnect(at, 4, &mut world.told);
    let (stored, why) = fill(&mut world);
    assert!(stored > 100 && why.contains("journal.bytes"), "{stored}: {why}");
    acknowledge_all(&mut world, 2);
    world.wait(2 * SECOND);
    assert!(world.try_publish("orders/1", &long(0), 0).is_err(), "one needs it still");
    let at = world.at();
    world.store.delete(at, "abandoned", &mut world.told).expect("it is there");
    world.wait(20_000_000);
    world.publish("orders/1", &long(1));
    world.sync();
    world.wait(20_000_000);
    world.cut_power();
    let names: Vec<String> = world.store.durables().map(|it| it.name.to_owned()).collect();
    assert_eq!(names, ["gateway"], "the deletion is in the journal, too");
}

#[test]
fn a_subscription_stands_though_who_made_it_is_gone() {
    let mut world = World::new(settings());
    let (at, asked) = (world.at(), Consume { pattern: ">", ..durable("gateway") });
    world.store.consume(at, 2, &asked, &mut world.told).expect("room");
    world.store.disconnect(at, 2, &mut world.told);
    world.sync();
    world.told.consuming.clear();
    world.store.consume(at, 3, &asked, &mut world.told).expect("room");
    assert_eq!(world.told.consuming.len(), 1, "told at once, with nothing to write");
}

#[test]
fn a_subscription_that_cannot_be_written_is_rejected() {
    let mut world = World::new(settings());
    let (at, asked) = (world.at(), Consume { pattern: ">", ..durable("gateway") });
    world.store.consume(at, 2, &asked, &mut world.told).expect("room");
    world.store.next_commit(at).expect("it is urgent");
    world.store.committed(at, Err("no".into()), &mut world.told);
    assert!(world.told.consuming.is_empty());
    assert!(
        matches!(&world.told.rejected[..], [(1, Rejected::NotDurable(why))] if why.contains("no"))
    );
    assert_eq!(world.store.durables().count(), 0);
}

#[test]
fn nothing_is_due_while_the_disk_works_or_has_failed() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    world.publish("orders/1", "a");
    world.sync();
    let position = world.told.seen[0].position;
    world.publish("orders/1", "b");
    let writing = world.store.next_commit(world.at()).expect("it is urgent");
    world.acknowledge(2, position);
    world.now += SECOND / 2;
    world.store.advance(world.at(), &mut world.told);
    let is_later = |world: &World| world.store.next_deadline().is_none_or(|due| due > world.now);
    assert!(is_later(&world), "the loop would not sleep");
    let result = commit(&mut world.disk, &writing);
    world.store.committed(world.at(), result, &mut world.told);
    assert!(world.store.next_commit(world.at()).is_some(), "the acknowledgement is written now");
    world.store.committed(world.at(), Err("broken".into()), &mut world.told);
    world.acknowledge(2, position + 1);
    world.now += 10 * SECOND;
    world.store.advance(world.at(), &mut world.told);
    assert!(is_later(&world), "the loop would not sleep");
}

#[test]
fn direct_subscribers_get_all_that_is_stored_with_little_memory() {
    let journal = Options { memory_bytes: 0, ..settings().journal };
    let mut world = World::new(Settings { journal, ..settings() });
    for number in 0..2_000 {
        world.publish("orders/1", &number.to_string());
        if number % 300 == 0 {
            world.sync();
        }
    }
    world.sync();
    let all: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
    assert_eq!(world.told.direct, all);
}

#[test]
fn what_expires_holds_nothing_and_is_told_by_itself() {
    let mut world = World::new(small());
    world.consume(2, durable("gateway"));
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    for number in 0..100 {
        world.publish_for("orders/1", &long(number), SECOND);
        world.sync();
    }
    let before = world.store.durables().next().expect("one").floor;
    for _ in 0..20 {
        world.wait(SECOND);
    }
    assert_eq!((account(&world).expired, account(&world).waiting), (100, 0));
    let floor = world.store.durables().next().expect("one").floor;
    assert!(floor >= before + 100, "{before} {floor}");
    world.consume(2, durable("gateway"));
    let losses: Vec<_> = world.told.lost.iter().map(|it| (it.reason, it.count)).collect();
    assert_eq!(losses, [(LossReason::Expired, 100)], "though no message comes");
}

#[test]
fn what_is_given_back_for_later_counts_until_then() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 2, ..durable("gateway") });
    for payload in ["a", "b", "c"] {
        world.publish("orders/1", payload);
    }
    world.sync();
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    assert_eq!(world.payloads(), ["a", "b"]);
    let at = world.at();
    for &position in &positions {
        let later = (position, 3_600 * SECOND);
        world.store.release(at, 2, 1, later, &mut world.told).expect("a consumer");
    }
    assert!(world.payloads().is_empty(), "the window is full still");
    assert_eq!((account(&world).in_flight, account(&world).waiting), (0, 3));
    world.acknowledge(2, positions[0]);
    assert_eq!(world.payloads(), ["c"]);
    world.wait(3_601 * SECOND);
    assert_eq!(world.payloads(), ["b"], "its time has come");
    acknowledge_all(&mut world, 2);
    assert_eq!(account(&world).acknowledged, 3);

    let conflated = Consume { conflation: Some(0), subscription: 1, ..durable("newest") };
    world.consume(5, conflated);
    world.publish("orders/1", "d");
    world.sync();
    world.told.seen.retain(|it| it.client == 5);
    let position = world.told.seen[0].position;
    let at = world.at();
    world.store.release(at, 5, 1, (position, 10 * SECOND), &mut world.told).expect("a consumer");
    world.wait(9 * SECOND);
    assert_eq!(world.told.seen.len(), 1, "not before");
    world.wait(2 * SECOND);
    assert_eq!(world.told.seen.len(), 2);
}

#[test]
fn a_producer_that_was_forgotten_begins_anew_over_restarts() {
    let settings = Settings { producers: 2, producer_keep: 0, ..settings() };
    let mut world = World::new(settings);
    let store = |world: &mut World, name: &str, sequence: u64| {
        world.now += 1_000;
        let at = world.at();
        let producing = world.store.produce(at, PUBLISHER, name).expect("room");
        let topic = "orders/1";
        let (time_to_live, is_repeated, format, payload) = (0, false, 0, &b"a"[..]);
        let message = NewMessage { sequence, time_to_live, is_repeated, format, topic, payload };
        let stored = world.store.store(at, producing.producer, &message, &mut world.told);
        assert_eq!(stored, Ok(()), "{name} {sequence}");
        world.sync();
        world.store.leave(producing.producer);
        producing.last
    };
    for sequence in 1..=3 {
        store(&mut world, "a", sequence);
    }
    store(&mut world, "b", 1);
    store(&mut world, "c", 1);
    assert_eq!(store(&mut world, "a", 1), 0, "it had been forgotten");
    world.cut_power();
    store(&mut world, "d", 1);
    world.cut_power();
    assert_eq!(store(&mut world, "a", 2), 1);
}

#[test]
fn of_many_producers_those_that_are_missed_least_make_room() {
    const PRODUCERS: usize = 20_000;
    let keep = 3_600 * SECOND;
    let policy = Policy { level: Level::Memory, ..Policy::default() };
    let settings = Settings { producers: PRODUCERS, producer_keep: keep, policy, ..settings() };
    let (mut store, mut told) = (Store::in_memory(settings), Told::default());
    let mut at = World::new(world::settings()).at();
    let mut produce = |store: &mut Store, name: &str, stores: bool| {
        (at.now, at.time) = (at.now + 1_000, at.time + 1_000);
        let id = store.produce(at, 1, name)?.producer;
        if stores {
            let (time_to_live, is_repeated, format, payload) = (0, false, 0, &b"a"[..]);
            let (sequence, topic) = (1, "orders/1");
            let message =
                NewMessage { sequence, time_to_live, is_repeated, format, topic, payload };
            store.store(at, id, &message, &mut told)?;
            store.settle(&mut told);
        }
        store.leave(id);
        if name == "an hour" {
            (at.now, at.time) = (at.now + keep, at.time + keep);
        }
        Ok::<_, Rejected>(())
    };
    for number in 0..PRODUCERS - 1 {
        produce(&mut store, &format!("stored {number}"), true).expect("room");
    }
    // One that stores nothing makes room each time: more often than all can be gone through.
    for number in 0..500_000 {
        produce(&mut store, &format!("made up {number}"), false).expect("room");
    }
    produce(&mut store, "an hour", true).expect("room");
    let knows = |store: &Store, name: &str| store.last_of_producer(name).is_some();
    assert!(knows(&store, "stored 0") && !knows(&store, "made up 499999"));
    for number in 0..100 {
        produce(&mut store, &format!("new {number}"), true).expect("an hour has passed");
        assert!(!knows(&store, &format!("stored {number}")), "the oldest makes room");
        assert!(knows(&store, &format!("stored {}", number + 1)), "and no other");
    }
    // What is used again is not the oldest any more.
    produce(&mut store, "stored 100", false).expect("it is known");
    produce(&mut store, "last", true).expect("room");
    assert!(knows(&store, "stored 100") && !knows(&store, "stored 101"));
}

#[test]
fn a_name_is_taken_over_from_who_never_stops() {
    let mut world = World::new(settings());
    world.publish("orders/1", "a");
    let old = world.producer.expect("a producer");
    let at = world.at();
    assert_eq!(world.store.produce(at, 9, "feed"), Err(Rejected::Busy), "a is not on disk yet");
    let (time_to_live, is_repeated, format) = (0, false, 0);
    let (topic, payload) = ("orders/1", &b"b"[..]);
    let message = NewMessage { sequence: 2, time_to_live, is_repeated, format, topic, payload };
    let mut told = Told::default();
    assert_eq!(world.store.store(at, old, &message, &mut told), Err(Rejected::TakenOver));
    world.sync();
    assert_eq!(world.store.produce(at, 9, "feed").map(|it| it.last), Ok(1));
}

#[test]
fn the_account_of_a_conflated_subscription_is_right_over_restarts() {
    let mut world = World::new(settings());
    let asked = || Consume { conflation: Some(0), window: 2, ..durable("gateway") };
    world.consume(2, asked());
    let mut published = 0;
    for round in 0..6 {
        for number in 0..90 {
            let topic = format!("orders/{}", number % 7);
            world.publish(&topic, &long(number));
            published += 1;
            if number % 5 == 0 {
                world.sync();
            }
            if number % 11 == round {
                acknowledge_all(&mut world, 2);
            }
        }
        world.wait(30_000_000);
        if round % 2 == 1 {
            world.cut_power();
            for _ in 0..50 {
                world.wait(1_000_000);
            }
            world.consume(2, asked());
        }
        let Account { acknowledged, elided, in_flight, waiting, .. } = account(&world);
        let all = acknowledged + elided + in_flight + waiting;
        assert_eq!(all, published, "{round}: {:?}", account(&world));
    }
    for _ in 0..10 {
        acknowledge_all(&mut world, 2);
    }
    let Account { acknowledged, elided, .. } = account(&world);
    assert_eq!(acknowledged + elided, published);
}

#[test]
fn topics_of_which_nothing_waits_are_forgotten() {
    let mut world = World::new(settings());
    world.consume(2, Consume { conflation: Some(SECOND), ..durable("gateway") });
    for number in 0..500 {
        world.publish(&format!("orders/{number}"), "a");
        world.sync();
        acknowledge_all(&mut world, 2);
    }
    world.wait(2 * SECOND);
    world.publish("orders/1", "b");
    world.publish("orders/1", "c");
    world.sync();
    assert_eq!(world.told.seen.last().map(|it| &it.payload[..]), Some("c"));
    assert_eq!(account(&world).acknowledged, 500);
}

#[test]
fn quotas_of_many_subscriptions_take_no_more_of_a_turn_than_that_of_one() {
    let mut quota = Settings { quota_bytes: 64 << 10, ..settings() };
    quota.journal.keep = 0;
    let mut world = World::new(quota);
    for client in 2..12 {
        world.consume(client, Consume { window: 1, ..durable(&format!("slow {client}")) });
    }
    for number in 0..600 {
        world.publish_in_time("cut/1", &format!("{number:0500}"));
    }
    world.sync();
    let lost =
        |world: &World| -> Vec<u64> { world.store.durables().map(|it| it.account.lost).collect() };
    let mut all = 0;
    for _ in 0..100 {
        world.now += 1_000_000_000;
        let at = world.at();
        world.store.advance(at, &mut world.told);
        let now: u64 = lost(&world).iter().sum();
        assert!(now - all <= 1_024, "{} in one turn", now - all);
        all = now;
    }
    let lost = lost(&world);
    assert!(lost[0] > 300 && lost.iter().all(|it| *it == lost[0]), "{lost:?}");
}

#[test]
fn a_quota_of_many_topics_takes_no_more_of_a_turn_than_that_of_few() {
    let mut quota = Settings { quota_bytes: 64 << 10, ..settings() };
    quota.journal.keep = 0;
    let mut world = World::new(quota);
    world.consume(2, Consume { window: 1, conflation: Some(0), ..durable("slow") });
    for number in 0..5_000 {
        world.publish_in_time(&format!("cut/{number}"), &format!("{number:0100}"));
    }
    world.sync();
    let mut lost = 0;
    for _ in 0..100 {
        world.now += 1_000_000;
        let at = world.at();
        world.store.advance(at, &mut world.told);
        let account = world.store.account("slow").expect("it stands");
        assert!(account.lost - lost <= 1_024, "{} in one turn", account.lost - lost);
        lost = account.lost;
        assert_eq!(lost + account.waiting + account.in_flight, 5_000);
    }
    assert!(lost > 4_000, "{lost}");
}

#[test]
fn a_subscription_that_takes_the_last_room_of_a_segment_leaves_some_for_the_end() {
    for less in 0..60 {
        let mut world = World::new(settings());
        for number in 0..300 {
            world.publish_in_time("cut/1", &number.to_string());
        }
        world.sync();
        let left = (64 << 10) - world.store.journal().end().offset as usize;
        for bytes in [30_000, left - 30_000 - 800 + 8 * less] {
            world.publish_in_time("cut/1", &"x".repeat(bytes));
        }
        world.sync();
        // With a name of so many bytes a position makes its record eight bytes longer.
        world.consume(2, durable("gateway-abc"));
        // What was written is marked as such when nothing more comes, and the end is when it is closed.
        let last = world.store.journal().last();
        world.wait(1_100_000_000);
        assert_eq!(world.store.journal().last(), last + 1, "{less}: there is room for a mark");
        let at = world.at();
        world.store.close(at);
        while world.store.journal().pending() > 0 {
            world.sync();
        }
        let opened = Store::open(&mut world.disk, world.settings.clone(), 7).expect("a store").1;
        assert!(opened.journal.was_closed && opened.durables == 1, "{less}: {opened:?}");
    }
}

#[test]
fn a_quota_is_of_bytes_and_not_of_restarts() {
    let quota_bytes = 2 * (64 << 10);
    let mut world = World::new(Settings { quota_bytes, ..settings() });
    world.consume(2, durable("gateway"));
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    world.publish("orders/1", "a");
    world.sync();
    for _ in 0..8 {
        world.cut_power();
        world.wait(2 * SECOND);
        world.publish("orders/1", "b");
        world.sync();
    }
    world.consume(2, durable("gateway"));
    assert_eq!(world.payloads().first().map(String::as_str), Some("a"));
    assert!(world.told.lost.is_empty(), "{:?}", world.told.lost);
}

/// Subscriptions that have one acknowledgement each that is not in the journal.
fn with_acknowledgements(count: u64, settings: Settings) -> World {
    let mut world = World::new(settings);
    let names: Vec<String> = (0..count).map(|number| format!("gateway {number}")).collect();
    for (client, name) in (2..).zip(&names) {
        world.consume(client, durable(name));
    }
    world.publish_in_time("cut/1", "a");
    world.sync();
    let seen = std::mem::take(&mut world.told.seen);
    assert_eq!(seen.len() as u64, count);
    seen.iter().for_each(|it| world.acknowledge(it.client, it.position));
    world
}

#[test]
fn a_store_with_much_to_write_can_be_closed_though_the_disk_takes_nothing() {
    for is_full in [false, true] {
        let journal = Options { segment_bytes: 1 << 20, ..settings().journal };
        let mut world = with_acknowledgements(600, Settings { journal, ..settings() });
        if is_full {
            // Less is left of the last segment than the least record takes, and there is no other.
            world.disk.set_room(Some(0));
            let mut bytes = 10_000;
            while bytes > 0 {
                match world.try_publish("memory/1", &"x".repeat(bytes), 0) {
                    Ok(()) => {}
                    Err(Rejected::Busy) => world.sync(),
                    Err(_) => bytes /= 2,
                }
            }
        } else {
            world.publish("cut/1", "b");
            let at = world.at();
            world.store.next_commit(at).expect("it is urgent");
            world.store.committed(at, Err("no".into()), &mut world.told);
        }
        let (at, last) = (world.at(), world.store.journal().last());
        world.store.close(at);
        assert!(world.store.journal().last() <= last + 1, "nothing but the end is written");
    }
}

#[test]
fn who_has_much_to_write_does_not_keep_others_waiting() {
    let settings = Settings { ranges: 100_000, ..settings() };
    let mut world = World::new(settings);
    world.consume(2, Consume { window: 30_000, ..durable("hasty") });
    world.consume(3, Consume { window: 1, wants_acknowledged: true, ..durable("gateway") });
    (0..26_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let of = |world: &World, client: u64| -> Vec<u64> {
        let of_it = world.told.seen.iter().filter(|it| it.client == client);
        of_it.map(|it| it.position).collect()
    };
    let many = of(&world, 2);
    many.iter().step_by(2).for_each(|position| world.acknowledge(2, *position));
    let one = of(&world, 3)[0];
    world.acknowledge(3, one);
    // It waits for one turn of the other one, and not for all of it.
    let mut commits = 0;
    while world.told.acknowledged.is_empty() {
        world.tasks();
        let it = world.store.next_commit(world.at()).expect("there are more of them");
        let result = commit(&mut world.disk, &it);
        world.store.committed(world.at(), result, &mut world.told);
        commits += 1;
    }
    assert!(commits <= 2, "{commits} commits");
    world.sync();
    world.wait(30_000_000);
    world.cut_power();
    let account = world.store.account("hasty").expect("it stands");
    assert_eq!(account.acknowledged, 13_000);
}
