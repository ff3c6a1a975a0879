//! Content that the schema does not know is counted, or rejected with its path, in the same words for
//! every format.

use std::sync::Arc;

use trunkline_codec::{cdr, fix};
use trunkline_message::{ErrorKind, Message, Record, Result, Structure, Unknown, UnknownContent};
use trunkline_soap as soap;
use trunkline_tests::plain_fix;
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[fix(message_type = "D")]
struct Order {
    #[fix(tag = 11)]
    id: Text,
    #[fix(tag = 78)]
    #[xml(entry = "allocation")]
    allocations: Vec<Allocation>,
    #[fix(tag = 73)]
    #[xml(entry = "leg")]
    legs: Vec<Leg>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Allocation {
    #[fix(tag = 79)]
    account: Text,
}

/// Unlike the others, it has a place for what it does not know.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Leg {
    #[fix(tag = 37)]
    name: Text,
    #[unknown]
    unknown: Unknown,
}

fn fix_plan() -> Arc<fix::Plan> {
    fix::Plan::new(Order::layout(), &fix::Options::default()).expect("a plan")
}

/// What a decoder of FIX that counts says of the fields of an order, and one that rejects.
fn read_fix<M: Message>(fields: &str, message: &mut M) -> (usize, Result<()>) {
    let bytes = plain_fix::message(&format!("35=D|{fields}"));
    let plan = fix_plan();
    let mut strict = fix::Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    let rejected = strict.decode(&bytes, message);
    let mut decoder = fix::Decoder::new(&plan);
    decoder.decode(&bytes, message).expect("an order");
    (decoder.unknown(), rejected)
}

#[test]
fn fields_that_fix_does_not_know_and_nobody_keeps_are_counted_or_rejected() {
    for (fields, unknown, rejection) in [
        ("11=A|78=1|79=F|", 0, ""),
        ("11=A|9001=x|", 1, "9001"),
        ("9001=x|11=A|9002=y|78=1|79=F|", 2, "9001"),
        ("11=A|78=2|79=F|79=G|9003=z|", 1, "allocations[1]/9003"),
        ("11=A|78=1|79=F|9003=z|9004=z|73=1|37=L|9005=y|", 2, "allocations[0]/9003"),
        ("11=A|73=2|37=L|9005=y|37=M|9005=y|9006=z|", 0, ""),
        // Data and its length are two fields, and what is inside is neither.
        ("11=A|95=5|96=9=9|x|", 2, "95"),
    ] {
        let fields = fields.replace("9=9|x", "9=9\u{1}x");
        let mut order = Order::default();
        let (counted, rejected) = read_fix(&fields, &mut order);
        assert_eq!(counted, unknown, "{fields}");
        match rejected {
            Ok(()) => assert_eq!(rejection, "", "{fields}"),
            Err(error) => {
                assert_eq!(*error.kind(), ErrorKind::Unknown);
                let message = plain_fix::message(&format!("35=D|{fields}"));
                let message = String::from_utf8_lossy(&message);
                let tag = rejection.rsplit('/').next().expect("a tag");
                let at = message.find(&format!("\u{1}{tag}=")).expect("it stands there") + 1;
                let why = "the schema does not know it, and unknown content is rejected";
                assert_eq!(error.to_string(), format!("{rejection} at byte {at}: {why}"));
            }
        }
        let mut record = Record::new(Order::layout());
        let (counted, rejected) = read_fix(&fields, &mut record);
        assert_eq!((counted, rejected), (0, Ok(())), "a record keeps all: {fields}");
    }
}

#[test]
fn the_count_is_that_of_the_last_message() {
    let mut decoder = fix::Decoder::new(&fix_plan());
    let mut order = Order::default();
    let unknown = plain_fix::message("35=D|11=A|9001=x|");
    decoder.decode(&unknown, &mut order).expect("an order");
    assert_eq!(decoder.unknown(), 1);
    decoder.decode(b"8=FIX", &mut order).expect_err("no message");
    assert_eq!(decoder.unknown(), 0);
    // Up to where a message is rejected.
    let broken = plain_fix::message("35=D|11=A|9001=x|9002=y|78=z|9003=z|");
    decoder.decode(&broken, &mut order).expect_err("no number");
    assert_eq!(decoder.unknown(), 2);
    decoder.decode(&plain_fix::message("35=D|11=A|"), &mut order).expect("an order");
    assert_eq!(decoder.unknown(), 0);
}

/// A document/literal message of the order.
fn document(content: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>{content}</S:Body></S:Envelope>"
    )
}

#[test]
fn what_soap_does_not_know_is_rejected_with_its_path() {
    let options = soap::Options {
        style: soap::Style::DocumentLiteral,
        namespace: "urn:o".into(),
        ..soap::Options::default()
    };
    let plan = soap::Plan::new(Order::layout(), &options).expect("a plan");
    let mut strict = soap::Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    let (good, mut order) = ("<id>A</id>", Order::default());
    for (attributes, content, path, at) in [
        ("", "<id>A</id><more><x/></more>", "more", "<more"),
        ("", "<u:more xmlns:u='urn:u'/><id>A</id>", "more", "<u:more"),
        (" more='1'", "<id>A</id>", "@more", "more="),
        ("", "<id lang='en'>A</id>", "id/@lang", "lang"),
        ("", "<id>A</id><legs a='1'><leg><name>L</name></leg></legs>", "legs/@a", "a='1'"),
        ("", "<id>A</id><legs><u:x xmlns:u='urn:u'/></legs>", "legs/x", "<u:x"),
        (
            "",
            "<id>A</id><allocations><allocation b='1'><account>F</account></allocation></allocations>",
            "allocations/@b",
            "b='1'",
        ),
        (
            "",
            "<id>A</id><allocations><allocation><account>F</account></allocation>\
             <allocation><account>G</account><x/></allocation></allocations>",
            "allocations[1]/x",
            "<x/>",
        ),
    ] {
        let body = |attributes, content: &str| {
            document(&format!("<Order xmlns='urn:o'{attributes}>{content}</Order>"))
        };
        let bad = body(attributes, content);
        for _ in 0..2 {
            let error = strict.decode(bad.as_bytes(), &mut order).expect_err(&bad);
            assert_eq!(*error.kind(), ErrorKind::Unknown, "{error}: {bad}");
            let place = bad.find(at).expect("it stands there");
            assert_eq!((error.path().as_str(), error.offset()), (path, place), "{bad}");
            strict.decode(body("", good).as_bytes(), &mut order).expect("an order");
            assert_eq!(strict.unknown(), 0);
        }
    }
    // What was learnt while it was counted is rejected all the same.
    let bad = document(&format!("<Order xmlns='urn:o' more='1'>{good}</Order>"));
    let mut counting = soap::Decoder::new(&plan);
    for _ in 0..3 {
        counting.decode(bad.as_bytes(), &mut order).expect("an order");
        assert_eq!(counting.unknown(), 1);
    }
    let mut strict = counting.on_unknown(UnknownContent::Reject);
    strict.decode(bad.as_bytes(), &mut order).expect_err("it is rejected");
}

/// What came in one format is not written into another, but counted.
#[test]
fn what_is_kept_of_another_format_is_counted_by_who_writes() {
    let mut fix_encoder = fix::Encoder::new(&fix_plan());
    let plan = soap::Plan::new(Order::layout(), &soap::Options::default()).expect("a plan");
    let mut soap_encoder = soap::Encoder::new(&plan);
    let cdr_plan = cdr::Plan::new(Order::layout(), &cdr::Options::default()).expect("a plan");
    let mut cdr_encoder = cdr::Encoder::new(&cdr_plan);
    let mut order = Order::default();
    let (counted, _) = read_fix("11=A|73=1|37=L|9001=x|9002=y|", &mut order);
    assert_eq!(counted, 0);
    fix_encoder.encode(&order).expect("an order");
    cdr_encoder.encode(&order).expect("an order");
    let text = soap_encoder.encode(&order).expect("an order").to_vec();
    assert_eq!((fix_encoder.unknown(), soap_encoder.unknown(), cdr_encoder.unknown()), (0, 2, 2));

    let text = String::from_utf8(text).expect("text").replace("<name>L", "<u/><name a='1'>L");
    let mut decoder = soap::Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    decoder.decode(text.as_bytes(), &mut order).expect("an order");
    assert_eq!((decoder.unknown(), order.legs[0].unknown.markup().count()), (0, 2));
    fix_encoder.encode(&order).expect("an order");
    cdr_encoder.encode(&order).expect("an order");
    let again = soap_encoder.encode(&order).expect("an order");
    assert_eq!(String::from_utf8_lossy(again), text.replace('\'', "\""));
    assert_eq!((fix_encoder.unknown(), soap_encoder.unknown(), cdr_encoder.unknown()), (2, 0, 2));
}
