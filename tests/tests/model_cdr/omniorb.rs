//! Unions, arrays and sequences as omniORB 4.2.5 writes them from this IDL, padding set to zero:
//!
//! ```text
//! enum Side { Buy, Sell, SellShort };
//! struct Address { string street; octet floor; };
//! union OptAddress switch(boolean) { case TRUE: Address value; };
//! union OfBoolean switch(boolean) { case FALSE: double no; case TRUE: octet yes; };
//! union OfChar switch(char) { case 'a': octet account; case 'n': string name; };
//! union OfShort switch(short) { case -2: double low; case 5: long high; };
//! union OfLongLong switch(long long) { case -1: octet o; case 7: string s; };
//! union OfEnum switch(Side) { case Buy: Address a; default: double d; };
//! union Bare switch(unsigned short) { case 1: octet o; };
//! typedef long Row[2];
//! typedef sequence<string> Names;
//! struct All {
//!     OptAddress residence; OfBoolean b; OfChar c; OfShort s; OfLongLong l; OfEnum e; Bare rest;
//!     sequence<OfChar> parties; Address corners[2]; sequence<Row> rows; sequence<Side> sides;
//!     float f; sequence<Names> lists;
//! };
//! ```

use trunkline_codec::cdr::{self, ByteOrder};
use trunkline_message::{FieldValue, Message, Record, Structure};
use trunkline_wire::Text;

use crate::shapes::{Side, text};
use crate::{UNION, plan};

const WRITTEN: &str = include_str!("../../../golden/cdr-unions.jsonl");

#[derive(Message, Clone, Debug, PartialEq)]
struct Address {
    street: Text,
    floor: u8,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "boolean")]
enum OfBoolean {
    No(f64),
    Yes(u8),
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "char")]
enum OfChar {
    #[cdr(label = "a")]
    Account(u8),
    #[cdr(label = "n")]
    Name(Text),
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "i16")]
enum OfShort {
    #[cdr(label = "-2")]
    Low(f64),
    #[cdr(label = "5")]
    High(i32),
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "i64")]
enum OfLongLong {
    #[cdr(label = "-1")]
    O(u8),
    #[cdr(label = "7")]
    S(Text),
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "enum")]
enum OfEnum {
    A(Address),
    #[cdr(label = "default")]
    D(Other),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Other {
    side: Side,
    d: f64,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "u16")]
enum Bare {
    #[cdr(label = "1")]
    O(u8),
    #[cdr(label = "default")]
    Nothing(Label),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Label {
    label: u16,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct All {
    residence: Option<Address>,
    b: OfBoolean,
    c: OfChar,
    s: OfShort,
    l: OfLongLong,
    e: OfEnum,
    rest: Bare,
    parties: Vec<OfChar>,
    corners: [Address; 2],
    rows: Vec<[i32; 2]>,
    sides: Vec<Side>,
    f: f32,
    lists: Vec<Vec<Text>>,
}

fn address(street: &str, floor: u8) -> Address {
    Address { street: text(street), floor }
}

fn bare(label: u16) -> Bare {
    Bare::Nothing(Label { label })
}

fn message(name: &str) -> All {
    match name {
        "first" => All {
            residence: None,
            b: OfBoolean::No(-0.5),
            c: OfChar::Account(200),
            s: OfShort::Low(1e300),
            l: OfLongLong::O(7),
            e: OfEnum::A(address("x", 3)),
            rest: Bare::O(9),
            parties: vec![],
            corners: [address("", 0), address("corner", 255)],
            rows: vec![],
            sides: vec![],
            f: 1.5,
            lists: vec![],
        },
        "second" => All {
            residence: Some(address("Pitt Street", 12)),
            b: OfBoolean::Yes(1),
            c: OfChar::Name(text("name")),
            s: OfShort::High(-7),
            l: OfLongLong::S(text("long")),
            e: OfEnum::D(Other { side: Side::SellShort, d: 0.1 }),
            rest: bare(65535),
            parties: vec![OfChar::Name(text("p")), OfChar::Account(1), OfChar::Name(text(""))],
            corners: [address("abc", 1), address("abcd", 2)],
            rows: vec![[1, -2], [i32::MAX, 0]],
            sides: vec![Side::SellShort, Side::Buy, Side::Sell],
            f: -0.1,
            lists: vec![vec![], vec![text("n"), text("nn")], vec![text("")]],
        },
        _ => All {
            residence: Some(address("", 0)),
            b: OfBoolean::Yes(0),
            c: OfChar::Account(0),
            s: OfShort::High(5),
            l: OfLongLong::O(0),
            e: OfEnum::D(Other { side: Side::Sell, d: 2.5 }),
            rest: bare(0),
            parties: vec![OfChar::Account(3)],
            corners: [address("q", 4), address("", 5)],
            rows: vec![],
            sides: vec![Side::Sell],
            f: 0.0,
            lists: vec![vec![]],
        },
    }
}

#[test]
fn omniorb_writes_the_same() {
    let mut count = 0;
    for line in WRITTEN.lines() {
        let written: serde_json::Value = serde_json::from_str(line).unwrap();
        let (name, order) = written["file"].as_str().unwrap().rsplit_once('.').unwrap();
        let order = if order == "le" { ByteOrder::Little } else { ByteOrder::Big };
        let hex = written["hex"].as_str().unwrap();
        let octet = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(octet).collect();
        let plan = plan(All::layout(), order, UNION);
        let mut encoder = cdr::Encoder::new(&plan);
        assert_eq!(encoder.encode(&message(name)).unwrap(), bytes, "{name}");
        let mut back = All::empty();
        cdr::Decoder::new(&plan).decode(&bytes, &mut back).unwrap();
        assert_eq!(back, message(name));
        let mut record = Record::new(plan.layout());
        cdr::Decoder::new(&plan).decode(&bytes, &mut record).unwrap();
        assert_eq!(record, Record::from_message(&back));
        assert_eq!(encoder.encode(&record).unwrap(), bytes);
        count += 1;
    }
    assert_eq!(count, 6);
}
