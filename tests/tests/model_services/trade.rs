//! A message of every shape of type, its service, and what its callers print of the answer.

use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{Binding, Fault, Running, Server, Service};
use trunkline_wire::{BigDecimal, BigInteger, Decimal, Duration};

#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Buy,
    SellShort,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
pub(crate) enum Price {
    Limit(Decimal),
    Market,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
pub(crate) enum Settlement {
    Account(i64),
    Delivery(Address),
    References(Vec<String>),
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Address {
    street: String,
    city: Option<String>,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Folder {
    name: String,
    folders: Vec<Folder>,
    parent: Option<Box<Folder>>,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Trade {
    side: Side,
    price: Price,
    settlement: Option<Settlement>,
    address: Option<Address>,
    single: f32,
    whole: BigInteger,
    exact: Option<BigDecimal>,
    hold: Duration,
    notes: Vec<String>,
    flags: Option<Vec<bool>>,
    sides: Vec<Side>,
    matrix: [[f64; 2]; 2],
    corners: [Address; 2],
    prices: Vec<Price>,
    ragged: Vec<Vec<i32>>,
    options: Vec<Vec<Price>>,
    #[xml(list = "unwrapped")]
    marks: Vec<i32>,
    #[xml(list = "unwrapped")]
    tags: Vec<String>,
    #[xml(list = "unwrapped")]
    pair: [f64; 2],
    #[xml(list = "unwrapped")]
    stops: Vec<Address>,
    folder: Folder,
}

fn address(street: &str) -> Address {
    Address { street: street.into(), city: None }
}

fn folder(name: &str, folders: Vec<Folder>) -> Folder {
    Folder { name: name.into(), folders, parent: None }
}

fn decimal(text: &str) -> Decimal {
    text.parse().expect("a decimal")
}

/// What every toolkit sends.
pub(crate) fn trade() -> Trade {
    let leaf = Folder { parent: Some(Box::new(folder("up", vec![]))), ..folder("leaf", vec![]) };
    let limit = |text| Price::Limit(decimal(text));
    Trade {
        side: Side::SellShort,
        price: limit("6.35"),
        settlement: Some(Settlement::References(vec!["r".into(), "s & t".into()])),
        address: Some(address("1 High Street")),
        single: 0.5,
        whole: "123456789012345678901234567890".parse().expect("digits"),
        exact: Some("0.12345678901234567890123".parse().expect("digits")),
        hold: Duration::parse_xml(b"P1Y2MT3S").expect("a span"),
        notes: vec!["".into(), "zw\u{f6}lf <&>".into()],
        flags: Some(vec![true, false]),
        sides: vec![Side::Buy, Side::SellShort],
        matrix: [[1.5, 2.25], [3.5, 4.75]],
        corners: [address("a"), Address { city: Some("c".into()), ..address("b") }],
        prices: vec![limit("1.5"), Price::Market, limit("2.5")],
        ragged: vec![vec![], vec![1, -2]],
        options: vec![vec![Price::Market], vec![]],
        marks: vec![3, 1, 2],
        tags: vec!["x".into(), "y".into()],
        pair: [0.5, 0.25],
        stops: vec![address("s"), address("t")],
        folder: folder("root", vec![folder("empty", vec![]), folder("b", vec![leaf])]),
    }
}

/// Other arms, another value, one more item.
fn answer(mut trade: Trade) -> Trade {
    trade.side = Side::Buy;
    trade.price = Price::Market;
    let there = Address { street: "there".into(), city: Some("& then".into()) };
    trade.settlement = Some(Settlement::Delivery(there));
    trade.tags.push("answered".into());
    trade
}

/// What each caller prints of the answer: a line a value, and one with the number of entries of each list.
pub(crate) const ANSWER: &str = "side Buy
market
delivery.street there
delivery.city & then
address.street 1 High Street
single 0.5
whole 123456789012345678901234567890
exact 0.12345678901234567890123
hold P1Y2MT3S
notes 2
notes[0]
notes[1] zw\u{f6}lf <&>
flags 2
flags[0] true
flags[1] false
sides 2
sides[0] Buy
sides[1] SellShort
matrix 2
matrix[0] 2
matrix[0][0] 1.5
matrix[0][1] 2.25
matrix[1] 2
matrix[1][0] 3.5
matrix[1][1] 4.75
corners 2
corners[0].street a
corners[1].street b
corners[1].city c
prices 3
prices[0].limit 1.5
prices[1].market
prices[2].limit 2.5
ragged 2
ragged[0] 0
ragged[1] 2
ragged[1][0] 1
ragged[1][1] -2
options 2
options[0] 1
options[0][0].market
options[1] 0
marks 3
marks[0] 3
marks[1] 1
marks[2] 2
tags 3
tags[0] x
tags[1] y
tags[2] answered
pair 2
pair[0] 0.5
pair[1] 0.25
stops 2
stops[0].street s
stops[1].street t
folder.name root
folder.folders 2
folder.folders[0].name empty
folder.folders[1].name b
folder.folders[1].folders 1
folder.folders[1].folders[0].name leaf
folder.folders[1].folders[0].parent.name up
";

/// Where the service is in which binding.
pub(crate) const PATHS: [(&str, Binding); 4] = [
    ("/bare", Binding::document_literal_bare()),
    ("/wrapped", Binding::document_literal()),
    ("/soap12/bare", Binding::document_literal_bare().soap12()),
    ("/soap12/wrapped", Binding::document_literal().soap12()),
];

/// A server, and the trades that it took.
pub(crate) fn serve() -> (Running, Arc<Mutex<Vec<Trade>>>) {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = taken.clone();
    let mut service =
        Service::new("Shapes", "urn:shapes").operation("place", move |trade: Trade| {
            kept.lock().expect("no test failed").push(trade.clone());
            Ok::<_, Fault>(answer(trade))
        });
    for (path, binding) in PATHS {
        service = service.at(path, binding);
    }
    let server = Server::new().service(service).start("127.0.0.1:0").expect("our service starts");
    (server, taken)
}
