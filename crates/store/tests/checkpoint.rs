//! What is known goes into the journal in pieces, and is known after any start: behind a stop in the middle of
//! them, behind segments that were let go of, and of each message for each subscription.

mod world;

use trunkline_journal::Options;
use trunkline_store::{Consume, Settings, Store, kind};
use world::{World, durable, records, settings};

/// Small segments and pieces, so that a checkpoint of some subscriptions takes two segments.
fn small() -> Settings {
    let journal =
        Options { segment_bytes: 16 << 10, memory_bytes: 4 << 10, keep: 0, ..Options::default() };
    Settings { journal, piece_bytes: 150, ..settings() }
}

#[test]
fn what_is_let_go_of_after_a_start_leaves_a_complete_checkpoint() {
    let mut world = World::new(small());
    for number in 0..60 {
        let name = format!("durable-{number}");
        world.consume(10 + number, Consume { window: 10_000, ..durable(&name) });
    }
    let mut removed = 0;
    for number in 0..75 {
        world.publish_in_time("orders/1", &format!("{number:06}{}", "x".repeat(7_000)));
        world.sync();
        for it in std::mem::take(&mut world.told.seen) {
            world.acknowledge(it.client, it.position);
        }
        world.wait(30_000_000);
        let mut disk = world.disk.clone();
        disk.cut_power(&[], &mut |_| 0);
        let mut other = World::on(disk, world.settings.clone());
        let first = other.store.journal().first();
        for _ in 0..10 {
            other.wait(1_000_000_000);
        }
        removed += u32::from(other.store.journal().first() > first);
        // Nothing that was begun is lost: it would be written again.
        other.disk.cut_power(&[], &mut |pending| pending - 1);
        // The last segment may lose what it begins with one day.
        let mut damaged = other.disk.clone();
        if let Some((name, body)) = records(&mut damaged, kind::STATE).pop()
            && removed > 0
        {
            damaged.flip(&name, body + 20, 3);
            let opened = Store::open(&mut damaged, world.settings.clone(), 7);
            let (_, opened) = opened.unwrap_or_else(|error| panic!("{name} is damaged: {error}"));
            assert_eq!(opened.durables, 60, "{name} is damaged");
        }
        let opened = Store::open(&mut other.disk, world.settings.clone(), 7);
        let (_, opened) = opened.unwrap_or_else(|error| panic!("after message {number}: {error}"));
        assert_eq!(opened.durables, 60, "after message {number}");
    }
    assert!(removed > 10, "segments were let go of after {removed} starts");
}
