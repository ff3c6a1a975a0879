//! A message with every shape of type, to test formats with.

use trunkline_message::{Group, Message};
use trunkline_wire::{BigDecimal, BigInteger, Decimal, Duration, Text};

/// A struct in which only one member has to be there.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Address {
    pub street: Text,
    pub city: Option<Text>,
}

/// A struct in which nothing has to be there.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Terms {
    pub days: Option<u16>,
}

/// An enumeration, of which one name is no name in Rust.
#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub enum Side {
    #[default]
    Buy,
    #[field(name = "Sell <short>")]
    SellShort,
}

/// A choice with an arm of nothing.
#[derive(Message, Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Price {
    Limit(Decimal),
    Market,
}

/// A choice with arms of every shape.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
#[allow(missing_docs)]
pub enum Settlement {
    Cash,
    Account(i64),
    Memo(Text),
    Delivery(Address),
    References(Vec<Text>),
    Nested(Price),
}

/// What holds itself: by lists and by itself.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Folder {
    pub name: Text,
    pub folders: Vec<Folder>,
    pub parent: Option<Box<Folder>>,
}

/// Every shape.
#[derive(Message, Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Order {
    pub side: Side,
    pub price: Price,
    pub settlement: Option<Settlement>,
    pub address: Option<Address>,
    pub terms: Option<Terms>,
    pub single: f32,
    pub whole: BigInteger,
    pub exact: Option<BigDecimal>,
    pub hold: Duration,
    pub notes: Vec<Text>,
    pub flags: Option<Vec<bool>>,
    pub sides: Vec<Side>,
    pub matrix: [[f64; 2]; 2],
    pub corners: [Address; 2],
    pub prices: Vec<Price>,
    pub ragged: Vec<Vec<i32>>,
    pub words: Vec<Vec<Text>>,
    pub legs: Group<Address>,
    pub folder: Folder,
}

fn address(street: &str) -> Address {
    Address { street: street.into(), city: None }
}

/// A folder without a parent.
pub fn folder(name: &str, folders: Vec<Folder>) -> Folder {
    Folder { name: name.into(), folders, parent: None }
}

/// One with something everywhere.
pub fn full() -> Order {
    let inner = Folder { parent: Some(Box::new(folder("up", vec![]))), ..folder("leaf", vec![]) };
    Order {
        side: Side::SellShort,
        price: Price::Market,
        settlement: Some(Settlement::Nested(Price::Limit(Decimal::from(7)))),
        address: Some(Address { street: "a <b>".into(), city: Some("c".into()) }),
        terms: Some(Terms::default()),
        single: 0.1,
        whole: "123456789012345678901234567890".parse().expect("digits"),
        exact: Some("0.12345678901234567890123".parse().expect("digits")),
        hold: Duration::parse_xml(b"P1Y2MT0.5S").expect("a duration"),
        notes: vec!["".into(), "b & c".into()],
        flags: Some(vec![]),
        sides: vec![Side::Buy, Side::SellShort],
        matrix: [[1.0, 2.0], [3.0, 4.0]],
        corners: [address("a"), address("b")],
        prices: vec![Price::Limit(Decimal::from(1)), Price::Market, Price::Market],
        ragged: vec![vec![], vec![1, 2]],
        words: vec![vec!["x".into()], vec![], vec!["y".into(), "z".into()]],
        legs: vec![address("leg"), address("other")].into(),
        folder: folder("root", vec![folder("empty", vec![]), folder("b", vec![inner])]),
    }
}

/// One with as little as there may be.
pub fn sparse() -> Order {
    Order {
        side: Side::Buy,
        price: Price::Limit(Decimal::from(1)),
        settlement: None,
        address: None,
        terms: None,
        single: 0.0,
        whole: BigInteger::default(),
        exact: None,
        hold: Duration::default(),
        notes: vec![],
        flags: None,
        sides: vec![],
        matrix: [[0.0; 2]; 2],
        corners: [address(""), address("")],
        prices: vec![],
        ragged: vec![],
        words: vec![],
        legs: Group::default(),
        folder: folder("", vec![]),
    }
}

/// One for each arm of the settlement, and some in between.
pub fn orders() -> Vec<Order> {
    let settled = |settlement| Order { settlement: Some(settlement), ..full() };
    vec![
        full(),
        sparse(),
        settled(Settlement::Cash),
        settled(Settlement::Account(-5)),
        settled(Settlement::Memo("\"]]>\"\t<m>".into())),
        settled(Settlement::Delivery(address("d"))),
        settled(Settlement::References(vec![])),
        settled(Settlement::References(vec!["r".into(), "s".into()])),
        settled(Settlement::Nested(Price::Market)),
        Order { flags: Some(vec![true, false]), address: Some(address("")), ..sparse() },
    ]
}

/// Lists without an element around all of their entries, as most toolkits write them.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Loose {
    pub name: Text,
    #[xml(list = "unwrapped")]
    pub number: Vec<u16>,
    #[xml(list = "unwrapped")]
    pub ratio: Option<Vec<f32>>,
    #[xml(list = "unwrapped", entry = "note")]
    pub notes: Vec<Text>,
    #[xml(list = "unwrapped")]
    pub side: Vec<Side>,
    #[xml(list = "unwrapped", entry = "leg")]
    pub legs: Group<Address>,
    #[xml(list = "unwrapped")]
    pub price: Vec<Price>,
    #[xml(list = "unwrapped")]
    pub row: Vec<Vec<i32>>,
    #[xml(list = "unwrapped")]
    pub word: Vec<Vec<Text>>,
    #[xml(list = "unwrapped")]
    pub pair: [i16; 2],
    #[xml(list = "unwrapped")]
    #[field(required)]
    pub must: Vec<i64>,
    #[xml(list = "unwrapped")]
    #[field(required)]
    pub musts: Vec<Address>,
    #[field(implied)]
    pub inside: Inside,
    #[xml(list = "unwrapped")]
    pub branch: Vec<Branch>,
}

/// Unwrapped lists in a component that is implied.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Inside {
    pub id: Option<i32>,
    #[xml(list = "unwrapped")]
    pub line: Vec<Text>,
}

/// A tree of entries without elements around them.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Branch {
    pub leaf: Vec<i32>,
    #[xml(list = "unwrapped")]
    pub branch: Vec<Branch>,
}

/// One with entries in each list.
pub fn loose() -> Loose {
    let branch = |leaf: i32, branch| Branch { leaf: vec![leaf], branch };
    Loose {
        name: "n".into(),
        number: vec![1, 2, 65535],
        ratio: Some(vec![0.5, -1.0]),
        notes: vec!["".into(), "b & c".into()],
        side: vec![Side::SellShort, Side::Buy],
        legs: vec![address("a"), address("b")].into(),
        price: vec![Price::Market, Price::Limit(Decimal::from(3))],
        row: vec![vec![1, 2], vec![], vec![3]],
        word: vec![vec!["x".into()], vec![]],
        pair: [7, 8],
        must: vec![9],
        musts: vec![address("m")],
        inside: Inside { id: Some(1), line: vec!["l".into(), "k".into()] },
        branch: vec![branch(1, vec![branch(2, vec![]), branch(3, vec![branch(4, vec![])])])],
    }
}

/// Ones with few entries, and with none.
pub fn all_loose() -> Vec<Loose> {
    let few = Loose { number: vec![4], ratio: None, inside: Inside::default(), ..loose() };
    vec![loose(), few, Loose { name: "n".into(), ..Loose::default() }, loose()]
}
