//! Consumers of durable subscriptions and replays that want messages in another format, some of their fields, or some of them
//! alone, from outside: real sockets, files of configuration and schema, a journal on a disk.

mod described;
mod raw;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::Range;
use std::time::Duration;

use described::{Folder, PATIENCE, config, connect, fix, rejection};
use raw::Raw;
use trunkline_client::{
    Client, Consume, Event, LostReason, Start, Subscribe, Subscription, format,
};
use trunkline_native::{self as native, RouterFrame, code};
use trunkline_server::snapshot::{DurableStatus, Snapshot, SnapshotRequest};
use trunkline_server::{Running, Server};

/// A router that knows what quotes are, with a journal in a folder.
fn router(folder: &Folder, more: &str) -> Running {
    let journal = folder.path("journal");
    let topic = folder.topic("fx/>", "quotes.xml", "format = \"fix\"");
    let text =
        format!("{topic}\n[journal]\ndirectory = {journal:?}\nsegment_bytes = \"4 MiB\"\n{more}");
    Server::start(config(&text)).expect("a router")
}

/// Quotes of `1.00` to `1.99`.
fn quote(number: usize) -> Vec<u8> {
    fix(&format!("117=q{number}\u{1}132=1.{:02}", number % 100))
}

/// A quote in JSON.
fn json(number: usize) -> String {
    format!("{{\"Quote\":{{\"QuoteID\":\"q{number}\",\"BidPx\":1.{:02}}}}}", number % 100)
}

/// Stores messages, and waits until they are stored.
fn store(router: &Running, all: impl IntoIterator<Item = Vec<u8>>) {
    let mut desk = connect(router, "desk");
    desk.producer("desk-7").expect("a producer");
    let topic = desk.topic("fx/EURUSD").expect("a topic");
    let mut last = 0;
    for message in all {
        last = desk.store(topic, format::OPAQUE, &message).expect("it is taken");
    }
    desk.wait_stored(last, PATIENCE).expect("it is stored");
}

/// A delivery, as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    position: u64,
    is_repeated: bool,
    is_unrendered: bool,
    format: u16,
    text: String,
}

fn texts(seen: &[Seen]) -> Vec<&str> {
    seen.iter().map(|it| &*it.text).collect()
}

/// The next deliveries of a client, acknowledged or not.
fn take(client: &mut Client, count: usize, acknowledges: bool) -> Vec<Seen> {
    let mut seen = Vec::new();
    while seen.len() < count {
        let mut done = Vec::new();
        let came = client.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                let (position, is_repeated, format) = (it.position, it.is_repeated, it.format);
                let is_unrendered = it.is_unrendered;
                let text = String::from_utf8_lossy(it.payload).into_owned();
                seen.push(Seen { position, is_repeated, is_unrendered, format, text });
                done.push((it.subscription, it.position));
            }
        });
        assert_ne!(came.expect("it is connected"), 0, "{} of {count} came", seen.len());
        for (subscription, position) in done.into_iter().filter(|_| acknowledges) {
            client.acknowledge(subscription, position).expect("it is sent");
        }
    }
    client.synchronise().expect("the router has read it");
    seen
}

fn durable(name: &str, updates: Subscribe) -> Consume {
    Consume { updates, start: Start::All, ..Consume::durable(name, "fx/>") }
}

fn replay(updates: Subscribe) -> Consume {
    Consume { updates, ..Consume::replay("fx/>", Start::All) }
}

/// A client with one consumer.
fn consumer(router: &Running, how: &Consume) -> (Client, Subscription) {
    let mut client = connect(router, "consumer");
    let subscription = client.consume(how).expect("it is active");
    (client, subscription)
}

fn snapshot(router: &Running) -> Snapshot {
    router.handle().snapshot(SnapshotRequest { clients: 100, topics: 0 }).expect("a snapshot")
}

/// What is known of a durable subscription, whose accounts add up.
fn account(router: &Running, name: &str, matched: u64) -> DurableStatus {
    let all = snapshot(router).durables;
    let it = all.into_iter().find(|it| it.name == name).expect("it is there");
    let done = it.acknowledged + it.elided + it.expired + it.lost + it.dead_lettered;
    assert_eq!(
        done + it.purged + it.filtered + it.in_flight_now + it.waiting_now,
        matched,
        "{it:?}"
    );
    it
}

#[test]
fn every_consumer_gets_its_format_and_each_message_is_converted_once() {
    let folder = Folder::new("consumed");
    let router = router(&folder, "");
    const MESSAGES: usize = 40;
    store(&router, (0..MESSAGES / 2).map(quote));
    let as_json = || Subscribe::every().in_format(format::JSON);
    let mut all: Vec<(Client, Option<u16>)> = Vec::new();
    for how in [durable("one", as_json()), durable("two", as_json()), replay(as_json())] {
        all.push((consumer(&router, &how).0, Some(format::JSON)));
    }
    all.push((
        consumer(&router, &durable("soap", Subscribe::every().in_format(format::SOAP_11))).0,
        Some(format::SOAP_11),
    ));
    all.push((consumer(&router, &durable("plain", Subscribe::every())).0, None));
    // What has the format already is passed on as it is.
    all.push((
        consumer(&router, &durable("same", Subscribe::every().in_format(format::FIX))).0,
        None,
    ));
    store(&router, (MESSAGES / 2..MESSAGES).map(quote));
    for (client, wanted) in &mut all {
        let seen = take(client, MESSAGES, true);
        assert!(seen.is_sorted_by_key(|it| it.position), "{seen:?}");
        for (number, it) in seen.iter().enumerate() {
            assert_eq!((it.format, it.is_unrendered), (wanted.unwrap_or(format::FIX), false));
            match wanted {
                Some(format::JSON) => assert_eq!(it.text, json(number)),
                Some(_) => assert!(
                    it.text.contains("Envelope") && it.text.contains(&format!(">q{number}<")),
                    "{it:?}"
                ),
                None => assert_eq!(it.text.as_bytes(), quote(number)),
            }
        }
    }
    let totals = snapshot(&router).totals;
    let counts: BTreeMap<&str, (u64, u64, u64)> = totals
        .conversions
        .iter()
        .map(|it| (&*it.format, (it.made + it.shared, it.failed, it.pending_now)))
        .collect();
    let each = MESSAGES as u64;
    assert_eq!(counts, BTreeMap::from([("json", (3 * each, 0, 0)), ("soap-1.1", (each, 0, 0))]));
    let made = totals.conversions.iter().map(|it| it.made);
    assert_eq!(made.collect::<Vec<_>>(), [each; 2], "each once, for all who want it");
    for name in ["one", "two", "soap", "plain", "same"] {
        assert_eq!(account(&router, name, each).acknowledged, each);
    }
}

#[test]
fn what_cannot_be_rendered_is_delivered_with_the_reason_until_it_is_acknowledged() {
    let folder = Folder::new("consumed-gap");
    let more =
        "[[journal.durable]]\nname = \"strict\"\ndeliveries = 2\ndead_letters = \"dead/quotes\"\n";
    let router = router(&folder, more);
    store(&router, [quote(0), fix("117=q1\u{1}132=dear"), quote(2)]);
    let as_json = || Subscribe::every().in_format(format::JSON);
    // It takes the only place of the window.
    let how = Consume { window: 1, ..durable("gateway", as_json()) };
    let (mut client, subscription) = consumer(&router, &how);
    assert_eq!(texts(&take(&mut client, 1, true)), [json(0)]);
    let seen = take(&mut client, 1, false);
    assert!(seen[0].is_unrendered && seen[0].format == format::TEXT, "{seen:?}");
    assert!(seen[0].text.contains("BidPx at byte"), "{seen:?}");
    assert_eq!(account(&router, "gateway", 3).in_flight_now, 1);
    // Given back, it comes again, and also to another consumer; acknowledged, it does not.
    client.release(subscription, seen[0].position, Duration::ZERO).expect("it is taken");
    client.flush().expect("it is sent");
    let again = take(&mut client, 1, false);
    assert_eq!((again[0].position, again[0].is_repeated), (seen[0].position, true));
    drop(client);
    let (mut client, _) = consumer(&router, &how);
    assert_eq!(texts(&take(&mut client, 2, true)), [&again[0].text, &json(2)]);
    assert_eq!(account(&router, "gateway", 3).acknowledged, 3);
    // Who takes it as it is stored gets it.
    let (mut plain, _) = consumer(&router, &replay(Subscribe::every()));
    assert!(take(&mut plain, 3, false)[1].text.contains("dear"));
    // A replay goes on behind it.
    let (mut other, _) = consumer(&router, &replay(as_json()));
    let seen = take(&mut other, 3, false);
    assert_eq!([0, 1, 2].map(|it| seen[it].is_unrendered), [false, true, false]);
    // Where a rule says so, it becomes a dead letter, as it was stored.
    let mut letters = connect(&router, "letters");
    letters.subscribe("dead/>", &Subscribe::every()).expect("it is taken");
    let (mut strict, subscription) = consumer(&router, &durable("strict", as_json()));
    for delivery in 0..2 {
        let count = if delivery == 0 { 3 } else { 1 };
        let seen = take(&mut strict, count, false);
        for it in &seen {
            match it.is_unrendered {
                true => {
                    strict.release(subscription, it.position, Duration::ZERO).expect("it is sent")
                }
                false => strict.acknowledge(subscription, it.position).expect("it is sent"),
            }
        }
        strict.synchronise().expect("the router has read it");
    }
    let mut letter = None;
    while letter.is_none() {
        let came = letters.receive(Some(PATIENCE), &mut |event| {
            if let Event::Message(it) = event {
                letter = Some(String::from_utf8_lossy(it.payload).into_owned());
            }
        });
        assert_ne!(came.expect("it is connected"), 0, "no dead letter came");
    }
    assert!(letter.is_some_and(|it| it.contains("132=dear")));
    assert_eq!(account(&router, "strict", 3).dead_lettered, 1);
}

#[test]
fn what_does_not_pass_is_done_also_over_a_restart() {
    let folder = Folder::new("consumed-filter");
    let first = router(&folder, "");
    const MESSAGES: usize = 300;
    store(&first, (0..MESSAGES).map(quote));
    let filter = || Subscribe::every().filter("BidPx >= 1.90").in_format(format::JSON);
    // With a window of one, a message that does not pass holds up nothing.
    let how = Consume { window: 1, ..durable("few", filter()) };
    let (mut client, _) = consumer(&first, &how);
    let passes: Vec<String> = (0..MESSAGES).filter(|it| it % 100 >= 90).map(json).collect();
    let seen = take(&mut client, 25, true);
    assert_eq!(texts(&seen), passes[..25]);
    let it = account(&first, "few", MESSAGES as u64);
    assert_eq!(it.acknowledged, 25);
    assert!((2 * 90..=3 * 90).contains(&it.filtered), "{it:?}");
    // A replay has a filter of its own.
    let (mut other, _) = consumer(&first, &replay(Subscribe::every().filter("QuoteID = 'q7'")));
    assert_eq!(take(&mut other, 1, false)[0].text.as_bytes(), quote(7));
    assert_eq!(texts(&take(&mut client, 5, true)), passes[25..]);
    drop(client);
    first.stop();

    let second = router(&folder, "");
    // The filter was that of the connection: what was done by it is not delivered now, and what is new is.
    let (mut client, _) = consumer(&second, &durable("few", Subscribe::every()));
    store(&second, [quote(1)]);
    assert_eq!(take(&mut client, 1, true)[0].text.as_bytes(), quote(1));
    let it = account(&second, "few", MESSAGES as u64 + 1);
    assert_eq!((it.filtered, it.acknowledged), (3 * 90, 31));
}

#[test]
fn fields_are_selected_for_consumers_too() {
    let folder = Folder::new("consumed-fields");
    let router = router(&folder, "");
    store(&router, (0..3).map(quote));
    let fields = Subscribe::every().fields("BidPx").in_format(format::JSON);
    let both = [durable("fields", fields.clone()), replay(fields)];
    for mut client in both.map(|how| consumer(&router, &how).0) {
        let expected = (0..3).map(|it| format!("{{\"Quote\":{{\"BidPx\":1.0{it}}}}}"));
        assert_eq!(texts(&take(&mut client, 3, true)), expected.collect::<Vec<_>>());
    }
    let conversions = snapshot(&router).totals.conversions;
    assert_eq!((conversions[0].made, conversions[0].shared), (3, 3));
}

#[test]
fn what_a_consumer_cannot_have_is_refused() {
    let folder = Folder::new("consumed-refused");
    let router = router(&folder, "");
    let mut client = connect(&router, "consumer");
    let mut refused = |how: &Consume, number: u16, words: &str| {
        let (code, text) = rejection(client.consume(how).expect_err("it is refused"));
        assert!(code == number && text.contains(words), "{code}: {text}");
    };
    let every = Subscribe::every;
    refused(&durable("a", every().in_format(format::PROTOBUF)), code::NO_FORMAT, "protobuf");
    let elsewhere =
        Consume { pattern: "orders/>".to_owned(), ..durable("a", every().in_format(format::JSON)) };
    refused(&elsewhere, code::NO_FORMAT, "orders/>");
    refused(&durable("a", every().filter("Bid > 1")), code::BAD_FILTER, "Bid");
    refused(&replay(every().fields("Bid")), code::BAD_FIELDS, "Bid");
    refused(&durable("a", Subscribe::newest().filter("BidPx > 1")), code::BAD_FILTER, "conflated");
    // All who consume at a time take the same messages.
    let (mut first, subscription) = consumer(&router, &durable("b", every().filter("BidPx>1.5")));
    refused(&durable("b", every().filter("BidPx > 1.6")), code::DIFFERENT, "another filter");
    refused(&durable("b", every()), code::DIFFERENT, "another filter");
    client
        .consume(&durable("b", every().filter("BidPx > 1.5").in_format(format::JSON)))
        .expect("the same");
    // When they have left, others may want others.
    drop(client);
    first.unsubscribe(subscription).expect("it is sent");
    first.synchronise().expect("the router has read it");
    let mut others = connect(&router, "others");
    let how = durable("b", every().filter("BidPx > 1.6"));
    while let Err(error) = others.consume(&how) {
        // The connection of the second one may not have ended yet.
        assert_eq!(rejection(error).0, code::DIFFERENT);
    }
}

#[test]
fn who_leaves_while_its_messages_are_made_loses_none() {
    let folder = Folder::new("consumed-left");
    let router = router(&folder, "[limits]\nselections_per_client = 2\nfilters_per_client = 2\n");
    const MESSAGES: usize = 500;
    store(&router, (0..MESSAGES).map(quote));
    let wanted = || {
        Subscribe::every().filter("exists QuoteID").fields("QuoteID,BidPx").in_format(format::JSON)
    };
    let how = Consume { window: 1_000, ..durable("gateway", wanted()) };
    // More often than there may be filters and selections at a time.
    for round in 0..10 {
        let (mut client, subscription) = consumer(&router, &how);
        if round % 2 == 0 {
            client.unsubscribe(subscription).expect("it is sent");
            client.synchronise().expect("the router has read it");
            client.consume(&how).expect("it is active again");
        }
    }
    let (mut client, _) = consumer(&router, &how);
    let mut seen = BTreeMap::new();
    while seen.len() < MESSAGES {
        for it in take(&mut client, 1, true) {
            assert!(!it.is_unrendered, "{it:?}");
            seen.insert(it.position, it.text);
        }
    }
    assert!(seen.into_values().eq((0..MESSAGES).map(json)));
    let it = account(&router, "gateway", MESSAGES as u64);
    assert_eq!((it.acknowledged, it.filtered), (MESSAGES as u64, 0));
}

#[test]
fn losses_and_confirmations_keep_their_place_behind_what_is_made() {
    let folder = Folder::new("consumed-order");
    let more = "delivery = \"cut-through\"\n";
    let router = router(&folder, more);
    let how = Consume {
        wants_confirmed: true,
        ..durable("gateway", Subscribe::every().in_format(format::JSON))
    };
    let (mut client, _) = consumer(&router, &how);
    let mut desk = connect(&router, "desk");
    desk.producer("desk-7").expect("a producer");
    let topic = desk.topic("fx/EURUSD").expect("a topic");
    for number in 0..200 {
        desk.store(topic, format::OPAQUE, &quote(number)).expect("it is taken");
    }
    desk.wait_stored(200, PATIENCE).expect("it is stored");
    let (mut delivered, mut unconfirmed, mut confirmed) = (0, 0, 0);
    while delivered < 200 || confirmed < unconfirmed {
        let came = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Delivery(it) => {
                delivered += 1;
                if it.is_unconfirmed {
                    unconfirmed = it.position;
                }
            }
            // Whatever it says of was delivered before.
            Event::Confirmed(it) => confirmed = it.position,
            Event::Lost(it) => assert_eq!(it.reason, LostReason::Expired),
            _ => {}
        });
        assert_ne!(came.expect("it is connected"), 0, "{delivered}, {unconfirmed}, {confirmed}");
    }
}

#[test]
fn consumers_of_a_client_have_turns_where_there_is_room_for_one_message() {
    const CONSUMERS: usize = 6;
    const MESSAGES: usize = 8;
    let folder = Folder::new("consumed-large");
    let router = router(&folder, "");
    let mut client = connect(&router, "consumer");
    let as_json = || Subscribe::every().in_format(format::JSON);
    client.consume(&durable("gateway", as_json())).expect("it is active");
    for _ in 1..CONSUMERS {
        client.consume(&replay(as_json())).expect("it is active");
    }
    let large = |number: usize| fix(&format!("117=q{number}-{}\u{1}132=1.00", "x".repeat(300_000)));
    store(&router, (0..MESSAGES).map(large));
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    for it in take(&mut client, CONSUMERS * MESSAGES, true) {
        assert!(!it.is_unrendered && it.text.len() > 300_000, "{}", it.text.len());
        *seen.entry(it.position).or_default() += 1;
    }
    assert_eq!(seen.into_values().collect::<Vec<_>>(), [CONSUMERS; MESSAGES]);
    let conversions = snapshot(&router).totals.conversions;
    assert_eq!(conversions[0].failed, 0);
    assert_eq!(account(&router, "gateway", MESSAGES as u64).acknowledged, MESSAGES as u64);
}

/// What came over a plain connection, in words, until there is so much of it.
fn heard(raw: &mut Raw, left: &mut Vec<u8>, count: usize) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.len() < count {
        let mut used = 0;
        while let Some((frame, length)) =
            native::decode_router(&left[used..], 1 << 24).expect("a frame")
        {
            used += length;
            heard.extend(match frame {
                RouterFrame::Delivery(it) => Some(String::from_utf8_lossy(it.payload).into_owned()),
                RouterFrame::Consuming(it) => Some(format!("consuming {}", it.subscription)),
                RouterFrame::Unsubscribed(number) => Some(format!("left {number}")),
                RouterFrame::Rejected(it) => Some(format!("rejected {} {}", it.id, it.code)),
                RouterFrame::Topic(_) => None,
                other => panic!("{other:?}"),
            });
        }
        left.drain(..used);
        if heard.len() < count {
            let mut bytes = [0; 1 << 12];
            let read = raw.stream.read(&mut bytes).expect("something comes");
            assert_ne!(read, 0, "the connection ends behind {heard:?}");
            left.extend_from_slice(&bytes[..read]);
        }
    }
    heard
}

fn ask(raw: &mut Raw, name: &str, (to, filter, fields): (Option<u16>, &str, &str)) {
    let consume = native::Consume {
        subscription: 1,
        window: 100,
        updates: native::Updates::All,
        start: native::Start::All,
        pace: 0,
        wants_confirmed: false,
        wants_acknowledged: false,
        policy: native::DeliveryPolicy::NONE,
        format: to,
        filter,
        fields,
        name,
        pattern: "fx/>",
    };
    raw.send(|out| native::encode_consume(out, &consume));
}

#[test]
fn a_number_in_use_is_refused_and_its_consumer_goes_on() {
    let folder = Folder::new("consumed-twice");
    let router = router(&folder, "[limits]\nfilters_per_client = 1\nselections_per_client = 1\n");
    store(&router, (0..40).map(quote));
    let (mut raw, mut left) = (Raw::named(&router, "twice"), Vec::new());
    let json_of = |numbers: Range<usize>| numbers.map(json).collect::<Vec<_>>();
    ask(&mut raw, "gateway", (Some(format::JSON), "exists QuoteID", "QuoteID,BidPx"));
    // As often as not while its messages are made.
    let others = [
        ("gateway", (Some(format::JSON), "exists QuoteID", "QuoteID,BidPx")),
        ("other", (Some(format::SOAP_11), "", "")),
        ("", (None, "BidPx > 1.5", "")),
        ("", (None, "", "")),
    ];
    others.iter().for_each(|(name, wanted)| ask(&mut raw, name, *wanted));
    let (mut refused, mut came) = (0, Vec::new());
    while refused < others.len() || came.len() < 41 {
        for it in heard(&mut raw, &mut left, 1) {
            match it == format!("rejected 1 {}", code::IN_USE) {
                true => refused += 1,
                false => came.push(it),
            }
        }
    }
    assert_eq!(came.remove(0), "consuming 1");
    assert_eq!(came, json_of(0..40));
    // It is as it was, and so are what it wants and what it may have.
    store(&router, (40..50).map(quote));
    assert_eq!(heard(&mut raw, &mut left, 10), json_of(40..50));
    let names = snapshot(&router).durables.into_iter().map(|it| it.name);
    assert_eq!(names.collect::<Vec<_>>(), ["gateway"]);
    for (to, expected) in
        [(None, String::from_utf8_lossy(&quote(0)).into_owned()), (Some(format::JSON), json(0))]
    {
        raw.send(|out| native::encode_unsubscribe(out, 1));
        assert_eq!(heard(&mut raw, &mut left, 1), ["left 1"]);
        ask(&mut raw, "gateway", (to, "exists QuoteID", ""));
        let again = heard(&mut raw, &mut left, 51);
        assert_eq!((&*again[0], &again[1]), ("consuming 1", &expected));
    }
}
