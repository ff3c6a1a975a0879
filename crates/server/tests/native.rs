//! The router from outside, over TCP: what clients ask for and what they get.

mod raw;

use raw::{Raw, Seen, router};
use trunkline_native::{self as native, code, format, kind};

#[test]
fn a_message_goes_to_who_subscribes() {
    let router = router(|_| {});
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe(7, "fx/*/spot");
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "fx/EURUSD/spot");
    writer.topic(1, "fx/EURUSD/forward");
    writer.publish(0, b"1.0842");
    writer.publish(1, b"1.0901");
    writer.publish(0, b"1.0843");
    let Seen::Topic(topic, name) = reader.next() else { panic!("the topic is told first") };
    assert_eq!(name, "fx/EURUSD/spot");
    assert_eq!(reader.next(), Seen::Message(7, topic, 1, b"1.0842".into()));
    assert_eq!(reader.next(), Seen::Message(7, topic, 2, b"1.0843".into()));
    router.stop();
}

#[test]
fn frames_come_in_any_pieces() {
    let router = router(|_| {});
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe(1, ">");
    let mut writer = Raw::silent(&router);
    let mut bytes = Vec::new();
    let hello = native::Hello { version: native::VERSION, ..native::Hello::default() };
    native::encode_hello(&mut bytes, &hello);
    native::encode_topic(&mut bytes, 3, "a/b");
    let long = vec![b'x'; 900_000];
    native::encode_publish(&mut bytes, 3, format::TEXT, b"short");
    native::encode_publish(&mut bytes, 3, format::TEXT, &long);
    native::encode_publish(&mut bytes, 3, format::TEXT, b"end");
    let (pieces, rest) = bytes.split_at(90);
    for byte in pieces {
        writer.send(|out| out.push(*byte));
    }
    for piece in rest.chunks(70_001) {
        writer.send(|out| out.extend_from_slice(piece));
    }
    assert_eq!(reader.message(), b"short");
    assert!(reader.message() == long);
    assert_eq!(reader.message(), b"end");
}

#[test]
fn overlapping_subscriptions_deliver_each() {
    let router = router(|_| {});
    let mut client = Raw::named(&router, "both");
    client.subscribe(1, "a/>");
    client.subscribe(2, "a/b");
    client.topic(0, "a/b");
    client.publish(0, b"x");
    let mut got = Vec::new();
    while got.len() < 2 {
        if let Seen::Message(subscription, _, sequence, _) = client.next() {
            got.push((subscription, sequence));
        }
    }
    got.sort_unstable();
    assert_eq!(got, [(1, 1), (2, 1)]);
    client.send(|out| native::encode_unsubscribe(out, 1));
    assert_eq!(client.next(), Seen::Unsubscribed(1));
    client.publish(0, b"y");
    let Seen::Message(2, _, 2, _) = client.next() else { panic!("the other one stands") };
    client.settle();
}

#[test]
fn what_is_rejected_says_why_and_the_connection_goes_on() {
    let router = router(|config| config.limits.subscriptions_per_client = 1);
    let mut client = Raw::named(&router, "wrong");
    let rejected = |client: &mut Raw| match client.next() {
        Seen::Rejected(of, code, offset, id, text) => (of, code, offset, id, text),
        other => panic!("not rejected but {other:?}"),
    };
    client.topic(4, "fx//spot");
    let (of, why, offset, id, text) = rejected(&mut client);
    assert_eq!((of, why, offset, id), (kind::TOPIC, code::BAD_NAME, Some(3), 4), "{text}");
    client.topic(4, "fx/*");
    assert_eq!(rejected(&mut client).1, code::BAD_NAME);
    client.topic(4, "$router/clients");
    assert_eq!(rejected(&mut client).1, code::RESERVED);
    client.publish(9, b"x");
    let (of, why, _, id, _) = rejected(&mut client);
    assert_eq!((of, why, id), (kind::PUBLISH, code::UNKNOWN, 9));
    client.publish(9, b"again");
    client.settle();
    client.send(|out| native::encode_subscribe(out, 1, native::Updates::All, "a/>/b"));
    let (of, why, offset, id, _) = rejected(&mut client);
    assert_eq!((of, why, offset, id), (kind::SUBSCRIBE, code::BAD_NAME, Some(2), 1));
    client.subscribe(1, "a");
    client.send(|out| native::encode_subscribe(out, 1, native::Updates::All, "b"));
    assert_eq!(rejected(&mut client).1, code::IN_USE);
    client.send(|out| native::encode_subscribe(out, 2, native::Updates::All, "b"));
    let (_, why, _, _, text) = rejected(&mut client);
    assert_eq!(why, code::LIMIT, "{text}");
    client.send(|out| native::encode_unsubscribe(out, 5));
    assert_eq!(rejected(&mut client).1, code::UNKNOWN);
    client.topic(4, "good");
    client.topic(4, "better");
    assert_eq!(rejected(&mut client).1, code::IN_USE);
    client.send(|out| native::encode_forget(out, 4));
    client.topic(4, "better");
    client.settle();
}

#[test]
fn who_breaks_the_protocol_is_told_and_closed() {
    let router = router(|_| {});
    let closing = |bytes: &[u8], greets: bool| {
        let mut client = if greets { Raw::named(&router, "broken") } else { Raw::silent(&router) };
        client.send(|out| out.extend_from_slice(bytes));
        let Seen::Closing(code, text) = client.next() else { panic!("it is told") };
        assert_eq!(client.next(), Seen::End);
        (code, text)
    };
    let (why, text) = closing(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", false);
    assert_eq!(why, code::NO_HELLO, "{text}");
    let mut publish = Vec::new();
    native::encode_publish(&mut publish, 1, 0, b"before HELLO");
    assert_eq!(closing(&publish, false).0, code::NO_HELLO);
    assert_eq!(closing(&[0xff; 64], true).0, code::BAD_FRAME);
    assert_eq!(closing(&[9, 0, 0, 0, 99, 0, 0, 0, 0], true).0, code::BAD_FRAME);
    let mut hello = Vec::new();
    let second = native::Hello { version: native::VERSION, ..native::Hello::default() };
    native::encode_hello(&mut hello, &second);
    assert_eq!(closing(&hello, true).0, code::BAD_FRAME);
    let mut old = Vec::new();
    native::encode_hello(&mut old, &native::Hello::default());
    assert_eq!(closing(&old, false).0, code::VERSION);
    // Others have not noticed.
    Raw::named(&router, "good").settle();
}
