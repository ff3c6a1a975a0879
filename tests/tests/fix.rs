//! FIX as others write it: the paper's figure, any order of fields, unknown fields, streams.

use std::sync::Arc;

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, SecurityAltId};
use trunkline_codec::fix::{self, Frame};
use trunkline_message::{Error, Kind, Layout, Limits, Message, Need, Record, Structure, Value};
use trunkline_random::Random;
use trunkline_tests::plain_fix::{self, Content, Node};
use trunkline_tests::random::Safe;
use trunkline_tests::samples;
use trunkline_wire::{Code, Date, Text};

fn plan() -> Arc<fix::Plan> {
    fix::Plan::new(MarketDataIncrementalRefresh::layout(), &fix::Options::default()).unwrap()
}

fn encode<M: Message>(message: &M) -> Vec<u8> {
    fix::Encoder::new(&plan()).encode(message).unwrap().to_vec()
}

fn decode(bytes: &[u8]) -> MarketDataIncrementalRefresh {
    let mut message = MarketDataIncrementalRefresh::default();
    fix::Decoder::new(&plan()).decode(bytes, &mut message).unwrap();
    message
}

fn rejection<M: Message>(message: &M) -> Error {
    fix::Encoder::new(&plan()).encode(message).map(<[u8]>::to_vec).unwrap_err()
}

#[test]
fn figure_5_byte_for_byte() {
    let figure = include_bytes!("../../golden/figure-5.fix");
    let options = fix::Options { body_length_digits: 8, ..fix::Options::default() };
    let plan = fix::Plan::new(MarketDataIncrementalRefresh::layout(), &options).unwrap();
    let message = samples::figure_3(1);
    let mut encoder = fix::Encoder::new(&plan);
    let written = encoder.encode(&message).unwrap();
    assert_eq!(String::from_utf8_lossy(written), String::from_utf8_lossy(figure));
    assert_eq!(decode(figure), message);
}

#[test]
fn a_random_message_reads_the_plain_way_too() {
    let schema = MarketDataIncrementalRefresh::layout();
    for seed in 0..300 {
        let message = samples::market_data(seed, Safe::FIX);
        let bytes = encode(&message);
        let nodes = plain_fix::read(schema, &bytes).expect("plainly FIX");
        let facts = plain_fix::facts_of(schema, trunkline_message::ScopeId(0), &nodes);
        assert_eq!(facts, plain_fix::facts(schema, &Record::from_message(&message)), "seed {seed}");
        assert_eq!(decode(&bytes), message);
    }
}

/// Any order of a message's fields, and of an entry's behind the first.
fn shuffle(nodes: &mut [Node], first: usize, random: &mut Random) {
    random.shuffle(&mut nodes[first..]);
    for node in nodes {
        if let Content::Entries(entries) = &mut node.content {
            entries.iter_mut().for_each(|entry| shuffle(entry, 1, random));
        }
    }
}

#[test]
fn fields_in_any_order_are_the_same_message() {
    let schema = MarketDataIncrementalRefresh::layout();
    let mut random = Random::new(5);
    let mut moved = 0;
    for seed in 0..300 {
        let message = samples::market_data(seed, Safe::FIX);
        let bytes = encode(&message);
        let mut nodes = plain_fix::read(schema, &bytes).unwrap();
        shuffle(&mut nodes, 0, &mut random);
        let mut body = b"35=X\x01".to_vec();
        plain_fix::write(&nodes, &mut body);
        let shuffled = plain_fix::framed(&body);
        assert_eq!(decode(&shuffled), message, "seed {seed}");
        moved += usize::from(shuffled != bytes);
    }
    assert!(moved > 290, "{moved}");
}

const HEAD: &str = "35=X|49=ABC|56=XYZ|52=20021128-18:09:42|";

#[test]
fn unknown_fields_of_the_message_are_kept_and_passed_on() {
    let received = format!("{HEAD}9001=a=b|627=1|628=HOP|34=7|9000=ü|262=R|268=1|279=0|");
    let message = decode(&plain_fix::message(&received));
    let unknown: Vec<_> = message.unknown.iter().collect();
    assert_eq!(unknown, [(9001, &b"a=b"[..]), (9000, "ü".as_bytes())]);
    // Before the first group, or they would be taken for fields of its last entry.
    let start = "35=X|49=ABC|56=XYZ|34=7|52=20021128-18:09:42|";
    let passed_on = format!("{start}9001=a=b|9000=ü|627=1|628=HOP|262=R|268=1|279=0|");
    let passed_on = plain_fix::message(&passed_on);
    assert_eq!(encode(&message), passed_on);
    assert_eq!(decode(&passed_on), message);
}

#[test]
fn unknown_fields_of_entries_are_kept() {
    let bytes =
        plain_fix::message(&format!("{HEAD}268=2|279=0|9002=x|15=AUD|279=1|9003=y|9002=z|"));
    let mut record = Record::new(MarketDataIncrementalRefresh::layout());
    fix::Decoder::new(&plan()).decode(&bytes, &mut record).unwrap();
    let Some(Value::Group(group)) = record.get("MDInclList") else { panic!("{record:?}") };
    let shown = format!("{:?}", group.entries()[0]);
    assert!(shown.contains("9002: \"x\""), "{shown}");
    let passed_on =
        plain_fix::message(&format!("{HEAD}268=2|279=0|15=AUD|9002=x|279=1|9003=y|9002=z|"));
    assert_eq!(encode(&record), passed_on);
    assert_eq!(encode(&decode(&bytes)), passed_on);
}

#[test]
fn nothing_is_left_of_the_message_decoded_before() {
    let plan = plan();
    let mut decoder = fix::Decoder::new(&plan);
    let mut message = MarketDataIncrementalRefresh::default();
    let mut record = Record::new(plan.layout());
    let full = samples::market_data(4, Safe::FIX);
    for seed in 0..100 {
        let sent = samples::market_data(seed, Safe::FIX);
        decoder.decode(&encode(&full), &mut message).unwrap();
        decoder.decode(&encode(&full), &mut record).unwrap();
        decoder.decode(&encode(&sent), &mut message).unwrap();
        decoder.decode(&encode(&sent), &mut record).unwrap();
        assert_eq!(message, sent);
        assert_eq!(record, Record::from_message(&sent));
    }
}

#[test]
fn data_may_hold_the_delimiter_and_bytes_that_are_no_text() {
    let mut message = samples::figure_3(1);
    let data = b"\x0110=000\x01\xff\x00=\x01".to_vec();
    message.header.secure_data = Some(data.clone());
    message.body.entries[0].set_encoded_text(data.clone()).set_text("Grüße");
    let bytes = encode(&message);
    let mut expected = b"90=12\x0191=".to_vec();
    expected.extend(&data);
    expected.extend(b"\x01");
    assert!(bytes.windows(expected.len()).any(|it| it == expected));
    assert_eq!(decode(&bytes), message);
}

#[test]
fn prices_keep_their_digits() {
    for digits in ["6.350", "-0.0001", "0", "-12", "123456789012345678", "0.000000000000000001"] {
        let body = format!("{HEAD}268=1|279=0|270={digits}|");
        let bytes = plain_fix::message(&body);
        assert_eq!(encode(&decode(&bytes)), bytes, "{digits}");
    }
    for (other, usual) in [(".5", "0.5"), ("5.", "5"), ("007.0", "7.0"), ("-0", "0")] {
        let body = |digits| plain_fix::message(&format!("{HEAD}268=1|279=0|270={digits}|"));
        assert_eq!(encode(&decode(&body(other))), body(usual), "{other}");
    }
}

#[test]
fn a_stream_is_cut_wherever_it_is_split() {
    let bytes = encode(&samples::figure_3(2));
    for split in 0..bytes.len() {
        match fix::frame(&bytes[..split], &Limits::default()) {
            Frame::Incomplete(more) => {
                assert!(more >= 1 && split + more <= bytes.len(), "{split}: {more}");
            }
            other => panic!("{split}: {other:?}"),
        }
    }
    // As soon as BodyLength is known, the exact rest is asked for.
    assert_eq!(fix::frame(&bytes[..20], &Limits::default()), Frame::Incomplete(bytes.len() - 20));
    let mut stream = bytes.clone();
    stream.extend(&bytes);
    for end in bytes.len()..=stream.len() {
        assert_eq!(fix::frame(&stream[..end], &Limits::default()), Frame::Message(bytes.len()));
    }
}

#[test]
fn what_begins_no_message_is_garbled() {
    let garbled: [&[u8]; 9] = [
        b"x",
        b"9=5\x01",
        b"\x018=FIX.4.3",
        b"8=FIX.4.3\x0135=X",
        b"8=FIX.4.3\x019=x\x01",
        b"8=FIX.4.3\x019=-1\x01",
        b"8=FIX.4.3\x019=\x01",
        b"8=FIX.4.3 and so on without an end of the",
        b"8=FIX.4.3\x019=000000000000000000000000",
    ];
    for bytes in garbled {
        assert_eq!(
            fix::frame(bytes, &Limits::default()),
            Frame::Garbled,
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn what_fix_cannot_carry_is_named() {
    let mut message = samples::figure_3(2);
    message.header.sender.comp_id.clear();
    let error = rejection(&message);
    assert_eq!(error.path(), "Header/Sender/CompID");
    assert!(error.to_string().ends_with("cannot be written: FIX has no empty values"), "{error}");

    let long = "a text that is longer than thirty bytes, with a \u{1} in it";
    for stray in ["a\u{1}b", "\u{1}", "49=\u{1}34=7", long] {
        let mut message = samples::figure_3(2);
        message.body.entries[1].instrument.set_issuer(stray);
        let error = rejection(&message);
        assert_eq!(
            error.path(),
            "ApplicationMessage/MarketDataInc/MDInclList[1]/Instrument/Issuer"
        );
        assert!(
            error.to_string().ends_with("the text has the delimiter SOH (0x01) inside"),
            "{error}"
        );
    }

    let mut message = samples::figure_3(2);
    message.body.entries[0].set_delete_reason(Code::new("\u{1}"));
    assert_eq!(
        rejection(&message).path(),
        "ApplicationMessage/MarketDataInc/MDInclList[0]/DeleteReason"
    );
    message.body.entries[0].set_delete_reason(Code::default());
    assert_eq!(
        rejection(&message).path(),
        "ApplicationMessage/MarketDataInc/MDInclList[0]/DeleteReason"
    );
    message.body.entries[0].clear_delete_reason();
    message.body.entries[1].set_encoded_text(Vec::new());
    assert_eq!(
        rejection(&message).path(),
        "ApplicationMessage/MarketDataInc/MDInclList[1]/EncodedText"
    );
}

#[test]
fn an_entry_without_its_first_field_is_rejected() {
    let mut message = samples::figure_3(2);
    let source = Some(Text::from("4"));
    let alternative = SecurityAltId { security_alt_id_source: source, ..Default::default() };
    message.body.entries[1].instrument.security_alt_ids.push(alternative);
    let error = rejection(&message);
    assert_eq!(
        error.path(),
        "ApplicationMessage/MarketDataInc/MDInclList[1]/Instrument/SecurityAltIDList[0]/SecurityAltID"
    );
    assert!(error.to_string().contains("must be set, since it parts entries"), "{error}");
}

#[test]
fn the_first_problem_is_told() {
    let mut message = samples::figure_3(3);
    message.body.entries[1].set_text("");
    message.body.entries[2].instrument.set_issuer("");
    message.body.md_req_id = Some("".into());
    assert_eq!(rejection(&message).path(), "ApplicationMessage/MarketDataInc/MDReqID");
    message.body.md_req_id = None;
    assert_eq!(rejection(&message).path(), "ApplicationMessage/MarketDataInc/MDInclList[1]/Text");
}

#[test]
fn a_plan_is_rejected_with_the_reason() {
    let reason = |listing: &str, begin: &str| {
        let schema = Arc::new(Layout::from_listing(listing).unwrap());
        let options = fix::Options { begin_string: begin.into(), ..fix::Options::default() };
        fix::Plan::new(&schema, &options).unwrap_err().to_string()
    };
    let good = "message M X\nfield A 100 text required\nend";
    assert!(
        reason("message M\nfield A 100 text required\nend", "FIX.4.3").contains("the MsgType of M")
    );
    assert!(
        reason("message M X\nfield A 0 text required\nend", "FIX.4.3")
            .contains("M.A has no FIX tag")
    );
    assert!(
        reason("message M X\nfield A 35 text required\nend", "FIX.4.3").contains("A cannot have")
    );
    let data = reason("message M X\nfield A 100 bytes required\nend", "FIX.4.3");
    assert!(data.contains("the data field M.A needs a length field"), "{data}");
    for begin in ["", "FIX\u{1}4", "a BeginString too long for any FIX"] {
        assert!(reason(good, begin).contains("as BeginString"));
    }
}

#[test]
fn a_message_of_another_schema_is_rejected() {
    let other =
        Arc::new(Layout::from_listing("message M X\nfield A 100 text required\nend").unwrap());
    let mut record = Record::new(&other);
    assert!(
        rejection(&record).to_string().ends_with("the message is of another schema than the plan")
    );
    let bytes = encode(&samples::figure_3(1));
    assert!(fix::Decoder::new(&plan()).decode(&bytes, &mut record).is_err());
}

fn lists(what: &str) -> std::sync::Arc<Layout> {
    let listing = format!("message M D\nfield ClOrdID 11 text required\n{what}\nend\n");
    std::sync::Arc::new(Layout::from_listing(&listing).unwrap())
}

#[test]
fn data_that_the_schema_does_not_know_is_no_field() {
    let schema = lists("field Price 44 decimal optional");
    let plan = fix::Plan::new(&schema, &fix::Options::default()).unwrap();
    let mut record = Record::new(&schema);
    let bytes = plain_fix::framed(b"35=D\x0111=A\x0195=6\x0196=x\x0144=9\x01");
    fix::Decoder::new(&plan).decode(&bytes, &mut record).unwrap();
    assert_eq!(record.get("Price"), None);
    assert_eq!(fix::Encoder::new(&plan).encode(&record).unwrap(), bytes);
    let wrong = plain_fix::framed(b"35=D\x0111=A\x0195=7\x0196=x\x0144=9\x01");
    let error = fix::Decoder::new(&plan).decode(&wrong, &mut record).unwrap_err();
    assert!(error.to_string().contains("the length says 7"), "{error}");
}

#[test]
fn lists_hold_plain_doubles_only() {
    let schema = lists("field Prices 7000 f64[] required");
    let plan = fix::Plan::new(&schema, &fix::Options::default()).unwrap();
    let mut record = Record::new(&schema);
    record.set("ClOrdID", Value::Text("A".into())).unwrap();
    record.set("Prices", Value::Floats(vec![1.5, f64::NAN])).unwrap();
    assert_eq!(fix::Encoder::new(&plan).encode(&record).unwrap_err().path(), "Prices");
    let bytes = plain_fix::framed(b"35=D\x0111=A\x017000=1.5 1e3\x01");
    let error = fix::Decoder::new(&plan).decode(&bytes, &mut record).unwrap_err();
    assert_eq!(error.path(), "Prices");
}

#[test]
fn plans_that_could_not_work_are_rejected() {
    for (message_type, number, length, why) in [
        ("D\u{1}49=EVIL", "58", "", "as MsgType"),
        ("D", "58", "10", "M.F cannot have the FIX tag 10"),
        ("D", "2147483648", "", "the FIX tag 2147483648"),
        ("D", "many", "", "M.F cannot have the FIX tag many"),
    ] {
        let mut builder = Layout::builder("M");
        builder.note_type("fix", "message_type", message_type);
        builder.field("F", Kind::Text, Need::Required).note("fix", "tag", number);
        if !length.is_empty() {
            builder.note("fix", "length", length);
        }
        let schema = std::sync::Arc::new(builder.build().unwrap());
        let error = fix::Plan::new(&schema, &fix::Options::default()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn picoseconds_are_read_where_they_are_zeros() {
    let body = |time: &str| {
        let head = "35=X|49=ABC|56=XYZ|34=1|52=20021128-18:09:42|";
        plain_fix::message(&format!("{head}122={time}|268=0|"))
    };
    let message = decode(&body("20021128-18:09:42.123456789000"));
    let expected = samples::timestamp(b"20021128-18:09:42.123456789");
    assert_eq!(message.header.orig_sending_time, Some(expected));
}

#[test]
fn a_time_that_may_not_be_utc_is_rejected() {
    let mut message = samples::figure_3(1);
    message.header.sending_time = message.header.sending_time.without_zone();
    let error = rejection(&message);
    assert_eq!(error.path(), "Header/SendingTime");
    assert!(error.to_string().ends_with("FIX times are UTC, and this one has no time zone"));
    let mut message = samples::figure_3(1);
    let day = Date::new(2002, 11, 25).unwrap().with_zone(Some(600)).unwrap();
    message.body.entries[0].set_md_entry_date(day);
    let error = rejection(&message);
    assert!(error.path().ends_with("MDInclList[0]/MDEntryDate"), "{error}");
    assert!(error.to_string().ends_with("FIX dates have no time zone, and this one has"));
}

/// As large as QuickFIX's, which are an `int`.
#[test]
fn tags_have_up_to_ten_digits() {
    for tag in ["99999999", "100000000", "999999999", "2147483647"] {
        let bytes = plain_fix::message(&format!("{HEAD}{tag}=x|268=0|"));
        let message = decode(&bytes);
        let unknown: Vec<_> = message.unknown.iter().collect();
        assert_eq!(unknown, [(tag.parse().unwrap(), &b"x"[..])]);
        assert_eq!(encode(&message), bytes);
    }
    let listing = "message M U1\nfield Own 2147483647 text required\nend";
    let schema = Arc::new(Layout::from_listing(listing).unwrap());
    let plan = fix::Plan::new(&schema, &fix::Options::default()).unwrap();
    let mut record = Record::new(&schema);
    record.set("Own", "x").unwrap();
    let bytes = fix::Encoder::new(&plan).encode(&record).unwrap().to_vec();
    assert_eq!(bytes, plain_fix::message("35=U1|2147483647=x|"));
    let mut read = Record::new(&schema);
    fix::Decoder::new(&plan).decode(&bytes, &mut read).unwrap();
    assert_eq!(read, record);
}
