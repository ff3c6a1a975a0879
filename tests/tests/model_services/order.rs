//! A message with every note of XML, its service, and what its callers print of the answer.

use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{Binding, Fault, Running, Server, Service};
use trunkline_wire::Decimal;

/// In a namespace of its own, with one member of another, and one of none.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:party", form = "qualified")]
pub(crate) struct Party {
    #[xml(attribute)]
    code: Option<i32>,
    name: String,
    #[xml(namespace = "urn:other")]
    city: Option<String>,
    #[xml(form = "unqualified", nillable)]
    plain: Option<String>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Money {
    #[xml(text)]
    amount: Decimal,
    #[xml(attribute)]
    currency: Option<String>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
pub(crate) struct Order {
    #[xml(attribute)]
    id: i32,
    #[xml(attribute, spaced)]
    flags: Vec<String>,
    #[xml(attribute, namespace = "urn:other")]
    lang: Option<String>,
    #[xml(name = "Order-ID")]
    number: String,
    price: Money,
    #[xml(unwrapped)]
    fees: Vec<Money>,
    buyer: Option<Party>,
    #[xml(nillable)]
    seller: Option<Party>,
    #[xml(nillable)]
    note: Option<String>,
    #[xml(spaced)]
    sizes: Vec<i32>,
    #[xml(form = "unqualified")]
    plain: Option<i64>,
    #[xml(form = "qualified")]
    full: Option<i64>,
    #[xml(namespace = "urn:other")]
    code: Option<String>,
    #[xml(entry = "leg", namespace = "urn:other")]
    legs: Vec<Party>,
}

fn money(amount: &str, currency: Option<&str>) -> Money {
    Money { amount: amount.parse().expect("a decimal"), currency: currency.map(str::to_owned) }
}

fn party(name: &str) -> Party {
    Party { name: name.into(), ..Party::default() }
}

/// What every toolkit sends.
pub(crate) fn order() -> Order {
    let some = |text: &str| Some(text.to_owned());
    Order {
        id: 5,
        flags: vec!["a".into(), "b<".into()],
        lang: some("de"),
        number: "X-1".into(),
        price: money("6.35", Some("EUR")),
        fees: vec![money("1", Some("\"&")), money("2", None)],
        buyer: Some(Party { code: Some(7), city: some("C & D"), ..party("N") }),
        seller: None,
        note: some("n"),
        sizes: vec![1, -2, 3],
        plain: Some(1),
        full: Some(2),
        code: some("K"),
        legs: vec![
            Party { plain: some("p"), ..party("l") },
            Party { city: some("D"), ..party("m") },
        ],
    }
}

/// With one more item, and nil where there was a value.
pub(crate) fn answered(mut order: Order) -> Order {
    order.number = "X-2".into();
    order.flags.push("c".into());
    order.fees.push(money("0.5", Some("C")));
    order.seller = order.buyer.take();
    order.note = None;
    order
}

/// What each caller prints of the answer: `-` where there is nothing.
pub(crate) const ORDER_ANSWER: &str = "id 5
flags a b< c
lang de
number X-2
price 6.35 EUR
fees 3
fees[0] 1 \"&
fees[1] 2 -
fees[2] 0.5 C
buyer -
seller 7 N C & D -
note -
sizes 1 -2 3
plain 1
full 2
code K
legs 2
legs[0] - l - p
legs[1] - m D -
";

pub(crate) const ORDER_PATHS: [(&str, Binding); 4] = [
    ("/bare", Binding::document_literal_bare()),
    ("/wrapped", Binding::document_literal()),
    ("/unqualified", Binding::document_literal_bare().unqualified()),
    ("/soap12", Binding::document_literal().unqualified().soap12()),
];

/// A server, and the orders that it took.
pub(crate) fn serve_orders() -> (Running, Arc<Mutex<Vec<Order>>>) {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = taken.clone();
    let mut service = Service::new("Notes", "urn:notes").operation("place", move |order: Order| {
        kept.lock().expect("no test failed").push(order.clone());
        Ok::<_, Fault>(answered(order))
    });
    for (path, binding) in ORDER_PATHS {
        service = service.at(path, binding);
    }
    let server = Server::new().service(service).start("127.0.0.1:0").expect("our service starts");
    (server, taken)
}
