//! Members that have a default: what is absent, or empty in XML, is the default, in every format.

use std::sync::Arc;

use trunkline_codec::{cdr, fix};
use trunkline_message::{FieldValue as _, Fields as _, Group, Layout, Message, Record, Structure};
use trunkline_soap as soap;
use trunkline_wire::{Code, Date, Decimal, Text};

#[derive(Message, Clone, Copy, Debug, PartialEq)]
enum Side {
    #[fix(code = "1")]
    Buy,
    #[fix(code = "2")]
    Sell,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[fix(message_type = "D")]
struct Order {
    #[fix(tag = 11)]
    id: Text,
    #[fix(tag = 15)]
    #[field(default = "USD")]
    currency: Text,
    #[fix(tag = 44)]
    #[field(default = "-1.50")]
    price: Decimal,
    #[fix(tag = 54)]
    #[field(default = "Sell")]
    side: Side,
    #[fix(tag = 64)]
    #[field(default = "2026-11-23")]
    day: Date,
    #[fix(tag = 5001)]
    #[field(default = "N")]
    code: Code,
    #[fix(tag = 5002)]
    #[field(default = "true")]
    firm: bool,
    #[fix(tag = 5003)]
    #[field(default = "1e3")]
    ratio: f64,
    #[fix(tag = 555)]
    #[xml(entry = "leg")]
    legs: Group<Leg>,
    hold: Option<Hold>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Leg {
    #[fix(tag = 600)]
    symbol: Text,
    #[fix(tag = 623)]
    #[field(default = "-5")]
    ratio: i8,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Hold {
    #[fix(tag = 5100)]
    #[field(default = "none")]
    reason: String,
}

fn leg(symbol: &str, ratio: i8) -> Leg {
    Leg { symbol: symbol.into(), ratio }
}

/// An order of which only the id was told, and of its legs the symbols.
fn told() -> Order {
    Order {
        id: "A1".into(),
        currency: "USD".into(),
        price: "-1.5".parse().unwrap(),
        side: Side::Sell,
        day: Date::new(2026, 11, 23).unwrap(),
        code: Code::parse(b"N").unwrap(),
        firm: true,
        ratio: 1000.0,
        legs: vec![leg("X", -5), leg("Y", -5)].into(),
        hold: None,
    }
}

/// One in which nothing is as by default.
fn other() -> Order {
    Order {
        id: "A2".into(),
        currency: "EUR".into(),
        price: 7.into(),
        side: Side::Buy,
        day: Date::new(2000, 1, 1).unwrap(),
        code: Code::parse(b"Y").unwrap(),
        firm: false,
        ratio: 0.5,
        legs: vec![leg("X", 1), leg("Y", 2), leg("Z", 3)].into(),
        hold: Some(Hold { reason: "rain".into() }),
    }
}

#[test]
fn new_messages_and_cleared_ones_are_as_by_default() {
    let new = Order { id: "A1".into(), legs: told().legs, ..Order::empty() };
    assert_eq!(new, told());
    let mut cleared = other();
    cleared.clear();
    assert_eq!(cleared, Order::empty());
    assert_eq!(Hold::empty().reason, "none");

    let mut record = Record::new(Order::layout());
    assert_eq!(record.get("currency"), Some(&"USD".into()));
    assert!(record.unmet().is_some(), "the id is missing");
    record.set("currency", "EUR").unwrap();
    assert!(record.remove("currency"));
    assert_eq!(record.get("currency"), Some(&"USD".into()));
    record.set("id", "A1").unwrap();
    for symbol in ["X", "Y"] {
        record.group_mut("legs").unwrap().next_entry().set("symbol", symbol).unwrap();
    }
    assert_eq!(record, Record::from_message(&told()));
    let mut cleared = Record::from_message(&other());
    cleared.clear();
    assert_eq!(cleared, Record::new(Order::layout()));
}

/// What is read by these steps, first into a new struct and record, then into used ones.
fn read(decode: impl Fn(&mut dyn FnMut(Reading<'_>))) -> Order {
    let (mut order, mut record) = (Order::empty(), Record::new(Order::layout()));
    decode(&mut |it| it.into_struct(&mut order));
    decode(&mut |it| it.into_record(&mut record));
    let (mut used, mut used_record) = (other(), Record::from_message(&other()));
    decode(&mut |it| it.into_struct(&mut used));
    decode(&mut |it| it.into_record(&mut used_record));
    assert_eq!(order, used);
    assert_eq!(record, used_record);
    assert_eq!(record, Record::from_message(&order));
    order
}

/// A decoder with what it is to read.
enum Reading<'a> {
    Fix(&'a mut fix::Decoder, &'a [u8]),
    Cdr(&'a mut cdr::Decoder, &'a [u8]),
    Soap(&'a mut soap::Decoder, &'a [u8]),
}

impl Reading<'_> {
    fn into_struct(self, order: &mut Order) {
        self.into_message(order);
    }

    fn into_record(self, record: &mut Record) {
        self.into_message(record);
    }

    fn into_message<M: Message>(self, message: &mut M) {
        match self {
            Self::Fix(decoder, bytes) => decoder.decode(bytes, message),
            Self::Cdr(decoder, bytes) => decoder.decode(bytes, message),
            Self::Soap(decoder, bytes) => decoder.decode(bytes, message),
        }
        .unwrap();
    }
}

#[test]
fn fix_writes_them_and_reads_what_leaves_them_out() {
    let plan = fix::Plan::new(Order::layout(), &fix::Options::default()).unwrap();
    let text = b"8=FIX.4.3|9=34|35=D|11=A1|555=2|600=X|600=Y|10=000|";
    let bytes = sealed(text);
    let from = |bytes: &[u8]| read(|into| into(Reading::Fix(&mut fix::Decoder::new(&plan), bytes)));
    assert_eq!(from(&bytes), told());
    for order in [told(), other(), Order { hold: Some(Hold::empty()), ..told() }] {
        let bytes = fix::Encoder::new(&plan).encode(&order).unwrap().to_vec();
        assert_eq!(from(&bytes), order);
        let record = Record::from_message(&order);
        assert_eq!(fix::Encoder::new(&plan).encode(&record).unwrap(), bytes);
        assert!(String::from_utf8_lossy(&bytes).contains("\u{1}623="), "it is written");
    }
}

/// A message of FIX with its length and check sum.
fn sealed(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).replace('|', "\u{1}");
    let body = &text[text.find("35=").unwrap()..text.rfind("10=").unwrap()];
    let head = format!("8=FIX.4.3\u{1}9={}\u{1}{body}", body.len());
    let sum = head.bytes().fold(0_u8, u8::wrapping_add);
    format!("{head}10={sum:03}\u{1}").into_bytes()
}

#[test]
fn cdr_has_them_always_without_a_flag() {
    for optional in [cdr::Optional::Union, cdr::Optional::Bitmap] {
        let options = cdr::Options { optional, ..Default::default() };
        let plan = cdr::Plan::new(Order::layout(), &options).unwrap();
        for order in [told(), other()] {
            let bytes = cdr::Encoder::new(&plan).encode(&order).unwrap().to_vec();
            let record = Record::from_message(&order);
            assert_eq!(cdr::Encoder::new(&plan).encode(&record).unwrap(), bytes);
            let read = read(|into| into(Reading::Cdr(&mut cdr::Decoder::new(&plan), &bytes)));
            assert_eq!(read, order);
        }
    }
}

fn plans() -> Vec<Arc<soap::Plan>> {
    let styles = [soap::Style::DocumentLiteral, soap::Style::RpcLiteral, soap::Style::RpcEncoded];
    let plain = styles.map(|style| soap::Options { style, ..Default::default() });
    let attributes = soap::Options { attributes: true, ..Default::default() };
    let options = plain.into_iter().chain([attributes]);
    options.map(|it| soap::Plan::new(Order::layout(), &it).unwrap()).collect()
}

#[test]
fn soap_writes_them_and_reads_what_leaves_them_out_or_empty() {
    for plan in plans() {
        for generic in [false, true] {
            let from = |text: &str| {
                read(|into| {
                    let decoder = soap::Decoder::new(&plan);
                    let mut decoder = if generic { decoder.generic() } else { decoder };
                    into(Reading::Soap(&mut decoder, text.as_bytes()));
                })
            };
            for order in [told(), other(), Order { hold: Some(Hold::empty()), ..told() }] {
                let bytes = soap::Encoder::new(&plan).encode(&order).unwrap().to_vec();
                let record = Record::from_message(&order);
                assert_eq!(soap::Encoder::new(&plan).encode(&record).unwrap(), bytes);
                assert_eq!(from(str::from_utf8(&bytes).unwrap()), order);
            }
            let bytes = soap::Encoder::new(&plan).encode(&told()).unwrap().to_vec();
            let text = String::from_utf8(bytes).unwrap();
            for name in ["currency", "price", "side", "day", "code", "firm", "ratio"] {
                assert_eq!(from(&without(&text, name, "")), told(), "{name}");
                if text.contains(&format!("</{name}>")) {
                    let (empty, nil) = (format!("<{name}/>"), format!("<{name}></{name}>"));
                    assert_eq!(from(&without(&text, name, &empty)), told(), "{name}");
                    assert_eq!(from(&without(&text, name, &nil)), told(), "{name}");
                }
            }
        }
    }
}

/// The text with everything of this name replaced: elements, or attributes.
fn without(text: &str, name: &str, by: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    loop {
        let element = rest.find(&format!("<{name}>")).or(rest.find(&format!("<{name} ")));
        let attribute = rest.find(&format!(" {name}=\""));
        let end = format!("</{name}>");
        let (at, length) = match (element, attribute) {
            (Some(at), _) => (at, rest[at..].find(&end).unwrap() + end.len()),
            (None, Some(at)) => (at, rest[at..].match_indices('"').nth(1).unwrap().0 + 1),
            (None, None) => return out + rest,
        };
        out += &rest[..at];
        out += by;
        rest = &rest[at + length..];
    }
}

/// An empty text is none that XML could carry: its element would be read as the default.
#[test]
fn an_empty_text_that_would_become_the_default_is_not_written() {
    let empties = [
        Order { currency: "".into(), ..told() },
        Order { code: Code::default(), ..told() },
        Order { hold: Some(Hold { reason: String::new() }), ..told() },
    ];
    for plan in plans() {
        for order in &empties {
            let mut encoder = soap::Encoder::new(&plan);
            match encoder.encode(order) {
                Ok(bytes) => {
                    let bytes = bytes.to_vec();
                    let read =
                        read(|into| into(Reading::Soap(&mut soap::Decoder::new(&plan), &bytes)));
                    assert_eq!(&read, order, "an attribute may be empty");
                }
                Err(error) => {
                    assert!(error.to_string().contains("stands for the default"), "{error}");
                }
            }
        }
        let is_written = soap::Encoder::new(&plan).encode(&empties[0]).is_ok();
        assert_eq!(is_written, plan_has_attributes(&plan));
    }
}

fn plan_has_attributes(plan: &Arc<soap::Plan>) -> bool {
    let bytes = soap::Encoder::new(plan).encode(&told()).unwrap().to_vec();
    String::from_utf8(bytes).unwrap().contains(" currency=\"")
}

#[test]
fn a_default_that_makes_no_sense_is_rejected() {
    let rejected = |line: &str, default: &str| {
        let mut builder = Layout::builder("Order");
        let need = trunkline_message::Need::Implied;
        match line {
            "list" => builder.list("it", trunkline_message::Kind::Float64, need),
            "optional" => builder.field(
                "it",
                trunkline_message::Kind::Text,
                trunkline_message::Need::Optional,
            ),
            "implied" => builder.begin_component("around", need).field(
                "it",
                trunkline_message::Kind::Text,
                need,
            ),
            "arm" => builder.begin_choice("around", trunkline_message::Need::Required).field(
                "it",
                trunkline_message::Kind::Text,
                need,
            ),
            _ => builder.field("it", trunkline_message::Kind::Decimal, need),
        };
        builder.note("field", "default", default);
        if matches!(line, "implied" | "arm") {
            builder.end();
        }
        builder.build().unwrap_err().to_string()
    };
    let said = [
        (rejected("value", "1.2.3"), "\"1.2.3\" is none of decimal"),
        (rejected("list", "1"), "\"1\" is not of a single value"),
        (
            rejected("optional", "a"),
            "\"a\" is of a member that is neither required nor optional, but implied",
        ),
        (rejected("implied", "a"), "\"a\" would always imply around"),
        (rejected("arm", "a"), "\"a\" is of what is there if it is chosen"),
    ];
    for (said, expected) in said {
        assert_eq!(said, format!("it: the default {expected}"));
    }
}
