//! Messages that are not what the consumers of a durable subscription want: they are done, and are counted.

mod world;

use trunkline_store::{
    Account, Consume, DeliveryPolicy, DeliveryRule, Rejected, Sending, Settings,
};
use world::{World, durable, settings};

fn account(world: &World) -> Account {
    world.store.account("gateway").expect("it is there")
}

/// A world with so many messages, which wait for what the filter of their consumer says; their positions.
fn world(messages: usize) -> (World, Vec<u64>) {
    let mut world = World::new(settings());
    world.told.waits.push(2);
    world.consume(2, Consume { filter: Some(7), window: 10_000, ..durable("gateway") });
    for number in 0..messages {
        world.publish_in_time("orders/1", &format!("message {number}"));
    }
    world.sync();
    let positions = world.told.seen.iter().map(|it| it.position).collect();
    world.told.seen.clear();
    (world, positions)
}

fn filtered(world: &mut World, position: u64) {
    let at = world.at();
    world.store.filtered(at, 2, 1, position, &mut world.told);
}

#[test]
fn what_does_not_pass_is_done_also_after_a_failure() {
    for is_checkpointed in [false, true] {
        let (mut world, positions) = world(100);
        for (number, position) in positions.iter().enumerate() {
            match number % 4 {
                // Told twice, it is done once.
                0 | 1 => (0..2).for_each(|_| filtered(&mut world, *position)),
                2 => {
                    assert_eq!(world.send(2, *position), Sending::Now);
                    // It has passed.
                    filtered(&mut world, *position);
                    world.acknowledge(2, *position);
                }
                _ => {}
            }
        }
        let it = account(&world);
        let known = (it.filtered, it.acknowledged, it.in_flight, it.waiting, it.deliveries);
        assert_eq!(known, (50, 25, 25, 0, 25), "what did not pass has reached nobody");
        world.wait(1_000_000_000);
        let mut more = 0;
        if is_checkpointed {
            // Enough for segments that say all of it anew.
            let before = world.store.journal().end().segment;
            while world.store.journal().end().segment < before + 3 {
                world.publish_in_time("other/1", &"x".repeat(1_000));
                more += 1;
            }
            world.sync();
        }
        world.cut_power();
        let it = account(&world);
        assert_eq!((it.filtered, it.acknowledged), (50, 25), "{is_checkpointed}");
        world.consume(3, Consume { window: 10_000, ..durable("gateway") });
        (0..50).for_each(|_| world.wait(1_000_000));
        let seen = world.payloads();
        let seen: Vec<&String> = seen.iter().filter(|it| it.starts_with("message")).collect();
        let expected: Vec<String> = (0..25).map(|it| format!("message {}", 4 * it + 3)).collect();
        assert_eq!(seen, expected.iter().collect::<Vec<_>>());
        let it = account(&world);
        assert_eq!(it.filtered + it.acknowledged + it.in_flight + it.waiting, 100 + more);
    }
}

#[test]
fn a_window_of_one_goes_on_behind_what_does_not_pass() {
    let mut world = World::new(settings());
    world.told.waits.push(2);
    world.consume(2, Consume { filter: Some(7), window: 1, ..durable("gateway") });
    for number in 0..10 {
        world.publish_in_time("orders/1", &format!("message {number}"));
    }
    world.sync();
    for number in 0..10 {
        let seen = std::mem::take(&mut world.told.seen);
        let [it] = &seen[..] else { panic!("{seen:?}") };
        assert_eq!(it.payload, format!("message {number}"));
        filtered(&mut world, it.position);
        world.wait(1_000);
    }
    assert_eq!((account(&world).filtered, world.told.seen.len()), (10, 0));
}

#[test]
fn what_is_behind_many_that_do_not_pass_is_looked_for_once() {
    const OTHERS: u64 = 100;
    let (mut world, positions) = world(64);
    for client in 3..3 + OTHERS {
        world.told.full.push(client);
        world.consume(client, Consume { filter: Some(7), ..durable("gateway") });
    }
    world.told.full.push(2);
    world.publish_in_time("orders/1", "behind");
    world.sync();
    world.told.asked = 0;
    for position in positions {
        filtered(&mut world, position);
    }
    world.wait(1_000);
    assert_eq!(account(&world).filtered, 64);
    assert!(world.told.asked <= 2 * (OTHERS + 1), "{}", world.told.asked);
    // Also where all of them could take something.
    world.told.asked = 0;
    let (at, all) = (world.at(), (2..3 + OTHERS).map(|client| (client, 1)));
    world.store.consumers_have_room(at, all, &mut world.told);
    assert_eq!(world.told.asked, OTHERS + 1);
    world.told.full.clear();
    let (at, all) = (world.at(), (2..3 + OTHERS).map(|client| (client, 1)));
    world.store.consumers_have_room(at, all, &mut world.told);
    assert_eq!(world.payloads(), ["behind"]);
}

#[test]
fn who_is_late_is_so_also_behind_what_does_not_pass() {
    const SECOND: u64 = 1_000_000_000;
    let policy = DeliveryPolicy { acknowledge_within: SECOND, dead_letters: None };
    let rule = DeliveryRule { name: "gateway".to_owned(), policy };
    let mut world = World::new(Settings { delivery_rules: vec![rule], ..settings() });
    world.told.waits.push(2);
    world.consume(2, Consume { filter: Some(7), window: 10, ..durable("gateway") });
    world.publish_in_time("orders/1", "late");
    world.sync();
    let late = world.told.seen.remove(0).position;
    assert_eq!(world.send(2, late), Sending::Now);
    (0..20).for_each(|_| world.wait(SECOND / 10));
    assert_eq!((account(&world).timed_out, world.payloads().len()), (1, 1), "it waits again");
    for _ in 0..5 {
        world.publish_in_time("orders/1", "more");
    }
    world.sync();
    // Meanwhile it is held against another description.
    filtered(&mut world, late);
    world.wait(1_000);
    let seen = std::mem::take(&mut world.told.seen);
    assert_eq!(seen.len(), 1, "one at a time: {seen:?}");
    // When it acknowledges something, it has its window again.
    assert_eq!(world.send(2, seen[0].position), Sending::Now);
    world.acknowledge(2, seen[0].position);
    assert_eq!(world.payloads().len(), 4);
}

#[test]
fn all_who_consume_at_a_time_want_the_same() {
    let (mut world, _) = world(1);
    let at = world.at();
    let mut consume = |client: u64, filter: Option<u32>| {
        let asked = Consume { pattern: ">", filter, ..durable("gateway") };
        world.store.consume(at, client, &asked, &mut world.told)
    };
    for other in [None, Some(8)] {
        let rejected = consume(3, other).expect_err("another filter");
        assert!(matches!(&rejected, Rejected::Different(why) if why.contains("another filter")));
    }
    assert_eq!(consume(3, Some(7)), Ok(()));
    for client in [2, 3] {
        world.store.disconnect(at, client, &mut world.told);
    }
    let asked = Consume { pattern: ">", filter: Some(8), ..durable("gateway") };
    assert_eq!(world.store.consume(at, 4, &asked, &mut world.told), Ok(()));
}
