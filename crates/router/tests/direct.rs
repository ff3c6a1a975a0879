//! Direct delivery: who gets what, in which order, and what is rejected.

mod world;

use trunkline_router::{ClientOptions, Dirty, Envelope, Limits, Mode, Rejection, Requester};
use trunkline_router::{SubscriptionOptions, TopicId};
use world::World;

#[test]
fn a_message_goes_to_every_subscription_that_matches() {
    let mut world = World::new();
    let (one, other) =
        (world.connect(ClientOptions::default()), world.connect(ClientOptions::default()));
    world.subscribe(one, 1, "fx/EURUSD");
    world.subscribe(one, 2, "fx/*");
    world.subscribe(other, 1, "fx/EUR*");
    world.subscribe(other, 9, "rates/>");
    assert_eq!(world.publish("fx/EURUSD", "1.10"), 3);
    assert_eq!(world.publish("fx/USDJPY", "150"), 1);
    assert_eq!(world.publish("news", "nothing"), 0);
    assert_eq!(world.dirty(), [Dirty::Output(one), Dirty::Output(other)]);
    assert_eq!(
        world.unsent(one),
        [
            "topic 0 fx/EURUSD",
            "1 fx/EURUSD#1 1.10",
            "topic 0 fx/EURUSD",
            "2 fx/EURUSD#1 1.10",
            "topic 1 fx/USDJPY",
            "2 fx/USDJPY#1 150"
        ]
    );
    assert_eq!(world.receive(other), ["1 fx/EURUSD#1 1.10"]);
    assert_eq!(world.dirty(), []);
    world.check_ledgers();
}

#[test]
fn subscriptions_come_and_go_while_topics_are_published() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.publish("a", "before");
    world.subscribe(client, 1, "a");
    world.publish("a", "exact");
    world.subscribe(client, 2, ">");
    world.publish("a", "both");
    world.router.unsubscribe(0, client, 1).expect("it is there");
    world.publish("a", "rest");
    world.router.unsubscribe(0, client, 2).expect("it is there");
    world.publish("a", "after");
    let expected = ["1 a#2 exact", "1 a#3 both", "2 a#3 both", "2 a#4 rest"];
    assert_eq!(world.receive(client), expected);
    world.check_ledgers();
}

#[test]
fn requests_and_formats_travel_with_the_message() {
    let mut world = World::new();
    let client = world.connect(ClientOptions::default());
    world.subscribe(client, 3, "calls");
    let topic = world.topic("calls");
    let request = Some(Requester { client, correlation: 77 });
    let envelope = Envelope { mode: Mode::Direct, format: 5, request, payload: b"?" };
    assert_eq!(world.router.publish(0, topic, &envelope), Ok(1));
    assert_eq!(world.receive(client), ["3 calls#1 for 0 77 format 5 ?"]);
}

#[test]
fn a_client_that_is_gone_is_known_no_more() {
    let mut world = World::new();
    let gone = world.connect(ClientOptions::default());
    world.subscribe(gone, 1, "a");
    world.publish("a", "x");
    world.router.disconnect(0, gone);
    let next = world.connect(ClientOptions::default());
    assert_eq!((next.index, next.generation), (gone.index, gone.generation + 1));
    world.subscribe(next, 1, "b");
    assert_eq!(world.publish("a", "y"), 0);
    assert_eq!(world.dirty(), []);
    assert_eq!(world.router.output(gone), b"");
    assert!(!world.router.control(gone, |_, _| unreachable!()));
    world.router.sent(0, gone, 10);
    world.router.disconnect(0, gone);
    assert_eq!(world.router.unsubscribe(0, gone, 1), Err(Rejection::NoClient));
    let options = SubscriptionOptions::default();
    assert_eq!(world.router.subscribe(0, gone, 2, "a", &options), Err(Rejection::NoClient));
    assert_eq!(world.publish("b", "z"), 1);
    assert_eq!(world.receive(next), ["1 b#1 z"]);
    assert_eq!(world.router.view().gone().delivered, 1);
    world.check_ledgers();
}

#[test]
fn limits_reject_what_is_new() {
    let mut world = World::with(Limits {
        clients: 2,
        subscriptions: 3,
        subscriptions_per_client: 2,
        matches: 2,
        message_bytes: 4,
        ..Limits::default()
    });
    let one = world.connect(ClientOptions::default());
    let other = world.connect(ClientOptions::default());
    let third = world.router.connect(0, ClientOptions::default(), world::Lines::default());
    assert_eq!(third, Err(Rejection::TooManyClients(2)));
    world.subscribe(one, 1, "a");
    world.subscribe(one, 2, "*");
    world.subscribe(other, 1, "*");
    let options = SubscriptionOptions::default();
    let mut subscribe = |client, number, pattern| {
        world.router.subscribe(0, client, number, pattern, &options).expect_err("rejected")
    };
    assert_eq!(subscribe(one, 3, "b"), Rejection::TooManySubscriptionsOfClient(2));
    assert_eq!(subscribe(one, 1, "b"), Rejection::SubscriptionExists(1));
    assert_eq!(subscribe(other, 2, "b"), Rejection::TooManySubscriptions(3));
    assert!(matches!(subscribe(other, 2, "a//b"), Rejection::Pattern(_)));
    assert!(matches!(world.router.intern(0, "$x"), Err(Rejection::Topic(_))));
    let topic = world.topic("a");
    let mut publish = |topic, payload: &[u8]| {
        let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload };
        world.router.publish(0, topic, &envelope).expect_err("rejected")
    };
    assert_eq!(publish(topic, b"12345"), Rejection::MessageTooLong { bytes: 5, limit: 4 });
    assert_eq!(publish(topic, b"1"), Rejection::TooManyMatches(2));
    assert_eq!(publish(TopicId(7), b"1"), Rejection::NoTopic);
    assert_eq!(world.publish("b", "2"), 2, "the two matches that may be");
    assert_eq!(world.receive(other), ["1 b#1 2"]);
    world.check_ledgers();
}

#[test]
fn a_client_with_too_many_matches_ends_and_others_go_on() {
    let mut world = World::with(Limits { matches_per_client: 2, ..Limits::default() });
    let [greedy, other] = [(); 2].map(|()| world.connect(ClientOptions::default()));
    world.subscribe(greedy, 1, "*");
    world.subscribe(other, 1, "a");
    assert_eq!(["a", "b", "c"].map(|topic| world.publish(topic, "x")), [2, 1, 0]);
    let told = world.receive(greedy);
    assert_eq!(told[..2], ["1 a#1 x", "1 b#1 x"]);
    assert!(told[2].starts_with("closing: ") && told[2].contains("2 matches"), "{told:?}");
    assert_eq!(world.publish("a", "y"), 1);
    assert_eq!(world.receive(other), ["1 a#1 x", "1 a#2 y"]);
    assert_eq!(world.router.view().matches_now(), 1);
    world.check_ledgers();
}

#[test]
fn who_reads_no_replies_ends_when_as_many_wait_as_its_queue_may_hold() {
    let mut world = World::with(Limits { output_bytes: 10, ..Limits::default() });
    let options = ClientOptions { queue_bytes: 20, ..ClientOptions::default() };
    let client = world.connect(options);
    let mut reply = || world.router.reply(client, |_, out| out.extend([b'x'; 16]));
    assert_eq!([reply(), reply(), reply(), reply()], [true, true, false, false]);
    let told = world.unsent(client).join(" ");
    assert!(told.ends_with("closing: the client asks, and does not read the replies"), "{told}");
}

#[test]
fn a_client_with_very_many_topics_goes_bit_by_bit() {
    const TOPICS: usize = 5_000;
    let mut world = World::new();
    let many = world.connect(ClientOptions::default());
    let few = world.connect(ClientOptions::default());
    world.subscribe(many, 1, "t/>");
    world.subscribe(many, 2, "t/0");
    world.subscribe(few, 1, "t/0");
    let publish_all = |world: &mut World| {
        (0..TOPICS).map(|number| world.publish(&format!("t/{number}"), "x")).sum::<usize>()
    };
    assert_eq!(publish_all(&mut world), TOPICS + 2);
    world.router.disconnect(0, many);
    assert_eq!(world.router.output(many), b"");
    assert_eq!(publish_all(&mut world), 1, "what is left of it takes nothing");
    world.check_ledgers();
    let mut turns = 0;
    while world.router.next_deadline().is_some_and(|time| time <= 1) {
        world.router.advance(0);
        world.check_ledgers();
        turns += 1;
    }
    assert!((3..10).contains(&turns), "{turns}");
    assert_eq!(world.receive(few).len(), 2);
    let totals = world.router.view().totals();
    assert_eq!((totals.clients, totals.subscriptions, totals.matches), (1, 1, 1));
    assert_eq!(totals.ledger.delivered, TOPICS as u64 + 3);
    let next = world.connect(ClientOptions::default());
    assert_eq!((next.index, next.generation), (many.index, many.generation + 1));
}
