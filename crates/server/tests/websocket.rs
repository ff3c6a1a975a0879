//! Browsers and what is not one, against a running router.

mod page;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use page::{PATIENCE, Page, address, listener, start, tcp};
use serde_json::json;
use trunkline_client::{Client, Event, Options, Reply, Subscribe};
use trunkline_server::config::{Documents, TopicRule};
use trunkline_server::snapshot::SnapshotRequest;
use tungstenite::Message;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};

#[test]
fn a_page_subscribes_publishes_and_leaves() {
    let router = start(|_| {});
    let mut page = Page::open(&router, "?name=page");
    assert_eq!(page.ask(&json!({"subscribe": 1, "pattern": "fx/>"})), json!({"subscribed": 1}));
    page.say(&json!({"publish": "fx/EURUSD", "payload": "1.0842 é"}));
    page.say(&json!({"publish": "fx/EURUSD", "binary": true, "format": "cbor"}));
    page.send(b"\xff\x00");
    page.say(&json!({"publish": "elsewhere", "payload": ""}));
    let message = |sequence| json!({"subscription": 1, "topic": "fx/EURUSD", "sequence": sequence});
    let mut first = message(1);
    first["format"] = json!("text");
    first["payload"] = json!("1.0842 é");
    assert_eq!(page.told(), json!({"message": first}));
    let mut second = message(2);
    second["format"] = json!("cbor");
    second["binary"] = json!(2);
    assert_eq!(page.told(), json!({"message": second}));
    assert_eq!(page.binary(), b"\xff\x00");
    assert_eq!(page.ask(&json!({"ping": 5})), json!({"pong": 5}));
    assert_eq!(page.ask(&json!({"unsubscribe": 1})), json!({"unsubscribed": 1}));
    page.say(&json!({"publish": "fx/EURUSD", "payload": "ignored"}));
    assert_eq!(page.ask(&json!({"ping": 6})), json!({"pong": 6}));
    page.0.close(None).expect("it is sent");
    assert!(matches!(page.0.read(), Ok(Message::Close(None))));
    router.stop();
}

#[test]
fn a_page_gets_messages_in_the_format_that_it_asks_for() {
    let idl = "struct Price { string symbol; double bid; };";
    let router = start(|config| {
        config.topics = vec![TopicRule {
            pattern: "fx/>".to_owned(),
            schema: "price.idl".to_owned(),
            transport: None,
            format: None,
            message: Some("Price".to_owned()),
            documents: Documents::from_iter([("price.idl".to_owned(), idl.into())]),
        }];
    });
    let mut page = Page::open(&router, "");
    let rejected = page.ask(&json!({"subscribe": 1, "pattern": "a", "format": "json"}));
    assert_eq!(rejected["rejected"]["code"], "no such format", "{rejected}");
    let subscribe = json!({"subscribe": 1, "pattern": "fx/>", "format": "xml"});
    assert_eq!(page.ask(&subscribe), json!({"subscribed": 1}));
    for payload in [r#"{"symbol": "EUR", "bid": 1.5}"#, r#"{"symbol": "EUR", "bid": "dear"}"#] {
        page.say(&json!({"publish": "fx/a", "format": "json", "payload": payload}));
    }
    let told = page.told();
    let message = &told["message"];
    assert_eq!((&message["format"], &message["sequence"]), (&json!("xml"), &json!(1)), "{told}");
    let payload = message["payload"].as_str().expect("a text");
    assert!(payload.contains("<symbol>EUR</symbol>"), "{payload}");
    let told = page.told();
    let gap = &told["gap"];
    assert_eq!((&gap["first"], &gap["count"]), (&json!(2), &json!(1)), "{told}");
    assert!(gap["reason"].as_str().is_some_and(|it| it.contains("bid")), "{told}");
}

#[test]
fn a_page_gets_the_messages_that_pass_its_filter() {
    let idl = "struct Price { string symbol; double bid; };";
    let router = start(|config| {
        config.topics = vec![TopicRule {
            pattern: "fx/>".to_owned(),
            schema: "price.idl".to_owned(),
            transport: None,
            format: None,
            message: Some("Price".to_owned()),
            documents: Documents::from_iter([("price.idl".to_owned(), idl.into())]),
        }];
    });
    let mut page = Page::open(&router, "");
    let wrong = json!({"subscribe": 1, "pattern": "fx/>", "where": "bod > 1"});
    let rejected = page.ask(&wrong);
    assert_eq!(rejected["rejected"]["code"], "bad filter", "{rejected}");
    let reason = rejected["rejected"]["reason"].as_str().expect("a text");
    assert!(reason.contains("column 1") && reason.contains("did you mean bid?"), "{reason}");
    let subscribe = json!({"subscribe": 1, "pattern": "fx/>", "where": "bid > 1.5"});
    assert_eq!(page.ask(&subscribe), json!({"subscribed": 1}));
    for bid in ["1.5", "1.6", "\"dear\"", "1.7"] {
        let payload = format!("{{\"symbol\": \"EUR\", \"bid\": {bid}}}");
        page.say(&json!({"publish": "fx/a", "format": "json", "payload": payload}));
    }
    assert_eq!(page.told()["message"]["sequence"], 2);
    let told = page.told();
    let gap = &told["gap"];
    assert_eq!((&gap["first"], &gap["count"]), (&json!(3), &json!(1)), "{told}");
    assert!(gap["reason"].as_str().is_some_and(|it| it.contains("bid")), "{told}");
    assert_eq!(page.told()["message"]["sequence"], 4);
}

#[test]
fn a_page_gets_the_fields_that_it_asks_for() {
    let idl = "struct Price { string symbol; double bid; double ask; };";
    let router = start(|config| {
        config.topics = vec![TopicRule {
            pattern: "fx/>".to_owned(),
            schema: "price.idl".to_owned(),
            transport: None,
            format: Some(2),
            message: Some("Price".to_owned()),
            documents: Documents::from_iter([("price.idl".to_owned(), idl.into())]),
        }];
    });
    let mut page = Page::open(&router, "");
    let wrong = json!({"subscribe": 1, "pattern": "fx/>", "fields": "symbol,bod"});
    let rejected = page.ask(&wrong);
    assert_eq!(rejected["rejected"]["code"], "bad fields", "{rejected}");
    let reason = rejected["rejected"]["reason"].as_str().expect("a text");
    for word in ["column 8", "did you mean bid?", "Price has symbol, bid, ask"] {
        assert!(reason.contains(word), "{reason}");
    }
    let subscribe =
        json!({"subscribe": 1, "pattern": "fx/>", "where": "bid > 1.5", "fields": "bid,symbol"});
    assert_eq!(page.ask(&subscribe), json!({"subscribed": 1}));
    for bid in ["1.5", "1.6"] {
        let payload = format!("{{\"symbol\": \"EUR\", \"bid\": {bid}, \"ask\": 2.0}}");
        page.say(&json!({"publish": "fx/a", "format": "json", "payload": payload}));
    }
    let told = page.told();
    let message = &told["message"];
    assert_eq!((&message["format"], &message["sequence"]), (&json!("json"), &json!(2)), "{told}");
    let payload = message["payload"].as_str().expect("a text");
    assert_eq!(payload, r#"{"Price":{"symbol":"EUR","bid":1.6}}"#);
}

#[test]
fn pages_and_programs_ask_each_other() {
    let router = start(|_| {});
    let mut program =
        Client::connect(&address(&router, "native"), &Options::named("program")).expect("a client");
    program.subscribe("svc/double", &Subscribe::every()).expect("a subscription");
    let mut page = Page::open(&router, "?name=page");
    page.say(&json!({"request": "svc/double", "correlation": 9, "payload": "21"}));
    let mut asked = None;
    while asked.is_none() {
        program
            .receive(Some(PATIENCE), &mut |event| {
                if let Event::Message(message) = event {
                    asked = message.request.map(|request| (request, message.payload.to_vec()));
                }
            })
            .expect("a request");
    }
    let (request, payload) = asked.expect("it was asked");
    assert_eq!(payload, b"21");
    program.reply(request, &Reply { format: 1, payload: b"42".to_vec() }).expect("it is sent");
    let reply = json!({"reply": {"correlation": 9, "format": "text", "payload": "42"}});
    assert_eq!(page.told(), reply);

    assert_eq!(page.ask(&json!({"subscribe": 0, "pattern": "page/*"})), json!({"subscribed": 0}));
    let asking = std::thread::spawn(move || {
        let topic = program.topic("page/name").expect("a topic");
        program.request(topic, b"?", PATIENCE).expect("a reply").payload
    });
    let message = page.told();
    let to = &message["message"]["reply_to"];
    page.say(&json!({"reply": to, "payload": "mine"}));
    assert_eq!(asking.join().expect("no panic"), b"mine");
    let rejected = page.ask(&json!({"reply": to, "payload": "again"}));
    assert_eq!(rejected["rejected"]["code"], "requester gone", "{rejected}");
    assert_eq!(rejected["rejected"]["reply"], *to, "{rejected}");

    let rejected = page.ask(&json!({"request": "nobody/here", "correlation": 3, "payload": ""}));
    assert_eq!(rejected["rejected"]["request"], 3, "{rejected}");
    assert_eq!(rejected["rejected"]["code"], "no responder", "{rejected}");
    page.say(&json!({"request": "page/late", "correlation": 4, "timeout_ms": 1, "payload": ""}));
    assert_eq!(page.told()["message"]["topic"], "page/late");
    let rejected = page.told();
    assert_eq!(rejected["rejected"]["request"], 4, "{rejected}");
    assert_eq!(rejected["rejected"]["code"], "timed out", "{rejected}");
}

#[test]
fn what_is_not_done_is_said_and_the_connection_stays() {
    let router = start(|_| {});
    let mut page = Page::open(&router, "");
    for (command, subject, code, reason) in [
        (json!({"subscribe": 1, "pattern": "a//b"}), "subscribe", "bad name", "level"),
        (json!({"unsubscribe": 8}), "unsubscribe", "unknown", "no subscription 8"),
        (json!({"publish": "a/*", "payload": ""}), "publish", "bad name", "*"),
        (json!({"publish": "$router/x", "payload": ""}), "publish", "reserved topic", "$"),
        (json!({"nonsense": 1}), "text", "bad frame", "unknown field `nonsense`"),
        (json!([1]), "text", "bad frame", "line 1 column"),
    ] {
        let rejected = page.ask(&command);
        let rejected = &rejected["rejected"];
        assert!(!rejected[subject].is_null(), "{command}: {rejected}");
        assert_eq!(rejected["code"], code, "{command}: {rejected}");
        let words = rejected["reason"].as_str().unwrap_or_default();
        assert!(words.contains(reason), "{command}: {rejected}");
    }
    assert_eq!(page.ask(&json!({"subscribe": 1, "pattern": "a"})), json!({"subscribed": 1}));
    let rejected = page.ask(&json!({"subscribe": 1, "pattern": "b"}));
    assert_eq!(rejected["rejected"]["code"], "in use", "{rejected}");
    // A rejected header takes its payload with it.
    page.say(&json!({"publish": "a/>", "binary": true}));
    page.send(b"payload");
    assert_eq!(page.told()["rejected"]["publish"], "a/>");
    assert_eq!(page.ask(&json!({"ping": 1})), json!({"pong": 1}));
}

#[test]
fn a_capped_page_gets_the_newest_and_is_told_what_it_replaced() {
    let router = start(|_| {});
    let mut page = Page::open(&router, "");
    page.ask(&json!({"subscribe": 1, "pattern": "fx/*", "updates_per_second": 20}));
    let mut program =
        Client::connect(&address(&router, "native"), &Options::named("feed")).expect("a client");
    let topic = program.topic("fx/EURUSD").expect("a topic");
    const UPDATES: u64 = 1_000;
    for update in 1..=UPDATES {
        program.publish(topic, update.to_string().as_bytes()).expect("it is sent");
    }
    let (mut last, mut accounted, mut updates) = (0, 0, 0);
    while last < UPDATES {
        let told = page.told();
        let message = &told["message"];
        let sequence = message["sequence"].as_u64().expect("a message");
        assert!(sequence > last, "{told} after {last}");
        assert_eq!(message["payload"], sequence.to_string());
        assert!(message["age_ns"].is_u64(), "{told}");
        accounted += 1 + message["replaced"].as_u64().expect("conflated");
        assert_eq!(accounted, sequence, "{told}");
        last = sequence;
        updates += 1;
    }
    assert!(updates < UPDATES / 2, "{updates} updates");
}

/// A page that says what it has taken has no more than two updates under way that are not the newest.
#[test]
fn a_page_with_credit_gets_the_newest_when_it_has_taken_one() {
    let router = start(|_| {});
    let mut writer = Client::connect(&address(&router, "native"), &Options::named("writer"))
        .expect("a connection");
    let topic = writer.topic("fx/EURUSD").expect("a topic");
    let mut page = Page::open(&router, "?credit=true&times=true");
    let clock = page.ask(&json!({"clock": 7}));
    assert_eq!(clock["clock"]["token"], 7, "{clock}");
    let began = clock["clock"]["time_ns"].as_u64().expect("a time");
    let subscribe = json!({"subscribe": 1, "pattern": "fx/>", "conflate": true});
    assert_eq!(page.ask(&subscribe), json!({"subscribed": 1}));
    for number in 0..1_000 {
        writer.enqueue(topic, format!("{number}").as_bytes()).expect("it is sent");
    }
    writer.synchronise().expect("the router has them");
    let first = page.told();
    assert_eq!(first["message"]["sequence"], 1, "{first}");
    let published = first["message"]["published_ns"].as_u64().expect("a time");
    assert!(published >= began, "{published} is not before {began}");
    assert_eq!(page.told()["message"]["sequence"], 2);
    // More than were sent: that is said, and nothing changes.
    let rejected = page.ask(&json!({"taken": 3}));
    assert!(rejected["rejected"]["reason"].as_str().is_some_and(|it| it.contains("2 were sent")));
    let newest = page.ask(&json!({"taken": 1, "round_trip_ns": 50_000}));
    assert_eq!(newest["message"]["sequence"], 1_000, "{newest}");
    assert_eq!(newest["message"]["replaced"], 997, "{newest}");
    assert_eq!(page.ask(&json!({"ping": 3})), json!({"pong": 3}));
}

/// Everything that comes until the connection ends.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset ends it too, after an answer to bytes that nobody read.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn what_is_no_websocket_is_answered_and_closed() {
    let router = start(|_| {});
    for (bytes, status) in [
        (&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..], "HTTP/1.1 426 "),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "HTTP/1.1 400 "),
        (&[b'A'; 20_000], "HTTP/1.1 4"),
        (b"TRNK\0\0\0\0\r\n\r\n", "HTTP/1.1 400 "),
    ] {
        let mut stream = tcp(&router);
        stream.write_all(bytes).expect("it is sent");
        let answer = rest(&mut stream);
        assert!(answer.starts_with(status), "{answer:?} to {} bytes", bytes.len());
    }
    // Others have not noticed.
    let mut page = Page::open(&router, "");
    assert_eq!(page.ask(&json!({"ping": 1})), json!({"pong": 1}));
}

#[test]
fn half_a_handshake_is_ended_in_time() {
    let router = start(|config| config.router.handshake_timeout = Duration::from_millis(50));
    let mut stream = tcp(&router);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").expect("it is sent");
    assert!(rest(&mut stream).starts_with("HTTP/1.1 408 "));
}

#[test]
fn pages_of_other_origins_are_rejected() {
    let router = start(|config| config.websocket.origins = vec!["https://desk.example.org".into()]);
    let connect = |origin: &str| {
        let mut request =
            format!("ws://{}/", listener(&router)).into_client_request().expect("a request");
        request.headers_mut().insert("Origin", origin.parse().expect("a header"));
        tungstenite::client(request, tcp(&router)).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(connect("https://desk.example.org"), Ok(()));
    assert_eq!(connect("http://localhost:3000"), Ok(()));
    let rejected = connect("https://evil.example.org").expect_err("a rejection");
    assert!(rejected.contains("403"), "{rejected}");
}

#[test]
fn frames_out_of_place_close_with_a_reason() {
    let router = start(|config| config.limits.frame_bytes = 64 << 10);
    let mut page = Page::open(&router, "");
    page.send(b"unannounced");
    let frame = page.closed();
    assert_eq!(u16::from(frame.code), 1008);
    assert!(frame.reason.contains("binary"), "{frame:?}");

    let mut page = Page::open(&router, "");
    page.say(&json!({"publish": "a", "binary": true}));
    page.say(&json!({"ping": 1}));
    assert_eq!(u16::from(page.closed().code), 1008);

    let mut page = Page::open(&router, "");
    page.say(&json!({"publish": "a", "payload": "x".repeat(70_000)}));
    let frame = page.closed();
    assert_eq!(u16::from(frame.code), 1009);
    assert!(frame.reason.contains("at most 65536"), "{frame:?}");

    let mut page = Page::open(&router, "");
    page.0.get_mut().write_all(b"\x81\x02hi").expect("it is sent");
    let frame = page.closed();
    assert_eq!(u16::from(frame.code), 1002);
    assert!(frame.reason.contains("masked"), "{frame:?}");
}

#[test]
fn a_page_that_does_not_read_moves_nobody_and_is_told_what_it_lost() {
    let router = start(|config| {
        config.limits.output_bytes = 64 << 10;
    });
    let mut stalled = Page::open(&router, "?name=stalled&queue_messages=100");
    stalled.ask(&json!({"subscribe": 1, "pattern": "load"}));
    let mut other = Page::open(&router, "?name=other");
    other.ask(&json!({"subscribe": 1, "pattern": "load"}));
    let mut program =
        Client::connect(&address(&router, "native"), &Options::named("load")).expect("a client");
    let topic = program.topic("load").expect("a topic");
    // More than the system's buffers for a connection hold.
    let payload = vec![b'x'; 32 << 10];
    const MESSAGES: u64 = 1_000;
    for sequence in 1..=MESSAGES {
        program.publish(topic, &payload).expect("it is sent");
        assert_eq!(other.told()["message"]["sequence"], sequence);
    }
    let (mut next, mut lost) = (1, 0);
    while next <= MESSAGES {
        let told = stalled.told();
        if let Some(gap) = told.get("gap") {
            assert_eq!(gap["first"], next, "{gap}");
            lost += gap["count"].as_u64().expect("a count");
            next = gap["last"].as_u64().expect("a number") + 1;
        } else {
            assert_eq!(told["message"]["sequence"], next);
            next += 1;
        }
    }
    assert!(lost > 0 && lost < MESSAGES, "{lost} lost");
}

#[test]
fn a_message_in_fragments_counts_until_it_is_whole() {
    let router = start(|_| {});
    let others = || {
        let request = SnapshotRequest { clients: 0, topics: 0 };
        router.handle().snapshot(request).expect("it runs").totals.memory.others_now
    };
    let mut page = Page::open(&router, "");
    let before = others();
    page.say(&json!({"publish": "a", "binary": true}));
    let fragment = |opcode, is_last| {
        Message::Frame(Frame::message(vec![7; 100_000], OpCode::Data(opcode), is_last))
    };
    page.0.send(fragment(Data::Binary, false)).expect("it is sent");
    for _ in 0..4 {
        page.0.send(fragment(Data::Continue, false)).expect("it is sent");
    }
    // Pings may come in between.
    page.0.send(Message::Ping(b"there".to_vec().into())).expect("it is sent");
    assert!(matches!(page.0.read(), Ok(Message::Pong(_))));
    let kept = others() - before;
    assert!((490_000..600_000).contains(&kept), "{kept}");
    page.0.send(fragment(Data::Continue, true)).expect("it is sent");
    assert_eq!(page.ask(&json!({"ping": 1})), json!({"pong": 1}));
    assert!(others() <= before, "{} {before}", others());
    router.stop();
}

#[test]
fn pages_share_what_a_message_is_in_json() {
    let router = start(|_| {});
    let mut pages: Vec<Page> = (0..10)
        .map(|number| {
            let mut page = Page::open(&router, if number % 2 == 0 { "?times=true" } else { "" });
            let (pattern, conflate) = (["fx/*", ">"][number % 2], number >= 5);
            page.ask(&json!({"subscribe": number, "pattern": pattern, "conflate": conflate}));
            page
        })
        .collect();
    let mut program =
        Client::connect(&address(&router, "native"), &Options::named("feed")).expect("a client");
    let topic = program.topic("fx/EURUSD").expect("a topic");
    for sequence in 1..=20 {
        let payload = format!("{sequence} \u{1}\"é");
        program.publish(topic, payload.as_bytes()).expect("it is sent");
        for (number, page) in pages.iter_mut().enumerate() {
            let told = page.told();
            let message = &told["message"];
            assert_eq!(message["subscription"], number, "{message}");
            assert_eq!(message["payload"], payload, "{message}");
            assert_eq!(
                (&message["sequence"], &message["topic"]),
                (&json!(sequence), &json!("fx/EURUSD"))
            );
            let is_conflated = number >= 5;
            assert_eq!(message.get("age_ns").is_some(), is_conflated, "{message}");
            let has_time = is_conflated && number % 2 == 0;
            assert_eq!(message.get("published_ns").is_some(), has_time, "{message}");
        }
    }
    let request = SnapshotRequest { clients: 0, topics: 0 };
    let totals = router.handle().snapshot(request).expect("it runs").totals;
    let [json] = &totals.renditions[..] else { panic!("{totals:?}") };
    assert_eq!((&*json.format, json.made, json.shared), ("json", 20, 20 * 9));
    router.stop();
}

#[test]
fn a_page_that_asks_more_at_once_than_there_is_room_for_answers_gets_all_of_them() {
    let router = start(|config| {
        config.limits.output_bytes = 4 << 10;
        config.limits.subscriptions_per_client = 1;
    });
    let mut page = Page::open(&router, "");
    // All of them go into the buffer of the session, so that nothing is left in the connection.
    let mut frames = Vec::new();
    for number in 1..=80 {
        let text = json!({"subscribe": number, "pattern": "a"}).to_string();
        frames.extend_from_slice(&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0]);
        frames.extend_from_slice(text.as_bytes());
    }
    assert!(frames.len() < 4 << 10);
    page.0.get_mut().write_all(&frames).expect("they are sent");
    assert_eq!(page.told(), json!({"subscribed": 1}));
    for number in 2..=80 {
        assert_eq!(page.told()["rejected"]["subscribe"], number);
    }
}

#[test]
fn a_flood_of_pings_by_one_who_does_not_read_is_not_taken_and_moves_nobody() {
    let router = start(|config| config.limits.output_bytes = 64 << 10);
    let (mut page, mut other) = (Page::open(&router, ""), Page::open(&router, ""));
    let ping = [&[0x89, 0x80 | 125, 0, 0, 0, 0][..], &[b'p'; 125]].concat();
    let pings = ping.repeat(500);
    let flooding = page.0.get_mut();
    flooding.set_nonblocking(true).expect("it does not wait");
    // Answers fill the system's buffers and then the router's, which takes no more while it serves another.
    let (mut sent, mut served) = (0, 0);
    while served < 200 {
        match flooding.write(&pings[sent % pings.len()..]) {
            Ok(bytes) => (sent, served) = (sent + bytes, 0),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                assert_eq!(other.ask(&json!({"ping": 1})), json!({"pong": 1}));
                served += 1;
            }
            Err(error) => panic!("{error}"),
        }
        assert!(sent < 1 << 30, "the flood is not stopped");
    }
    flooding.set_nonblocking(false).expect("it waits");
    for answered in 0..sent / ping.len() {
        let answer = page.0.read().expect("an answer");
        assert!(
            matches!(&answer, Message::Pong(it) if **it == [b'p'; 125]),
            "{answered}: {answer}"
        );
    }
}

#[test]
fn a_router_that_stops_says_so() {
    let router = start(|_| {});
    let mut page = Page::open(&router, "");
    router.stop();
    let frame = page.closed();
    assert_eq!(u16::from(frame.code), 1001, "{frame:?}");
}
