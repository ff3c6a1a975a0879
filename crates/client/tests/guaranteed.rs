//! Guaranteed delivery by its bytes: what is kept until it is acknowledged, what is sent again and when,
//! and where consumers go on.

use trunkline_client::{
    Consume, Conversation, Error, Event, Options, Start, Subscribe, code, format, kind,
};
use trunkline_native::{
    Confirmed, Consuming, Delivery, Durability, Features, Lost, LostReason, Producing, Rejected,
    RouterFrame, Stored, Topic, VERSION, Welcome, decode_client,
};

const NO_FEATURES: Features = Features::NONE;

const WELCOME: RouterFrame<'_> = RouterFrame::Welcome(Welcome {
    features: NO_FEATURES,
    version: VERSION,
    frame_bytes: 1 << 20,
    client: 9,
    topics: 2000,
    subscriptions: 100,
});

fn hear(conversation: &mut Conversation, frames: &[RouterFrame<'_>]) {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    conversation.received(&bytes);
}

/// Every event that is there, as text.
fn events(conversation: &mut Conversation) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(event) = conversation.next_event().expect("frames of a router") {
        found.push(format!("{event:?}"));
    }
    found
}

/// What the conversation has to send, as text, which is then sent; of STORE the sequence, and whether it
/// may have been sent before.
fn said(conversation: &mut Conversation) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = conversation.output();
    while let Some((frame, length)) = decode_client(rest, 1 << 20).expect("frames of a client") {
        found.push(match frame {
            trunkline_native::ClientFrame::Store(store) => {
                let again = if store.is_repeated { " again" } else { "" };
                format!("{}{again}", store.sequence)
            }
            other => format!("{other:?}"),
        });
        rest = &rest[length..];
    }
    conversation.sent(conversation.output().len());
    found
}

const fn producing(window: u32, last: u64) -> RouterFrame<'static> {
    RouterFrame::Producing(Producing { window, window_bytes: 100, last })
}

fn stored(sequence: u64) -> RouterFrame<'static> {
    let durability = Durability { memory: 1, disk: 1 };
    RouterFrame::Stored(Stored { durability, sequence, position: sequence * 10 })
}

fn rejected(of: u8, id: u64, code: u16) -> RouterFrame<'static> {
    RouterFrame::Rejected(Rejected { of, code, offset: None, id, text: "not now" })
}

/// A producer whose last message is 41, and its topic.
fn producer() -> (Conversation, trunkline_client::Topic) {
    let mut conversation = Conversation::new(&Options::named("test"));
    conversation.producer("desk-7").expect("a name");
    let topic = conversation.topic("orders").expect("a topic");
    let early = conversation.store(topic, 0, b"", 0);
    assert!(matches!(early, Err(Error::NoProducer)), "{early:?}");
    hear(&mut conversation, &[WELCOME, producing(10, 41)]);
    assert_eq!(events(&mut conversation).len(), 2);
    assert!(said(&mut conversation)[1].contains("name: \"desk-7\""));
    (conversation, topic)
}

/// Stores so many messages; their sequences.
fn store(
    conversation: &mut Conversation,
    topic: trunkline_client::Topic,
    count: usize,
) -> Vec<u64> {
    let one = |_| conversation.store(topic, format::TEXT, b"1.0842", 0).expect("there is room");
    (0..count).map(one).collect()
}

const PING: &str = "Ping(18446744073709551615)";
const PONG: RouterFrame<'_> = RouterFrame::Pong(u64::MAX);

#[test]
fn what_is_stored_is_kept_until_it_is_acknowledged() {
    let (mut conversation, topic) = producer();
    assert_eq!(store(&mut conversation, topic, 3), [42, 43, 44]);
    assert_eq!(said(&mut conversation), ["42", "43", "44"]);
    assert_eq!(conversation.unacknowledged(), 42..45);
    hear(&mut conversation, &[stored(42), stored(43)]);
    // One acknowledgement says what both say.
    let told = events(&mut conversation);
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("disk: 1 }, sequence: 43, position: 430"), "{told:?}");
    assert_eq!((conversation.unacknowledged(), events(&mut conversation).len()), (44..45, 0));
    conversation.restart();
    assert_eq!(store(&mut conversation, topic, 1), [45]);
    hear(&mut conversation, &[WELCOME]);
    assert_eq!(events(&mut conversation).len(), 1);
    let again = said(&mut conversation);
    assert!(again[1].contains("orders") && again[2].contains("desk-7"), "{again:?}");
    assert_eq!(again.len(), 3, "nothing is stored before the router says how it stands: {again:?}");
    // 44 is in the router already, but not acknowledged.
    hear(&mut conversation, &[producing(10, 44)]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(said(&mut conversation), ["44 again", "45"]);
    hear(&mut conversation, &[stored(45)]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(conversation.acknowledged().map(|it| it.sequence), Some(45));
    assert!(conversation.unacknowledged().is_empty());
}

#[test]
fn no_more_is_on_its_way_than_may_be() {
    let (mut conversation, topic) = producer();
    store(&mut conversation, topic, 10);
    let full = conversation.store(topic, 0, b"", 0).unwrap_err();
    assert!(matches!(full, Error::WindowFull { messages: 10, bytes: 60 }), "{full}");
    assert!(!full.is_final());
    hear(&mut conversation, &[stored(50)]);
    assert_eq!(events(&mut conversation).len(), 1);
    let long = conversation.store(topic, 0, &[0; 101], 0).unwrap_err();
    assert!(matches!(long, Error::TooLong { length: 101, limit: 100 }), "{long}");
    let longer = conversation.store(topic, 0, &[0; (1 << 20) - 55], 0).unwrap_err();
    assert!(matches!(longer, Error::TooLong { limit: 1_048_512, .. }), "{longer}");
    assert_eq!(conversation.store(topic, 0, &[0; 94], 0).expect("it just fits"), 52);
    let full = conversation.store(topic, 0, b"1", 0).unwrap_err();
    assert!(matches!(full, Error::WindowFull { messages: 2, bytes: 100 }), "{full}");
}

#[test]
fn what_cannot_be_stored_for_now_is_tried_again() {
    let (mut conversation, topic) = producer();
    store(&mut conversation, topic, 4);
    said(&mut conversation);
    let mut answers = vec![stored(42), rejected(kind::STORE, 43, code::NOT_DURABLE)];
    answers.extend([44, 45].map(|it| rejected(kind::STORE, it, code::OUT_OF_SEQUENCE)));
    hear(&mut conversation, &answers);
    let told = events(&mut conversation);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].contains("id: 43, text: \"not now\""), "{told:?}");
    // Nothing is sent before it is known that nothing is on its way.
    assert_eq!(store(&mut conversation, topic, 1), [46]);
    assert_eq!(said(&mut conversation), [PING]);
    assert!(!conversation.is_pausing());
    hear(&mut conversation, &[PONG]);
    assert_eq!((events(&mut conversation).len(), conversation.is_pausing()), (0, true));
    // The first is tried alone, and again, and the others follow it.
    conversation.store_again();
    assert_eq!(said(&mut conversation), ["43 again"]);
    hear(&mut conversation, &[rejected(kind::STORE, 43, code::NOT_DURABLE)]);
    assert_eq!((events(&mut conversation).len(), said(&mut conversation)), (1, vec![PING.into()]));
    hear(&mut conversation, &[PONG]);
    assert_eq!(events(&mut conversation).len(), 0);
    conversation.store_again();
    said(&mut conversation);
    hear(&mut conversation, &[stored(43)]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(said(&mut conversation), ["44 again", "45 again", "46"]);
}

#[test]
fn what_is_missing_in_the_router_is_sent_again_once() {
    let (mut conversation, topic) = producer();
    store(&mut conversation, topic, 3);
    said(&mut conversation);
    hear(&mut conversation, &[rejected(kind::STORE, 43, code::OUT_OF_SEQUENCE)]);
    hear(&mut conversation, &[rejected(kind::STORE, 44, code::OUT_OF_SEQUENCE), PONG]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(said(&mut conversation), [PING, "42 again", "43 again", "44 again"]);
    // The first of all cannot be out of sequence.
    hear(&mut conversation, &[rejected(kind::STORE, 42, code::OUT_OF_SEQUENCE)]);
    assert_eq!(events(&mut conversation).len(), 1);
    let end = conversation.producer_end().expect("an end");
    assert_eq!(end.to_string(), "the router rejected STORE: not now (out of sequence)");
}

#[test]
fn who_is_taken_over_stores_no_more() {
    let (mut conversation, topic) = producer();
    store(&mut conversation, topic, 2);
    hear(&mut conversation, &[rejected(kind::STORE, 42, code::TAKEN_OVER)]);
    assert_eq!(events(&mut conversation).len(), 1);
    let error = conversation.store(topic, 0, b"", 0).unwrap_err();
    assert!(matches!(&error, Error::Rejected(it) if it.code == code::TAKEN_OVER), "{error}");
    assert_eq!(conversation.unacknowledged(), 42..44);
    // It does not take over in its turn.
    conversation.restart();
    hear(&mut conversation, &[WELCOME]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(said(&mut conversation).len(), 2);
    conversation.producer("desk-8").expect("a name");
    hear(&mut conversation, &[producing(10, 0)]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(store(&mut conversation, topic, 1), [1]);
}

#[test]
fn a_connection_has_one_producer() {
    let (mut conversation, topic) = producer();
    store(&mut conversation, topic, 2);
    said(&mut conversation);
    for name in ["desk-7", "desk-8"] {
        let second = conversation.producer(name).unwrap_err();
        assert!(matches!(&second, Error::ProducerExists(it) if it == "desk-7"), "{second}");
        assert!(!second.is_final());
    }
    assert_eq!((conversation.unacknowledged(), said(&mut conversation).len()), (42..44, 0));
    // On the next connection it is told of anyway, and another would forget what it keeps.
    conversation.restart();
    assert!(conversation.producer("desk-8").is_err());
    conversation.producer("desk-7").expect("the same");
    hear(&mut conversation, &[WELCOME, rejected(kind::PRODUCER, 0, code::LIMIT)]);
    assert_eq!(events(&mut conversation).len(), 2);
    assert_eq!(said(&mut conversation).len(), 3, "HELLO, TOPIC, and PRODUCER once");
    // One that was rejected may be asked for again.
    assert!(conversation.producer("desk-8").is_err());
    conversation.producer("desk-7").expect("the same");
    assert!(said(&mut conversation)[0].contains("desk-7"));
    hear(&mut conversation, &[producing(10, 41)]);
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(said(&mut conversation), ["42 again", "43 again"]);
    hear(&mut conversation, &[stored(43)]);
    assert_eq!(events(&mut conversation).len(), 1);
    // Who waits for nothing may change, on the next connection.
    assert!(conversation.producer("desk-8").is_err());
    conversation.restart();
    conversation.producer("desk-8").expect("another");
    hear(&mut conversation, &[WELCOME]);
    assert_eq!(events(&mut conversation).len(), 1);
    let said = said(&mut conversation);
    assert!(said.len() == 3 && said[2].contains("desk-8"), "{said:?}");
}

#[test]
fn a_router_that_knows_less_or_more_is_not_believed() {
    for (last, what) in [(40, "up to 40 only"), (42, "another program has stored")] {
        let (mut conversation, topic) = producer();
        conversation.restart();
        if last == 42 {
            store(&mut conversation, topic, 1);
        }
        hear(&mut conversation, &[WELCOME, producing(10, last)]);
        assert_eq!(events(&mut conversation).len(), 2);
        let end = conversation.producer_end().map(|it| it.to_string()).unwrap_or_default();
        assert!(end.contains(what), "{last}: {end}");
    }
    let (mut conversation, _) = producer();
    hear(&mut conversation, &[stored(42)]);
    let error = conversation.next_event().unwrap_err().to_string();
    assert!(error.ends_with("STORED for the sequence 42, and the next is 42"), "{error}");
}

#[test]
fn a_topic_stays_as_long_as_a_message_for_it_is_kept() {
    let (mut conversation, topic) = producer();
    store(&mut conversation, topic, 2);
    conversation.forget(topic);
    assert_eq!(said(&mut conversation), ["42", "43"]);
    assert_ne!(conversation.topic("other").expect("a topic"), topic);
    hear(&mut conversation, &[stored(42)]);
    events(&mut conversation);
    assert_eq!(said(&mut conversation).len(), 1);
    hear(&mut conversation, &[stored(43)]);
    events(&mut conversation);
    assert_eq!(said(&mut conversation), ["Forget(0)"]);
    assert_eq!(conversation.topic("third").expect("a topic"), topic);
}

#[test]
fn names_are_names() {
    let mut conversation = Conversation::new(&Options::default());
    for name in ["", "a\nb", &"x".repeat(201)] {
        assert!(matches!(conversation.producer(name), Err(Error::BadName(_))), "{name:?}");
        assert!(matches!(conversation.delete(name), Err(Error::BadName(_))), "{name:?}");
    }
    let error = conversation.consume(&Consume::durable("a\tb", "x")).unwrap_err().to_string();
    assert!(error.starts_with("\"a\\tb\" is not a valid name"), "{error}");
}

fn delivery(subscription: u32, position: u64) -> RouterFrame<'static> {
    RouterFrame::Delivery(Delivery {
        subscription,
        topic: 5,
        position,
        time: 7,
        deliveries: 2,
        conflation: None,
        is_repeated: true,
        is_unconfirmed: false,
        is_kept: true,
        is_unrendered: false,
        format: format::JSON,
        payload: b"{}",
    })
}

fn consuming(subscription: u32, next: u64) -> RouterFrame<'static> {
    let (window, waiting, is_new) = (100, 5, true);
    RouterFrame::Consuming(Consuming { subscription, window, waiting, next, is_new })
}

/// A durable subscription 0 and a replay 1.
fn consumer() -> Conversation {
    let mut conversation = Conversation::new(&Options::named("test"));
    let durable = Consume {
        wants_confirmed: true,
        start: Start::All,
        ..Consume::durable("risk", "orders/>")
    };
    let durable = conversation.consume(&durable).expect("a name");
    let replay = Consume {
        pace: 2000,
        updates: Subscribe::newest(),
        ..Consume::replay("fx/*", Start::Time(99))
    };
    let replay = conversation.consume(&replay).expect("a pattern");
    assert_eq!((durable.number(), replay.number()), (0, 1));
    let name = RouterFrame::Topic(Topic { alias: 5, name: "orders/1" });
    hear(&mut conversation, &[WELCOME, consuming(0, 1000), consuming(1, 2000), name]);
    assert_eq!(events(&mut conversation).len(), 3);
    assert_eq!(conversation.consuming(durable).map(|it| it.next), Some(1000));
    let said = said(&mut conversation);
    assert!(said[1].contains("start: All") && said[1].contains("name: \"risk\""), "{said:?}");
    assert!(said[2].contains("updates: Newest, start: Time(99), pace: 2000"), "{said:?}");
    conversation
}

#[test]
fn deliveries_are_acknowledged() {
    let mut conversation = consumer();
    let durability = Durability { memory: 2, disk: 1 };
    let confirmed = RouterFrame::Confirmed(Confirmed { subscription: 0, durability, position: 7 });
    let (reason, count) = (LostReason::Expired, 3);
    let lost = RouterFrame::Lost(Lost { subscription: 0, reason, count, first: 1003, last: 1009 });
    hear(&mut conversation, &[delivery(0, 1000), confirmed, lost]);
    let Some(Event::Delivery(it)) = conversation.next_event().unwrap() else { panic!("none") };
    assert_eq!(
        (it.topic, it.position, it.deliveries, it.payload),
        ("orders/1", 1000, 2, &b"{}"[..])
    );
    assert!(it.is_repeated && it.is_kept && !it.is_unconfirmed);
    let subscription = it.subscription;
    conversation.acknowledge(subscription, 1000);
    conversation.acknowledge_through(subscription, 1001);
    conversation.release(subscription, 1002, 500);
    let said = said(&mut conversation);
    assert!(said[0].contains("position: 1000, is_cumulative: false"), "{said:?}");
    assert!(said[1].contains("position: 1001, is_cumulative: true"), "{said:?}");
    assert!(said[2].contains("delay_ms: 500, position: 1002"), "{said:?}");
    let told = events(&mut conversation);
    assert!(told[0].contains("memory: 2, disk: 1 }, position: 7"), "{told:?}");
    assert!(told[1].contains("Expired, count: 3, first: 1003"), "{told:?}");
}

#[test]
fn a_durable_subscription_goes_on_in_the_router_and_a_replay_here() {
    let mut conversation = consumer();
    hear(&mut conversation, &[delivery(0, 1000), delivery(1, 2000), delivery(1, 2007)]);
    assert_eq!(events(&mut conversation).len(), 3);
    // What was not handed over comes again.
    hear(&mut conversation, &[delivery(1, 2010)]);
    for next in [2008, 2008] {
        conversation.restart();
        hear(&mut conversation, &[WELCOME]);
        assert_eq!(events(&mut conversation).len(), 1);
        let said = said(&mut conversation);
        assert!(said[1].contains("start: All") && said[1].contains("risk"), "{said:?}");
        assert!(said[2].contains(&format!("start: Position({next}), pace: 2000")), "{said:?}");
    }
}

#[test]
fn a_consumer_is_not_announced_to_a_router_that_does_not_know_what_it_wants() {
    let wants = [
        (Subscribe { format: Some(format::JSON), ..Subscribe::every() }, "NoFormats"),
        (Subscribe { filter: Some("Bid > 1".into()), ..Subscribe::every() }, "NoFilters"),
        (Subscribe { fields: Some("Bid".into()), ..Subscribe::every() }, "NoFields"),
    ];
    for (updates, expected) in wants {
        for how in [Consume::durable("risk", "orders/>"), Consume::replay("fx/*", Start::All)] {
            // Before the router has said what it knows, it may know all.
            let mut conversation = Conversation::new(&Options::named("test"));
            let how = Consume { updates: updates.clone(), ..how };
            conversation.consume(&how).expect("it may");
            // One of an earlier version took its place.
            conversation.restart();
            said(&mut conversation);
            hear(&mut conversation, &[WELCOME]);
            let error = conversation.next_event().expect_err("it does not know that");
            assert_eq!(format!("{error:?}"), expected);
            assert!(said(&mut conversation).is_empty(), "what would end the connection");
        }
    }
}

#[test]
fn the_end_of_a_consumer_is_told_if_it_was_not_wanted() {
    let mut conversation = consumer();
    let replay = conversation.consume(&Consume::replay("x", Start::New)).expect("a pattern");
    conversation.unsubscribe(replay);
    hear(&mut conversation, &[RouterFrame::Unsubscribed(2), RouterFrame::Unsubscribed(0)]);
    let told = events(&mut conversation);
    assert_eq!(told, ["Unsubscribed(Subscription(2))", "Ended(Subscription(0))"]);
    // Nor is the router asked again for what was left or has ended.
    let left = conversation.consume(&Consume::durable("left", "x")).expect("a name");
    conversation.unsubscribe(left);
    conversation.restart();
    hear(&mut conversation, &[WELCOME]);
    events(&mut conversation);
    let said = said(&mut conversation);
    assert!(said.len() == 2 && said[1].contains("fx/*"), "{said:?}");
    hear(&mut conversation, &[rejected(kind::CONSUME, 1, code::LIMIT)]);
    assert_eq!(events(&mut conversation).len(), 1);
    conversation.restart();
    hear(&mut conversation, &[WELCOME]);
    events(&mut conversation);
    assert_eq!(self::said(&mut conversation).len(), 1);
}

#[test]
fn a_replay_that_has_brought_nothing_begins_where_it_was_asked_to() {
    let news = Consume::replay("fx/*", Start::New);
    let starts = [Start::All, Start::Position(7), Start::Time(99), Start::Last(3), Start::New];
    for start in starts {
        let mut conversation = Conversation::new(&Options::named("test"));
        conversation.consume(&Consume { start, ..news.clone() }).expect("a pattern");
        hear(&mut conversation, &[WELCOME, consuming(0, 2000)]);
        assert_eq!(events(&mut conversation).len(), 2);
        said(&mut conversation);
        conversation.restart();
        hear(&mut conversation, &[WELCOME]);
        assert_eq!(events(&mut conversation).len(), 1);
        // What is new for it is what has come since it was asked.
        let again = if start == Start::New { Start::Position(2000) } else { start };
        let said = said(&mut conversation);
        assert!(said[1].contains(&format!("start: {again:?}, pace")), "{said:?}");
    }
}

#[test]
fn a_consumer_that_never_stood_is_forgotten_when_it_is_rejected() {
    for code in [code::IN_USE, code::DIFFERENT, code::BAD_NAME] {
        let mut conversation = consumer();
        conversation.consume(&Consume::durable("late", "x")).expect("a name");
        // The second answer is of one that stands.
        hear(&mut conversation, &[rejected(kind::CONSUME, 2, code)]);
        hear(&mut conversation, &[rejected(kind::CONSUME, 1, code::IN_USE)]);
        assert_eq!(events(&mut conversation).len(), 2);
        for _ in 0..2 {
            conversation.restart();
            hear(&mut conversation, &[WELCOME]);
            events(&mut conversation);
            let said = said(&mut conversation);
            assert_eq!(said.len(), 3, "{code}: {said:?}");
        }
        // There is nothing on the new connection that has its number.
        hear(&mut conversation, &[rejected(kind::CONSUME, 0, code)]);
        assert_eq!(events(&mut conversation).len(), 1);
        conversation.restart();
        hear(&mut conversation, &[WELCOME]);
        events(&mut conversation);
        assert_eq!(said(&mut conversation).len(), 2, "{code}");
    }
}
