//! A message of every shape of type.

use trunkline_message::{Group, Message};
use trunkline_wire::{BigDecimal, BigInteger, Decimal, Duration, Text};

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Address {
    pub(crate) street: Text,
    pub(crate) city: Option<Text>,
}

#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Side {
    #[default]
    Buy,
    #[field(name = "Sell short & cover")]
    SellShort,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
pub(crate) enum Settlement {
    Cash,
    Account(i64),
    Delivery(Address),
    References(Vec<Text>),
    Nested(Price),
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) enum Price {
    Limit(Decimal),
    Market,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Folder {
    pub(crate) name: Text,
    pub(crate) folders: Vec<Folder>,
    pub(crate) parent: Option<Box<Folder>>,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) side: Side,
    pub(crate) price: Price,
    pub(crate) settlement: Option<Settlement>,
    pub(crate) address: Option<Address>,
    pub(crate) single: f32,
    pub(crate) whole: BigInteger,
    pub(crate) exact: Option<BigDecimal>,
    pub(crate) hold: Duration,
    pub(crate) notes: Vec<Text>,
    pub(crate) flags: Option<Vec<bool>>,
    pub(crate) sides: Vec<Side>,
    pub(crate) matrix: [[f64; 2]; 2],
    pub(crate) corners: [Address; 2],
    pub(crate) prices: Vec<Price>,
    pub(crate) ragged: Vec<Vec<i32>>,
    pub(crate) deep: Vec<Vec<Vec<Text>>>,
    pub(crate) options: Vec<Vec<Price>>,
    pub(crate) legs: Group<Address>,
    pub(crate) folder: Folder,
}

pub(crate) fn text(text: &str) -> Text {
    text.into()
}

fn folder(name: &str, folders: Vec<Folder>) -> Folder {
    Folder { name: text(name), folders, parent: None }
}

pub(crate) fn address(street: &str) -> Address {
    Address { street: text(street), city: None }
}

/// With something in every list.
pub(crate) fn order() -> Order {
    let inner = Folder { parent: Some(Box::new(folder("up", vec![]))), ..folder("leaf", vec![]) };
    Order {
        side: Side::SellShort,
        price: Price::Market,
        settlement: Some(Settlement::Nested(Price::Limit(Decimal::from(7)))),
        address: Some(Address::default()),
        single: 0.1,
        whole: "123456789012345678901234567890".parse().unwrap(),
        exact: Some("0.12345678901234567890123".parse().unwrap()),
        hold: Duration::parse_xml(b"P1Y2MT0.5S").unwrap(),
        notes: vec![text(""), text("b"), text("leg")],
        flags: Some(vec![true, false]),
        sides: vec![Side::Buy, Side::SellShort],
        matrix: [[1.0, 2.0], [3.0, f64::INFINITY]],
        corners: [address("a"), address("leg")],
        prices: vec![Price::Limit(Decimal::from(1)), Price::Market, Price::Limit(Decimal::from(2))],
        ragged: vec![vec![], vec![1, -2]],
        deep: vec![vec![vec![text("x")], vec![]], vec![]],
        options: vec![vec![Price::Market], vec![]],
        legs: vec![address("leg"), address("leg")].into(),
        folder: folder("root", vec![folder("empty", vec![]), folder("b", vec![inner])]),
    }
}

/// With nothing that may be absent.
pub(crate) fn bare() -> Order {
    Order {
        side: Side::Buy,
        price: Price::Limit(Decimal::default()),
        settlement: None,
        address: None,
        single: f32::MIN_POSITIVE,
        whole: BigInteger::default(),
        exact: None,
        hold: Duration::ZERO,
        notes: vec![],
        flags: None,
        sides: vec![],
        matrix: [[0.0; 2]; 2],
        corners: [address(""), address("")],
        prices: vec![],
        ragged: vec![],
        deep: vec![],
        options: vec![],
        legs: Group::default(),
        folder: folder("", vec![]),
    }
}

/// Both, and one of each arm.
pub(crate) fn orders() -> Vec<Order> {
    let settlements = [
        Settlement::Cash,
        Settlement::Account(-5),
        Settlement::Delivery(address("there")),
        Settlement::References(vec![text("r"), text("s")]),
        Settlement::Nested(Price::Market),
    ];
    let with = |it| Order { settlement: Some(it), ..bare() };
    let full = Order { flags: Some(vec![]), ..order() };
    settlements.map(with).into_iter().chain([order(), bare(), full]).collect()
}
