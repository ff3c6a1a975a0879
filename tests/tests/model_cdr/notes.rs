//! Discriminators of every type, labels, and the arm for all others.

use std::sync::Arc;

use trunkline_codec::cdr::{self, ByteOrder, Options, Plan};
use trunkline_message::{Kind, Layout, LayoutBuilder, Message, Need, Record, Structure};
use trunkline_wire::{Code, Text};

use crate::shapes::Side;
use crate::{BITMAP, UNION, plan, plans};

macro_rules! switches {
    ($($name:ident, $switch:literal, $first:literal, $second:literal, $octets:expr, $others:expr;)*) => {
        $(
            #[derive(Message, Clone, Debug, PartialEq)]
            #[cdr(switch = $switch)]
            enum $name {
                #[cdr(label = $first)]
                First(u8),
                #[cdr(label = $second)]
                Second(bool),
            }
        )*

        #[test]
        fn a_discriminator_is_of_the_type_that_the_note_says() {
            $(
                for optional in [UNION, BITMAP] {
                    let plan = plan($name::layout(), ByteOrder::Big, optional);
                    let mut encoder = cdr::Encoder::new(&plan);
                    let mut decoder = cdr::Decoder::new(&plan);
                    let mut back = $name::First(0);
                    let second = [&$octets[..], b"\x01"].concat();
                    assert_eq!(encoder.encode(&$name::Second(true)).unwrap(), second);
                    decoder.decode(&second, &mut back).unwrap();
                    assert_eq!(back, $name::Second(true));
                    let first = encoder.encode(&$name::First(9)).unwrap().to_vec();
                    decoder.decode(&first, &mut back).unwrap();
                    assert_eq!(back, $name::First(9));
                    let other = [&$others[..], b"\x01"].concat();
                    let error = decoder.decode(&other, &mut back).unwrap_err().to_string();
                    let labels = concat!($first, ", ", $second);
                    assert_eq!(error, format!("at byte 0: expected the label of an arm: {labels}"));
                }
            )*
        }
    };
}

switches! {
    OfBoolean, "boolean", "true", "false", b"\0", b"\x02";
    OfChar, "char", "a", "b", b"b", b"c";
    OfShort, "i16", "5", "-2", b"\xff\xfe", b"\0\0";
    OfUnsignedShort, "u16", "0", "65535", b"\xff\xff", b"\0\x01";
    OfLong, "i32", "2147483647", "-2", b"\xff\xff\xff\xfe", b"\0\0\0\0";
    OfUnsignedLong, "u32", "1", "4294967295", b"\xff\xff\xff\xff", b"\0\0\0\0";
    OfLongLong, "i64", "0", "-2", b"\xff\xff\xff\xff\xff\xff\xff\xfe", b"\0\0\0\0\0\0\0\x01";
    OfUnsignedLongLong, "u64", "0", "2", b"\0\0\0\0\0\0\0\x02", b"\0\0\0\x01\0\0\0\x02";
    OfEnumeration, "enum", "2", "0", b"\0\0\0\0", b"\0\0\0\x01";
}

/// IDL: `union Value switch(short) { case 1: octet o; case 2: string s; default: double d; };`
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "i16")]
enum Value {
    #[cdr(label = "1")]
    Octet(u8),
    #[cdr(label = "default")]
    Other(Labelled),
    #[cdr(label = "2")]
    Text(Text),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Labelled {
    label: i16,
    value: f64,
    note: Option<u8>,
}

/// IDL: `union Reply switch(Side) { case Buy: octet o; };`, of which the other labels have no arm.
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "enum")]
enum Reply {
    Bought(u8),
    #[cdr(label = "default")]
    Nothing(OnlySide),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct OnlySide {
    side: Side,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Both {
    value: Option<Value>,
    replies: Vec<Reply>,
}

#[test]
fn the_default_arm_keeps_its_label() {
    let other = |label| Value::Other(Labelled { label, value: 1.5, note: None });
    for plan in plans::<Both>() {
        let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
        let mut back = Both::default();
        let values =
            [Value::Octet(7), Value::Text("x".into()), other(3), other(-1), other(i16::MIN)];
        for value in values.map(Some).into_iter().chain([None]) {
            let side = |side| Reply::Nothing(OnlySide { side });
            let replies = vec![side(Side::SellShort), Reply::Bought(3), side(Side::Sell)];
            let message = Both { value, replies };
            let bytes = encoder.encode(&message).unwrap().to_vec();
            decoder.decode(&bytes, &mut back).unwrap();
            assert_eq!(back, message);
            let record = Record::from_message(&message);
            assert_eq!(encoder.encode(&record).unwrap(), bytes);
            let mut read = Record::new(plan.layout());
            decoder.decode(&bytes, &mut read).unwrap();
            assert_eq!(read, record);
        }
    }
    let plan = plan(Value::layout(), ByteOrder::Big, BITMAP);
    let mut encoder = cdr::Encoder::new(&plan);
    // The discriminator comes first, so what is optional in this arm has a flag.
    let message = Value::Other(Labelled { label: -1, value: 1.5, note: Some(2) });
    let expected = b"\xff\xff\0\0\0\0\0\0\x3f\xf8\0\0\0\0\0\0\x01\x02";
    assert_eq!(encoder.encode(&message).unwrap(), expected);
}

#[test]
fn a_label_of_another_arm_is_no_label_of_the_default_arm() {
    for plan in plans::<Both>() {
        let mut encoder = cdr::Encoder::new(&plan);
        let other = |label| Both {
            value: Some(Value::Other(Labelled { label, ..Labelled::default() })),
            replies: vec![],
        };
        let error = encoder.encode(&other(2)).unwrap_err();
        assert_eq!(error.path(), "value/Other");
        assert!(error.to_string().ends_with("the label of the default arm is another arm's"));
        let error = encoder.encode(&Record::from_message(&other(1))).unwrap_err();
        assert_eq!(error.path(), "value/Other");
        let replies = vec![Reply::Bought(1), Reply::Nothing(OnlySide { side: Side::Buy })];
        let error = encoder.encode(&Both { value: None, replies }).unwrap_err();
        assert_eq!(error.path(), "replies[1]/Nothing");
    }
    let plan = plan(Reply::layout(), ByteOrder::Big, UNION);
    let mut reply = Reply::Bought(0);
    let error = cdr::Decoder::new(&plan).decode(b"\0\0\0\x03", &mut reply).unwrap_err();
    let expected = "Nothing/side at byte 0: expected a value of Side, 0 to 2";
    assert_eq!(error.to_string(), expected);
}

/// The error of a plan for a choice with this switch and arms of these labels.
fn rejected(switch: &str, labels: &[&str]) -> String {
    let describe = |builder: &mut LayoutBuilder| {
        builder.begin_choice("u", Need::Required).of_type("U");
        builder.note_type("cdr", "switch", switch);
        for (place, label) in labels.iter().enumerate() {
            builder.field(&format!("a{place}"), Kind::Boolean, Need::Required);
            if !label.is_empty() {
                builder.note("cdr", "label", label);
            }
        }
        builder.end();
    };
    let mut builder = Layout::builder("M");
    describe(&mut builder);
    let layout = Arc::new(builder.build().unwrap());
    Plan::new(&layout, &Options::default()).unwrap_err().to_string()
}

#[test]
fn a_switch_or_label_that_is_none_is_named() {
    let said = |what: &str| format!("at byte 0: not supported: {what}");
    for switch in ["octet", "u8", "i8", "f64", "string", "Boolean"] {
        let no_switch = said(&format!("a union U over {switch}, which is no switch"));
        assert_eq!(rejected(switch, &["1"]), no_switch);
    }
    for (switch, label) in [
        ("boolean", "2"),
        ("char", "ab"),
        ("char", "€"),
        ("i16", "32768"),
        ("u16", "-1"),
        ("u32", "4294967296"),
        ("i64", "9223372036854775808"),
        ("u64", "-1"),
        ("enum", "Buy"),
        ("i32", "0x1"),
        ("i32", "1 2"),
    ] {
        let no_label = said(&format!("U.a1: {label:?} is no label of its switch"));
        assert_eq!(rejected(switch, &["1", label].map(|it| first(switch, it))), no_label);
    }
    assert_eq!(rejected("i32", &["1", "0", "1"]), said("U.a2: the label 1 is another arm's"));
    // The place of an arm is its label.
    assert_eq!(rejected("i32", &["1", ""]), said("U.a1: the label 1 is another arm's"));
    assert_eq!(rejected("char", &["a", ""]), said("U.a1: the arm needs a label for its switch"));
    assert_eq!(
        rejected("boolean", &["", "", ""]),
        said("U.a2: the arm needs a label for its switch")
    );
    let default = "the default arm is a struct whose first member is the discriminator";
    assert_eq!(
        rejected("boolean", &["true", "default"]),
        said(&format!("U.a1: {default}, which this is not"))
    );
}

/// A label of the first arm for this switch, where the second's is of no other.
fn first<'a>(switch: &str, label: &'a str) -> &'a str {
    match (switch, label) {
        ("boolean", "1") => "true",
        _ => label,
    }
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "i16")]
enum OtherWidth {
    #[cdr(label = "default")]
    Other(Wide),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Wide {
    label: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "char")]
enum MaybeLabel {
    #[cdr(label = "default")]
    Other(Maybe),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Maybe {
    label: Option<Code>,
}

#[test]
fn the_default_arm_begins_with_a_discriminator_of_its_union() {
    for layout in [OtherWidth::layout(), MaybeLabel::layout()] {
        let error = Plan::new(layout, &Options::default()).unwrap_err().to_string();
        assert!(
            error.ends_with("whose first member is the discriminator, which this is not"),
            "{error}"
        );
    }
}
