//! The messages of quotes.wsdl, by `trunkline schema --rust`. Change the description and make them again, or change them
//! here. In a crate that asks for documentation: `#[allow(missing_docs)] mod ...;`

use trunkline_message::Message;
use trunkline_session::soap;
use trunkline_wire::{Decimal, Text, Timestamp};

/// `Instrument`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "Instrument")]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub struct Instrument2 {
    pub symbol: Text,
}

/// `Bond`.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub struct Bond {
    pub symbol: Text,
    pub coupon: Decimal,
}

/// `Instrument`.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
pub enum Instrument {
    #[xml(type = "Instrument", namespace = "urn:quotes", base)]
    Instrument(Instrument2),
    #[xml(type = "Bond", namespace = "urn:quotes")]
    Bond(Bond),
}

/// `choice`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "choice")]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub enum Choice {
    #[field(name = "quantity")]
    Quantity(i32),
    #[field(name = "notional")]
    Notional(Decimal),
}

/// `Venue`.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Venue {
    #[field(name = "XLON")]
    Xlon,
    #[field(name = "dark pool")]
    DarkPool,
}

/// What `GetQuote` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "quote")]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub struct Quote {
    pub instrument: Instrument,
    pub hedge: Option<Instrument>,
    pub choice: Choice,
    #[xml(unwrapped)]
    pub venue: Vec<Venue>,
    #[xml(nillable)]
    pub r#type: Option<Text>,
    #[xml(attribute)]
    pub depth: u16,
}

/// `Price`.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Price {
    #[xml(text)]
    pub value: Decimal,
    #[field(default = "USD")]
    #[xml(attribute)]
    pub currency: Text,
}

/// What `GetQuote` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "quoteResponse")]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub struct QuoteResponse {
    #[field(required)]
    #[xml(unwrapped)]
    #[facet(min_items = 1)]
    pub price: Vec<Price>,
    pub at: Timestamp,
}

/// The detail of the fault `unknown` of `GetQuote`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "unknownSymbol")]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub struct UnknownSymbol {
    pub symbol: Text,
}

/// What `Forget` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "forget")]
#[xml(namespace = "urn:quotes", form = "qualified")]
pub struct Forget {
    pub symbol: Text,
}

/// What `add` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "add")]
#[xml(form = "unqualified")]
pub struct Add {
    pub a: i32,
    pub b: i32,
}

/// What `add` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "addResponse")]
#[xml(form = "unqualified")]
pub struct AddResponse {
    pub sum: i64,
}

/// A client of the port `QuotesPort` of the service `Quotes`.
#[derive(Debug)]
pub struct QuotesPortClient(soap::Client);

impl QuotesPortClient {
    /// Where the description says that the service is.
    pub const ADDRESS: &str = "http://localhost/quotes";

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {
        let config = soap::ClientConfig::default();
        soap::Client::with(url, "urn:quotes", soap::Binding::document_literal(), config).map(Self)
    }

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {
        Self(client)
    }

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {
        &mut self.0
    }

    /// `GetQuote`, whose faults may have as detail `UnknownSymbol`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn get_quote(&mut self, request: &Quote) -> Result<QuoteResponse, soap::CallError> {
        self.0.call_as(quotes_port_signatures::get_quote(), request)
    }

    /// `Forget`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn forget(&mut self, request: &Forget) -> Result<(), soap::CallError> {
        self.0.send_as(quotes_port_signatures::forget(), request)
    }
}

/// What answers at the port `QuotesPort` of the service `Quotes`.
pub trait QuotesPortService: Send + Sync + 'static {
    /// `GetQuote`, whose faults may have as detail `UnknownSymbol`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn get_quote(&self, request: Quote, context: &mut soap::Context) -> Result<QuoteResponse, soap::Fault>;

    /// `Forget`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn forget(&self, request: Forget) -> Result<(), soap::Fault>;
}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn quotes_port_service(answers: impl QuotesPortService, wsdl: &str) -> soap::Service {
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new("QuotesPort", "urn:quotes");
    let service = service.described_at(wsdl, QuotesPortClient::ADDRESS);
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(quotes_port_signatures::get_quote(), move |request: Quote, context: &mut soap::Context| {
        own.get_quote(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.one_way_as(quotes_port_signatures::forget(), move |request: Forget| {
        own.forget(request)
    });
    service.at("/quotes", soap::Binding::document_literal())
}

/// The operations of the port `QuotesPort` of the service `Quotes` as they look on the wire.
mod quotes_port_signatures {
    use super::*;

    pub(super) fn get_quote() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("GetQuote", "urn:quotes/get");
            let element = ("urn:quotes", "quote");
            let signature = soap::Signature::of::<Quote>(name, action, binding, element);
            let element = ("urn:quotes", "quoteResponse");
            let signature = signature.and_then(|it| it.answered_by::<QuoteResponse>(binding, element));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn forget() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Forget", "urn:quotes/forget");
            let element = ("urn:quotes", "forget");
            let signature = soap::Signature::of::<Forget>(name, action, binding, element);
            signature.expect("its messages have a form")
        })
    }
}

/// A client of the port `SumsPort` of the service `Quotes`.
#[derive(Debug)]
pub struct SumsPortClient(soap::Client);

impl SumsPortClient {
    /// Where the description says that the service is.
    pub const ADDRESS: &str = "http://localhost/sums";

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {
        let config = soap::ClientConfig::default();
        soap::Client::with(url, "urn:quotes", soap::Binding::rpc_literal().soap12(), config).map(Self)
    }

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {
        Self(client)
    }

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {
        &mut self.0
    }

    /// `add`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn add(&mut self, request: &Add) -> Result<AddResponse, soap::CallError> {
        self.0.call_as(sums_port_signatures::add(), request)
    }
}

/// What answers at the port `SumsPort` of the service `Quotes`.
pub trait SumsPortService: Send + Sync + 'static {
    /// `add`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn add(&self, request: Add, context: &mut soap::Context) -> Result<AddResponse, soap::Fault>;
}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn sums_port_service(answers: impl SumsPortService, wsdl: &str) -> soap::Service {
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new("SumsPort", "urn:quotes");
    let service = service.described_at(wsdl, SumsPortClient::ADDRESS);
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(sums_port_signatures::add(), move |request: Add, context: &mut soap::Context| {
        own.add(request, context)
    });
    service.at("/sums", soap::Binding::rpc_literal().soap12())
}

/// The operations of the port `SumsPort` of the service `Quotes` as they look on the wire.
mod sums_port_signatures {
    use super::*;

    pub(super) fn add() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::rpc_literal().soap12();
            let (name, action) = ("add", "urn:quotes/add");
            let element = ("urn:sums", "add");
            let signature = soap::Signature::of::<Add>(name, action, binding, element);
            let element = ("urn:sums", "addResponse");
            let signature = signature.and_then(|it| it.answered_by::<AddResponse>(binding, element));
            signature.expect("its messages have a form")
        })
    }
}
