//! The messages of trading.idl, by `trunkline schema --rust`. Change the description and make them again, or change them
//! here. In a crate that asks for documentation: `#[allow(missing_docs)] mod ...;`
// Left out: Checksum: `u8[16]`: a list of `u8` is data in Rust, not a list of numbers

use trunkline_message::Message;
use trunkline_session::soap;
use trunkline_wire::Text;

/// `Trading::Leg` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Leg {
    #[facet(max_length = 12)]
    pub symbol: Text,
    pub ratio: f64,
}

/// `MaybePrice_other`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "MaybePrice_other")]
pub struct MaybePriceOther {
    pub label: bool,
}

/// `Trading::MaybePrice` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "boolean")]
pub enum MaybePrice {
    #[field(name = "price")]
    #[cdr(label = "true")]
    Price(f64),
    #[field(name = "other")]
    #[cdr(label = "default")]
    Other(MaybePriceOther),
}

/// `Trading::Settlement` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "enum")]
pub enum Settlement {
    #[field(name = "account")]
    #[cdr(label = "0")]
    Account(Text),
    #[field(name = "borrowed")]
    #[cdr(label = "1")]
    Borrowed(i64),
    #[field(name = "borrowed_2")]
    #[cdr(label = "2")]
    Borrowed2(i64),
}

/// `Side`.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Buy,
    Sell,
    SellShort,
}

/// `Trading::Order` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Order {
    pub id: i32,
    pub direction: Side,
    pub limit: Option<f64>,
    pub settled: Settlement,
    #[field(required)]
    #[facet(max_items = 8)]
    pub legs: Vec<Leg>,
    pub signature: Vec<u8>,
    pub corners: [[i16; 3]; 2],
    pub r#type: Text,
    #[field(required)]
    pub children: Vec<Order>,
}

/// `Trading::Rejected` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Rejected {
    pub why: Text,
}

/// `Trading::Closed` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Closed {}

/// What `_get_name` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "_get_name")]
pub struct GetName {
    pub result: Text,
}

/// What `place` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "place")]
pub struct Place {
    pub placed: Order,
    pub note: Text,
}

/// What `place` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "place")]
pub struct Place2 {
    pub result: i32,
    pub price: f64,
    pub note: Text,
}

/// A client of the interface `Trading::Named`.
#[derive(Debug)]
pub struct NamedClient(soap::Client);

impl NamedClient {
    /// Where the description says that the service is.
    pub const ADDRESS: &str = "http://localhost/Named";

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {
        let config = soap::ClientConfig::default();
        soap::Client::with(url, "urn:service", soap::Binding::document_literal(), config).map(Self)
    }

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {
        Self(client)
    }

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {
        &mut self.0
    }

    /// `_get_name`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn get_name(&mut self, request: &soap::Nothing) -> Result<GetName, soap::CallError> {
        self.0.call_as(named_signatures::get_name(), request)
    }
}

/// What answers at the interface `Trading::Named`.
pub trait NamedService: Send + Sync + 'static {
    /// `_get_name`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn get_name(&self, request: soap::Nothing, context: &mut soap::Context) -> Result<GetName, soap::Fault>;
}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn named_service(answers: impl NamedService, wsdl: &str) -> soap::Service {
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new("Named", "urn:service");
    let service = service.described_at(wsdl, NamedClient::ADDRESS);
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(named_signatures::get_name(), move |request: soap::Nothing, context: &mut soap::Context| {
        own.get_name(request, context)
    });
    service.at("/Named", soap::Binding::document_literal())
}

/// The operations of the interface `Trading::Named` as they look on the wire.
mod named_signatures {
    use super::*;

    pub(super) fn get_name() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("_get_name", "");
            let options = binding.options("urn:service", "_get_name");
            let layout = <soap::Nothing as trunkline_message::Structure>::layout();
            let signature = soap::Signature::new(name, action, (layout, &options));
            let options = binding.options("urn:service", "_get_nameResponse");
            let layout = <GetName as trunkline_message::Structure>::layout();
            let signature = signature.and_then(|it| it.answered((layout, &options)));
            signature.expect("its messages have a form")
        })
    }
}

/// A client of the interface `Trading::Desk`.
#[derive(Debug)]
pub struct DeskClient(soap::Client);

impl DeskClient {
    /// Where the description says that the service is.
    pub const ADDRESS: &str = "http://localhost/Desk";

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {
        let config = soap::ClientConfig::default();
        soap::Client::with(url, "urn:service", soap::Binding::document_literal(), config).map(Self)
    }

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {
        Self(client)
    }

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {
        &mut self.0
    }

    /// `_get_name`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn get_name(&mut self, request: &soap::Nothing) -> Result<GetName, soap::CallError> {
        self.0.call_as(desk_signatures::get_name(), request)
    }

    /// `place`, whose faults may have as detail `Rejected`, `Closed`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn place(&mut self, request: &Place) -> Result<Place2, soap::CallError> {
        self.0.call_as(desk_signatures::place(), request)
    }

    /// `stop`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn stop(&mut self, request: &soap::Nothing) -> Result<(), soap::CallError> {
        self.0.send_as(desk_signatures::stop(), request)
    }
}

/// What answers at the interface `Trading::Desk`.
pub trait DeskService: Send + Sync + 'static {
    /// `_get_name`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn get_name(&self, request: soap::Nothing, context: &mut soap::Context) -> Result<GetName, soap::Fault>;

    /// `place`, whose faults may have as detail `Rejected`, `Closed`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn place(&self, request: Place, context: &mut soap::Context) -> Result<Place2, soap::Fault>;

    /// `stop`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn stop(&self, request: soap::Nothing) -> Result<(), soap::Fault>;
}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn desk_service(answers: impl DeskService, wsdl: &str) -> soap::Service {
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new("Desk", "urn:service");
    let service = service.described_at(wsdl, DeskClient::ADDRESS);
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_signatures::get_name(), move |request: soap::Nothing, context: &mut soap::Context| {
        own.get_name(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_signatures::place(), move |request: Place, context: &mut soap::Context| {
        own.place(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.one_way_as(desk_signatures::stop(), move |request: soap::Nothing| {
        own.stop(request)
    });
    service.at("/Desk", soap::Binding::document_literal())
}

/// The operations of the interface `Trading::Desk` as they look on the wire.
mod desk_signatures {
    use super::*;

    pub(super) fn get_name() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("_get_name", "");
            let options = binding.options("urn:service", "_get_name");
            let layout = <soap::Nothing as trunkline_message::Structure>::layout();
            let signature = soap::Signature::new(name, action, (layout, &options));
            let options = binding.options("urn:service", "_get_nameResponse");
            let layout = <GetName as trunkline_message::Structure>::layout();
            let signature = signature.and_then(|it| it.answered((layout, &options)));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn place() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("place", "");
            let options = binding.options("urn:service", "place");
            let layout = <Place as trunkline_message::Structure>::layout();
            let signature = soap::Signature::new(name, action, (layout, &options));
            let options = binding.options("urn:service", "placeResponse");
            let layout = <Place2 as trunkline_message::Structure>::layout();
            let signature = signature.and_then(|it| it.answered((layout, &options)));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn stop() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("stop", "");
            let options = binding.options("urn:service", "stop");
            let layout = <soap::Nothing as trunkline_message::Structure>::layout();
            let signature = soap::Signature::new(name, action, (layout, &options));
            signature.expect("its messages have a form")
        })
    }
}
