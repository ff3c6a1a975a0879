//! A message with every note of XML, to test SOAP with.

use trunkline_message::Message;
use trunkline_wire::{Decimal, Text};

/// Members in a namespace of their own, of another, and of none.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:party", form = "qualified")]
#[allow(missing_docs)]
pub struct Party {
    #[xml(attribute)]
    pub code: Option<i32>,
    pub name: Text,
    #[xml(namespace = "urn:c")]
    pub city: Option<Text>,
    #[xml(form = "unqualified", nillable)]
    pub plain: Option<Text>,
}

/// A text with an attribute.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Money {
    #[xml(text)]
    pub amount: Option<Decimal>,
    #[xml(attribute)]
    pub currency: Text,
}

/// A choice whose arms are in two namespaces.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "urn:party")]
#[allow(missing_docs)]
pub enum Settled {
    #[xml(name = "Cash-amount")]
    Cash(Money),
    #[xml(namespace = "urn:c", form = "qualified")]
    Account(i64),
    By(Party),
}

/// What is there if something inside is.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Inside {
    #[xml(attribute)]
    pub open: Option<bool>,
    #[xml(nillable)]
    pub a: Option<i32>,
}

/// Every note.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Noted {
    #[xml(attribute)]
    pub id: i32,
    #[xml(attribute, spaced)]
    pub flags: Vec<Text>,
    #[xml(attribute, name = "lang", namespace = "urn:l")]
    pub language: Option<Text>,
    #[xml(name = "Order-ID")]
    pub order: Text,
    pub price: Money,
    #[xml(unwrapped)]
    pub fees: Vec<Money>,
    pub buyer: Option<Party>,
    #[xml(nillable)]
    pub seller: Option<Party>,
    #[xml(nillable)]
    pub note: Option<Text>,
    #[xml(spaced)]
    pub sizes: Vec<i32>,
    #[xml(spaced, nillable)]
    pub words: Option<Vec<Text>>,
    #[xml(form = "unqualified")]
    pub plain: Option<i64>,
    #[xml(form = "qualified")]
    pub full: Option<i64>,
    #[xml(namespace = "")]
    pub none: Option<Text>,
    #[field(implied)]
    pub inside: Inside,
    pub settled: Option<Settled>,
    #[xml(entry = "leg", namespace = "urn:c")]
    pub legs: Vec<Party>,
    #[xml(unwrapped)]
    pub steps: Vec<Settled>,
    pub parent: Option<Box<Noted>>,
}

fn money(amount: &str, currency: &str) -> Money {
    Money { amount: amount.parse().ok(), currency: currency.into() }
}

fn party(name: &str) -> Party {
    Party { name: name.into(), ..Party::default() }
}

/// One with something everywhere.
pub fn full() -> Noted {
    let some = |text: &str| Some(text.into());
    let whole = Party { code: Some(7), city: some("c"), plain: some("p"), ..party("a <b>") };
    Noted {
        id: 5,
        flags: vec!["a\"<".into(), "b".into()],
        language: some("de"),
        order: "X-1".into(),
        price: money("6.35", "EUR"),
        fees: vec![money("1", "\"&"), money("", "USD")],
        buyer: Some(whole.clone()),
        seller: Some(party("")),
        note: some(""),
        sizes: vec![1, -2, 3],
        words: Some(vec!["x".into(), "a&b".into()]),
        plain: Some(1),
        full: Some(2),
        none: some("none"),
        inside: Inside { open: Some(true), a: None },
        settled: Some(Settled::Cash(money("0.5", ""))),
        legs: vec![whole, party("leg")],
        steps: vec![Settled::Account(1), Settled::By(party("by")), Settled::Account(2)],
        parent: Some(Box::new(Noted { id: -1, ..Noted::default() })),
    }
}

/// Ones with much, with little, and with nothing.
pub fn all() -> Vec<Noted> {
    let some = Noted {
        buyer: None,
        words: Some(vec![]),
        inside: Inside { open: None, a: Some(1) },
        settled: Some(Settled::By(party("b"))),
        legs: vec![],
        parent: None,
        ..full()
    };
    vec![full(), some, Noted::default(), full()]
}
