//! A journal that an earlier version wrote, with what is known in version 3, is read, goes on, and is read
//! again. `golden/README.md` says what is in it.

mod world;

use std::path::Path;

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Disk as _, Options};
use trunkline_store::{Consume, Settings};
use world::{World, durable, settings};

fn golden() -> World {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/journal-3/0000000001.journal");
    let mut disk = SimulatedDisk::new(1);
    let bytes = std::fs::read(file).expect("the golden journal");
    disk.replace("0000000001.journal", &bytes).expect("room");
    let journal = Options { segment_bytes: 16 << 10, memory_bytes: 8 << 10, ..Options::default() };
    World::on(disk, Settings { journal, ..settings() })
}

fn check(world: &mut World) {
    let conflated = Consume { conflation: Some(0), pattern: "fx/>", ..durable("screen") };
    let expected = [
        (durable("gateway"), (120..200).collect::<Vec<u32>>()),
        (durable("desk"), (0..200).collect()),
        (conflated, vec![198, 199]),
    ];
    for (client, (asked, expected)) in (2..).zip(expected) {
        let pattern = if asked.conflation.is_some() { "fx/>" } else { ">" };
        let at = world.at();
        let asked = Consume { window: 1_000, pattern, ..asked };
        world.store.consume(at, client, &asked, &mut world.told).expect("it is there");
        for _ in 0..50 {
            world.wait(1_000_000);
        }
        let number =
            |payload: String| payload.strip_prefix("message ").and_then(|it| it.parse().ok());
        let mut seen: Vec<u32> = world.payloads().into_iter().filter_map(number).collect();
        seen.sort_unstable();
        assert_eq!(seen, expected, "{}", asked.name);
    }
    assert_eq!(world.store.last_of_producer("desk-7"), Some(200));
    assert_eq!(world.store.account("gateway").map(|it| it.acknowledged), Some(120));
}

#[test]
fn a_journal_of_version_3_goes_on_as_version_4() {
    check(&mut golden());
    let mut world = golden();
    // Enough for segments with checkpoints of this version.
    for number in 0..300 {
        world.publish_in_time("other/1", &format!("{number}{}", "x".repeat(200)));
        world.sync();
    }
    assert!(world.store.journal().end().segment > 4);
    world.cut_power();
    check(&mut world);
}
