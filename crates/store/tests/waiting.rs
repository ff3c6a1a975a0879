//! Messages that wait outside of the store before they go to their consumers, as those do that are converted first: until they
//! go nobody has them.

mod world;

use std::collections::{BTreeMap, VecDeque};

use trunkline_random::Random;
use trunkline_store::{
    Account, Consume, DeadLetters, DeliveryPolicy, DeliveryRule, LossReason, Sending, Settings,
};
use world::{World, durable, settings};

const SECOND: u64 = 1_000_000_000;

/// A world with so many messages of which none has gone to its consumer, 2; their positions.
fn world(settings: Settings, messages: usize) -> (World, Vec<u64>) {
    let mut world = World::new(settings);
    world.told.waits.push(2);
    world.consume(2, Consume { window: 10_000, ..durable("gateway") });
    for number in 0..messages {
        world.publish_in_time("orders/1", &format!("message {number}"));
    }
    (0..10).for_each(|_| world.wait(1_000));
    let positions: Vec<u64> = world.told.seen.drain(..).map(|it| it.position).collect();
    assert_eq!(positions.len(), messages);
    (world, positions)
}

/// A second to acknowledge, and two deliveries.
fn strict() -> Settings {
    limited(SECOND, 2)
}

/// So many nanoseconds to acknowledge, if it is not 0, and so many deliveries.
fn limited(acknowledge_within: u64, deliveries: u32) -> Settings {
    let dead_letters = Some(DeadLetters { deliveries, topic: "dead/gateway".into() });
    let policy = DeliveryPolicy { acknowledge_within, dead_letters };
    let rule = DeliveryRule { name: "gateway".to_owned(), policy };
    Settings { delivery_rules: vec![rule], ..settings() }
}

fn account(world: &World) -> Account {
    world.store.account("gateway").expect("it is there")
}

fn acknowledge_through(world: &mut World, client: u64, position: u64) {
    let at = world.at();
    let done = world.store.acknowledge(at, client, 1, (position, true), &mut world.told);
    assert_eq!(done, Ok(()));
}

/// Lets time pass in small steps.
fn pass(world: &mut World, nanoseconds: u64) {
    (0..20).for_each(|_| world.wait(nanoseconds / 20));
}

fn disconnect(world: &mut World, client: u64) {
    let at = world.at();
    world.store.disconnect(at, client, &mut world.told);
    (0..10).for_each(|_| world.wait(1_000));
}

/// The consumer 3, which gets messages at once, and what it has got.
fn others(world: &mut World) -> Vec<(String, bool)> {
    world.told.seen.clear();
    world.consume(3, Consume { window: 10_000, ..durable("gateway") });
    (0..10).for_each(|_| world.wait(1_000));
    world.told.seen.drain(..).map(|it| (it.payload, it.is_repeated)).collect()
}

#[test]
fn a_cumulative_acknowledgement_passes_over_what_has_not_gone() {
    let (mut world, positions) = world(settings(), 10);
    for at in [1, 3] {
        assert_eq!(world.send(2, positions[at]), Sending::Now);
    }
    acknowledge_through(&mut world, 2, positions[9]);
    let it = account(&world);
    assert_eq!((it.acknowledged, it.in_flight, it.deliveries), (2, 8, 2), "those that have gone");
    // It acknowledges some of the others when it has them; what never went is another's then.
    for (at, sending) in [(0, Sending::Behind), (2, Sending::Behind), (4, Sending::Now)] {
        assert_eq!(world.send(2, positions[at]), sending);
    }
    acknowledge_through(&mut world, 2, positions[2]);
    assert_eq!((account(&world).acknowledged, account(&world).in_flight), (4, 6));
    disconnect(&mut world, 2);
    let expected = [(4, true), (5, false), (6, false), (7, false), (8, false), (9, false)];
    let expected = expected.map(|(number, it)| (format!("message {number}"), it));
    assert_eq!(others(&mut world), expected, "nobody has had the last five");
}

#[test]
fn nothing_goes_while_a_cumulative_acknowledgement_that_would_cover_it_is_processed() {
    // More than are looked through in a turn.
    const MESSAGES: usize = 3_000;
    for leaves in [false, true] {
        let (mut world, positions) = world(settings(), MESSAGES);
        for position in positions.iter().step_by(2) {
            assert_eq!(world.send(2, *position), Sending::Now);
        }
        acknowledge_through(&mut world, 2, positions[MESSAGES - 1]);
        assert!(account(&world).acknowledged < MESSAGES as u64 / 2, "it takes several turns");
        for position in positions.iter().skip(1).step_by(2) {
            assert_eq!(world.send(2, *position), Sending::Later, "{position}");
        }
        if !leaves {
            (0..10).for_each(|_| world.wait(1_000));
            assert_eq!(account(&world).acknowledged, MESSAGES as u64 / 2);
            for position in positions.iter().skip(1).step_by(2) {
                assert!(world.send(2, *position).is_now(), "{position}");
            }
            acknowledge_through(&mut world, 2, positions[MESSAGES - 1]);
            (0..10).for_each(|_| world.wait(1_000));
            assert_eq!(account(&world).acknowledged, MESSAGES as u64);
            continue;
        }
        disconnect(&mut world, 2);
        assert_eq!(account(&world).acknowledged, MESSAGES as u64 / 2, "it had said so");
        let seen = others(&mut world);
        let expected = (0..MESSAGES).skip(1).step_by(2).map(|it| (format!("message {it}"), false));
        assert!(seen.into_iter().eq(expected));
    }
}

#[test]
fn no_time_runs_and_no_delivery_counts_before_a_message_goes() {
    let (mut world, positions) = world(strict(), 1);
    let wait = |world: &mut World| (0..100).for_each(|_| world.wait(SECOND / 10));
    wait(&mut world);
    // Nor where the consumer leaves before.
    for _ in 0..5 {
        disconnect(&mut world, 2);
        world.told.waits.push(2);
        world.consume(2, durable("gateway"));
        wait(&mut world);
    }
    let it = account(&world);
    let known = (it.timed_out, it.dead_lettered, it.deliveries, it.redelivered, it.in_flight);
    assert_eq!(known, (0, 0, 0, 0, 1));
    world.told.seen.clear();
    assert_eq!(world.send(2, positions[0]), Sending::Now);
    wait(&mut world);
    let it = account(&world);
    assert_eq!((it.timed_out, it.deliveries, it.in_flight), (1, 1, 1), "now it waits again");
    let again: Vec<(u32, bool)> =
        world.told.seen.drain(..).map(|it| (it.deliveries, it.is_repeated)).collect();
    assert_eq!(again, [(1, true)]);
    assert_eq!(world.send(2, positions[0]), Sending::Now);
    wait(&mut world);
    let it = account(&world);
    assert_eq!((it.timed_out, it.deliveries, it.redelivered, it.dead_lettered), (2, 2, 1, 1));
}

#[test]
fn what_is_done_meanwhile_does_not_go() {
    let (mut world, positions) = world(settings(), 3);
    assert_eq!(world.send(2, positions[0]), Sending::Now);
    let at = world.at();
    // Given back, it waits again; who has had it finds that it is done with it.
    world.store.release(at, 2, 1, (positions[0], 0), &mut world.told).expect("it is taken");
    world.acknowledge(2, positions[0]);
    assert_eq!(world.send(2, positions[0]), Sending::Never);
    // What has not gone cannot be given back.
    world.store.release(at, 2, 1, (positions[1], 0), &mut world.told).expect("it is taken");
    assert_eq!(account(&world).in_flight, 2);
    assert_eq!(world.send(2, positions[1]), Sending::Now);
    assert_eq!(world.send(2, positions[1]), Sending::Never, "it has gone");
    disconnect(&mut world, 2);
    assert_eq!(world.send(2, positions[2]), Sending::Never, "it is nobody's");
    assert_eq!(others(&mut world).len(), 2);
    assert_eq!(world.send(2, positions[2]), Sending::Never, "it is another's");
}

#[test]
fn what_waited_when_the_router_was_killed_was_not_delivered() {
    const MESSAGES: usize = 64;
    for leaves in [false, true] {
        let (mut world, _) = world(limited(0, 1), MESSAGES);
        // What is behind all that waits goes to another one first.
        world.told.full.push(2);
        world.told.waits.extend(leaves.then_some(3));
        world.consume(3, Consume { window: 1, ..durable("gateway") });
        world.publish_in_time("orders/1", "behind");
        pass(&mut world, SECOND);
        let [behind] = &world.told.seen[..] else { panic!("{:?}", world.told.seen) };
        let (client, position) = (behind.client, behind.position);
        assert_eq!(client, 3);
        if leaves {
            disconnect(&mut world, 2);
            assert_eq!(world.send(3, position), Sending::Now);
        }
        pass(&mut world, SECOND);
        world.cut_power();
        world.consume(4, Consume { window: 10_000, ..durable("gateway") });
        pass(&mut world, SECOND);
        let seen = world.told.seen.iter().filter(|it| it.payload.starts_with("message"));
        let seen: Vec<(&str, u32)> = seen.map(|it| (&*it.payload, it.deliveries)).collect();
        let expected: Vec<String> = (0..MESSAGES).map(|it| format!("message {it}")).collect();
        assert!(seen.iter().copied().eq(expected.iter().map(|it| (&**it, 0))), "{seen:?}");
        assert_eq!(account(&world).dead_lettered, 1, "the one that was delivered");
    }
}

/// Consumers come and leave, and the router is killed now and then.
struct Scene {
    world: World,
    random: Random,
    /// What waits for each that is there, with whether it may have been delivered; what each has, and the last of it that was not.
    lines: BTreeMap<u64, VecDeque<(u64, bool)>>,
    has: BTreeMap<u64, Vec<u64>>,
    last: BTreeMap<u64, u64>,
    /// How often messages were delivered.
    delivered: BTreeMap<u64, u32>,
    letters: u32,
}

/// Those whose messages wait; the messages of others go at once.
const WAIT: [u64; 2] = [2, 3];

impl Scene {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut world = World::new(limited(SECOND, random.between(1, 3) as u32));
        world.told.waits.extend(WAIT);
        let (lines, has, last, delivered) = Default::default();
        Self { world, random, lines, has, last, delivered, letters: 0 }
    }

    fn deliver(&mut self, client: u64, (position, is_repeated): (u64, bool)) {
        if !is_repeated {
            let last = self.last.insert(client, position).unwrap_or(0);
            assert!(position > last, "{position} comes to {client} behind {last}");
        }
        *self.delivered.entry(position).or_default() += 1;
        self.has.entry(client).or_default().push(position);
    }

    /// What was told: nothing says that it was delivered more often than it was.
    fn take(&mut self) {
        for (client, position) in std::mem::take(&mut self.world.told.withdrawn) {
            let line = self.lines.get_mut(&client).expect("it is there");
            line.retain(|it| it.0 != position);
        }
        for it in std::mem::take(&mut self.world.told.seen) {
            let before = self.delivered.get(&it.position).copied().unwrap_or(0);
            assert!(it.deliveries <= before, "{it:?} was delivered {before} times");
            let delivery = (it.position, it.is_repeated);
            match WAIT.contains(&it.client) {
                true => self.lines.entry(it.client).or_default().push_back(delivery),
                false => self.deliver(it.client, delivery),
            }
        }
        for letter in std::mem::take(&mut self.world.told.direct) {
            let number =
                |key: &str| letter.lines().find_map(|it| it.strip_prefix(key)?.parse::<u64>().ok());
            let (Some(position), Some(deliveries)) = (number("position: "), number("deliveries: "))
            else {
                continue;
            };
            let before = self.delivered.get(&position).copied().unwrap_or(0);
            assert!(deliveries <= u64::from(before), "{letter} was delivered {before} times");
            self.letters += 1;
        }
    }

    fn come_or_leave(&mut self, client: u64) {
        if self.world.store.has_consumer(client, 1) {
            let at = self.world.at();
            self.world.store.disconnect(at, client, &mut self.world.told);
            self.lines.remove(&client);
            self.has.remove(&client);
            self.last.remove(&client);
            return;
        }
        let window = self.random.pick(&[1, 5, 100]);
        self.world.consume(client, Consume { window, ..durable("gateway") });
    }

    /// The next one that waits goes to its consumer.
    fn send(&mut self, client: u64) {
        let first = self.lines.get(&client).and_then(|it| it.front().copied());
        let Some((position, is_repeated)) = first else { return };
        let sending = self.world.send(client, position);
        if sending != Sending::Later {
            self.lines.entry(client).or_default().pop_front();
        }
        if sending.is_now() {
            self.deliver(client, (position, is_repeated || sending == Sending::Behind));
        }
    }

    /// A consumer acknowledges something that it has, and maybe all before it, or gives it back.
    fn settle(&mut self, client: u64) {
        let Some(has) = self.has.get_mut(&client).filter(|it| !it.is_empty()) else { return };
        let position = has.swap_remove(self.random.index(has.len()));
        let (at, World { store, told, .. }) = (self.world.at(), &mut self.world);
        let done = match self.random.below(4) {
            0 => store.acknowledge(at, client, 1, (position, true), told),
            1 => store.acknowledge(at, client, 1, (position, false), told),
            _ => store.release(at, client, 1, (position, 0), told),
        };
        assert_eq!(done, Ok(()));
    }

    fn step(&mut self) {
        let client = self.random.pick(&[2, 3, 4]);
        match self.random.below(20) {
            0..5 => self.world.publish_in_time("orders/1", "message"),
            5..10 => self.send(client),
            10..14 => self.settle(client),
            14 | 15 => self.come_or_leave(client),
            16 | 17 => {
                let time = self.random.pick(&[1_000, SECOND / 3]);
                self.world.wait(time);
            }
            18 if self.random.once_in(2) => {
                let (at, is_paused) = (self.world.at(), self.random.once_in(6));
                // There may be none yet.
                let _ = self.world.store.pause(at, "gateway", is_paused, &mut self.world.told);
            }
            18 => self.world.sync(),
            _ if self.random.once_in(5) => {
                self.world.cut_power();
                self.world.told.waits.extend(WAIT);
                self.lines.clear();
                self.has.clear();
                self.last.clear();
            }
            _ => {}
        }
        self.take();
    }
}

#[test]
fn no_delivery_is_counted_that_was_none_however_often_the_router_is_killed() {
    let (mut letters, mut delivered) = (0, 0);
    for seed in 0..100 {
        let mut scene = Scene::new(seed);
        (0..500).for_each(|_| scene.step());
        letters += scene.letters;
        delivered += scene.delivered.values().sum::<u32>();
    }
    assert!(letters > 100 && delivered > 2_000, "{letters} {delivered}");
}

#[test]
fn nobody_acknowledges_what_nobody_has_had() {
    let (mut world, positions) = world(settings(), 3);
    world.acknowledge(2, positions[0]);
    assert_eq!(account(&world).acknowledged, 0);
    assert_eq!(world.send(2, positions[0]), Sending::Now, "it still goes");
    // Nor when it waits for anybody.
    world.told.full.push(3);
    world.consume(3, durable("gateway"));
    disconnect(&mut world, 2);
    world.acknowledge(3, positions[1]);
    assert_eq!((account(&world).acknowledged, account(&world).waiting), (0, 3));
    // What may have been delivered before the start of the router may be acknowledged.
    world.cut_power();
    world.told.waits.push(2);
    world.consume(2, durable("gateway"));
    pass(&mut world, 1_000_000);
    assert_eq!(account(&world).in_flight, 3);
    world.acknowledge(2, positions[1]);
    assert_eq!(account(&world).acknowledged, 1);
    assert_eq!(world.send(2, positions[1]), Sending::Never);
}

#[test]
fn nobody_acknowledges_an_update_that_nobody_has_had() {
    let (mut world, position) = conflated_world();
    world.acknowledge(2, position);
    world.told.full.push(3);
    world.consume(3, newest());
    disconnect(&mut world, 2);
    world.acknowledge(3, position);
    assert_eq!((account(&world).acknowledged, account(&world).waiting), (0, 1));
    world.told.full.clear();
    let at = world.at();
    world.store.client_has_room(at, 3, &mut world.told);
    assert_eq!(world.payloads(), ["price 2"]);
    world.acknowledge(3, position);
    assert_eq!(account(&world).acknowledged, 1);
}

#[test]
fn what_waits_when_a_subscription_is_paused_does_not_go_until_it_goes_on() {
    let (mut world, positions) = world(settings(), 3);
    let pause = |world: &mut World, is_paused: bool| {
        let at = world.at();
        world.store.pause(at, "gateway", is_paused, &mut world.told).expect("it is there");
    };
    pause(&mut world, true);
    for position in &positions {
        assert_eq!(world.send(2, *position), Sending::Never);
    }
    let it = account(&world);
    assert_eq!((it.in_flight, it.waiting, it.deliveries), (0, 3, 0), "at once");
    pass(&mut world, SECOND);
    assert!(world.told.seen.is_empty(), "{:?}", world.told.seen);
    pause(&mut world, false);
    let seen: Vec<(u64, bool)> =
        world.told.seen.iter().map(|it| (it.position, it.is_repeated)).collect();
    assert_eq!(seen, [0, 1, 2].map(|it| (positions[it], false)), "nobody has had them");
    for position in &positions {
        assert_eq!(world.send(2, *position), Sending::Now);
    }
}

#[test]
fn what_comes_behind_later_ones_says_that_it_may_have_been_delivered() {
    // To one who gets messages at once, and to one for whom they wait.
    for waits in [false, true] {
        let (mut world, positions) = world(settings(), 3);
        world.told.full.push(2);
        world.told.waits.extend(waits.then_some(3));
        world.consume(3, durable("gateway"));
        world.publish_in_time("orders/1", "behind");
        pass(&mut world, SECOND);
        let behind = world.told.seen[0].position;
        if waits {
            assert_eq!(world.send(3, behind), Sending::Now);
        }
        disconnect(&mut world, 2);
        pass(&mut world, SECOND);
        let seen = world.told.seen.iter().map(|it| (it.position, it.is_repeated, it.deliveries));
        let seen: Vec<(u64, bool, u32)> = seen.collect();
        let late = positions.iter().map(|it| (*it, true, 0));
        let expected: Vec<(u64, bool, u32)> =
            [(behind, false, 0)].into_iter().chain(late).collect();
        assert_eq!(seen, expected);
    }
    // Also where these have gone since it was handed out.
    let (mut world, positions) = world(settings(), 3);
    for (at, sending) in [(1, Sending::Now), (0, Sending::Behind), (2, Sending::Now)] {
        assert_eq!(world.send(2, positions[at]), sending);
    }
}

/// A world with three messages of a topic of a conflated subscription of the consumer 2, for which the newest waits; its position.
fn conflated_world() -> (World, u64) {
    let mut world = World::new(settings());
    world.told.waits.push(2);
    world.told.full.push(2);
    world.consume(2, newest());
    for number in 0..2 {
        world.publish("orders/1", &format!("price {number}"));
        world.sync();
    }
    world.publish_for("orders/1", "price 2", SECOND);
    world.sync();
    world.told.full.clear();
    let at = world.at();
    world.store.client_has_room(at, 2, &mut world.told);
    let [it] = &world.told.seen[..] else { panic!("{:?}", world.told.seen) };
    assert_eq!((&*it.payload, it.replaced), ("price 2", Some(2)));
    let position = it.position;
    world.told.seen.clear();
    (world, position)
}

fn newest() -> Consume<'static> {
    Consume { conflation: Some(0), ..durable("gateway") }
}

#[test]
fn what_a_message_has_replaced_is_told_when_it_goes() {
    let replaced = |world: &mut World| {
        let seen = std::mem::take(&mut world.told.seen);
        let [it] = &seen[..] else { panic!("{seen:?}") };
        it.replaced
    };
    // Its consumer leaves before.
    let (mut world, _) = conflated_world();
    disconnect(&mut world, 2);
    world.consume(3, newest());
    assert_eq!(replaced(&mut world), Some(2));
    // It is superseded by then.
    let (mut world, _) = conflated_world();
    world.told.full.push(2);
    world.publish("orders/1", "price 3");
    world.sync();
    disconnect(&mut world, 2);
    world.consume(3, newest());
    assert_eq!(replaced(&mut world), Some(3));
    // It expires before.
    let (mut world, position) = conflated_world();
    pass(&mut world, 2 * SECOND);
    assert_eq!(world.send(2, position), Sending::Never);
    world.publish("orders/1", "price 3");
    world.sync();
    assert_eq!(replaced(&mut world), Some(2));
    // When it has gone that is not said again.
    let (mut world, position) = conflated_world();
    assert_eq!(world.send(2, position), Sending::Now);
    world.acknowledge(2, position);
    world.publish("orders/1", "price 3");
    world.sync();
    assert_eq!(replaced(&mut world), Some(0));
}

#[test]
fn what_waits_over_a_pause_goes_in_its_order() {
    let (mut world, positions) = world(settings(), 4);
    for is_paused in [true, false] {
        let at = world.at();
        world.store.pause(at, "gateway", is_paused, &mut world.told).expect("it is there");
        if is_paused {
            // The first is made meanwhile, the others are not.
            assert_eq!(world.send(2, positions[0]), Sending::Never);
        }
    }
    pass(&mut world, SECOND);
    // The line as the engine has it.
    let mut line = positions[1..].to_vec();
    line.retain(|it| !world.told.withdrawn.contains(&(2, *it)));
    line.extend(world.told.seen.iter().map(|it| it.position));
    assert_eq!(line, positions);
    assert_eq!((account(&world).in_flight, account(&world).waiting), (4, 0));
    // What it acknowledges up to a message is all of that which has gone.
    assert_eq!(world.send(2, positions[0]), Sending::Now);
    acknowledge_through(&mut world, 2, positions[3]);
    assert_eq!((account(&world).acknowledged, account(&world).in_flight), (1, 3));
}

#[test]
fn what_is_acknowledged_when_a_subscription_is_paused_is_done() {
    // More than are looked through in a turn, which its consumer has had, and all of which waits for it again.
    const MESSAGES: usize = 1_500;
    let (mut world, positions) = world(strict(), MESSAGES);
    for position in &positions {
        assert_eq!(world.send(2, *position), Sending::Now);
    }
    pass(&mut world, 3 * SECOND / 2);
    assert_eq!(account(&world).timed_out, MESSAGES as u64);
    world.acknowledge(2, positions[0]);
    (0..10).for_each(|_| world.wait(1_000));
    acknowledge_through(&mut world, 2, positions[MESSAGES - 1]);
    let at = world.at();
    world.store.pause(at, "gateway", true, &mut world.told).expect("it is there");
    (0..10).for_each(|_| world.wait(1_000));
    let it = account(&world);
    assert_eq!((it.acknowledged, it.in_flight, it.waiting), (MESSAGES as u64, 0, 0));
}

#[test]
fn what_a_consumer_does_not_take_in_time_goes_to_another_one() {
    let (mut world, positions) = world(strict(), 10);
    world.told.full.push(2);
    pass(&mut world, 3 * SECOND);
    assert!(world.told.withdrawn.is_empty(), "nobody else would have it");
    assert!(others(&mut world).is_empty(), "there is time");
    for _ in 0..20 {
        if world.told.seen.is_empty() {
            world.wait(SECOND / 10);
        }
    }
    let seen: Vec<(u64, bool)> =
        world.told.seen.drain(..).map(|it| (it.position, it.is_repeated)).collect();
    let expected: Vec<(u64, bool)> = positions.iter().map(|it| (*it, false)).collect();
    assert_eq!(seen, expected, "as if nobody had had them");
    let withdrawn = positions.iter().map(|it| (2, *it));
    assert!(world.told.withdrawn.iter().copied().eq(withdrawn), "{:?}", world.told.withdrawn);
    assert_eq!(world.send(2, positions[0]), Sending::Never);
    acknowledge_through(&mut world, 3, positions[9]);
    let it = account(&world);
    assert_eq!((it.acknowledged, it.deliveries, it.timed_out, it.redelivered), (10, 10, 0, 0));
    // Nobody was late: the first one has all of its window.
    world.told.full.clear();
    world.told.full.push(3);
    (0..5).for_each(|_| world.publish_in_time("orders/1", "more"));
    pass(&mut world, SECOND / 10);
    assert_eq!(world.told.seen.iter().filter(|it| it.client == 2).count(), 5);
}

#[test]
fn what_expires_while_it_waits_does_not_go() {
    let (mut world, _) = world(settings(), 0);
    // Nor in a replay.
    world.told.waits.push(5);
    world.consume(5, durable(""));
    world.publish_for("orders/1", "short", SECOND);
    world.publish("orders/1", "long");
    world.sync();
    for client in [2, 5] {
        let seen = world.told.seen.iter().filter(|it| it.client == client);
        let positions: Vec<u64> = seen.map(|it| it.position).collect();
        assert_eq!(positions.len(), 2);
        if client == 2 {
            pass(&mut world, 2 * SECOND);
        }
        world.told.lost.clear();
        assert_eq!(world.send(client, positions[0]), Sending::Never);
        assert_eq!(world.send(client, positions[1]), Sending::Now);
        pass(&mut world, 1_000);
        let [loss] = world.told.lost[..] else { panic!("{:?}", world.told.lost) };
        let known = (loss.reason, loss.count, loss.first, loss.last);
        assert_eq!(known, (LossReason::Expired, 1, positions[0], positions[0]));
    }
    let it = account(&world);
    assert_eq!((it.expired, it.in_flight, it.deliveries), (1, 1, 1));
}

#[test]
fn a_late_cumulative_acknowledgement_is_also_of_what_waits_to_go_again() {
    let (mut first, positions) = world(strict(), 1);
    assert_eq!(first.send(2, positions[0]), Sending::Now);
    pass(&mut first, 3 * SECOND / 2);
    assert_eq!((account(&first).timed_out, account(&first).in_flight), (1, 1));
    acknowledge_through(&mut first, 2, positions[0]);
    assert_eq!((account(&first).acknowledged, account(&first).in_flight), (1, 0));
    assert_eq!(first.send(2, positions[0]), Sending::Never);
    // Not of what it has given back meanwhile.
    let (mut third, positions) = world(strict(), 1);
    assert_eq!(third.send(2, positions[0]), Sending::Now);
    pass(&mut third, 3 * SECOND / 2);
    let at = third.at();
    third.store.release(at, 2, 1, (positions[0], 0), &mut third.told).expect("it is taken");
    acknowledge_through(&mut third, 2, positions[0]);
    assert_eq!((account(&third).acknowledged, account(&third).in_flight), (0, 1));
    assert_eq!(third.send(2, positions[0]), Sending::Now);
    // Nor of what it did not take in time, and never had.
    let (mut second, positions) = world(strict(), 1);
    second.told.full.push(3);
    second.consume(3, durable("gateway"));
    pass(&mut second, 3 * SECOND / 2);
    assert_eq!(second.told.withdrawn, [(2, positions[0])]);
    acknowledge_through(&mut second, 2, positions[0]);
    assert_eq!((account(&second).acknowledged, account(&second).in_flight), (0, 1));
    assert_eq!(second.send(2, positions[0]), Sending::Now);
}
