//! A conversation by its bytes: what comes in any pieces, what is said again, what is no router.

use std::time::Duration;

use trunkline_client::{
    Consume, Conversation, Error, Event, Options, Reply, Subscribe, Subscription, code, format,
    kind,
};
use trunkline_native::{
    ClientFrame, Closing, Conflation, Features, Gap, LastValues, Message, Notice, Rejected,
    Request, Requester, RouterFrame, RouterReply, Topic, Updates, VERSION, Welcome, decode_client,
    encode_plain_message,
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

fn bytes(frames: &[RouterFrame<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    bytes
}

/// Every event that is there, as text.
fn events(conversation: &mut Conversation) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(event) = conversation.next_event().expect("frames of a router") {
        found.push(format!("{event:?}"));
    }
    found
}

/// What the conversation has to send, as text, which is then sent.
fn said(conversation: &mut Conversation) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = conversation.output();
    while let Some((frame, length)) = decode_client(rest, 1 << 20).expect("frames of a client") {
        found.push(format!("{frame:?}"));
        rest = &rest[length..];
    }
    assert!(rest.is_empty());
    conversation.sent(conversation.output().len());
    found
}

fn welcomed() -> Conversation {
    let mut conversation = Conversation::new(&Options::named("test"));
    conversation.received(&bytes(&[WELCOME]));
    assert_eq!(events(&mut conversation).len(), 1);
    conversation.sent(conversation.output().len());
    conversation
}

fn everything() -> Vec<RouterFrame<'static>> {
    let message = Message {
        subscription: 3,
        topic: 70_000,
        sequence: 5,
        conflation: None,
        request: None,
        published: None,
        last_value: None,
        format: format::TEXT,
        payload: b"plain",
    };
    let conflation = Some(Conflation { replaced: 2, age: 10 });
    let request = Some(Requester { client: 4, correlation: 8 });
    vec![
        WELCOME,
        RouterFrame::Subscribed(3),
        RouterFrame::Topic(Topic { alias: 70_000, name: "a/b" }),
        RouterFrame::Message(message),
        RouterFrame::Message(Message { conflation, request, ..message }),
        RouterFrame::Ping(77),
        RouterFrame::Gap(Gap {
            subscription: 3,
            topic: 70_000,
            count: 4,
            first: 6,
            last: 9,
            age: 1,
            reason: "",
        }),
        RouterFrame::Topic(Topic { alias: 70_000, name: "c" }),
        RouterFrame::Message(Message { sequence: 1, ..message }),
        RouterFrame::Pong(1),
        RouterFrame::Unsubscribed(3),
        RouterFrame::Closing(Closing { code: code::STOPPING, text: "good night" }),
    ]
}

#[test]
fn events_are_the_same_however_the_bytes_come() {
    let bytes = bytes(&everything());
    let mut whole = Conversation::new(&Options::default());
    whole.received(&bytes);
    let expected = events(&mut whole);
    assert_eq!(expected.len(), 9, "{expected:#?}");
    assert!(expected[2].contains("topic: \"a/b\", sequence: 5") && expected[2].contains("None"));
    assert!(expected[3].contains("replaced: 2") && expected[3].contains("correlation: 8"));
    assert!(expected[4].contains("topic: \"a/b\", count: 4"));
    assert!(expected[5].contains("topic: \"c\", sequence: 1"));
    assert_eq!(whole.closed(), Some((code::STOPPING, "good night")));
    assert!(said(&mut whole).contains(&"Pong(77)".to_owned()));
    for piece in [1, 2, 3, 7, 20] {
        let mut conversation = Conversation::new(&Options::default());
        let mut found = Vec::new();
        for part in bytes.chunks(piece) {
            conversation.received(part);
            found.extend(events(&mut conversation));
        }
        assert_eq!(found, expected, "in pieces of {piece}");
    }
}

#[test]
fn a_long_stream_keeps_its_order() {
    let mut conversation = welcomed();
    let topic = Topic { alias: 0, name: "t" };
    let mut bytes = bytes(&[RouterFrame::Topic(topic)]);
    let (mut sent, mut seen) = (0_u64, 0_u64);
    let payload = [7; 300];
    for round in 0..2000 {
        for _ in 0..round % 50 {
            sent += 1;
            encode_plain_message(&mut bytes, 1, 0, sent, 0, &payload[..sent as usize % 300]);
        }
        // The last piece of a frame often waits for the next round.
        let now = bytes.len() * 9 / 10;
        conversation.received(&bytes[..now]);
        bytes.drain(..now);
        while let Some(event) = conversation.next_event().unwrap() {
            let Event::Message(message) = event else { panic!("{event:?}") };
            seen += 1;
            assert_eq!((message.sequence, message.topic), (seen, "t"));
            assert_eq!(message.payload.len(), seen as usize % 300);
        }
    }
    assert!(seen > 45_000 && sent - seen < 60);
}

#[test]
fn what_the_router_must_know_is_said_again() {
    let mut conversation = welcomed();
    let prices = conversation.topic("prices").unwrap();
    let orders = conversation.topic("orders").unwrap();
    let all = conversation.subscribe("fx/>", &Subscribe::at_most(10)).unwrap();
    conversation.subscribe("fx/*", &Subscribe::newest()).unwrap();
    conversation.forget(prices);
    conversation.unsubscribe(all);
    conversation.request(orders, 0, b"never answered", 100).unwrap();
    conversation.received(&bytes(&[RouterFrame::Unsubscribed(0)]));
    assert_eq!(events(&mut conversation).len(), 1);
    conversation.restart();
    assert!(said(&mut conversation)[0].starts_with("Hello"));
    conversation.received(&bytes(&[WELCOME]));
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(
        said(&mut conversation),
        [
            "Topic(Topic { alias: 1, name: \"orders\" })",
            "Subscribe(Subscribe { subscription: 1, updates: Newest, last_values: false, format: None, filter: \"\", fields: \"\", pattern: \"fx/*\" })",
        ]
    );
    // The numbers that were given back are the next.
    assert_eq!(conversation.topic("again").unwrap(), prices);
    assert_eq!(conversation.subscribe("again", &Subscribe::every()).unwrap(), all);
    // The answer to a request of the connection before is nobody's.
    conversation.received(&bytes(&[RouterFrame::Reply(RouterReply {
        correlation: 1,
        format: 0,
        payload: b"late",
    })]));
    assert_eq!(events(&mut conversation), [""; 0]);
}

#[test]
fn a_request_has_one_answer() {
    let mut conversation = welcomed();
    let topic = conversation.topic("ask").unwrap();
    let (first, second) = (
        conversation.request(topic, format::JSON, b"{}", 2000).unwrap(),
        conversation.request(topic, 0, b"", 0).unwrap(),
    );
    assert_eq!(
        said(&mut conversation)[1],
        format!(
            "{:?}",
            ClientFrame::Request(Request {
                alias: 0,
                timeout_ms: 2000,
                correlation: first,
                format: format::JSON,
                payload: b"{}",
            })
        )
    );
    let answer = RouterFrame::Reply(RouterReply { correlation: first, format: 0, payload: b"1" });
    let rejection = RouterFrame::Rejected(Rejected {
        of: kind::REQUEST,
        code: code::NO_RESPONDER,
        offset: None,
        id: second,
        text: "nobody",
    });
    conversation.received(&bytes(&[answer, answer, rejection, rejection]));
    let events = events(&mut conversation);
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events[0].starts_with("Reply") && events[1].starts_with("Rejected"));
}

#[test]
fn requests_are_answered_to_whom_they_came_from() {
    let mut conversation = welcomed();
    let request = Message {
        subscription: 0,
        topic: 1,
        sequence: 1,
        conflation: None,
        request: Some(Requester { client: 40, correlation: 6 }),
        published: None,
        last_value: None,
        format: 0,
        payload: b"?",
    };
    let name = RouterFrame::Topic(Topic { alias: 1, name: "ask" });
    conversation.received(&bytes(&[name, RouterFrame::Message(request)]));
    let Some(Event::Message(message)) = conversation.next_event().unwrap() else {
        panic!("no message")
    };
    let id = message.request.expect("a request");
    conversation.reply(id, &Reply { format: 1, payload: b"!".to_vec() }).unwrap();
    assert_eq!(
        said(&mut conversation),
        [
            "Reply(Reply { request: Requester { client: 40, correlation: 6 }, format: 1, payload: [33] })"
        ]
    );
}

#[test]
fn a_rejected_name_gives_its_number_back() {
    let mut conversation = welcomed();
    let bad = conversation.topic("a//b").unwrap();
    let rejected = |of, text| {
        RouterFrame::Rejected(Rejected { of, code: code::BAD_NAME, offset: Some(2), id: 0, text })
    };
    conversation.received(&bytes(&[rejected(kind::TOPIC, "an empty level")]));
    assert!(events(&mut conversation)[0].contains("offset: Some(2)"));
    assert_eq!(conversation.topic("a/b").unwrap(), bad);
    let bad = conversation.subscribe("a//b", &Subscribe::every()).unwrap();
    conversation.received(&bytes(&[rejected(kind::SUBSCRIBE, "an empty level")]));
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(conversation.subscribe("a/*", &Subscribe::every()).unwrap(), bad);
}

#[test]
fn what_the_router_would_not_take_is_not_sent() {
    let mut conversation = Conversation::new(&Options::default());
    let topic = conversation.topic("t").unwrap();
    let large = vec![0; (1 << 20) - 63];
    let rejected = |conversation: &mut Conversation, payload: &[u8]| match conversation
        .publish(topic, 0, payload)
    {
        Err(Error::TooLong { length, limit }) => (length, limit),
        other => panic!("{other:?}"),
    };
    let before = conversation.output().len();
    assert_eq!(rejected(&mut conversation, &large), (1_048_513, 65_472));
    conversation.received(&bytes(&[WELCOME]));
    assert_eq!(events(&mut conversation).len(), 1);
    assert_eq!(rejected(&mut conversation, &large), (1_048_513, 1_048_512));
    assert_eq!(conversation.output().len(), before);
    conversation.publish(topic, 0, &large[1..]).unwrap();
    for _ in 1..2000 {
        conversation.topic("t").unwrap();
    }
    let beyond = conversation.topic("t").unwrap_err();
    assert!(matches!(beyond, Error::TooManyTopics { limit: 2000 }), "{beyond}");
}

#[test]
fn other_speakers_are_told_from_routers() {
    let broken = |bytes: &[u8]| {
        let mut conversation = Conversation::new(&Options::default());
        conversation.received(bytes);
        loop {
            match conversation.next_event() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it is waited for more"),
                Err(error) => break error.to_string(),
            }
        }
    };
    let beginning = "the other side is not a Trunkline router:  ";
    assert_eq!(
        broken(b"HTTP/1.1 400 Bad Request\r\n"),
        format!(
            "{beginning}byte 0 of a frame: the length is 1347703880, and may be 16777216 at most"
        )
    );
    let RouterFrame::Welcome(welcome) = WELCOME else { panic!() };
    let newer = RouterFrame::Welcome(Welcome { version: 2, ..welcome });
    assert_eq!(broken(&bytes(&[newer])), format!("{beginning}it speaks version 2 of the protocol"));
    let nameless =
        Gap { subscription: 0, topic: 6, count: 1, first: 1, last: 1, age: 0, reason: "" };
    assert_eq!(
        broken(&bytes(&[RouterFrame::Gap(nameless)])),
        format!("{beginning}a topic of the number 6, which has no name")
    );
    let beyond = RouterFrame::Topic(Topic { alias: u32::MAX, name: "x" });
    assert_eq!(broken(&bytes(&[beyond])), format!("{beginning}a topic of the number 4294967295"));
}

#[test]
fn rates_are_said_as_the_protocol_has_them() {
    let mut conversation = welcomed();
    let every = Subscribe::every;
    let cases = [
        (Subscribe::every(), Updates::All),
        (Subscribe::newest(), Updates::Newest),
        (Subscribe::at_most(10), Updates::PerSecond(10)),
        (Subscribe { updates_per_second: Some(10), ..every() }, Updates::PerSecond(10)),
        (Subscribe { updates_per_second: Some(0), ..every() }, Updates::All),
        (Subscribe::at_most(u32::MAX), Updates::Newest),
    ];
    for (number, (how, expected)) in (0..).zip(cases) {
        let subscription: Subscription = conversation.subscribe("a", &how).unwrap();
        assert_eq!(subscription.number(), number);
        let said = said(&mut conversation);
        assert!(said[0].contains(&format!("updates: {expected:?}")), "{how:?}: {said:?}");
    }
}

#[test]
fn last_values_are_requested_where_the_router_knows_them() {
    let mut conversation = welcomed();
    let last = Subscribe::newest().last_values();
    assert!(matches!(conversation.subscribe("fx/*", &last), Err(Error::NoLastValues)));
    let topic = conversation.topic("fx").unwrap();
    assert!(matches!(conversation.publish_and_clear(topic, 0, b""), Err(Error::NoLastValues)));
    said(&mut conversation);
    let RouterFrame::Welcome(mut knows) = WELCOME else { unreachable!("it is one") };
    knows.features.last_values = true;
    let mut conversation = Conversation::new(&Options::default());
    conversation.received(&bytes(&[RouterFrame::Welcome(knows)]));
    assert_eq!(events(&mut conversation).len(), 1);
    said(&mut conversation);
    conversation.subscribe("fx/*", &last).unwrap();
    assert!(said(&mut conversation)[0].contains("last_values: true"));
    let all = LastValues { subscription: 0, count: 3 };
    conversation.received(&bytes(&[RouterFrame::Subscribed(0), RouterFrame::LastValues(all)]));
    assert_eq!(events(&mut conversation).len(), 2);
    // Over a new connection it asks again.
    conversation.restart();
    assert!(said(&mut conversation)[0].starts_with("Hello"));
    conversation.received(&bytes(&[RouterFrame::Welcome(knows)]));
    assert_eq!(events(&mut conversation).len(), 1);
    assert!(said(&mut conversation)[0].contains("last_values: true"));
    // A router of an earlier version took its place.
    conversation.restart();
    conversation.received(&bytes(&[WELCOME]));
    assert!(matches!(conversation.next_event(), Err(Error::NoLastValues)));
}

#[test]
fn a_policy_is_asked_for_where_the_router_knows_it() {
    let how = Consume {
        acknowledge_within: Duration::from_millis(1_500),
        deliveries: 3,
        ..Consume::durable("gate", "orders/>")
    };
    let mut conversation = welcomed();
    assert!(matches!(conversation.consume(&how), Err(Error::NoPolicies)));
    conversation.consume(&Consume::durable("gate", "orders/>")).expect("it asks for none");
    let RouterFrame::Welcome(mut knows) = WELCOME else { unreachable!("it is one") };
    knows.features.policies = true;
    let mut conversation = Conversation::new(&Options::default());
    conversation.received(&bytes(&[RouterFrame::Welcome(knows)]));
    assert_eq!(events(&mut conversation).len(), 1);
    said(&mut conversation);
    conversation.consume(&how).expect("the router knows it");
    let asked = "acknowledge_within_ms: 1500, deliveries: 3";
    assert!(said(&mut conversation)[0].contains(asked));
    conversation.restart();
    conversation.received(&bytes(&[WELCOME]));
    assert!(matches!(conversation.next_event(), Err(Error::NoPolicies)));
}

#[test]
fn notices_are_events() {
    let mut conversation = welcomed();
    let notice = RouterFrame::Notice(Notice { code: code::DRAINING, text: "back at 7 pm" });
    // Of a later version.
    let unknown = RouterFrame::Notice(Notice { code: 999, text: "" });
    conversation.received(&bytes(&[notice, unknown, RouterFrame::Pong(1)]));
    let seen = events(&mut conversation);
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen[0].contains("Notice") && seen[0].contains("back at 7 pm"), "{seen:?}");
}
