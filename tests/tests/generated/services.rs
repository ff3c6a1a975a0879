//! A client calls a service, both made from one WSDL.

use std::fs;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use trunkline_session::soap;

use super::desk::{
    Ask, Ask2, Change, Change2, DeskPortClient, DeskPortService, GridsPortClient, GridsPortService,
    LimitAsk, Number, Order, Order2, OrderResponse, Stop, Turn, TurnResponse, desk_port_service,
    grids_port_service,
};
use super::folder;
use super::quotes::{
    Add, AddResponse, Choice, Forget, Instrument, Price, Quote, QuoteResponse, QuotesPortClient,
    QuotesPortService, SumsPortClient, SumsPortService, Venue, quotes_port_service,
    sums_port_service,
};

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
