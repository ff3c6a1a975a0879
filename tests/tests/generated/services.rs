//! A client calls a service, both made from one WSDL, or from one file of IDL.

use std::fs;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use trunkline_codec::json;
use trunkline_import::wsdl;
use trunkline_message::{Record, Structure as _};
use trunkline_session::soap::{self, element};

use super::desk::{
    Ask, Ask2, Change, Change2, DeskPortClient, DeskPortService, GridsPortClient, GridsPortService,
    LimitAsk, Number, Order, Order2, OrderResponse, Stop, Turn, TurnResponse, desk_port_service,
    grids_port_service,
};
use super::quotes::{
    Add, AddResponse, Choice, Forget, Instrument, Price, Quote, QuoteResponse, QuotesPortClient,
    QuotesPortService, SumsPortClient, SumsPortService, Venue, quotes_port_service,
    sums_port_service,
};
use super::{description, folder, trading};

struct Quotes(Mutex<Sender<String>>);

impl QuotesPortService for Quotes {
    fn get_quote(
        &self,
        request: Quote,
        context: &mut soap::Context,
    ) -> Result<QuoteResponse, soap::Fault> {
        assert_eq!(context.operation(), "GetQuote");
        if request.venue.is_empty() {
            return Err(soap::Fault::sender("no venue"));
        }
        let price = Price { value: "6.35".parse().expect("a number"), currency: "EUR".into() };
        let at = "2004-02-29T12:30:00Z".parse().expect("a time");
        Ok(QuoteResponse { price: vec![price; usize::from(request.depth)], at })
    }

    fn forget(&self, request: Forget) -> Result<(), soap::Fault> {
        let forgotten = self.0.lock().expect("nobody panicked");
        forgotten.send(request.symbol.to_string()).expect("the test waits");
        Ok(())
    }
}

struct Sums;

impl SumsPortService for Sums {
    fn add(&self, request: Add, _: &mut soap::Context) -> Result<AddResponse, soap::Fault> {
        Ok(AddResponse { sum: i64::from(request.a) + i64::from(request.b) })
    }
}

#[test]
fn a_client_calls_a_service_that_were_made_from_one_wsdl() {
    let wsdl = fs::read_to_string(folder().join("quotes.wsdl")).expect("the WSDL");
    let (forgotten, is_forgotten) = channel();
    let server = soap::Server::new()
        .service(quotes_port_service(Quotes(Mutex::new(forgotten)), &wsdl))
        .service(sums_port_service(Sums, &wsdl))
        .start("127.0.0.1:0")
        .expect("a server");
    let url = |path: &str| format!("http://{}{path}", server.address());

    let mut quotes = QuotesPortClient::new(&url("/quotes")).expect("a URL");
    let bond = Instrument::Instrument(super::quotes::Instrument2 { symbol: "GB00".into() });
    let mut quote = Quote {
        instrument: bond,
        hedge: None,
        choice: Choice::Quantity(7),
        venue: vec![Venue::Xlon, Venue::DarkPool],
        r#type: None,
        depth: 2,
    };
    let answer = quotes.get_quote(&quote).expect("an answer");
    assert_eq!((answer.price.len(), &*answer.price[1].currency), (2, "EUR"));
    quote.venue.clear();
    let fault = quotes.get_quote(&quote).expect_err("a fault");
    assert_eq!(fault.to_string(), "Sender: no venue");
    quotes.forget(&Forget { symbol: "MSFT".into() }).expect("it is taken");
    assert_eq!(is_forgotten.recv().as_deref(), Ok("MSFT"));

    let mut sums = SumsPortClient::new(&url("/sums")).expect("a URL");
    assert_eq!(sums.add(&Add { a: 40, b: 2 }).expect("an answer").sum, 42);

    let served = sums.client().get().expect("the WSDL");
    let served = String::from_utf8(served).expect("text");
    assert!(served.contains(&url("/sums")), "{served}");
}

struct Desk(Mutex<Sender<&'static str>>);

impl DeskPortService for Desk {
    fn order(&self, request: Order, _: &mut soap::Context) -> Result<OrderResponse, soap::Fault> {
        let note = format!("{} for {}", request.order.symbol, request.account);
        Ok(OrderResponse { number: request.order.quantity.into(), note: (&*note).into() })
    }

    fn ask(&self, request: Ask, _: &mut soap::Context) -> Result<Number, soap::Fault> {
        let Ask2::LimitAsk(ask) = request.ask;
        Ok(Number { value: ask.symbol.len() as i64 })
    }

    fn change(&self, request: Change, _: &mut soap::Context) -> Result<Number, soap::Fault> {
        let value = match request.change {
            Change2::Cancel(number) => -number,
            Change2::Stop(number) => number,
        };
        Ok(Number { value })
    }

    fn halt(&self, request: Stop, _: &mut soap::Context) -> Result<Number, soap::Fault> {
        Ok(Number { value: request.value + 100 })
    }

    fn ping(&self, _: soap::Nothing, _: &mut soap::Context) -> Result<soap::Nothing, soap::Fault> {
        self.0.lock().expect("nobody panicked").send("ping").expect("the test waits");
        Ok(soap::Nothing {})
    }

    fn close(&self, _: soap::Nothing) -> Result<(), soap::Fault> {
        self.0.lock().expect("nobody panicked").send("close").expect("the test waits");
        Ok(())
    }
}

struct Grids;

impl GridsPortService for Grids {
    fn turn(&self, request: Turn, _: &mut soap::Context) -> Result<TurnResponse, soap::Fault> {
        let column = |index| request.grid.iter().map(|row| row[index]).collect();
        let columns = request.grid.first().map_or(0, Vec::len);
        Ok(TurnResponse { grid: (0..columns).map(column).collect() })
    }
}

/// WSDL 1.1 section 3.5; SOAP 1.1 section 5.4.2.
#[test]
fn documents_of_several_parts_or_none_and_arrays_of_two_dimensions_are_called() {
    let wsdl = fs::read_to_string(folder().join("desk.wsdl")).expect("the WSDL");
    let (called, is_called) = channel();
    let server = soap::Server::new()
        .service(desk_port_service(Desk(Mutex::new(called)), &wsdl))
        .service(grids_port_service(Grids, &wsdl))
        .start("127.0.0.1:0")
        .expect("a server");
    let url = |path: &str| format!("http://{}{path}", server.address());
    let mut desk = DeskPortClient::new(&url("/desk")).expect("a URL");
    let order = Order2 { symbol: "MSFT".into(), quantity: 7 };
    let answer = desk.order(&Order { order, account: "A1".into() }).expect("an answer");
    assert_eq!((answer.number, &*answer.note), (7, "MSFT for A1"));
    let limit = LimitAsk { symbol: "IBM".into(), limit: "1.5".parse().expect("a number") };
    assert_eq!(desk.ask(&Ask { ask: Ask2::LimitAsk(limit) }).expect("an answer").value, 3);
    // Either element calls the operation, also where another one begins with it and has an action of its own.
    for number in 1..=3 {
        let change = |change| Change { change };
        let answer = desk.change(&change(Change2::Cancel(number))).expect("an answer");
        assert_eq!(answer.value, -number);
        let answer = desk.change(&change(Change2::Stop(number))).expect("an answer");
        assert_eq!(answer.value, number);
        assert_eq!(desk.halt(&Stop { value: number }).expect("an answer").value, number + 100);
    }
    desk.ping(&soap::Nothing {}).expect("an answer");
    assert_eq!(is_called.recv(), Ok("ping"));
    desk.close(&soap::Nothing {}).expect("it is taken");
    assert_eq!(is_called.recv(), Ok("close"));

    let mut grids = GridsPortClient::new(&url("/grids")).expect("a URL");
    let answer = grids.turn(&Turn { grid: vec![vec![1, 2, 3], vec![4, 5, 6]] });
    assert_eq!(answer.expect("an answer").grid, [[1, 4], [2, 5], [3, 6]]);
    let error = grids.turn(&Turn { grid: vec![vec![1], vec![]] }).expect_err("rows of two lengths");
    assert!(error.to_string().contains("have not all the same number of items"), "{error}");
}

struct Trading(Mutex<Sender<&'static str>>);

impl trading::DeskService for Trading {
    fn get_name(
        &self,
        _: soap::Nothing,
        _: &mut soap::Context,
    ) -> Result<trading::GetName, soap::Fault> {
        Ok(trading::GetName { result: "desk".into() })
    }

    fn place(
        &self,
        request: trading::Place,
        _: &mut soap::Context,
    ) -> Result<trading::Place2, soap::Fault> {
        if request.placed.legs.is_empty() {
            let why = trading::Rejected { why: "no legs".into() };
            let detail = element::write(&why, "urn:service").expect("it has a form");
            return Err(soap::Fault::receiver("nothing is ordered").with_detail(detail));
        }
        let price = request.placed.legs.iter().map(|it| it.ratio).sum();
        Ok(trading::Place2 { result: request.placed.id, price, note: request.note })
    }

    fn stop(&self, _: soap::Nothing) -> Result<(), soap::Fault> {
        self.0.lock().expect("nobody panicked").send("stop").expect("the test waits");
        Ok(())
    }
}

/// An interface with what it inherits. What goes over the wire is what the WSDL says that is written of the same file.
#[test]
fn a_client_calls_a_service_that_were_made_from_one_interface_of_idl() {
    let read = description("trading.idl");
    let written = trunkline_export::wsdl::of_description(&read, None, "", "trading");
    let written = written.expect("the WSDL");
    let [(_, wsdl)] = &*written.beside else { panic!("{:?}", written.left_out) };
    let (stopped, is_stopped) = channel();
    let server = soap::Server::new()
        .service(trading::desk_service(Trading(Mutex::new(stopped)), wsdl))
        .start("127.0.0.1:0")
        .expect("a server");
    let url = format!("http://{}/Desk", server.address());
    let mut desk = trading::DeskClient::new(&url).expect("a URL");
    let mut placed = trading::Place { placed: order(), note: "a < b".into() };
    let answer = desk.place(&placed).expect("an answer");
    let expected = trading::Place2 { result: 7, price: 1.75, note: "a < b".into() };
    assert_eq!(answer, expected);
    assert_eq!(&*desk.get_name(&soap::Nothing {}).expect("an answer").result, "desk");
    desk.stop(&soap::Nothing {}).expect("it is taken");
    assert_eq!(is_stopped.recv(), Ok("stop"));
    placed.placed.legs.clear();
    let soap::CallError::Fault(fault) = desk.place(&placed).expect_err("a fault") else {
        panic!("no fault")
    };
    let why: trading::Rejected = element::read(&fault.detail[0]).expect("a detail");
    assert_eq!(&*why.why, "no legs");

    // Whoever has the WSDL alone is understood as well.
    let limits = trunkline_import::Limits::default();
    let mut files = |_: &str| Ok::<_, String>(Some(wsdl.clone().into_bytes()));
    let described = wsdl::Description::read("Desk.wsdl", &mut files, &limits).expect("a WSDL");
    let bound = &described.bindings()[0];
    let operation = bound.operations.iter().find(|it| it.name == "place").expect("it is there");
    let request = described.request(bound, operation).expect("a layout").expect("a request");
    let response = described.response(bound, operation).expect("a layout").expect("an answer");
    let (asks, answers) = (Arc::new(request.layout), Arc::new(response.layout));
    let signature = soap::Signature::new("place", "", (&asks, &request.options))
        .and_then(|it| it.answered((&answers, &response.options)))
        .expect("a signature");
    placed.placed = order();
    let plan = |layout| json::Plan::new(layout, &json::Options::default()).expect("a plan");
    let mut encoder = json::Encoder::new(&plan(trading::Place::layout()));
    let text = encoder.encode(&placed).expect("JSON");
    // A schema has no lists in lists but by elements of the inner ones, and choices have no names.
    let mut value: serde_json::Value = serde_json::from_slice(text).expect("JSON");
    value["placed"]["choice"] = value["placed"]["settled"].take();
    value["placed"].as_object_mut().expect("an object").remove("settled");
    value["placed"]["corners"] =
        [[1, 2, 3], [-1, -2, -3]].map(|row| serde_json::json!({ "item": row })).into();
    let (text, mut asked) = (value.to_string(), Record::new(&asks));
    let mut decoder = json::Decoder::new(&plan(&asks));
    decoder.decode(text.as_bytes(), &mut asked).expect("the same message");
    let mut answer = Record::new(&answers);
    desk.client().call_record(&signature, &asked, &mut answer).expect("an answer");
    assert_eq!(answer.get("note"), asked.get("note"));
    assert!(answer.get("note").is_some());
}

fn order() -> trading::Order {
    let leg = |symbol: &str, ratio| trading::Leg { symbol: symbol.into(), ratio };
    trading::Order {
        id: 7,
        direction: trading::Side::SellShort,
        limit: Some(6.35),
        settled: trading::Settlement::Borrowed2(1 << 40),
        legs: vec![leg("MSFT", 1.5), leg("INTC", 0.25)],
        signature: vec![0, 255],
        corners: [[1, 2, 3], [-1, -2, -3]],
        r#type: "limit".into(),
        children: Vec::new(),
    }
}
