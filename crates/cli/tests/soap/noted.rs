//! What `trunkline soap call` writes and prints of attributes, texts with attributes, lists in one text, nil
//! and several namespaces, as the WSDL of a service of ours says.

use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{Binding, Fault, Running, Server, Service};
use trunkline_wire::{Decimal, Text};

use super::said;
use super::site::Site;

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:party", form = "qualified")]
struct Party {
    #[xml(attribute)]
    code: Option<i32>,
    name: Text,
    #[xml(namespace = "urn:other")]
    city: Option<Text>,
    #[xml(form = "unqualified", nillable)]
    plain: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Money {
    #[xml(text)]
    amount: Decimal,
    #[xml(attribute)]
    currency: Text,
    #[xml(attribute, namespace = "urn:other")]
    kind: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Order {
    #[xml(attribute)]
    id: i32,
    #[xml(attribute, spaced)]
    flags: Vec<Text>,
    #[xml(name = "Order-ID")]
    number: Text,
    price: Money,
    #[xml(unwrapped)]
    fees: Vec<Money>,
    buyer: Option<Party>,
    #[xml(nillable)]
    note: Option<Text>,
    #[xml(spaced)]
    sizes: Vec<i32>,
    #[xml(namespace = "urn:other")]
    other: Option<i64>,
    #[xml(entry = "leg", namespace = "urn:other")]
    legs: Vec<Party>,
}

const PATHS: [(&str, Binding); 4] = [
    ("/wrapped", Binding::document_literal()),
    ("/bare", Binding::document_literal_bare()),
    ("/unqualified", Binding::document_literal().unqualified()),
    ("/soap12", Binding::document_literal().soap12()),
];

/// A service that gives back what it was sent, and what it was sent last.
fn start() -> (Running, Arc<Mutex<Order>>) {
    let taken = Arc::new(Mutex::new(Order::default()));
    let kept = taken.clone();
    let place = move |order: Order| {
        order.clone_into(&mut kept.lock().expect("no request failed"));
        Ok::<_, Fault>(order)
    };
    let mut service = Service::new("Orders", "urn:orders").operation("place", place);
    for (path, binding) in PATHS {
        service = service.at(path, binding);
    }
    (Server::new().service(service).start("127.0.0.1:0").expect("a server"), taken)
}

const GIVEN: [&str; 16] = [
    "@id=5",
    "@flags=a b",
    "Order-ID=X-1",
    "price=6.35",
    "price@currency=EUR",
    "price@kind=net",
    "fees[0]=1",
    "fees[0]@currency=A",
    "fees[1]=2",
    "fees[1]@currency=\"&<",
    "buyer@code=7",
    "buyer.name=N",
    "buyer.city=C",
    "buyer.plain:nil=",
    "sizes=1 -2 3",
    "note=n",
];

#[test]
fn what_notes_say_is_sent_and_printed() {
    let (server, taken) = start();
    let money = |amount: &str, currency: &str| Money {
        amount: amount.parse().expect("a decimal"),
        currency: currency.into(),
        kind: None,
    };
    let party = |name: &str| Party { name: name.into(), ..Party::default() };
    let expected = Order {
        id: 5,
        flags: vec!["a".into(), "b".into()],
        number: "X-1".into(),
        price: Money { kind: Some("net".into()), ..money("6.35", "EUR") },
        fees: vec![money("1", "A"), money("2", "\"&<")],
        buyer: Some(Party { code: Some(7), city: Some("C".into()), ..party("N") }),
        note: Some("n".into()),
        sizes: vec![1, -2, 3],
        other: Some(9),
        legs: vec![party("l"), party("m")],
    };
    let more = ["other=9", "legs.leg[0].name=l", "legs.leg[1].name=m"];
    for (path, _) in PATHS {
        let url = format!("http://{}{path}", server.address());
        let (status, out, err) = said(&[&[&*url, "place"], &GIVEN[..], &more].concat());
        assert_eq!(status, Some(0), "{path}: {err}");
        assert_eq!(*taken.lock().expect("no request failed"), expected, "{path}");
        for line in [
            "@id = 5",
            "@flags = a b",
            "Order-ID = X-1",
            "price@currency = EUR",
            "price@kind = net",
            "price = 6.35",
            "fees[1]@currency = \"&<",
            "buyer@code = 7",
            "buyer.city = C",
            "buyer.plain:nil = ",
            "sizes = 1 -2 3",
            "other = 9",
            "legs.leg[1].name = m",
        ] {
            assert!(out.lines().any(|it| it == line), "{path}: no {line:?} in {out}");
        }
    }
}

#[test]
fn what_the_wsdl_does_not_allow_is_rejected() {
    let (server, _) = start();
    let url = format!("http://{}/wrapped", server.address());
    for (without, more, words) in [
        ("@id=5", "", "@id is missing: place needs it (int); say @id=VALUE"),
        ("price@currency=EUR", "", "price@currency is missing: Money needs it (string)"),
        ("@id=5", "@id=five", "@id=five: it takes int"),
        ("", "@colour=red", "@colour: place takes @id, @flags"),
        ("", "note@lang=de", "note@lang: string takes no attributes"),
        ("", "@id=6", "it stands twice"),
        ("", "price@1=a", "\"1\" is no name of an attribute"),
        ("price=6.35", "", "price has no value (decimal): say price=VALUE"),
        ("sizes=1 -2 3", "sizes=1 x", "sizes=1 x: it takes list of int"),
    ] {
        let mut arguments = vec![&*url, "place"];
        arguments.extend(GIVEN.iter().filter(|it| **it != without));
        arguments.extend(Some(more).filter(|it| !it.is_empty()));
        let (status, out, err) = said(&arguments);
        assert_eq!((status, &*out), (Some(2), ""), "{without} {more}: {err}");
        assert!(err.contains(words), "{without} {more}: no {words:?} in {err}");
    }
}

#[test]
fn without_a_wsdl_elements_may_be_in_no_namespace_and_have_attributes() {
    let answer = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
        <r b='1'><text a='2'>yes</text></r></e:Body></e:Envelope>";
    for (unqualified, inside) in [(true, "<a.b x=\"1\">7</a.b>"), (false, ":a.b x=\"1\">7</")] {
        let site = Site::start(&[], answer);
        let url = site.url("/");
        let mut arguments = vec![&*url, "ask", "--namespace", "urn:t", r"a\.b=7", r"a\.b@x=1"];
        arguments.push("@y=2");
        arguments.extend(unqualified.then_some("--unqualified"));
        let (status, out, err) = said(&arguments);
        assert_eq!((status, &*out), (Some(0), "@b = 1\ntext@a = 2\ntext = yes\n"), "{err}");
        let sent = site.asked().posted.concat();
        assert!(sent.contains(" y=\"2\""), "{sent}");
        assert!(sent.contains(inside), "{unqualified}: no {inside} in {sent}");
    }
}
