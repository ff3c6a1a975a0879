//! What is published in one format reaches each subscriber in the one that it asked for, from outside: real sockets,
//! files of configuration and schema, and what others see of it.

mod described;
mod raw;

use std::collections::BTreeMap;

use described::{
    DICTIONARY, Folder, Got, config, connect, fix, other_dictionary, receive, rejection, snapshot,
};
use trunkline_client::{Subscribe, format};
use trunkline_import::{Description, Limits as ImportLimits, Options as ImportOptions};
use trunkline_native::code;
use trunkline_server::{Config, Server};
use trunkline_transcode::{Format, Messages};

/// What a plain conversion makes of a message.
fn converted(dictionary: &str, message: &[u8], to: Format) -> Result<Vec<u8>, String> {
    let mut resolver = |_: &str| Ok(Some(dictionary.as_bytes().to_vec()));
    let (options, limits) = (ImportOptions::default(), ImportLimits::default());
    let description =
        Description::read("quotes.xml", &options, &mut resolver, &limits).expect("one");
    let mut messages = Messages::new(description, Default::default(), Default::default());
    let mut out = Vec::new();
    messages.convert((Format::Fix, message), None, to, &mut out).map_err(|it| it.to_string())?;
    Ok(out)
}

#[test]
fn a_source_of_fix_reaches_each_in_the_format_that_it_asked_for() {
    let folder = Folder::new("each");
    let router = Server::start(config(&folder.topic("fx/>", "quotes.xml", "format = \"fix\"")));
    let router = router.expect("a router");
    const EACH: usize = 25;
    const MESSAGES: usize = 200;
    let formats = [
        (format::JSON, Format::Json),
        (format::SOAP_11, Format::Soap11),
        (format::FAST_INFOSET, Format::FastInfoset),
    ];
    let mut clients = Vec::new();
    for (number, format) in formats {
        for _ in 0..EACH {
            let mut client = connect(&router, "reader");
            client.subscribe("fx/*", &Subscribe::every().in_format(number)).expect("it is taken");
            clients.push((client, number, Some(format)));
        }
    }
    let mut plain = connect(&router, "plain");
    plain.subscribe("fx/*", &Subscribe::every()).expect("it is taken");
    clients.push((plain, format::FIX, None));
    let mut same = connect(&router, "same");
    same.subscribe("fx/*", &Subscribe::every().in_format(format::FIX)).expect("it is taken");
    clients.push((same, format::FIX, None));
    let mut source = connect(&router, "source");
    let topic = source.topic("fx/EURUSD").expect("a topic");
    let all: Vec<Vec<u8>> =
        (0..MESSAGES).map(|it| fix(&format!("117=q{it}\u{1}132=1.0{it}"))).collect();
    for message in &all {
        // It says no more than that these are bytes; the configuration says the rest.
        source.publish_as(topic, format::OPAQUE, message).expect("it is taken");
    }
    let mut expected: BTreeMap<u16, Got> = BTreeMap::new();
    for (number, format) in formats {
        let made = all.iter().map(|it| converted(DICTIONARY, it, format).map(|it| (number, it)));
        expected.insert(number, made.collect());
    }
    expected.insert(format::FIX, all.iter().map(|it| Ok((format::FIX, it.clone()))).collect());
    for (client, number, _) in &mut clients {
        assert!(receive(client, MESSAGES) == expected[number], "format {number}");
    }
    let totals = snapshot(&router).totals;
    let counts: BTreeMap<&str, (u64, u64, u64, u64)> = totals
        .conversions
        .iter()
        .map(|it| (&*it.format, (it.made, it.shared, it.failed, it.pending_now)))
        .collect();
    let each = (MESSAGES as u64, (MESSAGES * (EACH - 1)) as u64, 0, 0);
    let all = [("fast-infoset", each), ("json", each), ("soap-1.1", each)];
    assert_eq!(counts, BTreeMap::from(all), "once for each message and format");
    let ledger = totals.ledger;
    assert_eq!(ledger.published, (MESSAGES * (3 * EACH + 2)) as u64);
    assert_eq!(ledger.delivered, ledger.published);
}

#[test]
fn what_cannot_be_rendered_is_a_gap_that_says_which_field_and_why() {
    let folder = Folder::new("gap");
    let router = Server::start(config(&folder.topic("fx/>", "quotes.xml", "format = \"fix\"")));
    let router = router.expect("a router");
    let mut reader = connect(&router, "reader");
    reader.subscribe("fx/a", &Subscribe::every().in_format(format::JSON)).expect("it is taken");
    let mut source = connect(&router, "source");
    let topic = source.topic("fx/a").expect("a topic");
    let all = [fix("117=q1"), fix("117=q2\u{1}132=dear"), b"no FIX".to_vec(), fix("117=q4")];
    for message in &all {
        source.publish_as(topic, format::OPAQUE, message).expect("it is taken");
    }
    source.publish_as(topic, format::PROTOBUF, b"\x08\x01").expect("it is taken");
    source.flush().expect("it is sent");
    let got = receive(&mut reader, all.len() + 1);
    let json = |it: &[u8]| converted(DICTIONARY, it, Format::Json).map(|it| (format::JSON, it));
    assert_eq!(got[..4], all.iter().map(|it| json(it)).collect::<Vec<_>>());
    let reason = got[1].as_ref().expect_err("it has no form");
    assert!(reason.contains("BidPx at byte") && reason.contains("decimal"), "{reason}");
    let reason = got[4].as_ref().expect_err("it has no form");
    assert!(reason.contains("protobuf"), "{reason}");
    let totals = snapshot(&router).totals;
    let ledger = totals.ledger;
    assert_eq!((ledger.delivered, ledger.unrendered, ledger.discarded), (2, 3, 0));
    assert_eq!(ledger.published, ledger.delivered + ledger.unrendered);
    assert_eq!(totals.conversions[0].failed, 3);
}

#[test]
fn what_is_not_to_be_had_is_refused() {
    let folder = Folder::new("refused");
    let router = Server::start(config(&folder.topic("fx/>", "quotes.xml", "format = \"fix\"")));
    let router = router.expect("a router");
    let mut client = connect(&router, "reader");
    let how = Subscribe::every().in_format(format::PROTOBUF);
    let (number, text) = rejection(client.subscribe("fx/>", &how).expect_err("no such format"));
    assert!(
        number == code::NO_FORMAT && text.contains("protobuf") && text.contains("json"),
        "{text}"
    );
    let how = Subscribe::every().in_format(format::JSON);
    let (number, text) = rejection(client.subscribe("orders/>", &how).expect_err("no schema"));
    assert!(number == code::NO_FORMAT && text.contains("orders/>"), "{text}");
    // Some of its topics have one: of the others each message is a gap.
    client.subscribe(">", &how).expect("it is taken");
    let mut source = connect(&router, "source");
    for name in ["orders/1", "fx/1"] {
        let topic = source.topic(name).expect("a topic");
        source.publish_as(topic, format::FIX, &fix("117=q1")).expect("it is taken");
    }
    source.flush().expect("it is sent");
    let got = receive(&mut client, 2);
    assert!(got[0].as_ref().is_err_and(|it| it.contains("[[topic]]")), "{got:?}");
    assert!(got[1].is_ok(), "{got:?}");
}

#[test]
fn another_schema_takes_effect_for_who_is_connected() {
    let folder = Folder::new("reload");
    folder.write("other.xml", &other_dictionary());
    let old = config(&folder.topic("fx/>", "quotes.xml", "format = \"fix\""));
    let router = Server::start(old).expect("a router");
    let mut reader = connect(&router, "reader");
    reader.subscribe("fx/a", &Subscribe::every().in_format(format::JSON)).expect("it is taken");
    let mut source = connect(&router, "source");
    let topic = source.topic("fx/a").expect("a topic");
    let message = fix("117=q1");
    for (schema, dictionary) in [("quotes.xml", DICTIONARY), ("other.xml", &other_dictionary())] {
        let new = config(&folder.topic("fx/>", schema, "format = \"fix\""));
        router.handle().reconfigure(new).expect("it is taken");
        source.publish_as(topic, format::FIX, &message).expect("it is taken");
        source.flush().expect("it is sent");
        let expected = converted(dictionary, &message, Format::Json).map(|it| (format::JSON, it));
        assert_eq!(receive(&mut reader, 1), [expected]);
    }
    // Versions stand side by side.
    let both = folder.topic("fx/b", "other.xml", "") + &folder.topic("fx/>", "quotes.xml", "");
    router.handle().reconfigure(config(&both)).expect("it is taken");
    reader.subscribe("fx/b", &Subscribe::every().in_format(format::JSON)).expect("it is taken");
    for (name, dictionary) in [("fx/a", DICTIONARY), ("fx/b", &other_dictionary())] {
        let topic = source.topic(name).expect("a topic");
        source.publish_as(topic, format::FIX, &message).expect("it is taken");
        source.flush().expect("it is sent");
        let expected = converted(dictionary, &message, Format::Json).map(|it| (format::JSON, it));
        assert_eq!(receive(&mut reader, 1), [expected]);
    }
}

#[test]
fn mistakes_say_where_and_why() {
    let folder = Folder::new("mistakes");
    folder.write("broken.xml", "<fix type=\"FIX\" major=\"4\"");
    for (text, words) in [
        (folder.topic("fx/>", "none.xml", ""), &["none.xml", "no such file"][..]),
        (folder.topic("fx/>", "broken.xml", ""), &["broken.xml:1:", "fx/>"]),
        (
            folder.topic("fx/>", "quotes.xml", "format = \"protobuf\""),
            &["protobuf", "json", "line"],
        ),
        (folder.topic("fx/>", "quotes.xml", "type = \"Order\""), &["Order", "it has Quote"]),
        (folder.topic("fx/>/a", "quotes.xml", ""), &["fx/>/a", "no pattern"]),
        (folder.topic("fx/>", "quotes.xml", "versoin = 1"), &["versoin"]),
    ] {
        let error = Config::from_text("test.toml", &text, std::iter::empty()).expect_err(&text);
        let error = error.to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    let shown = config(&folder.topic("fx/>", "quotes.xml", "format = \"fix\"\ntype = \"Quote\""));
    let again =
        Config::from_text("shown", &shown.to_toml(), std::iter::empty()).expect("it is right");
    assert_eq!(again.topics, shown.topics);
}
