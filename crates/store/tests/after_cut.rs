//! What is known after a power cut: nothing that is done comes again, and the accounts are what they were.

mod world;

use trunkline_store::{Account, Consume, LossReason, Settings, kind};
use world::{World, durable, records, settings};

const SECOND: u64 = 1_000_000_000;

fn positions(world: &World) -> Vec<u64> {
    world.told.seen.iter().map(|it| it.position).collect()
}

fn account(world: &World, name: &str) -> Account {
    world.store.account(name).expect("it stands")
}

fn screen() -> Consume<'static> {
    Consume { window: 1_000, conflation: Some(0), ..durable("screen") }
}

/// Lets all be done that needs turns.
fn rest(world: &mut World) {
    (0..50).for_each(|_| world.wait(1_000_000));
}

/// Cuts the power, and gives what comes to a new consumer.
fn comes_again(world: &mut World, asked: Consume<'_>) -> Vec<String> {
    world.cut_power();
    world.consume(3, asked);
    rest(world);
    world.payloads()
}

/// Fills segments with what nobody wants, so that all is known by checkpoints behind it.
fn leave_the_segment(world: &mut World) {
    let before = world.store.journal().since();
    for number in 0..2_000 {
        world.publish_in_time("cut/other", &format!("{number:0500}"));
        if number % 100 == 0 {
            world.wait(SECOND);
        }
    }
    assert!(world.store.journal().since() > before + 2, "all was said again");
}

#[test]
fn what_is_done_of_a_conflated_subscription_is_in_the_checkpoint() {
    let mut settings = settings();
    settings.journal.keep = 0;
    let mut world = World::new(settings);
    let at = world.at();
    let asked = Consume { pattern: "fx/>", ..screen() };
    world.store.consume(at, 2, &asked, &mut world.told).expect("it stands");
    world.sync();
    for number in 0..6 {
        world.publish(&format!("fx/{number}"), &number.to_string());
    }
    world.sync();
    let all = positions(&world);
    assert_eq!(all.len(), 6);
    // The first is open, and so is one between those that are done.
    for open in [1, 2, 4, 5] {
        world.acknowledge(2, all[open]);
    }
    world.sync();
    leave_the_segment(&mut world);
    let before = account(&world, "screen");
    world.cut_power();
    let at = world.at();
    world.store.consume(at, 3, &asked, &mut world.told).expect("it stands");
    rest(&mut world);
    assert_eq!(world.payloads(), ["0", "3"]);
    let after = account(&world, "screen");
    assert_eq!((after.acknowledged, after.elided), (before.acknowledged, before.elided));
}

#[test]
fn a_conflated_message_beside_one_that_waits_is_done_for_good() {
    let mut world = World::new(settings());
    world.consume(2, screen());
    world.publish("fx/1", "one");
    world.publish("fx/2", "two");
    world.sync();
    let all = positions(&world);
    assert_eq!(all[1], all[0] + 1, "they stand side by side");
    let at = world.at();
    world.store.release(at, 2, 1, (all[0], 3_600 * SECOND), &mut world.told).expect("it has it");
    world.acknowledge(2, all[1]);
    rest(&mut world);
    assert_eq!(comes_again(&mut world, screen()), ["one"]);
}

#[test]
fn the_account_of_a_conflated_subscription_is_what_it_was() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 2, ..screen() });
    for number in 0..5 {
        for topic in 0..4 {
            world.publish(&format!("fx/{topic}"), &number.to_string());
        }
    }
    world.publish_for("fx/short", "expires", SECOND);
    world.sync();
    world.wait(2 * SECOND);
    let first = positions(&world)[0];
    world.acknowledge(2, first);
    rest(&mut world);
    let all =
        |account: &Account| (account.acknowledged, account.elided, account.expired, account.lost);
    let before = account(&world, "screen");
    assert!(before.elided > 8 && before.in_flight == 2, "{before:?}");
    for _ in 0..2 {
        world.cut_power();
        world.consume(3, Consume { window: 2, ..screen() });
        rest(&mut world);
        let after = account(&world, "screen");
        let total =
            |it: &Account| it.acknowledged + it.elided + it.expired + it.in_flight + it.waiting;
        assert_eq!(total(&after), total(&before), "{after:?} {before:?}");
        assert_eq!(all(&after).0, all(&before).0);
    }
}

#[test]
fn what_was_acknowledged_all_at_once_by_who_left_is_done_to_the_last() {
    let mut world = World::new(settings());
    let asked = || Consume { window: 5_000, ..durable("gateway") };
    world.consume(2, asked());
    (0..3_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let (at, last) = (world.at(), positions(&world)[2_999]);
    world.store.acknowledge(at, 2, 1, (last, true), &mut world.told).expect("it has them");
    // So many take more than one turn.
    world.store.disconnect(at, 2, &mut world.told);
    rest(&mut world);
    assert_eq!(account(&world, "gateway").acknowledged, 3_000);
    assert_eq!(comes_again(&mut world, asked()), [""; 0]);
}

#[test]
fn what_a_consumer_had_that_left_comes_to_the_next_however_much_it_is() {
    let mut world = World::new(settings());
    let asked = || Consume { window: 5_000, ..durable("gateway") };
    world.consume(2, asked());
    (0..3_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    rest(&mut world);
    assert_eq!(account(&world, "gateway").in_flight, 0);
    let idle = world.now;
    assert!(world.store.next_deadline().is_none_or(|it| it > idle), "there is nothing to do");
    world.told.seen.clear();
    world.consume(3, asked());
    rest(&mut world);
    assert_eq!(positions(&world).len(), 3_000);
}

#[test]
fn what_was_lost_by_a_quota_is_lost_after_a_power_cut_too() {
    // In line, in flight, and given back.
    for case in 0..3 {
        let mut settings = Settings { quota_bytes: 64 << 10, ..settings() };
        settings.journal.keep = 0;
        let mut world = World::new(settings);
        let asked = || Consume { window: 1_000, ..durable("gateway") };
        world.consume(2, Consume { pattern: "cut/mine", ..asked() });
        if case == 0 {
            let at = world.at();
            world.store.disconnect(at, 2, &mut world.told);
        }
        (0..20).for_each(|number| world.publish_in_time("cut/mine", &number.to_string()));
        world.sync();
        if case == 2 {
            let at = world.at();
            world.store.disconnect(at, 2, &mut world.told);
        }
        rest(&mut world);
        for number in 0..600 {
            world.publish_in_time("cut/mine", &format!("{number:0500}"));
            if number % 50 == 0 {
                world.wait(SECOND);
            }
        }
        rest(&mut world);
        let before = account(&world, "gateway");
        assert!(before.lost >= 20, "{case}: {before:?}");
        world.cut_power();
        assert_eq!(account(&world, "gateway").lost, before.lost, "{case}");
        world.consume(3, asked());
        rest(&mut world);
        let after = account(&world, "gateway");
        let total = after.acknowledged + after.in_flight + after.waiting + after.lost;
        assert_eq!(total, 620, "{case}: {after:?}");
    }
}

#[test]
fn damage_behind_what_is_done_is_told_from_where_it_begins() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    for payload in ["a", "b", "c", "d", "e"] {
        world.publish("orders/1", payload);
    }
    world.sync();
    let all = positions(&world);
    for done in [1, 2] {
        world.acknowledge(2, all[done]);
    }
    rest(&mut world);
    let (name, body) = records(&mut world.disk, kind::MESSAGE).swap_remove(3);
    world.disk.flip(&name, body + 2, 3);
    assert_eq!(comes_again(&mut world, durable("gateway")), ["a", "e"]);
    let lost: Vec<_> = world.told.lost.iter().map(|it| (it.reason, it.first, it.last)).collect();
    assert_eq!(lost, [(LossReason::Damaged, all[3], all[3])]);
}

#[test]
fn what_nobody_takes_expires_in_its_time_and_not_before() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    world.publish_for("orders/1", "short", 10 * SECOND);
    world.publish_for("orders/1", "long", 3_600 * SECOND);
    world.sync();
    for _ in 0..20 {
        world.wait(SECOND);
    }
    world.consume(3, durable("gateway"));
    rest(&mut world);
    assert_eq!(world.payloads(), ["long"]);
    assert_eq!(account(&world, "gateway").expired, 1);
}

#[test]
fn what_a_conflated_subscription_lost_by_a_quota_stays_in_its_account() {
    let mut settings = Settings { quota_bytes: 64 << 10, ..settings() };
    settings.journal.keep = 0;
    let mut world = World::new(settings);
    world.consume(2, screen());
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    (0..20).for_each(|topic| world.publish_in_time(&format!("fx/{topic}"), "x"));
    for number in 0..600 {
        world.publish_in_time("fx/other", &format!("{number:0500}"));
        if number % 50 == 0 {
            world.wait(SECOND);
        }
    }
    rest(&mut world);
    let before = account(&world, "screen");
    // Some may be over the quota while something newer is on its way to the disk.
    assert!(before.lost >= 20, "{before:?}");
    assert_eq!((before.lost + before.elided, before.waiting), (619, 1), "{before:?}");
    for _ in 0..2 {
        world.cut_power();
        world.consume(3, screen());
        rest(&mut world);
        let after = account(&world, "screen");
        assert!(after.lost >= 20, "{after:?}");
        assert_eq!((after.lost + after.elided, after.in_flight), (619, 1), "{after:?}");
    }
}

#[test]
fn a_quota_takes_what_is_over_it_of_what_was_not_looked_for_yet() {
    let mut settings = Settings { quota_bytes: 256 << 10, ..settings() };
    settings.journal.keep = 0;
    let mut world = World::new(settings);
    world.consume(2, durable("gateway"));
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    // More than a subscription has in line.
    for number in 0..40_000 {
        world.publish_in_time("cut/1", &number.to_string());
        if number % 5_000 == 0 {
            world.wait(SECOND);
        }
    }
    rest(&mut world);
    world.told.lost.clear();
    world.consume(3, Consume { window: 50_000, ..durable("gateway") });
    rest(&mut world);
    let seen = positions(&world);
    let last = world.told.lost.iter().map(|it| it.last).max().expect("it is told");
    assert!(world.told.lost.iter().all(|it| it.reason == LossReason::Quota));
    assert!(seen.len() > 1_000 && seen[0] > last && seen[0] - last <= 3, "{last} {}", seen[0]);
    assert!(seen.windows(2).all(|it| it[1] - it[0] <= 2), "nothing else is missing");
}
