//! The ceiling of memory: who loses what when there is too little.

mod world;

use trunkline_router::{
    ClientId, ClientOptions, Dirty, Limits, Overflow, Rejection, SubscriptionOptions,
};
use world::{MILLISECOND, SECOND, World};

const LIMIT: usize = 16 << 20;

fn world() -> World {
    World::with(Limits { output_bytes: 1, memory_bytes: LIMIT, ..Limits::default() })
}

/// A client that does not read, and subscribes to a pattern; its output is full.
fn slow(world: &mut World, overflow: Overflow, pattern: &str) -> ClientId {
    let client = world.connect(ClientOptions { overflow, ..ClientOptions::default() });
    world.subscribe(client, 1, pattern);
    world.subscribe(client, 2, "fill");
    world.publish("fill", "0");
    client
}

fn check(world: &World) {
    let memory = world.router.view().memory();
    // To within a page of messages and the block that one takes.
    assert!(memory.all() <= LIMIT + (128 << 10), "{memory:?}");
}

/// How many messages a client was sent, and how many it was told that it has lost.
fn told(world: &mut World, client: ClientId) -> (u64, u64) {
    let (mut delivered, mut lost) = (0, 0);
    for line in world.receive(client) {
        match line.split_once(" lost ") {
            Some((_, rest)) => {
                let (count, _) = rest.split_once(':').expect("a count");
                lost += count.parse::<u64>().expect("a number");
            }
            None => delivered += 1,
        }
    }
    (delivered, lost)
}

#[test]
fn many_greedy_clients_stay_below_it_and_a_bystander_loses_nothing() {
    let mut world = world();
    let greedy: Vec<ClientId> = (0..40)
        .map(|number| slow(&mut world, Overflow::DropOldest, &format!("greedy/{number}")))
        .collect();
    let bystander = slow(&mut world, Overflow::DropOldest, "quiet");
    let payload = "x".repeat(1_000);
    for round in 0..2_000 {
        for number in 0..40 {
            world.publish(&format!("greedy/{number}"), &payload);
        }
        if round % 100 == 0 {
            world.publish("quiet", &payload);
        }
        world.advance(world.now + MILLISECOND);
        check(&world);
    }
    world.check_ledgers();
    let view = world.router.view();
    assert_eq!(view.memory().lost, view.totals().ledger.discarded, "for no other reason");
    assert!(view.memory().waiting > LIMIT / 2, "it is made use of: {:?}", view.memory());
    let mut all = 0;
    for client in greedy {
        let (delivered, lost) = told(&mut world, client);
        let fills = world.router.view().client(client).expect("it is connected").ledger.published;
        assert_eq!(delivered + lost, fills, "each is delivered or told");
        assert!(lost > 1_000, "{lost}");
        all += lost;
    }
    assert_eq!(all, world.router.view().memory().lost);
    let (_, lost) = told(&mut world, bystander);
    assert_eq!(lost, 0);
    world.check_ledgers();
}

#[test]
fn what_has_waited_longest_goes_first_a_part_in_each_turn() {
    let mut world = world();
    let old = slow(&mut world, Overflow::DropOldest, "old");
    let new = slow(&mut world, Overflow::DropOldest, "new");
    let payload = "x".repeat(1_000);
    for topic in ["old", "new"] {
        (0..4_000).for_each(|_| _ = world.publish(topic, &payload));
        world.advance(world.now + SECOND);
    }
    let waits = |world: &World, client| {
        world.router.view().client(client).expect("it is there").queued_messages
    };
    let before = (waits(&world, old), waits(&world, new));
    // Somebody else takes memory.
    world.router.set_memory_of_others(8 << 20);
    let mut turns = 0;
    while let Some(due) = world.router.next_deadline().filter(|due| *due < world.now + SECOND) {
        let left = waits(&world, old) + waits(&world, new);
        world.now = due.max(world.now);
        world.router.advance(world.now);
        let dropped = left - waits(&world, old) - waits(&world, new);
        assert!(dropped <= 1_000, "{dropped} in a turn");
        turns += usize::from(dropped > 0);
    }
    check(&world);
    assert!(turns > 1, "{turns}");
    assert!(waits(&world, old) < before.0 / 2, "{before:?} {}", waits(&world, old));
    assert_eq!(waits(&world, new), before.1);
    world.check_ledgers();
}

#[test]
fn clients_lose_what_their_options_say() {
    let mut world = world();
    let newest = slow(&mut world, Overflow::DropNewest, "newest");
    let ends = slow(&mut world, Overflow::Disconnect, "ends");
    let payload = "x".repeat(1_000);
    (0..30_000).for_each(|_| _ = world.publish("newest", &payload));
    check(&world);
    let (_, lost) = told(&mut world, newest);
    assert!(lost > 10_000);
    let sequences = world.router.view().totals().ledger.discarded;
    assert_eq!(sequences, lost);
    while world.dirty().iter().all(|it| !matches!(it, Dirty::Close(..))) {
        (0..1_000).for_each(|_| _ = world.publish("ends", &payload));
        world.advance(world.now + MILLISECOND);
        check(&world);
    }
    let lines = world.receive(ends);
    let last = lines.last().expect("it is told");
    assert!(last.contains("the router is short of memory (limits.memory_bytes)"), "{last}");
    world.check_ledgers();
}

#[test]
fn last_values_go_before_anything_that_waits() {
    let mut world = world();
    world.router.keep_last_values(["kept/>"]);
    let payload = "x".repeat(1_000);
    for number in 0..4_000 {
        world.publish(&format!("kept/{number}"), &payload);
    }
    slow(&mut world, Overflow::DropOldest, "waits");
    (0..8_000).for_each(|_| _ = world.publish("waits", &payload));
    let (mut kept, mut turns) = (world.router.last_value_totals().bytes, 0);
    assert!(kept > 4_000_000);
    while kept > 0 {
        assert_eq!(world.router.view().totals().ledger.discarded, 0);
        let due = world.router.next_deadline().expect("there is too little memory");
        world.now = due.max(world.now + 1);
        world.router.advance(world.now);
        let left = world.router.last_value_totals().bytes;
        assert!(kept - left < 200_000, "a slice in a turn");
        (kept, turns) = (left, turns + 1);
        // Somebody else takes more and more.
        world.router.set_memory_of_others(turns * 150_000);
    }
    check(&world);
    world.check_ledgers();
}

#[test]
fn updates_go_like_messages_and_are_told() {
    let mut world = world();
    let greedy: Vec<ClientId> = (0..8)
        .map(|number| {
            let client = slow(&mut world, Overflow::DropOldest, "none");
            let options = SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() };
            world.subscribe_with(client, 3, &format!("{number}/*"), options);
            client
        })
        .collect();
    for number in 0..40_000 {
        world.publish(&format!("{}/{}", number % 8, number / 8), &"x".repeat(1_000));
        if number % 100 == 0 {
            world.advance(world.now + MILLISECOND);
            check(&world);
        }
    }
    for client in greedy {
        let (delivered, lost) = told(&mut world, client);
        let all = world.router.view().client(client).expect("it is connected").ledger.published;
        assert_eq!(delivered + lost, all, "each is delivered or told");
        assert!(lost > 1_000, "{lost}");
    }
    world.check_ledgers();
}

#[test]
fn a_client_that_keeps_its_oldest_does_not_keep_it_from_others_for_ever() {
    let mut world = world();
    slow(&mut world, Overflow::DropNewest, "newest");
    let payload = "x".repeat(1_000);
    (0..30_000).for_each(|_| _ = world.publish("newest", &payload));
    world.router.set_memory_of_others(8 << 20);
    assert!(world.router.is_short_of_memory());
    for _ in 0..1_000 {
        world.advance(world.now + MILLISECOND);
    }
    assert!(!world.router.is_short_of_memory());
    check(&world);
    world.check_ledgers();
}

#[test]
fn new_clients_are_rejected_while_it_is_short() {
    let mut world = world();
    world.router.set_memory_of_others(LIMIT);
    slow_is_rejected(&mut world);
    world.router.set_memory_of_others(0);
    world.connect(ClientOptions::default());
}

fn slow_is_rejected(world: &mut World) {
    let result = world.router.connect(world.now, ClientOptions::default(), world::Lines::default());
    assert_eq!(result, Err(Rejection::OutOfMemory));
}
