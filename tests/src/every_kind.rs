//! A message with a field of every kind, to test formats with.

use trunkline_message::{Group, Message};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

/// Every kind as an optional field, every shape of component and group around.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "EveryKind", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct EveryKind {
    /// The only required value.
    pub name: String,
    pub flag: Option<bool>,
    pub tiny: Option<i8>,
    pub small: Option<i16>,
    pub medium: Option<i32>,
    pub large: Option<i64>,
    pub unsigned_tiny: Option<u8>,
    pub unsigned_small: Option<u16>,
    pub unsigned_medium: Option<u32>,
    pub unsigned_large: Option<u64>,
    pub price: Option<Decimal>,
    pub ratio: Option<f64>,
    pub text: Option<Text>,
    pub data: Option<Vec<u8>>,
    pub code: Option<Code>,
    pub date: Option<Date>,
    pub time: Option<Time>,
    pub timestamp: Option<Timestamp>,
    pub shorts: Option<Vec<i16>>,
    pub counts: Option<Vec<u64>>,
    pub ratios: Option<Vec<f64>>,
    pub hollow: Hollow,
    #[field(name = "outer/inner", implied)]
    pub nested: Nested,
    #[xml(entry = "leg")]
    pub legs: Group<Leg>,
}

/// A required component of which no field has to be there.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Hollow {
    pub left: Option<i32>,
    pub right: Option<Text>,
}

/// An optional component two elements deep.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Nested {
    pub value: Option<Decimal>,
}

/// An entry with entries of its own.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Leg {
    pub side: Code,
    pub ratio: Option<f64>,
    #[xml(entry = "step")]
    pub steps: Group<Step>,
}

/// An entry in which nothing has to be there.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Step {
    pub size: Option<u32>,
    pub note: Option<Text>,
}

/// One with every field set.
pub fn full() -> EveryKind {
    let moment = Timestamp::parse_xml(b"2004-08-01T23:59:59.123456789Z").expect("a time stamp");
    let leg = |side: &'static str, steps: u32| Leg {
        side: Code::new(side),
        ratio: Some(f64::from(steps) / 3.0),
        steps: (0..steps)
            .map(|size| Step { size: Some(size), note: Some("fill or kill".into()) })
            .collect(),
    };
    EveryKind {
        name: "Ä name of more than thirty bytes, for the heap".into(),
        flag: Some(true),
        tiny: Some(i8::MIN),
        small: Some(i16::MIN),
        medium: Some(i32::MIN),
        large: Some(i64::MIN),
        unsigned_tiny: Some(u8::MAX),
        unsigned_small: Some(u16::MAX),
        unsigned_medium: Some(u32::MAX),
        unsigned_large: Some(u64::MAX),
        price: Some("-0.0635".parse().expect("a decimal")),
        ratio: Some(-1.25e-9),
        text: Some("<a> & 'b' \"c\" ]]>\r\té😀".into()),
        data: Some((0..=255).collect()),
        code: Some(Code::new("F<&G")),
        date: Date::new(2004, 2, 29),
        time: Time::new(0, 0, 1, 5_000_000),
        timestamp: Some(moment),
        shorts: Some(vec![-1, 0, i16::MAX]),
        counts: Some(vec![u64::MAX]),
        ratios: Some(vec![0.1, f64::INFINITY, f64::NEG_INFINITY, -0.0]),
        hollow: Hollow { left: Some(-7), right: Some("".into()) },
        nested: Nested { value: Some("100".parse().expect("a decimal")) },
        legs: [leg("1", 2), leg("2", 0), leg("B", 1)].into_iter().collect(),
    }
}
