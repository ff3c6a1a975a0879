//! Who asks for some fields of what is published gets these and no others, made once for all who ask for the same, from
//! outside: real sockets, files of configuration and schema, and what others see of it.

mod described;
mod raw;

use described::{Folder, PATIENCE, config, connect, fix, receive, rejection, snapshot};
use trunkline_client::{Client, Error, Event, Subscribe, format};
use trunkline_native::{self as native, code};
use trunkline_server::{Running, Server};

const SOURCE: &str = "format = \"fix\"";

/// A router that knows what quotes are.
fn router(folder: &Folder, more: &str) -> Running {
    let text = folder.topic("fx/>", "quotes.xml", SOURCE) + more;
    Server::start(config(&text)).expect("a router")
}

fn quote(number: usize) -> Vec<u8> {
    fix(&format!("117=q{number}\u{1}55=EURUSD\u{1}132={}", price(number)))
}

fn publish(client: &mut Client, topic: &str, all: impl IntoIterator<Item = Vec<u8>>) {
    let topic = client.topic(topic).expect("a topic");
    for message in all {
        client.publish_as(topic, format::OPAQUE, &message).expect("it is taken");
    }
    client.flush().expect("it is sent");
}

/// From 1.001 on.
fn price(number: usize) -> String {
    format!("1.{:02}1", number % 100)
}

#[test]
fn each_gets_its_fields_made_once_for_all_who_want_the_same() {
    let folder = Folder::new("fields");
    let router = router(&folder, "");
    const EACH: usize = 20;
    const MESSAGES: usize = 200;
    type Expected = fn(usize) -> (u16, Vec<u8>);
    let json = |fields: &str| Subscribe::every().in_format(format::JSON).fields(fields);
    let symbol_and_bid: Expected = |it| {
        let bid = price(it);
        let text = format!("{{\"Quote\":{{\"Symbol\":\"EURUSD\",\"BidPx\":{bid}}}}}");
        (format::JSON, text.into_bytes())
    };
    let whole: Expected = |it| (format::FIX, quote(it));
    let wanted: [(Subscribe, Expected); 6] = [
        (json("Symbol,BidPx"), symbol_and_bid),
        (json(" BidPx , Symbol"), symbol_and_bid),
        (json("SenderCompID"), |_| (format::JSON, b"{\"Quote\":{}}".to_vec())),
        (Subscribe::every().fields("QuoteID"), |it| (format::FIX, fix(&format!("117=q{it}")))),
        // All that the messages have: as they are.
        (Subscribe::every().fields("QuoteID,BidPx,Symbol"), whole),
        (Subscribe::every(), whole),
    ];
    let mut clients = Vec::new();
    for (how, expected) in wanted {
        for _ in 0..EACH {
            let mut client = connect(&router, "reader");
            client.subscribe("fx/*", &how).expect("it is taken");
            clients.push((client, expected));
        }
    }
    publish(&mut connect(&router, "source"), "fx/EURUSD", (0..MESSAGES).map(quote));
    for (client, expected) in &mut clients {
        let expected: Vec<_> = (0..MESSAGES).map(|it| Ok(expected(it))).collect();
        assert!(receive(client, MESSAGES) == expected);
    }
    let totals = snapshot(&router).totals;
    let made = |name: &str| {
        let found = totals.conversions.iter().find(|it| it.format == name).expect(name);
        (found.made, found.shared, found.failed, found.pending_now)
    };
    let count = |times: usize| (times * MESSAGES) as u64;
    // In JSON two selections, one of which has two spellings.
    assert_eq!(made("json"), (count(2), count(3 * EACH - 2), 0, 0));
    assert_eq!(made("as published"), (count(2), count(2 * EACH - 2), 0, 0));
    assert_eq!(totals.ledger.delivered, count(6 * EACH));
}

#[test]
fn fields_go_with_filters_last_values_and_conflation() {
    let folder = Folder::new("together");
    let router = router(&folder, "[[last_value]]\ntopics = \"fx/>\"\n");
    let mut source = connect(&router, "source");
    publish(&mut source, "fx/a", [quote(40)]);
    source.synchronise().expect("it is there");
    let how = Subscribe::at_most(1).filter("BidPx >= 1.4").fields("QuoteID").last_values();
    let mut client = connect(&router, "reader");
    client.subscribe("fx/*", &how.in_format(format::JSON)).expect("it is taken");
    let mut got = Vec::new();
    let mut is_published = false;
    let text = |number| format!("{{\"Quote\":{{\"QuoteID\":\"q{number}\"}}}}");
    // The newest comes in any case.
    while got.last().is_none_or(|it: &(u64, bool, String)| it.2 != text(59)) {
        let came = client.receive(Some(PATIENCE), &mut |event| match event {
            Event::Message(it) => {
                let text = String::from_utf8_lossy(it.payload).into_owned();
                got.push((it.sequence, it.last_value.is_some(), text));
            }
            Event::LastValues(_) => {}
            event => panic!("{event:?}"),
        });
        assert!(came.expect("it is connected") > 0, "nothing came after {got:?}");
        if got.len() == 1 && !is_published {
            is_published = true;
            publish(&mut source, "fx/a", (0..60).map(quote));
        }
    }
    assert_eq!(got[0], (1, true, text(40)));
    for (sequence, is_last_value, it) in &got[1..] {
        assert!(*sequence > 41 && !is_last_value, "{got:?}");
        assert_eq!(*it, text(sequence - 2), "{got:?}");
    }
    let ledger = snapshot(&router).totals.ledger;
    assert!(ledger.elided > 0, "{ledger:?}");
}

#[test]
fn what_is_not_to_be_had_is_refused_with_its_place() {
    let folder = Folder::new("no-fields");
    let limits = "[limits]\nselection_bytes = 60\nselections = 2\nselections_per_client = 2\n";
    let router = router(&folder, limits);
    let mut client = connect(&router, "reader");
    let every = Subscribe::every;
    let json = || Subscribe::every().in_format(format::JSON);
    for (how, words) in [
        (json().fields("Symbol,"), &["column 8", "the name of a field is expected"][..]),
        (json().fields("Symbol,Bidpx"), &["column 8", "did you mean BidPx?", "QuoteID, Symbol"]),
        (json().fields("Symbol.x"), &["column 1", "Symbol.x is no field"]),
        (every().fields("BidPx"), &["fix cannot leave out QuoteID of Quote", "json"]),
        (
            every().in_format(format::SOAP_11).fields("Symbol"),
            &["soap-1.1 cannot leave out QuoteID"],
        ),
    ] {
        let (number, text) = rejection(client.subscribe("fx/>", &how).expect_err(words[0]));
        assert_eq!(number, code::BAD_FIELDS, "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    let (number, text) =
        rejection(client.subscribe("orders/>", &every().fields("a")).expect_err("no schema"));
    assert!(number == code::BAD_FIELDS && text.contains("[[topic]]"), "{text}");
    // The filter is told first.
    let both = json().filter("Bid > 1").fields("Bid");
    let (number, _) = rejection(client.subscribe("fx/>", &both).expect_err("no such field"));
    assert_eq!(number, code::BAD_FILTER);
    let long = json().fields(&["Symbol"; 10].join(","));
    let (number, text) = rejection(client.subscribe("fx/>", &long).expect_err("it is long"));
    assert!(number == code::LIMIT && text.contains("limits.selection_bytes"), "{text}");
    let first = client.subscribe("fx/>", &json().fields("BidPx")).expect("it is taken");
    client.subscribe("fx/>", &json().fields("BidPx,BidPx")).expect("it is taken");
    let (number, text) =
        rejection(client.subscribe("fx/>", &json().fields("BidPx")).expect_err("two"));
    assert!(number == code::LIMIT && text.contains("limits.selections_per_client"), "{text}");
    let mut other = connect(&router, "other");
    other.subscribe("fx/>", &json().fields("Symbol")).expect("it is taken");
    let (number, text) =
        rejection(other.subscribe("fx/>", &json().fields("QuoteID")).expect_err("two differ"));
    assert!(number == code::LIMIT && text.contains("limits.selections)"), "{text}");
    let empty = client.subscribe("fx/>", &json().fields("")).expect_err("it is empty");
    assert!(matches!(empty, Error::EmptyText), "{empty}");
    // Where one ends, there is room for another.
    client.unsubscribe(first).expect("it ends");
    client.subscribe("fx/>", &json().fields("Symbol")).expect("it is taken");
}

/// What ends in the same write makes room.
#[test]
fn one_selection_takes_the_place_of_another_in_one_write() {
    let folder = Folder::new("place");
    let limits = "[limits]\nselections = 1\nselections_per_client = 1\n";
    let router = router(&folder, limits);
    let features = native::Features { fields: true, ..native::Features::NONE };
    let version = native::VERSION;
    let hello = native::Hello { version, features, ..native::Hello::default() };
    let mut client = raw::Raw::hello(&router, &hello);
    let ask = |out: &mut Vec<u8>, subscription, fields| {
        let (updates, pattern) = (native::Updates::All, "fx/>");
        let (last_values, format, filter) = (false, None, "");
        let it = native::Subscribe {
            subscription,
            updates,
            last_values,
            format,
            filter,
            fields,
            pattern,
        };
        native::encode_subscription(out, &it);
    };
    client.send(|out| ask(out, 1, "QuoteID"));
    assert_eq!(client.next(), raw::Seen::Subscribed(1));
    client.send(|out| {
        native::encode_unsubscribe(out, 1);
        ask(out, 2, "QuoteID,Symbol");
    });
    assert!(!matches!(client.next(), raw::Seen::Rejected(..)));
    assert_eq!(client.next(), raw::Seen::Subscribed(2));
}

#[test]
fn what_cannot_be_read_is_a_gap_that_says_why() {
    let folder = Folder::new("unread-fields");
    let router = router(&folder, "");
    let mut reader = connect(&router, "reader");
    let how = Subscribe::every().fields("QuoteID");
    reader.subscribe("fx/>", &how).expect("it is taken");
    let bad = fix("117=q2\u{1}132=dear");
    publish(&mut connect(&router, "source"), "fx/a", [quote(1), bad, quote(3)]);
    let got = receive(&mut reader, 3);
    assert_eq!(got[0], Ok((format::FIX, fix("117=q1"))));
    assert!(got[1].as_ref().is_err_and(|it| it.contains("BidPx")), "{got:?}");
    assert_eq!(got[2], Ok((format::FIX, fix("117=q3"))));
    assert_eq!(snapshot(&router).totals.ledger.unrendered, 1);
}

/// Fields of a schema with many.
const MANY: usize = 13;

/// There are more selections one after the other than numbers: those that have ended make room, and nobody gets the
/// fields of another.
#[test]
fn selections_that_have_ended_make_room() {
    let folder = Folder::new("many-selections");
    let fields: String =
        (0..MANY).map(|it| format!("field f{it} {} text optional\n", 100 + it)).collect();
    folder.write("many.listing", &format!("message Many X\n{fields}end\n"));
    let topic = folder.topic("many/>", "many.listing", "type = \"Many\"\nformat = \"json\"");
    let router = Server::start(config(&topic)).expect("a router");
    let mut steady = connect(&router, "steady");
    steady.subscribe("many/>", &Subscribe::every().fields("f3")).expect("it is taken");
    let all: Vec<String> = (0..MANY).map(|it| format!("\"f{it}\":\"v{it}\"")).collect();
    let message = format!("{{\"Many\":{{{}}}}}", all.join(","));
    let mut source = connect(&router, "source");
    let mut client = connect(&router, "restless");
    for round in 1..4_200_usize {
        let chosen: Vec<usize> = (0..MANY).filter(|it| round >> it & 1 == 1).collect();
        let names: Vec<String> = chosen.iter().map(|it| format!("f{it}")).collect();
        let how = Subscribe::every().fields(&names.join(","));
        let subscription = client.subscribe("many/>", &how).expect("it is taken");
        if round.is_multiple_of(97) {
            publish(&mut source, "many/a", [message.clone().into_bytes()]);
            let values: Vec<String> = chosen.iter().map(|it| all[*it].clone()).collect();
            let expected = format!("{{\"Many\":{{{}}}}}", values.join(","));
            assert_eq!(receive(&mut client, 1), [Ok((format::JSON, expected.into_bytes()))]);
            let expected = b"{\"Many\":{\"f3\":\"v3\"}}".to_vec();
            assert_eq!(receive(&mut steady, 1), [Ok((format::JSON, expected))]);
        }
        client.unsubscribe(subscription).expect("it ends");
    }
}
