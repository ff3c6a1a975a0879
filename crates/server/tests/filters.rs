//! Who asks for some messages of what is published, by what they say, gets these and no others, from outside: real
//! sockets, files of configuration and schema, and what others see of it.

mod described;
mod raw;

use described::{
    Folder, PATIENCE, config, connect, fix, other_dictionary, receive, rejection, snapshot,
};
use trunkline_client::{Client, Event, Subscribe, format};
use trunkline_native::{self as native, code, kind};
use trunkline_server::{Running, Server};

const SOURCE: &str = "format = \"fix\"";

/// A router that knows what quotes are.
fn router(folder: &Folder, more: &str) -> Running {
    let text = folder.topic("fx/>", "quotes.xml", SOURCE) + more;
    Server::start(config(&text)).expect("a router")
}

/// Quotes of two symbols: `1.00` to `1.99`.
fn quote(number: usize) -> Vec<u8> {
    let symbol = if number.is_multiple_of(3) { "EURUSD" } else { "GBPUSD" };
    fix(&format!("117=q{number}\u{1}55={symbol}\u{1}132=1.{:02}", number % 100))
}

fn publish(client: &mut Client, topic: &str, all: impl IntoIterator<Item = Vec<u8>>) {
    let topic = client.topic(topic).expect("a topic");
    for message in all {
        client.publish_as(topic, format::OPAQUE, &message).expect("it is taken");
    }
    client.flush().expect("it is sent");
}

#[test]
fn each_gets_what_passes_its_filter_and_others_everything() {
    let folder = Folder::new("filters");
    let router = router(&folder, "");
    const EACH: usize = 20;
    const MESSAGES: usize = 300;
    type Passes = fn(usize) -> bool;
    let filters: [(&str, Passes); 4] = [
        ("BidPx >= 1.5", |it| it % 100 >= 50),
        ("Symbol = 'EURUSD' and not (BidPx < 1.10 or BidPx>1.9)", |it| {
            it.is_multiple_of(3) && (10..=90).contains(&(it % 100))
        }),
        ("QuoteID in ('q1', 'q299') or BidPx = 1.070", |it| it == 1 || it == 299 || it % 100 == 7),
        ("exists SenderCompID", |_| false),
    ];
    let mut clients = Vec::new();
    for (filter, passes) in filters {
        for _ in 0..EACH {
            let mut client = connect(&router, "reader");
            client.subscribe("fx/*", &Subscribe::every().filter(filter)).expect("it is taken");
            clients.push((client, passes));
        }
    }
    let mut plain = connect(&router, "plain");
    plain.subscribe("fx/*", &Subscribe::every()).expect("it is taken");
    clients.push((plain, |_| true));
    publish(&mut connect(&router, "source"), "fx/EURUSD", (0..MESSAGES).map(quote));
    let mut delivered = 0;
    for (client, passes) in &mut clients {
        let expected: Vec<_> =
            (0..MESSAGES).filter(|it| passes(*it)).map(|it| Ok((format::FIX, quote(it)))).collect();
        assert!(receive(client, expected.len()) == expected);
        delivered += expected.len() as u64;
    }
    let totals = snapshot(&router).totals;
    let ledger = totals.ledger;
    assert_eq!(ledger.published, (MESSAGES * (4 * EACH + 1)) as u64);
    assert_eq!((ledger.delivered, ledger.filtered), (delivered, ledger.published - delivered));
    let filters = totals.filters;
    assert_eq!((filters.decided, filters.failed, filters.pending_now), (MESSAGES as u64, 0, 0));
}

#[test]
fn a_conflated_subscriber_gets_the_newest_that_passes_in_its_format() {
    let folder = Folder::new("newest");
    let router = router(&folder, "");
    let mut client = connect(&router, "reader");
    let how = Subscribe::at_most(1).filter("Symbol = 'EURUSD'").in_format(format::JSON);
    client.subscribe("fx/*", &how).expect("it is taken");
    publish(&mut connect(&router, "source"), "fx/a", (0..50).map(quote));
    let mut got = Vec::new();
    while got.len() < 2 {
        let came = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(it) => {
                let replaced = it.conflation.expect("it conflates").replaced;
                got.push((it.sequence, replaced, String::from_utf8_lossy(it.payload).into_owned()));
            }
            event => panic!("{event:?}"),
        });
        assert!(came.expect("it is connected") > 0, "nothing came after {got:?}");
    }
    let [(first, none, _), (last, replaced, text)] = &got[..] else { panic!("{got:?}") };
    assert_eq!((*first, *none), (1, 0));
    // Of 3, 6 ... 48 the newest; the others that passed gave way to it.
    assert_eq!((*last, *replaced), (49, 15));
    assert!(text.contains("\"q48\""), "{text}");
}

#[test]
fn what_cannot_be_read_is_a_gap_that_says_why() {
    let folder = Folder::new("unread");
    let router = router(&folder, "");
    let mut reader = connect(&router, "reader");
    let how = Subscribe::every().filter("BidPx > 1.5");
    reader.subscribe(">", &how).expect("it is taken");
    let mut source = connect(&router, "source");
    let bad = fix("117=q2\u{1}132=dear");
    publish(&mut source, "fx/a", [quote(60), bad, quote(1), b"no FIX".to_vec(), quote(70)]);
    let got = receive(&mut reader, 4);
    let message = |it| Ok((format::FIX, quote(it)));
    assert_eq!((&got[0], &got[3]), (&message(60), &message(70)));
    let reason = got[1].as_ref().expect_err("it cannot be read");
    assert!(reason.contains("BidPx at byte") && reason.contains("decimal"), "{reason}");
    let reason = got[2].as_ref().expect_err("it cannot be read");
    assert!(reason.contains("BeginString"), "{reason}");
    // Nobody says what is published there.
    publish(&mut source, "orders/1", [quote(60)]);
    let got = receive(&mut reader, 1);
    assert!(got[0].as_ref().is_err_and(|it| it.contains("[[topic]]")), "{got:?}");
    let ledger = snapshot(&router).totals.ledger;
    assert_eq!((ledger.delivered, ledger.filtered, ledger.unrendered), (2, 1, 3));
}

#[test]
fn what_is_no_filter_of_these_messages_is_refused_with_its_place() {
    let folder = Folder::new("no-filter");
    let router =
        router(&folder, "[limits]\nfilter_bytes = 60\nfilters = 3\nfilters_per_client = 2\n");
    let mut client = connect(&router, "reader");
    for (filter, words) in [
        ("BidPx > ", &["column 9", "a value is expected"][..]),
        ("BidPx >> 1", &["column 8", ">="]),
        ("Symbol = EURUSD", &["column 10", "'EURUSD'"]),
        ("Symbol = 'X' and Bidpx > 1", &["column 18", "Bidpx", "did you mean BidPx?"]),
        ("BidPx = '1.08'", &["column 1", "decimal", "without quotes"]),
        ("not (Symbol = 1)", &["column 6", "text", "'1'"]),
        ("(Symbol = 'X'", &["column 1", ") that closes"]),
    ] {
        let how = Subscribe::every().filter(filter);
        let (number, text) = rejection(client.subscribe("fx/>", &how).expect_err(filter));
        assert_eq!(number, code::BAD_FILTER, "{filter}: {text}");
        assert!(words.iter().all(|word| text.contains(word)), "{filter}: {text}");
    }
    let how = Subscribe::every().filter("BidPx > 1");
    let (number, text) = rejection(client.subscribe("orders/>", &how).expect_err("no schema"));
    assert!(number == code::BAD_FILTER && text.contains("[[topic]]"), "{text}");
    let long = Subscribe::every().filter(&format!("Symbol = '{}'", "x".repeat(60)));
    let (number, text) = rejection(client.subscribe("fx/>", &long).expect_err("it is long"));
    assert!(number == code::LIMIT && text.contains("limits.filter_bytes"), "{text}");
    let first = client.subscribe("fx/>", &how).expect("it is taken");
    // The same, but for blanks.
    client.subscribe("fx/>", &Subscribe::every().filter("BidPx>1.0")).expect("it is taken");
    let (number, text) = rejection(client.subscribe("fx/>", &how).expect_err("two"));
    assert!(number == code::LIMIT && text.contains("limits.filters_per_client"), "{text}");
    let mut other = connect(&router, "other");
    for filter in ["BidPx > 2", "BidPx > 3"] {
        other.subscribe("fx/>", &Subscribe::every().filter(filter)).expect("it is taken");
    }
    let mut third = connect(&router, "third");
    let how = Subscribe::every().filter("BidPx > 4");
    let (number, text) = rejection(third.subscribe("fx/>", &how).expect_err("three differ"));
    assert!(number == code::LIMIT && text.contains("limits.filters)"), "{text}");
    // Where one ends, there is room for another.
    client.unsubscribe(first).expect("it ends");
    let same = Subscribe::every().filter("BidPx > 2");
    client.subscribe("fx/>", &same).expect("it is taken");
    drop(other);
}

#[test]
fn a_filter_is_about_the_schema_of_its_topic_as_it_is_now() {
    let folder = Folder::new("reloaded");
    folder.write("other.xml", &other_dictionary());
    let router = router(&folder, "");
    let mut reader = connect(&router, "reader");
    let how = Subscribe::every().filter("QuoteNumber = 'q1'");
    let (_, text) = rejection(reader.subscribe("fx/a", &how).expect_err("no such field"));
    assert!(text.contains("QuoteNumber"), "{text}");
    let new = config(&folder.topic("fx/>", "other.xml", SOURCE));
    router.handle().reconfigure(new).expect("it is taken");
    reader.subscribe("fx/a", &how).expect("it is taken");
    publish(&mut connect(&router, "source"), "fx/a", (0..3).map(quote));
    assert_eq!(receive(&mut reader, 1), [Ok((format::FIX, quote(1)))]);
}

fn hello(router: &Running) -> raw::Raw {
    let features = native::Features { filters: true, ..native::Features::NONE };
    let version = native::VERSION;
    raw::Raw::hello(router, &native::Hello { version, features, ..native::Hello::default() })
}

#[test]
fn what_comes_behind_a_subscription_that_is_checked_stays_in_its_order() {
    let folder = Folder::new("order");
    let router = router(&folder, "");
    let mut client = hello(&router);
    let mut bytes = Vec::new();
    let (updates, last_values, format) = (native::Updates::All, false, None);
    for subscription in 0..20 {
        let filter = if subscription % 2 == 0 { "BidPx > 1" } else { "Bid > 1" };
        let pattern = "fx/>";
        let fields = "";
        let it = native::Subscribe {
            subscription,
            updates,
            last_values,
            format,
            filter,
            fields,
            pattern,
        };
        native::encode_subscription(&mut bytes, &it);
        native::encode_ping(&mut bytes, subscription.into());
    }
    client.send(|out| out.extend_from_slice(&bytes));
    for subscription in 0..20 {
        match client.next() {
            raw::Seen::Subscribed(it) => assert_eq!(it, subscription),
            raw::Seen::Rejected(of, number, offset, it, _) => {
                let expected = (kind::SUBSCRIBE, code::BAD_FILTER, Some(0), subscription.into());
                assert_eq!((of, number, offset, it), expected);
                assert_eq!(subscription % 2, 1);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(client.next(), raw::Seen::Pong(subscription.into()));
    }
}

#[test]
fn many_who_leave_while_they_are_checked_harm_nobody() {
    let folder = Folder::new("leave");
    let router = router(&folder, "");
    for round in 0..30 {
        let mut client = hello(&router);
        let mut bytes = Vec::new();
        let filter = format!("BidPx > {round}");
        let (updates, last_values, format) = (native::Updates::All, false, None);
        let (subscription, pattern) = (1, "fx/>");
        let it = native::Subscribe {
            subscription,
            updates,
            last_values,
            format,
            filter: &filter,
            fields: "",
            pattern,
        };
        native::encode_subscription(&mut bytes, &it);
        client.send(|out| out.extend_from_slice(&bytes));
    }
    let mut reader = connect(&router, "reader");
    let how = Subscribe::every().filter("BidPx > 1.5");
    reader.subscribe("fx/>", &how).expect("it is taken");
    publish(&mut connect(&router, "source"), "fx/a", [quote(60)]);
    assert_eq!(receive(&mut reader, 1).len(), 1);
}
