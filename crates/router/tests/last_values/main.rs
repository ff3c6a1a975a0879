//! Last values: what a new subscription gets first, in which order, and what is kept.

#[path = "../world/mod.rs"]
mod world;

mod model;

use trunkline_router::{
    ClientId, ClientOptions, Envelope, Limits, Mode, Overflow, Requester, SubscriptionOptions,
};
use world::{MILLISECOND, SECOND, World};

const LAST: SubscriptionOptions = SubscriptionOptions {
    updates_per_second: None,
    conflate: false,
    last_values: true,
    rendition: None,
    filter: None,
};
const NEWEST: SubscriptionOptions = SubscriptionOptions { conflate: true, ..LAST };

fn keeping(pattern: &str) -> World {
    with(pattern, Limits::default())
}

fn with(pattern: &str, limits: Limits) -> World {
    let mut world = World::with(limits);
    world.router.keep_last_values([pattern]);
    world
}

impl World {
    fn last(&mut self, number: u32, pattern: &str, options: SubscriptionOptions) -> ClientId {
        let client = self.connect(ClientOptions::default());
        self.subscribe_with(client, number, pattern, options);
        client
    }

    /// All that a client gets, while the router does what is due.
    fn all(&mut self, client: ClientId) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            self.advance(self.now + MILLISECOND);
            let more = self.receive(client);
            if more.is_empty() {
                return lines;
            }
            lines.extend(more);
        }
    }

    fn kept(&self) -> (usize, u64) {
        let totals = self.router.last_value_totals();
        (totals.values, totals.dropped)
    }
}

#[test]
fn the_last_value_comes_first_and_then_what_follows() {
    let mut world = keeping("fx/>");
    world.publish("fx/EUR", "1");
    world.publish("fx/EUR", "2");
    world.publish("eq/SAP", "3");
    world.now = SECOND;
    world.publish("fx/USD", "4");
    world.now = 3 * SECOND;
    let client = world.last(7, ">", LAST);
    let lines = world.all(client);
    assert_eq!(
        lines,
        [
            "7 fx/EUR#2 last age 3000000000 2",
            "7 fx/USD#1 last age 2000000000 4",
            "7 had 2 last values"
        ]
    );
    world.publish("fx/EUR", "5");
    world.publish("eq/SAP", "6");
    assert_eq!(world.all(client), ["7 fx/EUR#3 5", "7 eq/SAP#2 6"]);
    world.check_ledgers();
    let ledger = world.router.view().client(client).expect("it is connected").ledger;
    assert_eq!((ledger.published, ledger.delivered), (4, 4));
    assert_eq!(world.router.last_value_totals().offered, 2);
}

#[test]
fn names_of_topics_and_subscriptions_without_the_wish() {
    let mut world = keeping("fx/>");
    world.publish("fx/EUR", "1");
    let by_name = world.last(1, "fx/EUR", LAST);
    let nothing = world.last(1, "fx/EUR/spot", LAST);
    let never = world.last(1, "fx/EUR", SubscriptionOptions::default());
    let other = world.last(1, "eq/>", LAST);
    assert_eq!(world.all(by_name), ["1 fx/EUR#1 last age 0 1", "1 had 1 last values"]);
    assert_eq!(world.all(nothing), ["1 had 0 last values"]);
    assert_eq!(world.all(other), ["1 had 0 last values"]);
    assert_eq!(world.all(never), [""; 0]);
}

#[test]
fn what_is_published_before_the_walk_comes_behind_the_old_value() {
    let mut world = keeping(">");
    for name in ["a", "b", "c"] {
        world.publish(name, "old");
    }
    let client = world.last(1, "*", LAST);
    let newest = world.last(1, "*", NEWEST);
    world.publish("b", "new");
    world.publish("d", "first");
    let lines = world.receive(client);
    assert_eq!(lines, ["1 b#1 last age 0 old", "1 b#2 new", "1 d#1 first"]);
    let lines = world.receive(newest);
    assert_eq!(
        lines,
        [
            "1 b#1 last age 0 replaced 0 age 0 old",
            "1 b#2 replaced 0 age 0 new",
            "1 d#1 replaced 0 age 0 first"
        ]
    );
    let rest = ["1 a#1 last age 0 old", "1 c#1 last age 0 old", "1 had 3 last values"];
    assert_eq!(world.all(client), rest);
    world.check_ledgers();
}

#[test]
fn who_does_not_read_makes_nothing_gather_and_gets_all_when_it_reads() {
    let limits = Limits { output_bytes: 4_096, ..Limits::default() };
    for options in [LAST, NEWEST] {
        for overflow in [Overflow::DropOldest, Overflow::DropNewest, Overflow::Disconnect] {
            let mut world = with(">", limits.clone());
            for number in 0..5_000 {
                world.publish(&format!("t/{number}"), &"x".repeat(100));
            }
            let queue = ClientOptions { queue_messages: 20, overflow, ..ClientOptions::default() };
            let client = world.connect(queue);
            world.subscribe_with(client, 1, ">", options);
            world.advance(world.now + SECOND);
            let seen = world.router.view().client(client).expect("it is connected");
            assert!(seen.ledger.queued <= 16 && seen.output_bytes < 8_192, "{seen:?}");
            // Others come and go meanwhile.
            let other = world.last(1, "t/77", LAST);
            assert_eq!(world.all(other).len(), 2);
            let lines = world.all(client);
            assert_eq!(lines.len(), 5_001);
            assert!(lines[..5_000].iter().all(|line| line.contains(" last age ")));
            assert_eq!(lines[5_000], "1 had 5000 last values");
            world.check_ledgers();
        }
    }
}

#[test]
fn a_turn_offers_few_and_clients_take_turns() {
    let mut world = keeping(">");
    for number in 0..20_000 {
        world.publish(&format!("t/{number}"), "x");
    }
    let limit = Limits { output_bytes: 1 << 30, ..Limits::default() };
    world.router.set_limits(limit);
    let (one, other) = (world.last(1, ">", LAST), world.last(1, ">", LAST));
    let delivered = |world: &World, client| {
        world.router.view().client(client).expect("it is connected").ledger.delivered
    };
    let mut turns = 0;
    while delivered(&world, one) < 20_000 {
        let before = delivered(&world, one) + delivered(&world, other);
        world.now = world.router.next_deadline().expect("there is more").max(world.now);
        world.router.advance(world.now);
        let (now, then) = (delivered(&world, one), delivered(&world, other));
        assert!(now + then - before <= 500 && now.abs_diff(then) <= 200, "{now} and {then}");
        for client in [one, other] {
            let bytes = world.router.output(client).len();
            world.router.sent(world.now, client, bytes);
        }
        turns += 1;
    }
    assert!((80..2_000).contains(&turns), "{turns} turns");
}

#[test]
fn a_pace_holds_for_last_values_too() {
    let mut world = keeping(">");
    for number in 0..60 {
        world.publish(&format!("t/{number}"), "x");
    }
    let capped = ClientOptions {
        messages_per_second: std::num::NonZeroU32::new(10),
        queue_bytes: 45,
        ..ClientOptions::default()
    };
    let client = world.connect(capped);
    world.subscribe_with(client, 1, ">", LAST);
    for _ in 0..20 {
        world.advance(world.now + SECOND / 10);
        assert!(world.receive(client).len() <= 2);
    }
    let mut lines = 0;
    for _ in 0..20 {
        world.advance(world.now + SECOND / 10);
        lines += world.receive(client).len();
    }
    assert!((18..=22).contains(&lines), "{lines}");
}

#[test]
fn a_value_keeps_its_topic_when_the_publisher_has_left() {
    let mut world = keeping("fx/>");
    world.publish("fx/EUR", "1");
    world.publish("eq/SAP", "1");
    world.advance(180 * SECOND);
    assert_eq!(world.router.view().topics_now(), 1);
    world.publish("fx/EUR", "2");
    world.advance(world.now + 180 * SECOND);
    let client = world.last(1, "fx/*", LAST);
    assert!(world.all(client)[0].starts_with("1 fx/EUR#2 last age 180"));
    let topic = world.topic("fx/EUR");
    world.router.clear_last_value(world.now, topic);
    world.router.release(world.now, topic);
    world.router.disconnect(world.now, client);
    world.advance(world.now + 180 * SECOND);
    assert_eq!((world.router.view().topics_now(), world.kept()), (0, (0, 0)));
    assert_eq!(world.router.next_deadline(), None, "there is nothing left to do");
}

#[test]
fn values_that_were_updated_least_recently_make_room() {
    let mut world = with(">", Limits { last_values: 2, ..Limits::default() });
    for name in ["a", "b", "a", "c"] {
        world.publish(name, "x");
    }
    assert_eq!(world.kept(), (2, 1));
    let client = world.last(1, ">", LAST);
    let lines = world.all(client);
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("1 a#2") && lines[1].starts_with("1 c#1"), "{lines:?}");
    // Bytes are a bound, too; and who is too large takes its older value along.
    let limits = Limits { last_value_bytes: 1_000, ..Limits::default() };
    world.router.set_limits(limits);
    world.publish("d", &"x".repeat(700));
    assert_eq!(world.kept(), (3, 1));
    world.publish("e", &"x".repeat(80));
    assert_eq!(world.kept(), (3, 2));
    world.publish("e", &"x".repeat(1_000));
    assert_eq!(world.kept(), (2, 3));
    // Lower limits, and less memory than that.
    world.router.set_limits(Limits { last_values: 1, ..Limits::default() });
    world.advance(world.now + 1);
    assert_eq!(world.kept(), (1, 4));
    assert!(world.router.drop_last_values(world.now, 1) > 700);
    assert_eq!((world.kept(), world.router.last_value_totals().bytes), ((0, 5), 0));
    assert_eq!(world.router.drop_last_values(world.now, 1), 0);
}

#[test]
fn topics_with_a_value_make_room_for_other_topics() {
    let mut world = with("fx/>", Limits { topics: 3, ..Limits::default() });
    for name in ["fx/a", "fx/b", "fx/c"] {
        world.publish(name, "x");
    }
    let held = world.topic("fx/a");
    world.publish("eq/d", "x");
    assert_eq!(world.kept(), (2, 1));
    let client = world.last(1, ">", LAST);
    assert!(world.all(client)[1].starts_with("1 fx/c#1"));
    world.router.release(world.now, held);
}

#[test]
fn what_a_reload_keeps_no_more_is_dropped() {
    let mut world = keeping(">");
    for number in 0..2_000 {
        world.publish(&format!("t/{number}"), "x");
    }
    world.publish("fx/EUR", "1");
    let client = world.last(1, ">", LAST);
    world.router.keep_last_values(["fx/>", "t/1999"]);
    // Before its route is made again, and after.
    world.publish("t/7", "y");
    assert_eq!(world.receive(client), ["1 t/7#2 y"]);
    world.advance(world.now + SECOND);
    assert_eq!(world.kept(), (2, 0));
    let lines = world.all(client);
    assert!(lines.last().expect("the end").contains("had"), "{lines:?}");
    world.check_ledgers();
    world.router.keep_last_values([]);
    world.advance(world.now + SECOND);
    assert_eq!(world.kept(), (0, 0));
}

#[test]
fn requests_are_not_kept() {
    let mut world = keeping(">");
    world.publish("a", "value");
    let client = world.connect(ClientOptions::default());
    let request = Some(Requester { client, correlation: 1 });
    let envelope = Envelope { mode: Mode::Direct, format: 0, request, payload: b"request" };
    let topic = world.topic("a");
    world.router.publish(world.now, topic, &envelope).expect("it is taken");
    let reader = world.last(1, "a", LAST);
    assert_eq!(world.all(reader)[0], "1 a#1 last age 0 value");
}

#[test]
fn who_has_too_many_matches_is_told_in_the_middle() {
    let mut world = with(">", Limits { matches: 50, ..Limits::default() });
    for number in 0..100 {
        let name = format!("t/{number}");
        world.topic(&name);
        world.publish(&name, "x");
    }
    let client = world.last(1, ">", LAST);
    let lines = world.all(client);
    assert_eq!(lines.len(), 50, "{lines:?}");
    let rejected = world.router.next_late_rejection().expect("it is rejected");
    assert_eq!((rejected.client, rejected.subscription), (client, 1));
    assert_eq!(rejected.rejection.code(), 7);
    world.check_ledgers();
    assert_eq!(world.router.view().subscriptions_now(), 0);
}
