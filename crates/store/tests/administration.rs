//! What an administrator does to durable subscriptions and producers, at once and over restarts.

mod world;

use trunkline_journal::{Options, commit};
use trunkline_store::{Consume, LossReason, Rejected, Settings, Start, Stored};
use world::{TIME, World, durable, settings};

const NAME: &str = "gateway";

/// A subscription with so many messages, which client 2 has.
fn world(messages: u64) -> World {
    let mut world = World::new(settings());
    world.consume(2, durable(NAME));
    publish(&mut world, 0..messages);
    world
}

fn publish(world: &mut World, numbers: std::ops::Range<u64>) {
    for number in numbers {
        world.publish("orders/1", &number.to_string());
    }
    world.sync();
}

fn positions(world: &World) -> Vec<u64> {
    world.told.seen.iter().map(|it| it.position).collect()
}

fn pause(world: &mut World, is_paused: bool) {
    let at = world.at();
    world.store.pause(at, NAME, is_paused, &mut world.told).expect("it is there");
}

fn purge(world: &mut World) -> u64 {
    let at = world.at();
    world.store.purge(at, NAME, &mut world.told).expect("it is there").messages
}

fn seek(world: &mut World, start: Start) {
    let at = world.at();
    world.store.seek(at, NAME, start, &mut world.told).expect("it is there");
}

#[test]
fn a_paused_subscription_delivers_nothing_and_says_so_also_after_a_restart() {
    let mut world = world(2);
    assert_eq!(world.payloads(), ["0", "1"]);
    pause(&mut world, true);
    assert_eq!(world.told.consuming.pop().map(|it| it.window), Some(0), "its consumer is told");
    publish(&mut world, 2..4);
    assert!(world.told.seen.is_empty());
    world.cut_power();
    world.consume(3, durable(NAME));
    let told = world.told.consuming.pop().expect("it is active");
    assert_eq!((told.window, told.is_new, world.told.seen.len()), (0, false, 0));
    pause(&mut world, false);
    for _ in 0..5 {
        world.wait(1_000_000);
    }
    assert_eq!(world.told.consuming.pop().map(|it| it.window), Some(1_000));
    assert_eq!(world.payloads(), ["0", "1", "2", "3"]);
    world.cut_power();
    assert!(world.store.durables().all(|it| !it.is_paused), "the last one counts");
}

#[test]
fn what_a_consumer_has_of_a_paused_subscription_may_be_acknowledged() {
    let mut world = world(2);
    let had = positions(&world);
    pause(&mut world, true);
    world.acknowledge(2, had[0]);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.acknowledged, account.in_flight), (1, 1));
}

#[test]
fn a_purge_ends_everything_so_far_and_is_told() {
    let mut world = world(5);
    let had = positions(&world);
    world.acknowledge(2, had[0]);
    assert_eq!(purge(&mut world), 4);
    let lost = world.told.lost.pop().expect("it is told");
    assert_eq!((lost.reason, lost.count), (LossReason::Purged, 4));
    assert!(lost.first <= had[1] && lost.last >= had[4]);
    world.acknowledge(2, had[2]);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.purged, account.acknowledged, account.in_flight), (4, 1, 0));
    world.told.seen.clear();
    publish(&mut world, 5..6);
    assert_eq!(world.payloads(), ["5"], "what comes then is delivered");
    assert_eq!(purge(&mut world), 1);
    assert_eq!(purge(&mut world), 0, "there is nothing");
    world.wait(30_000_000);
    world.cut_power();
    world.consume(3, durable(NAME));
    world.wait(1_000_000);
    assert!(world.told.seen.is_empty(), "nothing returns");
    assert_eq!(world.store.account(NAME).map(|it| it.purged), Some(5));
}

#[test]
fn a_purge_takes_what_is_being_written() {
    let mut world = world(0);
    world.publish("orders/1", "a");
    let open = world.store.next_commit(world.at()).expect("it is urgent");
    world.publish("orders/1", "b");
    assert_eq!(purge(&mut world), 2);
    let result = commit(&mut world.disk, &open);
    world.store.committed(world.at(), result, &mut world.told);
    world.wait(30_000_000);
    assert!(world.told.seen.is_empty());
    let (_, Stored { sequence, .. }) = world.told.stored.pop().expect("both are stored");
    assert_eq!(sequence, 2, "its producer knows nothing of it");
    publish(&mut world, 0..1);
    assert_eq!(world.payloads(), ["0"]);
}

#[test]
fn a_conflated_subscription_is_purged_and_moved() {
    let mut world = World::new(settings());
    let asked = Consume { conflation: Some(0), ..durable(NAME) };
    world.consume(2, asked);
    world.store.disconnect(world.at(), 2, &mut world.told);
    for number in 0..6 {
        world.publish(&format!("fx/{}", number % 2), &number.to_string());
    }
    world.sync();
    assert_eq!(purge(&mut world), 2);
    let account = world.store.account(NAME).expect("it is there");
    assert_eq!((account.elided, account.purged, account.waiting), (4, 2, 0));
    seek(&mut world, Start::All);
    world.consume(2, asked);
    for _ in 0..5 {
        world.wait(1_000_000);
    }
    assert_eq!(world.payloads(), ["4", "5"]);
    world.wait(30_000_000);
    world.cut_power();
    world.consume(2, asked);
    for _ in 0..5 {
        world.wait(1_000_000);
    }
    assert_eq!(world.payloads(), ["4", "5"], "it was moved");
}

#[test]
fn a_subscription_goes_on_where_it_is_moved_to() {
    let mut world = world(6);
    let had = positions(&world);
    let at = world.at();
    let all = (had[5], true);
    world.store.acknowledge(at, 2, 1, all, &mut world.told).expect("taken");
    world.wait(30_000_000);
    let starts = [
        (Start::Position(had[2]), 2..6),
        (Start::All, 0..6),
        (Start::Time(TIME + world.now + 1), 6..6),
        (Start::Position(had[4]), 4..6),
        (Start::New, 6..6),
        (Start::Position(u64::MAX), 6..6),
    ];
    for (start, expected) in starts {
        for is_restarted in [false, true] {
            world.told.seen.clear();
            seek(&mut world, start);
            world.wait(1_000_000);
            if is_restarted {
                world.cut_power();
            }
            world.consume(2, durable(NAME));
            for _ in 0..5 {
                world.wait(1_000_000);
            }
            assert!(world.told.seen.iter().all(|it| it.is_repeated), "they were delivered before");
            let expected: Vec<String> = expected.clone().map(|it| it.to_string()).collect();
            assert_eq!(world.payloads(), expected, "{start:?} {is_restarted}");
        }
    }
}

#[test]
fn the_consumers_of_a_moved_subscription_end_and_what_they_acknowledge_counts_no_more() {
    let mut world = world(3);
    let had = positions(&world);
    world.acknowledge(2, had[0]);
    seek(&mut world, Start::All);
    let (subscription, rejected) = world.told.rejected.pop().expect("it is told");
    assert!(matches!(&rejected, Rejected::Moved(text) if text.contains(NAME)), "{rejected:?}");
    assert_eq!(subscription, 1);
    let at = world.at();
    let late = world.store.acknowledge(at, 2, 1, (had[2], true), &mut world.told);
    assert_eq!(late, Err(Rejected::Unknown));
    world.told.seen.clear();
    world.consume(2, durable(NAME));
    for _ in 0..5 {
        world.wait(1_000_000);
    }
    assert_eq!(world.payloads(), ["0", "1", "2"]);
    // What was acknowledged before it was moved, and not written, is not done.
    world.wait(30_000_000);
    world.cut_power();
    world.consume(2, durable(NAME));
    for _ in 0..5 {
        world.wait(1_000_000);
    }
    assert_eq!(world.payloads(), ["0", "1", "2"]);
}

#[test]
fn a_journal_without_room_is_purged() {
    let journal = Options { segment_bytes: 64 << 10, bytes: 4 * (64 << 10), ..Options::default() };
    let mut world = World::new(Settings { journal, ..settings() });
    world.consume(2, Consume { window: 1, ..durable(NAME) });
    let payload = "x".repeat(4_000);
    let full = loop {
        match world.try_publish("orders/1", &payload, 0) {
            Ok(()) => world.sync(),
            Err(Rejected::Busy) => world.wait(1_000_000),
            Err(rejected) => break rejected,
        }
    };
    assert!(matches!(full, Rejected::NotDurable(_)), "{full:?}");
    assert!(purge(&mut world) > 20);
    for _ in 0..20 {
        world.wait(1_000_000_000);
    }
    world.publish_in_time("orders/1", "there is room");
    world.sync();
    assert_eq!(world.payloads().pop().as_deref(), Some("there is room"));
}

#[test]
fn what_nobody_knows_is_not_changed() {
    let mut world = world(1);
    let at = world.at();
    let told = &mut world.told;
    assert_eq!(world.store.pause(at, "no", true, told), Err(Rejected::Unknown));
    assert_eq!(world.store.purge(at, "no", told), Err(Rejected::Unknown));
    assert_eq!(world.store.seek(at, "no", Start::All, told), Err(Rejected::Unknown));
    let last = world.store.seek(at, NAME, Start::Last(3), told);
    assert!(matches!(last, Err(Rejected::Different(_))), "{last:?}");
    assert_eq!(world.store.delete_producer(at, "no"), Err(Rejected::Unknown));
}

#[test]
fn a_deleted_producer_begins_anew() {
    let mut world = world(3);
    let at = world.at();
    let in_use = world.store.delete_producer(at, "feed");
    assert!(matches!(&in_use, Err(Rejected::InUse(why)) if why.contains("uses it")), "{in_use:?}");
    let producer = world.producer.take().expect("it is connected");
    world.store.leave(producer);
    world.store.delete_producer(at, "feed").expect("nobody uses it");
    assert_eq!(world.store.last_of_producer("feed"), None);
    world.wait(1_000_000);
    world.cut_power();
    assert_eq!(world.store.last_of_producer("feed"), None, "it does not return");
    publish(&mut world, 0..1);
    assert_eq!(world.store.last_of_producer("feed"), Some(1));
}
