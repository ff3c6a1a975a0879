//! What counts towards a limit, and what a client's output takes.

mod world;

use std::num::NonZeroU64;

use trunkline_router::{ClientOptions, Ledger, Limits, TopicId};
use world::World;

#[test]
fn matches_that_have_ended_count_no_more() {
    let mut world = World::with(Limits { matches_per_client: 3, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    world.subscribe(client, 1, "stays");
    assert_eq!(world.publish("stays", "x"), 1);
    for number in 2..12 {
        world.subscribe(client, number, "comes/*");
        assert_eq!(world.publish("comes/and/goes", "x"), 0);
        assert_eq!(world.publish("comes/1", "x") + world.publish("comes/2", "x"), 2);
        world.router.unsubscribe(world.now, client, number).expect("it is there");
    }
    assert_eq!(world.publish("stays", "y"), 1, "the client has never had more than three");
    world.check_ledgers();
}

#[test]
fn an_output_has_room_below_its_limit() {
    let mut world = World::with(Limits { output_bytes: 100, ..Limits::default() });
    let client = world.connect(ClientOptions::default());
    let push = |world: &mut World, bytes: usize| {
        world.router.push(0, client, |_, out| out.resize(out.len() + bytes, b'x'));
        world.router.room_at(client)
    };
    assert_eq!(push(&mut world, 99), Some(0));
    assert_eq!(push(&mut world, 1), None);
    world.router.sent(0, client, 1);
    assert_eq!(world.router.room_at(client), Some(0));
}

#[test]
fn what_is_pushed_is_paid_for_once() {
    let mut world = World::new();
    let bytes_per_second = NonZeroU64::new(1_000);
    let client = world.connect(ClientOptions { bytes_per_second, ..ClientOptions::default() });
    let mut times = Vec::new();
    // Nothing is sent meanwhile.
    for _ in 0..5 {
        world.router.push(0, client, |_, out| out.extend_from_slice(&[b'x'; 1_000]));
        times.push(world.router.room_at(client).expect("there is room"));
    }
    let steps: Vec<u64> = times.windows(2).map(|it| it[1] - it[0]).collect();
    assert_eq!(steps, [world::SECOND; 4], "a second for each thousand bytes");
}

#[test]
fn a_view_says_who_is_there_and_how_many_want_a_topic() {
    let mut world = World::new();
    let clients: Vec<_> = (0..3).map(|_| world.connect(ClientOptions::default())).collect();
    clients.iter().for_each(|client| world.subscribe(*client, 1, "a/*"));
    let (wanted, unwanted) = (world.topic("a/1"), world.topic("b/1"));
    assert_eq!((world.publish("a/1", "x"), world.publish("b/1", "x")), (3, 0));
    let counts = [wanted, unwanted, TopicId(1_000_000)].map(|it| world.router.matches_of(it));
    assert_eq!(counts, [3, 0, 0]);
    let view = world.router.view();
    let seen: Vec<_> = view.clients(0..view.client_places()).map(|it| it.id).collect();
    assert_eq!(seen, clients);
    assert_eq!((view.topics_now(), view.subscriptions_now(), view.matches_now()), (2, 3, 3));
    let totals = view.totals();
    assert_eq!((totals.topics, totals.subscriptions, totals.matches, totals.clients), (2, 3, 3, 3));
    assert_eq!(totals.ledger.published, 3);
}

#[test]
fn what_waits_for_clients_is_counted_in_bytes() {
    let limits = Limits { output_bytes: 100, ..Limits::default() };
    let mut world = World::with(limits);
    let clients: Vec<_> = (0..2).map(|_| world.connect(ClientOptions::default())).collect();
    clients.iter().for_each(|client| world.subscribe(*client, 1, "a"));
    for _ in 0..10 {
        world.publish("a", &"x".repeat(1_000));
    }
    let totals = world.router.view().totals();
    assert!((12_000..30_000).contains(&totals.queued_bytes), "{}", totals.queued_bytes);
    assert!(totals.output_bytes >= 2_000, "{}", totals.output_bytes);
}

#[test]
fn a_ledger_that_does_not_add_up_is_not_balanced() {
    let whole = Ledger {
        published: 11,
        delivered: 4,
        elided: 3,
        discarded: 1,
        unrendered: 1,
        filtered: 1,
        queued: 1,
    };
    assert!(whole.is_balanced());
    for wrong in [
        Ledger { published: 12, ..whole },
        Ledger { delivered: 5, ..whole },
        Ledger { elided: 4, ..whole },
        Ledger { discarded: 3, ..whole },
        Ledger { filtered: 0, ..whole },
        Ledger { queued: 0, ..whole },
    ] {
        assert!(!wrong.is_balanced(), "{wrong:?}");
    }
}
