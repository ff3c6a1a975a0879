//! A journal that an earlier version wrote, with what is known in version 2, is read, goes on, and is read
//! again. `golden/README.md` says what is in it.

mod world;

use std::path::Path;

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Disk as _, Options};
use trunkline_store::{Account, Consume, Settings};
use world::{World, durable, settings};

/// Messages that "gateway" had not acknowledged.
const LEFT: [u32; 37] = [
    0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72,
    75, 78, 81, 84, 87, 90, 93, 96, 99, 192, 195, 198,
];

fn golden() -> World {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/journal");
    let mut disk = SimulatedDisk::new(1);
    for entry in std::fs::read_dir(folder).expect("the golden journal").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        let bytes = std::fs::read(entry.path()).expect("its bytes");
        disk.replace(&name, &bytes).expect("room");
    }
    let journal = Options { segment_bytes: 16 << 10, memory_bytes: 8 << 10, ..Options::default() };
    World::on(disk, Settings { journal, ..settings() })
}

fn account(world: &World, name: &str) -> Account {
    world.store.account(name).expect("it stands")
}

/// What a new consumer of each subscription gets.
fn check(world: &mut World) {
    let asked = |name| Consume { window: 1_000, ..durable(name) };
    let screen = Consume { conflation: Some(0), ..asked("screen") };
    let newest = [196, 198, 197, 199];
    let all: Vec<u32> = (3..200).collect();
    for (client, asked, expected) in
        [(2, asked("gateway"), &LEFT[..]), (3, asked("desk"), &all[..]), (4, screen, &newest[..])]
    {
        world.consume(client, asked);
        for _ in 0..50 {
            world.wait(1_000_000);
        }
        let seen =
            world.payloads().iter().map(|it| it.parse().expect("a number")).collect::<Vec<u32>>();
        let mut sorted = expected.to_vec();
        sorted.sort_unstable();
        let mut seen_sorted = seen.clone();
        seen_sorted.sort_unstable();
        assert_eq!(seen_sorted, sorted, "{}", asked.name);
        assert!(asked.conflation.is_some() || seen == expected, "in their order: {seen:?}");
    }
    assert_eq!(
        (account(world, "gateway").acknowledged, account(world, "gateway").in_flight),
        (163, 37)
    );
    assert_eq!((account(world, "desk").acknowledged, account(world, "desk").in_flight), (3, 197));
    let Account { acknowledged, elided, in_flight, .. } = account(world, "screen");
    assert_eq!((acknowledged, elided, in_flight), (1, 195, 4));
}

#[test]
fn what_version_2_knew_is_known() {
    let mut world = golden();
    assert!(world.store.journal().has_old() || world.store.journal().first() == 1);
    check(&mut world);
    // The producer goes on behind what it had stored, which is not stored again.
    let at = world.at();
    let producing = world.store.produce(at, 9, "feed").expect("all of it is on disk");
    assert_eq!(producing.last, 200);
    world.publish("orders/1", "200");
    world.sync();
    assert_eq!(world.told.stored.last().map(|it| it.1.sequence), Some(201));
    for (name, count) in [("gateway", 38), ("desk", 198)] {
        assert_eq!(account(&world, name).in_flight, count, "{name} gets the new one");
    }
}

#[test]
fn what_version_2_knew_is_known_after_it_was_written_anew() {
    let mut world = golden();
    world.publish("memory/1", "x");
    for name in ["gateway", "desk"] {
        world.consume(2, durable(name));
        let at = world.at();
        world.store.disconnect(at, 2, &mut world.told);
    }
    world.sync();
    world.cut_power();
    let mut world = World::on(world.disk.clone(), world.settings.clone());
    let asked = Consume { window: 1_000, ..durable("gateway") };
    world.consume(2, asked);
    for _ in 0..50 {
        world.wait(1_000_000);
    }
    let seen: Vec<String> = world.payloads();
    let seen: Vec<u32> = seen.iter().filter_map(|it| it.parse().ok()).collect();
    assert_eq!(seen, LEFT);
    assert_eq!(account(&world, "gateway").acknowledged, 163);
}
