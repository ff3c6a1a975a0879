//! What producers and consumers see of a store, over a disk that is simulated.

mod world;

use trunkline_journal::{Options, commit};
use trunkline_store::{
    ClockReading, Consume, Durability, Forwarding, Level, LossReason, NewMessage, Policy, Rejected,
    Rule, Settings, Start, Store,
};
use world::{PUBLISHER, TIME, Told, World, durable, settings};

#[test]
fn store_and_forward_waits_for_the_disk_and_cut_through_does_not() {
    let mut world = World::new(settings());
    world.consume(2, Consume { wants_confirmed: true, ..durable("gateway") });
    assert!(world.told.consuming[0].is_new);
    world.publish("cut/1", "a");
    assert!(world.told.seen[0].is_unconfirmed && world.told.stored.is_empty());
    assert_eq!(world.told.direct, ["a"]);
    world.publish("orders/1", "b");
    assert_eq!((world.told.seen.len(), world.told.direct.len()), (1, 1), "b waits");
    world.sync();
    assert!(!world.told.seen[1].is_unconfirmed);
    assert_eq!(world.told.confirmed, [world.told.seen[0].position]);
    let (client, stored) = world.told.stored[0];
    assert_eq!((client, stored.sequence), (PUBLISHER, 2));
    assert_eq!(stored.durability, Durability { memory: 1, disk: 1 });
    assert_eq!(stored.position, world.told.seen[1].position);
    world.publish("memory/1", "c");
    assert_eq!(
        world.told.stored.last().map(|it| it.1.durability.disk),
        Some(0),
        "told at once, truly"
    );
    assert_eq!(world.payloads(), ["a", "b", "c"]);
}

#[test]
fn what_waits_for_the_disk_is_not_delivered_when_a_consumer_makes_room() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 1, ..durable("gateway") });
    world.publish("orders/1", "a");
    world.sync();
    world.publish("orders/1", "b");
    let open = world.store.next_commit(world.at()).expect("it is urgent");
    let position = world.told.seen[0].position;
    world.acknowledge(2, position);
    let at = world.at();
    world.store.client_has_room(at, 2, &mut world.told);
    assert_eq!(world.payloads(), ["a"], "b is being written");
    let result = commit(&mut world.disk, &open);
    world.store.committed(world.at(), result, &mut world.told);
    assert_eq!(world.payloads(), ["b"]);
}

#[test]
fn what_is_not_acknowledged_comes_again_and_says_so() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    for number in 0..4 {
        world.publish("orders/1", &number.to_string());
    }
    world.sync();
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    world.acknowledge(2, positions[1]);
    world.wait(30_000_000);
    world.cut_power();
    world.consume(3, durable("gateway"));
    let seen: Vec<_> = world.told.seen.iter().map(|it| (&it.payload[..], it.is_repeated)).collect();
    assert_eq!(seen, [("0", true), ("2", true), ("3", true)]);
    let at = world.at();
    let all = (positions[3], true);
    world.store.acknowledge(at, 3, 1, all, &mut world.told).expect("taken");
    world.wait(30_000_000);
    world.cut_power();
    world.consume(3, durable("gateway"));
    assert!(world.told.seen.is_empty(), "what was acknowledged does not return");
}

#[test]
fn a_retry_is_stored_once_over_reconnects_and_restarts() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    world.publish("orders/1", "a");
    world.sync();
    world.sequence = 0;
    world.publish("orders/1", "a");
    assert_eq!(world.told.stored.last().map(|it| it.1.sequence), Some(1), "acknowledged again");
    world.cut_power();
    let at = world.at();
    let producing = world.store.produce(at, 9, "feed").expect("room");
    assert_eq!(producing.last, 1);
    let message = |sequence| NewMessage {
        sequence,
        time_to_live: 0,
        is_repeated: true,
        format: 0,
        topic: "orders/1",
        payload: b"b",
    };
    let mut told = Told::default();
    assert_eq!(world.store.store(at, producing.producer, &message(1), &mut told), Ok(()));
    let hole = world.store.store(at, producing.producer, &message(3), &mut told);
    assert_eq!(hole, Err(Rejected::OutOfSequence(2)));
    let other = world.store.produce(at, 10, "feed").expect("room");
    let old = world.store.store(at, producing.producer, &message(2), &mut told);
    assert_eq!(old, Err(Rejected::TakenOver));
    assert_eq!(world.store.store(at, other.producer, &message(2), &mut told), Ok(()));
    world.sync();
    world.consume(2, durable("gateway"));
    let seen: Vec<_> = world.told.seen.iter().map(|it| (&it.payload[..], it.is_repeated)).collect();
    assert_eq!(seen, [("a", true), ("b", true)]);
}

#[test]
fn consumers_share_and_take_over() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 3, ..durable("desk") });
    world.consume(3, Consume { window: 3, ..durable("desk") });
    for number in 0..10 {
        world.publish("orders/1", &number.to_string());
    }
    world.sync();
    let of =
        |world: &World, client| world.told.seen.iter().filter(|it| it.client == client).count();
    assert_eq!((of(&world, 2), of(&world, 3)), (3, 3), "windows are kept");
    world.told.seen.clear();
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    assert!(world.told.seen.is_empty());
    world.consume(4, Consume { window: 100, ..durable("desk") });
    let seen: Vec<_> = world.told.seen.iter().map(|it| (&it.payload[..], it.deliveries)).collect();
    assert_eq!(seen, [("0", 1), ("2", 1), ("4", 1), ("6", 0), ("7", 0), ("8", 0), ("9", 0)]);
    let account = world.store.account("desk").expect("it stands");
    assert_eq!((account.in_flight, account.waiting, account.deliveries), (10, 0, 13));
}

#[test]
fn a_released_message_comes_again_after_its_delay() {
    let mut world = World::new(settings());
    world.consume(2, durable("desk"));
    world.publish("orders/1", "a");
    world.sync();
    let position = world.told.seen[0].position;
    let at = world.at();
    world.store.release(at, 2, 1, (position, 5_000_000), &mut world.told).expect("taken");
    assert_eq!(world.told.seen.len(), 1);
    assert!(world.store.next_deadline().is_some_and(|due| due <= world.now + 5_000_000));
    world.wait(5_000_000);
    assert_eq!((world.told.seen.len(), world.told.seen[1].deliveries), (2, 1));
    assert!(world.told.seen[1].is_repeated);
}

#[test]
fn expired_messages_are_told_and_not_delivered() {
    let mut world = World::new(settings());
    world.consume(2, durable("desk"));
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    world.publish_for("orders/1", "old", 1_000_000);
    world.publish("orders/1", "new");
    world.sync();
    world.wait(2_000_000);
    world.consume(2, durable("desk"));
    assert_eq!(world.payloads(), ["new"]);
    assert_eq!((world.told.lost[0].reason, world.told.lost[0].count), (LossReason::Expired, 1));
}

#[test]
fn a_replay_begins_where_it_is_told_and_goes_on_live() {
    let mut world = World::new(settings());
    let mut positions = Vec::new();
    world.consume(9, durable("all"));
    for number in 0..2_000 {
        world.publish("orders/1", &format!("{number:0100}"));
        world.publish("rates/1", "rate");
        if number % 50 == 0 {
            world.sync();
            let at = world.at();
            let last = world.told.seen.last().map_or(0, |it| it.position);
            world.store.acknowledge(at, 9, 1, (last, true), &mut world.told).expect("taken");
        }
    }
    world.sync();
    positions
        .extend(world.told.seen.iter().filter(|it| it.payload != "rate").map(|it| it.position));
    let time_of = |number: u64| TIME + (2 * number + 1) * 1_000;
    let starts = [
        (Start::All, 0),
        // One live message was published since.
        (Start::Last(70), 1_931),
        (Start::Last(100_000), 0),
        (Start::New, 2_000),
        (Start::Time(time_of(0)), 0),
    ];
    for (start, first) in starts {
        world.told.seen.clear();
        let at = world.at();
        let asked = Consume { subscription: 5, pattern: "orders/*", start, ..Consume::default() };
        world.store.consume(at, 8, &asked, &mut world.told).expect("taken");
        for _ in 0..10_000 {
            world.tasks();
            let at = world.at();
            world.store.advance(at, &mut world.told);
        }
        world.publish("orders/1", "live");
        world.sync();
        let seen: Vec<_> = world.told.seen.iter().filter(|it| it.client == 8).cloned().collect();
        assert_eq!(seen.last().map(|it| (&it.payload[..], it.is_kept)), Some(("live", false)));
        let kept: Vec<_> = seen.iter().filter(|it| it.payload != "live").collect();
        assert_eq!(
            kept.first().map_or(2_000, |it| it.payload.parse().expect("a number")),
            first,
            "{start:?}"
        );
        assert!(kept.is_sorted_by_key(|it| it.position));
        assert!(kept.iter().all(|it| it.is_kept));
        let at = world.at();
        world.store.detach(at, 8, 5, &mut world.told).expect("there");
    }
}

#[test]
fn a_replay_keeps_the_original_pace_when_asked_to() {
    let mut world = World::new(settings());
    for number in 0..5 {
        world.publish("orders/1", &number.to_string());
        world.wait(10_000_000);
    }
    let asked = Consume {
        subscription: 5,
        pattern: ">",
        start: Start::All,
        pace: 2_000,
        ..Consume::default()
    };
    let at = world.at();
    world.store.consume(at, 8, &asked, &mut world.told).expect("taken");
    let mut counts = vec![world.told.seen.len()];
    for _ in 0..5 {
        world.wait(5_010_000);
        counts.push(world.told.seen.len());
    }
    assert_eq!(counts, [1, 2, 3, 4, 5, 5], "twice as fast as it was");
}

#[test]
fn a_client_that_cannot_take_more_gets_the_rest_later() {
    let mut world = World::new(settings());
    world.consume(2, durable("desk"));
    world.told.full.push(2);
    for number in 0..5 {
        world.publish("orders/1", &number.to_string());
    }
    world.sync();
    assert!(world.told.seen.is_empty());
    world.told.full.clear();
    let at = world.at();
    world.store.client_has_room(at, 2, &mut world.told);
    assert_eq!(world.payloads().len(), 5);
}

#[test]
fn a_durable_subscription_is_deleted_for_all() {
    let mut world = World::new(settings());
    world.consume(2, durable("desk"));
    world.publish("orders/1", "a");
    world.sync();
    let at = world.at();
    assert_eq!(world.store.delete(at, "desk", &mut world.told), Ok(()));
    assert_eq!(world.told.ended, [1]);
    assert_eq!(world.store.delete(at, "desk", &mut world.told), Err(Rejected::Unknown));
    world.sync();
    world.cut_power();
    world.consume(2, durable("desk"));
    assert!(world.told.consuming[0].is_new && world.told.seen.is_empty());
}

#[test]
fn acknowledgements_are_kept_when_it_says_so() {
    let mut world = World::new(settings());
    world.consume(2, Consume { wants_acknowledged: true, ..durable("desk") });
    world.consume(3, durable("other"));
    world.publish("orders/1", "a");
    world.sync();
    let position = world.told.seen[0].position;
    world.acknowledge(2, position);
    world.acknowledge(3, position);
    assert!(world.told.acknowledged.is_empty());
    world.sync();
    let told = [(1, Durability { memory: 1, disk: 1 })];
    assert_eq!(world.told.acknowledged, told, "the other one has not asked");
}

#[test]
fn what_a_commit_does_not_have_is_not_said_to_be_on_disk() {
    let mut world = World::new(settings());
    world.consume(2, Consume { wants_confirmed: true, ..durable("gateway") });
    world.publish("cut/1", "a");
    let first = world.store.next_commit(world.at()).expect("it is urgent");
    world.publish("cut/1", "b");
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    assert!(world.told.confirmed.is_empty() && world.told.stored.is_empty());
    let result = commit(&mut world.disk, &first);
    world.store.committed(world.at(), result, &mut world.told);
    assert_eq!(world.told.confirmed, positions[..1], "b is being written at most");
    assert_eq!(world.told.stored.last().map(|it| it.1.sequence), Some(1));
    world.sync();
    assert_eq!(world.told.confirmed.last(), positions.last());
    assert_eq!(world.told.stored.last().map(|it| it.1.sequence), Some(2));
}

#[test]
fn what_a_commit_does_not_have_is_not_published_directly() {
    let mut world = World::new(settings());
    world.publish("orders/1", "a");
    let first = world.store.next_commit(world.at()).expect("it is urgent");
    world.publish("orders/1", "b");
    let result = commit(&mut world.disk, &first);
    world.store.committed(world.at(), result, &mut world.told);
    assert_eq!(world.told.direct, ["a"], "b is being written at most");
    world.sync();
    assert_eq!(world.told.direct, ["a", "b"]);
}

#[test]
fn an_acknowledgement_behind_more_than_a_commit_takes_is_not_kept_yet() {
    let journal = Options { segment_bytes: 32 << 20, memory_bytes: 32 << 20, ..Options::default() };
    let mut world = World::new(Settings { journal, ..settings() });
    world.consume(2, Consume { wants_acknowledged: true, ..durable("gateway") });
    world.publish("orders/1", "a");
    world.sync();
    let position = world.told.seen[0].position;
    let long = "x".repeat(1 << 20);
    (0..10).for_each(|_| world.publish("orders/1", &long));
    world.acknowledge(2, position);
    let mut commits = 0;
    while world.told.acknowledged.is_empty() {
        let it = world.store.next_commit(world.at()).expect("there is more to write");
        let mut cut = world.disk.clone();
        let result = commit(&mut world.disk, &it);
        world.store.committed(world.at(), result, &mut world.told);
        commits += 1;
        if !world.told.acknowledged.is_empty() {
            cut.clone_from(&world.disk);
        }
        cut.cut_power(&[], &mut |_| 0);
        let other = World::on(cut, world.settings.clone());
        let is_kept = other.store.account("gateway").expect("it stands").acknowledged == 1;
        assert_eq!(is_kept, !world.told.acknowledged.is_empty(), "after {commits} commits");
    }
    assert!(commits > 1, "one commit does not have all");
}

#[test]
fn an_acknowledgement_is_kept_when_the_commit_that_has_it_is_done() {
    let mut world = World::new(settings());
    world.consume(2, Consume { wants_acknowledged: true, ..durable("gateway") });
    world.publish("orders/1", "a");
    world.publish("orders/1", "b");
    world.sync();
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    world.publish("orders/1", "c");
    let without = world.store.next_commit(world.at()).expect("it is urgent");
    world.acknowledge(2, positions[0]);
    let result = commit(&mut world.disk, &without);
    world.store.committed(world.at(), result, &mut world.told);
    assert!(world.told.acknowledged.is_empty(), "it is in no commit that is done");
    let first = world.store.next_commit(world.at()).expect("it is urgent");
    world.acknowledge(2, positions[1]);
    assert!(world.told.acknowledged.is_empty());
    let result = commit(&mut world.disk, &first);
    world.store.committed(world.at(), result, &mut world.told);
    assert_eq!(world.told.acknowledged.iter().map(|it| it.0).collect::<Vec<_>>(), [1]);
    // What was told holds, and no more was told than that.
    world.cut_power();
    world.consume(2, durable("gateway"));
    assert_eq!(world.payloads(), ["b", "c"]);
}

#[test]
fn what_is_given_back_with_a_delay_is_not_acknowledged_with_all_before() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    for payload in ["a", "b", "c"] {
        world.publish("orders/1", payload);
    }
    world.sync();
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    assert_eq!(world.payloads(), ["a", "b", "c"]);
    let at = world.at();
    world.store.release(at, 2, 1, (positions[1], 50_000_000), &mut world.told).expect("it has it");
    world.store.acknowledge(at, 2, 1, (positions[2], true), &mut world.told).expect("it has them");
    assert_eq!(world.store.account("gateway").map(|it| it.acknowledged), Some(2));
    world.wait(60_000_000);
    assert_eq!(world.payloads(), ["b"], "it comes again");
    world.wait(30_000_000);
    world.cut_power();
    world.consume(2, durable("gateway"));
    assert_eq!(world.payloads(), ["b"], "and is not lost either when the power fails");
}

#[test]
fn each_of_two_consumers_has_its_own_window() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 2, ..durable("desk") });
    world.consume(3, Consume { window: 5, ..durable("desk") });
    for number in 0..10 {
        world.publish("orders/1", &number.to_string());
        world.sync();
    }
    let of = |client| world.told.seen.iter().filter(|it| it.client == client).count();
    assert_eq!((of(2), of(3)), (2, 5));
    assert_eq!(world.store.account("desk").map(|it| it.waiting), Some(3));
}

#[test]
fn a_store_in_memory_promises_what_it_can() {
    let memory = Policy { level: Level::Memory, forwarding: Forwarding::StoreAndForward };
    let settings = Settings {
        policy: memory,
        rules: vec![Rule { topics: "disk/>".into(), policy: Policy::default() }],
        ..Settings::default()
    };
    let mut store = Store::in_memory(settings);
    let (at, mut told) = (ClockReading { now: 5, time: TIME }, Told::default());
    let producing = store.produce(at, 1, "feed").expect("room");
    let asked = Consume { pattern: ">", wants_acknowledged: true, ..durable("desk") };
    store.consume(at, 2, &asked, &mut told).expect("taken");
    let message = |sequence, topic| NewMessage {
        sequence,
        time_to_live: 0,
        is_repeated: false,
        format: 0,
        topic,
        payload: b"m",
    };
    store.store(at, producing.producer, &message(1, "orders/1"), &mut told).expect("stored");
    store.settle(&mut told);
    assert_eq!(told.stored[0].1.durability, Durability { memory: 1, disk: 0 });
    assert!(!told.seen[0].is_unconfirmed);
    store.acknowledge(at, 2, 1, (told.seen[0].position, false), &mut told).expect("taken");
    assert_eq!(told.acknowledged, [(1, Durability { memory: 1, disk: 0 })]);
    let rejected = store.store(at, producing.producer, &message(2, "disk/1"), &mut told);
    let Err(Rejected::NotDurable(why)) = rejected else { panic!("{rejected:?}") };
    assert!(why.contains("journal.directory"), "{why}");
}

#[test]
fn a_subscription_over_its_quota_loses_the_oldest_and_is_told() {
    let mut quota = Settings { quota_bytes: 2 * (64 << 10), ..settings() };
    quota.journal.keep = 0;
    let mut world = World::new(quota);
    world.consume(2, Consume { window: 3, ..durable("slow") });
    for number in 0..600 {
        world.publish("orders/1", &format!("{number:0500}"));
        world.sync();
    }
    world.wait(2_000_000_000);
    world.wait(2_000_000_000);
    let account = world.store.account("slow").expect("it stands");
    assert!(account.lost >= 100, "{account:?}");
    let first = world.store.journal().first();
    assert!(first > 100, "segments that nobody may hold are gone: {first}");
    assert_eq!(world.told.lost[0].reason, LossReason::Quota);
    let last = world.told.seen.last().expect("newer ones come").position;
    assert!(last > first, "{last}");
}

fn newest(name: &str, interval: u64) -> Consume<'_> {
    Consume { conflation: Some(interval), ..durable(name) }
}

/// Payloads, and how many each has replaced.
fn replaced(world: &mut World) -> Vec<(String, u64)> {
    let seen = std::mem::take(&mut world.told.seen).into_iter();
    seen.map(|it| (it.payload, it.replaced.expect("it is conflated"))).collect()
}

#[test]
fn of_a_conflated_subscription_the_newest_of_each_topic_waits() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 2, ..newest("screen", 0) });
    for number in 0..5 {
        world.publish("orders/1", &format!("a{number}"));
        world.publish("orders/2", &format!("b{number}"));
        world.sync();
    }
    let positions: Vec<u64> = world.told.seen.iter().map(|it| it.position).collect();
    assert_eq!(replaced(&mut world), [("a0".into(), 0), ("b0".into(), 0)]);
    positions.iter().for_each(|position| world.acknowledge(2, *position));
    assert_eq!(replaced(&mut world), [("a4".into(), 3), ("b4".into(), 3)]);
    let account = world.store.account("screen").expect("it stands");
    assert_eq!((account.acknowledged, account.elided, account.in_flight), (2, 6, 2));
    assert_eq!(account.waiting, 0);
}

#[test]
fn a_conflated_subscription_keeps_its_interval() {
    let mut world = World::new(settings());
    world.consume(2, newest("screen", 10_000_000));
    let mut times = Vec::new();
    for number in 0..100 {
        world.publish("cut/1", &number.to_string());
        world.wait(1_000_000);
        let now = world.now;
        times.extend(world.told.seen.drain(..).map(|it| (now, it.payload)));
    }
    assert!((9..=11).contains(&times.len()), "{times:?}");
    assert!(times.windows(2).all(|pair| pair[1].0 - pair[0].0 > 9_000_000), "{times:?}");
}

#[test]
fn a_topic_with_a_message_in_every_commit_is_delivered_still() {
    let mut world = World::new(settings());
    world.consume(2, newest("screen", 0));
    world.told.seen.clear();
    let mut next = 0;
    for _ in 0..20 {
        let at = world.at();
        let Some(it) = world.store.next_commit(at) else {
            world.publish("orders/1", "first");
            continue;
        };
        // More comes while it is written.
        for _ in 0..3 {
            world.publish("orders/1", &next.to_string());
            next += 1;
        }
        let result = commit(&mut world.disk, &it);
        let at = world.at();
        world.store.committed(at, result, &mut world.told);
    }
    assert!(world.told.seen.len() >= 18, "{}", world.told.seen.len());
    assert!(world.told.seen.is_sorted_by_key(|it| it.position));
}

#[test]
fn what_is_out_of_date_does_not_come_after_a_restart() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 100, ..newest("screen", 0) });
    for number in 0..3 {
        for topic in ["orders/1", "orders/2", "orders/3"] {
            world.publish(topic, &format!("{topic} {number}"));
        }
        world.sync();
    }
    let last: Vec<u64> = world.told.seen.iter().rev().take(3).map(|it| it.position).collect();
    // Of the second topic the newest is acknowledged, of the first an older one, of the third none.
    world.acknowledge(2, last[1]);
    let first_topic =
        world.told.seen.iter().find(|it| it.payload == "orders/1 1").expect("it came").position;
    world.acknowledge(2, first_topic);
    world.wait(30_000_000);
    world.cut_power();
    world.consume(2, Consume { window: 100, ..newest("screen", 0) });
    let seen: Vec<_> = world.told.seen.iter().map(|it| (&it.payload[..], it.is_repeated)).collect();
    assert_eq!(seen, [("orders/1 2", true), ("orders/3 2", true)]);
}

#[test]
fn a_client_that_is_gone_gets_nothing_more_of_what_its_consumers_had() {
    let mut world = World::new(settings());
    for subscription in 1..=5 {
        world.consume(2, Consume { subscription, window: 1, ..durable("gateway") });
    }
    world.publish("orders/1", "a");
    world.sync();
    assert_eq!(world.payloads(), ["a"]);
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    (0..10).for_each(|_| world.wait(1_000));
    let account = world.store.account("gateway").expect("it is there");
    assert_eq!((world.told.seen.len(), account.deliveries, account.waiting), (0, 1, 1));
    world.consume(3, durable("gateway"));
    let [again] = &world.told.seen[..] else { panic!("{:?}", world.told.seen) };
    assert_eq!((again.client, again.deliveries), (3, 1));
}
