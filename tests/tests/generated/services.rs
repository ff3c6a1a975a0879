//! A client calls a service, both made from one WSDL.

use std::fs;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use trunkline_session::soap;

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
