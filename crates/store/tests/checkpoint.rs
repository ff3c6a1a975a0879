//! What is known goes into the journal in pieces, and is known after any start: behind a stop in the middle of
//! them, behind segments that were let go of, and of each message for each subscription.

mod world;

use trunkline_journal::{Disk as _, Found, Options, Scan, commit, read_all};
use trunkline_store::{Consume, Rejected, Settings, Start, Store, kind};
use world::{World, durable, records, settings};

/// Small segments and pieces, so that a checkpoint of some subscriptions takes two segments.
fn small() -> Settings {
    let journal =
        Options { segment_bytes: 16 << 10, memory_bytes: 4 << 10, keep: 0, ..Options::default() };
    Settings { journal, piece_bytes: 240, ..settings() }
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

#[test]
fn a_piece_between_two_deliveries_of_a_message_says_that_it_is_done_of_neither() {
    let mut times = 0;
    for less in (0..400).step_by(8) {
        let journal =
            Options { segment_bytes: 64 << 10, memory_bytes: 1 << 30, ..Options::default() };
        let mut world = World::new(Settings { journal, ..settings() });
        for number in 0..3_000 {
            world.publish_in_time("cut/1", &number.to_string());
            if number % 10 == 0 {
                world.sync();
            }
        }
        world.sync();
        // The first is still looking for its beginning when the second is there, and is written when it has it.
        let at = world.at();
        let asked = Consume { pattern: ">", start: Start::Last(2_990), ..durable("searching") };
        world.store.consume(at, 2, &asked, &mut world.told).expect("room");
        let asked = Consume { pattern: ">", ..durable("waiting") };
        world.store.consume(at, 3, &asked, &mut world.told).expect("room");
        world.sync();
        // The message leaves too little for what is written of the first.
        let left = (64 << 10) - world.store.journal().end().offset as usize;
        let bytes = left.saturating_sub(221 + less);
        let before = world.store.journal().end().segment;
        if !(10..30_000).contains(&bytes)
            || world.try_publish("cut/1", &"z".repeat(bytes), 0).is_err()
            || world.store.journal().end().segment == before
        {
            continue;
        }
        times += 1;
        world.sync();
        world.cut_power();
        world.consume(3, durable("waiting"));
        for _ in 0..10 {
            world.wait(1_000_000);
        }
        assert!(world.payloads().iter().any(|it| it.starts_with('z')), "{less} bytes less");
    }
    assert!(times > 0, "no segment was begun between two deliveries");
}

#[test]
fn a_stop_amid_a_checkpoint_is_an_orderly_one() {
    let mut settings = small();
    settings.journal.segment_bytes = 64 << 10;
    let mut world = World::new(settings);
    world.consume(99, durable("gateway"));
    for number in 0..40 {
        let at = world.at();
        world.store.produce(at, 100 + number, &format!("producer-{number}")).expect("room");
        world.sync();
    }
    let first = world.store.journal().end().segment;
    while world.store.journal().end().segment == first {
        world.publish_in_time("memory/1", &"x".repeat(300));
    }
    let at = world.at();
    world.store.close(at);
    while world.store.journal().pending() > 0 {
        world.sync();
    }
    let (_, opened) = Store::open(&mut world.disk, world.settings.clone(), 7).expect("a store");
    assert!(opened.journal.was_closed);
    assert_eq!((opened.producers, opened.durables), (41, 1));
}

#[test]
fn who_waits_for_a_checkpoint_waits_for_few_commits() {
    let journal = Options { segment_bytes: 1 << 20, memory_bytes: 1 << 20, ..Options::default() };
    let mut world = World::new(Settings { journal, piece_bytes: 4_000, ..settings() });
    for number in 0..3_000 {
        let name = format!("{number:0>100}");
        world.store.produce(world.at(), 100 + number, &name).expect("room");
    }
    world.sync();
    let first = world.store.journal().end().segment;
    while world.store.journal().end().segment == first {
        world.publish("memory/1", &"x".repeat(10_000));
    }
    // Nothing was written since, so that but one piece of a hundred is there.
    while world.try_publish("memory/1", &"x".repeat(10_000), 0).is_ok() {}
    let (mut commits, mut turns) = (0, 0);
    while world.try_publish("memory/1", "x", 0) == Err(Rejected::Busy) {
        while world.store.next_deadline().is_some_and(|due| due <= world.now) {
            turns += 1;
            let (at, before) = (world.at(), world.store.journal().pending());
            world.store.advance(at, &mut world.told);
            let put = world.store.journal().pending() - before;
            assert!(put < 5_000, "{put} bytes in one turn");
        }
        let it = world.store.next_commit(world.at()).expect("it is urgent");
        let result = commit(&mut world.disk, &it);
        world.store.committed(world.at(), result, &mut world.told);
        commits += 1;
    }
    assert!(turns > 90 && commits < 5, "{commits} commits in {turns} turns");
}

/// A journal of so many segments, where what is known takes so many halves of one.
fn with_halves(segments: u64, halves: u64) -> World {
    let segment_bytes = 64 << 10;
    let bytes = segments * u64::from(segment_bytes);
    let journal =
        Options { segment_bytes, bytes, memory_bytes: 32 << 10, keep: 0, ..Options::default() };
    let mut world = World::new(Settings { journal, ..settings() });
    for number in 0..225 * halves {
        let name = format!("{number:0>100}");
        while let Err(rejected) = world.store.produce(world.at(), 100 + number, &name) {
            assert_eq!(rejected, Rejected::Busy);
            world.sync();
        }
        world.sync();
    }
    world
}

/// What it says if it rejects a message, and how many bytes it has at most.
fn rejection(world: &mut World, messages: u32) -> (Option<String>, u64) {
    let mut most = 0;
    for _ in 0..messages {
        let mut result = Err(Rejected::Busy);
        for _ in 0..1_000 {
            result = world.try_publish("orders/1", &"y".repeat(500), 0);
            if result.is_ok() {
                break;
            }
            world.wait(11_000_000);
        }
        most = most.max(world.store.journal().bytes());
        match result {
            Ok(()) => world.sync(),
            Err(rejected) => return (Some(format!("{rejected:?}")), most),
        }
    }
    (None, most)
}

#[test]
fn a_journal_that_is_too_small_for_what_is_known_goes_on() {
    for halves in 1..9 {
        let mut world = with_halves(4, halves);
        let (rejected, most) = rejection(&mut world, 2_000);
        assert_eq!(rejected, None, "{halves} halves of a segment");
        let segments = most / (64 << 10);
        assert!(segments <= 4.max(2 * halves + 2), "{halves} halves take {segments} segments");
        world.cut_power();
        let (_, opened) =
            Store::open(&mut world.disk, world.settings.clone(), 7).expect("nothing is damaged");
        let known = (opened.producers as u64, opened.durables);
        assert_eq!(known, (225 * halves + 1, 0), "all are known still");
    }
}

#[test]
fn a_store_that_waits_for_room_has_little_to_do_until_something_comes() {
    for halves in [3, 6] {
        let (mut world, mut most) = (with_halves(4, halves), 0);
        for _ in 0..300 {
            assert_eq!(rejection(&mut world, 1).0, None);
            let (mut wakes, end) = (0, world.now + 1_000_000_000);
            while let Some(due) = world.store.next_deadline().filter(|due| *due <= end) {
                world.now = world.now.max(due);
                world.wait(0);
                wakes += 1;
            }
            most = most.max(wakes);
            world.now = end;
        }
        assert!(most < 20, "{most} in a second, with {halves} halves");
    }
}

/// A journal of large segments' halves is written until all of it was said some times; its disk.
fn said_often(bytes: u64, keeps: impl Fn(&mut World, u32)) -> World {
    let journal = Options {
        segment_bytes: 16 << 10,
        memory_bytes: 4 << 10,
        keep: 0,
        bytes,
        ..Options::default()
    };
    let mut world = World::new(Settings { journal, piece_bytes: 1_000, ..settings() });
    for number in 0..150 {
        let name = format!("{number:0>100}");
        while world.store.produce(world.at(), 100 + number, &name).is_err() {
            world.sync();
        }
        world.sync();
    }
    world.consume(2, durable("gateway"));
    for number in 0..600 {
        while world.try_publish("orders/1", &"y".repeat(300), 0).is_err() {
            world.wait(11_000_000);
        }
        world.sync();
        for it in std::mem::take(&mut world.told.seen) {
            world.acknowledge(it.client, it.position);
        }
        world.wait(30_000_000);
        keeps(&mut world, number);
    }
    world
}

/// How many pieces of what is known cost a start, when one of all is damaged.
fn costly(world: &mut World) -> (usize, usize) {
    Store::open(&mut world.disk.clone(), world.settings.clone(), 7).expect("nothing is damaged");
    let mut all = records(&mut world.disk, kind::PIECE);
    all.extend(records(&mut world.disk, kind::STATE));
    let rejected = all.iter().filter(|(name, body)| {
        let mut disk = world.disk.clone();
        disk.flip(name, body + 20, 3);
        match Store::open(&mut disk, world.settings.clone(), 7) {
            Ok((_, opened)) => {
                assert_eq!((opened.producers, opened.durables), (151, 1), "{name} {body}");
                false
            }
            Err(_) => true,
        }
    });
    (rejected.count(), all.len())
}

#[test]
fn any_piece_of_a_checkpoint_may_be_damaged() {
    let times = std::cell::Cell::new(0);
    said_often(1 << 30, |world, number| {
        if number % 40 == 39 {
            let (rejected, all) = costly(world);
            assert_eq!(rejected, 0, "of {all} after message {number}");
            assert!(all > 20, "{all} pieces");
            times.set(times.get() + u32::from(world.store.journal().first() > 1));
        }
    });
    assert!(times.get() > 5, "segments were let go of");
}

#[test]
fn one_checkpoint_is_enough_where_there_is_no_room_for_two() {
    let mut rejections = 0;
    let mut world = said_often(1 << 30, |_, _| {});
    // There is less room than two complete ones and one that is begun take.
    let files = world.disk.names().expect("names");
    let bytes: u64 = files.iter().map(|it| world.disk.length(it).expect("there")).sum();
    world.disk.set_room(Some(bytes - (32 << 10)));
    for _ in 0..1_000 {
        let mut result = Err(Rejected::Busy);
        for _ in 0..200 {
            result = world.try_publish("orders/1", &"y".repeat(300), 0);
            match &result {
                Ok(()) => break,
                Err(Rejected::Busy) => world.wait(11_000_000),
                Err(_) => {
                    rejections += 1;
                    world.wait(1_100_000_000);
                }
            }
        }
        assert_eq!(result, Ok(()));
        world.sync();
        for it in std::mem::take(&mut world.told.seen) {
            world.acknowledge(it.client, it.position);
        }
        world.wait(30_000_000);
    }
    assert_eq!(rejections, 0, "it goes on");
    let (_, opened) = Store::open(&mut world.disk, world.settings.clone(), 7).expect("a store");
    assert_eq!((opened.producers, opened.durables), (151, 1));
}

#[test]
fn pieces_are_as_long_as_they_may_be_and_no_longer() {
    let journal = Options { segment_bytes: 64 << 10, memory_bytes: 32 << 10, ..Options::default() };
    let most = 2_000;
    let mut world =
        World::new(Settings { journal, piece_bytes: most, ranges: 10_000, ..settings() });
    let pattern = format!("orders/{}", "x".repeat(200));
    for number in 0..4 {
        let (at, name) = (world.at(), format!("s{number}"));
        let asked = Consume { pattern: &pattern, window: 10_000, ..durable(&name) };
        world.store.consume(at, 2 + number, &asked, &mut world.told).expect("it stands");
        world.sync();
    }
    for number in 0..4_000 {
        world.publish_in_time(&pattern, &number.to_string());
    }
    world.sync();
    let all: Vec<(u64, u64)> = world.told.seen.iter().map(|it| (it.client, it.position)).collect();
    for (client, position) in all.iter().filter(|it| it.1 % 2 == 0) {
        world.acknowledge(*client, *position);
        if position % 128 == 0 {
            world.wait(1_000_000);
        }
    }
    for _ in 0..100 {
        world.publish_in_time("other", &"x".repeat(1_000));
        world.wait(1_000_000);
    }
    let mut lengths = Vec::new();
    for name in world.disk.names().expect("names").iter().filter(|it| it.ends_with(".journal")) {
        let number = name[..10].parse().expect("a number");
        let bytes = read_all(&mut world.disk, name).expect("readable");
        for found in Scan::new(&bytes, 7, number, 0) {
            if let Found::Record(_, record) = found
                && record.kind == kind::PIECE
            {
                lengths.push(record.body.len());
            }
        }
    }
    let longest = lengths.iter().max().expect("there are pieces");
    assert!((most - 100..=most).contains(longest), "{longest} of {most}");
}
