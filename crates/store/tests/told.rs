//! What is done, lost, counted and rejected is told to whom it concerns, and nothing else is.

mod world;

use trunkline_journal::simulated::Fault;
use trunkline_store::{Consume, LossReason, NewMessage, Rejected, Settings, Start, kind};
use world::{PUBLISHER, World, durable, records, settings};

const SECOND: u64 = 1_000_000_000;

fn message(sequence: u64) -> NewMessage<'static> {
    let (time_to_live, is_repeated, format) = (0, true, 0);
    NewMessage { sequence, time_to_live, is_repeated, format, topic: "orders/1", payload: b"x" }
}

fn positions(world: &World) -> Vec<u64> {
    world.told.seen.iter().map(|it| it.position).collect()
}

fn losses(world: &World) -> Vec<(LossReason, u64, u64, u64)> {
    world.told.lost.iter().map(|it| (it.reason, it.count, it.first, it.last)).collect()
}

#[test]
fn what_is_given_back_without_delay_comes_at_once() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    world.publish("orders/1", "a");
    world.sync();
    let (at, position) = (world.at(), positions(&world)[0]);
    world.store.release(at, 2, 1, (position, 0), &mut world.told).expect("it has it");
    assert_eq!(positions(&world), [position, position]);
}

#[test]
fn what_was_acknowledged_with_all_before_cannot_be_given_back() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 5_000, ..durable("gateway") });
    (0..3_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    let all = positions(&world);
    assert_eq!(all.len(), 3_000);
    let (at, last) = (world.at(), all[2_999]);
    world.store.acknowledge(at, 2, 1, (last, true), &mut world.told).expect("it has them");
    // So many take more than one turn.
    world.store.release(at, 2, 1, (last, 0), &mut world.told).expect("it had it");
    (0..10).for_each(|_| world.wait(1_000_000));
    assert_eq!(positions(&world).len(), 3_000, "nothing comes again");
    let account = world.store.account("gateway").expect("it stands");
    assert_eq!((account.acknowledged, account.in_flight), (3_000, 0));
}

#[test]
fn what_expires_behind_a_full_window_is_told_and_the_rest_comes() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 1, ..durable("gateway") });
    world.publish("cut/1", "a");
    world.publish_for("cut/1", "short", SECOND);
    world.publish_for("cut/1", "long", 3_600 * SECOND);
    world.sync();
    world.now += 2 * SECOND;
    world.acknowledge(2, positions(&world)[0]);
    assert_eq!(world.payloads(), ["a", "long"]);
    let told: Vec<_> = losses(&world).iter().map(|it| (it.0, it.1)).collect();
    assert_eq!(told, [(LossReason::Expired, 1)]);
}

#[test]
fn a_replay_is_told_what_is_not_kept_any_more() {
    let mut settings = settings();
    settings.journal.keep = 0;
    let mut world = World::new(settings);
    (0..10).for_each(|number| world.publish_in_time("cut/1", &format!("{number:01000}")));
    world.sync();
    // It cannot take anything while what it is to get is let go of.
    world.told.full.push(5);
    world.consume(5, Consume { start: Start::All, window: 1, ..durable("") });
    (0..1_000).for_each(|number| world.publish_in_time("cut/1", &format!("{number:01000}")));
    world.sync();
    world.wait(2 * SECOND);
    let first = world.store.journal().first();
    assert!(first > 500, "{first}");
    world.told.full.clear();
    let at = world.at();
    world.store.client_has_room(at, 5, &mut world.told);
    for _ in 0..100 {
        world.wait(1_000_000);
    }
    let lost = losses(&world);
    assert!(lost.iter().all(|it| it.0 == LossReason::Gone), "{lost:?}");
    let last = lost.iter().map(|it| it.3).max().expect("it is told");
    assert!(positions(&world).iter().any(|it| *it > last && *it <= first + 2), "{lost:?}");
}

#[test]
fn what_is_damaged_is_told_by_its_positions() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    for payload in ["a", "b", "c", "d"] {
        world.publish("orders/1", payload);
    }
    world.sync();
    let all = positions(&world);
    let (name, body) = records(&mut world.disk, kind::MESSAGE).swap_remove(1);
    world.cut_power();
    world.disk.flip(&name, body + 2, 3);
    world.consume(3, durable("gateway"));
    for _ in 0..20 {
        world.wait(1_000_000);
    }
    assert_eq!(losses(&world), [(LossReason::Damaged, 0, all[1], all[1])]);
    assert_eq!(world.payloads(), ["a", "c", "d"]);
}

#[test]
fn what_was_given_back_is_let_go_of_with_the_rest() {
    let mut settings = Settings { quota_bytes: 64 << 10, ..settings() };
    settings.journal.keep = 0;
    let mut world = World::new(settings);
    world.consume(2, durable("gateway"));
    (0..5).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let (at, all) = (world.at(), positions(&world));
    world.store.disconnect(at, 2, &mut world.told);
    world.wait(1_000_000);
    (0..600).for_each(|number| world.publish_in_time("cut/1", &format!("{number:0500}")));
    world.sync();
    for _ in 0..10 {
        world.wait(SECOND);
    }
    let durable_view = world.store.durables().next().expect("it stands");
    assert!(durable_view.floor > all[4], "{durable_view:?}");
    world.told.seen.clear();
    world.consume(2, Consume { window: 1_000, ..durable("gateway") });
    for _ in 0..10 {
        world.wait(1_000_000);
    }
    let lost = losses(&world);
    assert_eq!((lost.len(), lost[0].0, lost[0].2), (1, LossReason::Quota, all[0]), "{lost:?}");
    assert_eq!(lost[0].1 + positions(&world).len() as u64, 605, "told or delivered");
}

#[test]
fn so_many_consumers_may_share_a_subscription_and_no_more() {
    let mut world = World::new(settings());
    for client in 2..1_026 {
        world.consume(client, durable("shared"));
    }
    let at = world.at();
    let asked = Consume { pattern: ">", ..durable("shared") };
    let rejected = world.store.consume(at, 2_000, &asked, &mut world.told);
    assert!(matches!(&rejected, Err(Rejected::Limit(why)) if why.contains("1024")), "{rejected:?}");
    assert!(world.store.has_consumer(2, 1) && !world.store.has_consumer(2_000, 1));
    world.store.disconnect(at, 2, &mut world.told);
    assert_eq!(world.store.consume(at, 2_000, &asked, &mut world.told), Ok(()));
    assert!(world.store.has_consumer(2_000, 1) && !world.store.has_consumer(2, 1));
}

#[test]
fn a_producer_that_is_connected_is_not_forgotten_for_another() {
    let mut world = World::new(Settings { producers: 1, producer_keep: 0, ..settings() });
    world.publish("orders/1", "a");
    world.sync();
    world.now += SECOND;
    let at = world.at();
    let rejected = world.store.produce(at, 9, "other");
    assert!(matches!(rejected, Err(Rejected::Limit(_))), "{rejected:?}");
    world.publish("orders/1", "b");
    let feed = world.producer.expect("it is connected");
    // What it has sent is not on disk yet: it is not forgotten either.
    world.store.leave(feed);
    let rejected = world.store.produce(at, 9, "other");
    assert!(matches!(rejected, Err(Rejected::Limit(_))), "{rejected:?}");
    world.sync();
    world.now += SECOND;
    let at = world.at();
    assert_eq!(world.store.produce(at, 9, "other").map(|it| it.last), Ok(0));
}

#[test]
fn a_subscription_over_a_limit_that_was_lowered_goes_on_while_it_needs_no_more() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 100, ..durable("gateway") });
    (0..40).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    let all = positions(&world);
    for position in all.iter().skip(1).step_by(4).take(8) {
        world.acknowledge(2, *position);
    }
    world.store.reconfigure(Settings { ranges: 3, ..settings() });
    for position in all.iter().skip(2).step_by(4).take(8) {
        world.acknowledge(2, *position);
    }
    assert!(world.told.rejected.is_empty(), "each made a range longer: {:?}", world.told.rejected);
    world.acknowledge(2, all[0]);
    assert!(world.told.rejected.is_empty());
    world.acknowledge(2, all[37]);
    assert_eq!(world.told.rejected.len(), 1, "that is one more");
}

#[test]
fn what_is_acknowledged_again_is_no_error_whatever_the_ranges() {
    let mut world = World::new(Settings { ranges: 8, ..settings() });
    world.consume(2, Consume { window: 100, ..durable("shared") });
    (0..200).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    let all = positions(&world);
    for position in all.iter().skip(1).step_by(2).take(9) {
        world.acknowledge(2, *position);
    }
    assert_eq!(world.told.rejected.len(), 1, "it has stopped");
    for _ in 0..10 {
        world.wait(1_000_000);
    }
    world.consume(2, Consume { window: 100, ..durable("shared") });
    for position in all.iter().skip(1).step_by(2).take(9) {
        world.acknowledge(2, *position);
    }
    // Nor is one that nobody has and that was not come to.
    let last = world.store.journal().last();
    world.acknowledge(2, last);
    let account = world.store.account("shared").expect("it stands");
    assert_eq!(account.acknowledged, 9);
}

#[test]
fn what_was_not_stored_when_the_disk_failed_is_not_said_to_be() {
    let mut world = World::new(settings());
    world.publish("orders/1", "a");
    world.sync();
    world.publish("orders/1", "b");
    let at = world.at();
    world.store.next_commit(at).expect("it is urgent");
    world.store.committed(at, Err("no".into()), &mut world.told);
    let producer = world.producer.expect("it is connected");
    world.told.stored.clear();
    let again = world.store.store(at, producer, &message(2), &mut world.told);
    assert!(matches!(again, Err(Rejected::NotDurable(_))), "{again:?}");
    assert_eq!(world.store.store(at, producer, &message(1), &mut world.told), Ok(()));
    world.store.settle(&mut world.told);
    let stored: Vec<_> = world.told.stored.iter().map(|it| (it.0, it.1.sequence)).collect();
    assert_eq!(stored, [(PUBLISHER, 1)], "that one is on disk");
}

#[test]
fn what_is_stored_repeated_and_rejected_is_counted() {
    let mut world = World::new(settings());
    world.publish("orders/1", "a");
    world.publish("orders/1", "b");
    let (at, producer) = (world.at(), world.producer.expect("it is connected"));
    for sequence in [1, 2, 2, 9, 10] {
        let _ = world.store.store(at, producer, &message(sequence), &mut world.told);
    }
    let counts = world.store.counts();
    assert_eq!((counts.stored, counts.repeated, counts.rejected), (2, 3, 2));
}

#[test]
fn segments_that_nobody_needs_go_by_themselves() {
    let mut settings = settings();
    settings.journal.keep = 60 * SECOND;
    let mut world = World::new(settings);
    (0..600).for_each(|number| world.publish_in_time("cut/1", &format!("{number:0500}")));
    world.sync();
    assert!(world.store.journal().has_old() && world.store.journal().first() == 1);
    // Nobody asks for anything any more.
    for _ in 0..1_000 {
        let Some(due) = world.store.next_deadline() else { break };
        let wait = due.saturating_sub(world.now).max(1_000);
        world.wait(wait);
    }
    assert!(world.store.journal().first() > 1);
}

#[test]
fn a_power_cut_in_these_tests_takes_what_was_not_synced() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    world.publish("orders/1", "a");
    world.sync();
    world.disk.set_fault(Fault::Syncs);
    world.publish("orders/1", "b");
    world.sync();
    let stored: Vec<u64> = world.told.stored.iter().map(|it| it.1.sequence).collect();
    assert_eq!(stored, [1, 2], "the disk has said so of both");
    world.disk.set_fault(Fault::None);
    world.cut_power();
    world.consume(2, durable("gateway"));
    assert_eq!(world.payloads(), ["a"]);
}

#[test]
fn a_replay_that_has_yet_to_look_further_is_told_what_is_gone_there() {
    let mut settings = settings();
    settings.journal.keep = 0;
    let mut world = World::new(settings);
    // More than a subscription has in line.
    (0..17_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    world.told.full.push(5);
    world.consume(5, Consume { start: Start::All, window: 1, ..durable("") });
    for _ in 0..50 {
        world.wait(1_000_000);
    }
    (0..200).for_each(|number| world.publish_in_time("cut/1", &format!("{number:01000}")));
    world.sync();
    world.wait(2 * SECOND);
    let first = world.store.journal().first();
    assert!(first > 17_000, "{first}");
    world.told.full.clear();
    let at = world.at();
    world.store.client_has_room(at, 5, &mut world.told);
    for _ in 0..2_000 {
        world.wait(1_000_000);
    }
    assert_eq!(world.store.journal().first(), first);
    let lost = losses(&world);
    assert!(lost.iter().all(|it| it.0 == LossReason::Gone), "{lost:?}");
    let (from, to) = (lost.iter().map(|it| it.2).min(), lost.iter().map(|it| it.3).max());
    // The first two records are no messages.
    assert_eq!((from, to), (Some(3), Some(first - 1)), "{lost:?}");
    let (seen, last) = (positions(&world), world.store.journal().last());
    assert!(seen[0] - first <= 1 && last - seen[seen.len() - 1] <= 1, "{seen:?}");
}

#[test]
fn other_rules_count_for_topics_that_are_known() {
    let mut world = World::new(settings());
    world.publish("orders/1", "a");
    assert!(world.told.stored.is_empty(), "it is not on disk yet");
    world.sync();
    world.told.stored.clear();
    let mut rules = settings().rules;
    rules[1].topics = "orders/>".into();
    world.store.reconfigure(Settings { rules, ..settings() });
    world.publish("orders/1", "b");
    assert_eq!(world.told.stored.len(), 1, "memory is enough now");
}

#[test]
fn that_a_message_is_on_disk_is_told_to_who_asked_and_saw_it_before() {
    let mut world = World::new(settings());
    world.consume(2, durable("asked"));
    let asked = Consume { wants_confirmed: true, ..durable("asked too") };
    for (topic, is_early) in [("cut/1", true), ("orders/1", false)] {
        for (client, asked) in [(2, durable("not")), (3, asked)] {
            let name = format!("{}{}", asked.name, topic);
            world.consume(client + 10, Consume { name: &name, ..asked });
            world.publish(topic, "a");
            world.told.confirmed.clear();
            world.sync();
            let told = !world.told.confirmed.is_empty();
            assert_eq!(told, is_early && client == 3, "{topic} {client}");
            let at = world.at();
            world.store.disconnect(at, client + 10, &mut world.told);
        }
    }
}

#[test]
fn a_subscription_that_looks_for_what_was_before_it_is_behind() {
    let mut world = World::new(settings());
    (0..5_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let at = world.at();
    let asked = Consume { pattern: ">", start: Start::All, window: 10_000, ..durable("gateway") };
    world.store.consume(at, 2, &asked, &mut world.told).expect("it stands");
    assert!(world.store.account("gateway").expect("it stands").is_behind);
    for _ in 0..100 {
        world.wait(1_000_000);
    }
    assert_eq!(positions(&world).len(), 5_000);
    assert!(!world.store.account("gateway").expect("it stands").is_behind);
}

#[test]
fn what_waits_for_the_disk_comes_with_the_commit() {
    let mut world = World::new(settings());
    world.consume(2, durable("gateway"));
    world.publish("orders/1", "a");
    world.sync();
    let (at, producer) = (world.at(), world.producer.expect("it is connected"));
    world.store.store(at, producer, &message(2), &mut world.told).expect("room");
    let it = world.store.next_commit(at).expect("it is urgent");
    let result = trunkline_journal::commit(&mut world.disk, &it);
    world.store.committed(at, result, &mut world.told);
    assert_eq!(world.payloads(), ["a", "x"]);
}

#[test]
fn an_update_that_is_given_back_too_late_is_counted_as_replaced() {
    let mut world = World::new(settings());
    world.consume(2, Consume { conflation: Some(0), window: 1, ..durable("screen") });
    world.publish("fx/1", "old");
    world.sync();
    world.publish("fx/1", "new");
    world.sync();
    let (at, old) = (world.at(), positions(&world)[0]);
    let before = world.store.account("screen").expect("it stands").elided;
    world.store.release(at, 2, 1, (old, 0), &mut world.told).expect("it has it");
    assert_eq!(world.store.account("screen").expect("it stands").elided, before + 1);
    assert_eq!(world.payloads(), ["old", "new"]);
}

#[test]
fn every_kind_of_record_has_a_name() {
    let names: Vec<&str> = (0..=kind::PAUSED).map(kind::name).collect();
    let known: std::collections::BTreeSet<&str> =
        names.iter().copied().filter(|it| *it != "unknown").collect();
    for name in [
        "mark",
        "state",
        "message",
        "producer",
        "subscription",
        "deleted",
        "done",
        "piece",
        "paused",
    ] {
        assert!(known.contains(name), "{names:?}");
    }
}

#[test]
fn a_subscription_stands_before_anything_is_told_of_it() {
    let mut world = World::new(settings());
    for payload in ["a", "b", "c"] {
        world.publish("orders/1", payload);
    }
    world.sync();
    world.cut_power();
    let (name, body) = records(&mut world.disk, kind::MESSAGE).swap_remove(0);
    world.disk.flip(&name, body + 2, 3);
    let asked = Consume { pattern: ">", start: Start::All, ..durable("gateway") };
    let at = world.at();
    world.store.consume(at, 2, &asked, &mut world.told).expect("it stands soon");
    // What it looks for is read, and nothing of it is on disk.
    for _ in 0..5 {
        world.tasks();
        let at = world.at();
        world.store.client_has_room(at, 2, &mut world.told);
    }
    assert_eq!((world.told.consuming.len(), losses(&world).len()), (0, 0));
    (0..5).for_each(|_| world.wait(1_000_000));
    assert_eq!((world.told.consuming.len(), losses(&world).len()), (1, 1));
}
