//! What is kept of durable subscriptions: its size goes with ranges of what is done, it goes into the journal in
//! pieces, and it is right whichever piece was the last.

mod world;

use std::collections::BTreeSet;

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Options, commit};
use trunkline_random::Random;
use trunkline_store::{Consume, Rejected, Settings, kind};
use world::{World, durable, records, settings};

fn turns(world: &mut World, count: u32) {
    for _ in 0..count {
        world.wait(1_000_000);
    }
}

fn seen_by(world: &World, client: u64) -> Vec<(u64, u32)> {
    let of_it = world.told.seen.iter().filter(|it| it.client == client);
    of_it.map(|it| (it.position, it.payload.parse().expect("a number"))).collect()
}

#[test]
fn a_consumer_that_acknowledges_nothing_rejects_nobody() {
    const MESSAGES: u32 = 5_000;
    let mut world = World::new(settings());
    let asked = || Consume { window: 100_000, wants_acknowledged: true, ..durable("gateway") };
    world.consume(2, asked());
    for number in 0..MESSAGES {
        world.publish_in_time("orders/1", &number.to_string());
        if number % 20 == 0 {
            world.sync();
        }
    }
    world.sync();
    assert!(world.store.journal().end().segment > 5, "what is known was written several times");
    let view = world.store.durables().next().expect("one");
    assert_eq!(
        (view.account.in_flight, view.ranges, view.has_stopped),
        (MESSAGES.into(), 0, false)
    );
    world.cut_power();
    world.consume(2, asked());
    turns(&mut world, 20);
    assert_eq!(seen_by(&world, 2).len() as u32, MESSAGES, "all of it comes again");
    let at = world.at();
    world.store.acknowledge(at, 2, 1, (u64::MAX, true), &mut world.told).expect("it has them");
    world.sync();
    assert!(world.told.acknowledged.is_empty(), "not before all of them are");
    turns(&mut world, 20);
    assert_eq!(world.told.acknowledged.len(), 1);
    assert_eq!(world.store.account("gateway").expect("one").acknowledged, MESSAGES.into());
    world.cut_power();
    world.consume(2, asked());
    turns(&mut world, 20);
    assert!(world.told.seen.is_empty());
    assert_eq!(world.store.account("gateway").expect("one").acknowledged, MESSAGES.into());
}

#[test]
fn a_subscription_with_too_many_ranges_stops_alone_and_goes_on_with_the_oldest() {
    let mut world = World::new(Settings { ranges: 8, ..settings() });
    world.consume(2, durable("hasty"));
    world.consume(3, durable("gateway"));
    for number in 0..60 {
        world.publish_in_time("orders/1", &number.to_string());
    }
    world.sync();
    let seen = seen_by(&world, 2);
    for (position, _) in seen.iter().skip(1).step_by(2).take(9) {
        let at = world.at();
        assert!(world.told.rejected.is_empty(), "eight may be");
        world.store.acknowledge(at, 2, 1, (*position, false), &mut world.told).expect("it has it");
    }
    let [(1, Rejected::Limit(why))] = &world.told.rejected[..] else {
        panic!("{:?}", world.told.rejected)
    };
    assert!(why.contains("\"hasty\"") && why.contains("trunkline durable delete hasty"), "{why}");
    let stopped: Vec<_> =
        world.store.durables().map(|it| (it.name.to_owned(), it.has_stopped)).collect();
    assert_eq!(stopped, [("hasty".to_owned(), true), ("gateway".to_owned(), false)]);
    world.told.seen.clear();
    world.publish_in_time("orders/1", "60");
    world.sync();
    assert_eq!((seen_by(&world, 2).len(), seen_by(&world, 3).len()), (0, 1), "others go on");
    world.wait(30_000_000);
    world.cut_power();
    world.consume(4, durable("hasty"));
    turns(&mut world, 5);
    assert_eq!(world.told.consuming[0].window, 8, "it is told that it gets few");
    // The ninth made them too many; it is done nevertheless.
    let left: Vec<u32> = (0..=60).filter(|it| it % 2 == 0 || *it > 18).collect();
    let mut again = Vec::new();
    while again.len() < left.len() {
        let came = seen_by(&world, 4);
        assert!(!came.is_empty() && (again.len() > 1 || came.len() == 8), "{}", came.len());
        world.told.seen.clear();
        for (position, number) in came {
            again.push(number);
            world.acknowledge(4, position);
        }
    }
    assert_eq!(again, left);
    let view = world.store.durables().find(|it| it.name == "hasty").expect("it stands");
    assert_eq!((view.account.acknowledged, view.ranges, view.has_stopped), (61, 1, false));
}

/// What consumers of each of several subscriptions have not acknowledged.
struct Model {
    world: World,
    left: Vec<BTreeSet<u32>>,
    random: Random,
}

const DURABLES: u64 = 5;

impl Model {
    fn new() -> Self {
        let journal = Options {
            segment_bytes: 16 << 10,
            memory_bytes: 4 << 10,
            keep: 0,
            ..Options::default()
        };
        let mut world = World::new(Settings { journal, piece_bytes: 150, ..settings() });
        for number in 0..DURABLES {
            let name = format!("durable-{number}");
            world.consume(10 + number, Consume { window: 10_000, ..durable(&name) });
        }
        Self::over(world)
    }

    fn over(world: World) -> Self {
        Self { world, left: vec![BTreeSet::new(); DURABLES as usize], random: Random::new(1) }
    }

    /// A message is published, and others are acknowledged, some of them.
    fn step(&mut self, number: u32) {
        self.world.publish_in_time(&format!("orders/{}", number % 3), &number.to_string());
        self.left.iter_mut().for_each(|it| {
            it.insert(number);
        });
        self.world.sync();
        for durable in 0..DURABLES {
            let seen = seen_by(&self.world, 10 + durable);
            let (position, number) = seen[self.random.index(seen.len())];
            if self.random.below(3) > 0 {
                let at = self.world.at();
                let (client, told) = (10 + durable, &mut self.world.told);
                self.world
                    .store
                    .acknowledge(at, client, 1, (position, false), told)
                    .expect("it has it");
                self.left[durable as usize].remove(&number);
            }
        }
        self.world.wait(30_000_000);
    }

    /// What comes again of each subscription when a store is opened with this disk.
    fn recovered(&self, disk: &SimulatedDisk) -> Vec<BTreeSet<u32>> {
        let mut world = World::on(disk.clone(), self.world.settings.clone());
        let all = (0..DURABLES).map(|number| {
            let name = format!("durable-{number}");
            world.consume(10 + number, Consume { window: 10_000, ..durable(&name) });
            turns(&mut world, 30);
            let seen = seen_by(&world, 10 + number);
            assert!(seen.is_sorted(), "in their order");
            seen.into_iter().map(|it| it.1).collect()
        });
        all.collect()
    }
}

/// Two consumers of a subscription that may have eight ranges: the one has the first messages alone, and each has
/// every second of the others.
fn shared() -> World {
    let mut world = World::new(Settings { ranges: 8, ..settings() });
    world.consume(2, Consume { window: 20_000, ..durable("shared") });
    (0..3_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.consume(3, Consume { window: 20_000, ..durable("shared") });
    (3_000..6_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    assert_eq!(seen_by(&world, 3).len(), 1_500);
    let at = world.at();
    let all = (u64::MAX, true);
    world.store.acknowledge(at, 2, 1, all, &mut world.told).expect("it has them");
    assert!(world.told.rejected.is_empty(), "a part is looked at");
    world
}

/// It has stopped with nine ranges, and all but what is in these comes again.
fn goes_on(mut world: World) {
    let view = world.store.durables().next().expect("one");
    assert_eq!((view.ranges, view.has_stopped), (9, true));
    assert_eq!(view.account.acknowledged, 3_008, "no more than that");
    world.told.seen.clear();
    world.consume(4, Consume { window: 20_000, ..durable("shared") });
    let mut again = 0;
    for _ in 0..6_000 {
        let Some(it) = world.told.seen.pop() else { break };
        again += 1;
        world.acknowledge(4, it.position);
        world.wait(1_000_000);
    }
    assert_eq!(again, 6_000 - 3_008);
}

#[test]
fn what_is_acknowledged_all_at_once_has_no_more_ranges_than_may_be() {
    let mut world = shared();
    turns(&mut world, 40);
    assert_eq!(world.told.rejected.len(), 2, "both consumers are told");
    goes_on(world);
}

#[test]
fn what_was_acknowledged_by_a_consumer_that_left_has_no_more_ranges_than_may_be() {
    let mut world = shared();
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    turns(&mut world, 40);
    assert_eq!(world.told.rejected.len(), 1, "who is left is told");
    goes_on(world);
}

#[test]
fn acknowledgements_are_told_when_the_last_of_them_is_kept() {
    let journal = Options { segment_bytes: 8 << 20, ..Options::default() };
    let mut world = World::new(Settings { journal, ranges: 100_000, ..settings() });
    world.consume(2, Consume { window: 20_000, wants_acknowledged: true, ..durable("gateway") });
    (0..14_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let seen = seen_by(&world, 2);
    seen.iter().step_by(2).for_each(|(position, _)| world.acknowledge(2, *position));
    let mut commits = 0;
    while world.told.acknowledged.is_empty() {
        let it = world.store.next_commit(world.at()).expect("there are more of them");
        let result = commit(&mut world.disk, &it);
        world.store.committed(world.at(), result, &mut world.told);
        commits += 1;
        let mut disk = world.disk.clone();
        disk.cut_power(&[], &mut |_| 0);
        let other = World::on(disk, world.settings.clone());
        let ranges = other.store.durables().next().expect("one").ranges;
        assert!(ranges <= 4_096 * commits, "{ranges} in {commits} commits");
        assert_eq!(ranges == 7_000, !world.told.acknowledged.is_empty(), "{commits} commits");
    }
    assert_eq!(commits, 2);
    assert_eq!(world.told.acknowledged.last().map(|it| it.0), Some(7_000));
}

#[test]
fn what_comes_while_all_before_is_being_acknowledged_is_not_acknowledged() {
    let mut world = World::new(settings());
    world.consume(2, Consume { window: 20_000, ..durable("shared") });
    (0..6_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.consume(3, Consume { window: 5, ..durable("shared") });
    (6_000..6_010).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    let at = world.at();
    let all = (u64::MAX, true);
    world.store.acknowledge(at, 2, 1, all, &mut world.told).expect("it has them");
    world.told.seen.clear();
    // What the other one had comes while only a part of them was looked at.
    world.store.disconnect(at, 3, &mut world.told);
    turns(&mut world, 40);
    assert_eq!(seen_by(&world, 2).len(), 5);
    let account = world.store.account("shared").expect("it stands");
    assert_eq!((account.acknowledged, account.in_flight), (6_005, 5));
}

#[test]
fn a_subscription_that_has_stopped_goes_on_whatever_is_acknowledged_first() {
    const MESSAGES: u64 = 4_000;
    let mut model = Model::over(World::new(Settings { ranges: 64, ..settings() }));
    model.world.consume(2, Consume { window: 10_000, ..durable("gateway") });
    for number in 0..MESSAGES {
        model.world.publish_in_time("cut/1", &number.to_string());
    }
    model.world.sync();
    let mut stops = 0;
    let mut has: Vec<u64> = seen_by(&model.world, 2).iter().map(|it| it.0).collect();
    model.world.told.seen.clear();
    while model.world.store.account("gateway").expect("one").acknowledged < MESSAGES {
        let next = model.random.index(has.len());
        model.world.acknowledge(2, has.swap_remove(next));
        if !model.world.told.rejected.is_empty() {
            stops += 1;
            model.world.wait(30_000_000);
            if stops % 2 == 0 {
                model.world.cut_power();
            }
            model.world.told = Default::default();
            model.world.consume(2, Consume { window: 10_000, ..durable("gateway") });
            has.clear();
        }
        for _ in 0..100 {
            has.extend(model.world.told.seen.drain(..).map(|it| it.position));
            if has.is_empty() {
                turns(&mut model.world, 1);
            }
        }
    }
    assert!(stops > 0, "it has stopped");
    let view = model.world.store.durables().next().expect("one");
    assert_eq!((view.ranges, view.has_stopped), (1, false));
}

#[test]
fn who_comes_back_again_and_again_gets_no_more_ranges() {
    let mut world = World::new(Settings { ranges: 16, ..settings() });
    let asked = || Consume { window: 10_000, ..durable("hasty") };
    world.consume(2, asked());
    (0..6_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    let (mut most, mut rejected, mut earlier) = (0, 0, BTreeSet::new());
    for session in 0..100 {
        world.sync();
        turns(&mut world, 10);
        // What it had in earlier sessions it may have worked through meanwhile: every second one of it.
        let now: Vec<u64> = seen_by(&world, 2).iter().map(|it| it.0).collect();
        earlier.extend(now.iter().copied());
        for position in earlier.iter().rev().step_by(2).filter(|it| !now.contains(it)) {
            let at = world.at();
            match world.store.acknowledge(at, 2, 1, (*position, false), &mut world.told) {
                Ok(()) => {}
                Err(Rejected::Limit(why)) => {
                    assert!(
                        why.contains("journal.ranges") && why.contains("delivered again"),
                        "{why}"
                    );
                    rejected += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        // Every second one of what it has, elsewhere than before if it has many, and never the oldest; then it
        // leaves.
        let mut has = seen_by(&world, 2);
        if has.len() > 100 {
            has.truncate(has.len() - 50 * session.min(has.len() / 50 - 1));
        }
        while has.len() > 1 && world.told.rejected.is_empty() {
            let (position, _) = has.remove(has.len() - 1);
            has.pop();
            world.acknowledge(2, position);
            turns(&mut world, 1);
        }
        let at = world.at();
        world.store.disconnect(at, 2, &mut world.told);
        world.wait(30_000_000);
        if session % 5 == 4 {
            world.cut_power();
        }
        most = most.max(world.store.durables().next().expect("one").ranges);
        world.told = Default::default();
        world.consume(2, asked());
    }
    assert!((16..=33).contains(&most), "there were {most} ranges");
    assert!(rejected > 1_000, "{rejected} were not taken");
    // Nothing is missing in the end.
    world.wait(30_000_000);
    while world.store.account("hasty").expect("one").acknowledged < 6_000 {
        let seen = std::mem::take(&mut world.told.seen);
        seen.iter().for_each(|it| world.acknowledge(2, it.position));
        assert!(world.told.rejected.is_empty(), "{:?}", world.told.rejected);
        turns(&mut world, 1);
    }
    let at = world.at();
    world.store.disconnect(at, 2, &mut world.told);
    world.consume(3, durable("hasty"));
    assert!(world.told.seen.is_empty());
}

/// A subscription of eight ranges at most that has stopped, and has thousands of messages left.
fn stopped() -> World {
    let mut world = World::new(Settings { ranges: 8, ..settings() });
    world.consume(2, Consume { window: 100, ..durable("shared") });
    (0..2_000).for_each(|number| world.publish_in_time("cut/1", &number.to_string()));
    world.sync();
    for (position, _) in seen_by(&world, 2).into_iter().skip(1).step_by(2).take(9) {
        world.acknowledge(2, position);
    }
    assert_eq!(world.told.rejected.len(), 1, "it has stopped");
    turns(&mut world, 5);
    world.told = Default::default();
    world
}

#[test]
fn a_silent_consumer_of_a_subscription_that_is_held_back_does_not_stop_the_others() {
    for gives_back in [false, true] {
        let mut world = stopped();
        world.consume(2, Consume { window: 100, ..durable("shared") });
        let silent = seen_by(&world, 2);
        assert_eq!(silent.len(), 8);
        if gives_back {
            for (position, _) in &silent {
                let later = (*position, 3_600_000_000_000);
                let at = world.at();
                world.store.release(at, 2, 1, later, &mut world.told).expect("it has it");
            }
        }
        world.consume(3, Consume { window: 100, ..durable("shared") });
        let mut rounds = 0;
        while world.store.account("shared").expect("one").acknowledged < 1_992 {
            rounds += 1;
            assert!(rounds < 10_000, "the other one goes on");
            for it in std::mem::take(&mut world.told.seen) {
                if it.client == 3 {
                    world.acknowledge(3, it.position);
                }
            }
            turns(&mut world, 1);
        }
        assert!(world.told.rejected.is_empty());
        let at = world.at();
        world.store.disconnect(at, 2, &mut world.told);
        turns(&mut world, 5);
        let left: BTreeSet<u64> = world.told.seen.iter().map(|it| it.position).collect();
        assert_eq!(left, silent.iter().map(|it| it.0).collect(), "and has the rest when it leaves");
    }
}

#[test]
fn who_gives_back_for_later_and_comes_again_and_again_gets_no_more_ranges() {
    let mut world = stopped();
    let mut most = 0;
    for _ in 0..100 {
        world.consume(2, Consume { window: 100, ..durable("shared") });
        for (number, (position, _)) in seen_by(&world, 2).into_iter().enumerate() {
            let at = world.at();
            if !world.told.rejected.is_empty() {
                break;
            }
            match number % 2 {
                0 => world.store.release(at, 2, 1, (position, u64::MAX), &mut world.told),
                _ => world.store.acknowledge(at, 2, 1, (position, false), &mut world.told),
            }
            .expect("it has it");
        }
        let at = world.at();
        world.store.disconnect(at, 2, &mut world.told);
        turns(&mut world, 5);
        most = most.max(world.store.durables().next().expect("one").ranges);
        world.told = Default::default();
    }
    assert!((9..=17).contains(&most), "there were {most} ranges");
}

#[test]
fn a_subscription_that_has_stopped_does_so_no_more_with_a_window_of_as_many_messages() {
    let mut model = Model::over(World::new(Settings { ranges: 8, ..settings() }));
    model.world.consume(2, Consume { window: 1_000, ..durable("gateway") });
    (0..1_000).for_each(|number| model.world.publish_in_time("cut/1", &number.to_string()));
    model.world.sync();
    for (position, _) in seen_by(&model.world, 2).into_iter().step_by(50).take(10) {
        if model.world.told.rejected.is_empty() {
            model.world.acknowledge(2, position);
        }
    }
    assert_eq!(model.world.told.rejected.len(), 1);
    model.world.told = Default::default();
    model.world.consume(2, Consume { window: 8, ..durable("gateway") });
    turns(&mut model.world, 5);
    let mut has = Vec::new();
    while model.world.store.account("gateway").expect("one").acknowledged < 1_000 {
        has.extend(std::mem::take(&mut model.world.told.seen));
        assert!((1..=8).contains(&has.len()), "{} of eight", has.len());
        let next = model.random.index(has.len());
        model.world.acknowledge(2, has.swap_remove(next).position);
        assert!(model.world.told.rejected.is_empty(), "it goes on");
    }
}

#[test]
fn what_is_done_is_known_after_a_power_cut_behind_any_piece() {
    let (mut model, mut pieces) = (Model::new(), BTreeSet::new());
    for number in 0..400 {
        model.step(number);
        pieces.extend(records(&mut model.world.disk, kind::PIECE));
        if number % 7 == 0 {
            let recovered = model.recovered(&model.world.disk);
            assert_eq!(recovered, model.left, "after message {number}");
        }
    }
    assert!(pieces.len() > 30, "there were {} pieces", pieces.len());
    for number in 0..DURABLES {
        let (at, world) = (model.world.at(), &mut model.world);
        let all = (u64::MAX, true);
        world.store.acknowledge(at, 10 + number, 1, all, &mut world.told).expect("it has them");
    }
    model.world.wait(30_000_000);
    (400..430).for_each(|number| model.step(number));
    model.world.wait(2_000_000_000);
    assert!(model.world.store.journal().first() > 1, "segments were let go of");
}

#[test]
fn a_piece_that_is_damaged_loses_nothing() {
    let mut model = Model::new();
    (0..400).for_each(|number| model.step(number));
    let pieces = records(&mut model.world.disk, kind::PIECE);
    assert!(pieces.len() > 10, "{} pieces", pieces.len());
    for (name, body) in pieces {
        let mut disk = model.world.disk.clone();
        disk.flip(&name, body + 20, 3);
        for (recovered, left) in model.recovered(&disk).iter().zip(&model.left) {
            assert!(left.is_subset(recovered), "{name} {body}");
        }
    }
}
