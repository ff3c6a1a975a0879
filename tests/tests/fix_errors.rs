//! Malformed FIX: every error names the field, the byte and the reason.

use std::sync::{Arc, OnceLock};

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fix;
use trunkline_message::{Error, Limits, Record, Structure};
use trunkline_tests::plain_fix;
use trunkline_tests::random::Safe;
use trunkline_tests::samples;

fn plan() -> &'static Arc<fix::Plan> {
    static PLAN: OnceLock<Arc<fix::Plan>> = OnceLock::new();
    PLAN.get_or_init(|| {
        let schema = MarketDataIncrementalRefresh::layout();
        fix::Plan::new(schema, &fix::Options::default()).unwrap()
    })
}

/// The error of the struct, which must be the record's too.
fn error_within(bytes: &[u8], limits: &Limits) -> Option<Error> {
    let schema = MarketDataIncrementalRefresh::layout();
    let mut decoder = fix::Decoder::with_limits(plan(), limits.clone());
    let of_struct = decoder.decode(bytes, &mut MarketDataIncrementalRefresh::default()).err();
    let of_record = decoder.decode(bytes, &mut Record::new(schema)).err();
    assert_eq!(of_struct, of_record);
    of_struct
}

fn error(bytes: &[u8]) -> Error {
    error_within(bytes, &Limits::default())
        .unwrap_or_else(|| panic!("accepted: {}", String::from_utf8_lossy(bytes)))
}

fn encoded(seed: u64) -> Vec<u8> {
    fix::Encoder::new(plan()).encode(&samples::market_data(seed, Safe::FIX)).unwrap().to_vec()
}

/// With the required fields of the header.
const HEAD: &str = "35=X|49=ABC|56=XYZ|52=20021128-18:09:42|";

/// Asserts the error of a body behind the header: its path, the text at its byte, the reason.
#[track_caller]
fn body(fields: &str, path: &str, at: &str, reason: &str) {
    let bytes = plain_fix::message(&format!("{HEAD}{fields}"));
    let error = error(&bytes);
    assert_eq!(error.path(), path, "{error}");
    let rest = String::from_utf8_lossy(&bytes[error.offset()..]).replace('\u{1}', "|");
    assert!(rest.starts_with(at), "{error}: at {rest:?}");
    assert_eq!(error.kind().to_string(), reason, "{error}");
}

/// Asserts the whole text of the error of a message, `|` for SOH.
#[track_caller]
fn whole(message: &str, text: &str) {
    assert_eq!(error(message.replace('|', "\u{1}").as_bytes()).to_string(), text);
}

#[test]
fn the_frame() {
    whole("", "at byte 0: the message ends where BeginString (8=) as the first field should be");
    whole("8=FIX.4.3", "at byte 9: the message ends where the end of BeginString (8) should be");
    whole("9=5|8=FIX.4.3|", "at byte 0: expected BeginString (8=) as the first field");
    whole("8=FIX.4.2|9=5|35=X|10=201|", "BeginString at byte 2: expected BeginString FIX.4.3");
    whole("8=FIX.4.3|35=X|10=000|", "at byte 10: expected BodyLength (9=) as the second field");
    whole(
        "8=FIX.4.3|9=5a|35=X|10=000|",
        "BodyLength at byte 12: expected a whole number, but it has an unexpected character at 1",
    );
    whole(
        "8=FIX.4.3|9=|35=X|10=000|",
        "BodyLength at byte 12: expected a whole number, but it is empty",
    );
    whole(
        "8=FIX.4.3|9=99999999999|35=X|10=000|",
        "BodyLength at byte 12: expected a whole number, but it is out of range",
    );
    for stated in ["4", "6", "0", "1000000", "4294967295"] {
        whole(
            &format!("8=FIX.4.3|9={stated}|35=X|10=202|"),
            &format!("BodyLength at byte 12: the length says {stated}, but 5 bytes are there"),
        );
    }
    whole("8=FIX.4.3|9=5|", "BodyLength at byte 12: the length says 5, but 0 bytes are there");
    whole("8=FIX.4.3|9=5|35=W|10=201|", "MsgType at byte 14: expected MsgType X");
    whole(
        "8=FIX.4.3|9=5|35=XX10=201|",
        "BodyLength at byte 12: the length says 5, but 5 bytes are there",
    );
    whole("8=FIX.4.3|9=7|49=ABC|10=201|", "MsgType at byte 14: expected MsgType X");
    whole(
        "8=FIX.4.3|9=5|35=X|10=201|",
        "CheckSum at byte 19: CheckSum says 201, but the bytes sum to 202",
    );
    for trailer in ["10=20a|", "10=2020", "10=458|", "11=202|", "10=-62|", "|||||||"] {
        whole(
            &format!("8=FIX.4.3|9=5|35=X|{trailer}"),
            "CheckSum at byte 19: expected CheckSum (10=) with three digits at the end",
        );
    }
    let mut trailing = encoded(1);
    trailing.push(1);
    assert_eq!(error(&trailing).path(), "BodyLength");
}

#[test]
fn tags() {
    let tag =
        "expected a tag, a whole number from 1 to 2147483647 without zeros before it, and '='";
    for wrong in [
        "x=1|",
        "=1|",
        "0=1|",
        "049=1|",
        "-1=1|",
        "58|",
        "58",
        "58.0=1|",
        "2147483648=1|",
        "|",
        "4294967354=1|",
        "99999999999=1|",
    ] {
        let wrong = if wrong == "58" { "58|" } else { wrong };
        body(wrong, "", wrong, tag);
    }
    body("268=1|279=0|x|", "ApplicationMessage/MarketDataInc/MDInclList[0]", "x|", tag);
    body(
        "268=1|279=0|454=1|455=a||",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/Instrument/SecurityAltIDList[0]",
        "|10=",
        tag,
    );
    for frame in ["8=FIX.4.3|", "9=5|", "35=X|", "10=000|"] {
        let number = frame.split('=').next().unwrap();
        let reason =
            format!("expected no tag {number} at this place: it frames or belongs to a group");
        body(frame, "", frame, &reason);
        body(
            &format!("268=1|279=0|{frame}"),
            "ApplicationMessage/MarketDataInc/MDInclList[0]",
            frame,
            &reason,
        );
    }
}

#[test]
fn values() {
    let empty = "expected a value, but it is empty";
    body("34=|268=0|", "Header/MsgSeqNum", "|268", empty);
    body("9000=|268=0|", "9000", "|268", empty);
    body(
        "268=1|279=0|9000=|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/9000",
        "|10=",
        empty,
    );
    body(
        "268=1|279=0|270=|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/MDEntryPx",
        "|10=",
        empty,
    );
    let number = "expected a whole number, but it has an unexpected character at 1";
    body("34=1x|268=0|", "Header/MsgSeqNum", "1x|", number);
    let number = "expected a whole number, but it has an unexpected character at 0";
    body("34=-1|268=0|", "Header/MsgSeqNum", "-1|", number);
    body("34=+1|268=0|", "Header/MsgSeqNum", "+1|", number);
    let range = "expected a whole number, but it is out of range";
    body("34=4294967296|268=0|", "Header/MsgSeqNum", "4294967296|", range);
    body(
        "268=1|279=0|287=2147483648|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/SellerDays",
        "2147483648",
        range,
    );
    body(
        "43=y|",
        "Header/PossDupFlag",
        "y|",
        "expected Y or N, but it has an unexpected character at 0",
    );
    let code =
        |problem| format!("expected a code of at most 15 ASCII characters, but it {problem}");
    body(
        "268=1|279=aü|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/MDUpdateAction",
        "aü",
        &code("has an unexpected character at 1"),
    );
    body(
        "268=1|279=0123456789abcdef|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/MDUpdateAction",
        "0123",
        &code("is longer than 15 bytes"),
    );
}

#[test]
fn decimals() {
    let price = |digits: &str, problem: &str| {
        let reason = format!("expected a decimal number, but it {problem}");
        body(
            &format!("268=1|279=0|270={digits}|"),
            "ApplicationMessage/MarketDataInc/MDInclList[0]/MDEntryPx",
            digits,
            &reason,
        );
    };
    price("1.2.3", "has an unexpected character at 3");
    price("1,5", "has an unexpected character at 1");
    price("1e5", "has an unexpected character at 1");
    price("NaN", "has an unexpected character at 0");
    price("-", "has an unexpected character at 1");
    price(".", "has an unexpected character at 1");
    price("+1", "has an unexpected character at 0");
    price("9223372036854775808", "is out of range");
    price("0.0000000000000000001", "is out of range");
    price("1.2345678901234567891", "is out of range");
    price(&format!("1{}", "0".repeat(60)), "is out of range");
}

#[test]
fn dates_and_times() {
    let date = |text: &str, problem: &str| {
        let reason = format!("expected a date as YYYYMMDD, but it {problem}");
        body(
            &format!("268=1|279=0|272={text}|"),
            "ApplicationMessage/MarketDataInc/MDInclList[0]/MDEntryDate",
            text,
            &reason,
        );
    };
    for none in ["20230229", "21000229", "20231301", "20230001", "20230100", "20230431"] {
        date(none, "is out of range");
    }
    date("2023-1-1", "has an unexpected character at 4");
    date("2023010", "has an unexpected character at 7");
    date("202301011", "has an unexpected character at 8");
    let time = |text: &str, problem: &str| {
        let reason = format!("expected a time as HH:MM:SS, but it {problem}");
        body(
            &format!("268=1|279=0|273={text}|"),
            "ApplicationMessage/MarketDataInc/MDInclList[0]/MDEntryTime",
            text,
            &reason,
        );
    };
    for none in ["24:00:00", "23:60:00", "12:00:60", "23:59:61"] {
        time(none, "is out of range");
    }
    time("10:18", "has an unexpected character at 5");
    time("10:18:58.", "has an unexpected character at 9");
    time("10:18:58.1234567891", "has a digit at 18 that would be lost");
    time("10:18:58.123456789001", "has a digit at 20 that would be lost");
    time("10:18:58.12345678900x", "has an unexpected character at 20");
    let stamp = |text: &str, problem: &str| {
        let reason = format!("expected a time stamp as YYYYMMDD-HH:MM:SS, but it {problem}");
        body(&format!("122={text}|"), "Header/OrigSendingTime", text, &reason);
    };
    stamp("20230229-00:00:00", "is out of range");
    stamp("20240229-24:00:00", "is out of range");
    stamp("20240229 12:00:00", "has an unexpected character at 8");
    stamp("20240229", "has an unexpected character at 8");
}

#[test]
fn duplicates_and_missing_fields() {
    let twice = "the field stands twice";
    body("34=1|34=1|268=0|", "Header/MsgSeqNum", "34=1|268", twice);
    body("49=ABC|268=0|", "Header/Sender/CompID", "49=ABC|268", twice);
    body("268=0|268=0|", "ApplicationMessage/MarketDataInc/MDInclList", "268=0|10=", twice);
    body(
        "268=1|279=0|270=1|270=1|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/MDEntryPx",
        "270=1|10",
        twice,
    );
    body("268=1|279=0|9000=1|90=1|91=a|90=1|91=b|", "Header/SecureData", "91=b", twice);
    // What the schema does not know may not stand twice either, in one message or entry.
    let twice = "the field stands twice, or is of a group that the schema does not have";
    body("9000=a|9001=b|9000=c|268=0|", "9000", "9000=c", twice);
    let entry = "ApplicationMessage/MarketDataInc/MDInclList[1]/9000";
    body("9000=a|268=2|279=0|9000=b|279=1|9000=c|9000=d|", entry, "9000=d", twice);
    let missing = "a required field is missing";
    body("", "ApplicationMessage/MarketDataInc/MDInclList", "10=", missing);
    body("262=R|", "ApplicationMessage/MarketDataInc/MDInclList", "10=", missing);
    let bytes = plain_fix::message("35=X|56=XYZ|52=20021128-18:09:42|268=0|");
    assert_eq!(
        error(&bytes).to_string(),
        "Header/Sender/CompID at byte 54: a required field is missing"
    );
}

#[test]
fn groups() {
    let count = |stated: usize, found: usize| {
        let entries = if stated == 1 { "entry" } else { "entries" };
        let are = if found == 1 { "is" } else { "are" };
        format!("the count says {stated} {entries}, but {found} {are} there")
    };
    body("268=3|279=0|279=1|", "ApplicationMessage/MarketDataInc/MDInclList", "3|", &count(3, 2));
    body("268=1|279=0|279=1|", "ApplicationMessage/MarketDataInc/MDInclList", "1|", &count(1, 2));
    body("268=0|279=0|", "ApplicationMessage/MarketDataInc/MDInclList", "0|", &count(0, 1));
    body("268=1|", "ApplicationMessage/MarketDataInc/MDInclList", "1|", &count(1, 0));
    body(
        "268=4294967295|279=0|",
        "ApplicationMessage/MarketDataInc/MDInclList",
        "4294967295|",
        "more than the limit entries = 65536 allows",
    );
    body(
        "268=65536|279=0|",
        "ApplicationMessage/MarketDataInc/MDInclList",
        "65536|",
        &count(65_536, 1),
    );
    let number = "expected a whole number, but it has an unexpected character at 0";
    body("268=x|279=0|", "ApplicationMessage/MarketDataInc/MDInclList", "x|", number);
    body("268=-1|279=0|", "ApplicationMessage/MarketDataInc/MDInclList", "-1|", number);
    // The first field of an entry parts it from the next, so it comes first.
    body(
        "268=1|270=1|279=0|",
        "ApplicationMessage/MarketDataInc/MDInclList",
        "1|270",
        &count(1, 0),
    );
    body(
        "268=1|279=0|454=1|456=4|455=a|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/Instrument/SecurityAltIDList",
        "1|456",
        &count(1, 0),
    );
    body(
        "268=1|279=0|454=2|455=a|270=1|455=b|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/Instrument/SecurityAltIDList",
        "2|455",
        &count(2, 1),
    );
    let place =
        |number| format!("expected no tag {number} at this place: it frames or belongs to a group");
    body("270=1|268=1|279=0|", "", "270=1", &place(270));
    body("268=1|279=0|34=1|270=1|", "", "270=1", &place(270));
    body(
        "268=1|279=0|455=a|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]",
        "455=a",
        &place(455),
    );
    body("354=1|355=a|268=1|279=0|", "", "354=1", &place(354));
}

#[test]
fn data() {
    body(
        "91=abc|268=0|",
        "Header/SecureData",
        "abc|",
        "expected its length field before the data field",
    );
    body("90=3|268=0|", "Header/SecureData", "0|10=", "expected the data after its length");
    body(
        "90=3|9000=a|91=abc|268=0|",
        "Header/SecureData",
        "9000=a",
        "expected the data after its length",
    );
    body(
        "90=3|90=3|91=abc|268=0|",
        "Header/SecureData",
        "3|91",
        "expected the data after its length",
    );
    body("268=0|90=3|", "Header/SecureData", "3|10=", "a required field is missing");
    body(
        "268=1|279=0|354=1|",
        "ApplicationMessage/MarketDataInc/MDInclList[0]/EncodedText",
        "1|10=",
        "a required field is missing",
    );
    body(
        "90=2|91=abc|268=0|",
        "Header/SecureData",
        "2|91",
        "the length says 2, but 3 bytes are there",
    );
    body(
        "90=4|91=abc|268=0|",
        "Header/SecureData",
        "4|91",
        "the length says 4, but 3 bytes are there",
    );
    body(
        "90=4294967295|91=abc|268=0|",
        "Header/SecureData",
        "4294967295",
        "more than the limit value_bytes = 16777216 allows",
    );
    body("90=0|91=|268=0|", "Header/SecureData", "|268", "expected a value, but it is empty");
    body(
        "90=x|91=abc|268=0|",
        "Header/SecureData",
        "x|91",
        "expected a length, but it has an unexpected character at 0",
    );
    body("90=|91=abc|268=0|", "Header/SecureData", "|91", "expected a length, but it is empty");
}

#[test]
fn text_that_is_not_utf_8() {
    let mut fields = HEAD.replace('|', "\u{1}").into_bytes();
    fields.extend(b"268=1\x01279=0\x0158=a\xffb\x01");
    let error = error(&plain_fix::framed(&fields));
    assert_eq!(error.path(), "ApplicationMessage/MarketDataInc/MDInclList[0]/Text");
    let reason = "expected text in UTF-8, not the byte 0xFF; as ISO-8859-1 or windows-1252 it is \
                  read where the option code_set (--charset) says so";
    assert_eq!(error.kind().to_string(), reason);
}

#[test]
fn every_limit_is_kept_and_named() {
    let bytes = plain_fix::message(&format!("{HEAD}262=12345678|268=2|279=0|454=1|455=a|279=1|"));
    let limited = |limits: Limits| error_within(&bytes, &limits).map(|error| error.to_string());
    let free = Limits::default();
    assert_eq!(limited(free.clone()), None);
    let (name, length) = ("more than the limit", bytes.len());
    assert_eq!(limited(Limits { message_bytes: length, ..free.clone() }), None);
    assert_eq!(
        limited(Limits { message_bytes: length - 1, ..free.clone() }).unwrap(),
        format!("at byte {length}: {name} message_bytes = {} allows", length - 1)
    );
    assert_eq!(limited(Limits { entries: 3, ..free.clone() }), None);
    let entries = limited(Limits { entries: 2, ..free.clone() }).unwrap();
    assert!(
        entries.contains("ApplicationMessage/MarketDataInc/MDInclList at byte")
            && entries.contains("entries = 2"),
        "{entries}"
    );
    assert_eq!(limited(Limits { depth: 2, ..free.clone() }), None);
    let depth = limited(Limits { depth: 1, ..free.clone() }).unwrap();
    assert!(
        depth.contains(
            "ApplicationMessage/MarketDataInc/MDInclList[0]/Instrument/SecurityAltIDList at byte"
        ),
        "{depth}"
    );
    assert!(depth.ends_with("more than the limit depth = 1 allows"), "{depth}");
    assert_eq!(limited(Limits { value_bytes: 17, ..free.clone() }), None);
    let value = limited(Limits { value_bytes: 7, ..free.clone() }).unwrap();
    assert!(value.starts_with("Header/SendingTime at byte"), "{value}");
    assert!(value.ends_with("more than the limit value_bytes = 7 allows"), "{value}");
    let fields = limited(Limits { fields: 4, ..free }).unwrap();
    assert!(fields.ends_with("more than the limit fields = 4 allows"), "{fields}");
}

#[test]
fn a_message_cut_anywhere_is_rejected() {
    for seed in 0..12 {
        let bytes = encoded(seed);
        for end in 0..bytes.len() {
            error(&bytes[..end]);
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for seed in 0..12 {
        let bytes = encoded(seed);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                error(&flipped);
            }
        }
    }
}

#[test]
fn a_field_that_nobody_knows_is_as_long_as_a_value_may_be() {
    let bytes = plain_fix::message(&format!("{HEAD}5999={}|268=0|", "x".repeat(100)));
    let within = |value_bytes| {
        error_within(&bytes, &Limits { value_bytes, ..Limits::default() })
            .map(|error| (error.path().to_owned(), error.kind().to_string()))
    };
    assert_eq!(within(100), None);
    let reason = "more than the limit value_bytes = 99 allows";
    assert_eq!(within(99), Some(("5999".into(), reason.into())));
    // So are data, by what their length says.
    let bytes = plain_fix::message(&format!("{HEAD}90=100|91={}|268=0|", "x".repeat(100)));
    assert_eq!(error_within(&bytes, &Limits { value_bytes: 100, ..Limits::default() }), None);
    let error = error_within(&bytes, &Limits { value_bytes: 99, ..Limits::default() });
    assert_eq!(error.map(|it| it.kind().to_string()).as_deref(), Some(reason));
}
