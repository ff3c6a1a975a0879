//! The desk: a service whose messages have every type that the toolkits share, and what all that call it or
//! are called in its place say to each other.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Context, Fault, FaultCode, Running, Server, Service,
    element, header,
};
use trunkline_wire::{Date, Decimal, Duration, Time, Timestamp};

pub(crate) const NAMESPACE: &str = "urn:desk";

#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Buy,
    SellShort,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
pub(crate) enum Price {
    Limit(Decimal),
    Peg(Peg),
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Peg {
    to: String,
    offset: Decimal,
}

/// In a namespace of its own.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "urn:desk:party", form = "qualified")]
pub(crate) struct Party {
    #[xml(attribute)]
    code: Option<i32>,
    name: String,
    city: Option<String>,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Leg {
    symbol: String,
    quantity: i64,
    ratio: Option<f64>,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Order {
    #[xml(attribute)]
    id: i32,
    #[xml(attribute)]
    channel: Option<String>,
    side: Side,
    /// So named that it is in JSON as where it has no name: in what is read of a WSDL.
    choice: Price,
    buyer: Party,
    seller: Option<Party>,
    #[xml(list = "unwrapped")]
    notes: Vec<String>,
    #[xml(list = "unwrapped")]
    legs: Vec<Leg>,
    sizes: Vec<i32>,
    comment: Option<String>,
    quantity: i64,
    rate: f64,
    total: Decimal,
    open: bool,
    raw: Vec<u8>,
    at: Timestamp,
    day: Date,
    clock: Time,
    hold: Duration,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) order: Order,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) placed: Order,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Refuse {
    quantity: i64,
}

#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Refused {
    refused: bool,
}

/// The detail of a fault, with a struct inside.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    most: i64,
    why: String,
    window: Window,
}

/// How long a limit holds, and where it changes.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Window {
    until: Date,
    #[xml(list = "unwrapped")]
    steps: Vec<i32>,
}

/// The header block of requests.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Session {
    token: String,
}

/// The header block of answers.
#[derive(Message, Clone, Debug, PartialEq)]
pub(crate) struct Receipt {
    number: i32,
}

const REASON: &str = "too many";

/// What a caller prints after its calls: the number of the receipt, and of the fault the reason and the detail.
pub(crate) const PRINTED: &str = "receipt 17\nreceipt 17\ntoo many: 7 a < b until 2026-03-01 3 5\n";

fn text<T>(parsed: Result<T, trunkline_wire::ValueError>) -> T {
    parsed.unwrap_or_else(|_| panic!("a value of XML Schema"))
}

impl Order {
    /// As toolkits have it whose days have no zone.
    pub(crate) fn with_days_without_zone(mut self) -> Self {
        self.day = text(Date::parse_xml(b"2026-02-28"));
        self
    }

    /// As toolkits have it that make of a day with a zone the day in London when it begins.
    pub(crate) fn with_days_of_utc(mut self) -> Self {
        self.day = text(Date::parse_xml(b"2026-02-27"));
        self
    }

    /// As toolkits have it that trim texts.
    pub(crate) fn with_comment_trimmed(mut self) -> Self {
        self.comment = self.comment.map(|it| it.trim().to_owned());
        self
    }

    /// As toolkits have it whose attributes cannot be absent.
    pub(crate) fn with_codes(mut self) -> Self {
        if let Some(seller) = &mut self.seller {
            seller.code = Some(seller.code.unwrap_or_default());
        }
        self
    }
}

/// What everybody sends.
pub(crate) fn order() -> Order {
    let leg = |symbol: &str, quantity, ratio| Leg { symbol: symbol.into(), quantity, ratio };
    Order {
        id: 7,
        channel: Some("fax & phone".into()),
        side: Side::SellShort,
        choice: Price::Limit(text("6.35".parse())),
        buyer: Party { code: Some(5), name: "Z\u{fc}rich <&>".into(), city: Some("Z".into()) },
        seller: None,
        notes: vec!["one".into(), "two  words".into()],
        legs: vec![leg("IBM", 5_000_000_000, Some(0.5)), leg("CBG", -1, None)],
        sizes: vec![1, -2, 3],
        comment: None,
        quantity: 5_000_000_000,
        rate: 0.25,
        total: text("12345678.25".parse()),
        open: true,
        raw: vec![0, 255, 10],
        at: text(Timestamp::parse_xml(b"2026-02-28T23:30:15.25-05:00")),
        day: text(Date::parse_xml(b"2026-02-28+02:00")),
        clock: text(Time::parse_xml(b"10:15:30+01:00")),
        hold: text(Duration::parse_xml(b"P1DT2H")),
    }
}

/// The answer to it.
pub(crate) fn answered(mut order: Order) -> Order {
    order.id += 1;
    order.side = Side::Buy;
    order.choice = Price::Peg(Peg { to: "bid".into(), offset: text("-0.05".parse()) });
    order.seller = Some(Party { code: None, name: "N".into(), city: None });
    order.notes.push("seen".into());
    order.legs.remove(0);
    order.sizes.clear();
    order.comment = Some(" seen ".into());
    order.open = false;
    order
}

/// What shows that an order may be placed.
pub(crate) fn session() -> Session {
    Session { token: "T-1 <&>".into() }
}

/// What comes back beside it.
pub(crate) fn receipt() -> Receipt {
    Receipt { number: 17 }
}

/// The detail of the fault with which everybody refuses.
fn limit() -> Limit {
    let window = Window { until: text(Date::parse_xml(b"2026-03-01")), steps: vec![3, 5] };
    Limit { most: 7, why: "a < b".into(), window }
}

pub(crate) const PATHS: [(&str, Binding); 4] = [
    ("/literal", Binding::document_literal()),
    ("/soap12", Binding::document_literal().soap12()),
    ("/rpc", Binding::rpc_literal()),
    ("/encoded", Binding::rpc_encoded()),
];

/// The binding at a path.
pub(crate) fn binding(path: &str) -> Binding {
    let found = PATHS.iter().find(|(known, _)| *known == path);
    found.map(|(_, binding)| *binding).expect("a path of the desk")
}

/// The desk, and the orders that it took.
pub(crate) fn serve() -> (Running, Arc<Mutex<Vec<Order>>>) {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = taken.clone();
    let place = move |request: Place, context: &mut Context| {
        let shown: Option<Session> = context.header()?;
        if shown != Some(session()) {
            return Err(Fault::sender(format!("not the token: {shown:?}")));
        }
        context.add_header(&receipt())?;
        kept.lock().expect("no test failed").push(request.order.clone());
        Ok(Placed { placed: answered(request.order) })
    };
    let refuse = |_: Refuse| {
        let detail = element::write(&limit(), NAMESPACE)?;
        Err::<Refused, _>(Fault::sender(REASON).with_detail(detail))
    };
    let mut service = Service::new("Desk", NAMESPACE)
        .operation("place", place)
        .operation_header::<Session>()
        .operation_reply_header::<Receipt>()
        .operation("refuse", refuse)
        .fault::<Limit>();
    for (path, binding) in PATHS {
        service = service.at(path, binding);
    }
    let server = Server::new().service(service).start("127.0.0.1:0").expect("our service starts");
    (server, taken)
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Corner {
    x: i32,
    y: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Rectangle {
    corner: Corner,
    width: i32,
    height: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Area {
    area: i32,
}

/// A service whose parameters are told by their positions, or by their names alone.
pub(crate) fn serve_rectangles() -> Running {
    let service = Service::new("Rectangles", NAMESPACE)
        .operation("area", |rectangle: Rectangle| {
            Ok::<_, Fault>(Area { area: rectangle.width * rectangle.height })
        })
        .at("/by-position", Binding::rpc_encoded().by_position())
        .at("/by-name", Binding::rpc_encoded());
    Server::new().service(service).start("127.0.0.1:0").expect("our service starts")
}

/// A client that shows the token.
pub(crate) fn client(url: &str, binding: Binding) -> Client {
    let mut client =
        Client::with(url, NAMESPACE, binding, ClientConfig::default()).expect("a client");
    client.set_header(vec![header::block(&session(), NAMESPACE).expect("a header block")]);
    client
}

/// A file with the WSDL of the binding at a path.
pub(crate) fn wsdl(path: &str, folder: &Path) -> PathBuf {
    let (server, _) = serve();
    let url = format!("http://{}{path}?wsdl", server.address());
    let text = client(&url, binding(path)).get().expect("the WSDL");
    let file = folder.join("desk.wsdl");
    std::fs::write(&file, text).expect("a file");
    file
}

/// Has our client say to a service what the toolkits say to ours; `seen` is what the service makes of an
/// order that it only takes and gives back.
#[track_caller]
pub(crate) fn call(url: &str, binding: Binding, seen: impl Fn(Order) -> Order) {
    let mut client = place(url, binding, seen);
    client.set_header(Vec::new());
    match client.call::<_, Refused>("refuse", &Refuse { quantity: 8 }) {
        Err(CallError::Fault(fault)) => {
            assert_refuses(&fault);
            // Some toolkits have more beside it.
            let element = fault.detail.iter().find(|it| it.name().local == "Limit");
            let detail = element.map(element::read::<Limit>).transpose();
            let detail = detail.unwrap_or_else(|error| panic!("{error} in {fault:?}"));
            assert_is_limit(detail, &fault);
        }
        other => panic!("{other:?}"),
    }
}

/// Places orders.
#[track_caller]
fn place(url: &str, binding: Binding, seen: impl Fn(Order) -> Order) -> Client {
    let mut client = client(url, binding);
    for _ in 0..2 {
        let answer: Placed = client
            .call("place", &Place { order: order() })
            .unwrap_or_else(|error| panic!("{url}: {error}\n{}", client.last_answer()));
        assert_eq!(answer.placed, seen(answered(seen(order()))), "{}", client.last_answer());
        let block: Option<Receipt> = client.reply_header().expect("a header block");
        assert_eq!(block, Some(receipt()), "{}", client.last_answer());
    }
    client
}

/// The detail of a fault is that with which a toolkit refuses.
#[track_caller]
pub(crate) fn assert_is_limit(detail: Option<Limit>, fault: &Fault) {
    let mut in_utc = limit();
    // strong-soap writes the days of faults with a zone, whatever its options say.
    in_utc.window.until = text(Date::parse_xml(b"2026-03-01Z"));
    assert!([Some(limit()), Some(in_utc)].contains(&detail), "{detail:?} in {fault:?}");
}

/// The code and the reason of a fault are those with which a toolkit refuses.
#[track_caller]
pub(crate) fn assert_refuses(fault: &Fault) {
    // JAX-WS has but one code for what its methods throw.
    let is_known = matches!(fault.code, FaultCode::Sender | FaultCode::Receiver);
    // .NET puts its own name for it before the reason, and a trace behind.
    assert!(is_known && fault.reason.contains(REASON), "{fault:?}");
}
