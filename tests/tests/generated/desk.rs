//! The messages of desk.wsdl, by `trunkline schema --rust`. Change the description and make them again, or change them
//! here. In a crate that asks for documentation: `#[allow(missing_docs)] mod ...;`
// Left out: the operation Guess of DeskSoap: nothing in the Body of a request says that it is called, and no action of its own

use trunkline_message::Message;
use trunkline_session::soap;
use trunkline_wire::{Decimal, Text};

/// `order`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "order")]
#[xml(namespace = "urn:desk", form = "qualified")]
pub struct Order2 {
    pub symbol: Text,
    pub quantity: i32,
}

/// What `Order` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "", form = "qualified")]
pub struct Order {
    #[xml(namespace = "urn:desk", form = "qualified")]
    pub order: Order2,
    #[xml(namespace = "urn:desk", form = "qualified")]
    pub account: Text,
}

/// What `Order` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "", form = "qualified")]
pub struct OrderResponse {
    #[xml(namespace = "urn:desk", form = "qualified")]
    pub number: i64,
    #[xml(namespace = "urn:desk", form = "qualified")]
    pub note: Text,
}

/// `LimitAsk`.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "urn:desk", form = "qualified")]
pub struct LimitAsk {
    pub symbol: Text,
    pub limit: Decimal,
}

/// `Ask`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "Ask")]
#[xml(choice = "type")]
pub enum Ask2 {
    #[xml(type = "LimitAsk", namespace = "urn:desk")]
    LimitAsk(LimitAsk),
}

/// What `Ask` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "", form = "qualified")]
pub struct Ask {
    #[xml(namespace = "urn:desk", form = "qualified")]
    pub ask: Ask2,
}

/// What `Ask` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "number")]
pub struct Number {
    #[xml(text)]
    pub value: i64,
}

/// `change`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "change")]
#[xml(namespace = "", form = "qualified")]
pub enum Change2 {
    #[field(name = "cancel")]
    #[xml(namespace = "urn:desk", form = "qualified")]
    Cancel(i64),
    #[field(name = "stop")]
    #[facet(min_inclusive = "1")]
    #[xml(namespace = "urn:desk", form = "qualified")]
    Stop(i64),
}

/// What `Change` takes.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Change {
    pub change: Change2,
}

/// What `Halt` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "stop")]
pub struct Stop {
    #[xml(text)]
    #[facet(min_inclusive = "1")]
    pub value: i64,
}

/// What `turn` takes.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "turn")]
#[xml(form = "unqualified")]
pub struct Turn {
    #[field(required)]
    #[xml(dimensions = "2")]
    pub grid: Vec<Vec<i32>>,
}

/// What `turn` answers.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "turnResponse")]
#[xml(form = "unqualified")]
pub struct TurnResponse {
    #[field(required)]
    #[xml(dimensions = "2")]
    pub grid: Vec<Vec<i32>>,
}

/// A client of the port `DeskPort` of the service `Desk`.
#[derive(Debug)]
pub struct DeskPortClient(soap::Client);

impl DeskPortClient {
    /// Where the description says that the service is.
    pub const ADDRESS: &str = "http://localhost/desk";

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {
        let config = soap::ClientConfig::default();
        soap::Client::with(url, "urn:desk", soap::Binding::document_literal(), config).map(Self)
    }

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {
        Self(client)
    }

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {
        &mut self.0
    }

    /// `Order`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn order(&mut self, request: &Order) -> Result<OrderResponse, soap::CallError> {
        self.0.call_as(desk_port_signatures::order(), request)
    }

    /// `Ask`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn ask(&mut self, request: &Ask) -> Result<Number, soap::CallError> {
        self.0.call_as(desk_port_signatures::ask(), request)
    }

    /// `Change`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn change(&mut self, request: &Change) -> Result<Number, soap::CallError> {
        self.0.call_as(desk_port_signatures::change(), request)
    }

    /// `Halt`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn halt(&mut self, request: &Stop) -> Result<Number, soap::CallError> {
        self.0.call_as(desk_port_signatures::halt(), request)
    }

    /// `Ping`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn ping(&mut self, request: &soap::Nothing) -> Result<soap::Nothing, soap::CallError> {
        self.0.call_as(desk_port_signatures::ping(), request)
    }

    /// `Close`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn close(&mut self, request: &soap::Nothing) -> Result<(), soap::CallError> {
        self.0.send_as(desk_port_signatures::close(), request)
    }
}

/// What answers at the port `DeskPort` of the service `Desk`.
pub trait DeskPortService: Send + Sync + 'static {
    /// `Order`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn order(&self, request: Order, context: &mut soap::Context) -> Result<OrderResponse, soap::Fault>;

    /// `Ask`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn ask(&self, request: Ask, context: &mut soap::Context) -> Result<Number, soap::Fault>;

    /// `Change`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn change(&self, request: Change, context: &mut soap::Context) -> Result<Number, soap::Fault>;

    /// `Halt`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn halt(&self, request: Stop, context: &mut soap::Context) -> Result<Number, soap::Fault>;

    /// `Ping`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn ping(&self, request: soap::Nothing, context: &mut soap::Context) -> Result<soap::Nothing, soap::Fault>;

    /// `Close`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn close(&self, request: soap::Nothing) -> Result<(), soap::Fault>;
}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn desk_port_service(answers: impl DeskPortService, wsdl: &str) -> soap::Service {
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new("DeskPort", "urn:desk");
    let service = service.described_at(wsdl, DeskPortClient::ADDRESS);
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_port_signatures::order(), move |request: Order, context: &mut soap::Context| {
        own.order(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_port_signatures::ask(), move |request: Ask, context: &mut soap::Context| {
        own.ask(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_port_signatures::change(), move |request: Change, context: &mut soap::Context| {
        own.change(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_port_signatures::halt(), move |request: Stop, context: &mut soap::Context| {
        own.halt(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(desk_port_signatures::ping(), move |request: soap::Nothing, context: &mut soap::Context| {
        own.ping(request, context)
    });
    let own = std::sync::Arc::clone(&answers);
    let service = service.one_way_as(desk_port_signatures::close(), move |request: soap::Nothing| {
        own.close(request)
    });
    service.at("/desk", soap::Binding::document_literal())
}

/// The operations of the port `DeskPort` of the service `Desk` as they look on the wire.
mod desk_port_signatures {
    use super::*;

    pub(super) fn order() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Order", "urn:desk/order");
            let signature = soap::Signature::of_body::<Order>(name, action, binding);
            let signature = signature.and_then(|it| it.answered_by_body::<OrderResponse>(binding));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn ask() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Ask", "urn:desk/ask");
            let signature = soap::Signature::of_body::<Ask>(name, action, binding);
            let element = ("urn:desk", "number");
            let signature = signature.and_then(|it| it.answered_by::<Number>(binding, element));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn change() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Change", "urn:desk/change");
            let signature = soap::Signature::of_body::<Change>(name, action, binding);
            let element = ("urn:desk", "number");
            let signature = signature.and_then(|it| it.answered_by::<Number>(binding, element));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn halt() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Halt", "urn:desk/halt");
            let element = ("urn:desk", "stop");
            let signature = soap::Signature::of::<Stop>(name, action, binding, element);
            let element = ("urn:desk", "number");
            let signature = signature.and_then(|it| it.answered_by::<Number>(binding, element));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn ping() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Ping", "urn:desk/ping");
            let signature = soap::Signature::of_body::<soap::Nothing>(name, action, binding);
            let signature = signature.and_then(|it| it.answered_by_body::<soap::Nothing>(binding));
            signature.expect("its messages have a form")
        })
    }

    pub(super) fn close() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::document_literal();
            let (name, action) = ("Close", "urn:desk/close");
            let signature = soap::Signature::of_body::<soap::Nothing>(name, action, binding);
            signature.expect("its messages have a form")
        })
    }
}

/// A client of the port `GridsPort` of the service `Desk`.
#[derive(Debug)]
pub struct GridsPortClient(soap::Client);

impl GridsPortClient {
    /// Where the description says that the service is.
    pub const ADDRESS: &str = "http://localhost/grids";

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {
        let config = soap::ClientConfig::default();
        soap::Client::with(url, "urn:desk", soap::Binding::rpc_encoded(), config).map(Self)
    }

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {
        Self(client)
    }

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {
        &mut self.0
    }

    /// `turn`.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn turn(&mut self, request: &Turn) -> Result<TurnResponse, soap::CallError> {
        self.0.call_as(grids_port_signatures::turn(), request)
    }
}

/// What answers at the port `GridsPort` of the service `Desk`.
pub trait GridsPortService: Send + Sync + 'static {
    /// `turn`.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn turn(&self, request: Turn, context: &mut soap::Context) -> Result<TurnResponse, soap::Fault>;
}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn grids_port_service(answers: impl GridsPortService, wsdl: &str) -> soap::Service {
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new("GridsPort", "urn:desk");
    let service = service.described_at(wsdl, GridsPortClient::ADDRESS);
    let own = std::sync::Arc::clone(&answers);
    let service = service.operation_as(grids_port_signatures::turn(), move |request: Turn, context: &mut soap::Context| {
        own.turn(request, context)
    });
    service.at("/grids", soap::Binding::rpc_encoded())
}

/// The operations of the port `GridsPort` of the service `Desk` as they look on the wire.
mod grids_port_signatures {
    use super::*;

    pub(super) fn turn() -> &'static soap::Signature {
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {
            let binding = soap::Binding::rpc_encoded();
            let (name, action) = ("turn", "urn:desk/turn");
            let element = ("urn:desk", "turn");
            let signature = soap::Signature::of::<Turn>(name, action, binding, element);
            let element = ("urn:desk", "turnResponse");
            let signature = signature.and_then(|it| it.answered_by::<TurnResponse>(binding, element));
            signature.expect("its messages have a form")
        })
    }
}
