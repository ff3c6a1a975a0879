//! The messages of these tests.

use trunkline_message::{Group, Message};
use trunkline_wire::{BigDecimal, BigInteger, Code, Decimal, Duration, Text};

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Address {
    pub(crate) street: Text,
    pub(crate) city: Option<Text>,
}

#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Side {
    #[default]
    Buy,
    Sell,
    #[field(name = "Sell short")]
    SellShort,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) enum Settlement {
    Cash,
    Account(i64),
    Delivery(Address),
    References(Vec<Text>),
    Nested(Price),
    Parts([u16; 3]),
    Again(Box<Order>),
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) enum Price {
    Limit(Decimal),
    Market,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "char")]
pub(crate) enum Party {
    #[cdr(label = "a")]
    Account(u8),
    #[cdr(label = "n")]
    Name(Text),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Folder {
    pub(crate) name: Text,
    pub(crate) folders: Vec<Folder>,
    pub(crate) parent: Option<Box<Folder>>,
    pub(crate) link: Option<Link>,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) enum Link {
    Away(Text),
    To(Box<Folder>),
}

/// It is there if anything inside is, and then it must have more.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Terms {
    pub(crate) days: Option<u16>,
    pub(crate) notes: Vec<Text>,
    pub(crate) price: Option<Price>,
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
    pub(crate) legs: Group<Address>,
    #[field(implied)]
    pub(crate) terms: Terms,
    pub(crate) parties: Option<Vec<Party>>,
    pub(crate) pair: Option<[Code; 2]>,
    pub(crate) folder: Folder,
}

pub(crate) fn text(text: &str) -> Text {
    text.into()
}

pub(crate) fn folder(name: &str, folders: Vec<Folder>) -> Folder {
    Folder { name: text(name), folders, parent: None, link: None }
}

/// Something of every shape.
pub(crate) fn order() -> Order {
    let address = |street: &str| Address { street: text(street), city: None };
    let inner = Folder { parent: Some(Box::new(folder("up", vec![]))), ..folder("leaf", vec![]) };
    let link = Some(Link::To(Box::new(folder("linked", vec![]))));
    Order {
        side: Side::SellShort,
        price: Price::Market,
        settlement: Some(Settlement::Nested(Price::Limit(Decimal::from(7)))),
        address: Some(Address::default()),
        single: 0.1,
        whole: "123456789012345678901234567890".parse().unwrap(),
        exact: Some("0.12345678901234567890123".parse().unwrap()),
        hold: Duration::parse_xml(b"P1Y2MT0.5S").unwrap(),
        notes: vec![text(""), text("b")],
        flags: Some(vec![]),
        sides: vec![Side::Buy, Side::SellShort],
        matrix: [[1.0, 2.0], [3.0, 4.0]],
        corners: [address("a"), address("b")],
        prices: vec![Price::Limit(Decimal::from(1)), Price::Market],
        ragged: vec![vec![], vec![1, 2]],
        legs: vec![address("leg")].into(),
        terms: Terms { days: None, notes: vec![text("net")], price: Some(Price::Market) },
        parties: Some(vec![Party::Name(text("x")), Party::Account(7)]),
        pair: Some([Code::new("a"), Code::new("b")]),
        folder: Folder {
            link,
            ..folder("root", vec![folder("", vec![]), folder("b", vec![inner])])
        },
    }
}

/// The least of every shape.
pub(crate) fn least() -> Order {
    let none = folder("", vec![]);
    Order {
        side: Side::Buy,
        price: Price::Limit(Decimal::from(0)),
        settlement: None,
        address: None,
        single: 0.0,
        whole: BigInteger::default(),
        exact: None,
        hold: Duration::default(),
        notes: vec![],
        flags: None,
        sides: vec![],
        matrix: [[0.0; 2]; 2],
        corners: [Address::default(), Address::default()],
        prices: vec![],
        ragged: vec![],
        legs: Group::default(),
        terms: Terms::default(),
        parties: None,
        pair: None,
        folder: none,
    }
}
