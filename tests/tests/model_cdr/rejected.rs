//! What is no message, and what cannot be written as one.

use trunkline_codec::cdr::{self, ByteOrder};
use trunkline_message::{Limits, Message, Record, Structure, Value};
use trunkline_wire::{Decimal, Text};

use crate::shapes::{Address, Folder, Order, Price, Settlement, Side, Terms, order};
use crate::{BITMAP, UNION, plan, plans};

/// The error of big-endian octets, of which struct and record have the same.
#[track_caller]
fn error<M: Message + Structure>(octets: &[u8], limits: Limits) -> String {
    let plan = plan(M::layout(), ByteOrder::Big, UNION);
    let mut decoder = cdr::Decoder::with_limits(&plan, limits);
    let error = decoder.decode(octets, &mut M::empty()).unwrap_err();
    let mut record = Record::new(plan.layout());
    assert_eq!(decoder.decode(octets, &mut record).unwrap_err(), error);
    error.to_string()
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Choices {
    octet: u8,
    price: Price,
    settlement: Option<Settlement>,
    prices: Vec<Price>,
}

#[test]
fn labels_and_flags_of_no_arm() {
    let error = |octets: &[u8]| error::<Choices>(octets, Limits::default());
    let limit_or_market = "expected the label of an arm: 0, 1";
    assert_eq!(error(b"\x07\0\0\0\0\0\0\x02"), format!("price at byte 4: {limit_or_market}"));
    let ends = "the message ends where the discriminator of a union should be";
    assert_eq!(error(b"\x07\0\0\0\0\0"), format!("price at byte 6: {ends}"));
    let market = b"\x07\0\0\0\0\0\0\x01";
    let flag = [market, &b"\x02"[..]].concat();
    assert_eq!(error(&flag), "settlement at byte 8: expected a boolean, 0 or 1");
    let label = [market, &b"\x01\0\0\0\0\0\0\x07"[..]].concat();
    let labels = "expected the label of an arm: 0, 1, 2, 3, 4, 5, 6";
    assert_eq!(error(&label), format!("settlement at byte 12: {labels}"));
    let ends =
        "settlement at byte 9: the message ends where the discriminator of a union should be";
    assert_eq!(error(&[market, &b"\x01"[..]].concat()), ends);
    let nested = [market, &b"\x01\0\0\0\0\0\0\x04\0\0\0\x05"[..]].concat();
    assert_eq!(error(&nested), format!("settlement/Nested at byte 16: {limit_or_market}"));
    let entry = [market, &b"\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\x03"[..]].concat();
    assert_eq!(error(&entry), format!("prices[1] at byte 20: {limit_or_market}"));
    let account = [market, &b"\x01\0\0\0\0\0\0\x01\0\0"[..]].concat();
    let ends = "settlement/Account at byte 18: the message ends where a whole number should be";
    assert_eq!(error(&account), ends);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Values {
    side: Side,
    whole: trunkline_wire::BigInteger,
    exact: trunkline_wire::BigDecimal,
    hold: trunkline_wire::Duration,
}

#[test]
fn values_that_are_none() {
    let error = |octets: &[u8]| error::<Values>(octets, Limits::default());
    assert_eq!(error(b"\0\0\0\x03"), "side at byte 0: expected a value of Side, 0 to 2");
    assert_eq!(error(b"\xff\xff\xff\xff"), "side at byte 0: expected a value of Side, 0 to 2");
    let ends = "side at byte 2: the message ends where a value of an enumeration should be";
    assert_eq!(error(b"\0\0"), ends);
    let whole = error(b"\0\0\0\0\0\0\0\x041.5\0");
    assert!(whole.starts_with("whole at byte 8: expected a whole number, but it"), "{whole}");
    let digits = b"\0\0\0\0\0\0\0\x0215\0";
    let nul = error(digits);
    assert_eq!(nul, "whole at byte 8: expected one NUL, at the end of the string");
    let exact = error(b"\0\0\0\0\0\0\0\x021\0\0\0\0\0\0\x031e\0");
    assert!(exact.starts_with("exact at byte 16: expected a decimal, but it"), "{exact}");
    let hold = error(b"\0\0\0\0\0\0\0\x021\0\0\0\0\0\0\x021\0\0\0\0\0\0\x03P1\0");
    assert!(hold.starts_with("hold at byte 24: expected a duration as P1DT2H3M4S"), "{hold}");
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Lists {
    triple: [u16; 3],
    corners: [Address; 2],
    pairs: Vec<[Side; 2]>,
    texts: Vec<Text>,
}

/// A count takes neither time nor memory before what it counts is there.
#[test]
fn counts_and_arrays_beyond_what_is_there() {
    let error = |octets: &[u8]| error::<Lists>(octets, Limits::default());
    let elements = "the message ends where the elements of a sequence should be";
    assert_eq!(error(b"\0\x01\0\x02\0"), format!("triple at byte 0: {elements}"));
    let arrays = b"\0\x01\0\x02\0\x03\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0";
    let ends =
        "corners[1]/street at byte 16: the message ends where the length of a string should be";
    assert_eq!(error(&arrays[..16]), ends);
    let with = |rest: &[u8]| [&arrays[..22], b"\0\0", rest].concat();
    let limit = "more than the limit entries = 65536 allows";
    assert_eq!(error(&with(b"\xff\xff\xff\xff")), format!("pairs at byte 24: {limit}"));
    // An entry may be of no octets as far as the count tells, so entries are counted one by one.
    let found = error(&with(b"\0\0\xff\xff"));
    assert_eq!(found, format!("pairs[0] at byte 28: {elements}"));
    assert_eq!(error(&with(b"\0\0\0\0\0\0\xff\xff")), format!("texts at byte 28: {elements}"));
    let pair = with(b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0");
    let five = Limits { entries: 5, ..Limits::default() };
    // Two corners, one pair of two items, and one text more than allowed.
    let limit = "texts at byte 40: more than the limit entries = 5 allows";
    assert_eq!(crate::rejected::error::<Lists>(&pair, five), limit);
}

/// Of 100,000 levels, each in the one before: rejected at the limit, not by the stack.
#[test]
fn a_bomb_of_folders_is_rejected() {
    // Of an empty name, with one folder, or none but a parent or a link.
    let levels: [&[u8]; 3] = [
        b"\0\0\0\x01\0\0\0\0\0\0\0\x01",
        b"\0\0\0\x01\0\0\0\0\0\0\0\0\x01\0\0\0",
        b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\x01",
    ];
    let paths = ["folders[0]/", "parent/", "link/To/"];
    // What a choice holds is one level, the choice none.
    for (level, path) in levels.iter().zip(paths) {
        let error = error::<Folder>(&level.repeat(100_000), Limits::default());
        assert!(error.starts_with(&path.repeat(4)) && error.contains(" levels "), "{error}");
        assert!(error.ends_with("more than the limit depth = 128 allows"), "{error}");
    }
    let limits = Limits { depth: 3, ..Limits::default() };
    let error = error::<Folder>(&levels[1].repeat(9), limits);
    let limit = "more than the limit depth = 3 allows";
    assert_eq!(error, format!("parent/parent/parent/parent at byte 61: {limit}"));
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Implied {
    #[field(implied)]
    inside: Inside,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Inside {
    number: Option<u8>,
    #[field(implied)]
    terms: Terms,
}

#[test]
fn nothing_inside_is_nothing_there() {
    for plan in plans::<Implied>() {
        let mut message = Implied::default();
        let mut encoder = cdr::Encoder::new(&plan);
        let bytes = encoder.encode(&message).unwrap().to_vec();
        assert!(bytes.iter().all(|it| *it == 0));
        cdr::Decoder::new(&plan).decode(&bytes, &mut message).unwrap();
        assert_eq!(message, Implied::default());
    }
}

/// Each change of a record is rejected with this path and reason.
#[test]
fn what_a_record_may_not_say() {
    type Change = fn(&mut Record);
    let changes: [(Change, &str, &str); 9] = [
        (|it| _ = it.remove("Market"), "price", "no arm of the choice is set"),
        (|it| it.set("Limit", Decimal::from(1)).unwrap(), "price", "more than one arm"),
        (|it| _ = it.struct_mut("settlement/Cash").unwrap(), "settlement", "more than one arm"),
        (
            |it| _ = it.struct_mut("settlement/Nested").unwrap().remove("Limit"),
            "settlement/Nested",
            "no arm",
        ),
        (|it| _ = it.remove("side"), "side", "a required field is not set"),
        (
            |it| _ = it.struct_mut("address").unwrap().remove("street"),
            "address/street",
            "a required field is not set",
        ),
        (
            |it| _ = it.group_mut("corners").unwrap().next_entry().set("street", ""),
            "corners",
            "the count says 2 entries, but 3 are there",
        ),
        (
            |it| _ = it.group_mut("corners").unwrap().next_entry().set("city", ""),
            "corners",
            "the count says 2 entries, but 3 are there",
        ),
        (
            |it| _ = it.group_mut("prices").unwrap().next_entry(),
            "prices[2]",
            "no arm of the choice is set",
        ),
    ];
    for optional in [UNION, BITMAP] {
        let plan = plan(Order::layout(), ByteOrder::Big, optional);
        let mut encoder = cdr::Encoder::new(&plan);
        for (change, path, why) in changes {
            let mut record = Record::from_message(&order());
            encoder.encode(&record).unwrap();
            change(&mut record);
            let error = encoder.encode(&record).unwrap_err();
            assert_eq!(error.path(), path);
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Row {
    cells: [i16; 2],
    scores: Option<[f64; 1]>,
}

#[test]
fn a_record_with_more_or_fewer_numbers_than_an_array_has_is_rejected() {
    for plan in plans::<Row>() {
        let mut encoder = cdr::Encoder::new(&plan);
        let mut record = Record::from_message(&Row::default());
        for (cells, found) in [(vec![1], 1), (vec![], 0), (vec![1, 2, 3], 3)] {
            record.set("cells", Value::Integers(cells)).unwrap();
            let error = encoder.encode(&record).unwrap_err().to_string();
            let are = if found == 1 { "is" } else { "are" };
            let counts = format!("the count says 2 entries, but {found} {are} there");
            assert!(error.starts_with("cells") && error.ends_with(&counts), "{error}");
        }
        record.set("cells", Value::Integers(vec![1, 2])).unwrap();
        encoder.encode(&record).unwrap();
        record.set("scores", Value::Floats(vec![])).unwrap();
        assert_eq!(encoder.encode(&record).unwrap_err().path(), "scores");
    }
}

/// A message cut anywhere, or with an octet changed, is rejected or another message; to struct and
/// record alike.
#[test]
fn damaged_messages() {
    let (mut rejected, mut accepted) = (0, 0);
    for plan in plans::<Order>() {
        let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
        let mut bytes = encoder.encode(&order()).unwrap().to_vec();
        let (mut message, mut record) = (order(), Record::new(plan.layout()));
        let mut agree = |bytes: &[u8]| {
            let decoded = decoder.decode(bytes, &mut message);
            assert_eq!(decoded, decoder.decode(bytes, &mut record));
            if let Err(error) = decoded {
                assert!(error.offset() <= bytes.len(), "{error}");
                return false;
            }
            assert_eq!(Record::from_message(&message), record);
            let again = encoder.encode(&message).expect("it was read").to_vec();
            assert_eq!(encoder.encode(&record).expect("it was read"), again);
            true
        };
        for end in 0..bytes.len() {
            assert!(!agree(&bytes[..end]), "{end}");
        }
        for at in 0..bytes.len() {
            for change in [1, 2, 0x80, 0xff] {
                bytes[at] ^= change;
                *if agree(&bytes) { &mut accepted } else { &mut rejected } += 1;
                bytes[at] ^= change;
            }
        }
    }
    assert!(rejected > 1000 && accepted > 1000, "{rejected} {accepted}");
}
